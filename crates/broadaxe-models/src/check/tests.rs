use broadaxe_frameworks::{OperandType, System};
use broadaxe_kernels::DType;

use super::*;
use crate::{
    graph::Attribute,
    testing::{self, Sample},
};

mod open;

/// A node under test: format, operator and version, attributes, shapes of its inputs (`!` behind a constant's).
struct Case<'a> {
    format: (&'static str, System),
    op: (&'a str, i64),
    attributes: &'a [(&'a str, Attribute)],
    inputs: &'a str,
}

const ONNX: (&str, System) = ("onnx", System::Onnx);

fn onnx<'a>(op: &'a str, inputs: &'a str) -> Case<'a> {
    Case { format: ONNX, op: (op, 18), attributes: &[], inputs }
}

/// Returns a dtype that the node accepts as an operand: f32, if it accepts that.
fn allowed(case: &Case<'_>, operand: usize) -> DType {
    let row = broadaxe_frameworks::newest(case.format.1, case.op.0);
    let dtypes: &[DType] = match row.map(|row| row.operand(operand)) {
        Some(OperandType::Bool) => &[DType::Bool],
        Some(OperandType::OneOf(dtypes) | OperandType::Shared(dtypes)) => dtypes,
        _ => &[DType::F32],
    };
    if dtypes.contains(&DType::F32) { DType::F32 } else { dtypes[0] }
}

/// Makes a model of one node, and the shapes of its values; the result is unknown.
fn model(case: &Case<'_>) -> (Model, Shapes) {
    let mut sample = Sample::of(case.format, case.op.1);
    let mut inputs = Vec::new();
    for (k, text) in case.inputs.split(';').map(str::trim).enumerate() {
        let dtype = allowed(case, k);
        let id = match text.strip_suffix('!') {
            Some(dims) => {
                let shape: Vec<usize> = dims.parse::<SymbolicShape>().expect(text).known().expect(text).to_vec();
                let bytes = vec![0; shape.iter().product::<usize>() * dtype.size()];
                sample.bytes(&format!("v{k}"), &shape, dtype, bytes)
            }
            None => sample.typed(&format!("v{k}"), text, dtype),
        };
        inputs.push(id);
    }
    sample.model.graphs[0].inputs.clear();
    sample.node(case.op.0, &inputs, case.attributes, "*");
    (sample.model, sample.shapes)
}

fn found(case: &Case<'_>, target: &str) -> Finding {
    let (model, shapes) = model(case);
    let targets = [target.parse().expect("a target")];
    let mut report = check(&model, &shapes, &targets);
    assert_eq!((report.nodes, report.findings.len()), (1, 1), "{} {}", case.op.0, case.inputs);
    report.findings.remove(0)
}

/// Writes a verdict: `same`, `refused`, `unknown`, `guarded CONDITION`, `differs ELEMENT HERE THERE`.
fn verdict(finding: &Finding) -> String {
    match &finding.verdict {
        Verdict::Differs(example) => {
            let there = example.there.map_or("-".to_string(), |value| value.to_string());
            format!("differs {:?} {} {there}", example.element, example.here)
        }
        Verdict::Guarded(condition) => format!("guarded {condition}"),
        other => other.name().to_string(),
    }
}

/// Operator, shapes of its inputs, target, verdict.
type Row = (&'static str, &'static str, &'static str, &'static str);

fn judge(rows: &[Row], case: &dyn Fn(&'static str, &'static str) -> Case<'static>) {
    let mut wrong = Vec::new();
    for (op, inputs, target, want) in rows {
        let finding = found(&case(op, inputs), target);
        if verdict(&finding) != *want {
            wrong.push(format!("{op} {inputs} for {target}: {}, not {want} ({})", verdict(&finding), finding.reason));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn onnx_nodes_of_known_shapes() {
    judge(
        &[
            ("Add", "2,3,4 ; 4", "onnx", "same"),
            ("Add", "2,3,4 ; 4", "numpy", "same"),
            ("Add", "2,3,4 ; 4", "openvino", "same"),
            ("Add", "2,3,4 ; 4", "paddle", "same"),
            ("Add", "2,3,4 ; 4", "ncnn", "same"),
            ("Add", "2,3,4 ; 4", "ncnn-param", "same"),
            ("Add", "4,3,4 ; 4", "ncnn-param", "differs [0, 0, 1] 4 3"),
            ("Sub", "2 ; 2,2", "ncnn-param", "differs [0, 1] 0 -1"),
            ("Add", "2 ; 2,1", "ncnn-param", "differs [0, 1] 3 -"),
            ("Add", "2,3,4 ; 2,3", "onnx", "refused"),
            ("Add", "2,3,4 ; 4", "equal-rank", "refused"),
            ("Add", "2,3,4 ; 1,1,4", "equal-rank", "same"),
            ("Add", "2,3,4 ; 4", "tosa", "refused"),
            ("Add", "2,3,4 ; 1,1,4", "tosa", "same"),
            ("Add", "1,1,1,1,1,1,2 ; 1,1,1,1,1,1,2", "tosa", "refused"),
            ("Add", "2,0 ; 2,0", "tosa", "refused"),
            ("Div", "2,3 ; 2,1", "tosa", "unknown"),
            ("Where", "2,1 ; 1,3 ; 2,3", "tosa", "same"),
            ("Add", "* ; 4", "tosa", "unknown"),
            ("Add", "2,3,4 ; 4", "none", "refused"),
            ("Add", "2,3,4 ; 2,3,4", "none", "same"),
            ("Add", "2,3,4 ; 4", "rank<=3", "same"),
            ("Add", "2,3,4,5,6 ; 6", "rank<=4", "refused"),
            ("Add", "2,3,4,5,6 ; 6", "ncnn", "refused"),
            ("Add", "2,3,4 ; 4", "onnx6", "same"),
            ("Add", "2,3,4 ; 3,1", "onnx6", "refused"),
            ("Greater", "2,3 ; 3", "ncnn", "unsupported"),
            ("Greater", "2,3 ; 3", "ncnn-param", "unsupported"),
            ("Greater", "* ; 3", "ncnn", "unsupported"),
            ("Greater", "2,3 ; 4", "ncnn", "refused"),
            ("BitwiseAnd", "2,3 ; 3", "onnx6", "unsupported"),
            ("Where", "2,3 ; 3 ; 3", "onnx6", "unsupported"),
            ("Max", "2,3 ; 3 ; 2,1", "openvino", "same"),
            ("Where", "2,1 ; 3 ; 2,3", "openvino", "same"),
            ("Where", "2,1 ; 3 ; 2,3", "ncnn", "unsupported"),
            ("Where", "2,1 ; 3 ; 2,3", "ncnn-param", "unsupported"),
            ("PRelu", "2,4,4 ; 4!", "openvino", "differs [0, 0, 1] -4 -2"),
            ("PRelu", "2,3,4 ; 4!", "openvino", "same"),
            ("PRelu", "2,4,4 ; 1,4!", "openvino", "same"),
            ("PRelu", "2,4,4 ; 4!", "ncnn", "differs [0, 0, 1] -4 -2"),
            ("PRelu", "2,4,4 ; 4,1!", "ncnn", "same"),
            ("PRelu", "2,3,4 ; 2,1,1!", "ncnn", "differs [0, 1, 0] -5 -10"),
            ("PRelu", "2,3,4 ; 3,1", "ncnn", "unsupported"),
            ("PRelu", "3 ; 3!", "ncnn", "same"),
            ("PRelu", "2,3 ; 1!", "ncnn", "same"),
            ("PRelu", "2,3,4 ; 3!", "onnx", "refused"),
            ("PRelu", "1,3,4,5 ; 3,1,1!", "paddle", "refused"),
            ("PRelu", "2,3,3 ; 3!", "paddle", "differs [0, 0, 1] -4 -2"),
            ("Max", "2,3 ; 2,3 ; 2,3", "openvino", "same"),
            ("Max", "2,3 ; 2,3 ; 3", "ncnn", "differs [0, 0] 975 563"),
            ("Max", "2,3 ; 2,3", "ncnn", "same"),
            ("Sum", "2,3 ; 2,3 ; 3", "ncnn", "same"),
            ("Sum", "2,3", "ncnn", "refused"),
            ("Mean", "2,3 ; 3", "ncnn", "unsupported"),
            ("Where", "2,1! ; 3! ; 2,3!", "ncnn", "same"),
            ("LayerNormalization", "2,3,4 ; 4! ; 4!", "ncnn", "same"),
            ("LayerNormalization", "2,3,4 ; 1! ; 1!", "ncnn", "refused"),
            ("Clip", "2,3 ; () ; ()", "openvino", "same"),
            ("Clip", "2,3 ; 3 ; ()", "openvino", "refused"),
            ("Add", "2,0 ; 1", "openvino", "same"),
            ("Add", "* ; 4", "openvino", "same"),
            ("Add", "* ; 4", "none", "unknown"),
            ("Add", "* ; 4", "equal-rank", "unknown"),
            ("Add", "* ; 4", "ncnn", "unknown"),
            ("Add", "2,3 ; *", "ncnn", "unknown"),
            ("Add", "* ; *", "ncnn", "unknown"),
            ("Add", "* ; *", "rank<=4", "unknown"),
            ("Mul", "1,1 ; 1,1,1!", "ncnn", "differs [0, 0, 0] 0 -"),
            ("Sub", "3 ; 1,1!", "ncnn", "differs [0, 0] 0 -"),
            ("Sub", "3 ; 1!", "ncnn", "same"),
            ("Sub", "1,1 ; 3!", "ncnn", "same"),
            ("LayerNormalization", "2,3,4 ; 4! ; 1!", "ncnn", "refused"),
            ("LayerNormalization", "2,3,4 ; 4! ; ()!", "ncnn", "refused"),
            ("LayerNormalization", "2,3,4 ; 1,4! ; 4!", "ncnn", "same"),
            ("LayerNormalization", "2,3,1 ; 1! ; 1!", "ncnn", "same"),
            ("LayerNormalization", "2,3,1 ; ()! ; ()!", "ncnn", "same"),
            ("LayerNormalization", "2,3,4 ; 4! ; 4", "ncnn", "unsupported"),
            ("LayerNormalization", "2,3,4 ; 4!", "ncnn", "unsupported"),
        ],
        &onnx,
    );
}

/// The axes of findings that need attention, by the model's rule and by the target's: `0,1 ; 1 / 0,1 ; 0`.
#[test]
fn axes_of_operands() {
    let cases = [
        ("Add", "4,3,4 ; 4", "ncnn-param", "0,1,2 ; 2 / 0,1,2 ; 0"),
        ("Add", "2 ; 2,1", "ncnn-param", "1 ; 0,1 / 0 ; 0,1"),
        ("Add", "2,3,4 ; 4", "numpy", "- / -"),
        ("Add", "2,3,4 ; 2,3", "onnx", "- / -"),
        ("Add", "2,3,4 ; 4", "equal-rank", "0,1,2 ; 2 / -"),
        ("Add", "2,3,4 ; 4", "none", "0,1,2 ; 2 / -"),
        ("Add", "2,3,4 ; 3,1", "onnx6", "0,1,2 ; 1,2 / -"),
        ("Add", "2,3,4 ; ()", "none", "0,1,2 ;  / -"),
        ("Greater", "2,3 ; 3", "ncnn", "- / -"),
        ("PRelu", "2,4,4 ; 4!", "openvino", "0,1,2 ; 2 / 0,1,2 ; 1"),
        ("Add", "n,c,h ; h", "ncnn-param", "0,1,2 ; 2 / 0,1,2 ; 0"),
        ("Add", "n,c ; m,c", "none", "0,1 ; 0,1 / -"),
    ];
    let said = |axes: &Option<Vec<Vec<usize>>>| {
        let joined = |axes: &Vec<usize>| axes.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        axes.as_ref().map_or("-".to_owned(), |axes| axes.iter().map(joined).collect::<Vec<_>>().join(" ; "))
    };
    for (op, inputs, target, want) in cases {
        let finding = found(&onnx(op, inputs), target);
        let got = format!("{} / {}", said(&finding.axes), said(&finding.target_axes));
        assert_eq!(got, want, "{op} {inputs} for {target}");
    }
}

/// A node of quantized tensors rescales its numbers: elements that differ are named, and no numbers.
#[test]
fn quantized_numbers_are_not_computed() {
    let case = onnx("PRelu", "2,4,4 ; 4!");
    let (mut model, shapes) = model(&case);
    let example = |model: &Model| {
        let report = check(model, &shapes, &["openvino".parse().expect("a target")]);
        let Verdict::Differs(example) = &report.findings[0].verdict else { panic!("{:?}", report.findings[0].verdict) };
        example.as_ref().clone()
    };
    let plain = example(&model);
    assert_eq!((plain.numbers.len(), plain.there.is_some()), (2, true));
    let scales = crate::graph::Quantization { scales: vec![0.5], zero_points: vec![0], axis: 0 };
    model.values[0].quantization = Some(std::sync::Arc::new(scales));
    // Scales of floating-point numbers say nothing about them.
    assert_eq!(example(&model).numbers, plain.numbers);
    model.values[0].element = Some(crate::graph::Element::Known(DType::I8));
    let quantized = example(&model);
    assert_eq!((quantized.reads, quantized.target_reads), (plain.reads, plain.target_reads));
    assert_eq!((quantized.numbers.len(), quantized.there), (0, None));
}

#[test]
fn open_sizes_are_guarded() {
    judge(
        &[
            ("Add", "n,c,h ; h", "openvino", "same"),
            ("Add", "n,c ; m,c", "none", "guarded n == m"),
            ("Add", "n,c ; n,c", "none", "same"),
            ("PRelu", "n,c,h ; 4!", "openvino", "differs [0, 0, 1] -4 -2"),
            ("PRelu", "n,4,h ; 4!", "openvino", "differs [0, 0, 1] -4 -2"),
            ("PRelu", "n,3,h ; 4!", "openvino", "same"),
            ("PRelu", "n,c,h ; h", "openvino", "guarded c == h and c == 1"),
            ("PRelu", "n,c,h,w ; 8,1,1!", "ncnn", "same"),
            ("PRelu", "n,c,h ; 8!", "ncnn", "differs [0, 0, 1] -4 -2"),
            ("Add", "n,c,h ; h", "ncnn-param", "guarded n != h or n == 1"),
            ("Add", "n,c ; 5,c", "onnx6", "guarded n == 5"),
            ("Add", "?,3 ; ?,3", "none", "guarded v0[0] == v1[0]"),
            ("Less", "n,3 ; m,1", "ncnn", "unsupported"),
            ("Add", "n,c ; ...", "ncnn", "unknown"),
            ("Add", "... ; ...", "ncnn", "unknown"),
            ("Add", "n,c ; ...", "rank<=4", "unknown"),
            ("Add", "n,3 ; 4", "none", "refused"),
            ("Add", "n,3 ; 4", "onnx", "refused"),
        ],
        &onnx,
    );
}

#[test]
fn other_formats() {
    let text = |value: &str| Attribute::Text(value.into());
    let pdpd = [("auto_broadcast", text("pdpd")), ("axis", Attribute::Int(1))];
    let openvino = |op: &'static str, inputs: &'static str| -> Finding {
        let case = Case { format: ("openvino", System::Openvino), op: (op, 1), attributes: &pdpd, inputs };
        found(&case, "openvino")
    };
    assert_eq!(verdict(&openvino("Add", "2,3,4 ; 3")), "same");
    assert_eq!(verdict(&openvino("Subtract", "2,3,4 ; 3")), "refused");
    assert_eq!(verdict(&openvino("Subtract", "2,3,3 ; 3")), "differs [0, 0, 1] 1 0");
    assert_eq!(verdict(&openvino("Subtract", "2,3,4 ; 3,4")), "same");
    assert_eq!(verdict(&openvino("Less", "2,3,4 ; 3,4")), "refused");
    assert_eq!(verdict(&openvino("Mod", "2,3,4 ; 3,4")), "refused");
    let ncnn = |inputs: &'static str, target: &str| -> Finding {
        let case = Case {
            format: ("ncnn", System::Ncnn),
            op: ("BinaryOp", 0),
            attributes: &[("0", Attribute::Int(2))],
            inputs,
        };
        found(&case, target)
    };
    assert_eq!(verdict(&ncnn("32,112,112 ; 32", "ncnn")), "same");
    assert_eq!(verdict(&ncnn("32,112,112 ; 32", "onnx")), "refused");
    assert_eq!(verdict(&ncnn("7,7,7 ; 7", "onnx")), "differs [0, 0, 1] 2 4");
    let near = ncnn("32,112,112 ; 32", "onnx").near.clone().expect("a width of 32 is taken");
    assert_eq!(near.shapes, [vec![32, 112, 32], vec![32]]);
    assert_eq!((near.example.element, near.example.here, near.example.there), (vec![0, 0, 1], 2.0, Some(4.0)));
    let finding = ncnn("7,7,7 ; 7", "onnx");
    assert_eq!(finding.axis, Some((2, vec![7, 1])));
    assert_eq!(
        finding.reason,
        "onnx aligns shapes to the right and stretches every operand: v1 feeds axis 2, in this model axis 0"
    );
    for (kind, want) in [
        (Attribute::Int(18), "same"),
        (Attribute::Int(19), "refused"),
        (Attribute::Int(999), "refused"),
        (Attribute::Int(-1), "refused"),
        (Attribute::Text("add".into()), "refused"),
    ] {
        let attributes = [("0", kind.clone())];
        for target in ["ncnn", "ncnn-param"] {
            let op = ("BinaryOp", 0);
            let format = ("ncnn", System::Ncnn);
            let case = Case { format, op, attributes: &attributes, inputs: "32,112 ; 32,112" };
            assert_eq!(verdict(&found(&case, target)), want, "{kind:?} for {target}");
        }
    }
    let paddle = [("axis", Attribute::Int(1))];
    let legacy = |op: &'static str, inputs: &'static str, target: &str| -> Finding {
        let case = Case { format: ("paddle", System::Paddle), op: (op, 0), attributes: &paddle, inputs };
        found(&case, target)
    };
    assert_eq!(verdict(&legacy("elementwise_add", "2,3,4 ; 3", "openvino")), "same");
    assert_eq!(verdict(&legacy("elementwise_add", "8,1,6,1 ; 7,1,5", "openvino")), "refused");
    assert_eq!(verdict(&legacy("elementwise_add", "2,3,3 ; 3", "onnx")), "differs [0, 0, 1] 3 4");
    let old = [("broadcast", Attribute::Int(1)), ("axis", Attribute::Int(1))];
    let case = |target| found(&Case { format: ONNX, op: ("Add", 6), attributes: &old, inputs: "2,3,3 ; 3" }, target);
    assert_eq!(verdict(&case("openvino")), "same");
    assert_eq!(verdict(&case("onnx6")), "same");
    assert_eq!(verdict(&case("onnx")), "differs [0, 0, 1] 3 4");
}

/// What a node's own format does not allow is wrong for every target; what is not known to be allowed is unknown.
#[test]
fn nodes_that_their_format_does_not_allow() {
    let rows = [
        ("x(2,3); y:i64(2,3); z=Add(x,y)", "z refused"),
        ("x(2,3); y:i64(3); z=Pow(x,y)", "same"),
        ("x(2,3); y(2,3); z=And(x,y)", "z refused"),
        ("x:bool(2,3); y:bool(3); z=And(x,y)", "same"),
        ("c(2,3); x(3); y(3); z=Where(c,x,y)", "z refused"),
        ("c:bool(2,3); x(3); y(3); z=Where(c,x,y)", "same"),
        ("x:i32(2,3); y:i32(3); z=Mod(x,y) fmod=7", "z refused"),
        ("x(2,3); y(3); z=Mod(x,y) fmod=1", "same"),
        ("x(2,3); y(3); z=Mod(x,y)", "z refused"),
        ("opset 28; x(2,3); y(3); z=Mod(x,y)", "same"),
        ("x:u32(2,3); y:u32(3); z=BitShift(x,y) direction=SIDEWAYS", "z refused"),
        ("x:u32(2,3); y:u32(3); z=BitShift(x,y) direction=LEFT", "same"),
        ("opset 999; x(2,3); y(3); z=Add(x,y)", "z unknown"),
        ("opset 13; x:u8(2,3); y:u8(3); z=Add(x,y)", "z refused"),
        ("opset 14; x:i16(2,3); y:i16(3); z=Add(x,y)", "same"),
        ("ir; x(2,3); y:f16(3); z=Add(x,y)", "z refused"),
        ("ir; x(2,3); y(3); z=Add(x,y) auto_broadcast=NUMPY", "same"),
        ("ir; x(2,3); y(3); z=Add(x,y) auto_broadcast=left", "z refused"),
    ];
    for target in ["onnx", "openvino", "numpy"] {
        testing::judge(target, &rows);
    }
}

/// The specification wants scalars; ONNX Runtime accepts one axis of 1, and OpenVINO any number of them in constants.
#[test]
fn bounds_of_one_element() {
    let constant = "x(2,3); a=const(1)=0; b=const(1)=6; y=Clip(x,a,b)";
    let computed = "x(2,3); a(1); b(1); y=Clip(x,a,b)";
    let long = "x(3); a=const(1,1)=0; b=const(1,1)=6; y=Clip(x,a,b)";
    let over = "x(); a(1); b(1); y=Clip(x,a,b)";
    testing::judge("onnx", &[(constant, "same"), (computed, "same"), (long, "y refused"), (over, "same")]);
    testing::judge("openvino", &[(constant, "same"), (computed, "same"), (over, "y differs")]);
    testing::judge("ncnn", &[(constant, "same"), (computed, "y unsupported")]);
    let open = "x(n,3); a=const(1)=0; b=const(1)=6; y=Clip(x,a,b)";
    testing::judge("onnx", &[(open, "same"), ("x(n,3); a=const(2); y=Clip(x,a)", "y refused")]);
}
