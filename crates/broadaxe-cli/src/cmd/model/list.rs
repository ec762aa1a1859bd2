//! `broadaxe list`: lists the nodes of a model, and what targets do with them.

use broadaxe_models::{Target, report::words::fused};
use broadaxe_session::{
    list::{ListRow, Listed, list},
    request::ListRequest,
};
use serde_json::Value;

use super::Open;
use crate::{
    answer::{Answer, Json, aligned_to, table},
    error::{Error, escaped, quoted},
    terminal,
};

/// How many operands of a node a line shows; JSON has all.
const LISTED_OPERANDS: usize = 8;

/// The columns that are cut: the node, its operator, its operands and its result.
const SOFT: [usize; 4] = [1, 2, 3, 4];

/// Replaces a blank at which no line may break; no standard gives this character a meaning.
const BLANK: char = '\u{e000}';

/// Lists the nodes of a model.
///
/// # Errors
/// When the model cannot be read, a target is unknown, or a pattern or a shape is malformed.
pub(super) fn run(request: &ListRequest, json: bool, open: Open<'_>) -> Result<Answer, Error> {
    let listed = list(request, open)?;
    let (name, count, all) = (request.model.display().to_string(), listed.count(), listed.all);
    let counts = format!("{count} of {all} nodes listed, {} broadcast", listed.elementwise());
    let counts = terminal::fitted(&format!("{}: {counts}\n", escaped(&name)), terminal::columns());
    // A model may have many nodes, so only one form is made.
    let mut answer = Answer::new(String::new(), Value::Null);
    if json {
        answer.json = Json::written(&listed.record());
    } else {
        answer.text = show(&listed) + &counts;
    }
    answer.notes.extend(listed.note);
    Ok(answer)
}

/// Writes the cells of a line, with this between operands.
fn cells(row: &ListRow, between: &str) -> Vec<String> {
    let shown = row.operands.iter().take(LISTED_OPERANDS).map(|(_, shape)| quoted(&shape.to_string()));
    let mut operands: Vec<String> = shown.collect();
    if row.operands.len() > LISTED_OPERANDS {
        operands.push(format!("and {} more", row.operands.len() - LISTED_OPERANDS));
    }
    let mut cells = vec![quoted(&row.place), quoted(&fused(&row.name)), quoted(&row.op), operands.join(between)];
    cells.push(quoted(&row.result.to_string()));
    cells.extend(row.verdicts.iter().map(|&verdict| verdict.to_owned()));
    cells
}

/// Writes a line per node. Programs can filter the lines. In a terminal that is too narrow, shapes have no blanks, and long cells are cut
/// in the middle; where not even that fits, each node is a list.
fn show(listed: &Listed) -> String {
    if listed.count() == 0 {
        return String::new();
    }
    let head = ["place", "node", "operator", "operands", "result"].map(str::to_owned);
    let head: Vec<String> = head.into_iter().chain(listed.targets.iter().map(Target::to_string)).collect();
    let rows = || std::iter::once(head.clone()).chain(listed.rows().map(|row| cells(&row, " ")));
    let fits = |text: &String| {
        let widest = text.lines().map(terminal::width).max().unwrap_or(0);
        terminal::columns().is_none_or(|columns| widest <= columns)
    };
    let text = aligned_to(rows, None, &SOFT);
    if fits(&text) {
        return text;
    }
    // Shapes without blanks: (1,3,8,8).
    let close = |row: Vec<String>| row.into_iter().map(|cell| cell.replace(", ", ",")).collect();
    let text = aligned_to(|| rows().map(close), terminal::columns(), &SOFT);
    if fits(&text) {
        return text;
    }
    // A shape is one word.
    let whole = |row: Vec<String>| row.into_iter().map(|cell| cell.replace(", ", &format!(",{BLANK}"))).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    table(&head, false, listed.rows().map(|row| cells(&row, "\n")).map(whole)).replace(BLANK, " ")
}
