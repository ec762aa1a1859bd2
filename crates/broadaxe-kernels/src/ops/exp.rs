//! Exponentials and logarithms.

use crate::{loops::Unary, math, number::Real};

/// e^a
pub struct Exp;
/// 2^a
pub struct Exp2;
/// e^a - 1, exact near 0
pub struct Expm1;
/// The natural logarithm
pub struct Log;
/// The logarithm to base 2
pub struct Log2;
/// The logarithm to base 10
pub struct Log10;
/// log(1 + a), exact near 0
pub struct Log1p;

impl<T: Real> Unary<T> for Exp {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::exp32, math::exp64)
    }
}

impl<T: Real> Unary<T> for Exp2 {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::exp2_32, math::exp2_64)
    }
}

impl<T: Real> Unary<T> for Expm1 {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::expm1_32, math::expm1_64)
    }
}

impl<T: Real> Unary<T> for Log {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::log32, math::log64)
    }
}

impl<T: Real> Unary<T> for Log2 {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::log2_32, math::log2_64)
    }
}

impl<T: Real> Unary<T> for Log10 {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::log10_32, math::log10_64)
    }
}

impl<T: Real> Unary<T> for Log1p {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::log1p32, math::log1p64)
    }
}
