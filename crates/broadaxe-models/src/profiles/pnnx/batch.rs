//! The batch: which axis pnnx treats as the batch, and what follows for operands that have no such axis.
//!
//! pnnx knows operators that have the batch at axis 0, and follows it from there through the graph, forth and back: through
//! transpositions by their order, through reshapes by extents and counts of elements ([`kept`]). ncnn then computes each
//! entry of the batch alone. A constant has no batch: one whose first axis is longer than 1 is not changed, and its axes
//! then meet the wrong ones.

use broadaxe_frameworks::{Kind, Role, has_batch, newest};
use broadaxe_shape::SymbolicShape;

use super::{super::Asked, Does};
use crate::{
    graph::{Attribute, Model, Node, Use, ValueId},
    infer::Shapes,
    meaning,
};

/// Finds constants that should have the batch's axis and are not split along it, and batches that do not fit.
pub(super) fn batch(asked: &Asked<'_>) -> Option<Does> {
    let batched = |k: usize| asked.batches.get(k).copied().flatten() == Some(0);
    let first = |k: usize| asked.operands[k].dims().and_then(|dims| dims.first()).and_then(broadaxe_shape::Dim::size);
    let count = asked.operands.len();
    let values = (0..count).filter_map(|k| asked.value(k)).chain(asked.node.output(0));
    if asked.facts.has_two_batches() || values.into_iter().any(|value| asked.facts.is_batch_doubtful(value)) {
        return Some(Does::Unknown("treats two axes of one tensor of this model as the batch".into()));
    }
    if let Some(refused) = elsewhere(asked) {
        return Some(refused);
    }
    if of_result(asked) {
        return Some(Does::Garbled(
            "treats the first axis of the result as the batch, which only a constant has".into(),
        ));
    }
    let split: Vec<usize> =
        (0..count).filter(|&k| batched(k) && !asked.constants[k] && asked.operands[k].rank() > Some(1)).collect();
    // A batch of one stretches as any other axis does, where the ranks are equal.
    let ranks = split.windows(2).all(|pair| asked.operands[pair[0]].rank() == asked.operands[pair[1]].rank());
    let sizes: Vec<usize> = split.iter().filter_map(|&k| first(k)).filter(|size| !ranks || *size > 1).collect();
    if sizes.windows(2).any(|pair| pair[0] != pair[1]) {
        return Some(Does::Unknown("treats the first axes of two operands of different sizes as the batch".into()));
    }
    let least = split.iter().copied().min_by_key(|&k| asked.operands[k].rank())?;
    let rank = asked.operands[least].rank()?;
    for k in (0..count).filter(|&k| k != least) {
        let own = asked.operands[k].rank()?;
        if asked.constants[k] && own >= rank && first(k).is_some_and(|extent| extent > 1) {
            return Some(Does::Garbled(
                "computes each entry of the batch alone, but leaves the first axis of the constant in place".into(),
            ));
        }
        if own > rank && first(least).is_some_and(|extent| extent > 1) {
            return Some(Does::Garbled("has a batch in an operand of lower rank, which meets another axis".into()));
        }
    }
    None
}

/// Says whether only a constant has the axis that is the batch of the result.
fn of_result(asked: &Asked<'_>) -> bool {
    let count = asked.operands.len();
    let batched = |k: usize| asked.batches.get(k).copied().flatten() == Some(0);
    let output = asked.node.output(0).filter(|value| asked.facts.batch(*value) == Some(0));
    let rank = output.and_then(|value| asked.shape(value)).and_then(SymbolicShape::rank);
    let whole = |k: usize| {
        let first = asked.operands[k].dims().and_then(|dims| dims.first()).and_then(broadaxe_shape::Dim::size);
        rank.is_some() && asked.operands[k].rank() == rank && first.is_none_or(|size| size > 1)
    };
    !(0..count).any(|k| batched(k) && !asked.constants[k]) && (0..count).any(|k| asked.constants[k] && whole(k))
}

/// Finds tensors that are stretched along their batch, which ncnn's tensors do not have.
pub(super) fn stretched(asked: &Asked<'_>) -> Option<Does> {
    let axis = asked.batches.first().copied().flatten()?;
    let from = asked.operands[0].dims();
    let to = asked.node.output(0).and_then(|value| asked.shape(value)).and_then(SymbolicShape::dims);
    let given = asked.node.input(1).and_then(|value| asked.sizes(value)).and_then(|sizes| sizes.first().copied());
    let same = from.is_some_and(|from| given == Some(from.len()))
        && from.zip(to).is_some_and(|(from, to)| from.len() == to.len() && from.get(axis) == to.get(axis));
    (!same).then(|| Does::Unknown("computes each entry of the batch alone, and this node stretches the batch".into()))
}

/// Finds operands whose batch is not at axis 0, so that ncnn's tensors keep it, and that meet one of another rank.
fn elsewhere(asked: &Asked<'_>) -> Option<Does> {
    let axis = |k: usize| asked.batches.get(k).copied().flatten();
    let count = asked.operands.len();
    let data = (0..count).find(|&k| !asked.constants[k] && axis(k).is_some_and(|axis| axis > 0))?;
    let rank = asked.operands[data].rank()?;
    let parted = (0..count).any(|k| {
        let own = asked.operands[k].rank().unwrap_or(rank);
        own > rank || own < rank && !asked.constants[k] && axis(k).is_some()
    });
    let one = asked.operands[data].dims()?.get(axis(data)?)?.size() == Some(1);
    parted.then(|| {
        if one {
            Does::Unknown("may have a batch of one behind the first axis, and operands of different ranks".into())
        } else {
            Does::Refused("has a batch behind the first axis, and operands of different ranks".into())
        }
    })
}

/// The axis of every value that pnnx treats as the batch; nothing where no target asks for it.
#[derive(Clone, Debug, Default)]
pub(in crate::profiles) struct Batches {
    of: Vec<Option<usize>>,
    /// Which values it comes to, those of rank 1 as well.
    reached: Vec<bool>,
    /// Whether it comes to two axes of one value.
    conflict: bool,
    /// Which values it comes to from one side, and from another says that they have none.
    doubtful: Vec<bool>,
}

impl Batches {
    /// Follows the batch through a model as pnnx does.
    pub(in crate::profiles) fn of(model: &Model, shapes: &Shapes, uses: &[Vec<Use>]) -> Self {
        let mut of: Vec<Option<usize>> = vec![None; model.values.len()];
        let mut open: Vec<ValueId> = Vec::new();
        let mut conflict = false;
        let mut doubtful = vec![false; model.values.len()];
        for node in model.nodes.iter().filter(|node| with_batch(model, node, shapes)) {
            conflict |= set(&mut of, &mut doubtful, &mut open, node.input(0), 0);
            conflict |= set(&mut of, &mut doubtful, &mut open, node.output(0), 0);
        }
        while let Some(value) = open.pop() {
            let Some(axis) = of[value.0 as usize].filter(|axis| *axis != NO_BATCH) else { continue };
            for at in &uses[value.0 as usize] {
                let node = model.node(at.node);
                if !with_batch(model, node, shapes)
                    && let Some(axis) = through(model, node, axis, shapes, false)
                {
                    for &output in &node.outputs {
                        conflict |= set(&mut of, &mut doubtful, &mut open, output, axis);
                    }
                }
            }
            let producer = model.value(value).producer.map(|(node, _)| model.node(node));
            if let Some(node) = producer.filter(|node| !with_batch(model, node, shapes))
                && let Some(axis) = through(model, node, axis, shapes, true)
            {
                let stretches = meaning::role(model, node) == Some(Role::Expand);
                for &input in &node.inputs {
                    let lacks = !stretches && input.is_some_and(|input| broadcasts_without(axis, input, value, shapes));
                    conflict |= set(&mut of, &mut doubtful, &mut open, input, if lacks { NO_BATCH } else { axis });
                }
            }
        }
        let reached = of.iter().map(|axis| axis.is_some_and(|axis| axis != NO_BATCH)).collect();
        for (axis, known) in of.iter_mut().zip(&shapes.of) {
            *axis = axis.filter(|axis| known.shape.rank().is_none_or(|rank| rank > 1) && *axis != NO_BATCH);
        }
        Self { of, reached, conflict, doubtful }
    }

    /// Says whether a value, of whatever rank, has one.
    pub(in crate::profiles) fn reaches(&self, value: ValueId) -> bool {
        self.reached.get(value.0 as usize).copied().unwrap_or(false)
    }

    /// Says whether it comes to a value from one side, and from another says that it has none.
    pub(in crate::profiles) fn is_doubtful(&self, value: ValueId) -> bool {
        self.doubtful.get(value.0 as usize).copied().unwrap_or(false)
    }

    /// Says whether it comes to two axes of one value.
    pub(in crate::profiles) fn conflict(&self) -> bool {
        self.conflict
    }

    /// Returns the batch axis of a value.
    pub(in crate::profiles) fn get(&self, value: ValueId) -> Option<usize> {
        self.of.get(value.0 as usize).copied().flatten()
    }
}

/// Says whether a node has its batch at axis 0; a `PRelu` only if its slope is a list.
fn with_batch(model: &Model, node: &Node, shapes: &Shapes) -> bool {
    let slope = || node.input(1).and_then(|value| shapes.of.get(value.0 as usize)?.shape.known());
    let is_slope = || newest(model.system, &node.op).is_some_and(|row| row.kind() == Kind::Slope);
    has_batch(model.system, &node.op) && !(is_slope() && slope().is_none_or(|slope| slope.iter().all(|d| *d == 1)))
}

/// Says of a value that it has no batch, so that none is looked for any more.
const NO_BATCH: usize = usize::MAX;

/// Says whether an input of lower rank than the result stretches to it although it lacks the batch axis.
fn broadcasts_without(batch: usize, input: ValueId, output: ValueId, shapes: &Shapes) -> bool {
    let dims = |value: ValueId| shapes.of.get(value.0 as usize).and_then(|known| known.shape.dims());
    let (Some(input), Some(output)) = (dims(input), dims(output)) else { return false };
    let rest = output.iter().enumerate().filter(|(axis, _)| *axis != batch).map(|(_, dim)| dim);
    let fits = |(one, all): (&broadaxe_shape::Dim, &broadaxe_shape::Dim)| one.size() == Some(1) || one == all;
    input.len() < output.len() && batch < output.len() && input.iter().rev().zip(rest.rev()).all(fits)
}

/// Sets the axis of a value that has none yet; says whether it has another.
fn set(
    of: &mut [Option<usize>],
    doubtful: &mut [bool],
    open: &mut Vec<ValueId>,
    value: Option<ValueId>,
    axis: usize,
) -> bool {
    let Some((value, known)) = value.and_then(|value| Some((value, of.get_mut(value.0 as usize)?))) else {
        return false;
    };
    if known.is_none() {
        *known = Some(axis);
        open.push(value);
    }
    let parted = *known != Some(axis);
    let none = *known == Some(NO_BATCH) || axis == NO_BATCH;
    doubtful[value.0 as usize] |= parted && none;
    parted && !none
}

/// Follows the batch axis through a node, to its outputs or back to its inputs; nothing where pnnx gives up.
fn through(model: &Model, node: &Node, axis: usize, shapes: &Shapes, back: bool) -> Option<usize> {
    let shape =
        |value: Option<ValueId>| value.and_then(|value| shapes.of.get(value.0 as usize)).map(|known| &known.shape);
    match meaning::role(model, node) {
        Some(Role::Transpose) => {
            let order = node.attribute("perm").and_then(Attribute::ints)?;
            if back {
                usize::try_from(*order.get(axis)?).ok()
            } else {
                order.iter().position(|from| usize::try_from(*from) == Ok(axis))
            }
        }
        Some(Role::Reshape) => {
            let (from, to) = (shape(node.input(0))?, shape(node.output(0))?);
            if back { kept(axis, to, from) } else { kept(axis, from, to) }
        }
        Some(Role::Gather | Role::Shape | Role::Fill) => None,
        _ => Some(axis),
    }
}

/// Returns where a reshape keeps a batch axis, as pnnx finds it: first or last if the extents there are equal, else where
/// as many elements are in front or behind; nothing where that is not clear.
pub(crate) fn kept(axis: usize, from: &SymbolicShape, to: &SymbolicShape) -> Option<usize> {
    let sizes = |shape: &SymbolicShape| -> Option<Vec<Option<usize>>> {
        Some(shape.dims()?.iter().map(broadaxe_shape::Dim::size).collect())
    };
    let (from, to) = (sizes(from)?, sizes(to)?);
    let size = *from.get(axis)?;
    let (first, last) = (*to.first()?, *to.last()?);
    if axis == 0 && size.is_some() && first == size {
        return Some(0);
    }
    if axis + 1 == from.len() && size.is_some() && last == size {
        return Some(to.len() - 1);
    }
    let product = |sizes: &[Option<usize>]| sizes.iter().try_fold(1usize, |all, size| all.checked_mul((*size)?));
    let mut found = None;
    if let Some(front) = product(&from[..axis]) {
        let at = (1..to.len()).find(|&at| to[at] == size && product(&to[..at]) == Some(front));
        found = at.filter(|at| to.get(at + 1) != Some(&size)).or(found);
    }
    if let Some(behind) = product(&from[axis + 1..]) {
        let at = (0..to.len() - 1).rev().find(|&at| to[at] == size && product(&to[at + 1..]) == Some(behind));
        if let Some(at) = at {
            found = (at == 0 || to[at - 1] != size).then_some(at);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_reshapes_keep_the_batch() {
        let cases = [
            ("2,3,4,5", "2,12,5", 0, Some(0)),
            ("2,3,1,1", "6,1", 0, None),
            ("2,12,5", "2,3,4,5", 0, Some(0)),
            ("1,3,4,5", "1,60", 0, Some(0)),
            ("3,4,2", "12,2", 2, Some(1)),
            ("3,2,4", "3,2,2,2", 1, Some(1)),
            ("3,5,4", "3,5,2,2", 1, Some(1)),
            ("2,3,4,5", "...", 0, None),
        ];
        let mut wrong = Vec::new();
        for (from, to, axis, want) in cases {
            let [from, to] = [from, to].map(|text| text.parse::<SymbolicShape>().expect(text));
            let got = kept(axis, &from, &to);
            if got != want {
                wrong.push(format!("{from} to {to}: {got:?}, not {want:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
