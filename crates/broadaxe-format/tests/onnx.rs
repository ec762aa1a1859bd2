//! Real ONNX models are read, written back as they were, and changed in ways that keep what they compute.

// What was read, and how fast, is part of the result.
#![allow(clippy::print_stderr)]

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use broadaxe_format::{
    self as format, Edit, Model, NodeId, Source, Use, ValueId, Written,
    edit::{NewNode, Piece, Scalar, Wire},
    graph::Attribute,
};
use broadaxe_testing::{outside, random::Random};

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

/// Reads a file into memory; its weights are then read from there.
fn source(path: &Path) -> Source {
    if path.extension().is_none_or(|extension| extension != "gz") {
        return Source::open(path).unwrap();
    }
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut plain).unwrap();
    Source::memory(plain, Some(path.with_extension("")))
}

/// The models of this crate, those of the shared folder where it is, and those that `BROADAXE_MODELS` names.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("tests/models"), outside::folder("models/onnx")];
    folders.extend(std::env::var_os("BROADAXE_MODELS").iter().flat_map(std::env::split_paths));
    let mut all = Vec::new();
    for (k, folder) in folders.into_iter().enumerate() {
        let found = files(&folder, &[".onnx", ".onnx.gz"]);
        if k > 0 {
            outside::report("onnx", &folder, found.len());
        }
        assert!(!folder.exists() || !found.is_empty(), "no model in {}", folder.display());
        all.extend(found);
    }
    all
}

#[test]
fn real_models_come_back_byte_by_byte() {
    let (mut nodes, mut constants, mut slowest, mut wrong) = (0, 0, (0.0, PathBuf::new()), Vec::new());
    let all = models();
    for path in &all {
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
        if written.files.len() != 1 || written.files[0].pieces != [Piece::Kept { at: 0, len: source.len() }] {
            wrong.push(format!("{}: written back differently", path.display()));
        }
        wrong.extend(model.remarks.iter().map(|remark| format!("{}: remark: {remark}", path.display())));
    }
    let (ms, file) = (slowest.0 * 1e3, slowest.1.display());
    eprintln!("{} models, {nodes} nodes, {constants} constants; slowest {ms:.1} ms: {file}", all.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The recorded shape of a value that is known in all sizes, with at least one element.
fn known(model: &Model, value: ValueId) -> Option<Vec<usize>> {
    let value = model.value(value);
    let shape = match &value.constant {
        Some(constant) => constant.shape.clone(),
        None => value.declared.as_ref()?.known()?.dims().to_vec(),
    };
    (value.element.as_ref()?.dtype()?.is_float() && shape.iter().all(|&size| size > 0)).then_some(shape)
}

/// Changes of all kinds that keep what the model computes.
fn neutral(model: &Model, random: &mut Random) -> Vec<Edit> {
    let opset = model.opsets.iter().find(|(domain, _)| domain.is_empty()).map_or(0, |(_, version)| *version);
    let mut edits = Vec::new();
    for value in (0..model.values.len() as u32).map(ValueId) {
        let held = model.value(value);
        let graph = model.graph(held.graph);
        if let (Some(constant), 0) = (&held.constant, random.below(3))
            && !graph.inputs.contains(&value)
            && !graph.outputs.contains(&value)
        {
            edits.push(Edit::ReshapeConstant { value, shape: constant.shape.clone() });
        }
    }
    for id in model.walk() {
        let node = model.node(id);
        let (at, kind) = (Use { node: id, input: random.below(node.inputs.len().max(1)) }, random.below(10));
        let read = node.input(at.input);
        let shape = read.and_then(|value| known(model, value));
        let result = node.output(0).and_then(|value| known(model, value));
        let own: Option<Vec<i64>> = shape.as_ref().map(|shape| shape.iter().map(|&size| size as i64).collect());
        match (kind, own, result) {
            (0, Some(shape), _) => edits.push(Edit::Reshape { at, shape }),
            (1, Some(shape), _) => {
                let axes = vec![0, shape.len() as i64 + 1];
                edits.extend([Edit::Unsqueeze { at, axes }, Edit::Reshape { at, shape }]);
            }
            (2, Some(shape), _) if opset >= 8 => edits.push(Edit::Expand { at, shape }),
            (3, _, Some(result)) => {
                edits.push(Edit::ReshapeResult { node: id, shape: result.iter().map(|&size| size as i64).collect() });
            }
            (4 | 5, Some(_), Some(_)) if ["Add", "Mul"].contains(&node.op.as_str()) && opset >= 7 => {
                edits.push(Edit::Swap { node: id, op: node.op.clone() });
            }
            (6, Some(_), _) => {
                let value = read.unwrap();
                let free = model.graph(model.value(value).graph).inputs.contains(&value);
                if let (Some(constant), false) = (&model.value(value).constant, free) {
                    edits.push(Edit::CopyConstant { value, shape: constant.shape.clone(), uses: vec![at] });
                }
            }
            (7, ..) => {
                if let Some((name, Attribute::Int(value))) = node.attributes.first() {
                    edits.push(Edit::Attribute { node: id, name: name.clone(), value: Some(Scalar::Int(*value)) });
                }
            }
            (8 | 9, Some(shape), Some(_)) if node.op == "Relu" => edits.push(twice_negated(model, id, &shape, opset)),
            _ => {}
        }
    }
    edits
}

/// `Relu` of the input negated twice, once by the operator and once by a factor.
fn twice_negated(model: &Model, node: NodeId, shape: &[i64], opset: i64) -> Edit {
    let (input, output) = (model.node(node).input(0).unwrap(), model.node(node).output(0).unwrap());
    let new = |op: &str, inputs, output| NewNode { op: op.into(), inputs, output, attributes: vec![] };
    let word = |word: &str| Wire::New(word.to_owned());
    let mut with = vec![new("Neg", vec![Wire::Old(input)], word("neg"))];
    if opset >= 7 {
        with.push(new("Mul", vec![word("neg"), Wire::Number(-1.0)], word("again")));
        with.push(new("Reshape", vec![word("again"), Wire::Ints(shape.to_vec())], word("shaped")));
    } else {
        with.push(new("Neg", vec![word("neg")], word("shaped")));
    }
    with.push(new("Relu", vec![word("shaped")], Wire::Old(output)));
    Edit::Replace { node, with }
}

fn save(model: &Model, written: &Written, path: &Path) {
    let mut file = std::fs::File::create(path).unwrap();
    for piece in &written.files[0].pieces {
        match piece {
            Piece::Kept { at, len } => file.write_all(&model.source.read(*at, *len as usize).unwrap()).unwrap(),
            Piece::New(bytes) => file.write_all(bytes).unwrap(),
        }
    }
}

/// What is written can be read again, with all that was put in. With `BROADAXE_KEEP`, a folder, it stays there for others
/// to judge.
#[test]
fn changed_models_can_be_read() {
    let keep = std::env::var_os("BROADAXE_KEEP").map(PathBuf::from);
    let (mut count, mut wrong, mut random) = (0, Vec::new(), Random::new(7));
    for (k, path) in models().iter().enumerate() {
        let model = format::read(&source(path)).unwrap();
        let edits = neutral(&model, &mut random);
        count += edits.len();
        let written = match format::write(&model, &edits) {
            Ok(written) => written,
            Err(error) => {
                wrong.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        match format::changed(&model, &written) {
            Ok(changed) if changed.nodes.len() < model.nodes.len() => {
                wrong.push(format!("{}: nodes are lost", path.display()));
            }
            Ok(_) => {}
            Err(error) => wrong.push(format!("{}: after the changes: {error}", path.display())),
        }
        if let Some(keep) = &keep {
            let name = format!("{k}.onnx");
            save(&model, &written, &keep.join(&name));
            std::fs::write(keep.join(format!("{k}.from")), path.to_string_lossy().as_bytes()).unwrap();
        }
    }
    eprintln!("{count} changes");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
