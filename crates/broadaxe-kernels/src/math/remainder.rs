//! Remainders, all exact, and the floor of a quotient.
//!
//! The f32 forms divide in f64, 29 bits of the quotient at a time: a quotient of that size times the divisor's 24
//! bits is exact, and so is the difference. Ten such steps span the widest ratio of two f32, so there is no loop
//! whose length depends on the operands, and the code vectorises. The f64 forms use the remainder operator, which is
//! exact as well.

use super::{ROUND, canonical32, canonical64};

/// Holds what is left of a dividend after taking away the nearest multiple of a divisor, or nearly the nearest.
struct Rest {
    /// Is the exact rest, between plus and minus half the divisor and a little more.
    value: f64,
    /// Says whether the multiple taken away was odd.
    odd: bool,
}

/// Takes from `dividend` the multiple of `divisor` that comes to it as near as f64 can tell; both are positive f32.
#[inline(always)]
fn rest32(dividend: f64, divisor: f64) -> Rest {
    const STEP: f64 = 536_870_912.0;
    const STEP_2: f64 = STEP * STEP;
    const STEP_4: f64 = STEP_2 * STEP_2;
    const STEP_8: f64 = STEP_4 * STEP_4;
    const POWERS: [f64; 10] = [
        STEP_8 * STEP,
        STEP_8,
        STEP_4 * STEP_2 * STEP,
        STEP_4 * STEP_2,
        STEP_4 * STEP,
        STEP_4,
        STEP_2 * STEP,
        STEP_2,
        STEP,
        1.0,
    ];
    let inverse = 1.0 / divisor;
    let (mut value, mut count) = (dividend, ROUND);
    for power in POWERS {
        // Adding 1.5 * 2^52 units rounds to a multiple of the unit.
        count = value * inverse + ROUND * power;
        value -= (count - ROUND * power) * divisor;
    }
    Rest { value, odd: count.to_bits() & 1 == 1 }
}

/// Says whether a / b has a remainder that is a number.
#[inline(always)]
fn divisible32(a: f32, b: f32) -> bool {
    a.abs() < f32::INFINITY && b.abs() > 0.0
}

/// Computes a less the whole multiple of b toward zero, as C's `fmod`.
///
/// Exact, with the sign of a. The remainder by an infinite b is a; of an infinite a, or by zero, it is NaN.
#[inline(always)]
pub fn fmod32(a: f32, b: f32) -> f32 {
    let divisor = f64::from(b.abs());
    let rest = rest32(f64::from(a.abs()), divisor).value;
    let rest = (if rest < 0.0 { rest + divisor } else { rest }) as f32;
    let rest = if divisor < f64::INFINITY { rest.copysign(a) } else { a };
    if divisible32(a, b) { rest } else { f32::NAN }
}

/// Computes a less the whole multiple of b toward zero, as C's `fmod`.
///
/// Exact, with the sign of a. The remainder by an infinite b is a; of an infinite a, or by zero, it is NaN.
#[inline(always)]
pub fn fmod64(a: f64, b: f64) -> f64 {
    canonical64(a % b)
}

/// Computes a less the nearest multiple of b, ties to the even one, as C's `remainder`.
///
/// Exact; a zero result has the sign of a. The remainder by an infinite b is a; of an infinite a, or by zero, it is
/// NaN.
#[inline(always)]
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
pub fn remainder_ieee32(a: f32, b: f32) -> f32 {
    let divisor = f64::from(b.abs());
    let Rest { value, odd } = rest32(f64::from(a.abs()), divisor);
    let (size, half) = (value.abs(), 0.5 * divisor);
    let next = (size > half) | ((size == half) & odd);
    let nearest = (if next { value - divisor.copysign(value) } else { value }) as f32;
    let signed = f32::from_bits(nearest.to_bits() ^ (a.to_bits() & 0x8000_0000));
    let signed = if divisor < f64::INFINITY { signed } else { a };
    if divisible32(a, b) { signed } else { f32::NAN }
}

/// Computes a less the nearest multiple of b, ties to the even one, as C's `remainder`.
///
/// Exact; a zero result has the sign of a. The remainder by an infinite b is a; of an infinite a, or by zero, it is
/// NaN.
#[inline(always)]
pub fn remainder_ieee64(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() || a.is_infinite() || b == 0.0 {
        return f64::NAN;
    }
    let divisor = b.abs();
    if divisor == f64::INFINITY {
        return a;
    }
    // The rest modulo twice the divisor keeps the parity of the quotient. Where the doubling would overflow, |a| is
    // less than twice the divisor already.
    let rest = if divisor <= f64::MAX / 2.0 { a.abs() % (2.0 * divisor) } else { a.abs() };
    let nearest = if exceeds_half64(rest, divisor, false) {
        let once = rest - divisor;
        if exceeds_half64(once, divisor, true) { once - divisor } else { once }
    } else {
        rest
    };
    if a.is_sign_negative() { -nearest } else { nearest }
}

/// Computes the remainder with the sign of the divisor, as NumPy's `mod`.
///
/// A zero result has the sign of b. By an infinite b of the other sign the result is b. Rounded once, where b is added.
#[inline(always)]
pub fn mod_floor32(a: f32, b: f32) -> f32 {
    let rest = fmod32(a, b);
    let shifted = if (rest < 0.0) == (b < 0.0) { rest } else { rest + b };
    let signed = if rest == 0.0 { f32::copysign(0.0, b) } else { shifted };
    canonical32(signed)
}

/// Computes the remainder with the sign of the divisor, as NumPy's `mod`.
///
/// A zero result has the sign of b. By an infinite b of the other sign the result is b. Rounded once, where b is added.
#[inline(always)]
pub fn mod_floor64(a: f64, b: f64) -> f64 {
    let rest = a % b;
    let shifted = if (rest < 0.0) == (b < 0.0) { rest } else { rest + b };
    let signed = if rest == 0.0 { f64::copysign(0.0, b) } else { shifted };
    canonical64(signed)
}

/// Computes the floor of the exact quotient, as NumPy's `floor_divide`.
///
/// The remainder is taken off before the division, so 6 over 0.1 is 59. From 2^22 on, both are rounded: the result may be off by one,
/// or by 1 ULP where that is more. An infinite a gives NaN, division by zero an infinity, or NaN of zero.
#[inline(always)]
pub fn div_floor32(a: f32, b: f32) -> f32 {
    let rest = fmod32(a, b);
    let whole = (a - rest) / b;
    let lowered = if rest != 0.0 && (rest < 0.0) != (b < 0.0) { whole - 1.0 } else { whole };
    let floor = floor32(lowered);
    let rounded = if lowered - floor > 0.5 { floor + 1.0 } else { floor };
    let quotient = if lowered == 0.0 { f32::copysign(0.0, a / b) } else { rounded };
    canonical32(if b == 0.0 { a / b } else { quotient })
}

/// Computes the floor of the exact quotient, as NumPy's `floor_divide`.
///
/// The remainder is taken off before the division, so 6 over 0.1 is 59. From 2^51 on, both are rounded: the result may be off by one,
/// or by 1 ULP where that is more. An infinite a gives NaN, division by zero an infinity, or NaN of zero.
#[inline(always)]
pub fn div_floor64(a: f64, b: f64) -> f64 {
    let rest = a % b;
    let whole = (a - rest) / b;
    let lowered = if rest != 0.0 && (rest < 0.0) != (b < 0.0) { whole - 1.0 } else { whole };
    let floor = lowered.floor();
    let rounded = if lowered - floor > 0.5 { floor + 1.0 } else { floor };
    let quotient = if lowered == 0.0 { f64::copysign(0.0, a / b) } else { rounded };
    canonical64(if b == 0.0 { a / b } else { quotient })
}

/// Says whether `rest` is more than half of `divisor`, or, with `or_equal`, exactly half of it.
#[inline(always)]
fn exceeds_half64(rest: f64, divisor: f64, or_equal: bool) -> bool {
    // Halving is exact where the divisor is large, doubling where it is small.
    let (left, right) = if divisor < 1.0 { (rest + rest, divisor) } else { (rest, 0.5 * divisor) };
    left > right || (or_equal && left == right)
}

/// Rounds to the next whole number below, without the library call that `floor` is on the oldest x86-64.
#[inline(always)]
fn floor32(x: f32) -> f32 {
    const TWO_23: f32 = 8_388_608.0;
    let size = x.abs();
    let near = ((size + TWO_23) - TWO_23).copysign(x);
    let below = if near > x { near - 1.0 } else { near };
    if size < TWO_23 { below } else { x }
}
