//! Model files: checks one, and writes the findings as JSON.

#![forbid(unsafe_code)]

use std::{ffi::CString, path::Path, slice, sync::OnceLock};

use broadaxe_models::{PROFILES, Target, check_file, report::Checked};

use crate::status::{BX_ERROR_INTERNAL, Failure};

/// What a check found in one model.
pub(crate) struct Report {
    /// What `broadaxe check --json` prints.
    pub(crate) json: String,
    /// The number of findings that need attention.
    pub(crate) findings: usize,
}

/// Checks a model file for these targets.
pub(crate) fn check(path: &Path, targets: &[&str]) -> Result<Report, Failure> {
    let targets: Vec<Target> = targets.iter().map(|target| target.parse()).collect::<Result<_, _>>()?;
    let targets = Target::distinct(targets);
    let record = check_file(path, &targets)?;
    let json = serde_json::to_string(&Checked { models: slice::from_ref(&record) });
    let json = json.map_err(|error| Failure::new(BX_ERROR_INTERNAL, format!("the findings are not JSON: {error}")))?;
    Ok(Report { json, findings: record.attention() })
}

/// Returns the names of the targets.
pub(crate) fn targets() -> &'static [CString] {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    let name = |profile: &&'static broadaxe_models::Profile| CString::new(profile.name).unwrap_or_default();
    NAMES.get_or_init(|| PROFILES.iter().map(name).collect())
}
