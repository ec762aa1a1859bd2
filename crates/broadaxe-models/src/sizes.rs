//! Which sizes of an open dim a model accepts, found by inferring its shapes with each.
//!
//! A size is refused where the operands of a broadcasting node do not broadcast, or where an operator's shapes cannot be
//! said that can be said for other sizes. A size is accepted *by accident* where an extent that is otherwise longer became
//! 1 and then repeats: the model runs, and means something else than with every other size.

mod classes;

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use broadaxe::stop;
use broadaxe_shape::{Dim, SymbolicShape};

pub use self::classes::Classes;
use self::classes::list;
use crate::{
    error::{Error, ErrorKind},
    graph::{Model, NodeId},
    infer::{Origin, Shapes, infer},
    meaning::{Kind, Meaning, meaning},
    report::node_name,
};

/// The sizes of a dim that a model accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// The dim.
    pub dim: String,
    /// The sizes that it accepts in the same way.
    pub taken: Classes,
    /// The sizes that it accepts only because an extent became 1, each with a sentence.
    pub accidents: Vec<(usize, String)>,
    /// The first size that it refuses, with the reason.
    pub refused: Option<(usize, String)>,
}

impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.taken)?;
        if let Some((_, why)) = self.accidents.first() {
            let sizes: Vec<usize> = self.accidents.iter().map(|(size, _)| *size).collect();
            write!(f, "; {} accepted only because it broadcasts: {why}", list(&sizes))?;
        }
        if let Some((size, why)) = &self.refused {
            write!(f, "; {size} is rejected: {why}")?;
        }
        Ok(())
    }
}

/// An extent that may repeat: node, operand, axis of the operand.
type Place = (NodeId, usize, usize);

/// What one size comes to.
#[derive(Debug)]
struct Trial {
    size: usize,
    /// Why it is refused, where a node refuses it.
    refused: Option<String>,
    /// The values whose shapes are not known, with the reasons.
    unknown: Vec<(usize, String)>,
    /// The places where an extent of 1 repeats.
    repeats: Vec<Place>,
}

/// Tries all sizes from `low` to `high` of a dim of the inputs; `given` says the shapes of some inputs, by name.
///
/// A dim is named as in the file, or by its place: `x[2]` for axis 2 of the input x.
///
/// # Errors
/// [`ErrorKind::Argument`] when no input has such a dim, and as [`infer`] for the given shapes.
pub fn sweep(model: &Model, given: &[(String, Vec<Dim>)], dim: &str, low: usize, high: usize) -> Result<Sweep, Error> {
    let shapes = infer(model, given)?;
    let inputs = open(model, &shapes, dim)?;
    let nodes: Vec<(NodeId, Meaning)> = model
        .walk()
        .into_iter()
        .filter_map(|id| Some((id, meaning(model, id)?.ok()?)))
        .filter(|(_, meaning)| meaning.operands.len() > 1 && meaning.kind != Kind::Blocks)
        .collect();
    let threads = std::thread::available_parallelism()
        .map_or(1, std::num::NonZero::get)
        .min((high - low.min(high)).saturating_add(1));
    // The sizes are dealt in turn, as large ones need longer.
    let flag = stop::flag();
    let parts: Vec<(Vec<Trial>, HashSet<Place>)> = std::thread::scope(|scope| {
        let part = |first: usize| {
            let (inputs, nodes, flag) = (&inputs, &nodes, flag.as_ref());
            let share = move || {
                let mut longer = HashSet::new();
                let sizes = (low..=high).skip(first).step_by(threads);
                let trials =
                    sizes.map(|size| trial(model, size, infer(model, &with(given, inputs, size)), nodes, &mut longer));
                (trials.collect(), longer)
            };
            scope.spawn(move || stop::share(flag, share))
        };
        let running: Vec<_> = (0..threads).map(part).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .map(|done| done.unwrap_or_else(|stopped| stop::unwind(stopped)))
            .collect()
    });
    let (trials, longer): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let longer = longer.into_iter().flatten().collect();
    let mut trials: Vec<Trial> = trials.into_iter().flatten().collect();
    trials.sort_by_key(|trial| trial.size);
    Ok(sum(model, dim, &trials, &longer))
}

/// Returns the given shapes, with this size on the axes that are swept.
fn with(given: &[(String, Vec<Dim>)], inputs: &[Swept], size: usize) -> Vec<(String, Vec<Dim>)> {
    let swept = inputs.iter().map(|(name, dims, axes)| {
        let one = |(axis, dim): (usize, &Dim)| if axes.contains(&axis) { Dim::known(size) } else { dim.clone() };
        (name.clone(), dims.iter().enumerate().map(one).collect())
    });
    let others = given.iter().filter(|(name, _)| !inputs.iter().any(|(own, ..)| own == name));
    others.cloned().chain(swept).collect()
}

/// An input with its dims, and the axes that are swept.
type Swept = (String, Vec<Dim>, Vec<usize>);

/// Finds the inputs that have a dim of this name, or the one at this place.
fn open(model: &Model, shapes: &Shapes, dim: &str) -> Result<Vec<Swept>, Error> {
    let mut found = Vec::new();
    let mut names = Vec::new();
    for &id in &model.main().inputs {
        let name = &model.value(id).name;
        let Some(dims) = shapes.of.get(id.0 as usize).and_then(|known| known.shape.dims()) else { continue };
        let place = |axis: &usize| dim.strip_prefix(name.as_str()) == Some(format!("[{axis}]").as_str());
        let named = |axis: &usize| dims[*axis].name() == Some(dim) && dims[*axis].size().is_none();
        let axes: Vec<usize> = (0..dims.len()).filter(|axis| place(axis) || named(axis)).collect();
        if !axes.is_empty() {
            found.push((name.clone(), dims.to_vec(), axes));
        }
        names.push(format!("{name} {}", SymbolicShape::new(dims.to_vec())));
    }
    if found.is_empty() {
        let text = format!(
            "no input has a dim {dim}; the inputs are {}, and a dim without a name is written as {}[0]",
            names.join(", "),
            model.main().inputs.first().map_or("x", |&id| &model.value(id).name)
        );
        return Err(Error::new(ErrorKind::Argument, text));
    }
    Ok(found)
}

/// Looks at the shapes that one size leads to.
fn trial(
    model: &Model,
    size: usize,
    shapes: Result<Shapes, Error>,
    nodes: &[(NodeId, Meaning)],
    longer: &mut HashSet<Place>,
) -> Trial {
    let mut trial = Trial { size, refused: None, unknown: Vec::new(), repeats: Vec::new() };
    let shapes = match shapes {
        Ok(shapes) => shapes,
        Err(error) => return Trial { refused: Some(error.to_string()), ..trial },
    };
    for (index, known) in shapes.of.iter().enumerate() {
        if let Origin::Unknown(reason) = &known.origin {
            trial.unknown.push((index, reason.clone()));
        }
    }
    for (id, meaning) in nodes {
        let operands = meaning.shapes(model.node(*id), &shapes);
        let output = model.node(*id).output(0).and_then(|value| shapes.of.get(value.0 as usize));
        let output = output.map_or_else(SymbolicShape::unknown_rank, |known| known.shape.clone());
        let extents = match extents(meaning, &operands, &output) {
            Ok(extents) => extents,
            Err(error) => {
                trial.refused = Some(format!("{}: {error}", node_name(model, *id)));
                return trial;
            }
        };
        for (operand, axis, own, result) in extents {
            let place = (*id, operand, axis);
            match own {
                Some(1) if result != Some(1) => trial.repeats.push(place),
                Some(1) | None => {}
                Some(_) => drop(longer.insert(place)),
            }
        }
    }
    trial
}

/// An operand, an axis of it, its extent there and that of the result, as far as they are known.
type OperandExtent = (usize, usize, Option<usize>, Option<usize>);

/// Lists the extents of all operands of a node with those of the result.
fn extents(
    meaning: &Meaning,
    operands: &[SymbolicShape],
    output: &SymbolicShape,
) -> Result<Vec<OperandExtent>, broadaxe_shape::Error> {
    let known: Option<Vec<_>> = operands.iter().map(SymbolicShape::known).collect();
    if let (Some(known), false) = (known, meaning.rule.def().target) {
        let dims: Vec<&[usize]> = known.iter().map(broadaxe_shape::Shape::dims).collect();
        let alignment = meaning.rule.align(&dims)?;
        let placed = alignment.operands().iter().enumerate();
        let each = placed.flat_map(|(operand, placed)| {
            let axes = placed.shape().iter().zip(placed.axes()).enumerate();
            axes.map(|(axis, (&own, &to))| (operand, axis, Some(own), Some(alignment.shape()[to]))).collect::<Vec<_>>()
        });
        return Ok(each.collect());
    }
    let inferred = if meaning.rule.def().target {
        meaning.rule.infer_to(operands, output)?
    } else {
        meaning.rule.infer(operands)?
    };
    let (Some(placement), Some(dims)) = (inferred.placement(), inferred.shape().dims()) else { return Ok(vec![]) };
    let own = |(operand, shape): (usize, &SymbolicShape)| {
        let own = shape.dims().unwrap_or_default();
        let axes = own.iter().zip(placement.axes(operand)).enumerate();
        axes.map(|(axis, (own, &to))| (operand, axis, own.size(), dims[to].size())).collect::<Vec<_>>()
    };
    Ok(operands.iter().take(placement.count()).enumerate().flat_map(own).collect())
}

/// Says what all sizes come to.
fn sum(model: &Model, dim: &str, trials: &[Trial], longer: &HashSet<Place>) -> Sweep {
    // Values that are known for some size; where one is not, that size is refused.
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for trial in trials.iter().filter(|trial| trial.refused.is_none()) {
        trial.unknown.iter().for_each(|(value, _)| *counts.entry(*value).or_default() += 1);
    }
    let whole = trials.iter().filter(|trial| trial.refused.is_none()).count();
    let (mut taken, mut accidents, mut refused) = (Vec::new(), Vec::new(), None);
    for trial in trials {
        let unsaid = trial.unknown.iter().find(|(value, _)| counts.get(value).is_some_and(|&count| count < whole));
        let why = trial.refused.as_ref().or(unsaid.map(|(_, reason)| reason));
        let accident = trial.repeats.iter().find(|place| longer.contains(place)).filter(|_| why.is_none());
        if let (Some(why), None) = (why, &refused) {
            refused = Some((trial.size, why.clone()));
        }
        if let Some((node, operand, axis)) = accident {
            let name = node_name(model, *node);
            accidents.push((trial.size, format!("axis {axis} of operand {operand} of {name} is 1 there and repeats")));
        }
        taken.push(why.is_none() && accident.is_none());
    }
    let low = trials.first().map_or(0, |trial| trial.size);
    Sweep { dim: dim.to_string(), taken: Classes::of(low, &taken), accidents, refused }
}

#[cfg(test)]
mod tests;
