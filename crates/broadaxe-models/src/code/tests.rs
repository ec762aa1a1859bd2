use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use super::*;

const SECTIONS: [&str; 5] = ["What it means", "Why it matters", "Example", "How to fix it", "Evidence"];

#[test]
fn codes_are_unique_and_in_order() {
    let ids: Vec<&str> = CODES.iter().map(|code| code.id).collect();
    assert!(ids.is_sorted() && ids.iter().collect::<BTreeSet<_>>().len() == ids.len(), "{ids:?}");
    let names: BTreeSet<&str> = CODES.iter().map(|code| code.name).collect();
    assert_eq!(names.len(), CODES.len());
    for code in CODES {
        assert!(code.id.len() == 5 && code.id.starts_with("BX"), "{}", code.id);
        assert!(!code.meaning.ends_with('.'), "{}", code.id);
        assert_eq!((find(code.id), find(code.name)), (Some(code), Some(code)));
        assert_eq!(find(&code.id.to_lowercase()), Some(code));
    }
}

#[test]
fn pages_have_the_same_sections() {
    for code in CODES {
        let sections: Vec<&str> = code.page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(sections, SECTIONS, "{}", code.id);
    }
}

/// The page of all codes in the documentation is made of the same texts. `BROADAXE_WRITE=1` writes it.
#[test]
fn the_documentation_is_current() {
    let mut text = String::from(
        "<!-- Generated from the texts of `broadaxe explain CODE`; do not edit. -->\n# Finding codes\n\n\
         Look up what a finding means and how to fix it. Every finding of `broadaxe check` has a code. Reports, `broadaxe.toml` and baselines name it. BX0xx findings are about the model \
         itself, BX1xx differ, BX2xx are refused, BX3xx are unsupported, BX4xx depend on size, BX5xx are unknown, and \
         BX6xx come from engines that were asked.\n\n| code | name | severity | fixable | meaning |\n|---|---|---|---|---|\n",
    );
    for code in CODES {
        let Code { id, name, severity, fixable, meaning, .. } = code;
        let anchor = format!("{}-{name}", id.to_lowercase());
        let _ = writeln!(text, "| [{id}](#{anchor}) | {name} | {} | {} | {meaning} |", severity.word(), fixable.word());
    }
    for code in CODES {
        let page = code.page.replace("\n## ", "\n### ");
        let page = page.strip_prefix("## ").map_or(page.clone(), |page| format!("### {page}"));
        let _ = write!(text, "\n## {} {}\n\n{page}", code.id, code.name);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/codes.md");
    if std::env::var_os("BROADAXE_WRITE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(
        fs::read_to_string(&path).is_ok_and(|old| old == text),
        "docs/reference/codes.md is not current; run this test with BROADAXE_WRITE=1"
    );
}
