//! Writes what a check found as HTML: for a notebook, which brings its own styles, or for a page with the styles of [`STYLE`].
//!
//! Neither needs a script or another file, and every text is escaped.

use std::path::Path;

use broadaxe_draw::{Drawing, markup, svg_copy};

use super::{
    CheckRecord, Shown, drawings,
    grouped::{GroupedFindings, GroupedReport, grouped},
    words::evidence_page,
};

/// The styles of a page with these elements.
pub const STYLE: &str = include_str!("html/style.css");

/// How many groups of a model have a drawing on a page.
const DRAWN: usize = 20;
/// How many groups a notebook shows, and how many names a group lists.
const MOST: usize = 30;
const MOST_ON_PAGE: usize = 500;

/// Where the HTML is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HtmlPlace<'a> {
    /// In the output of a notebook: without classes, headings and drawings.
    Notebook,
    /// On a page, as the section of this number, and with the class `tK` on each finding for the target with the number K in this list.
    Page(usize, &'a [String]),
}

/// An element: its name on a page, its class there, and its styles in a notebook.
type Element = (&'static str, &'static str, &'static str);

const MODEL: Element = ("section", "model", "color:inherit;background:transparent");
const NAME: Element = ("h2", "", "font-weight:600");
const SMALL: Element = ("p", "quiet", "opacity:.75;font-size:.92em");
const FINDING: Element = ("article", "finding", "margin:.8em 0 0");
const TITLE: Element = ("h3", "", "font-weight:600");
const LINE: Element = ("p", "", "margin:.1em 0");
const TABLE: Element = (
    "table",
    "",
    "border-collapse:collapse;margin:.5em 0;color:inherit;background:transparent;border:none;font-size:inherit",
);
const ROW: Element =
    ("tr", "", "background:transparent;border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent)");
const CELL: Element = ("td", "", "text-align:left;padding:.25em .9em .25em 0;border:none");
const HEAD: Element = ("th", "", "text-align:left;padding:.25em .9em .25em 0;border:none");

/// Writes elements for one place.
#[derive(Clone, Copy)]
struct Writer<'a>(HtmlPlace<'a>);

/// Writes what a check of one model found.
///
/// ```
/// use broadaxe_models::{check_file, report::{Shown, html::{HtmlPlace, html}}};
/// let record = check_file("../../examples/face.onnx", &["ncnn".parse()?])?;
/// let text = html(&record, Shown::default(), HtmlPlace::Notebook);
/// assert!(text.starts_with("<div") && text.contains("differs on ncnn"));
/// # Ok::<(), broadaxe_models::Error>(())
/// ```
pub fn html(record: &CheckRecord, shown: Shown, place: HtmlPlace<'_>) -> String {
    let report = grouped(record, shown);
    let writer = Writer(place);
    let mut text = writer.head(record, &report);
    let most = if writer.is_page() { report.groups.len() } else { MOST };
    for (at, group) in report.groups.iter().take(most).enumerate() {
        text += &writer.group(record, group, at);
    }
    if report.groups.len() > most {
        text += &writer.line(SMALL, &format!("... and {} more groups of findings", report.groups.len() - most));
    }
    if report.groups.is_empty() {
        let said = if report.undecided.is_some() { "No known problem." } else { "No findings." };
        text += &writer.line(LINE, said);
    }
    for said in [&report.fixable, &report.hidden, &report.others].into_iter().flatten() {
        text += &writer.line(SMALL, &format!("{said}."));
    }
    let label = if let HtmlPlace::Page(at, _) = place { format!(" aria-labelledby=\"m{at}\"") } else { String::new() };
    writer.with(MODEL, &label, &text)
}

impl Writer<'_> {
    fn is_page(self) -> bool {
        self.0 != HtmlPlace::Notebook
    }

    /// Writes an element around HTML.
    fn with(self, (name, class, style): Element, attributes: &str, inner: &str) -> String {
        let is_table = matches!(name, "table" | "tr" | "td" | "th");
        let name = if self.is_page() || is_table { name } else { "div" };
        let mark = match (self.is_page(), class) {
            (true, "") => String::new(),
            (true, class) => format!(" class=\"{class}\""),
            (false, _) => format!(" style=\"{style}\""),
        };
        format!("<{name}{mark}{attributes}>{inner}</{name}>\n")
    }

    fn line(self, kind: Element, text: &str) -> String {
        self.with(kind, "", &markup(text))
    }

    /// Writes the name of the model, and the counts of each target.
    fn head(self, record: &CheckRecord, report: &GroupedReport) -> String {
        let path = if self.is_page() { None } else { Path::new(&record.model).file_name() };
        let model = path.map_or(report.model.clone(), |name| name.to_string_lossy().into_owned());
        let id = if let HtmlPlace::Page(at, _) = self.0 { format!(" id=\"m{at}\"") } else { String::new() };
        let mut text = self.with(NAME, &id, &markup(&model)) + &self.line(LINE, &format!("{}.", report.nodes));
        text += &report.undecided.as_ref().map_or_else(String::new, |said| self.line(LINE, &format!("{said}.")));
        let rows = report.targets.iter().map(|target| {
            let remarks: String = target.remarks.iter().map(|said| self.line(SMALL, &format!("{said}."))).collect();
            let scope = if self.is_page() { " scope=\"row\"" } else { "" };
            let cells = self.with(HEAD, scope, &markup(&target.name))
                + &self.with(CELL, "", &(markup(&target.counts) + &remarks));
            self.with(ROW, "", &cells)
        });
        text + &self.with(TABLE, "", &rows.collect::<String>())
    }

    /// Writes a group of findings: what happens, why, the evidence, the fix and the nodes; on a page also a drawing.
    fn group(self, record: &CheckRecord, group: &GroupedFindings, at: usize) -> String {
        let sample = &group.sample;
        let rest = group.members.len().saturating_sub(1);
        let count = if rest == 0 { String::new() } else { format!(", {} nodes", rest + 1) };
        let mark = self.severity(&group.severity, &format!("{} {} {}", group.severity, group.code, group.name));
        let mut text = self.with(TITLE, "", &format!("{mark} {}", markup(&format!("{}{count}", group.title))));
        if !group.why.is_empty() {
            text += &self.line(LINE, &group.why);
        }
        let fix = sample.fix.iter().map(|fix| ("fix", fix));
        for (label, said) in sample.notes.iter().map(|note| (note.label.as_str(), &note.text)).chain(fix) {
            let first = group.members.first().and_then(|&at| record.findings.get(at));
            let page = first.filter(|_| label == "known").and_then(evidence_page);
            let label = page.map_or_else(
                || markup(label),
                |page| format!("<a style=\"color:inherit\" href=\"{page}\">{}</a>", markup(label)),
            );
            text += &self.with(LINE, "", &format!("<i>{label}:</i> {}", markup(said)));
        }
        if let (HtmlPlace::Page(model, _), true) = (self.0, at < DRAWN) {
            let drawn = group.members.first().and_then(|&at| record.findings.get(at)).map(drawings);
            let drawn = drawn.filter(|drawings| !drawings.is_empty());
            // The values are said above.
            let drawn = drawn.map(|drawings| drawings.into_iter().map(Drawing::without_sentences).collect::<Vec<_>>());
            text += &drawn.map_or_else(String::new, |drawings| {
                format!("<div class=\"drawing\">{}</div>\n", svg_copy(&drawings, Some(model * 1000 + at)))
            });
        }
        let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
        let summary = markup(&format!("{}{more}", sample.node));
        let nodes = self.nodes(group);
        text += "<details><summary>";
        text += &summary;
        text += "</summary>\n";
        text += &nodes;
        text += "</details>\n";
        self.with(FINDING, "", &text).replacen("class=\"finding\"", &self.classes(record, group), 1)
    }

    /// Returns the classes by which a page filters a finding.
    fn classes(self, record: &CheckRecord, group: &GroupedFindings) -> String {
        let HtmlPlace::Page(_, targets) = self.0 else { return String::new() };
        let members = group.members.iter().filter_map(|&at| record.findings.get(at));
        let mut numbers: Vec<usize> =
            members.filter_map(|finding| targets.iter().position(|name| **name == *finding.target)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let numbers: Vec<String> = numbers.iter().map(|k| format!(" t{k}")).collect();
        let numbers = numbers.concat();
        format!("class=\"finding {} {}{numbers}\"", markup(&group.severity), markup(&group.code))
    }

    fn severity(self, severity: &str, text: &str) -> String {
        if self.is_page() {
            return format!("<span class=\"mark {severity}\">{}</span>", markup(text.trim_end()));
        }
        let tint = match severity {
            "error" => "crimson",
            "warning" => "darkorange",
            _ => "currentColor",
        };
        format!("<span style=\"color:color-mix(in srgb,{tint} 70%,currentColor)\">{}</span>", markup(text.trim_end()))
    }

    /// Lists the names of the other nodes, and the tensors of the first.
    fn nodes(self, group: &GroupedFindings) -> String {
        let most = if self.is_page() { MOST_ON_PAGE } else { MOST };
        let names: Vec<String> =
            group.others.iter().take(most).map(|name| format!("<code>{}</code>", markup(name))).collect();
        let more = group.others.len().saturating_sub(most);
        let more = if more > 0 { format!(", ... and {more} more") } else { String::new() };
        let names = if names.is_empty() { String::new() } else { self.with(LINE, "", &(names.join(", ") + &more)) };
        let rows = group.sample.rows.iter().map(|row| {
            let said = row.label.as_deref().unwrap_or(&row.origin);
            let cells = [&*row.name, &*row.shape, said].map(|text| self.line(CELL, text));
            self.with(ROW, "", &cells.concat())
        });
        names + &self.with(TABLE, "", &rows.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_file;

    #[test]
    fn nothing_of_a_model_is_markup() {
        let targets = ["onnx", "ncnn"].map(|name| name.parse().unwrap());
        let mut record = check_file("../../examples/face.onnx", &targets).unwrap();
        record.model = "<script>.onnx".to_owned();
        for finding in &mut record.findings {
            finding.node = "<b>\"'&\u{202e}".to_owned();
        }
        let names: Vec<String> = record.targets.iter().map(|target| target.name.clone()).collect();
        for place in [HtmlPlace::Notebook, HtmlPlace::Page(0, &names)] {
            let text = html(&record, Shown::default(), place);
            assert!(text.is_ascii() && !text.contains("<script") && !text.contains("<b>"), "{text}");
            assert!(text.contains("&lt;b&gt;&quot;&#39;&amp;\\u{202e}"), "{text}");
            let read = format!("<x>{text}</x>");
            roxmltree::Document::parse(&read).unwrap_or_else(|error| panic!("{place:?}: {error}"));
            assert_eq!(text.contains("<svg"), place != HtmlPlace::Notebook);
            assert_eq!(text.contains(" t1\""), place != HtmlPlace::Notebook);
        }
    }
}
