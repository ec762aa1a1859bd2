//! MNN, through its converter for ONNX, on the CPU.
//!
//! Not asked: the back ends for GPUs (`OpenCL`, Vulkan, Metal), other precisions, and the converter with other formats.

mod conv;
mod gemm;
mod grouped;
mod norm;
mod quantised;
mod slope;
mod squeezed;
mod stretched;

use broadaxe_frameworks::System;
use broadaxe_kernels::{DType, OpId, id};

use super::{
    Asked, Deployment, Does, Evidence, Law, PLAIN, Profile, Route, Way, When, affine,
    condition::{INTEGERS, OF_FLOATS},
    contrib,
    groups::Groupings,
    inside::{
        CONVOLUTION, GROUP_NORM, as_many, flat_data, has_computed_list, has_computed_weights, is_grouped, lists,
        no_attention,
    },
    integer_layers,
    neighbours::in_function,
    opset6::{axis_ignored, axis_unasked},
    stretch::{CLASH, NEGATIVE},
};
use crate::{
    graph::{Model, Node, NodeId, ValueId},
    infer::Shapes,
    meaning::Kind,
};

const MNN_RUN: Evidence = Evidence::run_here("MNN 3.6.1; CPU, ONNX converter, recorded answers");
const MNN_ALL_RUN: Evidence =
    Evidence::run_here("MNN 3.6.1; CPU, ONNX converter, recorded answers, and those of 3.0.0, 3.2.0 and 3.4.1");
const MNN_ALL_ASKED: Evidence =
    Evidence::run_here("MNN 3.6.1; CPU, ONNX converter; conformance, asked, and 3.0.0, 3.2.0 and 3.4.1");
const MNN_LAWS: Evidence = Evidence::run_here("MNN 3.6.1; CPU, ONNX converter; conformance, laws");
const MNN_ALL_LAWS: Evidence =
    Evidence::run_here("MNN 3.6.1; CPU, ONNX converter; conformance, laws, and 3.0.0, 3.2.0 and 3.4.1");
const MNN_NODES: Evidence = Evidence::run_here(
    "MNN 3.6.1; CPU, ONNX converter; recorded answers, conformance/laws/record.py, and 3.0.0, 3.2.0 and 3.4.1 in part",
);
const MNN_ALL_NODES: Evidence = Evidence::run_here(
    "MNN 3.6.1; CPU, ONNX converter; recorded answers, conformance/laws/record.py, and 3.0.0, 3.2.0 and 3.4.1",
);
const MNN_INSIDE: Evidence =
    Evidence::run_here("MNN 3.6.1; CPU, ONNX converter; recorded answers, conformance/laws/inside.py");
const MNN_SOURCE: Evidence = Evidence::documented("MNN, source/shape/SizeComputer.cpp, computeBroadCastDims");

/// The operators of two operands that were asked; `Max` and `Min` of two are among them.
const ASKED_OPERATORS: &[OpId] = &[
    id("add"),
    id("sub"),
    id("mul"),
    id("div"),
    id("pow"),
    id("max"),
    id("min"),
    id("equal"),
    id("greater"),
    id("greater_equal"),
    id("less_equal"),
    id("logical_and"),
    id("logical_or"),
    id("logical_xor"),
    id("sum"),
];

/// The most axes of a tensor (`MNN_MAX_TENSOR_DIM`).
const MOST_AXES: usize = 9;

/// Normalisations whose lists it reads by their number of elements.
const NORMALISED: When = When::Named(&["BatchNormalization", "InstanceNormalization"]);

/// The floats that Gemm was asked with.
const FLOATS_ASKED: &[DType] = &[DType::F32, DType::F16, DType::F64];

/// More than two operands.
const SEVERAL: When = When::Not(&When::Any(&[When::Operands(1), When::Operands(2)]));

pub(super) static MNN: Profile = Profile {
    name: "mnn",
    title: "MNN",
    deployment: Deployment::Phone,
    summary: "MNN 3 on the CPU, through its converter for ONNX",
    versions: &["3.0.0", "3.2.0", "3.4.1", "3.6.1"],
    route: Route::new(&["onnx", "tflite"], Evidence::run_here("MNNConvert; models in TFLite are documented")),
    laws: &[
        Law {
            kinds: Kind::ALL,
            when: &[],
            way: Way::Ask(in_function),
            text: "does not support functions defined in the model",
            evidence: MNN_LAWS,
        },
        contrib::MNN_CONTRIB[0],
        contrib::MNN_CONTRIB[1],
        integer_layers::MNN_INTEGERS[0],
        integer_layers::MNN_INTEGERS[1],
        integer_layers::MNN_INTEGERS[2],
        integer_layers::MNN_INTEGERS[3],
        integer_layers::MNN_INTEGERS[4],
        Law {
            kinds: &[Kind::Lists, Kind::Blocks],
            when: &[When::Invalid],
            way: Way::Own,
            text: "does not check quantised nodes' lists against their data",
            evidence: MNN_LAWS,
        },
        quantised::MNN_SCALES[0],
        quantised::MNN_SCALES[1],
        quantised::MNN_SCALES[2],
        quantised::MNN_SCALES[3],
        quantised::MNN_SCALES[4],
        quantised::MNN_SCALES[5],
        quantised::MNN_SCALES[6],
        quantised::MNN_SCALES[7],
        quantised::MNN_SCALES[8],
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select],
            when: &[When::Dtype(&[DType::I64]), When::Not(&When::AllConstant)],
            way: Way::Caveat,
            text: "computes 64-bit integers in 32 bits, so larger numbers are wrong",
            evidence: MNN_LAWS,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::Holds(|asked| Some(asked.rank().is_some_and(|rank| rank > MOST_AXES)))],
            way: Way::RefusedRank,
            text: "crashes or returns no result if a tensor has more than 9 axes",
            evidence: MNN_ALL_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Of(System::Onnx), When::Not(&When::Opset6), When::Invalid],
            way: Way::Ask(slope::invalid),
            text: "reads a constant slope along axis 1, and stretches the data to others",
            evidence: MNN_ALL_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid, When::Any(&[CLASH, NEGATIVE])],
            way: Way::Refused,
            text: "rejects a shape that is negative or does not broadcast with the data",
            evidence: MNN_ALL_LAWS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid],
            way: Way::Own,
            text: "reads a shape of any rank and integer type as a list",
            evidence: MNN_ALL_LAWS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["BitwiseAnd", "BitwiseOr", "BitwiseXor"])],
            way: Way::Unsupported,
            text: "its ONNX converter does not support bitwise operators",
            evidence: MNN_NODES,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Bounds],
            when: &[When::Dtype(&[DType::U8, DType::I8])],
            way: Way::Refused,
            text: "crashes or returns no result for u8 and i8",
            evidence: MNN_ALL_LAWS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[
                When::Opset6,
                When::From("3.2.0"),
                When::Not(&When::From("3.4.1")),
                When::Operator(&[id("div")]),
                When::Rank(1, 0, 0),
                When::Constant(1),
            ],
            way: Way::Refused,
            text: "does not accept division by a rank-0 constant before opset 7 (version 3.2.0)",
            evidence: MNN_ALL_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(stretched::comparison),
            text: "compares negative floats wrongly in Less, and in some models in other comparisons",
            evidence: MNN_ALL_ASKED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("add")])],
            way: Way::Ask(norm::epsilon),
            text: "fuses a normalisation into LayerNorm, which has a single epsilon",
            evidence: MNN_LAWS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("div"), id("mul")])],
            way: Way::Ask(norm::kept),
            text: "fuses a normalisation into LayerNorm, which keeps the axes of its mean",
            evidence: MNN_LAWS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("mul"), id("div"), id("add")])],
            way: Way::Ask(norm::misread),
            text: "fuses LayerNorm and reads scale and bias in order, past a shorter end",
            evidence: MNN_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select, Kind::Slope, Kind::Bounds],
            when: &[When::Holds(gemm::reads_lost_transposition)],
            way: Way::Garbled,
            text: "turns the Gemm before it (constant B, no C) into a convolution",
            evidence: MNN_NODES,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(conv::bias_of_product),
            text: "adds a constant with one element per column along the columns, ignoring shape",
            evidence: MNN_ALL_ASKED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(squeezed::sum),
            text: "adds a constant of rank 0 or 1 before the axis is squeezed",
            evidence: MNN_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(conv::bias),
            text: "adds a constant with one element per channel to the convolution's bias, ignoring shape",
            evidence: MNN_ALL_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(grouped::number),
            text: "confuses grouped and ordered channels if an operand has one element",
            evidence: MNN_LAWS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(grouped::mistaken_result),
            text: "pools ordered channels as grouped if a constant first operand has equal rank",
            evidence: MNN_LAWS,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[NORMALISED, When::Constant(0), When::Holds(grouped::is_misread_constant)],
            way: Way::Garbled,
            text: "folds normalisations of constants: BatchNormalization with wrong numbers, InstanceNormalization with channels in wrong order",
            evidence: MNN_LAWS,
        },
        Law {
            kinds: &[Kind::Slope, Kind::Lengths],
            when: &[When::Holds(grouped::reads_mistaken)],
            way: Way::Garbled,
            text: "reads ordered data as grouped in PRelu and BatchNormalization after a constant first operand",
            evidence: MNN_LAWS,
        },
        axis_ignored(MNN_ALL_RUN),
        axis_unasked(MNN_ALL_RUN),
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("fmod")]), OF_FLOATS],
            way: Way::Garbled,
            text: "computes Mod with fmod=1 with the divisor's sign",
            evidence: MNN_RUN,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[When::Operands(1)],
            way: Way::Refused,
            text: "crashes on Max, Min, Sum and Mean of one operand",
            evidence: MNN_ALL_LAWS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[When::Operands(2), When::Operator(&[id("mean")])],
            way: Way::Refused,
            text: "does not compute the Mean of two operands",
            evidence: MNN_ALL_ASKED,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[SEVERAL, When::Holds(stretched::alike)],
            way: Way::Own,
            text: "reads three or more operands as flat arrays of the first one's shape",
            evidence: MNN_ALL_ASKED,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[SEVERAL],
            way: Way::Garbled,
            text: "returns the first operand's shape, and reads several others flat, past their ends",
            evidence: MNN_ALL_ASKED,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[
                When::Invalid,
                When::Any(&[NORMALISED, When::All(&[CONVOLUTION, When::Not(&When::Holds(has_computed_weights))])]),
                When::Not(&When::Holds(has_computed_list)),
                When::Holds(as_many),
                When::Not(&When::All(&[CONVOLUTION, When::RankAbove(4)])),
            ],
            way: Way::Own,
            text: "reads constants with one element per channel as lists, ignoring their rank",
            evidence: MNN_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Invalid, NORMALISED, When::Not(&When::Holds(has_computed_list))],
            way: Way::Garbled,
            text: "reads one number per channel, past the end of shorter constants",
            evidence: MNN_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[GROUP_NORM],
            way: Way::Unsupported,
            text: "its ONNX converter does not support GroupNormalization",
            evidence: MNN_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[
                When::Any(&[
                    When::Named(&["BatchNormalization"]),
                    When::All(&[CONVOLUTION, When::Not(&When::Holds(has_computed_weights))]),
                ]),
                When::Holds(has_computed_list),
            ],
            way: Way::Refused,
            text: "accepts only constant lists in BatchNormalization, and a constant bias with constant weights",
            evidence: MNN_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[CONVOLUTION, When::RankAbove(4)],
            way: Way::Refused,
            text: "does not compute convolutions of data of rank 5",
            evidence: MNN_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[CONVOLUTION, When::Rank(0, 3, 3), When::Holds(squeezed::is_shown_conv)],
            way: Way::Garbled,
            text: "returns rank 4 for a 1-D convolution and its activation at an output",
            evidence: MNN_INSIDE,
        },
        Law {
            kinds: &[Kind::Bounds, Kind::Slope],
            when: &[When::Holds(squeezed::keeps_axis)],
            way: Way::Garbled,
            text: "keeps the squeezed axis in a model output of Clip or one-slope PRelu",
            evidence: MNN_LAWS,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Named(&["ConvTranspose"]), When::Holds(has_computed_weights), When::Holds(is_grouped)],
            way: Way::Garbled,
            text: "computes wrong values for grouped ConvTranspose with computed weights",
            evidence: MNN_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Named(&["Conv"]), When::Rank(0, 3, 3), When::Holds(conv::has_open_groups)],
            way: Way::Unknown,
            text: "may return no result for a later grouped 1-D convolution of open length",
            evidence: MNN_LAWS,
        },
        flat_data(Way::Garbled, "reads past the lists' end in BatchNormalization of data of rank 1", MNN_INSIDE),
        lists(MNN_INSIDE),
        no_attention(MNN_INSIDE),
        Law {
            kinds: &[Kind::Slope],
            when: &[When::AllConstant, When::Holds(slope::of_constants)],
            way: Way::Garbled,
            text: "folds PRelu of constants and stores grouped channels as if ordered",
            evidence: MNN_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Dtype(INTEGERS), When::Not(&When::Constant(1))],
            way: Way::Refused,
            text: "returns no result for PRelu of integers with a computed slope",
            evidence: MNN_ALL_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Dtype(INTEGERS)],
            way: Way::Garbled,
            text: "computes wrong values for negative integers in PRelu",
            evidence: MNN_ALL_LAWS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Ask(slope::valid),
            text: "reads the constant slope along axis 1, past its end if longer",
            evidence: MNN_ALL_RUN,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Own,
            text: "stretches the slope of PRelu as ONNX does",
            evidence: MNN_ALL_RUN,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Ask(stretched::overrun),
            text: "reads Where's third operand flat if the second has the result's shape",
            evidence: MNN_ALL_RUN,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: MNN_ALL_RUN,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "repeats the tensor", evidence: MNN_RUN },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["RMSNormalization"])],
            way: Way::Unsupported,
            text: "its ONNX converter does not support RMSNormalization",
            evidence: MNN_NODES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::From("3.2.0"), When::Holds(norm::from_axis_zero)],
            way: Way::Garbled,
            text: "normalises each element by itself if LayerNormalization has axis 0 (from 3.2.0)",
            evidence: MNN_ALL_LAWS,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Any(&[
                When::Not(&When::From("3.2.0")),
                When::Not(&When::Constant(1)),
                When::Holds(norm::from_later_axis),
                When::Holds(laid_out),
            ])],
            way: Way::Own,
            text: "scales and shifts along the normalised axes, in some models in separate nodes",
            evidence: MNN_ALL_LAWS,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[],
            way: Way::Ask(flat),
            text: "reads a constant scale or bias per normalised element, past its end if shorter",
            evidence: MNN_NODES,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Dtype(INTEGERS)],
            way: Way::Garbled,
            text: "computes Gemm of integers as if their bits were floats",
            evidence: MNN_NODES,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Holds(gemm::lost_transposition)],
            way: Way::Garbled,
            text: "turns Gemm with a constant B into a convolution, transposed if A is",
            evidence: MNN_NODES,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Dtype(FLOATS_ASKED), When::Constant(1), When::Holds(gemm::term_as_row)],
            way: Way::Ask(gemm::along_columns),
            text: "adds a C with one element per column along the columns, ignoring its shape",
            evidence: MNN_NODES,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Dtype(FLOATS_ASKED)],
            way: Way::Own,
            text: "computes a product and a sum that stretches C",
            evidence: MNN_NODES,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[OF_FLOATS, When::Not(&When::From("3.4.1")), When::Holds(without_least)],
            way: Way::Garbled,
            text: "uses the smallest positive float if Clip's min is missing (before 3.4.1)",
            evidence: MNN_NODES,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[
                When::Rank(0, 0, 0),
                When::Any(&[When::Not(&When::Constant(1)), When::Not(&When::Constant(2))]),
                When::Any(&[When::Rank(1, 1, 1), When::Rank(2, 1, 1)]),
            ],
            way: Way::Garbled,
            text: "returns rank 1 if a Clip bound has rank 1 and data rank 0",
            evidence: MNN_NODES,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Dtype(&[DType::F32, DType::F16, DType::F64, DType::I32, DType::I64])],
            way: Way::Own,
            text: "computes Clip with bounds of one element",
            evidence: MNN_NODES,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::Operands(2), When::Operator(ASKED_OPERATORS)],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: MNN_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: MNN_SOURCE,
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: MNN_SOURCE,
        },
    ],
    refused_reshapes: Some(refused_reshapes),
    follow_groups: Some(Groupings::of),
    ..PLAIN
};

/// Lists the nodes that change the rank of a tensor which MNN does not compute with, with the reason.
fn refused_reshapes(model: &Model, shapes: &Shapes) -> Vec<(NodeId, String)> {
    let rank = |value: Option<ValueId>| shapes.of.get(value?.0 as usize)?.shape.rank();
    let changes = |node: &Node| rank(node.input(0)) != rank(node.output(0));
    let large = |node: &Node| rank(node.input(0)).max(rank(node.output(0))).is_some_and(|rank| rank > MOST_AXES);
    let refused = (0..).map(NodeId).zip(&model.nodes).filter(|(_, node)| changes(node) && large(node));
    refused.map(|(id, _)| (id, format!("mnn returns no result if a tensor has more than {MOST_AXES} axes"))).collect()
}

/// Finds a `Clip` with a max and no min.
fn without_least(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.node.input(1).is_none() && asked.node.input(2).is_some())
}

/// Says whether a scale, and a bias that is constant, run along the axes that are normalised.
fn laid_out(asked: &Asked<'_>) -> Option<bool> {
    let constants = (1..asked.operands.len()).filter(|&k| asked.constants[k]);
    affine::all(constants.map(|operand| affine::runs_along(asked, operand)))
}

/// Says how a constant scale is read: as `LayerNormOnnx.cpp` copies its numbers, without its shape.
fn flat(asked: &Asked<'_>) -> Option<Does> {
    let together = affine::normalised(asked)?;
    if together.iter().all(|dim| dim.size() == Some(1)) {
        return Some(Does::Unknown(
            "may read a constant scale past its end, unseen if single elements are normalised".into(),
        ));
    }
    let axes = together.len();
    let list = (1..asked.operands.len()).all(|k| asked.constants[k] && affine::as_many(asked, k) == Some(true));
    let text = "reads a constant scale or bias as one number per normalised element";
    Some(if list { Does::Flat { axes } } else { Does::Garbled(text.into()) })
}

#[cfg(test)]
mod tests;
