//! Verifies that a changed model computes the same: the engine runs its element-wise nodes before and after.
//!
//! Nodes are told by the names of their results, which no change removes. What is between the operands of the old
//! node and that result in the new model (reshapes, stretched operands, copies of constants, nodes that took the place
//! of one) is followed back and computed as in the changed file, from the same numbers. Every operand gets random
//! numbers of its own, so that two equal elements are unlikely, and results are compared bit for bit.
//!
//! Lengths that happen to be equal hide mistakes or make them; so where a model leaves lengths open, it is run with
//! several sets of them, [`trials`]. Where they are given and make arrays of many elements, the longest are shortened.

pub(crate) mod compute;
mod shorter;
mod follow;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
};

use broadaxe::Array;
use broadaxe_frameworks::Role;
use broadaxe_shape::{Dim, Rule, SymbolicShape};

use crate::{
    error::Error,
    fix::{Left, LeftKind},
    graph::{Model, NodeId, Uses, Value, ValueId},
    infer::{Shapes, infer},
    meaning::{self, Meaning, Source},
};

use self::{
    follow::{Buffer, Follower},
    shorter::Shorter,
};

/// What was run, and what came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many times nodes were run before and after: once for each set of lengths.
    pub nodes: usize,
    /// How many elements were compared.
    pub elements: u64,
    /// Nodes that could not be run, with the reason.
    pub left: Vec<Left>,
    /// The first element that differs.
    pub difference: Option<Difference>,
}

/// An element that is not the same before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The node, in the model before.
    pub node: NodeId,
    /// The name of its result.
    pub name: String,
    /// The index of the first element that differs; empty where the shapes do.
    pub element: Vec<usize>,
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = if self.nodes == 1 { "1 comparison".to_owned() } else { format!("{} comparisons", self.nodes) };
        write!(f, "{times} of element-wise nodes, {} elements", self.elements)?;
        match &self.difference {
            None => f.write_str(", all the same bit for bit")?,
            Some(difference) => write!(f, "; {difference}")?,
        }
        if !self.left.is_empty() {
            write!(f, "; {} could not be run", self.left.len())?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, element, before, after, .. } = self;
        if element.is_empty() && before != after {
            return write!(f, "{name} was {before} and is {after}");
        }
        let element = broadaxe_shape::Shape::new(element.as_slice());
        write!(f, "element {element} of {name} was {before} and is {after}")
    }
}

impl Verified {
    /// Adds what another run found.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.nodes += other.nodes;
        self.elements = self.elements.saturating_add(other.elements);
        self.left.extend(other.left);
        self.difference = self.difference.or(other.difference);
        self
    }
}

/// Runs the element-wise nodes with several operands before and after, with all sets of lengths that [`trials`] lists.
///
/// # Errors
/// As [`infer`], when lengths are tried that the models' inputs do not take.
pub fn verify(model: &Model, shapes: &Shapes, after: &Model, after_shapes: &Shapes) -> Result<Verified, Error> {
    verify_as((model, shapes), (after, after_shapes), &BTreeMap::new())
}

/// As [`verify`], where some nodes before are meant to broadcast by another rule than theirs.
pub(crate) fn verify_as(
    (model, shapes): (&Model, &Shapes),
    (after, after_shapes): (&Model, &Shapes),
    meant: &BTreeMap<NodeId, Rule>,
) -> Result<Verified, Error> {
    let trials = trials(model, shapes);
    let mut ran = BTreeSet::new();
    if trials.is_empty() {
        return Ok(run((model, shapes), (after, after_shapes), (SEED, meant), &mut ran));
    }
    let mut verified = Verified::default();
    for (number, lengths) in trials.iter().enumerate() {
        let given = given(model, shapes, lengths);
        let (here, there) = (infer(model, &given), infer(after, &given));
        // Lengths that the model does not take by its own rules show nothing.
        let Ok(here) = here else { continue };
        verified = verified.and(run((model, &here), (after, &there?), (SEED + number as u64, meant), &mut ran));
    }
    // With some lengths a node does not broadcast; what counts is whether it was run at all.
    verified.left.retain(|left| !ran.contains(&left.node));
    verified.left.sort_by(|one, other| (one.node, &one.reason).cmp(&(other.node, &other.reason)));
    verified.left.dedup();
    Ok(verified)
}

/// Names the inputs whose shapes [`verify`] needs: those of unknown rank, where no node can be run without them.
pub(crate) fn needed(model: &Model, shapes: &Shapes) -> Vec<String> {
    let known = |id: &NodeId| {
        let meaning = meaning::meaning(model, *id).and_then(Result::ok).filter(|meaning| meaning.operands.len() > 1);
        let shapes = meaning.map(|meaning| meaning.shapes(model.node(*id), shapes));
        shapes.is_some_and(|shapes| shapes.iter().all(|shape| shape.known().is_some()))
    };
    if !open_names(model, shapes).is_empty() || model.walk().iter().any(known) {
        return vec![];
    }
    let is_open = |id: &&ValueId| shapes.of.get(id.0 as usize).is_some_and(|known| known.shape.dims().is_none());
    model.main().inputs.iter().filter(is_open).map(|id| model.value(*id).name.clone()).collect()
}

/// Begins the numbers that are drawn.
const SEED: u64 = 0x0b40_ada8;

/// Returns the shapes of the inputs with these lengths.
pub(crate) fn given(model: &Model, shapes: &Shapes, lengths: &[(String, usize)]) -> Vec<(String, Vec<Dim>)> {
    let size = |name: &str| lengths.iter().find(|(known, _)| known == name).map(|(_, size)| *size);
    let length = |id: ValueId, (axis, dim): (usize, &Dim)| {
        let name = open(model, id, axis, dim).first().and_then(|name| size(name)).filter(|_| dim.names().len() < 2);
        // A dim within limits is as long as they let it be.
        let within = |size: usize| size.clamp(dim.low(), dim.high().unwrap_or(usize::MAX));
        name.map_or_else(|| dim.clone(), |size| Dim::known(within(size)))
    };
    let inputs = model.main().inputs.iter();
    let dims = inputs.filter_map(|id| Some((*id, shapes.of.get(id.0 as usize)?.shape.dims()?)));
    let sized = |id: ValueId, dims: &[Dim]| dims.iter().enumerate().map(|dim| length(id, dim)).collect();
    dims.map(|(id, dims)| (model.value(id).name.clone(), sized(id, dims))).collect()
}

/// Lists what the model's inputs leave open, by the names that [`given`] accepts.
pub(crate) fn open_names(model: &Model, shapes: &Shapes) -> Vec<String> {
    let inputs = model.main().inputs.iter();
    let dims = inputs.filter_map(|id| Some((*id, shapes.of.get(id.0 as usize)?.shape.dims()?)));
    let names = |(id, dims): (ValueId, &[Dim])| {
        dims.iter().enumerate().flat_map(|(axis, dim)| open(model, id, axis, dim)).collect::<Vec<String>>()
    };
    let mut names: Vec<String> = dims.flat_map(names).collect();
    names.sort();
    names.dedup();
    names
}

/// Names what is open in a dim of an input: its names, or its place where it has none.
fn open(model: &Model, id: ValueId, axis: usize, dim: &Dim) -> Vec<String> {
    match (dim.size(), dim.names().as_slice()) {
        (Some(_), _) => vec![],
        (None, []) => vec![format!("{}[{axis}]", model.value(id).name)],
        (None, names) => names.iter().map(ToString::to_string).collect(),
    }
}

/// Runs the element-wise nodes with several operands before and after; `seed` chooses the numbers.
fn run(
    before: (&Model, &Shapes),
    after: (&Model, &Shapes),
    (seed, meant): (u64, &BTreeMap<NodeId, Rule>),
    ran: &mut BTreeSet<NodeId>,
) -> Verified {
    let mut verified = Verified::default();
    let named = Named { values: names(after.0), uses: after.0.uses() };
    for id in before.0.walk() {
        let Some(Ok(mut meaning)) = meaning::meaning(before.0, id) else { continue };
        meaning.rule = meant.get(&id).cloned().unwrap_or(meaning.rule);
        // What a layer holds itself no change can reach.
        let tensors = meaning.operands.iter().all(|source| matches!(source, Source::Input(_) | Source::Result));
        // Of nodes along axes, only the axis of one that is wrong by its own rule changes.
        let broadcasts = tensors && meaning.operands.len() > 1 && !meaning.kind.is_along_axes();
        let Some(output) = before.0.node(id).output(0).filter(|_| broadcasts) else { continue };
        let node = (id, &meaning, output);
        let result = before.1.of.get(output.0 as usize).and_then(|known| known.shape.known());
        let operands = meaning.shapes(before.0.node(id), before.1);
        let known: Option<Vec<_>> = operands.iter().map(SymbolicShape::known).chain([result]).collect();
        let known = known.unwrap_or_default();
        let shorter = Shorter::new(&known.iter().map(broadaxe_shape::Shape::dims).collect::<Vec<_>>());
        let mut found = one(before, node, after, &named, (seed, &shorter));
        // A shape in numbers on the way holds the lengths as they are.
        if found.is_err() && !shorter.is_none() {
            found = one(before, node, after, &named, (seed, &Shorter::default()));
        }
        match found {
            Ok((elements, difference)) => {
                ran.insert(id);
                verified.nodes += 1;
                verified.elements = verified.elements.saturating_add(elements);
                verified.difference = verified.difference.take().or(difference);
            }
            Err(reason) => verified.left.push(Left { node: id, reason: reason.into(), kind: LeftKind::Unknown }),
        }
    }
    verified
}

/// The values of the changed model.
struct Named<'a> {
    /// By the number of their graph and their name.
    values: HashMap<(u32, &'a str), ValueId>,
    uses: Uses,
}

impl Named<'_> {
    /// Returns the value that has the meaning of an old one: the one of its name; where that has another shape and is only reshaped, the
    /// reshaped one. In files of Paddle a node keeps the name of its result.
    fn root(&self, model: &Model, old: &Value, is_reshaped: impl Fn(ValueId) -> bool) -> Option<ValueId> {
        let root = *self.values.get(&(old.graph.0, old.name.as_str()))?;
        let is_output = model.graphs.iter().any(|graph| graph.outputs.contains(&root));
        let [reader] = self.uses.of(root) else { return Some(root) };
        let node = model.node(reader.node);
        let is_one = !is_output && is_reshaped(root) && meaning::role(model, node) == Some(Role::Reshape);
        if is_one { node.output(0) } else { Some(root) }
    }
}

/// Finds values by the number of their graph and their name.
fn names(model: &Model) -> HashMap<(u32, &str), ValueId> {
    let values = (0..).map(ValueId).zip(&model.values);
    values.map(|(id, value)| ((value.graph.0, value.name.as_str()), id)).collect()
}

/// Runs one node before and after; returns the number of elements, and the first that differs.
fn one(
    (model, shapes): (&Model, &Shapes),
    (id, meaning, output): (NodeId, &Meaning, ValueId),
    after: (&Model, &Shapes),
    named: &Named<'_>,
    (seed, shorter): (u64, &Shorter),
) -> Result<(u64, Option<Difference>), String> {
    let node = model.node(id);
    let operands = meaning.shapes(node, shapes);
    let known: Option<Vec<_>> = operands.iter().map(SymbolicShape::known).collect();
    let known = known.ok_or("the lengths of its operands are not all known")?;
    let result = shapes.of.get(output.0 as usize).and_then(|known| known.shape.known());
    let known: Vec<Vec<usize>> = known.iter().map(|shape| shorter.of(shape.dims())).collect();
    let dims: Vec<&[usize]> = known.iter().map(Vec::as_slice).collect();
    let result = result.map(|shape| shorter.of(shape.dims())).unwrap_or_default();
    let alignment = meaning.align(&dims, &result).map_err(|error| error.to_string())?;
    let mut buffers: Vec<Buffer> = Vec::new();
    for (k, (source, dims)) in meaning.operands.iter().zip(&dims).enumerate() {
        let value = match source {
            Source::Input(input) => node.input(*input),
            Source::Result => Some(output),
            Source::Scalar | Source::Groups(_) | Source::Scores | Source::Held(_) => None,
        };
        let value = value.ok_or("an operand is left out")?;
        let again = buffers.iter().find(|buffer| buffer.value == value).cloned();
        let drawn = || {
            compute::drawn(meaning, shapes, (k, value), dims, seed).map(|array| Buffer { value, array: array.into() })
        };
        buffers.push(again.map_or_else(drawn, Ok)?);
    }
    let arrays: Vec<&Array> = buffers.iter().map(|buffer| &*buffer.array).collect();
    let here = compute::compute(meaning, &alignment, &arrays)?;
    let value = model.value(output);
    let dims = |shapes: &Shapes, id: ValueId| shapes.of.get(id.0 as usize).and_then(|known| known.shape.known());
    let is_reshaped = |id| dims(after.1, id).is_some_and(|dims_after| dims(shapes, output) != Some(dims_after));
    let root = named.root(after.0, value, is_reshaped).ok_or("its result is not in the changed model")?;
    let follower = Follower::new((model, &buffers), after, shorter);
    let there = follower.value(root)?;
    Ok((here.shape().iter().map(|&dim| dim as u64).product(), compare(id, &value.name, &here, &there)))
}

fn compare(node: NodeId, name: &str, here: &Array, there: &Array) -> Option<Difference> {
    let name = name.to_string();
    if (here.shape(), here.dtype()) != (there.shape(), there.dtype()) {
        let text = |array: &Array| format!("{} {}", array.dtype().name(), broadaxe_shape::Shape::new(array.shape()));
        return Some(Difference { node, name, element: vec![], before: text(here), after: text(there) });
    }
    let size = here.dtype().size();
    let (x, y) = (here.as_bytes().chunks_exact(size), there.as_bytes().chunks_exact(size));
    let at = x.zip(y).position(|(x, y)| x != y)?;
    let mut rest = at;
    let mut element: Vec<usize> = here.shape().iter().rev().map(|&dim| (rest % dim, rest /= dim).0).collect();
    element.reverse();
    let text = |array: &Array| compute::text(array.dtype(), &array.as_bytes()[at * size..(at + 1) * size]);
    Some(Difference { node, name, element, before: text(here), after: text(there) })
}

/// Lists sets of lengths for what the model's inputs leave open, so that accidents show: for names, and for places such as
/// `x[0]` where a dim has none.
///
/// One with lengths that are all different and occur nowhere else; one in which all are equal; for each name one in which
/// it is as long as some other axis; and one in which all are 1. There are none for a model without open lengths.
pub fn trials(model: &Model, shapes: &Shapes) -> Vec<Vec<(String, usize)>> {
    let names = open_names(model, shapes);
    if names.is_empty() {
        return vec![];
    }
    let set = |size: &dyn Fn(usize) -> usize| {
        names.iter().enumerate().map(|(k, name)| (name.clone(), size(k))).collect::<Vec<_>>()
    };
    let different = |k: usize| PRIMES[k % PRIMES.len()] + k / PRIMES.len();
    let mut trials = vec![set(&different), set(&|_| PRIMES[0]), set(&|_| 1)];
    for extent in frequent(shapes) {
        for name in 0..names.len().min(MOST_NAMES) {
            trials.push(set(&|k| if k == name { extent } else { different(k) }));
        }
    }
    trials
}

/// Lengths that no layer has by habit.
const PRIMES: &[usize] = &[5, 7, 11, 13, 17, 19, 23];
/// For how many names a length is made equal to others.
const MOST_NAMES: usize = 4;
/// To how many other lengths.
const MOST_EXTENTS: usize = 2;

/// Returns the lengths below 64 that most shapes have, 1 excepted.
fn frequent(shapes: &Shapes) -> Vec<usize> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for dim in shapes.of.iter().filter_map(|known| known.shape.dims()).flatten().filter_map(Dim::size) {
        if (2..64).contains(&dim) {
            *counts.entry(dim).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(dim, count)| (std::cmp::Reverse(count), dim));
    counts.into_iter().take(MOST_EXTENTS).map(|(dim, _)| dim).collect()
}

#[cfg(test)]
mod tests;
