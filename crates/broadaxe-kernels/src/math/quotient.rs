//! Integer division by floats, which vectorises where integer division does not, and by multiplication.
//!
//! Let a and b be integers below 2^n in magnitude. A whole number k is the floor of a / b exactly if v = (a ± 1/2) / b,
//! with the sign of b, is between k and k + 1. Quotients are multiples of 1 / |b| and v is moved by half of that, so v
//! is at least 1 / (2 |b|) away from both. So v - 1/2 rounds to k even if v is only known to a few units in the last
//! place: |v| is below 2^n / |b|, so an error of 2^-p |v| is harmless for n < p - 2. That is f32 (p = 24) for up to 16
//! bits, and f64 (p = 53) for 32 bits. The same holds with v = a * (1 / b) + (1/2) / |b|, which has one more rounding
//! but no division if b is constant. To round towards zero, a is moved away from zero and the half is subtracted
//! towards zero.
//!
//! No float is precise enough for 64 bits, except for numbers below 2^50 (see [`Units`]). For others the quotient is
//! computed in two parts of slightly more than 32 bits, each too small by at most 1 and never too large, and the
//! remainder shows whether 1 is missing. A constant divisor gives a factor of 65 bits (Granlund and Montgomery,
//! "Division by Invariant Integers using Multiplication", 1994, figure 4.1) whose product with the dividend has the
//! quotient in its upper half.
//!
//! A zero divisor gives an arbitrary number; guards reject it.

use super::float_n::Fma;

/// 1.5 * 2^23: an f32 of this size has units in the last place, so that adding it rounds to a whole number, which is
/// then in the low bits. A cast would truncate, but it also clamps, and clamping casts do not vectorise.
const UNITS_32: f32 = 12_582_912.0;
/// The same for f64: 1.5 * 2^52.
const UNITS_64: f64 = 6_755_399_441_055_744.0;

/// Holds a whole number below 2^51 in magnitude as that number plus `UNITS_64`, an f64: its bits are the number plus a
/// constant.
#[derive(Clone, Copy)]
pub(crate) struct Units(f64);

impl Units {
    /// The bound on magnitudes below which floats divide exactly. Products of a quotient and its divisor are below
    /// twice that.
    pub(crate) const LIMIT: i64 = 1 << 50;

    /// Converts a number.
    #[inline(always)]
    pub(crate) fn of(x: i64) -> Self {
        Self(f64::from_bits((x as u64).wrapping_add(UNITS_64.to_bits())))
    }

    /// Returns the number.
    #[inline(always)]
    pub(crate) fn whole(self) -> i64 {
        self.0.to_bits().wrapping_sub(UNITS_64.to_bits()) as i64
    }

    /// Converts the result of a division.
    #[inline(always)]
    pub(crate) fn of_bits(bits: u64) -> Self {
        Self(f64::from_bits(bits))
    }

    /// Returns the number as a float.
    #[inline(always)]
    pub(crate) fn value(self) -> f64 {
        self.0 - UNITS_64
    }

    /// Subtracts a product of two numbers; exact.
    #[inline(always)]
    pub(crate) fn less<M: Fma>(self, a: Self, b: Self) -> Self {
        Self(M::multiply_add64(-a.value(), b.value(), self.value()) + UNITS_64)
    }
}

macro_rules! quotients {
    ($float:ident, $bits:ident, $units:ident, $what:literal, $floor:ident, $trunc:ident) => {
        #[doc = concat!("Divides, rounding down, and returns the low bits; for ", $what, ".")]
        #[inline(always)]
        pub fn $floor(a: $float, b: $float) -> $bits {
            let half: $float = 0.5;
            ((a + half.copysign(b)) / b - half + $units).to_bits()
        }

        #[doc = concat!("Divides towards zero, and returns the low bits; for ", $what, ".")]
        #[inline(always)]
        pub fn $trunc(a: $float, b: $float) -> $bits {
            let half: $float = 0.5;
            let quotient = (a + half.copysign(a)) / b;
            (quotient - half.copysign(quotient) + $units).to_bits()
        }
    };
}
quotients!(f32, u32, UNITS_32, "integers of at most 16 bits", floor_by_f32, trunc_by_f32);
quotients!(f64, u64, UNITS_64, "integers of at most 32 bits, or below 2^50", floor_by_f64, trunc_by_f64);

macro_rules! inverse {
    ($float:ident, $bits:ident, $units:ident, $multiply_add:ident, $what:literal, $name:ident) => {
        #[doc = concat!("A precomputed divisor, for ", $what, ".")]
        #[derive(Clone, Copy)]
        pub struct $name {
            inverse: $float,
            /// The summand that makes a product round to the floor.
            down: $float,
            /// The summand that makes the product of a positive dividend round towards zero.
            cut: $float,
        }

        impl $name {
            /// Precomputes a divisor.
            #[inline(always)]
            pub fn new(b: $float) -> Self {
                let (inverse, half): ($float, $float) = (1.0 / b, 0.5);
                Self { inverse, down: half * inverse.abs() - half, cut: half * inverse - half.copysign(b) }
            }

            /// Divides, rounding down, and returns the low bits.
            #[inline(always)]
            pub(crate) fn floor_bits<M: Fma>(self, a: $float) -> $bits {
                (M::$multiply_add(a, self.inverse, self.down) + $units).to_bits()
            }

            /// Divides towards zero, and returns the low bits.
            #[inline(always)]
            pub(crate) fn trunc_bits<M: Fma>(self, a: $float) -> $bits {
                let minus_zero: $float = -0.0;
                let sign = a.to_bits() & minus_zero.to_bits();
                (M::$multiply_add(a, self.inverse, $float::from_bits(self.cut.to_bits() ^ sign)) + $units).to_bits()
            }
        }
    };
}
inverse!(f32, u32, UNITS_32, multiply_add, "integers of at most 16 bits", Inverse32);
inverse!(f64, u64, UNITS_64, multiply_add64, "integers of at most 32 bits, or below 2^50", Inverse64);

/// Truncates a number from 0 to 2^50 to its floor, or to 1 less if it is whole.
#[inline(always)]
fn whole(x: f64) -> u64 {
    (x - 0.5 + UNITS_64).to_bits().wrapping_sub(UNITS_64.to_bits())
}

/// Divides, rounding down.
///
/// The dividend and the inverse of the divisor are rounded, so that their product is off by less than 2^-51 of itself.
/// It is reduced by 2^-50, and is then never too large. Its upper 32 bits are truncated at 2^32 and subtracted from the
/// dividend; the quotient of the rest, below 2^33 times the divisor, is known to 2^-16.
#[inline(always)]
pub fn divide_wide(a: u64, b: u64) -> u64 {
    const LESS: f64 = 1.0 - 1.0 / (1_u64 << 50) as f64;
    const UPPER: f64 = LESS / (1_u64 << 32) as f64;
    let inverse = 1.0 / b as f64;
    let upper = whole(a as f64 * inverse * UPPER) << 32;
    let rest = a.wrapping_sub(upper.wrapping_mul(b));
    let lower = whole(rest as f64 * inverse * LESS);
    let rest = rest.wrapping_sub(lower.wrapping_mul(b));
    upper.wrapping_add(lower).wrapping_add(u64::from(rest >= b))
}

/// A precomputed divisor of 8 bits: 2^8 / b, rounded down, and b itself.
///
/// After the shift, the product with a dividend is too small by less than 1. So the quotient is correct or 1 too small,
/// which the remainder shows: all in 16 bits, which vectors multiply at once.
/// tells: all in 16 bits, which vectors multiply at once.
#[derive(Clone, Copy)]
pub struct Factor8 {
    factor: u16,
    by: u16,
}

impl Factor8 {
    /// Precomputes a divisor; 0 counts as 1.
    #[inline(always)]
    pub fn new(b: u8) -> Self {
        let by = b.max(1).into();
        Self { factor: (1 << 8) / by, by }
    }

    /// Divides, rounding down.
    #[inline(always)]
    pub fn divide(self, a: u8) -> u8 {
        let a = u16::from(a);
        let quotient = a.wrapping_mul(self.factor) >> 8;
        let rest = a.wrapping_sub(quotient.wrapping_mul(self.by));
        quotient.wrapping_add(u16::from(rest >= self.by)) as u8
    }
}

/// A precomputed divisor of 64 bits: the low 64 bits of its factor, and the shifts before and after adding the 65th
/// bit.
#[derive(Clone, Copy)]
pub struct Factor64 {
    low: u64,
    before: u32,
    after: u32,
}

impl Factor64 {
    /// Precomputes a divisor; 0 counts as 1.
    #[inline(always)]
    pub fn new(b: u64) -> Self {
        let b = b.max(1);
        let bits = u64::BITS - (b - 1).leading_zeros();
        let above = (1_u128 << bits) - u128::from(b);
        Self { low: ((above << 64) / u128::from(b)) as u64 + 1, before: bits.min(1), after: bits.saturating_sub(1) }
    }

    /// Divides, rounding down.
    #[inline(always)]
    pub fn divide(self, a: u64) -> u64 {
        let high = ((u128::from(a) * u128::from(self.low)) >> 64) as u64;
        ((a - high) >> self.before).wrapping_add(high) >> self.after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers where a quotient is most likely to be wrong: next to powers of two, and next to multiples.
    fn edges() -> Vec<u64> {
        let edges = |bit: u32| [0, 1, 2].map(|k| (1_u64 << bit).wrapping_sub(1).wrapping_add(k));
        let mut numbers: Vec<u64> = (0..64).flat_map(edges).collect();
        for b in [3, 7, 10, 641, 6_700_417, 4_294_967_291, u64::MAX / 3, u64::MAX - 1] {
            numbers.extend([
                u64::MAX / b * b - 1,
                u64::MAX / b * b,
                (u64::MAX / 2 / b * b).wrapping_sub(1),
                u64::MAX / 2 / b * b,
                b,
            ]);
        }
        numbers
    }

    #[test]
    fn wide_quotients_are_exact() {
        let numbers = edges();
        let mut divisors = numbers.clone();
        divisors.retain(|&b| b > 0);
        for &b in &divisors {
            for &a in &numbers {
                assert_eq!(divide_wide(a, b), a / b, "{a} / {b}");
            }
            // Products with the quotients, and their neighbours.
            for q in numbers.iter().map(|&q| q % (u64::MAX / b).max(1)) {
                for a in [q * b, (q * b).wrapping_sub(1), q * b + (b - 1)] {
                    assert_eq!(divide_wide(a, b), a / b, "{a} / {b}");
                }
            }
        }
    }

    #[test]
    fn factors_of_8_bits_divide_exactly() {
        for b in 1..=u8::MAX {
            let factor = Factor8::new(b);
            assert!((0..=u8::MAX).all(|a| factor.divide(a) == a / b), "by {b}");
        }
    }

    #[test]
    fn factors_divide_exactly() {
        let numbers = edges();
        for &b in numbers.iter().filter(|&&b| b > 0) {
            let factor = Factor64::new(b);
            for &a in &numbers {
                assert_eq!(factor.divide(a), a / b, "{a} / {b}");
            }
        }
    }
}
