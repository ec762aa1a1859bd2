//! Writes elements of arrays so that they can be read back without a change.

use std::fmt;

use broadaxe_kernels::{DType, bf16, f16};

/// Elements of an array, in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Elements {
    /// The dtype.
    pub dtype: DType,
    /// The elements in native byte order.
    pub bytes: Vec<u8>,
}

impl fmt::Display for Elements {
    /// Writes a JSON list; numbers that are not finite are the strings `nan`, `inf` and `-inf`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (k, element) in self.bytes.chunks_exact(self.dtype.size()).enumerate() {
            let text = text(self.dtype, element);
            let comma = if k == 0 { "" } else { "," };
            let is_finite = !text.ends_with(['n', 'f']);
            if is_finite { write!(f, "{comma}{text}")? } else { write!(f, "{comma}\"{text}\"")? }
        }
        f.write_str("]")
    }
}

/// An element, read from its bytes.
#[derive(Clone, Copy, Debug)]
pub enum Element {
    /// A truth value.
    Bool(bool),
    /// A whole number of any integer dtype.
    Int(i128),
    /// A number of a dtype of 16 bits, which `f32` holds exactly.
    Half(f32),
    /// A number of `f32`.
    Single(f32),
    /// A number of `f64`.
    Double(f64),
}

impl Element {
    /// Reads an element in native byte order; zeros where there are too few bytes.
    pub fn read(dtype: DType, bytes: &[u8]) -> Self {
        macro_rules! number {
            ($ty:ty) => {
                bytes.try_into().map(<$ty>::from_ne_bytes).unwrap_or_default()
            };
        }
        match dtype {
            DType::Bool => Self::Bool(bytes.first().is_some_and(|byte| *byte != 0)),
            DType::I8 => Self::Int(number!(i8).into()),
            DType::I16 => Self::Int(number!(i16).into()),
            DType::I32 => Self::Int(number!(i32).into()),
            DType::I64 => Self::Int(number!(i64).into()),
            DType::U8 => Self::Int(number!(u8).into()),
            DType::U16 => Self::Int(number!(u16).into()),
            DType::U32 => Self::Int(number!(u32).into()),
            DType::U64 => Self::Int(number!(u64).into()),
            DType::F16 => Self::Half(f16::from_bits(number!(u16)).into()),
            DType::BF16 => Self::Half(bf16::from_bits(number!(u16)).into()),
            DType::F32 => Self::Single(number!(f32)),
            DType::F64 => Self::Double(number!(f64)),
        }
    }
}

/// Writes an element with as many digits as tell it from its neighbours; floats have a point or an exponent.
pub fn text(dtype: DType, bytes: &[u8]) -> String {
    match Element::read(dtype, bytes) {
        Element::Bool(value) => value.to_string(),
        Element::Int(value) => value.to_string(),
        Element::Half(value) | Element::Single(value) => float(value),
        Element::Double(value) => float(value),
    }
}

fn float<T: fmt::Debug + Copy + Into<f64>>(value: T) -> String {
    if value.into().is_nan() { "nan".to_owned() } else { format!("{value:?}") }
}

#[cfg(test)]
mod tests {
    use broadaxe_kernels::{DType, f16};

    use super::{Elements, text};

    #[test]
    fn elements() {
        let cases = [
            (DType::Bool, vec![2], "true"),
            (DType::I64, i64::MIN.to_ne_bytes().to_vec(), "-9223372036854775808"),
            (DType::U64, u64::MAX.to_ne_bytes().to_vec(), "18446744073709551615"),
            (DType::F16, f16::from_f64(0.1).to_bits().to_ne_bytes().to_vec(), "0.099975586"),
            (DType::F32, 0.1f32.to_ne_bytes().to_vec(), "0.1"),
            (DType::F32, 3f32.to_ne_bytes().to_vec(), "3.0"),
            (DType::F64, 0.1f64.to_ne_bytes().to_vec(), "0.1"),
            (DType::F64, (1.0f64 / 3.0).to_ne_bytes().to_vec(), "0.3333333333333333"),
            (DType::F64, 1e-300f64.to_ne_bytes().to_vec(), "1e-300"),
            (DType::F64, 1e300f64.to_ne_bytes().to_vec(), "1e300"),
            (DType::F64, (-0.0f64).to_ne_bytes().to_vec(), "-0.0"),
            (DType::F64, (-f64::NAN).to_ne_bytes().to_vec(), "nan"),
            (DType::F64, f64::NEG_INFINITY.to_ne_bytes().to_vec(), "-inf"),
        ];
        for (dtype, bytes, want) in cases {
            assert_eq!(text(dtype, &bytes), want, "{dtype:?}");
            let json = Elements { dtype, bytes }.to_string();
            let list: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            assert_eq!(list[0].is_string(), want == "nan" || want == "-inf", "{json}");
        }
        assert_eq!(Elements { dtype: DType::F32, bytes: Vec::new() }.to_string(), "[]");
    }
}
