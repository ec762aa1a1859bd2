//! ncnn: `BinaryOp` broadcasts by ncnn's own rule, `Eltwise` not at all; some layers hold a tensor per channel themselves.
//!
//! Parameters are known by number; names are taken too.

use broadaxe::{System, frameworks};
use broadaxe_shape::Rule;

use super::{Kind, Meaning, Operator, Source, attributes, of_inputs};
use crate::graph::Node;

/// Says that a layer reads its scale from its second input.
const FROM_INPUT: i64 = -233;

/// Reads a layer.
pub(super) fn read(node: &Node) -> Option<Result<Meaning, String>> {
    match node.op.as_str() {
        "BinaryOp" => Some(Ok(binary(node))),
        "UnaryOp" => {
            let op = call("UnaryOp", parameter(node, "0", "op_type").unwrap_or(0));
            Some(Ok(of_inputs(node, 1, Kind::Unary, op, Rule::numpy())))
        }
        "Eltwise" => Some(eltwise(node)),
        "PReLU" => Some(Ok(channel(node, parameter(node, "0", "num_slope").unwrap_or(0), vec!["prelu"]))),
        "Bias" => Some(Ok(channel(node, parameter(node, "0", "bias_data_size").unwrap_or(0), vec!["add"]))),
        "Scale" => Some(Ok(match parameter(node, "0", "scale_data_size") {
            Some(FROM_INPUT) => Meaning {
                kind: Kind::Binary,
                op: Operator::Own(vec!["mul"]),
                rule: Rule::pdpd(0),
                operands: vec![Source::Input(0), Source::Input(1)],
            },
            size => channel(node, size.unwrap_or(0), vec!["mul"]),
        })),
        _ => None,
    }
}

fn parameter(node: &Node, number: &str, name: &str) -> Option<i64> {
    attributes::int(node, number).or_else(|| attributes::int(node, name))
}

fn call(name: &str, op_type: i64) -> Operator {
    let attributes = vec![("op_type", frameworks::Attribute::Int(op_type))];
    Operator::Call { system: System::Ncnn, name: name.to_string(), attributes }
}

/// With a scalar in place of the second operand nothing broadcasts.
fn binary(node: &Node) -> Meaning {
    let op = call("BinaryOp", parameter(node, "0", "op_type").unwrap_or(0));
    let kind = if node.inputs.len() < 2 { Kind::Unary } else { Kind::Binary };
    of_inputs(node, 2, kind, op, Rule::ncnn())
}

/// `Eltwise` takes equal shapes; it asks nobody whether they are.
fn eltwise(node: &Node) -> Result<Meaning, String> {
    let name = match parameter(node, "0", "op_type").unwrap_or(0) {
        0 => "mul",
        1 => "add",
        2 => "max",
        other => return Err(format!("Eltwise has the operations 0, 1 and 2, not {other}")),
    };
    let op = Operator::Own(vec![name; node.inputs.len().saturating_sub(1)]);
    Ok(of_inputs(node, usize::MAX, Kind::Many, op, Rule::none()))
}

/// One number for all channels, or one for each: for each entry of the slowest axis.
fn channel(node: &Node, size: i64, ops: Vec<&'static str>) -> Meaning {
    let held = Source::Held(vec![usize::try_from(size).unwrap_or(0)]);
    let mut meaning = of_inputs(node, 1, Kind::Channel, Operator::Own(ops), Rule::pdpd(0));
    meaning.operands.push(held);
    meaning
}
