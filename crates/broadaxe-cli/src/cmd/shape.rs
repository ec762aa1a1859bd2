//! `broadaxe shape`: applies a rule to shapes.

use broadaxe_draw::Sheet;
use broadaxe_session::{json::value, request::ShapeRequest, shape::shape};

use super::picture;
use crate::{
    answer::Answer,
    args::{PictureArgs, ShapeArgs},
    error::Error,
};

/// Broadcasts shapes.
///
/// # Errors
/// When they do not broadcast, or are none, or the picture cannot be written.
pub fn run(args: &ShapeArgs) -> Result<Answer, Error> {
    answer(&args.request(), &args.picture)
}

/// Answers a request with this picture.
pub(super) fn answer(request: &ShapeRequest, picture: &PictureArgs) -> Result<Answer, Error> {
    let shaped = match shape(request) {
        Ok(shaped) => shaped,
        Err(rejection) => return picture::failed(picture, rejection.drawing, rejection.error),
    };
    let sheet = Sheet::of(shaped.drawing().clone(), shaped.alignment(), shaped.order());
    let text = picture.text(&sheet).unwrap_or_else(|| shaped.text());
    picture::saved(picture, &sheet, Answer::new(text, value(shaped.json())))
}
