//! Counts the findings of all models by kind and target.

use std::collections::{BTreeMap, BTreeSet};

use broadaxe_models::code;

use super::group::Shown;
use crate::answer::{Checked, table};

/// Writes a table with a row per kind of finding and target, the most frequent first.
pub(super) fn table_of(found: &Checked, shown: Shown) -> String {
    let mut counts: BTreeMap<(&str, &str), (usize, usize, BTreeSet<&str>)> = BTreeMap::new();
    for record in &found.models {
        for finding in record.findings.iter().filter(|finding| shown.has(finding)) {
            let Some(code) = &finding.code else { continue };
            let (nodes, fixable, models) = counts.entry((code, &finding.target)).or_default();
            *nodes += 1;
            *fixable += usize::from(finding.fixable);
            models.insert(&record.model);
        }
    }
    if counts.is_empty() {
        return "no findings\n".to_owned();
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|(_, (nodes, ..))| std::cmp::Reverse(*nodes));
    let rows = rows.into_iter().map(|((id, target), (nodes, fixable, models))| {
        let name = code::find(id).map_or("", |code| code.name);
        vec![
            nodes.to_string(),
            id.to_owned(),
            name.to_owned(),
            target.to_owned(),
            fixable.to_string(),
            models.len().to_string(),
        ]
    });
    table(&["findings", "code", "kind", "target", "fixable", "models"], false, rows)
}
