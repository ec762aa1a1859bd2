//! Shapes that `Expand` is given, on ONNX Runtime 1.31.1 and OpenVINO 2026.4.1.
//!
//! What the two do with 850 models was compared: shapes of rank 0 to 2 as initializers, constants, inputs and computed ones, of two types, in
//! opsets 8 to 20. These rows are one or more of each kind. A row has the model, the code of the finding, and the verdicts: `differs` with
//! the code BX001 means that the runtime accepts the shape.

use crate::{
    check::check,
    testing::{judge, model},
};

const SHAPES: &[(&str, &str, &str, &str)] = &[
    // A shape that is no list.
    ("x(1); t=const:i64()=3; y=Expand(x,t)", "BX001", "differs", "refused"),
    ("x(2,1); t=const:i64(1,1)=4; y=Expand(x,t)", "BX001", "differs", "refused"),
    ("x(2,1); t=const:i64(2,1)=2,4; y=Expand(x,t)", "BX001", "differs", "refused"),
    ("opset 13; x(1); t=const:i64()=3; y=Expand(x,t)", "BX001", "differs", "refused"),
    ("opset 8; x(1); t=const:i64()=3; y=Expand(x,t)", "BX001", "refused", "refused"),
    ("opset 8; x(1); t=const:i64(1,1)=3; y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(1); t:i64(); y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(1); t:i64(1,2); y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(1); w(3,4); s=Shape(w); i=const:i64()=0; t=Gather(s,i) axis=0; y=Expand(x,t)", "BX001", "differs", "refused"),
    ("x(1); w(n,4); s=Shape(w); i=const:i64()=0; t=Gather(s,i) axis=0; y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(1); w(n,4); s=Shape(w); i=const:i64()=1; t=Gather(s,i) axis=0; y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(1); w(3); s=Shape(w); t=Squeeze(s); y=Expand(x,t)", "BX001", "differs", "refused"),
    ("x(1); a=const:i64()=3; z=const:i64()=0; t=Add(a,z); y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(1); w(3,1); t=Size(w); y=Expand(x,t)", "BX001", "refused", "refused"),
    // Other integers.
    ("x(2,1); t=const:i32(2)=2,3; y=Expand(x,t)", "BX001", "refused", "differs"),
    ("x(2,1); t:i32(2); y=Expand(x,t)", "BX001", "refused", "differs"),
    // Negative entries.
    ("x(1); t=const:i64(1)=-1; y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(2,1); t=const:i64(2)=-1,4; y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(3); t=const:i64(2)=2,-1; y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(3); t=const:i64(1)=-1; y=Expand(x,t)", "BX001", "refused", "differs"),
    ("x(1,4); t=const:i64(1)=-1; y=Expand(x,t)", "BX001", "refused", "differs"),
    ("x(2,0); t=const:i64(2)=2,-1; y=Expand(x,t)", "BX001", "refused", "differs"),
    // Shapes that do not broadcast.
    ("x(1,4); t=const:i64(1)=3; y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(2,1); t=const:i64(3)=2,3,4; y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(1,4); t=const:i64()=3; y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(3); w(4); s=Shape(w); y=Expand(x,s)", "BX001", "refused", "refused"),
    ("x(3); w(n,4); s=Shape(w); i=const:i64(1)=1; t=Gather(s,i) axis=0; y=Expand(x,t)", "BX001", "refused", "refused"),
    ("x(1,3); w(2,4); s=Shape(w); o=const:i64(1)=1; t=Max(s,o); y=Expand(x,t)", "BX001", "refused", "refused"),
    (
        "x(3); w(1); s=Shape(w); o=const:i64(1)=1; e=Equal(s,o); m=const:i64(1)=-1; t=Where(e,m,s); y=Expand(x,t)",
        "BX001",
        "refused",
        "refused",
    ),
    ("x(3); w(n); s=Shape(w); y=Expand(x,s)", "", "same", "same"),
    ("x(1); w(4); s=Shape(w); y=Expand(x,s)", "", "same", "same"),
    // Axes without entries.
    ("x(2,1); t=const:i64(2)=2,0; y=Expand(x,t)", "BX106", "same", "differs"),
    ("x(1); t=const:i64(1)=0; y=Expand(x,t)", "BX106", "same", "differs"),
    ("x(2,3,1); t=const:i64(1)=0; y=Expand(x,t)", "BX106", "same", "differs"),
    ("x(1); t=const:i64(2)=0,3; y=Expand(x,t)", "", "same", "same"),
    ("x(); t=const:i64(2)=2,0; y=Expand(x,t)", "", "same", "same"),
    ("x(2,1); t:i64(2); y=Expand(x,t)", "", "same", "same"),
    ("x(0); t=const:i64(1)=1; y=Expand(x,t)", "BX203", "same", "refused"),
    ("x(0); a=Abs(x); t=const:i64(1)=1; y=Expand(a,t)", "", "same", "same"),
    ("x(2,0); t=const:i64(2)=2,1; y=Expand(x,t)", "BX203", "same", "refused"),
    ("x(2,0); t=const:i64(2)=2,0; b=Expand(x,t); y=Abs(b)", "", "same", "same"),
    ("x(1,0,3); t=const:i64(2)=0,3; y=Expand(x,t)", "BX203", "same", "refused"),
    ("x(1,0); t=const:i64(2)=2,0; y=Expand(x,t)", "BX203", "same", "refused"),
    ("x(0); t=const:i64(2)=1,0; y=Expand(x,t)", "BX203", "same", "refused"),
    ("x(0); t=const:i64(2)=2,1; y=Expand(x,t)", "BX203", "same", "refused"),
    ("x(1); t:i64(0); y=Expand(x,t)", "", "same", "same"),
];

#[test]
fn shapes_of_expand() {
    let mut wrong = Vec::new();
    for (text, code, onnx, openvino) in SHAPES {
        let (model, shapes) = model(text);
        for (target, want) in [("onnx", onnx), ("openvino", openvino)] {
            let report = check(&model, &shapes, &[target.parse().expect(target)]);
            let finding = report.findings.iter().find(|finding| model.node(finding.node).op == "Expand");
            let finding = finding.expect(text);
            let found = (finding.verdict.name(), finding.code.map_or("", |code| code.id));
            let want = (*want, if *want == "same" { "" } else { *code });
            if found != want {
                wrong.push(format!("{text}: {found:?} on {target}, not {want:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_runtimes() {
    let list = "x(2,1); t=const:i64(2)=2,3; y=Expand(x,t)";
    judge("ncnn-param", &[(list, "y unsupported")]);
    judge(
        "tvm",
        &[
            (list, "same"),
            ("x(1); t=const:i64()=3; y=Expand(x,t)", "y refused"),
            ("x(1); t=const:i64(1,1)=3; y=Expand(x,t)", "y refused"),
            ("x(2,1); t=const:i64(2)=2,0; y=Expand(x,t)", "y refused"),
            ("x(1,3); t=const:i64(2)=0,3; y=Expand(x,t)", "y refused"),
        ],
    );
}
