//! Mapped pages, and the handler that puts zeros where their file no longer has any.
//!
//! The kernel answers a read behind the end of a mapped file, or of a page that the disk cannot give, with SIGBUS. The
//! handler runs in the middle of whatever the thread was doing, so it may only look at atomics and ask the kernel. It
//! finds the address in a fixed table of mappings, maps zeros over the pages from there to the end of the mapping, marks
//! the mapping and returns; the read is then done again and finds a zero. Replacing all that follows makes one signal of
//! a cut, where a page each would make one for every 4 KiB.
//!
//! A slot of the table is written while handlers of other threads look at it. Its turn is odd while its range stands, and
//! a look that sees the turn change, or even, goes on to the next slot: the mapping in which a thread faults is borrowed
//! by it, so its slot is at rest.
//!
//! Any other SIGBUS goes to whoever handled it before, as if there were no handler here.

use super::MAX_MAPPINGS;
use std::{
    ffi::{c_int, c_void},
    fs::File,
    io,
    ops::Range,
    os::fd::AsRawFd,
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
};

/// Whole pages of a file, and where in the first of them the bytes asked for begin.
#[derive(Debug)]
pub(crate) struct Pages {
    start: *mut c_void,
    len: usize,
    skip: usize,
    slot: &'static TableEntry,
}

impl Pages {
    /// Maps the pages that hold `len` bytes from byte `at` of the file to be read, or none where that cannot be.
    pub(crate) fn map(file: &File, at: u64, len: usize) -> Option<Self> {
        Self::with(file, at, len, false)
    }

    /// As [`Pages::map`], to be written too: what is written becomes the file's.
    pub(crate) fn map_mut(file: &File, at: u64, len: usize) -> Option<Self> {
        Self::with(file, at, len, true)
    }

    fn with(file: &File, at: u64, len: usize, is_written: bool) -> Option<Self> {
        let page = FaultContext::stand()?.page;
        let skip = (at % page as u64) as usize;
        let whole = len.checked_add(skip).filter(|&whole| len > 0 && isize::try_from(whole).is_ok())?;
        let from = libc::off_t::try_from(at - skip as u64).ok()?;
        let sharing = if is_written { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
        let descriptor = file.as_raw_fd();
        // SAFETY: a new mapping at a place that the kernel chooses changes nobody's memory.
        let start = unsafe { libc::mmap(ptr::null_mut(), whole, access(is_written), sharing, descriptor, from) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let range = start.addr()..start.addr() + whole.next_multiple_of(page);
        let Some(slot) = TableEntry::take(range, is_written) else {
            // SAFETY: mapped just now, and given to nobody.
            unsafe { libc::munmap(start, whole) };
            return None;
        };
        Some(Self { start, len: whole, skip, slot })
    }

    /// Returns the address of the first byte asked for.
    pub(crate) fn base(&self) -> *const u8 {
        self.start.cast::<u8>().wrapping_add(self.skip)
    }

    /// Counts the bytes asked for.
    pub(crate) fn len(&self) -> usize {
        self.len - self.skip
    }

    /// Says whether a page was missing when it was read.
    pub(crate) fn are_cut(&self) -> bool {
        self.slot.cut.load(SeqCst)
    }
}

/// Makes a file at least `len` bytes long, and has the disk keep room for all of them; says whether the file system can.
///
/// # Errors
/// What the system answers, such as that the disk is full.
pub(crate) fn reserve(file: &File, len: u64) -> io::Result<bool> {
    let whole = libc::off_t::try_from(len).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    loop {
        // SAFETY: asks for room in a file that is open.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, whole) } {
            0 => return Ok(true),
            libc::EINTR => {}
            libc::EOPNOTSUPP | libc::EINVAL => return Ok(false),
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Returns what a mapping may be used for.
fn access(is_written: bool) -> c_int {
    if is_written { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // The slot first: the range may be somebody else's as soon as it is unmapped.
        self.slot.give_back();
        // SAFETY: these pages were mapped by `map`, or in their place by the handler, and all borrows of them have ended.
        unsafe { libc::munmap(self.start, self.len) };
    }
}

// SAFETY: the pages are read, or written by who borrows them alone, and unmapped by their one owner.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

/// A place of the table.
#[derive(Debug)]
struct TableEntry {
    taken: AtomicBool,
    /// Odd while the range stands.
    turn: AtomicUsize,
    start: AtomicUsize,
    end: AtomicUsize,
    is_written: AtomicBool,
    cut: AtomicBool,
}

static TABLE: [TableEntry; MAX_MAPPINGS] = [const { TableEntry::free() }; MAX_MAPPINGS];

impl TableEntry {
    const fn free() -> Self {
        Self {
            taken: AtomicBool::new(false),
            turn: AtomicUsize::new(0),
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            is_written: AtomicBool::new(false),
            cut: AtomicBool::new(false),
        }
    }

    fn take(range: Range<usize>, is_written: bool) -> Option<&'static Self> {
        let slot = TABLE.iter().find(|slot| !slot.taken.swap(true, SeqCst))?;
        slot.start.store(range.start, SeqCst);
        slot.end.store(range.end, SeqCst);
        slot.is_written.store(is_written, SeqCst);
        slot.cut.store(false, SeqCst);
        slot.turn.fetch_add(1, SeqCst);
        Some(slot)
    }

    fn give_back(&self) {
        self.turn.fetch_add(1, SeqCst);
        self.taken.store(false, SeqCst);
    }

    /// Returns the end of the range if the address lies in it.
    fn end_behind(&self, address: usize) -> Option<usize> {
        let turn = self.turn.load(SeqCst);
        let range = self.start.load(SeqCst)..self.end.load(SeqCst);
        let rests = turn % 2 == 1 && self.turn.load(SeqCst) == turn;
        (rests && range.contains(&address)).then_some(range.end)
    }
}

/// What the handler has to know.
struct FaultContext {
    /// Who handled the signal before.
    previous: libc::sigaction,
    page: usize,
}

static GUARD: OnceLock<FaultContext> = OnceLock::new();

impl FaultContext {
    /// Installs the handler, once in the life of the process; none when the system refuses.
    fn stand() -> Option<&'static Self> {
        static STANDS: OnceLock<bool> = OnceLock::new();
        // What the handler needs is there before it can be called.
        let guard = GUARD.get_or_init(|| {
            // SAFETY: a set of flags, a mask and optional functions, all of which may be 0; the kernel fills it in.
            let mut previous: libc::sigaction = unsafe { std::mem::zeroed() };
            // SAFETY: only asks, and writes to the place given.
            unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut previous) };
            // SAFETY: asks for a number.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            Self { previous, page: usize::try_from(page).unwrap_or(0) }
        });
        let installed = STANDS.get_or_init(|| {
            let mut action = guard.previous;
            action.sa_sigaction = on_bus as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            // SAFETY: the handler keeps to what may be done in one, and passes on what is not for it.
            unsafe { libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) == 0 }
        });
        (*installed && guard.page.is_power_of_two()).then_some(guard)
    }

    /// Maps zeros from the page of the address to the end of its mapping; says whether that was done.
    fn replace(&self, address: usize) -> bool {
        let Some((slot, end)) = TABLE.iter().find_map(|slot| Some((slot, slot.end_behind(address)?))) else {
            return false;
        };
        slot.cut.store(true, SeqCst);
        let start = address & !(self.page - 1);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
        let (from, access) = (ptr::without_provenance_mut(start), access(slot.is_written.load(SeqCst)));
        // SAFETY: the pages are those of a mapping that the faulting thread holds, and no reference to them exists.
        let zeros = unsafe { libc::mmap(from, end - start, access, flags, -1, 0) };
        zeros != libc::MAP_FAILED
    }

    /// Leaves the signal to whoever handled it before.
    ///
    /// # Safety
    /// The arguments are those of a signal handler.
    unsafe fn pass_on(&self, signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let previous = &self.previous;
        match previous.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                // SAFETY: the caller's `info` can be read.
                let sent = unsafe { (*info).si_code } <= 0;
                if sent && previous.sa_sigaction == libc::SIG_IGN {
                    return;
                }
                // SAFETY: puts back what stood there. A fault comes again when this returns; what was sent is sent again.
                unsafe {
                    libc::sigaction(signal, previous, ptr::null_mut());
                    if sent {
                        libc::raise(signal);
                    }
                }
            }
            handler if previous.sa_flags & libc::SA_SIGINFO != 0 => {
                // SAFETY: with this flag the kernel was given a function of three arguments.
                let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                    unsafe { std::mem::transmute(handler) };
                handler(signal, info, context);
            }
            handler => {
                // SAFETY: without the flag the kernel was given a function of one argument.
                let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
                handler(signal);
            }
        }
    }
}

extern "C" fn on_bus(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(guard) = GUARD.get() else { return };
    // SAFETY: the kernel calls this with a description of the signal; one of this code has an address.
    let fault = unsafe { ((*info).si_code == libc::BUS_ADRERR).then(|| (*info).si_addr().addr()) };
    if !fault.is_some_and(|address| guard.replace(address)) {
        // SAFETY: the arguments of this handler are passed on.
        unsafe { guard.pass_on(signal, info, context) };
    }
}
