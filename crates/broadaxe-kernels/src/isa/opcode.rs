//! The f32 operations that loops choose at run time, or that operators on f16 and bf16 are computed by.

/// An operation on one or two f32, rounded once. A NaN need not be the canonical one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opcode {
    /// a + b
    Sum,
    /// a - b
    Difference,
    /// b - a
    Reversed,
    /// a * b
    Product,
    /// a / b
    Quotient,
    /// b / a
    Inverted,
    /// The square root of a.
    Root,
    /// 1 / the square root of a, computed in f64.
    InverseRoot,
    /// The larger of a and b, b where they are equal; NaN propagates.
    Larger,
    /// The larger of b and a, a where they are equal; NaN propagates.
    LargerSwapped,
    /// The smaller of a and b, b where they are equal; NaN propagates.
    Smaller,
    /// The smaller of b and a, a where they are equal; NaN propagates.
    SmallerSwapped,
    /// a where a > 0 or a NaN, else 0.
    Relu,
    /// |a|
    Magnitude,
    /// -a
    Negative,
    /// a * a
    Square,
    /// 1 / a
    Reciprocal,
    /// a rounded down.
    Floor,
    /// a rounded up.
    Ceil,
    /// a rounded to nearest, ties to even.
    Round,
    /// a rounded towards zero.
    Trunc,
}

impl Opcode {
    /// Lists the operations.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 21] = [
        Self::Sum,
        Self::Difference,
        Self::Reversed,
        Self::Product,
        Self::Quotient,
        Self::Inverted,
        Self::Root,
        Self::InverseRoot,
        Self::Larger,
        Self::LargerSwapped,
        Self::Smaller,
        Self::SmallerSwapped,
        Self::Relu,
        Self::Magnitude,
        Self::Negative,
        Self::Square,
        Self::Reciprocal,
        Self::Floor,
        Self::Ceil,
        Self::Round,
        Self::Trunc,
    ];
}

/// An operator that f16 and bf16 have by this operation on f32, whose result is rounded.
pub(crate) trait Widened: 'static {
    /// The operation.
    const OPCODE: Opcode;
}
