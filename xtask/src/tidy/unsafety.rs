//! Unsafe code: only in the modules that are listed, each time with the promise that it relies on.
//!
//! In such a module, a comment `// SAFETY: ...` precedes each unsafe block and impl, within the same statement or directly
//! above it. A public unsafe function has a documentation section `# Safety`; a private one has that or the comment. The
//! methods of a trait's impl need neither: the trait says what their callers promise.

use std::ops::Range;

use super::{
    Finding, Tree,
    scan::{self, Source},
};

/// The modules that may have unsafe code: each a file, and the files of its submodules.
const UNSAFE_MODULES: &[&str] = &[
    "crates/broadaxe-kernels/src/isa",
    "crates/broadaxe-kernels/src/tile",
    "crates/broadaxe-kernels/src/run",
    "crates/broadaxe/src/ndarray",
    "crates/broadaxe-cli/src/start",
    "crates/broadaxe-python/src/array",
    "crates/broadaxe-c/src/edge",
    "crates/broadaxe-web/src/edge",
    "crates/broadaxe-web/src/exports",
];

/// Says whether a file may have unsafe code.
fn allows_unsafe(path: &str) -> bool {
    let within = |module: &str| path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'));
    UNSAFE_MODULES.iter().any(|module| within(module))
}

/// The roots of crates that need not forbid unsafe code: those with such modules.
const EXEMPT: &[&str] = &[
    "crates/broadaxe-kernels/src/lib.rs",
    "crates/broadaxe/src/lib.rs",
    "crates/broadaxe-cli/src/main.rs",
    "crates/broadaxe-python/src/lib.rs",
    "crates/broadaxe-c/src/lib.rs",
    "crates/broadaxe-web/src/lib.rs",
];

/// The fewest words that can name a promise.
const FEWEST_WORDS: usize = 2;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in &tree.rust {
        if allows_unsafe(&source.path) {
            found.extend(promises(source));
        } else if let Some(token) = source.tokens.iter().find(|token| token.is("unsafe")) {
            let modules = UNSAFE_MODULES.join(", ");
            found.push(Finding::new(&source.path, token.line, format!("unsafe code outside {modules}; move it there")));
        }
        let is_root = ["/src/lib.rs", "/src/main.rs"].iter().any(|root| source.path.ends_with(root));
        if is_root && !EXEMPT.contains(&source.path.as_str()) && !forbids(source) {
            found.push(Finding::new(
                &source.path,
                1,
                "the crate does not forbid unsafe code; write #![forbid(unsafe_code)]",
            ));
        }
    }
    found
}

fn forbids(source: &Source) -> bool {
    let words = ["#", "!", "[", "forbid", "(", "unsafe_code"];
    (0..source.tokens.len()).any(|i| source.reads(i, &words))
}

fn promises(source: &Source) -> Vec<Finding> {
    let impls = trait_impls(source);
    let mut found = Vec::new();
    for (i, token) in source.tokens.iter().enumerate().filter(|(_, token)| token.is("unsafe")) {
        let comments = || source.comments_in(source.statement(i), token.line);
        let said: Vec<&str> = comments().map(scan::Comment::said).collect();
        let promise = said.iter().skip_while(|said| !said.starts_with("SAFETY:"));
        let promised = promise.flat_map(|said| said.split_whitespace()).count() > FEWEST_WORDS;
        let section = comments().any(|c| c.is_doc() && c.said() == "# Safety");
        let Some(next) = source.tokens.get(i + 1) else { continue };
        let asks = is_function(source, i) && !impls.iter().any(|range| range.contains(&i));
        let what = if next.is("{") && !promised {
            "an unsafe block without its promise; say above it on which one it relies: // SAFETY: ..."
        } else if next.is("impl") && !promised {
            "an unsafe impl without its promise; say above it why it holds: // SAFETY: ..."
        } else if asks && is_public(source, i) && !section {
            "a public unsafe function without a section # Safety; say there what the caller promises"
        } else if asks && !section && !promised {
            "an unsafe function that asks for no promise; say what the caller promises: // SAFETY: ..."
        } else {
            continue;
        };
        found.push(Finding::new(&source.path, token.line, what));
    }
    found
}

/// Lists where the impls of traits stand, as ranges of tokens.
fn trait_impls(source: &Source) -> Vec<Range<usize>> {
    let range = |at: usize| {
        let open = at + source.tokens[at..].iter().position(|token| token.is("{") || token.is(";"))?;
        let of_trait = source.tokens[at..open].iter().any(|token| token.is("for"));
        of_trait.then(|| open..source.close(open))
    };
    (0..source.tokens.len()).filter(|&i| source.tokens[i].is("impl")).filter_map(range).collect()
}

/// Says whether the keyword at `i` begins a function, and not the type of a function pointer.
fn is_function(source: &Source, i: usize) -> bool {
    let at = (i + 1..source.tokens.len().min(i + 4)).find(|&k| source.tokens[k].is("fn"));
    at.is_some_and(|at| source.tokens.get(at + 1).is_some_and(|name| !name.is("(")))
}

/// Says whether the function whose keyword is at `i` is plainly `pub`.
fn is_public(source: &Source, i: usize) -> bool {
    source.tokens[..i].iter().rfind(|token| !token.is("const")).is_some_and(|token| token.is("pub"))
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, check};

    const ROOM: &str = "crates/broadaxe-kernels/src/run.rs";

    /// Writes the keyword where a test says DANGER, so that this file does not hold it.
    fn keyword(text: &str) -> String {
        text.replace("DANGER", &["un", "safe"].concat())
    }

    #[test]
    fn every_promise_is_said() {
        let cases: &[(&str, &[usize])] = &[
            ("fn f() {\n DANGER { g() }\n}", &[2]),
            ("fn f() {\n // SAFETY: g reads one byte.\n DANGER { g() }\n}", &[]),
            ("fn f() {\n // SAFETY: fine\n DANGER { g() }\n}", &[3]),
            ("fn f() {\n // SAFETY: g reads one byte.\n let x =\n  DANGER { g() };\n}", &[]),
            ("fn f() {\n // SAFETY: g reads one byte.\n let x = g();\n DANGER { g() }\n}", &[4]),
            ("DANGER impl Send for X {}", &[1]),
            ("// SAFETY: X owns its bytes.\nDANGER impl Send for X {}", &[]),
            ("/// Runs.\npub DANGER fn f() {}", &[2]),
            ("/// Runs.\n///\n/// # Safety\n/// The pointer is valid.\npub const DANGER fn f() {}", &[]),
            ("/// Runs.\n// SAFETY: the pointer must be valid.\npub DANGER fn f() {}", &[3]),
            ("// SAFETY: the pointer must be valid.\nDANGER fn f() {}", &[]),
            ("impl A for B {\n DANGER fn f() {}\n}", &[]),
            ("impl A {\n DANGER fn f() {}\n}", &[2]),
            ("DANGER extern \"C\" fn f() {}", &[1]),
            ("type F = DANGER fn(u8);", &[]),
        ];
        for (text, want) in cases {
            let want: Vec<String> = want.iter().map(|line| format!("{ROOM}:{line}")).collect();
            assert_found(check, &[(ROOM, &keyword(text))], &want.join(" "));
        }
    }

    #[test]
    fn only_the_rooms_hold_any() {
        let block = keyword("fn f() {}\n// SAFETY: g reads one byte.\nfn h() { DANGER { g() } }");
        assert_found(check, &[("crates/a/src/run.rs", &block)], "crates/a/src/run.rs:3");
        let inside = ROOM.replace(".rs", "/loan.rs");
        let promised = keyword("fn f() {\n // SAFETY: g reads one byte.\n DANGER { g() }\n}");
        assert_found(check, &[(&inside, &promised)], "");
        let near = ROOM.replace(".rs", "ning.rs");
        assert_found(check, &[(&near, &block)], &format!("{near}:3"));
        let bare = keyword("fn f() { DANGER { g() } }");
        assert_found(check, &[(ROOM, &bare)], &format!("{ROOM}:1"));
        let said = keyword("// DANGER { }\nconst X: &str = \"DANGER { }\";");
        assert_found(check, &[("crates/a/src/b.rs", &said)], "");
    }

    #[test]
    fn every_other_root_forbids_it() {
        let files = [
            ("crates/a/src/lib.rs", "//! A.\n#![forbid(unsafe_code)]"),
            ("crates/b/src/lib.rs", "//! #![forbid(unsafe_code)]"),
            ("crates/broadaxe-kernels/src/lib.rs", ""),
            ("crates/broadaxe-cli/src/main.rs", "fn main() {}"),
            ("crates/broadaxe-cli/src/lib.rs", ""),
            ("xtask/src/main.rs", "fn main() {}"),
        ];
        assert_found(check, &files, "crates/b/src/lib.rs:1 crates/broadaxe-cli/src/lib.rs:1 xtask/src/main.rs:1");
    }
}
