//! Knows the terminal: its width, whether it draws beyond ASCII, and how text wraps in it.

use std::{env, io::IsTerminal};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width of prose that is written to a file or a pipe.
const PROSE: usize = 80;
/// The narrowest terminal that text is laid out for.
const NARROWEST: usize = 20;

/// Returns the columns of standard output: what `COLUMNS` says, or those of the terminal; nothing for a file or a pipe.
pub fn columns() -> Option<usize> {
    columns_of(std::io::stdout().is_terminal(), || terminal_size::terminal_size_of(std::io::stdout()))
}

/// Returns the columns of standard error in the same way.
pub fn error_columns() -> Option<usize> {
    columns_of(std::io::stderr().is_terminal(), || terminal_size::terminal_size_of(std::io::stderr()))
}

fn columns_of(
    is_terminal: bool,
    size: impl Fn() -> Option<(terminal_size::Width, terminal_size::Height)>,
) -> Option<usize> {
    let said = env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|&columns| columns > 0);
    let seen = || if is_terminal { size() } else { None };
    let columns = said.or_else(|| seen().map(|(width, _)| usize::from(width.0)));
    columns.map(|columns: usize| columns.max(NARROWEST))
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

/// Breaks the lines of a drawing that are longer than `columns` between words, and keeps all other lines and blanks. What is
/// broken off begins two columns behind the first word. There may be colours.
pub fn fitted(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let lead = visible(line).take_while(|(_, c)| " |=".contains(*c)).count();
        let indent = (lead + 2).min(columns / 2);
        let (mut rest, mut start) = (line, 0);
        while let Some(at) = break_of(rest, start, if start == 0 { lead } else { 0 }, columns) {
            out += rest[..at].trim_end_matches(' ');
            out += &format!("\n{:indent$}", "");
            rest = rest[at..].trim_start_matches(' ');
            start = indent;
        }
        out += rest;
    }
    out
}

/// Returns where a line that begins in the column `start` is broken: at the last blank that fits, or else at the first one behind `lead`
/// characters; nothing where it fits, or has no blank.
fn break_of(line: &str, start: usize, lead: usize, columns: usize) -> Option<usize> {
    let (mut column, mut found, mut before) = (start, None, ['\0'; 2]);
    for (count, (at, c)) in visible(line).enumerate() {
        if c == '\n' {
            break;
        }
        let next = line[at + c.len_utf8()..].chars().next();
        let is_inside = before[1] == ',' && before[0].is_ascii_digit() && next.is_some_and(|c| c.is_ascii_digit());
        if c == ' ' && count >= lead && !is_inside && (column <= columns || found.is_none()) {
            // Of several blanks, the line ends before the first.
            found = if before[1] == ' ' { found } else { Some(at) };
        }
        column += c.width().unwrap_or(0);
        if column > columns && found.is_some() {
            return found;
        }
        before = [before[1], c];
    }
    None
}

/// Lists the characters of a text with their places, without colours.
fn visible(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut is_colour = false;
    text.char_indices().filter(move |&(at, c)| {
        is_colour = is_colour || text[at..].starts_with("\u{1b}[");
        let is_hidden = is_colour;
        is_colour = is_colour && c != 'm';
        !is_hidden
    })
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
    fn drawings_are_fitted() {
        let cases = [
            ("short\n", 10, "short\n"),
            ("a  b  c d e f g\n", 10, "a  b  c d\n  e f g\n"),
            ("  = note: one two\n  | x   y\n", 12, "  = note:\n      one\n      two\n  | x   y\n"),
            ("  a-very-long-name b\n", 10, "  a-very-long-name\n    b\n"),
            ("a-very-long-name", 10, "a-very-long-name"),
            ("\u{1b}[1mone\u{1b}[0m two three\n", 8, "\u{1b}[1mone\u{1b}[0m two\n  three\n"),
            ("to (1, 16) a\n", 8, "to\n  (1, 16)\n  a\n"),
            ("", 10, ""),
        ];
        for (text, columns, want) in cases {
            assert_eq!(fitted(text, Some(columns)), want, "{text:?}");
            assert_eq!(fitted(text, None), text);
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
