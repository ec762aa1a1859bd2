//! A changed IR: the words of the XML that change, and bytes added to the weights.

use super::net;
use crate::{
    edit::{Edit, File, Piece, Written},
    error::{Error, ErrorKind},
    graph::Model,
};

/// Makes changes to a model; every other byte is as it was.
///
/// # Errors
/// [`ErrorKind::Edit`] for a change that an IR cannot have.
pub(super) fn write(model: &Model, edits: &[Edit]) -> Result<Written, Error> {
    let mut files = vec![File { extension: "", pieces: vec![Piece::Kept { at: 0, len: model.source.len() }] }];
    files.extend(model.weights.iter().map(|weights| {
        let pieces = vec![Piece::Kept { at: 0, len: weights.len() }];
        File { extension: "bin", pieces }
    }));
    if !edits.is_empty() {
        let _ = net::text(&model.source)?;
        return Err(Error::new(ErrorKind::Edit, "an IR cannot be changed yet"));
    }
    Ok(Written { files, changes: Vec::new() })
}
