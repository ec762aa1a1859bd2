//! Builds formulas of several operators, each rounding in the operands' dtype.

use broadaxe_frameworks::{Arithmetic, Attributes, Recipe};
use broadaxe_kernels::{DType, id};
use broadaxe_shape::Shape;

use super::{
    builder::{CallBuilder, refuse},
    layers,
};
use crate::{
    System,
    error::{Error, ErrorKind},
    graph::Node,
    promote::Literal,
};

use DType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// Builds a formula for a call.
pub(super) fn build(call: &mut CallBuilder<'_>, recipe: Recipe) -> Result<Node, Error> {
    match recipe {
        Recipe::Power => power(call),
        Recipe::Erf => error_function(call),
        Recipe::Broadcast => broadcast(call),
        Recipe::Cast => casted(call),
        Recipe::CastLike => cast_like(call),
        Recipe::IsInf => infinite(call),
        Recipe::Clip => clipped(call),
        Recipe::Clamp => clamp(call),
        Recipe::FakeQuantize => quantize(call),
        Recipe::QuantizeLinear => quantize_linear(call),
        Recipe::DequantizeLinear => dequantize_linear(call),
        Recipe::RoundHalfAway => round_half_away(call),
        Recipe::Elu => elu(call),
        Recipe::Celu => celu(call),
        Recipe::Selu => selu(call, "gamma"),
        Recipe::SeluLambda => selu(call, "lambda"),
        Recipe::HardSigmoid => hard_sigmoid(call),
        Recipe::HSigmoid => hsigmoid(call),
        Recipe::Softsign => softsign(call),
        Recipe::Mish => mish(call),
        Recipe::Swish => swish(call),
        Recipe::ThresholdedRelu => thresholded(call),
        Recipe::Shrink => shrink(call),
        Recipe::LeakyRelu => leaky(call),
        Recipe::Fused => fused(call),
        _ => layers::build(call, recipe),
    }
}

/// The result has the base's dtype. Operands of two dtypes meet where both are exact: integers in 64 bits (unsigned
/// exponents unsigned, which wraps to the same low bits), anything with a float in f64.
fn power(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let [base, exponent] = call.nodes[..] else { return refuse(ErrorKind::Argument, "needs 2 operands") };
    let (from, to) = (call.graph.dtype(exponent), call.dtype);
    let integers = to.is_integer() && from.is_integer();
    let op = if integers { id("pow_trunc") } else { id("pow") };
    if from == to {
        return call.apply(op, &[base, exponent]);
    }
    let meet = match integers {
        false => F64,
        true if from.is_signed() => I64,
        true => U64,
    };
    let (base, exponent) = (call.graph.cast(base, meet), call.graph.cast(exponent, meet));
    let wide = call.apply(op, &[base, exponent])?;
    Ok(call.graph.cast(wide, to))
}

/// Until opset 12 integers are taken too; the result goes back to their dtype.
fn error_function(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    if call.dtype.is_float() {
        return call.point("erf", &[x]);
    }
    let wide = call.graph.cast(x, F64);
    let value = call.point("erf", &[wide])?;
    Ok(call.graph.cast(value, call.dtype))
}

/// Stretches the operand to the shape that an attribute names; the target is what the framework calls it.
fn broadcast(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let target = if call.system() == System::Onnx { "shape" } else { "target_shape" };
    if call.ints("axes_mapping").is_some() && call.text("mode").as_deref() != Some("explicit") {
        return refuse(ErrorKind::Argument, "axes_mapping needs mode=\"explicit\"");
    }
    let rule = call.rule_to(target)?;
    call.graph.broadcast(call.nodes[0], &rule)
}

/// Bounds are of rank 0; one left out is the dtype's own, or the largest f32 where bounds are attributes with defaults.
fn clipped(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
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
fn casted(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
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
    let dtype = match (call.int("to"), call.text("to").or(call.text("destination_type"))) {
        (Some(number), _) => numbers.iter().find(|(known, _)| *known == number).map(|(_, dtype)| *dtype),
        (_, Some(name)) => DType::from_name(&name),
        _ => None,
    };
    match dtype {
        Some(dtype) => Ok(call.graph.cast(call.nodes[0], dtype)),
        None => {
            refuse(ErrorKind::DType, "the attribute names no dtype that arrays can have; write a name such as \"f16\"")
        }
    }
}

fn cast_like(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let dtype = call.graph.dtype(call.nodes[1]);
    Ok(call.graph.cast(call.nodes[0], dtype))
}

/// Finds infinities of the given signs.
fn infinite(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
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

fn quantize_linear(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let [x, scale, ref zero @ ..] = call.nodes[..] else { return refuse(ErrorKind::Argument, "needs 2 operands") };
    let zero = zero.first().copied();
    let steps = call.point("div", &[x, scale])?;
    let steps = call.point("round", &[steps])?;
    zero.map_or(Ok(steps), |zero| call.point("add", &[steps, zero]))
}

fn dequantize_linear(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let [x, scale, ref zero @ ..] = call.nodes[..] else { return refuse(ErrorKind::Argument, "needs 2 operands") };
    let zero = zero.first().copied();
    let shifted = zero.map_or(Ok(x), |zero| call.point("sub", &[x, zero]))?;
    call.point("mul", &[shifted, scale])
}

/// Quantizes to levels and back, after the FakeQuantize-1 page: below the lower limit the lower output, above the
/// upper limit the upper one, between them the nearest of `levels` steps.
///
/// The limits only stretch to the first operand's shape. The rule checks that for all five at once; what is left of
/// them broadcasts among itself and to that shape as in NumPy.
fn quantize(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let [x, low, high, below, above] = call.nodes[..] else {
        return refuse(ErrorKind::Argument, "needs 5 operands");
    };
    let levels = call.int("levels").unwrap_or_default();
    if levels < 2 {
        return refuse(ErrorKind::Argument, &format!("levels={levels} are too few; there are at least 2"));
    }
    call.check_shapes()?;
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

fn leaky(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let slope = call.number(call.single("alpha"))?;
    call.point("prelu", &[call.nodes[0], slope])
}

/// `alpha * (exp(x) - 1)` below 0, without the loss near 0.
fn elu(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let alpha = call.number(call.single("alpha"))?;
    bent(call, x, alpha)
}

fn bent(call: &mut CallBuilder<'_>, x: Node, alpha: Node) -> Result<Node, Error> {
    let zero = call.number(0.0)?;
    let negative = call.point("less", &[x, zero])?;
    let curve = call.point("expm1", &[x])?;
    let curve = call.point("mul", &[alpha, curve])?;
    call.point("where", &[negative, curve, x])
}

fn selu(call: &mut CallBuilder<'_>, gamma: &str) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (alpha, gamma) = (call.single("alpha"), call.single(gamma));
    let (alpha, gamma) = (call.number(alpha)?, call.number(gamma)?);
    let bent = bent(call, x, alpha)?;
    call.point("mul", &[gamma, bent])
}

fn celu(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (zero, alpha) = (call.number(0.0)?, call.number(call.single("alpha"))?);
    let above = call.point("relu", &[x])?;
    let scaled = call.point("div", &[x, alpha])?;
    let curve = call.point("expm1", &[scaled])?;
    let curve = call.point("mul", &[alpha, curve])?;
    let below = call.point("min", &[curve, zero])?;
    call.point("add", &[above, below])
}

fn hard_sigmoid(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (alpha, beta) = (call.number(call.single("alpha"))?, call.number(call.single("beta"))?);
    let (zero, one) = (call.number(0.0)?, call.number(1.0)?);
    let line = call.point("mul", &[alpha, x])?;
    let line = call.point("add", &[line, beta])?;
    call.point("clamp", &[line, zero, one])
}

fn hsigmoid(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (zero, three, six) = (call.number(0.0)?, call.number(3.0)?, call.number(6.0)?);
    let line = call.point("add", &[x, three])?;
    let line = call.point("clamp", &[line, zero, six])?;
    call.point("div", &[line, six])
}

fn softsign(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let (x, one) = (call.nodes[0], call.number(1.0)?);
    let size = call.point("abs", &[x])?;
    let below = call.point("add", &[one, size])?;
    call.point("div", &[x, below])
}

fn mish(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let soft = call.point("softplus", &[x])?;
    let gate = call.point("tanh", &[soft])?;
    call.point("mul", &[x, gate])
}

fn swish(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let factor = call.single(if call.system() == System::Openvino { "beta" } else { "alpha" });
    if factor == 1.0 {
        return call.point("silu", &[x]);
    }
    let factor = call.number(factor)?;
    let scaled = call.point("mul", &[factor, x])?;
    let gate = call.point("sigmoid", &[scaled])?;
    call.point("mul", &[x, gate])
}

fn thresholded(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (zero, alpha) = (call.number(0.0)?, call.number(call.single("alpha"))?);
    let above = call.point("greater", &[x, alpha])?;
    call.point("where", &[above, x, zero])
}

/// Integers are compared and moved in f64; the parameters are no integers.
fn shrink(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let at = if call.dtype.is_float() { call.dtype } else { F64 };
    let x = call.graph.cast(call.nodes[0], at);
    let (bias, lambd) = (call.single("bias"), call.single("lambd"));
    let mut number = |value| super::constant(call.graph, Literal::Float(value), at);
    let (zero, bias, low, high) = (number(0.0)?, number(bias)?, number(-lambd)?, number(lambd)?);
    let (below, above) = (call.point("less", &[x, low])?, call.point("greater", &[x, high])?);
    let (raised, lowered) = (call.point("add", &[x, bias])?, call.point("sub", &[x, bias])?);
    let inner = call.point("where", &[above, lowered, zero])?;
    let value = call.point("where", &[below, raised, inner])?;
    Ok(call.graph.cast(value, call.dtype))
}

/// On integers the lower bound rounds up and the upper one down, as OpenVINO does.
fn clamp(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let (low, high) = (call.parameter("min"), call.parameter("max"));
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

/// The operator with the activation `NONE`, clipped as TFLite's activations do.
fn fused(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let plain = call.row.arithmetic(call.dtype, &Vec::new()).map_err(|why| Error::new(ErrorKind::Argument, why))?;
    let Arithmetic::Op(op) = plain.arithmetic else {
        return refuse(ErrorKind::Argument, "it has no operator that an activation follows");
    };
    let (low, high) = match call.text("fused_activation_function").as_deref() {
        Some("RELU6") => (0.0, 6.0),
        _ => (-1.0, 1.0),
    };
    let result = call.apply(op, &call.nodes.clone())?;
    let (low, high) = (call.number(low)?, call.number(high)?);
    call.point("clamp", &[result, low, high])
}

/// The whole part, and one more of its sign where at least a half was cut off.
fn round_half_away(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let half = call.number(0.5)?;
    let whole = call.point("trunc", &[x])?;
    let rest = call.point("sub", &[x, whole])?;
    let rest = call.point("abs", &[rest])?;
    let far = call.point("greater_equal", &[rest, half])?;
    let sign = call.point("sign", &[x])?;
    let next = call.point("add", &[whole, sign])?;
    call.point("where", &[far, next, whole])
}

#[cfg(test)]
mod tests {
    use broadaxe_frameworks::Attribute;

    use crate::{Array, DType, Graph, System, eval::Options, frameworks::apply, frameworks::newest};

    /// A sum and a quotient with each activation that TFLite fuses, of f32.
    #[test]
    fn activations_after_an_operator() {
        let (left, right) = ([-9.0_f32, -1.5, 0.5, 4.0], [1.0_f32, 1.0, 0.25, 4.0]);
        let bits = |values: &[f32]| values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>();
        let cases = [
            ("ADD", "NONE", [-8.0_f32, -0.5, 0.75, 8.0]),
            ("ADD", "RELU", [0.0, 0.0, 0.75, 8.0]),
            ("ADD", "RELU6", [0.0, 0.0, 0.75, 6.0]),
            ("ADD", "RELU_N1_TO_1", [-1.0, -0.5, 0.75, 1.0]),
            ("DIV", "NONE", [-9.0, -1.5, 2.0, 1.0]),
            ("DIV", "RELU6", [0.0, 0.0, 2.0, 1.0]),
            ("DIV", "RELU_N1_TO_1", [-1.0, -1.0, 1.0, 1.0]),
        ];
        for (name, word, want) in cases {
            let mut graph = Graph::new();
            let inputs = [graph.input(DType::F32, &[4]).unwrap(), graph.input(DType::F32, &[4]).unwrap()];
            let row = newest(System::Tflite, name).unwrap();
            let attributes = [("fused_activation_function", Attribute::Text(word.to_owned()))];
            let root = apply(&mut graph, row, 0, &inputs, &attributes).unwrap();
            let arrays = [left, right].map(|values| Array::from_bytes(DType::F32, [4], &bits(&values)).unwrap());
            let views = arrays.iter().map(Array::view).collect();
            let result = crate::Evaluation::new(&graph, root, views, Options::default()).unwrap().run().unwrap();
            assert_eq!(result.as_slice::<f32>().unwrap(), want, "{name} {word}");
        }
    }
}
