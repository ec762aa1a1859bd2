//! The record of an operator, and the constructors of the table's rows.

use crate::{dtype::DType, loops::Kernel};

#[cfg(test)]
pub(crate) mod unit_tests;

/// The dtype in which an operator computes, from operands of several dtypes, as in NumPy 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    /// In the common dtype.
    Common,
    /// In the common dtype; bool is rejected, as NumPy does for `-`.
    NotBool,
    /// In the common dtype; bool counts as i8.
    Number,
    /// In the common dtype if that is a float, else in f64: true division.
    Divided,
    /// In floats; integers become the float of their width.
    Float,
    /// In the common dtype, which must be bool or an integer.
    Bits,
    /// In the common dtype, which must be bool (as i8) or an integer.
    Shift,
    /// In the common dtype, which must be an integer.
    Integer,
    /// In f64, for operands of every dtype.
    Widest,
    /// In the float of the first operand, as `Float`; the second is an integer and is ignored.
    Exponent,
    /// In bool; everything that is not zero is true.
    Truth,
    /// In the common dtype, giving bool.
    Compare,
    /// Rounds floats; integers and bool stay unchanged.
    Rounded,
    /// Tests the class of a float; integers and bool are always finite.
    Class,
    /// In the common dtype of all operands but the first, which is a condition.
    Choose,
}

/// The kernels of an operator, one per dtype of its last operand.
#[derive(Clone, Copy)]
pub(crate) struct Kernels(pub(crate) [Option<Kernel>; 13]);

/// An operator: its name, its meaning, its kernels and facts about it.
pub struct Op {
    name: &'static str,
    meaning: &'static str,
    arity: usize,
    kernels: Kernels,
    commutative: bool,
    variadic: bool,
    identity: Option<f64>,
    reversed: Option<&'static str>,
    ulp: Option<(f64, f64)>,
    average: bool,
    promotion: Promotion,
}

impl Op {
    /// Returns the operator's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the formula, in the operands `a`, `b` and `c`.
    pub fn meaning(&self) -> &'static str {
        self.meaning
    }

    /// Counts the operands, 1 to 3; a variadic operator has 2 and accepts any number.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Says whether the operator accepts any number of operands from one on, folded from the left.
    pub fn is_variadic(&self) -> bool {
        self.variadic
    }

    /// Says whether the folded operands are divided by their number.
    pub fn is_average(&self) -> bool {
        self.average
    }

    /// Returns the kernel for this dtype; for `where`, the dtype of the two choices.
    pub fn kernel(&self, dtype: DType) -> Option<&Kernel> {
        self.kernels.0[dtype as usize].as_ref()
    }

    /// Returns the dtype of the result for this dtype of the operands.
    pub fn output(&self, dtype: DType) -> Option<DType> {
        self.kernel(dtype).map(Kernel::output)
    }

    /// Lists the dtypes that the operator accepts.
    pub fn dtypes(&self) -> impl Iterator<Item = DType> + '_ {
        DType::ALL.into_iter().filter(|&dtype| self.kernel(dtype).is_some())
    }

    /// Says whether the two operands may be exchanged.
    pub fn is_commutative(&self) -> bool {
        self.commutative
    }

    /// Returns the second operand that leaves the first unchanged.
    pub fn identity(&self) -> Option<f64> {
        self.identity
    }

    /// Returns the name of the operator that computes the same with exchanged operands.
    pub fn reversed(&self) -> Option<&'static str> {
        if self.commutative { Some(self.name) } else { self.reversed }
    }

    /// Returns the largest error in units in the last place for f32 and for f64, unless the result is exact.
    pub fn ulp(&self) -> Option<(f64, f64)> {
        self.ulp
    }

    /// Returns the rule by which operands of several dtypes select the computing dtype.
    pub fn promotion(&self) -> Promotion {
        self.promotion
    }

    pub(crate) const fn commutative(mut self) -> Self {
        self.commutative = true;
        self
    }

    pub(crate) const fn variadic(mut self) -> Self {
        self.variadic = true;
        self
    }

    pub(crate) const fn average(mut self) -> Self {
        self.average = true;
        self
    }

    pub(crate) const fn with_identity(mut self, value: f64) -> Self {
        self.identity = Some(value);
        self
    }

    pub(crate) const fn with_reversed(mut self, name: &'static str) -> Self {
        self.reversed = Some(name);
        self
    }

    /// Marks that the kernels are those of this operator, with exchanged operands.
    pub(crate) const fn with_loops_of(self, name: &'static str) -> Self {
        let mut op = self.with_reversed(name);
        let mut i = 0;
        while i < op.kernels.0.len() {
            if let Some(kernel) = &mut op.kernels.0[i] {
                kernel.exchanged = true;
            }
            i += 1;
        }
        op
    }

    pub(crate) const fn within(mut self, f32: f64, f64: f64) -> Self {
        self.ulp = Some((f32, f64));
        self
    }

    /// Marks that the operator needs few instructions, although its results are not exact.
    pub(crate) const fn quick(mut self) -> Self {
        let mut i = 0;
        while i < self.kernels.0.len() {
            if let Some(kernel) = &mut self.kernels.0[i] {
                kernel.picos = 16 * kernel.output.size() as u32;
            }
            i += 1;
        }
        self
    }
}

/// Compares two names; `==` is not available in constants.
pub(crate) const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Begins a row.
#[allow(clippy::large_types_passed_by_value)] // Rows are built at compile time.
const fn row(name: &'static str, promotion: Promotion, meaning: &'static str, arity: usize, kernels: Kernels) -> Op {
    #[cfg(test)]
    let kernels = kernels.unless_run(name);
    Op {
        name,
        meaning,
        arity,
        kernels,
        commutative: false,
        variadic: false,
        identity: None,
        reversed: None,
        ulp: None,
        average: false,
        promotion,
    }
}

/// Begins the row of an operator of one operand.
#[allow(clippy::large_types_passed_by_value)] // Rows are built at compile time.
pub(crate) const fn unary(name: &'static str, promotion: Promotion, meaning: &'static str, kernels: Kernels) -> Op {
    row(name, promotion, meaning, 1, kernels)
}

/// Begins the row of an operator of two operands.
#[allow(clippy::large_types_passed_by_value)] // Rows are built at compile time.
pub(crate) const fn binary(name: &'static str, promotion: Promotion, meaning: &'static str, kernels: Kernels) -> Op {
    row(name, promotion, meaning, 2, kernels)
}

/// Begins the row of an operator of three operands.
#[allow(clippy::large_types_passed_by_value)] // Rows are built at compile time.
pub(crate) const fn ternary(name: &'static str, promotion: Promotion, meaning: &'static str, kernels: Kernels) -> Op {
    row(name, promotion, meaning, 3, kernels)
}
