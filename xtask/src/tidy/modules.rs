//! Modules: which file declares which, in what order, and which of its siblings each one uses.
//!
//! Any path in code counts as a use: `crate::later::f()`, `use crate::{a, later::b}`, `super::later` from
//! a module's own file. A name that a parent imports or re-exports counts as the module that it comes from. Code for tests
//! is left out.

use std::collections::{BTreeMap, HashMap};

use super::{
    Tree,
    scan::{Kind, Source, Token},
};

/// Holds the modules of one crate.
pub(crate) struct Modules<'a> {
    /// The file that declares the first of them.
    pub(crate) root: &'a str,
    /// Each list of modules, by the path of the module that declares it; the root has the empty path.
    lists: BTreeMap<Vec<String>, List>,
    /// Each file that is compiled without tests, and the path of its module.
    files: Vec<(Vec<String>, &'a Source)>,
}

/// Holds one list of modules.
pub(crate) struct List {
    /// The file that declares it.
    pub(crate) path: String,
    /// The modules in the order of the list.
    pub(crate) modules: Vec<String>,
    /// Where each imported or re-exported name comes from, as a path from the root.
    names: HashMap<String, Vec<String>>,
}

/// Holds one use of a sibling: who uses whom, as positions in their list, and where.
pub(crate) struct Use<'a> {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) path: &'a str,
    pub(crate) line: usize,
}

impl<'a> Modules<'a> {
    /// Reads the modules of every crate, by its root file.
    pub(crate) fn of_crates(tree: &'a Tree) -> Vec<Self> {
        let root = |source: &&Source| {
            let (folder, file) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
            let lib = || tree.source(&format!("{folder}/lib.rs"));
            folder.ends_with("src") && (file == "lib.rs" || file == "main.rs" && lib().is_none())
        };
        tree.rust.iter().filter(root).map(|root| Self::new(tree, root)).collect()
    }

    fn new(tree: &'a Tree, root: &'a Source) -> Self {
        let folder = root.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let place = |source: &'a Source| {
            if source.path == root.path {
                return Some((Vec::new(), source));
            }
            let inside = source.path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs")?;
            let mut own: Vec<String> = inside.split('/').map(str::to_owned).collect();
            own.pop_if(|last| *last == "mod");
            Some((own, source))
        };
        let mut files: Vec<_> = tree.rust.iter().filter_map(place).collect();
        let lists = files.iter().map(|(own, source)| (own.clone(), List::new(own, source)));
        let lists: BTreeMap<_, _> = lists.filter(|(_, list)| !list.modules.is_empty()).collect();
        // A module that is declared for tests alone is in no list.
        let listed = |own: &[String], depth: usize| {
            lists.get(&own[..depth]).is_none_or(|list| list.modules.contains(&own[depth]))
        };
        files.retain(|(own, _)| {
            own.last().is_none_or(|last| !last.ends_with("tests")) && (0..own.len()).all(|depth| listed(own, depth))
        });
        Self { root: &root.path, lists, files }
    }

    /// Returns the folder of the crate.
    pub(crate) fn folder(&self) -> &'a str {
        self.root.rsplit_once("/src/").map_or("", |(folder, _)| folder)
    }

    /// Returns each list, and every use of one of its modules by another.
    pub(crate) fn lists(&self) -> impl Iterator<Item = (&List, Vec<Use<'a>>)> {
        self.lists.iter().map(|(at, list)| (list, self.uses(at, list)))
    }

    /// Returns the files that are compiled without tests.
    pub(crate) fn files(&self) -> impl Iterator<Item = &'a Source> {
        self.files.iter().map(|(_, source)| *source)
    }

    /// Lists the uses among the modules of the list at `at`.
    fn uses(&self, at: &[String], list: &List) -> Vec<Use<'a>> {
        let position = |path: &[String]| {
            let name = path.strip_prefix(at)?.first()?;
            list.modules.iter().position(|module| module == name)
        };
        let mut found = Vec::new();
        for (own, source) in &self.files {
            let Some(from) = position(own) else { continue };
            for (i, token) in source.tokens.iter().enumerate().filter(|(_, token)| !token.test) {
                let within = i > 0 && source.tokens[i - 1].is("::");
                if within || !(token.is("crate") || token.is("super")) {
                    continue;
                }
                let targets = paths(&source.tokens[i..]).into_iter();
                let targets =
                    targets.filter_map(|path| self.resolve(absolute(own, nested(source, i), &path.segments)?));
                let others = targets.filter_map(|target| position(&target)).filter(|to| *to != from);
                found.extend(others.map(|to| Use { from, to, path: &source.path, line: token.line }));
            }
        }
        found
    }

    /// Follows the names that modules import or re-export, until the path leads through modules alone.
    fn resolve(&self, mut path: Vec<String>) -> Option<Vec<String>> {
        // Two names that stand for each other would lead round in a circle.
        for _ in 0..8 {
            let known = |depth: &usize| {
                let list = self.lists.get(&path[..*depth])?;
                (!list.modules.contains(&path[*depth])).then(|| list.names.get(&path[*depth])).flatten()
            };
            let Some((depth, target)) = (0..path.len()).find_map(|depth| Some((depth, known(&depth)?))) else {
                return Some(path);
            };
            path = target.iter().chain(&path[depth + 1..]).cloned().collect();
        }
        None
    }
}

impl List {
    fn new(own: &[String], source: &Source) -> Self {
        let mut modules = Vec::new();
        let mut i = 0;
        while i + 1 < source.tokens.len() {
            let token = &source.tokens[i];
            if token.is("{") {
                i = source.close(i);
            } else if token.is("mod") && !token.test {
                modules.push(source.tokens[i + 1].text.clone());
            }
            i += 1;
        }
        let mut names = HashMap::new();
        for at in (0..source.tokens.len()).filter(|&i| source.tokens[i].is("use") && !source.tokens[i].test) {
            for Path { segments, name } in paths(&source.tokens[at + 1..]) {
                let here = usize::from(segments[0] == "self" || own.is_empty() && segments[0] == "crate");
                if segments.get(here).is_some_and(|segment| modules.contains(segment)) {
                    names.insert(name, [own, &segments[here..]].concat());
                }
            }
        }
        Self { path: source.path.clone(), modules, names }
    }
}

/// Returns the path from the root that `segments` mean in the module `own`, inside `nested` inline modules.
fn absolute(own: &[String], nested: usize, segments: &[String]) -> Option<Vec<String>> {
    if segments[0] == "crate" {
        return Some(segments[1..].to_vec());
    }
    let up = segments.iter().take_while(|segment| *segment == "super").count();
    let depth = (own.len() + nested).checked_sub(up)?;
    (depth <= own.len()).then(|| [&own[..depth], &segments[up..]].concat())
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
    use super::{Source, paths};

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
}
