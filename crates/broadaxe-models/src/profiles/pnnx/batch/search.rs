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
    let mut labeller = Labeller {
        view,
        labels: vec![None; view.model.values.len()],
        done: vec![[false; 2]; view.model.values.len()],
        tasks: vec![],
    };
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
    /// Which values were followed forth and back.
    done: Vec<[bool; 2]>,
    tasks: Vec<Visit>,
}

impl Labeller<'_> {
    fn run(&mut self, task: Visit) {
        self.tasks.push(task);
        while let Some(task) = self.tasks.pop() {
            match task {
                Visit::Forward(value) if self.is_new(value, 0) => {
                    let readers = self.view.uses.of(value).len();
                    self.tasks.extend((0..readers).rev().map(|at| Visit::Use(value, at)));
                }
                Visit::Use(value, at) => self.forward(value, at),
                Visit::Backward(value) if self.is_new(value, 1) => self.backward(value),
                Visit::Forward(_) | Visit::Backward(_) => {}
                Visit::Set(value, label, forward) => self.set(value, label, forward),
            }
        }
    }

    /// Says whether a value that has an axis was not followed in a direction before: what follows is the same again.
    fn is_new(&mut self, value: ValueId, direction: usize) -> bool {
        let done = &mut self.done[value.0 as usize][direction];
        self.labels[value.0 as usize].is_some() && !std::mem::replace(done, true)
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
        let at = view.uses.of(value)[at];
        let (_, last) = view.ends(at.node);
        if !view.is_operand(view.model.node(at.node), at.input) {
            return;
        }
        let label = view.through(at.node).forward(axis, view.shape(Some(value)), view.shape(last.output(0)));
        if let Some(label) = label {
            let outputs = last.outputs.iter().rev().flatten();
            self.tasks.extend(outputs.map(|output| Visit::Set(*output, label, true)));
        }
    }

    fn backward(&mut self, value: ValueId) {
        let Some(axis) = self.axis(value) else { return };
        let view = self.view;
        let producer = view.model.value(value).producer.map(|(node, _)| node);
        let Some(id) = producer.filter(|_| !view.is_folded(value)) else { return };
        let (first, _) = view.ends(id);
        let step = view.through(id);
        let from = view.shape(first.input(0));
        let Some(label) = step.backward(axis, from, view.shape(Some(value))) else { return };
        let label = |operand| match (&step, label) {
            (Passage::Keep, Label::Axis(axis)) => view.label(first, operand, axis),
            _ => label,
        };
        let operands = view.operands(first);
        self.tasks.extend(operands.into_iter().rev().map(|operand| Visit::Set(operand, label(operand), false)));
    }
}
