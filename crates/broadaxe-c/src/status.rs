//! The statuses that functions return, and the errors of the crates below as statuses.

#![forbid(unsafe_code)]

use std::{
    ffi::CStr,
    fmt::{self, Display},
};

use broadaxe_models::ErrorKind as ModelKind;
use broadaxe_shape::ErrorKind as ShapeKind;

/// The call succeeded.
pub const BX_OK: i32 = 0;
/// A pointer that must not be null is null.
pub const BX_ERROR_NULL: i32 = 1;
/// The field `struct_size` of a structure is too small, or fields that this version does not know are set.
pub const BX_ERROR_STRUCT_SIZE: i32 = 2;
/// A buffer is too small; the length that it needs was written.
pub const BX_ERROR_BUFFER: i32 = 3;
/// A text is not UTF-8.
pub const BX_ERROR_TEXT: i32 = 4;
/// An index or a count is out of range.
pub const BX_ERROR_INDEX: i32 = 5;
/// A bug in Broadaxe; the text says where. Please report it.
pub const BX_ERROR_INTERNAL: i32 = 6;
/// Two dims on one axis differ, and neither operand may stretch.
pub const BX_ERROR_MISMATCH: i32 = 16;
/// An operand would have to stretch that the rule does not allow to stretch.
pub const BX_ERROR_DIRECTION: i32 = 17;
/// The rule does not accept a rank, or a rank is above `BX_MAX_RANK`.
pub const BX_ERROR_RANK: i32 = 18;
/// The parameter axis is out of range.
pub const BX_ERROR_AXIS: i32 = 19;
/// The parameter axes has the wrong count, is unsorted, repeats an axis or is out of range.
pub const BX_ERROR_AXES: i32 = 20;
/// A dim is 0, which the rule does not accept.
pub const BX_ERROR_EMPTY: i32 = 21;
/// The rule does not accept this number of operands.
pub const BX_ERROR_OPERANDS: i32 = 22;
/// A rule is unknown, or one of its parameters is missing, superfluous or malformed.
pub const BX_ERROR_PARAMETER: i32 = 23;
/// A product of dims is more than an array can hold.
pub const BX_ERROR_OVERFLOW: i32 = 24;
/// A file cannot be read.
pub const BX_ERROR_FILE: i32 = 32;
/// A file is damaged, or is not a model that Broadaxe can read.
pub const BX_ERROR_FORMAT: i32 = 33;
/// A file exceeds a limit.
pub const BX_ERROR_LIMIT: i32 = 34;
/// A target is unknown.
pub const BX_ERROR_TARGET: i32 = 35;
/// A request could not be answered; its answer says why.
pub const BX_ERROR_REQUEST: i32 = 36;

/// Describes every status.
const TEXTS: &[(i32, &CStr)] = &[
    (BX_OK, c"success"),
    (BX_ERROR_NULL, c"a required pointer is null"),
    (BX_ERROR_STRUCT_SIZE, c"struct_size is not supported by this version"),
    (BX_ERROR_BUFFER, c"the buffer is too small"),
    (BX_ERROR_TEXT, c"the text is not UTF-8"),
    (BX_ERROR_INDEX, c"an index or a count is out of range"),
    (BX_ERROR_INTERNAL, c"internal error"),
    (BX_ERROR_MISMATCH, c"dims do not match"),
    (BX_ERROR_DIRECTION, c"the operand may not stretch"),
    (BX_ERROR_RANK, c"the rank is not accepted"),
    (BX_ERROR_AXIS, c"axis is out of range"),
    (BX_ERROR_AXES, c"axes is not a valid list of axes"),
    (BX_ERROR_EMPTY, c"a dim of 0 is not accepted"),
    (BX_ERROR_OPERANDS, c"the number of operands is not accepted"),
    (BX_ERROR_PARAMETER, c"unknown rule or wrong parameter"),
    (BX_ERROR_OVERFLOW, c"too many elements"),
    (BX_ERROR_FILE, c"the file cannot be read"),
    (BX_ERROR_FORMAT, c"the file is not a valid model"),
    (BX_ERROR_LIMIT, c"the file exceeds a limit"),
    (BX_ERROR_TARGET, c"unknown target"),
    (BX_ERROR_REQUEST, c"the request could not be answered"),
];

/// Describes a status in a few words.
pub(crate) fn describe(status: i32) -> &'static CStr {
    TEXTS.iter().find(|(known, _)| *known == status).map_or(c"unknown status", |(_, text)| text)
}

/// Why a call fails: its status, and a text that is written when it is asked for.
#[derive(Debug)]
pub(crate) enum Failure {
    Call(i32, String),
    Shape(broadaxe_shape::Error),
    Model(broadaxe_models::Error),
}

impl Failure {
    pub(crate) fn new(status: i32, text: impl Into<String>) -> Self {
        Self::Call(status, text.into())
    }

    pub(crate) fn status(&self) -> i32 {
        match self {
            Self::Call(status, _) => *status,
            Self::Shape(error) => of_shape(error.kind()),
            Self::Model(error) => of_model(error.kind()),
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(_, text) => f.write_str(text),
            Self::Shape(error) => error.fmt(f),
            Self::Model(error) => error.fmt(f),
        }
    }
}

impl From<broadaxe_shape::Error> for Failure {
    fn from(error: broadaxe_shape::Error) -> Self {
        Self::Shape(error)
    }
}

impl From<broadaxe_models::Error> for Failure {
    fn from(error: broadaxe_models::Error) -> Self {
        Self::Model(error)
    }
}

fn of_shape(kind: ShapeKind) -> i32 {
    match kind {
        ShapeKind::Mismatch => BX_ERROR_MISMATCH,
        ShapeKind::Direction => BX_ERROR_DIRECTION,
        ShapeKind::Rank => BX_ERROR_RANK,
        ShapeKind::Axis => BX_ERROR_AXIS,
        ShapeKind::Axes => BX_ERROR_AXES,
        ShapeKind::Empty => BX_ERROR_EMPTY,
        ShapeKind::Operands => BX_ERROR_OPERANDS,
        ShapeKind::Parameter | ShapeKind::Parse => BX_ERROR_PARAMETER,
        ShapeKind::Overflow => BX_ERROR_OVERFLOW,
        _ => BX_ERROR_INTERNAL,
    }
}

fn of_model(kind: ModelKind) -> i32 {
    match kind {
        ModelKind::File => BX_ERROR_FILE,
        ModelKind::Format => BX_ERROR_FORMAT,
        ModelKind::Limit => BX_ERROR_LIMIT,
        ModelKind::Argument => BX_ERROR_TARGET,
        _ => BX_ERROR_INTERNAL,
    }
}
