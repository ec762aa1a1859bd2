//! Each edit, lowered for each kind of constants; and edits that no format can make.

use super::*;
use crate::{ErrorKind, edit::Wire, source::Source};

/// Nodes 0 to 3 (`in`, `w`, `sum`, `act`), values 0 to 3 (`x` of shape (3, 4), the constant `w` of shape (4), `s`, `y`).
const TEXT: &str =
    "7767517\n4 4\nInput in 0 1 x 0=4 1=3\nMemoryData w 0 1 w 0=4\nBinaryOp sum 2 1 x w s\nReLU act 1 1 s y\n";

fn model() -> Model {
    crate::read(&Source::memory(TEXT.as_bytes().to_vec(), None)).unwrap()
}

fn at(node: u32, input: usize) -> Use {
    Use { node: NodeId(node), input }
}

/// Writes a primitive in short.
fn short(primitive: &Primitive) -> String {
    let place = |at: &Use| format!("{}.{}", at.node.0, at.input);
    match primitive {
        Primitive::SetShape { value, shape, readers } => {
            let readers = readers.iter().flatten().map(place).collect::<Vec<_>>().join(" ");
            format!("shape {} ({}) {readers}", value.0, list(shape)).trim_end().to_owned()
        }
        Primitive::Insert { at: Place::Before(at), does, numbers } => {
            format!("{does:?} before {} ({})", place(at), list(numbers))
        }
        Primitive::Insert { at: Place::After(node), does, numbers } => {
            format!("{does:?} after {} ({})", node.0, list(numbers))
        }
        Primitive::Replace { node, with: With::Nodes(nodes) } => format!("replace {} by {}", node.0, nodes.len()),
        Primitive::Replace { node, with: With::Exchanged(op) } => format!("exchange {} {op}", node.0),
        Primitive::Attribute { node, name, value } => format!("attribute {} {name} {value:?}", node.0),
        Primitive::Opset(version) => format!("opset {version}"),
    }
}

#[test]
fn edits_become_primitives() {
    let (w, sum) = (ValueId(1), NodeId(2));
    let reshape = Edit::ReshapeConstant { value: w, shape: vec![1, 4] };
    let copy = Edit::CopyConstant { value: w, shape: vec![4, 1], uses: vec![at(2, 1)] };
    let swap = Edit::Swap { node: sum, op: "Sub".into() };
    let result = Edit::ReshapeResult { node: sum, shape: vec![0, -1] };
    let front = Edit::Unsqueeze { at: at(2, 0), axes: vec![0, 2] };
    let replace = Edit::Replace { node: NodeId(3), with: Vec::new() };
    let set = Edit::Attribute { node: sum, name: "0".into(), value: Some(Scalar::Int(1)) };
    let before = "Reshape before 2.1";
    // The edits, and the primitives for copied, changed and fixed constants, one for all if they are the same.
    let cases: Vec<(Vec<Edit>, [String; 3])> = vec![
        (vec![reshape.clone()], ["shape 1 (1, 4)".into(), "shape 1 (1, 4)".into(), format!("{before} (1, 4)")]),
        (vec![copy.clone()], ["shape 1 (4, 1) 2.1".into(), format!("{before} (4, 1)"), format!("{before} (4, 1)")]),
        (vec![Edit::Reshape { at: at(2, 1), shape: vec![-1, 0] }], [0; 3].map(|_| format!("{before} (-1, 0)"))),
        (vec![front.clone()], [0; 3].map(|_| "Unsqueeze before 2.0 (0, 2)".into())),
        (vec![Edit::Expand { at: at(3, 0), shape: vec![2, 3] }], [0; 3].map(|_| "Expand before 3.0 (2, 3)".into())),
        (vec![set], [0; 3].map(|_| "attribute 2 0 Some(Int(1))".into())),
        (vec![Edit::Opset(13)], [0; 3].map(|_| "opset 13".into())),
        // Changes that refer to the old inputs come first, replacements last.
        (
            vec![replace, swap, result, front],
            [0; 3]
                .map(|_| "Unsqueeze before 2.0 (0, 2); exchange 2 Sub; Reshape after 2 (0, -1); replace 3 by 0".into()),
        ),
        (vec![], [0; 3].map(|_| String::new())),
    ];
    let model = model();
    for (edits, want) in &cases {
        for (constants, want) in [Constants::Copied, Constants::Changed, Constants::Fixed].into_iter().zip(want) {
            let lowered = lower(&model, edits, constants).unwrap();
            let got: Vec<_> = lowered.iter().map(|(_, primitive)| short(primitive)).collect();
            assert_eq!(got.join("; "), *want, "{edits:?} {constants:?}");
            assert!(lowered.iter().all(|(from, _)| *from < edits.len()));
        }
    }
}

#[test]
fn edits_that_no_format_can_make() {
    let (w, sum) = (ValueId(1), NodeId(2));
    let constant = |shape: &[usize]| Edit::ReshapeConstant { value: w, shape: shape.to_vec() };
    let copy = |value, uses: &[Use]| Edit::CopyConstant { value, shape: vec![2, 2], uses: uses.to_vec() };
    let reshape = |at, shape: &[i64]| Edit::Reshape { at, shape: shape.to_vec() };
    let axes = |axes: &[i64]| Edit::Unsqueeze { at: at(2, 0), axes: axes.to_vec() };
    let swap = |node| Edit::Swap { node: NodeId(node), op: "Mul".into() };
    let result = |shape: &[i64]| Edit::ReshapeResult { node: sum, shape: shape.to_vec() };
    let set = |name: &str| Edit::Attribute { node: sum, name: name.into(), value: None };
    let new = |node| Edit::Replace { node: NodeId(node), with: Vec::new() };
    let cases: Vec<(Vec<Edit>, &str)> = vec![
        (vec![constant(&[5])], "the constant w has the shape (4), which cannot become (5)"),
        (vec![constant(&[0])], "cannot become (0)"),
        (vec![constant(&[usize::MAX, 2])], "cannot become"),
        (vec![constant(&[4]), constant(&[1, 4])], "gets a new shape once, not twice"),
        (vec![Edit::ReshapeConstant { value: ValueId(0), shape: vec![12] }], "x is not a constant"),
        (vec![Edit::ReshapeConstant { value: ValueId(9), shape: vec![12] }], "the model has no such value"),
        (vec![copy(w, &[at(2, 0)])], "line 5: input 0 does not read w"),
        (vec![copy(w, &[at(2, 9)])], "line 5: input 9 does not read w"),
        (vec![copy(w, &[at(9, 0)])], "the model has no node 9"),
        (vec![reshape(at(9, 0), &[1])], "the model has no node 9"),
        (vec![reshape(at(2, 2), &[1])], "line 5: it has no input 2"),
        (vec![reshape(at(2, 0), &[-1, -1])], "one -1 at most, not (-1, -1)"),
        (vec![reshape(at(2, 0), &[-2])], "sizes from 0 on and one -1 at most, not (-2)"),
        (vec![axes(&[1, 0])], "new axes are ascending and from 0 on, not (1, 0)"),
        (vec![axes(&[1, 1])], "not (1, 1)"),
        (vec![axes(&[-1])], "not (-1)"),
        (vec![swap(3)], "line 6: it has 1 inputs; two inputs can be exchanged"),
        (vec![swap(2), swap(2)], "exchanged, once"),
        (vec![result(&[-1, -1])], "one -1 at most"),
        (vec![result(&[1]), result(&[2])], "a result is reshaped once"),
        (vec![set("0"), set("1"), set("0")], "the attribute 0 is set twice"),
        (vec![new(2), new(2)], "a node is replaced once"),
        (vec![new(9)], "the model has no node 9"),
        (vec![new(2), swap(2)], "line 5: a node that is replaced cannot have another change"),
        (vec![set("0"), new(2)], "cannot have another change"),
        (vec![axes(&[0]), new(2)], "cannot have another change"),
        (vec![result(&[1]), new(2)], "cannot have another change"),
        (vec![copy(w, &[at(2, 1)]), new(2)], "cannot have another change"),
    ];
    let model = model();
    let mut wrong = Vec::new();
    for (edits, want) in cases {
        match lower(&model, &edits, Constants::Copied) {
            Err(error) if error.kind() == ErrorKind::Edit && error.to_string().contains(want) => {}
            got => wrong.push(format!("{edits:?}: {:?}, not {want}", got.map_err(|error| error.to_string()))),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn all_edits_that_fail_are_named() {
    let bad = |node| Edit::Swap { node: NodeId(node), op: String::new() };
    let good = Edit::Opset(1);
    let error = lower(&model(), &[bad(9), good, bad(3), bad(8)], Constants::Fixed).unwrap_err();
    let places: Vec<_> = error.edits().iter().map(|(at, _)| *at).collect();
    assert_eq!(places, [0, 2, 3]);
    assert_eq!(error.to_string(), "the model has no node 9");
}

#[test]
fn constants_that_cannot_be_reshaped_by_nodes() {
    let text = "7767517\n2 2\nMemoryData w 0 1 w 0=4\nReLU act 1 1 w y\n";
    let model = crate::read(&Source::memory(text.as_bytes().to_vec(), None)).unwrap();
    let edit = Edit::ReshapeConstant { value: ValueId(0), shape: vec![2, 2] };
    let lowered = lower(&model, std::slice::from_ref(&edit), Constants::Fixed).unwrap();
    assert_eq!(
        lowered.iter().map(|(_, primitive)| short(primitive)).collect::<Vec<_>>(),
        ["Reshape before 1.0 (2, 2)"]
    );
    let with = vec![NewNode {
        op: "ReLU".into(),
        inputs: vec![Wire::Old(ValueId(0))],
        output: Wire::Old(ValueId(1)),
        attributes: Vec::new(),
    }];
    let error = lower(&model, &[edit, Edit::Replace { node: NodeId(1), with }], Constants::Fixed).unwrap_err();
    assert!(error.to_string().contains("cannot have another change"), "{error}");
}
