//! Holds the scalar functions beyond plain arithmetic, one for each float dtype.
//!
//! Every function returns the same bits on every machine and at every instruction set: nothing here calls the
//! platform's mathematical library, and nothing is contracted to a fused multiply-add. A result that is not a number
//! is always the canonical quiet NaN.

mod double;
mod exp;
mod log;

mod hyperbolic;
mod power;
mod special;

mod remainder;
mod trig;

pub use exp::{exp2_32, exp2_64, exp32, exp64, expm1_32, expm1_64};
pub use hyperbolic::{
    acosh32, acosh64, asinh32, asinh64, atanh32, atanh64, cosh32, cosh64, sinh32, sinh64, tanh32, tanh64,
};
pub use log::{log1p32, log1p64, log2_32, log2_64, log10_32, log10_64, log32, log64, logaddexp32, logaddexp64};
pub use power::{hypot32, hypot64, pow32, pow64, rsqrt32, rsqrt64, sqrt32, sqrt64};
pub use remainder::{
    div_floor32, div_floor64, fmod32, fmod64, mod_floor32, mod_floor64, remainder_ieee32, remainder_ieee64,
};
pub use special::{
    erf32, erf64, gelu_tanh32, gelu_tanh64, gelu32, gelu64, sigmoid32, sigmoid64, silu32, silu64, softplus32,
    softplus64,
};
pub use trig::{
    acos32, acos64, asin32, asin64, atan2_32, atan2_64, atan32, atan64, cos32, cos64, sin32, sin64, tan32, tan64,
};

/// Replaces any NaN by the canonical quiet one.
///
/// This compares bits: the compiler takes all NaN for equal and drops the same choice between floats behind some
/// operations, such as the square root.
#[inline(always)]
pub fn canonical32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fc0_0000 } else { bits })
}

/// Replaces any NaN by the canonical quiet one.
///
/// This compares bits: the compiler takes all NaN for equal and drops the same choice between floats behind some
/// operations, such as the square root.
#[inline(always)]
pub fn canonical64(x: f64) -> f64 {
    let bits = x.to_bits();
    f64::from_bits(if bits & 0x7fff_ffff_ffff_ffff > 0x7ff0_0000_0000_0000 { 0x7ff8_0000_0000_0000 } else { bits })
}

/// Rounds a float below 2^51 to an integer when added and taken away again; the sum's low bits hold that integer.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Evaluates a polynomial whose coefficients stand in ascending order.
///
/// The even and the odd terms are two chains of their own, so that the processor works on both at once; a single chain
/// is longer than what it can look ahead.
#[inline(always)]
fn poly<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let square = x * x;
    let (mut upper, mut lower) = (coefficients[N - 1], coefficients[N - 2]);
    let mut k = N - 2;
    while k >= 2 {
        upper = upper * square + coefficients[k - 1];
        lower = lower * square + coefficients[k - 2];
        k -= 2;
    }
    if N.is_multiple_of(2) { upper * x + lower } else { (upper * x + lower) * x + coefficients[0] }
}
