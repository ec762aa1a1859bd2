//! The kernels of an operator.

use crate::loops::Kernel;

#[cfg(test)]
pub(crate) mod unit_tests;

/// The kernels of an operator, one per dtype of its last operand.
#[derive(Clone, Copy)]
pub(crate) struct Kernels(pub(crate) [Option<Kernel>; 13]);

impl Kernels {
    /// Marks that these kernels are those of another operator, with exchanged operands.
    pub(crate) const fn exchanged(mut self) -> Self {
        let mut i = 0;
        while i < self.0.len() {
            if let Some(kernel) = &mut self.0[i] {
                kernel.exchanged = true;
            }
            i += 1;
        }
        self
    }

    /// Marks that the operator needs few instructions, although its results are not exact.
    pub(crate) const fn quick(mut self) -> Self {
        let mut i = 0;
        while i < self.0.len() {
            if let Some(kernel) = &mut self.0[i] {
                kernel.picos = 16 * kernel.output.size() as u32;
            }
            i += 1;
        }
        self
    }
}

/// Makes a row of the table.
#[allow(clippy::large_types_passed_by_value)] // Rows are built at compile time.
pub(crate) const fn row(name: &'static str, kernels: Kernels) -> (&'static str, Kernels) {
    #[cfg(test)]
    let kernels = kernels.unless_run(name);
    (name, kernels)
}
