//! Loops of functions with long code, for CPUs without wide vectors: one shared f32 body also serves f16 and bf16,
//! which are widened for it, a group at a time.

use super::{Line, One, OutputRow, Two, Unaligned, element, powers::Each};
use crate::{
    loops::{Binary, Unary},
    number::{Function, Half},
};
use std::{marker::PhantomData, mem::MaybeUninit};

/// One operand of f16, bf16 or f32, computed in f32.
pub(crate) struct OneShared<O, T>(PhantomData<(O, T)>);
/// Two operands of f16 or bf16, computed in f32.
pub(crate) struct TwoShared<O, H>(PhantomData<(O, H)>);
/// The loops of functions of one operand of f16, bf16 or f32, as [`OneShared`].
pub(crate) struct Shared<T>(PhantomData<T>);

impl Each for Shared<f32> {
    type Of = f32;
    type Loop<F: Function> = OneShared<F, f32>;
}

impl<H: Half> Each for Shared<H> {
    type Of = H;
    type Loop<F: Function> = OneShared<F, H>;
}

/// The elements that are widened at a time.
const SHARED_GROUP_ELEMENTS: usize = 128;

/// Computes elements of f32, not inlined into the loops that call it.
///
/// # Safety
/// As for [`Line::run`].
#[inline(never)]
unsafe fn compute<L: Line<Out = f32>>(places: [*const u8; 3], out: OutputRow<f32>) {
    // SAFETY: promised by the caller.
    unsafe { L::run(places, out) };
}

/// Widens elements, computes them by `L`, and rounds the results.
///
/// # Safety
/// As for [`Line::run`], for as many operands of `H` as there are places.
#[inline(always)]
unsafe fn widened<L: Line<Out = f32>, H: Half, const N: usize>(places: [*const u8; N], out: OutputRow<H>) {
    for (at, part) in out.chunks_mut(SHARED_GROUP_ELEMENTS).enumerate() {
        let (mut wide, n) = ([[0.0_f32; SHARED_GROUP_ELEMENTS]; N], part.len());
        let mut results = [const { MaybeUninit::<Unaligned<f32>>::uninit() }; SHARED_GROUP_ELEMENTS];
        for (place, wide) in places.into_iter().zip(&mut wide) {
            for (i, to) in wide[..n].iter_mut().enumerate() {
                // SAFETY: `at * SHARED_GROUP_ELEMENTS + i` is below the number of elements.
                *to = unsafe { element::<H>(place, at * SHARED_GROUP_ELEMENTS + i, false) }.widen();
            }
        }
        let place = |operand: usize| wide[operand.min(N - 1)].as_ptr().cast();
        // SAFETY: there are `n` elements, and room for as many.
        unsafe { compute::<L>([place(0), place(1), place(2)], &mut results[..n]) };
        for (to, result) in part.iter_mut().zip(&results[..n]) {
            // SAFETY: it was computed.
            *to = MaybeUninit::new(Unaligned(H::narrow(unsafe { result.assume_init_ref() }.0)));
        }
    }
}

impl<O: Unary<f32, Out = f32>> Line for OneShared<O, f32> {
    type Out = f32;
    const ADVANCES: [usize; 3] = <One<O, f32, 0> as Line>::ADVANCES;
    #[inline(always)]
    unsafe fn run(places: [*const u8; 3], out: OutputRow<f32>) -> bool {
        // SAFETY: promised by the caller.
        unsafe { compute::<One<O, f32, 0>>(places, out) };
        false
    }
}

impl<O: Unary<f32, Out = f32>, H: Half> Line for OneShared<O, H> {
    type Out = H;
    const ADVANCES: [usize; 3] = [size_of::<H>(), 0, 0];
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: OutputRow<H>) -> bool {
        // SAFETY: promised by the caller.
        unsafe { widened::<One<O, f32, 0>, H, 1>([x], out) };
        false
    }
}

impl<O: Binary<f32, Out = f32>, H: Half> Line for TwoShared<O, H> {
    type Out = H;
    const ADVANCES: [usize; 3] = [size_of::<H>(), size_of::<H>(), 0];
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: OutputRow<H>) -> bool {
        // SAFETY: promised by the caller.
        unsafe { widened::<Two<O, f32, 0>, H, 2>([a, b], out) };
        false
    }
}
