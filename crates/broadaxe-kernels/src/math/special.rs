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

/// Coefficients of -log(erfc(x)) / x for x from 0 to 3.95, weighted to the error of erf; relative error 2^-35.30.
const ERF: [f64; 13] = [
    1.1283791670708172,
    0.6366197764153947,
    0.10277249656322505,
    -0.019127370606056734,
    -0.00021467980487126364,
    0.0017123387172678019,
    -0.0006194446258917519,
    5.959914583799047e-05,
    4.080827759803452e-05,
    -2.1788740504965268e-05,
    5.2391825048045795e-06,
    -6.681695349487655e-07,
    3.640157143876531e-08,
];

/// Coefficients of exp(x^2 / 2) erfc(x / sqrt(2)) / (2 t) in t = 1 / (1 + x / 4), for x from 0 to 14.7; relative error 2^-35.55.
const TAIL: [f64; 13] = [
    0.09973677379334075,
    0.0997003922722514,
    0.09396451058975186,
    0.07741851401074751,
    0.08225494432547265,
    -0.02465808876287376,
    0.1993790331149417,
    -0.3209081196529405,
    0.4309510492906274,
    -0.3978565358452544,
    0.21432357657035817,
    -0.0617747273727172,
    0.00746867765635519,
];

/// Computes the error function.
///
/// It is 1 - exp(-x Q(x)) with a polynomial Q, evaluated as exp(..) - 1 for the sake of small x; beyond 3.95 it is 1. At
/// most @ERF@ ULP over all f32.
#[inline(always)]
pub fn erf32(x: f32) -> f32 {
    let wide = f64::from(x.abs()).min(3.95);
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
    let value = (1.0 / (1.0 + exp_core(-f64::from(x).clamp(-110.0, 110.0)))) as f32;
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
    let value = (wide / (1.0 + exp_core(-wide.clamp(-120.0, 120.0)))) as f32;
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
    let wide = f64::from(x);
    let value = (wide.max(0.0) + log1p_core(exp_core(-wide.abs().min(110.0)))) as f32;
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes log(1 + exp(x)) without overflow.
pub fn softplus64(x: f64) -> f64 {
    canonical64(x.max(0.0) + pxfm::f_log1p(pxfm::f_exp(-x.abs())))
}

/// Computes x (1 + erf(x / sqrt(2))) / 2.
///
/// For negative x this is x erfc(|x| / sqrt(2)) / 2, without the cancellation in 1 + erf: a power of e times a polynomial
/// of 1 / (1 + |x| / 4). Below -14.7 the result is -0. At most @GELU@ ULP over all f32.
#[inline(always)]
pub fn gelu32(x: f32) -> f32 {
    let wide = f64::from(x);
    let size = wide.abs().min(14.7);
    let t = 1.0 / (1.0 + 0.25 * size);
    let tail = exp_core(-0.5 * size * size) * (t * poly(&TAIL, t));
    let share = if x < 0.0 { tail } else { 1.0 - tail };
    let value = (wide * share) as f32;
    let value = if x < -14.7 { -0.0 } else { value };
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
