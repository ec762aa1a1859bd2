//! Writes the page of a kind of finding.

use anstyle::Style;
use broadaxe_models::code::Code;

use crate::terminal::{self, wrap};

/// Writes the page of a kind of finding, wrapped to the terminal.
pub(super) fn page(code: &Code) -> String {
    let bold = Style::new().bold();
    let mut text = format!("{bold}{} {}{bold:#}\n", code.id, code.name);
    text += &wrap("", &format!("{}.", code.meaning), 0, terminal::prose());
    text += &format!("\nSeverity: {}; fixable: {}\n", code.severity.word(), code.fixable.word());
    for paragraph in code.page.split("\n\n") {
        text += "\n";
        text += &match paragraph.strip_prefix("## ") {
            Some(title) => format!("{bold}{}{bold:#}", title.trim()),
            None => wrap("  ", &paragraph.replace('\n', " "), 2, terminal::prose()).trim_end().to_owned(),
        };
        text += "\n";
    }
    text
}
