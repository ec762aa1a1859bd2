//! Single numbers with a dtype: the constants of a graph.

use std::fmt;

use half::{bf16, f16};

use crate::dtype::DType;

/// A number of a given dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    dtype: DType,
    /// The element's bytes, the lowest first.
    bits: u64,
}

impl Scalar {
    /// Rounds a number to this dtype; integers are cut towards zero and clamped, anything but 0 is true.
    pub fn from_f64(dtype: DType, value: f64) -> Self {
        let bits = match dtype {
            DType::Bool => u64::from(value != 0.0),
            DType::I8 => value as i8 as u8 as u64,
            DType::I16 => value as i16 as u16 as u64,
            DType::I32 => value as i32 as u32 as u64,
            DType::I64 => value as i64 as u64,
            DType::U8 => value as u8 as u64,
            DType::U16 => value as u16 as u64,
            DType::U32 => value as u32 as u64,
            DType::U64 => value as u64,
            DType::F16 => f16::from_f64(value).to_bits() as u64,
            DType::BF16 => bf16::from_f64(value).to_bits() as u64,
            DType::F32 => (value as f32).to_bits() as u64,
            DType::F64 => value.to_bits(),
        };
        Self { dtype, bits }
    }

    /// Makes an integer of this dtype; `None` when it is out of the dtype's range. Floats round to nearest.
    pub fn from_i128(dtype: DType, value: i128) -> Option<Self> {
        let bits = match dtype {
            DType::Bool => u64::from(value != 0),
            DType::I8 => u64::from(i8::try_from(value).ok()? as u8),
            DType::I16 => u64::from(i16::try_from(value).ok()? as u16),
            DType::I32 => u64::from(i32::try_from(value).ok()? as u32),
            DType::I64 => i64::try_from(value).ok()? as u64,
            DType::U8 => u64::from(u8::try_from(value).ok()?),
            DType::U16 => u64::from(u16::try_from(value).ok()?),
            DType::U32 => u64::from(u32::try_from(value).ok()?),
            DType::U64 => u64::try_from(value).ok()?,
            DType::F32 => (value as f32).to_bits() as u64,
            DType::F16 | DType::BF16 | DType::F64 => return Some(Self::from_f64(dtype, value as f64)),
        };
        Some(Self { dtype, bits })
    }

    /// Makes a truth value.
    pub fn from_bool(value: bool) -> Self {
        Self { dtype: DType::Bool, bits: u64::from(value) }
    }

    /// Returns the dtype.
    pub fn dtype(self) -> DType {
        self.dtype
    }

    /// Returns the element's bytes in this machine's order; only the first [`DType::size`] count.
    pub fn bytes(self) -> [u8; 8] {
        let mut bytes = self.bits.to_le_bytes();
        if cfg!(target_endian = "big") {
            bytes[..self.dtype.size()].reverse();
        }
        bytes
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.bits;
        match self.dtype {
            DType::Bool => write!(f, "{}", bits != 0),
            DType::I8 => write!(f, "{}", bits as i8),
            DType::I16 => write!(f, "{}", bits as i16),
            DType::I32 => write!(f, "{}", bits as i32),
            DType::I64 => write!(f, "{}", bits as i64),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => write!(f, "{bits}"),
            DType::F16 => write!(f, "{}", f16::from_bits(bits as u16)),
            DType::BF16 => write!(f, "{}", bf16::from_bits(bits as u16)),
            DType::F32 => write!(f, "{}", f32::from_bits(bits as u32)),
            DType::F64 => write!(f, "{}", f64::from_bits(bits)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_rounding() {
        assert_eq!(Scalar::from_i128(DType::U8, 256), None);
        assert_eq!(Scalar::from_i128(DType::I8, -128).map(|s| s.to_string()), Some(String::from("-128")));
        assert_eq!(Scalar::from_i128(DType::U64, u64::MAX.into()).map(|s| s.to_string()), Some(u64::MAX.to_string()));
        assert_eq!(Scalar::from_f64(DType::F16, 0.1).to_string(), "0.099975586");
        assert_eq!(Scalar::from_f64(DType::I32, -1.5).bytes()[..4], (-1_i32).to_ne_bytes());
    }
}
