//! `broadaxe shape`: what a rule makes of shapes.
//!
//! Under `--rule ncnn` shapes, axes and strides are read and printed as ncnn writes them, fastest axis first; inside,
//! everything is row-major.

use broadaxe_shape::{Alignment, ErrorKind, Rule, Shape};
use serde_json::{Value, json};

use crate::{
    answer::{Answer, join, letter, spaced, tuple},
    args::ShapeArgs,
    error::Error,
};

/// Broadcasts shapes.
///
/// # Errors
/// When they do not broadcast, or are none.
pub fn run(args: &ShapeArgs) -> Result<Answer, Error> {
    let rule = args.rule.rule()?;
    let order = Order { reversed: rule.name() == "ncnn" && !args.row_major };
    let shapes: Vec<Shape> = args
        .shapes
        .iter()
        .map(|text| text.parse::<Shape>().map(|shape| if order.reversed { shape.reversed() } else { shape }))
        .collect::<Result<_, _>>()?;
    let alignment = rule
        .align(&shapes.iter().map(Shape::dims).collect::<Vec<_>>())
        .map_err(|error| order.error(&shapes, error))?;
    Ok(Answer::new(show(&rule, &alignment, order), describe(&rule, &alignment, order)))
}

/// The order in which axes are read and printed.
#[derive(Clone, Copy)]
struct Order {
    reversed: bool,
}

impl Order {
    fn list<T: Clone>(self, values: &[T]) -> Vec<T> {
        let mut values = values.to_vec();
        if self.reversed {
            values.reverse();
        }
        values
    }

    fn axes(self, axes: &[usize], rank: usize) -> Vec<usize> {
        let axes = self.list(axes);
        if self.reversed { axes.into_iter().map(|axis| rank - 1 - axis).collect() } else { axes }
    }

    fn shape(self, dims: &[usize]) -> String {
        let dims = self.list(dims);
        if self.reversed { format!("[{}]", join(&dims, ", ")) } else { tuple(&dims) }
    }

    /// Says an error of row-major shapes in the order in which they were written.
    fn error(self, shapes: &[Shape], error: broadaxe_shape::Error) -> Error {
        let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
        match (self.reversed, error.kind(), error.axis(), error.sizes(), error.operand(), shapes) {
            (true, ErrorKind::Mismatch, Some(axis), Some((one, other)), Some(operand), [a, b]) => {
                let (in_a, in_b) = if operand == 1 { (one, other) } else { (other, one) };
                let axis = rank - 1 - axis;
                let text = format!(
                    "broadcast of a {} with b {} under ncnn: axis {axis} is {in_a} in a and {in_b} in b; they must be \
                     equal or 1 (axes as ncnn counts them, w first)",
                    self.shape(a),
                    self.shape(b)
                );
                Error::from(error).saying(text, Some(axis))
            }
            (true, ErrorKind::Empty | ErrorKind::Rank, ..) => {
                let text = format!("{error} (shapes are shown row-major here, the reverse of ncnn's order)");
                let axis = error.axis().filter(|&axis| axis < rank).map(|axis| rank - 1 - axis);
                Error::from(error).saying(text, axis)
            }
            _ => Error::from(error),
        }
    }
}

fn show(rule: &Rule, alignment: &Alignment, order: Order) -> String {
    let rank = alignment.shape().len();
    let mut text = format!("{} under {rule}\n", order.shape(alignment.shape()));
    let rows: Vec<[String; 4]> = (alignment.operands().iter().enumerate())
        .map(|(k, operand)| {
            let axes = order.axes(operand.axes(), rank);
            let strides = order.list(&alignment.strides(k));
            [letter(k), order.shape(operand.shape()), spaced(&axes), spaced(&strides)]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    for [name, shape, axes, strides] in &rows {
        text += &format!(
            "  {name:w0$}  {shape:w1$}  on axes {axes:w2$}  strides {strides}\n",
            w0 = width(0),
            w1 = width(1),
            w2 = width(2),
        );
    }
    text
}

fn describe(rule: &Rule, alignment: &Alignment, order: Order) -> Value {
    let rank = alignment.shape().len();
    let operands = alignment.operands().iter().enumerate().map(
        |(k, operand)| json!({ "axes": order.axes(operand.axes(), rank), "strides": order.list(&alignment.strides(k)) }),
    );
    json!({
        "rule": rule.name(),
        "shape": order.list(alignment.shape()),
        "operands": operands.collect::<Vec<_>>(),
        "guards": [],
    })
}
