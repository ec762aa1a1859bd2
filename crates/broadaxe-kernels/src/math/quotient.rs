//! Integer division by the quotient of floats, which vectorises where integer division does not.
//!
//! Let q = a / b for integers below 2^n in magnitude. Unless it is an integer, q is at least 1 / |b| away from one. A float with
//! p digits misses q by at most |q| 2^-p < 2^(n - p) / |b|, so for n < p it never reaches the integer next to q, and cutting
//! the float off gives what cutting q off gives. That is f32 (p = 24) for up to 16 bits, and f64 (p = 53) for 32 bits.
//! A zero divisor gives 0 here; guards refuse it before.

/// 1.5 * 2^23: an f32 of this size has units in the last place, so that adding it rounds to a whole number, which then stands in
/// the low bits. A cast would cut towards zero by itself, but it clamps, and clamping casts are not vectorised.
const UNITS_32: f32 = 12_582_912.0;
/// The same for f64: 1.5 * 2^52.
const UNITS_64: f64 = 6_755_399_441_055_744.0;

/// Divides towards zero, for integers of at most 16 bits.
#[inline(always)]
pub fn div_trunc_small(a: i32, b: i32) -> i32 {
    let quotient = a as f32 / b as f32;
    let shifted = quotient + UNITS_32;
    let rounded = (shifted.to_bits() as i32).wrapping_sub(UNITS_32.to_bits() as i32);
    let beyond = (shifted - UNITS_32).abs() > quotient.abs();
    let step = if quotient < 0.0 { -1 } else { 1 };
    let cut = rounded.wrapping_sub(if beyond { step } else { 0 });
    if b == 0 { 0 } else { cut }
}

/// Divides towards zero; `MIN / -1` wraps, as 2^31 does in the low 32 bits.
#[inline(always)]
pub fn div_trunc_i32(a: i32, b: i32) -> i32 {
    let quotient = f64::from(a) / f64::from(b);
    let shifted = quotient + UNITS_64;
    let rounded = shifted.to_bits() as i32;
    let beyond = (shifted - UNITS_64).abs() > quotient.abs();
    let step = if quotient < 0.0 { -1 } else { 1 };
    let cut = rounded.wrapping_sub(if beyond { step } else { 0 });
    if b == 0 { 0 } else { cut }
}

/// Divides towards zero.
#[inline(always)]
pub fn div_trunc_u32(a: u32, b: u32) -> u32 {
    let quotient = f64::from(a) / f64::from(b);
    let shifted = quotient + UNITS_64;
    let beyond = shifted - UNITS_64 > quotient;
    let cut = (shifted.to_bits() as u32).wrapping_sub(u32::from(beyond));
    if b == 0 { 0 } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_quotients_are_exact() {
        for b in (-0x8000..=0xffff).step_by(7).chain([-1, 1, 2, 3, 0x7fff, 0xffff]) {
            for a in (-0x8000..=0xffff).step_by(101).chain([-0x8000, 0x7fff, 0xffff]) {
                let want = if b == 0 { 0 } else { a / b };
                assert_eq!(div_trunc_small(a, b), want, "{a} / {b}");
            }
        }
    }

    #[test]
    fn quotients_at_the_edges_are_exact() {
        let edges = |x: i64| [x - 2, x - 1, x, x + 1, x + 2];
        let mut numbers: Vec<i64> = (0..33).flat_map(|bit| edges(1 << bit)).collect();
        // Products and their neighbours are where a rounded quotient would first go wrong.
        numbers.extend([3, 7, 10, 46_341, 65_521, 65_537].iter().flat_map(|&x: &i64| edges(0x7fff_ffff / x * x)));
        numbers.extend([3, 7, 10, 46_341, 65_521, 65_537].iter().flat_map(|&x: &i64| edges(0xffff_ffff / x * x)));
        for &a in &numbers {
            for &b in &numbers {
                let (x, y) = (a as u32, b as u32);
                assert_eq!(div_trunc_u32(x, y), x.checked_div(y).unwrap_or(0), "{x} / {y}");
                for (x, y) in [(a as i32, b as i32), ((-a) as i32, b as i32), (a as i32, (-b) as i32)] {
                    let want = if y == 0 { 0 } else { x.wrapping_div(y) };
                    assert_eq!(div_trunc_i32(x, y), want, "{x} / {y}");
                }
            }
        }
        assert_eq!(div_trunc_i32(i32::MIN, -1), i32::MIN);
    }
}
