//! What one node does to the axis of the batch, as pnnx's `solve_batch_index` sees it.

use broadaxe_frameworks::{Kind, Role, System, has_batch, newest};
use broadaxe_shape::{Dim, SymbolicShape};

use super::super::gemm;
use crate::{
    attributes::whole_numbers,
    graph::{Attribute, Model, Node, NodeId, Use, ValueId},
    infer::Shapes,
    meaning,
};

/// What pnnx says of the batch of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    /// It is this axis.
    Axis(usize),
    /// The value has none.
    Without,
}

/// A model as pnnx sees it: what depends on constants only is a constant there.
pub(super) struct Source<'a> {
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

/// How a node passes the axis on.
#[derive(Debug)]
pub(super) enum Step {
    /// It does not: it has an axis of its own, or is none of pnnx's.
    Stop,
    /// Every tensor of the node has the same axis, whatever the node does.
    Keep,
    Transpose(Vec<usize>),
    /// The first and the last extent are written as 1.
    Reshape(bool, bool),
    /// These axes become one.
    Flatten(usize, usize),
    /// The axes before this one become one, and the others become one.
    Matrix(usize),
    Squeeze(Vec<usize>),
    Unsqueeze(usize),
    Select(usize),
}

impl<'a> Source<'a> {
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
            Some(Role::Gemm) if gemm::has_own_batch(node, &|value| self.is_folded(value)) => {
                [node.input(0), node.output(0)]
            }
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
        let kind = newest(self.model.system, &node.op).map(|row| row.kind());
        let role = meaning::role(self.model, node);
        let several = matches!(kind, Some(Kind::Binary | Kind::Many | Kind::Select))
            || matches!(role, Some(Role::MatMul | Role::Concat | Role::Gemm | Role::Gather));
        let linear = match role {
            Some(Role::MatMul) => node.input(1).is_some_and(|value| {
                self.is_folded(value) && self.dims(Some(value)).is_some_and(|dims| dims.len() == 2)
            }),
            Some(Role::Gemm) => gemm::is_linear(node, &|value| self.is_folded(value)),
            _ => false,
        };
        let values = node.inputs.iter().flatten().copied();
        match several && !linear {
            true => values.filter(|value| !self.is_number(*value)).collect(),
            false => values.take(1).collect(),
        }
    }

    /// Says whether the operands of a node are broadcast by ncnn's `BinaryOp`.
    pub(super) fn broadcasts(&self, node: &Node) -> bool {
        matches!(newest(self.model.system, &node.op).map(|row| row.kind()), Some(Kind::Binary | Kind::Many))
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
    pub(super) fn through(&self, node: &'a Node) -> Step {
        let (first, last) = self.ends(node);
        let one = |dim: Option<&Dim>| dim.and_then(Dim::size) == Some(1);
        match self.dims(last.output(0)) {
            Some(to) if !std::ptr::eq(first, last) => Step::Reshape(one(to.first()), one(to.last())),
            _ => self.step(node),
        }
    }

    fn step(&self, node: &Node) -> Step {
        if !self.claims(node).is_empty() {
            return Step::Stop;
        }
        let rank = self.dims(node.input(0)).map_or(0, <[Dim]>::len);
        match meaning::role(self.model, node) {
            Some(Role::Transpose) => self.transpose(node, rank).map_or(Step::Stop, Step::Transpose),
            Some(Role::Reshape) => self.reshape(node, rank),
            Some(Role::Gather) => self.gather(node, rank),
            Some(Role::Shape | Role::Fill) => Step::Stop,
            _ => Step::Keep,
        }
    }

    fn transpose(&self, node: &Node, rank: usize) -> Option<Vec<usize>> {
        let Some(order) = node.attribute("perm").and_then(Attribute::ints) else {
            return (self.model.system == System::Onnx).then(|| (0..rank).rev().collect());
        };
        order.iter().map(|axis| usize::try_from(*axis).ok()).collect()
    }

    fn reshape(&self, node: &Node, rank: usize) -> Step {
        let onnx = self.model.system == System::Onnx;
        let at =
            |axis: i64, rank: usize| usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).unwrap_or(0);
        let listed = || {
            let axes = node.attribute("axes").and_then(Attribute::ints).map(<[i64]>::to_vec);
            axes.or_else(|| whole_numbers(self.model, node.input(1)?))
        };
        let to = self.dims(node.output(0));
        if self.dims(node.input(0)).is_some_and(|from| Some(from) == to) {
            return Step::Keep;
        }
        match node.op.as_str() {
            "Flatten" if onnx => match at(Self::int(node, "axis").unwrap_or(1), rank) {
                1 if rank != 1 => Step::Flatten(1, rank.saturating_sub(1)),
                0 => Step::Reshape(true, false),
                axis if axis == rank => Step::Reshape(false, true),
                axis if axis + 1 == rank => Step::Flatten(0, axis - 1),
                axis => Step::Matrix(axis),
            },
            "Squeeze" if onnx => {
                let ones =
                    || self.dims(node.input(0)).map(|dims| (0..rank).filter(|k| dims[*k].size() == Some(1)).collect());
                let axes = if node.inputs.len() > 1 || node.attribute("axes").is_some() {
                    listed().map(|axes| axes.into_iter().map(|axis| at(axis, rank)).collect())
                } else {
                    ones()
                };
                axes.map_or(Step::Stop, Step::Squeeze)
            }
            "Unsqueeze" if onnx => match listed().as_deref() {
                Some([axis]) => Step::Unsqueeze(at(*axis, rank + 1)),
                // pnnx reads the list as one number, which it is not.
                _ => Step::Stop,
            },
            _ => {
                let one = |dim: Option<&Dim>| dim.and_then(Dim::size) == Some(1);
                Step::Reshape(one(to.and_then(<[Dim]>::first)), one(to.and_then(<[Dim]>::last)))
            }
        }
    }

    /// A single entry drops the axis; where nodes pick all entries of an axis, pnnx keeps the number of the batch's axis.
    fn gather(&self, node: &Node, rank: usize) -> Step {
        let picked = |node: &Node| {
            let indices = node.input(1).filter(|value| self.dims(Some(*value)).is_some_and(<[Dim]>::is_empty))?;
            let axis = Self::int(node, "axis").unwrap_or(0);
            let index = whole_numbers(self.model, indices)?.first().copied()?;
            Some((if axis < 0 { axis + rank as i64 } else { axis }, index))
        };
        let Some((axis, _)) = picked(node) else { return Step::Keep };
        let Ok(at) = usize::try_from(axis) else { return Step::Stop };
        let extent = self.dims(node.input(0)).and_then(|dims| dims.get(at)).and_then(Dim::size);
        let readers = node.input(0).map_or(&[][..], |value| &self.uses[value.0 as usize]);
        let readers = readers.iter().map(|at| self.model.node(at.node));
        let readers = readers.filter(|reader| meaning::role(self.model, reader) == Some(Role::Gather));
        let taken = |extent: usize| {
            let indices = readers.filter_map(picked).filter(|(other, _)| *other == axis);
            let indices = indices.map(|(_, index)| if index < 0 { index + extent as i64 } else { index });
            indices.collect::<std::collections::BTreeSet<i64>>().len() == extent
        };
        if rank > 1 && extent.is_some_and(taken) { Step::Keep } else { Step::Select(at) }
    }
}

impl Step {
    /// Follows the axis of the first operand to the result; nothing where pnnx says nothing.
    pub(super) fn forward(
        &self,
        axis: usize,
        from: Option<&SymbolicShape>,
        to: Option<&SymbolicShape>,
    ) -> Option<Label> {
        Some(match self {
            Self::Stop => return None,
            Self::Keep => Label::Axis(axis),
            Self::Transpose(order) => order.iter().position(|from| *from == axis).map_or(Label::Without, Label::Axis),
            Self::Reshape(first, last) => Label::Axis(reshaped(axis, from?, to?, (*first, *last))?),
            Self::Flatten(start, end) if (*start..=*end).contains(&axis) => Label::Without,
            Self::Flatten(start, end) => Label::Axis(if axis > *end { axis - (end - start) } else { axis }),
            Self::Matrix(at) => (axis >= *at).then_some(Label::Without)?,
            Self::Squeeze(axes) if axes.contains(&axis) => Label::Without,
            Self::Squeeze(axes) => Label::Axis(axis - axes.iter().filter(|at| **at < axis).count()),
            Self::Unsqueeze(at) => Label::Axis(axis + usize::from(*at <= axis)),
            Self::Select(at) if *at == axis => Label::Without,
            Self::Select(at) => Label::Axis(axis - usize::from(*at < axis)),
        })
    }

    /// Follows the axis of the result back to the first operand.
    pub(super) fn backward(
        &self,
        axis: usize,
        from: Option<&SymbolicShape>,
        to: Option<&SymbolicShape>,
    ) -> Option<Label> {
        Some(match self {
            Self::Stop | Self::Matrix(_) => return None,
            Self::Keep => Label::Axis(axis),
            Self::Transpose(order) => Label::Axis(*order.get(axis)?),
            Self::Reshape(first, last) => {
                let one = |shape: &SymbolicShape, last: bool| {
                    let dims = shape.dims();
                    let end = dims.and_then(|dims| if last { dims.last() } else { dims.first() });
                    end.and_then(Dim::size) == Some(1)
                };
                let ends = (*first && one(from?, false), *last && one(from?, true));
                Label::Axis(reshaped(axis, to?, from?, ends)?)
            }
            Self::Flatten(start, end) if axis == *start && start != end => return None,
            Self::Flatten(start, end) => Label::Axis(if axis > *start { axis + end - start } else { axis }),
            Self::Squeeze(axes) => {
                let rank = from?.rank()?;
                Label::Axis((0..rank).filter(|at| !axes.contains(at)).nth(axis)?)
            }
            Self::Unsqueeze(at) if *at == axis => Label::Without,
            Self::Unsqueeze(at) => Label::Axis(axis - usize::from(*at < axis)),
            Self::Select(at) => Label::Axis(axis + usize::from(*at <= axis)),
        })
    }
}

/// Says whether an operand of lower rank than the result stretches to it although it lacks the batch axis.
fn broadcasts_without(batch: usize, operand: Option<&[Dim]>, result: Option<&[Dim]>) -> bool {
    let (Some(operand), Some(result)) = (operand, result) else { return false };
    let rest = result.iter().enumerate().filter(|(axis, _)| *axis != batch).map(|(_, dim)| dim);
    let fits = |(one, all): (&Dim, &Dim)| one.size() == Some(1) || one == all;
    operand.len() < result.len() && batch < result.len() && operand.iter().rev().zip(rest.rev()).all(fits)
}

/// Returns where a reshape keeps a batch axis, as pnnx finds it: first or last if the extents there are equal, else where
/// as many elements are in front or behind; nothing where that is not clear.
pub(crate) fn kept(axis: usize, from: &SymbolicShape, to: &SymbolicShape) -> Option<usize> {
    let one = |dim: Option<&Dim>| dim.and_then(Dim::size) == Some(1);
    let dims = to.dims()?;
    reshaped(axis, from, to, (one(dims.first()), one(dims.last())))
}

/// Returns where a reshape keeps a batch axis; a batch of one is kept at an end only where the reshape writes a 1 there.
fn reshaped(axis: usize, from: &SymbolicShape, to: &SymbolicShape, ones: (bool, bool)) -> Option<usize> {
    let sizes =
        |shape: &SymbolicShape| -> Option<Vec<Option<usize>>> { Some(shape.dims()?.iter().map(Dim::size).collect()) };
    let (from, to) = (sizes(from)?, sizes(to)?);
    let size = *from.get(axis)?;
    let (first, last) = (*to.first()?, *to.last()?);
    let at_end = |end: Option<usize>, one: bool| if size == Some(1) { one } else { size.is_some() && end == size };
    if axis == 0 && at_end(first, ones.0) {
        return Some(0);
    }
    if axis + 1 == from.len() && at_end(last, ones.1) {
        return Some(to.len() - 1);
    }
    let product = |sizes: &[Option<usize>]| sizes.iter().try_fold(1usize, |all, size| all.checked_mul((*size)?));
    let mut found = None;
    if let Some(front) = product(&from[..axis]) {
        let at = (1..to.len()).find(|&at| to[at] == size && product(&to[..at]) == Some(front));
        found = at.filter(|at| to.get(at + 1) != Some(&size)).or(found);
    }
    if let Some(behind) = product(&from[axis + 1..]) {
        let at = (0..to.len() - 1).rev().find(|&at| to[at] == size && product(&to[at + 1..]) == Some(behind));
        if let Some(at) = at {
            found = (at == 0 || to[at - 1] != size).then_some(at);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_reshapes_keep_the_batch() {
        let cases = [
            ("2,3,4,5", "2,12,5", 0, Some(0)),
            ("2,3,1,1", "6,1", 0, None),
            ("2,12,5", "2,3,4,5", 0, Some(0)),
            ("1,3,4,5", "1,60", 0, Some(0)),
            ("3,4,2", "12,2", 2, Some(1)),
            ("3,2,4", "3,2,2,2", 1, Some(1)),
            ("3,5,4", "3,5,2,2", 1, Some(1)),
            ("2,3,4,5", "...", 0, None),
        ];
        let mut wrong = Vec::new();
        for (from, to, axis, want) in cases {
            let [from, to] = [from, to].map(|text| text.parse::<SymbolicShape>().expect(text));
            let got = kept(axis, &from, &to);
            if got != want {
                wrong.push(format!("{from} to {to}: {got:?}, not {want:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
