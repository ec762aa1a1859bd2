//! ncnn: the layers `BinaryOp` and `UnaryOp`, by the number of their operation.
//!
//! Arrays are row-major: what ncnn writes `[w, h, c]` is the shape `(c, h, w)` here, so that its `[2, 3, 4]` with
//! `[4]` is `(4, 3, 2)` with `(4,)`. Everything is f32, and there is no rank 0: a second operand of one number is the
//! parameter `b` with `with_scalar=1`, or a number in place of an array.

use broadaxe_kernels::{DType, id};
use broadaxe_shape::Rule;

use crate::{
    arithmetic::{Arithmetic, Choice, Computes, When, choice, choose, op},
    attribute::{Attr, Values, keyed},
    framework::System,
    kind::{Kind, Wiring},
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
const NUM_SLOPE: &[Attr] = &[keyed("num_slope", "0", Values::Int, "0")];
const BIAS_SIZE: &[Attr] = &[keyed("bias_data_size", "0", Values::Int, "0")];
const SCALE_SIZE: &[Attr] = &[keyed("scale_data_size", "0", Values::Int, "0")];

const fn row(name: &'static str, operands: &'static str, rule: RuleBy, computes: Computes) -> Row {
    crate::row::row(System::Ncnn, name, 0, operands, F32, rule, computes)
}

pub(crate) static ROWS: &[Row] = &[
    row("BinaryOp", "TT?", RuleBy::Fixed(Rule::ncnn), Computes::OneOf(BINARIES)).with(BINARY),
    row("UnaryOp", "T", RuleBy::Alone, Computes::OneOf(UNARIES)).with(TYPE),
];

/// Layers that files hold and that expressions do not call: `Eltwise` never checks its shapes, and the others hold a list
/// of numbers per channel.
pub(crate) static PARTLY: &[Row] = &[
    row("Eltwise", "T*", RuleBy::Fixed(Rule::none), Computes::OneOf(ELTWISE)).with(TYPE),
    channel("PReLU", "prelu", Wiring::Held { count: "num_slope", absent: 0, from_input: None }, NUM_SLOPE),
    channel("Bias", "add", Wiring::Held { count: "bias_data_size", absent: 0, from_input: None }, BIAS_SIZE),
    channel("Scale", "mul", Wiring::Held { count: "scale_data_size", absent: 0, from_input: Some(-233) }, SCALE_SIZE),
];

/// One number for all channels, or one for each: for each entry of the slowest axis.
const fn channel(name: &'static str, computes: &'static str, wiring: Wiring, attributes: &'static [Attr]) -> Row {
    row(name, "TT?", RuleBy::Fixed(|| Rule::pdpd(0)), op(computes))
        .of_kind(Kind::Channel)
        .wired(wiring)
        .with(attributes)
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

/// Operations of `Eltwise` by number.
const ELTWISE: &[Choice] = &[
    choice(&[When::Number("op_type", 0)], "mul"),
    choice(&[When::Number("op_type", 1)], "add"),
    choice(&[When::Number("op_type", 2)], "max"),
];
