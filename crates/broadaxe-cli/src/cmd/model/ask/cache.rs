//! Keeps answers in the user's cache folder, one small file each.
//!
//! The name of a file is a hash of everything that the answer depends on: the engine and its version, the script that drives
//! it, the question with its numbers, and the right answer. So nothing in a file is ever out of date. A file that cannot be
//! read is the same as none.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use broadaxe_models::ask::{Outcome, Question};

use super::{child::request, engines::Engine};
use crate::{cmd::model::fingerprint::hash, stop};

/// The largest file that is an answer.
const MAX_BYTES: u64 = 1 << 20;

/// Where answers are kept; none where the user has no cache folder.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    folder: Option<PathBuf>,
    reads: bool,
}

impl Cache {
    /// Uses the user's cache folder; without `reads`, everything is asked again.
    pub(super) fn of_user(reads: bool) -> Self {
        Self { folder: user_folder(), reads }
    }

    #[cfg(all(test, unix))]
    pub(super) fn at(folder: &Path, reads: bool) -> Self {
        Self { folder: Some(folder.to_owned()), reads }
    }

    /// Returns the file of an answer.
    pub(super) fn file(&self, engine: &Engine, script: &str, question: &Question) -> Option<PathBuf> {
        let variables = ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"].map(|name| env::var(name).unwrap_or_default());
        let wanted: Vec<u8> = question.wanted().iter().flat_map(|value| value.to_le_bytes()).collect();
        let (runtime, asked) = (engine.wanted.runtime, request(question, Duration::ZERO));
        let [drivers, more] = &variables;
        let texts = [runtime.name, &engine.version, env::consts::ARCH, drivers, more, script];
        let parts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).chain([&asked[..], &wanted[..]]).collect();
        let version: String = engine.version.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
        let name = format!("{}-{version}-{:032x}.json", runtime.name, hash(&parts));
        Some(self.folder.as_ref()?.join(name))
    }

    /// Reads an answer.
    pub(super) fn read(&self, file: Option<&Path>) -> Option<Outcome> {
        let file = file.filter(|_| self.reads)?;
        fs::metadata(file).ok().filter(|about| about.is_file() && about.len() <= MAX_BYTES)?;
        let outcome: Outcome = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        outcome.is_valid().then_some(outcome)
    }

    /// Writes an answer, unless nothing was found out. An answer that cannot be written is asked for again next time.
    pub(super) fn write(&self, file: Option<&Path>, outcome: &Outcome) {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let Some((file, folder)) = file.zip(self.folder.as_ref()) else { return };
        let Ok(text) = serde_json::to_vec(outcome) else { return };
        if outcome.verdict == "unknown" || fs::create_dir_all(folder).is_err() {
            return;
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!(".{}-{number}.broadaxe-tmp", std::process::id()));
        let Ok(mut to) = stop::create(&temporary) else { return };
        if to.write_all(&text).is_err() || stop::keep(&temporary, file).is_err() {
            stop::remove(&temporary);
        }
    }
}

/// Returns the folder for answers, as the system wants it.
fn user_folder() -> Option<PathBuf> {
    let of = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let system = if cfg!(windows) {
        of("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        of("HOME").map(|home| home.join("Library/Caches"))
    } else {
        of("HOME").map(|home| home.join(".cache"))
    };
    Some(of("XDG_CACHE_HOME").or(system)?.join("broadaxe").join("asked"))
}
