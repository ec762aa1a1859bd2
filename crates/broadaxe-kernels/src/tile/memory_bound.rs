//! Loops over f16 and bf16 for memory-bound operators: a lane block of elements is widened, computed as f32, and
//! rounded.
//!
//! A lane block stays in registers, as vectors from the start: the compiler vectorises loops over its numbers for some
//! operations only. An operand that is the same in every row is widened once for all of them, into a tile. The
//! alternative, to keep a column of a few lane blocks in registers for all rows, reads memory in a slower order.

use std::{marker::PhantomData, mem::MaybeUninit};

use super::{Line, OutputRow, advances};
use crate::{
    isa::{
        Block, LoopCode, Widened,
        lane_blocks::{self, LANE_BLOCK_ELEMENTS, LaneBlock, computed, narrow, repeated},
        moved,
        stack::Aligned,
        vector::Vector,
    },
    measured::{MAX_WIDENED_ELEMENTS, MIN_WIDENING_ROWS},
    number::Half,
};

/// One operand and a result of `H`, computed in f32 with the vectors `V`.
pub(crate) struct OneMemoryBound<O, H, V>(PhantomData<(O, H, V)>);
/// Two operands and a result of `H`, computed in f32 with the vectors `V`; operands with a bit in `C` are constant.
pub(crate) struct TwoMemoryBound<O, H, V, const C: u8>(PhantomData<(O, H, V)>);
/// The same for many rows, where one of two dense operands may be the same in each.
pub(crate) struct RowsMemoryBound<O, H, V>(PhantomData<(O, H, V)>);

/// Widens a lane block of elements that starts at `place`, or the only element.
// SAFETY: They can be read. The CPU supports the level of `V`.
#[inline(always)]
unsafe fn widened<H: Half, V: Vector>(place: *const u16, constant: bool) -> LaneBlock {
    // SAFETY: promised by the caller.
    unsafe { if constant { repeated::<H, V>(place.read_unaligned()) } else { lane_blocks::widened::<H, V>(place) } }
}

/// Copies elements of a row that is shorter than a lane block, or the only element.
// SAFETY: They can be read, and are at most a lane block.
#[inline(always)]
unsafe fn copied(place: *const u8, n: usize, constant: bool) -> Aligned<[u16; LANE_BLOCK_ELEMENTS]> {
    let mut copy = Aligned([0; LANE_BLOCK_ELEMENTS]);
    // SAFETY: promised by the caller.
    unsafe { copy.0.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(place, 2 * if constant { 1 } else { n }) };
    copy
}

/// Returns where the lane blocks of `n` elements begin, at least one lane block; the last may overlap the one before
/// it.
#[inline(always)]
fn start(lot: usize, n: usize) -> usize {
    (lot * LANE_BLOCK_ELEMENTS).min(n - LANE_BLOCK_ELEMENTS)
}

/// Computes `n` elements, at least a lane block.
// SAFETY: `n` elements can be read at `x` and written at `to`, which overlaps nothing. The CPU supports the level of `V`.
#[inline(always)]
unsafe fn one<O: Widened, H: Half, V: Vector>(x: *const u8, to: *mut u8, n: usize) {
    for lot in 0..n.div_ceil(LANE_BLOCK_ELEMENTS) {
        let at = start(lot, n);
        // SAFETY: promised by the caller.
        let x = unsafe { widened::<H, V>(x.add(2 * at).cast(), false) };
        // SAFETY: promised by the caller.
        unsafe { narrow::<H, V>(&computed::<V>(O::OPCODE, &x, &x), to.add(2 * at).cast()) };
    }
}

/// Computes `n` elements, at least a lane block.
// SAFETY: `n` elements can be read at `a` and `b`, or one if it is constant, and `n` can be written at `to`, which
// overlaps nothing. The CPU supports the level of `V`.
#[inline(always)]
unsafe fn two<O: Widened, H: Half, V: Vector, const C: u8>(a: *const u8, b: *const u8, to: *mut u8, n: usize) {
    // SAFETY: promised by the caller.
    let (one, other) = unsafe { (widened::<H, V>(a.cast(), C & 1 != 0), widened::<H, V>(b.cast(), C & 2 != 0)) };
    for lot in 0..n.div_ceil(LANE_BLOCK_ELEMENTS) {
        let at = start(lot, n);
        // SAFETY: promised by the caller.
        let (x, y) = unsafe {
            let x = if C & 1 != 0 { one } else { widened::<H, V>(a.add(2 * at).cast(), false) };
            (x, if C & 2 != 0 { other } else { widened::<H, V>(b.add(2 * at).cast(), false) })
        };
        // SAFETY: promised by the caller.
        unsafe { narrow::<H, V>(&computed::<V>(O::OPCODE, &x, &y), to.add(2 * at).cast()) };
    }
}

impl<O: Widened, H: Half, V: Vector> Line for OneMemoryBound<O, H, V> {
    type Out = H;
    const ADVANCES: [usize; 3] = [2, 0, 0];
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        let (n, to) = (out.len(), out.as_mut_ptr().cast::<u8>());
        let mut short = Aligned([0_u16; LANE_BLOCK_ELEMENTS]);
        // SAFETY: promised by the caller; copies are a lane block long.
        unsafe {
            if n >= LANE_BLOCK_ELEMENTS {
                one::<O, H, V>(x, to, n);
            } else {
                one::<O, H, V>(copied(x, n, false).0.as_ptr().cast(), short.0.as_mut_ptr().cast(), LANE_BLOCK_ELEMENTS);
                to.copy_from_nonoverlapping(short.0.as_ptr().cast(), 2 * n);
            }
        }
        false
    }
}

impl<O: Widened, H: Half, V: Vector, const C: u8> Line for TwoMemoryBound<O, H, V, C> {
    type Out = H;
    const ADVANCES: [usize; 3] = advances([2, 2, 0], C);
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        let (n, to) = (out.len(), out.as_mut_ptr().cast::<u8>());
        let mut short = Aligned([0_u16; LANE_BLOCK_ELEMENTS]);
        // SAFETY: promised by the caller; copies are a lane block long.
        unsafe {
            if n >= LANE_BLOCK_ELEMENTS {
                two::<O, H, V, C>(a, b, to, n);
            } else {
                let (a, b) = (copied(a, n, C & 1 != 0), copied(b, n, C & 2 != 0));
                two::<O, H, V, C>(
                    a.0.as_ptr().cast(),
                    b.0.as_ptr().cast(),
                    short.0.as_mut_ptr().cast(),
                    LANE_BLOCK_ELEMENTS,
                );
                to.copy_from_nonoverlapping(short.0.as_ptr().cast(), 2 * n);
            }
        }
        false
    }
}

impl<O: Widened, H: Half, V: Vector> LoopCode for RowsMemoryBound<O, H, V> {
    type Args = Block;
    #[inline(always)]
    unsafe fn run(block: &Block) -> bool {
        // SAFETY: promised by the caller.
        unsafe {
            match block.steps {
                _ if !(LANE_BLOCK_ELEMENTS..=MAX_WIDENED_ELEMENTS).contains(&block.n)
                    || block.rows < MIN_WIDENING_ROWS =>
                {
                    <TwoMemoryBound<O, H, V, 0> as LoopCode>::run(block)
                }
                [_, 0, _] => turns::<O, H, V, 1>(block),
                [0, ..] => turns::<O, H, V, 0>(block),
                _ => <TwoMemoryBound<O, H, V, 0> as LoopCode>::run(block),
            }
        }
    }
}

/// Computes a block in which operand `STAYS` is the same in every row.
// SAFETY: As for [`LoopCode::run`], and a row has at least a lane block, and at most what can be widened.
#[inline(always)]
unsafe fn turns<O: Widened, H: Half, V: Vector, const STAYS: usize>(block: &Block) -> bool {
    let mut wide = Aligned([const { MaybeUninit::<LaneBlock>::uninit() }; MAX_WIDENED_ELEMENTS / LANE_BLOCK_ELEMENTS]);
    let wide = &mut wide.0[..block.n.div_ceil(LANE_BLOCK_ELEMENTS)];
    let (mut places, mut out) = (block.places, block.out);
    for _ in 0..block.turns {
        for (lot, wide) in wide.iter_mut().enumerate() {
            // SAFETY: promised by the caller.
            wide.write(unsafe { lane_blocks::widened::<H, V>(places[STAYS].add(2 * start(lot, block.n)).cast()) });
        }
        let (mut from, mut to) = (places[1 - STAYS], out);
        for _ in 0..block.rows {
            for (lot, wide) in wide.iter().enumerate() {
                let at = 2 * start(lot, block.n);
                // SAFETY: promised by the caller; the lane block was written before.
                unsafe {
                    let (x, wide) = (lane_blocks::widened::<H, V>(from.add(at).cast()), wide.assume_init_ref());
                    let z = if STAYS == 0 {
                        computed::<V>(O::OPCODE, wide, &x)
                    } else {
                        computed::<V>(O::OPCODE, &x, wide)
                    };
                    narrow::<H, V>(&z, to.add(at).cast());
                }
            }
            from = from.wrapping_offset(block.steps[1 - STAYS]);
            to = to.wrapping_offset(block.out_step);
        }
        places = moved(places, block.turn_steps);
        out = out.wrapping_offset(block.out_turn);
    }
    false
}
