//! A reserve of memory, so that planning and reading end with a `MemoryError` where an allocation fails.
//!
//! Rust aborts the process when an allocation fails. The allocator of this module keeps a reserve that it frees at the first failure, and
//! tells [`broadaxe::stop`], which ends the work at its next checkpoint. The reserve is address space only: no page of it is ever
//! written. Arrays, tiles and files are not allocated this way; they have errors of their own.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

use broadaxe::stop;
use pyo3::{PyResult, exceptions::PyMemoryError};

/// The bytes of the reserve. It is larger than what the C library ever takes from its heap, so that it is mapped and unmapped whole.
const RESERVE: Layout = match Layout::from_size_align(40 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => unreachable!(),
};

static KEPT: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// The system's allocator, with a reserve.
struct Reserving;

#[global_allocator]
static ALLOCATOR: Reserving = Reserving;

/// Frees the reserve and says that memory has run out.
#[cold]
fn release() {
    stop::set_out_of_memory(true);
    let kept = KEPT.swap(ptr::null_mut(), Ordering::AcqRel);
    if !kept.is_null() {
        // SAFETY: `prepare` allocated it with this layout, and whoever takes it out of `KEPT` is the only one to have it.
        unsafe { System.dealloc(kept, RESERVE) };
    }
}

// SAFETY: every call is passed to the system's allocator with the arguments it was made with, a second time where the first failed.
unsafe impl GlobalAlloc for Reserving {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        let first = unsafe { System.alloc(layout) };
        if !first.is_null() {
            return first;
        }
        release();
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        let first = unsafe { System.alloc_zeroed(layout) };
        if !first.is_null() {
            return first;
        }
        release();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        let first = unsafe { System.realloc(block, layout, size) };
        if !first.is_null() {
            return first;
        }
        release();
        // SAFETY: as above; a `realloc` that fails leaves the block as it was.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) };
    }
}

/// Makes the reserve, if it is not there.
///
/// # Errors
/// `MemoryError` where there is no memory for it.
pub(crate) fn prepare() -> PyResult<()> {
    if KEPT.load(Ordering::Acquire).is_null() {
        // SAFETY: the layout has a size.
        let made = unsafe { System.alloc(RESERVE) };
        if made.is_null() {
            return Err(PyMemoryError::new_err("not enough memory: fewer than 40 MiB are left"));
        }
        if KEPT.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: another thread was quicker; this block was made above and given to nobody.
            unsafe { System.dealloc(made, RESERVE) };
        }
        stop::set_out_of_memory(false);
    }
    Ok(())
}
