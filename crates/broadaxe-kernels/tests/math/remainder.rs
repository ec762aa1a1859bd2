//! Compares the remainders with the remainder operator, which is exact.

use broadaxe_kernels::math;

/// Steps a linear congruential generator and returns its upper half.
fn next(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 32) as u32
}

/// Draws pairs of any bits, of like exponents, and of few significant bits, where ties are common.
fn pair(state: &mut u64, kind: u32) -> (f32, f32) {
    let (a, b) = (next(state), next(state));
    match kind % 4 {
        0 => (f32::from_bits(a), f32::from_bits(b)),
        1 => (f32::from_bits(a & 0x83ff_ffff | 0x4000_0000), f32::from_bits(b & 0x81ff_ffff | 0x4000_0000)),
        2 => (f32::from_bits(a & 0xfff0_0000), f32::from_bits(b & 0xfff0_0000)),
        _ => (((a >> 24) as f32 - 100.0) * 0.5, ((b >> 28) as f32 - 7.0) * 0.25),
    }
}

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.to_bits() == f32::NAN.to_bits() && b.is_nan()
}

/// Computes C's `remainder` of two f32 by the remainder operator of f64.
fn slow_remainder(a: f32, b: f32) -> f32 {
    if !a.is_finite() || b.is_nan() || b == 0.0 {
        return f32::NAN;
    }
    if b.is_infinite() {
        return a;
    }
    let (size, divisor) = (f64::from(a.abs()), f64::from(b.abs()));
    let (rest, odd) = (size % divisor, size % (2.0 * divisor) >= divisor);
    let up = rest > divisor - rest || rest == divisor - rest && odd;
    let nearest = (if up { rest - divisor } else { rest }) as f32;
    if a.is_sign_negative() { -nearest } else { nearest }
}

#[test]
fn f32_remainders_are_exact() {
    let (mut state, mut failures) = (3, Vec::new());
    for kind in 0..4_000_000 {
        let (a, b) = pair(&mut state, kind);
        let (fmod, ieee) = (math::fmod32(a, b), math::remainder_ieee32(a, b));
        if !same(fmod, a % b) {
            failures.push(format!("fmod({a:e}, {b:e}): {fmod:e}, not {:e}", a % b));
        }
        if !same(ieee, slow_remainder(a, b)) {
            failures.push(format!("remainder({a:e}, {b:e}): {ieee:e}, not {:e}", slow_remainder(a, b)));
        }
    }
    failures.truncate(20);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn f64_remainders_agree_with_f32_ones() {
    let (mut state, mut failures) = (5, Vec::new());
    for kind in 0..400_000 {
        let (a, b) = pair(&mut state, kind);
        let (wide_a, wide_b) = (f64::from(a), f64::from(b));
        for (name, narrow, wide) in [
            ("fmod", math::fmod32(a, b), math::fmod64(wide_a, wide_b)),
            ("remainder_ieee", math::remainder_ieee32(a, b), math::remainder_ieee64(wide_a, wide_b)),
        ] {
            if !same(narrow, wide as f32) {
                failures.push(format!("{name}({a:e}, {b:e}): {narrow:e} and {wide:e}"));
            }
        }
    }
    failures.truncate(20);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
