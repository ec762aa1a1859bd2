//! Draws one finding in full: the operands, what each reads, and what to do.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use broadaxe_models::{
    code::{self, Code},
    report::{CheckRecord, CounterexampleRecord, DimRecord, FindingRecord, LawRecord},
};

use crate::{
    answer::tuple,
    error::{escaped, named, quoted},
    terminal,
};

/// How many operands are listed of a node that has more: the first, and those that are read otherwise.
const LISTED: usize = 16;
/// A width in which the renderer cuts nothing; it computes multiples of it.
const WIDEST: usize = usize::MAX / 4;

/// Draws one finding; colours are removed if the output is not a terminal. `alike` are the numbers of findings that say the same.
pub(in super::super) fn finding(record: &CheckRecord, finding: &FindingRecord, alike: &[usize]) -> String {
    let level = match finding.verdict.as_str() {
        "differs" | "refused" => Level::ERROR,
        "unsupported" | "guarded" => Level::WARNING,
        _ => Level::NOTE,
    };
    let (source, labels) = operands(finding);
    let path = format!(
        "{}: {} {} ({})",
        escaped(&record.model),
        quoted(&finding.place),
        quoted(&finding.node),
        quoted(&finding.op)
    );
    let mut snippet = Snippet::source(source).line_numbering(false).path(path.clone()).fold(false);
    for (label, span) in labels {
        snippet = snippet.annotation(AnnotationKind::Primary.span(span).label(label));
    }
    let mut group = level
        .primary_title(title(finding))
        .id(finding.code.clone().unwrap_or_else(|| finding.verdict.clone()))
        .element(snippet);
    let others = alike.iter().filter_map(|&at| record.findings.get(at));
    let said = notes(finding).into_iter().map(|(_, text)| text);
    for note in said.chain(same_class(&others.collect::<Vec<_>>())) {
        group = group.element(Level::NOTE.message(escaped(&note)));
    }
    let mut groups: Vec<Group<'_>> = vec![group];
    if let Some(repair) = &finding.repair {
        let cost = match &repair.copied {
            nothing if nothing.parts().is_empty() => "nothing is copied when the model runs".to_owned(),
            copied => format!("copies {} each time the model runs", crate::bytes::copied(copied)),
        };
        groups.push(Group::with_title(Level::HELP.secondary_title(format!("{}; {cost}", escaped(&repair.text)))));
    }
    // In a narrow terminal the renderer would cut names.
    let drawn = Renderer::styled().term_width(WIDEST).render(&groups) + "\n";
    terminal::fitted(&without_line(&drawn, &path), terminal::columns())
}

/// Removes the line and column that the renderer writes behind the path: they are those of the drawing.
fn without_line(drawn: &str, path: &str) -> String {
    let Some((before, after)) = drawn.split_once(path) else { return drawn.to_owned() };
    let after = after.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
    format!("{before}{path}{after}")
}

fn title(finding: &FindingRecord) -> String {
    let what = consequence(finding, &[&finding.target]);
    if finding.reason.is_empty() { what } else { format!("{what}: {}", escaped(&finding.reason)) }
}

/// Says what happens, with the targets that it happens on.
pub(super) fn consequence(finding: &FindingRecord, targets: &[&str]) -> String {
    let on = targets.join(", ");
    match finding.verdict.as_str() {
        "refused" if finding.code.as_deref().and_then(code::find).is_some_and(Code::is_of_model) => {
            "invalid in the model itself".to_owned()
        }
        "differs" => format!("wrong result on {on}"),
        "refused" => format!("rejected by {on}"),
        "unsupported" => format!("not supported by {on}"),
        "guarded" => format!("the same on {on} only under a condition"),
        "same" => format!("the same on {on}, although its laws say otherwise"),
        _ => format!("not known for {on}"),
    }
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

/// A line about an operand, or about the result.
#[derive(Debug)]
pub(super) struct Row {
    /// The tensor.
    pub(super) name: String,
    /// Its shape.
    pub(super) shape: String,
    /// Where the shape is known from.
    pub(super) origin: String,
    /// Whether all its dims are numbers.
    pub(super) is_known: bool,
    /// What is read of it, where the two read different elements.
    pub(super) label: Option<String>,
}

/// Lists the operands of a node and its result; of many operands, some of the first and those that are read otherwise.
pub(super) fn rows(finding: &FindingRecord) -> Vec<Row> {
    let listed = listed(finding.operands.len(), finding.counterexample.as_deref());
    let row = |&k: &usize| {
        let operand = &finding.operands[k];
        let is_size = |dim: &DimRecord| matches!(dim, DimRecord::Size(_));
        let is_known = operand.shape.as_ref().is_some_and(|dims| dims.iter().all(is_size));
        let (shape, origin) = (shape(operand.shape.as_deref()), escaped(&operand.origin));
        Row { name: named(&operand.tensor), shape, origin, is_known, label: label(finding, k) }
    };
    let mut rows: Vec<Row> = listed.iter().map(row).collect();
    let bare =
        |name: &str, shape| Row { name: name.to_owned(), shape, origin: String::new(), is_known: true, label: None };
    let left = finding.operands.len() - listed.len();
    if left > 0 {
        rows.push(bare("...", format!("{left} more")));
    }
    rows.push(bare("result", shape(finding.result.as_deref())));
    rows
}

/// Writes the rows as text; returns the labels with the places of the shapes that they belong to.
fn operands(finding: &FindingRecord) -> (String, Vec<(String, std::ops::Range<usize>)>) {
    let rows = rows(finding);
    let names = rows.iter().map(|row| terminal::width(&row.name)).max().unwrap_or(0);
    let shapes = rows.iter().map(|row| terminal::width(&row.shape)).max().unwrap_or(0);
    let (mut text, mut labels) = (String::new(), Vec::new());
    for Row { name, shape, origin, label, .. } in rows {
        let pad = names - terminal::width(&name) + 2 + shapes - terminal::width(&shape);
        text += &format!("{name}{:pad$}", "");
        let start = text.len();
        text += &shape;
        labels.extend(label.map(|label| (label, start..text.len())));
        text += format!("  {origin}").trim_end();
        text += "\n";
    }
    (text.trim_end().to_owned(), labels)
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

/// Says what else is known of a finding, each with a label: values, sizes near those of the model, the condition, the evidence.
pub(super) fn notes(finding: &FindingRecord) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    if let Some(example) = &finding.counterexample {
        notes.extend(numbers(finding, example).map(|text| ("value", text)));
    }
    if let Some(near) = &finding.near {
        let chosen = listed(near.shapes.len(), Some(&near.counterexample));
        let mut shapes: Vec<String> = chosen.iter().map(|&k| tuple(&near.shapes[k])).collect();
        if chosen.len() < near.shapes.len() {
            shapes.push(format!("{} more", near.shapes.len() - chosen.len()));
        }
        let example = numbers(finding, &near.counterexample).unwrap_or_default();
        let text = format!("operands of shapes {} would differ without an error: {example}", shapes.join(" and "));
        notes.push(("near", text));
    }
    if let Some(condition) = &finding.condition {
        notes.push(("if", format!("the same if {condition}")));
    }
    if let (Some(evidence), Some(source)) = (&finding.evidence, &finding.source) {
        let how = match evidence.as_str() {
            "run here" => "measured with".to_owned(),
            "documented" => "documented in".to_owned(),
            "by definition" => "by definition,".to_owned(),
            asked => format!("{asked},"),
        };
        notes.push(("known", format!("{how} {source}")));
    }
    notes.extend(finding.law.as_ref().map(|it| ("law", law(it))));
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
pub(in super::super) const NAMED_NODES: usize = 8;

/// Names the other nodes of a class.
fn same_class(others: &[&FindingRecord]) -> Option<String> {
    let named: Vec<String> = others.iter().take(NAMED_NODES).map(|finding| quoted(&finding.node)).collect();
    let more = others.len().saturating_sub(NAMED_NODES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    (!others.is_empty()).then(|| format!("the same in nodes of the same class: {}{more}", named.join(", ")))
}

/// Says whether the result of an example has another shape than in the model.
fn has_other_shape(finding: &FindingRecord, example: &CounterexampleRecord) -> bool {
    let asked = finding.is_asked();
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
        let elsewhere = |k: &usize| example.target_reads.get(*k).is_some_and(|read| *read != example.reads[*k]);
        let read = chosen.iter().copied().filter(elsewhere).filter_map(|k| {
            let number = value(*example.target_numbers.get(k)?);
            Some(format!("{}{} = {number}", quoted(&finding.operands[k].tensor), index(&example.target_reads[k])))
        });
        let read: Vec<String> = read.collect();
        let read = if read.is_empty() { String::new() } else { format!(", which reads {}", read.join(", ")) };
        format!("{} on {}{read}", value(example.there), finding.target)
    };
    Some(format!(
        "with {held}, element {} is {} in this model and {there}",
        index(&example.element),
        value(example.here)
    ))
}
