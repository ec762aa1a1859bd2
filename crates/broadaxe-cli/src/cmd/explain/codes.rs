//! Prints the page of a kind of finding.

use anstyle::Style;
use broadaxe_models::code::{CODES, Code};
use serde_json::json;

use crate::{
    answer::Answer,
    error::{Error, quoted},
    terminal::{self, wrap},
};

/// Says whether a word looks like a code: `BX` and digits.
pub(super) fn is_code(word: &str) -> bool {
    let digits = word.split_at_checked(2).filter(|(start, _)| start.eq_ignore_ascii_case("BX"));
    digits.is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Makes the error about a code that no finding has.
pub(super) fn unknown(word: &str) -> Error {
    let codes: Vec<&str> = CODES.iter().map(|code| code.id).collect();
    Error::usage(format!("no finding has the code '{}'; the codes are {}", quoted(word), codes.join(", ")))
}

/// Prints the page of a kind of finding, wrapped to the terminal.
pub(super) fn page(code: &Code) -> Answer {
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
    let json = json!({
        "code": code.id,
        "name": code.name,
        "severity": code.severity.word(),
        "fixable": code.fixable.word(),
        "meaning": code.meaning,
        "page": code.page,
    });
    Answer::new(text, json)
}
