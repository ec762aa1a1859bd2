//! Changes models of pnnx, with torch's operators as pnnx writes them.
//!
//! A blob may have any number of readers. Recorded shapes that a change makes wrong are removed.

use crate::{
    edit::{Lowered, NewNode, Place, Primitive, Scalar, ShapeOp, With, each_of, rejected},
    error::Error,
    graph::{Model, NodeId, Use, ValueId},
    {
        Rewritten,
        ncnn::{
            draft::{
                Item, ParamDraft,
                change::{NewLayerParts, resolved},
            },
            text::Text,
        },
    },
};

/// Makes changes to a model.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for a change that pnnx has no operators for.
pub(super) fn write(model: &Model, edits: &Lowered) -> Result<Rewritten, Error> {
    let text = Text::read(&model.source)?;
    let mut editor = PnnxEditor { model, draft: ParamDraft::new(&text)? };
    each_of(edits, |edit| editor.edit(edit))?;
    Ok((editor.draft.write()?, Vec::new()))
}

struct PnnxEditor<'a> {
    model: &'a Model,
    draft: ParamDraft<'a>,
}

impl PnnxEditor<'_> {
    fn edit(&mut self, edit: &Primitive) -> Result<(), Error> {
        match edit {
            Primitive::SetShape { value, shape, .. } => self.set_shape(*value, shape),
            Primitive::Insert { at: Place::Before(at), does: ShapeOp::Reshape, numbers } => {
                let shape = resolved(self.model, *at, numbers, false)?;
                self.before(*at, "Tensor.reshape", list("shape", &shape))
            }
            Primitive::Insert { at: Place::Before(at), does: ShapeOp::Unsqueeze, numbers } => {
                numbers.iter().try_for_each(|axis| self.before(*at, "torch.unsqueeze", format!("dim={axis}")))
            }
            Primitive::Insert { at: Place::Before(at), does: ShapeOp::Expand, numbers } => {
                self.before(*at, "Tensor.expand", list("shape", numbers))
            }
            Primitive::Insert { at: Place::After(node), numbers, .. } => self.after(*node, numbers),
            Primitive::Replace { node, with: With::Nodes(with) } => self.draft.replace(self.model, *node, with, parts),
            Primitive::Replace { node, with: With::Exchanged(op) } => self.exchange(*node, op),
            Primitive::Attribute { node, name, value } => self.attribute(*node, name, value.as_ref()),
            Primitive::Opset(_) => Err(rejected("pnnx's operators have no versions")),
        }
    }

    /// Changes the shape of a constant where it is made, and wherever it is recorded.
    fn set_shape(&mut self, value: ValueId, shape: &[usize]) -> Result<(), Error> {
        let known = self.model.value(value);
        let (node, _) = known.producer.ok_or_else(|| rejected(format!("{} is not a constant", known.name)))?;
        let index = self.draft.find(node)?;
        for (_, word) in self.draft.items[index].rest.iter_mut().filter(|(_, word)| word.starts_with('@')) {
            *word = retyped(word, shape);
        }
        let comment = format!("#{}=", known.name);
        for item in &mut self.draft.items {
            for (_, word) in item.rest.iter_mut().filter(|(_, word)| word.starts_with(&comment)) {
                *word = retyped(word, shape);
            }
        }
        Ok(())
    }

    /// Inserts an operator before an input.
    fn before(&mut self, at: Use, op: &str, word: String) -> Result<(), Error> {
        let index = self.draft.find(at.node)?;
        let target = &self.draft.items[index];
        let (mine, name) = (role(target, at.input), target.inputs[at.input].clone());
        self.draft.before(at, (op, op), vec![word, format!("$input={name}")])?;
        let blob = self.draft.items[index].outputs[0].clone();
        let target = &mut self.draft.items[index + 1];
        if let Some(mine) = mine {
            renamed(&mut target.rest[mine].1, &blob);
        }
        if !target.inputs.contains(&name) {
            // The shape of a blob that is not read any more.
            target.set(|word| word.starts_with(&format!("#{name}=")), None);
        }
        Ok(())
    }

    /// Inserts a reshape after the only result of a node.
    fn after(&mut self, node: NodeId, shape: &[i64]) -> Result<(), Error> {
        let known = self.model.node(node);
        if known.outputs.len() != 1 || shape.contains(&0) {
            let message = format!("{} {} needs one result, and a shape without zeros", known.op, known.name);
            return Err(rejected(message));
        }
        let op = "Tensor.reshape";
        let index = self.draft.after((node, 0), (op, op), vec![list("shape", shape)])?;
        let reshape = &mut self.draft.items[index + 1];
        reshape.rest.push((None, format!("$input={}", reshape.inputs[0])));
        let comment = format!("#{}=", reshape.outputs[0]);
        self.draft.items[index].set(|word| word.starts_with(&comment), None);
        Ok(())
    }

    fn exchange(&mut self, node: NodeId, op: &str) -> Result<(), Error> {
        let known = self.model.node(node);
        if known.op == "pnnx.Expression" {
            let message =
                format!("{} {} does not have two inputs that can be exchanged; replace it", known.op, known.name);
            return Err(rejected(message));
        }
        let index = self.draft.find(node)?;
        let item = &mut self.draft.items[index];
        let roles = [role(item, 0), role(item, 1)];
        item.inputs.swap(0, 1);
        for (k, mine) in roles.into_iter().enumerate() {
            if let Some(mine) = mine {
                renamed(&mut item.rest[mine].1, &item.inputs[k]);
            }
        }
        op.clone_into(&mut item.op);
        Ok(())
    }

    fn attribute(&mut self, node: NodeId, name: &str, value: Option<&Scalar>) -> Result<(), Error> {
        if name.is_empty() || name.starts_with(['@', '#', '$']) || name.contains(['=', ' ', '\n', '\t']) {
            return Err(rejected(format!("'{name}' is not a valid name of a parameter")));
        }
        let index = self.draft.find(node)?;
        let key = format!("{name}=");
        let word = value.map(|value| parameter(name, value)).transpose()?;
        self.draft.items[index].set(|word| word.starts_with(&key), word);
        Ok(())
    }
}

/// Returns the words of a new operator.
fn parts(new: &NewNode) -> Result<NewLayerParts, Error> {
    let words = new.attributes.iter().map(|(name, value)| parameter(name, value)).collect::<Result<_, _>>()?;
    Ok((new.inputs.clone(), words, new.op.clone()))
}

/// Finds the word that says which input a blob is: `$weight=7`.
fn role(item: &Item, input: usize) -> Option<usize> {
    let name = item.inputs.get(input)?;
    let mine =
        |(_, word): &(_, String)| word.starts_with('$') && word.split_once('=').is_some_and(|(_, value)| value == name);
    // A blob that is read twice has two such words, in the order of the inputs.
    let before = item.inputs[..input].iter().filter(|other| *other == name).count();
    item.rest.iter().enumerate().filter(|(_, word)| mine(word)).map(|(at, _)| at).nth(before)
}

/// Writes another blob in `$key=blob`.
fn renamed(word: &mut String, blob: &str) {
    if let Some(key) = word.find('=') {
        word.replace_range(key + 1.., blob);
    }
}

/// Writes another shape in `key=(1,2)f32`.
fn retyped(word: &str, shape: &[usize]) -> String {
    match (word.find("=("), word.rfind(')')) {
        (Some(start), Some(end)) => format!("{}{}", list(&word[..start], shape), &word[end + 1..]),
        _ => word.to_owned(),
    }
}

fn list<T: ToString>(key: &str, values: &[T]) -> String {
    format!("{key}=({})", values.iter().map(T::to_string).collect::<Vec<_>>().join(","))
}

fn parameter(name: &str, value: &Scalar) -> Result<String, Error> {
    Ok(match value {
        Scalar::Int(value) => format!("{name}={value}"),
        Scalar::Float(value) => format!("{name}={value:e}"),
        Scalar::Text(text) if !text.is_empty() && !text.contains(char::is_whitespace) => format!("{name}={text}"),
        Scalar::Text(_) => return Err(rejected("a text has no spaces, and is not empty")),
        Scalar::Ints(values) => list(name, values),
        Scalar::Floats(values) => list(name, &values.iter().map(|value| format!("{value:e}")).collect::<Vec<_>>()),
    })
}
