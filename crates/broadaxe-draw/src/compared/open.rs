//! Compares rules on shapes with dims that are not known: what each infers, and sizes for which two rules differ.

use std::collections::BTreeMap;

use crate::json::{Json, json};
use broadaxe_shape::{Dim, Error as ShapeError, Inferred, Rule, Shape, SymbolicShape, infer_all};

use super::{KnownCompared, difference};
use crate::{
    drawing::Drawing,
    open::{Open, guards},
    order::Order,
    record::{self, dims},
    words::{join, letter},
};

/// How many choices of sizes are tried to find one for which two rules differ.
const TRIES: usize = 2_000;

type Found = (Rule, Result<Inferred, ShapeError>);

/// What all rules infer of shapes with dims that are not known.
#[derive(Debug)]
pub struct OpenCompared {
    shapes: Vec<SymbolicShape>,
    found: Vec<Found>,
    meanings: Vec<Option<usize>>,
    example: Option<Example>,
}

impl OpenCompared {
    pub(super) fn new(shapes: &[SymbolicShape]) -> Self {
        let found = infer_all(shapes);
        let meanings = meanings(&found);
        Self { shapes: shapes.to_vec(), found, meanings, example: Example::find(shapes) }
    }

    /// Returns the shapes.
    pub fn shapes(&self) -> &[SymbolicShape] {
        &self.shapes
    }

    /// Returns what each rule infers, and the number of its meaning from 0 on: rules of one number put axes in the same places.
    pub fn outcomes(&self) -> impl Iterator<Item = (&Rule, Result<&Inferred, &ShapeError>, Option<usize>)> {
        self.found.iter().zip(&self.meanings).map(|((rule, result), meaning)| (rule, result.as_ref(), *meaning))
    }

    /// Returns the sizes with which rules differ, by the names of the dims; none where no such sizes were found.
    pub fn sizes(&self) -> Option<&BTreeMap<String, usize>> {
        self.example.as_ref().map(|example| &example.sizes)
    }

    /// Returns the comparison for these sizes.
    pub fn example(&self) -> Option<&KnownCompared> {
        self.example.as_ref().map(|example| &example.compared)
    }

    pub(super) fn is_refused(&self) -> bool {
        self.meanings.iter().all(Option::is_none)
    }

    pub(super) fn sentence(&self) -> String {
        match self.sizes() {
            _ if self.is_refused() => String::from("No rule accepts these shapes."),
            None => String::from("No sizes were found with which two rules that take them differ."),
            Some(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect();
                format!("With {} they differ:", join(&sizes, ", "))
            }
        }
    }

    pub(super) fn json(&self) -> Json {
        let rules = self.found.iter().zip(&self.meanings).map(|(found, meaning)| describe(found, *meaning));
        let example = self.example.as_ref();
        json!({
            "shapes": self.shapes.iter().map(dims).collect::<Vec<_>>(),
            "rules": rules.collect::<Vec<_>>(),
            "sizes": example.map(|example| &example.sizes),
            "differences": example.map_or_else(Vec::new, Example::differences),
        })
    }

    /// Draws what the first rule of a meaning infers.
    pub fn drawing(&self, meaning: usize) -> Option<Drawing> {
        let at = self.meanings.iter().position(|&own| own == Some(meaning))?;
        let at = self.named(meaning).unwrap_or(at);
        let (rule, inferred) = (&self.found[at].0, self.found[at].1.as_ref().ok()?);
        let open = Open { rule, shapes: &self.shapes, inferred };
        Some(open.drawing(&rule.to_string(), Order::ROW_MAJOR))
    }

    /// Finds a rule of a meaning that says more than `none`, which accepts only what all accept.
    fn named(&self, meaning: usize) -> Option<usize> {
        (0..self.found.len()).find(|&k| self.meanings[k] == Some(meaning) && self.found[k].0.name() != "none")
    }

    pub(super) fn drawings(&self) -> Vec<Drawing> {
        let count = self.meanings.iter().flatten().max().map_or(0, |most| most + 1);
        (0..count).filter_map(|meaning| self.drawing(meaning)).collect()
    }
}

/// Numbers what the rules mean, from 0 on: rules of one number put axes in the same places. None where a rule rejects.
fn meanings(found: &[Found]) -> Vec<Option<usize>> {
    let mut known: Vec<&Inferred> = Vec::new();
    let mut number = |inferred| {
        known.iter().position(|other: &&Inferred| other.places_alike(inferred)).unwrap_or_else(|| {
            known.push(inferred);
            known.len() - 1
        })
    };
    found.iter().map(|(_, result)| result.as_ref().ok().map(&mut number)).collect()
}

fn describe((rule, result): &Found, meaning: Option<usize>) -> Json {
    match result {
        Ok(inferred) => json!({
            "rule": rule.to_string(),
            "meaning": meaning.map(|group| group + 1),
            "shape": dims(inferred.shape()),
            "axes": inferred.placement().map(|at| (0..at.count()).map(|k| at.axes(k)).collect::<Vec<_>>()),
            "guards": guards(inferred),
            "exact": inferred.guard().is_exact(),
        }),
        Err(error) => {
            let mut value = record::error(error);
            value["rule"] = json!(rule.to_string());
            value
        }
    }
}

/// Sizes with which rules differ.
#[derive(Debug)]
struct Example {
    sizes: BTreeMap<String, usize>,
    compared: KnownCompared,
}

impl Example {
    /// Tries small sizes, and keeps those with which the rules mean the most different things.
    fn find(shapes: &[SymbolicShape]) -> Option<Self> {
        let open = variables(shapes)?;
        let choices: Vec<Vec<usize>> = open.iter().map(|(_, dim)| candidates(dim, shapes)).collect();
        let mut best: Option<(usize, BTreeMap<String, usize>, Vec<Shape>)> = None;
        let count = choices.iter().fold(1_usize, |count, choices| count.saturating_mul(choices.len()));
        for number in 0..count.min(TRIES) {
            let mut rest = number;
            let sizes = open.iter().zip(&choices).map(|((name, _), choices)| {
                let size = choices[rest % choices.len()];
                rest /= choices.len();
                (name.clone(), size)
            });
            let sizes: BTreeMap<String, usize> = sizes.collect();
            let shapes: Vec<Shape> = bound(shapes, &sizes)?;
            let count = broadaxe_shape::compare(&shapes.iter().map(Shape::dims).collect::<Vec<_>>()).meanings().len();
            if count > best.as_ref().map_or(1, |(most, ..)| *most) {
                best = Some((count, sizes, shapes));
            }
        }
        best.map(|(_, sizes, shapes)| Self { sizes, compared: KnownCompared::new(shapes) })
    }

    fn differences(&self) -> Vec<Json> {
        let found = self.compared.differences();
        found.iter().map(|found| difference(self.compared.comparison(), found)).collect()
    }
}

/// Lists the open dims, those of one name once; none where a rank is not known.
fn variables(shapes: &[SymbolicShape]) -> Option<Vec<(String, Dim)>> {
    let mut open: Vec<(String, Dim)> = Vec::new();
    for (k, shape) in shapes.iter().enumerate() {
        for (i, dim) in shape.dims()?.iter().enumerate().filter(|(_, dim)| dim.size().is_none()) {
            let name = named(dim, k, i);
            if !open.iter().any(|(known, _)| *known == name) {
                open.push((name, dim.clone()));
            }
        }
    }
    Some(open)
}

/// Names an open dim: by its name, or by its place, `b[0]`.
fn named(dim: &Dim, operand: usize, axis: usize) -> String {
    dim.name().map_or_else(|| format!("{}[{axis}]", letter(operand)), ToOwned::to_owned)
}

/// Lists sizes to try for a dim: small ones, and those of dims that are known.
fn candidates(dim: &Dim, shapes: &[SymbolicShape]) -> Vec<usize> {
    let known = shapes.iter().filter_map(SymbolicShape::dims).flatten().filter_map(Dim::size);
    let mut sizes: Vec<usize> =
        [2, 3, 1, dim.low()].into_iter().chain(known.filter(|&size| size > 0 && size < 4096)).collect();
    sizes.retain(|&size| size > 0 && dim.allows(size));
    let mut seen = Vec::new();
    sizes.retain(|size| {
        !seen.contains(size) && {
            seen.push(*size);
            true
        }
    });
    sizes
}

/// Puts sizes in the place of open dims.
fn bound(shapes: &[SymbolicShape], sizes: &BTreeMap<String, usize>) -> Option<Vec<Shape>> {
    let one = |(k, shape): (usize, &SymbolicShape)| {
        let dims = shape.dims()?.iter().enumerate();
        let dims: Option<Vec<usize>> =
            dims.map(|(i, dim)| dim.size().or_else(|| sizes.get(&named(dim, k, i)).copied())).collect();
        dims.map(Shape::from)
    };
    shapes.iter().enumerate().map(one).collect()
}
