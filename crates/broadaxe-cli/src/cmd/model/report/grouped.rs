//! Writes the report for people: a head with counts per target, one sample per group of findings, and what to do next.

use anstyle::{AnsiColor, Style};
use broadaxe_models::{
    Target,
    code::Severity,
    report::{
        CheckRecord, FindingRecord, Group, Shown, fold, groups,
        words::{
            ReportRow, assumption, basis, caveats, consequence, counts, evidence_page, fix, fixable, node, nodes,
            notes, others, undecided, undecided_groups, why,
        },
    },
};

use super::{Asked, full};
use crate::{
    error::{escaped, quoted},
    link,
    terminal::{self, wrap},
};

/// How many groups of a model are shown unless all are asked for.
const GROUPS: usize = 12;
/// How many lines of names a group has unless all are asked for.
const NAME_LINES: usize = 2;
/// How far what follows a label is indented.
const INDENT: usize = 9;

/// What the report of a model depends on.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct View<'a> {
    pub(in super::super) shown: Shown,
    /// How many findings a project accepts, in lines.
    pub(in super::super) accepted: &'a str,
    /// Whether the model is one of several: one without findings then gets one line.
    pub(in super::super) is_batch: bool,
    /// Whether there is only one line per model.
    pub(in super::super) quiet: bool,
}

/// Writes the report of one model.
pub(in super::super) fn model(record: &CheckRecord, asked: &Asked, view: View<'_>) -> String {
    let found = groups(record, &asked.alike, view.shown);
    if view.is_line(asked, &found) {
        return line(record, view);
    }
    let mut text = head(record, asked, view, &found) + view.accepted + &hidden(record, view);
    let most = if view.shown.all { found.len() } else { GROUPS };
    for group in found.iter().take(most) {
        text += "\n";
        text += &self::group(group, view.shown.all);
    }
    if found.len() > most {
        let left: usize = found[most..].iter().map(|group| group.members.len()).sum();
        text += &format!("\n... and {left} more findings of {} kinds; --all shows them\n", found.len() - most);
    }
    text + &end(record, asked)
}

/// Writes the report of one model without its findings.
pub(super) fn summary(record: &CheckRecord, asked: &Asked, view: View<'_>) -> String {
    let found = groups(record, &asked.alike, view.shown);
    if view.is_line(asked, &found) {
        line(record, view)
    } else {
        head(record, asked, view, &found) + view.accepted + &hidden(record, view) + &end(record, asked)
    }
}

impl View<'_> {
    /// Says whether a model gets one line.
    fn is_line(self, asked: &Asked, found: &[Group<'_>]) -> bool {
        self.quiet || (self.is_batch && found.is_empty() && asked.text.is_empty() && self.accepted.is_empty())
    }
}

/// Says how many findings the report leaves out.
fn hidden(record: &CheckRecord, view: View<'_>) -> String {
    let said = view.shown.hidden([record]).map(|said| format!("{said} (--all shows them)"));
    said.map_or_else(String::new, |said| wrap("  ", &said, 4, terminal::prose()))
}

/// Writes what follows the findings: what engines were asked, and what to do next.
fn end(record: &CheckRecord, asked: &Asked) -> String {
    let rest = next(record);
    asked.text.clone() + &if rest.is_empty() { rest } else { format!("\n{rest}") }
}

/// Writes a model as one line: the nodes, and the counts of each target.
fn line(record: &CheckRecord, view: View<'_>) -> String {
    let targets = record.targets.iter().map(|target| format!("{}: {}", target.name, counts(target, &[])));
    let accepted = view.accepted.lines().map(|line| line.trim().to_owned());
    let parts: Vec<String> = std::iter::once(nodes(record)).chain(targets).chain(accepted).collect();
    let width = if view.quiet { usize::MAX } else { terminal::columns().unwrap_or(usize::MAX) };
    wrap("", &format!("{}: {}", escaped(&record.model), parts.join("; ")), 2, width)
}

/// Writes the name of the model, what is undecided, and for each target its counts, and why nodes are undecided that the report leaves
/// out.
fn head(record: &CheckRecord, asked: &Asked, view: View<'_>, found: &[Group<'_>]) -> String {
    let bold = Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}: {}\n", escaped(&record.model), nodes(record));
    text += &undecided(record).map_or_else(String::new, |said| wrap("  ", &said, 4, terminal::prose()));
    let mut hidden = groups(record, &asked.alike, Shown { all: true });
    hidden.retain(|group| !view.shown.has(group.sample()));
    let names = record.targets.iter().map(|target| terminal::width(&target.name)).max().unwrap_or(0);
    for target in &record.targets {
        let head = format!("  {}{:2$}", target.name, "", names - terminal::width(&target.name) + 2);
        let basis = basis(target, record).map_or_else(String::new, |basis| format!(" ({basis})"));
        text += &wrap(&head, &(counts(target, found) + &basis), head.len(), terminal::prose());
        text += &assumption(target, record).map_or_else(String::new, |text| wrap("    ", &text, 4, terminal::prose()));
        for said in caveats(target).chain(undecided_groups(target, record, &hidden)) {
            text += &wrap("    ", &said, 6, terminal::prose());
        }
    }
    if let Some(said) = others(record) {
        text += &wrap("  ", &said, 4, terminal::prose());
    }
    text
}

/// Writes a group: what happens, why, the first node drawn, the names of the others, and the fix.
fn group(group: &Group<'_>, all: bool) -> String {
    let sample = group.sample();
    let mut text = title(group);
    let why = why(group);
    if !why.is_empty() {
        text += &labelled("why:", &escaped(&why));
    }
    text += &first(group);
    text += &operands(sample);
    for (label, note) in notes(sample) {
        let mut line = labelled(&format!("{label}:"), &escaped(&note));
        if let Some(page) = evidence_page(sample).filter(|_| label == "known") {
            line = line.replacen(label, &link::linked(label, &page), 1);
        }
        text += &line;
    }
    if group.members.len() > 1 {
        text += &also(group, all);
    }
    if let Some(repair) = &sample.repair {
        text += &labelled("fix:", &fix(repair));
    }
    text
}

/// Writes a line with a label in front; the lines that it wraps to begin below its text.
fn labelled(label: &str, text: &str) -> String {
    let bold = Style::new().bold();
    let head = format!("  {label:<0$}", INDENT - 2);
    wrap(&head, text, INDENT, terminal::prose()).replacen(label, &format!("{bold}{label}{bold:#}"), 1)
}

/// Writes what happens, and at the right how many nodes it happens to.
fn title(group: &Group<'_>) -> String {
    let severity = group.severity();
    let color = match severity {
        Severity::Error => AnsiColor::BrightRed,
        Severity::Warning => AnsiColor::BrightYellow,
        Severity::Note => AnsiColor::BrightCyan,
    };
    let (style, bold) = (Style::new().bold().fg_color(Some(color.into())), Style::new().bold());
    let label = format!("{}[{}]", severity.word(), group.id());
    let name = group.code.map_or(String::new(), |code| format!(" ({})", code.name));
    let what = format!("{}{name}", consequence(group.sample(), &group.targets));
    let count = if group.members.len() == 1 { String::new() } else { format!("{} nodes", group.members.len()) };
    let width = terminal::prose();
    let used = label.len() + 1 + terminal::width(&what) + 2 + count.len();
    let line = if used <= width {
        format!("{label} {what}{:1$}{count}", "", if count.is_empty() { 0 } else { width - used + 2 }) + "\n"
    } else {
        let count = if count.is_empty() { count } else { format!(": {count}") };
        wrap("", &format!("{label} {what}{count}"), 2, width)
    };
    let rest = line.strip_prefix(&label).unwrap_or(&line).trim_end();
    let id = link::linked(group.id(), &group.code.map(link::page).unwrap_or_default());
    format!("{style}{}[{id}]{style:#}{bold}{rest}{bold:#}\n", severity.word())
}

/// Names the node that is drawn.
fn first(group: &Group<'_>) -> String {
    let label = if group.members.len() == 1 { "node:" } else { "first:" };
    labelled(label, &node(group.sample()))
}

/// Lists the operands and the result: names to the left, shapes right-aligned; shapes get lines of their own where the terminal is
/// too narrow.
fn operands(finding: &FindingRecord) -> String {
    let rows = full::rows(finding);
    let columns = |of: fn(&ReportRow) -> &str| rows.iter().map(|row| terminal::width(of(row))).max().unwrap_or(0);
    let (names, shapes) = (columns(|row| &row.name), columns(|row| &row.shape));
    let width = terminal::columns().unwrap_or(usize::MAX);
    let is_narrow = 4 + names + 2 + shapes > width;
    let mut text = String::new();
    for row in &rows {
        let pad = |n: usize, text: &str| " ".repeat(n - terminal::width(text));
        let (head, at) = if is_narrow {
            text += &format!("    {}\n", row.name);
            ("      ".to_owned(), 6)
        } else {
            (format!("    {}{}  {}", row.name, pad(names, &row.name), pad(shapes, &row.shape)), 4 + names + 2 + shapes)
        };
        let line = format!("{head}{}", row.shape);
        let fits = terminal::width(&line) + 2 + terminal::width(&row.origin) <= width;
        text += line.trim_end();
        text += &match row.origin.as_str() {
            "" => "\n".to_owned(),
            origin if fits => format!("  {origin}\n"),
            // Where a known shape is from can be left out; `--format full` says it.
            _ if row.is_known => "\n".to_owned(),
            origin => format!("\n{}", wrap("        ", origin, 8, width)),
        };
        if let Some(label) = &row.label {
            let at = if is_narrow { at } else { at - terminal::width(&row.shape) };
            let marks = "^".repeat(terminal::width(&row.shape).max(1));
            let head = format!("{:at$}{marks} ", "");
            let fits = terminal::width(&head) + terminal::width(label) <= width;
            text += &if fits {
                format!("{head}{label}\n")
            } else {
                format!("{}\n{}", head.trim_end(), wrap("        ", label, 8, width))
            };
        }
    }
    text
}

/// Names the other nodes of a group, folded where they differ in numbers.
fn also(group: &Group<'_>, all: bool) -> String {
    if all {
        return labelled("also:", &group.others().map(escaped).collect::<Vec<_>>().join(", "));
    }
    let room = NAME_LINES * (terminal::prose().saturating_sub(INDENT + 2)) - "... 0000 more (--all)".len();
    let (mut said, mut used, mut left) = (Vec::new(), 0, group.members.len() - 1);
    for (name, count) in fold(group.others()) {
        let name = quoted(&name);
        used += terminal::width(&name) + 2;
        if !said.is_empty() && used > room {
            break;
        }
        said.push(name);
        left -= count;
    }
    if left > 0 {
        said.push(format!("... {left} more (--all)"));
    }
    labelled("also:", &said.join(", "))
}

/// Says what to do next: how many findings one fix removes, and the command.
fn next(record: &CheckRecord) -> String {
    let Some(said) = fixable(record) else { return String::new() };
    if record.fixable() == 0 {
        let codes =
            record.findings.iter().filter(|finding| finding.fails).filter_map(|finding| finding.code.as_deref());
        let what =
            codes.min().map_or_else(String::new, |code| format!("; 'broadaxe explain {code}' says what else helps"));
        return wrap("", &format!("{said} by 'broadaxe fix'{what}"), 2, terminal::prose());
    }
    let text = format!("{said}:\n");
    terminal::fitted(&text, terminal::columns()) + &command(record)
}

/// Writes the command that fixes a model, on a line of its own, so that it can be copied.
fn command(record: &CheckRecord) -> String {
    let is_target = |name: &&str| name.parse::<Target>().is_ok();
    let names: Vec<&str> = record.targets.iter().map(|target| target.name.as_str()).filter(is_target).collect();
    let (model, out) = (operand(&record.model), operand(&fixed(&record.model)));
    let needed = record.needed_inputs.iter().map(|name| format!(" --input-shape {}", shell(&format!("{name}:SHAPE"))));
    let (for_, needed) = (shell(&names.join(",")), needed.collect::<String>());
    format!("  broadaxe fix {} --for {for_}{needed} -o {}\n", shell(&model), shell(&out))
}

/// Names the file for the fixed model: that of the model with `-fixed` behind its stem, without the suffix of a compressed file.
fn fixed(model: &str) -> String {
    let plain = model.strip_suffix(".gz").unwrap_or(model);
    let start = plain.rfind(['/', '\\']).map_or(0, |at| at + 1);
    let dot = plain[start..].rfind('.').filter(|&at| at > 0).map_or(plain.len(), |at| start + at);
    format!("{}-fixed{}", &plain[..dot], &plain[dot..])
}

/// Writes the name of a file so that it is not read as an option.
fn operand(name: &str) -> String {
    if name.starts_with('-') && name.len() > 1 { format!("./{name}") } else { name.to_owned() }
}

/// Quotes a word for a shell, where it needs that.
fn shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./,:@+=%".contains(c);
    let word = escaped(word);
    if !word.is_empty() && word.chars().all(is_plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
