//! Activations of ONNX and OpenVINO: the same formulas under two spellings.
//!
//! What is no operator of ours is built of several, each rounding in the operand's dtype.

use broadaxe_kernels::DType;

use super::{
    call::Call,
    onnx::{NUMBERS_12, OLD_FLOATS},
    row::{Attr, Build, FLOATS, NUMBERS, Row, Values, Way, attr, row},
};
use crate::{error::Error, graph::Node, promote::Literal};

use DType::{BF16, F16, F32, F64, I8, I16, I32, I64};

const RELU_14: &[DType] = &[I8, I16, I32, I64, F16, BF16, F32, F64];
const ONE_FLOAT: &[DType] = &[F32];

type Formula = fn(&mut Call<'_>) -> Result<Node, Error>;

const fn op(name: &'static str, since: i64, dtypes: &'static [DType], op: &'static str) -> Row {
    row(name, since, "T", dtypes, Way::Alone, Build::Op(op))
}

const fn built(
    name: &'static str,
    since: i64,
    dtypes: &'static [DType],
    attributes: &'static [Attr],
    text: &'static str,
    formula: Formula,
) -> Row {
    row(name, since, "T", dtypes, Way::Alone, Build::Nodes(text, formula)).with(attributes)
}

const LEAKY: &[Attr] = &[attr("alpha", Values::Float, "0.01")];
const ALPHA: &[Attr] = &[attr("alpha", Values::Float, "1")];
const HARD: &[Attr] = &[attr("alpha", Values::Float, "0.2"), attr("beta", Values::Float, "0.5")];
const SELU_1: &[Attr] = &[attr("alpha", Values::Float, "1.6732"), attr("gamma", Values::Float, "1.0507")];
const SELU: &[Attr] = &[attr("alpha", Values::Float, "1.6732632"), attr("gamma", Values::Float, "1.0507010")];
const SHRINK: &[Attr] = &[attr("bias", Values::Float, "0"), attr("lambd", Values::Float, "0.5")];
const GELU: &[Attr] = &[attr("approximate", Values::Words(&["none", "tanh"]), "none")];
const GELU_7: &[Attr] = &[attr("approximation_mode", Values::Words(&["ERF", "TANH"]), "ERF")];
const MUST: &[Attr] = &[attr("alpha", Values::Float, "")];
const BOUNDS: &[Attr] = &[attr("min", Values::Float, ""), attr("max", Values::Float, "")];
const ROUND: &[Attr] = &[attr("mode", Values::Words(&["half_to_even", "half_away_from_zero"]), "half_to_even")];
const BETA: &[Attr] = &[attr("beta", Values::Float, "1")];

const ELU_TEXT: &str = "where(x < 0, alpha * expm1(x), x)";
const CELU_TEXT: &str = "relu(x) + min(0, alpha * expm1(x / alpha))";
const HARD_TEXT: &str = "clamp(alpha * x + beta, 0, 1)";
const SELU_TEXT: &str = "gamma * where(x < 0, alpha * expm1(x), x)";
const SOFTSIGN_TEXT: &str = "x / (1 + abs(x))";
const MISH_TEXT: &str = "x * tanh(softplus(x))";
const SWISH_TEXT: &str = "x * sigmoid(alpha * x)";
const SHRINK_TEXT: &str = "where(x < -lambd, x + bias, where(x > lambd, x - bias, 0)), on integers in f64";
const THRESHOLD_TEXT: &str = "where(x > alpha, x, 0)";

pub(super) static ONNX: &[Row] = &[
    op("Relu", 1, OLD_FLOATS, "relu"),
    op("Relu", 13, FLOATS, "relu"),
    op("Relu", 14, RELU_14, "relu"),
    op("Sigmoid", 1, OLD_FLOATS, "sigmoid"),
    op("Sigmoid", 13, FLOATS, "sigmoid"),
    op("HardSwish", 14, OLD_FLOATS, "hardswish"),
    op("HardSwish", 22, FLOATS, "hardswish"),
    op("Softplus", 1, OLD_FLOATS, "softplus"),
    op("Softplus", 22, FLOATS, "softplus"),
    built("LeakyRelu", 1, OLD_FLOATS, LEAKY, "prelu", leaky),
    built("LeakyRelu", 16, FLOATS, LEAKY, "prelu", leaky),
    built("Elu", 1, OLD_FLOATS, ALPHA, ELU_TEXT, elu),
    built("Elu", 22, FLOATS, ALPHA, ELU_TEXT, elu),
    built("Celu", 12, ONE_FLOAT, ALPHA, CELU_TEXT, celu),
    built("Celu", 28, FLOATS, ALPHA, CELU_TEXT, celu),
    built("Selu", 1, OLD_FLOATS, SELU_1, SELU_TEXT, selu),
    built("Selu", 6, OLD_FLOATS, SELU, SELU_TEXT, selu),
    built("Selu", 22, FLOATS, SELU, SELU_TEXT, selu),
    built("HardSigmoid", 1, OLD_FLOATS, HARD, HARD_TEXT, hard_sigmoid),
    built("HardSigmoid", 22, FLOATS, HARD, HARD_TEXT, hard_sigmoid),
    built("Softsign", 1, OLD_FLOATS, &[], SOFTSIGN_TEXT, softsign),
    built("Softsign", 22, FLOATS, &[], SOFTSIGN_TEXT, softsign),
    built("Mish", 18, OLD_FLOATS, &[], MISH_TEXT, mish),
    built("Mish", 22, FLOATS, &[], MISH_TEXT, mish),
    built("Swish", 24, FLOATS, ALPHA, SWISH_TEXT, swish),
    built("ThresholdedRelu", 10, OLD_FLOATS, ALPHA, THRESHOLD_TEXT, thresholded),
    built("ThresholdedRelu", 22, FLOATS, ALPHA, THRESHOLD_TEXT, thresholded),
    built("Shrink", 9, NUMBERS_12, SHRINK, SHRINK_TEXT, shrink),
    built("Gelu", 20, FLOATS, GELU, "gelu, or gelu_tanh by approximate", gelu),
];

pub(super) static OPENVINO: &[Row] = &[
    op("ReLU", 1, NUMBERS, "relu"),
    op("Sigmoid", 1, FLOATS, "sigmoid"),
    op("HSwish", 4, FLOATS, "hardswish"),
    op("SoftPlus", 4, FLOATS, "softplus"),
    built("Elu", 1, FLOATS, MUST, ELU_TEXT, elu),
    built("SoftSign", 9, FLOATS, &[], SOFTSIGN_TEXT, softsign),
    built("Mish", 4, FLOATS, &[], MISH_TEXT, mish),
    built("Swish", 4, FLOATS, BETA, "x * sigmoid(beta * x)", swish),
    built("HSigmoid", 5, FLOATS, &[], "clamp(x + 3, 0, 6) / 6", hsigmoid),
    op("Gelu", 2, FLOATS, "gelu"),
    built("Gelu", 7, FLOATS, GELU_7, "gelu, or gelu_tanh by approximation_mode", gelu),
    built("Clamp", 1, NUMBERS, BOUNDS, "clamp", clamp),
    built("Round", 5, NUMBERS, ROUND, "round, integers as they are, or half away from zero by mode", round),
];

/// Returns a parameter as both frameworks store it: in single precision.
fn single(call: &Call<'_>, name: &str, default: f32) -> f64 {
    f64::from(call.float(name).map_or(default, |value| value as f32))
}

fn leaky(call: &mut Call<'_>) -> Result<Node, Error> {
    let slope = call.number(single(call, "alpha", 0.01))?;
    call.point("prelu", &[call.nodes[0], slope])
}

/// `alpha * (exp(x) - 1)` below 0, without the loss near 0.
fn elu(call: &mut Call<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let alpha = call.number(single(call, "alpha", 1.0))?;
    bent(call, x, alpha)
}

fn bent(call: &mut Call<'_>, x: Node, alpha: Node) -> Result<Node, Error> {
    let zero = call.number(0.0)?;
    let negative = call.point("less", &[x, zero])?;
    let curve = call.point("expm1", &[x])?;
    let curve = call.point("mul", &[alpha, curve])?;
    call.point("where", &[negative, curve, x])
}

fn selu(call: &mut Call<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (alpha, gamma) = if call.opset < 6 { (1.6732, 1.0507) } else { (1.673_263_2, 1.050_701) };
    let (alpha, gamma) = (single(call, "alpha", alpha), single(call, "gamma", gamma));
    let (alpha, gamma) = (call.number(alpha)?, call.number(gamma)?);
    let bent = bent(call, x, alpha)?;
    call.point("mul", &[gamma, bent])
}

fn celu(call: &mut Call<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (zero, alpha) = (call.number(0.0)?, call.number(single(call, "alpha", 1.0))?);
    let above = call.point("relu", &[x])?;
    let scaled = call.point("div", &[x, alpha])?;
    let curve = call.point("expm1", &[scaled])?;
    let curve = call.point("mul", &[alpha, curve])?;
    let below = call.point("min", &[curve, zero])?;
    call.point("add", &[above, below])
}

fn hard_sigmoid(call: &mut Call<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (alpha, beta) = (call.number(single(call, "alpha", 0.2))?, call.number(single(call, "beta", 0.5))?);
    let (zero, one) = (call.number(0.0)?, call.number(1.0)?);
    let line = call.point("mul", &[alpha, x])?;
    let line = call.point("add", &[line, beta])?;
    call.point("clamp", &[line, zero, one])
}

fn hsigmoid(call: &mut Call<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (zero, three, six) = (call.number(0.0)?, call.number(3.0)?, call.number(6.0)?);
    let line = call.point("add", &[x, three])?;
    let line = call.point("clamp", &[line, zero, six])?;
    call.point("div", &[line, six])
}

fn softsign(call: &mut Call<'_>) -> Result<Node, Error> {
    let (x, one) = (call.nodes[0], call.number(1.0)?);
    let size = call.point("abs", &[x])?;
    let below = call.point("add", &[one, size])?;
    call.point("div", &[x, below])
}

fn mish(call: &mut Call<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let soft = call.point("softplus", &[x])?;
    let gate = call.point("tanh", &[soft])?;
    call.point("mul", &[x, gate])
}

fn swish(call: &mut Call<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let factor = call.float("alpha").or(call.float("beta")).map_or(1.0, |value| f64::from(value as f32));
    if factor == 1.0 {
        return call.point("silu", &[x]);
    }
    let factor = call.number(factor)?;
    let scaled = call.point("mul", &[factor, x])?;
    let gate = call.point("sigmoid", &[scaled])?;
    call.point("mul", &[x, gate])
}

fn thresholded(call: &mut Call<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (zero, alpha) = (call.number(0.0)?, call.number(single(call, "alpha", 1.0))?);
    let above = call.point("greater", &[x, alpha])?;
    call.point("where", &[above, x, zero])
}

/// Integers are compared and moved in f64; the parameters are no integers.
fn shrink(call: &mut Call<'_>) -> Result<Node, Error> {
    let at = if call.dtype.is_float() { call.dtype } else { F64 };
    let x = call.graph.cast(call.nodes[0], at);
    let (bias, lambd) = (single(call, "bias", 0.0), single(call, "lambd", 0.5));
    let mut number = |value| super::constant(call.graph, Literal::Float(value), at);
    let (zero, bias, low, high) = (number(0.0)?, number(bias)?, number(-lambd)?, number(lambd)?);
    let (below, above) = (call.point("less", &[x, low])?, call.point("greater", &[x, high])?);
    let (raised, lowered) = (call.point("add", &[x, bias])?, call.point("sub", &[x, bias])?);
    let inner = call.point("where", &[above, lowered, zero])?;
    let value = call.point("where", &[below, raised, inner])?;
    Ok(call.graph.cast(value, call.dtype))
}

fn gelu(call: &mut Call<'_>) -> Result<Node, Error> {
    let tanh = matches!(call.text("approximate").or(call.text("approximation_mode")), Some("tanh" | "TANH"));
    call.point(if tanh { "gelu_tanh" } else { "gelu" }, &[call.nodes[0]])
}

/// On integers the lower bound rounds up and the upper one down, as OpenVINO does.
fn clamp(call: &mut Call<'_>) -> Result<Node, Error> {
    let (low, high) = (call.float("min").unwrap_or(0.0), call.float("max").unwrap_or(0.0));
    let (low, high) = if call.dtype.is_float() {
        (Literal::Float(low), Literal::Float(high))
    } else {
        let (least, most) = super::range(call.dtype);
        let within = |bound: f64| Literal::Int((bound as i128).clamp(least, most));
        (within(low.ceil()), within(high.floor()))
    };
    let (low, high) = (super::constant(call.graph, low, call.dtype)?, super::constant(call.graph, high, call.dtype)?);
    call.point("clamp", &[call.nodes[0], low, high])
}

/// Half away from zero: the whole part, and one more of its sign where at least a half was cut off.
fn round(call: &mut Call<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    if call.dtype.is_integer() {
        return Ok(x);
    }
    if call.text("mode") != Some("half_away_from_zero") {
        return call.point("round", &[x]);
    }
    let half = call.number(0.5)?;
    let whole = call.point("trunc", &[x])?;
    let rest = call.point("sub", &[x, whole])?;
    let rest = call.point("abs", &[rest])?;
    let far = call.point("greater_equal", &[rest, half])?;
    let sign = call.point("sign", &[x])?;
    let next = call.point("add", &[whole, sign])?;
    call.point("where", &[far, next, whole])
}
