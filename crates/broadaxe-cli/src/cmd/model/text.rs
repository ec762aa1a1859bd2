//! Writes a finding as text: the operands, what each reads, and what to do.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use broadaxe_models::report::{CheckRecord, CounterexampleRecord, DimRecord, FindingRecord, LawRecord};

use crate::{
    answer::tuple,
    error::{escaped, quoted},
};

/// How many operands are listed of a node that has more: the first, and those that are read otherwise.
const LISTED: usize = 16;

/// Draws one finding; colours are removed if the output is not a terminal. `alike` are the numbers of findings that say the same.
pub(super) fn finding(record: &CheckRecord, finding: &FindingRecord, alike: &[usize]) -> String {
    let level = match finding.verdict.as_str() {
        "differs" | "refused" => Level::ERROR,
        "unsupported" | "guarded" => Level::WARNING,
        _ => Level::NOTE,
    };
    let (source, spans) = operands(finding);
    let path = format!(
        "{}: {} {} ({})",
        escaped(&record.model),
        quoted(&finding.place),
        quoted(&finding.node),
        quoted(&finding.op)
    );
    let mut snippet = Snippet::source(source).line_numbering(false).path(path.clone()).fold(false);
    for (k, span) in spans {
        if let Some(label) = label(finding, k) {
            snippet = snippet.annotation(AnnotationKind::Primary.span(span).label(label));
        }
    }
    let mut group = level.primary_title(title(finding)).id(finding.verdict.clone()).element(snippet);
    let others = alike.iter().filter_map(|&at| record.findings.get(at));
    for note in notes(finding).into_iter().chain(same_class(&others.collect::<Vec<_>>())) {
        group = group.element(Level::NOTE.message(escaped(&note)));
    }
    let mut groups: Vec<Group<'_>> = vec![group];
    if let Some(repair) = &finding.repair {
        let cost = match repair.bytes {
            0 => "nothing is copied when the model runs".to_owned(),
            bytes => format!("copies {} each time the model runs", crate::bytes::show(u128::from(bytes))),
        };
        groups.push(Group::with_title(Level::HELP.secondary_title(format!("{}; {cost}", escaped(&repair.text)))));
    }
    let drawn = Renderer::styled().term_width(width()).render(&groups) + "\n";
    without_line(&drawn, &path)
}

/// Removes the line and column that the renderer writes behind the path: they are those of the drawing.
fn without_line(drawn: &str, path: &str) -> String {
    let Some((before, after)) = drawn.split_once(path) else { return drawn.to_owned() };
    let after = after.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
    format!("{before}{path}{after}")
}

/// The width that the terminal says it has, or 80.
fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).unwrap_or(80).max(40)
}

fn title(finding: &FindingRecord) -> String {
    let target = &finding.target;
    let what = match finding.verdict.as_str() {
        "differs" => format!("wrong result on {target}"),
        "refused" => format!("rejected by {target}"),
        "unsupported" => format!("not supported by {target}"),
        "guarded" => format!("the same on {target} only under a condition"),
        "same" => format!("the same on {target}, although its laws say otherwise"),
        _ => format!("not known for {target}"),
    };
    if finding.reason.is_empty() { what } else { format!("{what}: {}", escaped(&finding.reason)) }
}

/// Chooses the operands that are listed, in their order: all, or of many some of the first and those that differ.
fn listed(count: usize, example: Option<&CounterexampleRecord>) -> Vec<usize> {
    if count <= LISTED {
        return (0..count).collect();
    }
    let differs = |k: &usize| example.is_some_and(|example| example.target_reads.get(*k) != example.reads.get(*k));
    let first = LISTED / 2;
    (0..first).chain((first..count).filter(differs).take(LISTED - first)).collect()
}

/// Writes a line per operand and one for the result; returns which operands these are, and where their shapes stand.
fn operands(finding: &FindingRecord) -> (String, Vec<(usize, std::ops::Range<usize>)>) {
    let listed = listed(finding.operands.len(), finding.counterexample.as_deref());
    let mut rows: Vec<(String, String, String)> = Vec::new();
    for operand in listed.iter().map(|&k| &finding.operands[k]) {
        let name = quoted(&operand.tensor);
        rows.push((name, shape(operand.shape.as_deref()), escaped(&operand.origin)));
    }
    let left = finding.operands.len() - listed.len();
    if left > 0 {
        rows.push(("...".into(), format!("{left} more"), String::new()));
    }
    rows.push(("result".into(), shape(finding.result.as_deref()), String::new()));
    let names = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0);
    let shapes = rows.iter().map(|row| row.1.chars().count()).max().unwrap_or(0);
    let (mut text, mut spans) = (String::new(), Vec::new());
    for (name, shape, origin) in rows {
        text += &format!("{name:names$}  {:>1$}", "", shapes - shape.chars().count());
        let start = text.len();
        text += &shape;
        spans.push(start..text.len());
        text += format!("  {origin}").trim_end();
        text += "\n";
    }
    (text.trim_end().to_owned(), listed.into_iter().zip(spans).collect())
}

fn shape(dims: Option<&[DimRecord]>) -> String {
    let word = |dim: &DimRecord| match dim {
        DimRecord::Size(size) => size.to_string(),
        DimRecord::Open(name) => quoted(name),
    };
    dims.map_or_else(|| "of unknown rank".to_owned(), |dims| tuple(&dims.iter().map(word).collect::<Vec<_>>()))
}

/// Says what is read of operand `k`, where the two read different elements.
fn label(finding: &FindingRecord, k: usize) -> Option<String> {
    let example = finding.counterexample.as_ref()?;
    let (here, there) = (example.reads.get(k)?, example.target_reads.get(k)?);
    let name = quoted(&finding.operands.get(k)?.tensor);
    let (here, there) = (index(here), index(there));
    (here != there).then(|| format!("this model reads {name}{here}, {} reads {name}{there}", finding.target))
}

/// Writes the index of an element: `[0, 1]`.
fn index(at: &[usize]) -> String {
    format!("[{}]", at.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
}

fn notes(finding: &FindingRecord) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(example) = &finding.counterexample {
        notes.extend(numbers(finding, example));
    }
    if let Some(near) = &finding.near {
        let chosen = listed(near.shapes.len(), Some(&near.counterexample));
        let mut shapes: Vec<String> = chosen.iter().map(|&k| tuple(&near.shapes[k])).collect();
        if chosen.len() < near.shapes.len() {
            shapes.push(format!("{} more", near.shapes.len() - chosen.len()));
        }
        let example = numbers(finding, &near.counterexample).unwrap_or_default();
        notes.push(format!("operands of shapes {} would differ without an error: {example}", shapes.join(" and ")));
    }
    if let Some(condition) = &finding.condition {
        notes.push(format!("it is the same if {condition}"));
    }
    if let (Some(evidence), Some(source)) = (&finding.evidence, &finding.source) {
        let sign = if evidence.starts_with("asked") { "," } else { ":" };
        notes.push(format!("{evidence}{sign} {source}"));
    }
    notes.extend(finding.law.as_ref().map(law));
    notes
}

/// Says that the laws of a target say otherwise than the engine.
pub(super) fn law(law: &LawRecord) -> String {
    let what = match law.verdict.as_str() {
        "same" => "it computes the same",
        "differs" => "it gives a wrong result",
        "refused" => "it rejects the node",
        _ => "it does not support the node",
    };
    let LawRecord { target, reason, .. } = law;
    let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    if law.alone {
        format!("the laws of {target} say otherwise: {what}{reason}")
    } else {
        format!("the engine was asked about the node alone; in this model, the laws of {target} say: {what}{reason}")
    }
}

/// How many nodes a note names.
pub(super) const NAMED_NODES: usize = 8;

/// Names the other nodes of a class.
fn same_class(others: &[&FindingRecord]) -> Option<String> {
    let named: Vec<String> = others.iter().take(NAMED_NODES).map(|finding| quoted(&finding.node)).collect();
    let more = others.len().saturating_sub(NAMED_NODES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    (!others.is_empty()).then(|| format!("the same in nodes of the same class: {}{more}", named.join(", ")))
}

/// Says whether the result of an example has another shape than in the model.
fn has_other_shape(finding: &FindingRecord, example: &CounterexampleRecord) -> bool {
    let asked = finding.evidence.as_ref().is_some_and(|evidence| evidence.starts_with("asked"));
    let known = |dim: &DimRecord| if let DimRecord::Size(size) = dim { Some(*size) } else { None };
    let own: Option<Vec<usize>> = finding.result.as_ref().and_then(|dims| dims.iter().map(known).collect());
    example.target_reads.is_empty() && !(asked && own.as_ref() == Some(&example.target_shape))
}

/// Writes which elements of the operands an element is computed from, where no numbers are computed.
fn places(finding: &FindingRecord, example: &CounterexampleRecord) -> String {
    let element = index(&example.element);
    let read = |reads: &[Vec<usize>]| {
        let count = reads.len().min(finding.operands.len());
        let chosen = listed(count, Some(example));
        let mut parts: Vec<String> =
            chosen.iter().map(|&k| quoted(&finding.operands[k].tensor) + &index(&reads[k])).collect();
        if chosen.len() < count {
            parts.push(format!("{} more", count - chosen.len()));
        }
        parts.join(" and ")
    };
    if example.target_reads.is_empty() {
        return format!("element {element} is not computed as in this model on {}", finding.target);
    }
    let (here, there) = (read(&example.reads), read(&example.target_reads));
    format!("element {element} is computed from {here} in this model and from {there} on {}", finding.target)
}

/// Writes the numbers of the operands at an element, and both results; nothing where no element is known to differ.
pub(super) fn numbers(finding: &FindingRecord, example: &CounterexampleRecord) -> Option<String> {
    let elements = example.element.iter().zip(&example.target_shape);
    if example.numbers.is_empty() {
        return (example.target_shape.len() >= example.element.len()).then(|| places(finding, example));
    }
    let exists = !example.element.is_empty() && { elements }.all(|(at, dim)| at < dim);
    let value = |value: Option<f64>| value.map_or_else(|| "no finite number".to_owned(), |value| value.to_string());
    let count = example.numbers.len().min(example.reads.len()).min(finding.operands.len());
    let chosen = listed(count, Some(example));
    let held = |&k: &usize| {
        let (tensor, read) = (quoted(&finding.operands[k].tensor), index(&example.reads[k]));
        format!("{tensor}{read} = {}", value(example.numbers[k]))
    };
    let mut held: Vec<String> = chosen.iter().map(held).collect();
    if chosen.len() < count {
        held.push(format!("{} more numbers", count - chosen.len()));
    }
    let held = held.join(", ");
    let other = has_other_shape(finding, example);
    let there = if other && exists && example.target_shape.len() == example.element.len() {
        format!("{} reads past an operand's end there", finding.target)
    } else if other {
        format!("the result has shape {} on {}", tuple(&example.target_shape), finding.target)
    } else {
        format!("{} on {}", value(example.there), finding.target)
    };
    Some(format!(
        "with {held}, element {} is {} in this model and {there}",
        index(&example.element),
        value(example.here)
    ))
}
