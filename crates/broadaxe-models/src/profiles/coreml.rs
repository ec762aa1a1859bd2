//! Core ML's ML programs, as coremltools builds and converts them. Models were not run: values are documented only.

use broadaxe_kernels::{OpId, id};
use broadaxe_shape::{Rule, SymbolicShape};

use super::{
    Asked, Does, Evidence, Law, PLAIN, Profile, Route, Way, mnn::has_no_elements, neighbours::only_axis, opset6::unread,
};
use crate::meaning::Kind;

const CONVERTED: Evidence =
    Evidence::run_here("Core ML 9.0; coremltools, ML program for iOS 16, converted and not run");
const VALUES: Evidence =
    Evidence::documented("coremltools, MIL operators: elementwise_binary broadcasts as NumPy does; not run");

/// The largest rank of a tensor.
const LARGEST_COREML_RANK: usize = 5;

/// The operators that were converted.
const CONVERTED_OPERATORS: &[OpId] = &[
    id("add"),
    id("sub"),
    id("mul"),
    id("div"),
    id("pow"),
    id("max"),
    id("min"),
    id("equal"),
    id("less"),
    id("div_floor"),
    id("mod_floor"),
];

pub(super) static COREML: Profile = Profile {
    name: "coreml",
    summary: "Core ML's ML programs (converted only; values are documented)",
    route: Route::new(&[], Evidence::documented("coremltools, which reads PyTorch and TensorFlow")),
    laws: &[
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Slope, Kind::Select],
            way: Way::Ask(unread),
            text: "reads no ONNX itself",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[],
            way: Way::Ask(shapes),
            text: "has inputs of ranks 1 to 5, without dims of 0",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Ask(slope),
            text: "has one constant slope for each entry of axis 1, and data of ranks 3 to 5",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            way: Way::Ask(converted),
            text: "aligns shapes to the right and stretches every operand",
            evidence: VALUES,
        },
        Law {
            kinds: &[Kind::Select],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: VALUES,
        },
        Law {
            kinds: &[Kind::Unary],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: VALUES,
        },
    ],
    ..PLAIN
};

fn shapes(asked: &Asked<'_>) -> Option<Does> {
    let refused = |text: String| Some(Does::Refused(text.into()));
    if has_no_elements(asked) {
        return refused("refuses dims of 0".into());
    }
    let ranks: Option<Vec<usize>> = asked.operands.iter().map(SymbolicShape::rank).collect();
    let Some(ranks) = ranks else {
        return Some(Does::Unknown("has ranks 1 to 5, and the ranks are not known".into()));
    };
    if let Some(rank) = ranks.iter().find(|rank| **rank > LARGEST_COREML_RANK) {
        let text = format!("supports ranks up to {LARGEST_COREML_RANK}; an operand has rank {rank}");
        return Some(Does::RefusedRank(text.into()));
    }
    let scalar = (0..ranks.len()).find(|&k| ranks[k] == 0 && !asked.constants[k])?;
    if asked.value(scalar).is_some_and(|value| asked.producer(value).is_some()) {
        return Some(Does::Unknown("has no inputs of rank 0; computed tensors of rank 0 were not asked".into()));
    }
    refused("has no inputs of rank 0".into())
}

/// Accepts slopes that lie along axis 1: a converter writes them as a list of the length of that axis.
fn slope(asked: &Asked<'_>) -> Option<Does> {
    let refused = |text: &'static str| Some(Does::Refused(text.into()));
    if !*asked.constants.get(1)? {
        return refused("has constant slopes only");
    }
    let [x, slope] = asked.operands else { return None };
    let (Some(rank), Some(own)) = (x.rank(), slope.known()) else {
        return Some(Does::Unknown("has one slope for each entry of axis 1, and the shapes are not known".into()));
    };
    if !(3..=LARGEST_COREML_RANK).contains(&rank) {
        return refused("has PReLU for data of ranks 3 to 5");
    }
    let alone = own.iter().all(|dim| *dim == 1) && x.dims()?[1].size() == Some(1);
    let along = alone || only_axis(&own, rank) == Some(1) && x.dims()?[1].size() == Some(own.iter().product());
    if along { Some(Does::Own) } else { refused("has one constant slope for each entry of axis 1, and no other") }
}

fn converted(asked: &Asked<'_>) -> Option<Does> {
    let known = asked.operator().is_some_and(|op| CONVERTED_OPERATORS.contains(&op)) && asked.operands.len() == 2;
    known.then(|| Does::Rule(Rule::numpy()))
}
