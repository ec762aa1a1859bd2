//! Stops planning, and other work without a progress function, from outside.
//!
//! Work that may take long passes [`checkpoint`]s. A checkpoint unwinds the stack where the work has been told to stop, or where memory has
//! run out, up to [`under`], which returns the reason. Nothing that was half done is seen by anyone else. A thread that is not
//! `under` a flag passes checkpoints at the cost of a look at a variable of its own.

use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Why work stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Its flag was set.
    Interrupted,
    /// Memory has run out.
    OutOfMemory,
}

thread_local! {
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Whether an allocation has failed, and what is left is to be kept for cleaning up.
static OUT_OF_MEMORY: AtomicBool = AtomicBool::new(false);

/// Tells all work `under` a flag that memory has run out, or that there is some again.
///
/// This is for allocators that keep a reserve, which they release when an allocation fails.
pub fn set_out_of_memory(is_out: bool) {
    OUT_OF_MEMORY.store(is_out, Ordering::Relaxed);
}

/// Says whether memory has run out.
pub fn is_out_of_memory() -> bool {
    OUT_OF_MEMORY.load(Ordering::Relaxed)
}

/// Unwinds where the work of this thread is to stop.
#[inline]
pub fn checkpoint() {
    if let Some(stopped) = FLAG.with(|flag| reason(flag.borrow().as_deref())) {
        resume_unwind(Box::new(stopped));
    }
}

/// Adds an item to a list that may become large; unwinds where the list cannot grow and the work of this thread can be stopped.
///
/// A list doubles when it grows, and no reserve is larger than any list: this is for those with an item per node or per character.
pub fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() && list.try_reserve(1).is_err() {
        set_out_of_memory(true);
        checkpoint();
    }
    list.push(item);
}

fn reason(flag: Option<&AtomicBool>) -> Option<Stopped> {
    match flag?.load(Ordering::Relaxed) {
        true => Some(Stopped::Interrupted),
        false if OUT_OF_MEMORY.load(Ordering::Relaxed) => Some(Stopped::OutOfMemory),
        false => None,
    }
}

/// Returns the flag of this thread's work, for threads that take a share of it.
pub fn flag() -> Option<Arc<AtomicBool>> {
    FLAG.with(|flag| flag.borrow().clone())
}

/// Does a share of work that has this flag, on another thread; the caller [resumes](unwind) what stopped it.
///
/// # Errors
/// Why the share stopped.
pub fn share<R>(flag: Option<&Arc<AtomicBool>>, work: impl FnOnce() -> R) -> Result<R, Stopped> {
    match flag {
        Some(flag) => under(flag, work),
        None => Ok(work()),
    }
}

/// Unwinds as a checkpoint does.
pub fn unwind(stopped: Stopped) -> ! {
    resume_unwind(Box::new(stopped))
}

/// Says whether the work of this thread has a flag.
pub fn is_watched() -> bool {
    FLAG.with(|flag| flag.borrow().is_some())
}

/// Says whether the work of this thread is to stop.
pub fn is_stopped() -> bool {
    FLAG.with(|flag| reason(flag.borrow().as_deref()).is_some())
}

/// Does work that stops at a checkpoint when the flag is set.
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
/// use broadaxe_op::stop::{Stopped, checkpoint, under};
/// let flag = Arc::new(AtomicBool::new(false));
/// let stopped = under(&flag, || {
///     checkpoint();
///     flag.store(true, Ordering::Relaxed);
///     checkpoint();
/// });
/// assert_eq!(stopped, Err(Stopped::Interrupted));
/// ```
///
/// # Errors
/// Why the work stopped.
///
/// # Panics
/// When the work panics.
pub fn under<R>(flag: &Arc<AtomicBool>, work: impl FnOnce() -> R) -> Result<R, Stopped> {
    let before = FLAG.replace(Some(Arc::clone(flag)));
    let done = catch_unwind(AssertUnwindSafe(work));
    FLAG.set(before);
    done.map_err(|payload| match payload.downcast::<Stopped>() {
        Ok(stopped) => *stopped,
        Err(panic) => resume_unwind(panic),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_without_a_flag_goes_on() {
        checkpoint();
        assert!(!is_stopped());
    }

    #[test]
    fn flags_of_work_inside_work_come_back() {
        let (outer, inner) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(true)));
        let done = under(&outer, || {
            assert_eq!(under(&inner, checkpoint), Err(Stopped::Interrupted));
            assert!(!is_stopped());
            checkpoint();
            7
        });
        assert_eq!(done, Ok(7));
    }

    #[test]
    fn panics_pass() {
        let flag = Arc::new(AtomicBool::new(false));
        let panic = catch_unwind(AssertUnwindSafe(|| under(&flag, || resume_unwind(Box::new("mine")))));
        assert!(panic.is_err_and(|panic| panic.downcast_ref::<&str>() == Some(&"mine")));
        assert!(!is_stopped());
    }
}
