//! Writes models that were made from text as ONNX files.

use broadaxe_testing::protobuf::Message;

use crate::{
    graph::{Attribute, Data, Model, Node, ValueId},
    infer::Shapes,
};

/// Numbers of element types in `TensorProto.DataType`.
const TYPES: &[(&str, i64)] = &[("f32", 1), ("u8", 2), ("i8", 3), ("i32", 6), ("i64", 7), ("bool", 9)];

/// Returns a model as an ONNX file.
pub(crate) fn onnx(model: &Model, shapes: &Shapes) -> Vec<u8> {
    let main = model.main();
    let all = (0..model.values.len() as u32).map(ValueId);
    let mut graph = Message::default().bytes(2, b"g");
    for id in &main.nodes {
        graph = graph.bytes(1, &node(model, model.node(*id)));
    }
    for id in all.filter(|id| model.value(*id).constant.is_some()) {
        graph = graph.bytes(5, &tensor(model, id));
    }
    for id in &main.inputs {
        graph = graph.bytes(11, &info(model, shapes, *id));
    }
    for id in &main.outputs {
        graph = graph.bytes(12, &Message::default().bytes(1, model.value(*id).name.as_bytes()).0);
    }
    let version = Message::default().bytes(1, b"").int(2, model.opsets[0].1);
    Message::default().int(1, 8).bytes(8, &version.0).bytes(7, &graph.0).0
}

fn element(model: &Model, id: ValueId) -> i64 {
    let element = model.value(id).element.as_ref().expect("an element type").to_string();
    TYPES.iter().find(|(name, _)| *name == element).expect("a type that is written").1
}

fn node(model: &Model, node: &Node) -> Vec<u8> {
    let name = |id: &Option<ValueId>| id.map_or(String::new(), |id| model.value(id).name.clone());
    let message = node.inputs.iter().fold(Message::default(), |message, id| message.bytes(1, name(id).as_bytes()));
    let message = node.outputs.iter().fold(message, |message, id| message.bytes(2, name(id).as_bytes()));
    let message = message.bytes(3, node.name.as_bytes()).bytes(4, node.op.as_bytes());
    let written =
        node.attributes.iter().fold(message, |message, (name, value)| message.bytes(5, &attribute(name, value)));
    written.0
}

fn attribute(name: &str, value: &Attribute) -> Vec<u8> {
    let message = Message::default().bytes(1, name.as_bytes());
    let message = match value {
        Attribute::Int(value) => message.int(3, *value).int(20, 2),
        Attribute::Float(value) => message.float(2, *value as f32).int(20, 1),
        Attribute::Text(text) => message.bytes(4, text.as_bytes()).int(20, 3),
        Attribute::Ints(values) => values.iter().fold(message, |message, value| message.int(8, *value)).int(20, 7),
        other => panic!("{name} is not written: {other:?}"),
    };
    message.0
}

fn tensor(model: &Model, id: ValueId) -> Vec<u8> {
    let constant = model.value(id).constant.as_ref().expect("a constant");
    let Data::Held(data) = &constant.data else { panic!("a constant without data") };
    let message = constant.shape.iter().fold(Message::default(), |message, dim| message.int(1, *dim as i64));
    message.int(2, element(model, id)).bytes(8, model.value(id).name.as_bytes()).bytes(9, data).0
}

fn info(model: &Model, shapes: &Shapes, id: ValueId) -> Vec<u8> {
    let mut shape = Message::default();
    for dim in shapes.of[id.0 as usize].shape.dims().expect("a rank") {
        let written = match dim.size() {
            Some(size) => Message::default().int(1, size as i64),
            None => Message::default().bytes(2, dim.name().expect("a name").as_bytes()),
        };
        shape = shape.bytes(1, &written.0);
    }
    let tensor = Message::default().int(1, element(model, id)).bytes(2, &shape.0);
    let name = model.value(id).name.as_bytes();
    Message::default().bytes(1, name).bytes(2, &Message::default().bytes(1, &tensor.0).0).0
}
