//! `broadaxe shape`: applies a rule to shapes.
//!
//! Under `--rule ncnn` shapes, axes and strides are read and printed as ncnn writes them, fastest axis first; inside,
//! everything is row-major. Shapes of known dims get an alignment with strides; where a dim is a name, a range or not
//! known, the answer is a shape and the guards under which it holds.

use broadaxe_shape::{Dim, ErrorKind, Inferred, Rule, Shape, SymbolicShape};
use serde_json::{Value, json};

use crate::{
    answer::{Answer, letter, spaced, steps, strides},
    args::ShapeArgs,
    error::Error,
    failing,
    order::Order,
};

/// Broadcasts shapes.
///
/// # Errors
/// When they do not broadcast, or are none.
pub fn run(args: &ShapeArgs) -> Result<Answer, Error> {
    let rule = args.rule.rule()?;
    let order = Order { reversed: rule.name() == "ncnn" && !args.row_major };
    let shapes: Vec<SymbolicShape> =
        args.shapes.iter().map(|text| Ok(order.symbolic(&text.parse()?))).collect::<Result<_, Error>>()?;
    let known: Option<Vec<Shape>> = shapes.iter().map(SymbolicShape::known).collect();
    let result = if let Some(known) = known {
        align(&rule, &known, order)?
    } else {
        let inferred = rule.infer(&shapes).map_err(|error| error_in(order, &[], error))?;
        Symbolic { rule: &rule, shapes: &shapes, inferred, order }.result()
    };
    Ok(Answer::new(result.show(&rule), result.describe(&rule)))
}

/// What is printed, in the order of axes in which it is printed.
struct Outcome {
    shape: String,
    /// None when not even the rank is known.
    dims: Option<Vec<Value>>,
    operands: Vec<Operand>,
    guards: Vec<String>,
    note: Option<&'static str>,
}

/// An operand: its shape, and its axes and strides where they are known.
struct Operand {
    shape: String,
    axes: Option<Vec<usize>>,
    strides: Option<Strides>,
}

/// Strides as text and as numbers, and the periods of an operand that may be tiled.
struct Strides {
    text: Vec<String>,
    numbers: Vec<isize>,
    periods: Option<Vec<usize>>,
}

fn align(rule: &Rule, shapes: &[Shape], order: Order) -> Result<Outcome, Error> {
    let dims: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
    let alignment =
        rule.align(&dims).map_err(|error| error_in(order, shapes, error).drawn(failing::draw(rule, &dims, order)))?;
    let rank = alignment.shape().len();
    let operands = alignment.operands().iter().enumerate().map(|(k, operand)| Operand {
        shape: order.shape(operand.shape()),
        axes: Some(order.axes(operand.axes(), rank)),
        strides: Some({
            let (numbers, periods) = steps(&alignment, k);
            let periods = periods.map(|periods| order.list(&periods));
            Strides { text: order.list(&strides(&alignment, k)), numbers: order.list(&numbers), periods }
        }),
    });
    Ok(Outcome {
        shape: order.shape(alignment.shape()),
        dims: Some(order.list(alignment.shape()).into_iter().map(Value::from).collect()),
        operands: operands.collect(),
        guards: Vec::new(),
        note: None,
    })
}

/// A broadcast of shapes that are not known.
struct Symbolic<'a> {
    rule: &'a Rule,
    shapes: &'a [SymbolicShape],
    inferred: Inferred,
    order: Order,
}

impl Symbolic<'_> {
    fn result(&self) -> Outcome {
        let (order, guard) = (self.order, self.inferred.guard());
        let dims = self.inferred.shape().dims();
        let operands = self.shapes.iter().enumerate().map(|(k, shape)| Operand {
            shape: self.show(shape),
            axes: self.inferred.placement().map(|placement| order.axes(placement.axes(k), placement.rank())),
            strides: None,
        });
        let dim = |dim: &Dim| dim.size().map_or_else(|| json!(dim.to_string()), |size| json!(size));
        let note = if !guard.is_exact() {
            Some("An operand's rank is not known: these guards are not all that must hold.")
        } else if order.reversed && !guard.is_always() {
            Some("In guards, axes without a name are counted row-major.")
        } else {
            None
        };
        Outcome {
            shape: self.show(self.inferred.shape()),
            dims: dims.map(|dims| order.list(dims).iter().map(dim).collect()),
            operands: operands.collect(),
            guards: guard.clauses().into_iter().map(|(_, text)| text).collect(),
            note: note.filter(|_| self.rule.name() == "ncnn" || !guard.is_exact()),
        }
    }

    fn show(&self, shape: &SymbolicShape) -> String {
        shape.dims().map_or_else(|| "(...)".to_owned(), |dims| self.order.shape(dims))
    }
}

impl Outcome {
    fn show(&self, rule: &Rule) -> String {
        let mut text = format!("{} under {rule}\n", self.shape);
        let width = |cell: fn(&Operand) -> usize| self.operands.iter().map(cell).max().unwrap_or(0);
        let (wide, placed) = (
            width(|operand| operand.shape.len()),
            width(|operand| operand.axes.as_ref().map_or(0, |axes| spaced(axes).len())),
        );
        for (k, operand) in self.operands.iter().enumerate() {
            let mut line = format!("  {}  {:wide$}", letter(k), operand.shape);
            if let Some(axes) = &operand.axes {
                line += &format!("  on axes {:placed$}", spaced(axes));
            }
            if let Some(strides) = &operand.strides {
                line += &format!("  strides {}", spaced(&strides.text));
            }
            text += line.trim_end();
            text += "\n";
        }
        for (i, guard) in self.guards.iter().enumerate() {
            let several = self.guards.len() > 1 && guard.contains(" or ");
            let guard = if several { format!("({guard})") } else { guard.clone() };
            text += &format!("  {} {guard}\n", if i == 0 { "if" } else { "and" });
        }
        if let Some(note) = self.note {
            text += &format!("{note}\n");
        }
        text
    }

    fn describe(&self, rule: &Rule) -> Value {
        let operands = self.operands.iter().map(|operand| {
            let strides = operand.strides.as_ref();
            let mut json = json!({ "axes": operand.axes, "strides": strides.map(|strides| &strides.numbers) });
            if let Some(periods) = strides.and_then(|strides| strides.periods.as_ref()) {
                json["periods"] = json!(periods);
            }
            json
        });
        json!({
            "rule": rule.name(),
            "shape": self.dims,
            "operands": operands.collect::<Vec<_>>(),
            "guards": self.guards,
        })
    }
}

/// Says an error of row-major shapes in the order in which they were written.
fn error_in(order: Order, shapes: &[Shape], error: broadaxe_shape::Error) -> Error {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let axis = error.axis().map(|axis| if axis < rank { rank - 1 - axis } else { axis });
    match (error.kind(), axis, error.sizes(), error.operand(), shapes) {
        _ if !order.reversed => Error::from(error),
        (ErrorKind::Mismatch, Some(axis), Some((one, other)), Some(operand), [a, b]) => {
            let (in_a, in_b) = if operand == 1 { (one, other) } else { (other, one) };
            let text = format!(
                "broadcast of a {} with b {} under ncnn: axis {axis} is {in_a} in a and {in_b} in b; they must be \
                 equal or 1 (axes as ncnn counts them, w first)",
                order.shape(a),
                order.shape(b)
            );
            Error::from(error).saying(text, Some(axis))
        }
        (ErrorKind::Parse | ErrorKind::Parameter | ErrorKind::Operands, ..) => Error::from(error),
        _ => {
            let text = format!("{error} (shapes are shown row-major here, the reverse of ncnn's order)");
            Error::from(error).saying(text, axis)
        }
    }
}
