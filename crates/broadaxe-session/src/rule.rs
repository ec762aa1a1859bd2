//! Reads the rule and the shapes of a request.

use std::str::FromStr;

use broadaxe::frameworks::nearest;
use broadaxe_draw::Drawing;
use broadaxe_shape::{Mode, Params, RULES, Rule, Shape, SymbolicShape};

use crate::{
    error::{Error, quoted},
    request::RuleRequest,
};

/// Says why shapes do not broadcast, or why a request about them could not be answered.
#[derive(Debug)]
pub struct Rejection {
    /// The error.
    pub error: Error,
    /// The failure, laid out to be drawn, where the rule aligns the shapes.
    pub drawing: Option<Drawing>,
}

impl From<Error> for Box<Rejection> {
    fn from(error: Error) -> Self {
        Self::new(Rejection { error, drawing: None })
    }
}

impl From<Box<Rejection>> for Error {
    fn from(rejection: Box<Rejection>) -> Self {
        rejection.error
    }
}

impl RuleRequest {
    /// Makes the rule.
    ///
    /// # Errors
    /// When the rule is unknown, or a parameter is missing, superfluous or malformed.
    pub fn rule(&self) -> Result<Rule, Error> {
        let params = Params {
            axis: self.axis,
            axes: self.axes.as_deref().map(axes).transpose()?,
            target: self.target.as_deref().map(Shape::from_str).transpose()?,
            mode: self.mode.as_deref().map(Mode::from_str).transpose()?,
        };
        let is_known = RULES.iter().any(|def| def.name == self.rule || def.aliases.contains(&&*self.rule));
        if is_known { Ok(Rule::new(&self.rule, params)?) } else { Err(unknown(&self.rule)) }
    }
}

/// Makes the error for a name that no rule has.
pub fn unknown(name: &str) -> Error {
    let names: Vec<_> = RULES.iter().map(|def| def.name).collect();
    let near = nearest(name, names.iter().chain(RULES.iter().flat_map(|def| def.aliases)).copied());
    Error::usage(format!("unknown rule '{}'{near} (rules: {})", quoted(name), names.join(", ")))
}

/// Reads shapes.
pub(crate) fn shapes(texts: &[String]) -> Result<Vec<SymbolicShape>, Error> {
    shapes_by(texts, |text| Ok(text.parse()?))
}

/// Reads shapes, each with this function.
pub(crate) fn shapes_by(
    texts: &[String],
    read: impl Fn(&str) -> Result<SymbolicShape, Error>,
) -> Result<Vec<SymbolicShape>, Error> {
    if texts.is_empty() {
        return Err(Error::usage("no shapes are given; give at least one, such as (2, 3)"));
    }
    texts.iter().map(|text| read(text)).collect()
}

/// Reads `0,2`, `[0, 2]`, or `()` for none.
fn axes(text: &str) -> Result<Vec<i64>, Error> {
    let bare = text.trim();
    let inner = |open: char, close: char| bare.strip_prefix(open)?.strip_suffix(close);
    let list = inner('(', ')').or_else(|| inner('[', ']')).unwrap_or(bare).trim();
    let list = list.strip_suffix(',').filter(|list| !list.is_empty()).unwrap_or(list);
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let axis = |part: &str| {
        let part = part.trim();
        part.parse().map_err(|_| Error::usage(format!("'{part}' in --axes '{text}' is not an axis; write 0,2")))
    };
    list.split(',').map(axis).collect()
}

#[cfg(test)]
mod tests {
    use super::axes;

    #[test]
    fn lists_of_axes() {
        let cases: [(&str, Option<&[i64]>); 13] = [
            ("0,2", Some(&[0, 2])),
            ("[0, 2]", Some(&[0, 2])),
            (" (0,) ", Some(&[0])),
            ("-1", Some(&[-1])),
            ("()", Some(&[])),
            ("", Some(&[])),
            ("((0", None),
            ("(0]", None),
            ("0,,2", None),
            (",0", None),
            (",", None),
            ("0 2", None),
            ("9223372036854775808", None),
        ];
        for (text, want) in cases {
            assert_eq!(axes(text).ok().as_deref(), want, "{text}");
        }
    }
}
