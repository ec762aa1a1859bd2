//! The activation functions of neural networks.

use std::marker::PhantomData;

use crate::{
    loops::{Binary, Unary},
    math::{
        self,
        f32xn::{Fma, FmaDefault, FmaHardware},
    },
    number::{Function, Number},
};

/// The error function
pub(crate) type Erf = ErfBy<FmaDefault>;
/// The error function, where the machine has an instruction for fused operations
pub(crate) type ErfFused = ErfBy<FmaHardware>;
/// The error function, with fused operations as `M` has them
pub(crate) struct ErfBy<M>(PhantomData<M>);
/// 1 / (1 + e^-a)
pub(crate) struct Sigmoid;
/// a * Φ(a), by the error function
pub(crate) type Gelu = GeluBy<FmaDefault>;
/// a * Φ(a), where the machine has an instruction for fused operations
pub(crate) type GeluFused = GeluBy<FmaHardware>;
/// a * Φ(a), with fused operations as `M` has them
pub(crate) struct GeluBy<M>(PhantomData<M>);
/// a * Φ(a), by the approximation with tanh
pub(crate) type GeluTanh = GeluTanhBy<FmaDefault>;
/// a * Φ(a), by the approximation with tanh, where the machine has an instruction for fused operations
pub(crate) type GeluTanhFused = GeluTanhBy<FmaHardware>;
/// a * Φ(a), by the approximation with tanh, with fused operations as `M` has them
pub(crate) struct GeluTanhBy<M>(PhantomData<M>);
/// log(1 + e^a)
pub(crate) struct Softplus;
/// a * sigmoid(a)
pub(crate) struct Silu;

impl<M: Fma> Function for ErfBy<M> {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::erf32_by::<M>(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::erf64_by::<M>(x)
    }
}

impl Function for Sigmoid {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::sigmoid32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::sigmoid64(x)
    }
}

impl<M: Fma> Function for GeluBy<M> {
    const NEAR: Option<f64> = Some(math::GELU_NEAR);
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::gelu32_by::<M>(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::gelu64_by::<M>(x)
    }
    #[inline(always)]
    fn narrow_near(x: f32) -> f32 {
        math::gelu32_near_by::<M>(x)
    }
}

impl<M: Fma> Function for GeluTanhBy<M> {
    const NEAR: Option<f64> = if <M::Near as Fma>::NEAR { Some(10.0) } else { None };
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::gelu_tanh32_by::<M>(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::gelu_tanh64_by::<M>(x)
    }
    #[inline(always)]
    fn narrow_near(x: f32) -> f32 {
        math::gelu_tanh32_by::<M::Near>(x)
    }
}

impl Function for Softplus {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::softplus32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::softplus64(x)
    }
}

impl Function for Silu {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::silu32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::silu64(x)
    }
}

/// a where a > 0, else 0; NaN stays NaN
pub(crate) struct Relu;
/// a * clamp(a + 3, 0, 6) / 6
pub(crate) struct Hardswish;
/// a where a >= 0, else a * b
pub(crate) struct Prelu;

impl<T: Number> Unary<T> for Relu {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        let kept = if x > T::ZERO || x.is_nan() { x } else { T::ZERO };
        kept.canonical()
    }
}

impl Function for Hardswish {
    /// Rounds once, from f64.
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        Self::wide(f64::from(x)) as f32
    }
    /// Checks the limits last, so that -inf gives 0 and not a NaN.
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        let inner = x * (x + 3.0) / 6.0;
        let upper = if x >= 3.0 { x } else { inner };
        let value = if x <= -3.0 { 0.0 } else { upper };
        value.canonical()
    }
}

impl<T: Number> Binary<T> for Prelu {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        let scaled = a.mul(b);
        let result = if a < T::ZERO { scaled } else { a };
        result.canonical()
    }
}
