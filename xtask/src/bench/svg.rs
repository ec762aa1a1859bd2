//! Drawings: the few shapes that charts are made of, as text.
//!
//! A page shows a drawing as an image, so nothing but the drawing itself can choose its colours: lines and words have a pair
//! for light pages and a pair for dark ones, data has colours that stand on both. No font is named that must be loaded.

use std::fmt::Write;

/// The colours of data, of which the first is Broadaxe's.
pub(super) const COLOURS: [&str; 9] =
    ["#2f81f7", "#e8833a", "#a371f7", "#2da44e", "#d1477a", "#8c959f", "#c9a227", "#1b9aaa", "#cf4a3c"];

const STYLE: &str = "text{font:12px -apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#59636e}\
.title{font-weight:600;fill:#1f2328}.strong{fill:#1f2328}\
.grid{stroke:#8c959f;stroke-opacity:.3}.edge{stroke:#1f2328;stroke-width:1.6}.ring{stroke:#ffffff;stroke-width:.8}\
@media(prefers-color-scheme:dark){text{fill:#9198a1}.title,.strong{fill:#f0f6fc}.edge{stroke:#f0f6fc}.ring{stroke:#0d1117}}";

/// Says where a word stands from its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing in the making.
pub(super) struct Drawing(String);

/// Writes text so that it is text in XML too.
pub(super) fn plain(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Drawing {
    /// Begins a drawing of this size, with a title that is also what a reader of the page hears.
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        /// A little more than the width of a title's letter, as a share of its height.
        const LETTER: f64 = 0.65;
        let size = ((width - 24.0) / (LETTER * title.chars().count() as f64)).min(15.0);
        let title = plain(title);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">\n<style>{STYLE}</style>\n"
        );
        let _ = writeln!(text, r#"<text class="title" x="12" y="24" style="font-size:{size:.1}px">{title}</text>"#);
        Self(text)
    }

    // Writing into a string cannot fail, here and below.
    fn put(&mut self, line: std::fmt::Arguments) {
        let _ = self.0.write_fmt(line);
        self.0.push('\n');
    }

    pub(super) fn words(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let words = plain(words);
        self.put(format_args!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{words}</text>"#));
    }

    /// Draws words that read upwards.
    pub(super) fn upwards(&mut self, (x, y): (f64, f64), words: &str) {
        let words = plain(words);
        self.put(format_args!(
            r#"<text transform="translate({x:.1} {y:.1}) rotate(-90)" text-anchor="middle">{words}</text>"#
        ));
    }

    pub(super) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        self.put(format_args!(r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#));
    }

    /// Draws a bar; what it says appears where it is pointed at.
    pub(super) fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: &str, says: &str) {
        let says = plain(says);
        self.put(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="2" fill="{colour}"><title>{says}</title></rect>"#
        ));
    }

    /// Draws a dot; what it says appears where it is pointed at.
    pub(super) fn dot(&mut self, (x, y): (f64, f64), radius: f64, colour: &str, says: &str) {
        let says = plain(says);
        self.put(format_args!(
            r#"<circle class="ring" cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}"><title>{says}</title></circle>"#
        ));
    }

    /// Draws a line through points.
    pub(super) fn path(&mut self, points: &[(f64, f64)], colour: &str, dashed: bool) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dash = if dashed { r#" stroke-dasharray="5 4""# } else { "" };
        self.put(format_args!(
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>"#,
            points.join(" ")
        ));
    }

    /// Ends the drawing and returns its text.
    pub(super) fn end(mut self) -> String {
        self.put(format_args!("</svg>"));
        self.0
    }
}

/// Places names with their colours in rows below each other; returns for each where it begins.
pub(super) fn legend(names: &[&str], (left, right): (f64, f64), top: f64) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (left, top);
    let mut places = Vec::new();
    for name in names {
        let width = 34.0 + 6.8 * name.chars().count() as f64;
        if x + width > right && x > left {
            (x, y) = (left, y + 18.0);
        }
        places.push((x, y));
        x += width;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words() {
        let mut drawing = Drawing::new(10.0, 20.0, "a < b & \"c\"");
        drawing.words((1.0, 2.0), Anchor::End, "strong", "<b>");
        drawing.dot((1.0, 2.0), 3.0, COLOURS[0], "x>y");
        let text = drawing.end();
        for want in ["a &lt; b &amp; &quot;c&quot;</text>", ">&lt;b&gt;</text>", "<title>x&gt;y</title>"] {
            assert!(text.contains(want), "{want}: {text}");
        }
        assert_eq!(text.matches("<svg").count(), text.matches("</svg>").count());
    }

    #[test]
    fn long_titles_fit_in() {
        let drawn = |title: &str| Drawing::new(200.0, 20.0, title).end();
        assert!(drawn("a title").contains("font-size:15.0px"));
        assert!(drawn("a title of many letters, and more").contains("font-size:8.2px"));
    }

    #[test]
    fn legends_break_before_the_edge() {
        let places = legend(&["abc", "a name that is long", "abc"], (10.0, 200.0), 5.0);
        assert_eq!(places, [(10.0, 5.0), (10.0, 23.0), (10.0, 41.0)]);
        assert_eq!(legend(&["abc", "abc"], (0.0, 200.0), 0.0)[1].1, 0.0);
    }
}
