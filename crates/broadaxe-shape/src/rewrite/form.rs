//! The ways to write an operand of an alignment: all hold the same elements in the same order.

use alloc::{vec, vec::Vec};

use crate::align::Alignment;

/// How operands are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As they are.
    Own,
    /// From the first axis that the operand feeds to the last axis of the result: for rules that align to the right.
    Right,
    /// On all axes of the result: for rules that want equal ranks.
    Full,
    /// The first operand on all axes, the others on those from the first to the last that they feed: for rules with `axis`.
    Run,
    /// As [`Form::Run`], from the first to the last extent that is not 1: for rules in which nothing stretches.
    Core,
    /// With neighbouring axes merged that stretch alike, and one axis at least: for rules with few axes.
    Merged,
}

/// Lists the forms, in the order in which they are tried.
pub(super) fn forms() -> &'static [Form] {
    &[Form::Own, Form::Right, Form::Full, Form::Run, Form::Core, Form::Merged]
}

impl Form {
    /// Returns the dims of operand `k` in this form; `first` says that it is the target's first operand.
    pub(super) fn write(self, meant: &Alignment, k: usize, first: bool) -> Vec<usize> {
        let operand = &meant.operands()[k];
        let full = padded(meant, k);
        let run = |axes: &[usize]| match (axes.first(), axes.last()) {
            (Some(&from), Some(&to)) => full[from..=to].to_vec(),
            _ => vec![],
        };
        match self {
            Self::Own => operand.shape().to_vec(),
            Self::Right => operand.axes().first().map_or_else(Vec::new, |&from| full[from..].to_vec()),
            Self::Run if !first => run(operand.axes()),
            Self::Core if !first => {
                let core: Vec<usize> = (0..full.len()).filter(|&axis| full[axis] != 1).collect();
                run(&core)
            }
            Self::Full | Self::Run | Self::Core => full,
            Self::Merged => merged(meant, &full),
        }
    }
}

/// Returns operand `k`'s extents over the result, 1 where it does not feed an axis.
fn padded(meant: &Alignment, k: usize) -> Vec<usize> {
    let operand = &meant.operands()[k];
    let mut full = vec![1; meant.shape().len()];
    for (&axis, &extent) in operand.axes().iter().zip(operand.shape().iter()) {
        full[axis] = extent;
    }
    full
}

/// Merges axes on which every operand either has the result's extent, or stretches; axes of 1 join any neighbour.
fn merged(meant: &Alignment, full: &[usize]) -> Vec<usize> {
    let all: Vec<Vec<usize>> = (0..meant.operands().len()).map(|k| padded(meant, k)).collect();
    let mut last: Option<Vec<bool>> = None;
    let mut dims: Vec<usize> = Vec::new();
    for (axis, &extent) in meant.shape().iter().enumerate().filter(|&(_, &extent)| extent != 1) {
        let pattern: Vec<bool> = all.iter().map(|own| own[axis] == extent).collect();
        match dims.last_mut() {
            Some(dim) if last.as_ref() == Some(&pattern) => *dim = dim.wrapping_mul(full[axis]),
            _ => dims.push(full[axis]),
        }
        last = Some(pattern);
    }
    if dims.is_empty() { vec![1] } else { dims }
}
