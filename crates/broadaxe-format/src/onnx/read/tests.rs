//! Reading small models, good ones and bad ones.

use std::time::Instant;

use broadaxe_testing::random::Random;

use super::super::sample::{
    Message, changed, graph, graph_attribute, info, integer, ints, model, node, opset, read, tensor, tensor_attribute,
    text, value,
};
use crate::{
    edit::Edit,
    error::ErrorKind,
    graph::{Attribute, Data, Model, NodeId, Use, ValueId},
    source::Source,
};

/// A model of opset 17 in version 8 of the format.
fn new(graph: &Message) -> Message {
    model(8, 17, graph)
}

fn plain(nodes: &[&str]) -> Message {
    new(&graph(nodes, &["x"], &["y"]))
}

#[test]
fn structures() {
    let body = graph(&["Add x inner -> s"], &[], &["s"]).inner(5, &tensor("inner", &[3]));
    let decide = node("If x -> y").inner(5, &graph_attribute("then_branch", &body));
    let loop_body = graph(&["Add carried x -> carried_out"], &["i", "go", "carried"], &["go", "carried_out"]);
    let repeat = node("Loop _ _ x -> y").inner(5, &graph_attribute("body", &loop_body));
    let function = Message::default().text(1, "F").text(4, "a").text(4, "b").text(5, "o").text(10, "own");
    let leaky = Message::default().text(1, "alpha").text(21, "slope").int(20, 1);
    let function = function.inner(7, &node("LeakyRelu a -> t").inner(5, &leaky)).inner(7, &node("Clip t b -> o"));
    let function = function.inner(9, &opset("", 11));
    let call = |text: &str| node(text).text(7, "own").inner(5, &integer("slope", 3));
    let calls = graph(&[], &["x"], &["y"]).all(1, &[call("F x -> t"), call("F t x -> y")]);
    let again = Message::default().text(1, "G").text(4, "a").text(5, "o").text(10, "own").inner(7, &call("G a -> o"));
    let endless = graph(&[], &["x"], &["y"]).inner(1, &call("G x -> y"));
    let sparse = Message::default().inner(1, &tensor("w", &[2])).inner(2, &tensor("", &[2])).int(3, 2).int(3, 3);
    let cases: [(&str, Message, &str); 7] = [
        (
            "a body reads what is around it",
            new(&Message::default().inner(1, &decide).all(11, &[info("x", &["2"])]).all(12, &[info("y", &[])])),
            "opset 17\ny = If(x) then_branch=Graph(GraphId(1))\n  inner = f32 [3]\n  s = Add(x, inner)",
        ),
        (
            "a body has inputs of its own",
            new(&Message::default().inner(1, &repeat).all(11, &[info("x", &["2"])]).all(12, &[info("y", &[])])),
            "opset 17\ny = Loop(_, _, x) body=Graph(GraphId(1))\n  carried_out = Add(carried, x)",
        ),
        (
            "calls are followed, inputs left out too",
            new(&calls).inner(8, &opset("own", 1)).inner(25, &function),
            "opset 17\nopset own1\nt = F(x) slope=Int(3)\n  t = LeakyRelu(x) alpha=Int(3)\n  o = Clip(t, _)\n\
          y = F(t, x) slope=Int(3)\n  t = LeakyRelu(t) alpha=Int(3)\n  o = Clip(t, x)",
        ),
        (
            "a function that calls itself stays opaque",
            new(&endless).inner(8, &opset("own", 1)).inner(25, &again),
            "opset 17\nopset own1\ny = G(x) slope=Int(3)\n  o = G(x) slope=Int(3)",
        ),
        (
            "a sparse constant has its shape",
            new(&graph(&["Add x w -> y"], &["x"], &["y"]).inner(15, &sparse)),
            "opset 17\nw = f32 [2, 3]\ny = Add(x, w)",
        ),
        (
            "an unknown operator and domain",
            plain(&["Unheard x -> t u v", "Add u v -> y"]),
            "opset 17\nt, u, v = Unheard(x)\ny = Add(u, v)",
        ),
        (
            "a name of an outer graph may be used again inside",
            new(&Message::default()
                .inner(
                    1,
                    &node("If x -> y").inner(5, &graph_attribute("then_branch", &graph(&["Neg x -> y"], &[], &["y"]))),
                )
                .all(11, &[info("x", &["2"])])
                .all(12, &[info("y", &[])])),
            "opset 17\ny = If(x) then_branch=Graph(GraphId(1))\n  y = Neg(x)",
        ),
    ];
    for (name, message, want) in cases {
        assert_eq!(read(&message).map(|model| text(&model)).as_deref(), Ok(want), "{name}");
    }
}

/// Everything that contradicts itself is rejected with the place and a reason.
#[test]
fn rejections() {
    let with = |tensor: &Message| new(&graph(&["Add x w -> y"], &["x"], &["y"]).inner(5, tensor));
    let raw = |dims: &[i64], code: i64, bytes: &[u8]| {
        let dims = dims.iter().fold(Message::default(), |message, &size| message.int(1, size));
        with(&dims.int(2, code).text(8, "w").raw(9, bytes))
    };
    let both = Message::default().int(1, 1).int(2, 7).text(8, "w").raw(9, &[0; 8]).int(7, 5);
    let other = |fields: &[(&str, &str)]| {
        let pair = |(key, value): &(&str, &str)| Message::default().text(1, key).text(2, value);
        let pairs: Vec<Message> = fields.iter().map(pair).collect();
        with(&Message::default().int(1, 2).int(2, 1).text(8, "w").all(13, &pairs).int(14, 1))
    };
    let twice = node("Add x x -> y").inner(5, &integer("axis", 1)).inner(5, &integer("axis", 2));
    let function =
        Message::default().text(1, "F").text(4, "a").text(5, "o").text(10, "own").inner(7, &node("Neg a -> o"));
    let call = |text: &str| new(&graph(&[], &["x"], &["y"]).inner(1, &node(text).text(7, "own"))).inner(25, &function);
    let shape = |sizes: &[&str]| new(&graph(&["Neg a -> y"], &[], &["y"]).inner(11, &info("a", sizes)));
    let many = Message::default().all(1, &vec![Message::default().int(1, 1); 65]);
    let deep_shape = Message::default()
        .text(1, "a")
        .inner(2, &Message::default().inner(1, &Message::default().int(1, 1).inner(2, &many)));
    let max = i64::MAX.to_string();
    let cases: Vec<(Message, &str)> = vec![
        // Order and names.
        (plain(&["Add y x -> y"]), "node 0 (Add): it reads its own output \"y\""),
        (
            plain(&["Add x b -> a", "Add a x -> b", "Add a b -> y"]),
            "node 0 (Add): it reads \"b\", which node 1 (Add) computes after it",
        ),
        (plain(&["Add x z -> y"]), "node 0 (Add): it reads \"z\", which no node computes"),
        (plain(&["Neg x -> y", "Neg y -> y"]), "node 1 (Neg): the name \"y\" is written twice"),
        (plain(&["Neg x -> x"]), "node 0 (Neg): the name \"x\" is written twice"),
        (plain(&["Neg x -> z"]), "the output \"y\" of graph \"g\" is made by no node"),
        (new(&graph(&["Add x w -> y"], &["x", "x"], &["y"])), "the name \"x\" is written twice"),
        (
            new(&graph(&["Neg x -> y"], &["x"], &["y"]).all(5, &[tensor("w", &[1]), tensor("w", &[2])])),
            "the name \"w\" is written twice",
        ),
        (
            new(&Message::default().inner(1, &twice).all(11, &[info("x", &["2"])]).all(12, &[info("y", &[])])),
            "the attribute \"axis\" is written twice",
        ),
        // Arity.
        (plain(&["Add x -> y"]), "node 0 (Add): Add needs 2 inputs, not 1"),
        (plain(&["Add x x x -> y"]), "node 0 (Add): Add needs 2 inputs, not 3"),
        (plain(&["Add x x -> y z"]), "node 0 (Add): Add has 1 outputs, not 2"),
        (call("F x x -> y"), "the function F has 1 inputs, not 2"),
        (call("F x -> y z"), "the function F has 1 outputs, not 2"),
        (call("F x -> y").inner(25, &function), "the function \"F\" of \"own\" is defined twice"),
        // Elements.
        (raw(&[2], 1, &[0; 7]), "tensor \"w\": it holds 7 bytes, and its shape and type need 8"),
        (raw(&[2], 1, &[0; 9]), "it holds 9 bytes"),
        (raw(&[3], 22, &[0; 3]), "it holds 3 bytes, and its shape and type need 2"),
        (raw(&[2], 99, &[0; 8]), "99 is the number of no type"),
        (raw(&[2], 0, &[0; 8]), "0 is the number of no type"),
        (raw(&[-2, -3], 1, &[0; 24]), "its size -2 is negative"),
        (raw(&[1 << 31, 1 << 31, 4], 1, &[]), "tensor \"w\""),
        (raw(&[0, 1 << 62, 4], 1, &[]), "tensor \"w\""),
        (
            raw(&[1 << 62], 13, &[]),
            if cfg!(target_pointer_width = "32") {
                "more than this program of 32 bits"
            } else {
                "more than memory can have"
            },
        ),
        (raw(&[1; 65], 1, &[0; 4]), "the limit here is 64 numbers"),
        (raw(&[1], 8, b"text"), "it holds 4 bytes"),
        (with(&both), "it has its elements twice"),
        (
            with(&Message::default().int(1, 2).int(2, 7).text(8, "w")),
            "it has 0 elements, and its shape and type need 2",
        ),
        (with(&Message::default().int(1, 2).int(2, 7).text(8, "w").int(7, 1).int(7, 2).int(7, 3)), "it has 3 elements"),
        (
            with(&Message::default().int(1, 1).int(2, 7).text(8, "w").int(5, 1)),
            "in a field that is not the one for i64",
        ),
        (with(&Message::default().int(1, 2).int(2, 1).text(8, "w").raw(4, &[0; 7])), "its list of elements is damaged"),
        (with(&Message::default().int(1, 1).int(2, 1).text(8, "w").raw(9, &[0; 4]).raw(9, &[0; 4])), "a second time"),
        (other(&[]), "no location names it"),
        (other(&[("location", "a"), ("location", "b")]), "\"location\" of its file of weights is given twice"),
        (other(&[("location", "a"), ("offset", "-4")]), "\"-4\" is not a number of bytes"),
        (other(&[("location", "a"), ("length", "4")]), "it has 4 bytes in a, and its shape and type need 8"),
        // Shapes.
        (shape(&[&max, &max]), "a recorded shape cannot be"),
        (new(&graph(&["Neg a -> y"], &[], &["y"]).inner(11, &deep_shape)), "a shape has more than 64 sizes"),
        // The file.
        (Message::default(), "the file has no ir_version"),
        (Message::default().int(1, 8), "the file has no graph"),
        (Message::default().int(1, 0).inner(7, &graph(&[], &[], &[])), "ir_version is 0"),
        (Message::default().int(1, 999).inner(7, &graph(&[], &[], &[])), "ir_version is 999"),
        (Message::default().int(1, -1).inner(7, &graph(&[], &[], &[])), "ir_version is -1"),
        (plain(&["Neg x -> y"]).inner(7, &graph(&[], &[], &[])), "field 7 of ModelProto occurs here a second time"),
        (plain(&["Neg x -> y"]).inner(8, &opset("ai.onnx", 1)), "the domain \"\" is imported twice"),
        (new(&Message::default().inner(1, &Message::default().text(1, "x"))), "it has no operator"),
        (new(&Message::default().inner(1, &Message::default().int(4, 7))), "field 4 of NodeProto should be a text"),
        (new(&Message::default().raw(2, &[0xff, 0xfe])), "not UTF-8"),
    ];
    for (message, want) in cases {
        match read(&message) {
            Ok(model) => panic!("should be rejected ({want}):\n{}", text(&model)),
            Err(error) => assert!(error.to_string().contains(want), "{want}\n{error}"),
        }
    }
}

/// Harmless oddities become remarks.
#[test]
fn remarks() {
    let nodes = graph(&["Unheard x -> y"], &["x"], &["y"]);
    let cases = [
        (model(8, 999, &nodes), "the version of the standard operators is 999"),
        (model(8, -1, &nodes), "the version of the standard operators is -1"),
        (model(15, 17, &nodes), "ir_version is 15, newer"),
        (Message::default().int(1, 8).inner(7, &nodes), "no version of the standard operators is imported"),
    ];
    for (message, want) in cases {
        let model = read(&message).unwrap();
        assert!(model.remarks.len() == 1 && model.remarks[0].starts_with(want), "{want}: {:?}", model.remarks);
    }
}

fn held(model: &Model, name: &str) -> (String, Vec<usize>, Option<Vec<u8>>) {
    let constant = model.value(value(model, name)).constant.as_ref().unwrap();
    let bytes = if let Data::Absent(_) = constant.data { None } else { model.elements(constant, 1 << 20).unwrap() };
    (constant.element.to_string(), constant.shape.clone(), bytes)
}

/// Every encoding of elements gives the same result.
#[test]
fn elements() {
    let list = |code: i64, fields: &[u8]| {
        let mut tensor = Message::default().int(1, 2).int(2, code).text(8, "w");
        tensor.0.extend(fields);
        tensor
    };
    let floats: Vec<u8> = [1.0f32, -2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let packed = |number: u32, bytes: &[u8]| Message::default().raw(number, bytes).0;
    let alone = |number: u32| Message::default().int(number, 1).int(number, -2).0;
    let unpacked: Vec<u8> = floats.chunks(4).flat_map(|value| [vec![0x25], value.to_vec()].concat()).collect();
    let minus = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    let one_minus_two = [&[1u8][..], &minus].concat();
    let i64s: Vec<u8> = [1i64, -2].iter().flat_map(|value| value.to_le_bytes()).collect();
    type Case = (Vec<u8>, i64, &'static str, Option<Vec<u8>>);
    let cases: Vec<Case> = vec![
        (packed(9, &floats), 1, "f32", Some(floats.clone())),
        (packed(4, &floats), 1, "f32", Some(floats.clone())),
        (unpacked, 1, "f32", Some(floats.clone())),
        (packed(7, &one_minus_two), 7, "i64", Some(i64s.clone())),
        (alone(7), 7, "i64", Some(i64s)),
        (alone(5), 3, "i8", Some(vec![1, 0xfe])),
        (packed(5, &[1, 0]), 9, "bool", Some(vec![1, 0])),
        (packed(5, &[0x80, 0x78, 0x80, 0xf8, 0x03]), 10, "f16", Some(vec![0, 0x3c, 0, 0xfc])),
        (packed(5, &[0x21]), 22, "int4", Some(vec![0x21])),
        (packed(4, &[0; 16]), 14, "complex64", Some(vec![0; 16])),
        ([packed(6, b"a"), packed(6, b"b")].concat(), 8, "string", None),
    ];
    for (fields, code, element, want) in cases {
        let message = new(&graph(&["Add x w -> y"], &["x"], &["y"]).inner(5, &list(code, &fields)));
        let model = read(&message).unwrap_or_else(|error| panic!("{element}: {error}"));
        assert_eq!(held(&model, "w"), (element.to_owned(), vec![2], want), "{element}");
    }
}

/// Every kind of `Constant` node is a constant.
#[test]
fn constant_nodes() {
    let text_attribute = Message::default().text(1, "value_string").text(4, "a").int(20, 3);
    let texts = Message::default().text(1, "value_strings").text(9, "a").text(9, "b").int(20, 8);
    let cases = [
        (tensor_attribute("value", &tensor("", &[2])), "f32", vec![2]),
        (integer("value_int", 7), "i64", vec![]),
        (ints("value_ints", &[1, 2, 3]), "i64", vec![3]),
        (text_attribute, "string", vec![]),
        (texts, "string", vec![2]),
    ];
    for (attribute, element, shape) in cases {
        let nodes = [node("Constant -> w").inner(5, &attribute), node("Unheard x w -> y")];
        let model = read(&new(&graph(&[], &["x"], &["y"]).all(1, &nodes))).unwrap();
        let (found, dims, _) = held(&model, "w");
        assert_eq!((found.as_str(), dims), (element, shape));
    }
}

#[test]
fn initializers_that_are_inputs() {
    for (ir, free) in [(3, 1), (4, 2), (8, 2)] {
        let graph = graph(&["Add x w -> y"], &["x", "w"], &["y"]).inner(5, &tensor("w", &[2, 3]));
        let model = read(&model(ir, 7, &graph)).unwrap();
        assert_eq!(model.main().inputs.len(), free, "version {ir}");
        assert!(model.value(value(&model, "w")).constant.is_some());
    }
}

#[test]
fn recorded_shapes() {
    let sizes = ["3", "batch", "floor(H/2)", "?", "-1", "", "0"];
    let graph = graph(&["Neg a -> y"], &[], &["y"]).inner(11, &info("a", &sizes)).inner(13, &info("z", &["1"]));
    let model = read(&new(&graph)).unwrap();
    let declared = model.value(value(&model, "a")).declared.clone().unwrap();
    assert_eq!(declared.to_string(), "(3, batch, floor(H/2), ?, ?, ?, 0)");
    assert_eq!(declared.dims().unwrap()[2].name(), Some("floor(H/2)"));
}

#[test]
fn attributes() {
    let fields = |message: Message| message.text(1, "a");
    let long: Vec<i64> = vec![1; 70_000];
    let cases: Vec<(Message, &str)> = vec![
        (fields(Message::default().int(3, -5).int(20, 2)), "Int(-5)"),
        (fields(Message::default().int(3, -5)), "Int(-5)"),
        (fields(Message::default().int(20, 2)), "Int(0)"),
        (fields(Message::default().text(4, "valid").int(20, 3)), "Text(\"valid\")"),
        (fields(Message::default().raw(4, &[0xff]).int(20, 3)), "Other(\"1 bytes that are not text\")"),
        (fields(Message::default().raw(7, &1.5f32.to_le_bytes()).int(20, 6)), "Floats([1.5])"),
        (fields(Message::default().raw(8, &[1, 2]).int(8, 3).int(20, 7)), "Ints([1, 2, 3])"),
        (fields(Message::default().text(9, "a").text(9, "b").int(20, 8)), "Texts([\"a\", \"b\"])"),
        (fields(Message::default().int(20, 13)), "Other(\"a value of kind 13\")"),
        (ints("a", &long), "Other(\"a list of 70000 numbers\")"),
    ];
    for (attribute, want) in cases {
        let nodes = [node("Unheard x -> y").inner(5, &attribute)];
        let model = read(&new(&graph(&[], &["x"], &["y"]).all(1, &nodes))).unwrap();
        assert_eq!(format!("{:?}", model.nodes[0].attribute("a").unwrap()), want);
    }
    let tensors = [node("Unheard x -> y").inner(5, &tensor_attribute("a", &tensor("", &[2])))];
    let model = read(&new(&graph(&[], &["x"], &["y"]).all(1, &tensors))).unwrap();
    assert!(matches!(model.nodes[0].attribute("a"), Some(Attribute::Tensor(tensor)) if tensor.shape == [2]));
}

/// Nested graphs are read up to the limit and rejected above it.
#[test]
fn nesting() {
    let nested = |depth: usize| {
        let mut graph = graph(&["Neg x -> y"], &[], &["y"]);
        for _ in 0..depth {
            graph = Message::default().inner(1, &node("If x -> y").inner(5, &graph_attribute("then_branch", &graph)));
            graph = graph.inner(12, &info("y", &[]));
        }
        new(&graph.inner(11, &info("x", &["2"])))
    };
    for depth in [0, 20, 32, 63] {
        assert_eq!(read(&nested(depth)).unwrap().graphs.len(), depth + 1);
    }
    for depth in [64, 3000] {
        let error = read(&nested(depth)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    }
}

/// Functions that call others twice stay within the limits, and are read quickly.
#[test]
fn calls_that_multiply() {
    let start = Instant::now();
    let mut whole = new(&graph(&[], &["x"], &["y"]).inner(1, &node("F0 x -> y").text(7, "own")));
    for k in 0..40 {
        let next = |text: &str| node(&text.replace('G', &format!("F{}", k + 1))).text(7, "own");
        let function = Message::default().text(1, &format!("F{k}")).text(4, "a").text(5, "o").text(10, "own");
        whole = whole.inner(25, &function.inner(7, &next("G a -> b")).inner(7, &next("G b -> o")));
    }
    let model = read(&whole).unwrap();
    assert!(!model.remarks.is_empty() && model.nodes.len() < 300_000);
    assert!(start.elapsed() < broadaxe_testing::limit::seconds(10), "{:?}", start.elapsed());
}

#[test]
fn a_long_chain_is_read_in_time() {
    let names: Vec<String> = (0..50_000).map(|k| format!("Add t{k} t{k} -> t{}", k + 1)).collect();
    let nodes: Vec<&str> = names.iter().map(String::as_str).collect();
    let message = new(&graph(&nodes, &["t0"], &["t50000"]));
    let start = Instant::now();
    assert_eq!(read(&message).unwrap().nodes.len(), 50_000);
    assert!(start.elapsed() < broadaxe_testing::limit::seconds(10), "{:?}", start.elapsed());
}

/// A model with something of everything.
fn everything() -> Message {
    let body = graph(&["Add x inner -> s"], &[], &["s"]).inner(5, &tensor("inner", &[3]));
    let function =
        Message::default().text(1, "F").text(4, "a").text(5, "o").text(10, "own").inner(7, &node("Neg a -> o"));
    let nodes = [
        node("If x -> t").inner(5, &graph_attribute("then_branch", &body)),
        node("Constant -> c").inner(5, &ints("value_ints", &[1, -2])),
        node("F t -> u").text(7, "own").inner(5, &integer("k", 3)),
        node("Add u w -> v").inner(5, &tensor_attribute("t", &tensor("", &[2]))),
        node("Mul v l -> y"),
    ];
    let spelled = Message::default().int(1, 2).int(2, 7).text(8, "l").raw(7, &[1, 0x96, 1]);
    let graph = graph(&[], &["x"], &["y"]).all(1, &nodes).all(5, &[tensor("w", &[2, 3]), spelled]);
    let graph = graph.inner(13, &info("t", &["2", "n"]));
    new(&graph).inner(8, &opset("own", 1)).inner(25, &function)
}

/// Tries to read bytes; what is read is changed in every way that it allows, and what is written is read again.
fn attempt(bytes: &[u8]) -> bool {
    let source = Source::memory(bytes.to_vec(), None);
    let Ok(model) = super::super::read(&source) else { return false };
    let write = crate::write;
    assert_eq!(write(&model, &[]).unwrap().files[0].pieces.len(), 1);
    let constants = model.values.iter().enumerate().filter_map(|(k, value)| {
        let shape = [&[1], value.constant.as_ref()?.shape.as_slice()].concat();
        Some(Edit::ReshapeConstant { value: ValueId(k as u32), shape })
    });
    let nodes = model.nodes.iter().enumerate().filter(|(_, node)| !node.inputs.is_empty()).map(|(k, node)| {
        let (id, input) = (NodeId(k as u32), k % node.inputs.len());
        let at = Use { node: id, input };
        match k % 5 {
            0 => Edit::Reshape { at, shape: vec![-1, 1] },
            1 => Edit::Unsqueeze { at, axes: vec![0, 2] },
            2 => Edit::Swap { node: id, op: node.op.clone() },
            3 => Edit::ReshapeResult { node: id, shape: vec![0, -1] },
            _ => Edit::Attribute { node: id, name: "axis".into(), value: None },
        }
    });
    let edits: Vec<Edit> =
        constants.chain(nodes).filter(|edit| write(&model, std::slice::from_ref(edit)).is_ok()).collect();
    if write(&model, &edits).is_ok() {
        let changed = changed(&model, &edits).unwrap_or_else(|error| panic!("{error}\n{edits:?}\n{}", text(&model)));
        assert!(changed.nodes.len() >= model.nodes.len());
    }
    true
}

/// Files that are cut anywhere, with any byte changed, or with pieces moved, are read or rejected.
#[test]
fn damaged_files_are_read_or_rejected() {
    let bytes = everything().0;
    assert_eq!(read(&everything()).unwrap().nodes.len(), 7);
    let cut = (0..bytes.len()).filter(|&len| attempt(&bytes[..len])).count();
    let mut changed = 0;
    for at in 0..bytes.len() {
        for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            changed += usize::from(attempt(&damaged));
        }
    }
    let mut random = Random::new(1);
    for _ in 0..3000 {
        let mut damaged = bytes.clone();
        for _ in 0..=random.below(3) {
            let (at, len, to) = (random.below(damaged.len()), random.below(12), random.below(bytes.len()));
            match random.below(3) {
                0 => damaged[at] = random.below(256) as u8,
                1 => drop(damaged.drain(at..(at + len).min(bytes.len() / 2).max(at))),
                _ => drop(damaged.splice(at..at, bytes[to..(to + len).min(bytes.len())].iter().copied())),
            }
        }
        changed += usize::from(attempt(&damaged));
    }
    assert!(cut < 10 && changed > 100, "{cut} cut and {changed} changed files are read");
}

/// A file above 2 GiB is read without its weights, and a remark says that runtimes do not load it.
#[test]
fn a_file_that_protobuf_cannot_hold() {
    let path = broadaxe_testing::temporary::path("large.onnx");
    // A graph of one initializer, whose bytes the file does not store.
    let weights = 3_u64 << 30;
    let varint = |mut value: u64| {
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    };
    let head = [&[8][..], &varint(weights), &[16, 3, 66, 1, b'w', 74], &varint(weights)].concat();
    let tensor = [&[42][..], &varint(head.len() as u64 + weights), &head].concat();
    let graph = [&[8, 8, 58][..], &varint(tensor.len() as u64 + weights), &tensor].concat();
    std::fs::write(&path, &graph).unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_len(graph.len() as u64 + weights).unwrap();
    let result = super::super::read(&Source::open(&path).unwrap());
    std::fs::remove_file(&path).unwrap();
    if isize::try_from(weights).is_err() {
        let why = result.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(why.contains("has more elements than an address can count"), "{why}");
        return;
    }
    let model = result.unwrap();
    assert_eq!(model.values.iter().map(|value| value.name.as_str()).collect::<Vec<_>>(), ["w"]);
    let remark = crate::remark(&model).unwrap();
    assert!(remark.contains("3221225") && remark.contains("less than 2 GiB"), "{remark}");
}
