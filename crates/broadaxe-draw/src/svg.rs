//! Renders drawings as one SVG, which holds its styles for light and dark pages and needs no font.

use crate::{
    drawing::{Cell, Drawing, Row},
    markup::{id, markup},
    words::join,
};

/// Lengths in pixels.
const MARGIN: usize = 12;
const TITLE_HEIGHT: usize = 30;
const AXES_HEIGHT: usize = 20;
const BOX_HEIGHT: usize = 28;
/// The height of a box that holds a size and an index.
const TRACED_BOX_HEIGHT: usize = 38;
const BETWEEN_ROWS: usize = 10;
const NOTE_HEIGHT: usize = 20;
const GAP: usize = 8;
const BETWEEN: usize = 22;
/// The width of a character of the monospaced font at 14 px, and at 12 px, rounded up.
const CHARACTER: usize = 9;
const NOTE_CHARACTER: usize = 8;
const NARROWEST_BOX: usize = 46;
/// How many hues tell operands apart.
const HUES: usize = 5;

/// Colours, each for light and dark pages: class, property, light, dark.
const COLOURS: [(&str, &str, &str, &str); 19] = [
    ("ground", "fill", "#ffffff", "#15181c"),
    ("text", "fill", "#1b1f24", "#e8eaed"),
    ("quiet", "fill", "#59636e", "#a3abb5"),
    ("none", "stroke", "#8b949e", "#6b7480"),
    ("o0", "fill", "#dbeafe", "#12335f"),
    ("o0", "stroke", "#2563eb", "#6ea8fe"),
    ("o1", "fill", "#ffedd5", "#4a2a0b"),
    ("o1", "stroke", "#c2570c", "#f2a35e"),
    ("o2", "fill", "#d9f3e4", "#0d3b27"),
    ("o2", "stroke", "#15803d", "#5cc88a"),
    ("o3", "fill", "#f0e3fd", "#3a1f57"),
    ("o3", "stroke", "#7e3fc4", "#c296f5"),
    ("o4", "fill", "#fce1ec", "#511a34"),
    ("o4", "stroke", "#b91d68", "#f088b7"),
    ("result", "fill", "#eef1f4", "#2a3038"),
    ("result", "stroke", "#59636e", "#a3abb5"),
    ("clash", "fill", "#fdecea", "#46191a"),
    ("clash", "stroke", "#cf222e", "#ff7b72"),
    ("bad", "fill", "#b42318", "#ff9a92"),
];

/// Renders drawings below each other as one SVG. Returns the text of a file in ASCII.
///
/// The picture has the colours of light or dark pages (`color-scheme`), a title and a description for screen readers, and ids that
/// depend on its contents only.
///
/// ```
/// use broadaxe_draw::{Drawing, Order, svg};
/// use broadaxe_shape::Rule;
/// let rule = Rule::numpy();
/// let alignment = rule.align(&[&[2, 3], &[3]])?;
/// let picture = svg(&[Drawing::new(&rule, &alignment, Order::ROW_MAJOR)]);
/// assert!(picture.starts_with("<svg ") && picture.is_ascii());
/// # Ok::<(), broadaxe_shape::Error>(())
/// ```
pub fn svg(drawings: &[Drawing]) -> String {
    let said: Vec<String> = drawings.iter().map(Drawing::alternative).collect();
    let titles: Vec<&str> = drawings.iter().map(|drawing| drawing.title.as_str()).collect();
    let id = id(said.iter().map(String::as_str));
    let width = drawings.iter().map(|drawing| Measures::of(drawing).width).max().unwrap_or(0) + 2 * MARGIN;
    let (mut body, mut y) = (String::new(), MARGIN);
    for (k, drawing) in drawings.iter().enumerate() {
        if k > 0 {
            y += BETWEEN;
        }
        y = picture(drawing, y, &mut body);
    }
    let height = y + MARGIN;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{id}\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
         <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n<style>{}</style>\n",
        markup(&join(&titles, "; ")),
        markup(&join(&said, " ")),
        style(&id)
    );
    text += &hatches(&id, drawings);
    text += &format!("<rect class=\"ground\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>\n{body}</svg>\n");
    text
}

/// Writes the styles, limited to this picture. In a page the picture has the colour scheme of the page, and in a file that of the viewer. A viewer that does not know `light-dark` shows the light colours.
fn style(id: &str) -> String {
    let mut text = format!(
        "svg.{id}:root{{color-scheme:light dark}}.{id}{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;max-width:100%;height:auto}}\
         .{id} .n{{font-size:12px}}.{id} .b{{font-weight:600}}.{id} .m{{text-anchor:middle}}\
         .{id} .e{{text-anchor:end}}.{id} .none{{fill:none;stroke-dasharray:1.5 4;stroke-width:1.5;stroke-linecap:round}}\
         .{id} .s{{stroke-dasharray:5 3}}"
    );
    for (class, property, light, dark) in COLOURS {
        text += &format!(".{id} .{class}{{{property}:{light};{property}:light-dark({light},{dark})}}");
    }
    // Hatches are drawn in the line colour of their operand, over its fill.
    for hue in 0..HUES {
        text += &format!(".{id} .h{hue}{{fill:url(#{id}-h{hue})}}");
    }
    text
}

fn hatches(id: &str, drawings: &[Drawing]) -> String {
    let is_stretched = |row: &Row| row.cells.iter().any(|cell| matches!(cell, Cell::Stretched { .. }));
    let used = |hue: usize| {
        drawings
            .iter()
            .any(|drawing| drawing.rows.iter().enumerate().any(|(k, row)| k % HUES == hue && is_stretched(row)))
    };
    let hatch = |hue: usize| {
        format!(
            "<pattern id=\"{id}-h{hue}\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
             <path class=\"o{hue}\" d=\"M0 0V7\" stroke-width=\"2\" stroke-opacity=\"0.45\"/></pattern>"
        )
    };
    let hatches: Vec<String> = (0..HUES).filter(|&hue| used(hue)).map(hatch).collect();
    if hatches.is_empty() { String::new() } else { format!("<defs>{}</defs>\n", hatches.concat()) }
}

/// The columns of a drawing.
struct Measures {
    /// The width of the names and shapes on the left.
    names: usize,
    height: usize,
    boxes: Vec<usize>,
    width: usize,
}

impl Measures {
    fn of(drawing: &Drawing) -> Self {
        let count = |text: &str| text.chars().count();
        let name = |row: &Row| count(&row.name) + 2 + count(&row.shape);
        let names = drawing.rows.iter().map(name).max().unwrap_or(0).max("result".len()) * CHARACTER + GAP;
        let column = |at: usize| {
            let cells = drawing.rows.iter().filter_map(|row| row.cells.get(at)).map(|cell| count(&shown(cell)));
            let result = drawing.result.iter().filter_map(|result| result.get(at)).map(|size| count(size));
            let widest = cells.chain(result).max().unwrap_or(1);
            (widest * CHARACTER + 2 * GAP).max(NARROWEST_BOX)
        };
        let boxes: Vec<usize> = (0..drawing.axes.len()).map(column).collect();
        let grid = names + boxes.iter().map(|width| width + GAP).sum::<usize>();
        let title = count(&drawing.title) * CHARACTER;
        let notes =
            drawing.trace.iter().map(|trace| count(&trace.sentence) + "element : ".len() + 4 * trace.element.len());
        let notes = notes.chain(drawing.notes.iter().map(|note| count(note))).max().unwrap_or(0) * NOTE_CHARACTER;
        let height = if drawing.trace.is_some() { TRACED_BOX_HEIGHT } else { BOX_HEIGHT };
        Self { names, height, boxes, width: grid.max(title).max(notes) }
    }

    /// Returns where a column begins.
    fn x(&self, at: usize) -> usize {
        MARGIN + self.names + self.boxes[..at].iter().map(|width| width + GAP).sum::<usize>()
    }

    fn row(&self) -> usize {
        self.height + BETWEEN_ROWS
    }

    fn baseline(&self, y: usize) -> usize {
        y + self.height / 2 + 5
    }

    fn middle(&self, at: usize) -> usize {
        self.x(at) + self.boxes[at] / 2
    }
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Missing(None) => String::new(),
        Cell::Missing(Some(to)) => format!("→ {to}"),
        Cell::Size(size) => size.clone(),
        Cell::Stretched { from, to, .. } => format!("{from} → {to}"),
    }
}

/// Draws one drawing from this height down; returns the height below it.
fn picture(drawing: &Drawing, top: usize, body: &mut String) -> usize {
    let measures = Measures::of(drawing);
    let mut y = top;
    label(body, "b text", MARGIN, y + 16, &drawing.title);
    y += TITLE_HEIGHT;
    let rows = drawing.rows.len() + usize::from(drawing.result.is_some() || !drawing.clashes.is_empty());
    for &at in drawing.clashes.iter().filter(|&&at| at < measures.boxes.len()) {
        let (x, width) = (measures.x(at) - GAP / 2, measures.boxes[at] + GAP);
        let height = AXES_HEIGHT + rows * measures.row();
        *body += &format!(
            "<rect class=\"clash\" x=\"{x}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"6\" stroke-width=\"1.5\"/>\n",
            y - 4
        );
    }
    if !drawing.axes.is_empty() {
        label(body, "n quiet", MARGIN, y + 12, "axis");
        for (at, axis) in drawing.axes.iter().enumerate() {
            label(body, "n quiet m", measures.middle(at), y + 12, &axis.to_string());
        }
        y += AXES_HEIGHT;
    }
    for (k, row) in drawing.rows.iter().enumerate() {
        operand(drawing, &measures, (k, row), y, body);
        y += measures.row();
    }
    y = result(drawing, &measures, y, body);
    if let Some(trace) = &drawing.trace {
        let element = join(&trace.element, ", ");
        label(body, "n b text", MARGIN, y + 14, &format!("element ({element}): {}", trace.sentence));
        y += NOTE_HEIGHT;
    }
    for note in &drawing.notes {
        label(body, "n quiet", MARGIN, y + 14, note);
        y += NOTE_HEIGHT;
    }
    y
}

fn operand(drawing: &Drawing, measures: &Measures, (k, row): (usize, &Row), y: usize, body: &mut String) {
    let hue = k % HUES;
    let baseline = measures.baseline(y);
    label(body, "b text", MARGIN, baseline, &row.name);
    label(body, "quiet e", MARGIN + measures.names - GAP, baseline, &row.shape);
    for (at, cell) in row.cells.iter().enumerate() {
        let (x, width, height) = (measures.x(at), measures.boxes[at], measures.height);
        let frame = |class: &str, stroke: &str| {
            format!(
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\"{stroke}/>\n"
            )
        };
        *body += &match cell {
            Cell::Missing(_) => frame("none", ""),
            Cell::Size(_) => frame(&format!("o{hue}"), " stroke-width=\"1.5\""),
            Cell::Stretched { .. } => {
                frame(&format!("o{hue} s"), " stroke-width=\"1.5\"") + &frame(&format!("h{hue}"), "")
            }
        };
        let index = drawing.trace.as_ref().and_then(|trace| trace.reads.get(k)?.get(at).copied().flatten());
        let class = if matches!(cell, Cell::Missing(_)) { "m quiet" } else { "m text" };
        cell_text(body, class, (measures.middle(at), y, measures), &shown(cell), index);
    }
}

fn result(drawing: &Drawing, measures: &Measures, y: usize, body: &mut String) -> usize {
    let baseline = measures.baseline(y);
    let Some(sizes) = &drawing.result else {
        for &at in drawing.clashes.iter().filter(|&&at| at < measures.boxes.len()) {
            label(body, "m b bad", measures.middle(at), baseline, "✗");
        }
        return if drawing.clashes.is_empty() { y } else { y + measures.row() };
    };
    if drawing.rows.is_empty() {
        return y;
    }
    label(body, "b text", MARGIN, baseline, "result");
    for (at, size) in sizes.iter().enumerate() {
        let (x, width, height) = (measures.x(at), measures.boxes[at], measures.height);
        *body += &format!(
            "<rect class=\"result\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\" stroke-width=\"1.5\"/>\n"
        );
        let index = drawing.trace.as_ref().and_then(|trace| trace.element.get(at).copied());
        cell_text(body, "m b text", (measures.middle(at), y, measures), size, index);
    }
    y + measures.row()
}

/// Writes the size in a box and, where an element is traced, the index below it.
fn cell_text(body: &mut String, class: &str, at: (usize, usize, &Measures), text: &str, index: Option<usize>) {
    let (x, y, measures) = at;
    let up = if index.is_some() { 7 } else { 0 };
    label(body, class, x, measures.baseline(y) - up, text);
    if let Some(index) = index {
        label(body, "m n b text", x, y + measures.height - 7, &format!("[{index}]"));
    }
}

fn label(body: &mut String, class: &str, x: usize, y: usize, text: &str) {
    if !text.is_empty() {
        *body += &format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>\n", markup(text));
    }
}
