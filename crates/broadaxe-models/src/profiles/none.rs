//! A runtime without broadcasting, such as XLA's HLO: shapes are equal, and stretching is an operator of its own.

use super::{Deployment, Evidence, Law, PLAIN, Profile, Way, equal_rank::OTHER_KINDS};
use crate::meaning::Kind;

pub(super) static NONE: Profile = Profile {
    name: "none",
    title: "no broadcasting",
    deployment: Deployment::Constraint,
    summary: "a runtime without broadcasting: operands must have the result's shape",
    laws: &[
        Law {
            kinds: OTHER_KINDS,
            when: &[],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: Evidence::documented("OpenXLA, StableHLO specification"),
        },
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::Rule("none"),
            text: "accepts only a mask with an entry for each score",
            evidence: Evidence::documented("OpenXLA, StableHLO specification, whose operators stretch no operand"),
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Rule("none"),
            text: "accepts only equal shapes",
            evidence: Evidence::documented("OpenXLA, StableHLO specification"),
        },
    ],
    ..PLAIN
};
