//! Nodes: what they read and make, their attributes and bodies.

use broadaxe_op::DType;

use super::{
    super::{
        super::wire::{Around, Field, Span},
        arity,
        attribute::AttributeValue as Found,
        limits,
        schema::{NODE_ATTRIBUTE, NODE_DOMAIN, NODE_INPUT, NODE_NAME, NODE_OP, NODE_OUTPUT, NODE_OVERLOAD, NODE_PROTO},
    },
    Build, Inside, prefix, standard,
};
use crate::{
    error::{Error, ErrorKind},
    graph::{Attribute, Constant, Data, Element, GraphId, Node, NodeId},
};

/// A node as the file has it.
#[derive(Default)]
pub(super) struct NodeMessage {
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    pub(super) name: String,
    pub(super) op: String,
    pub(super) domain: String,
    pub(super) overload: String,
    pub(super) attributes: Vec<Field>,
}

impl NodeMessage {
    /// Makes the node without its inputs, attributes, outputs and bodies.
    fn bare(&self, graph: GraphId, version: i64, (place, number): (String, usize)) -> Node {
        Node {
            name: self.name.clone(),
            graph,
            domain: self.domain.clone(),
            op: self.op.clone(),
            version,
            attributes: Vec::with_capacity(self.attributes.len()),
            inputs: Vec::new(),
            outputs: Vec::with_capacity(self.outputs.len()),
            bodies: Vec::new(),
            place,
            number: number as u64,
            line: None,
        }
    }
}

impl Build<'_> {
    /// Reads nodes in order.
    pub(super) fn nodes(&mut self, fields: &[Field], inside: &Inside) -> Result<(), Error> {
        for k in 0..fields.len() {
            self.node(fields, k, inside)?;
        }
        Ok(())
    }

    /// Reads a node: its inputs, attributes and outputs, in the order in which names come into scope.
    fn node(&mut self, fields: &[Field], number: usize, inside: &Inside) -> Result<(), Error> {
        let field = &fields[number];
        let written = self.written(field.span()?)?;
        let place = format!("{}node {number}", inside.prefix);
        let at = |error: Error| error.at(called(&place, &written));
        let version =
            inside.opsets.iter().find(|(domain, _)| *domain == written.domain).map_or(0, |(_, version)| *version);
        self.check(&written, version).map_err(at)?;
        let mut inputs = Vec::with_capacity(written.inputs.len());
        for name in &written.inputs {
            let found = if name.is_empty() { Some(None) } else { self.scopes.find(name) };
            inputs.push(found.ok_or_else(|| at(self.unmade(name, fields, number)))?);
        }
        let id = NodeId(self.model.nodes.len() as u32);
        self.index.nodes.push(*field);
        let bare = written.bare(inside.graph, version, (place.clone(), number));
        self.model.nodes.push(Node { inputs, ..bare });
        self.model.graphs[inside.graph.0 as usize].nodes.push(id);
        let constant = self.attributes(id, &written, inside).map_err(at)?;
        self.call(id, &written, inside).map_err(at)?;
        for (k, name) in written.outputs.iter().enumerate() {
            let mut output = None;
            if !name.is_empty() {
                let found = self.recorded(inside.infos.get(name).copied(), inside)?;
                let value = self.define(name.clone(), found, inside).map_err(at)?;
                self.model.values[value.0 as usize].producer = Some((id, k));
                output = Some(value);
            }
            self.model.nodes[id.0 as usize].outputs.push(output);
        }
        if let (Some(constant), Some(value)) = (constant, self.model.node(id).output(0)) {
            self.hold(value, constant);
        }
        Ok(())
    }

    /// Checks that there is room for a node, and that it has an operator with as many inputs and outputs as its version allows.
    fn check(&self, written: &NodeMessage, version: i64) -> Result<(), Error> {
        if self.model.nodes.len() >= limits::NODES {
            return Err(Error::new(ErrorKind::Limit, format!("the model has more than {} nodes", limits::NODES)));
        }
        if written.op.is_empty() {
            return Err(Error::format("it has no operator; every node has one"));
        }
        let is_known = written.domain.is_empty() && (1..=arity::NEWEST).contains(&version);
        let wrong = || arity::wrong(&written.op, written.inputs.len(), written.outputs.len());
        is_known.then(wrong).flatten().map_or(Ok(()), |text| Err(Error::format(text)))
    }

    /// Reads the attributes of a node with its bodies; returns what a `Constant` holds.
    fn attributes(&mut self, id: NodeId, written: &NodeMessage, inside: &Inside) -> Result<Option<Constant>, Error> {
        let constant = written.domain.is_empty() && written.op == "Constant";
        let mut held = None;
        for field in &written.attributes {
            let found = self.input.attribute(field.span()?, field)?;
            if self.model.node(id).attribute(&found.name).is_some() {
                return Err(Error::format(format!("the attribute {:?} is written twice", found.name)));
            }
            let value = match found.value {
                Found::Plain(value) => value,
                Found::Sparse(tensor) => {
                    held = held.or(constant.then_some(tensor));
                    Attribute::Other("a sparse tensor".to_owned())
                }
                Found::Reference(name) => match inside.given.as_ref().and_then(|given| given.get(&name)) {
                    Some(value) => self.passed(value),
                    None => continue,
                },
                Found::Graphs(graphs, list) => self.bodies(id, &found.name, graphs, list, inside)?,
            };
            held = held.or(constant.then(|| held_by(&found.name, &value)).flatten());
            self.model.nodes[id.0 as usize].attributes.push((found.name, value));
        }
        Ok(held)
    }

    fn bodies(
        &mut self,
        id: NodeId,
        name: &str,
        graphs: Vec<(Around, Around)>,
        list: bool,
        inside: &Inside,
    ) -> Result<Attribute, Error> {
        let mut bodies = Vec::with_capacity(graphs.len());
        for (attribute, graph) in graphs {
            let mut path = self.index.graphs[inside.graph.0 as usize].path.clone();
            path.extend([Around::of(&self.index.nodes[id.0 as usize])?, attribute, graph]);
            let prefix = prefix(&self.model.node(id).place, name);
            bodies.push(self.graph(path, Some(id), Inside { depth: inside.depth + 1, prefix, ..inside.clone() })?);
        }
        self.model.nodes[id.0 as usize].bodies.extend(&bodies);
        match bodies.as_slice() {
            [body] if !list => Ok(Attribute::Graph(*body)),
            [] if !list => Err(Error::format(format!("the attribute {name:?} should hold a graph and holds nothing"))),
            bodies => Ok(Attribute::Other(format!("{} graphs", bodies.len()))),
        }
    }

    fn written(&self, span: Span) -> Result<NodeMessage, Error> {
        let mut node = NodeMessage::default();
        let reader = &self.input.reader;
        for field in reader.fields(span, &NODE_PROTO) {
            let field = field?;
            match field.number {
                NODE_INPUT => node.inputs.push(reader.text(field.span()?)?),
                NODE_OUTPUT => node.outputs.push(reader.text(field.span()?)?),
                NODE_NAME => node.name = reader.text(field.span()?)?,
                NODE_OP => node.op = reader.text(field.span()?)?,
                NODE_DOMAIN => node.domain = standard(reader.text(field.span()?)?),
                NODE_OVERLOAD => node.overload = reader.text(field.span()?)?,
                NODE_ATTRIBUTE => node.attributes.push(field),
                _ => {}
            }
        }
        let count = node.attributes.len();
        if count > limits::ATTRIBUTES {
            let message = format!("a node has {count} attributes; the limit is {}", limits::ATTRIBUTES);
            return Err(Error::new(ErrorKind::Limit, message).at(format_args!("byte {}", span.at)));
        }
        Ok(node)
    }

    /// Says why a name that a node reads has no value.
    fn unmade(&self, name: &str, fields: &[Field], reader: usize) -> Error {
        let written = |field: &Field| field.span().and_then(|span| self.written(span)).unwrap_or_default();
        let makes = |k: &usize| written(&fields[*k]).outputs.iter().any(|output| output == name);
        Error::format(match (reader..fields.len()).find(makes) {
            Some(k) if k == reader => format!("it reads its own output {name:?}; a node can read only earlier outputs"),
            Some(k) => {
                let later = called(&format!("node {k}"), &written(&fields[k]));
                format!("it reads {name:?}, which {later} computes after it; sort the nodes")
            }
            None => format!("it reads {name:?}, which no node computes"),
        })
    }
}

/// Names a node in a sentence.
fn called(place: &str, node: &NodeMessage) -> String {
    let space = if node.name.is_empty() { "" } else { " " };
    format!("{place} ({}{space}{})", node.op, node.name)
}

/// Returns what a `Constant` node holds by one of its attributes.
fn held_by(name: &str, value: &Attribute) -> Option<Constant> {
    let list = |dtype, shape, bytes: Vec<u8>| {
        Some(Constant { element: Element::Known(dtype), shape, data: Data::Held(bytes.into()) })
    };
    match (name, value) {
        ("value", Attribute::Tensor(tensor)) => Some(tensor.clone()),
        ("value_int", Attribute::Int(value)) => list(DType::I64, vec![], value.to_le_bytes().to_vec()),
        ("value_float", Attribute::Float(value)) => list(DType::F32, vec![], (*value as f32).to_le_bytes().to_vec()),
        ("value_ints", Attribute::Ints(values)) => {
            list(DType::I64, vec![values.len()], values.iter().flat_map(|value| value.to_le_bytes()).collect())
        }
        ("value_floats", Attribute::Floats(values)) => list(
            DType::F32,
            vec![values.len()],
            values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect(),
        ),
        ("value_string", _) => Some(texts(vec![])),
        ("value_strings", Attribute::Texts(values)) => Some(texts(vec![values.len()])),
        _ => None,
    }
}

fn texts(shape: Vec<usize>) -> Constant {
    let data = Data::Absent("its elements are texts".to_owned());
    Constant { element: Element::Other("string".to_owned(), 0), shape, data }
}
