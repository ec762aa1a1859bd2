//! Writes findings as workflow commands of GitHub, which its runner shows as annotations of a change.

use std::fmt;

use broadaxe_models::report::{Shown, words::undecided};

use super::severity::{self, error_line, line, sentence};
use crate::{answer::Checked, error::escaped};

/// Writes one line per finding, one per model without any that fails and with nodes that are undecided or unsupported, one per file that
/// could not be judged, and one on the findings that the project turns off.
pub(super) fn commands(to: &mut dyn fmt::Write, found: &Checked, shown: Shown) -> fmt::Result {
    for record in &found.models {
        let file = property(&slashed(&record.model, cfg!(windows)));
        for finding in record.findings.iter().filter(|finding| shown.has(finding)) {
            let Some(code) = severity::reported(finding) else { continue };
            let title = property(&format!("broadaxe {} {}", code.id, code.name));
            let (line, said) = (line(finding), message(&sentence(finding)));
            let command = severity::github(code.severity);
            writeln!(to, "::{command} file={file},line={line},title={title}::{said}")?;
        }
        let passes = !record.findings.iter().any(|finding| finding.fails);
        if let Some(said) = undecided(record).filter(|_| passes && shown.hidden([record]).is_some()) {
            writeln!(to, "::notice file={file},line=1,title=broadaxe::{}", message(&said))?;
        }
    }
    for error in &found.errors {
        let file = property(&slashed(&error.file, cfg!(windows)));
        let line = error_line(error);
        writeln!(to, "::error file={file},line={line},title=broadaxe::{}", message(&escaped(&error.sentence())))?;
    }
    if !found.accepted.is_empty() {
        writeln!(to, "::notice title=broadaxe::{}", message(&found.accepted.join("; ")))?;
    }
    Ok(())
}

/// Writes a path with the separators that repositories use.
pub(super) fn slashed(path: &str, windows: bool) -> String {
    if windows { path.replace('\\', "/") } else { path.to_owned() }
}

/// Escapes the text of a command.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a command; of control characters, the runner reads only the ends of lines.
fn property(text: &str) -> String {
    let text = message(text).replace(':', "%3A").replace(',', "%2C");
    let shown = |c: char| {
        if c.is_control() || broadaxe_draw::words::turns(c) { c.escape_default().to_string() } else { c.to_string() }
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use broadaxe_models::report::TargetRecord;

    use super::{super::sample, *};

    #[test]
    fn texts_cannot_be_commands() {
        let cases = [
            ("plain text", "plain text", "plain text"),
            ("100%, a:b", "100%25, a:b", "100%25%2C a%3Ab"),
            ("%0A", "%250A", "%250A"),
            ("a\n::error::b\r\n", "a%0A::error::b%0D%0A", "a%0A%3A%3Aerror%3A%3Ab%0D%0A"),
            ("é模", "é模", "é模"),
        ];
        for (text, as_message, as_property) in cases {
            assert_eq!(message(text), as_message, "{text:?}");
            assert_eq!(property(text), as_property, "{text:?}");
        }
        assert_eq!(property("a\u{1b}[0m\u{202e}"), "a\\u{1b}[0m\\u{202e}");
    }

    #[test]
    fn separators() {
        for (path, windows, want) in [("a\\b", true, "a/b"), ("a\\b", false, "a\\b"), ("a/b", true, "a/b")] {
            assert_eq!(slashed(path, windows), want);
        }
    }

    #[test]
    fn each_finding_is_one_command() {
        let text = sample::written(|to| commands(to, &sample::checked(), sample::SHOWN));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(
            lines.iter().all(|line| line.starts_with("::error file=") && line.matches("::").count() >= 2),
            "{text}"
        );
        assert!(
            lines[0].starts_with("::error file=a b.onnx,line=1,title=broadaxe BX101 wrong-axis::<&\"'|`]]>\\n"),
            "{text}"
        );
        assert!(lines[0].contains("%250A") && !text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }

    #[test]
    fn undecided_nodes_get_a_notice_where_nothing_fails() {
        let notice = "::notice file=a b.onnx,line=1,title=broadaxe::No known problem; 1 of 3 nodes unknown on coreml\n";
        for (fails, all, want) in [(false, false, notice), (true, false, ""), (false, true, "")] {
            let mut found = sample::checked();
            found.errors.clear();
            let record = &mut found.models[0];
            record.targets = vec![TargetRecord { name: "coreml".into(), unknown: 1, ..TargetRecord::default() }];
            record.findings.truncate(1);
            record.findings[0].verdict = "unknown".into();
            record.findings[0].fails = fails;
            let text = sample::written(|to| commands(to, &found, Shown { all }));
            let lines: Vec<&str> =
                text.split_inclusive('\n').filter(|line| line.contains("title=broadaxe::")).collect();
            assert_eq!(lines.concat(), want, "{text}");
        }
    }
}
