//! Finds out which elements of an operand an engine reads: candidates are tried until one gives what the engine gives.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    super::{QuestionTensor, run::Tensor},
    bench::{PartRunner, Ran},
    gap::{OF_NODE, OF_NODES, gap},
    own,
};
use crate::{
    error::Error,
    graph::{NodeId, ValueId},
    meaning::{Kind, Meaning, Source},
};

/// The most candidates for one operand.
const MOST_CANDIDATES: usize = 24;
/// The most axes that are placed in all ways.
const MOST_PLACED_AXES: usize = 4;

/// Which elements an engine reads instead of the right ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Misread {
    /// Its axes longer than 1 feed these axes of the result.
    Axes(Vec<usize>),
    /// Its first element is read for all.
    First,
    /// Its first entry along this axis is read for all of them.
    FirstAlong(usize),
    /// Its elements are read one after the other, and again from the first.
    Repeated,
    /// Each of its elements is read for as many results in a row.
    InRows,
    /// It is left out.
    LeftOut,
}

/// An operand that is misread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandReading {
    /// The node that reads it.
    pub node: NodeId,
    /// Which of its inputs.
    pub input: usize,
    /// How.
    pub misread: Misread,
}

impl OperandReading {
    /// Says it in words: `reads s along axis 0`.
    pub fn text(&self, name: &str) -> String {
        match &self.misread {
            Misread::Axes(axes) => {
                let list: Vec<String> = axes.iter().map(ToString::to_string).collect();
                format!(
                    "reads {name} along ax{} {} of the result",
                    if axes.len() == 1 { "is" } else { "es" },
                    list.join(" and ")
                )
            }
            Misread::First => format!("reads the first element of {name} for all"),
            Misread::FirstAlong(axis) => format!("reads the first entry of {name} along its axis {axis} for all"),
            Misread::Repeated => format!("reads the elements of {name} one after the other, and again from the first"),
            Misread::InRows => format!("reads each element of {name} for several results in a row"),
            Misread::LeftOut => format!("leaves {name} out"),
        }
    }
}

/// Finds the reading that gives what an engine gave for `value`, which some nodes compute together.
///
/// # Errors
/// When the engine does not start.
pub(super) fn find(
    bench: &mut PartRunner<'_>,
    nodes: &[NodeId],
    value: ValueId,
    got: &Tensor,
) -> Result<Option<OperandReading>, Error> {
    for &node in nodes {
        let Some((meaning, operands, output)) = judged(bench, node) else { continue };
        let Some(result) = bench.value(output).map(|tensor| tensor.shape.clone()) else { continue };
        for source in &meaning.operands {
            let Source::Input(input) = *source else { continue };
            let Some(Some(operand)) = operands.get(input) else { continue };
            // Lists along one axis are read alike.
            let alike = |k: &usize| {
                let other = operands.get(*k).and_then(Option::as_ref);
                *k != input && meaning.kind.is_along_axes() && other.is_some_and(|other| other.shape == operand.shape)
            };
            let alike: Vec<usize> = (1..operands.len()).filter(alike).collect();
            for (misread, expanded) in candidates(operand, &result) {
                let mut others = operands.clone();
                others[input] = Some(expanded);
                for &k in &alike {
                    let of_other = operands[k].as_ref().map(|other| candidates(other, &result)).unwrap_or_default();
                    others[k] = of_other.into_iter().find(|(other, _)| *other == misread).map(|(_, expanded)| expanded);
                }
                let Ok(other) = own::of_operands(bench, node, &meaning, &others) else { continue };
                if gives(bench, (nodes, node, output), value, other, got)? {
                    return Ok(Some(OperandReading { node, input, misread }));
                }
                if bench.is_late() {
                    return Ok(None);
                }
            }
        }
    }
    Ok(None)
}

/// Returns what a node means, its operands and its result, where other operands can be tried.
fn judged(bench: &PartRunner<'_>, node: NodeId) -> Option<(Meaning, Vec<Option<QuestionTensor>>, ValueId)> {
    let meaning = own::meant(bench, node)?;
    let takes_any = !matches!(
        meaning.kind,
        Kind::Affine | Kind::Bias | Kind::Stretch | Kind::Bounds | Kind::Blocks | Kind::Lengths | Kind::Mask
    );
    let output = bench.model.node(node).output(0)?;
    takes_any.then_some((meaning, own::operands(bench, node)?, output))
}

/// Says whether the engine gives what it gave where a node has another result.
fn gives(
    bench: &mut PartRunner<'_>,
    (nodes, node, output): (&[NodeId], NodeId, ValueId),
    value: ValueId,
    other: Tensor,
    got: &Tensor,
) -> Result<bool, Error> {
    if output == value {
        return Ok(gap(&other, got, OF_NODE).is_none());
    }
    let Some(right) = bench.value(output).cloned() else { return Ok(false) };
    if right.shape != other.shape {
        return Ok(false);
    }
    bench.keep(output, other);
    let after: Vec<NodeId> = nodes.iter().copied().filter(|&other| other != node).collect();
    let part = bench.part(&after, &BTreeSet::from([output]), &[value]);
    let ran = part.map(|part| bench.run(&part)).transpose();
    bench.keep(output, right);
    match ran? {
        Some(Ran::Values(values)) => Ok(values.first().is_some_and(|there| gap(there, got, OF_NODES).is_none())),
        _ => Ok(false),
    }
}

/// Returns which element of an operand is read for an element of the result: its number, and its index.
type ReadElement = Box<dyn Fn(usize, &[usize]) -> usize>;

/// Lists ways to read an operand for a result of this shape, each with the operand stretched in this way.
fn candidates(operand: &QuestionTensor, result: &[usize]) -> Vec<(Misread, QuestionTensor)> {
    let count: usize = operand.shape.iter().product();
    let total: usize = result.iter().product();
    if count < 2 || total < count {
        return Vec::new();
    }
    let own = strides(&operand.shape);
    let long: Vec<usize> = (0..operand.shape.len()).filter(|&axis| operand.shape[axis] > 1).collect();
    let mut found: Vec<(Misread, ReadElement)> = Vec::new();
    if long.len() <= MOST_PLACED_AXES {
        for axes in placements(&long.iter().map(|&axis| operand.shape[axis]).collect::<Vec<_>>(), result) {
            let pairs: Vec<(usize, usize)> = axes.iter().copied().zip(long.iter().map(|&axis| own[axis])).collect();
            let at = move |_, index: &[usize]| pairs.iter().map(|&(axis, stride)| index[axis] * stride).sum();
            found.push((Misread::Axes(axes), Box::new(at)));
        }
    }
    found.push((Misread::First, Box::new(|_, _| 0)));
    for &axis in long.iter().filter(|_| long.len() > 1) {
        let (ndim, shape, own) = (operand.shape.len(), operand.shape.clone(), own.clone());
        let at = move |_, index: &[usize]| {
            // As the operand is aligned to the right, without this axis.
            let skip = index.len() - ndim.min(index.len());
            let taken = (0..ndim).filter(|&other| other != axis && shape[other] > 1);
            taken.map(|other| index.get(skip + other).map_or(0, |&at| at.min(shape[other] - 1) * own[other])).sum()
        };
        found.push((Misread::FirstAlong(axis), Box::new(at)));
    }
    found.push((Misread::Repeated, Box::new(move |at, _| at % count)));
    found.push((Misread::InRows, Box::new(move |at, _| at / total.div_ceil(count))));
    found.into_iter().take(MOST_CANDIDATES).map(|(misread, at)| (misread, stretched(operand, result, &at))).collect()
}

/// Stretches an operand to a shape; `at` says which element is read where, and what is past the end is the last.
fn stretched(operand: &QuestionTensor, shape: &[usize], at: &ReadElement) -> QuestionTensor {
    let (total, size) = (shape.iter().product(), operand.dtype.size());
    let count: usize = operand.shape.iter().product();
    let mut data = Vec::with_capacity(total * size);
    let mut index = vec![0; shape.len()];
    for k in 0..total {
        let from = at(k, &index).min(count - 1) * size;
        data.extend(&operand.data[from..from + size]);
        step(&mut index, shape);
    }
    QuestionTensor { shape: shape.to_vec(), data, ..operand.clone() }
}

/// Lists the ways to place axes of these sizes on axes of a shape that are as long.
fn placements(sizes: &[usize], shape: &[usize]) -> Vec<Vec<usize>> {
    let mut placed: Vec<Vec<usize>> = vec![Vec::new()];
    for &size in sizes {
        let mut next = Vec::new();
        for axes in &placed {
            let free = (0..shape.len()).filter(|axis| shape[*axis] == size && !axes.contains(axis));
            next.extend(free.map(|axis| axes.iter().copied().chain([axis]).collect::<Vec<_>>()));
        }
        placed = next;
    }
    placed
}

fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// Moves to the next index in row-major order.
fn step(index: &mut [usize], shape: &[usize]) {
    for (at, &dim) in index.iter_mut().zip(shape).rev() {
        *at += 1;
        if *at < dim {
            return;
        }
        *at = 0;
    }
}
