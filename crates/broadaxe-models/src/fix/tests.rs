mod tables;
mod channels;

use broadaxe_shape::{Rule, SymbolicShape};

use super::{
    Intent,
    candidate::Candidate,
    judge::judges,
    planner::{Answer, Judge, Rulings, plan},
    *,
};
use crate::{graph::ValueId, infer::Inferences, meaning::Meaning, testing::Sample};

/// A target that asks one question about a node.
struct Toy(&'static str, fn(&Meaning, &[SymbolicShape], &SymbolicShape) -> bool);

impl Judge for &Toy {
    fn name(&self) -> String {
        self.0.to_string()
    }

    fn answer(&self, _: NodeId, way: &Candidate) -> Answer {
        let same = (self.1)(&way.meaning, &way.shapes, &way.result);
        if same { Answer::Same } else { Answer::Not("it does not like it".to_string()) }
    }
}

/// A list that fits along one axis only is put there; where it fits along several, or along none, that is the reader's choice.
#[test]
fn the_axis_along_which_lists_fit() {
    let cases = [
        ("x(6,4,3); s=const(6); z=const:u8(6); q=QuantizeLinear(x,s,z)", "set axis to 0"),
        ("x(6); s=const(6); q=QuantizeLinear(x,s)", "set axis to 0"),
        ("x(6,4); s=const(4); q=QuantizeLinear(x,s) axis=0", "set axis to 1"),
        ("x(6,4,6); s=const(6); q=QuantizeLinear(x,s)", ""),
        ("x(6,4); s=const(4); z=const:u8(6); q=QuantizeLinear(x,s,z)", ""),
        ("x(6,6); s=const(6); q=QuantizeLinear(x,s)", ""),
    ];
    for (text, want) in cases {
        let (model, shapes) = crate::testing::model(text);
        let targets: [Target; 2] = ["onnx", "openvino"].map(|name| name.parse().expect("a target"));
        let bench = |decomposed: &_| judges(&model, &shapes, &targets, decomposed);
        let (inferences, rulings) = (Inferences::default(), Rulings::default());
        let fix = plan((&model, &shapes, &inferences, Intent::Unknown), &bench, None, &rulings).fix;
        let steps: Vec<String> = fix.steps.iter().map(|step| step.text.clone()).collect();
        assert_eq!(steps.join("; "), want, "{text}");
    }
}

fn equal(_: &Meaning, shapes: &[SymbolicShape], result: &SymbolicShape) -> bool {
    shapes.iter().all(|shape| shape.rank() == result.rank())
}

static EQUAL: Toy = Toy("equal", equal);
static RANK_3: Toy = Toy("rank<=3", |_, _, result| result.rank().is_some_and(|rank| rank <= 3));
static INTO_FIRST: Toy = Toy("into-first", |_, shapes, result| &shapes[0] == result);
static NONE: Toy = Toy("none", |_, shapes, result| shapes.iter().all(|shape| shape == result));
static NUMPY: Toy = Toy("numpy", |meaning, _, _| meaning.rule == Rule::numpy());
static SHORT: Toy = Toy("short", |_, shapes, _| shapes[1].rank() < Some(2));
static NEVER: Toy = Toy("never", |_, _, _| false);

/// Writes what is changed, and what is left.
fn show(fix: &Fix) -> String {
    let steps = fix.steps.iter().map(|step| step.text.clone());
    steps.chain(fix.left.iter().map(|left| format!("left: {}", left.reason))).collect::<Vec<_>>().join("; ")
}

fn fixed(sample: &Sample, targets: &[&'static Toy]) -> Fix {
    let bench = |_: &_| targets.iter().map(|toy| Box::new(*toy) as Box<dyn Judge>).collect();
    plan((&sample.model, &sample.shapes, &Inferences::default(), Intent::Unknown), &bench, None, &Rulings::default())
        .fix
}

/// Repairs one node of two operands; a shape after `=` is a constant's.
fn one(op: &str, operands: &[&str], targets: &[&'static Toy]) -> String {
    let mut sample = Sample::new(16);
    let inputs: Vec<ValueId> = operands
        .iter()
        .enumerate()
        .map(|(k, text)| match text.strip_prefix('=') {
            Some(dims) => sample.constant(&format!("c{k}"), dims.parse::<broadaxe_shape::Shape>().expect(dims).dims()),
            None => sample.input(&format!("v{k}"), text),
        })
        .collect();
    let shapes: Vec<SymbolicShape> =
        inputs.iter().map(|&value| sample.shapes.of[value.0 as usize].shape.clone()).collect();
    let result = Rule::numpy().infer(&shapes).expect("they broadcast").shape().to_string();
    sample.node(op, &inputs, &[], &result);
    show(&fixed(&sample, targets))
}

#[test]
fn the_cheapest_way() {
    let cases: &[(&str, &[&str], &[&'static Toy], &str)] = &[
        ("Add", &["(2,3,4)", "(2,3,4)"], &[&EQUAL], ""),
        ("Add", &["(2,3,4)", "=4"], &[&EQUAL], "reshape the constant c1 from (4,) to (1, 1, 4)"),
        ("Add", &["(2,3,4)", "=()"], &[&EQUAL], "reshape the constant c1 from () to (1, 1, 1)"),
        ("Add", &["(2,3,4)", "(4)"], &[&EQUAL], "unsqueeze v1 at axes 0, 1"),
        ("Add", &["(n,s,4)", "(s,4)"], &[&EQUAL], "unsqueeze v1 at axis 0"),
        ("Add", &["(4)", "(2,3,4)"], &[&INTO_FIRST], "swap the inputs of Add"),
        ("Less", &["(4)", "(2,3,4)"], &[&INTO_FIRST], "swap the inputs of Greater"),
        ("Sub", &["(4)", "(2,3,4)"], &[&INTO_FIRST], "expand v0 to (2, 3, 1)"),
        ("Add", &["(4)", "(2,3,4)"], &[&INTO_FIRST, &EQUAL], "swap the inputs of Add; unsqueeze v0 at axes 0, 1"),
        ("Add", &["(2,1)", "(1,3)"], &[&INTO_FIRST], "expand v0 to (1, 3)"),
        ("Mul", &["(2,1)", "(1,3)"], &[&NONE], "expand v0 to (1, 3); expand v1 to (2, 1)"),
        ("Mul", &["(2,n)", "(1,n)"], &[&NONE], "expand v1 to (2, 1)"),
        (
            "Where",
            &["(3,1)", "(2,3,4)", "=()"],
            &[&EQUAL],
            "unsqueeze v0 at axis 0; reshape the constant c2 from () to (1, 1, 1)",
        ),
        (
            "Add",
            &["(2,3,4,5)", "(5)"],
            &[&RANK_3],
            "reshape v0 to (24, 5); reshape v1 to (1, 5); reshape the result back to (2, 3, 4, 5)",
        ),
        (
            "Add",
            &["(n,3,4,5)", "=3,1,1"],
            &[&RANK_3],
            "reshape v0 to (-1, 3, 20); reshape the constant c1 from (3, 1, 1) to (1, 3, 1); reshape the result back to (-1, 3, 4, 5)",
        ),
        (
            "Add",
            &["(2,3,4,5)", "(2,1,4,1)"],
            &[&RANK_3],
            "left: no equivalent form found for rank<=3: it does not like it",
        ),
        ("Relu", &["(2,3,4,5)"], &[&RANK_3], "reshape v0 to (120,); reshape the result back to (2, 3, 4, 5)"),
        ("Add", &["(2,3,4)", "=4"], &[&NUMPY], ""),
        (
            "Add",
            &["(2,3)", "=3"],
            &[&EQUAL, &SHORT],
            "left: no single form works for both equal and short; make a model for each",
        ),
        (
            "Add",
            &["(2,3)", "=3"],
            &[&EQUAL, &NEVER],
            "reshape the constant c1 from (3,) to (1, 3); left: no equivalent form found for never: it does not like it",
        ),
    ];
    let mut wrong = Vec::new();
    for (op, operands, targets, want) in cases {
        let got = one(op, operands, targets);
        if got != *want {
            wrong.push(format!("{op} {operands:?}: {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn constants_of_several_readers() {
    struct Case {
        readers: &'static [&'static str],
        other: bool,
        target: &'static Toy,
        want: &'static [&'static str],
    }
    static READS_2: Toy = Toy("reads-2", |_, shapes, result| result.rank() != Some(3) || shapes[1].rank() == Some(3));
    let cases = [
        Case { readers: &["(2,3)", "(5,3)"], other: false, target: &EQUAL, want: &["in place (1, 3)"] },
        Case { readers: &["(2,3)", "(5,3)"], other: true, target: &EQUAL, want: &["2 of copy (1, 3)"] },
        Case {
            readers: &["(2,3)", "(2,2,3)", "(5,3)"],
            other: false,
            target: &EQUAL,
            want: &["in place (1, 3)", "1 of copy (1, 1, 3)"],
        },
        // Only the second reader needs another shape, but the first one accepts it too.
        Case { readers: &["(2,2,2,3)", "(2,2,3)"], other: false, target: &READS_2, want: &["in place (1, 1, 3)"] },
        // The first reader has no room for it.
        Case { readers: &["(2,3)", "(2,2,3)"], other: false, target: &READS_2, want: &["1 of copy (1, 1, 3)"] },
        Case { readers: &["(3)", "(2,3)"], other: false, target: &EQUAL, want: &["1 of copy (1, 3)"] },
    ];
    for Case { readers, other, target, want } in cases {
        let mut sample = Sample::new(16);
        let c = sample.constant("c", &[3]);
        for (k, shape) in readers.iter().enumerate() {
            let x = sample.input(&format!("x{k}"), shape);
            sample.node("Sub", &[x, c], &[], shape);
        }
        if other {
            sample.node("Shape", &[c], &[], "(1)");
        }
        let fix = fixed(&sample, &[target]);
        assert!(fix.left.is_empty(), "{readers:?}: {}", show(&fix));
        let text = |edit: &Edit| match edit {
            Edit::ReshapeConstant { shape, .. } => format!("in place {}", emit_edits::Dims(shape)),
            Edit::CopyConstant { shape, uses, .. } => format!("{} of copy {}", uses.len(), emit_edits::Dims(shape)),
            edit => format!("{edit:?}"),
        };
        assert_eq!(fix.edits.iter().map(text).collect::<Vec<_>>(), want, "{readers:?}");
    }
}

#[test]
fn large_constants_are_not_copied() {
    let mut sample = Sample::new(16);
    let c = sample.constant("c", &[1 << 19]);
    for shape in ["(2,524288)", "(524288)"] {
        let x = sample.input(shape, shape);
        sample.node("Add", &[x, c], &[], shape);
    }
    let fix = fixed(&sample, &[&EQUAL]);
    assert!(matches!(&fix.edits[..], [Edit::Reshape { shape, .. }] if shape[..] == [1, 1 << 19]), "{:?}", fix.edits);
}

#[test]
fn unknown_shapes_are_left() {
    let mut sample = Sample::new(16);
    let (x, y) = (sample.input("x", "..."), sample.input("y", "(3)"));
    sample.node("Add", &[x, y], &[], "...");
    let fix = fixed(&sample, &[&EQUAL]);
    assert_eq!((fix.edits.len(), fix.left.len()), (0, 1), "{}", show(&fix));
    // One that does the same whatever the shapes are has nothing to be repaired for.
    let fix = fixed(&sample, &[&NUMPY]);
    assert_eq!((fix.edits.len(), fix.left.len()), (0, 0), "{}", show(&fix));
}

/// Repairs one `PRelu` for targets by their names.
fn slope(x: &str, slope: &[usize], targets: &[&str]) -> String {
    let mut sample = Sample::new(16);
    let (x, slope) = (sample.input("x", x), sample.constant("slope", slope));
    let shape = sample.shapes.of[x.0 as usize].shape.to_string();
    sample.node("PRelu", &[x, slope], &[], &shape);
    show(&proposed(&sample, targets))
}

#[test]
fn slopes() {
    let apart = "decompose PRelu: relu(x) - slope * relu(-x)";
    let cases: &[(&str, &[usize], &[&str], &str)] = &[
        ("(2,3,4,5)", &[3, 1, 1], &["openvino", "ncnn", "onnx"], ""),
        ("(2,4,4)", &[4], &["openvino"], "reshape the constant slope from (4,) to (1, 1, 4)"),
        ("(2,3,5)", &[5], &["openvino"], ""),
        ("(2,3,4,5)", &[5], &["ncnn"], &format!("{apart}, with slope as (1, 1, 1, 5)")),
        (
            "(2,3,4,5)",
            &[1],
            &["openvino", "ncnn", "equal-rank"],
            "reshape the constant slope from (1,) to (1, 1, 1, 1)",
        ),
        ("(2,3,3,5)", &[3, 1], &["openvino", "ncnn"], apart),
    ];
    let mut wrong = Vec::new();
    for (x, dims, targets, want) in cases {
        let got = slope(x, dims, targets);
        if !got.starts_with(want) || (want.is_empty() && !got.is_empty()) {
            wrong.push(format!("{x} {dims:?} {targets:?}: {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Plans for these targets, without a judgement of the result: samples have no file.
fn proposed(sample: &Sample, targets: &[&str]) -> Fix {
    let targets: Vec<crate::profiles::Target> = targets.iter().map(|name| name.parse().expect(name)).collect();
    let (model, shapes) = (&sample.model, &sample.shapes);
    let bench = |apart: &_| judge::judges(model, shapes, &targets, apart);
    plan((model, shapes, &Inferences::default(), Intent::Unknown), &bench, None, &Rulings::default()).fix
}

/// Says what a plan for ncnn changes, and which operators it leaves.
fn for_ncnn(sample: &Sample) -> (String, Vec<String>) {
    let fix = proposed(sample, &["ncnn"]);
    let left = fix.left.iter().map(|left| {
        assert_eq!(left.kind, LeftKind::Unsupported, "{}", left.reason);
        sample.model.node(left.node).op.clone()
    });
    let left = left.collect();
    (show(&Fix { left: Vec::new(), ..fix }), left)
}

#[test]
fn what_has_one_operand_and_is_not_known_is_left_alone() {
    let mut sample = Sample::new(16);
    let x = sample.input("x", "(2,3,4)");
    sample.node("Relu", &[x], &[], "(2,3,4)");
    let fix = proposed(&sample, &["litert-gpu"]);
    assert_eq!((fix.edits.len(), fix.left.len()), (0, 0), "{}", show(&fix));
}

#[test]
fn what_a_target_lacks_is_replaced_or_passed_over() {
    let mut sample = Sample::new(16);
    let (x, y, slope) = (sample.input("x", "(2,3,4)"), sample.input("y", "(3,1)"), sample.input("slope", "(3,1)"));
    sample.node("Less", &[x, y], &[], "(2,3,4)");
    assert_eq!(for_ncnn(&sample), (String::new(), vec!["Less".to_string()]));
    sample.node("PRelu", &[x, slope], &[], "(2,3,4)");
    let (steps, left) = for_ncnn(&sample);
    assert!(steps.starts_with("decompose PRelu: relu(x) - slope * relu(-x)") && left == ["Less"], "{steps} {left:?}");
    // Another target that has the operator is served all the same.
    let fix = proposed(&sample, &["ncnn", "equal-rank"]);
    let changed: Vec<u32> = fix.steps.iter().map(|step| step.node.0).collect();
    assert_eq!((changed.contains(&0), fix.left.len()), (true, 1), "{}", show(&fix));
    // Nor is one of unknown shape to be repaired.
    let mut sample = Sample::new(16);
    let (x, y) = (sample.input("x", "..."), sample.input("y", "(3)"));
    sample.node("Less", &[x, y], &[], "...");
    assert_eq!(for_ncnn(&sample), (String::new(), vec!["Less".to_string()]));
}
