//! Copies of small blocks whose elements are in another order in the source.

use std::sync::atomic::{Ordering, compiler_fence};

use crate::{
    isa::shuffle::Shuffle,
    pack::{CopyPlan, CopyRows, PIECE_BYTES, Permutation},
};

/// A piece of a block.
type Piece = [u8; PIECE_BYTES];

/// Copies blocks in the order of their plan: several in vectors where the plan and the level allow it.
// SAFETY: As for [`strided_copy`](super::strided_copy), for the kernel alone. The CPU supports the level of `S`.
#[inline(always)]
pub(super) unsafe fn permuted<T: Copy, S: Shuffle>(way: &CopyPlan, block: CopyRows) {
    let own = &way.permutation;
    // SAFETY: promised by the caller.
    unsafe {
        match own.bytes.div_ceil(PIECE_BYTES) {
            1 if S::HERE => in_order::<S, 1>(own, block),
            2 if S::HERE => in_order::<S, 2>(own, block),
            3 if S::HERE => in_order::<S, 3>(own, block),
            4 if S::HERE => in_order::<S, 4>(own, block),
            _ => each_element::<T>(own, block),
        }
    }
}

/// Copies blocks element by element.
// SAFETY: As for [`permuted`].
#[inline(always)]
unsafe fn each_element<T: Copy>(own: &Permutation, block: CopyRows) {
    for r in 0..block.axis.count {
        let (from, to) = block.row(r);
        for (k, &place) in own.places.iter().enumerate() {
            // Without it the compiler makes gathers of the loop, where the level has them.
            compiler_fence(Ordering::SeqCst);
            // SAFETY: promised by the caller.
            unsafe { to.cast::<T>().add(k).write_unaligned(from.offset(place).cast::<T>().read_unaligned()) };
        }
    }
}

/// Copies blocks that have `N` pieces together; the last ones may overlap those before, and so may the last piece.
// SAFETY: As for [`permuted`]; the plan is for pieces, and `S::HERE` is true.
#[inline(always)]
unsafe fn in_order<S: Shuffle, const N: usize>(own: &Permutation, block: CopyRows) {
    let begin = |piece: usize| (piece * PIECE_BYTES).min(own.bytes - PIECE_BYTES);
    let mut r = 0;
    while r < block.axis.count {
        let (from, to) = block.row(r.min(block.axis.count - own.together));
        // SAFETY: promised by the caller: these blocks are consecutive, on both sides.
        unsafe {
            let from = from.offset(own.first);
            let mut pieces = [[0; PIECE_BYTES]; N];
            for (k, piece) in pieces.iter_mut().enumerate() {
                *piece = from.add(begin(k)).cast::<Piece>().read_unaligned();
            }
            for (k, taken) in own.taken.as_chunks::<N>().0.iter().enumerate() {
                to.add(begin(k)).cast::<Piece>().write_unaligned(S::taken_of(&pieces, taken));
            }
        }
        r += own.together;
    }
}
