//! Checks the shape that `Expand` is given: a list of 64-bit integers that are not negative.

use std::fmt;

use broadaxe_frameworks::{Role, System};
use broadaxe_kernels::DType;
use broadaxe_shape::{ErrorKind, Rule};

use crate::{
    graph::{Element, Model, Node, NodeId, ValueId},
    infer::Shapes,
};

/// The most bytes of a constant shape that are read.
const SHAPE_BYTES: usize = 4096;

/// Says why a shape is not one that `Expand` allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShapeFault {
    /// The name of the shape.
    name: String,
    /// What is wrong with it.
    pub(crate) kind: FaultKind,
}

/// What is wrong with a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// It has this rank, and is no list.
    Rank(usize),
    /// Its elements have this type.
    Type(DType),
    /// It has this entry.
    Negative(i64),
    /// It does not broadcast with the data, for this reason.
    Clash(String),
}

impl fmt::Display for ShapeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.kind {
            FaultKind::Rank(rank) => write!(f, "the shape {name} has rank {rank}; Expand needs a list, of rank 1"),
            FaultKind::Type(dtype) => write!(f, "the shape {name} has elements of {}; Expand needs i64", dtype.name()),
            FaultKind::Clash(why) => f.write_str(why),
            FaultKind::Negative(entry) => write!(f, "the shape {name} has the entry {entry}; Expand needs sizes"),
        }
    }
}

impl ShapeFault {
    /// Finds what is wrong with the shape that a node is given; nothing where that is right, or not known.
    pub(crate) fn of(model: &Model, shapes: &Shapes, node: &Node) -> Option<Self> {
        if model.system != System::Onnx || super::role(model, node) != Some(Role::Expand) {
            return None;
        }
        let id = node.input(1)?;
        let known = shapes.of.get(id.0 as usize)?;
        let value = model.value(id);
        let rank = known.shape.rank().filter(|rank| *rank != 1).map(FaultKind::Rank);
        let dtype = match known.element.as_ref().or(value.element.as_ref()) {
            Some(Element::Known(dtype)) if *dtype != DType::I64 => Some(FaultKind::Type(*dtype)),
            _ => None,
        };
        let kind = Self::of_entries(model, shapes, node).or(dtype).or(rank)?;
        Some(Self { name: value.name.clone(), kind })
    }

    /// Finds what is wrong with the entries of a shape that is constant, or computed of known shapes.
    fn of_entries(model: &Model, shapes: &Shapes, node: &Node) -> Option<FaultKind> {
        let list = node.input(1)?;
        let entries = entries(model, list).or_else(|| shapes.entries.get(&list).cloned())?;
        if let Some(entry) = entries.iter().find(|entry| **entry < 0) {
            return Some(FaultKind::Negative(*entry));
        }
        let target: Vec<usize> = entries.iter().map(|entry| usize::try_from(*entry).ok()).collect::<Option<_>>()?;
        let data = &shapes.of.get(node.input(0)?.0 as usize)?.shape;
        let error = Rule::bidirectional(target).infer(std::slice::from_ref(data)).err()?;
        (error.kind() != ErrorKind::Undecided).then(|| FaultKind::Clash(error.to_string()))
    }
}

/// Says why the shape that a node stretches to is not one that its operator allows; nothing where it is, or is not known.
pub fn shape_fault(model: &Model, shapes: &Shapes, id: NodeId) -> Option<String> {
    ShapeFault::of(model, shapes, model.node(id)).map(|fault| fault.to_string())
}

/// Returns the entries of a constant list of whole numbers that is not long.
pub(crate) fn entries(model: &Model, list: ValueId) -> Option<Vec<i64>> {
    let constant = model.value(list).constant.as_ref()?;
    let bytes = model.elements(constant, SHAPE_BYTES).ok()??;
    match constant.element.dtype()? {
        DType::I64 => bytes.chunks_exact(8).map(|bytes| bytes.try_into().ok().map(i64::from_le_bytes)).collect(),
        DType::I32 => {
            bytes.chunks_exact(4).map(|bytes| bytes.try_into().ok().map(i32::from_le_bytes).map(i64::from)).collect()
        }
        _ => None,
    }
}
