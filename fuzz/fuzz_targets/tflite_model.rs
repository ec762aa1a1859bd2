//! Reads arbitrary bytes as a model of TFLite, alone or in a bundle: what must hold is in `readers`.

#![no_main]

#[path = "../../crates/broadaxe-models/tests/readers/mod.rs"]
mod readers;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| readers::holds("tflite_model", bytes));
