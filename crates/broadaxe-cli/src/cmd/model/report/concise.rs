//! Writes findings as lines that tools such as grep and editors read: one finding per line.

use std::fmt;

use broadaxe_models::report::{CheckRecord, FindingFacts, FindingRecord, Shown};

use crate::{answer::Checked, error::escaped};

/// Writes a line per finding, and one per file that could not be judged.
pub(super) fn lines(to: &mut dyn fmt::Write, found: &Checked, shown: Shown) -> fmt::Result {
    for record in &found.models {
        for finding in record.findings.iter().filter(|finding| shown.has(finding)) {
            to.write_str(&line(record, finding))?;
        }
    }
    for error in &found.errors {
        writeln!(to, "{}: error: {}", escaped(&error.file), escaped(&error.sentence()))?;
    }
    Ok(())
}

/// Writes `model.onnx:126:/stem/Div: BX202 refused[equal-rank]: Div: equal-rank needs operands of equal rank (fixable)`.
fn line(record: &CheckRecord, finding: &FindingRecord) -> String {
    let FindingFacts { node, op, number, verdict, reason, .. } = &**finding;
    let target = &finding.target;
    let code = finding.code.as_deref().unwrap_or("same");
    let fixable = if finding.fixable { " (fixable)" } else { "" };
    let (model, node, op) = (escaped(&record.model), escaped(node), escaped(op));
    format!("{model}:{number}:{node}: {code} {verdict}[{target}]: {op}: {}{fixable}\n", escaped(reason))
}

#[cfg(test)]
mod tests {
    use super::{super::sample, *};

    #[test]
    fn each_finding_has_a_line() {
        let found = sample::checked();
        let text = sample::written(|to| lines(to, &found, sample::SHOWN));
        let read: Vec<&str> = text.lines().collect();
        assert_eq!(read.len(), 4, "{text}");
        for (line, finding) in read.iter().zip(found.models[0].findings.iter().filter(|one| one.code.is_some())) {
            let head = format!("a b.onnx:{}:", finding.number);
            let wrong = format!(": BX101 differs[{}]: {}: {} ", finding.target, finding.op, finding.target);
            assert!(line.starts_with(&head) && line.contains(&wrong), "{line}");
        }
        assert_eq!(read[3], "<no>.onnx: error: not a model file \\u{1b}");
    }
}
