//! Vocabulary: texts for users name each thing with one word.
//!
//! The list in `vocabulary.txt` has the words that are not used, each with the one that is. Those of `everywhere` are searched in the pages, in
//! the help and in the strings of reports, those of `laws` in the texts of laws alone. Code keeps its names: between backticks, in blocks of
//! code that are no transcripts, in the braces of a format string, and in a string that is a key and nothing else.

use super::{Finding, Tree, ending, prose::search, scan::Kind};

/// The words, one to a line: where they are not used, the words, and what is written instead.
const WORDS: &str = include_str!("vocabulary.txt");
/// The pages, and the sources whose strings users read. Help is in the comments of `args`.
const PAGES: &[&str] = &["README.md", "docs/", "crates/broadaxe-models/src/code/"];
const LAWS: &str = "crates/broadaxe-models/src/profiles/";
const SOURCES: &[&str] = &["crates/broadaxe-models/src/", "crates/broadaxe-cli/src/"];
const HELP: &str = "crates/broadaxe-cli/src/args";
/// Reports that were sent to other projects, records of runs, and pages of other projects' words.
const OTHERS_WORDS: &[&str] = &["docs/reports/upstream/", "docs/reports/peer-suites.md"];

/// A word that is not used, and the one that is.
struct Entry {
    laws_only: bool,
    words: [Vec<&'static str>; 1],
    better: &'static str,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let entries: Vec<Entry> = WORDS.lines().filter_map(entry).collect();
    let starts = |path: &str, folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    let pages = tree
        .files
        .iter()
        .filter(|file| starts(&file.path, PAGES) && !starts(&file.path, OTHERS_WORDS) && ending(&file.path) == "md");
    let mut found = Vec::new();
    for file in pages {
        for (text, line) in without_code(&file.text).zip(1..) {
            found.extend(say(&entries, false, &file.path, line, &text));
        }
    }
    for source in tree.rust.iter().filter(|source| starts(&source.path, SOURCES)) {
        let is_law = source.path.starts_with(LAWS);
        let strings = source.tokens.iter().filter(|token| token.kind == Kind::Literal && !token.test);
        for token in strings {
            let text = without_names(&token.text);
            let is_key = entries.iter().any(|entry| entry.words[0].join(" ") == text.trim_matches('"'));
            found.extend(if is_key { Vec::new() } else { say(&entries, is_law, &source.path, token.line, &text) });
        }
        let help = source.comments.iter().filter(|comment| source.path.starts_with(HELP) && comment.is_doc());
        for comment in help {
            found.extend(say(&entries, false, &source.path, comment.line, &comment.text));
        }
    }
    found.retain(|finding| !is_test(&finding.path));
    found
}

/// Reads a line of the list.
fn entry(line: &'static str) -> Option<Entry> {
    let (place, rest) = line.split_once(": ")?;
    let (words, better) = rest.split_once(" = ")?;
    Some(Entry { laws_only: place == "laws", words: [words.split(' ').collect()], better })
}

/// Says where a text has words that are not used.
fn say(entries: &[Entry], is_law: bool, path: &str, line: usize, text: &str) -> Vec<Finding> {
    let used = entries.iter().filter(|entry| is_law || !entry.laws_only);
    used.flat_map(|entry| {
        let what = format!("\"{}\" has another name in texts for users: {}", entry.words[0].join(" "), entry.better);
        search(&entry.words, line, text).into_iter().map(move |(_, at)| Finding::new(path, at, what.clone()))
    })
    .collect()
}

/// Returns the lines of a page without what is between backticks, and without blocks of code; transcripts stay.
fn without_code(text: &str) -> impl Iterator<Item = String> {
    let mut skips = false;
    text.lines().map(move |line| {
        if let Some(language) = line.strip_prefix("```") {
            skips = !["", "console", "text"].contains(&language);
        }
        if skips { String::new() } else { line.split('`').step_by(2).collect::<Vec<_>>().join("` `") }
    })
}

/// Returns a format string without the names in its braces.
fn without_names(text: &str) -> String {
    text.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect::<Vec<_>>().join("{}")
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("tests.rs") || path.contains("/testing")
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, check};

    #[test]
    fn other_names_are_found() {
        let law = "crates/broadaxe-models/src/profiles/a.rs";
        let report = "crates/broadaxe-models/src/report/a.rs";
        let help = "crates/broadaxe-cli/src/args/a.rs";
        let cases = [
            ("docs/a.md", "fine\nit repairs a model", "docs/a.md:2"),
            ("docs/a.md", "the key `repair` of JSON", ""),
            ("docs/a.md", "```console\n$ a\nit repairs b\n```", "docs/a.md:3"),
            ("docs/a.md", "```rust\nx.repair()\n```\na repair", "docs/a.md:4"),
            ("docs/reports/upstream/a.md", "it repairs a model", ""),
            ("bench/a.md", "it repairs a model", ""),
            (report, "fn f() { g(\"a Repair of it\") }", "crates/broadaxe-models/src/report/a.rs:1"),
            (report, "fn f() { g(\"repair\"); repair(1) } // a repair", ""),
            (report, "fn f() { g(\"it is given twice\", \"run here\", \"see {repair}\") }", ""),
            (report, "#[cfg(test)] mod t { fn f() { g(\"a repair of it\") } }", ""),
            (law, "const A: &str = \"is given a sum\";", "crates/broadaxe-models/src/profiles/a.rs:1"),
            (law, "/// It is given a sum.\nconst A: &str = \"x\";", ""),
            (help, "/// Plan a repair\nstruct A;", "crates/broadaxe-cli/src/args/a.rs:1"),
        ];
        for (path, text, want) in cases {
            assert_found(check, &[(path, text)], want);
        }
    }
}
