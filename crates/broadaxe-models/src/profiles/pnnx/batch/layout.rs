//! The axis that ncnn's tensors do not have: pnnx gives each node tensors as its layer needs them, and follows what the
//! nodes make of the axis. It is that of the batch only where nothing moved it otherwise.

use broadaxe_frameworks::Role;

use super::{passage::Passage, view::View};
use crate::{
    graph::{Node, NodeId, ValueId},
    meaning,
};

/// Operators whose layers take tensors as they are; of the functions, those that pnnx does not write into an expression.
const TRANSPARENT: &[&str] = &[
    "Celu",
    "Clip",
    "Concat",
    "Elu",
    "Gelu",
    "HardSwish",
    "LeakyRelu",
    "Mish",
    "Relu",
    "Selu",
    "Sigmoid",
    "Slice",
    "Softplus",
    "Split",
    "Tanh",
];

/// Returns, for every value, the axis that its tensor does not have; `labels` are the axes of the batch.
pub(super) fn axes(view: &View<'_>, labels: &[Option<usize>]) -> Vec<Option<usize>> {
    let known = |value: ValueId| view.is_folded(value) || view.model.value(value).producer.is_none();
    let mut is_input = vec![false; labels.len()];
    for input in &view.model.main().inputs {
        is_input[input.0 as usize] = true;
    }
    let own = |k: usize| labels[k].filter(|axis| is_input[k] || *axis == 0 && known(ValueId(k as u32)));
    let mut layout = Layout { view, labels, axes: (0..labels.len()).map(own).collect() };
    for id in view.model.walk() {
        let node = view.model.node(id);
        if node.outputs.iter().flatten().all(|value| !view.is_folded(*value)) {
            layout.follow(id);
        }
    }
    layout.axes
}

struct Layout<'a> {
    view: &'a View<'a>,
    labels: &'a [Option<usize>],
    axes: Vec<Option<usize>>,
}

impl Layout<'_> {
    fn label(&self, value: Option<ValueId>) -> Option<usize> {
        self.labels.get(value?.0 as usize).copied().flatten()
    }

    /// Sets the axes of the results of a node.
    fn follow(&mut self, id: NodeId) {
        let node = self.view.model.node(id);
        let (first, _) = self.view.ends(id);
        let step = self.view.through(id);
        for &output in node.outputs.iter().flatten() {
            let label = self.label(Some(output));
            let axis = if self.view.broadcasts(node) {
                label.filter(|axis| *axis == 0)
            } else {
                self.view.operands(first).first().and_then(|input| self.moved(node, &step, *input, output))
            };
            self.axes[output.0 as usize] = axis;
        }
    }

    fn moved(&self, node: &Node, step: &Passage, input: ValueId, output: ValueId) -> Option<usize> {
        let axis = self.axes[input.0 as usize];
        let label = self.label(Some(input));
        let role = meaning::role(self.view.model, node);
        let reshaped = |axis: Option<usize>| {
            let to = self.label(Some(output))?;
            axis.map_or_else(|| label.or(Some(to)), |_| Some(to))
        };
        // A tensor that has the axis keeps it where the node asks for none, and loses it where the node does.
        let asked = match label {
            Some(0) => axis.or(Some(0)),
            _ => None,
        };
        match step {
            Passage::Transpose(order) => {
                let axis = label.map_or(axis, |label| axis.or(Some(label)))?;
                order.iter().position(|from| *from == axis)
            }
            Passage::Reshape(..) | Passage::Flatten(..) | Passage::Matrix(_) => reshaped(axis),
            Passage::Squeeze(axes) => {
                axis.filter(|axis| !axes.contains(axis)).map(|axis| axis - axes.iter().filter(|at| **at < axis).count())
            }
            Passage::Unsqueeze(at) => axis.map(|axis| axis + usize::from(*at <= axis)),
            Passage::Select(at) => axis.filter(|axis| axis != at).map(|axis| axis - usize::from(*at < axis)),
            Passage::Keep
                if TRANSPARENT.contains(&node.op.as_str())
                    || matches!(role, Some(Role::Identity | Role::Transpose)) =>
            {
                axis
            }
            Passage::Keep | Passage::Stop => asked,
        }
    }
}
