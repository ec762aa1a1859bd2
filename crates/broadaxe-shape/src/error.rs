//! The error of this crate.

use alloc::{
    boxed::Box,
    string::{String, ToString},
};
use core::{
    fmt,
    panic::{RefUnwindSafe, UnwindSafe},
};

/// Says what went wrong with a broadcast, and what would have worked.
///
/// The sentence names operand, axis, both sizes and the rule. The parts are there for programs:
/// [`Error::kind`], [`Error::operand`], [`Error::axis`], [`Error::sizes`], [`Error::rule`]. The error of a broadcast keeps
/// the shapes and writes its sentence when it is displayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    operand: Option<usize>,
    axis: Option<usize>,
    sizes: Option<(usize, usize)>,
    rule: Option<&'static str>,
    message: Message,
}

/// The sentence of an error.
enum Message {
    Text(String),
    /// Written when it is displayed.
    Later(Box<dyn Sentence>),
}

/// Writes a sentence from data that it holds.
trait Sentence: Send + Sync + UnwindSafe + RefUnwindSafe {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn copy(&self) -> Box<dyn Sentence>;
}

/// What a sentence that is written later may hold.
pub(crate) trait Data: Clone + Send + Sync + UnwindSafe + RefUnwindSafe + 'static {}

impl<T: Clone + Send + Sync + UnwindSafe + RefUnwindSafe + 'static> Data for T {}

impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result + Data> Sentence for F {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self(f)
    }
    fn copy(&self) -> Box<dyn Sentence> {
        Box::new(self.clone())
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Later(sentence) => sentence.write(f),
        }
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}

impl Clone for Message {
    fn clone(&self) -> Self {
        match self {
            Self::Text(text) => Self::Text(text.clone()),
            Self::Later(sentence) => Self::Later(sentence.copy()),
        }
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Message {}

/// Classes of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Two extents on one axis differ and neither may stretch.
    Mismatch,
    /// An operand would have to stretch that the rule does not allow to stretch.
    Direction,
    /// The rule does not accept a rank.
    Rank,
    /// The attribute `axis` is out of range or places the operand past the end.
    Axis,
    /// The list `axes` has the wrong count, is unsorted, repeats itself or is out of range.
    Axes,
    /// An extent is 0, which the rule does not accept.
    Empty,
    /// The wrong number of operands for the rule.
    Operands,
    /// A parameter is missing, superfluous or malformed, or a rule is unknown.
    Parameter,
    /// A product of dims exceeds what an array can hold.
    Overflow,
    /// A text is not a shape.
    Parse,
    /// The answer depends on a dim that is not known.
    Undecided,
}

impl ErrorKind {
    /// Returns the name of this class in JSON: `mismatch`, `direction`, `rank`, ...
    pub fn name(self) -> &'static str {
        match self {
            Self::Mismatch => "mismatch",
            Self::Direction => "direction",
            Self::Rank => "rank",
            Self::Axis => "axis",
            Self::Axes => "axes",
            Self::Empty => "empty",
            Self::Operands => "operands",
            Self::Parameter => "parameter",
            Self::Overflow => "overflow",
            Self::Parse => "parse",
            Self::Undecided => "undecided",
        }
    }
}

impl Error {
    /// Makes the error with which [`Extents`](crate::Extents) says that a question about its dims is open.
    ///
    /// Its class is [`ErrorKind::Undecided`].
    ///
    /// ```
    /// use broadaxe_shape::{Error, ErrorKind};
    /// let error = Error::undecided("whether n is 3 is not known");
    /// assert_eq!(error.kind(), ErrorKind::Undecided);
    /// assert_eq!(error.to_string(), "whether n is 3 is not known");
    /// ```
    pub fn undecided(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Undecided, message)
    }

    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::of(kind, Message::Text(message.into()))
    }

    /// Makes an error whose sentence is written when it is displayed.
    pub(crate) fn later(kind: ErrorKind, write: impl Fn(&mut fmt::Formatter<'_>) -> fmt::Result + Data) -> Self {
        Self::of(kind, Message::Later(Box::new(write)))
    }

    fn of(kind: ErrorKind, message: Message) -> Self {
        Self { kind, operand: None, axis: None, sizes: None, rule: None, message }
    }

    pub(crate) fn operand_at(mut self, operand: usize) -> Self {
        self.operand = Some(operand);
        self
    }

    pub(crate) fn axis_at(mut self, axis: usize) -> Self {
        self.axis = Some(axis);
        self
    }

    pub(crate) fn sized(mut self, left: usize, right: usize) -> Self {
        self.sizes = Some((left, right));
        self
    }

    pub(crate) fn under(mut self, rule: &'static str) -> Self {
        self.rule = Some(rule);
        self
    }

    /// Returns the class of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the operand at fault, counted from 0, where one is.
    pub fn operand(&self) -> Option<usize> {
        self.operand
    }

    /// Returns the axis of the result at fault, where one is.
    pub fn axis(&self) -> Option<usize> {
        self.axis
    }

    /// Returns the two extents that do not go together, where two do not.
    pub fn sizes(&self) -> Option<(usize, usize)> {
        self.sizes
    }

    /// Returns the name of the rule that was applied, if one was.
    pub fn rule(&self) -> Option<&'static str> {
        self.rule
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl core::error::Error for Error {}
