//! The report that `broadaxe check` prints, as plain data: the same groups in the same words, for programs that draw it themselves.

use std::collections::BTreeMap;

use broadaxe_draw::words::escaped;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    CheckRecord, FindingRecord, fold,
    group::{Group, Shown, groups},
    words::{self, ReportRow},
};

/// The report of one model. Names from the file are escaped in all texts.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GroupedReport {
    /// The model's file, as it was given.
    pub model: String,
    /// How many broadcasting nodes the model has: `12 broadcasting nodes, 2 of unknown shape`.
    pub nodes: String,
    /// How many other nodes were skipped; null where there are none.
    pub others: Option<String>,
    /// The counts of verdicts, one entry per target.
    pub targets: Vec<GroupedTarget>,
    /// The findings, those with the same cause together: errors first, and larger groups first.
    pub groups: Vec<GroupedFindings>,
    /// How many findings can be fixed, `2 of 3 findings can be fixed`, and whether that needs an upgrade; null where none needs a fix.
    pub fixable: Option<String>,
    /// How many nodes are unknown or unsupported: `No known problem; 38 of 123 nodes unknown on coreml`; null where none is.
    pub undecided: Option<String>,
    /// How many findings are not shown: `not shown: 3 unsupported, 18 unknown`; null where all are.
    pub hidden: Option<String>,
}

/// The counts of verdicts for one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupedTarget {
    /// The target.
    pub name: String,
    /// How often each verdict was given: `2 differ, 10 same`.
    pub counts: String,
    /// What the verdicts assume of the model, which the runtime does not read itself, or that there are none, and the caveats of `same`.
    pub remarks: Vec<String>,
}

/// Findings that have the same cause.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GroupedFindings {
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// The code: `BX101`, or `same`.
    pub code: String,
    /// The name of the code: `wrong-axis`; empty for `same`.
    pub name: String,
    /// What happens: `differs on ncnn`.
    pub title: String,
    /// Why, in one sentence; may be empty.
    pub why: String,
    /// The numbers of the findings in the record, from 0. The first is the sample.
    pub members: Vec<usize>,
    /// The names of the nodes of the other findings, folded where they differ in numbers: `/blocks.{1..11}/Add`.
    pub others: Vec<String>,
    /// The finding that is shown for all of them.
    pub sample: GroupedSample,
}

/// One finding in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupedSample {
    /// The node, its operator and its place: `bias1 (Add), #3`.
    pub node: String,
    /// The operands, and then the result.
    pub rows: Vec<ReportRow>,
    /// What else is known: values, sizes near those of the model, the condition, the evidence.
    pub notes: Vec<GroupedNote>,
    /// How to fix it, and what that costs; null where no fix is known.
    pub fix: Option<String>,
}

/// A sentence with its label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupedNote {
    /// `value`, `near`, `if`, `known` or `law`.
    pub label: String,
    /// The sentence.
    pub text: String,
}

/// Groups the findings of a record that are shown, and puts them into the words of the command.
///
/// ```
/// use broadaxe_models::{check_file, report::{Shown, grouped}};
/// let record = check_file("../../examples/face.onnx", &["ncnn".parse()?])?;
/// let report = grouped(&record, Shown { all: false });
/// assert_eq!(report.groups[0].title, "differs on ncnn");
/// # Ok::<(), broadaxe_models::Error>(())
/// ```
pub fn grouped(record: &CheckRecord, shown: Shown) -> GroupedReport {
    let found = groups(record, &BTreeMap::new(), shown);
    let targets = record.targets.iter().map(|target| GroupedTarget {
        name: target.name.clone(),
        counts: words::counts(target, &found),
        remarks: words::assumption(target, record).into_iter().chain(words::caveats(target)).collect(),
    });
    GroupedReport {
        model: escaped(&record.model),
        nodes: words::nodes(record),
        others: words::others(record),
        targets: targets.collect(),
        groups: found.iter().map(GroupedFindings::new).collect(),
        fixable: words::fixable(record),
        undecided: words::undecided(record),
        hidden: shown.hidden([record]),
    }
}

impl GroupedFindings {
    fn new(group: &Group<'_>) -> Self {
        let sample = group.sample();
        Self {
            severity: group.severity().word().to_owned(),
            code: group.id().to_owned(),
            name: group.name().to_owned(),
            title: words::consequence(sample, &group.targets),
            why: escaped(&words::why(group)),
            members: group.members.iter().map(|(at, _)| *at).collect(),
            others: fold(group.others()).iter().map(|(name, _)| escaped(name)).collect(),
            sample: GroupedSample::new(sample),
        }
    }
}

impl GroupedSample {
    /// Puts a finding into the words of the command.
    pub fn new(finding: &FindingRecord) -> Self {
        let row = |row: ReportRow| ReportRow { name: escaped(&row.name), ..row };
        let note = |(label, text): (&str, String)| GroupedNote { label: label.to_owned(), text: escaped(&text) };
        Self {
            node: words::node(finding),
            rows: words::rows(finding).into_iter().map(row).collect(),
            notes: words::notes(finding).into_iter().map(note).collect(),
            fix: finding.repair.as_deref().map(words::fix),
        }
    }
}

#[cfg(test)]
mod tests;
