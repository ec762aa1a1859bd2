//! `WebNN`. Documented only: the specification was read, and no browser was asked.

use super::{Evidence, Law, PLAIN, Profile, Route, Way, When, opset6::UNREAD};
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
            when: &[When::Opset6],
            way: Way::Unknown,
            text: UNREAD,
            evidence: OPERATORS,
        },
        Law {
            kinds: &[],
            when: &[When::Empty],
            way: Way::Refused,
            text: "has dims of 1 or more",
            evidence: BROADCASTING,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "broadcasts bidirectionally: aligned to the right, every operand may stretch",
            evidence: OPERATORS,
        },
        // An implementation of ONNX splits longer lists.
        Law {
            kinds: &[Kind::Many],
            when: &[When::Operands(2)],
            way: Way::Rule("numpy"),
            text: "broadcasts bidirectionally: aligned to the right, every operand may stretch",
            evidence: OPERATORS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("numpy"),
            text: "broadcasts the slope of prelu and the data bidirectionally",
            evidence: OPERATORS,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "stretches C of gemm to the product",
            evidence: OPERATORS,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "has expand", evidence: OPERATORS },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: OPERATORS,
        },
    ],
    ..PLAIN
};
