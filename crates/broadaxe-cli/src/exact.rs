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

/// Writes an element with as many digits as tell it from its neighbours; floats have a point or an exponent.
pub fn text(dtype: DType, bytes: &[u8]) -> String {
    macro_rules! number {
        ($ty:ty) => {
            bytes.try_into().map(<$ty>::from_ne_bytes).unwrap_or_default()
        };
    }
    match dtype {
        DType::Bool => if bytes.first() == Some(&0) { "false" } else { "true" }.to_owned(),
        DType::I8 => number!(i8).to_string(),
        DType::I16 => number!(i16).to_string(),
        DType::I32 => number!(i32).to_string(),
        DType::I64 => number!(i64).to_string(),
        DType::U8 => number!(u8).to_string(),
        DType::U16 => number!(u16).to_string(),
        DType::U32 => number!(u32).to_string(),
        DType::U64 => number!(u64).to_string(),
        DType::F16 => float(f32::from(f16::from_bits(number!(u16)))),
        DType::BF16 => float(f32::from(bf16::from_bits(number!(u16)))),
        DType::F32 => float(number!(f32)),
        DType::F64 => float(number!(f64)),
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
