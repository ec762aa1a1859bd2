//! Recipes: the places and names that the recipes of CONTRIBUTING.md list exist, and no table is missing from its recipe.
//!
//! The second column of a row says what to edit, in code spans: a place (a file or folder; `<x>` is any name), a list (`RULES`)
//! or a type (`PictureArgs`). A place is looked up from the root of the repository, and from the crate that the row names first.

use super::{File, Finding, Tree, ending, scan::Kind};

const RECIPES: &str = "CONTRIBUTING.md";
/// Recipes whose rows are in many tables of one crate: the element type of these tables, all of which the recipe covers.
const TABLES: &[(&str, &str)] = &[("a shape function", "ShapeRow"), ("a framework's operator", "Row")];
/// Endings of names that are files.
const ENDINGS: &[&str] = &["rs", "py", "txt", "toml", "md", "c", "cpp", "hpp", "ts", "gz"];

/// Holds one recipe: what to add, its line, and the code spans of what to edit.
struct Recipe<'a> {
    title: &'a str,
    line: usize,
    spans: Vec<&'a str>,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(page) = tree.files.iter().find(|file| file.path == RECIPES) else { return Vec::new() };
    recipes(page).iter().flat_map(|recipe| wrong(tree, recipe)).collect()
}

fn recipes<'a>(page: &'a File) -> Vec<Recipe<'a>> {
    let lines = page.text.lines().enumerate().skip_while(|(_, line)| *line != "## Recipes").skip(1);
    let lines = lines.take_while(|(_, line)| !line.starts_with("## ")).filter(|(_, line)| line.starts_with("| "));
    let recipe = |(at, line): (usize, &'a str)| -> Option<Recipe<'a>> {
        let mut cells = line.split('|').skip(1).map(str::trim);
        let (title, edit) = (cells.next()?, cells.next()?);
        Some(Recipe { title, line: at + 1, spans: edit.split('`').skip(1).step_by(2).collect() })
    };
    lines.skip(1).filter_map(recipe).collect()
}

/// Lists what a recipe names that does not exist, and the tables that it does not cover.
fn wrong(tree: &Tree, recipe: &Recipe<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut say = |what: String| found.push(Finding::new(RECIPES, recipe.line, format!("{}: {what}", recipe.title)));
    let mut files: Vec<&str> = Vec::new();
    for span in recipe.spans.iter().filter(|span| !span.contains(' ')) {
        if is_place(span) {
            let places = places(tree, recipe, span);
            if places.is_empty() {
                say(format!("'{span}' is not a file or folder of the repository; name the one to edit"));
            }
            files.extend(places);
        } else if is_name(span) && !is_defined(tree, span) {
            say(format!("'{span}' is not defined; name the list or type to edit"));
        }
    }
    if let Some((_, row)) = TABLES.iter().find(|(title, _)| *title == recipe.title) {
        let own = |file: &&str| file.starts_with(package(recipe)) && !files.contains(file);
        for file in tables(tree, row).filter(own) {
            say(format!("{file} has a table of {row} too; name it"));
        }
    }
    found
}

fn is_place(span: &str) -> bool {
    span.contains('/') || ENDINGS.contains(&ending(span))
}

/// Says whether a span is a list (`RULES`) or a type (`PictureArgs`).
fn is_name(span: &str) -> bool {
    span.starts_with(|c: char| c.is_ascii_uppercase()) && span.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the folder of the crate whose file the recipe names first.
fn package<'a>(recipe: &Recipe<'a>) -> &'a str {
    let first = recipe.spans.iter().find(|span| is_place(span)).copied().unwrap_or_default();
    first.match_indices('/').nth(1).map_or("", |(at, _)| &first[..=at])
}

/// Lists the files that a place names or holds.
fn places<'a>(tree: &'a Tree, recipe: &Recipe<'_>, place: &str) -> Vec<&'a str> {
    let package = package(recipe);
    let from = [String::new(), package.to_owned(), format!("{package}src/")];
    let deeper = tree.paths.iter().filter(|path| !package.is_empty() && path.starts_with(package));
    let matching = |path: &&String| from.iter().any(|from| is_at(path, &format!("{from}{place}")));
    let direct: Vec<&str> = tree.paths.iter().filter(matching).map(String::as_str).collect();
    if !direct.is_empty() {
        return direct;
    }
    // A file or folder further down, whose beginning the row has named already.
    deeper
        .filter(|path| path.ends_with(&format!("/{place}")) || path.contains(&format!("/{place}/")))
        .map(String::as_str)
        .collect()
}

/// Says whether a path is a place, or in it where that is a folder.
fn is_at(path: &str, place: &str) -> bool {
    let Some((before, rest)) = place.split_once('<') else {
        return path == place
            || path.strip_prefix(place).is_some_and(|rest| place.ends_with('/') || rest.starts_with('/'));
    };
    let after = rest.split_once('>').map_or("", |(_, after)| after);
    let middle = path.strip_prefix(before).and_then(|path| path.strip_suffix(after));
    middle.is_some_and(|name| !name.is_empty() && !name.contains('/'))
}

/// Says whether a list or type of that name is defined in Rust or Python.
fn is_defined(tree: &Tree, name: &str) -> bool {
    let in_rust = tree.rust.iter().any(|source| {
        let words = source.tokens.windows(2);
        words
            .into_iter()
            .any(|two| ["static", "const", "struct", "enum", "type"].contains(&&*two[0].text) && two[1].is(name))
    });
    in_rust
        || tree.files.iter().any(|file| ending(&file.path) == "py" && file.text.contains(&format!("\nclass {name}")))
}

/// Lists the files with a static table whose rows have that type.
fn tables<'a>(tree: &'a Tree, row: &'static str) -> impl Iterator<Item = &'a str> {
    let has_one = move |tokens: &[super::scan::Token]| {
        (0..tokens.len()).filter(|&i| tokens[i].is("static") && !tokens[i].test).any(|i| {
            let kind = tokens[i..].iter().take_while(|token| !token.is("=") && !token.is(";"));
            kind.into_iter().any(|token| token.kind == Kind::Word && token.is(row))
        })
    };
    tree.rust.iter().filter(move |source| has_one(&source.tokens)).map(|source| &*source.path)
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, check};

    /// The files of a small repository with a page of these rows.
    fn assert_rows(rows: &str, want: &str) {
        let page = format!("# C\n\n## Recipes\n\n| to add | edit | follows |\n|---|---|---|\n{rows}\n\n## Cases\n");
        let rule = "pub static RULES: &[Rule] = &[];\nstatic OTHER: &[ShapeRow] = &[];";
        let files = [
            ("CONTRIBUTING.md", page.as_str()),
            ("crates/a/src/rule.rs", rule),
            ("crates/a/src/infer/norm.rs", "static NORM: &[ShapeRow] = &[];"),
            ("crates/a/tests/sentences.rs", ""),
            ("cases/x.case", ""),
        ];
        assert_found(check, &files, want);
    }

    #[test]
    fn recipes_name_what_exists() {
        assert_rows("| a rule | `crates/a/src/rule.rs`, `RULES` (`rule.rs`), `cases/`, `tests/sentences.rs` | x |", "");
        assert_rows("| a rule | `crates/a/src/rule/`, its line | x |", "CONTRIBUTING.md:7");
        assert_rows("| a rule | `RULE` in `crates/a/src/rule.rs` | x |", "CONTRIBUTING.md:7");
        assert_rows(
            "| a rule | one file | x |\n| b | `crates/a/src/<name>.rs`, `infer/<topic>.rs`, `cargo test -p x` | x |",
            "",
        );
        assert_rows("| a rule | one file | x |\n| b | `crates/a/src/<name>.py` | x |", "CONTRIBUTING.md:8");
    }

    #[test]
    fn recipes_cover_all_tables() {
        assert_rows("| a shape function | `crates/a/src/infer/<topic>.rs` | x |", "CONTRIBUTING.md:7");
        assert_rows("| a shape function | `crates/a/src/infer/<topic>.rs`; `rule.rs` | x |", "");
    }
}
