//! Builds the graph from the file.

mod node;
mod scope;

mod call;

use std::{collections::HashMap, rc::Rc};

use broadaxe_frameworks::System;

use self::{call::Calls, scope::Scopes};
use super::{
    super::wire::{Around, Field, Fields, Span},
    arity, limits,
    schema::{
        GRAPH_INFO, GRAPH_INITIALIZER, GRAPH_INPUT, GRAPH_NAME, GRAPH_NODE, GRAPH_OUTPUT, GRAPH_PROTO, GRAPH_SPARSE,
        MODEL_FUNCTION, MODEL_GRAPH, MODEL_IR, MODEL_OPSET, MODEL_PROTO, OPSET_PROTO,
    },
    tensor::Input,
    types::{self, Type},
};
use crate::{
    error::{Error, ErrorKind},
    graph::{Attribute, Constant, Graph, GraphId, Model, NodeId, Value, ValueId},
    source::Source,
};

/// The places of a model's parts in its file, which changes need.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The version of the format.
    pub(super) ir: i64,
    /// By [`NodeId`].
    pub(super) nodes: Vec<Field>,
    /// By [`GraphId`].
    pub(super) graphs: Vec<GraphPlace>,
}

/// The place of a graph.
#[derive(Clone, Debug, Default)]
pub(super) struct GraphPlace {
    /// The messages around its nodes, outermost first; its own message is the last.
    pub(super) path: Vec<Around>,
    /// Whether it is the body of a function.
    pub(super) function: bool,
}

/// The parts of a graph, not yet read.
#[derive(Default)]
struct GraphParts {
    name: String,
    nodes: Vec<Field>,
    inputs: Vec<Span>,
    outputs: Vec<Span>,
    initializers: Vec<Span>,
    sparse: Vec<Span>,
    infos: Vec<Span>,
}

/// What holds for the nodes of a graph.
#[derive(Clone)]
struct Inside {
    graph: GraphId,
    /// How many graphs contain it.
    depth: usize,
    /// The prefix of the places of nodes.
    prefix: String,
    opsets: Rc<Vec<(String, i64)>>,
    /// The attributes that a function was called with.
    given: Option<Rc<HashMap<String, Attribute>>>,
    /// The recorded types by name.
    infos: Rc<HashMap<String, Span>>,
}

/// A model that is being built.
struct Build<'a> {
    input: Input<'a>,
    model: Model,
    index: Index,
    scopes: Scopes,
    calls: Calls,
}

/// Reads a model.
///
/// # Errors
/// [`ErrorKind::Limit`] above the limits, [`ErrorKind::Format`] for a file that is damaged or contradicts itself.
pub(super) fn read(source: &Source) -> Result<(Model, Index), Error> {
    if source.len() > limits::FILE {
        let message = format!("the file has {} bytes; the limit is {}", source.len(), limits::FILE);
        return Err(Error::new(ErrorKind::Limit, message));
    }
    let mut build = Build {
        input: Input::new(source),
        model: Model::new("onnx", System::Onnx, source.clone()),
        index: Index::default(),
        scopes: Scopes::default(),
        calls: Calls::default(),
    };
    build.model.graphs.clear();
    build.whole()?;
    Ok((build.model, build.index))
}

/// Reads the fields of a message, which may be read further meanwhile.
fn all(fields: Fields) -> Result<Vec<Field>, Error> {
    fields.collect()
}

impl Build<'_> {
    fn whole(&mut self) -> Result<(), Error> {
        let span = self.input.reader.whole();
        let (mut ir, mut graph, mut functions) = (None, None, Vec::new());
        for field in all(self.input.reader.fields(span, &MODEL_PROTO))? {
            match field.number {
                MODEL_IR => ir = Some(field.int()?),
                MODEL_GRAPH => graph = Some(field),
                MODEL_OPSET => {
                    let opset = self.opset(field.span()?)?;
                    if self.model.opsets.len() >= limits::ATTRIBUTES {
                        let message = format!("more than {} domains are imported", limits::ATTRIBUTES);
                        return Err(Error::new(ErrorKind::Limit, message));
                    }
                    if self.model.opsets.iter().any(|(domain, _)| *domain == opset.0) {
                        let message = format!("the domain {:?} is imported twice; one version is right", opset.0);
                        return Err(Error::format(message).at(format_args!("byte {}", field.start)));
                    }
                    self.model.opsets.push(opset);
                }
                MODEL_FUNCTION => functions.push(field),
                _ => {}
            }
        }
        self.index.ir = self.version(ir)?;
        let graph = graph.ok_or_else(|| Error::format("the file has no graph; it is cut or not an ONNX model"))?;
        for field in &functions {
            self.function(field)?;
        }
        let around = Around::of(&graph)?;
        let inside = Inside {
            graph: GraphId(0),
            depth: 0,
            prefix: String::new(),
            opsets: Rc::new(self.model.opsets.clone()),
            given: None,
            infos: Rc::default(),
        };
        self.graph(vec![around], None, inside).map(drop)
    }

    /// Checks the version of the format and those of the operators.
    fn version(&mut self, ir: Option<i64>) -> Result<i64, Error> {
        let ir = ir.ok_or_else(|| Error::format("the file has no ir_version; it is cut or not an ONNX model"))?;
        if !(1..=limits::NO_IR).contains(&ir) {
            return Err(Error::format(format!("ir_version is {ir}; 1 to {} are known", limits::IR)));
        }
        if ir > limits::IR {
            let remark =
                format!("ir_version is {ir}, newer than what is known here ({}); parts may be passed over", limits::IR);
            self.model.remarks.push(remark);
        }
        if self.model.opsets.iter().all(|(domain, _)| !domain.is_empty()) {
            if ir < 3 {
                self.model.opsets.push((String::new(), 1));
            } else {
                let remark = "no version of the standard operators is imported; their nodes stay unknown";
                self.model.remarks.push(remark.to_owned());
            }
        }
        for (domain, version) in &self.model.opsets {
            if domain.is_empty() && !(1..=arity::NEWEST).contains(version) {
                let known = arity::NEWEST;
                let remark = format!("the version of the standard operators is {version}; 1 to {known} are known here");
                self.model.remarks.push(remark);
            }
        }
        Ok(ir)
    }

    fn opset(&self, span: Span) -> Result<(String, i64), Error> {
        let (mut domain, mut version) = (String::new(), 0);
        for field in self.input.reader.fields(span, &OPSET_PROTO) {
            let field = field?;
            match field.number {
                1 => domain = standard(self.input.reader.text(field.span()?)?),
                2 => version = field.int()?,
                _ => {}
            }
        }
        Ok((domain, version))
    }

    fn parts(&self, span: Span) -> Result<GraphParts, Error> {
        let mut parts = GraphParts::default();
        for field in self.input.reader.fields(span, &GRAPH_PROTO) {
            let field = field?;
            match field.number {
                GRAPH_NODE => push(&mut parts.nodes, field)?,
                GRAPH_NAME => parts.name = self.input.reader.text(field.span()?)?,
                GRAPH_INITIALIZER => push(&mut parts.initializers, field.span()?)?,
                GRAPH_INPUT => push(&mut parts.inputs, field.span()?)?,
                GRAPH_OUTPUT => push(&mut parts.outputs, field.span()?)?,
                GRAPH_INFO => push(&mut parts.infos, field.span()?)?,
                GRAPH_SPARSE => push(&mut parts.sparse, field.span()?)?,
                _ => {}
            }
        }
        Ok(parts)
    }

    /// Reads a graph; the values of the graphs around it are in scope.
    fn graph(&mut self, path: Vec<Around>, owner: Option<NodeId>, mut inside: Inside) -> Result<GraphId, Error> {
        let Some(span) = path.last().map(Around::span) else { return Ok(GraphId(0)) };
        deep(inside.depth, span)?;
        let parts = self.parts(span)?;
        inside.graph = self.open(parts.name.clone(), owner, GraphPlace { path, function: false });
        inside.infos = self.infos(&parts.infos)?;
        self.scopes.enter(false);
        self.inputs(&parts, &inside)?;
        self.constants(&parts, &inside)?;
        self.nodes(&parts.nodes, &inside)?;
        for &output in &parts.outputs {
            let (name, recorded) = types::info(&self.input.reader, output)?;
            let Some(id) = self.scopes.find(&name).flatten() else {
                let message = format!("the output {name:?} of graph {:?} is made by no node", parts.name);
                return Err(Error::format(message).at(format_args!("byte {}", output.at)));
            };
            let found = self.recorded(recorded, &inside)?;
            let value = &mut self.model.values[id.0 as usize];
            value.element = value.element.take().or(found.element);
            value.declared = value.declared.take().or(found.shape);
            self.model.graphs[inside.graph.0 as usize].outputs.push(id);
        }
        self.scopes.leave();
        Ok(inside.graph)
    }

    /// Makes an empty graph.
    fn open(&mut self, name: String, owner: Option<NodeId>, place: GraphPlace) -> GraphId {
        let id = GraphId(self.model.graphs.len() as u32);
        self.model.graphs.push(Graph { name, owner, ..Graph::default() });
        self.index.graphs.push(place);
        id
    }

    /// Finds the recorded types by name.
    fn infos(&self, spans: &[Span]) -> Result<Rc<HashMap<String, Span>>, Error> {
        let mut infos = HashMap::with_capacity(spans.len());
        for &span in spans {
            if let (name, Some(recorded)) = types::info(&self.input.reader, span)? {
                infos.insert(name, recorded);
            }
        }
        Ok(Rc::new(infos))
    }

    fn recorded(&self, span: Option<Span>, inside: &Inside) -> Result<Type, Error> {
        let read = |span| types::read(&self.input.reader, span, inside.given.is_none());
        span.map_or_else(|| Ok(Type::default()), read)
    }

    /// Makes a value and adds its name to the innermost scope, where it must be new.
    fn define(&mut self, name: String, found: Type, inside: &Inside) -> Result<ValueId, Error> {
        if self.model.values.len() >= limits::NODES {
            return Err(Error::new(ErrorKind::Limit, format!("the model has more than {} values", limits::NODES)));
        }
        let id = ValueId(self.model.values.len() as u32);
        if !self.scopes.define(&name, Some(id)) {
            return Err(Error::format(format!("the name {name:?} is written twice; names of values are unique")));
        }
        let (element, declared) = (found.element, found.shape);
        let value = Value { name, graph: inside.graph, element, declared, ..Value::default() };
        self.model.values.push(value);
        Ok(id)
    }

    fn inputs(&mut self, parts: &GraphParts, inside: &Inside) -> Result<(), Error> {
        for &input in &parts.inputs {
            let (name, recorded) = types::info(&self.input.reader, input)?;
            let found = self.recorded(recorded, inside)?;
            let place = |error: Error| error.at(format_args!("byte {}", input.at));
            let id = self.define(name, found, inside).map_err(place)?;
            self.model.graphs[inside.graph.0 as usize].inputs.push(id);
        }
        Ok(())
    }

    fn constants(&mut self, parts: &GraphParts, inside: &Inside) -> Result<(), Error> {
        let dense = parts.initializers.iter().map(|&span| (span, false));
        for (span, sparse) in dense.chain(parts.sparse.iter().map(|&span| (span, true))) {
            let (name, constant) = if sparse { self.input.sparse(span)? } else { self.input.tensor(span)? };
            let place = |error: Error| error.at(format_args!("byte {}", span.at));
            let listed = self.scopes.own(&name);
            let id = if let Some(id) = listed.filter(|id| self.model.value(*id).constant.is_none()) {
                id
            } else {
                let found = self.recorded(inside.infos.get(&name).copied(), inside)?;
                self.define(name, found, inside).map_err(place)?
            };
            self.hold(id, constant);
        }
        if self.index.ir < 4 {
            let values = &self.model.values;
            let open = |id: &ValueId| values[id.0 as usize].constant.is_none();
            self.model.graphs[inside.graph.0 as usize].inputs.retain(open);
        }
        Ok(())
    }

    /// Gives a value its elements.
    fn hold(&mut self, id: ValueId, constant: Constant) {
        let value = &mut self.model.values[id.0 as usize];
        value.element = Some(constant.element.clone());
        value.constant = Some(constant);
    }
}

/// The standard domain has two names.
fn standard(domain: String) -> String {
    if domain == "ai.onnx" { String::new() } else { domain }
}

fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), Error> {
    if list.len() >= limits::NODES {
        let message = format!("a graph has more than {} parts of one kind", limits::NODES);
        return Err(Error::new(ErrorKind::Limit, message));
    }
    list.push(item);
    Ok(())
}

/// Rejects a graph that is nested too deeply.
fn deep(depth: usize, span: Span) -> Result<(), Error> {
    if depth < limits::DEPTH {
        return Ok(());
    }
    let message = format!("graphs are nested more than {} deep, which is the limit", limits::DEPTH);
    Err(Error::new(ErrorKind::Limit, message).at(format_args!("byte {}", span.at)))
}

/// Makes the prefix of the places of nodes in a body; parts of it may be long, and bodies contain bodies.
fn prefix(place: &str, name: &str) -> String {
    let cut = |text: &str, most: usize| -> String { text.chars().take(most).collect() };
    let place = match place.rsplit_once(" / ").filter(|_| place.len() > limits::PLACE) {
        Some((_, last)) => format!(".. / {}", cut(last, limits::PLACE)),
        None => cut(place, 2 * limits::PLACE),
    };
    format!("{place} / {} / ", cut(name, limits::PLACE))
}

#[cfg(test)]
mod tests;
