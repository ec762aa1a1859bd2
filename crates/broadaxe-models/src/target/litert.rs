//! LiteRT's interpreter and its kernels for CPUs: `NumPy`'s rule, but for ATAN2 and SELECT.

use broadaxe_frameworks::System;

use super::{Asked, COPIES, Does, Evidence, Law, Profile, Way};
use crate::meaning::Kind;

const ASKED: Evidence = Evidence::run_here("LiteRT 2.3.0; models of one node, with XNNPACK and without");
/// The greatest rank that was asked.
const RANKS: usize = 6;

pub(super) static LITERT: Profile = Profile {
    name: "litert",
    summary: "LiteRT (TensorFlow Lite) on CPUs",
    aliases: &["tflite"],
    versions: &[],
    removed: COPIES,
    laws: &[
        Law { kinds: &[], way: Way::Ask(no_elements), text: "ends the process", evidence: ASKED },
        Law {
            kinds: &[Kind::Quantize, Kind::Affine, Kind::Bias],
            way: Way::Unknown,
            text: "has no such operator; what a converter builds in its place decides",
            evidence: Evidence::documented("LiteRT schema, BuiltinOperator"),
        },
        Law {
            kinds: &[Kind::Binary],
            way: Way::Ask(angle),
            text: "does not broadcast ATAN2",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Select],
            way: Way::Ask(select),
            text: "takes equal shapes for SELECT, or one condition for each entry of the first axis",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Unary, Kind::Channel, Kind::Bounds],
            way: Way::Own,
            text: "has an operator that says the same",
            evidence: Evidence::documented("LiteRT schema, BuiltinOperator"),
        },
        Law {
            kinds: &[],
            way: Way::Ask(high_rank),
            text: "was asked up to rank 6",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Stretch],
            way: Way::Own,
            text: "is told the shape",
            evidence: ASKED,
        },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRELU to the right and stretches nothing else",
            evidence: ASKED,
        },
        Law {
            kinds: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: ASKED,
        },
    ],
};

/// A constant without elements cannot be told from a tensor that is computed.
fn no_elements(asked: &Asked<'_>) -> Option<Does> {
    let empty = |k: usize| asked.constants[k] && asked.elements(k) == Some(0);
    let text = "ends the process where a constant has no elements";
    (0..asked.operands.len()).any(empty).then(|| Does::Refused(text.into()))
}

fn high_rank(asked: &Asked<'_>) -> Option<Does> {
    asked.rank().is_some_and(|rank| rank > RANKS).then(|| Does::Unknown("was asked up to rank 6".into()))
}

/// ATAN2 needs equal shapes, and checks only the ranks.
fn angle(asked: &Asked<'_>) -> Option<Does> {
    let [a, b] = asked.operands else { return None };
    if !asked.is_of(System::Tflite) || asked.node.op != "ATAN2" {
        return None;
    }
    if a.rank().zip(b.rank()).is_some_and(|(a, b)| a != b) {
        return Some(Does::Refused("does not broadcast ATAN2, and needs operands of equal rank".into()));
    }
    match (a.known(), b.known()) {
        (Some(a), Some(b)) if a == b => Some(Does::Own),
        (Some(_), Some(_)) => {
            let text = "does not broadcast ATAN2: the result has the shape of the first operand, and the second is read past its end";
            Some(Does::Garbled(text.into()))
        }
        _ => Some(Does::Unknown("does not broadcast ATAN2, and the shapes are not known".into())),
    }
}

/// SELECT takes equal shapes, or one condition for each entry of the first axis.
fn select(asked: &Asked<'_>) -> Option<Does> {
    let [condition, x, y] = asked.operands else { return None };
    if !asked.is_of(System::Tflite) || asked.node.op != "SELECT" {
        return None;
    }
    let (Some(condition), Some(x), Some(y)) = (condition.known(), x.known(), y.known()) else {
        return Some(Does::Unknown("takes equal shapes for SELECT, and these are not known".into()));
    };
    let rows = condition.len() == 1 && x.first() == condition.first();
    let fits = x == y && (condition == x || condition.is_empty() || rows);
    Some(if fits { Does::Own } else { Does::Refused("takes equal shapes for SELECT, or one condition for each entry of the first axis".into()) })
}

#[cfg(test)]
mod tests {
    use crate::target::litert_gpu::tests::compare;

    /// Answers of LiteRT 2.3.0 with XNNPACK, in the form of those of the GPU delegate.
    const ANSWERS: &str = include_str!("litert/answers.txt");

    #[test]
    fn verdicts_are_the_answers() {
        let (count, wrong) = compare(|_| "litert".to_owned(), ANSWERS);
        assert!(count > 300, "{count}");
        assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    }
}
