use super::*;
use crate::{Target, check_file, report::FindingRecord};

fn checked(file: &str, targets: &[&str]) -> CheckRecord {
    let targets: Vec<Target> = targets.iter().map(|name| name.parse().unwrap()).collect();
    check_file(format!("../../{file}"), &targets).unwrap()
}

/// Every finding that is shown is in one group, and what is not shown is counted.
#[test]
fn findings_are_in_one_group() {
    let models = ["examples/face.onnx", "examples/position.tflite", "crates/broadaxe-format/tests/models/fire.param"];
    for (file, all) in models.into_iter().flat_map(|file| [(file, false), (file, true)]) {
        let record = checked(file, &["onnx", "ncnn", "openvino", "none"]);
        let (shown, report) = (Shown { all }, grouped(&record, Shown { all }));
        let mut members: Vec<usize> = report.groups.iter().flat_map(|group| group.members.clone()).collect();
        members.sort_unstable();
        let want = record.findings.iter().enumerate().filter(|(_, finding)| shown.has(finding)).map(|(at, _)| at);
        assert_eq!(members, want.collect::<Vec<_>>(), "{file}");
        let is_hidden = |finding: &&FindingRecord| finding.verdict != "same" && !shown.has(finding);
        assert_eq!(report.hidden.is_some(), record.findings.iter().any(|finding| is_hidden(&finding)), "{file}");
        assert_eq!(report.targets.len(), 4);
    }
}

#[test]
fn groups_are_in_words() {
    let mut record = checked("examples/face.onnx", &["openvino", "ncnn"]);
    let at = record.findings.iter().position(|finding| finding.verdict == "differs").unwrap();
    let sample = record.findings[at].clone();
    let named = |k: usize| {
        let mut finding = sample.clone();
        finding.node = format!("b.{k}\u{1b}");
        finding
    };
    record.findings = (0..4).map(named).collect();
    record.findings[3].verdict = "unknown".into();
    let report = grouped(&record, Shown { all: false });
    assert_eq!(report.hidden.as_deref(), Some("not shown: 1 unknown"));
    let [group] = &report.groups[..] else { panic!("{report:?}") };
    let said = [&group.severity, &group.code, &group.name, &group.title].map(String::as_str);
    let title = format!("differs on {}", sample.target);
    assert_eq!(said, ["error", "BX101", "wrong-axis", &title]);
    assert_eq!((&group.members[..], &group.others[..]), (&[0, 1, 2][..], &["b.{1,2}\\u{1b}".to_owned()][..]));
    assert!(group.sample.node.starts_with("b.0\\u{1b} ("), "{group:?}");
    assert_eq!(group.sample.rows.len(), sample.operands.len() + 1);
    let labels: Vec<&str> = group.sample.notes.iter().map(|note| note.label.as_str()).collect();
    assert_eq!(labels, ["value", "known"]);
    assert_eq!(group.sample.fix.is_some(), sample.repair.is_some());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["groups"][0]["members"], serde_json::json!([0, 1, 2]));
    assert!(!json.to_string().contains('\u{1b}'));
}

#[test]
fn models_without_findings() {
    let record = checked("examples/face.onnx", &["none"]);
    let bare = CheckRecord { findings: Vec::new(), ..record };
    let report = grouped(&bare, Shown { all: true });
    assert_eq!((report.groups, report.fixable, report.hidden), (Vec::new(), None, None));
}
