//! `broadaxe compare`: compares all rules on the same shapes, and shows elements on which two rules differ.

mod open;

use broadaxe_shape::{Comparison, Difference, ErrorKind, Outcome, Read, Shape, SymbolicShape, compare};
use serde_json::{Value, json};

use crate::{
    answer::{Answer, letter, spaced, steps, strides, table, tuple},
    args::CompareArgs,
    error::Error,
};

/// Asks every rule and points at one element for each two meanings.
///
/// # Errors
/// When an array of one of the shapes could not exist.
pub fn run(args: &CompareArgs) -> Result<Answer, Error> {
    let known: Option<Vec<Shape>> = args.shapes.iter().map(SymbolicShape::known).collect();
    let Some(known) = known else {
        return Ok(open::answer(&args.shapes));
    };
    for shape in &known {
        broadaxe_shape::elements(shape)?;
    }
    let shapes: Vec<&[usize]> = known.iter().map(Shape::dims).collect();
    let comparison = compare(&shapes);
    let meanings = comparison.meanings();
    let differences = differences(&comparison, &meanings);

    let mut text = format!("{} (row-major, slowest axis first)\n\n", operands(&known));
    text += &draw(&comparison, &meanings);
    text += "\n";
    text += match (meanings.len(), differences.len()) {
        (0, _) => "No rule accepts these shapes.\n",
        (_, 0) => "All rules that take these shapes mean the same.\n",
        _ => "Where they differ, with every input filled 0, 1, 2, ... and added up:\n",
    };
    for found in &differences {
        text += &show(&comparison, found);
    }
    let json = json!({
        "shapes": known.iter().map(Shape::dims).collect::<Vec<_>>(),
        "rules": comparison.outcomes().iter().enumerate().map(|(k, o)| describe(o, meaning(&meanings, k))).collect::<Vec<_>>(),
        "differences": differences.iter().map(|found| difference(&comparison, found)).collect::<Vec<_>>(),
    });
    Ok(Answer::judged(text, json, meanings.is_empty()))
}

/// Finds one element for each two meanings.
fn differences(comparison: &Comparison, meanings: &[Vec<usize>]) -> Vec<Difference> {
    let speakers: Vec<usize> = meanings.iter().map(|group| speaker(comparison, group)).collect();
    // The library compares all rules; two rules of one meaning each are enough.
    let between = |found: &Difference| speakers.contains(&found.left()) && speakers.contains(&found.right());
    comparison.differences().into_iter().filter(between).collect()
}

/// Chooses the rule that represents a group of one meaning: the first that needs no parameter for it.
fn speaker(comparison: &Comparison, group: &[usize]) -> usize {
    let bare = |k: &&usize| {
        let params = comparison.outcomes()[**k].rule().params();
        params.axis.is_none() && params.mode.is_none()
    };
    // `none` accepts only what all accept: any other name says more.
    let known = |k: &&usize| comparison.outcomes()[**k].rule().name() != "none";
    let best = group.iter().filter(bare).find(known).or_else(|| group.iter().find(bare));
    best.or(group.first()).copied().unwrap_or(0)
}

fn meaning(meanings: &[Vec<usize>], k: usize) -> Option<usize> {
    meanings.iter().position(|group| group.contains(&k))
}

fn operands<T: std::fmt::Display>(shapes: &[T]) -> String {
    let shapes = shapes.iter().enumerate();
    shapes.map(|(k, shape)| format!("{} {shape}", letter(k))).collect::<Vec<_>>().join(" with ")
}

/// Draws the table: rule, meaning, result, and the strides with which each operand is read.
fn draw(comparison: &Comparison, meanings: &[Vec<usize>]) -> String {
    let read: Vec<String> = (0..comparison.shapes().len()).map(|k| format!("strides {}", letter(k))).collect();
    let head: Vec<&str> = ["rule", "meaning", "result"].into_iter().chain(read.iter().map(String::as_str)).collect();
    let rows = comparison.outcomes().iter().enumerate().map(|(k, outcome)| {
        let mut row = vec![outcome.rule().to_string()];
        match outcome.result() {
            Ok(alignment) => {
                let mark = meaning(meanings, k).map_or(String::new(), |group| (group + 1).to_string());
                row.extend([mark, alignment.shape().to_string()]);
                row.extend((0..alignment.operands().len()).map(|k| spaced(&strides(alignment, k))));
            }
            Err(error) => row.extend(["-".to_owned(), reason(error)]),
        }
        row
    });
    table(&head, false, rows)
}

/// Summarises why a rule rejects shapes.
fn reason(error: &broadaxe_shape::Error) -> String {
    match (error.kind(), error.axis(), error.sizes()) {
        (ErrorKind::Mismatch | ErrorKind::Direction, Some(axis), Some((one, other))) => {
            format!("no: axis {axis} is {one} and {other}")
        }
        (kind, ..) => format!("no: {}", kind.name()),
    }
}

fn show(comparison: &Comparison, found: &Difference) -> String {
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
            Some(reads) => format!("{} = {} = {}", terms(reads), values(reads), sum(reads)),
            None => match comparison.outcomes()[k].alignment() {
                Some(alignment) => format!("the result is {}", alignment.shape()),
                None => "refused".to_owned(),
            },
        };
        text += &format!("    {name:width$}  {what}\n");
    }
    text
}

fn terms(reads: &[Read]) -> String {
    let terms = reads.iter().enumerate().map(|(k, read)| format!("{}{}", letter(k), tuple(read.index())));
    terms.collect::<Vec<_>>().join(" + ")
}

fn values(reads: &[Read]) -> String {
    reads.iter().map(|read| read.position().to_string()).collect::<Vec<_>>().join(" + ")
}

fn sum(reads: &[Read]) -> u128 {
    reads.iter().map(|read| read.position() as u128).sum()
}

fn describe(outcome: &Outcome, meaning: Option<usize>) -> Value {
    match outcome.result() {
        Ok(alignment) => {
            let (strides, periods): (Vec<_>, Vec<_>) =
                (0..alignment.operands().len()).map(|k| steps(alignment, k)).unzip();
            let mut value = json!({
                "rule": outcome.rule().to_string(),
                "meaning": meaning.map(|group| group + 1),
                "shape": alignment.shape().dims(),
                "strides": strides,
            });
            if alignment.is_tiled() {
                value["periods"] = json!(periods);
            }
            value
        }
        Err(error) => {
            let mut value = Error::from(error.clone()).to_json();
            value["rule"] = json!(outcome.rule().to_string());
            value
        }
    }
}

fn difference(comparison: &Comparison, found: &Difference) -> Value {
    let side = |k: usize, reads: Option<&[Read]>| {
        let reads = reads.map(|reads| {
            let each = reads.iter().map(|read| json!({ "index": read.index(), "value": read.position() }));
            (each.collect::<Vec<_>>(), sum(reads).to_string().parse::<u64>().ok())
        });
        let (reads, sum) = reads.unzip();
        json!({ "rule": comparison.outcomes()[k].rule().to_string(), "reads": reads, "sum": sum.flatten() })
    };
    json!({
        "element": found.element(),
        "left": side(found.left(), found.left_reads()),
        "right": side(found.right(), found.right_reads()),
    })
}
