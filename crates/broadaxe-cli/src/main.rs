//! Runs the command `broadaxe`, which is implemented in the library.

#![deny(unsafe_code)]

mod start;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    ExitCode::from(broadaxe_cli::front::main_with(&arguments, start::output_is_closed()))
}
