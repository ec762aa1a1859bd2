//! Searches the batch of every value in the order in which pnnx does: the first axis that it comes to stays.

use super::step::{Label, Source, Step};
use crate::graph::{Node, ValueId};

/// What is still to be done; the last is done first.
enum Task {
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
pub(super) fn search(source: &Source<'_>) -> Vec<Option<Label>> {
    let mut search = Search { source, labels: vec![None; source.model.values.len()], tasks: vec![] };
    let nodes: Vec<&Node> = source.model.walk().into_iter().map(|id| source.model.node(id)).collect();
    for value in nodes.iter().flat_map(|node| source.claims(node)) {
        search.labels[value.0 as usize] = Some(Label::Axis(0));
    }
    for value in &source.model.main().inputs {
        search.run(Task::Forward(*value));
    }
    for node in nodes {
        for value in source.operands(node) {
            search.run(Task::Backward(value));
        }
        for value in node.outputs.iter().flatten() {
            search.run(Task::Forward(*value));
        }
    }
    search.labels
}

struct Search<'a> {
    source: &'a Source<'a>,
    labels: Vec<Option<Label>>,
    tasks: Vec<Task>,
}

impl Search<'_> {
    fn run(&mut self, task: Task) {
        self.tasks.push(task);
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Forward(value) => {
                    let readers = self.source.uses[value.0 as usize].len();
                    self.tasks.extend((0..readers).rev().map(|at| Task::Use(value, at)));
                }
                Task::Use(value, at) => self.forward(value, at),
                Task::Backward(value) => self.backward(value),
                Task::Set(value, label, forward) => self.set(value, label, forward),
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
            let tasks = [Task::Forward(value), Task::Backward(value)];
            self.tasks.extend(tasks);
            if forward {
                let last = self.tasks.len();
                self.tasks.swap(last - 1, last - 2);
            }
        }
    }

    fn forward(&mut self, value: ValueId, at: usize) {
        let Some(axis) = self.axis(value) else { return };
        let source = self.source;
        let node = source.model.node(source.uses[value.0 as usize][at].node);
        let (first, last) = source.ends(node);
        if !source.operands(first).contains(&value) {
            return;
        }
        let label = source.through(node).forward(axis, source.shape(Some(value)), source.shape(last.output(0)));
        if let Some(label) = label {
            let outputs = last.outputs.iter().rev().flatten();
            self.tasks.extend(outputs.map(|output| Task::Set(*output, label, true)));
        }
    }

    fn backward(&mut self, value: ValueId) {
        let Some(axis) = self.axis(value) else { return };
        let source = self.source;
        let producer = source.model.value(value).producer.map(|(node, _)| source.model.node(node));
        let Some(node) = producer.filter(|_| !source.is_folded(value)) else { return };
        let (first, _) = source.ends(node);
        let step = source.through(node);
        let from = source.shape(first.input(0));
        let Some(label) = step.backward(axis, from, source.shape(Some(value))) else { return };
        let label = |operand| match (&step, label) {
            (Step::Keep, Label::Axis(axis)) => source.label(node, operand, axis),
            _ => label,
        };
        let operands = source.operands(first);
        self.tasks.extend(operands.into_iter().rev().map(|operand| Task::Set(operand, label(operand), false)));
    }
}
