//! Computes operators on floats in `f64`, rounded once per operation.
//!
//! `f64` has more than twice the bits of the narrower dtypes, so that rounding a sum, a product, a quotient or a square
//! root first to `f64` and then to the dtype is the same as rounding it once.

use std::cmp::Ordering;

use super::{
    Outcome,
    round::{beyond, exponent, round},
    value::{Ty, Value},
    wide,
};

/// Evaluates an operator on floats.
pub(super) fn eval(op: &str, ty: Ty, args: &[f64]) -> Outcome {
    match *args {
        [a] => one(op, ty, a),
        [a, b] => compare(op, a, b).unwrap_or_else(|| two(op, ty, a, b)),
        [a, low, high] if op == "clamp" => equal(larger_or_nan(a, low, |x, y| x > y, high)),
        _ => panic!("{op} does not take {} operands", args.len()),
    }
}

/// Returns how many units in the last place an operator on floats may be off; 0 when its answers are exact.
pub fn tolerance(op: &str) -> u32 {
    match op {
        "div_floor" | "mean" => 1,
        _ => wide::find(op).map_or(0, |function| function.ulps),
    }
}

/// Adds from left to right and divides by the count; f16 and bf16 are added as f32 and rounded at the end.
pub(super) fn mean(ty: Ty, args: &[Value]) -> Outcome {
    let within = if ty == Ty::F64 { Ty::F64 } else { Ty::F32 };
    let (first, rest) = args.split_first().unwrap_or_else(|| panic!("mean needs at least one operand"));
    let sum = rest.iter().fold(first.float(), |sum, next| round(within, sum + next.float()));
    let value = Value::Float(round(ty, round(within, sum / args.len() as f64)));
    Outcome::Near { value, ulps: tolerance("mean") }
}

fn exact(ty: Ty, x: f64) -> Outcome {
    Outcome::Exact(Value::Float(round(ty, x)))
}

fn equal(x: f64) -> Outcome {
    Outcome::Equal(Value::Float(x))
}

fn truth(holds: bool) -> Outcome {
    Outcome::Exact(Value::Bool(holds))
}

fn larger_or_nan(a: f64, low: f64, above: fn(f64, f64) -> bool, high: f64) -> f64 {
    if a.is_nan() || low.is_nan() || high.is_nan() {
        return f64::NAN;
    }
    let raised = if above(low, a) { low } else { a };
    if above(raised, high) { high } else { raised }
}

fn one(op: &str, ty: Ty, a: f64) -> Outcome {
    match op {
        "neg" => exact(ty, -a),
        "abs" | "fabs" => exact(ty, a.abs()),
        "sign" => equal(if a.is_nan() || a == 0.0 { a } else { 1f64.copysign(a) }),
        "square" => exact(ty, a * a),
        "sqrt" => exact(ty, a.sqrt()),
        "reciprocal" => exact(ty, 1.0 / a),
        "relu" => equal(if a < 0.0 { 0.0 } else { a }),
        "floor" => exact(ty, a.floor()),
        "ceil" => exact(ty, a.ceil()),
        "trunc" | "modf_whole" => exact(ty, a.trunc()),
        "round" | "rint" => exact(ty, a.round_ties_even()),
        "isnan" => truth(a.is_nan()),
        "isinf" => truth(a.is_infinite()),
        "isfinite" => truth(a.is_finite()),
        "logical_not" => truth(a == 0.0),
        "signbit" => truth(a.is_sign_negative() && !a.is_nan()),
        "copy" | "positive" | "conjugate" => exact(ty, a),
        "imag" => exact(ty, 0.0),
        "ones_like" => exact(ty, 1.0),
        "modf_fraction" => exact(ty, if a.is_infinite() { 0f64.copysign(a) } else { (a % 1.0).copysign(a) }),
        "frexp_mantissa" => exact(ty, libm::frexp(a).0),
        "frexp_exponent" if a == 0.0 || !a.is_finite() => Outcome::Exact(Value::Int(0)),
        "frexp_exponent" => Outcome::Exact(Value::Int(i128::from(exponent(a)) + 1)),
        "deg2rad" => scaled(ty, a, std::f64::consts::PI / 180.0, std::f32::consts::PI / 180.0),
        "rad2deg" => scaled(ty, a, 180.0 / std::f64::consts::PI, 180.0 / std::f32::consts::PI),
        "spacing" => spacing(ty, a),
        _ => wide::one(op, ty, a),
    }
}

/// Multiplies by a constant: in f64, or in f32 for the narrower dtypes.
fn scaled(ty: Ty, a: f64, wide: f64, narrow: f32) -> Outcome {
    exact(ty, if ty == Ty::F64 { a * wide } else { round(Ty::F32, a * f64::from(narrow)) })
}

fn spacing(ty: Ty, a: f64) -> Outcome {
    if !a.is_finite() {
        return exact(ty, f64::NAN);
    }
    let next = if ty == Ty::F16 || a == 0.0 { beyond(ty, a, 1) } else { beyond(ty, a, if a < 0.0 { -1 } else { 1 }) };
    // The zero of bf16 keeps its sign, as in ml_dtypes.
    let step = if a == 0.0 { next } else { next - a };
    exact(ty, if ty == Ty::BF16 && a == 0.0 { step.copysign(a) } else { step })
}

fn nextafter(ty: Ty, a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    match a.partial_cmp(&b) {
        Some(Ordering::Less) => beyond(ty, a, 1),
        Some(Ordering::Greater) => beyond(ty, a, -1),
        _ if ty == Ty::F16 => a,
        _ => b,
    }
}

fn compare(op: &str, a: f64, b: f64) -> Option<Outcome> {
    let holds = match op {
        "equal" => a == b,
        "not_equal" => a != b,
        "less" => a < b,
        "less_equal" => a <= b,
        "greater" => a > b,
        "greater_equal" => a >= b,
        "logical_and" => a != 0.0 && b != 0.0,
        "logical_or" => a != 0.0 || b != 0.0,
        "logical_xor" => (a != 0.0) != (b != 0.0),
        _ => return None,
    };
    Some(truth(holds))
}

fn two(op: &str, ty: Ty, a: f64, b: f64) -> Outcome {
    let nan = a.is_nan() || b.is_nan();
    match op {
        "add" => exact(ty, a + b),
        "sub" => exact(ty, a - b),
        "mul" => exact(ty, a * b),
        "div" => exact(ty, a / b),
        "div_trunc" => exact(ty, round(ty, a / b).trunc()),
        "div_floor" => div_floor(ty, a, b),
        "mod_floor" => exact(ty, mod_floor(a, b)),
        "fmod" => exact(ty, libm::fmod(a, b)),
        "remainder_ieee" => exact(ty, libm::remainder(a, b)),
        "max" => equal(if nan { f64::NAN } else { a.max(b) }),
        "min" => equal(if nan { f64::NAN } else { a.min(b) }),
        "fmax" => equal(if b.is_nan() || a > b { a } else { b }),
        "fmin" => equal(if b.is_nan() || a < b { a } else { b }),
        "squared_difference" => {
            let difference = round(ty, a - b);
            exact(ty, difference * difference)
        }
        "copysign" => exact(ty, a.copysign(b)),
        "nextafter" => exact(ty, nextafter(ty, a, b)),
        "ldexp" if b.is_nan() => exact(ty, b),
        "ldexp" => exact(ty, libm::ldexp(a, b.clamp(-10_000.0, 10_000.0) as i32)),
        "prelu" => exact(ty, if a < 0.0 { a * b } else { a }),
        "heaviside" if a == 0.0 => exact(ty, b),
        "heaviside" => exact(ty, if a.is_nan() { a } else { f64::from(u8::from(a > 0.0)) }),
        _ => wide::two(op, ty, a, b),
    }
}

/// Computes the remainder with the divisor's sign. The remainder of `fmod` is exact; the one sum after it is rounded.
fn mod_floor(a: f64, b: f64) -> f64 {
    let rest = libm::fmod(a, b);
    if rest == 0.0 {
        rest.copysign(b)
    } else if rest.is_nan() || (rest < 0.0) == (b < 0.0) {
        rest
    } else {
        rest + b
    }
}

/// Divides and rounds down. The dividend without its remainder is a whole multiple of the divisor; as long as the quotient
/// is much smaller than the dtype's precision allows, dividing it gives a number next to that whole one.
fn div_floor(ty: Ty, a: f64, b: f64) -> Outcome {
    if b == 0.0 || a.is_nan() || b.is_nan() {
        return exact(ty, a / b);
    }
    if a.is_infinite() {
        return exact(ty, f64::NAN);
    }
    if a == 0.0 || b.is_infinite() {
        let below = a != 0.0 && (a < 0.0) != (b < 0.0);
        return exact(ty, if below { -1.0 } else { 0f64.copysign(a / b) });
    }
    let rest = libm::fmod(a, b);
    let toward_zero = ((a - rest) / b).round_ties_even();
    let below = rest != 0.0 && (a < 0.0) != (b < 0.0);
    let whole = if below { toward_zero - 1.0 } else { toward_zero };
    let whole = if whole == 0.0 { whole.copysign(a / b) } else { whole };
    let value = Value::Float(round(ty, whole));
    // Up to the first every whole number is one of the dtype, and no step was rounded; up to the second, one is two ULP.
    let [small, medium] = [2, 1].map(|less| whole.abs() < super::round::power_of_two(ty.format().precision - less));
    let ulps = if medium { 2 * tolerance("div_floor") } else { tolerance("div_floor") };
    if small { Outcome::Exact(value) } else { Outcome::Near { value, ulps } }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What NumPy 2.4 says of such a quotient, whose units in the last place are halves, is one below the exact one.
    #[test]
    fn large_quotients_may_be_off_by_one() {
        let outcome = eval("div_floor", Ty::F32, &[165.125, 2.037_392_914_644_442_5e-5]);
        for (off, fits) in [(-1.0, true), (0.0, true), (1.0, true), (-2.0, false), (2.0, false)] {
            assert_eq!(outcome.accepts(Ty::F32, Value::Float(8_104_720.0 + off)), fits, "{off}");
        }
    }

    #[test]
    fn corners() {
        let inf = f64::INFINITY;
        let cases: &[(&str, Ty, &[f64], f64)] = &[
            ("add", Ty::F16, &[2048.0, 1.0], 2048.0),
            ("add", Ty::F16, &[60000.0, 60000.0], inf),
            ("div", Ty::BF16, &[1.0, 3.0], 0.333_984_375),
            ("div_floor", Ty::F64, &[6.0, 0.1], 59.0),
            ("div_floor", Ty::F64, &[inf, 2.0], f64::NAN),
            ("div_floor", Ty::F64, &[-1.0, inf], -1.0),
            ("div_floor", Ty::F64, &[1.0, 0.0], inf),
            ("mod_floor", Ty::F64, &[-2.0, 2.0], 0.0),
            ("mod_floor", Ty::F64, &[2.0, -2.0], -0.0),
            ("mod_floor", Ty::F64, &[-2.0, inf], inf),
            ("mod_floor", Ty::F64, &[2.0, inf], 2.0),
            ("fmod", Ty::F64, &[-2.0, 2.0], -0.0),
            ("fmod", Ty::F32, &[2.0, inf], 2.0),
            ("remainder_ieee", Ty::F32, &[7.0, 2.0], -1.0),
            ("squared_difference", Ty::F16, &[2048.0, -1.0], inf),
            ("round", Ty::F32, &[2.5], 2.0),
            ("ceil", Ty::F32, &[-0.3], -0.0),
            ("prelu", Ty::F32, &[-0.0, 5.0], -0.0),
            ("prelu", Ty::F32, &[-inf, 0.0], f64::NAN),
            ("prelu", Ty::F32, &[1.0, f64::NAN], 1.0),
            ("clamp", Ty::F32, &[5.0, 9.0, 7.0], 7.0),
            ("clamp", Ty::F32, &[5.0, f64::NAN, 7.0], f64::NAN),
            ("max", Ty::F32, &[1.0, f64::NAN], f64::NAN),
            ("fmax", Ty::F32, &[1.0, f64::NAN], 1.0),
            ("fmin", Ty::F32, &[f64::NAN, f64::NAN], f64::NAN),
        ];
        for (op, ty, args, want) in cases {
            let args: Vec<f64> = args.iter().map(|&x| round(*ty, x)).collect();
            let got = eval(op, *ty, &args);
            let want = Outcome::Exact(Value::Float(*want));
            let same = got.value().is_some_and(|value| want.accepts(*ty, value));
            assert!(same, "{op} {} {args:?}: {got:?}, want {want:?}", ty.name());
        }
    }
}
