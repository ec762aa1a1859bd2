use alloc::{format, string::ToString, vec::Vec};

use super::*;

fn read(text: &str) -> SymbolicShape {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn rules() -> Vec<Rule> {
    let mut rules = Vec::from([
        Rule::none(),
        Rule::numpy(),
        Rule::unidirectional(),
        Rule::onnx_legacy(None),
        Rule::onnx_legacy(Some(0)),
        Rule::ncnn(),
        Rule::openvino_prelu(),
        Rule::gemm_c(),
    ]);
    rules.extend([-1, 0, 1, 5].map(Rule::pdpd));
    rules.extend([-1, 0, 1, 2].map(Rule::paddle));
    rules
}

#[test]
fn results_and_guards() {
    // rule, operands, result, guard
    let cases: &[(&str, &[&str], &str, &str)] = &[
        ("numpy", &["n,4", "3,4"], "(3, 4)", "n == 3 or n == 1"),
        ("numpy", &["n", "m"], "(broadcast(n, m),)", "n == m or n == 1 or m == 1"),
        ("numpy", &["n", "n"], "(n,)", "True"),
        ("numpy", &["n,k", "m,4"], "(broadcast(n, m), 4)", "(n == m or n == 1 or m == 1) and (k == 4 or k == 1)"),
        ("numpy", &["n:2..9", "m"], "(n:2..9,)", "n == m or m == 1"),
        ("numpy", &["n:2..9", "m:2..5"], "(n:2..5,)", "n == m"),
        ("numpy", &["n", "m", "3"], "(3,)", "(n == 3 or n == 1) and (m == 3 or m == 1)"),
        ("numpy", &["broadcast(n, m)", "n"], "(broadcast(n, m),)", "n == m or n == 1 or m == 1"),
        ("numpy", &["n,n", "2,3"], "(2, 3)", "n == 1"),
        ("numpy", &["n,n", "n,3"], "(n:1..3, 3)", "n == 3 or n == 1"),
        ("numpy", &["n,4", "4"], "(n, 4)", "True"),
        ("numpy", &["?,4", "3,?"], "(3, 4)", "(a[0] == 3 or a[0] == 1) and (b[1] == 4 or b[1] == 1)"),
        ("numpy", &["n", "?"], "(?,)", "n == b[0] or n == 1 or b[0] == 1"),
        ("numpy", &["n", "0"], "(0,)", "n == 0 or n == 1"),
        ("none", &["n,?", "m,5"], "(n, 5)", "n == m and a[1] == 5"),
        ("none", &["...", "2,n"], "(2, n)", "True"),
        ("numpy", &["...", "2,3"], "(...)", "True"),
        ("pdpd", &["n,4", "..."], "(n, 4)", "True"),
        ("pdpd", &["...", "2"], "(...)", "True"),
        ("pdpd axis=0", &["n,4", "m"], "(n, 4)", "n == m or m == 1"),
        ("pdpd axis=0", &["n,4", "3"], "(3, 4)", "n == 3"),
        ("pdpd", &["1", "?"], "(1,)", "b[0] == 1"),
        ("pdpd", &["n", "2..9"], "(n:2..9,)", "n == b[0]"),
        ("paddle axis=0", &["n,4", "m"], "(broadcast(n, m), 4)", "n == m or n == 1 or m == 1"),
        ("paddle", &["n,4", "m,4"], "(broadcast(n, m), 4)", "n == m or n == 1 or m == 1"),
        ("paddle axis=1", &["n,4", "m,4"], "(n, 4)", "n == m"),
        ("broadcast-to target=3,4", &["n,4"], "(3, 4)", "n == 3 or n == 1"),
        ("explicit axes=1 target=2,3,4", &["n"], "(2, 3, 4)", "n == 3 or n == 1"),
        ("explicit axes=0 target=2,3", &["..."], "(2, 3)", "True"),
        ("bidirectional target=2,3", &["..."], "(...)", "True"),
        ("bidirectional target=1", &["2..5"], "(2..5,)", "True"),
        ("openvino-prelu", &["n,c,h,w", "k"], "(n, c, h, w)", "c == k or w == k or k == 1"),
        (
            "ncnn",
            &["c,h,w", "k"],
            "(c:1.., h:1.., 1..)",
            "c != 0 and h != 0 and w != 0 and k != 0 and (c == k or w == k or w == 1 or k == 1)",
        ),
        ("onnx-legacy", &["n,c", "c"], "(n, c)", "True"),
        // Operands without elements fit ggml's rule, whatever their other dims are.
        ("ggml", &["n,2", "n,3"], "(0, 2)", "n == 0"),
        ("ggml", &["n,2", "1"], "(n, 2)", "True"),
    ];
    let mut wrong = Vec::new();
    for (rule, shapes, shape, guard) in cases {
        let shapes: Vec<_> = shapes.iter().map(|text| read(text)).collect();
        match rule.parse::<Rule>().unwrap().infer(&shapes) {
            Ok(got) if format!("{}", got.shape) == *shape && format!("{}", got.guard) == *guard => {}
            Ok(got) => wrong.push(format!("{rule} {shapes:?}: {} under {}", got.shape, got.guard)),
            Err(error) => wrong.push(format!("{error}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn refused() {
    // rule, operands, what the sentence says
    let cases: &[(&str, &[&str], &str)] = &[
        (
            "numpy",
            &["n,4", "3,5"],
            "broadcast of a (n, 4) with b (3, 5) under numpy: axis 1 is 4 in a and 5 in b; they must be equal or 1",
        ),
        (
            "numpy",
            &["2..5", "7"],
            "broadcast of a (2..5,) with b (7,) under numpy: axis 0 is 2..5 in a and 7 in b; they must be equal or 1",
        ),
        ("numpy", &["n:2..9,n", "2,3"], "the other axes leave no size for them"),
        ("numpy", &["n:2..3", "n:5..6"], "n is 5..6 on axis 0 of b and 2..3 before; one name is one size"),
        ("pdpd", &["1,n", "2,n"], "axis 0 is 1 in a and 2 in b; a may not stretch, so b must be 1 there"),
        ("pdpd", &["n", "m,k"], "the rank of b must not be above that of a"),
        ("pdpd", &["2", "3.."], "b must be 2 or 1 there"),
        ("none", &["...", "2", "3"], "broadcast of a (?,) with b (2,) with c (3,) under none: axis 0 is"),
        ("ncnn", &["0,n", "n"], "axis 0 of a is 0"),
        ("numpy", &["n,2147483647,2147483647,2147483647", "1"], "more elements than an address can count"),
        ("pdpd", &["n"], "needs 2 operands, not 1"),
    ];
    let mut wrong = Vec::new();
    for (rule, shapes, says) in cases {
        let shapes: Vec<_> = shapes.iter().map(|text| read(text)).collect();
        match rule.parse::<Rule>().unwrap().infer(&shapes) {
            Ok(got) => wrong.push(format!("{rule} {}: {}", shapes[0], got.shape)),
            Err(error) if error.to_string().contains(says) => {}
            Err(error) => wrong.push(error.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The least and the greatest extent seen on each axis; nothing when ranks differ.
type Seen = Option<Vec<(usize, usize)>>;

/// The sizes tried for every name and every dim without one. All numbers in the dims below are smaller than the last.
const TRIED: usize = 6;
/// As [`TRIED`], for the longer intervals of the dims of one axis.
const TRIED_LONG: usize = 12;

/// Compares what is inferred for two shapes with every pair of shapes that they can stand for.
fn check(rule: &Rule, shapes: &[SymbolicShape; 2], tried: usize) -> Result<(), String> {
    let inferred = rule.infer(shapes);
    let mut names: Vec<(String, usize, usize)> = Vec::new();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for (k, shape) in shapes.iter().enumerate() {
        let mut own = Vec::new();
        for (axis, dim) in shape.dims().unwrap_or_default().iter().enumerate() {
            let name = dim.name().map_or_else(|| format!("{}[{axis}]", letter(k)), Into::into);
            own.push(names.iter().position(|known| known.0 == name).unwrap_or(names.len()));
            if own.last() == Some(&names.len()) {
                names.push((name, dim.low(), dim.high().unwrap_or(tried)));
            }
        }
        parts.push(own);
    }
    let mut seen: Option<Seen> = None;
    let mut sizes: Vec<usize> = names.iter().map(|name| name.1).collect();
    loop {
        let given: Vec<Vec<usize>> = parts.iter().map(|own| own.iter().map(|&at| sizes[at]).collect()).collect();
        let aligned = rule.align(&[&given[0], &given[1]]);
        if let Ok(inferred) = &inferred {
            let bound: Vec<(&str, usize)> = names.iter().map(|n| n.0.as_str()).zip(sizes.iter().copied()).collect();
            if inferred.guard.holds(&bound) != Some(aligned.is_ok()) {
                return Err(format!("guard {} is wrong for {bound:?}: {aligned:?}", inferred.guard));
            }
            if let (Ok(aligned), Some(dims)) = (&aligned, inferred.shape.dims()) {
                let called = |dim: &Dim, extent: usize| {
                    let values =
                        dim.names().into_iter().map(|name| bound.iter().find(|known| known.0 == name).unwrap().1);
                    dim.names().is_empty()
                        || values.fold(1, |merged, size| if size == 1 { merged } else { size }) == extent
                };
                if let Some(at) = (0..dims.len()).find(|&at| !called(&dims[at], aligned.shape()[at])) {
                    return Err(format!("{} is not {} for {bound:?}", dims[at], aligned.shape()[at]));
                }
            }
        }
        if let Ok(aligned) = aligned {
            let new = aligned.shape().iter().copied();
            seen = Some(match seen {
                None => Some(new.map(|extent| (extent, extent)).collect()),
                Some(Some(seen)) if seen.len() == aligned.shape().len() => Some(
                    seen.iter().zip(new).map(|(&(low, high), extent)| (low.min(extent), high.max(extent))).collect(),
                ),
                Some(_) => None,
            });
        }
        let Some(at) = (0..sizes.len()).find(|&at| sizes[at] < names[at].2) else { break };
        sizes[at] += 1;
        (0..at).for_each(|at| sizes[at] = names[at].1);
    }
    match (inferred, seen) {
        (Err(error), None) if error.kind() != ErrorKind::Undecided => Ok(()),
        (Err(error), _) => Err(format!("refused, though possible: {error}")),
        (Ok(inferred), None) => Err(format!("not refused, though impossible: {}", inferred.shape)),
        (Ok(inferred), Some(seen)) => {
            let ends = |dim: &Dim| (dim.low(), dim.high().unwrap_or(tried));
            let got: Seen = inferred.shape.dims().map(|dims| dims.iter().map(ends).collect());
            if got == seen { Ok(()) } else { Err(format!("the hull of {} is {seen:?}", inferred.shape)) }
        }
    }
}

/// All symbolic shapes of these dims up to a rank.
fn all_shapes(dims: &[&str], rank: usize) -> Vec<SymbolicShape> {
    let mut shapes = Vec::from([SymbolicShape::new(Vec::new())]);
    let mut first = 0;
    for _ in 0..rank {
        let next: Vec<SymbolicShape> = shapes[first..]
            .iter()
            .flat_map(|shape| {
                let longer = |dim: &&str| {
                    let own = shape.dims().unwrap_or_default().iter().cloned();
                    SymbolicShape::new(own.chain([dim.parse().unwrap()]).collect::<Vec<_>>())
                };
                dims.iter().map(longer).collect::<Vec<_>>()
            })
            .collect();
        first = shapes.len();
        shapes.extend(next);
    }
    shapes
}

#[test]
fn guards_are_exact_and_hulls_tight() {
    let dims = ["0", "1", "2", "3", "n", "m", "?", "0..2", "2..4"];
    let (shapes, small) = (all_shapes(&dims, 2), all_shapes(&dims, 1));
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (r, rule) in rules().iter().enumerate() {
        let mut pairs: Vec<_> = small.iter().flat_map(|a| small.iter().map(move |b| (a, b))).collect();
        let all = shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b)));
        pairs.extend(all.skip(r).step_by(17));
        for (a, b) in pairs {
            checked += 1;
            if let Err(text) = check(rule, &[a.clone(), b.clone()], TRIED) {
                wrong.push(format!("{rule}: {a} with {b}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

#[test]
fn intervals_as_openvino_merges_them() {
    let dims = ["0", "1", "2", "3", "0..1", "0..2", "0..5", "1..2", "1..5", "1..", "2..5", "2..", "3..7", "4..9", "?"];
    let shapes = &all_shapes(&dims, 1)[1..];
    let mut wrong = Vec::new();
    for rule in rules() {
        for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
            if let Err(text) = check(&rule, &[a.clone(), b.clone()], TRIED_LONG) {
                wrong.push(format!("{rule}: {a} with {b}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

#[test]
fn much_is_done_in_time() {
    let wide = SymbolicShape::new(vec![Dim::unknown(); MAX_RANK]);
    for count in [2, 40, 300] {
        let inferred = Rule::numpy().infer(&vec![wide.clone(); count]).unwrap();
        assert_eq!(inferred.guard.is_exact(), count < 40, "{count} operands");
        assert_eq!(inferred.shape, wide, "{count} operands");
    }
    let unranked = SymbolicShape::unknown_rank();
    for rule in rules() {
        for pair in [[wide.clone(), wide.clone()], [unranked.clone(), unranked.clone()]] {
            let kind = rule.infer(&pair).err().map(|error| error.kind());
            assert_ne!(kind, Some(ErrorKind::Mismatch), "{rule} with {} and {}", pair[0], pair[1]);
        }
    }
}
