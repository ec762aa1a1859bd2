//! Puts a comparison of rules on a sheet: every meaning, and who rejects the shapes.

use broadaxe_shape::{Rule, Shape};

use super::{Panel, Sheet, values::Values};
use crate::{
    compared::{Compared, KnownCompared, OpenCompared, reason},
    drawing::Drawing,
    order::Order,
    words::join,
};

/// How many rules are named.
const NAMED: usize = 6;

impl Compared {
    /// Puts the comparison on a sheet: a panel for each meaning, the rejection by NumPy's rule if it rejects the shapes, and a line for
    /// each other reason to reject them.
    pub fn sheet(&self) -> Sheet {
        let said = self.said();
        let said = [Some(said.heading()), said.note()].into_iter().flatten().collect();
        match self {
            Self::Known(known) => {
                let title = question(known.shapes());
                let (panels, below) = (known_panels(known), known_rejections(known));
                Sheet { title, said, panels, below }
            }
            Self::Open(open) => {
                let mut panels = open_panels(open);
                // Whose meanings they are is said above.
                let example = open.example().map(known_panels).unwrap_or_default();
                panels.extend(example.into_iter().map(|panel| Panel { said: None, ..panel }));
                Sheet { title: question(open.shapes()), said, panels, below: open_rejections(open) }
            }
        }
    }
}

fn question<T: std::fmt::Display>(shapes: &[T]) -> String {
    format!("{} under every rule", join(shapes, " + "))
}

fn known_panels(known: &KnownCompared) -> Vec<Panel> {
    let outcomes = known.comparison().outcomes();
    let panel = |(k, group): (usize, &Vec<usize>)| {
        let drawing = known.drawing(k)?;
        let alignment = outcomes[known.speaker(k)].alignment()?;
        let mut values = Values::of(alignment, Order::ROW_MAJOR);
        if let (Some(values), Some(trace)) = (&mut values, &drawing.trace) {
            values.trace(&trace.element);
        }
        let rules: Vec<&Rule> = group.iter().map(|&at| outcomes[at].rule()).collect();
        Some(Panel { drawing, said: Some(meaning(k, &rules)), values })
    };
    let mut panels: Vec<Panel> = known.meanings().iter().enumerate().filter_map(panel).collect();
    Values::mark(&mut panels.iter_mut().filter_map(|panel| panel.values.as_mut()).collect::<Vec<_>>());
    let dims: Vec<&[usize]> = known.shapes().iter().map(Shape::dims).collect();
    if known.said().numpy_rejects {
        panels.extend(Drawing::failed(&Rule::numpy(), &dims, Order::ROW_MAJOR).map(|drawing| {
            let drawing = Drawing { notes: Vec::new(), ..drawing };
            Panel { drawing, said: None, values: None }
        }));
    }
    panels
}

fn open_panels(open: &OpenCompared) -> Vec<Panel> {
    let count = open.outcomes().filter_map(|(.., meaning)| meaning).max().map_or(0, |most| most + 1);
    let panel = |k: usize| {
        let rules = open.outcomes().filter_map(|(rule, _, meaning)| (meaning == Some(k)).then_some(rule));
        let said = Some(meaning(k, &rules.collect::<Vec<_>>()));
        Some(Panel { drawing: open.drawing(k)?, said, values: None })
    };
    (0..count).filter_map(panel).collect()
}

/// Names a meaning and its rules.
fn meaning(k: usize, rules: &[&Rule]) -> String {
    format!("meaning {}: {}", k + 1, named(rules))
}

fn named(rules: &[&Rule]) -> String {
    let more = if rules.len() > NAMED { format!(" and {} more", rules.len() - NAMED) } else { String::new() };
    join(&rules[..rules.len().min(NAMED)], ", ") + &more
}

fn known_rejections(known: &KnownCompared) -> Vec<String> {
    let outcomes = known.comparison().outcomes().iter();
    rejections(outcomes.filter_map(|outcome| Some((outcome.rule(), reason(outcome.result().err()?)))))
}

fn open_rejections(open: &OpenCompared) -> Vec<String> {
    rejections(open.outcomes().filter_map(|(rule, result, _)| Some((rule, reason(result.err()?)))))
}

/// Writes a line for each reason to reject the shapes.
fn rejections<'a>(rejected: impl Iterator<Item = (&'a Rule, String)>) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&Rule>)> = Vec::new();
    for (rule, reason) in rejected {
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, rules)) => rules.push(rule),
            None => groups.push((reason, vec![rule])),
        }
    }
    let line = |(reason, rules): &(String, Vec<&Rule>)| {
        let rule = if rules.len() == 1 { "rule" } else { "rules" };
        format!("rejected by the {rule} {} ({})", named(rules), reason.strip_prefix("no: ").unwrap_or(reason))
    };
    groups.iter().map(line).collect()
}
