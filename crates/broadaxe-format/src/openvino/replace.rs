//! Replaces a layer by others.

use broadaxe_frameworks::{Kind, Row, System, called, newest};

use super::{
    AXIS,
    draft::{IrDraft, NewLayer, Output, shape_layer},
    element::{element, written},
    result,
};
use crate::{
    edit::{NewNode, ShapeOp, Wire, number_bytes, rejected},
    error::Error,
    graph::{Element, NodeId},
    result_shape::ResultShape,
};

/// Replaces a layer by new ones; the last gets its id and its name.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for operators and ends that cannot be.
pub(super) fn replace(draft: &mut IrDraft<'_>, node: NodeId, with: &[NewNode]) -> Result<(), Error> {
    let (net, layer) = draft.node(node)?;
    let old = draft.layer(net, layer);
    let fail = |message: String| rejected(message).at(old.place());
    if old.outputs.len() != 1 {
        return Err(fail(format!("it has {} outputs; one layer with one output can be replaced", old.outputs.len())));
    }
    let mut words: Words<'_> = Vec::new();
    let mut last = None;
    for new in with {
        let end = new_layer(draft, net, &old.name, new, &words).map_err(|error| error.at(old.place()))?;
        match &new.output {
            Wire::New(word) => words.push((word, end)),
            Wire::Old(value) if draft.value(*value)? == (net, Output::Old(layer, 0)) && last.is_none() => {
                last = Some(end);
            }
            _ => return Err(fail(format!("the output of a new {} is not an output of the layer", new.op))),
        }
    }
    let Some(Output::New(last)) = last else { return Err(fail("no new layer computes its output".to_string())) };
    let (element, shape) = (draft.element(net, Output::Old(layer, 0)), draft.shape(net, Output::Old(layer, 0)));
    let fresh = &mut draft.parts[net].fresh[last];
    fresh.id = old.id;
    fresh.name.clone_from(&old.name);
    fresh.names.clone_from(&old.outputs[0].names);
    fresh.element = element.or(fresh.element.take());
    fresh.made = shape.map_or(ResultShape::Unknown, ResultShape::Known);
    draft.parts[net].replaced.insert(layer, last);
    Ok(())
}

/// Returns what an operator does to a shape, if it is one that changes can insert.
fn shape_op(kind: &str) -> Option<ShapeOp> {
    ShapeOp::ALL.into_iter().find(|&op| shape_layer(op).0 == kind)
}

/// The outputs of new layers, by the names that the change uses.
type Words<'w> = Vec<(&'w str, Output)>;

fn new_layer(
    draft: &mut IrDraft<'_>,
    net: usize,
    base: &str,
    new: &NewNode,
    words: &Words<'_>,
) -> Result<Output, Error> {
    let name = format!("{base}/{}", new.op.to_ascii_lowercase());
    let mut inputs = Vec::new();
    for wire in &new.inputs {
        let end = input(draft, net, &name, (new, wire), words)?;
        inputs.push(end);
    }
    let (opset, settings) = settings(new)?;
    let setting = |key: &str| settings.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    let numbers = new.inputs.iter().find_map(|wire| if let Wire::Ints(list) = wire { Some(list) } else { None });
    let made = match (shape_op(&new.op), numbers) {
        (Some(op), Some(numbers)) => ResultShape::of(op, numbers),
        _ => result::result_shape(&new.op, inputs.len(), &setting)?,
    };
    let row = newest(System::Openvino, &new.op);
    let typed = inputs.get(usize::from(row.is_some_and(|row| row.kind() == Kind::Select))).copied();
    let element = match setting("destination_type") {
        _ if row.is_some_and(Row::is_truth) => Some(element("boolean")),
        Some(text) => Some(element(&text)),
        None => typed.and_then(|end| draft.element(net, end)),
    };
    draft.add(net, NewLayer { settings, element, made, ..NewLayer::of(&new.op, &opset, name, inputs) })
}

/// Finds, or makes, what a new layer reads.
fn input(
    draft: &mut IrDraft<'_>,
    net: usize,
    name: &str,
    (new, wire): (&NewNode, &Wire),
    words: &Words<'_>,
) -> Result<Output, Error> {
    match wire {
        Wire::Old(value) => match draft.value(*value)? {
            (other, end) if other == net => Ok(end),
            _ => Err(rejected(format!("{} is of another body", draft.model.value(*value).name))),
        },
        Wire::New(word) => {
            let known = words.iter().find(|(known, _)| known == word).map(|(_, end)| *end);
            known.ok_or_else(|| rejected(format!("a new {} reads {word}, which no earlier new layer computes", new.op)))
        }
        Wire::Ints(values) => draft.ints(net, &format!("{name}/shape"), values),
        Wire::Number(number) => {
            let element = element_of(draft, net, new, words);
            let Some((element, dtype)) = element.and_then(|element| Some((element.clone(), element.dtype()?))) else {
                return Err(rejected(format!("the dtype of {number} in a new {} is not known", new.op)));
            };
            let bytes = number_bytes(dtype, *number);
            draft.constant(net, &format!("{name}/number"), element, &[], &bytes)
        }
    }
}

/// Returns the opset of a new layer and what its `data` says.
fn settings(new: &NewNode) -> Result<(String, Vec<(String, String)>), Error> {
    let row = called(System::Openvino, &new.op).first();
    let broadcasts = result::broadcasts(&new.op);
    let (opset, defaults): (String, &[(&str, &str)]) = match (row, shape_op(&new.op).map(shape_layer)) {
        (_, Some((_, opset, defaults))) => (opset.to_string(), defaults),
        (Some(row), _) if broadcasts => (format!("opset{}", row.since()), &[("auto_broadcast", "numpy")]),
        (Some(row), _) => (format!("opset{}", row.since()), &[]),
        (None, None) => return Err(rejected(format!("{} is not an operator that can be inserted into an IR", new.op))),
    };
    let key = |key: &String| if broadcasts && key == "axis" { AXIS.to_string() } else { key.clone() };
    let mut settings: Vec<_> = new.attributes.iter().map(|(name, value)| (key(name), written(value))).collect();
    for (key, value) in defaults {
        if !settings.iter().any(|(known, _)| known == key) {
            settings.push(((*key).to_string(), (*value).to_string()));
        }
    }
    Ok((opset, settings))
}

/// Returns the dtype of the first input that is not a number.
fn element_of(draft: &IrDraft<'_>, net: usize, new: &NewNode, words: &Words<'_>) -> Option<Element> {
    new.inputs.iter().find_map(|wire| match wire {
        Wire::Old(value) => draft.model.value(*value).element.clone(),
        Wire::New(word) => words.iter().find(|(known, _)| known == word).and_then(|(_, end)| draft.element(net, *end)),
        _ => None,
    })
}
