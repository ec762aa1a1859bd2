//! A model as pnnx sees it: its operands, its readers in the order of their visits, and what its nodes do to the batch.

use broadaxe_frameworks::{Kind, Role, Row, System, has_batch, newest};
use broadaxe_shape::{Dim, SymbolicShape};

use super::passage::{Label, Passage};
use crate::{
    attributes::whole_numbers,
    graph::{Attribute, Model, Node, NodeId, Use, ValueId},
    infer::Shapes,
    meaning,
};

/// A model as pnnx sees it: what depends on constants only is a constant there.
pub(super) struct View<'a> {
    pub model: &'a Model,
    pub shapes: &'a Shapes,
    /// Where values are read, in the order in which pnnx visits the nodes.
    pub uses: Vec<Vec<Use>>,
    pub folded: &'a [bool],
}

/// The operators that pnnx rewrites, in the order in which it does: a node that is rewritten becomes the last reader of its
/// operands. Of one line the last nodes are rewritten first.
const REWRITTEN: &[&[&str]] = &[
    &["Clip"],
    &["ReduceMax"],
    &["ReduceMean"],
    &["ReduceMin"],
    &["ReduceProd"],
    &["ReduceSum"],
    &["Expand"],
    &["Transpose"],
    &["Cast"],
    &["Flatten"],
    &["Split"],
    &["Squeeze"],
    &["Tile"],
    &["Unsqueeze"],
    &["Reshape"],
    &["Gather"],
    &["Slice"],
    &["MatMul", "Gemm"],
    &["Relu", "Softmax", "LeakyRelu", "Elu", "Selu", "Celu", "Gelu", "HardSwish", "Softplus", "Mish"],
    &["Concat"],
];

impl<'a> View<'a> {
    pub(super) fn new(model: &'a Model, shapes: &'a Shapes, uses: &[Vec<Use>], folded: &'a [bool]) -> Self {
        let mut source = Self { model, shapes, uses: vec![], folded };
        let mut uses = uses.to_vec();
        for uses in &mut uses {
            uses.sort_by_key(|at| source.turn(at.node));
        }
        source.uses = uses;
        source
    }

    /// Returns a number that grows in the order in which pnnx visits nodes that read one value.
    fn turn(&self, id: NodeId) -> (usize, i64) {
        let node = self.model.node(id);
        let at = i64::from(id.0);
        if self.broadcasts(node) || matches!(meaning::role(self.model, node), Some(Role::Unary | Role::Neg | Role::Abs))
        {
            return (REWRITTEN.len() + 2, at);
        }
        let linear = self.operands(node).len() == 1
            && matches!(meaning::role(self.model, node), Some(Role::MatMul | Role::Gemm));
        let line = REWRITTEN.iter().position(|line| line.contains(&node.op.as_str()));
        if linear { (REWRITTEN.len() + 1, -at) } else { line.map_or((0, at), |line| (line + 1, -at)) }
    }

    fn dims(&self, value: Option<ValueId>) -> Option<&'a [Dim]> {
        self.shapes.of.get(value?.0 as usize)?.shape.dims()
    }

    pub(super) fn shape(&self, value: Option<ValueId>) -> Option<&'a SymbolicShape> {
        self.shapes.of.get(value?.0 as usize).map(|known| &known.shape)
    }

    pub(super) fn is_folded(&self, value: ValueId) -> bool {
        self.folded.get(value.0 as usize).copied().unwrap_or(false)
    }

    /// Says whether a value is a constant of one element, which pnnx writes into the operation that reads it.
    fn is_number(&self, value: ValueId) -> bool {
        let one = self.dims(Some(value)).is_some_and(|dims| dims.iter().all(|dim| dim.size() == Some(1)));
        self.is_folded(value) && one
    }

    fn int(node: &Node, name: &str) -> Option<i64> {
        node.attribute(name).and_then(Attribute::int)
    }

    /// Lists the values of which a node itself says where the batch is.
    pub(super) fn claims(&self, node: &Node) -> Vec<ValueId> {
        let claimed = match meaning::role(self.model, node) {
            // Without an axis it is an embedding; the indices come first there.
            Some(Role::Gather) if self.is_embedding(node) => [node.input(1), node.output(0)],
            Some(Role::Gemm) if has_own_batch(node, &|value| self.is_folded(value)) => [node.input(0), node.output(0)],
            _ if self.is_batched(node) => [node.input(0), node.output(0)],
            _ => [None, None],
        };
        claimed.into_iter().flatten().collect()
    }

    fn is_embedding(&self, node: &Node) -> bool {
        self.model.system == System::Onnx && node.op == "Gather" && node.attribute("axis").is_none()
    }

    /// Says whether a node has its batch at axis 0; a `PRelu` only if its slope is a list.
    fn is_batched(&self, node: &Node) -> bool {
        let slope = || self.shape(node.input(1)).and_then(SymbolicShape::known);
        let is_slope = || newest(self.model.system, &node.op).is_some_and(|row| row.kind() == Kind::Slope);
        has_batch(self.model.system, &node.op)
            && !(is_slope() && slope().is_none_or(|slope| slope.iter().all(|dim| *dim == 1)))
    }

    /// Lists the operands of a node: no shapes, axes or bounds, and no numbers.
    pub(super) fn operands(&self, node: &Node) -> Vec<ValueId> {
        let kind = newest(self.model.system, &node.op).map(Row::kind);
        let role = meaning::role(self.model, node);
        let several = matches!(kind, Some(Kind::Binary | Kind::Many | Kind::Select))
            || matches!(role, Some(Role::MatMul | Role::Concat | Role::Gemm | Role::Gather));
        let linear = match role {
            Some(Role::MatMul) => node.input(1).is_some_and(|value| {
                self.is_folded(value) && self.dims(Some(value)).is_some_and(|dims| dims.len() == 2)
            }),
            Some(Role::Gemm) => is_linear(node, &|value| self.is_folded(value)),
            _ => false,
        };
        let values = node.inputs.iter().flatten().copied();
        if several && !linear {
            values.filter(|value| !self.is_number(*value)).collect()
        } else {
            values.take(1).collect()
        }
    }

    /// Says whether the operands of a node are broadcast by ncnn's `BinaryOp`.
    pub(super) fn broadcasts(&self, node: &Node) -> bool {
        matches!(newest(self.model.system, &node.op).map(Row::kind), Some(Kind::Binary | Kind::Many))
    }

    /// Says what pnnx labels an operand with, where the result of the node has this axis.
    pub(super) fn label(&self, node: &Node, operand: ValueId, axis: usize) -> Label {
        let without = self.broadcasts(node)
            && node
                .output(0)
                .is_some_and(|output| broadcasts_without(axis, self.dims(Some(operand)), self.dims(Some(output))));
        if without { Label::Without } else { Label::Axis(axis) }
    }

    /// Returns the first and the last of the nodes that pnnx joins with a node to one reshape.
    pub(super) fn ends(&self, node: &'a Node) -> (&'a Node, &'a Node) {
        if !self.reshapes(node) {
            return (node, node);
        }
        let (mut first, mut last) = (node, node);
        while let Some(before) = first.input(0).filter(|value| self.has_one_reader(*value)) {
            let producer = self.model.value(before).producer.map(|(node, _)| self.model.node(node));
            let Some(producer) = producer.filter(|node| self.reshapes(node) && !self.is_folded(before)) else { break };
            first = producer;
        }
        while let Some(after) = last.output(0).filter(|value| self.has_one_reader(*value)) {
            let reader = self.uses[after.0 as usize].first().filter(|at| at.input == 0);
            let Some(reader) = reader.map(|at| self.model.node(at.node)).filter(|node| self.reshapes(node)) else {
                break;
            };
            last = reader;
        }
        (first, last)
    }

    fn has_one_reader(&self, value: ValueId) -> bool {
        let outputs = self.model.graphs.iter().flat_map(|graph| &graph.outputs);
        self.uses[value.0 as usize].len() + outputs.filter(|output| **output == value).count() == 1
    }

    /// Says whether a node gives its operand another shape, in a way that pnnx joins with others.
    fn reshapes(&self, node: &Node) -> bool {
        meaning::role(self.model, node) == Some(Role::Reshape) && node.op != "Flatten"
    }

    /// Says how a node passes the axis on, or the reshape that pnnx joins it to.
    pub(super) fn through(&self, node: &'a Node) -> Passage {
        let (first, last) = self.ends(node);
        let one = |dim: Option<&Dim>| dim.and_then(Dim::size) == Some(1);
        match self.dims(last.output(0)) {
            Some(to) if !std::ptr::eq(first, last) => Passage::Reshape(one(to.first()), one(to.last())),
            _ => self.step(node),
        }
    }

    fn step(&self, node: &Node) -> Passage {
        if !self.claims(node).is_empty() {
            return Passage::Stop;
        }
        let rank = self.dims(node.input(0)).map_or(0, <[Dim]>::len);
        match meaning::role(self.model, node) {
            Some(Role::Transpose) => self.transpose(node, rank).map_or(Passage::Stop, Passage::Transpose),
            Some(Role::Reshape) => self.reshape(node, rank),
            Some(Role::Gather) => self.gather(node, rank),
            Some(Role::Shape | Role::Fill) => Passage::Stop,
            _ => Passage::Keep,
        }
    }

    fn transpose(&self, node: &Node, rank: usize) -> Option<Vec<usize>> {
        let Some(order) = node.attribute("perm").and_then(Attribute::ints) else {
            return (self.model.system == System::Onnx).then(|| (0..rank).rev().collect());
        };
        order.iter().map(|axis| usize::try_from(*axis).ok()).collect()
    }

    fn reshape(&self, node: &Node, rank: usize) -> Passage {
        let to = self.dims(node.output(0));
        if self.dims(node.input(0)).is_some_and(|from| Some(from) == to) {
            return Passage::Keep;
        }
        let one = |dim: Option<&Dim>| dim.and_then(Dim::size) == Some(1);
        match node.op.as_str() {
            _ if self.model.system != System::Onnx => {}
            "Flatten" => return flatten(Self::int(node, "axis").unwrap_or(1), rank),
            "Squeeze" => {
                let axes = self.squeezed(node, rank);
                return axes.map_or(Passage::Stop, Passage::Squeeze);
            }
            "Unsqueeze" => {
                return match self.axes(node).as_deref() {
                    Some([axis]) => Passage::Unsqueeze(counted(*axis, rank + 1)),
                    // pnnx reads the list as one number, which it is not.
                    _ => Passage::Stop,
                };
            }
            _ => {}
        }
        Passage::Reshape(one(to.and_then(<[Dim]>::first)), one(to.and_then(<[Dim]>::last)))
    }

    /// Returns the axes that a node drops or adds, as the file gives them.
    fn axes(&self, node: &Node) -> Option<Vec<i64>> {
        let listed = node.attribute("axes").and_then(Attribute::ints).map(<[i64]>::to_vec);
        listed.or_else(|| whole_numbers(self.model, node.input(1)?))
    }

    fn squeezed(&self, node: &Node, rank: usize) -> Option<Vec<usize>> {
        if node.inputs.len() > 1 || node.attribute("axes").is_some() {
            return Some(self.axes(node)?.into_iter().map(|axis| counted(axis, rank)).collect());
        }
        let dims = self.dims(node.input(0))?;
        Some((0..rank).filter(|k| dims[*k].size() == Some(1)).collect())
    }

    /// A single entry drops the axis; where nodes pick all entries of an axis, pnnx keeps the number of the batch's axis.
    fn gather(&self, node: &Node, rank: usize) -> Passage {
        let picked = |node: &Node| {
            let indices = node.input(1).filter(|value| self.dims(Some(*value)).is_some_and(<[Dim]>::is_empty))?;
            let axis = Self::int(node, "axis").unwrap_or(0);
            let index = whole_numbers(self.model, indices)?.first().copied()?;
            Some((if axis < 0 { axis + rank as i64 } else { axis }, index))
        };
        let Some((axis, _)) = picked(node) else { return Passage::Keep };
        let Ok(at) = usize::try_from(axis) else { return Passage::Stop };
        let extent = self.dims(node.input(0)).and_then(|dims| dims.get(at)).and_then(Dim::size);
        let readers = node.input(0).map_or(&[][..], |value| &self.uses[value.0 as usize]);
        let readers = readers.iter().map(|at| self.model.node(at.node));
        let readers = readers.filter(|reader| meaning::role(self.model, reader) == Some(Role::Gather));
        let taken = |extent: usize| {
            let indices = readers.filter_map(picked).filter(|(other, _)| *other == axis);
            let indices = indices.map(|(_, index)| if index < 0 { index + extent as i64 } else { index });
            indices.collect::<std::collections::BTreeSet<i64>>().len() == extent
        };
        if rank > 1 && extent.is_some_and(taken) { Passage::Keep } else { Passage::Select(at) }
    }
}

/// Says whether an operand of lower rank than the result stretches to it although it lacks the batch axis.
fn broadcasts_without(batch: usize, operand: Option<&[Dim]>, result: Option<&[Dim]>) -> bool {
    let (Some(operand), Some(result)) = (operand, result) else { return false };
    let rest = result.iter().enumerate().filter(|(axis, _)| *axis != batch).map(|(_, dim)| dim);
    let fits = |(one, all): (&Dim, &Dim)| one.size() == Some(1) || one == all;
    operand.len() < result.len() && batch < result.len() && operand.iter().rev().zip(rest.rev()).all(fits)
}

/// Counts an axis from the front.
fn counted(axis: i64, rank: usize) -> usize {
    usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).unwrap_or(0)
}

fn flatten(axis: i64, rank: usize) -> Passage {
    match counted(axis, rank) {
        1 if rank != 1 => Passage::Flatten(1, rank.saturating_sub(1)),
        0 => Passage::Reshape(true, false),
        axis if axis == rank => Passage::Reshape(false, true),
        axis if axis + 1 == rank => Passage::Flatten(0, axis - 1),
        axis => Passage::Matrix(axis),
    }
}

/// Says whether a `Gemm` becomes a linear layer.
pub(in crate::profiles::pnnx) fn is_linear(node: &Node, is_constant: &dyn Fn(ValueId) -> bool) -> bool {
    let scaled = factor(node, "alpha") != 1.0 || factor(node, "beta") != 1.0;
    let weights = node.input(1).is_some_and(is_constant);
    !scaled && (weights || View::int(node, "transB").unwrap_or(0) != 0)
}

/// Says whether a `Gemm` becomes a linear layer that does not hold its weights: pnnx then knows where the batch is.
fn has_own_batch(node: &Node, is_constant: &dyn Fn(ValueId) -> bool) -> bool {
    let held = |k: usize| node.input(k).is_none_or(is_constant);
    is_linear(node, is_constant) && !(held(1) && held(2))
}

fn factor(node: &Node, name: &str) -> f64 {
    match node.attribute(name) {
        Some(Attribute::Float(value)) => *value,
        _ => 1.0,
    }
}
