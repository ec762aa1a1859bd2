//! Sizes: of files, of functions, and of macros.
//!
//! A function is counted from its line `fn` to its closing brace. Over the limit it needs a comment directly above it or
//! inside it, `// Long: ` and the reason. Functions for tests are exempt, since a table of cases is its own reason.

use super::{Finding, Tree, scan::Source};

const LONGEST_FILE: usize = 600;
const GREATEST_MEDIAN: usize = 200;
pub(crate) const LONGEST_FUNCTION: usize = 40;
/// One line of macros in this many lines.
const MACRO_SHARE: usize = 100;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    [files(tree), functions(tree), macros(tree)].into_iter().flatten().collect()
}

fn files(tree: &Tree) -> Vec<Finding> {
    let long = tree.rust.iter().filter(|source| source.lines > LONGEST_FILE);
    let mut found: Vec<Finding> = long
        .map(|source| {
            let what = format!("{} lines, over {LONGEST_FILE}; split it into one idea per file", source.lines);
            Finding::new(&source.path, LONGEST_FILE + 1, what)
        })
        .collect();
    let mut sizes: Vec<_> = tree.rust.iter().map(|source| (source.lines, &source.path)).collect();
    sizes.sort_unstable();
    if let Some((lines, path)) = sizes.get(sizes.len() / 2).filter(|(lines, _)| *lines > GREATEST_MEDIAN) {
        let what = format!("the median file has {lines} lines, over {GREATEST_MEDIAN}; split the large ones");
        found.push(Finding::new(path, 1, what));
    }
    found
}

fn functions(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in &tree.rust {
        for function in source.functions() {
            let lines = function.last - function.line + 1;
            if lines <= LONGEST_FUNCTION || source.tokens[function.at].test {
                continue;
            }
            let mut comments = source.comments_in(source.statement(function.at), function.last);
            let reason = |said: &str| said.strip_prefix("Long:").is_some_and(|why| !why.trim().is_empty());
            if !comments.any(|comment| !comment.is_doc() && reason(comment.said())) {
                let name = function.name;
                let what =
                    format!("{name} has {lines} lines, over {LONGEST_FUNCTION}; split it, or say why: // Long: ...");
                found.push(Finding::new(&source.path, function.line, what));
            }
        }
    }
    found
}

/// Lists the macros that a file defines: the line each begins on, and how many lines it has.
pub(crate) fn macro_lines(source: &Source) -> impl Iterator<Item = (usize, usize)> {
    let at = (0..source.tokens.len().saturating_sub(3)).filter(|&i| source.reads(i, &["macro_rules", "!"]));
    at.map(|i| {
        let line = source.tokens[i].line;
        (line, source.tokens[source.close(i + 3)].line - line + 1)
    })
}

fn macros(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let (mut lines, mut worst) = (0, (0, "", 0));
    for source in &tree.rust {
        for i in 0..source.tokens.len() {
            let line = source.tokens[i].line;
            if source.reads(i, &["#", "[", "macro_export"]) {
                found.push(Finding::new(&source.path, line, "a public macro; offer a function, a trait or a table"));
            }
        }
        for (line, own) in macro_lines(source) {
            lines += own;
            worst = worst.max((own, &source.path, line));
        }
    }
    let all: usize = tree.rust.iter().map(|source| source.lines).sum();
    if lines * MACRO_SHARE > all {
        let what = format!("{lines} of {all} lines are macros, over one in {MACRO_SHARE}; begin with this one");
        found.push(Finding::new(worst.1, worst.2, what));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, check};

    /// Writes a function of `lines` lines whose body begins with `first`.
    fn function(lines: usize, first: &str) -> String {
        format!("fn f() {{ {first}{}}}\n", "\n".repeat(lines - 1))
    }

    #[test]
    fn long_files() {
        let (limit, over) = ("\n".repeat(600), "\n".repeat(601));
        let small = [("b.rs", ""), ("c.rs", ""), ("d.rs", "")];
        let with = |path: &'static str, text| [&[(path, text)], &small[..]].concat();
        assert_found(check, &with("a.rs", &limit), "");
        assert_found(check, &with("a.rs", &over), "a.rs:601");
        assert_found(check, &with("a.md", &over), "");
    }

    #[test]
    fn the_median_file() {
        let (middle, over) = ("\n".repeat(200), "\n".repeat(201));
        assert_found(check, &[("a.rs", ""), ("b.rs", &middle), ("c.rs", &over)], "");
        assert_found(check, &[("a.rs", ""), ("b.rs", &over), ("c.rs", &over)], "b.rs:1");
    }

    #[test]
    fn long_functions() {
        let cases = [
            (function(40, ""), true),
            (function(41, ""), false),
            (function(41, "// Long: one arm per token"), true),
            (function(41, "// Long:"), false),
            (function(41, "/// Long: this is documentation"), false),
            (format!("// Long: one arm per token\n/// Reads.\n#[inline]\npub {}", function(50, "")), true),
            (format!("// Long: another's\nfn g() {{}}\n{}", function(50, "")), false),
            (format!("#[cfg(test)] mod tests {{ {} }}", function(50, "")), true),
        ];
        for (text, fine) in cases {
            let place = format!("a.rs:{}", 1 + text.lines().position(|line| line.contains("fn f")).unwrap_or(0));
            let want = if fine { "" } else { &place };
            assert_found(check, &[("a.rs", &text)], want);
        }
    }

    #[test]
    fn macros_are_few_and_private() {
        let soup = "macro_rules! m {\n () => {};\n}\n";
        let diluted = format!("{soup}{}", "\n".repeat(400));
        assert_found(check, &[("a.rs", &diluted), ("b.rs", ""), ("c.rs", "")], "");
        assert_found(check, &[("a.rs", soup)], "a.rs:1");
        let public = diluted.replacen('\n', "\n#[macro_export]\n", 1);
        assert_found(check, &[("a.rs", &public), ("b.rs", ""), ("c.rs", "")], "a.rs:2");
    }
}
