//! Sums up a check of several files in one line.

use broadaxe_models::report::CheckRecord;

use crate::answer::Checked;

/// Says how many models were checked, how many of them have findings, and how many files could not be read:
/// `187 models: 12 with findings, 175 without; 3 files could not be read`.
pub(super) fn total(found: &Checked) -> String {
    let all = found.models.len();
    let with = found.models.iter().filter(|record| record.attention() > accepted(record)).count();
    let models = if all == 1 { "1 model".to_owned() } else { format!("{all} models") };
    let without = all - with;
    let undecided = found.models.iter().filter(|record| record.targets.iter().any(|target| target.unknown > 0)).count();
    let undecided = if undecided == 0 { String::new() } else { format!("; {undecided} with unknown nodes") };
    let unread = match found.errors.len() {
        0 => String::new(),
        1 => "; 1 file could not be read".to_owned(),
        count => format!("; {count} files could not be read"),
    };
    let findings = || found.models.iter().flat_map(|record| &record.findings);
    let (known, ignored) =
        (findings().filter(|one| one.known).count(), findings().filter(|one| one.ignored.is_some()).count());
    let parts = [(known, "known"), (ignored, "ignored")].into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    let accepted = if parts.is_empty() { String::new() } else { format!("; not counted: {}", parts.join(", ")) };
    format!("{models}: {with} with findings, {without} without{undecided}{accepted}{unread}")
}

/// Counts the findings that need attention elsewhere, and that the project ignores or has in its baseline.
fn accepted(record: &CheckRecord) -> usize {
    record.findings.iter().filter(|finding| finding.is_suppressed() && finding.needs_attention()).count()
}

#[cfg(test)]
mod tests {
    use broadaxe_models::report::{TargetRecord, VERSION};

    use super::*;
    use crate::answer::FileRecord;

    fn record(differs: usize, unknown: usize) -> CheckRecord {
        let targets = vec![TargetRecord { name: "onnx".into(), differs, unknown, ..TargetRecord::default() }];
        let (model, format) = ("a.onnx".into(), "onnx".into());
        CheckRecord {
            version: VERSION,
            model,
            format,
            opset: None,
            nodes: 1,
            unknown: 0,
            others: 0,
            targets,
            needed_inputs: Vec::new(),
            findings: Vec::new(),
        }
    }

    #[test]
    fn models_and_files_are_counted() {
        let file = FileRecord { file: "b".into(), message: "damaged".into(), field: None };
        let cases = [
            (vec![], 0, "0 models: 0 with findings, 0 without"),
            (vec![record(2, 0)], 0, "1 model: 1 with findings, 0 without"),
            (
                vec![record(0, 3)],
                1,
                "1 model: 0 with findings, 1 without; 1 with unknown nodes; 1 file could not be read",
            ),
            (vec![record(0, 0), record(1, 0)], 2, "2 models: 1 with findings, 1 without; 2 files could not be read"),
        ];
        for (models, unread, want) in cases {
            let found = Checked { models, errors: vec![file.clone(); unread], ..Checked::default() };
            assert_eq!(total(&found), want);
        }
    }
}
