//! `broadaxe shape`: applies a rule to shapes.
//!
//! Under `--rule ncnn` shapes, axes and strides are read and printed as ncnn writes them, fastest axis first; inside,
//! everything is row-major. Shapes of known dims get an alignment with strides; where a dim is a name, a range or not
//! known, the answer is a shape and the guards under which it holds.

use broadaxe_draw::{Order, ShapedError, shaped};
use broadaxe_session::json::value;
use broadaxe_shape::SymbolicShape;

use super::picture;
use crate::{answer::Answer, args::ShapeArgs, error::Error};

/// Broadcasts shapes.
///
/// # Errors
/// When they do not broadcast, or are none, or the picture cannot be written.
pub fn run(args: &ShapeArgs) -> Result<Answer, Error> {
    let rule = args.rule.rule()?;
    let order = Order { reversed: rule.name() == "ncnn" && !args.row_major };
    let shapes: Vec<SymbolicShape> =
        args.shapes.iter().map(|text| Ok(order.symbolic(&text.parse()?))).collect::<Result<_, Error>>()?;
    let shaped = match shaped(&rule, &shapes, order) {
        Ok(shaped) => shaped,
        Err(error) => {
            let ShapedError { error, message, axis, drawing } = *error;
            return picture::failed(&args.picture, drawing, Error::from(error).saying(message, axis));
        }
    };
    let drawings = std::slice::from_ref(shaped.drawing());
    let text = args.picture.text(drawings).unwrap_or_else(|| shaped.text());
    picture::saved(&args.picture, drawings, Answer::new(text, value(shaped.json())))
}
