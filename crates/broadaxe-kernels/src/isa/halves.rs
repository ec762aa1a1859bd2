//! The operations that loops over f16 and bf16 compute in f32.

/// An operation on one or two f16 or bf16 that is computed in f32 and then rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide {
    /// a + b
    Sum,
    /// a - b
    Difference,
    /// a * b
    Product,
    /// a / b
    Quotient,
    /// The larger, b where they are equal; NaN propagates.
    Max,
    /// The smaller, b where they are equal; NaN propagates.
    Min,
    /// The larger, b where they are equal; a number wins over NaN.
    Fmax,
    /// The smaller, b where they are equal; a number wins over NaN.
    Fmin,
    /// a * a
    Square,
    /// 1 / a
    Reciprocal,
    /// The square root of a.
    Root,
    /// 1 / the square root of a, computed in f64.
    InverseRoot,
    /// a rounded down.
    Floor,
    /// a rounded up.
    Ceil,
    /// a rounded to nearest, ties to even.
    Round,
    /// a rounded towards zero.
    Trunc,
}

/// A function of f16 or bf16 that is computed in f32 and rounded.
pub(crate) trait Widened: 'static {
    /// The operation.
    const WIDE: Wide;
}
