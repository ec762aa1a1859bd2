//! stand-in
#![allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DType { Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64 }
impl DType {
    pub const ALL: [DType; 13] = [Self::Bool, Self::I8, Self::I16, Self::I32, Self::I64, Self::U8, Self::U16, Self::U32, Self::U64, Self::F16, Self::BF16, Self::F32, Self::F64];
    pub fn name(self) -> &'static str {
        match self { Self::Bool=>"bool", Self::I8=>"i8", Self::I16=>"i16", Self::I32=>"i32", Self::I64=>"i64", Self::U8=>"u8", Self::U16=>"u16", Self::U32=>"u32", Self::U64=>"u64", Self::F16=>"f16", Self::BF16=>"bf16", Self::F32=>"f32", Self::F64=>"f64" }
    }
    pub fn size(self) -> usize {
        match self { Self::Bool|Self::I8|Self::U8=>1, Self::I16|Self::U16|Self::F16|Self::BF16=>2, Self::I32|Self::U32|Self::F32=>4, _=>8 }
    }
}
