//! Layers put in front of an input or behind a result.

use super::{Editor, MAX_RANK, extents, refuse};
use crate::{
    edit::Change,
    error::Error,
    format::ncnn::draft::Item,
    graph::{NodeId, Use, ValueId},
};

impl Editor<'_> {
    pub(super) fn reshape(&mut self, at: Use, shape: &[i64]) -> Result<(), Error> {
        let value = self.input(at)?;
        let shape = self.resolved(value, shape)?;
        self.insert(at, "Reshape", extents(&shape), &format!("reshaped to {shape:?}"))
    }

    /// Adds axes by `ExpandDims`, which counts them row-major in the result as the change does.
    pub(super) fn unsqueeze(&mut self, at: Use, axes: &[i64]) -> Result<(), Error> {
        if axes.is_empty() || axes.len() >= MAX_RANK {
            return Err(refuse(&format!("axes {axes:?} cannot be added; ncnn has ranks 1 to 4")));
        }
        let list = axes.iter().fold(format!("-23303={}", axes.len()), |word, axis| format!("{word},{axis}"));
        self.insert(at, "ExpandDims", vec![list], &format!("with the new axes {axes:?}"))
    }

    /// Stretches by `Tile`, which wants counts: the extents there are must be recorded.
    pub(super) fn expand(&mut self, at: Use, shape: &[i64]) -> Result<(), Error> {
        let value = self.input(at)?;
        let name = &self.model.value(value).name;
        let dims =
            self.dims(value).and_then(|dims| dims.into_iter().collect::<Option<Vec<i64>>>()).ok_or_else(|| {
                refuse(&format!("{name} can be stretched only where its shape is recorded; Tile wants counts"))
            })?;
        if shape.len() > MAX_RANK || dims.len() > shape.len() {
            return Err(refuse(&format!("{name} {dims:?} cannot be stretched to {shape:?}; ncnn has ranks 1 to 4")));
        }
        let missing = shape.len() - dims.len();
        let mut counts = format!("-23302={}", shape.len());
        for (axis, &size) in shape.iter().enumerate() {
            let have = if axis < missing { 1 } else { dims[axis - missing] };
            let count = match (have, size) {
                (_, -1 | 1) => 1,
                (have, size) if have == size => 1,
                (1, size) if size > 0 => size,
                _ => {
                    return Err(refuse(&format!(
                        "{name} {dims:?} cannot be stretched to {shape:?}: axis {axis} is not 1"
                    )));
                }
            };
            counts = format!("{counts},{count}");
        }
        self.insert(at, "Tile", vec![counts], &format!("stretched to {shape:?}"))
    }

    /// Reshapes a blob behind the layer that makes it; its readers find it under its name.
    pub(super) fn reshape_blob(&mut self, value: ValueId, shape: &[usize]) -> Result<(), Error> {
        let shape: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
        let producer = self.model.value(value).producer;
        let (node, output) = producer.ok_or_else(|| refuse("the constant is made by no layer"))?;
        self.behind(node, output, &shape)
    }

    pub(super) fn reshape_result(&mut self, node: NodeId, shape: &[i64]) -> Result<(), Error> {
        let known = self.model.node(node);
        if known.outputs.len() != 1 {
            return Err(refuse(&format!("{} {} has {} results, not one", known.op, known.name, known.outputs.len())));
        }
        // What the zeros stand for is the result before, which is not known.
        if shape.contains(&0) {
            return Err(refuse("the shape of a result is written without zeros"));
        }
        self.behind(node, 0, shape)
    }

    fn behind(&mut self, node: NodeId, output: usize, shape: &[i64]) -> Result<(), Error> {
        Self::check(shape)?;
        let index = self.draft.find(node)?;
        let name = self.draft.items[index].outputs[output].clone();
        let inner = self.draft.fresh(&format!("{name}_before_reshape"));
        let layer = self.draft.fresh(&format!("reshape_{name}"));
        let item = &mut self.draft.items[index];
        item.outputs[output].clone_from(&inner);
        // Recorded shapes would be those of before.
        item.rest.retain(|(_, word)| !word.starts_with("-23330=") && !word.starts_with("30="));
        let reshape = Item::new("Reshape", layer, vec![inner], vec![name.clone()]).with(extents(shape));
        self.draft.items.insert(index + 1, reshape);
        let after = format!("reshaped to {shape:?}");
        self.changes.push(Change { what: name, before: "as it is made".to_owned(), after });
        Ok(())
    }

    /// Puts a layer in front of an input.
    fn insert(&mut self, at: Use, op: &str, words: Vec<String>, what: &str) -> Result<(), Error> {
        self.input(at)?;
        let index = self.draft.find(at.node)?;
        let reader = self.draft.items[index].name.clone();
        let name = self.draft.items[index].inputs[at.input].clone();
        let blob = self.draft.fresh(&format!("{name}_for_{reader}"));
        let layer = self.draft.fresh(&format!("{}_{blob}", op.to_lowercase()));
        let item = Item::new(op, layer, vec![name.clone()], vec![blob.clone()]).with(words);
        self.draft.items[index].inputs[at.input] = blob;
        self.draft.items.insert(index, item);
        let before = format!("input {} of {reader}, as it is", at.input);
        self.changes.push(Change { what: name, before, after: format!("{what} by a layer {op}") });
        Ok(())
    }

    /// Returns the value at an input.
    fn input(&self, at: Use) -> Result<ValueId, Error> {
        let node = self.model.nodes.get(at.node.0 as usize);
        node.and_then(|node| node.input(at.input))
            .ok_or_else(|| refuse(&format!("node {} has no input {}", at.node.0, at.input)))
    }

    /// Returns the extents that the file records.
    fn dims(&self, value: ValueId) -> Option<Vec<Option<i64>>> {
        let value = self.model.value(value);
        if let Some(constant) = &value.constant {
            return Some(constant.shape.iter().map(|&size| Some(size as i64)).collect());
        }
        let dims = value.declared.as_ref()?.dims()?;
        Some(dims.iter().map(|dim| dim.size().map(|size| size as i64)).collect())
    }

    /// Writes extents in place of zeros: ncnn's zero counts axes from the other end.
    fn resolved(&self, value: ValueId, shape: &[i64]) -> Result<Vec<i64>, Error> {
        let dims = self.dims(value);
        let mut resolved = shape.to_vec();
        for axis in (0..shape.len()).filter(|&axis| shape[axis] == 0) {
            let known = dims.as_ref().and_then(|dims| dims.get(axis).copied().flatten());
            resolved[axis] = match known {
                Some(size) => size,
                None if dims.as_ref().is_some_and(|dims| dims.len() == shape.len()) => 0,
                None if !resolved.contains(&-1) => -1,
                None => {
                    let name = &self.model.value(value).name;
                    let message =
                        format!("{name} cannot be reshaped to {shape:?}: its shape is not recorded; give extents");
                    return Err(refuse(&message));
                }
            };
        }
        Self::check(&resolved)?;
        Ok(resolved)
    }

    fn check(shape: &[i64]) -> Result<(), Error> {
        let open = shape.iter().filter(|&&size| size == -1).count();
        let wrong = shape.iter().any(|&size| size < -1 || i32::try_from(size).is_err());
        if shape.len() > MAX_RANK || open > 1 || wrong {
            return Err(refuse(&format!(
                "{shape:?} is no shape for a Reshape of ncnn, which has ranks 1 to 4 and one -1"
            )));
        }
        Ok(())
    }
}
