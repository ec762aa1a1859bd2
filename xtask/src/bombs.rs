//! Measures the memory of the command for small files that ask for much.

use std::{path::Path, process::Command};

pub(crate) const BOMBS_USAGE: &str = "[PROGRAM] [--only PART] [--command PART] [--keep FOLDER]";

/// Runs the task.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let own = root.join("target/release/broadaxe").display().to_string();
    let named = words.first().is_some_and(|word| !word.starts_with('-'));
    let program = if named { &words[0] } else { &own };
    let mut command = Command::new("python3");
    command.arg(root.join("fuzz/bombs.py")).arg(program).args(&words[usize::from(named)..]);
    let status = command.status().map_err(|error| format!("python3 cannot be run: {error}"))?;
    if status.success() { Ok(()) } else { Err("a run took more memory than its file justifies, or failed".to_owned()) }
}
