//! Describes the inputs of a node: what a class depends on, and the tensors of a question.

use broadaxe::DType;

use super::draw::Draw;
use crate::{
    format::single::number_bytes,
    graph::{Model, Node, ValueId},
    infer::Shapes,
    meaning::{Kind, Meaning, Source},
    profiles::Facts,
};

/// The largest constant, in bytes, whose elements are part of a class.
const MOST_KEPT_BYTES: usize = 1 << 12;

/// An input or the result of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionTensor {
    /// Its name in the question; inputs that are the same tensor have the same name.
    pub name: String,
    /// The type of its elements.
    pub dtype: DType,
    /// Its shape, row-major.
    pub shape: Vec<usize>,
    /// Its elements, little-endian and dense.
    pub data: Vec<u8>,
    /// Whether it is a constant of the node's model.
    pub constant: bool,
}

/// An input of the nodes of a class.
#[derive(Clone, Debug)]
pub(super) struct Part {
    dtype: DType,
    shape: Vec<usize>,
    constant: bool,
    /// The elements, where they decide what the node means.
    kept: Option<Vec<u8>>,
    /// The first input that is the same tensor.
    pub(super) again: Option<usize>,
}

impl Part {
    /// Writes what it adds to the key of a class.
    pub(super) fn key(&self) -> String {
        let kind = if self.constant { "constant" } else { "computed" };
        let again = self.again.map_or_else(String::new, |first| format!(" is {first}"));
        let kept = self.kept.as_ref().map_or_else(String::new, |kept| format!(" = {kept:?}"));
        format!("; {kind} {} {:?}{again}{kept}", self.dtype.name(), self.shape)
    }

    /// Makes input `k` of a question.
    ///
    /// # Errors
    /// When it is larger than `most` bytes.
    pub(super) fn tensor(&self, k: usize, draw: &mut Draw, most: usize) -> Result<QuestionTensor, String> {
        let count = broadaxe_shape::elements(&self.shape).map_err(|error| error.to_string())?;
        if count.saturating_mul(self.dtype.size()) > most {
            return Err(format!("an operand has {count} elements, more than are asked about"));
        }
        let data = self.kept.clone().unwrap_or_else(|| draw.elements(k, self.dtype, count));
        // pnnx itself gives names such as in0 and out0.
        let (name, shape) = (format!("operand{k}"), self.shape.clone());
        Ok(QuestionTensor { name, dtype: self.dtype, shape, data, constant: self.constant })
    }
}

/// Describes the inputs of a node.
///
/// # Errors
/// Why nothing can be asked about it.
pub(super) fn parts(
    (model, shapes, facts): (&Model, &Shapes, &Facts),
    node: &Node,
    meaning: &Meaning,
) -> Result<Vec<Option<Part>>, String> {
    if !node.bodies.is_empty() {
        return Err("it has graphs inside".to_owned());
    }
    if let Some(output) = node.output(0) {
        not_quantised(model, output)?;
    }
    let mut parts = Vec::with_capacity(node.inputs.len());
    for (k, input) in node.inputs.iter().enumerate() {
        let Some(id) = *input else {
            parts.push(None);
            continue;
        };
        let mut part = part(model, shapes, id)?;
        part.constant = facts.is_constant(id);
        if decides(meaning, k) {
            part.kept = Some(kept(model, shapes, (node, meaning), id, &part)?);
            part.constant = true;
        }
        part.again = node.inputs[..k].iter().position(|other| *other == Some(id));
        parts.push(Some(part));
    }
    Ok(parts)
}

/// Says whether the elements of an input decide what the node means.
fn decides(meaning: &Meaning, k: usize) -> bool {
    let drawn = match meaning.kind {
        Kind::Bounds | Kind::Quantize => k == 0,
        Kind::Bias | Kind::Affine | Kind::Lists | Kind::Blocks | Kind::Lengths | Kind::Mask | Kind::Contrib => true,
        _ => meaning.operands.contains(&Source::Input(k)),
    };
    !drawn
}

/// Returns the elements of an input that decides what the node means.
fn kept(
    model: &Model,
    shapes: &Shapes,
    (node, meaning): (&Node, &Meaning),
    id: ValueId,
    part: &Part,
) -> Result<Vec<u8>, String> {
    let value = model.value(id);
    if let Some(constant) = &value.constant {
        let read = model.elements(constant, MOST_KEPT_BYTES).map_err(|error| error.to_string())?;
        return read.ok_or_else(|| format!("{} decides what the node means, and is too large", value.name));
    }
    // A computed shape to stretch to is known where the result is.
    let result = node.output(0).and_then(|output| shapes.of.get(output.0 as usize)?.shape.known());
    match result.filter(|result| meaning.kind == Kind::Stretch && part.shape == [result.len()]) {
        Some(result) => Ok(result.dims().iter().flat_map(|&dim| number_bytes(part.dtype, dim as f64)).collect()),
        None => Err(format!("{} decides what the node means, and is computed", value.name)),
    }
}

fn part(model: &Model, shapes: &Shapes, id: ValueId) -> Result<Part, String> {
    let value = model.value(id);
    not_quantised(model, id)?;
    let (constant, known) = (value.constant.as_ref(), shapes.of.get(id.0 as usize));
    let shape = constant.map(|constant| constant.shape.clone());
    let shape = shape.or_else(|| Some(known?.shape.known()?.dims().to_vec())).ok_or_else(|| open(model, shapes, id))?;
    let element = constant.map(|constant| constant.element.clone());
    let element = element.or_else(|| known?.element.clone()).or_else(|| value.element.clone());
    let element = element.ok_or_else(|| format!("the type of {} is not known", value.name))?;
    let dtype = element.dtype().filter(|dtype| *dtype != DType::BF16);
    let dtype = dtype.ok_or_else(|| format!("{} has elements of {element}, which are not asked about", value.name))?;
    Ok(Part { dtype, shape, constant: false, kept: None, again: None })
}

/// Says that a shape is open, and what settles it.
fn open(model: &Model, shapes: &Shapes, id: ValueId) -> String {
    let reason = format!("the shape of {} is open", model.value(id).name);
    let is_open = |input: &&ValueId| shapes.of.get(input.0 as usize).is_some_and(|known| known.shape.known().is_none());
    let inputs = model.graphs.first().map_or(&[][..], |graph| &graph.inputs);
    let Some(input) = inputs.iter().find(is_open) else { return reason };
    let name = &model.value(*input).name;
    format!("{reason}; the input {name} has no fixed shape: --input-shape {name}:SHAPE gives one")
}

/// Rejects tensors whose whole numbers represent real ones.
fn not_quantised(model: &Model, id: ValueId) -> Result<(), String> {
    let value = model.value(id);
    match value.quantization.as_ref().filter(|quantization| !quantization.scales.is_empty()) {
        Some(_) => Err(format!("{} is quantised, and quantised arithmetic is not asked about", value.name)),
        None => Ok(()),
    }
}
