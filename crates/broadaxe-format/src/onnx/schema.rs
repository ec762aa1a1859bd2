//! The messages of ONNX with the fields that may occur only once, and the numbers of the fields that are read.

use super::super::wire::Message;

pub(super) static MODEL_PROTO: Message = Message::new("ModelProto", &[1, 2, 3, 4, 5, 6, 7]);
pub(super) static GRAPH_PROTO: Message = Message::new("GraphProto", &[2, 10]);
pub(super) static NODE_PROTO: Message = Message::new("NodeProto", &[3, 4, 6, 7, 8]);
pub(super) static FUNCTION_PROTO: Message = Message::new("FunctionProto", &[1, 8, 10, 13]);
pub(super) static ATTRIBUTE_PROTO: Message = Message::new("AttributeProto", &[1, 2, 3, 4, 5, 6, 13, 14, 20, 21, 22]);
pub(super) static TENSOR_PROTO: Message = Message::new("TensorProto", &[2, 3, 8, 9, 12, 14]);
pub(super) static SPARSE_PROTO: Message = Message::new("SparseTensorProto", &[1, 2]);
pub(super) static INFO_PROTO: Message = Message::new("ValueInfoProto", &[1, 2, 3]);
pub(super) static TYPE_PROTO: Message = Message::new("TypeProto", &[1, 4, 5, 6, 7, 8, 9]);
pub(super) static TENSOR_TYPE_PROTO: Message = Message::new("TypeProto.Tensor", &[1, 2]);
pub(super) static SHAPE_PROTO: Message = Message::new("TensorShapeProto", &[]);
pub(super) static DIM_PROTO: Message = Message::new("Dimension", &[1, 2, 3]);
pub(super) static OPSET_PROTO: Message = Message::new("OperatorSetIdProto", &[1, 2]);
pub(super) static ENTRY_PROTO: Message = Message::new("StringStringEntryProto", &[1, 2]);

pub(super) const MODEL_IR: u32 = 1;
pub(super) const MODEL_GRAPH: u32 = 7;
pub(super) const MODEL_OPSET: u32 = 8;
pub(super) const MODEL_FUNCTION: u32 = 25;

pub(super) const GRAPH_NODE: u32 = 1;
pub(super) const GRAPH_NAME: u32 = 2;
pub(super) const GRAPH_INITIALIZER: u32 = 5;
pub(super) const GRAPH_INPUT: u32 = 11;
pub(super) const GRAPH_OUTPUT: u32 = 12;
pub(super) const GRAPH_INFO: u32 = 13;
pub(super) const GRAPH_SPARSE: u32 = 15;

pub(super) const NODE_INPUT: u32 = 1;
pub(super) const NODE_OUTPUT: u32 = 2;
pub(super) const NODE_NAME: u32 = 3;
pub(super) const NODE_OP: u32 = 4;
pub(super) const NODE_ATTRIBUTE: u32 = 5;
pub(super) const NODE_DOMAIN: u32 = 7;
pub(super) const NODE_OVERLOAD: u32 = 8;

pub(super) const FUNCTION_NAME: u32 = 1;
pub(super) const FUNCTION_INPUT: u32 = 4;
pub(super) const FUNCTION_OUTPUT: u32 = 5;
pub(super) const FUNCTION_NODE: u32 = 7;
pub(super) const FUNCTION_OPSET: u32 = 9;
pub(super) const FUNCTION_DOMAIN: u32 = 10;
pub(super) const FUNCTION_DEFAULT: u32 = 11;
pub(super) const FUNCTION_INFO: u32 = 12;
pub(super) const FUNCTION_OVERLOAD: u32 = 13;

pub(super) const ATTRIBUTE_NAME: u32 = 1;
pub(super) const ATTRIBUTE_FLOAT: u32 = 2;
pub(super) const ATTRIBUTE_INT: u32 = 3;
pub(super) const ATTRIBUTE_TEXT: u32 = 4;
pub(super) const ATTRIBUTE_TENSOR: u32 = 5;
pub(super) const ATTRIBUTE_GRAPH: u32 = 6;
pub(super) const ATTRIBUTE_FLOATS: u32 = 7;
pub(super) const ATTRIBUTE_INTS: u32 = 8;
pub(super) const ATTRIBUTE_TEXTS: u32 = 9;
pub(super) const ATTRIBUTE_GRAPHS: u32 = 11;
pub(super) const ATTRIBUTE_TYPE: u32 = 20;
pub(super) const ATTRIBUTE_REFERENCE: u32 = 21;
pub(super) const ATTRIBUTE_SPARSE: u32 = 22;

pub(super) const TENSOR_DIMS: u32 = 1;
pub(super) const TENSOR_TYPE: u32 = 2;
pub(super) const TENSOR_SEGMENT: u32 = 3;
pub(super) const TENSOR_FLOATS: u32 = 4;
pub(super) const TENSOR_INTS: u32 = 5;
pub(super) const TENSOR_TEXTS: u32 = 6;
pub(super) const TENSOR_LONGS: u32 = 7;
pub(super) const TENSOR_NAME: u32 = 8;
pub(super) const TENSOR_RAW: u32 = 9;
pub(super) const TENSOR_DOUBLES: u32 = 10;
pub(super) const TENSOR_UNSIGNED: u32 = 11;
pub(super) const TENSOR_EXTERNAL: u32 = 13;
pub(super) const TENSOR_LOCATION: u32 = 14;
