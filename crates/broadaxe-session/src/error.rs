//! The error of a request: its text, its class, and the exit code of a command.

use std::{borrow::Cow, fmt, io, path::Path};

pub use broadaxe_draw::words::{escaped, quoted};
use broadaxe_draw::{
    record,
    words::{escaped_to, turns},
};
use broadaxe_models::Cause;
use serde_json::{Map, Value, json};

use crate::json::value;

/// Says what went wrong: a sentence, and for a file the place in it.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    spot: Box<Spot>,
    position: Option<usize>,
    detail: Option<String>,
    axis: Option<usize>,
    shape: Option<Box<broadaxe_shape::Error>>,
}

/// A place in a file.
#[derive(Debug, Default)]
struct Spot {
    file: Option<String>,
    field: Option<String>,
    offset: Option<u64>,
    cause: Option<Cause>,
}

/// Classes of [`Error`]; they decide the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The command line asks for something that is not there.
    Usage,
    /// A file cannot be read or written, or is not what it says.
    File,
    /// Shapes do not broadcast.
    Shape,
    /// Values or dtypes were rejected.
    Value,
    /// An expression is not one, or names something that was not given.
    Expression,
    /// The result would need more memory than allowed.
    Memory,
    /// Standard output cannot be written.
    Output,
}

impl ErrorKind {
    /// Returns the name of this class in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::File => "file",
            Self::Shape => "shape",
            Self::Value => "value",
            Self::Expression => "expression",
            Self::Memory => "memory",
            Self::Output => "output",
        }
    }

    /// Returns the exit code of a command that ends with this class.
    pub fn code(self) -> u8 {
        match self {
            Self::Shape | Self::Value => 1,
            Self::Usage | Self::File | Self::Expression | Self::Memory | Self::Output => 2,
        }
    }
}

/// The longest sentence, in characters; what a file says may be longer.
const MAX_MESSAGE: usize = 1000;

/// Escapes in JSON what a terminal would obey: serde writes only the controls of ASCII as escapes.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    let is_raw = |c: char| c == '\u{7f}' || ('\u{80}'..='\u{9f}').contains(&c) || turns(c);
    if !json.contains(is_raw) {
        return json.into();
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_raw(c) { out += &format!("\\u{:04x}", u32::from(c)) } else { out.push(c) }
    }
    out.into()
}

/// Returns the error of a failed write to standard output. A reader that has read enough and closed its end, as `head` does, is no
/// error.
///
/// # Errors
/// [`ErrorKind::Output`].
pub fn written(result: io::Result<()>) -> Result<(), Error> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| Error::output(&error)),
    }
}

impl Error {
    /// Makes an error of this class.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: escaped_to(&message.into(), MAX_MESSAGE),
            spot: Box::default(),
            position: None,
            detail: None,
            axis: None,
            shape: None,
        }
    }

    /// Makes a [`ErrorKind::Usage`] error.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Makes a [`ErrorKind::File`] error about a field at a byte offset; [`Error::of`] adds the file.
    pub fn field(field: &str, offset: u64, message: impl Into<String>) -> Self {
        let spot = Spot { field: Some(quoted(field)), offset: Some(offset), ..Spot::default() };
        Self { spot: Box::new(spot), ..Self::new(ErrorKind::File, message) }
    }

    /// Makes a [`ErrorKind::File`] error of what the system answered.
    pub fn io(path: &Path, doing: &str, error: &io::Error) -> Self {
        let mut made = Self::new(ErrorKind::File, format!("cannot {doing}: {error}")).of(path);
        made.spot.cause = Some(Cause::from(error));
        made
    }

    /// Makes the error of an output whose folder does not exist.
    pub fn absent_folder(path: &Path, folder: &Path, error: &io::Error) -> Self {
        let text = format!("the folder {} does not exist", quoted(&folder.display().to_string()));
        let mut made = Self::new(ErrorKind::File, text).of(path);
        made.spot.cause = Some(Cause::from(error));
        made
    }

    /// Makes the error of a failed write to standard output.
    pub fn output(error: &io::Error) -> Self {
        Self::new(ErrorKind::Output, format!("cannot write to standard output: {error}"))
    }

    /// Makes the error of a run without a standard output.
    pub fn closed_output() -> Self {
        let text = "standard output is closed, so nothing was done; redirect what is not needed to /dev/null";
        Self::new(ErrorKind::Output, text)
    }

    /// Names the file at fault, unless one is named already.
    #[must_use]
    pub fn of(mut self, path: &Path) -> Self {
        self.spot.file.get_or_insert_with(|| path.display().to_string());
        self
    }

    /// Moves the error to a part of a file: its field gets this name in front, its offset is counted from the start.
    #[must_use]
    pub fn inside(mut self, part: &str, start: u64) -> Self {
        let (part, field) = (quoted(part), self.spot.field.take());
        self.spot.field = Some(field.map_or_else(|| part.clone(), |field| format!("{part}, {field}")));
        self.spot.offset = self.spot.offset.map(|offset| offset.saturating_add(start));
        self
    }

    /// Adds a drawing that is printed below the sentence, if there is one.
    #[must_use]
    pub fn drawn(self, drawing: Option<String>) -> Self {
        match drawing {
            Some(drawing) => self.with_detail(format!("\n{drawing}")),
            None => self,
        }
    }

    /// Adds lines that are shown below the sentence.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Shows the text of an expression with a caret under the place, if the error has one.
    #[must_use]
    pub fn pointing(mut self, text: &str, origin: &dyn Fn(usize) -> usize) -> Self {
        if let Some(at) = self.position.map(origin) {
            let at = text.floor_char_boundary(at);
            let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let line = text[start..].lines().next().unwrap_or("").replace(char::is_control, " ");
            let column = text[start..at].chars().count();
            self.position = Some(at);
            self.detail = Some(format!("  {line}\n  {:column$}^", ""));
        }
        self
    }

    /// Says the same of shapes in other words, such as in another order of axes.
    #[must_use]
    pub fn saying(mut self, message: String, axis: Option<usize>) -> Self {
        self.message = message;
        self.axis = axis;
        self
    }

    /// Returns the class of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the sentence, without the file.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the field of the file at fault, where one is.
    pub fn field_name(&self) -> Option<&str> {
        self.spot.field.as_deref()
    }

    /// Returns the file at fault, where one is named.
    pub fn file_name(&self) -> Option<&str> {
        self.spot.file.as_deref()
    }

    /// Returns what the operating system answered, where a file could not be used.
    pub fn cause(&self) -> Option<Cause> {
        self.spot.cause
    }

    /// Returns the byte offset in the file, where there is one.
    pub fn offset(&self) -> Option<u64> {
        self.spot.offset
    }

    /// Returns the lines to show below the sentence, where there are any.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// Returns the error as `--json` prints it: `{"error": {"kind": ..., "message": ...}}`.
    pub fn to_json(&self) -> Value {
        let mut parts = Map::new();
        if let Some(shape) = &self.shape {
            if let Value::Object(of_shape) = value(record::error_parts(shape, self.axis)) {
                parts = of_shape;
            }
        } else {
            parts.insert("kind".into(), json!(self.kind.name()));
            if let Some(file) = &self.spot.file {
                parts.insert("file".into(), json!(file));
            }
            if let Some(field) = &self.spot.field {
                parts.insert("field".into(), json!(field));
            }
            if let Some(offset) = self.spot.offset {
                parts.insert("offset".into(), json!(offset));
            }
        }
        if let Some(position) = self.position {
            parts.insert("position".into(), json!(position));
        }
        parts.insert("message".into(), json!(self.message));
        json!({ "error": parts })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.spot.file {
            write!(f, "{}: ", escaped(file))?;
        }
        f.write_str(&self.message)?;
        match (&self.spot.field, self.spot.offset) {
            (Some(field), Some(offset)) => write!(f, " ({field}, byte {offset})"),
            (Some(field), None) => write!(f, " ({field})"),
            (None, _) => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<broadaxe_shape::Error> for Error {
    /// A parameter or text that is malformed is wrong usage; all else means that the shapes do not broadcast.
    fn from(error: broadaxe_shape::Error) -> Self {
        use broadaxe_shape::ErrorKind as Shape;
        let kind = match error.kind() {
            Shape::Parameter | Shape::Parse | Shape::Operands => ErrorKind::Usage,
            _ => ErrorKind::Shape,
        };
        Self { axis: error.axis(), shape: Some(Box::new(error.clone())), ..Self::new(kind, error.to_string()) }
    }
}

impl From<broadaxe_models::Error> for Error {
    /// What names something that is not there is wrong usage; all else is about the file.
    fn from(error: broadaxe_models::Error) -> Self {
        let kind = match error.kind() {
            broadaxe_models::ErrorKind::Argument => ErrorKind::Usage,
            _ => ErrorKind::File,
        };
        let mut made = Self::new(kind, error.message());
        made.spot.field = error.place().map(quoted);
        made.spot.cause = error.cause();
        made
    }
}

impl From<broadaxe::Error> for Error {
    /// Shapes, dtypes and values are rejected; what the expression says is wrong usage.
    fn from(error: broadaxe::Error) -> Self {
        use broadaxe::ErrorKind as Engine;
        let made = match (error.kind(), error.shape()) {
            (Engine::Shape, Some(shape)) => Self { message: error.to_string(), ..Self::from(shape.clone()) },
            (kind, _) => {
                let kind = match kind {
                    Engine::Shape => ErrorKind::Shape,
                    Engine::DType | Engine::Value => ErrorKind::Value,
                    Engine::Memory => ErrorKind::Memory,
                    _ => ErrorKind::Expression,
                };
                Self::new(kind, error.to_string())
            }
        };
        Self { position: error.position(), ..made }
    }
}
