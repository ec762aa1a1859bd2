use alloc::{format, string::ToString, vec, vec::Vec};

use super::*;

#[test]
fn sentences() {
    // from, shapes, to, sentence
    let cases: &[(&str, &[&str], &str, &str)] = &[
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "numpy", "reshape b (3, 4) to (3, 4, 1)"),
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "unidirectional", "reshape b (3, 4) to (3, 4, 1)"),
        ("pdpd", &["2,3", "3"], "numpy", "nothing to change"),
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "paddle", "nothing to change, under paddle axis=1"),
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "pdpd", "nothing to change, under pdpd axis=1"),
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "onnx-legacy", "nothing to change, under onnx-legacy axis=1"),
        ("pdpd axis=1", &["2,3,4,5", "3,1"], "onnx-legacy", "reshape b (3, 1) to (3,), under onnx-legacy axis=1"),
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "ncnn", "reshape b (3, 4) to (1, 3, 4, 1)"),
        ("pdpd axis=0", &["2,3,4", "2,1,4"], "onnx-legacy", "expand b (2, 1, 4) to (2, 3, 4)"),
        ("numpy", &["2,1,5", "1,4,5"], "pdpd", "expand a (2, 1, 5) to (2, 4, 5)"),
        ("numpy", &["3", "2,1"], "pdpd", "expand a (3,) to (2, 3)"),
        ("numpy", &["3,1", "2,3,3"], "pdpd", "swap the operands"),
        ("numpy", &["3", "1,3"], "pdpd", "reshape a (3,) to (1, 3)"),
        ("numpy", &["2,3", "3"], "none", "expand b (3,) to (2, 3)"),
        ("numpy", &["2,1", "3"], "none", "expand a (2, 1) to (2, 3), expand b (3,) to (2, 3)"),
        ("numpy", &["2,3", "1,2,3"], "none", "reshape a (2, 3) to (1, 2, 3)"),
        ("numpy", &["2", "2,2"], "ncnn", "reshape a (2,) to (1, 2)"),
        ("numpy", &["()", "()"], "ncnn", "reshape a () to (1,), reshape b () to (1,), reshape the result to ()"),
        (
            "numpy",
            &["2,3,4,5,6", "5,6"],
            "ncnn",
            "reshape a (2, 3, 4, 5, 6) to (24, 30), reshape b (5, 6) to (1, 30), reshape the result to (2, 3, 4, 5, 6)",
        ),
        ("ncnn", &["4,3,2", "4,3"], "numpy", "reshape b (4, 3) to (4, 3, 1)"),
        ("ncnn", &["4,3,2", "4"], "pdpd", "nothing to change, under pdpd axis=0"),
        ("explicit axes=1,2 target=1,50,50,16", &["50,50"], "broadcast-to", "reshape a (50, 50) to (50, 50, 1)"),
        ("broadcast-to target=2,3", &["3"], "explicit", "nothing to change, under explicit axes=1 target=2,3"),
        ("broadcast-to target=2,3", &["3"], "numpy", "expand a (3,) to (2, 3)"),
        ("bidirectional target=1,3", &["2,1"], "broadcast-to", "nothing to change"),
        ("numpy", &["4", "3,1", "2,1,1"], "unidirectional", "expand a (4,) to (2, 3, 4)"),
        ("openvino-prelu", &["2,4,4", "4"], "unidirectional", "reshape b (4,) to (4, 1)"),
        ("unidirectional", &["2,4,4", "4"], "openvino-prelu", "reshape b (4,) to (1, 1, 4)"),
    ];
    let mut wrong = Vec::new();
    for (from, shapes, to, want) in cases {
        let shapes: Vec<Shape> = shapes.iter().map(|text| text.parse().unwrap()).collect();
        let shapes: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
        match rewrite(&from.parse().unwrap(), &shapes, to) {
            Ok(got) if got.to_string() == *want => {}
            Ok(got) => wrong.push(format!("{from} {shapes:?} to {to}: {got}")),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
