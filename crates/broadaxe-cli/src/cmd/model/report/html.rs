//! Writes the report as a page: one file without scripts and without references to others, filtered by styles.

use std::{collections::BTreeSet, fmt};

use broadaxe_draw::markup;
use broadaxe_models::{
    code,
    report::{
        Shown,
        html::{HtmlPlace, STYLE, html},
    },
};

use super::super::total::total;
use crate::answer::Checked;

/// Nothing is loaded, and no script runs, whatever a model is called.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// A choice of a filter: its value, and what people read.
type Choice = (String, String);

/// Writes a section for each model, and the filters above them.
pub(super) fn page(to: &mut dyn fmt::Write, found: &Checked, shown: Shown) -> fmt::Result {
    let targets = targets(found);
    let filters = filters(found, &targets, shown);
    let hidden: String =
        filters.iter().flat_map(|(id, _, choices)| choices.iter().map(move |one| rule(id, one))).collect();
    let names: Vec<&str> = found.models.iter().map(|record| record.model.as_str()).collect();
    let title = if let [one] = names[..] { format!("{one} - Broadaxe") } else { "Broadaxe".to_owned() };
    write!(
        to,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         <style>\n{STYLE}{hidden}</style>\n</head>\n<body>\n<header>\n<h1>What the broadcasts mean on other runtimes</h1>\n",
        markup(&title)
    )?;
    if names.len() > 1 {
        writeln!(to, "<p>{}</p>", markup(&total(found)))?;
        let list =
            names.iter().enumerate().map(|(k, name)| format!("<li><a href=\"#m{k}\">{}</a></li>\n", markup(name)));
        writeln!(to, "<ul class=\"contents\">\n{}</ul>", list.collect::<String>())?;
    }
    if !filters.is_empty() {
        let filters = filters.iter().map(|(id, label, choices)| select(id, label, choices));
        writeln!(to, "<div class=\"filters\">\n{}</div>", filters.collect::<String>())?;
    }
    writeln!(to, "</header>\n<main>")?;
    for (k, record) in found.models.iter().enumerate() {
        to.write_str(&html(record, shown, HtmlPlace::Page(k, &targets)))?;
    }
    for error in &found.errors {
        let (file, sentence) = (markup(&error.file), markup(&error.sentence()));
        writeln!(
            to,
            "<section class=\"model\"><h2>{file}</h2>\n<p><span class=\"mark error\">error</span> {sentence}</p></section>"
        )?;
    }
    let version = env!("CARGO_PKG_VERSION");
    writeln!(to, "</main>\n<footer>Written by broadaxe {version}.</footer>\n</body>\n</html>")
}

fn targets(found: &Checked) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for target in found.models.iter().flat_map(|record| &record.targets) {
        if !names.contains(&target.name) {
            names.push(target.name.clone());
        }
    }
    names
}

/// Lists the filters of which there is a choice: the id, the label and the choices.
fn filters(found: &Checked, targets: &[String], shown: Shown) -> Vec<(&'static str, &'static str, Vec<Choice>)> {
    let findings = found.models.iter().flat_map(|record| &record.findings).filter(|finding| shown.has(finding));
    let codes: BTreeSet<&str> = findings.filter_map(|finding| finding.code.as_deref()).collect();
    let known: Vec<&code::Code> = codes.iter().filter_map(|code| code::find(code)).collect();
    let severities: BTreeSet<code::Severity> = known.iter().map(|code| code.severity).collect();
    let severities = severities.iter().map(|one| (one.word().to_owned(), one.word().to_owned()));
    let codes = known.iter().map(|code| (code.id.to_owned(), format!("{} {}", code.id, code.name)));
    let targets = targets.iter().enumerate().map(|(k, name)| (format!("t{k}"), name.clone()));
    let all: [(&str, &str, Vec<Choice>); 3] = [
        ("runtime", "Runtime", targets.collect()),
        ("severity", "Severity", severities.collect()),
        ("kind", "Kind", codes.collect()),
    ];
    all.into_iter().filter(|(.., choices)| choices.len() > 1).collect()
}

/// Writes the style that hides the findings without a class where it is chosen.
fn rule(id: &str, (value, _): &Choice) -> String {
    format!("body:has(#{id} option[value=\"{value}\"]:checked) .finding:not(.{value}){{display:none}}\n")
}

fn select(id: &str, label: &str, choices: &[Choice]) -> String {
    let option = |(value, text): &Choice| format!("<option value=\"{value}\">{}</option>", markup(text));
    let options: String = choices.iter().map(option).collect();
    format!(
        "<label>{label} <select id=\"{id}\" autocomplete=\"off\"><option value=\"\">all</option>{options}</select></label>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::{super::sample, *};

    /// The largest page of three findings on one model, in bytes.
    const MOST: usize = 40_000;

    #[test]
    fn a_page_is_one_small_file() {
        let found = sample::checked();
        let text = sample::written(|to| page(to, &found, sample::SHOWN));
        assert!(text.len() < MOST, "{}", text.len());
        for loaded in ["<script", "src=", "<link", "@import", "url(http", "<iframe", "<img", "javascript:"] {
            assert!(!text.contains(loaded), "{loaded}");
        }
        let urls = text.matches("http").count() - text.matches("http-equiv").count();
        // What is followed only by a click: the page of the law.
        let links = text.matches(" href=\"https://").count();
        assert_eq!((urls - links, links), (text.matches("xmlns=\"http://www.w3.org/2000/svg\"").count(), 3));
        assert_eq!(text.matches("<article").count(), 3);
        assert_eq!(text.matches("<svg").count(), 3);
    }

    #[test]
    fn names_are_escaped_and_ids_are_unique() {
        let found = sample::checked();
        let text = sample::written(|to| page(to, &found, sample::SHOWN));
        assert!(text.contains("&lt;&amp;&quot;&#39;|`]]&gt;\\n::error::%0A @you #1 \\u{1b}"), "{text}");
        assert!(text.contains("&lt;no&gt;.onnx") && !text.contains('\u{1b}'));
        let ids: Vec<&str> = text.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
        for filter in
            ["#runtime option[value=\"t2\"]:checked) .finding:not(.t2)", "<option value=\"t1\">openvino</option>"]
        {
            assert!(text.contains(filter), "{filter}");
        }
    }
}
