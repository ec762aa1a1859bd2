//! ncnn's layers: checks their operands, and builds the formulas that only ncnn has.

use broadaxe_frameworks::{Attribute, Attributes, Kind, Recipe, Row, Wiring};
use broadaxe_kernels::id;
use broadaxe_shape::{Rule, Shape};

use super::{
    Arg,
    builder::{CallBuilder, refuse},
};
use crate::{
    error::{Error, ErrorKind},
    graph::{Graph, Node},
};

/// Checks that the data is what an ncnn `Mat` can be, and that lists have the lengths that the layer reads. The rules of
/// layers with several operands of data check the others.
pub(super) fn check(graph: &Graph, row: &Row, args: &[Arg], attributes: &dyn Attributes) -> Result<(), Error> {
    if let [Arg::Node(data), ..] = args
        && row.kind() != Kind::Binary
    {
        let shape = graph.shape(*data);
        if Rule::ncnn().align(&[shape, shape]).is_err() {
            let shape = Shape::new(shape);
            let message = format!("operand 0 has the shape {shape}; ncnn has ranks 1 to 4, and no dims of 0");
            return refuse(ErrorKind::Shape, &message);
        }
    }
    let Wiring::Held { count, from_input, reads, .. } = row.wiring() else { return Ok(()) };
    let [Arg::Node(data), lists @ ..] = args else {
        return refuse(ErrorKind::Argument, "its first operand is a number; it must be an array");
    };
    let shape = graph.shape(*data);
    for (at, list) in lists.iter().enumerate() {
        let held = match list {
            Arg::Node(node) => graph.shape(*node),
            Arg::Weak(_) => &[1],
        };
        // A list may have axes of 1 behind its own, up to the rank of the data.
        let fits = matches!(held, [length, rest @ ..] if reads.accepts(*length, shape)
            && (rest.is_empty() || held.len() == shape.len() && rest.iter().all(|dim| *dim == 1)));
        if !fits {
            let (held, shape, lengths) = (Shape::new(held), Shape::new(shape), reads.describe());
            let message = format!("operand {} has the shape {held}; for data of {shape} it is {lengths}", at + 1);
            return refuse(ErrorKind::Shape, &message);
        }
        let length = held.first().map_or(1, |length| *length as i64);
        if let Some(given) = attributes.int(count).filter(|given| *given != length && Some(*given) != from_input) {
            let message = format!("{count}={given}, but operand {} has {length} numbers; leave {count} out", at + 1);
            return refuse(ErrorKind::Argument, &message);
        }
    }
    check_bias(lists.len(), attributes)
}

/// `bias_term` says whether there is a bias.
fn check_bias(lists: usize, attributes: &dyn Attributes) -> Result<(), Error> {
    let Some(Attribute::Int(_) | Attribute::Bool(_)) = attributes.get("bias_term") else { return Ok(()) };
    match (attributes.flag("bias_term", false), lists) {
        (true, 1) => refuse(ErrorKind::Argument, "bias_term=1 needs a bias, the third operand"),
        (false, 2) => refuse(ErrorKind::Argument, "bias_term=0 excludes a bias; leave bias_term or the bias out"),
        _ => Ok(()),
    }
}

/// Builds a formula that no other framework has.
pub(super) fn build(call: &mut CallBuilder<'_>, recipe: Recipe) -> Result<Node, Error> {
    match recipe {
        Recipe::ReluSlope => relu(call),
        Recipe::CeluBranch => celu(call),
        Recipe::HardSwish => hard_swish(call),
        Recipe::LogExp => log_exp(call),
        Recipe::Bnll => bnll(call),
        Recipe::Threshold => threshold(call),
        Recipe::Scaled => scaled(call),
        Recipe::ScaleBias => scale(call),
        Recipe::WeightedSum => weighted_sum(call),
        Recipe::ExpOf => exp(call),
        Recipe::LogOf => log(call),
        Recipe::PowerOf => power(call),
        _ => refuse(ErrorKind::Argument, "its formula is not known"),
    }
}

/// With a slope of 0 negative infinity gives 0, not NaN.
fn relu(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let (x, slope) = (call.nodes[0], call.single("slope"));
    if slope == 0.0 {
        return call.point("relu", &[x]);
    }
    let slope = call.number(slope)?;
    call.point("prelu", &[x, slope])
}

fn celu(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (zero, alpha) = (call.number(0.0)?, call.number(call.single("alpha"))?);
    let negative = call.point("less", &[x, zero])?;
    let scaled = call.point("div", &[x, alpha])?;
    let curve = call.point("expm1", &[scaled])?;
    let curve = call.point("mul", &[curve, alpha])?;
    call.point("where", &[negative, curve, x])
}

fn hard_swish(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let (alpha, beta) = (call.number(call.single("alpha"))?, call.number(call.single("beta"))?);
    let (zero, one) = (call.number(0.0)?, call.number(1.0)?);
    let line = call.point("mul", &[x, alpha])?;
    let line = call.point("add", &[line, beta])?;
    let gate = call.point("clamp", &[line, zero, one])?;
    call.point("mul", &[x, gate])
}

/// Overflows where the exponential does, as the layer.
fn log_exp(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    log_of_one_more(call, x)
}

fn log_of_one_more(call: &mut CallBuilder<'_>, x: Node) -> Result<Node, Error> {
    let one = call.number(1.0)?;
    let raised = call.point("exp", &[x])?;
    let sum = call.point("add", &[raised, one])?;
    call.point("log", &[sum])
}

fn bnll(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let size = call.point("abs", &[x])?;
    let below = call.point("neg", &[size])?;
    let (above, curve) = (call.point("relu", &[x])?, log_of_one_more(call, below)?);
    call.point("add", &[above, curve])
}

fn threshold(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let x = call.nodes[0];
    let threshold = call.number(call.single("threshold"))?;
    let (zero, one) = (call.number(0.0)?, call.number(1.0)?);
    let above = call.point("greater", &[x, threshold])?;
    call.point("where", &[above, one, zero])
}

fn scaled(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let (x, scale) = (call.nodes[0], call.single("scale"));
    if scale == 1.0 {
        return Ok(x);
    }
    let scale = call.number(scale)?;
    call.point("mul", &[x, scale])
}

fn scale(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let nodes = call.nodes.clone();
    let product = call.apply(id("mul"), &nodes[..nodes.len().min(2)])?;
    match nodes.get(2) {
        Some(bias) => call.apply(id("add"), &[product, *bias]),
        None => Ok(product),
    }
}

fn weighted_sum(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let mut nodes = call.nodes.clone();
    let coeffs = call.floats("coeffs").unwrap_or_default();
    if coeffs.is_empty() {
        return call.apply(id("add"), &nodes);
    }
    if coeffs.len() != nodes.len() {
        let message = format!("coeffs has {} numbers for {} operands; write one for each", coeffs.len(), nodes.len());
        return refuse(ErrorKind::Argument, &message);
    }
    for (node, coeff) in nodes.iter_mut().zip(coeffs) {
        let coeff = call.number(coeff)?;
        *node = call.point("mul", &[*node, coeff])?;
    }
    call.apply(id("add"), &nodes)
}

/// Returns `shift + x * scale`.
fn line(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let (scale, shift) = (call.number(call.single("scale"))?, call.number(call.single("shift"))?);
    let product = call.point("mul", &[call.nodes[0], scale])?;
    call.point("add", &[product, shift])
}

/// Returns the base; nothing where it is e, which ncnn writes as -1.
fn base(call: &CallBuilder<'_>) -> Option<f64> {
    Some(call.single("base")).filter(|base| *base != -1.0)
}

fn exp(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let line = line(call)?;
    match base(call) {
        Some(base) => {
            let base = call.number(base)?;
            call.point("pow", &[base, line])
        }
        None => call.point("exp", &[line]),
    }
}

fn log(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let line = line(call)?;
    let value = call.point("log", &[line])?;
    let Some(base) = base(call) else { return Ok(value) };
    let (base, one) = (call.number(base)?, call.number(1.0)?);
    let unit = call.point("log", &[base])?;
    let factor = call.point("div", &[one, unit])?;
    call.point("mul", &[value, factor])
}

fn power(call: &mut CallBuilder<'_>) -> Result<Node, Error> {
    let (line, power) = (line(call)?, call.number(call.single("power"))?);
    call.point("pow", &[line, power])
}
