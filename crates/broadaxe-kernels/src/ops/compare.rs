//! Comparisons: every NaN is unequal to and unordered with everything. Greater is less with exchanged operands.

use crate::{
    dtype::{Bool, Element, bf16, f16},
    number::{Half, Number, Real},
};

/// Elements that are compared without a branch, so that the compiler vectorises it.
pub(crate) trait Ordered: Element {
    /// Says whether both are equal.
    fn is_equal(self, other: Self) -> bool;
    /// Says whether this is less.
    fn is_below(self, other: Self) -> bool;
    /// Says whether this is less or equal.
    fn is_at_most(self, other: Self) -> bool;
}

macro_rules! ordered {
    ($($ty:ident)+) => { $(
        impl Ordered for $ty {
            #[inline(always)]
            fn is_equal(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn is_below(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn is_at_most(self, other: Self) -> bool {
                self <= other
            }
        }
    )+ };
}
ordered! { Bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }

/// The halves, by their bits: comparisons of the crate `half` branch on NaN and on signs, and are thirty times slower.
macro_rules! ordered_halves {
    ($($ty:ident)+) => { $(
        impl Ordered for $ty {
            #[inline(always)]
            fn is_equal(self, other: Self) -> bool {
                (rank(self) == rank(other)) & is_number(self) & is_number(other)
            }
            #[inline(always)]
            fn is_below(self, other: Self) -> bool {
                (rank(self) < rank(other)) & is_number(self) & is_number(other)
            }
            #[inline(always)]
            fn is_at_most(self, other: Self) -> bool {
                (rank(self) <= rank(other)) & is_number(self) & is_number(other)
            }
        }
    )+ };
}
ordered_halves! { f16 bf16 }

/// Returns an integer that orders numbers as they are ordered; both zeros have the same.
#[inline(always)]
fn rank<H: Half>(x: H) -> i16 {
    let bits = x.to_bits().cast_signed();
    let sign = bits >> 15;
    ((bits & i16::MAX) ^ sign).wrapping_sub(sign)
}

#[inline(always)]
fn is_number<H: Half>(x: H) -> bool {
    x.to_bits() & 0x7fff <= H::INFINITY.to_bits()
}

binary! {
    /// a == b
    Equal<T: Ordered> -> Bool: |a, b| a.is_equal(b).into(), commutes true;
    /// a != b
    NotEqual<T: Ordered> -> Bool: |a, b| (!a.is_equal(b)).into(), commutes true;
    /// a < b
    Less<T: Ordered> -> Bool: |a, b| a.is_below(b).into();
    /// a <= b
    LessEqual<T: Ordered> -> Bool: |a, b| a.is_at_most(b).into();
    /// 0, b or 1 where a is below, at or above 0; NaN stays NaN
    Heaviside<T: Real> -> T: |a, b| {
        let step = if a > T::ZERO { T::ONE } else { T::ZERO };
        let at_zero = if a == T::ZERO { b } else { step };
        (if a.is_nan() { a } else { at_zero }).canonical()
    };
}

unary! {
    /// a is a NaN
    IsNan<T: Number> -> Bool: |x| x.is_nan().into();
    /// a is an infinity
    IsInf<T: Real> -> Bool: |x| x.is_infinite().into();
    /// a is neither NaN nor an infinity
    IsFinite<T: Real> -> Bool: |x| (!x.is_infinite() && !x.is_nan()).into();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::Binary;

    /// Compares all halves with a few others, as the crate `half` compares them.
    #[test]
    fn halves_are_ordered_by_their_bits() {
        fn check<H: Half + Ordered>() {
            let others = [0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x3f80, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7c01, 0xffff];
            for (a, b) in (0..=u16::MAX).flat_map(|a| others.map(|b| (H::from_bits(a), H::from_bits(b)))) {
                let name = (a.to_bits(), b.to_bits());
                for (a, b) in [(a, b), (b, a)] {
                    assert_eq!(a.is_equal(b), a == b, "{name:x?}");
                    assert_eq!(a.is_below(b), a < b, "{name:x?}");
                    assert_eq!(a.is_at_most(b), a <= b, "{name:x?}");
                }
            }
        }
        check::<f16>();
        check::<bf16>();
    }

    #[test]
    fn heaviside_steps_at_zero() {
        let cases = [
            (-2.0, 0.5, 0.0),
            (-0.0, 0.5, 0.5),
            (0.0, -3.0, -3.0),
            (1e-300, 0.5, 1.0),
            (f64::INFINITY, 0.5, 1.0),
            (1.0, f64::NAN, 1.0),
        ];
        for (a, b, want) in cases {
            assert_eq!(Heaviside::apply(a, b), want, "heaviside({a}, {b})");
        }
        assert!(Heaviside::apply(f64::NAN, 0.5).is_nan() && Heaviside::apply(0.0, f64::NAN).is_nan());
    }
}
