//! Changes an IR: each change is made to an [`IrDraft`], which then becomes text.

use broadaxe_shape::symbolic::SymbolicShape;

use super::{
    AXIS, XML_LIMITS, build,
    draft::{IrDraft, NewLayer, Output, shape_layer},
    element::written,
    net, render, replace, result,
};
use crate::{
    edit::{Lowered, Place, Primitive, Scalar, ShapeOp, With, each_of, list, rejected},
    error::Error,
    graph::{Model, NodeId, Use, ValueId},
    {
        Rewritten,
        result_shape::{ResultShape, same},
    },
};

/// Makes changes to a model; all other bytes are kept.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for a change that an IR cannot have.
pub(super) fn write(model: &Model, edits: &Lowered) -> Result<Rewritten, Error> {
    let text = model.source.text(XML_LIMITS.bytes)?;
    let nets = net::nets(&text)?;
    let (again, places) = build::build(&model.source, &nets)?;
    same(model, &again)?;
    let mut draft = IrDraft::new(model, &nets, &places)?;
    each_of(edits, |edit| apply(&mut draft, edit))?;
    draft.settle()?;
    let pieces = render::render(&text, &draft)?;
    Ok((pieces, draft.added))
}

fn apply(draft: &mut IrDraft<'_>, edit: &Primitive) -> Result<(), Error> {
    match edit {
        Primitive::SetShape { value, shape, readers } => set_shape(draft, *value, shape, readers.as_deref()),
        Primitive::Insert { at: Place::Before(at), does, numbers } => before(draft, *at, *does, numbers),
        Primitive::Insert { at: Place::After(node), does, numbers } => after(draft, *node, *does, numbers),
        Primitive::Replace { node, with: With::Nodes(with) } => replace::replace(draft, *node, with),
        Primitive::Replace { node, with: With::Exchanged(op) } => exchange(draft, *node, op),
        Primitive::Attribute { node, name, value } => attribute(draft, *node, name, value.as_ref()),
        Primitive::Opset(_) => Err(rejected("an IR has no version for all its operators; each layer names its opset")),
    }
}

fn set_shape(draft: &mut IrDraft<'_>, value: ValueId, shape: &[usize], readers: Option<&[Use]>) -> Result<(), Error> {
    let (net, end) = draft.value(value)?;
    let Output::Old(layer, output) = end else { return Err(rejected("a constant is a layer of the file")) };
    let Some(readers) = readers else {
        draft.parts[net].settings.insert((layer, "shape".to_string()), Some(list(shape)));
        draft.parts[net].shapes.insert((layer, true, output), SymbolicShape::from(shape));
        return Ok(());
    };
    let name = draft.name(net, end);
    let whole = |key: &str| draft.layer(net, layer).setting(key).and_then(|text| text.parse::<u64>().ok());
    let (Some(offset), Some(size)) = (whole("offset"), whole("size")) else {
        return Err(rejected(format!("the constant {name} has no bytes")));
    };
    let element = draft.element(net, end).ok_or_else(|| rejected(format!("the constant {name} has no type")))?;
    // The copy reads the same bytes of the weights.
    let copy = draft.stored(net, &format!("{name}/copy"), element, shape, (offset, size))?;
    for &at in readers {
        let (used, reader) = draft.node(at.node)?;
        if used != net {
            return Err(rejected(format!("the constant {name} is read in another body")));
        }
        draft.connect(net, reader, at.input, copy);
    }
    Ok(())
}

/// Makes a layer that reads an output, and its constant of whole numbers.
fn shaper(
    draft: &mut IrDraft<'_>,
    (net, source): (usize, Output),
    base: String,
    does: ShapeOp,
    numbers: &[i64],
) -> Result<NewLayer, Error> {
    let (kind, opset, settings) = shape_layer(does);
    let constant = draft.ints(net, &format!("{base}/shape"), numbers)?;
    let settings = settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    let (element, made) = (draft.element(net, source), ResultShape::of(does, numbers));
    Ok(NewLayer { settings, element, made, ..NewLayer::of(kind, opset, base, vec![source, constant]) })
}

/// Inserts a layer before an input.
fn before(draft: &mut IrDraft<'_>, at: Use, does: ShapeOp, numbers: &[i64]) -> Result<(), Error> {
    let (net, reader) = draft.node(at.node)?;
    let source = draft.parts[net].sources[reader][at.input];
    let base = format!("{}/{}", draft.layer(net, reader).name, shape_layer(does).0.to_ascii_lowercase());
    let fresh = shaper(draft, (net, source), base, does, numbers)?;
    let end = draft.add(net, fresh)?;
    draft.connect(net, reader, at.input, end);
    Ok(())
}

/// Inserts a layer after a result.
fn after(draft: &mut IrDraft<'_>, node: NodeId, does: ShapeOp, numbers: &[i64]) -> Result<(), Error> {
    let (net, layer) = draft.node(node)?;
    let old = draft.layer(net, layer);
    let [port] = old.outputs.as_slice() else {
        return Err(rejected(format!("it has {} outputs; one can be reshaped", old.outputs.len())).at(old.place()));
    };
    let source = Output::Old(layer, 0);
    let made = ResultShape::behind(draft.shape(net, source), does, numbers);
    let fresh = shaper(draft, (net, source), format!("{}/reshaped", old.name), does, numbers)?;
    let end = draft.add(net, NewLayer { made, names: port.names.clone(), ..fresh })?;
    draft.redirect(net, source, end);
    draft.parts[net].unnamed.insert((layer, 0));
    if let (Output::New(fresh), Some(_)) = (end, &old.name_span) {
        // Readers find the result by the layer's name.
        let moved = draft.names.unique(&format!("{}/data", old.name));
        draft.parts[net].renamed.insert(layer, moved);
        draft.parts[net].fresh[fresh].name.clone_from(&old.name);
    }
    Ok(())
}

fn exchange(draft: &mut IrDraft<'_>, node: NodeId, op: &str) -> Result<(), Error> {
    let (net, layer) = draft.node(node)?;
    draft.parts[net].sources[layer].swap(0, 1);
    if op != draft.layer(net, layer).kind {
        draft.parts[net].kinds.insert(layer, op.to_string());
    }
    Ok(())
}

fn attribute(draft: &mut IrDraft<'_>, node: NodeId, name: &str, value: Option<&Scalar>) -> Result<(), Error> {
    let (net, layer) = draft.node(node)?;
    let old = draft.layer(net, layer);
    let broadcasts = old.setting("auto_broadcast").is_some() || result::broadcasts(&old.kind);
    let key = if name == "axis" && broadcasts { AXIS } else { name };
    draft.parts[net].settings.insert((layer, key.to_string()), value.map(written));
    Ok(())
}
