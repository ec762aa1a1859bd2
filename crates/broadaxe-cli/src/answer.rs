//! Holds the answer of a subcommand, and formats its tables and lists.

use std::{
    borrow::Cow,
    fmt::{self, Display},
    io,
};

pub use broadaxe_draw::words::{columns, join, letter, spaced, steps, strides, tuple};
use broadaxe_models::report::{CheckRecord, Shown, grouped};
use comfy_table::{ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

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

    /// Says whether programs read the report, which need every name as it is, and not as a terminal shows it.
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

/// What a check prints as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Checked {
    /// One entry per model that was judged, in the order of the command line.
    pub models: Vec<CheckRecord>,
    /// One entry per file that cannot be read or is not a model; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FileRecord>,
    /// One entry per file that `--skip-others` skipped; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<FileRecord>,
    /// What the run says about its configuration and baseline, such as entries that are not used; absent if there is nothing to say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How many findings do not count, with the file that says so; findings say that too.
    #[serde(skip)]
    pub accepted: Vec<String>,
}

/// A file that was not judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileRecord {
    /// The file, as it was given.
    pub file: String,
    /// Why it was not judged.
    pub message: String,
    /// The place in the file, where one is known.
    pub field: Option<String>,
}

impl FileRecord {
    /// Records an error about a file.
    pub fn new(file: &str, error: &Error) -> Self {
        // What the system answers about a file begins with the name of the file.
        let message = error.message();
        let message = message.strip_prefix(file).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(message);
        Self { file: file.to_owned(), message: message.to_owned(), field: error.field_name().map(str::to_owned) }
    }

    /// Says what is wrong and where, without the name of the file.
    pub fn sentence(&self) -> String {
        self.field.as_ref().map_or_else(|| self.message.clone(), |field| format!("{} ({field})", self.message))
    }
}

impl Answer {
    /// Makes an answer that is fine.
    pub fn new(text: String, json: Value) -> Self {
        Self::judged(text, json, false)
    }

    /// Makes an answer that is a refusal or not.
    pub fn judged(text: String, json: Value, refused: bool) -> Self {
        Self { text, report: None, json: json.into(), refused, errors: Vec::new(), notes: Vec::new() }
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

    /// Writes the part that a pointer such as `/models/0` names, without one of its members; none where there is no such part.
    pub fn part(&self, pointer: &str, without: Option<&str>) -> Option<String> {
        match self {
            Self::Value(value) | Self::Array(value, _) => part(value, pointer, without),
            Self::Checked(found) if without == Some("findings") => {
                let models = found.models.iter().map(CheckRecord::head).collect();
                let (errors, skipped) = (found.errors.clone(), found.skipped.clone());
                let head = Checked { models, errors, skipped, notes: found.notes.clone(), accepted: Vec::new() };
                part(&json!(head), pointer, without)
            }
            Self::Checked(found) => part(&json!(found), pointer, without),
            Self::Written(text) => part(&serde_json::from_str(text).unwrap_or_default(), pointer, without),
        }
    }

    /// Writes the groups of the findings of the first model that was checked, in the words of the report; nothing where there is none.
    pub fn grouped(&self) -> Option<String> {
        let Self::Checked(Checked { models, .. }) = self else { return None };
        serde_json::to_string(&grouped(models.first()?, Shown::default())).ok()
    }

    /// Writes some items of the list that a pointer names, from this one on: none behind the last, or where there is no such list.
    pub fn items(&self, pointer: &str, from: usize) -> String {
        match self {
            Self::Value(value) | Self::Array(value, _) => some(value.pointer(pointer).and_then(Value::as_array), from),
            Self::Checked(Checked { models, .. }) => {
                let named = |k: &usize| pointer == format!("/models/{k}/findings");
                some((0..models.len()).find(named).map(|k| &models[k].findings), from)
            }
            Self::Written(text) => {
                let value: Value = serde_json::from_str(text).unwrap_or_default();
                some(value.pointer(pointer).and_then(Value::as_array), from)
            }
        }
    }
}

fn part(value: &Value, pointer: &str, without: Option<&str>) -> Option<String> {
    let part = value.pointer(pointer)?;
    let (Value::Object(members), Some(without)) = (part, without) else { return Some(part.to_string()) };
    let kept = members.iter().filter(|(name, _)| *name != without);
    let kept: Vec<String> = kept.map(|(name, value)| format!("{}:{value}", Value::from(name.as_str()))).collect();
    Some(format!("{{{}}}", kept.join(",")))
}

/// How many items of a list are written at a time.
const ITEMS: usize = 1000;

fn some<T: Serialize>(list: Option<&Vec<T>>, from: usize) -> String {
    let rest = list.and_then(|list| list.get(from..)).unwrap_or_default();
    written(&rest[..rest.len().min(ITEMS)])
}

fn written(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// A list whose items are made while it is written.
pub(crate) struct Each<F>(pub(crate) F);

impl<T: Serialize, I: Iterator<Item = T>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Writes a value as JSON, piece by piece.
///
/// # Errors
/// When `to` cannot be written.
pub(crate) fn write_json(to: &mut dyn fmt::Write, value: &impl Serialize) -> fmt::Result {
    serde_json::to_writer(Pieces(to), value).map_err(|_| fmt::Error)
}

/// Writes texts to a writer of bytes.
///
/// # Errors
/// When `out` cannot be written.
pub(crate) fn write_texts(
    out: &mut dyn io::Write,
    write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result,
) -> io::Result<()> {
    let mut texts = Texts { out, failed: Ok(()) };
    let _ = write(&mut texts);
    texts.failed
}

/// Writes texts, and keeps the error of the writer.
struct Texts<'a> {
    out: &'a mut dyn io::Write,
    failed: io::Result<()>,
}

impl fmt::Write for Texts<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.failed = self.out.write_all(text.as_bytes());
        if self.failed.is_ok() { Ok(()) } else { Err(fmt::Error) }
    }
}

/// Converts texts that are written, and passes them on.
pub(crate) struct Converting<'a, F>(pub(crate) &'a mut dyn fmt::Write, pub(crate) F);

impl<F: Fn(&str) -> Cow<'_, str>> fmt::Write for Converting<'_, F> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_str(&(self.1)(text))
    }
}

/// Passes on the texts that a format is written in.
pub(crate) struct Pieces<'a>(pub(crate) &'a mut dyn fmt::Write);

impl io::Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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

/// Sets rows in columns to the left, two blanks apart; a line for each row, however long.
pub fn aligned(rows: &[Vec<String>]) -> String {
    aligned_of(|| rows.iter().cloned())
}

/// Sets rows as [`aligned`]; they are made twice, and not held.
pub(crate) fn aligned_of<R: Iterator<Item = Vec<String>>>(rows: impl Fn() -> R) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows() {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(&row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &n)| format!("{cell:n$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows().map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Answer;

    #[test]
    fn parts_of_the_json() {
        let answer =
            Answer::new("\u{1b}[1mtext\u{1b}[0m\n".into(), json!({ "models": [{ "a": 1, "b\"": [2], "c": {} }] }));
        let cases = [
            ("/models/0", Some("b\""), Some(r#"{"a":1,"c":{}}"#)),
            ("/models/0", Some("z"), Some(r#"{"a":1,"b\"":[2],"c":{}}"#)),
            ("/models/0/b\"", Some("a"), Some("[2]")),
            ("/models/1", None, None),
        ];
        for (pointer, without, want) in cases {
            assert_eq!(answer.json.part(pointer, without).as_deref(), want, "{pointer} without {without:?}");
        }
        assert_eq!(answer.plain(), "text\n");
        for (pointer, from, want) in
            [("/models", 0, r#"[{"a":1,"b\"":[2],"c":{}}]"#), ("/models", 1, "[]"), ("/x", 0, "[]")]
        {
            assert_eq!(answer.json.items(pointer, from), want, "{pointer} from {from}");
        }
    }
}
