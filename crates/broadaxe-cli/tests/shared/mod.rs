//! Runs the command as a user does, for the tests of its subcommands about models.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Returns the folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the command in the repository, with a cache of its own.
pub(crate) fn broadaxe(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadaxe"));
    command
        .args(args)
        .env("BROADAXE_CACHE_DIR", std::env::temp_dir().join(concat!("broadaxe-", env!("CARGO_CRATE_NAME"), "-cache")));
    command.current_dir(root()).output().expect("the command starts")
}

/// Reads what a program wrote.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder that is removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("broadaxe-{}-{}-{name}", env!("CARGO_CRATE_NAME"), std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
