//! Collects the elements of a picture. Text is written as text, or as outlines for renderers without fonts.

use crate::markup::markup;

/// Writes a text of this class at a place as an element.
pub(crate) type Lettering = fn(class: &str, x: usize, y: usize, text: &str) -> String;

/// The elements of a picture.
pub(crate) struct Canvas {
    pub(crate) body: String,
    pub(crate) lettering: Lettering,
}

impl Default for Canvas {
    fn default() -> Self {
        Self::new(as_text)
    }
}

impl Canvas {
    pub(crate) fn new(lettering: Lettering) -> Self {
        Self { body: String::new(), lettering }
    }

    /// Adds a text.
    pub(crate) fn label(&mut self, class: &str, x: usize, y: usize, text: &str) {
        if !text.is_empty() {
            self.body += &(self.lettering)(class, x, y, text);
        }
    }

    /// Adds what another canvas holds, moved.
    pub(crate) fn place(&mut self, other: &Self, x: usize, y: usize) {
        self.body += &format!("<g transform=\"translate({x} {y})\">\n{}</g>\n", other.body);
    }
}

pub(crate) fn as_text(class: &str, x: usize, y: usize, text: &str) -> String {
    format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>\n", markup(text))
}
