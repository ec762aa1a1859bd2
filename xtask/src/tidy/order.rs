//! Module order: a crate's root lists its modules in dependency order, and none uses one listed below it.
//!
//! A path counts as use wherever it stands in code: `crate::later::f()`, `use crate::{a, later::b}`, `super::later` from
//! a module's own file. A name that the root re-exports counts as the module that it comes from. Code for tests, and files
//! whose names end in `tests.rs`, may use anything. What stands inside a module's folder may use what it likes of that folder.

use std::collections::HashMap;

use super::{
    Finding, Tree,
    scan::{Kind, Source, Token},
};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for root in &tree.rust {
        let Some((folder, file)) = root.path.rsplit_once('/').filter(|(folder, _)| folder.ends_with("src")) else {
            continue;
        };
        let lib = format!("{folder}/lib.rs");
        if file == "lib.rs" || file == "main.rs" && tree.source(&lib).is_none() {
            let order = Order::new(root);
            let inside =
                |path: &str| Some(path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs")?.to_owned());
            let files = tree.rust.iter().filter_map(|source| Some((source, inside(&source.path)?)));
            let files = files.filter(|(_, path)| !path.ends_with("tests"));
            found.extend(files.flat_map(|(source, path)| order.offences(source, &path, file)));
        }
    }
    found
}

/// Holds the modules of a crate in the order of its root, and where each re-exported name comes from.
struct Order {
    modules: Vec<String>,
    names: HashMap<String, usize>,
}

impl Order {
    fn new(root: &Source) -> Self {
        let mut modules = Vec::new();
        let mut i = 0;
        while i + 1 < root.tokens.len() {
            let token = &root.tokens[i];
            if token.is("{") {
                i = root.close(i);
            } else if token.is("mod") && !token.test {
                modules.push(root.tokens[i + 1].text.clone());
            }
            i += 1;
        }
        let place = |name: &str| modules.iter().position(|module| module == name);
        let mut names: HashMap<String, usize> = HashMap::new();
        for at in (0..root.tokens.len()).filter(|&i| root.tokens[i].is("use")) {
            for path in paths(&root.tokens[at + 1..]) {
                let own = usize::from(["crate", "self"].contains(&path.segments[0].as_str()));
                if let Some(module) = path.segments.get(own).and_then(|segment| place(segment)) {
                    names.insert(path.name, module);
                }
            }
        }
        names.extend(modules.iter().cloned().enumerate().map(|(i, module)| (module, i)));
        Self { modules, names }
    }

    /// Lists where a file uses a module below its own; `path` is the file's, within `src` and without its ending.
    fn offences(&self, source: &Source, path: &str, root: &str) -> Vec<Finding> {
        let mut own: Vec<&str> = path.split('/').collect();
        own.pop_if(|last| *last == "mod");
        let Some(me) = self.modules.iter().position(|module| *module == own[0]) else { return Vec::new() };
        let mut found = Vec::new();
        for (i, token) in source.tokens.iter().enumerate().filter(|(_, token)| !token.test) {
            let within = i > 0 && source.tokens[i - 1].is("::");
            if within || !(token.is("crate") || token.is("super")) {
                continue;
            }
            for path in paths(&source.tokens[i..]) {
                let up = path.segments.iter().take_while(|segment| *segment == "super").count();
                let depth = own.len() + nested(source, i);
                let first = if up == 0 { 1 } else { up };
                let Some(name) = path.segments.get(first).filter(|_| up == 0 || up == depth) else { continue };
                if let Some(&other) = self.names.get(name).filter(|&&other| other > me) {
                    let (me, other) = (&self.modules[me], &self.modules[other]);
                    let what = format!("{me} uses {other}, which {root} lists below it; move one of them");
                    found.push(Finding::new(&source.path, token.line, what));
                }
            }
        }
        found
    }
}

/// Counts the modules written out in this file around token `i`.
fn nested(source: &Source, i: usize) -> usize {
    let opens = |k: usize| source.tokens[k].is("mod") && source.tokens[k + 2].is("{") && source.close(k + 2) > i;
    (0..i.saturating_sub(2)).filter(|&k| opens(k)).count()
}

/// Holds one path of a `use`, with its groups taken apart, and the name it brings in.
#[derive(Debug, PartialEq, Eq)]
struct Path {
    segments: Vec<String>,
    name: String,
}

/// Lists the paths that begin at the first token: one, or as many as its groups hold.
fn paths(tokens: &[Token]) -> Vec<Path> {
    let mut found = Vec::new();
    read_path(tokens, 0, &[], &mut found);
    found
}

/// Reads one path from token `i` on, below `above`; returns the index behind it.
fn read_path(tokens: &[Token], mut i: usize, above: &[String], found: &mut Vec<Path>) -> usize {
    let is = |i: usize, text: &str| tokens.get(i).is_some_and(|token: &Token| token.is(text));
    let mut segments = above.to_vec();
    i += usize::from(is(i, "::"));
    while let Some(token) = tokens.get(i) {
        if is(i, "{") && (i == 0 || is(i - 1, "::") || !above.is_empty()) {
            i += 1;
            while i < tokens.len() && !is(i, "}") {
                let before = i;
                i = read_path(tokens, i, &segments, found);
                i += usize::from(is(i, ",") || i == before);
            }
            return i + 1;
        }
        if token.kind != Kind::Word && !token.is("*") {
            break;
        }
        segments.push(token.text.clone());
        i += 1;
        if !is(i, "::") {
            break;
        }
        i += 1;
    }
    let mut name = segments.last().cloned().unwrap_or_default();
    if is(i, "as") {
        name = tokens.get(i + 1).map(|token| token.text.clone()).unwrap_or_default();
        i += 2;
    }
    if !segments.is_empty() {
        found.push(Path { segments, name });
    }
    i
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, Source, check, paths};

    #[test]
    fn groups_are_taken_apart() {
        let cases: &[(&str, &[&str])] = &[
            ("a::b;", &["a::b=b"]),
            ("a::{b, c::{d, e as f}, self};", &["a::b=b", "a::c::d=d", "a::c::e=f", "a::self=self"]),
            ("{a, b::c,};", &["a=a", "b::c=c"]),
            ("a::*;", &["a::*=*"]),
            ("crate::a::f(b::c)", &["crate::a::f=f"]),
            ("crate::A { b: c }", &["crate::A=A"]),
            ("crate) struct X", &["crate=crate"]),
            ("a::{b", &["a::b=b"]),
        ];
        for (text, want) in cases {
            let source = Source::new("x.rs", text);
            let got: Vec<String> =
                paths(&source.tokens).into_iter().map(|p| format!("{}={}", p.segments.join("::"), p.name)).collect();
            assert_eq!(got, *want, "{text}");
        }
    }

    #[test]
    fn no_module_uses_one_below_it() {
        let root = "pub mod a;\nmod b;\npub(crate) mod c;\n#[cfg(test)] mod d;\npub use b::{Bee, x as Ex};\nmod e {}";
        let cases: &[(&str, &str, bool)] = &[
            ("b.rs", "use crate::a::X;", false),
            ("b.rs", "use crate::c::X;", true),
            ("b.rs", "use crate::{a::X, b, c};", true),
            ("b.rs", "use crate::{a::{X, c}, b};", false),
            ("b.rs", "fn f() { crate::c::g() }", true),
            ("b.rs", "use super::c;", true),
            ("b/q.rs", "use super::c;", false),
            ("b/q.rs", "use super::super::{a, c};", true),
            ("b/mod.rs", "use super::c;", true),
            ("b.rs", "mod q { use super::c; }", false),
            ("b.rs", "mod q { use super::super::c; }", true),
            ("b.rs", "mod q { } use super::c;", true),
            ("a.rs", "use crate::Bee;", true),
            ("a.rs", "use crate::Ex;", true),
            ("c.rs", "use crate::{Bee, Ex};", false),
            ("b.rs", "/// See [`crate::c`].\npub(crate) fn f() { \"crate::c\"; }", false),
            ("b.rs", "#[cfg(test)] mod tests { use crate::c; }", false),
            ("z.rs", "use crate::c;", false),
        ];
        for (file, text, wrong) in cases {
            let path = format!("crates/x/src/{file}");
            let want = format!("{path}:1");
            let want = if *wrong { want.as_str() } else { "" };
            assert_found(check, &[("crates/x/src/lib.rs", root), (&path, text)], want);
        }
    }

    #[test]
    fn main_is_a_root_where_there_is_no_library() {
        let files = [("x/src/main.rs", "mod a;\nmod b;"), ("x/src/a.rs", "\nuse crate::b;")];
        assert_found(check, &files, "x/src/a.rs:2");
    }
}
