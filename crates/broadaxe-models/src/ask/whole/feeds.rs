//! Draws what the inputs of a model are given.

use broadaxe_frameworks::System;

use super::super::{random::Random, run::Tensor};
use crate::{
    graph::{Model, NodeId, ValueId},
    infer::Shapes,
};

/// How far the use of an input as indices is followed.
const MOST_STEPS: usize = 4;

/// Draws the inputs of a model; `given` are arrays that a caller has, by name.
///
/// Whole numbers that select entries are drawn within the axis that they select from.
///
/// # Errors
/// Why an input cannot be drawn.
pub(super) fn draw(
    model: &Model,
    shapes: &Shapes,
    given: &[(String, Tensor)],
    seed: u64,
) -> Result<Vec<(ValueId, Tensor)>, String> {
    let mut random = Random::new(seed);
    let mut feeds = Vec::new();
    let uses = model.uses();
    for &id in &model.main().inputs {
        let value = model.value(id);
        if let Some((_, tensor)) = given.iter().find(|(name, _)| *name == value.name) {
            feeds.push((id, tensor.clone()));
            continue;
        }
        if value.constant.is_some() {
            continue;
        }
        let known = shapes.of.get(id.0 as usize).ok_or("nothing is known of an input")?;
        let name = &value.name;
        let shape = known
            .shape
            .known()
            .ok_or_else(|| format!("the shape of the input {name} is open; --input-shape {name}:SHAPE gives one"))?;
        let element = known.element.clone().or_else(|| value.element.clone());
        let element = element.ok_or_else(|| format!("the type of the input {name} is not known"))?;
        let dtype = element.dtype().ok_or_else(|| format!("the input {name} has elements of {element}"))?;
        let entries = selects(model, shapes, &uses, id);
        let shape = shape.dims().to_vec();
        let data = random.draw(dtype, &shape, entries).map_err(|error| error.to_string())?;
        feeds.push((id, Tensor { dtype, shape, data }));
    }
    Ok(feeds)
}

/// Returns how many entries an input selects from, where it does.
fn selects(model: &Model, shapes: &Shapes, uses: &crate::graph::Uses, id: ValueId) -> Option<usize> {
    if model.system != System::Onnx {
        return None;
    }
    let (mut values, mut fewest) = (vec![id], None);
    for _ in 0..MOST_STEPS {
        let mut next = Vec::new();
        for at in values.iter().flat_map(|&value| uses.of(value)) {
            let node = model.node(at.node);
            match node.op.as_str() {
                "Gather" | "GatherElements" if at.input == 1 => {
                    let size = selected_axis(model, shapes, at.node);
                    fewest = [fewest, size].into_iter().flatten().min();
                }
                "Cast" | "Reshape" | "Squeeze" | "Unsqueeze" | "Transpose" | "Identity" | "Slice" | "Expand"
                    if at.input == 0 =>
                {
                    next.extend(node.output(0));
                }
                _ => {}
            }
        }
        values = next;
    }
    fewest
}

/// Returns the size of the axis that a node selects from.
fn selected_axis(model: &Model, shapes: &Shapes, node: NodeId) -> Option<usize> {
    let node = model.node(node);
    let data = node.input(0)?;
    let constant = model.value(data).constant.as_ref().map(|constant| constant.shape.clone());
    let dims: Vec<Option<usize>> = if let Some(dims) = constant {
        dims.into_iter().map(Some).collect()
    } else {
        shapes.of.get(data.0 as usize)?.shape.dims()?.iter().map(broadaxe_shape::Dim::size).collect()
    };
    let axis = node.attribute("axis").and_then(crate::graph::Attribute::int).unwrap_or(0);
    let axis = if axis < 0 { axis + dims.len() as i64 } else { axis };
    *dims.get(usize::try_from(axis).ok()?)?
}
