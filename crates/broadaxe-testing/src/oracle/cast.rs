//! Casts elements between dtypes.
//!
//! | from | to | answer |
//! |---|---|---|
//! | any | bool | whether it is not zero; NaN is not |
//! | bool | a number | 0 or 1 |
//! | integer | integer | wraps |
//! | integer | float | rounded once, ties to even; beyond the greatest, infinity |
//! | float | integer | rounded towards zero; beyond the range, its end; NaN is 0 |
//! | float | float | rounded once, ties to even |

use super::{
    round::{round, round_integer},
    value::{Ty, Value},
};

/// Casts an element of `from` to `to`.
///
/// # Panics
/// When the element is not of the dtype `from`.
pub fn cast(from: Ty, to: Ty, value: Value) -> Value {
    match (from, value) {
        (Ty::Bool, Value::Bool(_)) | (_, Value::Int(_) | Value::Float(_)) => {}
        _ => panic!("{value:?} is not of {}", from.name()),
    }
    match (value, to) {
        (Value::Bool(_), Ty::Bool) => value,
        (Value::Int(n), Ty::Bool) => Value::Bool(n != 0),
        (Value::Float(x), Ty::Bool) => Value::Bool(x != 0.0),
        (Value::Bool(b), _) => cast(Ty::U8, to, Value::Int(b.into())),
        (Value::Int(n), _) if to.is_float() => Value::Float(round_integer(to, n)),
        (Value::Int(n), _) => Value::Int(to.wrap(n)),
        (Value::Float(x), _) if to.is_float() => Value::Float(round(to, x)),
        (Value::Float(x), _) => {
            let (least, greatest) = to.range();
            // The cast to i128 is the language's own: it saturates and maps NaN to 0.
            Value::Int((x as i128).clamp(least, greatest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        use Value::{Bool, Float, Int};
        let cases = [
            (Ty::F32, Ty::I8, Float(-1.9), Int(-1)),
            (Ty::F32, Ty::I8, Float(300.0), Int(127)),
            (Ty::F32, Ty::U8, Float(-5.0), Int(0)),
            (Ty::F32, Ty::U64, Float(f64::INFINITY), Int(i128::from(u64::MAX))),
            (Ty::F32, Ty::I64, Float(f64::NEG_INFINITY), Int(i128::from(i64::MIN))),
            (Ty::F32, Ty::I32, Float(f64::NAN), Int(0)),
            (Ty::F32, Ty::Bool, Float(f64::NAN), Bool(true)),
            (Ty::F32, Ty::Bool, Float(-0.0), Bool(false)),
            (Ty::I32, Ty::U8, Int(-1), Int(255)),
            (Ty::I32, Ty::F16, Int(2049), Float(2048.0)),
            (Ty::I64, Ty::F16, Int(1 << 40), Float(f64::INFINITY)),
            (Ty::Bool, Ty::BF16, Bool(true), Float(1.0)),
            (Ty::F64, Ty::BF16, Float(257.0), Float(256.0)),
        ];
        for (from, to, value, want) in cases {
            assert_eq!(cast(from, to, value), want, "{value:?} from {} to {}", from.name(), to.name());
        }
    }
}
