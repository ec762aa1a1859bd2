//! Names files and folders that tests make and remove.

use std::{env, path::PathBuf, process};

/// Returns the path of a file or folder that no other process and no other test uses, if `name` is the test's own.
pub fn path(name: &str) -> PathBuf {
    if cfg!(target_os = "wasi") {
        // There is one process, and nothing says where its files may be.
        return PathBuf::from("/tmp").join(format!("broadaxe-{name}"));
    }
    env::temp_dir().join(format!("broadaxe-{}-{name}", process::id()))
}
