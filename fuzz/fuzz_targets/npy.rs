//! Reads arbitrary bytes as a `.npy` file: what must hold is in `checks`.

#![no_main]

#[path = "../../crates/broadaxe-cli/tests/checks/mod.rs"]
mod checks;

use broadaxe_cli::file::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    checks::array(Format::Npy, bytes);
});
