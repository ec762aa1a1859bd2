//! Programs of the older representation: `framework.proto`, with one block.

use super::{
    super::{Call, RESULT, protobuf::Message},
    description,
};

/// The version of programs that Paddle 2.6 writes.
const PROGRAM_VERSION: i64 = 2_006_002;

/// Numbers of types of variables.
const DENSE_TENSOR: i64 = 7;
const FEED_MINIBATCH: i64 = 9;
const FETCH_LIST: i64 = 10;

/// Writes a program of one operator with an axis.
pub(super) fn write(call: &Call<'_>, op: &str, axis: i64) -> Vec<u8> {
    let mut block = Message::default().int(1, 0).int(2, -1);
    for (name, operand) in call.named() {
        let dims = operand.shape.iter().map(|&dim| dim as i64);
        block = block.message(3, &tensor(name, dims, operand.constant));
    }
    let result = call.dims().into_iter().map(|dim| dim.map_or(-1, |dim| dim as i64));
    block = block.message(3, &tensor(RESULT, result, false));
    for (name, kind) in [("feed", FEED_MINIBATCH), ("fetch", FETCH_LIST)] {
        block = block.message(3, &variable(name, &Message::default().int(1, kind), true));
    }
    let inputs = call.named().filter(|(_, operand)| !operand.constant);
    for (column, (name, _)) in inputs.enumerate() {
        block = block.message(4, &operator("feed", &[("X", "feed")], name, ("col", column as i64)));
    }
    let slots: Vec<_> = ["X", "Y"].into_iter().zip(call.names()).collect();
    block = block.message(4, &operator(op, &slots, RESULT, ("axis", axis)));
    block = block.message(4, &operator("fetch", &[("X", RESULT)], "fetch", ("col", 0)));
    Message::default().message(1, &block).message(4, &Message::default().int(1, PROGRAM_VERSION)).finish()
}

/// Makes the `VarDesc` of a tensor.
fn tensor(name: &str, dims: impl Iterator<Item = i64>, persistable: bool) -> Message {
    let tensor = Message::default().message(1, &description(false, dims)).int(2, 0);
    variable(name, &Message::default().int(1, DENSE_TENSOR).message(3, &tensor), persistable)
}

fn variable(name: &str, kind: &Message, persistable: bool) -> Message {
    Message::default().text(1, name).message(2, kind).int(3, i64::from(persistable))
}

/// Makes an `OpDesc` with one attribute, a whole number.
fn operator(kind: &str, inputs: &[(&str, &str)], output: &str, (name, value): (&str, i64)) -> Message {
    let slot = |name: &str, variable: &str| Message::default().text(1, name).text(2, variable);
    let attribute = Message::default().text(1, name).int(2, 0).int(3, value);
    Message::default()
        .each(inputs, |op, (name, variable)| op.message(1, &slot(name, variable)))
        .message(2, &slot("Out", output))
        .text(3, kind)
        .message(4, &attribute)
}
