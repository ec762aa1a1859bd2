//! Folds many elements to one, with the same bits for every memory layout and every number of threads.
//!
//! The elements of one result form a sequence, and the tree that folds it depends on its length alone. The sequence is
//! divided into blocks of 16 times `L` elements. In a block, element `i` belongs to lane `i % L`. Each lane is folded
//! from its first element to its last, and then the lanes are joined in halves: lane `l` with `l + L/2`, then with `l +
//! L/4`, and so on. Block results are joined like the digits of a binary counter: two neighbours, two pairs of
//! neighbours, and so on; what remains at the end is joined from the latest backwards. So a float passes through at
//! most 16 additions in a lane, and one for each doubling after that.
//!
//! There are two ways to walk that tree. [`Folder::along`] reads contiguous elements of one sequence, with the lanes of
//! a vector. [`Folder::across`] reads rows with one element of each of many sequences; it has `L` rows of lanes, and
//! joins whole rows. The number of sequences and their division among calls do not matter: the state is kept between
//! calls, and a run of whole blocks whose count is a power of two is a subtree that another thread may compute
//! ([`Folder::save`], [`Folder::load`]).

pub(crate) mod search;
pub(crate) mod kinds;

use crate::{
    dtype::Element,
    isa::{Isa, Level, LevelWork},
    tile::{self, Input, Rows},
};

/// The elements of a lane in a block.
const LANE_ELEMENTS: usize = 16;

/// The rows that are joined at a time, so that the lanes are read and written once for all of them.
const AT_ONCE: usize = 8;

/// The blocks of one sequence that are joined at a time.
const GROUPED: usize = 4;

/// The most elements of a block. Every block has a power of two of elements, at most this.
pub(crate) const LARGEST_BLOCK: usize = 16 * 64;

/// How elements are folded; `join` need not be associative.
pub(crate) trait Fold: 'static {
    /// What is folded.
    type In: Element;
    /// What they are folded in.
    type Acc: Element;
    /// The neutral element: joining it from either side does not change a value.
    const NEUTRAL: Self::Acc;
    /// Whether [`Fold::chain`] is faster than one join after the other, where the lanes of a block are in registers.
    const CHAINS: bool = false;
    /// Widens one element.
    fn take(x: Self::In) -> Self::Acc;
    /// Joins an earlier part with a later one.
    fn join(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// Joins elements one after the other to what came before them.
    #[inline(always)]
    fn chain<const K: usize>(before: Self::Acc, x: [Self::In; K]) -> Self::Acc {
        x.into_iter().fold(before, |a, x| Self::join(a, Self::take(x)))
    }
    /// Makes a result of what has been folded.
    fn done(a: Self::Acc) -> Self::Acc;
}

/// Rows of an input: the first one, their elements, their number and the bytes between them.
#[derive(Clone, Copy)]
pub(crate) struct Band<'a> {
    pub(crate) input: Input<'a>,
    pub(crate) at: isize,
    pub(crate) rows: usize,
    pub(crate) count: usize,
    pub(crate) pitch: isize,
}

/// The state of a fold, or of a search, over several sequences.
pub(crate) trait Folder: Send {
    /// Resets the state to `width` sequences, whose next element has the number `first`.
    fn start(&mut self, width: usize, first: u64);
    /// Reads the next elements of one sequence, or all elements of every sequence, one row each. Returns whether they
    /// could be read.
    #[must_use]
    fn along(&mut self, isa: Isa, band: Band) -> bool;
    /// Reads the next element of every sequence, once for each row. Returns whether they could be read.
    #[must_use]
    fn across(&mut self, isa: Isa, band: Band) -> bool;
    /// Writes the state since the start for [`Folder::load`], and ends the fold.
    fn save(&mut self, to: &mut [u8]);
    /// Joins a saved state, which covers the elements that come next.
    fn load(&mut self, isa: Isa, from: &[u8]);
    /// Writes one result for each sequence, and ends the fold.
    fn finish(&mut self, to: &mut [u8]);
    /// Returns the bytes that [`Folder::save`] writes for each sequence.
    fn saved_size(&self) -> usize;
}

/// The state of a fold with `L` lanes over several sequences, row by row.
pub(crate) struct FoldLanes<F: Fold, const L: usize> {
    width: usize,
    /// The lanes of the current block, each a row of `width`.
    rows: Vec<F::Acc>,
    /// The elements of the current block so far, less than a block.
    pos: usize,
    /// The number of finished blocks.
    blocks: u64,
    /// Results of 1, 2, 4, ... blocks, each a row of `width`. A level is valid if its bit in `blocks` is set.
    levels: Vec<Vec<F::Acc>>,
}

impl<F: Fold, const L: usize> FoldLanes<F, L> {
    pub(crate) const BLOCK: usize = {
        assert!(L.is_power_of_two() && LANE_ELEMENTS * L <= LARGEST_BLOCK);
        LANE_ELEMENTS * L
    };

    pub(crate) fn new() -> Self {
        Self { width: 0, rows: Vec::new(), pos: 0, blocks: 0, levels: Vec::new() }
    }

    #[inline(always)]
    pub(crate) fn start(&mut self, width: usize) {
        if self.width != width {
            self.rows.resize(width * L, F::NEUTRAL);
            self.width = width;
        }
        (self.pos, self.blocks) = (0, 0);
    }

    /// Reads rows of one element for each sequence, and returns whether they could be read. A single sequence is read
    /// in whole `BLOCKS` where possible.
    ///
    /// Rows without gaps between them form long rows of all lanes.
    #[inline(always)]
    pub(crate) fn take<const BLOCKS: bool>(&mut self, band: &Band) -> bool {
        let size = self.width * size_of::<F::In>();
        let dense = band.pitch == size as isize;
        let mut row = 0;
        while row < band.rows {
            let lane = self.pos % L;
            let left = (band.rows - row).min(Self::BLOCK - self.pos);
            // Whole blocks of one sequence keep their lanes in registers and read memory in order: joined as rows, data
            // larger than the caches was measured to be 3 to 7 times slower. Bytes that are summed in 64 bits are the
            // exception, because a few rows at a time are summed in a narrower type.
            let slim = size_of::<F::Acc>() <= 4 * size_of::<F::In>();
            let mut blocks = 1;
            if BLOCKS && slim && self.width == 1 && dense && left == Self::BLOCK {
                let is_group = self.blocks.is_multiple_of(GROUPED as u64) && band.rows - row >= GROUPED * left;
                blocks = if is_group { GROUPED } else { 1 };
                let at = band.at + row as isize * band.pitch;
                let Some(rows) = Rows::new(band.input, at, [1, blocks * left], 0) else { return false };
                self.rows[0] = subtree::<F, L>(&rows, left, is_group);
                row += blocks * left;
            } else {
                // From the first lane on, all complete rounds; otherwise the rest of a round.
                let (rounds, lanes) = if lane == 0 && left >= L { (left / L, L) } else { (1, left.min(L - lane)) };
                let (times, together) = if dense { (1, lanes) } else { (lanes, 1) };
                for l in 0..times {
                    let at = band.at + (row + l) as isize * band.pitch;
                    let shape = [rounds, together * self.width];
                    let Some(rows) = Rows::new(band.input, at, shape, band.pitch * L as isize) else { return false };
                    self.join(&rows, lane + l);
                }
                row += rounds * lanes;
                self.pos += rounds * lanes;
                if self.pos < Self::BLOCK {
                    continue;
                }
                self.close();
            }
            self.push(blocks as u64);
        }
        true
    }

    /// Joins consecutive rows into the lanes from this one on.
    #[inline(always)]
    fn join(&mut self, rows: &Rows<F::In>, lane: usize) {
        let places = &mut self.rows[lane * self.width..][..rows.count];
        let mut row = 0;
        if self.pos < L {
            row = if rows.height >= AT_ONCE {
                zip::<F, AT_ONCE>(rows, 0, places, |place, x| *place = F::chain(F::NEUTRAL, x));
                AT_ONCE
            } else {
                zip::<F, 1>(rows, 0, places, |place, [x]| *place = F::take(x));
                1
            };
        }
        while rows.height - row >= AT_ONCE {
            zip::<F, AT_ONCE>(rows, row, places, |place, x| *place = F::chain(*place, x));
            row += AT_ONCE;
        }
        while row < rows.height {
            zip::<F, 1>(rows, row, places, |place, x| *place = F::chain(*place, x));
            row += 1;
        }
    }

    /// Joins the lanes of the current block into the first lane, and ends the block.
    #[inline(always)]
    fn close(&mut self) {
        let (mut filled, mut half) = (self.pos.min(L), L / 2);
        while half > 0 {
            if filled > half {
                let (low, high) = self.rows.split_at_mut(half * self.width);
                join_into::<F>(low, &high[..(filled - half) * self.width]);
                filled = half;
            }
            half /= 2;
        }
        self.pos = 0;
    }

    /// Counts a block whose results are in the first lane, or a power of two of them which begins at a multiple of it.
    #[inline(always)]
    fn push(&mut self, count: u64) {
        let first = count.trailing_zeros() as usize;
        let level = first + (self.blocks >> first).trailing_ones() as usize;
        let carry = &mut self.rows[..self.width];
        for below in self.levels.iter().take(level).skip(first) {
            join_after::<F>(below, carry);
        }
        while level >= self.levels.len() {
            self.levels.push(Vec::new());
        }
        self.levels[level].clear();
        self.levels[level].extend_from_slice(carry);
        self.blocks += count;
    }

    /// Joins everything so far into the first lane, and resets the state.
    #[inline(always)]
    pub(crate) fn total(&mut self) -> &mut [F::Acc] {
        if self.pos > 0 {
            self.close();
            self.push(1);
        }
        let carry = &mut self.rows[..self.width];
        carry.fill(F::NEUTRAL);
        for (level, below) in self.levels.iter().enumerate() {
            if self.blocks >> level & 1 == 1 {
                join_after::<F>(below, carry);
            }
        }
        self.blocks = 0;
        carry
    }

    /// As [`FoldLanes::total`], out of line for calls that happen once for all sequences.
    #[inline(never)]
    fn end(&mut self) -> &mut [F::Acc] {
        self.total()
    }
}

/// Updates the accumulator of each column with its elements in `K` rows from this one on.
#[inline(always)]
fn zip<F: Fold, const K: usize>(
    rows: &Rows<F::In>,
    row: usize,
    places: &mut [F::Acc],
    change: impl Fn(&mut F::Acc, [F::In; K]),
) {
    let mut nothing = vec![(); places.len()];
    rows.zip::<K, _, _>(row, (places, &mut nothing), |place, (), x| change(place, x));
}

/// Joins later parts to earlier ones.
#[inline(always)]
fn join_into<F: Fold>(earlier: &mut [F::Acc], later: &[F::Acc]) {
    earlier.iter_mut().zip(later).for_each(|(a, b)| *a = F::join(*a, *b));
}

/// Joins earlier parts to later ones.
#[inline(always)]
fn join_after<F: Fold>(earlier: &[F::Acc], later: &mut [F::Acc]) {
    earlier.iter().zip(later).for_each(|(a, b)| *b = F::join(*a, *b));
}

/// Folds a block, or a group of them.
#[inline(always)]
fn subtree<F: Fold, const L: usize>(rows: &Rows<F::In>, size: usize, is_group: bool) -> F::Acc {
    let part = |k: usize| block::<F, L, true>(rows, 0, k * size, (k + 1) * size);
    if !is_group {
        return part(0);
    }
    const { assert!(GROUPED == 4) }
    F::join(F::join(part(0), part(1)), F::join(part(2), part(3)))
}

/// Folds elements of a row, at most a block.
#[inline(always)]
pub(crate) fn block<F: Fold, const L: usize, const CHAINS: bool>(
    rows: &Rows<F::In>,
    row: usize,
    from: usize,
    to: usize,
) -> F::Acc {
    let mut lanes = [F::NEUTRAL; L];
    let mut at = from;
    while CHAINS && F::CHAINS && to - at >= 4 * L {
        let [x, y, z, w] = [0, 1, 2, 3].map(|k| rows.read::<L>(row, at + k * L));
        (0..L).for_each(|l| lanes[l] = F::chain(lanes[l], [x[l], y[l], z[l], w[l]]));
        at += 4 * L;
    }
    while to - at >= L {
        let x = rows.read::<L>(row, at);
        for l in 0..L {
            lanes[l] = F::join(lanes[l], F::take(x[l]));
        }
        at += L;
    }
    if at < to {
        let mut rest = [F::NEUTRAL; L];
        (at..to).for_each(|i| rest[i - at] = F::take(rows.read::<1>(row, i)[0]));
        (0..L).for_each(|l| lanes[l] = F::join(lanes[l], rest[l]));
    }
    // Each half has a loop of its own: a single loop would keep the lanes in memory.
    if L >= 64 {
        halve::<F, L, 32>(&mut lanes);
    }
    if L >= 32 {
        halve::<F, L, 16>(&mut lanes);
    }
    halve::<F, L, 8>(&mut lanes);
    halve::<F, L, 4>(&mut lanes);
    halve::<F, L, 2>(&mut lanes);
    halve::<F, L, 1>(&mut lanes);
    lanes[0]
}

/// Returns the level for [`block`], at most AVX2: with longer vectors the compiler assembles lanes one by one, and rows
/// of 64 elements were measured to be 1.2 to 4 times slower.
pub(crate) fn for_blocks(isa: Isa) -> Isa {
    if isa.level() == Level::Avx512 { Isa::of(Level::Avx2).unwrap_or(isa) } else { isa }
}

#[inline(always)]
fn halve<F: Fold, const L: usize, const HALF: usize>(lanes: &mut [F::Acc; L]) {
    for l in 0..HALF {
        lanes[l] = F::join(lanes[l], lanes[l + HALF]);
    }
}

/// A fold with `L` lanes.
pub(crate) struct Tree<F: Fold, const L: usize> {
    all: FoldLanes<F, L>,
    /// One of several sequences that are read whole.
    one: FoldLanes<F, L>,
}

/// A task that runs with the instructions of a level.
#[derive(Clone, Copy)]
enum Task<'a> {
    Along(Band<'a>),
    Across(Band<'a>),
    Push,
}

struct LevelTask<'t, 'a, F: Fold, const L: usize> {
    tree: &'t mut Tree<F, L>,
    task: Task<'a>,
    done: &'t mut bool,
}

impl<F: Fold, const L: usize> LevelWork for LevelTask<'_, '_, F, L> {
    #[inline(always)]
    fn work(self) {
        let Tree { all, one } = self.tree;
        let taken = match self.task {
            Task::Push => None,
            Task::Along(band) => Some((band, true)),
            Task::Across(band) => Some((band, false)),
        };
        // Whether block results, one for each sequence, are in the first lane.
        let mut ready = true;
        if let Some((band, along)) = taken {
            ready = along && all.width > 1;
            if ready && band.count <= FoldLanes::<F, L>::BLOCK {
                let Some(rows) = Rows::new(band.input, band.at, [band.rows, band.count], band.pitch) else { return };
                for (row, to) in all.rows.iter_mut().enumerate().take(rows.height) {
                    *to = block::<F, L, true>(&rows, row, 0, rows.count);
                }
            } else {
                // Adjacent elements of a sequence form rows of one element.
                let size = size_of::<F::In>() as isize;
                for row in 0..if along { band.rows } else { 1 } {
                    let at = band.at + row as isize * band.pitch;
                    let band = if along { Band { at, rows: band.count, count: 1, pitch: size, ..band } } else { band };
                    if ready {
                        one.start(1);
                    }
                    if !(if ready { &mut *one } else { &mut *all }).take::<true>(&band) {
                        return;
                    }
                    if ready {
                        all.rows[row] = one.total()[0];
                    }
                }
            }
        }
        // One call for all of these, because its long code is repeated for every kind, dtype and level.
        if ready {
            all.push(1);
        }
        *self.done = true;
    }
    /// Folds rows across several sequences. Other tasks use [`for_blocks`].
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn work_wide(self) {
        if let Task::Across(band) = self.task {
            *self.done = self.tree.all.take::<false>(&band);
        }
    }
}

impl<F: Fold, const L: usize> Tree<F, L> {
    pub(crate) fn new() -> Self {
        Self { all: FoldLanes::new(), one: FoldLanes::new() }
    }

    fn feed(&mut self, isa: Isa, task: Task) -> bool {
        let mut done = false;
        isa.perform(LevelTask { tree: self, task, done: &mut done });
        done
    }
}

impl<F: Fold, const L: usize> Folder for Tree<F, L> {
    fn start(&mut self, width: usize, _: u64) {
        self.all.start(width);
    }

    fn along(&mut self, isa: Isa, band: Band) -> bool {
        self.feed(for_blocks(isa), Task::Along(band))
    }

    fn across(&mut self, isa: Isa, band: Band) -> bool {
        let isa = if self.all.width == 1 { for_blocks(isa) } else { isa };
        self.feed(isa, Task::Across(band))
    }

    fn save(&mut self, to: &mut [u8]) {
        to.copy_from_slice(tile::bytes(self.all.end()));
    }

    fn load(&mut self, isa: Isa, from: &[u8]) {
        if let Some(part) = tile::elements::<F::Acc>(from) {
            self.all.rows[..part.len()].copy_from_slice(part);
            self.feed(for_blocks(isa), Task::Push);
        }
    }

    fn finish(&mut self, to: &mut [u8]) {
        let results = self.all.end();
        for result in results.iter_mut() {
            *result = F::done(*result);
        }
        to.copy_from_slice(tile::bytes(results));
    }

    fn saved_size(&self) -> usize {
        size_of::<F::Acc>()
    }
}
