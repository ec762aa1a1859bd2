//! Compares every rule with the oracle over all small shapes: acceptance, result, and the strides of every operand.
#![allow(clippy::print_stdout, reason = "the counts are the test's report")]

mod oracle;

use broadaxe_shape::Rule;
use oracle::{Answer, OPERANDS, RANK};

/// All shapes of up to `rank` axes with these extents.
fn shapes(rank: usize, extents: &[usize]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![vec![]];
    let mut last = all.clone();
    for _ in 0..rank {
        last = last.iter().flat_map(|dims| extents.iter().map(|&dim| [&dims[..], &[dim]].concat())).collect();
        all.extend_from_slice(&last);
    }
    all
}

/// The 341 shapes of rank 0 to 4 with extents 0 to 3.
fn pairs(mut ask: impl FnMut(&[usize], &[usize])) {
    let all = shapes(4, &[0, 1, 2, 3]);
    assert_eq!(all.len(), 341);
    for a in &all {
        for b in &all {
            ask(a, b);
        }
    }
}

const AXES: std::ops::RangeInclusive<i64> = -2..=5;

#[derive(Default)]
struct Tally {
    cases: usize,
    accepted: usize,
    mismatches: usize,
    /// The first few of them.
    examples: Vec<String>,
}

impl Tally {
    fn compare(&mut self, rule: &Rule, operands: &[&[usize]], want: Option<&Answer>) {
        let got = rule.align(operands).ok().map(|alignment| {
            let mut answer = Answer { rank: alignment.shape().len(), shape: [0; RANK], strides: [[0; RANK]; OPERANDS] };
            answer.shape[..answer.rank].copy_from_slice(alignment.shape());
            for k in 0..operands.len() {
                answer.strides[k][..answer.rank].copy_from_slice(&alignment.strides(k));
            }
            answer
        });
        self.cases += 1;
        self.accepted += usize::from(want.is_some());
        self.mismatches += usize::from(got.as_ref() != want);
        if got.as_ref() != want && self.examples.len() < 20 {
            self.examples.push(format!("{operands:?} under {rule}: {got:?}, the oracle says {want:?}"));
        }
    }

    fn report(self, rule: &str, cases: usize) {
        println!("{rule}: {} cases, {} accepted, {} mismatches", self.cases, self.accepted, self.mismatches);
        assert!(self.mismatches == 0, "{:#?}", self.examples);
        assert_eq!(self.cases, cases);
        assert!(self.accepted > 0 && self.accepted < self.cases);
    }
}

/// Compares a rule of two operands without parameters.
fn plain(rule: &Rule, want: impl Fn(&[usize], &[usize]) -> Option<Answer>) {
    let mut tally = Tally::default();
    pairs(|a, b| tally.compare(rule, &[a, b], want(a, b).as_ref()));
    tally.report(rule.name(), 116_281);
}

/// Compares a rule of two operands with an axis.
fn with_axis(rule: impl Fn(i64) -> Rule, want: impl Fn(&[usize], &[usize], i64) -> Option<Answer>) {
    let mut tally = Tally::default();
    for axis in AXES {
        let rule = rule(axis);
        pairs(|a, b| tally.compare(&rule, &[a, b], want(a, b, axis).as_ref()));
    }
    tally.report(rule(0).name(), 8 * 116_281);
}

/// Compares a rule of one operand and a target.
fn with_target(rule: impl Fn(&[usize]) -> Rule, want: impl Fn(&[usize], &[usize]) -> Option<Answer>) {
    let mut tally = Tally::default();
    for target in shapes(4, &[0, 1, 2, 3]) {
        let rule = rule(&target);
        for operand in shapes(4, &[0, 1, 2, 3]) {
            tally.compare(&rule, &[&operand], want(&operand, &target).as_ref());
        }
    }
    tally.report(rule(&[]).name(), 116_281);
}

#[test]
fn none() {
    plain(&Rule::none(), |a, b| oracle::none(&[a, b]));
}

#[test]
fn numpy() {
    plain(&Rule::numpy(), |a, b| oracle::numpy(&[a, b]));
}

#[test]
fn unidirectional() {
    plain(&Rule::unidirectional(), |a, b| oracle::unidirectional(&[a, b]));
}

#[test]
fn onnx_legacy() {
    plain(&Rule::onnx_legacy(None), |a, b| oracle::onnx_legacy(a, b, None));
    with_axis(|axis| Rule::onnx_legacy(Some(axis)), |a, b, axis| oracle::onnx_legacy(a, b, Some(axis)));
}

#[test]
fn pdpd() {
    with_axis(Rule::pdpd, oracle::pdpd);
}

#[test]
fn paddle() {
    with_axis(Rule::paddle, oracle::paddle);
}

#[test]
fn ncnn() {
    plain(&Rule::ncnn(), oracle::ncnn);
}

#[test]
fn openvino_prelu() {
    plain(&Rule::openvino_prelu(), oracle::prelu);
}

#[test]
fn gemm_c() {
    plain(&Rule::gemm_c(), oracle::gemm_c);
}

#[test]
fn bidirectional() {
    with_target(|target| Rule::bidirectional(target), oracle::bidirectional);
}

#[test]
fn broadcast_to() {
    with_target(|target| Rule::broadcast_to(target), oracle::broadcast_to);
}

/// Every list of up to three axes from -1 to 3, sound or not, for every operand and target of up to three axes.
#[test]
fn explicit() {
    let lists = shapes(3, &[0, 1, 2, 3, 4]);
    let lists: Vec<Vec<i64>> = lists.iter().map(|list| list.iter().map(|&axis| axis as i64 - 1).collect()).collect();
    let all = shapes(3, &[0, 1, 2, 3]);
    let mut tally = Tally::default();
    for axes in &lists {
        for target in &all {
            let rule = Rule::explicit(&axes[..], &target[..]);
            for operand in &all {
                tally.compare(&rule, &[operand], oracle::explicit(operand, axes, target).as_ref());
            }
        }
    }
    tally.report("explicit", 156 * 85 * 85);
}

/// Three operands of up to two axes, under the rules that take three.
#[test]
fn three_operands() {
    let all = shapes(2, &[0, 1, 2]);
    let mut triples: Vec<[&[usize]; 3]> = Vec::new();
    for a in &all {
        for b in &all {
            triples.extend(all.iter().map(|c| [&a[..], b, c]));
        }
    }
    let each = |name: &str, rule: &Rule, want: &dyn Fn(&[&[usize]]) -> Option<Answer>| {
        let mut tally = Tally::default();
        for operands in &triples {
            tally.compare(rule, operands, want(operands).as_ref());
        }
        tally.report(name, 2197);
    };
    each("numpy of three", &Rule::numpy(), &oracle::numpy);
    each("none of three", &Rule::none(), &oracle::none);
    each("unidirectional of three", &Rule::unidirectional(), &oracle::unidirectional);
    for mode in ["numpy", "none", "pdpd"] {
        let rule = Rule::openvino_select(mode, None).unwrap();
        each(&rule.to_string(), &rule, &|operands| oracle::select(mode, None, operands));
    }
    for axis in -1..=2 {
        let rule = Rule::openvino_select("pdpd", Some(axis)).unwrap();
        each(&rule.to_string(), &rule, &|operands| oracle::select("pdpd", Some(axis), operands));
    }
    for mode in ["numpy", "none"] {
        let rule = Rule::openvino_select(mode, Some(-1)).unwrap();
        assert!(triples.iter().all(|operands| rule.align(operands).is_err()), "{rule}");
    }
}

/// All data of up to two axes with all limits of up to one axis and some of two.
#[test]
fn openvino_fake_quantize() {
    let mut limits = shapes(1, &[0, 1, 2]);
    limits.extend([vec![1, 1], vec![2, 1], vec![1, 2], vec![1, 1, 2]]);
    let rule = Rule::openvino_fake_quantize();
    let mut tally = Tally::default();
    for data in shapes(2, &[0, 1, 2]) {
        for code in 0..limits.len().pow(4) {
            let limit = |k: u32| &limits[code / limits.len().pow(k) % limits.len()][..];
            let operands = [&data[..], limit(0), limit(1), limit(2), limit(3)];
            tally.compare(&rule, &operands, oracle::unidirectional(&operands).as_ref());
        }
    }
    tally.report(rule.name(), 13 * 8 * 8 * 8 * 8);
}
