//! Operators that ONNX Runtime adds to ONNX.

use crate::testing::{gravest, model};

const SKIP: &str = "g=const(4); e=const(4); y=com.microsoft.SkipLayerNormalization(x,k,g,e)";
const PAIR: &str = "s=const()=0.5; z=const:u8()=1; t=const()=0.25; u=const:u8()=2; r=const()=0.125; v=const:u8()=3; y=com.microsoft.QLinearAdd(a,s,z,b,t,u,r,v)";
const HEADS: &str =
    "q(2,4,6); k(2,5,6); v(2,5,6); m(2,3,4,5); y=com.microsoft.MultiHeadAttention(q,k,v,_,_,m) num_heads=3";

#[test]
fn operands_that_broadcast_inside() {
    for (text, onnx, openvino) in [
        ("x(2,3,4); b=const(4); y=com.microsoft.BiasGelu(x,b)".to_owned(), "same", "same"),
        ("x(2,3,4); b=const(3); y=com.microsoft.BiasGelu(x,b)".to_owned(), "refused", "refused"),
        ("x(n,4); b=const(4); y=com.microsoft.FastGelu(x,b)".to_owned(), "same", "same"),
        ("x(n,4); b=const(1); y=com.microsoft.FastGelu(x,b)".to_owned(), "refused", "refused"),
        (format!("x(2,3,4); k(1,3,4); {SKIP}"), "same", "same"),
        (format!("x(2,3,4); k(3,4); {SKIP}"), "same", "same"),
        (format!("x(2,3,4); k(4); {SKIP}"), "refused", "same"),
        (format!("x(2,3,4); k(2,1,4); {SKIP}"), "refused", "same"),
        (format!("x(n,3,4); k(n,3,4); {SKIP}"), "same", "same"),
        (format!("x(n,3,5); k(n,3,5); {SKIP}"), "refused", "refused"),
        ("x(2,3,4); s=const(4); y=SimplifiedLayerNormalization(x,s) axis=-1".to_owned(), "same", "same"),
        ("x(2,3,4); s=const(4); y=SimplifiedLayerNormalization(x,s) axis=2".to_owned(), "same", "refused"),
        (format!("a:u8(2,3); b:u8(3); {PAIR}"), "same", "same"),
        (format!("a:u8(2,1); b:u8(1,3); {PAIR}"), "same", "same"),
        (format!("a:u8(2,3); b:u8(2); {PAIR}"), "refused", "refused"),
        (format!("a:u8(2,3); b:u8(3); {PAIR}").replace("t=const()", "t=const(1)"), "refused", "same"),
        (HEADS.to_owned(), "same", "same"),
        (HEADS.replace("m(2,3,4,5)", "m(1,1,4,5)"), "same", "same"),
        (HEADS.replace("m(2,3,4,5)", "m(2,1,1,5)"), "refused", "same"),
        (HEADS.replace("m(2,3,4,5)", "m(4,5)"), "refused", "refused"),
        (
            "x(2,4); w=const(4,3); c=const(2,1); y=com.microsoft.FusedGemm(x,w,c) activation=Relu".to_owned(),
            "same",
            "same",
        ),
        (
            "x(2,4); w=const(4,3); c=const(2); y=com.microsoft.FusedGemm(x,w,c) activation=Relu".to_owned(),
            "refused",
            "refused",
        ),
    ] {
        assert_eq!((gravest(&text, "onnx"), gravest(&text, "openvino")), (onnx, openvino), "{text}");
    }
}

/// No law of ONNX's operators speaks of another domain's, whatever they are called.
#[test]
fn targets_without_them_say_so() {
    for target in ["ncnn", "mnn", "tvm", "qnn", "coreml", "litert", "litert-gpu", "paddle", "tensorrt"] {
        for text in [HEADS, "x(2,4); w=const(4,3); c=const(3); y=com.microsoft.FusedGemm(x,w,c) activation=Relu"] {
            assert_eq!(gravest(text, target), "unsupported", "{target}: {text}");
        }
        let text = "x(2,3); s=const(3)=0.5; z=const:i8(3)=1; y=com.microsoft.QuantizeLinear(x,s,z) axis=1";
        let wanted: &[&str] = if target == "tvm" { &["same"] } else { &["unsupported", "unknown"] };
        assert!(wanted.contains(&gravest(text, target)), "{target}: {}", gravest(text, target));
    }
}

/// What computes one operand, or none with another, is no node that broadcasts; its shape is known all the same.
#[test]
fn shapes_are_followed_through_all_of_them() {
    for (text, shape) in [
        ("x(n,4); y=com.microsoft.Gelu(x)", "(n, 4)"),
        ("x(n,4); y=com.microsoft.FastGelu(x)", "(n, 4)"),
        ("x(n,2,4); w=const(4,3); y=com.microsoft.FusedMatMul(x,w) alpha=0.5", "(n, 2, 3)"),
        ("x(n,3,8); b=const(8); y=com.microsoft.BiasSplitGelu(x,b)", "(n, 3, 4)"),
        (
            "a:u8(n,3); s=const(); z=const:u8(); b:u8(2,3); y=com.microsoft.QLinearConcat(s,z,a,s,z,b,s,z) axis=0",
            "(n + 2, 3)",
        ),
        (
            "x(n,32); w=const:u8(3,2,8); s=const(6); y=com.microsoft.MatMulNBits(x,w,s) K=32 N=3 bits=4 block_size=16",
            "(n, 3)",
        ),
        ("q(n,s,6); k(n,t,6); v(n,t,9); y=com.microsoft.MultiHeadAttention(q,k,v) num_heads=3", "(n, s, 9)"),
        ("x(n,s,4); w=const(4,18); b=const(18); y=com.microsoft.Attention(x,w,b) num_heads=2", "(n, s, 6)"),
    ] {
        let (model, shapes) = model(text);
        let y = model.values.iter().position(|value| value.name == "y").expect("an output");
        assert_eq!(shapes.of[y].shape.to_string(), shape, "{text}");
    }
}
