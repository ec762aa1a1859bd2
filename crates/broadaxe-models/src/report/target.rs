//! Counts the verdicts for one target.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FindingRecord;

/// How often each verdict was given for one target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetRecord {
    /// The target.
    pub name: String,
    /// Nodes that mean the same there.
    pub same: usize,
    /// Nodes that mean something else there, without an error.
    pub differs: usize,
    /// Nodes that it refuses.
    pub refused: usize,
    /// Nodes whose operator it does not have.
    pub unsupported: usize,
    /// Nodes that are the same only for some sizes of open dims.
    pub guarded: usize,
    /// Nodes of which nothing can be said.
    pub unknown: usize,
    /// The engines that its laws were asked of, with their versions; none where the laws are from documents or by definition.
    pub engines: Vec<String>,
    /// The caveats of the verdict `same`: numbers with which some of these nodes are not the same.
    #[serde(default)]
    pub caveats: Vec<CaveatRecord>,
}

/// Numbers with which nodes that are the same on a target are not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaveatRecord {
    /// What the target does: a clause that follows its name.
    pub text: String,
    /// How many nodes it holds for.
    pub nodes: usize,
}

impl TargetRecord {
    /// Counts the nodes that need attention: those that differ, are refused, or depend on size.
    pub fn findings(&self) -> usize {
        self.differs + self.refused + self.guarded
    }

    /// Counts the verdicts of a target.
    pub(super) fn counted(target: &str, findings: &[FindingRecord], engines: Vec<String>) -> Self {
        let mut record = Self { name: target.into(), engines, ..Self::default() };
        for finding in findings.iter().filter(|finding| *finding.target == *target) {
            match finding.verdict.as_str() {
                "same" => {
                    record.same += 1;
                    if finding.code.is_none() {
                        record.caveat(&finding.reason);
                    }
                }
                "differs" => record.differs += 1,
                "refused" => record.refused += 1,
                "unsupported" => record.unsupported += 1,
                "guarded" => record.guarded += 1,
                _ => record.unknown += 1,
            }
        }
        record
    }

    fn caveat(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.caveats.iter_mut().find(|caveat| caveat.text == text) {
            Some(caveat) => caveat.nodes += 1,
            None => self.caveats.push(CaveatRecord { text: text.to_owned(), nodes: 1 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{check::check, report::CheckRecord, testing::model};

    /// Numbers that decide are named below the counts of a target, and findings of its own are not.
    #[test]
    fn caveats_are_counted() {
        let two = "x:i64(3); y:i64(3); z:i32(3); w=const:i32(3); a=Add(x,y); b=Less(x,y); c=Add(z,w); d=Div(z,w)";
        let large = "x:i64(3); y=const:i64()=8589934592; z=Add(x,y)";
        let folded = "x=const:i64(2); y=const:i64(2); z=Add(x,y)";
        for (text, target, want) in [
            (two, "openvino", &[(2, "64-bit"), (1, "f32")][..]),
            (two, "mnn", &[(2, "64-bit")]),
            (two, "onnx", &[]),
            (large, "openvino", &[]),
            (folded, "openvino", &[]),
        ] {
            let (model, shapes) = model(text);
            let record = CheckRecord::new("m", &model, check(&model, &shapes, &[target.parse().unwrap()]));
            let caveats = &record.targets[0].caveats;
            assert_eq!(
                caveats.iter().map(|caveat| caveat.nodes).collect::<Vec<_>>(),
                want.iter().map(|want| want.0).collect::<Vec<_>>()
            );
            assert!(caveats.iter().zip(want).all(|(caveat, want)| caveat.text.contains(want.1)), "{text}: {caveats:?}");
        }
    }
}
