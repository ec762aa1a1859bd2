//! Renders the drawing of an answer as a picture: SVG, HTML or Markdown.

use std::{io::Write, path::Path};

use broadaxe_draw::{Drawing, html, markdown, svg};

use crate::{
    answer::Answer,
    args::PictureArgs,
    error::{Error, ErrorKind},
    file::write::Whole,
    terminal,
};

impl PictureArgs {
    /// Renders drawings as what is printed in the place of text, if something is.
    pub(super) fn text(&self, drawings: &[Drawing]) -> Option<String> {
        match self {
            Self { html: true, .. } => Some(drawings.iter().map(html).collect()),
            Self { markdown: true, .. } => Some(drawings.iter().map(markdown).collect::<Vec<_>>().join("\n")),
            _ if self.svg.as_deref() == Some(Path::new("-")) => Some(svg(drawings)),
            _ => None,
        }
    }
}

/// Writes the SVG of an answer, if it was asked for.
///
/// # Errors
/// When there is nothing to draw, or the file cannot be written.
pub(super) fn saved(args: &PictureArgs, drawings: &[Drawing], answer: Answer) -> Result<Answer, Error> {
    if args.is_asked() && drawings.is_empty() {
        return Err(Error::new(ErrorKind::Shape, "there is nothing to draw: the rule does not align these shapes"));
    }
    if let Some(path) = args.svg.as_deref().filter(|path| *path != Path::new("-")) {
        Whole::create(path)?.save(|to| to.write_all(svg(drawings).as_bytes()))?;
    }
    Ok(answer)
}

/// Answers with the drawing of shapes that do not broadcast where a picture was asked for; otherwise the error shows it.
///
/// # Errors
/// The error, unless a picture is printed.
pub(super) fn failed(args: &PictureArgs, drawing: Option<Drawing>, error: Error) -> Result<Answer, Error> {
    let drawings: Vec<Drawing> = drawing.into_iter().collect();
    if let (Some(text), false) = (args.text(&drawings), drawings.is_empty()) {
        return Ok(Answer::judged(text, error.to_json(), true));
    }
    if !drawings.is_empty() {
        saved(args, &drawings, Answer::new(String::new(), error.to_json()))?;
    }
    Err(error.drawn(drawings.first().map(text)))
}

/// Renders a drawing as lines of text, with its sentences below it.
fn text(drawing: &Drawing) -> String {
    let notes = drawing.notes.iter().map(|note| format!("  {note}\n"));
    notes.fold(drawing.text(!terminal::is_utf8()), |text, note| text + &note).trim_end().to_owned()
}
