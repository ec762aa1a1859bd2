//! Compares rules on shapes with dims that are not known: what each infers, and sizes for which two rules differ.

use std::collections::BTreeSet;

use crate::json::{Json, json};
use broadaxe_shape::{Comparison, Error as ShapeError, ErrorKind, Inferred, Rule, Shape, SymbolicShape, infer_all};

use super::{
    KnownCompared, difference,
    said::{Fact, Said},
    sizes::{Choices, Sizes, choices},
};
use crate::{
    drawing::Drawing,
    open::{Open, guards},
    order::Order,
    record::{self, dims},
};

type Found = (Rule, Result<Inferred, ShapeError>);

/// What all rules infer of shapes with dims that are not known.
#[derive(Debug)]
pub struct OpenCompared {
    shapes: Vec<SymbolicShape>,
    found: Vec<Found>,
    meanings: Vec<Option<usize>>,
    example: Option<Box<Example>>,
    said: Said,
}

impl OpenCompared {
    pub(super) fn new(shapes: &[SymbolicShape]) -> Self {
        let mut found = infer_all(shapes);
        let choices = choices(shapes);
        if let Some(choices) = &choices {
            remove_repeated(&mut found, choices);
        }
        let tried = choices.as_ref().map(|choices| Tried::new(&found, choices));
        let meanings = meanings(&found, tried.as_ref());
        let said = said(&found, &meanings, tried.as_ref());
        let example = tried.and_then(|tried| tried.example);
        let example =
            example.map(|(sizes, comparison)| Box::new(Example { sizes, compared: KnownCompared::of(comparison) }));
        Self { shapes: shapes.to_vec(), found, meanings, example, said }
    }

    /// Returns the shapes.
    pub fn shapes(&self) -> &[SymbolicShape] {
        &self.shapes
    }

    /// Returns what each rule infers, and the number of its meaning from 0 on; see [`Fact`].
    pub fn outcomes(&self) -> impl Iterator<Item = (&Rule, Result<&Inferred, &ShapeError>, Option<usize>)> {
        self.found.iter().zip(&self.meanings).map(|((rule, result), meaning)| (rule, result.as_ref(), *meaning))
    }

    /// Returns the sizes with which rules differ, by the names of the dims; none where no such sizes were found.
    pub fn sizes(&self) -> Option<&Sizes> {
        self.example.as_ref().map(|example| &example.sizes)
    }

    /// Returns the comparison for these sizes.
    pub fn example(&self) -> Option<&KnownCompared> {
        self.example.as_ref().map(|example| &example.compared)
    }

    pub(super) fn said(&self) -> &Said {
        &self.said
    }

    pub(super) fn json(&self) -> Json {
        let rules = self.found.iter().zip(&self.meanings).map(|(found, meaning)| describe(found, *meaning));
        let example = self.example.as_ref();
        json!({
            "shapes": self.shapes.iter().map(dims).collect::<Vec<_>>(),
            "rules": rules.collect::<Vec<_>>(),
            "sizes": example.map(|example| &example.sizes),
            "differences": example.map_or_else(Vec::new, |example| example.differences()),
        })
    }

    /// Selects the rule by which a meaning is drawn: the first whose axes do not depend on the sizes, and that says more than `none`, which
    /// accepts only what all accept.
    fn sample(&self, meaning: usize) -> Option<Open<'_>> {
        let own = |k: &usize| self.meanings[*k] == Some(meaning);
        let unclear = |k: &usize| {
            let (rule, result) = &self.found[*k];
            (result.as_ref().is_ok_and(|inferred| inferred.placement().is_none()), rule.name() == "none")
        };
        let at = (0..self.found.len()).filter(own).min_by_key(unclear)?;
        let (rule, inferred) = (&self.found[at].0, self.found[at].1.as_ref().ok()?);
        Some(Open { rule, shapes: &self.shapes, inferred })
    }

    /// Draws what a rule of a meaning infers.
    pub fn drawing(&self, meaning: usize) -> Option<Drawing> {
        let open = self.sample(meaning)?;
        Some(open.drawing(&open.rule.to_string(), Order::ROW_MAJOR))
    }

    /// Returns the shape that the drawing of a meaning has as its result.
    pub(crate) fn result(&self, meaning: usize) -> Option<String> {
        Some(self.sample(meaning)?.inferred.shape().to_string())
    }

    pub(super) fn drawings(&self) -> Vec<Drawing> {
        let count = self.meanings.iter().flatten().max().map_or(0, |most| most + 1);
        (0..count).filter_map(|meaning| self.drawing(meaning)).collect()
    }
}

/// What the rules that accept shapes say to choices of sizes. Rules are counted as they were found.
struct Tried {
    choices: usize,
    are_complete: bool,
    /// Pairs of rules that differ for some sizes.
    differ: BTreeSet<(usize, usize)>,
    /// The sizes with which the rules mean the most different things, of those without zeros if some differ there.
    example: Option<(Sizes, Comparison)>,
    /// Sizes that all rules accept.
    accepted: Option<Sizes>,
    /// Sizes that all rules reject.
    rejected: Option<Sizes>,
    /// Sizes that some rules accept and the most reject, and how many do; chosen like the example.
    disputed: Option<(Sizes, usize)>,
}

impl Tried {
    fn new(found: &[Found], choices: &Choices) -> Self {
        let accepting: Vec<usize> = (0..found.len()).filter(|&k| found[k].1.is_ok()).collect();
        let rules: Vec<&Rule> = accepting.iter().map(|&k| &found[k].0).collect();
        let mut tried = Self {
            choices: choices.all.len(),
            are_complete: choices.are_complete,
            differ: BTreeSet::new(),
            example: None,
            accepted: None,
            rejected: None,
            disputed: None,
        };
        let mut most = 1;
        for (sizes, shapes) in &choices.all {
            let comparison = compare(&rules, shapes);
            let rejecting = comparison.outcomes().iter().filter(|outcome| outcome.alignment().is_none()).count();
            let has_zero = sizes.values().any(|&size| size == 0);
            let known = tried.disputed.as_ref().map_or(0, |(_, rejecting)| *rejecting);
            match rejecting {
                0 => _ = tried.accepted.get_or_insert_with(|| sizes.clone()),
                all if all == rules.len() => _ = tried.rejected.get_or_insert_with(|| sizes.clone()),
                some if some > known && (known == 0 || !has_zero) => tried.disputed = Some((sizes.clone(), some)),
                _ => {}
            }
            let groups = comparison.meanings();
            for (at, group) in groups.iter().enumerate() {
                let others = || groups[..at].iter().flatten();
                let pairs = group.iter().flat_map(|&one| others().map(move |&other| (one.min(other), one.max(other))));
                tried.differ.extend(pairs.map(|(one, other)| (accepting[one], accepting[other])));
            }
            if groups.len() > most && (most == 1 || !has_zero) {
                most = groups.len();
                tried.example = Some((sizes.clone(), comparison));
            }
        }
        tried
    }

    /// Says whether no sizes are known for which two rules differ, and none can be.
    fn agree(&self, found: &[Found], one: usize, other: usize) -> bool {
        !self.differ.contains(&(one, other)) && (self.are_complete || alike(found, one, other))
    }
}

fn compare(rules: &[&Rule], shapes: &[Shape]) -> Comparison {
    Comparison::of(rules.iter().copied(), &shapes.iter().map(Shape::dims).collect::<Vec<_>>())
}

/// Removes the axes of a rule that say no more than an earlier axis of it: those that accept no further sizes and read the same.
fn remove_repeated(found: &mut Vec<Found>, choices: &Choices) {
    if !choices.are_complete {
        return;
    }
    let mut k = 0;
    while k < found.len() {
        let repeats = |known: &Found| {
            known.0.name() == found[k].0.name()
                && known.0.params().mode == found[k].0.params().mode
                && choices.all.iter().all(|(_, shapes)| {
                    let comparison = compare(&[&known.0, &found[k].0], shapes);
                    comparison.outcomes()[1].alignment().is_none()
                        || comparison.meanings().len() == 1 && comparison.meanings()[0].len() == 2
                })
        };
        let is_repeated = found[k].1.is_ok() && found[..k].iter().filter(|known| known.1.is_ok()).any(repeats);
        if is_repeated {
            drop(found.remove(k));
        } else {
            k += 1;
        }
    }
}

/// Says whether two rules that accept the shapes put axes in the same places for all sizes.
fn alike(found: &[Found], one: usize, other: usize) -> bool {
    matches!((&found[one].1, &found[other].1), (Ok(one), Ok(other)) if one.places_alike(other))
}

/// Numbers what the rules mean, from 0 on: each rule has the first meaning whose rules all agree with it. None where a rule rejects.
fn meanings(found: &[Found], tried: Option<&Tried>) -> Vec<Option<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let agree = |one: usize, other: usize| match tried {
        Some(tried) => tried.agree(found, one, other),
        None => alike(found, one, other),
    };
    let mut number = |k: usize| {
        let at = groups.iter().position(|group| group.iter().all(|&one| agree(one, k))).unwrap_or(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(k);
        at
    };
    found.iter().enumerate().map(|(k, (_, result))| result.is_ok().then(|| number(k))).collect()
}

fn is_undecided(error: &ShapeError) -> bool {
    error.kind() == ErrorKind::Undecided
}

/// Says what the rules that accept the shapes mean; `count` is that of the meanings.
fn fact(found: &[Found], accepted: &[&Found], count: usize, tried: Option<&Tried>) -> Fact {
    match (accepted, tried) {
        ([], _) => {
            let is_undecided = found.iter().any(|(_, result)| result.as_ref().is_err_and(is_undecided));
            Fact::Rejected { is_undecided }
        }
        ([(rule, _)], Some(tried)) => Fact::Only { rule: rule.to_string(), rejected: tried.rejected.clone() },
        (_, None) => Fact::Ranks,
        (_, Some(tried)) => match (&tried.example, &tried.disputed) {
            (Some((sizes, comparison)), _) => {
                let (least, is_least) = (comparison.meanings().len(), !tried.are_complete);
                let meanings = if is_least { least } else { count };
                Fact::Differ { meanings, is_least, sizes: Some(sizes.clone()) }
            }
            (None, _) if !tried.are_complete => Fact::Tried { choices: tried.choices },
            (None, Some((sizes, rejecting))) => Fact::SameWhereAccepted {
                accepted: tried.accepted.clone(),
                disputed: sizes.clone(),
                rejecting: *rejecting,
            },
            (None, None) => Fact::Same { rejected: tried.rejected.clone() },
        },
    }
}

/// Says how far the rules agree.
fn said(found: &[Found], meanings: &[Option<usize>], tried: Option<&Tried>) -> Said {
    let accepted: Vec<&Found> = found.iter().filter(|(_, result)| result.is_ok()).collect();
    let count = meanings.iter().flatten().max().map_or(0, |most| most + 1);
    let results = || accepted.iter().filter_map(|(_, result)| Some(result.as_ref().ok()?.shape()));
    let fact = fact(found, &accepted, count, tried);
    let differ = matches!(fact, Fact::Differ { .. } | Fact::Tried { .. } | Fact::Ranks);
    Said {
        rules: found.len(),
        accepting: accepted.len(),
        numpy_rejects: found
            .iter()
            .any(|(rule, result)| *rule == Rule::numpy() && result.as_ref().is_err_and(|error| !is_undecided(error))),
        result: results()
            .next()
            .filter(|first| !differ && results().all(|other| other == *first))
            .map(ToString::to_string),
        fact,
    }
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
    sizes: Sizes,
    compared: KnownCompared,
}

impl Example {
    fn differences(&self) -> Vec<Json> {
        let found = self.compared.differences();
        found.iter().map(|found| difference(self.compared.comparison(), found)).collect()
    }
}
