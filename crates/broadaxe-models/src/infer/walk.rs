//! Walks over a model: nodes in order, bodies when their owner is reached, loops until their states are stable.
//!
//! A walk is a stack of what is still to do, so that nothing recurses. A body runs again only while a state's shape was
//! taken for more than it is; a budget ends that, and then states are taken for unknown at once.

mod control;

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    rc::Rc,
};

use broadaxe::DType;
use broadaxe_frameworks::System;
use broadaxe_shape::{
    shape::MAX_RANK,
    symbolic::{Dim, SymbolicShape},
};

use super::{
    Inferences, Known, Origin, Shapes, Size,
    call::{Call, Fact, Made, Stop},
    ncnn,
    number::Number,
    table,
    tensor::Tensor,
};
use crate::{
    error::Error,
    graph::{Element, GraphId, Model, Node, NodeId, ValueId},
};

/// The most elements that are followed in all; a long chain over large tensors ends there.
const ELEMENTS: usize = 1 << 20;

/// What is still to do.
enum Task {
    /// The nodes of a graph from this one on.
    Graph(GraphId, usize),
    /// The end of a node whose bodies have run.
    Leave(NodeId, Running),
}

/// A node whose bodies are running.
#[derive(Default)]
struct Running {
    /// The sizes that were opened because a state changes them.
    opened: Vec<Size>,
    /// Whether all states are taken for unknown.
    last: bool,
}

/// What is known on the way through a model.
pub(crate) struct Walk<'a> {
    model: &'a Model,
    facts: Vec<Fact>,
    origins: Vec<Origin>,
    inferences: Inferences,
    private: Cell<u32>,
    /// Extents that tensors have and whose expressions might be negative.
    extents: HashSet<Size>,
    /// How many elements may still be followed.
    elements: usize,
    /// How many nodes may still be looked at again.
    budget: usize,
    /// What the caller's shapes make of names of dims.
    bound: HashMap<String, Size>,
    /// Whether recorded shapes are those of other inputs.
    stale: bool,
    /// Whether recorded shapes are taken as they are, and a contradiction is no error.
    recorded: bool,
    remarks: Vec<String>,
    contradictions: Vec<(NodeId, String)>,
}

impl<'a> Walk<'a> {
    /// Begins a walk: constants are known, and inputs as they are given or declared.
    pub(crate) fn new(model: &'a Model, given: &[(ValueId, Vec<Dim>)], recorded: bool) -> Result<Self, Error> {
        let budget = 4 * model.nodes.len() + 256;
        let mut walk = Self {
            model,
            facts: Vec::with_capacity(model.values.len()),
            origins: Vec::with_capacity(model.values.len()),
            inferences: Inferences::default(),
            private: Cell::new(0),
            extents: HashSet::new(),
            elements: ELEMENTS,
            budget,
            bound: HashMap::new(),
            stale: false,
            recorded,
            remarks: Vec::new(),
            contradictions: Vec::new(),
        };
        for (k, value) in model.values.iter().enumerate() {
            let (tensor, element, origin) = match &value.constant {
                Some(constant) => (Tensor::known(&constant.shape), Some(constant.element.clone()), Origin::Constant),
                None => walk.untouched(ValueId(k as u32)),
            };
            walk.facts.push(Fact { tensor, element, ..Fact::default() });
            walk.origins.push(origin);
        }
        walk.bind(given)?;
        for &input in &model.main().inputs {
            walk.input(input, given);
        }
        Ok(walk)
    }

    /// Returns what is known of a value before anything makes it. Variables of TFLite are as the file says, and so is what no
    /// run reaches.
    fn untouched(&self, id: ValueId) -> (Tensor, Option<Element>, Origin) {
        let dims = if self.model.system == System::Tflite { self.declared(id) } else { None };
        let unknown = || Origin::Unknown("nothing makes it".into());
        let origin = if dims.is_some() { Origin::Declared } else { unknown() };
        (Tensor { dims, ..Tensor::default() }, self.element(id), origin)
    }

    /// Learns from given shapes which sizes the names of dims have, and whether they are other shapes than the file's.
    fn bind(&mut self, given: &[(ValueId, Vec<Dim>)]) -> Result<(), Error> {
        for (id, dims) in given {
            let value = self.model.value(*id);
            let Some(declared) = value.declared.as_ref().and_then(SymbolicShape::dims) else { continue };
            for (was, is) in declared.iter().zip(dims) {
                let size = self.size(is);
                match was.name().filter(|_| was.size().is_none()) {
                    Some(_) if is.size().is_none() && is.names().is_empty() => {}
                    Some(name) => {
                        if let Some(known) = self.bound.get(name)
                            && known.equal(&size) == Some(false)
                        {
                            return Err(Error::new(
                                crate::ErrorKind::Argument,
                                format!("{name} is {known} in one given shape and {size} in that of {}", value.name),
                            ));
                        }
                        self.bound.insert(name.to_string(), size);
                    }
                    None => self.stale |= is.size().map_or(was.size().is_some(), |size| !was.allows(size)),
                }
            }
        }
        Ok(())
    }

    fn input(&mut self, id: ValueId, given: &[(ValueId, Vec<Dim>)]) {
        let value = self.model.value(id);
        // A constant among the inputs is a default; it counts unless another shape is given.
        if value.constant.is_some() && given.iter().all(|(known, _)| *known != id) {
            return;
        }
        let (dims, origin) = match given.iter().find(|(known, _)| *known == id) {
            Some((_, dims)) => (Some(dims.iter().map(|dim| self.size(dim)).collect()), Origin::Given),
            None => (self.declared(id), Origin::Declared),
        };
        let unknown = || format!("the file does not say the shape of the input {}", value.name);
        let origin = if dims.is_none() { Origin::Unknown(unknown()) } else { origin };
        let why = dims.is_none().then(|| Rc::from(unknown()));
        self.facts[id.0 as usize] =
            Fact { tensor: Tensor { dims, ..Tensor::default() }, element: self.element(id), why, ..Fact::default() };
        self.origins[id.0 as usize] = origin;
    }

    /// Returns the type that the file records for a value's elements. Blobs of ncnn are f32 unless it says otherwise.
    fn element(&self, id: ValueId) -> Option<Element> {
        let otherwise = (self.model.system == System::Ncnn).then_some(Element::Known(DType::F32));
        self.model.value(id).element.clone().or(otherwise)
    }

    fn size(&self, dim: &Dim) -> Size {
        let mut number = self.private.get();
        let size = Size::of(dim, &mut number);
        self.private.set(number);
        size
    }

    /// Makes a size of which nothing is known.
    fn open(&self) -> Size {
        self.size(&Dim::unknown())
    }

    /// Returns the extents that the file records for a value, with what names stand for.
    fn declared(&self, id: ValueId) -> Option<Vec<Size>> {
        let dims = self.model.value(id).declared.as_ref()?.dims()?;
        let size = |dim: &Dim| match dim.name().filter(|_| dim.size().is_none()).and_then(|name| self.bound.get(name)) {
            Some(size) => size.clone(),
            None => self.size(dim),
        };
        Some(dims.iter().map(size).collect())
    }

    /// Looks at everything.
    pub(crate) fn run(mut self) -> Result<Shapes, Error> {
        // Each subgraph of TFLite may be run by itself.
        let roots = if self.model.system == System::Tflite { self.model.roots() } else { vec![GraphId(0)] };
        let mut steps: Vec<Task> = roots.into_iter().rev().map(|graph| Task::Graph(graph, 0)).collect();
        while let Some(step) = steps.pop() {
            match step {
                Task::Graph(graph, next) => {
                    let Some(&node) = self.model.graph(graph).nodes.get(next) else { continue };
                    steps.push(Task::Graph(graph, next + 1));
                    if self.model.node(node).bodies.is_empty() {
                        self.node(node)?;
                    } else {
                        self.enter(node, &mut steps);
                    }
                }
                Task::Leave(node, running) => self.leave(node, running, &mut steps)?,
            }
        }
        Ok(self.shapes())
    }

    /// Makes what a shape function sees of a node.
    fn call(&self, id: NodeId) -> Call<'_> {
        Call {
            model: self.model,
            node: self.model.node(id),
            facts: &self.facts,
            extents: &self.extents,
            inferences: &self.inferences,
            private: &self.private,
        }
    }

    fn node(&mut self, id: NodeId) -> Result<(), Error> {
        let call = self.call(id);
        let node = call.node;
        if is_input(self.model, node) {
            return Ok(());
        }
        let domain = if node.domain.is_empty() { String::new() } else { format!("{}.", node.domain) };
        let unknown = || Err(Stop::Because(format!("the operator {domain}{} is not known here", node.op)));
        let found = table::find(&call);
        let (mut made, types) = found.map_or_else(|| (unknown(), &[][..]), |(infer, types)| (infer(&call), types));
        // An input of one sample goes with each sample of the others.
        let batch = (0..node.inputs.len()).map(|k| call.batch(k)).find(|batch| !batch.is(1));
        for tensor in made.iter_mut().flatten().filter(|tensor| tensor.batch.is_none()) {
            tensor.batch.clone_from(&batch);
        }
        let elements = (0..node.outputs.len()).map(|k| table::element(&call, types, k)).collect();
        self.settle(id, made, elements)
    }

    /// Keeps the results of a node, merged with what the file says of them.
    fn settle(&mut self, id: NodeId, made: Made, elements: Vec<Option<Element>>) -> Result<(), Error> {
        let node = self.model.node(id);
        let (tensors, why) = match made {
            Ok(tensors) => (tensors, None),
            Err(stop) => (Vec::new(), Some(self.reason(id, stop))),
        };
        let mut tensors = tensors.into_iter();
        for (k, element) in elements.into_iter().enumerate() {
            let tensor = tensors.next().unwrap_or_default();
            let Some(output) = node.output(k) else { continue };
            if self.model.value(output).constant.is_some() {
                continue;
            }
            if let Some(what) = tensor.dims.as_deref().and_then(|dims| impossible(self.model.system, dims)) {
                let why = Some(self.reason(id, Stop::Because(format!("{} makes {what}", node.op))));
                self.keep(output, id, Tensor::default(), element, why)?;
                continue;
            }
            let why = match (&tensor.dims, &why) {
                (Some(_), _) => None,
                (None, Some(why)) => Some(why.clone()),
                (None, None) => Some(Rc::from(format!("the shape of output {k} of {} is not inferred", node.op))),
            };
            self.keep(output, id, tensor, element, why)?;
        }
        Ok(())
    }

    /// Says in a sentence why a node's results are not known: the first reason on the way.
    fn reason(&self, id: NodeId, stop: Stop) -> Rc<str> {
        let node = self.model.node(id);
        let name = if node.name.is_empty() { &node.place } else { &node.name };
        match stop {
            Stop::Because(reason) => Rc::from(format!("{reason} ({name})")),
            Stop::Input(k) => {
                let input = node.input(k);
                let why = input.and_then(|input| self.facts[input.0 as usize].why.clone());
                let of = input.map_or("", |input| &self.model.value(input).name);
                why.unwrap_or_else(|| Rc::from(format!("{}: the elements of {of} are not known ({name})", node.op)))
            }
        }
    }

    /// Keeps what is known of a value: inferred, and declared where that says more.
    fn keep(
        &mut self,
        id: ValueId,
        node: NodeId,
        mut tensor: Tensor,
        element: Option<Element>,
        why: Option<Rc<str>>,
    ) -> Result<(), Error> {
        let mut origin = Origin::Inferred(node);
        if let Some(dims) = self.declared_better(id, node, tensor.dims.as_deref()) {
            origin = Origin::Declared;
            if dims.iter().any(|size| size.number().is_none()) {
                tensor.values = None;
            }
            tensor.dims = Some(dims);
        }
        if tensor.dims.is_none() {
            origin = Origin::Unknown(why.as_deref().unwrap_or_default().to_string());
        }
        if let (Some(inferred), Some(says)) = (&element, &self.model.value(id).element)
            && !self.recorded
            && inferred != says
        {
            let what = format!("its elements are {inferred}, the file says {says}");
            return Err(self.contradiction(id, node, &what));
        }
        let followed = tensor.values.as_ref().map_or(0, |values| values.len());
        // A shape costs no more than its tensor does.
        match self.elements.checked_sub(if followed > 8 { followed } else { 0 }) {
            Some(rest) => self.elements = rest,
            None => tensor.values = None,
        }
        let element = self.element(id).or(element);
        let why = why.filter(|_| tensor.dims.is_none());
        let signed = |size: &&Size| size.number().is_none() && size.low().is_none_or(|low| low < 0);
        self.extents.extend(tensor.dims.iter().flatten().filter(signed).cloned());
        self.facts[id.0 as usize] = Fact { tensor, element, why, ..Fact::default() };
        self.origins[id.0 as usize] = origin;
        Ok(())
    }

    /// Returns the dims that the file declares for a value, where they say more than those inferred; notes where they contradict them.
    fn declared_better(&mut self, id: ValueId, node: NodeId, inferred: Option<&[Size]>) -> Option<Vec<Size>> {
        let open = self.model.system == System::Ncnn && ncnn::depends_on_elements(&self.model.node(node).op);
        let declared = if self.stale || open { None } else { self.declared(id) };
        match merged(inferred, &declared?) {
            Ok(dims) => dims,
            Err(what) => {
                let text = format!("{}: {what}", self.model.value(id).name);
                // A body may be walked more than once; ncnn ignores what the file records.
                if self.model.system != System::Ncnn && self.contradictions.last() != Some(&(node, text.clone())) {
                    self.contradictions.push((node, text.clone()));
                }
                if self.recorded {
                    self.remarks.push(text);
                }
                None
            }
        }
    }

    fn contradiction(&self, id: ValueId, node: NodeId, what: &str) -> Error {
        let (value, node) = (self.model.value(id), self.model.node(node));
        let text = format!(
            "the tensor {} of {} is declared wrongly: {what}; correct or remove the declaration",
            value.name, node.op
        );
        Error::format(text).at(&node.place)
    }

    fn shapes(self) -> Shapes {
        let untaken = self.untaken();
        let entries = self.model.nodes.iter().filter(|node| node.op == "Expand");
        let entries = entries.filter_map(|node| {
            let list = node.input(1).filter(|list| self.model.value(*list).constant.is_none())?;
            let values = self.facts.get(list.0 as usize)?.tensor.values.as_ref()?;
            let whole = |value: &Option<Number>| value.as_ref()?.size()?.number();
            Some((list, values.iter().map(whole).collect::<Option<_>>()?))
        });
        let entries = entries.collect();
        let known =
            |(fact, origin): (Fact, Origin)| Known { shape: fact.tensor.shape(), element: fact.element, origin };
        let of = self.facts.into_iter().zip(self.origins).map(known).collect();
        Shapes { of, remarks: self.remarks, contradictions: self.contradictions, untaken, entries }
    }

    /// Sets what is known of an input of a body.
    fn bring(&mut self, id: ValueId, tensor: Tensor, element: Option<Element>, owner: NodeId) {
        let value = self.model.value(id);
        let declared = if self.stale { None } else { self.declared(id) };
        let (dims, origin) = match (&tensor.dims, declared) {
            (Some(_), _) => (tensor.dims, Origin::Inferred(owner)),
            (None, Some(declared)) => (Some(declared), Origin::Declared),
            (None, None) => (None, Origin::Unknown(format!("{} may bring any shape", self.model.node(owner).op))),
        };
        let why = match &origin {
            Origin::Unknown(why) => Some(Rc::from(why.as_str())),
            _ => None,
        };
        let element = element.or_else(|| value.element.clone());
        self.facts[id.0 as usize] = Fact { tensor: Tensor { dims, ..tensor }, element, why, ..Fact::default() };
        self.origins[id.0 as usize] = origin;
    }
}

/// Says whether a node only introduces an input, as ncnn has layers for them.
fn is_input(model: &Model, node: &Node) -> bool {
    model.system == System::Ncnn && node.op == "Input"
}

/// Says what is wrong with the extents of a result, if no tensor can have them.
fn impossible(system: System, dims: &[Size]) -> Option<String> {
    if dims.len() > MAX_RANK {
        return Some(format!("a tensor of rank {}; the largest rank is {MAX_RANK}", dims.len()));
    }
    let empty = dims.iter().filter_map(Size::number).find(|&extent| system == System::Ncnn && extent < 1);
    empty.map(|extent| format!("an extent of {extent}"))
}

/// Unites inferred and declared extents; nothing where the inferred ones say as much.
///
/// # Errors
/// What the two say, where both cannot be.
fn merged(inferred: Option<&[Size]>, declared: &[Size]) -> Result<Option<Vec<Size>>, String> {
    let Some(inferred) = inferred else { return Ok(Some(declared.to_vec())) };
    let clash = || {
        let text = |dims: &[Size]| Tensor::of(dims.to_vec()).shape().to_string();
        Err(format!("its shape is {}, the file says {}", text(inferred), text(declared)))
    };
    if inferred.len() != declared.len() {
        return clash();
    }
    let mut dims = inferred.to_vec();
    let mut more = false;
    for (dim, says) in dims.iter_mut().zip(declared) {
        if says.number().is_some() && dim.equal(says) == Some(false) {
            return clash();
        }
        let named = dim.private() && !says.private();
        if dim.number().is_none() && (says.number().is_some() || named) {
            (*dim, more) = (says.clone(), true);
        }
    }
    Ok(more.then_some(dims))
}
