//! OpenVINO: the element-wise operators of its opsets 1 to 17.
//!
//! `auto_broadcast` is `"numpy"` unless given; `"none"` (also `"explicit"`) wants equal shapes, `"pdpd"` puts the second
//! operand at `axis`, by default -1, as the specification has it. Dtypes must be equal.

use broadaxe_kernels::DType;
use broadaxe_shape::{Params, Rule, Shape};

use super::{
    call::{Call, refuse},
    emit,
    onnx::infinite,
    row::{ANY, Attr, BITS, BOOL, Build, FLOATS, INTEGERS, NUMBERS, Row, Values, Way, attr, row},
};
use crate::{
    error::{Error, ErrorKind},
    graph::Node,
};

const fn two(name: &'static str, since: i64, dtypes: &'static [DType], op: &'static str) -> Row {
    row(name, since, "TT", dtypes, Way::Auto, Build::Op(op))
}

const fn one(name: &'static str, since: i64, dtypes: &'static [DType], op: &'static str) -> Row {
    row(name, since, "T", dtypes, Way::Alone, Build::Op(op))
}

const PYTHON: &[Attr] = &[attr("m_pythondiv", Values::Flag, "True")];
const SELECT: &[Attr] =
    &[attr("auto_broadcast", Values::Words(&["numpy", "none", "pdpd"]), "numpy"), attr("axis", Values::Int, "-1")];
const QUANTIZE: &[Attr] =
    &[attr("levels", Values::Int, ""), attr("auto_broadcast", Values::Words(&["numpy", "none"]), "numpy")];
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

pub(super) static ROWS: &[Row] = &[
    two("Add", 1, NUMBERS, "add"),
    two("Subtract", 1, NUMBERS, "sub"),
    two("Multiply", 1, NUMBERS, "mul"),
    row("Divide", 1, "TT", NUMBERS, Way::Auto, Build::Nodes("div, on integers div_floor or div_trunc", divide))
        .with(PYTHON),
    row("Power", 1, "TT", NUMBERS, Way::Auto, Build::Kinds("pow", "pow_trunc")),
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
    row("Select", 1, "BTT", ANY, Way::Mode("openvino-select"), Build::Nodes("where", select)).with(SELECT),
    row("FakeQuantize", 1, "TTTTT", FLOATS, Way::Mode("openvino-fake-quantize"), Build::Nodes(QUANTIZED, quantize))
        .with(QUANTIZE),
    row("PReLU", 1, "TT", FLOATS, Way::Rule("openvino-prelu"), Build::Op("prelu")),
    row("Broadcast", 1, "T", ANY, Way::Mode("broadcast-to or explicit by mode"), Build::Nodes("broadcast", broadcast))
        .with(BROADCAST_1),
    row(
        "Broadcast",
        3,
        "T",
        ANY,
        Way::Mode("broadcast-to, explicit or bidirectional by mode"),
        Build::Nodes("broadcast", broadcast),
    )
    .with(BROADCAST_3),
    row("Convert", 1, "T", ANY, Way::Alone, Build::Nodes("cast", convert)).with(CONVERT),
    row("ConvertLike", 1, "TX", ANY, Way::Alone, Build::Nodes("cast", convert_like)),
    one("Abs", 1, NUMBERS, "abs"),
    one("Negative", 1, NUMBERS, "neg"),
    one("Sign", 1, NUMBERS, "sign"),
    one("Sqrt", 1, FLOATS, "sqrt"),
    one("Exp", 1, FLOATS, "exp"),
    one("Log", 1, FLOATS, "log"),
    one("Erf", 1, FLOATS, "erf"),
    row("Floor", 1, "T", NUMBERS, Way::Alone, Build::Nodes("floor, integers as they are", |call| whole(call, "floor"))),
    row("Ceiling", 1, "T", NUMBERS, Way::Alone, Build::Nodes("ceil, integers as they are", |call| whole(call, "ceil"))),
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
    row("IsInf", 10, "T", FLOATS, Way::Alone, Build::Nodes("isinf, or equal to one infinity", infinite)).with(INFINITE),
];

const QUANTIZED: &str =
    "low <= x <= high: round((x - low) / (high - low) * (levels - 1)), scaled to the output's range";

/// Integers are divided as Python does unless `m_pythondiv` is false.
fn divide(call: &mut Call<'_>) -> Result<Node, Error> {
    let op = match (call.dtype.is_float(), call.flag("m_pythondiv", true)) {
        (true, _) => "div",
        (false, true) => "div_floor",
        (false, false) => "div_trunc",
    };
    let nodes = call.nodes.clone();
    call.apply(op, &nodes)
}

/// Rounds floats; integers are whole already.
fn whole(call: &mut Call<'_>, op: &str) -> Result<Node, Error> {
    let x = call.nodes[0];
    if call.dtype.is_float() { call.point(op, &[x]) } else { Ok(x) }
}

fn select(call: &mut Call<'_>) -> Result<Node, Error> {
    let mode = Some(call.text("auto_broadcast").unwrap_or("numpy").to_string());
    let rule = Rule::new("openvino-select", Params { mode, axis: call.int("axis"), ..Params::default() })?;
    let nodes = call.nodes.clone();
    emit(call.graph, "where", &rule, &nodes)
}

/// Broadcast takes no values, only a target; `explicit` says where each axis goes.
fn broadcast(call: &mut Call<'_>) -> Result<Node, Error> {
    let target = Some(Shape::new(call.shape("target_shape")?));
    let axes = call.ints("axes_mapping").map(<[i64]>::to_vec);
    let mode = call.text("mode").unwrap_or("numpy");
    let name = match mode {
        "explicit" if axes.is_none() => {
            return refuse(ErrorKind::Argument, "mode=\"explicit\" needs axes_mapping, one target axis per axis");
        }
        "explicit" => "explicit",
        _ if axes.is_some() => return refuse(ErrorKind::Argument, "axes_mapping needs mode=\"explicit\""),
        "bidirectional" => "bidirectional",
        _ => "broadcast-to",
    };
    let rule = Rule::new(name, Params { target, axes, ..Params::default() })?;
    call.graph.broadcast(call.nodes[0], &rule)
}

fn convert(call: &mut Call<'_>) -> Result<Node, Error> {
    let dtype = call.text("destination_type").and_then(DType::from_name);
    match dtype {
        Some(dtype) => Ok(call.graph.cast(call.nodes[0], dtype)),
        None => refuse(ErrorKind::DType, "destination_type names no dtype; write a name such as \"f16\""),
    }
}

fn convert_like(call: &mut Call<'_>) -> Result<Node, Error> {
    let dtype = call.graph.dtype(call.nodes[1]);
    Ok(call.graph.cast(call.nodes[0], dtype))
}

/// Quantizes to levels and back, after the FakeQuantize-1 page: below the lower limit the lower output, above the
/// upper limit the upper one, between them the nearest of `levels` steps.
///
/// The limits only stretch to the first operand's shape. The rule checks that for all five at once; what is left of
/// them broadcasts among itself and to that shape as in NumPy.
fn quantize(call: &mut Call<'_>) -> Result<Node, Error> {
    let [x, low, high, below, above] = call.nodes[..] else {
        return refuse(ErrorKind::Argument, "takes 5 operands");
    };
    let levels = call.int("levels").unwrap_or_default();
    if levels < 2 {
        return refuse(ErrorKind::Argument, &format!("levels={levels} are too few; there are at least 2"));
    }
    let rule = match call.text("auto_broadcast") {
        Some("none") => Rule::new("none", Params::default())?,
        _ => Rule::new("openvino-fake-quantize", Params::default())?,
    };
    let shapes: Vec<&[usize]> = call.nodes.iter().map(|node| call.graph.shape(*node)).collect();
    rule.align(&shapes)?;
    let steps = call.number((levels - 1) as f64)?;
    let (least, most) = (call.point("min", &[low, high])?, call.point("max", &[low, high])?);
    let (under, over) = (call.point("less_equal", &[x, least])?, call.point("greater", &[x, most])?);
    let (width, offset) = (call.point("sub", &[high, low])?, call.point("sub", &[x, low])?);
    let share = call.point("div", &[offset, width])?;
    let scaled = call.point("mul", &[share, steps])?;
    let step = call.point("round", &[scaled])?;
    let share = call.point("div", &[step, steps])?;
    let range = call.point("sub", &[above, below])?;
    let scaled = call.point("mul", &[share, range])?;
    let between = call.point("add", &[scaled, below])?;
    let clipped = call.point("where", &[over, above, between])?;
    call.point("where", &[under, below, clipped])
}
