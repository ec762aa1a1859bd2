//! Constants behind a convolution or a product of matrices, which MNN makes its bias.
//!
//! The converter adds a constant with as many elements as a convolution has channels to its bias (`FuseConvBias`), by the count alone, and
//! before a `Relu` that it merged earlier. About 140 models were asked.

use broadaxe_kernels::id;
use broadaxe_shape::SymbolicShape;

use super::super::{
    Asked, Does,
    affine::factor,
    inside::{is_depthwise, is_grouped},
    neighbours::{Op, REACH},
};
use crate::graph::{Node, ValueId};

/// Finds a constant behind a convolution that becomes its bias, in another place than it is added.
pub(super) fn bias(asked: &Asked<'_>) -> Option<Does> {
    const TEXT: &str = "may add the constant to the convolution's bias, ignoring its shape";
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
            Some(Does::Garbled("adds the constant to the convolution's bias, before Relu".into()))
        }
        Between::Nothing if sure && constant.len() > rank => {
            Some(Does::Garbled("turns the constant into the convolution's bias, so the result has fewer axes".into()))
        }
        Between::Nothing if sure && conv.op == "Conv" => Some(Does::List { operand: 1, axis: 1 }),
        _ => Some(Does::Unknown(TEXT.into())),
    }
}

/// Finds constants that become the bias of a product of matrices, by the pass `FuseMatMulBias`, which compares counts of elements only.
///
/// The second factor has rank 2. The sum is right where the last axis of the constant is that of the product, and the constant has no
/// more axes than the product. `docs/reports/upstream/mnn-gemm.md` has the models that were asked.
pub(super) fn bias_of_product(asked: &Asked<'_>) -> Option<Does> {
    const TEXT: &str = "may add the constant along the product's columns, ignoring its shape";
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
    if second.is_some_and(|rank| rank != 2) {
        return None;
    }
    let constant = asked.operands[operand].known();
    let (own, rank) = (asked.operands.rank(operand), asked.operands.rank(1 - operand));
    if asked.elements(operand) == Some(1) && (own <= rank || rank.is_none()) {
        return None;
    }
    let (Some(constant), Some(rank)) = (constant, asked.operands.rank(1 - operand)) else {
        return Some(Does::Unknown(format!("{TEXT}, and the shapes are unknown").into()));
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
            Some(Does::Garbled("turns the constant into the product's bias, so the result has fewer axes".into()))
        }
        (false, true) => Some(Does::List { operand, axis: rank - 1 }),
    }
}

/// Says whether a 1-D convolution of groups of several channels reads what a node gives, and the length is open.
///
/// Of 1,008 models it is 4 groups that give no result; 2 groups, one channel to one, and an input of the model are right.
pub(super) fn has_open_groups(asked: &Asked<'_>) -> Option<bool> {
    let mut value = asked.node.input(0)?;
    if is_grouped(asked) != Some(true) || asked.producer(asked.origin(value)).is_none() {
        return Some(false);
    }
    // A list of as many elements says how long its result is, but not to the converter.
    for _ in 0..REACH {
        if asked.file_dims(value)?.last()?.size().is_none() {
            return is_depthwise(asked).map(|depthwise| !depthwise);
        }
        let Some(node) = asked.producer(value) else { return Some(false) };
        let computed = node.inputs.iter().flatten().find(|input| !asked.facts.is_constant(**input));
        let Some(next) = computed else { return Some(false) };
        value = *next;
    }
    Some(false)
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
