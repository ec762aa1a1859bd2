//! Scalar functions beyond plain arithmetic, one for each float dtype.
//!
//! Results do not depend on the machine's mathematical library: only square roots, roundings and the f64 remainder,
//! which are exact by definition, are taken from the platform. A result that is not a number is always the canonical
//! quiet NaN.
//!
//! The f32 forms have no branches and vectorise as plain loops, on x86-64 with AVX-512, with AVX2 and without either,
//! with the same bits by construction. The most used ones, such as exp, logarithms, tanh, sigmoid, sin and pow, stay in f32
//! (`single`, `power32`, `trig`), which gives twice as many lanes, and are within one ULP. They are written for any
//! number of f32 at a time (`float_n`) and with fused operations; CPUs without them emulate these and are some ten times
//! slower. The other f32 forms compute in f64, without fused operations, and round almost correctly. The ULP in their
//! documentation are the largest over all f32, or over a million pairs, against pxfm's f64 functions.
//!
//! The f64 forms use `extended`, sums in two parts that vectorise in the same way. Exceptions are exp, exp2 and the
//! activations (`fused`), which use fused operations, erf and gelu (`normal`), which also use a table, and logarithms and
//! powers (`wide_log`, `power64`), whose small table AVX-512 keeps in registers. Sine, cosine and tangent have two forms:
//! `sin64_few` for up to `FEW_TURNS` radians, which vectorises, and the whole function, which works on integers beyond
//! that. Loops compute the first for all elements, and the second for the few that need it. `docs/reports/accuracy.md` has the
//! measured error of every function.
//!
//! Attempts that failed: evaluating each polynomial as one chain of multiplications and additions, because the chain is
//! longer than a processor looks ahead; and several tests such as `x == INFINITY` in a row, because the compiler merges
//! them into a slow classification of x.
//!
//! ```
//! use broadaxe_kernels::math;
//!
//! assert_eq!(math::log2_32(8.0), 3.0);
//! assert_eq!(math::sigmoid64(0.0), 0.5);
//! assert_eq!(math::mod_floor32(-7.0, 2.0), 1.0);
//! assert!(math::sin32(1e38).abs() <= 1.0);
//! ```

#![allow(
    clippy::unreadable_literal,
    clippy::excessive_precision,
    clippy::approx_constant,
    reason = "fitted coefficients are read by no one, and the first ones come close to known constants"
)]

mod double_double;
mod fma;
#[cfg(any(
    test,
    not(any(target_feature = "fma", target_arch = "aarch64", target_arch = "powerpc64", target_arch = "riscv64"))
))]
mod fma_emulated;
pub(crate) mod float_n;
mod extended;
pub(crate) mod single;
mod exp;
pub(crate) mod wide_log;
mod log;

mod fused;
mod normal;

mod hyperbolic;
mod raise;
pub(crate) mod power32;
pub(crate) mod power64;
mod power;
mod root;
mod special;

mod quotient;
mod remainder;

mod quarter_turns;
mod arc;
mod hyperbola;
mod logaddexp;

mod circular;
mod trig;

pub(crate) use arc::atan64_by;
pub use arc::{acos64, asin64, atan2_64, atan64};
pub use circular::{cos64, sin64, tan64};
pub(crate) use circular::{cos64_by, cos64_few_by, sin64_by, sin64_few_by, tan64_by, tan64_few_by};
pub use exp::{exp2_32, exp2_64, exp32, exp64, expm1_32, expm1_64};
pub(crate) use exp::{exp2_64_by, exp64_by};
pub use fused::{gelu_tanh64, sigmoid64, silu64, softplus64, tanh64};
pub(crate) use fused::{gelu_tanh64_by, sigmoid64_by, silu64_by, softplus64_by, tanh64_by};
pub use hyperbola::{acosh64, asinh64, atanh64, cosh64, sinh64};
pub use hyperbolic::{acosh32, asinh32, atanh32, cosh32, sinh32, tanh32};
pub(crate) use log::log1p64_by;
pub use log::{log1p32, log1p64, log2_32, log2_64, log10_32, log10_64, log32, log64, logaddexp2_32, logaddexp32};
pub use logaddexp::{logaddexp2_64, logaddexp64};
pub use normal::{erf64, gelu64};
pub(crate) use normal::{erf64_by, gelu64_by};
pub(crate) use power::{SIMPLE, find_simple, rsqrt32_by, rsqrt64_by, simple32_by, simple64_by};
pub use power::{hypot32, hypot64, pow32, pow64, rsqrt32, rsqrt64, sqrt32, sqrt64};
pub use quarter_turns::FEW_TURNS;
pub(crate) use quotient::Units;
pub use quotient::{
    Factor8, Factor64, Inverse32, Inverse64, divide_wide, floor_by_f32, floor_by_f64, trunc_by_f32, trunc_by_f64,
};
pub use remainder::{
    div_floor32, div_floor64, fmod32, fmod64, mod_floor32, mod_floor64, remainder_ieee32, remainder_ieee64,
};
pub(crate) use remainder::{
    div_floor32_once, div_floor64_once, fmod32_once, fmod64_once, mod_floor32_once, mod_floor64_once,
    remainder_ieee32_once, remainder_ieee64_once,
};
pub use root::{cbrt32, cbrt64};
pub(crate) use special::{GELU_NEAR, gelu_tanh32_by, gelu32_by, gelu32_near_by};
pub use special::{erf32, gelu_tanh32, gelu32, sigmoid32, silu32, softplus32};
pub use trig::{acos32, asin32, atan2_32, atan32, cos32, sin32, tan32};
pub(crate) use trig::{atan32_by, cos32_by, cos32_few_by, sin32_by, sin32_few_by, tan32_by, tan32_few_by};

/// Replaces any NaN by the canonical quiet one.
///
/// This compares bits: the compiler considers all NaN equal, and removes the same choice between floats after some
/// operations, such as the square root.
#[inline(always)]
pub fn canonical32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fc0_0000 } else { bits })
}

/// Replaces any NaN by the canonical quiet one.
///
/// This compares bits: the compiler considers all NaN equal, and removes the same choice between floats after some
/// operations, such as the square root.
#[inline(always)]
pub fn canonical64(x: f64) -> f64 {
    let bits = x.to_bits();
    f64::from_bits(if bits & 0x7fff_ffff_ffff_ffff > 0x7ff0_0000_0000_0000 { 0x7ff8_0000_0000_0000 } else { bits })
}

/// Rounds a float below 2^51 to an integer when added and subtracted again; the sum's low bits hold that integer.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Evaluates a polynomial with coefficients in ascending order.
///
/// The even and the odd terms are separate chains, so that the processor computes both at once; one chain is longer
/// than it looks ahead.
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

/// Evaluates a polynomial as [`poly`] does, with fused operations, given the square of x.
#[inline(always)]
fn poly_by<M: fma::Fma, const N: usize>(c: &[f64; N], x: f64, square: f64) -> f64 {
    let (mut upper, mut lower) = (c[N - 1], c[N - 2]);
    let mut k = N - 2;
    while k >= 2 {
        upper = M::fma64(upper, square, c[k - 1]);
        lower = M::fma64(lower, square, c[k - 2]);
        k -= 2;
    }
    if N.is_multiple_of(2) { M::fma64(upper, x, lower) } else { M::fma64(M::fma64(upper, x, lower), x, c[0]) }
}
