//! Starts Python so that it runs nothing of the current folder.
//!
//! A model may come with files of strangers. Python imports modules from the folders of `PYTHONPATH`, of which an empty or relative
//! one is in the current folder, and so is a program that such an entry of `PATH` leads to. Python therefore starts in an empty
//! folder, and its variables name absolute folders only. Those stay even if they are in the current folder: the user chose them,
//! wherever the command is run, and environments are often kept in a project.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
};

use crate::{child::QUIET, error::Error, stop};

/// The variables that list folders, of which absolute ones stay.
const FOLDER_LISTS: [&str; 4] = ["PATH", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE"];
/// Another variable of Python that stays; the others can start files, import modules, or change how a script is run.
const NO_USER_SITE: &str = "PYTHONNOUSERSITE";
/// What is set for every process.
const SETTINGS: [(&str, &str); 5] = [
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONIOENCODING", "utf-8"),
    ("PYTHONSAFEPATH", "1"),
    // A part of MNN installs packages when it is imported; without an index, pip does not.
    ("PIP_NO_INDEX", "1"),
    ("PIP_FIND_LINKS", ""),
];

/// An empty folder that processes start in; it is removed when this is dropped.
#[derive(Debug)]
pub(super) struct EmptyFolder(PathBuf);

impl EmptyFolder {
    /// Makes a folder that only the user can write to.
    ///
    /// # Errors
    /// When the folder for temporary files cannot be written.
    pub(super) fn new() -> Result<Self, Error> {
        let made = stop::create_folder("broadaxe-ask");
        made.map(Self).map_err(|error| Error::io(&env::temp_dir(), "make a temporary folder", &error))
    }

    /// Makes the command that starts a program in the folder.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let is_left_out = |name: &OsStr| name != NO_USER_SITE && name.to_string_lossy().starts_with("PYTHON");
        for (name, _) in env::vars_os().filter(|(name, _)| is_left_out(name)) {
            command.env_remove(name);
        }
        for name in FOLDER_LISTS {
            match env::var_os(name).and_then(|list| absolute_only(&list)) {
                Some(list) => command.env(name, list),
                None => command.env_remove(name),
            };
        }
        command.envs(SETTINGS).envs(QUIET).envs(["PWD", "TMPDIR", "TEMP", "TMP"].map(|name| (name, &self.0)));
        command.current_dir(&self.0);
        command
    }
}

impl Drop for EmptyFolder {
    fn drop(&mut self) {
        stop::remove_folder(&self.0);
    }
}

/// Returns the absolute folders of a list, unless there is none.
fn absolute_only(list: &OsStr) -> Option<OsString> {
    let folders: Vec<PathBuf> = env::split_paths(list).filter(|folder| folder.is_absolute()).collect();
    env::join_paths(&folders).ok().filter(|_| !folders.is_empty())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_folders_stay() {
        let cases = [
            ("", None),
            (":", None),
            (".", None),
            ("~/x:x:./x:../x", None),
            (":/x", Some("/x")),
            ("/a:.:/b c::/a", Some("/a:/b c:/a")),
        ];
        for (list, want) in cases {
            assert_eq!(absolute_only(OsStr::new(list)).as_deref(), want.map(OsStr::new), "{list}");
        }
    }
}
