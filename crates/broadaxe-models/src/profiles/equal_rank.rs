//! A runtime whose operands must have equal ranks, as TOSA and the layers of TensorRT require.

use std::borrow::Cow;

use broadaxe_shape::Rule;

use super::{Asked, Does, Evidence, Law, PLAIN, Profile, Way};
use crate::meaning::Kind;

const TENSORRT_LAYERS: Evidence = Evidence::documented("TensorRT, Operators: Elementwise; the choice is the caller's");

pub(super) static EQUAL_RANK: Profile = Profile {
    name: "equal-rank",
    summary: "a runtime whose operands must have equal ranks, as TOSA and TensorRT's layers require",
    laws: &[
        Law {
            kinds: &[Kind::Stretch, Kind::Channel, Kind::Unary, Kind::Bounds, Kind::Affine, Kind::Bias],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: TENSORRT_LAYERS,
        },
        Law {
            kinds: &[],
            way: Way::Ask(ranks),
            text: "needs operands of equal rank, axis by axis",
            evidence: TENSORRT_LAYERS,
        },
    ],
    ..PLAIN
};

fn ranks(asked: &Asked<'_>) -> Option<Does> {
    let ranks: Option<Vec<usize>> = asked.operands.iter().map(broadaxe_shape::SymbolicShape::rank).collect();
    let Some(ranks) = ranks else {
        return Some(Does::Unknown(Cow::Borrowed("needs operands of equal rank, and the ranks are not known")));
    };
    if ranks.iter().all(|rank| *rank == ranks[0]) {
        return Some(Does::Rule(Rule::numpy()));
    }
    let list: Vec<String> = ranks.iter().map(usize::to_string).collect();
    Some(Does::RefusedRank(format!("needs operands of equal rank; these have ranks {}", list.join(", ")).into()))
}
