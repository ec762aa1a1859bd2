use alloc::{format, string::ToString, vec, vec::Vec};

use super::*;

#[test]
fn sentences() {
    // from, shapes, to, sentence
    let cases: &[(&str, &[&str], &str, &str)] = &[
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "numpy", "reshape b (3, 4) to (3, 4, 1)"),
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "unidirectional", "reshape b (3, 4) to (3, 4, 1)"),
        ("pdpd", &["2,3", "3"], "numpy", "nothing to change"),
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "paddle", "nothing to change, under paddle axis=1"),
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "pdpd", "nothing to change, under pdpd axis=1"),
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "onnx-legacy", "nothing to change, under onnx-legacy axis=1"),
        ("pdpd axis=1", &["2,3,4,5", "3,1"], "onnx-legacy", "reshape b (3, 1) to (3,), under onnx-legacy axis=1"),
        ("pdpd axis=1", &["2,3,4,5", "3,4"], "ncnn", "reshape b (3, 4) to (1, 3, 4, 1)"),
        ("pdpd axis=0", &["2,3,4", "2,1,4"], "onnx-legacy", "expand b (2, 1, 4) to (2, 3, 4)"),
        ("numpy", &["2,1,5", "1,4,5"], "pdpd", "expand a (2, 1, 5) to (2, 4, 5)"),
        ("numpy", &["3", "2,1"], "pdpd", "expand a (3,) to (2, 3)"),
        ("numpy", &["3,1", "2,3,3"], "pdpd", "swap the operands"),
        ("numpy", &["3", "1,3"], "pdpd", "reshape a (3,) to (1, 3)"),
        ("numpy", &["2,3", "3"], "none", "expand b (3,) to (2, 3)"),
        ("numpy", &["2,1", "3"], "none", "expand a (2, 1) to (2, 3), expand b (3,) to (2, 3)"),
        ("numpy", &["2,3", "1,2,3"], "none", "reshape a (2, 3) to (1, 2, 3)"),
        ("numpy", &["2", "2,2"], "ncnn", "reshape a (2,) to (1, 2)"),
        ("numpy", &["()", "()"], "ncnn", "reshape a () to (1,), reshape b () to (1,), reshape the result to ()"),
        (
            "numpy",
            &["2,3,4,5,6", "5,6"],
            "ncnn",
            "reshape a (2, 3, 4, 5, 6) to (24, 30), reshape b (5, 6) to (1, 30), reshape the result to (2, 3, 4, 5, 6)",
        ),
        ("ncnn", &["4,3,2", "4,3"], "numpy", "reshape b (4, 3) to (4, 3, 1)"),
        ("ncnn", &["4,3,2", "4"], "pdpd", "nothing to change, under pdpd axis=0"),
        ("explicit axes=1,2 target=1,50,50,16", &["50,50"], "broadcast-to", "reshape a (50, 50) to (50, 50, 1)"),
        ("broadcast-to target=2,3", &["3"], "explicit", "nothing to change, under explicit axes=1 target=2,3"),
        ("broadcast-to target=2,3", &["3"], "numpy", "expand a (3,) to (2, 3)"),
        ("bidirectional target=1,3", &["2,1"], "broadcast-to", "nothing to change"),
        ("numpy", &["4", "3,1", "2,1,1"], "unidirectional", "expand a (4,) to (2, 3, 4)"),
        ("openvino-prelu", &["2,4,4", "4"], "unidirectional", "reshape b (4,) to (4, 1)"),
        ("unidirectional", &["2,4,4", "4"], "openvino-prelu", "reshape b (4,) to (1, 1, 4)"),
    ];
    let mut wrong = Vec::new();
    for (from, shapes, to, want) in cases {
        let shapes: Vec<Shape> = shapes.iter().map(|text| text.parse().unwrap()).collect();
        let shapes: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
        match rewrite(&from.parse().unwrap(), &shapes, to) {
            Ok(got) if got.to_string() == *want => {}
            Ok(got) => wrong.push(format!("{from} {shapes:?} to {to}: {got}")),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Lists, in row-major order of the result, the element of each operand that is read there.
fn reads(alignment: &Alignment) -> Vec<Vec<usize>> {
    let shape = alignment.shape();
    let total: usize = shape.iter().product();
    let operand = |k: usize| {
        let strides = alignment.strides(k);
        let element = |mut at: usize| {
            let mut offset = 0;
            for axis in (0..shape.len()).rev() {
                offset += at % shape[axis] * strides[axis] as usize;
                at /= shape[axis];
            }
            offset
        };
        (0..total).map(element).collect()
    };
    (0..alignment.operands().len()).map(operand).collect()
}

/// Carries a rewrite out on the operands' element numbers, and says whether the same elements meet.
fn holds(from: &Rule, shapes: &[&[usize]], rewrite: &Rewrite) -> bool {
    let meant = from.align(shapes).unwrap();
    let data = shapes.iter().enumerate().map(|(k, shape)| {
        let reshaped = rewrite.reshape(k).map_or(*shape, |to| to.dims());
        assert_eq!(reshaped.iter().product::<usize>(), shape.iter().product::<usize>(), "a reshape keeps the elements");
        match rewrite.expand(k) {
            Some(to) => reads(&Rule::broadcast_to(to.clone()).align(&[reshaped]).unwrap()).remove(0),
            None => (0..reshaped.iter().product()).collect(),
        }
    });
    let data: Vec<Vec<usize>> = data.collect();
    let given = rewrite.shapes();
    let aligned = rewrite.rule().align(&given.iter().map(Shape::dims).collect::<Vec<_>>()).unwrap();
    let mut read = reads(&aligned);
    if rewrite.swap() {
        read.reverse();
    }
    for (read, data) in read.iter_mut().zip(&data) {
        for at in read.iter_mut() {
            *at = data[*at];
        }
    }
    rewrite.result().unwrap_or(aligned.shape()) == meant.shape() && read == reads(&meant)
}

/// All shapes of these extents, of these ranks.
fn shapes(extents: core::ops::RangeInclusive<usize>, ranks: core::ops::RangeInclusive<usize>) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![vec![]];
    let mut first = 0;
    for _ in 0..*ranks.end() {
        let next: Vec<Vec<usize>> = all[first..]
            .iter()
            .flat_map(|shape| extents.clone().map(move |extent| [shape.as_slice(), &[extent]].concat()))
            .collect();
        first = all.len();
        all.extend(next);
    }
    all.retain(|shape| ranks.contains(&shape.len()));
    all
}

/// How many rewrites there are of each effort, and how many broadcasts cannot be said.
#[derive(Debug, Default, PartialEq)]
struct Count {
    nothing: usize,
    reshape: usize,
    swap: usize,
    expand: usize,
    refused: usize,
}

/// Rewrites every pair of shapes that broadcasts under `from`, and checks each rewrite.
fn count(from: &[Rule], shapes: &[Vec<usize>], to: &str) -> Count {
    let mut count = Count::default();
    for rule in from {
        for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
            let pair: [&[usize]; 2] = [a, b];
            if rule.align(&pair).is_err() {
                continue;
            }
            match rewrite(rule, &pair, to) {
                Ok(got) => {
                    assert!(holds(rule, &pair, &got), "{rule} {a:?} with {b:?} to {to}: {got}");
                    *match got.effort() {
                        Effort::Nothing => &mut count.nothing,
                        Effort::Reshape => &mut count.reshape,
                        Effort::Swap => &mut count.swap,
                        Effort::Expand => &mut count.expand,
                    } += 1;
                }
                Err(_) => count.refused += 1,
            }
        }
    }
    count
}

#[test]
fn every_pair() {
    let (small, positive) = (shapes(0..=3, 0..=3), shapes(1..=3, 1..=4));
    let (pdpd, numpy) = ([-1, 0, 1, 2, 3].map(Rule::pdpd), [Rule::numpy()]);
    let ncnn = [Rule::ncnn()];
    // Of NumPy's 2479 pairs 820 have the first operand's shape, and 735 only the second's; the rest stretch both, and go
    // with a reshape where only the ranks differ.
    let efforts = |nothing, reshape, swap, expand, refused| Count { nothing, reshape, swap, expand, refused };
    type Case<'a> = (&'a [Rule], &'a [Vec<usize>], &'a str, Count);
    let cases: &[Case<'_>] = &[
        (&pdpd, &small, "numpy", efforts(2102, 214, 0, 0, 0)),
        (&pdpd, &small, "unidirectional", efforts(2102, 214, 0, 0, 0)),
        (&numpy, &small, "unidirectional", efforts(820, 66, 747, 846, 0)),
        (&numpy, &small, "pdpd", efforts(820, 66, 747, 846, 0)),
        (&numpy, &small, "none", efforts(85, 54, 0, 2340, 0)),
        (&numpy, &small, "paddle", efforts(2479, 0, 0, 0, 0)),
        (&numpy, &small, "onnx-legacy", efforts(515, 344, 720, 900, 0)),
        (&numpy, &small, "ncnn", efforts(589, 351, 0, 0, 1539)),
        (&ncnn, &positive, "numpy", efforts(3620, 3012, 0, 0, 0)),
        (&numpy, &positive, "ncnn", efforts(3620, 2960, 0, 0, 0)),
        (&ncnn, &positive, "pdpd", efforts(1702, 196, 1658, 3076, 0)),
    ];
    for (from, shapes, to, want) in cases {
        let got = count(from, shapes, to);
        assert_eq!(got, *want, "{} to {to}", from[0].name());
    }
}

#[test]
fn every_choice_of_axes() {
    let mut wrong = Vec::new();
    for target in shapes(1..=3, 0..=3) {
        for chosen in 0..1usize << target.len() {
            let axes: Vec<i64> =
                (0..target.len()).filter(|axis| chosen >> axis & 1 == 1).map(|axis| axis as i64).collect();
            for ones in 0..1usize << axes.len() {
                let extent = |(i, &axis): (usize, &i64)| if ones >> i & 1 == 1 { 1 } else { target[axis as usize] };
                let data: Vec<usize> = axes.iter().enumerate().map(extent).collect();
                let from = Rule::explicit(axes.clone(), target.clone());
                for to in ["broadcast-to", "bidirectional", "explicit"] {
                    match rewrite(&from, &[&data], to) {
                        Ok(got) if got.effort() <= Effort::Reshape && holds(&from, &[&data], &got) => {}
                        other => wrong.push(format!("{from} {data:?} to {to}: {other:?}")),
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn refused() {
    // from, shapes, to, kind, what the sentence says
    type Case<'a> = (&'a str, &'a [&'a [usize]], &'a str, ErrorKind, &'a str);
    let cases: &[Case<'_>] = &[
        ("numpy", &[&[2, 0], &[1]], "ncnn", ErrorKind::Empty, "ncnn has no result for empty operands"),
        ("numpy", &[&[2, 1, 2, 1, 2], &[1, 2, 1, 2, 1]], "ncnn", ErrorKind::Rank, "rank 5"),
        ("numpy", &[&[2], &[3]], "pdpd", ErrorKind::Mismatch, "axis 0 is 2 in a and 3 in b"),
        ("numpy", &[&[2], &[2], &[2]], "pdpd", ErrorKind::Operands, "takes another number"),
        ("numpy", &[&[2], &[2]], "nonsense", ErrorKind::Parameter, "there is no rule 'nonsense'"),
    ];
    for (from, shapes, to, kind, says) in cases {
        let error = rewrite(&from.parse().unwrap(), shapes, to).unwrap_err();
        assert!(error.kind() == *kind && error.to_string().contains(says), "{:?}: {error}", error.kind());
    }
}
