//! Reads elements as the case files write them.

use super::{
    round::round,
    value::{Ty, Value},
};

/// Reads an element of a dtype; floats are rounded to it. `None` when the text is no element of it.
pub fn parse(ty: Ty, text: &str) -> Option<Value> {
    match ty {
        Ty::Bool => match text {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        _ if ty.is_float() => text.parse().ok().map(|x| Value::Float(round(ty, x))),
        _ => {
            let (least, greatest) = ty.range();
            text.parse().ok().filter(|n| (least..=greatest).contains(n)).map(Value::Int)
        }
    }
}
