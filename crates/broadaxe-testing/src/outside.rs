//! Finds files outside the repository, which some tests read, and counts them.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Returns a folder of the collection next to the repository, which other clones may not have.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name)
}

/// Prints how many files a test read there, also where the test's own output is not shown.
pub fn report(test: &str, folder: &Path, files: usize) {
    // Unlike `println!`, this is not captured by the test runner. A closed stream is no reason to fail.
    let _ = writeln!(io::stdout(), "{test}: read {files} files outside the repository, in {}", folder.display());
}
