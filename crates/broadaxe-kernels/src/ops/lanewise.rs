//! The functions that are written for one f32 and for many.

use std::marker::PhantomData;

use super::{
    activation::{Sigmoid, Silu, Softplus},
    arith::OneStep,
    arith::Pow,
    exp::{Exp, Exp2, Log},
    trig::Tanh,
};
use crate::{
    math::{
        self, power32, single,
        singles::{Fma, Instruction, Lanewise, Lanewise2, Single, Singles},
    },
    number::{Function, Function2},
};

macro_rules! lanewise {
    ($($op:ident $room:ident $name:ident $wide:path;)+) => { $(
        impl Lanewise for $op {
            #[inline(always)]
            fn of<V: Singles>(x: V) -> V {
                $room::$name(x)
            }
            #[inline(always)]
            fn wide_by<M: Fma>(x: f64) -> f64 {
                $wide(x)
            }
        }
    )+ };
}
lanewise! {
    Exp single exp math::exp64_by::<M>;
    Exp2 single exp2 math::exp2_64_by::<M>;
    Log single log math::log64;
    Tanh single tanh math::tanh64_by::<M>;
    Sigmoid single sigmoid math::sigmoid64_by::<M>;
    Silu single silu math::silu64_by::<M>;
    Softplus single softplus math::softplus64;
}

impl Lanewise2 for Pow {
    #[inline(always)]
    fn of<V: Singles>(a: V, b: V) -> V {
        power32::pow(a, b)
    }
    #[inline(always)]
    fn wide_by<M: Fma>(a: f64, b: f64) -> f64 {
        math::pow64_by::<M>(a, b)
    }
}

/// a^3, with fused operations as `M` has them
pub struct Cube<M>(PhantomData<M>);

impl<M: Fma> Function for Cube<M> {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::cube32_by::<M>(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::cube64(x)
    }
}

/// The same function where the machine has an instruction for fused operations.
pub struct Fused<F>(PhantomData<F>);

impl<F: Function + Lanewise> Function for Fused<F> {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        F::of(Single::<Instruction>::of(x)).x
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        F::wide_by::<Instruction>(x)
    }
}

/// The same function, in one step of most numbers, where the machine has an instruction for fused operations.
pub struct Once<F>(PhantomData<F>);

impl<F: OneStep> Function2 for Once<F> {
    const SPLIT: bool = true;
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        F::narrow(a, b)
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        F::wide(a, b)
    }
    #[inline(always)]
    fn narrow_usual(a: f32, b: f32) -> f32 {
        F::narrow_once(a, b)
    }
    #[inline(always)]
    fn wide_usual(a: f64, b: f64) -> f64 {
        F::wide_once(a, b)
    }
}

impl<F: Function2 + Lanewise2> Function2 for Fused<F> {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        F::of(Single::<Instruction>::of(a), Single::of(b)).x
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        F::wide_by::<Instruction>(a, b)
    }
}
