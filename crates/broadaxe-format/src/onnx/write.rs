//! Changes ONNX models with the smallest difference to the file.
//!
//! The file is read again, with the places of its parts. Each change is stored in the draft of a node or becomes a splice at
//! once; finally the drafts become splices too. New names say what they are (`bias_broadaxe_reshape`), and are unique in
//! the file.

mod encode;

mod calls;
mod draft;
mod insert;

mod constant;
mod replace;
pub mod single;

pub(crate) mod part;

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use self::{constant::Table, draft::NodeDraft};
use super::{
    super::wire::{
        Around, Field, Message, Reader, Span,
        splice::{Splices, bytes_field, int, wrap},
    },
    limits,
    read::{self, Index},
    schema::{
        FUNCTION_NODE, GRAPH_INITIALIZER, GRAPH_INPUT, GRAPH_NODE, MODEL_IR, MODEL_OPSET, MODEL_PROTO, NODE_INPUT,
        NODE_OUTPUT, NODE_PROTO, OPSET_PROTO,
    },
};
use crate::{
    edit::{Lowered, Names, Piece, Place, Primitive, With, each, rejected},
    error::Error,
    graph::{GraphId, Model, NodeId, Use, ValueId},
    {Rewritten, result_shape::same},
};

/// The types of floats that a node `Constant` holds from opset 1 on, as ONNX numbers them.
const FLOATS: [i64; 3] = [1, 10, 11];

/// A model that is being changed.
struct Writer<'a> {
    model: &'a Model,
    index: Index,
    reader: Reader<'a>,
    splices: Splices,
    drafts: BTreeMap<NodeId, NodeDraft>,
    /// All names of values and nodes.
    names: Names,
    /// New values that others can read too, by graph and by what they are.
    made: HashMap<(GraphId, String), String>,
    /// The places of the parts of graphs, as far as they were needed.
    tables: HashMap<GraphId, Rc<Table>>,
    /// The requested version of the standard operators.
    opset: Option<i64>,
}

/// Makes changes.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] when a change cannot be made.
pub(super) fn write(model: &Model, edits: &Lowered) -> Result<Rewritten, Error> {
    let (read, index) = read::read(&model.source)?;
    same(model, &read)?;
    let edits = calls::unite(model, &index, edits)?;
    let names = model.values.iter().map(|value| &value.name).chain(model.nodes.iter().map(|node| &node.name));
    let mut writer = Writer {
        model,
        index,
        reader: Reader::new(&model.source),
        splices: Splices::default(),
        drafts: BTreeMap::new(),
        names: Names::new(names, 2),
        made: HashMap::new(),
        tables: HashMap::new(),
        opset: edits
            .iter()
            .find_map(|(_, edit)| if let Primitive::Opset(version) = edit { Some(*version) } else { None }),
    };
    // In the order of the nodes, so that later nodes can read what is added for earlier ones.
    let mut order: Vec<(usize, &Primitive)> = edits.iter().map(|(at, edit)| (*at, edit)).collect();
    order.sort_by_key(|(at, edit)| (edit.node(), *at));
    each(order, |_, edit| writer.edit(edit))?;
    writer.drafts()?;
    let pieces = writer.splices.pieces(model.source.len())?;
    encode::fits(&pieces, limits::LOADABLE)?;
    Ok((pieces, Vec::new()))
}

impl Writer<'_> {
    fn edit(&mut self, edit: &Primitive) -> Result<(), Error> {
        match edit {
            Primitive::SetShape { value, shape, readers: None } => self.reshape_constant(*value, shape),
            Primitive::SetShape { value, shape, readers: Some(uses) } => self.copy_constant(*value, shape, uses),
            Primitive::Insert { at: Place::Before(at), does, numbers } => self.in_front(*at, *does, numbers),
            Primitive::Insert { at: Place::After(node), does, numbers } => self.behind(*node, *does, numbers),
            Primitive::Replace { node, with: With::Nodes(with) } => self.replace(*node, with),
            Primitive::Replace { node, with: With::Exchanged(op) } => self.exchange(*node, op),
            Primitive::Attribute { node, name, value } => self.attribute(*node, name, value.clone()),
            Primitive::Opset(version) => self.set_opset(*version),
        }
    }

    /// Returns the draft of a node.
    fn draft(&mut self, id: NodeId) -> Result<&mut NodeDraft, Error> {
        if !self.drafts.contains_key(&id) {
            let field = self.index.nodes[id.0 as usize];
            let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
            for field in self.reader.fields(field.span()?, &NODE_PROTO) {
                let field = field?;
                match field.number {
                    NODE_INPUT => inputs.push(self.reader.text(field.span()?)?),
                    NODE_OUTPUT => outputs.push(self.reader.text(field.span()?)?),
                    _ => {}
                }
            }
            self.drafts.insert(id, NodeDraft::new(inputs, outputs));
        }
        self.drafts.get_mut(&id).ok_or_else(|| rejected("the model has no such node"))
    }

    /// Returns the messages around the nodes of a graph.
    fn path(&self, graph: GraphId) -> Vec<Around> {
        self.index.graphs[graph.0 as usize].path.clone()
    }

    /// Returns the version of the standard operators in a graph.
    fn version(&self, graph: GraphId) -> Result<i64, Error> {
        let (mut at, mut function) = (graph, None);
        loop {
            if self.index.graphs[at.0 as usize].function {
                function = Some(at);
                break;
            }
            match self.model.graph(at).owner {
                Some(owner) => at = self.model.node(owner).graph,
                None => break,
            }
        }
        let own = function.and_then(|graph| {
            let mut nodes = self.model.graph(graph).nodes.iter().map(|&node| self.model.node(node));
            nodes.find(|node| node.domain.is_empty()).map(|node| node.version)
        });
        let main = || self.model.opsets.iter().find(|(domain, _)| domain.is_empty()).map(|(_, version)| *version);
        let version = if function.is_some() { own } else { self.opset.or_else(main) };
        version.filter(|&version| version > 0).ok_or_else(|| {
            let name = &self.model.graph(graph).name;
            rejected(format!("graph {name:?} imports no version of the standard operators, so none can be inserted"))
        })
    }

    /// Makes a unique name from the tensor of the file that it is based on.
    fn name(&mut self, tensor: &str, what: &str) -> String {
        let tensor = tensor.split("_broadaxe_").next().unwrap_or(tensor);
        self.names.unique(&format!("{tensor}_broadaxe_{what}"))
    }

    /// Returns the name of a value in the scope of a node.
    fn name_at(&mut self, id: NodeId, value: ValueId) -> Result<String, Error> {
        let node = self.model.node(id);
        let held = self.model.values.get(value.0 as usize).ok_or_else(|| rejected("the model has no such value"))?;
        let input = node.inputs.iter().position(|&input| input == Some(value));
        let output = node.outputs.iter().position(|&output| output == Some(value));
        let draft = self.draft(id)?;
        if let Some(name) = input.and_then(|k| draft.inputs.get(k)).or(output.and_then(|k| draft.outputs.get(k))) {
            return Ok(name.clone());
        }
        let mut graph = node.graph;
        while graph != held.graph {
            let place = &self.index.graphs[graph.0 as usize];
            match self.model.graph(graph).owner.filter(|_| !place.function) {
                Some(owner) => graph = self.model.node(owner).graph,
                None => return Err(rejected(format!("{:?} cannot be read at {}", held.name, node.place))),
            }
        }
        Ok(held.name.clone())
    }

    /// Adds a constant, of elements of this type and of this shape, to a graph: an initializer, or a node where
    /// initializers must be inputs too or cannot be. Such a node holds floats only before opset 9, so that anything else
    /// is an initializer of the main graph then, and an input too.
    fn hold(
        &mut self,
        graph: GraphId,
        name: &str,
        (code, dims): (i64, &[usize]),
        tensor: Vec<Piece>,
    ) -> Result<(), Error> {
        let path = self.path(graph);
        let end = path.last().map_or(0, |graph| graph.span().end);
        let function = self.index.graphs[graph.0 as usize].function;
        if self.index.ir >= 4 && !function {
            let field = wrap(GRAPH_INITIALIZER, tensor);
            self.splices.insert(&path, end, field);
            return Ok(());
        }
        if !function && !FLOATS.contains(&code) && self.version(graph)? < 9 {
            let path = self.path(GraphId(0));
            let end = path.last().map_or(0, |graph| graph.span().end);
            let mut field = wrap(GRAPH_INITIALIZER, tensor);
            field.push(Piece::New(bytes_field(GRAPH_INPUT, &encode::info(name, code, Some(dims)))));
            self.splices.insert(&path, end, field);
            return Ok(());
        }
        let first = self.model.graph(graph).nodes.first().map(|node| self.index.nodes[node.0 as usize]);
        let number = if function { FUNCTION_NODE } else { GRAPH_NODE };
        let at = first.map_or(end, |field| field.start);
        self.splices.insert(&path, at, encode::constant_node(number, name, tensor));
        Ok(())
    }

    /// Adds a constant of whole numbers to a graph, or finds an equal one that was added before.
    fn ints(&mut self, graph: GraphId, values: &[i64], tensor: &str, what: &str) -> Result<String, Error> {
        let key = (graph, format!("{values:?}"));
        if let Some(name) = self.made.get(&key) {
            return Ok(name.clone());
        }
        let name = self.name(tensor, what);
        let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.hold(graph, &name, (7, &[values.len()]), encode::tensor(&name, &[values.len()], 7, &raw))?;
        self.made.insert(key, name.clone());
        Ok(name)
    }

    fn set_opset(&mut self, version: i64) -> Result<(), Error> {
        let (mut imported, mut ir) = (None, None);
        for field in self.reader.fields(self.reader.whole(), &MODEL_PROTO) {
            let field = field?;
            match field.number {
                MODEL_IR => ir = Some(field),
                MODEL_OPSET => {
                    let domain = self.text_in(field.span()?, &OPSET_PROTO, 1)?;
                    if matches!(domain.as_deref(), None | Some("" | "ai.onnx")) {
                        imported = Some(field);
                    }
                }
                _ => {}
            }
        }
        let mut number = Vec::new();
        int(&mut number, 2, version);
        if let Some(field) = imported {
            let around = Around::of(&field)?;
            let old = self.find(around.span(), &OPSET_PROTO, 2)?;
            let end = around.span().end;
            let span = old.map_or(Span { at: end, end }, |old| old.whole());
            self.splices.replace(&[around], span, vec![Piece::New(number)]);
        } else {
            self.splices.insert(&[], self.model.source.len(), vec![Piece::New(encode::opset("", version))]);
        }
        // Versions of operators are imported from version 3 of the format on.
        if let Some(field) = ir.filter(|_| self.index.ir < 3) {
            let mut number = Vec::new();
            int(&mut number, MODEL_IR, 3);
            self.splices.replace(&[], field.whole(), vec![Piece::New(number)]);
        }
        Ok(())
    }

    /// Finds a field of a message.
    fn find(&self, span: Span, message: &'static Message, number: u32) -> Result<Option<Field>, Error> {
        for field in self.reader.fields(span, message) {
            let field = field?;
            if field.number == number {
                return Ok(Some(field));
            }
        }
        Ok(None)
    }

    fn text_in(&self, span: Span, message: &'static Message, number: u32) -> Result<Option<String>, Error> {
        let field = self.find(span, message, number)?;
        field.map(|field| self.reader.text(field.span()?)).transpose()
    }

    /// Names a node in a table.
    fn called(&self, id: NodeId) -> String {
        let node = self.model.node(id);
        if node.name.is_empty() { format!("{} ({})", node.place, node.op) } else { node.name.clone() }
    }

    /// Names an input of a node in a table.
    fn called_input(&self, at: Use) -> String {
        format!("{}, input {}", self.called(at.node), at.input)
    }
}

#[cfg(test)]
mod tests;
