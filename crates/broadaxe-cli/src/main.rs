//! The command `broadaxe`; all of it is in the library beside this.

use std::process::ExitCode;

fn main() -> ExitCode {
    broadaxe_cli::front::main()
}
