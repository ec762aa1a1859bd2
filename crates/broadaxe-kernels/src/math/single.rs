//! Exponentials in f32, for the f32 forms that have no need of f64.
//!
//! A vector holds twice as many f32 as f64, so what stays in f32 takes half the operations. An ULP leaves room for one
//! rounding of the result and little else. Four habits keep to that without a fused multiply-add: log 2 is taken off in
//! two parts, of which the product with the first is exact; e^r - 1 is kept in place of e^r, whose last bits are lost in
//! the 1; what is small is added up first, so that its rounding errors are small as well; and a quotient is a guess plus
//! a small quotient of what the guess leaves, so that the divisor's rounding counts for little.
//!
//! What was tried and given up: e^r as a quotient of two short polynomials, which saves a fifth of the operations, but
//! has 1.4 ULP in `share`; a correction of 1 / d by d's rounding error, which rounds a second time; the division of
//! `share` in f64, whose conversions cost more than all the care in f32; `expm1` in f32, which has 1.15 ULP where 2^n is
//! 2 and the parts cancel; and f32 behind an exponent reduced in f64 for `gelu_tanh`, which gained 4 percent.

use std::f32::consts::LOG2_E;

/// Rounds a f32 below 2^22 to an integer when added and taken away again; the sum's low bits hold that integer.
pub(super) const UNITS: f32 = 12_582_912.0;

/// Is log 2 cut to 15 bits, whose product with an integer below 512 is exact.
pub(super) const LN_2_TOP: f32 = 0.693_145_75;
/// Is log 2 less its top.
pub(super) const LN_2_REST: f32 = 1.428_606_8e-6;

/// Coefficients of (e^r - 1 - r) / r^2 for |r| <= log(2) / 2; error 2^-28.2 relative to e^r.
const TAIL: [f32; 5] = [0.499_999_94, 0.166_665_21, 0.041_668_288, 0.008_368_703_5, 0.001_381_893_9];

/// Is 2^40, by which powers of two that may be as small as 2^-162 are lifted.
const LIFT: f32 = 1_099_511_627_776.0;

/// Holds x = n log 2 + top - rest, where the top is exact and the rest small.
pub(super) struct Reduced {
    top: f32,
    rest: f32,
}

impl Reduced {
    /// Holds a number of at most log(2) / 2.
    #[inline(always)]
    pub(super) fn near(r: f32) -> Self {
        Self { top: r, rest: 0.0 }
    }

    /// Splits x for |x| <= 110; returns bits as well, whose low ones are n plus the units in which `shift` exceeds `UNITS`.
    #[inline(always)]
    pub(super) fn of(x: f32, shift: f32) -> (Self, u32) {
        let shifted = x * LOG2_E + shift;
        let n = shifted - shift;
        (Self { top: x - n * LN_2_TOP, rest: n * LN_2_REST }, shifted.to_bits())
    }

    /// Returns two numbers whose sum is e^r - 1: the top, which is exact, and a small one.
    #[inline(always)]
    pub(super) fn parts(&self) -> (f32, f32) {
        (self.top, tail(self.top - self.rest) - self.rest)
    }

    /// Computes e^r - 1, to 2^-25.5.
    #[inline(always)]
    pub(super) fn expm1(&self) -> f32 {
        let (top, small) = self.parts();
        top + small
    }
}

/// Computes e^r - 1 - r for |r| <= log(2) / 2 and a little.
#[inline(always)]
fn tail(r: f32) -> f32 {
    let square = r * r;
    let first = TAIL[0] + TAIL[1] * r;
    let second = (TAIL[2] + TAIL[3] * r) + TAIL[4] * square;
    square * (first + square * second)
}

/// Multiplies a number near 1 by 2^n for |n| <= 250, where n stands in the low bits; rounds once more where the result is
/// subnormal.
///
/// Half of n is added to the exponent, the other half is a factor: 2^n itself may be no normal number.
#[inline(always)]
pub(super) fn scale(value: f32, n: u32) -> f32 {
    let half = (n << 22) & 0xff80_0000;
    let rest = (n << 23).wrapping_sub(half).wrapping_add(0x3f80_0000);
    f32::from_bits(value.to_bits().wrapping_add(half)) * f32::from_bits(rest)
}

/// Splits x = n log 2 + r for 0 <= x <= 112; returns 2^(40 - n) as well.
#[inline(always)]
pub(super) fn reduce_lifted(x: f32) -> (Reduced, f32) {
    // The exponent's bias, and 40.
    const SHIFT: f32 = UNITS + 167.0;
    let shifted = SHIFT - x * LOG2_E;
    let n = SHIFT - shifted;
    let reduced = Reduced { top: x - n * LN_2_TOP, rest: n * LN_2_REST };
    (reduced, f32::from_bits(shifted.to_bits() << 23))
}

/// Rounds the first of two parts to a multiple of 2^-12, and gives the second what is missing.
#[inline(always)]
pub(super) fn coarse((top, small): (f32, f32)) -> (f32, f32) {
    const GRID: f32 = UNITS / 4096.0;
    let coarse = (top + GRID) - GRID;
    (coarse, (top - coarse) + small)
}

/// Computes a / (1 + 2^n (1 + top + small)), given 2^(40 - n).
///
/// With w = 2^-n it is w a / d, d = 1 + w + top + small. A guess g of a / d, made by taking the bits of d from those of its
/// inverse, is off by 6 percent, and a / d = g + (a - g d) / d. The guess is cut to 8 bits, so that a - g is exact, and
/// without the small part so is most of the rest. At most 1.2 ULP, or 0.805 ULP where a is 1 and the top is coarse.
#[inline(always)]
pub(super) fn share(a: f32, (top, small): (f32, f32), power: f32) -> f32 {
    let w = power * (1.0 / LIFT);
    let d = (1.0 + w) + (top + small);
    let guess = a * f32::from_bits(0x7ef3_1180_u32.wrapping_sub(d.to_bits()));
    let guess = f32::from_bits(guess.to_bits() & 0xffff_0000);
    let rest = (((a - guess) - guess * top) - guess * w) - guess * small;
    ((guess + rest / d) * power) * (1.0 / LIFT)
}
