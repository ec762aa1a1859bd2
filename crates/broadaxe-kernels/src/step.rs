//! Steps: kernels and the sources of their operands.

use crate::loops::Kernel;

/// The source of an operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The input of this number.
    Input(usize),
    /// The result of this step, which is an earlier one.
    Step(usize),
}

/// One kernel of a program, and its operands.
#[derive(Clone)]
pub struct Step {
    pub(crate) kernel: &'static Kernel,
    /// In the order in which the kernel's loops read them.
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
