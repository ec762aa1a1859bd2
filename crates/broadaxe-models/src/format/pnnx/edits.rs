//! Changes, in torch's operators as pnnx writes them.
//!
//! A blob may have any number of readers, and shapes in comments are kept right where they are known.

use crate::{
    edit::{Change, Edit, File, NewNode, Piece, Scalar, Wire, Written, each},
    error::{Error, ErrorKind},
    format::ncnn::{
        draft::{Draft, Item},
        text::Text,
    },
    graph::{Model, NodeId, Use, ValueId},
};

/// Makes changes to a model.
///
/// # Errors
/// [`ErrorKind::Edit`] for a change that pnnx has no operators for.
pub(super) fn write(model: &Model, edits: &[Edit]) -> Result<Written, Error> {
    if edits.is_empty() {
        let pieces = vec![Piece::Kept { at: 0, len: model.source.len() }];
        return Ok(Written { files: vec![File { extension: "", pieces }], changes: Vec::new() });
    }
    let text = Text::read(&model.source)?;
    let mut editor = Editor { model, draft: Draft::new(&text)?, changes: Vec::new() };
    each(edits.iter().enumerate(), |_, edit| editor.edit(edit))?;
    Ok(Written { files: vec![editor.draft.write()], changes: editor.changes })
}

struct Editor<'a> {
    model: &'a Model,
    draft: Draft<'a>,
    changes: Vec<Change>,
}

impl Editor<'_> {
    fn edit(&mut self, edit: &Edit) -> Result<(), Error> {
        match edit {
            Edit::ReshapeConstant { value, shape } => self.reshape_constant(*value, shape),
            Edit::CopyConstant { shape, uses, .. } => {
                let words = [list("shape", shape)];
                uses.iter().try_for_each(|&at| self.insert(at, "Tensor.reshape", &words))
            }
            Edit::Reshape { at, shape } => {
                self.insert(*at, "Tensor.reshape", &[list("shape", &self.resolved(*at, shape)?)])
            }
            Edit::Unsqueeze { at, axes } => {
                axes.iter().try_for_each(|axis| self.insert(*at, "torch.unsqueeze", &[format!("dim={axis}")]))
            }
            Edit::Expand { at, shape } => self.insert(*at, "Tensor.expand", &[list("shape", shape)]),
            Edit::Swap { node, op } => self.swap(*node, op),
            Edit::Attribute { node, name, value } => self.attribute(*node, name, value.as_ref()),
            Edit::Opset(_) => Err(refuse("pnnx's operators have no versions")),
            Edit::Replace { node, with } => self.replace(*node, with),
            Edit::ReshapeResult { node, shape } => self.reshape_result(*node, shape),
        }
    }

    fn name(&self, value: ValueId) -> &str {
        &self.model.value(value).name
    }

    /// Changes the shape of a constant where it is made, and wherever it is recorded.
    fn reshape_constant(&mut self, value: ValueId, shape: &[usize]) -> Result<(), Error> {
        let known = self.model.value(value);
        let before = known.constant.as_ref().map(|constant| constant.shape.clone());
        let (Some(before), Some((node, _))) = (before, known.producer) else {
            return Err(refuse(&format!("{} is no constant", known.name)));
        };
        let count = |shape: &[usize]| shape.iter().try_fold(1usize, |count, &size| count.checked_mul(size));
        if count(&before) != count(shape) {
            return Err(refuse(&format!("{} has the shape {before:?}, which cannot become {shape:?}", known.name)));
        }
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
        let (before, after) = (format!("{before:?}"), format!("{shape:?}"));
        self.changes.push(Change { what: known.name.clone(), before, after });
        Ok(())
    }

    /// Puts an operator in front of an input.
    fn insert(&mut self, at: Use, op: &str, words: &[String]) -> Result<(), Error> {
        self.input(at)?;
        let index = self.draft.find(at.node)?;
        let (reader, name) = (self.draft.items[index].name.clone(), self.draft.items[index].inputs[at.input].clone());
        let blob = self.draft.fresh(&format!("{name}_for_{reader}"));
        let layer = self.draft.fresh(&format!("{op}_{blob}"));
        let words = words.iter().cloned().chain([format!("$input={name}")]);
        let item = Item::new(op, layer, vec![name.clone()], vec![blob.clone()]).with(words);
        let target = &mut self.draft.items[index];
        let mine = role(target, at.input);
        target.inputs[at.input].clone_from(&blob);
        if let Some(mine) = mine
            && let Some((key, _)) = target.rest[mine].1.clone().split_once('=')
        {
            target.rest[mine].1 = format!("{key}={blob}");
        }
        if !target.inputs.contains(&name) {
            // The shape of a blob that is not read any more.
            target.set(|word| word.starts_with(&format!("#{name}=")), None);
        }
        self.draft.items.insert(index, item);
        let before = format!("input {} of {reader}, as it is", at.input);
        self.changes.push(Change { what: name, before, after: format!("by {op}") });
        Ok(())
    }

    fn swap(&mut self, node: NodeId, op: &str) -> Result<(), Error> {
        let known = self.model.node(node);
        if known.inputs.len() != 2 || known.op == "pnnx.Expression" {
            let message = format!("{} {} has not two inputs that can be exchanged; replace it", known.op, known.name);
            return Err(refuse(&message));
        }
        let index = self.draft.find(node)?;
        let item = &mut self.draft.items[index];
        let roles = [role(item, 0), role(item, 1)];
        item.inputs.swap(0, 1);
        for (k, mine) in roles.into_iter().enumerate() {
            if let Some(mine) = mine
                && let Some((key, _)) = item.rest[mine].1.clone().split_once('=')
            {
                item.rest[mine].1 = format!("{key}={}", item.inputs[k]);
            }
        }
        op.clone_into(&mut item.op);
        self.changes.push(Change {
            what: known.name.clone(),
            before: known.op.clone(),
            after: format!("{op}, exchanged"),
        });
        Ok(())
    }

    fn attribute(&mut self, node: NodeId, name: &str, value: Option<&Scalar>) -> Result<(), Error> {
        if name.is_empty() || name.starts_with(['@', '#', '$']) || name.contains(['=', ' ', '\n', '\t']) {
            return Err(refuse(&format!("'{name}' is no name of a parameter")));
        }
        let index = self.draft.find(node)?;
        let key = format!("{name}=");
        let item = &mut self.draft.items[index];
        let before = item.rest.iter().find(|(_, word)| word.starts_with(&key)).map(|(_, word)| word.clone());
        let word = value.map(|value| parameter(name, value)).transpose()?;
        let after = word.clone();
        item.set(|word| word.starts_with(&key), word);
        let shown = |word: Option<String>| word.unwrap_or_else(|| "-".to_owned());
        let what = self.model.node(node).name.clone();
        self.changes.push(Change { what, before: shown(before), after: shown(after) });
        Ok(())
    }

    fn replace(&mut self, node: NodeId, with: &[NewNode]) -> Result<(), Error> {
        // Long: a new operator may read what the one before it makes.
        let known = self.model.node(node);
        let index = self.draft.find(node)?;
        let mut names: Vec<(&str, String)> = Vec::new();
        let mut items: Vec<Item> = Vec::new();
        for new in with {
            let wire = |wire: &Wire| match wire {
                Wire::Old(value) => Ok(self.name(*value).to_owned()),
                Wire::New(word) => {
                    let known = names.iter().find(|(known, _)| *known == word.as_str());
                    known
                        .map(|(_, name)| name.clone())
                        .ok_or_else(|| refuse(&format!("{word} is read before it is made")))
                }
                Wire::Ints(_) | Wire::Number(_) => {
                    Err(refuse("numbers are parameters in pnnx, no inputs; use attributes, or an expression"))
                }
            };
            let inputs = new.inputs.iter().map(wire).collect::<Result<Vec<_>, _>>()?;
            let output = match &new.output {
                Wire::New(word) => {
                    let name = self.draft.fresh(&format!("{}_{word}", known.name));
                    names.push((word, name.clone()));
                    name
                }
                old => wire(old)?,
            };
            let words =
                new.attributes.iter().map(|(name, value)| parameter(name, value)).collect::<Result<Vec<_>, _>>()?;
            let layer = self.draft.fresh(&format!("{}_{}", known.name, new.op));
            items.push(Item::new(&new.op, layer, inputs, vec![output]).with(words));
        }
        for output in known.outputs.iter().flatten() {
            let name = self.name(*output);
            if !items.iter().any(|item| item.outputs.iter().any(|made| made == name)) {
                return Err(refuse(&format!("{name} is made by nothing that replaces {} {}", known.op, known.name)));
            }
        }
        if let Some(last) = items.last_mut() {
            last.name.clone_from(&known.name);
        }
        let after = with.iter().map(|new| new.op.as_str()).collect::<Vec<_>>().join(", ");
        self.changes.push(Change { what: known.name.clone(), before: known.op.clone(), after });
        self.draft.items.splice(index..=index, items);
        Ok(())
    }

    fn reshape_result(&mut self, node: NodeId, shape: &[i64]) -> Result<(), Error> {
        let known = self.model.node(node);
        if known.outputs.len() != 1 || shape.contains(&0) {
            let message = format!("{} {} needs one result, and a shape without zeros", known.op, known.name);
            return Err(refuse(&message));
        }
        let index = self.draft.find(node)?;
        let name = self.draft.items[index].outputs[0].clone();
        let inner = self.draft.fresh(&format!("{name}_before_reshape"));
        let layer = self.draft.fresh(&format!("Tensor.reshape_{name}"));
        let item = &mut self.draft.items[index];
        item.outputs[0].clone_from(&inner);
        item.set(|word| word.starts_with(&format!("#{name}=")), None);
        let words = [list("shape", shape), format!("$input={inner}")];
        let reshape = Item::new("Tensor.reshape", layer, vec![inner], vec![name.clone()]).with(words);
        self.draft.items.insert(index + 1, reshape);
        self.changes.push(Change {
            what: name,
            before: "as it is made".to_owned(),
            after: format!("reshaped to {shape:?}"),
        });
        Ok(())
    }

    fn input(&self, at: Use) -> Result<ValueId, Error> {
        let node = self.model.nodes.get(at.node.0 as usize);
        node.and_then(|node| node.input(at.input))
            .ok_or_else(|| refuse(&format!("node {} has no input {}", at.node.0, at.input)))
    }

    /// Writes extents in place of zeros, which torch's reshape does not have.
    fn resolved(&self, at: Use, shape: &[i64]) -> Result<Vec<i64>, Error> {
        let value = self.model.value(self.input(at)?);
        let dims = value.declared.as_ref().and_then(|shape| shape.dims());
        let mut resolved = shape.to_vec();
        for axis in (0..shape.len()).filter(|&axis| shape[axis] == 0) {
            let size = dims.and_then(|dims| dims.get(axis)?.size()).map(|size| size as i64);
            let size = size.or_else(|| (!resolved.contains(&-1)).then_some(-1));
            resolved[axis] = size.ok_or_else(|| {
                refuse(&format!(
                    "{} cannot be reshaped to {shape:?}: its shape is not recorded; give extents",
                    value.name
                ))
            })?;
        }
        Ok(resolved)
    }
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
        Scalar::Text(_) => return Err(refuse("a text has no spaces, and is not empty")),
        Scalar::Ints(values) => list(name, values),
        Scalar::Floats(values) => list(name, &values.iter().map(|value| format!("{value:e}")).collect::<Vec<_>>()),
    })
}

fn refuse(message: &str) -> Error {
    Error::new(ErrorKind::Edit, message)
}
