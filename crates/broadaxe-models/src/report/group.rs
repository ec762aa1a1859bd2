//! Groups the findings of a model: those of one kind, for one target and one cause, whose operands have the same ranks.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{CheckRecord, FindingRecord};
use crate::code::{self, Code, Severity};

/// Findings that have the same cause.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// The kind of finding; nothing where an engine computes the same and its laws agree.
    pub code: Option<&'static Code>,
    /// The targets: several only where the model itself is wrong.
    pub targets: Vec<&'a str>,
    /// One finding per node, in the order of the file, with its number in the record.
    pub members: Vec<(usize, &'a FindingRecord)>,
}

/// Which findings a report shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Whether unknown and unsupported findings are shown too.
    pub all: bool,
}

impl Shown {
    /// Says whether a finding is shown.
    pub fn has(self, finding: &FindingRecord) -> bool {
        match finding.verdict.as_str() {
            // If a law depends on neighbours, the engine's answer about the node alone does not contradict it.
            "same" => finding.law.as_ref().map_or(finding.code.is_some(), |law| law.alone || self.all),
            _ if finding.is_suppressed() => false,
            "unknown" | "unsupported" => self.all || finding.fails,
            _ => true,
        }
    }

    /// Counts the findings of models that count and are not shown, by verdict: `not shown: 3 unsupported, 18 unknown`; nothing where all are
    /// shown.
    pub fn hidden<'r>(self, records: impl IntoIterator<Item = &'r CheckRecord>) -> Option<String> {
        let findings = records.into_iter().flat_map(|record| &record.findings);
        let hidden = findings.filter(|one| one.verdict != "same" && !one.is_suppressed() && !self.has(one));
        let verdicts: Vec<&str> = hidden.map(|one| one.verdict.as_str()).collect();
        let count = |verdict: &&str| verdicts.iter().filter(|one| one == &verdict).count();
        let said = ["unsupported", "unknown"].iter().filter(|verdict| count(verdict) > 0);
        let said: Vec<String> = said.map(|verdict| format!("{} {verdict}", count(verdict))).collect();
        (!said.is_empty()).then(|| format!("not shown: {}", said.join(", ")))
    }
}

impl<'a> Group<'a> {
    /// Returns the first finding, which reports show for all of them.
    pub fn sample(&self) -> &'a FindingRecord {
        self.members[0].1
    }

    /// Returns the code of the findings: `BX101`, or `same`.
    pub fn id(&self) -> &'static str {
        self.code.map_or("same", |code| code.id)
    }

    /// Returns the name of the code: `wrong-axis`, or nothing.
    pub fn name(&self) -> &'static str {
        self.code.map_or("", |code| code.name)
    }

    /// Lists the names of the nodes after the first one.
    pub fn others(&self) -> impl Iterator<Item = &'a str> {
        self.members.iter().skip(1).map(|(_, finding)| finding.node.as_str())
    }

    /// Returns how severe the findings are.
    pub fn severity(&self) -> Severity {
        self.code.map_or(Severity::Note, |code| code.severity)
    }

    /// Says what all findings have in common: their reason, without the sizes of single nodes where these differ.
    pub fn why(&self) -> &'a str {
        let sample = self.sample();
        let is_shared = self.members.iter().all(|(_, finding)| finding.reason == sample.reason);
        if is_shared || sample.cause.is_empty() {
            let reason = sample.reason.as_str();
            reason.strip_prefix(&*sample.target).map_or(reason, str::trim_start)
        } else {
            &sample.cause
        }
    }
}

/// What findings of one group have in common.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    /// An engine was asked, and answered the same for a class of nodes.
    Class(usize),
    /// The model itself is wrong in this node.
    Model(&'a str, &'a str, &'a str),
    /// The code, the target, the cause and the ranks of the operands.
    Cause(&'a str, &'a str, &'a str, Vec<Option<usize>>),
}

/// Says whether a finding is about the model alone, and not about what a target does with a node that is wrong.
fn is_of_model(finding: &FindingRecord, code: Option<&Code>) -> bool {
    code.is_some_and(Code::is_of_model) && finding.cause.is_empty()
}

fn key<'a>(at: usize, finding: &'a FindingRecord, code: Option<&Code>, classes: &HashMap<usize, usize>) -> Key<'a> {
    if let Some(&class) = classes.get(&at) {
        return Key::Class(class);
    }
    let id = finding.code.as_deref().unwrap_or_default();
    if is_of_model(finding, code) {
        return Key::Model(id, &finding.place, &finding.reason);
    }
    let (cause, counts_ranks) = match finding.verdict.as_str() {
        // Each such operator is a kind of its own, whatever its operands are.
        "unsupported" => (finding.op.as_str(), false),
        "unknown" => (finding.cause.as_str(), false),
        _ if finding.cause.is_empty() => (finding.reason.as_str(), true),
        _ => (finding.cause.as_str(), true),
    };
    let ranks = finding.operands.iter().map(|operand| operand.shape.as_ref().map(Vec::len));
    Key::Cause(id, &finding.target, cause, if counts_ranks { ranks.collect() } else { Vec::new() })
}

/// Groups the findings that are shown: errors before warnings and notes, and larger groups first.
///
/// An engine that was asked answers for a class of nodes: `alike` lists, for the number of one finding of a class, those of the others.
pub fn groups<'a>(record: &'a CheckRecord, alike: &BTreeMap<usize, Vec<usize>>, shown: Shown) -> Vec<Group<'a>> {
    let mut classes: HashMap<usize, usize> = HashMap::new();
    for (&first, others) in alike {
        classes.extend(others.iter().chain([&first]).map(|&at| (at, first)));
    }
    let mut found: Vec<Group<'a>> = Vec::new();
    let mut index: HashMap<Key<'a>, usize> = HashMap::new();
    let mut seen: HashSet<(usize, &str)> = HashSet::new();
    for (at, finding) in record.findings.iter().enumerate().filter(|(_, finding)| shown.has(finding)) {
        let code = finding.code.as_deref().and_then(code::find);
        let group = *index.entry(key(at, finding, code, &classes)).or_insert_with(|| {
            found.push(Group { code, targets: Vec::new(), members: Vec::new() });
            found.len() - 1
        });
        let into = &mut found[group];
        if !into.targets.contains(&&*finding.target) {
            into.targets.push(&finding.target);
        }
        // A node that is wrong for every target is counted once.
        if !is_of_model(finding, code) || seen.insert((group, finding.place.as_str())) {
            into.members.push((at, finding));
        }
    }
    let is_contradicted = |group: &Group<'_>| group.sample().law.as_ref().is_some_and(|law| law.alone);
    let rank = |group: &Group<'_>| (!is_contradicted(group), group.severity() as u8);
    found.sort_by_key(|group| (rank(group), std::cmp::Reverse(group.members.len())));
    found
}
