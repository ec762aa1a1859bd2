//! Scoped jobs: work that other threads do for one that waits.

use std::sync::atomic::{AtomicPtr, Ordering};

use crate::rendezvous::Rendezvous;

/// Work of which every thread of a job does a share.
type ScopedWork<'a> = &'a (dyn Fn() + Sync);

/// A place where a thread offers work to threads that outlive the work.
pub(crate) struct ScopedJob {
    gate: Rendezvous,
    /// Points to the owner's `ScopedWork`; valid only inside the rendezvous.
    work: AtomicPtr<ScopedWork<'static>>,
}

impl ScopedJob {
    pub(crate) fn new() -> Self {
        Self { gate: Rendezvous::new(), work: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Offers `work` to at most `seats` threads while `meanwhile` runs, and returns when none of them runs it any more.
    /// Returns `false`, and does nothing, if another thread offers work here.
    pub(crate) fn lend(&self, seats: usize, work: ScopedWork, meanwhile: impl FnOnce()) -> bool {
        let Some(claim) = self.gate.claim() else { return false };
        self.work.store((&raw const work).cast_mut().cast(), Ordering::Relaxed);
        claim.open(seats);
        meanwhile();
        // Also dropped if `meanwhile` panics: `work` stays valid until no participant is left.
        drop(claim);
        true
    }

    /// Runs the work that is offered here, if there is any and a seat is left.
    pub(crate) fn borrow(&self) {
        if let Some(guest) = self.gate.enter() {
            // SAFETY: a participant entered after the owner wrote the address of its work, and the owner leaves neither
            // `lend` nor what it borrowed for it before the participant is dropped, which is after the call or during
            // its panic. `ScopedWork` may be shared.
            let work = unsafe { *self.work.load(Ordering::Relaxed) };
            work();
            drop(guest);
        }
    }

    /// Counts the threads that run work offered here, which may change at any time.
    pub(crate) fn guests(&self) -> usize {
        self.gate.guests()
    }
}

/// Runs a test in a child process, within 60 seconds. Returns whether it succeeded.
#[cfg(all(test, unix))]
pub(crate) fn in_child(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: forks, and the child, which has this thread only, ends inside this block. It uses no lock except those of
    // the pool under test and of the allocator, which supports that; `work` may use memory as in a process that never
    // had another thread.
    // and of the allocator, which is made for that; `work` may use memory as in a process that never had another thread.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0, "no process for the test");
        if child == 0 {
            libc::alarm(60);
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            libc::_exit(i32::from(!matches!(done, Ok(true))));
        }
        let mut status = 0;
        libc::waitpid(child, &raw mut status, 0) == child && status == 0
    }
}
