//! Writes the report as Markdown, for a comment on a change or for an issue.

use broadaxe_models::report::CheckRecord;

use super::{
    Asked, full,
    group::{Group, Shown, groups},
    grouped::counts,
};
use crate::{answer::Checked, error::escaped};

/// How many names of a group are listed.
const LISTED_NAMES: usize = 20;

/// Writes a section per model, with a table of the targets and one entry per group of findings.
pub(super) fn document(found: &Checked, shown: Shown) -> String {
    let mut text = String::new();
    for record in &found.models {
        text += &section(record, shown);
    }
    for error in &found.errors {
        text += &format!("## {}\n\n**Error:** {}\n\n", plain(&error.file), plain(&error.sentence()));
    }
    text
}

fn section(record: &CheckRecord, shown: Shown) -> String {
    let found = groups(record, &Asked::default(), shown);
    let nodes = if record.nodes == 1 { "node" } else { "nodes" };
    let mut text = format!("## {}\n\n{} element-wise {nodes}\n\n", plain(&record.model), record.nodes);
    text += "| target | nodes |\n|---|---|\n";
    for target in &record.targets {
        text += &format!("| {} | {} |\n", plain(&target.name), counts(target, &found));
    }
    text += "\n";
    for group in &found {
        text += &entry(group);
    }
    text
}

/// Writes a group as an entry that opens: the reason, the operands, the values, the fix and the names.
fn entry(group: &Group<'_>) -> String {
    let sample = group.sample();
    let (id, name) = group.code.map_or(("same", ""), |code| (code.id, code.name));
    let nodes = if group.members.len() == 1 { "1 node".to_owned() } else { format!("{} nodes", group.members.len()) };
    let what = plain(&full::consequence(sample, &group.targets));
    let mut text = format!("<details><summary><b>{id} {name}</b>: {what}, {nodes}</summary>\n\n");
    if !group.why().is_empty() {
        text += &format!("{}\n\n", plain(group.why()));
    }
    text += &format!("Node {} ({}), {}\n\n", code(&sample.node), plain(&sample.op), plain(&sample.place));
    text += "| tensor | shape | |\n|---|---|---|\n";
    for row in full::rows(sample) {
        let said = row.label.unwrap_or(row.origin);
        text += &format!("| {} | {} | {} |\n", code(&row.name), plain(&row.shape), plain(&said));
    }
    text += "\n";
    for (_, note) in full::notes(sample) {
        text += &format!("- {}\n", plain(&note));
    }
    if let Some(repair) = &sample.repair {
        text += &format!("- Fix: {}\n", plain(&repair.text));
    }
    if group.members.len() > 1 {
        let others = group.members[1..].iter().take(LISTED_NAMES).map(|(_, finding)| code(&finding.node));
        let mut names: Vec<String> = others.collect();
        let left = group.members.len() - 1 - names.len();
        if left > 0 {
            names.push(format!("{left} more"));
        }
        text += &format!("- Also: {}\n", names.join(", "));
    }
    text + "\n</details>\n\n"
}

/// Escapes what has a meaning in Markdown or HTML.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in escaped(text).chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '@' | '!' | '~' => out.extend(['\\', c]),
            other => out.push(other),
        }
    }
    out
}

/// Writes a name as code.
fn code(name: &str) -> String {
    let name = escaped(name);
    if name.contains('`') || name.contains('|') { plain(&name) } else { format!("`{name}`") }
}

#[cfg(test)]
mod tests {
    use super::{code, plain};

    #[test]
    fn names_are_not_markup() {
        let cases = [
            ("a_b*c", "a\\_b\\*c", "`a_b*c`"),
            ("<img src=x>", "&lt;img src=x&gt;", "`<img src=x>`"),
            ("a`b", "a\\`b", "a\\`b"),
            ("a|b", "a\\|b", "a\\|b"),
            ("[x](y)\n## z", "\\[x\\](y)\\\\n\\#\\# z", "`[x](y)\\n## z`"),
        ];
        for (name, text, as_code) in cases {
            assert_eq!((plain(name).as_str(), code(name).as_str()), (text, as_code), "{name:?}");
        }
    }
}
