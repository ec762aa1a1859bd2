//! A changed program.

use super::{draft::ProgramDraft, is_json, pir, program, render_pir, render_program};
use crate::{
    edit::Lowered,
    error::Error,
    graph::Model,
    {Rewritten, result_shape::same},
};

/// Makes changes to a program; all other bytes are kept.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for a change that a program cannot have.
pub(super) fn write(model: &Model, edits: &Lowered) -> Result<Rewritten, Error> {
    let draft = ProgramDraft::of(model, edits)?;
    let head = model.source.read(0, model.source.len().min(4096) as usize)?;
    let pieces = if is_json(&head) {
        let (again, places) = pir::read(&model.source)?;
        same(model, &again)?;
        render_pir::render(&draft, &places)?
    } else {
        let (again, places) = program::read(&model.source)?;
        same(model, &again)?;
        render_program::render(&draft, &places)?
    };
    Ok((pieces, Vec::new()))
}
