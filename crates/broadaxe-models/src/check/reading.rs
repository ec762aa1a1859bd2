//! Computes which element of each operand goes into each element of the result, and where two readings differ first.

use broadaxe_shape::{Alignment, contiguous_strides};

/// Says how the operands of a node are read: the result's shape and, per operand, its strides over it, in elements, and the number of
/// elements of each axis after which a tiled operand starts again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) shape: Vec<usize>,
    pub(super) strides: Vec<Vec<isize>>,
    periods: Vec<Vec<usize>>,
}

/// The period of an axis along which an operand is not tiled.
const ENDLESS: usize = usize::MAX;

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
        let shape = alignment.shape().to_vec();
        let (mut strides, mut periods) = (Vec::new(), Vec::new());
        for k in 0..alignment.operands().len() {
            let steps = alignment.steps(k);
            strides.push(steps.iter().map(|&(stride, _)| stride).collect());
            let tiled = |(&(_, period), &dim): (&(isize, usize), &usize)| 1 < period && period < dim;
            let period = |at: (&(isize, usize), &usize)| if tiled(at) { at.0.1 } else { ENDLESS };
            periods.push(steps.iter().zip(&shape).map(period).collect());
        }
        Self { shape, strides, periods }
    }

    /// Makes the reading of two operands of which one is a list along an axis of the other; nothing if there is no such axis.
    pub(super) fn list(data: &[usize], operand: usize, axis: usize) -> Option<Self> {
        let extent = *data.get(axis)?;
        let mut strides = vec![0; data.len()];
        strides[axis] = isize::from(extent != 1);
        let mut strides = vec![dense(data), strides];
        if operand == 0 {
            strides.reverse();
        }
        Some(Self { shape: data.to_vec(), strides, periods: vec![vec![ENDLESS; data.len()]; 2] })
    }

    /// Makes the reading in which all operands but the first are read as the first one's last `axes` axes, in row-major
    /// order; nothing if the number of elements differs.
    pub(super) fn flat(own: &Alignment, axes: usize) -> Option<Self> {
        let mut reading = Self::of(own);
        let first = reading.shape.len().checked_sub(axes)?;
        let dims = &reading.shape[first..];
        let count: usize = dims.iter().product();
        for (operand, strides) in own.operands().iter().zip(&mut reading.strides).skip(1) {
            if operand.shape().iter().product::<usize>() != count {
                return None;
            }
            *strides = vec![0; first];
            strides.extend(dense(dims));
        }
        Some(reading)
    }

    /// Makes the reading in which an operand is read as if it had the result's shape, whatever its own is.
    pub(super) fn overrun(own: &Alignment, operand: usize) -> Self {
        let mut reading = Self::of(own);
        if let Some(strides) = reading.strides.get_mut(operand) {
            *strides = dense(&reading.shape);
        }
        reading
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
            let turns = (0..self.strides.len().min(other.strides.len())).filter_map(|k| self.turn(other, k, axis));
            match (turns.min().filter(|&index| index < both), x[axis].cmp(&y[axis])) {
                (Some(index), _) => Some((axis, index)),
                (None, std::cmp::Ordering::Greater) => Some((axis, both)),
                (None, std::cmp::Ordering::Less) => Some((axis, 0)),
                (None, std::cmp::Ordering::Equal) => None,
            }
        })?;
        let element = (0..x.len()).map(|j| if j == axis { index } else { 0 }).collect();
        Some(Parting { element, axis: Some(axis) })
    }

    /// Finds the first index of an axis at which an operand is read differently.
    fn turn(&self, other: &Self, k: usize, axis: usize) -> Option<usize> {
        let (one, two) = (self.periods[k][axis], other.periods[k][axis]);
        if self.strides[k][axis] != other.strides[k][axis] {
            Some(1)
        } else if one != two {
            Some(one.min(two))
        } else {
            None
        }
    }

    /// Returns the position in each operand that an element reads; nothing if the result has no such element.
    pub(super) fn positions(&self, element: &[usize]) -> Option<Vec<usize>> {
        let within = self.shape.len() == element.len() && self.shape.iter().zip(element).all(|(dim, at)| at < dim);
        let position = |(strides, periods): (&Vec<isize>, &Vec<usize>)| -> usize {
            let steps = strides.iter().zip(periods).zip(element);
            let terms = steps.map(|((stride, period), at)| stride.unsigned_abs().wrapping_mul(*at % period));
            terms.fold(0, usize::wrapping_add)
        };
        within.then(|| self.strides.iter().zip(&self.periods).map(position).collect())
    }
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
        assert_eq!(list.strides, [[12, 4, 1], [0, 1, 0]]);
        assert_eq!(list.positions(&[1, 2, 3]), Some(vec![23, 2]));
        assert_eq!(list.positions(&[1, 3, 3]), None);
        assert_eq!(Reading::list(&[2], 1, 1), None);
        assert_eq!(index(5, &[2, 3]), [1, 2]);
        assert_eq!(index(7, &[2, 3]), [2, 1]);
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
