//! Broadcasts inside other operators: masks of attention, and lists of normalisations and convolutions.

use crate::testing::{gravest, model};

const HEADS: &str = "q(2,3,4,2); k(2,3,5,2); v(2,3,5,2)";
const PAST: &str = "q(1,2,4,3); k(1,2,4,3); v(1,2,4,3); pk(1,2,3,3); pv(1,2,3,3)";

#[test]
fn masks_of_attention() {
    for (text, onnx, openvino) in [
        (format!("opset 23; {HEADS}; m(4,5); y=Attention(q,k,v,m)"), "same", "same"),
        (format!("opset 23; {HEADS}; m(2,1,4,5); y=Attention(q,k,v,m)"), "same", "same"),
        (format!("opset 23; {HEADS}; m(4,1); y=Attention(q,k,v,m)"), "refused", "same"),
        (format!("opset 23; {HEADS}; m(1,5); y=Attention(q,k,v,m)"), "refused", "same"),
        (format!("opset 23; {HEADS}; m(5); y=Attention(q,k,v,m)"), "refused", "refused"),
        (format!("opset 23; {HEADS}; m(2,4,5); y=Attention(q,k,v,m)"), "refused", "refused"),
        (format!("opset 23; {HEADS}; m(4,3); y=Attention(q,k,v,m)"), "refused", "refused"),
        // From opset 24 on the columns that a mask lacks take no part.
        (format!("opset 24; {HEADS}; m(4,3); y=Attention(q,k,v,m)"), "refused", "same"),
        (format!("opset 24; {HEADS}; m(4,5); y=Attention(q,k,v,m)"), "same", "same"),
        (format!("opset 23; {PAST}; m(4,7); y=Attention(q,k,v,m,pk,pv)"), "refused", "same"),
        (format!("opset 23; {PAST}; m(4,4); y=Attention(q,k,v,m,pk,pv)"), "refused", "refused"),
        ("opset 23; q(1,2,n,2); k(1,2,n,2); v(1,2,n,2); m(n,n); y=Attention(q,k,v,m)".to_owned(), "same", "same"),
        ("opset 24; q(1,2,n,2); k(1,2,n,2); v(1,2,n,2); m(n,n); y=Attention(q,k,v,m)".to_owned(), "same", "same"),
        ("opset 23; q(1,2,n,2); k(1,2,n,2); v(1,2,n,2); m(1,n); y=Attention(q,k,v,m)".to_owned(), "guarded", "same"),
    ] {
        assert_eq!((gravest(&text, "onnx"), gravest(&text, "openvino")), (onnx, openvino), "{text}");
    }
}

#[test]
fn lists_of_groups_and_channels() {
    for (text, onnx, ncnn) in [
        ("opset 18; x(2,6,5); s=const(3); b=const(3); y=GroupNormalization(x,s,b) num_groups=3", "same", "differs"),
        ("opset 18; x(2,3,5); s=const(3); b=const(3); y=GroupNormalization(x,s,b) num_groups=3", "same", "same"),
        ("opset 18; x(2,6,5); s=const(6); b=const(6); y=GroupNormalization(x,s,b) num_groups=3", "refused", "refused"),
        ("opset 21; x(2,6,5); s=const(6); b=const(6); y=GroupNormalization(x,s,b) num_groups=3", "same", "same"),
        ("x(n,6,h,w); s=const(6); b=const(6); y=InstanceNormalization(x,s,b)", "same", "same"),
        ("x(2,6,5); s=const(6); b=const(6); y=InstanceNormalization(x,s,b)", "same", "refused"),
        ("x(n,3,4,4); w=const(8,3,3,3); b=const(8); y=Conv(x,w,b)", "same", "same"),
        ("x(n,3,4,4); w=const(8,3,3,3); b=const(1); y=Conv(x,w,b)", "refused", "refused"),
    ] {
        assert_eq!((gravest(text, "onnx"), gravest(text, "ncnn")), (onnx, ncnn), "{text}");
    }
}

/// A zero point of columns has the rank of the matrix; the product with a vector has one axis less.
#[test]
fn columns_of_a_product_with_a_vector() {
    for shape in ["", "1", "3", "1,3"] {
        let text = format!("a:u8(4); w=const:u8(4,3); p=const:u8()=1; z=const:u8({shape})=1; y=MatMulInteger(a,w,p,z)");
        assert_eq!(gravest(&text, "onnx"), "same", "{text}");
    }
    let text = "a:u8(4); w=const:u8(4,3); p=const:u8()=1; z=const:u8(2,3)=1; y=MatMulInteger(a,w,p,z)";
    assert_eq!(gravest(text, "onnx"), "refused");
}

/// In a convolution without a bias, and in lists with a number for every element of an entry, nothing broadcasts.
#[test]
fn what_has_no_list_is_not_judged() {
    for text in [
        "x(1,3,4,4); w=const(8,3,3,3); y=Conv(x,w)",
        "opset 7; x(2,3); s=const(3); b=const(3); m=const(3); v=const(3); y=BatchNormalization(x,s,b,m,v) spatial=0",
        "opset 23; q(1,2,4,2); k(1,2,4,2); v(1,2,4,2); y=Attention(q,k,v)",
    ] {
        let (model, shapes) = model(text);
        let report = crate::check::check(&model, &shapes, &["onnx".parse().expect("a target")]);
        assert_eq!((report.nodes, report.others), (0, 1), "{text}");
    }
}
