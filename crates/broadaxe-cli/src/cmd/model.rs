//! Shared by the subcommands about model files: reads a model, finds its parts, writes a changed one.

mod census;
mod extract;

mod total;
mod report;
mod progress;
mod check;
pub mod watch;
mod fix;
mod sizes;
mod list;
mod diff;

use std::path::Path;

use broadaxe_models::{Source, extract::Input, report::Shown};
pub use broadaxe_session::model::Open;
use broadaxe_session::{
    extract::saved,
    fix::{FixJob, fix as planned, upgrade as raised},
    request::Request,
};

use self::progress::Progress;
pub use self::{
    check::{run as check, schema, targets},
    fix::{fix, upgrade},
};
use super::{compare, explain, shape};
use crate::{
    answer::{Answer, Json},
    args::{CensusArgs, DiffArgs, ExtractArgs, ListArgs, PictureArgs, SizesArgs},
    error::Error,
};

/// Opens the file of a model; one whose name ends with `.gz` is decompressed, and `-` is standard input.
///
/// # Errors
/// When it cannot be opened, is no regular file, or is too large to be decompressed.
pub fn open(path: &Path) -> Result<Source, Error> {
    broadaxe_session::stream::open(path)
}

/// Runs `broadaxe census`.
///
/// # Errors
/// When no file can be read, or a pattern or an option is malformed.
pub fn census(args: &CensusArgs) -> Result<Answer, Error> {
    census::run(&args.request(), &open)
}

/// Runs `broadaxe sizes`.
///
/// # Errors
/// When the model cannot be read, or a shape is malformed.
pub fn sizes(args: &SizesArgs) -> Result<Answer, Error> {
    let _progress = Progress::of(&args.model);
    sizes::run(&args.request(), &open)
}

/// Runs `broadaxe list`.
///
/// # Errors
/// When the model cannot be read, a target is unknown, or a pattern or a shape is malformed.
pub fn list(args: &ListArgs, json: bool) -> Result<Answer, Error> {
    list::run(&args.request(), json, &open)
}

/// Runs `broadaxe diff`.
///
/// # Errors
/// When one of the models cannot be read, or a shape is malformed.
pub fn diff(args: &DiffArgs, json: bool) -> Result<Answer, Error> {
    diff::run(&args.request(), (args.all, json), &open)
}

/// Runs `broadaxe extract`.
///
/// # Errors
/// When the model cannot be read, it has no such node, or a file cannot be written.
pub fn extract(args: &ExtractArgs) -> Result<Answer, Error> {
    extract::run(&args.request(), &open)
}

/// An answer to a program, with what it may keep.
#[derive(Debug)]
pub struct HeldAnswer {
    /// The answer, with its text and its JSON.
    pub answer: Answer,
    /// The changed or extracted model, where no file is named for it.
    pub changed: Option<Vec<u8>>,
    /// What the inputs of an extracted node may be given.
    pub inputs: Vec<Input>,
}

/// Answers a request of a program, in the words of the command; `shown` are the findings in the text of a check, and `picture` draws the answer about rules. A file that cannot be used is an error.
///
/// # Errors
/// Those of the request; when a changed model could not be verified that was to be.
pub fn answered(request: &Request, shown: Shown, picture: &PictureArgs, open: Open<'_>) -> Result<HeldAnswer, Error> {
    let only = |answer: Result<Answer, Error>| {
        answer?.whole().map(|answer| HeldAnswer { answer, changed: None, inputs: Vec::new() })
    };
    match request {
        Request::Check(request) => only(check::told(request, shown, open)),
        Request::Fix(request) => changed(&planned(request, open)?),
        Request::Upgrade(request) => changed(&raised(request, open)?),
        Request::Census(request) => only(census::run(request, open)),
        Request::Sizes(request) => only(sizes::run(request, open)),
        Request::List(request) => only(list::run(request, true, open)),
        Request::Diff(request) => only(diff::run(request, (false, true), open)),
        Request::Compare(request) => only(compare::answer(request, picture)),
        Request::Shape(request) => only(shape::answer(request, picture)),
        Request::Explain(request) => only(explain::answer(request, false, picture, open)),
        Request::Extract(request) => {
            let found = saved(request, open)?;
            let answer = extract::answer(&found);
            let changed = request.output.is_none().then_some(found.one.model);
            Ok(HeldAnswer { answer, changed, inputs: if request.inline { Vec::new() } else { found.one.inputs } })
        }
    }
}

fn changed(job: &FixJob<'_>) -> Result<HeldAnswer, Error> {
    let mut answer = fix::answer(job, false, false)?;
    job.verified()?;
    let changed = job.changed()?;
    answer.json = Json::Value(serde_json::json!(job.record()));
    answer.words = fix::words(job);
    Ok(HeldAnswer { answer, changed, inputs: Vec::new() })
}
