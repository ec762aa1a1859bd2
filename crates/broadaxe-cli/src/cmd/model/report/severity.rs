//! Puts findings into the words of the reports of other programs: levels, and one sentence.

use broadaxe_models::{
    code::{self, Code, Severity},
    report::FindingRecord,
};

use super::full;

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

/// Says a finding in one sentence.
pub(super) fn sentence(finding: &FindingRecord, code: &Code) -> String {
    let mut message = format!("{} ({}) for {}: {}", finding.node, finding.op, finding.target, code.meaning);
    let reason = Some(&finding.reason).filter(|reason| !reason.is_empty());
    let example = finding.counterexample.as_ref().and_then(|example| full::numbers(finding, example));
    for part in [reason, example.as_ref(), finding.condition.as_ref()].into_iter().flatten() {
        message += &format!("; {part}");
    }
    if let (Some(evidence), Some(source)) = (&finding.evidence, &finding.source)
        && evidence.starts_with("asked")
    {
        message += &format!("; {evidence}, {source}");
    }
    if let Some(law) = &finding.law {
        message += &format!("; {}", full::law(law));
    }
    if let Some(repair) = &finding.repair {
        message += &format!(". Repair: {}", repair.text);
    }
    message
}

/// Returns the line of a place such as `line 3`; the first one where the file has no lines.
pub(super) fn line(place: &str) -> u64 {
    place.strip_prefix("line ").and_then(|line| line.parse().ok()).unwrap_or(1)
}
