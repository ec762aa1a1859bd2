//! Lists test cases that cover every way in which shapes broadcast, under the rule of any framework.
//!
//! A [`Pattern`] says which dims are 1 and which are equal. A rule answers alike for all shapes of a pattern, so one [`Case`] for each
//! pattern is enough. A [`Question`] is a case with numbers that tell elements apart, and judges the answer of a runtime.
//! The guide `docs/guides/atlas.md` of the repository has the argument, and what a result proves.
//!
//! ```
//! use broadaxe_atlas::{Answer, Array, Level, Question, Verdict};
//!
//! // A runtime that adds elements without a look at the shapes, and gives the shape of the first operand.
//! let mine = |question: &Question| {
//!     let operands = question.operands();
//!     let pairs = operands[0].values.iter().zip(&operands[1].values);
//!     let values = pairs.map(|(a, b)| (a + b) as f64).collect();
//!     Answer::Result(Array { shape: operands[0].shape.clone(), values })
//! };
//! let (mut right, mut wrong) = (0, 0);
//! Level::Core.try_each_of(
//!     |subject| subject.family().name == "add" && subject.label() == "numpy",
//!     |case| {
//!         for question in Question::all(&case) {
//!             match question.judge(&mine(&question)) {
//!                 Verdict::Right => right += 1,
//!                 _ => wrong += 1,
//!             }
//!         }
//!         Ok::<_, ()>(())
//!     },
//! );
//! assert!(right > 0 && wrong > right);
//! ```
#![forbid(unsafe_code)]

mod error;
mod pattern;
mod theme;
mod subject;
mod case;
mod level;
mod question;
mod models;
mod serve;

pub use self::{
    case::{Case, Expected, Id},
    error::Error,
    level::{LEVELS, Level},
    models::{FORMATS, File, Format, Unsupported, model},
    pattern::{MAX_OPERANDS, MAX_RANK, Pattern, count, tuples},
    question::{Answer, Array, Failure, Operand, Question, Verdict},
    serve::{Refusal, serve},
    subject::{FAMILIES, Family, Subject},
    theme::{LANES, Theme},
};
