//! Nests of loops: the access patterns of operands, and the division of a nest into units of work.
//!
//! A unit is a box of rows; a row is a piece of one loop and all loops inside it. Along a row, a dense or constant
//! operand is used in place; any other is packed, unless the loop reads its access pattern directly. The best box
//! depends on every operand: long rows where all of them can be used in place, many short rows in one call, a pattern
//! of short loops that is packed once and reused, or a block of two distant loops where one operand is transposed.
//! `priced` estimates the cost per element of each box and chooses the cheapest.

use crate::{
    isa::lane_blocks::LANE_BLOCK_ELEMENTS,
    machine::{CostTerm, Costs},
    measured::{
        MAX_GATHERED_STRIDE, MAX_REPEATS, MAX_STRIDE, MAX_UNIT_ELEMENTS, MAX_WIDENED_ELEMENTS, MIN_WIDENING_ROWS,
        PACKED_BLOCK_BYTES, PACKED_BYTES, RAGGED_ROWS, ROWS_ACROSS, RUNS_OF_DOUBLING,
    },
    pack::{is_copied_in_squares, is_repeated_in_vectors},
    tile::{MIN_GROUP_BYTES, chain::CHAIN_GROUP_ELEMENTS},
};

/// The loops that a program runs in, outermost first, with strides in bytes; a stride of 0 repeats an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    /// The extents.
    pub dims: Vec<usize>,
    /// The strides of the result.
    pub output: Vec<isize>,
    /// The strides of each input.
    pub inputs: Vec<Vec<isize>>,
}

/// Returns the first and the last byte offset that a nest reaches, the last exclusive; `None` if they overflow an
/// address.
pub(crate) fn reach(dims: &[usize], strides: &[isize], size: usize) -> Option<(isize, isize)> {
    let (mut low, mut high) = (0_isize, isize::try_from(size).ok()?);
    for (&dim, &stride) in dims.iter().zip(strides) {
        let span = isize::try_from(dim.checked_sub(1)?).ok()?.checked_mul(stride)?;
        low = low.checked_add(span.min(0))?;
        high = high.checked_add(span.max(0))?;
    }
    Some((low, high))
}

/// The access pattern of an operand along a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessPattern {
    /// One element, repeated along the row.
    Constant,
    /// Contiguous elements.
    Dense,
    /// Contiguous elements, each repeated this often.
    Repeated(usize),
    /// Elements at this stride in elements, which may be negative.
    Strided(isize),
    /// Anything else.
    Irregular,
}

/// The access patterns other than dense and constant that a loop reads without packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectAccess {
    /// None.
    No,
    /// Repeated elements.
    Repeated,
    /// Repeated elements, and small strides.
    RepeatedOrStrided,
    /// Somewhat larger strides, of operands and of the result.
    Strided,
}

/// Returns the access pattern of an operand over these loops, for a loop with this direct access.
pub(crate) fn direct_access_pattern(
    loops: impl DoubleEndedIterator<Item = (usize, isize)> + Clone,
    size: usize,
    direct: DirectAccess,
) -> AccessPattern {
    let plain = access_pattern(loops.clone(), size);
    if plain != AccessPattern::Irregular || direct == DirectAccess::No {
        return plain;
    }
    let mut times = 1_usize;
    let mut moves = loops.rev().filter(|&(dim, _)| dim > 1).peekable();
    let first = moves.peek().map_or(0, |&(_, stride)| stride);
    let apart = first / size as isize;
    let most = if direct == DirectAccess::Strided { MAX_STRIDE } else { MAX_GATHERED_STRIDE };
    let can = direct != DirectAccess::Repeated && (-most..=most).contains(&apart);
    if can && first == apart * size as isize && follow(moves.clone(), first) {
        return AccessPattern::Strided(apart);
    }
    while let Some((dim, _)) = moves.next_if(|&(_, stride)| stride == 0) {
        times = times.saturating_mul(dim);
    }
    if direct != DirectAccess::Strided && times <= MAX_REPEATS && follow(moves, size as isize) {
        AccessPattern::Repeated(times)
    } else {
        AccessPattern::Irregular
    }
}

/// Says whether loops, innermost first, form one contiguous range that begins with this stride.
fn follow(mut loops: impl Iterator<Item = (usize, isize)>, mut expected: isize) -> bool {
    loops.all(|(dim, stride)| {
        let here = stride == expected;
        expected = expected.wrapping_mul(dim as isize);
        here
    })
}

/// Returns the access pattern of an operand over these loops.
pub(crate) fn access_pattern(
    loops: impl DoubleEndedIterator<Item = (usize, isize)> + Clone,
    size: usize,
) -> AccessPattern {
    let moves = loops.filter(|&(dim, _)| dim > 1);
    if moves.clone().all(|(_, stride)| stride == 0) {
        return AccessPattern::Constant;
    }
    let mut expected = size as isize;
    for (dim, stride) in moves.rev() {
        if stride != expected {
            return AccessPattern::Irregular;
        }
        expected *= dim as isize;
    }
    AccessPattern::Dense
}

/// The shape of a unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocking {
    /// The loop of which a row covers a piece.
    pub(crate) axis: usize,
    /// The rounds of that loop in a row.
    pub(crate) chunk: usize,
    /// The elements of the loops inside it.
    pub(crate) inner: usize,
    /// The loop along which the rows of a unit follow one another; `axis` if a unit has one row.
    pub(crate) across: usize,
    /// The rows of a unit.
    pub(crate) rows: usize,
}

impl Blocking {
    /// Lists the loops of a row with the operand's strides.
    pub(crate) fn row<'a>(
        &self,
        dims: &'a [usize],
        strides: &'a [isize],
    ) -> impl DoubleEndedIterator<Item = (usize, isize)> + Clone + 'a {
        let (axis, chunk) = (self.axis, self.chunk);
        let dim = move |at| if at == axis { chunk } else { dims[at] };
        (axis..dims.len()).map(move |at| (dim(at), strides[at]))
    }

    /// Counts the elements of a unit.
    pub(crate) fn elements(&self) -> usize {
        self.chunk * self.inner * self.rows
    }

    /// Returns the first loop outside the units, and the number of times it runs.
    fn next_outside(&self, dims: &[usize]) -> Option<(usize, usize)> {
        let pieces = dims[self.axis].div_ceil(self.chunk);
        if pieces > 1 {
            return Some((self.axis, pieces));
        }
        let rounds = dims[self.across].div_ceil(self.rows);
        if self.across != self.axis && rounds > 1 {
            return Some((self.across, rounds));
        }
        self.turning(dims)
    }

    /// Returns the loop whose rounds are whole consecutive units, and the number of times it runs.
    fn turning(&self, dims: &[usize]) -> Option<(usize, usize)> {
        let is_whole = self.chunk >= dims[self.axis] && (self.across == self.axis || self.rows >= dims[self.across]);
        let outside = || (0..self.axis).rev().find(|&at| at != self.across && dims[at] > 1);
        is_whole.then(outside)?.map(|at| (at, dims[at]))
    }
}

/// The properties of an operand that determine the choice of units.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'a> {
    pub(crate) strides: &'a [isize],
    pub(crate) size: usize,
    pub(crate) is_output: bool,
    /// The access patterns that the loop reads directly.
    pub(crate) direct: DirectAccess,
}

impl Layout<'_> {
    /// Returns the access pattern of the operand along a row of a unit.
    fn access_pattern(&self, dims: &[usize], cut: &Blocking) -> AccessPattern {
        let row = cut.row(dims, self.strides);
        direct_access_pattern(row, self.size, self.direct)
    }
}

/// A multiple of this many elements of any dtype is a whole number of cache lines.
const LINE_ALIGNED_ELEMENTS: usize = 64;

/// The bytes of a row without partial cache lines.
pub(crate) const WHOLE: usize = 128;

/// The properties of a program that, with its operands, determine the choice of units.
#[derive(Clone, Copy)]
pub(crate) struct Terms {
    /// The nanoseconds to start a unit.
    pub(crate) unit: f64,
    /// The nanoseconds to prepare a nest for several units.
    pub(crate) several: f64,
    /// The same if no operand is packed.
    pub(crate) several_in_place: f64,
    /// The nanoseconds to start and end a row.
    pub(crate) row: f64,
    /// The nanoseconds to compute an element of a row that is shorter than a group.
    pub(crate) single: f64,
    /// The nanoseconds to start and end a row of at least one group or lane block, in loops that compute those.
    pub(crate) row_of_groups: f64,
    /// The bytes of an element of the narrowest result of a step: a group has as many elements as fit into its bytes.
    pub(crate) narrowest: usize,
    /// The number of steps that compute lane blocks.
    pub(crate) lane_blocks: usize,
    /// Whether one call computes several units if none of their operands is packed.
    pub(crate) turns: bool,
    /// The fewest elements of a row.
    pub(crate) least: usize,
    /// The most elements of a unit.
    pub(crate) longest: usize,
    /// Whether the result is written with streaming stores.
    pub(crate) past: bool,
    /// The bytes of the shortest row with partial cache lines that is charged for them if the result is streamed: shorter rows
    /// are not streamed, which costs less than packing an operand to make one long row of all. `max(a, b)` of f64\[60000, 70\]
    /// and f64\[60000, 1\] needed 4.3 ms with a packed operand and streaming stores and 1.6 ms with neither, f64\[140000, 24\] 2.0
    /// and 1.3; the same of i32 0.9 and 0.65, 0.65 and 0.50; `max(a, b) * d` of i32 2.2 and 2.6, 1.3 and 1.8 (the runner, AMD EPYC,
    /// Zen 4, AVX-512).
    pub(crate) edged_bytes: usize,
    /// The bytes of packed operands of a unit that several units use.
    pub(crate) reused_bytes: usize,
    /// The nanoseconds to read a byte of a packed operand that several units use.
    pub(crate) reread: f64,
    /// Whether units follow one another in the order of the nest's elements.
    pub(crate) ordered: bool,
}

/// Chooses the unit with the lowest cost per element, and returns that cost, which is infinite if there is none.
pub(crate) fn priced(dims: &[usize], operands: &[Layout], terms: Terms) -> (f64, Blocking) {
    let last = dims.len() - 1;
    let mut best = (f64::INFINITY, Blocking { axis: last, chunk: 1, inner: 1, across: last, rows: 1 });
    let mut inner = 1_usize;
    for axis in (0..dims.len()).rev() {
        for across in (0..=axis).rev() {
            let transposed = || {
                operands.iter().any(|o| o.strides[across].unsigned_abs() == o.size && !is_dense_along(o, axis, dims))
            };
            // One row; adjacent whole rows; a block along a transposed operand.
            let forms = [across == axis, across + 1 == axis, across < axis && !terms.ordered && transposed()];
            for (form, _) in [Form::Row, Form::Rows, Form::Block].into_iter().zip(forms).filter(|(_, fits)| *fits) {
                let cut = size_up(dims, operands, (axis, inner, across), form, terms);
                if let Some(cut) = cut.filter(|cut| cut.chunk * cut.inner >= terms.least) {
                    let cost = cost(dims, operands, terms, &cut);
                    if cost < best.0 {
                        best = (cost, cut);
                    }
                }
            }
        }
        inner = inner.saturating_mul(dims[axis]);
        // A unit has whole inner loops, fewer for an expensive program.
        if inner > MAX_UNIT_ELEMENTS.min(8 * terms.longest) {
            break;
        }
    }
    best
}

fn is_dense_along(operand: &Layout, axis: usize, dims: &[usize]) -> bool {
    dims[axis] == 1 || operand.strides[axis] == 0 || operand.strides[axis] == operand.size as isize
}

/// The forms of a unit.
#[derive(Clone, Copy)]
enum Form {
    /// A piece of one row.
    Row,
    /// Consecutive whole rows.
    Rows,
    /// Pieces of rows, with as many rows as a few cache lines have elements.
    Block,
}

/// Returns the rows of a block of at most `limit` elements: twice as many if they are narrow and come from memory,
/// because a column of them would be one cache line.
fn across_rows(limit: usize, narrowest: usize, past: bool) -> usize {
    if past && narrowest <= 2 && limit >= 4 * ROWS_ACROSS * ROWS_ACROSS { 2 * ROWS_ACROSS } else { ROWS_ACROSS }
}

/// Chooses the extents of a unit of this form, if it exists.
fn size_up(
    dims: &[usize],
    operands: &[Layout],
    (axis, inner, across): (usize, usize, usize),
    form: Form,
    Terms { longest, past, reused_bytes, .. }: Terms,
) -> Option<Blocking> {
    let narrowest = operands.iter().map(|o| o.size).min().unwrap_or(1);
    let within = |limit: usize| {
        let most = limit / inner;
        // Each unit begins a cache line, unless it is so short that rounding down would cost too much.
        let whole =
            if most < 2 * LINE_ALIGNED_ELEMENTS { most } else { most / LINE_ALIGNED_ELEMENTS * LINE_ALIGNED_ELEMENTS };
        let chunk = if most >= dims[axis] { dims[axis] } else { whole.max(1) };
        let row = Blocking { axis, chunk, inner, across: axis, rows: 1 };
        match form {
            Form::Row => Some(row),
            Form::Rows => {
                let rows = (limit / (chunk * inner)).clamp(1, dims[across]);
                (chunk == dims[axis] && rows > 1).then_some(Blocking { across, rows, ..row })
            }
            Form::Block => {
                let rows = across_rows(limit, narrowest, past).min(dims[across]);
                let chunk = (limit / rows / inner).clamp(1, dims[axis]);
                // Pieces of whole cache lines of every operand, as streaming stores need.
                let piece = WHOLE / narrowest;
                let chunk = if chunk < piece || chunk == dims[axis] { chunk } else { chunk / piece * piece };
                (chunk > 1).then_some(Blocking { chunk, across, rows, ..row })
            }
        }
    };
    let cut = within(longest)?;
    let packed = || operands.iter().filter(|o| o.access_pattern(dims, &cut) == AccessPattern::Irregular);
    let room = match (form, cut.next_outside(dims)) {
        (Form::Block, _) if past => PACKED_BLOCK_BYTES,
        (Form::Row, Some((axis, _))) if packed().any(|o| o.strides[axis] == 0) => reused_bytes,
        _ => PACKED_BYTES,
    };
    room.checked_div(packed().map(|o| o.size).sum()).map_or(Some(cut), |most| within(most.min(longest)))
}

/// Estimates the cost of an element without its arithmetic.
fn cost(dims: &[usize], operands: &[Layout], terms: Terms, cut: &Blocking) -> f64 {
    let past = terms.past;
    let costs = Costs::here();
    let n = (cut.chunk * cut.inner) as f64;
    let row = of_row(terms, cut.chunk * cut.inner);
    let ragged = |o: &Layout| {
        let bytes = cut.chunk * cut.inner * o.size;
        o.is_output && bytes >= terms.edged_bytes && !bytes.is_multiple_of(WHOLE)
    };
    let edges = if past && operands.iter().any(ragged) { costs[CostTerm::Edges] } else { 0.0 };
    let is_packed = |o: &Layout| o.access_pattern(dims, cut) == AccessPattern::Irregular;
    let own_unit = of_unit(dims, terms, cut, operands.iter().any(is_packed));
    let own = own_unit + (row + edges) / n + of_lane_blocks(dims, operands, terms, cut);
    let packing = |operand: &Layout| {
        match operand.access_pattern(dims, cut) {
            AccessPattern::Constant | AccessPattern::Dense => return 0.0,
            AccessPattern::Repeated(times) => {
                let is_often = times >= CHAIN_GROUP_ELEMENTS;
                return costs[if is_often { CostTerm::RepeatedOften } else { CostTerm::Repeated }];
            }
            AccessPattern::Strided(apart) => return costs[CostTerm::StridedRead] * apart.unsigned_abs() as f64,
            AccessPattern::Irregular => {}
        }
        let cost = moving(dims, operand, cut) + costs[CostTerm::Pack] / cut.elements() as f64;
        match cut.next_outside(dims) {
            // Packed once, and reused as long as the next loop repeats it.
            Some((axis, times)) if operand.strides[axis] == 0 && !operand.is_output => {
                cost / times as f64 + terms.reread * operand.size as f64
            }
            _ => cost,
        }
    };
    own + operands.iter().map(packing).sum::<f64>()
}

/// Estimates the cost of an element's share in its unit, and in preparing the nest for several.
fn of_unit(dims: &[usize], terms: Terms, cut: &Blocking, packs: bool) -> f64 {
    let elements = cut.elements();
    let unit = match cut.turning(dims).filter(|_| terms.turns && !packs) {
        Some((_, times)) => {
            let most = times.min(MAX_UNIT_ELEMENTS / elements + 1) as f64;
            terms.unit / most + Costs::here()[CostTerm::Turn]
        }
        None => terms.unit,
    };
    let total = dims.iter().map(|&dim| dim as f64).product::<f64>();
    let several = if packs { terms.several } else { terms.several_in_place };
    let several = if (elements as f64) < total { several / total } else { 0.0 };
    unit / elements as f64 + several
}

/// Estimates the cost of starting and ending a row of `n` elements.
fn of_row(terms: Terms, n: usize) -> f64 {
    let group = if terms.lane_blocks > 0 { LANE_BLOCK_ELEMENTS } else { MIN_GROUP_BYTES / terms.narrowest };
    match n {
        _ if n < group => terms.row + terms.single * n as f64,
        _ if !n.is_multiple_of(group) => RAGGED_ROWS * terms.row_of_groups,
        _ => terms.row_of_groups,
    }
}

/// Estimates the change in the cost of an element if it is computed in lane blocks.
fn of_lane_blocks(dims: &[usize], operands: &[Layout], terms: Terms, cut: &Blocking) -> f64 {
    let n = cut.chunk * cut.inner;
    if terms.lane_blocks == 0 || n < LANE_BLOCK_ELEMENTS {
        return 0.0;
    }
    let costs = Costs::here();
    let twice = (n.next_multiple_of(LANE_BLOCK_ELEMENTS) - n) as f64 / n as f64;
    let shared = twice * costs[CostTerm::Shared] * terms.lane_blocks as f64;
    let stays =
        |o: &Layout| !o.is_output && o.strides[cut.across] == 0 && o.access_pattern(dims, cut) == AccessPattern::Dense;
    // An operand that is the same in every row is widened once.
    let widens = n <= MAX_WIDENED_ELEMENTS && cut.rows >= MIN_WIDENING_ROWS && operands.iter().any(stays);
    shared - if widens { costs[CostTerm::Widening] } else { 0.0 }
}

/// Estimates the cost of packing an element of an operand.
fn moving(dims: &[usize], operand: &Layout, cut: &Blocking) -> f64 {
    let costs = Costs::here();
    let moved = costs[CostTerm::Moved];
    let repeats = if cut.across != cut.axis && operand.strides[cut.across] == 0 { cut.rows as f64 } else { 1.0 };
    let mut loops = cut.row(dims, operand.strides).rev().filter(|&(dim, _)| dim > 1);
    let Some((run, stride)) = loops.next() else { return moved };
    if stride == 0 || stride == operand.size as isize {
        // A run that repeats is copied once, and then twice as much each time.
        let times: usize = loops.take_while(|&(_, outer)| outer == 0).map(|(dim, _)| dim).product();
        let runs = 1.0 + RUNS_OF_DOUBLING * f64::from(times.next_power_of_two().trailing_zeros());
        let of_run = moved + costs[CostTerm::Run] * runs / (run * times) as f64;
        let in_vectors = stride == 0 && is_repeated_in_vectors(run, operand.size);
        let by_bytes = costs[CostTerm::InVectors] * operand.size as f64;
        return if in_vectors { of_run.min(by_bytes) } else { of_run } / repeats;
    }
    // Elements that are adjacent along another loop of the unit are read along it, so that a cache line is read once for all of
    // them. `max(a, b)` of f32[3] and f32[11533, 3] transposed went from 36 to 13 us (the runner, AMD EPYC, Zen 4, AVX-512).
    let across = (cut.across != cut.axis).then(|| (cut.rows, operand.strides[cut.across]));
    let adjacent = |&(_, outer): &(usize, isize)| outer.unsigned_abs() == operand.size;
    let column = loops.chain(across).find(adjacent).map_or(1, |(dim, _)| dim);
    let shared = column.min(64 / operand.size);
    let far = if stride.unsigned_abs() >= 64 { costs[CostTerm::FarLine] / shared as f64 } else { 0.0 };
    let in_squares = is_copied_in_squares(column, operand.size);
    (costs[if in_squares { CostTerm::InSquare } else { CostTerm::Alone }] + far) / repeats
}

/// Says whether all elements that a nest reaches with these strides occupy different bytes.
pub(crate) fn apart(dims: &[usize], strides: &[isize], size: usize) -> bool {
    let moving = dims.iter().zip(strides).rev().filter(|&(&dim, _)| dim > 1);
    let axes = moving.map(|(&dim, &stride)| (stride.unsigned_abs(), dim));
    let step_over = |axes: &mut dyn Iterator<Item = (usize, usize)>| {
        let mut covered = size;
        for (stride, dim) in axes {
            if stride < covered {
                return false;
            }
            covered = covered.saturating_add(stride.saturating_mul(dim - 1));
        }
        true
    };
    // The strides almost always descend already, so that nothing needs to be sorted.
    step_over(&mut axes.clone()) || {
        let mut sorted: Vec<_> = axes.collect();
        sorted.sort_unstable();
        step_over(&mut sorted.into_iter())
    }
}

#[cfg(test)]
mod tests;
