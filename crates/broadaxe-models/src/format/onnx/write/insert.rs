//! Nodes that are put in front of a node or behind it.

use broadaxe_shape::MAX_RANK;

use super::{Writer, encode::Made, refused};
use crate::{
    edit::Scalar,
    error::Error,
    graph::{GraphId, NodeId, Use},
};

/// A node that changes the shape of one value.
struct Shaper<'a> {
    op: &'a str,
    /// What the new value is called.
    what: &'a str,
    numbers: &'a [i64],
    /// The name of the attribute that holds the numbers in old versions.
    attribute: &'a str,
    /// The version from which on they are an input.
    input_since: i64,
}

impl<'a> Shaper<'a> {
    fn reshape(shape: &'a [i64]) -> Self {
        Self { op: "Reshape", what: "reshape", numbers: shape, attribute: "shape", input_since: 5 }
    }

    fn unsqueeze(axes: &'a [i64]) -> Self {
        Self { op: "Unsqueeze", what: "unsqueeze", numbers: axes, attribute: "axes", input_since: 13 }
    }

    fn expand(shape: &'a [i64]) -> Self {
        Self { op: "Expand", what: "expand", numbers: shape, attribute: "shape", input_since: 0 }
    }

    /// Writes it as in `Reshape(bias, [1, 64])`.
    fn shown(&self, tensor: &str) -> String {
        format!("{}({tensor}, {:?})", self.op, self.numbers)
    }
}

impl Writer<'_> {
    pub(super) fn reshape(&mut self, at: Use, shape: &[i64]) -> Result<(), Error> {
        sizes(shape)?;
        self.in_front(at, &Shaper::reshape(shape))
    }

    pub(super) fn unsqueeze(&mut self, at: Use, axes: &[i64]) -> Result<(), Error> {
        if axes.windows(2).any(|pair| pair[0] >= pair[1]) || axes.iter().any(|&axis| axis < 0) {
            return Err(refused(format!("new axes are ascending and from 0 on, not {axes:?}")));
        }
        self.in_front(at, &Shaper::unsqueeze(axes))
    }

    pub(super) fn expand(&mut self, at: Use, shape: &[i64]) -> Result<(), Error> {
        let graph = self.graph_of(at.node)?;
        let version = self.version(graph)?;
        if version < 8 {
            return Err(refused(format!("Expand is there from opset 8 on, and the model has {version}; upgrade it")));
        }
        self.in_front(at, &Shaper::expand(shape))
    }

    pub(super) fn reshape_result(&mut self, id: NodeId, shape: &[i64]) -> Result<(), Error> {
        sizes(shape)?;
        let graph = self.graph_of(id)?;
        let output = self.draft(id)?.outputs.first().cloned().filter(|name| !name.is_empty());
        let output = output.ok_or_else(|| refused("the node has no result to reshape"))?;
        let inner = self.name(&output, "result");
        let shaper = Shaper::reshape(shape);
        let node = self.name(&output, shaper.what);
        let made = self.shaper(graph, id, &shaper, &inner, &node, &output)?;
        let draft = self.draft(id)?;
        if !draft.after.is_empty() {
            return Err(refused("a result is reshaped once"));
        }
        draft.outputs[0].clone_from(&inner);
        draft.after.push(made);
        self.note(self.called(id), output, shaper.shown(&inner));
        Ok(())
    }

    fn graph_of(&mut self, id: NodeId) -> Result<GraphId, Error> {
        self.draft(id)?;
        Ok(self.model.node(id).graph)
    }

    /// Puts a node in front of an input, or takes the result of the same node in front of an earlier reader.
    fn in_front(&mut self, at: Use, shaper: &Shaper) -> Result<(), Error> {
        let graph = self.graph_of(at.node)?;
        let old = self.draft(at.node)?.inputs.get(at.input).cloned().filter(|name| !name.is_empty());
        let old = old.ok_or_else(|| refused(format!("{} is not there", self.called_input(at))))?;
        let key = (graph, shaper.shown(&old));
        let known = self.made.get(&key).cloned();
        let shared = known.is_some();
        let new = known.unwrap_or_else(|| self.name(&old, shaper.what));
        if !shared {
            let made = self.shaper(graph, at.node, shaper, &old, &new, &new)?;
            self.draft(at.node)?.before.push(made);
            self.made.insert(key, new.clone());
        }
        self.draft(at.node)?.inputs[at.input].clone_from(&new);
        self.note(self.called_input(at), old.clone(), shaper.shown(&old));
        Ok(())
    }

    /// Writes the node, in the form that the version of its graph has.
    fn shaper(
        &mut self,
        graph: GraphId,
        beside: NodeId,
        shaper: &Shaper,
        input: &str,
        name: &str,
        output: &str,
    ) -> Result<Vec<u8>, Error> {
        let as_input = self.version(graph)? >= shaper.input_since;
        let mut inputs = vec![input.to_owned()];
        let mut attributes = Vec::new();
        if as_input {
            let what = if shaper.attribute == "axes" { "axes" } else { "shape" };
            inputs.push(self.ints(graph, shaper.numbers, input, what)?);
        } else {
            attributes.push((shaper.attribute.to_owned(), Scalar::Ints(shaper.numbers.to_vec())));
        }
        let number = self.index.nodes[beside.0 as usize].number;
        Ok(Made { name, op: shaper.op, inputs: &inputs, output, attributes: &attributes }.field(number))
    }
}

/// Looks at the sizes of a new shape: -1 once, and nothing below.
fn sizes(shape: &[i64]) -> Result<(), Error> {
    let open = shape.iter().filter(|&&size| size == -1).count();
    if shape.len() > MAX_RANK || open > 1 || shape.iter().any(|&size| size < -1) {
        return Err(refused(format!("a shape has up to {MAX_RANK} sizes from 0 on and -1 once, not {shape:?}")));
    }
    Ok(())
}
