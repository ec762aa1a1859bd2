//! Calls of the frameworks: what they become, and what is rejected.

use super::check;

#[test]
fn onnx_by_opset() {
    check(&[
        ("onnx.Add(f32, f32_)", "add(f32, f32_) f32 (2, 3)"),
        ("onnx.Add(f32, 1)", "add(f32, 1) f32 (2, 3)"),
        (
            "onnx.Add(i8, i8, opset=13)",
            "error 0: onnx.Add of opset 13: operand 0 is i8; it accepts i32, i64, u32, u64, f16, bf16, f32, f64; opset 14 and newer take it",
        ),
        (
            "onnx.Add(f32, i32)",
            "error 0: onnx.Add of opset 28: operand 0 is f32 and operand 1 is i32; the dtypes must be equal; cast one of them",
        ),
        ("onnx.Add(bool, bool)", "error 0: onnx.Add of opset 28: operand 0 is bool; it accepts i8"),
        ("onnx.Add(i32, 1.5)", "error 0: onnx.Add of opset 28: 1.5 is a float and the array is i32"),
        ("onnx.Add(1, 2)", "error 0: onnx.Add of opset 28: numbers alone have no dtype"),
        ("onnx.Add(f32)", "error 0: onnx.Add of opset 28 needs 2 operands, not 1"),
        ("onnx.Add(f32, f32, axis=1)", "error 0: onnx.Add of opset 28 has no attribute 'axis'; its attributes: none"),
        ("onnx.Add(f32, f32, opset=99)", "error 0: opset=99 is not an opset of onnx; opsets are 1 to 28"),
        ("onnx.Add(f32, f32_, opset=6)", "error 0: "),
        ("onnx.Add(x2_3_4, x3, opset=6, broadcast=1, axis=1)", "add(x2_3_4, x3) f32 (2, 3, 4)"),
        ("onnx.Add(x2_3_4, x4, opset=6, broadcast=1)", "add(x2_3_4, x4) f32 (2, 3, 4)"),
        ("onnx.Add(x2_3_4, x1_4, opset=6, broadcast=1)", "error 0: "),
        (
            "onnx.Add(x2_3_4, x3, opset=6, axis=1)",
            "error 0: onnx.Add of opset 6: axis has no effect without broadcast=1",
        ),
        ("onnx.Div(i32, i32)", "div_trunc(i32, i32) i32 (2, 3)"),
        ("onnx.Div(f32, f32)", "div(f32, f32) f32 (2, 3)"),
        ("onnx.Mod(i8, i8)", "mod_floor(i8, i8) i8 (2, 3)"),
        ("onnx.Mod(i8, i8, fmod=1)", "fmod(i8, i8) i8 (2, 3)"),
        ("onnx.Mod(f32, f32)", "mod_floor(f32, f32) f32 (2, 3)"),
        ("onnx.Mod(f32, f32, opset=13)", "error 0: onnx.Mod of opset 13: it is not defined for f32; it needs fmod=1"),
        ("onnx.Mod(f32, f32, opset=13, fmod=1)", "fmod(f32, f32) f32 (2, 3)"),
        ("onnx.Mod(f32, f32, opset=9)", "error 0: onnx.Mod first appears in opset 10"),
        ("onnx.Mod(f32, f32, fmod=2)", "error 0: onnx.Mod of opset 28: fmod=2 should be True or False"),
        ("onnx.Pow(f32, f32)", "pow(f32, f32) f32 (2, 3)"),
        ("onnx.Pow(i32, i32)", "pow_trunc(i32, i32) i32 (2, 3)"),
        ("onnx.Pow(i32, u8)", "i32(pow_trunc(u64(i32), u64(u8))) i32 (2, 3)"),
        ("onnx.Pow(i32, i64)", "i32(pow_trunc(i64(i32), i64)) i32 (2, 3)"),
        ("onnx.Pow(i32, f32)", "i32(pow(f64(i32), f64(f32))) i32 (2, 3)"),
        ("onnx.Pow(f32, i32)", "f32(pow(f64(f32), f64(i32))) f32 (2, 3)"),
        ("onnx.Pow(f32, 2)", "pow(f32, 2) f32 (2, 3)"),
        ("onnx.Pow(f32, i32, opset=7)", "error 0: onnx.Pow of opset 7: operand 0 is f32 and operand 1 is i32"),
        ("onnx.Pow(i8, i8)", "error 0: onnx.Pow of opset 28: operand 0 is i8; it accepts i32, i64, f16"),
        ("onnx.Max(f32)", "f32 f32 (2, 3)"),
        ("onnx.Max(f32, f32_, x4_1_1)", "max(max(f32, f32_), x4_1_1) f32 (4, 2, 3)"),
        ("onnx.Max(f32, f32_, opset=7)", "error 0: "),
        ("onnx.Max()", "error 0: onnx.Max of opset 28 needs at least 1 operand, not 0"),
        ("onnx.Sum(f32, f32_)", "sum(f32, f32_) f32 (2, 3)"),
        ("onnx.Sum(i32, i32)", "error 0: onnx.Sum of opset 28: operand 0 is i32; it accepts f16, bf16, f32, f64"),
        ("onnx.Mean(f64)", "f64 f64 (2, 3)"),
        ("onnx.Equal(bool, bool)", "equal(bool, bool) bool (2, 3)"),
        ("onnx.LessOrEqual(i8, i8)", "less_equal(i8, i8) bool (2, 3)"),
        ("onnx.And(bool, bool)", "logical_and(bool, bool) bool (2, 3)"),
        ("onnx.And(i8, i8)", "error 0: onnx.And of opset 28: operand 0 is i8; it accepts bool"),
        ("onnx.BitwiseXor(u8, u8)", "bitwise_xor(u8, u8) u8 (2, 3)"),
        ("onnx.BitShift(u8, u8, direction=\"LEFT\")", "shift_left(u8, u8) u8 (2, 3)"),
        ("onnx.BitShift(i8, 1, direction='RIGHT')", "shift_right(i8, 1) i8 (2, 3)"),
        (
            "onnx.BitShift(i8, i8, direction='LEFT', opset=11)",
            "error 0: onnx.BitShift of opset 11: operand 0 is i8; it accepts u8, u16, u32, u64; opset 28",
        ),
        ("onnx.BitShift(u8, u8)", "error 0: onnx.BitShift of opset 28 needs the attribute direction"),
        (
            "onnx.BitShift(u8, u8, direction=\"UP\")",
            "error 0: onnx.BitShift of opset 28: direction=\"UP\" should be one of \"LEFT\", \"RIGHT\"",
        ),
        ("onnx.Where(bool, f32, 0)", "where(bool, f32, 0) f32 (2, 3)"),
        ("onnx.Where(i8, f32, f32)", "error 0: onnx.Where of opset 28: operand 0 is i8; it must be bool"),
        ("onnx.Expand(x3_1, [2, 1, 6])", "broadcast(x3_1) f32 (2, 3, 6)"),
        ("onnx.Expand(f32, shape=[-1, 4])", "error 0: onnx.Expand of opset 28: shape=[-1, 4] has a negative dim"),
        ("onnx.PRelu(f32, f32_)", "prelu(f32, f32_) f32 (2, 3)"),
        ("onnx.PRelu(f32_, f32)", "error 0: "),
        ("onnx.PRelu(x2_4_4, x4, opset=6)", "prelu(x2_4_4, x4) f32 (2, 4, 4)"),
        ("onnx.Clip(f32, 0, 6)", "clamp(f32, 0, 6) f32 (2, 3)"),
        ("onnx.Clip(f32, 0)", "max(f32, 0) f32 (2, 3)"),
        ("onnx.Clip(f32, f32_, 1)", "error 0: onnx.Clip of opset 28: bound 1 has the shape (3,); bounds have rank 0"),
        ("onnx.Clip(f32, max=6.0, opset=1)", "min(f32, 6) f32 (2, 3)"),
        ("onnx.LeakyRelu(f32, alpha=0.5)", "prelu(f32, 0.5) f32 (2, 3)"),
        ("onnx.Elu(f32)", "where(less(f32, 0), mul(1, expm1(f32)), f32) f32 (2, 3)"),
        ("onnx.HardSigmoid(f32)", "clamp(add(mul(0.2, f32), 0.5), 0, 1) f32 (2, 3)"),
        ("onnx.Gelu(f32, approximate=\"tanh\")", "gelu_tanh(f32) f32 (2, 3)"),
        ("onnx.Relu(i8)", "relu(i8) i8 (2, 3)"),
        (
            "onnx.Sin(bf16, opset=7)",
            "error 0: onnx.Sin of opset 7: operand 0 is bf16; it accepts f16, f32, f64; opset 22",
        ),
        ("onnx.IsInf(f32, detect_negative=0)", "equal(f32, inf) bool (2, 3)"),
        ("onnx.Cast(f32, to=10)", "f16(f32) f16 (2, 3)"),
        ("onnx.Cast(f32, to=8)", "error 0: onnx.Cast of opset 28: the attribute names no dtype"),
        ("onnx.CastLike(f32, i8)", "i8(f32) i8 (2, 3)"),
        ("onnx.Not(bool)", "logical_not(bool) bool (2, 3)"),
        ("onnx.Gemm(f32, f32, f32)", "error 0: onnx.Gemm is not element-wise"),
        ("onnx.add(f32, f32)", "error 0: unknown element-wise operator onnx.add; did you mean 'Add' or 'And'"),
    ]);
}

/// Found by asking the schemas, ONNX Runtime and the reference evaluator about every opset.
#[test]
fn onnx_by_schema() {
    check(&[
        // An absent bound of opset 6 to 10 is the largest f32, as ONNX Runtime and the reference evaluator have it.
        ("onnx.Clip(f32, max=6.0, opset=6)", "clamp(f32, -340282350000000000000000000000000000000, 6) f32 (2, 3)"),
        ("onnx.Clip(f32, min=0, opset=10)", "clamp(f32, 0, 340282350000000000000000000000000000000) f32 (2, 3)"),
        ("onnx.Clip(f32, opset=11)", "f32 f32 (2, 3)"),
        ("onnx.Erf(i32, opset=9)", "i32(erf(f64(i32))) i32 (2, 3)"),
        ("onnx.Erf(i32)", "error 0: onnx.Erf of opset 28: operand 0 is i32; it accepts f16, bf16, f32, f64"),
        (
            "onnx.Shrink(f32, lambd=1.5)",
            "where(less(f32, -1.5), add(f32, 0), where(greater(f32, 1.5), sub(f32, 0), 0)) f32 (2, 3)",
        ),
        ("onnx.Selu(f32, opset=1)", "mul(1.0507, where(less(f32, 0), mul(1.6732, expm1(f32)), f32)) f32 (2, 3)"),
        ("onnx.Cast(f32, to=10, saturate=1, opset=13)", "error 0: onnx.Cast of opset 13 has no attribute 'saturate'"),
        ("onnx.Cast(f32, to=10, saturate=0, round_mode=\"nearest\")", "f16(f32) f16 (2, 3)"),
        ("onnx.CastLike(f32, i8, saturate=0)", "i8(f32) i8 (2, 3)"),
    ]);
}

#[test]
fn openvino_by_attributes() {
    check(&[
        ("openvino.Add(x2_3_4, x4)", "add(x2_3_4, x4) f32 (2, 3, 4)"),
        ("openvino.Add(x2_3_4, x3, auto_broadcast=\"pdpd\", axis=1)", "add(x2_3_4, x3) f32 (2, 3, 4)"),
        ("openvino.Add(x2_3_4, x3, auto_broadcast=\"pdpd\", auto_broadcast_axis=1)", "add(x2_3_4, x3) f32 (2, 3, 4)"),
        ("openvino.Add(x3_3_3, x3_1, auto_broadcast=\"pdpd\")", "add(x3_3_3, x3_1) f32 (3, 3, 3)"),
        ("openvino.Add(x2_3_4, x4, auto_broadcast=\"none\")", "error 0: "),
        ("openvino.Add(x2_3_4, x4, axis=1)", "error 0: openvino.Add of opset 17: axis needs auto_broadcast=\"pdpd\""),
        (
            "openvino.Add(x2_3_4, x4, auto_broadcast=\"bidirectional\")",
            "error 0: openvino.Add of opset 17: auto_broadcast=\"bidirectional\" should be one of",
        ),
        ("openvino.Divide(i32, i32)", "div_floor(i32, i32) i32 (2, 3)"),
        ("openvino.Divide(i32, i32, m_pythondiv=False)", "div_trunc(i32, i32) i32 (2, 3)"),
        ("openvino.Divide(f32, f32)", "div(f32, f32) f32 (2, 3)"),
        ("openvino.Mod(i8, i8)", "fmod(i8, i8) i8 (2, 3)"),
        ("openvino.FloorMod(i8, i8)", "mod_floor(i8, i8) i8 (2, 3)"),
        ("openvino.Power(i8, i8)", "pow_trunc(i8, i8) i8 (2, 3)"),
        ("openvino.SquaredDifference(f32, f32_)", "squared_difference(f32, f32_) f32 (2, 3)"),
        ("openvino.LogicalXor(bool, bool)", "logical_xor(bool, bool) bool (2, 3)"),
        ("openvino.Xor(bool, bool)", "logical_xor(bool, bool) bool (2, 3)"),
        ("openvino.BitwiseAnd(bool, bool)", "logical_and(bool, bool) bool (2, 3)"),
        ("openvino.BitwiseAnd(i8, i8, opset=12)", "error 0: openvino.BitwiseAnd first appears in opset 13"),
        ("openvino.BitwiseLeftShift(i8, 1)", "shift_left_mod(i8, 1) i8 (2, 3)"),
        ("openvino.Atan2(f32, f32)", "atan2(f32, f32) f32 (2, 3)"),
        ("openvino.Select(bool, f32_, 0)", "where(bool, f32_, 0) f32 (2, 3)"),
        ("openvino.Select(bool, f32, f32_, auto_broadcast=\"pdpd\")", "where(bool, f32, f32_) f32 (2, 3)"),
        ("openvino.Select(bool, f32, f32_, auto_broadcast=\"none\")", "error 0: "),
        ("openvino.PReLU(x2_4_4, x4)", "prelu(x2_4_4, x4) f32 (2, 4, 4)"),
        ("openvino.Broadcast(x3, target_shape=[2, 3])", "broadcast(x3) f32 (2, 3)"),
        ("openvino.Broadcast(x3, target_shape=[1])", "error 0: "),
        (
            "openvino.Broadcast(x5_5, target_shape=[1, 5, 5, 16], axes_mapping=[1, 2], mode=\"explicit\")",
            "broadcast(x5_5) f32 (1, 5, 5, 16)",
        ),
        ("openvino.Broadcast(x3_1, target_shape=[2, 1, 6], mode=\"bidirectional\")", "broadcast(x3_1) f32 (2, 3, 6)"),
        (
            "openvino.Broadcast(x3, target_shape=[3], mode=\"bidirectional\", opset=1)",
            "error 0: openvino.Broadcast of opset 1: mode=",
        ),
        (
            "openvino.Broadcast(x3, target_shape=[3], mode=\"explicit\")",
            "error 0: openvino.Broadcast of opset 17: mode=\"explicit\" needs axes_mapping",
        ),
        ("openvino.Clamp(i8, min=-0.5, max=300)", "clamp(i8, 0, 127) i8 (2, 3)"),
        (
            "openvino.Round(f32, mode=\"half_away_from_zero\")",
            "where(greater_equal(abs(sub(f32, trunc(f32))), 0.5), add(trunc(f32), sign(f32)), trunc(f32)) f32 (2, 3)",
        ),
        // Rounding accepts integers and does not change them.
        ("openvino.Floor(i32)", "i32 i32 (2, 3)"),
        ("openvino.Ceiling(u8)", "u8 u8 (2, 3)"),
        ("openvino.Round(i64, mode=\"half_away_from_zero\")", "i64 i64 (2, 3)"),
        ("openvino.Gelu(f32, approximation_mode=\"TANH\")", "gelu_tanh(f32) f32 (2, 3)"),
        ("openvino.FakeQuantize(x1_3_1_1, x1_3_4_5, 1, 0, 1, levels=256)", "error 0: "),
        (
            "openvino.FakeQuantize(x2_3, x3, 1, 0, 1, levels=1)",
            "error 0: openvino.FakeQuantize of opset 17: levels=1 are too few",
        ),
        ("openvino.MatMul(f32, f32)", "error 0: openvino.MatMul is not element-wise"),
        ("openvino.Sub(f32, f32)", "error 0: unknown element-wise operator openvino.Sub"),
    ]);
    let quantized = super::lowered("openvino.FakeQuantize(x2_3, x3, 1, 0, 1, levels=256)", &super::Rule::numpy());
    assert!(quantized.as_ref().is_ok_and(|tree| tree.ends_with("f32 (2, 3)")), "{quantized:?}");
}

#[test]
fn ncnn_and_paddle() {
    check(&[
        // ncnn's [2, 3, 4] with [4] is (4, 3, 2) with (4,) here.
        ("ncnn.BinaryOp(x4_3_2, x4)", "add(x4_3_2, x4) f32 (4, 3, 2)"),
        ("ncnn.BinaryOp(x4_3_2, x4_3, op_type=1)", "sub(x4_3_2, x4_3) f32 (4, 3, 2)"),
        ("ncnn.BinaryOp(x4_3_2, x3_2)", "error 0: "),
        ("ncnn.BinaryOp(f32, f32, op_type=7)", "sub(f32, f32) f32 (2, 3)"),
        ("ncnn.BinaryOp(x4_3, x4, op_type=8)", "div(x4, x4_3) f32 (4, 3)"),
        ("ncnn.BinaryOp(x4_3, x4, op_type=16)", "floor(div(x4, x4_3)) f32 (4, 3)"),
        ("ncnn.BinaryOp(x4_3, x4, op_type=18)", "remainder_ieee(x4, x4_3) f32 (4, 3)"),
        ("ncnn.BinaryOp(f32, op_type=7, with_scalar=1, b=2.5)", "sub(2.5, f32) f32 (2, 3)"),
        ("ncnn.BinaryOp(f32, 2.5, op_type=2)", "mul(f32, 2.5) f32 (2, 3)"),
        (
            "ncnn.BinaryOp(f32, f32, op_type=19)",
            "error 0: ncnn.BinaryOp: it is not defined for f32 with op_type=19; use op_type=0 to op_type=18",
        ),
        (
            "ncnn.BinaryOp(f32, f32, with_scalar=1, b=2.0)",
            "error 0: ncnn.BinaryOp: the second operand is an array or b, not both",
        ),
        ("ncnn.BinaryOp(f32)", "error 0: ncnn.BinaryOp: it needs a second operand"),
        ("ncnn.BinaryOp(i32, i32)", "error 0: ncnn.BinaryOp: operand 0 is i32; it accepts f32"),
        (
            "ncnn.BinaryOp(f32, f32, opset=3)",
            "error 0: ncnn.BinaryOp has no attribute 'opset'; its attributes: op_type, with_scalar, b",
        ),
        ("ncnn.UnaryOp(f32, op_type=6)", "rsqrt(f32) f32 (2, 3)"),
        ("paddle.elementwise_add(x2_3_4, x3, axis=1)", "add(x2_3_4, x3) f32 (2, 3, 4)"),
        ("paddle.elementwise_add(x3, x2_3_4, axis=1)", "add(x3, x2_3_4) f32 (2, 3, 4)"),
        ("paddle.elementwise_sub(x8_1_6_1, x7_1_5, axis=1)", "sub(x8_1_6_1, x7_1_5) f32 (8, 7, 6, 5)"),
        ("paddle.elementwise_div(i32, i32)", "div_trunc(i32, i32) i32 (2, 3)"),
        ("paddle.elementwise_floordiv(i32, i32)", "div_floor(i32, i32) i32 (2, 3)"),
        ("paddle.elementwise_mod(i32, i32)", "mod_floor(i32, i32) i32 (2, 3)"),
        ("paddle.elementwise_pow(i32, i32)", "pow_trunc(i32, i32) i32 (2, 3)"),
        ("paddle.elementwise_add(bool, bool)", "logical_or(bool, bool) bool (2, 3)"),
        ("paddle.add(f32, f32_, axis=1)", "error 0: paddle.add has no attribute 'axis'"),
        ("paddle.divide(i32, i32)", "div(f32(i32), f32(i32)) f32 (2, 3)"),
        ("paddle.logical_and(f32, f32_)", "logical_and(bool(f32), bool(f32_)) bool (2, 3)"),
    ]);
}

#[test]
fn layers_of_ncnn() {
    check(&[
        ("ncnn.PReLU(x4_3_2, x4)", "prelu(x4_3_2, x4) f32 (4, 3, 2)"),
        ("ncnn.PReLU(x4_3_2, x4, num_slope=4)", "prelu(x4_3_2, x4) f32 (4, 3, 2)"),
        ("ncnn.PReLU(x4_3_2, x4_1_1)", "prelu(x4_3_2, x4_1_1) f32 (4, 3, 2)"),
        ("ncnn.PReLU(x4_3_2, x1)", "prelu(x4_3_2, x1) f32 (4, 3, 2)"),
        ("ncnn.PReLU(x4_3_2, 0.25)", "prelu(x4_3_2, 0.25) f32 (4, 3, 2)"),
        ("ncnn.PReLU(x4, x4)", "prelu(x4, x4) f32 (4,)"),
        (
            "ncnn.PReLU(x4_3_2, x2)",
            "error 0: ncnn.PReLU: operand 1 has the shape (2,); for data of (4, 3, 2) it is one number, or one for each entry",
        ),
        ("ncnn.PReLU(x4_3_2, x4, num_slope=1)", "error 0: ncnn.PReLU: num_slope=1, but operand 1 has 4 numbers; leave"),
        ("ncnn.PReLU(x4_3_2)", "error 0: ncnn.PReLU needs 2 operands, not 1"),
        ("ncnn.Bias(x4_3_2, x4)", "add(x4_3_2, x4) f32 (4, 3, 2)"),
        ("ncnn.Bias(x4_3, x4)", "error 0: ncnn.Bias: operand 1 has the shape (4,); for data of (4, 3) it is one"),
        ("ncnn.Scale(x4_3, x4, x4)", "add(mul(x4_3, x4), x4) f32 (4, 3)"),
        ("ncnn.Scale(x4_3, x4, scale_data_size=-233)", "mul(x4_3, x4) f32 (4, 3)"),
        (
            "ncnn.Scale(x4_3, x1)",
            "error 0: ncnn.Scale: operand 1 has the shape (1,); for data of (4, 3) it is one number for",
        ),
        ("ncnn.Eltwise(f32, f32, f32)", "mul(mul(f32, f32), f32) f32 (2, 3)"),
        ("ncnn.Eltwise(f32, f32, op_type=1)", "add(f32, f32) f32 (2, 3)"),
        ("ncnn.Eltwise(f32, f32, op_type=1, coeffs=[0.5, 2])", "add(mul(f32, 0.5), mul(f32, 2)) f32 (2, 3)"),
        ("ncnn.Eltwise(f32, f32, coeffs=[0.5, 2])", "mul(f32, f32) f32 (2, 3)"),
        ("ncnn.Eltwise(f32, f32, op_type=1, coeffs=[1, 2, 3])", "error 0: ncnn.Eltwise: coeffs has 3 numbers for 2"),
        ("ncnn.Eltwise(f32)", "error 0: ncnn.Eltwise needs at least 2 operands, not 1"),
        ("ncnn.Eltwise(f32, f32_)", "error 0: "),
        ("ncnn.ReLU(f32)", "relu(f32) f32 (2, 3)"),
        ("ncnn.ReLU(f32, slope=0.5)", "prelu(f32, 0.5) f32 (2, 3)"),
        ("ncnn.Clip(f32, min=0, max=6)", "clamp(f32, 0, 6) f32 (2, 3)"),
        ("ncnn.Dropout(f32)", "f32 f32 (2, 3)"),
        ("ncnn.Noop(f32)", "f32 f32 (2, 3)"),
        ("ncnn.GELU(f32, fast_gelu=1)", "gelu_tanh(f32) f32 (2, 3)"),
        ("ncnn.Threshold(f32, threshold=1)", "where(greater(f32, 1), 1, 0) f32 (2, 3)"),
        ("ncnn.SELU(f32, lambda=2)", "mul(2, where(less(f32, 0), mul(1.6732632, expm1(f32)), f32)) f32 (2, 3)"),
        ("ncnn.ReLU(f64)", "error 0: ncnn.ReLU: operand 0 is f64; it accepts f32"),
    ]);
}

#[test]
fn every_operator_can_be_called() {
    use crate::frameworks::{Values, operators};
    use broadaxe_frameworks::System;
    let mut wrong = Vec::new();
    for system in System::CALLED {
        for row in operators(system) {
            for dtype in row.dtypes() {
                let (least, most) = row.operands();
                let count = if most == usize::MAX { 3 } else { least.max(2).min(most) };
                let takes_bool = matches!(row.name(), "Where" | "Select");
                let mut words: Vec<String> = (0..count)
                    .map(|at| if takes_bool && at == 0 { "bool" } else { dtype.name() }.to_string())
                    .collect();
                match row.name() {
                    "Clip" => words.truncate(1),
                    // bf16 came to the base two opsets before it came to the exponent.
                    "Pow" if row.since() == 13 => words[1] = "f32".to_string(),
                    // Numbers per channel.
                    "PReLU" | "Scale" if system == System::Ncnn => words[1] = "x2".to_string(),
                    "Bias" => words[1] = "x1".to_string(),
                    "PRelu" if row.since() == 1 => words[1].push('_'),
                    _ => {}
                }
                for attr in row.attributes().iter().filter(|attr| attr.default.is_empty()) {
                    words.push(match attr.values {
                        Values::Words(words) => format!("{}=\"{}\"", attr.name, words[0]),
                        Values::Ints => format!("{}=[2, 3]", attr.name),
                        Values::DType => format!("{}=\"f32\"", attr.name),
                        _ => format!("{}=2", attr.name),
                    });
                }
                if system == System::Onnx && row.name() == "Mod" && dtype.is_float() && row.since() < 28 {
                    words.push("fmod=1".to_string());
                }
                if row.since() > 0 {
                    words.push(format!("opset={}", row.since()));
                }
                let text = format!("{}.{}({})", system.name(), row.name(), words.join(", "));
                if let Err(error) = super::lowered(&text, &super::Rule::numpy()) {
                    wrong.push(format!("{text}: {error}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
