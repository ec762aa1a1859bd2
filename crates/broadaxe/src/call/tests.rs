use super::*;
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
            let all = [&want, &got, &out].map(|array| (array.shape().to_vec(), array.as_bytes().to_vec()));
            assert!(all[0] == all[1] && all[0] == all[2], "{name} {rule:?}, round {round}");
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
