//! `WebNN`. Documented only: the specification was read, and no browser was asked.

use broadaxe_frameworks::{Role, System};

use super::{
    Asked, Deployment, Evidence, Law, PLAIN, Profile, Route, Way, When, contrib,
    inside::{CONVOLUTION, GROUP_NORM, lists},
    integer_layers,
    opset6::UNREAD,
    quantised,
};
use crate::{graph::Attribute, meaning::Kind};

const BROADCASTING: Evidence = Evidence::documented("Web Neural Network API (2026-06), Broadcasting; not run");
const OPERATORS: Evidence = Evidence::documented("Web Neural Network API (2026-06), MLGraphBuilder; not run");
const LAYER_NORM: Evidence = Evidence::documented(
    "Web Neural Network API (2026-06), layerNormalization, and ONNX Runtime, webnn/builders/impl/normalization_op_builder.cc; not run",
);
const WEBNN_LISTS: Evidence = Evidence::documented(
    "ONNX Runtime, webnn/builders/impl/normalization_op_builder.cc and conv_op_builder.cc; not run",
);
const CLIP: Evidence =
    Evidence::documented("ONNX Runtime, webnn/builders/impl/clip_op_builder.cc, IsOpSupportedImpl; not run");
const EXPAND: Evidence =
    Evidence::documented("ONNX Runtime, webnn/builders/impl/expand_op_builder.cc, IsOpSupportedImpl; not run");

pub(super) static WEBNN: Profile = Profile {
    name: "webnn",
    title: "WebNN",
    deployment: Deployment::Browser,
    summary: "WebNN (documented, not run)",
    route: Route::new(&["onnx", "tflite"], Evidence::documented("ONNX Runtime Web and LiteRT.js")),
    laws: &[
        contrib::WEBNN_CONTRIB[0],
        contrib::WEBNN_CONTRIB[1],
        integer_layers::WEBNN_INTEGERS[0],
        integer_layers::WEBNN_INTEGERS[1],
        integer_layers::WEBNN_INTEGERS[2],
        integer_layers::WEBNN_INTEGERS[3],
        integer_layers::WEBNN_INTEGERS[4],
        integer_layers::WEBNN_INTEGERS[5],
        quantised::WEBNN_SCALES[0],
        quantised::WEBNN_SCALES[1],
        quantised::WEBNN_SCALES[2],
        quantised::WEBNN_SCALES[3],
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
            text: "accepts only dims of 1 or more",
            evidence: BROADCASTING,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: OPERATORS,
        },
        // An implementation of ONNX splits longer lists.
        Law {
            kinds: &[Kind::Many],
            when: &[When::Operands(2)],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: OPERATORS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns slope and data to the right and stretches both",
            evidence: OPERATORS,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "stretches C of gemm to the product",
            evidence: OPERATORS,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Role(&[Role::LayerNorm]), When::Holds(is_whole)],
            way: Way::Own,
            text: "normalises with layerNormalization, over the axes of scale and bias",
            evidence: LAYER_NORM,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Role(&[Role::LayerNorm])],
            way: Way::Refused,
            text: "accepts only a scale and bias with the sizes of the normalised axes",
            evidence: LAYER_NORM,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[GROUP_NORM],
            way: Way::Unsupported,
            text: "does not support group normalisation",
            evidence: WEBNN_LISTS,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[CONVOLUTION, When::Not(&When::Rank(0, 3, 4))],
            way: Way::Refused,
            text: "leaves convolutions to the CPU unless the data has rank 3 or 4",
            evidence: WEBNN_LISTS,
        },
        lists(WEBNN_LISTS),
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::Unsupported,
            text: "does not support Attention; ONNX Runtime computes it on the CPU",
            evidence: Evidence::documented(
                "ONNX Runtime, webnn/builders/map_info.h, decomposed_op_map and op_inputs_map; not run",
            ),
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Of(System::Onnx), When::Not(&When::All(&[When::Constant(1), When::Constant(2)]))],
            way: Way::Refused,
            text: "leaves Clip with computed bounds to the CPU",
            evidence: CLIP,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Own,
            text: "clips with clamp, whose bounds are numbers",
            evidence: CLIP,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Of(System::Onnx), When::Any(&[When::Rank(0, 0, 0), When::Holds(has_computed_shape)])],
            way: Way::Refused,
            text: "leaves Expand of a scalar, or to a computed shape, to the CPU",
            evidence: EXPAND,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[],
            way: Way::Own,
            text: "repeats the tensor with expand",
            evidence: OPERATORS,
        },
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

/// Says whether scale and bias have the shape of the axes over which the node normalises.
fn is_whole(asked: &Asked<'_>) -> Option<bool> {
    let [data, terms @ ..] = asked.operands.shapes() else { return None };
    let rank = i64::try_from(data.rank()?).ok()?;
    let axis = asked.node.attribute("axis").and_then(Attribute::int).unwrap_or(-1);
    let first = usize::try_from(if axis < 0 { axis + rank } else { axis }).ok()?;
    let own = data.dims()?.get(first..)?;
    for term in terms {
        let dims = term.dims()?;
        let open = own.iter().zip(dims).any(|(own, dim)| own != dim && (own.size().is_none() || dim.size().is_none()));
        if dims.len() == own.len() && open {
            return None;
        }
        if dims != own {
            return Some(false);
        }
    }
    Some(true)
}

/// Says whether the shape of an Expand is computed.
fn has_computed_shape(asked: &Asked<'_>) -> Option<bool> {
    Some(!asked.facts.is_constant(asked.node.input(1)?))
}

#[cfg(test)]
mod tests {
    use crate::testing::answers;

    /// What the specification says, and the source of ONNX Runtime's provider.
    const SOURCE: &[(&str, &str)] = &[
        ("opset 17; x(2,3,4); s=const(4); b=const(4); y=LayerNormalization(x,s,b)", "same"),
        ("opset 17; x(n=2,3,4); s=const(4); y=LayerNormalization(x,s)", "same"),
        ("opset 17; x(2,3,4); s(3,4); b(3,4); y=LayerNormalization(x,s,b) axis=1", "same"),
        ("opset 17; x(2,3,4); s(4); b(4); y=LayerNormalization(x,s,b) axis=1", "refused"),
        ("opset 17; x(2,3,4); s(1,4); b(4); y=LayerNormalization(x,s,b)", "refused"),
        ("opset 17; x(2,3,4); s(4); b(1); y=LayerNormalization(x,s,b)", "refused"),
        ("opset 13; x(2,3); l=const(); h=const(); y=Clip(x,l,h)", "same"),
        ("opset 13; x(2,3); l=const(); h(); y=Clip(x,l,h)", "refused"),
        ("opset 6; x(2,3); y=Clip(x) min=0.0 max=6.0", "same"),
        ("x(3,1); s=const:i64(2)=3,4; y=Expand(x,s)", "same"),
        ("x(3,1); s:i64(2); y=Expand(x,s)", "refused"),
        ("x(); s=const:i64(2)=3,4; y=Expand(x,s)", "refused"),
        ("a(2,3); b=const(3,4); c=const(4); y=Gemm(a,b,c)", "same"),
    ];

    #[test]
    fn verdicts_are_what_the_sources_say() {
        answers("webnn", &[], SOURCE);
    }
}
