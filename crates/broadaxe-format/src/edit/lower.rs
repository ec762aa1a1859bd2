//! Lowers each [`Edit`] to the five primitive changes that formats implement.
//!
//! The checks that hold for all formats are here: nodes, inputs and constants exist, shapes and axes are valid, and no two
//! changes contradict each other.

use std::collections::HashSet;

use super::{Edit, NewNode, Scalar, each, list, rejected};
use crate::{
    error::Error,
    graph::{Model, Node, NodeId, Use, ValueId},
};

/// A primitive change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Primitive {
    /// Gives a constant another shape of as many elements.
    SetShape {
        /// The constant.
        value: ValueId,
        /// The new shape.
        shape: Vec<usize>,
        /// The inputs that read a copy in that shape; `None` changes the constant itself.
        readers: Option<Vec<Use>>,
    },
    /// Inserts a node that changes the shape of one value.
    Insert {
        /// Where.
        at: Place,
        /// What the node does.
        does: ShapeOp,
        /// The shape, or the axes.
        numbers: Vec<i64>,
    },
    /// Replaces a node.
    Replace {
        /// The node.
        node: NodeId,
        /// The replacement.
        with: With,
    },
    /// Sets an attribute, or removes it.
    Attribute {
        /// The node.
        node: NodeId,
        /// The attribute's name.
        name: String,
        /// What it becomes.
        value: Option<Scalar>,
    },
    /// Sets the version of the standard domain.
    Opset(i64),
}

/// Where a node is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before an input.
    Before(Use),
    /// After the result of a node, for all its readers.
    After(NodeId),
}

/// What an inserted node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ShapeOp {
    /// Gives another shape; -1 once for the extent that follows from the others, 0 for the extent of the same axis.
    Reshape,
    /// Adds axes of extent 1, ascending and counted in the result.
    Unsqueeze,
    /// Broadcasts to a shape.
    Expand,
}

impl ShapeOp {
    pub(crate) const ALL: [Self; 3] = [Self::Reshape, Self::Unsqueeze, Self::Expand];
}

/// The replacement of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum With {
    /// Other nodes, in order.
    Nodes(Vec<NewNode>),
    /// The node itself with its two inputs exchanged, and with this operator.
    Exchanged(String),
}

/// What a format can do to a constant. Inserted nodes do the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constants {
    /// Change its shape, and add copies.
    Copied,
    /// Change its shape.
    Changed,
    /// Nothing.
    Fixed,
}

/// Changes, each with the place in the list of the [`Edit`] that it comes from. Exchanged inputs and reshaped results come
/// after changes that refer to the old inputs; replaced nodes come last.
pub(crate) type Lowered = Vec<(usize, Primitive)>;

impl Primitive {
    /// Returns the node that is changed; `None` for a constant, and for the whole model.
    pub(crate) fn node(&self) -> Option<NodeId> {
        match self {
            Self::Insert { at: Place::Before(Use { node, .. }) | Place::After(node), .. }
            | Self::Replace { node, .. }
            | Self::Attribute { node, .. } => Some(*node),
            Self::SetShape { .. } | Self::Opset(_) => None,
        }
    }

    fn turn(&self) -> usize {
        match self {
            Self::Replace { with: With::Nodes(_), .. } => 2,
            Self::Replace { with: With::Exchanged(_), .. } | Self::Insert { at: Place::After(_), .. } => 1,
            _ => 0,
        }
    }
}

/// Lowers changes for a format.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for a change that no format can make, with all of them.
pub(crate) fn lower(model: &Model, edits: &[Edit], constants: Constants) -> Result<Lowered, Error> {
    let replaced = |edit: &Edit| if let Edit::Replace { node, .. } = edit { Some(*node) } else { None };
    let replaced = edits.iter().filter_map(replaced).collect();
    let mut lower = Lower { model, constants, replaced, once: HashSet::new(), made: Vec::with_capacity(edits.len()) };
    each(edits.iter().enumerate(), |at, edit| lower.edit(at, edit))?;
    lower.made.sort_by_key(|(_, primitive)| primitive.turn());
    Ok(lower.made)
}

/// Makes changes one after the other.
///
/// # Errors
/// As [`each`].
pub(crate) fn each_of(edits: &Lowered, mut make: impl FnMut(&Primitive) -> Result<(), Error>) -> Result<(), Error> {
    each(edits.iter().map(|(at, edit)| (*at, edit)), |_, edit| make(edit))
}

/// What can be changed only once.
#[derive(PartialEq, Eq, Hash)]
enum Once<'a> {
    Shape(ValueId),
    Node(NodeId),
    Order(NodeId),
    Result(NodeId),
    Attribute(NodeId, &'a str),
}

struct Lower<'a> {
    model: &'a Model,
    constants: Constants,
    replaced: HashSet<NodeId>,
    once: HashSet<Once<'a>>,
    made: Lowered,
}

impl<'a> Lower<'a> {
    fn edit(&mut self, from: usize, edit: &'a Edit) -> Result<(), Error> {
        let primitive = match edit {
            Edit::ReshapeConstant { value, shape } => return self.set_shape(from, *value, shape, None),
            Edit::CopyConstant { value, shape, uses } => return self.set_shape(from, *value, shape, Some(uses)),
            Edit::Reshape { at, shape } => self.insert(*at, ShapeOp::Reshape, shape)?,
            Edit::Unsqueeze { at, axes } => self.insert(*at, ShapeOp::Unsqueeze, axes)?,
            Edit::Expand { at, shape } => self.insert(*at, ShapeOp::Expand, shape)?,
            Edit::Swap { node, op } => {
                self.two_inputs(*node)?;
                Primitive::Replace { node: *node, with: With::Exchanged(op.clone()) }
            }
            Edit::Attribute { node, name, value } => {
                self.changed(*node)?;
                self.once(Once::Attribute(*node, name), &format!("the attribute {name} is set twice"))?;
                Primitive::Attribute { node: *node, name: name.clone(), value: value.clone() }
            }
            Edit::Opset(version) if *version < 1 => {
                return Err(rejected(format!("versions of operators are from 1 on, not {version}")));
            }
            Edit::Opset(version) => Primitive::Opset(*version),
            Edit::Replace { node, with } => {
                self.node(*node)?;
                self.once(Once::Node(*node), "a node is replaced once")?;
                Primitive::Replace { node: *node, with: With::Nodes(with.clone()) }
            }
            Edit::ReshapeResult { node, shape } => {
                self.changed(*node)?;
                self.once(Once::Result(*node), "a result is reshaped once")?;
                sizes(shape)?;
                Primitive::Insert { at: Place::After(*node), does: ShapeOp::Reshape, numbers: shape.clone() }
            }
        };
        self.made.push((from, primitive));
        Ok(())
    }

    /// Gives a constant another shape, or its readers a copy in that shape; inserts reshapes if the format cannot.
    fn set_shape(
        &mut self,
        from: usize,
        value: ValueId,
        shape: &[usize],
        readers: Option<&Vec<Use>>,
    ) -> Result<(), Error> {
        self.constant(value, shape)?;
        if let Some(readers) = readers {
            readers.iter().try_for_each(|&at| self.reads(at, value))?;
        } else {
            self.once(Once::Shape(value), "a constant gets a new shape once, not twice")?;
        }
        match (readers, self.constants) {
            (None, Constants::Fixed) => self.views(from, shape, self.model.uses().of(value)),
            (Some(readers), Constants::Fixed | Constants::Changed) => self.views(from, shape, readers),
            _ => {
                let primitive = Primitive::SetShape { value, shape: shape.to_vec(), readers: readers.cloned() };
                self.made.push((from, primitive));
                Ok(())
            }
        }
    }

    fn two_inputs(&mut self, node: NodeId) -> Result<(), Error> {
        let known = self.changed(node)?;
        if known.inputs.len() != 2 || known.inputs.contains(&None) {
            let message = format!("it has {} inputs; two inputs can be exchanged", known.inputs.len());
            return Err(rejected(message).at(&known.place));
        }
        self.once(Once::Order(node), "two inputs can be exchanged, once")
    }

    fn node(&self, node: NodeId) -> Result<&'a Node, Error> {
        let found = self.model.nodes.get(node.0 as usize);
        found.ok_or_else(|| rejected(format!("the model has no node {}", node.0)))
    }

    /// Returns a node that is not replaced.
    fn changed(&self, node: NodeId) -> Result<&'a Node, Error> {
        let known = self.node(node)?;
        let place = &known.place;
        let replaced = || rejected("a node that is replaced cannot have another change").at(place);
        if self.replaced.contains(&node) { Err(replaced()) } else { Ok(known) }
    }

    fn once(&mut self, what: Once<'a>, message: &str) -> Result<(), Error> {
        if self.once.insert(what) { Ok(()) } else { Err(rejected(message)) }
    }

    /// Checks that a constant can have this shape.
    fn constant(&self, value: ValueId, shape: &[usize]) -> Result<(), Error> {
        let value = self.model.values.get(value.0 as usize);
        let value = value.ok_or_else(|| rejected("the model has no such value"))?;
        let name = &value.name;
        let constant = value.constant.as_ref().ok_or_else(|| rejected(format!("{name} is not a constant")))?;
        let count = |dims: &[usize]| if dims.contains(&0) { Some(0) } else { broadaxe_shape::elements(dims).ok() };
        let (old, new) = (count(&constant.shape), count(shape));
        if old.is_none() || old != new {
            let (old, new) = (list(&constant.shape), list(shape));
            return Err(rejected(format!("the constant {name} has the shape ({old}), which cannot become ({new})")));
        }
        Ok(())
    }

    fn reads(&self, at: Use, value: ValueId) -> Result<(), Error> {
        let node = self.changed(at.node)?;
        if node.input(at.input) == Some(value) {
            return Ok(());
        }
        let name = &self.model.value(value).name;
        Err(rejected(format!("input {} does not read {name}", at.input)).at(&node.place))
    }

    fn insert(&self, at: Use, does: ShapeOp, numbers: &[i64]) -> Result<Primitive, Error> {
        let node = self.changed(at.node)?;
        if node.input(at.input).is_none() {
            return Err(rejected(format!("it has no input {}", at.input)).at(&node.place));
        }
        match does {
            ShapeOp::Reshape => sizes(numbers)?,
            ShapeOp::Unsqueeze
                if numbers.windows(2).any(|pair| pair[0] >= pair[1]) || numbers.iter().any(|&k| k < 0) =>
            {
                return Err(rejected(format!("new axes are ascending and from 0 on, not ({})", list(numbers))));
            }
            ShapeOp::Expand if numbers.iter().any(|&size| size < 0) => {
                return Err(rejected("a shape to broadcast to must have extents from 0 on"));
            }
            ShapeOp::Unsqueeze | ShapeOp::Expand => {}
        }
        Ok(Primitive::Insert { at: Place::Before(at), does, numbers: numbers.to_vec() })
    }

    /// Inserts reshapes of a constant before its readers.
    fn views(&mut self, from: usize, shape: &[usize], uses: &[Use]) -> Result<(), Error> {
        let target: Option<Vec<i64>> =
            shape.iter().map(|&dim| i64::try_from(dim).ok().filter(|&dim| dim > 0)).collect();
        let target = target.ok_or_else(|| {
            rejected(format!("a reshape to ({}) is not possible; sizes must be from 1 on", list(shape)))
        })?;
        for &at in uses {
            let primitive = self.insert(at, ShapeOp::Reshape, &target)?;
            self.made.push((from, primitive));
        }
        Ok(())
    }
}

/// Checks the sizes of a new shape: at most one -1, and nothing below.
fn sizes(shape: &[i64]) -> Result<(), Error> {
    let open = shape.iter().filter(|&&size| size == -1).count();
    if open > 1 || shape.iter().any(|&size| size < -1) {
        return Err(rejected(format!("a shape has sizes from 0 on and one -1 at most, not ({})", list(shape))));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
