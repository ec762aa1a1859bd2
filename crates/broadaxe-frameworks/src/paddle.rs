//! PaddlePaddle: the legacy `elementwise_*` operators with `axis`, and the public functions, which follow NumPy.
//!
//! The legacy operators place the operand of lower rank, whichever it is, at `axis`; both may stretch. Their division
//! of integers truncates and keeps the dtype; `paddle.divide` of integers gives f32.

use broadaxe_op::DType;
use broadaxe_shape::Rule;

use crate::{
    arithmetic::{Choice, Computes, Recipe, When, by_kind, choice, op, recipe},
    framework::System,
    kind::Kind,
    row::{ANY, FLOATS, Row},
    rule::RuleBy,
};

use DType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8};

const ADDED: &[DType] = &[Bool, I8, I16, I32, I64, U8, F16, BF16, F32, F64];
const DIVIDED: &[DType] = &[I8, I16, I32, I64, U8, F16, BF16, F32, F64];
const SUBTRACTED: &[DType] = &[I16, I32, I64, F16, BF16, F32, F64];
const MULTIPLIED: &[DType] = &[Bool, I32, I64, F16, BF16, F32, F64];
const INTS_OR_FLOATS: &[DType] = &[I32, I64, F16, BF16, F32, F64];
const BITWISE: &[DType] = &[Bool, I8, I16, I32, I64, U8];
const SHIFTED: &[DType] = &[I8, I16, I32, I64, U8];

const AXIS: RuleBy = RuleBy::Paddle;
const NUMPY: RuleBy = RuleBy::Fixed(Rule::numpy);

const fn row(
    name: &'static str,
    operands: &'static str,
    dtypes: &'static [DType],
    rule: RuleBy,
    computes: Computes,
) -> Row {
    crate::row::row(System::Paddle, name, 0, operands, dtypes, rule, computes)
}

const fn two(name: &'static str, dtypes: &'static [DType], rule: RuleBy, computes: &'static str) -> Row {
    row(name, "TT", dtypes, rule, op(computes))
}

const fn kinds(
    name: &'static str,
    dtypes: &'static [DType],
    rule: RuleBy,
    floats: &'static str,
    integers: &'static str,
) -> Row {
    row(name, "TT", dtypes, rule, by_kind(floats, integers))
}

/// Integers and bool divide in f32, as in `paddle.divide`.
const DIVIDE_IN_F32: &[Choice] = &[choice(&[When::Floats], "div"), choice(&[When::Integers], "div").cast(F32)];
/// Integers are converted to f64.
const ATAN2: &[Choice] = &[choice(&[When::Floats], "atan2"), choice(&[When::Integers], "atan2").cast(F64)];
/// Everything that is not zero is true.
const AND: &[Choice] = &[choice(&[], "logical_and").cast(Bool)];
const OR: &[Choice] = &[choice(&[], "logical_or").cast(Bool)];
const XOR: &[Choice] = &[choice(&[], "logical_xor").cast(Bool)];
const NOT: &[Choice] = &[choice(&[], "logical_not").cast(Bool)];

pub(crate) static PADDLE_ROWS: &[Row] = &[
    two("elementwise_add", ADDED, AXIS, "add"),
    two("elementwise_sub", SUBTRACTED, AXIS, "sub"),
    two("elementwise_mul", MULTIPLIED, AXIS, "mul"),
    kinds("elementwise_div", DIVIDED, AXIS, "div", "div_trunc"),
    two("elementwise_max", INTS_OR_FLOATS, AXIS, "max"),
    two("elementwise_min", INTS_OR_FLOATS, AXIS, "min"),
    two("elementwise_fmax", INTS_OR_FLOATS, AXIS, "fmax"),
    two("elementwise_fmin", INTS_OR_FLOATS, AXIS, "fmin"),
    kinds("elementwise_pow", INTS_OR_FLOATS, AXIS, "pow", "pow_trunc"),
    two("elementwise_mod", INTS_OR_FLOATS, AXIS, "mod_floor"),
    two("elementwise_floordiv", DIVIDED, AXIS, "div_floor"),
    two("add", ADDED, NUMPY, "add"),
    two("subtract", SUBTRACTED, NUMPY, "sub"),
    two("multiply", MULTIPLIED, NUMPY, "mul"),
    row("divide", "TT", ADDED, NUMPY, Computes::OneOf(DIVIDE_IN_F32)),
    two("floor_divide", DIVIDED, NUMPY, "div_floor"),
    two("remainder", INTS_OR_FLOATS, NUMPY, "mod_floor"),
    two("mod", INTS_OR_FLOATS, NUMPY, "mod_floor"),
    two("floor_mod", INTS_OR_FLOATS, NUMPY, "mod_floor"),
    kinds("pow", INTS_OR_FLOATS, NUMPY, "pow", "pow_trunc"),
    two("maximum", INTS_OR_FLOATS, NUMPY, "max"),
    two("minimum", INTS_OR_FLOATS, NUMPY, "min"),
    two("fmax", INTS_OR_FLOATS, NUMPY, "fmax"),
    two("fmin", INTS_OR_FLOATS, NUMPY, "fmin"),
    two("heaviside", &[F32, F64], NUMPY, "heaviside"),
    row("atan2", "TT", &[I32, I64, F16, BF16, F32, F64], NUMPY, Computes::OneOf(ATAN2)),
    two("copysign", FLOATS, NUMPY, "copysign"),
    two("nextafter", &[F32, F64], NUMPY, "nextafter"),
    two("equal", ADDED, NUMPY, "equal"),
    two("not_equal", ADDED, NUMPY, "not_equal"),
    two("less_than", ADDED, NUMPY, "less"),
    two("less_equal", ADDED, NUMPY, "less_equal"),
    two("greater_than", ADDED, NUMPY, "greater"),
    two("greater_equal", ADDED, NUMPY, "greater_equal"),
    two("bitwise_and", BITWISE, NUMPY, "bitwise_and"),
    two("bitwise_or", BITWISE, NUMPY, "bitwise_or"),
    two("bitwise_xor", BITWISE, NUMPY, "bitwise_xor"),
    row("bitwise_not", "T", BITWISE, RuleBy::Alone, op("bitwise_not")),
    two("bitwise_left_shift", SHIFTED, NUMPY, "shift_left"),
    two("bitwise_right_shift", SHIFTED, NUMPY, "shift_right"),
    row("logical_and", "TT", ADDED, NUMPY, Computes::OneOf(AND)),
    row("logical_or", "TT", ADDED, NUMPY, Computes::OneOf(OR)),
    row("logical_xor", "TT", ADDED, NUMPY, Computes::OneOf(XOR)),
    row("logical_not", "T", ADDED, RuleBy::Alone, Computes::OneOf(NOT)),
];

/// Operators that files hold and that expressions do not call.
pub(crate) static PADDLE_PARTIAL: &[Row] = &[
    row("prelu", "TT", FLOATS, RuleBy::PaddleSlope, op("prelu")).of_kind(Kind::Slope),
    row("where", "BTT", ANY, NUMPY, op("where")),
    row("expand", "T", ANY, RuleBy::Fixed(|| Rule::broadcast_to([])), recipe(Recipe::Broadcast)).of_kind(Kind::Stretch),
    row("expand_v2", "T", ANY, RuleBy::Fixed(|| Rule::broadcast_to([])), recipe(Recipe::Broadcast))
        .of_kind(Kind::Stretch),
    row("relu", "T", FLOATS, RuleBy::Alone, op("relu")),
    row("sigmoid", "T", FLOATS, RuleBy::Alone, op("sigmoid")),
    row("tanh", "T", FLOATS, RuleBy::Alone, op("tanh")),
    row("exp", "T", FLOATS, RuleBy::Alone, op("exp")),
    row("sqrt", "T", FLOATS, RuleBy::Alone, op("sqrt")),
    row("gelu", "T", FLOATS, RuleBy::Alone, op("gelu")),
    row("cast", "T", ANY, RuleBy::Alone, recipe(Recipe::Cast)),
];
