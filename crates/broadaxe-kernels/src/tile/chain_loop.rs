//! The loop of chains, which computes group by group.

use std::{hint::black_box, marker::PhantomData, mem::MaybeUninit};

use super::{
    PREFETCH_BYTES,
    chain::{CHAIN_GROUP_ELEMENTS, ChainBlock, ChainLoop, LINKS, Link, LinkAction, OperandMode},
    prefetch_line, prefetch_lines,
};
use crate::{
    dtype::{DType, Element, bf16, f16},
    isa::{
        Isa, LEVELS, LoopCode,
        floats::{Floats8, Floats16, Group, RepeatPosition, VECTORS, eight},
        narrow::{Narrow, cast},
        wide,
    },
};

/// The loop with the vectors of a level, and results of `R`.
pub(crate) struct Chained<F, R, const PAST: bool>(PhantomData<(F, R)>);

impl<F: Narrow, R: Element, const PAST: bool> LoopCode for Chained<F, R, PAST> {
    type Args = ChainBlock;
    #[inline(always)]
    unsafe fn run(block: &ChainBlock) -> bool {
        let group = F::GROUP;
        // SAFETY: the caller promises links, which describe operands with these rows and elements.
        let links = unsafe { &*block.links };
        let mut short = None;
        for r in 0..block.rows as isize {
            let out = block.out.wrapping_offset(block.out_step * r);
            // SAFETY: as above; the copy of a short row is a group long, of which the first `n` elements are the row.
            unsafe {
                if block.n >= group {
                    row::<F, R, PAST>(links, r, out, block.n);
                } else {
                    let short = short.get_or_insert_with(|| Short::new(links));
                    short.fill(links, r, block.n);
                    row::<F, R, PAST>(&short.links[..links.len()], 0, short.out.as_mut_ptr(), group);
                    out.copy_from_nonoverlapping(short.out.as_ptr(), size_of::<R>() * block.n);
                }
            }
        }
        false
    }
}

/// Returns the loop that computes chains with results of a dtype at a level, if the level has one. With `streams`, it writes
/// the result with streaming stores.
pub(crate) fn chained(isa: Isa, output: DType, streams: bool) -> Option<ChainLoop> {
    const fn both<R: Element>() -> [[Option<ChainLoop>; LEVELS]; 2] {
        [
            wide::<Chained<Floats8, R, false>, Chained<Floats16, R, false>>(),
            wide::<Chained<Floats8, R, true>, Chained<Floats16, R, true>>(),
        ]
    }
    static LOOPS: [[[Option<ChainLoop>; LEVELS]; 2]; 3] = [both::<f32>(), both::<f16>(), both::<bf16>()];
    let loops = match output {
        DType::F32 => &LOOPS[0],
        DType::F16 => &LOOPS[1],
        DType::BF16 => &LOOPS[2],
        _ => return None,
    };
    loops[usize::from(streams)][isa.index()]
}

/// A copy of rows that are shorter than a group.
struct Short {
    links: [Link; LINKS],
    bytes: [[u8; 4 * CHAIN_GROUP_ELEMENTS]; LINKS],
    out: [u8; 4 * CHAIN_GROUP_ELEMENTS],
}

impl Short {
    #[inline(never)]
    fn new(links: &[Link]) -> Box<Self> {
        Box::new(Self {
            links: [links[0]; LINKS],
            bytes: [[0; 4 * CHAIN_GROUP_ELEMENTS]; LINKS],
            out: [0; 4 * CHAIN_GROUP_ELEMENTS],
        })
    }

    /// Copies the operands of a row of `n` elements.
    // SAFETY: The links describe operands with this row and `n` elements, fewer than a group.
    #[inline(never)]
    unsafe fn fill(&mut self, links: &[Link], row: isize, n: usize) {
        for ((own, bytes), link) in self.links.iter_mut().zip(&mut self.bytes).zip(links) {
            let place = link.place.wrapping_offset(link.step * row);
            let (to, size) = (bytes.as_mut_ptr(), link.size);
            // SAFETY: promised by the caller; there is room for a group of elements of at most four bytes.
            unsafe {
                *own = match link.feed {
                    OperandMode::Kept | OperandMode::Constant | OperandMode::ConstantCast(_) => Link { place, ..*link },
                    OperandMode::Dense | OperandMode::Cast(_) => {
                        to.copy_from_nonoverlapping(place, n * size);
                        Link { place: to, ahead: false, ..*link }
                    }
                    OperandMode::Repeated | OperandMode::RepeatedCast(_) => {
                        let from = |i| place.add(i / link.times as usize * size);
                        (0..n).for_each(|i| to.add(i * size).copy_from_nonoverlapping(from(i), size));
                        let feed = if let OperandMode::RepeatedCast(dtype) = link.feed {
                            OperandMode::Cast(dtype)
                        } else {
                            OperandMode::Dense
                        };
                        Link { place: to, feed, ..*link }
                    }
                    OperandMode::Strided => {
                        let from = |i| place.offset(i as isize * link.apart * size as isize);
                        (0..n).for_each(|i| to.add(i * size).copy_from_nonoverlapping(from(i), size));
                        Link { place: to, feed: OperandMode::Dense, ahead: false, ..*link }
                    }
                }
            };
        }
    }
}

/// Computes a row of at least a group.
// SAFETY: The links describe operands with this row and `n` elements, and `out` has room for as many. The level is
// here.
#[inline(always)]
unsafe fn row<F: Narrow, R: Element, const PAST: bool>(links: &[Link], row: isize, out: *mut u8, n: usize) {
    let (group, size) = (F::GROUP, size_of::<R>());
    // The elements before the first whole cache line; all of them if no element begins one.
    let skew = if PAST { out.addr().wrapping_neg() % 64 } else { 0 };
    let head = if skew.is_multiple_of(size) { (skew / size).min(n) } else { n };
    let mut kept = MaybeUninit::<[u8; 4 * CHAIN_GROUP_ELEMENTS]>::uninit();
    // The address is hidden from the compiler, which would otherwise keep the saved numbers in registers and spill the
    // current ones.
    let kept = black_box(kept.as_mut_ptr().cast());
    let mut at = 0;
    while at < n {
        let end = (at + group).min(if at < head { head } else { n });
        // A group with fewer elements left is computed together with elements before it, which are written again unless
        // they are streamed.
        let start = at.min(n - group);
        // SAFETY: promised by the caller; cache lines begin at `head` and every group after it.
        unsafe {
            let x = compute::<F, R>(links, row, start, n, kept);
            if !PAST || end - at == group {
                F::write_as(R::DTYPE, x, out.add(size * start), PAST && at >= head);
            } else {
                let mut part = MaybeUninit::<[u8; 4 * CHAIN_GROUP_ELEMENTS]>::uninit();
                let part = part.as_mut_ptr().cast::<u8>();
                F::write_as(R::DTYPE, x, part, false);
                out.add(size * at).copy_from_nonoverlapping(part.add(size * (at - start)), size * (end - at));
            }
        }
        at = end;
    }
}

/// Applies all links to a group of a row of `n` elements, from element `at` on. Numbers are saved in the memory at
/// `kept`, because the registers hold the current ones.
// SAFETY: The links describe operands with this row and `n` elements, which include `at` and a group after it, and a
// group can be written to `kept`. The CPU supports the level.
#[inline(always)]
unsafe fn compute<F: Narrow, R: Element>(links: &[Link], row: isize, at: usize, n: usize, kept: *mut u8) -> Group<F> {
    // SAFETY: promised by the caller.
    let mut x = [unsafe { F::all(0.0) }; VECTORS];
    for link in links {
        // SAFETY: promised by the caller.
        x = unsafe { Hand::<F> { link, x, kept }.next::<R>(row, at, n) };
    }
    x
}

/// A link with the current numbers, and the memory for saved ones.
struct Hand<'a, F: Narrow> {
    link: &'a Link,
    x: Group<F>,
    kept: *mut u8,
}

impl<F: Narrow> Hand<'_, F> {
    /// Returns the numbers after the link.
    ///
    /// Most links have dense or constant operands: those are memory operands of instructions, and need no registers.
    // SAFETY: As for `compute`.
    #[inline(always)]
    unsafe fn next<R: Element>(self, row: isize, at: usize, n: usize) -> Group<F> {
        let (link, kept) = (self.link, self.kept);
        let place = link.place.wrapping_offset(link.step * row);
        // SAFETY: promised by the caller.
        unsafe {
            match link.feed {
                OperandMode::Dense => {
                    let place = place.wrapping_add(at * 4);
                    if link.ahead {
                        prefetch_lines(place.wrapping_add(PREFETCH_BYTES), 64, F::GROUP * 4 / 64);
                    }
                    self.take::<R>(
                        #[inline(always)]
                        |v| F::nth(place, v),
                    )
                }
                OperandMode::Constant => {
                    let y = F::all(place.cast::<f32>().read_unaligned());
                    self.take::<R>(
                        #[inline(always)]
                        |_| y,
                    )
                }
                OperandMode::Kept => self.take::<R>(
                    #[inline(always)]
                    |v| F::nth(kept, v),
                ),
                _ => {
                    let y = made::<F>(link, row, at, n);
                    self.take::<R>(
                        #[inline(always)]
                        |v| y[v],
                    )
                }
            }
        }
    }

    /// Returns the numbers after the link, given its operand.
    // SAFETY: A group can be written to `kept`. The CPU supports the level.
    #[inline(always)]
    unsafe fn take<R: Element>(self, y: impl Fn(usize) -> F::V) -> Group<F> {
        match self.link.act {
            LinkAction::Begin => eight(y),
            LinkAction::Keep => {
                for (v, x) in self.x.into_iter().enumerate() {
                    // SAFETY: promised by the caller.
                    unsafe { self.kept.cast::<F::V>().wrapping_add(v).write_unaligned(x) };
                }
                eight(y)
            }
            // SAFETY: promised by the caller.
            LinkAction::Apply(join) => unsafe { rounded::<F, R>(self.link, F::join(join, self.x, y)) },
        }
    }
}

/// Makes a group of an operand that is not read directly.
// SAFETY: As for `compute`, for this link.
#[inline(always)]
unsafe fn made<F: Narrow>(link: &Link, row: isize, at: usize, n: usize) -> Group<F> {
    let place = link.place.wrapping_offset(link.step * row);
    // SAFETY: promised by the caller.
    unsafe {
        match link.feed {
            OperandMode::Cast(dtype) => {
                let place = place.wrapping_add(at * link.size);
                if link.ahead {
                    let lines = F::GROUP * link.size / 64;
                    (0..=lines / 2).for_each(|v| prefetch_line(place.wrapping_add(PREFETCH_BYTES / 2 + v * 128)));
                }
                F::read(dtype, place)
            }
            OperandMode::ConstantCast(dtype) => [F::all(cast(dtype, place)); VECTORS],
            OperandMode::RepeatedCast(dtype) => repeated_as::<F>(dtype, link, place.cast(), at, n),
            OperandMode::Strided => apart::<F>(link, row, at, n),
            _ => repeated::<F>(link, place.cast(), at, n),
        }
    }
}

/// Rounds the result of a link, if it asks for that.
// SAFETY: The CPU supports the level.
#[inline(always)]
unsafe fn rounded<F: Narrow, R: Element>(link: &Link, x: Group<F>) -> Group<F> {
    if R::DTYPE as u8 == DType::F32 as u8 || !link.rounds {
        return x;
    }
    // SAFETY: promised by the caller.
    unsafe { F::round(R::DTYPE, x) }
}

/// Reads a group of an operand of f16 or bf16 with repeated elements.
// SAFETY: As for `compute`, for this link, whose row begins at `place`.
#[inline(always)]
unsafe fn repeated_as<F: Narrow>(dtype: DType, link: &Link, place: *const u16, at: usize, n: usize) -> Group<F> {
    let (times, at) = (link.times, at as u32);
    let turns = RepeatPosition { first: at / times, turn: at % times };
    if times as usize >= F::GROUP {
        // SAFETY: promised by the caller.
        return unsafe { few::<F>(times, turns, |i| cast(dtype, place.add(i as usize).cast())) };
    }
    // SAFETY: promised by the caller; the table has an element for each of a group.
    unsafe { F::repeat_as(dtype, place, link.table, turns, (n as u32).div_ceil(times)) }
}

/// Makes a group of an operand whose elements are repeated for a group or more: of one element, or of two.
// SAFETY: The elements that the group spans can be read. The CPU supports the level.
#[inline(always)]
unsafe fn few<F: Narrow>(times: u32, turns: RepeatPosition, read: impl Fn(u32) -> f32) -> Group<F> {
    let (left, x) = (times - turns.turn, read(turns.first));
    // SAFETY: promised by the caller.
    unsafe {
        if left as usize >= F::GROUP {
            return [F::all(x); VECTORS];
        }
        F::two(x, read(turns.first + 1), left)
    }
}

/// Reads a group of a strided operand.
// SAFETY: As for `compute`, for this link.
#[inline(always)]
unsafe fn apart<F: Narrow>(link: &Link, row: isize, at: usize, n: usize) -> Group<F> {
    let place = |row: isize, at: usize| {
        let row = link.place.wrapping_offset(link.step.wrapping_mul(row));
        row.wrapping_offset(at as isize * link.apart * 4)
    };
    if link.ahead {
        let apart = link.apart.unsigned_abs();
        let ahead = at + PREFETCH_BYTES / 4 / apart;
        // Elements after the end of a row are in the next row, unless rows are pieces of one.
        let (rows, ahead) = if ahead < n || link.step == 0 { (0, ahead) } else { (ahead / n, ahead % n) };
        prefetch_lines(place(row + rows as isize, ahead), 64 * link.apart.signum(), apart * F::GROUP * 4 / 64);
    }
    // SAFETY: promised by the caller.
    unsafe { F::apart(place(row, at).cast(), link.apart) }
}

/// Reads a group of an operand with repeated elements.
// SAFETY: As for `compute`, for this link, whose row begins at `place`.
#[inline(always)]
unsafe fn repeated<F: Narrow>(link: &Link, place: *const f32, at: usize, n: usize) -> Group<F> {
    let (times, at) = (link.times, at as u32);
    let turns = RepeatPosition { first: at / times, turn: at % times };
    if times as usize >= F::GROUP {
        // SAFETY: promised by the caller.
        return unsafe { few::<F>(times, turns, |i| place.add(i as usize).read_unaligned()) };
    }
    // SAFETY: the table has an element for each of a group.
    let beyond = turns.first + unsafe { link.table.add(F::GROUP).read() } + 1 + F::N as u32;
    // SAFETY: promised by the caller. A vector of results spans fewer elements than it has, because each is repeated at
    // least twice; elements of other rows or outside the operand are not read.
    unsafe {
        if u64::from(beyond) * u64::from(times) <= n as u64 {
            return F::repeat(place, link.table, turns);
        }
        F::repeat_last(place, link.table, turns, (n as u32).div_ceil(times))
    }
}
