//! TNN. Documented only: its source was read, and nothing was run.

use broadaxe_shape::SymbolicShape;

use super::{Asked, Deployment, Evidence, Law, PLAIN, Profile, Route, Way, When, integer_layers};
use crate::meaning::Kind;

const LAYER: Evidence = Evidence::documented("TNN, source/tnn/layer/multidir_broadcast_layer.cc; not run");

pub(super) static TNN: Profile = Profile {
    name: "tnn",
    title: "TNN",
    deployment: Deployment::Phone,
    summary: "TNN (documented, not run): equal shapes and single elements only",
    route: Route::new(&["onnx", "tflite"], Evidence::documented("TNN, its converters for ONNX and TFLite")),
    laws: &[
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Holds(alike)],
            way: Way::Rule("numpy"),
            text: "computes equal shapes and single elements, as every runtime does",
            evidence: LAYER,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Unknown,
            text: "reads an operand by its number of elements; its back ends were not tested",
            evidence: LAYER,
        },
        integer_layers::TNN_INTEGERS,
        Law {
            kinds: &[Kind::Lists, Kind::Blocks, Kind::Mask, Kind::Contrib],
            when: &[],
            way: Way::Unsupported,
            text: "its converters do not support the operator",
            evidence: Evidence::documented(
                "TNN (2025-03-25), tools/converter and tools/onnx2tnn: no such converters; not run",
            ),
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: Evidence::documented("TNN, source/tnn/layer/elementwise_layer.cc; not run"),
        },
    ],
    ..PLAIN
};

fn alike(asked: &Asked<'_>) -> Option<bool> {
    let equal = asked.operands.windows(2).all(|pair| pair[0].dims().is_some() && pair[0] == pair[1]);
    let Some(rank) = asked.rank() else { return Some(false) };
    let single = |k: usize| asked.elements(k) == Some(1) && asked.operands.rank(k) <= Some(rank);
    let other = |k: usize| asked.operands.get(1 - k).and_then(SymbolicShape::rank) == Some(rank);
    let one = asked.operands.len() == 2 && (0..2).any(|k| single(k) && other(k));
    Some(equal || one)
}
