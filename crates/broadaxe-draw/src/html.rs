//! Renders drawings as HTML: the picture, and the same as a table.

use crate::{
    drawing::{Cell, Drawing, Row},
    markup::markup,
    svg::svg,
};

/// Renders a drawing as a fragment of HTML in ASCII: a figure with the SVG, and a table with the same contents.
pub fn html(drawing: &Drawing) -> String {
    let mut text = format!("<figure class=\"broadaxe\">\n{}", svg(std::slice::from_ref(drawing)));
    text += &format!("<figcaption>{}</figcaption>\n", markup(&drawing.title));
    if !drawing.rows.is_empty() {
        text += &format!("<details><summary>As a table</summary>\n{}</details>\n", table(drawing));
    }
    text + "</figure>\n"
}

fn table(drawing: &Drawing) -> String {
    let head = concat(&drawing.axes, |axis| format!("<th scope=\"col\">axis {axis}</th>"));
    let mut text = format!("<table>\n<thead><tr><th scope=\"col\">operand</th><th scope=\"col\">shape</th>{head}");
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
    text + "</tbody>\n</table>\n"
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
