//! Signals that tests raise.

use std::{ffi::c_void, fs::File, os::fd::AsRawFd, ptr};

/// Sets the SIGBUS handler that this word names, and disables core dumps.
pub(crate) fn prepare(way: &str) {
    extern "C" fn handle(_: libc::c_int) {
        // SAFETY: ends the process, which a handler may do.
        unsafe { libc::_exit(42) }
    }
    let handler = match way {
        "default" | "sent" => Some(libc::SIG_DFL),
        "ignored" => Some(libc::SIG_IGN),
        "handled" => Some(handle as *const () as usize),
        _ => None,
    };
    // SAFETY: the limit is read by the call only; the handler set is a valid one.
    unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        handler.map(|handler| libc::signal(libc::SIGBUS, handler));
    }
}

/// Maps a file without using this crate's mappings.
pub(crate) fn map(file: &File, len: usize) -> *mut c_void {
    // SAFETY: a new mapping at a place that the kernel chooses.
    let pages = unsafe { libc::mmap(ptr::null_mut(), len, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    assert_ne!(pages, libc::MAP_FAILED);
    pages
}

/// Sends the signal to this thread, or reads a byte of pages that the file no longer has.
pub(crate) fn fault(pages: *mut c_void, sent: bool) {
    // SAFETY: the pages stay mapped; reading one that is gone ends the process, as intended.
    unsafe {
        if sent {
            libc::raise(libc::SIGBUS);
        }
        pages.cast::<u8>().read_volatile();
    }
}
