//! Plans for operands that are wrong by their own rule: numbers per channel, and the shape of `Expand`.

use super::tables::{fixed, fixed_as, repairs};
use crate::fix::Intent;

/// Lists of one number per channel that their own rule does not let broadcast: repaired where one reading fits, else as the caller says.
#[test]
fn numbers_per_channel() {
    let rows: &[(&str, &str, &str)] = &[
        ("x(1,6,4,5); s=const(6); y=PRelu(x,s)", "constant s from (6,) to (1, 6, 1, 1): one number per channel", ""),
        ("x(1,3,1,1); s=const(3); y=PRelu(x,s)", "constant s from (3,) to (1, 3, 1, 1): one number per channel", ""),
        ("x(2,6,5); s=const(6); y=PRelu(x,s)", "constant s from (6,) to (1, 6, 1): one number per channel", ""),
        ("x(n,6,4,5); s=const(6); y=PRelu(x,s)", "constant s from (6,) to (1, 6, 1, 1): one number per channel", ""),
        ("x(1,6,4,5); s(6); y=PRelu(x,s)", "unsqueeze s at axes 0, 2, 3: one number per channel", ""),
        (
            "x(1,6,4,5); s=const(6); a=PRelu(x,s); y=PRelu(a,s)",
            "constant s from (6,) to (1, 6, 1, 1): one number per channel; constant s from (6,) to (1, 6, 1, 1): one number per channel",
            "",
        ),
        (
            "x(1,6,6,5); s=const(6); y=PRelu(x,s)",
            "left y",
            "constant s from (6,) to (1, 6, 1, 1): one number per channel",
        ),
        (
            "x(6,6,4,5); s=const(6); y=PRelu(x,s)",
            "left y",
            "constant s from (6,) to (1, 6, 1, 1): one number per channel",
        ),
        (
            "x(n,6,h,w); s=const(6); y=PRelu(x,s)",
            "left y",
            "constant s from (6,) to (1, 6, 1, 1): one number per channel",
        ),
        (
            "x(1,6,4,6); s=const(6); y=PRelu(x,s)",
            "constant s from (6,) to (1, 1, 1, 6)",
            "constant s from (6,) to (1, 6, 1, 1): one number per channel",
        ),
        (
            "x(1,6,4,5); s=const(6); y=Add(x,s)",
            "left y",
            "constant s from (6,) to (1, 6, 1, 1): one number per channel",
        ),
        (
            "x(1,6,4,5); s=const(6); y=Sub(s,x)",
            "left y",
            "constant s from (6,) to (1, 6, 1, 1): one number per channel",
        ),
        ("x(1,6,4,5); s=const(7); y=PRelu(x,s)", "left y", "left y"),
        ("x(1,6,4,6); s=const(6); y=Add(x,s)", "", ""),
        ("x(2,6); s=const(6); y=PRelu(x,s)", "", ""),
    ];
    for (text, unsaid, said) in rows {
        let said = if said.is_empty() { unsaid } else { said };
        assert_eq!(fixed("onnx openvino", text), *unsaid, "{text}");
        assert_eq!(fixed_as("onnx openvino", text, Intent::Channels), *said, "{text} with channels");
    }
    // A node that a target reads as it says is changed too where something else is meant.
    let text = "x(1,6,4,6); s=const(6); y=PRelu(x,s)";
    assert_eq!(fixed("onnx", text), "");
    assert_eq!(
        fixed_as("onnx", text, Intent::Channels),
        "constant s from (6,) to (1, 6, 1, 1): one number per channel"
    );
}

/// A slope that its own rule reads along the last axis is asked about where the other slopes of the model have one number per channel.
#[test]
fn slopes_of_like_models() {
    let text = "x(1,6,4,5); s=const(6); a=PRelu(x,s); z(1,4,4,4); t=const(4); b=PRelu(z,t)";
    let changed = "constant s from (6,) to (1, 6, 1, 1): one number per channel";
    assert_eq!(fixed("onnx", text), format!("{changed}; left b"));
    let both = "constant t from (4,) to (1, 4, 1, 1): one number per channel";
    assert_eq!(fixed_as("onnx", text, Intent::Channels), format!("{changed}; {both}"));
    assert_eq!(fixed("onnx", "z(1,4,4,4); t=const(4); b=PRelu(z,t)"), "");
    // It is not changed where a target reads it otherwise, either, nor in the fixed model.
    assert_eq!(fixed("onnx openvino", text), format!("{changed}; left b"));
    let rest = "s=const(1,6,1,1); a=PRelu(x,s); z(1,4,4,4); t=const(4); b=PRelu(z,t)";
    assert_eq!(fixed("onnx openvino", &format!("x(1,6,4,5); {rest}")), "left b");
}

/// Blocks that fit along exactly one other axis than the one that the node names.
#[test]
fn blocks_along_another_axis() {
    let node = "y=DequantizeLinear(x,s) axis=0 block_size=16";
    repairs(
        "onnx openvino",
        &[
            (&format!("opset 21; x:i8(32,64); s=const(32,4); {node}"), "set axis to 1"),
            (&format!("opset 21; x:i8(32,64); s=const(32,5); {node}"), "left y; left y"),
            (&format!("opset 21; x:i8(32,64); s=const(2,64); {node}"), ""),
        ],
    );
}

/// Numbers per channel that have other axes of 1; as lists all engines read them, and neither runtime reads them as they are.
#[test]
fn lists_of_channels() {
    let rest = "b=const(3); m=const(3); v=const(3)=0.5; y=BatchNormalization(x,s,b,m,v)";
    for (shape, from) in [("3,1,1", "(3, 1, 1)"), ("1,3,1,1", "(1, 3, 1, 1)"), ("3,1", "(3, 1)")] {
        repairs(
            "onnx openvino",
            &[(&format!("x(1,3,4,4); s=const({shape}); {rest}"), &format!("constant s from {from} to (3,)"))],
        );
    }
    repairs(
        "onnx openvino",
        &[
            (
                "x(n,3,h,w); s=const(3,1,1); b=const(3); y=InstanceNormalization(x,s,b)",
                "constant s from (3, 1, 1) to (3,)",
            ),
            ("x(1,2,5,5); w=const(4,2,3,3); b=const(1,4,1,1); y=Conv(x,w,b)", "constant b from (1, 4, 1, 1) to (4,)"),
            ("x(1,3,4,4); s(3,1,1); b=const(3); y=InstanceNormalization(x,s,b)", "reshape s to (-1,)"),
            ("x(1,3,4,4); s=const(1); b=const(3); y=InstanceNormalization(x,s,b)", "left y"),
        ],
    );
}

/// The shape of `Expand` is a list: one of another rank is written as a list, whatever the targets do with it.
#[test]
fn shapes_of_expand() {
    repairs(
        "onnx openvino",
        &[
            ("x(1); t=const:i64()=3; y=Expand(x,t)", "constant t from () to (1,)"),
            ("x(2,1); t=const:i64(1,2)=2,4; y=Expand(x,t)", "constant t from (1, 2) to (2,)"),
            ("x(1); t:i64(); y=Expand(x,t)", "unsqueeze t at axis 0"),
            ("x(1); t:i64(1,2); y=Expand(x,t)", "reshape t to (-1,)"),
            ("x(1); w(n,4); s=Shape(w); i=const:i64()=0; t=Gather(s,i) axis=0; y=Expand(x,t)", "unsqueeze t at axis 0"),
            ("x(1,4); t=const:i64()=3; y=Expand(x,t)", "left y"),
            ("x(2,1); t=const:i64(2)=-1,4; y=Expand(x,t)", "left y; left y"),
        ],
    );
}

/// OpenCV multiplies `BatchNormalization` into a convolution past the function between them, unless another node comes first.
#[test]
fn lists_that_a_runtime_merges_with_the_layers_before() {
    let rest = "s=const(4)=0.5,1.5,2,0.75; b=const(4)=1,-1,0.5,2; m=const(4)=0.25,0.5,-0.5,1; v=const(4)=1,2,0.5,4; \
                y=BatchNormalization(k,s,b,m,v)";
    let text =
        |function: &str| format!("x(1,4,5,5); w=const(4,4,3,3); c=Conv(x,w) pads=1,1,1,1; k={function}(c); {rest}");
    for function in ["Tanh", "Sigmoid", "Elu", "HardSigmoid"] {
        repairs("opencv", &[(&text(function), "reshape k to (1, 4, 5, 5)")]);
        repairs("opencv onnx openvino", &[(&text(function), "reshape k to (1, 4, 5, 5)")]);
    }
    repairs("opencv", &[(&text("Relu"), "")]);
}
