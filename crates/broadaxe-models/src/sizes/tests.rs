use super::*;
use crate::{
    graph::Attribute,
    testing::{self, Sample},
};

/// Halves a length, doubles it again and adds what was there before: only even lengths fit.
fn skip(depth: usize) -> Sample {
    let mut sample = Sample::new(13);
    let x = sample.input("x", "(1,2,h,8)");
    let mut y = x;
    for _ in 0..depth {
        let attributes = [("kernel_shape", Attribute::Ints(vec![2, 1])), ("strides", Attribute::Ints(vec![2, 1]))];
        y = sample.node("MaxPool", &[y], &attributes, "...");
    }
    for _ in 0..depth {
        let scales = sample.floats("scales", &[1.0, 1.0, 2.0, 1.0]);
        let none = sample.floats("roi", &[]);
        let attributes = [("mode", Attribute::Text("nearest".to_string()))];
        y = sample.node("Resize", &[y, none, scales], &attributes, "...");
    }
    sample.node("Add", &[x, y], &[], "...");
    sample
}

fn swept(sample: &mut Sample, dim: &str, high: usize) -> String {
    for id in sample.model.graphs[0].inputs.clone() {
        sample.model.values[id.0 as usize].declared = Some(sample.shapes.of[id.0 as usize].shape.clone());
    }
    match sweep(&sample.model, &[], dim, 1, high) {
        Ok(sweep) => sweep.to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn multiples_of_what_is_halved() {
    let text = swept(&mut skip(3), "h", 64);
    assert!(text.starts_with("multiples of 8 from 1 to 64"), "{text}");
    let text = swept(&mut skip(1), "x[2]", 64);
    assert!(text.starts_with("multiples of 2 from 1 to 64"), "{text}");
}

#[test]
fn by_accident() {
    let mut sample = Sample::new(13);
    let (x, table) = (sample.input("x", "(n,s,4)"), sample.constant("table", &[7, 4]));
    sample.node("Add", &[x, table], &[], "...");
    let text = swept(&mut sample, "s", 30);
    assert!(
        text.starts_with(
            "only 7 from 1 to 30; 1 accepted only because it broadcasts: axis 1 of operand 0 of add_0 is 1"
        ),
        "{text}"
    );
    assert!(text.contains("; 2 is rejected: "), "{text}");
    assert_eq!(swept(&mut sample, "n", 30), "all from 1 to 30");
    assert!(swept(&mut sample, "width", 30).contains("no input has a dim width; the inputs are x (n, s, 4)"));
}

/// Returns the sizes of `n` that a model accepts by accident, and the sentence about all that it accepts.
fn taken(text: &str, high: usize) -> (String, String) {
    let (model, _) = testing::model(text);
    let sweep = match sweep(&model, &[], "n", 1, high) {
        Ok(sweep) => sweep,
        Err(error) => return (String::new(), error.to_string()),
    };
    let accidents: Vec<usize> = sweep.accidents.iter().map(|(size, _)| *size).collect();
    (list(&accidents), sweep.to_string())
}

/// Models, the sizes of `n` with which ONNX Runtime 1.31.1 runs them, and of those the ones by accident, which repeat an extent
/// of 1.
const SIZES: &[(&str, &str, &str)] = &[
    ("x(1,2,n,8); p=MaxPool(x) kernel_shape=2,1 strides=2,1; [double]; y=Add(x,u)", "multiples of 2 from 1 to 40", "1"),
    ("x(n,4); c=const(7,4); y=Add(x,c)", "only 7 from 1 to 20", "1"),
    ("x(n,4); c=const(1,4); y=Add(x,c)", "all from 1 to 20", ""),
    ("x(n,4); c=const(4); y=Add(x,c)", "all from 1 to 20", ""),
    ("x(3,n); c=const(4); y=Add(x,c)", "only 4 from 1 to 20", "1"),
    ("x(3,n); c=const(3,1); y=Add(x,c)", "all from 1 to 20", ""),
    ("x(n,n); y=Relu(x)", "all from 1 to 20", ""),
    ("x(n,4); z(n,4); y=Add(x,z)", "all from 1 to 20", ""),
    ("x(n,4); z(4,n); y=Add(x,z)", "only 4 from 1 to 20", "1"),
    ("x(n,4); z(m,4); y=Add(x,z)", "2 to 20, of 1 to 20", "1"),
    ("x(n,4); t=Transpose(x) perm=1,0; y=Add(x,t)", "only 4 from 1 to 20", "1"),
    ("x(2,n); s=const:i64(2)=-1,6; y=Reshape(x,s)", "multiples of 3 from 1 to 30", ""),
    ("x(2,n); s=const:i64(2)=4,-1; y=Reshape(x,s)", "multiples of 2 from 1 to 20", ""),
    ("x(2,n); s=const:i64(3)=0,-1,4; y=Reshape(x,s)", "multiples of 4 from 1 to 20", ""),
    ("x(2,n); s=const:i64(1)=8; y=Reshape(x,s)", "only 4 from 1 to 20", ""),
    ("x(1,1,n); w=const(1,1,3); k=Conv(x,w); c=const(4); y=Add(k,c)", "only 6 from 1 to 20", "3"),
    ("x(1,1,n); w=const(1,1,3); k=Conv(x,w) pads=1,1; y=Add(k,x)", "all from 1 to 20", ""),
    ("x(1,1,n); w=const(1,1,3); k=Conv(x,w); y=Add(k,x)", "only 3 from 1 to 20", ""),
    (
        "x(1,1,n); w=const(1,1,3); k=Conv(x,w) strides=2, pads=1,1; c=const(3); y=Add(k,c)",
        "only 5, 6 from 1 to 20",
        "1, 2",
    ),
    ("x(1,1,n); w=const(1,1,2); k=Conv(x,w) strides=2,; c=const(5); y=Add(k,c)", "only 10, 11 from 1 to 20", "2, 3"),
    ("x(n,4); z(3,4); k=Concat(x,z) axis=0; c=const(8,4); y=Add(k,c)", "only 5 from 1 to 20", ""),
    ("x(n,4); k=Concat(x,x) axis=0; c=const(8,4); y=Add(k,c)", "only 4 from 1 to 20", ""),
    ("x(n,4); w=const(4,5); m=MatMul(x,w); c=const(6,5); y=Add(m,c)", "only 6 from 1 to 20", "1"),
    ("x(3,n); w=const(4,5); y=MatMul(x,w)", "only 4 from 1 to 20", ""),
    ("x(2,n); s=const:i64(2)=-1,3; r=Reshape(x,s); c=const(4,3); y=Add(r,c)", "only 6 from 1 to 30", ""),
    ("x(2,n,3); s=const:i64(2)=-1,4; r=Reshape(x,s); c=const(4); y=Mul(r,c)", "multiples of 2 from 1 to 30", ""),
    ("x(1,2,n); t=Transpose(x) perm=0,2,1; c=const(5,2); y=Mul(t,c)", "only 5 from 1 to 20", "1"),
    ("x(n); c=const(1); y=Add(x,c)", "all from 1 to 20", ""),
    ("x(n); c=const(3); y=Add(x,c)", "only 3 from 1 to 20", "1"),
    ("x(n); c=const(3,1); y=Add(x,c)", "all from 1 to 20", ""),
    ("x(n,3); c=const(3,3); k=Mul(x,c); d=const(3,1); y=Add(k,d)", "only 3 from 1 to 20", "1"),
    (
        "x(1,2,n,6); p=MaxPool(x) kernel_shape=3,3 strides=2,2 pads=1,1,1,1; c=const(2,4,3); y=Add(p,c)",
        "only 7, 8 from 1 to 20",
        "1, 2",
    ),
];

#[test]
fn sizes_that_run() {
    let double = "sc=const(4)=1,1,2,1; r=const(0)=; u=Resize(p,r,sc) mode=nearest";
    for (text, want, accidents) in SIZES {
        let high: String = want.split_once(" to ").expect(text).1.chars().take_while(char::is_ascii_digit).collect();
        let (by_accident, said) = taken(&text.replace("[double]", double), high.parse().expect(text));
        assert_eq!(by_accident, *accidents, "{text}");
        assert_eq!(said.split(';').next(), Some(*want), "{text}");
    }
}
