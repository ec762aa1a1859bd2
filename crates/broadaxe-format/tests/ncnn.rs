//! Reads and writes texts of ncnn: the tiny ones of this repository, and the larger collection if it is available.

use std::{
    fs,
    path::{Path, PathBuf},
};

use broadaxe_format::{self as format, Edit, Model, Source, Use, graph::NodeId};
use broadaxe_testing::outside;

/// Lists the files with an extension in a folder and its folders.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|known| known == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Lists the tiny models, and the collection if it is available.
fn models() -> Vec<PathBuf> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = files(&home.join("tests/models"), "param");
    assert!(found.len() >= 3, "the tiny models are gone");
    let shared = outside::folder("models/ncnn");
    let more = if shared.is_dir() { files(&shared, "param") } else { Vec::new() };
    assert!(!shared.is_dir() || !more.is_empty(), "{} has no model", shared.display());
    outside::report("ncnn", &shared, more.len());
    found.extend(more);
    found
}

fn bytes(model: &Model, edits: &[Edit]) -> Result<Vec<u8>, broadaxe_format::Error> {
    let mut bytes = Vec::new();
    format::write(model, edits)?.files[0].write(model, &mut bytes).unwrap();
    Ok(bytes)
}

#[test]
fn unchanged_texts_are_the_same() {
    for path in models() {
        let model = format::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(matches!(model.format, "ncnn" | "pnnx"), "{}", path.display());
        assert_eq!(bytes(&model, &[]).unwrap(), fs::read(&path).unwrap(), "{}", path.display());
    }
}

/// A reshape in front of every input of every layer leaves all other words as they were.
#[test]
fn a_change_leaves_the_rest() {
    for path in models() {
        let model = format::open(&path).unwrap();
        let before = String::from_utf8(fs::read(&path).unwrap()).unwrap();
        let nodes = (0..model.nodes.len()).filter(|&node| !model.nodes[node].inputs.is_empty());
        for node in nodes.step_by(41) {
            let edit = Edit::Reshape { at: Use { node: NodeId(node as u32), input: 0 }, shape: vec![-1] };
            let after = String::from_utf8(bytes(&model, &[edit]).unwrap()).unwrap();
            let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
            assert_eq!(new.len(), old.len() + 1);
            let changed = old.iter().filter(|line| !new.contains(*line)).count();
            // The counts and the layer.
            assert_eq!(changed, 2, "{} {node}", path.display());
        }
    }
}

#[test]
fn a_changed_text_of_pnnx_is_read_as_one() {
    // The mark of pnnx is so far down that an insertion above moves it out of the bytes that detection reads.
    let mut layers = vec![String::from("pnnx_input in 0 1 0")];
    layers.extend((0..113).map(|k| format!("aten_relu layer_{k} 1 1 {k} {} dim=0", k + 1)));
    layers.push("pnnx.Output out 1 0 0".into());
    let text = format!("7767517\n{} {}\n{}\n", layers.len(), layers.len() - 1, layers.join("\n"));
    let mark = text.find("pnnx.").unwrap();
    assert!((3900..4080).contains(&mark), "the mark of pnnx is at byte {mark}");
    let model = format::read(&Source::memory(text.into_bytes(), Some("a.param".into()))).unwrap();
    assert_eq!(model.format, "pnnx");
    let edits: Vec<Edit> =
        (1..=8).map(|k| Edit::Unsqueeze { at: Use { node: NodeId(k), input: 0 }, axes: vec![0, 2] }).collect();
    let changed = format::changed(&model, &format::write(&model, &edits).unwrap()).unwrap();
    assert_eq!((changed.format, changed.nodes.len() > model.nodes.len()), ("pnnx", true));
}
