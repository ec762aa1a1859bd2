//! Infers the shapes of all values of a model, each with its origin.
//!
//! A node's operator names a shape function in a table. It sees the extents of the inputs, which may be expressions of
//! the sizes that the file leaves open ([`Size`]), and the elements of small tensors that carry shapes, which are followed
//! through the operators that exporters compute shapes with. What a shape function cannot say is unknown, with a reason,
//! and everything else goes on.

mod memo;
mod number;
mod tensor;
mod call;
mod row;
mod window;
mod elementwise;
mod reshape;
mod slice;
mod attention;
mod cast;
mod conv;
mod gather;
mod make;
mod matmul;
mod reduce;
mod norm;
mod pool;
mod quant;
mod resize;
mod rnn;
mod sequence;
mod openvino;
mod tflite;
mod ncnn;
mod contrib;
mod table;
mod walk;

use std::collections::BTreeMap;

use broadaxe_frameworks::System;
use broadaxe_shape::symbolic::{Dim, Size, SymbolicShape};

pub(crate) use self::memo::Inferences;
use self::walk::Walk;
use crate::{
    error::{Error, ErrorKind},
    graph::{Element, GraphId, Model, NodeId, ValueId},
};

/// What is known of the values of a model, by [`crate::ValueId`].
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    /// One per value.
    pub of: Vec<Known>,
    /// Where the file says something else than what follows, and that is no error: one sentence each.
    pub remarks: Vec<String>,
    /// Nodes of whose results the file records shapes that they cannot have, with one sentence each; what follows from
    /// the inputs is taken then.
    pub contradictions: Vec<(NodeId, String)>,
    /// Branches that never run, since the value of their condition is known.
    pub untaken: Vec<GraphId>,
    /// The shapes that nodes are given as operands and other nodes compute: lists of whole numbers, where all are known.
    pub(crate) entries: BTreeMap<ValueId, Vec<i64>>,
}

impl Shapes {
    /// Says whether the nodes of a graph never run: it is a branch that is never taken, or in one.
    pub fn never_runs(&self, model: &Model, graph: GraphId) -> bool {
        let mut at = Some(graph);
        while let Some(graph) = at.filter(|_| !self.untaken.is_empty()) {
            if self.untaken.contains(&graph) {
                return true;
            }
            at = model.graph(graph).owner.map(|owner| model.node(owner).graph);
        }
        false
    }
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

/// Infers the shapes of all values; `given` says those of some inputs, by name.
///
/// Dims that the file names keep their names, sizes that follow from them are written as expressions (`(h + 1)//2`),
/// and what depends on elements of `x` is named `count(x)`. A shape that the file records for a value is used where
/// less follows from its inputs.
///
/// # Errors
/// [`ErrorKind::Argument`] for a given shape of no input or of another rank than the file says, and for two sizes of one
/// name; [`ErrorKind::Format`] where an ONNX file declares a type that a tensor cannot have.
pub fn infer(model: &Model, given: &[(String, Vec<Dim>)]) -> Result<Shapes, Error> {
    let given = inputs(model, given)?;
    match model.system {
        System::Onnx => Walk::new(model, &given, false)?.run(),
        System::Openvino if given.is_empty() && is_recorded(model) => Ok(recorded(model)),
        System::Openvino | System::Ncnn | System::Tflite => Walk::new(model, &given, true)?.run(),
        _ => Ok(recorded(model)),
    }
}

/// Returns the shapes that a caller gave to [`infer`], so that a changed model gets the same.
pub fn given(model: &Model, shapes: &Shapes) -> Vec<(String, Vec<Dim>)> {
    let known = model.main().inputs.iter().filter_map(|id| Some((id, shapes.of.get(id.0 as usize)?)));
    let given = known.filter(|(_, known)| known.origin == Origin::Given);
    given.filter_map(|(id, known)| Some((model.value(*id).name.clone(), known.shape.dims()?.to_vec()))).collect()
}

/// Finds the inputs that shapes are given for.
fn inputs(model: &Model, given: &[(String, Vec<Dim>)]) -> Result<Vec<(ValueId, Vec<Dim>)>, Error> {
    let refuse = |message: String| Err(Error::new(ErrorKind::Argument, message));
    let list = || {
        let text = |&id: &ValueId| {
            let value = model.value(id);
            let shape = value.declared.as_ref().map_or_else(|| "(...)".into(), SymbolicShape::to_string);
            format!("{} {shape}", value.name)
        };
        model.main().inputs.iter().map(text).collect::<Vec<_>>().join(", ")
    };
    let mut found: Vec<(ValueId, Vec<Dim>)> = Vec::with_capacity(given.len());
    for (name, dims) in given {
        let Some(&id) = model.main().inputs.iter().find(|&&id| model.value(id).name == *name) else {
            return refuse(format!("the model has no input {name}; its inputs are {}", list()));
        };
        let rank = model.value(id).declared.as_ref().and_then(SymbolicShape::rank);
        if let Some(rank) = rank.filter(|rank| *rank != dims.len()) {
            let given = dims.len();
            return refuse(format!(
                "the shape given for {name} has rank {given}, but {name} has rank {rank}; the inputs are {}",
                list()
            ));
        }
        if found.iter().any(|(known, _)| *known == id) {
            return refuse(format!("the shape of {name} is given twice"));
        }
        found.push((id, dims.clone()));
    }
    Ok(found)
}

/// Says whether the file records the whole shape of every value.
fn is_recorded(model: &Model) -> bool {
    model
        .values
        .iter()
        .all(|value| value.constant.is_some() || value.declared.as_ref().is_some_and(|shape| shape.known().is_some()))
}

/// Returns what the file records.
fn recorded(model: &Model) -> Shapes {
    let of = model.values.iter().map(|value| match (&value.constant, &value.declared) {
        (Some(constant), _) => Known {
            shape: SymbolicShape::from(constant.shape.as_slice()),
            element: Some(constant.element.clone()),
            origin: Origin::Constant,
        },
        (None, Some(shape)) if shape.rank().is_some() => {
            Known { shape: shape.clone(), element: value.element.clone(), origin: Origin::Declared }
        }
        (None, _) => Known {
            shape: SymbolicShape::unknown_rank(),
            element: value.element.clone(),
            origin: Origin::Unknown("the file records no shape for it".into()),
        },
    });
    Shapes { of: of.collect(), ..Shapes::default() }
}

#[cfg(test)]
mod tests;
