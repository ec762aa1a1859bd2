use crate::testing::answers;

/// What the importer of onnx-tensorrt says.
const PARSED: &[(&str, &str)] = &[
    ("x(4,3); s=const(); q=QuantizeLinear(x,s)", "differs"),
    ("opset 21; x(4,3); s=const(); q=QuantizeLinear(x,s) output_dtype=3", "same"),
    ("x(4,3); s=const(); z=const:i8()=0; q=QuantizeLinear(x,s,z)", "same"),
    ("x(4,3); s=const(); z=const:i8()=1; q=QuantizeLinear(x,s,z)", "refused"),
    ("x(4,3); s=const(); z=const:u8()=0; q=QuantizeLinear(x,s,z)", "refused"),
    ("x:i8(4,3); s=const(4); d=DequantizeLinear(x,s) axis=0", "same"),
    ("x:i8(4,3); s=const(3); d=DequantizeLinear(x,s)", "refused"),
    ("x:i8(3,3); s=const(3); d=DequantizeLinear(x,s)", "differs"),
    ("x:i8(3,3); s=const(3); d=DequantizeLinear(x,s) axis=1", "same"),
    ("x:i32(3); s=const(); d=DequantizeLinear(x,s)", "refused"),
];

/// What ONNX Runtime's provider for `WebNN` says.
const LEFT_TO_CPU: &[(&str, &str)] = &[
    ("x:i8(4,3); s=const(); d=DequantizeLinear(x,s)", "same"),
    ("x:i8(4,3); s=const(3); d=DequantizeLinear(x,s) axis=1", "same"),
    ("x:i8(4,3); s=const(4); d=DequantizeLinear(x,s) axis=0", "refused"),
    ("x:i8(2,4); s=const(2); d=DequantizeLinear(x,s) axis=0", "same"),
    ("x:i8(2,4); s=const(1); d=DequantizeLinear(x,s) axis=0", "refused"),
    ("x:i8(2,4); s=const(1); d=DequantizeLinear(x,s)", "same"),
    ("x:i8(4); s=const(1); d=DequantizeLinear(x,s)", "same"),
    ("x:i16(2,4); s=const(); d=DequantizeLinear(x,s)", "refused"),
    (
        "x(2,4); q,s,z=DynamicQuantizeLinear(x); w=const:i8(4,3); k=const:i8(); m=MatMulInteger(q,w,z,k); c=Cast(m) to=1",
        "refused",
    ),
    ("x:u8(2,4); w=const:u8(4,3); z=const:u8(); k=const:u8(3); m=MatMulInteger(x,w,z,k)", "same"),
    ("x:u8(1,2,5,5); w=const:u8(3,2,3,3); z=const:u8(); k=const:u8(); m=ConvInteger(x,w,z,k)", "same"),
    ("x:u8(1,2,5,5); w=const:i8(3,2,3,3); z=const:u8(); k=const:i8(); m=ConvInteger(x,w,z,k)", "refused"),
    ("x(16,3,3,3); s=const(16); z=const:i8(16); q=QuantizeLinear(x,s,z) axis=0", "refused"),
];

/// What pnnx and ncnn did, and LiteRT with what onnx2tf wrote.
const NCNN: &[(&str, &str)] = &[
    ("w=const:i8(3,2,4); s=const(2); d=DequantizeLinear(w,s); x(4); y=Add(x,d)", "same"),
    ("x(2,3); s=const(); z=const:u8(); q=QuantizeLinear(x,s,z)", "refused, unsupported"),
    ("x:u8(2,3); s=const(); d=DequantizeLinear(x,s)", "refused, unsupported"),
];
const LITERT: &[(&str, &str)] = &[
    ("x(2,3); s=const(); z=const:u8(); q=QuantizeLinear(x,s,z); y=DequantizeLinear(q,s,z)", "same"),
    ("x(2,3); s=const(); q=QuantizeLinear(x,s); y=DequantizeLinear(q,s)", "differs"),
    ("x(2,3); s=const(3); q=QuantizeLinear(x,s)", "same"),
    ("x(); s=const(); q=QuantizeLinear(x,s)", "differs"),
    ("x:u8(2,3); s(); d=DequantizeLinear(x,s)", "refused"),
    ("x(1,3,2,2); s(3); y=QuantizeLinear(x,s) axis=1", "refused"),
    ("x:i32(2,3); s=const(); d=DequantizeLinear(x,s)", "refused"),
    ("w=const:i32(2,3); s=const(3); d=DequantizeLinear(w,s); x(2,3); y=Add(x,d)", "same"),
    ("opset 21; x:i8(6); s=const(3); d=DequantizeLinear(x,s) axis=0 block_size=2", "refused"),
    (
        "opset 21; w=const:u8(2,4,6); s=const(2,2,6); d=DequantizeLinear(w,s) axis=1 block_size=2; x(6); y=Add(x,d)",
        "same",
    ),
];

const DYNAMIC: &str = "q,s,z=DynamicQuantizeLinear(x); w=const:i8(4,3); k=const:i8(); m=MatMulInteger(q,w,z,k); c=Cast(m) to=1; l=const(); p=Mul(s,l); v=Mul(c,p)";
const PAIR: &str = "s=const()=0.02; z=const:i8()=3; q=QuantizeLinear(x,s,z)";
const LAST: &str = "t=const()=0.05; u=const:i8()=3";

/// What LiteRT did on the CPU with what onnx2tf wrote of whole patterns, and its GPU delegate.
const PATTERNS: &[(&str, &str, &str)] = &[
    ("x(2,4); [dynamic]", "same", "refused"),
    ("x(1,2,3,4); [dynamic]", "same", "refused"),
    (
        "x(1,3,5,5); q,s,z=DynamicQuantizeLinear(x); w=const:i8(4,3,3,3); k=const:i8(); m=ConvInteger(q,w,z,k); c=Cast(m) to=1",
        "same",
        "refused",
    ),
    ("x(2,4); q,s,z=DynamicQuantizeLinear(x); y=DequantizeLinear(q,s,z)", "refused", "refused"),
    ("x(2,3,4); [pair]; y=DequantizeLinear(q,s,z); r=Relu(y)", "same", "same"),
    (
        "x(2,3,4); s=const()=0.02; z=const:u8()=120; q=QuantizeLinear(x,s,z); y=DequantizeLinear(q,s,z)",
        "same",
        "differs",
    ),
    (
        "x(2,4); [pair]; w=const:i8(4,3); [last]; o=QLinearMatMul(q,s,z,w,s,z,t,u); y=DequantizeLinear(o,t,u)",
        "same",
        "refused",
    ),
    (
        "x(2,3,4); [pair]; w=const:i8(4,3); [last]; o=QLinearMatMul(q,s,z,w,s,z,t,u); y=DequantizeLinear(o,t,u)",
        "refused",
        "refused",
    ),
    (
        "x(1,2,4,4); [pair]; w=const:i8(3,2,3,3); [last]; o=QLinearConv(q,s,z,w,s,z,t,u); y=DequantizeLinear(o,t,u)",
        "same",
        "refused",
    ),
    ("x(2,3,4); [pair]; w=const:i8(4); [last]; y=com.microsoft.QLinearAdd(q,s,z,w,s,z,t,u)", "same", "same"),
    ("x(2,3,4); [pair]; w=const:i8(4); [last]; y=com.microsoft.QLinearMul(q,s,z,w,s,z,t,u)", "same", "refused"),
    ("x(2,3,4); [pair]; [last]; y=com.microsoft.QLinearMul(q,s,z,q,s,z,t,u)", "same", "same"),
    (
        "x(2,3,4); [pair]; h(2,3,4); g=QuantizeLinear(h,s,z); [last]; o=com.microsoft.QLinearAdd(q,s,z,g,s,z,t,u)",
        "same",
        "differs",
    ),
    (
        "x:u8(2,4); w:u8(2,4); s=const(); z=const:u8(); y=com.microsoft.QLinearMul(x,s,z,w,s,z,s,z)",
        "differs",
        "differs",
    ),
];

/// What coremltools converts.
const BUILT: &[(&str, &str)] = &[
    ("x(2,3); s=const(3); q=QuantizeLinear(x,s)", "same"),
    ("x(2,3); s=const(2); z=const:i8(2); q=QuantizeLinear(x,s,z) axis=-2", "same"),
    ("x(2,3); s(3); q=QuantizeLinear(x,s)", "refused, unsupported"),
    ("x:i32(3); s=const(); d=DequantizeLinear(x,s)", "refused, unsupported"),
    (
        "x(2,3); a=ReduceSum(x) keepdims=0; s=const(); q=QuantizeLinear(a,s); d=DequantizeLinear(q,s); y=Mul(x,d)",
        "same",
    ),
    ("x(1,2,1,3,2,2); s=const(); q=QuantizeLinear(x,s)", "refused"),
    ("x(2,3); a=ReduceSum(x) keepdims=0; b=ReduceMax(x) keepdims=0; c=Sub(a,b); y=Div(x,c)", "same"),
];

#[test]
fn patterns_are_what_litert_did() {
    let parts = &[("[dynamic]", DYNAMIC), ("[pair]", PAIR), ("[last]", LAST)];
    let cpu: Vec<(&str, &str)> = PATTERNS.iter().map(|(text, cpu, _)| (*text, *cpu)).collect();
    let gpu: Vec<(&str, &str)> = PATTERNS.iter().map(|(text, _, gpu)| (*text, *gpu)).collect();
    answers("litert", parts, &cpu);
    answers("litert-gpu", parts, &gpu);
}

#[test]
fn verdicts_are_what_sources_and_builders_say() {
    for (target, rows) in
        [("tensorrt", PARSED), ("webnn", LEFT_TO_CPU), ("coreml", BUILT), ("ncnn", NCNN), ("litert", LITERT)]
    {
        answers(target, &[], rows);
    }
}
