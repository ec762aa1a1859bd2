//! Calls of the functions that a file defines.
//!
//! Each call gets the body of the function as a graph of its own, so that shapes can be followed through it as if it were
//! written out. Recursive functions and calls above the limits stay opaque.

use std::{collections::HashMap, rc::Rc};

use super::{
    super::{
        super::wire::{Around, Field, Span},
        attribute::AttributeValue as Found,
        limits,
        schema::{
            FUNCTION_DEFAULT, FUNCTION_DOMAIN, FUNCTION_INFO, FUNCTION_INPUT, FUNCTION_NAME, FUNCTION_NODE,
            FUNCTION_OPSET, FUNCTION_OUTPUT, FUNCTION_OVERLOAD, FUNCTION_PROTO,
        },
    },
    Build, GraphPlace, Inside, all, deep,
    node::NodeMessage,
    prefix, standard,
};
use crate::{
    error::Error,
    graph::{Attribute, NodeId},
};

/// What names a function: domain, operator, overload.
type Key = (String, String, String);

/// The functions of a file, and the calls on the way.
#[derive(Default)]
pub(super) struct Calls {
    functions: HashMap<Key, Rc<Function>>,
    /// Those whose bodies are being read.
    open: Vec<Key>,
    /// How many nodes and other parts calls have brought in.
    parts: usize,
    /// How many bytes of the file these parts are, those of attributes that calls give included.
    bytes: u64,
}

/// A function as the file has it.
struct Function {
    around: Around,
    inputs: Vec<String>,
    outputs: Vec<String>,
    nodes: Vec<Field>,
    defaults: Vec<Field>,
    opsets: Vec<(String, i64)>,
    infos: Vec<Span>,
}

impl Function {
    /// Counts what each call reads.
    fn parts(&self) -> usize {
        let lists = [self.inputs.len(), self.outputs.len(), self.nodes.len(), self.defaults.len(), self.infos.len()];
        lists.iter().sum::<usize>() + 1
    }
}

impl Build<'_> {
    /// Reads a function, except its nodes.
    pub(super) fn function(&mut self, field: &Field) -> Result<(), Error> {
        let around = Around::of(field)?;
        let mut key = Key::default();
        let (inputs, outputs, nodes, defaults) = (vec![], vec![], vec![], vec![]);
        let mut function = Function { around, inputs, outputs, nodes, defaults, opsets: vec![], infos: vec![] };
        let reader = &self.input.reader;
        for field in all(reader.fields(around.span(), &FUNCTION_PROTO))? {
            match field.number {
                FUNCTION_NAME => key.1 = reader.text(field.span()?)?,
                FUNCTION_DOMAIN => key.0 = standard(reader.text(field.span()?)?),
                FUNCTION_OVERLOAD => key.2 = reader.text(field.span()?)?,
                FUNCTION_INPUT => function.inputs.push(reader.text(field.span()?)?),
                FUNCTION_OUTPUT => function.outputs.push(reader.text(field.span()?)?),
                FUNCTION_NODE => function.nodes.push(field),
                FUNCTION_DEFAULT => function.defaults.push(field),
                FUNCTION_OPSET => function.opsets.push(self.opset(field.span()?)?),
                FUNCTION_INFO => function.infos.push(field.span()?),
                _ => {}
            }
        }
        let message = || Error::format(format!("the function {:?} of {:?} is defined twice", key.1, key.0));
        let place = |error: Error| error.at(format_args!("byte {}", field.start));
        if self.calls.functions.contains_key(&key) {
            return Err(place(message()));
        }
        self.calls.functions.insert(key, Rc::new(function));
        Ok(())
    }

    /// Gives a node that calls a function the body of it.
    pub(super) fn call(&mut self, id: NodeId, written: &NodeMessage, inside: &Inside) -> Result<(), Error> {
        let key = (written.domain.clone(), written.op.clone(), written.overload.clone());
        let Some(function) = self.calls.functions.get(&key).map(Rc::clone) else { return Ok(()) };
        for (what, here, there) in [
            ("inputs", written.inputs.len(), function.inputs.len()),
            ("outputs", written.outputs.len(), function.outputs.len()),
        ] {
            if here > there {
                return Err(Error::format(format!("the function {} has {there} {what}, not {here}", written.op)));
            }
        }
        let parts = self.calls.parts + function.parts();
        let bytes = self.calls.bytes + function.around.span().len();
        let why = if self.calls.open.contains(&key) {
            "calls itself"
        } else if parts > limits::expanded(self.model.source.len())
            || bytes > self.model.source.len() + limits::EXPANDED_BYTES
        {
            "brings in too many nodes"
        } else {
            (self.calls.parts, self.calls.bytes) = (parts, bytes);
            self.calls.open.push(key);
            let body = self.body(id, written, &function, inside);
            self.calls.open.pop();
            return body;
        };
        let place = &self.model.node(id).place;
        self.model.remarks.push(format!("{place}: the function {} {why} and was not followed", written.op));
        Ok(())
    }

    fn body(&mut self, id: NodeId, written: &NodeMessage, function: &Function, inside: &Inside) -> Result<(), Error> {
        deep(inside.depth + 1, function.around.span())?;
        let given = self.given(id, function)?;
        let place = GraphPlace { path: vec![function.around], function: true };
        let graph = self.open(written.op.clone(), Some(id), place);
        self.model.nodes[id.0 as usize].bodies.push(graph);
        let inside = Inside {
            graph,
            depth: inside.depth + 1,
            prefix: prefix(&self.model.node(id).place, &written.op),
            opsets: Rc::new(self.opsets(function)),
            given: Some(Rc::new(given)),
            infos: self.infos(&function.infos)?,
        };
        self.scopes.enter(true);
        for (k, name) in function.inputs.iter().enumerate() {
            let value = self.model.node(id).input(k);
            if !self.scopes.define(name, value) {
                return Err(Error::format(format!("the function {} has two inputs {name:?}", written.op)));
            }
            self.model.graphs[graph.0 as usize].inputs.extend(value);
        }
        self.nodes(&function.nodes, &inside)?;
        for name in &function.outputs {
            let missing = || Error::format(format!("the output {name:?} of the function {} is never made", written.op));
            // An output may be an input that the call omits; then the output has no value.
            let value = self.scopes.find(name).flatten().ok_or_else(missing)?;
            self.model.graphs[graph.0 as usize].outputs.push(value);
        }
        self.scopes.leave();
        Ok(())
    }

    /// Returns the attributes that hold in the body: those of the call, and the function's own for those not given.
    fn given(&mut self, id: NodeId, function: &Function) -> Result<HashMap<String, Attribute>, Error> {
        let mut given: HashMap<String, Attribute> = HashMap::new();
        for field in &function.defaults {
            let found = self.input.attribute(field.span()?, field)?;
            if let Found::Plain(value) = found.value {
                given.insert(found.name, value);
            }
        }
        for (name, value) in &self.model.node(id).attributes {
            let value = match value {
                Attribute::Graph(_) => Attribute::Other("a graph of the caller".to_owned()),
                value => value.clone(),
            };
            given.insert(name.clone(), value);
        }
        Ok(given)
    }

    /// Gives a node of a function an attribute of the call, unless too much has been given already.
    pub(super) fn passed(&mut self, value: &Attribute) -> Attribute {
        let size = match value {
            Attribute::Text(text) | Attribute::Other(text) => text.len(),
            Attribute::Ints(values) => 8 * values.len(),
            Attribute::Floats(values) => 8 * values.len(),
            Attribute::Texts(values) => values.iter().map(|value| value.len() + 24).sum(),
            Attribute::Int(_) | Attribute::Float(_) | Attribute::Tensor(_) | Attribute::Graph(_) => 8,
        };
        self.calls.bytes += size as u64;
        if self.calls.bytes > self.model.source.len() + limits::EXPANDED_BYTES {
            return Attribute::Other("an attribute of the call, which brings in too much".to_owned());
        }
        value.clone()
    }

    /// Returns the versions that hold in the body; what the function does not import is the model's.
    fn opsets(&self, function: &Function) -> Vec<(String, i64)> {
        let mut opsets = function.opsets.clone();
        for (domain, version) in &self.model.opsets {
            if opsets.iter().all(|(own, _)| own != domain) {
                opsets.push((domain.clone(), *version));
            }
        }
        opsets
    }
}
