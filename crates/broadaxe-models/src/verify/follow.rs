//! Follows a result in the changed model back to the operands of the old node, and computes it.

use std::{borrow::Cow, sync::Arc};

use broadaxe::Array;
use broadaxe_frameworks::Role;
use broadaxe_shape::Rule;

use super::{compute, shorter::Shorter};
use crate::{
    graph::{Constant, Model, NodeId, ValueId},
    infer::Shapes,
    meaning::{self, Kind, Meaning, Operator, Source},
};

/// How many nodes may lie between a result and the operands.
const DEPTH: usize = 16;
/// The largest constant, in bytes, whose elements are looked at.
const MAX_CONSTANT_BYTES: usize = 1 << 22;

/// The numbers of one operand of the old node.
#[derive(Clone)]
pub(super) struct Buffer {
    /// The value in the model before.
    pub value: ValueId,
    /// Its numbers.
    pub array: Arc<Array>,
}

pub(super) struct Follower<'a> {
    before: &'a Model,
    buffers: &'a [Buffer],
    model: &'a Model,
    shapes: &'a Shapes,
    shorter: &'a Shorter,
}

impl<'a> Follower<'a> {
    pub(super) fn new(
        (before, buffers): (&'a Model, &'a [Buffer]),
        (model, shapes): (&'a Model, &'a Shapes),
        shorter: &'a Shorter,
    ) -> Self {
        Self { before, buffers, model, shapes, shorter }
    }

    /// Computes a value of the changed model.
    pub(super) fn value(&self, root: ValueId) -> Result<Array, String> {
        let (node, _) = self.model.value(root).producer.ok_or("nothing makes its result in the changed model")?;
        self.node(node, DEPTH)
    }

    /// Computes a value that a node on the way reads.
    fn operand(&self, value: ValueId, depth: usize) -> Result<Array, String> {
        let named = self.model.value(value);
        let same = |buffer: &&Buffer| {
            let old = self.before.value(buffer.value);
            old.graph == named.graph && old.name == named.name
        };
        if let Some(buffer) = self.buffers.iter().find(same) {
            return self.shaped(&buffer.array, value);
        }
        if let Some(constant) = &named.constant {
            return self.constant(value, constant);
        }
        match named.producer {
            Some((node, 0)) => self.node(node, depth),
            _ => Err(format!("{} is none of its operands", named.name)),
        }
    }

    /// Returns the numbers of the operand of which a constant is a copy; else its own.
    fn constant(&self, value: ValueId, constant: &Constant) -> Result<Array, String> {
        let read = |model: &Model, constant: &Constant| model.elements(constant, MAX_CONSTANT_BYTES).ok().flatten();
        let own = read(self.model, constant)
            .ok_or_else(|| format!("{} is too large to be read", self.model.value(value).name))?;
        for buffer in self.buffers {
            let Some(old) = &self.before.value(buffer.value).constant else { continue };
            if old.element == constant.element && read(self.before, old).is_some_and(|bytes| bytes == own) {
                return self.shaped(&buffer.array, value);
            }
        }
        let dtype = constant.element.dtype().ok_or("a constant has elements that cannot be computed with")?;
        Array::from_bytes(dtype, constant.shape.clone(), &own).map_err(|error| error.to_string())
    }

    /// Returns the same numbers in the shape that a value has.
    fn shaped(&self, array: &Array, value: ValueId) -> Result<Array, String> {
        let shape = self.known(value)?;
        Array::from_bytes(array.dtype(), shape, array.as_bytes()).map_err(|error| error.to_string())
    }

    fn known(&self, value: ValueId) -> Result<Vec<usize>, String> {
        let shape = self.shapes.of.get(value.0 as usize).and_then(|known| known.shape.known());
        let shape =
            shape.ok_or_else(|| format!("the lengths of {} are not all known", self.model.value(value).name))?;
        Ok(self.shorter.of(shape.dims()))
    }

    /// Computes a value that repeats another along axes where that has extent 1, as the changes to a file do.
    fn stretched(&self, input: ValueId, output: ValueId, depth: usize) -> Result<Array, String> {
        let array = self.operand(input, depth)?;
        let alignment = Rule::broadcast_to(self.known(output)?).align(&[array.shape()]);
        let alignment = alignment.map_err(|error| error.to_string())?;
        let operands = vec![Source::Input(0)];
        let meaning = Meaning { kind: Kind::Stretch, op: Operator::Copy, rule: Rule::numpy(), operands };
        compute::compute(&meaning, &alignment, &[&array])
    }

    fn node(&self, id: NodeId, depth: usize) -> Result<Array, String> {
        let depth = depth.checked_sub(1).ok_or("too many nodes lie between its operands and its result")?;
        let node = self.model.node(id);
        let output = node.output(0).ok_or("a node has no result")?;
        if matches!(meaning::role(self.model, node), Some(Role::Reshape | Role::Identity)) {
            let input = node.input(0).ok_or("a node has no input")?;
            return self.shaped(&self.operand(input, depth)?, output);
        }
        if meaning::role(self.model, node) == Some(Role::Tile) {
            return self.stretched(node.input(0).ok_or("a node has no input")?, output, depth);
        }
        let meaning = match meaning::meaning(self.model, id) {
            Some(Ok(meaning)) if !meaning.kind.is_along_axes() => meaning,
            Some(Err(why)) => return Err(why),
            _ => return Err(format!("{} is between its operands and its result", node.op)),
        };
        let mut operands = Vec::new();
        for source in &meaning.operands {
            let value = match source {
                Source::Input(input) => node.input(*input),
                Source::Result => Some(output),
                Source::Scalar | Source::Groups(_) | Source::Scores | Source::Held(_) => None,
            };
            operands.push(self.operand(value.ok_or("an operand is left out")?, depth)?);
        }
        let dims: Vec<&[usize]> = operands.iter().map(Array::shape).collect();
        let result = match meaning.op {
            Operator::Copy => Cow::Owned(self.known(output)?),
            _ => Cow::Borrowed(&[][..]),
        };
        let alignment = if dims.len() == 1 && !matches!(meaning.op, Operator::Copy) {
            Rule::numpy().align(&[dims[0], dims[0]])
        } else {
            meaning.align(&dims, &result)
        };
        let alignment = alignment.map_err(|error| error.to_string())?;
        compute::compute(&meaning, &alignment, &operands.iter().collect::<Vec<_>>())
    }
}
