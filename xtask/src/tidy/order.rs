//! Module order: every list of modules is in dependency order, and none uses one listed below it.
//!
//! [`super::modules`] says what counts as a use.

use super::{Finding, Tree, modules::Modules};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for modules in Modules::of_crates(tree) {
        for (list, uses) in modules.lists() {
            let file = list.path.rsplit('/').next().unwrap_or_default();
            found.extend(uses.iter().filter(|used| used.to > used.from).map(|used| {
                let (me, other) = (&list.modules[used.from], &list.modules[used.to]);
                let what = format!("{me} uses {other}, which {file} lists below it; move one of them");
                Finding::new(used.path, used.line, what)
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::assert_found, check};

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
    fn every_list_is_in_order() {
        let root = ("crates/x/src/lib.rs", "mod a;\npub use a::q::Cue;");
        let list = ("crates/x/src/a.rs", "mod p;\nmod q;\nuse q::Queue;\nuse super::Other;");
        let cases = [
            ("p.rs", "use super::q;", true),
            ("p.rs", "use super::Queue;", true),
            ("p.rs", "use crate::Cue;", true),
            ("p.rs", "use crate::a::{Queue, p};", true),
            ("p.rs", "use super::{Own, super::Cue};", true),
            ("p.rs", "use super::Other;", false),
            ("p/deep.rs", "use super::super::q::x;", true),
            ("p/deep.rs", "use super::q;", false),
            ("q.rs", "use super::p;", false),
            ("q.rs", "use crate::Cue;", false),
        ];
        for (file, text, wrong) in cases {
            let path = format!("crates/x/src/a/{file}");
            let want = if wrong { format!("{path}:1") } else { String::new() };
            assert_found(check, &[root, list, (&path, text)], &want);
        }
    }

    #[test]
    fn main_is_a_root_where_there_is_no_library() {
        let files = [("x/src/main.rs", "mod a;\nmod b;"), ("x/src/a.rs", "\nuse crate::b;")];
        assert_found(check, &files, "x/src/a.rs:2");
    }
}
