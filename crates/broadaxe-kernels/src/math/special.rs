//! The error function and the activations.
//!
//! At the infinities the activations have their limits, where their formulas would give NaN: `silu`, `gelu` and
//! `gelu_tanh` of minus infinity are -0.

use std::f64::consts::LOG2_E;

use super::{
    exp::{exp2_core_by, poly7},
    float_n::{F32x1, Fma, FmaDefault, plain},
    single,
};

/// Coefficients of (Phi(x) - 1/2) / x in 2 x^2 / 25 - 1, for |x| <= 5, where Phi is the normal distribution's; weighted to the error of
/// Phi(-|x|), relative to which it is 2^-32.90.
const MIDDLE: [[f64; 7]; 3] = [
    [
        0.1413638045310727,
        -0.0702968323777587,
        0.051519280885241374,
        -0.04042576866987278,
        0.03145541412774951,
        -0.02341345557127356,
        0.01636189951019292,
    ],
    [
        -0.010639236009203391,
        0.006416511006316297,
        -0.0035893488244477722,
        0.0018656621198619482,
        -0.0009034833844272263,
        0.0004089969364363533,
        -0.00017365624605699973,
    ],
    [
        6.919589704284813e-05,
        -2.580609812692988e-05,
        9.147659623863701e-06,
        -3.262130869371518e-06,
        1.1543284672855114e-06,
        -3.1941642257304143e-07,
        4.439613983610128e-08,
    ],
];

/// The bound up to which gelu uses a polynomial.
pub(crate) const GELU_NEAR: f64 = 5.0;

/// Computes the error function.
///
/// At most 0.935 ULP over all f32.
#[inline(always)]
pub fn erf32(x: f32) -> f32 {
    single::erf(plain(x)).x
}

/// Evaluates a polynomial as three, so that the processor works on all at once.
#[inline(always)]
fn three_polys<M: Fma>(c: &[[f64; 7]; 3], x: f64) -> f64 {
    let square = x * x;
    let seventh = square * square * (square * x);
    let part = |k: usize| poly7::<M>(&c[k], x);
    M::fma64(seventh, M::fma64(seventh, part(2), part(1)), part(0))
}

/// Computes 1 / (1 + exp(-x)).
///
/// At most 0.910 ULP over all f32.
#[inline(always)]
pub fn sigmoid32(x: f32) -> f32 {
    single::sigmoid(plain(x)).x
}

/// Computes x / (1 + exp(-x)), which is x sigmoid(x).
///
/// At most 0.894 ULP over all f32.
#[inline(always)]
pub fn silu32(x: f32) -> f32 {
    single::silu(plain(x)).x
}

/// Computes log(1 + exp(x)) without overflow.
///
/// At most 0.889 ULP over all f32.
#[inline(always)]
pub fn softplus32(x: f32) -> f32 {
    single::softplus(plain(x)).x
}

/// Computes x (1 + erf(x / sqrt(2))) / 2.
///
/// Up to 5 it is x (1/2 + x P(x^2)): f64 has enough bits for the cancellation for negative x. Beyond, f32 is enough. Below
/// -14.4 the result is -0. At most 0.932 ULP over all f32.
#[inline(always)]
pub fn gelu32(x: f32) -> f32 {
    gelu32_by::<FmaDefault>(x)
}

/// Computes x (1 + erf(x / sqrt(2))) / 2 with fused operations.
#[inline(always)]
pub(crate) fn gelu32_by<M: Fma>(x: f32) -> f32 {
    let beyond = single::gelu_beyond(F32x1::<M>::of(x)).x;
    if f64::from(x.abs()) <= GELU_NEAR { gelu32_near_by::<M>(x) } else { beyond }
}

/// Computes x (1 + erf(x / sqrt(2))) / 2 with fused operations, for |x| <= 5.
#[inline(always)]
pub(crate) fn gelu32_near_by<M: Fma>(x: f32) -> f32 {
    let x = f64::from(x);
    let slope = three_polys::<M>(&MIDDLE, M::fma64(x * x, 0.08, -1.0));
    (x * M::fma64(x, slope, 0.5)) as f32
}

/// Computes x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
///
/// With u the argument of tanh this is x / (1 + exp(-2 u)). At most 0.5014 ULP over all f32.
#[inline(always)]
pub fn gelu_tanh32(x: f32) -> f32 {
    gelu_tanh32_by::<FmaDefault>(x)
}

/// Computes x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 with fused operations; near zero up to 10.
#[inline(always)]
pub(crate) fn gelu_tanh32_by<M: Fma>(x: f32) -> f32 {
    let wide = f64::from(x);
    // Beyond that the result is x or zero. Functions of numbers near zero need no clamp.
    let size = if M::NEAR { wide } else { wide.clamp(-11.25, 11.25) };
    let power = size * M::fma64(size * size, 0.044_715 * GELU_SLOPE, GELU_SLOPE);
    let value = (wide / (1.0 + exp2_core_by::<M>(power))) as f32;
    let value = if !M::NEAR && x < -20.0 { -0.0 } else { value };
    if !M::NEAR && x.is_nan() { f32::NAN } else { value }
}

/// -2 sqrt(2 / pi) / log(2), the slope at zero of the power of two in `gelu_tanh`.
const GELU_SLOPE: f64 = -1.595_769_121_605_730_8 * LOG2_E;
