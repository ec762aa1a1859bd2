//! Results that go past the caches: the loops over whole lines, and the call that leads a row through them.
//!
//! Lines of the cache that a row fills only in part are computed by the ordinary loop. So a loop past the caches is a few
//! vectors and no more, and there are as many of those as of the ordinary ones.

#[cfg(target_arch = "x86_64")]
use std::{marker::PhantomData, mem::MaybeUninit};

#[cfg(target_arch = "x86_64")]
use super::{Line, after};
use crate::isa::{Block, Loop, moved};
#[cfg(target_arch = "x86_64")]
use crate::isa::{Body, Past};

/// The bytes that a loop past the caches computes at a time: two lines.
const GROUP: usize = 128;

/// Computes whole groups of rows, whose results begin a line of the cache each and go past it.
///
/// Other threads see the result after a [`fence`](super::fence).
#[cfg(target_arch = "x86_64")]
pub(crate) struct Streamed<L, P>(PhantomData<(L, P)>);

/// A group.
#[cfg(target_arch = "x86_64")]
#[repr(C, align(64))]
struct Lines([u8; GROUP]);

#[cfg(target_arch = "x86_64")]
impl<L: Line, P: Past> Body for Streamed<L, P> {
    #[inline(always)]
    unsafe fn run(block: &Block) -> bool {
        let size = size_of::<L::Out>();
        let group = GROUP / size;
        block.any_row(
            #[inline(always)]
            |row, out| {
                let mut refused = false;
                for i in (0..block.n / group * group).step_by(group) {
                    let places = moved(row, after(L::ADVANCES, i));
                    let mut lines = MaybeUninit::<Lines>::uninit();
                    // SAFETY: the caller promises `n` elements of operands and result, whose place is aligned to lines (`Call::run`); the
                    // lines have room for a group.
                    unsafe {
                        refused |= L::run(places, std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), group));
                        for at in (0..GROUP).step_by(P::WIDTH) {
                            P::store(lines.as_ptr().cast::<u8>().add(at), out.add(i * size + at));
                        }
                    }
                }
                refused
            },
        )
    }
}

/// A kernel's loop at a level, ready to be called.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    /// The ordinary loop.
    pub(crate) plain: Loop,
    /// The loop over whole groups past the caches, where the result goes there.
    pub(crate) past: Option<Loop>,
    /// The bytes from one element to the next of each operand, 0 for a constant.
    pub(crate) sizes: [usize; 3],
    pub(crate) out_size: usize,
}

impl Call {
    /// Computes a block; says whether an element was refused, whose result then means nothing.
    ///
    /// # Safety
    /// As for [`Loop`].
    #[inline]
    pub(crate) unsafe fn run(&self, block: &Block) -> bool {
        match self.past {
            // SAFETY: promised by the caller.
            None => unsafe { (self.plain)(block) },
            // SAFETY: as above.
            Some(past) => unsafe { self.run_past(past, block) },
        }
    }

    /// Computes a block past the caches, but for the lines that a row fills only in part.
    // SAFETY: As for `run`.
    unsafe fn run_past(&self, past: Loop, block: &Block) -> bool {
        let (size, group) = (self.out_size, GROUP / self.out_size);
        let begin_lines = block.out.addr().is_multiple_of(64) && block.out_step % 64 == 0 && block.out_turn % 64 == 0;
        if begin_lines && block.n.is_multiple_of(group) {
            // SAFETY: promised by the caller; all rows are whole groups that begin a line.
            return unsafe { past(block) };
        }
        block.any_row(|starts, start| {
            let mut refused = false;
            let skew = start.addr().wrapping_neg() % 64;
            let head = if skew.is_multiple_of(size) { (skew / size).min(block.n) } else { block.n };
            let whole = (block.n - head) / group * group;
            let rest = block.n - head - whole;
            for (call, from, n) in [(self.plain, 0, head), (past, head, whole), (self.plain, head + whole, rest)] {
                if n > 0 {
                    let places = moved(starts, after(self.sizes, from));
                    let part = Block { n, places, out: start.wrapping_add(from * size), ..Block::EMPTY };
                    // SAFETY: the caller promises `n` elements of operands and result in every row; whole groups begin a line.
                    refused |= unsafe { call(&part) };
                }
            }
            refused
        })
    }
}
