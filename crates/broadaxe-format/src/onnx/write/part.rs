//! Writes some nodes of an ONNX model as a model of their own.
//!
//! Nodes keep the bytes of the file, with their attributes, bodies and functions. Values keep their names, with one exception: where
//! an input of the part is also made by one of its nodes, the node's output gets another name, and nothing in the part connects the
//! two. So a graph can be cut at any value, and both sides still run.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    super::{
        super::wire::{
            Field, Reader, Span,
            splice::{bytes, bytes_field},
        },
        element, limits,
        schema::{
            GRAPH_INITIALIZER, GRAPH_INPUT, GRAPH_NAME, GRAPH_NODE, GRAPH_OUTPUT, GRAPH_PROTO, GRAPH_SPARSE,
            MODEL_FUNCTION, MODEL_GRAPH, MODEL_IR, MODEL_OPSET, MODEL_PROTO, NODE_OUTPUT, NODE_PROTO, SPARSE_PROTO,
            TENSOR_NAME, TENSOR_PROTO,
        },
    },
    encode,
    single::flat,
};
use crate::{
    edit::rejected,
    error::Error,
    graph::{Data, Element, GraphId, Model, NodeId, ValueId},
};

/// The most bytes of a field that is copied.
const MAX_FIELD_BYTES: u64 = limits::FILE;
/// The most bytes of a constant that another file holds.
const MAX_CONSTANT_BYTES: usize = 1 << 31;

/// An input of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct PartInput {
    /// The value of the model that it gives.
    pub value: ValueId,
    /// The type of its elements.
    pub element: Element,
    /// Its sizes; an axis without one is open.
    pub shape: Vec<Option<usize>>,
}

/// Nodes of the main graph of a model, and what flows in and out.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The nodes; constants that are no nodes come along.
    pub nodes: BTreeSet<NodeId>,
    /// What flows in: every value that is read, and that neither a node of the part nor a constant gives; and values to cut at.
    pub inputs: Vec<PartInput>,
    /// What flows out: values that nodes of the part make.
    pub outputs: Vec<ValueId>,
    /// Constants without a node that are written with zeros.
    pub zeros: BTreeSet<ValueId>,
}

impl Part {
    /// Returns the name of an output in the part.
    pub fn output_name(&self, model: &Model, value: ValueId) -> String {
        let name = &model.value(value).name;
        if self.is_cut(model, value) { made_name(model, name) } else { name.clone() }
    }

    /// Says whether a value is an input that a node of the part makes too.
    fn is_cut(&self, model: &Model, value: ValueId) -> bool {
        let made = model.value(value).producer.is_some_and(|(node, _)| self.nodes.contains(&node));
        made && self.inputs.iter().any(|input| input.value == value)
    }
}

/// Makes the name of what a node gives where the value is cut; no value of the model has it.
fn made_name(model: &Model, name: &str) -> String {
    let mut made = format!("{name}_made");
    while model.values.iter().any(|value| value.name == made) {
        made.push('_');
    }
    made
}

/// Writes a part of an ONNX model.
///
/// # Errors
/// As [`crate::part::write`].
pub(crate) fn write(model: &Model, part: &Part) -> Result<Vec<u8>, Error> {
    let reader = Reader::new(&model.source);
    let mut whole = Vec::new();
    let mut graph = None;
    for field in reader.fields(reader.whole(), &MODEL_PROTO) {
        let field = field?;
        match field.number {
            MODEL_GRAPH => graph = Some(field),
            MODEL_IR | MODEL_OPSET | MODEL_FUNCTION => whole.extend(copied(&reader, field.whole())?),
            _ => {}
        }
    }
    let graph = graph.ok_or_else(|| rejected("the file has no graph".to_owned()))?;
    let message = PartWriter { model, part, reader: &reader }.graph(graph.span()?)?;
    bytes(&mut whole, MODEL_GRAPH, &message);
    Ok(whole)
}

/// Reads the bytes of a span.
fn copied(reader: &Reader, span: Span) -> Result<Vec<u8>, Error> {
    reader.bytes(span, MAX_FIELD_BYTES)
}

struct PartWriter<'a> {
    model: &'a Model,
    part: &'a Part,
    reader: &'a Reader<'a>,
}

impl PartWriter<'_> {
    fn graph(&self, span: Span) -> Result<Vec<u8>, Error> {
        let mut message = bytes_field(GRAPH_NAME, b"part");
        let renamed = self.renamed();
        let constants = self.constants();
        let mut nodes = self.model.main().nodes.iter();
        for field in self.reader.fields(span, &GRAPH_PROTO) {
            let field = field?;
            match field.number {
                GRAPH_NODE => {
                    let is_in = nodes.next().is_some_and(|node| self.part.nodes.contains(node));
                    if is_in {
                        bytes(&mut message, GRAPH_NODE, &self.node(&field, &renamed)?);
                    }
                }
                GRAPH_INITIALIZER | GRAPH_SPARSE => self.constant(&field, &constants, &mut message)?,
                _ => {}
            }
        }
        for input in &self.part.inputs {
            let name = &self.model.value(input.value).name;
            let code = element::code(&input.element).ok_or_else(|| {
                rejected(format!("{name} has elements of {}, which ONNX does not support", input.element))
            })?;
            let shape = encode::shape_field(input.shape.iter().copied());
            bytes(&mut message, GRAPH_INPUT, &encode::typed(name, code, Some(shape)));
        }
        for &output in &self.part.outputs {
            let name = self.part.output_name(self.model, output);
            let code = self.model.value(output).element.as_ref().and_then(element::code);
            // Runtimes find out the types of outputs that the file does not say.
            let info = code.map_or_else(|| bytes_field(1, name.as_bytes()), |code| encode::typed(&name, code, None));
            bytes(&mut message, GRAPH_OUTPUT, &info);
        }
        Ok(message)
    }

    /// Maps the names of outputs that are cut to their names in the part.
    fn renamed(&self) -> HashMap<&str, String> {
        let cut = self.part.inputs.iter().map(|input| input.value).filter(|&value| self.part.is_cut(self.model, value));
        let names = cut.map(|value| self.model.value(value).name.as_str());
        names.map(|name| (name, made_name(self.model, name))).collect()
    }

    /// Lists the constants without a node that the part reads, by their names.
    fn constants(&self) -> BTreeMap<&str, ValueId> {
        let mut found = BTreeMap::new();
        let mut nodes: Vec<NodeId> = self.part.nodes.iter().copied().collect();
        while let Some(id) = nodes.pop() {
            let node = self.model.node(id);
            nodes.extend(node.bodies.iter().flat_map(|&body| &self.model.graph(body).nodes));
            let outputs = node.bodies.iter().flat_map(|&body| self.model.graph(body).outputs.iter().copied());
            for value in node.inputs.iter().flatten().copied().chain(outputs) {
                let known = self.model.value(value);
                if known.constant.is_some() && known.producer.is_none() && known.graph == GraphId(0) {
                    found.insert(known.name.as_str(), value);
                }
            }
        }
        found
    }

    /// Copies a node; outputs that are cut get other names.
    fn node(&self, field: &Field, renamed: &HashMap<&str, String>) -> Result<Vec<u8>, Error> {
        let span = field.span()?;
        let mut message = Vec::with_capacity(span.len() as usize);
        for field in self.reader.fields(span, &NODE_PROTO) {
            let field = field?;
            let output = if field.number == NODE_OUTPUT { Some(self.reader.text(field.span()?)?) } else { None };
            match output.and_then(|name| renamed.get(name.as_str())) {
                Some(name) => bytes(&mut message, NODE_OUTPUT, name.as_bytes()),
                None => message.extend(copied(self.reader, field.whole())?),
            }
        }
        Ok(message)
    }

    /// Copies a constant that is read; the elements of one in another file come into this one.
    fn constant(&self, field: &Field, wanted: &BTreeMap<&str, ValueId>, message: &mut Vec<u8>) -> Result<(), Error> {
        let name = self.name(field)?;
        let Some(&id) = wanted.get(name.as_str()) else { return Ok(()) };
        let given = self.part.inputs.iter().any(|input| input.value == id);
        let Some(constant) = self.model.value(id).constant.as_ref().filter(|_| !given) else { return Ok(()) };
        let is_zeros = self.part.zeros.contains(&id);
        if !is_zeros && !matches!(constant.data, Data::External { .. } | Data::Absent(_)) {
            message.extend(copied(self.reader, field.whole())?);
            return Ok(());
        }
        let raw = self.model.elements(constant, MAX_CONSTANT_BYTES)?;
        let raw = raw.ok_or_else(|| rejected(format!("the constant {name} is too large")))?;
        let raw = if is_zeros { vec![0; raw.len()] } else { raw };
        let code = element::code(&constant.element);
        let code = code.ok_or_else(|| rejected(format!("the constant {name} has elements of {}", constant.element)))?;
        bytes(message, GRAPH_INITIALIZER, &flat(encode::tensor(&name, &constant.shape, code, &raw)));
        Ok(())
    }

    /// Reads the name of a constant: for a sparse one, that of its values.
    fn name(&self, field: &Field) -> Result<String, Error> {
        let mut span = field.span()?;
        if field.number == GRAPH_SPARSE {
            for field in self.reader.fields(span, &SPARSE_PROTO) {
                let field = field?;
                if field.number == 1 {
                    span = field.span()?;
                    break;
                }
            }
        }
        for field in self.reader.fields(span, &TENSOR_PROTO) {
            let field = field?;
            if field.number == TENSOR_NAME {
                return self.reader.text(field.span()?);
            }
        }
        Ok(String::new())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use broadaxe_op::DType;

    use super::*;
    use crate::{open, read, source::Source};

    fn example(name: &str) -> Model {
        open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)).unwrap()
    }

    fn input(value: ValueId, shape: &[Option<usize>]) -> PartInput {
        PartInput { value, element: Element::Known(DType::F32), shape: shape.to_vec() }
    }

    #[test]
    fn zeros_replace_a_constant() {
        let model = example("onnx_legacy.onnx");
        let is_read = |id: &ValueId| {
            let value = model.value(*id);
            value.constant.is_some() && value.producer.is_none() && value.graph == GraphId(0)
        };
        let reads =
            |id: &NodeId| model.node(*id).inputs.iter().flatten().copied().find(is_read).map(|value| (*id, value));
        let (node, value) = model.main().nodes.iter().find_map(reads).unwrap();
        let given = model.node(node).inputs.iter().flatten().filter(|id| model.value(**id).constant.is_none());
        let part = Part {
            nodes: BTreeSet::from([node]),
            inputs: given.map(|&value| input(value, &[None])).collect(),
            outputs: model.node(node).outputs.iter().flatten().copied().collect(),
            zeros: BTreeSet::from([value]),
        };
        let again = read(&Source::memory(write(&model, &part).unwrap(), None)).unwrap();
        let name = &model.value(value).name;
        let constant = again.values.iter().find(|value| value.name == *name).and_then(|value| value.constant.as_ref());
        let raw = again.elements(constant.unwrap(), 1 << 20).unwrap().unwrap();
        assert!(!raw.is_empty() && raw.iter().all(|&byte| byte == 0), "{raw:?}");
    }

    #[test]
    fn every_node_alone() {
        for name in ["onnx_legacy.onnx", "onnx_bodies.onnx"] {
            let model = example(name);
            let mut part = Part { nodes: model.main().nodes.iter().copied().collect(), ..Part::default() };
            for &id in &model.main().nodes {
                part.outputs.extend(model.node(id).outputs.iter().flatten());
            }
            let computed = part.outputs.iter().filter(|&&value| model.value(value).constant.is_none());
            let given = model.main().inputs.iter().chain(computed);
            part.inputs = given.map(|&value| input(value, &[None, Some(3)])).collect();
            let again = read(&Source::memory(write(&model, &part).unwrap(), None)).unwrap();
            assert_eq!(again.main().nodes.len(), model.main().nodes.len(), "{name}");
            assert_eq!(again.main().inputs.len(), part.inputs.len(), "{name}");
            let outputs: Vec<&str> = again.main().outputs.iter().map(|&id| again.value(id).name.as_str()).collect();
            let want: Vec<String> = part.outputs.iter().map(|&id| part.output_name(&model, id)).collect();
            assert_eq!(outputs, want, "{name}");
            for &id in &again.main().nodes {
                let computed = |value: &&ValueId| {
                    again.value(**value).producer.is_some_and(|(node, _)| again.node(node).op != "Constant")
                };
                assert_eq!(
                    again.node(id).inputs.iter().flatten().filter(computed).count(),
                    0,
                    "{name}: {}",
                    again.node(id).op
                );
            }
        }
    }
}
