//! Elements and their dtypes.

/// The dtype of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Ty {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
}

/// An element of any dtype; the dtype is stored separately.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A number of any float dtype; `f64` holds them all exactly.
    Float(f64),
}

/// What a float dtype can hold.
pub(super) struct Format {
    /// Bits of a normal number, the leading one included.
    pub(super) precision: i32,
    /// The exponent of the least normal number.
    pub(super) least: i32,
    /// The exponent of the greatest number.
    pub(super) greatest: i32,
}

impl Ty {
    /// Every dtype.
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

    /// Returns the name: `bool`, `i8`, ..., `f64`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Finds a dtype by its name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Says whether this is a float dtype.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    /// Says whether this is an integer dtype.
    pub fn is_integer(self) -> bool {
        !self.is_float() && self != Self::Bool
    }

    /// Says whether numbers of this dtype have a sign.
    pub fn is_signed(self) -> bool {
        self.is_float() || matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// Returns the width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 8,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => 16,
            Self::I32 | Self::U32 | Self::F32 => 32,
            Self::I64 | Self::U64 | Self::F64 => 64,
        }
    }

    /// Returns the least and the greatest number of an integer dtype.
    ///
    /// # Panics
    /// For another dtype.
    pub fn range(self) -> (i128, i128) {
        assert!(self.is_integer(), "{} has no integer range", self.name());
        if self.is_signed() {
            (-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1)
        } else {
            (0, (1 << self.bits()) - 1)
        }
    }

    /// Wraps a whole number into an integer dtype.
    pub fn wrap(self, number: i128) -> i128 {
        let (least, greatest) = self.range();
        let count = greatest - least + 1;
        let rest = number.rem_euclid(count);
        if rest > greatest { rest - count } else { rest }
    }

    pub(super) fn format(self) -> Format {
        let (precision, greatest) = match self {
            Self::F16 => (11, 15),
            Self::BF16 => (8, 127),
            Self::F32 => (24, 127),
            Self::F64 => (53, 1023),
            _ => panic!("{} is no float dtype", self.name()),
        };
        Format { precision, least: 1 - greatest, greatest }
    }
}

impl Value {
    /// Returns the truth value.
    ///
    /// # Panics
    /// When this is none.
    pub fn boolean(self) -> bool {
        if let Self::Bool(value) = self { value } else { panic!("{self:?} is no bool") }
    }

    /// Returns the whole number.
    ///
    /// # Panics
    /// When this is none.
    pub fn integer(self) -> i128 {
        if let Self::Int(value) = self { value } else { panic!("{self:?} is no integer") }
    }

    /// Returns the float.
    ///
    /// # Panics
    /// When this is none.
    pub fn float(self) -> f64 {
        if let Self::Float(value) = self { value } else { panic!("{self:?} is no float") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_is_that_of_the_machine() {
        for n in [
            -70_000_i128,
            -32_769,
            -129,
            -128,
            -1,
            0,
            1,
            127,
            128,
            255,
            256,
            32_768,
            65_536,
            1 << 40,
            i128::from(u64::MAX),
        ] {
            let want = [
                (Ty::I8, i128::from(n as i8)),
                (Ty::U8, i128::from(n as u8)),
                (Ty::I16, i128::from(n as i16)),
                (Ty::U16, i128::from(n as u16)),
                (Ty::I32, i128::from(n as i32)),
                (Ty::U32, i128::from(n as u32)),
                (Ty::I64, i128::from(n as i64)),
                (Ty::U64, i128::from(n as u64)),
            ];
            for (ty, want) in want {
                assert_eq!(ty.wrap(n), want, "{n} as {}", ty.name());
            }
        }
    }
}
