//! Searches: the position of the largest or smallest element, the first one among equals. A NaN beats every number.
//!
//! Along a sequence, the lanes of a block are folded first, which is as fast as finding the largest element; only a
//! block with a new best element is searched. Across sequences, each row is compared with the best elements so far.

use std::ops::Range;

use super::{AT_ONCE, Band, Fold, Folder, block, for_blocks};
use crate::{
    isa::{Isa, LevelWork},
    measured::SEARCH_BLOCK_ELEMENTS,
    number::Number,
    tile::{self, Rows},
};

/// A fold that keeps one of its elements.
pub(crate) trait Keep: Fold<Acc = <Self as Fold>::In, In: Number> {
    /// Says whether a later element replaces an earlier one.
    fn beats(later: Self::In, earlier: Self::In) -> bool;
}

/// The state of a search with `L` lanes.
pub(crate) struct Search<F: Keep, const L: usize> {
    best: Vec<F::In>,
    /// The position of the best element in its sequence.
    at: Vec<i64>,
    /// The position of the next element.
    next: i64,
    /// Whether a best element exists.
    any: bool,
    /// The row of a band that has the best element, counted from 1; 0 if the best element is older.
    found: Vec<u32>,
}

impl<F: Keep, const L: usize> Search<F, L> {
    pub(crate) fn new() -> Self {
        Self { best: Vec::new(), at: Vec::new(), next: 0, any: false, found: Vec::new() }
    }

    /// Searches a row, block by block.
    #[inline(always)]
    fn row(&mut self, rows: &Rows<F::In>, row: usize) {
        let mut at = 0;
        while at < rows.count {
            let n = SEARCH_BLOCK_ELEMENTS.min(rows.count - at);
            let kept = block::<F, L, false>(rows, row, at, at + n);
            if !(self.any || at > 0) || F::beats(kept, self.best[row]) {
                self.best[row] = kept;
                self.at[row] = self.next + find(rows, row, at..at + n, kept) as i64;
            }
            at += n;
        }
    }

    /// Compares rows with the best elements so far.
    #[inline(always)]
    fn rows(&mut self, rows: &Rows<F::In>) {
        let mut row = 0;
        if !self.any {
            rows.zip::<1, _, _>(0, (&mut self.best, &mut self.found), |best, found, [x]| (*best, *found) = (x, 1));
            row = 1;
        }
        while rows.height - row >= AT_ONCE {
            self.compare::<AT_ONCE>(rows, row);
            row += AT_ONCE;
        }
        while row < rows.height {
            self.compare::<1>(rows, row);
            row += 1;
        }
        for (to, found) in self.at.iter_mut().zip(&mut self.found) {
            *to = if *found == 0 { *to } else { self.next + i64::from(*found) - 1 };
            *found = 0;
        }
    }
}

impl<F: Keep, const L: usize> Search<F, L> {
    #[inline(always)]
    fn compare<const K: usize>(&mut self, rows: &Rows<F::In>, row: usize) {
        let number = row as u32 + 1;
        rows.zip::<K, _, _>(row, (&mut self.best, &mut self.found), |best, found, x| {
            let (mut kept, mut at) = (*best, *found);
            for (k, &x) in x.iter().enumerate() {
                let beaten = F::beats(x, kept);
                kept = if beaten { x } else { kept };
                at = if beaten { number + k as u32 } else { at };
            }
            (*best, *found) = (kept, at);
        });
    }
}

/// Returns the first element in a range of a row that equals the one sought; a NaN matches any NaN.
#[inline(always)]
fn find<T: Number>(rows: &Rows<T>, row: usize, range: Range<usize>, kept: T) -> usize {
    let is_it = |x: T| (x == kept) | (x.is_nan() & kept.is_nan());
    let mut at = range.start;
    // Sixteen at a time without an early exit.
    while range.end - at >= 16 && !rows.read::<16>(row, at).into_iter().fold(false, |any, x| any | is_it(x)) {
        at += 16;
    }
    (at..range.end).find(|&i| is_it(rows.read::<1>(row, i)[0])).unwrap_or(at)
}

struct Look<'s, 'a, F: Keep, const L: usize> {
    search: &'s mut Search<F, L>,
    band: Band<'a>,
    across: bool,
    done: &'s mut bool,
}

impl<F: Keep, const L: usize> Look<'_, '_, F, L> {
    /// Searches rows across sequences, or along each sequence if `ALONG`.
    #[inline(always)]
    fn look<const ALONG: bool>(self) {
        let band = &self.band;
        let Some(rows) = Rows::new(band.input, band.at, [band.rows, band.count], band.pitch) else { return };
        if self.across {
            self.search.rows(&rows);
        } else if ALONG {
            for row in 0..rows.height {
                self.search.row(&rows, row);
            }
        }
        *self.done = self.across || ALONG;
    }
}

impl<F: Keep, const L: usize> LevelWork for Look<'_, '_, F, L> {
    #[inline(always)]
    fn work(self) {
        self.look::<true>();
    }

    /// Searches rows across sequences; other tasks use [`for_blocks`].
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn work_wide(self) {
        self.look::<false>();
    }
}

impl<F: Keep, const L: usize> Search<F, L> {
    fn look(&mut self, isa: Isa, band: Band, across: bool) -> bool {
        let mut done = false;
        // Row numbers have 32 bits.
        if u32::try_from(band.rows).is_ok_and(|rows| rows < u32::MAX) {
            let isa = if across { isa } else { for_blocks(isa) };
            isa.perform(Look { search: self, band, across, done: &mut done });
        }
        self.next += if across { band.rows } else { band.count } as i64;
        self.any = true;
        done
    }
}

impl<F: Keep, const L: usize> Folder for Search<F, L> {
    fn start(&mut self, width: usize, first: u64) {
        self.best.resize(width, F::NEUTRAL);
        self.at.resize(width, 0);
        self.found.resize(width, 0);
        (self.next, self.any) = (first as i64, false);
    }

    fn along(&mut self, isa: Isa, band: Band) -> bool {
        self.look(isa, band, false)
    }

    fn across(&mut self, isa: Isa, band: Band) -> bool {
        self.look(isa, band, true)
    }

    fn save(&mut self, to: &mut [u8]) {
        let (at, best) = to.split_at_mut(self.at.len() * size_of::<i64>());
        at.copy_from_slice(tile::bytes(&self.at));
        best[..size_of_val(&self.best[..])].copy_from_slice(tile::bytes(&self.best));
    }

    fn load(&mut self, _: Isa, from: &[u8]) {
        let width = self.at.len();
        let (at, best) = from.split_at(width * size_of::<i64>());
        let best = tile::elements::<F::In>(&best[..width * size_of::<F::In>()]);
        let (Some(at), Some(best)) = (tile::elements::<i64>(at), best) else { return };
        for i in 0..width {
            if !self.any || F::beats(best[i], self.best[i]) {
                (self.best[i], self.at[i]) = (best[i], at[i]);
            }
        }
        self.any = true;
    }

    fn finish(&mut self, to: &mut [u8]) {
        to.copy_from_slice(tile::bytes(&self.at));
    }

    fn saved_size(&self) -> usize {
        2 * size_of::<i64>()
    }
}
