//! Checks the values that C and NumPy fix exactly: zeros, infinities, NaN, exact results and domain edges.

use broadaxe_kernels::math;

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// Lists exact results of one function, which its f32 and its f64 form share.
struct Unary {
    name: &'static str,
    narrow: fn(f32) -> f32,
    wide: fn(f64) -> f64,
    cases: &'static [(f64, f64)],
}

/// Lists exact results of one function of two operands.
struct Binary {
    name: &'static str,
    narrow: fn(f32, f32) -> f32,
    wide: fn(f64, f64) -> f64,
    cases: &'static [(f64, f64, f64)],
}

const fn one(name: &'static str, narrow: fn(f32) -> f32, wide: fn(f64) -> f64, cases: &'static [(f64, f64)]) -> Unary {
    Unary { name, narrow, wide, cases }
}

const fn two(
    name: &'static str,
    narrow: fn(f32, f32) -> f32,
    wide: fn(f64, f64) -> f64,
    cases: &'static [(f64, f64, f64)],
) -> Binary {
    Binary { name, narrow, wide, cases }
}

static UNARY: &[Unary] = &[
    one(
        "exp",
        math::exp32,
        math::exp64,
        &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (1e30, INF), (-1e30, 0.0)],
    ),
    one("exp2", math::exp2_32, math::exp2_64, &[(0.0, 1.0), (10.0, 1024.0), (-3.0, 0.125), (INF, INF), (-INF, 0.0)]),
    one("expm1", math::expm1_32, math::expm1_64, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (-1e9, -1.0)]),
    one(
        "log",
        math::log32,
        math::log64,
        &[(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1.0, NAN), (-INF, NAN)],
    ),
    one("log2", math::log2_32, math::log2_64, &[(8.0, 3.0), (0.25, -2.0), (0.0, -INF), (INF, INF), (-1.0, NAN)]),
    one("log10", math::log10_32, math::log10_64, &[(1e10, 10.0), (1000.0, 3.0), (0.0, -INF), (INF, INF), (-1.0, NAN)]),
    one(
        "log1p",
        math::log1p32,
        math::log1p64,
        &[(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (INF, INF), (-1.5, NAN), (-INF, NAN)],
    ),
    one("sin", math::sin32, math::sin64, &[(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)]),
    one("cos", math::cos32, math::cos64, &[(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)]),
    one("tan", math::tan32, math::tan64, &[(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)]),
    one("asin", math::asin32, math::asin64, &[(0.0, 0.0), (-0.0, -0.0), (1.5, NAN), (-INF, NAN)]),
    one("acos", math::acos32, math::acos64, &[(1.0, 0.0), (1.5, NAN), (-INF, NAN)]),
    one("atan", math::atan32, math::atan64, &[(0.0, 0.0), (-0.0, -0.0), (INF, std::f64::consts::FRAC_PI_2)]),
    one("sinh", math::sinh32, math::sinh64, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)]),
    one("cosh", math::cosh32, math::cosh64, &[(0.0, 1.0), (INF, INF), (-INF, INF)]),
    one("tanh", math::tanh32, math::tanh64, &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (1e30, 1.0)]),
    one("asinh", math::asinh32, math::asinh64, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)]),
    one("acosh", math::acosh32, math::acosh64, &[(1.0, 0.0), (INF, INF), (0.5, NAN), (-INF, NAN)]),
    one("atanh", math::atanh32, math::atanh64, &[(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (2.0, NAN)]),
    one(
        "cbrt",
        math::cbrt32,
        math::cbrt64,
        &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (27.0, 3.0), (-8.0, -2.0), (0.125, 0.5), (NAN, NAN)],
    ),
    one("erf", math::erf32, math::erf64, &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (1e30, 1.0)]),
    one("sigmoid", math::sigmoid32, math::sigmoid64, &[(0.0, 0.5), (INF, 1.0), (-INF, 0.0), (-1e30, 0.0), (1e30, 1.0)]),
    one("silu", math::silu32, math::silu64, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -0.0), (-1e30, -0.0)]),
    one("softplus", math::softplus32, math::softplus64, &[(INF, INF), (-INF, 0.0), (1024.0, 1024.0), (-1e30, 0.0)]),
    one(
        "gelu",
        math::gelu32,
        math::gelu64,
        &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -0.0), (100.0, 100.0), (-1e30, -0.0)],
    ),
    one(
        "gelu_tanh",
        math::gelu_tanh32,
        math::gelu_tanh64,
        &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -0.0), (100.0, 100.0)],
    ),
    one(
        "sqrt",
        math::sqrt32,
        math::sqrt64,
        &[(4.0, 2.0), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-1.0, NAN), (-INF, NAN)],
    ),
    one("rsqrt", math::rsqrt32, math::rsqrt64, &[(4.0, 0.5), (0.0, INF), (-0.0, -INF), (INF, 0.0), (-1.0, NAN)]),
];

static BINARY: &[Binary] = &[
    two(
        "pow",
        math::pow32,
        math::pow64,
        &[
            (1.0, NAN, 1.0),
            (NAN, 0.0, 1.0),
            (NAN, -0.0, 1.0),
            (0.0, 0.0, 1.0),
            (INF, 0.0, 1.0),
            (2.0, NAN, NAN),
            (-8.0, 1.0 / 3.0, NAN),
            (-2.0, 3.0, -8.0),
            (-2.0, 4.0, 16.0),
            (-2.0, -3.0, -0.125),
            (3.0, 2.0, 9.0),
            (-0.0, 3.0, -0.0),
            (-0.0, 2.0, 0.0),
            (-0.0, 0.5, 0.0),
            (-0.0, -1.0, -INF),
            (-0.0, -2.0, INF),
            (0.0, -1.0, INF),
            (0.0, 1e-30, 0.0),
            (0.0, INF, 0.0),
            (0.0, -INF, INF),
            (-1.0, INF, 1.0),
            (-1.0, -INF, 1.0),
            (1.0, -INF, 1.0),
            (0.5, INF, 0.0),
            (0.5, -INF, INF),
            (-0.5, INF, 0.0),
            (-2.0, INF, INF),
            (2.0, -INF, 0.0),
            (INF, 2.0, INF),
            (INF, -1e-30, 0.0),
            (-INF, 3.0, -INF),
            (-INF, 2.0, INF),
            (-INF, 0.5, INF),
            (-INF, -3.0, -0.0),
            (-INF, -0.5, 0.0),
            (INF, INF, INF),
            (-INF, INF, INF),
            (-1.0, 16_777_215.0, -1.0),
            (-1.0, 16_777_216.0, 1.0),
            (-1.0, 8_388_607.0, -1.0),
            (-1.0, 1e30, 1.0),
            (-1.0, 4_194_303.5, NAN),
            (10.0, 300.0e9, INF),
            (10.0, -300.0e9, 0.0),
            (NAN, 1.0, NAN),
            (NAN, NAN, NAN),
            (2.0, 0.5, std::f64::consts::SQRT_2),
        ],
    ),
    two(
        "atan2",
        math::atan2_32,
        math::atan2_64,
        &[
            (0.0, 1.0, 0.0),
            (-0.0, 1.0, -0.0),
            (0.0, 0.0, 0.0),
            (-0.0, 0.0, -0.0),
            (1.0, INF, 0.0),
            (-1.0, INF, -0.0),
            (0.0, -0.0, std::f64::consts::PI),
            (-0.0, -0.0, -std::f64::consts::PI),
            (-0.0, -1.0, -std::f64::consts::PI),
            (1.0, 0.0, std::f64::consts::FRAC_PI_2),
            (-1.0, -0.0, -std::f64::consts::FRAC_PI_2),
            (INF, INF, std::f64::consts::FRAC_PI_4),
            (-INF, INF, -std::f64::consts::FRAC_PI_4),
            (INF, -INF, 3.0 * std::f64::consts::FRAC_PI_4),
            (INF, 1.0, std::f64::consts::FRAC_PI_2),
            (1.0, -INF, std::f64::consts::PI),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
        ],
    ),
    two(
        "hypot",
        math::hypot32,
        math::hypot64,
        &[
            (3.0, 4.0, 5.0),
            (-3.0, 4.0, 5.0),
            (0.0, -0.0, 0.0),
            (INF, NAN, INF),
            (NAN, -INF, INF),
            (NAN, 1.0, NAN),
            (0.0, 0.75, 0.75),
        ],
    ),
    two(
        "logaddexp",
        math::logaddexp32,
        math::logaddexp64,
        &[
            (0.0, 0.0, std::f64::consts::LN_2),
            (INF, INF, INF),
            (INF, -INF, INF),
            (-INF, INF, INF),
            (-INF, -INF, -INF),
            (-INF, 3.0, 3.0),
            (1e30, -1e30, 1e30),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
            (INF, NAN, NAN),
        ],
    ),
    two(
        "logaddexp2",
        math::logaddexp2_32,
        math::logaddexp2_64,
        &[
            (0.0, 0.0, 1.0),
            (-1.0, -1.0, 0.0),
            (2.5, 2.5, 3.5),
            (INF, INF, INF),
            (INF, -INF, INF),
            (-INF, INF, INF),
            (-INF, -INF, -INF),
            (-INF, 3.0, 3.0),
            (1e30, -1e30, 1e30),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
            (INF, NAN, NAN),
        ],
    ),
    two(
        "fmod",
        math::fmod32,
        math::fmod64,
        &[
            (-7.0, 2.0, -1.0),
            (7.0, -2.0, 1.0),
            (5.5, 2.0, 1.5),
            (-2.0, 2.0, -0.0),
            (2.0, INF, 2.0),
            (2.0, -INF, 2.0),
            (-0.0, 3.0, -0.0),
            (0.0, 0.0, NAN),
            (1.0, 0.0, NAN),
            (INF, 2.0, NAN),
            (INF, INF, NAN),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
            (1e10, 3.0, 1.0),
            (0.5, INF, 0.5),
        ],
    ),
    two(
        "remainder_ieee",
        math::remainder_ieee32,
        math::remainder_ieee64,
        &[
            (7.0, 2.0, -1.0),
            (5.0, 2.0, 1.0),
            (-7.0, 2.0, 1.0),
            (1.0, 2.0, 1.0),
            (3.0, 2.0, -1.0),
            (5.5, -2.0, -0.5),
            (-4.0, 2.0, -0.0),
            (4.0, 2.0, 0.0),
            (2.0, INF, 2.0),
            (INF, 2.0, NAN),
            (1.0, 0.0, NAN),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
            (-0.0, 1.0, -0.0),
        ],
    ),
    two(
        "mod_floor",
        math::mod_floor32,
        math::mod_floor64,
        &[
            (-7.0, 2.0, 1.0),
            (7.0, -2.0, -1.0),
            (-7.0, -2.0, -1.0),
            (5.5, 2.0, 1.5),
            (-5.5, 2.0, 0.5),
            (-2.0, INF, INF),
            (2.0, -INF, -INF),
            (2.0, INF, 2.0),
            (-2.0, -INF, -2.0),
            (0.0, -1.0, -0.0),
            (-0.0, -1.0, -0.0),
            (-0.0, 1.0, 0.0),
            (-2.0, 0.5, 0.0),
            (4.0, -2.0, -0.0),
            (0.0, INF, 0.0),
            (0.0, -INF, -0.0),
            (1.0, 0.0, NAN),
            (INF, 2.0, NAN),
            (-INF, 3.0, NAN),
            (NAN, 0.0, NAN),
            (1.0, NAN, NAN),
            (1e10, 3.0, 1.0),
            (INF, INF, NAN),
        ],
    ),
    two(
        "div_floor",
        math::div_floor32,
        math::div_floor64,
        &[
            (-7.0, 2.0, -4.0),
            (7.0, -2.0, -4.0),
            (-7.0, -2.0, 3.0),
            (5.5, 2.0, 2.0),
            (1.0, 0.0, INF),
            (-1.0, 0.0, -INF),
            (0.0, 0.0, NAN),
            (INF, INF, NAN),
            (INF, 2.0, NAN),
            (2.0, INF, 0.0),
            (-2.0, INF, -1.0),
            (2.0, -INF, -1.0),
            (0.0, -1.0, -0.0),
            (-0.0, -1.0, 0.0),
            (NAN, 0.0, NAN),
            (-INF, 3.0, NAN),
            (-1.0, INF, -1.0),
            (1.0, NAN, NAN),
            (INF, 0.0, INF),
            (0.5, INF, 0.0),
        ],
    ),
];

fn agree(ours: f64, expected: f64) -> bool {
    ours.to_bits() == expected.to_bits()
}

#[test]
fn unary_functions_keep_their_special_values() {
    let mut failures = Vec::new();
    for row in UNARY {
        for &(x, expected) in row.cases.iter().chain(&[(NAN, NAN), (-NAN, NAN)]) {
            let (narrow, wide) = ((row.narrow)(x as f32), (row.wide)(x));
            if narrow.to_bits() != (expected as f32).to_bits() || !agree(wide, expected) {
                failures.push(format!("{}({x}): {narrow} and {wide}, not {expected}", row.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn binary_functions_keep_their_special_values() {
    let mut failures = Vec::new();
    for row in BINARY {
        for &(a, b, expected) in row.cases {
            let (narrow, wide) = ((row.narrow)(a as f32, b as f32), (row.wide)(a, b));
            if narrow.to_bits() != (expected as f32).to_bits() || !agree(wide, expected) {
                failures.push(format!("{}({a}, {b}): {narrow} and {wide}, not {expected}", row.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn quotients_are_not_rounded_before_the_floor() {
    assert_eq!(math::div_floor64(6.0, 0.1), 59.0);
    assert_eq!(math::div_floor32(6.0, 0.1), 59.0);
    assert_eq!(math::div_floor64(-6.0, 0.1), -60.0);
    assert_eq!(math::div_floor32(-6.0, 0.1), -60.0);
    // Where units in the last place are halves, NumPy 2.4 is one below the exact quotient.
    assert_eq!(math::div_floor32(165.125, 2.037_393e-5), 8_104_719.0);
    assert_eq!(math::fmod32(6.0, 0.1), 0.099_999_91);
    assert_eq!(math::mod_floor32(-6.0, 0.1), 8.940_697e-8);
    assert_eq!(math::fmod64(6.0, 0.1), 0.099_999_999_999_999_67);
}
