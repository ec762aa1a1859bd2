//! The pages that hold the constants of the loops, kept in memory.
//!
//! A loop that puts a constant where a mask is set (the canonical NaN, say) may read it with the mask. While no bit of it is set
//! nothing is read and so no page comes in; but a CPU with AVX-512 that meets a missing page there takes hundreds of nanoseconds to
//! find out that it need not, for every vector. An addition of bf16 was seen to take sixty times as long on every other start.
//!
//! Nor does such a read tell anybody that the page is in use, and so it is among the first to be sent away again, by the kernel or
//! by whoever lends the machine its memory: products of bf16 were seen to take eighty times as long after minutes of other
//! work. So the pages are read anew in every second in which something is computed, and by every process.

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

use super::PAGE_BYTES;

use once_cell::race::OnceBox;

/// The nanoseconds of work of a thread between two looks at the clock, which take a hundred.
const CLOCK_INTERVAL_NANOS: u64 = 100_000;

/// The least nanoseconds that a call takes.
const CALL: u64 = 30;

thread_local! {
    /// The nanoseconds of work that this thread does before it looks at the clock.
    static LEFT: Cell<u64> = const { Cell::new(0) };
}

/// The process and the second in which the pages were asked for.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Sees to it that the constants are in memory; to be called before work that takes about so many nanoseconds.
#[inline]
pub(crate) fn keep(nanos: u64) {
    let left = LEFT.get().saturating_sub(nanos.saturating_add(CALL));
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
    // Nobody waits for who is at it: results do not depend on it, and a forked child has not that thread.
    if LAST.swap(now, Ordering::Relaxed) != now {
        segments().iter().for_each(bring_in);
    }
}

/// Returns the parts of the module with this code that are only read; asked once, as the loader has a lock then.
fn segments() -> &'static [Range<usize>] {
    static SEGMENTS: OnceBox<Vec<Range<usize>>> = OnceBox::new();
    SEGMENTS.get_or_init(|| {
        let mut found = Box::<Vec<Range<usize>>>::default();
        // SAFETY: the function keeps to what the loader allows in it, and is given the list that it takes.
        unsafe { libc::dl_iterate_phdr(Some(list), (&raw mut *found).cast()) };
        found
    })
}

/// Lists the segments of the module that this function lies in which are only read.
// SAFETY: the first two arguments are those that the loader calls it with, the third is a list of ranges that nobody else uses.
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
    // Where a linker puts constants beside the code, they are in a segment that is executed as well.
    let constant = (&raw const CONSTANT).addr();
    let is_read = |s: &&libc::Elf64_Phdr| s.p_flags == libc::PF_R || s.p_flags & libc::PF_W == 0 && holds(constant)(s);
    found.extend(loaded().filter(is_read).map(range));
    1
}

/// A constant that stands where those of the loops do.
static CONSTANT: u64 = CLOCK_INTERVAL_NANOS;

/// Brings in the pages of a segment: all at once where the kernel does that, since Linux 5.14, and then by a read of each, which
/// also tells the CPU and whoever lends the machine its memory that they are in use.
fn bring_in(segment: &Range<usize>) {
    let start = segment.start & !(PAGE_BYTES - 1);
    // SAFETY: the advice brings in pages of the module and changes none; where it is refused nothing is done.
    unsafe { libc::madvise(ptr::without_provenance_mut(start), segment.end - start, libc::MADV_POPULATE_READ) };
    for place in iter::once(segment.start).chain((start + PAGE_BYTES..segment.end).step_by(PAGE_BYTES)) {
        // SAFETY: reads a byte of the segment, which is readable and stays while its code runs. It need not be one of a variable,
        // so it is none of the language's reads.
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

    /// Counts the pages of the segments that are in memory for this process, and those that are not.
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

    /// Takes the pages from this process, as the kernel does when it needs the memory.
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
        // A call of little work after many, one of about as much as between two looks, and one of much.
        for (calls, nanos) in [(CLOCK_INTERVAL_NANOS / CALL, 1), (1, CLOCK_INTERVAL_NANOS), (1, u64::MAX)] {
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
