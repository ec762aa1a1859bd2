//! Gathers the facts about the graph that the laws of a profile use.

use std::cell::Cell;

use broadaxe_frameworks::Role;
use broadaxe_shape::SymbolicShape;

use super::{
    Target,
    folded::folded,
    groups::{Grouping, Groupings},
    pnnx::Batches,
};
use crate::{
    graph::{Model, Node, Use, Uses, ValueId},
    infer::{Inferences, Origin, Shapes, infer},
    meaning::{self, Meaning, Source},
};

/// What is known of a model's values that profiles ask for.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    batches: Batches,
    groupings: Groupings,
    folded: Vec<bool>,
    uses: Uses,
    outputs: Vec<bool>,
    loose: Option<Shapes>,
    quantised: bool,
    /// The roles of the model's nodes, a bit each.
    roles: u128,
    inferences: Inferences,
    /// Whether a law has read the sizes of operands since this was set to no.
    pub(crate) sizes_are_read: Cell<bool>,
}

/// What is known of a node's operands that profiles ask for.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Which operands are constants, or depend on nothing else.
    pub constants: Vec<bool>,
    /// The axis of each that pnnx treats as the batch.
    pub batches: Vec<Option<usize>>,
}

impl Facts {
    /// Gathers what these targets ask for.
    pub fn of(model: &Model, shapes: &Shapes, targets: &[Target]) -> Self {
        let uses = model.uses();
        let (folded, loose, inferences) = (folded(model, shapes), loose(model, shapes), Inferences::default());
        let asks = targets.iter().any(|target| target.profile().follows_batches);
        let batches = if asks { Batches::of(model, shapes, &uses, &folded) } else { Batches::default() };
        let follow = targets.iter().find_map(|target| target.profile().follow_groups);
        let groupings = follow.map_or_else(Groupings::default, |follow| follow(model, shapes, &uses, &folded));
        let mut outputs = vec![false; model.values.len()];
        for value in model.graphs.iter().flat_map(|graph| &graph.outputs) {
            outputs[value.0 as usize] = true;
        }
        let quantises = |node: &Node| matches!(meaning::role(model, node), Some(Role::Quantize | Role::FakeQuantize));
        let quantised = model.nodes.iter().any(quantises);
        // Lists may be computed as sums of two operands.
        let sums = |node: &Node| if matches!(node.op.as_str(), "Sum" | "Mean") { bit(Role::Add) } else { 0 };
        let own = |node: &Node| meaning::role(model, node).map_or(0, bit) | sums(node);
        let roles = model.nodes.iter().fold(0, |all, node| all | own(node));
        Self {
            batches,
            groupings,
            folded,
            uses,
            outputs,
            loose,
            quantised,
            roles,
            inferences,
            sizes_are_read: Cell::default(),
        }
    }

    /// Returns what rules make of symbolic shapes, each found once.
    pub(crate) fn inferences(&self) -> &Inferences {
        &self.inferences
    }

    /// Says whether the model quantises a tensor.
    pub fn is_quantised(&self) -> bool {
        self.quantised
    }

    /// Says whether the model has nodes of all these roles, a bit each.
    pub(super) fn has(&self, roles: u128) -> bool {
        self.roles & roles == roles
    }

    /// Returns the shape of a value as the file leaves it, where the caller gave sizes for what is open there.
    pub fn in_file(&self, value: ValueId) -> Option<&SymbolicShape> {
        self.loose.as_ref()?.of.get(value.0 as usize).map(|known| &known.shape)
    }

    /// Lists where a value is read.
    pub fn readers(&self, value: ValueId) -> &[Use] {
        self.uses.of(value)
    }

    /// Says whether a value is an output of its graph.
    pub fn is_output(&self, value: ValueId) -> bool {
        self.outputs.get(value.0 as usize).copied().unwrap_or(false)
    }

    /// Says whether a value is a constant, or depends on nothing else.
    pub fn is_constant(&self, value: ValueId) -> bool {
        self.folded.get(value.0 as usize).copied().unwrap_or(false)
    }

    /// Says whether pnnx treats an axis of a value as the batch, of whatever rank it is.
    pub fn has_batch(&self, value: ValueId) -> bool {
        self.batches.reaches(value)
    }

    /// Returns the axis of a value that pnnx treats as the batch.
    pub fn batch(&self, value: ValueId) -> Option<usize> {
        self.batches.get(value)
    }

    /// Says whether pnnx treats an axis as the batch that an input of the model does not have.
    pub fn has_batch_beyond(&self) -> bool {
        self.batches.is_beyond()
    }

    /// Returns the axis that ncnn's tensor of a value does not have.
    pub fn lacking(&self, value: ValueId) -> Option<usize> {
        self.batches.lacking(value)
    }

    /// Returns whether MNN has the channels of a value in groups.
    pub(super) fn grouping(&self, value: ValueId) -> Grouping {
        self.groupings.of_value(value)
    }

    /// Returns what is known of a node's operands.
    pub fn around(&self, node: &Node, meaning: &Meaning) -> Around {
        let values: Vec<Option<ValueId>> = meaning.operands.iter().map(|source| source.value(node)).collect();
        Around {
            constants: (meaning.operands.iter().zip(&values))
                .map(|(source, value)| *source != Source::Scores && value.is_none_or(|value| self.is_constant(value)))
                .collect(),
            batches: values.iter().map(|value| self.batches.get((*value)?)).collect(),
        }
    }
}

/// Returns the bit of a role.
pub(super) fn bit(role: Role) -> u128 {
    1 << role as u32
}

/// Infers the shapes that follow from the file alone, where the caller gave sizes for dims that it leaves open.
fn loose(model: &Model, shapes: &Shapes) -> Option<Shapes> {
    let is_given = |value: ValueId| {
        let given = shapes.of.get(value.0 as usize).is_some_and(|known| known.origin == Origin::Given);
        given && model.value(value).declared.as_ref().is_none_or(|shape| shape.known().is_none())
    };
    let given = model.main().inputs.iter().any(|value| is_given(*value));
    if given { infer(model, &[]).ok() } else { None }
}
