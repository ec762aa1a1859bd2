//! Checks what the broadcasting nodes of a model mean on other runtimes: one verdict per node and target.

mod reading;
mod value;
mod verdict;
mod valid;
mod choices;
mod symbolic;

use std::{collections::BTreeMap, ops::Deref, rc::Rc, sync::Arc};

use broadaxe::System;
use broadaxe_shape::{Rule, Shape, symbolic::SymbolicShape};

use self::{
    symbolic::{Open, OpenSizes},
    valid::{Invalid, invalid},
    verdict::{Detail, Judged, KnownOperands},
};
pub use crate::profiles::{Evidence, EvidenceKind};
use crate::{
    code::{self, Code},
    copied::Copied,
    graph::{Model, Node, NodeId, ValueId},
    infer::{Origin, Shapes},
    meaning::{Kind, Meaning, ShapeFault, Source, meaning},
    profiles::{Asked, Does, Facts, Law, OperandShapes, Remaining, Target, Treatment},
};

/// What a check found out.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The targets asked for, as they are written on the command line.
    pub targets: Vec<Arc<str>>,
    /// How many broadcasting nodes were looked at.
    pub nodes: usize,
    /// How many of them have operands of unknown shape.
    pub unknown: usize,
    /// How many nodes compute something and were not looked at, since no operands of theirs broadcast.
    pub others: usize,
    /// One per broadcasting node and target, in the order of the file.
    pub findings: Vec<Finding>,
}

/// What one target does with one node. Targets that do the same share what is said of it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The target, in the form that the command line accepts.
    pub target: Arc<str>,
    /// Whether one fix for all targets of the check removes the finding.
    pub fixable: bool,
    said: Arc<Said>,
}

/// What a finding says, without the name of the target.
#[derive(Clone, Debug)]
pub struct Said {
    /// The node.
    pub node: NodeId,
    /// What the target does.
    pub verdict: Verdict,
    /// The kind of finding; nothing for [`Verdict::Same`].
    pub code: Option<&'static Code>,
    /// The operands that broadcast; all targets share them.
    pub operands: Arc<[Operand]>,
    /// The shape of the result in the model's own format, if it is known.
    pub result: Option<SymbolicShape>,
    /// Why, in one sentence; for [`Verdict::Same`] the numbers with which it does not hold, and otherwise empty.
    pub reason: String,
    /// What the law says that decides, without the sizes of this node: a clause that follows the target's name; empty where no law does.
    pub cause: &'static str,
    /// The axis of the result that the sentence is about, and the sizes of the operands on it.
    pub axis: Option<(usize, Vec<usize>)>,
    /// Where the statement about the target is from.
    pub evidence: Option<Evidence>,
    /// Sizes near those of the model for which a node that is refused would differ silently.
    pub near: Option<Box<Coincidence>>,
    /// The axes of the result that each operand's axes feed, by the model's own rule, for a node that differs, is refused or is guarded.
    /// Where sizes are open, they are those of the example.
    pub axes: Option<Vec<Vec<usize>>>,
    /// The same on the target, where it places them by another rule.
    pub target_axes: Option<Vec<Vec<usize>>>,
    /// Why the node is wrong by the rules of the model's own format, if it is: then the verdict is what the target does all the same.
    pub invalid: Option<String>,
    /// What would make it the same, and what that costs.
    pub repair: Option<Box<Repair>>,
}

impl Deref for Finding {
    type Target = Said;

    fn deref(&self) -> &Said {
        &self.said
    }
}

impl Finding {
    /// Makes a finding; nothing of it is shared yet.
    pub(crate) fn new(target: &str, said: Said) -> Self {
        Self { target: target.into(), fixable: false, said: Arc::new(said) }
    }

    /// Sets what would make it the same.
    pub(crate) fn set_repair(&mut self, repair: Option<Repair>) {
        Arc::make_mut(&mut self.said).repair = repair.map(Box::new);
    }

    /// Says whether two findings share what they say.
    pub(crate) fn shares(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.said, &other.said)
    }
}

impl Said {
    /// Adds the evidence of the law that decides, and its text unless the model itself is wrong.
    fn with_law(self, law: &'static Law, is_broken: bool) -> Self {
        if matches!(self.verdict, Verdict::Same) || self.invalid.is_some() && !law.is_of_invalid() {
            return self;
        }
        let evidence = Some(law.evidence).filter(|evidence| evidence.kind != EvidenceKind::Nothing);
        Self { evidence, cause: if is_broken { "" } else { law.text }, ..self }
    }

    /// Adds the numbers with which the verdict does not hold.
    fn with_caveat(self, law: &'static Law) -> Self {
        Self { reason: law.text.to_owned(), cause: law.text, evidence: Some(law.evidence), ..self }
    }

    /// Returns the finding that another target has too, where a node is the same on both.
    fn shared(self, same: &mut Option<Arc<Self>>) -> Arc<Self> {
        match self.verdict {
            Verdict::Same if self.reason.is_empty() => same.get_or_insert_with(|| Arc::new(self)).clone(),
            _ => Arc::new(self),
        }
    }
}

/// Sizes for which a node that is refused would differ silently: one dim of one operand is changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Coincidence {
    /// The shapes of the operands.
    pub shapes: Vec<Vec<usize>>,
    /// Where the two meanings then part.
    pub example: Counterexample,
}

/// What a target does with a node.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// The same as the model's own format.
    Same,
    /// Silently something else: an element on which the two differ.
    Differs(Box<Counterexample>),
    /// It has the operator, and refuses these shapes, types or attributes.
    Refused,
    /// It has no such operator or layer, whatever the shapes are.
    Unsupported,
    /// The same, refused or different depending on sizes that the model leaves open; the condition for the same.
    Guarded(String),
    /// It cannot be said; the reason is the finding's.
    Unknown,
}

impl Verdict {
    /// Returns the word for tables and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Differs(_) => "differs",
            Self::Refused => "refused",
            Self::Unsupported => "unsupported",
            Self::Guarded(_) => "guarded",
            Self::Unknown => "unknown",
        }
    }
}

/// One operand of a node.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The tensor, unless it is one that the node holds itself.
    pub value: Option<ValueId>,
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: SymbolicShape,
    /// Where the shape is known from.
    pub origin: Origin,
    /// Whether it is a constant.
    pub constant: bool,
}

/// An element of the result on which two meanings differ, computed by the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// The index in the result of the model's own format.
    pub element: Vec<usize>,
    /// The elements that are read there, one index per operand, in the model's own format.
    pub reads: Vec<Vec<usize>>,
    /// The same on the target; empty where the result has another shape there.
    pub target_reads: Vec<Vec<usize>>,
    /// The numbers that the operands hold at `reads`.
    pub numbers: Vec<f64>,
    /// The numbers that they hold at `target_reads`.
    pub target_numbers: Vec<f64>,
    /// The value in the model's own format.
    pub here: f64,
    /// The value on the target, if it has such an element.
    pub there: Option<f64>,
    /// The shape of the result on the target.
    pub target_shape: Vec<usize>,
}

impl Counterexample {
    /// Makes an example without numbers, of which nothing is said but the element and the shape on the target.
    fn bare(element: Vec<usize>, target_shape: Vec<usize>) -> Self {
        let (reads, target_reads) = (Vec::new(), Vec::new());
        let (numbers, target_numbers) = (Vec::new(), Vec::new());
        Self { element, reads, target_reads, numbers, target_numbers, here: 0.0, there: None, target_shape }
    }
}

/// What would make a node mean the same on a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// What to do, as a sentence without a subject: `reshape the constant b to (64, 1, 1)`.
    pub text: String,
    /// What it costs while the model runs: what is copied per run, nothing for a changed constant.
    pub copied: Copied,
}

/// Says what each target does with each broadcasting node.
///
/// Nothing is guessed: where a shape that matters is unknown, the verdict is, and the reason says why.
pub fn check(model: &Model, shapes: &Shapes, targets: &[Target]) -> Report {
    check_each(model, shapes, targets, |_| {})
}

/// As [`check`]; gives the findings on each node away when they are made: `each` may take them.
pub(crate) fn check_each(
    model: &Model,
    shapes: &Shapes,
    targets: &[Target],
    mut each: impl FnMut(&mut Vec<Finding>),
) -> Report {
    let mut report =
        Report { targets: targets.iter().map(|target| target.to_string().into()).collect(), ..Report::default() };
    let (facts, mut opens) = (Facts::of(model, shapes, targets), OpenSizes::default());
    let declared: BTreeMap<NodeId, &str> =
        shapes.contradictions.iter().map(|(id, text)| (*id, text.as_str())).collect();
    for id in model.walk() {
        let wrong = declared.get(&id).map(|text| Invalid::Declared((*text).to_string()).judged());
        match meaning(model, id) {
            None => others(&mut report, (model, shapes), id, wrong),
            Some(Ok(meaning)) if !meaning.broadcasts() => others(&mut report, (model, shapes), id, wrong),
            Some(Ok(meaning)) => match invalid(model, shapes, id, Some(&meaning)) {
                None => examine((&mut report, &mut opens), (model, shapes, &facts), (id, wrong), &meaning, targets),
                Some(invalid) => reject(&mut report, (model, shapes), id, Some(&meaning), &invalid.judged()),
            },
            Some(Err(reason)) => {
                let invalid = invalid(model, shapes, id, None).unwrap_or(Invalid::Unknown(reason));
                reject(&mut report, (model, shapes), id, None, &invalid.judged());
            }
        }
        each(&mut report.findings);
    }
    report
}

/// Counts a node that is not judged, unless its result is declared with a shape that it cannot have.
fn others(report: &mut Report, (model, shapes): (&Model, &Shapes), id: NodeId, wrong: Option<Judged>) {
    match wrong {
        Some(wrong) => reject(report, (model, shapes), id, None, &wrong),
        None => report.others += usize::from(computes(model, id)),
    }
}

/// Says whether a node computes something: constants, inputs and outputs do not.
fn computes(model: &Model, id: NodeId) -> bool {
    let node = model.node(id);
    node.inputs.iter().any(Option::is_some) && node.outputs.iter().any(Option::is_some)
}

/// Adds the same finding for every target, on a node that its own format does not allow or that cannot be read.
fn reject(
    report: &mut Report,
    (model, shapes): (&Model, &Shapes),
    id: NodeId,
    meaning: Option<&Meaning>,
    judged: &Judged,
) {
    let own = meaning.map_or_else(Vec::new, |meaning| meaning.shapes(model.node(id), shapes));
    let operands = meaning.map_or_else(Vec::new, |meaning| operands(model, shapes, id, meaning, &own));
    let operands: Arc<[Operand]> = operands.into();
    report.nodes += 1;
    report.unknown += usize::from(matches!(judged.verdict, Verdict::Unknown));
    let said = Arc::new(said(id, operands, None, judged.clone()));
    for target in &report.targets {
        report.findings.push(Finding { target: target.clone(), fixable: false, said: said.clone() });
    }
}

/// Says where a result that the file records has another shape than the operands make.
fn contradicts(
    model: &Model,
    meaning: &Meaning,
    own: &KnownOperands,
    result: &[usize],
    output: Option<ValueId>,
) -> Option<Judged> {
    let plain = matches!(meaning.kind, Kind::Binary | Kind::Many | Kind::Select | Kind::Slope);
    let recorded = matches!(model.system, System::Openvino | System::Paddle | System::Onnx);
    let made = own.own.as_ref().ok().filter(|_| plain && recorded && meaning.operands.len() > 1)?.shape();
    let name = &model.value(output?).name;
    let (made, says) = (made.clone(), Shape::from(result));
    let text = || format!("{name}: its shape is {made}, the file says {says}");
    (made != says).then(|| Invalid::Declared(text()).judged())
}

/// Makes the verdict on an `Expand` whose shape its own format does not allow.
fn no_shape(model: &Model, shapes: &Shapes, node: &Node) -> Option<Judged> {
    let why = ShapeFault::of(model, shapes, node)?.to_string();
    Some(Invalid::Wrong(format!("{}: {why}", node.op)).judged().of_invalid(&code::INVALID_NODE, why))
}

/// Makes the verdict on a list of numbers whose own rule accepts some of the sizes that the model leaves open, where a target is the same.
fn guarded((model, shapes): (&Model, &Shapes), id: NodeId, meaning: &Meaning) -> Option<Judged> {
    let condition = crate::meaning::only_if((model, shapes), id, meaning)?;
    let text = "the operands do not broadcast by the model's own rule with other sizes";
    Some(Judged::of(Verdict::Guarded(condition), &code::DEPENDS_ON_SIZE, text))
}

/// A node, and what is known of it before any target is asked.
struct Described<'a> {
    asked: Asked<'a>,
    operands: Arc<[Operand]>,
    result: Option<SymbolicShape>,
    /// The operands, where all sizes are known.
    known: Option<KnownOperands>,
    /// The verdict on a node that is wrong by its own rule.
    broken: Option<Judged>,
    /// Sizes for which its operands do not broadcast.
    clash: Option<Open>,
}

impl<'a> Described<'a> {
    fn new(asked: Asked<'a>, (id, wrong): (NodeId, Option<Judged>), own: &[SymbolicShape]) -> Self {
        let Asked { model, shapes, facts, node, meaning, .. } = asked;
        let result = node.output(0).and_then(|value| shapes.of.get(value.0 as usize)).map(|known| known.shape.clone());
        let known: Option<Vec<Shape>> = own.iter().map(SymbolicShape::known).collect();
        let stretched = result.as_ref().and_then(SymbolicShape::known).unwrap_or_default();
        let known = known.map(|known| KnownOperands::new(&asked, known, &stretched));
        let recorded = || contradicts(model, meaning, known.as_ref()?, &result.as_ref()?.known()?, node.output(0));
        let wrong = wrong.or_else(recorded).or_else(|| no_shape(model, shapes, node));
        let broken = wrong.or_else(|| known.is_none().then(|| impossible(facts, meaning, own)).flatten());
        let code = broken.as_ref().and_then(|broken| broken.code);
        let clashes = known.is_none() && code.is_some_and(|code| code.id == code::INVALID_BROADCAST.id);
        let clash = clashes.then(|| Open::of_invalid(&asked)).flatten();
        Self { asked, operands: operands(model, shapes, id, meaning, own).into(), result, known, broken, clash }
    }

    /// Says what a target does with the node, and by which law; `open` chooses sizes where some are open.
    fn judge(&self, target: &Target, open: impl FnOnce() -> Option<Rc<Open>>) -> (Judged, &'static Law) {
        let Self { asked, known, .. } = self;
        let mut remaining = Remaining::default();
        let treatment = if known.is_some() { target.treat(asked) } else { target.treat_sizes(asked, &mut remaining) };
        let law = treatment.law;
        let judged = match (&self.broken, known) {
            (Some(Judged { invalid: Some(why), .. }), _) if law.is_of_invalid() => {
                verdict::all_the_same(target, &treatment).of_invalid(&code::INVALID_NODE, why.clone())
            }
            (Some(broken), _) => {
                let told = self.clash.as_ref().and_then(|clash| clash.judge_invalid(asked, target));
                let (judged, law) = told.unwrap_or_else(|| (broken.clone(), law));
                return (Judged { invalid: broken.invalid.clone(), ..judged }, law);
            }
            (None, Some(known)) => known.judge(asked, target, &treatment, Detail::Numbers),
            (None, None) => undecided(asked, open().as_deref(), (target, &treatment, &mut remaining), Detail::Numbers)
                .unwrap_or_else(|| unknown(asked, &self.operands, target)),
        };
        (judged, law)
    }
}

/// Adds the findings on one node.
fn examine(
    (report, opens): (&mut Report, &mut OpenSizes),
    (model, shapes, facts): (&Model, &Shapes, &Facts),
    (id, wrong): (NodeId, Option<Judged>),
    meaning: &Meaning,
    targets: &[Target],
) {
    let node = model.node(id);
    let own = meaning.shapes(node, shapes);
    let around = facts.around(node, meaning);
    let (constants, batches) = (&around.constants[..], &around.batches[..]);
    let operands = OperandShapes::new(&own, &facts.sizes_are_read);
    let asked = Asked { model, shapes, facts, node, meaning, operands, constants, batches, fronts: &[], target: None };
    report.nodes += 1;
    report.unknown += usize::from(own.iter().any(|shape| shape.rank().is_none()));
    let described = Described::new(asked, (id, wrong), &own);
    let unnamed = || described.known.as_ref()?.unnamed_axis(&asked);
    let noted = guarded((model, shapes), id, meaning).or_else(unnamed);
    let idle = shapes.never_runs(model, node.graph);
    let (mut open, mut same) = (None, None);
    for (at, target) in targets.iter().enumerate() {
        let open = || open.get_or_insert_with(|| opens.of(&asked, described.result.as_ref())).clone();
        let (judged, law) = described.judge(target, open);
        let judged = if judged.is_same() { noted.clone().unwrap_or(judged) } else { judged };
        // The nodes of a branch that is never taken are read all the same.
        let of_numbers = matches!(judged.verdict, Verdict::Differs(_) | Verdict::Guarded(_));
        let judged = if idle && of_numbers { Judged::same() } else { judged };
        let caveat = target.caveat(&asked).filter(|_| judged.is_same() && judged.code.is_none());
        let said = said(id, described.operands.clone(), described.result.clone(), judged);
        let said = match caveat {
            Some(law) => said.with_caveat(law),
            None => said.with_law(law, described.broken.is_some() && !law.is_of_invalid()),
        };
        let (target, said) = (report.targets[at].clone(), said.shared(&mut same));
        broadaxe::stop::push(&mut report.findings, Finding { target, fixable: false, said });
    }
}

/// Makes the verdict on operands that no sizes make broadcast by the node's own rule; nothing where some may.
fn impossible(facts: &Facts, meaning: &Meaning, own: &[SymbolicShape]) -> Option<Judged> {
    let lenient = meaning.kind == Kind::Blocks
        || meaning.is_of_integers() && own[0].rank() == Some(1)
        || meaning.kind == Kind::Lengths && own[0].rank() == Some(1)
        || meaning.kind == Kind::Bounds && own[1..].iter().all(Meaning::is_bound);
    if lenient || meaning.rule.def().target || own.iter().any(|shape| shape.rank().is_none()) {
        return None;
    }
    let lists: Vec<SymbolicShape> = meaning.lists().map(|k| own[k].clone()).collect();
    let inferred = facts.inferences().infer(&meaning.rule, own, None);
    let along = || facts.inferences().infer(&Rule::axis_lists(-1, false), &[&own[..1], &lists[..]].concat(), None);
    let along = (!lists.is_empty()).then(along);
    let error =
        [Some(&inferred), along.as_ref()].into_iter().flatten().find_map(|found| found.as_ref().as_ref().err())?;
    (error.kind() != broadaxe_shape::ErrorKind::Undecided).then(|| verdict::invalid_broadcast(error))
}

/// Says what a target does with a node, by its name, and why; `result` is the shape of its output, where a
/// [`crate::meaning::Kind::Stretch`] needs it.
pub(crate) fn judge(asked: &Asked<'_>, result: &SymbolicShape, target: &Target) -> (Verdict, String) {
    let mut remaining = Remaining::default();
    let treatment = target.treat_sizes(asked, &mut remaining);
    let known: Option<Vec<Shape>> = asked.operands.iter().map(SymbolicShape::known).collect();
    let judged = if let Some(known) = known {
        KnownOperands::new(asked, known, &result.known().unwrap_or_default()).judge(
            asked,
            target,
            &treatment,
            Detail::None,
        )
    } else {
        let open = Open::new(asked, Some(result));
        undecided(asked, open.as_ref(), (target, &treatment, &mut remaining), Detail::None)
            .unwrap_or_else(|| unknown(asked, &[], target))
    };
    (judged.verdict, judged.reason)
}

/// Judges operands of which some sizes are open; nothing where too little is known of them.
fn undecided(
    asked: &Asked<'_>,
    open: Option<&Open>,
    (target, treatment, remaining): (&Target, &Treatment, &mut Remaining),
    detail: Detail,
) -> Option<Judged> {
    let own = match &treatment.does {
        // Whether an operator exists never depends on sizes.
        Does::Unsupported(why) => {
            let text = format!("{target} {why}");
            return Some(Judged::of(Verdict::Unsupported, &code::UNSUPPORTED_OPERATOR, text));
        }
        Does::Own => true,
        Does::Rule(rule) => *rule == asked.meaning.rule,
        _ => false,
    };
    let Some(open) = open else { return own.then(Judged::same) };
    // What a law says of open sizes it need not say of all.
    Some(if open.is_always_own(asked, target, remaining).unwrap_or(own) {
        Judged::same()
    } else {
        open.judge(asked, target, remaining, detail)
    })
}

/// Describes the operands of a node.
pub fn operands(model: &Model, shapes: &Shapes, id: NodeId, meaning: &Meaning, own: &[SymbolicShape]) -> Vec<Operand> {
    let node = model.node(id);
    let describe = |(source, shape): (&Source, &SymbolicShape)| {
        let value = source.value(node);
        let origin = value.and_then(|value| shapes.of.get(value.0 as usize)).map(|known| known.origin.clone());
        Operand {
            value,
            name: match (value, source) {
                (Some(value), _) => model.value(value).name.clone(),
                (None, Source::Scores) => "scores".to_owned(),
                (None, _) => String::new(),
            },
            shape: shape.clone(),
            origin: origin.unwrap_or(if *source == Source::Scores { Origin::Inferred(id) } else { Origin::Constant }),
            constant: *source != Source::Scores && value.is_none_or(|value| model.value(value).constant.is_some()),
        }
    };
    meaning.operands.iter().zip(own).map(describe).collect()
}

/// Makes the verdict on operands of which one is unknown: its reason is the operand's.
fn unknown(asked: &Asked<'_>, operands: &[Operand], target: &Target) -> Judged {
    let reason = operands.iter().find_map(|operand| match &operand.origin {
        Origin::Unknown(why) => Some(format!("the shape of {} is unknown: {why}", operand.name)),
        _ => None,
    });
    let mut reason = reason.unwrap_or_else(|| format!("too many sizes are open to say what {target} does"));
    // Where an input leaves its shape open, that is what the reader can settle.
    let inputs = asked.model.graphs.first().map_or(&[][..], |graph| &graph.inputs);
    let is_open = |input: &&ValueId| asked.shape(**input).is_some_and(|shape| shape.known().is_none());
    if let Some(input) = inputs.iter().find(is_open) {
        let name = &asked.model.value(*input).name;
        reason = format!("{reason}; the input {name} has no fixed shape: --input-shape {name}:SHAPE gives one");
    }
    Judged::of(Verdict::Unknown, &code::UNKNOWN_SHAPE, reason)
}

fn said(node: NodeId, operands: Arc<[Operand]>, result: Option<SymbolicShape>, judged: Judged) -> Said {
    let Judged { verdict, code, reason, axis, near, axes: [axes, target_axes], invalid } = judged;
    let bare = Said::bare(node, operands, result);
    Said { verdict, code, reason, axis, near, axes, target_axes, invalid, ..bare }
}

impl Said {
    /// Says nothing of a node yet.
    pub(crate) fn bare(node: NodeId, operands: Arc<[Operand]>, result: Option<SymbolicShape>) -> Self {
        let (verdict, reason, code, cause) = (Verdict::Unknown, String::new(), None, "");
        let (axis, evidence, near, axes, target_axes, invalid, repair) = (None, None, None, None, None, None, None);
        Self {
            node,
            verdict,
            code,
            operands,
            result,
            reason,
            cause,
            axis,
            evidence,
            near,
            axes,
            target_axes,
            invalid,
            repair,
        }
    }
}

#[cfg(test)]
mod tests;
