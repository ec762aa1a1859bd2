//! Writes shapes and errors as JSON.

use crate::json::{Json, json};
use broadaxe_shape::{Dim, Error, SymbolicShape};

/// Returns the dims of a shape as numbers and texts; null where the rank is not known.
pub fn dims(shape: &SymbolicShape) -> Json {
    shape.dims().map_or(Json::Null, |dims| dims.iter().map(dim).collect())
}

/// Returns a dim as a number, or as a text where it is not known.
pub fn dim(dim: &Dim) -> Json {
    dim.size().map_or_else(|| json!(dim.to_string()), |size| json!(size))
}

/// Returns the parts of an error about shapes, without its sentence: its kind, this axis, and the two sizes.
pub fn error_parts(error: &Error, axis: Option<usize>) -> Json {
    let mut parts = json!({ "kind": error.kind().name() });
    if let Some(axis) = axis {
        parts.insert("axis", axis);
    }
    if let Some((one, other)) = error.sizes() {
        parts.insert("sizes", [one, other]);
    }
    parts
}

/// Returns an error about shapes: `{"error": {"kind": ..., "message": ...}}`.
pub fn error(error: &Error) -> Json {
    let mut parts = error_parts(error, error.axis());
    parts.insert("message", error.to_string());
    json!({ "error": parts })
}
