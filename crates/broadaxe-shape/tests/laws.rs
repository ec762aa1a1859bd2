//! Holds the rules to their relations with one another, over all small shapes.
//!
//! Each law says one rule in terms of another, so that an error in either breaks it.

use broadaxe_shape::{Alignment, Rule};

/// The 85 shapes of up to three axes with extents 0 to 3.
fn shapes() -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    let mut last = all.clone();
    for _ in 0..3 {
        last = last.iter().flat_map(|dims: &Vec<usize>| (0..4).map(|dim| [&dims[..], &[dim]].concat())).collect();
        all.extend_from_slice(&last);
    }
    all
}

/// The shape of a result and the strides of the operands over it; nothing where the rule rejects them.
type Meaning = Option<(Vec<usize>, Vec<Vec<isize>>)>;

fn meaning(rule: &Rule, operands: &[&[usize]]) -> Meaning {
    let strides = |alignment: &Alignment| (0..operands.len()).map(|k| alignment.strides(k)).collect();
    rule.align(operands).ok().map(|alignment| (alignment.shape().to_vec(), strides(&alignment)))
}

/// Checks a law for all pairs of shapes: both sides mean the same; `law` returns nothing where it does not apply.
fn holds(name: &str, law: impl Fn(&[usize], &[usize]) -> Option<(Meaning, Meaning)>) {
    let (all, mut wrong) = (shapes(), Vec::new());
    let (mut applied, mut accepted) = (0, 0);
    for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        let Some((left, right)) = law(a, b) else { continue };
        applied += 1;
        accepted += usize::from(left.is_some());
        if left != right {
            wrong.push(format!("{a:?} {b:?}: {left:?} and {right:?}"));
        }
    }
    assert!(wrong.is_empty(), "{name}: {} of {applied}: {:#?}", wrong.len(), &wrong[..wrong.len().min(5)]);
    assert!(accepted > 0 && accepted < applied, "{name}: {accepted} of {applied} accepted");
}

fn swapped(meaning: Meaning) -> Meaning {
    meaning.map(|(shape, strides)| (shape, strides.into_iter().rev().collect()))
}

/// The meaning with a target, whose strides the rule leaves out.
fn first_of(meaning: Meaning) -> Meaning {
    meaning.map(|(shape, strides)| (shape, strides[..1].to_vec()))
}

#[test]
fn numpy_is_symmetric_and_pads_on_the_left() {
    let numpy = Rule::numpy();
    holds("symmetric", |a, b| Some((meaning(&numpy, &[a, b]), swapped(meaning(&numpy, &[b, a])))));
    holds("padded", |a, b| {
        let padded = [vec![1; a.len().saturating_sub(b.len())], b.to_vec()].concat();
        Some((meaning(&numpy, &[a, b]), meaning(&numpy, &[a, &padded])))
    });
}

#[test]
fn numpy_is_associative() {
    let (numpy, all) = (Rule::numpy(), shapes());
    let shape = |operands: &[&[usize]]| numpy.align(operands).ok().map(|alignment| alignment.shape().to_vec());
    let small: Vec<&Vec<usize>> = all.iter().filter(|dims| dims.len() < 3).collect();
    for (a, b) in small.iter().flat_map(|a| small.iter().map(move |b| (a, b))) {
        for c in &small {
            let (left, right) = (shape(&[a, b]), shape(&[b, c]));
            let left = left.and_then(|both| shape(&[&both, c]));
            let right = right.and_then(|both| shape(&[a, &both]));
            assert_eq!((&left, &left), (&right, &shape(&[a, b, c])), "{a:?} {b:?} {c:?}");
        }
    }
}

#[test]
fn rules_that_stretch_less_mean_what_numpy_means() {
    let numpy = Rule::numpy();
    holds("unidirectional", |a, b| {
        let all = meaning(&numpy, &[a, b]).filter(|(shape, _)| shape == a);
        Some((meaning(&Rule::unidirectional(), &[a, b]), all))
    });
    holds("none", |a, b| Some((meaning(&Rule::none(), &[a, b]), meaning(&numpy, &[a, b]).filter(|_| a == b))));
    holds("paddle", |a, b| Some((meaning(&Rule::paddle(-1), &[a, b]), meaning(&numpy, &[a, b]))));
    holds("pdpd", |a, b| Some((meaning(&Rule::pdpd(-1), &[a, b]), meaning(&Rule::unidirectional(), &[a, b]))));
    holds("gemm-c", |a, b| {
        (a.len() == 2).then(|| (meaning(&Rule::gemm_c(), &[a, b]), meaning(&Rule::unidirectional(), &[a, b])))
    });
    holds("openvino-prelu of rank 2 or more", |a, b| {
        let rule = Rule::openvino_prelu();
        (b.len() > 1).then(|| (meaning(&rule, &[a, b]), meaning(&Rule::unidirectional(), &[a, b])))
    });
}

#[test]
fn targets_are_operands() {
    holds("broadcast-to", |a, target| {
        let both = meaning(&Rule::unidirectional(), &[target, a]);
        Some((meaning(&Rule::broadcast_to(target), &[a]), first_of(swapped(both))))
    });
    holds("bidirectional", |a, target| {
        Some((meaning(&Rule::bidirectional(target), &[a]), first_of(meaning(&Rule::numpy(), &[a, target]))))
    });
    holds("explicit to the right", |a, target| {
        let start = target.len().checked_sub(a.len())?;
        let axes: Vec<i64> = (start..target.len()).map(|axis| axis as i64).collect();
        Some((meaning(&Rule::explicit(axes, target), &[a]), meaning(&Rule::broadcast_to(target), &[a])))
    });
}

#[test]
fn an_axis_is_padding_on_the_right() {
    for axis in 0..4 {
        // The second operand with axes of 1 after it, so that it starts at `axis` when aligned to the right.
        let padded = |a: &[usize], b: &[usize]| {
            let behind = a.len().checked_sub(axis + b.len())?;
            Some([b, &vec![1; behind][..]].concat())
        };
        let rule = Rule::pdpd(axis as i64);
        let name = rule.to_string();
        if axis < 3 {
            holds(&name, |a, b| {
                let padded = padded(a, b)?;
                Some((meaning(&rule, &[a, b]), meaning(&Rule::unidirectional(), &[a, &padded])))
            });
            let rule = Rule::paddle(axis as i64);
            holds(&rule.to_string(), |a, b| {
                let padded = padded(a, b).filter(|_| b.len() < a.len() && axis < a.len())?;
                Some((meaning(&rule, &[a, b]), meaning(&Rule::numpy(), &[a, &padded])))
            });
            let rule = Rule::onnx_legacy(Some(axis as i64));
            holds(&rule.to_string(), |a, b| {
                let padded = padded(a, b).filter(|_| b.iter().any(|&dim| dim != 1))?;
                let equal = a[axis..].starts_with(b);
                let want = meaning(&Rule::unidirectional(), &[a, &padded]).filter(|_| equal);
                Some((meaning(&rule, &[a, b]), want))
            });
        }
        let past = |a: &[usize], b: &[usize]| axis + b.len() > a.len() && meaning(&rule, &[a, b]).is_some();
        let all = shapes();
        let found = all.iter().flat_map(|a| all.iter().map(move |b| (a, b))).find(|(a, b)| past(a, b));
        assert_eq!(found, None, "{name} accepts an operand past the last axis");
    }
}

#[test]
fn ncnn_aligns_from_the_slowest_axis() {
    let (ncnn, numpy) = (Rule::ncnn(), Rule::numpy());
    holds("symmetric", |a, b| Some((meaning(&ncnn, &[a, b]), swapped(meaning(&ncnn, &[b, a])))));
    // Ranks above 1 align to the left, so padding on the right makes the ranks equal.
    holds("left", |a, b| {
        let fits = a.len() >= b.len() && b.len() > 1 && !a.contains(&0) && !b.contains(&0);
        let padded = [b, &vec![1; a.len().saturating_sub(b.len())][..]].concat();
        fits.then(|| (meaning(&ncnn, &[a, b]), meaning(&numpy, &[a, &padded])))
    });
    // Rank 1 goes to the slowest axis if the extents are equal, else to the fastest.
    holds("rank 1", |a, b| {
        let fits = a.len() > 1 && b.len() == 1 && !a.contains(&0) && !b.contains(&0);
        let padded = if fits && a[0] == b[0] { [b, &vec![1; a.len() - 1][..]].concat() } else { b.to_vec() };
        fits.then(|| (meaning(&ncnn, &[a, b]), meaning(&numpy, &[a, &padded])))
    });
}

#[test]
fn ggml_is_unidirectional_where_nothing_is_tiled() {
    let (ggml, one_way) = (Rule::ggml(), Rule::unidirectional());
    holds("one way", |a, b| {
        let tiles = |(x, y): (&usize, &usize)| x != y && *y > 1 && x % y == 0;
        let empty = a.contains(&0) && b.contains(&0);
        let applies = b.len() <= a.len() && !empty && !a.iter().rev().zip(b.iter().rev()).any(tiles);
        applies.then(|| (meaning(&ggml, &[a, b]), meaning(&one_way, &[a, b])))
    });
}
