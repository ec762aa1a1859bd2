//! The numbers of a small result, as a grid.

use broadaxe_shape::Alignment;

use crate::{
    canvas::Canvas,
    order::Order,
    snippets::positions,
    svg::{CHARACTER, GAP, MARGIN, NOTE_HEIGHT},
    words::join,
};

/// The largest result that is shown.
const MAX_ELEMENTS: usize = 64;
const MAX_GRID_RANK: usize = 4;
const GRID_ROW: usize = 26;
const NARROWEST_CELL: usize = 34;
/// The widest row of blocks, in pixels.
const WIDEST_BLOCKS: usize = 560;

/// The elements of a result, with every operand filled 0, 1, 2, ... and added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Values {
    shape: Vec<usize>,
    /// The positions in the operands that each element is computed from.
    reads: Vec<Vec<u128>>,
    /// The element that the drawing traces.
    pub(super) traced: Option<usize>,
    /// The elements that another panel computes from others.
    pub(super) differing: Vec<bool>,
    /// Whether the axes are shown in the opposite order.
    order: Order,
}

impl Values {
    /// Returns the elements, if they are few.
    pub(super) fn of(alignment: &Alignment, order: Order) -> Option<Self> {
        let shape = alignment.shape().to_vec();
        let count = shape.iter().try_fold(1_usize, |all, &dim| all.checked_mul(dim))?;
        if shape.is_empty() || count == 0 || count > MAX_ELEMENTS || shape.len() > MAX_GRID_RANK {
            return None;
        }
        let reads = (0..count).map(|at| positions(alignment, at)).collect();
        Some(Self { shape, reads, traced: None, differing: vec![false; count], order })
    }

    /// Marks the elements that the panels do not all compute from the same elements.
    pub(super) fn mark(all: &mut [&mut Self]) {
        let Some(first) = all.first().map(|first| (*first).clone()) else { return };
        if all.iter().any(|one| one.shape != first.shape) {
            return;
        }
        for at in 0..first.reads.len() {
            let differs = all.iter().any(|one| one.reads[at] != first.reads[at]);
            for one in all.iter_mut() {
                one.differing[at] = differs;
            }
        }
    }

    pub(super) fn has_differing(&self) -> bool {
        self.differing.contains(&true)
    }

    /// Marks the element with this index.
    pub(super) fn trace(&mut self, element: &[usize]) {
        let flat = element.iter().zip(&self.shape).fold(0, |flat, (&at, &dim)| flat * dim + at);
        self.traced = (element.len() == self.shape.len() && flat < self.reads.len()).then_some(flat);
    }

    fn sum(&self, at: usize) -> String {
        self.reads[at].iter().sum::<u128>().to_string()
    }

    /// Writes the elements as nested lists, for those who do not see the grid.
    pub(super) fn words(&self) -> String {
        let mut words: Vec<String> = (0..self.reads.len()).map(|at| self.sum(at)).collect();
        for &dim in self.shape.iter().rev() {
            words = words.chunks(dim).map(|chunk| format!("[{}]", join(chunk, ", "))).collect();
        }
        format!("The elements of the result are {}.", words.concat())
    }

    /// Returns the rows and columns of a block, and how many blocks there are.
    fn blocks(&self) -> (usize, usize, usize) {
        let columns = self.shape.last().copied().unwrap_or(1);
        let rows = self.shape.iter().rev().nth(1).copied().unwrap_or(1);
        (rows, columns, self.reads.len() / (rows * columns))
    }

    fn cell(&self) -> usize {
        let widest = (0..self.reads.len()).map(|at| self.sum(at).len()).max().unwrap_or(1);
        (widest * CHARACTER + GAP).max(NARROWEST_CELL)
    }

    /// Draws the grid from this height down; returns its width and the height below it.
    pub(super) fn draw(&self, top: usize, canvas: &mut Canvas) -> (usize, usize) {
        let (rows, columns, count) = self.blocks();
        let (cell, is_deep) = (self.cell(), self.shape.len() > 2);
        let head = if is_deep { NOTE_HEIGHT } else { 0 };
        let width = (columns * cell + 2 * GAP).max(9 * CHARACTER);
        let in_row = (WIDEST_BLOCKS / width).clamp(1, count);
        canvas.label("n quiet", MARGIN, top + 14, "numbers of the result");
        let top = top + NOTE_HEIGHT;
        for block in 0..count {
            let (x, y) = (MARGIN + block % in_row * width, top + block / in_row * (head + rows * GRID_ROW + GAP));
            if is_deep {
                canvas.label("n quiet", x, y + 14, &self.block_index(block));
            }
            for at in 0..rows * columns {
                let place = (x + at % columns * cell, y + head + at / columns * GRID_ROW);
                self.element(block * rows * columns + at, place, cell, canvas);
            }
        }
        let lines = count.div_ceil(in_row);
        (MARGIN + in_row * width, top + lines * (head + rows * GRID_ROW + GAP))
    }

    /// Writes the index of a block along the axes in front of rows and columns: `(0, :, :)`.
    fn block_index(&self, block: usize) -> String {
        let (mut rest, mut index) = (block, Vec::new());
        for &dim in self.shape[..self.shape.len() - 2].iter().rev() {
            index.insert(0, (rest % dim).to_string());
            rest /= dim;
        }
        index.extend([":".to_owned(), ":".to_owned()]);
        self.order.shape(&index)
    }

    fn element(&self, at: usize, (x, y): (usize, usize), width: usize, canvas: &mut Canvas) {
        let differs = self.differing[at];
        let class = if differs { "result other s" } else { "result" };
        let stroke = if differs || self.traced == Some(at) { "2" } else { "1" };
        let (w, h) = (width - 3, GRID_ROW - 3);
        canvas.body += &format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"3\" stroke-width=\"{stroke}\"/>\n"
        );
        let class = if self.traced == Some(at) { "m b text" } else { "m text" };
        canvas.label(class, x + w / 2, y + 16, &self.sum(at));
    }
}
