//! Fingerprints of findings, for GitLab and for baselines.
//!
//! The fingerprint of a finding stays the same from version to version: it depends on no text for people.

use std::collections::HashMap;

use broadaxe_models::report::{DimRecord, FindingRecord};

/// Returns the code of a finding, such as `BX101`; empty for `same`.
pub fn code(finding: &FindingRecord) -> &str {
    finding.code.as_deref().unwrap_or_default()
}

/// Returns the hash of a finding in a model; equal findings on nodes of one name have the same.
///
/// It depends on the model's path, the target, the code, the operator, the name of the node and the sizes of the operands.
pub fn of(model: &str, finding: &FindingRecord) -> u128 {
    let shapes = shapes(finding);
    let named = [model, &finding.target, code(finding), &finding.op, &finding.node, &shapes];
    hash(&named.map(str::as_bytes))
}

/// Writes the shapes of a finding's operands: `1,3,?,? 3`. What is open is `?`, whatever it is called: names of dims are no part of it.
pub fn shapes(finding: &FindingRecord) -> String {
    let dim = |dim: &DimRecord| match dim {
        DimRecord::Size(size) => size.to_string(),
        DimRecord::Open(_) => "?".to_owned(),
    };
    let shape = |shape: &Option<Vec<DimRecord>>| match shape.as_deref() {
        None => "...".to_owned(),
        Some([]) => "()".to_owned(),
        Some(dims) => dims.iter().map(dim).collect::<Vec<_>>().join(","),
    };
    finding.operands.iter().map(|operand| shape(&operand.shape)).collect::<Vec<_>>().join(" ")
}

/// Counts the findings of each hash, so that each gets a fingerprint of its own.
#[derive(Debug, Default)]
pub struct Fingerprints(HashMap<u128, usize>);

impl Fingerprints {
    /// Returns a fingerprint; that of a hash also depends on how often it was there before.
    pub fn next(&mut self, hash: u128) -> String {
        let before = self.0.entry(hash).and_modify(|count| *count += 1).or_insert(0);
        let hash = if *before == 0 { hash } else { fnv(hash, before.to_string().as_bytes()) };
        format!("{hash:032x}")
    }
}

/// The offset basis and the prime of FNV-1a of 128 bits, as its authors publish them (draft-eastlake-fnv).
const FNV_OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const FNV_PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// Returns a hash of these parts.
pub fn hash(parts: &[&[u8]]) -> u128 {
    let one = |hash, part: &&[u8]| fnv(fnv(hash, &(part.len() as u64).to_le_bytes()), part);
    parts.iter().fold(FNV_OFFSET, one)
}

/// Continues a hash over more bytes.
fn fnv(hash: u128, bytes: &[u8]) -> u128 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(FNV_PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let lists: [&[&[u8]]; 5] = [&[b"a", b"b"], &[b"ab", b""], &[b"ab"], &[b"a", b"b"], &[b"a", b"b"]];
        let run = || {
            let mut seen = Fingerprints::default();
            lists.map(|parts| seen.next(hash(parts)))
        };
        let first = run();
        assert_eq!(first, run());
        for (i, one) in first.iter().enumerate() {
            assert!(one.len() == 32 && !first[..i].contains(one), "{first:?}");
        }
        // Written down, so that a change, after which every finding is a new one, is noticed.
        assert_eq!(first[0], "ce06862dec13e86762e3edd399a16bd4");
    }
}
