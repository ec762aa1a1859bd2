//! The names and numbers that Paddle gives to types of elements.

use broadaxe_op::DType;

use crate::{graph::Element, wire::Message};

/// The message that describes a tensor in old programs and in files of parameters.
pub(super) static TENSOR_DESC: Message = Message::new("TensorDesc", &[1]);

/// Types by their number in old programs and files of parameters.
const NUMBERS: &[(i64, &str)] = &[
    (0, "bool"),
    (1, "i16"),
    (2, "i32"),
    (3, "i64"),
    (4, "f16"),
    (5, "f32"),
    (6, "f64"),
    (20, "u8"),
    (21, "i8"),
    (22, "bf16"),
    (23, "c64"),
    (24, "c128"),
    (32, "f8e4m3fn"),
    (33, "f8e5m2"),
    (36, "u16"),
    (37, "u32"),
    (38, "u64"),
];

/// The sizes in bits of types without arithmetic.
const BITS: &[(&str, u32)] = &[("c64", 64), ("c128", 128), ("f8e4m3fn", 8), ("f8e5m2", 8)];

/// Reads the name of a type, without the `t_` before it.
pub(super) fn named(name: &str) -> Element {
    let name = match name {
        "ui8" => "u8",
        "ui16" => "u16",
        "ui32" => "u32",
        "ui64" => "u64",
        other => other,
    };
    let bits = BITS.iter().find(|(known, _)| *known == name).map_or(0, |row| row.1);
    DType::from_name(name).map_or_else(|| Element::Other(name.to_string(), bits), Element::Known)
}

/// Reads the number of a type.
pub(super) fn numbered(number: i64) -> Element {
    let row = NUMBERS.iter().find(|row| row.0 == number);
    row.map_or_else(|| Element::Other(format!("type {number}"), 0), |row| named(row.1))
}

/// Returns the number of a type.
pub(super) fn number(element: &Element) -> Option<i64> {
    let name = element.to_string();
    NUMBERS.iter().find(|row| row.1 == name).map(|row| row.0)
}

/// Returns the bytes of an element; types of unknown size have none.
pub(super) fn bytes(element: &Element) -> Option<u64> {
    match element {
        Element::Known(dtype) => Some(dtype.size() as u64),
        Element::Other(_, bits) => (*bits > 0).then_some(u64::from(bits / 8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for &(row, name) in NUMBERS {
            let element = numbered(row);
            assert_eq!((element.to_string().as_str(), number(&element)), (name, Some(row)));
            assert!(bytes(&element).is_some(), "{name}");
        }
        assert_eq!(numbered(7).to_string(), "type 7");
        assert_eq!(named("ui8"), Element::Known(DType::U8));
    }
}
