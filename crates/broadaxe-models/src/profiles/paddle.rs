//! Paddle: NumPy's rule, the legacy operators' axis, and a slope of `prelu` that is a list of one rank.

use broadaxe_frameworks::System;

use super::{Evidence, Law, PLAIN, Profile, Route, Way, When};
use crate::meaning::Kind;

const PADDLE_RUN: Evidence = Evidence::run_here("Paddle 3.3; conformance, test_engines.py");
const PRELU_DOCUMENTED: Evidence = Evidence::documented("paddle.nn.functional.prelu");

pub(super) static PADDLE: Profile = Profile {
    name: "paddle",
    summary: "PaddlePaddle 3",
    route: Route::new(&["paddle"], Evidence::run_here("Paddle Inference")),
    laws: &[
        Law {
            kinds: &[],
            when: &[When::Of(System::Paddle)],
            way: Way::Own,
            text: "wrote the model",
            evidence: PADDLE_RUN,
        },
        Law {
            kinds: &[Kind::Stretch, Kind::Channel, Kind::Unary, Kind::Affine, Kind::Bias, Kind::Bounds],
            when: &[],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: Evidence::documented("paddle API reference"),
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::Rank(1, 0, 1))],
            way: Way::RefusedRank,
            text: "needs a slope of rank 1",
            evidence: PRELU_DOCUMENTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Single(1)],
            way: Way::Rule("unidirectional"),
            text: "gives one slope to all elements",
            evidence: PRELU_DOCUMENTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("pdpd axis=1"),
            text: "gives one slope to each entry of axis 1",
            evidence: PRELU_DOCUMENTED,
        },
        Law {
            kinds: &[Kind::Quantize],
            when: &[],
            way: Way::Unknown,
            text: "has no operator with four limits; what is built in its place decides",
            evidence: Evidence::documented("paddle API reference"),
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: PADDLE_RUN,
        },
    ],
    ..PLAIN
};
