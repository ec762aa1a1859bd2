//! Loans: work that threads do for another one while it waits.

use std::sync::atomic::{AtomicPtr, Ordering};

use crate::rendezvous::Rendezvous;

/// Work that all threads of a job do, each its share.
type ScopedWork<'a> = &'a (dyn Fn() + Sync);

/// A place where a thread lends its work to threads that outlive it.
pub(crate) struct ScopedJob {
    gate: Rendezvous,
    /// Where the lender's `ScopedWork` stands; of any use only inside the gate.
    work: AtomicPtr<ScopedWork<'static>>,
}

impl ScopedJob {
    pub(crate) fn new() -> Self {
        Self { gate: Rendezvous::new(), work: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Lends `work` to at most `seats` threads while `meanwhile` runs, and returns when none is at it any more; `false` when somebody
    /// else is lending here, and nothing was done.
    pub(crate) fn lend(&self, seats: usize, work: ScopedWork, meanwhile: impl FnOnce()) -> bool {
        let Some(claim) = self.gate.claim() else { return false };
        self.work.store((&raw const work).cast_mut().cast(), Ordering::Relaxed);
        claim.open(seats);
        meanwhile();
        // Dropped also when `meanwhile` panics: `work` stays until nobody is inside.
        drop(claim);
        true
    }

    /// Does the work that is lent here, where there is some and a seat is left.
    pub(crate) fn borrow(&self) {
        if let Some(guest) = self.gate.enter() {
            // SAFETY: who is inside entered after the lender wrote where its work stands, and the lender leaves neither `lend` nor
            // what it borrowed for it before the guest is dropped, which is after the call or in its panic. `ScopedWork` may be shared.
            let work = unsafe { *self.work.load(Ordering::Relaxed) };
            work();
            drop(guest);
        }
    }

    /// Counts the threads that do work lent here, which may change at any time.
    pub(crate) fn guests(&self) -> usize {
        self.gate.guests()
    }
}

/// Runs a test in a child process, within 60 seconds; says whether it succeeded.
#[cfg(all(test, unix))]
pub(crate) fn in_child(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: forks, and the child, which has this thread only, ends inside this block. It uses no lock but those of the pool under test
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
