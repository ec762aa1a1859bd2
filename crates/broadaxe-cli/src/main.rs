//! The command `broadaxe`; all of it is in the library beside this.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    broadaxe_cli::front::main()
}
