//! ONNX, every opset: the rows of its table, and the operands of `Gemm` and the normalisations that broadcast.

use broadaxe::{
    System,
    frameworks::{self, Row},
};
use broadaxe_shape::Rule;

use super::{Kind, Meaning, Operator, Source, attributes, of_inputs};
use crate::graph::{Attribute, Node};

/// Reads a node of the standard domain.
pub(super) fn read(node: &Node) -> Option<Result<Meaning, String>> {
    if !matches!(node.domain.as_str(), "" | "ai.onnx") {
        return None;
    }
    match node.op.as_str() {
        "Gemm" => gemm(node).map(Ok),
        "LayerNormalization" | "RMSNormalization" => affine(node).map(Ok),
        name => {
            let row = attributes::row(System::Onnx, name, node.version)?;
            Some(row.and_then(|row| element_wise(node, row)))
        }
    }
}

fn element_wise(node: &Node, row: &'static Row) -> Result<Meaning, String> {
    let mut attributes = attributes::of_row(node, System::Onnx, row);
    let (least, most) = row.operands();
    let (kind, rule) = match row.rule() {
        "-" if row.name() == "Clip" && node.inputs.iter().skip(1).any(Option::is_some) => {
            return bounds(node, attributes);
        }
        "-" => (Kind::Unary, Rule::numpy()),
        "bidirectional" => {
            return Ok(of_inputs(node, 1, Kind::Stretch, Operator::Copy, Rule::bidirectional([])));
        }
        "unidirectional" => (Kind::Slope, Rule::unidirectional()),
        "onnx-legacy" => (Kind::Slope, Rule::onnx_legacy(Some(1))),
        "numpy" => (of_count(most), Rule::numpy()),
        "none" => (of_count(most), Rule::none()),
        _ => (of_count(most), legacy(node, &mut attributes)),
    };
    let count = if kind == Kind::Unary { 1 } else { most };
    let given = node.inputs.iter().take(count).filter(|input| input.is_some()).count();
    if given < least.min(count) || given < node.inputs.len().min(count) {
        return Err(format!("{} takes {least} operands or more; {given} are given", row.name()));
    }
    let op = Operator::Call { system: System::Onnx, name: row.name().to_string(), attributes };
    Ok(of_inputs(node, count, kind, op, rule))
}

fn of_count(most: usize) -> Kind {
    match most {
        2 => Kind::Binary,
        3 => Kind::Select,
        _ => Kind::Many,
    }
}

/// Before opset 7 nothing broadcasts but under `broadcast=1`; `axis` then says where the second operand starts.
fn legacy(node: &Node, attributes: &mut Vec<(&'static str, frameworks::Attribute)>) -> Rule {
    if node.attribute("broadcast").and_then(Attribute::int).unwrap_or(0) == 0 {
        return Rule::none();
    }
    attributes.push(("broadcast", frameworks::Attribute::Int(1)));
    let axis = node.attribute("axis").and_then(Attribute::int);
    attributes.extend(axis.map(|axis| ("axis", frameworks::Attribute::Int(axis))));
    Rule::onnx_legacy(axis)
}

/// From opset 11 on the bounds of `Clip` are inputs; one left out counts as a scalar.
fn bounds(node: &Node, attributes: Vec<(&'static str, frameworks::Attribute)>) -> Result<Meaning, String> {
    let bound = |k: usize| if node.input(k).is_some() { Source::Input(k) } else { Source::Scalar };
    let op = Operator::Call { system: System::Onnx, name: "Clip".to_string(), attributes };
    let rule = Rule::new("onnx-clip", broadaxe_shape::Params::default()).map_err(|error| error.to_string())?;
    Ok(Meaning { kind: Kind::Bounds, op, rule, operands: vec![Source::Input(0), bound(1), bound(2)] })
}

/// `Gemm` is element-wise in its C, which stretches to the product; before opset 7 only under `broadcast=1`.
fn gemm(node: &Node) -> Option<Meaning> {
    node.input(2)?;
    let rule = match node.attribute("broadcast").and_then(Attribute::int) {
        _ if node.version >= 7 => Rule::gemm_c(),
        Some(1) => Rule::unidirectional(),
        _ => Rule::none(),
    };
    let operands = vec![Source::Result, Source::Input(2)];
    Some(Meaning { kind: Kind::Bias, op: Operator::Own(vec!["add"]), rule, operands })
}

/// The scale and the bias of a normalisation stretch to the data.
fn affine(node: &Node) -> Option<Meaning> {
    let mut operands = vec![Source::Input(0)];
    operands.extend((1..3).filter(|&k| node.input(k).is_some()).map(Source::Input));
    let op = Operator::Own(["mul", "add"].into_iter().take(operands.len() - 1).collect());
    (operands.len() > 1).then(|| Meaning { kind: Kind::Affine, op, rule: Rule::unidirectional(), operands })
}
