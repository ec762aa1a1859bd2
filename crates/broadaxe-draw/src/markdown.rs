//! Renders drawings as Markdown tables, for issues and pull requests.

use crate::{
    drawing::{Cell, Drawing},
    words::{escaped, join},
};

/// Renders a drawing as a table of Markdown, with its sentences below it.
///
/// ```
/// use broadaxe_draw::{Drawing, Order, markdown};
/// use broadaxe_shape::Rule;
/// let rule = Rule::numpy();
/// let alignment = rule.align(&[&[2, 3], &[3]])?;
/// let text = markdown(&Drawing::new(&rule, &alignment, Order::ROW_MAJOR));
/// assert!(text.contains("| `b` (3,) | · → 2 | 3 |"), "{text}");
/// # Ok::<(), broadaxe_shape::Error>(())
/// ```
pub fn markdown(drawing: &Drawing) -> String {
    let mut text = format!("**{}**\n", plain(&drawing.title));
    if !drawing.rows.is_empty() {
        let clashes = |at: usize| drawing.clashes.contains(&at);
        let axis =
            |(at, axis): (usize, &usize)| if clashes(at) { format!("axis {axis} ✗") } else { format!("axis {axis}") };
        text += &line("\n", drawing.axes.iter().enumerate().map(axis));
        text += &format!("|---|{}\n", "--:|".repeat(drawing.axes.len()));
        for row in &drawing.rows {
            let head = format!("{} {}", code(&row.name), plain(&row.shape));
            let cell =
                |(at, cell): (usize, &Cell)| if clashes(at) { format!("**{}**", words(cell)) } else { words(cell) };
            text += &line(&head, row.cells.iter().enumerate().map(cell));
        }
        if let Some(result) = &drawing.result {
            text += &line("**result**", result.iter().map(|size| format!("**{}**", plain(size))));
        }
    }
    let repeats = drawing.rows.iter().filter(|row| !row.repeats.is_empty());
    let repeats = repeats.map(|row| format!("{} {} {}", code(&row.name), plain(&row.shape), plain(&row.repeats)));
    let trace = drawing.trace.iter();
    let trace = trace.map(|trace| format!("element ({}): {}", join(&trace.element, ", "), plain(&trace.sentence)));
    let said: Vec<String> = repeats.chain(trace).chain(drawing.notes.iter().map(|note| plain(note))).collect();
    if !said.is_empty() {
        text += &format!("\n- {}\n", said.join("\n- "));
    }
    text
}

fn line(head: &str, cells: impl Iterator<Item = String>) -> String {
    let (start, head) = if head == "\n" { ("\n", "") } else { ("", head) };
    let cells: Vec<String> = cells.collect();
    if cells.is_empty() {
        format!("{start}| {head} |\n")
    } else {
        format!("{start}| {head} | {} |\n", cells.join(" | "))
    }
}

fn words(cell: &Cell) -> String {
    match cell {
        Cell::Missing(None) => "·".to_owned(),
        Cell::Missing(Some(to)) => format!("· → {}", plain(to)),
        Cell::Size(size) => plain(size),
        Cell::Stretched { from, to, .. } => format!("{} → {}", plain(from), plain(to)),
    }
}

/// Escapes what has a meaning in Markdown or HTML. A comment ends what would name a person or an issue.
///
/// ```
/// assert_eq!(broadaxe_draw::markdown::plain("a_b"), "a\\_b");
/// ```
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in escaped(text).chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '@' => out += "@<!-- -->",
            '#' => out += "\\#<!-- -->",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '!' | '~' => out.extend(['\\', c]),
            other => out.push(other),
        }
    }
    out
}

/// Writes a name as code.
pub fn code(name: &str) -> String {
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
            ("@you #1", "@<!-- -->you \\#<!-- -->1", "`@you #1`"),
            ("[x](y)\n## z", "\\[x\\](y)\\\\n\\#<!-- -->\\#<!-- --> z", "`[x](y)\\n## z`"),
        ];
        for (name, text, as_code) in cases {
            assert_eq!((plain(name).as_str(), code(name).as_str()), (text, as_code), "{name:?}");
        }
    }
}
