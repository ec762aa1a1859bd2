//! Applies a rule to shapes, as `broadaxe shape` does.
//!
//! Under the rule of ncnn, shapes, axes and strides are read and printed as ncnn writes them, fastest axis first. Everything else is
//! row-major.

use crate::json::{Json, ToJson, json};
use broadaxe_shape::{Alignment, Error, ErrorKind, Inferred, Rule, Shape, SymbolicShape};

use crate::{
    drawing::Drawing,
    open::{Open, guards},
    order::Order,
    record,
    words::{letter, spaced, steps, strides},
};

/// The result of a rule, and where the axes of the operands go.
#[derive(Debug)]
pub struct Shaped {
    rule: Rule,
    outcome: Outcome,
    drawing: Drawing,
    /// Where the dims are known.
    alignment: Option<Alignment>,
    order: Order,
}

/// Says why shapes do not broadcast, in the order of axes in which they were written.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapedError {
    /// The error, of row-major shapes.
    pub error: Error,
    /// The sentence.
    pub message: String,
    /// The axis at fault, counted in the order.
    pub axis: Option<usize>,
    /// The drawing of the failure, where the rule aligns the shapes.
    pub drawing: Option<Drawing>,
}

/// Applies a rule to shapes. The shapes are row-major; `order` is that in which they are shown.
///
/// # Errors
/// When the shapes do not broadcast.
///
/// ```
/// use broadaxe_draw::{Order, shaped};
/// use broadaxe_shape::Rule;
/// let shaped = shaped(&Rule::numpy(), &["n,4".parse()?, "4".parse()?], Order::ROW_MAJOR).map_err(|error| error.error)?;
/// assert_eq!(shaped.json()["shape"].to_string(), r#"["n",4]"#);
/// # Ok::<(), broadaxe_shape::Error>(())
/// ```
pub fn shaped(rule: &Rule, shapes: &[SymbolicShape], order: Order) -> Result<Shaped, Box<ShapedError>> {
    let known: Option<Vec<Shape>> = shapes.iter().map(SymbolicShape::known).collect();
    let (outcome, drawing, alignment) = if let Some(known) = known {
        align(rule, &known, order)?
    } else {
        let inferred = rule.infer(shapes).map_err(|error| error_in(order, &[], error, None))?;
        let drawing = Open { rule, shapes, inferred: &inferred }.drawing(&rule.to_string(), order);
        (Symbolic { rule, shapes, inferred, order }.result(), drawing, None)
    };
    Ok(Shaped { rule: rule.clone(), outcome, drawing, alignment, order })
}

impl Shaped {
    /// Returns the lines that the command prints.
    pub fn text(&self) -> String {
        self.outcome.show(&self.rule)
    }

    /// Returns the answer as `broadaxe shape --json` prints it.
    pub fn json(&self) -> Json {
        self.outcome.describe(&self.rule)
    }

    /// Returns the alignment, if the dims are known.
    pub fn alignment(&self) -> Option<&Alignment> {
        self.alignment.as_ref()
    }

    /// Returns the order in which axes are shown.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the drawing.
    pub fn drawing(&self) -> &Drawing {
        &self.drawing
    }
}

impl ShapedError {
    /// Returns the error as the command prints it: `{"error": {"kind": ..., "message": ...}}`.
    pub fn json(&self) -> Json {
        let mut parts = record::error_parts(&self.error, self.axis);
        parts.insert("message", &self.message);
        json!({ "error": parts })
    }
}

/// What is printed, in the order of axes in which it is printed.
#[derive(Debug)]
struct Outcome {
    shape: String,
    /// None when not even the rank is known.
    dims: Option<Vec<Json>>,
    operands: Vec<ShapedOperand>,
    guards: Vec<String>,
    note: Option<&'static str>,
}

/// An operand: its shape, and its axes and strides where they are known.
#[derive(Debug)]
struct ShapedOperand {
    shape: String,
    axes: Option<Vec<usize>>,
    strides: Option<Strides>,
}

/// Strides as text and as numbers, and the periods of an operand that may be tiled.
#[derive(Debug)]
struct Strides {
    text: Vec<String>,
    numbers: Vec<isize>,
    periods: Option<Vec<usize>>,
}

fn align(
    rule: &Rule,
    shapes: &[Shape],
    order: Order,
) -> Result<(Outcome, Drawing, Option<Alignment>), Box<ShapedError>> {
    let dims: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
    let alignment =
        rule.align(&dims).map_err(|error| error_in(order, shapes, error, Drawing::failed(rule, &dims, order)))?;
    let drawing = Drawing::new(rule, &alignment, order);
    let rank = alignment.shape().len();
    let operands = alignment.operands().iter().enumerate().map(|(k, operand)| ShapedOperand {
        shape: order.shape(operand.shape()),
        axes: Some(order.axes(operand.axes(), rank)),
        strides: Some({
            let (numbers, periods) = steps(&alignment, k);
            let periods = periods.map(|periods| order.list(&periods));
            Strides { text: order.list(&strides(&alignment, k)), numbers: order.list(&numbers), periods }
        }),
    });
    let outcome = Outcome {
        shape: order.shape(alignment.shape()),
        dims: Some(order.list(alignment.shape()).iter().map(ToJson::to_json).collect()),
        operands: operands.collect(),
        guards: Vec::new(),
        note: None,
    };
    Ok((outcome, drawing, Some(alignment)))
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
        let operands = self.shapes.iter().enumerate().map(|(k, shape)| ShapedOperand {
            shape: self.show(shape),
            axes: self.inferred.placement().map(|placement| order.axes(placement.axes(k), placement.rank())),
            strides: None,
        });
        let note = if !guard.is_exact() {
            Some("An operand's rank is not known: these guards are not all that must hold.")
        } else if order.reversed && !guard.is_always() {
            Some("In guards, axes without a name are counted row-major.")
        } else {
            None
        };
        Outcome {
            shape: self.show(self.inferred.shape()),
            dims: dims.map(|dims| order.list(dims).iter().map(record::dim).collect()),
            operands: operands.collect(),
            guards: guards(&self.inferred),
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
        let width = |cell: fn(&ShapedOperand) -> usize| self.operands.iter().map(cell).max().unwrap_or(0);
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
            text += &format!("  {} {guard}\n", if i == 0 { "if" } else { "and" });
        }
        if let Some(note) = self.note {
            text += &format!("{note}\n");
        }
        text
    }

    fn describe(&self, rule: &Rule) -> Json {
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
fn error_in(order: Order, shapes: &[Shape], error: Error, drawing: Option<Drawing>) -> Box<ShapedError> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let counted = error.axis().map(|axis| if axis < rank { rank - 1 - axis } else { axis });
    let (message, axis) = match (error.kind(), counted, error.sizes(), error.operand(), shapes) {
        _ if !order.reversed => (error.to_string(), error.axis()),
        (ErrorKind::Mismatch, Some(axis), Some((one, other)), Some(operand), [a, b]) => {
            let (in_a, in_b) = if operand == 1 { (one, other) } else { (other, one) };
            let text = format!(
                "broadcast of a {} with b {} under ncnn: axis {axis} is {in_a} in a and {in_b} in b; they must be \
                 equal or 1 (axes as ncnn counts them, w first)",
                order.shape(a),
                order.shape(b)
            );
            (text, Some(axis))
        }
        (ErrorKind::Parse | ErrorKind::Parameter | ErrorKind::Operands, ..) => (error.to_string(), error.axis()),
        _ => (format!("{error} (shapes are shown row-major here, the reverse of ncnn's order)"), counted),
    };
    Box::new(ShapedError { error, message, axis, drawing })
}
