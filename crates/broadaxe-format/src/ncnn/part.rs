//! Writes some layers of a model as a model of their own: see [`crate::part`].
//!
//! Layers keep their words, and the weights of each come along. What flows in becomes an `Input` with the name of the blob; where a
//! blob is cut, the layer that makes it gives it another name.

use std::{collections::BTreeSet, fmt::Write};

use super::{
    params::{F32, int},
    text::{Line, Text},
    weights,
};
use crate::{
    edit::rejected,
    error::{Error, ErrorKind},
    graph::{Attribute, Constant, Data, Model, Node, NodeId, ValueId},
    onnx::part::Part,
};

/// Writes a part of a model: the text, and its weights.
///
/// # Errors
/// [`ErrorKind::Edit`] where the model is another one than its file, [`ErrorKind::File`] where its weights cannot be divided.
pub(crate) fn write(model: &Model, part: &Part) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let text = Text::read(&model.source)?;
    if text.layers.len() != model.nodes.len() {
        return Err(rejected("the file of the model changed since it was read; read it again"));
    }
    let kept = with_constants(model, part);
    let layers = weights::layers(model).map_err(|why| Error::new(ErrorKind::File, why))?;
    let (mut lines, mut blobs, mut numbers) = (String::new(), part.inputs.len(), Vec::new());
    for input in &part.inputs {
        let name = &model.value(input.value).name;
        _ = writeln!(lines, "Input {name} 0 1 {name}");
    }
    for &id in &kept {
        let (line, place) = (&text.layers[id.0 as usize], &layers[id.0 as usize].span);
        blobs += line.outputs;
        lines += &layer(model, part, (&text, line), id);
        if let (Some(file), false) = (&model.weights, place.is_empty()) {
            numbers.extend(file.read(place.start, (place.end - place.start) as usize)?);
        }
    }
    let count = part.inputs.len() + kept.len();
    let text = format!("7767517\n{count} {blobs}\n{lines}");
    Ok((text.into_bytes(), numbers))
}

/// Lists the layers of a part, and those that hold the constants that they read.
fn with_constants(model: &Model, part: &Part) -> BTreeSet<NodeId> {
    let given = |id: ValueId| part.inputs.iter().any(|input| input.value == id);
    let mut kept = part.nodes.clone();
    let mut stack: Vec<NodeId> = kept.iter().copied().collect();
    while let Some(id) = stack.pop() {
        for &read in model.node(id).inputs.iter().flatten() {
            let value = model.value(read);
            let maker = value.producer.filter(|_| value.constant.is_some() && !given(read));
            stack.extend(maker.map(|(maker, _)| maker).filter(|&maker| kept.insert(maker)));
        }
    }
    kept
}

/// Writes the line of a layer.
fn layer(model: &Model, part: &Part, (text, line): (&Text, &Line), id: NodeId) -> String {
    let node = model.node(id);
    let inputs = node.inputs.iter().flatten().map(|&id| model.value(id).name.clone());
    let outputs = node.outputs.iter().flatten().map(|&id| part.output_name(model, id));
    let head = format!("{} {} {} {}", node.op, node.name, line.inputs, line.outputs);
    let words = inputs.chain(outputs).chain(line.rest().iter().map(|word| text.word(word)));
    words.fold(head, |line, word| line + " " + &word) + "\n"
}

/// Lists the arrays that each layer holds, and the number that it computes with in place of a second input.
///
/// # Errors
/// As [`crate::part::held`].
pub(crate) fn held(model: &Model) -> Result<Vec<Vec<Constant>>, Error> {
    let layers = weights::layers(model).map_err(|why| Error::new(ErrorKind::File, why))?;
    let constant = |(element, data): (crate::Element, Data)| {
        let bits = u64::from(element.bits());
        let count = match &data {
            Data::Span { len, .. } if bits > 0 => (len * 8 / bits) as usize,
            _ => 0,
        };
        Constant { element, shape: vec![count], data }
    };
    let arrays = layers.into_iter().map(|layer| layer.arrays.into_iter().map(constant));
    Ok(arrays.zip(&model.nodes).map(|(arrays, node)| arrays.chain(scalar(node)).collect()).collect())
}

/// Returns the parameter that a layer reads in place of a second input.
fn scalar(node: &Node) -> Option<Constant> {
    let is_scalar = node.op == "BinaryOp" && int(node, "1", 0) != 0;
    let number = node.attribute("2").and_then(Attribute::float).unwrap_or(0.0) as f32;
    let data = Data::Held(number.to_le_bytes().as_slice().into());
    is_scalar.then_some(Constant { element: F32, shape: vec![1], data })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{onnx::part::PartInput, read, source::Source};

    /// A text of layers, and weights of four bytes a number.
    const TEXT: &str = "7767517\n6 7\nInput x 0 1 x 0=2 1=3\nSplit s 1 2 x a b\nPReLU p 1 1 a c 0=3\nMemoryData m 0 1 m 0=2\n\
                        BinaryOp sum 2 1 b m d 0=0\nBinaryOp y 2 1 c d y 0=2\n";

    fn model() -> Model {
        let weights = (1..6).flat_map(|k| (k as f32).to_le_bytes()).collect::<Vec<u8>>();
        read(&Source::memory(TEXT.as_bytes(), None).with_weights(Source::memory(weights, None))).unwrap()
    }

    fn id(model: &Model, name: &str) -> ValueId {
        ValueId(model.values.iter().position(|value| value.name == name).unwrap() as u32)
    }

    /// Writes the layers of these numbers, given and asked for these blobs.
    fn part(nodes: &[u32], inputs: &[&str], outputs: &[&str]) -> (String, Vec<f32>) {
        let model = model();
        let input = |name: &&str| PartInput { value: id(&model, name), element: F32, shape: vec![] };
        let part = Part {
            nodes: nodes.iter().map(|&node| NodeId(node)).collect(),
            inputs: inputs.iter().map(input).collect(),
            outputs: outputs.iter().map(|name| id(&model, name)).collect(),
            zeros: BTreeSet::new(),
        };
        let (text, numbers) = write(&model, &part).unwrap();
        let text = String::from_utf8(text).unwrap();
        read(&Source::memory(text.clone().into_bytes(), None)).unwrap();
        let numbers = numbers.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
        (text.trim_start_matches("7767517\n").replace('\n', "; "), numbers)
    }

    #[test]
    fn layers_with_their_weights() {
        type Case<'a> = (&'a [u32], &'a [&'a str], &'a [&'a str], &'a str, &'a [f32]);
        let cases: [Case; 3] = [
            (&[2], &["a"], &["c"], "2 2; Input a 0 1 a; PReLU p 1 1 a c 0=3; ", &[1.0, 2.0, 3.0]),
            // A constant comes along, with its numbers.
            (
                &[4],
                &["b"],
                &["d"],
                "3 3; Input b 0 1 b; MemoryData m 0 1 m 0=2; BinaryOp sum 2 1 b m d 0=0; ",
                &[4.0, 5.0],
            ),
            // A blob that is cut.
            (
                &[2, 5],
                &["a", "c", "d"],
                &["c", "y"],
                "5 5; Input a 0 1 a; Input c 0 1 c; Input d 0 1 d; PReLU p 1 1 a c_made 0=3; BinaryOp y 2 1 c d y 0=2; ",
                &[1.0, 2.0, 3.0],
            ),
        ];
        for (nodes, inputs, outputs, text, numbers) in cases {
            assert_eq!(part(nodes, inputs, outputs), (text.to_owned(), numbers.to_vec()));
        }
    }

    #[test]
    fn numbers_in_place_of_an_input() {
        let text = "7767517\n3 3\nInput x 0 1 x\nBinaryOp y 1 1 x y 0=2 1=1 2=1.5\nBinaryOp z 1 1 y z 0=2 1=1 2=3\n";
        let model = read(&Source::memory(text.as_bytes(), None)).unwrap();
        let elements = |constant: &Constant| model.elements(constant, 4).unwrap().unwrap();
        let held: Vec<Vec<u8>> = held(&model).unwrap().iter().flatten().map(elements).collect();
        assert_eq!(held, [1.5_f32.to_le_bytes(), 3.0_f32.to_le_bytes()]);
    }

    #[test]
    fn weights_that_cannot_be_divided() {
        let text = TEXT.replace("PReLU", "Unheard");
        let model = read(&Source::memory(text.into_bytes(), None).with_weights(Source::memory([0; 20], None))).unwrap();
        let why = "the size of the weights of Unheard p is not known";
        assert_eq!(write(&model, &Part::default()).unwrap_err().message(), why);
        assert_eq!(held(&model).unwrap_err().message(), why);
    }
}
