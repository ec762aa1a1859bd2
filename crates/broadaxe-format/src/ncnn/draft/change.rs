//! Inserts and replaces layers in a `.param` text; shared by ncnn and pnnx.

use std::collections::HashMap;

use super::{Item, ParamDraft};
use crate::{
    edit::{NewNode, Wire, rejected},
    error::Error,
    graph::{Model, NodeId, Use, ValueId},
};

/// What a new layer reads, its words, and what its name ends in.
pub(crate) type NewLayerParts = (Vec<Wire>, Vec<String>, String);

impl ParamDraft<'_> {
    /// Inserts a layer before an input, and returns its index; the next layer is the reader.
    ///
    /// # Errors
    /// Those of [`Self::find`].
    pub(crate) fn before(&mut self, at: Use, (op, prefix): (&str, &str), words: Vec<String>) -> Result<usize, Error> {
        let index = self.find(at.node)?;
        let (reader, name) = (self.items[index].name.clone(), self.items[index].inputs[at.input].clone());
        let blob = self.fresh(&format!("{name}_for_{reader}"));
        let layer = self.fresh(&format!("{prefix}_{blob}"));
        self.items[index].inputs[at.input].clone_from(&blob);
        self.items.insert(index, Item::new(op, layer, vec![name], vec![blob]).with(words));
        Ok(index)
    }

    /// Inserts a layer after an output, for all its readers, and returns the index of the layer before it.
    ///
    /// # Errors
    /// Those of [`Self::find`].
    pub(crate) fn after(
        &mut self,
        (node, output): (NodeId, usize),
        (op, prefix): (&str, &str),
        words: Vec<String>,
    ) -> Result<usize, Error> {
        let index = self.find(node)?;
        let name = self.items[index].outputs[output].clone();
        let inner = self.fresh(&format!("{name}_before_reshape"));
        let layer = self.fresh(&format!("{prefix}_{name}"));
        self.items[index].outputs[output].clone_from(&inner);
        self.items.insert(index + 1, Item::new(op, layer, vec![inner], vec![name]).with(words));
        Ok(index)
    }

    /// Replaces a layer; the last new layer gets its name.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Edit`] where a new layer reads a value that no earlier one computes, or an output is missing.
    pub(crate) fn replace(
        &mut self,
        model: &Model,
        node: NodeId,
        with: &[NewNode],
        parts: impl Fn(&NewNode) -> Result<NewLayerParts, Error>,
    ) -> Result<(), Error> {
        let known = model.node(node);
        let index = self.find(node)?;
        let mut names: HashMap<&str, String> = HashMap::new();
        let mut items: Vec<Item> = Vec::with_capacity(with.len());
        for new in with {
            let (inputs, words, suffix) = parts(new)?;
            let inputs = inputs.iter().map(|wire| blob(model, &names, wire)).collect::<Result<_, _>>()?;
            let output = match &new.output {
                Wire::New(word) => {
                    let name = self.fresh(&format!("{}_{word}", known.name));
                    names.insert(word, name.clone());
                    name
                }
                old => blob(model, &names, old)?,
            };
            let layer = self.fresh(&format!("{}_{suffix}", known.name));
            items.push(Item::new(&new.op, layer, inputs, vec![output]).with(words));
        }
        for output in known.outputs.iter().flatten() {
            let name = &model.value(*output).name;
            if !items.iter().any(|item| item.outputs.contains(name)) {
                return Err(rejected(format!(
                    "{name} is not computed by any layer that replaces {} {}",
                    known.op, known.name
                )));
            }
        }
        if let Some(last) = items.last_mut() {
            last.name.clone_from(&known.name);
        }
        self.items.splice(index..=index, items);
        Ok(())
    }
}

/// Returns the name of what is at an end of a new layer.
fn blob(model: &Model, names: &HashMap<&str, String>, wire: &Wire) -> Result<String, Error> {
    match wire {
        Wire::Old(value) => Ok(model.value(*value).name.clone()),
        Wire::New(word) => {
            names.get(word.as_str()).cloned().ok_or_else(|| rejected(format!("{word} is read before it is made")))
        }
        Wire::Ints(_) | Wire::Number(_) => {
            let format = model.format;
            Err(rejected(format!("numbers are parameters in {format}, not inputs; use attributes, or an expression")))
        }
    }
}

/// Returns the extents of a value that the file records.
pub(crate) fn dims(model: &Model, value: ValueId) -> Option<Vec<Option<i64>>> {
    let value = model.value(value);
    if let Some(constant) = &value.constant {
        return Some(constant.shape.iter().map(|&size| Some(size as i64)).collect());
    }
    let dims = value.declared.as_ref()?.dims()?;
    Some(dims.iter().map(|dim| dim.size().map(|size| size as i64)).collect())
}

/// Writes extents in place of the zeros of a reshape, which count axes from the other end in ncnn and mean none in pnnx.
/// Where `zero` is true, a 0 may stay for an extent that is not known, if the rank is the same.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] where an extent is not known.
pub(crate) fn resolved(model: &Model, at: Use, shape: &[i64], zero: bool) -> Result<Vec<i64>, Error> {
    let Some(value) = model.node(at.node).input(at.input) else { return Ok(shape.to_vec()) };
    let dims = dims(model, value);
    let same = dims.as_ref().is_some_and(|dims| dims.len() == shape.len());
    let mut resolved = shape.to_vec();
    for axis in (0..shape.len()).filter(|&axis| shape[axis] == 0) {
        let known = dims.as_ref().and_then(|dims| dims.get(axis).copied().flatten());
        let open = (!resolved.contains(&-1)).then_some(-1);
        resolved[axis] = known.or((zero && same).then_some(0)).or(open).ok_or_else(|| {
            let name = &model.value(value).name;
            rejected(format!("{name} cannot be reshaped to {shape:?}: its shape is not recorded; give extents"))
        })?;
    }
    Ok(resolved)
}
