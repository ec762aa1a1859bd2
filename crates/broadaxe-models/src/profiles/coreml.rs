//! Core ML's ML programs, as coremltools builds and converts them. Models were not run: values are documented only.

use broadaxe_kernels::{DType, OpId, id};

use broadaxe_shape::SymbolicShape;

use super::{
    Asked, Deployment, Evidence, Law, PLAIN, Profile, Route, Way, When,
    affine::{self, to_nothing},
    channels, contrib,
    inside::{GROUP_NORM, has_computed_list, lists},
    integer_layers,
    neighbours::only_axis,
    opset6::UNREAD,
    quantised,
};
use crate::meaning::Kind;

const CONVERTED: Evidence =
    Evidence::run_here("Core ML 9.0; coremltools, ML program for iOS 16, converted and not run");
const CONVERTED_NODES: Evidence = Evidence::run_here(
    "Core ML 9.0; coremltools, ML program for iOS 16, converted and not run; recorded answers, conformance/laws/record.py",
);
const VALUES: Evidence =
    Evidence::documented("coremltools, MIL operators: elementwise_binary broadcasts as NumPy does; not run");

const MIL_LAYERS: Evidence =
    Evidence::documented("coremltools 9.0, converters/mil/mil/ops/defs/iOS15/conv.py and normalization.py; not run");
const SCALED_DOT_PRODUCT: Evidence =
    Evidence::documented("coremltools 9.0, converters/mil/mil/ops/defs/iOS18/transformers.py; not run");

/// The operators that were converted.
const CONVERTED_OPERATORS: &[OpId] = &[
    id("add"),
    id("sub"),
    id("mul"),
    id("div"),
    id("pow"),
    id("max"),
    id("min"),
    id("equal"),
    id("less"),
    id("less_equal"),
    id("greater"),
    id("greater_equal"),
    id("logical_and"),
    id("logical_or"),
    id("logical_xor"),
    id("div_floor"),
    id("mod_floor"),
];

/// Those that were converted with computed tensors of rank 0, in 90 programs.
const SCALAR_OPERATORS: &[OpId] = &[
    id("add"),
    id("sub"),
    id("mul"),
    id("div"),
    id("pow"),
    id("max"),
    id("min"),
    id("equal"),
    id("less"),
    id("greater"),
];

pub(super) static COREML: Profile = Profile {
    name: "coreml",
    title: "Core ML",
    deployment: Deployment::Phone,
    summary: "Core ML's ML programs (converted only; values are documented)",
    route: Route::new(
        &[],
        Evidence::documented("coremltools, which converts PyTorch and TensorFlow; ONNX has to be converted first"),
    ),
    laws: &[
        contrib::COREML_CONTRIB,
        integer_layers::COREML_INTEGERS,
        quantised::COREML_SCALES[0],
        quantised::COREML_SCALES[1],
        quantised::COREML_SCALES[2],
        Law {
            kinds: &[Kind::Slope],
            when: &[channels::WRONG_SLOPE, channels::PER_CHANNEL],
            way: Way::Ask(channels::along),
            text: "applies a slope of rank 1 along axis 1",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[channels::WRONG_SLOPE],
            way: Way::Refused,
            text: "accepts only slopes that list one value per channel",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Slope, Kind::Select],
            when: &[When::Opset6],
            way: Way::Unknown,
            text: UNREAD,
            evidence: CONVERTED,
        },
        Law {
            kinds: &[],
            when: &[When::Empty],
            way: Way::Refused,
            text: "does not accept dims of 0",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[],
            when: &[When::RankAbove(5)],
            way: Way::RefusedRank,
            text: "supports ranks up to 5",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[],
            when: &[When::Holds(scalar_input)],
            way: Way::Refused,
            text: "does not accept inputs of rank 0",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[],
            when: &[
                When::Holds(computed_scalar),
                When::Not(&When::All(&[When::Kind(&[Kind::Binary]), When::Operator(SCALAR_OPERATORS)])),
            ],
            way: Way::Unknown,
            text: "was tested with computed rank-0 tensors only in arithmetic and comparisons",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::Constant(1))],
            way: Way::Refused,
            text: "accepts only constant slopes",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::Rank(0, 3, 5))],
            way: Way::Refused,
            text: "accepts PReLU only for data of ranks 3 to 5",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::Rank(0, 4, 4)), When::Holds(unequal_slopes)],
            way: Way::Refused,
            text: "accepts unequal PReLU slopes only for data of rank 4",
            evidence: CONVERTED_NODES,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Holds(along_channels)],
            way: Way::Own,
            text: "accepts one constant slope per channel (axis 1)",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Refused,
            text: "accepts only a constant slope with one value per channel (axis 1)",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::Holds(unsupported_dtype)],
            way: Way::Refused,
            text: "does not support f64, or Equal of bools",
            evidence: CONVERTED_NODES,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::Operands(2), When::Operator(CONVERTED_OPERATORS)],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: VALUES,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: VALUES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Named(&["LayerNormalization"]), When::Holds(constant_affine), When::Holds(affine::all_exact)],
            way: Way::Own,
            text: "supports layer_norm with a constant scale and bias of the normalised shape",
            evidence: VALUES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[],
            way: Way::Unknown,
            text: "supports layer_norm only with constant scale and bias; else depends on the converter",
            evidence: CONVERTED_NODES,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[GROUP_NORM],
            way: Way::Unsupported,
            text: "does not support group normalisation; converters build it from other nodes",
            evidence: MIL_LAYERS,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Holds(has_computed_list)],
            way: Way::Refused,
            text: "accepts only constant lists in batch_norm, instance_norm, conv and conv_transpose",
            evidence: MIL_LAYERS,
        },
        lists(MIL_LAYERS),
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::Own,
            text: "adds the attention mask to the scores as NumPy does",
            evidence: SCALED_DOT_PRODUCT,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Own,
            text: "computes a product and a sum that stretches C",
            evidence: VALUES,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[
                When::Any(&[When::Not(&When::Constant(1)), When::Not(&When::Constant(2))]),
                When::Holds(both_bounds),
            ],
            way: Way::Unknown,
            text: "supports clip only with constant bounds; otherwise depends on the converter",
            evidence: CONVERTED_NODES,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Dtype(&[DType::I32, DType::I64]), When::Holds(both_bounds)],
            way: Way::Unknown,
            text: "supports clip only for floats; otherwise depends on the converter",
            evidence: CONVERTED_NODES,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Own,
            text: "computes Clip with clip, or with maximum and minimum",
            evidence: VALUES,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(to_nothing)],
            way: Way::Refused,
            text: "does not accept dims of 0",
            evidence: CONVERTED_NODES,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(to_high_rank)],
            way: Way::Refused,
            text: "supports ranks up to 5",
            evidence: CONVERTED,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[],
            way: Way::Own,
            text: "repeats the tensor with tile",
            evidence: VALUES,
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: VALUES,
        },
    ],
    ..PLAIN
};

/// Returns the first computed operand of rank 0.
fn scalar(asked: &Asked<'_>) -> Option<usize> {
    (0..asked.operands.len()).find(|&k| asked.operands.rank(k) == Some(0) && !asked.constants[k])
}

fn is_computed(asked: &Asked<'_>, operand: usize) -> bool {
    asked.value(operand).is_some_and(|value| asked.producer(value).is_some())
}

fn scalar_input(asked: &Asked<'_>) -> Option<bool> {
    Some(scalar(asked).is_some_and(|operand| !is_computed(asked, operand)))
}

fn computed_scalar(asked: &Asked<'_>) -> Option<bool> {
    Some(scalar(asked).is_some_and(|operand| is_computed(asked, operand)))
}

/// Says whether a slope is along axis 1: a converter writes it as a list of the length of that axis.
fn along_channels(asked: &Asked<'_>) -> Option<bool> {
    let [x, slope] = asked.operands.shapes() else { return Some(false) };
    let (rank, own) = (x.rank()?, slope.known()?);
    let channels = x.dims()?.get(1)?.size();
    let alone = own.iter().all(|dim| *dim == 1) && channels == Some(1);
    Some(alone || only_axis(&own, rank) == Some(1) && channels == Some(own.iter().product()))
}

/// Says whether the scale, and the bias where there is one, are constants.
fn constant_affine(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.constants[1..].iter().all(|constant| *constant))
}

fn result<'a>(asked: &Asked<'a>) -> Option<&'a SymbolicShape> {
    asked.node.output(0).and_then(|value| asked.shape(value))
}

fn to_high_rank(asked: &Asked<'_>) -> Option<bool> {
    Some(result(asked)?.rank()? > 5)
}

fn both_bounds(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.node.input(1).is_some() && asked.node.input(2).is_some())
}

/// Finds dtypes that are refused, where the file tells the dtype.
fn unsupported_dtype(asked: &Asked<'_>) -> Option<bool> {
    let of = |dtypes: &'static [DType]| When::Dtype(dtypes).holds(asked) == Some(true);
    Some(of(&[DType::F64]) || asked.operator() == Some(id("equal")) && of(&[DType::Bool]))
}

/// Says whether the slopes are several and not known to be one number.
fn unequal_slopes(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.elements(1)? > 1 && asked.value(1).and_then(|slope| asked.number(slope)).is_none())
}
