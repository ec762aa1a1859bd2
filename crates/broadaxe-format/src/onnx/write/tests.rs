//! Every change, on small models: what is written is read again and shown as text.

use std::fmt::Write;

use super::super::sample::{
    Message, changed, graph, graph_attribute, info, integer, ints, model, node, opset, read, tensor, tensor_attribute,
    text, value,
};
use crate::{
    edit::{Edit, NewNode, Scalar, Wire},
    error::ErrorKind,
    graph::{Model, NodeId, Use, ValueId},
};

fn at(node: u32, input: usize) -> Use {
    Use { node: NodeId(node), input }
}

/// `y = x + w`, with `w` of shape (3) recorded too.
fn add(ir: i64, version: i64) -> Model {
    let graph = graph(&["Add x w -> y"], &["x"], &["y"]).inner(5, &tensor("w", &[3])).inner(13, &info("w", &["3"]));
    read(&model(ir, version, &graph)).unwrap()
}

struct Case {
    name: &'static str,
    model: Model,
    edits: Vec<Edit>,
}

// Long: a table.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = |name, model: &Model, edits: Vec<Edit>| cases.push(Case { name, model: model.clone(), edits });
    let new = add(8, 17);
    let w = value(&new, "w");
    let front = |axes: &[i64]| Edit::Unsqueeze { at: at(0, 1), axes: axes.to_vec() };
    case("a constant in place", &new, vec![Edit::ReshapeConstant { value: w, shape: vec![1, 3] }]);
    case(
        "a constant of another rank and size of its length",
        &new,
        vec![Edit::ReshapeConstant { value: w, shape: vec![1; 70].into_iter().take(60).chain([3]).collect() }],
    );
    case("a copy", &new, vec![Edit::CopyConstant { value: w, shape: vec![3, 1], uses: vec![at(0, 1)] }]);
    case("a reshape", &new, vec![Edit::Reshape { at: at(0, 1), shape: vec![1, -1] }]);
    case("new axes", &new, vec![front(&[0])]);
    case("a stretch", &new, vec![Edit::Expand { at: at(0, 1), shape: vec![2, 3] }]);
    case("exchanged inputs", &new, vec![Edit::Swap { node: NodeId(0), op: "Sub".into() }]);
    case(
        "several changes at one node",
        &new,
        vec![
            Edit::Swap { node: NodeId(0), op: "Add".into() },
            Edit::ReshapeResult { node: NodeId(0), shape: vec![0, -1] },
            front(&[0]),
            Edit::Expand { at: at(0, 1), shape: vec![2, 3] },
            Edit::Attribute { node: NodeId(0), name: "axis".into(), value: Some(Scalar::Int(-1)) },
        ],
    );
    case(
        "before initializers need no input",
        &add(3, 7),
        vec![front(&[0]), Edit::CopyConstant { value: w, shape: vec![3, 1], uses: vec![at(0, 1)] }],
    );
    case("the oldest reshape", &add(3, 4), vec![Edit::Reshape { at: at(0, 1), shape: vec![1, 3] }]);
    case("the version", &new, vec![Edit::Opset(18)]);
    let old = read(&Message::default().inner(7, &graph(&["Add a b -> y"], &["a", "b"], &["y"])).int(1, 1)).unwrap();
    case("the version of a file that has none", &old, vec![Edit::Opset(7)]);
    let legacy = node("Add a b -> y").inner(5, &integer("broadcast", 1)).inner(5, &integer("axis", 1)).text(3, "sum");
    let legacy = Message::default().inner(1, &legacy).all(11, &[info("a", &["2", "3"]), info("b", &["3"])]);
    let legacy = read(&model(3, 6, &legacy.inner(12, &info("y", &["2", "3"])))).unwrap();
    let remove = |name: &str| Edit::Attribute { node: NodeId(0), name: name.into(), value: None };
    case("an upgrade", &legacy, vec![remove("broadcast"), remove("axis"), front(&[0]), Edit::Opset(7)]);
    let set = |name: &str, value| Edit::Attribute { node: NodeId(0), name: name.into(), value: Some(value) };
    let lists = vec![
        set("axis", Scalar::Ints(vec![1, -2])),
        set("broadcast", Scalar::Text("no".into())),
        set("f", Scalar::Float(0.5)),
        set("g", Scalar::Floats(vec![1.0, -0.25])),
    ];
    case("attributes of all kinds", &legacy, lists);
    let x = value(&new, "x");
    let with = vec![
        NewNode { op: "Neg".into(), inputs: vec![Wire::Old(w)], output: Wire::New("neg".into()), attributes: vec![] },
        NewNode {
            op: "Mul".into(),
            inputs: vec![Wire::New("neg".into()), Wire::Number(-1.0)],
            output: Wire::New("mul".into()),
            attributes: vec![],
        },
        NewNode {
            op: "Reshape".into(),
            inputs: vec![Wire::New("mul".into()), Wire::Ints(vec![1, 3])],
            output: Wire::New("shaped".into()),
            attributes: vec![("allowzero".into(), Scalar::Int(1))],
        },
        NewNode {
            op: "Add".into(),
            inputs: vec![Wire::Old(x), Wire::New("shaped".into())],
            output: Wire::Old(value(&new, "y")),
            attributes: vec![],
        },
    ];
    case("other nodes in the place of one", &new, vec![Edit::Replace { node: NodeId(0), with }]);
    let held = node("Constant -> c").inner(5, &tensor_attribute("value", &tensor("", &[3])));
    let spelled = node("Constant -> d").inner(5, &ints("value_ints", &[5, 6]));
    let constants = graph(&[], &["x"], &["y"]).all(1, &[held, spelled, node("Add x c -> t"), node("Pad t d -> y")]);
    let constants = read(&model(8, 17, &constants.inner(13, &info("c", &["3"])))).unwrap();
    let (c, d) = (value(&constants, "c"), value(&constants, "d"));
    case(
        "constants that nodes hold",
        &constants,
        vec![
            Edit::ReshapeConstant { value: c, shape: vec![1, 3] },
            Edit::ReshapeConstant { value: d, shape: vec![2, 1] },
        ],
    );
    case(
        "copies of them",
        &constants,
        vec![
            Edit::CopyConstant { value: c, shape: vec![1, 3], uses: vec![at(2, 1)] },
            Edit::CopyConstant { value: d, shape: vec![2, 1], uses: vec![at(3, 1)] },
        ],
    );
    cases
}

fn inner_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = |name, model: &Model, edits: Vec<Edit>| cases.push(Case { name, model: model.clone(), edits });
    let body = graph(&["Add x w -> s"], &[], &["s"]).inner(5, &tensor("v", &[3]));
    let branch = graph(&["Sub v x -> s"], &[], &["s"]).inner(5, &tensor("v", &[3]));
    let decide = node("If x -> y")
        .inner(5, &graph_attribute("then_branch", &body))
        .inner(5, &graph_attribute("else_branch", &branch));
    let bodies =
        Message::default().inner(1, &decide).all(11, &[info("x", &["2", "3"])]).all(12, &[info("y", &["2", "3"])]);
    let bodies = read(&model(8, 17, &bodies.inner(5, &tensor("w", &[3])))).unwrap();
    let inner = bodies.values.iter().rposition(|value| value.name == "v").unwrap();
    case(
        "inside bodies",
        &bodies,
        vec![
            Edit::Unsqueeze { at: at(1, 1), axes: vec![0] },
            Edit::ReshapeConstant { value: ValueId(inner as u32), shape: vec![1, 3] },
            Edit::ReshapeResult { node: NodeId(2), shape: vec![2, 3] },
            Edit::CopyConstant { value: value(&bodies, "w"), shape: vec![1, 3], uses: vec![at(1, 1)] },
        ],
    );
    let function =
        Message::default().text(1, "Biased").text(4, "a").text(5, "o").text(10, "own").inner(9, &opset("", 11));
    let scaled = node("Mul a k -> m").text(3, "scale");
    let k = node("Constant -> k").inner(5, &tensor_attribute("value", &tensor("", &[3])));
    let function = function.inner(7, &k).inner(7, &scaled).inner(7, &node("Add m k -> o"));
    let call = graph(&[], &["x"], &["y"]).inner(1, &node("Biased x -> y").text(7, "own"));
    let call = read(&model(8, 17, &call).inner(8, &opset("own", 1)).inner(25, &function)).unwrap();
    case(
        "inside a function",
        &call,
        vec![
            Edit::Unsqueeze { at: at(2, 1), axes: vec![0] },
            Edit::Unsqueeze { at: at(3, 1), axes: vec![0] },
            Edit::Reshape { at: at(2, 0), shape: vec![2, 3] },
        ],
    );
    case(
        "a constant of a function",
        &call,
        vec![
            Edit::CopyConstant { value: value(&call, "k"), shape: vec![1, 3], uses: vec![at(3, 1)] },
            Edit::ReshapeConstant { value: value(&call, "k"), shape: vec![3, 1] },
        ],
    );
    let twice = graph(&[], &["x"], &["y"])
        .inner(5, &tensor("w", &[3]))
        .all(1, &[node("Scaled x w -> t").text(7, "own"), node("Scaled t w -> y").text(7, "own")]);
    let scaled = Message::default().text(1, "Scaled").text(4, "a").text(4, "b").text(5, "o").text(10, "own");
    let scaled = scaled.inner(7, &node("Constant -> k").inner(5, &tensor_attribute("value", &tensor("", &[3]))));
    let scaled = scaled.inner(7, &node("Mul a b -> m")).inner(7, &node("Add m k -> o"));
    let twice = read(&model(8, 17, &twice).inner(8, &opset("own", 1)).inner(25, &scaled)).unwrap();
    let ks: Vec<u32> = (0..twice.values.len() as u32).filter(|&k| twice.values[k as usize].name == "k").collect();
    let mul = |call: u32| {
        let node = NodeId(2 + 4 * call);
        let old = |value: Option<ValueId>| Wire::Old(value.unwrap());
        let inputs = vec![old(twice.node(node).input(1)), old(twice.node(node).input(0))];
        let output = old(twice.node(node).output(0));
        Edit::Replace { node, with: vec![NewNode { op: "Mul".into(), inputs, output, attributes: vec![] }] }
    };
    let edits = ks.iter().map(|&k| Edit::ReshapeConstant { value: ValueId(k), shape: vec![1, 3] });
    let edits =
        edits.chain([Edit::Unsqueeze { at: at(3, 0), axes: vec![0] }, Edit::Unsqueeze { at: at(7, 0), axes: vec![0] }]);
    case("inside a function that is called twice", &twice, edits.chain([mul(0), mul(1)]).collect());
    let uses = vec![at(2, 1), at(6, 1)];
    case(
        "a constant of the caller",
        &twice,
        vec![Edit::CopyConstant { value: value(&twice, "w"), shape: vec![1, 3], uses }],
    );
    cases
}

/// `changes.txt` has, under the name of each case, the model that comes out.
#[test]
fn changes() {
    let mut got = String::new();
    for case in cases().into_iter().chain(inner_cases()) {
        let model = changed(&case.model, &case.edits).map_or_else(|error| error.to_string(), |model| text(&model));
        writeln!(got, "# {}\n{model}\n", case.name).unwrap();
    }
    let wrong = got.lines().zip(include_str!("changes.txt").lines()).find(|(got, want)| got != want);
    assert!(got == include_str!("changes.txt"), "first difference {wrong:?} in\n{got}");
}

#[test]
fn rejections() {
    let new = add(8, 17);
    let (w, x) = (value(&new, "w"), value(&new, "x"));
    let free =
        read(&model(8, 17, &graph(&["Add x w -> y"], &["x", "w"], &["y"]).inner(5, &tensor("w", &[2, 3])))).unwrap();
    let out =
        read(&model(8, 17, &graph(&["Neg x -> y"], &["x"], &["y", "w"]).inner(5, &tensor("w", &[2, 3])))).unwrap();
    let function = Message::default().text(1, "Twice").text(4, "a").text(5, "o").text(10, "own");
    let function = function.inner(7, &node("Add a a -> o"));
    let calls =
        graph(&[], &["x"], &["y"]).all(1, &[node("Twice x -> t").text(7, "own"), node("Twice t -> y").text(7, "own")]);
    let calls = read(&model(8, 17, &calls).inner(8, &opset("own", 1)).inner(25, &function)).unwrap();
    let reshape = |value, shape: &[usize]| Edit::ReshapeConstant { value, shape: shape.to_vec() };
    let neg = |output| NewNode { op: "Neg".into(), inputs: vec![Wire::Old(x)], output, attributes: vec![] };
    let replace = |with| Edit::Replace { node: NodeId(0), with };
    let front = |at, shape: &[i64]| Edit::Reshape { at, shape: shape.to_vec() };
    let (y, old) = (Wire::Old(value(&new, "y")), add(3, 7));
    let cases: Vec<(&Model, Vec<Edit>, &str)> = vec![
        (&new, vec![reshape(w, &[4])], "the constant w has the shape (3), which cannot become (4)"),
        (&new, vec![reshape(w, &[3, usize::MAX])], "cannot become"),
        (&new, vec![reshape(x, &[6])], "x is not a constant"),
        (&new, vec![reshape(w, &[1, 3]), reshape(w, &[3, 1])], "gets a new shape once, not twice"),
        (&new, vec![reshape(ValueId(99), &[1])], "no such value"),
        (&free, vec![reshape(value(&free, "w"), &[6])], "can be overridden by a caller"),
        (&out, vec![reshape(value(&out, "w"), &[6])], "is an output of its graph"),
        (&new, vec![front(at(0, 2), &[3])], "it has no input 2"),
        (&new, vec![front(at(7, 0), &[3])], "the model has no node 7"),
        (&new, vec![front(at(0, 0), &[-1, -1])], "one -1 at most"),
        (&new, vec![Edit::Unsqueeze { at: at(0, 0), axes: vec![1, 0] }], "ascending"),
        (&old, vec![Edit::Expand { at: at(0, 0), shape: vec![2] }], "Expand needs opset 8, but the model has 7"),
        (&calls, vec![front(at(1, 0), &[6])], "Twice is called 2 times, and a change is wanted at 1 of them"),
        (&new, vec![replace(vec![neg(Wire::New("z".into()))])], "no new node computes \"y\""),
        (&new, vec![replace(vec![neg(y.clone())]), front(at(0, 0), &[6])], "cannot have another change"),
        (&new, vec![front(at(0, 0), &[6]), replace(vec![neg(y)])], "cannot have another change"),
        (&new, vec![Edit::Swap { node: NodeId(0), op: "Add".into() }; 2], "exchanged, once"),
    ];
    for (model, edits, want) in cases {
        match changed(model, &edits) {
            Err(error) => {
                assert!(error.to_string().contains(want), "{edits:?}: {error}");
                assert_eq!(error.kind(), ErrorKind::Edit, "{error}");
            }
            Ok(model) => panic!("{edits:?} should be rejected ({want}):\n{}", text(&model)),
        }
    }
}

#[test]
fn without_changes_there_is_one_piece() {
    let model = add(8, 17);
    let written = crate::write(&model, &[]).unwrap();
    assert_eq!(written.files[0].pieces, [crate::edit::Piece::Kept { at: 0, len: model.source.len() }]);
}

/// A recorded shape follows its constant, also where it has none, and names are new in the whole file.
#[test]
fn records_and_names() {
    let model = add(8, 17);
    let reshaped =
        changed(&model, &[Edit::ReshapeConstant { value: value(&model, "w"), shape: vec![1, 1, 3] }]).unwrap();
    let declared = reshaped.value(value(&reshaped, "w")).declared.clone();
    assert_eq!(declared.map(|shape| shape.to_string()).as_deref(), Some("(1, 1, 3)"));
    let taken = graph(&["Add x w -> w_broadaxe_reshape", "Neg w_broadaxe_reshape -> y"], &["x"], &["y"]);
    let taken = read(&super::super::sample::model(8, 4, &taken.inner(5, &tensor("w", &[3])))).unwrap();
    let after = changed(&taken, &[Edit::Reshape { at: at(0, 1), shape: vec![1, 3] }]).unwrap();
    assert!(text(&after).contains("w_broadaxe_reshape_2 = Reshape(w)"), "{}", text(&after));
}

/// Before opset 9 a `Constant` holds floats, and before version 4 of the format an initializer is an input.
#[test]
fn whole_numbers_of_old_files_are_initializers() {
    for (ir, version, constant) in [(3, 7, false), (3, 9, true), (4, 7, false)] {
        let edits = [Edit::Reshape { at: at(0, 1), shape: vec![1, 3] }];
        let after = changed(&add(ir, version), &edits).unwrap();
        assert_eq!(after.main().inputs.len(), 1, "a default is no input that has to be given");
        assert_eq!(after.nodes.iter().any(|node| node.op == "Constant"), constant, "version {ir}, opset {version}");
    }
}
