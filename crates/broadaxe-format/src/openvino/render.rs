//! A draft as text: words of the XML are cut out and others put in, everything else stays.

use std::{fmt::Write, ops::Range};

use broadaxe_shape::symbolic::{Dim, SymbolicShape};

use super::{
    draft::{Draft, End, Fresh, Part},
    element::precision,
    net::{Layer, Net, Port},
};
use crate::{
    edit::{Piece, refused},
    error::Error,
};

/// Words that take the place of others.
struct Cut {
    span: Range<usize>,
    with: String,
}

/// Writes the changed XML, in pieces.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] where two changes are about the same words.
pub(super) fn render(text: &str, draft: &Draft<'_>) -> Result<Vec<Piece>, Error> {
    let mut cuts = Vec::new();
    for (net, part) in draft.nets.iter().zip(&draft.parts) {
        layers(text, net, part, &mut cuts);
        edges(text, net, part, &mut cuts)?;
    }
    for (net, index) in (0..draft.nets.len()).zip(0..) {
        fresh(text, draft, net, &draft.nets[index], &mut cuts)?;
    }
    cuts.sort_by_key(|cut| (cut.span.start, cut.span.end));
    let mut pieces = Vec::new();
    let mut at = 0;
    for cut in cuts {
        if cut.span.start < at {
            return Err(refused("two changes are about the same words of the model; make them one after the other"));
        }
        if cut.span.start > at {
            pieces.push(Piece::Kept { at: at as u64, len: (cut.span.start - at) as u64 });
        }
        at = cut.span.end;
        if !cut.with.is_empty() {
            pieces.push(Piece::New(cut.with.into_bytes()));
        }
    }
    if at < text.len() {
        pieces.push(Piece::Kept { at: at as u64, len: (text.len() - at) as u64 });
    }
    Ok(pieces)
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

fn layers(text: &str, net: &Net, part: &Part, cuts: &mut Vec<Cut>) {
    for (index, layer) in net.layers.iter().enumerate() {
        if part.replaced.contains_key(&index) {
            cuts.push(Cut { span: with_space(text, &layer.span), with: String::new() });
            continue;
        }
        if let Some(kind) = part.kinds.get(&index) {
            cuts.push(Cut { span: layer.kind_span.clone(), with: escaped(kind) });
        }
        if let (Some(name), Some(span)) = (part.renamed.get(&index), &layer.name_span) {
            cuts.push(Cut { span: span.clone(), with: escaped(name) });
        }
        let settings = part.settings.range((index, String::new())..).take_while(|((owner, _), _)| *owner == index);
        let mut fresh = String::new();
        for ((_, key), value) in settings {
            match (layer.settings.iter().find(|setting| setting.key == *key), value) {
                (Some(old), Some(value)) => cuts.push(Cut { span: old.value_span.clone(), with: escaped(value) }),
                (Some(old), None) => cuts.push(Cut { span: with_space(text, &old.span), with: String::new() }),
                (None, Some(value)) => _ = write!(fresh, " {key}=\"{}\"", escaped(value)),
                (None, None) => {}
            }
        }
        if !fresh.is_empty() {
            cuts.push(setting(text, layer, &fresh));
        }
        for (output, ports) in [(false, &layer.inputs), (true, &layer.outputs)] {
            for (k, port) in ports.iter().enumerate() {
                if let Some(shape) = part.shapes.get(&(index, output, k)) {
                    cuts.extend(dims(text, port, shape));
                }
                if let Some(span) = port.names_span.as_ref().filter(|_| output && part.unnamed.contains(&(index, k))) {
                    cuts.push(Cut { span: with_space(text, span), with: String::new() });
                }
            }
        }
    }
}

/// Puts further settings into `data`, or a new `data` into the layer.
fn setting(text: &str, layer: &Layer, settings: &str) -> Cut {
    if let Some(end) = layer.settings_end {
        return Cut { span: end..end, with: settings.to_string() };
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
    Cut { span: at..at, with: format!("{space}<data{settings} />") }
}

fn extents(shape: &SymbolicShape) -> Vec<i64> {
    let extent = |dim: &Dim| dim.size().and_then(|size| i64::try_from(size).ok()).unwrap_or(-1);
    shape.dims().unwrap_or_default().iter().map(extent).collect()
}

fn dim_lines(space: &str, dims: &[i64]) -> String {
    dims.iter().fold(String::new(), |lines, dim| lines + space + "<dim>" + &dim.to_string() + "</dim>")
}

/// Replaces the dims of a port, unless they are the same.
fn dims(text: &str, port: &Port, shape: &SymbolicShape) -> Option<Cut> {
    let new = extents(shape);
    if new == port.dims {
        return None;
    }
    let lines = |space: &str| dim_lines(space, &new);
    if let (Some(first), Some(last)) = (port.dims_spans.first(), port.dims_spans.last()) {
        let span = with_space(text, &(first.start..last.end));
        let space = &text[span.start..first.start];
        return Some(Cut { with: lines(space), span });
    }
    let whole = &text[port.span.clone()];
    let space = indent(text, port.span.start);
    let inner = if space.is_empty() { String::new() } else { format!("{space}\t") };
    let with = format!(">{}{space}</port>", lines(&inner));
    let tail = match whole.strip_suffix("/>") {
        Some(head) => head.trim_end().len(),
        None => whole.rfind("</").map_or(whole.len(), |close| whole[..close].trim_end().len() - 1),
    };
    Some(Cut { span: port.span.start + tail..port.span.end, with })
}

/// Returns the ids of layer and port of an end.
fn ids(net: &Net, part: &Part, end: End) -> (u64, u64) {
    match end {
        End::Old(layer, output) => match part.replaced.get(&layer) {
            Some(&fresh) => ids(net, part, End::New(fresh)),
            None => (net.layers[layer].id, net.layers[layer].outputs[output].id),
        },
        End::New(fresh) => (part.fresh[fresh].id, part.fresh[fresh].inputs.len() as u64),
    }
}

fn edges(text: &str, net: &Net, part: &Part, cuts: &mut Vec<Cut>) -> Result<(), Error> {
    for (layer, links) in part.links.iter().enumerate() {
        for (input, &(.., number)) in links.iter().enumerate() {
            let edge = &net.edges[number];
            if part.replaced.contains_key(&layer) {
                cuts.push(Cut { span: with_space(text, &edge.span), with: String::new() });
                continue;
            }
            let from = ids(net, part, part.sources[layer][input]);
            let words = [(edge.from.0, from.0, &edge.from_spans.0), (edge.from.1, from.1, &edge.from_spans.1)];
            let changed = words.into_iter().filter(|(old, new, _)| old != new);
            cuts.extend(changed.map(|(_, new, span)| Cut { span: span.clone(), with: new.to_string() }));
        }
    }
    let Some(last) = net.edges.last().filter(|_| !part.fresh.is_empty()) else {
        return if part.fresh.is_empty() { Ok(()) } else { Err(refused("a net without edges takes no new layers")) };
    };
    let space = indent(text, last.span.start);
    let mut lines = String::new();
    for (fresh, layer) in part.fresh.iter().enumerate() {
        for (port, &end) in layer.inputs.iter().enumerate() {
            let ((from_layer, from_port), (to, _)) = (ids(net, part, end), ids(net, part, End::New(fresh)));
            _ = write!(
                lines,
                "{space}<edge from-layer=\"{from_layer}\" from-port=\"{from_port}\" to-layer=\"{to}\" to-port=\"{port}\" />"
            );
        }
    }
    cuts.push(Cut { span: last.span.end..last.span.end, with: lines });
    Ok(())
}

/// Puts the new layers of a net after its last one.
fn fresh(text: &str, draft: &Draft<'_>, net: usize, layers: &Net, cuts: &mut Vec<Cut>) -> Result<(), Error> {
    let part = &draft.parts[net];
    let Some(last) = layers.layers.last().filter(|_| !part.fresh.is_empty()) else { return Ok(()) };
    let space = indent(text, last.span.start);
    let mut lines = String::new();
    for layer in &part.fresh {
        let inputs: Option<Vec<_>> =
            layer.inputs.iter().map(|&end| Some((draft.element(net, end), draft.shape(net, end)?))).collect();
        let (Some(inputs), Some(_)) = (inputs, layer.shape.as_ref()) else {
            return Err(refused(format!("the shape of the new layer {} is not known", layer.name)));
        };
        fresh_layer(&mut lines, space, layer, &inputs);
    }
    cuts.push(Cut { span: last.span.end..last.span.end, with: lines });
    Ok(())
}

fn fresh_layer(lines: &mut String, space: &str, layer: &Fresh, inputs: &[(Option<crate::Element>, SymbolicShape)]) {
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
fn escaped(text: &str) -> String {
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
