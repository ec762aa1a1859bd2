//! Programs of the old representation: blocks of operators that write to variables, in a protocol buffer.

use std::collections::{HashMap, HashSet};

use broadaxe_frameworks::System;

use super::{
    PROGRAM_LIMITS,
    blocks::{Block, Op, Variable, blocks},
    params,
};
use crate::{
    error::{Error, ErrorKind},
    graph::{Graph, GraphId, Model, Node, NodeId, Value, ValueId},
    source::Source,
    wire::{Around, Field, Reader},
};

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

/// The places of nodes and blocks in the file.
#[derive(Default)]
pub(super) struct ProgramPlaces {
    pub(super) blocks: Vec<Around>,
    pub(super) nodes: Vec<OpAt>,
    pub(super) outputs: Vec<OutputAt>,
    /// For every variable the messages around the description of its tensor: block, variable, type, tensor, description.
    pub(super) variables: HashMap<String, [Around; 5]>,
    /// Names of all variables.
    pub(super) names: Vec<String>,
}

/// Reads a program.
///
/// # Errors
/// [`ErrorKind::Format`] for a file that is damaged, and for variables that are read before anything is in them;
/// [`ErrorKind::Limit`] above the limits.
pub(super) fn read(source: &Source) -> Result<(Model, ProgramPlaces), Error> {
    if source.len() > PROGRAM_LIMITS.bytes {
        let message =
            format!("the file has {} bytes; the limit for a program is {}", source.len(), PROGRAM_LIMITS.bytes);
        return Err(Error::new(ErrorKind::Limit, message));
    }
    let reader = Reader::new(source);
    let mut model = Model::new("paddle", System::Paddle, source.clone());
    let blocks = blocks(&reader, &mut model)?;
    let missing = model.open_weights("pdiparams")?;
    let places =
        ProgramPlaces { blocks: blocks.iter().map(|block| block.around).collect(), ..ProgramPlaces::default() };
    let variables =
        blocks.iter().flat_map(|block| &block.variables).map(|(name, variable)| (name.as_str(), variable)).collect();
    let mut read = ProgramReader {
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

/// What an operator reads, and for each input the slot and the text of its name.
type Inputs = (Vec<Option<ValueId>>, Vec<(Around, Field)>);

struct ProgramReader<'b> {
    model: Model,
    places: ProgramPlaces,
    blocks: &'b [Block],
    /// The variables of all blocks.
    variables: HashMap<&'b str, &'b Variable>,
    /// Which blocks were used; each can be the body of one operator.
    used: Vec<bool>,
    /// What is in the variables at this point, by name: of the blocks around, and of this one.
    scopes: Vec<HashMap<String, ValueId>>,
    parameters: Vec<params::Parameter>,
    missing: String,
}

impl<'b> ProgramReader<'b> {
    /// Follows the operators of a block. Blocks inside are followed by the same function, to a limit.
    fn follow(&mut self, graph: GraphId, index: usize) -> Result<(), Error> {
        if self.scopes.len() > PROGRAM_LIMITS.blocks {
            let message = format!("blocks are nested more than {} deep", PROGRAM_LIMITS.blocks);
            return Err(Error::new(ErrorKind::Limit, message).at(format!("block {index}")));
        }
        if std::mem::replace(&mut self.used[index], true) {
            return Err(Error::format("it is the body of two operators").at(format!("block {index}")));
        }
        let block = &self.blocks[index];
        self.scopes.push(HashMap::new());
        let known = self.variables(graph, block);
        let mut feeds = Vec::new();
        for (number, op) in block.ops.iter().enumerate() {
            let place = format!("operator {number} ({}) of block {index}", op.kind);
            match op.kind.as_str() {
                "feed" => {
                    for name in op.outputs.iter().flat_map(|slot| &slot.1) {
                        feeds.push((column(op), self.value(graph, name, known.get(name).copied(), None)));
                    }
                }
                _ => self.operator(graph, (number, op), (index, &known), &place)?,
            }
        }
        feeds.sort();
        self.model.graphs[graph.0 as usize].inputs.extend(feeds.into_iter().map(|(_, value)| value));
        self.scopes.pop();
        Ok(())
    }

    /// Adds the variables of a block; parameters and inputs without an operator become values.
    fn variables(&mut self, graph: GraphId, block: &'b Block) -> HashMap<&'b String, &'b Variable> {
        let fed: HashSet<&String> = block
            .ops
            .iter()
            .filter(|op| op.kind == "feed")
            .flat_map(|op| op.outputs.iter().flat_map(|slot| &slot.1))
            .collect();
        let known: HashMap<&'b String, &'b Variable> =
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
            } else if variable.fed && !fed.contains(name) {
                let value = self.value(graph, name, Some(variable), None);
                self.model.graphs[graph.0 as usize].inputs.push(value);
            }
        }
        known
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
        let (element, declared) = (variable.element, variable.shape);
        self.model.values.push(Value { name: label, graph, element, declared, producer, ..Value::default() });
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), value);
        }
        value
    }

    fn parameter(&mut self, name: &str, value: ValueId) {
        let index = value.0 as usize;
        let value = &mut self.model.values[index];
        value.constant = params::constant(value, &self.missing);
        self.parameters.extend(value.constant.is_some().then(|| (name.to_string(), index)));
    }

    /// Finds the inputs of an operator, and the fields that name them.
    fn inputs(&self, op: &Op, known: &HashMap<&String, &Variable>) -> Result<Inputs, Error> {
        let (mut inputs, mut fields) = (Vec::new(), Vec::new());
        for (_, around, arguments) in &op.inputs {
            for (name, field) in arguments {
                let found = self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied();
                let declared = known.get(name).is_some_and(|variable| !variable.tensor);
                if found.is_none() && !declared && name != "@EMPTY@" {
                    return Err(Error::format(format!("it reads {name}, but no earlier operator writes it")));
                }
                inputs.push(found);
                fields.push((*around, *field));
            }
        }
        Ok((inputs, fields))
    }

    /// Follows the blocks that are bodies of an operator.
    fn bodies(&mut self, id: NodeId, op: &Op, place: &str) -> Result<(), Error> {
        for &body in &op.blocks {
            let number = usize::try_from(body).ok().filter(|&body| body > 0 && body < self.blocks.len());
            let number = number
                .ok_or_else(|| Error::format(format!("its body is block {body}, which is not there")).at(place))?;
            let body = GraphId(self.model.graphs.len() as u32);
            self.model.graphs.push(Graph { name: format!("block {number}"), owner: Some(id), ..Graph::default() });
            self.model.nodes[id.0 as usize].bodies.push(body);
            self.follow(body, number)?;
        }
        Ok(())
    }

    /// Adds what an operator `fetch` reads to the outputs of the graph.
    fn outputs(
        &mut self,
        graph: GraphId,
        op: &Op,
        block: usize,
        read: impl Iterator<Item = (Option<ValueId>, (Around, Field))>,
    ) {
        for (value, (slot, name)) in read.filter_map(|(value, field)| Some((value?, field))) {
            self.model.graphs[graph.0 as usize].outputs.push(value);
            self.places.outputs.push(OutputAt { graph, block, op: op.field, slot, name });
        }
    }

    fn operator(
        &mut self,
        graph: GraphId,
        (number, op): (usize, &Op),
        (index, known): (usize, &HashMap<&String, &Variable>),
        place: &str,
    ) -> Result<(), Error> {
        let (inputs, fields) = self.inputs(op, known).map_err(|error| error.at(place))?;
        if op.kind == "fetch" {
            self.outputs(graph, op, index, inputs.into_iter().zip(fields));
            return Ok(());
        }
        let id = NodeId(self.model.nodes.len() as u32);
        let attributes = op.attributes.iter().map(|(name, value, _)| (name.clone(), value.clone())).collect();
        let first = op.outputs.iter().flat_map(|slot| &slot.1).next();
        let name = first.map_or_else(|| place.to_string(), |first| format!("{}({first})", op.kind));
        self.model.nodes.push(Node {
            name,
            graph,
            op: op.kind.clone(),
            attributes,
            inputs,
            place: place.to_string(),
            number: number as u64,
            ..Node::default()
        });
        self.model.graphs[graph.0 as usize].nodes.push(id);
        let attributes = op.attributes.iter().map(|(name, _, field)| (name.clone(), *field)).collect();
        let kind = op.named.ok_or_else(|| Error::format("an operator has no type").at(place))?;
        self.places.nodes.push(OpAt { block: index, field: op.field, inputs: fields, kind, attributes });
        self.bodies(id, op, place)?;
        for (output, name) in op.outputs.iter().flat_map(|slot| &slot.1).enumerate() {
            let value =
                (name != "@EMPTY@").then(|| self.value(graph, name, known.get(name).copied(), Some((id, output))));
            self.model.nodes[id.0 as usize].outputs.push(value);
        }
        Ok(())
    }
}

/// Returns the index of the program's input that an operator `feed` reads.
fn column(op: &Op) -> i64 {
    op.attributes.iter().find(|(name, ..)| name == "col").and_then(|(_, value, _)| value.int()).unwrap_or(0)
}
