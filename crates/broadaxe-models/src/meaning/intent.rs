//! Finds out what a list of numbers is meant for that its own rule puts elsewhere, or nowhere.
//!
//! Converters from frameworks whose `PReLU` has one number per channel write a slope of shape `(C,)`, which ONNX aligns to the
//! last axis. Such a model is wrong by its own rule unless the last axis happens to have `C` entries. Where only the channels have,
//! one reading fits, and a repair writes it. Where another axis may have them too, the caller says what is meant.

use std::{collections::BTreeMap, str::FromStr};

use broadaxe_shape::{ErrorKind as ShapeError, Rule, SymbolicShape};

use super::{Kind, Meaning, Source};
use crate::{
    error::{Error, ErrorKind},
    graph::{Model, NodeId},
    infer::Shapes,
};

/// The axis of the channels.
const CHANNEL_AXIS: usize = 1;

/// Says what the caller of a repair knows about operands that can be read in several ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Intent {
    /// Nothing: only operands with one possible reading are repaired.
    #[default]
    Unknown,
    /// A list of as many numbers as the data have channels has one number per channel.
    Channels,
}

impl FromStr for Intent {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "channels" => Ok(Self::Channels),
            _ => Err(Error::new(ErrorKind::Argument, format!("{text:?} is not an intent; the only one is channels"))),
        }
    }
}

/// What a node with a list of one number per channel is meant as.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Intended {
    /// Its operands broadcast by this rule.
    Rule(Rule),
    /// More than one reading fits.
    Asks {
        /// Says how the caller chooses.
        how: String,
        /// The condition on open sizes under which the operands broadcast by the node's own rule; nothing where they always do, or never.
        only_if: Option<String>,
    },
}

/// Lists the nodes that are meant otherwise than they are written, with the rule of what is meant.
pub(crate) fn intended(model: &Model, shapes: &Shapes, intent: Intent) -> BTreeMap<NodeId, Rule> {
    let rule = |id: NodeId| {
        let meaning = super::meaning(model, id)?.ok()?;
        match Intended::of((model, shapes), id, &meaning, intent)? {
            Intended::Rule(rule) => Some((id, rule)),
            Intended::Asks { .. } => None,
        }
    };
    model.walk().into_iter().filter_map(rule).collect()
}

/// Lists the nodes whose lists may have one number per channel too, in a model where other slopes have, each with how the caller chooses:
/// only a reading that happens to fit says otherwise.
pub(crate) fn doubtful(model: &Model, shapes: &Shapes, intent: Intent) -> BTreeMap<NodeId, String> {
    let (mut found, mut has_channels) = (BTreeMap::new(), false);
    for id in model.walk() {
        let Some(Ok(meaning)) = super::meaning(model, id) else { continue };
        match Intended::of((model, shapes), id, &meaning, intent) {
            Some(Intended::Asks { how, only_if: None }) => drop(found.insert(id, how)),
            Some(Intended::Asks { .. }) => {}
            Some(Intended::Rule(_)) => has_channels = true,
            None => has_channels |= is_along_channels(&meaning, &meaning.shapes(model.node(id), shapes)),
        }
    }
    if has_channels { found } else { BTreeMap::new() }
}

/// Says whether a slope has one number per channel by its own rule.
fn is_along_channels(meaning: &Meaning, operands: &[SymbolicShape]) -> bool {
    let [data, slope] = operands else { return false };
    let (Some(rank), Some(slope)) = (data.rank(), slope.known()) else { return false };
    let along = |(axis, size): (usize, &usize)| (rank - slope.len() + axis == CHANNEL_AXIS) == (*size != 1);
    meaning.kind == Kind::Slope && slope.len() <= rank && slope.len() + 1 >= rank && slope.iter().enumerate().all(along)
}

impl Intended {
    /// Finds what a node is meant as; nothing where it is what it says.
    pub(crate) fn of(
        (model, shapes): (&Model, &Shapes),
        id: NodeId,
        meaning: &Meaning,
        intent: Intent,
    ) -> Option<Self> {
        if !matches!(meaning.rule.name(), "unidirectional" | "numpy") {
            return None;
        }
        let operands = meaning.shapes(model.node(id), shapes);
        let list = list(meaning, &operands)?;
        let Source::Input(input) = meaning.operands[list] else { return None };
        let value = model.value(model.node(id).input(input)?);
        let (data, length) = (operands[1 - list].dims()?, operands[list].dims()?[0].size()?);
        if length < 2 || data.get(CHANNEL_AXIS)?.size() != Some(length) {
            return None;
        }
        let inferred = meaning.rule.infer(&operands);
        let is_wrong = matches!(&inferred, Err(error) if error.kind() != ShapeError::Undecided);
        let guard = inferred.ok().map(|inferred| inferred.guard().clone()).filter(|guard| !guard.is_always());
        // The bias of a sum that its own rule reads may be meant for the last axis.
        if meaning.kind != Kind::Slope && (value.constant.is_none() || !is_wrong) {
            return None;
        }
        let others = data.iter().enumerate().filter(|(axis, _)| *axis != CHANNEL_AXIS);
        let is_only = others.clone().all(|(_, dim)| dim.size() != Some(length));
        if intent == Intent::Channels || is_wrong && is_only && meaning.kind == Kind::Slope {
            return Some(Self::Rule(Rule::paddle(CHANNEL_AXIS as i64)));
        }
        let also = if is_only { "" } else { ", and another axis may have as many entries" };
        let how = format!("if {} has one number per channel, --intend channels fixes it{also}", value.name);
        Some(Self::Asks { how, only_if: guard.map(|guard| guard.to_string()) })
    }
}

/// Returns which of two operands is a list that may have one number per channel of the other.
fn list(meaning: &Meaning, operands: &[SymbolicShape]) -> Option<usize> {
    let [a, b] = operands else { return None };
    let is_list = |list: &SymbolicShape, data: &SymbolicShape| list.rank() == Some(1) && data.rank() > Some(2);
    match meaning.kind {
        Kind::Binary if is_list(a, b) => Some(0),
        Kind::Binary | Kind::Slope => is_list(b, a).then_some(1),
        _ => None,
    }
}

/// Returns the condition under which a list that may have one number per channel broadcasts by the node's own rule; nothing where it
/// always does, or never.
pub(crate) fn only_if(known: (&Model, &Shapes), id: NodeId, meaning: &Meaning) -> Option<String> {
    match Intended::of(known, id, meaning, Intent::Unknown)? {
        Intended::Asks { only_if, .. } => only_if,
        Intended::Rule(_) => None,
    }
}
