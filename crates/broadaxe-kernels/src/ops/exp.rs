//! Exponentials and logarithms.

use crate::{math, number::Function};

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

impl Function for Exp {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::exp32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::exp64(x)
    }
}

impl Function for Exp2 {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::exp2_32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::exp2_64(x)
    }
}

impl Function for Expm1 {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::expm1_32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::expm1_64(x)
    }
}

impl Function for Log {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::log32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::log64(x)
    }
}

impl Function for Log2 {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::log2_32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::log2_64(x)
    }
}

impl Function for Log10 {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::log10_32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::log10_64(x)
    }
}

impl Function for Log1p {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::log1p32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::log1p64(x)
    }
}
