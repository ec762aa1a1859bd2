//! `broadaxe sizes`: lists the sizes of an open dim that a model accepts.

use broadaxe_session::{request::SizesRequest, sizes::sizes};

use super::Open;
use crate::{answer::Answer, error::Error, terminal};

/// Tries the sizes.
///
/// # Errors
/// When the model cannot be read, or has no open dim of this name.
pub(super) fn run(request: &SizesRequest, open: Open<'_>) -> Result<Answer, Error> {
    let found = sizes(request, open)?;
    let text = format!("{}: {} accepts {}\n", found.model, found.dim, found.sweep);
    let text = terminal::fitted(&text, terminal::columns());
    Ok(Answer::new(text, found.record()))
}
