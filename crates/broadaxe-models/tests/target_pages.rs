//! Writes what `docs/reference/targets/` says of each target that is generated, and compares it with the files.
//!
//! With `BROADAXE_WRITE=1` the pages are written. Everything outside the generated part of a page is kept.

use std::{fmt::Write, fs, path::Path};

use broadaxe_models::profiles::{EvidenceKind, PROFILES, Profile};

const FIRST: &str = "<!-- generated: the laws -->\n";
const LAST: &str = "<!-- end of the laws -->\n";

/// Escapes a text for a cell of a table: a bar ends a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Writes the generated part of a page.
fn generated(profile: &Profile) -> String {
    let mut text = format!("{FIRST}Check a model for {}.\n\n", profile.summary);
    let list = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let _ = writeln!(
        text,
        "- On the command line: `--for {}`{}",
        profile.name,
        match profile.aliases {
            [] => String::new(),
            aliases => format!(", also {}", list(aliases)),
        }
    );
    if let Some(newest) = profile.versions.last() {
        let name = profile.name;
        let _ = writeln!(
            text,
            "- Tested versions that differ: {}; `{name}` is {newest}, `{name}@VERSION` another one",
            list(profile.versions)
        );
    }
    let formats = match profile.route.reads {
        None => "the shapes of any model".to_owned(),
        Some([]) => "none of the formats of Broadaxe".to_owned(),
        Some(reads) => list(reads),
    };
    let _ = writeln!(text, "- Reads: {formats} ({})", profile.route.evidence.source);
    let is_tested = profile.laws.iter().any(|law| law.evidence.kind == EvidenceKind::RunHere);
    let _ = writeln!(
        text,
        "- Evidence: {}",
        if is_tested { "tested or documented, as the table says" } else { "documents only; no engine was tested" }
    );
    let tables = "../../../crates/broadaxe-models/src/profiles/tests/recorded";
    let _ = writeln!(
        text,
        "\nThe first matching law applies. `recorded` names the tables of [recorded answers]({tables}) whose rows it decides, and how many."
    );
    let _ = writeln!(text, "\n| nodes | the target ... | evidence |\n|---|---|---|");
    for law in profile.laws {
        let caveat = if law.is_caveat() { "(caveat of `same`) " } else { "" };
        let (what, kind, source) =
            (caveat.to_owned() + &cell(law.text), law.evidence.kind.word(), cell(law.evidence.source));
        let recorded = profile.recorded(law).map(|tables| format!("; recorded: {tables}")).unwrap_or_default();
        let _ = writeln!(text, "| {} | {what} | {kind}: {source}{recorded} |", law.nodes());
    }
    text + LAST
}

/// Writes the list of all targets.
fn index() -> String {
    let row =
        |profile: &&Profile| format!("| [`{}`]({}) | {} |\n", profile.name, profile.page(), cell(profile.summary));
    let rows: String = PROFILES.iter().map(row).collect();
    format!("{FIRST}| target | what it is |\n|---|---|\n{rows}{LAST}")
}

#[test]
fn pages_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/targets");
    let write = std::env::var_os("BROADAXE_WRITE").is_some();
    let mut stale = Vec::new();
    let pages = PROFILES.iter().map(|profile| (profile.page(), format!("# `{}`", profile.name), generated(profile)));
    for (name, title, text) in pages.chain([("README.md".to_owned(), "# Targets".to_owned(), index())]) {
        let path = folder.join(name);
        let old = fs::read_to_string(&path).unwrap_or_else(|_| format!("{title}\n\n{FIRST}{LAST}"));
        let (before, rest) = old.split_once(FIRST).unwrap_or((&old, LAST));
        let after = rest.split_once(LAST).map_or("", |(_, after)| after);
        let new = format!("{before}{text}{after}");
        if write {
            fs::write(&path, &new).unwrap();
        } else if fs::read_to_string(&path).ok().as_ref() != Some(&new) {
            stale.push(path.display().to_string());
        }
    }
    assert!(stale.is_empty(), "BROADAXE_WRITE=1 cargo test -p broadaxe-models --test target_pages writes: {stale:?}");
}
