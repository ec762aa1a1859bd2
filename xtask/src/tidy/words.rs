//! Words: names that say nothing, unfinished code, tests that are ignored without a reason, and printing.
//!
//! Printing from a library surprises its user and panics when standard output is closed; the command line writes to a
//! stream that it is given and reports its errors. Tasks, tests, examples and build scripts may print.

use super::{Finding, Tree, ending, scan::Kind};

/// Names of files and modules that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &["utils", "util", "common", "helpers", "helper", "manager", "misc"];
/// Macros that stand for code which is not written, or not finished.
const UNFINISHED: &[&str] = &["todo", "unimplemented", "dbg"];
const PRINTING: &[&str] = &["print", "println", "eprint", "eprintln"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    [names(tree), code(tree), marks(tree)].into_iter().flatten().collect()
}

fn names(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let what = |name: &str| format!("the name {name} says nothing; name the idea that the file holds");
    for file in &tree.files {
        let stems = file.path.split('/').map(|part| part.split_once('.').map_or(part, |(stem, _)| stem));
        found.extend(stems.filter(|stem| EMPTY_NAMES.contains(stem)).map(|s| Finding::new(&file.path, 1, what(s))));
    }
    for source in &tree.rust {
        for pair in source.tokens.windows(3).filter(|three| three[0].is("mod") && three[2].is("{")) {
            let name = pair[1].text.as_str();
            found.extend(EMPTY_NAMES.contains(&name).then(|| Finding::new(&source.path, pair[1].line, what(name))));
        }
    }
    found
}

fn code(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in &tree.rust {
        let may_print = source.path.starts_with("xtask/") || source.path.ends_with("build.rs");
        for (i, token) in source.tokens.iter().enumerate() {
            let called = |names: &[&str]| {
                token.kind == Kind::Word && names.contains(&token.text.as_str()) && source.reads(i + 1, &["!"])
            };
            let what = if called(UNFINISHED) {
                format!("{}! is for code that is not finished; finish it", token.text)
            } else if called(PRINTING) && !may_print && !token.test {
                format!("{}! panics when the stream is closed; write to a stream that the caller gives", token.text)
            } else if source.reads(i, &["#", "[", "ignore"]) && !source.reads(i + 3, &["="]) {
                "a test ignored without a reason; write #[ignore = \"the reason\"]".to_owned()
            } else {
                continue;
            };
            found.push(Finding::new(&source.path, token.line, what));
        }
    }
    found
}

/// Finds the marks that people leave where something is left to do, in code, comments and pages alike.
fn marks(tree: &Tree) -> Vec<Finding> {
    let marks = ["FIX", "TO", "XX"].into_iter().zip(["ME", "DO", "X"]);
    let marks: Vec<String> = marks.map(|(front, back)| format!("{front}{back}")).collect();
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| ending(&file.path) != "lock") {
        for (line, text) in file.text.lines().enumerate() {
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            if let Some(mark) = words.find(|word| marks.iter().any(|mark| mark == word)) {
                found.push(Finding::new(&file.path, line + 1, format!("{mark} is left here; do it, or take it out")));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, check};

    #[test]
    fn names_say_something() {
        let files = [
            ("a/utils.rs", ""),
            ("a/common/b.py", ""),
            ("a/helpers.tar.gz", ""),
            ("a/uncommon.rs", "mod common_sense {}\nmod manager {}"),
        ];
        let want = "a/utils.rs:1 a/common/b.py:1 a/helpers.tar.gz:1 a/uncommon.rs:2";
        assert_found(check, &files, want);
    }

    #[test]
    fn code_is_finished_and_silent() {
        let ignore = concat!("#[", "ignore]");
        let cases = [
            ("crates/a/src/b.rs", "fn f() { NAME!() }".replace("NAME", "todo"), true),
            ("xtask/src/b.rs", "fn f() { NAME!(1) }".replace("NAME", "dbg"), true),
            ("crates/a/src/b.rs", "fn todo() { dbg() } // println!".to_owned(), false),
            ("crates/a/src/b.rs", "fn f() { println!(\"a\") }".to_owned(), true),
            ("crates/a/src/b.rs", "#[cfg(test)] mod t { fn f() { eprintln!(\"a\") } }".to_owned(), false),
            ("xtask/src/b.rs", "fn f() { println!(\"a\") }".to_owned(), false),
            ("crates/a/examples/b.rs", "fn f() { println!(\"a\") }".to_owned(), false),
            ("crates/a/build.rs", "fn f() { println!(\"a\") }".to_owned(), false),
            ("crates/a/src/b.rs", format!("#[test] {ignore} fn f() {{}}"), true),
            ("crates/a/src/b.rs", "#[test] #[ignore = \"an hour\"] fn f() {}".to_owned(), false),
        ];
        for (path, text, wrong) in &cases {
            let place = format!("{path}:1");
            assert_found(check, &[(path, text)], if *wrong { &place } else { "" });
        }
    }

    #[test]
    fn nothing_is_left_to_do() {
        let text = format!("fine\nfix me\n# {}ME: later", "FIX");
        assert_found(check, &[("a.md", &text)], "a.md:3");
        let text = format!("// {}X\nlet s = \"{}X\";\nMA_XX", "XX", "XX");
        assert_found(check, &[("a.rs", &text)], "a.rs:1 a.rs:2");
        assert_found(check, &[("Cargo.lock", &text)], "");
    }
}
