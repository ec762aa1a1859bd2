//! The runner of the workloads: Broadaxe, timed in its own process.
//!
//! `broadaxe-bench` reads requests from its input, a JSON object a line, and answers each with one line. The same
//! requests go to the peers (`bench/peers.py`), so that `cargo xtask bench` treats all engines alike:
//!
//! | request | answer |
//! |---|---|
//! | `{"do":"load","expression":..,"operands":[..],"save":DIR}` | `{"ok":true,"reads":[..],"write":N}`, bytes, once the operands exist and the plan is made |
//! | `{"do":"run","seconds":S,"mode":M,"threads":T}` | `{"seconds":[..]}`, seconds per call; modes `out`, `fresh`, `unplanned` |
//! | `{"do":"repeat","times":N}` | `{"ok":true}` after N calls, for counting instructions |
//! | `{"do":"result","path":P}` | `{"ok":true}`, the result's bytes in that file |
//! | `{"do":"calibrate"}` | `{"terms":[..]}`, what parts of the scheduler's work cost: believed and measured |
//! | `{"do":"drop"}`, `{"do":"quit"}` | `{"ok":true}` |
//!
//! Whatever cannot be done is answered with `{"skip":"the reason"}`.

#![forbid(unsafe_code)]

mod clock;

mod operand;

mod calibrate;
mod serve;

use std::{io, process::ExitCode};

fn main() -> ExitCode {
    match serve::serve(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
