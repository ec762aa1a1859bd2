//! Small models for tests, made without a file.

use broadaxe_frameworks::System;
use broadaxe_kernels::DType;
use broadaxe_shape::symbolic::SymbolicShape;

use crate::{
    graph::{Attribute, Constant, Data, Element, Graph, GraphId, Model, Node, NodeId, Value, ValueId},
    infer::{Known, Origin, Shapes},
    source::Source,
};

/// A model that grows value by value and node by node; all values are f32.
pub(crate) struct Sample {
    pub(crate) model: Model,
    pub(crate) shapes: Shapes,
}

impl Sample {
    pub(crate) fn new(opset: i64) -> Self {
        let mut model = Model::new("onnx", System::Onnx, Source::memory(Vec::new(), None));
        model.opsets.push((String::new(), opset));
        Self { model, shapes: Shapes::default() }
    }

    /// Adds an input, its shape written as text.
    pub(crate) fn input(&mut self, name: &str, shape: &str) -> ValueId {
        let id = self.value(name, shape.parse().expect(shape), Origin::Declared);
        self.model.graphs[0].inputs.push(id);
        id
    }

    /// Adds a constant that counts its elements.
    pub(crate) fn constant(&mut self, name: &str, shape: &[usize]) -> ValueId {
        let count: usize = shape.iter().product();
        let bytes: Vec<u8> = (0..count).flat_map(|k| (k as f32).to_le_bytes()).collect();
        self.bytes(name, shape, DType::F32, bytes)
    }

    /// Adds a constant of whole numbers.
    pub(crate) fn whole(&mut self, name: &str, numbers: &[i64]) -> ValueId {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.bytes(name, &[numbers.len()], DType::I64, bytes)
    }

    /// Adds a constant list of floats.
    pub(crate) fn floats(&mut self, name: &str, numbers: &[f32]) -> ValueId {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.bytes(name, &[numbers.len()], DType::F32, bytes)
    }

    fn bytes(&mut self, name: &str, shape: &[usize], dtype: DType, bytes: Vec<u8>) -> ValueId {
        let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
        let text = format!("({})", dims.join(","));
        let id = self.value(name, text.parse().expect("a shape"), Origin::Constant);
        let element = Element::Known(dtype);
        self.shapes.of[id.0 as usize].element = Some(element.clone());
        self.model.values[id.0 as usize].constant =
            Some(Constant { element, shape: shape.to_vec(), data: Data::Held(bytes.into()) });
        id
    }

    /// Adds a node and returns its output, whose shape is given.
    pub(crate) fn node(
        &mut self,
        op: &str,
        inputs: &[ValueId],
        attributes: &[(&str, Attribute)],
        shape: &str,
    ) -> ValueId {
        let id = NodeId(self.model.nodes.len() as u32);
        let name = format!("{}_{}", op.to_lowercase(), id.0);
        let output = self.value(&format!("{name}_out"), shape.parse().expect(shape), Origin::Inferred(id));
        self.model.values[output.0 as usize].producer = Some((id, 0));
        let version = self.model.opsets[0].1;
        self.model.nodes.push(Node {
            place: format!("node {}", id.0),
            name,
            graph: GraphId(0),
            domain: String::new(),
            op: op.to_string(),
            version,
            attributes: attributes.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect(),
            inputs: inputs.iter().copied().map(Some).collect(),
            outputs: vec![Some(output)],
            bodies: vec![],
        });
        self.main().nodes.push(id);
        output
    }

    fn main(&mut self) -> &mut Graph {
        &mut self.model.graphs[0]
    }

    fn value(&mut self, name: &str, shape: SymbolicShape, origin: Origin) -> ValueId {
        let id = ValueId(self.model.values.len() as u32);
        let element = Some(Element::Known(DType::F32));
        self.model.values.push(Value {
            name: name.to_string(),
            graph: GraphId(0),
            element: element.clone(),
            declared: None,
            constant: None,
            producer: None,
        });
        self.shapes.of.push(Known { shape, element, origin });
        id
    }
}
