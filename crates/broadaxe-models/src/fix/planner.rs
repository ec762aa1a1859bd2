//! Chooses a way for every node that all targets read alike, and one shape for constants that several nodes share.

use std::collections::{BTreeMap, BTreeSet};

use broadaxe_shape::{Rule, SymbolicShape};

use super::{
    Fix, Left, LeftKind, Step,
    candidate::{Candidate, Subject},
    decompose_prelu,
    emit_edits::{Form, Want, emit_edits},
    exchange_branches,
};
use crate::{
    copied::{Copied, element_size},
    edit::{Edit, Scalar},
    graph::{Model, NodeId, Use, ValueId},
    infer::{Inferences, Shapes},
    meaning::{self, FaultKind, Intended, Intent, Kind, Meaning, ShapeFault, Source, blocks},
};

/// Returns the form of a tensor as a list.
fn flat(rank: usize) -> Form {
    if rank == 0 { Form::Axes(vec![0]) } else { Form::Dims(vec![-1]) }
}

/// Returns the inputs that have one number per channel and other axes than the list that the operator needs; nothing where none has, or
/// where they would not fit as lists.
fn flattened(meaning: &Meaning, shapes: &[SymbolicShape]) -> Option<Vec<(usize, Form)>> {
    if meaning.kind != Kind::Lengths || meaning.is_of_integers() {
        return None;
    }
    let (data, lists) = shapes.split_first()?;
    let channels = data.dims()?.get(1)?.size()?;
    let mut forms = Vec::new();
    for (shape, source) in lists.iter().zip(&meaning.operands[1..]) {
        let (dims, Source::Input(input)) = (shape.known()?, source) else { return None };
        if broadaxe_shape::elements(&dims).ok()? != channels {
            return None;
        }
        if dims.len() != 1 {
            forms.push((*input, flat(dims.len())));
        }
    }
    (!forms.is_empty()).then_some(forms)
}

/// What a target does with a node that is written in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The same as the model.
    Same,
    /// Something else, or nothing; in one sentence.
    Not(String),
    /// Nothing, as it has no such operator: no other shape helps; in one sentence.
    Unsupported(String),
    /// It cannot be said; in one sentence.
    Unknown(String),
}

impl Answer {
    /// Says whether another way to write a node of this kind may be answered with "the same".
    fn is_repairable(&self, kind: Kind) -> bool {
        match self {
            Self::Same => false,
            Self::Unsupported(_) => kind == Kind::Slope,
            Self::Not(_) | Self::Unknown(_) => true,
        }
    }
}

/// A target, as far as repairs need it.
pub(crate) trait Judge {
    /// Returns the name on the command line.
    fn name(&self) -> String;
    /// Says whether a converter brings the model to the target; otherwise no way to write a node helps.
    fn is_reached(&self) -> bool {
        true
    }
    /// Says whether the target reads tensors by their own rank, so that a node may have to be written at another one.
    fn reads_by_rank(&self) -> bool {
        false
    }
    /// Says what the target does with a node that is written in this way.
    fn answer(&self, node: NodeId, way: &Candidate) -> Answer;
}

/// What the judgement of whole fixed graphs taught about ways to write nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rulings {
    /// The ways that do not serve a target after all, by node, [`Candidate::key`] and number of the target; with the reason.
    pub against: BTreeMap<(NodeId, String, usize), String>,
    /// Nodes that stay as they are.
    pub frozen: BTreeMap<NodeId, String>,
}

/// Changes, and how each node is written that they change.
pub(crate) struct Plan {
    /// The changes.
    pub fix: Fix,
    /// By node: [`Candidate::key`], and which targets it was to serve.
    pub ways: BTreeMap<NodeId, (String, Vec<bool>)>,
}

/// Makes judges; what they say may depend on the nodes that are decomposed.
pub(crate) type Bench<'a> = dyn Fn(&BTreeSet<NodeId>) -> Vec<Box<dyn Judge + 'a>> + 'a;

/// What is planned for: the model, its shapes, what rules make of them, and what the caller knows.
pub(crate) type PlannedModel<'a> = (&'a Model, &'a Shapes, &'a Inferences, Intent);

pub(crate) struct Planner<'a> {
    model: &'a Model,
    shapes: &'a Shapes,
    inferences: &'a Inferences,
    intent: Intent,
    judges: Vec<Box<dyn Judge + 'a>>,
    meanings: BTreeMap<NodeId, Meaning>,
    chosen: BTreeMap<NodeId, Candidate>,
    /// Nodes that are decomposed: as they were asked for, and as it came out.
    decomposed: BTreeSet<NodeId>,
    taken_apart: BTreeMap<NodeId, Candidate>,
    /// Nodes that should be decomposed, once the targets know of it.
    wished: BTreeSet<NodeId>,
    rulings: &'a Rulings,
    fix: Fix,
}

/// How often nodes are chosen again after some were decomposed.
const ROUNDS: usize = 4;

/// Finds the fewest changes after which all targets read every node alike.
///
/// What a target does with a node may depend on the nodes around it: pnnx looks for the batch, and finds it by a `PRelu`.
/// So nodes that should be decomposed are taken for that in the next round, where the targets are asked again.
///
/// Of nodes whose operands broadcast, only those in `found` are looked at, if that is given.
pub(crate) fn plan<'a>(
    case: PlannedModel<'a>,
    bench: &Bench<'a>,
    found: Option<&BTreeSet<NodeId>>,
    rulings: &'a Rulings,
) -> Plan {
    let (mut decomposed, mut whole) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..ROUNDS {
        let planner = Planner::run(case, bench(&decomposed), decomposed.clone(), found, rulings);
        let taken: BTreeSet<NodeId> = planner.taken_apart.keys().copied().collect();
        whole.extend(decomposed.difference(&taken).copied());
        let next: BTreeSet<NodeId> = taken.union(&planner.wished).filter(|id| !whole.contains(id)).copied().collect();
        if next == decomposed {
            return planner.finish();
        }
        decomposed = next;
    }
    Planner::run(case, bench(&decomposed), decomposed, found, rulings).finish()
}

impl<'a> Planner<'a> {
    /// Chooses a way for every node.
    fn run(
        (model, shapes, inferences, intent): PlannedModel<'a>,
        judges: Vec<Box<dyn Judge + 'a>>,
        decomposed: BTreeSet<NodeId>,
        found: Option<&BTreeSet<NodeId>>,
        rulings: &'a Rulings,
    ) -> Self {
        let mut planner = Self {
            model,
            shapes,
            inferences,
            intent,
            judges,
            meanings: BTreeMap::new(),
            chosen: BTreeMap::new(),
            decomposed,
            taken_apart: BTreeMap::new(),
            wished: BTreeSet::new(),
            rulings,
            fix: Fix::default(),
        };
        for id in model.walk() {
            match meaning::meaning(model, id) {
                None => {}
                Some(Err(reason)) => planner.leave(id, reason),
                Some(Ok(meaning)) => drop(planner.meanings.insert(id, meaning)),
            }
        }
        let nodes: Vec<NodeId> = planner.meanings.keys().copied().collect();
        for id in nodes {
            let broadcasts = planner.meanings.get(&id).is_some_and(Meaning::broadcasts);
            if !broadcasts || found.is_none_or(|found| found.contains(&id)) {
                planner.choose(id);
            }
        }
        planner.share();
        planner
    }

    /// Returns what a node is meant as, where it is not what it says.
    fn intended(&self, id: NodeId) -> Option<Intended> {
        Intended::of((self.model, self.shapes), id, self.meanings.get(&id)?, self.intent)
    }

    /// Returns the rule by which the operands of a node are meant to broadcast.
    fn meant(&self, id: NodeId, meaning: &Meaning) -> Rule {
        match self.intended(id) {
            Some(Intended::Rule(rule)) => rule,
            _ => meaning.rule.clone(),
        }
    }

    fn leave(&mut self, node: NodeId, reason: String) {
        let reason = match self.intended(node) {
            Some(Intended::Asks { how, .. }) => format!("{reason}; {how}"),
            _ => reason,
        };
        self.fix.left.push(Left { node, reason: reason.into(), kind: LeftKind::Finding });
    }

    /// Chooses a way for a node.
    fn choose(&mut self, id: NodeId) {
        let Some(meaning) = self.meanings.get(&id).cloned() else { return };
        if let Some(reason) = self.rulings.frozen.get(&id) {
            return self.leave(id, reason.clone());
        }
        if let Some(way) = self.listed(id, &meaning) {
            drop(self.chosen.insert(id, way));
            return;
        }
        if let Some(Intended::Asks { only_if: Some(condition), .. }) = self.intended(id) {
            return self.leave(id, format!("its operands broadcast only if {condition}"));
        }
        let meant = self.meant(id, &meaning);
        let is_meant = meant == meaning.rule;
        let subject = match Subject::new((self.model, self.shapes), self.inferences, id, (&meaning, &meant)) {
            Ok(subject) => subject,
            // Some targets do the same, or nothing at all, whatever the shapes are.
            Err(_) if !meaning.broadcasts() => return,
            Err(reason) => return self.leave_unknown(id, &meaning, reason),
        };
        if self.decomposed.contains(&id) && self.decompose(id, &subject) {
            return;
        }
        let answers: Vec<Answer> = self.answers(id, &subject.plain());
        // What reads one operand is not judged by check; here it matters only to a target that refuses it.
        let open = |answer: &Answer| !meaning.broadcasts() && matches!(answer, Answer::Unknown(_));
        if is_meant && self.reached(&answers).all(|answer| *answer == Answer::Same || open(answer)) {
            return;
        }
        let raised = self.judges.iter().any(|judge| judge.reads_by_rank());
        let repairs = !is_meant || self.reached(&answers).any(|answer| answer.is_repairable(meaning.kind));
        let mut candidates = if repairs { subject.candidates(raised) } else { vec![subject.plain()] };
        // The node as written does not say what is meant.
        candidates.retain(|way| is_meant || !way.is_plain());
        self.choose_among(&candidates, id, &subject, &answers);
    }

    /// Lists the answers of the targets that the format of the model reaches.
    fn reached<'b>(&'b self, answers: &'b [Answer]) -> impl Iterator<Item = &'b Answer> {
        answers.iter().zip(&self.judges).filter(|(_, judge)| judge.is_reached()).map(|(answer, _)| answer)
    }

    /// Chooses the first of these ways that serves every target that any of them serves, and notes what stays wrong.
    ///
    /// `answers` are those to the node as written.
    fn choose_among(&mut self, candidates: &[Candidate], id: NodeId, subject: &Subject<'_>, answers: &[Answer]) {
        let served: Vec<Vec<bool>> = candidates
            .iter()
            .map(|way| self.answers(id, way).into_iter().map(|answer| answer == Answer::Same).collect())
            .collect();
        // A target that no way serves must not keep the others from being served.
        let hopeless: Vec<bool> = (0..self.judges.len()).map(|at| !served.iter().any(|row| row[at])).collect();
        let fits = |row: &Vec<bool>| row.iter().zip(&hopeless).all(|(&is, &hopeless)| is || hopeless);
        let found = served.iter().position(fits);
        // Merged axes serve too, but hide from a target where its batch is.
        let is_slope = self.meanings.get(&id).is_some_and(|meaning| meaning.kind == Kind::Slope);
        let merged = is_slope && found.is_some_and(|at| candidates[at].back.is_some());
        if (found.is_none() || hopeless.contains(&true) || merged) && self.decompose(id, subject) {
            return;
        }
        self.unserved(id, subject, answers, &hopeless);
        match found {
            Some(at) if !candidates[at].is_plain() => drop(self.chosen.insert(id, candidates[at].clone())),
            Some(_) => {}
            None => {
                let text = self.conflict(&served, &hopeless);
                self.leave(id, text);
            }
        }
    }

    /// Writes the shape that `Expand` is given, or numbers per channel, as a list, where it has another rank: what the node's own
    /// rule says needs no target.
    fn listed(&self, id: NodeId, meaning: &Meaning) -> Option<Candidate> {
        let node = self.model.node(id);
        let shapes = meaning.shapes(node, self.shapes);
        let plain = Candidate::unchanged(meaning.clone(), shapes.clone(), SymbolicShape::unknown_rank());
        if let Some(axis) = blocks::wrong(meaning, &shapes).and_then(|_| blocks::only_axis(meaning, &shapes)) {
            let way = Candidate { attributes: vec![("axis", Some(Scalar::Int(axis)))], ..plain };
            return self.untried(id, way);
        }
        let forms = match ShapeFault::of(self.model, self.shapes, node).map(|fault| fault.kind) {
            Some(FaultKind::Rank(rank)) => vec![(1, flat(rank))],
            Some(_) => return None,
            None => flattened(meaning, &shapes)?,
        };
        self.untried(id, Candidate { forms, ..plain })
    }

    /// Returns a way to write a node unless it was tried in vain.
    fn untried(&self, id: NodeId, way: Candidate) -> Option<Candidate> {
        let mut of_node = self.rulings.against.keys().filter(|(node, ..)| *node == id);
        let key = way.key();
        (!of_node.any(|(_, tried, _)| *tried == key)).then_some(way)
    }

    /// Notes a node of which too little is known to write it otherwise, unless all targets read it alike anyway.
    fn leave_unknown(&mut self, id: NodeId, meaning: &Meaning, reason: String) {
        let node = self.model.node(id);
        let way =
            Candidate::unchanged(meaning.clone(), meaning.shapes(node, self.shapes), SymbolicShape::unknown_rank());
        let answers = self.answers(id, &way);
        let wrong = answers.iter().enumerate().find_map(|(at, answer)| match answer {
            Answer::Not(why) | Answer::Unknown(why) => Some((at, why)),
            _ => None,
        });
        if let Some((at, why)) = wrong {
            // The rule of blocks is another one than the rule of lists, which speaks in `reason`.
            let of_blocks = (meaning.kind == Kind::Blocks).then(|| {
                let invalid = blocks::wrong(meaning, &meaning.shapes(node, self.shapes));
                invalid.unwrap_or_else(|| format!("no equivalent form found for {}: {why}", self.judges[at].name()))
            });
            return self.leave(id, of_blocks.unwrap_or(reason));
        }
        for answer in answers {
            self.leave_unsupported(id, answer);
        }
    }

    /// Notes a node whose operator a target lacks.
    fn leave_unsupported(&mut self, node: NodeId, answer: Answer) {
        if let Answer::Unsupported(reason) = answer {
            self.fix.left.push(Left { node, reason: reason.into(), kind: LeftKind::Unsupported });
        }
    }

    /// Notes the targets that no way to write a node serves. Of what reads one operand check says nothing, and so does this.
    fn unserved(&mut self, id: NodeId, subject: &Subject<'_>, answers: &[Answer], hopeless: &[bool]) {
        if !self.meanings.get(&id).is_some_and(Meaning::broadcasts) {
            return;
        }
        for (at, answer) in answers.iter().enumerate() {
            if !hopeless[at] || !self.judges[at].is_reached() {
                continue;
            }
            let (Answer::Not(reason) | Answer::Unknown(reason)) = answer else {
                self.leave_unsupported(id, answer.clone());
                continue;
            };
            let hint = if subject.is_old() { "; upgrade the model to opset 7 first" } else { "" };
            let of_node =
                self.rulings.against.range((id, String::new(), 0)..).take_while(|((node, ..), _)| *node == id);
            let ruled = { of_node }.find(|((.., target), other)| *target == at && *other != reason);
            let ruled = ruled.map_or_else(String::new, |(_, other)| format!("; tried: {other}"));
            let text = format!("no equivalent form found for {}: {reason}{hint}{ruled}", self.judges[at].name());
            self.leave(id, text);
        }
    }

    fn answers(&self, id: NodeId, way: &Candidate) -> Vec<Answer> {
        let against = &self.rulings.against;
        let key = if against.is_empty() { String::new() } else { way.key() };
        let ruled = |at: usize| against.get(&(id, key.clone(), at)).map(|reason| Answer::Not(reason.clone()));
        let all = self.judges.iter().enumerate();
        all.map(|(at, judge)| ruled(at).unwrap_or_else(|| judge.answer(id, way))).collect()
    }

    /// Replaces a node that multiplies its negative elements with a slope by nodes that do so one by one; else notes that
    /// it should be, once the targets take it for that.
    fn decompose(&mut self, id: NodeId, subject: &Subject<'_>) -> bool {
        let fits = |way: &Candidate| {
            self.answers(id, way).iter().all(|answer| *answer == Answer::Same)
                && decompose_prelu::edits(self.model, self.shapes, id, way).is_some()
        };
        let products = subject.products();
        if let Some(way) = products.iter().find(|way| fits(way)) {
            self.taken_apart.insert(id, way.clone());
            return true;
        }
        if !products.is_empty() {
            self.wished.insert(id);
        }
        false
    }

    /// Says which two targets cannot be served together.
    fn conflict(&self, served: &[Vec<bool>], hopeless: &[bool]) -> String {
        let targets: Vec<usize> = (0..hopeless.len()).filter(|&at| !hopeless[at]).collect();
        let pairs =
            targets.iter().enumerate().flat_map(|(k, &one)| targets[k + 1..].iter().map(move |&two| (one, two)));
        let differ = |&(one, two): &(usize, usize)| !served.iter().any(|row| row[one] && row[two]);
        if let Some((one, two)) = { pairs }.find(differ) {
            let (one, two) = (self.judges[one].name(), self.judges[two].name());
            return format!("no single form works for both {one} and {two}; make a model for each");
        }
        let names: Vec<_> = targets.iter().map(|&at| self.judges[at].name()).collect();
        format!("no single form works for all of {}; make a model for each", names.join(", "))
    }

    /// Gives a constant that several nodes read one shape, where all of them take it.
    fn share(&mut self) {
        let uses = self.model.uses();
        for value in self.shared() {
            let readers = uses.of(value);
            let Some(own) = self.model.value(value).constant.as_ref().map(|constant| constant.shape.clone()) else {
                continue;
            };
            let mut shapes: Vec<(usize, Vec<usize>)> = Vec::new();
            for at in readers {
                let Some(shape) = self.wanted(*at, &own) else { continue };
                match shapes.iter_mut().find(|(_, other)| *other == shape) {
                    Some((count, _)) => *count += 1,
                    None => shapes.push((1, shape)),
                }
            }
            shapes.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
            for (_, shape) in shapes {
                let takers: Option<Vec<(NodeId, Candidate)>> =
                    readers.iter().map(|at| self.taking(*at, &own, &shape)).collect();
                if let Some(takers) = takers {
                    self.chosen.extend(takers);
                    break;
                }
            }
        }
    }

    /// Lists the constants that chosen ways change and that have several readers.
    fn shared(&self) -> Vec<ValueId> {
        let inputs = self.chosen.iter().flat_map(|(id, way)| way.forms.iter().map(move |(input, _)| (*id, *input)));
        let values = inputs.filter_map(|(id, input)| self.model.node(id).input(input));
        let mut values: Vec<_> = values.filter(|value| self.model.value(*value).constant.is_some()).collect();
        values.sort();
        values.dedup();
        values
    }

    /// Returns the shape that a reader of a constant wants, if not its own.
    fn wanted(&self, at: Use, own: &[usize]) -> Option<Vec<usize>> {
        let way = self.chosen.get(&at.node)?;
        let (_, form) = way.forms.iter().find(|(input, _)| *input == at.input)?;
        form.of(own)
    }

    /// Returns the way for a reader in which a constant has this shape, if all targets take that.
    fn taking(&self, at: Use, own: &[usize], shape: &[usize]) -> Option<(NodeId, Candidate)> {
        if self.wanted(at, own).as_deref() == Some(shape) {
            return Some((at.node, self.chosen.get(&at.node)?.clone()));
        }
        if self.rulings.frozen.contains_key(&at.node) {
            return None;
        }
        let meaning = self.meanings.get(&at.node)?;
        let meant = self.meant(at.node, meaning);
        let subject = Subject::new((self.model, self.shapes), self.inferences, at.node, (meaning, &meant)).ok()?;
        let base = self.chosen.get(&at.node).cloned().unwrap_or_else(|| subject.plain());
        let way = subject.again(&base, at.input, Form::Axes(ones(own, shape)?))?;
        let same = self.answers(at.node, &way).into_iter().all(|answer| answer == Answer::Same);
        same.then_some((at.node, way))
    }

    /// Turns the chosen ways into changes.
    fn finish(mut self) -> Plan {
        let served = |id: NodeId, way: &Candidate| -> Vec<bool> {
            self.answers(id, way).iter().map(|answer| *answer == Answer::Same).collect()
        };
        let chosen = self.chosen.iter().filter(|(_, way)| !way.is_plain());
        let ways = chosen.chain(&self.taken_apart).map(|(&id, way)| (id, (way.key(), served(id, way)))).collect();
        let (mut wants, mut last) = (Vec::new(), Vec::new());
        for (&node, way) in &self.chosen {
            for (input, form) in &way.forms {
                let at = Use { node, input: *input };
                let copied = if form.copies() { stretched(self.model, self.shapes, at) } else { Copied::default() };
                wants.push(Want { at, form: form.clone(), copied });
            }
            for (edit, step) in edits_in_place(self.model, node, way) {
                self.fix.edits.push(edit);
                self.fix.steps.push(step);
            }
            if let Some(shape) = &way.back {
                let text = format!("reshape the result back to {}", super::emit_edits::Dims(shape));
                last.push(Step { node, text, copied: Copied::default() });
                self.fix.edits.push(Edit::ReshapeResult { node, shape: shape.clone() });
            }
        }
        for (&node, way) in &self.taken_apart {
            let Some((edits, step)) = decompose_prelu::edits(self.model, self.shapes, node, way) else { continue };
            self.fix.edits.extend(edits);
            self.fix.steps.push(step);
        }
        let (edits, steps) = emit_edits(self.model, &wants);
        self.fix.edits.extend(edits);
        self.fix.steps.extend(steps);
        self.fix.steps.extend(last);
        self.fix.steps.sort_by_key(|step| step.node);
        self.explain();
        Plan { fix: self.fix, ways }
    }
}

impl Planner<'_> {
    /// Adds to the last step of a node that is meant otherwise than it is written what it is meant as.
    fn explain(&mut self) {
        let mut later = None;
        let meant: Vec<bool> =
            self.fix.steps.iter().map(|step| matches!(self.intended(step.node), Some(Intended::Rule(_)))).collect();
        for (step, meant) in self.fix.steps.iter_mut().zip(meant).rev() {
            if meant && later != Some(step.node) {
                step.text += ": one number per channel";
            }
            later = Some(step.node);
        }
    }
}

/// Lists the changes of a node itself, which copy nothing: its inputs swapped, its branches exchanged, other attributes.
fn edits_in_place(model: &Model, node: NodeId, way: &Candidate) -> Vec<(Edit, Step)> {
    let mut edits = Vec::new();
    if let Some(op) = &way.swap {
        let step = Step { node, text: format!("swap the inputs of {op}"), copied: Copied::default() };
        edits.push((Edit::Swap { node, op: op.clone() }, step));
    }
    if way.negated {
        edits.extend(exchange_branches::edits(model, node));
    }
    for (name, value) in &way.attributes {
        let text = match value {
            Some(value) => format!("set {name} to {value}"),
            None => format!("remove {name}"),
        };
        let edit = Edit::Attribute { node, name: (*name).to_string(), value: value.clone() };
        edits.push((edit, Step { node, text, copied: Copied::default() }));
    }
    edits
}

/// Counts an input that is stretched to the shape of its node's result.
fn stretched(model: &Model, shapes: &Shapes, at: Use) -> Copied {
    let known = |value: Option<ValueId>| value.and_then(|value| shapes.of.get(value.0 as usize));
    let node = model.node(at.node);
    let each = element_size(known(node.input(at.input)).and_then(|input| input.element.as_ref()));
    let result = known(node.output(0)).and_then(|result| result.shape.dims());
    result.map_or_else(Copied::default, |dims| Copied::array(each, dims))
}

/// Returns where axes of 1 go into `own` to make `shape` of it.
fn ones(own: &[usize], shape: &[usize]) -> Option<Vec<usize>> {
    let mut rest = own.iter().peekable();
    let mut axes = Vec::new();
    for (at, &dim) in shape.iter().enumerate() {
        let spare = shape.len() - at > rest.len();
        match rest.peek() {
            Some(&&next) if next == dim && !(dim == 1 && spare) => drop(rest.next()),
            _ if dim == 1 && spare => axes.push(at),
            _ => return None,
        }
    }
    rest.next().is_none().then_some(axes)
}
