//! The results of a check as plain data, for JSON, Python and text, and how reports group them and put them into words.

mod fold;
mod group;
mod target;
pub mod words;
mod drawing;
mod grouped;
pub mod html;

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use broadaxe_shape::symbolic::SymbolicShape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::{
    drawing::drawings,
    fold::fold,
    group::{Group, Shown, groups},
    grouped::{GroupedFindings, GroupedNote, GroupedReport, GroupedSample, GroupedTarget, grouped},
    target::{CaveatRecord, TargetRecord},
};
use crate::{
    check::{Coincidence, Counterexample, Evidence, Finding, Operand, Repair, Report, Said, Verdict, operands},
    code,
    copied::Copied,
    graph::{GraphId, Model, NodeId},
    infer::{Origin, Shapes},
    meaning::meaning,
    profiles::{Target, asked_engines},
};

/// The version of the form of [`CheckRecord`]; it changes when a field changes its meaning or goes.
pub const VERSION: u32 = 2;

/// What a check found in one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRecord {
    /// The version of this form.
    pub version: u32,
    /// The model's file, as it was given.
    pub model: String,
    /// The format it was read in.
    pub format: String,
    /// The opset of the standard operators, for ONNX.
    pub opset: Option<i64>,
    /// How many broadcasting nodes were looked at.
    pub nodes: usize,
    /// How many of them have operands whose shapes are not known.
    pub unknown: usize,
    /// How many nodes compute something, do not broadcast and were skipped.
    pub others: usize,
    /// How often each verdict was given, one entry per target.
    pub targets: Vec<TargetRecord>,
    /// The inputs whose shapes `fix` needs to verify its changes; absent where it needs none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needed_inputs: Vec<String>,
    /// One entry per broadcasting node and target, in the order of the file.
    #[serde(serialize_with = "each")]
    #[schemars(with = "Vec<FindingFacts>")]
    pub findings: Vec<FindingRecord>,
}

/// What one target does with one node. Findings on a node that say the same share it: most of a model means the same everywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "FindingFacts", into = "FindingFacts")]
pub struct FindingRecord {
    /// The target.
    pub target: Arc<str>,
    /// As [`FindingFacts::fixable`].
    pub fixable: bool,
    /// As [`FindingFacts::fails`].
    pub fails: bool,
    /// As [`FindingFacts::known`].
    pub known: bool,
    facts: Arc<FindingFacts>,
}

/// A finding in the form of JSON. In a [`FindingRecord`], the fields that the record has too are not used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FindingRecord", description = "What one target does with one node.")]
#[allow(clippy::struct_excessive_bools, reason = "a record of a report, whose fields are facts of their own")]
pub struct FindingFacts {
    /// The node's name; that of its first output where it has none.
    pub node: String,
    /// Its operator.
    pub op: String,
    /// Its place in the file.
    pub place: String,
    /// Its number, as its place gives it: counted in its graph, an id, or that of its line.
    pub number: u64,
    /// The line that it begins on, from 1; null in files that are not text.
    pub line: Option<u64>,
    /// Whether it is in another graph than the main one: a body, a function; absent otherwise.
    #[serde(default, skip_serializing_if = "is_false")]
    pub inner: bool,
    /// The target.
    pub target: String,
    /// `same`, `differs`, `refused`, `unsupported`, `guarded` or `unknown`.
    pub verdict: String,
    /// The code of this kind of finding, such as `BX101`; null for `same`.
    pub code: Option<String>,
    /// Why, in one sentence; for `same` the numbers with which it does not hold, and otherwise empty.
    pub reason: String,
    /// What the law of the target says that decides, without the sizes of this node; empty where no law does.
    pub cause: String,
    /// The condition under which it means the same, for `guarded`.
    pub condition: Option<String>,
    /// The operands that broadcast; the findings on one node share them.
    #[serde(serialize_with = "shared")]
    #[schemars(with = "Vec<OperandRecord>")]
    pub operands: Arc<[OperandRecord]>,
    /// The shape of the result, slowest axis first; null where its rank is not known.
    pub result: Option<Vec<DimRecord>>,
    /// The axis of the result that the reason is about.
    pub axis: Option<usize>,
    /// The sizes of the operands on that axis.
    pub sizes: Vec<usize>,
    /// An element on which the two differ, for `differs`.
    pub counterexample: Option<Box<CounterexampleRecord>>,
    /// Sizes near those of the model with which a refused node would differ without an error; null for other verdicts.
    pub near: Option<Box<NearRecord>>,
    /// The axes of the result that each operand's axes feed, by the model's own rule; absent where they are not known, and where the node
    /// does not differ, is not refused and is not guarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<Vec<Vec<usize>>>,
    /// The same on the target; absent where it does not place them by another rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_axes: Option<Vec<Vec<usize>>>,
    /// Why the node is wrong by the rules of the model's own format; absent where it is not. The verdict is what the target does all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid: Option<String>,
    /// How the statement about the target is known: `run here`, `documented`, `asked now`, `asked before` or `not asked`.
    pub evidence: Option<String>,
    /// The test, document or thread that it is from; the package and its version where an engine was asked.
    pub source: Option<String>,
    /// What would make it the same.
    pub repair: Option<Box<RepairRecord>>,
    /// Whether one fix for all targets of this check removes the finding.
    pub fixable: bool,
    /// Whether the finding ends a check with exit code 1, by the verdicts that fail and what a project accepts.
    pub fails: bool,
    /// What the laws of the target say, where an engine that was asked says otherwise; absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<Box<LawRecord>>,
    /// Why a project ignores the finding; absent for those that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored: Option<String>,
    /// Whether the finding is in the baseline of a project; absent where it is not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub known: bool,
}

/// What the laws of a target say of a node, where an engine that was asked says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LawRecord {
    /// The target, in the form that the command line accepts.
    pub target: String,
    /// The verdict of its laws.
    pub verdict: String,
    /// Why, in one sentence; empty for `same`.
    pub reason: String,
    /// Whether the laws say so of the node alone, as it was asked; otherwise its neighbours in the model matter.
    pub alone: bool,
}

/// One operand of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperandRecord {
    /// The tensor.
    pub tensor: String,
    /// Its shape, slowest axis first; null where its rank is not known.
    pub shape: Option<Vec<DimRecord>>,
    /// Where the shape is known from.
    pub origin: String,
    /// Whether it is a constant.
    pub constant: bool,
}

/// A dim: a size, or the name of one that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DimRecord {
    /// A size.
    Size(usize),
    /// A name, a range or `?`.
    Open(String),
}

/// An element on which two meanings differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CounterexampleRecord {
    /// Its index in the result.
    pub element: Vec<usize>,
    /// The indices of the operands' elements that the model's own format reads there.
    pub reads: Vec<Vec<usize>>,
    /// The indices that the target reads there; empty where the result has another shape, and where an
    /// engine was asked, which does not say what it reads.
    pub target_reads: Vec<Vec<usize>>,
    /// The numbers that the operands hold at `reads`.
    pub numbers: Vec<Option<f64>>,
    /// The numbers that they hold at `target_reads`.
    pub target_numbers: Vec<Option<f64>>,
    /// The value in the model's own format; null where it is not a finite number, or not computed.
    pub here: Option<f64>,
    /// The value on the target.
    pub there: Option<f64>,
    /// The shape of the result on the target.
    pub target_shape: Vec<usize>,
}

/// Sizes with which a refused node would differ without an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearRecord {
    /// The shapes of the operands.
    pub shapes: Vec<Vec<usize>>,
    /// An element on which the two differ then.
    pub counterexample: CounterexampleRecord,
}

/// What would make a node mean the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepairRecord {
    /// What to do.
    pub text: String,
    /// How many bytes it copies each time the model runs; null where that depends on an open dim.
    pub bytes: Option<u64>,
    /// What it copies each time the model runs, as a sum: bytes per element along open dims.
    pub copied: Copied,
}

/// Names a node: by its name, or by its first output where it has none.
pub fn node_name(model: &Model, id: NodeId) -> String {
    let node = model.node(id);
    if !node.name.is_empty() {
        return node.name.clone();
    }
    let first = node.outputs.iter().flatten().next();
    first.map_or_else(|| node.place.clone(), |&value| model.value(value).name.clone())
}

/// Says where a shape is known from.
pub fn origin_text(model: &Model, origin: &Origin) -> String {
    match origin {
        Origin::Given => "given".into(),
        Origin::Declared => "recorded in the file".into(),
        Origin::Constant => "constant".into(),
        Origin::Inferred(node) => format!("inferred through {} ({})", node_name(model, *node), model.node(*node).op),
        Origin::Unknown(reason) => format!("unknown: {reason}"),
    }
}

/// Lists the dims of a shape; nothing where the rank is not known.
pub fn dims(shape: &SymbolicShape) -> Option<Vec<DimRecord>> {
    let dim = |dim: &broadaxe_shape::symbolic::Dim| match dim.size() {
        Some(size) => DimRecord::Size(size),
        None => DimRecord::Open(dim.to_string()),
    };
    shape.dims().map(|dims| dims.iter().map(dim).collect())
}

/// Writes a list whose writing may take long, so that it can be stopped.
fn each<S: serde::Serializer>(items: &[FindingRecord], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(items.iter().inspect(|_| broadaxe::stop::checkpoint()))
}

#[allow(clippy::trivially_copy_pass_by_ref)] // Serde asks for a reference.
fn is_false(value: &bool) -> bool {
    !value
}

fn shared<S: serde::Serializer>(items: &Arc<[OperandRecord]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(items.iter())
}

impl From<FindingFacts> for FindingRecord {
    fn from(facts: FindingFacts) -> Self {
        let FindingFacts { target, fixable, fails, known, .. } = facts;
        let (own, facts) = (
            target.into(),
            FindingFacts { target: String::new(), fixable: false, fails: false, known: false, ..facts },
        );
        Self { target: own, fixable, fails, known, facts: Arc::new(facts) }
    }
}

impl From<FindingRecord> for FindingFacts {
    fn from(record: FindingRecord) -> Self {
        let FindingRecord { target, fixable, fails, known, facts } = record;
        Self { target: target.to_string(), fixable, fails, known, ..Arc::unwrap_or_clone(facts) }
    }
}

impl Deref for FindingRecord {
    type Target = FindingFacts;

    fn deref(&self) -> &FindingFacts {
        &self.facts
    }
}

/// Changes what this finding says, and not what others say that share it.
impl DerefMut for FindingRecord {
    fn deref_mut(&mut self) -> &mut FindingFacts {
        Arc::make_mut(&mut self.facts)
    }
}

impl CheckRecord {
    /// Puts what was found into plain data; `name` is the file as it was given. Each finding is dropped when its record is made.
    pub fn new(name: &str, model: &Model, report: Report) -> Self {
        let mut findings: Vec<FindingRecord> = Vec::with_capacity(report.findings.len());
        // The findings on the last node, with their records.
        let mut last: Vec<(Finding, usize)> = Vec::new();
        // A list that is consumed keeps its memory, unless it shrinks.
        let mut left = report.findings;
        left.reverse();
        while let Some(finding) = left.pop() {
            if left.len() < left.capacity() / 2 {
                left.shrink_to_fit();
            }
            if last.first().is_some_and(|(first, _)| first.node != finding.node) {
                last.clear();
            }
            let shared =
                last.iter().find(|(other, _)| other.shares(&finding)).map(|&(_, at)| findings[at].facts.clone());
            let of_node = last.first().filter(|(first, _)| Arc::ptr_eq(&first.operands, &finding.operands));
            let facts = shared.unwrap_or_else(|| {
                let records =
                    |operands: &[Operand]| operands.iter().map(|one| OperandRecord::new(model, one)).collect();
                let operands =
                    of_node.map_or_else(|| records(&finding.operands), |&(_, at)| findings[at].operands.clone());
                Arc::new(FindingFacts::new(model, &finding, operands))
            });
            let (target, fixable) = (finding.target.clone(), finding.fixable);
            last.push((finding, findings.len()));
            findings.push(FindingRecord { target, fixable, fails: false, known: false, facts });
        }
        let targets = report
            .targets
            .iter()
            .map(|name| TargetRecord::counted(name, &findings, asked_engines(name, model.format)))
            .collect();
        let (nodes, unknown, others) = (report.nodes, report.unknown, report.others);
        let opset = model.opsets.iter().find(|(domain, _)| domain.is_empty()).map(|(_, opset)| *opset);
        let (model, format, needed_inputs) = (name.into(), model.format.into(), Vec::new());
        Self { version: VERSION, model, format, opset, nodes, unknown, others, targets, needed_inputs, findings }
    }

    /// Adds the findings of an engine that was asked, under its name.
    pub fn add(&mut self, target: &str, findings: Vec<FindingRecord>) {
        self.targets.push(TargetRecord::counted(target, &findings, Vec::new()));
        self.findings.extend(findings);
    }

    /// Returns the record without its findings.
    #[must_use]
    pub fn head(&self) -> Self {
        let Self { version, model, format, opset, nodes, unknown, others, targets, needed_inputs, findings: _ } = self;
        let (version, opset, nodes, unknown, others) = (*version, *opset, *nodes, *unknown, *others);
        let (model, format, targets, needed_inputs) =
            (model.clone(), format.clone(), targets.clone(), needed_inputs.clone());
        Self { version, model, format, opset, nodes, unknown, others, targets, needed_inputs, findings: Vec::new() }
    }

    /// Counts the findings that one fix for all targets of the check removes.
    pub fn fixable(&self) -> usize {
        self.share_of(None).0
    }

    /// Counts, of one target or of all, the findings that one fix for all targets of the check removes, and those that a fix is looked for.
    pub fn share_of(&self, target: Option<&str>) -> (usize, usize) {
        let counts = |finding: &&FindingRecord| {
            finding.is_repairable()
                && !finding.is_suppressed()
                && target.is_none_or(|target| *finding.target == *target)
        };
        let found = self.findings.iter().filter(counts);
        found.fold((0, 0), |(fixed, all), finding| (fixed + usize::from(finding.fixable), all + 1))
    }

    /// Says of each finding that a repair is looked for whether one fix for all targets of the check removes it.
    pub(crate) fn set_fixable(&mut self, is_fixable: impl Fn(&FindingRecord) -> bool) {
        for finding in &mut self.findings {
            finding.fixable = finding.is_repairable() && is_fixable(finding);
        }
    }

    /// Counts the findings of all targets that need attention.
    pub fn attention(&self) -> usize {
        self.targets.iter().map(TargetRecord::findings).sum()
    }

    /// Counts the findings by laws that need attention, and those of lacking operators that a repair was found for.
    pub fn repairable(&self) -> usize {
        self.share_of(None).1
    }
}

impl OperandRecord {
    fn new(model: &Model, operand: &Operand) -> Self {
        let (tensor, origin) = (operand.name.clone(), origin_text(model, &operand.origin));
        Self { tensor, shape: dims(&operand.shape), origin, constant: operand.constant }
    }
}

/// Returns where a statement is from. Evidence names the newest version; all versions that a target lists were asked.
fn source(evidence: Evidence, target: &str) -> String {
    let target: Option<Target> = target.parse().ok();
    let versions = target.and_then(|target| Some((*target.profile().versions.last()?, target.version()?)));
    versions.map_or_else(|| evidence.source.to_owned(), |(newest, version)| evidence.source.replace(newest, version))
}

impl RepairRecord {
    fn new(repair: &Repair) -> Self {
        Self { text: repair.text.clone(), bytes: repair.copied.bytes(), copied: repair.copied.clone() }
    }
}

impl FindingFacts {
    fn new(model: &Model, finding: &Finding, operands: Arc<[OperandRecord]>) -> Self {
        let node = model.node(finding.node);
        let (condition, counterexample) = match &finding.verdict {
            Verdict::Guarded(condition) => (Some(condition.clone()), None),
            Verdict::Differs(example) => (None, Some(Box::new(CounterexampleRecord::new(example)))),
            _ => (None, None),
        };
        let evidence = finding.evidence.map(|evidence| evidence.kind.text().to_owned());
        Self {
            node: node_name(model, finding.node),
            op: node.op.clone(),
            place: node.place.clone(),
            number: node.number,
            line: node.line,
            inner: node.graph != GraphId(0),
            target: String::new(),
            verdict: finding.verdict.name().into(),
            code: finding.code.map(|code| code.id.to_owned()),
            reason: finding.reason.clone(),
            cause: finding.cause.to_owned(),
            condition,
            operands,
            result: finding.result.as_ref().and_then(dims),
            axis: finding.axis.as_ref().map(|(axis, _)| *axis),
            sizes: finding.axis.as_ref().map(|(_, sizes)| sizes.clone()).unwrap_or_default(),
            counterexample,
            near: finding.near.as_ref().map(|near| Box::new(NearRecord::new(near))),
            axes: finding.axes.clone(),
            target_axes: finding.target_axes.clone(),
            invalid: finding.invalid.clone(),
            evidence,
            source: finding.evidence.map(|evidence| source(evidence, &finding.target)),
            repair: finding.repair.as_ref().map(|repair| Box::new(RepairRecord::new(repair))),
            fixable: false,
            fails: false,
            law: None,
            ignored: None,
            known: false,
        }
    }
}

impl FindingRecord {
    /// Says whether the finding is one that [`TargetRecord::findings`] counts.
    pub fn needs_attention(&self) -> bool {
        matches!(self.verdict.as_str(), "differs" | "refused" | "guarded")
    }

    /// Says whether a project ignores the finding or has it in its baseline.
    pub fn is_suppressed(&self) -> bool {
        self.known || self.ignored.is_some()
    }
}

/// Makes a finding on a node without a verdict: its names, its operands and the shape of its result.
pub(crate) fn bare_finding(model: &Model, shapes: &Shapes, id: NodeId, target: &str) -> FindingRecord {
    let own_node = model.node(id);
    let described = meaning(model, id).and_then(Result::ok).map_or_else(Vec::new, |meaning| {
        let own = meaning.shapes(own_node, shapes);
        operands(model, shapes, id, &meaning, &own)
    });
    let result = own_node.output(0).and_then(|value| shapes.of.get(value.0 as usize)).map(|known| known.shape.clone());
    let operands: Arc<[Operand]> = described.into();
    let records = operands.iter().map(|operand| OperandRecord::new(model, operand)).collect();
    let said = Said::bare(id, operands, result);
    let facts = FindingFacts::new(model, &Finding::new(target, said), records);
    FindingRecord { target: target.into(), fixable: false, fails: false, known: false, facts: Arc::new(facts) }
}

impl FindingRecord {
    /// Says whether a repair is looked for: engines that were asked do not say what they would read right.
    fn is_repairable(&self) -> bool {
        let is_asked = self.is_asked();
        match self.verdict.as_str() {
            "differs" | "refused" | "guarded" => !is_asked,
            "unsupported" => !is_asked && self.repair.is_some(),
            _ => false,
        }
    }

    /// Says whether an engine was asked about the node, now or before.
    pub fn is_asked(&self) -> bool {
        matches!(self.evidence.as_deref(), Some("asked now" | "asked before"))
    }

    /// Says how the statement is known: an engine was asked now or before.
    pub fn set_evidence(&mut self, evidence: &str) {
        self.evidence = Some(evidence.to_owned());
    }

    /// Adds what the laws of a target say, where the engine that was asked says otherwise.
    pub fn contradict(&mut self, law: LawRecord) {
        if self.verdict == "same" {
            self.code = Some(code::CONTRADICTED_LAW.id.to_owned());
        }
        self.law = Some(Box::new(law));
    }
}

impl NearRecord {
    fn new(near: &Coincidence) -> Self {
        Self { shapes: near.shapes.clone(), counterexample: CounterexampleRecord::new(&near.example) }
    }
}

impl CounterexampleRecord {
    fn new(example: &Counterexample) -> Self {
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        Self {
            element: example.element.clone(),
            reads: example.reads.clone(),
            target_reads: example.target_reads.clone(),
            numbers: example.numbers.iter().map(|&number| finite(number)).collect(),
            target_numbers: example.target_numbers.iter().map(|&number| finite(number)).collect(),
            here: finite(example.here).filter(|_| !example.numbers.is_empty()),
            there: example.there.and_then(finite),
            target_shape: example.target_shape.clone(),
        }
    }
}
