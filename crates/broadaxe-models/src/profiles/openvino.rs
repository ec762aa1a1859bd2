//! OpenVINO: NumPy's rule unless the model says otherwise, a `PReLU` that prefers axis 1, and passes that read constants otherwise than nodes.

mod compressed;
mod conv;
mod expand;
mod higher_rank;
mod integers;
mod layernorm;
mod lists;
mod matmul;
mod one_element;
mod old_opsets;
mod pdpd;
mod reduce;
mod in_place;
mod prelu;
mod quantize;
mod last_step;

use broadaxe_frameworks::{Role, System};
use broadaxe_shape::{Mode, Rule, SymbolicShape};

use super::{
    Asked, Deployment, Does, Evidence, Law, PLAIN, Profile, Route, Way, When, contrib,
    inside::{NO_FLAT_DATA, PER_GROUP, as_many, flat_data, lists as lengths},
    integer_layers,
    neighbours::in_function,
    stretch::{CLASH, CONSTANT_SHAPE, NEGATIVE, NO_I64},
};
use crate::{graph::ValueId, meaning::Kind};

const OPENVINO_RUN: Evidence = Evidence::run_here("OpenVINO 2026.4; conformance, test_engines.py");
const PRELU_RUN: Evidence = Evidence::run_here("OpenVINO 2026.4; conformance, models_prelu.py");
const OPENVINO_SEEN: Evidence = Evidence::run_here("OpenVINO 2026.4.1; conformance, verdicts on random models");
const OPENVINO_LAWS: Evidence = Evidence::run_here("OpenVINO 2026.4.1; conformance, laws");
const OPENVINO_INSIDE: Evidence = Evidence::run_here("OpenVINO 2026.4.1; recorded answers, conformance/laws/inside.py");
const OPENVINO_INTEGERS: Evidence =
    Evidence::run_here("OpenVINO 2026.4.1; recorded answers, profiles/openvino/integers.rs");

pub(super) static OPENVINO: Profile = Profile {
    name: "openvino",
    title: "OpenVINO",
    deployment: Deployment::Server,
    summary: "OpenVINO 2026, through its own files or its readers of ONNX and Paddle",
    removed: &[Role::Identity, Role::Expand],
    route: Route::new(
        &["openvino", "onnx", "paddle", "tflite"],
        Evidence::run_here("OpenVINO, its front ends; that for TFLite is documented"),
    ),
    laws: &[
        contrib::OPENVINO_CONTRIB[0],
        contrib::OPENVINO_CONTRIB[1],
        contrib::OPENVINO_CONTRIB[2],
        contrib::OPENVINO_CONTRIB[3],
        contrib::OPENVINO_CONTRIB[4],
        contrib::OPENVINO_CONTRIB[5],
        contrib::OPENVINO_CONTRIB[6],
        contrib::OPENVINO_CONTRIB[7],
        contrib::OPENVINO_CONTRIB[8],
        contrib::OPENVINO_CONTRIB[9],
        integer_layers::OPENVINO_PRODUCTS[0],
        integer_layers::OPENVINO_PRODUCTS[1],
        integer_layers::OPENVINO_PRODUCTS[2],
        integer_layers::OPENVINO_PRODUCTS[3],
        integer_layers::OPENVINO_PRODUCTS[4],
        integer_layers::OPENVINO_PRODUCTS[5],
        integer_layers::OPENVINO_PRODUCTS[6],
        integer_layers::OPENVINO_PRODUCTS[7],
        integer_layers::OPENVINO_PRODUCTS[8],
        integer_layers::OPENVINO_PRODUCTS[9],
        integer_layers::OPENVINO_PRODUCTS[10],
        integer_layers::OPENVINO_PRODUCTS[11],
        integer_layers::OPENVINO_PRODUCTS[12],
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Of(System::Onnx), When::Not(&When::Opset6), When::Invalid],
            way: Way::Ask(prelu::invalid),
            text: "applies a slope of rank 1 along axis 1",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid, CLASH],
            way: Way::Refused,
            text: "does not accept a shape that does not broadcast with the data",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid, NO_I64],
            way: Way::Own,
            text: "accepts a shape of any integers",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid, NEGATIVE],
            way: Way::Ask(expand::negative),
            text: "keeps the data's size along axes whose new size is negative",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid],
            way: Way::Refused,
            text: "accepts only a list as the shape",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Lists],
            when: &[When::Invalid],
            way: Way::Ask(lists::computed_anyway),
            text: "repeats a scale of one entry, and right-aligns one with more axes",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: Kind::ALL,
            when: &[],
            way: Way::Ask(in_function),
            text: "does not support functions defined in the model",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Lists],
            when: &[],
            way: Way::Ask(matmul::tiny),
            text: "leaves out what it merges with a product of 2 computed columns",
            evidence: OPENVINO_SEEN,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Lists, Kind::Blocks],
            when: &[],
            way: Way::Ask(compressed::multiplied),
            text: "reads the first entry of a per-row scale for all rows of integer weights",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Lists, Kind::Blocks],
            when: &[],
            way: Way::Ask(compressed::folded),
            text: "does not transpose a constant that it multiplies by scaled integer weights",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Lists, Kind::Blocks],
            when: &[],
            way: Way::Ask(compressed::looked_up),
            text: "reads the scale of an integer table in row-major order",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Bias],
            when: &[],
            way: Way::Ask(in_place::overwritten),
            text: "overwrites a constant computed from integer weights, so only the first run is right",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(pdpd::unbroadcast),
            text: "passes a PDPD node the data before its Broadcast",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Select],
            when: &[],
            way: Way::Ask(pdpd::lost),
            text: "drops PDPD's axis when it compiles this operator for the CPU",
            evidence: PRELU_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(one_element::remainder),
            text: "does not fold a remainder of constants",
            evidence: OPENVINO_SEEN,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(pdpd::merged),
            text: "drops PDPD's axis when it merges this node with a neighbour",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(one_element::none),
            text: "drops the axes of a constant of one element",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(prelu::merged),
            text: "fuses the nodes into PRelu, which applies a rank-1 slope along axis 1",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Ask(prelu::open),
            text: "applies a slope of rank 1 along axis 1 if dims are open",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Ask(prelu::behind_product),
            text: "fuses PRelu with the MatMul before it, along the last axis",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Affine],
            when: &[],
            way: Way::Ask(conv::multiplied),
            text: "multiplies the constant into the next convolution's weights",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Slope],
            when: &[],
            way: Way::Ask(reduce::behind),
            text: "reads a per-channel constant along another axis after a reduction",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[],
            way: Way::Ask(reduce::normalised),
            text: "reads the lists of BatchNormalization along another axis after a reduction",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(matmul::of_open_rows),
            text: "reads an axis-1 constant per column behind a matrix product of open dims",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Bias],
            when: &[],
            way: Way::Ask(matmul::open),
            text: "accepts a per-column constant only if the number of columns is known",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Quantize, Kind::Lists],
            when: &[],
            way: Way::Ask(quantize::open_axis),
            text: "does not find axis 2 of a quantisation if a dim is open",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Quantize, Kind::Lists],
            when: &[],
            way: Way::Ask(last_step::fused),
            text: "computes a quantisation as the last step of the node before it",
            evidence: OPENVINO_SEEN,
        },
        Law {
            kinds: &[Kind::Quantize],
            when: &[],
            way: Way::Ask(quantize::reduced),
            text: "quantises results of max and min reductions differently",
            evidence: OPENVINO_SEEN,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[],
            way: Way::Ask(quantize::normalised),
            text: "merges the scale into the quantisation",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Ask(prelu::pooled),
            text: "computes PRelu before the preceding MaxPool",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Unary, Kind::Many],
            when: &[],
            way: Way::Ask(quantize::before),
            text: "does not find the axis of the next quantisation",
            evidence: OPENVINO_SEEN,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Unary, Kind::Many, Kind::Bias, Kind::Select],
            when: &[],
            way: Way::Ask(matmul::compiled),
            text: "compiles the node together with matrix products",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(concat),
            text: "overwrites concatenated tensors",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Slope],
            when: &[],
            way: Way::Ask(matmul::tiny),
            text: "leaves out what it merges with a product of 2 computed columns",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(quantize::added),
            text: "merges a per-channel constant into the quantisation",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[],
            way: Way::Ask(in_place::several),
            text: "splits a node of several operands into nodes of two",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Bounds, Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(quantize::clipped),
            text: "rounds the bounds to the levels of the preceding quantisation",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(higher_rank::lost),
            text: "drops the axes that only a constant has",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(in_place::summed),
            text: "adds in place to a convolution's result, and treats open dims as equal",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(expand::keeps_one), CONSTANT_SHAPE],
            way: Way::Garbled,
            text: "does not stretch an axis of size 1 to 0, and returns another shape",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Empty, When::Holds(expand::is_alone)],
            way: Way::Refused,
            text: "rejects Expand of an input without elements to an output",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[],
            way: Way::Ask(one_element::stretched),
            text: "misreads a shape without entries",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(higher_rank::normalised),
            text: "drops a factor before a normalisation, but not in its epsilon",
            evidence: OPENVINO_SEEN,
        },
        Law {
            kinds: &[],
            when: integers::SATURATED,
            way: Way::Unknown,
            text: "saturates 8-bit integers, which wrap around in frameworks",
            evidence: OPENVINO_INTEGERS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: integers::ROUNDED,
            way: Way::Unknown,
            text: "rounds 8-bit quotients if dims are open",
            evidence: OPENVINO_INTEGERS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Bounds, Kind::Slope, Kind::Select],
            when: integers::UNSIGNED,
            way: Way::Unknown,
            text: "reads unsigned integers as signed 32-bit integers",
            evidence: OPENVINO_INTEGERS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select],
            when: &[],
            way: Way::Ask(integers::cut),
            text: "computes integers in 32 bits",
            evidence: OPENVINO_INTEGERS,
        },
        Law {
            kinds: integers::KINDS,
            when: integers::LONG,
            way: Way::Caveat,
            text: "computes 64-bit integers in 32 bits, so larger numbers are wrong",
            evidence: OPENVINO_INTEGERS,
        },
        Law {
            kinds: integers::KINDS,
            when: integers::IN_FLOATS,
            way: Way::Caveat,
            text: "divides and compares integers in f32, which is inexact beyond 2^24",
            evidence: OPENVINO_INTEGERS,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Ask(own),
            text: "computes its own files as written",
            evidence: OPENVINO_RUN,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("openvino-prelu"),
            text: "puts a rank-1 slope on axis 1 if lengths match, else right-aligns it",
            evidence: PRELU_RUN,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Not(&When::All(&[When::Of(System::Onnx), When::Not(&CONSTANT_SHAPE)]))],
            way: Way::Ask(expand::empty),
            text: "crashes when it stretches a tensor without elements",
            evidence: Evidence::documented("OpenVINO 2026.4, CPU plugin"),
        },
        Law {
            kinds: &[Kind::Lists],
            when: &[],
            way: Way::Ask(lists::uncompiled),
            text: "cannot compile some quantised numbers between their neighbours",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Lists],
            when: &[],
            way: Way::Ask(lists::unshaped),
            text: "aligns the scale to the right, without reshaping it to the data's rank",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Blocks],
            when: &[],
            way: Way::Ask(compressed::blocked),
            text: "reads blocks of integer weights along the product's rows",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Blocks],
            when: &[],
            way: Way::Ask(lists::blocks),
            text: "accepts only blocks of equal size",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Lists, Kind::Blocks],
            when: &[],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Invalid, When::Named(&["Conv"]), When::Rank(1, 1, 1), When::Single(1)],
            way: Way::Rule("axis-lists mode=numpy axis=1"),
            text: "repeats a Conv bias of shape (1,) for every channel",
            evidence: OPENVINO_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Invalid, PER_GROUP, When::Holds(as_many), When::Not(&When::Rank(1, 0, 0))],
            way: Way::Own,
            text: "reads GroupNormalization's scale and bias as lists of any rank before opset 21",
            evidence: OPENVINO_INSIDE,
        },
        flat_data(Way::Refused, NO_FLAT_DATA, OPENVINO_INSIDE),
        lengths(OPENVINO_INSIDE),
        Law {
            kinds: &[Kind::Mask],
            when: &[When::Rank(1, 0, 1)],
            way: Way::RefusedRank,
            text: "accepts only masks of rank 2 or more",
            evidence: OPENVINO_INSIDE,
        },
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::Own,
            text: "stretches a mask to the scores, and pads missing columns from opset 24 on",
            evidence: OPENVINO_INSIDE,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[],
            way: Way::Ask(layernorm::reshaped),
            text: "reshapes scale and bias to the normalised shape",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Ask(bounds),
            text: "clips with Maximum and Minimum if a bound is computed, which keep its axes",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch, Kind::Channel, Kind::Unary, Kind::Affine, Kind::Bias, Kind::Bounds],
            when: &[],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: OPENVINO_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(old_opsets::placed),
            text: "reads broadcast and axis of old ONNX files correctly, except in some operators",
            evidence: OPENVINO_LAWS,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Rule("openvino-select"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: OPENVINO_RUN,
        },
        Law {
            kinds: &[Kind::Quantize],
            when: &[],
            way: Way::Rule("openvino-fake-quantize"),
            text: "stretches the limits to the data",
            evidence: OPENVINO_RUN,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: OPENVINO_RUN,
        },
    ],
    splits_lists: true,
    ..PLAIN
};

/// A function of tensors of rank 1 that were put behind one another may be computed in their place.
fn concat(asked: &Asked<'_>) -> Option<Does> {
    let joined = |value: &ValueId| {
        matches!(asked.maker(*value), Some((_, Role::Concat)))
            && asked.shape(*value).and_then(SymbolicShape::rank) == Some(1)
    };
    let values: Vec<ValueId> = (0..asked.operands.len()).filter_map(|k| asked.value(k)).collect();
    let whole = values.iter().copied().find(joined).filter(|value| !asked.facts.is_constant(*value))?;
    let of_whole = |value: &ValueId| asked.producer(*value).is_some_and(|node| node.input(0) == Some(whole));
    values.iter().any(of_whole).then(|| Does::Unknown("may overwrite the other operand, which was concatenated".into()))
}

fn own(asked: &Asked<'_>) -> Option<Does> {
    asked.is_of(System::Openvino).then_some(Does::Own)
}

/// A computed bound of more axes than the data adds them to the result.
fn bounds(asked: &Asked<'_>) -> Option<Does> {
    let rank = asked.operands.rank(0);
    let longer = |k: usize| !asked.constants[k] && asked.operands.rank(k) > Some(rank.unwrap_or(0));
    match rank {
        None if !asked.constants[1..].iter().all(|constant| *constant) => {
            Some(Does::Unknown("keeps the axes of a computed bound, and the data's rank is unknown".into()))
        }
        _ => (1..asked.operands.len())
            .any(longer)
            .then(|| Does::Garbled("keeps the axes of a computed bound, which has more than the data".into())),
    }
}

/// Returns the ranks of the operands, where all are known.
fn ranks(asked: &Asked<'_>) -> Option<Vec<usize>> {
    asked.operands.ranks().collect()
}

/// Returns the axis of a node of OpenVINO's own files under PDPD.
fn pdpd_axis(asked: &Asked<'_>) -> Option<i64> {
    let rule: &Rule = &asked.meaning.rule;
    let pdpd = rule.name() == "pdpd" || rule.params().mode == Some(Mode::Pdpd);
    (asked.is_of(System::Openvino) && pdpd).then(|| rule.params().axis.unwrap_or(-1))
}

#[cfg(test)]
mod tests;
