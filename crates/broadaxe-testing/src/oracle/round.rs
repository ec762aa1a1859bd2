//! Rounds to a float dtype, to nearest with ties to even, and counts its numbers.
//!
//! A number in a format of `p` bits is a whole multiple of its quantum, two to the power of (exponent - p + 1); below the
//! least normal exponent the quantum stays the same. So rounding is: divide by the quantum, round to a whole number,
//! multiply again; both divisions by powers of two are exact.

use super::value::{Format, Ty};

/// Returns two to the power of `n`.
pub(super) fn power_of_two(n: i32) -> f64 {
    match n {
        -1022..=1023 => f64::from_bits(((n + 1023) as u64) << 52),
        -1074..=-1023 => f64::from_bits(1 << (n + 1074)),
        _ => panic!("2^{n} is beyond f64"),
    }
}

/// Returns the exponent of a finite number that is not 0: 2^e <= |x| < 2^(e + 1).
pub(super) fn exponent(x: f64) -> i32 {
    let bits = x.to_bits() >> 52 & 0x7ff;
    if bits == 0 { exponent(x * power_of_two(60)) - 60 } else { bits as i32 - 1023 }
}

/// Rounds a number to a float dtype; above its greatest number it is infinity.
pub fn round(ty: Ty, x: f64) -> f64 {
    if ty == Ty::F64 || x == 0.0 || !x.is_finite() {
        return x;
    }
    let Format { precision, least, greatest } = ty.format();
    let quantum = exponent(x).max(least) - (precision - 1);
    let whole = (x * power_of_two(-quantum)).round_ties_even();
    let rounded = whole * power_of_two(quantum);
    if rounded != 0.0 && exponent(rounded) > greatest { f64::INFINITY.copysign(x) } else { rounded }
}

/// Rounds a whole number to a float dtype, once.
///
/// What does not fit `f64` is cut to 50 bits whose last one says whether anything was cut: enough for one right rounding.
pub fn round_integer(ty: Ty, n: i128) -> f64 {
    if ty == Ty::F64 {
        return n as f64;
    }
    let size = n.unsigned_abs();
    let cut = (128 - size.leading_zeros()).saturating_sub(50);
    let kept = size >> cut;
    let sticky = u128::from(kept << cut != size);
    let near = (kept | sticky) as f64 * power_of_two(cut as i32);
    round(ty, if n < 0 { -near } else { near })
}

/// Counts the numbers of a dtype from zero to this one, below zero downwards; infinity comes after the greatest.
fn ordinal(ty: Ty, x: f64) -> i128 {
    let Format { precision, least, greatest } = ty.format();
    let size = x.abs();
    let per_exponent = 1i128 << (precision - 1);
    let place = if size == 0.0 {
        0
    } else if size.is_infinite() {
        (i128::from(greatest - least) + 2) * per_exponent
    } else {
        let e = exponent(size).max(least);
        // Divided in two steps, so that neither power leaves f64.
        let quantum = e - (precision - 1);
        let half = quantum / 2;
        let whole = size * power_of_two(-half) * power_of_two(half - quantum);
        whole as i128 + i128::from(e - least) * per_exponent
    };
    if x < 0.0 { -place } else { place }
}

/// Returns the number of a dtype `steps` steps after this one, which must exist; a zero keeps its sign.
pub(super) fn beyond(ty: Ty, x: f64, steps: i128) -> f64 {
    let Format { precision, least, greatest } = ty.format();
    let per_exponent = 1i128 << (precision - 1);
    let place = ordinal(ty, x) + steps;
    let size = place.abs();
    if size == (i128::from(greatest - least) + 2) * per_exponent {
        return if place < 0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    // Subnormal numbers have the quantum of the least exponent.
    let above = (size / per_exponent - 1).max(0);
    let quantum = least + above as i32 - (precision - 1);
    let half = quantum / 2;
    let number = (size - above * per_exponent) as f64 * power_of_two(half) * power_of_two(quantum - half);
    number.copysign(if place == 0 { x } else { place as f64 })
}

/// Counts the steps between two numbers of a dtype; the zeros are one number. `None` when one is NaN.
pub fn distance(ty: Ty, a: f64, b: f64) -> Option<u128> {
    if a.is_nan() || b.is_nan() { None } else { Some(ordinal(ty, a).abs_diff(ordinal(ty, b))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f32_is_rounded_as_the_machine_does() {
        let mut random = crate::random::Random::new(1);
        for _ in 0..200_000 {
            let bits = random.bits();
            // Exponents around those of f32, subnormals and overflow included.
            let near = (bits & !(0x7ff << 52)) | ((1023 - 160 + (bits >> 20) % 300) << 52);
            let x = f64::from_bits(near);
            assert_eq!(round(Ty::F32, x).to_bits(), f64::from(x as f32).to_bits(), "{x:e}");
            let n = i128::from(bits as i64);
            assert_eq!(round_integer(Ty::F32, n), f64::from(n as f32), "{n}");
        }
    }

    #[test]
    fn halves() {
        // dtype, number, rounded
        let cases = [
            (Ty::F16, 2049.0, 2048.0),
            (Ty::F16, 2051.0, 2052.0),
            (Ty::F16, 65519.99, 65504.0),
            (Ty::F16, 65520.0, f64::INFINITY),
            (Ty::F16, power_of_two(-25), 0.0),
            (Ty::F16, power_of_two(-25) * 1.001, power_of_two(-24)),
            (Ty::F16, -3.0 * power_of_two(-25), -power_of_two(-23)),
            (Ty::F16, power_of_two(-1074), 0.0),
            (Ty::BF16, 257.0, 256.0),
            (Ty::BF16, 259.0, 260.0),
            (Ty::BF16, 3.3962e38, f64::INFINITY),
            (Ty::BF16, 255.0 * power_of_two(120), 255.0 * power_of_two(120)),
            (Ty::BF16, power_of_two(-134), 0.0),
            (Ty::BF16, power_of_two(-133), power_of_two(-133)),
        ];
        for (ty, x, want) in cases {
            assert_eq!(round(ty, x), want, "{x:e} to {}", ty.name());
        }
        // 2^24 + 1 is halfway between two f32; one more at the far end decides.
        assert_eq!(round_integer(Ty::F32, (1 << 62) + (1 << 38)), power_of_two(62));
        assert_eq!(round_integer(Ty::F32, (1 << 62) + (1 << 38) + 1), power_of_two(62) + power_of_two(39));
        assert_eq!(round_integer(Ty::BF16, (1 << 63) + (1 << 55) + 1), power_of_two(63) + power_of_two(56));
        assert_eq!(round_integer(Ty::F16, 65_519), 65_504.0);
        assert_eq!(round_integer(Ty::F16, -65_520), f64::NEG_INFINITY);
    }

    #[test]
    fn steps_lead_to_the_neighbours_of_the_machine() {
        for x in [0.0, -0.0, 5e-324, -5e-324, f64::MIN_POSITIVE, 1.0, -1.0, 0.1, -3.5, f64::MAX, -f64::MAX] {
            assert_eq!(beyond(Ty::F64, x, 1).to_bits(), x.next_up().to_bits(), "{x:e}");
            assert_eq!(beyond(Ty::F64, x, -1).to_bits(), x.next_down().to_bits(), "{x:e}");
            let narrow = x as f32;
            let wide = f64::from(narrow);
            if narrow.is_finite() {
                assert_eq!(beyond(Ty::F32, wide, 1).to_bits(), f64::from(narrow.next_up()).to_bits(), "{x:e}");
                assert_eq!(beyond(Ty::F32, wide, -1).to_bits(), f64::from(narrow.next_down()).to_bits(), "{x:e}");
            }
        }
        assert_eq!(beyond(Ty::F16, 65504.0, 1), f64::INFINITY);
        assert_eq!(beyond(Ty::F16, 1.0, -1), 1.0 - power_of_two(-11));
    }

    #[test]
    fn steps() {
        let next = |x: f32| f64::from(f32::from_bits(x.to_bits() + 1));
        for x in [0.0, 1.0, f32::MIN_POSITIVE, 1e-45, 3.5, f32::MAX] {
            assert_eq!(distance(Ty::F32, f64::from(x), next(x)), Some(1), "{x}");
        }
        assert_eq!(distance(Ty::F32, f64::from(-f32::from_bits(1)), f64::from(f32::from_bits(1))), Some(2));
        assert_eq!(distance(Ty::F64, f64::MAX, f64::INFINITY), Some(1));
        assert_eq!(distance(Ty::F64, 5e-324, 0.0), Some(1));
        assert_eq!(distance(Ty::F64, 1.0, 1.0 + f64::EPSILON), Some(1));
        assert_eq!(distance(Ty::F16, 65504.0, f64::INFINITY), Some(1));
        assert_eq!(distance(Ty::F64, f64::NAN, 0.0), None);
    }
}
