//! Converts floats to integers of up to 32 bits, towards zero.
//!
//! A clamping `as` does the same but is not vectorised. The instruction behind `to_int_unchecked` is, on every level,
//! so numbers are clamped before it.

/// Is 2^31.
const HALF: i64 = 1 << 31;

macro_rules! cuts {
    ($($name:ident $float:ident $most:literal;)+) => { $(
        /// Rounds a number towards zero and clamps it to a range of 8, 16 or 32 bits, from `LEAST` to one less than
        /// `BEYOND`; returns the low bits. NaN gives 0.
        #[inline(always)]
        pub(crate) fn $name<const LEAST: i64, const BEYOND: i64>(x: $float) -> u32 {
            // The largest number below 2^31.
            const MOST: $float = $most;
            assert!(-HALF <= LEAST && LEAST < BEYOND && BEYOND <= 2 * HALF, "both are known when this is compiled");
            let (least, beyond, half) = (LEAST as $float, BEYOND as $float, HALF as $float);
            let upper = BEYOND > HALF && x >= half;
            let lowered = if upper { x - half } else { x };
            let raised = if lowered > least { lowered } else { least };
            let most = if BEYOND < HALF { beyond - 1.0 } else { MOST };
            let clamped = if raised < most { raised } else { most };
            // Where the range begins at 0, that is what a comparison with NaN has left.
            let number = if LEAST != 0 && x.is_nan() { 0.0 } else { clamped };
            // SAFETY: the number is finite, at least -2^31 and below 2^31.
            let cut = unsafe { number.to_int_unchecked::<i32>() };
            // The number is in the range already. The compiler does not see that, and narrows what is clamped with fewer
            // instructions.
            let cut = if BEYOND < HALF { cut.clamp(LEAST as i32, (BEYOND - 1) as i32) } else { cut };
            let cut = cut as u32 ^ if upper { 1 << 31 } else { 0 };
            let last = if BEYOND > HALF { u32::MAX } else { u32::MAX >> 1 };
            // Numbers above the largest that the instruction accepts.
            if BEYOND >= HALF && MOST + 1.0 < half && x >= beyond { last } else { cut }
        }
    )+ };
}
cuts! {
    cut32 f32 2_147_483_520.0;
    cut64 f64 2_147_483_647.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the language's casts: at the edges of every range, one step around them, and for numbers of any
    /// size.
    #[test]
    fn cuts_are_those_of_the_language() {
        let mut state = 1_u64;
        let mut numbers: Vec<f64> =
            vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 0.5, -0.5, 1e300, -1e300];
        for power in [0, 7, 8, 15, 16, 23, 24, 31, 32, 33, 53, 63, 64] {
            for edge in [2f64.powi(power), -2f64.powi(power)] {
                let near = (edge as f32).next_up();
                numbers.extend([
                    edge,
                    edge.next_up(),
                    edge.next_down(),
                    edge - 1.0,
                    edge + 1.0,
                    edge - 0.5,
                    edge + 0.5,
                ]);
                numbers.extend([f64::from(near), f64::from((edge as f32).next_down())]);
            }
        }
        for _ in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = state & 0x800f_ffff_ffff_ffff | (1023 + state.rotate_left(31) % 36) << 52;
            numbers.push(f64::from_bits(bits));
        }
        for x in numbers {
            let narrow = x as f32;
            macro_rules! check {
                ($($ty:ident)+) => { $({
                    const LEAST: i64 = $ty::MIN as i64;
                    const BEYOND: i64 = $ty::MAX as i64 + 1;
                    assert_eq!(cut64::<LEAST, BEYOND>(x) as $ty, x as $ty, "{x} as {}", stringify!($ty));
                    assert_eq!(cut32::<LEAST, BEYOND>(narrow) as $ty, narrow as $ty, "{narrow} as {}", stringify!($ty));
                })+ };
            }
            check!(i8 u8 i16 u16 i32 u32);
        }
    }
}
