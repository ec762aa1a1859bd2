//! `WebNN`. Documented only: the specification was read, and no browser was asked.

use super::{Asked, Does, Evidence, Law, PLAIN, Profile, Route, Way, mnn::has_no_elements, opset6::unread};
use crate::meaning::Kind;

const BROADCASTING: Evidence = Evidence::documented("Web Neural Network API (2026-06), Broadcasting; not run");
const OPERATORS: Evidence = Evidence::documented("Web Neural Network API (2026-06), MLGraphBuilder; not run");

pub(super) static WEBNN: Profile = Profile {
    name: "webnn",
    summary: "WebNN (documented, not run)",
    route: Route::new(&["onnx", "tflite"], Evidence::documented("ONNX Runtime Web and LiteRT.js")),
    laws: &[
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Slope, Kind::Select],
            way: Way::Ask(unread),
            text: "reads no ONNX itself",
            evidence: OPERATORS,
        },
        Law { kinds: &[], way: Way::Ask(empty), text: "has dims of 1 or more", evidence: BROADCASTING },
        Law {
            kinds: &[Kind::Binary, Kind::Select],
            way: Way::Rule("numpy"),
            text: "broadcasts bidirectionally: aligned to the right, every operand may stretch",
            evidence: OPERATORS,
        },
        Law {
            kinds: &[Kind::Many],
            way: Way::Ask(two),
            text: "broadcasts bidirectionally: aligned to the right, every operand may stretch",
            evidence: OPERATORS,
        },
        Law {
            kinds: &[Kind::Slope],
            way: Way::Rule("numpy"),
            text: "broadcasts the slope of prelu and the data bidirectionally",
            evidence: OPERATORS,
        },
        Law {
            kinds: &[Kind::Bias],
            way: Way::Rule("unidirectional"),
            text: "stretches C of gemm to the product",
            evidence: OPERATORS,
        },
        Law { kinds: &[Kind::Stretch], way: Way::Own, text: "has expand", evidence: OPERATORS },
        Law {
            kinds: &[Kind::Unary],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: OPERATORS,
        },
    ],
    ..PLAIN
};

fn empty(asked: &Asked<'_>) -> Option<Does> {
    has_no_elements(asked).then(|| Does::Refused("has dims of 1 or more".into()))
}

/// It has `max` and `min` of two operands; an implementation of ONNX splits longer lists.
fn two(asked: &Asked<'_>) -> Option<Does> {
    (asked.operands.len() == 2).then(|| Does::Rule(broadaxe_shape::Rule::numpy()))
}
