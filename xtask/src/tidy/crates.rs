//! Crates: which may depend on which, beyond what cargo checks.

use super::{Finding, Tree};

/// Dependencies that no section of a manifest may list: a crate, the prefix of what it must not name, and why.
const APART: &[(&str, &str, &str)] = &[
    ("broadaxe-shape", "broadaxe-kernels", "mending a rule must never recompile a kernel"),
    ("broadaxe-kernels", "broadaxe-shape", "a kernel knows nothing of rules"),
    (
        "broadaxe-frameworks",
        "broadaxe-kernels",
        "a change to a kernel must not rebuild the tables; take what is needed from broadaxe-op",
    ),
    (
        "broadaxe-format",
        "broadaxe-kernels",
        "a change to a kernel must not rebuild the readers; take what is needed from broadaxe-op",
    ),
    (
        "broadaxe-format",
        "broadaxe",
        "a change to a kernel must not rebuild the readers; take what is needed from broadaxe-op",
    ),
];
/// The crate without dependencies.
const BARE: &str = "broadaxe-shape";
/// A package that must not need another one, and why.
const BUILT_ONCE: (&str, &str, &str) = (
    "half",
    "zerocopy",
    "each choice of packages builds its macros again, and the kernels after them; keep the version without",
);
/// The crate that is never published, and that published ones may therefore use in tests only.
const TESTING: &str = "broadaxe-testing";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with("Cargo.toml")) {
        let published = !file.text.lines().any(|line| line.split_whitespace().eq(["publish", "=", "false"]));
        let name = file.path.rsplit('/').nth(1).unwrap_or_default();
        for Dependency { section, name: other, line } in dependencies(&file.text) {
            let mut say = |what: String| found.push(Finding::new(&file.path, line, what));
            if let Some((_, _, why)) = APART.iter().find(|(a, b, _)| *a == name && other == *b) {
                say(format!("{name} must not depend on {other}: {why}; join them in broadaxe"));
            } else if name == BARE && section == Section::Normal {
                say(format!("{name} depends on nothing, so {other} has to go; write what is needed of it here"));
            } else if published && other == TESTING && section != Section::Dev {
                say(format!("{TESTING} is never published; list it under [dev-dependencies]"));
            }
        }
    }
    for file in tree.files.iter().filter(|file| file.path == "Cargo.lock") {
        let (name, other, why) = BUILT_ONCE;
        let at = file.text.lines().position(|line| line == format!("name = \"{name}\""));
        let package = file.text.lines().skip(at.unwrap_or(usize::MAX)).take_while(|line| !line.is_empty());
        if package.into_iter().any(|line| line.trim() == format!("\"{other}\",")) {
            found.push(Finding::new(&file.path, at.unwrap_or_default() + 1, format!("{name} needs {other}: {why}")));
        }
    }
    let root = format!("crates/{BARE}/src/lib.rs");
    if let Some(source) = tree.source(&root) {
        let words = ["#", "!", "[", "no_std", "]"];
        if !(0..source.tokens.len()).any(|i| source.reads(i, &words)) {
            found.push(Finding::new(&root, 1, format!("{BARE} does without std; write #![no_std]")));
        }
    }
    found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Normal,
    Dev,
    Build,
}

struct Dependency {
    section: Section,
    name: String,
    line: usize,
}

/// Lists what a manifest depends on; reads as much TOML as manifests here use.
fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut found = Vec::new();
    let mut section = None;
    for (line, text) in manifest.lines().enumerate() {
        let text = text.split('#').next().unwrap_or_default().trim();
        if let Some(header) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            // `target.'cfg(unix)'.dependencies` and `dependencies.half` count as what they are.
            let named = |part: &str| match part {
                "dependencies" => Some(Section::Normal),
                "dev-dependencies" => Some(Section::Dev),
                "build-dependencies" => Some(Section::Build),
                _ => None,
            };
            let parts: Vec<&str> = header.split('.').map(str::trim).collect();
            let at = parts.iter().position(|part| named(part).is_some() && parts[0] != "workspace");
            section = at.and_then(|at| named(parts[at]));
            if let (Some(of), Some(name)) = (section, at.and_then(|at| parts.get(at + 1))) {
                found.push(Dependency { section: of, name: (*name).to_owned(), line: line + 1 });
                section = None;
            }
        } else if let (Some(section), Some((key, _))) = (section, text.split_once('=')) {
            let name = key.split('.').next().unwrap_or_default().trim().trim_matches('"').to_owned();
            found.push(Dependency { section, name, line: line + 1 });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, check};

    #[test]
    fn dependencies_stay_apart() {
        let cases: &[(&str, &str, &[usize])] = &[
            ("broadaxe-shape", "[dependencies]\n\n[lints]\nworkspace = true", &[]),
            ("broadaxe-shape", "[dependencies]\n# none\nhalf.workspace = true", &[3]),
            ("broadaxe-shape", "[dependencies.half]\nversion = \"2\"", &[1]),
            ("broadaxe-shape", "[target.'cfg(unix)'.dependencies]\nlibc = \"1\"", &[2]),
            ("broadaxe-shape", "[dev-dependencies]\nproptest.workspace = true", &[]),
            ("broadaxe-shape", "[dev-dependencies]\nbroadaxe-kernels.workspace = true", &[2]),
            ("broadaxe-shape", "[dev-dependencies]\nbroadaxe-testing.workspace = true", &[]),
            ("broadaxe-format", "[dependencies]\nbroadaxe-op.workspace = true\nbroadaxe.workspace = true", &[3]),
            ("broadaxe-kernels", "[dependencies]\nhalf = \"2\"\nbroadaxe-shape = { path = \"x\" }", &[3]),
            ("broadaxe", "[dependencies]\nbroadaxe-shape.workspace = true\nbroadaxe-testing.workspace = true", &[3]),
            ("xtask", "[package]\npublish = false\n[dependencies]\nbroadaxe-testing.workspace = true", &[]),
        ];
        for (name, text, want) in cases {
            let path = format!("crates/{name}/Cargo.toml");
            let want: Vec<String> = want.iter().map(|line| format!("{path}:{line}")).collect();
            assert_found(check, &[(&path, text)], &want.join(" "));
        }
        let root = "[workspace.dependencies]\nbroadaxe-shape = { path = \"x\" }\nbroadaxe-testing = { path = \"x\" }";
        assert_found(check, &[("Cargo.toml", root)], "");
    }

    #[test]
    fn kernels_are_built_once() {
        let package = |name: &str, other: &str| {
            format!("\n[[package]]\nname = \"{name}\"\ndependencies = [\n \"cfg-if\",\n \"{other}\",\n]\n")
        };
        for (half, other, want) in [("libm", "zerocopy", ""), ("zerocopy", "libm", "Cargo.lock:3")] {
            assert_found(check, &[("Cargo.lock", &(package("half", half) + &package("ppv", other)))], want);
        }
    }

    #[test]
    fn shapes_do_without_std() {
        let path = "crates/broadaxe-shape/src/lib.rs";
        assert_found(check, &[(path, "//! Shapes.\n#![no_std]\n")], "");
        assert_found(check, &[(path, "//! #![no_std]\n")], &format!("{path}:1"));
    }
}
