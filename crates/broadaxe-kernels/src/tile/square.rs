//! Transposed copies: rows that are adjacent in the source are copied in squares, which are transposed in registers.
//!
//! Columns at a distance of a large power of two compete for the same few cache sets. So a column is prefetched shortly
//! before its use, all lines of a unit at once, into the second-level cache if it comes from memory. Squares of AVX-512
//! vectors, which are as wide as a cache line, read every line once, before it is evicted. Columns at small distances
//! do not compete, and squares of AVX2 vectors were faster for them.

use super::{prefetch, prefetch_l2};
use crate::{
    isa::lanes::{LANE, Lanes, MAX_LANES},
    measured::{MIN_LINE_SQUARE_STRIDE_BYTES, MIN_PREFETCH_STRIDE_BYTES, PREFETCHED_COLUMNS},
    pack::{CopyPlan, CopyRows},
};

/// The largest number of elements of a vector for which a square fits the registers.
const FITTING: usize = 16;

/// Copies rows that are adjacent in the source, in squares of the widest vectors that fit both sides. Returns whether
/// any fits; the last squares may overlap others.
// SAFETY: As for [`strided_copy`](super::strided_copy), for the kernel alone; `L` elements are a lane. The level of
// `V` is here.
#[inline(always)]
pub(super) unsafe fn transposed<T: Copy, const L: usize, V: Lanes>(way: &CopyPlan, block: CopyRows) -> bool {
    let takes_lines = V::COUNT < MAX_LANES || way.row.from.unsigned_abs() >= MIN_LINE_SQUARE_STRIDE_BYTES;
    // SAFETY: promised by the caller.
    unsafe {
        takes_lines && squares::<T, L, V>(way, block)
            || squares::<T, L, V::Narrower>(way, block)
            || squares::<T, L, <V::Narrower as Lanes>::Narrower>(way, block)
    }
}

/// Copies them in squares of these vectors, or in columns of several squares of one lane each.
// SAFETY: As for [`transposed`].
#[inline(always)]
unsafe fn squares<T: Copy, const L: usize, V: Lanes>(way: &CopyPlan, block: CopyRows) -> bool {
    let (size, step, n, side) = (size_of::<T>(), way.row.from, way.row.count, V::COUNT * L);
    let width = if side > FITTING { L } else { side };
    if side == 0 || block.axis.count < side || n < width {
        return false;
    }
    for at in (0..n).step_by(width).map(|at| at.min(n - width)) {
        let column = block.from.wrapping_offset(step * at as isize);
        if step.unsigned_abs() >= MIN_PREFETCH_STRIDE_BYTES && !way.is_asked {
            fetch_columns(way, block, at + PREFETCHED_COLUMNS, width, block.axis.count * size);
        }
        for row in (0..block.axis.count).step_by(side).map(|row| row.min(block.axis.count - side)) {
            let from = column.wrapping_add(row * size);
            let to = block.to.wrapping_offset(block.axis.to * row as isize).wrapping_add(at * size);
            // SAFETY: promised by the caller, for the rows and columns from here on.
            unsafe {
                if width < side {
                    column_of_squares::<T, L, V>(from, step, to, block.axis.to);
                } else {
                    square::<T, L, V>(from, step, to, block.axis.to);
                }
            }
        }
    }
    true
}

/// Prefetches `count` columns from column `at` on; those after the last one are the first columns of the next block.
#[inline(never)]
fn fetch_columns(way: &CopyPlan, block: CopyRows, at: usize, count: usize, bytes: usize) {
    for at in at..at + count {
        let (start, at) = if at < way.row.count { (0, at) } else { (way.next, at - way.row.count) };
        let column = block.from.wrapping_offset(start).wrapping_offset(way.row.from * at as isize);
        if way.second { prefetch_l2(column, bytes) } else { prefetch(column, bytes) }
    }
}

/// Transposes a square: columns are merged, and then the lanes of each row are gathered.
// SAFETY: As many columns as a vector has elements can be read from `from`, `step` bytes apart, each a vector, and as many rows
// written from `to`, `out_step` bytes apart. The CPU supports the level.
#[inline(always)]
unsafe fn square<T: Copy, const L: usize, V: Lanes>(from: *const u8, step: isize, to: *mut u8, out_step: isize) {
    // SAFETY: promised by the caller.
    unsafe {
        let mut lanes = [[V::zero(); MAX_LANES]; L];
        for group in 0..V::COUNT {
            let merged = merged::<T, L, V>(from.offset(step * (group * L) as isize), step);
            for (lanes, row) in lanes.iter_mut().zip(merged) {
                lanes[group] = row;
            }
        }
        for (i, &lanes) in lanes.iter().enumerate() {
            for (lane, &row) in V::turned(lanes).iter().enumerate().take(V::COUNT) {
                V::write(row, to.offset(out_step * (lane * L + i) as isize));
            }
        }
    }
}

/// Transposes consecutive squares of one lane along a column, as many as a vector has lanes.
// SAFETY: `L` columns can be read from `from`, `step` bytes apart, each a vector, and as many rows as a vector has elements
// written from `to`, `out_step` bytes apart, each a lane. The CPU supports the level.
#[inline(always)]
unsafe fn column_of_squares<T: Copy, const L: usize, V: Lanes>(
    from: *const u8,
    step: isize,
    to: *mut u8,
    out_step: isize,
) {
    // SAFETY: promised by the caller.
    unsafe {
        let merged = merged::<T, L, V>(from, step);
        for (i, &lanes) in merged.iter().enumerate() {
            V::write_apart(lanes, to.offset(out_step * i as isize), out_step * L as isize);
        }
    }
}

/// Merges pairs of vectors at a given distance. As loops, the compiler would not unroll some of them, and would keep
/// the vectors in memory.
macro_rules! merge {
    ($count:expr, $size:expr, $rows:ident, $apart:literal: $($i:literal)*) => { $(
        if $i + $apart < $count {
            let (a, b) = ($rows[$i], $rows[$i + $apart]);
            ($rows[$i], $rows[$i + $apart]) = match $size {
                1 => V::merge::<1>(a, b),
                2 => V::merge::<2>(a, b),
                4 => V::merge::<4>(a, b),
                _ => V::merge::<8>(a, b),
            };
        }
    )* };
}

/// Reads columns and merges them: then each lane of a vector is a row.
// SAFETY: `L` columns can be read from `from`, `step` bytes apart, each a vector. The CPU supports the level.
#[inline(always)]
unsafe fn merged<T: Copy, const L: usize, V: Lanes>(from: *const u8, step: isize) -> [V::V; L] {
    debug_assert_eq!(L * size_of::<T>(), LANE);
    // SAFETY: promised by the caller.
    unsafe {
        let mut rows = [V::zero(); L];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = V::read(from.offset(step * i as isize));
        }
        interleaved::<T, L, V>(rows)
    }
}

/// Merges the vectors of the two halves, element by element, until all are interleaved, within lanes: the first element of
/// each vector, then the second of each, and so on. There are a power of two, at most 16.
// SAFETY: The CPU supports the level.
#[inline(always)]
pub(super) unsafe fn interleaved<T: Copy, const N: usize, V: Lanes>(mut rows: [V::V; N]) -> [V::V; N] {
    // SAFETY: promised by the caller.
    unsafe {
        // Each step puts two vectors in the places of two others.
        merge!(N, size_of::<T>(), rows, 8: 0 1 2 3 4 5 6 7);
        merge!(N, size_of::<T>(), rows, 4: 0 1 2 3 8 9 10 11);
        merge!(N, size_of::<T>(), rows, 2: 0 1 4 5 8 9 12 13);
        merge!(N, size_of::<T>(), rows, 1: 0 2 4 6 8 10 12 14);
    }
    rows
}
