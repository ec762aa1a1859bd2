//! A model as pnnx sees it: its operands, its readers in the order of their visits, and what its nodes do to the batch.

use std::collections::{BTreeMap, BTreeSet};

use broadaxe_frameworks::{Kind, Role, Row, System, has_batch, newest};
use broadaxe_shape::{Dim, SymbolicShape};

use super::passage::{Label, Passage};
use crate::{
    attributes::whole_numbers,
    graph::{Attribute, Model, Node, NodeId, Uses, ValueId},
    infer::Shapes,
    meaning,
};

/// A model as pnnx sees it: what depends on constants only is a constant there.
pub(super) struct View<'a> {
    pub model: &'a Model,
    pub shapes: &'a Shapes,
    /// Where values are read, in the order in which pnnx visits the nodes.
    pub uses: Uses,
    pub folded: &'a [bool],
    /// The first and the last of the nodes that pnnx joins with each node to one reshape.
    ends: Vec<(NodeId, NodeId)>,
    /// The axes of values of which nodes pick all entries, one each.
    unbound: BTreeSet<(ValueId, usize)>,
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
    pub(super) fn new(model: &'a Model, shapes: &'a Shapes, uses: &Uses, folded: &'a [bool]) -> Self {
        let ends = (0..model.nodes.len() as u32).map(|id| (NodeId(id), NodeId(id))).collect();
        let mut view = Self { model, shapes, uses: uses.clone(), folded, ends, unbound: BTreeSet::new() };
        view.join();
        view.unbound = view.unbind();
        let mut uses = std::mem::take(&mut view.uses);
        uses.sort_each_by_key(|at| view.turn(at.node));
        view.uses = uses;
        view
    }

    /// Finds the nodes that pnnx joins to one reshape: those between which one node reads each value.
    fn join(&mut self) {
        let count = |value: usize| self.uses.of(ValueId(value as u32)).len();
        let mut readers: Vec<usize> = (0..self.model.values.len()).map(count).collect();
        for output in self.model.graphs.iter().flat_map(|graph| &graph.outputs) {
            readers[output.0 as usize] += 1;
        }
        let order = self.model.walk();
        let before = |view: &Self, id: NodeId| {
            let value = view.model.node(id).input(0).filter(|value| readers[value.0 as usize] == 1)?;
            let producer = view.model.value(value).producer?.0;
            let both = view.reshapes(view.model.node(id)) && view.reshapes(view.model.node(producer));
            (both && !view.is_folded(value)).then_some(producer)
        };
        for &id in &order {
            if let Some(producer) = before(self, id) {
                self.ends[id.0 as usize].0 = self.ends[producer.0 as usize].0;
            }
        }
        for &id in order.iter().rev() {
            if let Some(producer) = before(self, id) {
                self.ends[producer.0 as usize].1 = self.ends[id.0 as usize].1;
            }
        }
    }

    /// Finds the axes of which nodes pick all entries, one each.
    fn unbind(&self) -> BTreeSet<(ValueId, usize)> {
        let mut picked: BTreeMap<(ValueId, usize), BTreeSet<i64>> = BTreeMap::new();
        for node in &self.model.nodes {
            if let (Some(value), Some((axis, index))) = (node.input(0), self.picked(node)) {
                picked.entry((value, axis)).or_default().insert(index);
            }
        }
        let extent = |value, axis: usize| self.dims(Some(value)).and_then(|dims| dims.get(axis)).and_then(Dim::size);
        let all = picked.into_iter().filter(|((value, axis), indices)| extent(*value, *axis) == Some(indices.len()));
        all.map(|(key, _)| key)
            .filter(|(value, _)| self.dims(Some(*value)).is_some_and(|dims| dims.len() > 1))
            .collect()
    }

    /// Returns the axis and the entry that a node picks, if it is one.
    fn picked(&self, node: &Node) -> Option<(usize, i64)> {
        if meaning::role(self.model, node) != Some(Role::Gather) {
            return None;
        }
        let indices = node.input(1).filter(|value| self.dims(Some(*value)).is_some_and(<[Dim]>::is_empty))?;
        let dims = self.dims(node.input(0))?;
        let axis = counted(Self::int(node, "axis").unwrap_or(0), dims.len());
        let index = whole_numbers(self.model, indices)?.first().copied()?;
        let extent = dims.get(axis).and_then(Dim::size).unwrap_or(0) as i64;
        Some((axis, if index < 0 { index + extent } else { index }))
    }

    /// Returns a number that grows in the order in which pnnx visits nodes that read one value.
    fn turn(&self, id: NodeId) -> (usize, i64) {
        let node = self.model.node(id);
        let at = i64::from(id.0);
        if self.broadcasts(node) || matches!(meaning::role(self.model, node), Some(Role::Unary | Role::Neg | Role::Abs))
        {
            return (REWRITTEN.len() + 2, at);
        }
        let linear =
            !self.has_several(node) && matches!(meaning::role(self.model, node), Some(Role::MatMul | Role::Gemm));
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
        let several = self.has_several(node);
        let values = node.inputs.iter().flatten().copied();
        if several { values.filter(|value| !self.is_number(*value)).collect() } else { values.take(1).collect() }
    }

    /// Says whether an input of a node is one of its operands.
    pub(super) fn is_operand(&self, node: &Node, input: usize) -> bool {
        match node.input(input) {
            Some(value) if self.has_several(node) => !self.is_number(value),
            _ => node.inputs.iter().take(input).all(Option::is_none),
        }
    }

    /// Says whether a node has more operands than one; a linear layer holds the others.
    fn has_several(&self, node: &Node) -> bool {
        let kind = newest(self.model.system, &node.op).map(Row::kind);
        match meaning::role(self.model, node) {
            Some(Role::MatMul) => !node.input(1).is_some_and(|value| {
                self.is_folded(value) && self.dims(Some(value)).is_some_and(|dims| dims.len() == 2)
            }),
            Some(Role::Gemm) => !is_linear(node, &|value| self.is_folded(value)),
            Some(Role::Concat | Role::Gather) => true,
            _ => matches!(kind, Some(Kind::Binary | Kind::Many | Kind::Select)),
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
    pub(super) fn ends(&self, id: NodeId) -> (&'a Node, &'a Node) {
        let (first, last) = self.ends[id.0 as usize];
        (self.model.node(first), self.model.node(last))
    }

    /// Says whether a node gives its operand another shape, in a way that pnnx joins with others.
    fn reshapes(&self, node: &Node) -> bool {
        meaning::role(self.model, node) == Some(Role::Reshape) && node.op != "Flatten"
    }

    /// Says how a node passes the axis on, or the reshape that pnnx joins it to.
    pub(super) fn through(&self, id: NodeId) -> Passage {
        let (first, last) = self.ends(id);
        let one = |dim: Option<&Dim>| dim.and_then(Dim::size) == Some(1);
        match self.dims(last.output(0)) {
            Some(to) if !std::ptr::eq(first, last) => Passage::Reshape(one(to.first()), one(to.last())),
            _ => self.step(first),
        }
    }

    fn step(&self, node: &Node) -> Passage {
        if !self.claims(node).is_empty() {
            return Passage::Stop;
        }
        let rank = self.dims(node.input(0)).map_or(0, <[Dim]>::len);
        match meaning::role(self.model, node) {
            Some(Role::Transpose) => match self.transpose(node, rank) {
                // pnnx removes it.
                Some(order) if order.iter().enumerate().all(|(at, from)| at == *from) => Passage::Keep,
                Some(order) => Passage::Transpose(order),
                None => Passage::Stop,
            },
            Some(Role::Reshape) => self.reshape(node, rank),
            Some(Role::Gather) => self.gather(node),
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
    fn gather(&self, node: &Node) -> Passage {
        match self.picked(node) {
            Some((axis, _)) if node.input(0).is_none_or(|value| !self.unbound.contains(&(value, axis))) => {
                Passage::Select(axis)
            }
            _ => Passage::Keep,
        }
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
    // Without a C, a computed B is transposed by a layer of its own.
    let transposed = node.input(2).is_some() && View::int(node, "transB").unwrap_or(0) != 0;
    !scaled && (weights || transposed)
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
