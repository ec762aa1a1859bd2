//! A runtime with a greatest rank, and its own rule otherwise the same: GPU delegates and NPUs, often 4, seldom more than 6.

use std::borrow::Cow;

use super::{Asked, Deployment, Does, Evidence, EvidenceKind, Law, PLAIN, Profile, Way};
use crate::meaning::Kind;

const GIVEN: Evidence =
    Evidence { kind: EvidenceKind::Definition, source: "the limit is the number in the target's name" };

pub(super) static RANK: Profile = Profile {
    name: "rank<=N",
    title: "rank up to N",
    deployment: Deployment::Constraint,
    summary: "a runtime that supports ranks up to N and otherwise computes what the model means",
    laws: &[
        Law {
            kinds: Kind::ALL,
            when: &[],
            way: Way::Ask(too_many),
            text: "supports ranks up to its limit",
            evidence: GIVEN,
        },
        Law { kinds: Kind::ALL, when: &[], way: Way::Own, text: "computes what the model means", evidence: GIVEN },
    ],
    ..PLAIN
};

fn too_many(asked: &Asked<'_>) -> Option<Does> {
    let Some(rank) = asked.rank() else {
        return Some(Does::Unknown(Cow::Borrowed("supports ranks up to its limit, and the ranks are unknown")));
    };
    let limit = asked.limit();
    (rank > limit)
        .then(|| Does::RefusedRank(format!("supports ranks up to {limit}; an operand has rank {rank}").into()))
}
