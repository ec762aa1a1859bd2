//! Reduces nodes that an engine computes wrongly together to the fewest that still show it.
//!
//! Values inside are cut one after the other (delta debugging: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
//! input", 2002). A value that is cut is also looked at, so that the place where a wrong value first shows moves towards its cause,
//! and what does not lead there is left out.

use std::collections::BTreeSet;

use super::{
    super::run::Tensor,
    bench::{NodeSet, PartRunner, Ran},
    gap::{Discrepancy, Tolerance, gap},
    own,
};
use crate::{
    error::Error,
    graph::{NodeId, ValueId},
};

/// The most models that are run for one fault.
const MOST_RUNS: usize = 60;

/// Nodes that show a fault, and where.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reduced {
    /// The nodes, in the order of the graph.
    pub(super) nodes: Vec<NodeId>,
    /// The values between them, which are not looked at.
    pub(super) hidden: BTreeSet<ValueId>,
    /// What is wrong.
    pub(super) value: ValueId,
    pub(super) shown: Symptom,
}

/// How a fault shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Symptom {
    /// A wrong value: how, and what the engine gives.
    Wrong(Discrepancy, Tensor),
    /// The engine refuses the nodes.
    Refused(String),
}

/// Reduces a group of nodes of which an output is wrong, or that is refused; nothing where the group alone does not show it.
///
/// # Errors
/// When the engine does not start.
pub(super) fn reduce(
    bench: &mut PartRunner<'_>,
    group: &NodeSet,
    cuts: &BTreeSet<ValueId>,
) -> Result<Option<Reduced>, Error> {
    let (runs, tolerance) = (bench.runs, own::tolerance(bench, &group.nodes));
    let mut state = State { bench, nodes: group.nodes.clone(), pinned: cuts.clone(), tolerance, joined: Vec::new() };
    let inner = state.inner(&group.outputs);
    let mut found = state.shows(&inner)?;
    if found.is_none() {
        // What is looked at and read inside is not cut then.
        state.joined.clone_from(&group.outputs);
        found = state.shows(&inner)?;
    }
    let Some(mut found) = found else { return Ok(None) };
    let (mut hidden, mut parts) = (state.before(&inner, &found), 2);
    while hidden.len() > 1 && state.bench.runs < runs + MOST_RUNS && !state.bench.is_late() {
        match state.first_that_shows(subsets(&hidden, parts))? {
            Some((kept, shown)) => (hidden, found, parts) = (kept, shown, 2),
            None if parts < hidden.len() => parts = (2 * parts).min(hidden.len()),
            None => break,
        }
    }
    if hidden.len() == 1
        && let Some(shown) = state.shows(&BTreeSet::new())?
    {
        (hidden, found) = (BTreeSet::new(), shown);
    }
    let nodes = state.taking_part(&hidden, &found);
    Ok(Some(Reduced { nodes, hidden, value: found.value, shown: found.shown }))
}

/// Cuts values into parts: lists each part alone, and then, of more than two, all values without that part.
fn subsets(values: &BTreeSet<ValueId>, parts: usize) -> Vec<BTreeSet<ValueId>> {
    let all: Vec<ValueId> = values.iter().copied().collect();
    let alone: Vec<BTreeSet<ValueId>> =
        all.chunks(all.len().div_ceil(parts)).map(|chunk| chunk.iter().copied().collect()).collect();
    let without: Vec<BTreeSet<ValueId>> = alone.iter().map(|part| values - part).collect();
    if parts == 2 { alone } else { [alone, without].concat() }
}

/// Where a fault shows.
#[derive(Clone, Debug)]
struct FirstWrong {
    value: ValueId,
    shown: Symptom,
}

struct State<'b, 'a> {
    bench: &'b mut PartRunner<'a>,
    nodes: Vec<NodeId>,
    /// What is cut in any case, and not compared: what nodes at fault give.
    pinned: BTreeSet<ValueId>,
    tolerance: Tolerance,
    /// Outputs that are not cut.
    joined: Vec<ValueId>,
}

impl State<'_, '_> {
    /// Lists the values that nodes of the group make and read, and that are not looked at.
    fn inner(&self, outputs: &[ValueId]) -> BTreeSet<ValueId> {
        let read: BTreeSet<ValueId> =
            self.nodes.iter().flat_map(|&node| self.bench.reads(node).iter().copied()).collect();
        let made = self.nodes.iter().flat_map(|&node| self.bench.model.node(node).outputs.iter().flatten().copied());
        let inner =
            made.filter(|value| read.contains(value) && !self.pinned.contains(value) && !outputs.contains(value));
        inner.filter(|&value| self.bench.producer(value).is_some() && !self.bench.is_folded(value)).collect()
    }

    /// Finds the first of these sets that shows the fault when its values are hidden: those that still matter, and where it shows.
    fn first_that_shows(
        &mut self,
        sets: Vec<BTreeSet<ValueId>>,
    ) -> Result<Option<(BTreeSet<ValueId>, FirstWrong)>, Error> {
        for hidden in sets {
            if let Some(shown) = self.shows(&hidden)? {
                return Ok(Some((self.before(&hidden, &shown), shown)));
            }
        }
        Ok(None)
    }

    /// Runs the nodes with these values hidden, and all others cut; returns the first value that is wrong.
    fn shows(&mut self, hidden: &BTreeSet<ValueId>) -> Result<Option<FirstWrong>, Error> {
        let mut cuts = self.pinned.clone();
        let mut looked: Vec<ValueId> = Vec::new();
        for &node in &self.nodes {
            for &value in self.bench.model.node(node).outputs.iter().flatten() {
                if hidden.contains(&value) || self.bench.producer(value).is_none() || self.bench.is_folded(value) {
                    continue;
                }
                if !self.joined.contains(&value) {
                    cuts.insert(value);
                }
                if !self.pinned.contains(&value) && self.bench.value(value).is_some() {
                    looked.push(value);
                }
            }
        }
        let Some(part) = self.bench.part(&self.nodes, &cuts, &looked) else { return Ok(None) };
        match self.bench.run(&part)? {
            Ran::Values(values) => {
                let wrong = looked.iter().zip(&values).find_map(|(&value, got)| {
                    let gap = gap(self.bench.value(value)?, got, self.tolerance)?;
                    Some(FirstWrong { value, shown: Symptom::Wrong(gap, got.clone()) })
                });
                Ok(wrong)
            }
            Ran::Refused(why) => Ok(looked.last().map(|&value| FirstWrong { value, shown: Symptom::Refused(why) })),
            Ran::Unknown(_) => Ok(None),
        }
    }

    /// Keeps the hidden values that lead to the value where the fault shows; all, where the engine refuses the nodes.
    fn before(&self, hidden: &BTreeSet<ValueId>, found: &FirstWrong) -> BTreeSet<ValueId> {
        if matches!(found.shown, Symptom::Refused(_)) {
            return hidden.clone();
        }
        let (mut kept, mut stack) = (BTreeSet::new(), vec![found.value]);
        while let Some(value) = stack.pop() {
            let Some(node) = self.bench.producer(value) else { continue };
            let next = self.bench.reads(node).iter().copied().filter(|read| hidden.contains(read));
            stack.extend(next.filter(|&read| kept.insert(read)));
        }
        kept
    }

    /// Lists the nodes that make a wrong value through hidden ones; of a refusal, all that make or read one.
    fn taking_part(&self, hidden: &BTreeSet<ValueId>, found: &FirstWrong) -> Vec<NodeId> {
        let makes = |value: &ValueId| self.bench.producer(*value);
        let mut nodes: BTreeSet<NodeId> = hidden.iter().chain([&found.value]).filter_map(makes).collect();
        if matches!(found.shown, Symptom::Refused(_)) && !hidden.is_empty() {
            let reads = |node: &&NodeId| self.bench.reads(**node).iter().any(|value| hidden.contains(value));
            nodes = hidden.iter().filter_map(makes).chain(self.nodes.iter().filter(reads).copied()).collect();
        }
        let mut nodes: Vec<NodeId> = nodes.into_iter().filter(|node| self.nodes.contains(node)).collect();
        nodes.sort_by_key(|&node| self.bench.place(node));
        nodes
    }
}
