//! The chart of the workloads: how many times the limit Broadaxe and every peer take, a row for each workload.
//!
//! The scale is logarithmic, since peers lie between once and a hundred times the limit. Rows are sorted by what Broadaxe
//! takes, the worst last.

use std::collections::BTreeSet;

use super::{
    figure::{ALLOWED, Figures},
    svg::{Anchor, COLOURS, Drawing, legend},
};

const WIDTH: f64 = 860.0;
const LEFT: f64 = 118.0;
const RIGHT: f64 = 838.0;
const ROW: f64 = 17.0;
/// The ends of the scale, in times the limit.
const SCALE: (f64, f64) = (0.5, 100.0);
const MARKS: &[f64] = &[0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];

/// Returns where a ratio stands on the scale; beyond its ends, at them.
fn place(ratio: f64) -> f64 {
    let (low, high) = SCALE;
    let share = (ratio.clamp(low, high) / low).ln() / (high / low).ln();
    LEFT + share * (RIGHT - LEFT)
}

/// Draws the figures of one thread count and mode; `title` says where and when they were taken.
pub(super) fn draw(figures: &[&Figures], mode: &str, title: &str) -> String {
    let ratio = |f: &Figures| Some(f.own(mode)?.min_us / f.limit()?);
    let mut rows: Vec<(f64, &Figures)> = figures.iter().filter_map(|f| Some((ratio(f)?, *f))).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let engines: BTreeSet<&str> =
        rows.iter().flat_map(|(_, f)| f.peers(mode)).map(|series| series.engine.as_str()).collect();
    let mut names = vec!["Broadaxe"];
    names.extend(engines);
    let places = legend(&names, (LEFT, RIGHT), 46.0);
    let top = places.last().map_or(46.0, |(_, y)| *y) + 38.0;
    let bottom = top + ROW * rows.len() as f64;
    let mut drawing = Drawing::new(WIDTH, bottom + 44.0, title);
    for (k, ((x, y), name)) in places.iter().zip(&names).enumerate() {
        drawing.dot((x + 6.0, y - 4.0), if k == 0 { 6.0 } else { 4.0 }, COLOURS[k % COLOURS.len()], name);
        drawing.words((x + 16.0, *y), Anchor::Start, if k == 0 { "strong" } else { "" }, name);
    }
    for &mark in MARKS {
        let (x, class) = (place(mark), if mark == 1.0 { "edge" } else { "grid" });
        drawing.line((x, top - 4.0), (x, bottom), class);
        let words = if mark == 1.0 { "limit".to_owned() } else { format!("{mark}") };
        drawing.words((x, top - 10.0), Anchor::Middle, "", &words);
        drawing.words((x, bottom + 16.0), Anchor::Middle, "", &format!("{mark}"));
    }
    for (at, (own, figures)) in rows.iter().enumerate() {
        row(&mut drawing, (*own, figures), mode, top + ROW * (at as f64 + 0.5), &names);
    }
    let words = format!("time as a multiple of the limit (logarithmic); the target is {ALLOWED}");
    drawing.words((f64::midpoint(LEFT, RIGHT), bottom + 36.0), Anchor::Middle, "", &words);
    drawing.end()
}

fn row(drawing: &mut Drawing, (own, figures): (f64, &Figures), mode: &str, y: f64, names: &[&str]) {
    let name = &figures.workload;
    drawing.words((LEFT - 8.0, y + 4.0), Anchor::End, "", name);
    drawing.line((LEFT, y), (RIGHT, y), "grid");
    let (from, to) = (place(1.0).min(place(own)), place(1.0).max(place(own)));
    drawing.bar((from, y - 3.0), (to - from, 6.0), COLOURS[0], &format!("{name}: Broadaxe {own:.2}"));
    for peer in figures.peers(mode) {
        let at = names.iter().position(|name| *name == peer.engine).unwrap_or(0);
        let times = peer.min_us / figures.limit().unwrap_or(f64::NAN);
        let says = format!("{name}: {} {times:.2}", peer.engine);
        drawing.dot((place(times), y), 4.0, COLOURS[at % COLOURS.len()], &says);
    }
    drawing.dot((place(own), y), 6.0, COLOURS[0], &format!("{name}: Broadaxe {own:.2}"));
}

#[cfg(test)]
mod tests {
    use super::{super::figure::made, *};

    #[test]
    fn every_row_has_its_dots_and_the_worst_is_last() {
        let rows = [
            made("slow<", 1, 1.0, &[("broadaxe", "out", 2.0), ("numpy", "out", 10.0)]),
            made("quick", 1, 1.0, &[("broadaxe", "out", 1.0), ("x&y", "out", 500.0), ("traffic", "long", 0.1)]),
            made("no limit", 1, 0.0, &[("broadaxe", "out", 1.0)]),
        ];
        let svg = draw(&rows.iter().collect::<Vec<_>>(), "out", "made <up>");
        // Three names and four dots; two bars.
        assert_eq!((svg.matches("<circle").count(), svg.matches("<rect").count()), (7, 2), "{svg}");
        assert!(svg.contains("made &lt;up&gt;") && svg.contains("x&amp;y") && !svg.contains("no limit"), "{svg}");
        let at = |name: &str| svg.find(name).expect(name);
        assert!(at(">quick<") < at(">slow&lt;<"), "{svg}");
        assert!(svg.contains(&format!(r#"cx="{:.1}""#, place(10.0))), "{svg}");
    }

    #[test]
    fn the_scale_is_logarithmic_and_ends() {
        let step = place(2.0) - place(1.0);
        assert!((place(20.0) - place(10.0) - step).abs() < 1e-9);
        assert_eq!((place(0.01), place(1e9)), (place(0.5), place(100.0)));
        assert!(place(0.5) == LEFT && place(100.0) < WIDTH);
    }
}
