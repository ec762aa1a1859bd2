//! Prose: words that comments, messages and pages avoid.
//!
//! The list in `prose.txt` has words that this project once used in private senses. A sentence with one of them is hard to read at the first
//! attempt, so it needs to be rewritten. In Rust only comments and strings are searched, elsewhere every line.

use super::{Finding, Tree, ending, scan::Kind};

/// The words and phrases, one per line.
const AVOIDED: &str = include_str!("prose.txt");
/// The endings of files that people read, besides Rust.
const READ: &[&str] = &["md", "py", "pyi", "toml", "yml", "sh"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let phrases: Vec<Vec<&str>> = AVOIDED.lines().map(|line| line.split(' ').collect()).collect();
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| READ.contains(&ending(&file.path))) {
        found.extend(avoided(&phrases, &file.path, 1, &file.text));
    }
    for source in &tree.rust {
        for comment in &source.comments {
            found.extend(avoided(&phrases, &source.path, comment.line, &comment.text));
        }
        for token in source.tokens.iter().filter(|token| token.kind == Kind::Literal) {
            found.extend(avoided(&phrases, &source.path, token.line, &token.text));
        }
    }
    found
}

fn avoided(phrases: &[Vec<&str>], path: &str, first: usize, text: &str) -> Vec<Finding> {
    let what = |phrase: &[&str]| format!("\"{}\" is a word to avoid; rewrite the sentence", phrase.join(" "));
    search(phrases, first, text).into_iter().map(|(phrase, line)| Finding::new(path, line, what(phrase))).collect()
}

/// Finds the phrases in a text whose first line has this number, with their lines; a phrase may continue on the next line.
pub(super) fn search<'p, 'w>(phrases: &'p [Vec<&'w str>], first: usize, text: &str) -> Vec<(&'p [&'w str], usize)> {
    let numbered = text.lines().zip(first..);
    let words: Vec<(String, usize)> = numbered
        .flat_map(|(line, number)| {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            words.map(move |word| (word.to_lowercase(), number))
        })
        .collect();
    let mut found = Vec::new();
    for at in 0..words.len() {
        let starts = |phrase: &&Vec<&str>| {
            words.len() >= at + phrase.len() && phrase.iter().zip(&words[at..]).all(|(a, (b, _))| a == b)
        };
        if let Some(phrase) = phrases.iter().find(starts) {
            found.push((phrase.as_slice(), words[at].1));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, check};

    #[test]
    fn words_to_avoid_are_found() {
        let avoided = ["ta", "kes"].concat();
        let phrase = format!("the CPU {}\n{} it", ["h", "as"].concat(), ["n", "ot"].concat());
        let cases = [
            ("a.md", format!("fine\n\nit {avoided} two"), "a.md:3"),
            ("a.md", avoided.to_uppercase(), "a.md:1"),
            ("a.md", phrase, "a.md:1"),
            ("a.rs", format!("fn {avoided}() {{}}"), ""),
            ("a.rs", format!("// it {avoided}\nfn f() {{}}\n/// {avoided}"), "a.rs:1 a.rs:3"),
            ("a.rs", format!("fn f() {{\n    \"{avoided} two\"\n}}"), "a.rs:2"),
            ("a.py", format!("x = 1  # {avoided}"), "a.py:1"),
            ("a.txt", avoided.clone(), ""),
            ("a.md", format!("mis{avoided}"), ""),
        ];
        for (path, text, want) in &cases {
            assert_found(check, &[(path, text)], want);
        }
    }
}
