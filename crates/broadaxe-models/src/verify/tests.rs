use super::*;
use crate::{fix::sample::Sample, graph::Attribute};

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
        7,
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
