//! Asks an engine about a whole model, and puts what it finds into the record.

use std::collections::HashMap;

use broadaxe_models::{
    Model, NodeId, Target,
    ask::{
        self, ModelAnswer, ModelRun, Outcome, Runner,
        whole::{Examined, Fault, Settings, examine},
    },
    format::single::number_bytes,
    infer::Shapes,
    meaning,
    report::{CheckRecord, CounterexampleRecord, FindingRecord, node_name},
};

use super::{ASKED_NOW, NOT_ASKED, child::Asker, contradiction, engines::Engine, laws, names};
use crate::{
    cmd::model::report::Asked,
    error::{Error, escaped, quoted},
};

/// An engine's process as something that runs models; keeps the error that it ended with.
struct Running<'a> {
    asker: &'a mut Asker,
    error: Option<Error>,
}

impl Runner for Running<'_> {
    fn run(&mut self, run: &ModelRun) -> Result<ModelAnswer, broadaxe_models::Error> {
        self.asker.run(run).map_err(|error| {
            let text = error.to_string();
            self.error = Some(error);
            broadaxe_models::Error::new(broadaxe_models::ErrorKind::Argument, text)
        })
    }
}

/// Asks an engine about a model, and adds a finding for every node that broadcasts.
///
/// # Errors
/// When the engine does not start.
pub(super) fn ask(
    (model, shapes): (&Model, &Shapes),
    (engine, asker): (&Engine, &mut Asker),
    settings: &Settings,
    record: &mut CheckRecord,
    asked: &mut Asked,
) -> Result<(), Error> {
    let runtime = engine.wanted.runtime;
    let name = format!("{} {}", runtime.name, engine.version);
    let mut running = Running { asker, error: None };
    let examined = examine(model, shapes, &mut running, settings, &mut |_, _| ());
    let examined = match (examined, running.error) {
        (Ok(examined), _) => examined,
        (Err(_), Some(error)) => return Err(error),
        (Err(error), None) => return Err(error.into()),
    };
    let target = runtime.target(&engine.version);
    let findings = Findings { model, shapes, name: &name, source: format!("{} {}", runtime.package, engine.version), target };
    record.add(&name, findings.all(&examined));
    asked.text += &said(model, &name, &examined);
    Ok(())
}

/// Makes findings of what an engine does.
struct Findings<'a> {
    model: &'a Model,
    shapes: &'a Shapes,
    name: &'a str,
    source: String,
    target: Option<Target>,
}

impl Findings<'_> {
    fn all(&self, examined: &Examined) -> Vec<FindingRecord> {
        let laws = self.target.map(|target| laws(self.model, self.shapes, target)).unwrap_or_default();
        let at_fault = self.at_fault(examined);
        let uncomputed: HashMap<NodeId, &str> =
            examined.uncomputed.iter().map(|(id, why)| (*id, why.as_str())).collect();
        let mut findings = Vec::new();
        for id in self.model.walk() {
            let broadcasts = meaning(self.model, id).is_some_and(|read| read.is_ok_and(|meaning| meaning.broadcasts()));
            let (outcome, evidence) = match at_fault.get(&id) {
                Some(fault) => (self.outcome(id, fault), ASKED_NOW),
                None if !broadcasts => continue,
                None if examined.compared.contains(&id) => (Outcome::same(), ASKED_NOW),
                None => {
                    let why = uncomputed.get(&id).copied().unwrap_or("it was not reached");
                    (Outcome::unknown(format!("it was not compared: {why}")), NOT_ASKED)
                }
            };
            let mut finding = ask::finding(self.model, self.shapes, id, self.name, &outcome, (evidence, &self.source));
            let law = self.target.and_then(|target| contradiction(target, None, laws.get(&id), &outcome));
            if let Some(law) = law {
                finding.contradict(law);
            }
            findings.push(finding);
        }
        findings
    }

    /// Maps the nodes that findings are on to the faults: the one that misreads an operand, or else the last that broadcasts.
    fn at_fault<'f>(&self, examined: &'f Examined) -> HashMap<NodeId, &'f Fault> {
        let mut found = HashMap::new();
        for fault in &examined.faults {
            let broadcasts = |id: &&NodeId| {
                meaning(self.model, **id).is_some_and(|read| read.is_ok_and(|meaning| meaning.broadcasts()))
            };
            let read = fault.reading.as_ref().map(|reading| reading.node);
            let node = read.or_else(|| fault.nodes.iter().rev().find(broadcasts).copied());
            if let Some(node) = node.or_else(|| fault.nodes.last().copied()) {
                found.entry(node).or_insert(fault);
            }
        }
        found
    }

    fn outcome(&self, id: NodeId, fault: &Fault) -> Outcome {
        let others: Vec<NodeId> = fault.nodes.iter().copied().filter(|other| *other != id).collect();
        let together =
            if others.is_empty() { String::new() } else { format!("together with {}, ", names(self.model, &others)) };
        if let Some(why) = &fault.refused {
            return Outcome::refused(format!("{together}it is refused: {why}"));
        }
        let Some(gap) = &fault.gap else { return Outcome::unknown("nothing was found out") };
        let shown = &self.model.value(fault.value).name;
        let reading = fault.reading.as_ref().map(|reading| {
            let input = self.model.node(reading.node).input(reading.input);
            let name = input.map_or_else(String::new, |value| quoted(&self.model.value(value).name));
            format!("it {}", reading.text(&name))
        });
        let s = if gap.count == 1 { "" } else { "s" };
        let shape = |dims: &[usize]| broadaxe_shape::Shape::from(dims).to_string();
        let wrong = match &gap.shape {
            Some(got) => format!("{} has the shape {}", quoted(shown), shape(got)),
            None => format!("{} of {} element{s} of {} differ", gap.wrong, gap.count, quoted(shown)),
        };
        let reason = match reading {
            Some(reading) => format!("{together}{reading}; {wrong}"),
            None => format!("{together}it computes something else; {wrong}"),
        };
        let target_shape = gap.shape.clone().or_else(|| fault.right.as_ref().map(|right| right.shape.clone()));
        let example = CounterexampleRecord {
            element: gap.element.clone(),
            reads: Vec::new(),
            target_reads: Vec::new(),
            numbers: Vec::new(),
            target_numbers: Vec::new(),
            here: gap.here,
            there: gap.there,
            target_shape: target_shape.unwrap_or_default(),
        };
        Outcome { verdict: "differs".to_owned(), reason, counterexample: Some(example), device: None }
    }
}

/// Says in a few lines what was asked, and what no finding says.
fn said(model: &Model, name: &str, examined: &Examined) -> String {
    let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let mut text = format!("  {name}: the whole model, in {}\n", count(examined.runs, "run"));
    if !examined.rounded.is_empty() {
        let most = examined.rounded.iter().filter_map(|fault| fault.gap.as_ref()).map(|gap| gap.largest).fold(0.0, f64::max);
        let places: Vec<NodeId> = examined.rounded.iter().filter_map(|fault| fault.nodes.last().copied()).collect();
        text += &format!(
            "  {name}: rounds otherwise in {}, by at most {:.2} % of the largest element: {}\n",
            count(places.len(), "place"),
            most * 100.0,
            names(model, &places)
        );
    }
    for left in &examined.left {
        text += &format!("  {name}: {}\n", escaped(left));
    }
    text
}

/// Returns a short name for the model of a fault.
pub(super) fn file_name(model: &Model, name: &str, fault: &Fault) -> String {
    let node = fault.nodes.last().map_or_else(String::new, |&id| node_name(model, id));
    let plain = |text: &str| text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect::<String>();
    format!("{}-{}.onnx", plain(name), plain(&node))
}
