use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::view::ViewMut;
use broadaxe_kernels::find;

fn evaluated(op: &'static Op, rule: &Rule, views: &[View]) -> Result<Array, Error> {
    let mut graph = Graph::new();
    let layouts: Vec<_> = views.iter().map(Layout::of).collect();
    let nodes = graph.inputs_of(&layouts)?;
    let root = graph.op(op, rule, &nodes)?;
    Evaluation::new(&graph, root, views.to_vec(), Options::default())?.run()
}

/// Every call gives the result of an evaluation, whether it is planned or found in the cache.
#[test]
fn calls_give_what_evaluations_give() {
    let a = Array::from_vec([2, 3], vec![7_i32, -8, 9, 10, -11, 12]).expect("a");
    let b = Array::from_vec([3], vec![2_i32, 3, -4]).expect("b");
    let column = Array::from_vec([2], vec![5_i32, 6]).expect("column");
    let pdpd = Rule::pdpd(0);
    let cases: Vec<(&str, Rule, Vec<View>)> = vec![
        ("add", Rule::numpy(), vec![a.view(), b.view()]),
        ("sub", Rule::numpy(), vec![a.view(), b.view()]),
        ("sub", Rule::numpy(), vec![a.view().transposed(), column.view()]),
        ("sub", pdpd, vec![a.view(), column.view()]),
        ("neg", Rule::numpy(), vec![a.view().transposed()]),
        ("clamp", Rule::numpy(), vec![a.view(), b.view(), b.view()]),
        ("max", Rule::numpy(), vec![a.view(), b.view(), b.view(), a.view()]),
        ("max", Rule::numpy(), vec![a.view()]),
        ("div_floor", Rule::numpy(), vec![a.view(), b.view()]),
    ];
    for round in 0..3 {
        for (name, rule, views) in &cases {
            let op = find(name).expect("in the table");
            let want = evaluated(op, rule, views).expect("evaluates");
            let got = apply(op, rule, views).expect("applies");
            let mut out = Array::zeros(want.dtype(), want.shape()).expect("small");
            apply_into(op, rule, views, &mut out).expect("applies");
            let mut with = Array::zeros(want.dtype(), want.shape()).expect("small");
            let options = Options { rule: rule.clone(), threads: Some(1 + round), ..Options::default() };
            apply_into_with(op, &options, views, &mut with).expect("applies");
            let vector: Vec<i32> = apply_to_vec(op, &options, views).expect("applies");
            assert_eq!(want.as_slice(), Some(&vector[..]), "{name} {rule:?} to a vector, round {round}");
            let all = [&got, &out, &with].map(|array| (array.shape().to_vec(), array.as_bytes().to_vec()));
            let want = (want.shape().to_vec(), want.as_bytes().to_vec());
            assert_eq!(all, [&want; 3].map(Clone::clone), "{name} {rule:?}, round {round}");
        }
    }
}

#[test]
fn more_calls_than_are_kept_are_right() {
    let add = find("add").expect("in the table");
    for round in 0..2 {
        for n in 1..300_usize {
            let a = Array::from_vec([n], vec![n as f32; n]).expect("a");
            let sum = apply(add, &Rule::numpy(), &[a.view(), a.view()]).expect("adds");
            assert!(
                sum.as_slice::<f32>().is_some_and(|s| s.len() == n && s.iter().all(|&x| x == 2.0 * n as f32)),
                "{n} {round}"
            );
        }
    }
}

#[test]
fn refusals_are_those_of_evaluations() {
    let (a, zero) =
        (Array::from_vec([2], vec![1_i32, 2]).expect("a"), Array::from_vec([2], vec![3_i32, 0]).expect("zero"));
    let long = Array::from_vec([3], vec![1_i32; 3]).expect("long");
    let div = find("div_floor").expect("in the table");
    let refused = |views: &[View]| apply(div, &Rule::numpy(), views).expect_err("refused").to_string();
    assert_eq!(refused(&[a.view(), zero.view()]), "div_floor: a zero divisor at (1,) of the result (2,)");
    assert!(refused(&[a.view(), long.view()]).contains("must be equal or 1"));
    assert!(refused(&[a.view()]).contains("needs 2 operands"));
    let mut out = Array::zeros(DType::I32, [3]).expect("small");
    let error = apply_into(div, &Rule::numpy(), &[a.view(), a.view()], &mut out).expect_err("refused");
    assert_eq!(error.to_string(), "the output is i32 (3,) and the result i32 (2,); they must be equal");
}

/// An output of another shape or dtype is rejected as such, whatever its strides, and does not spoil what is kept for them.
#[test]
fn outputs_that_do_not_fit_are_refused() {
    let a = Array::from_vec([2, 3], vec![1_u8; 6]).expect("a");
    let cases: [(DType, &[usize], &[isize]); 6] = [
        (DType::U8, &[3], &[1]),
        (DType::U8, &[1, 3], &[0, 1]),
        (DType::U8, &[1, 2, 3], &[6, 3, 1]),
        (DType::U8, &[3, 2], &[3, 1]),
        (DType::I8, &[2, 3], &[3, 1]),
        (DType::U8, &[0, 3], &[3, 1]),
    ];
    for round in 0..2 {
        for (dtype, shape, strides) in cases {
            let mut bytes = [0; 8];
            let out = ViewMut::new(dtype, &mut bytes, shape, strides, 0).expect("fits its memory");
            let error = apply_into(find("square").expect("in the table"), &Rule::numpy(), &[a.view()], out);
            let error = error.expect_err("refused");
            assert_eq!(error.kind(), ErrorKind::Argument, "{shape:?} in round {round}: {error}");
        }
        let mut bytes = [0; 6];
        let out = ViewMut::new(DType::U8, &mut bytes, &[2, 3], &[3, 1], 0).expect("fits its memory");
        apply_into(find("square").expect("in the table"), &Rule::numpy(), &[a.view()], out).expect("fits");
        assert_eq!(bytes, [1; 6]);
    }
}

/// Counts the jobs that it runs, on the caller's thread.
struct Counting(AtomicUsize);

impl Executor for Counting {
    fn threads(&self) -> usize {
        2
    }

    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        self.0.fetch_add(1, Ordering::Relaxed);
        (0..parts).for_each(part);
    }
}

#[test]
fn options_of_a_call_are_followed() {
    let numbers = vec![1.5_f32; 1 << 20];
    let shape = [1 << 10, 1 << 10];
    let x = View::from_slice(&numbers, &shape, &[1 << 10, 1], 0).expect("fits");
    let exp = find("exp").expect("in the table");
    let mut out = vec![0.0_f32; 1 << 20];
    let mut run = |options: &Options<'_>| {
        let out = ViewMut::from_slice(&mut out, &shape, &[1, 1 << 10], 0).expect("fits");
        apply_into_with(exp, options, std::slice::from_ref(&x), out)
    };
    let executor = Counting(AtomicUsize::new(0));
    assert_eq!(run(&Options { executor: Some(&executor), ..Options::default() }), Ok(()));
    assert!(executor.0.into_inner() > 0, "the executor ran nothing");
    let stopped = run(&Options { progress: Some(&|_, _| false), ..Options::default() });
    assert_eq!(stopped.map_err(|error| error.kind()), Err(ErrorKind::Interrupted));
    assert_eq!(run(&Options { strides: Some(vec![4, 4 << 10]), max_bytes: Some(0), ..Options::default() }), Ok(()));
    let other = run(&Options { strides: Some(vec![4 << 10, 4]), ..Options::default() });
    assert_eq!(
        other.expect_err("refused").to_string(),
        "the options ask for the strides [4096, 4], and the output has [4, 4096]"
    );
    let legacy = run(&Options { rule: Rule::none(), threads: Some(1), ..Options::default() });
    assert_eq!(legacy, Ok(()), "one operand has its own shape under every rule");
}

/// A vector has the elements of the array, of any size, or nothing is returned.
#[test]
fn vectors_are_whole() {
    let add = find("add").expect("in the table");
    let options = Options { threads: Some(2), ..Options::default() };
    for shape in [[0, 7], [1, 1], [3, 5], [64, 1000], [700, 1500]] {
        let (rows, columns) = (shape[0], shape[1]);
        let x: Vec<f64> = (0..rows * columns).map(|k| k as f64).collect();
        let y: Vec<f64> = (0..columns).map(|k| 0.5 * k as f64).collect();
        // The transpose, so that rows of the result are not rows of memory.
        let views = [
            View::from_slice(&x, &[columns, rows], &[1, columns as isize], 0).expect("fits"),
            View::from_slice(&y, &[columns, 1], &[1, 1], 0).expect("fits"),
        ];
        let want = apply(add, &options.rule, &views).expect("adds");
        let got: Vec<f64> = apply_to_vec(add, &options, &views).expect("adds");
        assert_eq!(want.as_slice(), Some(&got[..]), "{shape:?}");
    }
    let greater = find("greater").expect("in the table");
    let numbers = [1.0_f32, 2.0];
    let x = View::from_slice(&numbers, &[2], &[1], 0).expect("fits");
    let truth: Vec<broadaxe_kernels::Bool> =
        apply_to_vec(greater, &options, &[x.clone(), x.clone()]).expect("compares");
    assert_eq!(truth, [false.into(); 2]);
    let error = apply_to_vec::<f32>(greater, &options, &[x.clone(), x.clone()]).expect_err("refused");
    assert_eq!(error.to_string(), "the result is bool and the vector f32; they must be equal");
    let (ints, zero) = ([1_i32, 2], [3_i32, 0]);
    let [ints, zero] = [&ints, &zero].map(|slice| View::from_slice(slice, &[2], &[1], 0).expect("fits"));
    let divide = find("div_floor").expect("in the table");
    let error = apply_to_vec::<i32>(divide, &options, &[ints, zero]).expect_err("refused");
    assert_eq!(error.to_string(), "div_floor: a zero divisor at (1,) of the result (2,)");
    for (options, kind) in [
        (Options { max_bytes: Some(4), ..Options::default() }, ErrorKind::Memory),
        (Options { strides: Some(vec![4]), ..Options::default() }, ErrorKind::Argument),
    ] {
        let refused = apply_to_vec::<f32>(add, &options, &[x.clone(), x.clone()]).expect_err("refused");
        assert_eq!(refused.kind(), kind);
    }
}
