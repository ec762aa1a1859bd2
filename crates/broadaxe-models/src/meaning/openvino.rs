//! OpenVINO's files: attributes are text, and a PDPD axis that is left out is 0 there, not -1.

use broadaxe::{System, frameworks::Row};
use broadaxe_shape::{Params, Rule};

use super::{Kind, Meaning, Operator, attributes, of_inputs};
use crate::graph::{Model, Node};

/// How many bytes of an `axes_mapping` are read at most.
const MAPPING_BYTES: usize = 8 * 64;

/// Reads a node of one of OpenVINO's opsets.
pub(super) fn read(model: &Model, node: &Node) -> Option<Result<Meaning, String>> {
    if !node.domain.is_empty() && !node.domain.starts_with("opset") {
        return None;
    }
    let version = if node.version > 0 { node.version } else { 17 };
    let row = attributes::row(System::Openvino, &node.op, version)?;
    Some(row.and_then(|row| element_wise(model, node, row)))
}

fn element_wise(model: &Model, node: &Node, row: &'static Row) -> Result<Meaning, String> {
    let count = if row.rule() == "-" { 1 } else { row.operands().1 };
    let given = (0..count).take_while(|&k| node.input(k).is_some()).count();
    if given < count {
        return Err(format!("{} takes {count} operands; {given} are given", row.name()));
    }
    let (kind, rule) = match (row.rule(), row.name()) {
        ("-", _) => (Kind::Unary, Rule::numpy()),
        (_, "Broadcast") => {
            return Ok(of_inputs(node, 1, Kind::Stretch, Operator::Copy, stretch(model, node)?));
        }
        (_, "Select") => (Kind::Select, select(node)?),
        (_, "FakeQuantize") if mode(node) == "none" => (Kind::Quantize, Rule::none()),
        (_, "FakeQuantize") => (Kind::Quantize, Rule::openvino_fake_quantize()),
        (_, "PReLU") => (Kind::Slope, Rule::openvino_prelu()),
        _ => (Kind::Binary, automatic(node)?),
    };
    let given = attributes::of_row(node, System::Openvino, row);
    let attributes = given.into_iter().filter(|(name, _)| *name != "auto_broadcast").collect();
    let op = Operator::Call { system: System::Openvino, name: row.name().to_string(), attributes };
    Ok(of_inputs(node, count, kind, op, rule))
}

/// Reads the axis of PDPD, which the reader of the format keeps as `axis`; OpenVINO takes 0 without one.
fn axis(node: &Node) -> i64 {
    attributes::int(node, "axis").unwrap_or(0)
}

/// Reads how operands broadcast; OpenVINO does not mind capitals.
fn mode(node: &Node) -> String {
    attributes::text(node, "auto_broadcast").unwrap_or("numpy").to_ascii_lowercase()
}

fn automatic(node: &Node) -> Result<Rule, String> {
    match mode(node).as_str() {
        "numpy" => Ok(Rule::numpy()),
        "none" | "explicit" => Ok(Rule::none()),
        "pdpd" => Ok(Rule::pdpd(axis(node))),
        other => Err(format!("auto_broadcast=\"{other}\" is none of numpy, none and pdpd")),
    }
}

fn select(node: &Node) -> Result<Rule, String> {
    let mode = mode(node);
    let mode = if mode == "explicit" { "none" } else { &mode };
    Rule::openvino_select(mode, (mode == "pdpd").then(|| axis(node))).map_err(|error| error.to_string())
}

fn stretch(model: &Model, node: &Node) -> Result<Rule, String> {
    match attributes::text(node, "mode").unwrap_or("numpy") {
        "numpy" => Ok(Rule::broadcast_to([])),
        "bidirectional" => Ok(Rule::bidirectional([])),
        "explicit" => {
            let params = Params { axes: Some(mapping(model, node)?), target: Some([].into()), ..Params::default() };
            Rule::new("explicit", params).map_err(|error| error.to_string())
        }
        other => Err(format!("the mode \"{other}\" of Broadcast is none of numpy, bidirectional and explicit")),
    }
}

/// Reads where each axis goes, a constant of 32 or 64 bits.
fn mapping(model: &Model, node: &Node) -> Result<Vec<i64>, String> {
    let constant = node.input(2).and_then(|value| model.value(value).constant.as_ref());
    let constant = constant.ok_or("axes_mapping is no constant, so that it is not known where the axes go")?;
    let size = match constant.element.dtype().map(broadaxe::DType::name) {
        Some("i64" | "u64") => 8,
        Some("i32" | "u32") => 4,
        _ => return Err("axes_mapping is of neither 32 nor 64 bits".to_string()),
    };
    let bytes = model.elements(constant, MAPPING_BYTES).map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or("axes_mapping has more entries than a shape has axes")?;
    let number = |bytes: &[u8]| {
        let mut wide = [if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 }; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        i64::from_le_bytes(wide)
    };
    Ok(bytes.chunks_exact(size).map(number).collect())
}
