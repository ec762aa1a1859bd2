//! The families of functions that are written for many f32 at a time.

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{fused, lanewise, powers, remainders, rounded_fused};

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use super::{heavy_float as lanewise, heavy_floats as powers, heavy_floats as remainders};

/// Every float, one operand, of a function whose fused operations are those of the machine.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const fn fused<O: crate::number::Function, F>() -> crate::op::Kernels {
    super::heavy_float::<O>()
}

/// Every float, one operand, of which the halves have the result of f32, rounded; `F` has fused operations.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const fn rounded_fused<O: crate::number::Function + crate::isa::halves::Widened, F>() -> crate::op::Kernels {
    super::rounded_float::<O>()
}

/// Loops of each level's own.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::{Loops, costly, costly_picos, gather, half_loops, heavy, one, rounded_float};
    use crate::{
        dtype::{DType, bf16, f16},
        isa::{ConvertAvx2, ConvertAvx512, LEVELS, Past32, Past64, each, halves::Widened, wide},
        loops::{Kernel, Variant},
        math::singles::{Instruction, Lanewise, Lanewise2, Plain},
        number::{Function, Function2, Real},
        op::Kernels,
        ops::{
            arith::{OneStep, Square},
            lanewise::{Cube, Fused, Once},
        },
        tile::{
            Line, One, Powers, Streamed, Two,
            halves::{OneHalf, TwoHalves},
            shared::OneShared,
            vectors::{OneVector, TwoVectors},
        },
    };

    /// The picoseconds of one element for functions of f32 that are written for many at a time.
    const LANEWISE_PICOS: u32 = 100;

    /// The loops of a function that has a way of its own for each level: `B` without fused operations, `M` with them, `L` by vectors.
    const fn lane_loops<B: Line, M: Line, L: Line>(constants: u8) -> Variant {
        Variant { constants, versions: each::<B, M, L>(), past: [None; LEVELS] }
    }

    impl<O: Function + Lanewise> Loops<(Fused<O>,)> {
        const ONE: &'static [Variant] = &[Variant {
            past: wide::<Streamed<One<Fused<O>, f32, 0>, Past32>, Streamed<OneVector<O>, Past64>>(),
            ..lane_loops::<OneShared<O, f32>, One<Fused<O>, f32, 0>, OneVector<O>>(0)
        }];
        const ONE_F16: &'static [Variant] = &[half_loops::<
            OneShared<O, f16>,
            OneHalf<Fused<O>, f16, f16, ConvertAvx2>,
            OneHalf<Fused<O>, f16, f16, ConvertAvx512>,
        >(0, false)];
        const ONE_BF16: &'static [Variant] =
            &[lane_loops::<OneShared<O, bf16>, One<Fused<O>, bf16, 0>, One<Fused<O>, bf16, 0>>(0)];
        const ONE_F64: &'static [Variant] =
            &[lane_loops::<One<O, f64, 0>, One<Fused<O>, f64, 0>, One<Fused<O>, f64, 0>>(0)];
    }

    /// The loop of powers of f32 with a constant exponent, by `L` but for squares and cubes.
    type Powers32<L, M> = Powers<L, Square, Cube<M>, f32>;

    /// The same of f64.
    type Powers64<O> = Powers<Two<O, f64, 2>, Square, Cube<Plain>, f64>;

    impl<O: Function2 + Lanewise2> Loops<(Fused<O>, O)> {
        const TWO: &'static [Variant] = &[
            lane_loops::<Two<O, f32, 0>, Two<Fused<O>, f32, 0>, TwoVectors<O, 0>>(0),
            Variant {
                past: wide::<
                    Streamed<Powers32<Two<Fused<O>, f32, 2>, Instruction>, Past32>,
                    Streamed<Powers32<TwoVectors<O, 2>, Instruction>, Past64>,
                >(),
                ..lane_loops::<
                    Powers32<Two<O, f32, 2>, Plain>,
                    Powers32<Two<Fused<O>, f32, 2>, Instruction>,
                    Powers32<TwoVectors<O, 2>, Instruction>,
                >(2)
            },
        ];
        const TWO_F64: &'static [Variant] = &[
            lane_loops::<Two<O, f64, 0>, Two<Fused<O>, f64, 0>, Two<Fused<O>, f64, 0>>(0),
            lane_loops::<Powers64<O>, Powers64<Fused<O>>, Powers64<Fused<O>>>(2),
        ];
        const TWO_F16: &'static [Variant] =
            &[half_loops::<Two<O, f16, 0>, TwoHalves<Fused<O>, ConvertAvx2>, TwoHalves<Fused<O>, ConvertAvx512>>(
                0, false,
            )];
        const TWO_BF16: &'static [Variant] =
            &[lane_loops::<Two<O, bf16, 0>, Two<Fused<O>, bf16, 0>, Two<Fused<O>, bf16, 0>>(0)];
    }

    impl<O: Function, F: Function> Loops<(O, F, ())> {
        const F16: &'static [Variant] =
            &[half_loops::<OneShared<O, f16>, OneHalf<F, f16, f16, ConvertAvx2>, OneHalf<F, f16, f16, ConvertAvx512>>(
                0, false,
            )];
        const BF16: &'static [Variant] = &[lane_loops::<OneShared<O, bf16>, One<F, bf16, 0>, One<F, bf16, 0>>(0)];
        const F32: &'static [Variant] = &[lane_loops::<OneShared<O, f32>, One<F, f32, 0>, One<F, f32, 0>>(0)];
    }

    impl<O: Function, F: Function, T: Real> Loops<(O, F, T, ())> {
        const LIGHT: &'static [Variant] = &[Variant {
            past: wide::<Streamed<One<F, T, 0>, Past32>, Streamed<One<F, T, 0>, Past64>>(),
            ..lane_loops::<One<O, T, 0>, One<F, T, 0>, One<F, T, 0>>(0)
        }];
    }

    impl<O: OneStep> Loops<(Once<O>, O)> {
        const F16: &'static [Variant] =
            &[half_loops::<Two<O, f16, 0>, TwoHalves<Once<O>, ConvertAvx2>, TwoHalves<Once<O>, ConvertAvx512>>(
                0, false,
            )];
        const BF16: &'static [Variant] =
            &[lane_loops::<Two<O, bf16, 0>, Two<Once<O>, bf16, 0>, Two<Once<O>, bf16, 0>>(0)];
        const F32: &'static [Variant] = &[lane_loops::<Two<O, f32, 0>, Two<Once<O>, f32, 0>, Two<Once<O>, f32, 0>>(0)];
        const F64: &'static [Variant] = &[lane_loops::<Two<O, f64, 0>, Two<Once<O>, f64, 0>, Two<Once<O>, f64, 0>>(0)];
    }

    /// Every float, two operands, of a function that one step computes of most numbers.
    pub(crate) const fn remainders<O: OneStep>() -> Kernels {
        type Each<O> = Loops<(Once<O>, O)>;
        gather([
            Kernel { variants: Each::<O>::F16, ..heavy::<O, f16>() },
            Kernel { variants: Each::<O>::BF16, ..heavy::<O, bf16>() },
            Kernel { variants: Each::<O>::F32, picos: costly_picos(DType::F32), ..heavy::<O, f32>() },
            Kernel { variants: Each::<O>::F64, picos: costly_picos(DType::F64), ..heavy::<O, f64>() },
        ])
    }

    /// Every float, one operand, of a function whose results of f32 `F` computes with fused operations.
    pub(crate) const fn fused<O: Function, F: Function>() -> Kernels {
        type Each<O, F> = Loops<(O, F, ())>;
        gather([
            Kernel { variants: Each::<O, F>::F16, ..costly::<O, f16>() },
            Kernel { variants: Each::<O, F>::BF16, ..costly::<O, bf16>() },
            Kernel { variants: Each::<O, F>::F32, ..costly::<O, f32>() },
            costly::<O, f64>(),
        ])
    }

    /// Every float, one operand, of which the halves have the result of f32, rounded; `F` has fused operations.
    pub(crate) const fn rounded_fused<O: Function + Widened, F: Function>() -> Kernels {
        rounded_float::<O>().and(gather([
            Kernel { variants: Loops::<(O, F, f32, ())>::LIGHT, ..one::<O, f32>() },
            Kernel { variants: Loops::<(O, F, f64, ())>::LIGHT, ..one::<O, f64>() },
        ]))
    }

    /// Every float, one operand, of a function that is written for many f32 at a time.
    pub(crate) const fn lanewise<O: Function + Lanewise>() -> Kernels {
        type Each<O> = Loops<(Fused<O>,)>;
        let narrow = Kernel { picos: LANEWISE_PICOS, ..costly::<O, f32>() };
        gather([
            Kernel { variants: Each::<O>::ONE_F16, ..costly::<O, f16>() },
            Kernel { variants: Each::<O>::ONE_BF16, ..costly::<O, bf16>() },
            Kernel { variants: Each::<O>::ONE, ..narrow },
            Kernel { variants: Each::<O>::ONE_F64, ..costly::<O, f64>() },
        ])
    }

    /// The same of two operands: powers.
    pub(crate) const fn powers<O: Function2 + Lanewise2>() -> Kernels {
        type Each<O> = Loops<(Fused<O>, O)>;
        gather([
            Kernel { variants: Each::<O>::TWO_F16, ..heavy::<O, f16>() },
            Kernel { variants: Each::<O>::TWO_BF16, ..heavy::<O, bf16>() },
            Kernel { variants: Each::<O>::TWO, picos: 4 * LANEWISE_PICOS, ..heavy::<O, f32>() },
            Kernel { variants: Each::<O>::TWO_F64, ..heavy::<O, f64>() },
        ])
    }
}
