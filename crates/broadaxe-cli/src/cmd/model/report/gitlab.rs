//! Writes findings as a Code Quality report of GitLab, which it shows in a merge request.

use broadaxe_models::report::{CheckRecord, FindingRecord, Shown};
use broadaxe_session::fingerprint::{self, Fingerprints, hash};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    github::slashed,
    severity::{self, error_line, line, sentence},
};
use crate::answer::{Checked, Each, FileRecord};

/// Makes the report: one issue per finding, and one per file that could not be judged. They are made while they are written.
pub(super) fn issues(found: &Checked, shown: Shown) -> impl Serialize {
    Each(move || {
        let mut seen = Fingerprints::default();
        let findings = found.models.iter().flat_map(move |record| {
            let shown = record.findings.iter().filter(move |finding| shown.has(finding));
            shown.map(move |finding| Reported::Finding(record, finding))
        });
        let all = findings.chain(found.errors.iter().map(Reported::Error));
        all.filter_map(move |reported| reported.issue(&mut seen))
    })
}

/// What becomes an issue.
enum Reported<'a> {
    Finding(&'a CheckRecord, &'a FindingRecord),
    Error(&'a FileRecord),
}

impl Reported<'_> {
    fn issue(&self, seen: &mut Fingerprints) -> Option<Value> {
        Some(match self {
            Self::Finding(record, finding) => {
                let (code, path) = (severity::reported(finding)?, relative(&record.model));
                json!({
                    "check_name": format!("broadaxe/{}", code.id),
                    "description": sentence(finding),
                    "fingerprint": seen.next(fingerprint::of(&path, finding)),
                    "severity": severity::gitlab(code.severity),
                    "location": { "path": path, "lines": { "begin": line(finding) } },
                })
            }
            Self::Error(error) => {
                let path = relative(&error.file);
                json!({
                    "check_name": "broadaxe/error",
                    "description": error.sentence(),
                    "fingerprint": seen.next(hash(&[b"error", path.as_bytes()])),
                    "severity": "critical",
                    "location": { "path": path, "lines": { "begin": error_line(error) } },
                })
            }
        })
    }
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
        let report = json!(issues(&sample::checked(), sample::SHOWN));
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
