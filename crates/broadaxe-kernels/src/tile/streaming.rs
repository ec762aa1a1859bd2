//! Streaming (non-temporal) results: the loops over whole cache lines, and the call that divides a row for them.
//!
//! Cache lines that a row fills only in part are computed by the ordinary loop. So a streaming loop is only a few
//! vectors long, and can exist for every ordinary loop.
//!
//! One copy with streaming stores for all operators, from a tile of 1 KiB that the ordinary loop had filled, was tried
//! instead: it saves a sixth of the time to compile this crate, but `add_1e7`, `bias_nhwc`, `gelu` and `in5_vec` took
//! 1.2 to 1.9 times as long. The whole level AVX2 took up to 1.2 times as long as
//! AVX-512 on workloads that stream.

#[cfg(target_arch = "x86_64")]
use std::{marker::PhantomData, mem::MaybeUninit};

#[cfg(target_arch = "x86_64")]
use super::{Line, beyond, row};
use crate::isa::{Block, Loop, moved};
#[cfg(target_arch = "x86_64")]
use crate::isa::{LoopCode, stack::Aligned, vector::ChainVector};

/// The bytes that a streaming loop computes at a time: two cache lines.
const STREAM_GROUP_BYTES: usize = 128;

/// Computes whole groups of rows, each of which begins a cache line, with streaming stores.
///
/// Other threads see the result after a [`fence`](super::fence).
#[cfg(target_arch = "x86_64")]
pub(crate) struct Streamed<L, V>(PhantomData<(L, V)>);

#[cfg(target_arch = "x86_64")]
impl<L: Line, V: ChainVector> LoopCode for Streamed<L, V> {
    type Args = Block;
    #[inline(always)]
    unsafe fn run(block: &Block) -> bool {
        let group = const { STREAM_GROUP_BYTES / size_of::<L::Out>() };
        let whole = block.n / group * group;
        block.any_row(
            #[inline(always)]
            |places, out| {
                let (mut rejected, mut i) = (false, 0_usize);
                while i < whole {
                    let mut lines = MaybeUninit::<Aligned<[u8; STREAM_GROUP_BYTES]>>::uninit();
                    // SAFETY: the caller promises `n` elements of operands and result, whose address is aligned to
                    // cache lines (`Call::run`); the local array has room for a group.
                    unsafe {
                        rejected |= L::run(beyond::<L>(places, i), row(lines.as_mut_ptr().cast(), group));
                        let to = out.add(i.wrapping_mul(const { size_of::<L::Out>() }));
                        let mut at = 0_usize;
                        while at < STREAM_GROUP_BYTES {
                            V::load(lines.as_ptr().cast::<u8>().add(at)).stream(to.add(at));
                            at = at.wrapping_add(const { size_of::<V>() });
                        }
                    }
                    i = i.wrapping_add(group);
                }
                rejected
            },
        )
    }
}

/// A kernel's loop at a level, ready to be called.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    /// The ordinary loop.
    pub(crate) plain: Loop,
    /// The streaming loop over whole groups, if the result is streamed.
    pub(crate) past: Option<Loop>,
    /// The bytes between elements of each operand, 0 for a constant.
    pub(crate) sizes: [usize; 3],
    pub(crate) out_size: usize,
}

impl Call {
    /// Computes a block. Returns whether an element was rejected; then the result is meaningless.
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

    /// Computes a block of pieces of rows, with other pieces `before` or `after` it in the same rows. If it streams, a
    /// piece computes its first cache line completely, and leaves its last partial line to the next piece.
    ///
    /// # Safety
    /// As for [`Loop`]; with a piece before it, each row also has as many elements before its beginning as a cache line
    /// holds.
    #[inline]
    pub(crate) unsafe fn run_piece(&self, block: &Block, before: bool, after: bool) -> bool {
        match self.past {
            // SAFETY: promised by the caller.
            None => unsafe { (self.plain)(block) },
            // SAFETY: as above.
            Some(past) if !before && !after => unsafe { self.run_past(past, block) },
            // SAFETY: as above.
            Some(past) if before && after && self.is_whole(block) => unsafe { self.run_shifted(past, block) },
            // SAFETY: as above.
            Some(past) => unsafe { self.run_lines(past, block, before, after) },
        }
    }

    /// Says whether rows are as long as whole groups, and cache lines begin with whole elements of them.
    fn is_whole(&self, block: &Block) -> bool {
        let begins = block.out.addr() | block.out_step.unsigned_abs();
        (block.n * self.out_size).is_multiple_of(STREAM_GROUP_BYTES) && begins & (self.out_size - 1) == 0
    }

    /// Streams rows of whole groups, each from the beginning of its first cache line.
    // SAFETY: As for `run_piece`, with pieces before and after this one, and `is_whole`.
    unsafe fn run_shifted(&self, past: Loop, block: &Block) -> bool {
        let bits = self.out_size.trailing_zeros();
        // Rows that begin at the same offset in a cache line are computed together.
        let alike = if block.out_step % 64 == 0 { block.rows } else { 1 };
        let (mut own, mut rejected) = (Block { rows: alike, ..*block }, false);
        for row in (0..block.rows).step_by(alike) {
            let out = block.out.wrapping_offset(block.out_step * row as isize);
            let skew = out.addr() % 64;
            let by = |k: usize| block.steps[k] * row as isize - (self.sizes[k] * (skew >> bits)) as isize;
            own.places = moved(block.places, [by(0), by(1), by(2)]);
            own.out = out.wrapping_sub(skew);
            // SAFETY: promised by the caller, who has as many elements before the piece as a cache line; all groups
            // begin one.
            rejected |= unsafe { past(&own) };
        }
        rejected
    }

    /// Streams a block except for partial cache lines.
    // SAFETY: As for `run`.
    unsafe fn run_past(&self, past: Loop, block: &Block) -> bool {
        let group = STREAM_GROUP_BYTES / self.out_size;
        let begin_lines = block.out.addr().is_multiple_of(64) && block.out_step % 64 == 0 && block.out_turn % 64 == 0;
        if begin_lines && block.n.is_multiple_of(group) {
            // SAFETY: promised by the caller; all rows are whole groups that begin a cache line.
            return unsafe { past(block) };
        }
        let mut rejected = false;
        for turn in 0..block.turns as isize {
            let (places, out) = (moved(block.places, times(block.turn_steps, turn)), block.out_turn * turn);
            let own = Block { places, out: block.out.wrapping_offset(out), turns: 1, ..*block };
            // SAFETY: promised by the caller.
            rejected |= unsafe { self.run_lines(past, &own, false, false) };
        }
        rejected
    }

    /// Computes the rows of a turn so; those whose results begin at the same offset in a cache line are computed
    /// together.
    // SAFETY: As for `run_piece`.
    unsafe fn run_lines(&self, past: Loop, block: &Block, before: bool, after: bool) -> bool {
        let (size, group) = (self.out_size, STREAM_GROUP_BYTES / self.out_size);
        let apart = (64 >> (block.out_step | 64).trailing_zeros()).min(block.rows);
        let mut rejected = false;
        for first in 0..apart {
            let start = block.out.wrapping_offset(block.out_step * first as isize);
            let (skew, end) = (start.addr() % 64, (start.addr() + block.n * size) % 64);
            let is_whole = skew.is_multiple_of(size);
            let lead = if is_whole && before { skew / size } else { 0 };
            let n = block.n + lead - if is_whole && after { (end / size).min(block.n) } else { 0 };
            let head = match (64 - skew) / size {
                _ if !is_whole => n,
                _ if lead > 0 || skew == 0 => 0,
                head => head.min(n),
            };
            let whole = (n - head) / group * group;
            let rest = n - head - whole;
            let rows = (block.rows - first).div_ceil(apart);
            let (steps, out_step) = (times(block.steps, apart as isize), block.out_step * apart as isize);
            let by = [0, 1, 2].map(|k| block.steps[k] * first as isize - (lead * self.sizes[k]) as isize);
            let (starts, start) = (moved(block.places, by), start.wrapping_sub(lead * size));
            for (call, from, n) in [(self.plain, 0, head), (past, head, whole), (self.plain, head + whole, rest)] {
                if n > 0 {
                    let places = moved(starts, offsets(self.sizes, from));
                    let out = start.wrapping_add(from * size);
                    let part = Block { n, rows, places, steps, out, out_step, ..Block::EMPTY };
                    // SAFETY: the caller promises `n` elements of operands and result in every row, and those of the
                    // cache line in which the piece begins; whole groups begin a line.
                    rejected |= unsafe { call(&part) };
                }
            }
        }
        rejected
    }
}

/// Multiplies each of these steps.
fn times([a, b, c]: [isize; 3], times: isize) -> [isize; 3] {
    [a * times, b * times, c * times]
}

/// Returns the bytes of `n` elements of each operand.
fn offsets([a, b, c]: [usize; 3], elements: usize) -> [isize; 3] {
    [(a * elements) as isize, (b * elements) as isize, (c * elements) as isize]
}
