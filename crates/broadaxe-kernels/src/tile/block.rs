//! Blocks of system memory.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    ptr::NonNull,
    sync::atomic::{AtomicUsize, Ordering},
};

use crate::isa::PAGE_BYTES;

/// Memory from the system, with every byte initialised.
#[derive(Debug)]
pub(super) struct Allocation {
    start: NonNull<u8>,
    layout: Layout,
    /// The bytes from the start to the first byte that is used, which is aligned.
    skip: usize,
}

/// Requests pages of 2 MiB for a large block that was not used yet: bringing in a page of 4 KiB costs as much as
/// filling it. If the system has none, nothing changes.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages(start: *mut u8, len: usize) {
    const HUGE: usize = 2 << 20;
    let skip = start.addr().wrapping_neg() % HUGE;
    let whole = len.saturating_sub(skip) / HUGE * HUGE;
    if whole >= 2 * HUGE {
        // SAFETY: the range is inside the allocation; the advice changes no byte of it.
        unsafe { libc::madvise(start.add(skip).cast(), whole, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: *mut u8, _: usize) {}

/// Returns a different multiple of [`ALIGNMENT`] each time, below a page.
///
/// The system starts large blocks at the same offset in a page, and a CPU compares loads with earlier stores by that
/// offset first: operands with equal offsets occasionally wait for each other.
fn next_distance() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(7 * ALIGNMENT, Ordering::Relaxed) % PAGE_BYTES
}

/// The alignment of a [`Buffer`](super::Buffer) in bytes.
pub const ALIGNMENT: usize = 64;

impl Allocation {
    /// Allocates `len` zero bytes.
    ///
    /// The system returns large blocks as untouched zero pages, so zeroing costs nothing. It does so only for ordinary
    /// alignments, so the block is aligned here.
    pub(super) fn zeroed(len: usize) -> Option<Self> {
        let apart = if len < PAGE_BYTES { 0 } else { next_distance() };
        let layout = Layout::from_size_align(len.checked_add(ALIGNMENT + apart)?, 16).ok()?;
        // SAFETY: the layout has a size above 0.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let skip = start.as_ptr().addr().wrapping_neg() % ALIGNMENT + apart;
        ask_for_huge_pages(start.as_ptr(), layout.size());
        Some(Self { start, layout, skip })
    }

    /// Returns the address of the first byte that is used.
    pub(super) fn base(&self) -> *mut u8 {
        // SAFETY: the layout was made with room for `skip` bytes and more.
        unsafe { self.start.as_ptr().add(self.skip) }
    }

    /// Counts the bytes that a buffer can use.
    pub(super) fn room(&self) -> usize {
        self.layout.size() - self.skip
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and dropped once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

// SAFETY: the allocation owns its bytes, and does not read or write them.
unsafe impl Send for Allocation {}
