//! Computes every operator one element at a time, in wide arithmetic, without regard for speed.
//!
//! Integers are computed in `i128` and wrapped. Floats are computed in `f64` and rounded once per operation for the
//! narrower dtypes; for `f64` itself, functions that have no exact answer are computed with hundreds of bits.
//!
//! | question | answer |
//! |---|---|
//! | an integer beyond its dtype | wraps; least / -1 is the least again, least mod -1 is 0 |
//! | an integer divided by 0, or 0 to a negative power in `pow_trunc` | rejected |
//! | `pow` of an integer to a negative power | rejected; `pow_trunc` gives 0, 1 or -1 |
//! | a shift by a negative count or by the width or more | 0; all sign bits when a negative number goes right |
//! | the same, `shift_left_mod` and `shift_right_mod` | the count modulo the width |
//! | a result that is NaN | any NaN is equal to any other here; the engine's own tests hold it to one |
//! | `max` `min` `clamp` with NaN | NaN; `fmax` and `fmin` give the other operand |
//! | `max` `min` `fmax` `fmin` `clamp` `relu` `sign` of zeros | either zero |
//! | a comparison with NaN | false; `not_equal` true |
//! | `mod_floor` of floats | the divisor's sign, also of a zero; x mod ±inf is x, or ±inf where the signs differ |
//! | `fmod` | the dividend's sign, also of a zero; x mod ±inf is x |
//! | `div_floor` of floats | of an infinite dividend NaN; else the exact quotient rounded down, or a neighbour of it where it is large |
//! | `div_trunc` of floats | the rounded quotient, rounded towards zero |
//! | `round` | ties to even |
//! | `pow(1, x)`, `pow(x, 0)` | 1, NaN or not |
//! | `prelu` | the slope is looked at only below 0: -0 stays -0, and NaN stays NaN |
//! | `silu` `gelu` `gelu_tanh` `hardswish` of -inf | their limit, either zero |
//! | `signbit` of a NaN | its sign bit: here NaN has none |
//! | `nextafter` of equal numbers | the second; of zeros of f16 the first, as in NumPy |
//! | `spacing` | to the next number away from zero, with the sign of the element, +0 for -0; of f16 to the next above, as in NumPy |
//! | `gcd` `lcm` | of magnitudes; `gcd(0, 0)` and `lcm(0, x)` are 0, and both wrap |
//! | `bitwise_count` | the bits of the magnitude |
//! | `frexp_exponent` of 0, infinities, NaN | 0 |
//! | a logical operator on numbers | what is not zero holds, NaN too |

mod value;
mod round;
mod bytes;
mod cast;
mod edges;
mod wide;
mod float;
mod integer;
mod text;

pub use bytes::{from_bytes, to_bytes};
pub use cast::cast;
pub use edges::edge_values;
pub use float::tolerance;
pub use round::{distance, round, round_integer};
pub use text::parse;
pub use value::{Ty, Value};

/// What an operator answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// This element, to the bit, save for which NaN it is.
    Exact(Value),
    /// An element equal to this one: either zero will do.
    Equal(Value),
    /// An element at most this many units in the last place away.
    Near {
        /// The answer, rounded once.
        value: Value,
        /// How many elements of the dtype further on an answer may lie.
        ulps: u32,
    },
    /// The operator rejects these elements.
    Refused,
    /// The operator has no meaning for the dtype.
    Unsupported,
}

impl Outcome {
    /// Says whether an engine may answer `got`; `ty` is the dtype of the answer.
    pub fn accepts(self, ty: Ty, got: Value) -> bool {
        match (self, got) {
            (Self::Exact(Value::Float(want)), Value::Float(got)) => {
                (want.is_nan() && got.is_nan()) || want.to_bits() == got.to_bits()
            }
            (Self::Equal(Value::Float(want)), Value::Float(got)) => (want.is_nan() && got.is_nan()) || want == got,
            (Self::Exact(want) | Self::Equal(want), got) => want == got,
            (Self::Near { value: Value::Float(want), ulps }, Value::Float(got)) => {
                (want.is_nan() && got.is_nan()) || distance(ty, want, got).is_some_and(|far| far <= u128::from(ulps))
            }
            (Self::Near { .. } | Self::Refused | Self::Unsupported, _) => false,
        }
    }

    /// Returns the element that is the answer, or the middle of the answers.
    pub fn value(self) -> Option<Value> {
        match self {
            Self::Exact(value) | Self::Equal(value) | Self::Near { value, .. } => Some(value),
            Self::Refused | Self::Unsupported => None,
        }
    }
}

/// Returns the dtype of an operator's answer for operands of `ty`.
pub fn output(op: &str, ty: Ty) -> Ty {
    let truth = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isnan", "isinf", "isfinite"];
    match op {
        "bitwise_count" => Ty::U8,
        "frexp_exponent" => Ty::I32,
        _ if truth.contains(&op) || op == "signbit" || op.starts_with("logical_") => Ty::Bool,
        _ => ty,
    }
}

/// Evaluates an operator; `ty` is the dtype of its operands (of `where`, of the second and third).
///
/// `add`, `sum`, `max`, `min` and `mean` take any number of operands from one on, from left to right.
///
/// # Panics
/// When there is no such operator, the number of operands is wrong, or one is not of the dtype: a mistake in a test.
pub fn eval(op: &str, ty: Ty, args: &[Value]) -> Outcome {
    if op == "where" {
        let [Value::Bool(condition), a, b] = *args else { panic!("where needs a bool and two elements, not {args:?}") };
        return Outcome::Exact(if condition { a } else { b });
    }
    if op == "mean" {
        return if ty.is_float() { float::mean(ty, args) } else { Outcome::Unsupported };
    }
    if op == "sum" || (["add", "max", "min"].contains(&op) && args.len() != 2) {
        return fold(if op == "sum" { "add" } else { op }, ty, args);
    }
    match ty {
        Ty::Bool => booleans(op, args),
        _ if ty.is_float() => float::eval(op, ty, &args.iter().map(|v| v.float()).collect::<Vec<_>>()),
        _ => integer::eval(op, ty, &args.iter().map(|v| v.integer()).collect::<Vec<_>>()),
    }
}

/// Applies an operator of two operands from left to right.
fn fold(op: &str, ty: Ty, args: &[Value]) -> Outcome {
    let (&first, rest) = args.split_first().unwrap_or_else(|| panic!("{op} needs at least one operand"));
    let one = eval(op, ty, &[first, first]);
    if one == Outcome::Unsupported {
        return one;
    }
    rest.iter().fold(Outcome::Exact(first), |sum, &next| sum.value().map_or(sum, |sum| eval(op, ty, &[sum, next])))
}

/// Evaluates an operator on truth values.
fn booleans(op: &str, args: &[Value]) -> Outcome {
    let bits: Vec<bool> = args.iter().map(|v| v.boolean()).collect();
    let answer = match (op, &bits[..]) {
        ("equal", [a, b]) => a == b,
        ("not_equal" | "bitwise_xor" | "logical_xor", [a, b]) => a != b,
        ("less", [a, b]) => a < b,
        ("less_equal", [a, b]) => a <= b,
        ("greater", [a, b]) => a > b,
        ("greater_equal", [a, b]) => a >= b,
        ("logical_and" | "bitwise_and", [a, b]) => *a && *b,
        ("logical_or" | "bitwise_or", [a, b]) => *a || *b,
        ("logical_not" | "bitwise_not", [a]) => !a,
        ("copy", [a]) => *a,
        ("imag", [_]) => false,
        ("ones_like", [_]) => true,
        _ => return Outcome::Unsupported,
    };
    Outcome::Exact(Value::Bool(answer))
}
