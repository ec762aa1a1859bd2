//! Renders the drawing of an answer as a picture: SVG, PNG, HTML or Markdown.

mod png;

use std::{io::Write, path::Path};

use broadaxe_draw::{Drawing, Order, Sheet, SheetStyle, Theme, markdown};

use crate::{
    answer::Answer,
    args::{Colours, PictureArgs},
    error::{Error, ErrorKind},
    file::write::Whole,
    terminal,
};

impl PictureArgs {
    /// Renders a sheet as what is printed in the place of text, if something is.
    pub(super) fn text(&self, sheet: &Sheet) -> Option<String> {
        match self {
            Self { html: true, .. } => Some(sheet.html(self.style())),
            Self { markdown: true, .. } => Some(sheet.drawings().iter().map(markdown).collect::<Vec<_>>().join("\n")),
            _ if self.svg.as_deref() == Some(Path::new("-")) => Some(sheet.svg(self.style())),
            _ => None,
        }
    }

    fn style(&self) -> SheetStyle {
        let theme = match self.theme {
            None => Theme::Auto,
            Some(Colours::Light) => Theme::Light,
            Some(Colours::Dark) => Theme::Dark,
            Some(Colours::Print) => Theme::Print,
        };
        SheetStyle { theme, steps: self.steps, outlines: false }
    }
}

/// Writes the files of an answer that were asked for.
///
/// # Errors
/// When there is nothing to draw, or a file cannot be written.
pub(super) fn saved(args: &PictureArgs, sheet: &Sheet, answer: Answer) -> Result<Answer, Error> {
    if args.is_asked() && sheet.drawings().is_empty() {
        return Err(Error::new(ErrorKind::Shape, "there is nothing to draw: the rule does not align these shapes"));
    }
    if let Some(path) = args.svg.as_deref().filter(|path| *path != Path::new("-")) {
        Whole::create(path)?.save(|to| to.write_all(sheet.svg(args.style()).as_bytes()))?;
    }
    if let Some(path) = args.png.as_deref() {
        let bytes = png::png(sheet, args.style())?;
        Whole::create(path)?.save(|to| to.write_all(&bytes))?;
    }
    Ok(answer)
}

/// Answers with the drawing of shapes that do not broadcast where a picture was asked for; otherwise the error shows it.
///
/// # Errors
/// The error, unless a picture is printed.
pub(super) fn failed(args: &PictureArgs, drawing: Option<Drawing>, error: Error) -> Result<Answer, Error> {
    let Some(drawing) = drawing else { return Err(error) };
    let text = text(&drawing);
    let sheet = Sheet::of(drawing, None, Order::ROW_MAJOR);
    if let Some(text) = args.text(&sheet) {
        return Ok(Answer::judged(text, error.to_json(), true));
    }
    saved(args, &sheet, Answer::new(String::new(), error.to_json()))?;
    Err(error.drawn(Some(text)))
}

/// Renders a drawing as lines of text, with its sentences below it.
fn text(drawing: &Drawing) -> String {
    let notes = drawing.notes.iter().map(|note| format!("  {note}\n"));
    notes.fold(drawing.text(!terminal::is_utf8()), |text, note| text + &note).trim_end().to_owned()
}
