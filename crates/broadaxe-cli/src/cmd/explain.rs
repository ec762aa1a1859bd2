//! `broadaxe explain`: draws how shapes are aligned, and lists the loops and their cost.

mod codes;
mod node;

use broadaxe_draw::{Drawing, Order, Sheet};
use broadaxe_session::{
    explain::{Broadcast, Explained, explain, known::KnownBroadcast, open::OpenBroadcast},
    model::Open,
    request::ExplainRequest,
    stream,
};

use serde_json::json;

use super::{eval, picture};
use crate::{
    answer::{Answer, columns, join, letter},
    args::{ExplainArgs, PictureArgs},
    bytes,
    error::{Error, escaped},
    terminal,
};

/// Draws the alignment and the plan of an operation on contiguous arrays; without the plan where a dim is not known.
///
/// # Errors
/// When the shapes do not broadcast, or no address could reach the result.
pub fn run(args: &ExplainArgs) -> Result<Answer, Error> {
    answer(&args.request(), args.plan, &args.picture, &stream::open)
}

/// Answers a request with this picture, and with the units of work where they are asked for.
pub(super) fn answer(
    request: &ExplainRequest,
    with_units: bool,
    picture: &PictureArgs,
    open: Open<'_>,
) -> Result<Answer, Error> {
    let explained = match explain(request, open) {
        Ok(explained) => explained,
        Err(rejection) => return picture::failed(picture, rejection.drawing, rejection.error),
    };
    let (node, broadcast) = match &explained {
        Explained::Code(_) if picture.is_asked() => {
            let word = request.shapes.join(" ");
            return Err(Error::usage(format!("{word} is a finding code; only shapes and nodes can be drawn")));
        }
        Explained::Code(code) => return Ok(Answer::new(codes::page(code), explained.record())),
        Explained::Shapes(broadcast) => (None, broadcast),
        Explained::Node(node, broadcast) => (Some(node), broadcast),
    };
    let drawing = drawing(broadcast);
    let alignment = if let Broadcast::Known(known) = broadcast { Some(&known.alignment) } else { None };
    let sheet = Sheet::of(drawing.clone(), alignment, Order::ROW_MAJOR);
    let sheet = node.map_or_else(|| sheet.clone(), |node| sheet.clone().titled(&node::title(node)));
    let text = picture.text(&sheet).unwrap_or_else(|| {
        node.map_or_else(String::new, node::head)
            + &match broadcast {
                Broadcast::Known(known) => known_text(known, &drawing, with_units),
                Broadcast::Open(open) => open_text(open, &drawing),
            }
    });
    let cost = if let Broadcast::Known(known) = broadcast { Some(cost(known)) } else { None };
    let answer = Answer { words: json!({ "cost": cost }), ..Answer::new(text, explained.record()) };
    picture::saved(picture, &sheet, answer)
}

fn drawing(broadcast: &Broadcast) -> Drawing {
    match broadcast {
        Broadcast::Known(known) => Drawing::new(&known.rule, &known.alignment, Order::ROW_MAJOR),
        Broadcast::Open(open) => open.open().drawing(&open.under, Order::ROW_MAJOR),
    }
}

/// Writes a broadcast of known dims, with its loops and its bytes.
fn known_text(known: &KnownBroadcast, drawing: &Drawing, with_units: bool) -> String {
    let alignment = &known.alignment;
    let mut text = format!("{} under {}\n\n{}", alignment.shape(), known.rule, above(drawing));
    let of: Vec<&str> = match known.dtypes.as_slice() {
        same if same.iter().all(|&dtype| dtype == known.dtype) => vec![known.dtype.name()],
        several => several.iter().map(|dtype| dtype.name()).collect(),
    };
    text += &format!("\nLoops, the outermost first; steps in bytes of {}:\n{}", join(&of, ", "), loops(known));
    if with_units {
        text += &format!("Computed {}.\n", eval::pieces(&known.decisions));
    }
    text += &format!("\n{}\n", cost(known));
    terminal::fitted(&text, terminal::columns())
}

/// Says how much is read and written.
fn cost(known: &KnownBroadcast) -> String {
    let (read, written) = (known.read().iter().sum::<u128>(), known.written());
    let text = format!("Reads {} of input, writes {}", bytes::show(read), bytes::show(written));
    text + &match known.blow_up() {
        Some(factor) => format!(": {factor:.2} elements of result per element of input."),
        None => ": the inputs have no elements.".to_owned(),
    }
}

fn loops(known: &KnownBroadcast) -> String {
    let nest = known.plan.nest();
    let operands = nest.inputs.len();
    let mut rows = vec![["times", "axes", "result"].map(str::to_owned).to_vec()];
    rows[0].extend((0..operands).map(letter));
    for (i, axes) in known.plan.axes().iter().enumerate() {
        let mut row = vec![nest.dims[i].to_string(), join(axes, " "), step(nest.output[i])];
        row.extend(nest.inputs.iter().map(|strides| step(strides[i])));
        rows.push(row);
    }
    if rows.len() == 1 {
        return "  none: there is one element\n".to_owned();
    }
    columns(&rows)
}

/// Writes a broadcast of symbolic shapes, with its conditions.
fn open_text(open: &OpenBroadcast, drawing: &Drawing) -> String {
    let mut text = format!("{} under {}\n\n", open.inferred.shape(), open.under);
    if drawing.rows.is_empty() {
        text += "  The sizes decide where the axes go.\n";
    } else {
        text += &above(drawing);
    }
    for (i, guard) in open.open().guards().into_iter().enumerate() {
        text += &format!("{}  {} {guard}\n", if i == 0 { "\n" } else { "" }, if i == 0 { "if" } else { "and" });
    }
    if !open.inferred.guard().is_exact() {
        text += "\nThe rank of an operand is not known, so there may be further conditions.\n";
    }
    text += "\nLoops and bytes depend on the sizes; give numbers to see them.\n";
    escaped_lines(&text)
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
