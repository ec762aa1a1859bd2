//! Comparisons: every NaN is unequal to and unordered with everything. Greater is less with exchanged operands.

use crate::{
    dtype::{Bool, Element},
    loops::{Binary, Unary},
    number::{Number, Real},
};

/// a == b
pub(crate) struct Equal;
/// a != b
pub(crate) struct NotEqual;
/// a < b
pub(crate) struct Less;
/// a <= b
pub(crate) struct LessEqual;
/// 0, b or 1 where a is below, at or above 0; NaN stays NaN
pub(crate) struct Heaviside;
/// a is a NaN
pub(crate) struct IsNan;
/// a is an infinity
pub(crate) struct IsInf;
/// a is neither NaN nor an infinity
pub(crate) struct IsFinite;

impl<T: Element + PartialEq> Binary<T> for Equal {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: T, b: T) -> Bool {
        (a == b).into()
    }
}

impl<T: Element + PartialEq> Binary<T> for NotEqual {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: T, b: T) -> Bool {
        (a != b).into()
    }
}

impl<T: Element + PartialOrd> Binary<T> for Less {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: T, b: T) -> Bool {
        (a < b).into()
    }
}

impl<T: Element + PartialOrd> Binary<T> for LessEqual {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: T, b: T) -> Bool {
        (a <= b).into()
    }
}

impl<T: Real> Binary<T> for Heaviside {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        let step = if a > T::ZERO { T::ONE } else { T::ZERO };
        let at_zero = if a == T::ZERO { b } else { step };
        let result = if a.is_nan() { a } else { at_zero };
        result.canonical()
    }
}

impl<T: Number> Unary<T> for IsNan {
    type Out = Bool;
    #[inline(always)]
    fn apply(x: T) -> Bool {
        x.is_nan().into()
    }
}

impl<T: Real> Unary<T> for IsInf {
    type Out = Bool;
    #[inline(always)]
    fn apply(x: T) -> Bool {
        x.is_infinite().into()
    }
}

impl<T: Real> Unary<T> for IsFinite {
    type Out = Bool;
    #[inline(always)]
    fn apply(x: T) -> Bool {
        (!x.is_infinite() && !x.is_nan()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heaviside_steps_at_zero() {
        let cases = [
            (-2.0, 0.5, 0.0),
            (-0.0, 0.5, 0.5),
            (0.0, -3.0, -3.0),
            (1e-300, 0.5, 1.0),
            (f64::INFINITY, 0.5, 1.0),
            (1.0, f64::NAN, 1.0),
        ];
        for (a, b, want) in cases {
            assert_eq!(Heaviside::apply(a, b), want, "heaviside({a}, {b})");
        }
        assert!(Heaviside::apply(f64::NAN, 0.5).is_nan() && Heaviside::apply(0.0, f64::NAN).is_nan());
    }
}
