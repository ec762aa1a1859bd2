//! Real models are repaired, written, read again, and looked at again: what was repaired is the same on every target.

// What was repaired is part of the result.
#![allow(clippy::print_stderr)]

use std::{
    collections::BTreeSet,
    io::Read,
    path::{Path, PathBuf},
    sync::LazyLock,
    thread,
};

use broadaxe_models::{
    Model, NodeId, Source,
    check::{Verdict, check},
    fix::{self, Fix},
    format,
    infer::{Shapes, infer},
    profiles::Target,
    upgrade, verify,
};
use broadaxe_testing::outside;

/// Holds the models, as every test reads them.
static MODELS: LazyLock<Vec<Looked>> = LazyLock::new(|| {
    let (paths, jobs) = (paths(), thread::available_parallelism().map_or(1, usize::from));
    let look =
        |first: usize| paths.iter().enumerate().skip(first).step_by(jobs).map(|(k, path)| (k, Looked::at(path, k)));
    let mut all: Vec<(usize, Looked)> = thread::scope(|scope| {
        let running: Vec<_> = (0..jobs).map(|first| scope.spawn(move || look(first).collect::<Vec<_>>())).collect();
        running.into_iter().flat_map(|one| one.join().expect("models that can be read")).collect()
    });
    all.sort_by_key(|(k, _)| *k);
    all.into_iter().map(|(_, looked)| looked).collect()
});

/// Holds a model and its shapes.
struct Looked {
    path: PathBuf,
    model: Model,
    shapes: Shapes,
}

impl Looked {
    /// Reads a model; `k` is a number of its own.
    fn at(path: &Path, k: usize) -> Self {
        let model = read(path, k);
        let shapes = infer(&model, &[]).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path: path.to_owned(), model, shapes }
    }
}

/// Lists the models that are kept in this crate, and some of those in the shared folder where it is.
fn paths() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("../broadaxe-format/tests/models"), outside::folder("models")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("a folder that can be read").path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if [".onnx", ".onnx.gz", ".xml", ".xml.gz", ".param"].iter().any(|end| name.ends_with(end)) {
                found.push(path);
            }
        }
    }
    found.sort();
    let folder = outside::folder("models");
    let (shared, mut found): (Vec<_>, Vec<_>) = found.into_iter().partition(|path| path.starts_with(&folder));
    let shared = outside::sample(shared);
    outside::report("fix", &folder, shared.len());
    found.extend(shared);
    found
}

/// Reads a model; one whose weights were left out gets a file of zeros, in a folder with the number `k`.
fn read(path: &Path, k: usize) -> Model {
    let fail = |error: &dyn std::fmt::Display| -> Model { panic!("{}: {error}", path.display()) };
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    if !packed {
        return format::open(path).unwrap_or_else(|error| fail(&error));
    }
    let mut plain = Vec::new();
    let file = std::fs::File::open(path).expect("a file that can be read");
    flate2::read::MultiGzDecoder::new(file).read_to_end(&mut plain).expect("a packed file");
    let name = path.with_extension("");
    if name.extension().is_none_or(|extension| extension != "xml") {
        return format::read(&Source::memory(plain, Some(name))).unwrap_or_else(|error| fail(&error));
    }
    let folder = broadaxe_testing::temporary::path(&format!("fix-{k}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let unpacked = folder.join(name.file_name().expect("a name"));
    std::fs::write(&unpacked, plain).expect("a file");
    let weights = std::fs::File::create(unpacked.with_extension("bin")).expect("a file");
    weights.set_len(1 << 31).expect("a file with a hole");
    let model = format::open(&unpacked).unwrap_or_else(|error| fail(&error));
    let removed = std::fs::remove_dir_all(&folder);
    // Elsewhere the weights stay while the model has them open.
    assert!(removed.is_ok() || cfg!(not(unix)), "{removed:?}");
    model
}

fn targets(names: &[&str]) -> Vec<Target> {
    names.iter().map(|name| name.parse().expect(name)).collect()
}

/// Names a node by its result, which every change keeps.
fn named(model: &Model, node: NodeId) -> String {
    model.node(node).output(0).map_or_else(|| model.node(node).place.clone(), |value| model.value(value).name.clone())
}

/// Makes the changes and reads the result.
fn changed(path: &Path, model: &Model, fix: &Fix) -> (Model, Shapes) {
    let fail = |error| -> ! { panic!("{}: {error}", path.display()) };
    let written = format::write(model, &fix.edits).unwrap_or_else(|error| fail(error));
    let after = format::changed(model, &written).unwrap_or_else(|error| fail(error));
    let shapes = infer(&after, &[]).unwrap_or_else(|error| fail(error));
    (after, shapes)
}

/// Returns the nodes that do not mean the same on all targets; ncnn's files do not say what new layers make.
fn apart(model: &Model, shapes: &Shapes, targets: &[Target]) -> BTreeSet<String> {
    let findings = check(model, shapes, targets).findings;
    let unsaid = |verdict: &Verdict| matches!(verdict, Verdict::Unknown) && model.format == "ncnn";
    let apart =
        findings.iter().filter(|finding| !matches!(finding.verdict, Verdict::Same) && !unsaid(&finding.verdict));
    apart.map(|finding| named(model, finding.node)).collect()
}

// A test for each list of targets, which run at the same time.
#[test]
fn repaired_for_equal_rank() {
    repaired_models_mean_the_same(&["equal-rank"]);
}

#[test]
fn repaired_for_openvino_onnx_and_numpy() {
    repaired_models_mean_the_same(&["openvino", "onnx", "numpy"]);
}

#[test]
fn repaired_for_ncnn_and_openvino() {
    repaired_models_mean_the_same(&["ncnn", "openvino"]);
}

#[test]
fn repaired_for_a_lower_rank() {
    repaired_models_mean_the_same(&["rank<=4"]);
}

fn repaired_models_mean_the_same(names: &[&str]) {
    let targets = targets(names);
    let mut wrong = Vec::new();
    let (mut before, mut after, mut edits, mut left) = (0, 0, 0, 0);
    for Looked { path, model, shapes } in &*MODELS {
        let fix = fix::plan(model, shapes, &targets).expect("there are targets");
        let (fixed, fixed_shapes) = changed(path, model, &fix);
        let kept: BTreeSet<String> = fix.left.iter().map(|left| named(model, left.node)).collect();
        let still = apart(&fixed, &fixed_shapes, &targets);
        before += apart(model, shapes, &targets).len();
        after += still.len();
        edits += fix.edits.len();
        left += kept.len();
        if let Some(name) = still.difference(&kept).next() {
            wrong.push(format!("{} for {names:?}: {name} was to be repaired", path.display()));
        }
    }
    eprintln!(
        "{} models for {names:?}: {before} nodes before, {edits} changes, {after} nodes after, {left} left",
        MODELS.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn repaired_models_compute_the_same() {
    let (mut elements, mut count) = (0, 0);
    for Looked { path, model, shapes } in &*MODELS {
        if model.format != "onnx" || model.nodes.len() > 300 {
            continue;
        }
        let fix = fix::plan(model, shapes, &targets(&["equal-rank"])).expect("there are targets");
        let (fixed, fixed_shapes) = changed(path, model, &fix);
        let verified = verify::verify(model, shapes, &fixed, &fixed_shapes).expect("lengths that the model accepts");
        assert_eq!(verified.difference, None, "{}", path.display());
        elements += verified.elements;
        count += 1;
    }
    eprintln!("{count} models, {elements} elements");
    assert!(elements > 0);
}

#[test]
fn an_old_model_is_brought_to_opset_7() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../broadaxe-format/tests/models/onnx_legacy.onnx");
    let Looked { model, shapes, .. } = &Looked::at(&path, 0);
    let fix = upgrade::upgrade(model, shapes).expect("an ONNX model");
    assert_eq!(fix.left, []);
    let (upgraded, upgraded_shapes) = changed(&path, model, &fix);
    assert_eq!(upgraded.opsets[0].1, upgrade::OPSET);
    let verified = verify::verify(model, shapes, &upgraded, &upgraded_shapes).expect("lengths that the model accepts");
    assert_eq!((verified.difference, verified.nodes > 0), (None, true));
}
