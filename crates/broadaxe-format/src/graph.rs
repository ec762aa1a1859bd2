//! The model that all formats share: values, nodes and graphs in three flat lists.
//!
//! One list holds the values of all graphs, so a node in a subgraph names a value of an outer graph like one of its own. A
//! node with an unknown operator keeps everything that the file says; only its results are unknown.

use std::{fmt, sync::Arc};

use broadaxe_frameworks::System;
use broadaxe_op::DType;
use broadaxe_shape::symbolic::{Dim, SymbolicShape};

use crate::{error::Error, source::Source};

/// Names a value of a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// Names a node of a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// Names a graph of a [`Model`]; the main one is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GraphId(pub u32);

/// One place where a value is used: an input of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Use {
    /// The node.
    pub node: NodeId,
    /// Which of its inputs.
    pub input: usize,
}

/// Where the values of a model are used: the uses of all values in one list, those of a value in the order of the nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    all: Vec<Use>,
    /// Where the uses of each value begin in the list; the last entry is its length.
    begins: Vec<usize>,
}

impl Uses {
    /// Returns where a value is used.
    pub fn of(&self, value: ValueId) -> &[Use] {
        let at = value.0 as usize;
        match self.begins.get(at..at + 2) {
            Some(&[begin, end]) => &self.all[begin..end],
            _ => &[],
        }
    }

    /// Sorts the uses of each value by a key.
    pub fn sort_each_by_key<K: Ord>(&mut self, key: impl Fn(&Use) -> K) {
        for at in 1..self.begins.len() {
            self.all[self.begins[at - 1]..self.begins[at]].sort_by_cached_key(&key);
        }
    }
}

/// A model file, read.
#[derive(Clone, Debug)]
pub struct Model {
    /// The name of the format it was read in: `onnx`, `openvino`, `ncnn`, `pnnx`, `paddle`, `tflite`.
    pub format: &'static str,
    /// The framework whose operators the nodes name.
    pub system: System,
    /// Domains of operators with their versions, the standard one under the empty name.
    pub opsets: Vec<(String, i64)>,
    /// All values.
    pub values: Vec<Value>,
    /// All nodes.
    pub nodes: Vec<Node>,
    /// All graphs, the main one first.
    pub graphs: Vec<Graph>,
    /// Where it was read.
    pub source: Source,
    /// The file of weights that belongs to it, for formats that have two.
    pub weights: Option<Source>,
    /// Warnings of the reader, one sentence each.
    pub remarks: Vec<String>,
}

/// A list of nodes in an order in which each comes after those it reads.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The name that the file gives.
    pub name: String,
    /// The node whose body it is; none for the main graph, and for one that the file has next to it.
    pub owner: Option<NodeId>,
    /// Its inputs. Constants are not among them, except those that a caller may override (ONNX).
    pub inputs: Vec<ValueId>,
    /// Its outputs.
    pub outputs: Vec<ValueId>,
    /// The nodes in order.
    pub nodes: Vec<NodeId>,
}

/// A tensor between nodes.
#[derive(Clone, Debug, Default)]
pub struct Value {
    /// The name that the file gives, unique in its graph.
    pub name: String,
    /// The graph it belongs to.
    pub graph: GraphId,
    /// The type of its elements, where the file says it.
    pub element: Option<Element>,
    /// The shape that the file records, if it does; row-major order (slowest axis first) in every format.
    pub declared: Option<SymbolicShape>,
    /// Its elements, if it is a constant.
    pub constant: Option<Constant>,
    /// The node that computes it, and the index of the output.
    pub producer: Option<(NodeId, usize)>,
    /// What its whole numbers mean, where the file says that they represent real ones (TFLite).
    pub quantization: Option<Arc<Quantization>>,
}

/// Says which real numbers the elements of a tensor represent: `scale * (element - zero_point)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quantization {
    /// The scales: one, or one for each entry of an axis.
    pub scales: Vec<f32>,
    /// The elements that represent 0, as many as there are scales.
    pub zero_points: Vec<i64>,
    /// The axis that the scales belong to, if there are several.
    pub axis: i64,
}

/// The type of the elements of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Element {
    /// One that can be computed with.
    Known(DType),
    /// Another, under the name that the format gives it (`string`, `float8e4m3fn`, `u4`), with its size in bits, 0 if it has none.
    Other(String, u32),
}

impl Element {
    /// Returns the size of an element in bits, 0 if it has none.
    pub fn bits(&self) -> u32 {
        match self {
            Self::Known(dtype) => dtype.size() as u32 * 8,
            Self::Other(_, bits) => *bits,
        }
    }

    /// Returns the dtype, if it can be computed with.
    pub fn dtype(&self) -> Option<DType> {
        match self {
            Self::Known(dtype) => Some(*dtype),
            Self::Other(..) => None,
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(dtype) => f.write_str(dtype.name()),
            Self::Other(name, _) => f.write_str(name),
        }
    }
}

/// A constant tensor, and where its elements are.
#[derive(Clone, Debug)]
pub struct Constant {
    /// The type of its elements.
    pub element: Element,
    /// Its shape, row-major.
    pub shape: Vec<usize>,
    /// Where its elements are.
    pub data: Data,
}

/// Where the elements of a constant are, little-endian and dense in row-major order.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Data {
    /// In memory, decoded.
    Held(Arc<[u8]>),
    /// In the source (`Model::source`, or `Model::weights` of a format with two files).
    Span {
        /// The first byte.
        at: u64,
        /// How many bytes.
        len: u64,
    },
    /// In another file, opened under the checks of the format.
    External {
        /// The file.
        file: Box<Source>,
        /// The first byte.
        at: u64,
        /// How many bytes.
        len: u64,
    },
    /// Missing; the reason in words ("the file weights.bin is not there").
    Absent(String),
}

/// An operator applied to values.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The name that the file gives; may be empty in ONNX.
    pub name: String,
    /// The graph that contains it.
    pub graph: GraphId,
    /// The domain of its operator: empty for ONNX's own, `opset1` in OpenVINO.
    pub domain: String,
    /// The operator.
    pub op: String,
    /// The version of its domain that holds for it; 0 for formats without versions.
    pub version: i64,
    /// Its attributes, in the order of the file.
    pub attributes: Vec<(String, Attribute)>,
    /// Its inputs; an input may be omitted.
    pub inputs: Vec<Option<ValueId>>,
    /// Its outputs; an output may be omitted.
    pub outputs: Vec<Option<ValueId>>,
    /// Its bodies: branches, loops, functions.
    pub bodies: Vec<GraphId>,
    /// Its place in the file: `node 17`, `layer 4`, `line 12`.
    pub place: String,
    /// Its number, as its place gives it: counted in its graph, an id, or that of its line.
    pub number: u64,
    /// The line that it begins on, in files of text, from 1.
    pub line: Option<u64>,
}

/// The value of an attribute.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Attribute {
    /// A whole number.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list of whole numbers.
    Ints(Vec<i64>),
    /// A list of numbers.
    Floats(Vec<f64>),
    /// A list of texts.
    Texts(Vec<String>),
    /// A tensor.
    Tensor(Constant),
    /// A graph, which the node's `bodies` name too.
    Graph(GraphId),
    /// Anything else, in words.
    Other(String),
}

impl Attribute {
    /// Returns the whole number, if it is one.
    pub fn int(&self) -> Option<i64> {
        if let Self::Int(value) = self { Some(*value) } else { None }
    }

    /// Returns the number, whole or not, if it is one.
    pub fn float(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the list of whole numbers, if it is one.
    pub fn ints(&self) -> Option<&[i64]> {
        if let Self::Ints(values) = self { Some(values) } else { None }
    }

    /// Returns the text, if it is one.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(value) = self { Some(value) } else { None }
    }
}

impl Node {
    /// Returns an attribute by name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Returns input `k`, unless it is left out.
    pub fn input(&self, k: usize) -> Option<ValueId> {
        self.inputs.get(k).copied().flatten()
    }

    /// Returns output `k`, unless it is left out.
    pub fn output(&self, k: usize) -> Option<ValueId> {
        self.outputs.get(k).copied().flatten()
    }
}

/// Makes the shape that a file records.
///
/// # Errors
/// [`broadaxe_shape::Error`] when the product of its known sizes is too large.
pub(crate) fn recorded(dims: Vec<Dim>) -> Result<SymbolicShape, broadaxe_shape::Error> {
    let known: Vec<usize> = dims.iter().filter_map(Dim::size).collect();
    broadaxe_shape::elements(&known).map(|_| SymbolicShape::new(dims))
}

impl Model {
    /// Makes a model with an empty main graph.
    pub fn new(format: &'static str, system: System, source: Source) -> Self {
        Self {
            format,
            system,
            opsets: Vec::new(),
            values: Vec::new(),
            nodes: Vec::new(),
            graphs: vec![Graph::default()],
            source,
            weights: None,
            remarks: Vec::new(),
        }
    }

    /// Returns a value.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.0 as usize]
    }

    /// Returns a node.
    pub fn node(&self, id: NodeId) -> &Node {
        // Every long computation asks for nodes, so it can be interrupted here.
        broadaxe_op::stop::checkpoint();
        &self.nodes[id.0 as usize]
    }

    /// Returns a graph.
    pub fn graph(&self, id: GraphId) -> &Graph {
        &self.graphs[id.0 as usize]
    }

    /// Returns the main graph.
    pub fn main(&self) -> &Graph {
        &self.graphs[0]
    }

    /// Lists the nodes of all graphs, those of a graph in its order, bodies after their owner, and the main graph first.
    pub fn walk(&self) -> Vec<NodeId> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut stack: Vec<(GraphId, usize)> = self.roots().into_iter().rev().map(|root| (root, 0)).collect();
        while let Some((graph, next)) = stack.pop() {
            let Some(&node) = self.graph(graph).nodes.get(next) else { continue };
            order.push(node);
            stack.push((graph, next + 1));
            stack.extend(self.node(node).bodies.iter().rev().map(|&body| (body, 0)));
        }
        order
    }

    /// Says whether the whole numbers of an input or output of a node represent real numbers, so that the node rescales them.
    pub fn is_quantized(&self, node: &Node) -> bool {
        let quantized = |value: &Value| {
            let is_float = value.element.as_ref().and_then(Element::dtype).is_some_and(DType::is_float);
            value.quantization.is_some() && !is_float
        };
        node.inputs.iter().chain(&node.outputs).flatten().any(|&id| quantized(self.value(id)))
    }

    /// Lists the graphs that are not the body of a node, the main one first.
    pub fn roots(&self) -> Vec<GraphId> {
        let mut is_body = vec![false; self.graphs.len()];
        for body in self.nodes.iter().flat_map(|node| &node.bodies) {
            is_body[body.0 as usize] = true;
        }
        (0..self.graphs.len()).filter(|&k| k == 0 || !is_body[k]).map(|k| GraphId(k as u32)).collect()
    }

    /// Lists where every value is used; outputs of graphs are not uses.
    pub fn uses(&self) -> Uses {
        let mut begins = vec![0; self.values.len() + 1];
        for value in self.nodes.iter().flat_map(|node| &node.inputs).flatten() {
            begins[value.0 as usize + 1] += 1;
        }
        for at in 1..begins.len() {
            begins[at] += begins[at - 1];
        }
        let mut next = begins.clone();
        let mut all = vec![Use { node: NodeId(0), input: 0 }; begins.last().copied().unwrap_or(0)];
        for (index, node) in self.nodes.iter().enumerate() {
            for (input, value) in node.inputs.iter().enumerate() {
                let Some(value) = value else { continue };
                let at = &mut next[value.0 as usize];
                all[*at] = Use { node: NodeId(index as u32), input };
                *at += 1;
            }
        }
        Uses { all, begins }
    }

    /// Opens the file of weights, and returns why it is missing, or nothing.
    ///
    /// # Errors
    /// Those of [`Source::open`].
    pub(crate) fn open_weights(&mut self, extension: &str) -> Result<String, Error> {
        let weights = self.source.open_weights(extension)?;
        let missing = weights.as_ref().err().cloned().unwrap_or_default();
        self.weights = weights.ok();
        Ok(missing)
    }

    /// Reads the elements of a constant, little-endian, if there are at most `most` bytes.
    ///
    /// # Errors
    /// Those of [`Source::read`], and [`crate::ErrorKind::File`] where they are absent.
    pub fn elements(&self, constant: &Constant, most: usize) -> Result<Option<Vec<u8>>, Error> {
        let read = |source: &Source, at, len: u64| match usize::try_from(len) {
            Ok(len) if len <= most => source.read(at, len).map(Some),
            _ => Ok(None),
        };
        match &constant.data {
            Data::Held(bytes) if bytes.len() <= most => Ok(Some(bytes.to_vec())),
            Data::Held(_) => Ok(None),
            Data::Span { at, len } => read(self.weights.as_ref().unwrap_or(&self.source), *at, *len),
            Data::External { file, at, len } => read(file, *at, *len),
            Data::Absent(why) => Err(Error::new(crate::ErrorKind::File, why.clone())),
        }
    }
}
