//! Activations of ONNX and OpenVINO: the same formulas under two spellings.
//!
//! What is no operator of ours is built of several, each rounding in the operand's dtype.

use broadaxe_kernels::DType;

use crate::{
    arithmetic::{
        Arithmetic, Choice, Computes,
        Recipe::{
            Celu, Clamp, Elu, HSigmoid, HardSigmoid, LeakyRelu, Mish, RoundHalfAway, Selu, Shrink, Softsign, Swish,
            ThresholdedRelu,
        },
        When, choice, choose, op as one, recipe,
    },
    attribute::{Attr, Values, attr},
    framework::System,
    onnx::{NUMBERS_12, OLD_FLOATS},
    row::{FLOATS, NUMBERS, Row, row},
    rule::RuleBy,
};

use DType::{BF16, F16, F32, F64, I8, I16, I32, I64};

const RELU_14: &[DType] = &[I8, I16, I32, I64, F16, BF16, F32, F64];
const ONE_FLOAT: &[DType] = &[F32];

const fn activation(
    system: System,
    (name, since): (&'static str, i64),
    dtypes: &'static [DType],
    attributes: &'static [Attr],
    computes: Computes,
) -> Row {
    row(system, name, since, "T", dtypes, RuleBy::Alone, computes).with(attributes)
}

const fn op(name: &'static str, since: i64, dtypes: &'static [DType], computes: &'static str) -> Row {
    activation(System::Onnx, (name, since), dtypes, &[], one(computes))
}

const fn built(
    name: &'static str,
    since: i64,
    dtypes: &'static [DType],
    attributes: &'static [Attr],
    computes: Computes,
) -> Row {
    activation(System::Onnx, (name, since), dtypes, attributes, computes)
}

const fn op_ov(name: &'static str, since: i64, dtypes: &'static [DType], computes: &'static str) -> Row {
    activation(System::Openvino, (name, since), dtypes, &[], one(computes))
}

const fn built_ov(
    name: &'static str,
    since: i64,
    dtypes: &'static [DType],
    attributes: &'static [Attr],
    computes: Computes,
) -> Row {
    activation(System::Openvino, (name, since), dtypes, attributes, computes)
}

const LEAKY: &[Attr] = &[attr("alpha", Values::Float, "0.01")];
const ALPHA: &[Attr] = &[attr("alpha", Values::Float, "1")];
const HARD: &[Attr] = &[attr("alpha", Values::Float, "0.2"), attr("beta", Values::Float, "0.5")];
const SELU_1: &[Attr] = &[attr("alpha", Values::Float, "1.6732"), attr("gamma", Values::Float, "1.0507")];
const SELU: &[Attr] = &[attr("alpha", Values::Float, "1.6732632"), attr("gamma", Values::Float, "1.0507010")];
const SHRINK: &[Attr] = &[attr("bias", Values::Float, "0"), attr("lambd", Values::Float, "0.5")];
const GELU: &[Attr] = &[attr("approximate", Values::Words(&["none", "tanh"]), "none")];
const GELU_7: &[Attr] = &[attr("approximation_mode", Values::Words(&["ERF", "TANH"]), "ERF")];
const MUST: &[Attr] = &[attr("alpha", Values::Float, "")];
const BOUNDS: &[Attr] = &[attr("min", Values::Float, ""), attr("max", Values::Float, "")];
const ROUND: &[Attr] = &[attr("mode", Values::Words(&["half_to_even", "half_away_from_zero"]), "half_to_even")];
const BETA: &[Attr] = &[attr("beta", Values::Float, "1")];

const GELUS: &[Choice] = &[
    choice(&[When::Word { name: "approximate", word: "none", absent: true }], "gelu"),
    choice(&[When::Word { name: "approximate", word: "tanh", absent: false }], "gelu_tanh"),
];
const GELUS_OPENVINO: &[Choice] = &[
    choice(&[When::Word { name: "approximation_mode", word: "ERF", absent: true }], "gelu"),
    choice(&[When::Word { name: "approximation_mode", word: "TANH", absent: false }], "gelu_tanh"),
];
const ROUNDS: &[Choice] = &[
    choose(&[When::Integers], Arithmetic::Copy),
    choice(&[When::Word { name: "mode", word: "half_to_even", absent: true }], "round"),
    choose(
        &[When::Word { name: "mode", word: "half_away_from_zero", absent: false }],
        Arithmetic::Recipe(RoundHalfAway),
    ),
];

pub(crate) static ONNX: &[Row] = &[
    op("Relu", 1, OLD_FLOATS, "relu"),
    op("Relu", 13, FLOATS, "relu"),
    op("Relu", 14, RELU_14, "relu"),
    op("Sigmoid", 1, OLD_FLOATS, "sigmoid"),
    op("Sigmoid", 13, FLOATS, "sigmoid"),
    op("HardSwish", 14, OLD_FLOATS, "hardswish"),
    op("HardSwish", 22, FLOATS, "hardswish"),
    op("Softplus", 1, OLD_FLOATS, "softplus"),
    op("Softplus", 22, FLOATS, "softplus"),
    built("LeakyRelu", 1, OLD_FLOATS, LEAKY, recipe(LeakyRelu)),
    built("LeakyRelu", 16, FLOATS, LEAKY, recipe(LeakyRelu)),
    built("Elu", 1, OLD_FLOATS, ALPHA, recipe(Elu)),
    built("Elu", 22, FLOATS, ALPHA, recipe(Elu)),
    built("Celu", 12, ONE_FLOAT, ALPHA, recipe(Celu)),
    built("Celu", 28, FLOATS, ALPHA, recipe(Celu)),
    built("Selu", 1, OLD_FLOATS, SELU_1, recipe(Selu)),
    built("Selu", 6, OLD_FLOATS, SELU, recipe(Selu)),
    built("Selu", 22, FLOATS, SELU, recipe(Selu)),
    built("HardSigmoid", 1, OLD_FLOATS, HARD, recipe(HardSigmoid)),
    built("HardSigmoid", 22, FLOATS, HARD, recipe(HardSigmoid)),
    built("Softsign", 1, OLD_FLOATS, &[], recipe(Softsign)),
    built("Softsign", 22, FLOATS, &[], recipe(Softsign)),
    built("Mish", 18, OLD_FLOATS, &[], recipe(Mish)),
    built("Mish", 22, FLOATS, &[], recipe(Mish)),
    built("Swish", 24, FLOATS, ALPHA, recipe(Swish)),
    built("ThresholdedRelu", 10, OLD_FLOATS, ALPHA, recipe(ThresholdedRelu)),
    built("ThresholdedRelu", 22, FLOATS, ALPHA, recipe(ThresholdedRelu)),
    built("Shrink", 9, NUMBERS_12, SHRINK, recipe(Shrink)),
    built("Gelu", 20, FLOATS, GELU, Computes::OneOf(GELUS)),
];

pub(crate) static OPENVINO: &[Row] = &[
    op_ov("ReLU", 1, NUMBERS, "relu"),
    op_ov("Sigmoid", 1, FLOATS, "sigmoid"),
    op_ov("HSwish", 4, FLOATS, "hardswish"),
    op_ov("SoftPlus", 4, FLOATS, "softplus"),
    built_ov("Elu", 1, FLOATS, MUST, recipe(Elu)),
    built_ov("SoftSign", 9, FLOATS, &[], recipe(Softsign)),
    built_ov("Mish", 4, FLOATS, &[], recipe(Mish)),
    built_ov("Swish", 4, FLOATS, BETA, recipe(Swish)),
    built_ov("HSigmoid", 5, FLOATS, &[], recipe(HSigmoid)),
    op_ov("Gelu", 2, FLOATS, "gelu"),
    built_ov("Gelu", 7, FLOATS, GELU_7, Computes::OneOf(GELUS_OPENVINO)),
    built_ov("Clamp", 1, NUMBERS, BOUNDS, recipe(Clamp)),
    built_ov("Round", 5, NUMBERS, ROUND, Computes::OneOf(ROUNDS)),
];
