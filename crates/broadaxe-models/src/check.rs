//! What the element-wise nodes of a model mean on other runtimes: one verdict per node and target.

use broadaxe_shape::symbolic::SymbolicShape;

use crate::{
    graph::{NodeId, ValueId},
    infer::Origin,
};

/// What a check found out.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The targets asked for, as they are written on the command line.
    pub targets: Vec<String>,
    /// How many element-wise nodes were looked at.
    pub nodes: usize,
    /// How many of them have operands of unknown shape.
    pub unknown: usize,
    /// One per element-wise node and target, in the order of the file.
    pub findings: Vec<Finding>,
}

/// What one target does with one node.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The node.
    pub node: NodeId,
    /// The target, as it is written on the command line.
    pub target: String,
    /// What the target does.
    pub verdict: Verdict,
    /// The operands that broadcast.
    pub operands: Vec<Operand>,
    /// The shape of the result in the model's own format, if it is known.
    pub result: Option<SymbolicShape>,
    /// Why, in one sentence; empty for [`Verdict::Same`].
    pub reason: String,
    /// The axis of the result that the sentence is about, and the sizes of the operands on it.
    pub axis: Option<(usize, Vec<usize>)>,
    /// Where the statement about the target is from.
    pub evidence: Option<Evidence>,
    /// What would make it the same, and what that costs.
    pub repair: Option<Repair>,
}

/// What a target does with a node.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The same as the model's own format.
    Same,
    /// Something else, without a word: an element on which the two differ.
    Differs(Counterexample),
    /// It refuses the node.
    Refused,
    /// The same, refused or different depending on sizes that the model leaves open; the condition for the same.
    Guarded(String),
    /// It cannot be said; the reason is the finding's.
    Unknown,
}

impl Verdict {
    /// Returns the word for tables and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Differs(_) => "differs",
            Self::Refused => "refused",
            Self::Guarded(_) => "guarded",
            Self::Unknown => "unknown",
        }
    }
}

/// One operand of a node.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The tensor.
    pub value: ValueId,
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: SymbolicShape,
    /// Where the shape is known from.
    pub origin: Origin,
    /// Whether it is a constant.
    pub constant: bool,
}

/// An element of the result on which two meanings differ, computed by the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// The index in the result of the model's own format.
    pub element: Vec<usize>,
    /// The elements that are read there, one index per operand, in the model's own format.
    pub reads: Vec<Vec<usize>>,
    /// The same on the target; empty where the result has another shape there.
    pub target_reads: Vec<Vec<usize>>,
    /// The numbers that the operands hold at `reads`.
    pub numbers: Vec<f64>,
    /// The value in the model's own format.
    pub here: f64,
    /// The value on the target, if it has such an element.
    pub there: Option<f64>,
    /// The shape of the result on the target.
    pub target_shape: Vec<usize>,
}

/// Where a statement about a target is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// How it is known.
    pub kind: EvidenceKind,
    /// The versions it was seen in or is written for, and the document or the test that shows it.
    pub source: &'static str,
}

/// How a statement about a target is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceKind {
    /// The engine was asked by a test of this project.
    RunHere,
    /// A document, the engine's source or a thread of its developers says so.
    Documented,
}

/// What would make a node mean the same on a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// What to do, as a sentence without a subject: `reshape the constant b to (64, 1, 1)`.
    pub text: String,
    /// What it costs while the model runs: the bytes copied per run, 0 for a changed constant.
    pub bytes: u64,
}
