//! Loops over f16 and bf16 for compute-bound operators and casts, with the machine's conversions: a group of elements is
//! widened, computed as f32, and rounded.
//!
//! The groups stay in the first-level cache, and the loop between the conversions is an ordinary one over f32. The
//! loops of other operators are in `memory_bound.rs`.

use super::{Line, OutputRow};
use crate::{
    dtype::{DType, Element, f16},
    isa::{stack::Aligned, vector::Vector},
    loops::{Binary, Unary},
    math::canonical32,
};
use std::marker::PhantomData;

/// One operand and a result of f16, bf16 or f32, computed in f32 with the vectors `V`.
pub(crate) struct OneHalf<O, T, R, V>(PhantomData<(O, T, R, V)>);
/// Two operands and a result of f16, computed in f32 with the vectors `V`.
pub(crate) struct TwoHalves<O, V>(PhantomData<(O, V)>);

/// The elements that are computed at a time: as many as a streaming loop needs.
const HALF_GROUP_ELEMENTS: usize = 64;

/// Returns the address of element `i` of a row.
#[inline(always)]
fn element_at<T>(row: *const u8, i: usize) -> *const T {
    row.cast::<T>().wrapping_add(i)
}

/// Widens a group of `n` elements: f16, bf16 or f32.
///
/// # Safety
/// `n` elements of `T` can be read at `from`; the CPU supports the level of `V`.
#[inline(always)]
unsafe fn widen<T: Element, V: Vector>(from: *const T, n: usize, wide: &mut [f32; HALF_GROUP_ELEMENTS]) {
    let (mut copy, to) = ([0_u16; HALF_GROUP_ELEMENTS], wide.as_mut_ptr());
    // SAFETY: promised by the caller; the copy has room for `n` elements.
    unsafe {
        if T::DTYPE as u8 == DType::F32 as u8 {
            return to.cast::<u8>().copy_from_nonoverlapping(from.cast(), n * size_of::<f32>());
        }
        let mut from = from.cast::<u16>();
        if n < HALF_GROUP_ELEMENTS {
            copy.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(from.cast(), n * size_of::<u16>());
            from = copy.as_ptr();
        }
        for i in (0..n).step_by(2 * V::N) {
            let pair = if T::DTYPE as u8 == DType::F16 as u8 {
                [V::load_f16(from.add(i)), V::load_f16(from.add(i + V::N))]
            } else {
                V::load_bf16_pair(from.add(i))
            };
            pair[0].store(to.add(i).cast());
            pair[1].store(to.add(i + V::N).cast());
        }
    }
}

/// Rounds a group of `n` elements to f16 or bf16.
///
/// # Safety
/// The CPU supports the level of `V`, and `n` elements, rounded up to two vectors, can be written.
#[inline(always)]
unsafe fn round<R: Element, V: Vector>(wide: &[f32; HALF_GROUP_ELEMENTS], n: usize, to: *mut u16) {
    let from = wide.as_ptr();
    for i in (0..n).step_by(2 * V::N) {
        // SAFETY: promised by the caller.
        unsafe {
            let pair = [V::load(from.add(i).cast()), V::load(from.add(i + V::N).cast())];
            if R::DTYPE as u8 == DType::F16 as u8 {
                pair[0].store_f16(to.add(i));
                pair[1].store_f16(to.add(i + V::N));
            } else {
                V::store_bf16_pair(pair, to.add(i));
            }
        }
    }
}

/// Rounds a group of elements to f16 or bf16, or leaves it in f32.
///
/// # Safety
/// The CPU supports the level of `V`.
#[inline(always)]
unsafe fn narrow<R: Element, V: Vector>(wide: &[f32; HALF_GROUP_ELEMENTS], out: OutputRow<R>) {
    let (n, to) = (out.len(), out.as_mut_ptr().cast::<u8>());
    // SAFETY: `out` has room for `n` elements, and the copy for a group.
    unsafe {
        if R::DTYPE as u8 == DType::F32 as u8 {
            to.copy_from_nonoverlapping(wide.as_ptr().cast(), n * size_of::<f32>());
        } else if n == HALF_GROUP_ELEMENTS {
            round::<R, V>(wide, HALF_GROUP_ELEMENTS, to.cast());
        } else {
            let mut copy = [0_u16; HALF_GROUP_ELEMENTS];
            round::<R, V>(wide, n, copy.as_mut_ptr());
            to.copy_from_nonoverlapping(copy.as_ptr().cast(), n * size_of::<u16>());
        }
    }
}

/// Runs over whole groups, whose loops have a constant length, and then over the rest.
#[inline(always)]
fn by_groups<R>(out: OutputRow<R>, mut group: impl FnMut(usize, OutputRow<R>)) {
    let (groups, rest) = out.as_chunks_mut::<HALF_GROUP_ELEMENTS>();
    let whole = groups.len() * HALF_GROUP_ELEMENTS;
    for (g, out) in groups.iter_mut().enumerate() {
        group(g * HALF_GROUP_ELEMENTS, out);
    }
    if !rest.is_empty() {
        group(whole, rest);
    }
}

impl<O: Unary<f32, Out = f32>, T: Element, R: Element, V: Vector> Line for OneHalf<O, T, R, V> {
    type Out = R;
    const ADVANCES: [usize; 3] = [size_of::<T>(), 0, 0];
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        by_groups(
            out,
            #[inline(always)]
            |at, out| {
                let mut groups = Aligned([[0.0; HALF_GROUP_ELEMENTS]; 2]);
                let [wide, all] = &mut groups.0;
                // SAFETY: promised by the caller.
                unsafe { widen::<T, V>(element_at(x, at), out.len(), wide) };
                // Whole pairs of vectors, in which a level has an order of its own; there are zeros after the elements.
                let n = out.len().next_multiple_of(2 * V::N);
                let (wide, results) = (&wide[..n], &mut all[..n]);
                if O::NEARER && wide.iter().fold(true, |all, &x| all & O::is_near(x)) {
                    for i in 0..n {
                        results[i] = O::apply_near(wide[i]);
                    }
                } else {
                    for i in 0..n {
                        results[i] = canonical32(O::apply_usual(wide[i]));
                    }
                }
                // A loop with both paths does not vectorise.
                if O::SPLIT && wide.iter().fold(false, |any, &x| any | O::is_rare(x)) {
                    for i in (0..n).filter(|&i| O::is_rare(wide[i])) {
                        results[i] = canonical32(O::apply(wide[i]));
                    }
                }
                // SAFETY: promised by the caller.
                unsafe { narrow::<R, V>(all, out) };
            },
        );
        false
    }
}

impl<O: Binary<f32, Out = f32>, V: Vector> Line for TwoHalves<O, V> {
    type Out = f16;
    const ADVANCES: [usize; 3] = [2, 2, 0];
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        by_groups(
            out,
            #[inline(always)]
            |at, out| {
                let mut groups = Aligned([[0.0; HALF_GROUP_ELEMENTS]; 3]);
                let [x, y, z] = &mut groups.0;
                // SAFETY: promised by the caller.
                unsafe {
                    widen::<f16, V>(element_at(a, at), out.len(), x);
                    widen::<f16, V>(element_at(b, at), out.len(), y);
                }
                let mut any = false;
                for i in 0..out.len() {
                    z[i] = canonical32(O::apply_usual(x[i], y[i]));
                    any |= O::is_open(x[i], y[i], z[i]);
                }
                if O::SPLIT && any {
                    for i in 0..out.len() {
                        if O::is_open(x[i], y[i], z[i]) {
                            z[i] = canonical32(O::apply(x[i], y[i]));
                        }
                    }
                }
                // SAFETY: promised by the caller.
                unsafe { narrow::<f16, V>(z, out) };
            },
        );
        false
    }
}
