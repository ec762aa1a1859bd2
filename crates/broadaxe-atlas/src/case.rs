//! One case: shapes under a rule, and the answer of the rule.

use std::{fmt, str::FromStr};

use broadaxe_shape::{AxisParam, Rule};
use serde_json::{Map, Value, json};

use crate::{error::Error, pattern::Pattern, subject::Subject, theme::Theme};

/// The most elements that a result of a case can have.
const MAX_ELEMENTS: usize = 1 << 16;

/// Names a case: a subject, a pattern, and a theme.
///
/// Displays as the id in the files: `add-numpy-r3-0312`, `add-numpy-r3-0312-pack8.0`. The number is the place of the pattern
/// among all patterns of that rank, so an id determines its case, and never means another one.
///
/// ```
/// use broadaxe_atlas::Id;
/// let id: Id = "add-numpy-r2-0033".parse()?;
/// assert_eq!(id.pattern.to_string(), "aa,1");
/// assert_eq!(id.to_string(), "add-numpy-r2-0033");
/// # Ok::<(), broadaxe_atlas::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Id {
    /// The family of operators and the rule.
    pub subject: &'static Subject,
    /// Which dims are 1, and which are equal.
    pub pattern: Pattern,
    /// Which sizes the letters of the pattern have.
    pub theme: Theme,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = self.pattern.ranks().into_iter().max().unwrap_or(0);
        let (family, label) = (self.subject.family().name, self.subject.label());
        write!(f, "{family}-{label}-r{rank}-{:04}", self.pattern.number())?;
        if self.theme == Theme::Small { Ok(()) } else { write!(f, "-{}", self.theme) }
    }
}

impl FromStr for Id {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong =
            |why: &str| Error::new(format!("'{text}' is not the id of a case: {why}; an id is add-numpy-r3-0312"));
        let (family, rest) = text.split_once('-').ok_or_else(|| wrong("it has no family"))?;
        let at = rest.rfind("-r").ok_or_else(|| wrong("it has no rank"))?;
        let (label, rest) = (&rest[..at], &rest[at + 2..]);
        let subject = Subject::named(family, label).ok_or_else(|| {
            let labels: Vec<_> =
                Subject::all().iter().filter(|subject| subject.family().name == family).map(Subject::label).collect();
            if labels.is_empty() {
                wrong("there is no such family")
            } else {
                wrong(&format!("the rules of {family} are {}", labels.join(", ")))
            }
        })?;
        let mut parts = rest.splitn(3, '-');
        let rank = parts.next().and_then(|rank| rank.parse().ok()).ok_or_else(|| wrong("the rank is not a number"))?;
        let number = parts.next().and_then(|number| number.parse().ok()).ok_or_else(|| wrong("it has no number"))?;
        let theme = parts.next().unwrap_or_default().parse()?;
        let pattern = Pattern::numbered(subject.operands(), rank, number)
            .ok_or_else(|| wrong("there is no pattern with this number and this rank"))?;
        if !subject.has_ranks(&pattern.ranks()) {
            return Err(wrong("the operator cannot have operands of these ranks"));
        }
        Ok(Self { subject, pattern, theme })
    }
}

/// Holds shapes under a rule, and the answer of the rule.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name.
    pub id: Id,
    /// The rule with its parameters.
    pub rule: Rule,
    /// The shapes of the operands, without a target.
    pub operands: Vec<Vec<usize>>,
    /// The answer of the rule.
    pub expected: Expected,
}

/// The answer of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It accepts them.
    Result {
        /// The shape of the result.
        shape: Vec<usize>,
        /// For each operand, the number of the element that each element of the result comes from, both row-major.
        elements: Vec<Vec<usize>>,
    },
    /// It rejects them; the name is the class of the error.
    Rejected(&'static str),
}

impl Case {
    /// Makes the case with this id.
    ///
    /// # Errors
    /// When the theme does not suit the pattern, or the result would have more than 65,536 elements, or the numbers of a
    /// question would not be exact in f32.
    pub fn new(id: Id) -> Result<Self, Error> {
        let sizes = id.theme.sizes(&id.pattern).ok_or_else(|| {
            Error::new(format!("the choice of sizes '{}' does not suit the pattern {}", id.theme, id.pattern))
        })?;
        let mut operands = id.pattern.shapes(&sizes);
        let target = if id.subject.has_target() { operands.pop() } else { None };
        let rule = id.subject.rule(target.as_deref().unwrap_or_default());
        if !is_exact(id.subject.family().name, &operands) {
            return Err(Error::new(format!("{id} has too many elements for numbers that f32 holds exactly")));
        }
        let expected = expected(&rule, &operands).ok_or_else(|| {
            Error::new(format!("the result of {id} has more than {MAX_ELEMENTS} elements, too many to list"))
        })?;
        Ok(Self { id, rule, operands, expected })
    }

    /// Returns the case as a line of a file, an object of JSON.
    pub fn json(&self) -> Value {
        let (family, pattern) = (self.id.subject.family(), &self.id.pattern);
        let mut line = Map::new();
        line.insert("id".into(), json!(self.id.to_string()));
        line.insert("family".into(), json!(family.name));
        line.insert("op".into(), json!(family.name));
        line.extend(parameters(&self.rule));
        line.insert("ranks".into(), json!(pattern.ranks()));
        line.insert("pattern".into(), json!(pattern.to_string()));
        let theme = self.id.theme.to_string();
        line.insert("theme".into(), json!(if theme.is_empty() { "small" } else { &theme }));
        line.insert("operands".into(), json!(self.operands));
        line.insert("kinds".into(), json!(family.kinds));
        match &self.expected {
            Expected::Result { shape, elements } => {
                line.insert("shape".into(), json!(shape));
                line.insert("elements".into(), json!(elements));
            }
            Expected::Rejected(kind) => {
                line.insert("reject".into(), json!(kind));
            }
        }
        line.insert("source".into(), json!(self.rule.def().source));
        Value::Object(line)
    }
}

/// Says whether the numbers that tell elements apart are exact in f32, as [`Question`](crate::Question) chooses them.
fn is_exact(family: &str, operands: &[Vec<usize>]) -> bool {
    const LARGEST: u128 = 1 << 24;
    let sizes: Vec<u128> = operands.iter().map(|shape| shape.iter().map(|&dim| dim as u128).product()).collect();
    let largest = match (family, &sizes[..]) {
        ("prelu", &[data, slope]) => data * (1 + (data + 1) * slope),
        ("select", sizes) => sizes.iter().copied().max().unwrap_or(0),
        (_, sizes) => sizes.iter().map(|&size| size.max(1)).product(),
    };
    largest <= LARGEST
}

/// Returns a rule with its parameters as fields of a line.
pub(crate) fn parameters(rule: &Rule) -> Map<String, Value> {
    let params = rule.params();
    let mut fields = Map::new();
    fields.insert("rule".into(), json!(rule.name()));
    if let (Some(axis), true) = (params.axis, rule.def().axis != AxisParam::None) {
        fields.insert("axis".into(), json!(axis));
    }
    if let Some(axes) = &params.axes {
        fields.insert("axes".into(), json!(axes));
    }
    if let Some(mode) = params.mode {
        fields.insert("mode".into(), json!(mode.name()));
    }
    if let Some(target) = &params.target {
        fields.insert("target".into(), json!(target.dims()));
    }
    fields
}

/// Returns the answer of a rule, or nothing where the result is too large.
fn expected(rule: &Rule, operands: &[Vec<usize>]) -> Option<Expected> {
    let shapes: Vec<&[usize]> = operands.iter().map(Vec::as_slice).collect();
    let alignment = match rule.align(&shapes) {
        Ok(alignment) => alignment,
        Err(error) => return Some(Expected::Rejected(error.kind().name())),
    };
    let shape = alignment.shape().dims().to_vec();
    let count: usize = shape.iter().product();
    if count > MAX_ELEMENTS {
        return None;
    }
    let elements = (0..shapes.len()).map(|k| walk(&shape, &alignment.steps(k))).collect();
    Some(Expected::Result { shape, elements })
}

/// Lists the elements that an operand with these strides and periods is read at, in row-major order of the result.
fn walk(shape: &[usize], steps: &[(isize, usize)]) -> Vec<usize> {
    let mut found = vec![0];
    for (&extent, &(stride, period)) in shape.iter().zip(steps) {
        let along = |&start: &usize| (0..extent).map(move |i| start + stride as usize * (i % period.max(1)));
        found = found.iter().flat_map(along).collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids() {
        for text in [
            "add-numpy-r0-0000",
            "add-pdpd1-r3-0401",
            "add-onnx-legacy-r2-0007",
            "expand-explicit.02-r3-0100-zero.a",
            "select-openvino-select.pdpd1-r2-0099",
            "add-numpy-r8-40312345",
            "add-numpy-r3-0312-pack8.0",
        ] {
            let parsed = text.parse::<Id>();
            assert_eq!(parsed.map(|id| id.to_string()).as_deref(), Ok(text));
        }
        for (text, why) in [
            ("add", "family"),
            ("add-numpy", "rank"),
            ("adds-numpy-r1-0000", "no such family"),
            ("add-nump-r1-0000", "the rules of add are numpy, none"),
            ("add-numpy-r1-9999", "no pattern"),
            ("add-numpy-r9-0000", "no pattern"),
            ("add-numpy-r1-0000-big", "choice of sizes"),
            ("gemm-gemm-c-r1-0000", "ranks"),
        ] {
            let error = text.parse::<Id>().unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn lines() {
        let line = |text: &str| Case::new(text.parse().unwrap()).unwrap().json().to_string();
        assert_eq!(
            line("add-numpy-r1-0004"),
            r#"{"id":"add-numpy-r1-0004","family":"add","op":"add","rule":"numpy","ranks":[1,1],"pattern":"1,1","theme":"small","operands":[[1],[1]],"kinds":["ii","ic","ci"],"shape":[1],"elements":[[0],[0]],"source":"NumPy user guide, Broadcasting; ONNX Broadcasting.md, multidirectional"}"#
        );
        assert!(line("add-numpy-r1-0008").contains(
            r#""pattern":"a,b","theme":"small","operands":[[2],[3]],"kinds":["ii","ic","ci"],"reject":"mismatch""#
        ));
    }

    #[test]
    fn too_large() {
        let pattern: Pattern = "abcdefgh,abcdefgh".parse().unwrap();
        let subject = Subject::named("add", "numpy").unwrap();
        let error = Case::new(Id { subject, pattern, theme: Theme::Small }).unwrap_err();
        assert!(error.to_string().contains("too many elements"), "{error}");
    }
}
