//! The names of element types in an IR, and the values of its texts.

use broadaxe_op::DType;

use crate::{
    edit::{Scalar, list},
    graph::{Attribute, Element},
};

/// Types without arithmetic, with the bits of an element; strings have no fixed size.
const OTHER: &[(&str, u32)] = &[
    ("u1", 1),
    ("u2", 2),
    ("u3", 3),
    ("u4", 4),
    ("u6", 6),
    ("i4", 4),
    ("nf4", 4),
    ("f4e2m1", 4),
    ("f8e4m3", 8),
    ("f8e5m2", 8),
    ("f8e8m0", 8),
];

/// Reads the name of a type: an `element_type` (`f32`, `boolean`) or a `precision` (`FP32`, `BOOL`).
pub(super) fn element(text: &str) -> Element {
    let lower = text.to_ascii_lowercase();
    let name = match lower.as_str() {
        "bin" => "u1",
        "fp16" => "f16",
        "fp32" => "f32",
        "fp64" => "f64",
        other => other,
    };
    let other =
        || Element::Other(name.to_string(), OTHER.iter().find(|(known, _)| *known == name).map_or(0, |row| row.1));
    DType::from_name(name).map_or_else(other, Element::Known)
}

/// Returns the name of a type in a port.
pub(super) fn precision(element: &Element) -> String {
    let name = element.to_string();
    match name.as_str() {
        "f16" | "f32" | "f64" => format!("FP{}", &name[1..]),
        "u1" => "BIN".to_string(),
        _ => name.to_ascii_uppercase(),
    }
}

/// Returns the name of a type in the data of a constant.
pub(super) fn type_name(element: &Element) -> String {
    match element {
        Element::Known(DType::Bool) => "boolean".to_string(),
        other => other.to_string(),
    }
}

/// Returns the least number of bytes of `count` elements, and whether there may not be more; `None` for strings.
pub(super) fn size(element: &Element, count: usize) -> Option<(u64, bool)> {
    let (bits, exact) = match element {
        Element::Known(dtype) => (dtype.size() as u64 * 8, true),
        Element::Other(_, 0) => return None,
        Element::Other(_, bits) => (u64::from(*bits), false),
    };
    // Files of OpenVINO have one byte for a constant without elements.
    Some(((count as u64).checked_mul(bits)?.div_ceil(8), exact && count > 0))
}

/// Reads the text of an attribute as what it looks like: a number, a list of numbers, or a text.
pub(super) fn attribute(text: &str) -> Attribute {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let ints: Option<Vec<i64>> = parts.iter().map(|part| part.parse().ok()).collect();
    let floats = || parts.iter().map(|part| number(part)).collect::<Option<Vec<f64>>>();
    match (ints, parts.len()) {
        (Some(ints), 1) => Attribute::Int(ints[0]),
        (Some(ints), _) => Attribute::Ints(ints),
        (None, count) => match floats() {
            Some(floats) if count == 1 => Attribute::Float(floats[0]),
            Some(floats) => Attribute::Floats(floats),
            None => Attribute::Text(text.to_string()),
        },
    }
}

fn number(text: &str) -> Option<f64> {
    let plain = text.bytes().any(|byte| byte.is_ascii_digit()) || matches!(text, "inf" | "-inf" | "nan" | "-nan");
    if plain { text.parse().ok() } else { None }
}

/// Writes the value of an attribute.
pub(super) fn written(value: &Scalar) -> String {
    match value {
        Scalar::Int(value) => value.to_string(),
        Scalar::Float(value) => value.to_string(),
        Scalar::Text(value) => value.clone(),
        Scalar::Ints(values) => list(values),
        Scalar::Floats(values) => list(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types() {
        let cases = [
            ("f32", "f32", "FP32"),
            ("FP16", "f16", "FP16"),
            ("BF16", "bf16", "BF16"),
            ("boolean", "boolean", "BOOL"),
            ("BOOL", "boolean", "BOOL"),
            ("I64", "i64", "I64"),
            ("BIN", "u1", "BIN"),
            ("nf4", "nf4", "NF4"),
            ("string", "string", "STRING"),
        ];
        for (text, want, port) in cases {
            let got = element(text);
            assert_eq!((type_name(&got).as_str(), precision(&got).as_str()), (want, port), "{text}");
        }
        assert_eq!(size(&element("u4"), 3), Some((2, false)));
        assert_eq!(size(&element("f32"), 3), Some((12, true)));
        assert_eq!(size(&element("string"), 3), None);
        // All that 32 bits can count has a size in 64 bits.
        assert_eq!(size(&element("i64"), usize::MAX).is_none(), usize::BITS == 64);
    }

    #[test]
    fn texts_of_attributes() {
        let cases = [
            ("1", "Int(1)"),
            ("-1, 2", "Ints([-1, 2])"),
            ("1e-5", "Float(1e-5)"),
            ("0.5,1", "Floats([0.5, 1.0])"),
            ("-inf", "Float(-inf)"),
            ("numpy", "Text(\"numpy\")"),
            ("true", "Text(\"true\")"),
            ("", "Text(\"\")"),
            ("infinity", "Text(\"infinity\")"),
            ("1..3,4", "Text(\"1..3,4\")"),
        ];
        for (text, want) in cases {
            assert_eq!(format!("{:?}", attribute(text)), want, "{text}");
        }
    }
}
