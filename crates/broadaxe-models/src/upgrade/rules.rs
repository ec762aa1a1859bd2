//! Lists the changes of ONNX's operators between opsets 1 and 7: a row for each.

use super::{
    Case, Turn,
    legacy::{broadcast, gemm, slope},
};
use crate::{
    attributes::whole_numbers,
    edit::{Edit, NewNode, Scalar, Wire},
    graph::Attribute,
};

/// One change of an operator.
pub(super) struct Rule {
    /// The operator.
    pub op: &'static str,
    /// The opset of the change: models of lower ones are concerned.
    pub before: i64,
    /// What is to be done.
    pub apply: fn(&Case<'_>, &mut Turn) -> Result<(), String>,
}

const fn rule(op: &'static str, before: i64, apply: fn(&Case<'_>, &mut Turn) -> Result<(), String>) -> Rule {
    Rule { op, before, apply }
}

/// All changes but the attribute `consumed_inputs`, which is dropped everywhere.
#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    rule("Add", 7, broadcast), rule("Sub", 7, broadcast), rule("Mul", 7, broadcast), rule("Div", 7, broadcast),
    rule("Pow", 7, broadcast), rule("And", 7, broadcast), rule("Or", 7, broadcast), rule("Xor", 7, broadcast),
    rule("Equal", 7, broadcast), rule("Greater", 7, broadcast), rule("Less", 7, broadcast),
    rule("PRelu", 7, slope), rule("Gemm", 7, gemm),
    rule("BatchNormalization", 7, batch_normalization), rule("Dropout", 7, dropout), rule("Upsample", 7, upsample),
    rule("RNN", 7, sequence), rule("LSTM", 7, sequence), rule("GRU", 7, sequence),
    rule("Cast", 6, cast), rule("Selu", 6, selu), rule("Tile", 6, tile),
    rule("Reshape", 5, reshape), rule("Concat", 4, concat),
    rule("Split", 2, split), rule("Pad", 2, pad), rule("LpPool", 2, norm), rule("GlobalLpPool", 2, norm),
];

/// The operators of opsets 1 to 6 that mean the same under opset 7.
#[rustfmt::skip]
pub(super) static UNCHANGED: &[&str] = &[
    "Abs", "ArgMax", "ArgMin", "AveragePool", "Ceil", "Clip", "Constant", "Conv", "ConvTranspose", "DepthToSpace", "Elu",
    "Exp", "Flatten", "Floor", "Gather", "GlobalAveragePool", "GlobalMaxPool", "HardSigmoid", "Hardmax", "Identity", "If",
    "InstanceNormalization", "LRN", "LeakyRelu", "Log", "LogSoftmax", "Loop", "LpNormalization", "MatMul", "Max",
    "MaxPool", "MaxRoiPool", "Mean", "Min", "Neg", "Not", "RandomNormal", "RandomNormalLike", "RandomUniform",
    "RandomUniformLike", "Reciprocal", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
    "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Relu", "Shape", "Sigmoid", "Size", "Slice",
    "Softmax", "Softplus", "Softsign", "SpaceToDepth", "Sqrt", "Squeeze", "Sum", "Tanh", "TopK", "Transpose", "Unsqueeze",
];

/// Drops `is_test`: from opset 7 on the number of outputs says it.
fn batch_normalization(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    if (1..5).any(|k| case.model.node(case.id).output(k).is_some()) {
        return Err("this one trains, since it has more than one output; export the model for inference".to_string());
    }
    case.drop(turn, "is_test");
    Ok(())
}

/// Drops `is_test`, which must be set: from opset 7 on the runtime decides, and for inference it is a copy.
fn dropout(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    let ratio = case.number("ratio").unwrap_or(0.5);
    if case.int("is_test")?.unwrap_or(0) == 0 && ratio != 0.0 {
        return Err(
            "is_test is not 1, so this one drops at random; set it to 1, or export the model for inference".into()
        );
    }
    case.drop(turn, "is_test");
    Ok(())
}

/// Turns two scales into a list, one for each axis.
fn upsample(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    let (height, width) = (case.number("height_scale"), case.number("width_scale"));
    let (Some(height), Some(width)) = (height, width) else {
        return Err("height_scale and width_scale must both be given".to_string());
    };
    if case.model.node(case.id).attribute("mode").and_then(Attribute::text) == Some("bilinear") {
        turn.set(case.id, "mode", Some(Scalar::Text("linear".to_string())));
    }
    turn.set(case.id, "scales", Some(Scalar::Floats(vec![1.0, 1.0, height, width])));
    case.drop(turn, "height_scale");
    case.drop(turn, "width_scale");
    Ok(())
}

/// Drops `output_sequence`: from opset 7 on the first output is made wherever it is named.
fn sequence(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    case.drop(turn, "output_sequence");
    // The default of the first schema of GRU was misspelt.
    if case.model.node(case.id).attribute("direction").and_then(Attribute::text) == Some("foward") {
        turn.set(case.id, "direction", Some(Scalar::Text("forward".to_string())));
    }
    Ok(())
}

/// Numbers of the element types that a Cast of opset 1 names, as in `TensorProto.DataType`.
const TYPES: &[(&str, i64)] = &[
    ("FLOAT", 1),
    ("UINT8", 2),
    ("INT8", 3),
    ("UINT16", 4),
    ("INT16", 5),
    ("INT32", 6),
    ("INT64", 7),
    ("STRING", 8),
    ("BOOL", 9),
    ("FLOAT16", 10),
    ("DOUBLE", 11),
    ("UINT32", 12),
    ("UINT64", 13),
];

/// Turns the name of the type into its number.
fn cast(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    let named = case.model.node(case.id).attribute("to");
    let Some(named) = named.and_then(Attribute::text) else {
        // Exporters wrote numbers before they were the rule.
        return named.and_then(Attribute::int).map(drop).ok_or_else(|| "the attribute to must name a type".to_string());
    };
    let found = TYPES.iter().find(|(name, _)| name.eq_ignore_ascii_case(named));
    let (_, number) = found.ok_or_else(|| format!("the type {named} is not known"))?;
    turn.set(case.id, "to", Some(Scalar::Int(*number)));
    Ok(())
}

/// Writes the defaults of opset 1 out, since those of opset 6 have more digits.
fn selu(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    for (name, value) in [("alpha", 1.6732), ("gamma", 1.0507)] {
        if case.model.node(case.id).attribute(name).is_none() {
            turn.set(case.id, name, Some(Scalar::Float(value)));
        }
    }
    Ok(())
}

/// Turns the count and the axis into a count for each axis.
fn tile(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    let (tiles, axis) = (case.whole(1), case.whole(2));
    let (Some(&[tiles]), Some(&[axis])) = (tiles.as_deref(), axis.as_deref()) else {
        return Err("tiles and axis must be constants of one element".to_string());
    };
    let rank = case.shape(0).rank().ok_or("the rank of the input is not known")?;
    let axis = usize::try_from(axis).ok().filter(|&axis| axis < rank);
    let axis = axis.ok_or_else(|| format!("axis must be below the rank, {rank}"))?;
    let repeats = (0..rank).map(|k| if k == axis { tiles } else { 1 }).collect();
    turn.replace(case, "Tile", repeats)
}

/// Turns the attribute `shape` into an input.
fn reshape(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    let shape = case.model.node(case.id).attribute("shape").and_then(Attribute::ints);
    let shape = shape.ok_or("the attribute shape must be given")?.to_vec();
    turn.replace(case, "Reshape", shape)
}

/// Writes out the axis that was the default.
fn concat(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    if case.int("axis")?.is_none() {
        turn.set(case.id, "axis", Some(Scalar::Int(1)));
    }
    Ok(())
}

/// Turns the lengths from an input into an attribute.
fn split(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    let node = case.model.node(case.id);
    let axis = case.int("axis")?.ok_or("the attribute axis must be given, since opset 1 has no default for it")?;
    if node.input(1).is_none() {
        return Ok(());
    }
    let lengths = case.whole(1).ok_or("the lengths must be a constant")?;
    let &[Some(input), _] = &node.inputs[..] else { return Err("it needs one input, and lengths".to_string()) };
    if node.outputs.len() > 1 {
        return Err("lengths that are an input cannot be turned; give them as the attribute split".to_string());
    }
    let output = node.output(0).ok_or("it has no output")?;
    let attributes = vec![("axis".to_string(), Scalar::Int(axis)), ("split".to_string(), Scalar::Ints(lengths))];
    let new = NewNode { op: "Split".into(), inputs: vec![Wire::Old(input)], output: Wire::Old(output), attributes };
    turn.edits.push(Edit::Replace { node: case.id, with: vec![new] });
    turn.texts.push("give the lengths as an attribute".to_string());
    Ok(())
}

/// Renames `paddings`.
fn pad(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    let pads = case.model.node(case.id).attribute("paddings").and_then(Attribute::ints);
    let pads = pads.ok_or("the attribute paddings must be given")?.to_vec();
    turn.set(case.id, "pads", Some(Scalar::Ints(pads)));
    case.drop(turn, "paddings");
    Ok(())
}

/// Turns the exponent into a whole number.
fn norm(case: &Case<'_>, turn: &mut Turn) -> Result<(), String> {
    let node = case.model.node(case.id);
    if node.op == "LpPool" && node.attribute("kernel_shape").is_none() {
        return Err("the attribute kernel_shape must be given".to_string());
    }
    let Some(p) = case.number("p") else { return Ok(()) };
    if p.fract() != 0.0 || !(0.0..=64.0).contains(&p) {
        return Err(format!("p is {p}, and from opset 2 on it is a whole number"));
    }
    turn.set(case.id, "p", Some(Scalar::Int(p as i64)));
    Ok(())
}

impl Case<'_> {
    /// Removes an attribute, if the node has it.
    fn drop(&self, turn: &mut Turn, name: &str) {
        if self.model.node(self.id).attribute(name).is_some() {
            turn.set(self.id, name, None);
        }
    }

    /// Returns a number that is an attribute.
    fn number(&self, name: &str) -> Option<f64> {
        match self.model.node(self.id).attribute(name)? {
            Attribute::Float(value) => Some(*value),
            Attribute::Int(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// Returns the whole numbers in a constant input, if there are few.
    fn whole(&self, input: usize) -> Option<Vec<i64>> {
        whole_numbers(self.model, self.model.node(self.id).input(input)?)
    }
}

impl Turn {
    /// Replaces a node by one with a constant list as its second input.
    fn replace(&mut self, case: &Case<'_>, op: &str, list: Vec<i64>) -> Result<(), String> {
        let node = case.model.node(case.id);
        let (Some(input), Some(output)) = (node.input(0), node.output(0)) else {
            return Err("it needs an input and an output".to_string());
        };
        self.texts.push(format!("give {list:?} as an input"));
        let inputs = vec![Wire::Old(input), Wire::Ints(list)];
        let new = NewNode { op: op.to_string(), inputs, output: Wire::Old(output), attributes: vec![] };
        self.edits.push(Edit::Replace { node: case.id, with: vec![new] });
        Ok(())
    }
}
