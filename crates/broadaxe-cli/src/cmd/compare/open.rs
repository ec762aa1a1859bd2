//! Compares rules on symbolic shapes: what each infers, and sizes for which two rules differ.

use std::collections::BTreeMap;

use broadaxe_shape::{Comparison, Dim, Error as ShapeError, Inferred, Rule, Shape, SymbolicShape, compare, infer_all};
use serde_json::{Value, json};

use super::{difference, differences, operands, reason, show};
use crate::{
    answer::{Answer, join, letter, spaced, table},
    cmd::explain::dims,
    error::{Error, escaped},
};

/// How many choices of sizes are tried to find one for which two rules differ.
const TRIES: usize = 2_000;

type Found = (Rule, Result<Inferred, ShapeError>);

/// Asks every rule, and looks for sizes with which two of them mean something else.
pub(super) fn answer(shapes: &[SymbolicShape]) -> Answer {
    let found = infer_all(shapes);
    let meanings = meanings(&found);
    let example = Example::find(shapes);

    let mut text = format!("{} (row-major, slowest axis first)\n\n", operands(shapes));
    text = escaped(text.trim_end()) + "\n\n" + &draw(shapes, &found, &meanings) + "\n";
    text += &match &example {
        _ if meanings.iter().all(Option::is_none) => String::from("No rule accepts these shapes.\n"),
        None => String::from("No sizes were found with which two rules that take them differ.\n"),
        Some(example) => example.show(),
    };
    let rules = found.iter().zip(&meanings).map(|(found, meaning)| describe(found, *meaning));
    let json = json!({
        "shapes": shapes.iter().map(dims).collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
        "sizes": example.as_ref().map(|example| &example.sizes),
        "differences": example.as_ref().map_or_else(Vec::new, Example::differences),
    });
    Answer::judged(text, json, meanings.iter().all(Option::is_none))
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

fn draw(shapes: &[SymbolicShape], found: &[Found], meanings: &[Option<usize>]) -> String {
    let axes: Vec<String> = (0..shapes.len()).map(|k| format!("axes {}", letter(k))).collect();
    let head: Vec<&str> = ["rule", "meaning", "result"].into_iter().chain(axes.iter().map(String::as_str)).collect();
    let head = [head, vec!["if"]].concat();
    let rows = found.iter().zip(meanings).map(|((rule, result), meaning)| {
        let mut row = vec![rule.to_string(), meaning.map_or_else(|| "-".to_owned(), |group| (group + 1).to_string())];
        match result {
            Ok(inferred) => {
                row.push(inferred.shape().to_string());
                let places = |k: usize| inferred.placement().map_or_else(|| "?".to_owned(), |at| spaced(at.axes(k)));
                row.extend((0..shapes.len()).map(places));
                row.push(join(&guards(inferred), "; "));
            }
            Err(error) => row.push(reason(error)),
        }
        row
    });
    table(&head, false, rows)
}

fn guards(inferred: &Inferred) -> Vec<String> {
    inferred.guard().clauses().into_iter().map(|(_, text)| text).collect()
}

fn describe((rule, result): &Found, meaning: Option<usize>) -> Value {
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
            let mut value = Error::from(error.clone()).to_json();
            value["rule"] = json!(rule.to_string());
            value
        }
    }
}

/// Sizes with which rules differ.
struct Example {
    sizes: BTreeMap<String, usize>,
    shapes: Vec<Shape>,
    comparison: Comparison,
}

impl Example {
    /// Tries small sizes, and keeps those with which the rules mean the most different things.
    fn find(shapes: &[SymbolicShape]) -> Option<Self> {
        let open = variables(shapes)?;
        let choices: Vec<Vec<usize>> = open.iter().map(|(_, dim)| candidates(dim, shapes)).collect();
        let mut best: Option<(usize, Self)> = None;
        for number in 0..choices.iter().map(Vec::len).product::<usize>().min(TRIES) {
            let mut rest = number;
            let sizes = open.iter().zip(&choices).map(|((name, _), choices)| {
                let size = choices[rest % choices.len()];
                rest /= choices.len();
                (name.clone(), size)
            });
            let sizes: BTreeMap<String, usize> = sizes.collect();
            let shapes: Vec<Shape> = bound(shapes, &sizes)?;
            let comparison = compare(&shapes.iter().map(Shape::dims).collect::<Vec<_>>());
            let count = comparison.meanings().len();
            if count > best.as_ref().map_or(1, |(most, _)| *most) {
                best = Some((count, Self { sizes, shapes, comparison }));
            }
        }
        best.map(|(_, example)| example)
    }

    fn show(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect();
        let mut text = format!("With {} they differ: {}.\n", escaped(&join(&sizes, ", ")), operands(&self.shapes));
        text += "With every input filled 0, 1, 2, ... and added up:\n";
        for found in &differences(&self.comparison, &self.comparison.meanings()) {
            text += &show(&self.comparison, found);
        }
        text
    }

    fn differences(&self) -> Vec<Value> {
        let found = differences(&self.comparison, &self.comparison.meanings());
        found.iter().map(|found| difference(&self.comparison, found)).collect()
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
