//! Functions that are written for one f32 and for many.

use std::marker::PhantomData;

use super::{
    activation::{Erf, Sigmoid, Silu, Softplus},
    arith::OneStep,
    exp::{Exp, Exp2, Log, Log2, Log10},
    trig::Tanh,
};
use crate::{
    math::{
        self,
        float_n::{F32x1, F64x1, FloatN, Fma, FmaHardware, FmaHardwareNear, Lanewise, LanewiseWide},
        power32, power64, single, wide_log,
    },
    number::{Function, Function2},
};

macro_rules! lanewise {
    ($($op:ident $room:ident $name:ident $wide:path, $near:expr, $near_wide:expr;)+) => { $(
        impl Lanewise for $op {
            const NEAR: Option<f64> = $near;
            const NEAR_WIDE: Option<f64> = $near_wide;
            #[inline(always)]
            fn of<V: FloatN<One = f32>>(x: V) -> V {
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
    Exp single exp math::exp64_by::<M>, Some(86.0), Some(86.0);
    Exp2 single exp2 math::exp2_64_by::<M>, Some(125.0), Some(125.0);
    Log single log alone::<Log, M>, None, None;
    Log2 single log2 alone::<Log2, M>, None, None;
    Log10 single log10 alone::<Log10, M>, None, None;
    Tanh single tanh math::tanh64_by::<M>, Some(20.0), None;
    Erf single erf math::erf64_by::<M>, Some(4.0), None;
    Sigmoid single sigmoid math::sigmoid64_by::<M>, Some(86.0), Some(86.0);
    Silu single silu math::silu64_by::<M>, Some(50.0), Some(50.0);
    Softplus single softplus math::softplus64_by::<M>, Some(86.0), Some(86.0);
}

macro_rules! wide {
    ($($op:ident $name:ident;)+) => { $(
        impl LanewiseWide for $op {
            #[inline(always)]
            fn wide<V: FloatN<One = f64>>(x: V) -> V {
                wide_log::$name(x)
            }
        }
    )+ };
}
wide! { Log log; Log2 log2; Log10 log10; }

/// Computes one number of f64, with fused operations as `M` has them.
#[inline(always)]
fn alone<F: LanewiseWide, M: Fma>(x: f64) -> f64 {
    F::wide(F64x1::<M>::of(x)).x
}

/// a to the power of b, with fused operations as `M` has them, but for simple exponents
pub(crate) struct LanewisePow<M>(PhantomData<M>);

#[cfg(target_arch = "x86_64")]
impl<M: Fma> crate::math::float_n::Lanewise2 for LanewisePow<M> {
    #[inline(always)]
    fn narrow<V: FloatN<One = f32>>(a: V, b: V) -> V {
        power32::pow(a, b)
    }
    #[inline(always)]
    fn wide<V: FloatN<One = f64>>(a: V, b: V) -> V {
        power64::pow(a, b)
    }
}

impl<M: Fma> Function2 for LanewisePow<M> {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        power32::pow(F32x1::<M>::of(a), F32x1::of(b)).x
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        power64::pow(F64x1::<M>::of(a), F64x1::of(b)).x
    }
}

/// The same function with the machine's fused operations.
pub(crate) struct Fused<F>(PhantomData<F>);

impl<F: Function + Lanewise> Function for Fused<F> {
    const NEAR: Option<f64> = <F as Lanewise>::NEAR;
    const NEAR_WIDE: Option<f64> = <F as Lanewise>::NEAR_WIDE;
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        F::of(F32x1::<FmaHardware>::of(x)).x
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        F::wide_by::<FmaHardware>(x)
    }
    #[inline(always)]
    fn narrow_near(x: f32) -> f32 {
        F::of(F32x1::<FmaHardwareNear>::of(x)).x
    }
    #[inline(always)]
    fn wide_near(x: f64) -> f64 {
        F::wide_by::<FmaHardwareNear>(x)
    }
}

/// The same function, in one step for most numbers, with the machine's fused operations.
pub(crate) struct Once<F>(PhantomData<F>);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        number::Real,
        ops::activation::{GeluFused, GeluTanhFused},
    };

    /// Compares the path for numbers near zero with the other, bit by bit: at the limit, around zero, at all exponents.
    fn check<F: Function>(name: &str) {
        let limit = F::NEAR.expect("a limit");
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state
        };
        let edges =
            [limit, limit.next_down(), f64::from((limit as f32).next_down()), 0.0, 1e-310, 1e-40, 0.5, 1.0, 10.0];
        let spread: Vec<f64> =
            (0..400_000).map(|_| (next() >> 11) as f64 / (1_u64 << 52) as f64 * limit - limit).collect();
        let bits: Vec<f64> = (0..200_000).map(|_| f64::from_bits(next())).collect();
        let small: Vec<f64> = (0..200_000).map(|_| f64::from(f32::from_bits((next() >> 32) as u32))).collect();
        let mut count = 0;
        for x in edges.into_iter().flat_map(|x| [x, -x]).chain(spread).chain(bits).chain(small) {
            if x.is_within(limit) {
                count += 1;
                assert_eq!(F::wide_near(x).to_bits(), F::wide(x).to_bits(), "{name} of {x:e}");
            }
            let x = x as f32;
            if x.is_within(limit) {
                assert_eq!(F::narrow_near(x).to_bits(), F::narrow(x).to_bits(), "{name} of {x:e}f32");
            }
        }
        assert!(count > 400_000, "{name}: {count}");
        assert!(!f64::NAN.is_within(limit) && !f32::NAN.is_within(limit) && !f64::INFINITY.is_within(limit));
    }

    #[test]
    fn numbers_near_zero_have_the_same_results() {
        check::<Fused<Exp>>("exp");
        check::<Fused<Exp2>>("exp2");
        check::<Fused<Tanh>>("tanh");
        check::<Fused<Erf>>("erf");
        check::<Fused<Sigmoid>>("sigmoid");
        check::<Fused<Silu>>("silu");
        check::<Fused<Softplus>>("softplus");
        check::<GeluFused>("gelu");
        check::<GeluTanhFused>("gelu_tanh");
    }
}
