//! Replaces a layer by others.

use super::{NcnnEditor, SWAPPED, parameter_word};
use crate::{
    edit::{NewNode, Scalar, Wire, rejected},
    error::Error,
    graph::{Model, Node, NodeId},
    ncnn::{draft::change::NewLayerParts, params::parameter, weights::loads},
};

impl NcnnEditor<'_> {
    pub(super) fn replace(&mut self, node: NodeId, with: &[NewNode]) -> Result<(), Error> {
        self.keeps_weights(self.model.node(node), with)?;
        self.draft.replace(self.model, node, with, parts)
    }

    /// Rejects layers that would read something else of the file of weights than the one they replace.
    fn keeps_weights(&self, old: &Node, with: &[NewNode]) -> Result<(), Error> {
        let mut new = Vec::new();
        for node in with {
            let found = loads(&sketch(self.model, node)?);
            new.extend(found.ok_or_else(|| rejected(format!("the weights that {} reads are not known", node.op)))?);
        }
        if loads(old).is_some_and(|old| old == new) {
            return Ok(());
        }
        let message = format!(
            "{} {} reads the file of weights, and what replaces it must read as much in the same order, as a MemoryData can",
            old.op, old.name
        );
        Err(rejected(message))
    }
}

/// Returns the words of a new layer; a number becomes a parameter of `BinaryOp`.
fn parts(new: &NewNode) -> Result<NewLayerParts, Error> {
    let mut words = Vec::new();
    for (name, value) in &new.attributes {
        words.push((number(&new.op, name)?, value.clone()));
    }
    let mut inputs = new.inputs.clone();
    if let ([wire, Wire::Number(value)] | [Wire::Number(value), wire], "BinaryOp") = (&new.inputs[..], new.op.as_str())
    {
        if matches!(new.inputs[0], Wire::Number(_)) {
            exchange(&mut words);
        }
        words.extend([(1, Scalar::Int(1)), (2, Scalar::Float(*value))]);
        inputs = vec![wire.clone()];
    }
    words.sort_by_key(|(number, _)| *number);
    let words = words.iter().map(|(number, value)| parameter_word(*number, value)).collect::<Result<Vec<_>, _>>()?;
    Ok((inputs, words, new.op.to_lowercase()))
}

fn number(op: &str, name: &str) -> Result<i64, Error> {
    let number = parameter(op, name).and_then(|number| number.parse().ok());
    number.ok_or_else(|| rejected(format!("{op} has no known parameter {name}; use its number, 0 to 31")))
}

/// Sets the operation that computes the same with exchanged operands.
fn exchange(words: &mut Vec<(i64, Scalar)>) {
    let before = words.iter().find(|(number, _)| *number == 0);
    let before = if let Some((_, Scalar::Int(before))) = before { *before } else { 0 };
    let pair = SWAPPED.iter().find(|(one, other)| *one == before || *other == before);
    let after = pair.map_or(before, |&(one, other)| if one == before { other } else { one });
    words.retain(|(number, _)| *number != 0);
    words.push((0, Scalar::Int(after)));
}

/// Makes a node of what a change says, to ask for its weights.
fn sketch(model: &Model, new: &NewNode) -> Result<Node, Error> {
    let attribute = |(name, value): &(String, Scalar)| Ok((number(&new.op, name)?.to_string(), value.clone().into()));
    let attributes = new.attributes.iter().map(attribute).collect::<Result<_, Error>>()?;
    let (op, place) = (new.op.clone(), model.format.to_owned());
    let (inputs, outputs) = (vec![None; new.inputs.len()], vec![None]);
    Ok(Node { op, attributes, inputs, outputs, place, ..Node::default() })
}
