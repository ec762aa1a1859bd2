//! Renders drawings as one SVG, which holds its styles for light and dark pages and needs no font.

use crate::{
    canvas::Canvas,
    drawing::{Cell, Drawing, Row},
    markup::{id, markup},
    theme::{HUES, Theme, style},
    words::join,
};

/// Lengths in pixels.
pub(crate) const MARGIN: usize = 12;
pub(crate) const TITLE_HEIGHT: usize = 30;
const AXES_HEIGHT: usize = 20;
pub(crate) const BOX_HEIGHT: usize = 28;
/// The height of a box that holds a size and an index.
const TRACED_BOX_HEIGHT: usize = 38;
const BETWEEN_ROWS: usize = 10;
pub(crate) const NOTE_HEIGHT: usize = 20;
pub(crate) const GAP: usize = 8;
const BETWEEN: usize = 22;
/// The width of a character of the monospaced font at 14 px, and at 12 px, rounded up.
pub(crate) const CHARACTER: usize = 9;
pub(crate) const NOTE_CHARACTER: usize = 8;
const NARROWEST_BOX: usize = 46;
/// The height of a name that is written above its boxes, and the room to the left of them.
const NAME_HEIGHT: usize = 20;
const GUTTER: usize = 4 * NOTE_CHARACTER;
/// The width, with margins, that drawings of few axes keep to: that of a telephone.
pub(crate) const NARROW: usize = 320;

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
    svg_copy(drawings, None)
}

/// Renders drawings like [`svg`], with the number of this copy in all ids, for documents that may show a drawing twice.
pub fn svg_copy(drawings: &[Drawing], copy: Option<usize>) -> String {
    within(drawings, copy, NARROW)
}

/// Renders drawings like [`svg`], with names to the left of the boxes however wide they are: the page moves them itself.
pub(crate) fn svg_wide(drawings: &[Drawing]) -> String {
    within(drawings, None, usize::MAX)
}

fn within(drawings: &[Drawing], copy: Option<usize>, widest: usize) -> String {
    let said: Vec<String> = drawings.iter().map(Drawing::alternative).collect();
    let titles: Vec<&str> = drawings.iter().map(|drawing| drawing.title.as_str()).collect();
    let id = id(said.iter().map(String::as_str)) + &copy.map_or_else(String::new, |copy| format!("-{copy}"));
    let width = drawings.iter().map(|drawing| Measures::of(drawing, widest).width).max().unwrap_or(0) + 2 * MARGIN;
    let (mut canvas, mut y) = (Canvas::default(), MARGIN);
    for (k, drawing) in drawings.iter().enumerate() {
        if k > 0 {
            y += BETWEEN;
        }
        y = picture(drawing, &Measures::of(drawing, widest), Missing::Repeats, y, &mut canvas);
    }
    let size = Extent { width, height: y + MARGIN };
    document(&id, &join(&titles, "; "), &join(&said, " "), size, Theme::Auto, (drawings, &canvas.body))
}

/// The size of a picture, in pixels.
pub(crate) struct Extent {
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// Puts drawn elements into a document with a title, a description and styles.
pub(crate) fn document(
    id: &str,
    title: &str,
    said: &str,
    Extent { width, height }: Extent,
    theme: Theme,
    (drawings, body): (&[Drawing], &str),
) -> String {
    let ground = format!("<rect class=\"ground\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>");
    let elements = format!("{}{ground}\n{body}", hatches(id, drawings));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{id}\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
         <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n<style>{}</style>\n\
         {elements}</svg>\n",
        markup(title),
        markup(said),
        style(id, theme, &elements)
    )
}

/// What is written in the place of an axis that an operand does not have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// How often the operand repeats.
    Repeats,
    /// Nothing.
    Nothing,
    /// The size 1, with which it is filled up.
    One,
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
#[derive(Clone)]
pub(crate) struct Measures {
    /// The width of the names and shapes on the left, or of the room there.
    names: usize,
    /// The height of the names that are above their boxes, or 0.
    above: usize,
    /// The lines of the title.
    title: Vec<String>,
    height: usize,
    boxes: Vec<usize>,
    pub(crate) width: usize,
}

impl Measures {
    /// Measures a drawing. Where it is wider than `widest`, names are written above their boxes, and the title in two lines.
    pub(crate) fn of(drawing: &Drawing, widest: usize) -> Self {
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
        let columns = boxes.iter().map(|width| width + GAP).sum::<usize>();
        let is_above = 2 * MARGIN + names + columns > widest;
        let (names, longest) = if is_above { (GUTTER, names) } else { (names, 0) };
        let grid = (names + columns).max(longest);
        let room = widest.saturating_sub(2 * MARGIN).max(grid);
        let lines = match drawing.title.rfind(" under ") {
            // The blank in front says that the line goes on.
            Some(at) if count(&drawing.title) * CHARACTER > room => {
                vec![drawing.title[..at].to_owned(), drawing.title[at..].to_owned()]
            }
            _ => vec![drawing.title.clone()],
        };
        let title = lines.iter().map(|line| count(line.trim())).max().unwrap_or(0) * CHARACTER;
        let notes = drawing
            .trace
            .iter()
            .filter(|trace| !trace.sentence.is_empty())
            .map(|trace| count(&trace.sentence) + "element : ".len() + 4 * trace.element.len());
        let notes = notes.chain(drawing.notes.iter().map(|note| count(note))).max().unwrap_or(0) * NOTE_CHARACTER;
        let height = if drawing.trace.is_some() { TRACED_BOX_HEIGHT } else { BOX_HEIGHT };
        let above = if is_above { NAME_HEIGHT } else { 0 };
        Self { names, above, title: lines, height, boxes, width: grid.max(title).max(notes) }
    }

    /// Returns the same columns with another title.
    pub(crate) fn titled(self, title: &str) -> Self {
        let width = self.width.max(title.chars().count() * CHARACTER);
        Self { title: vec![title.to_owned()], width, ..self }
    }

    /// Returns where a column begins.
    fn x(&self, at: usize) -> usize {
        MARGIN + self.names + self.boxes[..at].iter().map(|width| width + GAP).sum::<usize>()
    }

    fn row(&self) -> usize {
        self.above + self.height + BETWEEN_ROWS
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

/// Draws one drawing from this height down, in these columns; returns the height below it.
pub(crate) fn picture(
    drawing: &Drawing,
    measures: &Measures,
    missing: Missing,
    top: usize,
    canvas: &mut Canvas,
) -> usize {
    let mut y = top;
    for line in &measures.title {
        canvas.label("b text", MARGIN, y + 16, line);
        y += NAME_HEIGHT;
    }
    y += TITLE_HEIGHT - NAME_HEIGHT;
    clashes(drawing, measures, y, canvas);
    if !drawing.axes.is_empty() {
        canvas.label("n quiet", MARGIN, y + 12, "axis");
        for (at, axis) in drawing.axes.iter().enumerate() {
            canvas.label("n quiet m", measures.middle(at), y + 12, &axis.to_string());
        }
        y += AXES_HEIGHT;
    }
    for (k, row) in drawing.rows.iter().enumerate() {
        operand(drawing, missing, measures, (k, row), y, canvas);
        y += measures.row();
    }
    y = result(drawing, measures, y, canvas);
    if let Some(trace) = drawing.trace.as_ref().filter(|trace| !trace.sentence.is_empty()) {
        let element = join(&trace.element, ", ");
        canvas.label("n b text", MARGIN, y + 14, &format!("element ({element}): {}", trace.sentence));
        y += NOTE_HEIGHT;
    }
    for note in &drawing.notes {
        canvas.label("n quiet", MARGIN, y + 14, note);
        y += NOTE_HEIGHT;
    }
    y
}

/// Marks the columns whose sizes clash; without a border where it would cross the names above.
fn clashes(drawing: &Drawing, measures: &Measures, y: usize, canvas: &mut Canvas) {
    let rows = drawing.rows.len() + usize::from(drawing.result.is_some() || !drawing.clashes.is_empty());
    for &at in drawing.clashes.iter().filter(|&&at| at < measures.boxes.len()) {
        let (x, width) = (measures.x(at) - GAP / 2, measures.boxes[at] + GAP);
        let height = AXES_HEIGHT + rows * measures.row();
        let border = if measures.above > 0 { "0" } else { "1.5" };
        canvas.body += &format!(
            "<rect class=\"clash\" x=\"{x}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"6\" stroke-width=\"{border}\"/>\n",
            y - 4
        );
    }
}

/// Writes the name and the shape of an operand, to the left of its boxes or above them.
fn name(row: &Row, measures: &Measures, y: usize, canvas: &mut Canvas) {
    if measures.above > 0 {
        canvas.label("b text", MARGIN, y + 14, &row.name);
        canvas.label("quiet", MARGIN + (row.name.chars().count() + 1) * CHARACTER, y + 14, &row.shape);
    } else {
        let baseline = measures.baseline(y);
        canvas.label("b text", MARGIN, baseline, &row.name);
        canvas.label("quiet e", MARGIN + measures.names - GAP, baseline, &row.shape);
    }
}

fn operand(
    drawing: &Drawing,
    missing: Missing,
    measures: &Measures,
    (k, row): (usize, &Row),
    y: usize,
    canvas: &mut Canvas,
) {
    let hue = k % HUES;
    name(row, measures, y, canvas);
    let y = y + measures.above;
    for (at, cell) in row.cells.iter().enumerate() {
        let (x, width, height) = (measures.x(at), measures.boxes[at], measures.height);
        let frame = |class: &str, stroke: &str| {
            format!(
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\"{stroke}/>\n"
            )
        };
        canvas.body += &match cell {
            Cell::Missing(_) => frame("none", ""),
            Cell::Size(_) => frame(&format!("o{hue}"), " stroke-width=\"1.5\""),
            Cell::Stretched { .. } => {
                frame(&format!("o{hue} s"), " stroke-width=\"1.5\"") + &frame(&format!("h{hue}"), "")
            }
        };
        let index = drawing.trace.as_ref().and_then(|trace| trace.reads.get(k)?.get(at).copied().flatten());
        let class = if matches!(cell, Cell::Missing(_)) { "m quiet" } else { "m text" };
        let text = match (cell, missing) {
            (Cell::Missing(_), Missing::Nothing) => String::new(),
            (Cell::Missing(_), Missing::One) => "1".to_owned(),
            _ => shown(cell),
        };
        cell_text(canvas, class, (measures.middle(at), y, measures), &text, index);
    }
}

fn result(drawing: &Drawing, measures: &Measures, y: usize, canvas: &mut Canvas) -> usize {
    let Some(sizes) = &drawing.result else {
        let baseline = measures.baseline(y + measures.above);
        for &at in drawing.clashes.iter().filter(|&&at| at < measures.boxes.len()) {
            canvas.label("m b bad", measures.middle(at), baseline, "✗");
        }
        return if drawing.clashes.is_empty() { y } else { y + measures.row() };
    };
    if drawing.rows.is_empty() {
        return y;
    }
    let below = y + measures.row();
    let baseline = if measures.above > 0 { y + 14 } else { measures.baseline(y) };
    canvas.label("b text", MARGIN, baseline, "result");
    let y = y + measures.above;
    for (at, size) in sizes.iter().enumerate() {
        let (x, width, height) = (measures.x(at), measures.boxes[at], measures.height);
        canvas.body += &format!(
            "<rect class=\"result\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\" stroke-width=\"1.5\"/>\n"
        );
        let index = drawing.trace.as_ref().and_then(|trace| trace.element.get(at).copied());
        cell_text(canvas, "m b text", (measures.middle(at), y, measures), size, index);
    }
    below
}

/// Writes the size in a box and, where an element is traced, the index below it.
fn cell_text(canvas: &mut Canvas, class: &str, at: (usize, usize, &Measures), text: &str, index: Option<usize>) {
    let (x, y, measures) = at;
    let up = if index.is_some() { 7 } else { 0 };
    canvas.label(class, x, measures.baseline(y) - up, text);
    if let Some(index) = index {
        canvas.label("m n b text", x, y + measures.height - 7, &format!("[{index}]"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Order;
    use broadaxe_shape::Rule;

    fn width(shapes: &[&[usize]], rule: &str) -> usize {
        let rule: Rule = rule.parse().unwrap();
        let text = svg(&[Drawing::new(&rule, &rule.align(shapes).unwrap(), Order::ROW_MAJOR)]);
        let read = roxmltree::Document::parse(&text).unwrap();
        read.root_element().attribute("width").unwrap().parse().unwrap()
    }

    #[test]
    fn drawings_of_four_axes_fit_a_telephone() {
        let cases: [(&[&[usize]], &str); 3] = [
            (&[&[1, 16, 8, 8], &[16]], "pdpd axis=1"),
            (&[&[8, 1, 6, 1], &[7, 1, 5]], "numpy"),
            (&[&[1, 128, 1, 128], &[128]], "onnx-legacy axis=1"),
        ];
        for (shapes, rule) in cases {
            assert!(width(shapes, rule) <= NARROW, "{shapes:?}: {}", width(shapes, rule));
            // The page moves names itself, and needs them to the left of the boxes.
            let rule: Rule = rule.parse().unwrap();
            let wide = svg_wide(&[Drawing::new(&rule, &rule.align(shapes).unwrap(), Order::ROW_MAJOR)]);
            assert!(wide.contains("class=\"quiet e\""), "{shapes:?}: {wide}");
        }
    }

    #[test]
    fn copies_have_ids_of_their_own() {
        let rule = Rule::numpy();
        let drawings = [Drawing::new(&rule, &rule.align(&[&[2]]).unwrap(), Order::ROW_MAJOR)];
        let [one, other] = [Some(1), Some(2)].map(|copy| svg_copy(&drawings, copy));
        assert_eq!(one.replace("-1", "-2"), other.replace("-1", "-2"));
        assert_ne!(one, other);
    }
}
