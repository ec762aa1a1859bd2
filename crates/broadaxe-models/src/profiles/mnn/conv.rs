//! Constants behind a convolution or a product of matrices: what MNN makes its bias, and what it reads in the layout of four channels.
//!
//! The converter adds a constant with as many elements as a convolution has channels to its bias (`FuseConvBias`), by the count alone, and
//! before a `Relu` that it merged earlier. On the CPU, convolutions and their like give channels in groups of four. A product or a sum with
//! one constant number reads them in that order where the number has the greater rank, or comes first with the same one. About 140 models
//! were asked.

use broadaxe_kernels::id;
use broadaxe_shape::SymbolicShape;

use super::super::{
    Asked, Does,
    affine::factor,
    neighbours::{Op, REACH},
};
use crate::{
    graph::{Node, ValueId},
    meaning::Kind,
};

/// Operators that give their result in the layout of four channels.
const LAID_OUT: &[&str] = &[
    "Conv",
    "ConvTranspose",
    "MaxPool",
    "AveragePool",
    "LpPool",
    "GlobalMaxPool",
    "GlobalAveragePool",
    "BatchNormalization",
    "InstanceNormalization",
    "LRN",
    "Resize",
];
/// Operators that keep that layout in part of the models that were asked.
const KEEPS: &[&str] = &[
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Max",
    "Min",
    "Pow",
    "Transpose",
    "Reshape",
    "Concat",
    "Squeeze",
    "Unsqueeze",
    "Slice",
    "Pad",
];
/// Operators of one operand that keep it in all of them.
const KEEPS_ALL: &[&str] = &[
    "Abs",
    "Asinh",
    "Atan",
    "Cast",
    "Ceil",
    "Clip",
    "Cos",
    "Elu",
    "Erf",
    "Exp",
    "Floor",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "Identity",
    "LeakyRelu",
    "Log",
    "Neg",
    "Reciprocal",
    "Relu",
    "Round",
    "Selu",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Tan",
    "Tanh",
];

/// Finds a constant behind a convolution that becomes its bias, in another place than it is added.
pub(super) fn bias(asked: &Asked<'_>) -> Option<Does> {
    const TEXT: &str = "may add the constant to the bias of the convolution, whatever its shape";
    if asked.operator() != Some(id("add")) && asked.node.op != "Sum" || asked.operands.len() != 2 {
        return None;
    }
    if !asked.constants[1] || asked.constants[0] {
        return None;
    }
    let (conv, between) = source(asked, asked.value(0)?)?;
    let weights = conv.input(1).filter(|weights| asked.facts.is_constant(*weights))?;
    let weights = asked.shape(weights)?.known()?;
    let channels = *if conv.op == "Conv" { weights.first()? } else { weights.get(1)? };
    let constant = asked.operands[1].known()?;
    if constant.iter().product::<usize>() != channels {
        return None;
    }
    let rank = weights.len();
    let along = along_channels(&constant, rank);
    let sure = asked.value(0).is_some_and(|value| asked.is_single(value)) && rank == 4;
    match between {
        Between::Nothing | Between::Other if along => None,
        Between::Rectified if sure => {
            Some(Does::Garbled("adds the constant before Relu, to the bias of the convolution".into()))
        }
        Between::Nothing if sure && constant.len() > rank => {
            Some(Does::Garbled("makes the constant the bias of the convolution, whose result has fewer axes".into()))
        }
        Between::Nothing if sure && conv.op == "Conv" => Some(Does::List { operand: 1, axis: 1 }),
        _ => Some(Does::Unknown(TEXT.into())),
    }
}

/// Finds constants that become the bias of a product of matrices, by the pass `FuseMatMulBias`, which compares counts of elements only.
///
/// The second factor has rank 2. The sum is right where the last axis of the constant is that of the product, and the constant has no
/// more axes than the product. `docs/reports/mnn-gemm.md` has the models that were asked.
pub(super) fn bias_of_product(asked: &Asked<'_>) -> Option<Does> {
    const TEXT: &str = "may add the constant along the columns of the product of matrices, whatever its shape";
    if asked.operator() != Some(id("add")) && asked.node.op != "Sum" || asked.operands.len() != 2 {
        return None;
    }
    let operand = (0..2).find(|&k| asked.constants[k] && !asked.constants[1 - k])?;
    let (made, op) = asked.maker(asked.value(1 - operand)?)?;
    // A Gemm without a C is a product and nothing else.
    if op != Op::MatMul && (op != Op::Gemm || made.input(2).is_some() || factor(made, "alpha") != 1.0) {
        return None;
    }
    let second = made.input(1).and_then(|second| asked.shape(second)).and_then(SymbolicShape::rank);
    if second.is_some_and(|rank| rank != 2) || asked.elements(operand) == Some(1) {
        return None;
    }
    let constant = asked.operands[operand].known();
    let (Some(constant), Some(rank)) = (constant, asked.operands[1 - operand].rank()) else {
        return Some(Does::Unknown(format!("{TEXT}, and the shapes are not known").into()));
    };
    let columns = asked.operands[1 - operand].dims().and_then(|dims| dims.last()?.size());
    let count: usize = constant.iter().product();
    if columns.is_some_and(|columns| columns != count) {
        return None;
    }
    let along_columns = constant.last() == Some(&count) && constant.len() <= rank;
    let single = asked.value(1 - operand).is_some_and(|value| asked.is_single(value));
    let asked_about = single && asked.operator() == Some(id("add")) && asked.node.op != "Sum" && second.is_some();
    match (along_columns, asked_about && columns.is_some()) {
        (true, _) => None,
        (false, false) => Some(Does::Unknown(TEXT.into())),
        (false, true) if constant.len() > rank => {
            Some(Does::Garbled("makes the constant the bias of the product, whose result has fewer axes".into()))
        }
        (false, true) => Some(Does::List { operand, axis: rank - 1 }),
    }
}

/// What is between a convolution and a sum.
#[derive(Clone, Copy)]
enum Between {
    Nothing,
    Rectified,
    Other,
}

/// Follows a value to the convolution that it comes from.
fn source<'a>(asked: &Asked<'a>, mut value: ValueId) -> Option<(&'a Node, Between)> {
    let mut between = Between::Nothing;
    for _ in 0..REACH {
        let node = asked.producer(asked.origin(value))?;
        between = match (node.op.as_str(), between) {
            ("Conv" | "ConvTranspose", _) => return Some((node, between)),
            ("Identity", _) => between,
            ("Relu", Between::Nothing) => Between::Rectified,
            ("Clip", Between::Nothing) if clips_to_six(asked, node) => Between::Rectified,
            ("Reshape" | "Add" | "BatchNormalization", _) => Between::Other,
            _ => return None,
        };
        value = node.input(0)?;
    }
    None
}

/// Says whether a Clip is the Relu6 of convolutions.
fn clips_to_six(asked: &Asked<'_>, node: &Node) -> bool {
    let bound = |k: usize| node.input(k).and_then(|value| asked.number(value));
    bound(1) == Some(0.0) && bound(2) == Some(6.0)
}

/// Says whether a constant has its elements along axis 1 of data of a rank.
fn along_channels(constant: &[usize], rank: usize) -> bool {
    constant.len() <= rank && constant.iter().rev().enumerate().all(|(k, dim)| *dim == 1 || k + 2 == rank)
}

/// Says whether an output of the model is what a convolution along one axis gives, with the four axes that it has within MNN.
pub(super) fn is_shown(asked: &Asked<'_>) -> Option<bool> {
    Some(shows(asked, asked.node.output(0)?, REACH))
}

fn shows(asked: &Asked<'_>, value: ValueId, reach: usize) -> bool {
    let next = |(node, operand): (&Node, usize)| operand == 0 && keeps_axes(asked, node) && reach > 0;
    let behind = |node: &Node| node.output(0).is_some_and(|value| shows(asked, value, reach - 1));
    asked.facts.is_output(value) || asked.readers(value).any(|reader| next(reader) && behind(reader.0))
}

/// Says whether a node behind a convolution along one axis keeps the four axes, and shows them.
pub(super) fn keeps_four_axes(asked: &Asked<'_>) -> Option<bool> {
    let mut node = asked.node;
    for _ in 0..REACH {
        let before = node.input(0).filter(|_| keeps_axes(asked, node)).and_then(|value| asked.producer(value));
        let Some(before) = before else { return Some(false) };
        if matches!(before.op.as_str(), "Conv" | "ConvTranspose") {
            return is_shown(asked);
        }
        node = before;
    }
    Some(false)
}

fn keeps_axes(asked: &Asked<'_>, node: &Node) -> bool {
    let constants = || node.inputs.iter().skip(1).flatten().all(|value| asked.facts.is_constant(*value));
    match node.op.as_str() {
        "Relu" | "LeakyRelu" => true,
        "Clip" => constants(),
        "PRelu" => constants() && single(asked, node),
        _ => false,
    }
}

/// Says whether the slope of a node has one element.
fn single(asked: &Asked<'_>, node: &Node) -> bool {
    let slope = node.input(1).and_then(|slope| asked.shape(slope)?.known());
    slope.is_some_and(|slope| slope.iter().product::<usize>() == 1)
}

/// Finds a constant number that makes MNN read channels in groups of four as if they were in order.
pub(super) fn number(asked: &Asked<'_>) -> Option<Does> {
    const TEXT: &str = "reads the channels of a convolution in groups of four, as if they were in order, where a constant number sets the rank";
    if asked.operands.len() != 2 || asked.meaning.kind == Kind::Slope {
        return None;
    }
    let constant = (0..2).find(|&k| asked.constants[k] && !asked.constants[1 - k] && asked.elements(k) == Some(1))?;
    let (own, data) = (asked.operands[constant].rank()?, asked.operands[1 - constant].rank()?);
    if own < data || own == data && constant == 1 || is_in_order(&asked.operands[1 - constant]) {
        return None;
    }
    Some(if laid_out(asked, asked.value(1 - constant)?, REACH)? {
        Does::Garbled(TEXT.into())
    } else {
        Does::Unknown("may read channels in groups of four, as if they were in order".into())
    })
}

/// Says whether data have one entry of the batch, and one element for each channel: both orders are one.
fn is_in_order(data: &SymbolicShape) -> bool {
    data.dims().is_some_and(|dims| dims.iter().enumerate().all(|(axis, dim)| axis == 1 || dim.size() == Some(1)))
}

/// Says whether a value has the layout of four channels for certain; nothing where no such node is before it.
pub(super) fn laid_out(asked: &Asked<'_>, value: ValueId, reach: usize) -> Option<bool> {
    let node = asked.producer(asked.origin(value)).filter(|_| reach > 0)?;
    if LAID_OUT.contains(&node.op.as_str()) {
        return Some(true);
    }
    let same = KEEPS_ALL.contains(&node.op.as_str());
    if !same && !KEEPS.contains(&node.op.as_str()) {
        return None;
    }
    let found = node.inputs.iter().flatten().find_map(|input| laid_out(asked, *input, reach - 1))?;
    Some(found && same)
}
