//! Aligns the same shapes under two rules and shows the first element on which they differ.
#![allow(clippy::print_stdout, reason = "the comparison is what the program is for")]

use broadaxe_shape::{Error, Rule, compare};

fn main() -> Result<(), Error> {
    for line in report(&[2], &[2, 2])? {
        println!("{line}");
    }
    Ok(())
}

/// Aligns a with b as NumPy and as ncnn do, and returns one line per finding.
fn report(a: &[usize], b: &[usize]) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    for rule in [Rule::numpy(), Rule::ncnn()] {
        let alignment = rule.align(&[a, b])?;
        lines.push(format!("{rule}: {}, a has strides {:?}", alignment.shape(), alignment.strides(0)));
    }
    // `compare` asks every rule that accepts two operands; this picks the difference between these two.
    let comparison = compare(&[a, b]);
    let name = |outcome: usize| comparison.outcomes()[outcome].rule().name();
    for found in comparison.differences() {
        if (name(found.left()), name(found.right())) != ("numpy", "ncnn") {
            continue;
        }
        if let (Some(element), Some(left), Some(right)) = (found.element(), found.left_reads(), found.right_reads()) {
            let (left, right) = (left[0].index(), right[0].index());
            lines.push(format!("element {element:?} reads a at {left:?} under numpy and at {right:?} under ncnn"));
        }
    }
    Ok(lines)
}

#[test]
fn differs() {
    let want = [
        "numpy: (2, 2), a has strides [0, 1]",
        "ncnn: (2, 2), a has strides [1, 0]",
        "element [0, 1] reads a at [1] under numpy and at [0] under ncnn",
    ];
    assert_eq!(report(&[2], &[2, 2]).unwrap(), want);
}

#[test]
fn agrees() {
    assert_eq!(report(&[2, 2], &[2, 2]).unwrap().len(), 2);
}
