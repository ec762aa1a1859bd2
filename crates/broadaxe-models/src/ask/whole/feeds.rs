//! Draws what the inputs of a model are given.

use std::collections::BTreeSet;

use broadaxe::DType;
use broadaxe_frameworks::System;

use super::super::{numbers, random::Random, run::Tensor};
use crate::{
    graph::{Model, NodeId, ValueId},
    infer::{Shapes, infer},
    meaning::{Kind, meaning},
    verify,
};

/// How far the use of an input as indices is followed.
const MOST_STEPS: usize = 4;

/// Sizes for open dims: all different, so that accidents show. The first axis of an input, which is mostly the batch, stays small; the
/// others grow until the model has elements everywhere.
const SIZES: [[usize; 6]; 3] = [[5, 7, 11, 13, 17, 19], [67, 71, 73, 79, 83, 89], [1009, 1013, 1019, 1021, 1031, 1033]];

/// Infers the shapes of a model with sizes for what is open, as [`SIZES`] lists them.
pub(super) fn trials(model: &Model, shapes: &Shapes) -> Vec<Shapes> {
    let names = verify::open_names(model, shapes);
    if names.is_empty() {
        return vec![shapes.clone()];
    }
    let is_first = |name: &String| {
        let mut axes =
            model.main().inputs.iter().filter_map(|id| shapes.of.get(id.0 as usize)?.shape.dims()).flat_map(|dims| {
                let names = |dim: &broadaxe_shape::Dim| dim.names().iter().any(|known| known == name);
                dims.iter().enumerate().filter(move |(_, dim)| names(dim)).map(|(axis, _)| axis)
            });
        name.ends_with("[0]") || axes.next() == Some(0) && axes.all(|axis| axis == 0)
    };
    let lengths = |sizes: &[usize; 6]| {
        let size = |k: usize, name: &String| if is_first(name) { SIZES[0][k % 6] } else { sizes[k % 6] } + k / 6;
        names.iter().enumerate().map(|(k, name)| (name.clone(), size(k, name))).collect::<Vec<_>>()
    };
    let inferred = SIZES.iter().filter_map(|sizes| fitted(model, shapes, lengths(sizes)));
    let has_elements = |trial: &Shapes| {
        let is_empty = |known: &crate::infer::Known| known.shape.known().is_some_and(|shape| shape.dims().contains(&0));
        !trial.of.iter().any(is_empty)
    };
    let (full, empty): (Vec<Shapes>, Vec<Shapes>) = inferred.partition(has_elements);
    if full.is_empty() { empty } else { full }
}

/// Infers the shapes of a model with these sizes for what is open. Where operands do not broadcast with them, an open size becomes the
/// one that it meets.
fn fitted(model: &Model, shapes: &Shapes, mut lengths: Vec<(String, usize)>) -> Option<Shapes> {
    for _ in 0..lengths.len() {
        let trial = infer(model, &verify::given(model, shapes, &lengths)).ok()?;
        let Some((one, other)) = clash(model, &trial) else { return Some(trial) };
        let is_open = |size: usize| lengths.iter().any(|(_, length)| *length == size);
        let (from, to) = if is_open(one) { (one, other) } else { (other, one) };
        if !is_open(from) {
            return Some(trial);
        }
        lengths.iter_mut().filter(|(_, length)| *length == from).for_each(|(_, length)| *length = to);
    }
    infer(model, &verify::given(model, shapes, &lengths)).ok()
}

/// Finds two sizes of operands that meet and do not broadcast.
fn clash(model: &Model, shapes: &Shapes) -> Option<(usize, usize)> {
    model.walk().into_iter().find_map(|id| {
        let meaning = meaning(model, id)?.ok()?;
        if meaning.operands.len() < 2 || meaning.kind == Kind::Blocks || meaning.rule.def().target {
            return None;
        }
        let operands = meaning.shapes(model.node(id), shapes);
        let known: Option<Vec<_>> = operands.iter().map(|shape| shape.known()).collect();
        let known = known?;
        let dims: Vec<&[usize]> = known.iter().map(broadaxe_shape::Shape::dims).collect();
        meaning.rule.align(&dims).err()?.sizes()
    })
}

/// How integers are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integers {
    /// From 1 to 7, or within the axis that they select from.
    Small,
    /// Far from 0, where every operator that they reach accepts any.
    Far,
}

/// Says whether an input is drawn of integers far from 0.
pub(super) fn has_far(model: &Model, shapes: &Shapes, given: &[(String, Tensor)]) -> bool {
    let uses = model.uses();
    let is_drawn = |id: &ValueId| {
        let value = model.value(*id);
        value.constant.is_none() && !given.iter().any(|(name, _)| *name == value.name)
    };
    model.main().inputs.iter().filter(|id| is_drawn(id)).any(|&id| is_any(model, shapes, &uses, id))
}

/// Says whether every operator that the integers of an input reach accepts any: they are no axis, index, length or divisor.
fn is_any(model: &Model, shapes: &Shapes, uses: &crate::graph::Uses, id: ValueId) -> bool {
    let is_integer = |value: ValueId| {
        let known = shapes.of.get(value.0 as usize).and_then(|known| known.element.clone());
        let dtype = known.or_else(|| model.value(value).element.clone()).and_then(|element| element.dtype());
        dtype.is_none_or(|dtype| !dtype.is_float() && dtype != DType::Bool)
    };
    if model.system != System::Onnx || !is_integer(id) {
        return false;
    }
    let (mut stack, mut seen) = (vec![id], BTreeSet::from([id]));
    while let Some(value) = stack.pop() {
        for at in uses.of(value) {
            let node = model.node(at.node);
            let is_first = at.input == 0;
            let follows = match node.op.as_str() {
                _ if !node.domain.is_empty() && node.domain != "ai.onnx" => return false,
                "Add" | "Sub" | "Mul" | "Max" | "Min" | "Sum" | "Abs" | "Neg" | "Sign" | "BitwiseAnd" | "BitwiseOr"
                | "BitwiseXor" | "BitwiseNot" | "Where" | "Clip" | "Identity" | "Concat" | "Transpose" => true,
                "Div" | "Mod" | "BitShift" | "Reshape" | "Squeeze" | "Unsqueeze" | "Flatten" | "Slice" | "Expand"
                | "Gather" | "Tile" => is_first,
                "Equal" | "Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual" | "Shape" | "Size" => continue,
                "DequantizeLinear" if is_first => continue,
                _ => false,
            };
            if !follows {
                return false;
            }
            stack.extend(
                node.outputs.iter().flatten().copied().filter(|&output| is_integer(output) && seen.insert(output)),
            );
        }
    }
    true
}

/// Draws the inputs of a model; `given` are arrays that a caller has, by name.
///
/// # Errors
/// Why an input cannot be drawn.
pub(super) fn draw(
    model: &Model,
    shapes: &Shapes,
    given: &[(String, Tensor)],
    (seed, integers): (u64, Integers),
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
        let drawn = match integers {
            Integers::Far if is_any(model, shapes, &uses, id) => random.draw_far(dtype, &shape),
            // Blobs of ncnn have no type: an embedding reads the bits of an f32 as an integer.
            _ if entries.is_some() && model.system == System::Ncnn => random.draw(DType::I32, &shape, entries),
            _ => random.draw(dtype, &shape, entries),
        };
        let data = drawn.map_err(|error| error.to_string())?;
        feeds.push((id, Tensor { dtype, shape, data }));
    }
    Ok(feeds)
}

/// Draws floating-point numbers in place of a value that an engine does not give; nothing where its shape or its type is not known.
pub(super) fn stand_in(shapes: &Shapes, id: ValueId) -> Option<Tensor> {
    let known = shapes.of.get(id.0 as usize)?;
    let dtype = known.element.as_ref()?.dtype().filter(|dtype| dtype.is_float())?;
    let shape = known.shape.known()?.dims().to_vec();
    let data = Random::new(u64::from(id.0)).draw(dtype, &shape, None).ok()?;
    Some(Tensor { dtype, shape, data })
}

/// Returns how many entries an input selects from, where it does.
fn selects(model: &Model, shapes: &Shapes, uses: &crate::graph::Uses, id: ValueId) -> Option<usize> {
    if !matches!(model.system, System::Onnx | System::Openvino | System::Ncnn | System::Tflite) {
        return None;
    }
    let (mut values, mut fewest) = (vec![id], None);
    for _ in 0..MOST_STEPS {
        let mut next = Vec::new();
        for at in values.iter().flat_map(|&value| uses.of(value)) {
            let node = model.node(at.node);
            match node.op.as_str() {
                "Embed" if at.input == 0 => {
                    let size = node.attribute("1").and_then(crate::graph::Attribute::int);
                    fewest = [fewest, size.and_then(|size| usize::try_from(size).ok())].into_iter().flatten().min();
                }
                "Gather" | "GatherElements" | "GATHER" if at.input == 1 => {
                    let size = selected_axis(model, shapes, at.node);
                    fewest = [fewest, size].into_iter().flatten().min();
                }
                "Cast" | "Convert" | "Reshape" | "Squeeze" | "Unsqueeze" | "Transpose" | "Identity" | "Slice"
                | "Expand" | "Split" | "ExpandDims" | "CAST" | "RESHAPE" | "TRANSPOSE" | "EXPAND_DIMS"
                    if at.input == 0 =>
                {
                    next.extend(node.outputs.iter().flatten());
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
    let named = node.attribute("axis").and_then(crate::graph::Attribute::int);
    let constant = node.input(2).and_then(|axis| model.value(axis).constant.as_ref());
    let read = || {
        let constant = constant?;
        let data = model.elements(constant, size_of::<i64>()).ok()??;
        numbers::values(constant.element.dtype()?, &data).first().map(|&axis| axis as i64)
    };
    let axis = named.or_else(read).unwrap_or(0);
    let axis = if axis < 0 { axis + dims.len() as i64 } else { axis };
    *dims.get(usize::try_from(axis).ok()?)?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn open_sizes_that_meet() {
        for (text, fits) in [
            ("x(n,m); y=Relu(x)", true),
            ("x(n,m); y(k,5); z=Add(x,y)", true),
            ("x(n,m); y(m,n); z=Add(x,y)", true),
            ("x(n,m); y(1,k); z=Mul(x,y); c=const(3); w=Add(z,c)", true),
            ("x(n,n,m,k,5); y(1,1,1,a,b); z=Equal(x,y)", true),
            ("x(2,m); y(3,m); z=Add(x,y)", false),
        ] {
            let (model, shapes) = testing::model(text);
            for trial in trials(&model, &shapes) {
                assert_eq!(clash(&model, &trial).is_none(), fits, "{text}");
                let sizes = |id: &ValueId| trial.of[id.0 as usize].shape.known().map(|shape| shape.dims().to_vec());
                let open = |id: &&ValueId| shapes.of[id.0 as usize].shape.known().is_none();
                let given: Vec<usize> = model.main().inputs.iter().filter(open).filter_map(sizes).flatten().collect();
                assert!(given.iter().any(|&size| size > 1) && !given.contains(&0), "{text}: {given:?}");
            }
        }
    }
}
