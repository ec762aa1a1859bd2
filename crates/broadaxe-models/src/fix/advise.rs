//! Adds repairs to findings: what would make a node mean the same on the target.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Fix, Intent,
    rejudge::{found_for, hold},
};
use crate::{
    check::{Finding, Repair, Report, Verdict},
    copied::Copied,
    error::Error,
    graph::{Model, NodeId},
    infer::Shapes,
    profiles::Target,
};

/// Adds to each finding of a report what would repair it for its target, and what that costs.
///
/// Repairs are planned for one target at a time. [`plan`](super::plan) finds those that serve several at once;
/// [`Finding::fixable`] says which findings it removes. The report has the findings of these targets.
///
/// # Errors
/// As [`plan`](super::plan).
pub fn advise(model: &Model, shapes: &Shapes, targets: &[Target], report: &mut Report) -> Result<(), Error> {
    let mut one = None;
    for (at, target) in targets.iter().enumerate() {
        let name = target.to_string();
        let before = found_for(report, targets.len(), Some(at));
        let wanted = |finding: &&mut Finding| *finding.target == *name && is_repairable(&finding.verdict);
        let mut found: Vec<_> = report.findings.iter_mut().filter(wanted).collect();
        if found.is_empty() {
            continue;
        }
        let fix = hold((model, shapes), std::slice::from_ref(target), Intent::Unknown, Some(before))?;
        let repairs = repairs(&fix);
        for finding in &mut found {
            finding.set_repair(repairs.get(&finding.node).cloned());
        }
        one = (targets.len() == 1).then_some(fix);
    }
    let repairable = |finding: &&Finding| is_repairable(&finding.verdict);
    if !report.findings.iter().any(|finding| repairable(&finding)) {
        return Ok(());
    }
    let all = || hold((model, shapes), targets, Intent::Unknown, Some(found_for(report, targets.len(), None)));
    let fix = one.map_or_else(all, Ok)?;
    for finding in &mut report.findings {
        let remains = fix.remains.contains(&(finding.node, finding.target.clone()));
        finding.fixable = is_repairable(&finding.verdict) && !remains;
    }
    Ok(())
}

/// Collects the repairs of the nodes that a fix leaves nothing to say about.
fn repairs(fix: &Fix) -> BTreeMap<NodeId, Repair> {
    let left: BTreeSet<NodeId> = fix.left.iter().map(|left| left.node).collect();
    let mut repairs: BTreeMap<NodeId, Repair> = BTreeMap::new();
    for step in fix.steps.iter().filter(|step| !left.contains(&step.node)) {
        let repair =
            repairs.entry(step.node).or_insert_with(|| Repair { text: String::new(), copied: Copied::default() });
        repair.text += if repair.text.is_empty() { "" } else { ", " };
        repair.text += &step.text;
        repair.copied.add(&step.copied);
    }
    repairs
}

fn is_repairable(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Differs(_) | Verdict::Refused | Verdict::Unsupported | Verdict::Guarded(_))
}
