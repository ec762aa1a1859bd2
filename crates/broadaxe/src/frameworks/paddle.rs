//! PaddlePaddle: the legacy `elementwise_*` operators with `axis`, and the public functions, which follow NumPy.
//!
//! The legacy operators place the operand of lower rank, whichever it is, at `axis`; both may stretch. Their division
//! of integers truncates and keeps the dtype; `paddle.divide` of integers gives f32.

use broadaxe_kernels::DType;

use super::{
    call::Call,
    row::{Build, Row, Way, row},
};
use crate::{error::Error, graph::Node};

use DType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8};

const ADDED: &[DType] = &[Bool, I8, I16, I32, I64, U8, F16, BF16, F32, F64];
const DIVIDED: &[DType] = &[I8, I16, I32, I64, U8, F16, BF16, F32, F64];
const SUBTRACTED: &[DType] = &[I16, I32, I64, F16, BF16, F32, F64];
const MULTIPLIED: &[DType] = &[Bool, I32, I64, F16, BF16, F32, F64];
const WIDE: &[DType] = &[I32, I64, F16, BF16, F32, F64];
const BITWISE: &[DType] = &[Bool, I8, I16, I32, I64, U8];
const SHIFTED: &[DType] = &[I8, I16, I32, I64, U8];

const LEGACY: Way = Way::Paddle;
const NUMPY: Way = Way::Rule("numpy");

const fn two(name: &'static str, dtypes: &'static [DType], way: Way, op: &'static str) -> Row {
    row(name, 0, "TT", dtypes, way, Build::Op(op))
}

const fn kinds(
    name: &'static str,
    dtypes: &'static [DType],
    way: Way,
    floats: &'static str,
    integers: &'static str,
) -> Row {
    row(name, 0, "TT", dtypes, way, Build::Kinds(floats, integers))
}

const fn logical(name: &'static str, operands: &'static str, build: Build) -> Row {
    row(name, 0, operands, ADDED, NUMPY, build)
}

pub(super) static ROWS: &[Row] = &[
    two("elementwise_add", ADDED, LEGACY, "add"),
    two("elementwise_sub", SUBTRACTED, LEGACY, "sub"),
    two("elementwise_mul", MULTIPLIED, LEGACY, "mul"),
    kinds("elementwise_div", DIVIDED, LEGACY, "div", "div_trunc"),
    two("elementwise_max", WIDE, LEGACY, "max"),
    two("elementwise_min", WIDE, LEGACY, "min"),
    two("elementwise_fmax", WIDE, LEGACY, "fmax"),
    two("elementwise_fmin", WIDE, LEGACY, "fmin"),
    kinds("elementwise_pow", WIDE, LEGACY, "pow", "pow_trunc"),
    two("elementwise_mod", WIDE, LEGACY, "mod_floor"),
    two("elementwise_floordiv", DIVIDED, LEGACY, "div_floor"),
    two("add", ADDED, NUMPY, "add"),
    two("subtract", SUBTRACTED, NUMPY, "sub"),
    two("multiply", MULTIPLIED, NUMPY, "mul"),
    row("divide", 0, "TT", ADDED, NUMPY, Build::Nodes("div, integers and bool in f32", divide)),
    two("floor_divide", DIVIDED, NUMPY, "div_floor"),
    two("remainder", WIDE, NUMPY, "mod_floor"),
    two("mod", WIDE, NUMPY, "mod_floor"),
    two("floor_mod", WIDE, NUMPY, "mod_floor"),
    kinds("pow", WIDE, NUMPY, "pow", "pow_trunc"),
    two("maximum", WIDE, NUMPY, "max"),
    two("minimum", WIDE, NUMPY, "min"),
    two("fmax", WIDE, NUMPY, "fmax"),
    two("fmin", WIDE, NUMPY, "fmin"),
    two("equal", ADDED, NUMPY, "equal"),
    two("not_equal", ADDED, NUMPY, "not_equal"),
    two("less_than", ADDED, NUMPY, "less"),
    two("less_equal", ADDED, NUMPY, "less_equal"),
    two("greater_than", ADDED, NUMPY, "greater"),
    two("greater_equal", ADDED, NUMPY, "greater_equal"),
    two("bitwise_and", BITWISE, NUMPY, "bitwise_and"),
    two("bitwise_or", BITWISE, NUMPY, "bitwise_or"),
    two("bitwise_xor", BITWISE, NUMPY, "bitwise_xor"),
    row("bitwise_not", 0, "T", BITWISE, Way::Alone, Build::Op("bitwise_not")),
    two("bitwise_left_shift", SHIFTED, NUMPY, "shift_left"),
    two("bitwise_right_shift", SHIFTED, NUMPY, "shift_right"),
    logical("logical_and", "TT", Build::Nodes("logical_and", |call| truth(call, "logical_and"))),
    logical("logical_or", "TT", Build::Nodes("logical_or", |call| truth(call, "logical_or"))),
    logical("logical_xor", "TT", Build::Nodes("logical_xor", |call| truth(call, "logical_xor"))),
    logical("logical_not", "T", Build::Nodes("logical_not", |call| truth(call, "logical_not"))),
];

/// Integers and bool divide in f32, as in `paddle.divide`.
fn divide(call: &mut Call<'_>) -> Result<Node, Error> {
    let mut nodes = call.nodes.clone();
    if !call.dtype.is_float() {
        for node in &mut nodes {
            *node = call.graph.cast(*node, F32);
        }
    }
    call.apply("div", &nodes)
}

/// Everything that is not zero is true.
fn truth(call: &mut Call<'_>, op: &str) -> Result<Node, Error> {
    let nodes: Vec<Node> = call.nodes.clone().into_iter().map(|node| call.graph.cast(node, Bool)).collect();
    call.apply(op, &nodes)
}
