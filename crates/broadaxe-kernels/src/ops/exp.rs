//! Exponentials and logarithms.

use std::marker::PhantomData;

use crate::{
    math::{
        self,
        f32xn::{Fma, FmaDefault, FmaHardware},
    },
    number::Function,
};

/// e^a
pub(crate) struct Exp;
/// 2^a
pub(crate) struct Exp2;
/// e^a - 1, exact near 0
pub(crate) struct Expm1;
/// The natural logarithm
pub(crate) struct Log;
/// The logarithm to base 2
pub(crate) type Log2 = Log2By<FmaDefault>;
/// The logarithm to base 2, where the machine has an instruction for fused operations
pub(crate) type Log2Fused = Log2By<FmaHardware>;
/// The logarithm to base 2, with fused operations as `M` has them
pub(crate) struct Log2By<M>(PhantomData<M>);
/// The logarithm to base 10
pub(crate) type Log10 = Log10By<FmaDefault>;
/// The logarithm to base 10, where the machine has an instruction for fused operations
pub(crate) type Log10Fused = Log10By<FmaHardware>;
/// The logarithm to base 10, with fused operations as `M` has them
pub(crate) struct Log10By<M>(PhantomData<M>);
/// log(1 + a), exact near 0
pub(crate) type Log1p = Log1pBy<FmaDefault>;
/// log(1 + a), exact near 0, where the machine has an instruction for fused operations
pub(crate) type Log1pFused = Log1pBy<FmaHardware>;
/// log(1 + a), exact near 0, with fused operations as `M` has them
pub(crate) struct Log1pBy<M>(PhantomData<M>);

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

impl<M: Fma> Function for Log2By<M> {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::log2_32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::log2_64_by::<M>(x)
    }
}

impl<M: Fma> Function for Log10By<M> {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::log10_32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::log10_64_by::<M>(x)
    }
}

impl<M: Fma> Function for Log1pBy<M> {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::log1p32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::log1p64_by::<M>(x)
    }
}
