//! Origins: the first line of a generated file says what made it, and that of a case file says where its cases are from.

use super::{Finding, Tree, ending};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in &tree.files {
        let first = file.text.lines().next().unwrap_or_default().to_lowercase();
        let page = ["frameworks", "performance", "performance-details"]
            .iter()
            .any(|name| file.path == format!("docs/{name}.md"));
        let what = if ending(&file.path) == "case" && !first.contains(", from ") {
            "the first line does not say where the cases are from; write '# Recorded, from SOURCE' or '# Written by hand, from SOURCE'"
        } else if (page || ending(&file.path) == "pyi") && !first.contains("generated") {
            "the first line does not say 'generated'; say what made the file"
        } else {
            continue;
        };
        found.push(Finding::new(&file.path, 1, what));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, check};

    #[test]
    fn first_lines() {
        let files = [
            ("cases/numpy.case", "# Recorded, from the answers of engines.\n"),
            ("cases/ncnn/all.case", "# By hand.\n# generated\n"),
            ("cases/legacy.case", "# Written by hand, from the schema.\n"),
            ("cases/empty.case", ""),
            ("cases/README.md", "How cases are written.\n"),
            ("crates/a/b.pyi", "import a\n"),
        ];
        assert_found(check, &files, "cases/ncnn/all.case:1 cases/empty.case:1 crates/a/b.pyi:1");
    }
}
