//! Reads rules as Python names them: `rule="pdpd", axis=1`, or the text `"pdpd axis=1"`.

use std::ops::Deref;

use broadaxe::frameworks::nearest;
use broadaxe_shape::{Params, RULES, Rule};
use once_cell::race::OnceBox;
use pyo3::{
    Borrowed,
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::PyString,
};

use crate::error::of_shapes;

/// Makes the rule of a name or a text; an axis given besides a text replaces that of the text.
pub(crate) fn read(name: Option<Name<'_>>, axis: Option<i64>) -> PyResult<Rule> {
    let named = match name.map(|Name(text)| text) {
        None | Some("numpy") if axis.is_none() => return Ok(Rule::numpy()),
        None => Rule::new("numpy", Params { axis, ..Params::default() }),
        Some(name) if !name.contains(' ') => Rule::new(name, Params { axis, ..Params::default() }),
        Some(text) => text.parse().and_then(|rule: Rule| match axis {
            Some(_) => Rule::new(rule.name(), Params { axis, ..rule.params().clone() }),
            None => Ok(rule),
        }),
    };
    named.map_err(|error| name.and_then(|Name(text)| misspelled(text)).unwrap_or_else(|| of_shapes(&error)))
}

/// Makes the error for a text whose rule is unknown, where the name of a rule is near it.
#[cold]
fn misspelled(text: &str) -> Option<PyErr> {
    let name = text.split_whitespace().next()?;
    let known = |name: &str| RULES.iter().any(|def| def.name == name || def.aliases.contains(&name));
    let names: Vec<_> = RULES.iter().map(|def| def.name).collect();
    let near = nearest(name, names.iter().chain(RULES.iter().flat_map(|def| def.aliases)).copied());
    (!known(name) && !near.is_empty())
        .then(|| PyValueError::new_err(format!("unknown rule '{name}'{near} (rules: {})", names.join(", "))))
}

/// The name of a rule, as callers pass it.
#[derive(Clone, Copy)]
pub(crate) struct Name<'a>(pub(crate) &'a str);

impl Name<'static> {
    pub(crate) const NUMPY: Self = Self("numpy");
}

impl<'a, 'py> FromPyObject<'a, 'py> for Name<'a> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        object.extract().map(Self).map_err(|_| {
            let kind = object.get_type();
            PyTypeError::new_err(format!("rule must be the name of a rule, such as \"numpy\", not {kind}"))
        })
    }
}

/// A rule and the string that Python has for its name in the text of a program.
struct InternedRule {
    name: Py<PyString>,
    /// `None` for NumPy's. Boxed, so that a search of the names reads little memory.
    rule: Option<Box<Rule>>,
}

/// A rule that is kept, or one that was made for a call; small, as every quick call passes one on.
pub(crate) enum Chosen {
    Kept(&'static Rule),
    Made(Box<Rule>),
}

impl Deref for Chosen {
    type Target = Rule;

    #[inline]
    fn deref(&self) -> &Rule {
        match self {
            Self::Kept(rule) => rule,
            Self::Made(rule) => rule,
        }
    }
}

/// Makes the rule of a keyword argument; `None` is NumPy's.
///
/// # Errors
/// As for [`read`]; `TypeError` for what is not a text.
#[inline]
pub(crate) fn of_keyword(text: Option<&Bound<'_, PyAny>>, axis: Option<i64>) -> PyResult<Option<Chosen>> {
    let Some(text) = text.filter(|text| !text.is_none()) else {
        return match axis {
            None => Ok(None),
            axis => made(None, axis).map(Some),
        };
    };
    if axis.is_none() {
        // Names in a program's text are one object each.
        if let Some(named) = names(text.py()).iter().find(|named| named.name.is(text)) {
            return Ok(named.rule.as_deref().map(Chosen::Kept));
        }
    }
    let name: Name<'_> = text.extract()?;
    made(Some(name), axis).map(|rule| Some(rule).filter(|rule| **rule != Rule::numpy()))
}

#[cold]
fn made(name: Option<Name<'_>>, axis: Option<i64>) -> PyResult<Chosen> {
    read(name, axis).map(|rule| Chosen::Made(Box::new(rule)))
}

/// Lists the rules that need no parameters.
fn names(py: Python<'_>) -> &'static [InternedRule] {
    static NAMES: OnceBox<Vec<InternedRule>> = OnceBox::new();
    let make = || {
        let named = |name: &str| {
            let rule = Rule::new(name, Params::default()).ok()?;
            let rule = Some(Box::new(rule)).filter(|rule| **rule != Rule::numpy());
            Some(InternedRule { name: PyString::intern(py, name).unbind(), rule })
        };
        Box::new(RULES.iter().filter_map(|def| named(def.name)).collect())
    };
    NAMES.get_or_init(make)
}
