//! What must hold of the mutants of `broadaxe_testing::mutate`.

#[path = "../checks/mod.rs"]
pub(crate) mod checks;
#[path = "../../../broadaxe-models/tests/readers/mod.rs"]
#[allow(dead_code, reason = "mutants have names and weights of their own")]
mod readers;

use std::path::PathBuf;

use broadaxe_cli::file::Format;
use broadaxe_models::Source;
use broadaxe_testing::mutate::MutantKind;

use self::readers::{Fixed, READERS, seen};

/// Returns the bytes of the weights of every IR, which has no other ones.
pub(crate) fn weights() -> Vec<u8> {
    (0..4096_u32).map(|k| (k % 251) as u8).collect()
}

/// Reads a mutant in all ways, and panics where something does not hold. Returns the fixed model, or nothing where the mutant is rejected.
pub(crate) fn holds(kind: &MutantKind, bytes: &[u8]) -> Option<Fixed> {
    if let Some(format) = Format::ALL.into_iter().find(|format| format.extension() == kind.name) {
        return checks::array(format, bytes).then_some(None);
    }
    let path = PathBuf::from("no/such/model").with_extension(kind.extensions[0]);
    let mut source = Source::memory(bytes, Some(path.clone()));
    if kind.name == "openvino" {
        source = source.with_weights(Source::memory(weights(), None));
    }
    checks::messages(&path, &source);
    let format = if kind.name == "litertlm" { "tflite" } else { kind.name };
    let reader = READERS.iter().find(|reader| reader.formats.contains(&format)).expect("a reader of the kind");
    seen(reader.name, &source, bytes);
    seen("model_check", &source, bytes)
}
