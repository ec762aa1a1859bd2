//! Shapes of all values of a model, each with where it is known from.

use broadaxe_shape::symbolic::SymbolicShape;

use crate::graph::{Element, NodeId};

/// What is known of the values of a model, by [`crate::ValueId`].
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    /// One per value.
    pub of: Vec<Known>,
}

/// What is known of a value.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its shape, row-major; of unknown rank where nothing is known.
    pub shape: SymbolicShape,
    /// The type of its elements.
    pub element: Option<Element>,
    /// Where that is from.
    pub origin: Origin,
}

/// Where a shape is known from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The caller gave it.
    Given,
    /// The file records it.
    Declared,
    /// It is a constant's.
    Constant,
    /// It follows from the inputs of this node.
    Inferred(NodeId),
    /// It is unknown, for this reason: one sentence.
    Unknown(String),
}
