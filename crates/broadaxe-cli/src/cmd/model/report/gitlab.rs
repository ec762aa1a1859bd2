//! Writes findings as a Code Quality report of GitLab, which it shows in a merge request.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    github::slashed,
    severity::{self, line, sentence},
};
use crate::answer::Checked;

/// Makes the report: one issue per finding, and one per file that could not be judged.
pub(super) fn issues(found: &Checked) -> Value {
    let mut made = Vec::new();
    let mut seen = HashMap::new();
    for record in &found.models {
        let path = relative(&record.model);
        for finding in &record.findings {
            let Some(code) = severity::reported(finding) else { continue };
            // The sentence may change with a version of the command, so it is no part of the fingerprint.
            let known = [finding.verdict.as_str(), &path, &finding.node, &finding.op, &finding.target];
            made.push(json!({
                "check_name": format!("broadaxe/{}", code.id),
                "description": sentence(finding),
                "fingerprint": fingerprint(&known, &mut seen),
                "severity": severity::gitlab(code.severity),
                "location": { "path": path, "lines": { "begin": line(&finding.place) } },
            }));
        }
    }
    for error in &found.errors {
        let path = relative(&error.file);
        made.push(json!({
            "check_name": "broadaxe/error",
            "description": error.sentence(),
            "fingerprint": fingerprint(&["error", &path], &mut seen),
            "severity": "critical",
            "location": { "path": path, "lines": { "begin": line(error.field.as_deref().unwrap_or_default()) } },
        }));
    }
    made.into()
}

/// Writes a path as GitLab wants it: from the root of the repository, without `./`.
fn relative(path: &str) -> String {
    let path = slashed(path, cfg!(windows));
    path.trim_start_matches("./").to_owned()
}

/// Returns a fingerprint of these parts; that of equal parts also depends on how many there were before.
pub(super) fn fingerprint(parts: &[&str], seen: &mut HashMap<u128, usize>) -> String {
    let hash = parts.iter().fold(FNV_OFFSET, |hash, part| fnv(fnv(hash, part.as_bytes()), &[0]));
    let before = seen.entry(hash).and_modify(|count| *count += 1).or_insert(0);
    let hash = if *before == 0 { hash } else { fnv(hash, before.to_string().as_bytes()) };
    format!("{hash:032x}")
}

/// The offset basis and the prime of FNV-1a of 128 bits, as its authors publish them (draft-eastlake-fnv).
const FNV_OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const FNV_PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// Returns a hash of these parts.
pub(in super::super) fn hash(parts: &[&[u8]]) -> u128 {
    let one = |hash, part: &&[u8]| fnv(fnv(hash, &(part.len() as u64).to_le_bytes()), part);
    parts.iter().fold(FNV_OFFSET, one)
}

/// Continues a hash over more bytes.
fn fnv(hash: u128, bytes: &[u8]) -> u128 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(FNV_PRIME))
}

#[cfg(test)]
mod tests {
    use super::{super::sample, *};

    #[test]
    fn hashes_are_those_that_its_authors_publish() {
        let cases = [
            ("", 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d),
            ("a", 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964),
            ("foobar", 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18),
        ];
        for (text, want) in cases {
            assert_eq!(fnv(FNV_OFFSET, text.as_bytes()), want, "{text:?}");
        }
    }

    #[test]
    fn fingerprints_are_stable_and_differ() {
        let lists: [&[&str]; 5] = [&["a", "b"], &["ab", ""], &["ab"], &["a", "b"], &["a", "b"]];
        let run = || {
            let mut seen = HashMap::new();
            lists.map(|parts| fingerprint(parts, &mut seen))
        };
        let first = run();
        assert_eq!(first, run());
        for (i, one) in first.iter().enumerate() {
            assert!(one.len() == 32 && !first[..i].contains(one), "{first:?}");
        }
        // Written down, so that a change, after which GitLab shows every finding as a new one, is noticed.
        assert_eq!(first[0], "6971299cb6757277b806e976f537e9be");
    }

    #[test]
    fn paths() {
        for (path, want) in [("./a/b.onnx", "a/b.onnx"), (".a.onnx", ".a.onnx"), ("../a.onnx", "../a.onnx")] {
            assert_eq!(relative(path), want);
        }
    }

    #[test]
    fn each_finding_is_one_issue() {
        let report = issues(&sample::checked());
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
