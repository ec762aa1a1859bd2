//! Writes what checks found, in every form of a report.

mod full;
mod severity;
mod grouped;
#[cfg(test)]
mod sample;
mod concise;
mod statistics;
mod markdown;
mod html;
mod junit;
mod github;
mod gitlab;
mod sarif;
mod explorer;

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use broadaxe_models::report::{CheckRecord, FindingRecord, Shown};
use serde::Serialize;

pub(super) use self::grouped::{View, model};
use super::total::total;
use crate::{
    answer::{Checked, Converting, Report, write_json},
    args::ReportFormat,
    error::{Error, escaped_json},
};
pub(super) use broadaxe_session::ask::Asked;

/// Writes a report; `texts` is the one for people, a text for each model.
pub(super) fn report(
    to: &mut dyn fmt::Write,
    format: ReportFormat,
    found: &Checked,
    texts: &[ModelText],
    shown: Shown,
) -> fmt::Result {
    match format {
        ReportFormat::Grouped | ReportFormat::Full => joined(to, texts, found, shown),
        ReportFormat::Concise => concise::lines(to, found, shown),
        ReportFormat::Markdown => markdown::document(to, found, shown),
        ReportFormat::Html => html::page(to, found, shown),
        ReportFormat::Junit => junit::suites(to, found, shown),
        ReportFormat::Json => line(to, found),
        ReportFormat::Sarif => line(to, &sarif::log(found, shown)),
        ReportFormat::Github => github::commands(to, found, shown),
        ReportFormat::Gitlab => line(to, &gitlab::issues(found, shown)),
        ReportFormat::ModelExplorer => line(to, &explorer::overlay(found, shown)),
    }
}

/// Writes a value as a line of JSON of which terminals obey nothing.
fn line(to: &mut dyn fmt::Write, value: &impl Serialize) -> fmt::Result {
    write_json(&mut Converting(to, escaped_json), value)?;
    to.write_str("\n")
}

/// What people read about one model.
#[derive(Debug)]
pub(super) struct ModelText {
    /// In the full report, every finding is drawn first: for a finding that holds for all nodes of a class, the numbers of the
    /// findings on the others, which are not drawn.
    pub(super) drawn: Option<BTreeMap<usize, Vec<usize>>>,
    /// What comes after the findings that are drawn.
    pub(super) end: String,
    /// Whether this is the only line, without a total below those of all models.
    is_quiet: bool,
}

impl ModelText {
    /// Makes the text for a report of this format.
    pub(super) fn new(format: ReportFormat, record: &CheckRecord, asked: Asked, view: View<'_>) -> Self {
        if format == ReportFormat::Full {
            let end = grouped::summary(record, &asked, view);
            return Self { drawn: Some(asked.alike), end, is_quiet: view.quiet };
        }
        Self { drawn: None, end: model(record, &asked, view), is_quiet: view.quiet }
    }

    /// Lists the findings that are drawn, each with the numbers of those that are like it.
    fn findings<'a>(
        &'a self,
        record: &'a CheckRecord,
        shown: Shown,
    ) -> impl Iterator<Item = (&'a FindingRecord, &'a [usize])> {
        let alike = self.drawn.iter().flatten().filter(move |(at, _)| shown.has(&record.findings[**at]));
        let repeated: HashSet<usize> = alike.flat_map(|(_, others)| others).copied().collect();
        let all = record.findings.iter().enumerate().filter(|_| self.drawn.is_some());
        let all = all.filter(move |(at, finding)| shown.has(finding) && !repeated.contains(at));
        let others = |at: &usize| self.drawn.as_ref().and_then(|drawn| drawn.get(at));
        all.map(move |(at, finding)| (finding, others(&at).map_or(&[][..], Vec::as_slice)))
    }

    /// Says whether the text has at most one line.
    fn is_line(&self, record: &CheckRecord, shown: Shown) -> bool {
        self.end.lines().nth(1).is_none() && self.findings(record, shown).next().is_none()
    }

    fn write(&self, to: &mut dyn fmt::Write, record: &CheckRecord, shown: Shown) -> fmt::Result {
        for (finding, alike) in self.findings(record, shown) {
            to.write_str(&full::finding(record, finding, alike))?;
            to.write_str("\n")?;
        }
        to.write_str(&self.end)
    }
}

/// Joins the reports of models: those of several lines have blank lines around them. The total comes last.
fn joined(to: &mut dyn fmt::Write, texts: &[ModelText], found: &Checked, shown: Shown) -> fmt::Result {
    let mut was_line = true;
    for (at, (text, record)) in texts.iter().zip(&found.models).enumerate() {
        let is_line = text.is_line(record, shown);
        if at > 0 && !(is_line && was_line) {
            to.write_str("\n")?;
        }
        text.write(to, record, shown)?;
        was_line = is_line;
    }
    let is_quiet = texts.iter().any(|text| text.is_quiet);
    if !is_quiet && !found.models.is_empty() && found.models.len() + found.errors.len() > 1 {
        writeln!(to, "\n{}", total(found))?;
    }
    Ok(())
}

/// The report that the command line asks for.
#[derive(Debug)]
pub(super) struct CheckReport {
    pub(super) format: ReportFormat,
    pub(super) statistics: bool,
    pub(super) texts: Vec<ModelText>,
    pub(super) shown: Shown,
}

impl Report for CheckReport {
    fn write(&self, found: &Checked, to: &mut dyn fmt::Write) -> fmt::Result {
        if self.statistics {
            return to.write_str(&statistics::table_of(found, self.shown));
        }
        report(to, self.format, found, &self.texts, self.shown)
    }

    fn is_for_programs(&self) -> bool {
        !self.statistics && !matches!(self.format, ReportFormat::Grouped | ReportFormat::Full | ReportFormat::Concise)
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
