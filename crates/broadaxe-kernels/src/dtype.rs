//! The Rust types of elements.

use std::fmt;

pub(crate) use broadaxe_op::{DType, Family, bf16, f16};

/// A truth value as arrays store it: a byte, true unless it is 0.
///
/// Any byte is valid, so that memory written by others can be read without a check.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub struct Bool(pub u8);

impl Bool {
    /// Returns the truth value.
    #[inline(always)]
    pub fn get(self) -> bool {
        self.0 != 0
    }
}

impl From<bool> for Bool {
    #[inline(always)]
    fn from(value: bool) -> Self {
        Self(u8::from(value))
    }
}

impl PartialEq for Bool {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl PartialOrd for Bool {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Marks the Rust types that arrays hold; every pattern of bytes is a valid value of each.
pub trait Element: Copy + Send + Sync + fmt::Debug + sealed::Sealed + 'static {
    /// The dtype of this type.
    const DTYPE: DType;

    /// Returns the value as results hold it: a bool as 0 or 1, everything else bit for bit.
    #[inline(always)]
    fn stored(self) -> Self {
        self
    }
}

impl sealed::Sealed for Bool {}
impl Element for Bool {
    const DTYPE: DType = DType::Bool;

    #[inline(always)]
    fn stored(self) -> Self {
        Self::from(self.get())
    }
}

macro_rules! elements {
    ($($ty:ty: $dtype:ident),+) => {
        $(impl sealed::Sealed for $ty {}
        impl Element for $ty { const DTYPE: DType = DType::$dtype; })+
    };
}
elements!(i8: I8, i16: I16, i32: I32, i64: I64, u8: U8, u16: U16, u32: U32, u64: U64, f16: F16, bf16: BF16, f32: F32, f64: F64);
