//! Reserves memory, so that planning and reading raise `MemoryError` where an allocation fails.
//!
//! Rust aborts the process when an allocation fails. The allocator of this module keeps a reserve, from which it serves what the system
//! rejects, and tells [`broadaxe::stop`], which ends the work at its next checkpoint. The reserve is address space only: no page of it is
//! written before. It is not given back to the system instead, which may take a page for every small block while memory is short. Arrays,
//! tiles and files are not allocated this way; they have errors of their own.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr,
    sync::atomic::{AtomicPtr, AtomicU64, Ordering},
};

use broadaxe::stop;
use pyo3::{PyResult, exceptions::PyMemoryError};

/// The bytes of the reserve.
const SIZE: usize = 40 << 20;

/// The bytes of the reserve that must be left before work begins.
const ENOUGH: usize = 16 << 20;

const LAYOUT: Layout = match Layout::from_size_align(SIZE, 16) {
    Ok(layout) => layout,
    Err(_) => unreachable!(),
};

/// Where the reserve begins; it stays for the life of the process.
static BASE: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// How much of the reserve is in use.
static USED: Used = Used(AtomicU64::new(0));

/// The blocks of the reserve that are in use, in the upper half, and the bytes that were handed out, in the lower one.
///
/// Bytes are handed out in order, and are free again once no block is in use.
struct Used(AtomicU64);

impl Used {
    /// Finds room for a block and returns the bytes before it, from an address on.
    fn take(&self, base: usize, layout: Layout) -> Option<usize> {
        let mut used = self.0.load(Ordering::Acquire);
        loop {
            let free = base.checked_add(used as u32 as usize)?;
            let at = free.checked_next_multiple_of(layout.align())? - base;
            let end = at.checked_add(layout.size()).filter(|&end| end <= SIZE)?;
            let next = ((used >> 32) + 1) << 32 | end as u64;
            match self.0.compare_exchange_weak(used, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(at),
                Err(other) => used = other,
            }
        }
    }

    fn give_back(&self) {
        self.0.fetch_sub(1 << 32, Ordering::AcqRel);
    }

    /// Makes everything free where no block is in use; returns the bytes that are left.
    fn renew(&self) -> usize {
        let used = self.0.load(Ordering::Acquire);
        let is_free = used >> 32 == 0 && self.0.compare_exchange(used, 0, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if is_free { SIZE } else { SIZE - used as u32 as usize }
    }
}

/// The system's allocator, with a reserve.
struct Reserving;

#[global_allocator]
static ALLOCATOR: Reserving = Reserving;

/// Serves a block from the reserve and says that memory has run out; null where the reserve is used up.
#[cold]
fn reserved(layout: Layout) -> *mut u8 {
    stop::set_out_of_memory(true);
    let base = BASE.load(Ordering::Acquire);
    let found = if base.is_null() { None } else { USED.take(base.addr(), layout) };
    found.map_or(ptr::null_mut(), |at| base.wrapping_add(at))
}

fn is_reserved(block: *mut u8) -> bool {
    let base = BASE.load(Ordering::Relaxed).addr();
    base != 0 && block.addr().wrapping_sub(base) < SIZE
}

/// Moves a block to another, of another size.
// SAFETY: as for `GlobalAlloc::realloc`.
unsafe fn move_block(block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
    // SAFETY: the caller promises that the size, rounded up to the alignment, does not overflow.
    let made = unsafe { ALLOCATOR.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
    if !made.is_null() {
        // SAFETY: both blocks have as many bytes, and the new one is not shared; the old one is not used after.
        unsafe {
            ptr::copy_nonoverlapping(block, made, size.min(layout.size()));
            ALLOCATOR.dealloc(block, layout);
        }
    }
    made
}

// SAFETY: every call is passed to the system's allocator with the arguments it was made with, or served from the reserve, whose blocks are
// apart, aligned and inside it (`Used::take`) and never reach the system's.
unsafe impl GlobalAlloc for Reserving {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        let block = unsafe { System.alloc(layout) };
        if block.is_null() { reserved(layout) } else { block }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            return block;
        }
        let block = reserved(layout);
        if !block.is_null() {
            // SAFETY: the block has as many bytes, and is not shared.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !is_reserved(block) {
            // SAFETY: the caller keeps the contract of `realloc`.
            let moved = unsafe { System.realloc(block, layout, size) };
            if !moved.is_null() {
                return moved;
            }
        }
        // SAFETY: as above; a `realloc` that fails leaves the block as it was.
        unsafe { move_block(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if is_reserved(block) {
            USED.give_back();
        } else {
            // SAFETY: the caller keeps the contract of `dealloc`, and the block is of the system's.
            unsafe { System.dealloc(block, layout) };
        }
    }
}

/// Makes the reserve, if it is not there, or makes it free again after memory ran out.
///
/// # Errors
/// `MemoryError` where not enough memory for it, or too much of it is still in use.
pub(crate) fn prepare() -> PyResult<()> {
    if BASE.load(Ordering::Acquire).is_null() {
        // SAFETY: the layout has a size.
        let made = unsafe { System.alloc(LAYOUT) };
        if made.is_null() {
            return Err(PyMemoryError::new_err("not enough memory: fewer than 40 MiB are left"));
        }
        if BASE.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: another thread was quicker; this block was made above and not shared.
            unsafe { System.dealloc(made, LAYOUT) };
        }
    }
    if stop::is_out_of_memory() {
        if USED.renew() < ENOUGH {
            return Err(PyMemoryError::new_err("not enough memory: what was made when it ran out is still in use"));
        }
        stop::set_out_of_memory(false);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of the reserve are aligned, apart and inside it, and all of it is free again once none is in use.
    #[test]
    fn blocks_of_the_reserve_are_apart() {
        let used = Used(AtomicU64::new(0));
        let base = 0x7000_0000_0010_usize;
        let layout = |size, align| Layout::from_size_align(size, align).expect("sound");
        let (mut end, mut count) = (0, 0);
        for (size, align) in [(1, 1), (3, 2), (8, 8), (100, 64), (1, 1), (4096, 4096), (16, 16)] {
            let at = used.take(base, layout(size, align)).expect("there is room");
            assert!(at >= end && (base + at).is_multiple_of(align), "{size} {align}");
            (end, count) = (at + size, count + 1);
        }
        assert_eq!(used.renew(), SIZE - end);
        assert_eq!(used.take(base, layout(SIZE, 1)), None);
        (0..count).for_each(|_| used.give_back());
        assert_eq!(used.renew(), SIZE);
        assert_eq!(used.take(base, layout(SIZE, 1)), Some(0));
        assert_eq!(used.take(base, layout(1, 1)), None);
    }
}
