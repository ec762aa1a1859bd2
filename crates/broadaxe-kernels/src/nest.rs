//! Nests of loops: how operands lie over them, and how they are cut into units of work.
//!
//! A unit is a box: a number of rows, each of them a piece of one loop and everything inside that. In a row, an operand that is
//! dense or constant is used in place; any other is packed, unless the loop brings its elements together itself. Which box is best
//! depends on every operand: long rows where all of them can be used in place, many short rows in one call, a pattern of short loops
//! packed once and used again, a block of two far loops where one operand is transposed. `cut` estimates what each box costs per
//! element and takes the cheapest.

use crate::{
    loops::{LANE_BLOCK_ELEMENTS, MAX_WIDENED_ELEMENTS, MIN_WIDENING_ROWS},
    tile::{MIN_GROUP_BYTES, chain::CHAIN_GROUP_ELEMENTS},
};

/// The loops that a program runs in, the outermost first; strides in bytes, 0 where an operand repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    /// The extents.
    pub dims: Vec<usize>,
    /// The strides of the result.
    pub output: Vec<isize>,
    /// The strides of each input.
    pub inputs: Vec<Vec<isize>>,
}

/// Returns the first and the last byte offset that a nest reaches, the last exclusive; `None` where an address cannot count them.
pub(crate) fn reach(dims: &[usize], strides: &[isize], size: usize) -> Option<(isize, isize)> {
    let (mut low, mut high) = (0_isize, isize::try_from(size).ok()?);
    for (&dim, &stride) in dims.iter().zip(strides) {
        let span = isize::try_from(dim.checked_sub(1)?).ok()?.checked_mul(stride)?;
        low = low.checked_add(span.min(0))?;
        high = high.checked_add(span.max(0))?;
    }
    Some((low, high))
}

/// How an operand lies over a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessPattern {
    /// One element stands for all.
    Constant,
    /// The elements lie one after the other.
    Dense,
    /// The elements lie one after the other, and each stands for so many.
    Repeated(usize),
    /// The elements lie so many of them apart, backwards where that is negative.
    Strided(isize),
    /// Anything else.
    Irregular,
}

/// The most times that an element may stand for to be repeated on the way into a loop.
const TIMES: usize = 4096;

/// The most elements that those of an operand may lie apart to be brought together on the way into a loop.
const MOST_APART: isize = 4;

/// The most elements that those lie apart which are taken one by one: those of a line of the cache.
const MOST_SINGLE: isize = 8;

/// What a loop can do with elements of an operand that are neither dense nor one: those need not be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectAccess {
    /// Nothing.
    No,
    /// It can repeat each.
    Repeated,
    /// It can repeat each, or bring those together that lie a few elements apart.
    RepeatedOrStrided,
    /// It can take those that lie a few more elements apart, and results too.
    Strided,
}

/// Says how an operand lies over these loops, for a loop that can do so much with it.
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
    let most = if direct == DirectAccess::Strided { MOST_SINGLE } else { MOST_APART };
    let can = direct != DirectAccess::Repeated && (-most..=most).contains(&apart);
    if can && first == apart * size as isize && follow(moves.clone(), first) {
        return AccessPattern::Strided(apart);
    }
    while let Some((dim, _)) = moves.next_if(|&(_, stride)| stride == 0) {
        times = times.saturating_mul(dim);
    }
    if direct != DirectAccess::Strided && times <= TIMES && follow(moves, size as isize) {
        AccessPattern::Repeated(times)
    } else {
        AccessPattern::Irregular
    }
}

/// Says whether loops, the innermost first, follow on from one another, beginning with this stride.
fn follow(mut loops: impl Iterator<Item = (usize, isize)>, mut expected: isize) -> bool {
    loops.all(|(dim, stride)| {
        let here = stride == expected;
        expected = expected.wrapping_mul(dim as isize);
        here
    })
}

/// Says how an operand lies over these loops.
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

/// The unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocking {
    /// The loop of which a row takes a piece.
    pub(crate) axis: usize,
    /// The rounds of that loop in a piece.
    pub(crate) chunk: usize,
    /// The elements of the loops after it.
    pub(crate) inner: usize,
    /// The loop that the rows of a unit follow; `axis` where a unit has one row.
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

    /// Returns the loop that runs next outside the units, and the times it runs.
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

    /// Returns the loop whose rounds are whole units that follow one another, and the times it runs.
    fn turning(&self, dims: &[usize]) -> Option<(usize, usize)> {
        let is_whole = self.chunk >= dims[self.axis] && (self.across == self.axis || self.rows >= dims[self.across]);
        let outside = || (0..self.axis).rev().find(|&at| at != self.across && dims[at] > 1);
        is_whole.then(outside)?.map(|at| (at, dims[at]))
    }
}

/// An operand, as far as the choice of units depends on it.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'a> {
    pub(crate) strides: &'a [isize],
    pub(crate) size: usize,
    pub(crate) is_output: bool,
    /// What the loop can do with its elements.
    pub(crate) direct: DirectAccess,
}

impl Layout<'_> {
    /// Says how the operand lies over a row of a unit.
    fn access_pattern(&self, dims: &[usize], cut: &Blocking) -> AccessPattern {
        let row = cut.row(dims, self.strides);
        direct_access_pattern(row, self.size, self.direct)
    }
}

/// The most elements of a unit; bounds the time to an answer when asked to stop.
pub(crate) const MAX_UNIT_ELEMENTS: usize = 1 << 15;

/// The bytes of packed operands that stay in the first-level cache beside the others.
pub(crate) const PACKED: usize = 20 << 10;

/// The bytes of those of a block where the others come from memory: their lines are used once, and need not stay.
const PACKED_BLOCK: usize = 32 << 10;

/// The elements in so many of which there are whole lines of the cache, whatever their size.
const LINE_ALIGNED_ELEMENTS: usize = 64;

/// The rows of a unit that follows a transposed operand: some lines of the cache of it.
const ACROSS: usize = 64;

// What things cost, in nanoseconds on a CPU of some 3.5 GHz; only their proportions matter.
/// Placing a unit and calling for it.
const UNIT: f64 = 15.0;
/// Going on from a unit to the next within a call.
const TURN: f64 = 1.0;
/// Beginning and ending a row in a loop.
pub(crate) const ROW: f64 = 3.0;
/// The same in a loop that takes short rows by groups, for a row that has one.
pub(crate) const ROW_OF_GROUPS: f64 = 0.8;
/// The same in a loop over f16 or bf16, which copies what is less than it computes at a time.
pub(crate) const ROW_OF_HALVES: f64 = 8.0;
/// The same in one that computes a lot at a time, for a row that has one.
pub(crate) const ROW_OF_LOTS: f64 = 0.5;
/// Computing again an element that the last two lots of a row share.
const SHARED: f64 = 0.03;
/// Widening an element of f16 or bf16.
const WIDENING: f64 = 0.008;
/// Beginning and ending a row that is written past the caches, but for the lines of them that it fills only in part.
const EDGES: f64 = 40.0;
/// The bytes of a row without such lines.
pub(crate) const WHOLE: usize = 128;
/// Beginning and ending a row in the loop of a chain.
pub(crate) const ROW_OF_CHAIN: f64 = 12.0;
/// Beginning to pack an operand of a unit.
const PACK: f64 = 40.0;
/// Beginning a run of consecutive or repeated elements in a packer.
const RUN: f64 = 2.5;
/// Moving an element of a run through a packer.
const MOVED: f64 = 0.06;
/// Repeating an element on the way into a loop.
const REPEATED: f64 = 0.06;
/// The same where each stands for all that a loop computes at a time, or more.
const REPEATED_OFTEN: f64 = 0.015;
/// Reading an element on the way into a loop, for each element that it lies from the next one.
const STRIDED_READ: f64 = 0.02;
/// Moving an element on its own.
const ALONE: f64 = 0.35;
/// Reading a line of the cache for each element.
const FAR_LINE: f64 = 1.2;

/// What the choice of units depends on beside the operands.
#[derive(Clone, Copy)]
pub(crate) struct Terms {
    /// The nanoseconds that the program takes to begin and end a row.
    pub(crate) row: f64,
    /// The same for a row that has a group, where short rows are taken by groups, or a lot, where steps compute lots.
    pub(crate) row_of_groups: f64,
    /// The steps that compute lots.
    pub(crate) lane_blocks: usize,
    /// Whether one call computes several units where none of their operands is packed.
    pub(crate) turns: bool,
    /// The most elements of a unit.
    pub(crate) longest: usize,
    /// Whether the result is written past the caches.
    pub(crate) past: bool,
    /// Whether units follow one another in the order of the nest's elements.
    pub(crate) ordered: bool,
}

/// Chooses the unit with the least cost per element, and says what that is.
pub(crate) fn priced(dims: &[usize], operands: &[Layout], terms: Terms) -> (f64, Blocking) {
    let last = dims.len() - 1;
    let mut best = (f64::INFINITY, Blocking { axis: last, chunk: 1, inner: 1, across: last, rows: 1 });
    let mut inner = 1_usize;
    for axis in (0..dims.len()).rev() {
        for across in (0..=axis).rev() {
            let transposed = || {
                operands.iter().any(|o| o.strides[across].unsigned_abs() == o.size && !is_dense_along(o, axis, dims))
            };
            // One row; whole rows that are neighbours; a block that follows a transposed operand.
            let forms = [across == axis, across + 1 == axis, across < axis && !terms.ordered && transposed()];
            for (form, _) in [Form::Row, Form::Rows, Form::Block].into_iter().zip(forms).filter(|(_, fits)| *fits) {
                if let Some(cut) = size_up(dims, operands, (axis, inner, across), form, terms) {
                    let cost = cost(dims, operands, terms, &cut);
                    if cost < best.0 {
                        best = (cost, cut);
                    }
                }
            }
        }
        inner = inner.saturating_mul(dims[axis]);
        // A unit has whole inner loops, of a costly program fewer.
        if inner > MAX_UNIT_ELEMENTS.min(8 * terms.longest) {
            break;
        }
    }
    best
}

fn is_dense_along(operand: &Layout, axis: usize, dims: &[usize]) -> bool {
    dims[axis] == 1 || operand.strides[axis] == 0 || operand.strides[axis] == operand.size as isize
}

/// What a unit can look like.
#[derive(Clone, Copy)]
enum Form {
    /// A piece of one row.
    Row,
    /// Whole rows that follow one another.
    Rows,
    /// Pieces of rows, with as many rows as there are elements in some lines of the cache.
    Block,
}

/// Returns the rows of a block of `limit` elements at most: twice as many of narrow ones that come from memory, as a column of them would
/// be one line of the cache.
fn across_rows(limit: usize, narrowest: usize, past: bool) -> usize {
    if past && narrowest <= 2 && limit >= 4 * ACROSS * ACROSS { 2 * ACROSS } else { ACROSS }
}

/// Chooses the extents of a unit of this form, if there is one.
fn size_up(
    dims: &[usize],
    operands: &[Layout],
    (axis, inner, across): (usize, usize, usize),
    form: Form,
    Terms { longest, past, .. }: Terms,
) -> Option<Blocking> {
    let narrowest = operands.iter().map(|o| o.size).min().unwrap_or(1);
    let within = |limit: usize| {
        let most = limit / inner;
        // Units that begin a line of the cache each, where they are long enough to lose little by it.
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
                // Pieces that are whole lines of the cache of every operand, as a result that is written past the caches asks for.
                let piece = WHOLE / narrowest;
                let whole = if chunk < piece { chunk } else { chunk / piece * piece };
                let chunk = if chunk == dims[axis] { chunk } else { whole };
                (chunk > 1).then_some(Blocking { chunk, across, rows, ..row })
            }
        }
    };
    let cut = within(longest)?;
    let packed: usize =
        operands.iter().filter(|o| o.access_pattern(dims, &cut) == AccessPattern::Irregular).map(|o| o.size).sum();
    let room = if past && matches!(form, Form::Block) { PACKED_BLOCK } else { PACKED };
    room.checked_div(packed).map_or(Some(cut), |most| within(most.min(longest)))
}

/// Estimates what an element costs beside its arithmetic.
fn cost(dims: &[usize], operands: &[Layout], terms: Terms, cut: &Blocking) -> f64 {
    let Terms { turns, past, .. } = terms;
    let n = (cut.chunk * cut.inner) as f64;
    let group = |o: &Layout| if terms.lane_blocks > 0 { LANE_BLOCK_ELEMENTS } else { MIN_GROUP_BYTES / o.size };
    let has_group = |o: &Layout| o.is_output && cut.chunk * cut.inner >= group(o);
    let row = if operands.iter().any(has_group) { terms.row_of_groups } else { terms.row };
    let ragged = |o: &Layout| o.is_output && !(cut.chunk * cut.inner * o.size).is_multiple_of(WHOLE);
    let edges = if past && operands.iter().any(ragged) { EDGES } else { 0.0 };
    let is_packed = |o: &Layout| o.access_pattern(dims, cut) == AccessPattern::Irregular;
    let unit = match cut.turning(dims).filter(|_| turns && !operands.iter().any(is_packed)) {
        Some((_, times)) => UNIT / times.min(MAX_UNIT_ELEMENTS / cut.elements() + 1) as f64 + TURN,
        None => UNIT,
    };
    let own = unit / cut.elements() as f64 + (row + edges) / n + of_lots(dims, operands, terms, cut);
    let packing = |operand: &Layout| {
        match operand.access_pattern(dims, cut) {
            AccessPattern::Constant | AccessPattern::Dense => return 0.0,
            AccessPattern::Repeated(times) => {
                return if times < CHAIN_GROUP_ELEMENTS { REPEATED } else { REPEATED_OFTEN };
            }
            AccessPattern::Strided(apart) => return STRIDED_READ * apart.unsigned_abs() as f64,
            AccessPattern::Irregular => {}
        }
        let cost = moving(dims, operand, cut) + PACK / cut.elements() as f64;
        match cut.next_outside(dims) {
            // Packed once, and used as long as the next loop repeats it.
            Some((axis, times)) if operand.strides[axis] == 0 && !operand.is_output => cost / times as f64,
            _ => cost,
        }
    };
    own + operands.iter().map(packing).sum::<f64>()
}

/// Estimates what an element costs more, or less, because it is computed in lots.
fn of_lots(dims: &[usize], operands: &[Layout], terms: Terms, cut: &Blocking) -> f64 {
    let n = cut.chunk * cut.inner;
    if terms.lane_blocks == 0 || n < LANE_BLOCK_ELEMENTS {
        return 0.0;
    }
    let shared = (n.next_multiple_of(LANE_BLOCK_ELEMENTS) - n) as f64 * SHARED * terms.lane_blocks as f64 / n as f64;
    let stays =
        |o: &Layout| !o.is_output && o.strides[cut.across] == 0 && o.access_pattern(dims, cut) == AccessPattern::Dense;
    // What stays from row to row is widened once.
    let widens = n <= MAX_WIDENED_ELEMENTS && cut.rows >= MIN_WIDENING_ROWS && operands.iter().any(stays);
    shared - if widens { WIDENING } else { 0.0 }
}

/// Estimates what it costs to pack an element of an operand.
fn moving(dims: &[usize], operand: &Layout, cut: &Blocking) -> f64 {
    let repeats = if cut.across != cut.axis && operand.strides[cut.across] == 0 { cut.rows as f64 } else { 1.0 };
    let Some((run, stride)) = cut.row(dims, operand.strides).rev().find(|&(dim, _)| dim > 1) else { return MOVED };
    if stride == 0 || stride == operand.size as isize {
        return (MOVED + RUN / run as f64) / repeats;
    }
    // A line of the cache is read for all the rows that have an element in it.
    let follows = cut.across != cut.axis && operand.strides[cut.across].unsigned_abs() == operand.size;
    let shared = if follows { cut.rows.min(64 / operand.size) } else { 1 };
    let far = if stride.unsigned_abs() >= 64 { FAR_LINE / shared as f64 } else { 0.0 };
    (ALONE + far) / repeats
}

/// Says whether no two elements that a nest reaches with these strides share a byte.
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
    // Nearly always the strides descend already, and nothing need be sorted.
    step_over(&mut axes.clone()) || {
        let mut sorted: Vec<_> = axes.collect();
        sorted.sort_unstable();
        step_over(&mut sorted.into_iter())
    }
}

#[cfg(test)]
mod tests;
