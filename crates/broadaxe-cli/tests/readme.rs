//! The README shows what the command prints, word for word.

use std::{fs, path::Path, process::Command};

#[test]
fn readme() {
    std::env::set_current_dir("../..").expect("the repository");
    // Runs what it was given when it is dropped.
    let _cases = trycmd::TestCases::new().env("LC_ALL", "C.UTF-8").case("README.md");
}

/// The schema that the guide names is the one that the command prints.
#[test]
fn schema() {
    let printed = Command::new(env!("CARGO_BIN_EXE_broadaxe")).args(["schema", "config"]).output();
    let printed = printed.expect("the command starts").stdout;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/broadaxe.schema.json");
    let kept = fs::read(path).expect("the schema");
    assert!(printed == kept, "broadaxe schema config > docs/reference/broadaxe.schema.json writes it");
}

/// The pictures of the pages are those that the command draws now.
#[test]
fn pictures() {
    let pictures: [(&str, &[&str]); 2] =
        [("compare.svg", &["compare", "2,2", "2"]), ("explain.svg", &["explain", "8,1,6,1", "7,1,5"])];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images");
    for (name, shapes) in pictures {
        let drawn = Command::new(env!("CARGO_BIN_EXE_broadaxe")).args(shapes).args(["--svg", "-"]).output();
        let drawn = drawn.expect("the command starts").stdout;
        let kept = fs::read(folder.join(name)).expect("the picture");
        assert!(drawn == kept, "broadaxe {} --svg docs/images/{name} draws it", shapes.join(" "));
    }
}
