//! Writes what is said of a node above its drawing.

use std::path::Path;

use broadaxe_session::explain::node::{BlockAxis, NodeExplained};

use crate::{
    answer::letter,
    error::{escaped, quoted},
    terminal,
};

/// Names a node: `bias1 (Add) of face.onnx`.
pub(super) fn title(node: &NodeExplained) -> String {
    let file =
        Path::new(&node.model).file_name().map_or_else(|| node.model.clone(), |name| quoted(&name.to_string_lossy()));
    format!("{} ({}) of {file}", quoted(&node.name), quoted(&node.op))
}

/// Names a node, and says where each size comes from.
pub(super) fn head(node: &NodeExplained) -> String {
    let NodeExplained { model, name, op, place, operands, fault, blocks } = node;
    let mut head = format!("{} ({}), {} of {model}\n", quoted(name), quoted(op), quoted(place));
    for (k, operand) in operands.iter().enumerate() {
        let (tensor, shape) = (&operand.tensor, escaped(&operand.shape.to_string()));
        head += &format!("  {} is {tensor} {shape}, {}\n", letter(k), escaped(&operand.origin));
    }
    if let Some(fault) = fault {
        head += &format!("  invalid: {}\n", escaped(fault));
    }
    if let Some(BlockAxis { axis, size, last }) = blocks {
        let shorter = last.map_or_else(String::new, |last| format!("; the last block has {last}"));
        head += &format!("  axis {axis} of a is drawn as two: blocks, and {size} entries of each{shorter}\n");
    }
    terminal::fitted(&head, terminal::columns()) + "\n"
}
