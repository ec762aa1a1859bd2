//! Writes the report as Markdown, for a comment on a change or for an issue.

use std::{collections::BTreeMap, fmt};

use broadaxe_draw::markdown::{code, plain};
use broadaxe_models::report::{
    CheckRecord, Group, Shown, groups,
    words::{consequence, counts, evidence_page, fixable_share, nodes, notes, others, undecided},
};

use super::full;
use crate::answer::Checked;

/// How many names of a group are listed.
const LISTED_NAMES: usize = 20;

/// Writes a section per model, with a table of the targets and one entry per group of findings.
pub(super) fn document(to: &mut dyn fmt::Write, found: &Checked, shown: Shown) -> fmt::Result {
    for record in &found.models {
        section(to, record, shown)?;
    }
    for error in &found.errors {
        write!(to, "## {}\n\n**Error:** {}\n\n", plain(&error.file), plain(&error.sentence()))?;
    }
    Ok(())
}

fn section(to: &mut dyn fmt::Write, record: &CheckRecord, shown: Shown) -> fmt::Result {
    let found = groups(record, &BTreeMap::new(), shown);
    let mut text = format!("## {}\n\n{}", plain(&record.model), nodes(record));
    text += &others(record).map_or_else(String::new, |said| format!("; {said}"));
    text += "\n\n";
    text += "| target | nodes |\n|---|---|\n";
    for target in &record.targets {
        text += &format!("| {} | {} |\n", plain(&target.name), counts(target, &found));
    }
    text += "\n";
    to.write_str(&text)?;
    for group in &found {
        to.write_str(&entry(group))?;
    }
    to.write_str(&next(record))
}

/// Says how many nodes are undecided, and how many findings `fix` removes.
fn next(record: &CheckRecord) -> String {
    let undecided = undecided(record).map_or_else(String::new, |said| format!("{}.\n\n", plain(&said)));
    let said = |[share, how]: [String; 2]| format!("`broadaxe fix` can fix {share}{how}.\n\n");
    undecided + &fixable_share(record).map_or_else(String::new, said)
}

/// Writes a group as an entry that opens: the reason, the operands, the values, the fix and the names.
fn entry(group: &Group<'_>) -> String {
    let sample = group.sample();
    let (id, name) = (group.id(), group.name());
    let nodes = if group.members.len() == 1 { "1 node".to_owned() } else { format!("{} nodes", group.members.len()) };
    let what = plain(&consequence(sample, &group.targets));
    let mut text = format!("<details><summary><b>{id} {name}</b>: {what}, {nodes}</summary>\n\n");
    if !group.why().is_empty() {
        text += &item("why", &plain(group.why()));
    }
    let label = if group.members.len() == 1 { "node" } else { "first" };
    text += &item(label, &format!("{} ({}) at {}", code(&sample.node), plain(&sample.op), plain(&sample.place)));
    text += "\n| tensor | shape | |\n|---|---|---|\n";
    for row in full::rows(sample) {
        let said: Vec<String> = [row.origin].into_iter().chain(row.label).filter(|part| !part.is_empty()).collect();
        text += &format!("| {} | {} | {} |\n", code(&row.name), plain(&row.shape), plain(&said.join("; ")));
    }
    text += "\n";
    for (label, note) in notes(sample) {
        let page = evidence_page(sample).filter(|_| label == "known");
        let label = page.map_or_else(|| label.to_owned(), |page| format!("[{label}]({page})"));
        text += &item(&label, &plain(&note));
    }
    if let Some(repair) = &sample.repair {
        text += &item("fix", &plain(&repair.text));
    }
    if group.members.len() > 1 {
        let others = group.others().take(LISTED_NAMES).map(code);
        let mut names: Vec<String> = others.collect();
        let left = group.members.len() - 1 - names.len();
        if left > 0 {
            names.push(format!("{left} more"));
        }
        text += &item("also", &names.join(", "));
    }
    text + "\n</details>\n\n"
}

/// Writes an item of a list with its label.
fn item(label: &str, text: &str) -> String {
    format!("- **{label}:** {text}\n")
}

#[cfg(test)]
mod tests {
    use super::{super::sample, document};

    #[test]
    fn markup_is_closed() {
        let mut text = String::new();
        document(&mut text, &sample::checked(), sample::SHOWN).expect("a text");
        let count = |word: &str| text.matches(word).count();
        for word in ["<details>", "</details>", "<summary>", "</summary>", "| tensor | shape | |\n|---|---|---|\n"] {
            assert_eq!(count(word), 3, "{word}: {text}");
        }
        assert_eq!((count("<b>"), count("</b>"), count("\n## ")), (3, 3, 1), "{text}");
        // In the rows of a table, every `|` of a name is escaped.
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        for row in rows {
            let bars = row.matches('|').count() - row.matches("\\|").count();
            assert!(bars == 3 || bars == 4, "{row}");
        }
        assert!(!text.contains("\n::error") && !text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}
