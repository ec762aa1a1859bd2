use super::*;
use crate::{
    check_file,
    copied::Copied,
    profiles::asked_engines,
    report::{NearRecord, OperandRecord},
};

fn checked() -> CheckRecord {
    let targets: Vec<Target> = ["onnx", "ncnn"].iter().map(|name| name.parse().unwrap()).collect();
    check_file("../../examples/face.onnx", &targets).unwrap()
}

fn differing() -> FindingRecord {
    checked().findings.into_iter().find(|finding| finding.verdict == "differs").unwrap()
}

#[test]
fn consequences() {
    let cases = [
        ("differs", "BX101", &["a", "b"][..], "differs on a, b"),
        ("refused", "BX201", &["a"], "refused by a"),
        ("refused", "BX002", &["a"], "invalid in the model itself"),
        ("unsupported", "BX301", &["a"], "unsupported on a"),
        ("guarded", "BX401", &["a"], "depends on size on a"),
        ("same", "BX601", &["a"], "the same on a, although its laws say otherwise"),
        ("same", "BX004", &["a"], "another axis fits as well"),
        ("unknown", "BX501", &["a"], "unknown on a"),
    ];
    let sample = differing();
    for (verdict, code, targets, want) in cases {
        let mut finding = sample.clone();
        (finding.verdict, finding.code, finding.cause) = (verdict.into(), Some(code.into()), String::new());
        assert_eq!(consequence(&finding, targets), want, "{verdict} {code}");
    }
    // What targets do with a node that is wrong in the model itself.
    let laws = [("differs", "computed by a all the same"), ("refused", "refused by a"), ("unknown", "unknown on a")];
    for (verdict, want) in laws {
        let mut finding = sample.clone();
        (finding.verdict, finding.code) = (verdict.into(), Some("BX002".into()));
        assert_eq!(consequence(&finding, &["a"]), format!("invalid in the model itself, and {want}"), "{verdict}");
    }
}

#[test]
fn nodes_are_counted() {
    let cases = [
        (1, 0, 0, "1 broadcasting node", None),
        (2, 0, 1, "2 broadcasting nodes", Some("1 other node does not broadcast and was skipped")),
        (0, 0, 2, "0 broadcasting nodes", Some("2 other nodes do not broadcast and were skipped")),
        (3, 2, 0, "3 broadcasting nodes, 2 of unknown shape", None),
    ];
    for (judged, unknown, left, want, want_others) in cases {
        let record = CheckRecord { nodes: judged, unknown, others: left, ..checked().head() };
        assert_eq!((nodes(&record).as_str(), others(&record).as_deref()), (want, want_others));
    }
}

#[test]
fn verdicts_name_what_they_are_from() {
    let said = |name: &str, format: &str| {
        let target =
            TargetRecord { name: name.into(), engines: asked_engines(name, format), ..TargetRecord::default() };
        basis(&target, &CheckRecord { format: format.into(), ..checked().head() })
    };
    for (target, format, want) in [
        ("openvino", "onnx", Some("tested: OpenVINO 2026.4.1")),
        ("litert@2.1.3", "tflite", Some("tested: LiteRT 2.1.3")),
        ("ncnn", "tflite", None),
        ("tensorrt", "onnx", Some("documents")),
        ("tensorrt", "tflite", None),
        ("rank<=4", "onnx", None),
    ] {
        assert_eq!(said(target, format).as_deref(), want, "{target}, {format}");
    }
}

#[test]
fn verdicts_are_counted() {
    let target = |differs, refused, same| TargetRecord {
        name: "ncnn".into(),
        differs,
        refused,
        same,
        ..TargetRecord::default()
    };
    let cases = [
        (target(0, 0, 0), "no broadcasting nodes"),
        (target(1, 0, 2), "1 differs, 2 same"),
        (target(2, 1, 0), "2 differ, 1 refused"),
    ];
    for (target, want) in cases {
        assert_eq!(counts(&target, &[]), want);
    }
}

#[test]
fn rows_of_many_operands() {
    let mut finding = differing();
    let count = finding.operands.len();
    let names = |finding: &FindingRecord| rows(finding).into_iter().map(|row| row.name).collect::<Vec<_>>();
    assert_eq!(names(&finding).len(), count + 1);
    assert_eq!(names(&finding).last().unwrap(), "result");
    let operand = finding.operands[0].clone();
    let example = finding.counterexample.as_mut().unwrap();
    // Only one operand behind the first eight is read elsewhere.
    (example.reads, example.target_reads) = (vec![vec![0]; 20], vec![vec![0]; 20]);
    example.target_reads[12] = vec![1];
    finding.operands = (0..20).map(|k| OperandRecord { tensor: format!("t{k}\u{1b}"), ..operand.clone() }).collect();
    let (listed, said) = (names(&finding), rows(&finding));
    assert_eq!(listed.len(), 8 + 1 + 2, "{listed:?}");
    assert_eq!(&listed[8..], ["t12\u{1b}", "...", "result"]);
    assert_eq!(
        said[8].label.as_deref().unwrap(),
        format!("this model reads t12\\u{{1b}}[0], {} reads t12\\u{{1b}}[1]", finding.target)
    );
    assert_eq!((said[9].shape.as_str(), said[0].label.as_ref()), ("11 more", None));
}

#[test]
fn notes_have_labels() {
    let mut finding = differing();
    let example = (**finding.counterexample.as_ref().unwrap()).clone();
    let labels = |finding: &FindingRecord| notes(finding).into_iter().map(|(label, _)| label).collect::<Vec<_>>();
    assert_eq!(labels(&finding), ["value", "known"]);
    finding.condition = Some("n = 1".into());
    finding.near = Some(Box::new(NearRecord { shapes: vec![vec![2], vec![2, 2]], counterexample: example }));
    let (target, verdict, reason) = ("ncnn".into(), "differs".into(), "it does".into());
    finding.law = Some(Box::new(LawRecord { target, verdict, reason, alone: true }));
    assert_eq!(labels(&finding), ["value", "near", "if", "known", "law"]);
    let said = notes(&finding);
    assert!(
        said[1].1.starts_with("operands of shapes (2,) and (2, 2) would differ without an error: with "),
        "{said:?}"
    );
    assert_eq!(said[2].1, "the same if n = 1");
    let page = evidence_page(&finding).unwrap();
    let file = page.strip_prefix("https://github.com/broadaxe/broadaxe/blob/main/").unwrap();
    assert!(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file).exists(), "{file}");
    finding.evidence = Some("asked now".into());
    assert_eq!(evidence_page(&finding), None);
    assert_eq!(said[4].1, "the laws of ncnn say otherwise: it differs: it does");
}

#[test]
fn fixes_say_what_they_cost() {
    let cases = [
        ("[]", "no run-time copy"),
        (r#"[{"bytes":2048,"dims":["b"]}]"#, "copies 2.0 KiB x b each time the model runs"),
    ];
    for (copied, want) in cases {
        let copied: Copied = serde_json::from_str(copied).unwrap();
        let repair = RepairRecord { text: "reshape\u{1b} b".into(), bytes: copied.bytes(), copied };
        assert_eq!(fix(&repair), format!("reshape\\u{{1b}} b; {want}"));
    }
}

#[test]
fn findings_that_can_be_fixed_are_counted() {
    let record = checked();
    let (all, fixed) = (record.repairable(), record.fixable());
    assert!(all > 1 && fixed == all);
    let none = CheckRecord { findings: Vec::new(), ..record.clone() };
    let mut hopeless = record.clone();
    hopeless.findings.iter_mut().for_each(|finding| finding.fixable = false);
    let mut one = CheckRecord { opset: Some(6), ..record.clone() };
    one.findings.retain(|finding| finding.fixable);
    one.findings.truncate(1);
    let cases = [
        (none, None),
        (CheckRecord { opset: Some(6), ..hopeless }, Some(format!("0 of {all} findings can be fixed"))),
        (CheckRecord { opset: Some(7), ..record.clone() }, Some(format!("{all} of {all} findings can be fixed"))),
        (one, Some("1 of 1 finding can be fixed, with an upgrade from opset 6 to 7".to_owned())),
    ];
    for (record, want) in cases {
        assert_eq!(fixable(&record), want);
    }
}

/// A fix that serves some of the targets is offered as that.
#[test]
fn fixable_findings_are_counted_for_each_target() {
    let cases = [
        ("none,ncnn", "1 of 3 findings can be fixed (all of ncnn, none of none)"),
        ("none,equal-rank,ncnn", "2 of 5 findings can be fixed (all of ncnn, 1 of 2 of equal-rank, none of none)"),
        ("ncnn", "1 of 1 finding can be fixed"),
        ("none", "0 of 2 findings can be fixed"),
    ];
    for (targets, want) in cases {
        let targets: Vec<Target> = targets.split(',').map(|name| name.parse().unwrap()).collect();
        let record = check_file("../../examples/face.onnx", &targets).unwrap();
        let said = fixable(&record).unwrap();
        assert_eq!(said.split(", with an upgrade").next(), Some(want), "{targets:?}");
    }
}

/// A check that could not decide, or finds no operator, does not read like one that found nothing.
#[test]
fn undecided_and_unsupported_nodes_are_counted() {
    let target =
        |name: &str, unknown, differs| TargetRecord { name: name.into(), unknown, differs, ..TargetRecord::default() };
    let lacking = |name: &str, unknown, unsupported| TargetRecord { unsupported, ..target(name, unknown, 0) };
    let cases = [
        (vec![target("onnx", 0, 0)], None),
        (vec![target("onnx", 0, 0), target("coreml", 1, 0)], Some("No known problem; 1 of 3 nodes unknown on coreml")),
        (
            vec![target("a", 2, 0), target("b", 1, 0), target("c", 2, 0)],
            Some("No known problem; 2 of 3 nodes unknown on a, c; 1 on b"),
        ),
        (vec![target("a", 2, 0), target("b", 0, 1)], Some("2 of 3 nodes unknown on a")),
        (vec![lacking("a", 0, 1)], Some("1 of 3 nodes unsupported on a")),
        (
            vec![lacking("a", 1, 1), lacking("b", 0, 1), lacking("c", 0, 2)],
            Some("1 of 3 nodes unknown on a; 1 unsupported on a, b; 2 on c"),
        ),
    ];
    for (targets, want) in cases {
        let record = CheckRecord { targets, ..checked() };
        assert_eq!(undecided(&record).as_deref(), want);
    }
}
