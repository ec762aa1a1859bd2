//! Runs parts of a model on an engine, and keeps the values that are right.
//!
//! A part is a set of nodes and a set of values to cut at. Where a value is cut, the node that makes it and the nodes that read it
//! are no longer connected: what is read is fed, so that no transformation of the engine reaches over it.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    time::Instant,
};

use broadaxe::DType;
use broadaxe_frameworks::System;

use super::{
    super::{
        QuestionTensor, numbers,
        run::{ModelAnswer, ModelRun, Runner, Tensor},
    },
    quantised,
};
use crate::{
    error::Error,
    format::part::{self, ModelFiles, Part, PartInput},
    graph::{Constant, Element, GraphId, Model, NodeId, ValueId},
    infer::Shapes,
    profiles::Facts,
};

/// How often a model runs: an engine may overwrite a constant in the first run.
pub(super) const TIMES: usize = 2;

/// The most bytes of constants, inputs and outputs of one run, as far as they are known; a group of nodes may have more.
const MOST_RUN_BYTES: usize = 192 << 20;

/// The most bytes of a constant that is read.
const MOST_CONSTANT_BYTES: usize = 256 << 20;

/// What became of a part.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ran {
    /// Its outputs, in their order.
    Values(Vec<Tensor>),
    /// The engine refuses it, or its process ended.
    Refused(String),
    /// Nothing was found out.
    Unknown(String),
}

/// Nodes that are run together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NodeSet {
    /// The nodes, in the order of the graph.
    pub(super) nodes: Vec<NodeId>,
    /// What is looked at: values that the nodes make.
    pub(super) outputs: Vec<ValueId>,
}

/// A model on an engine.
pub(super) struct PartRunner<'a> {
    pub(super) model: &'a Model,
    /// The shapes that values have with what the inputs are given.
    pub(super) shapes: &'a Shapes,
    /// The shapes with the open dims of the model.
    declared: &'a Shapes,
    pub(super) runner: &'a mut dyn Runner,
    /// How many models were run.
    pub(super) runs: usize,
    /// When no more are run.
    pub(super) until: Instant,
    /// The right values, as far as they are known, by [`ValueId`].
    values: Vec<Option<Tensor>>,
    /// Constants that parts have zeros for.
    pub(super) zeros: BTreeSet<ValueId>,
    /// What layers of products give with a bias of zeros, by [`ValueId`].
    products: BTreeMap<ValueId, QuestionTensor>,
    /// What is known of the values of the model.
    pub(super) facts: Facts,
    /// The arrays that nodes hold themselves, by [`NodeId`], or why they are not known.
    held: Result<Vec<Vec<Constant>>, String>,
    /// What each node of the main graph reads, the nodes of its bodies included, by [`NodeId`].
    reads: BTreeMap<NodeId, Vec<ValueId>>,
    /// The place of each node in the main graph, by [`NodeId`].
    places: BTreeMap<NodeId, usize>,
    /// Whether inputs of parts have the open dims of the model.
    pub(super) open: bool,
    /// Whether a run gave no answer that can be relied on.
    pub(super) is_unsure: bool,
}

impl<'a> PartRunner<'a> {
    /// Makes one whose inputs are given what is fed; the shapes are those with the open dims of the model, and those of what is fed.
    pub(super) fn new(
        model: &'a Model,
        (declared, shapes): (&'a Shapes, &'a Shapes),
        runner: &'a mut dyn Runner,
        until: Instant,
        feeds: Vec<(ValueId, Tensor)>,
    ) -> Self {
        let reads = model.main().nodes.iter().map(|&id| (id, reads(model, id))).collect();
        let places = model.main().nodes.iter().enumerate().map(|(at, &id)| (id, at)).collect();
        let (values, products) = (vec![None; model.values.len()], BTreeMap::new());
        let (open, is_unsure) = (true, false);
        let (zeros, held) = (BTreeSet::new(), part::held(model).map_err(|error| error.to_string()));
        let facts = Facts::of(model, declared, &[]);
        let mut own = Self {
            model,
            shapes,
            declared,
            runner,
            runs: 0,
            until,
            values,
            zeros,
            products,
            facts,
            held,
            reads,
            places,
            open,
            is_unsure,
        };
        for (id, tensor) in feeds.into_iter().chain(own.folded()) {
            own.keep(id, tensor);
        }
        own
    }

    /// Says whether no more models are run.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Returns the right value; nothing where it is not known.
    pub(super) fn value(&self, id: ValueId) -> Option<&Tensor> {
        self.values.get(id.0 as usize)?.as_ref()
    }

    /// Returns a constant, or the right value; nothing where it is not known.
    pub(super) fn tensor(&self, id: ValueId) -> Option<Tensor> {
        let Some(constant) = &self.model.value(id).constant else { return self.value(id).cloned() };
        self.elements(constant)
    }

    fn elements(&self, constant: &Constant) -> Option<Tensor> {
        let data = self.model.elements(constant, MOST_CONSTANT_BYTES).ok()??;
        Some(Tensor { dtype: constant.element.dtype()?, shape: constant.shape.clone(), data })
    }

    /// Returns the arrays that a node holds itself.
    ///
    /// # Errors
    /// Why they are not known.
    pub(super) fn held(&self, id: NodeId) -> Result<Vec<Tensor>, String> {
        let all = self.held.as_ref().map_err(Clone::clone)?;
        let held = all.get(id.0 as usize).map_or(&[][..], Vec::as_slice);
        let tensors: Option<Vec<Tensor>> = held.iter().map(|constant| self.elements(constant)).collect();
        tensors.ok_or_else(|| "its weights cannot be read".to_owned())
    }

    /// Keeps a right value, with elements of the type that the model gives it.
    pub(super) fn keep(&mut self, id: ValueId, tensor: Tensor) {
        let known = self.shapes.of.get(id.0 as usize).and_then(|known| known.element.clone());
        let element = known.or_else(|| self.model.value(id).element.clone());
        let dtype = element.and_then(|element| element.dtype()).unwrap_or(tensor.dtype);
        let tensor = if dtype == tensor.dtype {
            tensor
        } else {
            let data = numbers::bytes(dtype, &tensor.values());
            Tensor { dtype, shape: tensor.shape, data }
        };
        if let Some(place) = self.values.get_mut(id.0 as usize) {
            *place = Some(tensor);
        }
    }

    /// Gives an engine's elements of a value the shape that the value has, where that is known: layers that are not computed here may
    /// have an axis too many.
    pub(super) fn in_known_shape(&self, id: ValueId, tensor: &Tensor) -> Tensor {
        let count = |shape: &[usize]| shape.iter().product::<usize>();
        let fits = self.known_shape(id).filter(|shape| count(shape) == count(&tensor.shape));
        Tensor { shape: fits.unwrap_or_else(|| tensor.shape.clone()), ..tensor.clone() }
    }

    /// Returns the shape that a value has with what the inputs are given; nothing where it is not known.
    pub(super) fn known_shape(&self, id: ValueId) -> Option<Vec<usize>> {
        self.shapes.of.get(id.0 as usize)?.shape.known().map(|shape| shape.dims().to_vec())
    }

    /// Returns what a layer of products gives with a bias of zeros.
    pub(super) fn product(&self, id: ValueId) -> Option<&QuestionTensor> {
        self.products.get(&id)
    }

    /// Keeps what a layer of products gives with a bias of zeros.
    pub(super) fn keep_product(&mut self, id: ValueId, Tensor { dtype, shape, data }: Tensor) {
        let product = QuestionTensor { name: "product".to_owned(), dtype, shape, data, constant: false };
        self.products.insert(id, product);
    }

    /// Forgets a value.
    pub(super) fn forget(&mut self, id: ValueId) {
        if let Some(place) = self.values.get_mut(id.0 as usize) {
            *place = None;
        }
    }

    /// Lists what a node of the main graph reads, its bodies included: each value once.
    pub(super) fn reads(&self, id: NodeId) -> &[ValueId] {
        self.reads.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Returns the place of a node in the main graph.
    pub(super) fn place(&self, id: NodeId) -> usize {
        self.places.get(&id).copied().unwrap_or(usize::MAX)
    }

    /// Returns the node that computes a value; nothing for inputs, of which some formats have nodes, for constants, and for what is no
    /// tensor.
    pub(super) fn producer(&self, id: ValueId) -> Option<NodeId> {
        let value = self.model.value(id);
        let is_computed = value.constant.is_none() && value.graph == GraphId(0) && self.is_tensor(id);
        value.producer.map(|(node, _)| node).filter(|_| is_computed && !self.model.main().inputs.contains(&id))
    }

    /// Says whether a value can be given to an engine: not the handle of a variable, nor what layers of 8 bits pass on.
    fn is_tensor(&self, id: ValueId) -> bool {
        match self.model.system {
            System::Tflite => self.model.value(id).element.as_ref().is_none_or(|element| element.dtype().is_some()),
            System::Ncnn => !quantised::is_between_layers(self.model, id),
            _ => true,
        }
    }

    /// Computes what comes along with what reads it, as far as that is known.
    fn folded(&self) -> Vec<(ValueId, Tensor)> {
        let value = |&node: &NodeId| {
            let output = self.model.node(node).output(0).filter(|&id| self.is_folded(id))?;
            Some((output, quantised::dequantised(self.model, node, self.tensor(self.model.node(node).input(0)?)?)?))
        };
        self.model.main().nodes.iter().filter_map(value).collect()
    }

    /// Says whether a value comes along with what reads it: LiteRT computes such constants before a model runs, does not run them
    /// without other nodes, and gives anything in place of them where they are outputs.
    pub(super) fn is_folded(&self, id: ValueId) -> bool {
        self.model.system == System::Tflite && self.producer(id).is_some() && self.facts.is_constant(id)
    }

    /// Lists the nodes that give variables their first values, which a part with a variable needs.
    fn starters(&self) -> impl Iterator<Item = NodeId> {
        let is_starter = |id: &&NodeId| self.model.system == System::Tflite && self.model.node(**id).op == "CALL_ONCE";
        self.model.main().nodes.iter().filter(is_starter).copied()
    }

    /// Says whether a value is what an engine keeps between runs: nothing gives it.
    fn is_state(&self, id: ValueId) -> bool {
        let value = self.model.value(id);
        self.model.system == System::Tflite
            && value.producer.is_none()
            && value.constant.is_none()
            && !self.model.main().inputs.contains(&id)
    }

    /// Makes the part of some nodes, cut at some values; nothing where a value that flows in is not known.
    pub(super) fn part(&self, nodes: &[NodeId], cuts: &BTreeSet<ValueId>, outputs: &[ValueId]) -> Option<Part> {
        let mut within: BTreeSet<NodeId> = nodes.iter().copied().collect();
        let (mut inputs, mut seen, mut stack) = (Vec::new(), HashSet::new(), nodes.to_vec());
        while let Some(node) = stack.pop() {
            for &id in self.reads(node) {
                let value = self.model.value(id);
                let made = value.producer.map(|(producer, _)| producer);
                if value.constant.is_some() && !cuts.contains(&id) {
                    // A constant comes along; the node that holds it is a node.
                    within.extend(made);
                } else if !self.is_tensor(id) || self.is_state(id) || self.is_folded(id) && !cuts.contains(&id) {
                    let starters = self.starters().filter(|_| !self.is_tensor(id));
                    stack.extend(starters.chain(made).filter(|&node| within.insert(node)));
                } else if (cuts.contains(&id) || made.is_none_or(|made| !within.contains(&made))) && seen.insert(id) {
                    inputs.push(self.input(id)?);
                }
            }
        }
        inputs.sort_by_key(|input| input.value);
        Some(Part { nodes: within, inputs, outputs: outputs.to_vec(), zeros: self.zeros.clone() })
    }

    fn input(&self, id: ValueId) -> Option<PartInput> {
        let tensor = self.value(id)?;
        let dims = self.declared.of.get(id.0 as usize).and_then(|known| known.shape.dims());
        let dims = dims.filter(|dims| self.open && dims.len() == tensor.shape.len());
        let size =
            |(axis, &size): (usize, &usize)| Some(size).filter(|_| dims.is_none_or(|dims| dims[axis].size().is_some()));
        let shape = tensor.shape.iter().enumerate().map(size).collect();
        Some(PartInput { value: id, element: Element::Known(tensor.dtype), shape })
    }

    /// Returns what a part is given.
    pub(super) fn feeds(&self, part: &Part) -> Vec<(String, Tensor)> {
        let feed =
            |input: &PartInput| Some((self.model.value(input.value).name.clone(), self.value(input.value)?.clone()));
        part.inputs.iter().filter_map(feed).collect()
    }

    /// Runs a part.
    ///
    /// # Errors
    /// When the engine does not start.
    pub(super) fn run(&mut self, part: &Part) -> Result<Ran, Error> {
        self.run_times(part, TIMES)
    }

    /// Runs a part so often; the last run is the answer.
    ///
    /// # Errors
    /// When the engine does not start.
    pub(super) fn run_times(&mut self, part: &Part, times: usize) -> Result<Ran, Error> {
        let files = match part::write(self.model, part) {
            Ok(files) => files,
            Err(error) => return Ok(Ran::Unknown(error.to_string())),
        };
        let outputs = part.outputs.iter().map(|&id| part.output_name(self.model, id)).collect();
        let inputs = self.feeds(part);
        self.run_files(files, inputs, outputs, times)
    }

    /// Runs files of the format of the model.
    ///
    /// # Errors
    /// When the engine does not start.
    pub(super) fn run_files(
        &mut self,
        files: ModelFiles,
        inputs: Vec<(String, Tensor)>,
        outputs: Vec<String>,
        times: usize,
    ) -> Result<Ran, Error> {
        let ModelFiles { model, weights } = files;
        let run = ModelRun { format: self.model.format, model, weights, inputs, outputs, times };
        if self.is_late() {
            self.is_unsure = true;
            return Ok(Ran::Unknown("the time is up".to_owned()));
        }
        self.runs += 1;
        let answer = self.runner.run(&run)?;
        self.is_unsure |= matches!(answer, ModelAnswer::Unknown(_));
        Ok(match answer {
            ModelAnswer::Values(values) if values.len() == run.outputs.len() => Ran::Values(values),
            ModelAnswer::Values(_) => Ran::Unknown("its answer cannot be read".to_owned()),
            ModelAnswer::Refused(why) => Ran::Refused(format!("it says: {why}")),
            ModelAnswer::Ended(why) => Ran::Refused(why),
            ModelAnswer::Unknown(why) => Ran::Unknown(why),
        })
    }

    /// Returns how many bytes a value has, as far as that is known.
    fn byte_count(&self, id: ValueId) -> usize {
        if let Some(tensor) = self.value(id) {
            return tensor.data.len();
        }
        let known = self.shapes.of.get(id.0 as usize);
        let element = known.and_then(|known| known.element.as_ref()).or(self.model.value(id).element.as_ref());
        let size = element.and_then(Element::dtype).map_or(1, DType::size);
        let shape = known.and_then(|known| known.shape.known());
        shape.map_or(0, |shape| shape.iter().product::<usize>().saturating_mul(size))
    }

    /// Puts groups of nodes that follow one another together, as many as a run may have.
    pub(super) fn in_runs<'g>(&self, groups: &'g [NodeSet]) -> Vec<&'g [NodeSet]> {
        let bytes_of = |group: &NodeSet| {
            let within: BTreeSet<NodeId> = group.nodes.iter().copied().collect();
            let flows_in = |id: &ValueId| self.producer(*id).is_none_or(|made| !within.contains(&made));
            let read: BTreeSet<ValueId> =
                group.nodes.iter().flat_map(|&node| self.reads(node)).copied().filter(flows_in).collect();
            read.iter().chain(&group.outputs).map(|&id| self.byte_count(id)).fold(0, usize::saturating_add)
        };
        let (mut runs, mut start, mut total) = (Vec::new(), 0, 0_usize);
        for (at, group) in groups.iter().enumerate() {
            let bytes = bytes_of(group);
            if at > start && total.saturating_add(bytes) > MOST_RUN_BYTES {
                runs.push(&groups[start..at]);
                (start, total) = (at, 0);
            }
            total = total.saturating_add(bytes);
        }
        runs.push(&groups[start..]);
        runs
    }

    /// Runs groups of nodes side by side in few models, cut at some values; where the engine refuses one, its halves.
    ///
    /// # Errors
    /// When the engine does not start.
    pub(super) fn run_groups(&mut self, groups: &[NodeSet], cuts: &BTreeSet<ValueId>) -> Result<Vec<Ran>, Error> {
        let mut all = Vec::with_capacity(groups.len());
        for run in self.in_runs(groups) {
            all.extend(self.run_together(run, cuts)?);
        }
        Ok(all)
    }

    fn run_together(&mut self, groups: &[NodeSet], cuts: &BTreeSet<ValueId>) -> Result<Vec<Ran>, Error> {
        if groups.is_empty() {
            return Ok(Vec::new());
        }
        let nodes: Vec<NodeId> = groups.iter().flat_map(|group| group.nodes.iter().copied()).collect();
        let outputs: Vec<ValueId> = groups.iter().flat_map(|group| group.outputs.iter().copied()).collect();
        let ran = match self.part(&nodes, cuts, &outputs) {
            Some(part) => self.run(&part)?,
            None => Ran::Unknown("what flows in is not known".to_owned()),
        };
        match ran {
            Ran::Values(values) => {
                let mut values = values.into_iter();
                let of = |group: &NodeSet| Ran::Values(values.by_ref().take(group.outputs.len()).collect());
                Ok(groups.iter().map(of).collect())
            }
            ran if groups.len() < 2 => Ok(vec![ran; groups.len()]),
            _ => {
                let (one, other) = groups.split_at(groups.len() / 2);
                let mut all = self.run_together(one, cuts)?;
                all.extend(self.run_together(other, cuts)?);
                Ok(all)
            }
        }
    }
}

/// Lists what a node reads from the main graph, its bodies included: each value once.
fn reads(model: &Model, id: NodeId) -> Vec<ValueId> {
    let (mut found, mut seen, mut nodes) = (Vec::new(), HashSet::new(), vec![id]);
    while let Some(node) = nodes.pop() {
        let node = model.node(node);
        nodes.extend(node.bodies.iter().flat_map(|&body| &model.graph(body).nodes));
        let results = node.bodies.iter().flat_map(|&body| &model.graph(body).outputs);
        let read = node.inputs.iter().flatten().chain(results).copied();
        found.extend(read.filter(|&value| model.value(value).graph == GraphId(0) && seen.insert(value)));
    }
    found
}
