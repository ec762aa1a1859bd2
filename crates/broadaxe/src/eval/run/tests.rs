use super::*;
use crate::{Executor, Expr, Options, Rule, apply, apply_owned};
use broadaxe_kernels::{Element, find};

/// Makes an array of small numbers, none of them 0.
fn numbers(shape: &[usize], seed: usize) -> Array {
    let count = shape.iter().product();
    Array::from_vec(shape, (0..count).map(|i: usize| ((i * 7 + seed) % 23 + 1) as f32 * 0.25).collect())
        .expect("numbers")
}

fn copy_of(array: &Array) -> Array {
    Array::from_bytes(array.dtype(), array.shape(), array.as_bytes()).expect("a copy")
}

fn place(array: &Array) -> usize {
    array.as_bytes().as_ptr().addr()
}

/// Evaluates with everything lent, into an array of zeros.
fn lent(text: &str, arrays: &[(&str, &Array)]) -> Array {
    let views: Vec<_> = arrays.iter().map(|(name, array)| (*name, array.view())).collect();
    let evaluation = Expr::parse(text).expect(text).bind(&views, Options::default()).expect(text);
    let mut out = Array::zeros(evaluation.dtype(), evaluation.shape()).expect("zeros");
    evaluation.run_into(&mut out).expect(text);
    out
}

#[test]
fn results_lie_over_operands_that_were_given_away() {
    struct Case {
        text: &'static str,
        /// Which of the operands is given away, and whether its memory becomes the result's.
        given: &'static str,
        taken: bool,
    }
    let cases = [
        Case { text: "a + b", given: "a", taken: true },
        Case { text: "b - a", given: "a", taken: true },
        Case { text: "a * a - a", given: "a", taken: true },
        Case { text: "a / row", given: "a", taken: true },
        Case { text: "cast(a, 'i32') + 1", given: "a", taken: true },
        Case { text: "exp(a - max(a, axis=1, keepdims=True)) / row", given: "a", taken: true },
        Case { text: "exp(a) / sum(exp(a), axis=1, keepdims=True)", given: "a", taken: true },
        Case { text: "a < b", given: "a", taken: false },
        Case { text: "cast(a, 'f64')", given: "a", taken: false },
        Case { text: "a + row", given: "row", taken: false },
        Case { text: "sum(a, axis=0)", given: "a", taken: false },
        Case { text: "row + 1", given: "row", taken: false },
    ];
    let arrays = [("a", numbers(&[100, 80], 1)), ("b", numbers(&[100, 80], 5)), ("row", numbers(&[80], 3))];
    let views: Vec<_> = arrays.iter().map(|(name, array)| (*name, array)).collect();
    for Case { text, given, taken } in cases {
        let want = lent(text, &views);
        let mut at = 0;
        let operands = arrays.iter().map(|(name, array)| {
            if *name != given {
                return (*name, Operand::from(array));
            }
            let copy = copy_of(array);
            at = place(&copy);
            (*name, Operand::from(copy))
        });
        let operands = operands.collect();
        let evaluation = Expr::parse(text).expect(text).bind_owned(operands, Options::default()).expect(text);
        assert_eq!(evaluation.run().expect(text).as_bytes(), want.as_bytes(), "{text}, nothing taken yet");
        let got = evaluation.run_once().expect(text);
        assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()), "{text}");
        assert!(got.as_bytes() == want.as_bytes(), "{text}");
        assert_eq!(place(&got) == at, taken, "{text} without {given}");
    }
}

#[test]
fn results_of_stages_lie_over_earlier_ones() {
    let a = numbers(&[100, 80], 1);
    let text = "exp(a) / sum(exp(a), axis=1, keepdims=True)";
    let expr = Expr::parse(text).expect(text);
    // The exponentials and their sums: the quotients lie over the exponentials, in memory as in the budget.
    let evaluate = |max_bytes| expr.bind(&[("a", a.view())], Options { max_bytes, ..Options::default() });
    let stages = evaluate(None).expect(text).stages;
    let over: Vec<_> = stages.iter().map(|stage| stage.over.map(|leaf| stage.leaves[leaf])).collect();
    assert_eq!(over, [None, None, Some(Leaf::Stage(0))]);
    let want = lent(text, &[("a", &a)]);
    assert!(evaluate(None).expect(text).run().expect(text).as_bytes() == want.as_bytes());
    // An array that is read twice, once in another order, is left alone.
    let square = numbers(&[80, 80], 2);
    let mut graph = crate::Graph::new();
    let x = graph.input(DType::F32, &[80, 80]).expect("x");
    let y = graph.input(DType::F32, &[80, 80]).expect("y");
    let sum = graph.op(find("add").expect("add"), &Rule::numpy(), &[x, y]).expect("sum");
    let views = || vec![square.view(), square.view().transposed()];
    let want = Evaluation::new(&graph, sum, views(), Options::default()).expect("plan").run().expect("run");
    let operands = vec![copy_of(&square).into(), square.view().transposed().into()];
    let got = Evaluation::of(&graph, sum, operands, Options::default()).expect("plan").run_once().expect("run");
    assert!(got.as_bytes() == want.as_bytes());
}

#[test]
fn calls_take_what_they_are_given() {
    let (a, b, row) = (numbers(&[70, 90], 1), numbers(&[70, 90], 5), numbers(&[90], 3));
    let numpy = Rule::numpy();
    for (name, lent, reused) in [("sub", &b, true), ("sub", &row, true), ("less", &b, false)] {
        let op = find(name).expect(name);
        let want = apply(op, &numpy, &[a.view(), lent.view()]).expect(name);
        for swap in [false, true] {
            let own = copy_of(&a);
            let at = place(&own);
            let mut operands: Vec<Operand> = vec![own.into(), lent.into()];
            let mut views = vec![a.view(), lent.view()];
            if swap {
                operands.reverse();
                views.reverse();
            }
            let want = if swap { apply(op, &numpy, &views).expect(name) } else { copy_of(&want) };
            let got = apply_owned(op, &numpy, operands).expect(name);
            assert!(got.as_bytes() == want.as_bytes() && got.shape() == want.shape(), "{name}");
            assert_eq!(place(&got) == at, reused, "{name}");
        }
    }
    // Two are given and the second is the one that fits; a small one; one that is rejected.
    let (one, two) = (copy_of(&row), copy_of(&a));
    let at = place(&two);
    let got = apply_owned(find("add").expect("add"), &numpy, vec![one.into(), two.into()]).expect("adds");
    assert_eq!(place(&got), at);
    let four = || Array::from_vec([4], vec![1_i32, 2, 3, 0]).expect("four");
    let negative = apply_owned(find("neg").expect("neg"), &numpy, vec![four().into()]).expect("neg");
    assert_eq!(negative.as_slice::<i32>(), Some(&[-1, -2, -3, 0][..]));
    let refused = apply_owned(find("div_floor").expect("div"), &numpy, vec![four().into(), four().into()]);
    assert!(refused.is_err_and(|error| error.to_string() == "div_floor: a zero divisor at (3,) of the result (4,)"));
}

/// Does one part of every job and leaves the others out, or does all of them twice.
struct Careless {
    parts: usize,
    times: usize,
}

impl Executor for Careless {
    fn threads(&self) -> usize {
        4
    }
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        (0..self.times).for_each(|_| (0..parts.min(self.parts)).for_each(part));
    }
}

/// Frees memory filled with a pattern, for results of this many bytes.
fn soil<T: Element>(bytes: usize, with: T) {
    drop(Array::from_vec([bytes / size_of::<T>()], vec![with; bytes / size_of::<T>()]));
}

/// In memory that others left, every kind of result is written whole.
#[test]
fn nothing_of_what_memory_held_is_seen() {
    let shape = [600, 500];
    let (a, b, row) = (numbers(&shape, 1), numbers(&shape, 5), numbers(&[500], 3));
    let arrays = [("a", &a), ("b", &b), ("row", &row)];
    let texts = [
        "a + b",
        "a * b + a",
        "exp(a) - row",
        "row + 1",
        "a < b",
        "cast(a, 'f16')",
        "broadcast_to(row, [600, 500])",
        "cast(a > 1, 'i64')",
        "exp(a) / sum(exp(a), axis=1, keepdims=True)",
        "sum(broadcast_to(row, [3, 600, 500]) * a, axis=0)",
        "max(broadcast_to(row, [3, 600, 500]) * a, axis=0)",
    ];
    let executors = [
        None,
        Some(Careless { parts: 0, times: 1 }),
        Some(Careless { parts: 1, times: 1 }),
        Some(Careless { parts: 99, times: 2 }),
    ];
    for text in texts {
        let want = lent(text, &arrays);
        let views = arrays.map(|(name, array)| (name, array.view()));
        for executor in &executors {
            let executor = executor.as_ref().map(|executor| executor as &dyn Executor);
            let options = Options { executor, threads: Some(2), ..Options::default() };
            let evaluation = Expr::parse(text).expect(text).bind(&views, options).expect(text);
            soil(want.as_bytes().len(), 0x5a_u8);
            soil(a.as_bytes().len(), 0xa5_u8);
            assert!(evaluation.run().expect(text).as_bytes() == want.as_bytes(), "{text}");
        }
    }
    soil(shape[0] * shape[1] * 4, 0x5a_u8);
    assert!(Array::zeros(DType::F32, shape).expect("zeros").as_bytes().iter().all(|&byte| byte == 0));
    let turned = Array::from_view(&a.view().transposed()).expect("turned");
    soil(shape[0] * shape[1] * 4, 0x5a_u8);
    assert!(Array::from_view(&turned.view().transposed()).expect("back").as_bytes() == a.as_bytes());
}

#[test]
fn memory_is_used_again() {
    // Of a size that no other test has.
    let a = numbers(&[1_234_567], 1);
    let double = || apply(find("add").expect("add"), &Rule::numpy(), &[a.view(), a.view()]).expect("adds");
    // A thread that held the lock all the while is another test's.
    let again = || {
        let first = place(&double());
        place(&double()) == first
    };
    assert!((0..20).any(|_| again()));
    let (one, two) = (double(), double());
    assert!(place(&one) != place(&two) && one.as_bytes() == two.as_bytes());
}
