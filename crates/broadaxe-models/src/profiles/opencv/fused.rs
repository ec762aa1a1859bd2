//! Nodes that OpenCV's reader fuses, so that an operand is read otherwise or not at all.
//!
//! Source: `onnx_graph_simplifier.cpp`. It compares operators and the order of operands, and not which tensor an operand is.

use broadaxe_frameworks::Role;
use broadaxe_shape::{Dim, Rule, SymbolicShape};

use super::super::{Asked, Does, When, neighbours::REACH};
use crate::graph::{Attribute, Node, ValueId};

/// Says whether a value is a constant of the file.
pub(super) fn is_written(asked: &Asked<'_>, value: ValueId) -> bool {
    asked.model.value(asked.origin(value)).constant.is_some()
}

/// Says whether a value has fewer axes than two, or is a reshaped one that has.
pub(super) fn has_low_rank(asked: &Asked<'_>, mut value: ValueId) -> Option<bool> {
    for _ in 0..REACH {
        if is_written(asked, value) {
            return Some(false);
        }
        if asked.shape(value)?.rank()? < 2 {
            return Some(true);
        }
        let maker = asked.producer(value).filter(|node| {
            matches!(node.op.as_str(), "Reshape" | "Unsqueeze" | "Squeeze" | "Expand" | "Identity" | "Flatten")
        });
        match maker.and_then(|node| node.input(0)) {
            Some(input) => value = input,
            None => return Some(false),
        }
    }
    Some(false)
}

/// Says whether an operand is the result of a layer that some version fuses with what reads it.
pub(super) fn is_behind_layer(asked: &Asked<'_>) -> Option<bool> {
    const LAYERS: &[&str] = &["MatMul", "Gemm", "Conv", "ConvTranspose", "BatchNormalization", "Exp", "Erf", "Tanh"];
    let maker = |k| asked.producer(asked.origin(asked.value(k)?));
    Some((0..asked.operands.len()).any(|k| maker(k).is_some_and(|node| LAYERS.contains(&node.op.as_str()))))
}

/// Returns the two inputs of a node, the one that an operator makes first, with the node that makes it.
fn made_by<'a>(asked: &Asked<'a>, node: &Node, op: &str) -> Option<(&'a Node, ValueId, bool)> {
    let [one, other] = [node.input(0)?, node.input(1)?];
    let maker = |value| asked.producer(asked.origin(value)).filter(|node| node.op == op);
    maker(one).map(|maker| (maker, other, true)).or_else(|| Some((maker(other)?, one, false)))
}

/// Finds sums `exp(x) + c` whose logarithm becomes Softplus of x, whatever c is: right where c is 1 and the sum has the shape of x.
pub(super) fn softplus(asked: &Asked<'_>) -> Option<bool> {
    let found = || {
        let (_, constant, is_first) = made_by(asked, asked.node, "Exp")?;
        let (reader, _) = asked.reader(asked.node.output(0)?)?;
        let is_fused = reader.op == "Log" && is_written(asked, constant);
        let exp = asked.operands.get(usize::from(!is_first))?;
        let keeps = || {
            let (own, result) = (exp.known()?, asked.shape(asked.node.output(0)?)?.known()?);
            Some(own == result && asked.number(constant) == Some(1.0))
        };
        Some(is_fused && keeps() != Some(true))
    };
    Some(asked.op(asked.node) == Some(Role::Add) && found() == Some(true))
}

/// Finds products of a tensor and the hyperbolic tangent of a softplus of another one, of which it makes Mish of the latter.
pub(super) fn mish(asked: &Asked<'_>) -> Option<bool> {
    let found = || {
        let (tanh, data, _) = made_by(asked, asked.node, "Tanh")?;
        let inner = asked.producer(asked.origin(tanh.input(0)?))?;
        let own = match inner.op.as_str() {
            "Softplus" => inner.input(0)?,
            "Log" => {
                let sum = asked.producer(asked.origin(inner.input(0)?)).filter(|node| node.op == "Add")?;
                let (exp, one, _) = made_by(asked, sum, "Exp")?;
                is_written(asked, one).then_some(())?;
                exp.input(0)?
            }
            _ => return None,
        };
        Some(asked.origin(own) != asked.origin(data))
    };
    Some(asked.op(asked.node) == Some(Role::Mul) && found() == Some(true))
}

/// Says what becomes of the last node of `0.5 * x * (1 + erf(x / sqrt 2))`.
///
/// A reader that expects the constants behind the other operands looks for them there, and ends the process.
pub(super) fn gelu(asked: &Asked<'_>) -> Option<Does> {
    if asked.op(asked.node) != Some(Role::Mul) {
        return None;
    }
    let (product, half, is_half_last) = made_by(asked, asked.node, "Mul")?;
    let (sum, data, _) = made_by(asked, product, "Add")?;
    let (erf, one, is_one_last) = made_by(asked, sum, "Erf")?;
    let quotient = asked.producer(asked.origin(erf.input(0)?)).filter(|node| node.op == "Div")?;
    if ![half, one, quotient.input(1)?].into_iter().all(|value| is_written(asked, value)) {
        return None;
    }
    if !is_half_last || !is_one_last {
        return Some(Does::Refused("crashes where a constant of GELU comes first".into()));
    }
    if asked.origin(quotient.input(0)?) != asked.origin(data) {
        return Some(Does::Garbled("fuses z * (1 + erf(x / sqrt 2)) / 2 into GELU of x".into()));
    }
    let shape = |value| asked.shape(value).and_then(SymbolicShape::known);
    let (own, result) = (shape(data)?, shape(asked.node.output(0)?)?);
    (own != result).then(|| Does::Garbled("returns GELU in the shape of x, without the axes of its constants".into()))
}

/// Finds the last sum of a normalisation that nodes compute, where the reader finds a scale or a bias that does not fit.
///
/// The second operand of the product becomes the scale, and that of the sum the bias: lists along the last axis are right.
pub(super) fn norm(asked: &Asked<'_>) -> Option<bool> {
    let found = || {
        let (product, bias, is_bias_last) = made_by(asked, asked.node, "Mul")?;
        let (quotient, scale, is_scale_last) = made_by(asked, product, "Div")?;
        let maker =
            |value: Option<ValueId>, op: &str| asked.producer(asked.origin(value?)).filter(|node| node.op == op);
        let root = maker(quotient.input(1), "Sqrt")?;
        let (mean, ..) = made_by(asked, maker(root.input(0), "Add")?, "ReduceMean")?;
        let power = maker(mean.input(0), "Pow")?;
        let centred = maker(power.input(0), "Sub")?;
        maker(centred.input(1), "ReduceMean")?;
        let known = |value: Option<ValueId>| asked.shape(value?)?.known();
        let fits = || {
            let data = known(power.input(0))?;
            let last = *data.last()?;
            let rows = known(mean.output(0))?;
            let list = |value| Some(*known(Some(value))? == [last]);
            let count = |dims: &[usize]| dims.iter().product::<usize>();
            let along_last = rows.len() == data.len() && count(&rows) * last == count(&data);
            Some(along_last && list(scale)? && list(bias)? && known(asked.node.output(0))? == data)
        };
        let same = asked.origin(quotient.input(0)?) == asked.origin(power.input(0)?);
        Some(!(is_bias_last && is_scale_last && same && fits() == Some(true)))
    };
    Some(asked.op(asked.node) == Some(Role::Add) && found() == Some(true))
}

/// Says how the constant is read that is added to a product with constant weights.
///
/// It becomes C of a Gemm: as many numbers as there are columns are a row, and no other shape may make the result larger.
pub(super) fn bias(asked: &Asked<'_>) -> Option<Does> {
    if asked.op(asked.node) != Some(Role::Add) || asked.operands.len() != 2 {
        return None;
    }
    let (product, _, is_first) = made_by(asked, asked.node, "MatMul")?;
    let (data, constant) = if is_first { (0, 1) } else { (1, 0) };
    let weights = product.input(1).is_some_and(|value| is_written(asked, value));
    if !weights
        || product.input(0).is_some_and(|value| is_written(asked, value))
        || !asked.value(constant).is_some_and(|value| is_written(asked, value))
    {
        return None;
    }
    let (shape, own) = (&asked.operands[data], asked.operands[constant].known()?);
    let columns = shape.dims().and_then(|dims| dims.last()).and_then(Dim::size);
    let Some(columns) = columns else {
        return Some(Does::Unknown("reads a bias by the number of columns, which is unknown".into()));
    };
    if own.iter().product::<usize>() == columns {
        return match own.len() {
            0 | 1 => None,
            2 if own[1] == columns => None,
            2 => Some(Does::List { operand: constant, axis: shape.rank()?.checked_sub(1)? }),
            _ => Some(Does::Refused("accepts a bias of one row only with rank 1 or 2".into())),
        };
    }
    let Some(product) = shape.known() else {
        return Some(Does::Unknown("accepts no bias that makes the product larger; the shapes are unknown".into()));
    };
    let result = Rule::numpy().align(&[&product, &own]).ok()?.shape().clone();
    (result.dims() != &*product).then(|| Does::Refused("accepts no bias that makes the product larger".into()))
}

/// Finds sums of a convolution and another computed tensor, which the convolution adds itself, but not where a shape stretches.
pub(super) fn residual(asked: &Asked<'_>) -> Option<bool> {
    let is_sum = asked.op(asked.node) == Some(Role::Add) || asked.node.op == "Sum";
    if !is_sum || asked.operands.len() != 2 {
        return Some(false);
    }
    let maker = |k: usize| asked.producer(asked.origin(asked.value(k)?));
    let is_conv = |k: usize| maker(k).is_some_and(|node| node.op == "Conv");
    let is_computed = |k: usize| maker(k).is_some() && !asked.constants[k];
    let pair = [(0, 1), (1, 0)].into_iter().any(|(conv, other)| is_conv(conv) && is_computed(other));
    if pair { When::Not(&When::EqualShapes).holds(asked) } else { Some(false) }
}

/// Finds a `BatchNormalization` that is multiplied into the weights of a convolution, past a function between the two.
///
/// Nothing else may read what the convolution and the function give; other functions stop it, and so does a node between the two.
pub(super) fn past_function(asked: &Asked<'_>) -> Option<bool> {
    const FUNCTIONS: &[&str] = &["Tanh", "Sigmoid", "Elu", "HardSigmoid", "HardSwish", "Mish", "Gelu"];
    let found = || {
        let data = asked.node.input(0)?;
        let function = asked.producer(data)?;
        let (source, reads) = if FUNCTIONS.contains(&function.op.as_str()) {
            (function.input(0)?, 1)
        } else {
            (product_with_function(asked, function)?, 2)
        };
        let is_read_by = |value, count| !asked.facts.is_output(value) && asked.readers(value).count() == count;
        Some(asked.producer(source)?.op == "Conv" && is_read_by(data, 1) && is_read_by(source, reads))
    };
    Some(asked.node.op == "BatchNormalization" && !asked.fronts.contains(&0) && found() == Some(true))
}

/// Returns x of a last node that the reader fuses: of `x * sigmoid(x)`, `x * hard_sigmoid(x)`, `x * tanh(softplus(x))` and `x * (1 + erf(x / sqrt 2)) / 2`.
fn product_with_function(asked: &Asked<'_>, node: &Node) -> Option<ValueId> {
    let maker = |value: Option<ValueId>, op: &str| asked.producer(value?).filter(|node| node.op == op);
    let product = |node: &Node, op: &str| {
        let (maker, data, _) = made_by(asked, node, op).filter(|_| node.op == "Mul")?;
        Some((maker.input(0)?, data))
    };
    let of_sigmoid = || product(node, "Sigmoid");
    let of_hard_sigmoid = || {
        let found = product(node, "HardSigmoid")?;
        let slope = made_by(asked, node, "HardSigmoid")?.0.attribute("alpha").and_then(Attribute::float)?;
        // Other slopes make no HardSwish.
        ((slope - 1.0 / 6.0).abs() < 1e-3).then_some(found)
    };
    let of_softplus = || {
        let (inner, data) = product(node, "Tanh")?;
        let of_nodes = || {
            let sum = maker(maker(Some(inner), "Log")?.input(0), "Add")?;
            made_by(asked, sum, "Exp")?.0.input(0)
        };
        Some((maker(Some(inner), "Softplus").and_then(|node| node.input(0)).or_else(of_nodes)?, data))
    };
    let of_erf = || {
        let (product, ..) = made_by(asked, node, "Mul")?;
        let (sum, data, _) = made_by(asked, product, "Add")?;
        let (erf, ..) = made_by(asked, sum, "Erf")?;
        Some((maker(erf.input(0), "Div")?.input(0)?, data))
    };
    let (inner, data) = of_sigmoid().or_else(of_hard_sigmoid).or_else(of_softplus).or_else(of_erf)?;
    (inner == data).then_some(data)
}

/// Says whether a tensor may be kept with its channels in blocks: what makes it, or makes what it is computed from, is a layer of images.
pub(super) fn is_in_blocks(asked: &Asked<'_>, value: ValueId) -> bool {
    const LAYERS: &[&str] =
        &["Conv", "ConvTranspose", "MaxPool", "AveragePool", "GlobalAveragePool", "BatchNormalization", "Resize"];
    let mut values = vec![value];
    for _ in 0..REACH {
        let Some(node) = values.pop().map(|value| asked.producer(asked.origin(value))) else { return false };
        if node.is_some_and(|node| LAYERS.contains(&node.op.as_str())) {
            return true;
        }
        values.extend(node.into_iter().flat_map(|node| node.inputs.iter().flatten().copied()));
    }
    true
}

/// Says whether a convolution makes a value.
pub(super) fn is_made_by_conv(asked: &Asked<'_>, value: ValueId) -> bool {
    asked.producer(asked.origin(value)).is_some_and(|node| matches!(node.op.as_str(), "Conv" | "ConvTranspose"))
}

/// Says whether the scale and the zero point of a quantisation have different shapes.
pub(super) fn has_other_zero(asked: &Asked<'_>) -> Option<bool> {
    let shape = |input| asked.node.input(input).and_then(|value| asked.shape(value)).and_then(SymbolicShape::known);
    Some(asked.node.input(2).is_some() && matches!((shape(1), shape(2)), (Some(scale), Some(zero)) if scale != zero))
}

/// Says whether the node is a part of a layer whose inputs are dequantised and whose result is quantised again.
pub(super) fn is_in_integers(asked: &Asked<'_>) -> Option<bool> {
    let node = match asked.node.op.as_str() {
        "DequantizeLinear" if is_pooled(asked) => return Some(true),
        "DequantizeLinear" => asked.reader(asked.node.output(0)?).map(|(reader, _)| reader),
        "QuantizeLinear" => asked.producer(asked.node.input(0)?),
        _ => Some(asked.node),
    };
    let made_by = |value, op| asked.producer(value).is_some_and(|node| node.op == op);
    let is_layer = |node: &Node| {
        let result = node.output(0);
        let mut inputs = node.inputs.iter().flatten().filter(|value| !asked.facts.is_constant(**value)).peekable();
        inputs.peek().is_some()
            && inputs.all(|value| made_by(*value, "DequantizeLinear"))
            && result.is_some_and(|value| asked.readers(value).any(|(reader, _)| reader.op == "QuantizeLinear"))
    };
    Some(node.is_some_and(is_layer))
}

/// Says whether a dequantised tensor is pooled.
fn is_pooled(asked: &Asked<'_>) -> bool {
    let result = asked.node.output(0);
    result.is_some_and(|value| asked.readers(value).any(|(reader, _)| reader.op == "MaxPool"))
}
