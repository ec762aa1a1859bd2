//! A layer replaced by others.

use std::collections::HashMap;

use super::{Editor, SWAPPED, float, parameter_word, refuse};
use crate::{
    edit::{Change, NewNode, Scalar, Wire},
    error::Error,
    format::ncnn::{draft::Item, params::parameter, weights::loads},
    graph::{Attribute, Model, Node, NodeId, ValueId},
};

impl Editor<'_> {
    pub(super) fn replace(&mut self, node: NodeId, with: &[NewNode]) -> Result<(), Error> {
        let known = self.model.node(node);
        let index = self.draft.find(node)?;
        self.keeps_weights(known, with)?;
        let mut names: HashMap<&str, String> = HashMap::new();
        let mut items = Vec::with_capacity(with.len());
        for new in with {
            items.push(self.layer(known, new, &mut names)?);
        }
        for output in known.outputs.iter().flatten() {
            let name = &self.model.value(*output).name;
            if !items.iter().any(|item: &Item| item.outputs.contains(name)) {
                return Err(refuse(&format!("{name} is made by nothing that replaces {} {}", known.op, known.name)));
            }
        }
        let after: Vec<&str> = with.iter().map(|new| new.op.as_str()).collect();
        let change = Change { what: known.name.clone(), before: known.op.clone(), after: after.join(", ") };
        // The last takes the name.
        if let Some(last) = items.last_mut() {
            last.name.clone_from(&known.name);
        }
        self.changes.push(change);
        self.draft.items.splice(index..=index, items);
        Ok(())
    }

    fn layer<'e>(&mut self, old: &Node, new: &'e NewNode, names: &mut HashMap<&'e str, String>) -> Result<Item, Error> {
        let mut words = Vec::new();
        for (name, value) in &new.attributes {
            words.push((number(&new.op, name)?, value.clone()));
        }
        let inputs = match (&new.inputs[..], new.op.as_str()) {
            ([wire, Wire::Number(value)] | [Wire::Number(value), wire], "BinaryOp") => {
                if matches!(new.inputs[0], Wire::Number(_)) {
                    exchange(&mut words);
                }
                words.extend([(1, Scalar::Int(1)), (2, Scalar::Float(*value))]);
                vec![self.wire(wire, names)?]
            }
            (wires, _) => wires.iter().map(|wire| self.wire(wire, names)).collect::<Result<_, _>>()?,
        };
        let output = match &new.output {
            Wire::New(word) => {
                let name = self.draft.fresh(&format!("{}_{word}", old.name));
                names.insert(word, name.clone());
                name
            }
            wire => self.wire(wire, names)?,
        };
        words.sort_by_key(|(number, _)| *number);
        let words =
            words.iter().map(|(number, value)| parameter_word(*number, value)).collect::<Result<Vec<_>, _>>()?;
        let layer = self.draft.fresh(&format!("{}_{}", old.name, new.op.to_lowercase()));
        Ok(Item::new(&new.op, layer, inputs, vec![output]).with(words))
    }

    fn wire(&self, wire: &Wire, names: &HashMap<&str, String>) -> Result<String, Error> {
        match wire {
            Wire::Old(value) => Ok(self.blob(*value)),
            Wire::New(word) => {
                names.get(word.as_str()).cloned().ok_or_else(|| refuse(&format!("{word} is read before it is made")))
            }
            Wire::Ints(_) => Err(refuse("whole numbers are parameters in ncnn, no inputs; use attributes")),
            Wire::Number(value) => {
                Err(refuse(&format!("the number {} can be an operand of BinaryOp only", float(*value)?)))
            }
        }
    }

    fn blob(&self, value: ValueId) -> String {
        self.model.value(value).name.clone()
    }

    /// Refuses layers that would read something else of the file of weights than the one they replace.
    fn keeps_weights(&self, old: &Node, with: &[NewNode]) -> Result<(), Error> {
        let mut new = Vec::new();
        for node in with {
            let found = loads(&sketch(self.model, node)?);
            new.extend(
                found.ok_or_else(|| refuse(&format!("what {} reads of the weights is not known here", node.op)))?,
            );
        }
        if loads(old).is_some_and(|old| old == new) {
            return Ok(());
        }
        let message = format!(
            "{} {} reads the file of weights, and what replaces it must read as much in the same order, as a MemoryData can",
            old.op, old.name
        );
        Err(refuse(&message))
    }
}

fn number(op: &str, name: &str) -> Result<i64, Error> {
    let number = parameter(op, name).and_then(|number| number.parse().ok());
    number.ok_or_else(|| refuse(&format!("{op} has no parameter {name} that is known here; use its number, 0 to 31")))
}

/// Takes the operation that means the same with exchanged operands.
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
    let mut attributes = Vec::new();
    for (name, value) in &new.attributes {
        let value = match value {
            Scalar::Int(value) => Attribute::Int(*value),
            Scalar::Float(value) => Attribute::Float(*value),
            Scalar::Text(text) => Attribute::Text(text.clone()),
            Scalar::Ints(values) => Attribute::Ints(values.clone()),
            Scalar::Floats(values) => Attribute::Floats(values.clone()),
        };
        attributes.push((number(&new.op, name)?.to_string(), value));
    }
    Ok(Node {
        name: String::new(),
        graph: crate::graph::GraphId(0),
        domain: String::new(),
        op: new.op.clone(),
        version: 0,
        attributes,
        inputs: vec![None; new.inputs.len()],
        outputs: vec![None],
        bodies: Vec::new(),
        place: model.format.to_owned(),
    })
}
