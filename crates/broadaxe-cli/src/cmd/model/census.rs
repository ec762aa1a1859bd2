//! `broadaxe census`: counts the broadcasting nodes of models by operator and by how they broadcast.

use broadaxe_models::census::{Census, Pattern};
use broadaxe_session::{census::counted, request::CensusRequest};

use super::Open;
use crate::{
    answer::{Answer, table},
    bytes,
    error::Error,
    terminal,
};

/// Counts the nodes of each model. A file that cannot be used is an error of the answer.
///
/// # Errors
/// When a shape of an input is malformed.
pub(super) fn run(request: &CensusRequest, open: Open<'_>) -> Result<Answer, Error> {
    let counted = counted(request, open)?;
    let texts: Vec<String> = counted.models.iter().map(|(name, census)| show(name, census)).collect();
    let answer = Answer::new(texts.join("\n"), counted.record());
    Ok(Answer { errors: counted.unusable.into_iter().map(|one| *one.error).collect(), ..answer })
}

fn show(name: &str, census: &Census) -> String {
    let rows = census.rows();
    let (own, all) = (census.entries.len(), census.nodes);
    let mut text = format!("{name}: {own} of {all} {} counted\n", if all == 1 { "node" } else { "nodes" });
    let alone = census.entries.iter().filter(|entry| entry.pattern == Pattern::Unary).count();
    if alone > 0 {
        text.truncate(text.trim_end().len());
        text += &format!(", {alone} of them with one operand\n");
    }
    if rows.is_empty() {
        return text;
    }
    let cells = rows.iter().map(|row| {
        let loops = row.merged.map_or_else(|| "-".to_owned(), |merged| merged.to_string());
        let blow_up = row.blow_up.map_or_else(|| "-".to_owned(), |factor| format!("{factor:.2}"));
        let known = bytes::show(u128::from(row.bytes));
        let total = match row.open {
            0 => known,
            open if open == row.nodes => "-".to_owned(),
            _ => format!(">= {known}"),
        };
        vec![row.op.clone(), row.pattern.name().to_owned(), row.nodes.to_string(), loops, blow_up, total]
    });
    text += "\n";
    text += &table(&["operator", "pattern", "nodes", "loops", "blow-up", "bytes"], false, cells);
    text += "\nLoops: axes left after merging. Blow-up: elements of the result per element read. Each is the largest of its row.\n";
    terminal::fitted(&text, terminal::columns())
}
