//! Nests of loops: how operands lie over them, and how they are cut into units of work.
//!
//! A unit is a box: a number of rows, each of them a piece of one loop and everything inside that. In a row, an operand that is
//! dense or constant is used in place; any other is packed, unless the loop brings its elements together itself. Which box is best
//! depends on every operand: long rows where all of them can be used in place, many short rows in one call, a pattern of short loops
//! packed once and used again, a block of two far loops where one operand is transposed. `cut` estimates what each box costs per
//! element and takes the cheapest.

use crate::{
    loops::{LONGEST_WIDE, LOT, MANY},
    tile::{SHORTEST, chain::GROUP},
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
pub(crate) enum Lie {
    /// One element stands for all.
    Constant,
    /// The elements lie one after the other.
    Dense,
    /// The elements lie one after the other, and each stands for so many.
    Repeated(usize),
    /// The elements lie so many of them apart, backwards where that is negative.
    Apart(isize),
    /// Anything else.
    Strided,
}

/// The most times that an element may stand for to be repeated on the way into a loop.
const TIMES: usize = 4096;

/// The most elements that those of an operand may lie apart to be brought together on the way into a loop.
const MOST_APART: isize = 4;

/// The most elements that those lie apart which are taken one by one: those of a line of the cache.
const MOST_SINGLE: isize = 8;

/// What a loop can do with elements of an operand that are neither dense nor one: those need not be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loose {
    /// Nothing.
    No,
    /// It can repeat each.
    Repeated,
    /// It can repeat each, or bring those together that lie a few elements apart.
    RepeatedOrApart,
    /// It can take those that lie a few more elements apart, and results too.
    Apart,
}

/// Says how an operand lies over these loops, for a loop that can do so much with it.
pub(crate) fn lie_loose(
    loops: impl DoubleEndedIterator<Item = (usize, isize)> + Clone,
    size: usize,
    loose: Loose,
) -> Lie {
    let plain = lie(loops.clone(), size);
    if plain != Lie::Strided || loose == Loose::No {
        return plain;
    }
    let mut times = 1_usize;
    let mut moves = loops.rev().filter(|&(dim, _)| dim > 1).peekable();
    let first = moves.peek().map_or(0, |&(_, stride)| stride);
    let apart = first / size as isize;
    let most = if loose == Loose::Apart { MOST_SINGLE } else { MOST_APART };
    let can = loose != Loose::Repeated && (-most..=most).contains(&apart);
    if can && first == apart * size as isize && follow(moves.clone(), first) {
        return Lie::Apart(apart);
    }
    while let Some((dim, _)) = moves.next_if(|&(_, stride)| stride == 0) {
        times = times.saturating_mul(dim);
    }
    if loose != Loose::Apart && times <= TIMES && follow(moves, size as isize) {
        Lie::Repeated(times)
    } else {
        Lie::Strided
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
pub(crate) fn lie(loops: impl DoubleEndedIterator<Item = (usize, isize)> + Clone, size: usize) -> Lie {
    let moves = loops.filter(|&(dim, _)| dim > 1);
    if moves.clone().all(|(_, stride)| stride == 0) {
        return Lie::Constant;
    }
    let mut expected = size as isize;
    for (dim, stride) in moves.rev() {
        if stride != expected {
            return Lie::Strided;
        }
        expected *= dim as isize;
    }
    Lie::Dense
}

/// The unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
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

impl Cut {
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
    pub(crate) loose: Loose,
}

impl Layout<'_> {
    /// Says how the operand lies over a row of a unit.
    fn lie(&self, dims: &[usize], cut: &Cut) -> Lie {
        let row = cut.row(dims, self.strides);
        lie_loose(row, self.size, self.loose)
    }
}

/// The most elements of a unit; bounds the time to an answer when asked to stop.
pub(crate) const LONG: usize = 1 << 15;

/// The bytes of packed operands that stay in the first-level cache beside the others.
pub(crate) const PACKED: usize = 20 << 10;

/// The bytes of those of a block where the others come from memory: their lines are used once, and need not stay.
const PACKED_BLOCK: usize = 32 << 10;

/// The elements in so many of which there are whole lines of the cache, whatever their size.
const LINE: usize = 64;

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
const FEW: f64 = 0.015;
/// Reading an element on the way into a loop, for each element that it lies from the next one.
const BETWEEN: f64 = 0.02;
/// Moving an element on its own.
const ALONE: f64 = 0.35;
/// Reading a line of the cache for each element.
const FAR: f64 = 1.2;

/// What the choice of units depends on beside the operands.
#[derive(Clone, Copy)]
pub(crate) struct Terms {
    /// The nanoseconds that the program takes to begin and end a row.
    pub(crate) row: f64,
    /// The same for a row that has a group, where short rows are taken by groups, or a lot, where steps compute lots.
    pub(crate) row_of_groups: f64,
    /// The steps that compute lots.
    pub(crate) lots: usize,
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
pub(crate) fn priced(dims: &[usize], operands: &[Layout], terms: Terms) -> (f64, Cut) {
    let last = dims.len() - 1;
    let mut best = (f64::INFINITY, Cut { axis: last, chunk: 1, inner: 1, across: last, rows: 1 });
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
        if inner > LONG.min(8 * terms.longest) {
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
) -> Option<Cut> {
    let narrowest = operands.iter().map(|o| o.size).min().unwrap_or(1);
    let within = |limit: usize| {
        let most = limit / inner;
        // Units that begin a line of the cache each, where they are long enough to lose little by it.
        let whole = if most < 2 * LINE { most } else { most / LINE * LINE };
        let chunk = if most >= dims[axis] { dims[axis] } else { whole.max(1) };
        let row = Cut { axis, chunk, inner, across: axis, rows: 1 };
        match form {
            Form::Row => Some(row),
            Form::Rows => {
                let rows = (limit / (chunk * inner)).clamp(1, dims[across]);
                (chunk == dims[axis] && rows > 1).then_some(Cut { across, rows, ..row })
            }
            Form::Block => {
                let rows = across_rows(limit, narrowest, past).min(dims[across]);
                let chunk = (limit / rows / inner).clamp(1, dims[axis]);
                // Pieces that are whole lines of the cache of every operand, as a result that is written past the caches asks for.
                let piece = WHOLE / narrowest;
                let whole = if chunk < piece { chunk } else { chunk / piece * piece };
                let chunk = if chunk == dims[axis] { chunk } else { whole };
                (chunk > 1).then_some(Cut { chunk, across, rows, ..row })
            }
        }
    };
    let cut = within(longest)?;
    let packed: usize = operands.iter().filter(|o| o.lie(dims, &cut) == Lie::Strided).map(|o| o.size).sum();
    let room = if past && matches!(form, Form::Block) { PACKED_BLOCK } else { PACKED };
    room.checked_div(packed).map_or(Some(cut), |most| within(most.min(longest)))
}

/// Estimates what an element costs beside its arithmetic.
fn cost(dims: &[usize], operands: &[Layout], terms: Terms, cut: &Cut) -> f64 {
    let Terms { turns, past, .. } = terms;
    let n = (cut.chunk * cut.inner) as f64;
    let group = |o: &Layout| if terms.lots > 0 { LOT } else { SHORTEST / o.size };
    let has_group = |o: &Layout| o.is_output && cut.chunk * cut.inner >= group(o);
    let row = if operands.iter().any(has_group) { terms.row_of_groups } else { terms.row };
    let ragged = |o: &Layout| o.is_output && !(cut.chunk * cut.inner * o.size).is_multiple_of(WHOLE);
    let edges = if past && operands.iter().any(ragged) { EDGES } else { 0.0 };
    let is_packed = |o: &Layout| o.lie(dims, cut) == Lie::Strided;
    let unit = match cut.turning(dims).filter(|_| turns && !operands.iter().any(is_packed)) {
        Some((_, times)) => UNIT / times.min(LONG / cut.elements() + 1) as f64 + TURN,
        None => UNIT,
    };
    let own = unit / cut.elements() as f64 + (row + edges) / n + of_lots(dims, operands, terms, cut);
    let packing = |operand: &Layout| {
        match operand.lie(dims, cut) {
            Lie::Constant | Lie::Dense => return 0.0,
            Lie::Repeated(times) => return if times < GROUP { REPEATED } else { FEW },
            Lie::Apart(apart) => return BETWEEN * apart.unsigned_abs() as f64,
            Lie::Strided => {}
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
fn of_lots(dims: &[usize], operands: &[Layout], terms: Terms, cut: &Cut) -> f64 {
    let n = cut.chunk * cut.inner;
    if terms.lots == 0 || n < LOT {
        return 0.0;
    }
    let shared = (n.next_multiple_of(LOT) - n) as f64 * SHARED * terms.lots as f64 / n as f64;
    let stays = |o: &Layout| !o.is_output && o.strides[cut.across] == 0 && o.lie(dims, cut) == Lie::Dense;
    // What stays from row to row is widened once.
    let widens = n <= LONGEST_WIDE && cut.rows >= MANY && operands.iter().any(stays);
    shared - if widens { WIDENING } else { 0.0 }
}

/// Estimates what it costs to pack an element of an operand.
fn moving(dims: &[usize], operand: &Layout, cut: &Cut) -> f64 {
    let repeats = if cut.across != cut.axis && operand.strides[cut.across] == 0 { cut.rows as f64 } else { 1.0 };
    let Some((run, stride)) = cut.row(dims, operand.strides).rev().find(|&(dim, _)| dim > 1) else { return MOVED };
    if stride == 0 || stride == operand.size as isize {
        return (MOVED + RUN / run as f64) / repeats;
    }
    // A line of the cache is read for all the rows that have an element in it.
    let follows = cut.across != cut.axis && operand.strides[cut.across].unsigned_abs() == operand.size;
    let shared = if follows { cut.rows.min(64 / operand.size) } else { 1 };
    let far = if stride.unsigned_abs() >= 64 { FAR / shared as f64 } else { 0.0 };
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
mod tests {
    use super::*;

    #[test]
    fn operands_lie_as_their_strides_say() {
        let cases: &[(&[usize], &[isize], Lie)] = &[
            (&[2, 3], &[12, 4], Lie::Dense),
            (&[2, 3], &[0, 0], Lie::Constant),
            (&[2, 3], &[0, 4], Lie::Strided),
            (&[2, 3], &[4, 0], Lie::Strided),
            (&[1, 3], &[99, 4], Lie::Dense),
            (&[2, 1], &[4, 99], Lie::Dense),
            (&[1, 1], &[7, 7], Lie::Constant),
            (&[3], &[-4], Lie::Strided),
        ];
        for &(dims, strides, want) in cases {
            assert_eq!(lie(dims.iter().copied().zip(strides.iter().copied()), 4), want, "{dims:?} {strides:?}");
        }
    }

    #[test]
    fn loose_operands_lie_as_their_strides_say() {
        let cases: &[(&[usize], &[isize], Lie)] = &[
            (&[2, 3], &[12, 4], Lie::Dense),
            (&[2, 3], &[0, 0], Lie::Constant),
            (&[2, 3], &[4, 0], Lie::Repeated(3)),
            (&[2, 300], &[4, 0], Lie::Repeated(300)),
            (&[2, 5000], &[4, 0], Lie::Strided),
            (&[2, 3], &[0, 4], Lie::Strided),
            (&[3], &[8], Lie::Apart(2)),
            (&[2, 3], &[24, 8], Lie::Apart(2)),
            (&[2, 3], &[28, 8], Lie::Strided),
            (&[2, 1, 3], &[-12, 99, -4], Lie::Apart(-1)),
            (&[2, 3], &[12, -4], Lie::Strided),
            (&[3], &[-16], Lie::Apart(-4)),
            (&[3], &[20], Lie::Strided),
            (&[3], &[36], Lie::Strided),
            (&[3], &[6], Lie::Strided),
        ];
        for &(dims, strides, want) in cases {
            let lie = |loose| lie_loose(dims.iter().copied().zip(strides.iter().copied()), 4, loose);
            assert_eq!(lie(Loose::RepeatedOrApart), want, "{dims:?} {strides:?}");
            let kept = if matches!(want, Lie::Apart(_)) { Lie::Strided } else { want };
            assert_eq!(lie(Loose::Repeated), kept, "{dims:?} {strides:?}");
            let kept = if matches!(want, Lie::Repeated(_)) { Lie::Strided } else { want };
            let kept = if strides == [20] { Lie::Apart(5) } else { kept };
            assert_eq!(lie(Loose::Apart), kept, "{dims:?} {strides:?}");
        }
    }

    const TERMS: Terms =
        Terms { row: ROW, row_of_groups: ROW, lots: 0, turns: false, longest: LONG, past: false, ordered: false };

    fn cut(dims: &[usize], operands: &[Layout], terms: Terms) -> Cut {
        priced(dims, operands, terms).1
    }

    #[test]
    fn units_fit_their_operands() {
        struct Case {
            about: &'static str,
            dims: &'static [usize],
            inputs: &'static [&'static [isize]],
            want: Cut,
        }
        let cut_of = |axis, chunk, inner, across, rows| Cut { axis, chunk, inner, across, rows };
        let cases = [
            Case { about: "equal shapes", dims: &[100_000], inputs: &[&[4]], want: cut_of(0, LONG, 1, 0, 1) },
            Case {
                about: "a bias per row",
                dims: &[100, 1000],
                inputs: &[&[4000, 4], &[4, 0]],
                want: cut_of(1, 1000, 1, 0, 32),
            },
            Case {
                about: "a short pattern",
                dims: &[100_000, 3],
                inputs: &[&[12, 4], &[0, 4]],
                want: cut_of(0, 1664, 3, 0, 1),
            },
            Case {
                about: "short rows",
                dims: &[100_000, 3],
                inputs: &[&[12, 4], &[4, 0]],
                want: cut_of(0, 1664, 3, 0, 1),
            },
            Case {
                about: "transposed",
                dims: &[4096, 4096],
                inputs: &[&[16384, 4], &[4, 16384]],
                want: cut_of(1, 64, 1, 0, 64),
            },
            Case {
                about: "transposed, with rows of which several fit",
                dims: &[1000, 1000],
                inputs: &[&[4000, 4], &[4, 4000]],
                want: cut_of(1, 64, 1, 0, 64),
            },
            Case { about: "no loops to speak of", dims: &[1], inputs: &[&[0]], want: cut_of(0, 1, 1, 0, 1) },
        ];
        for Case { about, dims, inputs, want } in cases {
            let mut dense = vec![4_isize; dims.len()];
            for axis in (1..dims.len()).rev() {
                dense[axis - 1] = dense[axis] * dims[axis] as isize;
            }
            let operand = |strides, is_output| Layout { strides, size: 4, is_output, loose: Loose::No };
            let operands: Vec<_> =
                inputs.iter().map(|strides| operand(strides, false)).chain([operand(&dense, true)]).collect();
            assert_eq!(cut(dims, &operands, TERMS), want, "{about}");
        }
    }

    #[test]
    fn units_of_what_comes_from_memory_are_larger() {
        for (size, rows, chunk) in [(1, 128, 256), (2, 128, 128), (4, 64, 128), (8, 64, 64)] {
            let strides = [[4096 * size as isize, size as isize], [size as isize, 4096 * size as isize]];
            let operand = |at: usize, is_output| Layout { strides: &strides[at], size, is_output, loose: Loose::No };
            let operands = [operand(0, false), operand(1, false), operand(0, true)];
            let found = cut(&[4096, 4096], &operands, Terms { past: true, ..TERMS });
            assert_eq!(found, Cut { axis: 1, chunk, inner: 1, across: 0, rows }, "{size} bytes");
        }
    }

    #[test]
    fn units_of_costly_programs_are_shorter() {
        for (dims, strides) in [(&[100_000][..], &[4][..]), (&[1000, 100], &[400, 4])] {
            let dense = |is_output| Layout { strides, size: 4, is_output, loose: Loose::No };
            for longest in [LONG, 4096] {
                let elements = cut(dims, &[dense(false), dense(true)], Terms { longest, ..TERMS }).elements();
                assert!(elements <= longest && 10 * elements > 9 * longest, "{elements} of {dims:?}");
            }
            let elements = cut(dims, &[dense(false), dense(true)], Terms { longest: 3, ..TERMS }).elements();
            assert!(elements <= 24, "{elements} of {dims:?}");
        }
    }

    #[test]
    fn shared_bytes_are_seen() {
        assert!(apart(&[2, 3], &[12, 4], 4) && apart(&[2, 3], &[4, -8], 4) && apart(&[1, 5], &[0, 4], 4));
        assert!(!apart(&[2], &[0], 4) && !apart(&[2], &[2], 4) && !apart(&[2, 3], &[8, 4], 4));
    }

    #[test]
    fn reach_counts_both_ends() {
        assert_eq!(reach(&[3, 2], &[-8, 4], 4), Some((-16, 8)));
        assert_eq!(reach(&[2, usize::MAX], &[1, isize::MAX], 1), None);
    }
}
