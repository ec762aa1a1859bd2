//! Lists test cases that cover every way in which shapes broadcast, under the rule of any framework.
#![forbid(unsafe_code)]

mod error;
mod pattern;
mod theme;
mod subject;
mod case;
mod level;
mod question;
mod models;

pub use self::{
    case::{Case, Expected, Id},
    error::Error,
    level::{LEVELS, Level},
    models::{FORMATS, File, Format, Unsupported, model},
    pattern::{MAX_OPERANDS, MAX_RANK, Pattern, count, tuples},
    question::{Answer, Array, Failure, Operand, Question, Verdict},
    subject::{FAMILIES, Family, Subject},
    theme::{LANES, Theme},
};
