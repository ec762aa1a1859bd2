//! Lists the sizes of an open dim that a model accepts.

use broadaxe_models::sizes::{Sweep, sweep};
use serde_json::{Value, json};

use crate::{
    error::Error,
    model::{Open, given, read},
    request::SizesRequest,
};

/// The most sizes of one sweep.
const MOST: usize = 65_536;

/// The sizes that a model accepts.
#[derive(Debug)]
pub struct Sizes {
    /// The model's file.
    pub model: String,
    /// The name of the dim.
    pub dim: String,
    /// The sizes that were tried, both ends included.
    pub range: [usize; 2],
    /// What was found.
    pub sweep: Sweep,
}

/// Tries the sizes.
///
/// # Errors
/// When the model cannot be read, or has no open dim of this name.
pub fn sizes(request: &SizesRequest, open: Open<'_>) -> Result<Sizes, Error> {
    let (name, low, high) = range(&request.sweep)?;
    let model = read(&request.model, open)?;
    let found = sweep(&model, &given(&request.input_shapes)?, name, low, high);
    let sweep = found.map_err(|error| Error::from(error).of(&request.model))?;
    Ok(Sizes { model: request.model.display().to_string(), dim: name.to_owned(), range: [low, high], sweep })
}

impl Sizes {
    /// Returns what is printed as JSON.
    pub fn record(&self) -> Value {
        let Self { model, dim, range, sweep } = self;
        let accidents = sweep.accidents.iter().map(|(size, why)| json!({ "size": size, "reason": why }));
        json!({
            "model": model,
            "dim": dim,
            "range": range,
            "accepts": sweep.taken.to_string(),
            "period": sweep.taken.period,
            "remainders": sweep.taken.remainders,
            "also": sweep.taken.also,
            "but": sweep.taken.but,
            "accidents": accidents.collect::<Vec<_>>(),
            "refused": sweep.refused.as_ref().map(|(size, why)| json!({ "size": size, "reason": why })),
        })
    }
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
