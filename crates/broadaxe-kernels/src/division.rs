//! Divides single integers, by any divisor or by a precomputed one.

use crate::{
    math::{
        Factor8, Factor64, Inverse32, Inverse64, Units, divide_wide, float_n::Fma, floor_by_f32, floor_by_f64,
        trunc_by_f32, trunc_by_f64,
    },
    number::{Integer, Number},
};

/// A divisor that is precomputed for many dividends.
pub(crate) trait PrecomputedDivisor<T>: Copy {
    /// Precomputes a divisor.
    fn of(by: T) -> Self;
    /// Divides towards zero.
    fn trunc<M: Fma>(self, a: T) -> T;
    /// Divides, rounding down.
    fn floor<M: Fma>(self, a: T) -> T;
}

/// An integer that can be divided.
///
/// `MIN / -1` wraps, and division by zero returns an arbitrary number (a guard rejects it before).
pub(crate) trait Divide: Copy + 'static {
    /// The precomputed divisor.
    type By: PrecomputedDivisor<Self>;
    /// Divides towards zero.
    fn div_trunc(self, by: Self) -> Self;
    /// Divides, rounding down.
    fn div_floor(self, by: Self) -> Self;
    /// Returns the remainder for this quotient.
    fn rest<M: Fma>(self, quotient: Self, by: Self) -> Self;
    /// Returns the remainder for the quotient rounded to nearest, ties to even. `floor` is the quotient rounded down.
    fn nearest_rest<M: Fma>(self, floor: Self, by: Self) -> Self;
}

/// An integer that can be divided, with a cheaper path if it and the divisor are small.
pub(crate) trait Dividend: Integer + Divide {
    /// Whether that path exists.
    const NEARER: bool;
    /// The type in which small numbers are divided.
    type Near: Divide;
    /// Says whether this number is small enough for that path.
    fn is_near(self) -> bool;
    /// Converts a small number to that type.
    fn near(self) -> Self::Near;
    /// Converts the result back.
    fn of_near(result: Self::Near) -> Self;
}

/// Returns the remainder of `a` for the quotient rounded to nearest, ties to even.
///
/// The remainder of the quotient rounded down has the divisor's sign, so it can be compared with its distance to the
/// divisor without overflow.
#[inline(always)]
fn nearest_rest<T: Integer>(a: T, floor: T, by: T) -> T {
    let rest = a.sub(floor.mul(by));
    let left = by.sub(rest);
    let over = if by.is_negative() { rest < left } else { rest > left };
    let odd = floor.and(T::ONE) == T::ONE;
    if over || (rest == left && odd) { rest.sub(by) } else { rest }
}

/// A precomputed signed divisor: its magnitude, and -1 if it is negative.
#[derive(Clone, Copy)]
pub(crate) struct Signed<F, T> {
    factor: F,
    sign: T,
}

macro_rules! divide_as {
    ($quotient:expr, $floor:expr, $by:ty: $($ty:ident),+) => { $(
        impl Divide for $ty {
            type By = $by;
            #[inline(always)]
            fn div_trunc(self, by: Self) -> Self { $quotient(self.into(), by.into()) as Self }
            #[inline(always)]
            fn div_floor(self, by: Self) -> Self { $floor(self.into(), by.into()) as Self }
            #[inline(always)]
            fn rest<M: Fma>(self, quotient: Self, by: Self) -> Self { self.sub(quotient.mul(by)) }
            #[inline(always)]
            fn nearest_rest<M: Fma>(self, floor: Self, by: Self) -> Self { nearest_rest(self, floor, by) }
        }
    )+ };
}
divide_as!(trunc_by_f32, floor_by_f32, Factor8: u8);
divide_as!(trunc_by_f32, floor_by_f32, Signed<Factor8, i8>: i8);
divide_as!(trunc_by_f32, floor_by_f32, Inverse32: i16, u16);
divide_as!(trunc_by_f64, floor_by_f64, Inverse64: i32, u32);
divide_as!(divide_wide, divide_wide, Factor64: u64);
divide_as!(trunc_wide, floor_wide, Signed<Factor64, i64>: i64);

/// Divides towards zero.
#[inline(always)]
fn trunc_wide(a: i64, by: i64) -> i64 {
    let minus = (a ^ by) >> 63;
    (divide_wide(a.unsigned_abs(), by.unsigned_abs()) as i64 ^ minus).wrapping_sub(minus)
}

/// Divides magnitudes, rounding down: -(n / d) rounded down is the complement of (n - 1) / d.
#[inline(always)]
fn floor_wide(a: i64, by: i64) -> i64 {
    let minus = if a == 0 { 0 } else { (a ^ by) >> 63 };
    divide_wide(a.unsigned_abs().wrapping_add_signed(minus), by.unsigned_abs()) as i64 ^ minus
}

macro_rules! ready {
    ($($float:ident $inverse:ident: $($ty:ident),+;)+) => { $($(
        impl PrecomputedDivisor<$ty> for $inverse {
            #[inline(always)]
            fn of(by: $ty) -> Self { Self::new($float::from(by)) }
            #[inline(always)]
            fn trunc<M: Fma>(self, a: $ty) -> $ty { self.trunc_bits::<M>($float::from(a)) as $ty }
            #[inline(always)]
            fn floor<M: Fma>(self, a: $ty) -> $ty { self.floor_bits::<M>($float::from(a)) as $ty }
        }
    )+)+ };
}
ready! { f32 Inverse32: i16, u16; f64 Inverse64: i32, u32; }

macro_rules! ready_by_factor {
    ($($factor:ident: $unsigned:ident $signed:ident;)+) => { $(
        impl PrecomputedDivisor<$unsigned> for $factor {
            #[inline(always)]
            fn of(by: $unsigned) -> Self { Self::new(by) }
            #[inline(always)]
            fn trunc<M: Fma>(self, a: $unsigned) -> $unsigned { self.divide(a) }
            #[inline(always)]
            fn floor<M: Fma>(self, a: $unsigned) -> $unsigned { self.divide(a) }
        }
        impl PrecomputedDivisor<$signed> for Signed<$factor, $signed> {
            #[inline(always)]
            fn of(by: $signed) -> Self {
                Self { factor: $factor::new(by.unsigned_abs()), sign: by >> ($signed::BITS - 1) }
            }
            #[inline(always)]
            fn trunc<M: Fma>(self, a: $signed) -> $signed {
                let minus = (a >> ($signed::BITS - 1)) ^ self.sign;
                (self.factor.divide(a.unsigned_abs()) as $signed ^ minus).wrapping_sub(minus)
            }
            // `minus` is -1 where the signs differ; then `a` is not 0.
            #[inline(always)]
            fn floor<M: Fma>(self, a: $signed) -> $signed {
                let minus = if a ^ self.sign < self.sign { -1 } else { 0 };
                self.factor.divide(a.unsigned_abs().wrapping_add_signed(minus)) as $signed ^ minus
            }
        }
    )+ };
}
ready_by_factor! { Factor8: u8 i8; Factor64: u64 i64; }

macro_rules! nowhere_nearer {
    ($($ty:ident),+) => { $(
        impl Dividend for $ty {
            const NEARER: bool = false;
            type Near = Self;
            #[inline(always)]
            fn is_near(self) -> bool { false }
            #[inline(always)]
            fn near(self) -> Self { self }
            #[inline(always)]
            fn of_near(result: Self) -> Self { result }
        }
    )+ };
}
nowhere_nearer!(i8, i16, i32, u8, u16, u32);

impl Dividend for u64 {
    const NEARER: bool = true;
    type Near = Units;
    #[inline(always)]
    fn is_near(self) -> bool {
        self < Units::LIMIT as Self
    }
    #[inline(always)]
    fn near(self) -> Units {
        Units::of(self as i64)
    }
    #[inline(always)]
    fn of_near(result: Units) -> Self {
        result.whole() as Self
    }
}

impl Dividend for i64 {
    const NEARER: bool = true;
    type Near = Units;
    #[inline(always)]
    fn is_near(self) -> bool {
        // One unsigned comparison checks both ends of the range.
        (self.wrapping_add(Units::LIMIT - 1) as u64) < 2 * Units::LIMIT as u64 - 1
    }
    #[inline(always)]
    fn near(self) -> Units {
        Units::of(self)
    }
    #[inline(always)]
    fn of_near(result: Units) -> Self {
        result.whole()
    }
}

impl PrecomputedDivisor<Units> for Inverse64 {
    #[inline(always)]
    fn of(by: Units) -> Self {
        Self::new(by.value())
    }
    #[inline(always)]
    fn trunc<M: Fma>(self, a: Units) -> Units {
        Units::of_bits(self.trunc_bits::<M>(a.value()))
    }
    #[inline(always)]
    fn floor<M: Fma>(self, a: Units) -> Units {
        Units::of_bits(self.floor_bits::<M>(a.value()))
    }
}

impl Divide for Units {
    type By = Inverse64;
    #[inline(always)]
    fn div_trunc(self, by: Self) -> Self {
        Self::of_bits(trunc_by_f64(self.value(), by.value()))
    }
    #[inline(always)]
    fn div_floor(self, by: Self) -> Self {
        Self::of_bits(floor_by_f64(self.value(), by.value()))
    }
    #[inline(always)]
    fn rest<M: Fma>(self, quotient: Self, by: Self) -> Self {
        self.less::<M>(quotient, by)
    }
    #[inline(always)]
    fn nearest_rest<M: Fma>(self, floor: Self, by: Self) -> Self {
        Self::of(nearest_rest(self.whole(), floor.whole(), by.whole()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::float_n::{FmaDefault, FmaHardware};
    use std::fmt::Debug;

    /// Returns the quotient towards zero and the one rounded down, each computed in two ways, and three remainders.
    fn ways<D: Divide, M: Fma>(a: D, b: D, by: D::By) -> [D; 7] {
        let (cut, down) = (by.trunc::<M>(a), by.floor::<M>(a));
        let rests = [a.rest::<M>(cut, b), a.rest::<M>(down, b), a.nearest_rest::<M>(down, b)];
        [a.div_trunc(b), cut, a.div_floor(b), down, rests[0], rests[1], rests[2]]
    }

    /// Returns the same, computed in 128 bits.
    fn exact(a: i128, b: i128) -> [i128; 7] {
        let rest = a.rem_euclid(b);
        let (floor, rest) = if b < 0 && rest != 0 { (a.div_euclid(b) - 1, rest + b) } else { (a.div_euclid(b), rest) };
        let up = 2 * rest.abs() > b.abs() || (2 * rest.abs() == b.abs() && floor & 1 == 1);
        [a / b, a / b, floor, floor, a % b, rest, if up { rest - b } else { rest }]
    }

    /// Divides these numbers by each divisor in all ways, compares with 128 bits, and counts the pairs on the small
    /// path.
    fn check<T: Dividend + Debug>(
        numbers: &[i128],
        divisors: &[i128],
        of: fn(i128) -> T,
        wide: fn(T) -> i128,
    ) -> usize {
        let mut near = 0;
        for b in divisors.iter().map(|&b| of(b)).filter(|&b| wide(b) != 0) {
            let (by, near_by) = (PrecomputedDivisor::of(b), PrecomputedDivisor::of(b.near()));
            for a in numbers.iter().map(|&a| of(a)) {
                let expected = exact(wide(a), wide(b)).map(of);
                assert_eq!(ways::<T, FmaDefault>(a, b, by), expected, "{a:?} / {b:?}");
                assert_eq!(ways::<T, FmaHardware>(a, b, by), expected, "{a:?} / {b:?}, fused");
                if a.is_near() && b.is_near() {
                    let (a, b) = (a.near(), b.near());
                    assert_eq!(ways::<_, FmaDefault>(a, b, near_by).map(T::of_near), expected, "near");
                    assert_eq!(ways::<_, FmaHardware>(a, b, near_by).map(T::of_near), expected, "near, fused");
                    near += 1;
                }
            }
        }
        near
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
        // A wrongly rounded quotient would show first at products and their neighbours.
        for x in [3, 7, 10, 46_341, 65_521, 65_537, 3_037_000_499, 6_700_417 * 641] {
            numbers.extend([31, 32, 50, 63, 64].iter().flat_map(|bit| edges(((1 << bit) - 1) / x * x)));
        }
        numbers.extend(numbers.clone().iter().map(|x| -x));
        check_as!(i32, &numbers, &numbers);
        check_as!(u32, &numbers, &numbers);
        let near = [check_as!(i64, &numbers, &numbers), check_as!(u64, &numbers, &numbers)];
        assert!(near.iter().all(|&pairs| pairs > 20_000), "{near:?}");
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
        let mut near = [0; 2];
        for _ in 0..20_000 {
            let (b, k) = (random().max(1), random());
            for limit in [1 << 31, 1 << 32, 1 << 50, 1 << 63, 1_i128 << 64] {
                let (b, k) = (b % limit, k % limit);
                let product = if b == 0 { k } else { k.min((limit - 1) / b) * b };
                let numbers = [product - 1, product, product + 1, -product - 1, 1 - product];
                check_as!(i32, &numbers, &[b, -b]);
                check_as!(u32, &numbers, &[b]);
                near[0] += check_as!(i64, &numbers, &[b, -b]);
                near[1] += check_as!(u64, &numbers, &[b]);
            }
        }
        assert!(near.iter().all(|&pairs| pairs > 100_000), "{near:?}");
    }
}
