//! Draws one finding in full: the operands, what each reads, and what to do.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use broadaxe_models::report::{
    CheckRecord, FindingRecord,
    words::{self, ReportRow, copies, notes, same_class, title},
};

use crate::{
    error::{escaped, quoted},
    terminal,
};

/// Shows a name that a file says: in full where it goes to a file or a pipe, and as [`quoted`] does in a terminal.
fn named(name: &str) -> String {
    if terminal::columns().is_some() { quoted(name) } else { escaped(name) }
}

/// A width in which the renderer cuts nothing; it computes multiples of it.
const WIDEST: usize = usize::MAX / 4;

/// Draws one finding; colours are removed if the output is not a terminal. `alike` are the numbers of findings that say the same.
pub(super) fn finding(record: &CheckRecord, finding: &FindingRecord, alike: &[usize]) -> String {
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
        let cost = copies(repair).unwrap_or_else(|| "nothing is copied when the model runs".to_owned());
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

/// Lists the operands of a node and its result; a terminal shows the start of long names.
pub(super) fn rows(finding: &FindingRecord) -> Vec<ReportRow> {
    let row = |row: ReportRow| ReportRow { name: named(&row.name), ..row };
    words::rows(finding).into_iter().map(row).collect()
}

/// Writes the rows as text; returns the labels with the places of the shapes that they belong to.
fn operands(finding: &FindingRecord) -> (String, Vec<(String, std::ops::Range<usize>)>) {
    let rows = rows(finding);
    let names = rows.iter().map(|row| terminal::width(&row.name)).max().unwrap_or(0);
    let shapes = rows.iter().map(|row| terminal::width(&row.shape)).max().unwrap_or(0);
    let (mut text, mut labels) = (String::new(), Vec::new());
    for ReportRow { name, shape, origin, label, .. } in rows {
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

#[cfg(test)]
mod tests {
    use broadaxe_models::report::{CheckRecord, LawRecord};

    use super::{super::sample::checked, finding};

    /// Where the laws say otherwise than the engine, the report says both.
    #[test]
    fn laws_that_say_otherwise() {
        let mut record = checked().models.remove(0);
        let law = |verdict: &str, reason: &str, alone| {
            let [target, verdict, reason] = ["onnx", verdict, reason].map(str::to_owned);
            Some(Box::new(LawRecord { target, verdict, reason, alone }))
        };
        let text = |record: &CheckRecord| {
            let text = finding(record, &record.findings[0], &[1]);
            anstream::adapter::strip_str(&text).to_string()
        };
        for finding in &mut record.findings {
            finding.node.truncate(0);
            finding.node.push_str("node");
        }
        let first = &mut record.findings[0];
        (first.target, first.verdict, first.reason) =
            ("fake 1.0".into(), "refused".to_owned(), "ends the process (signal 11)".to_owned());
        first.law = law("same", "", true);
        let said = text(&record);
        assert!(said.contains("refused by fake 1.0: ends the process (signal 11)"), "{said}");
        assert!(said.contains("note: the laws of onnx say otherwise: it computes the same\n"), "{said}");
        let first = &mut record.findings[0];
        (first.verdict, first.code, first.reason, first.law) =
            ("same".to_owned(), None, String::new(), law("differs", "onnx adds", true));
        let said = text(&record);
        assert!(said.starts_with("note[same]: the same on fake 1.0, although its laws say otherwise\n"), "{said}");
        assert!(said.contains("note: the laws of onnx say otherwise: it differs: onnx adds\n"), "{said}");
        assert!(said.contains("note: the same in nodes of the same class: node\n"), "{said}");
        record.findings[0].law = law("differs", "onnx adds", false);
        let said = text(&record);
        let want = "ran the node alone; in this model, the laws of onnx say: it differs: onnx adds\n";
        assert!(said.contains(want), "{said}");
    }
}
