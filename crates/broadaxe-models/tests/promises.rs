//! Checks that a fix does what the report of a check promises.

use std::{collections::BTreeMap, path::PathBuf};

use broadaxe_models::{
    Model, NodeId, PROFILES, Target,
    check::{Verdict, check},
    check_model, fix_model, format,
    infer::{Shapes, infer},
    report::node_name,
};

/// Lists the models of the repository.
fn models() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["examples", "crates/broadaxe-format/tests/models"].map(|folder| root.join(folder));
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_file() && format::open(path).is_ok());
    paths.sort();
    assert!(paths.len() >= 14, "{paths:?}");
    paths
}

/// Lists sets of targets: each alone, pairs that need different changes, the default, and all.
fn targets() -> Vec<Vec<Target>> {
    let names = PROFILES.iter().map(|profile| profile.name.replace("<=N", "<=4"));
    let all: Vec<Target> = names.map(|name| name.parse().unwrap()).collect();
    let named = |names: &str| names.split(',').map(|name| name.parse().unwrap()).collect();
    let sets =
        ["coreml,ncnn", "onnx,openvino,ncnn", "none,ncnn", "equal-rank,rank<=4", "litert-gpu,none", "mnn,onnx,none"];
    all.iter().map(|target| vec![*target]).chain(sets.map(named)).chain([all.clone()]).collect()
}

/// Counts the verdicts that need attention, by the node's name and the target.
fn wrong(model: &Model, shapes: &Shapes, targets: &[Target]) -> BTreeMap<(String, String), usize> {
    let report = check(model, shapes, targets);
    let is_wrong = |verdict: &Verdict| matches!(verdict, Verdict::Differs(_) | Verdict::Refused | Verdict::Guarded(_));
    let mut counts = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| is_wrong(&finding.verdict)) {
        *counts.entry((node_name(model, NodeId(finding.node.0)), finding.target.to_string())).or_default() += 1;
    }
    counts
}

#[test]
fn a_fix_removes_the_findings_that_a_check_calls_fixable() {
    let (mut promised, mut partly) = (0, 0);
    for path in models() {
        let model = format::open(&path).unwrap();
        let shapes = infer(&model, &[]).unwrap();
        for targets in targets() {
            let names = targets.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            let record = check_model(&path, &model, &shapes, &targets).unwrap();
            if record.attention() == 0 {
                continue;
            }
            let fixed = fix_model(&model, &shapes, &targets, false).unwrap();
            let (_, after) = fixed.changed(&model).unwrap();
            let left = wrong(&after, &infer(&after, &[]).unwrap(), &targets);
            for target in &record.targets {
                let found = record.findings.iter().filter(|one| *one.target == *target.name && one.needs_attention());
                let fixable = found.filter(|one| one.fixable).count();
                let left: usize =
                    left.iter().filter(|((_, name), _)| *name == target.name).map(|(_, count)| count).sum();
                let what = format!("{} for {names}: {}", path.display(), target.name);
                assert_eq!(target.findings() - fixable, left, "{what}");
                promised += fixable;
            }
            partly += usize::from(record.fixable() > 0 && record.fixable() < record.repairable());
        }
    }
    assert!(promised > 100 && partly > 5, "{promised} {partly}");
}
