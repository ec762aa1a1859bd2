//! The activation functions of neural networks.

use crate::{
    loops::{Binary, Unary},
    math,
    number::{Number, Real},
};

/// The error function
pub struct Erf;
/// 1 / (1 + e^-a)
pub struct Sigmoid;
/// a * Φ(a), by the error function
pub struct Gelu;
/// a * Φ(a), by the approximation with tanh
pub struct GeluTanh;
/// log(1 + e^a)
pub struct Softplus;
/// a * sigmoid(a)
pub struct Silu;

impl<T: Real> Unary<T> for Erf {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::erf32, math::erf64)
    }
}

impl<T: Real> Unary<T> for Sigmoid {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::sigmoid32, math::sigmoid64)
    }
}

impl<T: Real> Unary<T> for Gelu {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::gelu32, math::gelu64)
    }
}

impl<T: Real> Unary<T> for GeluTanh {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::gelu_tanh32, math::gelu_tanh64)
    }
}

impl<T: Real> Unary<T> for Softplus {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::softplus32, math::softplus64)
    }
}

impl<T: Real> Unary<T> for Silu {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::silu32, math::silu64)
    }
}

/// a where a > 0, else 0; NaN stays NaN
pub struct Relu;
/// a * clamp(a + 3, 0, 6) / 6
pub struct Hardswish;
/// a where a >= 0, else a * b
pub struct Prelu;

impl<T: Number> Unary<T> for Relu {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        let kept = if x > T::ZERO || x.is_nan() { x } else { T::ZERO };
        kept.canonical()
    }
}

impl<T: Real> Unary<T> for Hardswish {
    type Out = T;
    /// The limits come first, so that -inf gives 0 and not a NaN; f32 rounds once, from f64.
    #[inline(always)]
    fn apply(x: T) -> T {
        let wide = |x: f64| {
            let inner = x * (x + 3.0) / 6.0;
            let upper = if x >= 3.0 { x } else { inner };
            if x <= -3.0 { 0.0 } else { upper }
        };
        x.map(|x| wide(f64::from(x)) as f32, wide)
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
