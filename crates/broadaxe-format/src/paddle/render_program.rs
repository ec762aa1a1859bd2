//! Writes a draft as an old program: names of variables are replaced, operators and variables are inserted.

use std::collections::{BTreeMap, HashSet};

use broadaxe_shape::symbolic::SymbolicShape;

use super::{
    draft::{NewOp, Operand, ProgramDraft},
    element,
    program::ProgramPlaces,
};
use crate::{
    edit::{Piece, Scalar, ShapeOp, rejected},
    error::Error,
    graph::{Element, NodeId, Use, ValueId},
    result_shape::extents,
    wire::{
        Around,
        splice::{Splices, bytes, bytes_field, float, int, wrap},
    },
};

/// Writes the changed program, in pieces.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for attributes of another kind, for variables that are written more than once, and where
/// two changes are about the same bytes.
pub(super) fn render(draft: &ProgramDraft<'_>, places: &ProgramPlaces) -> Result<Vec<Piece>, Error> {
    let mut render = ProgramRender { draft, places, splices: Splices::default(), names: Vec::new() };
    render.name();
    render.reads()?;
    render.nodes()?;
    render.shapes()?;
    for index in 0..draft.fresh.len() {
        render.fresh(index)?;
    }
    render.splices.pieces(draft.model.source.len())
}

struct ProgramRender<'a> {
    draft: &'a ProgramDraft<'a>,
    places: &'a ProgramPlaces,
    splices: Splices,
    /// The variables that new operators write to.
    names: Vec<String>,
}

impl ProgramRender<'_> {
    /// Finds unused names of variables.
    fn name(&mut self) {
        let used: HashSet<&str> = self.places.names.iter().map(String::as_str).collect();
        let unused = (0..).map(|k| format!("reshaped_{k}.tmp")).filter(|name| !used.contains(name.as_str()));
        self.names = unused.take(self.draft.fresh.len()).collect();
    }

    /// Returns the variable of an operand.
    fn variable(&self, end: Operand) -> String {
        match end {
            Operand::New(fresh) => self.names[fresh].clone(),
            Operand::Old(ValueId(value)) => {
                let name = &self.draft.model.values[value as usize].name;
                let base =
                    name.rsplit_once('#').map(|pair| pair.0).filter(|base| self.places.variables.contains_key(*base));
                base.unwrap_or(name).to_string()
            }
        }
    }

    fn reads(&mut self) -> Result<(), Error> {
        for (&Use { node, input }, &end) in &self.draft.reads {
            let op = &self.places.nodes[node.0 as usize];
            let (slot, field) = &op.inputs[input];
            let path = [self.places.blocks[op.block], Around::of(&op.field)?, *slot];
            self.splices.replace(&path, field.whole(), vec![Piece::New(bytes_field(2, self.variable(end).as_bytes()))]);
        }
        let mut seen = BTreeMap::new();
        for place in &self.places.outputs {
            let position = seen.entry(place.graph).or_insert(0);
            if let Some(&end) = self.draft.outputs.get(&(place.graph, *position)) {
                let path = [self.places.blocks[place.block], Around::of(&place.op)?, place.slot];
                self.splices.replace(
                    &path,
                    place.name.whole(),
                    vec![Piece::New(bytes_field(2, self.variable(end).as_bytes()))],
                );
            }
            *position += 1;
        }
        Ok(())
    }

    fn nodes(&mut self) -> Result<(), Error> {
        for (node, kind) in &self.draft.kinds {
            let op = &self.places.nodes[node.0 as usize];
            let path = [self.places.blocks[op.block], Around::of(&op.field)?];
            self.splices.replace(&path, op.kind.whole(), vec![Piece::New(bytes_field(3, kind.as_bytes()))]);
        }
        for ((node, name), value) in &self.draft.attributes {
            let op = &self.places.nodes[node.0 as usize];
            let path = [self.places.blocks[op.block], Around::of(&op.field)?];
            let with = wrap(4, vec![Piece::New(attribute(name, value).map_err(|error| self.at(error, *node))?)]);
            match op.attributes.iter().find(|(known, _)| known == name) {
                Some((_, field)) => self.splices.replace(&path, field.whole(), with),
                None => self.splices.insert(&path, path[1].span().end, with),
            }
        }
        Ok(())
    }

    fn at(&self, error: Error, node: NodeId) -> Error {
        error.at(&self.draft.model.node(node).place)
    }

    /// Writes the shapes that variables have now; one that is written more than once cannot have another.
    fn shapes(&mut self) -> Result<(), Error> {
        for (value, shape) in &self.draft.shapes {
            let name = self.variable(Operand::Old(*value));
            let element = self.draft.model.value(*value).element.as_ref().and_then(element::number);
            let (Some(path), Some(element)) = (self.places.variables.get(&name), element) else {
                return Err(rejected(format!("the shape of the variable {name} is not recorded, so it cannot change")));
            };
            self.alone(&name)?;
            let description = Piece::New(description(element, &extents(shape)));
            self.splices.replace(path, path[4].span(), vec![description]);
        }
        for fresh in self.draft.fresh.iter().filter(|fresh| fresh.next_to.1) {
            self.alone(&self.variable(fresh.input)).map_err(|error| self.at(error, fresh.next_to.0))?;
        }
        Ok(())
    }

    /// Rejects a change of a variable that is written more than once: its readers cannot be distinguished by name.
    fn alone(&self, name: &str) -> Result<(), Error> {
        let values = (0..self.draft.model.values.len() as u32).map(ValueId);
        let message =
            || rejected(format!("the variable {name} is written more than once, so its result keeps its shape"));
        let count = values.filter(|&value| self.variable(Operand::Old(value)) == name).count();
        if count > 1 { Err(message()) } else { Ok(()) }
    }

    fn fresh(&mut self, index: usize) -> Result<(), Error> {
        let fresh = &self.draft.fresh[index];
        let op = &self.places.nodes[fresh.next_to.0.0 as usize];
        let block = self.places.blocks[op.block];
        let name = self.names[index].clone();
        let shadow = format!("{name}.shape");
        let shape = self.draft.shape(fresh.input).unwrap_or_else(SymbolicShape::unknown_rank);
        let written = operator(fresh, &self.variable(fresh.input), &name, &shadow)
            .map_err(|error| self.at(error, fresh.next_to.0))?;
        let at = if fresh.next_to.1 { op.field.end } else { op.field.start };
        self.splices.insert(&[block], at, wrap(4, vec![Piece::New(written)]));
        let mut dims = vec![0];
        dims.extend(extents(&shape));
        let variables = [(name, extents(&fresh.shape)), (shadow, dims)];
        let count = if fresh.does == ShapeOp::Expand { 1 } else { 2 };
        for (name, dims) in &variables[..count] {
            let written = variable(name, &fresh.element, dims).map_err(|error| self.at(error, fresh.next_to.0))?;
            self.splices.insert(&[block], block.span().end, wrap(3, vec![Piece::New(written)]));
        }
        Ok(())
    }
}

/// Writes an operator: what it reads, what it makes, its numbers.
fn operator(fresh: &NewOp, input: &str, output: &str, shadow: &str) -> Result<Vec<u8>, Error> {
    let (kind, numbers) = match fresh.does {
        ShapeOp::Reshape => ("reshape2", "shape"),
        ShapeOp::Unsqueeze => ("unsqueeze2", "axes"),
        ShapeOp::Expand => ("expand_v2", "shape"),
    };
    let slot = |name: &str, argument: &str| {
        let mut slot = Vec::new();
        bytes(&mut slot, 1, name.as_bytes());
        bytes(&mut slot, 2, argument.as_bytes());
        slot
    };
    let mut op = Vec::new();
    bytes(&mut op, 1, &slot("X", input));
    bytes(&mut op, 2, &slot("Out", output));
    if fresh.does != ShapeOp::Expand {
        bytes(&mut op, 2, &slot("XShape", shadow));
    }
    bytes(&mut op, 3, kind.as_bytes());
    bytes(&mut op, 4, &attribute(numbers, &Scalar::Ints(fresh.numbers.clone()))?);
    bytes(&mut op, 4, &attribute("op_role", &Scalar::Int(0))?);
    Ok(op)
}

/// Writes an attribute.
fn attribute(name: &str, value: &Scalar) -> Result<Vec<u8>, Error> {
    let mut attribute = Vec::new();
    bytes(&mut attribute, 1, name.as_bytes());
    let narrow = |value: i64| {
        i32::try_from(value)
            .map(i64::from)
            .map_err(|_| rejected(format!("{name} cannot be {value}, which does not fit into 32 bits")))
    };
    match value {
        Scalar::Int(value) => {
            int(&mut attribute, 2, 0);
            int(&mut attribute, 3, narrow(*value)?);
        }
        Scalar::Float(value) => {
            int(&mut attribute, 2, 1);
            float(&mut attribute, 4, *value as f32);
        }
        Scalar::Text(value) if value == "true" || value == "false" => {
            int(&mut attribute, 2, 6);
            int(&mut attribute, 10, i64::from(value == "true"));
        }
        Scalar::Text(value) => {
            int(&mut attribute, 2, 2);
            bytes(&mut attribute, 5, value.as_bytes());
        }
        Scalar::Ints(values) => {
            int(&mut attribute, 2, 3);
            for value in values {
                int(&mut attribute, 6, narrow(*value)?);
            }
        }
        Scalar::Floats(values) => {
            int(&mut attribute, 2, 4);
            for value in values {
                float(&mut attribute, 7, *value as f32);
            }
        }
    }
    Ok(attribute)
}

/// Writes the type and the shape of a tensor.
fn description(number: i64, dims: &[i64]) -> Vec<u8> {
    let mut description = Vec::new();
    int(&mut description, 1, number);
    for &dim in dims {
        int(&mut description, 2, dim);
    }
    description
}

/// Writes a variable that holds a tensor.
fn variable(name: &str, element: &Element, dims: &[i64]) -> Result<Vec<u8>, Error> {
    let number =
        element::number(element).ok_or_else(|| rejected(format!("the type {element} has no number in Paddle")))?;
    let (mut tensor, mut kind, mut variable) = (Vec::new(), Vec::new(), Vec::new());
    bytes(&mut tensor, 1, &description(number, dims));
    int(&mut kind, 1, 7);
    bytes(&mut kind, 3, &tensor);
    bytes(&mut variable, 1, name.as_bytes());
    bytes(&mut variable, 2, &kind);
    int(&mut variable, 3, 0);
    Ok(variable)
}
