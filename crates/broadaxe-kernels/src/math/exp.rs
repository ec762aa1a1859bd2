//! Exponentials.
//!
//! `exp32` and `exp2_32` stay in f32 (see `single`); `exp64` and `exp2_64` use fused operations. The exponentials
//! inside other functions write e^x as 2^(n + r) with |r| <= 1/2, evaluate a minimax polynomial of r in f64 and add n
//! to the exponent's bits. Adding 1.5 * 2^52 rounds to n and leaves n in the low bits of the sum, so neither a branch
//! nor a conversion to an integer is needed. The polynomials were fitted with Remez' exchange algorithm to the relative
//! error given with each.

use std::f64::consts::{LN_2, LOG2_E};

use super::{
    ROUND, canonical64,
    extended::{EXTENDED_EXP, LN_2_REST, LN_2_TOP, half_expm1},
    float_n::{F64x1, FloatN, Fma, FmaDefault, plain},
    poly, single,
};

/// Coefficients of (2^r - 1) / r for |r| <= 1/2; relative error 2^-32.00.
const EXP2M1: [f64; 7] = [
    0.6931471805815717,
    0.2402265092005288,
    0.055504107276056806,
    0.00961805703689513,
    0.0013333669436511278,
    0.00015461329932759632,
    1.5252724328997335e-05,
];

/// Coefficients of (2^r - 1) / r for |r| <= 1/2; relative error 2^-55.66.
const EXP2M1_FINE: [f64; 11] = [
    0.6931471805599453,
    0.24022650695910097,
    0.055504108664821236,
    0.009618129107607065,
    0.0013333558146531564,
    0.00015403530441481926,
    1.5252733701281419e-05,
    1.3215442723553945e-06,
    1.017812127147892e-07,
    7.07256182356081e-09,
    4.4455413324701454e-10,
];

/// Computes e to the power x for |x| <= 700.
#[inline(always)]
pub(super) fn exp_core(x: f64) -> f64 {
    let (r, shifted) = reduce(x * LOG2_E);
    scale(1.0 + r * poly(&EXP2M1, r), shifted)
}

/// Computes 2 to the power x for |x| <= 1000 with fused operations.
#[inline(always)]
pub(super) fn exp2_core_by<M: Fma>(x: f64) -> f64 {
    let (r, shifted) = reduce(x);
    scale(M::fma64(r, poly7::<M>(&EXP2M1, r), 1.0), shifted)
}

/// Evaluates a polynomial of seven coefficients.
#[inline(always)]
pub(super) fn poly7<M: Fma>(c: &[f64; 7], x: f64) -> f64 {
    let square = x * x;
    let upper = M::fma64(square, c[6], M::fma64(x, c[5], c[4]));
    M::fma64(square * square, upper, M::fma64(square, M::fma64(x, c[3], c[2]), M::fma64(x, c[1], c[0])))
}

/// Computes e to the power x for |x| <= 700, almost to the precision of f64.
#[inline(always)]
pub(super) fn exp_fine(x: f64) -> f64 {
    let (r, shifted) = reduce(x * LOG2_E);
    scale(1.0 + r * poly(&EXP2M1_FINE, r), shifted)
}

/// Computes e to the power x, less 1, for |x| <= 700, with a small relative error also near zero.
#[inline(always)]
pub(super) fn expm1_core(x: f64) -> f64 {
    let (r, shifted) = reduce(x * LOG2_E);
    let power = scale(1.0, shifted);
    power * (r * poly(&EXP2M1, r)) + (power - 1.0)
}

/// Splits x into r, at most 1/2 large, and an integer n; returns r and n + 1.5 * 2^52.
#[inline(always)]
fn reduce(x: f64) -> (f64, f64) {
    let shifted = x + ROUND;
    (x - (shifted - ROUND), shifted)
}

/// Multiplies `value` by 2^n, where `shifted` is n + 1.5 * 2^52.
#[inline(always)]
fn scale(value: f64, shifted: f64) -> f64 {
    f64::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// Computes e to the power x.
///
/// At most 0.928 ULP over all f32.
#[inline(always)]
pub fn exp32(x: f32) -> f32 {
    single::exp(plain(x)).x
}

/// Computes e to the power x.
///
/// At most 0.89 ULP, subnormal results included.
#[inline(always)]
pub fn exp64(x: f64) -> f64 {
    exp64_by::<FmaDefault>(x)
}

/// Computes e to the power x with fused operations.
#[inline(always)]
pub(crate) fn exp64_by<M: Fma>(x: f64) -> f64 {
    let near = if M::NEAR { x } else { x.clamp(-750.0, 710.0) };
    let shifted = M::fma64(near, LOG2_E, ROUND);
    let n = shifted - ROUND;
    // log 2 is subtracted in two parts, of which the first is exact.
    let (high, low) = (M::fma64(n, -LN_2_TOP, near), n * -LN_2_REST);
    let value = scale_wide::<M>(power_of_e::<M>(high + low, high, low), shifted);
    if !M::NEAR && x.is_nan() { f64::NAN } else { value }
}

/// Computes e to the power of high + low, for a sum of at most log(2) / 2 and a small second part; `r` is the sum,
/// rounded as far as its square allows.
///
/// The first part is added last, so that only its own sum and the one with 1 are rounded near the size of the result.
/// The polynomial is made of pairs of pairs: one chain would be longer than the processor looks ahead.
#[inline(always)]
fn power_of_e<M: Fma>(r: f64, high: f64, low: f64) -> f64 {
    1.0 + (high + tail_of_e(F64x1::<M>::of(r), F64x1::of(low)).x)
}

/// Computes what e to that power has beyond 1 + high.
#[inline(always)]
pub(super) fn tail_of_e<V: FloatN<One = f64>>(r: V, low: V) -> V {
    let square = r * r;
    let fourth = square * square;
    let upper = fourth.fma(r.pair(&EXTENDED_EXP, 8), square.fma(r.pair(&EXTENDED_EXP, 6), r.pair(&EXTENDED_EXP, 4)));
    let tail = fourth.fma(upper, square.fma(r.pair(&EXTENDED_EXP, 2), r.pair(&EXTENDED_EXP, 0)));
    square.fma(r.fma(tail, r.all(0.5)), low)
}

/// Multiplies a number near 1 by 2^n for |n| <= 2000, where `shifted` is n + 1.5 * 2^52; rounds once more where the result is
/// subnormal.
///
/// Half of n is added to the exponent, the other half is a factor: 2^n itself may not be a normal number, except near
/// zero.
#[inline(always)]
pub(super) fn scale_wide<M: Fma>(value: f64, shifted: f64) -> f64 {
    if M::NEAR {
        return scale(value, shifted);
    }
    let n = shifted.to_bits();
    let half = (n << 51) & 0xfff0_0000_0000_0000;
    let rest = (n << 52).wrapping_sub(half).wrapping_add(0x3ff0_0000_0000_0000);
    f64::from_bits(value.to_bits().wrapping_add(half)) * f64::from_bits(rest)
}

/// Computes 2 to the power x.
///
/// At most 0.867 ULP over all f32, and exact where x is an integer.
#[inline(always)]
pub fn exp2_32(x: f32) -> f32 {
    single::exp2(plain(x)).x
}

/// Computes 2 to the power x.
///
/// At most 0.89 ULP, subnormal results included, and exact where x is an integer.
#[inline(always)]
pub fn exp2_64(x: f64) -> f64 {
    exp2_64_by::<FmaDefault>(x)
}

/// Computes 2 to the power x with fused operations.
#[inline(always)]
pub(crate) fn exp2_64_by<M: Fma>(x: f64) -> f64 {
    let (high, low, shifted) = reduce_2::<M>(if M::NEAR { x } else { x.clamp(-1080.0, 1030.0) });
    let value = scale_wide::<M>(power_of_e::<M>(high, high, low), shifted);
    if !M::NEAR && x.is_nan() { f64::NAN } else { value }
}

/// Splits 2^x into 2^n e^(high + low), for |x| <= 1100; returns n + 1.5 * 2^52 last.
#[inline(always)]
fn reduce_2<M: Fma>(x: f64) -> (f64, f64, f64) {
    let shifted = x + ROUND;
    let f = x - (shifted - ROUND);
    // The product with log 2 in two parts; the second constant is the error of the first.
    let high = f * LN_2;
    (high, M::fma64(f, 2.319_046_813_846_299_6e-17, M::fma64(f, LN_2, -high)), shifted)
}

/// Computes e to the power x, less 1.
///
/// At most 0.5046 ULP over all f32; a zero keeps its sign.
#[inline(always)]
pub fn expm1_32(x: f32) -> f32 {
    let value = expm1_core(f64::from(x.clamp(-104.0, 89.0))) as f32;
    let value = if x == 0.0 { x } else { value };
    if x.is_nan() { f32::NAN } else { value }
}

/// Computes e to the power x, less 1.
///
/// At most 0.61 ULP (measured 0.6051); a zero keeps its sign.
#[inline(always)]
pub fn expm1_64(x: f64) -> f64 {
    let (half, rest) = half_expm1(x.clamp(-60.0, 709.9));
    let value = 2.0 * (half + rest);
    // There the result is x, whose half may be inexact.
    let value = if x.abs() < 5e-17 { x } else { value };
    canonical64(if x.is_nan() { f64::NAN } else { value })
}
