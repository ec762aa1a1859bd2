//! Compares an engine's answer with the right one.

use broadaxe::DType;
use broadaxe_shape::Alignment;
use serde::{Deserialize, Serialize};

use super::{
    numbers,
    run::{ModelAnswer, Tensor},
    tensor::QuestionTensor,
};
use crate::report::CounterexampleRecord;

/// What an engine does with a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// `same`, `differs`, `refused` or `unknown`.
    pub verdict: String,
    /// Why, in one sentence; empty for `same`.
    pub reason: String,
    /// The first element that differs, for `differs`.
    pub counterexample: Option<CounterexampleRecord>,
    /// The device that the engine computed on, where it says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

impl Outcome {
    /// Makes the answer that the engine computes the same.
    pub fn same() -> Self {
        Self { verdict: "same".to_owned(), reason: String::new(), counterexample: None, device: None }
    }

    /// Makes the answer of an engine that gives no result.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self { verdict: "refused".to_owned(), reason: reason.into(), counterexample: None, device: None }
    }

    /// Makes the answer that nothing was found out.
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self { verdict: "unknown".to_owned(), reason: reason.into(), counterexample: None, device: None }
    }

    /// Says whether the engine computes the same.
    pub fn is_same(&self) -> bool {
        self.verdict == "same"
    }

    /// Says whether the engine computes something else.
    pub fn is_wrong(&self) -> bool {
        self.verdict == "differs"
    }

    /// Says whether the engine refuses the node, or ends.
    pub fn is_refused(&self) -> bool {
        self.verdict == "refused"
    }

    /// Says whether it is one that can be: what is read from a file may not be.
    pub fn is_valid(&self) -> bool {
        let has_example = self.counterexample.is_some();
        match self.verdict.as_str() {
            "same" | "refused" | "unknown" => !has_example,
            "differs" => has_example,
            _ => false,
        }
    }
}

/// The right answer to a question.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    alignment: Alignment,
    operands: Vec<Option<QuestionTensor>>,
    values: Vec<f64>,
    dtype: DType,
    /// By how much integers may differ.
    quanta: f64,
}

impl Reference {
    pub(super) fn new(
        alignment: Alignment,
        operands: Vec<Option<QuestionTensor>>,
        values: Vec<f64>,
        dtype: DType,
    ) -> Self {
        Self { alignment, operands, values, dtype, quanta: 0.0 }
    }

    /// Accepts integers that differ by one.
    pub(super) fn within_one(self) -> Self {
        Self { quanta: 1.0, ..self }
    }

    pub(super) fn shape(&self) -> &[usize] {
        self.alignment.shape().dims()
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// Compares what an engine does with the right result.
    pub(super) fn outcome(&self, answer: &ModelAnswer) -> Outcome {
        match answer {
            ModelAnswer::Values(found) => match found.as_slice() {
                [Tensor { dtype, shape, data }] => self.judge(shape, &numbers::values(*dtype, data)),
                _ => Outcome::unknown(format!("it gives {} results in place of one", found.len())),
            },
            ModelAnswer::Refused(why) => Outcome::refused(format!("it says: {why}")),
            ModelAnswer::Ended(how) => Outcome::refused(how),
            ModelAnswer::Unknown(why) => Outcome::unknown(why),
        }
    }

    /// Compares a result with the right one.
    pub(super) fn judge(&self, shape: &[usize], values: &[f64]) -> Outcome {
        let differs = |reason: String, example| Outcome {
            verdict: "differs".to_owned(),
            reason,
            counterexample: Some(example),
            device: None,
        };
        if shape != self.shape() {
            let text = |dims: &[usize]| broadaxe_shape::Shape::from(dims).to_string();
            let reason = format!("its result has the shape {}, not {}", text(shape), text(self.shape()));
            return differs(reason, self.example(0, None, shape));
        }
        let (relative, absolute) = tolerance(self.dtype);
        let absolute = absolute + self.quanta;
        let close = |&(here, there): &(&f64, &f64)| {
            here == there
                || here.is_nan() && there.is_nan()
                || (here - there).abs() <= absolute + relative * here.abs().min(f64::MAX)
        };
        let wrong = self.values.iter().zip(values).filter(|pair| !close(pair)).count();
        let Some(at) = self.values.iter().zip(values).position(|pair| !close(&pair)) else { return Outcome::same() };
        let count = self.values.len();
        let elements = if count == 1 { "element" } else { "elements" };
        let reason = format!("it differs in {wrong} of {count} {elements}");
        differs(reason, self.example(at, values.get(at).copied(), shape))
    }

    /// Describes an element: what is read there, and both results.
    fn example(&self, at: usize, there: Option<f64>, target_shape: &[usize]) -> CounterexampleRecord {
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let element = index(at, self.shape());
        let (mut reads, mut held) = (Vec::new(), Vec::new());
        for (k, operand) in self.operands.iter().enumerate() {
            let strides = self.alignment.strides(k);
            let flat: isize = element.iter().zip(&strides).map(|(&at, &stride)| at as isize * stride).sum();
            let dims = operand.as_ref().map_or_else(|| self.shape(), |operand| &operand.shape);
            reads.push(index(flat as usize, dims));
            let value = operand.as_ref().and_then(|operand| {
                let size = operand.dtype.size();
                let bytes = operand.data.get(flat as usize * size..(flat as usize + 1) * size)?;
                finite(*numbers::values(operand.dtype, bytes).first()?)
            });
            held.push(value);
        }
        CounterexampleRecord {
            element,
            reads,
            target_reads: Vec::new(),
            numbers: held,
            target_numbers: Vec::new(),
            here: self.values.get(at).copied().and_then(finite),
            there: there.and_then(finite),
            target_shape: target_shape.to_vec(),
        }
    }
}

/// Returns the tolerance, relative and absolute, within which two results count as equal.
///
/// Numbers are drawn in steps of 1/256, so a wrong element is further away. Engines compute f64 in f32, and powers with a few
/// ULPs.
fn tolerance(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::F16 => (1e-2, 1e-2),
        _ if dtype.is_float() => (1e-3, 1e-4),
        _ => (0.0, 0.0),
    }
}

/// Returns the index of an element by its number in row-major order.
pub(super) fn index(at: usize, dims: &[usize]) -> Vec<usize> {
    let mut rest = at;
    let mut index: Vec<usize> = dims.iter().rev().map(|&dim| (rest % dim.max(1), rest /= dim.max(1)).0).collect();
    index.reverse();
    index
}
