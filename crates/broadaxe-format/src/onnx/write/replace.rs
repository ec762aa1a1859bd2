//! Replaces a node by others.

use std::collections::HashMap;

use super::{
    super::element,
    Writer,
    encode::{self, NewNodeMessage},
};
use crate::{
    edit::{NewNode, Wire, rejected},
    error::Error,
    graph::{Element, NodeId},
};

/// The new names of a replacement, and the types of their elements as far as they are known.
type New = HashMap<String, (String, Option<Element>)>;

impl Writer<'_> {
    /// Replaces a node by new ones, each of which may read those before it.
    pub(super) fn replace(&mut self, id: NodeId, with: &[NewNode]) -> Result<(), Error> {
        let field = self.index.nodes[id.0 as usize];
        let outputs = self.draft(id)?.outputs.clone();
        let stem = outputs.iter().find(|name| !name.is_empty()).cloned().unwrap_or_default();
        let (mut new, mut bytes, mut made) = (New::new(), Vec::new(), Vec::new());
        for node in with {
            let element = self.element(id, node, &new);
            let mut inputs = Vec::with_capacity(node.inputs.len());
            for wire in &node.inputs {
                inputs.push(self.wire(id, wire, &stem, element.as_ref(), &new)?);
            }
            let output = self.output(id, &node.output, &stem, element, &mut new)?;
            let old = outputs.contains(&output);
            let name = if old { self.model.node(id).name.clone() } else { output.clone() };
            let node = NewNodeMessage {
                name: &name,
                op: &node.op,
                inputs: &inputs,
                output: &output,
                attributes: &node.attributes,
            };
            bytes.extend(node.field(field.number));
            made.push(output);
        }
        if let Some(lost) = outputs.iter().find(|name| !name.is_empty() && !made.contains(name)) {
            return Err(rejected(format!("no new node computes {lost:?}, an output of the replaced node")));
        }
        self.draft(id)?.instead = Some(bytes);
        Ok(())
    }

    /// Returns the type of the elements of a new node's first input, else of the first input of the replaced node.
    fn element(&self, id: NodeId, node: &NewNode, new: &New) -> Option<Element> {
        let of = |value| self.model.value(value).element.clone();
        let own = node.inputs.iter().find_map(|wire| match wire {
            Wire::Old(value) if (value.0 as usize) < self.model.values.len() => of(*value),
            Wire::New(word) => new.get(word).and_then(|(_, element)| element.clone()),
            _ => None,
        });
        own.or_else(|| self.model.node(id).input(0).and_then(of)).or_else(|| self.model.node(id).output(0).and_then(of))
    }

    /// Names the output of a new node, of elements of this type.
    fn output(
        &mut self,
        id: NodeId,
        wire: &Wire,
        stem: &str,
        element: Option<Element>,
        new: &mut New,
    ) -> Result<String, Error> {
        match wire {
            Wire::Old(value) => self.name_at(id, *value),
            Wire::New(word) => {
                let name = self.name(stem, word);
                match new.insert(word.clone(), (name.clone(), element)) {
                    Some(_) => Err(rejected(format!("two new nodes compute {word:?}"))),
                    None => Ok(name),
                }
            }
            Wire::Ints(_) | Wire::Number(_) => {
                Err(rejected("the output of a new node must be a value, not a constant"))
            }
        }
    }

    fn wire(
        &mut self,
        id: NodeId,
        wire: &Wire,
        stem: &str,
        element: Option<&Element>,
        new: &New,
    ) -> Result<String, Error> {
        let graph = self.model.node(id).graph;
        match wire {
            Wire::Old(value) => self.name_at(id, *value),
            Wire::New(word) => {
                let known = new.get(word).map(|(name, _)| name.clone());
                known.ok_or_else(|| rejected(format!("no earlier new node computes {word:?}")))
            }
            Wire::Ints(values) => self.ints(graph, values, stem, "ints"),
            Wire::Number(value) => {
                let place = self.called(id);
                let unknown = || rejected(format!("the type of the elements that {place} reads is not known"));
                let element = element.ok_or_else(unknown)?;
                let (code, dtype) = element::code(element).zip(element.dtype()).ok_or_else(unknown)?;
                let key = (graph, format!("{value:e} {element}"));
                if let Some(name) = self.made.get(&key) {
                    return Ok(name.clone());
                }
                let name = self.name(stem, "number");
                self.hold(graph, &name, (code, &[]), encode::tensor(&name, &[], code, &encode::number(dtype, *value)))?;
                self.made.insert(key, name.clone());
                Ok(name)
            }
        }
    }
}
