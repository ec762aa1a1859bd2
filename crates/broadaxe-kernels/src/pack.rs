//! Plans strided copies without touching an element: in which order an operand's axes are walked.
//!
//! An operand that loops cannot use in place is gathered into a tile, and a tile may be scattered into a result.
//! Contiguous axes are merged first. The innermost two or so are then copied by a *copy kernel*, which moves many
//! elements per instruction, and the other axes call it. A copy kernel is fast if it moves whole cache lines on at
//! least one side: runs of consecutive elements are copied in pieces of fixed size, a repeated element is written in
//! whole vectors, and a transposed operand is read along the axis where its elements are adjacent, even if that is the
//! outermost one. Small blocks whose elements are in another order are put in order by a table, whole vectors at a time where
//! the blocks are consecutive. A block that repeats as a whole is packed once and then copied, twice as much each time.

use crate::{
    isa::shuffle::NO_BYTE,
    measured::{
        MAX_BACKWARDS_BYTES, MAX_BLOCK_ELEMENTS, MAX_SHORT_COLUMN_BYTES, MAX_SHUFFLED_REPEATS, MIN_PERMUTED_BYTES,
        MIN_RUN_ELEMENTS,
    },
};

/// The bytes that are merged, or turned around, at a time.
pub(crate) const PIECE_BYTES: usize = 16;

/// The most bytes that are put in order at once, in pieces.
const MAX_BLOCK_BYTES: usize = 4 * PIECE_BYTES;

/// An axis of a tile with the strides of an operand: the number of elements, and the bytes between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) count: usize,
    pub(crate) stride: isize,
}

/// An axis of a copy: the bytes between elements of the source, and of the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CopyAxis {
    pub(crate) count: usize,
    pub(crate) from: isize,
    pub(crate) to: isize,
}

impl CopyAxis {
    /// An axis of one element.
    pub(crate) const ONCE: Self = Self { count: 1, from: 0, to: 0 };

    /// Reverses an axis; returns the bytes to its new start, on both sides.
    fn reverse(&mut self) -> (isize, isize) {
        let last = self.count as isize - 1;
        let begin = (self.from * last, self.to * last);
        (self.from, self.to) = (-self.from, -self.to);
        begin
    }
}

/// Rows and where the first one begins, on both sides.
#[derive(Clone, Copy)]
pub(crate) struct CopyRows {
    pub(crate) axis: CopyAxis,
    pub(crate) from: *const u8,
    pub(crate) to: *mut u8,
}

impl CopyRows {
    /// Returns where a row begins, on both sides.
    #[inline(always)]
    pub(crate) fn row(self, r: usize) -> (*const u8, *mut u8) {
        let r = r as isize;
        (self.from.wrapping_offset(self.axis.from * r), self.to.wrapping_offset(self.axis.to * r))
    }
}

/// The kernels that copy elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyKernel {
    /// Rows of elements that are consecutive on both sides.
    Runs,
    /// Rows of elements that are strided on one side or both.
    Strided,
    /// Short rows of consecutive elements that are read backwards.
    Backwards,
    /// Rows of elements, each of which is written this often.
    Repeats(usize),
    /// Elements that are adjacent from row to row in the source, and along a row in the destination.
    Transposed,
    /// A few rows of consecutive elements: the first of each, then the second of each, and so on.
    Interleaved,
    /// Small blocks whose elements are in another order, or not consecutive, in the source.
    Permuted,
}

/// A plan of a strided copy: its axes and its kernel.
#[derive(Clone, Debug)]
pub(crate) struct CopyPlan {
    /// The bytes of an element.
    pub(crate) size: usize,
    pub(crate) leaf: CopyKernel,
    pub(crate) rows: CopyAxis,
    pub(crate) row: CopyAxis,
    /// The bytes to the first element, on both sides.
    pub(crate) start: (isize, isize),
    /// The bytes from the source of this block to that of the next one.
    pub(crate) next: isize,
    /// Whether prefetched data comes from memory; it is then prefetched into the second-level cache.
    pub(crate) second: bool,
    /// The axes outside the kernel, innermost first.
    pub(crate) outer: Vec<CopyAxis>,
    /// Where the elements of a small block are.
    pub(crate) permutation: Permutation,
    /// Whether strided elements are prefetched.
    pub(crate) ahead: bool,
    /// Whether the columns of the next block are prefetched elsewhere, while this block is used.
    pub(crate) is_asked: bool,
}

impl CopyPlan {
    /// Plans to gather elements into consecutive places; the last axis is the fastest.
    pub(crate) fn pack(size: usize, axes: &[Axis]) -> Self {
        let mut way = Self::along(size, axes, |count, stride, step| CopyAxis { count, from: stride, to: step });
        way.row = way.innermost();
        if way.row.from == 0 {
            way.leaf = CopyKernel::Repeats(way.row.count);
            way.row = way.innermost();
        }
        if way.leaf == CopyKernel::Runs && way.row.from != size as isize {
            way.leaf = CopyKernel::Strided;
            if way.turn() {
                return way;
            }
        }
        // A block that repeats is copied as a whole, outside the kernel.
        if way.outer.first().is_some_and(|turn| turn.from != 0) {
            way.rows = way.innermost();
        }
        if way.is_backwards() {
            way.leaf = CopyKernel::Backwards;
        } else {
            way.straighten();
        }
        way
    }

    /// Chooses the kernel of a strided row of which the elements are in a small block, or adjacent along an axis around it; returns
    /// whether there is one.
    fn turn(&mut self) -> bool {
        let (size, row) = (self.size, self.row);
        let along = |turn: &CopyAxis| {
            turn.count >= MIN_RUN_ELEMENTS && turn.from.unsigned_abs() == size || is_interleaved(size, row, *turn)
        };
        let found = self.outer.iter().position(along);
        let is_merged = found.is_some_and(|at| is_interleaved(size, row, self.outer[at]));
        let is_few = !is_merged && (found.is_none() || row.count * size < PIECE_BYTES);
        if is_few && self.permute() {
            return true;
        }
        let Some(at) = found else { return false };
        self.rows = self.outer.remove(at);
        if is_merged || is_few {
            // Too few for a square: long rows of adjacent elements, merged or scattered.
            std::mem::swap(&mut self.row, &mut self.rows);
            self.leaf = if is_merged { CopyKernel::Interleaved } else { CopyKernel::Strided };
            return true;
        }
        self.leaf = CopyKernel::Transposed;
        if self.rows.from < 0 {
            self.start = self.rows.reverse();
        }
        true
    }

    /// Makes a small block of the row and the axes around it, if they are few enough; returns whether they are.
    fn permute(&mut self) -> bool {
        let mut count = self.row.count;
        let fits = |turn: &&CopyAxis| {
            count *= turn.count;
            count <= MAX_BLOCK_ELEMENTS
        };
        let taken = self.outer.iter().take_while(fits).count();
        // Rows of rows alone are one call of a kernel anyway.
        if taken == 0 || self.outer.len() == 1 || self.row.count >= MIN_RUN_ELEMENTS {
            return false;
        }
        let mut places = vec![0];
        for turn in self.outer.drain(..taken).rev().chain([self.row]) {
            places = places.iter().flat_map(|&at| (0..turn.count as isize).map(move |i| at + turn.from * i)).collect();
        }
        (self.leaf, self.row) = (CopyKernel::Permuted, CopyAxis::ONCE);
        // Blocks that repeat are copied as a whole, outside the kernel.
        self.rows =
            if self.outer.first().is_some_and(|turn| turn.from != 0) { self.innermost() } else { CopyAxis::ONCE };
        self.permutation = Permutation::new(self.size, places, self.rows);
        true
    }

    /// Says whether short rows are read backwards, each of them in vectors, or several in one.
    fn is_backwards(&self) -> bool {
        let bytes = self.row.count * self.size;
        let follow = self.rows.from == bytes as isize && self.rows.to == self.rows.from;
        self.leaf == CopyKernel::Strided
            && self.row.from == -(self.size as isize)
            && if bytes < PIECE_BYTES { follow && self.rows.count > 1 } else { bytes <= MAX_BACKWARDS_BYTES }
    }

    /// Says whether columns are a few cache lines each and far apart. The next ones are then best prefetched a few at a
    /// time, during other waits for memory. Longer or nearer columns were slower that way.
    pub(crate) fn has_short_columns(&self) -> bool {
        let bytes = self.rows.count * self.size;
        bytes <= MAX_SHORT_COLUMN_BYTES && self.row.from.unsigned_abs() >= 4 * bytes
    }

    /// Plans to scatter consecutive elements; the reverse of [`CopyPlan::pack`].
    pub(crate) fn unpack(size: usize, axes: &[Axis]) -> Self {
        let mut way = Self::along(size, axes, |count, stride, step| CopyAxis { count, from: step, to: stride });
        (way.row, way.rows) = (way.innermost(), way.innermost());
        if way.row.to != size as isize {
            way.leaf = CopyKernel::Strided;
        }
        way.straighten();
        way
    }

    /// Merges contiguous axes, and drops those of one element.
    fn along(size: usize, axes: &[Axis], turn: impl Fn(usize, isize, isize) -> CopyAxis) -> Self {
        let (mut outer, mut step): (Vec<CopyAxis>, _) = (Vec::with_capacity(axes.len()), size as isize);
        for &Axis { count, stride } in axes.iter().rev().filter(|axis| axis.count != 1) {
            let next = turn(count, stride, step);
            step *= count as isize;
            match outer.last_mut() {
                Some(CopyAxis { count: inside, from, to })
                    if (from.wrapping_mul(*inside as isize), to.wrapping_mul(*inside as isize))
                        == (next.from, next.to) =>
                {
                    *inside *= count;
                }
                _ => outer.push(next),
            }
        }
        if outer.is_empty() {
            outer.push(turn(1, size as isize, size as isize));
        }
        let (rows, row) = (CopyAxis::ONCE, CopyAxis::ONCE);
        Self {
            size,
            leaf: CopyKernel::Runs,
            rows,
            row,
            start: (0, 0),
            next: 0,
            second: false,
            outer,
            permutation: Permutation::default(),
            ahead: false,
            is_asked: false,
        }
    }

    /// Removes the innermost axis from those outside the kernel.
    fn innermost(&mut self) -> CopyAxis {
        if self.outer.is_empty() { CopyAxis::ONCE } else { self.outer.remove(0) }
    }

    /// Makes rows of strided elements as long as possible; a negative stride is cheaper in the source than in the
    /// destination.
    fn straighten(&mut self) {
        if self.leaf == CopyKernel::Strided && self.row.count < self.rows.count.min(MIN_RUN_ELEMENTS) {
            std::mem::swap(&mut self.row, &mut self.rows);
        }
        if self.leaf == CopyKernel::Strided && self.row.to < 0 {
            self.start = self.row.reverse();
        }
    }
}

/// The elements of a small block, in the order of the destination; and, where they are consecutive in the source, what puts
/// whole blocks in order in vectors of sixteen bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permutation {
    /// The bytes from the start of the block to each element.
    pub(crate) places: Vec<isize>,
    /// The blocks that are put in order together, or zero.
    pub(crate) together: usize,
    /// The bytes from the start of the block to the first of the source, and how many these blocks have there.
    pub(crate) first: isize,
    pub(crate) bytes: usize,
    /// For each piece of the destination, the bytes to take from each piece of the source.
    pub(crate) taken: Vec<[u8; PIECE_BYTES]>,
}

impl Permutation {
    /// Plans how blocks are put in order that follow one another as `rows` do.
    fn new(size: usize, places: Vec<isize>, rows: CopyAxis) -> Self {
        let own = places.len() * size;
        let first = places.iter().copied().min().unwrap_or(0);
        let mut sorted = places.clone();
        sorted.sort_unstable();
        let is_dense = sorted.windows(2).all(|pair| pair[0] + size as isize == pair[1]);
        let follow = (rows.from, rows.to) == (own as isize, own as isize);
        let together = if follow { rows.count.min(MAX_BLOCK_BYTES / own) } else { usize::from(own <= MAX_BLOCK_BYTES) };
        let bytes = own * together;
        if !is_dense || bytes < PIECE_BYTES || rows.count * own < MIN_PERMUTED_BYTES {
            return Self { places, ..Self::default() };
        }
        let pieces = bytes.div_ceil(PIECE_BYTES);
        let begin = |piece: usize| (piece * PIECE_BYTES).min(bytes - PIECE_BYTES);
        let mut taken = vec![[NO_BYTE; PIECE_BYTES]; pieces * pieces];
        for (to, k) in (0..pieces).flat_map(|to| (0..PIECE_BYTES).map(move |k| (to, k))) {
            let at = begin(to) + k;
            let (block, place) = (at / own, places[at % own / size] - first);
            let from = block * own + place as usize + at % size;
            let piece = (from / PIECE_BYTES).min(pieces - 1);
            taken[to * pieces + piece][k] = (from - begin(piece)) as u8;
        }
        Self { places, together, first, bytes, taken }
    }
}

/// Says whether two, four or eight rows of consecutive elements are merged. Each is at least a piece, and an element of each is
/// at most a piece together. Three are faster scattered: 2,000 times 3 rows of 64 f32 in 183 us, and merged in 350 (the runner,
/// AMD EPYC, Zen 4, AVX-512).
fn is_interleaved(size: usize, rows: CopyAxis, row: CopyAxis) -> bool {
    let (step, count) = (size as isize, rows.count);
    matches!(count, 2 | 4 | 8)
        && count * size <= PIECE_BYTES
        && row.count * size >= PIECE_BYTES
        && (row.from, row.to, rows.to) == (step, step * count as isize, step)
}

/// Says whether columns of adjacent elements are copied in squares, which they are if they are long enough to be read along
/// ([`CopyPlan::turn`]) and fill the side of the smallest square, a vector of one piece.
pub(crate) fn is_copied_in_squares(column: usize, size: usize) -> bool {
    column >= MIN_RUN_ELEMENTS.max(PIECE_BYTES / size)
}

/// Says whether elements that are adjacent in the source are repeated several at a time: a few times each, or in vectors.
pub(crate) fn is_repeated_in_vectors(times: usize, size: usize) -> bool {
    times < 5 || times <= MAX_SHUFFLED_REPEATS && times * size < 4 * PIECE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_choose_their_way() {
        let turn = |count, from, to| CopyAxis { count, from, to };
        let one = CopyAxis::ONCE;
        struct Case {
            about: &'static str,
            axes: &'static [(usize, isize)],
            leaf: CopyKernel,
            inside: [CopyAxis; 2],
            outer: &'static [usize],
        }
        #[rustfmt::skip]
        let cases = [
            Case { about: "nothing", axes: &[], leaf: CopyKernel::Runs, inside: [one, turn(1, 4, 4)], outer: &[] },
            Case { about: "one run", axes: &[(3, 20), (5, 4)], leaf: CopyKernel::Runs, inside: [one, turn(15, 4, 4)], outer: &[] },
            Case { about: "runs", axes: &[(3, 24), (5, 4)], leaf: CopyKernel::Runs, inside: [turn(3, 24, 20), turn(5, 4, 4)], outer: &[] },
            Case { about: "a pattern", axes: &[(9, 0), (5, 4)], leaf: CopyKernel::Runs, inside: [one, turn(5, 4, 4)], outer: &[9] },
            Case { about: "repeats", axes: &[(9, 4), (1, 7), (2, 0), (3, 0)], leaf: CopyKernel::Repeats(6), inside: [one, turn(9, 4, 24)], outer: &[] },
            Case { about: "one element", axes: &[(9, 0)], leaf: CopyKernel::Repeats(9), inside: [one, one], outer: &[] },
            Case { about: "transposed", axes: &[(9, 4), (7, 400)], leaf: CopyKernel::Transposed, inside: [turn(9, 4, 28), turn(7, 400, 4)], outer: &[] },
            Case { about: "far out", axes: &[(9, -4), (2, 9), (7, 99)], leaf: CopyKernel::Transposed, inside: [turn(9, 4, -56), turn(7, 99, 4)], outer: &[2] },
            Case { about: "planes", axes: &[(9, 4), (3, 400)], leaf: CopyKernel::Strided, inside: [turn(3, 400, 4), turn(9, 4, 12)], outer: &[] },
            Case { about: "pairs of planes", axes: &[(5, 800), (9, 4), (2, 400)], leaf: CopyKernel::Interleaved, inside: [turn(2, 400, 4), turn(9, 4, 8)], outer: &[5] },
            Case { about: "small squares", axes: &[(5, 64), (4, 4), (4, 16)], leaf: CopyKernel::Interleaved, inside: [turn(4, 16, 4), turn(4, 4, 16)], outer: &[5] },
            Case { about: "short planes", axes: &[(19, 24), (3, 4), (2, 12)], leaf: CopyKernel::Permuted, inside: [turn(19, 24, 24), one], outer: &[] },
            Case { about: "few short planes", axes: &[(8, 0), (9, 24), (3, 4), (2, 12)], leaf: CopyKernel::Permuted, inside: [one, one], outer: &[8] },
            Case { about: "far blocks", axes: &[(5, 900), (9, 90), (3, -8), (4, 24)], leaf: CopyKernel::Permuted, inside: [turn(9, 90, 48), one], outer: &[5] },
            Case { about: "large blocks", axes: &[(9, 300), (13, 4), (7, 900)], leaf: CopyKernel::Transposed, inside: [turn(13, 4, 28), turn(7, 900, 4)], outer: &[9] },
            Case { about: "planes backwards", axes: &[(9, -4), (2, 400)], leaf: CopyKernel::Strided, inside: [turn(2, 400, 4), turn(9, -4, 8)], outer: &[] },
            Case { about: "every second", axes: &[(9, 80), (10, 8)], leaf: CopyKernel::Strided, inside: [one, turn(90, 8, 4)], outer: &[] },
            Case { about: "pairs backwards", axes: &[(3, 72), (9, 8), (2, -4)], leaf: CopyKernel::Backwards, inside: [turn(27, 8, 8), turn(2, -4, 4)], outer: &[] },
            Case { about: "rows backwards", axes: &[(9, 80), (7, -4)], leaf: CopyKernel::Backwards, inside: [turn(9, 80, 28), turn(7, -4, 4)], outer: &[] },
            Case { about: "repeats backwards", axes: &[(9, 8), (2, -4), (3, 0)], leaf: CopyKernel::Repeats(3), inside: [turn(9, 8, 24), turn(2, -4, 12)], outer: &[] },
            Case { about: "backwards", axes: &[(9, 800), (99, -4)], leaf: CopyKernel::Strided, inside: [turn(9, 800, 396), turn(99, -4, 4)], outer: &[] },
            Case { about: "colours", axes: &[(9, 12), (3, -4)], leaf: CopyKernel::Backwards, inside: [turn(9, 12, 12), turn(3, -4, 4)], outer: &[] },
            Case { about: "colours of some", axes: &[(9, 24), (3, -4)], leaf: CopyKernel::Strided, inside: [turn(3, -4, 4), turn(9, 24, 12)], outer: &[] },
        ];
        for Case { about, axes, leaf, inside, outer } in cases {
            let axes: Vec<_> = axes.iter().map(|&(count, stride)| Axis { count, stride }).collect();
            let way = CopyPlan::pack(4, &axes);
            assert_eq!((way.leaf, [way.rows, way.row]), (leaf, inside), "{about}");
            assert_eq!(way.outer.iter().map(|turn| turn.count).collect::<Vec<_>>(), outer, "{about}");
        }
    }
}
