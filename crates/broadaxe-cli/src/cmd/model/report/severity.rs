//! Puts findings into the words of the reports of other programs: levels, and one sentence.

use broadaxe_models::{
    code::{self, Code, Severity},
    report::{
        FindingRecord,
        words::{consequence, law, numbers},
    },
};

use crate::{answer::FileRecord, error::escaped};

/// Returns the kind of a finding that is reported; nothing for `same`.
pub(super) fn reported(finding: &FindingRecord) -> Option<&'static Code> {
    finding.code.as_deref().filter(|_| finding.verdict != "same").and_then(code::find)
}

/// Returns the workflow command of GitHub for a severity.
pub(super) fn github(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    }
}

/// Returns the severity of GitLab's Code Quality.
pub(super) fn gitlab(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Note => "info",
    }
}

/// Says a finding in one sentence: `bias1 (Add): differs on onnx: onnx aligns shapes to the right; ...`.
pub(super) fn sentence(finding: &FindingRecord) -> String {
    let what = consequence(finding, &[&finding.target]);
    let mut message = format!("{} ({}): {what}", finding.node, finding.op);
    if !finding.reason.is_empty() {
        message += &format!(": {}", finding.reason);
    }
    let example = finding.counterexample.as_ref().and_then(|example| numbers(finding, example));
    let condition = finding.condition.as_ref().map(|condition| format!("the same if {condition}"));
    for part in [example, condition].into_iter().flatten() {
        message += &format!("; {part}");
    }
    if let (Some(evidence), Some(source)) = (&finding.evidence, &finding.source)
        && finding.is_asked()
    {
        message += &format!("; {evidence}, {source}");
    }
    if let Some(said) = &finding.law {
        message += &format!("; {}", law(said));
    }
    if let Some(repair) = &finding.repair {
        message += &format!(". Fix: {}", repair.text);
    }
    escaped(&message)
}

/// Returns the line of a finding; the first one where the file is not text.
pub(super) fn line(finding: &FindingRecord) -> u64 {
    finding.line.unwrap_or(1)
}

/// Returns the line of an error, whose place is such as `line 3`; the first one where it names none.
pub(super) fn error_line(error: &FileRecord) -> u64 {
    let line = error.field.as_deref().and_then(|place| place.strip_prefix("line "));
    line.and_then(|line| line.parse().ok()).unwrap_or(1)
}
