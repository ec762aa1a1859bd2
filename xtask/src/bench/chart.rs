//! The chart: for every workload a bar of how many times the limit Broadaxe takes, and a dot for every peer.
//!
//! The scale is logarithmic, since peers lie between once and a hundred times the limit. An SVG file of plain shapes is
//! drawn the same everywhere; colours are chosen to stand on white and on black.

use std::collections::BTreeSet;

use super::figure::Figures;

const LEFT: f64 = 130.0;
const WIDTH: f64 = 960.0;
const TOP: f64 = 84.0;
const ROW: f64 = 18.0;
/// The ends of the scale, in times the limit.
const SCALE: (f64, f64) = (0.5, 100.0);
const MARKS: &[f64] = &[0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
const COLOURS: &[&str] = &["#d9822b", "#8e5bd0", "#2a9d8f", "#c0392b", "#7a7a7a", "#b8860b", "#d1478c", "#5b8c3a"];
const OWN_COLOUR: &str = "#2f6fbf";

/// Returns where a ratio stands on the scale; beyond its ends, at them.
fn place(ratio: f64) -> f64 {
    let (low, high) = SCALE;
    let share = (ratio.clamp(low, high) / low).ln() / (high / low).ln();
    LEFT + share * (WIDTH - LEFT - 20.0)
}

/// Writes text so that it is text in XML too.
fn plain(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Draws the figures of one thread count and mode; `title` says where and when they were taken.
pub(super) fn draw(figures: &[Figures], mode: &str, title: &str) -> String {
    let rows: Vec<&Figures> =
        figures.iter().filter(|f| f.limit().is_some() && f.series(super::OWN, mode).is_some()).collect();
    let engines: BTreeSet<&str> =
        rows.iter().flat_map(|f| f.peers(mode)).map(|series| series.engine.as_str()).collect();
    let engines: Vec<&str> = engines.into_iter().collect();
    let bottom = TOP + ROW * rows.len() as f64;
    let mut svg = String::new();
    let mut put = |line: String| {
        svg += &line;
        svg.push('\n');
    };
    put(format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {:.0}" font-family="sans-serif" font-size="11" fill="#808080">"##,
        bottom + 14.0
    ));
    put(format!(r#"<text x="8" y="18" font-size="14">{}</text>"#, plain(title)));
    legend(&mut put, &engines);
    for &mark in MARKS {
        let x = place(mark);
        let weight = if mark == 1.0 { 1.5 } else { 0.4 };
        put(format!(
            r##"<line x1="{x:.1}" y1="{:.1}" x2="{x:.1}" y2="{bottom:.1}" stroke="#808080" stroke-width="{weight}"/>"##,
            TOP - 6.0
        ));
        put(format!(r#"<text x="{x:.1}" y="{:.1}" text-anchor="middle">{mark}</text>"#, TOP - 10.0));
    }
    for (row, figures) in rows.iter().enumerate() {
        bar(&mut put, figures, mode, TOP + ROW * row as f64, &engines);
    }
    put("</svg>".to_owned());
    svg
}

fn colour(engines: &[&str], engine: &str) -> &'static str {
    let at = engines.iter().position(|&name| name == engine).unwrap_or(0);
    COLOURS[at % COLOURS.len()]
}

fn legend(put: &mut impl FnMut(String), engines: &[&str]) {
    put(format!(r#"<rect x="8" y="32" width="22" height="9" fill="{OWN_COLOUR}"/>"#));
    put(r#"<text x="36" y="41">Broadaxe, times the limit</text>"#.to_owned());
    let mut x = 190.0;
    for &engine in engines {
        put(format!(r#"<circle cx="{x:.1}" cy="37" r="4" fill="{}"/>"#, colour(engines, engine)));
        put(format!(r#"<text x="{:.1}" y="41">{}</text>"#, x + 8.0, plain(engine)));
        x += 24.0 + 7.0 * engine.len() as f64;
    }
}

fn bar(put: &mut impl FnMut(String), figures: &Figures, mode: &str, y: f64, engines: &[&str]) {
    put(format!(
        r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
        LEFT - 8.0,
        y + 12.0,
        plain(&figures.workload)
    ));
    let ratio = |series| figures.ratios(series).map(|(least, _)| least).filter(|ratio| ratio.is_finite());
    if let Some(own) = figures.series(super::OWN, mode).and_then(ratio) {
        put(format!(
            r#"<rect x="{LEFT}" y="{:.1}" width="{:.1}" height="10" fill="{OWN_COLOUR}"><title>{}: Broadaxe {own:.2}</title></rect>"#,
            y + 3.0,
            place(own) - LEFT,
            plain(&figures.workload)
        ));
    }
    for peer in figures.peers(mode) {
        if let Some(times) = ratio(peer) {
            put(format!(
                r#"<circle cx="{:.1}" cy="{:.1}" r="3.5" stroke="white" stroke-width="0.7" fill="{}"><title>{}: {} {times:.2}</title></circle>"#,
                place(times),
                y + 8.0,
                colour(engines, &peer.engine),
                plain(&figures.workload),
                plain(&peer.engine)
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::figure::Series, *};

    fn figures(workload: &str, times: &[(&str, &str, f64)]) -> Figures {
        let series = times
            .iter()
            .map(|&(engine, mode, seconds)| Series {
                engine: engine.to_owned(),
                mode: mode.to_owned(),
                seconds: vec![seconds],
                check: String::new(),
            })
            .collect();
        Figures { workload: workload.to_owned(), threads: 1, known: 0.0, series, skipped: Vec::new() }
    }

    #[test]
    fn every_row_has_its_bar_and_its_dots() {
        let rows = [
            figures("a<b", &[("broadaxe", "out", 2.0), ("broadaxe", "limit", 1.0), ("numpy", "out", 10.0)]),
            figures("two", &[("broadaxe", "out", 1.0), ("broadaxe", "limit", 1.0), ("x&y", "out", 500.0)]),
            figures("no limit", &[("broadaxe", "out", 1.0)]),
        ];
        let svg = draw(&rows, "out", "made <up>");
        // One of each more stands in the legend.
        assert_eq!(svg.matches("<rect").count(), 3, "{svg}");
        assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
        assert!(svg.contains("a&lt;b") && svg.contains("made &lt;up&gt;") && svg.contains("x&amp;y"), "{svg}");
        assert!(!svg.contains("no limit"), "{svg}");
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
        assert!(svg.contains(&format!(r#"<circle cx="{:.1}" cy="92.0""#, place(10.0))), "{svg}");
    }

    #[test]
    fn the_scale_is_logarithmic_and_ends() {
        let step = place(2.0) - place(1.0);
        assert!((place(20.0) - place(10.0) - step).abs() < 1e-9);
        assert_eq!((place(0.01), place(1e9)), (place(0.5), place(100.0)));
        assert!(place(0.5) == LEFT && place(100.0) < WIDTH);
    }
}
