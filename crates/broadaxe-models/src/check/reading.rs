//! Computes which element of each operand goes into each element of the result, and where two readings differ first.

use broadaxe_shape::{Alignment, contiguous_strides};

use crate::profiles::IndexTerm;

/// How many steps along an axis are compared one by one; behind them only those are at which a term turns.
const COMPARED: usize = 1 << 12;
/// How many turns of a term are compared.
const TURNS: usize = 64;

/// Says how the operands of a node are read: the result's shape and, per operand, the terms whose sum is the position
/// of the element that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) shape: Vec<usize>,
    pub(super) operands: Vec<Vec<IndexTerm>>,
}

/// The first element, in row-major order, on which two readings part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parting {
    /// Its index; empty where there is no element, but two shapes.
    pub(super) element: Vec<usize>,
    /// The axis on which the readings part; none where the results have other ranks.
    pub(super) axis: Option<usize>,
}

impl Reading {
    pub(super) fn of(alignment: &Alignment) -> Self {
        let operands = (0..alignment.operands().len()).map(|k| IndexTerm::all_of(alignment, k)).collect();
        Self { shape: alignment.shape().to_vec(), operands }
    }

    /// Makes the reading of two operands of which one is a list along an axis of the other; nothing if there is no such axis.
    pub(super) fn list(data: &[usize], operand: usize, axis: usize) -> Option<Self> {
        let extent = *data.get(axis)?;
        let list = if extent == 1 { vec![] } else { vec![IndexTerm::along(axis, 1)] };
        let mut operands = vec![linear(0, &dense(data)), list];
        if operand == 0 {
            operands.reverse();
        }
        Some(Self { shape: data.to_vec(), operands })
    }

    /// Makes the reading in which all operands but the first are read as the first one's last `axes` axes, in row-major
    /// order; nothing if the number of elements differs.
    pub(super) fn flat(own: &Alignment, axes: usize) -> Option<Self> {
        let mut reading = Self::of(own);
        let first = reading.shape.len().checked_sub(axes)?;
        let dims = &reading.shape[first..];
        let count: usize = dims.iter().product();
        for (operand, terms) in own.operands().iter().zip(&mut reading.operands).skip(1) {
            if operand.shape().iter().product::<usize>() != count {
                return None;
            }
            *terms = linear(first, &dense(dims));
        }
        Some(reading)
    }

    /// Makes the reading in which an operand is read as if it had the shape of the result's last axes, whatever its own is.
    pub(super) fn overrun(own: &Alignment, operand: usize, axes: usize) -> Option<Self> {
        let mut reading = Self::of(own);
        let first = reading.shape.len().checked_sub(axes)?;
        let terms = linear(first, &dense(&reading.shape[first..]));
        *reading.operands.get_mut(operand)? = terms;
        Some(reading)
    }

    /// Finds the first element on which another reading of the same operands parts from this one.
    pub(super) fn parting(&self, other: &Self) -> Option<Parting> {
        let (x, y) = (&self.shape, &other.shape);
        if x.len() != y.len() {
            return Some(Parting { element: if x.contains(&0) { vec![] } else { vec![0; x.len()] }, axis: None });
        }
        if x.contains(&0) || y.contains(&0) {
            let axis = (0..x.len()).find(|&axis| x[axis] != y[axis])?;
            return Some(Parting { element: if x.contains(&0) { vec![] } else { vec![0; x.len()] }, axis: Some(axis) });
        }
        let (axis, index) = (0..x.len()).rev().find_map(|axis| {
            let both = x[axis].min(y[axis]);
            match (self.turn(other, axis, both), x[axis].cmp(&y[axis])) {
                (Some(index), _) => Some((axis, index)),
                (None, std::cmp::Ordering::Greater) => Some((axis, both)),
                (None, std::cmp::Ordering::Less) => Some((axis, 0)),
                (None, std::cmp::Ordering::Equal) => None,
            }
        })?;
        let element = (0..x.len()).map(|j| if j == axis { index } else { 0 }).collect();
        Some(Parting { element, axis: Some(axis) })
    }

    /// Finds the first index below `extent` on an axis at which an operand is read elsewhere, all other indices being 0.
    ///
    /// Between two turns of its terms a position grows evenly, so only the first steps and the turns are compared.
    fn turn(&self, other: &Self, axis: usize, extent: usize) -> Option<usize> {
        let on_axis = |terms: &[IndexTerm]| terms.iter().filter(|term| term.axis == axis).copied().collect::<Vec<_>>();
        let pairs = self.operands.iter().zip(&other.operands).map(|(a, b)| (on_axis(a), on_axis(b)));
        let pairs: Vec<(Vec<IndexTerm>, Vec<IndexTerm>)> = pairs.filter(|(a, b)| a != b).collect();
        let terms = || pairs.iter().flat_map(|(a, b)| a.iter().chain(b));
        if extent < 2 || pairs.is_empty() {
            return None;
        }
        let plain = terms().all(|term| term.step == 1 && term.period.is_none());
        let mut indices: Vec<usize> = if plain { vec![1] } else { (1..extent.min(COMPARED)).collect() };
        let lengths =
            terms().flat_map(|term| [Some(term.step), term.period.map(|period| period.saturating_mul(term.step))]);
        let turns = lengths.flatten().flat_map(|length| (1..TURNS).map(move |k| k.saturating_mul(length)));
        indices.extend(turns.filter(|index| !plain && *index < extent));
        indices.sort_unstable();
        let at =
            |terms: &[IndexTerm], index: usize| terms.iter().map(|term| term.at(index)).fold(0, usize::wrapping_add);
        { indices }.into_iter().find(|&index| pairs.iter().any(|(a, b)| at(a, index) != at(b, index)))
    }

    /// Returns the position in each operand that an element reads; nothing if the result has no such element.
    pub(super) fn positions(&self, element: &[usize]) -> Option<Vec<usize>> {
        let within = self.shape.len() == element.len() && self.shape.iter().zip(element).all(|(dim, at)| at < dim);
        let position =
            |terms: &Vec<IndexTerm>| terms.iter().map(|term| term.at(element[term.axis])).fold(0, usize::wrapping_add);
        within.then(|| self.operands.iter().map(position).collect())
    }
}

/// Makes the terms of strides along the axes from `first` on.
fn linear(first: usize, strides: &[isize]) -> Vec<IndexTerm> {
    let terms = strides.iter().enumerate().map(|(axis, stride)| IndexTerm::along(first + axis, stride.unsigned_abs()));
    terms.filter(|term| term.stride != 0).collect()
}

/// Returns the strides of dense data, 0 along axes of 1.
fn dense(dims: &[usize]) -> Vec<isize> {
    contiguous_strides(dims).into_iter().zip(dims).map(|(stride, &dim)| if dim == 1 { 0 } else { stride }).collect()
}

/// Returns the index of an element of an operand from its position; one past the end keeps its position on the first axis.
pub(super) fn index(position: usize, dims: &[usize]) -> Vec<usize> {
    let mut rest = position;
    let mut index: Vec<usize> = contiguous_strides(dims)
        .iter()
        .map(|stride| {
            let stride = stride.unsigned_abs().max(1);
            let at = rest / stride;
            rest %= stride;
            at
        })
        .collect();
    if index.is_empty() && position > 0 {
        index.push(position);
    }
    index
}

#[cfg(test)]
mod tests {
    use broadaxe_shape::Rule;

    use super::*;

    fn reading(rule: &Rule, shapes: &[&[usize]]) -> Reading {
        Reading::of(&rule.align(shapes).expect("these shapes broadcast"))
    }

    #[test]
    fn where_readings_part() {
        let numpy = Rule::numpy();
        type Case<'a> = (Rule, &'a [&'a [usize]], Option<(&'a [usize], Option<usize>)>);
        let cases: &[Case<'_>] = &[
            (Rule::ncnn(), &[&[2], &[2, 2]], Some((&[0, 1], Some(1)))),
            (Rule::ncnn(), &[&[2], &[2, 1]], Some((&[0, 1], Some(1)))),
            (Rule::ncnn(), &[&[4, 3, 2], &[2]], None),
            (Rule::openvino_prelu(), &[&[2, 4, 4], &[4]], Some((&[0, 0, 1], Some(2)))),
            (Rule::pdpd(1), &[&[2, 3, 3], &[3, 1]], None),
            (Rule::pdpd(0), &[&[3, 3], &[3]], Some((&[0, 1], Some(1)))),
        ];
        for (rule, shapes, want) in cases {
            let found = reading(&numpy, shapes).parting(&reading(rule, shapes));
            let want = want.map(|(element, axis)| Parting { element: element.to_vec(), axis });
            assert_eq!(found, want, "{rule} of {shapes:?}");
        }
    }

    #[test]
    fn a_list_is_read_along_its_axis() {
        let list = Reading::list(&[2, 3, 4], 1, 1).expect("a list has an axis 1");
        let along = |strides: &[isize]| linear(0, strides);
        assert_eq!(list.operands, [along(&[12, 4, 1]), along(&[0, 1, 0])]);
        assert_eq!(list.positions(&[1, 2, 3]), Some(vec![23, 2]));
        assert_eq!(list.positions(&[1, 3, 3]), None);
        assert_eq!(Reading::list(&[2], 1, 1), None);
        assert_eq!(index(5, &[2, 3]), [1, 2]);
        assert_eq!(index(7, &[2, 3]), [2, 1]);
    }

    /// The first index at which two readings of one operand part, against all positions.
    #[test]
    fn terms_that_turn_part_where_their_positions_do() {
        let term = |step: usize, period: Option<usize>, stride: usize| IndexTerm { axis: 0, step, period, stride };
        let plain = vec![term(1, None, 1)];
        let tables: [Vec<IndexTerm>; 8] = [
            plain,
            vec![],
            vec![term(1, Some(2), 1)],
            vec![term(2, None, 1)],
            vec![term(1, Some(3), 2), term(3, None, 1)],
            vec![term(2, None, 2), term(1, Some(2), 1)],
            vec![term(3, Some(2), 1)],
            vec![term(1, Some(5), 1)],
        ];
        let reading = |terms: &Vec<IndexTerm>, extent| Reading { shape: vec![extent], operands: vec![terms.clone()] };
        for (a, b) in tables.iter().flat_map(|a| tables.iter().map(move |b| (a, b))) {
            for extent in 1..20 {
                let (a, b) = (reading(a, extent), reading(b, extent));
                let want = (0..extent).find(|&at| a.positions(&[at]) != b.positions(&[at]));
                assert_eq!(a.parting(&b).map(|parting| parting.element), want.map(|at| vec![at]), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn results_of_other_shapes_part() {
        let (a, b): (&[usize], &[usize]) = (&[0], &[1]);
        let (empty, one) = (reading(&Rule::numpy(), &[a, a]), reading(&Rule::numpy(), &[b, b]));
        assert_eq!(empty.parting(&one), Some(Parting { element: vec![], axis: Some(0) }));
        assert_eq!(one.parting(&empty), Some(Parting { element: vec![0], axis: Some(0) }));
        assert_eq!(empty.parting(&empty), None);
    }
}
