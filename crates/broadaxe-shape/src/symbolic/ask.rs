//! Answers a placement's questions about symbolic sizes: yes, no, or undecided.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::cell::RefCell;

use super::{
    dim::SymbolicShape,
    guard::{Literal, Term, literal_text},
    merge::{Entry, Sizes},
    solve::possible,
};
use crate::{
    align::Extents,
    error::{Error, ErrorKind},
};

/// The extents as a placement sees them, under the answers given so far.
pub(crate) struct Asked<'a> {
    sizes: &'a Sizes,
    entries: &'a [Vec<Entry>],
    shapes: &'a [SymbolicShape],
    path: Vec<Literal>,
    questions: RefCell<Vec<Literal>>,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(
        sizes: &'a Sizes,
        entries: &'a [Vec<Entry>],
        shapes: &'a [SymbolicShape],
        path: &[Literal],
    ) -> Self {
        Self { sizes, entries, shapes, path: path.to_vec(), questions: RefCell::new(Vec::new()) }
    }

    /// Returns the questions that could not be answered, in the order they were asked.
    pub(crate) fn questions(self) -> Vec<Literal> {
        self.questions.into_inner()
    }

    fn can(&self, literal: Literal) -> bool {
        possible(&self.sizes.intervals, self.path.chunks(1).chain([[literal].as_slice()]))
    }

    fn decide(&self, x: Term, y: Term) -> Result<bool, Error> {
        let literal = match Literal::equal(x, y) {
            Ok(literal) => literal,
            Err(known) => return Ok(known),
        };
        if !self.can(literal) {
            return Ok(false);
        }
        if !self.can(literal.negated()) {
            return Ok(true);
        }
        self.questions.borrow_mut().push(literal);
        let (text, name) = (literal_text(&self.sizes.names, literal), &self.sizes.names[literal.var]);
        Err(Error::new(ErrorKind::Undecided, format!("the placement depends on whether {text}; give {name} a size")))
    }

    /// Returns the one part that a dim's size comes from: the first that is not 1.
    fn part(&self, k: usize, axis: usize) -> Result<Term, Error> {
        let parts = &self.entries[k][axis].parts;
        if let [part] = parts.as_slice() {
            return Ok(*part);
        }
        for &part in parts {
            if !self.decide(part, Term::Size(1))? {
                return Ok(part);
            }
        }
        Ok(Term::Size(1))
    }
}

impl Extents for Asked<'_> {
    fn count(&self) -> usize {
        self.entries.len()
    }
    fn rank(&self, k: usize) -> usize {
        self.entries[k].len()
    }
    fn is(&self, k: usize, axis: usize, extent: usize) -> Result<bool, Error> {
        self.decide(self.part(k, axis)?, Term::Size(extent))
    }
    fn same(&self, (k, i): (usize, usize), (l, j): (usize, usize)) -> Result<bool, Error> {
        if self.entries[k][i] == self.entries[l][j] {
            return Ok(true);
        }
        self.decide(self.part(k, i)?, self.part(l, j)?)
    }
    fn show(&self, k: usize) -> String {
        self.shapes[k].to_string()
    }
}
