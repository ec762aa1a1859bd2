//! Sums up a check of several files in one line.

use crate::answer::Checked;

/// Says how many models were checked, how many of them have findings, and how many files could not be read:
/// `187 models: 12 with findings, 175 without; 3 files could not be read`.
pub(super) fn total(found: &Checked) -> String {
    let all = found.models.len();
    let with = found.models.iter().filter(|record| record.attention() > 0).count();
    let models = if all == 1 { "1 model".to_owned() } else { format!("{all} models") };
    let without = all - with;
    let unread = match found.errors.len() {
        0 => String::new(),
        1 => "; 1 file could not be read".to_owned(),
        count => format!("; {count} files could not be read"),
    };
    format!("{models}: {with} with findings, {without} without{unread}")
}

#[cfg(test)]
mod tests {
    use broadaxe_models::report::{CheckRecord, TargetRecord, VERSION};

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
            findings: Vec::new(),
        }
    }

    #[test]
    fn models_and_files_are_counted() {
        let file = FileRecord { file: "b".into(), message: "damaged".into(), field: None };
        let cases = [
            (vec![], 0, "0 models: 0 with findings, 0 without"),
            (vec![record(2, 0)], 0, "1 model: 1 with findings, 0 without"),
            (vec![record(0, 3)], 1, "1 model: 0 with findings, 1 without; 1 file could not be read"),
            (vec![record(0, 0), record(1, 0)], 2, "2 models: 1 with findings, 1 without; 2 files could not be read"),
        ];
        for (models, unread, want) in cases {
            let found = Checked { models, errors: vec![file.clone(); unread], ..Checked::default() };
            assert_eq!(total(&found), want);
        }
    }
}
