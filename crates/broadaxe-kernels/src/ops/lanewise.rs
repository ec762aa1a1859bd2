//! The functions that are written for one f32 and for many.

use std::marker::PhantomData;

use super::{
    activation::{Sigmoid, Silu, Softplus},
    arith::Pow,
    exp::{Exp, Exp2, Log},
    trig::Tanh,
};
use crate::{
    math::{
        power32, single,
        singles::{Instruction, Lanewise, Lanewise2, Single, Singles},
    },
    number::{Function, Function2},
};

macro_rules! lanewise {
    ($($op:ident $room:ident $name:ident;)+) => { $(
        impl Lanewise for $op {
            #[inline(always)]
            fn of<V: Singles>(x: V) -> V {
                $room::$name(x)
            }
        }
    )+ };
}
lanewise! {
    Exp single exp;
    Exp2 single exp2;
    Log single log;
    Tanh single tanh;
    Sigmoid single sigmoid;
    Silu single silu;
    Softplus single softplus;
}

impl Lanewise2 for Pow {
    #[inline(always)]
    fn of<V: Singles>(a: V, b: V) -> V {
        power32::pow(a, b)
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
        F::wide(x)
    }
}

impl<F: Function2 + Lanewise2> Function2 for Fused<F> {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        F::of(Single::<Instruction>::of(a), Single::of(b)).x
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        F::wide(a, b)
    }
}
