//! Prints the cases of alignment as lines of JSON: the address of the page that asks each, and what it is to answer.

#![allow(clippy::print_stdout, reason = "the output is what the example is for")]

use std::{error::Error, path::Path};

use broadaxe_draw::Address;
use broadaxe_shape::{Shape, SymbolicShape};
use broadaxe_testing::cases::{Cases, read_folder};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    for file in read_folder(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases")))? {
        let Cases::Align(cases) = &file.cases else { continue };
        for case in cases {
            // A rule that cannot be made is no state of the page.
            let Ok(rule) = case.rule.rule() else { continue };
            let shapes = case.shapes.iter().map(|dims| SymbolicShape::from(&Shape::from(dims.as_slice()))).collect();
            let address = Address { shapes, rule: Some(rule) };
            let want = case
                .want
                .as_ref()
                .map(|want| json!({ "shape": want.shape, "strides": want.strides, "split": want.split }));
            println!("{}", json!({ "id": case.id, "address": address.to_string(), "want": want }));
        }
    }
    Ok(())
}
