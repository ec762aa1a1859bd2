//! Plots: lines over a logarithmic axis of sizes, or over the few numbers of ranks.

use serde::{Deserialize, Serialize};

use super::svg::{Anchor, COLOURS, Drawing, legend};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 838.0;
const BOTTOM: f64 = 362.0;

/// Holds a named line: points from left to right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// Says what a plot shows beside its lines.
pub(super) struct Frame<'a> {
    pub(super) title: &'a str,
    pub(super) across: &'a str,
    pub(super) up: &'a str,
    /// Whether sizes go across, in powers; else whole numbers do.
    pub(super) sizes: bool,
    /// Whether the scale upwards is logarithmic.
    pub(super) logarithmic: bool,
    /// Heights at which something holds, and what.
    pub(super) levels: &'a [(f64, &'a str)],
}

/// Maps numbers to places: a straight line, or one of logarithms.
struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    from: f64,
    to: f64,
}

impl Axis {
    fn place(&self, value: f64) -> f64 {
        let scaled = |value: f64| if self.logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        let (low, high) = (scaled(self.low), scaled(self.high));
        let share = if high > low { ((scaled(value) - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
        self.from + share * (self.to - self.from)
    }

    /// Returns about six round numbers on the axis.
    fn marks(&self) -> Vec<f64> {
        if self.logarithmic {
            let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            let few = decades.clone().count() <= 4;
            let steps: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
            let marks = decades.flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)));
            return marks.filter(|mark| (self.low * 0.999..=self.high * 1.001).contains(mark)).collect();
        }
        let rough = (self.high - self.low) / 5.0;
        let unit = 10_f64.powi(rough.log10().floor() as i32);
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * unit).find(|step| *step >= rough).unwrap_or(rough);
        let first = (self.low / step).ceil() as i32;
        (first..).map(|k| f64::from(k) * step).take_while(|mark| *mark <= self.high * 1.001).take(20).collect()
    }
}

/// Draws lines in their frame.
pub(super) fn draw(frame: &Frame, lines: &[Line]) -> String {
    let mut drawing = Drawing::new(WIDTH, HEIGHT, frame.title);
    let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    let places = legend(&names, (LEFT, RIGHT), 46.0);
    let top = places.last().map_or(46.0, |(_, y)| *y) + 22.0;
    for (k, ((x, y), name)) in places.iter().zip(&names).enumerate() {
        drawing.dot((x + 6.0, y - 4.0), 5.0, colour(lines, k), name);
        drawing.words((x + 16.0, *y), Anchor::Start, "strong", name);
    }
    let (across, up) = axes(frame, lines, top);
    for mark in up.marks() {
        let y = up.place(mark);
        drawing.line((LEFT, y), (RIGHT, y), "grid");
        drawing.words((LEFT - 8.0, y + 4.0), Anchor::End, "", &format!("{mark}"));
    }
    let wholes: Vec<f64> = (across.low as i64..=across.high as i64).map(|whole| whole as f64).collect();
    for mark in if frame.sizes { across.marks() } else { wholes } {
        let x = across.place(mark);
        drawing.line((x, top), (x, BOTTOM), "grid");
        drawing.words((x, BOTTOM + 18.0), Anchor::Middle, "", &short(mark));
    }
    for &(level, says) in frame.levels {
        let y = up.place(level);
        drawing.line((LEFT, y), (RIGHT, y), "edge");
        drawing.words((LEFT + 6.0, y + 15.0), Anchor::Start, "strong", says);
    }
    for (k, line) in lines.iter().enumerate() {
        let points: Vec<(f64, f64)> = line.points.iter().map(|&(x, y)| (across.place(x), up.place(y))).collect();
        let colour = colour(lines, k);
        drawing.path(&points, colour, line.name.ends_with(DASHED));
        for (&place, &(x, y)) in points.iter().zip(&line.points) {
            drawing.dot(place, 3.0, colour, &format!("{} at {}: {y:.3}", line.name, short(x)));
        }
    }
    drawing.words((f64::midpoint(LEFT, RIGHT), HEIGHT - 18.0), Anchor::Middle, "", frame.across);
    drawing.upwards((18.0, f64::midpoint(top, BOTTOM)), frame.up);
    drawing.end()
}

/// Returns the colour of a line: a dashed one has that of the line before it.
fn colour(lines: &[Line], k: usize) -> &'static str {
    let k = if lines[k].name.ends_with(DASHED) { k.saturating_sub(1) } else { k };
    COLOURS[k % COLOURS.len()]
}

/// What the names of lines end with that are drawn dashed.
pub(super) const DASHED: &str = "(traffic)";

fn axes(frame: &Frame, lines: &[Line], top: f64) -> (Axis, Axis) {
    let all = || lines.iter().flat_map(|line| line.points.iter());
    let span = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (low, high) = span(&mut all().map(|point| point.0));
    let across = Axis { low, high, logarithmic: frame.sizes, from: LEFT, to: RIGHT };
    let levels = frame.levels.iter().map(|level| level.0);
    let (least, most) = span(&mut all().map(|point| point.1).chain(levels));
    let (low, high) = if frame.logarithmic { (least / 1.2, most * 1.2) } else { (0.0, most * 1.1) };
    (across, Axis { low, high, logarithmic: frame.logarithmic, from: BOTTOM, to: top })
}

/// Writes a size in few letters.
fn short(value: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let unit = units.into_iter().find(|(unit, _)| value >= *unit);
    unit.map_or_else(|| format!("{value}"), |(unit, letter)| format!("{:.3}{letter}", value / unit).replace(".000", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_inside() {
        let axis = |low, high, logarithmic| Axis { low, high, logarithmic, from: 0.0, to: 100.0 };
        let cases: [(Axis, &[f64]); 3] = [
            (axis(0.0, 1.1, false), &[0.0, 0.5, 1.0]),
            (axis(1.0, 1e8, true), &[1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]),
            (axis(0.3, 3.0, true), &[0.5, 1.0, 2.0]),
        ];
        for (axis, want) in cases {
            let marks = axis.marks();
            assert!(marks.iter().zip(want).all(|(a, b)| (a / b - 1.0).abs() < 1e-9 || a == b), "{marks:?}");
            assert_eq!(marks.len(), want.len(), "{marks:?}");
        }
    }

    #[test]
    fn lines_are_drawn_with_their_points() {
        let line = |name: &str| Line { name: name.to_owned(), points: vec![(1.0, 2.0), (1000.0, 4.0)] };
        let frame = Frame {
            title: "t",
            across: "elements",
            up: "ns",
            sizes: true,
            logarithmic: false,
            levels: &[(1.0, "one")],
        };
        let svg = draw(&frame, &[line("own"), line("own (traffic)")]);
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (2, 6), "{svg}");
        assert_eq!(svg.matches("stroke-dasharray").count(), 1, "{svg}");
        for want in [">elements<", ">ns<", ">one<", ">1k<", "own at 1k: 4.000"] {
            assert!(svg.contains(want), "{want}: {svg}");
        }
    }

    #[test]
    fn sizes_are_short() {
        for (value, want) in [(1.0, "1"), (1000.0, "1k"), (1_048_576.0, "1.049M"), (1e9, "1G")] {
            assert_eq!(short(value), want);
        }
    }
}
