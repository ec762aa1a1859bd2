//! Counts the broadcasting nodes of models by operator and by how they broadcast.

use std::path::PathBuf;

use broadaxe_models::census::{Census, Row, census};
use serde_json::{Value, json};

use crate::{
    error::Error,
    inputs::{Unusable, collect},
    model::{Open, given, load},
    record::FileRecord,
    request::CensusRequest,
};

/// What was counted.
#[derive(Debug, Default)]
pub struct CountedModels {
    /// The models, with their names.
    pub models: Vec<(String, Census)>,
    /// The files that could not be used.
    pub unusable: Vec<Unusable>,
}

/// Counts the nodes of each model. A file that cannot be used is an entry of the answer.
///
/// # Errors
/// When a shape of an input is malformed.
pub fn counted(request: &CensusRequest, open: Open<'_>) -> Result<CountedModels, Error> {
    given(&request.input_shapes)?;
    let models = request.models.iter().cloned().map(Ok);
    let mut counted = CountedModels::default();
    for input in if request.search { collect(&request.models) } else { models.collect() } {
        let load = |path: PathBuf| {
            load(&path, &request.input_shapes, open).map_err(|error| Unusable { path, error: Box::new(error) })
        };
        match input.and_then(load) {
            Ok(loaded) => {
                let name = loaded.path.display().to_string();
                counted.models.push((name, census(&loaded.model, &loaded.shapes)));
            }
            Err(unusable) => counted.unusable.push(unusable),
        }
    }
    Ok(counted)
}

impl CountedModels {
    /// Returns what is printed as JSON.
    pub fn record(&self) -> Value {
        let models: Vec<Value> = self.models.iter().map(|(name, census)| describe(name, census)).collect();
        let file = |one: &Unusable| FileRecord::new(&one.path.display().to_string(), &one.error);
        let files: Vec<FileRecord> = self.unusable.iter().map(file).collect();
        if files.is_empty() { json!({ "models": models }) } else { json!({ "models": models, "errors": files }) }
    }
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
