//! Small models for tests, and models as text.

use std::fmt::Write;

use super::super::wire::splice::{bytes, int};
use crate::{
    edit::Edit,
    error::Error,
    graph::{GraphId, Model, ValueId},
    source::Source,
};

/// A message that is being built.
#[derive(Clone, Default)]
pub(super) struct Message(pub(super) Vec<u8>);

impl Message {
    pub(super) fn int(mut self, number: u32, value: i64) -> Self {
        int(&mut self.0, number, value);
        self
    }

    pub(super) fn text(mut self, number: u32, value: &str) -> Self {
        bytes(&mut self.0, number, value.as_bytes());
        self
    }

    pub(super) fn raw(mut self, number: u32, value: &[u8]) -> Self {
        bytes(&mut self.0, number, value);
        self
    }

    pub(super) fn inner(mut self, number: u32, value: &Self) -> Self {
        bytes(&mut self.0, number, &value.0);
        self
    }

    pub(super) fn all<'a>(mut self, number: u32, values: impl IntoIterator<Item = &'a Self>) -> Self {
        for value in values {
            bytes(&mut self.0, number, &value.0);
        }
        self
    }
}

/// A node, written `Add a b -> y`; `_` is an input left out.
pub(super) fn node(text: &str) -> Message {
    let (left, right) = text.split_once("->").unwrap();
    let mut words = left.split_whitespace();
    let op = words.next().unwrap();
    let name = |word: &str| if word == "_" { String::new() } else { word.to_owned() };
    let mut node = Message::default();
    for word in words {
        node = node.text(1, &name(word));
    }
    for word in right.split_whitespace() {
        node = node.text(2, &name(word));
    }
    node.text(4, op)
}

/// An attribute that holds whole numbers.
pub(super) fn ints(name: &str, values: &[i64]) -> Message {
    values.iter().fold(Message::default().text(1, name), |message, value| message.int(8, *value)).int(20, 7)
}

/// An attribute that holds a whole number.
pub(super) fn integer(name: &str, value: i64) -> Message {
    Message::default().text(1, name).int(3, value).int(20, 2)
}

/// An attribute that holds a tensor.
pub(super) fn tensor_attribute(name: &str, tensor: &Message) -> Message {
    Message::default().text(1, name).inner(5, tensor).int(20, 4)
}

/// An attribute that holds a graph.
pub(super) fn graph_attribute(name: &str, graph: &Message) -> Message {
    Message::default().text(1, name).inner(6, graph).int(20, 5)
}

/// A tensor of 1, 2, 3 and so on in `f32`.
pub(super) fn tensor(name: &str, shape: &[i64]) -> Message {
    let count = shape.iter().product::<i64>();
    let raw: Vec<u8> = (1..=count).flat_map(|k| (k as f32).to_le_bytes()).collect();
    let dims = shape.iter().fold(Message::default(), |message, size| message.int(1, *size));
    dims.int(2, 1).text(8, name).raw(9, &raw)
}

/// A recorded value of `f32`; a size is a number, a name, or nothing.
pub(super) fn info(name: &str, shape: &[&str]) -> Message {
    let dim = |size: &&str| match size.parse() {
        Ok(size) => Message::default().int(1, size),
        Err(_) => Message::default().text(2, size),
    };
    let dims: Vec<Message> = shape.iter().map(dim).collect();
    let tensor = Message::default().int(1, 1).inner(2, &Message::default().all(1, &dims));
    Message::default().text(1, name).inner(2, &Message::default().inner(1, &tensor))
}

/// The import of a version.
pub(super) fn opset(domain: &str, version: i64) -> Message {
    Message::default().text(1, domain).int(2, version)
}

/// A model of this version with a graph.
pub(super) fn model(ir: i64, version: i64, graph: &Message) -> Message {
    Message::default().int(1, ir).inner(8, &opset("", version)).inner(7, graph)
}

/// A graph of nodes, written as [`node`] has them, with inputs and outputs of shape `(2, 3)`.
pub(super) fn graph(nodes: &[&str], inputs: &[&str], outputs: &[&str]) -> Message {
    let nodes: Vec<Message> = nodes.iter().map(|text| node(text)).collect();
    let infos = |names: &[&str]| names.iter().map(|name| info(name, &["2", "3"])).collect::<Vec<_>>();
    Message::default().all(1, &nodes).text(2, "g").all(11, &infos(inputs)).all(12, &infos(outputs))
}

/// Reads a model.
pub(super) fn read(message: &Message) -> Result<Model, Error> {
    super::read(&Source::memory(message.0.clone(), None))
}

/// Makes changes to a model and reads it again.
pub(super) fn changed(model: &Model, edits: &[Edit]) -> Result<Model, Error> {
    let mut bytes = Vec::new();
    crate::write(model, edits)?.files[0].write(model, &mut bytes).unwrap();
    super::read(&Source::memory(bytes, model.source.path().map(std::path::Path::to_path_buf)))
}

/// Finds a value by name.
pub(super) fn value(model: &Model, name: &str) -> ValueId {
    let found = model.values.iter().position(|value| value.name == name);
    ValueId(found.unwrap_or_else(|| panic!("there is no value {name}")) as u32)
}

/// Writes a model as text: constants with their shapes, then nodes, bodies further in.
pub(super) fn text(model: &Model) -> String {
    let mut text = String::new();
    for (domain, version) in &model.opsets {
        writeln!(text, "opset {domain}{version}").unwrap();
    }
    list(model, GraphId(0), "", &mut text);
    text.trim_end().to_owned()
}

fn list(model: &Model, graph: GraphId, indent: &str, text: &mut String) {
    let name = |id: &Option<ValueId>| id.map_or_else(|| "_".to_owned(), |id| model.value(id).name.clone());
    for value in model.values.iter().filter(|value| value.graph == graph && value.producer.is_none()) {
        if let Some(constant) = &value.constant {
            writeln!(text, "{indent}{} = {} {:?}", value.name, constant.element, constant.shape).unwrap();
        }
    }
    for &id in &model.graph(graph).nodes {
        let node = model.node(id);
        let inputs: Vec<String> = node.inputs.iter().map(name).collect();
        let outputs: Vec<String> = node.outputs.iter().map(name).collect();
        write!(text, "{indent}{} = {}({})", outputs.join(", "), node.op, inputs.join(", ")).unwrap();
        for (name, value) in &node.attributes {
            match value {
                crate::graph::Attribute::Tensor(tensor) => {
                    write!(text, " {name}={} {:?}", tensor.element, tensor.shape).unwrap();
                }
                value => write!(text, " {name}={value:?}").unwrap(),
            }
        }
        text.push('\n');
        for &body in &node.bodies {
            list(model, body, &format!("{indent}  "), text);
        }
    }
}
