//! Answers requests in JSON, and checks one model file.

#![forbid(unsafe_code)]

use std::{ffi::CString, path::Path, sync::OnceLock};

use broadaxe_models::{PROFILES, Target, check_file};
use broadaxe_session::{
    answer::{Response, answer},
    error::Error,
    record::Checked,
    request::Request,
    stream,
};

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
    let findings = record.attention();
    let json = serde_json::to_string(&Checked { models: vec![record], ..Checked::default() });
    let json = json.map_err(|error| Failure::new(BX_ERROR_INTERNAL, format!("the findings are not JSON: {error}")))?;
    Ok(Report { json, findings })
}

/// Answers a request in JSON; also returns why it could not be answered.
pub fn request(text: &str) -> (Response, Option<String>) {
    let request = serde_json::from_str::<Request>(text).map_err(|error| Error::usage(error.to_string()));
    match request.and_then(|request| answer(&request, &stream::open)) {
        Ok(response) => (response, None),
        Err(error) => (Response::of_error(&error), Some(error.to_string())),
    }
}

/// Returns the names of the targets.
pub(crate) fn targets() -> &'static [CString] {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    let name = |profile: &&'static broadaxe_models::Profile| CString::new(profile.name).unwrap_or_default();
    NAMES.get_or_init(|| PROFILES.iter().map(name).collect())
}
