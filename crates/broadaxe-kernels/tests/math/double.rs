//! Measures the f64 functions against arithmetic of 256 bits and more.

use astro_float::{BigFloat, Consts, RoundingMode};
use broadaxe_kernels::math;

/// The precision of the reference, in bits.
const BITS: usize = 256;
const NEAREST: RoundingMode = RoundingMode::ToEven;

/// Holds the constants that the big floats have computed so far.
struct Wide {
    constants: Consts,
}

/// Widens an f64 exactly; subnormal ones by way of 2^200, because the library reads them a few powers of two off.
fn big(x: f64) -> BigFloat {
    if x.is_normal() || x == 0.0 || !x.is_finite() {
        return BigFloat::from_f64(x, BITS);
    }
    let mut wide = BigFloat::from_f64(x * 2f64.powi(200), BITS);
    if let Some(exponent) = wide.exponent() {
        wide.set_exponent(exponent - 200);
    }
    wide
}

fn add(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.add(b, BITS, NEAREST)
}

fn sub(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.sub(b, BITS, NEAREST)
}

fn mul(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.mul(b, BITS, NEAREST)
}

fn div(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.div(b, BITS, NEAREST)
}

fn small(x: &BigFloat) -> bool {
    x.is_zero() || x.exponent().is_some_and(|exponent| exponent < -40)
}

impl Wide {
    fn exp(&mut self, x: &BigFloat) -> BigFloat {
        // Far beyond the range of f64 the limits are enough.
        if x.exponent().is_some_and(|exponent| exponent > 12) {
            return if x.is_negative() { big(0.0) } else { big(f64::INFINITY) };
        }
        x.exp(BITS, NEAREST, &mut self.constants)
    }

    fn expm1(&mut self, x: &BigFloat) -> BigFloat {
        if !small(x) {
            return sub(&self.exp(x), &big(1.0));
        }
        // Eight terms of Taylor's series below 2^-40 leave an error of 2^-300.
        (1..=8).rev().fold(big(0.0), |sum, k| mul(&div(x, &big(f64::from(k))), &add(&big(1.0), &sum)))
    }

    fn log(&mut self, x: &BigFloat) -> BigFloat {
        x.ln(BITS, NEAREST, &mut self.constants)
    }

    fn log1p(&mut self, x: &BigFloat) -> BigFloat {
        if !small(x) {
            return self.log(&add(&big(1.0), x));
        }
        let series =
            (1..=8).rev().fold(big(0.0), |sum, k| sub(&big(1.0).div(&big(f64::from(k)), BITS, NEAREST), &mul(x, &sum)));
        mul(x, &series)
    }

    fn pi(&mut self) -> BigFloat {
        self.constants.pi(BITS, NEAREST)
    }

    fn sqrt(x: &BigFloat) -> BigFloat {
        x.sqrt(BITS, NEAREST)
    }

    /// Sums the alternating series of erf, for |x| < 6.
    fn erf_series(&mut self, x: &BigFloat) -> BigFloat {
        let square = mul(x, x);
        let (mut power, mut sum) = (x.clone(), x.clone());
        for k in 1..400 {
            power = div(&mul(&power, &square), &big(f64::from(k))).neg();
            sum = add(&sum, &div(&power, &big(f64::from(2 * k + 1))));
        }
        div(&mul(&big(2.0), &sum), &Self::sqrt(&self.pi()))
    }

    /// Computes erfc by its series, or by Laplace's continued fraction from 3 on.
    fn erfc(&mut self, x: &BigFloat) -> BigFloat {
        if sub(x, &big(3.0)).is_negative() {
            if sub(x, &big(-6.0)).is_negative() {
                return sub(&big(2.0), &self.erfc(&x.neg()));
            }
            return sub(&big(1.0), &self.erf_series(x));
        }
        let fraction = (1..600).rev().fold(x.clone(), |rest, k| add(x, &div(&big(0.5 * f64::from(k)), &rest)));
        let power = mul(x, x).neg().exp(BITS, NEAREST, &mut self.constants);
        div(&power, &mul(&fraction, &Self::sqrt(&self.pi())))
    }

    fn erf(&mut self, x: &BigFloat) -> BigFloat {
        let sign = if x.is_negative() { -1.0 } else { 1.0 };
        if mul(x, x).exponent().is_some_and(|exponent| exponent > 6) { big(sign) } else { self.erf_series(x) }
    }

    fn atan(&mut self, x: &BigFloat) -> BigFloat {
        x.atan(BITS, NEAREST, &mut self.constants)
    }

    fn sigmoid(&mut self, x: &BigFloat) -> BigFloat {
        div(&big(1.0), &add(&big(1.0), &self.exp(&x.neg())))
    }

    fn gelu(&mut self, x: &BigFloat) -> BigFloat {
        let tail = self.erfc(&div(x, &Self::sqrt(&big(2.0))).neg());
        mul(&mul(x, &big(0.5)), &tail)
    }

    fn gelu_tanh(&mut self, x: &BigFloat) -> BigFloat {
        let cube = div(&mul(&mul(x, x), &big(44715.0)), &big(1e6));
        let inner = mul(&mul(x, &add(&big(1.0), &cube)), &Self::sqrt(&div(&big(8.0), &self.pi())));
        mul(x, &self.sigmoid(&inner))
    }

    fn logaddexp(&mut self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        let gap = sub(a, b);
        let (high, gap) = if gap.is_negative() { (b, gap) } else { (a, gap.neg()) };
        let power = self.exp(&gap);
        add(high, &self.log1p(&power))
    }

    fn logaddexp2(&mut self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        let ln_2 = self.constants.ln_2(BITS, NEAREST);
        div(&self.logaddexp(&mul(a, &ln_2), &mul(b, &ln_2)), &ln_2)
    }

    fn atan2(&mut self, y: &BigFloat, x: &BigFloat) -> BigFloat {
        let angle = self.atan(&div(y, x));
        match (x.is_negative(), y.is_negative()) {
            (false, _) => angle,
            (true, false) => add(&angle, &self.pi()),
            (true, true) => sub(&angle, &self.pi()),
        }
    }
}

/// Measures the distance of `ours` from the exact result, in ULP of f64.
fn distance(ours: f64, exact: &BigFloat) -> f64 {
    if exact.is_nan() {
        return if ours.to_bits() == f64::NAN.to_bits() { 0.0 } else { f64::INFINITY };
    }
    let exponent = exact.exponent().map_or(-2000, |exponent| exponent - 1);
    if exact.is_inf() || exponent >= 1024 {
        let limit = if exact.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY };
        return if ours == limit { 0.0 } else { f64::INFINITY };
    }
    if ours.is_nan() {
        return f64::INFINITY;
    }
    // An infinite result is correct where the exact one rounds to 2^1024.
    let mut wide = if ours.is_infinite() { big(f64::MAX.copysign(ours)) } else { big(ours) };
    if ours.is_infinite() {
        wide = add(&wide, &big(2f64.powi(970).copysign(ours)));
    }
    let difference = sub(&wide, exact);
    let Some(top) = difference.mantissa_digits().and_then(|digits| digits.last().copied()) else { return 0.0 };
    if difference.is_zero() {
        return 0.0;
    }
    let shift = difference.exponent().unwrap_or(0) - 64 - (exponent.max(-1022) - 52);
    (top as f64) * 2f64.powi(shift.max(-1000))
}

struct Unary {
    name: &'static str,
    ours: fn(f64) -> f64,
    exact: fn(&mut Wide, &BigFloat) -> BigFloat,
    low: f64,
    high: f64,
    bound: f64,
}

struct Binary {
    name: &'static str,
    ours: fn(f64, f64) -> f64,
    exact: fn(&mut Wide, &BigFloat, &BigFloat) -> BigFloat,
    low: f64,
    high: f64,
    bound: f64,
}

const HUGE: f64 = f64::MAX;

const fn row(
    name: &'static str,
    ours: fn(f64) -> f64,
    exact: fn(&mut Wide, &BigFloat) -> BigFloat,
    (low, high): (f64, f64),
) -> Unary {
    Unary { name, ours, exact, low, high, bound: 0.51 }
}

impl Unary {
    const fn within(mut self, bound: f64) -> Self {
        self.bound = bound;
        self
    }
}

static UNARY: &[Unary] = &[
    row("exp", math::exp64, Wide::exp, (-750.0, 712.0)).within(0.89),
    row("exp2", math::exp2_64, |w, x| big(2.0).pow(x, BITS, NEAREST, &mut w.constants), (-1080.0, 1030.0)).within(0.89),
    row("expm1", math::expm1_64, Wide::expm1, (-50.0, 712.0)).within(0.61),
    row("log", math::log64, Wide::log, (0.0, HUGE)).within(0.52),
    row("log2", math::log2_64, |w, x| x.log2(BITS, NEAREST, &mut w.constants), (0.0, HUGE)).within(0.53),
    row("log10", math::log10_64, |w, x| x.log10(BITS, NEAREST, &mut w.constants), (0.0, HUGE)).within(0.53),
    row("log1p", math::log1p64, Wide::log1p, (-1.0, HUGE)).within(0.67),
    row("sin", math::sin64, |w, x| x.sin(BITS, NEAREST, &mut w.constants), (-HUGE, HUGE)).within(0.85),
    row("cos", math::cos64, |w, x| x.cos(BITS, NEAREST, &mut w.constants), (-HUGE, HUGE)).within(0.85),
    row("tan", math::tan64, |w, x| x.tan(BITS, NEAREST, &mut w.constants), (-HUGE, HUGE)).within(0.95),
    row("asin", math::asin64, |w, x| x.asin(BITS, NEAREST, &mut w.constants), (-1.0, 1.0)).within(0.66),
    row("acos", math::acos64, |w, x| x.acos(BITS, NEAREST, &mut w.constants), (-1.0, 1.0)).within(0.66),
    row("atan", math::atan64, Wide::atan, (-HUGE, HUGE)).within(0.60),
    row("sinh", math::sinh64, |w, x| x.sinh(BITS, NEAREST, &mut w.constants), (-712.0, 712.0)).within(0.58),
    row("cosh", math::cosh64, |w, x| x.cosh(BITS, NEAREST, &mut w.constants), (-712.0, 712.0)).within(0.54),
    row("tanh", math::tanh64, |w, x| x.tanh(BITS, NEAREST, &mut w.constants), (-25.0, 25.0)).within(0.82),
    row("asinh", math::asinh64, |w, x| x.asinh(BITS, NEAREST, &mut w.constants), (-HUGE, HUGE)),
    row("acosh", math::acosh64, |w, x| x.acosh(BITS, NEAREST, &mut w.constants), (1.0, HUGE)),
    row("atanh", math::atanh64, |w, x| x.atanh(BITS, NEAREST, &mut w.constants), (-1.0, 1.0)),
    row("erf", math::erf64, Wide::erf, (-6.0, 6.0)).within(0.63),
    row("sigmoid", math::sigmoid64, Wide::sigmoid, (-750.0, 50.0)).within(0.77),
    row("silu", math::silu64, |w, x| mul(x, &w.sigmoid(x)), (-760.0, HUGE)).within(0.75),
    row("softplus", math::softplus64, |w, x| w.logaddexp(x, &big(0.0)), (-750.0, HUGE)).within(0.77),
    row("gelu", math::gelu64, Wide::gelu, (-39.0, 12.0)).within(0.75),
    row("gelu_tanh", math::gelu_tanh64, Wide::gelu_tanh, (-30.0, 12.0)).within(0.72),
    row("cbrt", math::cbrt64, |_, x| x.cbrt(BITS, NEAREST), (-HUGE, HUGE)).within(0.51),
    row("sqrt", math::sqrt64, |_, x| Wide::sqrt(x), (0.0, HUGE)),
    row("rsqrt", math::rsqrt64, |_, x| div(&big(1.0), &Wide::sqrt(x)), (0.0, HUGE)),
];

/// The bound of powers.
const POWER: f64 = 0.8;

static BINARY: &[Binary] = &[
    Binary {
        name: "pow",
        ours: math::pow64,
        exact: |w, x, y| x.pow(y, BITS, NEAREST, &mut w.constants),
        low: 1e-30,
        high: 1e30,
        bound: POWER,
    },
    Binary { name: "atan2", ours: math::atan2_64, exact: Wide::atan2, low: -1e30, high: 1e30, bound: 0.63 },
    Binary {
        name: "hypot",
        ours: math::hypot64,
        exact: |_, x, y| Wide::sqrt(&add(&mul(x, x), &mul(y, y))),
        low: -1e100,
        high: 1e100,
        bound: 0.68,
    },
    Binary { name: "logaddexp", ours: math::logaddexp64, exact: Wide::logaddexp, low: -1e4, high: 1e4, bound: 1.1 },
    Binary { name: "logaddexp2", ours: math::logaddexp2_64, exact: Wide::logaddexp2, low: -1e4, high: 1e4, bound: 1.3 },
];

/// Draws a number from a range: of any magnitude, of a magnitude near 1, or evenly.
fn draw(state: &mut u64, kind: u32, low: f64, high: f64) -> f64 {
    loop {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = *state ^ (*state >> 29);
        let unit = (bits >> 11) as f64 / 2f64.powi(53);
        let x = match kind % 3 {
            0 => f64::from_bits(bits),
            1 => f64::from_bits(bits & 0x803f_ffff_ffff_ffff | 0x3fc0_0000_0000_0000 | (bits >> 6 & 0x3f) << 52),
            _ => low.max(-1e6) + unit * (high.min(1e6) - low.max(-1e6)),
        };
        if x.is_finite() && x > low && x < high {
            return x;
        }
    }
}

/// Reads how many points of a case to try.
fn points(usual: u32) -> u32 {
    std::env::var("POINTS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn stay_within_their_bounds() {
    let mut wide = Wide { constants: Consts::new().expect("the constants fit into memory") };
    let mut failures = Vec::new();
    let points = points(600);
    let mut judge = |name: &str, far: f64, bound: f64, line: String| {
        let line = format!("{name}: {far:.4} ULP at {line}");
        if far > bound || std::env::var_os("SHOW_ULP").is_some() {
            failures.push(line);
        }
    };
    for case in UNARY {
        let (mut state, mut worst) = (7, (0.0, 0.0));
        for kind in 0..points {
            let x = draw(&mut state, kind, case.low, case.high);
            let far = distance((case.ours)(x), &(case.exact)(&mut wide, &big(x)));
            if far > worst.0 {
                worst = (far, x);
            }
        }
        judge(case.name, worst.0, case.bound, format!("{:e}: {:e}", worst.1, (case.ours)(worst.1)));
    }
    for case in BINARY {
        let (mut state, mut worst) = (7, (0.0, 0.0, 0.0));
        for kind in 0..points {
            let x = draw(&mut state, kind, case.low, case.high);
            let y = draw(&mut state, kind, case.low.max(-1e5), case.high);
            let (ours, exact) = ((case.ours)(x, y), (case.exact)(&mut wide, &big(x), &big(y)));
            // Where the two parts of a sum of logarithms cancel, the error is bounded in absolute terms.
            let cancels = case.name.starts_with("logaddexp") && 128.0 * ours.abs() < x.abs().max(y.abs());
            let far = if cancels {
                let error = sub(&big(ours), &exact);
                if !error.is_zero() && error.exponent().is_some_and(|exponent| exponent > -58) {
                    f64::INFINITY
                } else {
                    0.0
                }
            } else {
                distance(ours, &exact)
            };
            if far > worst.0 {
                worst = (far, x, y);
            }
        }
        judge(
            case.name,
            worst.0,
            case.bound,
            format!("({:e}, {:e}): {:e}", worst.1, worst.2, (case.ours)(worst.1, worst.2)),
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Arguments at which a function is hard: evenly from `low` to `high`, or, if these are equal, around that number at
/// distances of all magnitudes down to `high` 2^-64, or those of all f64 if it is 0.
const HARD: &[(&str, f64, f64)] = &[
    ("exp", -746.0, -707.0),
    ("exp", 709.0, 710.0),
    ("exp", 0.0, 0.0),
    ("exp2", -1076.0, -1021.0),
    ("exp2", 1023.0, 1024.1),
    ("exp2", 0.0, 0.0),
    ("exp2", 1.0, 1.0),
    ("expm1", 0.0, 0.0),
    ("expm1", -0.8, 0.8),
    ("expm1", -40.0, -35.0),
    ("expm1", 35.0, 40.0),
    ("expm1", 709.0, 710.0),
    ("log", 0.7, 1.6),
    ("log", 1.0, 1.0),
    ("log", 0.0, 0.0),
    ("log", 0.0, 1e-307),
    ("log2", 0.7, 1.6),
    ("log2", 1.0, 1.0),
    ("log2", 4.0, 4.0),
    ("log2", 0.0, 0.0),
    ("log10", 0.7, 1.6),
    ("log10", 1.0, 1.0),
    ("log10", 1e15, 1e15),
    ("log10", 0.0, 0.0),
    ("log1p", 0.0, 0.0),
    ("log1p", -1.0, -1.0),
    ("log1p", -0.5, 1.0),
    ("log1p", 1e307, f64::MAX),
    ("tanh", 0.0, 0.0),
    ("tanh", -0.4, 0.4),
    ("tanh", 17.0, 21.0),
    ("sin", 0.0, 0.0),
    ("sin", -8.0, 8.0),
    ("sin", 1.599e6, 1.601e6),
    ("sin", std::f64::consts::PI, std::f64::consts::PI),
    ("cos", 0.0, 0.0),
    ("cos", -8.0, 8.0),
    ("cos", std::f64::consts::FRAC_PI_2, std::f64::consts::FRAC_PI_2),
    ("tan", 0.0, 0.0),
    ("tan", -8.0, 8.0),
    ("asin", 0.0, 0.0),
    ("asin", 0.4, 0.7),
    ("asin", 1.0, 1.0),
    ("acos", 0.0, 0.0),
    ("acos", 0.4, 0.7),
    ("acos", 1.0, 1.0),
    ("atan", 0.0, 0.0),
    ("atan", 0.2, 4.5),
    ("sinh", 0.0, 0.0),
    ("sinh", -2.0, 2.0),
    ("sinh", 709.0, 710.5),
    ("cosh", -2.0, 2.0),
    ("cosh", 709.0, 710.5),
    ("asinh", 0.0, 0.0),
    ("asinh", -2.0, 2.0),
    ("asinh", 2.7e8, 2.7e8),
    ("acosh", 1.0, 1.0),
    ("acosh", 1.0, 4.0),
    ("acosh", 2.7e8, 2.7e8),
    ("atanh", 0.0, 0.0),
    ("atanh", -1.0, 1.0),
    ("atanh", 1.0, 1.0),
    ("cbrt", 0.0, 0.0),
    ("cbrt", 1.0, 8.0),
    ("cbrt", 1e307, f64::MAX),
    ("erf", 0.0, 0.0),
    ("erf", -1.5, 1.5),
    ("erf", 5.0, 6.1),
    ("silu", -755.0, -690.0),
    ("silu", 0.0, 0.0),
    ("softplus", -746.0, -700.0),
    ("softplus", -1.0, 1.0),
    ("softplus", -41.0, 41.0),
    ("gelu", -1.0, 1.0),
    ("gelu", -10.0, 10.0),
    ("gelu", -39.0, -37.0),
    ("gelu", 0.0, 0.0),
    ("gelu_tanh", -22.0, -20.0),
    ("gelu_tanh", 0.0, 0.0),
    ("rsqrt", 0.0, 1e-307),
    ("rsqrt", 1e307, f64::MAX),
    ("sigmoid", -746.0, -707.0),
    ("sigmoid", 0.0, 0.0),
    ("sigmoid", 33.0, 40.0),
];

/// Draws an argument of a line of `HARD`.
fn draw_hard(state: &mut u64, low: f64, high: f64) -> f64 {
    let unit = draw(state, 1, -1e300, 1e300);
    let even = draw(state, 2, 0.0, 1.0);
    if low == 0.0 && high == 0.0 {
        unit * 2f64.powi((even * 1060.0) as i32 - 1070)
    } else if low == high {
        low + low * unit * 2f64.powi((even * -64.0) as i32)
    } else {
        low + even * (high - low)
    }
}

#[test]
fn stay_within_their_bounds_where_it_is_hard() {
    let mut wide = Wide { constants: Consts::new().expect("the constants fit into memory") };
    let mut failures = Vec::new();
    for &(name, low, high) in HARD {
        let case = UNARY.iter().find(|case| case.name == name).expect("the row exists");
        let (mut state, mut worst) = (11, (0.0, 0.0));
        for _ in 0..points(200) {
            let x = draw_hard(&mut state, low, high);
            if x <= case.low.max(-1e300) {
                continue;
            }
            let far = distance((case.ours)(x), &(case.exact)(&mut wide, &big(x)));
            if far > worst.0 {
                worst = (far, x);
            }
        }
        if worst.0 > case.bound || std::env::var_os("SHOW_ULP").is_some() {
            failures.push(format!("{name} from {low} to {high}: {:.4} ULP at {:e}", worst.0, worst.1));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The f64 nearest to a multiple of pi / 2, and others that need all bits of 2 / pi.
#[test]
fn turns_are_taken_off_the_largest() {
    let mut wide = Wide { constants: Consts::new().expect("the constants fit into memory") };
    let hardest = 6_381_956_970_095_103.0 * 2f64.powi(797);
    for x in [hardest, -hardest, f64::MAX, -1e300, 1e22, 4e5, 4e5_f64.next_up(), 2f64.powi(1000)] {
        for name in ["sin", "cos", "tan"] {
            let case = UNARY.iter().find(|case| case.name == name).expect("the row exists");
            let far = distance((case.ours)(x), &(case.exact)(&mut wide, &big(x)));
            assert!(far <= case.bound, "{name}: {far} ULP at {x:e}");
        }
    }
}

/// Draws a base of the given kind: any positive f64, near 1, or a subnormal one.
fn draw_base(state: &mut u64, kind: u32) -> f64 {
    match kind % 3 {
        0 => draw(state, 0, 0.0, f64::MAX),
        1 => draw_hard(state, 1.0, 1.0).abs(),
        _ => f64::from_bits(draw(state, 0, 0.0, f64::MAX).to_bits() >> 12),
    }
}

#[test]
fn cubes_stay_within_their_bound() {
    let mut wide = Wide { constants: Consts::new().expect("the constants fit into memory") };
    let mut state = 11;
    // Logarithms to base 2 of cubes: of all sizes, around the largest, the smallest normal and the smallest one.
    for (low, high, bound) in
        [(-340.0, 341.0, 0.51), (341.2, 341.34, 0.51), (-342.0, -339.0, 0.76), (-359.0, -341.0, 0.76)]
    {
        for _ in 0..points(600) {
            let x = draw_hard(&mut state, low, high).exp2();
            for x in [x, -x] {
                let exact = big(x).pow(&big(3.0), BITS, NEAREST, &mut wide.constants);
                let far = distance(math::pow64(x, 3.0), &exact);
                assert!(far <= bound, "{x:e} cubed is off by {far} ULP");
            }
        }
    }
}

#[test]
fn powers_stay_within_their_bound_where_it_is_hard() {
    // Logarithms to base 2 of results: all, around the largest, the smallest normal and the smallest one, small.
    const RESULTS: [(f64, f64); 6] =
        [(-1080.0, 1030.0), (1023.9, 1024.1), (-1023.0, -1021.0), (-1076.0, -1022.0), (-1.0, 1.0), (0.0, 0.0)];
    let mut wide = Wide { constants: Consts::new().expect("the constants fit into memory") };
    let (mut state, mut worst) = (5, [(0.0, 0.0, 0.0); RESULTS.len()]);
    for kind in 0..points(1800) {
        let line = kind as usize / 3 % RESULTS.len();
        let x = draw_base(&mut state, kind);
        let result = draw_hard(&mut state, RESULTS[line].0, RESULTS[line].1);
        let y = result / math::log2_64(x);
        if !y.is_finite() || x == 1.0 {
            continue;
        }
        // Exponents are usually whole.
        let y = if kind % 5 == 0 { y.round() } else { y };
        let exact = big(x).pow(&big(y), BITS, NEAREST, &mut wide.constants);
        let far = distance(math::pow64(x, y), &exact);
        if far > worst[line].0 {
            worst[line] = (far, x, y);
        }
    }
    let show = std::env::var_os("SHOW_ULP").is_some();
    let failures: Vec<_> = worst.iter().zip(RESULTS).filter(|(worst, _)| worst.0 > POWER || show).collect();
    assert!(failures.is_empty(), "{failures:?}");
    for (x, y, expected) in [
        (1.340_780_792_994_259_7e154, -2.0, 5.562_684_646_268_003e-309),
        (-1.340_780_792_994_259_7e154, -2.0, 5.562_684_646_268_003e-309),
        (f64::MAX, -0.5, 7.458_340_731_200_207e-155),
        (f64::MAX, 1.0, f64::MAX),
        (5e-324, 1.0, 5e-324),
        (0.0, 5e-324, 0.0),
        (-0.0, -5e-324, f64::INFINITY),
        (f64::INFINITY, -5e-324, 0.0),
        (2.0, 5e-324, 1.0),
        (2.0, -1074.0, 5e-324),
        (2.0, -1075.0, 0.0),
        (-2.0, -1073.0, -1e-323),
        (4.0, 511.5, 8.988_465_674_311_58e307),
        (1e300, 1e300, f64::INFINITY),
        (0.999_999_999_999_999_9, f64::MAX, 0.0),
    ] {
        assert_eq!(math::pow64(x, y).to_bits(), f64::to_bits(expected), "{x:e} to the power {y:e}");
    }
}

#[test]
fn half_powers_hold_up_to_the_largest() {
    let bases = [f64::MAX, 2f64.powi(1023), 1e308, 4e307, 1e300, 2.0, 1e-300, f64::MIN_POSITIVE, 5e-324];
    for x in bases {
        let root = Wide::sqrt(&big(x));
        for (y, exact) in [(0.5, root.clone()), (-0.5, div(&big(1.0), &root))] {
            let far = distance(math::pow64(x, y), &exact);
            assert!(far <= POWER, "{x:e} to the power {y}: {far} ULP");
        }
    }
    // Not by `powi`, which gives zero for the smallest power unless the compiler computes it.
    let least = (f64::from_bits(1), f64::from_bits((1023 - 537) << 52));
    for (x, root) in [(2f64.powi(1022), 2f64.powi(511)), (2.25, 1.5), (1e22, 1e11), least] {
        assert_eq!(math::pow64(x, 0.5), root, "a power that is a f64 is exact");
    }
    for x in [0.0, -0.0] {
        assert_eq!(math::pow64(x, -0.5), f64::INFINITY);
    }
    assert_eq!([math::pow64(f64::INFINITY, -0.5), math::pow64(f64::NEG_INFINITY, -0.5)], [0.0, 0.0]);
}

#[test]
fn subnormal_powers_are_not_zero() {
    for (x, y, want) in [
        (-4.304_926_163_218_27e158, -2.0, 5.395_96e-318),
        (2.416_493_822_922_687_5e158, -2.0, 1.712_492_3e-317),
        (2f64.powi(512), -2.0, 2f64.powi(-1000) * 2f64.powi(-24)),
        (2f64.powi(537), -2.0, 5e-324),
        (f64::MAX, -2.0, 0.0),
        (f64::NEG_INFINITY, -2.0, 0.0),
        (2f64.powi(269), -4.0, 0.0),
        (2f64.powi(268), -4.0, 2f64.powi(-1000) * 2f64.powi(-72)),
    ] {
        assert_eq!(math::pow64(x, y), want, "{x:e} to the power {y}");
    }
}
