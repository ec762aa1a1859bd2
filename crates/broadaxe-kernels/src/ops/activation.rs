//! The activation functions of neural networks.

use std::marker::PhantomData;

use crate::{
    math::{
        self,
        float_n::{Fma, FmaDefault, FmaHardware},
    },
    number::{Function, Number},
};

functions! {
    /// The error function
    Erf: |x| math::erf32(x), math::erf64(x);
    /// 1 / (1 + e^-a)
    Sigmoid: |x| math::sigmoid32(x), math::sigmoid64(x);
    /// log(1 + e^a)
    Softplus: |x| math::softplus32(x), math::softplus64(x);
    /// a * sigmoid(a)
    Silu: |x| math::silu32(x), math::silu64(x);
}

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

unary! {
    /// a where a > 0, else 0; NaN stays NaN
    Relu<T: Number> -> T: |x| (if x > T::ZERO || x.is_nan() { x } else { T::ZERO }).canonical();
}

binary! {
    /// a where a >= 0, else a * b
    Prelu<T: Number> -> T: |a, b| {
        let scaled = a.mul(b);
        (if a < T::ZERO { scaled } else { a }).canonical()
    };
}

/// a * clamp(a + 3, 0, 6) / 6
pub(crate) struct Hardswish;

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
