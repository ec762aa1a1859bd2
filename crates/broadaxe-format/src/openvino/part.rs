//! Writes some layers of an IR as an IR of their own: see [`crate::part`].
//!
//! Layers keep the words of the file. What flows in becomes a `Parameter` and what flows out a `Result`, both with the name of the
//! value; where a value is cut, the layer that makes it gets another name. The file of weights stays the same.

use std::{collections::BTreeMap, fmt::Write};

use super::{
    XML_LIMITS, build,
    element::{precision, type_name},
    net::{self, Layer, Net, Port},
    order::links,
    render::escaped,
};
use crate::{
    edit::rejected,
    error::Error,
    graph::Model,
    onnx::part::{Part, PartInput},
    result_shape::same,
};

/// Writes a part of a model.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] where the model is another one than its file, or the part reads what it is not given.
pub(crate) fn write(model: &Model, part: &Part) -> Result<Vec<u8>, Error> {
    let text = model.source.text(XML_LIMITS.bytes)?;
    let nets = net::nets(&text)?;
    let (again, places) = build::build(&model.source, &nets)?;
    same(model, &again)?;
    let net = nets.first().ok_or_else(|| rejected("the file has no net"))?;
    let mut ids = net.layers.iter().map(|layer| layer.id).max().unwrap_or(0);
    let in_part = |index: usize| part.nodes.iter().any(|node| places.nodes.get(node.0 as usize) == Some(&(0, index)));
    let mut kept: Vec<bool> = (0..net.layers.len()).map(in_part).collect();
    let inputs: PartInputs<'_> = part
        .inputs
        .iter()
        .filter_map(|input| match places.values.get(input.value.0 as usize) {
            Some(&(0, layer, output)) => Some(((layer, output), (next(&mut ids), input))),
            _ => None,
        })
        .collect();
    let mut edges = inner_edges(net, &inputs, &mut kept)?;
    let mut layers = String::new();
    for (input, given) in inputs.values() {
        parameter(&mut layers, *input, &model.value(given.value).name, given);
    }
    for (index, layer) in net.layers.iter().enumerate().filter(|(index, _)| kept[*index]) {
        let is_cut = (0..layer.outputs.len()).any(|output| inputs.contains_key(&(index, output)));
        layers += &if is_cut { unnamed(&text, layer) } else { text[layer.span.clone()].to_owned() };
    }
    for &value in &part.outputs {
        let made = places.values.get(value.0 as usize).filter(|(net, layer, _)| *net == 0 && kept[*layer]);
        let &(_, layer, output) = made.ok_or_else(|| rejected("an output that no layer of the part makes"))?;
        let (result, port) = (next(&mut ids), &net.layers[layer].outputs[output]);
        output_layer(&mut layers, result, &part.output_name(model, value), port);
        edge(&mut edges, (net.layers[layer].id, port.id), (result, 0));
    }
    let version = if text.contains("version=\"10\"") { 10 } else { 11 };
    let whole = format!(
        "<?xml version=\"1.0\"?><net name=\"part\" version=\"{version}\"><layers>{layers}</layers><edges>{edges}</edges></net>"
    );
    Ok(whole.into_bytes())
}

/// The outputs of layers, by layer and output, that are read from an input of the part, each with the number of its `Parameter`.
type PartInputs<'a> = BTreeMap<(usize, usize), (u64, &'a PartInput)>;

/// Returns a number that no layer has, given the greatest so far.
fn next(greatest: &mut u64) -> u64 {
    *greatest = greatest.saturating_add(1);
    *greatest
}

/// Writes the edges to the layers that are kept, and keeps the constants that these read.
fn inner_edges(net: &Net, inputs: &PartInputs<'_>, kept: &mut [bool]) -> Result<String, Error> {
    let mut edges = String::new();
    let sources = links(net)?.sources;
    let nodes: Vec<usize> = (0..kept.len()).filter(|&index| kept[index]).collect();
    for index in nodes {
        let layer = &net.layers[index];
        for (to, &(from, output, _)) in sources[index].iter().enumerate() {
            let made = &net.layers[from];
            let source = match inputs.get(&(from, output)) {
                Some(&(input, _)) => (input, 0),
                None if kept[from] || made.kind == "Const" => {
                    kept[from] = true;
                    (made.id, made.outputs[output].id)
                }
                None => return Err(rejected(format!("{} reads what the part is not given", layer.place()))),
            };
            edge(&mut edges, source, (layer.id, layer.inputs[to].id));
        }
    }
    Ok(edges)
}

fn edge(edges: &mut String, from: (u64, u64), to: (u64, u64)) {
    _ = write!(
        edges,
        "<edge from-layer=\"{}\" from-port=\"{}\" to-layer=\"{}\" to-port=\"{}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn parameter(layers: &mut String, id: u64, name: &str, input: &PartInput) {
    let size = |size: &Option<usize>| size.map_or_else(|| "?".to_owned(), |size| size.to_string());
    let shape: Vec<String> = input.shape.iter().map(size).collect();
    let dim = |size: &Option<usize>| format!("<dim>{}</dim>", size.map_or(-1, |size| size as i64));
    let dims: String = input.shape.iter().map(dim).collect();
    _ = write!(
        layers,
        "<layer id=\"{id}\" name=\"{name}\" type=\"Parameter\" version=\"opset1\"><data shape=\"{}\" element_type=\"{}\"/>\
         <output><port id=\"0\" precision=\"{}\" names=\"{name}\">{dims}</port></output></layer>",
        shape.join(","),
        type_name(&input.element),
        precision(&input.element),
        name = escaped(name),
    );
}

fn output_layer(layers: &mut String, id: u64, name: &str, from: &Port) {
    let kind = from.precision.as_deref().unwrap_or("FP32");
    _ = write!(
        layers,
        "<layer id=\"{id}\" name=\"{}\" type=\"Result\" version=\"opset1\"><input><port id=\"0\" precision=\"{}\"/></input></layer>",
        escaped(name),
        escaped(kind)
    );
}

/// Returns the words of a layer whose values are cut: its own name and those of its tensors go to what is fed.
fn unnamed(text: &str, layer: &Layer) -> String {
    let mut cuts: Vec<(std::ops::Range<usize>, String)> =
        layer.outputs.iter().filter_map(|port| port.names_span.clone()).map(|span| (span, String::new())).collect();
    cuts.extend(layer.name_span.clone().map(|span| (span, format!("{}/cut", escaped(&layer.name)))));
    cuts.sort_by_key(|(span, _)| span.start);
    let (mut words, mut at) = (String::new(), layer.span.start);
    for (span, with) in cuts {
        words += &text[at..span.start];
        words += &with;
        at = span.end;
    }
    words + &text[at..layer.span.end]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{open, part::Part, read, source::Source};

    #[test]
    fn every_node_alone() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
        for name in ["openvino_small.xml", "openvino_bodies.xml"] {
            let model = open(&folder.join(name)).unwrap();
            let mut part = Part { nodes: model.main().nodes.iter().copied().collect(), ..Part::default() };
            for &id in &model.main().nodes {
                part.outputs.extend(model.node(id).outputs.iter().flatten());
            }
            let given = model.main().inputs.iter().chain(&part.outputs);
            let input = |&value| crate::part::PartInput {
                value,
                element: model.value(value).element.clone().unwrap(),
                shape: vec![None, Some(3)],
            };
            part.inputs = given.map(input).collect();
            let file = super::write(&model, &part).unwrap();
            let again = read(&Source::memory(file, None)).unwrap();
            assert_eq!(again.main().nodes.len(), model.main().nodes.len(), "{name}");
            assert_eq!(again.main().inputs.len(), part.inputs.len(), "{name}");
            assert_eq!(again.main().outputs.len(), part.outputs.len(), "{name}");
            for &id in &again.main().nodes {
                let computed = |value: &&crate::ValueId| again.value(**value).producer.is_some();
                assert_eq!(again.node(id).inputs.iter().flatten().filter(computed).count(), 0, "{name}");
            }
        }
    }
}
