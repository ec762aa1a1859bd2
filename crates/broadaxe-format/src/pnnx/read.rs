//! Reads a `.pnnx.param` into the graph.

use std::{collections::HashMap, ops::Range};

use broadaxe_frameworks::System;
use broadaxe_op::DType;
use broadaxe_shape::{
    MAX_RANK,
    symbolic::{Dim, SymbolicShape},
};

use super::{
    super::ncnn::text::{Line, Text},
    store,
};
use crate::{
    error::Error,
    graph::{Attribute, Constant, Data, Element, Model, Node, NodeId, ValueId},
    source::Source,
};

/// The limit of parameters of a layer.
const PARAMETERS: usize = 1024;

/// Types with other names than in Broadaxe.
const TYPES: [(&str, Element); 1] = [("bool", Element::Known(DType::Bool))];
/// Types without arithmetic, and their bits.
const OTHERS: [(&str, u32); 3] = [("c32", 32), ("c64", 64), ("c128", 128)];

/// Reads a model and looks for its archive in the same folder.
///
/// # Errors
/// [`crate::ErrorKind::Format`] with the line, [`crate::ErrorKind::Limit`] for a text that is too long.
pub(super) fn read(source: &Source) -> Result<Model, Error> {
    let text = Text::read(source)?;
    let blobs = text.blobs()?;
    let mut model = Model::new("pnnx", System::Pnnx, source.clone());
    model.remarks = text.remarks(blobs.len());
    let store = Store::open(&mut model)?;
    for line in &text.layers {
        let (inputs, outputs) = text.ends(&mut model, line, &blobs);
        let mut node = Node {
            name: text.word(&line.words[1]),
            op: text.word(&line.words[0]),
            inputs,
            outputs,
            place: line.place(),
            number: line.number as u64,
            line: Some(line.number as u64),
            ..Node::default()
        };
        words(&mut model, &mut node, &text, line, &store).map_err(|error| error.at(line.place()))?;
        constant(&mut model, &node);
        model.nodes.push(node);
    }
    ends(&mut model);
    Ok(model)
}

/// Reads the words after the names.
fn words(model: &mut Model, node: &mut Node, text: &Text, line: &Line, store: &Store) -> Result<(), Error> {
    let blobs: HashMap<String, ValueId> =
        (node.inputs.iter().chain(&node.outputs).flatten()).map(|&id| (model.value(id).name.clone(), id)).collect();
    for word in line.rest() {
        let word = text.word(word);
        let (key, value) = word.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(|| {
            let start: String = word.chars().take(40).collect();
            Error::format(format!("'{start}' is not a parameter; write key=value"))
        })?;
        if let Some(name) = key.strip_prefix('#') {
            let id = blobs.get(name).copied();
            let id = id
                .ok_or_else(|| Error::format(format!("#{name} is the shape of a blob that the layer does not have")))?;
            recorded(model, &node.place, id, value)?;
            continue;
        }
        if node.attributes.len() == PARAMETERS {
            let message = format!("more than {PARAMETERS} parameters of one layer");
            return Err(Error::new(crate::ErrorKind::Limit, message));
        }
        if node.attributes.iter().any(|(known, _)| known == key) {
            return Err(Error::format(format!("parameter {key} is given twice")));
        }
        let attribute = match key.as_bytes()[0] {
            b'@' => Attribute::Tensor(store.tensor(&node.name, &key[1..], value)?),
            b'$' => Attribute::Text(value.to_owned()),
            _ => parameter(value),
        };
        node.attributes.push((key.to_owned(), attribute));
    }
    Ok(())
}

/// Reads the shape that a line records for one of its blobs.
fn recorded(model: &mut Model, place: &str, id: ValueId, value: &str) -> Result<(), Error> {
    let (dims, element) = typed(value)?;
    let shape = SymbolicShape::new(dims);
    let value = &mut model.values[id.0 as usize];
    if let Some(known) = value.declared.as_ref().filter(|known| **known != shape) {
        let remark = format!("{place}: {} has the shape {shape}, but {known} before", value.name);
        model.remarks.push(remark);
        return Ok(());
    }
    value.declared = Some(shape);
    value.element = value.element.take().or(element);
    Ok(())
}

/// Reads `(1,3,?,%n)f32`.
fn typed(text: &str) -> Result<(Vec<Dim>, Option<Element>), Error> {
    let wrong = || {
        let start: String = text.chars().take(40).collect();
        Error::format(format!("'{start}' is not a shape; write (1,3,?,5)f32"))
    };
    let (list, name) = text.strip_prefix('(').and_then(|text| text.rsplit_once(')')).ok_or_else(wrong)?;
    let dim = |text: &str| match text.strip_prefix('%') {
        Some(name) if !name.is_empty() => Ok(Dim::named(name)),
        Some(_) => Err(wrong()),
        None if text == "?" => Ok(Dim::unknown()),
        None => {
            let size = text.parse::<usize>().ok().filter(|&size| i32::try_from(size).is_ok());
            size.map(Dim::known).ok_or_else(wrong)
        }
    };
    let dims: Vec<Dim> = if list.is_empty() { vec![] } else { list.split(',').map(dim).collect::<Result<_, _>>()? };
    if dims.len() > MAX_RANK {
        return Err(Error::format(format!("a shape of rank {}; the limit is {MAX_RANK}", dims.len())));
    }
    let known = DType::ALL.into_iter().find(|dtype| dtype.name() == name).map(Element::Known);
    let known = known.or_else(|| TYPES.into_iter().find(|(known, _)| *known == name).map(|(_, element)| element));
    let other = OTHERS.iter().find(|(known, _)| *known == name);
    Ok((dims, known.or_else(|| other.map(|(name, bits)| Element::Other((*name).to_owned(), *bits)))))
}

/// Reads a parameter: a number, a list, or a text.
fn parameter(value: &str) -> Attribute {
    let list = |close| value.get(1..).and_then(|value| value.strip_suffix(close));
    let list = if value.starts_with('(') { list(')') } else { value.strip_prefix('[').and_then(|_| list(']')) };
    let Some(list) = list else {
        return number(value).unwrap_or_else(|| Attribute::Text(value.to_owned()));
    };
    let words: Vec<&str> = if list.is_empty() { vec![] } else { list.split(',').collect() };
    let numbers: Option<Vec<Attribute>> = words.iter().map(|word| number(word)).collect();
    let Some(numbers) = numbers else {
        return Attribute::Texts(words.into_iter().map(str::to_owned).collect());
    };
    let ints: Option<Vec<i64>> = numbers.iter().map(Attribute::int).collect();
    ints.map_or_else(|| Attribute::Floats(numbers.iter().filter_map(Attribute::float).collect()), Attribute::Ints)
}

/// Reads a number; texts such as `inf` or `e` are not numbers.
fn number(text: &str) -> Option<Attribute> {
    let first = text.strip_prefix('-').unwrap_or(text).bytes().next()?;
    if !first.is_ascii_digit() {
        return None;
    }
    text.parse().map(Attribute::Int).ok().or_else(|| text.parse().map(Attribute::Float).ok())
}

/// Marks the output of a `pnnx.Attribute` as a constant.
fn constant(model: &mut Model, node: &Node) {
    if node.op != "pnnx.Attribute" {
        return;
    }
    let held = node.attributes.iter().find_map(|(_, value)| match value {
        Attribute::Tensor(constant) => Some(constant),
        _ => None,
    });
    if let (Some(constant), Some(id)) = (held, node.output(0)) {
        let value = &mut model.values[id.0 as usize];
        value.element = Some(constant.element.clone());
        value.constant = Some(constant.clone());
    }
}

fn ends(model: &mut Model) {
    let named = |op: &'static str| model.nodes.iter().filter(move |node| node.op == op);
    let inputs = named("pnnx.Input").flat_map(|node| node.outputs.iter().flatten().copied()).collect();
    let outputs = named("pnnx.Output").flat_map(|node| node.inputs.iter().flatten().copied()).collect();
    let graph = &mut model.graphs[0];
    (graph.inputs, graph.outputs) = (inputs, outputs);
    graph.nodes = (0..model.nodes.len()).map(|node| NodeId(node as u32)).collect();
}

/// The members of the archive, or why there are none.
struct Store {
    members: Result<HashMap<String, Range<u64>>, String>,
}

impl Store {
    /// Opens the archive of the model.
    fn open(model: &mut Model) -> Result<Self, Error> {
        let file = model.source.open_weights("bin").unwrap_or_else(|error| Err(error.to_string()));
        let members = file.as_ref().map_err(Clone::clone).map(store::members);
        let members = members.map_or_else(|why| Ok(Err(why)), |members| members.map(Ok))?;
        model.weights = file.ok();
        Ok(Self { members })
    }

    /// Reads the type of a tensor, and finds its numbers.
    fn tensor(&self, layer: &str, key: &str, value: &str) -> Result<Constant, Error> {
        let (dims, element) = typed(value)?;
        let element = element.unwrap_or_else(|| Element::Other(value.rsplit(')').next().unwrap_or("").to_owned(), 0));
        let shape: Option<Vec<usize>> = dims.iter().map(Dim::size).collect();
        let shape = shape.ok_or_else(|| Error::format(format!("@{key} has an extent that is not known")))?;
        let bits = element.bits() as usize;
        let bytes = shape.iter().try_fold(bits.div_ceil(8), |bytes, &size| bytes.checked_mul(size));
        let bytes = bytes.filter(|&bytes| isize::try_from(bytes).is_ok());
        let bytes = bytes.ok_or_else(|| Error::format(format!("@{key} has more bytes than can be counted")))?;
        let data = match &self.members {
            Err(why) => Data::Absent(why.clone()),
            Ok(members) => match members.get(&format!("{layer}.{key}")) {
                Some(span) if span.end - span.start == bytes as u64 => Data::Span { at: span.start, len: bytes as u64 },
                Some(span) => {
                    let have = span.end - span.start;
                    return Err(Error::format(format!(
                        "@{key} has {bytes} bytes, but {have} are in the file of weights"
                    )));
                }
                None => Data::Absent(format!("{layer}.{key} is not in the file of weights")),
            },
        };
        Ok(Constant { element, shape, data })
    }
}
