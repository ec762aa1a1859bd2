//! Asks engines that the user has installed what they compute.
//!
//! Nothing is installed, and engines run in processes of their own, driven by Python scripts that are part of this program.

mod runtimes;
mod isolation;
mod engines;
mod child;
mod cache;
mod whole;

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    time::Duration,
};

use broadaxe_models::{
    Model, NodeId, Target,
    ask::{self, LawVerdict, MOST_DRAWS, NodeClass, NodeClasses, Outcome, Question, whole::Settings},
    check::check,
    infer::Shapes,
    report::{CheckRecord, FindingRecord, LawRecord, node_name, words::NAMED_NODES},
};

use self::{
    cache::Cache,
    child::Asker,
    engines::{Engine, choose, environments, pythons},
    runtimes::{RUNTIMES, wanted},
};
use crate::{
    error::{Error, escaped, quoted},
    request::AskRequest,
};

/// Into how many parts the time of a whole model is divided for one run.
const HANGS: u32 = 3;

/// The number of the class of nodes that cannot be asked about.
const NO_CLASS: usize = usize::MAX;

/// Where an outcome is from, in the words of reports.
const ASKED_NOW: &str = "asked now";
const ASKED_BEFORE: &str = "asked before";
const NOT_ASKED: &str = "not asked";

/// What engines that were asked about a model answered, beyond the findings.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// What was asked, for people.
    pub text: String,
    /// For a finding that holds for all nodes of a class: the numbers of the findings on the others.
    pub alike: BTreeMap<usize, Vec<usize>>,
}

/// The engines that are asked about every model.
#[derive(Debug)]
pub(crate) struct Asking {
    askers: Vec<(Engine, Asker)>,
    cache: Cache,
    /// Whether each node is asked about alone.
    nodes: bool,
    limit: Duration,
    save: Option<PathBuf>,
}

/// The answers to the questions about a model, of one engine.
#[derive(Debug, Default)]
struct Answers {
    /// One per class: the outcome, and where it is from.
    outcomes: Vec<(Outcome, &'static str)>,
    /// What the laws say of the class alone.
    laws: Vec<Option<LawVerdict>>,
}

impl Asking {
    /// Finds the engines that a request names.
    ///
    /// # Errors
    /// When one is unknown or not installed, or the request is malformed.
    pub(crate) fn new(request: &AskRequest) -> Result<Self, Error> {
        let AskRequest { engines, folders, again, nodes, save, seconds, no_cache } = request;
        if engines.is_empty() {
            return Err(Error::usage("name an engine to ask, such as onnxruntime"));
        }
        if !AskRequest::SECONDS.contains(seconds) {
            return Err(Error::usage(format!(
                "a model may run for 1 to {} seconds, not {seconds}",
                AskRequest::SECONDS.end()
            )));
        }
        if *nodes && save.is_some() {
            return Err(Error::usage(
                "small models are saved where the model is asked about as a whole, not node by node",
            ));
        }
        let wanted = wanted(engines, RUNTIMES)?;
        let mut packages: Vec<&str> =
            wanted.iter().flat_map(|one| one.runtime.needs.iter().chain([&one.runtime.package])).copied().collect();
        packages.sort_unstable();
        packages.dedup();
        let engines = choose(&wanted, &environments(&pythons(folders)?, &packages)?)?;
        let cache = if *no_cache { Cache::none() } else { Cache::of_user(!again) };
        let asking = Self::with(&engines, cache, Duration::from_secs(*seconds), *nodes);
        Ok(Self { save: save.clone(), ..asking })
    }

    fn with(engines: &[Engine], cache: Cache, limit: Duration, nodes: bool) -> Self {
        let asker = |engine: &Engine| {
            // A run that hangs may use a part of the time only.
            let parts = if nodes || engine.wanted.runtime.whole.is_empty() { 1 } else { HANGS };
            (engine.clone(), Asker::new(engine, limit / parts))
        };
        Self { askers: engines.iter().map(asker).collect(), cache, nodes, limit, save: None }
    }

    /// Lists the targets whose laws speak of the engines.
    pub(crate) fn targets(&self) -> Vec<Target> {
        let target = |(engine, _): &(Engine, Asker)| engine.wanted.runtime.target(&engine.version);
        self.askers.iter().filter_map(target).collect()
    }

    /// Asks about a model, and adds the answers to its record. `note` is told what is being done.
    ///
    /// # Errors
    /// When an engine is not asked about models of this format, or does not start.
    pub(crate) fn ask(
        &mut self,
        model: &Model,
        shapes: &Shapes,
        record: &mut CheckRecord,
        note: &mut dyn FnMut(&str),
    ) -> Result<Asked, Error> {
        let mut runtimes = self.askers.iter().map(|(engine, _)| engine.wanted.runtime);
        if let Some(runtime) = runtimes.find(|one| !one.formats.contains(&model.format)) {
            let (name, formats) = (runtime.name, runtime.formats.join(" and "));
            let message =
                format!("--ask {name}: it is asked about models in {formats}; this one is in {}", model.format);
            return Err(Error::usage(message));
        }
        let mut asked = Asked::default();
        let settings = Settings { inputs: Vec::new(), seed: 0, time: self.limit };
        let asking = whole::WholeAsking { settings: &settings, cache: &self.cache, save: self.save.as_deref() };
        let is_whole = |engine: &Engine| !self.nodes && engine.wanted.runtime.is_whole(model.format);
        for (engine, asker) in self.askers.iter_mut().filter(|(engine, _)| is_whole(engine)) {
            asking.ask((model, shapes), (engine, asker), (&mut *record, &mut asked), note)?;
        }
        self.ask_nodes(model, shapes, record, &mut asked)?;
        Ok(asked)
    }

    /// Asks the engines that are asked about each node alone.
    fn ask_nodes(
        &mut self,
        model: &Model,
        shapes: &Shapes,
        record: &mut CheckRecord,
        asked: &mut Asked,
    ) -> Result<(), Error> {
        let nodes = self.nodes;
        let mut askers: Vec<&mut (Engine, Asker)> = self
            .askers
            .iter_mut()
            .filter(|(engine, _)| nodes || !engine.wanted.runtime.is_whole(model.format))
            .collect();
        if askers.is_empty() {
            return Ok(());
        }
        let classes = ask::classes(model, shapes)?;
        let mut answers: Vec<Answers> = askers.iter().map(|_| Answers::default()).collect();
        for class in &classes.classes {
            broadaxe::stop::checkpoint();
            let question = class.question(model, 0);
            for ((engine, asker), answers) in askers.iter_mut().map(|one| (&one.0, &mut one.1)).zip(&mut answers) {
                let target = engine.wanted.runtime.target(&engine.version);
                let law = target.and_then(|target| question.as_ref().ok()?.law(target));
                answers.outcomes.push(match &question {
                    Ok(first) => self::answers(&self.cache, engine, asker, (model, class, first, law.as_ref()))?,
                    Err(reason) => (Outcome::unknown(format!("it was not asked: {reason}")), NOT_ASKED),
                });
                answers.laws.push(law);
            }
        }
        let engines: Vec<&Engine> = askers.iter().map(|one| &one.0).collect();
        for (engine, answers) in engines.iter().zip(&answers) {
            report((model, shapes), engine, &classes, answers, record, asked);
        }
        asked.text += &differences(model, &engines, &classes.classes, &answers);
        Ok(())
    }
}

/// Lists the nodes on which two versions of an engine differ.
fn differences(model: &Model, engines: &[&Engine], classes: &[NodeClass], answers: &[Answers]) -> String {
    let mut text = String::new();
    for (at, engine) in engines.iter().enumerate() {
        let runtime = engine.wanted.runtime;
        let later = engines.iter().enumerate().skip(at + 1);
        let next = later.into_iter().find(|(_, other)| other.wanted.runtime == runtime);
        if let Some((next, other)) = next.filter(|_| !classes.is_empty()) {
            let nodes = differing(classes, &answers[at], &answers[next]);
            let (name, one, two) = (runtime.name, &engine.version, &other.version);
            text += &match nodes.len() {
                0 => format!("  {name} {one} and {two} give the same answers\n"),
                count => {
                    let s = if count == 1 { "" } else { "s" };
                    format!("  {name} {one} and {two} differ in {count} node{s}: {}\n", names(model, &nodes))
                }
            };
        }
    }
    text
}

/// Lists the nodes about which two engines answer differently.
fn differing(classes: &[NodeClass], one: &Answers, two: &Answers) -> Vec<NodeId> {
    let differ = |one: &Outcome, two: &Outcome| one.verdict != two.verdict || there(one) != there(two);
    let outcomes = one.outcomes.iter().zip(&two.outcomes);
    let found = outcomes.zip(classes).filter(|(((one, _), (two, _)), _)| differ(one, two));
    found.flat_map(|(_, class)| class.nodes.iter().copied()).collect()
}

/// Returns what two answers that differ both say otherwise.
fn there(outcome: &Outcome) -> Option<(&[usize], Option<f64>, &[usize])> {
    let example = outcome.counterexample.as_ref()?;
    Some((&example.element, example.there, &example.target_shape))
}

/// Names some nodes.
fn names(model: &Model, nodes: &[NodeId]) -> String {
    let named: Vec<String> = nodes.iter().take(NAMED_NODES).map(|&id| quoted(&node_name(model, id))).collect();
    let more = nodes.len().saturating_sub(NAMED_NODES);
    named.join(", ") + &if more == 0 { String::new() } else { format!(" and {more} more") }
}

/// Asks about a class, with other numbers again where a result is right that the laws call wrong or that has few elements; also says
/// whether all answers were known.
fn answers(
    cache: &Cache,
    engine: &Engine,
    asker: &mut Asker,
    (model, class, first, law): (&Model, &NodeClass, &Question, Option<&LawVerdict>),
) -> Result<(Outcome, &'static str), Error> {
    let (mut outcome, mut from) = answer(cache, engine, asker, first)?;
    let doubtful = law.is_some_and(|law| !law.agrees(&outcome));
    for draw in 1..if doubtful { MOST_DRAWS } else { first.draws() } {
        let Some(question) =
            Some(&outcome).filter(|known| known.is_same()).and_then(|_| class.question(model, draw).ok())
        else {
            break;
        };
        let (next, next_from) = answer(cache, engine, asker, &question)?;
        outcome = next;
        if next_from == ASKED_NOW {
            from = ASKED_NOW;
        }
    }
    Ok((outcome, from))
}

/// Looks an answer up, or asks; also says which of the two.
fn answer(
    cache: &Cache,
    engine: &Engine,
    asker: &mut Asker,
    question: &Question,
) -> Result<(Outcome, &'static str), Error> {
    let file = cache.file(engine, asker.script(), question);
    if let Some(outcome) = cache.read(file.as_deref()) {
        return Ok((outcome, ASKED_BEFORE));
    }
    let outcome = asker.ask(question)?;
    Cache::write(file.as_deref(), &outcome);
    Ok((outcome, ASKED_NOW))
}

/// Adds the answers of an engine to the record.
fn report(
    (model, shapes): (&Model, &Shapes),
    engine: &Engine,
    classes: &NodeClasses,
    answers: &Answers,
    record: &mut CheckRecord,
    asked: &mut Asked,
) {
    let runtime = engine.wanted.runtime;
    let source = format!("{} {}", runtime.package, engine.version);
    let name = format!("{} {}", runtime.name, engine.version);
    let target = runtime.target(&engine.version);
    let laws = target.map(|target| laws(model, shapes, target)).unwrap_or_default();
    let mut findings: Vec<(NodeId, usize, FindingRecord)> = Vec::new();
    for (at, (class, (outcome, evidence))) in classes.classes.iter().zip(&answers.outcomes).enumerate() {
        let source = outcome.device.as_ref().map_or_else(|| source.clone(), |device| format!("{source}, {device}"));
        for &id in &class.nodes {
            let mut finding = ask::finding(model, shapes, id, &name, outcome, (*evidence, &source));
            let law =
                target.and_then(|target| contradiction(target, answers.laws[at].as_ref(), laws.get(&id), outcome));
            if let Some(law) = law {
                finding.contradict(law);
            }
            findings.push((id, at, finding));
        }
    }
    for (id, reason) in &classes.left {
        let outcome = Outcome::unknown(format!("it was not asked: {reason}"));
        findings.push((*id, NO_CLASS, ask::finding(model, shapes, *id, &name, &outcome, (NOT_ASKED, &source))));
    }
    let order: HashMap<NodeId, usize> = model.walk().into_iter().enumerate().map(|(at, id)| (id, at)).collect();
    findings.sort_by_key(|(id, ..)| order.get(id).copied());
    group(&findings, record.findings.len(), asked);
    record.add(&name, findings.into_iter().map(|(.., finding)| finding).collect());
    asked.text += &said(&name, classes, answers);
}

/// Groups findings of the same class of which the laws say the same; `start` is the number of the first.
fn group(findings: &[(NodeId, usize, FindingRecord)], start: usize, asked: &mut Asked) {
    let mut first = HashMap::new();
    for (at, (_, class, finding)) in findings.iter().enumerate().filter(|(_, (_, class, _))| *class != NO_CLASS) {
        let law = finding.law.as_ref().map(|law| (law.verdict.clone(), law.reason.clone()));
        match first.get(&(*class, law.clone())) {
            None => _ = first.insert((*class, law), start + at),
            Some(&first) => asked.alike.entry(first).or_default().push(start + at),
        }
    }
}

/// Says in a line how much was asked.
fn said(name: &str, classes: &NodeClasses, answers: &Answers) -> String {
    let asked = || classes.classes.iter().zip(&answers.outcomes).filter(|(_, (_, from))| *from != NOT_ASKED);
    let nodes: usize = asked().map(|(class, _)| class.nodes.len()).sum();
    let known = asked().filter(|(_, (_, from))| *from == ASKED_BEFORE).count();
    let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let mut text = String::new();
    if nodes > 0 {
        text = format!("  {name}: {} about {}", count(asked().count(), "question"), count(nodes, "node"));
        text += &if known > 0 { format!(", {known} asked before\n") } else { "\n".to_owned() };
    }
    if let Some((_, reason)) = classes.left.first() {
        text += &format!("  {name}: not asked about {}: {}\n", count(classes.left.len(), "node"), escaped(reason));
    }
    text
}

/// Returns what the laws of a target say of each node in its model.
fn laws(model: &Model, shapes: &Shapes, target: Target) -> BTreeMap<NodeId, LawVerdict> {
    let law = |finding: &broadaxe_models::check::Finding| {
        (finding.node, LawVerdict { verdict: finding.verdict.name().to_owned(), reason: finding.reason.clone() })
    };
    check(model, shapes, &[target]).findings.iter().map(law).collect()
}

/// Returns the law that says otherwise than the engine: of the node alone, or else of the node in its model.
fn contradiction(
    target: Target,
    alone: Option<&LawVerdict>,
    in_model: Option<&LawVerdict>,
    outcome: &Outcome,
) -> Option<LawRecord> {
    let (first, second) = (alone.or(in_model), in_model);
    let says = |law: &LawVerdict, alone| LawRecord {
        target: target.to_string(),
        verdict: law.verdict.clone(),
        reason: law.reason.clone(),
        alone,
    };
    let of_node = first.filter(|law| !law.agrees(outcome)).map(|law| says(law, true));
    of_node.or_else(|| second.filter(|law| !law.agrees(outcome)).map(|law| says(law, false)))
}

#[cfg(test)]
mod tests;
