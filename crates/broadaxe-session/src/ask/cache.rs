//! Keeps answers in the user's cache folder, one small file each.
//!
//! The name of a file is a hash of everything that the answer depends on: the engine and its version, the script that drives
//! it, the question with its numbers, and the right answer. So nothing in a file is ever out of date. A file that cannot be
//! read is the same as none.

use std::{
    env,
    path::{Path, PathBuf},
};

use broadaxe_models::ask::{Outcome, Question};
use serde::{Serialize, de::DeserializeOwned};

use super::{child::request, engines::Engine};
use crate::{fingerprint::hash, store};

/// The largest file that is an answer.
const MAX_BYTES: u64 = 16 << 20;

/// Where answers are kept; none where the user has no cache folder.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    folder: Option<PathBuf>,
    reads: bool,
}

impl Cache {
    /// Uses the user's cache folder; without `reads`, everything is asked again.
    pub(super) fn of_user(reads: bool) -> Self {
        Self { folder: store::folder("asked"), reads }
    }

    /// Keeps nothing.
    pub(super) fn none() -> Self {
        Self { folder: None, reads: false }
    }

    #[cfg(all(test, unix))]
    pub(super) fn at(folder: &Path, reads: bool) -> Self {
        Self { folder: Some(folder.to_owned()), reads }
    }

    /// Returns the file of an answer.
    pub(super) fn file(&self, engine: &Engine, script: &str, question: &Question) -> Option<PathBuf> {
        let wanted: Vec<u8> = question.wanted().iter().flat_map(|value| value.to_le_bytes()).collect();
        let asked = request(question, engine.wanted.runtime.formats[0]);
        self.named(engine, script, &[&asked, &wanted])
    }

    /// Returns the file of what is known of something that an engine was asked.
    pub(super) fn named(&self, engine: &Engine, script: &str, asked: &[&[u8]]) -> Option<PathBuf> {
        let variables = ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"].map(|name| env::var(name).unwrap_or_default());
        let runtime = engine.wanted.runtime;
        let [drivers, more] = &variables;
        let texts = [runtime.name, &engine.version, env::consts::ARCH, drivers, more, script];
        let parts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).chain(asked.iter().copied()).collect();
        let version: String = engine.version.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
        let name = format!("{}-{version}-{:032x}.json", runtime.name, hash(&parts));
        Some(self.folder.as_ref()?.join(name))
    }

    /// Reads what is known, in whatever form.
    pub(super) fn read_as<T: DeserializeOwned>(&self, file: Option<&Path>) -> Option<T> {
        let file = file.filter(|_| self.reads)?;
        serde_json::from_slice(&store::read(file, MAX_BYTES)?).ok()
    }

    /// Writes what is known.
    pub(super) fn write_as<T: Serialize>(file: Option<&Path>, known: &T) {
        if let (Some(file), Ok(text)) = (file, serde_json::to_vec(known)) {
            store::write(file, &text);
        }
    }

    /// Reads an answer.
    pub(super) fn read(&self, file: Option<&Path>) -> Option<Outcome> {
        let outcome: Outcome = self.read_as(file)?;
        outcome.is_valid().then_some(outcome)
    }

    /// Writes an answer, unless nothing was found out. An answer that cannot be written is asked for again next time.
    pub(super) fn write(file: Option<&Path>, outcome: &Outcome) {
        Self::write_as(file.filter(|_| outcome.verdict != "unknown"), outcome);
    }
}
