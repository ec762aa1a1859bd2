//! Changes to an IR: each is made to a [`Draft`], which then becomes text.

use broadaxe_shape::symbolic::SymbolicShape;

use super::{
    AXIS, build,
    draft::{Draft, End, Fresh},
    net, render, replace, result,
};
use crate::{
    edit::{Change, Edit, File, Piece, Scalar, Written, each},
    error::Error,
    format::made::{Made, list, refuse},
    graph::{Model, NodeId, Use, ValueId},
};

/// Makes changes to a model; every other byte is as it was.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for a change that an IR cannot have.
pub(super) fn write(model: &Model, edits: &[Edit]) -> Result<Written, Error> {
    let kept = |len| vec![Piece::Kept { at: 0, len }];
    let mut xml = kept(model.source.len());
    let mut bin = model.weights.as_ref().map(|weights| kept(weights.len()));
    let mut changes = Vec::new();
    if !edits.is_empty() {
        let text = net::text(&model.source)?;
        let nets = net::nets(&text)?;
        let (again, places) = build::build(&model.source, &nets)?;
        if again.values.len() != model.values.len() || again.nodes.len() != model.nodes.len() {
            return Err(refuse("the file of the model is not the one that was read"));
        }
        let mut draft = Draft::new(model, &nets, &places)?;
        // Exchanged inputs and replaced nodes come last, so that the others find inputs where they were.
        let mut order: Vec<(usize, &Edit)> = edits.iter().enumerate().collect();
        order.sort_by_key(|(_, edit)| turn(edit));
        each(order, |_, edit| {
            changes.push(apply(&mut draft, edit)?);
            Ok(())
        })?;
        draft.settle()?;
        xml = render::render(&text, &draft)?;
        if !draft.added.is_empty() {
            bin.get_or_insert_default().push(Piece::New(std::mem::take(&mut draft.added)));
        }
    }
    let mut files = vec![File { extension: "", pieces: xml }];
    files.extend(bin.map(|pieces| File { extension: "bin", pieces }));
    Ok(Written { files, changes })
}

fn turn(edit: &Edit) -> usize {
    match edit {
        Edit::Swap { .. } | Edit::ReshapeResult { .. } => 1,
        Edit::Replace { .. } => 2,
        _ => 0,
    }
}

fn apply(draft: &mut Draft<'_>, edit: &Edit) -> Result<Change, Error> {
    match edit {
        Edit::ReshapeConstant { value, shape } => reshape_constant(draft, *value, shape),
        Edit::CopyConstant { value, shape, uses } => copy_constant(draft, *value, shape, uses),
        Edit::Reshape { at, shape } => {
            let settings = [("special_zero".to_string(), "true".to_string())];
            before(draft, *at, "Reshape", "opset1", shape, Made::Reshape(shape.clone()), &settings)
        }
        Edit::Unsqueeze { at, axes } => {
            before(draft, *at, "Unsqueeze", "opset1", axes, Made::Unsqueeze(axes.clone()), &[])
        }
        Edit::Expand { at, shape } => {
            let settings = [("mode".to_string(), "bidirectional".to_string())];
            before(draft, *at, "Broadcast", "opset3", shape, Made::Expand(shape.clone()), &settings)
        }
        Edit::Swap { node, op } => swap(draft, *node, op),
        Edit::Attribute { node, name, value } => attribute(draft, *node, name, value.as_ref()),
        Edit::Opset(_) => Err(refuse("an IR has no version for all its operators; each layer names its opset")),
        Edit::Replace { node, with } => replace::replace(draft, *node, with),
        Edit::ReshapeResult { node, shape } => reshape_result(draft, *node, shape),
    }
}

fn shown(shape: Option<&SymbolicShape>) -> String {
    shape.map_or_else(|| "unknown".to_string(), SymbolicShape::to_string)
}

/// Finds a constant that can have another shape: where it stands, and the shape it has.
fn constant(draft: &Draft<'_>, value: ValueId, shape: &[usize]) -> Result<(usize, End, SymbolicShape), Error> {
    let (net, end) = draft.value(value)?;
    let value = draft.model.value(value);
    let constant = value.constant.as_ref().ok_or_else(|| refuse(format!("{} is no constant", value.name)))?;
    let count = |dims: &[usize]| broadaxe_shape::elements(dims).map(|count| if dims.contains(&0) { 0 } else { count });
    let (old, new) = (count(&constant.shape), count(shape));
    if old.is_err() || old != new {
        let (old, new) = (SymbolicShape::from(constant.shape.as_slice()), SymbolicShape::from(shape));
        return Err(refuse(format!("the constant {} of shape {old} has not as many elements as {new}", value.name)));
    }
    Ok((net, end, SymbolicShape::from(constant.shape.as_slice())))
}

fn reshape_constant(draft: &mut Draft<'_>, value: ValueId, shape: &[usize]) -> Result<Change, Error> {
    let (net, end, before) = constant(draft, value, shape)?;
    let End::Old(layer, output) = end else { return Err(refuse("a constant is a layer of the file")) };
    let after = SymbolicShape::from(shape);
    draft.parts[net].settings.insert((layer, "shape".to_string()), Some(list(shape)));
    draft.parts[net].shapes.insert((layer, true, output), after.clone());
    Ok(Change { what: draft.name(net, end), before: before.to_string(), after: after.to_string() })
}

fn copy_constant(draft: &mut Draft<'_>, value: ValueId, shape: &[usize], uses: &[Use]) -> Result<Change, Error> {
    let (net, end, before) = constant(draft, value, shape)?;
    let End::Old(layer, _) = end else { return Err(refuse("a constant is a layer of the file")) };
    let name = draft.name(net, end);
    let whole = |key: &str| draft.layer(net, layer).setting(key).and_then(|text| text.parse::<u64>().ok());
    let (Some(offset), Some(size)) = (whole("offset"), whole("size")) else {
        return Err(refuse(format!("the constant {name} has no bytes")));
    };
    let element = draft.element(net, end).ok_or_else(|| refuse(format!("the constant {name} has no type")))?;
    // The copy reads the same bytes of the weights.
    let copy = draft.stored(net, &format!("{name}/copy"), element, shape, (offset, size))?;
    for &at in uses {
        let (used, reader) = draft.at(at)?;
        if used != net {
            return Err(refuse(format!("the constant {name} is read in another body")));
        }
        draft.connect(net, reader, at.input, copy);
    }
    let after = format!("{} for {} of its readers", SymbolicShape::from(shape), uses.len());
    Ok(Change { what: name, before: before.to_string(), after })
}

/// Puts a layer with a constant of whole numbers in front of an input.
fn before(
    draft: &mut Draft<'_>,
    at: Use,
    kind: &str,
    opset: &str,
    numbers: &[i64],
    made: Made,
    settings: &[(String, String)],
) -> Result<Change, Error> {
    let (net, layer) = draft.at(at)?;
    let source = draft.parts[net].sources[layer][at.input];
    let reader = draft.layer(net, layer).name.clone();
    let base = format!("{reader}/{}", kind.to_ascii_lowercase());
    let numbers = draft.ints(net, &format!("{base}/shape"), numbers)?;
    let element = draft.element(net, source);
    let fresh = Fresh::of(kind, opset, base, vec![source, numbers]);
    let end = draft.add(net, Fresh { settings: settings.to_vec(), element, made, ..fresh })?;
    draft.connect(net, layer, at.input, end);
    let what = format!("input {} of {reader} ({})", at.input, draft.name(net, source));
    let (before, after) = (draft.shape(net, source), draft.shape(net, end));
    Ok(Change { what, before: shown(before.as_ref()), after: format!("{} by {kind}", shown(after.as_ref())) })
}

fn swap(draft: &mut Draft<'_>, node: NodeId, op: &str) -> Result<Change, Error> {
    let (net, layer) = draft.node(node)?;
    let old = draft.layer(net, layer);
    let sources = &mut draft.parts[net].sources[layer];
    if sources.len() != 2 {
        return Err(refuse(format!("it has {} inputs; two can be exchanged", sources.len())).at(old.place()));
    }
    sources.swap(0, 1);
    if op != old.kind {
        draft.parts[net].kinds.insert(layer, op.to_string());
    }
    let names: Vec<String> = (0..2).map(|k| draft.name(net, draft.parts[net].sources[layer][k])).collect();
    let before = format!("{}({}, {})", old.kind, names[1], names[0]);
    Ok(Change { what: old.name.clone(), before, after: format!("{op}({}, {})", names[0], names[1]) })
}

/// Writes the value of an attribute.
pub(super) fn written(value: &Scalar) -> String {
    match value {
        Scalar::Int(value) => value.to_string(),
        Scalar::Float(value) => value.to_string(),
        Scalar::Text(value) => value.clone(),
        Scalar::Ints(values) => list(values),
        Scalar::Floats(values) => list(values),
    }
}

fn attribute(draft: &mut Draft<'_>, node: NodeId, name: &str, value: Option<&Scalar>) -> Result<Change, Error> {
    let (net, layer) = draft.node(node)?;
    let old = draft.layer(net, layer);
    let broadcasts = old.setting("auto_broadcast").is_some() || result::broadcasts(&old.kind);
    let key = if name == "axis" && broadcasts { AXIS } else { name };
    let before = draft.setting(net, layer, key).unwrap_or_else(|| "(not there)".to_string());
    let value = value.map(written);
    draft.parts[net].settings.insert((layer, key.to_string()), value.clone());
    let after = value.unwrap_or_else(|| "(removed)".to_string());
    Ok(Change { what: format!("{name} of {}", old.name), before, after })
}

fn reshape_result(draft: &mut Draft<'_>, node: NodeId, shape: &[i64]) -> Result<Change, Error> {
    let (net, layer) = draft.node(node)?;
    let old = draft.layer(net, layer);
    let [port] = old.outputs.as_slice() else {
        return Err(refuse(format!("it has {} outputs; one can be reshaped", old.outputs.len())).at(old.place()));
    };
    let source = End::Old(layer, 0);
    let before = draft.shape(net, source);
    let base = format!("{}/reshaped", old.name);
    let numbers = draft.ints(net, &format!("{base}/shape"), shape)?;
    let made = match &before {
        // What reads the result knows the shape that the file records.
        Some(known) if known.rank() == Some(shape.len()) => Made::Known(known.clone()),
        _ => Made::Reshape(shape.to_vec()),
    };
    let fresh = Fresh::of("Reshape", "opset1", base, vec![source, numbers]);
    let end = draft.add(
        net,
        Fresh {
            settings: vec![("special_zero".to_string(), "true".to_string())],
            element: draft.element(net, source),
            made,
            names: port.names.clone(),
            ..fresh
        },
    )?;
    draft.redirect(net, source, end);
    draft.parts[net].unnamed.insert((layer, 0));
    if let (End::New(fresh), Some(_)) = (end, &old.name_span) {
        // What follows finds the result by the layer's name.
        let moved = draft.unique(&format!("{}/data", old.name));
        draft.parts[net].renamed.insert(layer, moved);
        draft.parts[net].fresh[fresh].name.clone_from(&old.name);
    }
    let after = format!("{} by Reshape", shown(draft.shape(net, end).as_ref()));
    Ok(Change { what: format!("the result of {}", old.name), before: shown(before.as_ref()), after })
}
