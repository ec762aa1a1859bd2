//! Reads a `.param` into the graph.

use std::collections::HashSet;

use broadaxe_frameworks::System;
use broadaxe_shape::symbolic::{Dim, SymbolicShape};

use super::{
    params::{int, parse},
    text::{Line, Text},
    weights,
};
use crate::{
    error::Error,
    graph::{Attribute, Constant, Model, Node, NodeId, ValueId},
    source::Source,
};

/// Reads a model and looks for its weights in the same folder.
///
/// # Errors
/// [`crate::ErrorKind::Format`] with the line, [`crate::ErrorKind::Limit`] for a text that is too long.
pub(super) fn read(source: &Source) -> Result<Model, Error> {
    let text = Text::read(source)?;
    let blobs = text.blobs()?;
    let mut model = Model::new("ncnn", System::Ncnn, source.clone());
    model.remarks = text.remarks(blobs.len());
    for line in &text.layers {
        let node = node(&text, line).map_err(|error| error.at(line.place()))?;
        let (inputs, outputs) = text.ends(&mut model, line, &blobs);
        for (id, shape) in outputs.iter().flatten().zip(hints(&node, line.outputs)) {
            model.values[id.0 as usize].declared = shape;
        }
        model.nodes.push(Node { inputs, outputs, ..node });
    }
    constants(&mut model)?;
    ends(&mut model);
    Ok(model)
}

/// Reads a line, except its blobs.
fn node(text: &Text, line: &Line) -> Result<Node, Error> {
    let mut attributes: Vec<(String, Attribute)> = Vec::with_capacity(line.rest().len());
    for word in line.rest() {
        let (number, value) = parse(&text.word(word))?;
        let name = number.to_string();
        if attributes.iter().any(|(known, _)| *known == name) {
            return Err(Error::format(format!(
                "parameter {name} is given twice; ncnn uses the last, so remove the other"
            )));
        }
        attributes.push((name, value));
    }
    Ok(Node {
        name: text.word(&line.words[1]),
        op: text.word(&line.words[0]),
        attributes,
        place: line.place(),
        number: line.number as u64,
        line: Some(line.number as u64),
        ..Node::default()
    })
}

/// Reads the shapes that a line records: those of all outputs in parameter 30, and an input's own.
fn hints(node: &Node, outputs: usize) -> Vec<Option<SymbolicShape>> {
    if let Some(hints) = node.attribute("30").and_then(Attribute::ints)
        && outputs > 0
        && hints.len().is_multiple_of(outputs)
    {
        return hints.chunks((hints.len() / outputs).max(1)).map(hint).collect();
    }
    if node.op != "Input" || outputs != 1 {
        return Vec::new();
    }
    let dims = extents(node);
    if dims.is_empty() {
        return Vec::new();
    }
    let dim = |&size: &i64| usize::try_from(size).ok().filter(|&size| size > 0).map_or_else(Dim::unknown, Dim::known);
    vec![Some(SymbolicShape::new(dims.iter().map(dim).collect::<Vec<_>>()))]
}

/// Reads a rank and w, h and c, or w, h, d and c.
fn hint(hint: &[i64]) -> Option<SymbolicShape> {
    let (rank, sizes) = hint.split_first()?;
    let dims: &[usize] = match (rank, sizes.len()) {
        (1, 3 | 4) => &[0],
        (2, 3 | 4) => &[1, 0],
        (3, 3) => &[2, 1, 0],
        (3, 4) => &[3, 1, 0],
        (4, 4) => &[3, 2, 1, 0],
        _ => return None,
    };
    let dims: Option<Vec<Dim>> =
        dims.iter().map(|&at| usize::try_from(sizes[at]).ok().filter(|&size| size > 0).map(Dim::known)).collect();
    dims.map(SymbolicShape::new)
}

/// Returns the extents in the parameters 0 (w), 1 (h), 11 (d) and 2 (c), row-major, of `Input` and `MemoryData`.
fn extents(node: &Node) -> Vec<i64> {
    let [w, h, d, c] = ["0", "1", "11", "2"].map(|number| int(node, number, 0));
    match (w, h, d, c) {
        (_, _, d, _) if d != 0 => vec![c, d, h, w],
        (_, _, _, c) if c != 0 => vec![c, h, w],
        (_, h, ..) if h != 0 => vec![h, w],
        (w, ..) if w != 0 => vec![w],
        _ => Vec::new(),
    }
}

/// Finds the constants and the places of their elements.
fn constants(model: &mut Model) -> Result<(), Error> {
    let mut weights = weights::Walk::open(model);
    for index in 0..model.nodes.len() {
        let node = &model.nodes[index];
        let found = if node.op == "MemoryData" {
            let shape = memory(node).map_err(|error| error.at(&node.place))?;
            let (element, data) = weights.constant(node);
            Some(Constant { element, shape, data })
        } else {
            weights.pass(node);
            // The outputs of a `Split` of a constant are that constant.
            let split = node.op == "Split";
            split.then(|| node.input(0)).flatten().and_then(|id| model.value(id).constant.clone())
        };
        let outputs: Vec<ValueId> = model.nodes[index].outputs.iter().flatten().copied().collect();
        if found.is_none() {
            continue;
        }
        for id in outputs {
            let value = &mut model.values[id.0 as usize];
            value.constant.clone_from(&found);
            value.element = found.as_ref().map(|constant| constant.element.clone());
        }
    }
    model.remarks.extend(weights.remark());
    Ok(())
}

/// Returns the shape of a `MemoryData`.
fn memory(node: &Node) -> Result<Vec<usize>, Error> {
    let dims = extents(node);
    let shape: Option<Vec<usize>> = dims.iter().map(|&size| usize::try_from(size).ok().filter(|&s| s > 0)).collect();
    let count = |shape: &Vec<usize>| {
        let count = shape.iter().try_fold(4usize, |count, &size| count.checked_mul(size));
        count.is_some_and(|count| isize::try_from(count).is_ok())
    };
    match shape.filter(count) {
        // Without any extent it is one number.
        Some(shape) if shape.is_empty() => Ok(vec![1]),
        Some(shape) => Ok(shape),
        None => {
            let message =
                format!("MemoryData {} has the extents {dims:?}; they are 1 or more, and can be counted", node.name);
            Err(Error::format(message))
        }
    }
}

/// Lists the inputs and outputs of the graph, and its nodes.
fn ends(model: &mut Model) {
    let read: HashSet<ValueId> = model.nodes.iter().flat_map(|node| node.inputs.iter().flatten().copied()).collect();
    let inputs = model.nodes.iter().filter(|node| node.op == "Input");
    let inputs = inputs.flat_map(|node| node.outputs.iter().flatten().copied()).collect();
    let ids = (0..model.values.len()).map(|id| ValueId(id as u32));
    let outputs = ids.filter(|id| !read.contains(id)).collect();
    let graph = &mut model.graphs[0];
    (graph.inputs, graph.outputs) = (inputs, outputs);
    graph.nodes = (0..model.nodes.len()).map(|node| NodeId(node as u32)).collect();
}
