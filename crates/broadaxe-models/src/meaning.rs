//! Finds what a broadcasting node means in its own format: its operator, its rule, and the inputs that broadcast.
//!
//! The tables of `broadaxe-frameworks` know every operator: kind, rule, arithmetic, and where its operands come from. This
//! module finds the row of a node and gives it the node's attributes. Only pnnx's expressions are read here.

pub(crate) mod blocks;
mod pnnx;
mod intent;
mod expand;
mod inside;

pub use self::{expand::shape_fault, intent::Intent};
pub(crate) use self::{
    expand::{FaultKind, ShapeFault, entries},
    inside::{SHORTER_MASK, columns},
    intent::{Intended, doubtful, intended, only_if},
};
use broadaxe::{Node as Operand, frameworks};
pub use broadaxe_frameworks::Kind;
use broadaxe_frameworks::{Attribute, Attributes, Role, Row, System, Wiring, called, find};
use broadaxe_kernels::OpId;
use broadaxe_shape::{Alignment, Mode, Params, Rule, SymbolicShape};

use crate::{
    attributes::{Written, is_standard, listed},
    graph::{Model, Node, NodeId},
    infer::Shapes,
};

/// Says what a broadcasting node means.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// What kind of operator it is; profiles of targets go by it.
    pub kind: Kind,
    /// What it computes.
    pub op: Operator,
    /// The rule by which its operands broadcast. The target of a [`Kind::Stretch`] is left empty here: see [`Meaning::rule`].
    pub rule: Rule,
    /// Its operands, in the order of the rule.
    pub operands: Vec<Source>,
}

/// Returns the role of a node's operator; nothing for one that no law distinguishes, or that is not the framework's own.
pub(crate) fn role(model: &Model, node: &Node) -> Option<Role> {
    if is_standard(model.system, &node.domain) { broadaxe_frameworks::role(model.system, &node.op) } else { None }
}

/// What a node computes of one element per operand.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Operator {
    /// A framework's operator.
    Call {
        /// Its row.
        row: &'static Row,
        /// The opset of the model, 0 in frameworks without opsets.
        opset: i64,
        /// Its own attributes, without those of its broadcast.
        attributes: Vec<(&'static str, Attribute)>,
    },
    /// Operators of ours, each applied to the result before it and to the next operand.
    Own(Vec<OpId>),
    /// The element of the first operand, unchanged.
    Copy,
}

impl Operator {
    /// Returns the operator of ours that the operands meet in, where it is one.
    pub fn id(&self) -> Option<OpId> {
        match self {
            Self::Call { row, attributes, .. } => row.operator(attributes),
            Self::Own(ops) => ops.first().copied(),
            Self::Copy => None,
        }
    }

    /// Adds the operator to a graph, for operands of one shape.
    ///
    /// # Errors
    /// Those of [`broadaxe::frameworks::apply`].
    pub(crate) fn build(&self, graph: &mut broadaxe::Graph, operands: &[Operand]) -> Result<Operand, broadaxe::Error> {
        match self {
            Self::Call { row, opset, attributes } => frameworks::apply(graph, row, *opset, operands, attributes),
            Self::Own(ops) => frameworks::steps(graph, ops, &Rule::numpy(), operands),
            Self::Copy => frameworks::steps(graph, &[], &Rule::numpy(), operands),
        }
    }
}

/// The opset in which ONNX begins to multiply integers.
const INTEGER_PRODUCTS: i64 = 10;

/// The input of the bias of `QLinearConv`.
const QLINEAR_BIAS: usize = 8;

/// Where an operand is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// This input of the node.
    Input(usize),
    /// A tensor of the shape of the node's first output, which no input is (the product in `Gemm`).
    Result,
    /// A number that is no tensor.
    Scalar,
    /// The first input, whose channels are divided into this many groups.
    Groups(i64),
    /// The scores of an attention: of every query, head by head, for every key.
    Scores,
    /// A tensor of this shape that the layer holds itself.
    Held(Vec<usize>),
}

impl Source {
    /// Returns the value of the model that it is, or that it is a view of.
    pub(crate) fn value(&self, node: &Node) -> Option<crate::ValueId> {
        match self {
            Self::Input(k) => node.input(*k),
            Self::Result => node.output(0),
            Self::Groups(_) => node.input(0),
            Self::Scalar | Self::Scores | Self::Held(_) => None,
        }
    }
}

/// Says what a node means: nothing for a node that is not element-wise, a reason where it is one but cannot be read.
pub fn meaning(model: &Model, node: NodeId) -> Option<Result<Meaning, String>> {
    let node = model.node(node);
    let read = match model.system {
        System::Pnnx if pnnx::is_expression(node) => Some(pnnx::expression(node)),
        _ => row(model, node).and_then(|row| row.and_then(|row| read(model, node, row)).transpose()),
    }?;
    Some(read.and_then(|meaning| {
        let (least, given) = (meaning.kind.operands(), meaning.operands.len());
        if given < least { Err(format!("{} needs {least} operands; {given} are given", node.op)) } else { Ok(meaning) }
    }))
}

/// Finds the row of a node's operator; nothing for one that is not element-wise, a reason where no row holds at its opset.
pub(crate) fn row(model: &Model, node: &Node) -> Option<Result<&'static Row, String>> {
    let name = listed(model.system, node)?;
    let first = called(model.system, &name).first()?;
    let opset = opset(model.system, node);
    let found = find(model.system, &name, opset);
    Some(found.ok_or_else(|| {
        format!("{} first appears in opset {}, but the model is of opset {opset}", node.op, first.since())
    }))
}

/// Returns the opset of a node, the newest where the file says none.
fn opset(system: System, node: &Node) -> i64 {
    match system.newest_opset() {
        Some(newest) if node.version == 0 && system == System::Openvino => newest,
        // Some files do not say which version of ONNX Runtime's domain they use; there is one.
        Some(_) if !is_standard(system, &node.domain) => node.version.max(1),
        Some(_) => node.version,
        None => 0,
    }
}

/// Reads a node as its row says; nothing where it is not element-wise with the inputs that it has.
fn read(model: &Model, node: &Node, row: &'static Row) -> Result<Option<Meaning>, String> {
    let written = Written::new(model, node, row);
    let Some((kind, operands)) = operands(node, row, &written) else { return Ok(None) };
    let is_given = |source: &Source| !matches!(source, Source::Input(k) if node.input(*k).is_none());
    let given = operands.iter().filter(|source| is_given(source)).count();
    let least = if kind == Kind::Unary { 1 } else { row.operands().0.max(kind.operands()) };
    if given < operands.len()
        || given < least && row.wiring() == Wiring::Inputs && !matches!(kind, Kind::Affine | Kind::Lists | Kind::Blocks)
    {
        return Err(format!("{} needs at least {least} operands; {given} are given", row.name()));
    }
    row.check_choice(&written).map_err(|why| format!("{}: {why}", row.name()))?;
    let rule = if kind == Kind::Unary { Rule::numpy() } else { row.rule_by().rule(&written)? };
    let op = match kind {
        Kind::Stretch => Operator::Copy,
        _ => Operator::Call { row, opset: opset(model.system, node), attributes: written.own() },
    };
    Ok(Some(Meaning { kind, op, rule, operands }))
}

/// Finds the operands of a node, and the kind that it is with them; nothing where no two of them broadcast.
fn operands(node: &Node, row: &Row, written: &Written<'_>) -> Option<(Kind, Vec<Source>)> {
    let (least, most) = row.operands();
    let inputs = |count: usize| (0..node.inputs.len().min(count)).map(Source::Input).collect::<Vec<_>>();
    let given = |k: usize| node.input(k).is_some();
    Some(match (row.wiring(), row.kind()) {
        (Wiring::Product { terms }, kind) => (kind, with_terms(node, Source::Result, terms)?),
        (Wiring::Inside { data, terms, .. }, kind) => (kind, with_terms(node, inside::data(data), terms)?),
        (Wiring::Scores { mask }, kind) => (kind, vec![Source::Scores, given(mask).then_some(Source::Input(mask))?]),
        (Wiring::Groups { count }, kind) => {
            let data = Source::Groups(written.int(count).filter(|&count| count > 0)?);
            (kind, [vec![data], inputs(most).split_off(1.min(node.inputs.len()))].concat())
        }
        // Lists have the shape of an entry of the batch there.
        (_, Kind::Lengths) if !written.flag("spatial", true) => return None,
        (Wiring::Held { count, absent, from_input, .. }, kind) => match written.int(count).unwrap_or(absent) {
            size if from_input == Some(size) => (Kind::Binary, inputs(2)),
            size => {
                let held = Source::Held(vec![usize::try_from(size).unwrap_or(0)]);
                (kind, inputs(1).into_iter().chain([held]).collect())
            }
        },
        (_, kind @ (Kind::Unary | Kind::Stretch)) => (kind, inputs(1)),
        (_, Kind::Bounds) if !(1..most).any(given) => (Kind::Unary, inputs(1)),
        (_, Kind::Bounds) => {
            let bound = |k: usize| if given(k) { Source::Input(k) } else { Source::Scalar };
            (Kind::Bounds, vec![Source::Input(0), bound(1), bound(2)])
        }
        (_, Kind::Affine) => (Kind::Affine, with_terms(node, Source::Input(0), &(1..most).collect::<Vec<_>>())?),
        (_, Kind::Lists) => {
            let kind = if written.int("block_size").unwrap_or(0) == 0 { Kind::Lists } else { Kind::Blocks };
            (kind, (0..most).filter(|&k| given(k)).map(Source::Input).collect())
        }
        // A torch function of another number of operands is another function: `torch.max` of one is a reduction.
        (_, Kind::Binary) if row.system() == System::Pnnx && node.inputs.len() != 2 => return None,
        (_, Kind::Binary) if least == 1 && node.inputs.len() < 2 => (Kind::Unary, inputs(1)),
        (_, kind) => (kind, inputs(most)),
    })
}

/// Returns data and the terms that are given; nothing where none is.
fn with_terms(node: &Node, data: Source, terms: &[usize]) -> Option<Vec<Source>> {
    let given = terms.iter().filter(|&&k| node.input(k).is_some()).map(|&k| Source::Input(k));
    let operands: Vec<Source> = [data].into_iter().chain(given).collect();
    (operands.len() > 1).then_some(operands)
}

impl Meaning {
    /// Says whether operands broadcast: there are two or more, or one that stretches to a shape.
    pub fn broadcasts(&self) -> bool {
        self.kind.broadcasts()
    }

    /// Returns the rule for a result of this shape; only a [`Kind::Stretch`] asks for it.
    pub fn rule(&self, result: &[usize]) -> Rule {
        if self.kind != Kind::Stretch {
            return self.rule.clone();
        }
        let params = Params { target: Some(result.into()), ..self.rule.params().clone() };
        Rule::new(self.rule.name(), params).unwrap_or_else(|_| self.rule.clone())
    }

    /// Returns the shapes of the operands.
    pub fn shapes(&self, node: &Node, shapes: &Shapes) -> Vec<SymbolicShape> {
        let of = |value: Option<crate::ValueId>| {
            let known = value.and_then(|value| shapes.of.get(value.0 as usize));
            known.map_or_else(SymbolicShape::unknown_rank, |known| known.shape.clone())
        };
        let shape = |source: &Source| match source {
            Source::Input(k) => of(node.input(*k)),
            Source::Result => of(node.output(0)),
            Source::Groups(count) => inside::groups(&of(node.input(0)), *count),
            Source::Scores => inside::scores(node, of),
            Source::Scalar => SymbolicShape::new([]),
            Source::Held(dims) => SymbolicShape::from(dims.as_slice()),
        };
        self.operands.iter().map(shape).collect()
    }

    /// Aligns operands of known shapes; `result` is the shape of the node's output, which only a [`Kind::Stretch`] asks for.
    ///
    /// # Errors
    /// When the operands do not broadcast: the model is wrong by its own rule.
    pub fn align(&self, operands: &[&[usize]], result: &[usize]) -> Result<Alignment, broadaxe_shape::Error> {
        // The specification wants scalars as bounds, and with data of rank 0. Exporters write the shape (1,), which ONNX
        // Runtime accepts.
        let mut bounds: Vec<&[usize]> = operands.to_vec();
        let has_lists = matches!(self.kind, Kind::Lists | Kind::Contrib);
        if self.kind == Kind::Bounds || has_lists && operands[0].is_empty() {
            bounds.iter_mut().skip(1).filter(|dims| ***dims == [1]).for_each(|dims| *dims = &[]);
        }
        // Data of rank 1 have one channel.
        if self.kind == Kind::Lengths && operands[0].len() == 1 && operands[1..].iter().all(|list| *list == [1]) {
            return Rule::unidirectional().align(operands);
        }
        if self.is_of_integers() {
            // What belongs to columns has the rank of the weights, and a product with a vector has one axis less.
            for dims in bounds.iter_mut().skip(1) {
                while let ([1, rest @ ..], true) = (*dims, dims.len() > operands[0].len()) {
                    *dims = rest;
                }
            }
        }
        if let (Some(bias), true) = (self.bias(), self.is_of_integers()) {
            // It never repeats, as scale and zero point do.
            Rule::axis_lists(1, false).align(&[operands[0], operands[bias]])?;
        }
        let lists: Vec<&[usize]> = self.lists().map(|k| operands[k]).collect();
        if !lists.is_empty() {
            Rule::axis_lists(-1, false).align(&[vec![operands[0]], lists].concat())?;
        }
        if self.kind == Kind::Blocks {
            // One block is the whole axis. No alignment says that entries of several repeat; the check knows which shapes fit.
            let whole = Rule::unidirectional().align(operands);
            return if whole.is_ok() { whole } else { Rule::none().align(&vec![operands[0]; operands.len()]) };
        }
        self.rule(result).align(&bounds)
    }

    /// Says whether it is a product of integers with scales and zero points.
    pub(crate) fn is_of_integers(&self) -> bool {
        let multiplies = |row: &Row| matches!(row.wiring(), Wiring::Product { .. }) && row.since() == INTEGER_PRODUCTS;
        self.kind == Kind::Lengths && matches!(&self.op, Operator::Call { row, .. } if multiplies(row))
    }

    /// Returns the operand that is the bias of `QLinearConv`.
    pub(crate) fn bias(&self) -> Option<usize> {
        self.operands.iter().position(|source| *source == Source::Input(QLINEAR_BIAS))
    }

    /// Lists the operands that have one number for each entry of the last axis, where others stretch.
    pub(crate) fn lists(&self) -> impl Iterator<Item = usize> {
        let lists: &[usize] = match &self.op {
            Operator::Call { row, .. } => match row.wiring() {
                Wiring::Inside { lists, .. } => lists,
                _ => &[],
            },
            _ => &[],
        };
        let sources = self.operands.iter().enumerate();
        sources.filter(|(_, source)| matches!(source, Source::Input(k) if lists.contains(k))).map(|(at, _)| at)
    }

    /// Lists the axes of the data along which the lists of a node of [`Kind::Lists`] fit, whatever axis it names.
    pub fn fitting_axes(&self, operands: &[&[usize]]) -> Vec<i64> {
        let is_free = self.kind == Kind::Lists && self.rule.def().lists;
        let count = if is_free { operands.first().map_or(0, |data| data.len() as i64) } else { 0 };
        let repeats = self.rule.params().mode == Some(Mode::Numpy);
        (0..count).filter(|&axis| Rule::axis_lists(axis, repeats).align(operands).is_ok()).collect()
    }

    /// Returns the axis that is divided into blocks, and their size, of a node of [`Kind::Blocks`].
    pub fn blocks(&self) -> Option<(i64, i64)> {
        let Operator::Call { attributes, .. } = &self.op else { return None };
        let size = attributes.int("block_size").filter(|_| self.kind == Kind::Blocks)?;
        Some((self.rule.params().axis?, size))
    }

    /// Says whether a bound of `Clip` has one element and the shape `(1,)`, or is a scalar.
    pub(crate) fn is_bound(shape: &SymbolicShape) -> bool {
        shape.known().is_some_and(|shape| shape.is_empty() || *shape == [1])
    }
}

#[cfg(test)]
mod tests;
