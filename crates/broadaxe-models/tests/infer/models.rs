//! The shapes of real models are inferred, all of them, and in time.

// How many models were read, and how fast, is part of the result.
#![allow(clippy::print_stderr)]

use std::{
    io::Read,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use broadaxe_models::{
    Source, format,
    graph::Model,
    infer::{Origin, Shapes, infer},
};
use broadaxe_shape::symbolic::{Dim, SymbolicShape};
use broadaxe_testing::outside;

/// Lists the files of a folder whose names end like this, by name.
fn files(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        entries.filter(|path| ends.iter().any(|end| path.to_string_lossy().ends_with(end))).collect();
    found.sort();
    found
}

fn read(path: &Path) -> Model {
    let mut bytes = std::fs::read(path).unwrap();
    let mut plain = path.to_path_buf();
    if path.extension().is_some_and(|extension| extension == "gz") {
        let packed = std::mem::take(&mut bytes);
        flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
        plain = path.with_extension("");
    }
    format::read(&Source::memory(bytes, Some(plain))).unwrap()
}

/// The models of this crate, and those of the shared folder where it is.
fn models(kind: &str, ends: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = outside::folder("models").join(kind);
    let (own, more) = (files(&root.join("../broadaxe-format/tests/models"), ends), files(&shared, ends));
    outside::report("infer", &shared, more.len());
    assert!(!own.is_empty() && (!shared.exists() || !more.is_empty()));
    own.into_iter().chain(more).collect()
}

/// Counts the values whose rank is not known.
fn unknown(shapes: &Shapes) -> usize {
    let unknown = |origin: &Origin| matches!(origin, Origin::Unknown(why) if !why.is_empty());
    shapes.of.iter().filter(|known| known.shape.rank().is_none() && unknown(&known.origin)).count()
}

#[test]
fn every_value_has_a_shape() {
    let mut slowest = Duration::ZERO;
    for path in models("onnx", &[".onnx", ".onnx.gz"]) {
        let model = read(&path);
        let start = Instant::now();
        let shapes = infer(&model, &[]).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        slowest = slowest.max(start.elapsed());
        assert_eq!(shapes.of.len(), model.values.len());
        // Models of this crate have bodies whose states are of any shape; real ones leave nothing open.
        if path.extension().is_some_and(|extension| extension == "gz") {
            assert_eq!(unknown(&shapes), 0, "{}", path.display());
            assert_eq!(static_dims(&model, &shapes), model.values.len(), "{}", path.display());
        }
    }
    eprintln!("the slowest inference took {slowest:?}");
}

/// Counts values without open extents; all, for a model whose inputs have some.
fn static_dims(model: &Model, shapes: &Shapes) -> usize {
    let known = |at: usize| shapes.of[at].shape.known().is_some();
    if model.main().inputs.iter().any(|id| !known(id.0 as usize)) {
        return shapes.of.len();
    }
    (0..shapes.of.len()).filter(|&at| known(at)).count()
}

#[test]
fn given_shapes_reach_everything() {
    for path in models("onnx", &[".onnx", ".onnx.gz"]) {
        let model = read(&path);
        let inputs = model.main().inputs.iter().map(|&id| model.value(id));
        let open: Vec<_> = inputs.filter(|value| value.constant.is_none()).collect();
        if !path.to_string_lossy().contains("_dyn.") {
            continue;
        }
        // The second axis of ids is their length; that of sounds has to be long enough for windows.
        let size = |axis: usize, rank: usize| {
            if axis == 0 {
                3
            } else if rank > 2 {
                70
            } else {
                3217
            }
        };
        let given: Vec<(String, Vec<Dim>)> = open
            .iter()
            .map(|value| {
                let dims = value.declared.as_ref().unwrap().dims().unwrap();
                let dims = dims.iter().enumerate().map(|(axis, dim)| dim.size().unwrap_or(size(axis, dims.len())));
                (value.name.clone(), dims.map(Dim::known).collect())
            })
            .collect();
        let shapes = infer(&model, &given).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let open = shapes.of.iter().filter(|known| known.shape.known().is_none()).count();
        // A sequence that is longer than a table of positions refuses the sum with it.
        assert!(open == 0 || unknown(&shapes) > 0, "{}: {open} values stay open", path.display());
    }
}

#[test]
fn recorded_shapes_are_taken() {
    for path in models("openvino", &[".xml", ".xml.gz"]) {
        let model = read(&path);
        let shapes = infer(&model, &[]).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(unknown(&shapes), 0, "{}", path.display());
        for (value, known) in model.values.iter().zip(&shapes.of) {
            let recorded = value.declared.as_ref().and_then(SymbolicShape::known);
            if let Some(recorded) = recorded.filter(|_| value.constant.is_none()) {
                assert_eq!(known.shape.known().as_ref(), Some(&recorded), "{}: {}", path.display(), value.name);
            }
        }
    }
}
