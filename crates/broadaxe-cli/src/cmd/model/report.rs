//! Writes what checks found, in every form of a report.

mod full;
mod severity;
mod grouped;
#[cfg(test)]
mod sample;
mod concise;
mod statistics;
mod markdown;
mod junit;
mod github;
mod gitlab;
mod sarif;
mod explorer;

use std::collections::BTreeMap;

use broadaxe_models::report::{CheckRecord, Shown};
use serde_json::Value;

#[cfg(all(test, unix))]
pub(super) use self::full::finding;
pub(super) use self::grouped::{View, model};
use crate::{
    answer::Checked,
    args::ReportFormat,
    error::{Error, escaped_json},
};

/// What engines that were asked about a model answered, beyond the findings.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// What was asked, for people.
    pub(super) text: String,
    /// For a finding that holds for all nodes of a class: the numbers of the findings on the others.
    pub(super) alike: BTreeMap<usize, Vec<usize>>,
}

/// Writes a report; `texts` is the one for people.
pub(super) fn report(format: ReportFormat, found: &Checked, texts: &str, shown: Shown) -> String {
    let line = |value: &Value| escaped_json(&format!("{value}\n")).into_owned();
    match format {
        ReportFormat::Grouped | ReportFormat::Full => texts.to_owned(),
        ReportFormat::Concise => concise::lines(found, shown),
        ReportFormat::Markdown => markdown::document(found, shown),
        ReportFormat::Junit => junit::suites(found, shown),
        ReportFormat::Json => escaped_json(&serde_json::to_string(found).unwrap_or_default()).into_owned() + "\n",
        ReportFormat::Sarif => line(&sarif::log(found, shown)),
        ReportFormat::Github => github::commands(found, shown),
        ReportFormat::Gitlab => line(&gitlab::issues(found, shown)),
        ReportFormat::ModelExplorer => line(&explorer::overlay(found, shown)),
    }
}

/// Says which findings a report leaves out.
///
/// # Errors
/// When the report is about one model and there are several.
pub(super) fn left_out(format: ReportFormat, found: &Checked, shown: Shown) -> Result<Option<String>, Error> {
    if format != ReportFormat::ModelExplorer {
        return Ok(None);
    }
    match found.models.len() {
        0 | 1 => Ok(explorer::left_out(found, shown)),
        count => {
            let message = format!("a report for Model Explorer is about one model, and {count} were checked");
            Err(Error::usage(message).with_detail("  check them one by one"))
        }
    }
}

/// Counts the findings by kind and target, as a table.
pub(super) fn statistics(found: &Checked, shown: Shown) -> String {
    statistics::table_of(found, shown)
}

/// Draws every finding of a model that is shown.
pub(super) fn full(record: &CheckRecord, asked: &Asked, view: View<'_>) -> String {
    let groups = asked.alike.iter().filter(|(at, _)| view.shown.has(&record.findings[**at]));
    let repeated: std::collections::HashSet<usize> = groups.flat_map(|(_, others)| others).copied().collect();
    let mut text = String::new();
    for (at, finding) in record.findings.iter().enumerate() {
        if view.shown.has(finding) && !repeated.contains(&at) {
            let alike = asked.alike.get(&at).map_or(&[][..], Vec::as_slice);
            text += &full::finding(record, finding, alike);
            text += "\n";
        }
    }
    text + &grouped::summary(record, asked, view)
}
