//! Compares all rules on the same shapes, and finds elements on which they differ.
//!
//! Two rules that take the same operands may still mean different things: (2,) with (2, 2) repeats the first along rows
//! under NumPy's rule and along columns under ncnn's. [`compare`] asks all rules; [`Comparison::differences`] points at one
//! element of the result for each two that part, and at what each operand gives there.
//!
//! The element is found from the strides, without walking the result. On an axis of more than one element where a stride
//! differs, index 1 reads differently; where only the extents of a tiled operand differ, the smaller extent does. Everything that comes
//! earlier in row-major order has an index on which they agree on all axes that differ, if that axis is the last of them.

use alloc::{vec, vec::Vec};

use crate::{
    align::Alignment,
    error::Error,
    rule::{AxisParam, Mode, Params, RULES, Rule, RuleDef},
    shape::{Shape, contiguous_strides},
    symbolic::{Inferred, SymbolicShape},
};

/// What every rule answers to the same shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    shapes: Vec<Shape>,
    outcomes: Vec<Outcome>,
}

/// What one rule answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    rule: Rule,
    result: Result<Alignment, Error>,
}

/// The first element, in row-major order, on which two rules part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    left: usize,
    right: usize,
    element: Option<Vec<usize>>,
    left_reads: Option<Vec<Read>>,
    right_reads: Option<Vec<Read>>,
}

/// The element of an operand that goes into an element of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    index: Vec<usize>,
    position: usize,
}

/// Aligns operands of these shapes under every rule that needs no target.
///
/// A rule with an axis is applied with its default, then with every axis from 0 on; the others are listed where the rule
/// accepts them and they mean something that its earlier ones do not. A rule with modes is applied in each. Rules that take
/// another number of operands are left out.
///
/// ```
/// let comparison = broadaxe_shape::compare(&[&[2], &[2, 2]]);
/// let outcomes = comparison.outcomes();
/// let found = comparison.differences().into_iter().find(|d| {
///     (outcomes[d.left()].rule().name(), outcomes[d.right()].rule().name()) == ("numpy", "ncnn")
/// });
/// let found = found.unwrap();
/// assert_eq!(found.element(), Some(&[0, 1][..]));
/// assert_eq!(found.left_reads().unwrap()[0].index(), [1]);
/// assert_eq!(found.right_reads().unwrap()[0].index(), [0]);
/// ```
pub fn compare(shapes: &[&[usize]]) -> Comparison {
    let rank = shapes.iter().map(|dims| dims.len()).max().unwrap_or(0);
    let asked = ask_all(shapes.len(), rank, &|rule| rule.align(shapes), &mean_the_same);
    let outcomes = asked.into_iter().map(|(rule, result)| Outcome { rule, result }).collect();
    Comparison { shapes: shapes.iter().map(|&dims| dims.into()).collect(), outcomes }
}

/// Infers the result of symbolic shapes under every rule that [`compare`] asks.
///
/// Lists the axes of a rule that place operands differently from its earlier ones.
///
/// ```
/// let shapes = ["n,4".parse()?, "3,4".parse()?];
/// let found = broadaxe_shape::infer_all(&shapes);
/// let (_, numpy) = found.iter().find(|(rule, _)| rule.name() == "numpy").unwrap();
/// assert_eq!(numpy.as_ref().unwrap().guard().to_string(), "n == 3 or n == 1");
/// # Ok::<(), broadaxe_shape::Error>(())
/// ```
pub fn infer_all(shapes: &[SymbolicShape]) -> Vec<(Rule, Result<Inferred, Error>)> {
    let rank = shapes.iter().filter_map(SymbolicShape::rank).max().unwrap_or(0);
    ask_all(shapes.len(), rank, &|rule| rule.infer(shapes), &Inferred::places_alike)
}

/// Asks every rule that accepts this many operands of at most this rank, needs no target and is not one of lists.
fn ask_all<T>(
    operands: usize,
    rank: usize,
    answer: &dyn Fn(&Rule) -> Result<T, Error>,
    same: &dyn Fn(&T, &T) -> bool,
) -> Vec<(Rule, Result<T, Error>)> {
    let mut outcomes = Vec::new();
    for def in RULES {
        let (least, most) = def.operands;
        if !def.target && !def.axes && !def.lists && (least..=most).contains(&operands) {
            let modes = def.modes.iter().copied().map(Some).chain(def.modes.is_empty().then_some(None));
            for mode in modes {
                outcomes.extend(ask(def, mode, rank, answer, same));
            }
        }
    }
    outcomes
}

/// Asks one rule in one mode: its default axis, then those that mean something else.
fn ask<T>(
    def: &RuleDef,
    mode: Option<Mode>,
    rank: usize,
    answer: &dyn Fn(&Rule) -> Result<T, Error>,
    same: &dyn Fn(&T, &T) -> bool,
) -> Vec<(Rule, Result<T, Error>)> {
    let mut outcomes: Vec<(Rule, Result<T, Error>)> = Vec::new();
    let axes = (0..=rank as i64).map(Some).filter(|_| def.axis != AxisParam::None);
    for axis in [None].into_iter().chain(axes) {
        let params = Params { axis, mode, ..Params::default() };
        let Ok(rule) = Rule::new(def.name, params) else { continue };
        let result = answer(&rule);
        let says_more = match &result {
            Ok(found) => outcomes.iter().filter_map(|(_, known)| known.as_ref().ok()).all(|known| !same(known, found)),
            Err(_) => axis.is_none(),
        };
        if says_more {
            outcomes.push((rule, result));
        }
    }
    outcomes
}

impl Comparison {
    /// Aligns operands of these shapes under these rules.
    pub fn of<'a>(rules: impl IntoIterator<Item = &'a Rule>, shapes: &[&[usize]]) -> Self {
        let outcome = |rule: &Rule| Outcome { rule: rule.clone(), result: rule.align(shapes) };
        let outcomes = rules.into_iter().map(outcome).collect();
        Self { shapes: shapes.iter().map(|&dims| dims.into()).collect(), outcomes }
    }

    /// Returns the shapes that were compared.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// Returns what every rule answers, in the order of [`RULES`].
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// Returns the indices of the outcomes that are alignments, grouped by what they mean.
    pub fn meanings(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (k, alignment) in self.accepted() {
            let same = |group: &&mut Vec<usize>| {
                self.outcomes[group[0]].alignment().is_some_and(|known| mean_the_same(known, alignment))
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push(k),
                None => groups.push(vec![k]),
            }
        }
        groups
    }

    /// Returns one difference for every two outcomes that are alignments and mean different things.
    pub fn differences(&self) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (left, one) in self.accepted() {
            for (right, other) in self.accepted().filter(|&(right, _)| right > left) {
                if !mean_the_same(one, other) {
                    let element = first_difference(one, other);
                    let [left_reads, right_reads] = [one, other].map(|x| reads(x, element.as_deref()?));
                    differences.push(Difference { left, right, element, left_reads, right_reads });
                }
            }
        }
        differences
    }

    fn accepted(&self) -> impl Iterator<Item = (usize, &Alignment)> {
        self.outcomes.iter().enumerate().filter_map(|(k, outcome)| Some((k, outcome.alignment()?)))
    }
}

impl Outcome {
    /// Returns the rule that was applied, with its parameters.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Returns the answer.
    ///
    /// # Errors
    /// When the rule does not take the shapes.
    pub fn result(&self) -> Result<&Alignment, &Error> {
        self.result.as_ref()
    }

    /// Returns the alignment, where the rule accepts the shapes.
    pub fn alignment(&self) -> Option<&Alignment> {
        self.result.as_ref().ok()
    }
}

impl Difference {
    /// Returns the first outcome, as an index into [`Comparison::outcomes`].
    pub fn left(&self) -> usize {
        self.left
    }

    /// Returns the second outcome, as an index into [`Comparison::outcomes`].
    pub fn right(&self) -> usize {
        self.right
    }

    /// Returns the index of the element of the result; none where both results have no elements, and differ in shape.
    pub fn element(&self) -> Option<&[usize]> {
        self.element.as_deref()
    }

    /// Returns what each operand gives to the element under the first; none where that result has no such element.
    pub fn left_reads(&self) -> Option<&[Read]> {
        self.left_reads.as_deref()
    }

    /// Returns what each operand gives to the element under the second; none where that result has no such element.
    pub fn right_reads(&self) -> Option<&[Read]> {
        self.right_reads.as_deref()
    }
}

impl Read {
    /// Returns the index into the operand, one entry per axis of it.
    pub fn index(&self) -> &[usize] {
        &self.index
    }

    /// Returns the position in the operand, row-major from 0: its value, if the operand holds 0, 1, 2, ...
    pub fn position(&self) -> usize {
        self.position
    }
}

/// Says whether two alignments of the same operands give results of the same shape with the same elements.
fn mean_the_same(one: &Alignment, other: &Alignment) -> bool {
    one.shape() == other.shape() && first_difference(one, other).is_none()
}

/// Finds the first element on which two alignments of the same operands part, if there is one.
fn first_difference(one: &Alignment, other: &Alignment) -> Option<Vec<usize>> {
    let (x, y) = (one.shape(), other.shape());
    let rank = x.len().max(y.len());
    match (x.contains(&0), y.contains(&0)) {
        (true, true) => return None,
        (false, false) if x.len() == y.len() => {}
        _ => return Some(vec![0; rank]),
    }
    let steps = |alignment: &Alignment| -> Vec<Vec<(isize, usize)>> {
        (0..alignment.operands().len()).map(|k| alignment.steps(k)).collect()
    };
    let (one, other) = (steps(one), steps(other));
    let at = (0..rank).rev().find_map(|axis| {
        let both = x[axis].min(y[axis]);
        let turn = one.iter().zip(&other).filter_map(|(a, b)| turn(a[axis], b[axis])).min();
        let turn = turn.filter(|&index| index < both);
        (turn.is_some() || x[axis] != y[axis]).then_some((axis, turn.unwrap_or(both)))
    });
    at.map(|(axis, index)| (0..rank).map(|j| if j == axis { index } else { 0 }).collect())
}

/// Finds the first index of an axis at which two steps, each a stride and a period, read differently.
fn turn(one: (isize, usize), other: (isize, usize)) -> Option<usize> {
    match (one.0 == other.0, one.1 == other.1) {
        (true, true) => None,
        (true, false) => Some(one.1.min(other.1)),
        (false, _) => Some(1),
    }
}

/// Says what each operand gives to an element of the result; none when the result has no such element.
fn reads(alignment: &Alignment, element: &[usize]) -> Option<Vec<Read>> {
    let dims = alignment.shape();
    if dims.len() != element.len() || dims.iter().zip(element).any(|(&dim, &index)| index >= dim) {
        return None;
    }
    let read = alignment.operands().iter().map(|operand| {
        let index: Vec<usize> = (operand.shape().iter().zip(operand.axes()))
            .map(|(&dim, &axis)| if dim == 0 { 0 } else { element[axis] % dim })
            .collect();
        let strides = contiguous_strides(operand.shape());
        let position = index.iter().zip(strides).map(|(&i, stride)| i * stride.unsigned_abs()).sum();
        Read { index, position }
    });
    Some(read.collect())
}

#[cfg(test)]
mod tests {
    use alloc::{
        format,
        string::{String, ToString},
    };

    use super::*;

    /// Writes the difference between two rules as `element: reads of the first / reads of the second`.
    fn difference(operands: &str, left: &str, right: &str) -> String {
        let shapes: Vec<Shape> = operands.split(';').map(|text| text.parse().unwrap()).collect();
        let comparison = compare(&shapes.iter().map(Shape::dims).collect::<Vec<_>>());
        let at = |rule: &str| comparison.outcomes().iter().position(|o| o.rule().to_string() == rule).unwrap();
        let sides = (at(left), at(right));
        let Some(found) = comparison.differences().into_iter().find(|d| (d.left(), d.right()) == sides) else {
            return "same".into();
        };
        let show = |reads: Option<&[Read]>| match reads {
            Some(reads) => {
                reads.iter().map(|r| format!("{:?}={}", r.index(), r.position())).collect::<Vec<_>>().join(" ")
            }
            None => "none".into(),
        };
        let element = found.element().map_or("none".into(), |element| format!("{element:?}"));
        format!("{element}: {} / {}", show(found.left_reads()), show(found.right_reads()))
    }

    #[test]
    fn where_rules_part() {
        let cases = [
            ("2 ; 2,2", "numpy", "ncnn", "[0, 1]: [1]=1 [0, 1]=1 / [0]=0 [0, 1]=1"),
            ("2 ; 2,1", "numpy", "ncnn", "[0, 1]: [1]=1 [0, 0]=0 / none"),
            ("4,3,2 ; 2", "numpy", "ncnn", "same"),
            ("2,4,4 ; 4", "unidirectional", "openvino-prelu", "[0, 0, 1]: [0, 0, 1]=1 [1]=1 / [0, 0, 1]=1 [0]=0"),
            ("3,3 ; 3", "pdpd axis=-1", "pdpd axis=0", "[0, 1]: [0, 1]=1 [1]=1 / [0, 1]=1 [0]=0"),
            ("1,1,1 ; 2,3", "numpy", "ncnn", "[0, 0, 1]: [0, 0, 0]=0 [0, 1]=1 / none"),
            ("1,1 ; 0", "paddle axis=-1", "paddle axis=0", "none: none / none"),
            ("2,2,0 ; 2", "pdpd axis=0", "paddle axis=0", "same"),
        ];
        for (operands, left, right, want) in cases {
            assert_eq!(difference(operands, left, right), want, "{operands}: {left}, {right}");
        }
    }

    #[test]
    fn asks_every_rule_that_can_answer() {
        // Rules to come may stand between these.
        let asked = |shapes: &[&[usize]], wanted: &[&str]| {
            let comparison = compare(shapes);
            let mut rules = comparison.outcomes().iter().map(|outcome| outcome.rule().to_string());
            let missing = wanted.iter().find(|&&name| !rules.any(|rule| rule == name));
            assert_eq!(missing, None, "asked of {shapes:?}, in this order");
        };
        asked(&[&[2]], &["none", "numpy"]);
        asked(
            &[&[3, 3], &[3]],
            &[
                "none",
                "numpy",
                "unidirectional",
                "onnx-legacy",
                "onnx-legacy axis=0",
                "pdpd axis=-1",
                "pdpd axis=0",
                "paddle axis=-1",
                "paddle axis=0",
                "ncnn",
                "openvino-prelu",
                "gemm-c",
            ],
        );
        asked(
            &[&[2], &[2, 2], &[2]],
            &[
                "none",
                "numpy",
                "unidirectional",
                "openvino-select mode=numpy",
                "openvino-select mode=none",
                "openvino-select mode=pdpd",
                "openvino-select mode=pdpd axis=0",
            ],
        );
    }

    #[test]
    fn groups_by_meaning() {
        let comparison = compare(&[&[3, 3], &[3]]);
        let named = |k: &usize| comparison.outcomes()[*k].rule().to_string();
        let groups: Vec<Vec<String>> = comparison.meanings().iter().map(|g| g.iter().map(named).collect()).collect();
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[1], ["onnx-legacy axis=0", "pdpd axis=0", "paddle axis=0", "ncnn"]);
        assert_eq!(comparison.differences().len(), groups[0].len() * groups[1].len());
    }

    /// Walks all elements of small results and finds the same first element on which two alignments part.
    #[test]
    fn the_element_is_the_first() {
        let dims = [1, 2, 3];
        let ones = dims.iter().map(|&d| vec![d]);
        let twos = dims.iter().flat_map(|&c| dims.map(|d| vec![c, d]));
        let threes = dims.iter().flat_map(|&b| dims.iter().flat_map(move |&c| dims.map(|d| vec![b, c, d])));
        let shapes: Vec<Vec<usize>> = ones.chain(twos).chain(threes).collect();
        for a in &shapes {
            for b in &shapes {
                let comparison = compare(&[a, b]);
                for found in comparison.differences() {
                    let [one, other] =
                        [found.left(), found.right()].map(|k| comparison.outcomes()[k].alignment().unwrap());
                    let longest = one.shape().iter().chain(&**other.shape()).copied().max().unwrap();
                    let walked = (0..longest.pow(one.shape().len() as u32))
                        .map(|n| {
                            let digit = |j: usize| n / longest.pow((one.shape().len() - 1 - j) as u32) % longest;
                            (0..one.shape().len()).map(digit).collect::<Vec<_>>()
                        })
                        .find(|element| reads(one, element) != reads(other, element));
                    assert_eq!(found.element(), walked.as_deref(), "{a:?} {b:?}: {one:?} {other:?}");
                }
            }
        }
    }
}
