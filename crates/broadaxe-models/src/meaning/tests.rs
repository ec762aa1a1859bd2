use super::*;
use crate::{
    graph::{Attribute, ValueId},
    testing::Sample,
};

/// Makes a model of one node: format, system, operator, version, attributes, number of inputs.
fn model(
    format: (&'static str, System),
    (op, version): (&str, i64),
    attributes: &[(&str, Attribute)],
    inputs: usize,
) -> Model {
    let mut sample = Sample::of(format, version);
    let inputs: Vec<ValueId> = (0..inputs).map(|k| sample.input(&format!("v{k}"), "...")).collect();
    sample.node(op, &inputs, attributes, "...");
    sample.model
}

/// Writes a meaning as `kind; rule; operands`, a refusal as `unclear`, nothing as `-`.
fn show(model: &Model) -> String {
    match meaning(model, NodeId(0)) {
        None => "-".into(),
        Some(Err(_)) => "unclear".into(),
        Some(Ok(meaning)) => {
            let operand = |source: &Source| match source {
                Source::Input(k) => k.to_string(),
                Source::Result => "result".into(),
                Source::Groups(count) => format!("groups of {count}"),
                Source::Scores => "scores".into(),
                Source::Scalar => "scalar".into(),
                Source::Held(dims) => format!("{dims:?}"),
            };
            let operands: Vec<String> = meaning.operands.iter().map(operand).collect();
            format!("{:?}; {}; {}", meaning.kind, meaning.rule, operands.join(" "))
        }
    }
}

type Case<'a> = (&'a str, i64, &'a [(&'a str, Attribute)], usize, &'a str);

fn check(format: (&'static str, System), cases: &[Case<'_>]) {
    for (op, version, attributes, inputs, want) in cases {
        assert_eq!(
            show(&model(format, (op, *version), attributes, *inputs)),
            *want,
            "{op} of {version}, {attributes:?}"
        );
    }
}

fn text(value: &str) -> Attribute {
    Attribute::Text(value.into())
}

#[test]
fn onnx() {
    let one = Attribute::Int(1);
    check(
        ("onnx", System::Onnx),
        &[
            ("Add", 14, &[], 2, "Binary; numpy; 0 1"),
            ("Add", 99, &[], 2, "Binary; numpy; 0 1"),
            ("Add", 6, &[], 2, "Binary; none; 0 1"),
            ("Add", 6, &[("broadcast", one.clone())], 2, "Binary; onnx-legacy; 0 1"),
            ("Sub", 6, &[("broadcast", one.clone()), ("axis", one.clone())], 2, "Binary; onnx-legacy axis=1; 0 1"),
            ("Add", 14, &[], 1, "unclear"),
            ("BitwiseAnd", 17, &[], 2, "unclear"),
            ("Max", 13, &[], 3, "Many; numpy; 0 1 2"),
            ("Max", 6, &[], 3, "Many; none; 0 1 2"),
            ("Where", 16, &[], 3, "Select; numpy; 0 1 2"),
            ("PRelu", 16, &[], 2, "Slope; unidirectional; 0 1"),
            ("PRelu", 6, &[], 2, "Slope; onnx-legacy axis=1; 0 1"),
            ("Expand", 13, &[], 2, "Stretch; bidirectional target=(); 0"),
            ("Clip", 13, &[], 3, "Bounds; onnx-clip; 0 1 2"),
            ("Clip", 13, &[], 2, "Bounds; onnx-clip; 0 1 scalar"),
            ("Clip", 6, &[], 1, "Unary; numpy; 0"),
            ("Gemm", 13, &[], 3, "Bias; gemm-c; result 2"),
            ("Gemm", 13, &[], 2, "-"),
            ("QuantizeLinear", 13, &[], 3, "Lists; axis-lists mode=numpy axis=1; 0 1 2"),
            ("DequantizeLinear", 21, &[("axis", Attribute::Int(0))], 2, "Lists; axis-lists mode=numpy axis=0; 0 1"),
            (
                "DequantizeLinear",
                21,
                &[("block_size", Attribute::Int(4))],
                2,
                "Blocks; axis-lists mode=numpy axis=1; 0 1",
            ),
            ("LayerNormalization", 17, &[], 3, "Affine; unidirectional; 0 1 2"),
            ("Relu", 14, &[], 1, "Unary; numpy; 0"),
            ("CastLike", 15, &[], 2, "Unary; numpy; 0"),
            ("BatchNormalization", 15, &[], 5, "Lengths; axis-lists mode=none axis=1; 0 1 2 3 4"),
            ("BatchNormalization", 7, &[("spatial", Attribute::Int(0))], 5, "-"),
            ("InstanceNormalization", 6, &[], 3, "Lengths; axis-lists mode=none axis=1; 0 1 2"),
            (
                "GroupNormalization",
                18,
                &[("num_groups", Attribute::Int(2))],
                3,
                "Lengths; axis-lists mode=none axis=1; groups of 2 1 2",
            ),
            (
                "GroupNormalization",
                21,
                &[("num_groups", Attribute::Int(2))],
                3,
                "Lengths; axis-lists mode=none axis=1; 0 1 2",
            ),
            ("Conv", 11, &[], 2, "-"),
            ("Conv", 11, &[], 3, "Lengths; axis-lists mode=none axis=1; result 2"),
            ("ConvTranspose", 11, &[], 3, "Lengths; axis-lists mode=none axis=1; result 2"),
            ("QLinearConv", 10, &[], 8, "Lengths; axis-lists mode=each axis=1; result 4 5"),
            ("QLinearConv", 10, &[], 9, "Lengths; axis-lists mode=each axis=1; result 4 5 8"),
            ("ConvInteger", 10, &[], 3, "-"),
            ("ConvInteger", 10, &[], 4, "Lengths; axis-lists mode=each axis=1; result 3"),
            ("QLinearMatMul", 10, &[], 8, "Lengths; unidirectional; result 4 5"),
            ("MatMulInteger", 10, &[], 4, "Lengths; unidirectional; result 3"),
            ("Attention", 23, &[], 3, "-"),
            ("Attention", 23, &[], 4, "Mask; unidirectional; scores 3"),
        ],
    );
}

#[test]
fn openvino() {
    let pdpd = ("auto_broadcast", text("pdpd"));
    let axis = ("axis", Attribute::Int(1));
    check(
        ("openvino", System::Openvino),
        &[
            ("Add", 1, &[], 2, "Binary; numpy; 0 1"),
            ("Add", 1, &[("auto_broadcast", text("none"))], 2, "Binary; none; 0 1"),
            ("Add", 1, &[pdpd.clone(), axis.clone()], 2, "Binary; pdpd axis=1; 0 1"),
            ("Add", 1, &[pdpd.clone(), ("other", text("1"))], 2, "Binary; pdpd axis=0; 0 1"),
            ("Add", 1, &[("auto_broadcast", text("PDPD")), axis.clone()], 2, "Binary; pdpd axis=1; 0 1"),
            ("Add", 1, &[("auto_broadcast", text("left"))], 2, "unclear"),
            ("Select", 1, &[], 3, "Select; openvino-select mode=numpy; 0 1 2"),
            ("Select", 1, &[pdpd.clone(), axis.clone()], 3, "Select; openvino-select mode=pdpd axis=1; 0 1 2"),
            ("FakeQuantize", 1, &[("levels", text("255"))], 5, "Quantize; openvino-fake-quantize; 0 1 2 3 4"),
            ("PReLU", 1, &[], 2, "Slope; openvino-prelu; 0 1"),
            ("Broadcast", 3, &[("mode", text("bidirectional"))], 2, "Stretch; bidirectional target=(); 0"),
            ("Broadcast", 3, &[("mode", text("explicit"))], 3, "unclear"),
            ("Convert", 1, &[], 1, "Unary; numpy; 0"),
            ("MatMul", 1, &[], 2, "-"),
        ],
    );
}

#[test]
fn ncnn_and_pnnx() {
    let number = |value| Attribute::Int(value);
    check(
        ("ncnn", System::Ncnn),
        &[
            ("BinaryOp", 0, &[("0", number(2))], 2, "Binary; ncnn; 0 1"),
            ("BinaryOp", 0, &[("1", number(1))], 1, "Unary; numpy; 0"),
            ("Eltwise", 0, &[("0", number(1))], 3, "Many; none; 0 1 2"),
            ("Eltwise", 0, &[("0", number(7))], 3, "unclear"),
            ("PReLU", 0, &[("0", number(8))], 1, "Channel; pdpd axis=0; 0 [8]"),
            ("Scale", 0, &[("0", number(-233))], 2, "Binary; pdpd axis=0; 0 1"),
            ("Convolution", 0, &[], 1, "-"),
        ],
    );
    let expr = |value| [("expr", text(value))];
    check(
        ("pnnx", System::Pnnx),
        &[
            ("pnnx.Expression", 0, &expr("add(@0,@1)"), 2, "Binary; numpy; 0 1"),
            ("pnnx.Expression", 0, &expr("sub(@1, @0)"), 2, "Binary; numpy; 1 0"),
            ("pnnx.Expression", 0, &expr("mul(@0,5.000000e-01)"), 1, "Unary; numpy; 0"),
            ("pnnx.Expression", 0, &expr("mul(add(@0,@1),@2)"), 3, "Many; numpy; 0 1 2"),
            ("pnnx.Expression", 0, &expr("add(@0,mul(@1,@2))"), 3, "Many; numpy; 1 2 0"),
            ("pnnx.Expression", 0, &expr("sub(@0,mul(@1,@2))"), 3, "unclear"),
            ("pnnx.Expression", 0, &expr("add(sqrt(@0),@1)"), 2, "unclear"),
            ("pnnx.Expression", 0, &expr("add(@0,@1"), 2, "unclear"),
            ("pnnx.Expression", 0, &expr("add(@0,@1,@2)"), 3, "unclear"),
            ("pnnx.Expression", 0, &expr("[1,2]"), 0, "Unary; numpy; "),
            ("F.prelu", 0, &[], 2, "Slope; pdpd axis=1; 0 1"),
            ("nn.PReLU", 0, &[("num_parameters", number(8))], 1, "Slope; pdpd axis=1; 0 [8]"),
            ("torch.where", 0, &[], 3, "Select; numpy; 0 1 2"),
            ("torch.logical_and", 0, &[], 2, "Binary; numpy; 0 1"),
            ("nn.Conv2d", 0, &[], 1, "-"),
        ],
    );
}

#[test]
fn paddle() {
    check(
        ("paddle", System::Paddle),
        &[
            ("elementwise_add", 0, &[("axis", Attribute::Int(1))], 2, "Binary; paddle axis=1; 0 1"),
            ("elementwise_add", 0, &[], 2, "Binary; paddle axis=-1; 0 1"),
            ("pd_op.add", 0, &[], 2, "Binary; numpy; 0 1"),
            ("pd_op.add_", 0, &[], 2, "Binary; numpy; 0 1"),
            ("prelu", 0, &[("mode", text("channel"))], 2, "Slope; pdpd axis=1; 0 1"),
            ("prelu", 0, &[], 1, "unclear"),
            ("elementwise_add", 0, &[], 1, "unclear"),
            ("where", 0, &[], 2, "unclear"),
            ("where", 0, &[], 3, "Select; numpy; 0 1 2"),
            ("bitwise_not", 0, &[], 1, "Unary; numpy; 0"),
            ("conv2d", 0, &[], 2, "-"),
        ],
    );
}

/// Reads an expression of pnnx: its operators in order, then its operands.
fn read_expression(expression: &str) -> String {
    let inputs = expression.matches('@').count();
    let model = model(("pnnx", System::Pnnx), ("pnnx.Expression", 0), &[("expr", text(expression))], inputs);
    let Some(Ok(meaning)) = meaning(&model, NodeId(0)) else { return "unclear".into() };
    let ops = match &meaning.op {
        Operator::Own(ops) => ops.iter().map(|op| op.name()).collect::<Vec<_>>().join(" "),
        _ => "copy".into(),
    };
    let operands: Vec<String> = meaning.operands.iter().map(|source| format!("{source:?}")).collect();
    format!("{ops}; {}", operands.join(" ").replace("Input(", "").replace(')', ""))
}

/// Expressions as torch computes them: only a chain keeps its meaning when each operator has the result before it as its
/// first operand, or as its second one if it commutes.
#[test]
fn expressions() {
    let rows = [
        ("add(@0,@1)", "add; 0 1"),
        ("sub(@0,@1)", "sub; 0 1"),
        ("sub(@1,@0)", "sub; 1 0"),
        ("mul(@0,@1)", "mul; 0 1"),
        ("div(@0,@1)", "div; 0 1"),
        ("div(@1,@0)", "div; 1 0"),
        ("pow(@0,@1)", "pow; 0 1"),
        ("maximum(@0,@1)", "max; 0 1"),
        ("max(@0,@1)", "max; 0 1"),
        ("minimum(@0,@1)", "min; 0 1"),
        ("atan2(@0,@1)", "atan2; 0 1"),
        ("fmod(@0,@1)", "fmod; 0 1"),
        ("remainder(@0,@1)", "mod_floor; 0 1"),
        ("floor_divide(@0,@1)", "div_floor; 0 1"),
        ("logaddexp(@0,@1)", "logaddexp; 0 1"),
        ("add(add(@0,@1),@2)", "add add; 0 1 2"),
        ("add(@0,add(@1,@2))", "add add; 1 2 0"),
        ("sub(sub(@0,@1),@2)", "sub sub; 0 1 2"),
        ("sub(@0,sub(@1,@2))", "unclear"),
        ("add(sub(@0,@1),@2)", "sub add; 0 1 2"),
        ("sub(add(@0,@1),@2)", "add sub; 0 1 2"),
        ("sub(@2,add(@0,@1))", "unclear"),
        ("mul(@2,sub(@1,@0))", "sub mul; 1 0 2"),
        ("div(mul(@0,@1),@2)", "mul div; 0 1 2"),
        ("div(@2,mul(@0,@1))", "unclear"),
        ("mul(mul(@0,@1),mul(@2,@3))", "unclear"),
        ("add(mul(@0,@1),@2)", "mul add; 0 1 2"),
        ("add(@2,mul(@0,@1))", "mul add; 0 1 2"),
        ("add(@0,@0)", "copy; 0"),
        ("mul(@0,@0)", "copy; 0"),
        ("add(@0,1)", "copy; 0"),
        ("add(1,@0)", "copy; 0"),
        ("mul(add(@0,@1),2)", "unclear"),
        ("add(sqrt(@0),@1)", "unclear"),
        ("sqrt(add(@0,@1))", "unclear"),
        ("neg(@0)", "copy; 0"),
        ("add(@0,@1", "unclear"),
        ("add@0,@1)", "unclear"),
        ("add(@0)", "copy; 0"),
        ("add(@0,@1,@2)", "unclear"),
        ("(@0,@1)", "unclear"),
        ("add(@x,@1)", "copy; 0"),
        ("foo(@0,@1)", "unclear"),
        (" add( @0 , @1 ) ", "add; 0 1"),
        ("ADD(@0,@1)", "unclear"),
        ("add(@0,@10)", "add; 0 10"),
        ("pow(maximum(@0,@1),@2)", "max pow; 0 1 2"),
        ("maximum(@2,pow(@0,@1))", "pow max; 0 1 2"),
        ("pow(@2,maximum(@0,@1))", "unclear"),
        ("logical_and(@0,@1)", "unclear"),
        ("eq(@0,@1)", "equal; 0 1"),
        ("lt(@0,@1)", "less; 0 1"),
        ("bitwise_and(@0,@1)", "unclear"),
        ("bitwise_left_shift(@0,@1)", "unclear"),
        ("__and__(@0,@1)", "unclear"),
        ("rsub(@0,@1)", "unclear"),
        ("atan2(add(@0,@1),@2)", "add atan2; 0 1 2"),
        ("atan2(@2,add(@0,@1))", "unclear"),
        ("add(@0,mul(@1,add(@2,@3)))", "add mul add; 2 3 1 0"),
        ("add(@0,mul(@1,sub(@2,@3)))", "sub mul add; 2 3 1 0"),
    ];
    for (expression, want) in rows {
        assert_eq!(read_expression(expression), want, "{expression}");
    }
}
