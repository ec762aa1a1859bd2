//! Real ONNX models are read, and written back as they were.

use std::{
    io::Read,
    path::{Path, PathBuf},
    time::Instant,
};

use broadaxe_models::{Model, Source, edit::Piece, format};

/// Lists the files of a folder and of those beneath it, whose names end like this.
fn files(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if ends.iter().any(|end| name.ends_with(end)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn source(path: &Path) -> Source {
    let bytes = std::fs::read(path).unwrap();
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut plain = Vec::new();
        flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut plain).unwrap();
        Source::memory(plain, None)
    } else {
        Source::memory(bytes, Some(path.to_path_buf()))
    }
}

/// Puts a written model together.
fn assembled(model: &Model, pieces: &[Piece]) -> Vec<u8> {
    let bytes = |piece: &Piece| match piece {
        Piece::Kept { at, len } => model.source.read(*at, *len as usize).unwrap(),
        Piece::New(bytes) => bytes.clone(),
    };
    pieces.iter().flat_map(bytes).collect()
}

/// Reads all models of the shared folder and of those that `BROADAXE_MODELS` names, and writes them back.
#[test]
fn real_models_come_back_byte_by_byte() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/onnx");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let mut folders = vec![own, shared];
    folders.extend(std::env::var_os("BROADAXE_MODELS").iter().flat_map(std::env::split_paths));
    for folder in folders {
        let (mut nodes, mut constants, mut wrong) = (0, 0, Vec::new());
        let found = files(&folder, &[".onnx", ".onnx.gz"]);
        let mut slowest = (0.0, PathBuf::new());
        for path in &found {
            let source = source(path);
            let start = Instant::now();
            let model = match format::read(&source) {
                Ok(model) => model,
                Err(error) => {
                    wrong.push(format!("{}: {error}", path.display()));
                    continue;
                }
            };
            let seconds = start.elapsed().as_secs_f64();
            if seconds > slowest.0 {
                slowest = (seconds, path.clone());
            }
            nodes += model.nodes.len();
            constants += model.values.iter().filter(|value| value.constant.is_some()).count();
            let written = format::write(&model, &[]).unwrap();
            let back = assembled(&model, &written.files[0].pieces);
            if back != source.read(0, source.len() as usize).unwrap() {
                wrong.push(format!("{}: written back differently", path.display()));
            }
            wrong.extend(model.remarks.iter().map(|remark| format!("{}: remark: {remark}", path.display())));
        }
        eprintln!(
            "{}: {} models, {nodes} nodes, {constants} constants; slowest {:.1} ms: {}",
            folder.display(),
            found.len(),
            slowest.0 * 1e3,
            slowest.1.display()
        );
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
