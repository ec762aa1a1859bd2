//! Division of single integers: by any number, and by one that was made ready for many dividends.

use crate::{
    math::{Factor, Inverse32, Inverse64, divide_wide, floor_by_f32, floor_by_f64, trunc_by_f32, trunc_by_f64},
    number::Integer,
};

/// An integer that can be divided.
///
/// `MIN / -1` wraps, and a zero divisor gives any number (a guard refuses it before).
pub trait Divide: Integer {
    /// A divisor made ready for many dividends.
    type By: Copy;
    /// Divides towards zero.
    fn div_trunc(self, by: Self) -> Self;
    /// Divides, rounding down.
    fn div_floor(self, by: Self) -> Self;
    /// Makes this ready as a divisor.
    fn by(self) -> Self::By;
    /// Divides towards zero by what was made ready.
    fn trunc_by(self, by: Self::By) -> Self;
    /// Divides, rounding down, by what was made ready.
    fn floor_by(self, by: Self::By) -> Self;
}

macro_rules! divide_as {
    ($float:ident, $trunc:ident, $floor:ident, $inverse:ident: $($ty:ident),+) => { $(
        impl Divide for $ty {
            type By = $inverse;
            #[inline(always)]
            fn div_trunc(self, by: Self) -> Self { $trunc($float::from(self), $float::from(by)) as Self }
            #[inline(always)]
            fn div_floor(self, by: Self) -> Self { $floor($float::from(self), $float::from(by)) as Self }
            #[inline(always)]
            fn by(self) -> Self::By { $inverse::new($float::from(self)) }
            #[inline(always)]
            fn trunc_by(self, by: Self::By) -> Self { by.trunc($float::from(self)) as Self }
            #[inline(always)]
            fn floor_by(self, by: Self::By) -> Self { by.floor($float::from(self)) as Self }
        }
    )+ };
}
divide_as!(f32, trunc_by_f32, floor_by_f32, Inverse32: i8, i16, u8, u16);
divide_as!(f64, trunc_by_f64, floor_by_f64, Inverse64: i32, u32);

impl Divide for u64 {
    type By = Factor;
    #[inline(always)]
    fn div_trunc(self, by: Self) -> Self {
        divide_wide(self, by)
    }
    #[inline(always)]
    fn div_floor(self, by: Self) -> Self {
        self.div_trunc(by)
    }
    #[inline(always)]
    fn by(self) -> Factor {
        Factor::new(self)
    }
    #[inline(always)]
    fn trunc_by(self, by: Factor) -> Self {
        by.divide(self)
    }
    #[inline(always)]
    fn floor_by(self, by: Factor) -> Self {
        by.divide(self)
    }
}

impl Divide for i64 {
    /// The magnitude, and -1 where the divisor is negative.
    type By = (Factor, i64);
    #[inline(always)]
    fn div_trunc(self, by: Self) -> Self {
        let minus = (self ^ by) >> 63;
        (divide_wide(self.unsigned_abs(), by.unsigned_abs()) as i64 ^ minus).wrapping_sub(minus)
    }
    /// Divides magnitudes: -(n / d) rounded down is the complement of (n - 1) / d.
    #[inline(always)]
    fn div_floor(self, by: Self) -> Self {
        let minus = if self == 0 { 0 } else { (self ^ by) >> 63 };
        divide_wide(self.unsigned_abs().wrapping_add_signed(minus), by.unsigned_abs()) as i64 ^ minus
    }
    #[inline(always)]
    fn by(self) -> Self::By {
        (Factor::new(self.unsigned_abs()), self >> 63)
    }
    #[inline(always)]
    fn trunc_by(self, (factor, sign): Self::By) -> Self {
        let minus = (self >> 63) ^ sign;
        (factor.divide(self.unsigned_abs()) as i64 ^ minus).wrapping_sub(minus)
    }
    #[inline(always)]
    fn floor_by(self, (factor, sign): Self::By) -> Self {
        // The signs differ, and this is not 0.
        let minus = if self ^ sign < sign { -1 } else { 0 };
        factor.divide(self.unsigned_abs().wrapping_add_signed(minus)) as i64 ^ minus
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    /// Divides these numbers, and their neighbours, by each divisor, and compares with 128 bits.
    fn check<T: Divide + Debug>(numbers: &[i128], divisors: &[i128], of: fn(i128) -> T, wide: fn(T) -> i128) {
        for divisor in divisors.iter().map(|&b| of(b)).filter(|&b| wide(b) != 0) {
            let (by, b) = (divisor.by(), wide(divisor));
            for dividend in numbers.iter().map(|&a| of(a)) {
                let a = wide(dividend);
                let floor = a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
                let got = [dividend.div_trunc(divisor), dividend.trunc_by(by)];
                assert_eq!(got, [of(a / b); 2], "{a} / {b}, cut");
                let got = [dividend.div_floor(divisor), dividend.floor_by(by)];
                assert_eq!(got, [of(floor); 2], "{a} / {b}, down");
            }
        }
    }

    macro_rules! check_as {
        ($ty:ident, $numbers:expr, $divisors:expr) => {
            check::<$ty>($numbers, $divisors, |x| x as $ty, |x| i128::from(x))
        };
    }

    #[test]
    fn small_quotients_are_exact() {
        let bytes: Vec<i128> = (-128..256).collect();
        check_as!(i8, &bytes, &bytes);
        check_as!(u8, &bytes, &bytes);
        let all: Vec<i128> = (-0x8000..0x1_0000).collect();
        let some: Vec<i128> =
            all.iter().copied().filter(|x| x % 331 == 0 || (x.abs() + 2) & (x.abs() - 2) < 4).collect();
        check_as!(i16, &all, &some);
        check_as!(i16, &some, &all);
        check_as!(u16, &all, &some);
        check_as!(u16, &some, &all);
    }

    #[test]
    fn quotients_at_the_edges_are_exact() {
        let edges = |x: i128| [x - 2, x - 1, x, x + 1, x + 2];
        let mut numbers: Vec<i128> = (0..65).flat_map(|bit| edges(1 << bit)).collect();
        // Products and their neighbours are where a rounded quotient would first go wrong.
        for x in [3, 7, 10, 46_341, 65_521, 65_537, 3_037_000_499, 6_700_417 * 641] {
            numbers.extend([31, 32, 63, 64].iter().flat_map(|bit| edges(((1 << bit) - 1) / x * x)));
        }
        numbers.extend(numbers.clone().iter().map(|x| -x));
        check_as!(i32, &numbers, &numbers);
        check_as!(u32, &numbers, &numbers);
        check_as!(i64, &numbers, &numbers);
        check_as!(u64, &numbers, &numbers);
    }

    #[test]
    fn quotients_beside_random_products_are_exact() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            // The steps of xorshift64.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            i128::from(state >> (state & 63))
        };
        for _ in 0..20_000 {
            let (b, k) = (random().max(1), random());
            for limit in [1 << 31, 1 << 32, 1 << 63, 1_i128 << 64] {
                let (b, k) = (b % limit, k % limit);
                let product = if b == 0 { k } else { k.min((limit - 1) / b) * b };
                let numbers = [product - 1, product, product + 1, -product - 1, 1 - product];
                check_as!(i32, &numbers, &[b, -b]);
                check_as!(u32, &numbers, &[b]);
                check_as!(i64, &numbers, &[b, -b]);
                check_as!(u64, &numbers, &[b]);
            }
        }
    }
}
