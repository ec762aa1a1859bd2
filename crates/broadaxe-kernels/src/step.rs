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
    /// In the order in which the kernel's loops take them.
    pub(crate) args: Vec<Slot>,
}

impl Step {
    /// Makes a step.
    pub fn new(kernel: &'static Kernel, args: impl Into<Vec<Slot>>) -> Self {
        let mut args = args.into();
        if kernel.exchanged && args.len() == 2 {
            args.swap(0, 1);
        }
        Self { kernel, args }
    }
}
