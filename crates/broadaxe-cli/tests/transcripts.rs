//! What the command prints, as transcripts: `tests/cmd` and the README of the examples.
//!
//! `TRYCMD=overwrite cargo test -p broadaxe-cli --test transcripts` writes down what it prints now.

use std::path::Path;

#[test]
fn transcripts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    std::env::set_current_dir(root).unwrap();
    trycmd::TestCases::new()
        .env("COLUMNS", "80")
        .env("LC_ALL", "C.UTF-8")
        .env("BROADAXE_CACHE_DIR", std::env::temp_dir().join("broadaxe-transcripts").to_str().unwrap())
        .case(root.join("crates/broadaxe-cli/tests/cmd/*.trycmd"))
        .skip(root.join("crates/broadaxe-cli/tests/cmd/report.trycmd"))
        .case(root.join("examples/README.md"));
    // Its commands say how wide the terminal is.
    trycmd::TestCases::new().env("LC_ALL", "C.UTF-8").case(root.join("crates/broadaxe-cli/tests/cmd/report.trycmd"));
}
