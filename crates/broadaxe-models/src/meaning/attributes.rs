//! Attributes of a node in the kinds that the tables of frameworks ask for, whatever a file writes them as.

use broadaxe::{
    System,
    frameworks::{self, Row, Values, newest_opset, operators},
};

use crate::graph::{Attribute, Node};

/// Reads a whole number, written as one or as text.
pub(super) fn int(node: &Node, name: &str) -> Option<i64> {
    match node.attribute(name)? {
        Attribute::Int(value) => Some(*value),
        Attribute::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// Reads a text.
pub(super) fn text<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    node.attribute(name)?.text()
}

/// Finds the row of an operator that holds at a version; versions above the newest known are taken as it.
pub(super) fn row(system: System, name: &str, version: i64) -> Option<Result<&'static Row, String>> {
    let mut rows = operators(system).filter(|row| row.name() == name).peekable();
    rows.peek()?;
    let first = rows.peek().map_or(0, |row| row.since());
    let found = rows.filter(|row| row.since() <= version.max(0)).max_by_key(|row| row.since());
    Some(found.ok_or_else(|| format!("{name} first appears in opset {first}, but the model is of opset {version}")))
}

/// Collects the attributes that a row takes, those of its broadcast excepted, and the opset.
pub(super) fn of_row(node: &Node, system: System, row: &Row) -> Vec<(&'static str, frameworks::Attribute)> {
    let mut found: Vec<_> = row
        .attributes()
        .iter()
        .filter_map(|attr| Some((attr.name, convert(node.attribute(attr.name)?, attr.values)?)))
        .collect();
    if let Some(newest) = newest_opset(system) {
        found.push(("opset", frameworks::Attribute::Int(node.version.clamp(row.since(), newest))));
    }
    found
}

fn convert(value: &Attribute, wanted: Values) -> Option<frameworks::Attribute> {
    use frameworks::Attribute as To;
    Some(match (wanted, value) {
        (Values::Flag, Attribute::Text(text)) => To::Bool(matches!(text.as_str(), "true" | "1" | "True")),
        (Values::Int, Attribute::Text(text)) => To::Int(text.trim().parse().ok()?),
        (Values::Float, Attribute::Text(text)) => To::Float(text.trim().parse().ok()?),
        (_, Attribute::Int(value)) => To::Int(*value),
        (_, Attribute::Float(value)) => To::Float(*value),
        (_, Attribute::Text(text)) => To::Text(text.clone()),
        (_, Attribute::Ints(values)) => To::Ints(values.clone()),
        _ => return None,
    })
}
