//! Paddle: the legacy `elementwise_*` operators with their axis, the newer ones that follow NumPy, and `prelu`.

use broadaxe::{
    System,
    frameworks::{self, Row},
};
use broadaxe_shape::Rule;

use super::{Kind, Meaning, Operator, attributes, of_inputs};
use crate::graph::Node;

/// Reads an operator, under its old or its new name (`elementwise_add`, `pd_op.add`).
pub(super) fn read(node: &Node) -> Option<Result<Meaning, String>> {
    let name = node.op.strip_prefix("pd_op.").unwrap_or(&node.op);
    let name = name.strip_suffix('_').unwrap_or(name);
    match name {
        "prelu" => Some(prelu(node)),
        "where" => Some(Ok(of_inputs(node, 3, Kind::Select, Operator::Own(vec!["where"]), Rule::numpy()))),
        "expand" | "expand_v2" => Some(Ok(of_inputs(node, 1, Kind::Stretch, Operator::Copy, Rule::broadcast_to([])))),
        _ => attributes::row(System::Paddle, name, 0)?.map(|row| element_wise(node, row)).into(),
    }
}

fn element_wise(node: &Node, row: &'static Row) -> Meaning {
    let mut attributes = attributes::of_row(node, System::Paddle, row);
    let (kind, rule) = match row.rule() {
        "-" => (Kind::Unary, Rule::numpy()),
        "paddle" => {
            let axis = attributes::int(node, "axis").unwrap_or(-1);
            attributes.push(("axis", frameworks::Attribute::Int(axis)));
            (Kind::Binary, Rule::paddle(axis))
        }
        _ if row.operands().1 == 1 => (Kind::Unary, Rule::numpy()),
        _ => (Kind::Binary, Rule::numpy()),
    };
    let op = Operator::Call { system: System::Paddle, name: row.name().to_string(), attributes };
    of_inputs(node, row.operands().1, kind, op, rule)
}

/// The slope is one number, one per channel, or one per element of an entry of the batch.
fn prelu(node: &Node) -> Result<Meaning, String> {
    let last = attributes::text(node, "data_format").is_some_and(|format| format == "NHWC");
    let rule = match attributes::text(node, "mode").unwrap_or("all") {
        "channel" if last => Rule::pdpd(-1),
        "channel" => Rule::pdpd(1),
        "all" | "element" => Rule::unidirectional(),
        other => return Err(format!("the mode \"{other}\" of prelu is none of all, channel and element")),
    };
    Ok(of_inputs(node, 2, Kind::Slope, Operator::Own(vec!["prelu"]), rule))
}
