//! ncnn given the shapes as they are written, by a converter that inserts no reshapes: `BinaryOp` aligns to the left.

use std::borrow::Cow;

use broadaxe_frameworks::System;
use broadaxe_kernels::{OpId, id};
use broadaxe_shape::Rule;

use super::{Asked, Deployment, Does, Evidence, Law, PLAIN, Profile, Way};
use crate::meaning::Kind;

const NCNN_RUN: Evidence = Evidence::run_here("ncnn 20261020; conformance, test_engines.py");
const LAYERS: Evidence = Evidence::documented("ncnn, operators");

/// Our operators that `BinaryOp` has.
pub(super) const BINARY: &[OpId] = &[
    id("add"),
    id("sub"),
    id("mul"),
    id("div"),
    id("max"),
    id("min"),
    id("pow"),
    id("atan2"),
    id("fmod"),
    id("logaddexp"),
    id("div_floor"),
    id("remainder_ieee"),
    id("sum"),
    id("prelu"),
];

pub(super) static NCNN: Profile = Profile {
    name: "ncnn-param",
    title: "ncnn (own .param)",
    deployment: Deployment::Phone,
    summary: "ncnn's own .param files as written, with ncnn's own rule",
    aliases: &["ncnn-binaryop"],
    laws: &[
        Law {
            kinds: &[],
            when: &[],
            way: Way::Ask(own),
            text: "computes its own files as written",
            evidence: NCNN_RUN,
        },
        Law {
            kinds: &[Kind::Unary, Kind::Channel, Kind::Affine, Kind::Bias, Kind::Bounds, Kind::Lengths],
            when: &[],
            way: Way::Own,
            text: "has an equivalent layer",
            evidence: LAYERS,
        },
        Law {
            kinds: &[Kind::Select, Kind::Quantize, Kind::Stretch, Kind::Lists, Kind::Blocks],
            when: &[],
            way: Way::Unsupported,
            text: "does not support the layer",
            evidence: LAYERS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(absent),
            text: "does not support the operation",
            evidence: LAYERS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Ask(slope),
            text: "applies the slope along the slowest axis and ignores its shape",
            evidence: NCNN_RUN,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Ask(binary),
            text: "aligns the operand of lower rank to the slowest axis",
            evidence: NCNN_RUN,
        },
    ],
    ..PLAIN
};

/// Does what ncnn's own file says.
pub(super) fn own(asked: &Asked<'_>) -> Option<Does> {
    asked.is_of(System::Ncnn).then_some(Does::Own)
}

/// Finds what no layer computes.
pub(super) fn absent(asked: &Asked<'_>) -> Option<Does> {
    let known = asked.operator().is_some_and(|op| BINARY.contains(&op));
    (!known).then(|| Does::Unsupported(format!("does not support {}", asked.node.op).into()))
}

/// A number of rank 0 becomes a parameter of the layer, if it is a constant.
fn binary(asked: &Asked<'_>) -> Option<Does> {
    let scalar = |k: usize| asked.operands.rank(k) == Some(0) && asked.constants[k];
    Some(match asked.operands.len() {
        2 if scalar(0) || scalar(1) => Does::Own,
        2 => Does::Rule(Rule::ncnn()),
        _ => Does::Rule(Rule::none()),
    })
}

fn slope(asked: &Asked<'_>) -> Option<Does> {
    Some(match (asked.rank(), asked.elements(1)) {
        (_, Some(1)) => Does::Own,
        (Some(rank @ (0 | 4..)), _) => Does::RefusedRank(format!("does not support PReLU of rank {rank}").into()),
        (Some(_), Some(_)) => Does::List { operand: 1, axis: 0 },
        _ => Does::Unknown(Cow::Borrowed("treats the slope as a list, and its shape is unknown")),
    })
}
