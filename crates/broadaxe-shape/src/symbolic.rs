//! Infers broadcasts of symbolic shapes: the result's dims, and the guard under which they hold.
//!
//! A rule places axes as always; only the extents that it may look at are symbolic. Where
//! a placement depends on a size (ncnn's test of the slowest extent, for one) the question is answered both ways, and the
//! two results are united: the guard then says "if so, this, else that". On every axis the merge of known extents becomes
//! a condition (equal, or one of them 1) and a dim (an interval, a name, or `broadcast(n, m)` where it may be either).
//!
//! The conditions together are the [`Guard`], simplified: what the intervals rule out, what another condition implies
//! and what is always true is left out, and a guard that can never hold is an error. The result's intervals are the hull
//! of the sizes that are possible where the guard holds; for dims without a name they are the formulas of OpenVINO's
//! `Dimension::broadcast_merge` for NumPy's rule, the intersection for the rule that stretches nothing, and for a rule
//! that stretches into `a` the tight form: `a` where `b` may be 1, else `a` met with `b`.
//!
//! An unknown rank is tried rank by rank: where all ranks that go lead to one rank of the result, that is the result.

mod interval;
mod size;
mod dim;
mod guard;
mod solve;
mod merge;
mod ask;

use alloc::{format, string::String, vec, vec::Vec};

use self::{
    ask::Asked,
    guard::{Clause, Literal},
    merge::{Entry, Merged, Sizes},
};
pub use self::{
    dim::{Dim, SymbolicShape},
    guard::Guard,
    size::Size,
};
use crate::{
    align::{Placement, letter, sentence},
    error::{Error, ErrorKind},
    rule::{Call, Rule},
    shape::{MAX_RANK, Shape, elements},
};

/// How many ways a placement may come out, for the sizes that are not known.
const WAYS: usize = 48;
/// How many combinations of ranks are tried for operands of unknown rank.
const RANKS: usize = 5000;

/// The result of a rule over symbolic shapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inferred {
    shape: SymbolicShape,
    guard: Guard,
    placement: Option<Placement>,
}

impl Inferred {
    /// Returns the result's shape, right wherever the guard holds.
    pub fn shape(&self) -> &SymbolicShape {
        &self.shape
    }

    /// Returns the condition under which the operands broadcast.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Returns where each operand's axes go, when that is the same for all sizes.
    pub fn placement(&self) -> Option<&Placement> {
        self.placement.as_ref()
    }

    /// Says whether both put the axes of the operands in the same places, so that they mean the same wherever both guards hold.
    ///
    /// Where a placement depends on sizes, the results have to be equal too.
    pub fn places_alike(&self, other: &Self) -> bool {
        match (&self.placement, &other.placement) {
            (Some(one), Some(other)) => one.rank == other.rank && one.axes == other.axes,
            (None, None) => self.shape == other.shape && self.guard == other.guard,
            _ => false,
        }
    }
}

/// One outcome of a placement, and the answers that lead to it.
struct Way {
    path: Vec<Literal>,
    outcome: Result<(Placement, Merged), Error>,
}

struct Inference<'a> {
    rule: &'a Rule,
    shapes: Vec<SymbolicShape>,
    entries: Vec<Vec<Entry>>,
    sizes: Sizes,
    ways: Vec<Way>,
}

impl Rule {
    /// Infers the result's shape from shapes that may not be known, and the guard under which it is right.
    ///
    /// A placement that depends on a size is followed both ways. The guard of a broadcast with an operand of unknown rank
    /// is not exact.
    ///
    /// # Errors
    /// As [`Rule::align`], when no sizes make the broadcast hold; [`ErrorKind::Undecided`] when the placement can come
    /// out in too many ways.
    ///
    /// ```
    /// use broadaxe_shape::Rule;
    /// let inferred = Rule::numpy().infer(&["n,4".parse()?, "3,4".parse()?])?;
    /// assert_eq!(inferred.shape().to_string(), "(3, 4)");
    /// assert_eq!(inferred.guard().to_string(), "n == 3 or n == 1");
    /// # Ok::<(), broadaxe_shape::Error>(())
    /// ```
    pub fn infer(&self, shapes: &[SymbolicShape]) -> Result<Inferred, Error> {
        match &self.params().target {
            Some(target) => self.infer_to(shapes, &SymbolicShape::from(target)),
            None => infer(self, shapes.to_vec()),
        }
    }

    /// Infers as [`Rule::infer`] with this target, under a rule that has one, in place of the parameter.
    ///
    /// # Errors
    /// As [`Rule::infer`]; [`ErrorKind::Parameter`] when the rule has no target.
    pub fn infer_to(&self, shapes: &[SymbolicShape], target: &SymbolicShape) -> Result<Inferred, Error> {
        if !self.def().target {
            let text = format!("the rule {} has no parameter target", self.name());
            return Err(Error::new(ErrorKind::Parameter, text).under(self.name()));
        }
        infer(self, shapes.iter().chain([target]).cloned().collect())
    }
}

/// Infers for operands and, under a rule that has one, the target.
fn infer(rule: &Rule, shapes: Vec<SymbolicShape>) -> Result<Inferred, Error> {
    let def = rule.def();
    rule.check_count(shapes.len() - usize::from(def.target))?;
    for shape in &shapes {
        checked(shape).map_err(|e| e.under(def.name))?;
    }
    let unknown: Vec<usize> = (0..shapes.len()).filter(|&k| shapes[k].rank().is_none()).collect();
    if unknown.is_empty() { infer_ranked(rule, shapes) } else { infer_ranks(rule, &shapes, &unknown) }
}

/// Rejects a rank above the largest, and known dims that cannot be counted.
fn checked(shape: &SymbolicShape) -> Result<(), Error> {
    let Some(dims) = shape.dims() else { return Ok(()) };
    if dims.len() > MAX_RANK {
        return Err(Error::new(ErrorKind::Rank, format!("rank {} is above the largest rank, {MAX_RANK}", dims.len())));
    }
    elements(&dims.iter().filter_map(Dim::size).collect::<Vec<_>>()).map(drop)
}

/// Infers for every rank that the operands of unknown rank can have, and unites the results.
fn infer_ranks(rule: &Rule, shapes: &[SymbolicShape], unknown: &[usize]) -> Result<Inferred, Error> {
    let params = rule.params();
    let numbers = params.axis.iter().chain(params.axes.iter().flatten());
    let reach = numbers.map(|axis| usize::try_from(axis.unsigned_abs()).unwrap_or(MAX_RANK)).max().unwrap_or(0);
    let known = shapes.iter().filter_map(SymbolicShape::rank).max().unwrap_or(0);
    let most = known.saturating_add(reach).saturating_add(2).min(MAX_RANK);
    let unranked = || {
        let guard = Guard { names: vec![], clauses: vec![], exact: false };
        Inferred { shape: SymbolicShape::unknown_rank(), guard, placement: None }
    };
    let combinations = u32::try_from(unknown.len()).ok().and_then(|n| (most + 1).checked_pow(n));
    let Some(combinations) = combinations.filter(|&n| n <= RANKS) else { return Ok(unranked()) };
    let mut united: Option<Vec<Dim>> = None;
    let mut last = None;
    for combination in 0..combinations {
        let (mut ranked, mut rest) = (shapes.to_vec(), combination);
        for &k in unknown {
            ranked[k] = SymbolicShape::new(vec![Dim::unknown(); rest % (most + 1)]);
            rest /= most + 1;
        }
        match infer_ranked(rule, ranked) {
            // What sizes do wrong says more than what a rank does wrong.
            Err(error) if error.kind() == ErrorKind::Rank => last = last.or(Some(error)),
            Err(error) => last = Some(error),
            Ok(Inferred { shape, .. }) => {
                let Some(dims) = shape.dims() else { return Ok(unranked()) };
                united = match united {
                    None => Some(dims.to_vec()),
                    Some(known) if known.len() != dims.len() => return Ok(unranked()),
                    Some(known) => Some(known.iter().zip(dims).map(|(x, y)| join(x, y)).collect()),
                };
            }
        }
    }
    match (united, last) {
        (Some(dims), _) => Ok(Inferred { shape: SymbolicShape::new(dims), ..unranked() }),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(unranked()),
    }
}

/// Returns a dim that has the sizes of both.
fn join(x: &Dim, y: &Dim) -> Dim {
    let parts = if x.parts() == y.parts() { x.parts().to_vec() } else { vec![] };
    Dim::of(parts, x.interval().join(y.interval()))
}

fn infer_ranked(rule: &Rule, shapes: Vec<SymbolicShape>) -> Result<Inferred, Error> {
    let def = rule.def();
    let sizes: Option<Vec<Shape>> = shapes.iter().map(SymbolicShape::known).collect();
    if let (Some(known), false) = (sizes, def.target) {
        // The errors of known shapes are those of `align`.
        rule.align(&known.iter().map(Shape::dims).collect::<Vec<_>>())?;
    }
    let mut sizes = Sizes::default();
    let dims: Vec<&[Dim]> = shapes.iter().filter_map(SymbolicShape::dims).collect();
    let entries = sizes.read(&dims, def.target).map_err(|e| e.under(def.name))?;
    let mut inference = Inference { rule, shapes, entries, sizes, ways: vec![] };
    inference.follow(&mut vec![])?;
    inference.unite()
}

impl Inference<'_> {
    /// Asks for the placement under these answers; also returns the questions that they leave open.
    fn place(&self, path: &[Literal]) -> (Result<Placement, Error>, Vec<Literal>) {
        let asked = Asked::new(&self.sizes, &self.entries, &self.shapes, path);
        let def = self.rule.def();
        let outcome = (def.place)(&Call { def, extents: &asked, params: self.rule.params() });
        (outcome, asked.questions())
    }

    /// Follows the placement under the answers given so far, and both ways where another answer is needed.
    ///
    /// A rule may pass over an open question (ncnn: is a dim 0?); it still counts where the answer yes is rejected.
    fn follow(&mut self, path: &mut Vec<Literal>) -> Result<(), Error> {
        let (outcome, questions) = self.place(path);
        let fork = match &outcome {
            Err(error) if error.kind() == ErrorKind::Undecided => questions.last(),
            Err(_) => None,
            Ok(_) => questions.iter().find(|&&question| {
                path.push(question);
                let refused = self.place(path).0.is_err_and(|error| error.kind() != ErrorKind::Undecided);
                path.pop();
                refused
            }),
        };
        if let Some(&question) = fork {
            if self.ways.len() + path.len() >= WAYS {
                let error = outcome.err().filter(|error| error.kind() == ErrorKind::Undecided);
                let text = || format!("{}: the placement depends on too many sizes", self.head());
                return Err(error.unwrap_or_else(|| Error::new(ErrorKind::Undecided, text()).under(self.rule.name())));
            }
            for answer in [question, question.negated()] {
                path.push(answer);
                self.follow(path)?;
                path.pop();
            }
            return Ok(());
        }
        let outcome = outcome.and_then(|placement| {
            let merged = self.merge(&placement, path)?;
            Ok((placement, merged))
        });
        if let Err(error) = &outcome
            && error.kind() == ErrorKind::Undecided
        {
            return Err(error.clone());
        }
        self.ways.push(Way { path: path.clone(), outcome });
        Ok(())
    }

    fn merge(&self, placement: &Placement, path: &[Literal]) -> Result<Merged, Error> {
        let def = self.rule.def();
        if placement.rank > MAX_RANK {
            let text = format!("the result would have rank {}, above the largest, {MAX_RANK}", placement.rank);
            return Err(Error::new(ErrorKind::Rank, text).under(def.name));
        }
        if let Some((axis, k)) = merge::open_tile(&self.entries, placement) {
            let text = format!(
                "{}: whether axis {axis} is a multiple of the size of {} there is not known; give them sizes",
                self.head(),
                letter(k)
            );
            return Err(Error::new(ErrorKind::Undecided, text).under(def.name).axis_at(axis).operand_at(k));
        }
        merge::merge(&self.sizes, &self.entries, placement, path).map_err(|clause| {
            let alone = !solve::possible(&self.sizes.intervals, [clause.literals.as_slice()]);
            let name = |k: usize| if def.target && k + 1 == self.shapes.len() { "target".into() } else { letter(k) };
            merge::refusal(&self.head(), &self.shapes, &name, placement, (&clause, alone)).under(def.name)
        })
    }

    fn head(&self) -> String {
        let asked = Asked::new(&self.sizes, &self.entries, &self.shapes, &[]);
        sentence(self.rule.name(), &asked, self.rule.def().target)
    }

    /// Unites the ways: a way's conditions hold where its answers do.
    fn unite(mut self) -> Result<Inferred, Error> {
        let mut clauses: Vec<Clause> = Vec::new();
        let mut united: Option<Option<Vec<Dim>>> = None;
        let mut placements: Vec<Placement> = Vec::new();
        let (mut exact, mut last, mut paths) = (true, None, Vec::<Vec<Literal>>::new());
        for way in core::mem::take(&mut self.ways) {
            let unless: Vec<Literal> = way.path.iter().map(|literal| literal.negated()).collect();
            match way.outcome {
                Err(error) => {
                    clauses.push(Clause { axis: error.axis(), between: (0, 0), literals: unless });
                    last = Some(error);
                }
                Ok((placement, merged)) => {
                    clauses.extend(merged.clauses.into_iter().map(|mut clause| {
                        clause.literals.extend(&unless);
                        clause
                    }));
                    exact &= merged.exact;
                    united = Some(match united {
                        None => Some(merged.dims),
                        Some(known) => known.and_then(|known| self.join_all(&known, &paths, &merged.dims, &way.path)),
                    });
                    placements.push(placement);
                    paths.push(way.path);
                }
            }
        }
        let Some(dims) = united else {
            return Err(last.unwrap_or_else(|| Error::new(ErrorKind::Undecided, self.head())));
        };
        let clauses = solve::simplify(&self.sizes.intervals, clauses).map_err(|clause| {
            let text = format!("{}: no sizes satisfy every axis", self.head());
            let error = Error::new(ErrorKind::Mismatch, text).under(self.rule.name());
            clause.axis.into_iter().fold(error, Error::axis_at)
        })?;
        let placement = placements.first().filter(|first| placements.iter().all(|other| other == *first)).cloned();
        let shape = dims.map_or_else(SymbolicShape::unknown_rank, SymbolicShape::new);
        checked(&shape).map_err(|e| e.under(self.rule.name()))?;
        Ok(Inferred { shape, guard: Guard { names: self.sizes.names, clauses, exact }, placement })
    }

    /// Unites the dims of the ways so far with those of another way; nothing where their number differs.
    fn join_all(&self, known: &[Dim], paths: &[Vec<Literal>], dims: &[Dim], path: &[Literal]) -> Option<Vec<Dim>> {
        let pairs = known.iter().zip(dims);
        (known.len() == dims.len()).then(|| pairs.map(|(x, y)| self.join(x, paths, y, path)).collect())
    }

    /// Unites a dim of the ways so far with that of another way; names stay where they mean the same both ways.
    fn join(&self, x: &Dim, paths: &[Vec<Literal>], y: &Dim, path: &[Literal]) -> Dim {
        let both = x.interval().join(y.interval());
        if paths.iter().all(|path| merge::same_size(&self.sizes, path, x, y)) {
            Dim::of(y.parts().to_vec(), both)
        } else if merge::same_size(&self.sizes, path, y, x) {
            Dim::of(x.parts().to_vec(), both)
        } else {
            join(x, y)
        }
    }
}

#[cfg(test)]
mod tests;
