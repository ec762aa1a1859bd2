//! The colours of drawings.

use std::collections::BTreeSet;

/// The colours of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Those of the page that holds the picture, or of its viewer.
    #[default]
    Auto,
    /// Dark on white.
    Light,
    /// Light on black.
    Dark,
    /// Black on white, without any other colour.
    Print,
}

/// How many hues tell operands apart.
pub(crate) const HUES: usize = 5;

/// Colours: class, property, those for light and dark pages, and for print.
const COLOURS: [(&str, &str, &str, &str, &str); 20] = [
    ("ground", "fill", "#ffffff", "#15181c", "#fff"),
    ("text", "fill", "#1b1f24", "#e8eaed", "#000"),
    ("quiet", "fill", "#59636e", "#a3abb5", "#333"),
    ("none", "stroke", "#8b949e", "#6b7480", "#555"),
    ("o0", "fill", "#dbeafe", "#12335f", "#fff"),
    ("o0", "stroke", "#2563eb", "#6ea8fe", "#000"),
    ("o1", "fill", "#ffedd5", "#4a2a0b", "#fff"),
    ("o1", "stroke", "#c2570c", "#f2a35e", "#000"),
    ("o2", "fill", "#d9f3e4", "#0d3b27", "#fff"),
    ("o2", "stroke", "#15803d", "#5cc88a", "#000"),
    ("o3", "fill", "#f0e3fd", "#3a1f57", "#fff"),
    ("o3", "stroke", "#7e3fc4", "#c296f5", "#000"),
    ("o4", "fill", "#fce1ec", "#511a34", "#fff"),
    ("o4", "stroke", "#b91d68", "#f088b7", "#000"),
    ("result", "fill", "#eef1f4", "#2a3038", "#eee"),
    ("result", "stroke", "#59636e", "#a3abb5", "#000"),
    ("clash", "fill", "#fdecea", "#46191a", "#e4e4e4"),
    ("clash", "stroke", "#cf222e", "#ff7b72", "#000"),
    ("bad", "fill", "#b42318", "#ff9a92", "#000"),
    ("other", "stroke", "#cf222e", "#ff7b72", "#000"),
];

/// Writes the styles, limited to this picture. Under [`Theme::Auto`] it has the colour scheme of the page, or in a file that of the
/// viewer; a viewer that does not know `light-dark` shows the light colours.
pub(crate) fn style(id: &str, theme: Theme, elements: &str) -> String {
    let used: BTreeSet<&str> = elements.split("class=\"").skip(1).flat_map(classes).collect();
    let scheme = match theme {
        Theme::Auto => format!("svg.{id}:root{{color-scheme:light dark}}"),
        _ => String::new(),
    };
    let mut text = format!(
        "{scheme}.{id}{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;max-width:100%;height:auto}}\
         .{id} .n{{font-size:12px}}.{id} .b{{font-weight:600}}.{id} .m{{text-anchor:middle}}\
         .{id} .e{{text-anchor:end}}.{id} .none{{fill:none;stroke-dasharray:1.5 4;stroke-width:1.5;stroke-linecap:round}}\
         .{id} .s{{stroke-dasharray:5 3}}"
    );
    let known = COLOURS.iter().filter(|colour| used.contains(colour.0));
    for (class, property, light, dark, print) in known {
        text += &match theme {
            Theme::Auto => format!(".{id} .{class}{{{property}:{light};{property}:light-dark({light},{dark})}}"),
            Theme::Light => format!(".{id} .{class}{{{property}:{light}}}"),
            Theme::Dark => format!(".{id} .{class}{{{property}:{dark}}}"),
            Theme::Print => format!(".{id} .{class}{{{property}:{print}}}"),
        };
    }
    // Hatches are drawn in the line colour of their operand, over its fill.
    for hue in (0..HUES).filter(|hue| used.contains(&*format!("h{hue}"))) {
        text += &format!(".{id} .h{hue}{{fill:url(#{id}-h{hue})}}");
    }
    text
}

/// Lists the classes of an element from the beginning of their names on.
fn classes(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').next().unwrap_or_default().split(' ')
}
