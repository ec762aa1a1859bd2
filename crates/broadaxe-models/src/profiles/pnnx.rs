//! ncnn by way of pnnx, which inserts reshapes, drops a batch axis, and treats every slope as a list of channels.
//!
//! Where the ranks of two operands differ, pnnx reshapes the one of lower rank with axes of 1 in front, so that ncnn's
//! rule comes to NumPy's. What else it does is by topic: the batch ([`batch`]), `Gemm` ([`gemm`]), `LayerNormalization`
//! ([`layernorm`]), division by a norm ([`normalize`]) and `PRelu` ([`slope`]).

mod batch;
mod gemm;
mod layernorm;
mod normalize;
mod slope;

use std::collections::BTreeSet;

use broadaxe_frameworks::{Role, System};
use broadaxe_kernels::{DType, id};
use broadaxe_shape::SymbolicShape;

pub(super) use self::batch::Batches;
pub(crate) use self::batch::kept;
use super::{
    Asked, Deployment, Does, Evidence, Law, PLAIN, Profile, Route, Way, When,
    affine::to_nothing,
    channels, contrib,
    folded::folded as folded_values,
    inside::{
        CONVOLUTION, PER_GROUP, flat_data, has_computed_list, has_computed_weights, has_several_in_group, lists,
        no_attention,
    },
    integer_layers, ncnn,
    neighbours::Op,
    quantised,
};
use crate::{
    graph::{Attribute, Model, Node, NodeId, ValueId},
    infer::Shapes,
    meaning::{self, Kind},
};

const PNNX_RUN: Evidence = Evidence::run_here("pnnx and ncnn 20261020; conformance, models_prelu.py");

const PNNX_LAWS: Evidence = Evidence::run_here("pnnx and ncnn 20261020; conformance, laws");

const PNNX_INSIDE: Evidence =
    Evidence::run_here("pnnx and ncnn 20261020; recorded answers, conformance/laws/inside.py");

/// The largest rank of ncnn's tensors, the batch aside.
const LARGEST_RANK: usize = 4;

pub(super) static PNNX: Profile = Profile {
    name: "ncnn",
    title: "ncnn (via pnnx)",
    deployment: Deployment::Phone,
    summary: "ncnn via pnnx, the converter, which usually compensates for ncnn's own rule",
    aliases: &["pnnx"],
    route: Route::new(&["onnx", "pnnx", "ncnn"], Evidence::run_here("pnnx, which reads ONNX and torch, and ncnn")),
    laws: &[
        contrib::PNNX_CONTRIB,
        integer_layers::PNNX_INTEGERS,
        quantised::PNNX_SCALES[0],
        quantised::PNNX_SCALES[1],
        Law {
            kinds: &[],
            when: &[],
            way: Way::Ask(ncnn::own),
            text: "computes its own files as written",
            evidence: PNNX_RUN,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[channels::WRONG_SLOPE, When::Not(&channels::STRETCHES)],
            way: Way::Refused,
            text: "crashes on a slope that does not broadcast with the data",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[channels::WRONG_SLOPE, channels::PER_CHANNEL],
            way: Way::Ask(channels::along),
            text: "applies the slope along axis 1",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[channels::WRONG_SLOPE],
            way: Way::Unknown,
            text: "was not tested with other slopes that do not stretch to the data",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Ask(folded),
            text: "receives constants: pnnx folds nodes that depend only on constants",
            evidence: PNNX_RUN,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Ask(gemm::behind),
            text: "treats the rows of a product as the batch",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Select, Kind::Quantize],
            when: &[],
            way: Way::Unsupported,
            text: "does not support the layer",
            evidence: PNNX_RUN,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(ncnn::absent),
            text: "does not support the operation",
            evidence: PNNX_RUN,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Ask(rank),
            text: "supports at most 4 axes, not counting the batch",
            evidence: PNNX_RUN,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Ask(scalar),
            text: "does not support tensors of rank 0",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Ask(bounds),
            text: "accepts only constant bounds in Clip",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Unary, Kind::Channel, Kind::Bounds],
            when: &[],
            way: Way::Own,
            text: "has an equivalent layer",
            evidence: PNNX_RUN,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(to_nothing)],
            way: Way::Refused,
            text: "does not load a network with a tensor without elements",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(to_given_sizes)],
            way: Way::Refused,
            text: "does not convert Expand if its shape depends on an input's values",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[],
            way: Way::Ask(batch::stretched),
            text: "computes each entry of the batch alone",
            evidence: PNNX_LAWS,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "repeats the tensor", evidence: PNNX_RUN },
        Law {
            kinds: &[Kind::Lengths],
            when: &[
                When::Holds(has_computed_list),
                When::Not(&When::All(&[CONVOLUTION, When::Not(&When::RankAbove(4))])),
            ],
            way: Way::Refused,
            text: "cannot load normalisations with computed lists, or rank-5 convolutions with a computed bias",
            evidence: PNNX_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[CONVOLUTION, When::RankAbove(4), When::Holds(has_computed_weights)],
            way: Way::Refused,
            text: "cannot load a rank-5 convolution with computed weights",
            evidence: PNNX_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[CONVOLUTION, When::Dtype(&[DType::F16])],
            way: Way::Refused,
            text: "cannot load the f16 convolutions that pnnx writes",
            evidence: PNNX_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Dtype(&[DType::F16])],
            way: Way::Garbled,
            text: "reads f16 lists as 32-bit numbers",
            evidence: PNNX_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Named(&["InstanceNormalization"]), When::Not(&When::Rank(0, 4, 5))],
            way: Way::Refused,
            text: "loads InstanceNormalization only for data of ranks 4 and 5",
            evidence: PNNX_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[
                When::Named(&["BatchNormalization"]),
                When::Rank(0, 3, 3),
                When::Holds(gemm::is_folded_into_columns),
            ],
            way: Way::Garbled,
            text: "folds BatchNormalization into the columns of the product before it, not its rows",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[PER_GROUP, When::Holds(has_several_in_group)],
            way: Way::Garbled,
            text: "reads one number per channel in GroupNormalization, past the end of per-group lists",
            evidence: PNNX_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths, Kind::Slope],
            when: &[],
            way: Way::Ask(batch::of_channels),
            text: "uses the first axis after the batch as the channels",
            evidence: PNNX_LAWS,
        },
        flat_data(Way::Garbled, "reads past the lists' end in BatchNormalization of data of rank 1", PNNX_INSIDE),
        lists(PNNX_INSIDE),
        no_attention(PNNX_INSIDE),
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Ask(gemm::bias),
            text: "accepts only one number per column as the C of Gemm",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[],
            way: Way::Ask(layernorm::affine),
            text: "accepts only one scale and bias per normalised element",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Ask(slope::slope),
            text: "applies the slope along one axis and ignores the slope's shape",
            evidence: PNNX_RUN,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(number),
            text: "treats a constant of one element as a number without axes",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(shrunk),
            text: "does not support the layers that pnnx fuses x - tanh(x) and softsign into",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(normalize::normalized),
            text: "fuses division by a norm into a layer that uses its first axis",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[],
            way: Way::Ask(many),
            text: "supports only Max and Min of two operands",
            evidence: PNNX_RUN,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Ask(batch::batch),
            text: "computes each batch entry alone, and a constant has no batch",
            evidence: PNNX_LAWS,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right, as pnnx pads them with 1s on the left",
            evidence: PNNX_RUN,
        },
    ],
    follows_batches: true,
    refused_reshapes: Some(refused_reshapes),
    ..PLAIN
};

/// Refuses what has more axes than ncnn's tensors, the batch aside: operands, and the tensors that they are made of.
fn rank(asked: &Asked<'_>) -> Option<Does> {
    // The batch is apart from the other axes only where it is the first.
    let batched = |k: usize| asked.batches.get(k).copied().flatten() == Some(0);
    let over = |(k, shape): (usize, &SymbolicShape)| {
        let rank = shape.rank()? - usize::from(batched(k) || asked.constants[k] && leads_with_one(shape));
        (rank > LARGEST_RANK).then_some(rank)
    };
    let refused = |rank: usize| {
        let most = format!("supports at most {LARGEST_RANK} axes, not counting the batch; an operand has {rank}");
        Some(Does::RefusedRank(most.into()))
    };
    if asked.operands.iter().any(|shape| shape.rank().is_none()) {
        return Some(Does::Unknown("supports at most 4 axes, not counting the batch, and a rank is unknown".into()));
    }
    if let Some(rank) = asked.operands.iter().enumerate().find_map(over) {
        return refused(rank);
    }
    // A repair may write an operand or the result in fewer axes, but the reshape that does so has those that it comes from.
    let around = asked.facts.around(asked.node, asked.meaning);
    let values =
        (0..asked.operands.len()).filter(|&k| !asked.constants[k]).map(|k| (asked.value(k), around.batches[k]));
    let result = (asked.node.output(0), asked.node.output(0).and_then(|value| asked.facts.batch(value)));
    let ranks = values
        .chain([result])
        .filter_map(|(value, batch)| Some(asked.shape(value?)?.rank()? - usize::from(batch == Some(0))));
    ranks.into_iter().find(|rank| *rank > LARGEST_RANK).and_then(refused)
}

/// Finds results of rank 0, which have shape (1) there, and tensors of rank 0 that are stretched.
fn scalar(asked: &Asked<'_>) -> Option<Does> {
    let rank = |value: Option<ValueId>| value.and_then(|value| asked.shape(value)).and_then(SymbolicShape::rank);
    let output = asked.node.output(0)?;
    if asked.meaning.kind == Kind::Stretch && rank(asked.value(0)) == Some(0) {
        return Some(Does::Unknown("does not support tensors of rank 0, and may not stretch one".into()));
    }
    let shown = rank(Some(output)) == Some(0) && asked.facts.is_output(output);
    shown.then(|| Does::Garbled("does not support tensors of rank 0, and returns shape (1,)".into()))
}

/// Says whether the sizes that a tensor is stretched to are computed from the numbers of an input, and not from its shape.
fn to_given_sizes(asked: &Asked<'_>) -> Option<bool> {
    let mut left: Vec<ValueId> = asked.node.input(1).into_iter().collect();
    let mut seen = left.clone();
    while let Some(value) = left.pop() {
        match asked.producer(value) {
            Some(node) if ["Shape", "Size"].contains(&node.op.as_str()) => {}
            Some(node) => {
                let inputs = node.inputs.iter().flatten().copied();
                let new: Vec<ValueId> = inputs.filter(|input| !seen.contains(input)).collect();
                seen.extend(&new);
                left.extend(new);
            }
            None if asked.model.value(value).constant.is_some() => {}
            None => return Some(asked.model.main().inputs.contains(&value)),
        }
        if seen.len() > MOST_VALUES {
            return None;
        }
    }
    Some(false)
}

/// How many values before a shape are looked at.
const MOST_VALUES: usize = 64;

/// A computed bound becomes a second input of a layer that has one.
fn bounds(asked: &Asked<'_>) -> Option<Does> {
    let computed = asked.constants[1..].iter().any(|constant| !constant);
    computed.then(|| Does::Unsupported("does not support Clip with computed bounds".into()))
}

fn leads_with_one(shape: &SymbolicShape) -> bool {
    shape.dims().and_then(<[_]>::first).is_some_and(|dim| dim.size() == Some(1))
}

fn attribute(node: &Node, name: &str) -> Option<i64> {
    node.attribute(name).and_then(Attribute::int)
}

/// Finds constants of one element that have more axes than the other operands: as numbers they add none to the result.
fn number(asked: &Asked<'_>) -> Option<Does> {
    let ranks: Option<Vec<usize>> = asked.operands.ranks().collect();
    let ranks = ranks?;
    let number = |k: usize| asked.constants[k] && asked.elements(k) == Some(1);
    let rest = (0..ranks.len()).filter(|&k| !number(k)).map(|k| ranks[k]).max()?;
    // ncnn's tensors do not have the first axis of a result with a batch, so that one axis more is not lost.
    let output = asked.node.output(0)?;
    let first = |k: usize| !number(k) && ranks[k] == rest && asked.batches[k].is_none();
    let whole = asked.facts.batch(output) == Some(0) && (0..ranks.len()).any(first);
    let lost = (0..ranks.len()).any(|k| number(k) && ranks[k] > rest + usize::from(whole));
    lost.then(|| Does::Garbled("treats a one-element constant as a number and drops the axes it adds".into()))
}

/// Finds `x - tanh(x)` and `x / (1 + |x|)`, each of which becomes one operation that ncnn does not have.
fn shrunk(asked: &Asked<'_>) -> Option<Does> {
    let (whole, part) = (asked.value(0)?, asked.value(1)?);
    let of_whole = |value, op: Op| {
        asked.producer(value).is_some_and(|node| asked.op(node) == Some(op) && node.input(0) == Some(whole))
    };
    let lacking = match asked.operator() {
        Some(op) if op == id("sub") && of_whole(part, Op::Tanh) => "x - tanh(x)",
        Some(op) if op == id("div") => {
            let sum = asked.producer(part).filter(|node| asked.op(node) == Some(Op::Add))?;
            let constant =
                |value| asked.facts.is_constant(value) && asked.number(value).is_none_or(|number| number == 1.0);
            let inputs = [sum.input(0)?, sum.input(1)?];
            (inputs.iter().any(|&value| of_whole(value, Op::Abs)) && inputs.into_iter().any(constant))
                .then_some("x / (1 + |x|)")?
        }
        _ => return None,
    };
    Some(Does::Unsupported(format!("does not support {lacking} as pnnx fuses it").into()))
}

/// What is computed of constants alone is a constant to pnnx.
fn folded(asked: &Asked<'_>) -> Option<Does> {
    (asked.meaning.kind != Kind::Slope && asked.constants.iter().all(|constant| *constant)).then_some(Does::Own)
}

/// `Max` and `Min` of three operands or more lose those behind the second; of one they become a reduction.
fn many(asked: &Asked<'_>) -> Option<Does> {
    let count = asked.operands.len();
    let mut seen = BTreeSet::new();
    let mut is_again = |k: usize| asked.value(k).is_some_and(|value| !seen.insert(value));
    let again: Vec<bool> = (0..count).map(&mut is_again).collect();
    if count > 2 && again[1..].iter().all(|again| *again) {
        return Some(Does::Refused("stops at a node that reads one tensor three times or more".into()));
    }
    let shared = |k: usize| {
        let value = asked.value(k).filter(|_| !asked.constants[k]);
        value.is_some_and(|value| asked.producer(value).is_some() && asked.readers(value).nth(1).is_some())
    };
    if count > 2 && (0..count).any(|k| again[k] || shared(k)) {
        let text = "may stop at a node of three operands if one is read again";
        return Some(Does::Unknown(text.into()));
    }
    if !asked.operator().is_some_and(|op| op == id("max") || op == id("min")) {
        let alone = Does::Refused("stops at a sum of one operand".into());
        return (count < 2).then_some(alone);
    }
    match count {
        1 if asked.elements(0) == Some(1) && asked.rank() == Some(1) => None,
        1 => Some(Does::Garbled("reduces all elements of a single operand to one".into())),
        2 => None,
        _ => Some(Does::Fewer { count: 2 }),
    }
}

/// Lists the reshapes of a model that become layers which ncnn cannot load, with the reason.
fn refused_reshapes(model: &Model, shapes: &Shapes) -> Vec<(NodeId, String)> {
    if model.system == System::Ncnn {
        return vec![];
    }
    let batches = Batches::of(model, shapes, &model.uses(), &folded_values(model, shapes));
    let rank = |value: Option<ValueId>| {
        let value = value?;
        let rank = shapes.of.get(value.0 as usize)?.shape.rank()?;
        Some(rank - usize::from(batches.get(value) == Some(0)))
    };
    let refused = |node: &Node| {
        let largest = rank(node.input(0)).max(rank(node.output(0))).filter(|rank| *rank > LARGEST_RANK)?;
        let text =
            format!("ncnn supports {LARGEST_RANK} axes besides the batch, and cannot load a reshape with {largest}");
        meaning::role(model, node).is_some_and(|role| matches!(role, Role::Reshape | Role::Expand)).then_some(text)
    };
    let all = (0..).map(NodeId).zip(&model.nodes);
    all.filter_map(|(id, node)| Some((id, refused(node)?))).collect()
}

#[cfg(test)]
mod tests;
