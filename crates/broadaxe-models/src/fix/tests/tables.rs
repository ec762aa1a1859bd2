//! Plans for whole files, written, read again and judged again.
//!
//! All files without a node left were run: those for OpenVINO by OpenVINO 2026.4.1, those for ncnn by pnnx and ncnn 1.0.20261020,
//! all others by ONNX Runtime 1.31.1. Each computes what the model meant before, in ONNX Runtime without optimisations.

use crate::{
    check::{Verdict, check},
    fix::{Intent, plan_as},
    format,
    graph::Model,
    infer::{Shapes, infer},
    meaning::intended,
    profiles::Target,
    source::Source,
    testing, verify,
};

/// What the steps are written as here.
const SHORT: &[(&str, &str)] = &[
    ("reshape the constant ", "constant "),
    ("decompose PRelu: relu(x) - slope * relu(-x)", "apart"),
    ("reshape the result back to ", "back to "),
    (", with ", ", "),
];

/// Reads the file of a text.
fn read(text: &str) -> (Model, Shapes) {
    let (model, shapes) = testing::model(text);
    let file = testing::onnx(&model, &shapes);
    let model = format::read(&Source::memory(file, None)).expect(text);
    let shapes = infer(&model, &[]).expect(text);
    (model, shapes)
}

/// Lists what is not the same: the node, and the verdict.
fn apart(model: &Model, shapes: &Shapes, targets: &[Target]) -> Vec<String> {
    let findings = check(model, shapes, targets).findings;
    let apart = findings.iter().filter(|finding| !matches!(finding.verdict, Verdict::Same));
    apart.map(|finding| format!("{} {}", model.node(finding.node).name, finding.verdict.name())).collect()
}

/// Returns the steps of the plan for a model, after which it has no finding and computes the same.
pub(super) fn fixed(targets: &str, text: &str) -> String {
    fixed_as(targets, text, Intent::Unknown)
}

/// As [`fixed`], where the caller knows what is meant.
pub(super) fn fixed_as(targets: &str, text: &str, intent: Intent) -> String {
    let targets: Vec<Target> = targets.split(' ').map(|name| name.parse().expect(name)).collect();
    let (model, shapes) = read(text);
    let fix = plan_as(&model, &shapes, &targets, intent).expect(text);
    let short = |text: &str| SHORT.iter().fold(text.to_string(), |text, (long, short)| text.replace(long, short));
    let steps = fix.steps.iter().map(|step| short(&step.text));
    let left = fix.left.iter().map(|left| format!("left {}", model.node(left.node).name));
    let steps: Vec<String> = steps.chain(left).collect();
    if fix.left.is_empty() {
        let written = format::write(&model, &fix.edits).expect(text);
        let after = format::changed(&model, &written).expect(text);
        let again = infer(&after, &[]).expect(text);
        assert_eq!(apart(&after, &again, &targets), [""; 0], "{text}: after {steps:?}");
        let meant = intended(&model, &shapes, intent);
        let verified = verify::verify_as((&model, &shapes), (&after, &again), &meant).expect(text);
        assert_eq!(verified.difference, None, "{text}: after {steps:?}");
    }
    steps.join("; ")
}

/// Plans one model for each list of targets.
fn plans(text: &str, rows: &[(&str, &str)]) {
    for (targets, want) in rows {
        assert_eq!(fixed(targets, text), *want, "{text} for {targets}");
    }
}

/// Plans many models for one list of targets.
pub(super) fn repairs(targets: &str, rows: &[(&str, &str)]) {
    for (text, want) in rows {
        assert_eq!(fixed(targets, text), *want, "{text} for {targets}");
    }
}

#[test]
fn a_suffix() {
    plans(
        "x(2,3,4); c=const(4); y=Add(x,c)",
        &[
            ("openvino", ""),
            ("ncnn", ""),
            ("none", "expand c to (2, 3, 1)"),
            ("equal-rank", "constant c from (4,) to (1, 1, 4)"),
            ("ncnn-param", ""),
            ("paddle", ""),
            ("tosa", "constant c from (4,) to (1, 1, 4)"),
        ],
    );
}

#[test]
fn a_middle_axis() {
    plans(
        "x(2,3,4); c=const(3,1); y=Mul(x,c)",
        &[
            ("openvino", ""),
            ("ncnn", ""),
            ("none", "expand c to (2, 1, 4)"),
            ("equal-rank", "constant c from (3, 1) to (1, 3, 1)"),
            ("ncnn-param", "constant c from (3, 1) to (1, 3, 1)"),
            ("paddle", ""),
            ("tosa", "constant c from (3, 1) to (1, 3, 1)"),
        ],
    );
}

#[test]
fn a_computed_suffix() {
    plans(
        "x(2,3,4); c(4); y=Sub(x,c)",
        &[
            ("openvino", ""),
            ("ncnn", ""),
            ("none", "expand c to (2, 3, 1)"),
            ("equal-rank", "unsqueeze c at axes 0, 1"),
            ("ncnn-param", ""),
            ("paddle", ""),
            ("tosa", "unsqueeze c at axes 0, 1"),
        ],
    );
}

#[test]
fn comparisons() {
    plans(
        "x(2,3,4); c(3,4); y=Less(x,c)",
        &[
            ("openvino", ""),
            ("ncnn", "left y"),
            ("none", "expand c to (2, 1, 1)"),
            ("equal-rank", "unsqueeze c at axis 0"),
            ("ncnn-param", "left y"),
            ("paddle", ""),
            ("tosa", "left y"),
            ("onnx ncnn", "left y"),
            ("onnx openvino ncnn", "left y"),
        ],
    );
}

#[test]
fn a_smaller_first_operand() {
    plans(
        "x(3); c=const(2,3); y=Sub(x,c)",
        &[
            ("openvino", ""),
            ("ncnn", ""),
            ("none", "expand x to (2, 1)"),
            ("equal-rank", "unsqueeze x at axis 0"),
            ("ncnn-param", ""),
            ("paddle", ""),
            ("tosa", "unsqueeze x at axis 0"),
        ],
    );
}

#[test]
fn channels() {
    plans(
        "x(2,3,4,5); c=const(3,1,1); y=Mul(x,c)",
        &[
            ("openvino", ""),
            ("ncnn", ""),
            ("none", "expand c to (2, 1, 4, 5)"),
            ("equal-rank", "constant c from (3, 1, 1) to (1, 3, 1, 1)"),
            ("ncnn-param", "constant c from (3, 1, 1) to (1, 3, 1, 1)"),
            ("rank<=3", "reshape x to (2, 3, 20); constant c from (3, 1, 1) to (1, 3, 1); back to (2, 3, 4, 5)"),
            ("paddle", ""),
            ("tosa", "constant c from (3, 1, 1) to (1, 3, 1, 1)"),
        ],
    );
}

#[test]
fn slopes_of_rank_1() {
    plans(
        "x(2,4,4); s=const(4); y=PRelu(x,s)",
        &[
            ("openvino", "constant s from (4,) to (1, 1, 4)"),
            ("ncnn", "apart, s as (1, 1, 4)"),
            ("none", "expand s to (2, 4, 1)"),
            ("equal-rank", "constant s from (4,) to (1, 1, 4)"),
            ("ncnn-param", "apart, s as (1, 1, 4)"),
            ("paddle", "apart, s as (1, 1, 4)"),
            ("tosa", "apart, s as (1, 1, 4)"),
            ("onnx ncnn", "apart, s as (1, 1, 4)"),
            ("onnx openvino ncnn", "apart, s as (1, 1, 4)"),
        ],
    );
}

#[test]
fn slopes_along_channels() {
    plans(
        "x(2,3,4,5); s=const(3,1,1); y=PRelu(x,s)",
        &[
            ("openvino", ""),
            ("ncnn", ""),
            ("none", "expand s to (2, 1, 4, 5)"),
            ("equal-rank", "constant s from (3, 1, 1) to (1, 3, 1, 1)"),
            ("ncnn-param", "apart, s as (1, 3, 1, 1)"),
            ("rank<=3", "reshape x to (2, 3, 20); constant s from (3, 1, 1) to (1, 3, 1); back to (2, 3, 4, 5)"),
            ("paddle", "apart, s as (1, 3, 1, 1)"),
            ("tosa", "apart, s as (1, 3, 1, 1)"),
        ],
    );
}

#[test]
fn slopes_along_the_last_axis() {
    plans(
        "x(2,3,4,5); s=const(5); y=PRelu(x,s)",
        &[
            ("openvino", ""),
            ("ncnn", "apart, s as (1, 1, 1, 5)"),
            ("none", "expand s to (2, 3, 4, 1)"),
            ("equal-rank", "constant s from (5,) to (1, 1, 1, 5)"),
            ("ncnn-param", "apart, s as (1, 1, 1, 5)"),
            ("rank<=3", "reshape x to (24, 5); constant s from (5,) to (1, 5); back to (2, 3, 4, 5)"),
            ("paddle", "apart, s as (1, 1, 1, 5)"),
            ("tosa", "apart, s as (1, 1, 1, 5)"),
            ("onnx ncnn", "apart, s as (1, 1, 1, 5)"),
            ("onnx openvino ncnn", "apart, s as (1, 1, 1, 5)"),
        ],
    );
}

#[test]
fn one_slope() {
    plans(
        "x(2,3,4); s=const(1); y=PRelu(x,s)",
        &[
            ("openvino", ""),
            ("ncnn", ""),
            ("none", "expand s to (2, 3, 4)"),
            ("equal-rank", "constant s from (1,) to (1, 1, 1)"),
            ("ncnn-param", ""),
            ("paddle", ""),
            ("tosa", "apart, s as (1, 1, 1)"),
        ],
    );
}

#[test]
fn computed_slopes() {
    plans(
        "x(2,4,4); s(4); y=PRelu(x,s)",
        &[
            ("openvino", "unsqueeze s at axes 0, 1"),
            ("ncnn", "apart, s reshaped to (1, 1, 4)"),
            ("none", "expand s to (2, 4, 1)"),
            ("equal-rank", "unsqueeze s at axes 0, 1"),
            ("ncnn-param", "apart, s reshaped to (1, 1, 4)"),
            ("paddle", "apart, s reshaped to (1, 1, 4)"),
            ("tosa", "apart, s reshaped to (1, 1, 4)"),
            ("onnx ncnn", "apart, s reshaped to (1, 1, 4)"),
            ("onnx openvino ncnn", "apart, s reshaped to (1, 1, 4)"),
        ],
    );
}

#[test]
fn both_stretched() {
    plans(
        "x(2,1); c(1,3); y=Add(x,c)",
        &[
            ("openvino", ""),
            ("ncnn", ""),
            ("none", "expand x to (1, 3); expand c to (2, 1)"),
            ("ncnn-param", ""),
            ("paddle", ""),
        ],
    );
}

#[test]
fn numbers_of_higher_rank() {
    plans(
        "x(3); c=const(1,1); y=Sub(x,c)",
        &[
            ("openvino", ""),
            ("ncnn", "unsqueeze x at axis 0"),
            ("none", "left y"),
            ("equal-rank", "unsqueeze x at axis 0"),
            ("ncnn-param", ""),
            ("paddle", ""),
            ("tosa", "unsqueeze x at axis 0"),
            ("onnx ncnn", "unsqueeze x at axis 0"),
            ("onnx openvino ncnn", "unsqueeze x at axis 0"),
        ],
    );
}

#[test]
fn conditions() {
    plans(
        "q:bool(2,1); a(3); b(2,3); y=Where(q,a,b)",
        &[
            ("openvino", ""),
            ("ncnn", "left y"),
            ("none", "expand q to (1, 3); expand a to (2, 1)"),
            ("equal-rank", "unsqueeze a at axis 0"),
            ("ncnn-param", "left y"),
            ("paddle", ""),
            ("tosa", "unsqueeze a at axis 0"),
            ("onnx ncnn", "left y"),
            ("onnx openvino ncnn", "left y"),
        ],
    );
}

#[test]
fn three_operands() {
    plans(
        "a(2,3); b(3); c=const(2,1); y=Max(a,b,c)",
        &[
            ("openvino", ""),
            ("ncnn", "left y"),
            ("none", "expand b to (2, 1); expand c to (1, 3)"),
            ("equal-rank", "unsqueeze b at axis 0"),
            ("ncnn-param", "left y"),
            ("paddle", ""),
            ("tosa", "left y"),
            ("onnx ncnn", "left y"),
            ("onnx openvino ncnn", "left y"),
        ],
    );
}

#[test]
fn sums() {
    plans(
        "a(2,3); b(3); y=Sum(a,b)",
        &[("none", "expand b to (2, 1)"), ("equal-rank", "unsqueeze b at axis 0"), ("tosa", "left y")],
    );
}

#[test]
fn laws_of_openvino() {
    repairs(
        "openvino",
        &[
            (
                "x(1,4,2,3); c=const(3); a=Mul(x,c); w=const(2,4,3,3); y=Conv(a,w) pads=1,1,1,1",
                "reshape x to (8, 3); constant c from (3,) to (1, 3); back to (1, 4, 2, 3)",
            ),
            ("x(2,3); e=Exp(x); a=const(1,1,1)=1; s=Add(e,a); y=Log(s)", "unsqueeze e at axis 0"),
            ("x(2,3); t=Transpose(x) perm=1,0; a=const(1,1,1); y=Max(t,a)", "unsqueeze t at axis 0"),
            (
                "x(1,3,2,4); w=const(4,3); m=MatMul(x,w); s=const(3,1,1); y=PRelu(m,s)",
                "reshape m to (3, 6); constant s from (3, 1, 1) to (3, 1); back to (1, 3, 2, 3)",
            ),
            (
                "x(1,3,2,4); w=const(4,5); m=MatMul(x,w); s=const(3,1,1); y=PRelu(m,s)",
                "reshape m to (3, 10); constant s from (3, 1, 1) to (3, 1); back to (1, 3, 2, 5)",
            ),
            ("opset 13; x(2,3,4); r=ReduceMean(x) axes=2, keepdims=1; c=const(3,1); y=Add(r,c)", "left y"),
            ("x(1,2,2); s=const(1,2,1); y=LayerNormalization(x,s) axis=2", "left y"),
            ("x(1,3); s=const(1); y=LayerNormalization(x,s) axis=0", "constant s from (1,) to (1, 1)"),
            (
                "x(3,3,3,3); s=const(3); p=Relu(x); n=Neg(x); r=Relu(n); k=Mul(s,r); y=Sub(p,k)",
                "constant s from (3,) to (1, 1, 1, 3)",
            ),
            ("x(2,3); a=const()=0; m=Max(x,a); b=const(1,1,1)=6; y=Min(m,b)", "unsqueeze m at axis 0"),
            (
                "x(1,3,3,3); s=const(3)=0.0625,0.125,0.25; z=const:i8(3)=0; q=QuantizeLinear(x,s,z) axis=1; d=DequantizeLinear(q,s,z) axis=1; c=const(3); y=Add(d,c)",
                "reshape d to (9, 3); constant c from (3,) to (1, 3); back to (1, 3, 3, 3)",
            ),
            ("x(2,c,4); s=const(4); y=PRelu(x,s)", "constant s from (4,) to (1, 1, 4)"),
            ("x(n,4,4); s=const(4); y=PRelu(x,s)", "constant s from (4,) to (1, 1, 4)"),
            (
                "x(2,4,4); s=const(4); y=PRelu(x,s); z=PRelu(y,s)",
                "constant s from (4,) to (1, 1, 4); constant s from (4,) to (1, 1, 4)",
            ),
            (
                "x(2,4,4); s=const(4); y=PRelu(x,s); c(2,2,4,4); z=Mul(c,s)",
                "constant s from (4,) to (1, 1, 4); constant s from (4,) to (1, 1, 4)",
            ),
            ("x(2,3); c=const(1,3,1,1); y=Mul(x,c)", ""),
            ("x(1,4); w=const:i8(4,3); f=Cast(w) to=1; c=const(4,1); d=Mul(f,c); y=MatMul(x,d)", "expand c to (1, 3)"),
            ("i:i64(3); w=const:i8(5,3); f=Cast(w) to=1; c=const(3); d=Mul(f,c); y=Gather(d,i)", "expand c to (5, 1)"),
            (
                "x(1,4); w=const:i8(4,3); f=Cast(w) to=1; c=const(1,1,3); d=Mul(f,c); y=MatMul(x,d)",
                "constant c from (1, 1, 3) to (1, 3); back to (1, 4, 3)",
            ),
            ("x(1,4); w=const:i8(4,3); s=const(4); d=DequantizeLinear(w,s) axis=0; y=MatMul(x,d)", "left d"),
        ],
    );
}

#[test]
fn laws_of_onnx() {
    repairs(
        "onnx",
        &[
            ("x(3,3); o=const(1,1,1)=1; d=Div(o,x); z(3,3); y=Mul(d,z)", "unsqueeze x at axis 0"),
            ("x(3); a=const(1,1)=0; b=const(1,1)=6; y=Clip(x,a,b)", "left y"),
        ],
    );
}

#[test]
fn laws_of_ncnn() {
    repairs(
        "ncnn",
        &[
            ("x(2,3,4,5); p=AveragePool(x) kernel_shape=1,1; c=const(2,1,1,5); y=Mul(p,c)", "left y"),
            ("x(3,5); b=const(5,4); c=const(1,4); y=Gemm(x,b,c)", "left y"),
            ("x(2,2,2,2,2); c=const(2); y=Add(x,c)", "left y"),
            ("x(2,3,4); s=const(1); b=const(1); y=LayerNormalization(x,s,b)", "left y"),
        ],
    );
}

#[test]
fn slopes_of_mnn() {
    repairs(
        "mnn",
        &[
            ("x(1,3,4,5); s=const(5); y=PRelu(x,s)", "constant s from (5,) to (1, 1, 1, 5)"),
            ("x(1,3,4,5); s=const(1,4,1); y=PRelu(x,s)", "constant s from (1, 4, 1) to (1, 1, 4, 1)"),
            ("x(1,3,4,5); s=const(3,1,1); y=PRelu(x,s)", ""),
        ],
    );
    repairs(
        "mnn@3.2.0",
        &[
            ("x(1,3,4,5); s=const(5); y=PRelu(x,s)", "apart, s as (1, 1, 1, 5)"),
            ("x(1,3,4,5); s=const(1,3,4,5); y=PRelu(x,s)", "apart"),
            ("x(1,3,4,5); s=const(3,1,1); y=PRelu(x,s)", ""),
        ],
    );
}

#[test]
fn branches_of_mnn() {
    repairs(
        "mnn",
        &[
            (
                "c:bool(3,4); x(3,4); z=const(4); y=Where(c,x,z)",
                "negate the condition of Where and exchange its branches",
            ),
            ("c:bool(3,4); x(3,4); z(3,1); y=Where(c,x,z)", "negate the condition of Where and exchange its branches"),
            ("c:bool(3,4); x(4); z(3,4); y=Where(c,x,z)", ""),
            ("c:bool(3,4); x(3,4); z=const(); y=Where(c,x,z)", ""),
        ],
    );
}

#[test]
fn equal_ranks_for_webgpu() {
    repairs(
        "ort-webgpu",
        &[
            ("x(3,1,2,2); c=const(2,2); y=Add(x,c)", "constant c from (2, 2) to (1, 1, 2, 2)"),
            ("x(1,1,4,1); z(4,1); y=Mul(x,z)", "unsqueeze z at axes 0, 1"),
            ("x(3,1,2,4); c=const(2,4); y=Add(x,c)", ""),
            ("x(1,3,4,5); s=const(3,1,1); y=PRelu(x,s)", "apart, s as (1, 3, 1, 1)"),
        ],
    );
}

#[test]
fn equal_ranks_for_tosa() {
    repairs(
        "tosa",
        &[
            ("x(2,3,4); c=const(4); y=Max(x,c)", "constant c from (4,) to (1, 1, 4)"),
            ("c:bool(4); x(2,4); z(2,1); y=Where(c,x,z)", "unsqueeze c at axis 0"),
        ],
    );
}

#[test]
fn slopes_of_core_ml() {
    repairs(
        "coreml",
        &[
            ("x(1,3,4,5); s=const(3,1,1); y=PRelu(x,s)", ""),
            ("x(1,3,4,5); s=const(5); y=PRelu(x,s)", "apart, s as (1, 1, 1, 5)"),
            ("x(1,3,4,5); s(3,1,1); y=PRelu(x,s)", "apart, s reshaped to (1, 3, 1, 1)"),
        ],
    );
}

#[test]
fn operands_of_ggml() {
    repairs(
        "ggml",
        &[
            ("x(2,3); c=const(3); y=Add(x,c)", ""),
            ("x(2,3); c=const(3); y=Mul(c,x)", "swap the inputs of Mul"),
            ("x(2,3); z(3); y=Sub(z,x)", "expand z to (2, 1)"),
            ("x(2,1); z(3); y=Add(x,z)", "expand x to (1, 3)"),
        ],
    );
}

/// What reads one operand is not judged by check, so nothing is left of it.
#[test]
fn nodes_of_one_operand() {
    repairs("litert-gpu", &[("x:i64(2,3); c=Cast(x) to=f32; b=const(3); y=Add(c,b)", "")]);
}
