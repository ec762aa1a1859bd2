//! The guide to configurations shows what the command prints in a project with the settings of the guide.

use std::{fs, path::Path};

#[test]
fn configuration() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let guide = root.join("docs/reference/configuration.md");
    let text = fs::read_to_string(&guide).unwrap();
    let settings = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the settings");
    let project = std::env::temp_dir().join(format!("broadaxe-guide-{}", std::process::id()));
    fs::create_dir_all(project.join("models/legacy")).unwrap();
    for model in ["face.onnx", "new.onnx", "legacy/old.onnx"] {
        fs::copy(root.join("examples/face.onnx"), project.join("models").join(model)).unwrap();
    }
    fs::write(project.join("broadaxe.toml"), settings).unwrap();
    fs::write(project.join("typo.toml"), "for = [\"onnx\"]\nfail-om = [\"differs\"]\n").unwrap();
    let unused = "for = [\"onnx\"]\n\n[[ignore]]\nnode = \"/head/act*\"\nreason = \"batch is always 1\"\n";
    fs::write(project.join("unused.toml"), unused).unwrap();
    std::env::set_current_dir(&project).unwrap();
    {
        // Runs what it was given when it is dropped.
        let _cases = trycmd::TestCases::new().env("COLUMNS", "80").env("LC_ALL", "C.UTF-8").case(&guide);
    }
    std::env::set_current_dir(root).unwrap();
    fs::remove_dir_all(&project).unwrap();
}
