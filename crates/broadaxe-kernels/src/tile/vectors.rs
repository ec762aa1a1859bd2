//! Loops of functions that compute many f32 at a time, for levels that have a type for them.

use std::marker::PhantomData;

use super::{Line, OutputRow};
use crate::{
    isa::{
        stack::Aligned,
        vector::{ChainVector, RowVector, Third as F32x16, ThirdOfF64 as F64x8, Vector},
    },
    math::float_n::{Lanewise, Lanewise2, LanewiseWide},
    number::Half,
};

/// One operand and a result of f32, sixteen at a time.
pub(crate) struct OneVector<F>(PhantomData<F>);
/// One operand and a result of f64, eight at a time.
pub(crate) struct OneWideVector<F>(PhantomData<F>);
/// One operand and a result of f16 or bf16, computed in f32, two vectors at a time.
pub(crate) struct OneVectorOfHalves<F, H>(PhantomData<(F, H)>);
/// Two operands and a result of as many numbers as `V` holds; those with a bit in `C` are constant.
pub(crate) struct TwoVectors<F, V, const C: u8>(PhantomData<(F, V)>);

/// Reads the numbers of a row from this one on, at most `count`, or repeats its only one.
///
/// # Safety
/// The CPU supports the level, and `count` numbers exist, or one if `constant`.
#[inline(always)]
unsafe fn read<V: RowVector>(row: *const u8, at: usize, count: usize, constant: bool) -> V {
    let place = row.wrapping_add(if constant { 0 } else { at * size_of::<V::One>() });
    // SAFETY: promised by the caller.
    unsafe {
        if constant {
            V::repeat(place.cast::<V::One>().read_unaligned())
        } else if count >= V::COUNT {
            place.cast::<V>().read_unaligned()
        } else {
            V::load_first(place, count)
        }
    }
}

/// Computes a row: two vectors at a time, then one, then the rest.
///
/// # Safety
/// The CPU supports the level.
#[inline(always)]
unsafe fn by_vectors<V: RowVector>(out: OutputRow<V::One>, vector: impl Fn(usize, usize) -> V) {
    let (n, out) = (out.len(), out.as_mut_ptr().cast::<V::One>());
    let mut at = 0;
    while n - at >= 2 * V::COUNT {
        let (first, second) = (vector(at, V::COUNT), vector(at + V::COUNT, V::COUNT));
        // SAFETY: both are before the row's end.
        unsafe {
            out.wrapping_add(at).cast::<V>().write_unaligned(first);
            out.wrapping_add(at + V::COUNT).cast::<V>().write_unaligned(second);
        }
        at += 2 * V::COUNT;
    }
    while at < n {
        let left = (n - at).min(V::COUNT);
        // SAFETY: `left` numbers are left.
        unsafe { vector(at, left).store_first(out.wrapping_add(at).cast(), left) };
        at += left;
    }
}

impl<F: Lanewise> Line for OneVector<F> {
    type Out = f32;
    const ADVANCES: [usize; 3] = [size_of::<f32>(), 0, 0];
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: OutputRow<f32>) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            by_vectors(
                out,
                #[inline(always)]
                |at, count| F::of(read::<F32x16>(x, at, count, false)),
            );
        }
        false
    }
}

impl<F: LanewiseWide> Line for OneWideVector<F> {
    type Out = f64;
    const ADVANCES: [usize; 3] = [size_of::<f64>(), 0, 0];
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: OutputRow<f64>) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            by_vectors(
                out,
                #[inline(always)]
                |at, count| F::wide(read::<F64x8>(x, at, count, false)),
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

impl<F: Lanewise2, V: RowVector, const C: u8> Line for TwoVectors<F, V, C> {
    type Out = V::One;
    const ADVANCES: [usize; 3] =
        [size_of::<V::One>() * (C & 1 == 0) as usize, size_of::<V::One>() * (C & 2 == 0) as usize, 0];
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: OutputRow<V::One>) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            by_vectors(
                out,
                #[inline(always)]
                |at, count| V::apply::<F>(read(a, at, count, C & 1 != 0), read(b, at, count, C & 2 != 0)),
            );
        }
        false
    }
}
