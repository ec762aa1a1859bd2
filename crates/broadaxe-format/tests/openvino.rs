//! OpenVINO's IR: shared graphs and small ones are read, written back, and changed.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use broadaxe_shape::symbolic::SymbolicShape;

use broadaxe_format::{
    self as format, Attribute, Edit, ErrorKind, Model, NodeId, Source, Use, ValueId,
    edit::{NewNode, Piece, Scalar, Wire, Written},
};
use broadaxe_testing::outside;

fn small(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

/// All IRs at hand: name and bytes of the XML.
fn all() -> Vec<(String, Source)> {
    let mut files = vec![];
    for name in ["openvino_small.xml", "openvino_bodies.xml"] {
        files.push((name.to_string(), Source::open(&small(name)).unwrap()));
    }
    let (own, shared) = (files.len(), outside::folder("models/openvino"));
    for entry in fs::read_dir(&shared).into_iter().flatten() {
        let path = entry.unwrap().path();
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(fs::File::open(&path).unwrap()).read_to_end(&mut bytes).unwrap();
        files.push((path.file_stem().unwrap().to_str().unwrap().to_string(), Source::memory(bytes, None)));
    }
    outside::report("openvino", &shared, files.len() - own);
    files
}

/// Puts together the bytes of one written file.
fn bytes(model: &Model, written: &Written, extension: &str) -> Vec<u8> {
    let (file, mut bytes) = (written.files.iter().find(|file| file.extension == extension).unwrap(), Vec::new());
    file.write(model, &mut bytes).unwrap();
    bytes
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are the point")]
fn every_graph_is_read_and_written_back_as_it_was() {
    let (mut operands, mut known) = (0, 0);
    let files = all();
    for (name, source) in &files {
        let model = format::read(source).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(model.format, "openvino", "{name}");
        let text = String::from_utf8(source.read(0, source.len() as usize).unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let (mut here, mut unknown) = (0, Vec::new());
        for &id in &model.walk() {
            let node = model.node(id);
            let line = lines[node.line.unwrap() as usize - 1];
            assert!(line.contains(&format!("<layer id=\"{}\"", node.number)), "{name}: {}: {line}", node.place);
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
    }
    println!("{} graphs, {known} of {operands} operands of broadcasting nodes have a recorded shape", files.len());
    assert!(known > 10);
}

fn value(model: &Model, name: &str) -> ValueId {
    let found = model.values.iter().position(|value| value.name == name);
    ValueId(found.unwrap_or_else(|| panic!("there is no value {name}")) as u32)
}

fn node(model: &Model, name: &str) -> NodeId {
    let found = model.nodes.iter().position(|node| node.name == name);
    NodeId(found.unwrap_or_else(|| panic!("there is no node {name}")) as u32)
}

fn at(model: &Model, name: &str, input: usize) -> Use {
    Use { node: node(model, name), input }
}

/// `PReLU` by other operators, the slope at full rank.
fn prelu(model: &Model) -> Vec<NewNode> {
    let (x, slope, y) = (value(model, "mul_scale"), value(model, "slope"), value(model, "prelu"));
    let word = |word: &str| Wire::New(word.to_string());
    let new = |op: &str, inputs: Vec<Wire>, output| NewNode { op: op.to_string(), inputs, output, attributes: vec![] };
    vec![
        new("Reshape", vec![Wire::Old(slope), Wire::Ints(vec![3, 1, 1])], word("slope")),
        new("ReLU", vec![Wire::Old(x)], word("up")),
        new("Multiply", vec![Wire::Old(x), Wire::Number(-1.0)], word("minus")),
        new("ReLU", vec![word("minus")], word("down")),
        new("Multiply", vec![word("down"), word("slope")], word("scaled")),
        new("Subtract", vec![word("up"), word("scaled")], Wire::Old(y)),
    ]
}

/// Changes that leave the results as they were, under names.
fn harmless(model: &Model) -> Vec<(&'static str, Vec<Edit>)> {
    let list = |node: &str, name: &str, value| Edit::Attribute {
        node: self::node(model, node),
        name: name.to_string(),
        value,
    };
    vec![
        (
            "reshape_constant",
            vec![
                Edit::ReshapeConstant { value: value(model, "bias"), shape: vec![1, 3, 1, 1] },
                Edit::ReshapeConstant { value: value(model, "slope"), shape: vec![1, 3, 1, 1] },
            ],
        ),
        (
            "copy_constant",
            vec![Edit::CopyConstant {
                value: value(model, "scale"),
                shape: vec![1, 1, 1, 4],
                uses: vec![at(model, "sub_scale", 1)],
            }],
        ),
        ("reshape", vec![Edit::Reshape { at: at(model, "mul_scale", 1), shape: vec![1, 1, 1, -1] }]),
        ("unsqueeze", vec![Edit::Unsqueeze { at: at(model, "add_bias", 1), axes: vec![0] }]),
        (
            "expand",
            vec![
                Edit::Expand { at: at(model, "sub_scale", 1), shape: vec![2, 3, 4, 4] },
                list("sub_scale", "auto_broadcast", Some(Scalar::Text("none".to_string()))),
            ],
        ),
        (
            "swap",
            vec![
                Edit::Swap { node: node(model, "add_bias"), op: "Add".to_string() },
                Edit::Swap { node: node(model, "positive"), op: "Less".to_string() },
            ],
        ),
        (
            "reshape_result",
            vec![
                Edit::Reshape { at: at(model, "exp", 0), shape: vec![2, -1] },
                Edit::ReshapeResult { node: node(model, "exp"), shape: vec![2, 1, 4, 4] },
            ],
        ),
        (
            "result_of_output",
            vec![
                Edit::Reshape { at: at(model, "sub_scale", 0), shape: vec![6, 4, 4] },
                Edit::ReshapeResult { node: node(model, "sub_scale"), shape: vec![2, 3, 4, 4] },
            ],
        ),
        ("replace", vec![Edit::Replace { node: node(model, "prelu"), with: prelu(model) }]),
        ("remove", vec![list("y", "m_pythondiv", None)]),
        (
            "pdpd",
            vec![
                Edit::Reshape { at: at(model, "add_bias", 1), shape: vec![3] },
                list("add_bias", "auto_broadcast", Some(Scalar::Text("pdpd".to_string()))),
                list("add_bias", "axis", Some(Scalar::Int(1))),
            ],
        ),
        (
            "all",
            vec![
                Edit::CopyConstant {
                    value: value(model, "scale"),
                    shape: vec![1, 1, 1, 4],
                    uses: vec![at(model, "sub_scale", 1)],
                },
                Edit::Swap { node: node(model, "mul_scale"), op: "Multiply".to_string() },
                Edit::Unsqueeze { at: at(model, "add_bias", 1), axes: vec![0] },
                Edit::Replace { node: node(model, "prelu"), with: prelu(model) },
                Edit::Reshape { at: at(model, "exp", 0), shape: vec![2, -1] },
                Edit::ReshapeResult { node: node(model, "exp"), shape: vec![2, 1, 4, 4] },
            ],
        ),
    ]
}

/// Writes a changed model into a folder of the tests and reads it again.
fn rewritten(model: &Model, edits: &[Edit], name: &str) -> Model {
    let written = format::write(model, edits).unwrap_or_else(|error| panic!("{name}: {error}"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("openvino");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name).with_extension("xml");
    fs::write(&path, bytes(model, &written, "")).unwrap();
    fs::write(path.with_extension("bin"), bytes(model, &written, "bin")).unwrap();
    format::open(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Says what shapes nodes read and make: `add_bias: (2, 3, 4, 4) (3, 1, 1) -> (2, 3, 4, 4)`.
fn line(model: &Model, name: &str) -> String {
    let node = model.node(node(model, name));
    let shape = |id: &Option<ValueId>| {
        model.value(id.unwrap()).declared.as_ref().map_or("?".to_string(), SymbolicShape::to_string)
    };
    let inputs: Vec<_> = node.inputs.iter().map(shape).collect();
    format!("{} -> {}", inputs.join(" "), shape(&node.outputs[0]))
}

#[test]
fn changed_models_record_the_shapes_that_they_have() {
    let model = format::open(&small("openvino_small.xml")).unwrap();
    let same = "(2, 3, 4, 4) (1, 1, 1, 4) -> (2, 3, 4, 4)";
    let want = [
        ("reshape_constant", "add_bias", "(2, 3, 4, 4) (1, 3, 1, 1) -> (2, 3, 4, 4)"),
        ("reshape_constant", "prelu", "(2, 3, 4, 4) (1, 3, 1, 1) -> (2, 3, 4, 4)"),
        ("copy_constant", "sub_scale", same),
        ("copy_constant", "mul_scale", "(2, 3, 4, 4) (4,) -> (2, 3, 4, 4)"),
        ("reshape", "mul_scale", same),
        ("unsqueeze", "add_bias", "(2, 3, 4, 4) (1, 3, 1, 1) -> (2, 3, 4, 4)"),
        ("expand", "sub_scale", "(2, 3, 4, 4) (2, 3, 4, 4) -> (2, 3, 4, 4)"),
        ("swap", "add_bias", "(3, 1, 1) (2, 3, 4, 4) -> (2, 3, 4, 4)"),
        ("reshape_result", "exp/data", "(2, 16) -> (2, 16)"),
        ("reshape_result", "exp", "(2, 16) (4,) -> (2, 1, 4, 4)"),
        ("reshape_result", "y", "() (2, 1, 4, 4) -> (2, 1, 4, 4)"),
        ("result_of_output", "sub_scale/data", "(6, 4, 4) (4,) -> (6, 4, 4)"),
        ("result_of_output", "sub_scale", "(6, 4, 4) (4,) -> (2, 3, 4, 4)"),
        ("result_of_output", "split", "(2, 3, 4, 4) () -> (2, 1, 4, 4)"),
        ("replace", "prelu", "(2, 3, 4, 4) (2, 3, 4, 4) -> (2, 3, 4, 4)"),
        ("replace", "prelu/multiply_2", "(2, 3, 4, 4) (3, 1, 1) -> (2, 3, 4, 4)"),
        ("pdpd", "add_bias", "(2, 3, 4, 4) (3,) -> (2, 3, 4, 4)"),
        ("all", "mul_scale", "(4,) (2, 3, 4, 4) -> (2, 3, 4, 4)"),
        ("all", "sub_scale", same),
    ];
    let cases = harmless(&model);
    for (name, edits) in &cases {
        let changed = rewritten(&model, edits, name);
        for (_, node, want) in want.iter().filter(|row| row.0 == *name) {
            assert_eq!(line(&changed, node), *want, "{name}: {node}");
        }
        for graph in [&changed.main().outputs, &changed.main().inputs] {
            assert!(!graph.is_empty(), "{name}");
        }
        for old in &model.nodes {
            assert!(changed.nodes.iter().any(|node| node.name == old.name), "{name}: {} is gone", old.name);
        }
    }
    let pdpd = rewritten(&model, &cases.iter().find(|case| case.0 == "pdpd").unwrap().1, "pdpd");
    let add = pdpd.node(node(&pdpd, "add_bias"));
    assert_eq!(add.attribute("axis").and_then(Attribute::int), Some(1));
}

#[test]
fn a_change_keeps_all_other_bytes() {
    let model = format::open(&small("openvino_small.xml")).unwrap();
    for (name, edits) in harmless(&model) {
        let written = format::write(&model, &edits).unwrap();
        for file in &written.files {
            let (mut next, mut kept) = (0, 0);
            for piece in &file.pieces {
                if let Piece::Kept { at, len } = piece {
                    assert!(*at >= next, "{name}: pieces are out of order");
                    next = at + len;
                    kept += len;
                }
            }
            let source = if file.extension.is_empty() { &model.source } else { model.weights.as_ref().unwrap() };
            assert!(kept * 10 > source.len() * 8, "{name}: {kept} of {} bytes were kept", source.len());
        }
    }
}

#[test]
fn impossible_changes_are_rejected() {
    let model = format::open(&small("openvino_small.xml")).unwrap();
    let bodies = format::open(&small("openvino_bodies.xml")).unwrap();
    let bare = format::read(&Source::memory(model.source.read(0, model.source.len() as usize).unwrap(), None)).unwrap();
    let cases = [
        (&model, Edit::Opset(13), "an IR has no version"),
        (
            &model,
            Edit::ReshapeConstant { value: value(&model, "bias"), shape: vec![4] },
            "the constant bias has the shape (3, 1, 1), which cannot become (4)",
        ),
        (&model, Edit::ReshapeConstant { value: value(&model, "x"), shape: vec![4] }, "x is not a constant"),
        (&model, Edit::ReshapeConstant { value: value(&model, "bias"), shape: vec![1, 1, 3, 1] }, "add_bias"),
        (&model, Edit::Reshape { at: at(&model, "mul_scale", 1), shape: vec![1, 5] }, "4 elements do not fit"),
        (&model, Edit::Reshape { at: at(&model, "mul_scale", 7), shape: vec![4] }, "it has no input 7"),
        (&model, Edit::Unsqueeze { at: at(&model, "mul_scale", 1), axes: vec![0, 0] }, "new axes are ascending"),
        (&model, Edit::Expand { at: at(&model, "mul_scale", 1), shape: vec![3, -1] }, "extents from 0 on"),
        (&model, Edit::Swap { node: node(&model, "prelu"), op: "PReLU".to_string() }, "after this change"),
        (&model, Edit::Swap { node: node(&model, "select"), op: "Select".to_string() }, "it has 3 inputs"),
        (&model, Edit::ReshapeResult { node: node(&model, "split"), shape: vec![1] }, "it has 3 outputs"),
        (&model, Edit::Replace { node: node(&model, "prelu"), with: vec![] }, "no new layer computes its output"),
        (&bare, Edit::Unsqueeze { at: at(&bare, "add_bias", 1), axes: vec![0] }, "put it into the folder of the model"),
        (&bodies, Edit::Swap { node: NodeId(99), op: String::new() }, "the model has no node 99"),
    ];
    let mut wrong = Vec::new();
    for (model, edit, want) in cases {
        match format::write(model, std::slice::from_ref(&edit)) {
            Err(error) if error.kind() == ErrorKind::Edit && error.to_string().contains(want) => {}
            other => {
                wrong.push(format!("{edit:?}: {:?}, not {want}", other.map(|_| ()).map_err(|error| error.to_string())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
