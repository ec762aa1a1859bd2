//! Collects the changes of one node.

use super::{
    super::{
        super::wire::{Around, Field, splice::bytes},
        schema::{ATTRIBUTE_NAME, ATTRIBUTE_PROTO, NODE_ATTRIBUTE, NODE_INPUT, NODE_OP, NODE_OUTPUT, NODE_PROTO},
    },
    Writer, encode,
};
use crate::{
    edit::{Piece, Scalar},
    error::Error,
    graph::NodeId,
};

/// A node with its changes, and its old inputs and outputs: only differences are written.
#[derive(Debug, Default)]
pub(super) struct NodeDraft {
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    had: (Vec<String>, Vec<String>),
    /// The operator for exchanged inputs.
    swap: Option<String>,
    attributes: Vec<(String, Option<Scalar>)>,
    /// Nodes before it, as fields of its graph.
    pub(super) before: Vec<Vec<u8>>,
    /// Nodes after it.
    pub(super) after: Vec<Vec<u8>>,
    /// Its replacement.
    pub(super) instead: Option<Vec<u8>>,
}

impl NodeDraft {
    pub(super) fn new(inputs: Vec<String>, outputs: Vec<String>) -> Self {
        Self { had: (inputs.clone(), outputs.clone()), inputs, outputs, ..Self::default() }
    }
}

impl Writer<'_> {
    /// Exchanges the two inputs of a node.
    pub(super) fn exchange(&mut self, id: NodeId, op: &str) -> Result<(), Error> {
        self.draft(id)?.swap = Some(op.to_owned());
        Ok(())
    }

    pub(super) fn attribute(&mut self, id: NodeId, name: &str, value: Option<Scalar>) -> Result<(), Error> {
        self.draft(id)?.attributes.push((name.to_owned(), value));
        Ok(())
    }

    /// Turns all drafts into splices.
    pub(super) fn drafts(&mut self) -> Result<(), Error> {
        for (id, draft) in std::mem::take(&mut self.drafts) {
            let field = self.index.nodes[id.0 as usize];
            let path = self.path(self.model.node(id).graph);
            let new = |nodes: Vec<Vec<u8>>| nodes.into_iter().map(Piece::New).collect();
            if let Some(instead) = draft.instead {
                let span = field.whole();
                self.splices.replace(&path, span, vec![Piece::New(instead)]);
                continue;
            }
            if !draft.before.is_empty() {
                self.splices.insert(&path, field.start, new(draft.before.clone()));
            }
            if !draft.after.is_empty() {
                self.splices.insert(&path, field.end, new(draft.after.clone()));
            }
            self.node(&field, path, &draft)?;
        }
        Ok(())
    }

    /// Writes the differences of a node.
    fn node(&mut self, field: &Field, mut path: Vec<Around>, draft: &NodeDraft) -> Result<(), Error> {
        let around = Around::of(field)?;
        path.push(around);
        let fields: Vec<Field> = self.reader.fields(around.span(), &NODE_PROTO).collect::<Result<_, _>>()?;
        let mut inputs = draft.inputs.clone();
        if draft.swap.is_some() {
            inputs.swap(0, 1);
        }
        for (number, had, now) in [(NODE_INPUT, &draft.had.0, &inputs), (NODE_OUTPUT, &draft.had.1, &draft.outputs)] {
            let old = fields.iter().filter(|field| field.number == number);
            for (field, (_, now)) in old.zip(had.iter().zip(now)).filter(|(_, (had, now))| had != now) {
                self.rewrite(&path, field, |new| bytes(new, number, now.as_bytes()));
            }
        }
        if let (Some(op), Some(field)) = (&draft.swap, fields.iter().find(|field| field.number == NODE_OP)) {
            let had = self.reader.text(field.span()?)?;
            if had != *op {
                self.rewrite(&path, field, |new| bytes(new, NODE_OP, op.as_bytes()));
            }
        }
        for (name, value) in &draft.attributes {
            let mut old = None;
            for field in fields.iter().filter(|field| field.number == NODE_ATTRIBUTE) {
                if self.text_in(field.span()?, &ATTRIBUTE_PROTO, ATTRIBUTE_NAME)?.unwrap_or_default() == *name {
                    old = Some(field);
                }
            }
            let new = value.as_ref().map(|value| encode::attribute(name, value)).unwrap_or_default();
            match old {
                Some(field) => self.rewrite(&path, field, |bytes| bytes.extend(new)),
                None => self.splices.insert(&path, around.span().end, vec![Piece::New(new)]),
            }
        }
        Ok(())
    }

    fn rewrite(&mut self, path: &[Around], field: &Field, write: impl FnOnce(&mut Vec<u8>)) {
        let mut new = Vec::new();
        write(&mut new);
        self.splices.replace(path, field.whole(), vec![Piece::New(new)]);
    }
}
