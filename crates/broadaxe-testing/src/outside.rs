//! Finds files outside the repository, which some tests read, and counts them.

use std::{
    env,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Returns a folder of the collection next to the repository, which other clones may not have.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name)
}

/// Keeps every fourth file of a long test, or all where the variable `BROADAXE_LONG` is set, as `cargo xtask test --long` sets it.
pub fn sample(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let step = if env::var_os("BROADAXE_LONG").is_some() { 1 } else { 4 };
    files.into_iter().step_by(step).collect()
}

/// Prints how many files a test read there, also where the test's own output is not shown.
pub fn report(test: &str, folder: &Path, files: usize) {
    // Unlike `println!`, this is not captured by the test runner. A closed stream is no reason to fail.
    let _ = writeln!(io::stdout(), "{test}: read {files} files outside the repository, in {}", folder.display());
}
