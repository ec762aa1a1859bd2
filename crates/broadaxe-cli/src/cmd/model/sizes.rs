//! `broadaxe sizes`: lists the sizes of an open dim that a model accepts.

use broadaxe_models::sizes::{Sweep, sweep};
use serde_json::json;

use super::{Open, given, open, progress::Progress, read};
use crate::{answer::Answer, args::SizesArgs, error::Error};

/// The most sizes of one sweep.
const MOST: usize = 65_536;

/// Tries the sizes.
///
/// # Errors
/// When the model cannot be read, or has no open dim of this name.
pub fn run(args: &SizesArgs, open: Open<'_>) -> Result<Answer, Error> {
    let (name, low, high) = range(&args.sweep)?;
    let model = read(&args.model, open)?;
    let found = sweep(&model, &given(&args.inputs)?, name, low, high);
    let found: Sweep = found.map_err(|error| Error::from(error).of(&args.model))?;
    let text = format!("{}: {name} accepts {found}\n", args.model.display());
    let accidents = found.accidents.iter().map(|(size, why)| json!({ "size": size, "reason": why }));
    let json = json!({
        "model": args.model.display().to_string(),
        "dim": name,
        "range": [low, high],
        "accepts": found.taken.to_string(),
        "period": found.taken.period,
        "remainders": found.taken.remainders,
        "also": found.taken.also,
        "but": found.taken.but,
        "accidents": accidents.collect::<Vec<_>>(),
        "refused": found.refused.as_ref().map(|(size, why)| json!({ "size": size, "reason": why })),
    });
    Ok(Answer::new(text, json))
}

/// As [`run`], for a user who waits.
///
/// # Errors
/// As [`run`].
pub fn run_shown(args: &SizesArgs) -> Result<Answer, Error> {
    let _progress = Progress::of(&args.model);
    run(args, &open)
}

/// Reads `height=1..512`, both ends included.
fn range(text: &str) -> Result<(&str, usize, usize), Error> {
    let wrong = || Error::usage(format!("--sweep '{text}' should be DIM=LOW..HIGH, such as height=1..512"));
    let (name, range) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(wrong)?;
    let (low, high) = range.split_once("..").ok_or_else(wrong)?;
    let (low, high) = (low.trim().parse().map_err(|_| wrong())?, high.trim().parse::<usize>().map_err(|_| wrong())?);
    if low > high || high - low >= MOST {
        return Err(Error::usage(format!("--sweep '{text}' must ascend and have at most {MOST} sizes")));
    }
    Ok((name, low, high))
}
