use super::*;
use crate::{
    graph::Attribute,
    testing::{self, Sample},
};

/// Makes `op(x, b)` with this shape of `b`, which an Unsqueeze gets from a lower rank where `inserted` says so.
fn model(op: &str, (x, b): (&str, &[usize]), inserted: Option<&str>, attributes: &[(&str, Attribute)]) -> Sample {
    let mut sample = Sample::new(13);
    let (x, mut b) = (sample.input("x", x), sample.constant("b", b));
    if let Some(shape) = inserted {
        let axes = sample.whole("axes", &[1]);
        b = sample.node("Unsqueeze", &[b, axes], &[], shape);
    }
    let y = sample.node(op, &[x, b], attributes, "(4,4)");
    sample.model.values[y.0 as usize].name = "y".to_string();
    sample
}

fn run(before: &Sample, after: &Sample) -> Verified {
    super::run(
        (&before.model, &before.shapes),
        (&after.model, &after.shapes),
        (7, &BTreeMap::new()),
        &mut std::collections::BTreeSet::new(),
    )
}

#[test]
fn a_change_that_means_the_same() {
    let before = model("Sub", ("(4,4)", &[4]), None, &[]);
    for (shape, inserted, same) in [
        (&[1, 4][..], None, true),
        (&[4, 1][..], None, false),
        (&[4][..], Some("(4,1)"), false),
        (&[4][..], Some("(1,4)"), true),
    ] {
        let verified = run(&before, &model("Sub", ("(4,4)", shape), inserted, &[]));
        assert_eq!((verified.nodes, verified.elements, verified.left.len()), (1, 16, 0), "{verified:?}");
        assert_eq!(verified.difference.is_none(), same, "{shape:?} {inserted:?}: {verified:?}");
    }
    let verified = run(&before, &model("Add", ("(4,4)", &[4]), None, &[]));
    let difference = verified.difference.expect("another operator");
    assert_eq!((difference.name.as_str(), &difference.element[..]), ("y", &[0, 0][..]));
}

#[test]
fn a_result_that_is_reshaped_behind_its_node() {
    let before = model("Sub", ("(4,4)", &[4]), None, &[]);
    let after = |pattern: &[usize], is_read: bool| {
        let mut after = Sample::new(13);
        let (x, b) = (after.input("x", "(4,4)"), after.constant("b", pattern));
        let wide = after.node("Reshape", &[x], &[], "(4,2,2)");
        let y = after.node("Sub", &[wide, b], &[], "(4,2,2)");
        after.model.values[y.0 as usize].name = "y".to_string();
        after.node("Reshape", &[y], &[], "(4,4)");
        if is_read {
            after.node("Abs", &[y], &[], "(4,2,2)");
        }
        after
    };
    assert_eq!(run(&before, &after(&[2, 2], false)).difference, None);
    assert!(run(&before, &after(&[4, 1, 1], false)).difference.is_some());
    assert!(run(&before, &after(&[2, 2], true)).difference.is_some(), "it is read in its new shape, too");
}

#[test]
fn a_slope_in_parts() {
    let before = model("PRelu", ("(4,4)", &[4]), None, &[]);
    let mut after = Sample::new(13);
    let (x, b) = (after.input("x", "(4,4)"), after.constant("b", &[4]));
    let above = after.node("Relu", &[x], &[], "(4,4)");
    let turned = after.node("Neg", &[x], &[], "(4,4)");
    let below = after.node("Relu", &[turned], &[], "(4,4)");
    let scaled = after.node("Mul", &[below, b], &[], "(4,4)");
    let y = after.node("Sub", &[above, scaled], &[], "(4,4)");
    after.model.values[y.0 as usize].name = "y".to_string();
    assert_eq!(run(&before, &after).difference, None);
    after.model.nodes[4].op = "Add".to_string();
    assert!(run(&before, &after).difference.is_some());
}

#[test]
fn what_is_too_large_is_run_shorter() {
    let model = |op: &str, b: &[usize], inserted| {
        let mut sample = model(op, ("(3,70000000)", b), inserted, &[]);
        let result = sample.model.nodes.last().and_then(|node| node.output(0)).expect("y");
        sample.shapes.of[result.0 as usize].shape = "(3,70000000)".parse().expect("a shape");
        sample
    };
    let before = model("Sub", &[3, 1], None);
    for (b, inserted, same) in [(&[3, 1][..], None, true), (&[3], Some("(3,1)"), true), (&[1, 3], Some("(3,1)"), true)]
    {
        let verified = run(&before, &model("Sub", b, inserted));
        assert_eq!((verified.nodes, verified.elements, verified.left.len()), (1, 3 * 61, 0), "{verified:?}");
        assert_eq!(verified.difference.is_none(), same, "{b:?} {inserted:?}: {verified:?}");
    }
    assert!(run(&before, &model("Add", &[3, 1], None)).difference.is_some());
}

#[test]
fn what_cannot_be_run_is_said() {
    let before = model("Sub", ("(4,n)", &[4]), None, &[]);
    let verified = run(&before, &before);
    assert_eq!((verified.nodes, verified.left.len()), (0, 1));
    assert!(verified.left[0].reason.contains("not all known"), "{verified:?}");
    let before = model("Sub", ("(4,4)", &[4]), None, &[]);
    let mut after = model("Sub", ("(4,4)", &[4]), None, &[]);
    after.model.values.last_mut().expect("y").name = "z".to_string();
    assert!(run(&before, &after).left[0].reason.contains("not in the changed model"));
}

#[test]
fn lengths_to_try() {
    let mut sample = Sample::new(13);
    let (x, b) = (sample.input("x", "(n,s,12)"), sample.input("b", "(s,12)"));
    sample.node("Add", &[x, b], &[], "(n,s,12)");
    let trials = trials(&sample.model, &sample.shapes);
    let text = |trial: &Vec<(String, usize)>| {
        trial.iter().map(|(name, size)| format!("{name}={size}")).collect::<Vec<_>>().join(" ")
    };
    let texts: Vec<String> = trials.iter().map(text).collect();
    assert_eq!(texts, ["n=5 s=7", "n=5 s=5", "n=1 s=1", "n=12 s=7", "n=5 s=12"]);
}

/// Runs a model before and after: `same`, the name and the element that differ, or why it cannot be run.
fn compared(before: &str, after: &str) -> String {
    let (model, shapes) = testing::model(before);
    let (changed, changed_shapes) = testing::model(after);
    let verified = verify(&model, &shapes, &changed, &changed_shapes).expect(before);
    match (&verified.difference, verified.left.first()) {
        (Some(difference), _) => format!("{} {:?}", difference.name, difference.element),
        (None, Some(left)) => format!("left: {}", left.reason),
        (None, None) => format!("same in {} runs", verified.nodes),
    }
}

/// What both models begin with, the rest of the model before, and the rest after each of its changes.
type Changes = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// What the algebra of each change says: the first element that reads another number of the operand, where it must be that one.
/// `NaN` of a negative base and a fraction is one result on both sides.
const PAIRS: &[Changes] = &[
    (
        "x(3,3)",
        "c=const(3); y=Sub(x,c)",
        &[
            ("c=const(1,3); y=Sub(x,c)", "same in 1 runs"),
            ("c=const(3,1); y=Sub(x,c)", "y [0, 1]"),
            ("c=const(1,3,1); a=const:i64(1)=0; u=Unsqueeze(x,a); v=Sub(u,c); y=Squeeze(v,a)", "y [0, 1]"),
            ("c=const(1,1,3); a=const:i64(1)=0; u=Unsqueeze(x,a); v=Sub(u,c); y=Squeeze(v,a)", "same in 1 runs"),
        ],
    ),
    (
        "x(3,3); c=const(3)",
        "y=Sub(x,c)",
        &[
            ("y=Add(x,c)", "y ["),
            ("y=Sub(c,x)", "y ["),
            ("a=const:i64(1)=0; d=Unsqueeze(c,a); y=Sub(x,d)", "same in 1 runs"),
            ("a=const:i64(1)=1; d=Unsqueeze(c,a); y=Sub(x,d)", "y [0, 1]"),
            ("t=const:i64(2)=3,3; d=Expand(c,t); y=Sub(x,d)", "same in 1 runs"),
            ("n=Neg(c); y=Add(x,n)", "same in 1 runs"),
            ("n=Neg(c); y=Sub(x,n)", "y ["),
            ("t=Transpose(x) perm=1,0; y=Sub(t,c)", "left: Transpose is between its operands and its result"),
            ("r=Identity(x); y=Sub(r,c)", "same in 1 runs"),
            ("s=const:i64(2)=1,9; r=Reshape(x,s); z=const:i64(2)=3,3; u=Reshape(r,z); y=Sub(u,c)", "same in 1 runs"),
            ("z=Sub(x,c)", "left: its result is not in the changed model"),
        ],
    ),
    ("x(2,3); c(3)", "y=Less(x,c)", &[("y=Greater(c,x)", "same in 1 runs"), ("y=Greater(x,c)", "y [")]),
    ("x(2,3); c(3)", "y=Add(x,c)", &[("y=Add(c,x)", "same in 1 runs")]),
    ("x(2,3); c(3)", "y=Max(x,c)", &[("y=Max(c,x)", "same in 1 runs"), ("y=Min(x,c)", "y [")]),
    ("x(3,3)", "c(3); y=Pow(x,c)", &[("c(1,3); y=Pow(x,c)", "same in 1 runs")]),
    (
        "x(3,3); c(3)",
        "y=Pow(x,c)",
        &[
            ("a=const:i64(1)=0; d=Unsqueeze(c,a); y=Pow(x,d)", "same in 1 runs"),
            ("a=const:i64(1)=1; d=Unsqueeze(c,a); y=Pow(x,d)", "y [0, 1]"),
        ],
    ),
    (
        "x(2,3,4); s=const(4)",
        "y=PRelu(x,s)",
        &[
            ("p=Relu(x); n=Neg(x); r=Relu(n); k=Mul(r,s); y=Sub(p,k)", "same in 1 runs"),
            ("p=Relu(x); n=Neg(x); r=Relu(n); k=Mul(r,s); y=Add(p,k)", "y ["),
        ],
    ),
    ("x(2,3,4)", "s=const(4); y=PRelu(x,s)", &[("s=const(1,1,4); y=PRelu(x,s)", "same in 1 runs")]),
    ("x(2,4,4)", "s=const(4); y=PRelu(x,s)", &[("s=const(4,1); y=PRelu(x,s)", "y [")]),
    ("q:bool(3); a(2,3); b()", "y=Where(q,a,b)", &[("y=Where(q,a,b)", "same in 1 runs")]),
    (
        "q:bool(3); a(2,3); b(2,3)",
        "y=Where(q,a,b)",
        &[("n=Not(q); y=Where(n,b,a)", "same in 1 runs"), ("y=Where(q,b,a)", "y [")],
    ),
    (
        "x(n,3)",
        "c=const(3); y=Sub(x,c)",
        &[("c=const(1,3); y=Sub(x,c)", "same in 4 runs"), ("c=const(3,1); y=Sub(x,c)", "y []")],
    ),
    (
        "x(n,m); c(m)",
        "y=Sub(x,c)",
        &[
            ("a=const:i64(1)=0; d=Unsqueeze(c,a); y=Sub(x,d)", "same in 3 runs"),
            ("a=const:i64(1)=1; d=Unsqueeze(c,a); y=Sub(x,d)", "y [0, 1]"),
        ],
    ),
    ("x:i64(2,3)", "c:i64(3); y=Sub(x,c)", &[("c:i64(1,3); y=Sub(x,c)", "same in 1 runs")]),
    ("x:i64(3,3); c:i64(3)", "y=Sub(x,c)", &[("y=Sub(c,x)", "y [")]),
    ("x:bool(3,3); c:bool(3)", "y=Xor(x,c)", &[("y=Xor(c,x)", "same in 1 runs"), ("y=Or(x,c)", "y [")]),
    ("x:f16(2,3); c:f16(3)", "y=Mul(x,c)", &[("y=Mul(c,x)", "same in 1 runs")]),
    ("x(0,3)", "c(3); y=Sub(x,c)", &[("c(1,3); y=Sub(x,c)", "same in 1 runs")]),
    ("x(2,3)", "y=Relu(x)", &[("y=Abs(x)", "same in 0 runs")]),
    ("x(2,3); c=const(3)", "y=Add(x,c); z=Mul(y,c)", &[("d=const(1,3); y=Add(x,d); z=Mul(y,d)", "same in 2 runs")]),
    ("x(2,3); c=const(3); y=Add(x,c)", "z=Mul(y,c)", &[("z=Div(y,c)", "z [")]),
    (
        "",
        "opset 6; x(2,3,3); b(3); y=Sub(x,b) broadcast=1 axis=1",
        &[
            ("x(2,3,3); b(3); a=const:i64(1)=1; d=Unsqueeze(b,a); y=Sub(x,d)", "same in 1 runs"),
            ("x(2,3,3); b(3); y=Sub(x,b)", "y [0, 0, 1]"),
        ],
    ),
];

#[test]
fn pairs() {
    for (head, before, changes) in PAIRS {
        for (after, want) in *changes {
            let got = compared(&format!("{head}; {before}"), &format!("{head}; {after}"));
            assert!(got.starts_with(want), "{head}; {before} and {after}: {got}, not {want}");
        }
    }
}
