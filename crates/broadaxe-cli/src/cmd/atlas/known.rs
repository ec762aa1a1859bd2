//! Files of known failures: an id or a pattern of ids on each line, and a reason after `#`.

use std::{fs, path::Path};

use broadaxe_atlas::Failure;
use glob::Pattern;

use crate::error::Error;

/// The known failures of a runtime.
#[derive(Default)]
pub(super) struct Known(Vec<KnownLine>);

struct KnownLine {
    pattern: Pattern,
    line: usize,
    reason: String,
    used: bool,
}

impl Known {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or a line is not a pattern or has no reason.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|error| Error::io(path, "read it", &error))?;
        let mut entries = Vec::new();
        for (at, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |why: &str| Error::usage(format!("{}:{at}: {why}", path.display()));
            let (id, reason) =
                line.split_once('#').ok_or_else(|| wrong("the reason is missing; write it after '#'"))?;
            let pattern = Pattern::new(id.trim())
                .map_err(|error| wrong(&format!("'{}' is not a pattern: {error}", id.trim())))?;
            entries.push(KnownLine { pattern, line: at, reason: reason.trim().to_owned(), used: false });
        }
        Ok(Self(entries))
    }

    /// Returns the reason why a question may fail, and notes that it was asked. The id of a case names all questions about it.
    pub(super) fn reason(&mut self, id: &str) -> Option<&str> {
        let case = id.split(':').next().unwrap_or(id);
        let mut found = None;
        for entry in self.0.iter_mut().filter(|entry| entry.pattern.matches(id) || entry.pattern.matches(case)) {
            entry.used = true;
            found.get_or_insert(entry.reason.as_str());
        }
        found
    }

    /// Returns the lines that named no question that was asked.
    pub(super) fn unused(&self) -> Vec<usize> {
        self.0.iter().filter(|entry| !entry.used).map(|entry| entry.line).collect()
    }
}

/// Writes failures as a file of known ones.
pub(super) fn written(failures: &[(String, Failure)]) -> String {
    let line =
        |(id, failure): &(String, Failure)| format!("{id}  # {}\n", failure.to_string().replace(['\n', '\r'], " "));
    failures.iter().map(line).collect()
}
