//! ncnn by way of pnnx, which inserts reshapes, drops a batch axis, and takes every slope for a list of channels.
//!
//! Where the ranks of two operands differ, pnnx reshapes the one of lower rank with axes of 1 in front, so that ncnn's
//! rule comes to NumPy's. Before that it looks for the batch: convolutions, pooling, some normalisations and `PRelu`
//! have it at axis 0, and from there it spreads through the graph, forth and back, through transpositions and those
//! reshapes that keep it at extent 1. ncnn then computes each entry of the batch alone. A constant has no batch: one
//! whose first axis is longer than 1 is left as it is, and its axes then meet the wrong ones.
//!
//! A slope becomes the weights of ncnn's `PReLU`, whose shape nobody looks at: entry `i` goes to entry `i` of the axis
//! behind the batch. Of 945 legal slopes, 532 come out wrong.

use std::borrow::Cow;

use broadaxe::System;
use broadaxe_shape::SymbolicShape;

use super::{Asked, Does, Evidence, Law, Profile, Way, ncnn};
use crate::{
    graph::{Attribute, Model, Node, Use, ValueId},
    infer::Shapes,
    meaning::Kind,
};

const RUN: Evidence = Evidence::run_here("pnnx and ncnn 20261020; conformance, models_prelu.py");

/// The largest rank of ncnn's tensors, the batch aside.
const RANK: usize = 4;

pub(super) static PROFILE: Profile = Profile {
    name: "ncnn",
    summary: "ncnn through pnnx, which converts ONNX and torch",
    laws: &[
        Law { kinds: &[], way: Way::Ask(own), text: "wrote the model", evidence: RUN },
        Law {
            kinds: &[],
            way: Way::Ask(folded),
            text: "computes what depends on constants only by itself",
            evidence: RUN,
        },
        Law { kinds: &[], way: Way::Ask(rank), text: "has ranks up to 4 beside the batch", evidence: RUN },
        Law {
            kinds: &[Kind::Unary, Kind::Channel, Kind::Bounds],
            way: Way::Own,
            text: "has a layer that says the same",
            evidence: RUN,
        },
        Law { kinds: &[Kind::Stretch], way: Way::Own, text: "repeats the tensor", evidence: RUN },
        Law {
            kinds: &[Kind::Bias],
            way: Way::Ask(bias),
            text: "takes one number per column as the C of Gemm",
            evidence: RUN,
        },
        Law {
            kinds: &[Kind::Affine],
            way: Way::Ask(affine),
            text: "takes scale and bias in the shape that is normalised",
            evidence: RUN,
        },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Ask(slope),
            text: "gives entry i of the slope to entry i of one axis, without a look at the slope's shape",
            evidence: RUN,
        },
        Law { kinds: &[Kind::Select, Kind::Quantize], way: Way::Refused, text: "has no such layer", evidence: RUN },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            way: Way::Ask(ncnn::absent),
            text: "has no such operation",
            evidence: RUN,
        },
        Law { kinds: &[Kind::Many], way: Way::Ask(many), text: "takes Max and Min of two operands", evidence: RUN },
        Law {
            kinds: &[],
            way: Way::Ask(batch),
            text: "computes each entry of the batch alone, and a constant has no batch",
            evidence: RUN,
        },
        Law { kinds: &[], way: Way::Rule("numpy"), text: "is given reshapes with axes of 1 in front", evidence: RUN },
    ],
};

fn own(asked: &Asked<'_>) -> Option<Does> {
    asked.is_of(System::Ncnn).then_some(Does::Own)
}

/// Refuses what has more axes than ncnn's tensors, the batch aside.
fn rank(asked: &Asked<'_>) -> Option<Does> {
    let batch = |k: usize| asked.batches.get(k).copied().flatten().is_some();
    let over = |(k, shape): (usize, &SymbolicShape)| {
        let rank = shape.rank()? - usize::from(batch(k) || asked.constants[k] && leads_with_one(shape));
        (rank > RANK).then_some(rank)
    };
    let rank = asked.operands.iter().enumerate().find_map(over)?;
    Some(Does::Refused(format!("has ranks up to {RANK} beside the batch; an operand has rank {rank}").into()))
}

fn leads_with_one(shape: &SymbolicShape) -> bool {
    shape.dims().and_then(<[_]>::first).is_some_and(|dim| dim.size() == Some(1))
}

fn slope(asked: &Asked<'_>) -> Option<Does> {
    if !asked.constants[1] {
        return Some(Does::Refused(Cow::Borrowed("has no layer for a slope that is computed")));
    }
    Some(match (asked.operands[0].rank(), asked.elements(1)) {
        (_, Some(1)) => Does::Own,
        (Some(0), _) => Does::Refused(Cow::Borrowed("has no tensors of rank 0")),
        (Some(rank), Some(_)) => Does::List { operand: 1, axis: usize::from(rank > 1) },
        _ => Does::Unknown(Cow::Borrowed("takes the slope for a list, and a shape is not known")),
    })
}

/// What is computed of constants alone is a constant to pnnx.
fn folded(asked: &Asked<'_>) -> Option<Does> {
    (asked.meaning.kind != Kind::Slope && asked.constants.iter().all(|constant| *constant)).then_some(Does::Own)
}

/// `Max` and `Min` of three operands or more lose those behind the second; of one they become a reduction.
fn many(asked: &Asked<'_>) -> Option<Does> {
    let count = asked.operands.len();
    if !matches!(asked.operator().as_str(), "max" | "min") {
        let alone = Does::Refused("stops at a sum of one operand".into());
        return (count < 2).then_some(alone);
    }
    match count {
        1 => Some(Does::Garbled("folds all elements of a single operand into one".into())),
        2 => None,
        _ => Some(Does::Fewer { count: 2 }),
    }
}

/// Any other shape of C leaves a layer that ncnn has not.
fn bias(asked: &Asked<'_>) -> Option<Does> {
    let (product, c) = (asked.operands[0].dims(), asked.operands[1].dims());
    let columns = product.and_then(|dims| dims.last());
    Some(match c {
        Some([own]) if columns.is_none_or(|columns| columns == own) => Does::Own,
        Some(_) => Does::Refused(Cow::Borrowed("takes one number per column as the C of Gemm, of rank 1")),
        None => {
            Does::Unknown(Cow::Borrowed("takes one number per column as the C of Gemm, and its shape is not known"))
        }
    })
}

fn affine(asked: &Asked<'_>) -> Option<Does> {
    if asked.node.op == "LayerNormalization" && asked.operands.len() < 3 {
        return Some(Does::Refused("has no layer for a LayerNormalization without bias".into()));
    }
    let (Some(data), Some(scale)) = (asked.operands[0].dims(), asked.operands[1].dims()) else {
        return Some(Does::Unknown(
            "takes scale and bias in the shape that is normalised, and a shape is not known".into(),
        ));
    };
    let axis = attribute(asked.node, "axis").unwrap_or(-1);
    let normalised = if axis < 0 { axis.unsigned_abs() as usize } else { data.len().saturating_sub(axis as usize) };
    let suffix = data.len().checked_sub(normalised).map(|first| &data[first..]);
    Some(if suffix != Some(scale) {
        Does::Refused("takes scale and bias in the shape that is normalised, nothing that stretches to it".into())
    } else if normalised > 1 && normalised + 1 >= data.len() {
        Does::Garbled("normalises over each row alone where all axes but the batch are normalised".into())
    } else {
        Does::Own
    })
}

fn attribute(node: &Node, name: &str) -> Option<i64> {
    node.attribute(name).and_then(Attribute::int)
}

/// Finds constants that should have the batch's axis and are not split along it, and batches that do not fit.
fn batch(asked: &Asked<'_>) -> Option<Does> {
    let batched = |k: usize| asked.batches.get(k).copied().flatten() == Some(0);
    let first = |k: usize| asked.operands[k].dims().and_then(|dims| dims.first()).and_then(broadaxe_shape::Dim::size);
    let count = asked.operands.len();
    let data = (0..count).find(|&k| batched(k) && !asked.constants[k] && asked.operands[k].rank() > Some(1))?;
    let rank = asked.operands[data].rank()?;
    for k in (0..count).filter(|&k| k != data) {
        let own = asked.operands[k].rank()?;
        if asked.constants[k] && own >= rank && first(k).is_some_and(|extent| extent > 1) {
            return Some(Does::Garbled(
                "computes each entry of the batch alone, but leaves the first axis of the constant in place".into(),
            ));
        }
        if own > rank && first(data).is_some_and(|extent| extent > 1) {
            return Some(Does::Refused("has a batch in an operand of lower rank, which meets another axis".into()));
        }
    }
    None
}

/// Operators whose first input and output have the batch at axis 0.
const WITH_BATCH: &[&str] = &[
    "Conv",
    "ConvTranspose",
    "AveragePool",
    "MaxPool",
    "LpPool",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "GlobalLpPool",
    "BatchNormalization",
    "InstanceNormalization",
    "GroupNormalization",
    "LRN",
    "Resize",
    "Upsample",
    "DepthToSpace",
    "SpaceToDepth",
    "GridSample",
    "PRelu",
    "Convolution",
    "GroupConvolution",
    "ConvolutionBackpropData",
    "GroupConvolutionBackpropData",
    "AvgPool",
    "AdaptiveAvgPool",
    "BatchNormInference",
    "Interpolate",
    "PReLU",
    "conv2d",
    "depthwise_conv2d",
    "pool2d",
    "batch_norm",
];

/// What pnnx takes for the batch axis of every value; nothing where no target asks for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Batches {
    of: Vec<Option<usize>>,
}

impl Batches {
    /// Follows the batch through a model as pnnx does.
    pub(super) fn of(model: &Model, shapes: &Shapes, uses: &[Vec<Use>]) -> Self {
        let mut of: Vec<Option<usize>> = vec![None; model.values.len()];
        let mut open: Vec<ValueId> = Vec::new();
        for node in model.nodes.iter().filter(|node| with_batch(node, shapes)) {
            set(&mut of, &mut open, node.input(0), 0);
            set(&mut of, &mut open, node.output(0), 0);
        }
        while let Some(value) = open.pop() {
            let Some(axis) = of[value.0 as usize] else { continue };
            for at in &uses[value.0 as usize] {
                let node = model.node(at.node);
                if !with_batch(node, shapes)
                    && let Some(axis) = through(node, axis, shapes, false)
                {
                    node.outputs.iter().for_each(|output| set(&mut of, &mut open, *output, axis));
                }
            }
            let producer = model.value(value).producer.map(|(node, _)| model.node(node));
            if let Some(node) = producer.filter(|node| !with_batch(node, shapes))
                && let Some(axis) = through(node, axis, shapes, true)
            {
                node.inputs.iter().for_each(|input| set(&mut of, &mut open, *input, axis));
            }
        }
        for (axis, known) in of.iter_mut().zip(&shapes.of) {
            *axis = axis.filter(|axis| known.shape.rank().is_none_or(|rank| rank > 1 && *axis < rank));
        }
        Self { of }
    }

    /// Returns the batch axis of a value.
    pub(super) fn get(&self, value: ValueId) -> Option<usize> {
        self.of.get(value.0 as usize).copied().flatten()
    }
}

/// Says whether a node has its batch at axis 0; a `PRelu` only if its slope is a list.
fn with_batch(node: &Node, shapes: &Shapes) -> bool {
    let slope = || node.input(1).and_then(|value| shapes.of.get(value.0 as usize)?.shape.known());
    WITH_BATCH.contains(&node.op.as_str())
        && !(matches!(node.op.as_str(), "PRelu" | "PReLU") && slope().is_none_or(|slope| slope.iter().all(|d| *d == 1)))
}

fn set(of: &mut [Option<usize>], open: &mut Vec<ValueId>, value: Option<ValueId>, axis: usize) {
    if let Some(value) = value
        && let Some(known @ None) = of.get_mut(value.0 as usize)
    {
        *known = Some(axis);
        open.push(value);
    }
}

/// Follows the batch axis through a node, to its outputs or back to its inputs; nothing where pnnx gives up.
fn through(node: &Node, axis: usize, shapes: &Shapes, back: bool) -> Option<usize> {
    match node.op.as_str() {
        "Transpose" => {
            let order = node.attribute("perm").and_then(Attribute::ints)?;
            if back {
                usize::try_from(*order.get(axis)?).ok()
            } else {
                order.iter().position(|from| usize::try_from(*from) == Ok(axis))
            }
        }
        "Reshape" => {
            let shape = &shapes.of.get(node.output(0)?.0 as usize)?.shape;
            (shape.dims()?.get(axis)?.size() == Some(1)).then_some(axis)
        }
        "Gather" | "Shape" | "Constant" | "ConstantOfShape" | "Range" => None,
        _ => Some(axis),
    }
}
