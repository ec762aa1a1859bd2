//! Writes `llms.txt`: the pages of the site for programs that read text, as <https://llmstxt.org> describes it.
//!
//! A page is named by the address of its source, which is Markdown; a page about a rule by that of the rule's module.

use std::{collections::BTreeMap, fmt::Write};

use super::markdown;

/// Where the sources of the repository are, as they are.
const BLOBS: &str = "https://github.com/broadaxe/broadaxe/raw/main";
/// The section that readers with little room leave out, and the titles of the parts of the navigation that belong to it.
const OPTIONAL: &str = "Optional";
const REPORT_TITLES: &[&str] = &["Reports", "Reports to runtimes"];

/// Returns the text of the file: the parts of a filled navigation, and what each page says first.
pub(super) fn text(navigation: &str, pages: &BTreeMap<String, String>, summary: &str) -> String {
    let mut sections: Vec<(&str, Vec<String>)> = Vec::new();
    let lines = navigation.lines().skip_while(|line| *line != "nav:").skip(1);
    for entry in lines.filter_map(|line| line.trim_start().strip_prefix("- ")) {
        if let Some(title) = entry.strip_suffix(':') {
            let title = if REPORT_TITLES.contains(&title) { OPTIONAL } else { title };
            if sections.last().is_none_or(|(last, _)| *last != title) {
                sections.push((title, Vec::new()));
            }
        } else if let (Some((_, items)), Some(item)) = (sections.last_mut(), item(entry, pages)) {
            items.push(item);
        }
    }
    let mut out = format!("# Broadaxe\n\n> {summary}\n");
    for (title, items) in sections.iter().filter(|(_, items)| !items.is_empty()) {
        let _ = write!(out, "\n## {title}\n\n{}", items.concat());
    }
    out
}

/// Returns the line of a page; none for one that has no source, as the lists of all rules and the page in the browser.
fn item(entry: &str, pages: &BTreeMap<String, String>) -> Option<String> {
    let path = entry.rsplit_once(": ").map_or(entry, |(_, path)| path);
    let name = format!("docs/{path}");
    let text = pages.get(&name)?;
    let source = match path.strip_prefix("rules/").and_then(|rest| rest.strip_suffix(".md")) {
        Some("index") => return None,
        None if path == "interactive.md" => return None,
        Some(rule) => format!("crates/broadaxe-shape/src/rule/{}.rs", rule.replace('-', "_")),
        None => name,
    };
    let says = first_sentence(text).map_or(String::new(), |sentence| format!(": {sentence}"));
    Some(format!("- [{}]({BLOBS}/{source}){says}\n", markdown::title(text)))
}

/// Returns the first sentence below the title of a page, without marks.
fn first_sentence(text: &str) -> Option<String> {
    let below = if text.starts_with("# ") { text } else { text.split_once("\n# ")?.1 };
    let text = |paragraph: &str| {
        let lines = paragraph.lines().filter(|line| !line.starts_with("<!--"));
        lines.collect::<Vec<_>>().join(" ").trim().to_owned()
    };
    let mut paragraphs = below.split("\n\n").skip(1).map(text);
    let prose = |it: &String| {
        it.chars().next().is_some_and(|c| c.is_alphanumeric() || "*[`".contains(c)) && !it.starts_with("```")
    };
    let paragraph = paragraphs.find(prose)?;
    let plain = unlinked(&paragraph).replace(['*', '`'], "");
    let end = [". ", ": ", "? "].iter().filter_map(|mark| plain.find(mark)).min();
    let sentence = plain[..end.unwrap_or(plain.len())].trim_end_matches(['.', ':', '?']);
    Some(format!("{sentence}."))
}

/// Replaces links by their texts.
fn unlinked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        out += before;
        let Some((label, Some(link))) = after.split_once(']').map(|(label, rest)| (label, rest.strip_prefix('(')))
        else {
            out.push('[');
            rest = after;
            continue;
        };
        out += label;
        rest = link.split_once(')').map_or("", |(_, rest)| rest);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::{first_sentence, text, unlinked};

    #[test]
    fn pages_are_listed_by_section() {
        let nav = "site_name: x\nnav:\n  - Start: index.md\n  - Guides:\n      - Install: guides/install.md\n      - \"A: b\": guides/a.md\n  \
                   - Rules:\n      - rules/index.md\n      - \"onnx-clip\": rules/onnx-clip.md\n  - Reports:\n      - Speed: reports/speed.md\n      \
                   - Reports to runtimes:\n          - reports/upstream/README.md\n  - Try it: interactive.md\n";
        let pages = [
            ("docs/guides/install.md", "# Install\n\nBuild it from\na clone. Then run it.\n"),
            ("docs/guides/a.md", "# A: `b`\n\n| a |\n|---|\n\nSee [the *page*](x.md), first:\n\n    code\n"),
            ("docs/rules/index.md", "# All\n\nAll rules.\n"),
            ("docs/rules/onnx-clip.md", "# `onnx-clip`\n\n*Accepts scalars.*\n"),
            ("docs/reports/speed.md", "<!-- Generated. -->\n\n# Speed\n\n![x](y.svg)\n"),
            ("docs/reports/upstream/README.md", "# Reports\n\nSent to authors.\n"),
            ("docs/interactive.md", "# Try it\n\nIt is made with the site.\n"),
        ];
        let pages = pages.map(|(name, page)| (name.to_owned(), page.to_owned())).into();
        let raw = "https://github.com/broadaxe/broadaxe/raw/main";
        let want = format!(
            "# Broadaxe\n\n> Finds it.\n\n## Guides\n\n- [Install]({raw}/docs/guides/install.md): Build it from a clone.\n- [A: b]({raw}/docs/guides/a.md): \
             See the page, first.\n\n## Rules\n\n- [onnx-clip]({raw}/crates/broadaxe-shape/src/rule/onnx_clip.rs): Accepts scalars.\n\n## Optional\n\n- \
             [Speed]({raw}/docs/reports/speed.md)\n- [Reports]({raw}/docs/reports/upstream/README.md): Sent to authors.\n"
        );
        assert_eq!(text(nav, &pages, "Finds it."), want);
    }

    #[test]
    fn sentences_have_no_marks() {
        assert_eq!(first_sentence("# a\n\n```sh\nx\n```\n\n## b\n"), None);
        assert_eq!(first_sentence("<!-- x -->\n# a\n\nb c.\n\n```sh\n# d\n\ne\n```\n").as_deref(), Some("b c."));
        assert_eq!(
            first_sentence("# a\n\n`fix` is 1.5 times [faster](b.md)\n").as_deref(),
            Some("fix is 1.5 times faster.")
        );
        assert_eq!(
            first_sentence("# a\n\n<!-- generated: x -->\nCheck it for\nb.c 2: d. E.\n").as_deref(),
            Some("Check it for b.c 2.")
        );
        assert_eq!(unlinked("a [b](c) [d] [e](f"), "a b [d] e");
    }
}
