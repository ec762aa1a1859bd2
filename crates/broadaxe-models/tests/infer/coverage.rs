//! Every operator that has a shape function has cases.

use std::path::Path;

use crate::{ncnn::NCNN_TABLES, onnx::ONNX_TABLES, openvino::OPENVINO_TABLES};

/// The fewest cases of an operator.
const LEAST: usize = 4;

/// Operators that an engine cannot be asked about in one node: those with a body or a state, those that only OpenVINO
/// itself writes, those whose results depend on what is found, and those that the Python package of ncnn lacks.
const NOT_ASKED: &[&str] = &[
    "ArgMax",
    "Assign",
    "DetectionOutput",
    "MemoryData",
    "Proposal",
    "RMS",
    "ReadValue",
    "Result",
    "SequenceMap",
    "YoloDetectionOutput",
    "Yolov3DetectionOutput",
];

/// Lists the names in the rows of a file, and counts them in tables.
fn rows(file: &Path, tables: &[&str]) -> Vec<(String, usize)> {
    let text = std::fs::read_to_string(file).unwrap();
    let after = text.split("row(").skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"'));
    let names = after.filter_map(|rest| rest.split('"').next());
    let op = |line: &str| {
        let name = line.split([' ', '@', ':']).next().unwrap_or_default();
        name.rsplit('.').next().unwrap_or_default().to_owned()
    };
    let ops: Vec<String> = tables.iter().flat_map(|table| table.lines()).map(op).collect();
    names.map(|name| (name.to_owned(), ops.iter().filter(|op| *op == name).count())).collect()
}

#[test]
fn every_row_has_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/infer");
    let mut found = rows(&folder.join("openvino.rs"), OPENVINO_TABLES);
    found.extend(rows(&folder.join("ncnn/layers.rs"), NCNN_TABLES));
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("openvino.rs") {
            found.extend(rows(&path, ONNX_TABLES));
        }
    }
    assert!(found.len() > 300, "{} rows", found.len());
    let few: Vec<_> = found.iter().filter(|(op, count)| *count < LEAST && !NOT_ASKED.contains(&op.as_str())).collect();
    assert!(few.is_empty(), "fewer than {LEAST} cases: {few:?}");
}
