//! Collects all changes of a program before it is written: changed inputs, new operations, changed shapes.

use std::collections::BTreeMap;

use broadaxe_frameworks::{Attribute, Attributes, Kind, System, newest};
use broadaxe_shape::symbolic::SymbolicShape;

use crate::{
    edit::{Lowered, Place, Primitive, Scalar, ShapeOp, With, each_of, rejected},
    error::Error,
    graph::{Element, GraphId, Model, Node, NodeId, Use, ValueId},
    result_shape::{ResultShape, compatible},
};

/// What is read: a value of the file, or what a new operation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Old(ValueId),
    New(usize),
}

/// A new operation with one input and a list of numbers.
pub(super) struct NewOp {
    pub(super) does: ShapeOp,
    pub(super) numbers: Vec<i64>,
    pub(super) input: Operand,
    pub(super) element: Element,
    pub(super) shape: SymbolicShape,
    /// The node next to it, and whether it comes after that node.
    pub(super) next_to: (NodeId, bool),
}

/// All changes.
pub(super) struct ProgramDraft<'a> {
    pub(super) model: &'a Model,
    /// What inputs of nodes read, where it is not what they read in the file.
    pub(super) reads: BTreeMap<Use, Operand>,
    /// What outputs of graphs read, where it differs: by graph and position.
    pub(super) outputs: BTreeMap<(GraphId, usize), Operand>,
    pub(super) fresh: Vec<NewOp>,
    /// Values that record another shape.
    pub(super) shapes: BTreeMap<ValueId, SymbolicShape>,
    /// Nodes with another operator.
    pub(super) kinds: BTreeMap<NodeId, String>,
    /// Attributes that are set.
    pub(super) attributes: BTreeMap<(NodeId, String), Scalar>,
}

impl<'a> ProgramDraft<'a> {
    /// Makes all changes.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Edit`] for a change that a program cannot have.
    pub(super) fn of(model: &'a Model, edits: &Lowered) -> Result<Self, Error> {
        let mut draft = Self {
            model,
            reads: BTreeMap::new(),
            outputs: BTreeMap::new(),
            fresh: Vec::new(),
            shapes: BTreeMap::new(),
            kinds: BTreeMap::new(),
            attributes: BTreeMap::new(),
        };
        each_of(edits, |edit| draft.apply(edit))?;
        draft.settle()?;
        Ok(draft)
    }

    fn apply(&mut self, edit: &Primitive) -> Result<(), Error> {
        match edit {
            Primitive::Insert { at: Place::Before(at), does, numbers } => self.before(*at, *does, numbers),
            Primitive::Insert { at: Place::After(node), does, numbers } => self.after(*node, *does, numbers),
            Primitive::Replace { node, with: With::Exchanged(op) } => self.exchange(*node, op),
            Primitive::Attribute { node, name, value } => self.attribute(*node, name, value.as_ref()),
            Primitive::SetShape { .. } => {
                Err(rejected("the file of parameters records the shape of a parameter too, so it cannot change"))
            }
            Primitive::Opset(_) => Err(rejected("a program of Paddle has no opset")),
            Primitive::Replace { node, with: With::Nodes(_) } => {
                let place = &self.model.node(*node).place;
                Err(rejected("nodes of Paddle's programs cannot be replaced; insert reshapes before them").at(place))
            }
        }
    }

    /// Returns what an input reads now.
    pub(super) fn source(&self, at: Use) -> Result<Operand, Error> {
        let node = self.model.node(at.node);
        let message = || rejected(format!("it has no input {} that could change", at.input)).at(&node.place);
        match self.reads.get(&at) {
            Some(end) => Ok(*end),
            None => node.input(at.input).map(Operand::Old).ok_or_else(message),
        }
    }

    pub(super) fn shape(&self, end: Operand) -> Option<SymbolicShape> {
        match end {
            Operand::New(fresh) => Some(self.fresh[fresh].shape.clone()),
            Operand::Old(value) => {
                self.shapes.get(&value).cloned().or_else(|| self.model.value(value).declared.clone())
            }
        }
    }

    pub(super) fn element(&self, end: Operand) -> Option<Element> {
        match end {
            Operand::New(fresh) => Some(self.fresh[fresh].element.clone()),
            Operand::Old(value) => self.model.value(value).element.clone(),
        }
    }

    fn name(&self, end: Operand) -> String {
        match end {
            Operand::New(fresh) => format!("{:?} of {}", self.fresh[fresh].does, self.name(self.fresh[fresh].input)),
            Operand::Old(value) => self.model.value(value).name.clone(),
        }
    }

    /// Adds an operation next to a node.
    fn add(
        &mut self,
        input: Operand,
        (does, numbers): (ShapeOp, &[i64]),
        made: &ResultShape,
        next_to: (NodeId, bool),
    ) -> Result<Operand, Error> {
        let place = &self.model.node(next_to.0).place;
        let unknown = || {
            rejected(format!("nothing is known of the tensor {}, so it keeps its shape", self.name(input))).at(place)
        };
        let shape = made.shape(&[self.shape(input)]).map_err(|error| error.at(place))?.ok_or_else(unknown)?;
        let element = self.element(input).ok_or_else(unknown)?;
        self.fresh.push(NewOp { does, numbers: numbers.to_vec(), input, element, shape, next_to });
        Ok(Operand::New(self.fresh.len() - 1))
    }

    fn before(&mut self, at: Use, does: ShapeOp, numbers: &[i64]) -> Result<(), Error> {
        let made = ResultShape::of(does, numbers);
        let end = self.add(self.source(at)?, (does, numbers), &made, (at.node, false))?;
        self.reads.insert(at, end);
        Ok(())
    }

    fn exchange(&mut self, node: NodeId, op: &str) -> Result<(), Error> {
        let at = |input| Use { node, input };
        let (x, y) = (self.source(at(0))?, self.source(at(1))?);
        self.reads.insert(at(0), y);
        self.reads.insert(at(1), x);
        if op != self.model.node(node).op {
            self.kinds.insert(node, op.to_string());
        }
        Ok(())
    }

    fn attribute(&mut self, node: NodeId, name: &str, value: Option<&Scalar>) -> Result<(), Error> {
        let removed = || rejected(format!("the attribute {name} cannot be removed; give it a value"));
        let value = value.ok_or_else(|| removed().at(&self.model.node(node).place))?;
        self.attributes.insert((node, name.to_string()), value.clone());
        Ok(())
    }

    fn after(&mut self, node: NodeId, does: ShapeOp, numbers: &[i64]) -> Result<(), Error> {
        let old = self.model.node(node);
        let [Some(value)] = old.outputs.iter().filter(|output| output.is_some()).copied().collect::<Vec<_>>()[..]
        else {
            return Err(rejected("only a node with exactly one output can have its result reshaped").at(&old.place));
        };
        let source = Operand::Old(value);
        let made = ResultShape::behind(self.shape(source), does, numbers);
        let end = self.add(source, (does, numbers), &made, (node, true))?;
        for &at in self.model.uses().of(value) {
            if self.source(at)? == source {
                self.reads.insert(at, end);
            }
        }
        let own = self.fresh.len() - 1;
        for fresh in self.fresh[..own].iter_mut().filter(|fresh| fresh.input == source) {
            fresh.input = end;
        }
        for (graph, outputs) in self.model.graphs.iter().enumerate() {
            for position in (0..outputs.outputs.len()).filter(|&position| outputs.outputs[position] == value) {
                self.outputs.insert((GraphId(graph as u32), position), end);
            }
        }
        Ok(())
    }

    /// Updates the recorded shapes.
    fn settle(&mut self) -> Result<(), Error> {
        for (index, node) in self.model.nodes.iter().enumerate() {
            let id = NodeId(index as u32);
            let ends: Vec<Option<Operand>> =
                (0..node.inputs.len()).map(|input| self.source(Use { node: id, input }).ok()).collect();
            let changed = |(input, end): (usize, &Option<Operand>)| match end {
                Some(Operand::New(_)) => true,
                Some(Operand::Old(value)) => self.shapes.contains_key(value) || node.input(input) != Some(*value),
                None => false,
            };
            let own = self.attributes.range((id, String::new())..).next().is_some_and(|(key, _)| key.0 == id);
            if !own && !ends.iter().enumerate().any(changed) {
                continue;
            }
            let inputs: Vec<_> = ends.iter().map(|end| end.and_then(|end| self.shape(end))).collect();
            let made = self.made(id, node).shape(&inputs);
            let made = made.map_err(|error| rejected(format!("after this change, {error}")).at(&node.place))?;
            let recorded = node.output(0).and_then(|value| self.model.value(value).declared.clone());
            if let (Some(value), Some(shape)) = (node.output(0), made)
                && recorded.is_none_or(|recorded| !compatible(&recorded, &shape))
            {
                self.shapes.insert(value, shape);
            }
        }
        Ok(())
    }

    /// Returns how the shape of a node's result follows.
    fn made(&self, id: NodeId, node: &Node) -> ResultShape {
        let name = self.kinds.get(&id).unwrap_or(&node.op);
        let Some(row) = newest(System::Paddle, name) else {
            // `scale` multiplies by an attribute.
            return if name == "scale" { ResultShape::First } else { ResultShape::Unknown };
        };
        match row.kind() {
            Kind::Unary | Kind::Slope => ResultShape::First,
            Kind::Binary | Kind::Select => {
                let settings = ChangedAttributes { changed: &self.attributes, id, node };
                row.rule_by().rule(&settings).map_or(ResultShape::Unknown, ResultShape::Broadcast)
            }
            _ => ResultShape::Unknown,
        }
    }
}

/// The attributes of a node after a change.
struct ChangedAttributes<'a> {
    changed: &'a BTreeMap<(NodeId, String), Scalar>,
    id: NodeId,
    node: &'a Node,
}

impl Attributes for ChangedAttributes<'_> {
    fn get(&self, name: &str) -> Option<Attribute> {
        match self.changed.get(&(self.id, name.to_string())) {
            Some(Scalar::Int(value)) => Some(Attribute::Int(*value)),
            Some(Scalar::Text(value)) => Some(Attribute::Text(value.clone())),
            _ => match self.node.attribute(name)? {
                crate::Attribute::Int(value) => Some(Attribute::Int(*value)),
                crate::Attribute::Text(value) => Some(Attribute::Text(value.clone())),
                _ => None,
            },
        }
    }
}
