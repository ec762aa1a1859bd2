//! Makes files that readers must reject or read, from small files that they read: changed bytes, texts and structures.
//!
//! The same seed, kind and number give the same file everywhere. `cargo xtask mutate` reads many of them.

mod bytes;
mod text;
mod fields;
mod flatbuffer;
mod bundle;
mod arrays;
mod zip;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{corpus, random::Random};

/// Changes a file once; the list has other files of its kind.
type Change = fn(&mut Random, &[u8], &[Vec<u8>]) -> Vec<u8>;

/// A kind of file.
#[derive(Debug)]
pub struct MutantKind {
    /// Its name on the command line.
    pub name: &'static str,
    /// The extension of its files, of which the first is that of the mutants.
    pub extensions: &'static [&'static str],
    /// The target whose corpus has files of this kind.
    corpus: Option<&'static str>,
    /// Writes files to start from.
    written: fn() -> Vec<Vec<u8>>,
    /// Changes the structure of a file.
    change: Change,
}

/// All kinds.
pub static MUTANT_KINDS: &[MutantKind] = &[
    model("onnx", &["onnx"], "onnx_model", fields::change),
    model("openvino", &["xml"], "openvino_ir", text::change),
    model("ncnn", &["param"], "ncnn_param", text::change),
    model("pnnx", &["pnnx.param"], "ncnn_param", text::change),
    model("paddle", &["json", "pdmodel"], "paddle_model", paddle),
    model("tflite", &["tflite"], "tflite_model", flatbuffer::change),
    MutantKind { name: "litertlm", extensions: &["litertlm"], corpus: None, written: bundles, change: bundle::change },
    written("npy", arrays::npy_seeds, arrays::change_npy),
    written("npz", zip::seeds, zip::change),
    written("safetensors", arrays::safetensors_seeds, arrays::change_safetensors),
];

/// A kind of models, which start from the models of the repository and the corpus of a target.
const fn model(
    name: &'static str,
    extensions: &'static [&'static str],
    corpus: &'static str,
    change: Change,
) -> MutantKind {
    MutantKind { name, extensions, corpus: Some(corpus), written: Vec::new, change }
}

/// A kind of array files, which start from the examples and from files that are written here.
const fn written(name: &'static str, written: fn() -> Vec<Vec<u8>>, change: Change) -> MutantKind {
    // The name of a format of arrays is its extension.
    let extensions: &'static [&'static str] = match name.len() {
        3 if name.as_bytes()[2] == b'y' => &["npy"],
        3 => &["npz"],
        _ => &["safetensors"],
    };
    MutantKind { name, extensions, corpus: None, written, change }
}

/// Changes a program of Paddle: JSON is a text, and an older program is a protocol buffer.
fn paddle(random: &mut Random, base: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let change = if base.first() == Some(&b'{') { text::change } else { fields::change };
    change(random, base, others)
}

/// Puts every `.tflite` of the repository into a `.litertlm`.
fn bundles() -> Vec<Vec<u8>> {
    let models = files(&["tflite"]);
    models.iter().flat_map(|model| [bundle::written(model, 1), bundle::written(model, 5)]).collect()
}

/// Reads the files of the repository with these extensions.
fn files(extensions: &[&str]) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["crates/broadaxe-format/tests/models", "docs/reports/upstream/models", "examples"];
    let is_of_kind = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        extensions.iter().any(|extension| name.ends_with(&format!(".{extension}")))
    };
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}")))
        .map(|entry| entry.expect("a file").path())
        .filter(is_of_kind)
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).collect()
}

/// The mutants of a kind.
#[derive(Debug)]
pub struct Mutants {
    kind: &'static MutantKind,
    /// Files of the repository or written here, and those of the corpus.
    sound: Vec<Vec<u8>>,
    found: Vec<Vec<u8>>,
}

/// The largest mutant.
const MOST_BYTES: usize = 1 << 23;

impl Mutants {
    /// Reads the files that mutants of this kind start from.
    ///
    /// # Panics
    /// When the repository cannot be read.
    pub fn new(kind: &'static MutantKind) -> Self {
        let sound: Vec<Vec<u8>> = files(kind.extensions).into_iter().chain((kind.written)()).collect();
        let folder = kind.corpus.map(|target| format!("corpus/{target}/"));
        let corpus = if folder.is_some() { corpus::files() } else { Vec::new() };
        let of_kind = |path: &str| folder.as_ref().is_some_and(|folder| path.starts_with(folder));
        let found = corpus.into_iter().filter(|(path, _)| of_kind(path)).map(|(_, bytes)| bytes).collect();
        Self { kind, sound, found }
    }

    /// Returns the kind.
    pub fn kind(&self) -> &'static MutantKind {
        self.kind
    }

    /// Returns the files that mutants start from, without those of the corpus, most of which are damaged.
    pub fn seeds(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.sound.iter().map(Vec::as_slice)
    }

    /// Makes the mutant of a number.
    pub fn mutant(&self, seed: u64, number: u64) -> Vec<u8> {
        let name = self.kind.name.bytes().fold(0, |hash: u64, byte| hash.wrapping_mul(257) ^ u64::from(byte));
        let mut random = Random::new(Random::new(Random::new(seed).bits() ^ name).bits() ^ number);
        let from = if random.once_in(4) && !self.found.is_empty() { &self.found } else { &self.sound };
        let mut bytes = random.one_of(from).clone();
        for _ in 0..*random.one_of(&[1, 1, 1, 2, 3, 8]) {
            let change = if random.once_in(4) { bytes::change } else { self.kind.change };
            bytes = change(&mut random, &bytes, &self.sound);
            bytes.truncate(MOST_BYTES);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn mutants_are_many_and_the_same_for_a_seed() {
        for kind in MUTANT_KINDS {
            let mutants = Mutants::new(kind);
            assert_ne!(mutants.seeds().len(), 0, "{}", kind.name);
            let list = |seed| (0..200).map(|number| mutants.mutant(seed, number)).collect::<Vec<_>>();
            let (first, again, other) = (list(1), list(1), list(2));
            assert!(first == again, "{}", kind.name);
            let seeds: HashSet<&[u8]> = mutants.seeds().collect();
            let all: HashSet<&[u8]> = first.iter().chain(&other).map(Vec::as_slice).collect();
            let new = all.difference(&seeds).count();
            assert!(new > 300, "{}: {new} of 400 are new", kind.name);
        }
    }
}
