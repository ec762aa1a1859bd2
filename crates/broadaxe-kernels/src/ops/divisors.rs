//! The greatest common divisor and the least common multiple.

use crate::loops::Binary;

/// The greatest common divisor of |a| and |b|; of two zeros, 0
pub(crate) struct Gcd;
/// The least common multiple of |a| and |b|; 0 if one of them is 0
pub(crate) struct Lcm;

/// Computes the greatest common divisor by shifts and differences.
///
/// All loops call this function: it needs a hundred steps, so inlining it does not pay.
#[inline(never)]
fn gcd(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    let (mut a, mut b) = (a >> a.trailing_zeros(), b);
    while b != 0 {
        b >>= b.trailing_zeros();
        (a, b) = (a.min(b), a.abs_diff(b));
    }
    a << twos
}

macro_rules! divisors {
    ($($ty:ident: $size:expr;)+) => { $(
        impl Binary<$ty> for Gcd {
            type Out = $ty;
            /// The divisor of the smallest integer and itself or 0 is one more than the dtype's maximum, and wraps.
            #[inline(always)]
            fn apply(a: $ty, b: $ty) -> $ty {
                gcd($size(a) as u64, $size(b) as u64) as $ty
            }
        }
        impl Binary<$ty> for Lcm {
            type Out = $ty;
            /// Multiples beyond the dtype's maximum wrap.
            #[inline(always)]
            fn apply(a: $ty, b: $ty) -> $ty {
                let (a, b) = ($size(a) as u64, $size(b) as u64);
                let divisor = gcd(a, b);
                (if divisor == 0 { 0 } else { (a / divisor).wrapping_mul(b) }) as $ty
            }
        }
    )+ };
}
divisors! {
    i8: i8::unsigned_abs;
    i16: i16::unsigned_abs;
    i32: i32::unsigned_abs;
    i64: i64::unsigned_abs;
    u8: std::convert::identity;
    u16: std::convert::identity;
    u32: std::convert::identity;
    u64: std::convert::identity;
}
