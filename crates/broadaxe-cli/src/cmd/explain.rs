//! `broadaxe explain`: draws how shapes are aligned, and lists the loops and their cost.

mod symbolic;
mod codes;

use std::path::Path;

use broadaxe::{
    Decisions, Plan,
    promote::{self, Typed},
};
use broadaxe_draw::{Drawing, Order, repeated};
use broadaxe_kernels::{DType, Promotion};
use broadaxe_models::{code, format};
use broadaxe_shape::{Alignment, Rule, Shape, SymbolicShape, contiguous_strides};
use serde_json::{Value, json};

use self::symbolic::SymbolicDrawing;
use super::{eval, model, picture};
use crate::{
    answer::{Answer, columns, join, letter},
    args::ExplainArgs,
    bytes,
    error::{Error, ErrorKind, escaped},
    terminal,
};

/// Draws the alignment and the plan of an operation on contiguous arrays; without the plan where a dim is not known.
///
/// # Errors
/// When the shapes do not broadcast, or no address could reach the result.
pub fn run(args: &ExplainArgs) -> Result<Answer, Error> {
    let Some(node) = &args.node else {
        if let [word] = args.shapes.as_slice()
            && let Some(code) = code::find(word)
        {
            if args.picture.is_asked() {
                return Err(Error::usage(format!("{word} is a finding code; only shapes and nodes can be drawn")));
            }
            return Ok(codes::page(code));
        }
        if let [word] = args.shapes.as_slice()
            && codes::is_code(word)
        {
            return Err(codes::unknown(word));
        }
        let shapes: Vec<SymbolicShape> = args.shapes.iter().map(|text| shape(text)).collect::<Result<_, _>>()?;
        return match answer(args.rule.rule()?, &shapes, None, args) {
            Ok(explained) => pictured(args, explained, ""),
            Err(failed) => picture::failed(&args.picture, failed.1, failed.0),
        };
    };
    let [path] = args.shapes.as_slice() else {
        return Err(Error::usage("with --node give one model file and no shapes"));
    };
    let node = model::explain(Path::new(path), node, &args.inputs)?;
    let mut explained = match answer(node.rule, &node.shapes, node.target.as_ref(), args) {
        Ok(explained) => explained,
        Err(failed) => return picture::failed(&args.picture, failed.1, failed.0),
    };
    explained.json["node"] = node.json;
    let head = terminal::fitted(&node.head, terminal::columns()) + "\n";
    pictured(args, explained, &head)
}

/// Answers with the text below this head, or with the picture that was asked for.
fn pictured(args: &ExplainArgs, explained: Answered, head: &str) -> Result<Answer, Error> {
    let Answered { text, json, drawing } = explained;
    let drawings = [drawing];
    let text = args.picture.text(&drawings).unwrap_or_else(|| format!("{head}{text}"));
    picture::saved(&args.picture, &drawings, Answer::new(text, json))
}

/// Reads a shape; a file in its place is a model whose node is not said.
fn shape(text: &str) -> Result<SymbolicShape, Error> {
    let path = Path::new(text);
    let is_model = format::FORMATS.iter().any(|format| has_extension(text, format.extensions));
    let foreign = format::foreign(path);
    if path.is_file() {
        let source = model::open(path)?;
        if format::detect(&source)?.is_none() {
            return Err(Error::from(format::unreadable(&source)).of(path));
        }
    } else if let Some(foreign) = foreign {
        return Err(Error::usage(foreign).of(path));
    } else if !is_model {
        return Ok(text.parse()?);
    }
    let text = format!(
        "'{text}' is a model file; --node NAME explains one of its nodes, and 'broadaxe list {text}' lists them"
    );
    Err(Error::usage(text))
}

fn has_extension(text: &str, extensions: &[&str]) -> bool {
    let own = Path::new(text).extension().and_then(|extension| extension.to_str());
    own.is_some_and(|own| extensions.iter().any(|extension| extension.eq_ignore_ascii_case(own)))
}

/// A broadcast, with its drawing.
struct Answered {
    text: String,
    json: Value,
    drawing: Drawing,
}

/// Draws a broadcast; `target` is the shape that a rule with one broadcasts to, where a dim of it is open.
///
/// # Errors
/// The error of shapes that do not broadcast comes with their drawing, where the rule aligns them.
fn answer(
    rule: Rule,
    shapes: &[SymbolicShape],
    target: Option<&SymbolicShape>,
    args: &ExplainArgs,
) -> Result<Answered, Box<(Error, Option<Drawing>)>> {
    let plain = |error| Box::new((error, None));
    let dtypes = args.dtypes(shapes.len()).map_err(plain)?;
    let known: Option<Vec<Shape>> = shapes.iter().map(SymbolicShape::known).collect();
    let Some(known) = known.filter(|_| target.is_none()) else {
        let open = SymbolicDrawing::new(rule, shapes, target).map_err(plain)?;
        return Ok(Answered { text: open.show(), json: open.describe(), drawing: open.drawing() });
    };
    let dims: Vec<&[usize]> = known.iter().map(Shape::dims).collect();
    let alignment = rule
        .align(&dims)
        .map_err(|error| Box::new((Error::from(error), Drawing::failed(&rule, &dims, Order::ROW_MAJOR))))?;
    let explained = planned(rule, alignment, dtypes).map_err(plain)?;
    Ok(Answered { text: explained.show(args.plan), json: explained.describe(), drawing: explained.drawing() })
}

fn planned(rule: Rule, alignment: Alignment, dtypes: Vec<DType>) -> Result<KnownDrawing, Error> {
    let operands: Vec<Typed> = dtypes.iter().copied().map(Typed::Strong).collect();
    let dtype = promote::dtype(Promotion::Common, &operands).unwrap_or(DType::F32);
    let plan = plan(&alignment, &dtypes, dtype)?;
    let how = plan.decisions(dtype)?;
    Ok(KnownDrawing { rule, alignment, dtypes, dtype, plan, how })
}

/// Plans contiguous operands of these dtypes.
fn plan(alignment: &Alignment, dtypes: &[DType], dtype: DType) -> Result<Plan, Error> {
    let shape = alignment.shape();
    let bytes = shape.iter().filter(|&&dim| dim != 0).try_fold(dtype.size(), |n, &dim| n.checked_mul(dim));
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        let text = format!("a result of shape {shape} and dtype {} is too large to address", dtype.name());
        return Err(Error::new(ErrorKind::Memory, text));
    }
    let in_bytes = |strides: Vec<isize>, dtype: DType| -> Vec<isize> {
        strides.into_iter().map(|stride| stride * dtype.size() as isize).collect()
    };
    let inputs = dtypes.iter().enumerate().map(|(k, &dtype)| in_bytes(alignment.strides(k), dtype));
    let (output, inputs) = (in_bytes(contiguous_strides(shape), dtype), inputs.collect::<Vec<_>>());
    Ok(if alignment.is_tiled() { Plan::tiled(alignment, &output, &inputs) } else { Plan::new(shape, &output, &inputs) })
}

struct KnownDrawing {
    rule: Rule,
    alignment: Alignment,
    /// The dtype of each operand.
    dtypes: Vec<DType>,
    /// The dtype that they are computed in, and that of the result.
    dtype: DType,
    plan: Plan,
    how: Decisions,
}

impl KnownDrawing {
    fn drawing(&self) -> Drawing {
        Drawing::new(&self.rule, &self.alignment, Order::ROW_MAJOR)
    }

    fn show(&self, with_units: bool) -> String {
        let alignment = &self.alignment;
        let mut text = format!("{} under {}\n\n{}", alignment.shape(), self.rule, above(&self.drawing()));
        let of: Vec<&str> = match self.dtypes.as_slice() {
            same if same.iter().all(|&dtype| dtype == self.dtype) => vec![self.dtype.name()],
            several => several.iter().map(|dtype| dtype.name()).collect(),
        };
        text += &format!("\nLoops, the outermost first; steps in bytes of {}:\n{}", join(&of, ", "), self.loops());
        if with_units {
            text += &format!("Computed {}.\n", eval::pieces(&self.how));
        }
        let (read, written) = (self.read().iter().sum::<u128>(), bytes_of(alignment.shape(), self.dtype));
        text += &format!("\nReads {} of input, writes {}", bytes::show(read), bytes::show(written));
        text += &match self.blow_up() {
            Some(factor) => format!(": {factor:.2} elements of result per element of input.\n"),
            None => ": the inputs have no elements.\n".to_owned(),
        };
        terminal::fitted(&text, terminal::columns())
    }

    fn loops(&self) -> String {
        let nest = self.plan.nest();
        let operands = nest.inputs.len();
        let mut rows = vec![["times", "axes", "result"].map(str::to_owned).to_vec()];
        rows[0].extend((0..operands).map(letter));
        for (i, axes) in self.plan.axes().iter().enumerate() {
            let mut row = vec![nest.dims[i].to_string(), join(axes, " "), step(nest.output[i])];
            row.extend(nest.inputs.iter().map(|strides| step(strides[i])));
            rows.push(row);
        }
        if rows.len() == 1 {
            return "  none: there is one element\n".to_owned();
        }
        columns(&rows)
    }

    fn read(&self) -> Vec<u128> {
        let operands = self.alignment.operands().iter().zip(&self.dtypes);
        operands.map(|(operand, &dtype)| bytes_of(operand.shape(), dtype)).collect()
    }

    /// Returns the elements of the result per element of the operands.
    fn blow_up(&self) -> Option<f64> {
        let read: u128 = self.alignment.operands().iter().map(|operand| count(operand.shape())).sum();
        (read > 0).then(|| count(self.alignment.shape()) as f64 / read as f64)
    }

    fn describe(&self) -> Value {
        let nest = self.plan.nest();
        let operands = self.alignment.operands().iter().enumerate().map(|(k, operand)| {
            let along = repeated(&self.alignment, k).into_iter();
            let along = along.map(|(axis, times)| json!({ "axis": axis, "times": times }));
            let along = along.collect::<Vec<_>>();
            let mut json = json!({ "shape": operand.shape().dims(), "axes": operand.axes(), "repeats": along });
            if self.dtypes[k] != self.dtype {
                json["dtype"] = self.dtypes[k].name().into();
            }
            json
        });
        let loops = self.plan.axes().into_iter().enumerate().map(|(i, axes)| {
            let inputs: Vec<isize> = nest.inputs.iter().map(|strides| strides[i]).collect();
            json!({ "times": nest.dims[i], "axes": axes, "result": nest.output[i], "operands": inputs })
        });
        json!({
            "rule": self.rule.to_string(),
            "dtype": self.dtype.name(),
            "shape": self.alignment.shape().dims(),
            "operands": operands.collect::<Vec<_>>(),
            "loops": loops.collect::<Vec<_>>(),
            "unit": { "rows": self.how.rows, "row": self.how.row, "turns": self.how.turns },
            "packed": self.how.packed,
            "constant": self.how.constant,
            "bytes_read": self.read().iter().sum::<u128>() as u64,
            "bytes_written": bytes_of(self.alignment.shape(), self.dtype) as u64,
            "blow_up": self.blow_up(),
        })
    }
}

/// Writes a drawing, and below it what repeats.
fn above(drawing: &Drawing) -> String {
    let said = drawing.rows.iter().map(|row| format!("  {} {} {}\n", row.name, row.shape, row.repeats));
    let said: String = said.collect();
    format!("{}\n{}", drawing.text(!terminal::is_utf8()), escaped_lines(&said))
}

/// Escapes lines, which may hold the names of dims.
fn escaped_lines(text: &str) -> String {
    text.lines().map(|line| escaped(line) + "\n").collect()
}

/// Writes the step of a loop; where an operand does not move it repeats.
fn step(stride: isize) -> String {
    if stride == 0 { "repeats".to_owned() } else { format!("{stride:+}") }
}

fn count(shape: &[usize]) -> u128 {
    shape.iter().map(|&dim| dim as u128).product()
}

fn bytes_of(shape: &[usize], dtype: DType) -> u128 {
    count(shape) * dtype.size() as u128
}
