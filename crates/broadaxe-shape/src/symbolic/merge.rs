//! Merges the sizes that a placement brings together on each axis: conditions first, then the result's dims.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    dim::{Dim, SymbolicShape},
    guard::{Clause, Literal, Term},
    interval::Interval,
    size::Atom,
    solve::{possible, simplify},
};
use crate::{
    align::{Placement, Stretch, letter},
    error::{Error, ErrorKind},
};

/// Above this many clauses, or sizes on one axis, the result's dims are taken from the intervals alone.
const TIGHTEN: usize = 32;
/// Above this many clauses a guard is not written down.
pub(crate) const CLAUSES: usize = 2000;

/// The sizes that dims speak of: one per name, and one per dim without a name.
#[derive(Default)]
pub(crate) struct Sizes {
    /// The sizes by what dims hold; those of dims that hold nothing are not among them.
    vars: BTreeMap<Atom, usize>,
    pub(crate) names: Vec<String>,
    pub(crate) intervals: Vec<Interval>,
    parts: Vec<Option<Atom>>,
}

/// One dim of an operand: the broadcast of its parts, within an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) parts: Vec<Term>,
    pub(crate) interval: Interval,
}

impl Entry {
    fn one() -> Self {
        Self { parts: [Term::Size(1)].into(), interval: Interval::one(1) }
    }
}

impl Sizes {
    /// Gives every dim its parts; operands are called by their letter, the target `target`.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] when no number is every size that one name has.
    pub(crate) fn read(&mut self, shapes: &[&[Dim]], target: bool) -> Result<Vec<Vec<Entry>>, Error> {
        for (k, shape) in shapes.iter().enumerate() {
            for (axis, dim) in shape.iter().enumerate() {
                let [part] = dim.parts() else { continue };
                let var = self.var(part);
                self.intervals[var] = self.intervals[var].meet(dim.interval()).ok_or_else(|| {
                    let (known, text) = (self.intervals[var], letter(k));
                    let text =
                        format!("{} is {} on axis {axis} of {text} and {known} before", part.text(), dim.interval());
                    Error::new(ErrorKind::Mismatch, format!("{text}; one name is one size")).operand_at(k)
                })?;
            }
        }
        let mut entries = Vec::new();
        for (k, shape) in shapes.iter().enumerate() {
            let letter = if target && k + 1 == shapes.len() { "target".to_string() } else { letter(k) };
            let row = shape.iter().enumerate().map(|(axis, dim)| self.entry(dim, || format!("{letter}[{axis}]")));
            entries.push(row.collect());
        }
        Ok(entries)
    }

    fn var(&mut self, part: &Atom) -> usize {
        if let Some(&var) = self.vars.get(part) {
            return var;
        }
        self.vars.insert(part.clone(), self.names.len());
        self.names.push(part.text().to_string());
        self.intervals.push(Interval::ANY);
        self.parts.push(Some(part.clone()));
        self.names.len() - 1
    }

    /// Returns what dims hold of a size; nothing for a number and for a dim that holds nothing.
    fn part(&self, term: Term) -> Option<&Atom> {
        match term {
            Term::Var(var) => self.parts[var].as_ref(),
            Term::Size(_) => None,
        }
    }

    fn entry(&mut self, dim: &Dim, place: impl Fn() -> String) -> Entry {
        let mut vars: Vec<usize> = dim.parts().iter().map(|part| self.var(part)).collect();
        if vars.is_empty() && dim.size().is_none() {
            self.names.push(place());
            self.intervals.push(dim.interval());
            self.parts.push(None);
            vars.push(self.names.len() - 1);
        }
        let known = |var: usize| self.intervals[var].single().map_or(Term::Var(var), Term::Size);
        let mut parts: Vec<Term> = vars.iter().map(|&var| known(var)).filter(|&part| part != Term::Size(1)).collect();
        if let Some(&size) = parts.iter().find(|part| matches!(part, Term::Size(_))) {
            parts = [size].into();
        }
        let only = dim.size().or_else(|| parts.is_empty().then_some(1));
        if let Some(size) = only {
            return Entry { parts: [Term::Size(size)].into(), interval: Interval::one(size) };
        }
        let own = match parts.as_slice() {
            [Term::Var(var)] => self.intervals[*var],
            [Term::Size(size)] => Interval::one(*size),
            _ => Interval::ANY,
        };
        Entry { interval: dim.interval().meet(own).unwrap_or(own), parts }
    }
}

/// The outcome of a placement, under the answers that led to it.
pub(crate) struct Merged {
    pub(crate) clauses: Vec<Clause>,
    pub(crate) dims: Vec<Dim>,
    pub(crate) exact: bool,
}

/// Finds an axis on which it is open whether one extent is a multiple of another: the axis and the operand that would be tiled.
///
/// No guard says so; equal sizes, a size of 1 and known sizes need none.
pub(crate) fn open_tile(entries: &[Vec<Entry>], placement: &Placement) -> Option<(usize, usize)> {
    let Stretch::Tile(base) = placement.stretch else { return None };
    let one = Entry::one();
    (0..placement.rank).find_map(|axis| {
        let into = placement.feeding(axis).find(|&(k, _)| k == base).map_or(&one, |(k, own)| &entries[k][own]);
        let is_open = |&(k, own): &(usize, usize)| {
            let (x, y) = (into.parts.as_slice(), entries[k][own].parts.as_slice());
            let known = matches!((x, y), (&[Term::Size(_)], &[Term::Size(_)]));
            k != base && !known && x != y && y != [Term::Size(1)] && x != [Term::Size(1)]
        };
        placement.feeding(axis).find(is_open).map(|(k, _)| (axis, k))
    })
}

/// Merges the entries under a placement, taking `path` as true.
///
/// # Errors
/// The clause that cannot hold, with what it says.
pub(crate) fn merge(
    sizes: &Sizes,
    entries: &[Vec<Entry>],
    placement: &Placement,
    path: &[Literal],
) -> Result<Merged, Clause> {
    let one = Entry::one();
    let mut clauses: Vec<Clause> = Vec::new();
    let mut axes = Vec::new();
    for axis in 0..placement.rank {
        let mut fed: Vec<(usize, &Entry)> = Vec::new();
        for (k, at) in placement.axes.iter().enumerate() {
            if let Some(i) = at.iter().position(|&at| at == axis) {
                fed.push((k, &entries[k][i]));
            }
        }
        if let Some(base) = placement.stretch.into() {
            match fed.iter().position(|&(k, _)| k == base) {
                Some(at) => fed[..=at].rotate_right(1),
                None => fed.insert(0, (base, &one)),
            }
        }
        conditions(&mut clauses, axis, &fed, placement.stretch);
        axes.push(fed);
    }
    if let Stretch::Tile(_) = placement.stretch {
        clauses = or_all_empty(&clauses, entries);
    }
    let exact = clauses.len() <= CLAUSES;
    if !exact {
        clauses.clear();
    }
    let unit = |&literal: &Literal| Clause { axis: None, between: (0, 0), literals: [literal].into() };
    let facts = simplify(&sizes.intervals, path.iter().map(unit).chain(clauses.iter().cloned()).collect())?;
    let dims = axes.iter().map(|fed| result(sizes, &facts, fed, placement.stretch)).collect();
    Ok(Merged { clauses: if path.is_empty() { facts } else { clauses }, dims, exact })
}

/// Adds to conditions of a tiled operand the other way to meet them: that no operand has an element.
fn or_all_empty(clauses: &[Clause], entries: &[Vec<Entry>]) -> Vec<Clause> {
    let zero = |entry: &Entry| match entry.parts.as_slice() {
        &[part] => Literal::equal(part, Term::Size(0)),
        _ => Err(false),
    };
    let mut all = Vec::new();
    for operand in entries.iter().filter(|operand| !operand.iter().any(|entry| zero(entry) == Err(true))) {
        all.extend(clauses.iter().cloned().map(|mut clause| {
            clause.literals.extend(operand.iter().filter_map(|entry| zero(entry).ok()));
            clause
        }));
    }
    all
}

/// Adds what must hold on one axis; the operand that others stretch to, if there is one, comes first.
fn conditions(clauses: &mut Vec<Clause>, axis: usize, fed: &[(usize, &Entry)], stretch: Stretch) {
    let mut add = |k: usize, l: usize, equals: &[(Term, Term)]| any_equal(clauses, axis, (k, l), equals);
    let one = Term::Size(1);
    if stretch == Stretch::All {
        pairs(fed, |(k, xs), (l, ys)| xs.iter().all(|&x| ys.iter().all(|&y| add(k, l, &[(x, y), (x, one), (y, one)]))));
        return;
    }
    let Some((&(k, base), others)) = fed.split_first() else { return };
    for &(l, other) in others {
        match (stretch, base.parts.as_slice(), other.parts.as_slice()) {
            (Stretch::Never, &[x], &[y]) => drop(add(k, l, &[(x, y)])),
            (Stretch::Tile(_), &[Term::Size(x)], &[Term::Size(y)]) if x.checked_rem(y) == Some(0) => {}
            (_, xs, ys) => {
                let mut into = |from: &[Term], to: &[Term]| {
                    for &y in from {
                        let mut equals: Vec<(Term, Term)> = to.iter().map(|&x| (x, y)).collect();
                        equals.push((y, one));
                        add(k, l, &equals);
                    }
                };
                into(ys, xs);
                if stretch == Stretch::Never {
                    into(xs, ys);
                }
            }
        }
    }
}

/// Adds that one of these pairs is equal; says whether there is room for more clauses.
fn any_equal(clauses: &mut Vec<Clause>, axis: usize, between: (usize, usize), equals: &[(Term, Term)]) -> bool {
    let mut literals = Vec::new();
    for &(x, y) in equals {
        match Literal::equal(x, y) {
            Ok(literal) => literals.push(literal),
            Err(true) => return true,
            Err(false) => {}
        }
    }
    // More are not written down, and the caller sees that there are too many.
    let has_room = clauses.len() <= CLAUSES;
    if has_room {
        clauses.push(Clause { axis: Some(axis), between, literals });
    }
    has_room
}

/// Visits the pairs of operands of which something must hold, until `visit` says that it has seen enough.
///
/// Nothing must hold of two equal sizes, nor of one that is 1. Many operands mostly have few sizes, so whole runs of equal
/// ones are passed over: the time is that of the operands and of the pairs visited.
fn pairs<'a>(fed: &[(usize, &'a Entry)], mut visit: impl FnMut((usize, &'a [Term]), (usize, &'a [Term])) -> bool) {
    let long = fed.iter().map(|&(k, entry)| (k, entry.parts.as_slice()));
    let long: Vec<(usize, &[Term])> = long.filter(|&(_, parts)| parts != [Term::Size(1)]).collect();
    // Where the run of equal sizes ends that each is in.
    let mut ends: Vec<usize> = (1..=long.len()).collect();
    for at in (1..long.len()).rev() {
        if long[at - 1].1 == long[at].1 {
            ends[at - 1] = ends[at];
        }
    }
    for (at, &one) in long.iter().enumerate() {
        let mut next = at + 1;
        while let Some(&other) = long.get(next) {
            if one.1.len() == 1 && one.1 == other.1 {
                next = ends[next];
            } else if visit(one, other) {
                next += 1;
            } else {
                return;
            }
        }
    }
}

/// Returns the result's dim on one axis, given what holds.
fn result(sizes: &Sizes, facts: &[Clause], fed: &[(usize, &Entry)], stretch: Stretch) -> Dim {
    let mut interval = fed.first().map_or(Interval::one(1), |&(_, entry)| entry.interval);
    let (mut parts, mut known): (Vec<Term>, BTreeSet<Term>) = (Vec::new(), BTreeSet::new());
    for (i, &(_, entry)) in fed.iter().enumerate() {
        if i > 0 {
            interval = both(interval, entry.interval, stretch);
        }
        if i == 0 || stretch.into().is_none() {
            parts.extend(entry.parts.iter().filter(|part| known.insert(**part)));
        }
    }
    parts.retain(|&part| part != Term::Size(1));
    if let Some(&Term::Size(size)) = parts.iter().find(|part| matches!(part, Term::Size(_))) {
        return Dim::known(size);
    }
    if parts.is_empty() {
        return Dim::known(1);
    }
    if facts.len() <= TIGHTEN && parts.len() <= TIGHTEN {
        interval = tighten(sizes, facts, &parts, interval);
        prune(sizes, facts, &mut parts);
    }
    let named: Option<Vec<Atom>> = parts.iter().map(|&part| sizes.part(part).cloned()).collect();
    Dim::of(named.filter(|_| interval.single().is_none()).unwrap_or_default(), interval)
}

/// Merges two intervals, the first being the one that is stretched to.
fn both(x: Interval, y: Interval, stretch: Stretch) -> Interval {
    let merged = match (stretch, x.has(1), y.has(1)) {
        (Stretch::All, true, true) => Some(x.join(y)),
        (Stretch::All, true, false) => Some(y),
        (Stretch::All, false, true) | (Stretch::Into(_), _, true) | (Stretch::Tile(_), ..) => Some(x),
        _ => x.meet(y),
    };
    merged.unwrap_or(x)
}

/// Keeps the parts that the result may come from: not those that are 1, and one of those that are equal.
fn prune(sizes: &Sizes, facts: &[Clause], parts: &mut Vec<Term>) {
    let can = |literal: Literal| possible(&sizes.intervals, all(facts).chain([[literal].as_slice()]));
    let holds = |literal: Result<Literal, bool>| literal.map_or_else(|known| known, |literal| !can(literal.negated()));
    let fails = |literal: Result<Literal, bool>| literal.map_or_else(|known| !known, |literal| !can(literal));
    parts.sort_by_key(|&part| sizes.part(part).is_none());
    let one = |part: Term| Literal::equal(part, Term::Size(1));
    if let Some(&never_one) = parts.iter().find(|&&part| fails(one(part))) {
        *parts = [never_one].into();
        return;
    }
    let mut kept: Vec<Term> = Vec::new();
    for &part in parts.iter() {
        if !holds(one(part)) && !kept.iter().any(|&known| holds(Literal::equal(known, part))) {
            kept.push(part);
        }
    }
    *parts = kept;
}

/// Narrows an interval to the hull of the sizes that the broadcast of `parts` can have where the facts hold.
///
/// Between the numbers that facts and intervals speak of, all sizes are alike: it is enough to try the ends.
fn tighten(sizes: &Sizes, facts: &[Clause], parts: &[Term], interval: Interval) -> Interval {
    if facts.is_empty() {
        return interval;
    }
    let mut points: Vec<usize> = [0, 1, 2].into();
    let mut add = |size: usize| {
        if size != usize::MAX {
            points.extend([size.saturating_sub(1), size, size.saturating_add(1)]);
        }
    };
    for literal in facts.iter().flat_map(|clause| &clause.literals) {
        if let Term::Size(size) = literal.term {
            add(size);
        }
    }
    sizes.intervals.iter().chain([&interval]).for_each(|ends| {
        add(ends.low);
        add(ends.high);
    });
    points.retain(|&size| interval.has(size));
    points.sort_unstable();
    points.dedup();
    let can = |&&size: &&usize| {
        let mut needed: Vec<Vec<Literal>> = Vec::new();
        let is = |part: Term, size: usize| Literal::equal(part, Term::Size(size)).ok();
        needed.extend(parts.iter().map(|&part| is(part, size).into_iter().chain(is(part, 1)).collect()));
        needed.push(parts.iter().filter_map(|&part| is(part, size)).collect());
        possible(&sizes.intervals, all(facts).chain(needed.iter().map(Vec::as_slice)))
    };
    let (Some(&low), Some(&high)) = (points.iter().find(can), points.iter().rev().find(can)) else { return interval };
    let open = interval.high == usize::MAX && points.last() == Some(&high);
    Interval { low, high: if open { usize::MAX } else { high } }
}

fn all(clauses: &[Clause]) -> impl Iterator<Item = &[Literal]> {
    clauses.iter().map(|clause| clause.literals.as_slice())
}

/// Says whether the broadcast of `more` is that of `fewer`, where the facts hold.
pub(crate) fn same_size(sizes: &Sizes, facts: &[Literal], fewer: &Dim, more: &Dim) -> bool {
    let vars = |dim: &Dim| dim.parts().iter().filter_map(|part| sizes.vars.get(part).copied()).collect::<Vec<_>>();
    let known: Vec<Term> = match fewer.size() {
        Some(size) => [Term::Size(size)].into(),
        None => vars(fewer).into_iter().map(Term::Var).collect(),
    };
    !known.is_empty()
        && (fewer.size().is_some() || fewer.parts().iter().all(|part| more.parts().contains(part)))
        && vars(more).into_iter().all(|part| {
            let targets = known.iter().copied().chain([Term::Size(1)]);
            let unequal: Option<Vec<[Literal; 1]>> = targets
                .map(|target| Literal::equal(Term::Var(part), target).ok().map(|literal| [literal.negated()]))
                .collect();
            let facts = facts.chunks(1);
            unequal.is_none_or(|unequal| {
                !possible(&sizes.intervals, facts.chain(unequal.iter().map(<[Literal; 1]>::as_slice)))
            })
        })
}

/// Writes the error for a clause that cannot hold.
pub(crate) fn refusal(
    head: &str,
    shapes: &[SymbolicShape],
    name: &dyn Fn(usize) -> String,
    placement: &Placement,
    (clause, alone): (&Clause, bool),
) -> Error {
    let ((one, two), axis) = (clause.between, clause.axis.unwrap_or(0));
    let dim = |k: usize| {
        let at = placement.axes[k].iter().position(|&at| at == axis);
        at.and_then(|i| shapes[k].dims().map(|dims| dims[i].clone())).unwrap_or_else(|| Dim::known(1))
    };
    let (x, y) = (dim(one), dim(two));
    let (kind, hint) = match placement.stretch {
        _ if !alone => (ErrorKind::Mismatch, "the other axes leave no size for them".to_string()),
        Stretch::All => (ErrorKind::Mismatch, "they must be equal or 1".to_string()),
        Stretch::Never => (ErrorKind::Mismatch, "they must be equal".to_string()),
        Stretch::Into(_) | Stretch::Tile(_) if x.size() == Some(1) => {
            (ErrorKind::Direction, format!("{} may not stretch, so {} must be 1 there", name(one), name(two)))
        }
        Stretch::Into(_) => (ErrorKind::Mismatch, format!("{} must be {x} or 1 there", name(two))),
        Stretch::Tile(_) => (ErrorKind::Mismatch, format!("{x} must be a multiple of the size of {} there", name(two))),
    };
    let text = format!("{head}: axis {axis} is {x} in {} and {y} in {}; {hint}", name(one), name(two));
    let error = Error::new(kind, text).operand_at(two).axis_at(axis);
    match (x.size(), y.size()) {
        (Some(x), Some(y)) => error.sized(x, y),
        _ => error,
    }
}
