//! Paddle: programs in JSON, programs of the older protocol buffer, and the file of parameters.
//!
//! Functions such as `add` have the rule `numpy` and are in JSON. The operators `elementwise_*` with an axis have the rule
//! `paddle`; only the older programs hold them. A constant is a parameter, whose numbers are in `.pdiparams`.
//!
//! Source: Paddle 3.3.1, `framework.proto` and `paddle/fluid/pir/serialize_deserialize`.

mod pir;
mod program;

use super::{Call, File, Unsupported, protobuf::Message};

/// Numbers of types of elements in protocol buffers.
const PADDLE_BOOL: i64 = 0;
const FP32: i64 = 5;

/// Writes the model.
pub(super) fn write(call: &Call<'_>) -> Result<Vec<File>, Unsupported> {
    let graph = match call.key() {
        ("add" | "sub", "paddle") => {
            let op = format!("elementwise_{}", call.family);
            File { extension: ".pdmodel", bytes: program::write(call, &op, call.axis()) }
        }
        ("add", "numpy") => pir::write(call, "add"),
        ("sub", "numpy") => pir::write(call, "subtract"),
        // The function paddle.where adds zeros of other shapes before the operator, which accepts equal shapes only.
        ("select", "numpy") if call.has_equal_shapes() => pir::write(call, "where"),
        ("select", "numpy") => return Err(Unsupported("where of Paddle accepts equal shapes only".to_owned())),
        ("expand", "broadcast-to") => pir::write(call, "expand"),
        _ => return Err(call.unsupported("Paddle")),
    };
    let mut files = vec![graph];
    // The tensors are in the order of their names, which is that of the operands.
    let constants: Vec<u8> = call
        .named()
        .filter(|(_, operand)| operand.constant)
        .flat_map(|(name, operand)| {
            let mut bytes = header(call.is_condition(name), &operand.shape);
            bytes.extend(call.bytes(name, operand));
            bytes
        })
        .collect();
    if !constants.is_empty() {
        files.push(File { extension: ".pdiparams", bytes: constants });
    }
    Ok(files)
}

/// Makes the description of a tensor: `VarType.TensorDesc`.
fn description(is_bool: bool, dims: impl IntoIterator<Item = i64>) -> Message {
    Message::default().int(1, if is_bool { PADDLE_BOOL } else { FP32 }).each(dims, |tensor, dim| tensor.int(2, dim))
}

/// Returns what precedes a tensor in the file of parameters: a version, no levels, a version, and the description.
fn header(is_bool: bool, shape: &[usize]) -> Vec<u8> {
    let text = description(is_bool, shape.iter().map(|&dim| dim as i64)).finish();
    let mut bytes = vec![0; 16];
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text);
    bytes
}
