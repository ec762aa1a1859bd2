//! Memory between guard pages, for unit tests and for `tests/loops/fenced.rs`, which includes this file.

use super::{Input, Output};

/// Memory between two guard pages.
pub(crate) struct Fenced {
    start: *mut u8,
    len: usize,
    page: usize,
}

impl Fenced {
    pub(crate) fn new() -> Self {
        // SAFETY: asks for a number, and touches no memory.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: maps fresh pages at an address that the kernel chooses.
        let all = unsafe { libc::mmap(std::ptr::null_mut(), 3 * page, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(all, libc::MAP_FAILED, "no room for three pages");
        let start = all.cast::<u8>().wrapping_add(page);
        // SAFETY: the page in the middle is ours.
        let opened = unsafe { libc::mprotect(start.cast(), page, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(opened, 0, "a page of ours can be opened");
        // SAFETY: the page in the middle is ours and open.
        unsafe { start.write_bytes(1, page) };
        Self { start, len: page, page }
    }

    /// Returns `len` bytes that begin right after the first guard page, or end right before the second.
    pub(crate) fn place(&self, len: usize, at_end: bool) -> *mut u8 {
        assert!(len <= self.len, "{len} bytes do not fit {}", self.len);
        self.start.wrapping_add(if at_end { self.len - len } else { 0 })
    }

    /// Lends these bytes to be read.
    pub(crate) fn input(&self, len: usize, at_end: bool, offset: usize) -> Input<'_> {
        // SAFETY: the bytes are between the guard pages, and stay there while `self` is borrowed.
        unsafe { Input::from_raw(self.place(len, at_end), len, offset) }
    }

    /// Lends these bytes to be written.
    pub(crate) fn output(&mut self, len: usize, at_end: bool) -> Output<'_> {
        // SAFETY: as for `input`; `self` is borrowed exclusively.
        unsafe { Output::from_raw(self.place(len, at_end), len, 0) }
    }
}

impl Drop for Fenced {
    fn drop(&mut self) {
        // SAFETY: these three pages were mapped together and are not used any more.
        unsafe { libc::munmap(self.start.wrapping_sub(self.page).cast(), 3 * self.page) };
    }
}
