//! Models that grow value by value, made without a file.

use broadaxe_frameworks::System;
use broadaxe_kernels::DType;
use broadaxe_shape::symbolic::SymbolicShape;

use crate::{
    graph::{Attribute, Constant, Data, Element, Graph, GraphId, Model, Node, NodeId, Value, ValueId},
    infer::{Known, Origin, Shapes},
    source::Source,
};

/// A model that grows value by value and node by node.
pub(crate) struct Sample {
    pub(crate) model: Model,
    pub(crate) shapes: Shapes,
    /// The version of the nodes that are added.
    pub(crate) version: i64,
}

impl Sample {
    /// Makes an empty ONNX model.
    pub(crate) fn new(opset: i64) -> Self {
        let mut sample = Self::of(("onnx", System::Onnx), opset);
        sample.model.opsets.push((String::new(), opset));
        sample
    }

    /// Makes an empty model of a format.
    pub(crate) fn of((format, system): (&'static str, System), version: i64) -> Self {
        let model = Model::new(format, system, Source::memory(Vec::new(), None));
        Self { model, shapes: Shapes::default(), version }
    }

    /// Adds an input of f32, its shape written as text.
    pub(crate) fn input(&mut self, name: &str, shape: &str) -> ValueId {
        self.typed(name, shape, DType::F32)
    }

    /// Adds an input of a type.
    pub(crate) fn typed(&mut self, name: &str, shape: &str, dtype: DType) -> ValueId {
        let shape: SymbolicShape = shape.parse().expect(shape);
        let origin = if shape.rank().is_some() { Origin::Declared } else { Origin::Unknown("not given".into()) };
        let id = self.value(name, shape, origin, Some(Element::Known(dtype)));
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

    /// Adds a constant of these bytes.
    pub(crate) fn bytes(&mut self, name: &str, shape: &[usize], dtype: DType, bytes: Vec<u8>) -> ValueId {
        let element = Element::Known(dtype);
        let id = self.value(name, SymbolicShape::from(shape), Origin::Constant, Some(element.clone()));
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
        let name = format!("{}_{}", op.to_lowercase(), self.model.nodes.len());
        let inputs = inputs.iter().copied().map(Some).collect();
        let attributes = attributes.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect();
        self.call((&name, &format!("{name}_out")), op, inputs, attributes, shape)
    }

    /// Adds another output to the last node.
    pub(crate) fn more(&mut self, name: &str, output: usize) {
        let id = NodeId(self.model.nodes.len() as u32 - 1);
        let value = self.value(name, "...".parse().expect("a shape"), Origin::Inferred(id), None);
        self.model.values[value.0 as usize].producer = Some((id, output));
        self.model.nodes[id.0 as usize].outputs.push(Some(value));
    }

    /// Adds a node of this name, whose output has another name.
    pub(crate) fn call(
        &mut self,
        (name, output): (&str, &str),
        op: &str,
        inputs: Vec<Option<ValueId>>,
        attributes: Vec<(String, Attribute)>,
        shape: &str,
    ) -> ValueId {
        let id = NodeId(self.model.nodes.len() as u32);
        let shape = shape.parse().expect(shape);
        let output = self.value(output, shape, Origin::Inferred(id), Some(Element::Known(DType::F32)));
        self.model.values[output.0 as usize].producer = Some((id, 0));
        self.model.nodes.push(Node {
            place: format!("node {}", id.0),
            number: u64::from(id.0),
            line: None,
            name: name.to_string(),
            graph: GraphId(0),
            domain: if self.model.system == System::Openvino { "opset1".into() } else { String::new() },
            op: op.to_string(),
            version: self.version,
            attributes,
            inputs,
            outputs: vec![Some(output)],
            bodies: vec![],
        });
        self.main().nodes.push(id);
        output
    }

    /// Returns the value of a name.
    pub(crate) fn find(&self, name: &str) -> Option<ValueId> {
        self.model.values.iter().position(|value| value.name == name).map(|at| ValueId(at as u32))
    }

    fn main(&mut self) -> &mut Graph {
        &mut self.model.graphs[0]
    }

    fn value(&mut self, name: &str, shape: SymbolicShape, origin: Origin, element: Option<Element>) -> ValueId {
        let id = ValueId(self.model.values.len() as u32);
        self.model.values.push(Value {
            name: name.to_string(),
            graph: GraphId(0),
            element: element.clone(),
            ..Value::default()
        });
        self.shapes.of.push(Known { shape, element, origin });
        id
    }
}
