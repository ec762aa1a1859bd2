//! Asks an engine about a whole model, and puts what it finds into the record.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use broadaxe::DType;
use broadaxe_models::{
    Model, NodeId, Target, Value,
    ask::{
        self, LawVerdict, ModelAnswer, ModelRun, Outcome, Runner, Tensor,
        whole::{Discrepancy, Examined, Fault, OperandReading, Settings, examine},
    },
    extract::{Extract, Input},
    graph::Data,
    infer::Shapes,
    meaning,
    report::{CheckRecord, CounterexampleRecord, FindingRecord, LawRecord, node_name, words::NAMED_NODES},
};
use serde::{Deserialize, Serialize};

use super::{ASKED_BEFORE, ASKED_NOW, NOT_ASKED, cache::Cache, child::Asker, engines::Engine, laws, names};
use crate::{
    ask::Asked,
    error::{Error, escaped, quoted},
    extract::write,
};

/// An engine's process as something that runs models; keeps the error that it ended with.
struct EngineRunner<'a> {
    asker: &'a mut Asker,
    error: Option<Error>,
}

impl Runner for EngineRunner<'_> {
    fn run(&mut self, run: &ModelRun) -> Result<ModelAnswer, broadaxe_models::Error> {
        self.asker.run(run).map_err(|error| {
            let text = error.to_string();
            self.error = Some(error);
            broadaxe_models::Error::new(broadaxe_models::ErrorKind::Argument, text)
        })
    }
}

/// What is kept of an answer about a whole model.
#[derive(Serialize, Deserialize)]
struct KeptFindings {
    findings: Vec<(u32, FindingRecord)>,
    text: String,
}

/// How an engine is asked about whole models.
#[derive(Debug)]
pub(super) struct WholeAsking<'a> {
    pub(super) settings: &'a Settings,
    pub(super) cache: &'a Cache,
    /// Where small models are written.
    pub(super) save: Option<&'a Path>,
}

impl WholeAsking<'_> {
    /// Asks an engine about a model, and adds a finding for every node that broadcasts. `note` is told what is being done.
    ///
    /// # Errors
    /// When the engine does not start, and when a small model cannot be written.
    pub(super) fn ask(
        &self,
        (model, shapes): (&Model, &Shapes),
        (engine, asker): (&Engine, &mut Asker),
        (record, asked): (&mut CheckRecord, &mut Asked),
        note: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        let runtime = engine.wanted.runtime;
        let name = format!("{} {}", runtime.name, engine.version);
        let source = format!("{} {}", runtime.package, engine.version);
        let findings = FindingsOnNodes { model, shapes, name: &name, source };
        let file = self.file(model, shapes, engine, asker.script());
        let kept: Option<KeptFindings> = self.cache.read_as(file.as_deref().filter(|_| self.save.is_none()));
        let is_known = kept.is_some();
        let mut known = match kept {
            Some(known) => known,
            None => self.run(&findings, asker, file.as_deref(), note)?,
        };
        if is_known {
            known.text = format!("  {name}: the whole model, asked before\n");
        }
        let target = runtime.target(&engine.version);
        let laws = target.map(|target| laws(model, shapes, target)).unwrap_or_default();
        for (id, finding) in &mut known.findings {
            if is_known && finding.is_asked() {
                finding.set_evidence(ASKED_BEFORE);
            }
            let law = target.and_then(|target| contradiction(target, laws.get(&NodeId(*id)), &finding.verdict));
            if let Some(law) = law {
                finding.contradict(law);
            }
        }
        record.add(&name, known.findings.into_iter().map(|(_, finding)| finding).collect());
        asked.text += &known.text;
        Ok(())
    }

    /// Runs the model on the engine.
    fn run(
        &self,
        findings: &FindingsOnNodes<'_>,
        asker: &mut Asker,
        file: Option<&Path>,
        note: &mut dyn FnMut(&str),
    ) -> Result<KeptFindings, Error> {
        let (model, name) = (findings.model, findings.name);
        let mut running = EngineRunner { asker, error: None };
        let mut say = |what: &str, runs: usize| note(&format!("{name}: {what}, run {}", runs + 1));
        let examined = examine(model, findings.shapes, &mut running, self.settings, &mut say);
        let examined = match (examined, running.error) {
            (Ok(examined), _) => examined,
            (Err(_), Some(error)) => return Err(error),
            (Err(error), None) => return Err(error.into()),
        };
        let source = asker.with_device(&findings.source);
        let findings = FindingsOnNodes { model, shapes: findings.shapes, name, source };
        let mut known = KeptFindings { findings: findings.all(&examined), text: said(model, name, &examined) };
        if examined.is_final {
            Cache::write_as(file, &known);
        }
        if let Some(folder) = self.save {
            known.text += &save(model, name, &examined, folder)?;
        }
        Ok(known)
    }

    /// Returns the file of what is known; nothing where weights are in other files.
    fn file(&self, model: &Model, shapes: &Shapes, engine: &Engine, script: &str) -> Option<PathBuf> {
        let is_elsewhere = |value: &Value| {
            value
                .constant
                .as_ref()
                .is_some_and(|constant| matches!(constant.data, Data::External { .. } | Data::Absent(_)))
        };
        if model.weights.is_some() || model.values.iter().any(is_elsewhere) {
            return None;
        }
        let file = model.source.read(0, usize::try_from(model.source.len()).ok()?).ok()?;
        let inputs: Vec<String> = model
            .main()
            .inputs
            .iter()
            .map(|&id| format!("{} {}", model.value(id).name, shapes.of[id.0 as usize].shape))
            .collect();
        let seed = self.settings.seed.to_le_bytes();
        let version = env!("CARGO_PKG_VERSION").as_bytes();
        self.cache.named(engine, script, &[&file, inputs.join(";").as_bytes(), &seed, version])
    }
}

/// Returns what the laws of a target say of a node in its model, where they say otherwise than the engine.
fn contradiction(target: Target, law: Option<&LawVerdict>, verdict: &str) -> Option<LawRecord> {
    let law = law.filter(|law| !law.agrees_with(verdict))?;
    let (verdict, reason) = (law.verdict.clone(), law.reason.clone());
    Some(LawRecord { target: target.to_string(), verdict, reason, alone: true })
}

/// Writes the small models that show what an engine computes wrongly; returns the lines that name them.
fn save(model: &Model, name: &str, examined: &Examined, folder: &Path) -> Result<String, Error> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, "make it", &error))?;
    let mut text = String::new();
    let mut written = HashSet::new();
    for fault in examined.faults.iter().filter(|fault| !fault.files.model.is_empty()) {
        let mut file = file_name(model, name, fault);
        while !written.insert(file.clone()) {
            file.push('_');
        }
        let path = folder.join(format!("{file}.{}", extension(model)));
        let input = |(name, tensor): (&str, &Tensor)| Input {
            name: name.to_owned(),
            dtype: tensor.dtype,
            shape: tensor.shape.clone(),
            data: tensor.data.clone(),
        };
        let inputs = fault.inputs.iter().map(|(name, tensor)| input((name, tensor))).collect();
        let result = fault.right.as_ref().map(|right| input((&fault.output, right)));
        write(&Extract { model: fault.files.model.clone(), inputs, result, remarks: Vec::new() }, &path, false)?;
        if let Some(weights) = &fault.files.weights {
            let path = path.with_extension("bin");
            std::fs::write(&path, weights).map_err(|error| Error::io(&path, "write it", &error))?;
        }
        text += &format!("  {name}: {} shows it alone\n", escaped(&path.display().to_string()));
    }
    Ok(text)
}

/// Returns how the file of a part of a model is called.
fn extension(model: &Model) -> &'static str {
    match model.format {
        "openvino" => "xml",
        "ncnn" => "param",
        format => format,
    }
}

/// Makes findings of what an engine does.
struct FindingsOnNodes<'a> {
    model: &'a Model,
    shapes: &'a Shapes,
    name: &'a str,
    source: String,
}

impl FindingsOnNodes<'_> {
    fn all(&self, examined: &Examined) -> Vec<(u32, FindingRecord)> {
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
            let of = (evidence, self.source.as_str());
            findings.push((id.0, ask::finding(self.model, self.shapes, id, self.name, &outcome, of)));
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

    /// Names nodes with their operators: `cast (Cast) and lookup (Gather)`.
    fn listed(&self, nodes: &[NodeId]) -> String {
        let named =
            |id: &NodeId| format!("{} ({})", quoted(&node_name(self.model, *id)), quoted(&self.model.node(*id).op));
        let all: Vec<String> = nodes.iter().take(NAMED_NODES).map(named).collect();
        match all.split_last() {
            Some((last, [])) => last.clone(),
            Some((_, most)) if nodes.len() > NAMED_NODES => {
                format!("{} and {} more", all.join(", "), nodes.len() - most.len() - 1)
            }
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// Says what is wrong of a value.
    fn wrong(&self, fault: &Fault, gap: &Discrepancy) -> String {
        let shown = quoted(&self.model.value(fault.value).name);
        let s = if gap.count == 1 { "" } else { "s" };
        match &gap.shape {
            Some(got) => format!("{shown} has the shape {}", broadaxe_shape::Shape::from(got.as_slice())),
            None => format!("{} of {} element{s} of {shown} differ", gap.wrong, gap.count),
        }
    }

    /// Says how an operand is misread.
    fn read(&self, reading: &OperandReading) -> String {
        let input = self.model.node(reading.node).input(reading.input);
        let name = input.map_or_else(String::new, |value| quoted(&self.model.value(value).name));
        format!("it {}", reading.text(&name))
    }

    /// Says whether an operand has integers of 64 bits.
    fn is_long(&self, id: NodeId) -> bool {
        let mut dtypes = self.model.node(id).inputs.iter().flatten().filter_map(|&id| {
            let known = self.shapes.of.get(id.0 as usize).and_then(|known| known.element.clone());
            known.or_else(|| self.model.value(id).element.clone())?.dtype()
        });
        dtypes.any(|dtype| matches!(dtype, DType::I64 | DType::U64))
    }

    fn outcome(&self, id: NodeId, fault: &Fault) -> Outcome {
        let others: Vec<NodeId> = fault.nodes.iter().copied().filter(|other| *other != id).collect();
        let together = |mark: &str| {
            if others.is_empty() { String::new() } else { format!("together with {}{mark} ", self.listed(&others)) }
        };
        if let Some(why) = &fault.refused {
            return Outcome::refused(format!("{}{why}", together(":")));
        }
        let together = together(",");
        let Some(gap) = &fault.gap else { return Outcome::unknown("the cause was not found") };
        if fault.is_far && self.is_long(id) {
            // Few models need such numbers: it is a caveat.
            return Outcome { reason: format!("{together}computes 64-bit integers in fewer bits"), ..Outcome::same() };
        }
        let when = match (fault.is_far, fault.is_later) {
            (true, _) => "with integers near the limits of their type, ",
            (false, true) => "in the second run and later, ",
            (false, false) => "",
        };
        let reading = fault.reading.as_ref().map(|reading| format!("{}; ", self.read(reading))).unwrap_or_default();
        let reason = format!("{when}{together}{reading}{}", self.wrong(fault, gap));
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
        let most =
            examined.rounded.iter().filter_map(|fault| fault.gap.as_ref()).map(|gap| gap.largest).fold(0.0, f64::max);
        let places: Vec<NodeId> = examined.rounded.iter().filter_map(|fault| fault.nodes.last().copied()).collect();
        text += &format!(
            "  {name}: rounds differently in {}, by at most {:.2} % of the largest element: {}\n",
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
fn file_name(model: &Model, name: &str, fault: &Fault) -> String {
    let node = fault.nodes.last().map_or_else(String::new, |&id| node_name(model, id));
    let plain = |text: &str| text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect::<String>();
    format!("{}-{}", plain(name), plain(&node))
}
