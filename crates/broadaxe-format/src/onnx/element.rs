//! The types of elements: one row each, in the order of their numbers.

use broadaxe_op::DType;

use super::schema::{
    TENSOR_DOUBLES as DOUBLES, TENSOR_FLOATS as FLOATS, TENSOR_INTS as INTS, TENSOR_LONGS as LONGS,
    TENSOR_TEXTS as TEXTS, TENSOR_UNSIGNED as UNSIGNED,
};
use crate::graph::Element;

/// A type of ONNX.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    name: &'static str,
    dtype: Option<DType>,
    /// Bits of an element.
    pub(super) bits: u32,
    /// The field of a tensor with its elements one by one.
    pub(super) field: u32,
}

const fn known(name: &'static str, dtype: DType, bits: u32, field: u32) -> Row {
    Row { name, dtype: Some(dtype), bits, field }
}

const fn other(name: &'static str, bits: u32, field: u32) -> Row {
    Row { name, dtype: None, bits, field }
}

/// All types; that of number 1 first.
static ROWS: [Row; 28] = [
    known("float", DType::F32, 32, FLOATS),
    known("uint8", DType::U8, 8, INTS),
    known("int8", DType::I8, 8, INTS),
    known("uint16", DType::U16, 16, INTS),
    known("int16", DType::I16, 16, INTS),
    known("int32", DType::I32, 32, INTS),
    known("int64", DType::I64, 64, LONGS),
    other("string", 0, TEXTS),
    known("bool", DType::Bool, 8, INTS),
    known("float16", DType::F16, 16, INTS),
    known("double", DType::F64, 64, DOUBLES),
    known("uint32", DType::U32, 32, UNSIGNED),
    known("uint64", DType::U64, 64, UNSIGNED),
    other("complex64", 64, FLOATS),
    other("complex128", 128, DOUBLES),
    known("bfloat16", DType::BF16, 16, INTS),
    other("float8e4m3fn", 8, INTS),
    other("float8e4m3fnuz", 8, INTS),
    other("float8e5m2", 8, INTS),
    other("float8e5m2fnuz", 8, INTS),
    other("uint4", 4, INTS),
    other("int4", 4, INTS),
    other("float4e2m1", 4, INTS),
    other("float8e8m0", 8, INTS),
    other("uint2", 2, INTS),
    other("int2", 2, INTS),
    other("float6e2m3", 6, INTS),
    other("float6e3m2", 6, INTS),
];

/// Returns what is known of the type with this number.
pub(super) fn row(code: i64) -> Option<&'static Row> {
    ROWS.get(usize::try_from(code).ok()?.checked_sub(1)?)
}

/// Returns the number of a type.
pub(super) fn code(element: &Element) -> Option<i64> {
    let same = |row: &Row| match element {
        Element::Known(dtype) => row.dtype == Some(*dtype),
        Element::Other(name, _) => row.dtype.is_none() && row.name == name,
    };
    ROWS.iter().position(same).map(|index| index as i64 + 1)
}

impl Row {
    /// Returns the type.
    pub(super) fn element(&self) -> Element {
        self.dtype.map_or_else(|| Element::Other(self.name.to_owned(), self.bits), Element::Known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        for index in 1..=ROWS.len() as i64 {
            let row = row(index).unwrap();
            assert_eq!(code(&row.element()), Some(index), "{}", row.name);
            if let Some(dtype) = row.dtype {
                assert_eq!(DType::from_name(row.name), Some(dtype));
                assert_eq!(dtype.size() * 8, row.bits as usize);
            }
        }
        assert!(row(0).is_none() && row(-1).is_none() && row(29).is_none() && row(i64::MIN).is_none());
    }
}
