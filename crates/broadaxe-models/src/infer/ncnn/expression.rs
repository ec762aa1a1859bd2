//! Evaluates expressions for extents: `0w,//(1c,2),-1`.
//!
//! A list of numbers, of extents of inputs (`1c` is c of input 1) and of functions of them, operator first. Brackets and
//! commas only separate words. Words are read from the end; a function pops its operands from a stack.

use super::layer::{n, whdc};
use crate::infer::{
    Size,
    call::{Call, Stop},
};

/// How many words are read.
const WORDS: usize = 256;

/// A value on the stack: quotients are kept until they are rounded.
#[derive(Clone)]
enum Value {
    Whole(Size),
    Quotient(Size, Size),
    Real(f64),
}

/// Reads a list of extents.
///
/// # Errors
/// The reason, where it cannot be said what an expression comes to.
pub(crate) fn list(call: &Call<'_>, text: &str) -> Result<Vec<Size>, Stop> {
    let words: Vec<&str> = text.split([',', '(', ')']).filter(|word| !word.is_empty()).collect();
    if words.len() > WORDS {
        return call.refuse(&format!("an expression of {} words; at most {WORDS} are read", words.len()));
    }
    let mut stack: Vec<Value> = Vec::new();
    for word in words.into_iter().rev() {
        let short = || call.refuse(&format!("the expression {text} has too few words"));
        let made = match word {
            "+" | "-" | "*" | "//" | "/" | "max" | "min" => {
                let (a, b) = (stack.pop().map_or_else(short, Ok)?, stack.pop().map_or_else(short, Ok)?);
                two(word, &a, &b)
            }
            "abs" | "neg" | "trunc" | "floor" | "ceil" | "round" | "square" => {
                let a = stack.pop().map_or_else(short, Ok)?;
                one(word, a)
            }
            _ => leaf(call, word)?,
        };
        let unknown = || call.refuse(&format!("the value of {word} in the expression {text} is not known"));
        stack.push(made.map_or_else(unknown, Ok)?);
    }
    let whole = |value| match value {
        Value::Whole(size) => Some(size),
        Value::Quotient(a, b) => a.floor(&b),
        Value::Real(value) => Some(n(value as i64)),
    };
    let sizes: Option<Vec<Size>> = stack.into_iter().rev().map(whole).collect();
    sizes.map_or_else(|| call.refuse(&format!("the value of the expression {text} is not known")), Ok)
}

/// Reads a number or an extent of an input.
fn leaf(call: &Call<'_>, word: &str) -> Result<Option<Value>, Stop> {
    if let [index @ b'0'..=b'9', letter @ (b'w' | b'h' | b'd' | b'c' | b'n')] = word.as_bytes() {
        let [w, h, d, c] = whdc(call.blob(usize::from(index - b'0'))?);
        let size = match letter {
            b'w' => w,
            b'h' => h,
            b'd' => d,
            b'c' => c,
            _ => call.batch(usize::from(index - b'0')),
        };
        return Ok(Some(Value::Whole(size)));
    }
    if let Ok(number) = word.parse::<i32>() {
        return Ok(Some(Value::Whole(n(i64::from(number)))));
    }
    Ok(word.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::Real))
}

fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Whole(size) => size.number().map(|size| size as f64),
        Value::Quotient(a, b) => Some(a.number()? as f64 / b.number()? as f64),
        Value::Real(value) => Some(*value),
    }
}

fn two(word: &str, a: &Value, b: &Value) -> Option<Value> {
    if let (Value::Whole(a), Value::Whole(b)) = (a, b) {
        let size = match word {
            "+" => a.plus(b),
            "-" => a.minus(b),
            "*" => a.times(b),
            "//" if b.is(0) => None,
            // C rounds towards zero.
            "//" if a.number().is_some_and(|a| a < 0) || b.number().is_some_and(|b| b < 0) => {
                a.number()?.checked_div(b.number()?).map(n)
            }
            "//" => a.floor(b),
            "max" => a.max(b),
            "min" => a.min(b),
            _ if b.is(0) => None,
            _ => return Some(Value::Quotient(a.clone(), b.clone())),
        };
        return size.map(Value::Whole);
    }
    let (a, b) = (real(a)?, real(b)?);
    let value = match word {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "//" => (a / b).floor(),
        "/" => a / b,
        "max" => a.max(b),
        _ => a.min(b),
    };
    value.is_finite().then_some(Value::Real(value))
}

fn one(word: &str, a: Value) -> Option<Value> {
    match (word, &a) {
        ("trunc" | "floor" | "ceil" | "round", Value::Whole(_)) => return Some(a),
        ("trunc" | "floor", Value::Quotient(a, b)) => return a.floor(b).map(Value::Whole),
        ("ceil", Value::Quotient(a, b)) => return a.ceil(b).map(Value::Whole),
        ("neg", Value::Whole(a)) => return n(0).minus(a).map(Value::Whole),
        ("square", Value::Whole(a)) => return a.times(a).map(Value::Whole),
        ("abs", Value::Whole(a)) => return a.max(&n(0).minus(a)?).map(Value::Whole),
        _ => {}
    }
    let a = real(&a)?;
    let value = match word {
        "abs" => a.abs(),
        "neg" => -a,
        "square" => a * a,
        "trunc" => a.trunc(),
        "floor" => a.floor(),
        "ceil" => a.ceil(),
        _ => a.round(),
    };
    let whole = matches!(word, "trunc" | "floor" | "ceil" | "round");
    let value = value.is_finite().then_some(value)?;
    Some(if whole { Value::Whole(n(value as i64)) } else { Value::Real(value) })
}
