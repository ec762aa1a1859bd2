//! What a subcommand answers, and the tables and lists that its text is made of.

use std::fmt::Display;

use comfy_table::{ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width};
use serde_json::Value;

/// The answer of a subcommand.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// For people; ends with a line feed. It may hold colours, which are taken out where there is no terminal.
    pub text: String,
    /// For programs, printed with `--json`.
    pub json: Value,
    /// Whether the answer is a refusal, which ends with exit code 1.
    pub refused: bool,
}

impl Answer {
    /// Makes an answer that is fine.
    pub fn new(text: String, json: Value) -> Self {
        Self { text, json, refused: false }
    }
}

/// One line below the head, and none else.
const PLAIN: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
/// The same with a line between rows, for those that wrap.
const RULED: TableStyle = PLAIN.row_separator(LineStyle::none().fill('·').junction('·'));

/// A blank at which cells do not wrap; it is printed as one at which they do.
pub const GLUE: char = '\u{a0}';

/// The width of tables where there is no terminal.
const WIDTH: u16 = 80;

/// Draws a table as wide as the terminal, or as `COLUMNS` says, or of 80 columns; long cells wrap.
///
/// A table whose rows wrap has lines between them.
pub fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(PLAIN).set_content_arrangement(ContentArrangement::Dynamic);
    if !table.is_tty() {
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        table.set_width(columns.unwrap_or(WIDTH).max(20));
    }
    table.set_header(head.iter().copied());
    let mut longest = 0;
    for row in rows {
        let words = row.first().map_or("", String::as_str).split(' ');
        longest = words.map(|word| word.chars().count() as u16).max().unwrap_or(0).max(longest);
        table.add_row(row);
    }
    // Names in the first column stay whole; two columns of padding go with them.
    if let Some(column) = table.column_mut(0) {
        let widest = longest + 2;
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(widest)));
    }
    if table.lines().count() > table.row_count() + 2 {
        table.load_style(RULED);
    }
    table.lines().fold(String::new(), |text, line| text + line.trim_end() + "\n").replace(GLUE, " ")
}

/// Sets rows in columns, the first to the left and the others to the right, two blanks in.
pub fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| rows.iter().filter_map(|row| row.get(i)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(i, (cell, &n))| if i == 0 { format!("{cell:n$}") } else { format!("{cell:>n$}") });
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Joins values by blanks: `0 1 2`, or `-` when there are none.
pub fn spaced<T: Display>(values: &[T]) -> String {
    if values.is_empty() { "-".to_owned() } else { join(values, " ") }
}

/// Joins values.
pub fn join<T: Display>(values: &[T], between: &str) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

/// Writes values as Python writes a tuple: `()`, `(3,)`, `(2, 3)`.
pub fn tuple<T: Display>(values: &[T]) -> String {
    format!("({}{})", join(values, ", "), if values.len() == 1 { "," } else { "" })
}

/// Names operand `k`: `a`, `b`, ..., `z`, `operand 26`.
pub fn letter(k: usize) -> String {
    match u8::try_from(k) {
        Ok(k) if k < 26 => char::from(b'a' + k).to_string(),
        _ => format!("operand {k}"),
    }
}
