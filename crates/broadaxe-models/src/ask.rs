//! Makes questions for engines that run elsewhere: one per distinct class of broadcasting nodes of a model.
//!
//! Nodes are of one class if they have the same operator, attributes, shapes and dtypes, and the same inputs are constants.
//! The elements of a constant belong to the class only where they decide what the node means, as the bounds of a `Clip` do. What
//! other nodes compute of constants alone is a constant too, as runtimes compute it before they run.
//! A question is the node alone, with numbers that a hash of the class draws, and it knows the right answer: it computes the
//! node with the engine of this project. The names of the file are not part of it, so equal nodes of all models are one
//! question.

mod numbers;
mod draw;
mod random;
mod run;
mod tensor;
mod answer;
mod layers;

pub mod whole;

use std::collections::HashMap;

use broadaxe::{Array, DType};
use broadaxe_frameworks::System;
use broadaxe_shape::Alignment;

pub(crate) use self::random::{MOST_DRAWN_BYTES, Random};
pub use self::{
    answer::Outcome,
    run::{ModelAnswer, ModelRun, Runner, Tensor},
    tensor::QuestionTensor,
};
use self::{
    answer::Reference,
    draw::Draw,
    tensor::{Part, parts},
};
use crate::{
    Target,
    check::check,
    code::{self, Code},
    error::{Error, ErrorKind},
    format::{
        self,
        single::{self, End},
    },
    graph::{Attribute, Element, Model, Node, NodeId},
    infer::{Shapes, infer},
    meaning::{Kind, Meaning, Source, meaning},
    profiles::Facts,
    report::{FindingRecord, bare_finding},
    source,
    verify::compute,
};

/// The most bytes of the operands and of the result of a question.
const MOST_QUESTION_BYTES: usize = 64 << 20;

/// How often an engine is asked with other numbers at most.
pub const MOST_DRAWS: usize = 8;

/// Nodes that compute the same of the same operands.
#[derive(Clone, Debug)]
pub struct NodeClass {
    /// The nodes, in the order of the file.
    pub nodes: Vec<NodeId>,
    key: String,
    parts: Vec<Option<Part>>,
}

/// The classes of a model, and the nodes that are in none.
#[derive(Clone, Debug, Default)]
pub struct NodeClasses {
    /// What can be asked.
    pub classes: Vec<NodeClass>,
    /// Nodes that cannot be asked about, each with the reason.
    pub left: Vec<(NodeId, String)>,
}

/// A node alone, its operands, and what it computes of them.
#[derive(Clone, Debug)]
pub struct Question {
    /// The ONNX model; none for a node of a TFLite model, which is described by the other fields.
    pub model: Option<Vec<u8>>,
    /// The operator.
    pub op: String,
    /// The version of the operator.
    pub version: i64,
    /// Its attributes.
    pub attributes: Vec<(String, Attribute)>,
    /// Its inputs; an input may be omitted.
    pub inputs: Vec<Option<QuestionTensor>>,
    /// Its result; `data` is empty.
    pub output: QuestionTensor,
    reference: Reference,
    /// How many elements show what an engine reads.
    shown: usize,
}

/// What the laws of a target say of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LawVerdict {
    /// The verdict, by its name.
    pub verdict: String,
    /// Why, in one sentence.
    pub reason: String,
}

/// Sorts the broadcasting nodes of a model into classes.
///
/// # Errors
/// [`ErrorKind::Argument`] for models that are neither ONNX nor TFLite.
pub fn classes(model: &Model, shapes: &Shapes) -> Result<NodeClasses, Error> {
    if !matches!(model.system, System::Onnx | System::Tflite) {
        let message =
            format!("engines are asked about nodes of ONNX and TFLite models; this one is in {}", model.format);
        return Err(Error::new(ErrorKind::Argument, message));
    }
    let facts = Facts::of(model, shapes, &[]);
    let (mut found, mut by_key) = (NodeClasses::default(), HashMap::new());
    for id in model.walk() {
        let Some(Ok(meaning)) = meaning(model, id).filter(|read| read.as_ref().is_ok_and(Meaning::broadcasts)) else {
            continue;
        };
        let node = model.node(id);
        match parts((model, shapes, &facts), node, &meaning) {
            Err(reason) => found.left.push((id, reason)),
            Ok(parts) => {
                let key = key(node, &parts);
                let at = *by_key.entry(key.clone()).or_insert_with(|| {
                    found.classes.push(NodeClass { nodes: Vec::new(), key, parts });
                    found.classes.len() - 1
                });
                found.classes[at].nodes.push(id);
            }
        }
    }
    Ok(found)
}

/// Writes what tells the class of a node.
fn key(node: &Node, parts: &[Option<Part>]) -> String {
    let mut key = format!("{} {} {} {:?}", node.domain, node.op, node.version, node.attributes);
    for part in parts {
        match part {
            None => key += "; none",
            Some(part) => key += &part.key(),
        }
    }
    key
}

impl NodeClass {
    /// Makes a question about the class; each `draw` is the same with other numbers.
    ///
    /// # Errors
    /// Why the class cannot be asked about.
    pub fn question(&self, model: &Model, draw: usize) -> Result<Question, String> {
        let id = *self.nodes.first().ok_or("the class has no nodes")?;
        let node = model.node(id);
        let meaning = meaning(model, id).ok_or("it is not element-wise")??;
        let mut question = self.drawn(node, &meaning, (draw, false))?;
        let compares = question.output.dtype == DType::Bool;
        if compares && question.inputs.iter().flatten().all(|input| input.dtype != DType::Bool) {
            // Numbers that differ everywhere would never be equal.
            question = self.drawn(node, &meaning, (draw, true))?;
        }
        if model.system == System::Onnx {
            question.model = Some(one_node(model, node, &question)?);
        }
        Ok(question)
    }

    /// Draws the operands, and computes the node.
    fn drawn(&self, node: &Node, meaning: &Meaning, (number, few): (usize, bool)) -> Result<Question, String> {
        let mut draw = Draw::new(&self.key, number, meaning, few);
        let mut inputs: Vec<Option<QuestionTensor>> = Vec::with_capacity(self.parts.len());
        let mut bytes = 0_usize;
        for (k, part) in self.parts.iter().enumerate() {
            let Some(part) = part else {
                inputs.push(None);
                continue;
            };
            let again = part.again.and_then(|first| inputs.get(first)).cloned().flatten();
            let tensor = again.map_or_else(|| part.tensor(k, &mut draw, MOST_QUESTION_BYTES), Ok)?;
            bytes = bytes.saturating_add(tensor.data.len());
            inputs.push(Some(tensor));
        }
        let too_large = || format!("its operands and its result have more than {} MiB", MOST_QUESTION_BYTES >> 20);
        if bytes > MOST_QUESTION_BYTES {
            return Err(too_large());
        }
        let (dtype, reference) = reference(node, meaning, &inputs)?;
        if reference.values().len().saturating_mul(dtype.size()).saturating_add(bytes) > MOST_QUESTION_BYTES {
            return Err(too_large());
        }
        let shape = reference.shape().to_vec();
        // A choice by a few conditions shows few of the elements of its branches.
        let conditions = inputs.first().and_then(Option::as_ref).filter(|_| meaning.kind == Kind::Select);
        let conditions = conditions.map_or(usize::MAX, |tensor| tensor.shape.iter().product());
        let shown = reference.values().len().min(conditions);
        let output = QuestionTensor { name: "result".to_owned(), dtype, shape, data: Vec::new(), constant: false };
        Ok(Question {
            model: None,
            op: node.op.clone(),
            version: node.version,
            attributes: node.attributes.clone(),
            inputs,
            output,
            reference,
            shown,
        })
    }
}

/// The operands of a node, and how they lie.
struct Operands {
    /// The dtype of the first input.
    dtype: DType,
    arrays: Vec<Array>,
    alignment: Alignment,
}

impl Operands {
    fn new(node: &Node, meaning: &Meaning, inputs: &[Option<QuestionTensor>]) -> Result<Self, String> {
        let mut arrays: Vec<Array> = Vec::with_capacity(meaning.operands.len());
        let dtype = inputs.iter().flatten().next().map_or(DType::F32, |input| input.dtype);
        for (k, (source, tensor)) in meaning.operands.iter().zip(tensors(node, meaning, inputs)).enumerate() {
            arrays.push(match (source, tensor) {
                (_, Some(tensor)) => {
                    Array::from_bytes(tensor.dtype, tensor.shape.as_slice(), &tensor.data).map_err(|e| e.to_string())?
                }
                (Source::Input(_), None) => return Err("an operand is left out".to_owned()),
                (Source::Scalar, None) if meaning.kind == Kind::Bounds => numbers::limit(dtype, k == 2)?,
                (_, None) => return Err("an operand is no tensor".to_owned()),
            });
        }
        let dims: Vec<&[usize]> = arrays.iter().map(Array::shape).collect();
        let target = if meaning.kind == Kind::Stretch { stretched(node, meaning, inputs)? } else { Vec::new() };
        let alignment = meaning.align(&dims, &target).map_err(|error| error.to_string())?;
        Ok(Self { dtype, arrays, alignment })
    }

    fn compute(&self, meaning: &Meaning) -> Result<Array, String> {
        compute::compute(meaning, &self.alignment, &self.arrays.iter().collect::<Vec<_>>())
    }
}

/// Says whether a node is computed in f64.
fn is_layer(meaning: &Meaning) -> bool {
    matches!(meaning.kind, Kind::Affine | Kind::Bias)
}

/// Computes a node as its own format means it.
fn reference(node: &Node, meaning: &Meaning, inputs: &[Option<QuestionTensor>]) -> Result<(DType, Reference), String> {
    match meaning.kind {
        Kind::Lists if matches!(node.op.as_str(), "DequantizeLinear" | "QuantizeLinear") => {
            return layers::scaled(node, meaning, inputs);
        }
        Kind::Lists => return Err(format!("{} is not computed here", node.op)),
        Kind::Blocks => return Err("engines are not asked about blocks".to_owned()),
        Kind::Lengths => return Err("engines are not asked about lists per channel".to_owned()),
        Kind::Mask => return Err("engines are not asked about masks".to_owned()),
        Kind::Contrib => return Err("engines are not asked about ONNX Runtime's own operators".to_owned()),
        _ => {}
    }
    if is_layer(meaning) {
        return layers::compute(node, meaning, inputs);
    }
    let operands = Operands::new(node, meaning, inputs)?;
    let (dtype, values) = if meaning.kind == Kind::Bounds {
        (operands.dtype, layers::clipped(&operands.arrays))
    } else {
        let computed = operands.compute(meaning)?;
        (computed.dtype(), numbers::values(computed.dtype(), computed.as_bytes()))
    };
    Ok((dtype, Reference::new(operands.alignment, tensors(node, meaning, inputs), values, dtype)))
}

/// Computes the result of a node as its own format means it, of at most `most` bytes.
///
/// # Errors
/// Why it cannot be computed.
pub(crate) fn result(
    node: &Node,
    meaning: &Meaning,
    inputs: &[Option<QuestionTensor>],
    most: usize,
) -> Result<QuestionTensor, String> {
    let tensor = |dtype: DType, shape: &[usize], data: Vec<u8>| {
        let shape = shape.to_vec();
        Ok(QuestionTensor { name: String::new(), dtype, shape, data, constant: false })
    };
    if is_layer(meaning) || meaning.kind == Kind::Bounds {
        let (dtype, reference) = reference(node, meaning, inputs)?;
        let data = numbers::bytes(dtype, reference.values());
        return tensor(dtype, reference.shape(), data);
    }
    let operands = Operands::new(node, meaning, inputs)?;
    let count: usize = operands.alignment.shape().dims().iter().product();
    if count.saturating_mul(size_of::<f64>()) > most {
        return Err(format!("it has {count} elements, more than are computed here"));
    }
    let computed = operands.compute(meaning)?;
    tensor(computed.dtype(), computed.shape(), computed.as_bytes().to_vec())
}

/// Lists the operands that are inputs, in the order of the rule, or arrays that the node holds, which are behind the inputs.
fn tensors(node: &Node, meaning: &Meaning, inputs: &[Option<QuestionTensor>]) -> Vec<Option<QuestionTensor>> {
    let mut held = inputs.iter().skip(node.inputs.len());
    let of = |source: &Source| match source {
        Source::Input(k) => inputs.get(*k).cloned().flatten(),
        Source::Held(_) => held.next().cloned().flatten(),
        _ => None,
    };
    meaning.operands.iter().map(of).collect()
}

/// Returns the shape that a node stretches its operand to: its second input, with the operand's own dims where both stretch.
fn stretched(node: &Node, meaning: &Meaning, inputs: &[Option<QuestionTensor>]) -> Result<Vec<usize>, String> {
    let wanted = inputs.get(1).and_then(Option::as_ref).ok_or("the shape to stretch to is left out")?;
    let dims: Vec<usize> = numbers::values(wanted.dtype, &wanted.data).iter().map(|&dim| dim as usize).collect();
    let own = inputs[0].as_ref().map_or(&[][..], |tensor| &tensor.shape);
    let aligned: Result<Alignment, _> = broadaxe_shape::Rule::numpy().align(&[own, &dims]);
    match aligned {
        Ok(aligned) if meaning.rule.name() == "bidirectional" => Ok(aligned.shape().dims().to_vec()),
        _ if node.inputs.len() > 2 => Err("it has more inputs than a shape".to_owned()),
        _ => Ok(dims),
    }
}

/// Writes the ONNX model of a question.
fn one_node(model: &Model, node: &Node, question: &Question) -> Result<Vec<u8>, String> {
    let end = |tensor: &Option<QuestionTensor>| {
        let Some(tensor) = tensor else {
            return End { name: String::new(), element: Element::Known(DType::F32), shape: None, data: None };
        };
        let data = tensor.constant.then(|| tensor.data.clone());
        let (element, shape) = (Element::Known(tensor.dtype), Some(tensor.shape.clone()));
        End { name: tensor.name.clone(), element, shape, data }
    };
    let inputs: Vec<End> = question.inputs.iter().map(end).collect();
    let alone = Node { name: "node".to_owned(), ..node.clone() };
    single::write(model, &alone, &inputs, &[end(&Some(question.output.clone()))]).map_err(|error| error.to_string())
}

impl Question {
    /// Lists what is fed: the inputs that are not constants, each once.
    pub fn feeds(&self) -> Vec<&QuestionTensor> {
        let mut feeds: Vec<&QuestionTensor> = Vec::new();
        for tensor in self.inputs.iter().flatten().filter(|tensor| !tensor.constant) {
            if !feeds.iter().any(|feed| feed.name == tensor.name) {
                feeds.push(tensor);
            }
        }
        feeds
    }

    /// Returns how often an engine is asked that computes the same: with few elements, wrong ones may be right by accident.
    pub fn draws(&self) -> usize {
        match self.shown {
            1..=4 => MOST_DRAWS,
            5..=16 => 4,
            17..=64 => 2,
            _ => 1,
        }
    }

    /// Returns the elements of the right answer, in row-major order.
    pub fn wanted(&self) -> &[f64] {
        self.reference.values()
    }

    /// Returns the run that asks the question, of the file of the node.
    pub fn run(&self, format: &'static str, model: Vec<u8>) -> ModelRun {
        let input = |feed: &&QuestionTensor| {
            let tensor = Tensor { dtype: feed.dtype, shape: feed.shape.clone(), data: feed.data.clone() };
            (feed.name.clone(), tensor)
        };
        let (inputs, outputs) = (self.feeds().iter().map(input).collect(), vec![self.output.name.clone()]);
        ModelRun { format, model, weights: None, inputs, outputs, times: 1 }
    }

    /// Compares what an engine does with the right result.
    pub fn outcome(&self, answer: &ModelAnswer) -> Outcome {
        self.reference.outcome(answer)
    }

    /// Compares an engine's result with the right one: the shape, and all elements within a tolerance of the dtype.
    pub fn judge(&self, shape: &[usize], values: &[f64]) -> Outcome {
        self.reference.judge(shape, values)
    }

    /// Returns what the laws of a target say of the node alone; nothing where it cannot be read again.
    pub fn law(&self, target: Target) -> Option<LawVerdict> {
        let model = format::read(&source::Source::memory(self.model.clone()?, None)).ok()?;
        let shapes = infer(&model, &[]).ok()?;
        let report = check(&model, &shapes, &[target]);
        let finding = report.findings.first()?;
        Some(LawVerdict { verdict: finding.verdict.name().to_owned(), reason: finding.reason.clone() })
    }
}

impl LawVerdict {
    /// Says whether an engine's answer is what the law says; an open law contradicts nothing.
    pub fn agrees(&self, outcome: &Outcome) -> bool {
        self.agrees_with(&outcome.verdict)
    }

    /// Says whether an engine's verdict is what the law says.
    pub fn agrees_with(&self, verdict: &str) -> bool {
        let class = |verdict: &str| match verdict {
            "same" => Some(0),
            "differs" => Some(1),
            "refused" | "unsupported" => Some(2),
            _ => None,
        };
        let (law, engine) = (class(&self.verdict), class(verdict));
        law.is_none() || engine.is_none() || law == engine
    }
}

/// Returns the kind of finding that an engine's answer is.
fn code_of(verdict: &str) -> Option<&'static Code> {
    match verdict {
        "same" => None,
        "differs" => Some(&code::WRONG_VALUE),
        "refused" => Some(&code::NODE_REJECTED),
        "unsupported" => Some(&code::UNSUPPORTED_OPERATOR),
        _ => Some(&code::UNKNOWN_BEHAVIOR),
    }
}

/// Puts an engine's answer about a node into a finding; `target` names the engine, and `source` its package and version.
pub fn finding(
    model: &Model,
    shapes: &Shapes,
    id: NodeId,
    target: &str,
    outcome: &Outcome,
    (evidence, source): (&str, &str),
) -> FindingRecord {
    let mut record = bare_finding(model, shapes, id, target);
    record.verdict.clone_from(&outcome.verdict);
    record.code = code_of(&outcome.verdict).map(|code| code.id.to_owned());
    record.reason.clone_from(&outcome.reason);
    record.counterexample = outcome.counterexample.clone().map(Box::new);
    record.evidence = Some(evidence.to_owned());
    record.source = Some(source.to_owned());
    record
}

#[cfg(test)]
mod tests;
