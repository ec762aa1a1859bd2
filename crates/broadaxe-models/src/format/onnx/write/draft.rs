//! What becomes of one node.

use super::{
    super::{
        super::wire::{Around, Field, Span, splice::bytes},
        schema::{ATTRIBUTE, NODE, attribute as attributes, node as nodes},
    },
    Writer, encode, refused,
};
use crate::{
    edit::{Piece, Scalar},
    error::Error,
    graph::{Attribute, NodeId},
};

/// A node with its changes; what it had is kept beside, to write only the differences.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    had: (Vec<String>, Vec<String>),
    /// The operator for exchanged inputs.
    swap: Option<String>,
    attributes: Vec<(String, Option<Scalar>)>,
    /// Nodes in front of it, as fields of its graph.
    pub(super) before: Vec<Vec<u8>>,
    /// Nodes behind it.
    pub(super) after: Vec<Vec<u8>>,
    /// What stands in its place.
    pub(super) instead: Option<Vec<u8>>,
}

impl Draft {
    pub(super) fn new(inputs: Vec<String>, outputs: Vec<String>) -> Self {
        Self { had: (inputs.clone(), outputs.clone()), inputs, outputs, ..Self::default() }
    }

    /// Says whether anything but constants was changed.
    pub(super) fn is_changed(&self) -> bool {
        let same = self.had == (self.inputs.clone(), self.outputs.clone());
        !same || self.swap.is_some() || !self.attributes.is_empty() || !self.before.is_empty() || self.instead.is_some()
    }
}

impl Writer<'_> {
    pub(super) fn swap(&mut self, id: NodeId, op: &str) -> Result<(), Error> {
        let before = self.model.node(id).op.clone();
        let draft = self.draft(id)?;
        if draft.inputs.len() != 2 || draft.swap.is_some() {
            return Err(refused("two inputs of a node can be exchanged, once"));
        }
        draft.swap = Some(op.to_owned());
        let (a, b) = (&draft.inputs[0], &draft.inputs[1]);
        let (before, after) = (format!("{before}({a}, {b})"), format!("{op}({b}, {a})"));
        self.note(self.called(id), before, after);
        Ok(())
    }

    pub(super) fn attribute(&mut self, id: NodeId, name: &str, value: Option<&Scalar>) -> Result<(), Error> {
        let before = self.model.node(id).attribute(name).map_or_else(|| "not there".to_owned(), shown);
        let after = value.map_or_else(
            || "not there".to_owned(),
            |value| match value {
                Scalar::Int(value) => value.to_string(),
                Scalar::Float(value) => value.to_string(),
                Scalar::Text(value) => value.clone(),
                Scalar::Ints(values) => format!("{values:?}"),
                Scalar::Floats(values) => format!("{values:?}"),
            },
        );
        let draft = self.draft(id)?;
        if draft.attributes.iter().any(|(known, _)| known == name) {
            return Err(refused(format!("the attribute {name} is set twice")));
        }
        draft.attributes.push((name.to_owned(), value.cloned()));
        self.note(format!("{}, {name}", self.called(id)), before, after);
        Ok(())
    }

    /// Turns all drafts into splices.
    pub(super) fn drafts(&mut self) -> Result<(), Error> {
        for (id, draft) in std::mem::take(&mut self.drafts) {
            let field = self.index.nodes[id.0 as usize];
            let path = self.path(self.model.node(id).graph);
            let new = |nodes: Vec<Vec<u8>>| nodes.into_iter().map(Piece::New).collect();
            if let Some(instead) = draft.instead {
                if !draft.before.is_empty() || !draft.after.is_empty() || !draft.attributes.is_empty() {
                    return Err(refused(format!("{} is replaced, and takes no other change", self.called(id))));
                }
                let span = Span { at: field.start, end: field.end };
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
    fn node(&mut self, field: &Field, mut path: Vec<Around>, draft: &Draft) -> Result<(), Error> {
        let around = Around::of(field)?;
        path.push(around);
        let fields: Vec<Field> = self.reader.fields(around.span(), &NODE).collect::<Result<_, _>>()?;
        let mut inputs = draft.inputs.clone();
        if draft.swap.is_some() {
            inputs.swap(0, 1);
        }
        for (number, had, now) in [(nodes::INPUT, &draft.had.0, &inputs), (nodes::OUTPUT, &draft.had.1, &draft.outputs)]
        {
            let old = fields.iter().filter(|field| field.number == number);
            for (field, (_, now)) in old.zip(had.iter().zip(now)).filter(|(_, (had, now))| had != now) {
                self.exchange(&path, field, |new| bytes(new, number, now.as_bytes()));
            }
        }
        if let (Some(op), Some(field)) = (&draft.swap, fields.iter().find(|field| field.number == nodes::OP)) {
            let had = self.reader.text(field.span()?)?;
            if had != *op {
                self.exchange(&path, field, |new| bytes(new, nodes::OP, op.as_bytes()));
            }
        }
        for (name, value) in &draft.attributes {
            let mut old = None;
            for field in fields.iter().filter(|field| field.number == nodes::ATTRIBUTE) {
                if self.text_in(field.span()?, &ATTRIBUTE, attributes::NAME)?.unwrap_or_default() == *name {
                    old = Some(field);
                }
            }
            let new = value.as_ref().map(|value| encode::attribute(name, value)).unwrap_or_default();
            match old {
                Some(field) => self.exchange(&path, field, |bytes| bytes.extend(new)),
                None => self.splices.insert(&path, around.span().end, vec![Piece::New(new)]),
            }
        }
        Ok(())
    }

    fn exchange(&mut self, path: &[Around], field: &Field, write: impl FnOnce(&mut Vec<u8>)) {
        let mut new = Vec::new();
        write(&mut new);
        self.splices.replace(path, Span { at: field.start, end: field.end }, vec![Piece::New(new)]);
    }
}

/// Writes the value of an attribute for a table.
fn shown(value: &Attribute) -> String {
    match value {
        Attribute::Int(value) => value.to_string(),
        Attribute::Float(value) => value.to_string(),
        Attribute::Text(value) => value.clone(),
        Attribute::Ints(values) => format!("{values:?}"),
        Attribute::Floats(values) => format!("{values:?}"),
        Attribute::Texts(values) => format!("{values:?}"),
        Attribute::Tensor(tensor) => format!("a tensor of {} {:?}", tensor.element, tensor.shape),
        Attribute::Graph(_) => "a graph".to_owned(),
        Attribute::Other(text) => text.clone(),
    }
}
