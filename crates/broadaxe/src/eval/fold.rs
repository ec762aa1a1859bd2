//! Stages that end in a reduction, which folds elements as the program computes them.

use broadaxe_kernels::{DType, Domain, Executor, Failure, Input, Program, Progress, Reduce, Reduction, Schedule};
use broadaxe_shape::Shape;
use once_cell::race::OnceBox;

use super::output;
use crate::array::Array;

/// A program and the fold of its result.
pub(super) struct Folding {
    pub(super) reduction: Reduction,
    /// The dtype of what is folded.
    pub(super) operand: DType,
    /// What computes the elements; none where they are those of the only leaf.
    pub(super) program: Option<Program>,
    /// The shape of what is folded, and the axes along which it is, ascending.
    pub(super) shape: Shape,
    pub(super) axes: Vec<usize>,
    pub(super) domain: Domain,
    /// How a row-major result is copied to where it belongs, decided the first time.
    pub(super) scatter: OnceBox<Schedule>,
}

impl Folding {
    fn reduce(&self) -> Reduce<'_> {
        let Self { reduction, operand, domain, .. } = self;
        Reduce { reduction: *reduction, operand: *operand, program: self.program.as_ref(), domain }
    }

    pub(super) fn run(
        &self,
        inputs: &[Input],
        out: &mut [u8],
        executor: &dyn Executor,
        progress: Option<Progress>,
    ) -> Result<(), Failure> {
        self.reduce().run(inputs, out, executor, progress)
    }

    /// Returns how to copy the result to where it belongs; the strides are always the same.
    pub(super) fn scatter(&self, from: &Array, strides: &[isize]) -> Result<&Schedule, Failure> {
        self.scatter.get_or_try_init(|| output::scatter(from, strides).map(Box::new))
    }

    /// Estimates the nanoseconds on one thread.
    pub(super) fn nanos(&self) -> u64 {
        self.reduce().nanos()
    }

    /// Returns the bytes of scratch memory.
    pub(super) fn scratch(&self, threads: usize) -> u64 {
        self.reduce().scratch(threads)
    }

    /// Returns the index of the element that the loops reach as number `element`, those that stay outermost.
    pub(super) fn index(&self, mut element: u64) -> Vec<usize> {
        let mut index = vec![0; self.shape.len()];
        for folded in [true, false] {
            let axes = (0..index.len()).rev().filter(|axis| self.axes.contains(axis) == folded);
            for axis in axes.collect::<Vec<_>>() {
                let dim = self.shape[axis].max(1) as u64;
                index[axis] = (element % dim) as usize;
                element /= dim;
            }
        }
        index
    }
}
