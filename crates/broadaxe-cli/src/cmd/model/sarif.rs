//! Writes findings in SARIF 2.1.0, which code review on the web shows next to a change.

use broadaxe_models::report::{CheckRecord, FindingRecord};
use serde_json::{Value, json};

use super::text;

/// A verdict as a rule of SARIF: its name, its level, and what it means.
const RULES: [(&str, &str, &str); 5] = [
    ("differs", "error", "The target gives a wrong result without an error"),
    ("refused", "error", "The target rejects the node"),
    ("unsupported", "warning", "The target does not support the operator"),
    ("guarded", "warning", "The target computes the same only under a condition on open sizes"),
    ("unknown", "note", "The target's behaviour for the node is not known"),
];

/// Makes the log of one run over all models.
pub(super) fn log(records: &[CheckRecord]) -> Value {
    let rules = RULES.map(|(name, level, text)| {
        json!({
            "id": name,
            "shortDescription": { "text": text },
            "defaultConfiguration": { "level": level },
        })
    });
    let results = records.iter().flat_map(|record| record.findings.iter().map(move |finding| (record, finding)));
    let results: Vec<Value> = results.filter_map(|(record, finding)| result(record, finding)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "broadaxe",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "results": results,
        }],
    })
}

fn result(record: &CheckRecord, finding: &FindingRecord) -> Option<Value> {
    let (index, (name, level, meaning)) = RULES.iter().enumerate().find(|(_, rule)| rule.0 == finding.verdict)?;
    let mut message = format!("{} ({}) for {}: {meaning}", finding.node, finding.op, finding.target);
    let reason = Some(&finding.reason).filter(|reason| !reason.is_empty());
    let example = finding.counterexample.as_ref().map(|example| text::numbers(finding, example));
    for part in [reason, example.as_ref(), finding.condition.as_ref()].into_iter().flatten() {
        message += &format!("; {part}");
    }
    if let Some(repair) = &finding.repair {
        message += &format!(". Repair: {}", repair.text);
    }
    let line = finding.place.strip_prefix("line ").and_then(|line| line.parse::<u64>().ok());
    Some(json!({
        "ruleId": name,
        "ruleIndex": index,
        "level": level,
        "message": { "text": message },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": record.model.replace('\\', "/") },
                "region": { "startLine": line.unwrap_or(1) },
            },
            "logicalLocations": [{ "name": finding.node, "kind": "member" }],
        }],
    }))
}
