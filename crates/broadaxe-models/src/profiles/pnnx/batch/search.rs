//! Searches the batch of every value in the order in which pnnx does: the first axis that it comes to stays.

use super::{
    passage::{Label, Passage},
    view::View,
};
use crate::graph::{Node, ValueId};

/// What is still to be done; the last is done first.
enum Visit {
    /// Follow the axis of a value to the nodes that read it.
    Forward(ValueId),
    /// Follow it through one of these.
    Use(ValueId, usize),
    /// Follow it to the node that makes the value.
    Backward(ValueId),
    /// Label a value that has no label yet, and follow it, first in the direction in which the search came.
    Set(ValueId, Label, bool),
}

/// Labels the values of a model; those that pnnx does not come to get none.
pub(super) fn search(view: &View<'_>) -> Vec<Option<Label>> {
    let mut labeller = Labeller { view, labels: vec![None; view.model.values.len()], tasks: vec![] };
    let nodes: Vec<&Node> = view.model.walk().into_iter().map(|id| view.model.node(id)).collect();
    for value in nodes.iter().flat_map(|node| view.claims(node)) {
        labeller.labels[value.0 as usize] = Some(Label::Axis(0));
    }
    for value in &view.model.main().inputs {
        labeller.run(Visit::Forward(*value));
    }
    for node in nodes {
        for value in view.operands(node) {
            labeller.run(Visit::Backward(value));
        }
        for value in node.outputs.iter().flatten() {
            labeller.run(Visit::Forward(*value));
        }
    }
    labeller.labels
}

struct Labeller<'a> {
    view: &'a View<'a>,
    labels: Vec<Option<Label>>,
    tasks: Vec<Visit>,
}

impl Labeller<'_> {
    fn run(&mut self, task: Visit) {
        self.tasks.push(task);
        while let Some(task) = self.tasks.pop() {
            match task {
                Visit::Forward(value) => {
                    let readers = self.view.uses[value.0 as usize].len();
                    self.tasks.extend((0..readers).rev().map(|at| Visit::Use(value, at)));
                }
                Visit::Use(value, at) => self.forward(value, at),
                Visit::Backward(value) => self.backward(value),
                Visit::Set(value, label, forward) => self.set(value, label, forward),
            }
        }
    }

    fn axis(&self, value: ValueId) -> Option<usize> {
        match self.labels[value.0 as usize] {
            Some(Label::Axis(axis)) => Some(axis),
            _ => None,
        }
    }

    fn set(&mut self, value: ValueId, label: Label, forward: bool) {
        let known = &mut self.labels[value.0 as usize];
        if known.is_none() {
            *known = Some(label);
            let tasks = [Visit::Forward(value), Visit::Backward(value)];
            self.tasks.extend(tasks);
            if forward {
                let last = self.tasks.len();
                self.tasks.swap(last - 1, last - 2);
            }
        }
    }

    fn forward(&mut self, value: ValueId, at: usize) {
        let Some(axis) = self.axis(value) else { return };
        let view = self.view;
        let node = view.model.node(view.uses[value.0 as usize][at].node);
        let (first, last) = view.ends(node);
        if !view.operands(first).contains(&value) {
            return;
        }
        let label = view.through(node).forward(axis, view.shape(Some(value)), view.shape(last.output(0)));
        if let Some(label) = label {
            let outputs = last.outputs.iter().rev().flatten();
            self.tasks.extend(outputs.map(|output| Visit::Set(*output, label, true)));
        }
    }

    fn backward(&mut self, value: ValueId) {
        let Some(axis) = self.axis(value) else { return };
        let view = self.view;
        let producer = view.model.value(value).producer.map(|(node, _)| view.model.node(node));
        let Some(node) = producer.filter(|_| !view.is_folded(value)) else { return };
        let (first, _) = view.ends(node);
        let step = view.through(node);
        let from = view.shape(first.input(0));
        let Some(label) = step.backward(axis, from, view.shape(Some(value))) else { return };
        let label = |operand| match (&step, label) {
            (Passage::Keep, Label::Axis(axis)) => view.label(node, operand, axis),
            _ => label,
        };
        let operands = view.operands(first);
        self.tasks.extend(operands.into_iter().rev().map(|operand| Visit::Set(operand, label(operand), false)));
    }
}
