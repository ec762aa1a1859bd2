//! `broadaxe extract`: writes a node of a model as a model of its own.

use broadaxe_session::{
    extract::{Extracted, saved},
    request::ExtractRequest,
};

use super::Open;
use crate::{
    answer::{Answer, tuple},
    error::{Error, escaped, quoted},
};

/// Writes a model of one node, what its inputs may be given as `OUT.0.npy`, `OUT.1.npy`, ..., and what it computes of them as
/// `OUT.out.npy`.
///
/// # Errors
/// As [`saved`].
pub(super) fn run(request: &ExtractRequest, open: Open<'_>) -> Result<Answer, Error> {
    Ok(answer(&saved(request, open)?))
}

/// Says what was taken out, and names the files.
pub(super) fn answer(found: &Extracted) -> Answer {
    let (name, op, one) = (quoted(&found.node), quoted(&found.op), &found.one);
    let output = found.output.as_ref().map_or_else(String::new, |path| format!("{}: ", path.display()));
    let mut text = format!("{output}{name} ({op}), {} bytes\n", one.model.len());
    for (path, array) in found.arrays.iter().zip(found.named()) {
        let (tensor, dtype, shape) = (quoted(&array.name), array.dtype.name(), tuple(&array.shape));
        let role = if found.is_result(array) { ", the result by the definition of ONNX" } else { "" };
        text += &format!("{}: {tensor}, {dtype} {shape}{role}\n", path.display());
    }
    for remark in &one.remarks {
        text += &format!("{}\n", escaped(remark));
    }
    Answer::new(text, found.record())
}
