//! Paddle: NumPy's rule, the legacy operators' axis, and a slope of `prelu` that is a list of one rank.

use std::borrow::Cow;

use broadaxe_frameworks::System;
use broadaxe_shape::Rule;

use super::{Asked, Does, Evidence, Law, PLAIN, Profile, Route, Way};
use crate::meaning::Kind;

const PADDLE_RUN: Evidence = Evidence::run_here("Paddle 3.3; conformance, test_engines.py");
const PRELU_DOCUMENTED: Evidence = Evidence::documented("paddle.nn.functional.prelu");

pub(super) static PADDLE: Profile = Profile {
    name: "paddle",
    summary: "PaddlePaddle 3",
    route: Route::new(&["paddle"], Evidence::run_here("Paddle Inference")),
    laws: &[
        Law { kinds: &[], way: Way::Ask(own), text: "wrote the model", evidence: PADDLE_RUN },
        Law {
            kinds: &[Kind::Stretch, Kind::Channel, Kind::Unary, Kind::Affine, Kind::Bias, Kind::Bounds],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: Evidence::documented("paddle API reference"),
        },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Ask(slope),
            text: "gives one slope to all elements, or one to each entry of axis 1",
            evidence: PRELU_DOCUMENTED,
        },
        Law {
            kinds: &[Kind::Quantize],
            way: Way::Unknown,
            text: "has no operator with four limits; what is built in its place decides",
            evidence: Evidence::documented("paddle API reference"),
        },
        Law {
            kinds: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: PADDLE_RUN,
        },
    ],
    ..PLAIN
};

fn own(asked: &Asked<'_>) -> Option<Does> {
    asked.is_of(System::Paddle).then_some(Does::Own)
}

/// The weight has rank 1, and one element or one per channel.
fn slope(asked: &Asked<'_>) -> Option<Does> {
    Some(match asked.operands.get(1).and_then(broadaxe_shape::SymbolicShape::rank) {
        Some(0 | 1) if asked.elements(1) == Some(1) => Does::Rule(Rule::unidirectional()),
        Some(1) => Does::Rule(Rule::pdpd(1)),
        Some(rank) => Does::RefusedRank(format!("needs a slope of rank 1; this one has rank {rank}").into()),
        None => Does::Unknown(Cow::Borrowed("needs a slope of rank 1, and its rank is not known")),
    })
}
