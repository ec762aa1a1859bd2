//! The batch: which axis pnnx treats as the batch, and what follows for operands that have no such axis.
//!
//! pnnx knows operators that have the batch at axis 0, and follows it from there through the graph, forth and back
//! ([`search`]): through transpositions by their order, through reshapes by extents and counts of elements ([`passage`]).
//! ncnn's tensors do not have that axis, and ncnn computes each entry of the batch alone. Where the batch of the result is
//! at another axis than 0, or it has none, a `BinaryOp` reads tensors that have all their axes. A constant keeps an axis 0
//! that is longer than 1, and its axes then meet the wrong ones.

mod passage;
mod view;
mod search;
mod layout;

use std::collections::BTreeMap;

use broadaxe_shape::{Dim, SymbolicShape};

pub(crate) use self::passage::kept;
pub(super) use self::view::is_linear;
use self::{passage::Label, search::search, view::View};
use super::{super::Asked, Does};
use crate::{
    graph::{Model, Uses, ValueId},
    infer::Shapes,
    meaning::Kind,
};

/// An operand as `BinaryOp` gets it: its dims, and which of them is the batch there.
struct Met<'a> {
    dims: &'a [Dim],
    batch: Option<usize>,
    /// It is a constant that keeps the axis that pnnx says it does not have.
    whole: bool,
}

/// Finds operands whose axes do not meet as the model says.
pub(super) fn batch(asked: &Asked<'_>) -> Option<Does> {
    let rank = asked.rank()?;
    let of_result = of_result(asked, rank);
    let (mut tensors, mut labels) = (vec![], vec![]);
    for k in 0..asked.operands.len() {
        if asked.constants[k] && asked.elements(k) == Some(1) {
            continue;
        }
        let dims = asked.operands[k].dims()?;
        let label = label(asked, k, of_result, rank);
        // An operation on tensors without a batch does not need the axis; only an input of the model is given with it.
        let beyond = |axis: &usize| !asked.constants[k] && *axis >= dims.len() && asked.facts.has_batch_beyond();
        if let Some(axis) = label.filter(beyond) {
            let rank = dims.len();
            return Some(Does::Refused(format!("treats axis {axis} of an operand of rank {rank} as the batch").into()));
        }
        labels.extend(label);
        let batch = label.and_then(|label| lacking(asked, k).or(Some(label))).filter(|_| of_result == Some(0));
        let long = |axis: usize| dims.get(axis).is_some_and(|dim| dim.size() != Some(1));
        let whole = asked.constants[k] && batch == Some(0) && long(0);
        tensors.push(Met { dims, batch, whole });
    }
    if tensors.iter().any(|tensor| tensor.whole) {
        let text = "computes each batch entry alone, but keeps the constant's first axis";
        return Some(Does::Garbled(text.into()));
    }
    let without = |tensor: &Met<'_>| tensor.dims.len() - usize::from(tensor.batch.is_some());
    let most = tensors.iter().map(without).max()?;
    if most > rank - usize::from(of_result == Some(0)) {
        let text = "treats the first axis of the result as the batch, which no operand has";
        return Some(Does::Garbled(text.into()));
    }
    if labels.windows(2).any(|pair| pair[0] != pair[1]) && tensors.iter().any(|tensor| without(tensor) != most) {
        return Some(Does::Unknown("treats different axes of the operands as the batch".into()));
    }
    let met = meet(&tensors, most, rank)?;
    let sized = tensors.iter().all(|tensor| tensor.dims.iter().all(|dim| dim.size().is_some()));
    let text = format!("treats axis {met} of an operand as the batch, so other axes meet");
    Some(if sized { Does::Garbled(text.into()) } else { Does::Unknown(text.into()) })
}

/// Finds layers of channels whose data have the batch at another axis than 0, which a layer before them decides.
///
/// Asked of convolutions, normalisations and slopes behind five orders of the axes: all are wrong, but for a slope of one element.
pub(super) fn of_channels(asked: &Asked<'_>) -> Option<Does> {
    let slope = asked.meaning.kind == Kind::Slope;
    if slope && asked.elements(1) == Some(1) {
        return None;
    }
    let data = asked.node.input(0)?;
    let axis = asked.facts.lacking(data).or_else(|| asked.facts.batch(data)).filter(|axis| *axis != 0)?;
    Some(Does::Garbled(format!("treats axis {axis} as the batch, so another axis is the channels").into()))
}

/// Returns the axis of the batch of the result; of one to which a repair gives another rank, that of an operand.
fn of_result(asked: &Asked<'_>, rank: usize) -> Option<usize> {
    let output = asked.node.output(0)?;
    let own = asked.shape(output).and_then(SymbolicShape::rank);
    if own.is_none_or(|own| own == rank) {
        return asked.facts.batch(output);
    }
    asked.batches.iter().copied().flatten().next()
}

/// Returns the axis of the batch of an operand; one that a repair gives another form gets that of the result.
fn label(asked: &Asked<'_>, k: usize, of_result: Option<usize>, rank: usize) -> Option<usize> {
    let own = asked.value(k).and_then(|value| asked.shape(value));
    let changed = own.is_some_and(|own| *own != asked.operands[k]);
    let known = asked.batches.get(k).copied().flatten();
    known.or_else(|| of_result.filter(|_| changed && rank > 1 && asked.operands.rank(k) == Some(rank)))
}

/// Returns the axis that an operand with a batch does not have in ncnn, where the node needs it without one.
pub(super) fn lacking(asked: &Asked<'_>, k: usize) -> Option<usize> {
    let label = asked.batches.get(k).copied().flatten()?;
    // A repair may give an operand another form, and the batch another axis.
    let own = asked.value(k).filter(|value| asked.facts.batch(*value) == Some(label));
    own.and_then(|value| asked.facts.lacking(value)).or(Some(label))
}

/// Finds an axis that does not meet the same axis of the other operands, or comes to another place in the result; axes of
/// 1 fit everywhere.
fn meet(tensors: &[Met<'_>], most: usize, rank: usize) -> Option<usize> {
    // Where an axis of the result is in ncnn's tensors; the batch is in front of all.
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for tensor in tensors {
        let own = tensor.dims.len();
        let lower = most - (own - usize::from(tensor.batch.is_some()));
        for (axis, _) in tensor.dims.iter().enumerate().filter(|(_, dim)| dim.size() != Some(1)) {
            let place = match tensor.batch {
                Some(batch) if batch == axis => 0,
                Some(batch) if batch < axis => axis + lower,
                _ => axis + lower + 1,
            };
            if *places.entry(axis + rank - own).or_insert(place) != place {
                return tensor.batch.or(Some(axis));
            }
        }
    }
    let sorted: Vec<(&usize, &usize)> = places.iter().collect();
    let mixed = sorted.windows(2).find(|pair| pair[0].1 >= pair[1].1).map(|pair| *pair[1].0);
    mixed.or_else(|| sorted.iter().find(|(axis, place)| **place == 0 && **axis > 0).map(|(axis, _)| **axis))
}

/// Finds tensors that are stretched along their batch, which ncnn's tensors do not have.
pub(super) fn stretched(asked: &Asked<'_>) -> Option<Does> {
    let axis = lacking(asked, 0)?;
    let from = asked.operands[0].dims();
    let to = asked.node.output(0).and_then(|value| asked.shape(value)).and_then(SymbolicShape::dims);
    let given = asked.node.input(1).and_then(|value| asked.sizes(value)).and_then(|sizes| sizes.first().copied());
    let ranks = from.is_some_and(|from| given == Some(from.len()) && to.is_some_and(|to| to.len() == from.len()));
    let at = |dims: Option<&[Dim]>| dims.and_then(|dims| dims.get(axis)).and_then(Dim::size);
    match (ranks, at(from), at(to)) {
        (true, Some(from), Some(to)) if from == to => None,
        (true, Some(_), Some(_)) => {
            Some(Does::Garbled("does not stretch the batch, which is not an axis of its tensors".into()))
        }
        _ if ranks && from.and_then(|dims| dims.get(axis)) == to.and_then(|dims| dims.get(axis)) => None,
        _ => {
            let text = "computes each batch entry alone, and this node stretches the batch";
            Some(Does::Unknown(text.into()))
        }
    }
}

/// The axis of every value that pnnx treats as the batch; nothing where no target asks for it.
#[derive(Clone, Debug, Default)]
pub(in crate::profiles) struct Batches {
    of: Vec<Option<usize>>,
    /// The axis that ncnn's tensor does not have.
    lacking: Vec<Option<usize>>,
    /// Which values it comes to, those of rank 1 as well.
    reached: Vec<bool>,
    /// Whether it is an axis that an input of the model does not have.
    beyond: bool,
}

impl Batches {
    /// Follows the batch through a model as pnnx does; `folded` are the values that are constants to it.
    pub(in crate::profiles) fn of(model: &Model, shapes: &Shapes, uses: &Uses, folded: &[bool]) -> Self {
        let view = View::new(model, shapes, uses, folded);
        let axis = |label: Option<Label>| match label {
            Some(Label::Axis(axis)) => Some(axis),
            _ => None,
        };
        let labels: Vec<Option<usize>> = search(&view).into_iter().map(axis).collect();
        let reached = labels.iter().map(Option::is_some).collect();
        let ranks = shapes.of.iter().map(|known| known.shape.rank());
        let of = labels.into_iter().zip(ranks);
        let of: Vec<Option<usize>> =
            of.map(|(label, rank)| label.filter(|_| rank.is_none_or(|rank| rank > 1))).collect();
        let lacking = layout::axes(&view, &of);
        let rank = |value: &ValueId| shapes.of[value.0 as usize].shape.rank();
        let beyond = |value: &ValueId| of[value.0 as usize].zip(rank(value)).is_some_and(|(axis, rank)| axis >= rank);
        let beyond = model.main().inputs.iter().any(beyond);
        Self { of, lacking, reached, beyond }
    }

    /// Says whether it is an axis that an input of the model does not have.
    pub(in crate::profiles) fn is_beyond(&self) -> bool {
        self.beyond
    }

    /// Returns the axis that ncnn's tensor of a value does not have.
    pub(in crate::profiles) fn lacking(&self, value: ValueId) -> Option<usize> {
        self.lacking.get(value.0 as usize).copied().flatten()
    }

    /// Says whether a value, of whatever rank, has one.
    pub(in crate::profiles) fn reaches(&self, value: ValueId) -> bool {
        self.reached.get(value.0 as usize).copied().unwrap_or(false)
    }

    /// Returns the batch axis of a value.
    pub(in crate::profiles) fn get(&self, value: ValueId) -> Option<usize> {
        self.of.get(value.0 as usize).copied().flatten()
    }
}
