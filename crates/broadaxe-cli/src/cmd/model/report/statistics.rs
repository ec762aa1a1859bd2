//! Counts the findings of all models by kind and target.

use std::collections::{BTreeMap, BTreeSet};

use broadaxe_models::{code, report::Shown};

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
    let hidden = shown.hidden(&found.models).map(|said| format!("{said} (--all shows them)\n"));
    let hidden = hidden.unwrap_or_default();
    if counts.is_empty() {
        let mut findings = found.models.iter().flat_map(|record| &record.findings);
        return match hidden.as_str() {
            "" => "no findings\n".to_owned(),
            _ if findings.any(|one| one.verdict == "unknown") => format!("no known problem, unknown nodes\n{hidden}"),
            _ => format!("no findings that fail\n{hidden}"),
        };
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
    table(&["findings", "code", "kind", "target", "fixable", "models"], false, rows) + &hidden
}

#[cfg(test)]
mod tests {
    use super::{super::sample, *};

    #[test]
    fn findings_are_counted_by_kind_and_target() {
        let found = sample::checked();
        let rows: Vec<Vec<String>> = table_of(&found, sample::SHOWN)
            .lines()
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .collect();
        let counted: usize = rows.iter().filter_map(|row| row.first()?.parse::<usize>().ok()).sum();
        assert_eq!(counted, found.models[0].findings.iter().filter(|one| one.code.is_some()).count(), "{rows:?}");
        assert!(
            rows.iter().any(|row| row.starts_with(&["2", "BX101", "wrong-axis", "onnx"].map(str::to_owned))),
            "{rows:?}"
        );
        assert_eq!(table_of(&Checked::default(), sample::SHOWN), "no findings\n");
    }
}
