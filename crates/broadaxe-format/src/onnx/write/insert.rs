//! Inserts nodes before an input or after a result.

use super::{Writer, encode::NewNodeMessage};
use crate::{
    edit::{Scalar, ShapeOp, rejected},
    error::Error,
    graph::{NodeId, Use},
};

/// A node that changes the shape of one value, in all versions.
struct Shaper {
    op: &'static str,
    /// What the new value is called.
    what: &'static str,
    /// What the numbers are called, as an attribute or as an input.
    numbers: &'static str,
    /// The first version with this operator.
    since: i64,
    /// The version from which on the numbers are an input.
    input_since: i64,
}

/// Returns the operator that does this.
fn shaper(does: ShapeOp) -> Shaper {
    match does {
        ShapeOp::Reshape => Shaper { op: "Reshape", what: "reshape", numbers: "shape", since: 1, input_since: 5 },
        ShapeOp::Unsqueeze => Shaper { op: "Unsqueeze", what: "unsqueeze", numbers: "axes", since: 1, input_since: 13 },
        ShapeOp::Expand => Shaper { op: "Expand", what: "expand", numbers: "shape", since: 8, input_since: 8 },
    }
}

impl Writer<'_> {
    pub(super) fn behind(&mut self, id: NodeId, does: ShapeOp, numbers: &[i64]) -> Result<(), Error> {
        let output = self.draft(id)?.outputs.first().cloned().filter(|name| !name.is_empty());
        let output = output.ok_or_else(|| rejected("the node has no result to reshape"))?;
        let inner = self.name(&output, "result");
        let name = self.name(&output, shaper(does).what);
        let made = self.shape(id, does, numbers, [&inner, &name, &output])?;
        let draft = self.draft(id)?;
        draft.outputs[0].clone_from(&inner);
        draft.after.push(made);
        Ok(())
    }

    /// Inserts a node before an input, or reuses the result of an equal node before an earlier reader.
    pub(super) fn in_front(&mut self, at: Use, does: ShapeOp, numbers: &[i64]) -> Result<(), Error> {
        let old = self.draft(at.node)?.inputs.get(at.input).cloned().filter(|name| !name.is_empty());
        let old = old.ok_or_else(|| rejected(format!("{} is not there", self.called_input(at))))?;
        let key = (self.model.node(at.node).graph, format!("{does:?}({old}, {numbers:?})"));
        let new = if let Some(known) = self.made.get(&key) {
            known.clone()
        } else {
            let new = self.name(&old, shaper(does).what);
            let made = self.shape(at.node, does, numbers, [&old, &new, &new])?;
            self.draft(at.node)?.before.push(made);
            self.made.insert(key, new.clone());
            new
        };
        self.draft(at.node)?.inputs[at.input] = new;
        Ok(())
    }

    /// Writes a node of this input, name and output for the opset of the graph that contains `next_to`.
    fn shape(
        &mut self,
        next_to: NodeId,
        does: ShapeOp,
        numbers: &[i64],
        [input, name, output]: [&str; 3],
    ) -> Result<Vec<u8>, Error> {
        let graph = self.model.node(next_to).graph;
        let (version, shaper) = (self.version(graph)?, shaper(does));
        if version < shaper.since {
            let (op, since) = (shaper.op, shaper.since);
            return Err(rejected(format!("{op} needs opset {since}, but the model has {version}; upgrade it")));
        }
        let (mut inputs, mut attributes) = (vec![input.to_owned()], Vec::new());
        if version >= shaper.input_since {
            inputs.push(self.ints(graph, numbers, input, shaper.numbers)?);
        } else {
            attributes.push((shaper.numbers.to_owned(), Scalar::Ints(numbers.to_vec())));
        }
        let number = self.index.nodes[next_to.0 as usize].number;
        Ok(NewNodeMessage { name, op: shaper.op, inputs: &inputs, output, attributes: &attributes }.field(number))
    }
}
