//! TFLite, the operators of LiteRT: NumPy's rule for most, identical shapes for a few, and fused activations.
//!
//! A fused activation is computed on the result of the operator. The slope of `PRELU` only stretches to the data. `ADD_N`
//! accepts identical shapes only. `ATAN2` broadcasts as in TensorFlow; LiteRT accepts such shapes and reads past the second operand. `SELECT` accepts identical shapes, or a condition that is a scalar or has one axis,
//! the first of the others; the rule here also accepts a condition of more axes, which LiteRT refuses.
//! Operators of StableHLO accept identical shapes.
//!
//! The dtypes are those of tensors without scales. Whole numbers with scales broadcast in the same way, but the runtime rescales
//! them, which no row describes.
//!
//! Sources: `tfl_ops.td` of LiteRT, and the kernels of ai-edge-litert 2.3.0 on the CPU, which were run on every pair of shapes up
//! to rank 4.

use broadaxe_op::{DType, OpId, id};
use broadaxe_shape::Rule;

use crate::{
    arithmetic::{
        Arithmetic, Choice, Computes,
        Recipe::{Broadcast, Cast, Clamp, Elu, Fused, LeakyRelu},
        When, by_kind, choice, choose, op, recipe,
    },
    attribute::{Attr, Values, attr},
    framework::System,
    kind::Kind,
    row::{ANY, BOOL, Row},
    rule::RuleBy,
};

use DType::{Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32};

const BY_NUMPY: RuleBy = RuleBy::Fixed(Rule::numpy);
const SAME: RuleBy = RuleBy::Fixed(Rule::none);
const SELECT: RuleBy = RuleBy::Fixed(along_first_axis);

const SUMS: &[DType] = &[F32, F16, I32, I64, I16, I8, U8];
const PRODUCTS: &[DType] = &[F32, F16, I32, U32, I64, I16, I8, U8];
const COMPARED: &[DType] = &[F32, F16, I32, I64, I16, I8, U8, Bool];
const WHOLE: &[DType] = &[F32, I32, I64, I16, I8];
const BIT_TYPES: &[DType] = &[I8, U8, I16, U16, I32, U32];
const REALS: &[DType] = &[F32, F16];
const SIGNED_TYPES: &[DType] = &[F32, F16, I32, I64, I16, I8];
const TWO_FLOATS: &[DType] = &[F32, F64];
const STABLE: &[DType] = &[F32, F16, I32, I64, I16, I8, U8, U16, U32];

const FUSED: &str = "fused_activation_function";
const ACTIVATIONS: &[&str] = &["NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"];
const FUSES: &[Attr] = &[attr(FUSED, Values::Words(ACTIVATIONS), "NONE")];
const LEAK: &[Attr] = &[attr("alpha", Values::Float, "0")];
const ONE: &[Attr] = &[attr("alpha", Values::Float, "1")];
const APPROXIMATE: &[Attr] = &[attr("approximate", Values::Flag, "False")];
const FROM_0_TO_6: &[Attr] = &[attr("min", Values::Float, "0"), attr("max", Values::Float, "6")];
const FROM_0_TO_1: &[Attr] = &[attr("min", Values::Float, "0"), attr("max", Values::Float, "1")];
const FROM_MINUS_1: &[Attr] = &[attr("min", Values::Float, "-1"), attr("max", Values::Float, "1")];
const DIRECTIONS: &[&str] = &["EQ", "NE", "GE", "GT", "LE", "LT"];
const DIRECTION: &[Attr] = &[attr("comparison_direction", Values::Words(DIRECTIONS), "EQ")];

/// The condition begins at the first axis of the others.
fn along_first_axis() -> Rule {
    Rule::openvino_select("pdpd", Some(0)).unwrap_or_else(|_| Rule::none())
}

const fn with(word: &'static str) -> When {
    When::Word { name: FUSED, word, absent: false }
}

const fn directed(word: &'static str) -> When {
    When::Word { name: "comparison_direction", word, absent: false }
}

const PLAIN: When = When::Word { name: FUSED, word: "NONE", absent: true };

/// An operator with each activation that LiteRT fuses; the operator alone comes last.
const fn fused(relu: &'static [OpId], tanh: &'static [OpId]) -> [Choice; 5] {
    [
        choose(const { &[with("RELU")] }, Arithmetic::Steps(relu)),
        choose(const { &[with("RELU6")] }, Arithmetic::Recipe(Fused)),
        choose(const { &[with("RELU_N1_TO_1")] }, Arithmetic::Recipe(Fused)),
        choose(const { &[with("TANH")] }, Arithmetic::Steps(tanh)),
        choose(const { &[PLAIN] }, Arithmetic::Op(relu[0])),
    ]
}

const ADD: &[Choice] = &fused(&[id("add"), id("relu")], &[id("add"), id("tanh")]);
const SUB: &[Choice] = &fused(&[id("sub"), id("relu")], &[id("sub"), id("tanh")]);
const MUL: &[Choice] = &fused(&[id("mul"), id("relu")], &[id("mul"), id("tanh")]);
/// Integers are divided as in C.
const DIV: &[Choice] = &[
    choose(&[When::Floats, with("RELU")], Arithmetic::Steps(const { &[id("div"), id("relu")] })),
    choose(&[When::Integers, with("RELU")], Arithmetic::Steps(const { &[id("div_trunc"), id("relu")] })),
    choose(&[with("RELU6")], Arithmetic::Recipe(Fused)),
    choose(&[with("RELU_N1_TO_1")], Arithmetic::Recipe(Fused)),
    choose(&[When::Floats, with("TANH")], Arithmetic::Steps(const { &[id("div"), id("tanh")] })),
    choice(&[When::Integers, PLAIN], "div_trunc"),
    choice(&[When::Floats, PLAIN], "div"),
];
const GELU_FORMS: &[Choice] = &[
    choice(&[When::Flag { name: "approximate", value: true, absent: false }], "gelu_tanh"),
    choice(&[When::Flag { name: "approximate", value: false, absent: false }], "gelu"),
];
const COMPARE: &[Choice] = &[
    choice(&[directed("NE")], "not_equal"),
    choice(&[directed("GE")], "greater_equal"),
    choice(&[directed("GT")], "greater"),
    choice(&[directed("LE")], "less_equal"),
    choice(&[directed("LT")], "less"),
    choice(&[When::Word { name: "comparison_direction", word: "EQ", absent: true }], "equal"),
];

const fn row(
    name: &'static str,
    operands: &'static str,
    dtypes: &'static [DType],
    rule: RuleBy,
    computes: Computes,
) -> Row {
    crate::row::row(System::Tflite, name, 0, operands, dtypes, rule, computes)
}

const fn two(name: &'static str, dtypes: &'static [DType], computes: &'static str) -> Row {
    row(name, "TT", dtypes, BY_NUMPY, op(computes))
}

const fn same(name: &'static str, dtypes: &'static [DType], computes: &'static str) -> Row {
    row(name, "TT", dtypes, SAME, op(computes))
}

const fn one(name: &'static str, dtypes: &'static [DType], computes: &'static str) -> Row {
    row(name, "T", dtypes, RuleBy::Alone, op(computes))
}

const fn built(name: &'static str, dtypes: &'static [DType], attributes: &'static [Attr], computes: Computes) -> Row {
    row(name, "T", dtypes, RuleBy::Alone, computes).with(attributes)
}

pub(crate) static TFLITE_ROWS: &[Row] = &[
    row("ADD", "TT", SUMS, BY_NUMPY, Computes::OneOf(ADD)).with(FUSES),
    row("SUB", "TT", SUMS, BY_NUMPY, Computes::OneOf(SUB)).with(FUSES),
    row("MUL", "TT", PRODUCTS, BY_NUMPY, Computes::OneOf(MUL)).with(FUSES),
    row("DIV", "TT", &[F32, F16, I32], BY_NUMPY, Computes::OneOf(DIV)).with(FUSES),
    two("MAXIMUM", SUMS, "max"),
    two("MINIMUM", SUMS, "min"),
    two("SQUARED_DIFFERENCE", &[F32, I32, I8, I16], "squared_difference"),
    row("POW", "TT", &[F32, I32], BY_NUMPY, by_kind("pow", "pow_trunc")),
    two("FLOOR_DIV", WHOLE, "div_floor"),
    two("FLOOR_MOD", WHOLE, "mod_floor"),
    two("EQUAL", COMPARED, "equal"),
    two("NOT_EQUAL", COMPARED, "not_equal"),
    two("LESS", COMPARED, "less"),
    two("LESS_EQUAL", COMPARED, "less_equal"),
    two("GREATER", COMPARED, "greater"),
    two("GREATER_EQUAL", COMPARED, "greater_equal"),
    two("LOGICAL_AND", BOOL, "logical_and"),
    two("LOGICAL_OR", BOOL, "logical_or"),
    two("BITWISE_XOR", BIT_TYPES, "bitwise_xor"),
    two("RIGHT_SHIFT", BIT_TYPES, "shift_right"),
    two("ATAN2", TWO_FLOATS, "atan2"),
    row("ADD_N", "T*", &[F32, I32], SAME, op("add")),
    row("SELECT", "BTT", ANY, SELECT, op("where")),
    row("SELECT_V2", "BTT", ANY, BY_NUMPY, op("where")),
    row("PRELU", "TT", REALS, RuleBy::Fixed(Rule::unidirectional), op("prelu")).of_kind(Kind::Slope),
    row("BROADCAST_TO", "T", ANY, RuleBy::Fixed(|| Rule::broadcast_to([])), recipe(Broadcast)).of_kind(Kind::Stretch),
    row("CAST", "T", ANY, RuleBy::Alone, recipe(Cast)),
    one("LOGICAL_NOT", BOOL, "logical_not"),
    one("ABS", SIGNED_TYPES, "abs"),
    one("NEG", SIGNED_TYPES, "neg"),
    one("SIGN", &[F32, F64, I32], "sign"),
    one("SQUARE", &[F32], "square"),
    one("SQRT", &[F32], "sqrt"),
    one("RSQRT", &[F32], "rsqrt"),
    one("EXP", REALS, "exp"),
    one("LOG", REALS, "log"),
    one("SIN", &[F32], "sin"),
    one("COS", &[F32], "cos"),
    one("FLOOR", &[F32], "floor"),
    one("CEIL", &[F32], "ceil"),
    one("ROUND", &[F32], "round"),
    one("TANH", REALS, "tanh"),
    one("LOGISTIC", REALS, "sigmoid"),
    one("RELU", REALS, "relu"),
    built("RELU6", REALS, FROM_0_TO_6, recipe(Clamp)),
    built("RELU_N1_TO_1", REALS, FROM_MINUS_1, recipe(Clamp)),
    built("RELU_0_TO_1", REALS, FROM_0_TO_1, recipe(Clamp)),
    built("ELU", REALS, ONE, recipe(Elu)),
    built("LEAKY_RELU", REALS, LEAK, recipe(LeakyRelu)),
    built("GELU", REALS, APPROXIMATE, Computes::OneOf(GELU_FORMS)),
    one("HARD_SWISH", REALS, "hardswish"),
    same("STABLEHLO_ADD", STABLE, "add"),
    same("STABLEHLO_SUBTRACT", STABLE, "sub"),
    same("STABLEHLO_MULTIPLY", STABLE, "mul"),
    row("STABLEHLO_DIVIDE", "TT", STABLE, SAME, by_kind("div", "div_trunc")),
    row("STABLEHLO_REMAINDER", "TT", STABLE, SAME, op("fmod")),
    same("STABLEHLO_MAXIMUM", STABLE, "max"),
    same("STABLEHLO_MINIMUM", STABLE, "min"),
    row("STABLEHLO_POWER", "TT", STABLE, SAME, by_kind("pow", "pow_trunc")),
    same("STABLEHLO_AND", BOOL, "logical_and"),
    same("STABLEHLO_OR", BOOL, "logical_or"),
    row("STABLEHLO_COMPARE", "TT", COMPARED, SAME, Computes::OneOf(COMPARE)).with(DIRECTION),
    row("STABLEHLO_SELECT", "BTT", ANY, SELECT, op("where")),
    one("STABLEHLO_ABS", SIGNED_TYPES, "abs"),
    one("STABLEHLO_NEGATE", SIGNED_TYPES, "neg"),
    one("STABLEHLO_COSINE", &[F32], "cos"),
    one("STABLEHLO_EXPONENTIAL", &[F32], "exp"),
    one("STABLEHLO_FLOOR", &[F32], "floor"),
    one("STABLEHLO_LOG", &[F32], "log"),
    one("STABLEHLO_LOGISTIC", &[F32], "sigmoid"),
    one("STABLEHLO_RSQRT", &[F32], "rsqrt"),
    one("STABLEHLO_TANH", &[F32], "tanh"),
    one("STABLEHLO_CBRT", &[F32], "cbrt"),
];
