//! Compares the whole sentence of every error that a rule can give.

use broadaxe_shape::{AxisParam, ErrorKind, Mode, Params, RULES, Rule, Shape, contiguous_strides, elements};

/// A rule, its operands, and the error; what follows ` under` in the sentence repeats the rule's name.
const ALIGN: &[(&str, &str, &str)] = &[
    (
        "none",
        "2,3 ; 2,4",
        "broadcast of a (2, 3) with b (2, 4) under none: axis 1 is 3 in a and 4 in b; they must be equal",
    ),
    (
        "none",
        "2,3 ; 3",
        "broadcast of a (2, 3) with b (3,) under none: a has rank 2 and b has rank 1; the shapes must be identical",
    ),
    (
        "none",
        "2,3 ; 2,3 ; 2,1",
        "broadcast of a (2, 3) with b (2, 3) with c (2, 1) under none: axis 1 is 3 in a and 1 in c; they must be equal",
    ),
    (
        "none",
        "2 ; 2 ; 2 ; 2 ; 2 ; 2 ; 2 ; 2 ; 2 ; 3 ; 2",
        "broadcast of a (2,) with b (2,) with c (2,) with d (2,) with e (2,) with f (2,) with g (2,) with h (2,) and 3 more under none: axis 0 is 2 in a and 3 in j; they must be equal",
    ),
    ("none", "", "the rule none needs at least 1 operands, not 0"),
    (
        "numpy",
        "2,3 ; 4,3",
        "broadcast of a (2, 3) with b (4, 3) under numpy: axis 0 is 2 in a and 4 in b; they must be equal or 1",
    ),
    (
        "numpy",
        "2,3 ; 2",
        "broadcast of a (2, 3) with b (2,) under numpy: axis 1 is 3 in a and 2 in b; they must be equal or 1",
    ),
    (
        "numpy",
        "0 ; 2",
        "broadcast of a (0,) with b (2,) under numpy: axis 0 is 0 in a and 2 in b; they must be equal or 1",
    ),
    (
        "numpy",
        "3,1 ; 2,4 ; 5,4",
        "broadcast of a (3, 1) with b (2, 4) with c (5, 4) under numpy: axis 0 is 3 in a and 2 in b; they must be equal or 1",
    ),
    ("numpy", "", "the rule numpy needs at least 1 operands, not 0"),
    ("numpy", "9223372036854775807,2 ; 1", "(9223372036854775807, 2) has more elements than an address can count"),
    ("numpy", "9223372036854775807,1 ; 1,2", "(9223372036854775807, 2) has more elements than an address can count"),
    (
        "unidirectional",
        "3 ; 2,3",
        "broadcast of a (3,) with b (2, 3) under unidirectional: b has rank 2 and a only 1; the rank of b must not be above that of a",
    ),
    (
        "unidirectional",
        "1 ; 2",
        "broadcast of a (1,) with b (2,) under unidirectional: axis 0 is 1 in a and 2 in b; a may not stretch, so b must be 1 there",
    ),
    (
        "unidirectional",
        "2,3 ; 2",
        "broadcast of a (2, 3) with b (2,) under unidirectional: axis 1 is 3 in a and 2 in b; b must be 3 or 1 there",
    ),
    (
        "unidirectional",
        "2,3 ; 0",
        "broadcast of a (2, 3) with b (0,) under unidirectional: axis 1 is 3 in a and 0 in b; b must be 3 or 1 there",
    ),
    (
        "unidirectional",
        "1,3 ; 3 ; 2,3",
        "broadcast of a (1, 3) with b (3,) with c (2, 3) under unidirectional: axis 0 is 1 in a and 2 in c; a may not stretch, so c must be 1 there",
    ),
    (
        "onnx-legacy",
        "2,3 ; 2",
        "broadcast of a (2, 3) with b (2,) under onnx-legacy: axis 1 is 3 in a and 2 in b; they must be equal",
    ),
    (
        "onnx-legacy",
        "3 ; 2,3",
        "broadcast of a (3,) with b (2, 3) under onnx-legacy: b has rank 2 and a only 1; the rank of b must not be above that of a",
    ),
    (
        "onnx-legacy axis=1",
        "2,3,4 ; 2,3",
        "broadcast of a (2, 3, 4) with b (2, 3) under onnx-legacy: axis 1 is 3 in a and 2 in b; they must be equal",
    ),
    (
        "onnx-legacy axis=3",
        "2,3,4 ; 4",
        "broadcast of a (2, 3, 4) with b (4,) under onnx-legacy: b does not fit at axis 3; axis must be 0 to 2, or absent for 2",
    ),
    (
        "onnx-legacy axis=-1",
        "2,3,4 ; 4",
        "broadcast of a (2, 3, 4) with b (4,) under onnx-legacy: b does not fit at axis -1; axis must be 0 to 2, or absent for 2",
    ),
    (
        "onnx-legacy",
        "2,3 ; 1,3",
        "broadcast of a (2, 3) with b (1, 3) under onnx-legacy: axis 0 is 2 in a and 1 in b; they must be equal",
    ),
    ("onnx-legacy", "2 ; 2 ; 2", "the rule onnx-legacy needs 2 operands, not 3"),
    (
        "onnx-clip",
        "2,3 ; 1 ; ()",
        "broadcast of a (2, 3) with b (1,) with c () under onnx-clip: b has rank 1; a bound must be a scalar, of shape ()",
    ),
    (
        "onnx-clip",
        "2,3 ; () ; 3",
        "broadcast of a (2, 3) with b () with c (3,) under onnx-clip: c has rank 1; a bound must be a scalar, of shape ()",
    ),
    ("onnx-clip", "2,3 ; ()", "the rule onnx-clip needs 3 operands, not 2"),
    (
        "pdpd",
        "3 ; 2,3",
        "broadcast of a (3,) with b (2, 3) under pdpd: b has rank 2 and a only 1; the rank of b must not be above that of a",
    ),
    (
        "pdpd axis=2",
        "2,3 ; 3",
        "broadcast of a (2, 3) with b (3,) under pdpd: b does not fit at axis 2; axis must be -1 or 0 to 1",
    ),
    (
        "pdpd axis=-2",
        "2,3 ; 3",
        "broadcast of a (2, 3) with b (3,) under pdpd: b does not fit at axis -2; axis must be -1 or 0 to 1",
    ),
    (
        "pdpd axis=1",
        "2,3,4 ; 4",
        "broadcast of a (2, 3, 4) with b (4,) under pdpd: axis 1 is 3 in a and 4 in b; b must be 3 or 1 there",
    ),
    (
        "pdpd",
        "1 ; 2",
        "broadcast of a (1,) with b (2,) under pdpd: axis 0 is 1 in a and 2 in b; a may not stretch, so b must be 1 there",
    ),
    (
        "pdpd",
        "0 ; 2",
        "broadcast of a (0,) with b (2,) under pdpd: axis 0 is 0 in a and 2 in b; b must be 0 or 1 there",
    ),
    (
        "paddle axis=1",
        "2,3 ; 1,3",
        "broadcast of a (2, 3) with b (1, 3) under paddle: axis is 1 for operands of equal rank; it must be -1 or 0",
    ),
    (
        "paddle axis=3",
        "2,3,4 ; 4",
        "broadcast of a (2, 3, 4) with b (4,) under paddle: b does not fit at axis 3; axis must be -1 or 0 to 2",
    ),
    (
        "paddle axis=-2",
        "4 ; 2,3,4",
        "broadcast of a (4,) with b (2, 3, 4) under paddle: a does not fit at axis -2; axis must be -1 or 0 to 2",
    ),
    (
        "paddle",
        "2,3 ; 2",
        "broadcast of a (2, 3) with b (2,) under paddle: axis 1 is 3 in a and 2 in b; they must be equal or 1",
    ),
    (
        "ncnn",
        "() ; 1",
        "broadcast of a () with b (1,) under ncnn: a has rank 0; ncnn has ranks 1 to 4, write a scalar as (1,)",
    ),
    (
        "ncnn",
        "1,1,1,1,1 ; 1",
        "broadcast of a (1, 1, 1, 1, 1) with b (1,) under ncnn: a has rank 5; ncnn has ranks 1 to 4, merge neighbouring axes",
    ),
    (
        "ncnn",
        "2,0 ; 2",
        "broadcast of a (2, 0) with b (2,) under ncnn: axis 1 of a is 0; ncnn has no result for empty operands, every dim must be 1 or more",
    ),
    (
        "ncnn",
        "2,3 ; 4",
        "broadcast of a (2, 3) with b (4,) under ncnn: axis 1 is 3 in a and 4 in b; they must be equal or 1",
    ),
    (
        "ncnn",
        "2,3,4 ; 3,4",
        "broadcast of a (2, 3, 4) with b (3, 4) under ncnn: axis 0 is 2 in a and 3 in b; they must be equal or 1",
    ),
    (
        "bidirectional target=2,3",
        "2",
        "broadcast of a (2,) to target (2, 3) under bidirectional: axis 1 is 2 in a and 3 in target; they must be equal or 1",
    ),
    ("bidirectional target=()", "0 ; 1", "the rule bidirectional needs 1 operand, not 2"),
    (
        "broadcast-to target=3",
        "2,3",
        "broadcast of a (2, 3) to target (3,) under broadcast-to: a has rank 2 and target only 1; the rank of a must not be above that of target",
    ),
    (
        "broadcast-to target=1",
        "2",
        "broadcast of a (2,) to target (1,) under broadcast-to: axis 0 is 1 in target and 2 in a; target may not stretch, so a must be 1 there",
    ),
    (
        "broadcast-to target=0",
        "2",
        "broadcast of a (2,) to target (0,) under broadcast-to: axis 0 is 0 in target and 2 in a; a must be 0 or 1 there",
    ),
    (
        "broadcast-to target=2,3",
        "2",
        "broadcast of a (2,) to target (2, 3) under broadcast-to: axis 1 is 3 in target and 2 in a; a must be 3 or 1 there",
    ),
    (
        "broadcast-to target=()",
        "1",
        "broadcast of a (1,) to target () under broadcast-to: a has rank 1 and target only 0; the rank of a must not be above that of target",
    ),
    (
        "explicit axes=0 target=2,3",
        "3",
        "broadcast of a (3,) to target (2, 3) under explicit: axis 0 is 2 in target and 3 in a; a must be 2 or 1 there",
    ),
    (
        "explicit axes=0 target=2,3",
        "2,3",
        "broadcast of a (2, 3) to target (2, 3) under explicit: axes 0 has 1 entries; it must have 2, one per axis of a",
    ),
    (
        "explicit axes=1,0 target=2,3",
        "3,2",
        "broadcast of a (3, 2) to target (2, 3) under explicit: axes 1,0 must be strictly increasing",
    ),
    (
        "explicit axes=1,1 target=2,3",
        "3,3",
        "broadcast of a (3, 3) to target (2, 3) under explicit: axes 1,1 must be strictly increasing",
    ),
    (
        "explicit axes=2 target=2,3",
        "3",
        "broadcast of a (3,) to target (2, 3) under explicit: axis 2 of axes 2 must be 0 to 1",
    ),
    (
        "explicit axes=-1 target=2,3",
        "3",
        "broadcast of a (3,) to target (2, 3) under explicit: axis -1 of axes -1 must be 0 to 1",
    ),
    (
        "explicit axes=() target=2,3",
        "3",
        "broadcast of a (3,) to target (2, 3) under explicit: axes () has 0 entries; it must have 1, one per axis of a",
    ),
    (
        "explicit axes=0 target=1",
        "2",
        "broadcast of a (2,) to target (1,) under explicit: axis 0 is 1 in target and 2 in a; target may not stretch, so a must be 1 there",
    ),
    (
        "openvino-select mode=numpy",
        "2 ; 3 ; 3",
        "broadcast of a (2,) with b (3,) with c (3,) under openvino-select: axis 0 is 2 in a and 3 in b; they must be equal or 1",
    ),
    (
        "openvino-select mode=none",
        "2 ; 2 ; 1",
        "broadcast of a (2,) with b (2,) with c (1,) under openvino-select: axis 0 is 2 in a and 1 in c; they must be equal",
    ),
    (
        "openvino-select mode=pdpd",
        "2,3 ; 3 ; 3",
        "broadcast of a (2, 3) with b (3,) with c (3,) under openvino-select: a has rank 2 and b only 1; the rank of a must not be above that of b",
    ),
    (
        "openvino-select mode=pdpd axis=2",
        "2 ; 2,3 ; 3",
        "broadcast of a (2,) with b (2, 3) with c (3,) under openvino-select: a does not fit at axis 2; axis must be -1 or 0 to 1",
    ),
    (
        "openvino-select mode=numpy axis=1",
        "2 ; 2 ; 2",
        "broadcast of a (2,) with b (2,) with c (2,) under openvino-select: mode numpy has no axis; only pdpd has one",
    ),
    (
        "openvino-prelu",
        "2,3,4 ; 5",
        "broadcast of a (2, 3, 4) with b (5,) under openvino-prelu: axis 2 is 4 in a and 5 in b; b must be 4 or 1 there",
    ),
    (
        "openvino-prelu",
        "2,3,4 ; 2,1",
        "broadcast of a (2, 3, 4) with b (2, 1) under openvino-prelu: axis 1 is 3 in a and 2 in b; b must be 3 or 1 there",
    ),
    (
        "openvino-prelu",
        "() ; 2",
        "broadcast of a () with b (2,) under openvino-prelu: b has rank 1 and a only 0; the rank of b must not be above that of a",
    ),
    (
        "openvino-fake-quantize",
        "2,3 ; 3 ; 3 ; 3 ; 2",
        "broadcast of a (2, 3) with b (3,) with c (3,) with d (3,) with e (2,) under openvino-fake-quantize: axis 1 is 3 in a and 2 in e; e must be 3 or 1 there",
    ),
    ("openvino-fake-quantize", "2,3 ; 3 ; 3 ; 3", "the rule openvino-fake-quantize needs 5 operands, not 4"),
    (
        "gemm-c",
        "2,3 ; 2",
        "broadcast of a (2, 3) with b (2,) under gemm-c: axis 1 is 3 in a and 2 in b; b must be 3 or 1 there",
    ),
    (
        "gemm-c",
        "2,3,4 ; 4",
        "broadcast of a (2, 3, 4) with b (4,) under gemm-c: a has rank 3; the product must have rank 2, (M, N)",
    ),
    (
        "gemm-c",
        "2,3 ; 1,2,3",
        "broadcast of a (2, 3) with b (1, 2, 3) under gemm-c: b has rank 3 and a only 2; the rank of b must not be above that of a",
    ),
    (
        "axis-lists",
        "6,4 ; 6",
        "broadcast of a (6, 4) with b (6,) under axis-lists: axis 1 is 4 in a and 6 in b; b must be 4 or 1 there",
    ),
    (
        "axis-lists",
        "6 ; 6",
        "broadcast of a (6,) with b (6,) under axis-lists: axis=1 is no axis of a, whose rank is 1; axis must be -1 to 0",
    ),
    (
        "axis-lists",
        "() ; 6",
        "broadcast of a () with b (6,) under axis-lists: axis=1 is no axis of a, whose rank is 0; only a list of one element suits it",
    ),
    (
        "axis-lists axis=2",
        "6,4 ; 6",
        "broadcast of a (6, 4) with b (6,) under axis-lists: axis=2 is no axis of a, whose rank is 2; axis must be -2 to 1",
    ),
    (
        "axis-lists",
        "6,4 ; 4 ; ()",
        "broadcast of a (6, 4) with b (4,) with c () under axis-lists: c has one element and b has more; c must have the shape of b",
    ),
    (
        "axis-lists",
        "6,4 ; 6,1",
        "broadcast of a (6, 4) with b (6, 1) under axis-lists: b has rank 2; it must be a scalar or a list along axis 1 of a",
    ),
    (
        "axis-lists mode=none",
        "6,4 ; ()",
        "broadcast of a (6, 4) with b () under axis-lists: b has rank 0; it must be a list along axis 1 of a",
    ),
    (
        "tosa",
        "2,3 ; 3",
        "broadcast of a (2, 3) with b (3,) under tosa: a has rank 2 and b has rank 1; the ranks must be equal",
    ),
    (
        "tosa",
        "2,3 ; 2,0",
        "broadcast of a (2, 3) with b (2, 0) under tosa: axis 1 of b is 0; every dim must be 1 or more in TOSA",
    ),
    (
        "tosa",
        "1,1,1,1,1,1,1 ; 1,1,1,1,1,1,1",
        "broadcast of a (1, 1, 1, 1, 1, 1, 1) with b (1, 1, 1, 1, 1, 1, 1) under tosa: the rank is 7; TOSA has ranks up to 6, merge neighbouring axes",
    ),
    (
        "ggml",
        "2,4 ; 3",
        "broadcast of a (2, 4) with b (3,) under ggml: axis 1 is 4 in a and 3 in b; 4 must be a multiple of the size of b there",
    ),
    (
        "ggml",
        "1,4 ; 2,4",
        "broadcast of a (1, 4) with b (2, 4) under ggml: axis 0 is 1 in a and 2 in b; a may not stretch, so b must be 1 there",
    ),
    (
        "ggml",
        "1,1,1,1,2 ; 2",
        "broadcast of a (1, 1, 1, 1, 2) with b (2,) under ggml: a has rank 5; ggml has ranks up to 4, merge neighbouring axes",
    ),
];

#[test]
fn sentences_of_align() {
    let mut wrong = Vec::new();
    // The most that an address can count, on this machine.
    let here = |text: &str| text.replace(&i64::MAX.to_string(), &isize::MAX.to_string());
    for &(rule, operands, want) in ALIGN {
        let (operands, want) = (here(operands), here(want));
        let shapes = operands.split(';').filter(|text| !text.trim().is_empty());
        let shapes: Vec<Shape> = shapes.map(|text| text.parse().unwrap()).collect();
        let rule: Rule = rule.parse().unwrap();
        match rule.align(&shapes.iter().map(Shape::dims).collect::<Vec<_>>()) {
            Ok(alignment) => wrong.push(format!("{operands} under {rule} gives {}", alignment.shape())),
            Err(error) if error.to_string() != want => wrong.push(format!("{operands} under {rule}: {error}")),
            Err(error) => assert_eq!(error.rule(), Some(rule.name()), "{error}"),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for def in RULES {
        let has = ALIGN.iter().any(|(rule, ..)| rule.split(' ').next() == Some(def.name));
        assert!(has, "no error of the rule {} is in the table", def.name);
    }
}

#[test]
fn sentences_of_rules() {
    let cases: &[(&str, &str)] = &[
        ("", "an empty text is not a rule; write a name such as numpy"),
        ("numpy axis=1", "the rule numpy has no parameter axis"),
        ("numpy axes=1", "the rule numpy has no parameter axes"),
        ("numpy target=2", "the rule numpy has no parameter target"),
        ("numpy mode=none", "the rule numpy has no parameter mode"),
        ("explicit target=2", "the rule explicit needs axes, one result axis per axis of the operand"),
        ("explicit axes=0", "the rule explicit needs a target shape"),
        ("broadcast-to", "the rule broadcast-to needs a target shape"),
        ("openvino-select mode=both", "unknown mode 'both'; the modes are numpy, none, pdpd, each"),
        ("pdpd axis", "unknown parameter 'axis'; write axis=1, axes=0,2, target=2,3 or mode=numpy"),
        ("pdpd axis=x", "'x' is not an axis; write a whole number, such as 1 or -1"),
        ("pdpd axis=1 axis=2", "'axis=2' repeats a parameter"),
        ("pdpd axis=1.5", "'1.5' is not an axis; write a whole number, such as 1 or -1"),
        ("explicit axes=0,, target=2,3", "'' is not an axis; write a whole number, such as 1 or -1"),
        ("broadcast-to target=2,-1", "'-1' in '2,-1' is negative; write whole numbers, such as 2,3,4 or ()"),
        ("broadcast-to target=x", "'x' in 'x' is not a dim; write whole numbers, such as 2,3,4 or ()"),
        (
            "pdpd  axis=9223372036854775808",
            "'9223372036854775808' is not an axis; write a whole number, such as 1 or -1",
        ),
    ];
    let mut wrong = Vec::new();
    for &(text, want) in cases {
        match text.parse::<Rule>() {
            Ok(rule) => wrong.push(format!("'{text}' is {rule}")),
            Err(error) if error.to_string() != want => wrong.push(format!("'{text}': {error}")),
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let unknown = "nump".parse::<Rule>().unwrap_err().to_string();
    let names: Vec<&str> = RULES.iter().map(|def| def.name).collect();
    assert_eq!(unknown, format!("unknown rule 'nump'; the rules are {}", names.join(", ")));
}

type Change = fn(&mut Params);

/// Every parameter is accepted by exactly the rules whose description has it, and defaults are filled in.
#[test]
fn parameters_are_those_of_the_description() {
    for def in RULES {
        let needed =
            Params { axes: def.axes.then(Vec::new), target: def.target.then(|| Shape::from([2])), ..Params::default() };
        let with = |change: Change| {
            let mut params = needed.clone();
            change(&mut params);
            Rule::new(def.name, params).map_err(|error| error.kind())
        };
        let rule = with(|_| ()).unwrap();
        let default = match def.axis {
            AxisParam::Default(axis) => Some(axis),
            _ => None,
        };
        assert_eq!((rule.name(), rule.params().axis), (def.name, default), "{rule}");
        assert_eq!(rule.params().mode, def.modes.first().copied(), "{rule}");
        let cases: [(&str, bool, Change); 7] = [
            ("axis", def.axis != AxisParam::None, |params| params.axis = Some(0)),
            ("axes", def.axes, |params| params.axes = Some(vec![0])),
            ("no axes", !def.axes, |params| params.axes = None),
            ("target", def.target, |params| params.target = Some(Shape::from([3]))),
            ("no target", !def.target, |params| params.target = None),
            ("mode numpy", def.modes.contains(&Mode::Numpy), |params| params.mode = Some(Mode::Numpy)),
            ("mode pdpd", def.modes.contains(&Mode::Pdpd), |params| params.mode = Some(Mode::Pdpd)),
        ];
        for (what, want, change) in cases {
            let got = with(change);
            assert_eq!(got.is_ok(), want, "{} with {what}: {got:?}", def.name);
            assert!(got.is_ok() || got == Err(ErrorKind::Parameter), "{} with {what}: {got:?}", def.name);
        }
        for name in def.aliases {
            assert_eq!(Rule::new(name, needed.clone()), Ok(rule.clone()), "{name}");
        }
    }
}

#[test]
fn shapes_are_read_and_written() {
    let largest = usize::MAX.to_string();
    let shape_of_largest = format!("({largest},)");
    let cases: &[(&str, Result<&str, &str>)] = &[
        ("()", Ok("()")),
        ("[]", Ok("()")),
        (" ( ) ", Ok("()")),
        ("3", Ok("(3,)")),
        ("3,", Ok("(3,)")),
        ("(3,)", Ok("(3,)")),
        ("0", Ok("(0,)")),
        ("2,3", Ok("(2, 3)")),
        ("(2, 3)", Ok("(2, 3)")),
        ("[2,3,]", Ok("(2, 3)")),
        ("1,1,1,1,1,1,1,1,2", Ok("(1, 1, 1, 1, 1, 1, 1, 1, 2)")),
        (&largest, Ok(&shape_of_largest)),
        ("", Err("an empty text is not a shape; rank 0 is written ()")),
        ("2,,3", Err("'' in '2,,3' is not a dim; write whole numbers, such as 2,3,4 or ()")),
        (",", Err("'' in ',' is not a dim; write whole numbers, such as 2,3,4 or ()")),
        ("(2,3]", Err("'(2' in '(2,3]' is not a dim; write whole numbers, such as 2,3,4 or ()")),
        ("2,-1", Err("'-1' in '2,-1' is negative; write whole numbers, such as 2,3,4 or ()")),
        ("2,x", Err("'x' in '2,x' is not a dim; write whole numbers, such as 2,3,4 or ()")),
        ("2 3", Err("'2 3' in '2 3' has a blank, which separates operands; write whole numbers, such as 2,3,4 or ()")),
        ("1.0", Err("'1.0' in '1.0' is not a dim; write whole numbers, such as 2,3,4 or ()")),
        (
            "18446744073709551616",
            Err(
                "'18446744073709551616' in '18446744073709551616' is more than an address can count; write whole numbers, such as 2,3,4 or ()",
            ),
        ),
    ];
    let mut wrong = Vec::new();
    for (text, want) in cases {
        let got = text.parse::<Shape>().map(|shape| shape.to_string()).map_err(|error| error.to_string());
        if got.as_deref().map_err(String::as_str) != *want {
            wrong.push(format!("'{text}': {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn elements_and_strides() {
    const MOST: usize = isize::MAX as usize;
    type Case = (&'static [usize], Result<usize, ErrorKind>, &'static [isize]);
    let cases: &[Case] = &[
        (&[], Ok(1), &[]),
        (&[0], Ok(0), &[1]),
        (&[7], Ok(7), &[1]),
        (&[2, 3, 4], Ok(24), &[12, 4, 1]),
        (&[2, 0, 4], Ok(0), &[0, 4, 1]),
        (&[0, 3], Ok(0), &[3, 1]),
        (&[MOST, 1], Ok(MOST), &[1, 1]),
        (&[MOST, 0], Ok(0), &[0, 1]),
        (&[MOST, 2], Err(ErrorKind::Overflow), &[2, 1]),
        (&[0, MOST, 2], Err(ErrorKind::Overflow), &[-2, 2, 1]),
        (&[MOST + 1], Err(ErrorKind::Overflow), &[1]),
        (&[1; 64], Ok(1), &[1; 64]),
        (&[1; 65], Err(ErrorKind::Rank), &[1; 65]),
    ];
    for &(dims, count, strides) in cases {
        assert_eq!(elements(dims).map_err(|error| error.kind()), count, "{dims:?}");
        assert_eq!(contiguous_strides(dims), strides, "{dims:?}");
        let shape = Shape::from(dims);
        let backwards: Vec<usize> = dims.iter().rev().copied().collect();
        assert_eq!((shape.reversed().dims(), shape.reversed().reversed()), (&backwards[..], shape.clone()));
        assert_eq!(shape.into_dims(), dims);
    }
}
