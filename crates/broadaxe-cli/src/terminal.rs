//! Knows the terminal: its width, whether it draws beyond ASCII, and how text wraps in it.

use std::{env, io::IsTerminal};

use unicode_width::UnicodeWidthStr;

/// The width of prose that is written to a file or a pipe.
const PROSE: usize = 80;
/// The narrowest terminal that text is laid out for.
const NARROWEST: usize = 20;

/// Returns the columns of standard output: what `COLUMNS` says, or those of the terminal; nothing for a file or a pipe.
pub fn columns() -> Option<usize> {
    let said = env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|&columns| columns > 0);
    let seen = || {
        let is_terminal = std::io::stdout().is_terminal();
        let size = if is_terminal { terminal_size::terminal_size_of(std::io::stdout()) } else { None };
        size.map(|(width, _)| usize::from(width.0))
    };
    said.or_else(seen).map(|columns: usize| columns.max(NARROWEST))
}

/// Returns the width of prose: that of the terminal, or 80.
pub fn prose() -> usize {
    columns().unwrap_or(PROSE)
}

/// Counts the columns that a text fills.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Breaks a text between words into lines of at most `width` columns. The first line begins with `head`, the others with
/// `indent` blanks. Words are not broken: a name stays whole, so that it can be copied.
pub fn wrap(head: &str, text: &str, indent: usize, width: usize) -> String {
    let (mut lines, mut column) = (head.to_owned(), self::width(head));
    let mut is_first = true;
    for word in words(text) {
        let length = self::width(word);
        if !is_first && column + 1 + length > width {
            lines += &format!("\n{:indent$}", "");
            column = indent;
        } else if !is_first {
            lines.push(' ');
            column += 1;
        }
        lines += word;
        column += length;
        is_first = false;
    }
    lines.truncate(lines.trim_end().len());
    lines + "\n"
}

/// Splits a text at blanks, but not inside a shape: `(1, 16, 16)` stays whole.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, bytes) = (0, text.as_bytes());
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    for (at, _) in text.match_indices(' ') {
        let is_inside = at > 1 && bytes[at - 1] == b',' && is_digit(at.checked_sub(2)) && is_digit(Some(at + 1));
        if !is_inside {
            words.push(&text[start..at]);
            start = at + 1;
        }
    }
    words.push(&text[start..]);
    words.retain(|word| !word.is_empty());
    words
}

/// Says whether the locale has UTF-8, by the variables that decide it.
pub fn is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| env::var(name).ok().filter(|v| !v.is_empty()));
    is_utf8_locale(locale.as_deref(), cfg!(unix))
}

/// Judges a locale; nothing where none is set, which is the locale C on Unix.
fn is_utf8_locale(locale: Option<&str>, unix: bool) -> bool {
    let Some(locale) = locale else { return !unix || cfg!(target_os = "macos") };
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8") || !unix
}

/// Replaces the characters that Broadaxe draws with by ASCII.
pub fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '─' => out.push('-'),
            '│' => out.push('|'),
            '·' => out.push('.'),
            '×' => out.push('x'),
            '…' => out += "...",
            '→' => out += "->",
            '≤' => out += "<=",
            '≠' => out += "!=",
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap() {
        let cases = [
            ("", "", 2, 10, "\n"),
            ("a: ", "one two three", 3, 10, "a: one two\n   three\n"),
            ("", "a-very-long-name-of-a-node b", 2, 10, "a-very-long-name-of-a-node\n  b\n"),
            ("x", "", 2, 10, "x\n"),
            ("", "two  blanks", 0, 80, "two blanks\n"),
            ("", "to (1, 16) and, 2", 0, 7, "to\n(1, 16)\nand, 2\n"),
            ("", "模型 模型 模型", 1, 9, "模型 模型\n 模型\n"),
        ];
        for (head, text, indent, width, want) in cases {
            assert_eq!(wrap(head, text, indent, width), want, "{text:?}");
        }
    }

    #[test]
    fn locales() {
        let cases = [
            (None, false, true),
            (Some("C"), true, false),
            (Some("POSIX"), true, false),
            (Some("en_US.UTF-8"), true, true),
            (Some("de_DE.utf8"), true, true),
            (Some("en_US.ISO-8859-1"), true, false),
            (Some("C"), false, true),
        ];
        for (locale, unix, want) in cases {
            assert_eq!(is_utf8_locale(locale, unix), want, "{locale:?}");
        }
    }

    #[test]
    fn drawings_in_ascii() {
        assert_eq!(ascii("a ── b · 2×3 é"), "a -- b . 2x3 é");
    }
}
