//! Plans the loops over an alignment and strides.
//!
//! Axes of one element are dropped; the rest are ordered by the result's stride, the largest outermost; neighbours whose strides fit
//! together for every operand become one loop. Most real broadcasts need one to three loops then. Which of them make up a tile
//! is decided where tiles are run.

use broadaxe_kernels::{DType, Decisions, HasKernels, Nest, Program, Schedule, Slot, Step, copy, find};
use broadaxe_shape::Alignment;

use crate::error::Error;

/// The merged loops of a broadcast, and which axes of the result went into each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    nest: Nest,
    /// Per loop, the (axis, extent) pairs it walks, the slowest first.
    groups: Vec<Vec<(usize, usize)>>,
    rank: usize,
}

impl Plan {
    /// Plans a result of this shape with these strides, from inputs with these strides over it (all in bytes).
    ///
    /// # Panics
    /// When an operand does not have one stride per axis.
    pub fn new(shape: &[usize], output: &[isize], inputs: &[Vec<isize>]) -> Self {
        assert!(
            output.len() == shape.len() && inputs.iter().all(|strides| strides.len() == shape.len()),
            "one stride per axis"
        );
        let mut axes: Vec<usize> = (0..shape.len()).filter(|&axis| shape[axis] != 1).collect();
        axes.sort_by_key(|&axis| std::cmp::Reverse(output[axis].unsigned_abs()));
        let mut nest = Nest { dims: Vec::new(), output: Vec::new(), inputs: vec![Vec::new(); inputs.len()] };
        let mut groups: Vec<Vec<(usize, usize)>> = Vec::new();
        for axis in axes {
            let dim = shape[axis];
            let continues = |outer: Option<&isize>, inner: isize| {
                outer.is_some_and(|&outer| inner.checked_mul(dim as isize) == Some(outer))
            };
            let merges = continues(nest.output.last(), output[axis])
                && nest.inputs.iter().zip(inputs).all(|(n, s)| continues(n.last(), s[axis]));
            if let (true, Some(last), Some(group)) = (merges, nest.dims.last_mut(), groups.last_mut()) {
                *last *= dim;
                group.push((axis, dim));
                nest.output.pop();
                for strides in &mut nest.inputs {
                    strides.pop();
                }
            } else {
                nest.dims.push(dim);
                groups.push(vec![(axis, dim)]);
            }
            nest.output.push(output[axis]);
            nest.inputs.iter_mut().zip(inputs).for_each(|(n, s)| n.push(s[axis]));
        }
        Self { nest, groups, rank: shape.len() }
    }

    /// Decides how the operands would be added up: in which pieces, which of them packed.
    ///
    /// # Errors
    /// [`Layout`](crate::ErrorKind::Layout) when elements of the result would share memory, [`Argument`](crate::ErrorKind::Argument) for a `BROADAXE_ISA` that is not here.
    pub fn decisions(&self, dtype: DType) -> Result<Decisions, Error> {
        let kernel = find("add").and_then(|op| op.kernel(dtype)).or_else(|| find("logical_or")?.kernel(dtype));
        let count = self.nest.inputs.len();
        let sum = |kernel| {
            let first = |k: usize| if k == 1 { Slot::Input(0) } else { Slot::Step(k - 2) };
            (1..count).map(|k| Step::new(kernel, [first(k), Slot::Input(k)])).collect::<Vec<_>>()
        };
        let steps = match kernel {
            Some(kernel) if count > 1 => sum(kernel),
            _ => vec![Step::new(copy(dtype), [Slot::Input(0)])],
        };
        let program = Program::new(vec![dtype; count], steps);
        let Some(program) = program else { unreachable!("every step has the same dtype") };
        Ok(Schedule::new(&program, &self.nest)?.decisions())
    }

    /// Returns the loops.
    pub fn nest(&self) -> &Nest {
        &self.nest
    }

    /// Plans the result of an alignment in which an operand is tiled: the output's strides are over the result, those of the inputs over
    /// [`Alignment::loop_shape`].
    ///
    /// # Panics
    /// As [`Plan::new`].
    pub fn tiled(alignment: &Alignment, output: &[isize], inputs: &[Vec<isize>]) -> Self {
        let (result, loops) = (alignment.shape(), alignment.loop_shape());
        let mut plan = Self::new(&loops, &alignment.split(output), inputs);
        let mut of = Vec::new();
        for (axis, &dim) in result.iter().enumerate() {
            let parts = if loops[of.len()] == dim { 1 } else { 2 };
            of.extend(std::iter::repeat_n(axis, parts));
        }
        plan.groups.iter_mut().flatten().for_each(|(axis, _)| *axis = of[*axis]);
        plan.rank = result.len();
        plan
    }

    /// Returns, per loop, the axes of the result that it walks.
    pub fn axes(&self) -> Vec<Vec<usize>> {
        let axes = |group: &Vec<(usize, usize)>| {
            let mut axes: Vec<usize> = group.iter().map(|&(axis, _)| axis).collect();
            axes.dedup();
            axes
        };
        self.groups.iter().map(axes).collect()
    }

    /// Returns the index in the result of the element that the loops reach as number `element`.
    pub fn index(&self, mut element: u64) -> Vec<usize> {
        // An axis that two loops walk is counted by the inner one first.
        let (mut index, mut weights) = (vec![0; self.rank], vec![1; self.rank]);
        for &(axis, dim) in self.groups.iter().rev().flat_map(|group| group.iter().rev()) {
            index[axis] += (element % dim as u64) as usize * weights[axis];
            weights[axis] *= dim;
            element /= dim as u64;
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_merge_where_every_operand_allows() {
        struct Case {
            shape: &'static [usize],
            output: &'static [isize],
            input: &'static [isize],
            dims: &'static [usize],
        }
        let cases = [
            Case { shape: &[2, 3, 4], output: &[12, 4, 1], input: &[12, 4, 1], dims: &[24] },
            Case { shape: &[2, 3, 4], output: &[12, 4, 1], input: &[0, 4, 1], dims: &[2, 12] },
            Case { shape: &[2, 3, 4], output: &[12, 4, 1], input: &[0, 0, 0], dims: &[24] },
            Case { shape: &[2, 1, 4], output: &[4, 4, 1], input: &[4, 9, 1], dims: &[8] },
            Case { shape: &[2, 3], output: &[1, 2], input: &[1, 2], dims: &[6] },
            Case { shape: &[1, 1], output: &[1, 1], input: &[0, 0], dims: &[] },
            Case { shape: &[2, 3], output: &[3, 1], input: &[-3, -1], dims: &[6] },
        ];
        for case in cases {
            let plan = Plan::new(case.shape, case.output, &[case.input.to_vec()]);
            assert_eq!(plan.nest().dims, case.dims, "{:?} {:?}", case.shape, case.input);
        }
    }

    #[test]
    fn index_undoes_order_and_merging() {
        let plan = Plan::new(&[2, 1, 3], &[1, 9, 2], &[]);
        assert_eq!((0..6).map(|e| plan.index(e)).nth(3), Some(vec![1, 0, 1]));
        let plan = Plan::new(&[2, 3, 4], &[12, 4, 1], &[vec![0, 4, 1]]);
        assert_eq!(plan.index(17), [1, 1, 1]);
    }
}
