//! `broadaxe completions`: prints the script with which a shell asks the command for completions.

use clap_complete::{Shell, env::Shells};
use serde_json::json;

use crate::{answer::Answer, args::complete::VARIABLE, error::Error};

/// Prints the script of a shell.
///
/// # Errors
/// When there is none for the shell.
pub fn run(shell: Shell) -> Result<Answer, Error> {
    let name = shell.to_string();
    let shells = Shells::builtins();
    let completer = shells.completer(&name).ok_or_else(|| Error::usage(format!("no completions for {name}")))?;
    let mut script = Vec::new();
    let command = "broadaxe";
    completer
        .write_registration(VARIABLE, command, command, command, &mut script)
        .map_err(|error| Error::output(&error))?;
    let text = String::from_utf8_lossy(&script).into_owned();
    Ok(Answer::new(text.clone(), json!({ "script": text })))
}
