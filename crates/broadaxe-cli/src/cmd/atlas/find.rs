//! `broadaxe atlas find`: lists the cases of shapes, of a pattern or of ranks.

use broadaxe_atlas::{Case, Expected, Id, MAX_OPERANDS, MAX_RANK, Pattern, Subject, Theme};
use broadaxe_shape::Shape;
use serde_json::json;

use super::chosen::Chosen;
use crate::{
    answer::{Answer, table, tuple},
    args::FindArgs,
    error::Error,
};

/// Lists cases.
///
/// # Errors
/// When a family or a rule is unknown, or no case can have such operands.
pub(super) fn run(args: &FindArgs) -> Result<Answer, Error> {
    let chosen = Chosen::new(&args.family, &args.rule)?;
    let shapes: Vec<&[usize]> = args.shapes.iter().map(Shape::dims).collect();
    let ranks: Vec<usize> =
        if shapes.is_empty() { args.ranks.clone() } else { shapes.iter().map(|shape| shape.len()).collect() };
    if ranks.len() > MAX_OPERANDS || ranks.iter().any(|&rank| rank > MAX_RANK) {
        return Err(Error::usage(format!("cases have up to {MAX_OPERANDS} operands, of ranks up to {MAX_RANK}")));
    }
    let pattern = args.pattern.clone().or_else(|| (!shapes.is_empty()).then(|| Pattern::of(&shapes)));
    let operands = pattern.as_ref().map_or(ranks.len(), |pattern| pattern.ranks().len());
    let subjects: Vec<&'static Subject> = chosen.subjects().filter(|subject| subject.operands() == operands).collect();
    if subjects.is_empty() {
        return Err(Error::usage(format!(
            "none of the chosen rules has cases of {operands} shapes; a target counts as one"
        )));
    }
    Ok(list(&subjects, pattern.as_ref(), &ranks, args.limit))
}

/// Lists the cases of subjects: of a pattern, or of all patterns of these ranks.
fn list(subjects: &[&'static Subject], pattern: Option<&Pattern>, ranks: &[usize], limit: usize) -> Answer {
    let (mut rows, mut lines, mut more) = (Vec::new(), Vec::new(), 0_usize);
    let mut add = |subject: &'static Subject, pattern: Pattern| {
        if !subject.has_ranks(&pattern.ranks()) {
            return;
        }
        let Ok(case) = Case::new(Id { subject, pattern, theme: Theme::Small }) else { return };
        if rows.len() < limit {
            rows.push(row(&case));
            lines.push(case.json());
        } else {
            more += 1;
        }
    };
    for &subject in subjects {
        match pattern {
            Some(pattern) => add(subject, pattern.clone()),
            None => Pattern::all(ranks).for_each(|pattern| add(subject, pattern)),
        }
    }
    let mut text = table(&["id", "pattern", "shapes", "result"], false, rows);
    if more > 0 {
        text += &format!("\n... and {more} more; --rule and --family choose among them, and --limit lists more\n");
    }
    Answer::new(text, json!({ "cases": lines, "more": more }))
}

fn row(case: &Case) -> Vec<String> {
    let mut shapes: Vec<String> = case.operands.iter().map(|shape| tuple(shape)).collect();
    shapes.extend(case.rule.params().target.as_ref().map(|target| format!("to {}", tuple(target.dims()))));
    let result = match &case.expected {
        Expected::Result { shape, .. } => tuple(shape),
        Expected::Rejected(kind) => format!("rejected: {kind}"),
    };
    vec![case.id.to_string(), case.id.pattern.to_string(), shapes.join(" "), result]
}
