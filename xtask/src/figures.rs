//! Prints figures of the code: lines by kind, sizes, import cycles and repeated names.
//!
//! `cargo xtask figures [FOLDER]` prints them for this repository, or for another copy of it. They come from the same
//! reading of the sources as the checks of `tidy`.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
};

use crate::tidy::{
    Tree,
    modules::{List, Modules, Use},
    names,
    scan::{Kind, Source},
    size,
};

pub(crate) const FIGURES_USAGE: &str = "[FOLDER]";
/// The file whose rows name every operator.
const OPERATORS: &str = "crates/broadaxe-op/src/table.rs";
/// The words that begin one of its rows.
const ROWS: [&str; 3] = ["binary", "unary", "ternary"];

/// Prints the figures of the repository at `root`, or of the one in the folder that is named.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let folder = match words {
        [] => root.to_owned(),
        [folder] => PathBuf::from(folder),
        _ => return Err(format!("unknown arguments {}; usage: figures {FIGURES_USAGE}", words.join(" "))),
    };
    print!("{}", text(&Tree::read(&folder)?));
    Ok(())
}

/// Holds the figures of one crate.
#[derive(Default)]
struct CodeFigures {
    files: usize,
    code: usize,
    comment: usize,
    blank: usize,
    /// The lines that are compiled for tests only.
    test: usize,
    /// The lines of examples.
    example: usize,
    macros: usize,
    /// The lines of each function that is not for tests.
    functions: Vec<usize>,
    /// The lines of each file that are not for tests.
    sizes: Vec<usize>,
    /// The modules of each cycle.
    cycles: Vec<String>,
    /// Each name that is defined more than once, and how often.
    doubles: Vec<(String, usize)>,
}

impl CodeFigures {
    /// Counts a file in; `tested` says whether all of it is for tests.
    fn add(&mut self, source: &Source, text: &str, tested: bool) {
        self.files += 1;
        if source.path.split('/').any(|part| part == "examples") {
            self.example += source.lines;
            return;
        }
        let kinds = kinds(source, text, tested);
        let count = |kind| kinds.iter().filter(|of| **of == kind).count();
        let own = [count(Line::Code), count(Line::Comment), count(Line::Blank)];
        self.code += own[0];
        self.comment += own[1];
        self.blank += own[2];
        self.test += count(Line::Test);
        if own[0] > 0 {
            self.sizes.push(own.iter().sum());
        }
        self.macros += size::macro_lines(source).map(|(_, lines)| lines).sum::<usize>();
        let functions = source.functions().into_iter().filter(|f| !tested && !source.tokens[f.at].test);
        self.functions.extend(functions.map(|function| function.last - function.line + 1));
    }

    /// Adds the figures of another crate.
    fn include(&mut self, other: &Self) {
        self.files += other.files;
        self.code += other.code;
        self.comment += other.comment;
        self.blank += other.blank;
        self.test += other.test;
        self.example += other.example;
        self.macros += other.macros;
        self.functions.extend(&other.functions);
        self.sizes.extend(&other.sizes);
        self.cycles.extend_from_slice(&other.cycles);
        self.doubles.extend_from_slice(&other.doubles);
    }

    /// Returns the row of the table.
    fn row(&self, name: &str) -> String {
        let long = self.functions.iter().filter(|lines| **lines > size::LONGEST_FUNCTION).count();
        let all = self.code + self.comment + self.blank + self.test + self.example;
        let constants = self.doubles.iter().filter(|(name, _)| name.to_uppercase() == *name).count();
        format!(
            "| {name} | {} | {all} | {} | {} | {} | {} | {} | {:.2} | {} | {long} | {} | {} | {} | {} | {} |",
            self.files,
            self.code,
            self.comment,
            self.blank,
            self.test,
            self.example,
            self.test as f64 / self.code.max(1) as f64,
            spread(&self.functions),
            spread(&self.sizes),
            self.macros,
            self.cycles.len(),
            self.doubles.len() - constants,
            constants,
        )
    }
}

/// Tells lines apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Code,
    Comment,
    Blank,
    Test,
}

/// Says of each line of a file what it is.
fn kinds(source: &Source, text: &str, tested: bool) -> Vec<Line> {
    let mut kinds: Vec<Line> =
        text.lines().map(|line| if line.trim().is_empty() { Line::Blank } else { Line::Code }).collect();
    if tested {
        return vec![Line::Test; kinds.len()];
    }
    let set = |kinds: &mut Vec<Line>, first: usize, last: usize, kind| {
        kinds.iter_mut().take(last).skip(first - 1).for_each(|line| *line = kind);
    };
    for comment in &source.comments {
        set(&mut kinds, comment.line, comment.line + comment.text.matches('\n').count(), Line::Comment);
    }
    for token in &source.tokens {
        set(&mut kinds, token.line, token.line + token.text.matches('\n').count(), Line::Code);
    }
    for tests in source.tokens.chunk_by(|a, b| a.test == b.test).filter(|tokens| tokens[0].test) {
        set(&mut kinds, tests[0].line, tests[tests.len() - 1].line, Line::Test);
    }
    kinds
}

/// Returns `median / p90 / max`.
fn spread(numbers: &[usize]) -> String {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let at = |share: usize| sorted.get((sorted.len() * share / 100).min(sorted.len().saturating_sub(1))).copied();
    [50, 90, 100].map(|share| at(share).unwrap_or(0).to_string()).join(" / ")
}

/// Lists the circles among the modules of a list, each as the names that take part.
fn cycles(list: &List, uses: &[Use<'_>]) -> Vec<String> {
    let count = list.modules.len();
    let mut reach = vec![vec![false; count]; count];
    for used in uses {
        reach[used.from][used.to] = true;
    }
    for over in 0..count {
        for from in 0..count {
            for to in 0..count {
                reach[from][to] |= reach[from][over] && reach[over][to];
            }
        }
    }
    let mut found = Vec::new();
    for (first, reached) in reach.iter().enumerate() {
        let circle: Vec<usize> = (0..count).filter(|&to| reached[to] && reach[to][first]).collect();
        if circle.first() == Some(&first) {
            let names: Vec<&str> = circle.iter().map(|&i| list.modules[i].as_str()).collect();
            found.push(format!("{}: {}", list.path, names.join(" ")));
        }
    }
    found
}

/// Counts the files that spell each operator: as a text, or as the type of that name where its row has one.
fn operators<'a>(sources: impl Iterator<Item = &'a Source>, table: Option<&Source>) -> BTreeMap<String, usize> {
    let Some(table) = table else { return BTreeMap::new() };
    let row = |i: &usize| {
        let literal = table.tokens.get(i + 2).is_some_and(|token| token.kind == Kind::Literal);
        literal && ROWS.iter().any(|word| table.reads(*i, &[word, "("])) && !table.tokens[*i].test
    };
    let rows = (0..table.tokens.len()).filter(row).map(|i| {
        let name = table.tokens[i + 2].text.trim_matches('"');
        let kind = camel(name);
        let typed = table.tokens[i..=table.close(i + 1)].iter().any(|token| token.is(&kind));
        (name.to_owned(), typed.then_some(kind))
    });
    let rows: Vec<_> = rows.collect();
    let mut counts: BTreeMap<String, usize> = rows.iter().map(|(name, _)| (name.clone(), 0)).collect();
    for source in sources {
        let spelled: HashSet<&str> =
            source.tokens.iter().filter(|token| !token.test).map(|token| token.text.as_str()).collect();
        for (name, kind) in &rows {
            let has = spelled.contains(format!("\"{name}\"").as_str());
            let has = has || kind.as_ref().is_some_and(|kind| spelled.contains(kind.as_str()));
            *counts.entry(name.clone()).or_default() += usize::from(has);
        }
    }
    counts
}

/// Returns a name such as `div_floor` as that of a type.
fn camel(name: &str) -> String {
    let words = name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]);
    words.collect()
}

/// Returns all figures as a page.
fn text(tree: &Tree) -> String {
    let crates = Modules::of_crates(tree);
    let all_modules: Vec<&str> = crates.iter().flat_map(Modules::files).map(|source| source.path.as_str()).collect();
    let mut figures = BTreeMap::<&str, CodeFigures>::new();
    let texts: HashMap<&str, &str> = tree.files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
    for source in &tree.rust {
        let folder = package(tree, &source.path);
        let of_crate = crates.iter().any(|modules| modules.folder() == folder);
        // The root of a binary next to a library is in no list of modules.
        let root = source.path.ends_with("/main.rs") || source.path.contains("/src/bin/");
        let tested = of_crate && !root && !all_modules.contains(&source.path.as_str());
        figures.entry(folder).or_default().add(source, texts[source.path.as_str()], tested);
    }
    for modules in &crates {
        let own = figures.entry(modules.folder()).or_default();
        own.cycles = modules.lists().flat_map(|(list, uses)| cycles(list, &uses)).collect();
        own.doubles = names::doubles(modules).into_iter().map(|(name, places)| (name, places.len())).collect();
    }
    let product = crates.iter().filter(|modules| modules.folder().starts_with("crates/"));
    let operators = operators(product.flat_map(Modules::files), tree.source(OPERATORS));
    page(&figures, &operators)
}

/// Returns the folder of the package that a file is in.
fn package<'a>(tree: &'a Tree, path: &str) -> &'a str {
    let folders = tree.files.iter().filter_map(|file| file.path.strip_suffix("/Cargo.toml"));
    let own = folders.filter(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
    own.max_by_key(|folder| folder.len()).unwrap_or("")
}

fn page(figures: &BTreeMap<&str, CodeFigures>, operators: &BTreeMap<String, usize>) -> String {
    let (mut product, mut all) = (CodeFigures::default(), CodeFigures::default());
    for (name, own) in figures {
        all.include(own);
        if name.starts_with("crates/") && !name.ends_with("testing") {
            product.include(own);
        }
    }
    let mut lines = vec![
        "| crate | files | lines | code | comment | blank | test | example | test / code | function median / p90 / max \
         | over 40 | file without tests median / p90 / max | macro lines | cycles | types twice | constants twice |"
            .to_owned(),
        format!("|{}", "---|".repeat(16)),
    ];
    lines.extend(figures.iter().map(|(name, own)| own.row(name)));
    lines.extend([product.row("**product crates**"), all.row("**all Rust**"), String::new(), named(operators)]);
    lines.extend([String::new(), "Cycles:".to_owned()]);
    lines.extend(all.cycles.iter().map(|cycle| format!("- {cycle}")));
    lines.extend([String::new(), "Names defined more than once:".to_owned()]);
    for (name, own) in figures.iter().filter(|(_, own)| !own.doubles.is_empty()) {
        let double = |(name, count): &(String, usize)| match count {
            2 => name.clone(),
            count => format!("{name} x{count}"),
        };
        lines.push(format!("- {name}: {}", own.doubles.iter().map(double).collect::<Vec<_>>().join(" ")));
    }
    lines.join("\n") + "\n"
}

/// Sums up in how many files operators are named.
fn named(operators: &BTreeMap<String, usize>) -> String {
    let mut counts: Vec<(usize, &str)> = operators.iter().map(|(name, count)| (*count, name.as_str())).collect();
    counts.sort_unstable();
    let (Some(least), Some(most)) = (counts.first(), counts.last()) else {
        return format!("Files that name an operator: {OPERATORS} lists none.");
    };
    let (all, median) = (counts.len(), counts[counts.len() / 2].0);
    format!(
        "Files that name an operator, of {all}: median {median}, min {} ({}), max {} ({}).",
        least.0, least.1, most.0, most.1
    )
}

#[cfg(test)]
mod tests {
    use super::{Tree, camel, operators, spread, text};

    fn tree(files: &[(&str, &str)]) -> Tree {
        Tree::new(files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())))
    }

    #[test]
    fn every_line_is_of_one_kind() {
        let lib = "//! Doc.\n\nmod a;\nmod b;\n#[cfg(test)]\nmod tests {\n    // Test.\n\n    fn t() {}\n}\n#[cfg(test)] mod sample;\n";
        let files = [
            ("crates/x/Cargo.toml", ""),
            ("crates/x/src/lib.rs", lib),
            (
                "crates/x/src/a.rs",
                "use crate::b;\npub struct One {}\n// A\nfn f() {\n    let s = \"\n\n\";\n}\nmacro_rules! m {\n}\n",
            ),
            ("crates/x/src/b.rs", "use crate::a;\nstruct One;\n"),
            ("crates/x/src/sample.rs", "fn g() {}\n"),
            ("crates/x/tests/all.rs", "fn h() {}\n\n"),
            ("crates/x/examples/one.rs", "fn main() {}\n"),
        ];
        let page = text(&tree(&files));
        let row = page.lines().find(|line| line.starts_with("| crates/x |")).expect("a row");
        let want = "| crates/x | 6 | 27 | 13 | 2 | 1 | 10 | 1 | 0.77 | 5 / 5 / 5 | 0 | 4 / 10 / 10 | 2 | 1 | 1 | 0 |";
        assert_eq!(row, want, "{page}");
        assert!(page.contains("- crates/x/src/lib.rs: a b\n"), "{page}");
        assert!(page.ends_with("- crates/x: One\n"), "{page}");
    }

    #[test]
    fn files_that_name_an_operator_are_counted() {
        let files = [
            ("t.rs", "binary(\"div_floor\", x::<DivFloor>()), unary(\"abs\", y)"),
            ("a.rs", "use DivFloor; #[cfg(test)] fn f() { \"abs\" }"),
            ("b.rs", "\"div_floor\" // Abs"),
        ];
        let tree = tree(&files);
        let counts = operators(tree.rust.iter(), tree.source("t.rs"));
        assert_eq!(counts.into_iter().collect::<Vec<_>>(), [("abs".to_owned(), 1), ("div_floor".to_owned(), 3)]);
        assert_eq!(camel("isnan"), "Isnan");
    }

    #[test]
    fn spreads_are_of_sorted_numbers() {
        assert_eq!(spread(&[]), "0 / 0 / 0");
        assert_eq!(spread(&[3, 1, 2]), "2 / 3 / 3");
    }
}
