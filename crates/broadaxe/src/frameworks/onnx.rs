//! ONNX: the element-wise operators of every opset from 1 to 28.
//!
//! From opset 7 on operands broadcast as in NumPy ("multidirectional"), but for `PRelu`, where only the slope may.
//! Before it they are equal, or `broadcast=1` puts the second onto a run of the first's axes. Before opset 8 Max, Min,
//! Sum and Mean want equal shapes. dtypes and opsets are those of the operator schemas of `onnx` 1.23.

use broadaxe_kernels::DType;
use broadaxe_shape::{Params, Rule, Shape};

use super::{
    call::{Call, refuse},
    row::{ANY, Attr, BOOL, Build, FLOATS, INTEGERS, NUMBERS, Row, Values, Way, attr, row},
};
use crate::{
    error::{Error, ErrorKind},
    graph::Node,
    promote::Literal,
};

use DType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// The floats before bf16 came.
pub(super) const OLD_FLOATS: &[DType] = &[F16, F32, F64];
/// The numbers of opsets 6 to 12, and with bf16 in 13.
const OLD: &[DType] = &[I32, I64, U32, U64, F16, F32, F64];
const OLD_13: &[DType] = &[I32, I64, U32, U64, F16, BF16, F32, F64];
/// All numbers, and all dtypes, but bf16.
pub(super) const NUMBERS_12: &[DType] = &[I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64];
const ANY_12: &[DType] = &[Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64];
const SIGNED: &[DType] = &[I8, I16, I32, I64, F16, F32, F64];
const SIGNED_13: &[DType] = &[I8, I16, I32, I64, F16, BF16, F32, F64];
const EQUAL: &[DType] = &[Bool, I32, I64];
const BASES: &[DType] = &[I32, I64, F16, F32, F64];
const BASES_13: &[DType] = &[I32, I64, F16, BF16, F32, F64];
const UNSIGNED: &[DType] = &[U8, U16, U32, U64];
const WIDE: &[DType] = &[F32, F64];

const MULTI: Way = Way::Rule("numpy");
const EQUALS: Way = Way::Rule("none");
const ALONE: Way = Way::Alone;

const fn two(name: &'static str, since: i64, dtypes: &'static [DType], way: Way, op: &'static str) -> Row {
    row(name, since, "TT", dtypes, way, Build::Op(op))
}

const fn many(name: &'static str, since: i64, dtypes: &'static [DType], way: Way, op: &'static str) -> Row {
    row(name, since, "T*", dtypes, way, Build::Op(op))
}

const fn one(name: &'static str, since: i64, dtypes: &'static [DType], op: &'static str) -> Row {
    row(name, since, "T", dtypes, ALONE, Build::Op(op))
}

const fn div(since: i64, dtypes: &'static [DType], way: Way) -> Row {
    row("Div", since, "TT", dtypes, way, Build::Kinds("div", "div_trunc"))
}

const fn modulo(since: i64, dtypes: &'static [DType]) -> Row {
    row("Mod", since, "TT", dtypes, MULTI, Build::Nodes("mod_floor, or fmod by fmod=1", remainder))
        .with(const { &[attr("fmod", Values::Flag, "0")] })
}

const fn pow(since: i64, dtypes: &'static [DType], exponents: &'static [DType]) -> Row {
    row("Pow", since, "TS", dtypes, MULTI, Build::Nodes("pow, on integers pow_trunc", power)).second(exponents)
}

const fn shift(since: i64, dtypes: &'static [DType]) -> Row {
    row("BitShift", since, "TT", dtypes, MULTI, Build::Nodes("shift_left or shift_right by direction", bit_shift))
        .with(const { &[attr("direction", Values::Words(&["LEFT", "RIGHT"]), "")] })
}

const fn choose(since: i64, dtypes: &'static [DType]) -> Row {
    row("Where", since, "BTT", dtypes, MULTI, Build::Op("where"))
}

const fn expand(since: i64, dtypes: &'static [DType]) -> Row {
    row("Expand", since, "T", dtypes, Way::Mode("bidirectional"), Build::Nodes("broadcast", expanded))
        .with(const { &[attr("shape", Values::Ints, "")] })
}

const fn prelu(since: i64, dtypes: &'static [DType]) -> Row {
    row("PRelu", since, "TT", dtypes, Way::Rule("unidirectional"), Build::Op("prelu"))
}

const fn clip(since: i64, dtypes: &'static [DType]) -> Row {
    row("Clip", since, "TT?T?", dtypes, ALONE, Build::Nodes("clamp", clipped))
}

const fn clip_by_attributes(since: i64, bounds: &'static [Attr]) -> Row {
    row("Clip", since, "T", OLD_FLOATS, ALONE, Build::Nodes("clamp", clipped)).with(bounds)
}

const NO_BOUNDS: &[Attr] = &[attr("min", Values::Float, "none"), attr("max", Values::Float, "none")];
/// From opset 6 to 10 an absent bound is the largest f32, to which infinities are cut.
const LARGEST: &[Attr] = &[attr("min", Values::Float, "-3.4028235e38"), attr("max", Values::Float, "3.4028235e38")];

const fn cast(since: i64, dtypes: &'static [DType], attributes: &'static [Attr]) -> Row {
    row("Cast", since, "T", dtypes, ALONE, Build::Nodes("cast", casted)).with(attributes)
}

const fn cast_as(since: i64, attributes: &'static [Attr]) -> Row {
    row("CastLike", since, "TX", ANY, ALONE, Build::Nodes("cast", cast_like)).with(attributes)
}

const TO: Attr = attr("to", Values::DType, "");
/// How numbers become floats of 8 bits, which arrays have not here.
const SATURATE: Attr = attr("saturate", Values::Flag, "1");
const ROUND_MODE: Attr = attr("round_mode", Values::Words(&["up", "down", "nearest"]), "up");

const fn isinf(since: i64, dtypes: &'static [DType]) -> Row {
    row("IsInf", since, "T", dtypes, ALONE, Build::Nodes("isinf, or equal to one infinity", infinite))
        .with(const { &[attr("detect_negative", Values::Flag, "1"), attr("detect_positive", Values::Flag, "1")] })
}

pub(super) static ROWS: &[Row] = &[
    two("Add", 1, OLD_FLOATS, Way::Legacy, "add"),
    two("Add", 6, OLD, Way::Legacy, "add"),
    two("Add", 7, OLD, MULTI, "add"),
    two("Add", 13, OLD_13, MULTI, "add"),
    two("Add", 14, NUMBERS, MULTI, "add"),
    two("Sub", 1, OLD_FLOATS, Way::Legacy, "sub"),
    two("Sub", 6, OLD, Way::Legacy, "sub"),
    two("Sub", 7, OLD, MULTI, "sub"),
    two("Sub", 13, OLD_13, MULTI, "sub"),
    two("Sub", 14, NUMBERS, MULTI, "sub"),
    two("Mul", 1, OLD_FLOATS, Way::Legacy, "mul"),
    two("Mul", 6, OLD, Way::Legacy, "mul"),
    two("Mul", 7, OLD, MULTI, "mul"),
    two("Mul", 13, OLD_13, MULTI, "mul"),
    two("Mul", 14, NUMBERS, MULTI, "mul"),
    div(1, OLD_FLOATS, Way::Legacy),
    div(6, OLD, Way::Legacy),
    div(7, OLD, MULTI),
    div(13, OLD_13, MULTI),
    div(14, NUMBERS, MULTI),
    modulo(10, NUMBERS_12),
    modulo(13, NUMBERS),
    modulo(28, NUMBERS),
    two("Pow", 1, OLD_FLOATS, Way::Legacy, "pow"),
    two("Pow", 7, OLD_FLOATS, MULTI, "pow"),
    pow(12, BASES, NUMBERS_12),
    pow(13, BASES_13, NUMBERS_12),
    pow(15, BASES_13, NUMBERS),
    many("Max", 1, OLD_FLOATS, EQUALS, "max"),
    many("Max", 8, OLD_FLOATS, MULTI, "max"),
    many("Max", 12, NUMBERS_12, MULTI, "max"),
    many("Max", 13, NUMBERS, MULTI, "max"),
    many("Min", 1, OLD_FLOATS, EQUALS, "min"),
    many("Min", 8, OLD_FLOATS, MULTI, "min"),
    many("Min", 12, NUMBERS_12, MULTI, "min"),
    many("Min", 13, NUMBERS, MULTI, "min"),
    many("Sum", 1, OLD_FLOATS, EQUALS, "sum"),
    many("Sum", 8, OLD_FLOATS, MULTI, "sum"),
    many("Sum", 13, FLOATS, MULTI, "sum"),
    many("Mean", 1, OLD_FLOATS, EQUALS, "mean"),
    many("Mean", 8, OLD_FLOATS, MULTI, "mean"),
    many("Mean", 13, FLOATS, MULTI, "mean"),
    two("Equal", 1, EQUAL, Way::Legacy, "equal"),
    two("Equal", 7, EQUAL, MULTI, "equal"),
    two("Equal", 11, ANY_12, MULTI, "equal"),
    two("Equal", 13, ANY, MULTI, "equal"),
    two("Greater", 1, OLD_FLOATS, Way::Legacy, "greater"),
    two("Greater", 7, OLD_FLOATS, MULTI, "greater"),
    two("Greater", 9, NUMBERS_12, MULTI, "greater"),
    two("Greater", 13, NUMBERS, MULTI, "greater"),
    two("Less", 1, OLD_FLOATS, Way::Legacy, "less"),
    two("Less", 7, OLD_FLOATS, MULTI, "less"),
    two("Less", 9, NUMBERS_12, MULTI, "less"),
    two("Less", 13, NUMBERS, MULTI, "less"),
    two("GreaterOrEqual", 12, NUMBERS_12, MULTI, "greater_equal"),
    two("GreaterOrEqual", 16, NUMBERS, MULTI, "greater_equal"),
    two("LessOrEqual", 12, NUMBERS_12, MULTI, "less_equal"),
    two("LessOrEqual", 16, NUMBERS, MULTI, "less_equal"),
    two("And", 1, BOOL, Way::Legacy, "logical_and"),
    two("And", 7, BOOL, MULTI, "logical_and"),
    two("Or", 1, BOOL, Way::Legacy, "logical_or"),
    two("Or", 7, BOOL, MULTI, "logical_or"),
    two("Xor", 1, BOOL, Way::Legacy, "logical_xor"),
    two("Xor", 7, BOOL, MULTI, "logical_xor"),
    one("Not", 1, BOOL, "logical_not"),
    two("BitwiseAnd", 18, INTEGERS, MULTI, "bitwise_and"),
    two("BitwiseOr", 18, INTEGERS, MULTI, "bitwise_or"),
    two("BitwiseXor", 18, INTEGERS, MULTI, "bitwise_xor"),
    one("BitwiseNot", 18, INTEGERS, "bitwise_not"),
    shift(11, UNSIGNED),
    shift(28, INTEGERS),
    choose(9, ANY_12),
    choose(16, ANY),
    expand(8, ANY_12),
    expand(13, ANY),
    row("PRelu", 1, "TT", OLD_FLOATS, Way::Rule("onnx-legacy"), Build::Nodes("prelu", prelu_by_channel)),
    prelu(7, OLD_FLOATS),
    prelu(9, OLD),
    prelu(16, OLD_13),
    clip_by_attributes(1, NO_BOUNDS),
    clip_by_attributes(6, LARGEST),
    clip(11, OLD_FLOATS),
    clip(12, NUMBERS_12),
    clip(13, NUMBERS),
    one("Abs", 1, OLD_FLOATS, "abs"),
    one("Abs", 6, NUMBERS_12, "abs"),
    one("Abs", 13, NUMBERS, "abs"),
    one("Neg", 1, OLD_FLOATS, "neg"),
    one("Neg", 6, SIGNED, "neg"),
    one("Neg", 13, SIGNED_13, "neg"),
    one("Sign", 9, NUMBERS_12, "sign"),
    one("Sign", 13, NUMBERS, "sign"),
    one("Exp", 1, OLD_FLOATS, "exp"),
    one("Exp", 13, FLOATS, "exp"),
    one("Log", 1, OLD_FLOATS, "log"),
    one("Log", 13, FLOATS, "log"),
    one("Sqrt", 1, OLD_FLOATS, "sqrt"),
    one("Sqrt", 13, FLOATS, "sqrt"),
    one("Reciprocal", 1, OLD_FLOATS, "reciprocal"),
    one("Reciprocal", 13, FLOATS, "reciprocal"),
    one("Floor", 1, OLD_FLOATS, "floor"),
    one("Floor", 13, FLOATS, "floor"),
    one("Ceil", 1, OLD_FLOATS, "ceil"),
    one("Ceil", 13, FLOATS, "ceil"),
    one("Round", 11, OLD_FLOATS, "round"),
    one("Round", 22, FLOATS, "round"),
    one("Sin", 7, OLD_FLOATS, "sin"),
    one("Sin", 22, FLOATS, "sin"),
    one("Cos", 7, OLD_FLOATS, "cos"),
    one("Cos", 22, FLOATS, "cos"),
    one("Tan", 7, OLD_FLOATS, "tan"),
    one("Tan", 22, FLOATS, "tan"),
    one("Asin", 7, OLD_FLOATS, "asin"),
    one("Asin", 22, FLOATS, "asin"),
    one("Acos", 7, OLD_FLOATS, "acos"),
    one("Acos", 22, FLOATS, "acos"),
    one("Atan", 7, OLD_FLOATS, "atan"),
    one("Atan", 22, FLOATS, "atan"),
    one("Sinh", 9, OLD_FLOATS, "sinh"),
    one("Sinh", 22, FLOATS, "sinh"),
    one("Cosh", 9, OLD_FLOATS, "cosh"),
    one("Cosh", 22, FLOATS, "cosh"),
    one("Tanh", 1, OLD_FLOATS, "tanh"),
    one("Tanh", 13, FLOATS, "tanh"),
    one("Asinh", 9, OLD_FLOATS, "asinh"),
    one("Asinh", 22, FLOATS, "asinh"),
    one("Acosh", 9, OLD_FLOATS, "acosh"),
    one("Acosh", 22, FLOATS, "acosh"),
    one("Atanh", 9, OLD_FLOATS, "atanh"),
    one("Atanh", 22, FLOATS, "atanh"),
    row("Erf", 9, "T", NUMBERS_12, ALONE, Build::Nodes("erf, on integers in f64", error_function)),
    one("Erf", 13, FLOATS, "erf"),
    one("IsNaN", 9, OLD_FLOATS, "isnan"),
    one("IsNaN", 13, FLOATS, "isnan"),
    isinf(10, WIDE),
    isinf(20, FLOATS),
    row("Identity", 1, "T", ANY_12, ALONE, Build::Nodes("-", same)),
    row("Identity", 13, "T", ANY, ALONE, Build::Nodes("-", same)),
    cast(1, ANY_12, &[TO]),
    cast(13, ANY, &[TO]),
    cast(19, ANY, &[TO, SATURATE]),
    cast(24, ANY, &[TO, SATURATE, ROUND_MODE]),
    cast_as(15, &[]),
    cast_as(19, &[SATURATE]),
    cast_as(24, &[SATURATE, ROUND_MODE]),
];

/// Before opset 28 floats need `fmod=1`.
fn remainder(call: &mut Call<'_>) -> Result<Node, Error> {
    let fmod = call.flag("fmod", false);
    if call.dtype.is_float() && !fmod && call.opset < 28 {
        return refuse(ErrorKind::Argument, "floats need fmod=1; opset 28 and newer take fmod=0 as well");
    }
    let nodes = call.nodes.clone();
    call.apply(if fmod { "fmod" } else { "mod_floor" }, &nodes)
}

/// The result has the base's dtype. Operands of two dtypes meet where both are exact: integers in 64 bits (unsigned
/// exponents unsigned, which wraps to the same low bits), anything with a float in f64.
fn power(call: &mut Call<'_>) -> Result<Node, Error> {
    let [base, exponent] = call.nodes[..] else { return refuse(ErrorKind::Argument, "takes 2 operands") };
    let (from, to) = (call.graph.dtype(exponent), call.dtype);
    let op = if to.is_integer() && from.is_integer() { "pow_trunc" } else { "pow" };
    if from == to {
        return call.apply(op, &[base, exponent]);
    }
    let meet = match op {
        "pow" => F64,
        _ if from.is_signed() => I64,
        _ => U64,
    };
    let (base, exponent) = (call.graph.cast(base, meet), call.graph.cast(exponent, meet));
    let wide = call.apply(op, &[base, exponent])?;
    Ok(call.graph.cast(wide, to))
}

fn bit_shift(call: &mut Call<'_>) -> Result<Node, Error> {
    let left = call.text("direction") == Some("LEFT");
    let nodes = call.nodes.clone();
    call.apply(if left { "shift_left" } else { "shift_right" }, &nodes)
}

fn expanded(call: &mut Call<'_>) -> Result<Node, Error> {
    let target = Some(Shape::new(call.shape("shape")?));
    let rule = Rule::new("bidirectional", Params { target, ..Params::default() })?;
    call.graph.broadcast(call.nodes[0], &rule)
}

/// Opsets 1 and 6 share one slope, or give one to each channel: axis 1.
fn prelu_by_channel(call: &mut Call<'_>) -> Result<Node, Error> {
    let rule = Rule::new("onnx-legacy", Params { axis: Some(1), ..Params::default() })?;
    let nodes = call.nodes.clone();
    super::emit(call.graph, "prelu", &rule, &nodes)
}

/// Until opset 12 integers are taken too; the result goes back to their dtype.
fn error_function(call: &mut Call<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    if call.dtype.is_float() {
        return call.point("erf", &[x]);
    }
    let wide = call.graph.cast(x, F64);
    let value = call.point("erf", &[wide])?;
    Ok(call.graph.cast(value, call.dtype))
}

/// Bounds are of rank 0; one left out is the dtype's own, or the largest f32 where bounds are attributes with defaults.
fn clipped(call: &mut Call<'_>) -> Result<Node, Error> {
    for (index, bound) in call.nodes.clone().into_iter().enumerate().skip(1) {
        let shape = Shape::new(call.graph.shape(bound));
        if !shape.dims().is_empty() {
            let message = format!("bound {index} has the shape {shape}; bounds have rank 0, the shape ()");
            return refuse(ErrorKind::Shape, &message);
        }
    }
    let x = call.nodes[0];
    let default = |value: f32| (6..11).contains(&call.opset).then_some(f64::from(value));
    let (min, max) = (call.float("min").or(default(f32::MIN)), call.float("max").or(default(f32::MAX)));
    let low = match (call.nodes.get(1), min) {
        (Some(low), _) => Some(*low),
        (None, Some(min)) => Some(call.number(f64::from(min as f32))?),
        (None, None) => None,
    };
    let high = match (call.nodes.get(2), max) {
        (Some(high), _) => Some(*high),
        (None, Some(max)) => Some(call.number(f64::from(max as f32))?),
        (None, None) => None,
    };
    match (low, high) {
        (Some(low), Some(high)) => call.point("clamp", &[x, low, high]),
        (Some(low), None) => call.point("max", &[x, low]),
        (None, Some(high)) => call.point("min", &[x, high]),
        (None, None) => Ok(x),
    }
}

/// The numbers are those of `TensorProto.DataType`.
fn casted(call: &mut Call<'_>) -> Result<Node, Error> {
    let numbers = [
        (1, F32),
        (2, U8),
        (3, I8),
        (4, U16),
        (5, I16),
        (6, I32),
        (7, I64),
        (9, Bool),
        (10, F16),
        (11, F64),
        (12, U32),
        (13, U64),
        (16, BF16),
    ];
    let dtype = match (call.int("to"), call.text("to")) {
        (Some(number), _) => numbers.iter().find(|(known, _)| *known == number).map(|(_, dtype)| *dtype),
        (_, Some(name)) => DType::from_name(name),
        _ => None,
    };
    match dtype {
        Some(dtype) => Ok(call.graph.cast(call.nodes[0], dtype)),
        None => refuse(ErrorKind::DType, "to names no dtype that arrays have here; write a name such as \"f16\""),
    }
}

fn cast_like(call: &mut Call<'_>) -> Result<Node, Error> {
    let dtype = call.graph.dtype(call.nodes[1]);
    Ok(call.graph.cast(call.nodes[0], dtype))
}

/// Finds infinities of the signs asked for.
pub(super) fn infinite(call: &mut Call<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let sign = match (call.flag("detect_negative", true), call.flag("detect_positive", true)) {
        (true, true) => return call.point("isinf", &[x]),
        (true, false) => f64::NEG_INFINITY,
        (false, true) => f64::INFINITY,
        (false, false) => {
            let any = call.point("isinf", &[x])?;
            return call.point("logical_xor", &[any, any]);
        }
    };
    let sign = super::constant(call.graph, Literal::Float(sign), call.dtype)?;
    call.point("equal", &[x, sign])
}

/// Returns the operand as it is.
fn same(call: &mut Call<'_>) -> Result<Node, Error> {
    Ok(call.nodes[0])
}
