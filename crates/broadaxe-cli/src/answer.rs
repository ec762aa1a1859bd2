//! Holds the answer of a subcommand, and formats its tables and lists.

use std::fmt::{self, Display};

pub use broadaxe_draw::words::{columns, join, letter, spaced, steps, strides, tuple};
use broadaxe_models::report::{Shown, grouped};
pub use broadaxe_session::{
    json::{Converting, Each, Pieces, write_json, write_texts},
    record::{Checked, FileRecord},
};
use comfy_table::{ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width};
use serde::Serialize;
use serde_json::Value;

use crate::{
    error::{Error, ErrorKind, escaped},
    exact::Elements,
    terminal::{self, wrap},
};

/// The answer of a subcommand.
#[derive(Debug)]
pub struct Answer {
    /// For people; ends with a line feed. It may hold colours, which are taken out where there is no terminal.
    pub text: String,
    /// Writes what people read in the place of the text, where that may be long.
    pub report: Option<Box<dyn Report>>,
    /// For programs, printed with `--json`.
    pub json: Json,
    /// What a notebook shows in the place of the text: titles, and the rows of tables.
    pub words: Value,
    /// Whether the answer is a refusal, which ends with exit code 1.
    pub refused: bool,
    /// Files that could not be used, where others could.
    pub errors: Vec<Error>,
    /// What else people are told, on standard error; one line each.
    pub notes: Vec<String>,
}

/// Writes a report of what checks found, piece by piece.
pub trait Report: fmt::Debug + Send + Sync {
    /// Writes the report.
    ///
    /// # Errors
    /// When `to` cannot be written.
    fn write(&self, found: &Checked, to: &mut dyn fmt::Write) -> fmt::Result;

    /// Says whether programs read the report, which need every name unchanged, and not as a terminal shows it.
    fn is_for_programs(&self) -> bool;
}

/// The JSON of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// A value.
    Value(Value),
    /// An object, and the elements of an array, which become its member `data`. They may be many, so they are written only when
    /// they are asked for.
    Array(Value, Elements),
    /// What checks found. It may be large, so it is written only when it is asked for.
    Checked(Checked),
    /// What is written already: as values, its parts would be several times as large.
    Written(String),
}

impl Answer {
    /// Makes an answer that is fine.
    pub fn new(text: String, json: Value) -> Self {
        Self::judged(text, json, false)
    }

    /// Makes an answer that is a refusal or not.
    pub fn judged(text: String, json: Value, refused: bool) -> Self {
        Self {
            text,
            report: None,
            json: json.into(),
            words: Value::Null,
            refused,
            errors: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Returns the exit code: that of an error comes before that of a refusal.
    pub fn code(&self) -> u8 {
        if self.errors.is_empty() { u8::from(self.refused) } else { ErrorKind::File.code() }
    }

    /// Returns the answer if all files could be used, or else the first error.
    ///
    /// # Errors
    /// The error about the first file that could not be used.
    pub fn whole(mut self) -> Result<Self, Error> {
        if self.errors.is_empty() { Ok(self) } else { Err(self.errors.swap_remove(0)) }
    }

    /// Writes what people read, piece by piece.
    ///
    /// # Errors
    /// When `to` cannot be written.
    pub(crate) fn write(&self, to: &mut dyn fmt::Write) -> fmt::Result {
        match (&self.report, &self.json) {
            (Some(report), Json::Checked(found)) => report.write(found, to),
            _ => to.write_str(&self.text),
        }
    }

    /// Says whether programs read what [`Self::write`] writes.
    pub(crate) fn is_for_programs(&self) -> bool {
        self.report.as_ref().is_some_and(|report| report.is_for_programs())
    }

    /// Returns the text without colours.
    pub fn plain(&self) -> String {
        anstream::adapter::strip_str(&self.text).to_string()
    }
}

impl Json {
    /// Writes a value that is not kept.
    pub(crate) fn written(value: &impl Serialize) -> Self {
        let mut text = String::new();
        let _ = write_json(&mut text, value);
        Self::Written(text)
    }

    /// Writes the groups of the findings of the first model that was checked, in the words of the report; nothing where there is none.
    pub fn grouped(&self) -> Option<String> {
        let Self::Checked(Checked { models, .. }) = self else { return None };
        serde_json::to_string(&grouped(models.first()?, Shown::default())).ok()
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(f, "{value}"),
            Self::Array(value, elements) => {
                let object = value.to_string();
                let head = object.strip_suffix('}').unwrap_or_default();
                write!(f, "{head},\"data\":{elements}}}")
            }
            Self::Checked(found) => write_json(f, found),
            Self::Written(text) => f.write_str(text),
        }
    }
}

/// One line below the head, and none else.
const PLAIN: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
/// The same with a line between rows, for those that wrap.
const RULED: TableStyle = PLAIN.row_separator(LineStyle::none().fill('·').junction('·'));

/// Draws a table as wide as the terminal, or as `COLUMNS` says, or of 80 columns; long cells wrap.
///
/// Cells may hold what a file says: control characters are written as escapes. If the terminal is too narrow for the columns, each row becomes a list. A table whose rows wrap has lines between them. With `sentences` in the last column, that gets two fifths of the
/// width.
pub fn table(head: &[&str], sentences: bool, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let cell = |cell: String| cell.lines().map(escaped).collect::<Vec<_>>().join("\n");
    let rows: Vec<Vec<String>> = rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
    let mut table = Table::new();
    table.load_style(PLAIN).set_header(head.iter().copied()).add_rows(rows.clone());
    table.set_width(u16::try_from(terminal::prose()).unwrap_or(u16::MAX));
    // Left to itself the arrangement wraps wide columns even where there is room for all.
    let natural = table.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    if let Some(width) = table.width().map(usize::from).filter(|&width| natural > width) {
        if narrowest(head, &rows, if sentences { width * 2 / 5 } else { 0 }) > width {
            return lists(head, &rows, width);
        }
        table.set_content_arrangement(ContentArrangement::Dynamic);
        constrain(&mut table, head, sentences, &rows);
        if table.lines().any(|line| terminal::width(line.trim_end()) > width) {
            return lists(head, &rows, width);
        }
    }
    if table.lines().count() > table.row_count() + 2 {
        table.load_style(RULED);
    }
    table.lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

/// Counts the characters of the longest word.
fn longest(text: &str) -> usize {
    text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0)
}

/// Counts the columns of the terminal that a table needs so that no word breaks, and its last column gets `last`.
fn narrowest(head: &[&str], rows: &[Vec<String>], last: usize) -> usize {
    let cells = |i: usize| rows.iter().filter_map(move |row| row.get(i).map(|cell| longest(cell)));
    let column = |(i, title): (usize, &&str)| {
        let word = cells(i).max().unwrap_or(0).max(longest(title)) + 2;
        if i + 1 == head.len() { word.max(last) } else { word + 1 }
    };
    head.iter().enumerate().map(column).sum()
}

/// Writes rows as lists: the first cell, and below it the others with their titles, in lines of at most `width`.
fn lists(head: &[&str], rows: &[Vec<String>], width: usize) -> String {
    let mut text = String::new();
    for row in rows {
        for (i, (title, cell)) in head.iter().zip(row).enumerate().filter(|(_, (_, cell))| !cell.is_empty()) {
            let cell = cell.replace('\n', ", ");
            // A name needs no title, and a number means nothing without one.
            let is_name = i == 0 && cell.parse::<f64>().is_err();
            let cell = if is_name { cell } else { format!("{title}: {cell}") };
            let indent = if i == 0 { 0 } else { 2 };
            text += &wrap(&" ".repeat(indent), &cell, indent + 2, width);
        }
    }
    text
}

/// Keeps names in the first column and the words of the head whole, with a blank on either side.
fn constrain(table: &mut Table, head: &[&str], sentences: bool, rows: &[Vec<String>]) {
    for (i, title) in head.iter().enumerate() {
        let names = rows.iter().filter(|_| i == 0).filter_map(|row| row.first());
        let word = names.map(|name| longest(name)).max().unwrap_or(0).max(longest(title));
        let last = sentences && i + 1 == head.len();
        let least = if last { Width::Percentage(40) } else { Width::Fixed(word as u16 + 2) };
        if let Some(column) = table.column_mut(i) {
            column.set_constraint(ColumnConstraint::LowerBoundary(least));
        }
    }
}

/// Sets rows in columns to the left, two blanks apart; a line for each row. They are made twice, and not held. Where lines are wider than
/// `columns`, the longest cells of the columns `soft` are cut in the middle, but not below [`LEAST_CELL`] characters.
pub(crate) fn aligned_to<R: Iterator<Item = Vec<String>>>(
    rows: impl Fn() -> R,
    columns: Option<usize>,
    soft: &[usize],
) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows() {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(&row) {
            *width = terminal::width(cell).max(*width);
        }
    }
    if let Some(columns) = columns {
        narrow(&mut widths, columns, soft);
    }
    let line = |row: Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &n)| {
            let cell = shortened(cell, n);
            let pad = n - terminal::width(&cell);
            format!("{cell}{:pad$}", "")
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows().map(line).collect()
}

/// The narrowest column of cells that are cut.
const LEAST_CELL: usize = 8;

/// Narrows the widest of the columns `soft` until a line has room.
fn narrow(widths: &mut [usize], columns: usize, soft: &[usize]) {
    loop {
        let used = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
        let widest = soft.iter().copied().filter(|&at| at < widths.len()).max_by_key(|&at| widths[at]);
        match widest {
            Some(at) if used > columns && widths[at] > LEAST_CELL => widths[at] -= 1,
            _ => return,
        }
    }
}

/// Cuts a text in the middle, so that it has at most this many columns: the ends tell names of a model apart.
fn shortened(text: &str, width: usize) -> String {
    if terminal::width(text) <= width {
        return text.to_owned();
    }
    // One column, in any locale.
    let mark = if terminal::is_utf8() { '…' } else { '~' };
    let room = width.saturating_sub(1);
    let fill = |characters: &mut dyn Iterator<Item = char>, room: usize| {
        let mut used = 0;
        let mut fitting = Vec::new();
        for c in characters {
            used += terminal::width(c.encode_utf8(&mut [0; 4]));
            if used > room {
                break;
            }
            fitting.push(c);
        }
        fitting
    };
    let start = fill(&mut text.chars(), room / 2);
    let mut end = fill(&mut text.chars().rev(), room - room / 2);
    end.reverse();
    start.into_iter().chain([mark]).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Answer, aligned_to, shortened};

    #[test]
    fn plain_texts_have_no_colours() {
        assert_eq!(Answer::new("\u{1b}[1mtext\u{1b}[0m\n".into(), json!({})).plain(), "text\n");
    }

    #[test]
    fn long_cells_are_cut_in_the_middle() {
        let cases = [
            ("short", 5, 5),
            ("a/very/long/name", 9, 9),
            ("\u{6a21}\u{578b}\u{6a21}\u{578b}\u{6a21}", 6, 6),
            ("abc", 0, 1),
        ];
        for (text, width, most) in cases {
            let cut = shortened(text, width);
            assert!(crate::terminal::width(&cut) <= most, "{cut}");
            assert_eq!(cut == text, crate::terminal::width(text) <= width, "{cut}");
        }
        let rows = || {
            [["1", "blocks/0/attention/Add", "same"], ["2", "b", "differs"]]
                .map(|row| row.map(str::to_owned).to_vec())
                .into_iter()
        };
        let text = aligned_to(rows, Some(24), &[1]);
        let widths: Vec<usize> = text.lines().map(crate::terminal::width).collect();
        assert!(widths.iter().all(|&width| width <= 24) && text.starts_with("1  bloc"), "{text}");
        assert_eq!(
            aligned_to(rows, None, &[1]),
            "1  blocks/0/attention/Add  same\n2  b                       differs\n"
        );
    }
}
