//! The messages of ONNX, each with the fields that may stand once, and the numbers of those that are read.

use super::super::wire::Message;

pub(super) static MODEL: Message = Message::new("ModelProto", &[1, 2, 3, 4, 5, 6, 7]);
pub(super) static GRAPH: Message = Message::new("GraphProto", &[2, 10]);
pub(super) static NODE: Message = Message::new("NodeProto", &[3, 4, 6, 7, 8]);
pub(super) static FUNCTION: Message = Message::new("FunctionProto", &[1, 8, 10, 13]);
pub(super) static ATTRIBUTE: Message = Message::new("AttributeProto", &[1, 2, 3, 4, 5, 6, 13, 14, 20, 21, 22]);
pub(super) static TENSOR: Message = Message::new("TensorProto", &[2, 3, 8, 9, 12, 14]);
pub(super) static SPARSE: Message = Message::new("SparseTensorProto", &[1, 2]);
pub(super) static INFO: Message = Message::new("ValueInfoProto", &[1, 2, 3]);
pub(super) static TYPE: Message = Message::new("TypeProto", &[1, 4, 5, 6, 7, 8, 9]);
pub(super) static TENSOR_TYPE: Message = Message::new("TypeProto.Tensor", &[1, 2]);
pub(super) static SHAPE: Message = Message::new("TensorShapeProto", &[]);
pub(super) static DIM: Message = Message::new("Dimension", &[1, 2, 3]);
pub(super) static OPSET: Message = Message::new("OperatorSetIdProto", &[1, 2]);
pub(super) static ENTRY: Message = Message::new("StringStringEntryProto", &[1, 2]);

pub(super) mod model {
    pub(in super::super) const IR: u32 = 1;
    pub(in super::super) const GRAPH: u32 = 7;
    pub(in super::super) const OPSET: u32 = 8;
    pub(in super::super) const FUNCTION: u32 = 25;
}

pub(super) mod graph {
    pub(in super::super) const NODE: u32 = 1;
    pub(in super::super) const NAME: u32 = 2;
    pub(in super::super) const INITIALIZER: u32 = 5;
    pub(in super::super) const INPUT: u32 = 11;
    pub(in super::super) const OUTPUT: u32 = 12;
    pub(in super::super) const INFO: u32 = 13;
    pub(in super::super) const SPARSE: u32 = 15;
}

pub(super) mod node {
    pub(in super::super) const INPUT: u32 = 1;
    pub(in super::super) const OUTPUT: u32 = 2;
    pub(in super::super) const NAME: u32 = 3;
    pub(in super::super) const OP: u32 = 4;
    pub(in super::super) const ATTRIBUTE: u32 = 5;
    pub(in super::super) const DOMAIN: u32 = 7;
    pub(in super::super) const OVERLOAD: u32 = 8;
}

pub(super) mod function {
    pub(in super::super) const NAME: u32 = 1;
    pub(in super::super) const INPUT: u32 = 4;
    pub(in super::super) const OUTPUT: u32 = 5;
    pub(in super::super) const NODE: u32 = 7;
    pub(in super::super) const OPSET: u32 = 9;
    pub(in super::super) const DOMAIN: u32 = 10;
    pub(in super::super) const DEFAULT: u32 = 11;
    pub(in super::super) const INFO: u32 = 12;
    pub(in super::super) const OVERLOAD: u32 = 13;
}

pub(super) mod attribute {
    pub(in super::super) const NAME: u32 = 1;
    pub(in super::super) const FLOAT: u32 = 2;
    pub(in super::super) const INT: u32 = 3;
    pub(in super::super) const TEXT: u32 = 4;
    pub(in super::super) const TENSOR: u32 = 5;
    pub(in super::super) const GRAPH: u32 = 6;
    pub(in super::super) const FLOATS: u32 = 7;
    pub(in super::super) const INTS: u32 = 8;
    pub(in super::super) const TEXTS: u32 = 9;
    pub(in super::super) const GRAPHS: u32 = 11;
    pub(in super::super) const TYPE: u32 = 20;
    pub(in super::super) const REFERENCE: u32 = 21;
    pub(in super::super) const SPARSE: u32 = 22;
}

pub(super) mod tensor {
    pub(in super::super) const DIMS: u32 = 1;
    pub(in super::super) const TYPE: u32 = 2;
    pub(in super::super) const SEGMENT: u32 = 3;
    pub(in super::super) const FLOATS: u32 = 4;
    pub(in super::super) const INTS: u32 = 5;
    pub(in super::super) const TEXTS: u32 = 6;
    pub(in super::super) const LONGS: u32 = 7;
    pub(in super::super) const NAME: u32 = 8;
    pub(in super::super) const RAW: u32 = 9;
    pub(in super::super) const DOUBLES: u32 = 10;
    pub(in super::super) const UNSIGNED: u32 = 11;
    pub(in super::super) const EXTERNAL: u32 = 13;
    pub(in super::super) const LOCATION: u32 = 14;
}
