//! Explains the marks that are used in a picture.

use crate::{
    canvas::Canvas,
    drawing::{Cell, Drawing},
    svg::{GAP, MARGIN, NOTE_CHARACTER},
};

const LEGEND_ROW: usize = 26;
const SAMPLE: (usize, usize) = (34, 20);

/// A mark, and what it means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Size,
    Stretched,
    Missing,
    Read,
    Clash,
    Number,
    Other,
}

impl Mark {
    const ALL: [Self; 7] =
        [Self::Size, Self::Stretched, Self::Missing, Self::Read, Self::Clash, Self::Number, Self::Other];

    /// Returns the class and the text of the sample, and what it means.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Size => ("o0", "3", "size of an axis"),
            Self::Stretched => ("o0 s", "1→3", "stretched to 3"),
            Self::Missing => ("none", "→ 3", "no such axis: repeats 3 times"),
            Self::Read => ("", "[1]", "index that is read"),
            Self::Clash => ("", "✗", "sizes do not fit"),
            Self::Number => ("result", "5", "sum of operands filled 0, 1, 2, ..."),
            Self::Other => ("result other s", "5", "differs between the rules"),
        }
    }

    /// Returns whether a drawing has the mark.
    fn is_in(self, drawing: &Drawing) -> bool {
        let any = |is: fn(&Cell) -> bool| drawing.rows.iter().flat_map(|row| &row.cells).any(is);
        match self {
            Self::Size => any(|cell| matches!(cell, Cell::Size(_))),
            Self::Stretched => any(|cell| matches!(cell, Cell::Stretched { .. })),
            Self::Missing => any(|cell| matches!(cell, Cell::Missing(Some(_)))),
            Self::Read => drawing.trace.is_some(),
            Self::Clash => !drawing.clashes.is_empty(),
            Self::Number | Self::Other => false,
        }
    }
}

/// Draws the legend from this height down, in rows of at most this width; returns its width and the height below it.
pub(super) fn draw(
    drawings: &[Drawing],
    (has_numbers, has_others): (bool, bool),
    widest: usize,
    top: usize,
    canvas: &mut Canvas,
) -> (usize, usize) {
    let (mut x, mut y, mut width) = (MARGIN, top, 0);
    for mark in Mark::ALL {
        let is_used = match mark {
            Mark::Number => has_numbers,
            Mark::Other => has_others,
            _ => drawings.iter().any(|drawing| mark.is_in(drawing)),
        };
        if !is_used {
            continue;
        }
        let (class, sample, said) = mark.words();
        let wide = SAMPLE.0 + GAP + said.chars().count() * NOTE_CHARACTER;
        if x > MARGIN && x + wide > widest {
            (x, y) = (MARGIN, y + LEGEND_ROW);
        }
        if !class.is_empty() {
            canvas.body += &format!(
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"4\" stroke-width=\"1.5\"/>\n",
                SAMPLE.0, SAMPLE.1
            );
        }
        let letters = if mark == Mark::Clash { "n m b bad" } else { "n m text" };
        canvas.label(letters, x + SAMPLE.0 / 2, y + 14, sample);
        canvas.label("n quiet", x + SAMPLE.0 + GAP, y + 14, said);
        x += wide + 2 * GAP;
        width = width.max(x);
    }
    (width, y + LEGEND_ROW)
}
