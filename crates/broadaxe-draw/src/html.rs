//! Renders drawings as tables of HTML.

use crate::{
    drawing::{Cell, Drawing, Row},
    markup::markup,
};

/// Renders a drawing as a table; none where it has no rows.
pub(crate) fn table(drawing: &Drawing) -> Option<String> {
    if drawing.rows.is_empty() {
        return None;
    }
    let head = concat(&drawing.axes, |axis| format!("<th scope=\"col\">axis {axis}</th>"));
    let mut text = format!(
        "<table>\n<caption>{}</caption>\n<thead><tr><th scope=\"col\">operand</th><th scope=\"col\">shape</th>{head}",
        markup(&drawing.title)
    );
    text += "<th scope=\"col\">repeats</th></tr></thead>\n<tbody>\n";
    for row in &drawing.rows {
        let Row { name, shape, cells, repeats } = row;
        let cells = concat(cells, |cell| format!("<td>{}</td>", markup(&words(cell))));
        let [name, shape, repeats] = [name, shape, repeats].map(|text| markup(text));
        text += &format!("<tr><th scope=\"row\">{name}</th><td>{shape}</td>{cells}<td>{repeats}</td></tr>\n");
    }
    if let Some(result) = &drawing.result {
        let cells = concat(result, |size| format!("<td>{}</td>", markup(size)));
        text += &format!("<tr><th scope=\"row\">result</th><td></td>{cells}<td></td></tr>\n");
    }
    Some(text + "</tbody>\n</table>\n")
}

fn concat<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    items.iter().map(write).collect::<Vec<_>>().concat()
}

fn words(cell: &Cell) -> String {
    match cell {
        Cell::Missing(None) => "–".to_owned(),
        Cell::Missing(Some(to)) => format!("– → {to}"),
        Cell::Size(size) => size.clone(),
        Cell::Stretched { from, to, .. } => format!("{from} → {to}"),
    }
}
