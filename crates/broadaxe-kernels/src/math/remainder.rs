//! Remainders, all exact, and the floor of a quotient.
//!
//! The f32 forms divide in f64, 29 bits of the quotient at a time: a quotient of that size times the divisor's 24
//! bits is exact, and so is the difference. Ten such steps span the widest ratio of two f32, so there is no loop
//! whose length depends on the operands, and the code vectorises. The f64 forms use the remainder operator, which is
//! exact as well.

use super::{ROUND, canonical32, canonical64};

/// Holds a dividend minus the nearest multiple of a divisor, or almost the nearest.
struct Remainder {
    /// The exact rest, slightly more than half the divisor at most.
    value: f64,
    /// Says whether the multiple was odd.
    odd: bool,
}

/// Subtracts from `dividend` the multiple of `divisor` that is nearest as far as f64 can tell; both are positive f32.
#[inline(always)]
fn rest32(dividend: f64, divisor: f64) -> Remainder {
    const STEP: f64 = 536_870_912.0;
    const STEP_2: f64 = STEP * STEP;
    const STEP_4: f64 = STEP_2 * STEP_2;
    const STEP_8: f64 = STEP_4 * STEP_4;
    const POWERS: [f64; 10] = [
        STEP_8 * STEP,
        STEP_8,
        STEP_4 * STEP_2 * STEP,
        STEP_4 * STEP_2,
        STEP_4 * STEP,
        STEP_4,
        STEP_2 * STEP,
        STEP_2,
        STEP,
        1.0,
    ];
    let inverse = 1.0 / divisor;
    let (mut value, mut count) = (dividend, ROUND);
    for power in POWERS {
        // Adding 1.5 * 2^52 units rounds to a multiple of the unit.
        count = value * inverse + ROUND * power;
        value -= (count - ROUND * power) * divisor;
    }
    Remainder { value, odd: count.to_bits() & 1 == 1 }
}

/// Says whether a / b has a remainder that is not NaN.
#[inline(always)]
fn divisible32(a: f32, b: f32) -> bool {
    a.abs() < f32::INFINITY && b.abs() > 0.0
}

/// Computes a minus the multiple of b that is nearest to a towards zero, as C's `fmod`.
///
/// Exact, with the sign of a. The remainder by an infinite b is a; of an infinite a, or by zero, it is NaN.
#[inline(always)]
pub fn fmod32(a: f32, b: f32) -> f32 {
    let divisor = f64::from(b.abs());
    let rest = rest32(f64::from(a.abs()), divisor).value;
    let rest = (if rest < 0.0 { rest + divisor } else { rest }) as f32;
    let rest = if divisor < f64::INFINITY { rest.copysign(a) } else { a };
    if divisible32(a, b) { rest } else { f32::NAN }
}

/// Computes a minus the multiple of b that is nearest to a towards zero, as C's `fmod`.
///
/// Exact, with the sign of a. The remainder by an infinite b is a; of an infinite a, or by zero, it is NaN.
#[inline(always)]
pub fn fmod64(a: f64, b: f64) -> f64 {
    canonical64(a % b)
}

/// Computes a minus the nearest multiple of b, ties to the even one, as C's `remainder`.
///
/// Exact; a zero result has the sign of a. The remainder by an infinite b is a; of an infinite a, or by zero, it is
/// NaN.
#[inline(always)]
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch, which does not vectorise")]
pub fn remainder_ieee32(a: f32, b: f32) -> f32 {
    let divisor = f64::from(b.abs());
    let Remainder { value, odd } = rest32(f64::from(a.abs()), divisor);
    let (size, half) = (value.abs(), 0.5 * divisor);
    let next = (size > half) | ((size == half) & odd);
    let nearest = (if next { value - divisor.copysign(value) } else { value }) as f32;
    let signed = f32::from_bits(nearest.to_bits() ^ (a.to_bits() & 0x8000_0000));
    let signed = if divisor < f64::INFINITY { signed } else { a };
    if divisible32(a, b) { signed } else { f32::NAN }
}

/// Computes a minus the nearest multiple of b, ties to the even one, as C's `remainder`.
///
/// Exact; a zero result has the sign of a. The remainder by an infinite b is a; of an infinite a, or by zero, it is
/// NaN.
#[inline(always)]
pub fn remainder_ieee64(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() || a.is_infinite() || b == 0.0 {
        return f64::NAN;
    }
    let divisor = b.abs();
    if divisor == f64::INFINITY {
        return a;
    }
    // The rest modulo twice the divisor keeps the parity of the quotient. Where the doubling would overflow, |a| is
    // less than twice the divisor already.
    let rest = if divisor <= f64::MAX / 2.0 { a.abs() % (2.0 * divisor) } else { a.abs() };
    let nearest = if exceeds_half64(rest, divisor, false) {
        let once = rest - divisor;
        if exceeds_half64(once, divisor, true) { once - divisor } else { once }
    } else {
        rest
    };
    if a.is_sign_negative() { -nearest } else { nearest }
}

macro_rules! from_the_rest {
    ($($float:ident: $mod_floor:ident $div_floor:ident $fmod:ident $canonical:ident $floor:path;)+) => { $(
        /// Computes the remainder with the sign of the divisor, as NumPy's `mod`.
        ///
        /// A zero result has the sign of b. By an infinite b of the other sign the result is b. Rounded once, where b is added.
        #[inline(always)]
        pub fn $mod_floor(a: $float, b: $float) -> $float {
            let rest = $fmod(a, b);
            let shifted = if (rest < 0.0) == (b < 0.0) { rest } else { rest + b };
            let signed = if rest == 0.0 { $float::copysign(0.0, b) } else { shifted };
            $canonical(signed)
        }

        /// Computes the floor of the exact quotient, as NumPy's `floor_divide`.
        ///
        /// The remainder is subtracted before the division, so 6 over 0.1 is 59. From 2^22 on in f32, 2^51 in f64, both
        /// are rounded: the result may be off by one, or by 1 ULP where that is more. An infinite a gives NaN, division
        /// by zero an infinity, or NaN for zero.
        #[inline(always)]
        pub fn $div_floor(a: $float, b: $float) -> $float {
            let rest = $fmod(a, b);
            let whole = (a - rest) / b;
            let lowered = if rest != 0.0 && (rest < 0.0) != (b < 0.0) { whole - 1.0 } else { whole };
            let floor = $floor(lowered);
            let rounded = if lowered - floor > 0.5 { floor + 1.0 } else { floor };
            let quotient = if lowered == 0.0 { $float::copysign(0.0, a / b) } else { rounded };
            $canonical(if b == 0.0 { a / b } else { quotient })
        }
    )+ };
}
from_the_rest! {
    f32: mod_floor32 div_floor32 fmod32 canonical32 floor32;
    f64: mod_floor64 div_floor64 fmod64 canonical64 f64::floor;
}

/// Remainders and quotients by one division and one fused operation, for quotients that the dtype represents exactly.
///
/// The quotient, rounded and then truncated, is at most one too large. Its product with b is not rounded, and the rest
/// is a number of the dtype: a multiple of b's last bit, not larger than b. Where the quotient is larger, a or b is not
/// finite or b is zero, the result is NaN.
macro_rules! of_one_step {
    ($($float:ident: $bits:ident $units:literal $divide:ident $fmod:ident $remainder_ieee:ident $mod_floor:ident $div_floor:ident;)+) => { $(
        /// Divides magnitudes: returns the whole quotient and the remainder.
        #[inline(always)]
        fn $divide(a: $float, b: $float) -> ($float, $float) {
            let (size, by) = (a.abs(), b.abs());
            let count = (size / by).trunc();
            let rest = (-count).mul_add(by, size);
            let beyond = rest < 0.0;
            (if beyond { count - 1.0 } else { count }, if beyond { rest + by } else { rest })
        }

        /// Computes a minus the multiple of b that is nearest to a towards zero, in one step.
        #[inline(always)]
        pub(crate) fn $fmod(a: $float, b: $float) -> $float {
            let (count, rest) = $divide(a, b);
            if count < $units { rest.copysign(a) } else { $float::NAN }
        }

        /// Computes a minus the nearest multiple of b, ties to the even one, in one step.
        #[inline(always)]
        pub(crate) fn $remainder_ieee(a: $float, b: $float) -> $float {
            const SIGN: $bits = 1 << ($bits::BITS - 1);
            let (size, by) = (a.abs(), b.abs());
            let count = (size / by).round_ties_even();
            let rest = (-count).mul_add(by, size);
            let twice = rest.abs() + rest.abs();
            let odd = (count + $units).to_bits() & 1 == 1;
            let next = (twice > by) | ((twice == by) & odd);
            let nearest = if next { rest - by.copysign(rest) } else { rest };
            let signed = $float::from_bits(nearest.to_bits() ^ (a.to_bits() & SIGN));
            if count < $units { signed } else { $float::NAN }
        }

        /// Computes the remainder with the sign of the divisor, in one step.
        #[inline(always)]
        pub(crate) fn $mod_floor(a: $float, b: $float) -> $float {
            let (count, rest) = $divide(a, b);
            let apart = (a.to_bits() ^ b.to_bits()) >> ($bits::BITS - 1) != 0;
            let size = if apart & (rest != 0.0) { b.abs() - rest } else { rest };
            if count < $units { size.copysign(b) } else { $float::NAN }
        }

        /// Computes the floor of the exact quotient, in one step.
        #[inline(always)]
        pub(crate) fn $div_floor(a: $float, b: $float) -> $float {
            const SIGN: $bits = 1 << ($bits::BITS - 1);
            let (count, rest) = $divide(a, b);
            let sign = (a.to_bits() ^ b.to_bits()) & SIGN;
            let size = if (sign != 0) & (rest != 0.0) { count + 1.0 } else { count };
            // From there on, the quotient computed from the remainder is rounded; for an infinite b, the rest is NaN.
            let known = (count < $units / 2.0) & (rest >= 0.0);
            if known { $float::from_bits(size.to_bits() | sign) } else { $float::NAN }
        }
    )+ };
}
of_one_step! {
    f32: u32 8_388_608.0 divide32 fmod32_once remainder_ieee32_once mod_floor32_once div_floor32_once;
    f64: u64 4_503_599_627_370_496.0 divide64 fmod64_once remainder_ieee64_once mod_floor64_once div_floor64_once;
}

/// Says whether `rest` is more than half of `divisor`, or, with `or_equal`, exactly half of it.
#[inline(always)]
fn exceeds_half64(rest: f64, divisor: f64, or_equal: bool) -> bool {
    // Halving is exact where the divisor is large, doubling where it is small.
    let (left, right) = if divisor < 1.0 { (rest + rest, divisor) } else { (rest, 0.5 * divisor) };
    left > right || (or_equal && left == right)
}

/// Rounds down, without the library call that `floor` is on the oldest x86-64.
#[inline(always)]
fn floor32(x: f32) -> f32 {
    const TWO_23: f32 = 8_388_608.0;
    let size = x.abs();
    let near = ((size + TWO_23) - TWO_23).copysign(x);
    let below = if near > x { near - 1.0 } else { near };
    if size < TWO_23 { below } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns pairs whose quotients are of every size, near whole numbers and halves, including the smallest and
    /// largest numbers.
    fn pairs() -> Vec<(f64, f64)> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        let edges =
            [0.0, f64::from_bits(1), 1e-310, f64::MIN_POSITIVE, 1e-45, 1.2e-38, 0.1, 1.0, 6.0, 3.4e38, f64::MAX];
        let mut pairs = Vec::new();
        for a in edges.into_iter().chain([f64::INFINITY, f64::NAN]) {
            for b in edges.into_iter().chain([f64::INFINITY, f64::NAN]) {
                pairs.extend([(a, b), (-a, b), (a, -b), (-a, -b)]);
            }
        }
        for turn in 0..200_000 {
            let b = f64::from_bits(next() & 0x800f_ffff_ffff_ffff | (1023 - 8 + next() % 16) << 52);
            let count = (next() % (1 << (1 + turn % 60))) as f64;
            // As f64 and, both rounded, as f32: whole multiples, halves between them, and their neighbours.
            for b in [b, f64::from(b as f32)] {
                for a in
                    [count * b, (count + 0.5) * b, f64::from_bits(next() & 0x800f_ffff_ffff_ffff | 1023 << 52) * count]
                {
                    pairs.extend([(a, b), (a.next_up(), b), (a.next_down(), b)]);
                    pairs.push((f64::from((a as f32).next_up()), b));
                }
            }
        }
        pairs
    }

    macro_rules! compare {
        ($float:ident: $($once:ident $whole:ident)+, $most:literal) => {
            for (a, b) in pairs() {
                let (a, b) = (a as $float, b as $float);
                // A NaN must be one, or its quotient large, or the divisor infinite.
                let known = (a / b).abs() < $most && b.abs() < $float::INFINITY;
                $({
                    let (once, whole) = ($once(a, b), $whole(a, b));
                    let same = once.to_bits() == whole.to_bits() || (once.is_nan() && (whole.is_nan() || !known));
                    assert!(same, "{} of {a:e} and {b:e}: {once:e} once, {whole:e}", stringify!($whole));
                })+
            }
        };
    }

    #[test]
    fn one_step_finds_the_same_remainders_or_none() {
        compare!(f32: fmod32_once fmod32 remainder_ieee32_once remainder_ieee32 mod_floor32_once mod_floor32 div_floor32_once div_floor32, 4_194_304.0);
        compare!(f64: fmod64_once fmod64 remainder_ieee64_once remainder_ieee64 mod_floor64_once mod_floor64 div_floor64_once div_floor64, 2_251_799_813_685_248.0);
    }
}
