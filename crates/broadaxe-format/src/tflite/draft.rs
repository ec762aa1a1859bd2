//! Collects all changes of a model before tables are written.
//!
//! Tensors keep their numbers, and new ones come last, so that signatures and metadata hold. Operators of the file are named by
//! their places; a new one is placed right before or behind one of them.

use std::collections::{BTreeMap, HashMap};

use broadaxe_shape::symbolic::SymbolicShape;

use super::{
    copies::NewFields,
    flat::{FlatReader, FlatTable},
    layout::{ModelLayout, SubgraphLayout, field},
};
use crate::{
    edit::{Names, ShapeOp, rejected},
    error::Error,
    graph::{Model, NodeId, ValueId},
    result_shape::ResultShape,
};

/// A tensor that is not in the file.
pub(super) struct NewTensor {
    pub(super) name: String,
    pub(super) shape: Option<SymbolicShape>,
    /// The number of its type.
    pub(super) element: u8,
    pub(super) buffer: usize,
    /// The tensor of the file whose quantization it has.
    pub(super) like: Option<usize>,
}

/// An operator that is not in the file.
pub(super) struct NewOperator {
    pub(super) op: String,
    pub(super) inputs: Vec<i32>,
    pub(super) output: i32,
    /// The type of its options, and the options; 0 for none.
    pub(super) options: (u8, NewFields),
    /// How the shape of its result follows, and what it does if it only changes the shape.
    pub(super) made: ResultShape,
    pub(super) does: Option<ShapeOp>,
}

/// An operator of the file that changes.
pub(super) struct ChangedOperator {
    pub(super) inputs: Vec<i32>,
    pub(super) outputs: Vec<i32>,
    pub(super) op: Option<String>,
    /// The type of its options, and the options.
    pub(super) options: Option<(u8, NewFields)>,
    pub(super) before: Vec<NewOperator>,
    pub(super) after: Vec<NewOperator>,
    /// Whether those before it replace it.
    pub(super) replaced: bool,
}

/// What changes in a subgraph.
#[derive(Default)]
pub(super) struct GraphDraft {
    pub(super) tensors: Vec<NewTensor>,
    /// Tensors of the file with another shape.
    pub(super) shapes: BTreeMap<usize, SymbolicShape>,
    pub(super) operators: BTreeMap<usize, ChangedOperator>,
}

/// All changes.
pub(super) struct ModelDraft<'a> {
    pub(super) model: &'a Model,
    pub(super) flat: FlatReader<'a>,
    pub(super) layout: &'a ModelLayout,
    pub(super) graphs: Vec<GraphDraft>,
    /// The data of new buffers.
    pub(super) buffers: Vec<Vec<u8>>,
    names: Names,
    /// Inserted operators that change shapes: subgraph, source, change and numbers, with their place and their result.
    inserted: HashMap<InsertedKey, (usize, i32)>,
}

/// Subgraph, source, change and numbers of an inserted operator.
type InsertedKey = (usize, i32, ShapeOp, Vec<i64>);

/// The source of an inserted operator, its change and the numbers.
type Inserted<'s> = (i32, ShapeOp, &'s [i64]);

impl<'a> ModelDraft<'a> {
    pub(super) fn new(model: &'a Model, flat: FlatReader<'a>, layout: &'a ModelLayout) -> Self {
        let graphs = layout.subgraphs.iter().map(|_| GraphDraft::default()).collect();
        let names = Names::new(model.values.iter().map(|value| &value.name), 2);
        Self { model, flat, layout, graphs, buffers: Vec::new(), names, inserted: HashMap::new() }
    }

    pub(super) fn part(&self, graph: usize) -> &'a SubgraphLayout {
        &self.layout.subgraphs[graph]
    }

    /// Returns subgraph and place of a node.
    pub(super) fn node(&self, node: NodeId) -> (usize, usize) {
        let graph = self.model.node(node).graph.0 as usize;
        (graph, node.0 as usize - self.part(graph).first_node)
    }

    /// Returns subgraph and number of a tensor.
    pub(super) fn tensor(&self, value: ValueId) -> (usize, i32) {
        let graph = self.model.value(value).graph.0 as usize;
        (graph, (value.0 as usize - self.part(graph).first_value) as i32)
    }

    /// Returns the value of a tensor of the file.
    pub(super) fn value(&self, graph: usize, tensor: i32) -> Option<ValueId> {
        let part = self.part(graph);
        let tensor = usize::try_from(tensor).ok().filter(|&tensor| tensor < part.tensors.len())?;
        Some(ValueId((part.first_value + tensor) as u32))
    }

    fn new_tensor(&self, graph: usize, tensor: i32) -> Option<&NewTensor> {
        let number = usize::try_from(tensor).ok()?.checked_sub(self.part(graph).tensors.len())?;
        self.graphs[graph].tensors.get(number)
    }

    /// Returns the current shape of a tensor, if it is known.
    pub(super) fn shape(&self, graph: usize, tensor: i32) -> Option<SymbolicShape> {
        if let Some(fresh) = self.new_tensor(graph, tensor) {
            return fresh.shape.clone();
        }
        let changed = usize::try_from(tensor).ok().and_then(|tensor| self.graphs[graph].shapes.get(&tensor));
        let value = self.model.value(self.value(graph, tensor)?);
        changed.cloned().or_else(|| value.declared.clone())
    }

    /// Sets the shape of a tensor.
    pub(super) fn set_shape(&mut self, graph: usize, tensor: i32, shape: SymbolicShape) {
        let Ok(tensor) = usize::try_from(tensor) else { return };
        let first = self.part(graph).tensors.len();
        match tensor.checked_sub(first) {
            Some(fresh) => self.graphs[graph].tensors[fresh].shape = Some(shape),
            None => drop(self.graphs[graph].shapes.insert(tensor, shape)),
        }
    }

    /// Says whether a tensor is new or has another shape than in the file.
    pub(super) fn is_changed(&self, graph: usize, tensor: i32) -> bool {
        self.new_tensor(graph, tensor).is_some()
            || usize::try_from(tensor).is_ok_and(|tensor| self.graphs[graph].shapes.contains_key(&tensor))
    }

    /// Returns the name of a tensor.
    pub(super) fn name(&self, graph: usize, tensor: i32) -> String {
        match (self.new_tensor(graph, tensor), self.value(graph, tensor)) {
            (Some(fresh), _) => fresh.name.clone(),
            (None, Some(value)) => self.model.value(value).name.clone(),
            (None, None) => String::new(),
        }
    }

    /// Returns the number of a tensor's type.
    pub(super) fn element(&self, graph: usize, tensor: i32) -> Result<u8, Error> {
        match (self.new_tensor(graph, tensor), usize::try_from(tensor)) {
            (Some(fresh), _) => Ok(fresh.element),
            (None, Ok(tensor)) if tensor < self.part(graph).tensors.len() => {
                Ok(self.flat.byte(self.part(graph).tensors[tensor], field::TENSOR_ELEMENT)?.unwrap_or(0))
            }
            _ => Ok(0),
        }
    }

    /// Returns the tensor of the file whose quantization a tensor has.
    pub(super) fn like(&self, graph: usize, tensor: i32) -> Option<usize> {
        match self.new_tensor(graph, tensor) {
            Some(fresh) => fresh.like,
            None => usize::try_from(tensor).ok(),
        }
    }

    /// Adds a tensor and returns its number.
    pub(super) fn add(&mut self, graph: usize, mut tensor: NewTensor) -> i32 {
        tensor.name = self.names.unique(&tensor.name);
        let number = self.part(graph).tensors.len() + self.graphs[graph].tensors.len();
        self.graphs[graph].tensors.push(tensor);
        number as i32
    }

    /// Adds a tensor with the elements of another in another shape.
    pub(super) fn add_like(&mut self, graph: usize, tensor: i32, base: String) -> Result<i32, Error> {
        let (element, like) = (self.element(graph, tensor)?, self.like(graph, tensor));
        Ok(self.add(graph, NewTensor { name: base, shape: None, element, buffer: 0, like }))
    }

    /// Adds a constant of these bytes.
    pub(super) fn constant(&mut self, graph: usize, base: String, element: u8, shape: &[usize], bytes: Vec<u8>) -> i32 {
        // Buffer 0 is the empty one, in every model.
        let buffer = self.layout.buffers.len.max(1) + self.buffers.len();
        self.buffers.push(bytes);
        let shape = Some(SymbolicShape::from(shape));
        self.add(graph, NewTensor { name: base, shape, element, buffer, like: None })
    }

    /// Returns the changes of an operator.
    pub(super) fn operator(&mut self, graph: usize, place: usize) -> Result<&mut ChangedOperator, Error> {
        let table = self.part(graph).operators[place];
        if !self.graphs[graph].operators.contains_key(&place) {
            let (inputs, outputs) =
                (self.flat.ints(table, field::OPERATOR_INPUTS)?, self.flat.ints(table, field::OPERATOR_OUTPUTS)?);
            let changed = ChangedOperator {
                inputs,
                outputs,
                op: None,
                options: None,
                before: Vec::new(),
                after: Vec::new(),
                replaced: false,
            };
            self.graphs[graph].operators.insert(place, changed);
        }
        let changed = self.graphs[graph].operators.get_mut(&place);
        changed.ok_or_else(|| rejected("the operator is not in the model"))
    }

    /// Returns what an operator reads now.
    pub(super) fn input(&mut self, graph: usize, place: usize, input: usize) -> Result<i32, Error> {
        let inputs = &self.operator(graph, place)?.inputs;
        inputs.get(input).copied().ok_or_else(|| rejected(format!("the operator has no input {input}")))
    }

    /// Returns the result of an operator that was inserted for another reader, and moves it before this one if it comes later.
    pub(super) fn shared(
        &mut self,
        graph: usize,
        place: usize,
        (source, does, numbers): Inserted<'_>,
    ) -> Result<Option<i32>, Error> {
        let key = (graph, source, does, numbers.to_vec());
        let Some(&(at, output)) = self.inserted.get(&key) else { return Ok(None) };
        if place < at {
            let before = &mut self.operator(graph, at)?.before;
            let Some(found) = before.iter().position(|operator| operator.output == output) else { return Ok(None) };
            let moved = before.remove(found);
            self.operator(graph, place)?.before.push(moved);
            self.inserted.insert(key, (place, output));
        }
        Ok(Some(output))
    }

    /// Keeps the result of an inserted operator for other readers.
    pub(super) fn share(&mut self, graph: usize, place: usize, (source, does, numbers): Inserted<'_>, output: i32) {
        self.inserted.insert((graph, source, does, numbers.to_vec()), (place, output));
    }

    /// Rejects a tensor whose bytes are not elements in a shape that can be changed.
    pub(super) fn movable(&self, graph: usize, tensor: i32) -> Result<(), Error> {
        let Some(value) = self.value(graph, tensor) else { return Ok(()) };
        let table: FlatTable = self.part(graph).tensors[tensor as usize];
        let name = &self.model.value(value).name;
        if self.flat.flag(table, field::TENSOR_VARIABLE)? {
            return Err(rejected(format!("{name} is a variable, which operators change in place; it keeps its shape")));
        }
        if self.flat.field(table, field::TENSOR_SPARSITY)?.is_some() {
            return Err(rejected(format!("{name} is stored as a sparse tensor, whose layout depends on its shape")));
        }
        let element = self.model.value(value).element.as_ref().map(ToString::to_string).unwrap_or_default();
        if matches!(element.as_str(), "resource" | "variant") {
            return Err(rejected(format!("{name} is a {element}, which has no shape of its own")));
        }
        Ok(())
    }
}
