//! What an element-wise node means in its own format: which operator, which rule, and which of its inputs broadcast.
//!
//! The tables of `broadaxe::frameworks` know every operator; what is left for this module is where a model file keeps
//! what the tables ask for: attributes as text in OpenVINO's files, by number in ncnn's, as an expression in pnnx's; and
//! the operators that are not element-wise but in one operand, as `Gemm` in its C.

mod attributes;
mod ncnn;
mod onnx;
mod openvino;
mod paddle;
mod pnnx;

use broadaxe::{System, frameworks};
use broadaxe_shape::{Alignment, Params, Rule, SymbolicShape};

use crate::{
    graph::{Model, Node, NodeId},
    infer::Shapes,
};

/// Says what an element-wise node means.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// What kind of operator it is; profiles of targets go by it.
    pub kind: Kind,
    /// What it computes.
    pub op: Operator,
    /// The rule by which its operands broadcast. The target of a [`Kind::Stretch`] is left empty here: see [`Meaning::rule`].
    pub rule: Rule,
    /// Its operands, in the order of the rule.
    pub operands: Vec<Source>,
}

/// Sorts element-wise operators by how their operands broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One operand; nothing broadcasts.
    Unary,
    /// Two operands: `Add`, `Less`, `BinaryOp`.
    Binary,
    /// Any number of operands: `Max`, `Sum`, `Eltwise`.
    Many,
    /// Condition, then, else: `Where`, `Select`.
    Select,
    /// Data and a slope that stretches to it: `PRelu`.
    Slope,
    /// Data and two scalars: `Clip`.
    Bounds,
    /// Data and four limits that stretch to it: `FakeQuantize`.
    Quantize,
    /// One operand that stretches to a shape: `Expand`, `Broadcast`.
    Stretch,
    /// A product and what is added to it: `Gemm`.
    Bias,
    /// Data and what scales and shifts it after a normalisation: `LayerNormalization`.
    Affine,
    /// Data and numbers per channel that the layer holds itself: ncnn's `PReLU`, `Scale` and `Bias`.
    Channel,
}

/// What a node computes of one element per operand.
#[derive(Clone, Debug)]
pub enum Operator {
    /// A framework's operator.
    Call {
        /// The framework.
        system: System,
        /// The operator's name.
        name: String,
        /// Its attributes, those of its broadcast and the opset included.
        attributes: Vec<(&'static str, frameworks::Attribute)>,
    },
    /// Operators of ours, each applied to what came before and the next operand.
    Own(Vec<&'static str>),
    /// The element of the first operand as it is.
    Copy,
}

/// Where an operand is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// This input of the node.
    Input(usize),
    /// A tensor of the shape of the node's first output, which no input is (the product in `Gemm`).
    Result,
    /// A number that is no tensor.
    Scalar,
    /// A tensor of this shape that the layer holds itself.
    Held(Vec<usize>),
}

/// Says what a node means: nothing for a node that is not element-wise, a reason where it is one but cannot be read.
pub fn meaning(model: &Model, node: NodeId) -> Option<Result<Meaning, String>> {
    let node = model.node(node);
    let read = match (model.format, model.system) {
        ("pnnx", _) => pnnx::read(node),
        (_, System::Onnx) => onnx::read(node),
        (_, System::Openvino) => openvino::read(model, node),
        (_, System::Ncnn) => ncnn::read(node),
        (_, System::Paddle) => paddle::read(node),
        (_, System::Numpy) => None,
    }?;
    Some(read.and_then(|meaning| {
        let (least, given) = (meaning.kind.operands(), meaning.operands.len());
        if given < least { Err(format!("{} takes {least} operands; {given} are given", node.op)) } else { Ok(meaning) }
    }))
}

impl Kind {
    /// Returns the least number of operands.
    fn operands(self) -> usize {
        match self {
            Self::Unary => 0,
            Self::Many | Self::Stretch => 1,
            Self::Binary | Self::Slope | Self::Bias | Self::Affine | Self::Channel => 2,
            Self::Select | Self::Bounds => 3,
            Self::Quantize => 5,
        }
    }
}

impl Meaning {
    /// Says whether operands broadcast: there are two or more, or one that stretches to a shape.
    pub fn broadcasts(&self) -> bool {
        !matches!(self.kind, Kind::Unary | Kind::Channel)
    }

    /// Returns the rule for a result of this shape; only a [`Kind::Stretch`] asks for it.
    pub fn rule(&self, result: &[usize]) -> Rule {
        if self.kind != Kind::Stretch {
            return self.rule.clone();
        }
        let params = Params { target: Some(result.into()), ..self.rule.params().clone() };
        Rule::new(self.rule.name(), params).unwrap_or_else(|_| self.rule.clone())
    }

    /// Returns the shapes of the operands.
    pub fn shapes(&self, node: &Node, shapes: &Shapes) -> Vec<SymbolicShape> {
        let of = |value: Option<crate::ValueId>| {
            let known = value.and_then(|value| shapes.of.get(value.0 as usize));
            known.map_or_else(SymbolicShape::unknown_rank, |known| known.shape.clone())
        };
        let shape = |source: &Source| match source {
            Source::Input(k) => of(node.input(*k)),
            Source::Result => of(node.output(0)),
            Source::Scalar => SymbolicShape::new([]),
            Source::Held(dims) => SymbolicShape::from(dims.as_slice()),
        };
        self.operands.iter().map(shape).collect()
    }

    /// Aligns operands of known shapes; `result` is the shape of the node's output, which only a [`Kind::Stretch`] asks for.
    ///
    /// # Errors
    /// When the operands do not broadcast: the model is wrong by its own rule.
    pub fn align(&self, operands: &[&[usize]], result: &[usize]) -> Result<Alignment, broadaxe_shape::Error> {
        self.rule(result).align(operands)
    }
}

/// Makes the meaning of a node whose inputs, all or the first `count`, are its operands.
fn of_inputs(node: &Node, count: usize, kind: Kind, op: Operator, rule: Rule) -> Meaning {
    let operands = (0..node.inputs.len().min(count)).map(Source::Input).collect();
    Meaning { kind, op, rule, operands }
}

#[cfg(test)]
mod tests;
