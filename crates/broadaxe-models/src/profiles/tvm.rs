//! TVM, through Relax's frontend for ONNX and LLVM.

use broadaxe_frameworks::System;
use broadaxe_kernels::{DType, id};
use broadaxe_shape::{Dim, SymbolicShape};

use super::{
    Asked, Deployment, Evidence, Law, PLAIN, Profile, Route, Way, When,
    affine::{self, to_nothing},
    condition::any,
    contrib,
    inside::{GROUP_NORM, NO_FLAT_DATA, PER_GROUP, as_many, as_many_or_one, flat_data, lists, no_attention},
    integer_layers,
    neighbours::in_function,
    opset6::{axis_ignored, axis_unasked},
    quantised,
    stretch::{FITS_BUT_FOR_NEGATIVES, NO_I64, TO_NONE},
};
use crate::{
    graph::{Attribute, ValueId},
    meaning::Kind,
};

const TVM_RUN: Evidence = Evidence::run_here("TVM 0.27.0.post1; Relax, LLVM, recorded answers");
const TVM_ASKED: Evidence =
    Evidence::run_here("TVM 0.27.0.post1; Relax, LLVM; recorded answers, and conformance, asked");
const TVM_SHAPES: Evidence = Evidence::run_here("TVM 0.27.0.post1; Relax, LLVM, shapes of Expand");
const TVM_NODES: Evidence =
    Evidence::run_here("TVM 0.27.0.post1; Relax, LLVM; recorded answers, conformance/laws/record.py");
const TVM_LAWS: Evidence = Evidence::run_here("TVM 0.27.0.post1; Relax, LLVM; conformance, laws");
const TVM_INSIDE: Evidence =
    Evidence::run_here("TVM 0.27.0.post1; Relax, LLVM; recorded answers, conformance/laws/inside.py");
const TVM_SOURCE: Evidence = Evidence::documented("TVM, Relax operators, broadcasting as in NumPy");

pub(super) static TVM: Profile = Profile {
    name: "tvm",
    title: "TVM",
    deployment: Deployment::Server,
    summary: "TVM through Relax, which reads ONNX",
    route: Route::new(&["onnx", "tflite"], Evidence::run_here("tvm.relax.frontend; models in TFLite are documented")),
    laws: &[
        Law {
            kinds: Kind::ALL,
            when: &[],
            way: Way::Ask(in_function),
            text: "does not support functions defined in the model",
            evidence: TVM_NODES,
        },
        contrib::TVM_CONTRIB[0],
        contrib::TVM_CONTRIB[1],
        contrib::TVM_CONTRIB[2],
        contrib::TVM_CONTRIB[3],
        contrib::TVM_CONTRIB[4],
        contrib::TVM_CONTRIB[5],
        contrib::TVM_CONTRIB[6],
        integer_layers::TVM_INTEGERS[0],
        integer_layers::TVM_INTEGERS[1],
        integer_layers::TVM_INTEGERS[2],
        integer_layers::TVM_INTEGERS[3],
        quantised::TVM_SCALES[0],
        quantised::TVM_SCALES[1],
        quantised::TVM_SCALES[2],
        quantised::TVM_SCALES[3],
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Of(System::Onnx), When::Not(&When::Opset6), When::Invalid],
            way: Way::Refused,
            text: "does not accept a slope that does not stretch to the data",
            evidence: TVM_LAWS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("add")]), When::AllEmpty, When::AnyConstant],
            way: Way::Refused,
            text: "does not accept sums of two empty tensors if one is constant",
            evidence: TVM_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("equal")]), When::Holds(of_bools)],
            way: Way::Refused,
            text: "cannot compile Equal of bools",
            evidence: TVM_NODES,
        },
        axis_ignored(TVM_RUN),
        axis_unasked(TVM_RUN),
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Rank(0, 0, 0)],
            way: Way::Refused,
            text: "does not accept PRelu of data of rank 0",
            evidence: TVM_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select, Kind::Slope, Kind::Bias, Kind::Affine],
            when: &[When::Holds(may_stretch)],
            way: Way::Refused,
            text: "cannot compile an operator if an open dim meets another dim",
            evidence: TVM_LAWS,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Any(&[PER_GROUP, When::Not(&GROUP_NORM)]), When::Holds(has_open_channels)],
            way: Way::Refused,
            text: "cannot compile lists if the number of channels or their length is open",
            evidence: TVM_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Holds(has_open_slope)],
            way: Way::Refused,
            text: "cannot compile PRelu if the slope's axis (the last for one number) is open",
            evidence: TVM_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Opset6],
            way: Way::Rule("unidirectional"),
            text: "reads the slope of PRelu along the last axis, before opset 7 too",
            evidence: TVM_RUN,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRelu to the right and stretches only the slope",
            evidence: TVM_RUN,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(to_constant), When::Holds(has_open_dims)],
            way: Way::Refused,
            text: "rejects a constant shape in Expand if the data has an open dim",
            evidence: TVM_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid, FITS_BUT_FOR_NEGATIVES],
            way: Way::Own,
            text: "keeps the data's size along axes whose new size is negative",
            evidence: TVM_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid, NO_I64],
            way: Way::Own,
            text: "accepts a shape of any integers",
            evidence: TVM_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid],
            way: Way::Refused,
            text: "accepts only a list that broadcasts with the data as the shape",
            evidence: TVM_SHAPES,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[TO_NONE],
            way: Way::Refused,
            text: "does not accept stretching an axis to size 0",
            evidence: TVM_SHAPES,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(to_nothing), When::Holds(to_constant)],
            way: Way::Refused,
            text: "does not accept a constant shape with a dim of 0 in Expand",
            evidence: TVM_NODES,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "repeats the tensor", evidence: TVM_RUN },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: TVM_RUN,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["RMSNormalization"]), When::Not(&When::Holds(affine::all_exact))],
            way: Way::Refused,
            text: "accepts only a scale of the normalised shape",
            evidence: TVM_NODES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["RMSNormalization"]), When::Holds(all_axes)],
            way: Way::Refused,
            text: "cannot compile RMSNormalization over all axes",
            evidence: TVM_NODES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["LayerNormalization"]), When::Not(&When::Holds(fits_axes))],
            way: Way::Refused,
            text: "accepts only scale and bias of the data's shape from axis on",
            evidence: TVM_NODES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["LayerNormalization"]), When::Not(&When::Holds(affine::all_exact))],
            way: Way::Garbled,
            text: "normalises as many axes as the scale has, from axis on, wrapping around",
            evidence: TVM_NODES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[],
            way: Way::Own,
            text: "normalises, scales and shifts along the normalised axes",
            evidence: TVM_NODES,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Own,
            text: "computes a product and a sum that stretches C",
            evidence: TVM_NODES,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[
                When::Invalid,
                When::Any(&[
                    When::All(&[
                        When::Named(&["Conv", "ConvTranspose", "InstanceNormalization"]),
                        When::Holds(as_many_or_one),
                    ]),
                    When::All(&[PER_GROUP, When::Holds(as_many)]),
                ]),
            ],
            way: Way::Own,
            text: "reads the elements in order per channel, or repeats a single one",
            evidence: TVM_INSIDE,
        },
        flat_data(Way::Refused, NO_FLAT_DATA, TVM_INSIDE),
        lists(TVM_INSIDE),
        no_attention(TVM_INSIDE),
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Rank(0, 0, 0), When::Any(&[When::Rank(1, 1, 1), When::Rank(2, 1, 1)])],
            way: Way::Garbled,
            text: "returns rank 1 if a Clip bound has rank 1 and data rank 0",
            evidence: TVM_NODES,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Own,
            text: "computes Clip as a maximum and a minimum",
            evidence: TVM_NODES,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: TVM_ASKED,
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: TVM_SOURCE,
        },
    ],
    ..PLAIN
};

/// Says whether the scale, and a bias of the same shape, have the sizes of the axes that TVM normalises.
///
/// These are as many axes as the scale has, from `axis` on; behind the last one it goes on with the first, if `axis` is negative.
/// Source: `LayerNormalization` in `onnx_frontend.py`, and `relax.op.nn.layer_norm`.
fn fits_axes(asked: &Asked<'_>) -> Option<bool> {
    let (data, scale) = (asked.operands[0].dims()?, asked.operands[1].dims()?);
    let axis = asked.node.attribute("axis").and_then(Attribute::int).unwrap_or(-1);
    let rank = i64::try_from(data.len()).ok()?;
    let place = |k: usize| {
        let at = axis + i64::try_from(k).ok()?;
        let at = if at < 0 { at + rank } else { at };
        usize::try_from(at).ok().and_then(|at| data.get(at))
    };
    let same = |own: &[Dim]| {
        affine::all(
            (0..own.len()).map(|k| place(k).map_or(Some(false), |dim| affine::alike((Some(&own[k]), Some(dim))))),
        )
    };
    if scale.is_empty() || scale.len() > data.len() {
        return Some(false);
    }
    let bias = asked.operands.get(2).map_or(Some(scale), |bias| bias.dims())?;
    if bias.len() != scale.len() {
        return Some(false);
    }
    affine::all([same(scale), same(bias)].into_iter())
}

/// Says whether an open dim of an operand meets a dim that is neither 1 nor the same name.
fn may_stretch(asked: &Asked<'_>) -> Option<bool> {
    // Not those that are asked about, in which sizes stand for names.
    let dims = |value| asked.shape(value).and_then(SymbolicShape::dims);
    // The first operand of a Gemm is its product.
    let product = (asked.meaning.kind == Kind::Bias).then(|| asked.node.output(0));
    let value = |k: usize| product.filter(|_| k == 0).unwrap_or_else(|| asked.value(k));
    let shapes: Vec<&[Dim]> = (0..asked.operands.len()).map(|k| value(k).and_then(dims)).collect::<Option<_>>()?;
    let pairs = (0..shapes.len()).flat_map(|k| (0..k).map(move |earlier| (k, earlier)));
    let dims = pairs.flat_map(|(one, other)| shapes[one].iter().rev().zip(shapes[other].iter().rev()));
    any(dims.map(|(one, other)| are_apart(one, other)))
}

/// Says whether one of two dims is open, and the other neither 1 nor the same name.
fn are_apart(a: &Dim, b: &Dim) -> Option<bool> {
    let open = |dim: &Dim| dim.size().is_none() && dim.names().is_empty();
    let (one, other) = (a.size(), b.size());
    if one == Some(1) || other == Some(1) || one.is_some() && other.is_some() {
        return Some(false);
    }
    if open(a) || open(b) { None } else { Some(a != b) }
}

/// Says whether the number of channels or the length of a list is open, and they are not the same name.
fn has_open_channels(asked: &Asked<'_>) -> Option<bool> {
    let dims = |value: Option<ValueId>| asked.shape(value?)?.dims();
    let channels = match asked.node.op.as_str() {
        "Conv" => dims(asked.node.input(1))?.first()?,
        "ConvTranspose" => dims(asked.node.input(1))?.get(1)?,
        _ => dims(asked.value(0))?.get(1)?,
    };
    if PER_GROUP.holds(asked) == Some(true) {
        return Some(channels.size().is_none());
    }
    let is_apart = |list: &[Dim]| list.first().map_or(Some(false), |length| are_apart(channels, length));
    any((1..asked.operands.len()).map(|k| is_apart(dims(asked.value(k))?)))
}

/// Says whether the slope runs along one axis, which is open in it or in the data; a single number and a list run along the last one.
///
/// Source: `PRelu` in `onnx_frontend.py`, which makes `relax.op.nn.prelu` of these.
fn has_open_slope(asked: &Asked<'_>) -> Option<bool> {
    let (data, slope) = (asked.in_file(0).dims()?, asked.in_file(1).dims()?);
    let long: Vec<usize> = (0..slope.len()).filter(|&k| slope[k].size() != Some(1)).collect();
    let from_end = match long[..] {
        [] => 1,
        [axis] => slope.len() - axis,
        _ => return Some(false),
    };
    let own = long.iter().any(|&axis| slope[axis].size().is_none());
    Some(own || data.iter().rev().nth(from_end - 1).is_some_and(|dim| dim.size().is_none()))
}

/// Says whether a dim of the data is open.
fn has_open_dims(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.in_file(0).dims()?.iter().any(|dim| dim.size().is_none()))
}

/// Says whether all axes are normalised together.
fn all_axes(asked: &Asked<'_>) -> Option<bool> {
    Some(affine::normalised(asked)?.len() == asked.operands.rank(0)?)
}

/// Says whether the file tells that the operands are bools.
fn of_bools(asked: &Asked<'_>) -> Option<bool> {
    Some(When::Dtype(&[DType::Bool]).holds(asked) == Some(true))
}

/// Says whether the wanted shape is a constant of the file.
fn to_constant(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.node.input(1).is_some_and(|shape| asked.model.value(shape).constant.is_some()))
}

#[cfg(test)]
mod tests {
    use crate::testing::answers;

    /// Answers of TVM 0.27.0.post1.
    #[test]
    fn open_dims() {
        let norm = |x: &str, a: &str| {
            format!("{x}; {a}; b=const(2); c=const(2); d=const(2)=1; y=BatchNormalization(x,a,b,c,d)")
        };
        let rows: &[(String, &str)] = &[
            (norm("x(3,N,2)", "a=const(2)"), "refused"),
            (norm("x(3,2,N)", "a=const(2)"), "same"),
            (norm("x(3,2,2)", "a(N)"), "refused"),
            ("x(3,N,2); a(N); b(N); y=InstanceNormalization(x,a,b)".into(), "same"),
            ("x(2,N,3,3); w=const(2,2,1,1); b=const(2); y=Conv(x,w,b)".into(), "same"),
            ("x(2,2,3,3); w(N,2,1,1); b=const(2); y=Conv(x,w,b)".into(), "refused"),
            ("opset 18; x(2,N,3); a=const(2); b=const(2); y=GroupNormalization(x,a,b) num_groups=2".into(), "refused"),
            ("opset 21; x(2,N,3); a=const(4); b=const(4); y=GroupNormalization(x,a,b) num_groups=2".into(), "same"),
            ("x(2,3,N); a=const(4); y=LayerNormalization(x,a)".into(), "refused"),
            ("x(2,3,N); a(N); b(N); y=LayerNormalization(x,a,b)".into(), "same"),
            ("x(); s=const(); y=PRelu(x,s)".into(), "refused"),
            ("x(3,N); s=const(); y=PRelu(x,s)".into(), "refused"),
            ("x(N,3); s=const(); y=PRelu(x,s)".into(), "same"),
            ("x(3,N); s(N); y=PRelu(x,s)".into(), "refused"),
            ("x(1,1,1); s(N); y=PRelu(x,s)".into(), "refused"),
            ("x(1,1,1); s(N,1); y=PRelu(x,s)".into(), "refused"),
            ("x(3,N); s=const(3,1); y=PRelu(x,s)".into(), "same"),
            ("x(3,N,2); s=const(3,1,2); y=PRelu(x,s)".into(), "same"),
            ("x(N,4); t=const:i64(2)=1,1; y=Expand(x,t)".into(), "refused"),
            ("x(1,4); z(N,4); t=Shape(z); y=Expand(x,t)".into(), "same"),
        ];
        let rows: Vec<(&str, &str)> = rows.iter().map(|(text, want)| (text.as_str(), *want)).collect();
        answers("tvm", &[], &rows);
    }
}
