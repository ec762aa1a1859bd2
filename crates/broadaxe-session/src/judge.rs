//! Judges a model that is loaded, for every program.

use broadaxe_models::{Fixed, Target, check_model, fix::Intent, fix_model_as, report::CheckRecord};

use crate::{error::Error, model::Loaded};

/// Checks a model for targets, and plans its repairs.
///
/// # Errors
/// When a repair cannot be planned.
pub fn judged(loaded: &Loaded, targets: &[Target]) -> Result<CheckRecord, Error> {
    let Loaded { path, model, shapes } = loaded;
    check_model(path, model, shapes, targets).map_err(|error| Error::from(error).of(path))
}

/// Plans the fix of a model for targets, verifies it unless the caller does not want that, and decides whether it is offered.
///
/// # Errors
/// When a change cannot be made.
pub fn fixed(loaded: &Loaded, targets: &[Target], (verify, intent): (bool, Intent)) -> Result<Fixed, Error> {
    let Loaded { path, model, shapes } = loaded;
    fix_model_as(model, shapes, targets, verify, intent).map_err(|error| Error::from(error).of(path))
}
