//! Writes findings as a Code Quality report of GitLab, which it shows in a merge request.

use broadaxe_models::report::Shown;
use serde_json::{Value, json};

use super::{
    super::fingerprint::{self, Fingerprints, hash},
    github::slashed,
    severity::{self, error_line, line, sentence},
};
use crate::answer::Checked;

/// Makes the report: one issue per finding, and one per file that could not be judged.
pub(super) fn issues(found: &Checked, shown: Shown) -> Value {
    let mut made = Vec::new();
    let mut seen = Fingerprints::default();
    for record in &found.models {
        let path = relative(&record.model);
        for finding in record.findings.iter().filter(|finding| shown.has(finding)) {
            let Some(code) = severity::reported(finding) else { continue };
            made.push(json!({
                "check_name": format!("broadaxe/{}", code.id),
                "description": sentence(finding),
                "fingerprint": seen.next(fingerprint::of(&path, finding)),
                "severity": severity::gitlab(code.severity),
                "location": { "path": path, "lines": { "begin": line(finding) } },
            }));
        }
    }
    for error in &found.errors {
        let path = relative(&error.file);
        made.push(json!({
            "check_name": "broadaxe/error",
            "description": error.sentence(),
            "fingerprint": seen.next(hash(&[b"error", path.as_bytes()])),
            "severity": "critical",
            "location": { "path": path, "lines": { "begin": error_line(error) } },
        }));
    }
    made.into()
}

/// Writes a path as GitLab wants it: from the root of the repository, without `./`.
fn relative(path: &str) -> String {
    let path = slashed(path, cfg!(windows));
    path.trim_start_matches("./").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{super::sample, *};

    #[test]
    fn paths() {
        for (path, want) in [("./a/b.onnx", "a/b.onnx"), (".a.onnx", ".a.onnx"), ("../a.onnx", "../a.onnx")] {
            assert_eq!(relative(path), want);
        }
    }

    #[test]
    fn each_finding_is_one_issue() {
        let report = issues(&sample::checked(), sample::SHOWN);
        let made = report.as_array().unwrap();
        let prints: std::collections::HashSet<&str> =
            made.iter().map(|one| one["fingerprint"].as_str().unwrap()).collect();
        assert_eq!((made.len(), prints.len()), (4, 4), "{report}");
        assert_eq!(made[0]["location"], json!({ "path": "a b.onnx", "lines": { "begin": 1 } }));
        assert_eq!(
            (&made[0]["check_name"], &made[3]["check_name"]),
            (&json!("broadaxe/BX101"), &json!("broadaxe/error"))
        );
    }
}
