//! `broadaxe census`: counts the broadcasting nodes of models by operator and by how they broadcast.

use std::path::PathBuf;

use broadaxe_models::census::{Census, Pattern, Row, census};
use serde_json::{Value, json};

use super::{
    Open, given,
    inputs::{Unusable, collect},
    load, open,
};
use crate::{
    answer::{Answer, FileRecord, table},
    args::CensusArgs,
    bytes,
    error::Error,
    terminal,
};

/// Counts the nodes of a model that a caller holds.
///
/// # Errors
/// When it cannot be read.
pub fn run(args: &CensusArgs, open: Open<'_>) -> Result<Answer, Error> {
    counted(args, args.models.iter().cloned().map(Ok).collect(), open).whole()
}

/// Counts the nodes of each model that the command line names. A file that cannot be used is an error of the answer.
///
/// # Errors
/// When an argument is malformed.
pub fn run_inputs(args: &CensusArgs) -> Result<Answer, Error> {
    given(&args.inputs)?;
    Ok(counted(args, collect(&args.models), &open))
}

fn counted(args: &CensusArgs, inputs: Vec<Result<PathBuf, Unusable>>, open: Open<'_>) -> Answer {
    let (mut text, mut models, mut files, mut errors) = (String::new(), Vec::new(), Vec::new(), Vec::new());
    for input in inputs {
        let load =
            |path: PathBuf| load(&path, &args.inputs, open).map_err(|error| Unusable { path, error: Box::new(error) });
        let loaded = match input.and_then(load) {
            Ok(loaded) => loaded,
            Err(Unusable { path, error }) => {
                files.push(FileRecord::new(&path.display().to_string(), &error));
                errors.push(*error);
                continue;
            }
        };
        let name = loaded.path.display().to_string();
        let census = census(&loaded.model, &loaded.shapes);
        if !text.is_empty() {
            text += "\n";
        }
        text += &show(&name, &census);
        models.push(describe(&name, &census));
    }
    let json =
        if files.is_empty() { json!({ "models": models }) } else { json!({ "models": models, "errors": files }) };
    Answer { errors, ..Answer::new(text, json) }
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

fn describe(name: &str, census: &Census) -> Value {
    let row = |row: &Row| {
        json!({
            "op": row.op, "pattern": row.pattern.name(), "nodes": row.nodes, "loops": row.merged,
            "blow_up": row.blow_up, "bytes": row.bytes, "open": row.open,
        })
    };
    json!({ "model": name, "nodes": census.nodes, "elementwise": census.entries.len(), "rows": census.rows().iter().map(row).collect::<Vec<_>>() })
}
