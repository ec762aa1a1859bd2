//! Gives constants other shapes; their elements are not touched.

use std::{collections::HashMap, rc::Rc};

use broadaxe_shape::MAX_RANK;

use super::{
    super::{
        super::wire::{Around, Field, Span, splice::bytes},
        element,
        schema::{
            ATTRIBUTE_NAME, ATTRIBUTE_PROTO, ATTRIBUTE_TENSOR, FUNCTION_INFO, FUNCTION_PROTO, GRAPH_INFO,
            GRAPH_INITIALIZER, GRAPH_INPUT, GRAPH_PROTO, INFO_PROTO, NODE_ATTRIBUTE, NODE_PROTO, TENSOR_DIMS,
            TENSOR_NAME, TENSOR_PROTO, TENSOR_TYPE_PROTO, TYPE_PROTO,
        },
    },
    Writer, encode,
};
use crate::{
    edit::{Piece, ShapeOp, rejected},
    error::Error,
    graph::{Constant, Data, GraphId, Use, Value, ValueId},
};

/// The place of a constant in the file.
enum Held {
    /// A tensor, and the messages around it.
    Tensor(Vec<Around>, Field),
    /// An attribute of a `Constant` node that is not a tensor, and the messages around it.
    Plain(Vec<Around>, Field),
}

/// The places of a graph's parts, by name.
#[derive(Debug, Default)]
pub(super) struct Table {
    initializers: HashMap<String, Field>,
    infos: HashMap<String, Vec<Field>>,
}

impl<'a> Writer<'a> {
    pub(super) fn reshape_constant(&mut self, id: ValueId, shape: &[usize]) -> Result<(), Error> {
        let (value, constant) = self.constant(id, shape)?;
        let (name, graph) = (value.name.clone(), value.graph);
        if self.model.graph(graph).outputs.contains(&id) {
            return Err(rejected(format!("{name:?} is an output of its graph, so its shape cannot change")));
        }
        match self.held(id)? {
            Held::Tensor(path, tensor) => self.dims(path, &tensor, shape)?,
            Held::Plain(path, attribute) => {
                let field = encode::tensor_attribute("value", typed(constant, &name, shape)?);
                self.splices.replace(&path, attribute.whole(), field);
            }
        }
        self.records(graph, &name, shape)
    }

    pub(super) fn copy_constant(&mut self, id: ValueId, shape: &[usize], uses: &[Use]) -> Result<(), Error> {
        let (value, constant) = self.constant(id, shape)?;
        let (old, graph) = (value.name.clone(), value.graph);
        let (mut own, mut inside) = (Vec::new(), Vec::new());
        for &at in uses {
            // In the body of a function a constant of the caller has the name of an input.
            let list = if self.name_at(at.node, id)? == old { &mut own } else { &mut inside };
            list.push(at);
        }
        for at in inside {
            self.in_front(at, ShapeOp::Reshape, &shape.iter().map(|&size| size as i64).collect::<Vec<_>>())?;
        }
        if own.is_empty() {
            return Ok(());
        }
        let name = self.name(&old, "copy");
        let tensor = match self.held(id)? {
            Held::Tensor(_, tensor) => self.copy(&tensor, &name, shape)?,
            Held::Plain(..) => typed(constant, &name, shape)?,
        };
        let code = super::super::element::code(&constant.element).unwrap_or_default();
        self.hold(graph, &name, (code, shape), tensor)?;
        for at in own {
            let draft = self.draft(at.node)?;
            let slot = draft.inputs.get_mut(at.input).filter(|slot| **slot == old);
            slot.ok_or_else(|| rejected("an input is changed twice"))?.clone_from(&name);
        }
        Ok(())
    }

    /// Returns a constant that can have this shape.
    fn constant(&self, id: ValueId, shape: &[usize]) -> Result<(&'a Value, &'a Constant), Error> {
        let model = self.model;
        let value = model.value(id);
        let name = &value.name;
        let constant = value.constant.as_ref().ok_or_else(|| rejected(format!("{name:?} is not a constant")))?;
        if self.model.graph(value.graph).inputs.contains(&id) {
            return Err(rejected(format!(
                "{name:?} can be overridden by a caller, who gives its shape; reshape it where it is read"
            )));
        }
        if shape.len() > MAX_RANK {
            return Err(rejected(format!("{name:?} cannot have more than {MAX_RANK} axes")));
        }
        Ok((value, constant))
    }

    /// Finds the place of a constant.
    fn held(&mut self, id: ValueId) -> Result<Held, Error> {
        let value = self.model.value(id);
        let mut path = self.path(value.graph);
        let lost = || rejected(format!("{:?} is not stored as a tensor of its own", value.name));
        if let Some((producer, _)) = value.producer {
            let node = Around::of(&self.index.nodes[producer.0 as usize])?;
            path.push(node);
            for field in self.reader.fields(node.span(), &NODE_PROTO) {
                let field = field?;
                let name = match field.number {
                    NODE_ATTRIBUTE => {
                        self.text_in(field.span()?, &ATTRIBUTE_PROTO, ATTRIBUTE_NAME)?.unwrap_or_default()
                    }
                    _ => continue,
                };
                match name.as_str() {
                    "value" => {
                        let attribute = Around::of(&field)?;
                        let tensor =
                            self.find(attribute.span(), &ATTRIBUTE_PROTO, ATTRIBUTE_TENSOR)?.ok_or_else(lost)?;
                        path.push(attribute);
                        return Ok(Held::Tensor(path, tensor));
                    }
                    "value_int" | "value_ints" | "value_float" | "value_floats" => return Ok(Held::Plain(path, field)),
                    _ => {}
                }
            }
            return Err(lost());
        }
        let field = self.table(value.graph)?.initializers.get(&value.name).copied().ok_or_else(lost)?;
        Ok(Held::Tensor(path, field))
    }

    /// Finds the constants and recorded types of a graph, once.
    fn table(&mut self, graph: GraphId) -> Result<Rc<Table>, Error> {
        if let Some(table) = self.tables.get(&graph) {
            return Ok(Rc::clone(table));
        }
        let mut table = Table::default();
        let place = &self.index.graphs[graph.0 as usize];
        if let Some(span) = place.path.last().map(Around::span) {
            let message = if place.function { &FUNCTION_PROTO } else { &GRAPH_PROTO };
            for field in self.reader.fields(span, message) {
                let field = field?;
                match (place.function, field.number) {
                    (false, GRAPH_INITIALIZER) => {
                        let name = self.text_in(field.span()?, &TENSOR_PROTO, TENSOR_NAME)?.unwrap_or_default();
                        table.initializers.insert(name, field);
                    }
                    (false, GRAPH_INFO | GRAPH_INPUT) | (true, FUNCTION_INFO) => {
                        let name = self.text_in(field.span()?, &INFO_PROTO, 1)?.unwrap_or_default();
                        table.infos.entry(name).or_default().push(field);
                    }
                    _ => {}
                }
            }
        }
        let table = Rc::new(table);
        self.tables.insert(graph, Rc::clone(&table));
        Ok(table)
    }

    /// Gives a tensor other sizes.
    fn dims(&mut self, mut path: Vec<Around>, tensor: &Field, shape: &[usize]) -> Result<(), Error> {
        let around = Around::of(tensor)?;
        path.push(around);
        let fields: Vec<Field> = self.reader.fields(around.span(), &TENSOR_PROTO).collect::<Result<_, _>>()?;
        let mut new = Some(vec![Piece::New(encode::dims(shape))]);
        for field in fields.iter().filter(|field| field.number == TENSOR_DIMS) {
            let span = field.whole();
            self.splices.replace(&path, span, new.take().unwrap_or_default());
        }
        if let Some(new) = new {
            self.splices.insert(&path, around.span().end, new);
        }
        Ok(())
    }

    /// Copies a tensor under another name and with other sizes; the rest is the bytes of the old one.
    fn copy(&self, tensor: &Field, name: &str, shape: &[usize]) -> Result<Vec<Piece>, Error> {
        let mut head = encode::dims(shape);
        bytes(&mut head, TENSOR_NAME, name.as_bytes());
        let mut pieces = vec![Piece::New(head)];
        for field in self.reader.fields(tensor.span()?, &TENSOR_PROTO) {
            let field = field?;
            if !matches!(field.number, TENSOR_DIMS | TENSOR_NAME) {
                pieces.push(Piece::Kept { at: field.start, len: field.end - field.start });
            }
        }
        Ok(pieces)
    }

    /// Updates the recorded shapes of a value.
    fn records(&mut self, graph: GraphId, name: &str, shape: &[usize]) -> Result<(), Error> {
        let table = self.table(graph)?;
        for field in table.infos.get(name).into_iter().flatten() {
            let span = field.span()?;
            let mut path = self.path(graph);
            path.push(Around::of(field)?);
            for (message, number) in [(&INFO_PROTO, 2), (&TYPE_PROTO, 1)] {
                let inner = path.last().map_or(span, Around::span);
                match self.find(inner, message, number)? {
                    Some(field) => path.push(Around::of(&field)?),
                    None => return Ok(()),
                }
            }
            let inner = path.last().map_or(span, Around::span);
            let old = self.find(inner, &TENSOR_TYPE_PROTO, 2)?;
            let old = old.map_or(Span { at: inner.end, end: inner.end }, |old| old.whole());
            self.splices.replace(&path, old, vec![Piece::New(encode::shape_field(shape.iter().copied().map(Some)))]);
        }
        Ok(())
    }
}

/// Writes a constant of an attribute as a tensor.
fn typed(constant: &Constant, name: &str, shape: &[usize]) -> Result<Vec<Piece>, Error> {
    let Data::Held(raw) = &constant.data else {
        return Err(rejected("the elements of this constant are not there"));
    };
    let code = element::code(&constant.element).ok_or_else(|| rejected("the type of this constant is not known"))?;
    Ok(encode::tensor(name, shape, code, raw))
}
