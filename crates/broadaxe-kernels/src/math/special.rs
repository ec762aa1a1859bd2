//! The error function and the activations.
//!
//! The activations go to their limits at the infinities, where their formulas would give NaN: `silu`, `gelu` and
//! `gelu_tanh` of minus infinity are -0.

use super::{
    canonical64,
    exp::{exp_core, expm1_core},
    log::log1p_core,
    poly,
};

/// Coefficients of -log(erfc(x)) / x for x from 0 to 3.95, weighted to the error of erf; relative error 2^-31.64.
const ERF: [f64; 11] = [
    1.1283791667675718,
    0.6366198177159765,
    0.10277159889239748,
    -0.01911997972184204,
    -0.0002451245396943183,
    0.0017840547800554718,
    -0.0007232956149762608,
    0.00015560614887759558,
    -1.658992130017161e-05,
    1.6248296770082344e-07,
    9.243569596293632e-08,
];

/// Coefficients of exp(x^2 / 2) erfc(x / sqrt(2)) / (2 t) in t = 1 / (1 + x / 5), for x from 0 to 14.6; relative error 2^-33.63.
const TAIL: [f64; 12] = [
    0.07978738790056054,
    0.07982285524372344,
    0.07611978922361126,
    0.07403015536744594,
    0.04128213331924953,
    0.11959359690162856,
    -0.13555416999595593,
    0.3281393296536546,
    -0.3507366167619877,
    0.29805913241772486,
    -0.13315197847363947,
    0.02260838524162532,
];

/// Computes the error function.
///
/// It is 1 - exp(-x Q(x)) with a polynomial Q, evaluated as exp(..) - 1 for the sake of small x; beyond 3.95 it is 1. At
/// most @ERF@ ULP over all f32.
#[inline(always)]
pub fn erf32(x: f32) -> f32 {
    let wide = f64::from(x.abs().clamp(0.0, 3.95));
    let value = (-expm1_core(-wide * poly(&ERF, wide)) as f32).copysign(x);
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes the error function, correctly rounded but for rare ties (pxfm).
pub fn erf64(x: f64) -> f64 {
    canonical64(pxfm::f_erf(x))
}

/// Computes 1 / (1 + exp(-x)).
///
/// At most @SIGMOID@ ULP over all f32.
#[inline(always)]
pub fn sigmoid32(x: f32) -> f32 {
    let value = (1.0 / (1.0 + exp_core(-f64::from(x.clamp(-110.0, 110.0))))) as f32;
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes 1 / (1 + exp(-x)).
pub fn sigmoid64(x: f64) -> f64 {
    canonical64(1.0 / (1.0 + pxfm::f_exp(-x)))
}

/// Computes x / (1 + exp(-x)), which is x sigmoid(x).
///
/// At most @SILU@ ULP over all f32.
#[inline(always)]
pub fn silu32(x: f32) -> f32 {
    let wide = f64::from(x);
    let value = (wide / (1.0 + exp_core(-f64::from(x.clamp(-120.0, 120.0))))) as f32;
    let value = if x < -120.0 { -0.0 } else { value };
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes x / (1 + exp(-x)), which is x sigmoid(x).
pub fn silu64(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return -0.0;
    }
    canonical64(x / (1.0 + pxfm::f_exp(-x)))
}

/// Computes log(1 + exp(x)) without overflow.
///
/// It is max(x, 0) + log(1 + exp(-|x|)). At most @SOFTPLUS@ ULP over all f32.
#[inline(always)]
pub fn softplus32(x: f32) -> f32 {
    let positive = if x > 0.0 { x } else { 0.0 };
    let value = (f64::from(positive) + log1p_core(exp_core(-f64::from(x.abs().clamp(0.0, 110.0))))) as f32;
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes log(1 + exp(x)) without overflow.
pub fn softplus64(x: f64) -> f64 {
    canonical64(x.max(0.0) + pxfm::f_log1p(pxfm::f_exp(-x.abs())))
}

/// Computes x (1 + erf(x / sqrt(2))) / 2.
///
/// For negative x this is x erfc(|x| / sqrt(2)) / 2, without the cancellation in 1 + erf: a power of e times a polynomial
/// of 1 / (1 + |x| / 5). Below -14.6 the result is -0. At most @GELU@ ULP over all f32.
#[inline(always)]
pub fn gelu32(x: f32) -> f32 {
    let wide = f64::from(x);
    let size = f64::from(x.abs().clamp(0.0, 14.6));
    let t = 1.0 / (1.0 + 0.2 * size);
    let tail = exp_core(-0.5 * size * size) * (t * poly(&TAIL, t));
    let share = if x < 0.0 { tail } else { 1.0 - tail };
    let value = (wide * share) as f32;
    let value = if x < -14.6 { -0.0 } else { value };
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes x (1 + erf(x / sqrt(2))) / 2.
pub fn gelu64(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return -0.0;
    }
    canonical64(0.5 * x * pxfm::f_erfc(-x * std::f64::consts::FRAC_1_SQRT_2))
}

/// Computes x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
///
/// With u the argument of tanh this is x / (1 + exp(-2 u)). At most @GELU_TANH@ ULP over all f32.
#[inline(always)]
pub fn gelu_tanh32(x: f32) -> f32 {
    let wide = f64::from(x);
    let twice = GELU_SLOPE * wide * (1.0 + 0.044_715 * (wide * wide));
    let value = (wide / (1.0 + exp_core(-twice.clamp(-120.0, 120.0)))) as f32;
    let value = if x < -20.0 { -0.0 } else { value };
    if x.is_nan() { f32::NAN } else { value }
}

/// Is 2 sqrt(2 / pi), the slope at zero of the logistic function's argument in `gelu_tanh`.
const GELU_SLOPE: f64 = 1.595_769_121_605_730_8;

/// Computes x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
pub fn gelu_tanh64(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return -0.0;
    }
    let twice = GELU_SLOPE * x * (1.0 + 0.044_715 * x * x);
    canonical64(x / (1.0 + pxfm::f_exp(-twice)))
}
