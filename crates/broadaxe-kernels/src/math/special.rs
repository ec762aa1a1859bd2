//! The error function and the activations.

use super::{canonical32, canonical64};

/// Computes the error function.
#[inline(always)]
pub fn erf32(x: f32) -> f32 {
    canonical32(erf64(f64::from(x)) as f32)
}

/// Computes the error function.
pub fn erf64(x: f64) -> f64 {
    canonical64(pxfm::f_erf(x))
}

/// Computes 1 / (1 + exp(-x)).
#[inline(always)]
pub fn sigmoid32(x: f32) -> f32 {
    canonical32(sigmoid64(f64::from(x)) as f32)
}

/// Computes 1 / (1 + exp(-x)).
pub fn sigmoid64(x: f64) -> f64 {
    canonical64(1.0 / (1.0 + pxfm::f_exp(-x)))
}

/// Computes x / (1 + exp(-x)).
#[inline(always)]
pub fn silu32(x: f32) -> f32 {
    canonical32(silu64(f64::from(x)) as f32)
}

/// Computes x / (1 + exp(-x)).
pub fn silu64(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return -0.0;
    }
    canonical64(x / (1.0 + pxfm::f_exp(-x)))
}

/// Computes log(1 + exp(x)) without overflow.
#[inline(always)]
pub fn softplus32(x: f32) -> f32 {
    canonical32(softplus64(f64::from(x)) as f32)
}

/// Computes log(1 + exp(x)) without overflow.
pub fn softplus64(x: f64) -> f64 {
    canonical64(x.max(0.0) + pxfm::f_log1p(pxfm::f_exp(-x.abs())))
}

/// Computes x * (1 + erf(x / sqrt(2))) / 2.
#[inline(always)]
pub fn gelu32(x: f32) -> f32 {
    canonical32(gelu64(f64::from(x)) as f32)
}

/// Computes x * (1 + erf(x / sqrt(2))) / 2.
pub fn gelu64(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return -0.0;
    }
    canonical64(0.5 * x * pxfm::f_erfc(-x * std::f64::consts::FRAC_1_SQRT_2))
}

/// Computes x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2.
#[inline(always)]
pub fn gelu_tanh32(x: f32) -> f32 {
    canonical32(gelu_tanh64(f64::from(x)) as f32)
}

/// Computes x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2.
pub fn gelu_tanh64(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return -0.0;
    }
    let inner = 1.5957691216057308 * x * (1.0 + 0.044715 * x * x);
    canonical64(x / (1.0 + pxfm::f_exp(-inner)))
}
