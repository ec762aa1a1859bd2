//! What requests about several files answer.

use broadaxe_models::report::CheckRecord;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;

/// What a check prints as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Checked {
    /// One entry per model that was judged, in the order of the command line.
    pub models: Vec<CheckRecord>,
    /// One entry per file that cannot be read or is not a model; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FileRecord>,
    /// One entry per file that `--skip-others` skipped; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<FileRecord>,
    /// What the run says about its configuration and baseline, such as entries that are not used; absent if there is nothing to say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How many findings do not count, with the file that says so; findings say that too.
    #[serde(skip)]
    pub accepted: Vec<String>,
}

/// A file that was not judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileRecord {
    /// The file, as it was given.
    pub file: String,
    /// Why it was not judged.
    pub message: String,
    /// The place in the file, where one is known.
    pub field: Option<String>,
}

impl FileRecord {
    /// Records an error about a file.
    pub fn new(file: &str, error: &Error) -> Self {
        // What the system answers about a file begins with the name of the file.
        let message = error.message();
        let message = message.strip_prefix(file).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(message);
        Self { file: file.to_owned(), message: message.to_owned(), field: error.field_name().map(str::to_owned) }
    }

    /// Says what is wrong and where, without the name of the file.
    pub fn sentence(&self) -> String {
        self.field.as_ref().map_or_else(|| self.message.clone(), |field| format!("{} ({field})", self.message))
    }
}
