//! Puts an answer into one picture: a panel for each meaning, next to each other, with the numbers of small results and a legend.

mod values;
mod steps;
mod legend;
mod rules;

use broadaxe_shape::Alignment;

use self::values::Values;
use crate::{
    canvas::{Canvas, as_text},
    drawing::Drawing,
    html::table,
    markup::{id, markup},
    order::Order,
    outline::as_outlines,
    svg::{CHARACTER, Extent, GAP, MARGIN, Measures, Missing, NOTE_CHARACTER, NOTE_HEIGHT, document, picture},
    theme::Theme,
    words::join,
};

const BETWEEN_PANELS: usize = 28;
/// The widest row of panels, in pixels.
const WIDEST_ROW: usize = 1040;
/// The narrowest picture whose text is wrapped, in characters.
const NARROWEST_TEXT: usize = 44;

/// An answer as one picture.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The question, such as `(2, 2) + (2,) under every rule`; empty where the only panel says it.
    title: String,
    /// The answer, in sentences.
    said: Vec<String>,
    panels: Vec<Panel>,
    /// What is said below the panels.
    below: Vec<String>,
}

/// How a sheet is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SheetStyle {
    /// Its colours.
    pub theme: Theme,
    /// Whether each drawing is shown in three steps: align, pad, stretch.
    pub steps: bool,
    /// Whether text is drawn as outlines, for renderers without fonts.
    pub outlines: bool,
}

/// A drawing with what belongs to it.
#[derive(Clone, Debug)]
struct Panel {
    drawing: Drawing,
    /// Who means this.
    said: Option<String>,
    values: Option<Values>,
}

/// A panel that is drawn, and its size.
struct Drawn {
    canvas: Canvas,
    width: usize,
    height: usize,
}

impl Sheet {
    /// Shows one drawing, with the numbers of the result if it is known and small.
    pub fn of(drawing: Drawing, alignment: Option<&Alignment>, order: Order) -> Self {
        let values = alignment.and_then(|alignment| Values::of(alignment, order));
        let panel = Panel { drawing, said: None, values };
        Self { title: String::new(), said: Vec::new(), panels: vec![panel], below: Vec::new() }
    }

    /// Says what the picture is of, such as a node of a model.
    #[must_use]
    pub fn titled(self, title: &str) -> Self {
        Self { title: title.to_owned(), ..self }
    }

    /// Returns the drawings.
    pub fn drawings(&self) -> Vec<Drawing> {
        self.panels.iter().map(|panel| panel.drawing.clone()).collect()
    }

    /// Renders the sheet as SVG: the text of a file in ASCII, without references to others.
    ///
    /// ```
    /// use broadaxe_draw::{SheetStyle, compared};
    /// let sheet = compared(&["2,2".parse()?, "2".parse()?])?.sheet();
    /// let svg = sheet.svg(SheetStyle::default());
    /// assert!(svg.is_ascii() && svg.contains("(2, 2) + (2,) under numpy") && svg.contains("(2, 2) + (2,) under ncnn"));
    /// # Ok::<(), broadaxe_shape::Error>(())
    /// ```
    pub fn svg(&self, style: SheetStyle) -> String {
        let lettering = if style.outlines { as_outlines } else { as_text };
        let drawn: Vec<Drawn> = self.panels.iter().map(|panel| panel.drawn(style, lettering)).collect();
        let rows = rows(&drawn);
        let wide =
            |row: &Vec<usize>| row.iter().map(|&k| drawn[k].width + BETWEEN_PANELS).sum::<usize>() - BETWEEN_PANELS;
        let title = self.title.chars().count() * CHARACTER;
        let most = rows.iter().map(wide).max().unwrap_or(0).max(title).max(NARROWEST_TEXT * NOTE_CHARACTER);
        let mut canvas = Canvas::new(lettering);
        let mut y = self.head(most, &mut canvas);
        for row in rows {
            let mut x = 0;
            for &k in &row {
                canvas.place(&drawn[k].canvas, x, y);
                x += drawn[k].width + BETWEEN_PANELS;
            }
            y += row.iter().map(|&k| drawn[k].height).max().unwrap_or(0) + MARGIN;
        }
        y = paragraphs(&self.below, "n quiet", most, y, &mut canvas);
        let shown: Vec<Drawing> = self.panels.iter().map(|panel| panel.shown(style)).collect();
        let (width, y) = self.legend(&shown, most, y, &mut canvas);
        let said = self.alternative();
        let id = id([said.as_str(), if style.steps { "steps" } else { "" }]);
        let size = Extent { width: most.max(width) + 2 * MARGIN, height: y + MARGIN };
        document(&id, &self.titles(), &said, size, style.theme, (&shown, &canvas.body))
    }

    /// Renders the sheet as a fragment of HTML: a figure with the picture, and its contents as tables.
    pub fn html(&self, style: SheetStyle) -> String {
        let titles = self.titles();
        let mut text = format!("<figure class=\"broadaxe\">\n{}", self.svg(style));
        text += &format!(
            "<figcaption>{}</figcaption>\n",
            markup(if self.title.is_empty() { &titles } else { &self.title })
        );
        let tables: Vec<String> = self.panels.iter().filter_map(|panel| table(&panel.drawing)).collect();
        if !tables.is_empty() {
            text += &format!("<details><summary>As a table</summary>\n{}</details>\n", tables.concat());
        }
        text + "</figure>\n"
    }

    /// Says in sentences what the sheet shows, for those who do not see it.
    pub fn alternative(&self) -> String {
        let title = Some(format!("{}.", self.title)).filter(|_| !self.title.is_empty());
        let mut words: Vec<String> = title.into_iter().chain(self.said.iter().cloned()).collect();
        for panel in &self.panels {
            words.push(panel.drawing.alternative());
            words.extend(panel.said.iter().map(|said| format!("{said}.")));
            words.extend(panel.values.as_ref().map(Values::words));
        }
        words.extend(self.below.iter().map(|line| format!("{line}.")));
        join(&words, " ")
    }

    /// Returns the title, with those of the panels.
    fn titles(&self) -> String {
        let titles = self.panels.iter().map(|panel| panel.drawing.title.clone());
        let own = Some(self.title.clone()).filter(|title| !title.is_empty());
        own.into_iter().chain(titles).collect::<Vec<_>>().join("; ")
    }

    /// Draws the title and the answer; returns the height below them.
    fn head(&self, width: usize, canvas: &mut Canvas) -> usize {
        let mut y = MARGIN;
        if !self.title.is_empty() {
            canvas.label("b text", MARGIN, y + 16, &self.title);
            y = paragraphs(&self.said, "n text", width, y + 24, canvas) + MARGIN;
        }
        y
    }

    fn legend(&self, shown: &[Drawing], width: usize, y: usize, canvas: &mut Canvas) -> (usize, usize) {
        let values = || self.panels.iter().filter_map(|panel| panel.values.as_ref());
        let (numbers, others) = (values().next().is_some(), values().any(Values::has_differing));
        let y = if self.below.is_empty() { y } else { y + MARGIN };
        if shown.iter().all(|drawing| drawing.rows.is_empty()) {
            return (0, y);
        }
        canvas.body += &format!(
            "<path class=\"none\" d=\"M{MARGIN} {y}H{}\" stroke-width=\"1\"/>\n",
            width.max(NARROWEST_TEXT * NOTE_CHARACTER)
        );
        legend::draw(shown, (numbers, others), width, y + MARGIN, canvas)
    }
}

impl Panel {
    /// Returns what is drawn, with all its marks.
    fn shown(&self, style: SheetStyle) -> Drawing {
        if style.steps { steps::last(&self.drawing) } else { self.drawing.clone() }
    }

    fn drawn(&self, style: SheetStyle, lettering: crate::canvas::Lettering) -> Drawn {
        let mut canvas = Canvas::new(lettering);
        let columns = Measures::of(&self.drawing, usize::MAX);
        let mut width = columns.width.max(NARROWEST_TEXT * NOTE_CHARACTER);
        let mut y = 0;
        if style.steps && !self.drawing.rows.is_empty() {
            canvas.label("b text", MARGIN, y + 16, &self.drawing.title);
            let (wide, below) = steps::draw(&self.drawing, y + NOTE_HEIGHT + MARGIN, &mut canvas);
            (width, y) = (width.max(wide), below);
        } else {
            y = picture(&self.drawing, &columns, Missing::Repeats, y, &mut canvas);
        }
        if let Some(values) = &self.values {
            let (wide, below) = values.draw(y + GAP, &mut canvas);
            (width, y) = (width.max(wide), below);
        }
        if let Some(said) = &self.said {
            y = paragraphs(std::slice::from_ref(said), "n quiet", width, y, &mut canvas);
        }
        Drawn { canvas, width, height: y }
    }
}

/// Divides panels into rows.
fn rows(drawn: &[Drawn]) -> Vec<Vec<usize>> {
    let (mut rows, mut width): (Vec<Vec<usize>>, usize) = (Vec::new(), 0);
    for (k, panel) in drawn.iter().enumerate() {
        if let Some(row) = rows.last_mut().filter(|_| width + BETWEEN_PANELS + panel.width <= WIDEST_ROW) {
            row.push(k);
            width += BETWEEN_PANELS + panel.width;
        } else {
            rows.push(vec![k]);
            width = panel.width;
        }
    }
    rows
}

/// Writes paragraphs in lines of this width; returns the height below them.
fn paragraphs(paragraphs: &[String], class: &str, width: usize, top: usize, canvas: &mut Canvas) -> usize {
    let mut y = top;
    for line in paragraphs.iter().flat_map(|text| wrapped(text, width / NOTE_CHARACTER)) {
        canvas.label(class, MARGIN, y + 14, &line);
        y += NOTE_HEIGHT;
    }
    y
}

/// Divides a text into lines.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line =
            lines.last_mut().filter(|line| line.is_empty() || line.chars().count() + 1 + word.chars().count() <= width);
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compared::compared;
    use broadaxe_shape::{Rule, SymbolicShape};

    fn sheet(shapes: &str) -> Sheet {
        let shapes: Vec<SymbolicShape> = shapes.split(' ').map(|text| text.parse().unwrap()).collect();
        compared(&shapes).unwrap().sheet()
    }

    const SHAPES: [&str; 7] = ["2,2 2", "2,3,4,5 3,4", "n,4 3,4", "n,n n", "2 3", "() 0,3", "2,3 3 2,1"];

    #[test]
    fn pictures_are_xml_with_titles_of_their_own() {
        for shapes in SHAPES {
            for style in [Theme::Auto, Theme::Light, Theme::Dark, Theme::Print].map(|theme| SheetStyle {
                theme,
                steps: theme == Theme::Print,
                outlines: theme == Theme::Dark,
            }) {
                let text = sheet(shapes).svg(style);
                let read = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{shapes}: {error}"));
                let words = |name| read.descendants().filter(|node| node.has_tag_name(name)).count();
                let name = ("http://www.w3.org/2000/svg", "text");
                assert_eq!(words(name) == 0, style.outlines, "{shapes} {style:?}");
                assert_eq!(text.contains("light-dark"), style.theme == Theme::Auto, "{shapes} {style:?}");
            }
        }
        let titles: Vec<String> =
            SHAPES.iter().flat_map(|shapes| sheet(shapes).drawings()).map(|one| one.title).collect();
        let mut unique = titles.clone();
        unique.sort();
        unique.dedup();
        // The sizes for which open shapes differ are those of another comparison here.
        assert_eq!(unique.len(), titles.len() - 2, "{titles:?}");
    }

    #[test]
    fn a_sheet_says_who_means_what_and_who_rejects() {
        let text = sheet("2,3,4,5 3,4").alternative();
        for want in [
            "(2, 3, 4, 5) + (3, 4) under every rule.",
            "NumPy rejects these shapes.",
            "(2, 3, 4, 5) + (3, 4) under numpy: rejected.",
            "meaning 1: onnx-legacy axis=1",
            "rejected by the rule ncnn (axis 0 is 2 and 3).",
        ] {
            assert!(text.contains(want), "{want}: {text}");
        }
        let text = sheet("2,2 2").alternative();
        for want in
            ["The elements of the result are [[0, 2], [2, 4]].", "The elements of the result are [[0, 1], [3, 4]]."]
        {
            assert!(text.contains(want), "{want}: {text}");
        }
    }

    #[test]
    fn nothing_is_drawn_outside_the_picture() {
        for shapes in SHAPES {
            for steps in [false, true] {
                let text = sheet(shapes).svg(SheetStyle { steps, ..SheetStyle::default() });
                let read = roxmltree::Document::parse(&text).unwrap();
                let number =
                    |node: &roxmltree::Node<'_, '_>, name| node.attribute(name).map_or(0, |text| text.parse().unwrap());
                let root = read.root_element();
                let (width, height): (usize, usize) = (number(&root, "width"), number(&root, "height"));
                for node in root.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "rect")))
                {
                    let moved = node.parent_element().and_then(|parent| parent.attribute("transform"));
                    let moved = moved.map_or(vec![0, 0], |text| {
                        let text = text.trim_start_matches("translate(").trim_end_matches(')');
                        text.split(' ').map(|one| one.parse::<usize>().unwrap()).collect()
                    });
                    let right = moved[0] + number(&node, "x") + number(&node, "width");
                    let bottom = moved[1] + number(&node, "y") + number(&node, "height");
                    assert!(right <= width && bottom <= height, "{shapes}: {right} of {width}, {bottom} of {height}");
                }
            }
        }
    }

    #[test]
    fn large_results_have_no_numbers() {
        let rule = Rule::numpy();
        for (shape, has) in [([8, 8], true), ([8, 9], false), ([0, 3], false)] {
            let alignment = rule.align(&[&shape]).unwrap();
            let sheet =
                Sheet::of(Drawing::new(&rule, &alignment, Order::ROW_MAJOR), Some(&alignment), Order::ROW_MAJOR);
            assert_eq!(sheet.svg(SheetStyle::default()).contains("numbers of the result"), has, "{shape:?}");
        }
    }
}
