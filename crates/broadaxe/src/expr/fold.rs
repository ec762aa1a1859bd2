//! Arithmetic on numbers alone, as Python does it: `2 * 3` in a text is the number 6, still weak. Only `~True` is `False`,
//! as on arrays, where Python says -2.

use crate::{
    error::{Error, ErrorKind},
    promote::Literal,
};

/// Computes a sign between two numbers.
///
/// # Errors
/// [`ErrorKind::Value`] for a division by zero, a result beyond 128 bits or outside the real numbers, and signs that
/// floats do not have.
pub(super) fn binary(sign: &str, left: Literal, right: Literal) -> Result<Literal, Error> {
    if let (Literal::Bool(a), Literal::Bool(b)) = (left, right) {
        match sign {
            "&" => return Ok(Literal::Bool(a & b)),
            "|" => return Ok(Literal::Bool(a | b)),
            "^" => return Ok(Literal::Bool(a ^ b)),
            _ => {}
        }
    }
    if let Some(truth) = compare(sign, left, right) {
        return Ok(Literal::Bool(truth));
    }
    let value = match (whole(left), whole(right)) {
        (Some(_), Some(b)) if sign == "/" || (sign == "**" && b < 0) => floats(sign, left.to_f64(), right.to_f64()),
        (Some(a), Some(b)) => integers(sign, a, b).map(Literal::Int),
        _ => floats(sign, left.to_f64(), right.to_f64()),
    };
    value.map_err(|why| Error::new(ErrorKind::Value, format!("{left} {sign} {right}: {why}")))
}

/// Computes a sign before a number.
///
/// # Errors
/// [`ErrorKind::Value`] for `~` of a float and results beyond 128 bits.
pub(super) fn unary(sign: &str, value: Literal) -> Result<Literal, Error> {
    let fail = |why| Err(Error::new(ErrorKind::Value, format!("{sign}{value}: {why}")));
    match (sign, value) {
        ("-", Literal::Float(value)) => Ok(Literal::Float(-value)),
        (_, Literal::Float(_)) if sign == "~" => fail("a float has no bits to invert"),
        ("~", Literal::Bool(value)) => Ok(Literal::Bool(!value)),
        ("~", Literal::Int(value)) => Ok(Literal::Int(!value)),
        ("-", Literal::Bool(value)) => Ok(Literal::Int(-i128::from(value))),
        ("-", Literal::Int(value)) => value.checked_neg().map_or_else(|| fail(LARGE), |value| Ok(Literal::Int(value))),
        (_, Literal::Bool(value)) => Ok(Literal::Int(i128::from(value))),
        _ => Ok(value),
    }
}

const LARGE: &str = "the result is larger than any dtype holds";
const ZERO: &str = "division by zero";

fn whole(literal: Literal) -> Option<i128> {
    match literal {
        Literal::Bool(value) => Some(i128::from(value)),
        Literal::Int(value) => Some(value),
        Literal::Float(_) => None,
    }
}

fn compare(sign: &str, left: Literal, right: Literal) -> Option<bool> {
    let order = match (whole(left), whole(right)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => left.to_f64().partial_cmp(&right.to_f64()),
    };
    Some(match sign {
        "==" => order.is_some_and(std::cmp::Ordering::is_eq),
        "!=" => !order.is_some_and(std::cmp::Ordering::is_eq),
        "<" => order.is_some_and(std::cmp::Ordering::is_lt),
        "<=" => order.is_some_and(std::cmp::Ordering::is_le),
        ">" => order.is_some_and(std::cmp::Ordering::is_gt),
        ">=" => order.is_some_and(std::cmp::Ordering::is_ge),
        _ => return None,
    })
}

fn integers(sign: &str, a: i128, b: i128) -> Result<i128, &'static str> {
    if matches!(sign, "//" | "%") && b == 0 {
        return Err(ZERO);
    }
    let count = || u32::try_from(b).map_err(|_| if b < 0 { "a shift counts from 0" } else { LARGE });
    match sign {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "//" => a.checked_div(b).and_then(|q| q.checked_sub(i128::from(a % b != 0 && (a < 0) != (b < 0)))),
        "%" => a.checked_rem(b).map(|rest| if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "<<" if a == 0 => Some(0),
        "<<" => count().map(|n| 1i128.checked_shl(n).filter(|p| *p > 0).and_then(|p| a.checked_mul(p)))?,
        ">>" if b < 0 => return Err("a shift counts from 0"),
        ">>" => Some(a >> b.min(127)),
        _ if matches!(a, 0 | 1) => Some(if b == 0 { 1 } else { a }),
        _ if a == -1 => Some(if b % 2 == 0 { 1 } else { -1 }),
        _ => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
    }
    .ok_or(LARGE)
}

fn floats(sign: &str, a: f64, b: f64) -> Result<Literal, &'static str> {
    if matches!(sign, "/" | "//" | "%") && b == 0.0 || (sign == "**" && a == 0.0 && b < 0.0) {
        return Err(ZERO);
    }
    Ok(Literal::Float(match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "//" | "%" => {
            let mut rest = a % b;
            let mut quotient = (a - rest) / b;
            if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
                rest += b;
                quotient -= 1.0;
            }
            if sign == "%" {
                if rest == 0.0 { 0.0f64.copysign(b) } else { rest }
            } else {
                nearest_whole(quotient, a / b)
            }
        }
        "**" if a < 0.0 && b.is_finite() && b.fract() != 0.0 => return Err("the result is not a real number"),
        "**" => a.powf(b),
        _ => return Err("a float has no bits"),
    }))
}

/// Returns the whole number at a quotient that is whole up to rounding; a zero has the sign of the exact quotient.
fn nearest_whole(quotient: f64, exact: f64) -> f64 {
    let floor = quotient.floor();
    match quotient {
        0.0 => 0.0f64.copysign(exact),
        _ if quotient - floor > 0.5 => floor + 1.0,
        _ => floor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Literal::{Bool, Float, Int};

    #[test]
    fn numbers_fold_as_in_python() {
        let cases = [
            (Int(2), "+", Int(3), Int(5)),
            (Bool(true), "+", Bool(true), Int(2)),
            (Bool(true), "&", Bool(false), Bool(false)),
            (Bool(true), "&", Int(3), Int(1)),
            (Int(7), "/", Int(2), Float(3.5)),
            (Int(-7), "//", Int(2), Int(-4)),
            (Int(-7), "%", Int(2), Int(1)),
            (Int(7), "%", Int(-2), Int(-1)),
            (Float(-7.5), "//", Int(2), Float(-4.0)),
            (Float(6.0), "//", Float(0.1), Float(59.0)),
            (Float(5.5), "%", Int(-3), Float(-0.5)),
            (Int(2), "**", Int(63), Int(1 << 63)),
            (Int(2), "**", Int(-1), Float(0.5)),
            (Int(-1), "**", Int(1_000_001), Int(-1)),
            (Float(2.0), "**", Float(0.5), Float(std::f64::consts::SQRT_2)),
            (Int(1), "<<", Int(40), Int(1 << 40)),
            (Int(-8), ">>", Int(1000), Int(-1)),
            (Int(1), "==", Float(1.0), Bool(true)),
            (Float(f64::INFINITY), ">", Int(3), Bool(true)),
        ];
        for (a, sign, b, want) in cases {
            assert_eq!(binary(sign, a, b).unwrap(), want, "{a} {sign} {b}");
        }
        assert_eq!(unary("-", Int(128)).unwrap(), Int(-128));
        assert_eq!(unary("~", Bool(true)).unwrap(), Bool(false));
        assert_eq!(unary("~", Int(0)).unwrap(), Int(-1));
        assert_eq!(unary("+", Bool(true)).unwrap(), Int(1));
    }

    #[test]
    fn what_python_refuses_is_refused() {
        let cases = [
            (Int(1), "/", Int(0), "division by zero"),
            (Int(1), "%", Int(0), "division by zero"),
            (Float(1.0), "//", Float(0.0), "division by zero"),
            (Int(0), "**", Int(-1), "division by zero"),
            (Int(10), "**", Int(1_000_000_000_000), "larger than any dtype"),
            (Int(i128::MAX), "+", Int(1), "larger than any dtype"),
            (Int(1), "<<", Int(200), "larger than any dtype"),
            (Int(1), "<<", Int(-1), "counts from 0"),
            (Int(-8), "**", Float(0.5), "not a real number"),
            (Float(1.0), "&", Int(1), "no bits"),
        ];
        for (a, sign, b, part) in cases {
            let error = binary(sign, a, b).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        assert!(unary("~", Float(1.0)).is_err());
    }
}
