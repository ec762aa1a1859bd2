use broadaxe_shape::Rule;

use super::*;
use crate::{
    edit::{Scalar, Wire},
    graph::{Attribute, ValueId},
    testing::{self, Sample},
};

/// Returns the shape that the second operand has after the changes.
fn changed(fix: &Fix, own: &[usize]) -> Vec<usize> {
    let mut shape = own.to_vec();
    for edit in &fix.edits {
        match edit {
            Edit::ReshapeConstant { shape: new, .. } => shape.clone_from(new),
            Edit::Unsqueeze { axes, .. } => axes.iter().for_each(|&axis| shape.insert(axis as usize, 1)),
            Edit::Attribute { value: None, .. } | Edit::Opset(7) => {}
            other => panic!("{other:?}"),
        }
    }
    shape
}

fn text(shape: &[usize]) -> String {
    format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(","))
}

/// Upgrades `op(a, b)`, where `b` is a constant or not.
fn legacy(op: &str, (a, b): (&[usize], &[usize]), axis: Option<i64>, constant: bool) -> Fix {
    let mut sample = Sample::new(6);
    let x = sample.input("a", &text(a));
    let y = if constant { sample.constant("b", b) } else { sample.input("b", &text(b)) };
    let mut attributes = vec![("broadcast", Attribute::Int(1))];
    attributes.extend(axis.map(|axis| ("axis", Attribute::Int(axis))));
    sample.node(op, &[x, y], &attributes, &text(a));
    upgrade(&sample.model, &sample.shapes).expect("an ONNX model")
}

/// Lists the shapes of up to four axes with these extents.
fn shapes(extents: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    let mut from = 0;
    for _ in 0..4 {
        let longer: Vec<Vec<usize>> = all[from..]
            .iter()
            .flat_map(|shape: &Vec<usize>| extents.iter().map(|&extent| [shape.as_slice(), &[extent]].concat()))
            .collect();
        from = all.len();
        all.extend(longer);
    }
    all
}

#[test]
fn every_placement_keeps_its_meaning() {
    let mut count = 0;
    let all = shapes(&[1, 2, 3]);
    for a in &all {
        for b in all.iter().filter(|b| b.len() <= a.len()) {
            for axis in [None].into_iter().chain((0..=a.len() as i64).map(Some)) {
                let Ok(meant) = Rule::onnx_legacy(axis).align(&[a, b]) else { continue };
                count += 1;
                let fix = legacy("Sub", (a, b), axis, count % 2 == 0);
                assert!(fix.left.is_empty(), "{a:?} {b:?} {axis:?}: {:?}", fix.left);
                let now = changed(&fix, b);
                let got = Rule::numpy().align(&[a, &now]).expect("numpy accepts it");
                let strides = |alignment: &broadaxe_shape::Alignment| (alignment.shape().clone(), alignment.strides(1));
                let (mut want, got) = (strides(&meant), strides(&got));
                // Along an axis of 1 any stride is right.
                want.1.iter_mut().zip(a).zip(&got.1).for_each(|((own, &extent), &stride)| {
                    if extent == 1 {
                        *own = stride;
                    }
                });
                assert_eq!(got, want, "{a:?} {b:?} {axis:?}: {now:?}");
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn refused() {
    type Case = (&'static [usize], &'static [usize], Option<i64>, &'static str);
    let cases: &[Case] = &[
        (&[2, 3], &[2, 2, 3], None, "rank 3, more than 2"),
        (&[2, 3], &[3], Some(-9), "does not fit at axis -9"),
        (&[2, 3], &[3], Some(1000), "does not fit at axis 1000"),
        (&[2, 3, 4], &[3, 4], Some(2), "axis must be 0 to 1"),
        (&[2, 3, 4], &[3], None, "axis 2 is 4 in the first operand and 3 in the second"),
        (&[2, 1, 4], &[3], Some(1), "axis 1 is 1"),
    ];
    for &(a, b, axis, want) in cases {
        let fix = legacy("Add", (a, b), axis, false);
        let reason = &fix.left.first().expect("a refusal").reason;
        assert!(reason.contains(want), "{a:?} {b:?} {axis:?}: {reason}");
        assert!(fix.edits.is_empty(), "{a:?} {b:?} {axis:?}: half an upgrade, {:?}", fix.edits);
    }
}

#[test]
fn exporters_stretched_inside_a_run() {
    assert_eq!(changed(&legacy("Add", (&[2, 3], &[2, 1]), Some(0), false), &[2, 1]), [2, 1]);
    assert_eq!(changed(&legacy("Add", (&[2, 3, 4], &[2, 1]), Some(0), true), &[2, 1]), [2, 1, 1]);
}

#[test]
fn without_broadcast_shapes_are_equal() {
    for (b, fits) in [("(2,3)", true), ("(3)", false), ("(n,3)", true), ("(1,3)", false), ("...", true)] {
        let mut sample = Sample::new(6);
        let (x, y) = (sample.input("a", "(2,3)"), sample.input("b", b));
        sample.node("Mul", &[x, y], &[], "(2,3)");
        let fix = upgrade(&sample.model, &sample.shapes).expect("an ONNX model");
        assert_eq!(fix.left.is_empty(), fits, "{b}: {:?}", fix.left);
    }
}

#[test]
fn symbolic_dims_need_ranks_only() {
    let mut sample = Sample::new(6);
    let (x, y) = (sample.input("a", "(n,c,h,?)"), sample.input("b", "(c)"));
    sample.node("Mul", &[x, y], &[("broadcast", Attribute::Int(1)), ("axis", Attribute::Int(1))], "(n,c,h,?)");
    let fix = upgrade(&sample.model, &sample.shapes).expect("an ONNX model");
    assert!(fix.edits.iter().any(|edit| matches!(edit, Edit::Unsqueeze { axes, .. } if axes[..] == [1, 2])), "{fix:?}");
    let mut sample = Sample::new(6);
    let (x, y) = (sample.input("a", "..."), sample.input("b", "(c)"));
    sample.node("Mul", &[x, y], &[("broadcast", Attribute::Int(1)), ("axis", Attribute::Int(1))], "...");
    let fix = upgrade(&sample.model, &sample.shapes).expect("an ONNX model");
    assert!(fix.left[0].reason.contains("the rank of a is not known"), "{fix:?}");
}

#[test]
fn slopes_lie_along_channels() {
    type Case = (&'static [usize], &'static [usize], Option<&'static [usize]>);
    let cases: &[Case] = &[
        (&[2, 3, 4, 5], &[3], Some(&[3, 1, 1])),
        (&[2, 3, 4, 5], &[1], Some(&[1])),
        (&[2, 3], &[3], Some(&[3])),
        (&[3], &[3], Some(&[3])),
        (&[2, 3, 3, 3], &[3], Some(&[3, 1, 1])),
        (&[2, 3, 4, 5], &[3, 1, 1], Some(&[3, 1, 1])),
        (&[2, 3, 4, 5], &[1, 3, 1, 1], Some(&[1, 3, 1, 1])),
        (&[2, 3, 4, 5], &[5], None),
        (&[2, 3, 4, 5], &[4, 5], None),
        (&[2, 3, 4, 5], &[3, 1, 1, 1], None),
    ];
    for &(x, slope, want) in cases {
        let fix = legacy("PRelu", (x, slope), None, true);
        match want {
            Some(want) => assert_eq!((changed(&fix, slope), fix.left.len()), (want.to_vec(), 0), "{x:?} {slope:?}"),
            None => assert_eq!(fix.left.len(), 1, "{x:?} {slope:?}: {fix:?}"),
        }
    }
}

/// Upgrades one node of an opset and returns what happens to it, as text.
fn turned(opset: i64, op: &str, attributes: &[(&str, Attribute)], inputs: usize) -> String {
    let mut sample = Sample::new(opset);
    let x = sample.input("x", "(1,2,4,4)");
    let others: Vec<ValueId> = (1..inputs).map(|k| sample.whole(&format!("c{k}"), &[2])).collect();
    sample.node(op, &[&[x], &others[..]].concat(), attributes, "(1,2,4,4)");
    let fix = upgrade(&sample.model, &sample.shapes).expect("an ONNX model");
    match fix.left.first() {
        Some(left) => left.reason.to_string(),
        None => fix.steps.iter().map(|step| step.text.as_str()).collect::<Vec<_>>().join("; "),
    }
}

#[test]
fn other_operators() {
    let (int, ints) = (Attribute::Int, |list: &[i64]| Attribute::Ints(list.to_vec()));
    let word = |text: &str| Attribute::Text(text.to_string());
    type Case<'a> = (i64, &'a str, &'a [(&'a str, Attribute)], usize, &'a str);
    let cases: &[Case<'_>] = &[
        (1, "Relu", &[("consumed_inputs", ints(&[0]))], 1, "remove the attribute consumed_inputs"),
        (6, "Relu", &[], 1, ""),
        (6, "Dropout", &[("is_test", int(1))], 1, "remove the attribute is_test"),
        (6, "Dropout", &[], 1, "Dropout of opset 6: is_test is not 1, so this one drops at random"),
        (6, "Dropout", &[("ratio", Attribute::Float(0.0))], 1, ""),
        (6, "BatchNormalization", &[("is_test", int(1))], 1, "remove the attribute is_test"),
        (1, "Cast", &[("to", word("FLOAT16"))], 1, "set the attribute to to 10"),
        (5, "Cast", &[("to", word("complex"))], 1, "the type complex is not known"),
        (1, "Concat", &[], 1, "set the attribute axis to 1"),
        (4, "Concat", &[("axis", int(0))], 1, ""),
        (1, "Selu", &[], 1, "set the attribute alpha to 1.6732; set the attribute gamma to 1.0507"),
        (1, "Reshape", &[("shape", ints(&[0, -1]))], 1, "give [0, -1] as an input"),
        (
            1,
            "Pad",
            &[("paddings", ints(&[1, 1]))],
            1,
            "set the attribute pads to [1, 1]; remove the attribute paddings",
        ),
        (1, "LpPool", &[("kernel_shape", ints(&[2])), ("p", Attribute::Float(2.0))], 1, "set the attribute p to 2"),
        (1, "GlobalLpPool", &[("p", Attribute::Float(1.5))], 1, "p is 1.5"),
        (1, "Tile", &[], 3, "give [1, 1, 2, 1] as an input"),
        (1, "Split", &[("axis", int(1))], 2, "give the lengths as an attribute"),
        (1, "Split", &[], 1, "axis must be given"),
        (6, "LSTM", &[("output_sequence", int(1))], 1, "remove the attribute output_sequence"),
        (6, "Frobnicate", &[], 1, "there is no operator Frobnicate before opset 7"),
        (
            6,
            "Upsample",
            &[
                ("height_scale", Attribute::Float(2.0)),
                ("width_scale", Attribute::Float(3.0)),
                ("mode", word("bilinear")),
            ],
            1,
            "set the attribute mode to linear; set the attribute scales to [1.0, 1.0, 2.0, 3.0]; \
             remove the attribute height_scale; remove the attribute width_scale",
        ),
    ];
    for (opset, op, attributes, inputs, want) in cases {
        let got = turned(*opset, op, attributes, *inputs);
        let fits = if want.is_empty() { got.is_empty() } else { got.contains(want) };
        assert!(fits, "{op} of opset {opset}: {got}");
    }
}

#[test]
fn replaced_nodes_lose_all_attributes_at_once() {
    let mut sample = Sample::new(1);
    let x = sample.input("x", "(2,3)");
    let attributes = [("shape", Attribute::Ints(vec![6])), ("consumed_inputs", Attribute::Ints(vec![0]))];
    let y = sample.node("Reshape", &[x], &attributes, "(6)");
    let fix = upgrade(&sample.model, &sample.shapes).expect("an ONNX model");
    let [Edit::Replace { with, .. }, Edit::Opset(7)] = &fix.edits[..] else { panic!("{fix:?}") };
    assert_eq!(with[0].inputs, [Wire::Old(x), Wire::Ints(vec![6])]);
    assert_eq!((with[0].output.clone(), with[0].attributes.len()), (Wire::Old(y), 0));
}

#[test]
fn shared_constants_are_split() {
    let mut sample = Sample::new(6);
    let (x, c) = (sample.input("x", "(3,3)"), sample.constant("c", &[3]));
    let at = |axis| [("broadcast", Attribute::Int(1)), ("axis", Attribute::Int(axis))];
    for axis in [0, 1, 0] {
        sample.node("Add", &[x, c], &at(axis), "(3,3)");
    }
    let fix = upgrade(&sample.model, &sample.shapes).expect("an ONNX model");
    let copies: Vec<_> = fix
        .edits
        .iter()
        .filter_map(|edit| match edit {
            Edit::CopyConstant { shape, uses, .. } => Some((shape.clone(), uses.len())),
            Edit::ReshapeConstant { .. } | Edit::Unsqueeze { .. } => panic!("{edit:?}"),
            _ => None,
        })
        .collect();
    assert_eq!(copies, [(vec![3, 1], 2)]);
}

#[test]
fn a_new_opset_is_left_alone() {
    let mut sample = Sample::new(7);
    let (x, y) = (sample.input("x", "(2,3)"), sample.input("y", "(3)"));
    sample.node("Add", &[x, y], &[], "(2,3)");
    assert_eq!(upgrade(&sample.model, &sample.shapes).expect("an ONNX model"), Fix::default());
    assert_eq!(Scalar::Floats(vec![1.0, 2.5]).to_string(), "[1.0, 2.5]");
}

/// Upgrades a model written as text, and lists the steps, or why a node is left.
fn upgraded(text: &str) -> String {
    let (model, shapes) = testing::model(text);
    let fix = upgrade(&model, &shapes).expect(text);
    let left: Vec<String> = fix.left.iter().map(|left| format!("left: {}", left.reason)).collect();
    assert!(left.is_empty() || fix.edits.is_empty(), "{text}: half an upgrade");
    let steps: Vec<String> = fix.steps.iter().map(|step| step.text.clone()).collect();
    if left.is_empty() { steps.join("; ") } else { left.join("; ") }
}

/// Steps by the schemas of the operators in ONNX 1.23, opsets 1 to 7: `-a` removes an attribute, `+a to v` sets one.
const SCHEMAS: &[(&str, &str)] = &[
    ("opset 6; x(2,3,4); b=const(3); y=Add(x,b) broadcast=1 axis=1", "-broadcast, -axis, b from (3,) to (3, 1)"),
    ("opset 6; x(2,3,4); b(3); y=Add(x,b) broadcast=1 axis=1", "-broadcast, -axis, unsqueeze b at axis 1"),
    ("opset 6; x(2,3,4); b(2); y=Add(x,b) broadcast=1 axis=0", "-broadcast, -axis, unsqueeze b at axes 1, 2"),
    ("opset 6; x(2,3,4); b=const(4); y=Add(x,b) broadcast=1 axis=2", "-broadcast, -axis"),
    ("opset 6; x(2,3,4); b(4); y=Add(x,b) broadcast=1 axis=2", "-broadcast, -axis"),
    ("opset 6; x(2,3,4); b=const(4); y=Add(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(4); y=Add(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b=const(3,4); y=Add(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(3,4); y=Add(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(2,3); y=Add(x,b) broadcast=1 axis=0", "-broadcast, -axis, unsqueeze b at axis 2"),
    ("opset 6; x(2,3,4); b=const(3,4); y=Add(x,b) broadcast=1 axis=1", "-broadcast, -axis"),
    ("opset 6; x(2,3,4); b(3,4); y=Add(x,b) broadcast=1 axis=1", "-broadcast, -axis"),
    ("opset 6; x(2,3,4); b=const(1); y=Add(x,b) broadcast=1 axis=0", "-broadcast, -axis"),
    ("opset 6; x(2,3,4); b(1); y=Add(x,b) broadcast=1 axis=0", "-broadcast, -axis"),
    ("opset 6; x(2,3,4); b=const(); y=Add(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(); y=Add(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b=const(3); y=Sub(x,b) broadcast=1 axis=1", "-broadcast, -axis, b from (3,) to (3, 1)"),
    ("opset 6; x(2,3,4); b(3); y=Sub(x,b) broadcast=1 axis=1", "-broadcast, -axis, unsqueeze b at axis 1"),
    ("opset 6; x(2,3,4); b=const(4); y=Sub(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(4); y=Sub(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(2,3); y=Sub(x,b) broadcast=1 axis=0", "-broadcast, -axis, unsqueeze b at axis 2"),
    ("opset 6; x(2,3,4); b=const(3); y=Mul(x,b) broadcast=1 axis=1", "-broadcast, -axis, b from (3,) to (3, 1)"),
    ("opset 6; x(2,3,4); b(3); y=Mul(x,b) broadcast=1 axis=1", "-broadcast, -axis, unsqueeze b at axis 1"),
    ("opset 6; x(2,3,4); b=const(4); y=Mul(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(4); y=Mul(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(2,3); y=Mul(x,b) broadcast=1 axis=0", "-broadcast, -axis, unsqueeze b at axis 2"),
    ("opset 6; x(2,3,4); b=const(3); y=Div(x,b) broadcast=1 axis=1", "-broadcast, -axis, b from (3,) to (3, 1)"),
    ("opset 6; x(2,3,4); b(3); y=Div(x,b) broadcast=1 axis=1", "-broadcast, -axis, unsqueeze b at axis 1"),
    ("opset 6; x(2,3,4); b=const(4); y=Div(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(4); y=Div(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(2,3); y=Div(x,b) broadcast=1 axis=0", "-broadcast, -axis, unsqueeze b at axis 2"),
    ("opset 6; x(2,3,4); b=const(3); y=Pow(x,b) broadcast=1 axis=1", "-broadcast, -axis, b from (3,) to (3, 1)"),
    ("opset 6; x(2,3,4); b=const(4); y=Pow(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b=const(3); y=Less(x,b) broadcast=1 axis=1", "-broadcast, -axis, b from (3,) to (3, 1)"),
    ("opset 6; x(2,3,4); b=const(4); y=Less(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(3); y=Greater(x,b) broadcast=1 axis=1", "-broadcast, -axis, unsqueeze b at axis 1"),
    ("opset 6; x(2,3,4); b=const(4); y=Greater(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(4); y=Greater(x,b) broadcast=1", "-broadcast"),
    ("opset 6; x(2,3,4); b(2,3); y=Greater(x,b) broadcast=1 axis=0", "-broadcast, -axis, unsqueeze b at axis 2"),
    ("opset 1; x(2,3); y=Relu(x) consumed_inputs=0,", "-consumed_inputs"),
    ("opset 1; x(2,3); y=Cast(x) to=FLOAT", "+to to 1"),
    ("opset 1; x(2,3); b(2,3); y=Concat(x,b)", "+axis to 1"),
    ("opset 1; x(2,3); y=Selu(x)", "+alpha to 1.6732, +gamma to 1.0507"),
    ("opset 1; x(2,3); y=Reshape(x) shape=3,2", "give [3, 2] as an input"),
    ("opset 1; x(1,2,4,4); y=Pad(x) paddings=0,0,1,1,0,0,1,1", "+pads to [0, 0, 1, 1, 0, 0, 1, 1], -paddings"),
    ("opset 1; x(2,3); y=Dropout(x) is_test=1", "-is_test"),
    ("opset 2; x(2,3); y=Cast(x) to=FLOAT", "+to to 1"),
    ("opset 2; x(2,3); b(2,3); y=Concat(x,b)", "+axis to 1"),
    ("opset 3; x(2,3); y=Cast(x) to=FLOAT", "+to to 1"),
    ("opset 3; x(2,3); b(2,3); y=Concat(x,b)", "+axis to 1"),
    ("opset 4; x(2,3); y=Relu(x) consumed_inputs=0,", "-consumed_inputs"),
    ("opset 4; x(2,3); y=Cast(x) to=FLOAT", "+to to 1"),
    ("opset 4; x(2,3); b(2,3); y=Concat(x,b)", ""),
    ("opset 4; x(2,3); y=Selu(x)", "+alpha to 1.6732, +gamma to 1.0507"),
    ("opset 4; x(2,3); y=Reshape(x) shape=3,2", "give [3, 2] as an input"),
    ("opset 4; x(2,3); y=Dropout(x) is_test=1", "-is_test"),
    ("opset 5; x(2,3); y=Relu(x) consumed_inputs=0,", "-consumed_inputs"),
    ("opset 5; x(2,3); y=Cast(x) to=FLOAT", "+to to 1"),
    ("opset 5; x(2,3); b(2,3); y=Concat(x,b)", ""),
    ("opset 5; x(2,3); y=Selu(x)", "+alpha to 1.6732, +gamma to 1.0507"),
    ("opset 5; x(2,3); y=Reshape(x) shape=3,2", ""),
    ("opset 5; x(2,3); y=Dropout(x) is_test=1", "-is_test"),
    ("opset 6; x(2,3); b(2,3); y=Concat(x,b)", ""),
    ("opset 6; x(2,3); y=Selu(x)", ""),
    ("opset 6; x(2,3); y=Reshape(x) shape=3,2", ""),
    ("opset 6; x(2,3); y=Dropout(x) is_test=1", "-is_test"),
    ("opset 6; x(2,3); y=Dropout(x)", "left: is_test is not 1, so this one drops at random"),
    ("opset 6; x(2,3); y=Dropout(x) is_test=0", "left: is_test is not 1, so this one drops at random"),
    ("opset 6; x(2,3); y=Dropout(x) is_test=0 ratio=0.0", "-is_test"),
    ("opset 6; x(2,3); y=Dropout(x) is_test=1 ratio=0.5", "-is_test"),
    ("opset 6; x(1,2,4,4); y=Upsample(x) height_scale=2.0", "left: height_scale and width_scale must both be g"),
    ("opset 6; x(3,5); w=const(5,4); c=const(4); y=Gemm(x,w,c) broadcast=1", "-broadcast"),
    ("opset 6; x(3,5); w=const(5,4); c=const(4); y=Gemm(x,w,c)", "left: C is (4,), and the attribute broadcast"),
    ("opset 6; x(3,5); w=const(5,4); c=const(3,4); y=Gemm(x,w,c)", ""),
    ("opset 6; x(2,3); b(2,3); y=Add(x,b)", ""),
    ("opset 6; x(2,3); b(3); y=Add(x,b)", "left: shapes (2, 3) and (3,) differ, and the attribute broadcast is"),
    ("opset 6; x(2,3); b(3); y=Add(x,b) broadcast=0", "left: shapes (2, 3) and (3,) differ, and the attribute "),
    ("opset 6; x(2,3); b(4); y=Add(x,b) broadcast=1", "left: axis 1 is 3 in the first operand and 4 in the sec"),
    ("opset 6; x(2,3); b(2,2,3); y=Add(x,b) broadcast=1", "left: the second operand has rank 3, more than 2 of"),
    ("opset 6; x(2,3); b(3); y=Add(x,b) broadcast=1 axis=2", "left: the second operand does not fit at axis 2"),
    ("opset 6; x(2,3); b(2); y=Add(x,b) broadcast=1 axis=0", "-broadcast, -axis, unsqueeze b at axis 1"),
    ("opset 6; x(2,3); b(2); y=Add(x,b) broadcast=1 axis=-2", "left: the second operand does not fit at axis -"),
    ("opset 6; x(2,1); b(3); y=Add(x,b) broadcast=1", "left: axis 1 is 1 in the first operand and 3 in the sec"),
    ("opset 6; x(2,3,4); s=const(3); y=PRelu(x,s)", "s from (3,) to (3, 1)"),
    ("opset 6; x(2,3,4); s=const(4); y=PRelu(x,s)", "left: a slope of 4 elements is neither one nor one per ch"),
    ("opset 6; x(2,3,4,5); s=const(3,1,1); y=PRelu(x,s)", ""),
    ("opset 6; x(3,3); s=const(3); y=PRelu(x,s)", ""),
    ("opset 6; x(2,3,4); s=const(1); y=PRelu(x,s)", ""),
    ("opset 6; x(2,3,4); s=const(); y=PRelu(x,s)", ""),
    ("opset 6; x(2,3,4); s(3); y=PRelu(x,s)", "unsqueeze s at axis 1"),
    ("opset 6; x(n,c,h); s=const(3); y=PRelu(x,s)", "s from (3,) to (3, 1)"),
    ("opset 6; x(2,3); t=const:i64(1)=2; a=const:i64(1)=1; y=Tile(x,t,a)", ""),
    ("opset 6; x(2,3); y=Foo(x)", "left: there is no operator Foo before opset 7"),
    ("opset 6; x(2,3); y=Relu(x)", ""),
    ("opset 6; x(2,3); y=Tanh(x)", ""),
    ("opset 6; x(2,3); y=Softmax(x)", ""),
    ("opset 6; x(2,3); y=Max(x,x)", ""),
    ("opset 6; x(2,3); y=Clip(x)", ""),
    ("opset 6; x(2,3); y=And(x,x)", ""),
    ("opset 6; x(2,3); y=Expand(x)", "left: there is no operator Expand before opset 7"),
    ("opset 6; x(2,3); y=Where(x,x,x)", "left: there is no operator Where before opset 7"),
    ("opset 6; x(2,3); y=LayerNormalization(x)", "left: there is no operator LayerNormalization before opset 7"),
    ("opset 1; x(2,3); y=Cast(x) to=INT64", "+to to 7"),
    ("opset 1; x(2,3); y=Cast(x) to=bool", "+to to 9"),
    ("opset 1; x(2,3); y=Cast(x) to=DOUBLE", "+to to 11"),
    ("opset 1; x(2,3); y=Cast(x) to=BFLOAT16", "left: the type BFLOAT16 is not known"),
    ("opset 1; x(2,3); y=Cast(x) to=1", ""),
    ("opset 1; x(2,3); y=Cast(x)", "left: the attribute to must name a type"),
    ("opset 1; x(2,3); y=Split(x) axis=1", ""),
    ("opset 1; x(2,3); y=Split(x)", "left: the attribute axis must be given, since opset 1 has no default for "),
    ("opset 1; x(1,2,4,4); y=LpPool(x) kernel_shape=2,2 p=2.0", "+p to 2"),
    ("opset 1; x(1,2,4,4); y=LpPool(x) p=2.0", "left: the attribute kernel_shape must be given"),
    ("opset 1; x(1,2,4,4); y=LpPool(x) kernel_shape=2,2 p=2.5", "left: p is 2.5, and from opset 2 on it is a w"),
    ("opset 1; x(1,2,4,4); y=GlobalLpPool(x) p=3.0", "+p to 3"),
    ("opset 1; x(1,2,4,4); y=GlobalLpPool(x)", ""),
    ("opset 1; x(2,3); y=Pad(x)", "left: the attribute paddings must be given"),
    ("opset 1; x(2,3); y=Reshape(x)", "left: the attribute shape must be given"),
    ("opset 1; x(2,3); y=Selu(x) alpha=1.5", "+gamma to 1.0507"),
    ("opset 1; x(2,3); y=Selu(x) alpha=1.5 gamma=1.0", ""),
    ("opset 1; x(2,3); b(2,3); y=Add(x,b) consumed_inputs=0,0", "-consumed_inputs"),
    ("opset 1; x(2,3); b(3); y=Add(x,b) broadcast=1 consumed_inputs=0,0", "-broadcast, -consumed_inputs"),
    ("opset 1; x(2,3); y=Sigmoid(x) consumed_inputs=0,", "-consumed_inputs"),
    ("opset 1; x(2,3); y=Exp(x) consumed_inputs=0,", "-consumed_inputs"),
    ("opset 6; x(1,2,2); s=const(2); m=const(2); y=BatchNormalization(x,s,s,m,m) is_test=1", "-is_test"),
    ("opset 6; x(1,2,2); s=const(2); m=const(2); y=BatchNormalization(x,s,s,m,m)", ""),
];

#[test]
fn schemas() {
    for (text, want) in SCHEMAS {
        let short = [("remove the attribute ", "-"), ("set the attribute ", "+"), ("reshape the constant ", "")];
        let got = short.iter().fold(upgraded(text), |got, (long, short)| got.replace(long, short));
        let got = match got.strip_prefix("left: ") {
            Some(left) => format!("left: {}", left.split_once(": ").expect(text).1),
            None => got.replace("; ", ", "),
        };
        let fits = if want.starts_with("left") { got.starts_with(*want) } else { got == *want };
        assert!(fits, "{text}: {got}, not {want}");
    }
}
