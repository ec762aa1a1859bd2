//! Sees whether standard output was closed when the process was started, and what an allocation that fails ends with.
//!
//! The standard library opens `/dev/null` in the place of closed streams before it calls `main`, so that no file gets their
//! numbers. What is printed there is lost without an error. The system therefore calls a function of this module before that.
//!
//! The standard library aborts the process where an allocation fails that has no error of its own. Here that is an error like others,
//! with its exit code.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicBool, Ordering},
};

/// The system's allocator, which notes that memory has run out.
struct Noting;

#[global_allocator]
static ALLOCATOR: Noting = Noting;

static IS_OUT_OF_MEMORY: AtomicBool = AtomicBool::new(false);

fn noted(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        IS_OUT_OF_MEMORY.store(true, Ordering::Relaxed);
    }
    block
}

// SAFETY: every call is passed to the system's allocator with the arguments it was made with, and so is what that returns.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        noted(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        noted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        noted(unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Ends the process with an error where it aborts since memory has run out.
#[cfg(unix)]
extern "C" fn aborted(_: libc::c_int) {
    const TEXT: &[u8] = b"error: memory has run out; allow more of it, or give fewer or smaller files\n";
    if IS_OUT_OF_MEMORY.load(Ordering::Relaxed) {
        // SAFETY: a handler may call both functions, and the text is as long as it says.
        unsafe {
            libc::write(libc::STDERR_FILENO, TEXT.as_ptr().cast(), TEXT.len());
            libc::_exit(2);
        }
    }
}

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
    let handler: extern "C" fn(libc::c_int) = aborted;
    // SAFETY: the handler calls only what a handler may call. Where it returns, the system ends the process.
    unsafe { libc::signal(libc::SIGABRT, handler as libc::sighandler_t) };
}
