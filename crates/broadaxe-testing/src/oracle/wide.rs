//! Computes functions that round, with several hundred bits.
//!
//! For f16, bf16 and f32 they are computed in `f64`, whose own error is far below theirs. For f64 they are computed with a
//! few hundred bits, more where subtraction cancels bits, and rounded once. At NaN, infinities and zeros, and where a
//! function leaves its domain, the `f64` form decides for all.

mod big;

use big::Big;

use super::{
    Outcome,
    round::{exponent, round},
    value::{Ty, Value},
};

/// A function, in both forms.
pub(super) struct Function {
    name: &'static str,
    /// How many units in the last place an engine may be off.
    pub(super) ulps: u32,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    One(fn(f64) -> f64, fn(f64) -> Big),
    Two(fn(f64, f64) -> f64, fn(f64, f64) -> Big),
}

const fn one_of(name: &'static str, ulps: u32, narrow: fn(f64) -> f64, wide: fn(f64) -> Big) -> Function {
    Function { name, ulps, form: Form::One(narrow, wide) }
}

const fn two_of(name: &'static str, ulps: u32, narrow: fn(f64, f64) -> f64, wide: fn(f64, f64) -> Big) -> Function {
    Function { name, ulps, form: Form::Two(narrow, wide) }
}

/// Two units for what is composed of several functions, one for the rest.
#[rustfmt::skip]
static FUNCTIONS: &[Function] = &[
    one_of("exp", 1, libm::exp, |x| big(x).exp()),
    one_of("exp2", 1, libm::exp2, |x| (big(x) * Big::ln_2()).exp()),
    one_of("expm1", 1, libm::expm1, |x| big_near_zero(x).exp() - big_near_zero(1.0)),
    one_of("log", 1, libm::log, |x| big(x).ln()),
    one_of("log2", 1, libm::log2, |x| big(x).log2()),
    one_of("log10", 1, libm::log10, |x| big(x).log10()),
    one_of("log1p", 1, libm::log1p, |x| (big_near_zero(x) + big_near_zero(1.0)).ln()),
    one_of("sin", 1, libm::sin, |x| big(x).sin()),
    one_of("cos", 1, libm::cos, |x| big(x).cos()),
    one_of("tan", 1, libm::tan, |x| big(x).tan()),
    one_of("asin", 1, libm::asin, |x| big(x).asin()),
    one_of("acos", 1, libm::acos, |x| big(x).acos()),
    one_of("atan", 1, libm::atan, |x| big(x).atan()),
    one_of("sinh", 1, libm::sinh, |x| big(x).sinh()),
    one_of("cosh", 1, libm::cosh, |x| big(x).cosh()),
    one_of("tanh", 1, libm::tanh, |x| big(x).tanh()),
    one_of("asinh", 1, libm::asinh, |x| big(x).asinh()),
    one_of("acosh", 1, acosh, |x| big(x).acosh()),
    one_of("atanh", 1, libm::atanh, |x| big(x).atanh()),
    one_of("rsqrt", 1, |x| 1.0 / x.sqrt(), |x| big(1.0) / big(x).sqrt()),
    one_of("cbrt", 1, libm::cbrt, big_cbrt),
    one_of("erf", 1, libm::erf, |x| if x.abs() > 6.0 { big(1f64.copysign(x)) } else { big_erf(x) }),
    one_of("sigmoid", 2, sigmoid, |x| big(1.0) / (big(1.0) + big(-x).exp())),
    one_of("silu", 2, |x| limited(x, x * sigmoid(x)), |x| big(x) / (big(1.0) + big(-x).exp())),
    one_of("softplus", 2, |x| x.max(0.0) + libm::log1p(libm::exp(-x.abs())), big_softplus),
    one_of("gelu", 2, |x| limited(x, 0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)), big_gelu),
    one_of("gelu_tanh", 2, |x| limited(x, x * sigmoid(2.0 * gelu_inner(x))), big_gelu_tanh),
    one_of("hardswish", 2, hardswish, big_hardswish),
    two_of("pow", 1, libm::pow, big_pow),
    two_of("float_power", 1, libm::pow, big_pow),
    two_of("atan2", 1, libm::atan2, big_atan2),
    two_of("hypot", 1, libm::hypot, |a, b| (big(a) * big(a) + big(b) * big(b)).sqrt()),
    two_of("logaddexp", 2, logaddexp, |a, b| big(a.max(b)) + big_softplus_wide(a.min(b), a.max(b))),
    two_of("logaddexp2", 2, logaddexp2, |a, b| big(a.max(b)) + big_log2_1_plus_exp2(a.min(b), a.max(b))),
];

/// Finds a function by the operator's name.
pub(super) fn find(op: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == op)
}

/// Evaluates an operator of one operand.
pub(super) fn one(op: &str, ty: Ty, a: f64) -> Outcome {
    let Some(Function { ulps, form: Form::One(narrow, wide), .. }) = find(op) else { return Outcome::Unsupported };
    let plain = narrow(a);
    outcome(ty, *ulps, plain, a == 0.0 || !a.is_finite(), || wide(a))
}

/// Evaluates an operator of two operands.
pub(super) fn two(op: &str, ty: Ty, a: f64, b: f64) -> Outcome {
    let Some(Function { ulps, form: Form::Two(narrow, wide), .. }) = find(op) else { return Outcome::Unsupported };
    let plain = narrow(a, b);
    outcome(ty, *ulps, plain, a == 0.0 || b == 0.0 || !a.is_finite() || !b.is_finite(), || wide(a, b))
}

/// Uses the `f64` form where it decides, and the wide one otherwise.
fn outcome(ty: Ty, ulps: u32, plain: f64, special: bool, wide: impl FnOnce() -> Big) -> Outcome {
    let precise = ty == Ty::F64 && !special && !plain.is_nan();
    let value = Value::Float(round(ty, if precise { wide().to_f64() } else { plain }));
    Outcome::Near { value, ulps }
}

/// Replaces the NaN of a product with minus infinity by the limit.
fn limited(x: f64, product: f64) -> f64 {
    if x == f64::NEG_INFINITY { -0.0 } else { product }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

fn hardswish(x: f64) -> f64 {
    if x <= -3.0 {
        -0.0
    } else if x >= 3.0 {
        x
    } else {
        x * (x + 3.0) / 6.0
    }
}

fn gelu_inner(x: f64) -> f64 {
    (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x)
}

fn logaddexp(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == b {
        a + std::f64::consts::LN_2
    } else {
        a.max(b) + libm::log1p(libm::exp(-(a - b).abs()))
    }
}

/// `libm` gives numbers for some arguments below -1.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// Holds a number with enough bits for a function that loses none.
fn big(x: f64) -> Big {
    Big::new(x, 256)
}

/// Holds a number with enough bits to add 1 to the smallest number without a loss.
fn big_near_zero(x: f64) -> Big {
    Big::new(x, 256 + 1100)
}

/// Sums x^(2n+1) / (n! (2n+1)) * (-1)^n * 2 / sqrt(pi), with bits for terms that grow to e^(x²) before they shrink.
fn big_erf(x: f64) -> Big {
    // The value itself may be as small as x; the largest term has x² / ln 2 bits, the complement of 1 as many again.
    let bits = 320 + (x * x * 3.0) as usize;
    let at = |x: f64| Big::new(x, bits);
    let square = at(x) * at(x);
    let (mut power, mut sum) = (at(x), at(x));
    for n in 1..100_000 {
        power = power * square.clone() / at(-f64::from(n));
        let term = power.clone() / at(f64::from(2 * n + 1));
        sum = sum + term.clone();
        if term.exponent() < sum.exponent() - bits as i32 && f64::from(n) > x * x {
            break;
        }
    }
    sum * at(2.0) / Big::pi(bits).sqrt()
}

fn big_gelu(x: f64) -> Big {
    // Below -39 the result is smaller than the least number; above 9 it is x.
    if x < -39.0 {
        return big(-0.0);
    }
    if x > 9.0 {
        return big(x);
    }
    // erf(x / sqrt 2) by its series in x: the square of x / sqrt 2 is x² / 2, so the root is needed once only.
    let bits = 320 + (x * x * 1.5) as usize;
    let at = |x: f64| Big::new(x, bits);
    let half_square = at(x) * at(x) / at(2.0);
    let (mut power, mut sum) = (at(1.0), at(1.0));
    for n in 1..100_000 {
        power = power * half_square.clone() / at(-f64::from(n));
        let term = power.clone() / at(f64::from(2 * n + 1));
        sum = sum + term.clone();
        if term.exponent() < sum.exponent() - bits as i32 && f64::from(n) > x * x {
            break;
        }
    }
    let erf = sum * at(x) * at(2.0) / (Big::pi(bits) * at(2.0)).sqrt();
    at(x) / at(2.0) * (at(1.0) + erf)
}

fn big_gelu_tanh(x: f64) -> Big {
    if x.abs() > 1e4 {
        return big(if x < 0.0 { -0.0 } else { x });
    }
    let factor = (big(2.0) / Big::pi(256)).sqrt();
    let inner = factor * (big(x) + big(44_715.0) / big(1e6) * big(x) * big(x) * big(x));
    big(x) / (big(1.0) + (big(-2.0) * inner).exp())
}

fn big_hardswish(x: f64) -> Big {
    if x <= -3.0 {
        big(-0.0)
    } else if x >= 3.0 {
        big(x)
    } else {
        big(x) * (big(x) + big(3.0)) / big(6.0)
    }
}

/// ln(1 + e^x)
fn big_softplus(x: f64) -> Big {
    if x > 1e4 { big(x) } else { big_softplus_wide(x, 0.0) }
}

/// ln(1 + e^(low - high)), with bits for a sum next to 1
fn big_softplus_wide(low: f64, high: f64) -> Big {
    let gap = high - low;
    if gap > 1e4 {
        return big(0.0);
    }
    let bits = 400 + (gap.abs() * 1.5) as usize;
    let at = |x: f64| Big::new(x, bits);
    (at(1.0) + (at(low) - at(high)).exp()).ln()
}

/// log2(1 + 2^(low - high)), with bits for a sum next to 1
fn big_log2_1_plus_exp2(low: f64, high: f64) -> Big {
    let gap = high - low;
    if gap > 1e4 {
        return big(0.0);
    }
    let bits = 400 + gap as usize;
    let at = |x: f64| Big::new(x, bits);
    (at(1.0) + ((at(low) - at(high)) * Big::ln_2()).exp()).log2()
}

fn big_cbrt(x: f64) -> Big {
    let size = (big(x.abs()).ln() / big(3.0)).exp();
    if x < 0.0 { -size } else { size }
}

/// Raises |a|, and gives the result a sign where a is negative and b odd.
fn big_pow(a: f64, b: f64) -> Big {
    let odd = exponent(b) < 53 && b.trunc() == b && (b / 2.0).trunc() * 2.0 != b;
    // The product of exponent and logarithm loses the bits before its point.
    let size = (Big::new(a.abs(), 400).ln() * Big::new(b, 400)).exp();
    if a < 0.0 && odd { -size } else { size }
}

fn big_atan2(y: f64, x: f64) -> Big {
    let angle = (big(y) / big(x)).atan();
    if x > 0.0 {
        angle
    } else if y > 0.0 {
        angle + Big::pi(256)
    } else {
        angle - Big::pi(256)
    }
}

fn logaddexp2(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == b {
        a + 1.0
    } else if (a - b).abs() < 1.0 {
        // The logarithm is slightly above 1, and only that excess is left after adding -1.
        let less_one = libm::expm1(-(a - b).abs() * std::f64::consts::LN_2);
        (a.max(b) + 1.0) + std::f64::consts::LOG2_E * libm::log1p(0.5 * less_one)
    } else {
        a.max(b) + std::f64::consts::LOG2_E * libm::log1p(libm::exp2(-(a - b).abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{distance, edge_values};

    /// The two forms were written apart; `libm` is within a few units of the truth.
    #[test]
    fn both_forms_agree() {
        let floats = [Ty::F64, Ty::F32, Ty::BF16, Ty::F16];
        let numbers: Vec<f64> = floats.into_iter().flat_map(edge_values).map(Value::float).collect();
        let mut faults = Vec::new();
        for Function { name, form, .. } in FUNCTIONS {
            let pairs: Vec<(f64, f64)> = match form {
                Form::One(..) => numbers.iter().map(|&x| (x, 0.0)).collect(),
                Form::Two(..) => {
                    numbers.iter().step_by(5).flat_map(|&a| numbers.iter().map(move |&b| (a, b))).collect()
                }
            };
            let mut worst = (0, 0.0, 0.0);
            for (a, b) in pairs {
                let (plain, got) = match form {
                    Form::One(narrow, _) => (narrow(a), one(name, Ty::F64, a)),
                    Form::Two(narrow, _) => (narrow(a, b), two(name, Ty::F64, a, b)),
                };
                let got = got.value().map_or(f64::NAN, Value::float);
                if plain.is_nan() && got.is_nan() {
                    continue;
                }
                let far = distance(Ty::F64, plain, got).unwrap_or(u128::MAX);
                if far > worst.0 {
                    worst = (far, a, b);
                }
            }
            // The plain compositions lose some bits; those where e^x multiplies the error or a sum vanishes, most.
            let most = if ["gelu", "gelu_tanh", "exp2", "logaddexp", "logaddexp2"].contains(name) { 4096 } else { 4 };
            if worst.0 > most {
                faults.push(format!("{name}({:e}, {:e}): {} units apart", worst.1, worst.2, worst.0));
            }
        }
        assert_eq!(faults, [""; 0]);
    }

    #[test]
    fn known_values() {
        // From tables; the last digits are those of the nearest f64.
        let cases: &[(&str, f64, f64)] = &[
            ("exp", 1.0, std::f64::consts::E),
            ("erf", 0.5, 0.520_499_877_813_046_5),
            ("erf", 2.0, 0.995_322_265_018_952_7),
            ("log1p", 1e-10, 9.999_999_999_5e-11),
            ("expm1", 1e-300, 1e-300),
            ("sin", 1e22, -0.852_200_849_767_188_8),
            ("gelu", 1.0, 0.841_344_746_068_542_9),
            ("sigmoid", 0.0, 0.5),
            ("tanh", 0.5, 0.462_117_157_260_009_76),
        ];
        for &(op, x, want) in cases {
            let got = one(op, Ty::F64, x).value().map_or(f64::NAN, Value::float);
            assert!(distance(Ty::F64, got, want) <= Some(1), "{op}({x}) = {got:e}, want {want:e}");
        }
    }
}
