//! Strided copies between an operand with any strides and a tile.

use std::{
    marker::PhantomData,
    sync::atomic::{Ordering, compiler_fence},
};

use super::{
    permuted::permuted,
    prefetch_lines,
    square::{interleaved, transposed},
};
#[cfg(target_arch = "x86_64")]
use crate::isa::{
    each,
    lanes::{Lanes1, Lanes2, Lanes4},
    shuffle::Shuffle16,
};
#[cfg(target_arch = "aarch64")]
use crate::isa::{
    each,
    lanes::{LanesNeon, NoLanes},
    shuffle::ShuffleNeon,
};
use crate::{
    isa::{
        Isa, LEVELS, Loop, LoopCode,
        lanes::{Lanes, MAX_LANES},
        shuffle::{NoShuffle, Shuffle},
    },
    measured::{COPY_PIECE_ELEMENTS, MAX_SHUFFLED_REPEATS, PREFETCH_BYTES},
    pack::{CopyAxis, CopyKernel, CopyPlan, CopyRows, PIECE_BYTES, is_repeated_in_vectors},
};

/// Copies elements between an operand and a tile, at this level.
///
/// # Safety
/// Every element that the plan reaches from `from` is readable, what it reaches from `to` is writable, and the two do
/// not overlap.
pub(crate) unsafe fn strided_copy(isa: Isa, way: &CopyPlan, from: *const u8, to: *mut u8) {
    static LEAVES: [[CopyLoop; LEVELS]; 4] = [leaf::<u8, 16>(), leaf::<u16, 8>(), leaf::<u32, 4>(), leaf::<u64, 2>()];
    let call = LEAVES[way.size.trailing_zeros() as usize % 4][isa.index()];
    // SAFETY: the promise is passed on.
    unsafe { walk(way, call, &way.outer, from, to) };
}

/// Returns the kernel for elements of a size.
#[cfg(target_arch = "x86_64")]
const fn leaf<T: Copy, const L: usize>() -> [CopyLoop; LEVELS] {
    each::<
        StridedCopy<T, L, NoShuffle, Lanes1>,
        StridedCopy<T, L, Shuffle16, Lanes2>,
        StridedCopy<T, L, Shuffle16, Lanes4>,
    >()
}

/// Returns the kernel for elements of a size.
#[cfg(target_arch = "aarch64")]
const fn leaf<T: Copy, const L: usize>() -> [CopyLoop; LEVELS] {
    each::<
        StridedCopy<T, L, NoShuffle, NoLanes>,
        StridedCopy<T, L, ShuffleNeon, LanesNeon>,
        StridedCopy<T, L, ShuffleNeon, LanesNeon>,
    >()
}

/// Returns the kernel for elements of a size.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const fn leaf<T: Copy, const L: usize>() -> [CopyLoop; LEVELS] {
    crate::isa::versions::<StridedCopy<T, L, NoShuffle, crate::isa::lanes::NoLanes>>()
}

/// Copies the elements of a kernel and of the axes `outer` outside it.
///
/// A block that repeats is copied once and then duplicated, twice as much each time, unless other blocks are between.
// SAFETY: As for [`strided_copy`], with the axes of the plan's kernel and `outer`; `call` is made for elements of the
// plan's size.
unsafe fn walk(way: &CopyPlan, call: CopyLoop, outer: &[CopyAxis], from: *const u8, to: *mut u8) {
    let repeats = |turn: &CopyAxis| turn.from == 0 && turn.to > way.rows.to.abs().max(way.row.to.abs());
    // Only the kernel that merges rows repeats itself: in the others the loop cost more than the calls that it saved.
    let (turn, inner) = match outer {
        [inner @ .., turn] if way.leaf != CopyKernel::Interleaved || !inner.is_empty() || repeats(turn) => {
            (turn, inner)
        }
        _ => {
            let turns = outer.first().copied().unwrap_or(CopyAxis::ONCE);
            let (from, to) = (from.wrapping_offset(way.start.0), to.wrapping_offset(way.start.1));
            // SAFETY: the rows and columns of the kernel, and its turns, are axes, so all of their elements are promised.
            unsafe { call(&CopyBlock { way, turns, from, to }) };
            return;
        }
    };
    let repeats = repeats(turn);
    for i in 0..if repeats { 1 } else { turn.count as isize } {
        // SAFETY: the axis reaches these blocks.
        unsafe { walk(way, call, inner, from.offset(turn.from * i), to.offset(turn.to * i)) };
    }
    let (block, mut done) = (turn.to.unsigned_abs(), 1);
    while repeats && done < turn.count {
        let more = done.min(turn.count - done);
        // SAFETY: there is room for `count` blocks, of which the first `done` are written and `more` is no larger.
        unsafe { to.copy_to_nonoverlapping(to.add(done * block), more * block) };
        done += more;
    }
}

/// Copies a value of any alignment.
// SAFETY: There is a `T` to read at `from`, and room for one at `to`.
#[inline(always)]
unsafe fn transfer<T: Copy>(from: *const u8, to: *mut u8) {
    // SAFETY: promised by the caller.
    unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) }
}

/// A plan, how often its kernel is repeated, and where its first row begins, on both sides.
struct CopyBlock {
    way: *const CopyPlan,
    turns: CopyAxis,
    from: *const u8,
    to: *mut u8,
}

/// The kernel of a plan.
///
/// # Safety
/// As for [`strided_copy`], for the rows of the kernel.
type CopyLoop = Loop<CopyBlock>;

/// The kernel of the plan; `L` elements are 16 bytes.
struct StridedCopy<T, const L: usize, S, V>(PhantomData<(T, S, V)>);

impl<T: Copy, const L: usize, S: Shuffle, V: Lanes> LoopCode for StridedCopy<T, L, S, V> {
    type Args = CopyBlock;
    #[inline(always)]
    unsafe fn run(block: &CopyBlock) -> bool {
        // SAFETY: only `walk` calls this; its promise is passed on.
        unsafe {
            let (way, turns) = (&*block.way, block.turns);
            let block = CopyRows { axis: way.rows, from: block.from, to: block.to };
            let (n, dense) = (way.row.count, way.row.from == size_of::<T>() as isize);
            match (way.leaf, n * size_of::<T>()) {
                (CopyKernel::Transposed, _) if transposed::<T, L, V>(way, block) => {}
                (CopyKernel::Interleaved, _) => merge_few::<T, L, V>(n, turns, block),
                (CopyKernel::Backwards, bytes) if S::HERE => backwards::<T, S>(bytes, block),
                (CopyKernel::Permuted, _) => permuted::<T, S>(way, block),
                (CopyKernel::Strided, _) if way.ahead => rows_ahead::<T>(way.row, block),
                (CopyKernel::Transposed | CopyKernel::Strided | CopyKernel::Backwards, _) => {
                    rows(block, |from, to| apart::<T>(way.row, None, from, to));
                }
                (CopyKernel::Repeats(2), _) if dense => rows(block, |from, to| few::<T, 2>(n, from.cast(), to.cast())),
                (CopyKernel::Repeats(3), _) if dense => rows(block, |from, to| few::<T, 3>(n, from.cast(), to.cast())),
                (CopyKernel::Repeats(4), _) if dense => rows(block, |from, to| few::<T, 4>(n, from.cast(), to.cast())),
                (CopyKernel::Repeats(times), _)
                    if S::HERE && dense && is_repeated_in_vectors(times, size_of::<T>()) =>
                {
                    // A closure would not be compiled for the level.
                    for r in 0..block.axis.count {
                        let (from, to) = block.row(r);
                        shuffled::<T, L, S>(n, times, from, to);
                    }
                }
                (CopyKernel::Repeats(times), _) => rows(block, |from, to| repeat::<T, L, V>(way.row, times, from, to)),
                (CopyKernel::Runs, 0) => {}
                (CopyKernel::Runs, n @ 1) => rows(block, |from, to| pieces::<1>(n, from, to)),
                (CopyKernel::Runs, n @ 2..4) => rows(block, |from, to| pieces::<2>(n, from, to)),
                (CopyKernel::Runs, n @ 4..8) => rows(block, |from, to| pieces::<4>(n, from, to)),
                (CopyKernel::Runs, n @ 8..16) => rows(block, |from, to| pieces::<8>(n, from, to)),
                (CopyKernel::Runs, n @ 16..32) => rows(block, |from, to| pieces::<16>(n, from, to)),
                (CopyKernel::Runs, n @ 32..64) => rows(block, |from, to| pieces::<32>(n, from, to)),
                (CopyKernel::Runs, n) => rows(block, |from, to| pieces::<64>(n, from, to)),
            }
        }
        false
    }
}

/// Calls for each row with its address.
#[inline(always)]
fn rows(block: CopyRows, row: impl Fn(*const u8, *mut u8)) {
    for r in 0..block.axis.count {
        let (from, to) = block.row(r);
        row(from, to);
    }
}

/// Copies `n` bytes in pieces of `W`, of which the last may overlap the one before.
// SAFETY: There are `n` bytes, at least `W`, to read and to write.
#[inline(always)]
unsafe fn pieces<const W: usize>(n: usize, from: *const u8, to: *mut u8) {
    for at in (0..n - W).step_by(W) {
        // SAFETY: promised by the caller.
        unsafe { transfer::<[u8; W]>(from.add(at), to.add(at)) };
    }
    // SAFETY: as above.
    unsafe { transfer::<[u8; W]>(from.add(n - W), to.add(n - W)) };
}

/// Merges the rows of a block, of `n` consecutive elements each, in every turn.
// SAFETY: As for [`merge_rows`]; there are two, four or eight rows.
#[inline(always)]
unsafe fn merge_few<T: Copy, const L: usize, V: Lanes>(n: usize, turns: CopyAxis, block: CopyRows) {
    // SAFETY: promised by the caller.
    unsafe {
        match block.axis.count {
            2 => merge_rows::<T, L, 2, V>(n, turns, block),
            4 => merge_rows::<T, L, 4, V>(n, turns, block),
            _ => merge_rows::<T, L, 8, V>(n, turns, block),
        }
    }
}

/// Merges `K` rows of `n` consecutive elements, `L` of each at a time, in every turn; the last ones may overlap those before.
// SAFETY: The elements can be read, and their places written; there are at least `L`, which are a lane. The CPU supports the
// level of `V`.
#[inline(always)]
unsafe fn merge_rows<T: Copy, const L: usize, const K: usize, V: Lanes>(n: usize, turns: CopyAxis, block: CopyRows) {
    if V::COUNT > 1 {
        // SAFETY: promised by the caller.
        return unsafe { merge_rows::<T, L, K, V::Narrower>(n, turns, block) };
    }
    for turn in 0..turns.count as isize {
        let (from, to) = (block.from.wrapping_offset(turns.from * turn), block.to.wrapping_offset(turns.to * turn));
        if V::COUNT == 0 {
            // SAFETY: promised by the caller.
            let row = |k| unsafe {
                let step = (K * size_of::<T>()) as isize;
                every::<T>(
                    n,
                    size_of::<T>() as isize,
                    step,
                    from.offset(block.axis.from * k),
                    to.offset(block.axis.to * k),
                );
            };
            (0..K as isize).for_each(row);
            continue;
        }
        for at in (0..n).step_by(L).map(|at| at.min(n - L)) {
            // SAFETY: promised by the caller.
            unsafe {
                let mut rows = [V::zero(); K];
                for (k, row) in rows.iter_mut().enumerate() {
                    *row = V::read(from.offset(block.axis.from * k as isize).add(at * size_of::<T>()));
                }
                for (k, row) in interleaved::<T, K, V>(rows).into_iter().enumerate() {
                    V::write(row, to.add((at * K + k * L) * size_of::<T>()));
                }
            }
        }
    }
}

/// Copies rows of `n` bytes whose elements are read backwards, sixteen bytes at a time: pieces of a row, of which the last may
/// overlap the one before, or several short rows, which follow one another.
// SAFETY: The elements can be read, and their places written; short rows follow one another on both sides. The CPU supports
// the level of `S`, and `S::HERE` is true.
#[inline(always)]
unsafe fn backwards<T: Copy, S: Shuffle>(n: usize, block: CopyRows) {
    let (size, row) = (size_of::<T>(), n.min(PIECE_BYTES));
    let mut places = [0_u8; PIECE_BYTES];
    for (k, place) in places.iter_mut().enumerate().take(PIECE_BYTES / row * row) {
        *place = (k / row * row + row - size - k % row / size * size + k % size) as u8;
    }
    // Loops in closures would not be compiled for the level.
    if n >= PIECE_BYTES {
        for r in 0..block.axis.count {
            let ((first, to), last) = (block.row(r), n - PIECE_BYTES);
            // SAFETY: promised by the caller.
            unsafe {
                let from = first.add(size).sub(n);
                for at in (0..last).step_by(PIECE_BYTES) {
                    turned::<S>(from.add(last - at), to.add(at), places);
                }
                turned::<S>(from, to.add(last), places);
            }
        }
        return;
    }
    let (all, mut at) = (block.axis.count * n, 0);
    // SAFETY: promised by the caller. What is written behind the rows of a piece belongs to rows that are written later.
    unsafe {
        let from = block.from.add(size).sub(n);
        while at + PIECE_BYTES <= all {
            turned::<S>(from.add(at), block.to.add(at), places);
            at += PIECE_BYTES / n * n;
        }
        while at < all {
            (0..n).step_by(size).for_each(|k| transfer::<T>(from.add(at + n - size - k), block.to.add(at + k)));
            at += n;
        }
    }
}

/// Copies sixteen bytes in another order.
// SAFETY: They can be read and written. The CPU supports the level of `S`, and `S::HERE` is true.
#[inline(always)]
unsafe fn turned<S: Shuffle>(from: *const u8, to: *mut u8, places: [u8; PIECE_BYTES]) {
    // SAFETY: promised by the caller.
    unsafe {
        let piece = from.cast::<[u8; PIECE_BYTES]>().read_unaligned();
        to.cast::<[u8; PIECE_BYTES]>().write_unaligned(S::taken(piece, places));
    }
}

/// Copies a row of strided elements, many at a time if the compiler knows the stride.
// SAFETY: The row's elements can be read, and its places written.
#[inline(always)]
unsafe fn apart<T: Copy>(row: CopyAxis, ahead: Option<isize>, from: *const u8, to: *mut u8) {
    let (n, size) = (row.count, size_of::<T>() as isize);
    // SAFETY: promised by the caller.
    unsafe {
        match (row.from / size, row.from % size == 0 && row.to == size) {
            (-1, true) => gathered::<T>(n, -size, ahead, from, to),
            (2, true) => gathered::<T>(n, 2 * size, ahead, from, to),
            (3, true) => gathered::<T>(n, 3 * size, ahead, from, to),
            (4, true) => gathered::<T>(n, 4 * size, ahead, from, to),
            _ => one_by_one::<T>(row, from, to),
        }
    }
}

/// Copies rows of strided elements, and prefetches later ones.
// SAFETY: The elements of the rows can be read, and their places written.
#[inline(always)]
unsafe fn rows_ahead<T: Copy>(row: CopyAxis, block: CopyRows) {
    // With a negative stride, the later elements are in the next row.
    let next = row.from < 0 && block.axis.count > 1;
    let ahead = if next { block.axis.from } else { PREFETCH_BYTES as isize * row.from.signum() };
    // A closure would not be compiled for the level.
    for r in 0..block.axis.count {
        let (from, to) = block.row(r);
        // SAFETY: promised by the caller.
        unsafe { apart::<T>(row, Some(ahead), from, to) };
    }
}

/// Copies `n` elements at a stride of `step` bytes to adjacent places, piece by piece, and prefetches those `ahead`
/// bytes on if that is given.
// SAFETY: The elements can be read, and the places written.
#[inline(always)]
unsafe fn gathered<T: Copy>(n: usize, step: isize, ahead: Option<isize>, from: *const u8, to: *mut u8) {
    let size = size_of::<T>();
    let places = |at: usize| (from.wrapping_offset(step * at as isize), to.wrapping_add(at * size));
    let mut at = 0;
    while let Some(ahead) = ahead.filter(|_| at + COPY_PIECE_ELEMENTS <= n) {
        let (from, to) = places(at);
        let count = COPY_PIECE_ELEMENTS * step.unsigned_abs() / 64;
        prefetch_lines(from.wrapping_offset(ahead), 64 * step.signum(), count, false);
        // SAFETY: promised by the caller.
        unsafe { every::<T>(COPY_PIECE_ELEMENTS, step, size as isize, from, to) };
        at += COPY_PIECE_ELEMENTS;
    }
    let (from, to) = places(at);
    // SAFETY: as above.
    unsafe { every::<T>(n - at, step, size as isize, from, to) };
}

/// Copies a row of elements at any strides.
// SAFETY: The elements can be read, and the places written.
#[inline(always)]
unsafe fn one_by_one<T: Copy>(row: CopyAxis, from: *const u8, to: *mut u8) {
    for i in 0..row.count as isize {
        // Without it the compiler makes gathers and scatters of the loop, where the level has both.
        compiler_fence(Ordering::SeqCst);
        // SAFETY: promised by the caller.
        unsafe { transfer::<T>(from.offset(row.from * i), to.offset(row.to * i)) };
    }
}

/// Copies `n` elements with a stride in bytes on both sides.
// SAFETY: The elements can be read, and the places written.
#[inline(always)]
unsafe fn every<T: Copy>(n: usize, step: isize, out_step: isize, from: *const u8, to: *mut u8) {
    for i in 0..n as isize {
        // SAFETY: promised by the caller.
        unsafe { transfer::<T>(from.offset(step * i), to.offset(out_step * i)) };
    }
}

/// Writes each element of a row `times` times: whole vectors at once, of which the next element may partly overwrite the last.
// SAFETY: The row's elements can be read, and there is room for `times` of each. The CPU supports the level of `V`.
#[inline(always)]
unsafe fn repeat<T: Copy, const L: usize, V: Lanes>(row: CopyAxis, times: usize, from: *const u8, to: *mut u8) {
    let all = row.count * times;
    for i in 0..row.count {
        // SAFETY: `i` is below the count; what is written ends before the room for all does.
        unsafe {
            let element = from.offset(row.from * i as isize).cast::<T>().read_unaligned();
            let to = to.cast::<T>().add(i * times);
            match times {
                _ if filled::<T, L, V>(element, times, to) => {}
                _ if times >= L => fill([element; L], times, to),
                _ if all - i * times >= L => to.cast::<[T; L]>().write_unaligned([element; L]),
                _ => (0..times).for_each(|k| to.add(k).write_unaligned(element)),
            }
        }
    }
}

/// Fills a place for `n` elements with one, in vectors as wide as the place and the level allow; says whether there are any.
///
/// The compiler makes scatters of a loop that writes arrays, which need ten times as long; of vectors it makes none.
// SAFETY: There is room for `n` elements. The CPU supports the level of `V`.
#[inline(always)]
unsafe fn filled<T: Copy, const L: usize, V: Lanes>(element: T, n: usize, to: *mut T) -> bool {
    if V::COUNT == 0 {
        return false;
    }
    // SAFETY: promised by the caller; the array has as many bytes as the widest vector.
    unsafe {
        if n < V::COUNT * L {
            return filled::<T, L, V::Narrower>(element, n, to);
        }
        fill(V::read([[element; L]; MAX_LANES].as_ptr().cast()), n, to);
    }
    true
}

/// Writes each of `n` elements `times` times, at most [`MAX_SHUFFLED_REPEATS`]: 16 bytes of them become `times` times 16.
// SAFETY: `n` elements can be read, and there is room for `times` of each. The CPU supports the level of `S`, and
// `S::HERE` is true.
#[inline(always)]
unsafe fn shuffled<T: Copy, const L: usize, S: Shuffle>(n: usize, times: usize, from: *const u8, to: *mut u8) {
    let size = size_of::<T>();
    // The source of each byte. A shifted product divides; its error does not matter here.
    let (bytes, inverse) = (size * times, (1_u32 << 20) / (size * times) as u32 + 1);
    let mut places = [[0_u8; 16]; MAX_SHUFFLED_REPEATS];
    for (b, places) in places.iter_mut().enumerate().take(times) {
        for (j, place) in places.iter_mut().enumerate() {
            let at = (16 * b + j) as u32;
            *place = ((at * inverse) >> 20) as u8 * size as u8 + j as u8 % size as u8;
        }
    }
    for group in 0..n / L {
        // SAFETY: promised by the caller, for the elements of this group.
        unsafe {
            let taken = from.add(group * 16).cast::<[u8; 16]>().read_unaligned();
            let to = to.add(group * L * bytes);
            for (b, &places) in places.iter().enumerate().take(times) {
                to.add(16 * b).cast::<[u8; 16]>().write_unaligned(S::taken(taken, places));
            }
        }
    }
    for i in n / L * L..n {
        // SAFETY: promised by the caller.
        unsafe { (0..times).for_each(|k| transfer::<T>(from.add(i * size), to.add(i * bytes + k * size))) };
    }
}

/// Writes each of `n` elements `N` times; the compiler vectorises this.
// SAFETY: There are `n` elements to read, and there is room for `N` of each.
#[inline(always)]
unsafe fn few<T: Copy, const N: usize>(n: usize, from: *const T, to: *mut T) {
    for i in 0..n {
        // SAFETY: promised by the caller.
        unsafe {
            let element = from.add(i).read_unaligned();
            (0..N).for_each(|k| to.add(i * N + k).write_unaligned(element));
        }
    }
}

/// Fills a place for `n` elements with pieces, of which the last may overlap the one before.
// SAFETY: There is room for `n` elements, and they are at least a piece.
#[inline(always)]
unsafe fn fill<T, V: Copy>(piece: V, n: usize, to: *mut T) {
    let last = n - size_of::<V>() / size_of::<T>();
    for at in (0..last).step_by(n - last) {
        // SAFETY: promised by the caller.
        unsafe { to.add(at).cast::<V>().write_unaligned(piece) };
    }
    // SAFETY: as above.
    unsafe { to.add(last).cast::<V>().write_unaligned(piece) };
}
