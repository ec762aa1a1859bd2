//! Core ML's ML programs, as coremltools builds and converts them. Models were not run: values are documented only.

use broadaxe_kernels::{OpId, id};

use super::{Asked, Evidence, Law, PLAIN, Profile, Route, Way, When, neighbours::only_axis, opset6::UNREAD};
use crate::meaning::Kind;

const CONVERTED: Evidence =
    Evidence::run_here("Core ML 9.0; coremltools, ML program for iOS 16, converted and not run");
const VALUES: Evidence =
    Evidence::documented("coremltools, MIL operators: elementwise_binary broadcasts as NumPy does; not run");

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
            when: &[When::Opset6],
            way: Way::Unknown,
            text: UNREAD,
            evidence: CONVERTED,
        },
        Law { kinds: &[], when: &[When::Empty], way: Way::Refused, text: "refuses dims of 0", evidence: CONVERTED },
        Law {
            kinds: &[],
            when: &[When::RankAbove(5)],
            way: Way::RefusedRank,
            text: "supports ranks up to 5",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[],
            when: &[When::Holds(scalar_input)],
            way: Way::Refused,
            text: "has no inputs of rank 0",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[],
            when: &[When::Holds(computed_scalar)],
            way: Way::Unknown,
            text: "has no inputs of rank 0; computed tensors of rank 0 were not asked",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::Constant(1))],
            way: Way::Refused,
            text: "has constant slopes only",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::Rank(0, 3, 5))],
            way: Way::Refused,
            text: "has PReLU for data of ranks 3 to 5",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Holds(along_channels)],
            way: Way::Own,
            text: "has one constant slope for each entry of axis 1",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Refused,
            text: "has one constant slope for each entry of axis 1, and no other",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::Operands(2), When::Operator(CONVERTED_OPERATORS)],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: VALUES,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: VALUES,
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: VALUES,
        },
    ],
    ..PLAIN
};

/// Returns the first computed operand of rank 0.
fn scalar(asked: &Asked<'_>) -> Option<usize> {
    (0..asked.operands.len()).find(|&k| asked.operands[k].rank() == Some(0) && !asked.constants[k])
}

fn is_computed(asked: &Asked<'_>, operand: usize) -> bool {
    asked.value(operand).is_some_and(|value| asked.producer(value).is_some())
}

fn scalar_input(asked: &Asked<'_>) -> Option<bool> {
    Some(scalar(asked).is_some_and(|operand| !is_computed(asked, operand)))
}

fn computed_scalar(asked: &Asked<'_>) -> Option<bool> {
    Some(scalar(asked).is_some_and(|operand| is_computed(asked, operand)))
}

/// Says whether a slope is along axis 1: a converter writes it as a list of the length of that axis.
fn along_channels(asked: &Asked<'_>) -> Option<bool> {
    let [x, slope] = asked.operands else { return Some(false) };
    let (rank, own) = (x.rank()?, slope.known()?);
    let channels = x.dims()?.get(1)?.size();
    let alone = own.iter().all(|dim| *dim == 1) && channels == Some(1);
    Some(alone || only_axis(&own, rank) == Some(1) && channels == Some(own.iter().product()))
}
