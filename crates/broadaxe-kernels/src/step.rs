//! Steps: kernels, and where they take their operands from.

use crate::loops::Kernel;

/// Where a step takes an operand from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The input of this number.
    Input(usize),
    /// The result of this step, an earlier one.
    Step(usize),
}

/// One kernel of a program, and what feeds it.
#[derive(Clone)]
pub struct Step {
    pub(crate) kernel: &'static Kernel,
    pub(crate) args: Vec<Slot>,
}

impl Step {
    /// Makes a step.
    pub fn new(kernel: &'static Kernel, args: impl Into<Vec<Slot>>) -> Self {
        Self { kernel, args: args.into() }
    }
}
