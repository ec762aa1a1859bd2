//! LiteRT for Microcontrollers (TensorFlow Lite Micro): `NumPy`'s rule up to rank 6, and what is behind a shape above it.
//!
//! `RuntimeShape` holds 6 dims, and release builds copy all dims of a tensor into it. Rank 7 was right in every answer, though it
//! writes past the end too. At rank 8 the results depend on what is behind the shape; those that were wrong in every answer differ
//! here, and others are unknown. What broadcasts by repeating a whole operand is right for some shapes by chance. Builds up to
//! February 2026 compare ranks and shapes, and crash.

use broadaxe_frameworks::System;
use broadaxe_kernels::{DType, id};

use super::{Asked, Deployment, Does, Evidence, Law, PLAIN, Profile, Route, Way, When};
use crate::{
    graph::{Attribute, ValueId},
    meaning::Kind,
};

const ON_MICRO: Evidence = Evidence::run_here(
    "TensorFlow Lite Micro 0.dev20261023182759; 28,323 models of one node, conformance/litert/micro.py, ranks 0 to 8",
);
const WITH_ACTIVATIONS: Evidence = Evidence::run_here(
    "TensorFlow Lite Micro 0.dev20261023182759; 4,131 models with a fused activation, conformance/litert/micro.py, ranks 0 to 6",
);
const PAST_SHAPES: Evidence = Evidence::run_here(
    "TensorFlow Lite Micro 0.dev20261023182759; models of rank 7 and 8, docs/reports/upstream/litert-micro-rank.md",
);
const OLDER: Evidence = Evidence::run_here(
    "TensorFlow Lite Micro 0.dev20261023182759; the build 0.dev20260203175027 with 13,687 models of conformance/litert/micro.py",
);
/// The first build of those that leave the checks out.
const UNCHECKED: When = When::From("0.dev20261008201341");
/// The build crashes where a check fails.
const CHECKED: When = When::Not(&UNCHECKED);
/// The types that were asked about, one operator a line: `ADD | right | refused`. Integers of 8 and 16 bits have scales.
const MICRO_TYPES: &str = include_str!("litert_micro/types.txt");
/// How many dims a shape holds.
const MOST_DIMS: usize = 6;
/// The rank at which wrong answers were seen.
const WRONG_RANK: usize = 8;
/// How many dims a target of `BROADCAST_TO` has at most.
const MOST_STRETCHED: usize = 5;

const TWO: &[Kind] = &[Kind::Binary];
const SIXTEEN: When = When::Dtype(&[DType::I16]);
const BYTE: When = When::Dtype(&[DType::I8]);

pub(super) static LITERT_MICRO: Profile = Profile {
    name: "litert-micro",
    title: "TensorFlow Lite Micro",
    deployment: Deployment::Microcontroller,
    summary: "TensorFlow Lite Micro (LiteRT for Microcontrollers), on a CPU",
    aliases: &["tflite-micro", "tflm"],
    versions: &["0.dev20260203175027", "0.dev20261008201341", "0.dev20261023182759"],
    laws: &[
        Law {
            kinds: Kind::ALL,
            when: &[When::Not(&When::Of(System::Tflite))],
            way: Way::Unknown,
            text: "was tested only with TFLite models",
            evidence: ON_MICRO,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Slope],
            when: &[When::Invalid, CHECKED],
            way: Way::Refused,
            text: "crashes if shapes do not broadcast, before October 2026",
            evidence: OLDER,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Slope],
            when: &[When::Invalid],
            way: Way::Ask(invalid),
            text: "accepts shapes that do not broadcast, and returns the declared shape",
            evidence: ON_MICRO,
        },
        Law {
            kinds: TWO,
            when: &[When::Named(&["POW", "ATAN2"])],
            way: Way::Unsupported,
            text: "does not support POW or ATAN2",
            evidence: ON_MICRO,
        },
        Law {
            kinds: &[],
            when: &[When::Holds(is_refused_type)],
            way: Way::Refused,
            text: "does not support this type in this operator",
            evidence: ON_MICRO,
        },
        Law {
            kinds: &[],
            when: &[When::Not(&When::Holds(is_tested_type))],
            way: Way::Unknown,
            text: "was not tested with this operator in this type",
            evidence: ON_MICRO,
        },
        Law {
            kinds: &[],
            when: &[When::Not(&When::Holds(has_tested_scales))],
            way: Way::Unknown,
            text: "was tested with 8- and 16-bit integers only with one scale per tensor",
            evidence: ON_MICRO,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Select, Kind::Slope],
            when: &[When::Any(&[
                When::AllConstant,
                When::All(&[When::Kind(&[Kind::Select, Kind::Slope]), When::Constant(0)]),
            ])],
            way: Way::Unknown,
            text: "was not tested with constants only, or a constant condition or PRELU data",
            evidence: ON_MICRO,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Not(&When::Holds(has_constant_target))],
            way: Way::Refused,
            text: "accepts only a constant shape in BROADCAST_TO",
            evidence: ON_MICRO,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(has_other_result)],
            way: Way::RefusedRank,
            text: "supports BROADCAST_TO only for results of rank 1 to 5",
            evidence: ON_MICRO,
        },
        Law {
            kinds: &[],
            when: &[CHECKED],
            way: Way::Ask(checked),
            text: "crashes at high ranks, before October 2026",
            evidence: OLDER,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Dtype(&[DType::F32]), When::RankAbove(4)],
            way: Way::RefusedRank,
            text: "crashes in PRELU of float32 above rank 4",
            evidence: ON_MICRO,
        },
        Law {
            kinds: &[],
            when: &[When::Holds(has_no_elements)],
            way: Way::Ask(empty),
            text: "does not accept inputs of rank 2 or higher without elements",
            evidence: ON_MICRO,
        },
        Law {
            kinds: TWO,
            when: &[When::Named(&["GREATER"]), SIXTEEN],
            way: Way::Garbled,
            text: "returns false for every element in GREATER of int16",
            evidence: ON_MICRO,
        },
        Law {
            kinds: TWO,
            when: &[When::Any(&[
                When::Not(&When::Holds(has_tested_activation)),
                When::All(&[CHECKED, When::Holds(has_activation)]),
            ])],
            way: Way::Unknown,
            text: "was tested with RELU, RELU6 and RELU_N1_TO_1 only, up to rank 6",
            evidence: WITH_ACTIVATIONS,
        },
        Law {
            kinds: TWO,
            when: &[When::Named(&["ADD"]), When::Dtype(&[DType::I32]), When::Holds(has_activation)],
            way: Way::Garbled,
            text: "ignores the activation of ADD of int32",
            evidence: WITH_ACTIVATIONS,
        },
        Law {
            kinds: TWO,
            when: &[When::Named(&["MUL"]), SIXTEEN, When::Holds(has_activation)],
            way: Way::Unknown,
            text: "lets products beyond int16 wrap around before the activation of MUL",
            evidence: WITH_ACTIVATIONS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Select, Kind::Slope],
            when: &[When::Holds(|asked| Some(asked.rank()? == WRONG_RANK))],
            way: Way::Ask(past_the_end),
            text: "writes past the end of a shape at rank 8, and computes wrong values",
            evidence: PAST_SHAPES,
        },
        Law {
            kinds: &[],
            when: &[When::RankAbove(MOST_DIMS)],
            way: Way::Unknown,
            text: "writes past the end of a shape above rank 6, with any result",
            evidence: PAST_SHAPES,
        },
        Law {
            kinds: TWO,
            when: &[When::Operator(&[id("div")]), BYTE],
            way: Way::Caveat,
            text: "returns -128 or 127 for int8 quotients near zero",
            evidence: Evidence::run_here(
                "TensorFlow Lite Micro 0.dev20261023182759; docs/reports/upstream/litert-div-int8.md",
            ),
        },
        Law {
            kinds: TWO,
            when: &[When::Named(&["MUL"]), SIXTEEN],
            way: Way::Caveat,
            text: "lets products beyond the range of int16 wrap around in MUL",
            evidence: WITH_ACTIVATIONS,
        },
        Law {
            kinds: TWO,
            when: &[When::Named(&["SQUARED_DIFFERENCE"]), SIXTEEN],
            way: Way::Caveat,
            text: "is off by up to 9 steps of 32,767 in SQUARED_DIFFERENCE of int16",
            evidence: ON_MICRO,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "receives the shape", evidence: ON_MICRO },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRELU to the right and stretches only the slope",
            evidence: ON_MICRO,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: ON_MICRO,
        },
    ],
    route: Route::new(&["tflite"], ON_MICRO),
    ..PLAIN
};

/// Returns the types of an operator that were right, and those that were refused.
fn types(op: &str) -> Option<(&'static str, &'static str)> {
    let line = MICRO_TYPES.lines().find(|line| line.split(' ').next() == Some(op))?;
    let (right, refused) = line.split_once(" | ")?.1.split_once('|')?;
    Some((right, refused))
}

/// Returns the number of the first operand that has the type of the elements.
fn first(asked: &Asked<'_>) -> usize {
    usize::from(asked.meaning.kind == Kind::Select)
}

/// Says whether the type of all elements is one of these.
fn is_of(asked: &Asked<'_>, names: &str) -> Option<bool> {
    let fits = |k: usize| Some(names.split(' ').any(|name| asked.dtype(k).is_some_and(|dtype| dtype.name() == name)));
    Some((first(asked)..asked.operands.len()).all(|k| fits(k) == Some(true)))
}

/// Says whether the operator was refused with the type of its operands.
fn is_refused_type(asked: &Asked<'_>) -> Option<bool> {
    types(&asked.node.op).map_or(Some(false), |(_, refused)| is_of(asked, refused))
}

/// Says whether the operator was right with the type of its operands.
fn is_tested_type(asked: &Asked<'_>) -> Option<bool> {
    types(&asked.node.op).map_or(Some(false), |(right, _)| is_of(asked, right))
}

/// Says whether integers of 8 and 16 bits have one scale, and others none. `BROADCAST_TO` copies without one.
fn has_tested_scales(asked: &Asked<'_>) -> Option<bool> {
    let scales = |value: ValueId| {
        asked.model.value(value).quantization.as_ref().map_or(0, |quantization| quantization.scales.len())
    };
    let fits = |k: usize| {
        let is_short = asked.dtype(k).is_some_and(|dtype| matches!(dtype, DType::I8 | DType::I16));
        let wanted = usize::from(is_short && asked.meaning.kind != Kind::Stretch);
        asked.value(k).is_some_and(|value| scales(value) == wanted)
    };
    Some((first(asked)..asked.operands.len()).all(fits))
}

/// Says whether the shape that `BROADCAST_TO` is given is a constant.
fn has_constant_target(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.facts.is_constant(asked.node.input(1)?))
}

/// Says whether the result of `BROADCAST_TO` has no axis, or more than it supports.
fn has_other_result(asked: &Asked<'_>) -> Option<bool> {
    Some(!(1..=MOST_STRETCHED).contains(&asked.shape(asked.node.output(0)?)?.rank()?))
}

/// Says whether an operand is known to have no elements.
fn has_no_elements(asked: &Asked<'_>) -> Option<bool> {
    Some((0..asked.operands.len()).any(|k| asked.elements(k) == Some(0)))
}

/// Says what becomes of operands without elements: f32 inputs of two operands were asked about.
fn empty(asked: &Asked<'_>) -> Option<Does> {
    let is_asked = asked.meaning.kind == Kind::Binary
        && asked.dtype(0) == Some(DType::F32)
        && !asked.constants.contains(&true)
        && has_tested_activation(asked)?;
    // A RESHAPE in front of the operator would not help: the tensor itself is refused.
    let ranks = (0..asked.operands.len())
        .filter(|&k| asked.elements(k) == Some(0))
        .map(|k| asked.shape(asked.value(k)?)?.rank());
    let most = ranks.collect::<Option<Vec<usize>>>().and_then(|ranks| ranks.into_iter().max());
    Some(match (is_asked, most.unwrap_or(0)) {
        (true, 1) if asked.rank()? == 1 => Does::Own,
        (true, 2..=WRONG_RANK) => Does::Refused("does not accept inputs of rank 2 or higher without elements".into()),
        _ => Does::Unknown("was tested without elements only with two float32 inputs".into()),
    })
}

/// Returns the activation that the operator has.
fn activation<'a>(asked: &Asked<'a>) -> Option<&'a str> {
    asked.node.attribute("fused_activation_function").and_then(Attribute::text).filter(|name| *name != "NONE")
}

/// Says whether the operator has an activation.
fn has_activation(asked: &Asked<'_>) -> Option<bool> {
    Some(activation(asked).is_some())
}

/// Says whether the activation was tested, with operands of this rank.
fn has_tested_activation(asked: &Asked<'_>) -> Option<bool> {
    let Some(name) = activation(asked) else { return Some(true) };
    Some(matches!(name, "RELU" | "RELU6" | "RELU_N1_TO_1") && asked.rank()? <= MOST_DIMS)
}

/// Says what becomes of shapes that do not broadcast.
fn invalid(asked: &Asked<'_>) -> Option<Does> {
    let crashes = asked.meaning.kind == Kind::Slope && asked.dtype(0) == Some(DType::F32);
    let is_refused = matches!(asked.node.op.as_str(), "POW" | "ATAN2") || is_refused_type(asked)?;
    Some(if is_refused {
        Does::Refused("does not support this type in this operator".into())
    } else if !is_tested_type(asked)? || !has_tested_scales(asked)? || asked.constants.contains(&true) {
        Does::Unknown("was tested with such shapes only in inputs of some types".into())
    } else if crashes && asked.rank()? > 4 {
        Does::Refused("crashes in PRELU of float32 above rank 4".into())
    } else if asked.rank()? > MOST_DIMS || has_no_elements(asked)? || !has_tested_activation(asked)? {
        Does::Unknown("writes past the end of a shape above rank 6, with any result".into())
    } else {
        Does::Garbled("accepts shapes that do not broadcast, and returns the declared shape".into())
    })
}

/// How the operands of a node stretch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stretched {
    /// No operand does.
    None,
    /// Operands are repeated as a whole: only along axes before those in which they have elements.
    Whole,
    /// An operand stretches along an axis behind one in which it has elements.
    Within,
}

/// Says how the operands stretch to the result.
fn stretched(asked: &Asked<'_>) -> Option<Stretched> {
    let shapes = (0..asked.operands.len()).map(|k| asked.operands.get(k)?.known()).collect::<Option<Vec<_>>>()?;
    let dims: Vec<&[usize]> = shapes.iter().map(broadaxe_shape::Shape::dims).collect();
    let own = asked.meaning.rule.align(&dims).ok()?;
    let result = own.shape().dims();
    let is_whole = |dims: &&[usize]| {
        let leading = dims.iter().take_while(|dim| **dim == 1).count();
        result.ends_with(&dims[leading..])
    };
    Some(if dims.iter().all(|dims| *dims == result) {
        Stretched::None
    } else if dims.iter().all(is_whole) {
        Stretched::Whole
    } else {
        Stretched::Within
    })
}

/// Says whether the shapes are equal but for ones that one of them begins with.
fn is_padded(asked: &Asked<'_>) -> Option<bool> {
    let shapes = (0..asked.operands.len()).map(|k| asked.operands.get(k)?.known()).collect::<Option<Vec<_>>>()?;
    let ends = shapes.iter().map(|shape| shape.iter().skip_while(|dim| **dim == 1).collect::<Vec<_>>());
    let ends: Vec<_> = ends.collect();
    Some(shapes.windows(2).any(|pair| pair[0] != pair[1]) && ends.windows(2).all(|pair| pair[0] == pair[1]))
}

/// Says where a build that checks ranks crashes.
fn checked(asked: &Asked<'_>) -> Option<Does> {
    if asked.meaning.kind == Kind::Stretch || has_no_elements(asked)? {
        return None;
    }
    let (op, rank) = (asked.node.op.as_str(), asked.rank()?);
    let most = match (op, asked.dtype(first(asked))?) {
        _ if stretched(asked)? == Stretched::None => MOST_DIMS,
        ("ADD" | "SUB" | "MUL", _) | ("SQUARED_DIFFERENCE", DType::I8 | DType::I16) => MOST_DIMS,
        ("MAXIMUM" | "MINIMUM" | "DIV" | "SELECT_V2", _) => MOST_DIMS - 1,
        _ => 4,
    };
    let most = if op == "PRELU" { 4 } else { most };
    if op == "DIV" && rank == MOST_DIMS && is_padded(asked)? {
        let is_right = asked.dtype(0) == Some(DType::F32);
        return (!is_right).then(|| Does::Unknown("was tested with such shapes in DIV only in float32".into()));
    }
    (rank > most).then(|| Does::RefusedRank(format!("crashes above rank {most} in {op} of such shapes").into()))
}

/// Says what becomes of operands of rank 8: wrong in all answers, the end of the process, or neither.
fn past_the_end(asked: &Asked<'_>) -> Option<Does> {
    let (op, dtype) = (asked.node.op.as_str(), asked.dtype(first(asked))?);
    let wrong = match stretched(asked)? {
        Stretched::Within => true,
        Stretched::Whole => false,
        Stretched::None => {
            matches!((op, dtype), ("MUL" | "DIV", _) | ("SUB", DType::I8 | DType::I16) | ("PRELU", DType::I8))
        }
    };
    let ends = stretched(asked)? == Stretched::None
        && matches!((op, dtype), ("ADD", DType::F32 | DType::I32) | ("SUB", DType::F32));
    Some(if ends {
        Does::RefusedRank("crashes at rank 8 in ADD and SUB of equal shapes".into())
    } else if wrong {
        Does::Garbled("writes past the end of a shape at rank 8, and computes wrong values".into())
    } else {
        Does::Unknown("writes past the end of a shape above rank 6, with any result".into())
    })
}

#[cfg(test)]
mod tests;
