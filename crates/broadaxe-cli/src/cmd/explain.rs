//! `broadaxe explain`: a drawing of how shapes are aligned and what that costs.

use broadaxe_shape::Alignment;
use serde_json::{Value, json};

use crate::{
    answer::{Answer, join, letter, tuple},
    args::ExplainArgs,
    error::Error,
};

/// Draws the alignment.
///
/// # Errors
/// When the shapes do not broadcast.
pub fn run(args: &ExplainArgs) -> Result<Answer, Error> {
    let rule = args.rule.rule()?;
    let alignment = rule.align(&args.shapes.iter().map(|shape| shape.dims()).collect::<Vec<_>>())?;
    let text = format!("{rule}\n\n{}\n{}", draw(&alignment), repeats(&alignment));
    Ok(Answer::new(text, describe(&alignment)))
}

/// Draws a line per operand, each dim under the axis that it feeds.
fn draw(alignment: &Alignment) -> String {
    let rank = alignment.shape().len();
    let mut rows = vec![("axis".to_owned(), (0..rank).map(|axis| axis.to_string()).collect::<Vec<_>>())];
    for (k, operand) in alignment.operands().iter().enumerate() {
        let mut cells = vec![".".to_owned(); rank];
        for (dim, &axis) in operand.shape().iter().zip(operand.axes()) {
            cells[axis] = dim.to_string();
        }
        rows.push((letter(k), cells));
    }
    rows.push(("result".to_owned(), alignment.shape().iter().map(ToString::to_string).collect()));
    let head = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let widths: Vec<usize> =
        (0..rank).map(|axis| rows.iter().map(|(_, cells)| cells[axis].len()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for (name, cells) in rows {
        let cells: Vec<String> = cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
        text += format!("  {name:head$}  {}", join(&cells, "  ")).trim_end();
        text += "\n";
    }
    text
}

/// Lists the result axes along which operand `k` repeats, and how often.
fn repeated(alignment: &Alignment, k: usize) -> Vec<(usize, usize)> {
    let operand = &alignment.operands()[k];
    (alignment.shape().iter().enumerate())
        .filter(|&(axis, &size)| {
            let own = operand.axes().iter().position(|&at| at == axis).map_or(1, |i| operand.shape()[i]);
            size != own
        })
        .map(|(axis, &size)| (axis, size))
        .collect()
}

fn repeats(alignment: &Alignment) -> String {
    let mut text = String::new();
    for k in 0..alignment.operands().len() {
        let along = repeated(alignment, k);
        let name = letter(k);
        if along.is_empty() {
            text += &format!("  {name} is read as it is\n");
        } else {
            let along: Vec<String> =
                along.iter().map(|(axis, times)| format!("{times} times along axis {axis}")).collect();
            text += &format!("  {name} {} repeats {}\n", tuple(alignment.operands()[k].shape()), along.join(", "));
        }
    }
    text
}

fn describe(alignment: &Alignment) -> Value {
    json!({ "shape": alignment.shape().dims() })
}
