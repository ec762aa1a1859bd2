//! Loops of functions that compute many f32 at a time, for levels that have a type for them.

use std::marker::PhantomData;

use super::{Line, OutputRow};
use crate::{
    isa::{
        stack::Aligned,
        vector::{ChainVector, Third as F32x16, Vector},
    },
    math::f32xn::{Lanewise, Lanewise2},
    number::Half,
};

/// One operand and a result of f32, sixteen at a time.
pub(crate) struct OneVector<F>(PhantomData<F>);
/// One operand and a result of f16 or bf16, computed in f32, two vectors at a time.
pub(crate) struct OneVectorOfHalves<F, H>(PhantomData<(F, H)>);
/// Two operands and a result of f32, sixteen at a time; those with a bit in `C` are constant.
pub(crate) struct TwoVectors<F, const C: u8>(PhantomData<F>);

/// The bytes of an element.
const SIZE: usize = size_of::<f32>();

/// Reads the numbers of a row from this one on, at most `count`, or repeats its only one.
///
/// # Safety
/// The CPU supports the level, and `count` numbers exist, or one if `constant`.
#[inline(always)]
unsafe fn read(row: *const u8, at: usize, count: usize, constant: bool) -> F32x16 {
    let place = row.wrapping_add(if constant { 0 } else { at * SIZE });
    // SAFETY: promised by the caller.
    unsafe {
        match count {
            _ if constant => F32x16::all(place.cast::<f32>().read_unaligned()),
            F32x16::N.. => F32x16::load(place),
            _ => F32x16::load_some(place, count),
        }
    }
}

/// Computes a row: two vectors at a time, then one, then the rest.
///
/// # Safety
/// The CPU supports the level.
#[inline(always)]
unsafe fn by_vectors(out: OutputRow<f32>, vector: impl Fn(usize, usize) -> F32x16) {
    const COUNT: usize = F32x16::N;
    let (n, out) = (out.len(), out.as_mut_ptr().cast::<u8>());
    let mut at = 0;
    while n - at >= 2 * COUNT {
        let (first, second) = (vector(at, COUNT), vector(at + COUNT, COUNT));
        // SAFETY: both are before the row's end.
        unsafe {
            first.store(out.wrapping_add(at * SIZE));
            second.store(out.wrapping_add((at + COUNT) * SIZE));
        }
        at += 2 * COUNT;
    }
    while at < n {
        let left = (n - at).min(COUNT);
        // SAFETY: `left` numbers are left.
        unsafe { vector(at, left).store_some(out.wrapping_add(at * SIZE), left) };
        at += left;
    }
}

impl<F: Lanewise> Line for OneVector<F> {
    type Out = f32;
    const ADVANCES: [usize; 3] = [SIZE, 0, 0];
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: OutputRow<f32>) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            by_vectors(
                out,
                #[inline(always)]
                |at, count| F::of(read(x, at, count, false)),
            );
        }
        false
    }
}

/// The halves that are computed at a time.
const PAIR: usize = 2 * F32x16::N;

/// Computes as many halves as two vectors hold.
///
/// # Safety
/// They can be read and written, at any address. The CPU supports the level.
#[inline(always)]
unsafe fn pair<F: Lanewise, H: Half>(from: *const u8, to: *mut u8) {
    // SAFETY: promised by the caller.
    unsafe {
        let [x, y] = [0, F32x16::N].map(
            #[inline(always)]
            |at| F32x16::load_as(H::DTYPE, from.add(at * size_of::<H>())),
        );
        F32x16::packed(H::DTYPE, [F::of(x), F::of(y)]).store(to);
    }
}

impl<F: Lanewise, H: Half> Line for OneVectorOfHalves<F, H> {
    type Out = H;
    const ADVANCES: [usize; 3] = [size_of::<H>(), 0, 0];
    /// Computes a row: two vectors at a time; the last ones end with the row, or are a copy of a shorter row.
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: OutputRow<H>) -> bool {
        let (n, to, mut copy) = (out.len(), out.as_mut_ptr().cast::<u8>(), Aligned([0_u16; PAIR]));
        let (short, bytes) = (copy.0.as_mut_ptr().cast::<u8>(), n * size_of::<H>());
        // SAFETY: promised by the caller; elements that are computed twice have the same result, and no operand is
        // where they are written.
        unsafe {
            if n < PAIR {
                short.copy_from_nonoverlapping(x, bytes);
                pair::<F, H>(short, short);
                to.copy_from_nonoverlapping(short, bytes);
                return false;
            }
            let mut at = 0;
            while at < n {
                let start = at.min(n - PAIR) * size_of::<H>();
                pair::<F, H>(x.add(start), to.add(start));
                at += PAIR;
            }
        }
        false
    }
}

impl<F: Lanewise2, const C: u8> Line for TwoVectors<F, C> {
    type Out = f32;
    const ADVANCES: [usize; 3] = [SIZE * (C & 1 == 0) as usize, SIZE * (C & 2 == 0) as usize, 0];
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: OutputRow<f32>) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            by_vectors(
                out,
                #[inline(always)]
                |at, count| F::of(read(a, at, count, C & 1 != 0), read(b, at, count, C & 2 != 0)),
            );
        }
        false
    }
}
