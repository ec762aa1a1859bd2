//! Checks again when a file changes, for `check --watch`.
//!
//! The files are looked at twice a second. That needs no thread and no descriptor for each folder, and works on network drives and in
//! containers, where systems report no changes. A project has few models, and to look at one costs microseconds.

use std::{collections::BTreeMap, path::PathBuf, thread, time::Duration};

use broadaxe_session::{
    check::Check,
    config::Settings,
    request::{CheckRequest, Config},
    stamp::Stamp,
    stream,
};

use crate::{args::CheckArgs, error::Error};

/// How often files are looked at.
const INTERVAL: Duration = Duration::from_millis(500);

/// What the files were like that a check depends on.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen(BTreeMap<PathBuf, Option<Stamp>>);

impl Seen {
    /// Looks at the models, and at the configuration and the baseline.
    ///
    /// # Errors
    /// When a model is to be read from standard input, which does not change.
    pub fn look(args: &CheckArgs) -> Result<Self, Error> {
        if args.models.iter().any(|path| stream::is_standard_input(path)) {
            return Err(Error::usage("--watch looks at files, and standard input is none"));
        }
        let request = args.request();
        // A configuration with an error has no settings, and is looked at by its name.
        let mut files: Vec<PathBuf> = match Check::new(&request) {
            Ok(check) => check.inputs().into_iter().map(|one| one.unwrap_or_else(|unusable| unusable.path)).collect(),
            Err(_) => args.models.clone(),
        };
        files.extend(configured(&request));
        files.extend(request.baseline.clone());
        Ok(Self(files.into_iter().map(|path| (path.clone(), Stamp::of(&path))).collect()))
    }

    /// Waits until something is not like this, and says what.
    ///
    /// # Errors
    /// As for [`Seen::look`].
    pub fn wait(&self, args: &CheckArgs) -> Result<(Self, String), Error> {
        loop {
            thread::sleep(INTERVAL);
            let now = Self::look(args)?;
            if now != *self {
                let said = self.changes(&now);
                return Ok((now, said));
            }
        }
    }

    /// Names the first file that is not like before, and counts the others.
    fn changes(&self, now: &Self) -> String {
        let changed: Vec<&PathBuf> =
            now.0.iter().filter(|(path, stamp)| self.0.get(*path) != Some(*stamp)).map(|(path, _)| path).collect();
        let gone = self.0.keys().filter(|path| !now.0.contains_key(*path));
        let all: Vec<String> = changed.into_iter().chain(gone).map(|path| path.display().to_string()).collect();
        match &all[..] {
            [] => "changed".to_owned(),
            [one] => format!("{one} changed"),
            [first, rest @ ..] => format!("{first} and {} more changed", rest.len()),
        }
    }

    /// Says how many files are looked at.
    pub fn count(&self) -> String {
        let files = if self.0.len() == 1 { "file" } else { "files" };
        format!("looking at {} {files} for changes; Ctrl-C ends", self.0.len())
    }
}

/// Names the configuration files that are read, or would be.
fn configured(request: &CheckRequest) -> Vec<PathBuf> {
    match &request.config {
        Config::None => Vec::new(),
        Config::File(path) => vec![path.clone()],
        Config::Find => {
            let settings = Settings::of_check(request).unwrap_or_default();
            let here = ["broadaxe.toml", "pyproject.toml"].map(PathBuf::from);
            here.into_iter().chain(settings.file).chain(settings.baseline).collect()
        }
    }
}
