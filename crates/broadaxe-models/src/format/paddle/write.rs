//! A changed program.

use super::{draft::Draft, is_json, pir, program, render_pir, render_program};
use crate::{
    edit::{Edit, File, Piece, Written},
    error::Error,
    format::made::refuse,
    graph::Model,
};

/// Makes changes to a program; every other byte is as it was.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for a change that a program cannot have.
pub(super) fn write(model: &Model, edits: &[Edit]) -> Result<Written, Error> {
    let kept = |len| vec![Piece::Kept { at: 0, len }];
    let mut pieces = kept(model.source.len());
    let mut changes = Vec::new();
    if !edits.is_empty() {
        let same = |again: &Model| {
            let same = again.values.len() == model.values.len() && again.nodes.len() == model.nodes.len();
            same.then_some(()).ok_or_else(|| refuse("the file of the model is not the one that was read"))
        };
        let draft;
        (draft, changes) = Draft::of(model, edits)?;
        let head = model.source.read(0, model.source.len().min(4096) as usize)?;
        pieces = if is_json(&head) {
            let (again, places) = pir::read(&model.source)?;
            same(&again)?;
            render_pir::render(&draft, &places)?
        } else {
            let (again, places) = program::read(&model.source)?;
            same(&again)?;
            render_program::render(&draft, &places)?
        };
    }
    let mut files = vec![File { extension: "", pieces }];
    files.extend(model.weights.as_ref().map(|weights| File { extension: "pdiparams", pieces: kept(weights.len()) }));
    Ok(Written { files, changes })
}
