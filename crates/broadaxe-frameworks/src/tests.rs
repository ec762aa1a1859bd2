use std::collections::HashSet;

use broadaxe_op::{DType, OPS, OpId};

use super::*;

/// The attribute of TFLite's fused activations.
const FUSED: &str = "fused_activation_function";
/// Attributes of a call.
type Given = Vec<(&'static str, Attribute)>;
/// The text of an answer, or of an error.
type Wanted = Result<&'static str, &'static str>;

/// Attributes that a row needs, each with its first value.
fn required(row: &Row) -> Vec<(&'static str, Attribute)> {
    let first = |attr: Attr| {
        let value = match attr.values {
            Values::Words(words) => Attribute::Text(words[0].to_string()),
            Values::Ints => Attribute::Ints(vec![2, 3]),
            Values::Floats => Attribute::Floats(vec![0.5, 2.0]),
            Values::DType => Attribute::Text("f32".to_string()),
            Values::Float => Attribute::Float(1.0),
            Values::Int | Values::Flag => Attribute::Int(1),
        };
        (attr.name, value)
    };
    row.all_attributes().filter(|attr| attr.default.is_empty()).map(first).collect()
}

#[test]
fn rows_are_whole() {
    let mut wrong = Vec::new();
    let mut seen = HashSet::new();
    for system in System::ALL {
        for row in known(system) {
            let mut fail = |why: &str| wrong.push(format!("{}.{} {}: {why}", system.name(), row.name(), row.since()));
            if !seen.insert((system, row.name(), row.since())) {
                fail("two rows of one opset");
            }
            if row.system() != system {
                fail("in the table of another framework");
            }
            if system.newest_opset().is_none() != (row.since() == 0) {
                fail("an opset where the framework has none, or none where it has them");
            }
            let (least, most) = row.operands();
            if least > most || least < 1 && row.kind() != Kind::Unary {
                fail("operands");
            }
            if row.kind().broadcasts() != row.broadcasts() && row.kind() != Kind::Channel {
                fail("a kind that broadcasts by no rule, or a rule of a kind that does not");
            }
            let attributes = required(row);
            if row.rule_by().rule(&attributes).is_err() {
                fail("no rule with the attributes that it needs");
            }
            if row.check_attributes(&attributes).is_err() {
                fail("attributes that it needs and does not take");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen.len() > 400, "{} rows", seen.len());
}

/// Every dtype of a row has arithmetic, and its operators have kernels for it.
#[test]
fn dtypes_have_kernels() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    // NumPy and pnnx leave dtypes to promotion.
    for system in System::CALLED.into_iter().chain([System::Tflite]) {
        for row in known(system) {
            for &dtype in row.dtypes() {
                let mut attributes = required(row);
                let fmod = row.attribute("fmod").map(|attr| (attr.name, Attribute::Int(1)));
                attributes.extend(fmod);
                let choice = match row.arithmetic(dtype, &attributes) {
                    Ok(choice) => choice,
                    Err(why) => {
                        wrong.push(format!("{}.{} of {dtype}: {why}", system.name(), row.name()));
                        continue;
                    }
                };
                let computed = choice.cast.unwrap_or(dtype);
                if let Arithmetic::Op(op) = choice.arithmetic {
                    let op = if computed == DType::Bool { on_bool(op) } else { op };
                    if !op.op().accepts(computed) {
                        wrong.push(format!(
                            "{}.{}: {} has no kernel for {computed}",
                            system.name(),
                            row.name(),
                            op.name()
                        ));
                    }
                    count += 1;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 1000, "{count} pairs of row and dtype");
}

#[test]
fn rules_follow_from_attributes() {
    let text = |value: &str| Attribute::Text(value.into());
    let int = Attribute::Int;
    let cases: &[(System, &str, i64, Given, Wanted)] = &[
        (System::Onnx, "Add", 14, vec![], Ok("numpy")),
        (System::Onnx, "Add", 6, vec![], Ok("none")),
        (System::Onnx, "Add", 6, vec![("broadcast", int(1))], Ok("onnx-legacy")),
        (System::Onnx, "Add", 6, vec![("broadcast", int(1)), ("axis", int(1))], Ok("onnx-legacy axis=1")),
        (System::Onnx, "Add", 6, vec![("broadcast", int(0)), ("axis", int(1))], Ok("none")),
        (System::Onnx, "Max", 7, vec![], Ok("none")),
        (System::Onnx, "Max", 8, vec![], Ok("numpy")),
        (System::Onnx, "PRelu", 6, vec![], Ok("onnx-legacy axis=1")),
        (System::Onnx, "PRelu", 16, vec![], Ok("unidirectional")),
        (System::Onnx, "Clip", 13, vec![], Ok("onnx-clip")),
        (System::Onnx, "Gemm", 6, vec![], Ok("none")),
        (System::Onnx, "Gemm", 6, vec![("broadcast", int(1))], Ok("unidirectional")),
        (System::Onnx, "Gemm", 13, vec![], Ok("gemm-c")),
        (System::Openvino, "Add", 1, vec![], Ok("numpy")),
        (System::Openvino, "Add", 1, vec![("auto_broadcast", text("PDPD")), ("axis", int(2))], Ok("pdpd axis=2")),
        (System::Openvino, "Add", 1, vec![("auto_broadcast", text("pdpd"))], Ok("pdpd axis=-1")),
        (System::Openvino, "Add", 1, vec![("auto_broadcast", text("explicit"))], Ok("none")),
        (System::Openvino, "Add", 1, vec![("auto_broadcast", text("left"))], Err("must be numpy, none or pdpd")),
        (System::Openvino, "Select", 1, vec![], Ok("openvino-select mode=numpy")),
        (System::Openvino, "FakeQuantize", 1, vec![("auto_broadcast", text("none"))], Ok("none")),
        (System::Openvino, "Broadcast", 3, vec![("mode", text("explicit"))], Err("needs axes_mapping")),
        (System::Openvino, "Broadcast", 3, vec![("mode", text("sideways"))], Err("must be numpy, bidirectional")),
        (System::Ncnn, "BinaryOp", 0, vec![], Ok("ncnn")),
        (System::Ncnn, "Eltwise", 0, vec![], Ok("none")),
        (System::Ncnn, "PReLU", 0, vec![], Ok("pdpd axis=0")),
        (System::Paddle, "elementwise_add", 0, vec![("axis", int(1))], Ok("paddle axis=1")),
        (System::Paddle, "elementwise_add", 0, vec![], Ok("paddle axis=-1")),
        (System::Paddle, "pd_op.add_", 0, vec![], Ok("numpy")),
        (System::Paddle, "prelu", 0, vec![("mode", text("channel"))], Ok("pdpd axis=1")),
        (System::Paddle, "prelu", 0, vec![("mode", text("most"))], Err("must be all, channel or element")),
        (System::Tflite, "ADD", 0, vec![], Ok("numpy")),
        (System::Tflite, "ATAN2", 0, vec![], Ok("numpy")),
        (System::Tflite, "ADD_N", 0, vec![], Ok("none")),
        (System::Tflite, "PRELU", 0, vec![], Ok("unidirectional")),
        (System::Tflite, "SELECT_V2", 0, vec![], Ok("numpy")),
        (System::Tflite, "SELECT", 0, vec![], Ok("openvino-select mode=pdpd axis=0")),
        (System::Pnnx, "torch.logical_and", 0, vec![], Ok("numpy")),
        (System::Pnnx, "nn.PReLU", 0, vec![], Ok("pdpd axis=1")),
    ];
    let mut wrong = Vec::new();
    for (system, name, opset, attributes, want) in cases {
        let row = find(*system, name, *opset).unwrap_or_else(|| panic!("{name} is not in the table"));
        let got = row.rule_by().rule(attributes).map(|rule| rule.to_string());
        let fits = match (&got, want) {
            (Ok(got), Ok(want)) => got == want,
            (Err(got), Err(want)) => got.contains(want),
            _ => false,
        };
        if !fits {
            wrong.push(format!("{name} of {opset} with {attributes:?}: {got:?}, not {want:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn arithmetic_follows_from_dtype_and_attributes() {
    use DType::{Bool, F32, I32};
    let text = |value: &str| Attribute::Text(value.into());
    let int = Attribute::Int;
    let cases: &[(System, &str, i64, DType, Given, Wanted)] = &[
        (System::Onnx, "Div", 14, F32, vec![], Ok("div")),
        (System::Onnx, "Div", 14, I32, vec![], Ok("div_trunc")),
        (System::Onnx, "Mod", 13, I32, vec![], Ok("mod_floor")),
        (System::Onnx, "Mod", 13, F32, vec![("fmod", int(1))], Ok("fmod")),
        (System::Onnx, "Mod", 13, F32, vec![], Err("fmod=1")),
        (System::Onnx, "Mod", 28, F32, vec![], Ok("mod_floor")),
        (
            System::Onnx,
            "BitShift",
            28,
            I32,
            vec![("direction", text("SIDEWAYS"))],
            Err("direction=\"LEFT\" to direction=\"RIGHT\""),
        ),
        (System::Onnx, "Gelu", 20, F32, vec![("approximate", text("tanh"))], Ok("gelu_tanh")),
        (System::Openvino, "Divide", 1, I32, vec![], Ok("div_floor")),
        (System::Openvino, "Divide", 1, I32, vec![("m_pythondiv", Attribute::Bool(false))], Ok("div_trunc")),
        (System::Ncnn, "BinaryOp", 0, F32, vec![("op_type", int(7))], Ok("sub swapped")),
        (System::Ncnn, "BinaryOp", 0, F32, vec![("op_type", int(999))], Err("op_type=0 to op_type=18")),
        (System::Ncnn, "UnaryOp", 0, F32, vec![("op_type", int(16))], Ok("tanh")),
        (System::Ncnn, "Eltwise", 0, F32, vec![], Ok("mul")),
        (System::Ncnn, "Eltwise", 0, F32, vec![("op_type", int(1))], Ok("add")),
        (System::Ncnn, "Eltwise", 0, F32, vec![("op_type", int(3))], Err("op_type=0 to op_type=2")),
        (System::Ncnn, "GELU", 0, F32, vec![], Ok("gelu")),
        (System::Ncnn, "GELU", 0, F32, vec![("fast_gelu", int(1))], Ok("gelu_tanh")),
        (System::Ncnn, "Scale", 0, F32, vec![], Ok("mul")),
        (System::Paddle, "logical_and", 0, F32, vec![], Ok("logical_and of bool")),
        (System::Paddle, "divide", 0, I32, vec![], Ok("div of f32")),
        (System::Paddle, "elementwise_add", 0, Bool, vec![], Ok("add")),
        (System::Tflite, "ADD", 0, F32, vec![], Ok("add")),
        (System::Tflite, "ADD", 0, F32, vec![(FUSED, text("RELU"))], Ok("add")),
        (System::Tflite, "DIV", 0, I32, vec![(FUSED, text("NONE"))], Ok("div_trunc")),
        (System::Tflite, "DIV", 0, F32, vec![(FUSED, text("TANH"))], Ok("div")),
        (System::Tflite, "SUB", 0, F32, vec![(FUSED, text("SIGN_BIT"))], Err("\"RELU\" to ")),
        (System::Tflite, "FLOOR_DIV", 0, I32, vec![], Ok("div_floor")),
        (System::Tflite, "POW", 0, I32, vec![], Ok("pow_trunc")),
        (System::Tflite, "GELU", 0, F32, vec![("approximate", int(1))], Ok("gelu_tanh")),
        (System::Tflite, "STABLEHLO_COMPARE", 0, F32, vec![("comparison_direction", text("GE"))], Ok("greater_equal")),
    ];
    let mut wrong = Vec::new();
    for (system, name, opset, dtype, attributes, want) in cases {
        let row = find(*system, name, *opset).unwrap_or_else(|| panic!("{name} is not in the table"));
        let got = row.arithmetic(*dtype, attributes).map(|choice| {
            let op = choice.arithmetic.operator().map_or("", OpId::name);
            let cast = choice.cast.map_or(String::new(), |dtype| format!(" of {dtype}"));
            format!("{op}{cast}{}", if choice.swapped { " swapped" } else { "" })
        });
        let fits = match (&got, want) {
            (Ok(got), Ok(want)) => got == want,
            (Err(got), Err(want)) => got.contains(want),
            _ => false,
        };
        if !fits {
            wrong.push(format!("{name} of {opset} on {dtype} with {attributes:?}: {got:?}, not {want:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The operator in which operands meet is the same with every activation.
#[test]
fn fused_activations_leave_the_operator() {
    for (name, op) in [("ADD", "add"), ("SUB", "sub"), ("MUL", "mul"), ("DIV", "div")] {
        let row = newest(System::Tflite, name).expect("in the table");
        for word in ["NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH"] {
            let attributes = vec![(FUSED, Attribute::Text(word.into()))];
            assert_eq!(row.operator(&attributes).map(OpId::name), Some(op), "{name} {word}");
        }
        assert_eq!(
            role(System::Tflite, name),
            role(System::Onnx, &format!("{}{}", &name[..1], name[1..].to_lowercase()))
        );
    }
}

#[test]
fn attributes_are_checked() {
    let row = |system, name| newest(system, name).expect("in the table");
    let (onnx, openvino) = (System::Onnx, System::Openvino);
    for (row, name, value, want) in [
        (row(onnx, "Mod"), "fmod", Attribute::Int(7), "fmod=7 should be True or False"),
        (
            row(onnx, "BitShift"),
            "direction",
            Attribute::Text("SIDEWAYS".into()),
            "should be one of \"LEFT\", \"RIGHT\"",
        ),
        (row(openvino, "Add"), "axis", Attribute::Text("one".into()), "axis=\"one\" should be a whole number"),
        (row(System::Ncnn, "Eltwise"), "coeffs", Attribute::Float(0.5), "coeffs=0.5 should be a list of numbers"),
        (
            row(openvino, "Broadcast"),
            "axes_mapping",
            Attribute::Floats(vec![0.0, 1.5]),
            "axes_mapping=[0.0, 1.5] should be a list of whole numbers",
        ),
    ] {
        let got = row.check_attributes(&vec![(name, value)]).expect_err(name);
        assert!(got.contains(want), "{got}");
    }
    assert_eq!(row(onnx, "Mod").check_attributes(&vec![("fmod", Attribute::Int(1))]), Ok(()));
}

#[test]
fn layers_read_numbers_by_channel() {
    for (reads, shape, lengths) in [
        (Reads::OneOrEach, &[3, 4][..], &[1, 3][..]),
        (Reads::OneOrEach, &[4], &[1, 4]),
        (Reads::Each, &[3, 4], &[3]),
        (Reads::Each, &[1, 4], &[1]),
        (Reads::EachOfImages, &[3, 4], &[1]),
        (Reads::EachOfImages, &[4], &[1]),
        (Reads::EachOfImages, &[3, 2, 4], &[3]),
        (Reads::EachOfImages, &[4, 3, 2, 3], &[4]),
    ] {
        let taken: Vec<usize> = (1..6).filter(|&length| reads.accepts(length, shape)).collect();
        assert_eq!(taken, lengths, "{reads:?} of {shape:?}");
    }
}

/// Every pair of an operator and its name in a framework.
#[test]
fn operators_have_names_elsewhere() {
    let all = |name: &str| {
        let id = OpId::find(name).expect("in the table");
        names(id).map(|name| format!("{}.{name}", name.system.name())).collect::<Vec<_>>()
    };
    for (op, want) in [
        ("add", "onnx.Add"),
        ("add", "paddle.add"),
        ("add", "paddle.elementwise_add"),
        ("add", "ncnn.BinaryOp(op_type=0)"),
        ("sub", "ncnn.BinaryOp(op_type=7) with exchanged operands"),
        ("logical_xor", "openvino.Xor"),
        ("fmax", "paddle.elementwise_fmax"),
        ("rsqrt", "ncnn.UnaryOp(op_type=6)"),
        ("relu", "ncnn.ReLU"),
        ("gelu_tanh", "ncnn.GELU(fast_gelu=1)"),
        ("add", "ncnn.Eltwise(op_type=1)"),
        ("div_trunc", "openvino.Divide(m_pythondiv=0)"),
        ("div_floor", "openvino.Divide"),
        ("fmod", "onnx.Mod(fmod=1)"),
        ("prelu", "onnx.LeakyRelu"),
        ("atan2", "numpy.arctan2"),
        ("less", "pnnx.lt"),
    ] {
        assert!(all(op).contains(&want.to_string()), "{op}: {:?} lack {want}", all(op));
    }
    let pairs: usize = OPS.iter().map(|op| all(op.name()).len()).sum();
    assert!(pairs > 300, "{pairs} pairs");
}

#[test]
fn truths() {
    let truths: HashSet<&str> =
        known(System::Onnx).chain(known(System::Openvino)).filter(|row| row.is_truth()).map(Row::name).collect();
    let mut names: Vec<&str> = truths.into_iter().collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "And",
            "Equal",
            "Greater",
            "GreaterEqual",
            "GreaterOrEqual",
            "IsFinite",
            "IsInf",
            "IsNaN",
            "Less",
            "LessEqual",
            "LessOrEqual",
            "LogicalAnd",
            "LogicalNot",
            "LogicalOr",
            "LogicalXor",
            "Not",
            "NotEqual",
            "Or",
            "Xor"
        ]
    );
}

/// What LiteRT 2.3.0 accepts as a `SELECT`, and how it reads the condition; it refuses the last row.
#[test]
fn conditions_of_select() {
    let rule = newest(System::Tflite, "SELECT").expect("in the table").rule_by().rule(&Given::new()).unwrap();
    type Condition<'a> = ([&'a [usize]; 3], Option<&'a [isize]>);
    let cases: [Condition<'_>; 5] = [
        ([&[2, 3], &[2, 3], &[2, 3]], Some(&[3, 1])),
        ([&[], &[2, 3], &[2, 3]], Some(&[0, 0])),
        ([&[2], &[2, 3], &[2, 3]], Some(&[1, 0])),
        ([&[3], &[3, 3], &[3, 3]], Some(&[1, 0])),
        ([&[3], &[2, 3], &[2, 3]], None),
    ];
    for (shapes, want) in cases {
        let found = rule.align(&shapes);
        assert_eq!(found.ok().map(|found| found.strides(0)).as_deref(), want, "{shapes:?}");
    }
}
