use super::*;
use crate::Array;
use broadaxe_kernels::{Reduction, find};
use std::sync::atomic::{AtomicUsize, Ordering};

fn op(graph: &mut Graph, name: &str, args: &[Node]) -> Node {
    graph.op(find(name).expect("in the table"), &Rule::numpy(), args).expect("broadcasts")
}

#[test]
fn sub_expressions_are_computed_at_their_own_shape() {
    let (x, y) = (Array::zeros(DType::F32, [1, 400]).expect("x"), Array::zeros(DType::F32, [400, 1]).expect("y"));
    let mut graph = Graph::new();
    let (a, b) = (graph.input(DType::F32, &[1, 400]).expect("a"), graph.input(DType::F32, &[400, 1]).expect("b"));
    let sine = op(&mut graph, "sin", &[a]);
    let cosine = op(&mut graph, "cos", &[b]);
    let (sine, cosine) = (op(&mut graph, "square", &[sine]), op(&mut graph, "square", &[cosine]));
    let sum = op(&mut graph, "add", &[sine, cosine]);
    let evaluation = Evaluation::new(&graph, sum, vec![x.view(), y.view()], Options::default()).expect("planned");
    let report = evaluation.report();
    let steps: Vec<_> = report.iter().map(|stage| (stage.shape.as_slice(), stage.steps.as_slice())).collect();
    assert_eq!(
        steps,
        [(&[1, 400][..], &["sin", "square"][..]), (&[400, 1], &["cos", "square"]), (&[400, 400], &["add"])]
    );
    assert!(evaluation.run().expect("runs").as_slice::<f32>().is_some_and(|s| s.iter().all(|&v| v == 1.0)));
}

#[test]
fn shared_nodes_become_one_stage() {
    let x = Array::from_vec([3], vec![1_i32, 2, 3]).expect("x");
    let mut graph = Graph::new();
    let a = graph.input(DType::I32, &[3]).expect("a");
    let twice = op(&mut graph, "add", &[a, a]);
    let square = op(&mut graph, "mul", &[twice, twice]);
    let again = op(&mut graph, "sub", &[square, twice]);
    let evaluation = Evaluation::new(&graph, again, vec![x.view()], Options::default()).expect("planned");
    assert_eq!(evaluation.report().len(), 1);
    assert_eq!(evaluation.run().expect("runs").as_slice::<i32>(), Some(&[2, 12, 30][..]));
}

#[test]
fn budget_names_the_blow_up() {
    let x = Array::zeros(DType::F64, [1000, 1]).expect("x");
    let mut graph = Graph::new();
    let a = graph.input(DType::F64, &[1000, 1]).expect("a");
    let b = graph.input(DType::F64, &[1, 1000]).expect("b");
    let sum = op(&mut graph, "add", &[a, b]);
    let views = || vec![x.view(), x.view().transposed()];
    let options = Options { max_bytes: Some(1 << 20), ..Options::default() };
    let error = Evaluation::new(&graph, sum, views(), options).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Memory);
    assert!(error.to_string().contains("500 times"), "{error}");
    let lent = |max_bytes| Options { max_bytes: Some(max_bytes), is_lent: true, ..Options::default() };
    assert!(Evaluation::new(&graph, sum, views(), lent(0)).is_ok(), "a result in existing memory");
    // The sums are kept for the quotients that follow: what is computed on the way still counts.
    let most = graph.reduce(Reduction::Max, sum, Some(&[0]), true).expect("folds");
    let rest = op(&mut graph, "sub", &[sum, most]);
    let error = Evaluation::new(&graph, rest, views(), lent(0)).expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Memory);
}

#[test]
fn zero_divisors_are_located() {
    let x = Array::from_vec([2, 3], vec![7_i32; 6]).expect("x");
    let y = Array::from_vec([3], vec![1_i32, 2, 0]).expect("y");
    let mut graph = Graph::new();
    let a = graph.input(DType::I32, &[2, 3]).expect("a");
    let b = graph.input(DType::I32, &[3]).expect("b");
    let quotient = op(&mut graph, "div_floor", &[a, b]);
    let error = Evaluation::new(&graph, quotient, vec![x.view(), y.view()], Options::default())
        .expect("planned")
        .run()
        .expect_err("refused");
    assert_eq!(error.to_string(), "div_floor: a zero divisor at (0, 2) of the result (2, 3)");
}

/// Counts the parts it runs, the last one first.
struct Backwards(AtomicUsize);

impl Executor for Backwards {
    fn threads(&self) -> usize {
        5
    }
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        self.0.fetch_add(parts, Ordering::Relaxed);
        (0..parts).rev().for_each(part);
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let x = Array::from_vec([700, 1000], (0..700_000).map(|i| i as f32 * 0.37).collect()).expect("x");
    let mut graph = Graph::new();
    let a = graph.input(DType::F32, &[700, 1000]).expect("a");
    let sine = op(&mut graph, "sin", &[a]);
    let views = || vec![x.view()];
    let bytes = |threads| {
        let options = Options { threads: Some(threads), ..Options::default() };
        Evaluation::new(&graph, sine, views(), options).expect("planned").run().expect("runs").as_bytes().to_vec()
    };
    let backwards = Backwards(AtomicUsize::new(0));
    let options = Options { executor: Some(&backwards), ..Options::default() };
    let evaluation = Evaluation::new(&graph, sine, views(), options).expect("planned");
    assert_eq!(evaluation.threads(), 5);
    let one = bytes(1);
    assert_eq!(evaluation.run().expect("runs").as_bytes(), one);
    assert!(backwards.0.into_inner() > 1, "the caller's executor is used");
    assert!([2, 3, 7].into_iter().all(|threads| bytes(threads) == one));
}

/// Tiled operands read the element modulo their extents, in expressions of several operators and under reductions.
#[test]
fn tiled_operands_start_again() {
    let shapes: [(&[usize], &[usize]); 8] = [
        (&[4], &[2]),
        (&[4, 6], &[2, 3]),
        (&[3, 4, 6], &[2, 6]),
        (&[6, 4, 9], &[2, 1, 3]),
        (&[2, 6, 2, 8], &[3, 1, 4]),
        (&[8, 5], &[4, 5]),
        (&[7, 600], &[200]),
        (&[0, 4], &[2]),
    ];
    for (shape, tile) in shapes {
        let count = |dims: &[usize]| dims.iter().product::<usize>() as i64;
        let x = Array::from_vec(shape, (0..count(shape)).collect::<Vec<i64>>()).expect("x");
        let y = Array::from_vec(tile, (0..count(tile)).map(|n| 1000 * n).collect::<Vec<i64>>()).expect("y");
        let mut graph = Graph::new();
        let (a, b) = (graph.input(DType::I64, shape).expect("a"), graph.input(DType::I64, tile).expect("b"));
        let (twice, next) = (op(&mut graph, "add", &[a, a]), op(&mut graph, "neg", &[b]));
        let sum = graph.op(find("add").expect("add"), &Rule::ggml(), &[twice, next]).expect("tiles");
        let sum = op(&mut graph, "sub", &[sum, a]);
        let last = shape.len() as i64 - 1;
        let folded = graph.reduce(Reduction::Sum, sum, Some(&[last]), false).expect("folds");
        let want: Vec<i64> = (0..count(shape)).map(|n| n - 1000 * tiled(n, shape, tile)).collect();
        let sums: Vec<i64> = if want.is_empty() {
            vec![]
        } else {
            want.chunks(shape[shape.len() - 1]).map(|row| row.iter().sum()).collect()
        };
        for (root, want) in [(sum, &want), (folded, &sums)] {
            let views = vec![x.view(), y.view()];
            let got = Evaluation::new(&graph, root, views, Options::default()).expect("planned").run().expect("runs");
            assert_eq!(got.as_slice::<i64>(), Some(want.as_slice()), "{shape:?} {tile:?}");
        }
    }
}

/// Returns the position in a tiled operand that a row-major element reads.
fn tiled(element: i64, shape: &[usize], tile: &[usize]) -> i64 {
    let (mut rest, mut at, mut weight) = (element as usize, 0, 1);
    for axis in (0..shape.len()).rev() {
        let (index, own) =
            (rest % shape[axis], (axis + tile.len()).checked_sub(shape.len()).map_or(1, |own| tile[own]));
        at += index % own * weight;
        (rest, weight) = (rest / shape[axis], weight * own);
    }
    at as i64
}

#[test]
fn rejected_elements_of_tiles_are_located() {
    let x = Array::from_vec([2, 6], vec![7_i32; 12]).expect("x");
    let y = Array::from_vec([3], vec![1_i32, 2, 0]).expect("y");
    let error = crate::apply(find("div_floor").expect("div_floor"), &Rule::ggml(), &[x.view(), y.view()]);
    assert_eq!(error.expect_err("refused").to_string(), "div_floor: a zero divisor at (0, 2) of the result (2, 6)");
    let z = Array::from_vec([6], vec![1_i32, 1, 1, 1, 0, 1]).expect("z");
    let mut graph = Graph::new();
    let nodes = [&[2, 6][..], &[3], &[6]].map(|dims| graph.input(DType::I32, dims).expect("small"));
    let sum = graph.op(find("add").expect("add"), &Rule::ggml(), &nodes[..2]).expect("tiles");
    let quotient = op(&mut graph, "div_floor", &[sum, nodes[2]]);
    let views = vec![x.view(), y.view(), z.view()];
    let error = Evaluation::new(&graph, quotient, views, Options::default()).expect("planned").run();
    assert_eq!(error.expect_err("refused").to_string(), "div_floor: a zero divisor at (0, 4) of the result (2, 6)");
}

/// A few elements that repeat are computed where they are read, however they repeat, but not if they are read in two ways.
#[test]
fn brief_nodes_are_repeated() {
    let dims = [[3_usize, 1], [1, 4]];
    let [x, y] =
        dims.map(|dims| Array::from_vec(dims, (0..dims[0] * dims[1]).map(|n| n as i32 + 2).collect()).expect("x"));
    let z = Array::from_vec([2, 3, 4], (0..24).map(|n| 100 * n).collect::<Vec<i32>>()).expect("z");
    let shapes: [&[usize]; 3] = [&dims[0], &dims[1], &[2, 3, 4]];
    let elements =
        |of: fn(i32, i32, i32) -> i32| -> Vec<i32> { (0..24).map(|n| of(n / 4 % 3 + 2, n % 4 + 2, 100 * n)).collect() };
    type Build = fn(&mut Graph, [Node; 3]) -> Node;
    type Want = fn(i32, i32, i32) -> i32;
    let cases: [(&str, Build, Want, usize); 5] = [
        (
            "one way",
            |graph, [a, _, c]| {
                let square = op(graph, "mul", &[a, a]);
                op(graph, "sub", &[c, square])
            },
            |a, _, c| c - a * a,
            1,
        ),
        (
            "a repeated result of repeated ones",
            |graph, [a, b, c]| {
                let (square, twice) = (op(graph, "mul", &[a, a]), op(graph, "add", &[b, b]));
                let both = op(graph, "sub", &[square, twice]);
                let all = op(graph, "neg", &[both]);
                op(graph, "mul", &[all, c])
            },
            |a, b, c| (2 * b - a * a) * c,
            1,
        ),
        (
            "whole and repeated",
            |graph, [a, _, c]| {
                let square = op(graph, "mul", &[a, a]);
                let fourth = op(graph, "mul", &[square, square]);
                let sum = op(graph, "add", &[fourth, c]);
                op(graph, "sub", &[sum, square])
            },
            |a, _, c| a * a * a * a + c - a * a,
            2,
        ),
        (
            "a divisor that may be zero, where the message names the element",
            |graph, [a, b, c]| {
                let quotient = op(graph, "div_floor", &[b, b]);
                let sum = op(graph, "add", &[a, a]);
                let both = op(graph, "mul", &[sum, quotient]);
                op(graph, "add", &[both, c])
            },
            |a, _, c| 2 * a + c,
            2,
        ),
        (
            "before and after a reduction",
            |graph, [a, _, c]| {
                let square = op(graph, "mul", &[a, a]);
                let sum = op(graph, "sub", &[c, square]);
                let most = graph.reduce(Reduction::Max, sum, Some(&[0]), false).expect("folds");
                op(graph, "sub", &[sum, most])
            },
            |_, _, c| if c < 1200 { -1200 } else { 0 },
            3,
        ),
    ];
    for (about, build, of, stages) in cases {
        let mut graph = Graph::new();
        let nodes = shapes.map(|shape| graph.input(DType::I32, shape).expect("small"));
        let root = build(&mut graph, nodes);
        let views = vec![x.view(), y.view(), z.view()];
        let evaluation = Evaluation::new(&graph, root, views, Options::default()).expect("planned");
        assert_eq!(evaluation.run().expect("runs").as_slice::<i32>(), Some(&*elements(of)), "{about}");
        assert_eq!(evaluation.report().len(), stages, "{about}");
    }
}
