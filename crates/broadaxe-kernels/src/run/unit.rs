//! The unit that a thread computes: where its operands are, and the packed copies of those that loops cannot read.

use std::ops::Range;

use super::walk::Walk;
use crate::{
    measured::LEAD_BYTES,
    pack::{Axis, CopyKernel, CopyPlan},
    schedule::{Body, PackedInput, Schedule},
    tile::{Buffer, CACHE_LINE_BYTES, prefetch_l2, strided_copy},
};

/// The operands of a unit.
pub(super) struct Unit<'a> {
    pub(super) plan: &'a Schedule,
    /// The address of each operand, or of its packed copy; the output last.
    pub(super) places: Vec<*mut u8>,
    /// The bytes between rows of each.
    pub(super) steps: Vec<isize>,
    /// The number of the output.
    pub(super) output: usize,
    scratch: Buffer,
    /// The contents of each pack.
    packed: Vec<Held>,
    /// The axes of the unit, for strided copies.
    axes: Vec<Axis>,
}

/// The contents of a pack.
struct Held {
    /// The address it was read from.
    from: *const u8,
    rows: usize,
    /// The elements of a row.
    n: usize,
    /// The plan by which it was packed, valid for this number of rows and elements.
    way: Option<CopyPlan>,
}

impl<'a> Unit<'a> {
    /// Makes room for the units of a walk. Returns `None` if there is no memory.
    pub(super) fn new(plan: &'a Schedule, walk: &Walk) -> Option<Self> {
        let held = |_: &PackedInput| Held { from: std::ptr::null(), rows: 0, n: 0, way: None };
        Some(Self {
            plan,
            places: walk.starts.clone(),
            steps: plan.operands.iter().map(|operand| operand.across(&plan.cut)).collect(),
            output: walk.starts.len() - 1,
            scratch: Buffer::zeroed(plan.scratch)?,
            packed: plan.packs.iter().map(held).collect(),
            axes: Vec::new(),
        })
    }

    /// Returns the address of an element of an operand.
    pub(super) fn place(&self, operand: usize, row: usize, at: usize) -> *mut u8 {
        self.places[operand].wrapping_offset(self.plan.operands[operand].moved(self.steps[operand], row, at))
    }

    /// Returns an address in the scratch memory.
    pub(super) fn scratch(&self, at: usize) -> *mut u8 {
        debug_assert!(at <= self.plan.scratch);
        self.scratch.base().wrapping_add(at)
    }

    /// Returns the axes of the unit with the strides of an operand.
    pub(super) fn axes(&mut self, operand: usize, rows: usize, n: usize) -> &[Axis] {
        let Schedule { operands, dims, cut, .. } = self.plan;
        self.axes.clear();
        self.axes.extend(operands[operand].axes(dims, cut, [rows, n]));
        &self.axes
    }

    /// Goes to the unit of a walk: packs the inputs that loops cannot read directly, unless they were packed for the unit
    /// before.
    pub(super) fn go(&mut self, walk: &Walk, rows: usize, n: usize) {
        self.places.copy_from_slice(&walk.starts);
        let margin = self.margin(walk);
        let n = n + margin;
        let plan = self.plan;
        for (number, &PackedInput { input, at, ahead }) in plan.packs.iter().enumerate() {
            let operand = &plan.operands[input];
            let back = operand.strides[plan.cut.axis] * margin as isize;
            let (rows, step) = operand.packed(&plan.cut, [rows, n]);
            let from = walk.starts[input].wrapping_offset(-back).cast_const();
            self.places[input] = self.scratch(at + margin * operand.size);
            let held = &mut self.packed[number];
            // A shorter row is the start of a longer one, but rows of another length are at other addresses.
            if held.from == from && (held.n == n || rows == 1 && held.n > n) && rows <= held.rows {
                continue;
            }
            self.steps[input] = step;
            let known = held.way.take().filter(|_| (held.rows, held.n) == (rows, n));
            let mut way = known.unwrap_or_else(|| {
                let packed = CopyPlan::pack(operand.size, self.axes(input, rows, n));
                CopyPlan { second: plan.prefetch.is_far, ahead, ..packed }
            });
            if way.leaf == CopyKernel::Transposed {
                way.next = walk.to_next(input) + back;
                way.is_asked = self.asks_columns() && way.outer.is_empty() && way.has_short_columns();
            }
            // SAFETY: the axes reach addresses of the input that `check` found inside its buffer; the scratch memory has room for the unit.
            unsafe { strided_copy(plan.isa, &way, from, self.scratch(at)) };
            self.packed[number] = Held { from, rows, n, way: Some(way) };
        }
    }

    /// Says whether columns of transposed inputs are prefetched while the rows of a unit before theirs are computed.
    fn asks_columns(&self) -> bool {
        let Schedule { body, cut, prefetch, .. } = self.plan;
        matches!(body, Body::Loop(_)) && cut.across != cut.axis && prefetch.is_far
    }

    /// Returns the number of elements before a unit that its rows may recompute: 0 if its rows begin cache lines, or if
    /// nothing precedes them.
    fn margin(&self, walk: &Walk) -> usize {
        let Body::Loop(own) = &self.plan.body else { return 0 };
        let output = self.output;
        let begins = (walk.starts[output].addr() | self.steps[output].unsigned_abs()).is_multiple_of(64);
        if begins || walk.rounds.last() == Some(&0) { 0 } else { own.margin }
    }

    /// Returns the number of rows by which inputs are prefetched: few, because memory delivers little at a time.
    pub(super) fn lead(&self, rows: usize, n: usize) -> usize {
        let widest = self.plan.prefetch.rows.iter().map(|&input| self.plan.operands[input].size).max();
        widest.map_or(rows, |size| (LEAD_BYTES / (n * size)).clamp(1, rows))
    }

    /// Prefetches rows of inputs; those after the last of the `rows` are the first rows of the next unit.
    pub(super) fn prefetch_rows(&self, walk: &Walk, asked: Range<usize>, rows: usize, n: usize) {
        for &input in &self.plan.prefetch.rows {
            let (bytes, to_next) = (n * self.plan.operands[input].size, walk.to_next(input));
            for row in asked.clone() {
                let (start, row) = if row < rows { (0, row) } else { (to_next, row - rows) };
                prefetch_l2(self.place(input, row, 0).wrapping_offset(start), bytes);
            }
        }
    }

    /// Prefetches elements of a strided input for the next unit, which packs them: `n` from the one at `[row, at]` on. Without it,
    /// memory waits while the loops compute: `max(a - b, c)` of i32\[2000, 4000\] with a reversed `b` needed 7.2 ms, and 5.5 with it, `(a - b) -
    /// c` of 2^22 i64 with every third element of `b` 10.4 and 9.7 (the runner, AMD EPYC, Zen 4, AVX-512).
    pub(super) fn prefetch_packed(&self, walk: &Walk, input: usize, [row, at]: [usize; 2], n: usize) {
        let held = self.plan.packs.iter().zip(&self.packed).find(|(pack, _)| pack.input == input);
        let Some(way) = held.and_then(|(_, held)| held.way.as_ref()) else { return };
        let apart = way.row.from.unsigned_abs();
        let is_row = way.leaf == CopyKernel::Strided && way.rows.count == 1 && way.outer.is_empty();
        if is_row && apart <= CACHE_LINE_BYTES {
            let next = walk.starts[input].wrapping_offset(walk.to_next(input));
            let first = self.plan.operands[input].moved(self.steps[input], row, at) / way.size as isize;
            let lowest = if way.row.from < 0 { first + n as isize - 1 } else { first };
            prefetch_l2(next.wrapping_offset(way.row.from.wrapping_mul(lowest)), n * apart);
        }
    }

    /// Prefetches columns of transposed inputs for the start of the next unit.
    pub(super) fn prefetch_columns(&self, walk: &Walk, asked: Range<usize>, rows: usize) {
        for (&PackedInput { input, .. }, held) in self.plan.packs.iter().zip(&self.packed) {
            let Some(way) = held.way.as_ref().filter(|way| way.is_asked) else { continue };
            let next = walk.starts[input].wrapping_offset(walk.to_next(input) + way.start.0);
            for column in asked.clone() {
                prefetch_l2(next.wrapping_offset(way.row.from * column as isize), rows * way.size);
            }
        }
    }
}
