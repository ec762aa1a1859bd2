//! Products and sums that are rounded once, for CPUs without an instruction for them.

use super::{double_double::Double, fma::Fma};

/// A fused operation emulated in f64, for CPUs without one. If an f32 operand is not finite, the result is arbitrary.
#[derive(Clone, Copy)]
pub(crate) struct FmaEmulated;

impl Fma for FmaEmulated {
    type Near = Self;
    /// Adds to the product, which is exact, and rounds the sum to odd; rounding that to f32 then gives the correctly
    /// rounded result (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        odd(Double::sum(f64::from(a) * f64::from(b), f64::from(c))) as f32
    }
    /// Adds in two parts to the product in two parts, and rounds the sum of both errors to odd; the last sum is then
    /// correctly rounded (the same source). The product's second part must not be subnormal unless c is far larger.
    #[inline(always)]
    fn fma64(a: f64, b: f64, c: f64) -> f64 {
        /// 2^60.
        const LESS: f64 = 1_152_921_504_606_846_976.0;
        // Infinite, or NaN: the parts would be meaningless.
        let plain = a * b + c;
        if !plain.is_finite() {
            return plain;
        }
        // Splitting the largest numbers overflows; b is not one of them, or the product would overflow.
        let (a, b) = if a.abs() > 1e300 { (a / LESS, b * LESS) } else { (a, b) };
        let product = Double::product(a, b);
        let low = Double::sum(c, product.low);
        let high = Double::sum(product.high, low.high);
        high.high + odd(Double::sum(high.low, low.low))
    }
}

/// Rounds a sum of two f64 to odd: truncates it, and sets the last bit if the sum was inexact.
#[inline(always)]
fn odd(sum: Double) -> f64 {
    let inexact = if sum.low == 0.0 { 0 } else { u64::MAX };
    let over = (sum.high.to_bits() ^ sum.low.to_bits()) >> 63;
    f64::from_bits(sum.high.to_bits().wrapping_sub(over & inexact) | inexact >> 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the fused operation of the standard library, at exponents near each other and far apart, and at ties.
    #[test]
    fn what_is_made_of_doubles_is_fused() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        for turn in 0..2_000_000 {
            let (a, b) = (f32::from_bits(next()), f32::from_bits(next()));
            // Half of the time a summand near the product, so that its last bits decide.
            let near = (f64::from(a) * f64::from(b)) as f32;
            let c =
                if turn % 2 == 0 { f32::from_bits(next()) } else { -f32::from_bits(near.to_bits() ^ (next() % 64)) };
            let (made, fused) = (FmaEmulated::fma(a, b, c), a.mul_add(b, c));
            let finite = (a * 0.0 + b * 0.0 + c * 0.0) == 0.0;
            assert!(!finite || made.to_bits() == fused.to_bits(), "{a:e} * {b:e} + {c:e}");
        }
        for _ in 0..2_000_000 {
            // Products and summands at any distance within two f64.
            let mut number = |exponents: u64| {
                let bits = u64::from(next()) << 32 | u64::from(next());
                f64::from_bits(bits & 0x800f_ffff_ffff_ffff | (1023 - exponents / 2 + bits % exponents) << 52)
            };
            let (a, b, c) = (number(4), number(4), number(200));
            let near = -(a * b) + f64::EPSILON * a * f64::from(next() % 64);
            for c in [c, near] {
                assert_eq!(FmaEmulated::fma64(a, b, c).to_bits(), a.mul_add(b, c).to_bits(), "{a:e} * {b:e} + {c:e}");
            }
        }
        for a in [f64::MAX, -f64::MAX, 1e308, 1.1e300] {
            for b in [1.0 / 3.0, -0.7, 1e-150] {
                for c in [-(a * b), 1e280, -0.25 * a] {
                    assert_eq!(
                        FmaEmulated::fma64(a, b, c).to_bits(),
                        a.mul_add(b, c).to_bits(),
                        "{a:e} * {b:e} + {c:e}"
                    );
                }
            }
        }
        // 1 + 2^-24 is a tie; bits beyond f64 decide it.
        let (one, tiny) = (1.0 + f32::EPSILON, 2f32.powi(-24));
        for c in [1.0, -1.0, one, -one] {
            for (a, b) in [(tiny, one), (tiny, 1.0 - tiny), (-tiny, one), (-tiny, 1.0 - tiny)] {
                assert_eq!(FmaEmulated::fma(a, b, c).to_bits(), a.mul_add(b, c).to_bits(), "{a:e} * {b:e} + {c:e}");
            }
        }
    }
}
