//! Integers on `OpenVINO`'s CPU plugin, which computes those of 8 bits saturated and those of 64 in 32 bits with a sign.
//!
//! Right: i16, u16 and bool. Of i32 and i64, quotients, remainders and comparisons are computed in f32, so those of numbers
//! beyond 2^24 may be off: what the tensors hold decides, so these are caveats of the verdict `same`.

use broadaxe_frameworks::System;
use broadaxe_kernels::{DType, OpId, id};

use super::{Asked, Does, When};
use crate::meaning::Kind;

/// The most bytes of a constant of integers that are read.
const INTEGER_BYTES: usize = 1 << 20;

/// Sums, differences and products of 8 bits, of which one operand or more is computed: constants are folded right.
///
/// Its own files are no exception: they come from frameworks in which such integers wrap around.
pub(super) const SATURATED: &[When] = &[
    When::Any(&[When::Of(System::Onnx), When::Of(System::Openvino)]),
    When::Operator(&[id("add"), id("sub"), id("mul"), id("shift_left")]),
    When::Dtype(&[DType::U8, DType::I8]),
    When::Not(&When::AllConstant),
];

/// Quotients of 8 bits, which the code for open dims computes in f32 and rounds.
pub(super) const ROUNDED: &[When] = &[
    When::Of(System::Onnx),
    When::Operator(&[id("div")]),
    When::Dtype(&[DType::U8, DType::I8]),
    When::Not(&When::AllConstant),
    When::Holds(|asked| {
        let open = |k| asked.in_file(k).known().is_none();
        Some((0..asked.operands.len()).any(open))
    }),
];

/// Operators of u32 that do not depend on its sign.
const SIGNLESS: &[OpId] = &[
    id("add"),
    id("sub"),
    id("mul"),
    id("where"),
    id("bitwise_and"),
    id("bitwise_or"),
    id("bitwise_xor"),
    id("shift_left"),
];

/// Unsigned integers where their highest bits count.
pub(super) const UNSIGNED: &[When] = &[
    When::Of(System::Onnx),
    When::Any(&[
        When::All(&[When::Dtype(&[DType::U32]), When::Not(&When::Operator(SIGNLESS))]),
        When::Dtype(&[DType::U64]),
    ]),
];

/// The kinds of nodes that compute integers.
pub(super) const KINDS: &[Kind] = &[Kind::Binary, Kind::Many, Kind::Select];

/// Integers of 64 bits, of which one operand or more is computed.
pub(super) const LONG: &[When] = &[When::Of(System::Onnx), When::Dtype(&[DType::I64]), When::Not(&When::AllConstant)];

/// Quotients, remainders and comparisons of integers of 32 bits, of which one operand or more is computed.
pub(super) const IN_FLOATS: &[When] = &[
    When::Of(System::Onnx),
    When::Dtype(&[DType::I32]),
    When::Named(&["Div", "Mod", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"]),
    When::Not(&When::AllConstant),
];

/// Comparisons, which a constant beyond 32 bits does not change.
const COMPARES: &[OpId] = &[id("equal"), id("less"), id("less_equal"), id("greater"), id("greater_equal")];

/// Finds constants with numbers beyond 32 bits, which it replaces by the nearest number of 32 bits.
pub(super) fn cut(asked: &Asked<'_>) -> Option<Does> {
    let is_of = |ids: &[OpId]| asked.operator().is_some_and(|operator| ids.contains(&operator));
    if !asked.is_of(System::Onnx) || is_of(COMPARES) {
        return None;
    }
    // A large number does not change a minimum, and a small one no maximum.
    let matters = |number: i128| match number {
        _ if number > i128::from(i32::MAX) => !is_of(&[id("min")]),
        _ => number < i128::from(i32::MIN) && !is_of(&[id("max")]),
    };
    let found =
        (0..asked.operands.len()).find(|&k| numbers(asked, k).is_some_and(|all| all.into_iter().any(matters)))?;
    let why = format!("computes in 32 bits, and {} has larger numbers", asked.operand_name(found));
    Some(if is_of(&[id("add"), id("sub")]) { Does::Garbled(why.into()) } else { Does::Unknown(why.into()) })
}

/// Returns the numbers of an operand that the file holds, where they are integers that may not fit into 32 bits.
fn numbers(asked: &Asked<'_>, operand: usize) -> Option<Vec<i128>> {
    let constant = asked.model.value(asked.origin(asked.value(operand)?)).constant.as_ref()?;
    let dtype = constant.element.dtype().filter(|dtype| matches!(dtype, DType::I64 | DType::U64 | DType::U32))?;
    let number = |bytes: &[u8]| match dtype {
        DType::I64 => bytes.try_into().ok().map(|bytes| i128::from(i64::from_le_bytes(bytes))),
        DType::U64 => bytes.try_into().ok().map(|bytes| i128::from(u64::from_le_bytes(bytes))),
        DType::U32 => bytes.try_into().ok().map(|bytes| i128::from(u32::from_le_bytes(bytes))),
        _ => None,
    };
    asked.model.elements(constant, INTEGER_BYTES).ok()??.chunks_exact(dtype.size()).map(number).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::answers;

    const EIGHT_BITS: &[(&str, &str)] = &[
        ("x:u8(2); y:u8(2); z=Add(x,y)", "differs, unknown"),
        ("x:u8(2); y:u8(2); z=Sub(x,y)", "differs, unknown"),
        ("x:u8(2); y:u8(2); z=Mul(x,y)", "differs, unknown"),
        ("x:i8(2); y:i8(2); z=Add(x,y)", "differs, unknown"),
        ("x:i8(2); y:i8(2); z=Sub(x,y)", "differs, unknown"),
        ("x:i8(2); y:i8(2); z=Mul(x,y)", "differs, unknown"),
        ("x:u8(2); y=const:u8(2); z=Add(x,y)", "differs, unknown"),
        ("x:u8(2); y:u8(2); z=BitShift(x,y) direction=LEFT", "differs, unknown"),
        ("x:u8(2); y:u8(2); z=BitShift(x,y) direction=RIGHT", "same"),
        ("x=const:u8(2); y=const:u8(2); z=Add(x,y)", "same"),
        ("x:u8(2); y:u8(2); z=Div(x,y)", "same"),
        ("x:u8(m,1,2,2); y=const:u8(2,2); z=Div(x,y)", "differs, unknown"),
        ("x:i8(3,1,2,n); y:i8(2,2); z=Div(x,y)", "differs, unknown"),
        ("x:u8(m,2); y:u8(3,2); z=Div(x,y)", "differs, unknown"),
        ("x:i16(m,1,2,2); y=const:i16(2,2); z=Div(x,y)", "same"),
        ("x:u8(m,1,2,2); y=const:u8(2,2); z=Mod(x,y)", "same"),
        ("x:i8(2); y:i8(2); z=Mod(x,y)", "same"),
        ("x:u8(2); y:u8(2); z=Max(x,y)", "same"),
        ("x:u8(2); y:u8(2); z=Less(x,y)", "same"),
        ("x:u8(2); y:u8(2); z=BitwiseXor(x,y)", "same"),
        ("x:u8(2); l:u8(); h:u8(); z=Clip(x,l,h)", "same"),
        ("c:bool(2); x:u8(2); y:u8(2); z=Where(c,x,y)", "same"),
        ("x:i16(2); y:i16(2); z=Add(x,y)", "same"),
        ("x:i16(2); y:i16(2); z=Mul(x,y)", "same"),
        ("x:u16(2); y:u16(2); z=Sub(x,y)", "same"),
        ("x:u16(2); y:u16(2); z=BitShift(x,y) direction=LEFT", "same"),
        ("x:bool(2); y:bool(2); z=Xor(x,y)", "same"),
    ];

    const UNSIGNED: &[(&str, &str)] = &[
        ("x:u32(2); y:u32(2); z=Add(x,y)", "same"),
        ("x:u32(2); y:u32(2); z=Mul(x,y)", "same"),
        ("x:u32(2); y:u32(2); z=Equal(x,y)", "differs, unknown"),
        ("c:bool(2); x:u32(2); y:u32(2); z=Where(c,x,y)", "same"),
        ("x:u32(2); y:u32(2); z=BitwiseAnd(x,y)", "same"),
        ("x:u32(2); y:u32(2); z=BitShift(x,y) direction=LEFT", "same"),
        ("x:u32(2); y:u32(2); z=BitShift(x,y) direction=RIGHT", "differs, unknown"),
        ("x:u32(2); y:u32(2); z=Div(x,y)", "differs, unknown"),
        ("x:u32(2); y:u32(2); z=Mod(x,y)", "differs, unknown"),
        ("x:u32(2); y:u32(2); z=Max(x,y)", "differs, unknown"),
        ("x:u32(2); y:u32(2); z=Min(x,y)", "differs, unknown"),
        ("x:u32(2); y:u32(2); z=Less(x,y)", "differs, unknown"),
        ("x:u32(2); l:u32(); h:u32(); z=Clip(x,l,h)", "differs, unknown"),
        ("x:u64(2); y:u64(2); z=Add(x,y)", "differs, unknown"),
        ("x:u64(2); y:u64(2); z=Less(x,y)", "differs, unknown"),
        ("x:u64(2); y:u64(2); z=BitwiseXor(x,y)", "differs, unknown"),
        ("x:u64(2); y:u64(2); z=Equal(x,y)", "differs, unknown"),
        ("x:u64(2); y:u64(2); z=Mul(x,y)", "differs, unknown"),
        ("x:u64(2); y:u64(2); z=BitwiseAnd(x,y)", "differs, unknown"),
        ("c:bool(2); x:u64(2); y:u64(2); z=Where(c,x,y)", "differs, unknown"),
    ];

    /// Constants of the file, with `x` of 5, 7 and 100.
    const BEYOND: &[(&str, &str)] = &[
        ("x:i64(3); y=const:i64()=8589934592; z=Add(x,y)", "differs"),
        ("x:i64(3); y=const:i64()=8589934592; z=Sub(y,x)", "differs"),
        ("x:i64(3); y=const:i64()=8589934592; z=Mul(x,y)", "differs, unknown"),
        ("x:i64(3); y=const:i64()=8589934592; z=Div(y,x)", "differs, unknown"),
        ("x:i64(3); y=const:i64()=8589934592; z=Mod(x,y)", "same, unknown"),
        ("x:i64(3); y=const:i64()=8589934592; z=Max(x,y)", "differs, unknown"),
        ("x:i64(3); y=const:i64()=8589934592; z=Min(x,y)", "same"),
        ("x:i64(3); y=const:i64()=-8589934592; z=Max(x,y)", "same"),
        ("x:i64(3); y=const:i64()=-8589934592; z=Min(x,y)", "differs, unknown"),
        ("x:i64(3); y=const:i64()=8589934592; z=Less(x,y)", "same"),
        ("x:i64(3); y=const:i64()=8589934592; z=Equal(x,y)", "same"),
        ("x:i64(3); y=const:i64()=2147483648; z=Add(x,y)", "differs"),
        ("x:i64(3); y=const:i64()=2147483647; z=Max(x,y)", "same"),
        ("x:i64(3); y=const:i64()=-2147483648; z=Min(x,y)", "same"),
        ("c:bool(3); x:i64(3); y=const:i64()=8589934592; z=Where(c,x,y)", "differs, unknown"),
        ("x:i64(3); y=const:i64()=100; z=Add(x,y)", "same"),
        ("x:u32(3); y=const:u32()=2147483648; z=Add(x,y)", "differs"),
    ];

    #[test]
    fn eight_bits_are_saturated() {
        answers("openvino", &[], EIGHT_BITS);
    }

    #[test]
    fn unsigned_integers_are_read_with_a_sign() {
        answers("openvino", &[], UNSIGNED);
    }

    #[test]
    fn constants_beyond_32_bits_are_cut() {
        answers("openvino", &[], BEYOND);
    }
}
