//! Exponential and logarithm in extended precision, to more than 60 bits, for the f64 forms.
//!
//! Both are polynomials whose first terms are summed in two parts. A product is exact where both factors have at most
//! 26 significant bits, so factors are cut there by a mask: two integer operations instead of Dekker's three
//! additions. Nothing branches, converts to an integer or looks up a table, and no fused multiply-add is used, so that
//! plain loops vectorise and give the same bits under every instruction set.

use std::f64::consts;

use super::{ROUND, float_n::Fma, poly};

/// Coefficients of (e^w - 1 - w - w^2 / 2) / w^3 for |w| <= log(2) / 2; error 2^-59.8 relative to e^w.
pub(super) const EXTENDED_EXP: [f64; 10] = [
    0.16666666666666669,
    0.041666666666666664,
    0.00833333333333006,
    0.001388888888888655,
    0.00019841269863066696,
    2.480158731715384e-05,
    2.7557268439678e-06,
    2.7557282955039673e-07,
    2.5100395159429243e-08,
    2.091124353145679e-09,
];

/// Coefficients of (3 atanh(s) / s - 3 - s^2) / s^4 in s^2, for |s| <= tanh(log(2) / 16); error 2^-74 relative to
/// the logarithm.
const EXTENDED_LOG: [f64; 5] = [0.6, 0.4285714285711863, 0.33333333436702606, 0.27272572950663454, 0.23170915572710654];

/// log 2 truncated to 42 bits, whose product with an exponent is exact.
pub(super) const LN_2_TOP: f64 = 0.6931471805598903;
/// log 2 minus its top.
pub(super) const LN_2_REST: f64 = 5.497923018708371e-14;

/// Holds a positive constant as the sum of 26 bits, cut, and the rest, and rounded to one f64.
pub(super) struct Factor {
    top: f64,
    rest: f64,
    whole: f64,
}

/// Log 2.
pub(super) const EXTENDED_LN_2: Factor =
    Factor { top: 0.6931471675634384, rest: 1.2996506893889889e-8, whole: 0.6931471805599453 };
/// 1 / log 2.
pub(super) const EXTENDED_LOG2_E: Factor =
    Factor { top: 1.4426950216293335, rest: 1.9259629911266175e-08, whole: 1.4426950408889634 };
/// 2 / (3 log 2).
const TWO_THIRDS_LOG2_E: Factor =
    Factor { top: 0.9617966860532761, rest: 7.872699542894897e-9, whole: 0.9617966939259756 };

/// Holds a number as the sum of a top of at most 26 significant bits and a rest.
#[derive(Clone, Copy)]
pub(super) struct Split {
    /// The sum, truncated or rounded to 26 bits.
    pub(super) top: f64,
    /// The rest.
    pub(super) rest: f64,
}

impl Split {
    /// Splits a single f64, exactly.
    #[inline(always)]
    pub(super) fn of(x: f64) -> Self {
        let top = cut(x);
        Self { top, rest: x - top }
    }

    /// Splits the sum of a large and a small number.
    #[inline(always)]
    fn of_sum(large: f64, small: f64) -> Self {
        let top = cut(large + small);
        Self { top, rest: (large - top) + small }
    }

    /// Multiplies by a constant: returns an exact product and the small rest.
    #[inline(always)]
    pub(super) fn by(self, factor: &Factor) -> (f64, f64) {
        (self.top * factor.top, self.top * factor.rest + self.rest * factor.whole)
    }
}

/// Keeps the 26 highest significant bits, towards zero.
#[inline(always)]
pub(super) fn cut(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xffff_ffff_f800_0000)
}

/// Adds two f64 exactly, of which the first is the larger: returns the sum and its error.
#[inline(always)]
pub(super) fn ordered(large: f64, small: f64) -> (f64, f64) {
    let sum = large + small;
    (sum, small - (sum - large))
}

/// Adds two f64 exactly: returns the sum and its error.
#[inline(always)]
pub(super) fn sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Multiplies two sums of two f64 with fused operations.
#[inline(always)]
pub(super) fn times<M: Fma>((a, a_rest): (f64, f64), (b, b_rest): (f64, f64)) -> (f64, f64) {
    let product = a * b;
    (product, M::fma64(a, b, -product) + M::fma64(a, b_rest, a_rest * b))
}

/// Rounds to the nearest integer, for |x| < 2^51.
#[inline(always)]
pub(super) fn nearest(x: f64) -> f64 {
    (x + ROUND) - ROUND
}

/// Computes 2^n for whole n from -1022 to 1023, without a conversion: the sum's low bits are the exponent's.
#[inline(always)]
pub(super) fn power_of_2(n: f64) -> f64 {
    f64::from_bits((n + (ROUND + 1023.0)).to_bits() << 52)
}

/// Splits x into n log 2 + w with |w| <= log(2) / 2 for |x| <= 1100; w is exact where n is 0.
///
/// log 2 is subtracted in two parts; the product with the first, of 42 bits, is exact.
#[inline(always)]
pub(super) fn reduce_e(x: f64) -> (Split, f64) {
    reduce_e_sum(x, -0.0)
}

/// Splits the sum of x and a small rest in the same way.
#[inline(always)]
fn reduce_e_sum(x: f64, rest: f64) -> (Split, f64) {
    let n = nearest(x * consts::LOG2_E);
    (Split::of_sum(x - n * LN_2_TOP, rest - n * LN_2_REST), n)
}

/// Computes e^w - 1 for |w| <= log(2) / 2 as a sum of two f64, to about 2^-60 of its value.
///
/// w^2 / 2 is exact in the top of w; the terms from w^3 on do not need a second part.
#[inline(always)]
pub(super) fn expm1_sum(w: Split) -> (f64, f64) {
    let single = w.top + w.rest;
    let (high, low) = ordered(w.top, 0.5 * w.top * w.top);
    let tail = w.rest * (1.0 + 0.5 * (w.top + single)) + single * single * single * poly(&EXTENDED_EXP, single);
    (high, low + tail)
}

/// Computes e^w for |w| <= log(2) / 2 as a sum of two f64, to about 2^-60 of its value.
#[inline(always)]
pub(super) fn exp_sum(w: Split) -> (f64, f64) {
    let (less_one, low) = expm1_sum(w);
    let (high, rest) = ordered(1.0, less_one);
    (high, rest + low)
}

/// Multiplies a sum near 1 by 2^n for |n| <= 1100, and rounds once, also where the result is subnormal.
///
/// There the sum is first added to the power of two whose last place is the result's, which is then subtracted again.
#[inline(always)]
pub(super) fn scale_once((high, low): (f64, f64), n: f64) -> f64 {
    let grid = f64::from_bits((ROUND + (1.0 - n)).to_bits() << 52);
    let least = if high + low < 1.0 { -1021.0 } else { -1022.0 };
    let grid = if n < least { grid } else { 0.0 };
    let (sum, rest) = ordered(grid, high);
    let rounded = (sum + (rest + low)) - grid;
    let half = nearest(0.5 * n);
    rounded * power_of_2(half) * power_of_2(n - half)
}

/// Divides the sum of two f64, the first rounded, by a split divisor near 1, given its inverse; returns the quotient as
/// a sum.
#[inline(always)]
pub(super) fn divide(above: f64, above_rest: f64, below: Split, inverse: f64) -> (f64, f64) {
    let top = cut(above * inverse);
    (top, (((above - top * below.top) - top * below.rest) + above_rest) * inverse)
}

/// Computes (e^x - 1) / 2 for -100 <= x <= 710 as the sum of a f64 and its error, to about 2^-60 of its value.
///
/// The half is computed because 2^n itself may be too large.
#[inline(always)]
pub(super) fn half_expm1(x: f64) -> (f64, f64) {
    let (w, n) = reduce_e(x);
    let (high, low) = expm1_sum(w);
    let power = power_of_2(n - 1.0);
    let (less_half, lost) = sum(power, -0.5);
    let (sum, rest) = ordered(less_half, power * high);
    ordered(sum, rest + (lost + power * low))
}

/// Holds 2^e m with m from 2^(-3/8) to 2^(5/8), and m close to 2^(k/4).
struct Significand {
    /// M.
    m: f64,
    /// 2^-e, for e < 1023.
    unit: f64,
    /// E + k/4.
    whole: f64,
    /// 2^(k/4), rounded.
    center: f64,
    /// The rounding error.
    center_rest: f64,
}

impl Significand {
    /// Splits a positive normal number.
    #[inline(always)]
    fn of(x: f64) -> Self {
        const BIAS: u64 = 1024 << 52;
        const ONE: u64 = 0x3ff0_0000_0000_0000;
        const TWO_52: u64 = 0x4330_0000_0000_0000;
        const TWO_52_AND_BIAS: f64 = 4_503_599_627_371_520.0;
        let bits = x.to_bits();
        // 2^(-3/8) is the least significand.
        let offset = bits.wrapping_sub(0x3fe8_ace5_422a_a0db).wrapping_add(BIAS);
        let exponent = f64::from_bits((offset >> 52) | TWO_52) - TWO_52_AND_BIAS;
        let unit = (offset & 0xfff0_0000_0000_0000).wrapping_sub(BIAS);
        let m = f64::from_bits(bits.wrapping_sub(unit));
        // The borders are the odd powers of 2^(1/8).
        let choose = |low: f64, one: f64, high: f64, highest: f64| {
            let value = if m < 0.9170040432046712 { low } else { one };
            let value = if m < 1.0905077326652577 { value } else { high };
            if m < 1.2968395546510096 { value } else { highest }
        };
        Self {
            m,
            unit: f64::from_bits(ONE.wrapping_sub(unit)),
            whole: exponent + choose(-0.25, 0.0, 0.25, 0.5),
            center: choose(0.8408964152537145, 1.0, 1.189207115002721, 1.4142135623730951),
            center_rest: choose(4.099505010290748e-17, 0.0, 3.982015231465646e-17, -9.667293313452913e-17),
        }
    }

    /// Computes the logarithm to base 2 of 2^e (m + rest), where `f + f_rest` is m + rest - 2^(k/4).
    ///
    /// With s = f / (m + 2^(k/4)) it is e + k/4 + 2 atanh(s) / log 2. Near x = 1 both e and k are 0, and the relative
    /// error stays small.
    #[inline(always)]
    fn log2(&self, rest: f64, f: f64, f_rest: f64) -> Split {
        let d = self.m + self.center;
        let d_top = cut(d);
        let d_rest = (self.m - (d_top - self.center)) + (rest + self.center_rest);
        let (s_top, s_rest) = divide(f, f_rest, Split { top: d_top, rest: d_rest }, 1.0 / d);
        // 3 atanh(s) = s t, where the square of the top of s is exact.
        let s = s_top + s_rest;
        let (square, exact) = (s * s, s_top * s_top);
        let t_top = cut(3.0 + exact);
        let small = s_rest * (s + s_top) + square * square * poly(&EXTENDED_LOG, square);
        let t_rest = (exact - (t_top - 3.0)) + small;
        let (high, low) = Split::of_sum(s_top * t_top, s_rest * t_top + s * t_rest).by(&TWO_THIRDS_LOG2_E);
        let top = cut(self.whole + high);
        Split { top, rest: (high - (top - self.whole)) + low }
    }
}

/// Computes the logarithm to base 2 of a sum of three f64, each far smaller than the one before, plus `more`.
///
/// The sum is from 1 to 1e308; where it is slightly above 1, the error is relative to the excess.
#[inline(always)]
pub(super) fn log2_of_sum(high: f64, low: f64, rest: f64, more: f64) -> Split {
    let mut parts = Significand::of(high);
    parts.whole += more;
    let (low, rest) = (low * parts.unit, rest * parts.unit);
    let (f, f_rest) = sum(parts.m - parts.center, low - parts.center_rest);
    parts.log2(low + rest, f, f_rest + rest)
}

/// Computes the root of a sum of two f64 as such a sum; of zero, zero.
#[inline(always)]
pub(super) fn root_sum((square, rest): (f64, f64)) -> (f64, f64) {
    let root = square.sqrt();
    let parts = Split::of(root);
    let lost = ((square - parts.top * parts.top) - parts.rest * (parts.top + root)) + rest;
    (root, if root > 0.0 { lost / (2.0 * root) } else { 0.0 })
}
