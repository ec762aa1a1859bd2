//! Checks a fixed model: writes it and reads it again in memory, and checks every node.
//!
//! A plan is made node by node, by what is known of the model before. What it does to the graph may undo it: a reshape
//! that a target cannot load, a batch that moves, a layer that the format cannot write. So a plan is only a proposal. The
//! fixed model is checked as any other; where a way to write a node does not do what was promised, the planner is told so
//! and makes another plan. What still has a finding in the end is left, with the reason.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use super::{
    Fix, Left, LeftKind, judge,
    planner::{self, Plan, Rulings},
};
use crate::{
    check::{Finding, Report, Verdict, check_each},
    error::{Error, ErrorKind},
    format,
    graph::{GraphId, Model, NodeId},
    infer::{Inferences, Shapes, given, infer},
    meaning::{Intent, doubtful, intended, meaning},
    profiles::{Reach, Target},
};

/// How many plans are made before every remaining node is left unchanged, and how many after that.
const PLANS: usize = 8;
const LAST: usize = 3;
/// Why it is asked what a node means.
const LIKE_SLOPES: &str = "other slopes of this model have one number per channel";

/// What is to be fixed.
struct Judgement<'a> {
    model: &'a Model,
    shapes: &'a Shapes,
    targets: &'a [Target],
    /// What the caller knows.
    intent: Intent,
    /// The worst that each target does with each node, before.
    before: Found,
    /// Nodes that stay as they are, since it is asked what they mean, each with how the caller chooses.
    doubtful: BTreeMap<NodeId, String>,
    inferences: Inferences,
}

/// The findings on nodes that are not the same, by node and number of the target.
pub(super) type Found = BTreeMap<(NodeId, usize), Problem>;

/// A verdict other than `same`, as far as it matters here.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    kind: LeftKind,
    reason: String,
}

/// Makes a plan that holds when the fixed model is judged as a whole; `before` is what was found in the model, where it is known.
pub(super) fn hold(
    (model, shapes): (&Model, &Shapes),
    targets: &[Target],
    intent: Intent,
    before: Option<Found>,
) -> Result<Fix, Error> {
    let case = Judgement::new((model, shapes), targets, intent, before);
    let mut rulings = Rulings::default();
    for _ in 0..PLANS {
        let Some((fix, again)) = case.settle(&mut rulings)? else { continue };
        // What a second run would change was not written well enough by the first.
        if !case.unsettled(again, &mut rulings)? {
            let left = case.likes(&fix);
            return Ok(Fix { left: [fix.left, left].concat(), ..fix });
        }
    }
    Ok(case.as_it_is(&Plan { fix: Fix::default(), ways: BTreeMap::new() }))
}

/// A fixed model that is read again, and what was planned for it.
struct Again {
    model: Model,
    shapes: Shapes,
    found: Found,
    plan: Plan,
}

impl<'a> Judgement<'a> {
    fn new(
        (model, shapes): (&'a Model, &'a Shapes),
        targets: &'a [Target],
        intent: Intent,
        before: Option<Found>,
    ) -> Self {
        let before = before.unwrap_or_else(|| found(model, shapes, targets, |id| vec![id]));
        let doubtful = doubtful(model, shapes, intent);
        Self { model, shapes, targets, intent, before, doubtful, inferences: Inferences::default() }
    }

    fn plan(&self, rulings: &Rulings) -> Plan {
        let unreached = self.unreached();
        let reached = self.before.keys().filter(|(_, at)| unreached[*at].is_none());
        let mut nodes: BTreeSet<NodeId> = reached.map(|(id, _)| *id).collect();
        nodes.extend(intended(self.model, self.shapes, self.intent).into_keys());
        let bench = |decomposed: &BTreeSet<NodeId>| judge::judges(self.model, self.shapes, self.targets, decomposed);
        let mut rulings = rulings.clone();
        rulings.frozen.extend(self.doubtful.keys().map(|id| (*id, LIKE_SLOPES.to_owned())));
        planner::plan((self.model, self.shapes, &self.inferences, self.intent), &bench, Some(&nodes), &rulings)
    }

    /// Asks about lists that may have one number per channel in a model where others have, since only with them no other reading fits.
    fn likes(&self, fix: &Fix) -> Vec<Left> {
        let is_changed = |id: &NodeId| fix.steps.iter().any(|step| step.node == *id);
        if self.intent == Intent::Channels || !intended(self.model, self.shapes, self.intent).keys().any(is_changed) {
            return Vec::new();
        }
        let unsaid = self.doubtful.iter().filter(|(id, _)| fix.left.iter().all(|left| left.node != **id));
        let left = |(id, how): (&NodeId, &String)| Left {
            node: *id,
            reason: format!("{LIKE_SLOPES}; {how}").into(),
            kind: LeftKind::Finding,
        };
        unsaid.map(left).collect()
    }

    /// Plans until a plan does what it says; nothing where that took too many plans.
    fn settle(&self, rulings: &mut Rulings) -> Result<Option<(Fix, Option<Again>)>, Error> {
        for round in 0..PLANS + LAST {
            let plan = self.plan(rulings);
            if plan.fix.edits.is_empty() {
                return Ok(Some((self.as_it_is(&plan), None)));
            }
            let freeze = round >= PLANS;
            match self.again(plan)? {
                Err((plan, refused)) => self.refuse(&plan, &refused, rulings),
                Ok(again) => {
                    if !self.object(&again, freeze, rulings) {
                        return Ok(Some((self.finished(&again), Some(again))));
                    }
                }
            }
            if round + 1 == PLANS + LAST - 1 {
                let reason = "no changes found that work in the whole model".to_string();
                let nodes = self.before.keys().map(|(id, _)| *id);
                rulings.frozen.extend(nodes.map(|id| (id, reason.clone())));
            }
        }
        Ok(None)
    }

    /// Makes the changes and judges the result; gives back the plan and the changes that the format cannot make.
    #[allow(clippy::type_complexity)]
    fn again(&self, plan: Plan) -> Result<Result<Again, (Plan, Vec<(NodeId, String)>)>, Error> {
        let written = match format::write(self.model, &plan.fix.edits) {
            Ok(written) => written,
            Err(error) if error.kind() == ErrorKind::Edit => {
                let refused = self.culprits(&plan, &error);
                return Ok(Err((plan, refused)));
            }
            Err(error) => return Err(error),
        };
        let model = match format::changed(self.model, &written) {
            Ok(model) => model,
            Err(error) => {
                let refused = plan.ways.keys().map(|id| (*id, error.to_string())).collect();
                return Ok(Err((plan, refused)));
            }
        };
        let shapes = match infer(&model, &given(self.model, self.shapes)) {
            Ok(shapes) => shapes,
            Err(error) => {
                let refused = plan.ways.keys().map(|id| (*id, error.to_string())).collect();
                return Ok(Err((plan, refused)));
            }
        };
        let mut origins = Origins::new(self.model, &model);
        let mut found = found(&model, &shapes, self.targets, |id| origins.of(id));
        for (at, target) in self.targets.iter().enumerate() {
            for (id, reason) in target.refused_reshapes(&model, &shapes) {
                for old in origins.of_added(id) {
                    found.insert((old, at), Problem { kind: LeftKind::Finding, reason: reason.clone() });
                }
            }
        }
        Ok(Ok(Again { model, shapes, found, plan }))
    }

    /// Finds the nodes whose changes a format cannot make.
    fn culprits(&self, plan: &Plan, error: &Error) -> Vec<(NodeId, String)> {
        let edits = &plan.fix.edits;
        let mut refused: Vec<(NodeId, String)> = Vec::new();
        let uses = self.model.uses();
        for (at, reason) in error.edits() {
            let nodes = edits.get(*at).map_or_else(Vec::new, |edit| edit.nodes(&uses));
            refused.extend(nodes.into_iter().map(|id| (id, reason.clone())));
        }
        refused.retain(|(id, _)| plan.ways.contains_key(id));
        if refused.is_empty() {
            // It came out only when the file was put together: each node's changes are tried alone.
            for &id in plan.ways.keys() {
                let alone = edits.iter().filter(|edit| edit.nodes(&uses).contains(&id)).cloned();
                if let Err(error) = format::write(self.model, &alone.collect::<Vec<_>>()) {
                    refused.push((id, error.message().to_string()));
                }
            }
        }
        if refused.is_empty() {
            refused.extend(plan.ways.keys().map(|id| (*id, error.message().to_string())));
        }
        refused
    }

    /// Rules against the ways of nodes that cannot be written.
    fn refuse(&self, plan: &Plan, refused: &[(NodeId, String)], rulings: &mut Rulings) {
        for (id, reason) in refused {
            let Some((key, _)) = plan.ways.get(id) else { continue };
            let reason = format!("the format {} cannot express it: {reason}", self.model.format);
            for target in 0..self.targets.len() {
                rulings.against.insert((*id, key.clone(), target), reason.clone());
            }
        }
    }

    /// Rules against ways that do not do what was planned; says whether there was one.
    fn object(&self, again: &Again, freeze: bool, rulings: &mut Rulings) -> bool {
        let mut objected = false;
        let mut nearest: Option<Vec<Option<NodeId>>> = None;
        for ((id, target), finding) in &again.found {
            let worse = self
                .before
                .get(&(*id, *target))
                .is_none_or(|before| finding.kind != LeftKind::Unknown && before.kind == LeftKind::Unknown);
            let id = match again.plan.ways.get(id) {
                Some((_, served)) if served[*target] || worse => *id,
                // A change near by is at fault.
                None if worse => {
                    let near = nearest.get_or_insert_with(|| self.nearest(&again.plan));
                    let Some(near) = near.get(id.0 as usize).copied().flatten() else { continue };
                    near
                }
                _ => continue,
            };
            let Some((key, served)) = again.plan.ways.get(&id) else { continue };
            objected = true;
            if freeze || !served[*target] {
                rulings.frozen.insert(id, finding.reason.clone());
            } else {
                rulings.against.insert((id, key.clone(), *target), finding.reason.clone());
            }
        }
        objected
    }

    /// Finds the changed node that is nearest to each node.
    fn nearest(&self, plan: &Plan) -> Vec<Option<NodeId>> {
        let uses = self.model.uses();
        let mut nearest: Vec<Option<NodeId>> = vec![None; self.model.nodes.len()];
        let mut queue: VecDeque<NodeId> = plan.ways.keys().copied().collect();
        plan.ways.keys().for_each(|id| nearest[id.0 as usize] = Some(*id));
        while let Some(id) = queue.pop_front() {
            let node = self.model.node(id);
            let behind = node.outputs.iter().flatten().flat_map(|value| uses.of(*value).iter().map(|at| at.node));
            let ahead = node.inputs.iter().flatten().filter_map(|value| Some(self.model.value(*value).producer?.0));
            for next in behind.chain(ahead) {
                if nearest[next.0 as usize].is_none() {
                    nearest[next.0 as usize] = nearest[id.0 as usize];
                    queue.push_back(next);
                }
            }
        }
        nearest
    }

    /// Rules against ways of which a second run would make others; says whether there was one.
    fn unsettled(&self, again: Option<Again>, rulings: &mut Rulings) -> Result<bool, Error> {
        let Some(again) = again.filter(|again| !again.found.is_empty()) else { return Ok(false) };
        let case = Judgement::new((&again.model, &again.shapes), self.targets, self.intent, None);
        let Some((_, Some(second))) = case.settle(&mut Rulings::default())? else { return Ok(false) };
        let mut origins = Origins::new(self.model, &again.model);
        let changed: BTreeSet<NodeId> = second.plan.ways.keys().flat_map(|id| origins.of(*id)).collect();
        let near = self.nearest(&again.plan);
        let mut objected = false;
        for id in changed {
            let Some(id) = near.get(id.0 as usize).copied().flatten() else { continue };
            let Some((key, served)) = again.plan.ways.get(&id) else { continue };
            objected = true;
            let reason = "its changes would need further changes".to_string();
            for target in 0..self.targets.len() {
                rulings.against.insert((id, key.clone(), target), reason.clone());
            }
            if served.iter().all(|served| !served) {
                rulings.frozen.insert(id, reason);
            }
        }
        Ok(objected)
    }

    /// Makes the result of a plan that changes nothing.
    fn as_it_is(&self, plan: &Plan) -> Fix {
        self.with_left(plan.fix.clone(), &self.before)
    }

    fn finished(&self, again: &Again) -> Fix {
        self.with_left(again.plan.fix.clone(), &again.found)
    }

    /// Lists as left what has a finding, for the planner's reason where it has one.
    fn with_left(&self, mut fix: Fix, found: &Found) -> Fix {
        let meant: BTreeSet<NodeId> = found.keys().map(|(id, _)| *id).collect();
        let unsaid = |id: NodeId| {
            let broadcasts = meaning(self.model, id);
            broadcasts.is_none_or(|meaning| meaning.is_ok_and(|meaning| !meaning.broadcasts()))
        };
        fix.left.retain(|left| meant.contains(&left.node) || unsaid(left.node));
        // What the planner could not write otherwise need not be wrong.
        for left in fix.left.iter_mut().filter(|left| left.kind == LeftKind::Finding) {
            let of_node = found.range((left.node, 0)..=(left.node, usize::MAX)).map(|(_, problem)| problem.kind);
            left.kind = of_node.min().unwrap_or(left.kind);
        }
        let known: BTreeSet<NodeId> = fix.left.iter().map(|left| left.node).collect();
        let unreached = self.unreached();
        for ((id, at), finding) in found {
            if let Some(reason) = &unreached[*at] {
                fix.left.push(Left { node: *id, reason: reason.clone(), kind: finding.kind });
                continue;
            }
            if known.contains(id) {
                continue;
            }
            let was_unknown = self.before.get(&(*id, *at)).is_some_and(|before| before.kind == LeftKind::Unknown);
            if finding.kind != LeftKind::Unknown || !was_unknown {
                let reason = format!("no equivalent form found for {}: {}", self.targets[*at], finding.reason);
                fix.left.push(Left { node: *id, reason: reason.into(), kind: finding.kind });
            }
        }
        fix.left.sort_by_key(|left| left.node);
        let names: Vec<Arc<str>> = self.targets.iter().map(|target| target.to_string().into()).collect();
        fix.remains = found.keys().map(|&(id, at)| (id, names[at].clone())).collect();
        fix
    }

    /// Says of each target why nothing can be said about a model in this format, if so.
    fn unreached(&self) -> Vec<Option<Arc<str>>> {
        let said = |target: &Target| match target.reach(self.model.format) {
            Reach::Unreached(said) => Some(said.into()),
            Reach::Read | Reach::Assumed(_) => None,
        };
        self.targets.iter().map(said).collect()
    }
}

/// Gathers the findings of a report for all its targets, or for the one of this number alone.
pub(super) fn found_for(report: &Report, targets: usize, only: Option<usize>) -> Found {
    let mut found = Found::new();
    for (at, finding) in report.findings.iter().enumerate() {
        if only.is_none_or(|only| only == at % targets) {
            let target = if only.is_some() { 0 } else { at % targets };
            add(&mut found, (target, finding), |id| vec![id]);
        }
    }
    found
}

/// Checks a model, and gathers the findings by the nodes that they are about. A report of all nodes is never held.
fn found(model: &Model, shapes: &Shapes, targets: &[Target], mut nodes: impl FnMut(NodeId) -> Vec<NodeId>) -> Found {
    let mut found = Found::new();
    check_each(model, shapes, targets, |findings| {
        for (target, finding) in findings.drain(..).enumerate() {
            add(&mut found, (target, &finding), &mut nodes);
        }
    });
    found
}

/// Adds a finding for the target of this number to the nodes that it is about.
fn add(found: &mut Found, (target, finding): (usize, &Finding), mut nodes: impl FnMut(NodeId) -> Vec<NodeId>) {
    let kind = match finding.verdict {
        Verdict::Same => return,
        Verdict::Unknown => LeftKind::Unknown,
        Verdict::Unsupported => LeftKind::Unsupported,
        _ => LeftKind::Finding,
    };
    let reason = match &finding.verdict {
        Verdict::Guarded(condition) => format!("it is the same only if {condition}"),
        _ => finding.reason.clone(),
    };
    for id in nodes(finding.node) {
        let of = || Problem { kind, reason: reason.clone() };
        let entry = found.entry((id, target)).or_insert_with(of);
        if kind != LeftKind::Unknown && entry.kind == LeftKind::Unknown {
            *entry = of();
        }
    }
}

/// Which nodes of the model before the nodes of a changed one are, or belong to.
struct Origins<'a> {
    before: &'a Model,
    after: &'a Model,
    /// The nodes before by the graph and the name of their results.
    named: BTreeMap<(GraphId, &'a str), NodeId>,
    uses: crate::graph::Uses,
}

impl<'a> Origins<'a> {
    fn new(before: &'a Model, after: &'a Model) -> Self {
        let mut named = BTreeMap::new();
        for value in &before.values {
            if let Some((node, _)) = value.producer {
                named.insert((value.graph, value.name.as_str()), node);
            }
        }
        Self { before, after, named, uses: after.uses() }
    }

    fn own(&self, id: NodeId) -> Option<NodeId> {
        let mut outputs = self.after.node(id).outputs.iter().flatten().map(|value| self.after.value(*value));
        outputs.find_map(|value| self.named.get(&(value.graph, value.name.as_str())).copied())
    }

    /// Returns the node that this one was, or those for which it was added: the next behind it that were there before.
    fn of(&mut self, id: NodeId) -> Vec<NodeId> {
        let (mut found, mut seen, mut stack) = (BTreeSet::new(), BTreeSet::new(), vec![id]);
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Some(old) = self.own(id) {
                found.insert(old);
                continue;
            }
            let outputs = self.after.node(id).outputs.iter().flatten();
            stack.extend(outputs.flat_map(|value| self.uses.of(*value).iter().map(|at| at.node)));
        }
        found.into_iter().collect()
    }

    /// As [`Origins::of`], for a node that was added; nothing for one that was there before, doing the same.
    fn of_added(&mut self, id: NodeId) -> Vec<NodeId> {
        match self.own(id) {
            Some(old) if self.before.node(old).op == self.after.node(id).op => vec![],
            _ => self.of(id),
        }
    }
}
