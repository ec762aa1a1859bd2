//! Writes text as outlines, for renderers that have no fonts: the same picture on every machine.
//!
//! The outlines are of `DejaVu` Sans Mono, in units of 1000 for each em, with y downwards. Other characters than those of drawings are
//! shown as boxes.

use crate::words::escaped;

/// A character and its outline in each line.
const REGULAR: &str = include_str!("outline/regular.txt");
const BOLD: &str = include_str!("outline/bold.txt");

/// The width of every character, in thousandths of its size.
const ADVANCE: usize = 602;
const BOX: &str = "M60 0H540V-730H60ZM120 -60V-670H480V-60Z";

/// Writes a text as outlines; see [`crate::canvas::Lettering`].
pub(crate) fn as_outlines(class: &str, x: usize, y: usize, text: &str) -> String {
    let has = |name: &str| class.split(' ').any(|one| one == name);
    let size = if has("n") { 12 } else { 14 };
    let table = if has("b") { BOLD } else { REGULAR };
    let text = escaped(text);
    let width = text.chars().count() * ADVANCE * size / 1000;
    let x = if has("m") { x.saturating_sub(width / 2) } else { x.saturating_sub(if has("e") { width } else { 0 }) };
    let glyphs = text.chars().enumerate().filter(|(_, c)| *c != ' ').map(|(at, c)| {
        format!("<path transform=\"translate({} 0)\" d=\"{}\"/>", at * ADVANCE, glyph(table, c).unwrap_or(BOX))
    });
    let glyphs: String = glyphs.collect();
    format!("<g class=\"{class}\" transform=\"translate({x} {y}) scale(0.0{size})\">{glyphs}</g>\n")
}

fn glyph(table: &'static str, c: char) -> Option<&'static str> {
    table.lines().find_map(|line| line.strip_prefix(c)?.strip_prefix(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_of_drawings_has_an_outline() {
        for c in ('!'..='~').chain("·×–…→−✗≤≥".chars()) {
            for table in [REGULAR, BOLD] {
                assert!(glyph(table, c).is_some_and(|path| path.starts_with('M') && path.ends_with('Z')), "{c}");
            }
        }
        assert_eq!(glyph(BOLD, '\u{4e00}'), None);
    }

    #[test]
    fn texts_are_placed() {
        let cases = [
            ("text", "translate(100 20) scale(0.014)"),
            ("n m quiet", "translate(93 20) scale(0.012)"),
            ("b e text", "translate(84 20) scale(0.014)"),
        ];
        for (class, want) in cases {
            let text = as_outlines(class, 100, 20, "a<");
            assert!(text.contains(want) && text.matches("<path").count() == 2, "{class}: {text}");
        }
    }
}
