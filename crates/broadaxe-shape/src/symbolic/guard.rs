//! The guard: the exact condition on sizes under which a broadcast holds.
//!
//! A guard is a conjunction of clauses, a clause a disjunction of literals, a literal says that a size equals (or does
//! not equal) another. Negated literals come only from rules whose placement depends on the sizes.

use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

/// A side of a literal: a size by its index, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Term {
    Var(usize),
    Size(usize),
}

/// Says that a size equals a term, or that it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) var: usize,
    pub(crate) term: Term,
    pub(crate) equal: bool,
}

impl Literal {
    /// Makes the literal `x == y`, or returns its value when that is known.
    pub(crate) fn equal(x: Term, y: Term) -> Result<Self, bool> {
        match (x, y) {
            (Term::Size(x), Term::Size(y)) => Err(x == y),
            (Term::Var(x), Term::Var(y)) if x == y => Err(true),
            (Term::Var(x), Term::Var(y)) => Ok(Self { var: x.min(y), term: Term::Var(x.max(y)), equal: true }),
            (Term::Var(var), term) | (term, Term::Var(var)) => Ok(Self { var, term, equal: true }),
        }
    }

    pub(crate) fn negated(self) -> Self {
        Self { equal: !self.equal, ..self }
    }
}

/// One condition of a guard, and the axis and operands it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) axis: Option<usize>,
    pub(crate) between: (usize, usize),
    pub(crate) literals: Vec<Literal>,
}

/// The condition under which a broadcast of symbolic shapes holds.
///
/// Displays as Python would write it: `n == 3 or n == 1`, `(n == m or n == 1 or m == 1) and k == 4`, `True`. A dim that
/// has no name is called by its place: `b[0]` is axis 0 of the second operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    pub(crate) names: Vec<String>,
    pub(crate) clauses: Vec<Clause>,
    pub(crate) exact: bool,
}

impl Guard {
    /// Says whether the broadcast holds for all sizes.
    pub fn is_always(&self) -> bool {
        self.exact && self.clauses.is_empty()
    }

    /// Says whether the guard is the whole condition.
    ///
    /// It is not where a rank is unknown: the condition on the rank cannot be written as one on sizes.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns the clauses, each with the result axis that it comes from, if it comes from one; all must hold.
    ///
    /// Joined by `and` they read as the guard: one of several clauses has brackets around its `or`.
    pub fn clauses(&self) -> Vec<(Option<usize>, String)> {
        self.clauses.iter().map(|clause| (clause.axis, self.text(clause))).collect()
    }

    /// Returns the names that the guard speaks of, in the order of the operands.
    pub fn names(&self) -> Vec<&str> {
        let literals = self.clauses.iter().flat_map(|clause| &clause.literals);
        let vars = |literal: &Literal| match literal.term {
            Term::Var(var) => [literal.var, var],
            Term::Size(_) => [literal.var; 2],
        };
        let used: BTreeSet<usize> = literals.flat_map(vars).collect();
        used.into_iter().map(|var| self.names[var].as_str()).collect()
    }

    /// Says whether the guard holds for these sizes; nothing when a name that it speaks of is missing.
    ///
    /// ```
    /// use broadaxe_shape::Rule;
    /// let inferred = Rule::numpy().infer(&["n,4".parse()?, "3,4".parse()?])?;
    /// assert_eq!(inferred.guard().holds(&[("n", 1)]), Some(true));
    /// assert_eq!(inferred.guard().holds(&[("n", 2)]), Some(false));
    /// assert_eq!(inferred.guard().holds(&[("m", 2)]), None);
    /// # Ok::<(), broadaxe_shape::Error>(())
    /// ```
    pub fn holds(&self, sizes: &[(&str, usize)]) -> Option<bool> {
        let bound = |var: usize| sizes.iter().find(|(name, _)| *name == self.names[var]).map(|&(_, size)| size);
        let mut all = true;
        for clause in &self.clauses {
            let mut any = false;
            for literal in &clause.literals {
                let other = match literal.term {
                    Term::Size(size) => size,
                    Term::Var(var) => bound(var)?,
                };
                any |= (bound(literal.var)? == other) == literal.equal;
            }
            all &= any;
        }
        Some(all)
    }

    fn text(&self, clause: &Clause) -> String {
        let literals: Vec<String> = clause.literals.iter().map(|&literal| literal_text(&self.names, literal)).collect();
        let text = literals.join(" or ");
        if literals.len() > 1 && self.clauses.len() > 1 { format!("({text})") } else { text }
    }
}

/// Writes one literal: `n == 3`, `n != m`.
pub(crate) fn literal_text(names: &[String], literal: Literal) -> String {
    let other = match literal.term {
        Term::Size(size) => size.to_string(),
        Term::Var(var) => names[var].clone(),
    };
    format!("{} {} {other}", names[literal.var], if literal.equal { "==" } else { "!=" })
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.clauses.is_empty() {
            return f.write_str("True");
        }
        let clauses: Vec<String> = self.clauses.iter().map(|clause| self.text(clause)).collect();
        f.write_str(&clauses.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec};

    use super::*;

    fn guard() -> Guard {
        let or = |var, term| Literal { var, term, equal: true };
        Guard {
            names: vec!["n".into(), "b[1]".into(), "k".into()],
            clauses: vec![
                Clause {
                    axis: Some(0),
                    between: (0, 1),
                    literals: vec![or(0, Term::Var(1)), or(0, Term::Size(1)), or(1, Term::Size(1))],
                },
                Clause { axis: Some(1), between: (0, 1), literals: vec![or(0, Term::Size(4)).negated()] },
            ],
            exact: true,
        }
    }

    #[test]
    fn text() {
        assert_eq!(guard().to_string(), "(n == b[1] or n == 1 or b[1] == 1) and n != 4");
        assert_eq!(
            guard().clauses(),
            [(Some(0), "(n == b[1] or n == 1 or b[1] == 1)".to_string()), (Some(1), "n != 4".to_string())]
        );
        assert_eq!(guard().names(), ["n", "b[1]"]);
    }

    #[test]
    fn holds() {
        let cases = [((2, 2), true), ((1, 7), true), ((7, 1), true), ((2, 3), false), ((4, 4), false)];
        for ((n, b), want) in cases {
            assert_eq!(guard().holds(&[("b[1]", b), ("n", n)]), Some(want), "n = {n}, b[1] = {b}");
        }
        assert_eq!(guard().holds(&[("n", 1)]), None);
    }
}
