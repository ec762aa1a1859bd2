//! Packers, as far as they can be decided without touching an element: which way an operand's axes are walked.
//!
//! An operand that loops cannot use in place is gathered into a tile, and a tile may be scattered into a result. Axes that follow on
//! from one another are merged first. The innermost two or so then go to a *leaf*, a loop that moves many elements per
//! instruction, and the others call it. What makes a leaf fast is to move whole lines of the cache on one side at least: runs
//! of consecutive elements are copied in pieces of fixed size, an element that repeats is written in whole vectors, and a
//! transposed operand is read along the axis where its elements are neighbours, however far out that axis is. A block that
//! repeats as a whole is packed once and copied, twice as much each time.

/// One axis of a tile, seen from an operand: how many elements, and how many bytes from one to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) count: usize,
    pub(crate) stride: isize,
}

/// An axis, seen from both ends of a move: the bytes from one element to the next where they are read, and where they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) count: usize,
    pub(crate) from: isize,
    pub(crate) to: isize,
}

impl Turn {
    /// An axis of one element.
    const ONCE: Self = Self { count: 1, from: 0, to: 0 };

    /// Turns an axis round; returns the bytes to where it begins then, at both ends.
    fn reverse(&mut self) -> (isize, isize) {
        let last = self.count as isize - 1;
        let begin = (self.from * last, self.to * last);
        (self.from, self.to) = (-self.from, -self.to);
        begin
    }
}

/// The loops that move elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    /// Rows of consecutive elements at both ends.
    Runs,
    /// Rows of elements that are apart at one end or both.
    Apart,
    /// Rows of elements, each of which is written so many times.
    Repeats(usize),
    /// Elements that are read as neighbours from row to row, and written as neighbours in a row.
    Transposed,
}

/// The elements of a row below which it is not worth one.
const FEW: usize = 8;

/// The bytes of a column that is some lines of the cache.
const SHORT: usize = 256;

/// How elements are moved: over which axes, and by which loop.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// The bytes of an element.
    pub(crate) size: usize,
    pub(crate) leaf: Leaf,
    pub(crate) rows: Turn,
    pub(crate) row: Turn,
    /// The bytes to the first element, at both ends.
    pub(crate) start: (isize, isize),
    /// The bytes from where this block is read to where the next one will be.
    pub(crate) next: isize,
    /// What is fetched ahead comes from memory: then it comes as near as the second-level cache.
    pub(crate) second: bool,
    /// The axes outside the leaf, the innermost first.
    pub(crate) outer: Vec<Turn>,
    /// Whether elements that are apart are fetched ahead of their use.
    pub(crate) ahead: bool,
    /// Whether others ask for the columns of the next block, while this one is used.
    pub(crate) is_asked: bool,
}

impl Way {
    /// Gathers what the axes reach into consecutive places; the last axis runs fastest.
    pub(crate) fn pack(size: usize, axes: &[Axis]) -> Self {
        let mut way = Self::along(size, axes, |count, stride, step| Turn { count, from: stride, to: step });
        way.row = way.innermost();
        if way.row.from == 0 {
            way.leaf = Leaf::Repeats(way.row.count);
            way.row = way.innermost();
        }
        let along = |turn: &Turn| turn.count >= FEW && turn.from.unsigned_abs() == size;
        if way.leaf == Leaf::Runs && way.row.from != size as isize {
            way.leaf = Leaf::Apart;
            if let Some(at) = way.outer.iter().position(along) {
                way.rows = way.outer.remove(at);
                if way.row.count * size < 16 {
                    // Too few for a square: long rows of neighbours, scattered.
                    std::mem::swap(&mut way.row, &mut way.rows);
                    return way;
                }
                way.leaf = Leaf::Transposed;
                if way.rows.from < 0 {
                    way.start = way.rows.reverse();
                }
                return way;
            }
        }
        // A block that repeats is copied as a whole, outside the leaf.
        if way.outer.first().is_some_and(|turn| turn.from != 0) {
            way.rows = way.innermost();
        }
        way.straighten();
        way
    }

    /// Says whether columns are a few lines of the cache each, and far apart: then the next ones are best asked for a few at a time, while
    /// memory is waited for anyway. Longer or nearer ones took longer so.
    pub(crate) fn has_short_columns(&self) -> bool {
        let bytes = self.rows.count * self.size;
        bytes <= SHORT && self.row.from.unsigned_abs() >= 4 * bytes
    }

    /// Scatters consecutive elements to what the axes reach; the reverse of [`Way::pack`].
    pub(crate) fn unpack(size: usize, axes: &[Axis]) -> Self {
        let mut way = Self::along(size, axes, |count, stride, step| Turn { count, from: step, to: stride });
        (way.row, way.rows) = (way.innermost(), way.innermost());
        if way.row.to != size as isize {
            way.leaf = Leaf::Apart;
        }
        way.straighten();
        way
    }

    /// Merges axes that follow on from one another, and leaves out those of one element.
    fn along(size: usize, axes: &[Axis], turn: impl Fn(usize, isize, isize) -> Turn) -> Self {
        let (mut outer, mut step): (Vec<Turn>, _) = (Vec::with_capacity(axes.len()), size as isize);
        for &Axis { count, stride } in axes.iter().rev().filter(|axis| axis.count != 1) {
            let next = turn(count, stride, step);
            step *= count as isize;
            match outer.last_mut() {
                Some(Turn { count: inside, from, to })
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
        let (rows, row) = (Turn::ONCE, Turn::ONCE);
        Self {
            size,
            leaf: Leaf::Runs,
            rows,
            row,
            start: (0, 0),
            next: 0,
            second: false,
            outer,
            ahead: false,
            is_asked: false,
        }
    }

    /// Takes the innermost axis from those outside the leaf.
    fn innermost(&mut self) -> Turn {
        if self.outer.is_empty() { Turn::ONCE } else { self.outer.remove(0) }
    }

    /// Makes rows of elements that are apart as long as they can be; backwards is easier to read than to write.
    fn straighten(&mut self) {
        if self.leaf == Leaf::Apart && self.row.count < self.rows.count.min(FEW) {
            std::mem::swap(&mut self.row, &mut self.rows);
        }
        if self.leaf == Leaf::Apart && self.row.to < 0 {
            self.start = self.row.reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_choose_their_way() {
        let turn = |count, from, to| Turn { count, from, to };
        let one = Turn::ONCE;
        struct Case {
            about: &'static str,
            axes: &'static [(usize, isize)],
            leaf: Leaf,
            inside: [Turn; 2],
            outer: &'static [usize],
        }
        #[rustfmt::skip]
        let cases = [
            Case { about: "nothing", axes: &[], leaf: Leaf::Runs, inside: [one, turn(1, 4, 4)], outer: &[] },
            Case { about: "one run", axes: &[(3, 20), (5, 4)], leaf: Leaf::Runs, inside: [one, turn(15, 4, 4)], outer: &[] },
            Case { about: "runs", axes: &[(3, 24), (5, 4)], leaf: Leaf::Runs, inside: [turn(3, 24, 20), turn(5, 4, 4)], outer: &[] },
            Case { about: "a pattern", axes: &[(9, 0), (5, 4)], leaf: Leaf::Runs, inside: [one, turn(5, 4, 4)], outer: &[9] },
            Case { about: "repeats", axes: &[(9, 4), (1, 7), (2, 0), (3, 0)], leaf: Leaf::Repeats(6), inside: [one, turn(9, 4, 24)], outer: &[] },
            Case { about: "one element", axes: &[(9, 0)], leaf: Leaf::Repeats(9), inside: [one, one], outer: &[] },
            Case { about: "transposed", axes: &[(9, 4), (7, 400)], leaf: Leaf::Transposed, inside: [turn(9, 4, 28), turn(7, 400, 4)], outer: &[] },
            Case { about: "far out", axes: &[(9, -4), (2, 9), (7, 99)], leaf: Leaf::Transposed, inside: [turn(9, 4, -56), turn(7, 99, 4)], outer: &[2] },
            Case { about: "planes", axes: &[(9, 4), (3, 400)], leaf: Leaf::Apart, inside: [turn(3, 400, 4), turn(9, 4, 12)], outer: &[] },
            Case { about: "every second", axes: &[(9, 80), (10, 8)], leaf: Leaf::Apart, inside: [one, turn(90, 8, 4)], outer: &[] },
            Case { about: "colours", axes: &[(9, 12), (3, -4)], leaf: Leaf::Apart, inside: [turn(3, -4, 4), turn(9, 12, 12)], outer: &[] },
        ];
        for Case { about, axes, leaf, inside, outer } in cases {
            let axes: Vec<_> = axes.iter().map(|&(count, stride)| Axis { count, stride }).collect();
            let way = Way::pack(4, &axes);
            assert_eq!((way.leaf, [way.rows, way.row]), (leaf, inside), "{about}");
            assert_eq!(way.outer.iter().map(|turn| turn.count).collect::<Vec<_>>(), outer, "{about}");
        }
    }
}
