//! Programs of the new representation, in JSON: operations on values with numbers.
//!
//! Dialect 0 is `builtin`, 1 is `pd_op`; `p` is a parameter. Numbers of values begin at 1.

use serde_json::{Value, json};

use super::super::{Call, File};

/// The version of the representation.
const PIR_VERSION: u32 = 4;

/// Writes a program of one operator.
pub(super) fn write(call: &Call<'_>, op: &str) -> File {
    let mut block = Block::default();
    // Parameters come first, as Paddle writes them.
    let mut read = vec![0; call.operands.len()];
    for constants in [true, false] {
        for (k, (name, operand)) in call.named().enumerate().filter(|(_, (_, own))| own.constant == constants) {
            let dims: Vec<i64> = operand.shape.iter().map(|&dim| dim as i64).collect();
            let element = if call.is_condition(name) { "bool" } else { "f32" };
            read[k] = if constants { block.parameter(name, element, &dims) } else { block.data(name, element, &dims) };
        }
    }
    if op == "expand" {
        read.push(block.target(&call.target()));
    }
    let result: Vec<i64> = call.dims().iter().map(|dim| dim.map_or(-1, |dim| dim as i64)).collect();
    let value = block.operation(&format!("1.{op}"), &[], &read, ("f32", &result));
    let fetch = vec![attribute("name", "0.a_str", &json!("fetch_name_0")), attribute("col", "0.a_i32", &json!(0))];
    block.operation("1.fetch", &fetch, &[value], ("f32", &result));
    let program = json!({
        "base_code": {"magic": "pir", "trainable": false, "version": PIR_VERSION},
        "program": {"regions": [{"#": "region_0", "blocks": [{"#": "block_0", "args": [], "ops": block.ops}]}]},
    });
    File { extension: ".json", bytes: program.to_string().into_bytes() }
}

/// The operations so far, and the number of the last value.
#[derive(Default)]
struct Block {
    ops: Vec<Value>,
    last: i64,
}

fn attribute(name: &str, kind: &str, value: &Value) -> Value {
    json!({"AT": {"#": kind, "D": value}, "N": name})
}

impl Block {
    /// Makes a value of the next number.
    fn value(&mut self, element: &str, dims: &[i64]) -> Value {
        self.last += 1;
        let kind = json!([{"#": format!("0.t_{element}")}, dims, "NCHW", [], 0]);
        json!({"%": self.last, "TT": {"#": "0.t_dtensor", "D": kind}})
    }

    /// Adds an operation with one result, and returns the number of the result.
    fn operation(&mut self, kind: &str, attributes: &[Value], read: &[i64], result: (&str, &[i64])) -> i64 {
        let read: Vec<Value> = read.iter().map(|number| json!({"%": number})).collect();
        let value = self.value(result.0, result.1);
        self.ops.push(json!({"#": kind, "A": attributes, "I": read, "O": [value], "OA": []}));
        self.last
    }

    /// Adds a parameter; its flags say that it is persistable and that no gradient stops.
    fn parameter(&mut self, name: &str, element: &str, dims: &[i64]) -> i64 {
        let value = self.value(element, dims);
        self.ops.push(json!({"#": "p", "A": [0, 1, 1, name], "DA": [], "O": value, "OA": [1, 0, 1], "QA": []}));
        self.last
    }

    /// Adds an input.
    fn data(&mut self, name: &str, element: &str, dims: &[i64]) -> i64 {
        let dtype = if element == "f32" { "float32" } else { element };
        let attributes = vec![
            attribute("name", "0.a_str", &json!(name)),
            attribute("shape", "1.a_intarray", &json!(dims)),
            attribute("dtype", "1.a_dtype", &json!(dtype)),
            attribute("place", "1.a_place", &json!([0, 0, ""])),
        ];
        self.operation("1.data", &attributes, &[], (element, dims))
    }

    /// Adds the shape that `expand` stretches to.
    fn target(&mut self, dims: &[i64]) -> i64 {
        let list: Vec<Value> = dims.iter().map(|dim| json!({"#": "0.a_i64", "D": dim})).collect();
        let attributes = vec![
            attribute("value", "0.a_array", &json!(list)),
            attribute("dtype", "1.a_dtype", &json!("int64")),
            attribute("place", "1.a_place", &json!([1, 0, ""])),
        ];
        self.operation("1.full_int_array", &attributes, &[], ("i64", &[dims.len() as i64]))
    }
}
