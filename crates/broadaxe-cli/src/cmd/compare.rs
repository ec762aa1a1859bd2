//! `broadaxe compare`: compares all rules on the same shapes, and shows elements on which two rules differ.

use broadaxe_draw::{Compared, KnownCompared, OpenCompared, Said, guards, reading, reason};
use broadaxe_session::{compare::compare, json::value, request::CompareRequest};
use broadaxe_shape::Difference;

use serde_json::{Value, json};

use super::picture;
use crate::{
    answer::{Answer, join, letter, spaced, strides, table, tuple},
    args::{CompareArgs, PictureArgs},
    error::{Error, escaped},
    terminal,
};

/// Asks every rule and points at one element for each two meanings.
///
/// # Errors
/// When a shape is malformed, an array of one of them could not exist, or the picture cannot be written.
pub fn run(args: &CompareArgs) -> Result<Answer, Error> {
    answer(&args.request(), &args.picture)
}

/// Answers a request with this picture.
pub(super) fn answer(request: &CompareRequest, picture: &PictureArgs) -> Result<Answer, Error> {
    let compared = compare(request)?;
    let sheet = compared.sheet();
    let text = match picture.text(&sheet) {
        Some(text) => text,
        None => match &compared {
            Compared::Known(known) => known_text(known, compared.said()),
            Compared::Open(open) => open_text(open, compared.said()),
        },
    };
    let answer = Answer::judged(text, value(compared.json()), compared.is_refused());
    let answer = Answer { words: words(&compared), ..answer };
    picture::saved(picture, &sheet, answer)
}

/// Returns what a notebook shows: the shapes, the table, and what differs.
fn words(compared: &Compared) -> Value {
    let (shapes, (head, rows), known) = match compared {
        Compared::Known(known) => (operands(known.shapes()), table_of(known), Some(known)),
        Compared::Open(open) => (operands(open.shapes()), open_table(open), open.example()),
    };
    let said = compared.said();
    let example = known.filter(|_| matches!(compared, Compared::Open(_))).map(|known| operands(known.shapes()));
    let differences = known.map(differences).unwrap_or_default();
    json!({
        "title": shapes,
        "head": head,
        "rows": rows,
        "notes": [Some(said.heading()), said.note()],
        "example": example,
        "differences": differences.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>(),
    })
}

/// The head and the rows of a table.
type Rows = (Vec<String>, Vec<Vec<String>>);

/// Wraps lines to the terminal, if there is one.
fn fitted(text: &str) -> String {
    terminal::fitted(text, terminal::columns())
}

fn known_text(known: &KnownCompared, said: &Said) -> String {
    let mut text = format!("{} (row-major, slowest axis first)\n\n", operands(known.shapes()));
    text += &written(table_of(known));
    if known.differences().is_empty() {
        return text + "\n" + &fitted(&format!("{}\n", said.heading()));
    }
    text += "\nWhere they differ, with every input filled 0, 1, 2, ... and added up:\n";
    text + &differences(known)
}

fn operands<T: std::fmt::Display>(shapes: &[T]) -> String {
    let shapes = shapes.iter().enumerate();
    shapes.map(|(k, shape)| format!("{} {shape}", letter(k))).collect::<Vec<_>>().join(" with ")
}

/// Draws a table.
fn written((head, rows): Rows) -> String {
    table(&head.iter().map(String::as_str).collect::<Vec<_>>(), false, rows)
}

/// Returns the head of a table with a column for each operand.
fn head(count: usize, read: &str) -> Vec<String> {
    let read = (0..count).map(|k| format!("{read} {}", letter(k)));
    ["rule", "meaning", "result"].map(str::to_owned).into_iter().chain(read).collect()
}

/// Lists the rules: meaning, result, and the strides with which each operand is read.
fn table_of(known: &KnownCompared) -> Rows {
    let rows = known.comparison().outcomes().iter().enumerate().map(|(k, outcome)| {
        let mut row = vec![outcome.rule().to_string()];
        match outcome.result() {
            Ok(alignment) => {
                let mark = known.meaning(k).map_or(String::new(), |group| (group + 1).to_string());
                row.extend([mark, alignment.shape().to_string()]);
                row.extend((0..alignment.operands().len()).map(|k| spaced(&strides(alignment, k))));
            }
            Err(error) => row.extend(["-".to_owned(), reason(error)]),
        }
        row
    });
    (head(known.shapes().len(), "strides"), rows.collect())
}

fn differences(known: &KnownCompared) -> String {
    known.differences().iter().map(|found| difference(known, found)).collect()
}

fn difference(known: &KnownCompared, found: &Difference) -> String {
    let comparison = known.comparison();
    let names = [found.left(), found.right()].map(|k| comparison.outcomes()[k].rule().to_string());
    let [left, right] = &names;
    let mut text = match found.element() {
        Some(element) => format!("\n  {left} and {right}, element {}:\n", tuple(element)),
        None => format!("\n  {left} and {right}, without elements:\n"),
    };
    let width = left.len().max(right.len());
    let sides = [(left, found.left(), found.left_reads()), (right, found.right(), found.right_reads())];
    for (name, k, reads) in sides {
        let what = match reads {
            Some(reads) => reading::sentence(reads),
            None => match comparison.outcomes()[k].alignment() {
                Some(alignment) => format!("the result is {}", alignment.shape()),
                None => "rejected".to_owned(),
            },
        };
        text += &format!("    {name:width$}  {what}\n");
    }
    text
}

fn open_text(open: &OpenCompared, said: &Said) -> String {
    let mut text = format!("{} (row-major, slowest axis first)", operands(open.shapes()));
    text = escaped(&text) + "\n\n" + &written(open_table(open)) + "\n";
    let note = said.note();
    let Some(known) = open.example() else {
        let lines = [Some(said.heading()), note].into_iter().flatten();
        return text + &lines.map(|line| fitted(&(escaped(&line) + "\n"))).collect::<String>();
    };
    let note = note.unwrap_or_default();
    let note = note.trim_end_matches('.');
    text += &format!("{}: {}.\n", escaped(note), operands(known.shapes()));
    text += "With every input filled 0, 1, 2, ... and added up:\n";
    text + &differences(known)
}

fn open_table(open: &OpenCompared) -> Rows {
    let count = open.shapes().len();
    let rows = open.outcomes().map(|(rule, result, meaning)| {
        let mut row = vec![rule.to_string(), meaning.map_or_else(|| "-".to_owned(), |group| (group + 1).to_string())];
        match result {
            Ok(inferred) => {
                row.push(inferred.shape().to_string());
                let places = |k: usize| inferred.placement().map_or_else(|| "?".to_owned(), |at| spaced(at.axes(k)));
                row.extend((0..count).map(places));
                row.push(join(&guards(inferred), " and "));
            }
            Err(error) => row.push(reason(error)),
        }
        row
    });
    ([head(count, "axes"), vec!["if".to_owned()]].concat(), rows.collect())
}
