//! Checks the conventions of this repository.
//!
//! Each check is a pure function from the files to its findings, in a file of its own, with tests on small
//! made-up sources. CONTRIBUTING.md says the same in sentences; where the two differ, this is what holds. What rustc and
//! clippy check already (documentation of public items, casts, ...) is not repeated here, and no check tries to tell
//! whether a sentence begins with a verb: that needs a reader.

pub(crate) mod scan;

mod crates;
mod generated;
pub(crate) mod modules;
pub(crate) mod names;
mod order;
mod prose;
mod recipes;
pub(crate) mod size;
mod text;
mod unsafety;
mod vocabulary;
mod words;

use std::{fmt, fs, io, path::Path, process::Command};

use scan::Source;

/// Holds what is wrong where, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Holds one text file of the repository.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Holds every text file of the repository, and the Rust ones as tokens too.
#[derive(Default)]
pub(crate) struct Tree {
    /// The paths of all files, also of those that are not text.
    pub(crate) paths: Vec<String>,
    pub(crate) files: Vec<File>,
    pub(crate) rust: Vec<Source>,
}

impl Tree {
    pub(crate) fn new(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.paths.push(path.clone());
            if ending(&path) == "rs" {
                tree.rust.push(Source::new(&path, &text));
            }
            tree.files.push(File { path, text });
        }
        tree
    }

    /// Reads every file of the repository that is text.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let paths = match tracked(root) {
            Some(paths) => paths,
            None => below(root, "").map_err(|e| format!("the files cannot be listed: {e}"))?,
        };
        let read = |path: String| fs::read_to_string(root.join(&path)).ok().map(|text| (path, text));
        Ok(Self { paths: paths.clone(), ..Self::new(paths.into_iter().filter_map(read)) })
    }

    pub(crate) fn source(&self, path: &str) -> Option<&Source> {
        self.rust.iter().find(|source| source.path == path)
    }
}

/// Lists what git tracks, and what it would track if it were added; nothing where git knows nothing.
fn tracked(root: &Path) -> Option<Vec<String>> {
    let safe = format!("safe.directory={}", root.display());
    let list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let answer = Command::new("git").arg("-C").arg(root).args(["-c", &safe]).args(list).output().ok()?;
    let names = String::from_utf8_lossy(&answer.stdout);
    let paths: Vec<String> = names.split_terminator('\0').map(str::to_owned).collect();
    (answer.status.success() && !paths.is_empty()).then_some(paths)
}

/// Lists the files below a folder of a tree that was copied without its history; leaves out what builds leave behind.
fn below(root: &Path, folder: &str) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_dir() && !["target", ".git"].contains(&name.as_str()) {
            paths.extend(below(root, &path)?);
        } else if kind.is_file() {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// Returns what follows the last point of a path.
fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Every check there is. A check is added by its file and its line here.
const CHECKS: &[fn(&Tree) -> Vec<Finding>] = &[
    unsafety::check,
    order::check,
    names::check,
    crates::check,
    size::check,
    prose::check,
    vocabulary::check,
    words::check,
    text::check,
    recipes::check,
    generated::check,
];

/// Prints every finding in the repository at `root`; an error says how many there are.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::read(root)?;
    let mut findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    findings.sort_by(|a, b| (&a.path, a.line, &a.what).cmp(&(&b.path, b.line, &b.what)));
    findings.dedup();
    for finding in &findings {
        println!("{finding}");
    }
    let (all, rust) = (tree.files.len(), tree.rust.len());
    match findings.len() {
        0 => {
            println!("tidy: {all} files, {rust} of them Rust; nothing to do");
            Ok(())
        }
        count => Err(format!("tidy: {count} to mend in {all} files")),
    }
}

/// Runs a check over made-up files and returns its findings as lines; what the tests of all checks need.
#[cfg(test)]
fn lines(check: fn(&Tree) -> Vec<Finding>, files: &[(&str, &str)]) -> Vec<String> {
    let tree = Tree::new(files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())));
    check(&tree).iter().map(Finding::to_string).collect()
}

/// Runs a check over made-up files and compares where it finds something with `path:line path:line ...`.
#[cfg(test)]
fn assert_found(check: fn(&Tree) -> Vec<Finding>, files: &[(&str, &str)], want: &str) {
    let got = lines(check, files);
    let places: Vec<String> =
        got.iter().map(|line| line.splitn(3, ':').take(2).collect::<Vec<_>>().join(":")).collect();
    assert_eq!(places.join(" "), want, "{files:#?}\n{got:#?}");
}
