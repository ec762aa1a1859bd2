//! OpenVINO: the element-wise operators of its opsets 1 to 17.
//!
//! `auto_broadcast` is `"numpy"` unless given; `"none"` (also `"explicit"`) wants equal shapes, `"pdpd"` puts the second
//! operand at `axis`, by default -1, as the specification has it. Dtypes must be equal.

use broadaxe_op::DType;
use broadaxe_shape::Rule;

use crate::{
    arithmetic::{
        Arithmetic, Choice, Computes,
        Recipe::{Broadcast, Cast, CastLike, FakeQuantize, IsInf},
        When, by_kind, choice, choose, op, recipe,
    },
    attribute::{Attr, Values, attr},
    framework::System,
    kind::Kind,
    row::{ANY, BITS, BOOL, FLOATS, INTEGERS, NUMBERS, Row},
    rule::RuleBy,
};

const fn row(
    name: &'static str,
    since: i64,
    operands: &'static str,
    dtypes: &'static [DType],
    rule: RuleBy,
    computes: Computes,
) -> Row {
    crate::row::row(System::Openvino, name, since, operands, dtypes, rule, computes)
}

const fn two(name: &'static str, since: i64, dtypes: &'static [DType], computes: &'static str) -> Row {
    row(name, since, "TT", dtypes, RuleBy::Auto, op(computes))
}

const fn one(name: &'static str, since: i64, dtypes: &'static [DType], computes: &'static str) -> Row {
    row(name, since, "T", dtypes, RuleBy::Alone, op(computes))
}

const PYTHON: &[Attr] = &[attr("m_pythondiv", Values::Flag, "True")];
const LEVELS: &[Attr] = &[attr("levels", Values::Int, "")];
const BROADCAST_1: &[Attr] = &[
    attr("target_shape", Values::Ints, ""),
    attr("axes_mapping", Values::Ints, "none"),
    attr("mode", Values::Words(&["numpy", "explicit"]), "numpy"),
];
const BROADCAST_3: &[Attr] = &[
    attr("target_shape", Values::Ints, ""),
    attr("axes_mapping", Values::Ints, "none"),
    attr("mode", Values::Words(&["numpy", "explicit", "bidirectional"]), "numpy"),
];
const INFINITE: &[Attr] =
    &[attr("detect_negative", Values::Flag, "True"), attr("detect_positive", Values::Flag, "True")];
const CONVERT: &[Attr] = &[attr("destination_type", Values::DType, "")];

/// Integers are divided as Python does unless `m_pythondiv` is false.
const DIVIDE: &[Choice] = &[
    choice(&[When::Floats], "div"),
    choice(&[When::Integers, When::Flag { name: "m_pythondiv", value: true, absent: true }], "div_floor"),
    choice(&[When::Integers, When::Flag { name: "m_pythondiv", value: false, absent: true }], "div_trunc"),
];
/// Integers are whole already.
const FLOOR: &[Choice] = &[choose(&[When::Integers], Arithmetic::Copy), choice(&[When::Floats], "floor")];
const CEILING: &[Choice] = &[choose(&[When::Integers], Arithmetic::Copy), choice(&[When::Floats], "ceil")];

pub(crate) static OPENVINO_ROWS: &[Row] = &[
    two("Add", 1, NUMBERS, "add"),
    two("Subtract", 1, NUMBERS, "sub"),
    two("Multiply", 1, NUMBERS, "mul"),
    row("Divide", 1, "TT", NUMBERS, RuleBy::Auto, Computes::OneOf(DIVIDE)).with(PYTHON),
    row("Power", 1, "TT", NUMBERS, RuleBy::Auto, by_kind("pow", "pow_trunc")),
    two("Maximum", 1, NUMBERS, "max"),
    two("Minimum", 1, NUMBERS, "min"),
    two("Mod", 1, NUMBERS, "fmod"),
    two("FloorMod", 1, NUMBERS, "mod_floor"),
    two("SquaredDifference", 1, NUMBERS, "squared_difference"),
    two("Equal", 1, ANY, "equal"),
    two("NotEqual", 1, ANY, "not_equal"),
    two("Less", 1, ANY, "less"),
    two("LessEqual", 1, ANY, "less_equal"),
    two("Greater", 1, ANY, "greater"),
    two("GreaterEqual", 1, ANY, "greater_equal"),
    two("LogicalAnd", 1, BOOL, "logical_and"),
    two("LogicalOr", 1, BOOL, "logical_or"),
    two("LogicalXor", 1, BOOL, "logical_xor"),
    two("Xor", 1, BOOL, "logical_xor"),
    one("LogicalNot", 1, BOOL, "logical_not"),
    two("BitwiseAnd", 13, BITS, "bitwise_and"),
    two("BitwiseOr", 13, BITS, "bitwise_or"),
    two("BitwiseXor", 13, BITS, "bitwise_xor"),
    one("BitwiseNot", 13, BITS, "bitwise_not"),
    two("BitwiseLeftShift", 15, INTEGERS, "shift_left_mod"),
    two("BitwiseRightShift", 15, INTEGERS, "shift_right_mod"),
    two("Atan2", 17, FLOATS, "atan2"),
    row("Select", 1, "BTT", ANY, RuleBy::AutoSelect, op("where")),
    row("FakeQuantize", 1, "TTTTT", FLOATS, RuleBy::AutoQuantize, recipe(FakeQuantize))
        .with(LEVELS)
        .of_kind(Kind::Quantize),
    row("PReLU", 1, "TT", FLOATS, RuleBy::Fixed(Rule::openvino_prelu), op("prelu")).of_kind(Kind::Slope),
    row("Broadcast", 1, "T", ANY, RuleBy::Stretch, recipe(Broadcast)).with(BROADCAST_1).of_kind(Kind::Stretch),
    row("Broadcast", 3, "T", ANY, RuleBy::Stretch, recipe(Broadcast)).with(BROADCAST_3).of_kind(Kind::Stretch),
    row("Convert", 1, "T", ANY, RuleBy::Alone, recipe(Cast)).with(CONVERT),
    row("ConvertLike", 1, "TX", ANY, RuleBy::Alone, recipe(CastLike)),
    one("Abs", 1, NUMBERS, "abs"),
    one("Negative", 1, NUMBERS, "neg"),
    one("Sign", 1, NUMBERS, "sign"),
    one("Sqrt", 1, FLOATS, "sqrt"),
    one("Exp", 1, FLOATS, "exp"),
    one("Log", 1, FLOATS, "log"),
    one("Erf", 1, FLOATS, "erf"),
    row("Floor", 1, "T", NUMBERS, RuleBy::Alone, Computes::OneOf(FLOOR)),
    row("Ceiling", 1, "T", NUMBERS, RuleBy::Alone, Computes::OneOf(CEILING)),
    one("Sin", 1, FLOATS, "sin"),
    one("Cos", 1, FLOATS, "cos"),
    one("Tan", 1, FLOATS, "tan"),
    one("Asin", 1, FLOATS, "asin"),
    one("Acos", 1, FLOATS, "acos"),
    one("Atan", 1, FLOATS, "atan"),
    one("Sinh", 1, FLOATS, "sinh"),
    one("Cosh", 1, FLOATS, "cosh"),
    one("Tanh", 1, FLOATS, "tanh"),
    one("Asinh", 4, FLOATS, "asinh"),
    one("Acosh", 4, FLOATS, "acosh"),
    one("Atanh", 4, FLOATS, "atanh"),
    one("IsFinite", 10, FLOATS, "isfinite"),
    one("IsNaN", 10, FLOATS, "isnan"),
    row("IsInf", 10, "T", FLOATS, RuleBy::Alone, recipe(IsInf)).with(INFINITE),
];
