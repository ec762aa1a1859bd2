//! ONNX: the element-wise operators of every opset from 1 to 28.
//!
//! From opset 7 on operands broadcast as in NumPy ("multidirectional"), but for `PRelu`, where only the slope may.
//! Before it they are equal, or `broadcast=1` puts the second onto a run of the first's axes. Before opset 8 Max, Min,
//! Sum and Mean want equal shapes. dtypes and opsets are those of the operator schemas of `onnx` 1.23.

use broadaxe_op::{DType, id};
use broadaxe_shape::Rule;

use crate::{
    arithmetic::{
        Arithmetic, Choice, Computes,
        Recipe::{self, Broadcast, Cast, CastLike, Clip, DequantizeLinear, Erf, IsInf, Power, QuantizeLinear},
        When, by_kind, choice, op, recipe,
    },
    attribute::{Attr, Values, attr},
    framework::System,
    kind::{Inner, Kind, Wiring},
    row::{ANY, BOOL, FLOATS, INTEGERS, NUMBERS, Row},
    rule::RuleBy,
};

use DType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// Before opset 28 floats need `fmod=1`.
const OLD_MOD: &[Choice] = &[
    choice(&[When::Flag { name: "fmod", value: true, absent: false }], "fmod"),
    choice(&[When::Integers, When::Flag { name: "fmod", value: false, absent: false }], "mod_floor"),
];
const MOD: &[Choice] = &[
    choice(&[When::Flag { name: "fmod", value: true, absent: false }], "fmod"),
    choice(&[When::Flag { name: "fmod", value: false, absent: false }], "mod_floor"),
];
const SHIFT: &[Choice] = &[
    choice(&[When::Word { name: "direction", word: "LEFT", absent: false }], "shift_left"),
    choice(&[When::Word { name: "direction", word: "RIGHT", absent: false }], "shift_right"),
];
const SCALE_AND_SHIFT: Computes = Computes::Always(Arithmetic::Steps(&[id("mul"), id("add")]));

/// The floats before bf16 came.
pub(crate) const OLD_FLOATS: &[DType] = &[F16, F32, F64];
/// The numbers of opsets 6 to 12, and with bf16 in 13.
const OLD: &[DType] = &[I32, I64, U32, U64, F16, F32, F64];
const OLD_13: &[DType] = &[I32, I64, U32, U64, F16, BF16, F32, F64];
/// All numbers, and all dtypes, but bf16.
pub(crate) const NUMBERS_12: &[DType] = &[I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64];
const ANY_12: &[DType] = &[Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64];
const SIGNED: &[DType] = &[I8, I16, I32, I64, F16, F32, F64];
const SIGNED_13: &[DType] = &[I8, I16, I32, I64, F16, BF16, F32, F64];
const EQUAL: &[DType] = &[Bool, I32, I64];
const BASES: &[DType] = &[I32, I64, F16, F32, F64];
const BASES_13: &[DType] = &[I32, I64, F16, BF16, F32, F64];
const UNSIGNED: &[DType] = &[U8, U16, U32, U64];
const F32_OR_F64: &[DType] = &[F32, F64];

const MULTI: RuleBy = RuleBy::Fixed(Rule::numpy);
const EQUALS: RuleBy = RuleBy::Fixed(Rule::none);
const ALONE: RuleBy = RuleBy::Alone;
const LEGACY: RuleBy = RuleBy::Legacy;

const fn row(
    name: &'static str,
    since: i64,
    operands: &'static str,
    dtypes: &'static [DType],
    rule: RuleBy,
    computes: Computes,
) -> Row {
    crate::row::row(System::Onnx, name, since, operands, dtypes, rule, computes)
}

const fn two(name: &'static str, since: i64, dtypes: &'static [DType], rule: RuleBy, computes: Computes) -> Row {
    row(name, since, "TT", dtypes, rule, computes)
}

const fn many(name: &'static str, since: i64, dtypes: &'static [DType], rule: RuleBy, computes: Computes) -> Row {
    row(name, since, "T*", dtypes, rule, computes)
}

const fn one(name: &'static str, since: i64, dtypes: &'static [DType], computes: Computes) -> Row {
    row(name, since, "T", dtypes, ALONE, computes)
}

const fn div(since: i64, dtypes: &'static [DType], rule: RuleBy) -> Row {
    row("Div", since, "TT", dtypes, rule, by_kind("div", "div_trunc"))
}

const fn modulo(since: i64, dtypes: &'static [DType]) -> Row {
    row("Mod", since, "TT", dtypes, MULTI, Computes::OneOf(if since < 28 { OLD_MOD } else { MOD }))
        .with(const { &[attr("fmod", Values::Flag, "0")] })
}

const fn pow(since: i64, dtypes: &'static [DType], exponents: &'static [DType]) -> Row {
    row("Pow", since, "TS", dtypes, MULTI, recipe(Power)).second_of(exponents)
}

const fn shift(since: i64, dtypes: &'static [DType]) -> Row {
    row("BitShift", since, "TT", dtypes, MULTI, Computes::OneOf(SHIFT))
        .with(const { &[attr("direction", Values::Words(&["LEFT", "RIGHT"]), "")] })
}

const fn choose(since: i64, dtypes: &'static [DType]) -> Row {
    row("Where", since, "BTT", dtypes, MULTI, op("where"))
}

const fn expand(since: i64, dtypes: &'static [DType]) -> Row {
    row("Expand", since, "T", dtypes, RuleBy::Fixed(|| Rule::bidirectional([])), recipe(Broadcast))
        .with(const { &[attr("shape", Values::Ints, "")] })
        .of_kind(Kind::Stretch)
}

const fn prelu(since: i64, dtypes: &'static [DType]) -> Row {
    row("PRelu", since, "TT", dtypes, RuleBy::Fixed(Rule::unidirectional), op("prelu")).of_kind(Kind::Slope)
}

const fn clip(since: i64, dtypes: &'static [DType]) -> Row {
    row("Clip", since, "TT?T?", dtypes, RuleBy::Fixed(Rule::onnx_clip), recipe(Clip)).of_kind(Kind::Bounds)
}

const fn clip_by_attributes(since: i64, bounds: &'static [Attr]) -> Row {
    row("Clip", since, "T", OLD_FLOATS, ALONE, recipe(Clip)).with(bounds)
}

const NO_BOUNDS: &[Attr] = &[attr("min", Values::Float, "none"), attr("max", Values::Float, "none")];
/// From opset 6 to 10 an absent bound is the largest f32, to which infinities are cut.
const LARGEST: &[Attr] = &[attr("min", Values::Float, "-3.4028235e38"), attr("max", Values::Float, "3.4028235e38")];

const fn cast(since: i64, dtypes: &'static [DType], attributes: &'static [Attr]) -> Row {
    row("Cast", since, "T", dtypes, ALONE, recipe(Cast)).with(attributes)
}

const fn cast_as(since: i64, attributes: &'static [Attr]) -> Row {
    row("CastLike", since, "TX", ANY, ALONE, recipe(CastLike)).with(attributes)
}

const TO: Attr = attr("to", Values::DType, "");
/// How numbers become floats of 8 bits, which arrays have not here.
const SATURATE: Attr = attr("saturate", Values::Flag, "1");
const ROUND_MODE: Attr = attr("round_mode", Values::Words(&["up", "down", "nearest"]), "up");

const fn isinf(since: i64, dtypes: &'static [DType]) -> Row {
    row("IsInf", since, "T", dtypes, ALONE, recipe(IsInf))
        .with(const { &[attr("detect_negative", Values::Flag, "1"), attr("detect_positive", Values::Flag, "1")] })
}

pub(crate) static ONNX_ROWS: &[Row] = &[
    two("Add", 1, OLD_FLOATS, LEGACY, op("add")),
    two("Add", 6, OLD, LEGACY, op("add")),
    two("Add", 7, OLD, MULTI, op("add")),
    two("Add", 13, OLD_13, MULTI, op("add")),
    two("Add", 14, NUMBERS, MULTI, op("add")),
    two("Sub", 1, OLD_FLOATS, LEGACY, op("sub")),
    two("Sub", 6, OLD, LEGACY, op("sub")),
    two("Sub", 7, OLD, MULTI, op("sub")),
    two("Sub", 13, OLD_13, MULTI, op("sub")),
    two("Sub", 14, NUMBERS, MULTI, op("sub")),
    two("Mul", 1, OLD_FLOATS, LEGACY, op("mul")),
    two("Mul", 6, OLD, LEGACY, op("mul")),
    two("Mul", 7, OLD, MULTI, op("mul")),
    two("Mul", 13, OLD_13, MULTI, op("mul")),
    two("Mul", 14, NUMBERS, MULTI, op("mul")),
    div(1, OLD_FLOATS, LEGACY),
    div(6, OLD, LEGACY),
    div(7, OLD, MULTI),
    div(13, OLD_13, MULTI),
    div(14, NUMBERS, MULTI),
    modulo(10, NUMBERS_12),
    modulo(13, NUMBERS),
    modulo(28, NUMBERS),
    two("Pow", 1, OLD_FLOATS, LEGACY, op("pow")),
    two("Pow", 7, OLD_FLOATS, MULTI, op("pow")),
    pow(12, BASES, NUMBERS_12),
    pow(13, BASES_13, NUMBERS_12),
    pow(15, BASES_13, NUMBERS),
    many("Max", 1, OLD_FLOATS, EQUALS, op("max")),
    many("Max", 8, OLD_FLOATS, MULTI, op("max")),
    many("Max", 12, NUMBERS_12, MULTI, op("max")),
    many("Max", 13, NUMBERS, MULTI, op("max")),
    many("Min", 1, OLD_FLOATS, EQUALS, op("min")),
    many("Min", 8, OLD_FLOATS, MULTI, op("min")),
    many("Min", 12, NUMBERS_12, MULTI, op("min")),
    many("Min", 13, NUMBERS, MULTI, op("min")),
    many("Sum", 1, OLD_FLOATS, EQUALS, op("sum")),
    many("Sum", 8, OLD_FLOATS, MULTI, op("sum")),
    many("Sum", 13, FLOATS, MULTI, op("sum")),
    many("Mean", 1, OLD_FLOATS, EQUALS, op("mean")),
    many("Mean", 8, OLD_FLOATS, MULTI, op("mean")),
    many("Mean", 13, FLOATS, MULTI, op("mean")),
    two("Equal", 1, EQUAL, LEGACY, op("equal")),
    two("Equal", 7, EQUAL, MULTI, op("equal")),
    two("Equal", 11, ANY_12, MULTI, op("equal")),
    two("Equal", 13, ANY, MULTI, op("equal")),
    two("Greater", 1, OLD_FLOATS, LEGACY, op("greater")),
    two("Greater", 7, OLD_FLOATS, MULTI, op("greater")),
    two("Greater", 9, NUMBERS_12, MULTI, op("greater")),
    two("Greater", 13, NUMBERS, MULTI, op("greater")),
    two("Less", 1, OLD_FLOATS, LEGACY, op("less")),
    two("Less", 7, OLD_FLOATS, MULTI, op("less")),
    two("Less", 9, NUMBERS_12, MULTI, op("less")),
    two("Less", 13, NUMBERS, MULTI, op("less")),
    two("GreaterOrEqual", 12, NUMBERS_12, MULTI, op("greater_equal")),
    two("GreaterOrEqual", 16, NUMBERS, MULTI, op("greater_equal")),
    two("LessOrEqual", 12, NUMBERS_12, MULTI, op("less_equal")),
    two("LessOrEqual", 16, NUMBERS, MULTI, op("less_equal")),
    two("And", 1, BOOL, LEGACY, op("logical_and")),
    two("And", 7, BOOL, MULTI, op("logical_and")),
    two("Or", 1, BOOL, LEGACY, op("logical_or")),
    two("Or", 7, BOOL, MULTI, op("logical_or")),
    two("Xor", 1, BOOL, LEGACY, op("logical_xor")),
    two("Xor", 7, BOOL, MULTI, op("logical_xor")),
    one("Not", 1, BOOL, op("logical_not")),
    two("BitwiseAnd", 18, INTEGERS, MULTI, op("bitwise_and")),
    two("BitwiseOr", 18, INTEGERS, MULTI, op("bitwise_or")),
    two("BitwiseXor", 18, INTEGERS, MULTI, op("bitwise_xor")),
    one("BitwiseNot", 18, INTEGERS, op("bitwise_not")),
    shift(11, UNSIGNED),
    shift(28, INTEGERS),
    choose(9, ANY_12),
    choose(16, ANY),
    expand(8, ANY_12),
    expand(13, ANY),
    row("PRelu", 1, "TT", OLD_FLOATS, RuleBy::Fixed(|| Rule::onnx_legacy(Some(1))), op("prelu")).of_kind(Kind::Slope),
    prelu(7, OLD_FLOATS),
    prelu(9, OLD),
    prelu(16, OLD_13),
    clip_by_attributes(1, NO_BOUNDS),
    clip_by_attributes(6, LARGEST),
    clip(11, OLD_FLOATS),
    clip(12, NUMBERS_12),
    clip(13, NUMBERS),
    one("Abs", 1, OLD_FLOATS, op("abs")),
    one("Abs", 6, NUMBERS_12, op("abs")),
    one("Abs", 13, NUMBERS, op("abs")),
    one("Neg", 1, OLD_FLOATS, op("neg")),
    one("Neg", 6, SIGNED, op("neg")),
    one("Neg", 13, SIGNED_13, op("neg")),
    one("Sign", 9, NUMBERS_12, op("sign")),
    one("Sign", 13, NUMBERS, op("sign")),
    one("Exp", 1, OLD_FLOATS, op("exp")),
    one("Exp", 13, FLOATS, op("exp")),
    one("Log", 1, OLD_FLOATS, op("log")),
    one("Log", 13, FLOATS, op("log")),
    one("Sqrt", 1, OLD_FLOATS, op("sqrt")),
    one("Sqrt", 13, FLOATS, op("sqrt")),
    one("Reciprocal", 1, OLD_FLOATS, op("reciprocal")),
    one("Reciprocal", 13, FLOATS, op("reciprocal")),
    one("Floor", 1, OLD_FLOATS, op("floor")),
    one("Floor", 13, FLOATS, op("floor")),
    one("Ceil", 1, OLD_FLOATS, op("ceil")),
    one("Ceil", 13, FLOATS, op("ceil")),
    one("Round", 11, OLD_FLOATS, op("round")),
    one("Round", 22, FLOATS, op("round")),
    one("Sin", 7, OLD_FLOATS, op("sin")),
    one("Sin", 22, FLOATS, op("sin")),
    one("Cos", 7, OLD_FLOATS, op("cos")),
    one("Cos", 22, FLOATS, op("cos")),
    one("Tan", 7, OLD_FLOATS, op("tan")),
    one("Tan", 22, FLOATS, op("tan")),
    one("Asin", 7, OLD_FLOATS, op("asin")),
    one("Asin", 22, FLOATS, op("asin")),
    one("Acos", 7, OLD_FLOATS, op("acos")),
    one("Acos", 22, FLOATS, op("acos")),
    one("Atan", 7, OLD_FLOATS, op("atan")),
    one("Atan", 22, FLOATS, op("atan")),
    one("Sinh", 9, OLD_FLOATS, op("sinh")),
    one("Sinh", 22, FLOATS, op("sinh")),
    one("Cosh", 9, OLD_FLOATS, op("cosh")),
    one("Cosh", 22, FLOATS, op("cosh")),
    one("Tanh", 1, OLD_FLOATS, op("tanh")),
    one("Tanh", 13, FLOATS, op("tanh")),
    one("Asinh", 9, OLD_FLOATS, op("asinh")),
    one("Asinh", 22, FLOATS, op("asinh")),
    one("Acosh", 9, OLD_FLOATS, op("acosh")),
    one("Acosh", 22, FLOATS, op("acosh")),
    one("Atanh", 9, OLD_FLOATS, op("atanh")),
    one("Atanh", 22, FLOATS, op("atanh")),
    row("Erf", 9, "T", NUMBERS_12, ALONE, recipe(Erf)),
    one("Erf", 13, FLOATS, op("erf")),
    one("IsNaN", 9, OLD_FLOATS, op("isnan")),
    one("IsNaN", 13, FLOATS, op("isnan")),
    isinf(10, F32_OR_F64),
    isinf(20, FLOATS),
    row("Identity", 1, "T", ANY_12, ALONE, Computes::Always(Arithmetic::Copy)),
    row("Identity", 13, "T", ANY, ALONE, Computes::Always(Arithmetic::Copy)),
    cast(1, ANY_12, &[TO]),
    cast(13, ANY, &[TO]),
    cast(19, ANY, &[TO, SATURATE]),
    cast(24, ANY, &[TO, SATURATE, ROUND_MODE]),
    cast_as(15, &[]),
    cast_as(19, &[SATURATE]),
    cast_as(24, &[SATURATE, ROUND_MODE]),
];

/// Operators that are element-wise in some of their operands only: `Gemm` in its C, normalisations in scale and bias,
/// convolutions in the bias, attention in the mask, and quantisations, which have dtypes that arrays do not have here.
pub(crate) static ONNX_PARTIAL: &[Row] = &[
    gemm(1, OLD_FLOATS, RuleBy::LegacyTerm),
    gemm(7, OLD_FLOATS, RuleBy::Fixed(Rule::gemm_c)),
    gemm(9, OLD, RuleBy::Fixed(Rule::gemm_c)),
    gemm(13, OLD_13, RuleBy::Fixed(Rule::gemm_c)),
    // Of the standard from opset 17 on; exporters wrote it before, and engines accept that.
    normalisation("LayerNormalization", 1, "TTT?"),
    normalisation("RMSNormalization", 23, "TT"),
    // Before opset 13 the schemas want one scale; engines then also read one for each index of axis 1.
    quantisation("QuantizeLinear", 10, QuantizeLinear),
    quantisation("QuantizeLinear", 21, QuantizeLinear).with(BLOCK_SIZE),
    quantisation("DequantizeLinear", 10, DequantizeLinear),
    quantisation("DequantizeLinear", 21, DequantizeLinear).with(BLOCK_SIZE),
    lists("BatchNormalization", 1, "TTTTT").with(const { &[attr("spatial", Values::Flag, "1")] }),
    lists("InstanceNormalization", 1, "TTT"),
    lists("GroupNormalization", 18, "TTT").with(GROUPS).wired(Wiring::Groups { count: "num_groups" }),
    lists("GroupNormalization", 21, "TTT").with(GROUPS),
    lists("Conv", 1, "TT").wired(Wiring::Product { terms: &[2] }),
    lists("ConvTranspose", 1, "TT").wired(Wiring::Product { terms: &[2] }),
    // Scale, zero point and bias of what is computed from the weights.
    of_integers("QLinearConv", || Rule::axis_lists_each(1), &[4, 5, 8]),
    of_integers("ConvInteger", || Rule::axis_lists_each(1), &[3]),
    of_integers("QLinearMatMul", Rule::unidirectional, &[4, 5]),
    of_integers("MatMulInteger", Rule::unidirectional, &[3]),
    row("Attention", 23, "TX", FLOATS, RuleBy::Fixed(Rule::unidirectional), op("add"))
        .with(const { &[attr("q_num_heads", Values::Int, "absent"), attr("kv_num_heads", Values::Int, "absent")] })
        .of_kind(Kind::Mask)
        .wired(Wiring::Scores { mask: 3 }),
];

/// The domain of the operators that ONNX Runtime adds to ONNX; tables have it in front of their names.
pub const CONTRIB: &str = "com.microsoft";

/// The operators of ONNX Runtime's own that are element-wise in some of their operands.
pub(crate) static ONNX_CONTRIB: &[Row] = &[
    contrib("com.microsoft.BiasGelu", || Rule::axis_lists(-1, false), Inner::Input, &[1], &[]),
    contrib("com.microsoft.FastGelu", || Rule::axis_lists(-1, false), Inner::Input, &[1], &[]),
    contrib("com.microsoft.BiasSplitGelu", || Rule::axis_lists(-1, false), Inner::Input, &[1], &[]),
    contrib("com.microsoft.BiasAdd", Rule::unidirectional, Inner::Input, &[1, 2], &[1]),
    contrib("com.microsoft.GroupNorm", || Rule::axis_lists(-1, false), Inner::Input, &[1, 2], &[]),
    contrib("com.microsoft.SkipLayerNormalization", Rule::unidirectional, Inner::Input, &[1, 2, 3, 4], &[2, 3, 4]),
    contrib("com.microsoft.SkipSimplifiedLayerNormalization", Rule::unidirectional, Inner::Input, &[1, 2, 3], &[2, 3]),
    // ONNX Runtime has it in the domain of ONNX.
    contrib("SimplifiedLayerNormalization", Rule::unidirectional, Inner::Input, &[1], &[]),
    contrib("com.microsoft.QLinearAdd", Rule::numpy, Inner::Input, &[3], &[]),
    contrib("com.microsoft.QLinearMul", Rule::numpy, Inner::Input, &[3], &[]),
    contrib("com.microsoft.QuantizeLinear", Rule::numpy, Inner::Input, &[1, 2], &[]).by(RuleBy::Lists),
    contrib("com.microsoft.DequantizeLinear", Rule::numpy, Inner::Input, &[1, 2], &[]).by(RuleBy::Lists),
    contrib("com.microsoft.FusedConv", || Rule::axis_lists(1, false), Inner::Product, &[2], &[]),
    contrib("com.microsoft.FusedGemm", Rule::gemm_c, Inner::Product, &[2], &[]),
    contrib("com.microsoft.DynamicQuantizeMatMul", Rule::unidirectional, Inner::Product, &[2, 3, 4], &[4]),
    contrib("com.microsoft.MatMulIntegerToFloat", Rule::unidirectional, Inner::Product, &[3, 5, 6], &[6]),
    contrib("com.microsoft.MatMulNBits", || Rule::axis_lists(-1, false), Inner::Product, &[5], &[]),
    contrib("com.microsoft.MultiHeadAttention", Rule::unidirectional, Inner::Scores, &[5], &[]).with(HEADS),
    contrib("com.microsoft.Attention", Rule::unidirectional, Inner::Scores, &[5], &[]).with(HEADS),
    contrib("com.microsoft.GroupQueryAttention", Rule::unidirectional, Inner::Scores, &[10], &[]).with(HEADS),
];

const HEADS: &[Attr] = &[attr("num_heads", Values::Int, "")];

const fn contrib(
    name: &'static str,
    rule: fn() -> Rule,
    data: Inner,
    terms: &'static [usize],
    lists: &'static [usize],
) -> Row {
    row(name, 1, "TX", FLOATS, RuleBy::Fixed(rule), op("add")).of_kind(Kind::Contrib).wired(Wiring::Inside {
        data,
        terms,
        lists,
    })
}

const GROUPS: &[Attr] = &[attr("num_groups", Values::Int, "")];

const BLOCK_SIZE: &[Attr] = &[attr("block_size", Values::Int, "0")];

const fn quantisation(name: &'static str, since: i64, computes: Recipe) -> Row {
    row(name, since, "XTX?", FLOATS, RuleBy::Lists, recipe(computes)).of_kind(Kind::Lists)
}

/// An operator with lists of one number per channel, or per group.
const fn lists(name: &'static str, since: i64, operands: &'static str) -> Row {
    let computes = if operands.len() == 2 { op("add") } else { SCALE_AND_SHIFT };
    row(name, since, operands, FLOATS, RuleBy::Fixed(|| Rule::axis_lists(1, false)), computes).of_kind(Kind::Lengths)
}

/// An operator on integers that multiplies; each scale and zero point is one number, or a list with one for each channel.
const fn of_integers(name: &'static str, rule: fn() -> Rule, terms: &'static [usize]) -> Row {
    row(name, 10, "TX", FLOATS, RuleBy::Fixed(rule), op("add")).of_kind(Kind::Lengths).wired(Wiring::Product { terms })
}

const fn gemm(since: i64, dtypes: &'static [DType], rule: RuleBy) -> Row {
    row("Gemm", since, "TT", dtypes, rule, op("add")).of_kind(Kind::Bias).wired(Wiring::Product { terms: &[2] })
}

const fn normalisation(name: &'static str, since: i64, operands: &'static str) -> Row {
    row(name, since, operands, FLOATS, RuleBy::Fixed(Rule::unidirectional), SCALE_AND_SHIFT).of_kind(Kind::Affine)
}
