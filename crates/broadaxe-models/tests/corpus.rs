//! What fuzzing has kept is read again: every file of the corpus by its target, and every model of these tests by all.

// How many files were read is part of the result.
#![allow(clippy::print_stderr)]

mod readers;

use std::{
    fs,
    panic::catch_unwind,
    path::{Path, PathBuf},
};

use readers::{READERS, holds};

/// Lists the files of a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    found.sort();
    found
}

#[test]
fn corpus() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let models = files(&root.join("tests/models"));
    assert!(!models.is_empty());
    let mut failed = Vec::new();
    for reader in READERS {
        let kept = files(&root.join("../../fuzz/corpus").join(reader.name));
        assert!(!kept.is_empty(), "the corpus of {} is empty", reader.name);
        eprintln!("{}: {} files of the corpus, {} models", reader.name, kept.len(), models.len());
        for path in kept.iter().chain(&models) {
            let bytes = fs::read(path).unwrap();
            if catch_unwind(|| holds(reader.name, &bytes)).is_err() {
                failed.push(format!("{} as {}", path.display(), reader.name));
            }
        }
    }
    assert!(failed.is_empty(), "these do not hold:\n{}", failed.join("\n"));
}
