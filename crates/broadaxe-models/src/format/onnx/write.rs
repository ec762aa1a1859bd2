//! Changes, as the smallest difference to the file.

use crate::{
    edit::{Edit, File, Piece, Written},
    error::{Error, ErrorKind},
    graph::Model,
};

/// Makes changes; without any, the file as it was.
///
/// # Errors
/// [`ErrorKind::Edit`] when a change cannot be made.
pub(super) fn write(model: &Model, edits: &[Edit]) -> Result<Written, Error> {
    if let Some(edit) = edits.first() {
        return Err(Error::new(ErrorKind::Edit, format!("{edit:?} cannot be made in ONNX")));
    }
    let pieces = vec![Piece::Kept { at: 0, len: model.source.len() }];
    Ok(Written { files: vec![File { extension: "", pieces }], changes: Vec::new() })
}
