//! Finds the nodes around a node, by the roles of their operators.

pub(super) use broadaxe_frameworks::Role as Op;
use broadaxe_frameworks::System;
use broadaxe_kernels::{DType, id};
use broadaxe_shape::{Dim, SymbolicShape};

use super::{Asked, Does};
use crate::{
    graph::{Attribute, Node, ValueId},
    meaning::{self, Kind},
};

/// How many nodes in a row are followed at most.
pub(super) const REACH: usize = 16;
/// How many bytes of a constant are read at most to see whether all its elements are one number.
const BYTES: usize = 1 << 12;

impl<'a> Asked<'a> {
    /// Returns the role of a node's operator; nothing for one that no law distinguishes.
    pub(super) fn op(&self, node: &Node) -> Option<Op> {
        if self.splits_lists() && node.op == "Sum" && node.inputs.len() > 1 && self.is_of(System::Onnx) {
            return Some(Op::Add);
        }
        meaning::role(self.model, node)
    }

    /// Returns the role of the node itself; a mean of two operands begins with their sum.
    pub(super) fn own_op(&self) -> Option<Op> {
        let mean = self.meaning.kind == Kind::Many && self.operands.len() == 2 && self.operator() == Some(id("mean"));
        if mean { Some(Op::Add) } else { self.op(self.node) }
    }

    fn splits_lists(&self) -> bool {
        self.target.is_some_and(|target| target.profile().splits_lists)
    }

    /// Returns the value that another is a copy of, or is to the target.
    pub(super) fn origin(&self, mut value: ValueId) -> ValueId {
        for _ in 0..REACH {
            let once = || self.readers(value).nth(1).is_none();
            let removed = |node: &&Node| {
                let is_removed = |op| self.removes(op) && (op == Op::Identity || once());
                self.op(node).is_some_and(is_removed) || self.drops(node)
            };
            match self.producer(value).filter(removed).and_then(|node| node.input(0)) {
                Some(input) => value = input,
                None => break,
            }
        }
        value
    }

    /// Returns the node that computes a value, copies left out, and its kind.
    pub(super) fn maker(&self, value: ValueId) -> Option<(&'a Node, Op)> {
        let node = self.producer(self.origin(value))?;
        Some((node, self.op(node)?))
    }

    /// Returns the only node that reads a value, copies left out, and which input that is; nothing where a caller sees the
    /// value or several nodes read it.
    pub(super) fn reader(&self, mut value: ValueId) -> Option<(&'a Node, usize)> {
        for _ in 0..REACH {
            let mut readers = self.readers(value);
            let (node, input) = readers.next()?;
            if readers.next().is_some() || self.facts.is_output(value) {
                return None;
            }
            match node.output(0) {
                Some(output) if self.op(node) == Some(Op::Identity) || input == 0 && self.drops(node) => value = output,
                _ => return Some((node, input)),
            }
        }
        None
    }

    /// Says whether the target removes a node that leaves all elements where they are: 20 kinds of such nodes between a product and a
    /// convolution were tested.
    fn drops(&self, node: &Node) -> bool {
        self.removes(Op::Expand) && self.leaves_alone(node)
    }

    /// Says whether a node that moves, repeats, cuts, joins or converts elements leaves all as they are in the file.
    pub(super) fn leaves_alone(&self, node: &Node) -> bool {
        let (data, result) = (node.input(0), node.output(0));
        let alone = match (self.op(node), node.op.as_str()) {
            (Some(Op::Expand | Op::Rearrange | Op::Reshape), _) | (_, "Tile") => true,
            (Some(Op::Transpose | Op::Gather), _) => numbers(node, "perm").map_or_else(
                || data.and_then(|data| self.rank_of(data)).is_some_and(|rank| rank < 2),
                |order| order.iter().copied().eq(0..order.len() as i64),
            ),
            (Some(Op::Cast), _) => {
                data.and_then(|data| self.dtype_of(data)) == result.and_then(|made| self.dtype_of(made))
            }
            (_, "Concat" | "Sum" | "Max" | "Min" | "Mean") => node.inputs.len() == 1,
            (_, "Slice") => node
                .input(4)
                .is_none_or(|steps| self.integers(steps).is_some_and(|steps| steps.iter().all(|step| *step > 0))),
            _ => false,
        };
        let sizes =
            |value: Option<ValueId>| -> Option<Vec<usize>> { self.file_dims(value?)?.iter().map(Dim::size).collect() };
        alone && sizes(data).is_some_and(|dims| sizes(result) == Some(dims))
    }

    /// Says whether only one node reads a value, and no caller.
    pub(super) fn is_single(&self, value: ValueId) -> bool {
        self.reader(value).is_some()
    }

    /// Returns the shape of a value in the form that is asked about, which for an operand may be another than the model's.
    pub(super) fn form(&self, value: ValueId) -> Option<SymbolicShape> {
        let own = (0..self.operands.len()).find(|&k| self.value(k) == Some(value));
        own.map(|k| self.operands[k].clone()).or_else(|| self.shape(value).cloned())
    }

    /// Returns the rank of [`Asked::form`].
    pub(super) fn rank_of(&self, value: ValueId) -> Option<usize> {
        match (0..self.operands.len()).find(|&k| self.value(k) == Some(value)) {
            Some(operand) => self.operands.rank(operand),
            None => self.shape(value)?.rank(),
        }
    }

    /// Returns the shape of a value before it is stretched, by a node or by a repair: a target may take out `Expand` before an
    /// operator that stretches its operands itself.
    pub(super) fn unstretched(&self, value: ValueId) -> Option<SymbolicShape> {
        let (before, form) = (self.shape(self.origin(value))?, self.form(value)?);
        let count = |shape: &SymbolicShape| shape.known().and_then(|shape| broadaxe_shape::elements(&shape).ok());
        let stretched = count(before).zip(count(&form)).is_some_and(|(before, after)| before < after)
            || self.origin(value) != value && before.rank() < form.rank();
        Some(if stretched { before.clone() } else { form })
    }

    /// Returns the dims of a value as the file leaves them, where no repair gives it another form.
    pub(super) fn file_dims(&self, value: ValueId) -> Option<&[Dim]> {
        match (0..self.operands.len()).find(|&k| self.value(k) == Some(value)) {
            Some(operand) => self.in_file(operand).dims(),
            None => self.facts.in_file(value).or_else(|| self.shape(value))?.dims(),
        }
    }

    /// Returns the sizes of a value, where all are known.
    pub(super) fn sizes(&self, value: ValueId) -> Option<Vec<usize>> {
        self.form(value)?.known().map(|shape| shape.to_vec())
    }

    /// Returns the number that all elements of a constant are.
    pub(super) fn number(&self, value: ValueId) -> Option<f64> {
        let numbers = self.reals(value)?;
        let first = *numbers.first()?;
        numbers.iter().all(|number| *number == first).then_some(first)
    }

    /// Returns the numbers of a constant.
    pub(super) fn reals(&self, value: ValueId) -> Option<Vec<f64>> {
        let constant = self.model.value(self.origin(value)).constant.as_ref()?;
        let bytes = self.model.elements(constant, BYTES).ok()??;
        let dtype = constant.element.dtype()?;
        let numbers = bytes.chunks_exact(dtype.size()).map(|bytes| match dtype {
            DType::F32 => bytes.try_into().ok().map(|bytes| f64::from(f32::from_le_bytes(bytes))),
            DType::F64 => bytes.try_into().ok().map(f64::from_le_bytes),
            DType::U8 => Some(f64::from(bytes[0])),
            DType::I8 => Some(f64::from(bytes[0].cast_signed())),
            DType::I32 => bytes.try_into().ok().map(|bytes| f64::from(i32::from_le_bytes(bytes))),
            DType::I64 => bytes.try_into().ok().map(|bytes| i64::from_le_bytes(bytes) as f64),
            _ => None,
        });
        numbers.collect()
    }

    /// Says whether two values are the same, or constants of the same bytes; of large ones nothing is said.
    pub(super) fn is_equal(&self, one: ValueId, other: ValueId) -> bool {
        let bytes = |value: ValueId| {
            let constant = self.model.value(self.origin(value)).constant.as_ref()?;
            self.model.elements(constant, BYTES).ok()?
        };
        self.origin(one) == self.origin(other) || bytes(one).zip(bytes(other)).is_some_and(|(one, other)| one == other)
    }

    /// Says whether a value has no negative numbers, by the nodes that make it; as many of them are followed as `reach` says.
    pub(super) fn is_made_positive(&self, value: ValueId, reach: usize) -> bool {
        let whole = || self.integers(value).is_some_and(|numbers| numbers.iter().all(|number| *number >= 0));
        if self.reals(value).is_some_and(|numbers| numbers.iter().all(|number| number.is_sign_positive())) || whole() {
            return true;
        }
        let Some(node) = self.producer(self.origin(value)) else { return false };
        let positive = |input: &ValueId| reach > 0 && self.is_made_positive(*input, reach - 1);
        let mut inputs = node.inputs.iter().flatten();
        // Squares of integers may wrap below 0.
        let is_float = || self.dtype_of(value).is_some_and(DType::is_float);
        match node.op.as_str() {
            op if POSITIVE.contains(&op) => true,
            "Mul" if node.input(0) == node.input(1) && is_float() => true,
            "Add" | "Mul" | "Div" | "Min" | "Sum" | "Mean" | "Concat" => inputs.all(positive),
            "Where" => inputs.skip(1).all(positive),
            "Pow" => inputs.next().is_some_and(positive) || self.is_made_even(node.input(1)),
            "Max" => inputs.any(positive),
            "Log" => inputs.next().is_some_and(|input| self.is_made_above_one(*input, reach)),
            op if KEPT.contains(&op) => inputs.next().is_some_and(positive),
            _ => false,
        }
    }

    /// Says whether all numbers of a constant are even, as exponents whose powers are not negative.
    fn is_made_even(&self, value: Option<ValueId>) -> bool {
        let numbers = value.and_then(|value| self.reals(value));
        numbers.is_some_and(|numbers| numbers.iter().all(|number| number % 2.0 == 0.0))
    }

    /// Says whether no number of a value is below 1: a constant's, or those of a sum of one and what is not negative.
    fn is_made_above_one(&self, value: ValueId, reach: usize) -> bool {
        if let Some(numbers) = self.reals(value) {
            return numbers.iter().all(|number| *number >= 1.0);
        }
        let Some(node) = self.producer(self.origin(value)) else { return false };
        let inputs: Vec<ValueId> = node.inputs.iter().flatten().copied().collect();
        let is_one =
            |input: &ValueId| self.reals(*input).is_some_and(|numbers| numbers.iter().all(|number| *number >= 1.0));
        let positive = |input: &ValueId| reach > 0 && self.is_made_positive(*input, reach - 1);
        matches!(node.op.as_str(), "Add" | "Sum") && inputs.iter().any(is_one) && inputs.iter().all(positive)
    }

    /// Returns the whole numbers of a constant.
    pub(super) fn integers(&self, value: ValueId) -> Option<Vec<i64>> {
        meaning::entries(self.model, self.origin(value))
    }

    /// Splits a node of two operands of which one is a constant: the constant, the other one, and whether the constant is
    /// the second.
    pub(super) fn split(&self, node: &Node) -> Option<(ValueId, ValueId, bool)> {
        let (a, b) = (node.input(0)?, node.input(1)?);
        match (self.facts.is_constant(a), self.facts.is_constant(b)) {
            (false, true) => Some((b, a, true)),
            (true, false) => Some((a, b, false)),
            _ => None,
        }
    }

    /// Returns the axes of the mean of `x` that a value is normalised by.
    pub(super) fn mean_axes(&self, mut value: ValueId, x: ValueId) -> Option<Vec<i64>> {
        for _ in 0..REACH {
            let (node, op) = self.maker(value)?;
            if op == Op::Mean {
                return numbers(node, "axes").or_else(|| self.integers(node.input(1)?));
            }
            let inputs = node.inputs.iter().flatten().copied();
            value = inputs.into_iter().find(|input| self.origin(*input) != x && !self.facts.is_constant(*input))?;
        }
        None
    }
}

/// Operators of ONNX whose results are not negative.
const POSITIVE: &[&str] = &[
    "Abs",
    "ArgMax",
    "ArgMin",
    "Exp",
    "HardSigmoid",
    "ReduceL1",
    "ReduceL2",
    "ReduceSumSquare",
    "Relu",
    "Shape",
    "Sigmoid",
    "Size",
    "Softmax",
    "Softplus",
    "Sqrt",
];

/// Operators of ONNX whose results have no negative numbers where their first operand has none.
const KEPT: &[&str] = &[
    "AveragePool",
    "Cast",
    "Ceil",
    "Dropout",
    "Expand",
    "Flatten",
    "Floor",
    "Gather",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "Identity",
    "MaxPool",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "Reshape",
    "Round",
    "Slice",
    "Squeeze",
    "Tile",
    "Transpose",
    "Unsqueeze",
];

/// Returns a list of whole numbers, which some formats write as text.
pub(super) fn numbers(node: &Node, name: &str) -> Option<Vec<i64>> {
    match node.attribute(name)? {
        Attribute::Ints(values) => Some(values.clone()),
        Attribute::Int(value) => Some(vec![*value]),
        Attribute::Text(text) => text.split(',').map(|part| part.trim().parse().ok()).collect(),
        _ => None,
    }
}

/// Finds a node of a function that the model defines, for readers of ONNX that know no calls of such and refuse the model.
pub(super) fn in_function(asked: &Asked<'_>) -> Option<Does> {
    if !asked.is_of(System::Onnx) {
        return None;
    }
    let mut graph = asked.node.graph;
    for _ in 0..REACH {
        let owner = asked.model.node(asked.model.graph(graph).owner?);
        let control = owner.attributes.iter().any(|(_, value)| matches!(value, Attribute::Graph(_)));
        if !control {
            let name = format!("{}.{}", owner.domain, owner.op);
            return Some(Does::Refused(
                format!("does not support the model's own functions, such as {name} around this node").into(),
            ));
        }
        graph = owner.graph;
    }
    None
}

/// Broadcasts two shapes, aligned to the right, to their common one.
pub(super) fn merged(a: &[usize], b: &[usize]) -> Vec<usize> {
    let rank = a.len().max(b.len());
    let at = |dims: &[usize], axis: usize| (axis + dims.len()).checked_sub(rank).map_or(1, |axis| dims[axis]);
    (0..rank).map(|axis| at(a, axis).max(at(b, axis))).collect()
}

/// Says whether a shape stretches to another without changing it.
pub(super) fn fits(small: &[usize], large: &[usize]) -> bool {
    small.len() <= large.len() && small.iter().rev().zip(large.iter().rev()).all(|(s, l)| s == l || *s == 1)
}

/// Says whether a shape stretches to another without changing it, whatever the sizes are that the other leaves open.
pub(super) fn fits_any(small: &[usize], large: &SymbolicShape) -> bool {
    large.dims().is_some_and(|large| {
        small.len() <= large.len()
            && small.iter().rev().zip(large.iter().rev()).all(|(s, l)| *s == 1 || l.size() == Some(*s))
    })
}

/// Returns the axis of data of this rank along which the only extent other than 1 of a shape is.
pub(super) fn only_axis(dims: &[usize], rank: usize) -> Option<usize> {
    let mut long = (0..dims.len()).filter(|&axis| dims[axis] != 1);
    let axis = long.next()?;
    if long.next().is_some() { None } else { (axis + rank).checked_sub(dims.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_fit_whatever_sizes_are_open() {
        for (small, large, want) in [
            (&[64, 1, 1][..], "n,64,56,56", true),
            (&[1, 64, 1, 1], "n,64,56,56", true),
            (&[56], "n,64,56,56", true),
            (&[], "n", true),
            (&[1, 1], "n,m", true),
            (&[2], "n", false),
            (&[32, 1, 1], "n,64,56,56", false),
            (&[1, 1, 1], "n,m", false),
            (&[1], "?", true),
        ] {
            let large = large.parse().expect("a shape");
            assert_eq!(fits_any(small, &large), want, "{small:?} {large}");
        }
        assert!(!fits_any(&[], &SymbolicShape::unknown_rank()));
    }
}
