//! `broadaxe atlas`: test cases for runtimes, and runs of programs that answer them.

mod chosen;
mod program;
mod known;
mod tally;
mod junit;
mod run;
mod show;
mod find;
mod write;
mod models;

use crate::{
    answer::Answer,
    args::{AtlasArgs, AtlasCommand},
    error::Error,
};

/// Runs a subcommand of `atlas`.
///
/// # Errors
/// When an argument names nothing, the program cannot be started, or a file cannot be read or written.
pub fn run(args: &AtlasArgs) -> Result<Answer, Error> {
    match &args.command {
        AtlasCommand::Run(args) => run::run(args),
        AtlasCommand::Show(args) => show::run(args),
        AtlasCommand::Find(args) => find::run(args),
        AtlasCommand::Write(args) => write::run(args),
        AtlasCommand::Models(args) => models::run(args),
    }
}
