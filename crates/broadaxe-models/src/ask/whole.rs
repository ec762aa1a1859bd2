//! Finds the nodes of a model that an engine computes wrongly, without a law and without a second engine.
//!
//! The model runs on the engine with drawn inputs, in four ways:
//!
//! 1. *exposed*: every value is an output, which stops most transformations and gives the engine's own value of everything;
//! 2. *cut*: every node alone, side by side in one model, fed with these values. A node whose meaning is known is computed here, too:
//!    where the engine gives something else, the node itself is wrong. Where the node alone is right and the exposed model is not, there is a
//!    transformation. Either way its right value is kept, and the exposed model runs again with it;
//! 3. *in windows*: the graph is cut into pieces of consecutive nodes, twice, so that each small piece is whole in one of them. What a
//!    window gives is compared with the right values, so that differences neither add up nor get lost on a long way. What is
//!    computed of constants alone is not cut, as engines fold it;
//! 4. *unchanged*: what still differs needs larger pieces.
//!
//! A window that gives something else is reduced to the fewest nodes that still show it (`reduce`), and the operand that is misread
//! is looked for (`reading`). What the engine refuses is reduced in the same way.

mod gap;
mod quantised;
mod weights;
mod bench;
mod moved;
mod own;
mod feeds;
mod draws;
mod reduce;
mod reading;
mod products;
mod shown;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use self::{
    bench::{NodeSet, PartRunner, Ran, TIMES},
    draws::examine_trials,
    gap::gap,
    reduce::{Reduced, Symptom, reduce},
};
pub use self::{
    gap::Discrepancy,
    reading::{Misread, OperandReading},
};
use super::run::{Runner, Tensor};
use crate::{
    error::Error,
    format::part::{self, ModelFiles},
    graph::{Model, NodeId, ValueId},
    infer::Shapes,
};

/// How often the exposed model runs again with values that were wrong.
const MOST_ROUNDS: usize = 4;
/// The sizes of windows, in nodes; the larger ones are only tried where the whole model still differs.
const WINDOWS: [usize; 4] = [24, 96, 384, usize::MAX];
/// The sizes of windows where integers are far from 0: what is merged is known already.
const FAR_WINDOWS: [usize; 2] = [0, usize::MAX];
/// How many faults of one window are looked for.
const MOST_FAULTS: usize = 6;
/// How many faults of a model are looked for.
const MOST_ALL: usize = 100;

/// What is said of a model without its weights.
const DRAWN_WEIGHTS: &str = "its file of weights is missing; it ran with random ones";

/// What is asked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What inputs are given, by name; the others are drawn.
    pub inputs: Vec<(String, Tensor)>,
    /// Begins the numbers that are drawn.
    pub seed: u64,
    /// How long models are run.
    pub time: Duration,
}

/// What an engine does with a whole model.
#[derive(Clone, Debug, Default)]
pub struct Examined {
    /// How many models were run.
    pub runs: usize,
    /// The nodes whose result was computed here, from what the engine gave them, and compared.
    pub compared: BTreeSet<NodeId>,
    /// Nodes that broadcast and whose result is not computed here, each with the reason.
    pub uncomputed: Vec<(NodeId, String)>,
    /// What it computes wrongly, or refuses.
    pub faults: Vec<Fault>,
    /// What rounding may explain.
    pub rounded: Vec<Fault>,
    /// What was not found out, or was assumed: one sentence each.
    pub left: Vec<String>,
    /// Whether asking again would give the same: the time sufficed, and every run gave an answer.
    pub is_final: bool,
}

/// Nodes that an engine computes wrongly, or refuses.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The nodes that take part, in the order of the graph.
    pub nodes: Vec<NodeId>,
    /// The value that is wrong.
    pub value: ValueId,
    /// How it is wrong; nothing where the engine refuses the nodes.
    pub gap: Option<Discrepancy>,
    /// What the engine said where it refuses them.
    pub refused: Option<String>,
    /// The operand that is misread, where it was found out.
    pub reading: Option<OperandReading>,
    /// Whether the first run is right, and a later one is wrong.
    pub is_later: bool,
    /// Whether it shows only with integers far from 0.
    pub is_far: bool,
    /// The model of these nodes, as files of the format of the whole.
    pub files: ModelFiles,
    /// What its inputs are given, by name.
    pub inputs: Vec<(String, Tensor)>,
    /// What the engine gives; nothing where it refuses the nodes.
    pub got: Option<Tensor>,
    /// What its output should be; nothing where it is not known.
    pub right: Option<Tensor>,
    /// The name of that output in the model of these nodes.
    pub output: String,
}

impl Examined {
    /// Adds what shows only with other numbers, which may be integers far from 0.
    fn extend(&mut self, other: Self, is_far: bool) {
        self.runs += other.runs;
        self.is_final &= other.is_final;
        let known: BTreeSet<NodeId> = self.faults.iter().flat_map(|fault| fault.nodes.iter().copied()).collect();
        let is_new = |fault: &Fault| fault.gap.is_some() && !fault.nodes.iter().any(|node| known.contains(node));
        self.faults.extend(other.faults.into_iter().filter(is_new).map(|fault| Fault { is_far, ..fault }));
    }
}

/// Asks an engine about a whole model; `report` is told what is being done, and how many models were run.
///
/// # Errors
/// When the engine does not start.
pub fn examine(
    model: &Model,
    shapes: &Shapes,
    runner: &mut dyn Runner,
    settings: &Settings,
    report: &mut dyn FnMut(&str, usize),
) -> Result<Examined, Error> {
    let until = Instant::now() + settings.time;
    let drawn = weights::drawn(model, settings.seed);
    let (model, remark) = match &drawn {
        Ok(Some(drawn)) => (drawn, Some(DRAWN_WEIGHTS.to_owned())),
        Ok(None) => (model, None),
        Err(why) => {
            let why = format!("its file of weights is missing, and none can be drawn: {why}");
            return Ok(Examined { left: vec![why], ..Examined::default() });
        }
    };
    let mut examined = examine_trials((model, shapes), runner, (settings, until), report)?;
    examined.left.extend(remark);
    Ok(examined)
}

/// What is said of a node that an engine runs in the model only.
const NOT_ALONE: &str = "the engine runs it in this model, but not alone";

/// A value that is wrong in the exposed model.
struct Wrong {
    node: NodeId,
    value: ValueId,
    right: Tensor,
    /// How the node alone is wrong, and what it gives, where it is.
    alone: Option<(Discrepancy, Tensor)>,
}

struct Examination<'r, 'a> {
    bench: PartRunner<'a>,
    report: &'r mut dyn FnMut(&str, usize),
    examined: Examined,
    /// Values that are cut everywhere, and right: those that nodes at fault give, and those that are wrong only in parts.
    pins: BTreeSet<ValueId>,
    /// Those that nodes at fault give.
    at_fault: BTreeSet<ValueId>,
    /// The nodes that are no constants and that the engine accepts, in the order of the graph.
    nodes: Vec<NodeId>,
    /// Nodes of which nothing is known, by the reason.
    unreached: BTreeMap<String, Vec<NodeId>>,
}

impl<'r, 'a> Examination<'r, 'a> {
    fn new(bench: PartRunner<'a>, report: &'r mut dyn FnMut(&str, usize)) -> Self {
        let is_computed = |id: &&NodeId| {
            let mut outputs = bench.model.node(**id).outputs.iter().flatten();
            outputs.any(|&value| bench.producer(value).is_some() && !bench.is_folded(value))
        };
        let nodes = bench.model.main().nodes.iter().filter(is_computed).copied().collect();
        Self {
            bench,
            report,
            examined: Examined::default(),
            pins: BTreeSet::new(),
            at_fault: BTreeSet::new(),
            nodes,
            unreached: BTreeMap::new(),
        }
    }

    fn done(mut self) -> Examined {
        for (why, nodes) in std::mem::take(&mut self.unreached) {
            let first = crate::report::node_name(self.bench.model, nodes[0]);
            let text = if nodes.len() == 1 { first } else { format!("{first} and {} more nodes", nodes.len() - 1) };
            self.examined.left.push(format!("{text}: {why}"));
        }
        if self.bench.is_late() {
            self.examined.left.push("the time was up before everything was asked".to_owned());
        }
        Examined { runs: self.bench.runs, is_final: !self.bench.is_unsure, ..self.examined }
    }

    fn say(&mut self, what: &str) {
        (self.report)(what, self.bench.runs);
    }

    /// Examines everything; says whether the engine accepts the model.
    fn whole(&mut self, sizes: &[usize]) -> Result<bool, Error> {
        self.say("the model");
        let first = self.unchanged()?;
        self.say("every value");
        self.settle()?;
        for (k, &size) in sizes.iter().enumerate() {
            if k > 0 && self.agrees(&first)? {
                break;
            }
            if size == 0 {
                continue;
            }
            for shift in [0, size / 2] {
                self.say("the nodes in windows");
                self.windows(size, shift)?;
                if size >= self.nodes.len() {
                    break;
                }
            }
            if size >= self.nodes.len() || self.bench.is_late() {
                break;
            }
        }
        self.misshapen(&first)?;
        self.keep_shown(&first)?;
        if let Ran::Refused(why) = &first
            && self.examined.faults.is_empty()
        {
            self.examined.left.push(format!("the engine refuses the model, and none of its parts: {why}"));
        }
        Ok(matches!(first, Ran::Values(_)))
    }

    /// Runs the file.
    fn unchanged(&mut self) -> Result<Ran, Error> {
        let model = self.bench.model;
        let files = match part::whole(model) {
            Ok(files) => files,
            Err(error) => return Ok(Ran::Unknown(error.to_string())),
        };
        let name = |&id: &ValueId| model.value(id).name.clone();
        let feed = |id: &ValueId| Some((name(id), self.bench.value(*id)?.clone()));
        let inputs = model.main().inputs.iter().filter_map(feed).collect();
        let outputs = model.main().outputs.iter().map(name).collect();
        self.bench.run_files(files, inputs, outputs, TIMES)
    }

    /// Lists what nodes compute.
    fn made(&self, nodes: &[NodeId]) -> Vec<ValueId> {
        let made = nodes.iter().flat_map(|&node| self.bench.model.node(node).outputs.iter().flatten().copied());
        made.filter(|&id| self.bench.producer(id).is_some()).collect()
    }

    /// Finds the right value of everything, and the nodes that are wrong by themselves.
    fn settle(&mut self) -> Result<(), Error> {
        for round in 0..MOST_ROUNDS {
            self.unreached.clear();
            self.expose()?;
            if !self.alone(round)? || self.bench.is_late() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Keeps the engine's value of everything that is not pinned.
    fn expose(&mut self) -> Result<(), Error> {
        let nodes = self.nodes.clone();
        let all: Vec<ValueId> = self.made(&nodes).into_iter().filter(|id| !self.pins.contains(id)).collect();
        for id in all {
            self.bench.forget(id);
        }
        let single = |node: &NodeId| NodeSet { nodes: vec![*node], outputs: self.made(&[*node]) };
        let singles: Vec<NodeSet> = nodes.iter().map(single).collect();
        let together = |run: &&[NodeSet]| run.iter().flat_map(|group| group.nodes.clone()).collect();
        let mut stack: Vec<Vec<NodeId>> = self.bench.in_runs(&singles).iter().rev().map(together).collect();
        // Where the engine refuses the model, its first half comes first, whose values the second needs.
        while let Some(nodes) = stack.pop() {
            let wanted: Vec<ValueId> = self.made(&nodes).into_iter().filter(|id| !self.pins.contains(id)).collect();
            if wanted.is_empty() {
                continue;
            }
            let ran = match self.bench.part(&nodes, &self.pins, &wanted) {
                Some(part) => self.bench.run(&part)?,
                None => Ran::Unknown("what flows in is not known".to_owned()),
            };
            match ran {
                Ran::Values(values) => {
                    for (id, tensor) in wanted.into_iter().zip(values) {
                        self.bench.keep(id, tensor);
                    }
                }
                Ran::Refused(why) if nodes.len() == 1 => self.refused(nodes[0], why)?,
                Ran::Unknown(why) if nodes.len() == 1 || self.bench.is_late() => {
                    self.unreached.entry(why).or_default().extend(nodes);
                }
                _ => {
                    let (one, other) = nodes.split_at(nodes.len() / 2);
                    stack.extend([other.to_vec(), one.to_vec()]);
                }
            }
        }
        Ok(())
    }

    /// Records a node that the engine refuses alone; its value is what it means, where that can be computed.
    fn refused(&mut self, node: NodeId, why: String) -> Result<(), Error> {
        let Some(&value) = self.bench.model.node(node).outputs.iter().flatten().next() else { return Ok(()) };
        if let Some(Ok(right)) = own::compute(&self.bench, node) {
            self.bench.keep(value, right);
        }
        let reduced = Reduced { nodes: vec![node], hidden: BTreeSet::new(), value, shown: Symptom::Refused(why) };
        self.record(reduced)?;
        self.nodes.retain(|other| *other != node);
        // What reads it runs all the same, with other numbers.
        for &value in self.bench.model.node(node).outputs.iter().flatten() {
            if self.bench.value(value).is_none()
                && let Some(tensor) = feeds::stand_in(self.bench.shapes, value)
            {
                self.bench.keep(value, tensor);
            }
        }
        Ok(())
    }

    /// Runs every node alone that does not give what it means, and compares; says whether a value was wrong that others depend on.
    fn alone(&mut self, round: usize) -> Result<bool, Error> {
        let mut groups = self.known_nodes();
        let cuts: BTreeSet<ValueId> = self.made(&self.nodes).into_iter().collect();
        self.products(&groups, &cuts)?;
        groups.retain(|group| !self.is_settled(group, round));
        let mut wrong = Vec::new();
        for (group, ran) in groups.iter().zip(self.bench.run_groups(&groups, &cuts)?) {
            if let Ran::Values(cut) = ran {
                wrong.extend(self.compared(group, cut));
            }
        }
        // What was exposed in another shape than it has inside is not what its readers read.
        let misshapen: BTreeSet<ValueId> = wrong
            .iter()
            .filter(|one| self.bench.value(one.value).is_some_and(|exposed| exposed.shape != one.right.shape))
            .map(|one| one.value)
            .collect();
        wrong.retain(|one| !self.bench.reads(one.node).iter().any(|read| misshapen.contains(read)));
        // All of them follow from the values that the nodes were given, so that these change at the end.
        for one in &wrong {
            let exposed = self.bench.value(one.value).cloned();
            self.bench.keep(one.value, one.right.clone());
            self.explain(one)?;
            if let Some(exposed) = exposed {
                self.bench.keep(one.value, exposed);
            }
        }
        let changed = !wrong.is_empty();
        for Wrong { value, right, .. } in wrong {
            self.bench.keep(value, right);
        }
        Ok(changed)
    }

    /// Lists the nodes, each as a group, of which all values are known and none is pinned.
    fn known_nodes(&self) -> Vec<NodeSet> {
        let known = |id: &ValueId| self.bench.model.value(*id).constant.is_some() || self.bench.value(*id).is_some();
        let is_known = |group: &NodeSet| {
            let is_pinned = group.outputs.iter().any(|id| self.pins.contains(id));
            !is_pinned && group.outputs.iter().all(known) && self.bench.reads(group.nodes[0]).iter().all(known)
        };
        let groups = self.nodes.iter().map(|&node| NodeSet { nodes: vec![node], outputs: self.made(&[node]) });
        groups.filter(is_known).collect()
    }

    /// Says whether a node gives in the exposed model what it means, so that it need not run alone.
    fn is_settled(&mut self, group: &NodeSet, round: usize) -> bool {
        let node = group.nodes[0];
        if own::is_undefined(&self.bench, node) {
            self.pins.extend(&group.outputs);
            return true;
        }
        match own::compute(&self.bench, node) {
            Some(Ok(right)) => {
                self.examined.compared.insert(node);
                let [value] = group.outputs[..] else { return false };
                let tolerance = own::tolerance(&self.bench, &group.nodes);
                self.bench.value(value).is_some_and(|exposed| gap(&right, exposed, tolerance).is_none())
            }
            Some(Err(why)) if round == 0 => {
                self.examined.uncomputed.push((node, why));
                false
            }
            _ => false,
        }
    }

    /// Compares what a node gives alone, and in the exposed model, with what it means.
    fn compared(&mut self, group: &NodeSet, cut: Vec<Tensor>) -> Vec<Wrong> {
        let node = group.nodes[0];
        let own = own::compute(&self.bench, node).and_then(Result::ok);
        let tolerances = (own::tolerance_alone(&self.bench, node), own::tolerance(&self.bench, &group.nodes));
        let mut wrong = Vec::new();
        for (k, (&value, cut)) in group.outputs.iter().zip(cut).enumerate() {
            let right =
                own.as_ref().filter(|_| k == 0).cloned().unwrap_or_else(|| self.bench.in_known_shape(value, &cut));
            // A node that is wrong alone and right in the model is right. One that is right alone and wrong in the model is part of a
            // transformation that looking at every value does not stop.
            if self.bench.value(value).is_some_and(|exposed| gap(&right, exposed, tolerances.1).is_some()) {
                let alone = gap(&right, &cut, tolerances.0).map(|gap| (gap, cut));
                wrong.push(Wrong { node, value, right, alone });
            }
        }
        wrong
    }

    /// Records a node that is wrong alone, or finds the nodes that are wrong with it.
    fn explain(&mut self, wrong: &Wrong) -> Result<(), Error> {
        let Wrong { node, value, .. } = *wrong;
        let reduced = if let Some((gap, cut)) = &wrong.alone {
            let shown = Symptom::Wrong(gap.clone(), cut.clone());
            Some(Reduced { nodes: vec![node], hidden: BTreeSet::new(), value, shown })
        } else {
            let group = self.up_to(node, value);
            reduce(&mut self.bench, &group, &self.pins)?
        };
        match reduced {
            Some(reduced) => self.record(reduced)?,
            None => _ = self.pins.insert(value),
        }
        Ok(())
    }

    /// Makes a group of a node and those before it, as many as a small window has, of which one value is looked at.
    fn up_to(&self, node: NodeId, value: ValueId) -> NodeSet {
        let at = self.nodes.iter().position(|&other| other == node).map_or(self.nodes.len(), |at| at + 1);
        self.with_folded(&self.nodes[at.saturating_sub(WINDOWS[0])..at], vec![value])
    }

    /// Makes a group of nodes together with those that compute its constants.
    fn with_folded(&self, nodes: &[NodeId], outputs: Vec<ValueId>) -> NodeSet {
        let mut all: BTreeSet<NodeId> = nodes.iter().copied().collect();
        let mut stack: Vec<NodeId> = nodes.to_vec();
        while let Some(node) = stack.pop() {
            let folded = self
                .bench
                .reads(node)
                .iter()
                .filter(|&&id| self.bench.facts.is_constant(id) && !self.pins.contains(&id));
            stack.extend(folded.filter_map(|&id| self.bench.producer(id)).filter(|&maker| all.insert(maker)));
        }
        let mut nodes: Vec<NodeId> = all.into_iter().collect();
        nodes.sort_by_key(|&node| self.bench.place(node));
        NodeSet { nodes, outputs }
    }

    /// Cuts the graph into windows of consecutive nodes, and returns them with the values to cut at.
    fn cut(&self, size: usize, shift: usize) -> (Vec<NodeSet>, BTreeSet<ValueId>) {
        let is_folded = |node: &NodeId| self.made(&[*node]).iter().all(|&id| self.bench.facts.is_constant(id));
        let nodes: Vec<NodeId> = self.nodes.iter().copied().filter(|node| !is_folded(node)).collect();
        let first = if shift == 0 { size } else { shift };
        let (head, rest) = nodes.split_at(first.min(nodes.len()));
        let windows: Vec<&[NodeId]> = [head].into_iter().chain(rest.chunks(size)).collect();
        // The windows that read each value.
        let mut readers: BTreeMap<ValueId, BTreeSet<usize>> = BTreeMap::new();
        for (number, window) in windows.iter().enumerate() {
            for &id in window.iter().flat_map(|&node| self.bench.reads(node)) {
                readers.entry(id).or_default().insert(number);
            }
        }
        let model_outputs: BTreeSet<ValueId> = self.bench.model.main().outputs.iter().copied().collect();
        let (mut cuts, mut groups) = (self.pins.clone(), Vec::with_capacity(windows.len()));
        for (number, window) in windows.iter().enumerate() {
            let is_read = |id: &ValueId| readers.get(id).is_some_and(|all| all.iter().any(|&other| other != number));
            let is_known = |id: &ValueId| !self.pins.contains(id) && self.bench.value(*id).is_some();
            let made: Vec<ValueId> = self.made(window).into_iter().filter(is_known).collect();
            cuts.extend(made.iter().copied().filter(is_read));
            let outputs = made.into_iter().filter(|id| is_read(id) || model_outputs.contains(id)).collect();
            groups.push(self.with_folded(window, outputs));
        }
        let is_runnable = |group: &NodeSet| {
            !group.outputs.is_empty() && self.bench.part(&group.nodes, &cuts, &group.outputs).is_some()
        };
        groups.retain(is_runnable);
        (groups, cuts)
    }

    /// Runs windows of consecutive nodes, and reduces those that are wrong.
    fn windows(&mut self, size: usize, shift: usize) -> Result<(), Error> {
        let (groups, cuts) = self.cut(size, shift);
        for (group, ran) in groups.iter().zip(self.bench.run_groups(&groups, &cuts)?) {
            if !self.is_wrong(group, &ran) {
                continue;
            }
            for _ in 0..MOST_FAULTS {
                let Some(reduced) = reduce(&mut self.bench, group, &self.pins)? else { break };
                if self.is_in_model(&reduced)? {
                    self.record(reduced)?;
                } else {
                    // The node is wrong only where what flows in is an input.
                    self.pins.insert(reduced.value);
                }
                if self.bench.is_late() || self.examined.faults.len() >= MOST_ALL {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn is_wrong(&self, group: &NodeSet, ran: &Ran) -> bool {
        match ran {
            Ran::Values(values) => {
                let tolerance = own::tolerance(&self.bench, &group.nodes);
                let differs = |(&id, got)| self.bench.value(id).is_some_and(|want| gap(want, got, tolerance).is_some());
                group.outputs.iter().zip(values).any(differs)
            }
            Ran::Refused(_) => true,
            Ran::Unknown(_) => false,
        }
    }

    /// Records a fault: finds the operand that is misread, and writes the model that shows it.
    fn record(&mut self, reduced: Reduced) -> Result<(), Error> {
        self.say("a difference");
        let Reduced { nodes, hidden, value, shown } = reduced;
        let cuts: BTreeSet<ValueId> =
            self.made(&nodes).into_iter().filter(|id| !hidden.contains(id) && *id != value).collect();
        let cuts: BTreeSet<ValueId> =
            cuts.into_iter().chain(self.pins.iter().copied()).filter(|id| *id != value).collect();
        let part = self.bench.part(&nodes, &cuts, &[value]);
        let files = part.as_ref().and_then(|part| part::write(self.bench.model, part).ok()).unwrap_or_default();
        let inputs = part.as_ref().map(|part| self.bench.feeds(part)).unwrap_or_default();
        let output = part.as_ref().map(|part| part.output_name(self.bench.model, value)).unwrap_or_default();
        let right = self.bench.value(value).cloned();
        let mut is_later = false;
        let (gap, refused, reading, got) = match shown {
            Symptom::Wrong(gap, got) => {
                let reading = reading::find(&mut self.bench, &nodes, value, &got)?;
                if let (Some(part), Some(right)) = (&part, &right) {
                    let tolerance = own::tolerance(&self.bench, &nodes);
                    let is_right = |ran: &Ran| match ran {
                        Ran::Values(values) => {
                            values.first().is_some_and(|got| self::gap(right, got, tolerance).is_none())
                        }
                        _ => false,
                    };
                    is_later = is_right(&self.bench.run_times(part, 1)?) && !is_right(&self.bench.run(part)?);
                }
                (Some(gap), None, reading, Some(got))
            }
            Symptom::Refused(why) => (None, Some(why), None, None),
        };
        self.pins.insert(value);
        self.at_fault.insert(value);
        let is_small = reading.is_none() && gap.as_ref().is_some_and(Discrepancy::is_small);
        let is_far = false;
        let fault = Fault { nodes, value, gap, refused, reading, is_later, is_far, files, inputs, got, right, output };
        let list = if is_small { &mut self.examined.rounded } else { &mut self.examined.faults };
        list.push(fault);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
