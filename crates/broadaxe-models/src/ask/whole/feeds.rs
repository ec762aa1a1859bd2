//! Draws what the inputs of a model are given.

use std::collections::{BTreeMap, BTreeSet};

use broadaxe::DType;
use broadaxe_frameworks::{Role, System};

use super::super::{numbers, random::Random, run::Tensor};
use crate::{
    graph::{Attribute, Model, NodeId, ValueId},
    infer::{Origin, Shapes, infer},
    meaning::{Kind, meaning, role},
    verify,
};

/// How far the use of an input as indices is followed.
const MOST_STEPS: usize = 4;

/// Sizes for open dims: all different, so that accidents show. The first axis of an input, which is mostly the batch, stays small; the
/// others grow until the model has elements everywhere.
const SIZES: [[usize; 6]; 3] = [[5, 7, 11, 13, 17, 19], [67, 71, 73, 79, 83, 89], [1009, 1013, 1019, 1021, 1031, 1033]];

/// The name of an open size, and what it is.
type OpenSize = (String, usize);

/// The shapes of a model with sizes for what is open.
pub(super) struct SizeTrial {
    pub(super) shapes: Shapes,
    /// How many nodes and values these sizes do not fit.
    pub(super) misfits: usize,
}

/// Infers the shapes of a model with sizes for what is open, as [`SIZES`] lists them.
pub(super) fn trials(model: &Model, shapes: &Shapes) -> Vec<SizeTrial> {
    let names = verify::open_names(model, shapes);
    if names.is_empty() {
        return vec![SizeTrial { shapes: shapes.clone(), misfits: 0 }];
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
    let is_empty = |known: &crate::infer::Known| known.shape.known().is_some_and(|shape| shape.dims().contains(&0));
    let mut trials: Vec<SizeTrial> = inferred.collect();
    trials.sort_by_key(|trial| (trial.misfits, trial.shapes.of.iter().any(is_empty)));
    let (fewest, empty) =
        trials.first().map_or((0, false), |trial| (trial.misfits, trial.shapes.of.iter().any(is_empty)));
    trials.retain(|trial| trial.misfits == fewest && (empty || !trial.shapes.of.iter().any(is_empty)));
    trials
}

/// How often the shapes of a model are inferred to find sizes that fit.
const MOST_TRIALS: usize = 400;
/// How many sizes of the file are tried for an open one.
const MOST_SIZES: usize = 16;
/// Small sizes that are tried, too: a size of the file may follow from one that is not there.
const SMALL_SIZES: std::ops::RangeInclusive<usize> = 2..=8;

/// Infers the shapes of a model with these sizes for what is open. Where they do not fit, a size becomes the one that it meets, and then
/// another one, 1, one of the file, or a small one, as long as more fits. Names that have one size keep having one.
fn fitted(model: &Model, shapes: &Shapes, lengths: Vec<OpenSize>) -> Option<SizeTrial> {
    let tried = |lengths: &[OpenSize]| {
        let shapes = infer(model, &verify::given(model, shapes, lengths)).ok()?;
        Some(SizeTrial { misfits: misfits(model, &shapes), shapes })
    };
    let known = sizes(model, shapes);
    let mut left = MOST_TRIALS;
    let first = tried(&lengths)?;
    let (mut best, mut lengths) = met(model, &tried, lengths, first);
    loop {
        let own: BTreeSet<usize> = lengths.iter().map(|(_, size)| *size).collect();
        let pairs = own.iter().flat_map(|&from| own.iter().chain(&known).map(move |&to| (from, to)));
        if best.misfits == 0 {
            return Some(best);
        }
        let better = pairs.filter(|(from, to)| from != to).take(left).find_map(|(from, to)| {
            left -= 1;
            let changed = changed(&lengths, from, to);
            let (trial, changed) = tried(&changed).map(|trial| met(model, &tried, changed, trial))?;
            Some((trial, changed)).filter(|(trial, _)| trial.misfits < best.misfits)
        });
        match better {
            Some(found) => (best, lengths) = found,
            None => return Some(best),
        }
    }
}

/// Gives the names that have a size another one.
fn changed(lengths: &[OpenSize], from: usize, to: usize) -> Vec<OpenSize> {
    lengths.iter().map(|(name, size)| (name.clone(), if *size == from { to } else { *size })).collect()
}

/// Makes sizes that meet one size, as long as no fewer nodes fit.
fn met(
    model: &Model,
    tried: &dyn Fn(&[OpenSize]) -> Option<SizeTrial>,
    mut lengths: Vec<OpenSize>,
    mut best: SizeTrial,
) -> (SizeTrial, Vec<OpenSize>) {
    for _ in 0..lengths.len() {
        let sizes = |id| clash(model, &best.shapes, id)?.sizes();
        let Some((one, other)) = model.walk().into_iter().find_map(sizes) else { break };
        let is_open = |size: usize| lengths.iter().any(|(_, length)| *length == size);
        let (from, to) = if is_open(one) { (one, other) } else { (other, one) };
        let changed = changed(&lengths, from, to);
        let Some(trial) = tried(&changed).filter(|trial| trial.misfits <= best.misfits) else { break };
        (best, lengths) = (trial, changed);
    }
    (best, lengths)
}

/// Returns the error of a node whose operands do not broadcast.
fn clash(model: &Model, shapes: &Shapes, id: NodeId) -> Option<broadaxe_shape::Error> {
    let meaning = meaning(model, id)?.ok()?;
    if meaning.operands.len() < 2 || meaning.kind == Kind::Blocks || meaning.rule.def().target {
        return None;
    }
    let operands = meaning.shapes(model.node(id), shapes);
    let known: Option<Vec<_>> = operands.iter().map(broadaxe_shape::SymbolicShape::known).collect();
    let known = known?;
    let dims: Vec<&[usize]> = known.iter().map(broadaxe_shape::Shape::dims).collect();
    meaning.rule.align(&dims).err()
}

/// Lists 1, the channels of convolutions in groups, the sizes that shapes have, those that are there most often first, and small ones.
fn sizes(model: &Model, shapes: &Shapes) -> Vec<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let size = |value: ValueId, axis: usize| shapes.of.get(value.0 as usize)?.shape.dims()?.get(axis)?.size();
    for id in model.walk() {
        let node = model.node(id);
        let group = node.attribute("group").and_then(Attribute::int).and_then(|group| usize::try_from(group).ok());
        let channels = group.filter(|&group| group > 1).zip(node.input(1).and_then(|weights| size(weights, 1)));
        if let Some(channels) = channels.and_then(|(group, channels)| channels.checked_mul(group)) {
            *counts.entry(channels).or_default() += shapes.of.len();
        }
    }
    let dims = shapes.of.iter().filter_map(|known| known.shape.dims());
    for size in dims.flatten().filter_map(broadaxe_shape::Dim::size).filter(|&size| size > 1) {
        *counts.entry(size).or_default() += 1;
    }
    let mut sizes: Vec<usize> = counts.keys().copied().collect();
    sizes.sort_by_key(|size| std::cmp::Reverse(counts[size]));
    let sizes: Vec<usize> = std::iter::once(1).chain(sizes).take(MOST_SIZES).collect();
    let small = SMALL_SIZES.filter(|size| !sizes.contains(size));
    sizes.iter().copied().chain(small).collect()
}

/// Says whether a node gives elements a shape that has another number of them.
fn changes_count(model: &Model, shapes: &Shapes, id: NodeId) -> bool {
    let node = model.node(id);
    let count = |value: Option<ValueId>| {
        let shape = shapes.of.get(value?.0 as usize)?.shape.known()?;
        shape.dims().iter().try_fold(1, |count: usize, &size| count.checked_mul(size))
    };
    let (before, after) = (count(node.input(0)), count(node.output(0)));
    role(model, node) == Some(Role::Reshape) && before.zip(after).is_some_and(|(before, after)| before != after)
}

/// Counts the nodes that do not fit: their operands do not broadcast, they change the number of elements where that stays, or the shape of a
/// result cannot be said.
fn misfits(model: &Model, shapes: &Shapes) -> usize {
    // What only the file says of a result does not follow from the operands.
    let is_unknown = |value: &ValueId| {
        let known = shapes.of.get(value.0 as usize);
        known.is_some_and(|known| matches!(known.origin, Origin::Unknown(_) | Origin::Declared))
    };
    let fits_not = |&id: &NodeId| {
        let outputs = &model.node(id).outputs;
        clash(model, shapes, id).is_some()
            || changes_count(model, shapes, id)
            || outputs.iter().flatten().any(is_unknown)
    };
    model.walk().into_iter().filter(fits_not).count()
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
    drawn(model, given).any(|id| is_any(model, shapes, &uses, id))
}

/// Says whether an input is drawn.
pub(super) fn has_drawn(model: &Model, given: &[(String, Tensor)]) -> bool {
    drawn(model, given).next().is_some()
}

/// Lists the inputs that are drawn.
fn drawn(model: &Model, given: &[(String, Tensor)]) -> impl Iterator<Item = ValueId> {
    model.main().inputs.iter().copied().filter(|&id| {
        let value = model.value(id);
        value.constant.is_none() && !given.iter().any(|(name, _)| *name == value.name)
    })
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
            ("x(n,m); w=const(6,4); y=MatMul(x,w)", true),
            ("x(n,c,9,9); w=const(8,3,2,2); y=Conv(x,w)", true),
            ("x(n,c,9,9); w=const(8,3,2,2); y=Conv(x,w) group=2; b(1,d,8,k); z=Mul(y,b)", true),
            ("x(n,m,k); a=const:i64(1)=1; y=Squeeze(x,a)", true),
            ("x(n,m); y(k,4); z=Concat(x,y) axis=0", true),
            ("x(1,2,m); y(1,1,k); z=Sub(x,y); s=const:i64(3)=1,2,5; w=Reshape(z,s)", true),
            ("x(2,m); s=const:i64(1)=5; y=Reshape(x,s)", false),
            (
                "x(1,2,m); w=const(2,2,4); c=Conv(x,w) pads=3,2; y(1,1,k); z=Sub(c,y); s=const:i64(2)=2,5; r=Reshape(z,s)",
                true,
            ),
            ("x(2,m); y(3,m); z=Add(x,y)", false),
        ] {
            let (model, shapes) = testing::model(text);
            for trial in trials(&model, &shapes) {
                assert_eq!(trial.misfits == 0, fits, "{text}");
                let sizes =
                    |id: &ValueId| trial.shapes.of[id.0 as usize].shape.known().map(|shape| shape.dims().to_vec());
                let open = |id: &&ValueId| shapes.of[id.0 as usize].shape.known().is_none();
                let given: Vec<usize> = model.main().inputs.iter().filter(open).filter_map(sizes).flatten().collect();
                assert!(given.iter().any(|&size| size > 1) && !given.contains(&0), "{text}: {given:?}");
            }
        }
    }
}
