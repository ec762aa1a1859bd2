//! Which tensors MNN keeps with their channels in groups, of four and of as many more as the processor computes at once.
//!
//! The converter declares the layout of every tensor, and puts conversions between nodes that differ (`AddTensorFormatConverter.cpp`). It
//! declares a constant operand as it does the other one, and leaves its numbers in order. The runtime gives the result of two
//! operands the layout of the one with more axes, or of the first (`ShapeBinaryOp.cpp`), and converts the other to it, but not where
//! one of them has one element (`GeometryBinary.cpp`). Layers of channels go by what is declared. About 2,600 models were asked.

use broadaxe_frameworks::Role;

use crate::{
    graph::{GraphId, Model, Node, NodeId, Uses, ValueId},
    infer::Shapes,
    meaning,
};

/// Operators that give their result in groups of channels.
const GROUPED: &[&str] = &[
    "AveragePool",
    "BatchNormalization",
    "Conv",
    "ConvTranspose",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "GridSample",
    "InstanceNormalization",
    "LRN",
    "LpPool",
    "MaxPool",
    "Resize",
    "Upsample",
];
/// Operators that keep the layout of their first operand.
const KEEPS: &[&str] = &[
    "Abs",
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "Cast",
    "Ceil",
    "Cos",
    "Cosh",
    "DepthToSpace",
    "Dropout",
    "Elu",
    "Erf",
    "Exp",
    "Expand",
    "Flatten",
    "Floor",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "Identity",
    "LeakyRelu",
    "Log",
    "Neg",
    "Pad",
    "Reciprocal",
    "Relu",
    "Reshape",
    "Round",
    "Selu",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Slice",
    "Softplus",
    "Softsign",
    "SpaceToDepth",
    "Split",
    "Sqrt",
    "Squeeze",
    "Tan",
    "Tanh",
    "Tile",
    "Transpose",
    "Unsqueeze",
];
/// Operators of two operands, and lists of them.
const PAIRED: &[&str] = &[
    "Add",
    "And",
    "Div",
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
    "Max",
    "Min",
    "Mod",
    "Mul",
    "Or",
    "Pow",
    "Sub",
    "Sum",
    "Xor",
];
/// Layers of channels that go by what is declared, and whose results keep it.
pub(super) const GOES_BY_DECLARED: &[&str] = &["BatchNormalization", "GlobalAveragePool", "GlobalMaxPool", "PRelu"];

/// Whether a tensor has its channels in groups; nothing where that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grouping {
    /// What the converter declares.
    pub(super) declared: Option<bool>,
    /// What the runtime has.
    pub(super) actual: Option<bool>,
}

impl Grouping {
    const PLAIN: Self = Self { declared: Some(false), actual: Some(false) };
    const GROUPED: Self = Self { declared: Some(true), actual: Some(true) };
    const UNKNOWN: Self = Self { declared: None, actual: None };

    /// Says whether numbers are in order that are declared to be in groups.
    pub(super) fn is_mistaken(self) -> Option<bool> {
        if self.declared == Some(false) || self.actual == Some(true) {
            return Some(false);
        }
        Some(self.declared? && !self.actual?)
    }
}

/// The layouts of all values of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Groupings(Vec<Grouping>);

impl Groupings {
    /// Follows the layouts through a model.
    pub(super) fn of(model: &Model, shapes: &Shapes, uses: &Uses, folded: &[bool]) -> Self {
        let mut walk = GroupingWalk { model, shapes, uses, folded, found: vec![Grouping::PLAIN; model.values.len()] };
        model.walk().into_iter().for_each(|id| walk.follow(id));
        Self(walk.found)
    }

    /// Returns the layout of a value; that of all is plain where the target has no groups.
    pub(super) fn of_value(&self, value: ValueId) -> Grouping {
        self.0.get(value.0 as usize).copied().unwrap_or(Grouping::PLAIN)
    }
}

/// Says whether a node keeps the layout of its first operand, whatever its other operands are.
pub(super) fn keeps(node: &Node) -> bool {
    KEEPS.contains(&node.op.as_str())
}

/// Returns the layouts that two operands and their result have, by their ranks: one of a constant goes by the other's.
pub(super) fn of_pair(layouts: [Option<Grouping>; 2], ranks: [Option<usize>; 2]) -> Grouping {
    let declared = match layouts {
        [Some(a), Some(b)] if a.declared == Some(false) || b.declared == Some(false) => Some(false),
        [Some(a), Some(b)] => a.declared.zip(b.declared).map(|(a, b)| a && b),
        [Some(one), None] | [None, Some(one)] => one.declared,
        [None, None] => Some(false),
    };
    if declared == Some(false) {
        return Grouping::PLAIN;
    }
    let actual = |k: usize| layouts[k].map_or(Some(false), |layout| layout.actual);
    let first = ranks[0].zip(ranks[1]).map(|(a, b)| a >= b);
    let actual = match first {
        Some(first) => actual(usize::from(!first)),
        None => actual(0).filter(|own| actual(1) == Some(*own)),
    };
    Grouping { declared, actual }
}

struct GroupingWalk<'a> {
    model: &'a Model,
    shapes: &'a Shapes,
    uses: &'a Uses,
    folded: &'a [bool],
    found: Vec<Grouping>,
}

impl GroupingWalk<'_> {
    fn is_folded(&self, value: ValueId) -> bool {
        self.folded.get(value.0 as usize).copied().unwrap_or(false)
    }

    fn follow(&mut self, id: NodeId) {
        let node = self.model.node(id);
        if node.outputs.iter().flatten().all(|value| self.is_folded(*value)) {
            return;
        }
        let own = self.of_result(node);
        for output in node.outputs.iter().flatten() {
            self.found[output.0 as usize] = own;
        }
    }

    /// Returns the layout of an operand; that of a constant is nothing.
    fn layout(&self, node: &Node, operand: usize) -> Option<Grouping> {
        let value = node.input(operand).filter(|value| !self.is_folded(*value))?;
        let own = self.found[value.0 as usize];
        // A body is a model of its own, with inputs of its own.
        let outer = self.model.value(value).producer.is_some_and(|(made, _)| self.model.node(made).graph != node.graph);
        Some(if outer && own != Grouping::PLAIN { Grouping::UNKNOWN } else { own })
    }

    fn of_result(&self, node: &Node) -> Grouping {
        let op = node.op.as_str();
        let first = || self.layout(node, 0).unwrap_or(Grouping::PLAIN);
        if !node.bodies.is_empty() && node.graph == GraphId(0) {
            return Grouping::PLAIN;
        }
        if GROUPED.contains(&op) || op == "PRelu" && self.is_layer(node) {
            let goes = GOES_BY_DECLARED.contains(&op) && first().is_mistaken() != Some(false);
            return if goes { Grouping { declared: Some(true), actual: None } } else { Grouping::GROUPED };
        }
        if keeps(node) || op == "PRelu" && self.is_single(node) || op == "Clip" && self.has_constants(node) {
            return first();
        }
        if PAIRED.contains(&op) && node.inputs.len() == 2 {
            let ranks = [0, 1].map(|k| self.rank(node, k));
            return self.unless_shared(node, of_pair([0, 1].map(|k| self.layout(node, k)), ranks));
        }
        if meaning::role(self.model, node) == Some(Role::Concat) {
            return self.of_most(node);
        }
        Grouping::PLAIN
    }

    /// Returns the layout that most of the operands have; constants have their numbers in order.
    fn of_most(&self, node: &Node) -> Grouping {
        let layouts = (0..node.inputs.len()).map(|k| self.layout(node, k).unwrap_or(Grouping::PLAIN).declared);
        let Some(grouped) = layouts.collect::<Option<Vec<bool>>>() else { return Grouping::UNKNOWN };
        let count = grouped.iter().filter(|grouped| **grouped).count();
        if 2 * count > grouped.len() { Grouping::GROUPED } else { Grouping::PLAIN }
    }

    /// Returns a layout of a node's result, if the constant of the node is not declared in another way for another node.
    fn unless_shared(&self, node: &Node, own: Grouping) -> Grouping {
        let constant = node.inputs.iter().flatten().find(|value| self.is_folded(**value));
        let other =
            |value: &ValueId| self.uses.of(*value).iter().any(|at| self.model.node(at.node).outputs != node.outputs);
        if own.is_mistaken() == Some(true) && constant.is_some_and(other) {
            Grouping { actual: None, ..own }
        } else {
            own
        }
    }

    fn rank(&self, node: &Node, operand: usize) -> Option<usize> {
        self.shapes.of.get(node.input(operand)?.0 as usize)?.shape.rank()
    }

    fn has_constants(&self, node: &Node) -> bool {
        node.inputs.iter().skip(1).flatten().all(|value| self.is_folded(*value))
    }

    /// Returns the sizes of a constant slope.
    fn slope(&self, node: &Node) -> Option<Vec<usize>> {
        let slope = node.input(1).filter(|slope| self.is_folded(*slope))?;
        self.shapes.of.get(slope.0 as usize)?.shape.known().map(|shape| shape.to_vec())
    }

    fn is_single(&self, node: &Node) -> bool {
        self.slope(node).is_some_and(|slope| slope.iter().product::<usize>() == 1)
    }

    /// Says whether a slope is that of a layer, with one number for each channel.
    fn is_layer(&self, node: &Node) -> bool {
        self.slope(node).is_some_and(|slope| !self.is_single(node) && is_on_axis_1(&slope))
    }
}

/// Says whether a slope has all its elements on its axis 1, or on its only one: it is the slope of a layer.
pub(super) fn is_on_axis_1(slope: &[usize]) -> bool {
    let place = usize::from(slope.len() > 1);
    slope.iter().enumerate().all(|(axis, dim)| *dim == 1 || axis == place)
}
