//! The element types, with one table row each.

use std::fmt;

/// Names the type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum DType {
    /// A truth value, stored as a byte; any byte but 0 is true.
    Bool,
    /// A signed integer of 8 bits.
    I8,
    /// A signed integer of 16 bits.
    I16,
    /// A signed integer of 32 bits.
    I32,
    /// A signed integer of 64 bits.
    I64,
    /// An unsigned integer of 8 bits.
    U8,
    /// An unsigned integer of 16 bits.
    U16,
    /// An unsigned integer of 32 bits.
    U32,
    /// An unsigned integer of 64 bits.
    U64,
    /// IEEE 754 binary16.
    F16,
    /// The upper half of a binary32.
    BF16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

/// What kind of number a dtype holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Truth values.
    Bool,
    /// Signed integers, two's complement.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// Floating-point numbers.
    Float,
}

struct DTypeRow {
    dtype: DType,
    name: &'static str,
    aliases: &'static [&'static str],
    size: usize,
    family: Family,
}

const fn row(
    dtype: DType,
    name: &'static str,
    aliases: &'static [&'static str],
    size: usize,
    family: Family,
) -> DTypeRow {
    DTypeRow { dtype, name, aliases, size, family }
}

#[rustfmt::skip]
static ROWS: [DTypeRow; 13] = [
    row(DType::Bool, "bool", &["boolean"],                   1, Family::Bool),
    row(DType::I8,   "i8",   &["int8"],                      1, Family::Signed),
    row(DType::I16,  "i16",  &["int16"],                     2, Family::Signed),
    row(DType::I32,  "i32",  &["int32"],                     4, Family::Signed),
    row(DType::I64,  "i64",  &["int64"],                     8, Family::Signed),
    row(DType::U8,   "u8",   &["uint8"],                     1, Family::Unsigned),
    row(DType::U16,  "u16",  &["uint16"],                    2, Family::Unsigned),
    row(DType::U32,  "u32",  &["uint32"],                    4, Family::Unsigned),
    row(DType::U64,  "u64",  &["uint64"],                    8, Family::Unsigned),
    row(DType::F16,  "f16",  &["float16", "half"],           2, Family::Float),
    row(DType::BF16, "bf16", &["bfloat16"],                  2, Family::Float),
    row(DType::F32,  "f32",  &["float32", "float"],          4, Family::Float),
    row(DType::F64,  "f64",  &["float64", "double"],         8, Family::Float),
];

impl DType {
    /// Lists every dtype, in the order of the rows.
    pub const ALL: [Self; 13] = [
        Self::Bool,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
    ];

    #[inline]
    const fn row(self) -> &'static DTypeRow {
        &ROWS[self as usize]
    }

    /// Returns the short name: `bool`, `i8`, ..., `bf16`, `f64`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the size of an element in bytes.
    #[inline]
    pub const fn size(self) -> usize {
        self.row().size
    }

    /// Says whether this is a float of 16 bits.
    #[inline]
    pub const fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::BF16)
    }

    /// Returns the kind of number.
    #[inline]
    pub const fn family(self) -> Family {
        self.row().family
    }

    /// Finds a dtype by its short name or by the name that NumPy, ONNX or OpenVINO gives it.
    ///
    /// ```
    /// use broadaxe_op::DType;
    /// assert_eq!(DType::from_name("uint8"), Some(DType::U8));
    /// assert_eq!(DType::from_name("complex64"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name || row.aliases.contains(&name)).map(|row| row.dtype)
    }

    /// Says whether this is a floating-point type.
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self.family(), Family::Float)
    }

    /// Says whether this is an integer type, signed or not; bool is none.
    #[inline]
    pub fn is_integer(self) -> bool {
        matches!(self.family(), Family::Signed | Family::Unsigned)
    }

    /// Says whether this is a signed integer type.
    #[inline]
    pub fn is_signed(self) -> bool {
        self.family() == Family::Signed
    }

    /// Says whether this is an unsigned integer type.
    #[inline]
    pub fn is_unsigned(self) -> bool {
        self.family() == Family::Unsigned
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_where_the_enum_says() {
        for (i, dtype) in DType::ALL.into_iter().enumerate() {
            assert_eq!((dtype as usize, ROWS[i].dtype), (i, dtype));
            for name in ROWS[i].aliases.iter().chain([&ROWS[i].name]) {
                assert_eq!(DType::from_name(name), Some(dtype), "{name}");
            }
        }
    }
}
