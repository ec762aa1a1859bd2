//! Families: the kernels of an operator for all dtypes of a kind, with the loops that are worth their size.

use std::{
    marker::PhantomData,
    ops::{Add, Mul, Sub},
};

#[cfg(test)]
use crate::op::unit_tests;
use crate::{
    dtype::{Bool, DType, Element, bf16, f16},
    isa::{
        LEVELS, Loop, Widened, each, half_wide, narrow,
        vector::{Second, Third},
        versions,
    },
    loops::{Binary, ByPrecomputed, Kernel, Ternary, Unary, Variant},
    measured::{MEMORY_BOUND_PICOS, costly_picos, heavy_picos, seldom_picos},
    number::{Half, Number},
    op::Kernels,
    ops::{
        cast as element,
        pair::{DIFFERENCE, PRODUCT, Pair, REVERSED, SUM},
        select::Where,
    },
    tile::{
        Brief, Line, One, Three, Two,
        halves::{OneHalf, TwoHalves},
        memory_bound::{OneMemoryBound, RowsMemoryBound, TwoMemoryBound},
        shared::OneShared,
        strided::StridedLoop,
    },
};
#[cfg(target_arch = "x86_64")]
use crate::{isa::wide, tile::Streamed};

mod casts;
mod integers;
mod lanewise;

pub use casts::cast;
pub(crate) use integers::integer_powers;
use integers::{divided, seldom_divided};
pub(crate) use lanewise::{fused, lanewise, lanewise_wide, powers, remainders, rounded_fused};

const fn plain(inputs: [DType; 3], arity: usize, output: DType, variants: &'static [Variant]) -> Kernel {
    Kernel {
        inputs,
        arity,
        output,
        variants,
        apart: [None; LEVELS],
        guard: None,
        exchanged: false,
        commutes: false,
        picos: MEMORY_BOUND_PICOS * output.size() as u32,
    }
}

/// The loops of a compute-bound operator.
const fn heavy_loops<L: Line>(constants: u8) -> Variant {
    Variant::new(constants, versions::<L>())
}

/// The loops of a rare operator or dtype: no streaming stores, and no code of its own for the widest level.
const fn seldom_loops<L: Line>(constants: u8) -> Variant {
    Variant::new(constants, narrow::<L, L>())
}

/// The streaming loops of the second level and of the third.
#[cfg(target_arch = "x86_64")]
const fn streamed<M: Line, L: Line>() -> [Option<Loop>; LEVELS] {
    wide::<Streamed<M, Second>, Streamed<L, Third>>()
}

/// Returns no loop: other architectures do not stream.
#[cfg(not(target_arch = "x86_64"))]
const fn streamed<M: Line, L: Line>() -> [Option<Loop>; LEVELS] {
    [None; LEVELS]
}

/// The loops of a memory-bound operator, including those with streaming stores.
const fn light_loops<L: Line>(constants: u8) -> Variant {
    Variant { past: streamed::<L, L>(), ..Variant::new(constants, versions::<L>()) }
}

/// The same for an operator whose operands often have different layouts, so that rows are often short.
const fn brief_loops<L: Line>(constants: u8) -> Variant {
    let versions = if cfg!(target_arch = "x86_64") { each::<L, Brief<L>, Brief<L>>() } else { versions::<Brief<L>>() };
    Variant { past: streamed::<L, L>(), ..Variant::new(constants, versions) }
}

/// The loops of an operator on halves whose result is that of f32, rounded. `B` is for machines without conversions.
const fn half_loops<B: Line, M: Line, L: Line>(constants: u8, light: bool) -> Variant {
    let past = if light { streamed::<M, L>() } else { [None; LEVELS] };
    Variant { past, ..Variant::new(constants, each::<B, M, L>()) }
}

/// The loops of a compute-bound operator on two f16 operands whose result is that of f32, rounded.
const fn two_halves<O: Binary<f16> + Binary<f32, Out = f32>>() -> Variant {
    half_loops::<Two<O, f16, 0>, TwoHalves<O, Second>, TwoHalves<O, Third>>(0, false)
}

/// The loops of a memory-bound operator on two f16 or bf16 operands whose result is that of f32, rounded.
const fn two_memory_bound<O: Binary<H> + Widened, H: Half, const C: u8>() -> Variant {
    let loops = half_loops::<Two<O, H, C>, TwoMemoryBound<O, H, Second, C>, TwoMemoryBound<O, H, Third, C>>(C, true);
    if C != 0 {
        return loops;
    }
    let rows = each::<Two<O, H, 0>, RowsMemoryBound<O, H, Second>, RowsMemoryBound<O, H, Third>>();
    Variant { past: loops.past, ..Variant::new(C, rows) }
}

/// The same for one operand.
const fn one_memory_bound<O: Unary<H> + Widened, H: Half>() -> Variant {
    half_loops::<One<O, H, 0>, OneMemoryBound<O, H, Second>, OneMemoryBound<O, H, Third>>(0, true)
}

/// The loops of a memory-bound operator on one f16 or f32 operand whose result, f16 or f32, is that of f32.
const fn one_half<O: Unary<T>, F: Unary<f32, Out = f32>, T: Element>() -> Variant {
    half_loops::<One<O, T, 0>, OneHalf<F, T, O::Out, Second>, OneHalf<F, T, O::Out, Third>>(0, true)
}

/// The loops of a function, for every instruction set and every choice of constant operands that is worth a loop.
struct ElementLoops<F>(PhantomData<F>);

impl<O: Unary<T>, T: Element> ElementLoops<(O, T)> {
    const ONE: &'static [Variant] = &[light_loops::<One<O, T, 0>>(0)];
    const COSTLY: &'static [Variant] = &[heavy_loops::<One<O, T, 0>>(0)];
    const FILL: &'static [Variant] = &[light_loops::<One<O, T, 0>>(0), light_loops::<One<O, T, 1>>(1)];
    const SELDOM: &'static [Variant] = &[seldom_loops::<One<O, T, 0>>(0)];
}

impl<O: Binary<T>, T: Element> ElementLoops<(O, T, T)> {
    const HEAVY: &'static [Variant] = &[heavy_loops::<Two<O, T, 0>>(0)];
    const SELDOM: &'static [Variant] = &[seldom_loops::<Two<O, T, 0>>(0)];
    const SHIFTED: &'static [Variant] = &[seldom_loops::<Two<O, T, 0>>(0), seldom_loops::<Two<O, T, 2>>(2)];
    const TWO: &'static [Variant] = if O::COMMUTES {
        &[brief_loops::<Two<O, T, 0>>(0), brief_loops::<Two<O, T, 2>>(2)]
    } else {
        &[brief_loops::<Two<O, T, 0>>(0), brief_loops::<Two<O, T, 1>>(1), brief_loops::<Two<O, T, 2>>(2)]
    };
}

impl<O: Unary<bf16> + Unary<f32, Out = f32>> ElementLoops<(O,)> {
    const COSTLY_F16: &'static [Variant] =
        &[half_loops::<OneShared<O, f16>, OneHalf<O, f16, f16, Second>, OneHalf<O, f16, f16, Third>>(0, false)];
    const COSTLY_BF16: &'static [Variant] =
        &[Variant::new(0, each::<OneShared<O, bf16>, One<O, bf16, 0>, One<O, bf16, 0>>())];
}

impl<O: Binary<f16> + Binary<f32, Out = f32>> ElementLoops<(O, O)> {
    const HEAVY_HALVES: &'static [Variant] = &[two_halves::<O>()];
}

/// Operators on a half that are computed as those on f32.
struct ByF32<O, H>(PhantomData<(O, H)>);

impl<O: Unary<H> + Widened, H: Half> ByF32<O, (H,)> {
    const ONE: &'static [Variant] = &[one_memory_bound::<O, H>()];
}

impl<O: Binary<H> + Widened, H: Half> ByF32<O, (H, H)> {
    const TWO: &'static [Variant] = if O::COMMUTES {
        &[two_memory_bound::<O, H, 0>(), two_memory_bound::<O, H, 2>()]
    } else {
        &[two_memory_bound::<O, H, 0>(), two_memory_bound::<O, H, 1>(), two_memory_bound::<O, H, 2>()]
    };
}

impl<O: Ternary<A, T>, A: Element, T: Element> ElementLoops<(O, A, T, T, T)> {
    const THREE: &'static [Variant] = &[
        brief_loops::<Three<O, A, T, 0>>(0),
        brief_loops::<Three<O, A, T, 2>>(2),
        brief_loops::<Three<O, A, T, 4>>(4),
        brief_loops::<Three<O, A, T, 6>>(6),
    ];
    /// The same where the second and the third are mostly constant together.
    const BOUNDED: &'static [Variant] = &[Self::THREE[0], Self::THREE[3]];
    const SELDOM: &'static [Variant] = &[seldom_loops::<Three<O, A, T, 0>>(0)];
    /// The same where the first operand may be constant too.
    const ANY_OF_THREE: &'static [Variant] = &[
        Self::THREE[0],
        brief_loops::<Three<O, A, T, 1>>(1),
        Self::THREE[1],
        Self::THREE[2],
        brief_loops::<Three<O, A, T, 5>>(5),
        Self::THREE[3],
    ];
}

const fn one<O: Unary<T>, T: Element>() -> Kernel {
    plain([T::DTYPE; 3], 1, <O::Out as Element>::DTYPE, ElementLoops::<(O, T)>::ONE)
}

/// A kernel of a compute-bound operator with one operand.
const fn costly<O: Unary<T>, T: Element>() -> Kernel {
    let kernel = plain([T::DTYPE; 3], 1, <O::Out as Element>::DTYPE, ElementLoops::<(O, T)>::COSTLY);
    Kernel { picos: costly_picos(T::DTYPE), ..kernel }
}

/// A kernel of a memory-bound operator with two operands, with loops for a constant on either side.
const fn two<O: Binary<T>, T: Element>() -> Kernel {
    let kernel = plain([T::DTYPE; 3], 2, <O::Out as Element>::DTYPE, ElementLoops::<(O, T, T)>::TWO);
    // Loops for comparisons would double the code for a rarer need.
    let is_wide = size_of::<T>() == 8 && size_of::<O::Out>() == 8;
    let apart = if is_wide { half_wide::<StridedLoop<Two<O, T, 0>>>() } else { [None; LEVELS] };
    Kernel { apart, commutes: O::COMMUTES, ..kernel }
}

/// A kernel of a compute-bound operator with two operands and one loop: repeating a constant into a tile costs little
/// in comparison.
const fn heavy<O: Binary<T>, T: Element>() -> Kernel {
    let kernel = plain([T::DTYPE; 3], 2, <O::Out as Element>::DTYPE, ElementLoops::<(O, T, T)>::HEAVY);
    Kernel { picos: heavy_picos(T::DTYPE), ..kernel }
}

/// As [`one`], for f16 by f32.
const fn one_f16<O: Unary<f16> + Widened>() -> Kernel {
    Kernel { variants: ByF32::<O, (f16,)>::ONE, ..one::<O, f16>() }
}

/// As [`one`], for bf16 by f32.
const fn one_bf16<O: Unary<bf16> + Widened>() -> Kernel {
    Kernel { variants: ByF32::<O, (bf16,)>::ONE, ..one::<O, bf16>() }
}

/// As [`costly`], for f16 by f32.
const fn costly_f16<O: Unary<f16> + Unary<bf16> + Unary<f32, Out = f32>>() -> Kernel {
    Kernel { variants: ElementLoops::<(O,)>::COSTLY_F16, ..costly::<O, f16>() }
}

/// As [`costly`], for bf16 by f32.
const fn costly_bf16<O: Unary<bf16> + Unary<f32, Out = f32>>() -> Kernel {
    Kernel { variants: ElementLoops::<(O,)>::COSTLY_BF16, ..costly::<O, bf16>() }
}

/// As [`two`], for f16 by f32.
const fn two_f16<O: Binary<f16> + Widened>() -> Kernel {
    Kernel { variants: ByF32::<O, (f16, f16)>::TWO, ..two::<O, f16>() }
}

/// As [`two`], for bf16 by f32.
const fn two_bf16<O: Binary<bf16> + Widened>() -> Kernel {
    Kernel { variants: ByF32::<O, (bf16, bf16)>::TWO, ..two::<O, bf16>() }
}

/// As [`heavy`], for f16 by f32.
const fn heavy_by_f32<O: Binary<f16> + Binary<f32, Out = f32>>() -> Kernel {
    Kernel { variants: ElementLoops::<(O, O)>::HEAVY_HALVES, ..heavy::<O, f16>() }
}

const fn three<O: Ternary<T, T>, T: Element>() -> Kernel {
    plain([T::DTYPE; 3], 3, <O::Out as Element>::DTYPE, ElementLoops::<(O, T, T, T, T)>::THREE)
}

/// As [`three`], with a loop for two constants, and none for one.
const fn bounded<O: Ternary<T, T>, T: Element>() -> Kernel {
    Kernel { variants: ElementLoops::<(O, T, T, T, T)>::BOUNDED, ..three::<O, T>() }
}

/// A kernel of a rarely used operator or dtype with one operand: one plain loop, vectorised by the compiler where it can.
const fn seldom<O: Unary<T>, T: Element>() -> Kernel {
    let kernel = plain([T::DTYPE; 3], 1, <O::Out as Element>::DTYPE, ElementLoops::<(O, T)>::SELDOM);
    Kernel { picos: seldom_picos(T::DTYPE), ..kernel }
}

/// The same with two operands.
const fn seldom_two<O: Binary<T>, T: Element>() -> Kernel {
    let kernel = plain([T::DTYPE; 3], 2, <O::Out as Element>::DTYPE, ElementLoops::<(O, T, T)>::SELDOM);
    Kernel { picos: seldom_picos(T::DTYPE), ..kernel }
}

/// As [`seldom_two`], with a loop for a constant second operand, for which the machine has other instructions.
const fn shifted<O: Binary<T>, T: Element>() -> Kernel {
    Kernel { variants: ElementLoops::<(O, T, T)>::SHIFTED, ..seldom_two::<O, T>() }
}

/// The same with three operands.
const fn seldom_three<O: Ternary<T, T>, T: Element>() -> Kernel {
    Kernel { variants: ElementLoops::<(O, T, T, T, T)>::SELDOM, picos: seldom_picos(T::DTYPE), ..three::<O, T>() }
}

/// The same with a loop that needs many steps per element.
const fn stepwise<O: Binary<T>, T: Element>() -> Kernel {
    Kernel { picos: 2_000 * T::DTYPE.size() as u32, ..seldom_two::<O, T>() }
}

const NONE: [Option<Kernel>; 13] = [None; 13];

/// Arranges kernels by the dtype of their last operand.
const fn gather<const N: usize>(kernels: [Kernel; N]) -> Kernels {
    let mut all = NONE;
    let mut i = 0;
    while i < N {
        all[kernels[i].inputs[2] as usize] = Some(kernels[i]);
        i += 1;
    }
    Kernels(all)
}

impl Kernels {
    /// Adds the kernels of other dtypes.
    pub(crate) const fn and(mut self, other: Self) -> Self {
        let mut i = 0;
        while i < self.0.len() {
            if other.0[i].is_some() {
                self.0[i] = other.0[i];
            }
            i += 1;
        }
        self
    }
}

const INTEGERS: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];

/// Arranges kernels of unsigned integers of 1, 2, 4 and 8 bytes under dtypes of these widths.
const fn relabelled(kernels: &[Kernel; 4], dtypes: &[DType]) -> Kernels {
    let mut all = NONE;
    let mut i = 0;
    while i < dtypes.len() {
        let mut kernel = kernels[dtypes[i].size().trailing_zeros() as usize];
        let own = kernel.inputs[2] as u8;
        let mut k = 0;
        while k < 3 {
            if kernel.inputs[k] as u8 == own {
                kernel.inputs[k] = dtypes[i];
            }
            k += 1;
        }
        if kernel.output as u8 == own {
            kernel.output = dtypes[i];
        }
        all[dtypes[i] as usize] = Some(kernel);
        i += 1;
    }
    Kernels(all)
}

macro_rules! family {
    ($(#[$doc:meta])* $name:ident, $role:ident: $($kernel:ident[$($ty:ident),+])+ $(; $($half:ident $by_f32:ident),+)?) => {
        $(#[$doc])*
        pub(crate) const fn $name<O: $($($role<$ty> +)+)+ $($($role<$half> +)+ $role<f32, Out = f32>)?>() -> Kernels {
            gather([$($($kernel::<O, $ty>()),+),+ $(, $($by_f32::<O>()),+)?])
        }
    };
}
family!(/// Every integer, two operands.
    integers, Binary: two[i8, i32, i64, u8] seldom_two[i16, u16, u32, u64]);
family!(/// Every float, two operands. Halves are mostly cast before they are compared.
    comparisons, Binary: two[f32, f64] seldom_two[f16, bf16]);
family!(/// Every float, two operands, costly.
    heavy_floats, Binary: heavy[bf16, f32, f64]; f16 heavy_by_f32);
family!(/// Truth values, two operands.
    truths, Binary: two[Bool]);
family!(/// Truth values, one operand.
    truth, Unary: one[Bool]);
family!(/// Every integer, a dividend and a divisor that is not zero.
    divisions, ByPrecomputed: divided[i32, i64] seldom_divided[i8, i16, u8, u16, u32, u64]);
family!(/// The same for a rarely used operator.
    seldom_divisions, ByPrecomputed: seldom_divided[i8, i16, i32, i64, u8, u16, u32, u64]);
family!(/// Every integer, one operand.
    integer, Unary: one[i8, i32, i64, u8] seldom[i16, u16, u32, u64]);
family!(/// Every float, one operand.
    float, Unary: one[f16, bf16, f32, f64]);
family!(/// Every float, one operand, costly.
    heavy_float, Unary: costly[f32, f64]; f16 costly_f16, bf16 costly_bf16);
family!(/// Every float, one operand, rarely used.
    seldom_float, Unary: seldom[f16, bf16, f32, f64]);
family!(/// Every float, one operand, rarely halves.
    wide_float, Unary: one[f32, f64] seldom[f16, bf16]);
family!(/// Every float, two operands, rarely used.
    seldom_floats, Binary: seldom_two[f16, bf16, f32, f64]);
family!(/// Every float, two operands, rarely used but for f32.
    mostly_f32, Binary: two[f32] seldom_two[f16, bf16, f64]);
family!(/// Every integer, one operand, rarely used.
    seldom_integer, Unary: seldom[i8, i16, i32, i64, u8, u16, u32, u64]);
family!(/// Every integer, two operands, rarely used.
    seldom_integers, Binary: seldom_two[i8, i16, i32, i64, u8, u16, u32, u64]);
family!(/// Every integer, a number and the bits to shift it by, mostly the same for all.
    shifts, Binary: two[i32, i64, u8] shifted[i8, i16, u16, u32, u64]);
family!(/// The same for a rarely used operator.
    seldom_shifts, Binary: shifted[i8, i16, i32, i64, u8, u16, u32, u64]);
family!(/// Every integer, two operands, many steps for each element.
    stepwise_integers, Binary: stepwise[i8, i16, i32, i64, u8, u16, u32, u64]);
family!(/// Every number, three operands, the last two mostly constants.
    bounds, Ternary: bounded[i32, i64, u8, f16, bf16, f32, f64] seldom_three[i8, i16, u16, u32, u64]);

/// Every float by the loops of the unsigned integer of its width, one operand, rarely used.
pub(crate) const fn seldom_float_width<O: Unary<u16> + Unary<u32> + Unary<u64>>() -> Kernels {
    let kernels = [seldom::<O, u16>(), seldom::<O, u16>(), seldom::<O, u32>(), seldom::<O, u64>()];
    relabelled(&kernels, &[DType::F16, DType::BF16, DType::F32, DType::F64])
}

/// Every dtype, one operand, rarely used: bools and signed integers by the loops of the unsigned ones of their widths.
pub(crate) const fn seldom_all<O>() -> Kernels
where
    O: Unary<u8> + Unary<u16> + Unary<u32> + Unary<u64> + Unary<f16> + Unary<bf16> + Unary<f32> + Unary<f64>,
{
    let kernels = [seldom::<O, u8>(), seldom::<O, u16>(), seldom::<O, u32>(), seldom::<O, u64>()];
    relabelled(&kernels, &DType::ALL).and(seldom_float::<O>())
}

/// Copies numbers of every dtype.
pub(crate) const fn copied_numbers() -> Kernels {
    let mut kernels = copied();
    kernels.0[DType::Bool as usize] = None;
    kernels
}

/// Copies every dtype bit for bit, except that bools become 0 or 1.
pub(crate) const fn copied() -> Kernels {
    let numbers = relabelled(&[fill::<u8>(), fill::<u16>(), fill::<u32>(), fill::<u64>()], &DType::ALL);
    numbers.and(gather([fill::<Bool>()]))
}

/// Every float, two operands. The halves have the result of f32, rounded.
pub(crate) const fn rounded_floats<O: Binary<f16> + Binary<bf16> + Binary<f32> + Binary<f64> + Widened>() -> Kernels {
    gather([two_f16::<O>(), two_bf16::<O>(), two::<O, f32>(), two::<O, f64>()])
}

/// The same for one operand.
pub(crate) const fn rounded_float<O: Unary<f16> + Unary<bf16> + Unary<f32> + Unary<f64> + Widened>() -> Kernels {
    gather([one_f16::<O>(), one_bf16::<O>(), one::<O, f32>(), one::<O, f64>()])
}

/// Every integer through the loops of the unsigned one of its width, for operators that do not depend on the sign.
pub(crate) const fn widths<O: Binary<u8> + Binary<u16> + Binary<u32> + Binary<u64>>() -> Kernels {
    relabelled(&[two::<O, u8>(), seldom_two::<O, u16>(), two::<O, u32>(), two::<O, u64>()], &INTEGERS)
}

/// The same for a rarely used operator.
pub(crate) const fn seldom_widths<O: Binary<u8> + Binary<u16> + Binary<u32> + Binary<u64>>() -> Kernels {
    let kernels = [seldom_two::<O, u8>(), seldom_two::<O, u16>(), seldom_two::<O, u32>(), seldom_two::<O, u64>()];
    relabelled(&kernels, &INTEGERS)
}

/// As [`widths`], one operand.
pub(crate) const fn width<O: Unary<u8> + Unary<u16> + Unary<u32> + Unary<u64>>() -> Kernels {
    relabelled(&[one::<O, u8>(), seldom::<O, u16>(), one::<O, u32>(), one::<O, u64>()], &INTEGERS)
}

/// The kernels of fused pairs: by the first operation, then by the second.
type Pairs = [[Kernel; 4]; 3];

const fn pairs_of<T: Number + Add<Output = T> + Sub<Output = T> + Mul<Output = T>>() -> Pairs {
    [then::<SUM, T>(), then::<DIFFERENCE, T>(), then::<PRODUCT, T>()]
}

const fn then<const FIRST: u8, T: Number + Add<Output = T> + Sub<Output = T> + Mul<Output = T>>() -> [Kernel; 4] {
    [pair::<FIRST, SUM, T>(), pair::<FIRST, DIFFERENCE, T>(), pair::<FIRST, PRODUCT, T>(), pair::<FIRST, REVERSED, T>()]
}

const fn pair<const FIRST: u8, const SECOND: u8, T>() -> Kernel
where
    T: Number + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    let kernel = three::<Pair<FIRST, SECOND>, T>();
    // The operands of sums and products are exchanged, so that the second is the constant.
    if FIRST == DIFFERENCE {
        Kernel { variants: ElementLoops::<(Pair<FIRST, SECOND>, T, T, T, T)>::ANY_OF_THREE, ..kernel }
    } else {
        Kernel { commutes: true, ..kernel }
    }
}

/// Returns the kernels of fused pairs of a dtype: by the first operation (sum, difference or product), then by the
/// second, which can also be the third operand minus the first result.
pub(crate) fn pairs(dtype: DType) -> Option<&'static Pairs> {
    #[cfg(not(test))]
    static F32: Pairs = pairs_of::<f32>();
    #[cfg(not(test))]
    static F64: Pairs = pairs_of::<f64>();
    #[cfg(test)]
    static F32: Pairs = unit_tests::pairs_run(pairs_of::<f32>(), DType::F32);
    #[cfg(test)]
    static F64: Pairs = unit_tests::pairs_run(pairs_of::<f64>(), DType::F64);
    match dtype {
        DType::F32 => Some(&F32),
        DType::F64 => Some(&F64),
        _ => None,
    }
}

/// `where`, for every dtype by its width, and for bools, which become 0 or 1. A condition is often the same for a whole row.
pub(crate) const fn choices() -> Kernels {
    const fn by<T: Element>() -> Kernel
    where
        Where: Ternary<Bool, T>,
    {
        let dtype = T::DTYPE;
        plain([DType::Bool, dtype, dtype], 3, dtype, ElementLoops::<(Where, Bool, T, T, T)>::ANY_OF_THREE)
    }
    let numbers = relabelled(&[by::<u8>(), by::<u16>(), by::<u32>(), by::<u64>()], &DType::ALL);
    numbers.and(gather([by::<Bool>()]))
}

/// Returns the kernel that copies elements of a dtype bit for bit, except that bools become 0 or 1.
pub fn copy(dtype: DType) -> &'static Kernel {
    &COPIES[dtype as usize]
}

static COPIES: [Kernel; 13] = {
    let mut all = [fill::<Bool>(); 13];
    let copies = copied();
    let mut i = 0;
    while i < all.len() {
        if let Some(copy) = copies.0[i] {
            all[i] = copy;
        }
        i += 1;
    }
    all
};

const fn fill<T: Element>() -> Kernel {
    plain([T::DTYPE; 3], 1, T::DTYPE, ElementLoops::<(element::Copy, T)>::FILL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stand_where_their_dtypes_say() {
        for dtype in DType::ALL {
            assert_eq!((copy(dtype).inputs(), copy(dtype).output()), (&[dtype][..], dtype));
        }
    }
}
