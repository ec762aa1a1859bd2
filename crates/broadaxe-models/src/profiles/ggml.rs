//! ggml: sums, differences, products and quotients, whose second operand is tiled to the shape of the first.
//!
//! No converter of models is meant: shapes are taken as they are.

use broadaxe_kernels::id;

use super::{Deployment, Evidence, Law, PLAIN, Profile, Way, When};
use crate::meaning::Kind;

const GGML_RUN: Evidence = Evidence::run_here("ggml 0.13.1; CPU, recorded answers in cases/ggml.case");
const HEADER: Evidence = Evidence::documented("ggml.h: ggml_add, ggml_sub, ggml_mul, ggml_div, ggml_repeat");

pub(super) static GGML: Profile = Profile {
    name: "ggml",
    title: "ggml",
    deployment: Deployment::Server,
    summary: "ggml: the second operand of add, sub, mul and div is tiled to the shape of the first",
    laws: &[
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("add"), id("sub"), id("mul"), id("div")])],
            way: Way::Rule("ggml"),
            text: "tiles the second operand to the shape of the first; crashes if it cannot",
            evidence: GGML_RUN,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[],
            way: Way::Own,
            text: "repeats the tensor with ggml_repeat",
            evidence: HEADER,
        },
        Law {
            kinds: &[
                Kind::Binary,
                Kind::Many,
                Kind::Select,
                Kind::Slope,
                Kind::Lists,
                Kind::Blocks,
                Kind::Lengths,
                Kind::Mask,
                Kind::Contrib,
            ],
            when: &[],
            way: Way::Unsupported,
            text: "broadcasts only in add, sub, mul and div",
            evidence: HEADER,
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Unknown,
            text: "computes operators of one operand with its own functions, which were not tested",
            evidence: HEADER,
        },
    ],
    ..PLAIN
};
