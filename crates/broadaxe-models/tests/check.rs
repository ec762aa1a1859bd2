//! What targets do with the nodes of real models: nothing but what is known to differ, and all of that.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use broadaxe_models::{
    Model, Source, Target,
    check::{Report, Verdict, check},
    fix, format, infer,
};
use broadaxe_testing::outside;

/// Returns the folder of shared models; nothing in a clone without it.
fn shared() -> Option<PathBuf> {
    let root = outside::folder("models");
    root.is_dir().then_some(root)
}

/// Reads every model of a folder, or the small ones of this crate where there are none.
fn models(folder: &str, extension: &str) -> Vec<(String, Model)> {
    let root = match shared() {
        Some(root) => root.join(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../broadaxe-format/tests/models"),
    };
    let mut found: Vec<(String, Model)> = Vec::new();
    for entry in std::fs::read_dir(&root).expect("the folder exists") {
        let path = entry.expect("its entries are read").path();
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let plain = name.trim_end_matches(".gz").to_string();
        if !plain.ends_with(extension) {
            assert!(shared().is_none(), "{name} is skipped");
            continue;
        }
        let mut bytes = Vec::new();
        let mut file = File::open(&path).expect("the file opens");
        if plain == name {
            file.read_to_end(&mut bytes).expect("it is read");
        } else {
            flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("it unpacks");
        }
        let source = Source::memory(bytes, Some(root.join(&plain)));
        found.push((plain, format::read(&source).unwrap_or_else(|error| panic!("{name}: {error}"))));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let (read, all) = (if shared().is_some() { found.len() } else { 0 }, outside::folder("models").join(folder));
    outside::report("check", &all, read);
    assert!(!found.is_empty(), "{}", root.display());
    found
}

fn report(model: &Model, targets: &str) -> Report {
    let targets: Vec<Target> = targets.split(',').map(|text| text.parse().expect("a target")).collect();
    let shapes = infer::infer(model, &[]).expect("shapes are inferred");
    check(model, &shapes, &targets)
}

/// No model means anything else under the rules of ONNX, NumPy, OpenVINO and Paddle; the engines agree.
#[test]
fn no_false_findings() {
    for (folder, extension, wanted) in [("onnx", ".onnx", 39), ("openvino", ".xml", 39)] {
        let (mut nodes, mut wrong) = (0, Vec::new());
        let models = models(folder, extension);
        assert!(shared().is_none() || models.len() == wanted, "{} models", models.len());
        for (name, model) in models {
            let report = report(&model, "onnx,numpy,openvino,paddle");
            nodes += report.nodes;
            let bad = report.findings.iter().filter(|finding| !matches!(finding.verdict, Verdict::Same));
            wrong.extend(bad.map(|finding| format!("{name}: {} {}", model.node(finding.node).name, finding.reason)));
        }
        assert!(shared().is_none() || wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(shared().is_none() || nodes > 4000, "{nodes} nodes");
    }
}

/// ncnn's own files align to the left, which ONNX refuses, or reads otherwise where sizes coincide.
#[test]
fn left_aligned_broadcasts_are_found() {
    outside::report("check", &outside::folder("models/ncnn"), usize::from(shared().is_some()));
    let Some(root) = shared() else { return left_aligned(&small_efficientnet(), 1) };
    let path = root.join("ncnn/shipped/efficientnet_b0.param");
    left_aligned(&format::open(&path).expect("it is read"), 16);
}

fn left_aligned(model: &Model, wanted: usize) {
    let report = report(model, "onnx,ncnn");
    let found: Vec<_> = report.findings.iter().filter(|found| !matches!(found.verdict, Verdict::Same)).collect();
    assert_eq!(found.len(), wanted);
    for finding in found {
        assert_eq!((&*finding.target, finding.verdict.name()), ("onnx", "refused"), "{}", finding.reason);
        let near = finding.near.as_ref().expect("sizes that coincide");
        let (slow, example) = (near.shapes[0][0], &near.example);
        assert_eq!(near.shapes[0][2], slow, "{}", finding.reason);
        assert_eq!(
            (example.element.as_slice(), &example.reads[1], &example.target_reads[1]),
            (&[0, 0, 1][..], &vec![0], &vec![1])
        );
        assert_ne!(Some(example.here), example.there);
    }
}

/// Every finding has a repair, with its cost.
#[test]
fn findings_are_advised() {
    let model = small_efficientnet();
    let targets: Vec<Target> = vec!["onnx".parse().expect("a target"), "rank<=2".parse().expect("a target")];
    let shapes = infer::infer(&model, &[]).expect("shapes are inferred");
    let mut report = check(&model, &shapes, &targets);
    fix::advise(&model, &shapes, &targets, &mut report).expect("there are targets");
    let repairs: Vec<_> = report.findings.iter().map(|found| (found.verdict.name(), found.repair.as_ref())).collect();
    let [("refused", Some(onnx)), ("refused", Some(rank))] = repairs[..] else { panic!("{repairs:?}") };
    assert!(onnx.text.contains('b') && onnx.copied.bytes() == Some(0), "{onnx:?}");
    assert!(!rank.text.is_empty(), "{rank:?}");
}

/// Makes the block of such a network that has the broadcast.
fn small_efficientnet() -> Model {
    let text = "7767517\n4 5\nInput a 0 1 a -23330=4,3,4,4,8 0=4 1=4 2=8\nSplit s 1 2 a a0 a1 -23330=8,3,4,4,8,3,4,4,8\n\
                Pooling p 1 1 a1 b -23330=4,1,8,1,1 0=1 4=1\nBinaryOp m 2 1 a0 b c -23330=4,3,4,4,8 0=2\n";
    let path = Some(PathBuf::from("small.param"));
    format::read(&Source::memory(text.as_bytes().to_vec(), path)).expect("it is read")
}
