//! The one error of this crate.

use std::{fmt, io};

/// Says what went wrong with a model, where in its file, and what would have worked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    place: Option<String>,
    edits: Vec<(usize, String)>,
    cause: Option<Cause>,
}

/// What the operating system answered where a file could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The class of the answer.
    pub kind: io::ErrorKind,
    /// The number of the answer, where the system gave one.
    pub code: Option<i32>,
}

impl From<&io::Error> for Cause {
    fn from(error: &io::Error) -> Self {
        Self { kind: error.kind(), code: error.raw_os_error() }
    }
}

/// Classes of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file cannot be opened, read or written.
    File,
    /// A file is damaged or not of its format.
    Format,
    /// A file exceeds a limit.
    Limit,
    /// A name does not exist in the model.
    Argument,
    /// A change cannot be made.
    Edit,
}

impl ErrorKind {
    /// Returns the name of this class in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Format => "format",
            Self::Limit => "limit",
            Self::Argument => "argument",
            Self::Edit => "edit",
        }
    }
}

impl Error {
    /// Makes an error; the sentence says what would have worked.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: None, edits: Vec::new(), cause: None }
    }

    /// Makes the error of a file that is not what it says.
    pub fn format(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Format, message)
    }

    /// Adds the place, unless a narrower one is known: `byte 17`, `line 3`, `node conv_1`.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.place.get_or_insert_with(|| place.to_string());
        self
    }

    /// Returns the sentence without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Adds the changes that cannot be made: where each is in the list, and why.
    #[must_use]
    pub(crate) fn of_edits(mut self, edits: Vec<(usize, String)>) -> Self {
        self.edits = edits;
        self
    }

    /// Lists the changes that cannot be made, where they are known: where each is in the list, and why.
    pub fn edits(&self) -> &[(usize, String)] {
        &self.edits
    }

    /// Adds what the operating system answered.
    #[must_use]
    pub fn caused(mut self, cause: Cause) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Returns what the operating system answered, where a file could not be used.
    pub fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// Returns the class of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the place in the file, where one is known.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}
