//! Sees whether standard output was closed when the process was started.
//!
//! The standard library opens `/dev/null` in the place of closed streams before it calls `main`, so that no file gets their
//! numbers. What is printed there is lost without an error. The system therefore calls a function of this module before that.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};

static OUTPUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Says whether standard output was closed; never on systems that do not start processes like Unix.
pub(crate) fn output_is_closed() -> bool {
    OUTPUT_IS_CLOSED.load(Ordering::Relaxed)
}

/// Is called by the system before `main`.
#[cfg(unix)]
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static LOOK: extern "C" fn() = look;

#[cfg(unix)]
extern "C" fn look() {
    // SAFETY: this only asks for the flags of a descriptor, and the system answers for any number.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    OUTPUT_IS_CLOSED.store(flags == -1, Ordering::Relaxed);
}
