//! The loops of functions that are cheaper of numbers near zero.

use std::{marker::PhantomData, mem::MaybeUninit};

use super::{Line, Loose, Row, element};
use crate::{
    loops::Unary,
    math::singles::Lanewise,
    number::{Function, Real},
    ops::lanewise::{Fused, Near},
};

/// One operand, in blocks: those of numbers near zero alone, and those with others.
pub(crate) struct OneNear<F, T>(PhantomData<(F, T)>);

/// Counts the elements of a block: few, so that those far from zero make few others dear, but many beside what a loop costs to begin.
const BLOCK: usize = 256;

/// Computes elements by one function.
///
/// # Safety
/// As for [`Line::run`].
#[inline(always)]
unsafe fn compute<O: Unary<T, Out = T>, T: Real>(x: *const u8, out: Row<T>) {
    for (i, to) in out.iter_mut().enumerate() {
        // SAFETY: `i` is below the number of elements.
        *to = MaybeUninit::new(Loose(O::apply(unsafe { element(x, i, false) })));
    }
}

impl<F: Function + Lanewise, T: Real> Line for OneNear<F, T> {
    type Out = T;
    const ADVANCES: [usize; 3] = [size_of::<T>(), 0, 0];
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: Row<T>) -> bool {
        let Some(near) = F::NEAR else {
            // SAFETY: promised by the caller.
            unsafe { compute::<Fused<F>, T>(x, out) };
            return false;
        };
        for (at, out) in out.chunks_mut(BLOCK).enumerate() {
            let x = x.wrapping_add(at * BLOCK * size_of::<T>());
            let mut all = true;
            // SAFETY: promised by the caller; the block begins so many elements on.
            unsafe {
                for i in 0..out.len() {
                    all &= element::<T>(x, i, false).is_within(near);
                }
                if all { compute::<Near<F>, T>(x, out) } else { compute::<Fused<F>, T>(x, out) }
            }
        }
        false
    }
}
