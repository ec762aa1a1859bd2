//! Says how grave a finding is in the reports of code review, and says the finding in one sentence.

use broadaxe_models::report::FindingRecord;

use super::text;

/// A verdict in the words of each report.
#[derive(Debug)]
pub(super) struct Severity {
    /// The verdict.
    pub(super) verdict: &'static str,
    /// The level of SARIF.
    pub(super) sarif: &'static str,
    /// The workflow command of GitHub.
    pub(super) github: &'static str,
    /// The severity of Code Quality of GitLab.
    pub(super) gitlab: &'static str,
    /// What the verdict means.
    pub(super) meaning: &'static str,
}

/// Every verdict that is reported; `same` is not.
pub(super) const SEVERITIES: [Severity; 5] = [
    Severity {
        verdict: "differs",
        sarif: "error",
        github: "error",
        gitlab: "major",
        meaning: "The target gives a wrong result without an error",
    },
    Severity {
        verdict: "refused",
        sarif: "error",
        github: "error",
        gitlab: "major",
        meaning: "The target rejects the node",
    },
    Severity {
        verdict: "unsupported",
        sarif: "warning",
        github: "warning",
        gitlab: "minor",
        meaning: "The target does not support the operator",
    },
    Severity {
        verdict: "guarded",
        sarif: "warning",
        github: "warning",
        gitlab: "minor",
        meaning: "The target computes the same only under a condition on open sizes",
    },
    Severity {
        verdict: "unknown",
        sarif: "note",
        github: "warning",
        gitlab: "info",
        meaning: "The target's behaviour for the node is not known",
    },
];

/// Returns the severity of a finding, and its index; nothing for `same`.
pub(super) fn of(finding: &FindingRecord) -> Option<(usize, &'static Severity)> {
    SEVERITIES.iter().enumerate().find(|(_, severity)| severity.verdict == finding.verdict)
}

/// Says a finding in one sentence.
pub(super) fn sentence(finding: &FindingRecord, severity: &Severity) -> String {
    let mut message = format!("{} ({}) for {}: {}", finding.node, finding.op, finding.target, severity.meaning);
    let reason = Some(&finding.reason).filter(|reason| !reason.is_empty());
    let example = finding.counterexample.as_ref().and_then(|example| text::numbers(finding, example));
    for part in [reason, example.as_ref(), finding.condition.as_ref()].into_iter().flatten() {
        message += &format!("; {part}");
    }
    if let (Some(evidence), Some(source)) = (&finding.evidence, &finding.source)
        && evidence.starts_with("asked")
    {
        message += &format!("; {evidence}, {source}");
    }
    if let Some(law) = &finding.law {
        message += &format!("; {}", text::law(law));
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
