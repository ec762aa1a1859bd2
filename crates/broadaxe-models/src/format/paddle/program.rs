//! Programs of the old representation: blocks of operators that write to variables, in a protocol buffer.

use std::collections::HashMap;

use broadaxe::System;
use broadaxe_shape::{
    MAX_RANK, elements,
    symbolic::{Dim, SymbolicShape},
};

use super::{LIMITS, element, params};
use crate::{
    error::{Error, ErrorKind},
    format::wire::{Around, Field, Message, Reader},
    graph::{Attribute, Constant, Data, Element, Graph, GraphId, Model, Node, NodeId, Value, ValueId},
    source::Source,
};

static PROGRAM: Message = Message::new("ProgramDesc", &[4]);
static BLOCK: Message = Message::new("BlockDesc", &[1, 2]);
static VARIABLE: Message = Message::new("VarDesc", &[1, 2, 3, 4]);
static TYPE: Message = Message::new("VarType", &[1, 3]);
static TENSOR: Message = Message::new("DenseTensorDesc", &[1]);
static DESCRIPTION: Message = Message::new("TensorDesc", &[1]);
static OPERATOR: Message = Message::new("OpDesc", &[3]);
static SLOT: Message = Message::new("OpDesc.Var", &[1]);
static ATTRIBUTE: Message = Message::new("OpDesc.Attr", &[1, 2, 3, 4, 5, 10, 12, 13, 19]);
static VERSION: Message = Message::new("Version", &[1]);

/// An operator in the file, with all messages around it.
#[derive(Clone)]
pub(super) struct OpAt {
    /// The block, and the field of the operator in it.
    pub(super) block: usize,
    pub(super) field: Field,
    /// For every input the slot and the text of its name.
    pub(super) inputs: Vec<(Around, Field)>,
    /// The name of the operator.
    pub(super) kind: Field,
    /// For every attribute its name and field.
    pub(super) attributes: Vec<(String, Field)>,
}

/// Where an output of a graph is read: the operator `fetch`, its slot and the name in it.
pub(super) struct OutputAt {
    pub(super) graph: GraphId,
    pub(super) block: usize,
    pub(super) op: Field,
    pub(super) slot: Around,
    pub(super) name: Field,
}

/// Where nodes and blocks stand in the file.
#[derive(Default)]
pub(super) struct Places {
    pub(super) blocks: Vec<Around>,
    pub(super) nodes: Vec<OpAt>,
    pub(super) outputs: Vec<OutputAt>,
    /// For every variable the messages around the description of its tensor: block, variable, type, tensor, description.
    pub(super) variables: HashMap<String, [Around; 5]>,
    /// Names of all variables.
    pub(super) names: Vec<String>,
}

/// A variable of a block.
#[derive(Clone, Default)]
struct Variable {
    element: Option<Element>,
    shape: Option<SymbolicShape>,
    persistable: bool,
    fed: bool,
    /// Whether it is a tensor, rather than a place for inputs, results or scopes.
    tensor: bool,
    /// The messages around the description of the tensor.
    around: Option<[Around; 4]>,
}

/// A block, before its operators are followed.
struct Block {
    around: Around,
    variables: Vec<(String, Variable)>,
    ops: Vec<Op>,
}

/// An operator, as it is written.
struct Op {
    kind: String,
    inputs: Vec<(String, Around, Vec<(String, Field)>)>,
    outputs: Vec<(String, Vec<String>)>,
    attributes: Vec<(String, Attribute, Field)>,
    blocks: Vec<i64>,
    field: Field,
    named: Option<Field>,
}

/// Reads a program.
///
/// # Errors
/// [`ErrorKind::Format`] for a file that is damaged, and for variables that are read before anything is in them;
/// [`ErrorKind::Limit`] above the limits.
pub(super) fn read(source: &Source) -> Result<(Model, Places), Error> {
    if source.len() > LIMITS.bytes {
        let message = format!("the file has {} bytes; at most {} of a program are read", source.len(), LIMITS.bytes);
        return Err(Error::new(ErrorKind::Limit, message));
    }
    let reader = Reader::new(source);
    let mut model = Model::new("paddle", System::Paddle, source.clone());
    let mut blocks = Vec::new();
    for field in reader.fields(reader.whole(), &PROGRAM) {
        let field = field?;
        match field.number {
            1 => blocks.push(block(&reader, &field)?),
            4 => {
                for field in reader.fields(field.span()?, &VERSION) {
                    model.opsets.push(("program".to_string(), field?.int()?));
                }
            }
            _ => {}
        }
    }
    let missing = match params::open(source)? {
        Ok(weights) => {
            model.weights = Some(weights);
            String::new()
        }
        Err(missing) => missing,
    };
    if blocks.is_empty() {
        return Err(Error::format("the program has no block"));
    }
    let places = Places { blocks: blocks.iter().map(|block| block.around).collect(), ..Places::default() };
    let variables =
        blocks.iter().flat_map(|block| &block.variables).map(|(name, variable)| (name.as_str(), variable)).collect();
    let mut read = Read {
        variables,
        model,
        places,
        blocks: &blocks,
        used: vec![false; blocks.len()],
        scopes: vec![],
        parameters: vec![],
        missing,
    };
    read.follow(GraphId(0), 0)?;
    params::fill(&mut read.model, read.parameters)?;
    Ok((read.model, read.places))
}

fn block(reader: &Reader<'_>, field: &Field) -> Result<Block, Error> {
    let around = Around::of(field)?;
    let mut block = Block { around, variables: Vec::new(), ops: Vec::new() };
    for field in reader.fields(around.span(), &BLOCK) {
        let field = field?;
        match field.number {
            3 => block.variables.push(variable(reader, Around::of(&field)?)?),
            4 => block.ops.push(op(reader, &field)?),
            _ => {}
        }
    }
    Ok(block)
}

fn variable(reader: &Reader<'_>, whole: Around) -> Result<(String, Variable), Error> {
    let (mut name, mut variable) = (String::new(), Variable::default());
    for field in reader.fields(whole.span(), &VARIABLE) {
        let field = field?;
        match field.number {
            1 => name = reader.text(field.span()?)?,
            2 => {
                let kind = Around::of(&field)?;
                for field in reader.fields(kind.span(), &TYPE) {
                    let field = field?;
                    if field.number == 3 {
                        tensor(reader, [whole, kind, Around::of(&field)?], &mut variable)?;
                    }
                }
            }
            3 => variable.persistable = field.int()? != 0,
            4 => variable.fed = field.int()? != 0,
            _ => {}
        }
    }
    Ok((name, variable))
}

fn tensor(reader: &Reader<'_>, path: [Around; 3], variable: &mut Variable) -> Result<(), Error> {
    let [whole, kind, tensor] = path;
    let place = format!("byte {}", tensor.span().at);
    variable.tensor = true;
    for field in reader.fields(tensor.span(), &TENSOR) {
        let field = field?;
        if field.number != 1 {
            continue;
        }
        let mut dims = Vec::new();
        let description = Around::of(&field)?;
        variable.around = Some([whole, kind, tensor, description]);
        for field in reader.fields(description.span(), &DESCRIPTION) {
            let field = field?;
            match field.number {
                1 => variable.element = Some(element::numbered(field.int()?)),
                2 => reader.ints(&field, MAX_RANK, &mut dims)?,
                _ => {}
            }
        }
        let dim = |dim: &u64| match dim.cast_signed() {
            -1 => Some(Dim::unknown()),
            size => usize::try_from(size).ok().map(Dim::known),
        };
        let dims: Option<Vec<Dim>> = dims.iter().map(dim).collect();
        let dims = dims.ok_or_else(|| Error::format("an extent must be -1, 0 or a size").at(&place))?;
        let known: Vec<usize> = dims.iter().filter_map(Dim::size).collect();
        elements(&known).map_err(|error| Error::format(error.to_string()).at(&place))?;
        variable.shape = Some(SymbolicShape::new(dims));
    }
    Ok(())
}

fn op(reader: &Reader<'_>, field: &Field) -> Result<Op, Error> {
    let (inputs, outputs, attributes, blocks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut op = Op { kind: String::new(), inputs, outputs, attributes, blocks, field: *field, named: None };
    for field in reader.fields(field.span()?, &OPERATOR) {
        let field = field?;
        match field.number {
            1 | 2 => {
                let around = Around::of(&field)?;
                let (mut name, mut arguments) = (String::new(), Vec::new());
                for part in reader.fields(around.span(), &SLOT) {
                    let part = part?;
                    match part.number {
                        1 => name = reader.text(part.span()?)?,
                        2 => arguments.push((reader.text(part.span()?)?, part)),
                        _ => {}
                    }
                }
                match field.number {
                    1 => op.inputs.push((name, around, arguments)),
                    _ => op.outputs.push((name, arguments.into_iter().map(|argument| argument.0).collect())),
                }
            }
            3 => (op.kind, op.named) = (reader.text(field.span()?)?, Some(field)),
            4 => attribute(reader, &field, &mut op)?,
            _ => {}
        }
    }
    // The file sorts inputs by name; what an operator works on comes first in its order.
    op.inputs.sort_by_key(|(name, ..)| match name.as_str() {
        "Condition" => 0,
        "X" | "Input" => 1,
        _ => 2,
    });
    Ok(op)
}

fn attribute(reader: &Reader<'_>, whole: &Field, op: &mut Op) -> Result<(), Error> {
    let (mut name, mut value) = (String::new(), None);
    let (mut ints, mut floats, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for field in reader.fields(whole.span()?, &ATTRIBUTE) {
        let field = field?;
        match field.number {
            1 => name = reader.text(field.span()?)?,
            // What is written here as 32 bits is read as 64, the sign included.
            3 | 13 => value = Some(Attribute::Int(field.int()?)),
            4 | 19 => value = Some(Attribute::Float(field.float()?)),
            5 => value = Some(Attribute::Text(reader.text(field.span()?)?)),
            10 => value = Some(Attribute::Text((field.int()? != 0).to_string())),
            12 => op.blocks.push(field.int()?),
            14 => {
                let mut list = Vec::new();
                reader.ints(&field, LIMITS.list, &mut list)?;
                op.blocks.extend(list.into_iter().map(u64::cast_signed));
            }
            6 | 11 | 15 => reader.ints(&field, LIMITS.list, &mut ints)?,
            7 => reader.floats(&field, 4, LIMITS.list, &mut floats)?,
            16 => reader.floats(&field, 8, LIMITS.list, &mut floats)?,
            8 if texts.len() < LIMITS.keys => texts.push(reader.text(field.span()?)?),
            _ => {}
        }
    }
    let value = match value {
        Some(value) => value,
        None if !ints.is_empty() => Attribute::Ints(ints.into_iter().map(u64::cast_signed).collect()),
        None if !floats.is_empty() => Attribute::Floats(floats),
        None => Attribute::Texts(texts),
    };
    op.attributes.push((name, value, *whole));
    Ok(())
}

struct Read<'b> {
    model: Model,
    places: Places,
    blocks: &'b [Block],
    /// The variables of all blocks.
    variables: HashMap<&'b str, &'b Variable>,
    /// Blocks that a graph was made of; each is the body of one operator.
    used: Vec<bool>,
    /// What is in the variables at this point, by name: of the blocks around, and of this one.
    scopes: Vec<HashMap<String, ValueId>>,
    parameters: Vec<params::Parameter>,
    missing: String,
}

impl Read<'_> {
    /// Follows the operators of a block. Blocks inside are followed by the same function, to a limit.
    fn follow(&mut self, graph: GraphId, index: usize) -> Result<(), Error> {
        if self.scopes.len() > LIMITS.blocks {
            let message = format!("blocks lie more than {} deep in each other", LIMITS.blocks);
            return Err(Error::new(ErrorKind::Limit, message).at(format!("block {index}")));
        }
        if std::mem::replace(&mut self.used[index], true) {
            return Err(Error::format("it is the body of two operators").at(format!("block {index}")));
        }
        let block = &self.blocks[index];
        self.scopes.push(HashMap::new());
        let fed: Vec<&String> = block
            .ops
            .iter()
            .filter(|op| op.kind == "feed")
            .flat_map(|op| op.outputs.iter().flat_map(|slot| &slot.1))
            .collect();
        let known: HashMap<&String, &Variable> =
            block.variables.iter().map(|(name, variable)| (name, variable)).collect();
        self.places.names.extend(block.variables.iter().map(|(name, _)| name.clone()));
        let tensors = block.variables.iter().filter_map(|(name, variable)| Some((name.clone(), variable.around?)));
        let tensors =
            tensors.map(|(name, [whole, kind, tensor, inner])| (name, [block.around, whole, kind, tensor, inner]));
        self.places.variables.extend(tensors);
        for (name, variable) in &block.variables {
            if variable.persistable && variable.tensor {
                let value = self.value(graph, name, Some(variable), None);
                self.parameter(name, value);
            } else if variable.fed && !fed.contains(&name) {
                let value = self.value(graph, name, Some(variable), None);
                self.model.graphs[graph.0 as usize].inputs.push(value);
            }
        }
        let mut feeds = Vec::new();
        for (number, op) in block.ops.iter().enumerate() {
            let place = format!("operator {number} ({}) of block {index}", op.kind);
            match op.kind.as_str() {
                "feed" => {
                    for name in op.outputs.iter().flat_map(|slot| &slot.1) {
                        feeds.push((column(op), self.value(graph, name, known.get(name).copied(), None)));
                    }
                }
                _ => self.operator(graph, op, (index, &known), place)?,
            }
        }
        feeds.sort();
        self.model.graphs[graph.0 as usize].inputs.extend(feeds.into_iter().map(|(_, value)| value));
        self.scopes.pop();
        Ok(())
    }

    fn value(
        &mut self,
        graph: GraphId,
        name: &str,
        variable: Option<&Variable>,
        producer: Option<(NodeId, usize)>,
    ) -> ValueId {
        let value = ValueId(self.model.values.len() as u32);
        let variable = variable.or_else(|| self.variables.get(name).copied()).cloned().unwrap_or_default();
        let written = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        let label = match written.map(|value| &self.model.value(*value).name) {
            None => name.to_string(),
            Some(last) => {
                let count = last
                    .strip_prefix(name)
                    .and_then(|tail| tail.strip_prefix('#'))
                    .and_then(|text| text.parse::<u64>().ok());
                format!("{name}#{}", count.unwrap_or(1).saturating_add(1))
            }
        };
        self.model.values.push(Value {
            name: label,
            graph,
            element: variable.element,
            declared: variable.shape,
            constant: None,
            producer,
        });
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), value);
        }
        value
    }

    fn parameter(&mut self, name: &str, value: ValueId) {
        let index = value.0 as usize;
        let value = &mut self.model.values[index];
        let shape = value.declared.as_ref().and_then(SymbolicShape::known);
        if let (Some(element), Some(shape)) = (value.element.clone(), shape) {
            let data = Data::Absent(self.missing.clone());
            value.constant = Some(Constant { element, shape: shape.dims().to_vec(), data });
            self.parameters.push((name.to_string(), index));
        }
    }

    fn operator(
        &mut self,
        graph: GraphId,
        op: &Op,
        (index, known): (usize, &HashMap<&String, &Variable>),
        place: String,
    ) -> Result<(), Error> {
        let (mut inputs, mut fields) = (Vec::new(), Vec::new());
        for (_, around, arguments) in &op.inputs {
            for (name, field) in arguments {
                let found = self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied();
                let declared = known.get(name).is_some_and(|variable| !variable.tensor);
                if found.is_none() && !declared && name != "@EMPTY@" {
                    return Err(Error::format(format!("it reads {name}, and nothing before writes it")).at(place));
                }
                inputs.push(found);
                fields.push((*around, *field));
            }
        }
        if op.kind == "fetch" {
            let read = inputs.into_iter().zip(fields).filter_map(|(value, field)| Some((value?, field)));
            for (value, (around, field)) in read {
                self.model.graphs[graph.0 as usize].outputs.push(value);
                self.places.outputs.push(OutputAt { graph, block: index, op: op.field, slot: around, name: field });
            }
            return Ok(());
        }
        let id = NodeId(self.model.nodes.len() as u32);
        let attributes = op.attributes.iter().map(|(name, value, _)| (name.clone(), value.clone())).collect();
        let name = op
            .outputs
            .iter()
            .flat_map(|slot| &slot.1)
            .next()
            .map_or_else(|| place.clone(), |out| format!("{}({out})", op.kind));
        self.model.nodes.push(Node {
            name,
            graph,
            domain: String::new(),
            op: op.kind.clone(),
            version: 0,
            attributes,
            inputs,
            outputs: Vec::new(),
            bodies: Vec::new(),
            place: place.clone(),
        });
        self.model.graphs[graph.0 as usize].nodes.push(id);
        let attributes = op.attributes.iter().map(|(name, _, field)| (name.clone(), *field)).collect();
        let kind = op.named.ok_or_else(|| Error::format("an operator has no type").at(&place))?;
        self.places.nodes.push(OpAt { block: index, field: op.field, inputs: fields, kind, attributes });
        for &body in &op.blocks {
            let number = usize::try_from(body).ok().filter(|&body| body > 0 && body < self.blocks.len());
            let number = number
                .ok_or_else(|| Error::format(format!("its body is block {body}, which is not there")).at(&place))?;
            let body = GraphId(self.model.graphs.len() as u32);
            self.model.graphs.push(Graph { name: format!("block {number}"), owner: Some(id), ..Graph::default() });
            self.model.nodes[id.0 as usize].bodies.push(body);
            self.follow(body, number)?;
        }
        for (output, name) in op.outputs.iter().flat_map(|slot| &slot.1).enumerate() {
            let value =
                (name != "@EMPTY@").then(|| self.value(graph, name, known.get(name).copied(), Some((id, output))));
            self.model.nodes[id.0 as usize].outputs.push(value);
        }
        Ok(())
    }
}

/// Returns which input of the program an operator `feed` stands for.
fn column(op: &Op) -> i64 {
    op.attributes.iter().find(|(name, ..)| name == "col").and_then(|(_, value, _)| value.int()).unwrap_or(0)
}
