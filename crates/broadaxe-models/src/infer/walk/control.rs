//! Runs nodes with bodies: branches, loops and functions.

use broadaxe::DType;
use broadaxe_frameworks::System;

use super::{Running, Task, Walk};
use crate::{
    error::Error,
    graph::{Attribute, Element, GraphId, NodeId, ValueId},
    infer::{
        Size,
        call::because,
        number::Number,
        tensor::{Tensor, read},
    },
};

/// What a node with bodies is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Branches,
    Loop,
    Scan,
    Function,
    /// A body that is run once, with inputs of its own.
    Call,
    /// A loop with a body for its condition, and the same states before and after.
    While,
    Other,
}

impl Walk<'_> {
    fn kind(&self, id: NodeId) -> Kind {
        let node = self.model.node(id);
        let standard = matches!(node.domain.as_str(), "" | "ai.onnx");
        match node.op.as_str() {
            "If" | "IF" if standard && node.bodies.len() == 2 => Kind::Branches,
            "Loop" if standard => Kind::Loop,
            "Scan" if standard && node.version > 8 => Kind::Scan,
            "WHILE" | "STABLEHLO_WHILE" if standard && node.bodies.len() == 2 => Kind::While,
            "CALL" | "STABLEHLO_COMPOSITE" if standard && node.bodies.len() == 1 => Kind::Call,
            _ if node.attributes.iter().any(|(_, value)| matches!(value, Attribute::Graph(_))) => Kind::Other,
            _ if self.model.system == System::Onnx && node.bodies.len() == 1 => Kind::Function,
            _ => Kind::Other,
        }
    }

    /// Says what flows into the bodies of a node, and has them run before it is left.
    pub(super) fn enter(&mut self, id: NodeId, steps: &mut Vec<Task>) {
        let node = self.model.node(id);
        let last = self.budget == 0;
        let opaque = last && matches!(self.kind(id), Kind::Loop | Kind::Scan | Kind::While);
        for &body in &node.bodies {
            // The names in a function's body stand for the values of the call themselves.
            if self.kind(id) == Kind::Function {
                break;
            }
            for k in 0..self.model.graph(body).inputs.len() {
                let (tensor, element) = if opaque { Default::default() } else { self.inflow(id, k) };
                let input = self.model.graph(body).inputs[k];
                self.bring(input, tensor, element, id);
            }
        }
        steps.push(Task::Leave(id, Running { last, ..Running::default() }));
        steps.extend(node.bodies.iter().rev().map(|&body| Task::Graph(body, 0)));
    }

    /// Returns what is known of an input of a node, elements too.
    fn known(&self, id: NodeId, k: usize) -> (Tensor, Option<Element>) {
        let call = self.call(id);
        let dims = call.dims(k).ok().map(<[Size]>::to_vec);
        let values = call.values(k).map(<[_]>::to_vec);
        (Tensor { dims, ..Tensor::default() }.with(values), call.element(k).cloned())
    }

    /// Returns what flows into input `k` of a body when it first runs.
    fn inflow(&self, id: NodeId, k: usize) -> (Tensor, Option<Element>) {
        let plain = |(tensor, element): (Tensor, _)| (Tensor { values: None, ..tensor }, element);
        match self.kind(id) {
            Kind::Loop => match k {
                0 => (Tensor::of(Vec::new()), Some(Element::Known(DType::I64))),
                1 => (Tensor::of(Vec::new()), Some(Element::Known(DType::Bool))),
                k => plain(self.known(id, k)),
            },
            Kind::Scan => {
                let states = self.states(id);
                let (mut tensor, element) = plain(self.known(id, k));
                if let (Some(dims), true) = (&mut tensor.dims, k >= states) {
                    match self.scan_axis(id, "scan_input_axes", k - states, dims.len()) {
                        Some(axis) => drop(dims.remove(axis)),
                        None => tensor.dims = None,
                    }
                }
                (tensor, element)
            }
            Kind::While => plain(self.known(id, k)),
            Kind::Call => self.known(id, k),
            // A branch of ONNX reads the values around it.
            Kind::Branches if self.model.system == System::Tflite => self.known(id, k + 1),
            Kind::Branches | Kind::Function | Kind::Other => Default::default(),
        }
    }

    /// Counts the states of a loop or a scan.
    fn states(&self, id: NodeId) -> usize {
        let node = self.model.node(id);
        match self.kind(id) {
            Kind::Loop => node.inputs.len().saturating_sub(2),
            Kind::While => node.inputs.len(),
            Kind::Scan => {
                let scanned = node.attribute("num_scan_inputs").and_then(Attribute::int).unwrap_or(0);
                node.inputs.len().saturating_sub(usize::try_from(scanned).unwrap_or(0))
            }
            _ => 0,
        }
    }

    fn scan_axis(&self, id: NodeId, name: &str, k: usize, rank: usize) -> Option<usize> {
        let call = self.call(id);
        call.axis(call.ints(name).and_then(|axes| axes.get(k).copied()).unwrap_or(0), rank).ok()
    }

    /// Keeps the results of the bodies, or runs them again.
    pub(super) fn leave(&mut self, id: NodeId, mut running: Running, steps: &mut Vec<Task>) -> Result<(), Error> {
        let node = self.model.node(id);
        let kind = self.kind(id);
        let outputs: Vec<Vec<ValueId>> =
            node.bodies.iter().map(|&body| self.model.graph(body).outputs.clone()).collect();
        let made = match (kind, outputs.as_slice()) {
            (Kind::Loop | Kind::Scan, [_]) | (Kind::While, [_, _]) => {
                let body = node.bodies[node.bodies.len() - 1];
                if self.again(id, body, &mut running) {
                    steps.push(Task::Leave(id, running));
                    steps.extend(node.bodies.iter().rev().map(|&body| Task::Graph(body, 0)));
                    return Ok(());
                }
                self.looped(id, body)
            }
            (Kind::Branches, [_, _]) => self.branched(id),
            (Kind::Function | Kind::Call, [outputs]) => outputs.iter().map(|&output| self.made(output)).collect(),
            _ => Vec::new(),
        };
        let (mut tensors, mut elements): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        elements.resize(node.outputs.len(), None);
        tensors.truncate(node.outputs.len());
        let made = match kind {
            Kind::Other => because(format!("the results of {} are not inferred", node.op)),
            _ if tensors.iter().all(|tensor| tensor.dims.is_none()) => {
                because(format!("{}: its bodies leave the shapes open", node.op))
            }
            _ => Ok(tensors),
        };
        self.settle(id, made, elements)
    }

    /// Returns what is known of a value.
    fn made(&self, id: ValueId) -> (Tensor, Option<Element>) {
        let fact = &self.facts[id.0 as usize];
        (fact.tensor.clone(), fact.element.clone())
    }

    /// Opens the states that a body changes; says whether it must run again.
    fn again(&mut self, id: NodeId, body: GraphId, running: &mut Running) -> bool {
        if running.last {
            return false;
        }
        // A loop's body has a number and a condition before its states, and returns a condition.
        let (first, behind) = if self.kind(id) == Kind::Loop { (2, 1) } else { (0, 0) };
        let graph = self.model.graph(body);
        self.budget = self.budget.saturating_sub(graph.nodes.len() + 1);
        let mut changed = false;
        for k in 0..self.states(id) {
            let pair = graph.inputs.get(first + k).zip(graph.outputs.get(behind + k));
            let Some((&input, &output)) = pair else { continue };
            let (before, after) = (self.made(input).0.dims, self.made(output).0.dims);
            let Some(before) = before else { continue };
            let open = match after {
                _ if self.budget == 0 => None,
                Some(after) if after.len() == before.len() => {
                    let opened = |(x, y): (&Size, &Size)| x == y || running.opened.contains(x);
                    if before.iter().zip(&after).all(opened) {
                        continue;
                    }
                    let mut dims = before.clone();
                    for (x, y) in dims.iter_mut().zip(&after) {
                        if x != y && !running.opened.contains(x) {
                            *x = self.open();
                            running.opened.push(x.clone());
                        }
                    }
                    Some(dims)
                }
                _ => None,
            };
            changed = true;
            self.reopen(id, first + k, input, open.as_deref());
        }
        running.last = self.budget == 0;
        changed
    }

    /// Opens a state in all bodies of a loop: its condition reads it too.
    fn reopen(&mut self, id: NodeId, at: usize, state: ValueId, dims: Option<&[Size]>) {
        let element = self.facts[state.0 as usize].element.clone();
        let bodies = self.model.node(id).bodies.iter();
        for &input in bodies.filter_map(|&body| self.model.graph(body).inputs.get(at)) {
            self.bring(input, Tensor { dims: dims.map(<[Size]>::to_vec), ..Tensor::default() }, element.clone(), id);
        }
    }

    /// Returns the results of a loop: states as they are before and after every run, and what each run returns, stacked.
    fn looped(&self, id: NodeId, body: GraphId) -> Vec<(Tensor, Option<Element>)> {
        let graph = self.model.graph(body);
        let (first, behind) = if self.kind(id) == Kind::Loop { (2, 1) } else { (0, 0) };
        let states = self.states(id);
        let mut made = Vec::new();
        for (k, &output) in graph.outputs.iter().skip(behind).enumerate() {
            let (after, element) = self.made(output);
            let mut tensor = Tensor { values: None, ..after };
            if k < states {
                let before = graph.inputs.get(first + k).and_then(|&input| self.made(input).0.dims);
                tensor = self.join(&Tensor { dims: before, ..Tensor::default() }, &tensor);
            } else if let Some(dims) = &mut tensor.dims {
                match self.scan_axis(id, "scan_output_axes", k - states, dims.len() + 1) {
                    Some(axis) => dims.insert(axis, self.runs(id, body)),
                    None => tensor.dims = None,
                }
            }
            made.push((tensor, element));
        }
        made
    }

    /// Returns how often a body runs, where that is known.
    fn runs(&self, id: NodeId, body: GraphId) -> Size {
        let call = self.call(id);
        if self.kind(id) == Kind::Scan {
            let states = self.states(id);
            let lengths = (states..call.inputs()).filter_map(|k| {
                let dims = call.dims(k).ok()?;
                dims.get(self.scan_axis(id, "scan_input_axes", k - states, dims.len())?).cloned()
            });
            let known = lengths.reduce(|x, y| if x.number().is_some() { x } else { y });
            return known.unwrap_or_else(|| self.open());
        }
        let truth = |tensor: &Tensor| {
            tensor
                .values
                .as_ref()
                .is_some_and(|values| values.iter().all(|value| value.as_ref().and_then(Number::value) == Some(1.0)))
        };
        let stays = self.model.graph(body).outputs.first().is_some_and(|&condition| truth(&self.bodied(condition)));
        let starts = !call.has(1) || truth(&self.known(id, 1).0);
        let count = call.scalar(0).filter(|count| stays && starts && count.low().is_some_and(|low| low >= 0));
        count.unwrap_or_else(|| self.open())
    }

    /// Returns what is known of a value of a body, a constant's elements too.
    fn bodied(&self, id: ValueId) -> Tensor {
        let tensor = self.made(id).0;
        match &self.model.value(id).constant {
            Some(constant) if tensor.values.is_none() => {
                let values = read(self.model, constant);
                Tensor { values, ..tensor }
            }
            _ => tensor,
        }
    }

    /// Returns the branches of a node, and whether the first one is taken, where that is known.
    fn branches(&self, id: NodeId) -> ([GraphId; 2], Option<bool>) {
        let node = self.model.node(id);
        let named = |name: &str| match node.attribute(name) {
            Some(Attribute::Graph(graph)) => Some(*graph),
            _ => None,
        };
        let branches = [named("then_branch").unwrap_or(node.bodies[0]), named("else_branch").unwrap_or(node.bodies[1])];
        let condition = self.call(id).scalar(0).and_then(|condition| condition.number());
        (branches, condition.map(|condition| condition != 0))
    }

    /// Lists the branches that are never taken.
    pub(super) fn untaken(&self) -> Vec<GraphId> {
        let ids = (0..self.model.nodes.len()).map(|k| NodeId(k as u32));
        let branching =
            ids.filter(|&id| self.model.node(id).bodies.len() == 2 && matches!(self.kind(id), Kind::Branches));
        let untaken = branching.filter_map(|id| {
            let ([yes, no], taken) = self.branches(id);
            taken.map(|taken| if taken { no } else { yes })
        });
        untaken.collect()
    }

    /// Returns the results of the branch that is taken, or what both have in common.
    fn branched(&self, id: NodeId) -> Vec<(Tensor, Option<Element>)> {
        let ([yes, no], taken) = self.branches(id);
        let outputs = |branch: GraphId| self.model.graph(branch).outputs.clone();
        if let Some(taken) = taken {
            let made = |output: ValueId| (self.bodied(output), self.made(output).1);
            return outputs(if taken { yes } else { no }).into_iter().map(made).collect();
        }
        let results = [outputs(yes), outputs(no)];
        let pairs = results[0].iter().zip(&results[1]);
        pairs
            .map(|(&x, &y)| {
                let (one, two) = (self.bodied(x), self.bodied(y));
                let element = self.made(x).1.filter(|element| Some(element) == self.made(y).1.as_ref());
                (self.join(&one, &two), element)
            })
            .collect()
    }

    /// Returns a tensor that may be either of two.
    fn join(&self, x: &Tensor, y: &Tensor) -> Tensor {
        if x == y {
            return x.clone();
        }
        match (&x.dims, &y.dims) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                Tensor::of(a.iter().zip(b).map(|(x, y)| if x == y { x.clone() } else { self.open() }).collect())
            }
            _ => Tensor::default(),
        }
    }
}
