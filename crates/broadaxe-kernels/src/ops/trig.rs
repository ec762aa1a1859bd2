//! Circular and hyperbolic functions, in radians, and their inverses.

use std::marker::PhantomData;

use crate::{
    math::{
        self,
        f32xn::{Fma, FmaDefault, FmaHardware},
    },
    number::{Function, Function2},
};

/// The sine
pub(crate) type Sin = SinBy<FmaDefault>;
/// The sine, where the machine has an instruction for fused operations
pub(crate) type SinFused = SinBy<FmaHardware>;
/// The sine, with fused operations as `M` has them
pub(crate) struct SinBy<M>(PhantomData<M>);
/// The cosine
pub(crate) type Cos = CosBy<FmaDefault>;
/// The cosine, where the machine has an instruction for fused operations
pub(crate) type CosFused = CosBy<FmaHardware>;
/// The cosine, with fused operations as `M` has them
pub(crate) struct CosBy<M>(PhantomData<M>);
/// The tangent
pub(crate) struct Tan;
/// The arc sine
pub(crate) struct Asin;
/// The arc cosine
pub(crate) struct Acos;
/// The arc tangent
pub(crate) struct Atan;
/// The hyperbolic sine
pub(crate) struct Sinh;
/// The hyperbolic cosine
pub(crate) struct Cosh;
/// The hyperbolic tangent
pub(crate) struct Tanh;
/// The inverse hyperbolic sine
pub(crate) struct Asinh;
/// The inverse hyperbolic cosine
pub(crate) struct Acosh;
/// The inverse hyperbolic tangent
pub(crate) struct Atanh;

impl<M: Fma> Function for SinBy<M> {
    const USUAL: f64 = math::FEW_TURNS;
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::sin32_by::<M>(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::sin64(x)
    }
    #[inline(always)]
    fn narrow_usual(x: f32) -> f32 {
        math::sin32_few_by::<M>(x)
    }
    #[inline(always)]
    fn wide_usual(x: f64) -> f64 {
        math::sin64_few(x)
    }
}

impl<M: Fma> Function for CosBy<M> {
    const USUAL: f64 = math::FEW_TURNS;
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::cos32_by::<M>(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::cos64(x)
    }
    #[inline(always)]
    fn narrow_usual(x: f32) -> f32 {
        math::cos32_few_by::<M>(x)
    }
    #[inline(always)]
    fn wide_usual(x: f64) -> f64 {
        math::cos64_few(x)
    }
}

impl Function for Tan {
    const USUAL: f64 = math::FEW_TURNS;
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::tan32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::tan64(x)
    }
    #[inline(always)]
    fn narrow_usual(x: f32) -> f32 {
        math::tan32_few(x)
    }
    #[inline(always)]
    fn wide_usual(x: f64) -> f64 {
        math::tan64_few(x)
    }
}

impl Function for Asin {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::asin32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::asin64(x)
    }
}

impl Function for Acos {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::acos32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::acos64(x)
    }
}

impl Function for Atan {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::atan32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::atan64(x)
    }
}

impl Function for Sinh {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::sinh32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::sinh64(x)
    }
}

impl Function for Cosh {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::cosh32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::cosh64(x)
    }
}

impl Function for Tanh {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::tanh32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::tanh64(x)
    }
}

impl Function for Asinh {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::asinh32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::asinh64(x)
    }
}

impl Function for Acosh {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::acosh32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::acosh64(x)
    }
}

impl Function for Atanh {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::atanh32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::atanh64(x)
    }
}

/// The angle of the point (b, a)
pub(crate) struct Atan2;
/// log(e^a + e^b)
pub(crate) struct Logaddexp;
/// log2(2^a + 2^b)
pub(crate) struct Logaddexp2;

impl Function2 for Atan2 {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        math::atan2_32(a, b)
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        math::atan2_64(a, b)
    }
}

impl Function2 for Logaddexp {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        math::logaddexp32(a, b)
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        math::logaddexp64(a, b)
    }
}

impl Function2 for Logaddexp2 {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        math::logaddexp2_32(a, b)
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        math::logaddexp2_64(a, b)
    }
}
