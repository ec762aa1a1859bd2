//! Paddle's programs, new and old: read, written back, changed, and rejected when broken.

use std::{
    fs,
    path::{Path, PathBuf},
};

use broadaxe_format::{
    self as format, Attribute, Edit, ErrorKind, Model, NodeId, Source, Use,
    edit::{Piece, Scalar, Written},
    graph::Data,
};
use broadaxe_shape::symbolic::SymbolicShape;
use broadaxe_testing::random::Random;

const FILES: [&str; 4] =
    ["paddle_small.json", "paddle_while.json", "paddle_old_small.pdmodel", "paddle_old_while.pdmodel"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

fn open(name: &str) -> Model {
    format::open(&path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn bytes(model: &Model, written: &Written) -> Vec<u8> {
    let mut bytes = Vec::new();
    written.files[0].write(model, &mut bytes).unwrap();
    bytes
}

/// Says what a node is: `multiply(%5 (2, 3, 4, 4), m_0.w_1 (4,)) -> %6 (2, 3, 4, 4)`.
fn line(model: &Model, id: NodeId) -> String {
    let node = model.node(id);
    let value = |id: &Option<broadaxe_format::ValueId>| {
        let value = id.map(|id| model.value(id));
        let shape = |value: &broadaxe_format::Value| {
            value.declared.as_ref().map_or("unknown".to_string(), SymbolicShape::to_string)
        };
        value.map_or("-".to_string(), |value| format!("{} {}", value.name, shape(value)))
    };
    let list = |ids: &[Option<_>]| ids.iter().map(value).collect::<Vec<_>>().join(", ");
    format!("{}({}) -> {}", node.op, list(&node.inputs), list(&node.outputs))
}

/// Finds the node number `k` of an operator.
fn node(model: &Model, op: &str, k: usize) -> NodeId {
    let found = (0..model.nodes.len()).filter(|&index| model.nodes[index].op == op).nth(k);
    NodeId(found.unwrap_or_else(|| panic!("there is no {op} number {k}")) as u32)
}

#[test]
fn programs_are_read_and_written_back_as_they_were() {
    for name in FILES {
        let model = open(name);
        assert_eq!(model.format, "paddle");
        assert!(model.remarks.is_empty(), "{name}: {:?}", model.remarks);
        let written = format::write(&model, &[]).unwrap();
        assert_eq!(bytes(&model, &written), fs::read(path(name)).unwrap(), "{name}");
        for id in model.walk() {
            let known = !line(&model, id).contains("unknown");
            let opaque =
                ["split_with_num", "split", "while", "combine", "concat"].contains(&model.node(id).op.as_str());
            assert!(known || opaque, "{name}: {}", line(&model, id));
        }
    }
}

#[test]
fn nodes_values_and_bodies() {
    let cases = [
        (FILES[0], "multiply", 0, "multiply(%5 (2, 3, 4, 4), m_0.w_1 (4,)) -> %6 (2, 3, 4, 4)"),
        (FILES[0], "prelu", 0, "prelu(%6 (2, 3, 4, 4), p_re_lu_0.w_0 (3,)) -> %7 (2, 3, 4, 4)"),
        (FILES[0], "full_int_array", 0, "full_int_array() -> %18 (3,)"),
        (FILES[1], "add", 0, "add(%-2 (?, 3), %8 (?, 3)) -> %9 (?, 3)"),
        (
            FILES[2],
            "elementwise_add",
            0,
            "elementwise_add(x (1, 3, 4, 1), y (3, 4)) -> elementwise_add_0.tmp_0 (1, 3, 4, 1)",
        ),
        (
            FILES[3],
            "prelu",
            0,
            "prelu(batch_norm_0.tmp_2 (?, 3, 4, 4), p_re_lu_0.w_0 (3,)) -> prelu_0.tmp_0 (?, 3, 4, 4)",
        ),
        (
            FILES[3],
            "elementwise_add",
            1,
            "elementwise_add(tmp_0 (?, 3, 4, 4), m_0.w_0 (3, 1, 1)) -> tmp_3 (?, 3, 4, 4)",
        ),
        (FILES[3], "assign", 1, "assign(tmp_3 (?, 3, 4, 4)) -> tmp_0#2 (?, 3, 4, 4)"),
        (FILES[3], "scale", 0, "scale(fill_constant_1.tmp_0 (1,)) -> tmp_4 (1,)"),
    ];
    for (name, op, k, want) in cases {
        let model = open(name);
        assert_eq!(line(&model, node(&model, op, k)), want, "{name}");
    }
    for (name, inputs, outputs, graphs) in
        [(FILES[0], "x", 1, 1), (FILES[1], "x n", 2, 2), (FILES[2], "x y", 1, 1), (FILES[3], "x n", 1, 2)]
    {
        let model = open(name);
        let names: Vec<_> = model.main().inputs.iter().map(|&id| model.value(id).name.as_str()).collect();
        let names = names.join(" ");
        assert_eq!(
            (names.as_str(), model.main().outputs.len(), model.graphs.len()),
            (inputs, outputs, graphs),
            "{name}"
        );
    }
    let old = open(FILES[2]);
    assert_eq!(old.node(node(&old, "elementwise_add", 0)).attribute("axis").and_then(Attribute::int), Some(1));
    let new = open(FILES[0]);
    let prelu = new.node(node(&new, "prelu", 0));
    assert_eq!((prelu.domain.as_str(), prelu.attribute("mode").and_then(Attribute::text)), ("pd_op", Some("channel")));
}

#[test]
fn parameters_are_where_the_file_has_them() {
    for (name, parameter, want) in [
        (FILES[0], "p_re_lu_0.w_0", [0.25_f32; 3]),
        (FILES[3], "batch_norm2d_0.w_0", [1.0; 3]),
        (FILES[3], "p_re_lu_0.w_0", [0.25; 3]),
    ] {
        let model = open(name);
        let value = model.values.iter().find(|value| value.name == parameter).unwrap();
        let bytes = model.elements(value.constant.as_ref().unwrap(), 100).unwrap().unwrap();
        let floats: Vec<f32> = bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
        assert_eq!(floats, want, "{name}: {parameter}");
    }
    let source = Source::memory(fs::read(path(FILES[0])).unwrap(), Some("elsewhere.json".into()));
    let model = format::read(&source).unwrap();
    let value = model.values.iter().find(|value| value.name == "m_0.w_0").unwrap();
    assert!(
        matches!(&value.constant.as_ref().unwrap().data, Data::Absent(why) if why == "the file elsewhere.pdiparams is not there")
    );
}

/// Changes that leave the results as they were, under names of files.
fn harmless() -> Vec<(&'static str, &'static str, Vec<Edit>, &'static [&'static str])> {
    let (new, old, looped) = (open(FILES[0]), open(FILES[2]), open(FILES[3]));
    let at = |model: &Model, op: &str, k, input| Use { node: node(model, op, k), input };
    let bias = new.node(node(&new, "add", 0)).input(1).unwrap();
    vec![
        (
            "reshape.json",
            FILES[0],
            vec![Edit::Reshape { at: at(&new, "multiply", 0, 1), shape: vec![1, 1, 1, -1] }],
            &["multiply(%5 (2, 3, 4, 4), %23 (1, 1, 1, 4)) -> %6 (2, 3, 4, 4)"],
        ),
        (
            "several.json",
            FILES[0],
            vec![
                Edit::Unsqueeze { at: at(&new, "add", 0, 1), axes: vec![0] },
                Edit::Swap { node: node(&new, "add", 0), op: "add".to_string() },
                Edit::Reshape { at: at(&new, "multiply", 0, 1), shape: vec![1, 1, 4] },
                Edit::Expand { at: at(&new, "multiply", 0, 1), shape: vec![2, 3, 4, 4] },
                Edit::Reshape { at: at(&new, "sigmoid", 0, 0), shape: vec![6, -1] },
                Edit::ReshapeResult { node: node(&new, "sigmoid", 0), shape: vec![2, 3, 4, 4] },
                Edit::Reshape { at: at(&new, "multiply", 1, 0), shape: vec![3, 4, 4] },
                Edit::ReshapeResult { node: node(&new, "multiply", 1), shape: vec![1, 3, 4, 4] },
            ],
            &["add(%23 (1, 3, 1, 1), x (2, 3, 4, 4)) -> %5 (2, 3, 4, 4)", "sigmoid(%29 (6, 16)) -> %8 (6, 16)"],
        ),
        (
            "constant.json",
            FILES[0],
            vec![Edit::ReshapeConstant { value: bias, shape: vec![1, 3, 1, 1] }],
            &["add(x (2, 3, 4, 4), %23 (1, 3, 1, 1)) -> %5 (2, 3, 4, 4)"],
        ),
        (
            "old.pdmodel",
            FILES[2],
            vec![
                Edit::Reshape { at: at(&old, "elementwise_add", 0, 1), shape: vec![1, 3, 4, 1] },
                Edit::Attribute {
                    node: node(&old, "elementwise_add", 0),
                    name: "axis".to_string(),
                    value: Some(Scalar::Int(-1)),
                },
                Edit::Unsqueeze { at: at(&old, "elementwise_mul", 0, 1), axes: vec![0, 1] },
                Edit::Expand { at: at(&old, "elementwise_mul", 0, 1), shape: vec![1, 3, 4, 1] },
                Edit::Reshape { at: at(&old, "relu", 0, 0), shape: vec![3, -1] },
                Edit::ReshapeResult { node: node(&old, "relu", 0), shape: vec![1, 3, 4, 1] },
            ],
            &[
                "elementwise_add(x (1, 3, 4, 1), reshaped_0.tmp (1, 3, 4, 1)) -> elementwise_add_0.tmp_0 (1, 3, 4, 1)",
                "relu(reshaped_3.tmp (3, 4)) -> relu_0.tmp_0 (3, 4)",
            ],
        ),
        (
            "loop.pdmodel",
            FILES[3],
            vec![
                Edit::Reshape { at: at(&looped, "elementwise_add", 1, 1), shape: vec![1, 3, 1, 1] },
                Edit::Reshape { at: at(&looped, "elementwise_mul", 0, 1), shape: vec![1, 3, 1, 1] },
            ],
            &["elementwise_add(tmp_0 (?, 3, 4, 4), reshaped_0.tmp (1, 3, 1, 1)) -> tmp_3 (?, 3, 4, 4)"],
        ),
    ]
}

#[test]
fn changed_programs_record_the_shapes_that_they_have() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("paddle");
    fs::create_dir_all(&folder).unwrap();
    for (name, file, edits, want) in harmless() {
        let model = open(file);
        let written = format::write(&model, &edits).unwrap_or_else(|error| panic!("{name}: {error}"));
        let target = folder.join(name);
        fs::write(&target, bytes(&model, &written)).unwrap();
        fs::copy(path(file).with_extension("pdiparams"), target.with_extension("pdiparams")).unwrap();
        let changed = format::open(&target).unwrap_or_else(|error| panic!("{name}: {error}"));
        let lines: Vec<_> = changed.walk().into_iter().map(|id| line(&changed, id)).collect();
        for want in want {
            assert!(lines.iter().any(|line| line == want), "{name} has no {want}:\n{}", lines.join("\n"));
        }
        let outputs =
            |model: &Model| model.main().outputs.iter().map(|&id| model.value(id).declared.clone()).collect::<Vec<_>>();
        assert_eq!(outputs(&changed), outputs(&model), "{name}");
        let kept: u64 = written.files[0]
            .pieces
            .iter()
            .map(|piece| if let Piece::Kept { len, .. } = piece { *len } else { 0 })
            .sum();
        assert!(kept * 10 > model.source.len() * 9, "{name}: {kept} of {} bytes were kept", model.source.len());
    }
}

#[test]
fn impossible_changes_are_rejected() {
    let (new, looped) = (open(FILES[0]), open(FILES[3]));
    let prelu = node(&new, "prelu", 0);
    let set = |node, name: &str, value| Edit::Attribute { node, name: name.to_string(), value };
    let cases = [
        (&new, Edit::Opset(1), "a program of Paddle has no opset"),
        (&new, Edit::Replace { node: prelu, with: vec![] }, "nodes of Paddle's programs cannot be replaced"),
        (&new, Edit::Reshape { at: Use { node: prelu, input: 1 }, shape: vec![4] }, "3 elements do not fit"),
        (&new, Edit::Reshape { at: Use { node: prelu, input: 5 }, shape: vec![4] }, "it has no input 5"),
        (&new, Edit::Reshape { at: Use { node: NodeId(99), input: 0 }, shape: vec![] }, "no node 99"),
        (&new, set(prelu, "mode", None), "cannot be removed"),
        (&new, set(prelu, "mode", Some(Scalar::Int(3))), "is of the kind 0.a_str"),
        (&new, set(prelu, "axis", Some(Scalar::Int(3))), "the operation has no attribute axis"),
        (&new, Edit::Swap { node: node(&new, "sigmoid", 0), op: "sigmoid".to_string() }, "it has 1 inputs"),
        (
            &new,
            Edit::Unsqueeze { at: Use { node: node(&new, "split", 0), input: 0 }, axes: vec![0] },
            "nothing is known of the tensor",
        ),
        (
            &looped,
            Edit::ReshapeResult { node: node(&looped, "assign", 1), shape: vec![0, 0, 0, 0] },
            "is written more than once",
        ),
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

#[test]
fn broken_programs_are_rejected() {
    let small = fs::read_to_string(path(FILES[0])).unwrap();
    let change = |from: &str, to: &str| {
        assert!(small.contains(from), "the program has no {from}");
        small.replacen(from, to, 1).into_bytes()
    };
    let open = "\"regions\":[{\"blocks\":[{\"args\":[],\"ops\":[{\"#\":\"1.if\",\"O\":[],";
    let (inside, close) = (open.repeat(70), "}]}]}]".repeat(70));
    let nested = format!("{{\"base_code\":{{\"magic\":\"pir\"}},\"program\":{{{inside}\"x\":1{close}}}}}");
    let cases = [
        (
            change("\"I\":[{\"%\":4},{\"%\":3}]", "\"I\":[{\"%\":4},{\"%\":99}]"),
            "the value %99 is read, but no earlier operation computes it",
        ),
        (
            change("\"I\":[{\"%\":4},{\"%\":3}]", "\"I\":[{\"%\":4},{\"%\":5}]"),
            "the value %5 is read, but no earlier operation computes it",
        ),
        (change("\"%\":5,\"TT\"", "\"%\":4,\"TT\""), "the value %4 is computed a second time"),
        (change("\"%\":5,\"TT\"", "\"%\":5,\"%\":6,\"TT\""), "the key \"%\" occurs here a second time"),
        (change("[2,3,4,4],\"NCHW\"", "[2,-3,4,4],\"NCHW\""), "an extent must be a whole number, or -1"),
        (
            change("[2,3,4,4],\"NCHW\"", "[2147483647,2147483647,2147483647,4],\"NCHW\""),
            "more elements than an address can count",
        ),
        (change("\"magic\":\"pir\"", "\"magic\":\"pir2\",\"x\":\"pir\""), "the magic word is not \"pir\""),
        (change("\"regions\":[", "\"regions\":[],\"x\":["), "the program has 0 blocks"),
        (nested.into_bytes(), "blocks are nested more than 64 deep"),
        (b"{\"base_code\": \"pir\"".to_vec(), "byte 19"),
    ];
    let mut wrong = Vec::new();
    for (bytes, want) in cases {
        match format::read(&Source::memory(bytes, Some("nowhere.json".into()))) {
            Err(error) if error.to_string().contains(want) => {}
            other => {
                wrong.push(format!("{:?} is not: {want}", other.map(|_| "read").map_err(|error| error.to_string())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_cut_and_no_flip_panics() {
    let mut random = Random::new(1);
    let read = |bytes: &[u8], name: &str| format::read(&Source::memory(bytes, Some(name.into())));
    for name in FILES {
        let whole = fs::read(path(name)).unwrap();
        for len in 0..whole.len() {
            _ = read(&whole[..len], name);
        }
        let mut errors = 0;
        for _ in 0..1000 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] =
                    if name.ends_with("json") { b"0-9\"{}[],:a"[random.below(11)] } else { random.below(256) as u8 };
            }
            match read(&bytes, name) {
                Ok(model) => {
                    _ = format::write(
                        &model,
                        &[Edit::Unsqueeze { at: Use { node: NodeId(0), input: 0 }, axes: vec![0] }],
                    );
                }
                Err(error) => errors += usize::from(!error.to_string().is_empty()),
            }
        }
        assert!(errors > 50, "{name}: {errors}");
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("paddle_cut");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(path(FILES[0]), folder.join("m.json")).unwrap();
    let whole = fs::read(path(FILES[0]).with_extension("pdiparams")).unwrap();
    for len in 0..whole.len() {
        fs::write(folder.join("m.pdiparams"), &whole[..len]).unwrap();
        match format::open(&folder.join("m.json")) {
            Ok(model) => assert_eq!(model.remarks.len(), 1, "{len}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Format, "{len}: {error}"),
        }
    }
}

/// A field of a protobuf message that holds bytes.
fn held(number: u8, value: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut len = value.len();
    while len >= 0x80 {
        field.push(len as u8 | 0x80);
        len >>= 7;
    }
    field.push(len as u8);
    field.extend_from_slice(value);
    field
}

/// A block of an old program, of fields after its two numbers.
fn block(number: u8, fields: &[Vec<u8>]) -> Vec<u8> {
    held(1, &[vec![0x08, number, 0x10, 0], fields.concat()].concat())
}

/// An operator of this kind that reads `x` and writes `y`.
fn operator(kind: &str, reads: &str, attributes: &[Vec<u8>]) -> Vec<u8> {
    let slot = |name: &str, argument: &str| [held(1, name.as_bytes()), held(2, argument.as_bytes())].concat();
    let kind = if kind.is_empty() { vec![] } else { held(3, kind.as_bytes()) };
    held(4, &[held(1, &slot("X", reads)), held(2, &slot("Out", "y")), kind, attributes.concat()].concat())
}

#[test]
fn broken_old_programs_are_rejected() {
    let tensor =
        |dims: &[u8]| held(2, &[vec![0x08, 7], held(3, &held(1, &[vec![0x08, 5], dims.to_vec()].concat()))].concat());
    let variable = |dims: &[u8]| held(3, &[held(1, b"x"), tensor(dims), vec![0x20, 1]].concat());
    let body = |number: u8| held(4, &[held(1, b"sub_block"), vec![0x10, 8, 0x60, number]].concat());
    let (x, negative) = (variable(&[0x10, 2]), [[0x10].as_slice(), &[0xfd], &[0xff; 8], &[1]].concat());
    let huge: Vec<u8> = [0x10, 0xff, 0xff, 0xff, 0xff, 7].repeat(3);
    let deep: Vec<u8> = (0..70).flat_map(|k| block(k, &[operator("while", "@EMPTY@", &[body(k + 1)])])).collect();
    let good = block(0, &[x.clone(), operator("relu", "x", &[])]);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a good program", good.clone(), ""),
        (
            "an unknown name",
            block(0, &[operator("relu", "z", &[])]),
            "operator 0 (relu) of block 0: it reads z, but no earlier operator writes it",
        ),
        ("no operator", block(0, &[x.clone(), operator("", "x", &[])]), "an operator has no type"),
        ("a negative extent", block(0, &[variable(&negative)]), "an extent must be -1, 0 or a size"),
        ("a huge shape", block(0, &[variable(&huge)]), "more elements than an address can count"),
        (
            "a body that is missing",
            block(0, &[x.clone(), operator("while", "x", &[body(7)])]),
            "its body is block 7, which is not there",
        ),
        (
            "its own body",
            block(0, &[x.clone(), operator("while", "x", &[body(0)])]),
            "its body is block 0, which is not there",
        ),
        (
            "one body of two operators",
            [block(0, &[x.clone(), operator("while", "x", &[body(1)]).repeat(2)]), block(1, &[])].concat(),
            "block 1: it is the body of two operators",
        ),
        ("nested blocks", deep, "blocks are nested more than 64 deep"),
        ("a repeated field", held(1, &[0x08, 0, 0x10, 0, 0x08, 0]), "field 1 of BlockDesc occurs here a second time"),
        ("a text for a number", block(0, &[held(4, &held(4, &held(3, b"x")))]), "field 3 of OpDesc.Attr should be"),
        ("a number for a text", block(0, &[held(4, &[0x18, 1])]), "field 3 of OpDesc should be a text or a message"),
        ("a cut", good[..good.len() - 1].to_vec(), "byte"),
    ];
    let mut wrong = Vec::new();
    for (what, bytes, want) in cases {
        let got = format::read(&Source::memory(bytes, Some("nowhere.pdmodel".into())));
        let got = got.map_or_else(|error| error.to_string(), |_| String::new());
        if !got.contains(want) || got.is_empty() != want.is_empty() {
            wrong.push(format!("{what}: {got}, not: {want}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
