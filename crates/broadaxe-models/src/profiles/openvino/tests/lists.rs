//! Scales and zero points of quantisations, as OpenVINO 2026.4.1 read them.

use crate::testing::answers;

const PARTS: &[(&str, &str)] = &[
    ("[w]", "w=const:i8(4,6)"),
    ("[w4]", "w=const:uint4(4,6)"),
    ("[t]", "w=const:i8(4,4); i=const:i64(2)=0,2"),
    ("[x]", "y=MatMul(x,d)"),
    ("[0]", "d=DequantizeLinear(w,s) axis=0"),
    ("[1]", "d=DequantizeLinear(w,s) axis=1"),
    ("[z]", "z=const:i8(4)"),
    ("[q]", "q=QuantizeLinear(x,s,z) axis=1"),
];

#[test]
fn a_scale_per_row_of_dequantised_weights_is_not_called_the_same() {
    answers(
        "openvino",
        PARTS,
        &[
            ("x(2,4); [w]; s=const(4); [0]; [x]", "differs"),
            ("x(2,4); [w]; s=const(4); [z]; d=DequantizeLinear(w,s,z) axis=0; [x]", "differs"),
            ("x(5,4); [w]; s=const(4); [0]; [x]", "same"),
            ("x(5,4); [w4]; s=const(4); [0]; [x]", "refused, unknown"),
            ("x(2,4); [w]; s=const(6); [1]; [x]", "same"),
            ("x(2,4); [w]; s=const(); d=DequantizeLinear(w,s); [x]", "same"),
            ("x(2,6); [w]; s=const(6); [1]; y=Gemm(x,d) transB=1", "differs"),
            ("x(2,6); [w]; s=const(4); [0]; y=Gemm(x,d) transB=1", "same"),
            ("x(2,6); [w]; s=const(6); [1]; t=Transpose(d) perm=1,0; y=MatMul(x,t)", "differs"),
            ("x(); [t]; s=const(4); [1]; v=Gather(d,i); y=Add(x,v)", "differs"),
            ("x(); [t]; s=const(4); [0]; v=Gather(d,i); y=Add(x,v)", "same"),
        ],
    );
}

#[test]
fn blocks_of_weights() {
    answers(
        "openvino",
        PARTS,
        &[
            ("opset 21; x(2,4); [w]; s=const(2,6); d=DequantizeLinear(w,s) axis=0 block_size=2; [x]", "same"),
            ("opset 21; x(2,4); [w]; s=const(4,3); d=DequantizeLinear(w,s) axis=1 block_size=2; [x]", "refused"),
            ("opset 21; x(2,4); [w]; s=const(4,1); d=DequantizeLinear(w,s) axis=1 block_size=6; [x]", "differs"),
            (
                "opset 21; x(2,6); [w]; s=const(4,3); d=DequantizeLinear(w,s) axis=1 block_size=2; y=Gemm(x,d) transB=1",
                "same",
            ),
            ("opset 21; x(2,6); s=const(2,2); z=const:i8(2,2); q=QuantizeLinear(x,s,z) block_size=4", "refused"),
            ("opset 21; x(2,6); s=const(2,3); z=const:i8(2,3); q=QuantizeLinear(x,s,z) block_size=2", "same"),
            ("opset 21; x(2,6); s=const(2,3); q=QuantizeLinear(x,s) block_size=2", "refused"),
            ("opset 21; x:i8(6); s=const(3); d=DequantizeLinear(x,s) axis=0 block_size=2", "refused"),
            ("opset 21; x:i8(2,6); s=const(2,6); d=DequantizeLinear(x,s) block_size=1", "same"),
        ],
    );
}

#[test]
fn lists_along_an_axis_that_is_open() {
    answers(
        "openvino",
        PARTS,
        &[
            ("x(2,4,3); s=const(4); [z]; [q]", "same"),
            ("x(2,c,3); s=const(4); [z]; [q]", "refused"),
            ("x(2,c,4); s=const(4); [z]; [q]", "refused"),
            ("x(2,4,n); s=const(4); [z]; [q]", "same"),
            ("x(n,c); s=const(4); [z]; [q]", "same"),
            ("opset 12; x(2,4,4); s=const(4); [z]; q=QuantizeLinear(x,s,z)", "differs"),
            ("opset 12; x:i8(2,4,4); s=const(4); d=DequantizeLinear(x,s)", "refused"),
            ("x:i8(); s=const(1); d=DequantizeLinear(x,s)", "differs"),
        ],
    );
}

#[test]
fn lists_that_break_the_rule() {
    answers(
        "openvino",
        PARTS,
        &[
            ("x:i8(6,4); s=const(4); z=const:i8(); d=DequantizeLinear(x,s,z)", "differs"),
            ("x:i8(6,4); s=const(6); z=const:i8(1); d=DequantizeLinear(x,s,z) axis=0", "differs"),
            ("x(6,4); s=const(); z=const:i8(4); q=QuantizeLinear(x,s,z)", "differs"),
            ("x:i8(6,4); s=const(6,1); d=DequantizeLinear(x,s) axis=0", "refused"),
            ("x(6,4); s=const(6,1); q=QuantizeLinear(x,s)", "differs"),
            ("x(6,4,3); s=const(1,3); z=const:i8(1,3); q=QuantizeLinear(x,s,z) axis=0", "differs"),
            ("x(6,4); s=const(5); q=QuantizeLinear(x,s)", "refused"),
            ("x(6,4); s=const(6); z=const:i8(); q=QuantizeLinear(x,s,z)", "refused"),
            ("x(6,4); s=const(6); q=QuantizeLinear(x,s) axis=2", "refused"),
        ],
    );
}
