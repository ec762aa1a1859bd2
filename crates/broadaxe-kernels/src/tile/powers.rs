//! Loops of powers: with one exponent for all elements, which is often simple, and with many exponents, few of which
//! are simple.

use super::{Guarded, Line, One, OutputRow, Unaligned, element, halves::OneHalf};
use crate::{
    dtype::{Element, f16},
    isa::vector::Vector,
    loops::{Binary, Rejects},
    math::{SIMPLE, find_simple, float_n::Fma, simple32_by, simple64_by},
    number::{Function, Function2, Integer, Number, Real},
};
use std::{marker::PhantomData, mem::MaybeUninit};

/// a to the power of the simple exponent of this number
struct SimplePower<const K: usize, M>(PhantomData<M>);

impl<const K: usize, M: Fma> Function for SimplePower<K, M> {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        simple32_by::<M>(x, K)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        simple64_by::<M>(x, K)
    }
}

/// 1 where a is a simple exponent, and 0 elsewhere
struct IsSimple;

impl Function for IsSimple {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        // All are compared without an early exit, which vectorises.
        SIMPLE.iter().fold(0.0, |found, &simple| if simple as f32 == x { 1.0 } else { found })
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        SIMPLE.iter().fold(0.0, |found, &simple| if simple == x { 1.0 } else { found })
    }
}

/// The loops of functions of one operand of a dtype.
pub(crate) trait Each: 'static {
    /// The dtype.
    type Of: Real;
    /// The loop of a function.
    type Loop<F: Function>: Line<Out = Self::Of>;
}

/// Ordinary loops.
pub(crate) struct Plainly<T>(PhantomData<T>);

impl<T: Real> Each for Plainly<T> {
    type Of = T;
    type Loop<F: Function> = One<F, T, 0>;
}

/// Loops over f16 with the vectors `V`.
pub(crate) struct Converted<V>(PhantomData<V>);

impl<V: Vector> Each for Converted<V> {
    type Of = f16;
    type Loop<F: Function> = OneHalf<F, f16, f16, V>;
}

/// The loop `L` of powers with a constant exponent. Simple exponents use the loops of `E`; fused operations as `M` has
/// them.
pub(crate) struct Powers<L, E, M>(PhantomData<(L, E, M)>);

impl<L: Line<Out = E::Of>, E: Each<Of: Into<f64>>, M: Fma> Line for Powers<L, E, M> {
    type Out = E::Of;
    const ADVANCES: [usize; 3] = [size_of::<E::Of>(), 0, 0];
    #[inline(always)]
    unsafe fn run(places: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            match find_simple(element::<E::Of>(places[1], 0, true).into()) {
                Some(0) => <E::Loop<SimplePower<0, M>> as Line>::run(places, out),
                Some(1) => <E::Loop<SimplePower<1, M>> as Line>::run(places, out),
                Some(2) => <E::Loop<SimplePower<2, M>> as Line>::run(places, out),
                Some(3) => <E::Loop<SimplePower<3, M>> as Line>::run(places, out),
                Some(4) => <E::Loop<SimplePower<4, M>> as Line>::run(places, out),
                Some(_) => <E::Loop<SimplePower<5, M>> as Line>::run(places, out),
                None => L::run(places, out),
            }
        }
    }
}

/// The elements that are computed at a time.
const POWER_GROUP_ELEMENTS: usize = 128;

/// The loop `L` of two operands with a constant second one, which is repeated for it.
pub(crate) struct Repeated<L>(PhantomData<L>);

impl<L: Line<Out: Element>> Line for Repeated<L> {
    type Out = L::Out;
    const ADVANCES: [usize; 3] = [size_of::<L::Out>(), 0, 0];
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        // SAFETY: promised by the caller.
        let repeated = [unsafe { element::<L::Out>(b, 0, true) }; POWER_GROUP_ELEMENTS];
        let mut rejected = false;
        for (at, part) in out.chunks_mut(POWER_GROUP_ELEMENTS).enumerate() {
            let a = a.wrapping_add(at * POWER_GROUP_ELEMENTS * size_of::<L::Out>());
            // SAFETY: promised by the caller; the part begins `at * POWER_GROUP_ELEMENTS` elements on, and is not
            // longer than the repeated operand.
            rejected |= unsafe { L::run([a, repeated.as_ptr().cast(), a], part) };
        }
        rejected
    }
}

/// The power of a simple exponent among others
struct Simple<M>(PhantomData<M>);

impl<M: Fma> Function2 for Simple<M> {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        find_simple(f64::from(b)).map_or(a, |k| simple32_by::<M>(a, k))
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        find_simple(b).map_or(a, |k| simple64_by::<M>(a, k))
    }
}

/// The loop `L` of powers with an exponent for each element, which then computes simple exponents again, if there are
/// any.
pub(crate) struct Mixed<L, M>(PhantomData<(L, M)>);

impl<L: Line<Out: Real>, M: Fma> Line for Mixed<L, M> {
    type Out = L::Out;
    const ADVANCES: [usize; 3] = L::ADVANCES;
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        let mut rejected = false;
        for (at, part) in out.chunks_mut(POWER_GROUP_ELEMENTS).enumerate() {
            let before = at * POWER_GROUP_ELEMENTS * size_of::<L::Out>();
            let (a, b) = (a.wrapping_add(before), b.wrapping_add(before));
            // SAFETY: promised by the caller; the part begins `at * POWER_GROUP_ELEMENTS` elements on.
            rejected |= unsafe { L::run([a, b, a], part) };
            // SAFETY: `i` is below the number of elements wherever this is called.
            let exponent = |i: usize| unsafe { element::<L::Out>(b, i, false) };
            let is_simple = |i: usize| exponent(i).map::<IsSimple>() != Number::ZERO;
            if (0..part.len()).fold(false, |any, i| any | is_simple(i)) {
                for i in (0..part.len()).filter(|&i| is_simple(i)) {
                    // SAFETY: as above.
                    let base = unsafe { element::<L::Out>(a, i, false) };
                    part[i] = MaybeUninit::new(Unaligned(base.map2::<Simple<M>>(exponent(i))));
                }
            }
        }
        rejected
    }
}

/// Powers of integers with a constant exponent, without the pairs that `R` rejects.
pub(crate) struct IntegerPowers<O, R, T>(PhantomData<(O, R, T)>);

impl<O: Binary<T, Out = T>, R: Rejects<T>, T: Integer> Line for IntegerPowers<O, R, T> {
    type Out = T;
    const ADVANCES: [usize; 3] = [size_of::<T>(), 0, 0];
    #[inline(always)]
    unsafe fn run(places: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        // SAFETY: promised by the caller.
        let exponent = unsafe { element::<T>(places[1], 0, true) };
        if exponent.is_negative() {
            // SAFETY: as above.
            return unsafe { <Guarded<O, R, T, 2> as Line>::run(places, out) };
        }
        for (at, part) in out.chunks_mut(POWER_GROUP_ELEMENTS).enumerate() {
            let (mut squares, mut powers) = ([T::ONE; POWER_GROUP_ELEMENTS], [T::ONE; POWER_GROUP_ELEMENTS]);
            let (squares, powers) = (&mut squares[..part.len()], &mut powers[..part.len()]);
            for (i, square) in squares.iter_mut().enumerate() {
                // SAFETY: as above, for the part, which begins `at * POWER_GROUP_ELEMENTS` elements on.
                *square = unsafe { element(places[0], at * POWER_GROUP_ELEMENTS + i, false) };
            }
            raise(squares, exponent.bits(), powers);
            for (to, power) in part.iter_mut().zip(powers) {
                *to = MaybeUninit::new(Unaligned(*power));
            }
        }
        false
    }
}

/// Raises numbers to a power: multiplies 1 by the repeated squares for the set bits of the exponent.
#[inline(always)]
fn raise<T: Integer>(squares: &mut [T], mut exponent: u64, powers: &mut [T]) {
    while exponent != 0 {
        if exponent & 1 == 1 {
            powers.iter_mut().zip(&*squares).for_each(|(power, square)| *power = power.mul(*square));
        }
        exponent >>= 1;
        if exponent != 0 {
            for square in squares.iter_mut() {
                *square = square.mul(*square);
            }
        }
    }
}
