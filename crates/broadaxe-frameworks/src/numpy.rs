//! NumPy: its functions, and the operators of ours that compute them. Dtypes follow from promotion, so that any is accepted.

use broadaxe_shape::Rule;

use crate::{
    arithmetic::op,
    framework::System,
    row::{ANY, Row, row},
    rule::RuleBy,
};

const fn one(name: &'static str, computes: &'static str) -> Row {
    row(System::Numpy, name, 0, "T", ANY, RuleBy::Alone, op(computes))
}

const fn two(name: &'static str, computes: &'static str) -> Row {
    row(System::Numpy, name, 0, "TT", ANY, RuleBy::Fixed(Rule::numpy), op(computes))
}

const fn three(name: &'static str, operands: &'static str, computes: &'static str) -> Row {
    row(System::Numpy, name, 0, operands, ANY, RuleBy::Fixed(Rule::numpy), op(computes))
}

pub(crate) static ROWS: &[Row] = &[
    two("add", "add"),
    two("subtract", "sub"),
    two("multiply", "mul"),
    two("true_divide", "div"),
    two("floor_divide", "div_floor"),
    two("remainder", "mod_floor"),
    two("fmod", "fmod"),
    two("power", "pow"),
    two("maximum", "max"),
    two("minimum", "min"),
    two("fmax", "fmax"),
    two("fmin", "fmin"),
    two("arctan2", "atan2"),
    two("logaddexp", "logaddexp"),
    two("hypot", "hypot"),
    two("copysign", "copysign"),
    two("equal", "equal"),
    two("not_equal", "not_equal"),
    two("less", "less"),
    two("less_equal", "less_equal"),
    two("greater", "greater"),
    two("greater_equal", "greater_equal"),
    two("heaviside", "heaviside"),
    one("isnan", "isnan"),
    one("isinf", "isinf"),
    one("isfinite", "isfinite"),
    two("logical_and", "logical_and"),
    two("logical_or", "logical_or"),
    two("logical_xor", "logical_xor"),
    one("logical_not", "logical_not"),
    two("bitwise_and", "bitwise_and"),
    two("bitwise_or", "bitwise_or"),
    two("bitwise_xor", "bitwise_xor"),
    one("bitwise_not", "bitwise_not"),
    two("left_shift", "shift_left"),
    two("right_shift", "shift_right"),
    three("where", "BTT", "where"),
    three("clip", "TTT", "clamp"),
    one("negative", "neg"),
    one("absolute", "abs"),
    one("sign", "sign"),
    one("square", "square"),
    one("reciprocal", "reciprocal"),
    one("sqrt", "sqrt"),
    one("floor", "floor"),
    one("ceil", "ceil"),
    one("round", "round"),
    one("trunc", "trunc"),
    one("exp", "exp"),
    one("exp2", "exp2"),
    one("expm1", "expm1"),
    one("log", "log"),
    one("log2", "log2"),
    one("log10", "log10"),
    one("log1p", "log1p"),
    one("sin", "sin"),
    one("cos", "cos"),
    one("tan", "tan"),
    one("arcsin", "asin"),
    one("arccos", "acos"),
    one("arctan", "atan"),
    one("sinh", "sinh"),
    one("cosh", "cosh"),
    one("tanh", "tanh"),
    one("arcsinh", "asinh"),
    one("arccosh", "acosh"),
    one("arctanh", "atanh"),
];
