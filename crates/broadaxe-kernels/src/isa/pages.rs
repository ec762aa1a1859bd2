//! Mapped pages, and the signal handler that replaces pages whose file became shorter.
//!
//! The kernel answers a read behind the end of a mapped file, or of a page that the disk cannot deliver, with SIGBUS.
//! The handler interrupts arbitrary code of the thread, so it may only read atomics and call the kernel. It finds the
//! address in a fixed table of mappings, maps zeros over the pages from there to the end of the mapping, marks the
//! mapping and returns; the read is then repeated and finds a zero. Replacing all pages to the end needs one signal per
//! mapping, where single pages would need one for every 4 KiB.
//!
//! Handlers of other threads may read a table entry while it is written. Its turn is odd while its range is valid, and
//! a handler that sees the turn change, or an even turn, skips the entry. The mapping in which a thread faults is
//! borrowed by that thread, so its own entry does not change.
//!
//! Any other SIGBUS is passed to the previous handler.

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

/// Whole pages of a file, and the offset of the requested bytes in the first page.
#[derive(Debug)]
pub(crate) struct Pages {
    start: *mut c_void,
    len: usize,
    skip: usize,
    slot: &'static TableEntry,
}

impl Pages {
    /// Maps the pages that hold `len` bytes from byte `at` of the file for reading. Returns `None` if that fails.
    pub(crate) fn map(file: &File, at: u64, len: usize) -> Option<Self> {
        Self::with(file, at, len, false)
    }

    /// As [`Pages::map`], for writing too: what is written goes to the file.
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
        // SAFETY: a new mapping at an address that the kernel chooses changes no other memory.
        let start = unsafe { libc::mmap(ptr::null_mut(), whole, access(is_written), sharing, descriptor, from) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let range = start.addr()..start.addr() + whole.next_multiple_of(page);
        let Some(slot) = TableEntry::take(range, is_written) else {
            // SAFETY: mapped just now, and not shared yet.
            unsafe { libc::munmap(start, whole) };
            return None;
        };
        Some(Self { start, len: whole, skip, slot })
    }

    /// Returns the address of the first requested byte.
    pub(crate) fn base(&self) -> *const u8 {
        self.start.cast::<u8>().wrapping_add(self.skip)
    }

    /// Counts the requested bytes.
    pub(crate) fn len(&self) -> usize {
        self.len - self.skip
    }

    /// Says whether a page was missing when it was read.
    pub(crate) fn are_cut(&self) -> bool {
        self.slot.cut.load(SeqCst)
    }
}

/// Makes a file at least `len` bytes long and reserves space for them on the disk. Returns whether the file system
/// supports that.
///
/// # Errors
/// Returns the system's error, for example that the disk is full.
pub(crate) fn reserve(file: &File, len: u64) -> io::Result<bool> {
    let whole = libc::off_t::try_from(len).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    loop {
        // SAFETY: reserves space in an open file.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, whole) } {
            0 => return Ok(true),
            libc::EINTR => {}
            libc::EOPNOTSUPP | libc::EINVAL => return Ok(false),
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Returns the access rights of a mapping.
fn access(is_written: bool) -> c_int {
    if is_written { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // The entry first: the address range may be reused once it is unmapped.
        self.slot.give_back();
        // SAFETY: these pages were mapped by `map`, or replaced by the handler, and all borrows of them have ended.
        unsafe { libc::munmap(self.start, self.len) };
    }
}

// SAFETY: the pages are read, or written through an exclusive borrow, and unmapped by their one owner.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

/// An entry of the table of mappings.
#[derive(Debug)]
struct TableEntry {
    taken: AtomicBool,
    /// Odd while the range is valid.
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

    /// Returns the end of the range if it contains the address.
    fn end_behind(&self, address: usize) -> Option<usize> {
        let turn = self.turn.load(SeqCst);
        let range = self.start.load(SeqCst)..self.end.load(SeqCst);
        let rests = turn % 2 == 1 && self.turn.load(SeqCst) == turn;
        (rests && range.contains(&address)).then_some(range.end)
    }
}

/// The state that the handler needs.
struct FaultContext {
    /// The previous handler of the signal.
    previous: libc::sigaction,
    page: usize,
}

static GUARD: OnceLock<FaultContext> = OnceLock::new();

impl FaultContext {
    /// Installs the handler, once in the life of the process. Returns `None` if the system refuses.
    fn stand() -> Option<&'static Self> {
        static INSTALLED: OnceLock<bool> = OnceLock::new();
        // The handler's state is initialised before it can be called.
        let guard = GUARD.get_or_init(|| {
            // SAFETY: a set of flags, a mask and optional functions, all of which may be 0; the kernel fills it in.
            let mut previous: libc::sigaction = unsafe { std::mem::zeroed() };
            // SAFETY: only asks, and writes to the place given.
            unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut previous) };
            // SAFETY: asks for a number.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            Self { previous, page: usize::try_from(page).unwrap_or(0) }
        });
        let installed = INSTALLED.get_or_init(|| {
            let mut action = guard.previous;
            action.sa_sigaction = on_bus as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            // SAFETY: the handler does only what is allowed in one, and passes on other signals.
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
        // SAFETY: the pages belong to a mapping that the faulting thread holds, and no reference to them exists.
        let zeros = unsafe { libc::mmap(from, end - start, access, flags, -1, 0) };
        zeros != libc::MAP_FAILED
    }

    /// Passes the signal to the previous handler.
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
                // SAFETY: restores the previous handler. A fault is raised again when this returns; a signal that was
                // sent is sent again.
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
