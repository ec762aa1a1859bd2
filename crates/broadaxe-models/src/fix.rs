//! Repairs a model: finds the changes after which it means the same on other runtimes.

mod emit_edits;
mod swap;
mod exchange_branches;
mod candidate;
mod decompose_prelu;
mod planner;
mod judge;
mod rejudge;
mod advise;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, sync::Arc};

use serde::Serialize;

use crate::{
    copied::Copied,
    edit::Edit,
    error::{Error, ErrorKind},
    graph::{Model, NodeId},
    infer::Shapes,
    profiles::Target,
};

pub use self::advise::advise;
pub(crate) use self::emit_edits::{Form, Want, emit_edits};
pub use crate::meaning::Intent;

/// The changes to a model, and the nodes that they leave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fix {
    /// The changes, to be made at once.
    pub edits: Vec<Edit>,
    /// A row for each node that is changed, or whose inputs are.
    pub steps: Vec<Step>,
    /// The nodes that no change was found for.
    pub left: Vec<Left>,
    /// What still has a verdict other than `same` in the changed model: the nodes, each with the name of the target.
    pub remains: BTreeSet<(NodeId, Arc<str>)>,
}

/// Finds the fewest changes after which every broadcasting node means the same under all targets.
///
/// A node is written in the cheapest way that its own rule and all targets read alike: constants reshaped, axes of 1
/// inserted, operands exchanged, stretched, or axes merged; a `PRelu` that a target cannot say is decomposed. Where no
/// way serves a target, the node is repaired for the others, and [`Fix::left`] says so.
///
/// The changed model is read and judged again: every node that then still has a finding is in [`Fix::left`], changes that
/// did not help are not among those returned, and a plan for the changed model changes nothing more.
///
/// # Errors
/// [`ErrorKind::Argument`] when there is no target, and what reading the model again gives.
pub fn plan(model: &Model, shapes: &Shapes, targets: &[Target]) -> Result<Fix, Error> {
    plan_as(model, shapes, targets, Intent::Unknown)
}

/// As [`plan`], where the caller says what operands mean that can be read in several ways.
///
/// # Errors
/// As [`plan`].
pub fn plan_as(model: &Model, shapes: &Shapes, targets: &[Target], intent: Intent) -> Result<Fix, Error> {
    if targets.is_empty() {
        return Err(Error::new(ErrorKind::Argument, "a fix needs a target; name one, such as openvino"));
    }
    rejudge::hold((model, shapes), targets, intent, None)
}

/// Lists the ways to write the first node that a target reads as the model means it.
#[cfg(test)]
pub(crate) fn ways(model: &Model, shapes: &Shapes, target: &Target) -> Vec<candidate::Candidate> {
    let inferences = crate::infer::Inferences::default();
    let judges = judge::judges(model, shapes, &[*target], &BTreeSet::new());
    let id = NodeId(0);
    let Some(Ok(meaning)) = crate::meaning::meaning(model, id) else { return vec![] };
    let Ok(subject) = candidate::Subject::new((model, shapes), &inferences, id, (&meaning, &meaning.rule)) else {
        return vec![];
    };
    let same = |way: &candidate::Candidate| judges[0].answer(id, way) == planner::Answer::Same;
    subject.candidates(target.profile().reads_by_rank).into_iter().filter(same).collect()
}

/// What is changed for a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The node.
    pub node: NodeId,
    /// What is changed, as a sentence without a subject: `reshape the constant b from (64,) to (64, 1, 1)`.
    pub text: String,
    /// What this copies each time the model runs: nothing for views and constants.
    pub copied: Copied,
}

/// A node that should change and does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The node.
    pub node: NodeId,
    /// Why, in one sentence that names what would have worked.
    pub reason: Arc<str>,
    /// What the node is like on a target.
    pub kind: LeftKind,
}

/// Says what a node is like that was left unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftKind {
    /// It differs, is refused, or depends on size.
    Finding,
    /// A target has no such operator, which no other way to write the node changes.
    Unsupported,
    /// It is not known what a target does with it.
    Unknown,
}
