//! Places: nothing that is committed names a folder of one machine or the host of a package registry, has a control byte in its
//! text, or is in a folder that tools take for build output.
//!
//! The first two would work for their author only. Tests that need a file take it from the repository or make a
//! temporary one. `Cargo.lock` is cargo's own and is left alone.

use super::{Finding, Tree, ending};

/// Top folders that exist on one machine and not on the next.
const FOLDERS: &[&str] = &["work", "tmp", "farm", "home", "Users"];
/// Registry hosts, taken apart so that this file does not name them.
const HOSTS: &[(&str, &str)] = &[
    ("crates", "io"),
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("npmjs", "org"),
    ("npmjs", "com"),
    ("anaconda", "org"),
    ("golang", "org"),
    ("huggingface", "co"),
];
/// Names of folders that editors, search tools and clean-up commands leave out or delete.
const BUILD_FOLDERS: &[&str] = &["target", "build", "dist", "out", "node_modules", "venv"];
/// Endings of files whose bytes are not text, or show what a terminal receives.
const RAW: &[&str] = &["onnx", "trycmd"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let hosts: Vec<String> = HOSTS.iter().map(|(name, top)| format!("{name}.{top}")).collect();
    let folders: Vec<String> = FOLDERS.iter().map(|folder| format!("/{folder}/")).collect();
    let mut found = Vec::new();
    for path in &tree.paths {
        let mut folders = path.split('/').rev().skip(1);
        if let Some(name) = folders.find(|name| BUILD_FOLDERS.contains(name)) {
            found.push(Finding::new(path, 1, format!("tools take a folder named {name} for build output; rename it")));
        }
    }
    for file in tree.files.iter().filter(|file| ending(&file.path) != "lock") {
        for (line, text) in file.text.lines().enumerate() {
            let mut say = |what: String| found.push(Finding::new(&file.path, line + 1, what));
            let control = text.chars().find(|c| c.is_ascii_control() && *c != '\t');
            if let (Some(control), false) = (control, RAW.contains(&ending(&file.path))) {
                say(format!("a raw control byte makes the file binary to tools; write {}", control.escape_default()));
            }
            if let Some(folder) = folders.iter().find(|folder| stands_alone(text, folder)) {
                say(format!("a path below {folder} is of one machine; use one of the repository"));
            }
            if let Some(host) = hosts.iter().find(|host| stands_alone(text, host)) {
                say(format!("{host} is the host of a registry; name the package, and let the client find it"));
            }
        }
    }
    found
}

/// Says whether `part` is in `text` where no longer name or path could end just before it.
fn stands_alone(text: &str, part: &str) -> bool {
    let joined = |c: char| c.is_alphanumeric() || "_-".contains(c) || c == '.' && part.starts_with('/');
    text.match_indices(part).any(|(at, _)| !text[..at].ends_with(joined))
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, check};

    #[test]
    fn places() {
        let slash = |text: &str| text.replace('|', "/");
        let cases = [
            ("a.md", slash("see |tmp|x"), true),
            ("a.rs", slash("const X: &str = \"|home|me\";"), true),
            ("a.sh", slash("cd |work|x"), true),
            ("a.md", slash("bench|work|x and ..|tmp|x and ~|tmp"), false),
            ("a.md", slash("a |tmp folder"), false),
            ("a.toml", "index = \"https://static.NAME\"".replace("NAME", &["crates", "io"].join(".")), true),
            ("a.md", "my-NAME".replace("NAME", &["crates", "io"].join(".")), false),
            ("src/out/a.rs", String::new(), true),
            ("src/output/target.rs", String::new(), false),
            ("a.rs", "\"\u{0}\"".to_owned(), true),
            ("a.py", "\u{1b}[1m".to_owned(), true),
            ("a.md", "a\tb".to_owned(), false),
            ("a.onnx", "\u{8}".to_owned(), false),
            ("Cargo.lock", "registry+NAME".replace("NAME", &["crates", "io"].join(".")), false),
        ];
        for (path, text, wrong) in &cases {
            let place = format!("{path}:1");
            assert_found(check, &[(path, text)], if *wrong { &place } else { "" });
        }
    }
}
