//! Measures the f32 functions against the f64 functions of pxfm, which share no code with them.

use std::thread;

use broadaxe_kernels::math;

/// Names a function of one operand, its wider reference and the error allowed, in ULP of f32.
#[derive(Clone, Copy)]
struct Unary {
    name: &'static str,
    ours: fn(f32) -> f32,
    reference: fn(f64) -> f64,
    bound: f64,
    /// -1 for an odd function and 1 for an even one, whose negative half need not be measured again.
    mirror: Option<f32>,
}

/// Names a function of two operands, its wider reference and the error allowed, in ULP of f32.
struct Binary {
    name: &'static str,
    ours: fn(f32, f32) -> f32,
    reference: fn(f64, f64) -> f64,
    bound: f64,
}

const fn unary(name: &'static str, ours: fn(f32) -> f32, reference: fn(f64) -> f64) -> Unary {
    Unary { name, ours, reference, bound: 0.51, mirror: None }
}

/// Makes a case for functions that stay in f32, which are within an ULP instead of almost correctly rounded.
const fn quick(case: Unary) -> Unary {
    Unary { bound: 0.95, ..case }
}

const fn odd(name: &'static str, ours: fn(f32) -> f32, reference: fn(f64) -> f64) -> Unary {
    Unary { mirror: Some(-1.0), ..unary(name, ours, reference) }
}

const fn even(name: &'static str, ours: fn(f32) -> f32, reference: fn(f64) -> f64) -> Unary {
    Unary { mirror: Some(1.0), ..unary(name, ours, reference) }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + pxfm::f_exp(-x))
}

fn silu(x: f64) -> f64 {
    if x == f64::NEG_INFINITY { -0.0 } else { x * sigmoid(x) }
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + pxfm::f_log1p(pxfm::f_exp(-x.abs()))
}

fn gelu(x: f64) -> f64 {
    if x == f64::NEG_INFINITY { -0.0 } else { 0.5 * x * pxfm::f_erfc(-x / 2f64.sqrt()) }
}

fn gelu_tanh(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return -0.0;
    }
    x * sigmoid(2.0 * (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x))
}

fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}

static UNARY: &[Unary] = &[
    quick(unary("exp", math::exp32, pxfm::f_exp)),
    quick(unary("exp2", math::exp2_32, pxfm::f_exp2)),
    unary("expm1", math::expm1_32, pxfm::f_expm1),
    quick(unary("log", math::log32, pxfm::f_log)),
    quick(unary("log2", math::log2_32, pxfm::f_log2)),
    quick(unary("log10", math::log10_32, pxfm::f_log10)),
    unary("log1p", math::log1p32, pxfm::f_log1p),
    quick(odd("sin", math::sin32, pxfm::f_sin)),
    quick(even("cos", math::cos32, pxfm::f_cos)),
    quick(odd("tan", math::tan32, pxfm::f_tan)),
    odd("asin", math::asin32, pxfm::f_asin),
    unary("acos", math::acos32, pxfm::f_acos),
    quick(odd("atan", math::atan32, pxfm::f_atan)),
    odd("sinh", math::sinh32, pxfm::f_sinh),
    even("cosh", math::cosh32, pxfm::f_cosh),
    quick(odd("tanh", math::tanh32, pxfm::f_tanh)),
    odd("asinh", math::asinh32, pxfm::f_asinh),
    unary("acosh", math::acosh32, pxfm::f_acosh),
    odd("atanh", math::atanh32, pxfm::f_atanh),
    quick(odd("erf", math::erf32, pxfm::f_erf)),
    quick(unary("sigmoid", math::sigmoid32, sigmoid)),
    quick(unary("silu", math::silu32, silu)),
    quick(unary("softplus", math::softplus32, softplus)),
    quick(unary("gelu", math::gelu32, gelu)),
    unary("gelu_tanh", math::gelu_tanh32, gelu_tanh),
    odd("cbrt", math::cbrt32, pxfm::f_cbrt),
    unary("sqrt", math::sqrt32, f64::sqrt),
    unary("rsqrt", math::rsqrt32, rsqrt),
];

/// Measures the distance of `ours` from the exact result, in ULP of f32; a wrong special value is infinitely far.
fn distance(ours: f32, exact: f64) -> f64 {
    const TWO_128: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
    if exact.is_nan() {
        return if ours.to_bits() == f32::NAN.to_bits() { 0.0 } else { f64::INFINITY };
    }
    if ours.is_nan() {
        return f64::INFINITY;
    }
    if exact == 0.0 || exact.is_infinite() {
        return if ours.to_bits() == (exact as f32).to_bits() { 0.0 } else { f64::INFINITY };
    }
    if ours.is_sign_negative() != exact.is_sign_negative() {
        return f64::INFINITY;
    }
    let ours = if ours.is_infinite() { TWO_128.copysign(ours.into()) } else { ours.into() };
    let exact = exact.clamp(-TWO_128, TWO_128);
    let exponent = ((exact.to_bits() >> 52) & 0x7ff) as i64 - 1023;
    let ulp = f64::from_bits(((exponent.clamp(-126, 127) - 23 + 1023) as u64) << 52);
    ((ours - exact) / ulp).abs()
}

/// Finds the worst bit pattern among `first`, `first + step`, ...
fn worst(case: &Unary, first: u32, step: u32) -> (f64, u32) {
    let mut worst = (0.0, first);
    let mut pattern = first;
    loop {
        let x = f32::from_bits(pattern);
        let far = match case.mirror {
            Some(sign) if x.is_sign_negative() => mirrored(case, x, sign),
            _ => distance((case.ours)(x), (case.reference)(f64::from(x))),
        };
        if far > worst.0 {
            worst = (far, pattern);
        }
        match pattern.checked_add(step) {
            Some(next) => pattern = next,
            None => return worst,
        }
    }
}

/// Compares the value at a negative x with the one at -x, bit by bit.
fn mirrored(case: &Unary, x: f32, sign: f32) -> f64 {
    let (here, there) = ((case.ours)(x), sign * (case.ours)(-x));
    let same = here.to_bits() == there.to_bits() || here.to_bits() == f32::NAN.to_bits() && there.is_nan();
    if same { 0.0 } else { f64::INFINITY }
}

fn report(case: &Unary, (far, pattern): (f64, u32), failures: &mut Vec<String>) {
    let x = f32::from_bits(pattern);
    let line = format!(
        "{}: {far:.6} ULP at {x:e} ({pattern:#010x}): {:e}, exact {:e}",
        case.name,
        (case.ours)(x),
        (case.reference)(f64::from(x))
    );
    if far > case.bound {
        failures.push(line);
    } else if std::env::var_os("SHOW_ULP").is_some() {
        #[expect(clippy::print_stdout, reason = "shows the measured errors on demand")]
        {
            println!("{line}");
        }
    }
}

#[test]
fn stay_within_their_bounds_on_a_sweep() {
    let mut failures = Vec::new();
    for case in UNARY {
        report(case, worst(case, 0, 4099), &mut failures);
        report(case, worst(case, 0x3f80_0000, 1 << 30), &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
#[ignore = "walks all 4 billion f32 values; minutes"]
fn stay_within_their_bounds_everywhere() {
    let threads = thread::available_parallelism().map_or(1, usize::from) as u32;
    let only = std::env::var("ONLY").ok();
    let mut failures = Vec::new();
    for case in UNARY.iter().filter(|case| only.as_deref().is_none_or(|only| only.split(',').any(|n| n == case.name))) {
        let parts: Vec<_> = thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|k| scope.spawn(move || worst(case, k, threads))).collect();
            handles.into_iter().map(|handle| handle.join().expect("a sweep does not panic")).collect()
        });
        let far = parts.into_iter().fold((0.0, 0), |best, part| if part.0 > best.0 { part } else { best });
        report(case, far, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn logaddexp(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b { a + std::f64::consts::LN_2 } else { a.max(b) + pxfm::f_log1p(pxfm::f_exp(a.min(b) - a.max(b))) }
}

fn logaddexp2(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b { a + 1.0 } else { a.max(b) + pxfm::f_log2p1(pxfm::f_exp2(a.min(b) - a.max(b))) }
}

static BINARY: &[Binary] = &[
    Binary { name: "pow", ours: math::pow32, reference: pxfm::f_pow, bound: 0.97 },
    Binary { name: "atan2", ours: math::atan2_32, reference: pxfm::f_atan2, bound: 0.51 },
    Binary { name: "hypot", ours: math::hypot32, reference: pxfm::f_hypot, bound: 0.51 },
    Binary { name: "logaddexp", ours: math::logaddexp32, reference: logaddexp, bound: 0.51 },
    Binary { name: "logaddexp2", ours: math::logaddexp2_32, reference: logaddexp2, bound: 0.51 },
];

/// Steps a linear congruential generator and returns its upper half.
fn next(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 32) as u32
}

/// Draws a pair of f32: of any bits, or near one, or near each other.
fn pair(state: &mut u64, kind: u32) -> (f32, f32) {
    let (a, b) = (next(state), next(state));
    let near = |bits: u32, power: u32| f32::from_bits((bits & 0x8fff_ffff).wrapping_add(power << 23) | 0x3000_0000);
    match kind % 4 {
        0 => (f32::from_bits(a), f32::from_bits(b)),
        1 => (near(a, 0), near(b, 0)),
        2 => (f32::from_bits(a & 0x01ff_ffff | 0x3f00_0000), f32::from_bits(b & 0x0fff_ffff | 0x4000_0000)),
        _ => (f32::from_bits(a & 0x7fff_ffff), f32::from_bits((a & 0x7fff_ffff).wrapping_add(b >> 8))),
    }
}

#[test]
fn stay_within_their_bounds_on_pairs() {
    let mut failures = Vec::new();
    for case in BINARY {
        let mut state = 1;
        let mut worst = (0.0, 0.0, 0.0);
        for kind in 0..1_000_000 {
            let (a, b) = pair(&mut state, kind);
            let far = distance((case.ours)(a, b), (case.reference)(f64::from(a), f64::from(b)));
            if far > worst.0 {
                worst = (far, a, b);
            }
        }
        let (far, a, b) = worst;
        let line = format!(
            "{}: {far:.6} ULP at ({a:e}, {b:e}): {:e}, exact {:e}",
            case.name,
            (case.ours)(a, b),
            (case.reference)(f64::from(a), f64::from(b))
        );
        if far > case.bound || std::env::var_os("SHOW_ULP").is_some() {
            failures.push(line);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
