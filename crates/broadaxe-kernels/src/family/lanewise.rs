//! Families of functions that compute many f32 at a time, with separate loops for each level.

use super::{ElementLoops, costly, costly_picos, gather, half_loops, heavy, one, rounded_float, streamed};
use crate::{
    dtype::{DType, bf16, f16},
    isa::{
        Widened, each,
        vector::{Second, Third},
    },
    loops::{Kernel, Variant},
    math::float_n::{FmaDefault, FmaHardware, Lanewise, LanewiseWide},
    measured::LANEWISE_PICOS,
    number::{Function, Function2, Real},
    op::Kernels,
    ops::{
        arith::OneStep,
        lanewise::{Fused, LanewisePow, Once},
    },
    tile::{
        Line, One, Two,
        halves::{OneHalf, TwoHalves},
        powers::{Converted, Mixed, Plainly, Powers, Repeated},
        shared::{OneShared, Shared, TwoShared},
    },
};

/// The loops of the third level, which are those of the second where there is no third.
#[cfg(target_arch = "x86_64")]
type OneOfVectors<O> = crate::tile::vectors::OneVector<O>;
#[cfg(not(target_arch = "x86_64"))]
type OneOfVectors<O> = One<Fused<O>, f32, 0>;
#[cfg(target_arch = "x86_64")]
type OneOfWideVectors<O> = crate::tile::vectors::OneWideVector<O>;
#[cfg(not(target_arch = "x86_64"))]
type OneOfWideVectors<O> = One<Fused<O>, f64, 0>;
#[cfg(target_arch = "x86_64")]
type OneOfVectorsOfHalves<O, H> = crate::tile::vectors::OneVectorOfHalves<O, H>;
#[cfg(not(target_arch = "x86_64"))]
type OneOfVectorsOfHalves<O, H> = OneHalf<Fused<O>, H, H, Third>;
#[cfg(target_arch = "x86_64")]
type TwoOfVectors<const C: u8> = crate::tile::vectors::TwoVectors<Plain2, Third, C>;
#[cfg(not(target_arch = "x86_64"))]
type TwoOfVectors<const C: u8> = Two<Fused2, f32, C>;
#[cfg(target_arch = "x86_64")]
type TwoOfWideVectors<const C: u8> = crate::tile::vectors::TwoVectors<Plain2, crate::isa::vector::ThirdOfF64, C>;
#[cfg(not(target_arch = "x86_64"))]
type TwoOfWideVectors<const C: u8> = Two<Fused2, f64, C>;

/// The loops of a function with a separate body for each level: `B` without fused operations, `M` with them, `L`
/// with vectors.
const fn lane_loops<B: Line, M: Line, L: Line>(constants: u8) -> Variant {
    Variant::new(constants, each::<B, M, L>())
}

impl<O: Function + Lanewise> ElementLoops<(Fused<O>,)> {
    const ONE: &'static [Variant] = &[Variant {
        past: streamed::<One<Fused<O>, f32, 0>, OneOfVectors<O>>(),
        ..lane_loops::<OneShared<O, f32>, One<Fused<O>, f32, 0>, OneOfVectors<O>>(0)
    }];
    const ONE_F16: &'static [Variant] =
        &[lane_loops::<OneShared<O, f16>, OneHalf<Fused<O>, f16, f16, Second>, OneOfVectorsOfHalves<O, f16>>(0)];
    // With AVX2, groups pay for functions that are cheaper near zero: `exp` of 100,000 bf16 needs 45 us by groups and 78 us otherwise,
    // but `log` needs 112 us by groups (of f16) and 94 us otherwise (the runner, AMD EPYC, Zen 4).
    const ONE_BF16: &'static [Variant] = if <O as Lanewise>::NEAR.is_some() {
        &[lane_loops::<OneShared<O, bf16>, OneHalf<Fused<O>, bf16, bf16, Second>, OneOfVectorsOfHalves<O, bf16>>(0)]
    } else {
        &[lane_loops::<OneShared<O, bf16>, One<Fused<O>, bf16, 0>, OneOfVectorsOfHalves<O, bf16>>(0)]
    };
    const ONE_F64: &'static [Variant] =
        &[lane_loops::<One<O, f64, 0>, One<Fused<O>, f64, 0>, One<Fused<O>, f64, 0>>(0)];
}

impl<O: Function + Lanewise + LanewiseWide> ElementLoops<(Fused<O>, f64)> {
    const ONE_F64: &'static [Variant] = &[lane_loops::<One<O, f64, 0>, One<Fused<O>, f64, 0>, OneOfWideVectors<O>>(0)];
}

/// Powers with fused operations, and without.
type Fused2 = LanewisePow<FmaHardware>;
type Plain2 = LanewisePow<FmaDefault>;

/// The loops of powers of a dtype: without fused operations, with them, and with vectors.
const fn power_loops<B: Line<Out: Real>, M: Line<Out: Real>, L: Line<Out: Real>>() -> Variant {
    lane_loops::<Mixed<B, FmaDefault>, Mixed<M, FmaHardware>, Mixed<L, FmaHardware>>(0)
}

/// Powers with one exponent for all elements. Exponents that are not simple use `L`.
type Constant<L, T> = Powers<L, Plainly<T>, FmaHardware>;
/// The same without fused operations.
type ConstantPlain<L, E> = Powers<L, E, FmaDefault>;

const POWERS_F32: &[Variant] = &[
    power_loops::<Two<Plain2, f32, 0>, Two<Fused2, f32, 0>, TwoOfVectors<0>>(),
    Variant {
        past: streamed::<Constant<Two<Fused2, f32, 2>, f32>, Constant<TwoOfVectors<2>, f32>>(),
        ..lane_loops::<
            ConstantPlain<Two<Plain2, f32, 2>, Shared<f32>>,
            Constant<Two<Fused2, f32, 2>, f32>,
            Constant<TwoOfVectors<2>, f32>,
        >(2)
    },
];
const POWERS_F64: &[Variant] = &[
    power_loops::<Two<Plain2, f64, 0>, Two<Fused2, f64, 0>, TwoOfWideVectors<0>>(),
    Variant {
        past: streamed::<Constant<Two<Fused2, f64, 2>, f64>, Constant<TwoOfWideVectors<2>, f64>>(),
        ..lane_loops::<
            ConstantPlain<Repeated<Two<Plain2, f64, 0>>, Plainly<f64>>,
            Constant<Two<Fused2, f64, 2>, f64>,
            Constant<TwoOfWideVectors<2>, f64>,
        >(2)
    },
];
const POWERS_BF16: &[Variant] = &[
    power_loops::<TwoShared<Plain2, bf16>, Two<Fused2, bf16, 0>, Two<Fused2, bf16, 0>>(),
    lane_loops::<
        ConstantPlain<Repeated<TwoShared<Plain2, bf16>>, Shared<bf16>>,
        Constant<Repeated<Two<Fused2, bf16, 0>>, bf16>,
        Constant<Repeated<Two<Fused2, bf16, 0>>, bf16>,
    >(2),
];

/// Powers of f16 by the conversions `M`.
type Halves<M> = TwoHalves<Fused2, M>;
/// The same with one exponent for all.
type ConstantHalves<M> = Powers<Repeated<Halves<M>>, Converted<M>, FmaHardware>;

const POWERS_F16: &[Variant] = &[
    power_loops::<TwoShared<Plain2, f16>, Halves<Second>, Halves<Third>>(),
    lane_loops::<
        ConstantPlain<Repeated<TwoShared<Plain2, f16>>, Shared<f16>>,
        ConstantHalves<Second>,
        ConstantHalves<Third>,
    >(2),
];

impl<O: Function, F: Function> ElementLoops<(O, F, ())> {
    const F16: &'static [Variant] =
        &[half_loops::<OneShared<O, f16>, OneHalf<F, f16, f16, Second>, OneHalf<F, f16, f16, Third>>(0, false)];
    const BF16: &'static [Variant] = &[lane_loops::<OneShared<O, bf16>, One<F, bf16, 0>, One<F, bf16, 0>>(0)];
    const F32: &'static [Variant] = &[lane_loops::<OneShared<O, f32>, One<F, f32, 0>, One<F, f32, 0>>(0)];
    const F64: &'static [Variant] = &[lane_loops::<One<O, f64, 0>, One<F, f64, 0>, One<F, f64, 0>>(0)];
}

impl<O: Function, F: Function, T: Real> ElementLoops<(O, F, T, ())> {
    const LIGHT: &'static [Variant] = &[Variant {
        past: streamed::<One<F, T, 0>, One<F, T, 0>>(),
        ..lane_loops::<One<O, T, 0>, One<F, T, 0>, One<F, T, 0>>(0)
    }];
}

impl<O: OneStep> ElementLoops<(Once<O>, O)> {
    const F16: &'static [Variant] =
        &[half_loops::<Two<O, f16, 0>, TwoHalves<Once<O>, Second>, TwoHalves<Once<O>, Third>>(0, false)];
    const BF16: &'static [Variant] = &[lane_loops::<Two<O, bf16, 0>, Two<Once<O>, bf16, 0>, Two<Once<O>, bf16, 0>>(0)];
    const F32: &'static [Variant] = &[lane_loops::<Two<O, f32, 0>, Two<Once<O>, f32, 0>, Two<Once<O>, f32, 0>>(0)];
    const F64: &'static [Variant] = &[lane_loops::<Two<O, f64, 0>, Two<Once<O>, f64, 0>, Two<Once<O>, f64, 0>>(0)];
}

/// Every float, two operands, for a function of which one step computes most numbers.
pub(crate) const fn remainders<O: OneStep>() -> Kernels {
    type Each<O> = ElementLoops<(Once<O>, O)>;
    gather([
        Kernel { variants: Each::<O>::F16, ..heavy::<O, f16>() },
        Kernel { variants: Each::<O>::BF16, ..heavy::<O, bf16>() },
        Kernel { variants: Each::<O>::F32, picos: costly_picos(DType::F32), ..heavy::<O, f32>() },
        Kernel { variants: Each::<O>::F64, picos: costly_picos(DType::F64), ..heavy::<O, f64>() },
    ])
}

/// Every float, one operand, for a function that `F` computes with fused operations.
pub(crate) const fn fused<O: Function, F: Function>() -> Kernels {
    type Each<O, F> = ElementLoops<(O, F, ())>;
    gather([
        Kernel { variants: Each::<O, F>::F16, ..costly::<O, f16>() },
        Kernel { variants: Each::<O, F>::BF16, ..costly::<O, bf16>() },
        Kernel { variants: Each::<O, F>::F32, ..costly::<O, f32>() },
        Kernel { variants: Each::<O, F>::F64, ..costly::<O, f64>() },
    ])
}

/// Every float, one operand. The halves have the result of f32, rounded; `F` uses fused operations.
pub(crate) const fn rounded_fused<O: Function + Widened, F: Function>() -> Kernels {
    rounded_float::<O>().and(gather([
        Kernel { variants: ElementLoops::<(O, F, f32, ())>::LIGHT, ..one::<O, f32>() },
        Kernel { variants: ElementLoops::<(O, F, f64, ())>::LIGHT, ..one::<O, f64>() },
    ]))
}

/// Every float, one operand, for a function that computes many f32 at a time.
pub(crate) const fn lanewise<O: Function + Lanewise>() -> Kernels {
    lanewise_by::<O>(ElementLoops::<(Fused<O>,)>::ONE_F64)
}

/// The same for a function that also computes many f64 at a time.
pub(crate) const fn lanewise_wide<O: Function + Lanewise + LanewiseWide>() -> Kernels {
    lanewise_by::<O>(ElementLoops::<(Fused<O>, f64)>::ONE_F64)
}

/// The same with these loops for f64.
const fn lanewise_by<O: Function + Lanewise>(wide: &'static [Variant]) -> Kernels {
    type Each<O> = ElementLoops<(Fused<O>,)>;
    let narrow = Kernel { picos: LANEWISE_PICOS, ..costly::<O, f32>() };
    gather([
        Kernel { variants: Each::<O>::ONE_F16, ..costly::<O, f16>() },
        Kernel { variants: Each::<O>::ONE_BF16, ..costly::<O, bf16>() },
        Kernel { variants: Each::<O>::ONE, ..narrow },
        Kernel { variants: wide, ..costly::<O, f64>() },
    ])
}

/// Every float, two operands: powers.
pub(crate) const fn powers<O: Function2>() -> Kernels {
    gather([
        Kernel { variants: POWERS_F16, ..heavy::<O, f16>() },
        Kernel { variants: POWERS_BF16, ..heavy::<O, bf16>() },
        Kernel { variants: POWERS_F32, picos: 4 * LANEWISE_PICOS, ..heavy::<O, f32>() },
        Kernel { variants: POWERS_F64, ..heavy::<O, f64>() },
    ])
}
