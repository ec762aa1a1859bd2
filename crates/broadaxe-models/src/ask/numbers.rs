//! Reads elements as f64, and makes the bounds that a node leaves out.

use broadaxe::{Array, DType};

use crate::format::single::number_bytes;

/// Writes numbers as elements of a dtype, little-endian.
pub(super) fn bytes(dtype: DType, values: &[f64]) -> Vec<u8> {
    let mut data = Vec::with_capacity(values.len() * dtype.size());
    for &value in values {
        match dtype {
            DType::F32 => data.extend_from_slice(&(value as f32).to_le_bytes()),
            DType::F64 => data.extend_from_slice(&value.to_le_bytes()),
            _ => data.extend(number_bytes(dtype, value)),
        }
    }
    data
}

/// Reads elements of a dtype, little-endian.
pub(super) fn values(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    if dtype == DType::F32 {
        let element = |chunk: &[u8; 4]| f64::from(f32::from_le_bytes(*chunk));
        return bytes.as_chunks().0.iter().map(element).collect();
    }
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
        u64::from_le_bytes(word)
    };
    let read = |bits: u64| match dtype {
        DType::Bool => f64::from(u8::from(bits != 0)),
        DType::I8 => f64::from(bits as u8 as i8),
        DType::I16 => f64::from(bits as u16 as i16),
        DType::I32 => f64::from(bits as u32 as i32),
        DType::I64 => bits.cast_signed() as f64,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => bits as f64,
        DType::F16 => half(bits as u16),
        DType::BF16 => f64::from(f32::from_bits((bits as u32) << 16)),
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::F64 => f64::from_bits(bits),
    };
    bytes.chunks_exact(dtype.size()).map(|chunk| read(word(chunk))).collect()
}

/// Reads a number of 16 bits (IEEE 754 binary16).
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let size = match exponent {
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => fraction * 2f64.powi(-24),
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// Makes the bound that a node leaves out, which limits nothing.
///
/// # Errors
/// When the dtype has no numbers.
pub(super) fn limit(dtype: DType, high: bool) -> Result<Array, String> {
    let bits = dtype.size() as u32 * 8;
    let value = match dtype {
        _ if dtype.is_float() => f64::INFINITY * if high { 1.0 } else { -1.0 },
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
            if high {
                return Array::from_bytes(dtype, [], &vec![0xff; dtype.size()]).map_err(|error| error.to_string());
            }
            0.0
        }
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            let top = i64::MAX >> (64 - bits);
            let bytes = if high { top } else { -top - 1 }.to_le_bytes();
            return Array::from_bytes(dtype, [], &bytes[..dtype.size()]).map_err(|error| error.to_string());
        }
        _ => return Err(format!("bounds of {} are not known", dtype.name())),
    };
    Array::from_bytes(dtype, [], &number_bytes(dtype, value)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_every_dtype() {
        let cases: [(DType, f64); 14] = [
            (DType::Bool, 1.0),
            (DType::I8, -100.0),
            (DType::I16, -300.0),
            (DType::I32, -70_000.0),
            (DType::I64, -5e9),
            (DType::U8, 200.0),
            (DType::U16, 60_000.0),
            (DType::U32, 4e9),
            (DType::U64, 5e9),
            (DType::F16, -1.5),
            (DType::F16, 6e-8f32.into()),
            (DType::BF16, -2.5),
            (DType::F32, 0.1f32.into()),
            (DType::F64, 0.1),
        ];
        for (dtype, value) in cases {
            let written = bytes(dtype, &[value]);
            assert_eq!(written, number_bytes(dtype, value), "{dtype:?}");
            let read = values(dtype, &written);
            assert!((read[0] - value).abs() <= value.abs() * 0.01, "{dtype:?}: {read:?} for {value}");
        }
        assert_eq!(values(DType::F16, &[0, 0x7c, 0, 0xfc]), [f64::INFINITY, f64::NEG_INFINITY]);
        assert!(values(DType::F16, &[1, 0x7e])[0].is_nan());
    }

    #[test]
    fn bounds_limit_nothing() {
        let cases = [
            (DType::F32, f64::NEG_INFINITY, f64::INFINITY),
            (DType::I8, -128.0, 127.0),
            (DType::I32, f64::from(i32::MIN), f64::from(i32::MAX)),
            (DType::I64, i64::MIN as f64, i64::MAX as f64),
            (DType::U8, 0.0, 255.0),
        ];
        for (dtype, low, high) in cases {
            let read = |high| values(dtype, limit(dtype, high).unwrap().as_bytes())[0];
            assert_eq!((read(false), read(true)), (low, high), "{dtype:?}");
        }
        assert!(limit(DType::Bool, true).is_err());
    }
}
