//! Names: no type or constant has the name of another of its crate.
//!
//! Structs, enums, unions, traits, type aliases, constants and statics of a module count; those of an `impl`, of a function
//! and of tests do not. Two of one name in one module are variants for two platforms, and count as one.

use std::collections::BTreeMap;

use super::{
    Finding, Tree,
    modules::Modules,
    scan::{Kind, Source},
};

/// Holds one definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) line: usize,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for modules in Modules::of_crates(tree) {
        found.extend(doubles(&modules).into_iter().map(|(what, places)| {
            let (first, second) = (&places[0], &places[1]);
            let says = format!("{what} is also defined at {}:{}; rename one of them", first.path, first.line);
            Finding::new(&second.path, second.line, says)
        }));
    }
    found
}

/// Returns the names that a crate defines in more than one module, and where.
pub(crate) fn doubles(modules: &Modules<'_>) -> BTreeMap<String, Vec<Place>> {
    let mut all: BTreeMap<String, BTreeMap<String, Place>> = BTreeMap::new();
    for source in modules.files() {
        for (name, module, line) in definitions(source) {
            all.entry(name).or_default().entry(module).or_insert(Place { path: source.path.clone(), line });
        }
    }
    let all = all.into_iter().filter(|(_, places)| places.len() > 1);
    all.map(|(name, places)| (name, places.into_values().collect())).collect()
}

/// Lists what a file defines: each name, the module it is in, and its line.
fn definitions(source: &Source) -> Vec<(String, String, usize)> {
    const WORDS: [&str; 7] = ["struct", "enum", "union", "trait", "type", "const", "static"];
    let mut found = Vec::new();
    // The modules written out in the file around this token, each with the index of the brace that ends it.
    let mut inside: Vec<(String, usize)> = Vec::new();
    let mut i = 0;
    while i + 2 < source.tokens.len() {
        inside.retain(|(_, end)| *end > i);
        let token = &source.tokens[i];
        if token.is("mod") && source.tokens[i + 2].is("{") {
            inside.push((source.tokens[i + 1].text.clone(), source.close(i + 2)));
            i += 2;
        } else if token.is("{") || token.is("(") || token.is("[") {
            i = source.close(i);
        } else if !token.test && WORDS.iter().any(|word| token.is(word)) {
            let at = i + 1 + usize::from(source.tokens[i + 1].is("mut"));
            let name = &source.tokens[at];
            let keyword = ["_", "fn", "unsafe", "async", "extern"].contains(&name.text.as_str());
            // A parameter of generics is not a definition.
            let is_parameter = i > 0 && [",", "<"].iter().any(|before| source.tokens[i - 1].is(before));
            if name.kind == Kind::Word && !keyword && !is_parameter {
                let module = inside.iter().fold(source.path.clone(), |path, (name, _)| format!("{path}::{name}"));
                found.push((name.text.clone(), module, token.line));
            }
        }
        i += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, check};

    const ROOT: (&str, &str) = ("crates/x/src/lib.rs", "mod a;\nmod b;\n#[cfg(test)] mod sample;");

    #[test]
    fn names_are_defined_once() {
        let cases: &[(&str, &str, bool)] = &[
            ("struct One;", "struct Two;", false),
            ("struct One;", "pub(crate) enum One {}", true),
            ("trait One {}", "\npub type One = u8;", true),
            ("const ONE: u8 = 1;", "static mut ONE: u8 = 1;", true),
            ("const fn one() {}", "const fn one() {}", false),
            ("const _: () = ();", "const _: () = ();", false),
            ("impl A { const ONE: u8 = 1; type One = u8; }", "impl B { const ONE: u8 = 1; type One = u8; }", false),
            ("fn f() { const ONE: u8 = 1; }", "fn g() { const ONE: u8 = 1; }", false),
            ("struct One;", "mod inner { struct One; }", true),
            ("struct One;", "#[cfg(test)] mod tests { struct One; }", false),
            ("#[cfg(unix)] struct One;\n#[cfg(not(unix))] struct One;", "", false),
            ("mod p { struct One; } mod q { struct One; }", "", true),
            ("// struct One;", "static S: &str = \"struct One;\";", false),
        ];
        for (a, b, wrong) in cases {
            let files = [ROOT, ("crates/x/src/a.rs", a), ("crates/x/src/b.rs", b)];
            let tree = super::Tree::new(files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())));
            assert_eq!(!check(&tree).is_empty(), *wrong, "{a} {b}");
        }
        let files = [ROOT, ("crates/x/src/a.rs", "struct One;"), ("crates/x/src/b.rs", "\nenum One {}")];
        assert_found(check, &files, "crates/x/src/b.rs:2");
        let sample = ("crates/x/src/sample.rs", "struct One;");
        assert_found(check, &[ROOT, ("crates/x/src/a.rs", "struct One;"), sample], "");
        let other = ("crates/y/src/lib.rs", "struct One;");
        assert_found(check, &[ROOT, ("crates/x/src/a.rs", "struct One;"), other], "");
    }
}
