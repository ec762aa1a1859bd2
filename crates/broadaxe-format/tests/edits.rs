//! Each edit in each format: `edits.txt` has the nodes that a change removes and adds, or the error.
//!
//! A node is shown with the shapes that the changed file records. Two more tests apply every edit everywhere: what is
//! written can be read again, and what is not changed keeps its bytes.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use broadaxe_format::{
    self as format, Attribute, Edit, ErrorKind, Model, NodeId, Source, Use, ValueId,
    edit::{NewNode, Piece, Scalar, Wire},
};
use broadaxe_shape::symbolic::SymbolicShape;

/// A model, the place of a binary operator with a constant as its second input, and names in the words of the format.
struct Words {
    file: &'static str,
    binary: &'static str,
    /// The operator for exchanged inputs.
    exchanged: &'static str,
    /// A unary operator and a binary one for replacements.
    new: [&'static str; 2],
    attribute: (&'static str, Scalar),
}

fn words() -> Vec<Words> {
    let words = |file, binary, exchanged, new, attribute, value| Words {
        file,
        binary,
        exchanged,
        new,
        attribute: (attribute, value),
    };
    vec![
        words("onnx_external.onnx", "Add", "Add", ["Neg", "Sub"], "note", Scalar::Text("text".into())),
        words("openvino_small.xml", "Add", "Add", ["ReLU", "Subtract"], "auto_broadcast", Scalar::Text("none".into())),
        words("tokens.ncnn.param", "BinaryOp", "BinaryOp", ["UnaryOp", "BinaryOp"], "op_type", Scalar::Int(2)),
        words("slopes.pnnx.param", "nn.PReLU", "nn.PReLU", ["F.relu", "torch.sub"], "alpha", Scalar::Float(0.5)),
        words("paddle_small.json", "prelu", "multiply", ["relu", "subtract"], "mode", Scalar::Text("all".into())),
        words(
            "paddle_old_small.pdmodel",
            "elementwise_add",
            "elementwise_add",
            ["relu", "elementwise_sub"],
            "axis",
            Scalar::Int(0),
        ),
        words(
            "tflite_small.tflite",
            "MUL",
            "MUL",
            ["NEG", "SUB"],
            "fused_activation_function",
            Scalar::Text("RELU6".into()),
        ),
    ]
}

fn open(name: &str) -> Model {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name);
    format::open(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Shows a node: `add: Add(x (2, 3), w (3,)) -> y (2, 3)`.
fn line(model: &Model, id: NodeId) -> String {
    let node = model.node(id);
    let value = |id: &Option<ValueId>| {
        let Some(value) = id.map(|id| model.value(id)) else { return "-".to_owned() };
        let constant = value.constant.as_ref().map(|constant| SymbolicShape::from(constant.shape.as_slice()));
        let shape = constant.or_else(|| value.declared.clone());
        format!("{} {}", value.name, shape.map_or("?".to_owned(), |shape| shape.to_string()))
    };
    let list = |ids: &[Option<ValueId>]| ids.iter().map(value).collect::<Vec<_>>().join(", ");
    let plain = |(name, value): &(String, Attribute)| match value {
        Attribute::Int(value) => Some(format!(" {name}={value}")),
        Attribute::Float(value) => Some(format!(" {name}={value}")),
        Attribute::Text(value) => Some(format!(" {name}={value}")),
        Attribute::Ints(values) => Some(format!(" {name}={values:?}")),
        _ => None,
    };
    let attributes: String = node.attributes.iter().filter_map(plain).collect();
    format!("{}: {}({}) -> {}{attributes}", node.name, node.op, list(&node.inputs), list(&node.outputs))
}

/// The nodes that a change removes and adds, or the error.
fn outcome(model: &Model, edits: &[Edit]) -> String {
    let changed = match format::write(model, edits).and_then(|written| format::changed(model, &written)) {
        Ok(changed) => changed,
        Err(error) => return format!("! {error}\n"),
    };
    let lines = |model: &Model| -> Vec<String> { model.walk().into_iter().map(|id| line(model, id)).collect() };
    let (old, new) = (lines(model), lines(&changed));
    let mut text = String::new();
    old.iter().filter(|line| !new.contains(line)).for_each(|line| writeln!(text, "- {line}").unwrap());
    new.iter().filter(|line| !old.contains(line)).for_each(|line| writeln!(text, "+ {line}").unwrap());
    if changed.opsets != model.opsets {
        writeln!(text, "+ {:?}", changed.opsets).unwrap();
    }
    text
}

/// All ten edits at one node.
fn edits(model: &Model, words: &Words) -> Vec<(&'static str, Vec<Edit>)> {
    let node = (0..model.nodes.len()).find(|&k| model.nodes[k].op == words.binary);
    let node = NodeId(node.unwrap_or_else(|| panic!("{} has no {}", words.file, words.binary)) as u32);
    let inputs = &model.node(node).inputs;
    let at = |input| Use { node, input };
    let last = inputs.len() - 1;
    let uses = model.uses();
    let constant =
        model.values.iter().position(|value| value.constant.as_ref().is_some_and(|held| !held.shape.is_empty()));
    let constant = ValueId(constant.unwrap_or_default() as u32);
    let held = model.value(constant).constant.as_ref().map_or(Vec::new(), |constant| constant.shape.clone());
    let longer: Vec<usize> = [1].into_iter().chain(held).collect();
    let (first, output) = (Wire::Old(inputs[0].unwrap()), Wire::Old(model.node(node).output(0).unwrap()));
    let new = |op: &str, inputs, output| NewNode { op: op.into(), inputs, output, attributes: Vec::new() };
    let middle = || Wire::New("middle".into());
    let with = vec![new(words.new[0], vec![first.clone()], middle()), new(words.new[1], vec![first, middle()], output)];
    let (name, value) = &words.attribute;
    let set = |value| Edit::Attribute { node, name: (*name).to_owned(), value };
    vec![
        ("reshape a constant", vec![Edit::ReshapeConstant { value: constant, shape: longer.clone() }]),
        (
            "copy a constant",
            vec![Edit::CopyConstant {
                value: constant,
                shape: longer,
                uses: uses.of(constant).iter().take(1).copied().collect(),
            }],
        ),
        ("reshape", vec![Edit::Reshape { at: at(0), shape: vec![1, -1] }]),
        ("unsqueeze", vec![Edit::Unsqueeze { at: at(last), axes: vec![0] }]),
        ("expand", vec![Edit::Expand { at: at(0), shape: vec![1, 2, 3, 4, 4] }]),
        ("swap", vec![Edit::Swap { node, op: words.exchanged.to_owned() }]),
        ("set an attribute", vec![set(Some(value.clone()))]),
        ("remove an attribute", vec![set(None)]),
        ("opset", vec![Edit::Opset(15)]),
        ("replace", vec![Edit::Replace { node, with }]),
        ("reshape a result", vec![Edit::ReshapeResult { node, shape: vec![1, -1] }]),
        (
            "several",
            vec![
                Edit::Swap { node, op: words.exchanged.to_owned() },
                Edit::Unsqueeze { at: at(0), axes: vec![0] },
                Edit::ReshapeResult { node, shape: vec![-1] },
            ],
        ),
    ]
}

#[test]
fn each_edit_in_each_format() {
    let mut got = String::new();
    for words in words() {
        let model = open(words.file);
        for (name, edits) in edits(&model, &words) {
            writeln!(got, "# {}: {name}\n{}", words.file, outcome(&model, &edits)).unwrap();
        }
    }
    let want = include_str!("edits.txt");
    if got != want {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("edits.txt");
        fs::write(&path, &got).unwrap();
        let wrong = got.lines().zip(want.lines()).find(|(got, want)| got != want);
        panic!("first difference {wrong:?}; all in {}", path.display());
    }
}

const FILES: [&str; 14] = [
    "fire.param",
    "onnx_bodies.onnx",
    "onnx_external.onnx",
    "onnx_legacy.onnx",
    "openvino_bodies.xml",
    "openvino_small.xml",
    "paddle_old_small.pdmodel",
    "paddle_old_while.pdmodel",
    "paddle_small.json",
    "paddle_while.json",
    "slopes.pnnx.param",
    "tflite_loop.tflite",
    "tflite_small.tflite",
    "tokens.ncnn.param",
];

/// Single edits at every node, possible or not.
fn everywhere(model: &Model) -> Vec<Edit> {
    let mut edits = vec![Edit::Opset(13), Edit::Opset(-1)];
    for (k, value) in model.values.iter().enumerate() {
        let count = value.constant.as_ref().map_or(1, |constant| constant.shape.iter().product());
        edits.push(Edit::ReshapeConstant { value: ValueId(k as u32), shape: vec![1, count] });
    }
    for k in 0..model.nodes.len() {
        let node = NodeId(k as u32);
        for input in 0..=model.node(node).inputs.len() {
            let at = Use { node, input };
            edits.push(Edit::Reshape { at, shape: vec![0, -1] });
            edits.push(Edit::Unsqueeze { at, axes: vec![0, 1] });
            edits.push(Edit::Expand { at, shape: vec![2, 1, 3] });
        }
        edits.push(Edit::Swap { node, op: model.node(node).op.clone() });
        edits.push(Edit::ReshapeResult { node, shape: vec![-1, 1] });
        for value in [None, Some(Scalar::Int(1)), Some(Scalar::Floats(vec![0.5])), Some(Scalar::Text("a\"<b".into()))] {
            edits.push(Edit::Attribute { node, name: "axis".into(), value });
        }
        edits.push(Edit::Replace { node, with: Vec::new() });
    }
    edits
}

#[test]
fn what_is_written_can_be_read_again() {
    let mut made = 0;
    for name in FILES {
        let model = open(name);
        for edit in everywhere(&model) {
            let written = match format::write(&model, std::slice::from_ref(&edit)) {
                Ok(written) => written,
                Err(error) => {
                    assert!(matches!(error.kind(), ErrorKind::Edit | ErrorKind::Limit), "{name} {edit:?}: {error}");
                    assert!(error.edits().iter().all(|(at, _)| *at == 0), "{name} {edit:?}: {error}");
                    continue;
                }
            };
            let changed = format::changed(&model, &written).unwrap_or_else(|error| panic!("{name} {edit:?}: {error}"));
            assert_eq!(changed.format, model.format, "{name} {edit:?}");
            assert!(changed.nodes.len() + 1 >= model.nodes.len(), "{name} {edit:?}");
            made += 1;
        }
    }
    assert!(made > 500, "{made}");
}

#[test]
fn kept_bytes_are_in_order_and_within_the_file() {
    for name in FILES {
        let model = open(name);
        for edit in everywhere(&model) {
            let Ok(written) = format::write(&model, std::slice::from_ref(&edit)) else { continue };
            for file in &written.files {
                let source = if file.extension.is_empty() { Some(&model.source) } else { model.weights.as_ref() };
                let mut end = 0;
                for piece in &file.pieces {
                    if let Piece::Kept { at, len } = piece {
                        assert!(*at >= end && *len > 0, "{name} {edit:?}: byte {at} after byte {end}");
                        end = at + len;
                    }
                }
                assert!(end <= source.map_or(0, Source::len), "{name} {edit:?}");
            }
        }
    }
}

#[test]
fn weights_of_a_model_that_has_none_cannot_be_copied() {
    let with = open("openvino_small.xml");
    let written = format::write(&with, &[]).unwrap();
    let text = with.source.read(0, with.source.len() as usize).unwrap();
    let without = format::read(&Source::memory(text, None)).unwrap();
    let error = written.files[1].write(&without, &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "the model has no file of weights to copy from");
}
