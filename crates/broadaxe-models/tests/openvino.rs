//! OpenVINO's IR: shared graphs and small ones are read, written back, and changed.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use broadaxe_models::{
    Model, Source,
    edit::{Piece, Written},
    format,
};

/// Where real graphs lie, for those who have them.
fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/openvino")
}

fn small(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

/// All IRs at hand: name and bytes of the XML.
fn all() -> Vec<(String, Source)> {
    let mut files = vec![];
    for name in ["openvino_small.xml", "openvino_bodies.xml"] {
        files.push((name.to_string(), Source::open(&small(name)).unwrap()));
    }
    let Ok(folder) = fs::read_dir(shared()) else { return files };
    for entry in folder {
        let path = entry.unwrap().path();
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(fs::File::open(&path).unwrap()).read_to_end(&mut bytes).unwrap();
        files.push((path.file_stem().unwrap().to_str().unwrap().to_string(), Source::memory(bytes, None)));
    }
    files
}

/// Puts together the bytes of one written file.
fn bytes(model: &Model, written: &Written, extension: &str) -> Vec<u8> {
    let source = if extension.is_empty() { &model.source } else { model.weights.as_ref().unwrap() };
    let file = written.files.iter().find(|file| file.extension == extension).unwrap();
    let piece = |piece: &Piece| match piece {
        Piece::Kept { at, len } => source.read(*at, *len as usize).unwrap(),
        Piece::New(bytes) => bytes.clone(),
    };
    file.pieces.iter().flat_map(piece).collect()
}

#[test]
fn every_graph_is_read_and_written_back_as_it_was() {
    let (mut operands, mut known) = (0, 0);
    let files = all();
    for (name, source) in &files {
        let model = format::read(source).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(model.format, "openvino", "{name}");
        let (mut here, mut unknown) = (0, Vec::new());
        for &id in &model.walk() {
            let node = model.node(id);
            if node.attribute("auto_broadcast").is_none() && node.op != "PReLU" {
                continue;
            }
            for input in node.inputs.iter().flatten() {
                let value = model.value(*input);
                here += 1;
                let declared = value.declared.as_ref();
                let told = if name.contains("_dyn") || name.contains("bodies") {
                    declared.is_some_and(|shape| shape.rank().is_some())
                } else {
                    declared.is_some_and(|shape| shape.known().is_some())
                };
                if !told {
                    unknown.push(format!("{} of {}", value.name, node.name));
                }
            }
        }
        assert!(unknown.is_empty(), "{name}: {} of {here} operands are unknown: {unknown:?}", unknown.len());
        operands += here;
        known += here - unknown.len();
        let written = format::write(&model, &[]).unwrap();
        assert_eq!(bytes(&model, &written, ""), source.read(0, source.len() as usize).unwrap(), "{name}");
        assert!(written.changes.is_empty());
    }
    println!("{} graphs, {known} of {operands} operands of element-wise nodes have a recorded shape", files.len());
    assert!(known > 10);
}
