//! The loops over f16 and bf16 of operators that cost little: a lot of elements is widened, computed as f32, and rounded.
//!
//! A lot stays in registers: the loops over its numbers are so short that the compiler makes a few vectors of them.

use std::marker::PhantomData;

use super::{Line, Row, advances};
use crate::{
    dtype::Element,
    isa::lots::{Convert16, LOT, Lot},
    loops::{Binary, Unary},
};

/// One operand and a result of `H`, computed in f32 with the conversions `M`.
pub(crate) struct OneLight<O, H, M>(PhantomData<(O, H, M)>);
/// Two operands and a result of `H`, computed in f32 with the conversions `M`; operands with a bit in `C` are constant.
pub(crate) struct TwoLight<O, H, M, const C: u8>(PhantomData<(O, H, M)>);

/// Widens a lot of elements, the first of which is at `place`, or the only one.
// SAFETY: They can be read. The level of `M` is here.
#[inline(always)]
unsafe fn widened<M: Convert16>(place: *const u16, constant: bool) -> Lot {
    // SAFETY: promised by the caller.
    unsafe { if constant { M::widened([place.read_unaligned(); LOT].as_ptr()) } else { M::widened(place) } }
}

/// Copies elements of a row that is shorter than a lot, or the only one.
// SAFETY: They can be read, and are at most a lot.
#[inline(always)]
unsafe fn copied(place: *const u8, n: usize, constant: bool) -> [u16; LOT] {
    let mut copy = [0; LOT];
    // SAFETY: promised by the caller.
    unsafe { copy.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(place, 2 * if constant { 1 } else { n }) };
    copy
}

/// Returns where the lots of `n` elements begin, a lot at least; the last may have some elements of the one before it.
#[inline(always)]
fn start(lot: usize, n: usize) -> usize {
    (lot * LOT).min(n - LOT)
}

/// Computes `n` elements, a lot at least.
// SAFETY: There are so many at `x` and room for as many at `to`, which overlaps nothing. The level of `M` is here.
#[inline(always)]
unsafe fn one<O: Unary<f32, Out = f32>, M: Convert16>(x: *const u8, to: *mut u8, n: usize) {
    for lot in 0..n.div_ceil(LOT) {
        let at = start(lot, n);
        // SAFETY: promised by the caller.
        let x = unsafe { widened::<M>(x.add(2 * at).cast(), false) };
        let mut y = [[0.0; 16]; 2];
        for half in 0..2 {
            for i in 0..16 {
                y[half][i] = O::apply(x[half][i]);
            }
        }
        // SAFETY: promised by the caller.
        unsafe { M::narrow(&y, to.add(2 * at).cast()) };
    }
}

/// Computes `n` elements, a lot at least.
// SAFETY: There are so many at `a` and `b`, or one that is constant, and room for as many at `to`, which overlaps nothing. The level of
// `M` is here.
#[inline(always)]
unsafe fn two<O: Binary<f32, Out = f32>, M: Convert16, const C: u8>(a: *const u8, b: *const u8, to: *mut u8, n: usize) {
    // SAFETY: promised by the caller.
    let (one, other) = unsafe { (widened::<M>(a.cast(), C & 1 != 0), widened::<M>(b.cast(), C & 2 != 0)) };
    for lot in 0..n.div_ceil(LOT) {
        let at = start(lot, n);
        // SAFETY: promised by the caller.
        let (x, y) = unsafe {
            let x = if C & 1 != 0 { one } else { widened::<M>(a.add(2 * at).cast(), false) };
            (x, if C & 2 != 0 { other } else { widened::<M>(b.add(2 * at).cast(), false) })
        };
        let mut z = [[0.0; 16]; 2];
        for half in 0..2 {
            for i in 0..16 {
                z[half][i] = O::apply(x[half][i], y[half][i]);
            }
        }
        // SAFETY: promised by the caller.
        unsafe { M::narrow(&z, to.add(2 * at).cast()) };
    }
}

impl<O: Unary<f32, Out = f32>, H: Element, M: Convert16> Line for OneLight<O, H, M> {
    type Out = H;
    const ADVANCES: [usize; 3] = [2, 0, 0];
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: Row<Self::Out>) -> bool {
        let (n, to) = (out.len(), out.as_mut_ptr().cast::<u8>());
        let mut short = [0_u16; LOT];
        // SAFETY: promised by the caller; copies are a lot long.
        unsafe {
            if n >= LOT {
                one::<O, M>(x, to, n);
            } else {
                one::<O, M>(copied(x, n, false).as_ptr().cast(), short.as_mut_ptr().cast(), LOT);
                to.copy_from_nonoverlapping(short.as_ptr().cast(), 2 * n);
            }
        }
        false
    }
}

impl<O: Binary<f32, Out = f32>, H: Element, M: Convert16, const C: u8> Line for TwoLight<O, H, M, C> {
    type Out = H;
    const ADVANCES: [usize; 3] = advances([2, 2, 0], C);
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: Row<Self::Out>) -> bool {
        let (n, to) = (out.len(), out.as_mut_ptr().cast::<u8>());
        let mut short = [0_u16; LOT];
        // SAFETY: promised by the caller; copies are a lot long.
        unsafe {
            if n >= LOT {
                two::<O, M, C>(a, b, to, n);
            } else {
                let (a, b) = (copied(a, n, C & 1 != 0), copied(b, n, C & 2 != 0));
                two::<O, M, C>(a.as_ptr().cast(), b.as_ptr().cast(), short.as_mut_ptr().cast(), LOT);
                to.copy_from_nonoverlapping(short.as_ptr().cast(), 2 * n);
            }
        }
        false
    }
}
