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
    let models = files(&root.join("../broadaxe-format/tests/models"));
    assert!(!models.is_empty());
    let corpus = broadaxe_testing::corpus::files();
    let models: Vec<(String, Vec<u8>)> =
        models.iter().map(|path| (path.display().to_string(), fs::read(path).unwrap())).collect();
    let (mut failed, mut read) = (Vec::new(), 0);
    for reader in READERS {
        let folder = format!("corpus/{}/", reader.name);
        let kept: Vec<_> = corpus.iter().filter(|(path, _)| path.starts_with(&folder)).collect();
        assert!(!kept.is_empty(), "the corpus of {} is empty", reader.name);
        eprintln!("{}: {} files of the corpus, {} models", reader.name, kept.len(), models.len());
        read += kept.len();
        for (path, bytes) in kept.into_iter().chain(&models) {
            if catch_unwind(|| holds(reader.name, bytes)).is_err() {
                failed.push(format!("{path} as {}", reader.name));
            }
        }
    }
    assert_eq!(read, corpus.len(), "some folder of the corpus is of no target");
    assert!(failed.is_empty(), "these do not hold:\n{}", failed.join("\n"));
}
