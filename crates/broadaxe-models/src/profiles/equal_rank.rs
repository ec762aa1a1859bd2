//! A runtime whose operands must have equal ranks, as TOSA and the layers of TensorRT require.

use super::{Deployment, Evidence, Law, PLAIN, Profile, Way, When};
use crate::meaning::Kind;

const TENSORRT_LAYERS: Evidence = Evidence::documented("TensorRT, Operators: Elementwise; the choice is the caller's");

/// What is neither a mask nor an operator whose operands all broadcast.
pub(super) const OTHER_KINDS: &[Kind] = &[
    Kind::Stretch,
    Kind::Channel,
    Kind::Unary,
    Kind::Bounds,
    Kind::Affine,
    Kind::Bias,
    Kind::Lists,
    Kind::Blocks,
    Kind::Lengths,
    Kind::Contrib,
];

pub(super) static EQUAL_RANK: Profile = Profile {
    name: "equal-rank",
    title: "equal ranks",
    deployment: Deployment::Constraint,
    summary: "a runtime whose operands must have equal ranks, as TOSA and TensorRT's layers require",
    laws: &[
        Law {
            kinds: OTHER_KINDS,
            when: &[],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: TENSORRT_LAYERS,
        },
        Law {
            kinds: &[Kind::Mask],
            when: &[When::EqualRanks],
            way: Way::Own,
            text: "repeats a mask of the rank of the scores",
            evidence: TENSORRT_LAYERS,
        },
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::RefusedRank,
            text: "accepts only a mask of the rank of the scores",
            evidence: TENSORRT_LAYERS,
        },
        Law {
            kinds: &[],
            when: &[When::EqualRanks],
            way: Way::Rule("numpy"),
            text: "accepts only operands of equal rank, axis by axis",
            evidence: TENSORRT_LAYERS,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::RefusedRank,
            text: "accepts only operands of equal rank",
            evidence: TENSORRT_LAYERS,
        },
    ],
    ..PLAIN
};
