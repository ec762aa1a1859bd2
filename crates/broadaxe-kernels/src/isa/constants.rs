//! Keeps the pages that hold the constants of the loops in memory.
//!
//! A loop that stores a constant under a mask (the canonical NaN, say) may load the constant with that mask. While all
//! bits of the mask are clear, nothing is read, so the page is not brought in; but an AVX-512 CPU that meets a missing
//! page needs hundreds of nanoseconds per vector to find out that the page is not needed. An addition of bf16 was sixty
//! times slower on every other start.
//!
//! Such a masked load does not mark the page as used either, so the kernel or the hypervisor evicts it early: products
//! of bf16 were eighty times slower after minutes of other work. So the pages are read once in every second of
//! computing, by every process.

use std::{
    arch::asm,
    cell::Cell,
    ffi::{c_int, c_void},
    iter,
    ops::Range,
    process, ptr,
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use once_cell::race::OnceBox;

use super::PAGE_BYTES;
use crate::measured::{CLOCK_INTERVAL_NANOS, SHORTEST_CALL_NANOS};

thread_local! {
    /// The nanoseconds of work that remain until this thread reads the clock.
    static LEFT: Cell<u64> = const { Cell::new(0) };
}

/// The process and the second in which the pages were read last.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Ensures that the constants are in memory. Call it before work of about `nanos` nanoseconds.
#[inline]
pub(crate) fn keep(nanos: u64) {
    let left = LEFT.get().saturating_sub(nanos.saturating_add(SHORTEST_CALL_NANOS));
    LEFT.set(left);
    if left == 0 {
        look();
    }
}

#[cold]
pub(super) fn look() {
    LEFT.set(CLOCK_INTERVAL_NANOS);
    let second = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let now = u64::from(process::id()) << 32 | second & 0xffff_ffff;
    // No thread waits for the one that reads the pages: results do not depend on it, and it does not exist in a forked
    // child.
    if LAST.swap(now, Ordering::Relaxed) != now {
        segments().iter().for_each(bring_in);
    }
}

/// Returns the read-only segments of the module with this code. Computed once, because the loader locks its list.
fn segments() -> &'static [Range<usize>] {
    static SEGMENTS: OnceBox<Vec<Range<usize>>> = OnceBox::new();
    SEGMENTS.get_or_init(|| {
        let mut found = Box::<Vec<Range<usize>>>::default();
        // SAFETY: the callback does only what the loader allows, and receives the list that it expects.
        unsafe { libc::dl_iterate_phdr(Some(list), (&raw mut *found).cast()) };
        found
    })
}

/// Lists the read-only segments of the module that contains this function.
// SAFETY: the first two arguments come from the loader; the third is a list of ranges that is not used elsewhere.
unsafe extern "C" fn list(module: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the loader describes a module and its segments, which stay while the module is loaded; the list is as promised.
    let (base, segments, found) = unsafe {
        let module = &*module;
        let segments = std::slice::from_raw_parts(module.dlpi_phdr, usize::from(module.dlpi_phnum));
        (module.dlpi_addr as usize, segments, &mut *found.cast::<Vec<Range<usize>>>())
    };
    let range = |s: &libc::Elf64_Phdr| base + s.p_vaddr as usize..base + (s.p_vaddr + s.p_memsz) as usize;
    let loaded = || segments.iter().filter(|segment| segment.p_type == libc::PT_LOAD);
    let holds = |address: usize| move |segment: &&libc::Elf64_Phdr| range(segment).contains(&address);
    if !loaded().any(|segment| holds(list as *const () as usize)(&segment)) {
        return 0;
    }
    // Some linkers put constants next to the code, in a segment that is also executable.
    let constant = (&raw const CONSTANT).addr();
    let is_read = |s: &&libc::Elf64_Phdr| s.p_flags == libc::PF_R || s.p_flags & libc::PF_W == 0 && holds(constant)(s);
    found.extend(loaded().filter(is_read).map(range));
    1
}

/// A constant in the same segment as the constants of the loops.
static CONSTANT: u64 = CLOCK_INTERVAL_NANOS;

/// Brings in the pages of a segment: all at once where the kernel supports that, from Linux 5.14 on, and then with one
/// read of each page, which also tells the CPU and the hypervisor that they are in use.
fn bring_in(segment: &Range<usize>) {
    let start = segment.start & !(PAGE_BYTES - 1);
    // SAFETY: the advice brings in pages of the module and changes none; if it fails, nothing happens.
    unsafe { libc::madvise(ptr::without_provenance_mut(start), segment.end - start, libc::MADV_POPULATE_READ) };
    for place in iter::once(segment.start).chain((start + PAGE_BYTES..segment.end).step_by(PAGE_BYTES)) {
        // SAFETY: reads a byte of the segment, which is readable and stays mapped while its code runs. The byte need
        // not belong to a variable, so this is not a read by the language.
        unsafe {
            asm!(
                "mov {byte}, byte ptr [{place}]",
                byte = out(reg_byte) _,
                place = in(reg) place,
                options(nostack, readonly, preserves_flags),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, os::unix::fs::FileExt};

    /// Counts the pages of the segments that are in memory for this process, and the others.
    fn pages() -> [usize; 2] {
        let map = File::open("/proc/self/pagemap").expect("Linux lists the pages of a process");
        let mut counts = [0; 2];
        for page in segments().iter().flat_map(|segment| segment.start / PAGE_BYTES..segment.end.div_ceil(PAGE_BYTES)) {
            let mut entry = [0; 8];
            map.read_exact_at(&mut entry, page as u64 * 8).expect("a page of this process");
            counts[usize::from(u64::from_le_bytes(entry) >> 63 == 0)] += 1;
        }
        counts
    }

    /// Evicts the pages from this process, as the kernel does when it needs memory.
    fn send_away() {
        for segment in segments() {
            let start = segment.start & !(PAGE_BYTES - 1);
            let len = segment.end.next_multiple_of(PAGE_BYTES) - start;
            // SAFETY: the pages are those of a file and were never written; they are read again when they are needed.
            unsafe { libc::madvise(ptr::without_provenance_mut(start), len, libc::MADV_DONTNEED) };
        }
    }

    #[test]
    fn constants_that_were_sent_away_come_back() {
        assert!(segments().iter().any(|range| range.contains(&(&raw const CONSTANT).addr())), "{:?}", segments());
        // A short call after many others, one of about one clock interval, and a long one.
        for (calls, nanos) in
            [(CLOCK_INTERVAL_NANOS / SHORTEST_CALL_NANOS, 1), (1, CLOCK_INTERVAL_NANOS), (1, u64::MAX)]
        {
            look();
            send_away();
            let [_, away] = pages();
            LAST.store(0, Ordering::Relaxed);
            (0..calls).for_each(|_| keep(nanos));
            let [here, missing] = pages();
            assert!(here > 50 && missing < away / 10, "{nanos} ns: {away} pages were away, {missing} are");
        }
    }
}
