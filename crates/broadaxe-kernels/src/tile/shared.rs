//! The loops of functions whose code is long, where fused operations are made of others: what computes f32 stands once, for f16 and
//! bf16, too, which are widened for it, a group at a time.

use super::{Line, One, Row};
use crate::{loops::Unary, number::Half};
use std::{marker::PhantomData, mem::MaybeUninit};

/// One operand of f16, bf16 or f32, computed in f32.
pub(crate) struct OneShared<O, T>(PhantomData<(O, T)>);

/// Counts the elements that are widened at a time.
const GROUP: usize = 128;

/// Computes elements of f32, not in the loop that asks for them.
///
/// # Safety
/// As for [`Line::run`].
#[inline(never)]
unsafe fn compute<O: Unary<f32, Out = f32>>(x: *const u8, out: Row<f32>) {
    // SAFETY: promised by the caller.
    unsafe { <One<O, f32, 0> as Line>::run([x; 3], out) };
}

impl<O: Unary<f32, Out = f32>> Line for OneShared<O, f32> {
    type Out = f32;
    const ADVANCES: [usize; 3] = <One<O, f32, 0> as Line>::ADVANCES;
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: Row<f32>) -> bool {
        // SAFETY: promised by the caller.
        unsafe { compute::<O>(x, out) };
        false
    }
}

impl<O: Unary<f32, Out = f32>, H: Half> Line for OneShared<O, H> {
    type Out = H;
    const ADVANCES: [usize; 3] = [size_of::<H>(), 0, 0];
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: Row<H>) -> bool {
        for (at, part) in out.chunks_mut(GROUP).enumerate() {
            let (mut wide, n) = ([0.0_f32; GROUP], part.len());
            let mut results = [const { MaybeUninit::<super::Loose<f32>>::uninit() }; GROUP];
            for (i, to) in wide[..n].iter_mut().enumerate() {
                // SAFETY: `at * GROUP + i` is below the number of elements.
                *to = unsafe { super::element::<H>(x, at * GROUP + i, false) }.widen();
            }
            // SAFETY: there are `n` elements, and room for as many.
            unsafe { compute::<O>(wide.as_ptr().cast(), &mut results[..n]) };
            for (to, result) in part.iter_mut().zip(&results[..n]) {
                // SAFETY: it was computed.
                *to = MaybeUninit::new(super::Loose(H::narrow(unsafe { result.assume_init_ref() }.0)));
            }
        }
        false
    }
}
