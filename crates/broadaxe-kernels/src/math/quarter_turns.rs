//! Reduces an f64 angle by multiples of pi / 2.
//!
//! Up to `FEW_TURNS`, pi / 2 is subtracted in three parts with fused operations, which are exact but for the last. Beyond
//! it `many` uses the method of Payne and Hanek: of the bits of 2 / pi, only those matter that give neither multiples of
//! four quarter turns nor less than 2^-130 of one. It works on integers of 128 bits and does not vectorise.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

use super::{ROUND, double_double::Double, extended::sum, float_n::Fma};

/// The largest magnitude that `few` accepts: about 2^18 quarter turns.
pub const FEW_TURNS: f64 = 4e5;

/// The part of pi / 2 beyond one f64.
pub(super) const FRAC_PI_2_REST: f64 = 6.123233995736766e-17;
/// The part of pi / 2 beyond these two.
const FRAC_PI_2_LEAST: f64 = -1.4973849048591833e-33;

/// Holds 64 zeros and the bits of 2 / pi after the point, the first in the highest positions.
const TWO_OVER_PI: [u64; 21] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// Holds x minus a multiple of pi / 2, at most slightly more than pi / 4, and the multiple.
#[derive(Clone, Copy)]
pub(super) struct Turned {
    /// The remaining angle.
    pub(super) high: f64,
    /// The rounding error of `high`.
    pub(super) low: f64,
    /// Counts the quarter turns, modulo 2^51.
    pub(super) count: u64,
}

/// Subtracts quarter turns from x, for |x| <= `FEW_TURNS`, with fused operations.
///
/// The rest after the first part is exact, and so are the product with the second part and the difference of both, in two
/// parts. The f64 nearest to a multiple of pi / 2 in that range is 2^-57 away from it; the error is 2^-140.
#[inline(always)]
pub(super) fn few<M: Fma>(x: f64) -> Turned {
    let shifted = M::fma64(x, FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    let second = n * FRAC_PI_2_REST;
    let (high, rest) = sum(M::fma64(-n, FRAC_PI_2, x), -second);
    let low = (rest - M::fma64(n, FRAC_PI_2_REST, -second)) - n * FRAC_PI_2_LEAST;
    Turned { high, low, count: shifted.to_bits() }
}

/// Subtracts quarter turns from x, for finite |x| > `FEW_TURNS`.
pub(super) fn many(x: f64) -> Turned {
    let bits = x.abs().to_bits();
    let m = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    // x is 2^e m. The bits of 2^e 2 / pi from 4 upwards give whole turns; the window begins just below.
    let start = (bits >> 52) as usize + 64 - 2 - 1075;
    let (word, offset) = (start / 64, start % 64);
    let window =
        |k: usize| (u128::from(TWO_OVER_PI[word + k]) << 64 | u128::from(TWO_OVER_PI[word + k + 1])) << offset >> 64;
    let m_wide = u128::from(m);
    let lowest = (window(2) * m_wide) >> 64;
    let turns = window(1).wrapping_mul(m_wide).wrapping_add(lowest).wrapping_add((window(0) * m_wide) << 64);
    let count = (turns >> 126) as u64 + (turns >> 125 & 1) as u64;
    let quarter = (turns << 2) as i128;
    let size = quarter.unsigned_abs();
    let zeros = size.leading_zeros();
    let size = size << zeros;
    let unit = f64::from_bits(u64::from(1023 - 53 - zeros) << 52);
    let fraction = Double { high: (size >> 75) as f64 * unit, low: (size << 53 >> 75) as f64 * unit * 2f64.powi(-53) };
    let angle = fraction.times(Double { high: FRAC_PI_2, low: FRAC_PI_2_REST });
    let sign = if (quarter < 0) == (x < 0.0) { 1.0 } else { -1.0 };
    let count = if x < 0.0 { count.wrapping_neg() } else { count };
    Turned { high: sign * angle.high, low: sign * angle.low, count }
}
