//! Inserts layers before an input or after a result.

use super::{MAX_RANK, NcnnEditor, extents};
use crate::{
    edit::{ShapeOp, rejected},
    error::Error,
    graph::{NodeId, Use},
    ncnn::draft::change::{dims, resolved},
};

impl NcnnEditor<'_> {
    /// Inserts a layer before an input.
    pub(super) fn before(&mut self, at: Use, does: ShapeOp, numbers: &[i64]) -> Result<(), Error> {
        let (layer, words) = match does {
            ShapeOp::Reshape => {
                let shape = resolved(self.model, at, numbers, true)?;
                check(&shape)?;
                (("Reshape", "reshape"), extents(&shape))
            }
            ShapeOp::Unsqueeze => (("ExpandDims", "expanddims"), vec![axes(numbers)?]),
            ShapeOp::Expand => (("Tile", "tile"), vec![self.counts(at, numbers)?]),
        };
        self.draft.before(at, layer, words).map(drop)
    }

    /// Returns the counts of a `Tile`; the old extents must be recorded.
    fn counts(&self, at: Use, shape: &[i64]) -> Result<String, Error> {
        let value = self.model.node(at.node).input(at.input);
        let name = value.map_or("", |value| &self.model.value(value).name);
        let dims = value.and_then(|value| dims(self.model, value));
        let dims = dims.and_then(|dims| dims.into_iter().collect::<Option<Vec<i64>>>()).ok_or_else(|| {
            rejected(format!("{name} can be expanded only if its shape is recorded: Tile needs counts"))
        })?;
        let wrong = |why: String| rejected(format!("{name} {dims:?} cannot be expanded to {shape:?}{why}"));
        if shape.len() > MAX_RANK || dims.len() > shape.len() {
            return Err(wrong("; ncnn has ranks 1 to 4".to_owned()));
        }
        let missing = shape.len() - dims.len();
        let mut counts = format!("-23302={}", shape.len());
        for (axis, &size) in shape.iter().enumerate() {
            let have = if axis < missing { 1 } else { dims[axis - missing] };
            let count = match (have, size) {
                (_, -1 | 1) => 1,
                (have, size) if have == size => 1,
                (1, size) if size > 0 => size,
                _ => return Err(wrong(format!(": axis {axis} is not 1"))),
            };
            counts = format!("{counts},{count}");
        }
        Ok(counts)
    }

    /// Inserts a `Reshape` after the only result of a node.
    pub(super) fn after(&mut self, node: NodeId, shape: &[i64]) -> Result<(), Error> {
        let known = self.model.node(node);
        if known.outputs.len() != 1 {
            let message = format!("{} {} has {} results, not one", known.op, known.name, known.outputs.len());
            return Err(rejected(message));
        }
        // What the zeros stand for is the result before, which is not known.
        if shape.contains(&0) {
            return Err(rejected("the shape of a result is written without zeros"));
        }
        self.behind(node, 0, shape)
    }

    /// Reshapes a blob after the layer that computes it.
    pub(super) fn behind(&mut self, node: NodeId, output: usize, shape: &[i64]) -> Result<(), Error> {
        check(shape)?;
        let index = self.draft.after((node, output), ("Reshape", "reshape"), extents(shape))?;
        // Recorded shapes would be those of before.
        let rest = &mut self.draft.items[index].rest;
        rest.retain(|(_, word)| !word.starts_with("-23330=") && !word.starts_with("30="));
        Ok(())
    }
}

/// Writes axes for `ExpandDims`, which counts them row-major in the result as the change does.
fn axes(axes: &[i64]) -> Result<String, Error> {
    if axes.is_empty() || axes.len() >= MAX_RANK {
        return Err(rejected(format!("axes {axes:?} cannot be added; ncnn has ranks 1 to 4")));
    }
    Ok(axes.iter().fold(format!("-23303={}", axes.len()), |word, axis| format!("{word},{axis}")))
}

fn check(shape: &[i64]) -> Result<(), Error> {
    if shape.len() > MAX_RANK || shape.iter().any(|&size| i32::try_from(size).is_err()) {
        return Err(rejected(format!("{shape:?} is not a shape of ncnn, which has ranks 1 to 4")));
    }
    Ok(())
}
