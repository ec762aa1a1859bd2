//! The error of this crate.

use std::fmt;

use broadaxe_kernels::Failure;
use broadaxe_op::{DType, stop::Stopped};

/// Says what went wrong, where, and what would have worked.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    position: Option<usize>,
    shape: Option<Box<broadaxe_shape::Error>>,
}

/// Classes of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Shapes do not broadcast; [`Error::shape`] has the parts.
    Shape,
    /// Operands have dtypes that do not go together, or that an operator does not take.
    DType,
    /// An element was rejected, such as a zero divisor.
    Value,
    /// A text is not an expression; [`Error::position`] says where.
    Syntax,
    /// A name is unknown, or names something of the wrong kind.
    Name,
    /// An operator got the wrong number of operands or an attribute it does not take.
    Argument,
    /// A result would exceed the memory budget, or there was no memory.
    Memory,
    /// Shape and strides do not fit the memory they describe.
    Layout,
    /// The progress function asked to stop.
    Interrupted,
}

impl ErrorKind {
    /// Returns the name of this class in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::DType => "dtype",
            Self::Value => "value",
            Self::Syntax => "syntax",
            Self::Name => "name",
            Self::Argument => "argument",
            Self::Memory => "memory",
            Self::Layout => "layout",
            Self::Interrupted => "interrupted",
        }
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), position: None, shape: None }
    }

    pub(crate) fn at(mut self, position: usize) -> Self {
        self.position.get_or_insert(position);
        self
    }

    /// Puts the caller's name in front of the sentence: `onnx.Add: ...`.
    pub(crate) fn within(mut self, who: &str) -> Self {
        self.message = format!("{who}: {}", self.message);
        self
    }

    /// Makes the error of operands that must have one dtype.
    pub(crate) fn mixed(who: &str, dtypes: &[DType]) -> Self {
        let names: Vec<_> = dtypes.iter().map(|dtype| dtype.name()).collect();
        Self::new(
            ErrorKind::DType,
            format!("{who}: operands have dtypes {}; they must be equal, so cast to one of them", names.join(", ")),
        )
    }

    /// Returns the class of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the byte of an expression's text at which the error was found, where there is one.
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    /// Returns the parts of an error about shapes.
    pub fn shape(&self) -> Option<&broadaxe_shape::Error> {
        self.shape.as_deref()
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Interrupted => Self::new(ErrorKind::Interrupted, "the work was told to stop"),
            Stopped::OutOfMemory => Self::new(ErrorKind::Memory, "not enough memory to plan or read this"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<broadaxe_shape::Error> for Error {
    fn from(error: broadaxe_shape::Error) -> Self {
        Self { kind: ErrorKind::Shape, message: error.to_string(), position: None, shape: Some(Box::new(error)) }
    }
}
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Rejected { what, .. } => Self::new(ErrorKind::Value, what),
            Failure::Layout(text) => Self::new(ErrorKind::Layout, text),
            Failure::Memory => Self::new(ErrorKind::Memory, "no memory for the tiles of an evaluation"),
            Failure::Environment(text) => Self::new(ErrorKind::Argument, text),
            Failure::Interrupted => Self::new(ErrorKind::Interrupted, "the evaluation was stopped before its end"),
        }
    }
}
