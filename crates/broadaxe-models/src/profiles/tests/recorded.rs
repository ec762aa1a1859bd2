//! Runtimes whose answers were recorded: one node each, asked on the runtime, and judged here.
//!
//! The tables in `recorded/` are a part of them. All are compared where the folder of recorded answers is next to the checkout, or
//! `BROADAXE_TRUTH` names it.
#![allow(clippy::print_stdout)]

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use broadaxe_testing::outside;
use serde_json::Value;

use crate::{profiles::keys, testing::gravest};

/// A runtime: the target, the file of its answers without the ending, and the table of a part of them.
type Runtime = (&'static str, &'static str, &'static str);

const RUNTIMES: &[Runtime] = &[
    ("mnn", "mnn", include_str!("recorded/mnn.txt")),
    ("ort-webgpu", "webgpu", include_str!("recorded/webgpu.txt")),
    ("tvm", "tvm", include_str!("recorded/tvm.txt")),
    ("tosa", "tosa", include_str!("recorded/tosa.txt")),
    ("ggml", "ggml", include_str!("recorded/ggml.txt")),
    ("qnn", "qnn", include_str!("recorded/qnn.txt")),
    ("coreml", "coreml", include_str!("recorded/coreml.txt")),
];

/// Operators by the names in the files; the names of Broadaxe's formats.
const NAMES: &[(&str, &str)] = &[
    ("ADD", "Add"),
    ("SUB", "Sub"),
    ("MUL", "Mul"),
    ("DIV", "Div"),
    ("POW", "Pow"),
    ("MAXIMUM", "Max"),
    ("MINIMUM", "Min"),
    ("EQUAL", "Equal"),
    ("LESS", "Less"),
    ("GREATER", "Greater"),
    ("LOGICAL_AND", "And"),
    ("SELECT_V2", "Where"),
    ("PRELU", "PRelu"),
    ("FLOOR_MOD", "FloorMod"),
    ("FLOOR_DIV", "floor_divide"),
];

/// A recorded case: the versions, the model, what the runtime did, and what Broadaxe says where that is another word.
struct Case {
    versions: Vec<String>,
    text: String,
    engine: &'static str,
    ours: &'static str,
}

const WORDS: &[&str] = &["same", "differs", "refused", "unsupported", "unknown"];

impl Case {
    /// Reads a line of a table: `3.0.0 3.2.0 | x(2); y=Relu(x) | same, differs`.
    fn read(line: &str) -> Self {
        let parts: Vec<&str> = line.split(" | ").collect();
        let [versions, text, want] = parts[..] else { panic!("{line}") };
        let word = |word: &str| WORDS.iter().find(|known| **known == word).copied().expect(line);
        let (engine, ours) = want.split_once(", ").unwrap_or((want, want));
        Self {
            versions: versions.split(' ').map(str::to_owned).collect(),
            text: text.to_owned(),
            engine: word(engine),
            ours: word(ours),
        }
    }

    fn write(&self) -> String {
        let want =
            if self.engine == self.ours { self.engine.to_owned() } else { format!("{}, {}", self.engine, self.ours) };
        format!("{} | {} | {want}", self.versions.join(" "), self.text)
    }

    /// Judges the model for a version, or for the target where it has no such version.
    fn found(&self, target: &str, version: &str) -> &'static str {
        let versioned = format!("{target}@{version}");
        gravest(&self.text, if versioned.parse::<super::Target>().is_ok() { &versioned } else { target })
    }

    /// Judges the model under each version, and lists the verdicts that are not the expected one.
    fn faults(&self, target: &str) -> Vec<String> {
        let mut faults = Vec::new();
        for version in &self.versions {
            let found = self.found(target, version);
            if found != self.ours {
                faults.push(format!(
                    "{target}@{version}: {}: {found}, not {} (the runtime: {})",
                    self.text, self.ours, self.engine
                ));
            }
        }
        faults
    }
}

/// Tables of small models, as `conformance/laws/record.py` asks about them: the target, the name of the table, and its rows.
const MODELS: &[(&str, &str, &str)] = &[
    ("mnn", "mnn_models", include_str!("recorded/mnn_models.txt")),
    ("tvm", "tvm_models", include_str!("recorded/tvm_models.txt")),
    ("ort-webgpu", "webgpu_models", include_str!("recorded/webgpu_models.txt")),
    ("qnn", "qnn_models", include_str!("recorded/qnn_models.txt")),
    ("coreml", "coreml_models", include_str!("recorded/coreml_models.txt")),
    ("onnx", "onnx_models", include_str!("recorded/onnx_models.txt")),
    ("mnn", "mnn_quantised", include_str!("recorded/mnn_quantised.txt")),
    ("mnn", "mnn_graphs", include_str!("recorded/mnn_graphs.txt")),
    ("qnn", "qnn_graphs", include_str!("recorded/qnn_graphs.txt")),
    ("tvm", "tvm_quantised", include_str!("recorded/tvm_quantised.txt")),
    ("ort-webgpu", "webgpu_quantised", include_str!("recorded/webgpu_quantised.txt")),
    ("qnn", "qnn_quantised", include_str!("recorded/qnn_quantised.txt")),
    ("onnx", "onnx_inside", include_str!("recorded/onnx_inside.txt")),
    ("openvino", "openvino_inside", include_str!("recorded/openvino_inside.txt")),
    ("mnn", "mnn_inside", include_str!("recorded/mnn_inside.txt")),
    ("tvm", "tvm_inside", include_str!("recorded/tvm_inside.txt")),
    ("ort-webgpu", "webgpu_inside", include_str!("recorded/webgpu_inside.txt")),
    ("ncnn", "ncnn_inside", include_str!("recorded/ncnn_inside.txt")),
    ("qnn", "qnn_inside", include_str!("recorded/qnn_inside.txt")),
    ("onnx", "onnx_integers", include_str!("recorded/onnx_integers.txt")),
    ("openvino", "openvino_integers", include_str!("recorded/openvino_integers.txt")),
    ("openvino", "openvino_weights", include_str!("recorded/openvino_weights.txt")),
    ("mnn", "mnn_integers", include_str!("recorded/mnn_integers.txt")),
    ("tvm", "tvm_integers", include_str!("recorded/tvm_integers.txt")),
    ("ort-webgpu", "webgpu_integers", include_str!("recorded/webgpu_integers.txt")),
    ("qnn", "qnn_integers", include_str!("recorded/qnn_integers.txt")),
    ("onnx", "onnx_contrib", include_str!("recorded/onnx_contrib.txt")),
    ("openvino", "openvino_contrib", include_str!("recorded/openvino_contrib.txt")),
    ("openvino", "openvino_laws", include_str!("recorded/openvino_laws.txt")),
    ("onnx", "onnx_laws", include_str!("recorded/onnx_laws.txt")),
    ("ncnn", "ncnn_laws", include_str!("recorded/ncnn_laws.txt")),
    ("mnn", "mnn_laws", include_str!("recorded/mnn_laws.txt")),
    ("tvm", "tvm_laws", include_str!("recorded/tvm_laws.txt")),
    ("opencv", "opencv_models", include_str!("recorded/opencv_models.txt")),
    ("opencv", "opencv_old", include_str!("recorded/opencv_old.txt")),
    ("opencv", "opencv_laws", include_str!("recorded/opencv_laws.txt")),
    ("nncase", "nncase_models", include_str!("recorded/nncase_models.txt")),
    ("nncase", "nncase_laws", include_str!("recorded/nncase_laws.txt")),
    ("rknn", "rknn_models", include_str!("recorded/rknn_models.txt")),
    ("rknn", "rknn_laws", include_str!("recorded/rknn_laws.txt")),
];

/// Says whether a line is a row. The engines alone are asked about functions, which no text here has.
fn is_row(line: &&str) -> bool {
    !line.starts_with('#') && !line.contains("| def ")
}

/// Compares recorded answers about small models. `BROADAXE_MODELS` names a folder of other answers, whose words of Broadaxe's go into
/// the folder `BROADAXE_RECORDED`.
#[test]
fn answers_about_models() {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from);
    let (other, out) = (folder("BROADAXE_MODELS"), folder("BROADAXE_RECORDED"));
    let mut faults = Vec::new();
    for (target, name, table) in MODELS {
        let read = |folder: &PathBuf| fs::read_to_string(folder.join(name).with_extension("txt"));
        // A folder that has some of the tables is asked about these.
        let given = other.as_ref().map(read);
        if matches!(given, Some(Err(_))) {
            continue;
        }
        let table = given.and_then(Result::ok).unwrap_or_else(|| (*table).to_owned());
        let mut cases: Vec<Case> = table.lines().filter(is_row).map(Case::read).collect();
        assert!(cases.len() > 15, "{target}");
        if let (Some(out), Some(_)) = (&out, &other) {
            for case in &mut cases {
                case.ours = case.found(target, &case.versions[0]);
            }
            let lines: Vec<String> = cases.iter().map(Case::write).collect();
            fs::write(out.join(name).with_extension("txt"), lines.join("\n") + "\n").expect("written");
        }
        for case in &cases {
            if case.engine != "same" && case.ours == "same" {
                faults.push(format!("{target}: a false same: {}", case.text));
            }
            faults.extend(case.faults(target));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// Lists for each law the tables whose rows it decides, and compares the list with `recorded/keys.txt`; `BROADAXE_WRITE=1` writes it.
#[test]
fn keys_of_laws() {
    let mut keys: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    let models = MODELS.iter().map(|(target, name, table)| (*target, *name, *table));
    for (target, name, table) in models.chain(RUNTIMES.iter().copied()) {
        for case in table.lines().filter(is_row).map(Case::read) {
            keys::decided();
            case.found(target, &case.versions[0]);
            for law in keys::decided() {
                *keys.entry(law).or_default().entry(name).or_default() += 1;
            }
        }
    }
    let tables = |rows: &BTreeMap<&str, usize>| {
        rows.iter().map(|(table, count)| format!("{table} {count}")).collect::<Vec<_>>().join(", ")
    };
    let lines: Vec<String> = keys.iter().map(|(law, rows)| format!("{law} | {}", tables(rows))).collect();
    let text = lines.join("\n") + "\n";
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/profiles/tests/recorded/keys.txt");
    if env::var_os("BROADAXE_WRITE").is_some() {
        fs::write(&path, &text).expect("written");
    }
    assert!(
        fs::read_to_string(&path).is_ok_and(|old| old == text),
        "{} is not current; run this test with BROADAXE_WRITE=1",
        path.display()
    );
}

/// Compares the verdicts on models that people reported: `model | onnx refused | openvino differs`.
#[test]
fn models_of_public_reports() {
    let mut faults = Vec::new();
    for line in include_str!("recorded/reports.txt").lines().filter(|line| !line.starts_with('#')) {
        let (text, verdicts) = line.split_once(" | ").expect(line);
        for pair in verdicts.split(" | ") {
            let (target, want) = pair.split_once(' ').expect(line);
            let found = gravest(text, target);
            if found != want {
                faults.push(format!("{text}: {found} on {target}, not {want}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn answers_of_the_tables() {
    let mut faults = Vec::new();
    for (target, _, table) in RUNTIMES {
        let cases: Vec<Case> = table.lines().filter(|line| !line.starts_with('#')).map(Case::read).collect();
        assert!(cases.len() > 50, "{target}");
        faults.extend(cases.iter().flat_map(|case| case.faults(target)));
        let words: Vec<&str> = cases.iter().map(|case| case.engine).collect();
        assert!(words.contains(&"same") && words.contains(&"refused"), "{target}");
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

fn dims(shape: &Value) -> Vec<usize> {
    let list = shape.as_array().expect("a shape");
    list.iter().map(|dim| dim.as_u64().and_then(|dim| usize::try_from(dim).ok()).expect("a dim")).collect()
}

fn list(dims: &[usize]) -> String {
    dims.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

/// Writes a case's node as a text for [`crate::testing::model`].
fn text(target: &str, case: &Value) -> String {
    let op = case["op"].as_str().expect("an operator");
    let kinds: Vec<char> = case["kinds"].as_str().expect("kinds").chars().collect();
    let mut shapes: Vec<Vec<usize>> = case["shapes"].as_array().expect("shapes").iter().map(dims).collect();
    if op == "BROADCAST_TO" {
        let (shape, target) = (list(&shapes[0]), list(&shapes[1]));
        let given = if target.is_empty() { String::new() } else { format!("={target}") };
        return format!("x({shape}); s=const:i64({}){given}; y=Expand(x,s)", shapes[1].len());
    }
    if target == "coreml" && op == "PRELU" && shapes[1].len() == 1 && shapes[0].len() > 2 {
        // Core ML's slope is a list for axis 1, which ONNX says with 1s behind it.
        let ones = shapes[0].len() - 2;
        shapes[1].extend(vec![1; ones]);
    }
    let names = ["a", "b", "c"];
    let operand = |k: usize| {
        let kind = if op == "LOGICAL_AND" || op == "SELECT_V2" && k == 0 { ":bool" } else { "" };
        match kinds[k] {
            // Core ML was asked with slopes that are one number.
            'c' if target == "coreml" && op == "PRELU" => format!("{}=const({})=0.5", names[k], list(&shapes[k])),
            'c' => format!("{}=const{kind}({})", names[k], list(&shapes[k])),
            _ => format!("{}{kind}({})", names[k], list(&shapes[k])),
        }
    };
    let operands: Vec<String> = (0..shapes.len()).map(operand).collect();
    let name = NAMES.iter().find(|(theirs, _)| *theirs == op).expect(op).1;
    let format = match (op, case.get("opset").and_then(Value::as_i64)) {
        ("FLOOR_MOD", _) => "ir; ".to_owned(),
        ("FLOOR_DIV", _) => "pnnx; ".to_owned(),
        (_, Some(opset)) => format!("opset {opset}; "),
        _ => String::new(),
    };
    let axis = case.get("axis").and_then(Value::as_i64).map(|axis| format!(" axis={axis}")).unwrap_or_default();
    let broadcast = if format.starts_with("opset") && op != "PRELU" { " broadcast=1" } else { "" };
    format!("{format}{}; y={name}({}){broadcast}{axis}", operands.join("; "), names[..shapes.len()].join(","))
}

/// Says whether NumPy's rule accepts the shapes of a case.
fn is_legal(case: &Value) -> bool {
    let shapes: Vec<Vec<usize>> = case["shapes"].as_array().expect("shapes").iter().map(dims).collect();
    let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    broadaxe_shape::Rule::numpy().align(&shapes).is_ok()
}

/// Makes a case of a record; nothing where it is about shapes of Core ML that ONNX would say otherwise.
fn case(target: &str, record: &Value) -> Option<Case> {
    let shapes = &record["shapes"];
    // These were compiled without the model of the chip, and found no memory; the table has them with it.
    if target == "qnn" && record["op"] == "SELECT_V2" {
        return None;
    }
    if target == "coreml" && record["op"] == "PRELU" && dims(&shapes[1]).len() != 1 {
        let channels = dims(&shapes[0]).get(1).copied();
        if channels == Some(1) || dims(&shapes[1]).iter().product::<usize>() > 1 {
            return None;
        }
    }
    let (engine, ours) = match record["answer"].as_str().expect("an answer") {
        "right" | "accepted" => ("same", "same"),
        "wrong" | "shape" => ("differs", "differs"),
        // Without a result of ONNX's the model is wrong by its own rule; with one, ggml's differs in leading 1s only.
        "tiled" if is_legal(record) => ("same", "same"),
        "refused" | "crash" | "tiled" => ("refused", if target == "ort-webgpu" { lacking(record) } else { "refused" }),
        other => panic!("{other}"),
    };
    let versions = record["version"].as_str().expect("versions").split(' ').map(str::to_owned).collect();
    let ours = known(target, record, engine).unwrap_or(ours);
    Some(Case { versions, text: text(target, record), engine, ours })
}

/// Returns the word for a refusal of WebGPU, which has no kernel for some operators.
fn lacking(record: &Value) -> &'static str {
    let absent = ["PRELU", "MAXIMUM", "MINIMUM"].contains(&record["op"].as_str().unwrap_or_default());
    if absent && (is_legal(record) || record["op"] == "PRELU") || record.get("opset").is_some() {
        "unsupported"
    } else {
        "refused"
    }
}

/// Returns what Broadaxe says where it is not what the runtime did, for reasons that are known.
fn known(target: &str, record: &Value, engine: &str) -> Option<&'static str> {
    let op = record["op"].as_str().unwrap_or_default();
    let shapes: Vec<Vec<usize>> = record["shapes"].as_array().expect("shapes").iter().map(dims).collect();
    let views: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
    let old = record.get("opset").is_some() && op != "PRELU";
    let legacy = broadaxe_shape::Rule::onnx_legacy(record.get("axis").and_then(Value::as_i64));
    match (target, op) {
        // The schemas of opset 6 let no 1 stretch among other sizes, and the runtimes' reference did.
        _ if old && legacy.align(&views).is_err() => Some("refused"),
        // Which nodes of Pow fail was not found.
        ("qnn", "POW") if rank == 5 => Some("unknown"),
        // The numbers that were recorded are not negative.
        ("mnn", "LESS" | "GREATER")
            if engine == "same" && record["kinds"].as_str().is_some_and(|kinds| !kinds.contains('c')) =>
        {
            let result = broadaxe_shape::Rule::numpy().align(&views).ok()?.shape().iter().product::<usize>();
            let stretch = shapes.iter().all(|dims| dims.iter().product::<usize>() != result);
            (op == "LESS" || stretch && result > 0).then_some("differs")
        }
        // The compiler ended on this node, and on no other one with elements.
        ("qnn", "ADD") if shapes == [vec![2], vec![1, 2, 2, 2, 1]] && engine == "refused" => Some("unknown"),
        // The record says `refused` of each result without elements, of which it had nothing to read. Asked for the shape alone, the
        // runtime gave it (936 models).
        ("mnn", _) if engine == "refused" && !old => {
            let aligned = broadaxe_shape::Rule::numpy().align(&views).ok()?;
            aligned.shape().contains(&0).then_some("same")
        }
        // The condition hid the elements that were read past the end.
        ("mnn", "SELECT_V2") if engine == "same" && !shapes[2].is_empty() => {
            let result = broadaxe_shape::Rule::numpy().align(&views).ok()?.shape().clone();
            let count = shapes[2].iter().product::<usize>();
            (shapes[1] == result.dims() && 1 < count && count < result.iter().product()).then_some("differs")
        }
        _ => None,
    }
}

/// Compares every recorded answer, and prints how many of each runtime are equal.
#[test]
fn answers_of_all_records() {
    let folder = env::var_os("BROADAXE_TRUTH").map_or_else(|| outside::folder("truth"), PathBuf::from);
    let (mut read, mut faults) = (0, Vec::new());
    for (target, file, _) in RUNTIMES {
        let Ok(text) = fs::read_to_string(folder.join(file).with_extension("json")) else { continue };
        read += 1;
        let records: Value = serde_json::from_str(&text).expect(file);
        let cases: Vec<Case> =
            records["cases"].as_array().expect("cases").iter().filter_map(|record| case(target, record)).collect();
        let (mut asked, mut equal) = (0, 0);
        let mut differing: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for case in &cases {
            let found = case.faults(target);
            asked += case.versions.len();
            equal += case.versions.len() - found.len();
            if case.engine != case.ours {
                *differing.entry((case.engine, case.ours)).or_default() += case.versions.len();
            }
            faults.extend(found);
        }
        if let Some(out) = env::var_os("BROADAXE_RECORDED") {
            let lines: Vec<String> = cases.iter().map(Case::write).collect();
            fs::write(PathBuf::from(out).join(file).with_extension("txt"), lines.join("\n") + "\n").expect("written");
        }
        println!("{target}: {asked} asked, {equal} as expected, of which other words: {differing:?}");
    }
    outside::report("recorded answers of runtimes", &folder, read);
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
