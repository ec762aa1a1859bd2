//! Sums of two f64, for the compositions whose error a single f64 would amplify.
//!
//! A number is held as a high part and a low part, which is at most half a unit in the last place of the high one. The
//! error terms are Dekker's and Knuth's and need no fused multiply-add, so they are the same on every machine.

use std::f64::consts::LOG2_E;

use super::{ROUND, poly};

/// Holds the unevaluated sum of a high and a low part.
#[derive(Clone, Copy)]
pub(super) struct Double {
    /// Is the sum, rounded.
    pub(super) high: f64,
    /// Is what the rounding left.
    pub(super) low: f64,
}

impl Double {
    /// Holds a single f64.
    pub(super) const fn single(high: f64) -> Self {
        Self { high, low: 0.0 }
    }

    /// Adds two f64 exactly, of which the first is the larger.
    fn ordered(large: f64, small: f64) -> Self {
        let high = large + small;
        Self { high, low: small - (high - large) }
    }

    /// Adds two f64 exactly.
    #[inline(always)]
    pub(super) fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let b_part = high - a;
        Self { high, low: (a - (high - b_part)) + (b - b_part) }
    }

    /// Multiplies two f64 exactly, for products far from overflow and underflow.
    #[inline(always)]
    pub(super) fn product(a: f64, b: f64) -> Self {
        let ((a_top, a_rest), (b_top, b_rest)) = (halves(a), halves(b));
        let high = a * b;
        let low = ((a_top * b_top - high) + a_top * b_rest + a_rest * b_top) + a_rest * b_rest;
        Self { high, low }
    }

    /// Multiplies two sums.
    pub(super) fn times(self, other: Self) -> Self {
        let exact = Self::product(self.high, other.high);
        Self::ordered(exact.high, exact.low + (self.high * other.low + self.low * other.high))
    }

    /// Rounds the sum to one f64.
    pub(super) fn round(self) -> f64 {
        self.high + self.low
    }
}

/// Cuts a f64 into two of at most 26 significant bits each.
#[inline(always)]
fn halves(x: f64) -> (f64, f64) {
    const CUT: f64 = 134_217_729.0;
    let scaled = CUT * x;
    let top = scaled - (scaled - x);
    (top, x - top)
}

/// Multiplies by 2^n for |n| <= 2000, rounding at most once.
pub(super) fn shift(x: f64, n: i32) -> f64 {
    let power = |n: i32| f64::from_bits(((n + 1023) as u64) << 52);
    let near = n.clamp(-1000, 1000);
    x * power(near) * power(n - near)
}

/// Holds 1/3!, 1/4!, ..., 1/17!.
const EXP_TAIL: [f64; 15] = [
    0.166_666_666_666_666_66,
    0.041_666_666_666_666_664,
    0.008_333_333_333_333_333,
    0.001_388_888_888_888_889,
    0.000_198_412_698_412_698_4,
    2.480_158_730_158_730_2e-5,
    2.755_731_922_398_589_3e-6,
    2.755_731_922_398_589e-7,
    2.505_210_838_544_172e-8,
    2.087_675_698_786_81e-9,
    1.605_904_383_682_161_3e-10,
    1.147_074_559_772_972_5e-11,
    7.647_163_731_819_816e-13,
    4.779_477_332_387_385e-14,
    2.811_457_254_345_520_6e-15,
];

/// Computes e to the power x for |x| <= 1000, as a sum near 1 and the power of two to multiply it by.
///
/// log 2 is subtracted n times in three parts of 40, 40 and 53 bits, the first two exactly; then the Taylor series is
/// summed with its first terms in two parts. The relative error is 2^-60.
pub(super) fn exp_double(x: Double) -> (Double, i32) {
    const LN_2: [f64; 3] = [0.693_147_180_559_208_2, 7.371_002_565_161_996e-13, 5.802_988_983_595_690_5e-25];
    let n = (x.high * LOG2_E + ROUND) - ROUND;
    let near = Double::sum(x.high - n * LN_2[0], -(n * LN_2[1]));
    let r = Double::ordered(near.high, near.low + (x.low - n * LN_2[2]));
    let square = Double::product(r.high, r.high);
    let (half, half_rest) = (0.5 * square.high, 0.5 * square.low + r.high * r.low);
    let tail = r.high * square.high * poly(&EXP_TAIL, r.high);
    let first = Double::ordered(r.high, half);
    let less_one = Double::ordered(first.high, first.low + (r.low + half_rest + tail));
    let one = Double::ordered(1.0, less_one.high);
    (Double::ordered(one.high, one.low + less_one.low), n as i32)
}
