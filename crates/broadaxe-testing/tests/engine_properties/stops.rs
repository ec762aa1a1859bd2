//! Tests runs that stop early: cancelled, or with an element that is rejected.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use broadaxe::{Array, DType, ErrorKind, Evaluation, Graph, Options, Rule, Scalar};
use broadaxe_kernels::{
    Executor, Failure, HasKernels, Input, Isa, Nest, Output, Program, Scoped, Serial, Slot, Step, find, run, run_at,
};
use broadaxe_testing::random::Random;

use crate::drive::single;

fn of(name: &str, dtype: DType) -> Program {
    single(find(name).and_then(|op| op.kernel(dtype)).expect("in the table"))
}

fn line(count: usize, size: isize, inputs: usize) -> Nest {
    Nest { dims: vec![count], output: vec![size], inputs: vec![vec![size]; inputs] }
}

#[test]
fn progress_stops_a_run() {
    let count = 8_000_000;
    let (bytes, mut out) = (vec![1; count], vec![0; count]);
    let (program, nest) = (of("neg", DType::I8), line(count, 1, 1));
    for threads in [1, 2, 3, 7] {
        let (calls, most) = (AtomicUsize::new(0), AtomicU64::new(0));
        let progress = |done: u64, total: u64| {
            assert!(done <= total && total == count as u64, "{done} of {total}");
            most.fetch_max(done, Ordering::Relaxed);
            calls.fetch_add(1, Ordering::Relaxed) < 3
        };
        let got =
            run(&program, &nest, &[Input::new(&bytes, 0)], Output::new(&mut out, 0), &Scoped(threads), Some(&progress));
        assert_eq!(got, Err(Failure::Interrupted), "{threads} threads");
        // Three looks that go on and one per thread that does not.
        assert!(calls.into_inner() <= 3 + 2 * threads && most.into_inner() < 2_000_000, "{threads} threads");
    }
}

#[test]
fn progress_counts_every_element_once() {
    let count = 3_000_001;
    let (bytes, mut out) = (vec![1; 2 * count], vec![0; 2 * count]);
    let (program, nest) = (of("neg", DType::I16), line(count, 2, 1));
    for threads in [1, 2, 3, 7] {
        let most = AtomicU64::new(0);
        let progress = |done: u64, _: u64| {
            most.fetch_max(done, Ordering::Relaxed);
            true
        };
        let got =
            run(&program, &nest, &[Input::new(&bytes, 0)], Output::new(&mut out, 0), &Scoped(threads), Some(&progress));
        assert_eq!((got, most.into_inner()), (Ok(()), count as u64), "{threads} threads");
    }
}

#[test]
fn evaluations_are_interrupted() {
    let x = Array::zeros(DType::F32, [1000, 1000]).expect("small");
    let mut graph = Graph::new();
    let a = graph.input(DType::F32, &[1000, 1000]).expect("small");
    let b = graph.op(find("exp").expect("exp"), &Rule::numpy(), &[a]).expect("f32");
    for allowed in 0..5 {
        let calls = AtomicUsize::new(0);
        let progress = |_: u64, _: u64| calls.fetch_add(1, Ordering::Relaxed) < allowed;
        let options = Options { threads: Some(2), progress: Some(&progress), ..Options::default() };
        let evaluation = Evaluation::new(&graph, b, vec![x.view()], options).expect("planned");
        assert_eq!(evaluation.run().map_err(|e| e.kind()).err(), Some(ErrorKind::Interrupted), "{allowed} looks");
    }
}

/// Runs the parts of a job from the last to the first, so that later refusals are found before earlier ones.
struct Backwards(usize);

impl Executor for Backwards {
    fn threads(&self) -> usize {
        self.0
    }
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        (0..parts).rev().for_each(part);
    }
}

#[test]
fn the_first_refused_element_is_named() {
    let mut random = Random::new(8);
    let count = 2_000_000;
    let program = of("div_floor", DType::I32);
    let left = vec![7; 4 * count];
    let mut out = vec![0; 4 * count];
    for round in 0..12 {
        let mut places: Vec<usize> = (0..=random.below(5)).map(|_| random.below(count)).collect();
        if round == 0 {
            places = vec![count - 1];
        }
        let mut right = vec![1_u8; 4 * count];
        for &at in &places {
            right[4 * at..][..4].fill(0);
        }
        let first = *places.iter().min().expect("one at least") as u64;
        let want = Err(Failure::Rejected { step: 0, what: "a zero divisor", element: first });
        let executors: [&dyn Executor; 6] = [&Serial, &Scoped(2), &Scoped(3), &Scoped(7), &Backwards(2), &Backwards(7)];
        for executor in executors {
            for isa in Isa::available() {
                let inputs = [Input::new(&left, 0), Input::new(&right, 0)];
                let got = run_at(isa, &program, &line(count, 4, 2), &inputs, Output::new(&mut out, 0), executor, None);
                assert_eq!(got, want, "{} threads, zeros at {places:?}", executor.threads());
            }
        }
    }
}

/// The first element at fault, whichever step rejects it, and the first step that does.
#[test]
fn of_two_steps_the_one_that_refuses_first_is_named() {
    let step =
        |name: &str, args: [Slot; 2]| Step::new(find(name).and_then(|op| op.kernel(DType::I32)).expect("i32"), args);
    let steps = vec![
        step("div_trunc", [Slot::Input(0), Slot::Input(1)]),
        step("pow", [Slot::Step(0), Slot::Input(2)]),
        step("add", [Slot::Step(1), Slot::Step(0)]),
    ];
    let program = Program::new(vec![DType::I32; 3], steps).expect("sound");
    let count = 1_000_000;
    let cases: &[(&[usize], &[usize], u64, usize)] = &[
        (&[100], &[], 100, 0),
        (&[], &[100], 100, 1),
        (&[100], &[5], 5, 1),
        (&[5], &[100], 5, 0),
        (&[70], &[70], 70, 0),
        (&[900_000], &[899_999], 899_999, 1),
        (&[400_000, 5000], &[700_000, 4999], 4999, 1),
    ];
    let ones: Vec<u8> = 1_i32.to_ne_bytes().repeat(count);
    for &(zeros, negatives, element, at) in cases {
        let (mut divisors, mut exponents) = (ones.clone(), ones.clone());
        for &i in zeros {
            divisors[4 * i..][..4].fill(0);
        }
        for &i in negatives {
            exponents[4 * i..][..4].fill(0xff);
        }
        for threads in [1, 2, 3, 7] {
            let inputs = [&ones, &divisors, &exponents].map(|bytes| Input::new(bytes, 0));
            let mut out = vec![0; 4 * count];
            let got = run(&program, &line(count, 4, 3), &inputs, Output::new(&mut out, 0), &Scoped(threads), None);
            let what = ["a zero divisor", "a negative exponent of an integer"][at];
            let want = Err(Failure::Rejected { step: at, what, element });
            assert_eq!(got, want, "{threads} threads, zeros at {zeros:?}, negative at {negatives:?}");
        }
    }
}

#[test]
fn refusals_are_located_through_any_layout() {
    let rows = Array::from_vec([3, 1, 2], vec![1_i32, 1, 1, 0, 1, 1]).expect("small");
    let mut graph = Graph::new();
    let a = graph.constant(Scalar::from_i128(DType::I32, 9).expect("fits"));
    let b = graph.input(DType::I32, &[2, 1, 3]).expect("small");
    let c = graph.input(DType::I32, &[5, 1]).expect("small");
    let rule = Rule::numpy();
    let quotient = graph.op(find("div_trunc").expect("div_trunc"), &rule, &[a, b]).expect("i32");
    let sum = graph.op(find("add").expect("add"), &rule, &[quotient, c]).expect("i32");
    let column = Array::from_vec([5, 1], vec![0_i32; 5]).expect("small");
    let views = vec![rows.view().transposed(), column.view()];
    let error = Evaluation::new(&graph, sum, views, Options::default()).expect("planned").run().expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Value);
    assert_eq!(error.to_string(), "div_trunc: a zero divisor at (1, 0, 1) of the result (2, 1, 3)");
}
