//! Writes a draft as text: words of the XML are replaced, all other bytes are kept.

use std::{fmt::Write, ops::Range};

use broadaxe_shape::symbolic::SymbolicShape;

use super::{
    draft::{IrDraft, NetChanges, NewLayer, Output},
    element::precision,
    net::{Layer, Net, Port},
};
use crate::{
    edit::{Piece, Splice, rejected},
    error::Error,
    result_shape::extents,
};

/// Writes the changed XML, in pieces.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] where two changes are about the same words.
pub(super) fn render(text: &str, draft: &IrDraft<'_>) -> Result<Vec<Piece>, Error> {
    let mut cuts = Splice::default();
    for (net, part) in draft.nets.iter().zip(&draft.parts) {
        layers(text, net, part, &mut cuts);
        edges(text, net, part, &mut cuts)?;
    }
    for (net, index) in (0..draft.nets.len()).zip(0..) {
        fresh(text, draft, net, &draft.nets[index], &mut cuts)?;
    }
    cuts.pieces(text.len() as u64)
}

/// Returns the white space before a place, from the last line break on.
fn indent(text: &str, at: usize) -> &str {
    let head = &text[..at];
    let bare = head.trim_end_matches([' ', '\t']);
    let bare = bare.strip_suffix('\n').map_or(bare, |bare| bare.strip_suffix('\r').unwrap_or(bare));
    &head[bare.len()..]
}

/// Widens a span to the white space before it.
fn with_space(text: &str, span: &Range<usize>) -> Range<usize> {
    text[..span.start].trim_end().len()..span.end
}

fn layers(text: &str, net: &Net, part: &NetChanges, cuts: &mut Splice) {
    for (index, layer) in net.layers.iter().enumerate() {
        if part.replaced.contains_key(&index) {
            cuts.remove(with_space(text, &layer.span));
            continue;
        }
        if let Some(kind) = part.kinds.get(&index) {
            cuts.text(layer.kind_span.clone(), escaped(kind));
        }
        if let (Some(name), Some(span)) = (part.renamed.get(&index), &layer.name_span) {
            cuts.text(span.clone(), escaped(name));
        }
        let settings = part.settings.range((index, String::new())..).take_while(|((owner, _), _)| *owner == index);
        let mut fresh = String::new();
        for ((_, key), value) in settings {
            match (layer.settings.iter().find(|setting| setting.key == *key), value) {
                (Some(old), Some(value)) => cuts.text(old.value_span.clone(), escaped(value)),
                (Some(old), None) => cuts.remove(with_space(text, &old.span)),
                (None, Some(value)) => _ = write!(fresh, " {key}=\"{}\"", escaped(value)),
                (None, None) => {}
            }
        }
        if !fresh.is_empty() {
            setting(text, layer, &fresh, cuts);
        }
        for (output, ports) in [(false, &layer.inputs), (true, &layer.outputs)] {
            for (k, port) in ports.iter().enumerate() {
                if let Some(shape) = part.shapes.get(&(index, output, k)) {
                    dims(text, port, shape, cuts);
                }
                if let Some(span) = port.names_span.as_ref().filter(|_| output && part.unnamed.contains(&(index, k))) {
                    cuts.remove(with_space(text, span));
                }
            }
        }
    }
}

/// Adds settings to `data`, or a new `data` to the layer.
fn setting(text: &str, layer: &Layer, settings: &str, cuts: &mut Splice) {
    if let Some(end) = layer.settings_end {
        return cuts.insert(end, settings);
    }
    let mut quote = None;
    let open = text[layer.span.clone()].bytes().position(|byte| {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return true,
            _ => {}
        }
        false
    });
    let at = layer.span.start + open.map_or(0, |at| at + 1);
    let rest = &text[at..];
    let space = &rest[..rest.len() - rest.trim_start().len()];
    cuts.insert(at, format!("{space}<data{settings} />"));
}

fn dim_lines(space: &str, dims: &[i64]) -> String {
    dims.iter().fold(String::new(), |lines, dim| lines + space + "<dim>" + &dim.to_string() + "</dim>")
}

/// Replaces the dims of a port, unless they are the same.
fn dims(text: &str, port: &Port, shape: &SymbolicShape, cuts: &mut Splice) {
    let new = extents(shape);
    if new == port.dims {
        return;
    }
    let lines = |space: &str| dim_lines(space, &new);
    if let (Some(first), Some(last)) = (port.dims_spans.first(), port.dims_spans.last()) {
        let span = with_space(text, &(first.start..last.end));
        let space = &text[span.start..first.start];
        return cuts.text(span, lines(space));
    }
    let whole = &text[port.span.clone()];
    let space = indent(text, port.span.start);
    let inner = if space.is_empty() { String::new() } else { format!("{space}\t") };
    let with = format!(">{}{space}</port>", lines(&inner));
    let tail = match whole.strip_suffix("/>") {
        Some(head) => head.trim_end().len(),
        None => whole.rfind("</").map_or(whole.len(), |close| whole[..close].trim_end().len() - 1),
    };
    cuts.text(port.span.start + tail..port.span.end, with);
}

/// Returns the ids of the layer and the port of an output.
fn ids(net: &Net, part: &NetChanges, end: Output) -> (u64, u64) {
    match end {
        Output::Old(layer, output) => match part.replaced.get(&layer) {
            Some(&fresh) => ids(net, part, Output::New(fresh)),
            None => (net.layers[layer].id, net.layers[layer].outputs[output].id),
        },
        Output::New(fresh) => (part.fresh[fresh].id, part.fresh[fresh].inputs.len() as u64),
    }
}

fn edges(text: &str, net: &Net, part: &NetChanges, cuts: &mut Splice) -> Result<(), Error> {
    for (layer, links) in part.links.iter().enumerate() {
        for (input, &(.., number)) in links.iter().enumerate() {
            let edge = &net.edges[number];
            if part.replaced.contains_key(&layer) {
                cuts.remove(with_space(text, &edge.span));
                continue;
            }
            let from = ids(net, part, part.sources[layer][input]);
            let words = [(edge.from.0, from.0, &edge.from_spans.0), (edge.from.1, from.1, &edge.from_spans.1)];
            for (_, new, span) in words.into_iter().filter(|(old, new, _)| old != new) {
                cuts.text(span.clone(), new.to_string());
            }
        }
    }
    let Some(last) = net.edges.last().filter(|_| !part.fresh.is_empty()) else {
        return if part.fresh.is_empty() {
            Ok(())
        } else {
            Err(rejected("new layers cannot be added to a net without edges"))
        };
    };
    let space = indent(text, last.span.start);
    let mut lines = String::new();
    for (fresh, layer) in part.fresh.iter().enumerate() {
        for (port, &end) in layer.inputs.iter().enumerate() {
            let ((from_layer, from_port), (to, _)) = (ids(net, part, end), ids(net, part, Output::New(fresh)));
            _ = write!(
                lines,
                "{space}<edge from-layer=\"{from_layer}\" from-port=\"{from_port}\" to-layer=\"{to}\" to-port=\"{port}\" />"
            );
        }
    }
    cuts.insert(last.span.end, lines);
    Ok(())
}

/// Inserts the new layers of a net after its last one.
fn fresh(text: &str, draft: &IrDraft<'_>, net: usize, layers: &Net, cuts: &mut Splice) -> Result<(), Error> {
    let part = &draft.parts[net];
    let Some(last) = layers.layers.last().filter(|_| !part.fresh.is_empty()) else { return Ok(()) };
    let space = indent(text, last.span.start);
    let mut lines = String::new();
    for layer in &part.fresh {
        let inputs: Option<Vec<_>> =
            layer.inputs.iter().map(|&end| Some((draft.element(net, end), draft.shape(net, end)?))).collect();
        let (Some(inputs), Some(_)) = (inputs, layer.shape.as_ref()) else {
            return Err(rejected(format!("the shape of the new layer {} is not known", layer.name)));
        };
        fresh_layer(&mut lines, space, layer, &inputs);
    }
    cuts.insert(last.span.end, lines);
    Ok(())
}

fn fresh_layer(lines: &mut String, space: &str, layer: &NewLayer, inputs: &[(Option<crate::Element>, SymbolicShape)]) {
    let deep = |levels: usize| if space.is_empty() { String::new() } else { format!("{space}{}", "\t".repeat(levels)) };
    let (name, kind) = (escaped(&layer.name), escaped(&layer.kind));
    _ = write!(lines, "{space}<layer id=\"{}\" name=\"{name}\" type=\"{kind}\" version=\"{}\">", layer.id, layer.opset);
    if !layer.settings.is_empty() {
        _ = write!(lines, "{}<data", deep(1));
        for (key, value) in &layer.settings {
            _ = write!(lines, " {key}=\"{}\"", escaped(value));
        }
        lines.push_str(" />");
    }
    let port = |id: usize, element: Option<&crate::Element>, names: Option<&str>, shape: &SymbolicShape| {
        let precision = element.map_or(String::new(), |element| format!(" precision=\"{}\"", precision(element)));
        let names = names.map_or(String::new(), |names| format!(" names=\"{}\"", escaped(names)));
        let dims = dim_lines(&deep(3), &extents(shape));
        let tail = if dims.is_empty() { " />".to_string() } else { format!(">{dims}{}</port>", deep(2)) };
        format!("{}<port id=\"{id}\"{precision}{names}{tail}", deep(2))
    };
    if !inputs.is_empty() {
        let ports: String =
            inputs.iter().enumerate().map(|(id, (element, shape))| port(id, element.as_ref(), None, shape)).collect();
        _ = write!(lines, "{}<input>{ports}{}</input>", deep(1), deep(1));
    }
    let shape = layer.shape.clone().unwrap_or_else(SymbolicShape::unknown_rank);
    let output = port(inputs.len(), layer.element.as_ref(), layer.names.as_deref(), &shape);
    _ = write!(lines, "{}<output>{output}{}</output>{space}</layer>", deep(1), deep(1));
}

/// Writes a text as the value of an attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\r' | '\t' => _ = write!(escaped, "&#{};", u32::from(letter)),
            letter => escaped.push(letter),
        }
    }
    escaped
}
