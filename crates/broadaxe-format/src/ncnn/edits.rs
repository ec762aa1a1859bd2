//! Changes models of ncnn.
//!
//! Each blob has one reader, so a second reader needs a `Split`. The `.bin` is never changed, so a layer with weights can
//! only be replaced by layers that read the same bytes: a `PReLU` by a `MemoryData` of its slopes.

mod insert;
mod replace;

use std::collections::HashMap;

use super::{
    draft::ParamDraft,
    params::{int, parameter},
    text::Text,
};
use crate::{
    Rewritten,
    edit::{Lowered, Place, Primitive, Scalar, With, each_of, rejected},
    error::Error,
    graph::{Model, NodeId, ValueId},
};

/// The largest rank that a blob has.
const MAX_RANK: usize = 4;
/// Operations of `BinaryOp`, and the one that means the same with its operands exchanged.
const SWAPPED: [(i64, i64); 8] = [(1, 7), (3, 8), (6, 9), (10, 11), (12, 13), (15, 16), (17, 18), (14, 14)];

/// Makes changes to a model.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for a change that ncnn has no layers for.
pub(super) fn write(model: &Model, edits: &Lowered) -> Result<Rewritten, Error> {
    let text = Text::read(&model.source)?;
    let mut editor = NcnnEditor { model, draft: ParamDraft::new(&text)? };
    let constants = editor.whole(edits);
    each_of(edits, |edit| editor.edit(edit, &constants))?;
    editor.draft.split();
    Ok((editor.draft.write()?, Vec::new()))
}

struct NcnnEditor<'a> {
    model: &'a Model,
    draft: ParamDraft<'a>,
}

impl NcnnEditor<'_> {
    fn edit(&mut self, edit: &Primitive, constants: &HashMap<ValueId, Vec<usize>>) -> Result<(), Error> {
        match edit {
            Primitive::SetShape { value, shape, .. } => self.set_shape(*value, shape, constants),
            Primitive::Insert { at: Place::Before(at), does, numbers } => self.before(*at, *does, numbers),
            Primitive::Insert { at: Place::After(node), numbers, .. } => self.after(*node, numbers),
            Primitive::Replace { node, with: With::Nodes(with) } => self.replace(*node, with),
            Primitive::Replace { node, with: With::Exchanged(op) } => self.exchange(*node, op),
            Primitive::Attribute { node, name, value } => self.attribute(*node, name, value.as_ref()),
            Primitive::Opset(_) => Err(rejected("ncnn's layers have no versions")),
        }
    }

    /// Finds the constants whose readers, also through `Split`s, all get the same shape: these change in place.
    fn whole(&self, edits: &Lowered) -> HashMap<ValueId, Vec<usize>> {
        let wanted: HashMap<ValueId, &Vec<usize>> = (edits.iter())
            .filter_map(|(_, edit)| match edit {
                Primitive::SetShape { value, shape, .. } => Some((*value, shape)),
                _ => None,
            })
            .collect();
        let uses = self.model.uses();
        let mut whole = HashMap::new();
        for value in wanted.keys() {
            let Some(root) = self.root(*value) else { continue };
            let (mut stack, mut shapes) = (vec![root], Vec::new());
            while let Some(value) = stack.pop() {
                let splits = uses.of(value).iter().map(|at| self.model.node(at.node));
                let splits: Vec<_> = splits.filter(|node| node.op == "Split").collect();
                if splits.is_empty() || wanted.contains_key(&value) {
                    shapes.push(wanted.get(&value).copied());
                } else {
                    stack.extend(splits.iter().flat_map(|node| node.outputs.iter().flatten()));
                }
            }
            if let Some(Some(first)) = shapes.first().copied()
                && shapes.iter().all(|shape| *shape == Some(first))
            {
                whole.insert(root, first.clone());
            }
        }
        whole
    }

    /// Follows a constant through `Split`s to where it is made.
    fn root(&self, mut value: ValueId) -> Option<ValueId> {
        self.model.value(value).constant.as_ref()?;
        // Layers read what earlier ones make, so this ends.
        loop {
            let node = self.model.node(self.model.value(value).producer?.0);
            match node.op.as_str() {
                "MemoryData" => return Some(value),
                "Split" => value = node.input(0)?,
                _ => return None,
            }
        }
    }

    fn set_shape(
        &mut self,
        value: ValueId,
        shape: &[usize],
        whole: &HashMap<ValueId, Vec<usize>>,
    ) -> Result<(), Error> {
        if shape.len() > MAX_RANK {
            return Err(rejected(format!(
                "{} cannot have {} axes; ncnn has ranks 1 to 4",
                self.model.value(value).name,
                shape.len()
            )));
        }
        let Some((root, shape)) = self.root(value).and_then(|root| whole.get(&root).map(|shape| (root, shape))) else {
            let shape: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
            let producer = self.model.value(value).producer;
            let (node, output) = producer.ok_or_else(|| rejected("no layer computes the constant"))?;
            return self.behind(node, output, &shape);
        };
        let producer = self.model.value(root).producer.map(|(node, _)| node);
        let index = self.draft.find(producer.unwrap_or(NodeId(u32::MAX)))?;
        let item = &mut self.draft.items[index];
        let shape: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
        let words = extents(&shape);
        let is_extent = |word: &str| ["0=", "1=", "2=", "11="].iter().any(|key| word.starts_with(key));
        let first = item.rest.iter().position(|(_, word)| is_extent(word)).unwrap_or(0);
        let old: Vec<Option<usize>> = item.rest.iter().filter(|(_, word)| is_extent(word)).map(|(k, _)| *k).collect();
        // A recorded shape would be wrong.
        item.rest.retain(|(_, word)| !is_extent(word) && !word.starts_with("-23330=") && !word.starts_with("30="));
        for (k, word) in words.into_iter().enumerate() {
            item.rest.insert((first + k).min(item.rest.len()), (old.get(k).copied().flatten(), word));
        }
        Ok(())
    }

    fn exchange(&mut self, node: NodeId, op: &str) -> Result<(), Error> {
        let known = self.model.node(node);
        let index = self.draft.find(node)?;
        let item = &mut self.draft.items[index];
        item.inputs.swap(0, 1);
        if known.op == "BinaryOp" {
            let before = int(known, "0", 0);
            let pair = SWAPPED.iter().find(|(one, other)| *one == before || *other == before);
            let after = pair.map_or(before, |&(one, other)| if one == before { other } else { one });
            if after != before {
                item.set(|word| word.starts_with("0="), Some(format!("0={after}")));
            }
        } else if known.op == op && known.attribute("1").is_none() {
            // Sums, products and the like; with coefficients they are not the same.
        } else if known.op == op {
            let message = format!(
                "{} {} has coefficients in the order of its inputs, so they cannot be exchanged",
                known.op, known.name
            );
            return Err(rejected(message));
        } else {
            op.clone_into(&mut item.op);
        }
        Ok(())
    }

    fn attribute(&mut self, node: NodeId, name: &str, value: Option<&Scalar>) -> Result<(), Error> {
        let known = self.model.node(node);
        let number = parameter(&known.op, name).and_then(|number| number.parse::<i64>().ok());
        let number = number
            .ok_or_else(|| rejected(format!("{} has no known parameter {name}; use its number, 0 to 31", known.op)))?;
        let index = self.draft.find(node)?;
        let keys = [format!("{number}="), format!("{}=", -23300 - number)];
        let is = |word: &str| keys.iter().any(|key| word.starts_with(key.as_str()));
        let item = &mut self.draft.items[index];
        item.set(is, value.map(|value| parameter_word(number, value)).transpose()?);
        Ok(())
    }
}

/// Writes a row-major shape as the parameters 0 (w), 1 (h), 11 (d) and 2 (c).
fn extents(shape: &[i64]) -> Vec<String> {
    let keys: &[&str] = match shape.len() {
        0 => return vec!["0=1".to_owned()],
        1 => &["0"],
        2 => &["0", "1"],
        3 => &["0", "1", "2"],
        _ => &["0", "1", "11", "2"],
    };
    keys.iter().zip(shape.iter().rev()).map(|(key, size)| format!("{key}={size}")).collect()
}

/// Writes a parameter; ncnn reads at most 15 characters of a number.
fn parameter_word(number: i64, value: &Scalar) -> Result<String, Error> {
    let key = -23300 - number;
    let list = |values: Vec<String>| {
        let count = values.len();
        values.into_iter().fold(format!("{key}={count}"), |word, value| word + "," + &value)
    };
    Ok(match value {
        Scalar::Int(value) => format!("{number}={}", whole(*value)?),
        Scalar::Float(value) => format!("{number}={}", float(*value)?),
        Scalar::Text(text) if !text.is_empty() && text.len() < 240 && !text.contains(['"', '\n', '\r']) => {
            format!("{number}=\"{text}\"")
        }
        Scalar::Text(_) => return Err(rejected("a text has 1 to 239 bytes in one line, without quotes")),
        Scalar::Ints(values) => {
            list(values.iter().map(|&value| whole(value).map(|v| v.to_string())).collect::<Result<_, _>>()?)
        }
        Scalar::Floats(values) => list(values.iter().map(|&value| float(value)).collect::<Result<_, _>>()?),
    })
}

fn whole(value: i64) -> Result<i32, Error> {
    i32::try_from(value).map_err(|_| rejected(format!("{value} does not fit into the 32 bits of a parameter")))
}

fn float(value: f64) -> Result<String, Error> {
    let value = value as f32;
    if value.is_finite() { Ok(format!("{value:e}")) } else { Err(rejected("a parameter must be finite")) }
}
