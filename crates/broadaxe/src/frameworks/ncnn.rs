//! ncnn: the layers `BinaryOp` and `UnaryOp`, by the number of their operation.
//!
//! Arrays are row-major: what ncnn writes `[w, h, c]` is the shape `(c, h, w)` here, so that its `[2, 3, 4]` with
//! `[4]` is `(4, 3, 2)` with `(4,)`. Everything is f32, and there is no rank 0: a second operand of one number is the
//! parameter `b` beside `with_scalar=1`, or simply a number in place of an array.

use broadaxe_kernels::DType;

use super::{
    call::{Call, refuse},
    row::{Attr, Build, Row, Values, Way, attr, row},
};
use crate::{
    error::{Error, ErrorKind},
    graph::Node,
};

const F32: &[DType] = &[DType::F32];

const BINARY: &[Attr] =
    &[attr("op_type", Values::Int, "0"), attr("with_scalar", Values::Flag, "0"), attr("b", Values::Float, "0.0")];
const UNARY: &[Attr] = &[attr("op_type", Values::Int, "0")];

pub(super) static ROWS: &[Row] = &[
    row("BinaryOp", 0, "TT?", F32, Way::Rule("ncnn"), Build::Nodes("by op_type", binary)).with(BINARY),
    row("UnaryOp", 0, "T", F32, Way::Alone, Build::Nodes("by op_type", unary)).with(UNARY),
];

/// Operations of `BinaryOp` by number: its name, our operator, whether the operands change places, whether the result
/// is rounded down.
const BINARIES: [(&str, &str, bool, bool); 19] = [
    ("ADD", "add", false, false),
    ("SUB", "sub", false, false),
    ("MUL", "mul", false, false),
    ("DIV", "div", false, false),
    ("MAX", "max", false, false),
    ("MIN", "min", false, false),
    ("POW", "pow", false, false),
    ("RSUB", "sub", true, false),
    ("RDIV", "div", true, false),
    ("RPOW", "pow", true, false),
    ("ATAN2", "atan2", false, false),
    ("RATAN2", "atan2", true, false),
    ("FMOD", "fmod", false, false),
    ("RFMOD", "fmod", true, false),
    ("LOGADDEXP", "logaddexp", false, false),
    ("FLOOR_DIVIDE", "div", false, true),
    ("RFLOOR_DIVIDE", "div", true, true),
    ("REMAINDER", "remainder_ieee", false, false),
    ("RREMAINDER", "remainder_ieee", true, false),
];

/// Operations of `UnaryOp` by number.
const UNARIES: [&str; 20] = [
    "abs",
    "neg",
    "floor",
    "ceil",
    "square",
    "sqrt",
    "rsqrt",
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "reciprocal",
    "tanh",
    "log10",
    "round",
    "trunc",
];

/// Looks the operation up in a list.
fn listed<T: Copy>(call: &Call<'_>, list: &[T]) -> Result<T, Error> {
    let number = call.int("op_type").unwrap_or(0);
    let found = usize::try_from(number).ok().and_then(|number| list.get(number));
    found.copied().ok_or_else(|| {
        let message = format!("op_type={number} is no operation; they go from 0 to {}", list.len() - 1);
        Error::new(ErrorKind::Argument, message)
    })
}

fn binary(call: &mut Call<'_>) -> Result<Node, Error> {
    let (name, op, swapped, floor) = listed(call, &BINARIES)?;
    let nodes = match (&call.nodes[..], call.flag("with_scalar", false)) {
        ([a, b], false) if call.float("b").is_none() => vec![*a, *b],
        ([_, _], _) => {
            let message = format!("{name} takes its second operand as an array or as b, not both");
            return refuse(ErrorKind::Argument, &message);
        }
        ([a], true) => {
            let a = *a;
            let b = call.number(call.float("b").unwrap_or(0.0))?;
            vec![a, b]
        }
        _ => {
            let message = format!("{name} needs a second operand: an array, or with_scalar=1 and b");
            return refuse(ErrorKind::Argument, &message);
        }
    };
    let nodes = if swapped { vec![nodes[1], nodes[0]] } else { nodes };
    // With one operand of the call the other is a number, which has every shape.
    let result = if call.nodes.len() == 1 { call.point(op, &nodes)? } else { call.apply(op, &nodes)? };
    if floor { call.point("floor", &[result]) } else { Ok(result) }
}

fn unary(call: &mut Call<'_>) -> Result<Node, Error> {
    let op = listed(call, &UNARIES)?;
    call.point(op, &[call.nodes[0]])
}
