//! What a node does to the axis of the batch, as pnnx's `solve_batch_index` sees it.

use broadaxe_shape::{Dim, SymbolicShape};

/// What pnnx says of the batch of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    /// It is this axis.
    Axis(usize),
    /// The value has none.
    Without,
}

/// How a node passes the axis on.
#[derive(Debug)]
pub(super) enum Passage {
    /// It does not: it has an axis of its own, or is none of pnnx's.
    Stop,
    /// Every tensor of the node has the same axis, whatever the node does.
    Keep,
    Transpose(Vec<usize>),
    /// The first and the last extent are written as 1.
    Reshape(bool, bool),
    /// These axes become one.
    Flatten(usize, usize),
    /// The axes before this one become one, and the others become one.
    Matrix(usize),
    Squeeze(Vec<usize>),
    Unsqueeze(usize),
    Select(usize),
}

impl Passage {
    /// Follows the axis of the first operand to the result; nothing where pnnx says nothing.
    pub(super) fn forward(
        &self,
        axis: usize,
        from: Option<&SymbolicShape>,
        to: Option<&SymbolicShape>,
    ) -> Option<Label> {
        Some(match self {
            Self::Stop => return None,
            Self::Keep => Label::Axis(axis),
            Self::Transpose(order) => order.iter().position(|from| *from == axis).map_or(Label::Without, Label::Axis),
            Self::Reshape(first, last) => Label::Axis(reshaped(axis, from?, to?, (*first, *last))?),
            Self::Flatten(start, end) if (*start..=*end).contains(&axis) => Label::Without,
            Self::Flatten(start, end) => Label::Axis(if axis > *end { axis - (end - start) } else { axis }),
            Self::Matrix(at) => (axis >= *at).then_some(Label::Without)?,
            Self::Squeeze(axes) if axes.contains(&axis) => Label::Without,
            Self::Squeeze(axes) => Label::Axis(axis - axes.iter().filter(|at| **at < axis).count()),
            Self::Unsqueeze(at) => Label::Axis(axis + usize::from(*at <= axis)),
            Self::Select(at) if *at == axis => Label::Without,
            Self::Select(at) => Label::Axis(axis - usize::from(*at < axis)),
        })
    }

    /// Follows the axis of the result back to the first operand.
    pub(super) fn backward(
        &self,
        axis: usize,
        from: Option<&SymbolicShape>,
        to: Option<&SymbolicShape>,
    ) -> Option<Label> {
        Some(match self {
            Self::Stop | Self::Matrix(_) => return None,
            Self::Keep => Label::Axis(axis),
            Self::Transpose(order) => Label::Axis(*order.get(axis)?),
            Self::Reshape(first, last) => {
                let one = |shape: &SymbolicShape, last: bool| {
                    let dims = shape.dims();
                    let end = dims.and_then(|dims| if last { dims.last() } else { dims.first() });
                    end.and_then(Dim::size) == Some(1)
                };
                let ends = (*first && one(from?, false), *last && one(from?, true));
                Label::Axis(reshaped(axis, to?, from?, ends)?)
            }
            Self::Flatten(start, end) if axis == *start && start != end => return None,
            Self::Flatten(start, end) => Label::Axis(if axis > *start { axis + end - start } else { axis }),
            Self::Squeeze(axes) => {
                let rank = from?.rank()?;
                Label::Axis((0..rank).filter(|at| !axes.contains(at)).nth(axis)?)
            }
            Self::Unsqueeze(at) if *at == axis => Label::Without,
            Self::Unsqueeze(at) => Label::Axis(axis - usize::from(*at < axis)),
            Self::Select(at) => Label::Axis(axis + usize::from(*at <= axis)),
        })
    }
}

/// Returns where a reshape keeps a batch axis, as pnnx finds it: first or last if the extents there are equal, else where
/// as many elements are in front or behind; nothing where that is not clear.
pub(crate) fn kept(axis: usize, from: &SymbolicShape, to: &SymbolicShape) -> Option<usize> {
    let one = |dim: Option<&Dim>| dim.and_then(Dim::size) == Some(1);
    let dims = to.dims()?;
    reshaped(axis, from, to, (one(dims.first()), one(dims.last())))
}

/// Returns where a reshape keeps a batch axis; a batch of one is kept at an end only where the reshape writes a 1 there.
fn reshaped(axis: usize, from: &SymbolicShape, to: &SymbolicShape, ones: (bool, bool)) -> Option<usize> {
    let sizes =
        |shape: &SymbolicShape| -> Option<Vec<Option<usize>>> { Some(shape.dims()?.iter().map(Dim::size).collect()) };
    let (from, to) = (sizes(from)?, sizes(to)?);
    let size = *from.get(axis)?;
    let (first, last) = (*to.first()?, *to.last()?);
    let at_end = |end: Option<usize>, one: bool| if size == Some(1) { one } else { size.is_some() && end == size };
    if axis == 0 && at_end(first, ones.0) {
        return Some(0);
    }
    if axis + 1 == from.len() && at_end(last, ones.1) {
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
