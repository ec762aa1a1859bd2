//! Remainders and the floor of a quotient, all exact.

use super::{canonical32, canonical64};

/// Computes a less the whole multiple of b toward zero, as C's `fmod`.
#[inline(always)]
pub fn fmod32(a: f32, b: f32) -> f32 {
    canonical32(a % b)
}

/// Computes a less the whole multiple of b toward zero, as C's `fmod`.
#[inline(always)]
pub fn fmod64(a: f64, b: f64) -> f64 {
    canonical64(a % b)
}

/// Computes a less the nearest multiple of b, ties to the even one, as C's `remainder`.
#[inline(always)]
pub fn remainder_ieee32(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() || a.is_infinite() || b == 0.0 {
        return f32::NAN;
    }
    let divisor = b.abs();
    if divisor == f32::INFINITY {
        return a;
    }
    // The rest modulo twice the divisor keeps the parity of the quotient. Where the doubling would overflow, |a| is
    // less than twice the divisor already.
    let rest = if divisor <= f32::MAX / 2.0 { a.abs() % (2.0 * divisor) } else { a.abs() };
    let nearest = if exceeds_half32(rest, divisor, false) {
        let once = rest - divisor;
        if exceeds_half32(once, divisor, true) { once - divisor } else { once }
    } else {
        rest
    };
    if a.is_sign_negative() { -nearest } else { nearest }
}

/// Computes a less the nearest multiple of b, ties to the even one, as C's `remainder`.
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
#[inline(always)]
pub fn mod_floor32(a: f32, b: f32) -> f32 {
    let rest = a % b;
    let shifted = if (rest < 0.0) == (b < 0.0) { rest } else { rest + b };
    let signed = if rest == 0.0 { f32::copysign(0.0, b) } else { shifted };
    canonical32(signed)
}

/// Computes the remainder with the sign of the divisor, as NumPy's `mod`.
#[inline(always)]
pub fn mod_floor64(a: f64, b: f64) -> f64 {
    let rest = a % b;
    let shifted = if (rest < 0.0) == (b < 0.0) { rest } else { rest + b };
    let signed = if rest == 0.0 { f64::copysign(0.0, b) } else { shifted };
    canonical64(signed)
}

/// Computes the floor of the exact quotient, as NumPy's `floor_divide`.
#[inline(always)]
pub fn div_floor32(a: f32, b: f32) -> f32 {
    let rest = a % b;
    let whole = (a - rest) / b;
    let lowered = if rest != 0.0 && (rest < 0.0) != (b < 0.0) { whole - 1.0 } else { whole };
    let floor = lowered.floor();
    let rounded = if lowered - floor > 0.5 { floor + 1.0 } else { floor };
    let quotient = if lowered == 0.0 { f32::copysign(0.0, a / b) } else { rounded };
    canonical32(if b == 0.0 { a / b } else { quotient })
}

/// Computes the floor of the exact quotient, as NumPy's `floor_divide`.
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
fn exceeds_half32(rest: f32, divisor: f32, or_equal: bool) -> bool {
    // Halving is exact where the divisor is large, doubling where it is small.
    let (left, right) = if divisor < 1.0 { (rest + rest, divisor) } else { (rest, 0.5 * divisor) };
    left > right || (or_equal && left == right)
}

/// Says whether `rest` is more than half of `divisor`, or, with `or_equal`, exactly half of it.
#[inline(always)]
fn exceeds_half64(rest: f64, divisor: f64, or_equal: bool) -> bool {
    // Halving is exact where the divisor is large, doubling where it is small.
    let (left, right) = if divisor < 1.0 { (rest + rest, divisor) } else { (rest, 0.5 * divisor) };
    left > right || (or_equal && left == right)
}
