//! Rounding to whole numbers; the zero of a small negative number is -0.

use crate::{loops::Unary, number::Real};

/// The next whole number below
pub struct Floor;
/// The next whole number above
pub struct Ceil;
/// The nearest whole number, ties to even
pub struct Round;
/// The next whole number towards zero
pub struct Trunc;

impl<T: Real> Unary<T> for Floor {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(f32::floor, f64::floor)
    }
}

impl<T: Real> Unary<T> for Ceil {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(f32::ceil, f64::ceil)
    }
}

impl<T: Real> Unary<T> for Round {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(f32::round_ties_even, f64::round_ties_even)
    }
}

impl<T: Real> Unary<T> for Trunc {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(f32::trunc, f64::trunc)
    }
}
