//! Decides whether conditions on sizes can hold together, and simplifies them.
//!
//! Sizes known to be equal share a root; a root has an interval. A clause with one literal left is asserted, else the
//! first open clause is tried literal by literal. The search is limited: when it gives up it answers "it can hold",
//! which leaves a guard longer than it need be, but right.

use alloc::{vec, vec::Vec};

use super::{
    guard::{Clause, Literal, Term},
    interval::Interval,
};

/// How many clauses the search may look at before it gives up.
const STEPS: usize = 20_000;
/// Above this many clauses a guard is not simplified.
const SIMPLIFY: usize = 32;

#[derive(Clone)]
struct State {
    root: Vec<usize>,
    interval: Vec<Interval>,
    apart: Vec<(usize, Term)>,
}

impl State {
    fn new(intervals: &[Interval]) -> Self {
        Self { root: (0..intervals.len()).collect(), interval: intervals.to_vec(), apart: Vec::new() }
    }

    fn root(&self, mut var: usize) -> usize {
        while self.root[var] != var {
            var = self.root[var];
        }
        var
    }

    fn interval(&self, term: Term) -> Interval {
        match term {
            Term::Var(var) => self.interval[self.root(var)],
            Term::Size(size) => Interval::one(size),
        }
    }

    fn rooted(&self, term: Term) -> Term {
        match term {
            Term::Var(var) => Term::Var(self.root(var)),
            size @ Term::Size(_) => size,
        }
    }

    /// Says whether a literal is true or false by what is known so far.
    fn value(&self, literal: Literal) -> Option<bool> {
        let (x, y) = (self.rooted(Term::Var(literal.var)), self.rooted(literal.term));
        let (dx, dy) = (self.interval(x), self.interval(y));
        let equal = if x == y || (dx.single().is_some() && dx == dy) {
            Some(true)
        } else if dx.meet(dy).is_none() || self.are_apart(x, y) {
            Some(false)
        } else {
            None
        };
        equal.map(|equal| equal == literal.equal)
    }

    fn are_apart(&self, x: Term, y: Term) -> bool {
        self.apart.iter().any(|&(p, q)| {
            let (p, q) = (self.rooted(Term::Var(p)), self.rooted(q));
            let sized = |t: Term| self.interval(t).single().map_or(t, Term::Size);
            let pair = (sized(p), sized(q));
            pair == (sized(x), sized(y)) || pair == (sized(y), sized(x))
        })
    }

    /// Asserts a literal; false when it cannot be true.
    fn assert(&mut self, literal: Literal) -> bool {
        match self.value(literal) {
            Some(value) => return value,
            None if !literal.equal => self.apart.push((literal.var, literal.term)),
            None => {
                let x = self.root(literal.var);
                let Some(both) = self.interval[x].meet(self.interval(literal.term)) else { return false };
                if let Term::Var(y) = literal.term {
                    let y = self.root(y);
                    self.root[y] = x;
                }
                self.interval[x] = both;
            }
        }
        self.trim()
    }

    /// Cuts from the ends of intervals what is ruled out; false when nothing is left.
    fn trim(&mut self) -> bool {
        let mut again = true;
        while again {
            again = false;
            for at in 0..self.apart.len() {
                let (p, q) = (self.rooted(Term::Var(self.apart[at].0)), self.rooted(self.apart[at].1));
                if p == q {
                    return false;
                }
                for (x, y) in [(p, q), (q, p)] {
                    let (Term::Var(x), Some(out)) = (x, self.interval(y).single()) else { continue };
                    let Interval { low, high } = self.interval[x];
                    if low == out && high == out {
                        return false;
                    } else if low == out {
                        self.interval[x].low += 1;
                        again = true;
                    } else if high == out && high != usize::MAX {
                        self.interval[x].high -= 1;
                        again = true;
                    }
                }
            }
        }
        true
    }

    fn search(mut self, clauses: &[&[Literal]], steps: &mut usize) -> bool {
        loop {
            match self.propagate(clauses, steps) {
                Propagated::Decided(holds) => return holds,
                Propagated::Asserted => {}
                Propagated::Open(clause) => return self.branch(clause, clauses, steps),
            }
        }
    }

    /// Visits each clause once, and asserts the literal of those that have only one left. Without steps left, the answer is yes.
    fn propagate(&mut self, clauses: &[&[Literal]], steps: &mut usize) -> Propagated {
        let (mut open, mut asserted) = (None, false);
        for clause in clauses {
            if *steps == 0 {
                return Propagated::Decided(true);
            }
            *steps -= 1;
            let Some(left) = self.undecided(clause) else { continue };
            match left.as_slice() {
                &[only] if self.assert(only) => asserted = true,
                [] | [_] => return Propagated::Decided(false),
                _ => open = open.or(Some(left)),
            }
        }
        match open {
            _ if asserted => Propagated::Asserted,
            Some(open) => Propagated::Open(open),
            None => Propagated::Decided(true),
        }
    }

    /// Lists the literals of a clause that may hold or not; nothing where one of the others holds.
    fn undecided(&self, clause: &[Literal]) -> Option<Vec<Literal>> {
        let mut left = Vec::new();
        for &literal in clause {
            match self.value(literal) {
                Some(true) => return None,
                Some(false) => {}
                None => left.push(literal),
            }
        }
        Some(left)
    }

    /// Tries the literals of an open clause, each with those before it false.
    fn branch(mut self, open: Vec<Literal>, clauses: &[&[Literal]], steps: &mut usize) -> bool {
        for literal in open {
            let mut branch = self.clone();
            if branch.assert(literal) && branch.search(clauses, steps) {
                return true;
            }
            if !self.assert(literal.negated()) {
                return false;
            }
        }
        false
    }
}

/// The outcome of one pass over the clauses.
enum Propagated {
    /// They can hold together, or they cannot.
    Decided(bool),
    /// A literal was asserted, which may decide others.
    Asserted,
    /// This clause, the first of them, has several literals left.
    Open(Vec<Literal>),
}

/// Says whether these conditions can hold together, for sizes within these intervals.
///
/// Conditions on different sizes hold or fail independently: each group is searched alone, which keeps the search from
/// trying their combinations.
pub(crate) fn possible<'a>(intervals: &[Interval], clauses: impl IntoIterator<Item = &'a [Literal]>) -> bool {
    let clauses: Vec<&[Literal]> = clauses.into_iter().collect();
    let mut steps = STEPS;
    groups(intervals.len(), &clauses).iter().all(|group| State::new(intervals).search(group, &mut steps))
}

/// Groups the clauses that share sizes, directly or through other clauses.
fn groups<'a>(sizes: usize, clauses: &[&'a [Literal]]) -> Vec<Vec<&'a [Literal]>> {
    let mut root: Vec<usize> = (0..sizes).collect();
    let find = |root: &[usize], mut size: usize| {
        while root[size] != size {
            size = root[size];
        }
        size
    };
    let vars = |literal: &Literal| match literal.term {
        Term::Var(other) => [literal.var, other],
        Term::Size(_) => [literal.var; 2],
    };
    for clause in clauses {
        let Some(first) = clause.first() else { continue };
        for var in clause.iter().flat_map(vars) {
            let (one, other) = (find(&root, first.var), find(&root, var));
            root[other] = one;
        }
    }
    let mut groups: Vec<Vec<&[Literal]>> = Vec::new();
    let mut group_of: Vec<Option<usize>> = vec![None; sizes];
    for &clause in clauses {
        let at = clause.first().map(|first| find(&root, first.var));
        if let Some(group) = at.and_then(|at| group_of[at]) {
            groups[group].push(clause);
            continue;
        }
        if let Some(at) = at {
            group_of[at] = Some(groups.len());
        }
        groups.push(vec![clause]);
    }
    groups
}

/// Says the conditions in fewer words: nothing impossible, nothing implied, nothing twice.
///
/// # Errors
/// The first clause that cannot hold together with those before it.
pub(crate) fn simplify(intervals: &[Interval], clauses: Vec<Clause>) -> Result<Vec<Clause>, Clause> {
    let state = State::new(intervals);
    let mut kept: Vec<Clause> = Vec::new();
    for clause in clauses {
        let mut literals: Vec<Literal> = Vec::new();
        let mut holds = false;
        for &literal in &clause.literals {
            holds |= state.value(literal) == Some(true) || literals.contains(&literal.negated());
            if state.value(literal).is_none() && !literals.contains(&literal) {
                literals.push(literal);
            }
        }
        let implied = |other: &Clause| other.literals.iter().all(|literal| literals.contains(literal));
        if holds || kept.iter().any(implied) {
            continue;
        }
        if literals.is_empty() {
            return Err(clause);
        }
        kept.push(Clause { literals, ..clause });
    }
    if !possible(intervals, kept.iter().map(|clause| clause.literals.as_slice())) {
        let together = |n: usize| possible(intervals, kept[..n].iter().map(|clause| clause.literals.as_slice()));
        let first = (1..kept.len()).find(|&n| !together(n)).unwrap_or(kept.len());
        return Err(kept.swap_remove(first - 1));
    }
    if kept.len() <= SIMPLIFY {
        shorten(intervals, &mut kept);
        drop_implied(intervals, &mut kept);
    }
    for clause in &mut kept {
        let last = |literal: &Literal| (matches!(literal.term, Term::Size(_)), literal.term == Term::Size(1));
        clause.literals.sort_by_key(|literal| (!literal.equal, last(literal), literal.var, literal.term));
    }
    Ok(kept)
}

/// Drops every literal without which its clause says the same, given the other clauses.
fn shorten(intervals: &[Interval], clauses: &mut [Clause]) {
    for at in 0..clauses.len() {
        let mut i = 0;
        while clauses[at].literals.len() > 1 && i < clauses[at].literals.len() {
            let literals = &clauses[at].literals;
            let needed: Vec<[Literal; 1]> =
                literals.iter().enumerate().map(|(j, &l)| [if j == i { l } else { l.negated() }]).collect();
            if possible(intervals, others(clauses, at).chain(needed.iter().map(<[_; 1]>::as_slice))) {
                i += 1;
            } else {
                clauses[at].literals.remove(i);
            }
        }
    }
}

/// Drops every clause that the others imply, the longest first.
fn drop_implied(intervals: &[Interval], clauses: &mut Vec<Clause>) {
    let longest = clauses.iter().map(|clause| clause.literals.len()).max().unwrap_or(0);
    for length in (1..=longest).rev() {
        for at in (0..clauses.len()).rev() {
            if clauses[at].literals.len() != length {
                continue;
            }
            let broken: Vec<[Literal; 1]> = clauses[at].literals.iter().map(|l| [l.negated()]).collect();
            if !possible(intervals, others(clauses, at).chain(broken.iter().map(<[_; 1]>::as_slice))) {
                clauses.remove(at);
            }
        }
    }
}

fn others(clauses: &[Clause], at: usize) -> impl Iterator<Item = &[Literal]> {
    let all = clauses.iter().enumerate();
    all.filter(move |&(i, _)| i != at).map(|(_, clause)| clause.literals.as_slice())
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec};

    use super::*;

    fn is(var: usize, size: usize) -> Literal {
        Literal { var, term: Term::Size(size), equal: true }
    }
    fn same(var: usize, other: usize) -> Literal {
        Literal { var, term: Term::Var(other), equal: true }
    }

    #[test]
    fn possible_together() {
        let any = [Interval::ANY; 3];
        let narrow = [Interval { low: 1, high: 2 }, Interval { low: 2, high: 3 }, Interval { low: 0, high: 1 }];
        type Case<'a> = (&'a [Interval], &'a [&'a [Literal]], bool);
        let cases: [Case<'_>; 8] = [
            (&any, &[], true),
            (&any, &[&[is(0, 3), is(0, 1)], &[is(0, 2), is(0, 1)]], true),
            (&any, &[&[is(0, 3), is(0, 1)], &[is(0, 2)]], false),
            (&any, &[&[same(0, 1)], &[same(1, 2)], &[same(0, 2).negated()]], false),
            (&any, &[&[same(0, 1)], &[is(0, 4)], &[is(1, 4).negated()]], false),
            (&narrow, &[&[same(0, 1)], &[is(0, 2).negated()]], false),
            (&narrow, &[&[same(0, 2)], &[is(2, 0)]], false),
            (&narrow, &[&[is(1, 2).negated()], &[is(1, 3).negated()]], false),
        ];
        for (i, (intervals, clauses, want)) in cases.iter().enumerate() {
            assert_eq!(possible(intervals, clauses.iter().copied()), *want, "case {i}");
        }
    }

    #[test]
    fn groups_are_searched_alone() {
        let pairs: Vec<[Literal; 2]> = (0..20).map(|k| [same(2 * k, 2 * k + 1), is(2 * k, 1)]).collect();
        let (x, y) = (is(0, 1), is(1, 1));
        let contradiction = [[x, y], [x.negated(), y], [x, y.negated()], [x.negated(), y.negated()]];
        let clauses = |contradictory: usize| {
            let last = contradiction[..contradictory].iter().map(<[_; 2]>::as_slice);
            pairs[1..].iter().map(<[_; 2]>::as_slice).chain(last).collect::<Vec<_>>()
        };
        assert!(possible(&[Interval::ANY; 40], clauses(3)));
        // A search of the pairs' combinations would give up before it found this.
        assert!(!possible(&[Interval::ANY; 40], clauses(4)));
    }

    #[test]
    fn fewer_words() {
        let clause = |literals: &[Literal]| Clause { axis: Some(0), between: (0, 1), literals: literals.to_vec() };
        let pair = [same(0, 1), is(0, 1), is(1, 1)];
        let cases = [
            (vec![clause(&pair), clause(&pair)], vec![clause(&pair)]),
            // two sizes that are each 3 or 1 go together
            (
                vec![clause(&pair), clause(&[is(0, 3), is(0, 1)]), clause(&[is(1, 3), is(1, 1)])],
                vec![clause(&[is(0, 3), is(0, 1)]), clause(&[is(1, 3), is(1, 1)])],
            ),
            // 3 or 1, and 2 or 1
            (vec![clause(&[is(0, 3), is(0, 1)]), clause(&[is(0, 2), is(0, 1)])], vec![clause(&[is(0, 1)])]),
            // whether a question is answered yes or no
            (vec![clause(&[is(2, 4), is(0, 3)]), clause(&[is(2, 4).negated(), is(0, 3)])], vec![clause(&[is(0, 3)])]),
        ];
        for (given, want) in cases {
            let text = format!("{given:?}");
            assert_eq!(simplify(&[Interval::ANY; 3], given), Ok(want), "{text}");
        }
        let impossible = vec![clause(&[is(0, 3)]), clause(&[is(1, 3)]), clause(&[is(0, 2)])];
        assert_eq!(simplify(&[Interval::ANY; 3], impossible), Err(clause(&[is(0, 2)])));
    }

    /// Clauses of one to three literals on three sizes: every literal, with others at a few distances from it.
    fn clauses() -> Vec<Clause> {
        let terms = |var: usize| (0..4).map(Term::Size).chain([Term::Var((var + 1) % 3), Term::Var((var + 2) % 3)]);
        let literals: Vec<Literal> = (0..3)
            .flat_map(|var| terms(var).flat_map(move |term| [true, false].map(|equal| Literal { var, term, equal })))
            .collect();
        let others = |at: usize, step: usize| [0, step, 3 * step + 1].map(|by| literals[(at + by) % literals.len()]);
        let clause = |literals: &[Literal]| Clause { axis: None, between: (0, 1), literals: literals.to_vec() };
        (0..literals.len())
            .flat_map(|at| [1, 5, 7, 12].map(|step| others(at, step)))
            .flat_map(|three| [1, 2, 3].map(|count| clause(&three[..count])))
            .collect()
    }

    /// Says whether all clauses hold for these sizes.
    fn hold(clauses: &[Clause], sizes: [usize; 3]) -> bool {
        let other = |term| match term {
            Term::Var(var) => sizes[var],
            Term::Size(size) => size,
        };
        let holds = |literal: &Literal| (sizes[literal.var] == other(literal.term)) == literal.equal;
        clauses.iter().all(|clause| clause.literals.iter().any(holds))
    }

    /// Compares 20,000 guards with all sizes that three intervals allow.
    #[test]
    fn the_answers_of_brute_force() {
        let intervals = [Interval { low: 0, high: 2 }, Interval { low: 1, high: 3 }, Interval { low: 0, high: 3 }];
        let every = || (0..=2).flat_map(|x| (1..=3).flat_map(move |y| (0..=3).map(move |z| [x, y, z])));
        let (all, mut impossible, mut shorter) = (clauses(), 0, 0);
        for i in 0..20_000 {
            let given: Vec<Clause> = [i, 31 * i + 7, 97 * i + 5, 211 * i + 3][..=i % 4]
                .iter()
                .map(|at| all[at % all.len()].clone())
                .collect();
            let want: Vec<bool> = every().map(|sizes| hold(&given, sizes)).collect();
            let can_hold = want.contains(&true);
            let slices = given.iter().map(|clause| clause.literals.as_slice());
            // The search may not see that intervals run out of sizes; it never excludes sizes that exist.
            assert!(possible(&intervals, slices) || !can_hold, "{given:?}");
            match simplify(&intervals, given.clone()) {
                Ok(simple) => {
                    let got: Vec<bool> = every().map(|sizes| hold(&simple, sizes)).collect();
                    assert_eq!(got, want, "{given:?} became {simple:?}");
                    let length = |clauses: &[Clause]| clauses.iter().map(|clause| clause.literals.len()).sum::<usize>();
                    assert!(length(&simple) <= length(&given), "{given:?} became {simple:?}");
                    shorter += usize::from(length(&simple) < length(&given));
                }
                Err(clause) => {
                    assert!(!can_hold, "{given:?} is refused for {clause:?}");
                    impossible += 1;
                }
            }
        }
        assert!(impossible > 100 && shorter > 1000, "{impossible} impossible, {shorter} shorter");
    }
}
