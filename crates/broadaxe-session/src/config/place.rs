//! Finds and reads configuration files, and shows errors at their place in one.

use std::{
    fs::File,
    io::{self, Read},
    ops::Range,
    path::{Path, PathBuf},
};

use crate::error::{Error, ErrorKind};

/// The name of the file that has settings of Broadaxe alone.
const OWN: &str = "broadaxe.toml";
/// The name of the file that may have them in a table.
const SHARED: &str = "pyproject.toml";
/// What works where a file that was found cannot be read.
const UNREAD: &str = "  --no-config runs without it, and --config FILE reads another file";
/// The most bytes that a configuration file may have.
const MAX_CONFIG_BYTES: u64 = 1 << 20;
/// The most characters of a line that are shown below an error.
const MAX_SHOWN: usize = 100;

/// The text of a configuration file.
#[derive(Debug)]
pub(super) struct Document {
    /// The path that errors show.
    pub(super) path: PathBuf,
    /// The text.
    pub(super) text: String,
}

impl Document {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        Self::read_as(path, path.to_path_buf())
    }

    /// Reads a file that is shown under another path.
    fn read_as(path: &Path, shown: PathBuf) -> Result<Self, Error> {
        let wrong = |message: &str| Err(Error::new(ErrorKind::File, message).of(&shown));
        let fail = |error: io::Error| Error::io(&shown, "read the configuration", &error);
        if !path.metadata().map_err(fail)?.is_file() {
            return wrong("not a regular file; give a broadaxe.toml or a pyproject.toml");
        }
        let mut bytes = Vec::new();
        File::open(path).map_err(fail)?.take(MAX_CONFIG_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
        if bytes.len() as u64 > MAX_CONFIG_BYTES {
            return wrong("the configuration has more than 1 MiB");
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { path: shown, text }),
            Err(_) => wrong("the configuration is not UTF-8"),
        }
    }

    /// Finds the nearest configuration file in an absolute folder and those above it.
    ///
    /// # Errors
    /// When there is one that cannot be read: without it, other models might pass than its project wants.
    pub(super) fn find(folder: &Path) -> Result<Option<Self>, Error> {
        let mut shown = PathBuf::new();
        for folder in folder.ancestors() {
            for name in [OWN, SHARED] {
                let (path, shown) = (folder.join(name), shown.join(name));
                if is_absent(&path) {
                    continue;
                }
                let document = Self::read_as(&path, shown).map_err(|error| error.with_detail(UNREAD))?;
                if name == OWN || document.has_table()? {
                    return Ok(Some(document));
                }
            }
            shown.push("..");
        }
        Ok(None)
    }

    /// Says whether this is a `pyproject.toml`, which has the settings in a table.
    pub(super) fn is_shared(&self) -> bool {
        self.path.file_name().is_some_and(|name| name == SHARED)
    }

    /// Says whether a `pyproject.toml` has the table; one that does not mention Broadaxe is not read any further.
    fn has_table(&self) -> Result<bool, Error> {
        if !self.text.contains("broadaxe") {
            return Ok(false);
        }
        let table: toml::Table = toml::from_str(&self.text).map_err(|error| self.toml_error(&error))?;
        Ok(table.get("tool").is_some_and(|tool| tool.get("broadaxe").is_some()))
    }

    /// Makes the error of something that the file says.
    pub(super) fn error(&self, span: Range<usize>, message: impl Into<String>) -> Error {
        let start = self.text.floor_char_boundary(span.start);
        let before = &self.text[..start];
        let line = before.matches('\n').count() + 1;
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before[begin..].chars().count();
        let shown: String = self.text[begin..].lines().next().unwrap_or("").chars().take(MAX_SHOWN).collect();
        let error = Error::new(ErrorKind::File, message).of(&self.path);
        let error = error.inside(&format!("line {line}, column {}", column + 1), 0);
        if column >= MAX_SHOWN || shown.trim().is_empty() {
            return error;
        }
        let width = self.text.get(span).map_or(1, |text| text.lines().next().unwrap_or("").chars().count());
        let width = width.clamp(1, shown.chars().count().saturating_sub(column).max(1));
        let shown = shown.replace(|c: char| c.is_control() || broadaxe_draw::words::turns(c), " ");
        error.with_detail(format!("  {shown}\n  {:column$}{}", "", "^".repeat(width)))
    }

    /// Makes the error of a text that is not TOML, or has other keys and values than it should.
    pub(super) fn toml_error(&self, error: &toml::de::Error) -> Error {
        let span = error.span().unwrap_or_default();
        self.error(span, said(error.message()))
    }

    /// Returns the line of a place.
    pub(super) fn line(&self, span: &Range<usize>) -> usize {
        self.text[..self.text.floor_char_boundary(span.start)].matches('\n').count() + 1
    }
}

/// Says whether there is nothing of a name; where that cannot be found out, reading it says why.
fn is_absent(path: &Path) -> bool {
    let error = path.symlink_metadata().err().map(|error| error.kind());
    matches!(error, Some(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}

/// Says in our words what the parser says about keys, with the key that was meant.
fn said(message: &str) -> String {
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match (&words[..], message) {
        ([key, keys @ ..], _) if message.starts_with("unknown field") => {
            let near = broadaxe::frameworks::nearest(key, keys.iter().copied());
            format!("unknown key '{key}'{near} (keys: {})", keys.join(", "))
        }
        ([key, ..], _) if message.starts_with("missing field") => format!("the key '{key}' is missing"),
        ([key, ..], _) if message.starts_with("duplicate field") => format!("the key '{key}' is given twice"),
        _ => message.replace('`', "'"),
    }
}
