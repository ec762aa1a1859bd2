//! ncnn: its element-wise layers. `BinaryOp`, `UnaryOp` and `Eltwise` choose by the number of their operation.
//!
//! Arrays are row-major: what ncnn writes `[w, h, c]` is the shape `(c, h, w)` here, so that its `[2, 3, 4]` with
//! `[4]` is `(4, 3, 2)` with `(4,)`. Everything is f32, of ranks 1 to 4: a second operand of one number is the
//! parameter `b` with `with_scalar=1`, or a number in place of an array.
//!
//! Numbers that a layer holds itself, such as the slopes of `PReLU`, are operands of a call. Channels are the entries of the
//! slowest axis: elements for rank 1, rows for rank 2.
//!
//! Defaults are those of ncnn, which differ from other frameworks': `alpha` of `ELU` is 0.1, that of `HardSwish` 0.2. `Softplus`
//! overflows to infinity above 88.7, as it does there. Where ncnn's documentation and its layers differ, the layers count: `Shrink`
//! gives 0 between the bounds, `BNLL` adds x above 0. Where its vector code and its plain code differ, as for NaN, the documented
//! formula counts.

use broadaxe_op::{DType, id};
use broadaxe_shape::Rule;

use crate::{
    arithmetic::{Arithmetic, Choice, Computes, Recipe, When, choice, choose, op, recipe},
    attribute::{Attr, Values, keyed},
    framework::System,
    kind::{Kind, Reads, Wiring},
    row::Row,
    rule::RuleBy,
};

const F32: &[DType] = &[DType::F32];

const BINARY: &[Attr] = &[
    keyed("op_type", "0", Values::Int, "0"),
    keyed("with_scalar", "1", Values::Flag, "0"),
    keyed("b", "2", Values::Float, "0.0"),
];
const TYPE: &[Attr] = &[keyed("op_type", "0", Values::Int, "0")];
const ELTWISE_ATTRIBUTES: &[Attr] =
    &[keyed("op_type", "0", Values::Int, "0"), keyed("coeffs", "1", Values::Floats, "[]")];
const NUM_SLOPE: &[Attr] = &[keyed("num_slope", "0", Values::Int, "the number of slopes")];
const BIAS_SIZE: &[Attr] = &[keyed("bias_data_size", "0", Values::Int, "the number of biases")];
const SCALE_SIZE: &[Attr] = &[
    keyed("scale_data_size", "0", Values::Int, "the number of scales"),
    keyed("bias_term", "1", Values::Flag, "1 with a bias"),
];

const SLOPE: &[Attr] = &[keyed("slope", "0", Values::Float, "0.0")];
const ALPHA_NCNN: &[Attr] = &[keyed("alpha", "0", Values::Float, "1.0")];
const ALPHA_ELU: &[Attr] = &[keyed("alpha", "0", Values::Float, "0.1")];
const SELU_NCNN: &[Attr] =
    &[keyed("alpha", "0", Values::Float, "1.67326324"), keyed("lambda", "1", Values::Float, "1.050700987")];
const HARD_NCNN: &[Attr] = &[keyed("alpha", "0", Values::Float, "0.2"), keyed("beta", "1", Values::Float, "0.5")];
const BOUNDS_NCNN: &[Attr] = &[
    keyed("min", "0", Values::Float, "-3.4028234663852886e38"),
    keyed("max", "1", Values::Float, "3.4028234663852886e38"),
];
const FAST: &[Attr] = &[keyed("fast_gelu", "0", Values::Flag, "0")];
const BASE: &[Attr] = &[
    keyed("base", "0", Values::Float, "-1.0"),
    keyed("scale", "1", Values::Float, "1.0"),
    keyed("shift", "2", Values::Float, "0.0"),
];
const POWER: &[Attr] = &[
    keyed("power", "0", Values::Float, "1.0"),
    keyed("scale", "1", Values::Float, "1.0"),
    keyed("shift", "2", Values::Float, "0.0"),
];
const THRESHOLD: &[Attr] = &[keyed("threshold", "0", Values::Float, "0.0")];
const SHRINK_NCNN: &[Attr] = &[keyed("bias", "0", Values::Float, "0.0"), keyed("lambd", "1", Values::Float, "0.5")];
const SCALE: &[Attr] = &[keyed("scale", "0", Values::Float, "1.0")];

const fn row(name: &'static str, operands: &'static str, rule: RuleBy, computes: Computes) -> Row {
    crate::row::row(System::Ncnn, name, 0, operands, F32, rule, computes)
}

const fn one(name: &'static str, computes: Computes) -> Row {
    row(name, "T", RuleBy::Alone, computes)
}

pub(crate) static NCNN_ROWS: &[Row] = &[
    row("BinaryOp", "TT?", RuleBy::Fixed(Rule::ncnn), Computes::OneOf(BINARIES)).with(BINARY),
    row("Eltwise", "TT*", RuleBy::Fixed(Rule::none), Computes::OneOf(ELTWISE))
        .of_kind(Kind::Many)
        .with(ELTWISE_ATTRIBUTES),
    channel("PReLU", "TT", op("prelu"), held("num_slope", Reads::OneOrEach)).with(NUM_SLOPE),
    channel("Bias", "TT", op("add"), held("bias_data_size", Reads::EachOfImages)).with(BIAS_SIZE),
    channel("Scale", "TTT?", recipe(Recipe::ScaleBias), SCALED).with(SCALE_SIZE),
    one("UnaryOp", Computes::OneOf(UNARIES)).with(TYPE),
    one("AbsVal", op("abs")),
    one("BNLL", recipe(Recipe::Bnll)),
    one("CELU", recipe(Recipe::CeluBranch)).with(ALPHA_NCNN),
    one("Clip", recipe(Recipe::Clamp)).with(BOUNDS_NCNN),
    one("DeepCopy", Computes::Always(Arithmetic::Copy)),
    one("Dropout", recipe(Recipe::Scaled)).with(SCALE),
    one("ELU", recipe(Recipe::Elu)).with(ALPHA_ELU),
    one("Erf", op("erf")),
    one("Exp", recipe(Recipe::ExpOf)).with(BASE),
    one("GELU", Computes::OneOf(GELUS_NCNN)).with(FAST),
    one("HardSigmoid", recipe(Recipe::HardSigmoid)).with(HARD_NCNN),
    one("HardSwish", recipe(Recipe::HardSwish)).with(HARD_NCNN),
    one("Log", recipe(Recipe::LogOf)).with(BASE),
    one("Mish", recipe(Recipe::Mish)),
    one("Noop", Computes::Always(Arithmetic::Copy)),
    one("Power", recipe(Recipe::PowerOf)).with(POWER),
    one("ReLU", recipe(Recipe::ReluSlope)).with(SLOPE),
    one("SELU", recipe(Recipe::SeluLambda)).with(SELU_NCNN),
    one("Shrink", recipe(Recipe::Shrink)).with(SHRINK_NCNN),
    one("Sigmoid", op("sigmoid")),
    one("Softplus", recipe(Recipe::LogExp)),
    one("Swish", op("silu")),
    one("TanH", op("tanh")),
    one("Threshold", recipe(Recipe::Threshold)).with(THRESHOLD),
];

const fn held(count: &'static str, reads: Reads) -> Wiring {
    Wiring::Held { count, absent: 0, from_input: None, reads }
}

const SCALED: Wiring = Wiring::Held { count: "scale_data_size", absent: 0, from_input: Some(-233), reads: Reads::Each };

/// Lists of one number for each channel, which is an entry of the slowest axis.
const fn channel(name: &'static str, operands: &'static str, computes: Computes, wiring: Wiring) -> Row {
    row(name, operands, RuleBy::Fixed(|| Rule::pdpd(0)), computes).of_kind(Kind::Channel).wired(wiring)
}

/// A quotient that is rounded down.
const QUOTIENT: Arithmetic = Arithmetic::Steps(&[id("div"), id("floor")]);

/// Operations of `BinaryOp` by number. Those with an R in front exchange the operands.
const BINARIES: &[Choice] = &[
    choice(&[When::Number("op_type", 0)], "add"),                       // ADD
    choice(&[When::Number("op_type", 1)], "sub"),                       // SUB
    choice(&[When::Number("op_type", 2)], "mul"),                       // MUL
    choice(&[When::Number("op_type", 3)], "div"),                       // DIV
    choice(&[When::Number("op_type", 4)], "max"),                       // MAX
    choice(&[When::Number("op_type", 5)], "min"),                       // MIN
    choice(&[When::Number("op_type", 6)], "pow"),                       // POW
    choice(&[When::Number("op_type", 7)], "sub").swapped(),             // RSUB
    choice(&[When::Number("op_type", 8)], "div").swapped(),             // RDIV
    choice(&[When::Number("op_type", 9)], "pow").swapped(),             // RPOW
    choice(&[When::Number("op_type", 10)], "atan2"),                    // ATAN2
    choice(&[When::Number("op_type", 11)], "atan2").swapped(),          // RATAN2
    choice(&[When::Number("op_type", 12)], "fmod"),                     // FMOD
    choice(&[When::Number("op_type", 13)], "fmod").swapped(),           // RFMOD
    choice(&[When::Number("op_type", 14)], "logaddexp"),                // LOGADDEXP
    choose(&[When::Number("op_type", 15)], QUOTIENT),                   // FLOOR_DIVIDE
    choose(&[When::Number("op_type", 16)], QUOTIENT).swapped(),         // RFLOOR_DIVIDE
    choice(&[When::Number("op_type", 17)], "remainder_ieee"),           // REMAINDER
    choice(&[When::Number("op_type", 18)], "remainder_ieee").swapped(), // RREMAINDER
];

/// Operations of `UnaryOp` by number.
const UNARIES: &[Choice] = &[
    choice(&[When::Number("op_type", 0)], "abs"),
    choice(&[When::Number("op_type", 1)], "neg"),
    choice(&[When::Number("op_type", 2)], "floor"),
    choice(&[When::Number("op_type", 3)], "ceil"),
    choice(&[When::Number("op_type", 4)], "square"),
    choice(&[When::Number("op_type", 5)], "sqrt"),
    choice(&[When::Number("op_type", 6)], "rsqrt"),
    choice(&[When::Number("op_type", 7)], "exp"),
    choice(&[When::Number("op_type", 8)], "log"),
    choice(&[When::Number("op_type", 9)], "sin"),
    choice(&[When::Number("op_type", 10)], "cos"),
    choice(&[When::Number("op_type", 11)], "tan"),
    choice(&[When::Number("op_type", 12)], "asin"),
    choice(&[When::Number("op_type", 13)], "acos"),
    choice(&[When::Number("op_type", 14)], "atan"),
    choice(&[When::Number("op_type", 15)], "reciprocal"),
    choice(&[When::Number("op_type", 16)], "tanh"),
    choice(&[When::Number("op_type", 17)], "log10"),
    choice(&[When::Number("op_type", 18)], "round"),
    choice(&[When::Number("op_type", 19)], "trunc"),
];

/// Operations of `Eltwise` by number: PROD, SUM, MAX. Products and maxima do not read the coefficients.
const ELTWISE: &[Choice] = &[
    choice(&[When::Number("op_type", 0)], "mul"),
    choose(&[When::Number("op_type", 1)], Arithmetic::Recipe(Recipe::WeightedSum)),
    choice(&[When::Number("op_type", 2)], "max"),
];

const GELUS_NCNN: &[Choice] = &[
    choice(&[When::Flag { name: "fast_gelu", value: false, absent: false }], "gelu"),
    choice(&[When::Flag { name: "fast_gelu", value: true, absent: false }], "gelu_tanh"),
];
