use super::*;
use crate::{fix::sample::Sample, graph::Attribute};

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
    assert!(text.starts_with("only 7 from 1 to 30; 1 only by accident: axis 1 of operand 0 of add_0 is 1"), "{text}");
    assert!(text.contains("; 2 is refused: "), "{text}");
    assert_eq!(swept(&mut sample, "n", 30), "all from 1 to 30");
    assert!(swept(&mut sample, "width", 30).contains("no input has a dim width; the inputs are x (n, s, 4)"));
}
