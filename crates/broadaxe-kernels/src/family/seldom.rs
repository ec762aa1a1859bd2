//! Families of rarely used operators: one plain loop each, vectorised by the compiler where it can.

use super::{as_dtype, costly, gather, heavy};
use crate::{
    dtype::{DType, Element, bf16, f16},
    loops::{Binary, Kernel, MEMORY_BOUND_PICOS, Unary},
    op::Kernels,
};

/// Returns the picoseconds per element: more than memory access costs, so that no special loops are chosen.
const fn picos(dtype: DType) -> u32 {
    2 * MEMORY_BOUND_PICOS * dtype.size() as u32
}

const fn one<O: Unary<T>, T: Element>() -> Kernel {
    Kernel { picos: picos(T::DTYPE), ..costly::<O, T>() }
}

const fn two<O: Binary<T>, T: Element>() -> Kernel {
    Kernel { picos: picos(T::DTYPE), ..heavy::<O, T>() }
}

/// A kernel with two operands whose loop needs many steps per element.
const fn stepwise<O: Binary<T>, T: Element>() -> Kernel {
    Kernel { picos: 2_000 * T::DTYPE.size() as u32, ..heavy::<O, T>() }
}

/// Every float, one operand.
pub(crate) const fn seldom_float<O: Unary<f16> + Unary<bf16> + Unary<f32> + Unary<f64>>() -> Kernels {
    gather([one::<O, f16>(), one::<O, bf16>(), one::<O, f32>(), one::<O, f64>()])
}

/// Every float, two operands.
pub(crate) const fn seldom_floats<O: Binary<f16> + Binary<bf16> + Binary<f32> + Binary<f64>>() -> Kernels {
    gather([two::<O, f16>(), two::<O, bf16>(), two::<O, f32>(), two::<O, f64>()])
}

/// Every integer, one operand.
pub(crate) const fn seldom_integer<O>() -> Kernels
where
    O: Unary<i8> + Unary<i16> + Unary<i32> + Unary<i64> + Unary<u8> + Unary<u16> + Unary<u32> + Unary<u64>,
{
    gather([
        one::<O, i8>(),
        one::<O, i16>(),
        one::<O, i32>(),
        one::<O, i64>(),
        one::<O, u8>(),
        one::<O, u16>(),
        one::<O, u32>(),
        one::<O, u64>(),
    ])
}

/// Every integer, two operands, many steps for each element.
pub(crate) const fn stepwise_integers<O>() -> Kernels
where
    O: Binary<i8> + Binary<i16> + Binary<i32> + Binary<i64> + Binary<u8> + Binary<u16> + Binary<u32> + Binary<u64>,
{
    gather([
        stepwise::<O, i8>(),
        stepwise::<O, i16>(),
        stepwise::<O, i32>(),
        stepwise::<O, i64>(),
        stepwise::<O, u8>(),
        stepwise::<O, u16>(),
        stepwise::<O, u32>(),
        stepwise::<O, u64>(),
    ])
}

/// Every float by the loops of the unsigned integer of its width, one operand.
pub(crate) const fn seldom_float_width<O: Unary<u16> + Unary<u32> + Unary<u64>>() -> Kernels {
    let (k2, k4, k8) = (one::<O, u16>(), one::<O, u32>(), one::<O, u64>());
    gather([
        as_dtype(k2, DType::U16, DType::F16),
        as_dtype(k2, DType::U16, DType::BF16),
        as_dtype(k4, DType::U32, DType::F32),
        as_dtype(k8, DType::U64, DType::F64),
    ])
}

/// Every dtype, one operand: bools and signed integers by the loops of the unsigned ones of their widths.
pub(crate) const fn seldom_all<O>() -> Kernels
where
    O: Unary<u8> + Unary<u16> + Unary<u32> + Unary<u64> + Unary<f16> + Unary<bf16> + Unary<f32> + Unary<f64>,
{
    let (k1, k2, k4, k8) = (one::<O, u8>(), one::<O, u16>(), one::<O, u32>(), one::<O, u64>());
    let integers = gather([
        k1,
        k2,
        k4,
        k8,
        as_dtype(k1, DType::U8, DType::Bool),
        as_dtype(k1, DType::U8, DType::I8),
        as_dtype(k2, DType::U16, DType::I16),
        as_dtype(k4, DType::U32, DType::I32),
        as_dtype(k8, DType::U64, DType::I64),
    ]);
    integers.and(seldom_float::<O>())
}
