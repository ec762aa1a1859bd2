//! Activations of ONNX and OpenVINO: the same formulas under two names.
//!
//! Formulas without an operator of our own are built of several, each rounding in the operand's dtype.

use broadaxe_op::DType;

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
    framework::System::{self, Onnx, Openvino},
    onnx::{NUMBERS_12, OLD_FLOATS},
    row::{FLOATS, NUMBERS, Row, row},
    rule::RuleBy,
};

use DType::{BF16, F16, F32, F64, I8, I16, I32, I64};

const RELU_14: &[DType] = &[I8, I16, I32, I64, F16, BF16, F32, F64];
const ONE_FLOAT: &[DType] = &[F32];

const fn built(
    system: System,
    (name, since): (&'static str, i64),
    dtypes: &'static [DType],
    attributes: &'static [Attr],
    computes: Computes,
) -> Row {
    row(system, name, since, "T", dtypes, RuleBy::Alone, computes).with(attributes)
}

const fn op(system: System, name: (&'static str, i64), dtypes: &'static [DType], computes: &'static str) -> Row {
    built(system, name, dtypes, &[], one(computes))
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
    op(Onnx, ("Relu", 1), OLD_FLOATS, "relu"),
    op(Onnx, ("Relu", 13), FLOATS, "relu"),
    op(Onnx, ("Relu", 14), RELU_14, "relu"),
    op(Onnx, ("Sigmoid", 1), OLD_FLOATS, "sigmoid"),
    op(Onnx, ("Sigmoid", 13), FLOATS, "sigmoid"),
    op(Onnx, ("HardSwish", 14), OLD_FLOATS, "hardswish"),
    op(Onnx, ("HardSwish", 22), FLOATS, "hardswish"),
    op(Onnx, ("Softplus", 1), OLD_FLOATS, "softplus"),
    op(Onnx, ("Softplus", 22), FLOATS, "softplus"),
    built(Onnx, ("LeakyRelu", 1), OLD_FLOATS, LEAKY, recipe(LeakyRelu)),
    built(Onnx, ("LeakyRelu", 16), FLOATS, LEAKY, recipe(LeakyRelu)),
    built(Onnx, ("Elu", 1), OLD_FLOATS, ALPHA, recipe(Elu)),
    built(Onnx, ("Elu", 22), FLOATS, ALPHA, recipe(Elu)),
    built(Onnx, ("Celu", 12), ONE_FLOAT, ALPHA, recipe(Celu)),
    built(Onnx, ("Celu", 28), FLOATS, ALPHA, recipe(Celu)),
    built(Onnx, ("Selu", 1), OLD_FLOATS, SELU_1, recipe(Selu)),
    built(Onnx, ("Selu", 6), OLD_FLOATS, SELU, recipe(Selu)),
    built(Onnx, ("Selu", 22), FLOATS, SELU, recipe(Selu)),
    built(Onnx, ("HardSigmoid", 1), OLD_FLOATS, HARD, recipe(HardSigmoid)),
    built(Onnx, ("HardSigmoid", 22), FLOATS, HARD, recipe(HardSigmoid)),
    built(Onnx, ("Softsign", 1), OLD_FLOATS, &[], recipe(Softsign)),
    built(Onnx, ("Softsign", 22), FLOATS, &[], recipe(Softsign)),
    built(Onnx, ("Mish", 18), OLD_FLOATS, &[], recipe(Mish)),
    built(Onnx, ("Mish", 22), FLOATS, &[], recipe(Mish)),
    built(Onnx, ("Swish", 24), FLOATS, ALPHA, recipe(Swish)),
    built(Onnx, ("ThresholdedRelu", 10), OLD_FLOATS, ALPHA, recipe(ThresholdedRelu)),
    built(Onnx, ("ThresholdedRelu", 22), FLOATS, ALPHA, recipe(ThresholdedRelu)),
    built(Onnx, ("Shrink", 9), NUMBERS_12, SHRINK, recipe(Shrink)),
    built(Onnx, ("Gelu", 20), FLOATS, GELU, Computes::OneOf(GELUS)),
];

pub(crate) static OPENVINO: &[Row] = &[
    op(Openvino, ("ReLU", 1), NUMBERS, "relu"),
    op(Openvino, ("Sigmoid", 1), FLOATS, "sigmoid"),
    op(Openvino, ("HSwish", 4), FLOATS, "hardswish"),
    op(Openvino, ("SoftPlus", 4), FLOATS, "softplus"),
    built(Openvino, ("Elu", 1), FLOATS, MUST, recipe(Elu)),
    built(Openvino, ("SoftSign", 9), FLOATS, &[], recipe(Softsign)),
    built(Openvino, ("Mish", 4), FLOATS, &[], recipe(Mish)),
    built(Openvino, ("Swish", 4), FLOATS, BETA, recipe(Swish)),
    built(Openvino, ("HSigmoid", 5), FLOATS, &[], recipe(HSigmoid)),
    op(Openvino, ("Gelu", 2), FLOATS, "gelu"),
    built(Openvino, ("Gelu", 7), FLOATS, GELU_7, Computes::OneOf(GELUS_OPENVINO)),
    built(Openvino, ("Clamp", 1), NUMBERS, BOUNDS, recipe(Clamp)),
    built(Openvino, ("Round", 5), NUMBERS, ROUND, Computes::OneOf(ROUNDS)),
];
