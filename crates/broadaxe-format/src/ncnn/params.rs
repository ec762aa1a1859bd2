//! Parameters of layers: `3=1`, `1=0.5`, `0=1,2,3`, `-23300=3,1,2,3`, `6="0w,1h"`.

use broadaxe_op::DType;

use crate::{
    error::Error,
    graph::{Attribute, Data, Element, Node},
};

/// Parameters have the numbers 0 to 31.
const PARAMETER_COUNT: i64 = 32;
/// An array of the old form has the number -23300 less its own.
const ARRAYS: i64 = -23300;

/// Names the parameters that element-wise layers have, by number.
static NAMES: &[(&str, &[(&str, &str)])] = &[
    ("BinaryOp", &[("op_type", "0"), ("with_scalar", "1"), ("b", "2")]),
    ("UnaryOp", &[("op_type", "0")]),
    ("Eltwise", &[("op_type", "0"), ("coeffs", "1")]),
    ("PReLU", &[("num_slope", "0")]),
    ("ReLU", &[("slope", "0")]),
    ("Scale", &[("scale_data_size", "0"), ("bias_term", "1")]),
    ("Bias", &[("bias_data_size", "0")]),
    ("Clip", &[("min", "0"), ("max", "1")]),
    ("ELU", &[("alpha", "0")]),
    ("SELU", &[("alpha", "0"), ("lambda", "1")]),
    ("CELU", &[("alpha", "0")]),
    ("HardSigmoid", &[("alpha", "0"), ("beta", "1")]),
    ("HardSwish", &[("alpha", "0"), ("beta", "1")]),
    ("Power", &[("power", "0"), ("scale", "1"), ("shift", "2")]),
    ("GELU", &[("fast_gelu", "0")]),
];

/// Finds the number, as an attribute's name, of a parameter that ncnn's documents call by a word.
///
/// ```
/// use broadaxe_format::ncnn::parameter;
/// assert_eq!(parameter("BinaryOp", "with_scalar"), Some("1"));
/// assert_eq!(parameter("BinaryOp", "1"), Some("1"));
/// assert_eq!(parameter("ReLU", "b"), None);
/// ```
pub fn parameter<'a>(layer: &str, name: &'a str) -> Option<&'a str> {
    if name.parse().is_ok_and(|number: i64| (0..PARAMETER_COUNT).contains(&number)) {
        return Some(name);
    }
    let (_, names) = NAMES.iter().find(|(op, _)| *op == layer)?;
    names.iter().find(|(word, _)| *word == name).map(|(_, number)| *number)
}

/// Reads a parameter: its number and its value.
///
/// # Errors
/// [`crate::ErrorKind::Format`] for a word that is not a number, and an array that is not as long as it says.
pub(super) fn parse(word: &str) -> Result<(i64, Attribute), Error> {
    let (key, value) = word
        .split_once('=')
        .ok_or_else(|| Error::format(format!("'{}' is not a parameter; write number=value", short(word))))?;
    let number = key.parse::<i64>().ok();
    let (number, old) = match number {
        Some(number) if number <= ARRAYS => (Some(ARRAYS - number), true),
        number => (number, false),
    };
    let number = number.filter(|number| (0..PARAMETER_COUNT).contains(number)).ok_or_else(|| {
        Error::format(format!(
            "unknown parameter {}; parameters have the numbers 0 to 31, arrays -23300 to -23331",
            short(key)
        ))
    })?;
    let value = if old { old_array(value) } else { modern(value) };
    Ok((number, value.map_err(|why| Error::format(format!("parameter {number}: {why}")))?))
}

/// Reads a value of the form that says itself what it is.
fn modern(value: &str) -> Result<Attribute, String> {
    if let Some(quoted) = value.strip_prefix('"') {
        return Ok(Attribute::Text(quoted.strip_suffix('"').unwrap_or(quoted).to_owned()));
    }
    if value.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Ok(Attribute::Text(value.to_owned()));
    }
    if value.contains(',') {
        return array(value.strip_suffix(',').unwrap_or(value).split(','));
    }
    number(value)
}

/// Reads a count and as many values.
fn old_array(value: &str) -> Result<Attribute, String> {
    let (count, values) = value.split_once(',').map_or((value, None), |(count, values)| (count, Some(values)));
    let found = values.map_or(0, |values| values.split(',').count());
    match count.parse::<usize>() {
        Ok(count) if count == found => array(values.into_iter().flat_map(|values| values.split(','))),
        _ => Err(format!("the array says it has {} values, but {found} follow", short(count))),
    }
}

fn array<'a>(values: impl Iterator<Item = &'a str>) -> Result<Attribute, String> {
    let values = values.map(number).collect::<Result<Vec<_>, _>>()?;
    let ints: Option<Vec<i64>> = values.iter().map(Attribute::int).collect();
    Ok(ints.map_or_else(|| Attribute::Floats(values.iter().filter_map(Attribute::float).collect()), Attribute::Ints))
}

/// Reads a number; one with a point or an exponent is not a whole number.
fn number(text: &str) -> Result<Attribute, String> {
    let wrong = || format!("'{}' is not a number", short(text));
    if text.contains(['.', 'e', 'E']) {
        return text.parse().map(Attribute::Float).map_err(|_| wrong());
    }
    text.parse::<i32>().map(|value| Attribute::Int(i64::from(value))).map_err(|_| format!("{} of 32 bits", wrong()))
}

/// Cuts a text that is put into a sentence.
pub(super) fn short(text: &str) -> String {
    let end = text.char_indices().nth(40).map_or(text.len(), |(at, _)| at);
    if end < text.len() { format!("{}...", &text[..end]) } else { text.to_owned() }
}

/// Returns a parameter as a whole number, as ncnn's layers ask for it.
pub(crate) fn int(node: &Node, number: &str, otherwise: i64) -> i64 {
    node.attribute(number).and_then(Attribute::int).unwrap_or(otherwise)
}

/// The type of numbers that are stored as they are.
pub(super) const F32: Element = Element::Known(DType::F32);

/// Says that elements are not there.
pub(super) fn absent(why: &str) -> (Element, Data) {
    (F32, Data::Absent(why.to_owned()))
}
