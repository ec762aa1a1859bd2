//! Computes operators on integers in `i128`, wrapped at the end.

use super::{
    Outcome,
    value::{Ty, Value},
};

/// Evaluates an operator on integers.
pub(super) fn eval(op: &str, ty: Ty, args: &[i128]) -> Outcome {
    match *args {
        [a] => one(op, ty, a),
        [a, b] => compare(op, a, b).or_else(|| divide(op, ty, a, b)).unwrap_or_else(|| two(op, ty, a, b)),
        [a, low, high] if op == "clamp" => Outcome::Exact(Value::Int(a.max(low).min(high))),
        _ => panic!("{op} does not take {} operands", args.len()),
    }
}

fn wrapped(ty: Ty, n: i128) -> Outcome {
    Outcome::Exact(Value::Int(ty.wrap(n)))
}

fn truth(holds: bool) -> Outcome {
    Outcome::Exact(Value::Bool(holds))
}

fn one(op: &str, ty: Ty, a: i128) -> Outcome {
    match op {
        "neg" => wrapped(ty, -a),
        "abs" => wrapped(ty, a.abs()),
        "sign" => wrapped(ty, a.signum()),
        "square" => wrapped(ty, product(ty, a, a)),
        "relu" => wrapped(ty, a.max(0)),
        "bitwise_not" => wrapped(ty, !a),
        "logical_not" => truth(a == 0),
        "copy" | "positive" | "conjugate" => wrapped(ty, a),
        "imag" => wrapped(ty, 0),
        "ones_like" => wrapped(ty, 1),
        "clz" => Outcome::Exact(Value::Int((0..ty.bits()).rev().take_while(|bit| a >> bit & 1 == 0).count() as i128)),
        "bitwise_count" => Outcome::Exact(Value::Int(a.abs().count_ones().into())),
        _ => Outcome::Unsupported,
    }
}

/// Multiplies modulo the width: the product of two 64-bit numbers may need 129 bits with its sign.
fn product(ty: Ty, a: i128, b: i128) -> i128 {
    ty.wrap(a.wrapping_mul(b))
}

fn compare(op: &str, a: i128, b: i128) -> Option<Outcome> {
    let holds = match op {
        "equal" => a == b,
        "not_equal" => a != b,
        "less" => a < b,
        "less_equal" => a <= b,
        "greater" => a > b,
        "greater_equal" => a >= b,
        "logical_and" => a != 0 && b != 0,
        "logical_or" => a != 0 || b != 0,
        "logical_xor" => (a != 0) != (b != 0),
        _ => return None,
    };
    Some(truth(holds))
}

/// Divides; a divisor of 0 is rejected.
fn divide(op: &str, ty: Ty, a: i128, b: i128) -> Option<Outcome> {
    if !["div_trunc", "div_floor", "mod_floor", "fmod", "remainder_ieee"].contains(&op) {
        return None;
    }
    if b == 0 {
        return Some(Outcome::Refused);
    }
    Some(wrapped(
        ty,
        match op {
            "div_trunc" => a / b,
            "fmod" => a % b,
            "div_floor" => floor_of(a, b),
            "mod_floor" => a - b * floor_of(a, b),
            _ => a - b * nearest_of(a, b),
        },
    ))
}

fn floor_of(a: i128, b: i128) -> i128 {
    let toward_zero = a / b;
    if toward_zero * b != a && (a < 0) != (b < 0) { toward_zero - 1 } else { toward_zero }
}

/// Returns the whole number nearest to a / b; of two, the even one.
fn nearest_of(a: i128, b: i128) -> i128 {
    let low = floor_of(a, b);
    let (from_low, from_high) = ((a - low * b).abs(), ((low + 1) * b - a).abs());
    if from_low < from_high || (from_low == from_high && low % 2 == 0) { low } else { low + 1 }
}

fn two(op: &str, ty: Ty, a: i128, b: i128) -> Outcome {
    match op {
        "add" => wrapped(ty, a + b),
        "sub" => wrapped(ty, a - b),
        "mul" => wrapped(ty, product(ty, a, b)),
        "max" | "fmax" => wrapped(ty, a.max(b)),
        "min" | "fmin" => wrapped(ty, a.min(b)),
        "squared_difference" => wrapped(ty, product(ty, ty.wrap(a - b), ty.wrap(a - b))),
        "prelu" => wrapped(ty, if a < 0 { product(ty, a, b) } else { a }),
        "gcd" => wrapped(ty, divisor(a, b)),
        "lcm" if a == 0 || b == 0 => wrapped(ty, 0),
        "lcm" => wrapped(ty, product(ty, a.abs() / divisor(a, b), b.abs())),
        "bitwise_and" => wrapped(ty, a & b),
        "bitwise_or" => wrapped(ty, a | b),
        "bitwise_xor" => wrapped(ty, a ^ b),
        "shift_left" | "shift_right" | "shift_left_mod" | "shift_right_mod" => wrapped(ty, shift(op, ty, a, b)),
        "pow" if b < 0 => Outcome::Refused,
        "pow_trunc" if b < 0 && a == 0 => Outcome::Refused,
        "pow_trunc" if b < 0 => wrapped(ty, if a.abs() == 1 { if b % 2 == 0 { 1 } else { a } } else { 0 }),
        "pow" | "pow_trunc" => wrapped(ty, power(ty, a, b)),
        _ => Outcome::Unsupported,
    }
}

/// Returns the greatest common divisor, by Euclid's algorithm.
fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { divisor(b, a % b) }
}

fn shift(op: &str, ty: Ty, a: i128, b: i128) -> i128 {
    let width = i128::from(ty.bits());
    let count = if op.ends_with("_mod") { b.rem_euclid(width) } else { b };
    let out = !(0..width).contains(&count);
    match (op.starts_with("shift_left"), out) {
        (true, true) => 0,
        (true, false) => ty.wrap(a << count),
        (false, true) => a.signum().min(0),
        (false, false) => a >> count,
    }
}

/// Multiplies `a` with itself; the powers of a wrapped number repeat, so squaring is for speed only.
fn power(ty: Ty, a: i128, b: i128) -> i128 {
    match b {
        0 => 1,
        _ if b % 2 == 1 => product(ty, a, power(ty, a, b - 1)),
        _ => power(ty, product(ty, a, a), b / 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners() {
        let exact = |n: i128| Outcome::Exact(Value::Int(n));
        let least = i128::from(i64::MIN);
        let cases: &[(&str, Ty, &[i128], Outcome)] = &[
            ("add", Ty::I8, &[127, 1], exact(-128)),
            ("mul", Ty::U64, &[u64::MAX.into(), u64::MAX.into()], exact(1)),
            ("mul", Ty::I64, &[least, least], exact(0)),
            ("div_trunc", Ty::I64, &[least, -1], exact(least)),
            ("div_trunc", Ty::I8, &[-7, 2], exact(-3)),
            ("div_floor", Ty::I8, &[-7, 2], exact(-4)),
            ("div_floor", Ty::I8, &[7, -2], exact(-4)),
            ("div_floor", Ty::I8, &[-8, 2], exact(-4)),
            ("div_floor", Ty::I8, &[3, 0], Outcome::Refused),
            ("mod_floor", Ty::I8, &[-7, 2], exact(1)),
            ("mod_floor", Ty::I8, &[7, -2], exact(-1)),
            ("mod_floor", Ty::I8, &[-128, -1], exact(0)),
            ("fmod", Ty::I8, &[-7, 2], exact(-1)),
            ("remainder_ieee", Ty::I8, &[7, 2], exact(-1)),
            ("remainder_ieee", Ty::I8, &[5, 2], exact(1)),
            ("remainder_ieee", Ty::I8, &[-7, 4], exact(1)),
            ("remainder_ieee", Ty::U8, &[7, 4], exact(255)),
            ("pow", Ty::I8, &[7, 9], exact(71)),
            ("pow", Ty::I64, &[3, 39], exact(4_052_555_153_018_976_267)),
            ("pow", Ty::I32, &[2, -1], Outcome::Refused),
            ("pow_trunc", Ty::I32, &[2, -1], exact(0)),
            ("pow_trunc", Ty::I32, &[-1, -3], exact(-1)),
            ("pow_trunc", Ty::I32, &[0, -1], Outcome::Refused),
            ("shift_left", Ty::I8, &[127, 1], exact(-2)),
            ("shift_left", Ty::U32, &[1, 33], exact(0)),
            ("shift_left_mod", Ty::U32, &[1, 33], exact(2)),
            ("shift_right", Ty::I8, &[-8, 9], exact(-1)),
            ("shift_right", Ty::I8, &[8, -1], exact(0)),
            ("shift_right_mod", Ty::I32, &[-8, 32], exact(-8)),
            ("abs", Ty::I8, &[-128], exact(-128)),
            ("neg", Ty::U8, &[1], exact(255)),
            ("bitwise_not", Ty::U8, &[0], exact(255)),
            ("clamp", Ty::I8, &[5, 9, 7], exact(7)),
            ("sin", Ty::I8, &[5], Outcome::Unsupported),
            ("div", Ty::I8, &[5, 1], Outcome::Unsupported),
        ];
        for (op, ty, args, want) in cases {
            assert_eq!(eval(op, *ty, args), *want, "{op} {} {args:?}", ty.name());
        }
    }

    /// Every pair of the narrowest dtypes, by the machine's own arithmetic.
    #[test]
    fn narrow_pairs_are_those_of_the_machine() {
        for a in i8::MIN..=i8::MAX {
            for b in i8::MIN..=i8::MAX {
                let (c, d) = (a as u8, b as u8);
                let mut cases = vec![
                    ("add", a.wrapping_add(b), c.wrapping_add(d)),
                    ("sub", a.wrapping_sub(b), c.wrapping_sub(d)),
                    ("mul", a.wrapping_mul(b), c.wrapping_mul(d)),
                    ("bitwise_xor", a ^ b, c ^ d),
                    ("shift_left_mod", a.wrapping_shl(b as u32), c.wrapping_shl(d.into())),
                    ("shift_right_mod", a.wrapping_shr(b as u32), c.wrapping_shr(d.into())),
                ];
                if b != 0 {
                    cases.push(("div_trunc", a.wrapping_div(b), c / d));
                    cases.push(("fmod", a.wrapping_rem(b), c % d));
                    let floor = (f64::from(a) / f64::from(b)).floor() as i32;
                    cases.push(("div_floor", floor as i8, c / d));
                    cases.push(("mod_floor", (i32::from(a) - floor * i32::from(b)) as i8, c % d));
                }
                for (op, signed, unsigned) in cases {
                    let want = [Ty::I8.wrap(signed.into()), Ty::U8.wrap(unsigned.into())]
                        .map(|n| Outcome::Exact(Value::Int(n)));
                    let got = [eval(op, Ty::I8, &[a.into(), b.into()]), eval(op, Ty::U8, &[c.into(), d.into()])];
                    assert_eq!(got, want, "{op} of {a} and {b}");
                }
            }
        }
    }
}
