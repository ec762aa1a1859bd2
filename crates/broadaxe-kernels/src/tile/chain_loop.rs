//! The loop of chains, which computes group by group.

use std::{hint::black_box, marker::PhantomData, mem::MaybeUninit};

use super::{
    chain::{Ahead, CHAIN_GROUP_ELEMENTS, ChainBlock, ChainLoop, LINKS, Link, LinkAction, OperandMode},
    prefetch_lines,
};
use crate::{
    dtype::{DType, Element, bf16, f16},
    isa::{
        Isa, LEVELS, LoopCode, Opcode,
        stack::Aligned,
        vector::{ChainVector, Group, Second, Third, VECTORS, apply, eight},
        wide,
    },
    measured::{FAR_PREFETCH_BYTES, PREFETCH_BYTES},
    number::Half,
};

/// The loop with the vectors of a level, and results of `R`.
pub(crate) struct Chained<V, R, const PAST: bool>(PhantomData<(V, R)>);

impl<V: ChainVector, R: Element, const PAST: bool> LoopCode for Chained<V, R, PAST> {
    type Args = ChainBlock;
    #[inline(always)]
    unsafe fn run(block: &ChainBlock) -> bool {
        let group = group::<V>();
        // SAFETY: the caller promises links, which describe operands with these rows and elements.
        let links = unsafe { &*block.links };
        let mut short = None;
        for r in 0..block.rows as isize {
            let out = block.out.wrapping_offset(block.out_step * r);
            // SAFETY: as above; the copy of a short row is a group long, of which the first `n` elements are the row.
            unsafe {
                if block.n >= group {
                    row::<V, R, PAST>(links, r, out, block.n);
                } else {
                    let short = short.get_or_insert_with(|| Short::new(links));
                    short.fill(links, r, block.n);
                    row::<V, R, PAST>(&short.links[..links.len()], 0, short.out.0.as_mut_ptr(), group);
                    out.copy_from_nonoverlapping(short.out.0.as_ptr(), size_of::<R>() * block.n);
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
            wide::<Chained<Second, R, false>, Chained<Third, R, false>>(),
            wide::<Chained<Second, R, true>, Chained<Third, R, true>>(),
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

/// The bytes of a group.
type GroupBytes = Aligned<[u8; 4 * CHAIN_GROUP_ELEMENTS]>;

/// A copy of rows that are shorter than a group.
struct Short {
    links: [Link; LINKS],
    bytes: [GroupBytes; LINKS],
    out: GroupBytes,
}

impl Short {
    #[inline(never)]
    fn new(links: &[Link]) -> Box<Self> {
        Box::new(Self { links: [links[0]; LINKS], bytes: [const { Aligned([0; _]) }; LINKS], out: Aligned([0; _]) })
    }

    /// Copies the operands of a row of `n` elements.
    // SAFETY: The links describe operands with this row and `n` elements, fewer than a group.
    #[inline(never)]
    unsafe fn fill(&mut self, links: &[Link], row: isize, n: usize) {
        for ((own, bytes), link) in self.links.iter_mut().zip(&mut self.bytes).zip(links) {
            let place = link.place.wrapping_offset(link.step * row);
            let (to, size) = (bytes.0.as_mut_ptr(), link.size);
            // SAFETY: promised by the caller; there is room for a group of elements of at most four bytes.
            unsafe {
                *own = match link.feed {
                    OperandMode::Kept | OperandMode::Constant | OperandMode::ConstantCast(_) => Link { place, ..*link },
                    OperandMode::Dense | OperandMode::Cast(_) => {
                        to.copy_from_nonoverlapping(place, n * size);
                        Link { place: to, ahead: Ahead::No, ..*link }
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
                        Link { place: to, feed: OperandMode::Dense, ahead: Ahead::No, ..*link }
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
unsafe fn row<V: ChainVector, R: Element, const PAST: bool>(links: &[Link], row: isize, out: *mut u8, n: usize) {
    let (group, size) = (group::<V>(), size_of::<R>());
    // The elements before the first whole cache line; all of them if no element begins one.
    let skew = if PAST { out.addr().wrapping_neg() % 64 } else { 0 };
    let head = if skew.is_multiple_of(size) { (skew / size).min(n) } else { n };
    let mut kept = MaybeUninit::<GroupBytes>::uninit();
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
            let x = compute::<V, R>(links, row, start, n, kept);
            if !PAST || end - at == group {
                write::<V, R>(x, out.add(size * start), PAST && at >= head);
            } else {
                let mut part = MaybeUninit::<GroupBytes>::uninit();
                let part = part.as_mut_ptr().cast::<u8>();
                write::<V, R>(x, part, false);
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
unsafe fn compute<V: ChainVector, R: Element>(
    links: &[Link],
    row: isize,
    at: usize,
    n: usize,
    kept: *mut u8,
) -> Group<V> {
    // SAFETY: promised by the caller.
    let mut x = [unsafe { V::all(0.0) }; VECTORS];
    for link in links {
        // SAFETY: promised by the caller.
        x = unsafe { Hand::<V> { link, x, kept }.next::<R>(row, at, n) };
    }
    x
}

/// A link with the current numbers, and the memory for saved ones.
struct Hand<'a, V: ChainVector> {
    link: &'a Link,
    x: Group<V>,
    kept: *mut u8,
}

impl<V: ChainVector> Hand<'_, V> {
    /// Returns the numbers after the link.
    ///
    /// Most links have dense or constant operands: those are memory operands of instructions, and need no registers.
    // SAFETY: As for `compute`.
    #[inline(always)]
    unsafe fn next<R: Element>(self, row: isize, at: usize, n: usize) -> Group<V> {
        let (link, kept) = (self.link, self.kept);
        let place = link.place.wrapping_offset(link.step * row);
        // SAFETY: promised by the caller.
        unsafe {
            match link.feed {
                OperandMode::Dense => {
                    let place = place.wrapping_add(at * 4);
                    ask(link.ahead, |bytes| place.wrapping_add(bytes), 64, group::<V>() * 4 / 64);
                    self.take::<R>(
                        #[inline(always)]
                        |v| V::load(place.wrapping_add(v * size_of::<V>())),
                    )
                }
                OperandMode::Constant => {
                    let y = V::all(place.cast::<f32>().read_unaligned());
                    self.take::<R>(
                        #[inline(always)]
                        |_| y,
                    )
                }
                OperandMode::Kept => self.take::<R>(
                    #[inline(always)]
                    |v| V::load(kept.wrapping_add(v * size_of::<V>())),
                ),
                _ => {
                    let y = made::<V>(link, row, at, n);
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
    unsafe fn take<R: Element>(self, y: impl Fn(usize) -> V) -> Group<V> {
        match self.link.act {
            LinkAction::Begin => eight(y),
            LinkAction::Keep => {
                for (v, x) in self.x.into_iter().enumerate() {
                    // SAFETY: promised by the caller.
                    unsafe { x.store(self.kept.wrapping_add(v * size_of::<V>())) };
                }
                eight(y)
            }
            LinkAction::Apply(opcode) => rounded::<V, R>(self.link, applied(opcode, self.x, y)),
        }
    }
}

/// Returns the numbers of a group.
const fn group<V: ChainVector>() -> usize {
    V::N * VECTORS
}

/// Applies an operation to a group, with operands that are made where they are used.
#[inline(always)]
fn applied<V: ChainVector>(opcode: Opcode, a: Group<V>, b: impl Fn(usize) -> V) -> Group<V> {
    // A loop for each operation that a chain can have: within a loop it is known.
    macro_rules! known {
        ($($unary:ident)+; $($binary:ident)+) => {
            match opcode {
                $(Opcode::$unary => eight(#[inline(always)] |v| apply(Opcode::$unary, a[v], a[v])),)+
                $(Opcode::$binary => eight(#[inline(always)] |v| apply(Opcode::$binary, a[v], b(v))),)+
                _ => a,
            }
        };
    }
    known!(Root Relu Magnitude Negative Square Reciprocal;
        Sum Difference Reversed Product Quotient Inverted Larger LargerSwapped Smaller SmallerSwapped)
}

/// Prefetches `count` cache lines, `step` bytes apart, from the address on that is a number of bytes ahead.
#[inline(always)]
fn ask(ahead: Ahead, place: impl Fn(usize) -> *const u8, step: isize, count: usize) {
    if ahead != Ahead::No {
        let second = ahead == Ahead::Second;
        prefetch_lines(place(if second { FAR_PREFETCH_BYTES } else { PREFETCH_BYTES }), step, count, second);
    }
}

/// Makes a group of an operand that is not read directly.
// SAFETY: As for `compute`, for this link.
#[inline(always)]
unsafe fn made<V: ChainVector>(link: &Link, row: isize, at: usize, n: usize) -> Group<V> {
    let place = link.place.wrapping_offset(link.step * row);
    // SAFETY: promised by the caller.
    unsafe {
        match link.feed {
            OperandMode::Cast(dtype) => {
                let place = place.wrapping_add(at * link.size);
                ask(link.ahead, |bytes| place.wrapping_add(bytes), 64, (group::<V>() * link.size / 64).max(1));
                read::<V>(dtype, place)
            }
            OperandMode::ConstantCast(dtype) => [V::all(cast(dtype, place)); VECTORS],
            OperandMode::RepeatedCast(_) => repeated::<V, true>(link, place, at, n),
            OperandMode::Strided => apart::<V>(link, row, at),
            _ => repeated::<V, false>(link, place, at, n),
        }
    }
}

/// Reads a group of contiguous elements as f32: integers of at most 32 bits except u32, and floats except f64.
// SAFETY: They can be read, at any address. The CPU supports the level.
#[inline(always)]
unsafe fn read<V: ChainVector>(dtype: DType, place: *const u8) -> Group<V> {
    macro_rules! known {
        ($($name:ident)+) => {
            match dtype {
                $(DType::$name => eight(
                    #[inline(always)]
                    // SAFETY: promised by the caller.
                    |v| unsafe { V::load_as(DType::$name, place.wrapping_add(v * V::N * DType::$name.size())) },
                ),)+
                _ => eight(
                    #[inline(always)]
                    // SAFETY: promised by the caller.
                    |v| unsafe { V::load(place.wrapping_add(v * size_of::<V>())) },
                ),
            }
        };
    }
    known!(U8 I8 U16 I16 I32 F16 BF16)
}

/// Reads an element as f32: an integer of at most 32 bits except u32, or a float except f64.
// SAFETY: It can be read, at any address.
#[inline(always)]
unsafe fn cast(dtype: DType, place: *const u8) -> f32 {
    // SAFETY: promised by the caller.
    unsafe {
        match dtype {
            DType::U8 => f32::from(place.read()),
            DType::I8 => f32::from(place.cast::<i8>().read()),
            DType::U16 => f32::from(place.cast::<u16>().read_unaligned()),
            DType::I16 => f32::from(place.cast::<i16>().read_unaligned()),
            DType::BF16 => f32::from_bits(u32::from(place.cast::<u16>().read_unaligned()) << 16),
            DType::F16 => place.cast::<f16>().read_unaligned().widen(),
            DType::I32 => place.cast::<i32>().read_unaligned() as f32,
            _ => place.cast::<f32>().read_unaligned(),
        }
    }
}

/// Writes a group as elements of `R`, any NaN as the canonical one; with `past`, by streaming stores.
///
/// A NaN that is rounded to bf16 has no bits below those of bf16, so that rounding does not change it: an operation returns
/// one of its NaN operands, quietened, or the machine's own NaN.
// SAFETY: They can be written, at any address, or with `past` at one that is aligned to a vector.
#[inline(always)]
unsafe fn write<V: ChainVector, R: Element>(x: Group<V>, place: *mut u8, past: bool) {
    let is_f32 = R::DTYPE as u8 == DType::F32 as u8;
    for v in 0..if is_f32 { VECTORS } else { VECTORS / 2 } {
        let to = place.wrapping_add(v * size_of::<V>());
        let bits = if is_f32 {
            x[v].canonical()
        } else {
            V::packed(R::DTYPE, [x[2 * v].canonical(), x[2 * v + 1].canonical()])
        };
        // SAFETY: promised by the caller.
        unsafe { if past { bits.stream(to) } else { bits.store(to) } }
    }
}

/// Rounds the result of a link, if it asks for that.
#[inline(always)]
fn rounded<V: ChainVector, R: Element>(link: &Link, x: Group<V>) -> Group<V> {
    if R::DTYPE as u8 == DType::F32 as u8 || !link.rounds {
        return x;
    }
    eight(
        #[inline(always)]
        |v| x[v].rounded(R::DTYPE),
    )
}

/// The position in a sequence of repeated elements: the index of the current element, and how many results have used
/// it.
#[derive(Clone, Copy)]
struct RepeatPosition {
    first: u32,
    turn: u32,
}

/// Makes a group of an operand whose elements are repeated for a group or more: of one element, or of two.
// SAFETY: The elements that the group spans can be read. The CPU supports the level.
#[inline(always)]
unsafe fn few<V: ChainVector>(times: u32, turns: RepeatPosition, read: impl Fn(u32) -> f32) -> Group<V> {
    let (left, x) = (times - turns.turn, read(turns.first));
    // SAFETY: promised by the caller.
    unsafe {
        if left as usize >= group::<V>() {
            return [V::all(x); VECTORS];
        }
        let (x, y) = (V::all(x), V::all(read(turns.first + 1)));
        eight(
            #[inline(always)]
            |v| x.then(left as i32 - (v * V::N) as i32, y),
        )
    }
}

/// Reads a group of a strided operand.
// SAFETY: As for `compute`, for this link.
#[inline(always)]
unsafe fn apart<V: ChainVector>(link: &Link, row: isize, at: usize) -> Group<V> {
    let row = link.place.wrapping_offset(link.step.wrapping_mul(row));
    // SAFETY: promised by the caller.
    unsafe { V::strided(row.wrapping_offset(at as isize * link.apart * 4).cast(), link.apart) }
}

/// Reads a vector of f32, or of f16 or bf16.
// SAFETY: They can be read, at any address. The CPU supports the level.
#[inline(always)]
unsafe fn load<V: ChainVector, const HALF: bool>(dtype: DType, place: *const u8) -> V {
    // SAFETY: promised by the caller.
    unsafe {
        match dtype {
            _ if !HALF => V::load(place),
            DType::F16 => V::load_as(DType::F16, place),
            _ => V::load_as(DType::BF16, place),
        }
    }
}

/// Reads a group of an operand with repeated elements, which are f16 or bf16 if `HALF`, else f32.
// SAFETY: As for `compute`, for this link, whose row begins at `place`.
#[inline(always)]
unsafe fn repeated<V: ChainVector, const HALF: bool>(link: &Link, place: *const u8, at: usize, n: usize) -> Group<V> {
    let dtype = if let OperandMode::RepeatedCast(half) = link.feed { half } else { DType::F32 };
    let (times, at, size) = (link.times, at as u32, if HALF { 2 } else { 4 });
    let turns = RepeatPosition { first: at / times, turn: at % times };
    if times as usize >= group::<V>() {
        // SAFETY: promised by the caller.
        return unsafe { few::<V>(times, turns, |i| cast(dtype, place.add(i as usize * size))) };
    }
    let (count, table) = ((n as u32).div_ceil(times), link.table.wrapping_add(turns.turn as usize));
    // SAFETY: promised by the caller; the table has an element for each of a group, from any turn on. A vector of results
    // spans fewer elements than it has, because each is repeated at least twice; elements of other rows or outside the
    // operand are not read.
    unsafe {
        if count <= V::N as u32 {
            let x = some::<V, HALF>(dtype, place, count as usize);
            return eight(
                #[inline(always)]
                |v| x.pick(table.wrapping_add(v * V::N), turns.first.wrapping_neg()),
            );
        }
        // Only at the end of a row could a vector of elements reach beyond it.
        let last = count - V::N as u32;
        let is_inside = turns.first + table.add(group::<V>() - 1).read() <= last;
        let last = if is_inside { u32::MAX } else { last };
        eight(
            #[inline(always)]
            |v| picked::<V, HALF>(dtype, place, turns.first, table.wrapping_add(v * V::N), last),
        )
    }
}

/// Makes a vector of the repeated elements with these indices, counted from element `first` of the row.
// SAFETY: A vector of elements can be read at the first of them, or at `last` if that comes before. The CPU supports the level.
#[inline(always)]
unsafe fn picked<V: ChainVector, const HALF: bool>(
    dtype: DType,
    place: *const u8,
    first: u32,
    indices: *const u32,
    last: u32,
) -> V {
    let size = if HALF { 2 } else { 4 };
    // SAFETY: promised by the caller.
    unsafe {
        let start = (first + indices.read()).min(last);
        load::<V, HALF>(dtype, place.add(start as usize * size)).pick(indices, start.wrapping_sub(first))
    }
}

/// Reads the `count` elements of a row, at most a vector.
// SAFETY: They can be read, at any address. The CPU supports the level.
#[inline(always)]
unsafe fn some<V: ChainVector, const HALF: bool>(dtype: DType, place: *const u8, count: usize) -> V {
    // SAFETY: promised by the caller.
    unsafe { if HALF { load::<V, true>(dtype, halves(place, count).as_ptr()) } else { V::load_some(place, count) } }
}

/// Copies at most sixteen elements of 16 bits.
// SAFETY: They can be read, at any address.
#[inline(never)]
unsafe fn halves(place: *const u8, count: usize) -> [u8; 32] {
    let mut some = [0; 32];
    // SAFETY: promised by the caller.
    unsafe { some.as_mut_ptr().copy_from_nonoverlapping(place, 2 * count) };
    some
}
