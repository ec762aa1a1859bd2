//! Runs the command `broadaxe`, which is implemented in the library.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    broadaxe_cli::front::main()
}
