//! Describes targets as data: what a runtime does with a broadcasting node.
//!
//! A profile is a list of laws, and the first that speaks of a node holds for it: which rule the target broadcasts by,
//! or that it refuses the node. Every law says how it is known. A profile is a file under `profiles/` and its line in
//! [`PROFILES`].

mod deployment;
mod name;
mod route;
mod index_term;
mod operands;
mod condition;
mod channels;
mod affine;
mod inside;
mod opset6;
mod equal_rank;
mod neighbours;
mod quantised;
mod integer_layers;
mod contrib;
mod litert;
mod litert_gpu;
mod litert_micro;
mod ncnn;
mod folded;
mod groups;
mod pnnx;
mod facts;
mod pattern;
mod stretch;
mod none;
mod numpy;
mod onnx;
mod openvino;
mod paddle;
mod rank;
mod tosa;

mod mnn;

mod coreml;
mod ggml;
mod opencv;
mod ort_webgpu;
mod qnn;
mod rknn;
mod nncase;
mod tensorrt;
mod tnn;
mod tvm;
mod webnn;
mod engines;
mod keys;

use std::borrow::Cow;

use broadaxe_frameworks::{Role, System};
use broadaxe_kernels::{DType, OpId};
use broadaxe_shape::{Dim, Rule, Shape, SymbolicShape};

use crate::{
    graph::{Model, Node, NodeId, Uses, ValueId},
    infer::Shapes,
    meaning::{Kind, Meaning, ShapeFault},
};

pub use self::{
    condition::When,
    deployment::Deployment,
    engines::{ENGINES, EVIDENCE_DATE, Engine},
    facts::{Around, Facts},
    index_term::IndexTerm,
    name::Target,
    operands::{OperandShapes, Remaining},
    route::{Converter, Reach, Route},
};
pub(crate) use self::{engines::asked_engines, pnnx::kept as kept_batch};

/// Every profile there is. A profile is added by its file and its line here.
pub static PROFILES: &[&Profile] = &[
    &onnx::ONNX,
    &onnx::ONNX_6,
    &openvino::OPENVINO,
    &pnnx::PNNX,
    &ncnn::NCNN,
    &paddle::PADDLE,
    &litert::LITERT,
    &litert_gpu::LITERT_GPU,
    &litert_micro::LITERT_MICRO,
    &numpy::NUMPY,
    &mnn::MNN,
    &ort_webgpu::ORT_WEBGPU,
    &tvm::TVM,
    &tosa::TOSA,
    &ggml::GGML,
    &qnn::QNN,
    &coreml::COREML,
    &opencv::OPENCV,
    &nncase::NNCASE,
    &rknn::RKNN,
    &tensorrt::TENSORRT,
    &tnn::TNN,
    &webnn::WEBNN,
    &equal_rank::EQUAL_RANK,
    &rank::RANK,
    &none::NONE,
];

/// Operators that every target removes.
const COPIES: &[Role] = &[Role::Identity];

/// Describes a target: its name and what it does with broadcasting nodes.
#[derive(Debug)]
pub struct Profile {
    /// The name on the command line; one that ends in `<=N` has a number: `rank<=4`.
    pub name: &'static str,
    /// The name that people know it by: `Core ML`; that of `rank<=N` has the letter `N` for the number.
    pub title: &'static str,
    /// Where models run on it.
    pub deployment: Deployment,
    /// What the target is, in one line.
    pub summary: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// The tested versions, oldest first; none where all of them do the same.
    pub versions: &'static [&'static str],
    /// What it does; the first law that matches a node applies.
    pub laws: &'static [Law],
    /// Operators that it removes from the graph before it merges nodes, where what reads them gives the same without.
    pub removed: &'static [Role],
    /// How models come to it.
    pub route: Route,
    /// The tested converters from ONNX, where verdicts depend on them; a plain name selects the first.
    pub converters: &'static [Converter],
    /// Whether it treats tensors by their own rank, whatever they are combined with.
    pub reads_by_rank: bool,
    /// Whether it follows through the graph which axis of a tensor is the batch.
    pub follows_batches: bool,
    /// Whether it makes sums of two operands of a sum of several, from the left.
    pub splits_lists: bool,
    /// Lists the reshapes of a model that it cannot load, with the reason.
    pub refused_reshapes: Option<RefusedReshapes>,
    /// Follows through the graph which tensors it keeps with their channels in groups.
    follow_groups: Option<FollowGroups>,
}

/// Follows through a model which tensors have their channels in groups, by where values are used and which are constant.
type FollowGroups = fn(&Model, &Shapes, &Uses, &[bool]) -> groups::Groupings;

/// Lists the reshapes of a model that a target cannot load, with the reason.
pub type RefusedReshapes = fn(&Model, &Shapes) -> Vec<(NodeId, String)>;

/// The profile that others are written as changes of.
const PLAIN: Profile = Profile {
    name: "",
    title: "",
    deployment: Deployment::Server,
    summary: "",
    aliases: &[],
    versions: &[],
    laws: &[],
    removed: COPIES,
    route: Route::RULE,
    converters: &[],
    reads_by_rank: false,
    follows_batches: false,
    splits_lists: false,
    refused_reshapes: None,
    follow_groups: None,
};

/// Says what a target does with some nodes, and how that is known.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The kinds of nodes it speaks of; where empty, all but those that work along axes of their data.
    pub kinds: &'static [Kind],
    /// What else holds for these nodes; the law speaks of all of them where empty.
    pub when: &'static [When],
    /// What the target does; nothing where the law does not speak of a node after all.
    pub way: Way,
    /// What the law says, in one clause that follows the target's name: `aligns to the right`.
    pub text: &'static str,
    /// How that is known.
    pub evidence: Evidence,
}

/// What a target does.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Way {
    /// What the node's own format does.
    Own,
    /// It broadcasts the shapes as they are by this rule, written as a [`Rule`] displays.
    Rule(&'static str),
    /// It refuses the node.
    Refused,
    /// It refuses operands of these ranks.
    RefusedRank,
    /// It gives a result that is of no use.
    Garbled,
    /// It has no such operator.
    Unsupported,
    /// It cannot be said.
    Unknown,
    /// It does what other laws say, but not with the numbers that the text names: a caveat of the verdict `same`.
    Caveat,
    /// What a function says.
    Ask(fn(&Asked<'_>) -> Option<Does>),
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
#[non_exhaustive]
pub enum EvidenceKind {
    /// A test of this project ran the engine.
    RunHere,
    /// A document, the engine's source or a thread of its developers says so.
    Documented,
    /// The target is made up, and does so by definition.
    Definition,
    /// No engine was tested, and no document says it.
    Nothing,
}

/// What a target is asked: a node, and what is known of its operands.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The model.
    pub model: &'a Model,
    /// The shapes of its values.
    pub shapes: &'a Shapes,
    /// What else is known of it.
    pub facts: &'a Facts,
    /// The node.
    pub node: &'a Node,
    /// What it means in its own format.
    pub meaning: &'a Meaning,
    /// The shapes of its operands.
    pub operands: OperandShapes<'a>,
    /// Which of its operands are constants, or depend on nothing else.
    pub constants: &'a [bool],
    /// The axis of each operand that pnnx treats as the batch.
    pub batches: &'a [Option<usize>],
    /// The inputs that a node of their own comes in front of, where a way to write the node is judged.
    pub fronts: &'a [usize],
    /// The target that is asked.
    pub target: Option<Target>,
}

/// What a target does with one node.
#[derive(Clone, Debug)]
pub struct Treatment {
    /// What it does.
    pub does: Does,
    /// The law that says so.
    pub law: &'static Law,
}

/// What a target does with the operands of a node.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Does {
    /// What the node's own format does.
    Own,
    /// It broadcasts by this rule.
    Rule(Rule),
    /// It treats one of two operands as a list, whatever its shape, and gives its entry `i` to entry `i` of
    /// this axis of the other one.
    List {
        /// The operand that is the list; the other one is the data.
        operand: usize,
        /// The axis.
        axis: usize,
    },
    /// It reads all operands but the first as if they had this many of the first operand's last axes, in row-major order.
    Flat {
        /// How many axes.
        axes: usize,
    },
    /// It gives a result of the node's own shape, each element from these positions: per operand, the terms of a sum.
    Reads(Vec<Vec<IndexTerm>>),
    /// It reads an operand as if it had the shape of the result's last axes, in row-major order, and past its end.
    Overrun {
        /// The operand.
        operand: usize,
        /// How many axes.
        axes: usize,
    },
    /// It computes the first operands only, aligned to the right, and drops the others.
    Fewer {
        /// How many it computes.
        count: usize,
    },
    /// It gives a result of another shape, filled with what is of no use, for this reason.
    Garbled(Cow<'static, str>),
    /// It refuses the node, for this reason.
    Refused(Cow<'static, str>),
    /// It refuses operands of these ranks, for this reason.
    RefusedRank(Cow<'static, str>),
    /// It has no such operator or layer, whatever the shapes are; the reason names it.
    Unsupported(Cow<'static, str>),
    /// It cannot be said, for this reason.
    Unknown(Cow<'static, str>),
}

impl Target {
    /// Lists the reshapes that the target cannot load, with the reason: what a repair puts in is no broadcasting node.
    pub(crate) fn refused_reshapes(&self, model: &Model, shapes: &Shapes) -> Vec<(NodeId, String)> {
        self.profile().refused_reshapes.map_or_else(Vec::new, |refused| refused(model, shapes))
    }

    /// Says what the target does with a node.
    pub fn treat(&self, asked: &Asked<'_>) -> Treatment {
        self.treat_by(asked, |asked| {
            self.profile().laws.iter().find_map(|law| Some(Treatment { does: law.ask(asked)?, law }))
        })
    }

    /// As [`Target::treat`], for a node of which other sizes were asked about before.
    pub(crate) fn treat_sizes(&self, asked: &Asked<'_>, remaining: &mut Remaining) -> Treatment {
        self.treat_by(asked, |asked| remaining.treat(self, asked))
    }

    fn treat_by(&self, asked: &Asked<'_>, find: impl FnOnce(&Asked<'_>) -> Option<Treatment>) -> Treatment {
        if self.is_unreached(asked.model.format) {
            let why = format!("has no tested converter that reads {}", route::title(asked.model.format));
            return Treatment { does: Does::Unknown(Cow::Owned(why)), law: &UNREACHED };
        }
        let asked = Asked { target: Some(*self), ..*asked };
        let found = find(&asked);
        #[cfg(test)]
        keys::note(self.profile(), found.as_ref().map(|found| found.law));
        found.unwrap_or(Treatment { does: Does::Unknown(Cow::Borrowed(UNSPOKEN.text)), law: &UNSPOKEN })
    }

    /// Returns the law that names numbers with which a node that is the same on the target is not.
    pub(crate) fn caveat(&self, asked: &Asked<'_>) -> Option<&'static Law> {
        let asked = Asked { target: Some(*self), ..*asked };
        let found = self.profile().laws.iter().find(|law| law.is_caveat() && law.speaks_of(&asked) == Some(true));
        #[cfg(test)]
        keys::note(self.profile(), found);
        found
    }
}

/// The law for models that do not come to a target.
static UNREACHED: Law = Law {
    kinds: &[],
    when: &[],
    way: Way::Unknown,
    text: "has no tested converter that reads the model's format",
    evidence: Evidence { kind: EvidenceKind::Nothing, source: "" },
};

/// The law for nodes that no other law of a profile covers.
static UNSPOKEN: Law = Law {
    kinds: &[],
    when: &[],
    way: Way::Unknown,
    text: "is neither tested nor documented for this node",
    evidence: Evidence { kind: EvidenceKind::Nothing, source: "" },
};

impl Law {
    /// Lists its conditions as clauses, without those that only its text describes.
    pub fn clauses(&self) -> impl Iterator<Item = String> {
        self.when.iter().map(ToString::to_string).filter(|clause| !clause.is_empty())
    }

    /// Names the nodes that it speaks of, as far as conditions have words: `PRelu; operand 2 constant`.
    pub fn nodes(&self) -> String {
        let is_partly_unsaid = matches!(self.way, Way::Ask(_)) || self.when.iter().any(When::is_partly_unsaid);
        let kinds = match self.kinds {
            [] if is_partly_unsaid => "some nodes".to_owned(),
            [] => "all nodes".to_owned(),
            kinds if kinds.len() == Kind::ALL.len() => "nodes of every kind".to_owned(),
            kinds => kinds.iter().map(|&kind| condition::kind_words(kind)).collect::<Vec<_>>().join(", "),
        };
        [kinds].into_iter().chain(self.clauses()).collect::<Vec<_>>().join("; ")
    }

    /// Says whether the law speaks of nodes that are wrong by their own rule.
    pub fn is_of_invalid(&self) -> bool {
        fn speaks(conditions: &[When]) -> bool {
            conditions.iter().any(|condition| match condition {
                When::Invalid => true,
                When::All(all) => speaks(all),
                _ => false,
            })
        }
        speaks(self.when)
    }

    /// Says whether the law is a caveat of the verdict `same`, and decides nothing.
    pub fn is_caveat(&self) -> bool {
        matches!(self.way, Way::Caveat)
    }

    /// Says whether the law speaks of a node; nothing where sizes that are not known decide.
    fn speaks_of(&self, asked: &Asked<'_>) -> Option<bool> {
        let kind = asked.meaning.kind;
        if if self.kinds.is_empty() { kind.is_along_axes() } else { !self.kinds.contains(&kind) } {
            return Some(false);
        }
        When::all(self.when, asked)
    }

    /// Says what the target does with a node; nothing where the law does not speak of it.
    fn ask(&'static self, asked: &Asked<'_>) -> Option<Does> {
        match self.speaks_of(asked) {
            Some(true) => self.way.ask(self, asked),
            Some(false) => None,
            None => Some(Does::Unknown(format!("{}, and the shapes are not known", self.text).into())),
        }
    }
}

impl Way {
    fn ask(self, law: &'static Law, asked: &Asked<'_>) -> Option<Does> {
        match self {
            Self::Own => Some(Does::Own),
            Self::Rule(text) => {
                Some(text.parse().map_or_else(
                    |error: broadaxe_shape::Error| Does::Unknown(Cow::Owned(error.to_string())),
                    Does::Rule,
                ))
            }
            Self::Refused => Some(Does::Refused(Cow::Borrowed(law.text))),
            Self::RefusedRank => {
                let known: Option<Vec<usize>> = asked.operands.ranks().collect();
                let ranks: Vec<String> = known.unwrap_or_default().iter().map(usize::to_string).collect();
                let have = if ranks.len() == 1 { "the operand has rank" } else { "these have ranks" };
                Some(Does::RefusedRank(format!("{}; {have} {}", law.text, ranks.join(", ")).into()))
            }
            Self::Garbled => Some(Does::Garbled(Cow::Borrowed(law.text))),
            Self::Unsupported => Some(Does::Unsupported(Cow::Borrowed(law.text))),
            Self::Unknown => Some(Does::Unknown(Cow::Borrowed(law.text))),
            Self::Caveat => None,
            Self::Ask(ask) => ask(asked),
        }
    }
}

impl EvidenceKind {
    /// Returns the word that people read: a law is tested or documented.
    pub fn word(self) -> &'static str {
        if self == Self::RunHere { "tested" } else { self.text() }
    }

    /// Returns the words that stand for it in data: JSON, and the package.
    pub fn text(self) -> &'static str {
        match self {
            Self::RunHere => "run here",
            Self::Documented => "documented",
            Self::Definition => "by definition",
            Self::Nothing => "nothing",
        }
    }
}

impl Evidence {
    /// Makes the evidence of a test of this project.
    pub const fn run_here(source: &'static str) -> Self {
        Self { kind: EvidenceKind::RunHere, source }
    }

    /// Makes the evidence of a document.
    pub const fn documented(source: &'static str) -> Self {
        Self { kind: EvidenceKind::Documented, source }
    }
}

impl<'a> Asked<'a> {
    /// Returns the number that the target's name ends in.
    pub(in crate::profiles) fn limit(&self) -> usize {
        self.target.map_or(0, |target| target.limit())
    }

    /// Says whether the version that is asked about is this one or a later one.
    pub fn at_least(&self, version: &str) -> bool {
        self.target.is_none_or(|target| target.at_least(version))
    }

    /// Says whether the model is ONNX's and this converter brings it to the target.
    pub(in crate::profiles) fn comes_via(&self, name: &str) -> bool {
        self.is_of(System::Onnx) && self.target.is_some_and(|target| target.via() == Some(name))
    }

    /// Says whether the target removes an operator from the graph first.
    pub(in crate::profiles) fn removes(&self, op: Role) -> bool {
        self.target.is_some_and(|target| target.profile().removed.contains(&op))
    }

    /// Says whether the node is ONNX's and of an opset before 7, whose operators broadcast by `broadcast` and `axis`.
    pub(in crate::profiles) fn is_before_opset_7(&self) -> bool {
        self.is_of(System::Onnx) && self.node.version < 7
    }

    /// Returns the operator of ours that the node's operands meet in, where it is one.
    pub fn operator(&self) -> Option<OpId> {
        self.meaning.op.id()
    }

    /// Returns the value that an operand is, unless it is one that the node holds itself.
    pub fn value(&self, operand: usize) -> Option<ValueId> {
        self.meaning.operands.get(operand)?.value(self.node)
    }

    /// Names an operand: by its tensor, or by its number where it has none.
    pub fn operand_name(&self, operand: usize) -> String {
        let value = self.value(operand).map(|value| self.model.value(value).name.clone());
        value.unwrap_or_else(|| format!("operand {operand}"))
    }

    /// Returns the node that computes a value.
    pub fn producer(&self, value: ValueId) -> Option<&'a Node> {
        self.model.value(value).producer.map(|(node, _)| self.model.node(node))
    }

    /// Lists the nodes that read a value, each with the number of the input.
    pub fn readers(&self, value: ValueId) -> impl Iterator<Item = (&'a Node, usize)> + use<'a> {
        let model = self.model;
        self.facts.readers(value).iter().map(move |at| (model.node(at.node), at.input))
    }

    /// Returns the shape of a value.
    pub fn shape(&self, value: ValueId) -> Option<&'a SymbolicShape> {
        self.shapes.of.get(value.0 as usize).map(|known| &known.shape)
    }

    /// Returns the dtype of a value, where the file or its inference tells it.
    pub fn dtype_of(&self, value: ValueId) -> Option<DType> {
        let inferred = || self.shapes.of.get(value.0 as usize)?.element.as_ref();
        self.model.value(value).element.as_ref().or_else(inferred)?.dtype()
    }

    /// Returns the shape of an operand as the file leaves it, whatever sizes the caller gave.
    pub fn in_file(&self, operand: usize) -> &'a SymbolicShape {
        let own = self.operands.of(operand);
        let value = self.value(operand);
        let Some(file) = value.and_then(|value| self.facts.in_file(value).or_else(|| self.shape(value))) else {
            return own;
        };
        // An operand in another form than the model's has the shape that a repair gives it.
        let fits = |(dim, own): (&Dim, &Dim)| dim.size().is_none() || dim == own;
        let same = file.dims().zip(own.dims());
        let same = same.is_some_and(|(dims, own)| dims.len() == own.len() && dims.iter().zip(own).all(fits));
        if same { file } else { own }
    }

    /// Says whether the model is of this framework.
    pub fn is_of(&self, system: System) -> bool {
        self.model.system == system
    }

    /// Says whether the operands, whose shapes are known, do not broadcast by the node's own rule, or `Expand` is given no valid shape.
    pub fn is_invalid(&self) -> bool {
        if self.meaning.kind == Kind::Stretch {
            return ShapeFault::of(self.model, self.shapes, self.node).is_some();
        }
        let known: Option<Vec<Shape>> = self.operands.iter().map(SymbolicShape::known).collect();
        let aligned = known.map(|known| self.meaning.align(&known.iter().map(Shape::dims).collect::<Vec<_>>(), &[]));
        aligned.is_some_and(|aligned| aligned.is_err())
    }

    /// Returns the greatest rank among the operands, if all are known.
    pub fn rank(&self) -> Option<usize> {
        let ranks: Option<Vec<usize>> = self.operands.ranks().collect();
        ranks?.into_iter().max()
    }

    /// Returns the dtype of an operand, where the file or its inference tells it.
    pub fn dtype(&self, operand: usize) -> Option<DType> {
        self.dtype_of(self.value(operand)?)
    }

    /// Counts the elements of an operand, where its shape is known.
    pub fn elements(&self, operand: usize) -> Option<usize> {
        broadaxe_shape::elements(&self.operands.get(operand)?.known()?).ok()
    }
}

#[cfg(test)]
mod tests;
