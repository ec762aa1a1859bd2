//! Reads arbitrary bytes as a model of any format and checks it for all targets: what must hold is in `readers` and `checks`.

#![no_main]

#[path = "../../crates/broadaxe-cli/tests/checks/mod.rs"]
mod checks;
#[path = "../../crates/broadaxe-models/tests/readers/mod.rs"]
mod readers;

use std::path::PathBuf;

use broadaxe_models::Source;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let path = PathBuf::from("no/such/model");
    checks::messages(&path, &Source::memory(bytes, Some(path.clone())));
    readers::holds("model_check", bytes);
});
