//! Changes Markdown as GitHub reads it to Markdown as the generator of the site reads it: links, and lists.

/// Rewrites the target of every link and image that is not in code.
///
/// `target` receives a target, and whether it is an image's.
pub(super) fn links(
    text: &str,
    target: &mut dyn FnMut(&str, bool) -> Result<String, String>,
) -> Result<String, String> {
    let mut fence = Fence::default();
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.lines().enumerate() {
        if fence.reads(line) {
            out += line;
        } else {
            out += &links_of_line(line, target).map_err(|why| format!("{}: {why}", number + 1))?;
        }
        out.push('\n');
    }
    Ok(out)
}

fn links_of_line(line: &str, target: &mut dyn FnMut(&str, bool) -> Result<String, String>) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), line);
    // For each bracket that is open: whether it is an image's.
    let mut open = Vec::new();
    while let Some(at) = rest.find(['`', '[', ']']) {
        let (before, found) = rest.split_at(at);
        out += before;
        let end = match found.as_bytes()[0] {
            b'`' => code(found),
            b'[' => {
                open.push(out.ends_with('!'));
                1
            }
            _ => match (open.pop(), found.strip_prefix("](").and_then(|inner| inner.split_once(')'))) {
                (Some(image), Some((link, _))) => {
                    out += "](";
                    out += &target(link, image)?;
                    out.push(')');
                    rest = &found[link.len() + 3..];
                    continue;
                }
                _ => 1,
            },
        };
        out += &found[..end];
        rest = &found[end..];
    }
    Ok(out + rest)
}

/// Returns the length of the code that starts with the backticks of `text`, or that of the backticks if it does not end on this
/// line.
fn code(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let mut from = ticks;
    while let Some(at) = text[from..].find('`') {
        let start = from + at;
        let count = text[start..].len() - text[start..].trim_start_matches('`').len();
        from = start + count;
        if count == ticks {
            return from;
        }
    }
    ticks
}

/// Puts an empty line before each list, and indents nested lists by four.
pub(super) fn lists(text: &str) -> String {
    let mut fence = Fence::default();
    let mut out = String::with_capacity(text.len());
    // Whether the lines since the last empty one are a list, and whether the last line has text.
    let (mut in_list, mut after_text) = (false, false);
    // Settings of the page, between two lines `---`.
    let mut in_settings = text.starts_with("---\n");
    for (number, line) in text.lines().enumerate() {
        if in_settings {
            in_settings = number == 0 || line != "---";
        } else if fence.reads(line) {
            (in_list, after_text) = (false, false);
        } else {
            let inner = line.trim_start();
            let indent = line.len() - inner.len();
            if is_item(inner) && indent < 4 {
                if after_text && !in_list {
                    out.push('\n');
                }
                if in_list && indent >= 2 {
                    out += &"  "[..4 - indent];
                }
                in_list = true;
            }
            after_text = !inner.is_empty();
            in_list &= after_text;
        }
        out += line;
        out.push('\n');
    }
    out
}

/// Removes the marks of transcripts, which tests read and people do not: `? 1`, an exit code, and `[..]`, text that varies.
pub(super) fn transcripts(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        let words = line.trim_end();
        if words.starts_with("```") {
            inside = words == "```console";
        }
        let is_code = inside && words.strip_prefix("? ").is_some_and(|code| code.parse::<u8>().is_ok());
        if !is_code {
            out += &if inside { line.replace("[..]", "…") } else { line.to_owned() };
        }
    }
    out
}

fn is_item(line: &str) -> bool {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    line.starts_with("- ") || line.starts_with("* ") || digits > 0 && line[digits..].starts_with(". ")
}

/// Follows blocks of code.
#[derive(Default)]
struct Fence {
    marks: Option<String>,
}

impl Fence {
    /// Reads a line, and says whether it is code or starts or ends it.
    fn reads(&mut self, line: &str) -> bool {
        let line = line.trim_start();
        let first = line.chars().next().filter(|mark| "`~".contains(*mark));
        let marks: String = first.map_or_else(String::new, |first| line.chars().take_while(|c| *c == first).collect());
        match &self.marks {
            Some(open) if marks.starts_with(open) && line.trim_end().len() == marks.len() => self.marks = None,
            Some(_) => {}
            None if marks.len() >= 3 => self.marks = Some(marks),
            None => return false,
        }
        true
    }
}

/// Returns the first heading of a page, without the marks of code.
pub(super) fn title(text: &str) -> String {
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    heading.unwrap_or("Untitled").replace('`', "")
}

/// Returns the text between the heading `## NAME` and the next one of that level; for `# NAME`, the text before the first.
pub(super) fn section<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut fence = Fence::default();
    let (mut from, mut at) = (None, 0);
    for line in text.split_inclusive('\n') {
        let heading = if fence.reads(line) { None } else { line.trim_end().split_once(' ') };
        if let Some(("#" | "##", heading)) = heading {
            match from {
                Some(from) => return Some(&text[from..at]),
                None if heading == name => from = Some(at + line.len()),
                None => {}
            }
        }
        at += line.len();
    }
    from.map(|from| &text[from..])
}

#[cfg(test)]
mod tests {
    use super::{links, lists, section, title, transcripts};

    #[test]
    fn targets_of_links_change() {
        let cases = [
            ("see [a](b.md)", "see [a](<b.md>)"),
            ("[a](b.md) and [c](d.md#e)", "[a](<b.md>) and [c](<d.md#e>)"),
            ("![a](b.svg)", "![a](<!b.svg>)"),
            ("[![a](b.svg)](c.md)", "[![a](<!b.svg>)](<c.md>)"),
            ("`[a](b)` [`c`](d)", "`[a](b)` [`c`](<d>)"),
            ("``a ` [a](b)`` x", "``a ` [a](b)`` x"),
            ("a ` b [a](b)", "a ` b [a](<b>)"),
            ("a[0](b) is [1]", "a[0](<b>) is [1]"),
            ("```text\n[a](b)\n```\n[a](b)", "```text\n[a](b)\n```\n[a](<b>)"),
            ("````\n```\n[a](b)\n````", "````\n```\n[a](b)\n````"),
        ];
        for (text, want) in cases {
            let got =
                links(text, &mut |target, image| Ok(format!("<{}{target}>", if image { "!" } else { "" }))).unwrap();
            assert_eq!(got.trim_end(), want, "{text}");
        }
        let error = links("a\n[b](c)", &mut |target, _| Err(format!("no {target}"))).unwrap_err();
        assert_eq!(error, "2: no c");
    }

    #[test]
    fn titles_have_no_marks() {
        assert_eq!(title("<!-- x -->\n\n# `rank<=N`\n"), "rank<=N");
    }

    #[test]
    fn transcripts_have_no_marks() {
        let text = "? 1\n[..]\n```console\n$ a\n? 1\nb [..]\n? c\n```\n? 2\n```text\n? 3\n```\n";
        let want = "? 1\n[..]\n```console\n$ a\nb …\n? c\n```\n? 2\n```text\n? 3\n```\n";
        assert_eq!(transcripts(text), want);
    }

    #[test]
    fn lists_are_set_apart() {
        let cases = [
            ("a\n- b\n- c", "a\n\n- b\n- c"),
            ("- b\n  c\n- d", "- b\n  c\n- d"),
            ("a\n\n- b", "a\n\n- b"),
            ("- a\n  - b\n   - c\n- d", "- a\n    - b\n    - c\n- d"),
            ("a:\n1. b\n2. c", "a:\n\n1. b\n2. c"),
            ("```\na\n- b\n```", "```\na\n- b\n```"),
            ("a\n-b", "a\n-b"),
            ("---\na:\n  - b\n  - c\n---\nd\n- e", "---\na:\n  - b\n  - c\n---\nd\n\n- e"),
            ("a\n---\nb\n- c", "a\n---\nb\n\n- c"),
            ("```\na\n```\n- b", "```\na\n```\n- b"),
        ];
        for (text, want) in cases {
            assert_eq!(lists(text).trim_end(), want, "{text}");
        }
    }

    #[test]
    fn sections_end_at_the_next_heading() {
        let text = "# A\none\n## B\n```sh\n# no heading\n## B\n```\n### C\ntwo\n## D\nthree\n";
        let cases = [
            ("A", Some("one\n")),
            ("B", Some("```sh\n# no heading\n## B\n```\n### C\ntwo\n")),
            ("C", None),
            ("D", Some("three\n")),
            ("E", None),
        ];
        for (name, want) in cases {
            assert_eq!(section(text, name), want, "{name}");
        }
    }
}
