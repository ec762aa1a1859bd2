//! Executors: who runs the parts of a job, and what the parts tell each other.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Runs the parts of a job, on one thread or several.
pub trait Executor: Sync {
    /// Returns the number of parts that can run at once.
    fn threads(&self) -> usize;
    /// Calls `part` with 0 up to `parts`, each once, and returns when all are done.
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync));
}

/// Runs everything on the calling thread.
pub struct Serial;

impl Executor for Serial {
    fn threads(&self) -> usize {
        1
    }
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        (0..parts).for_each(part);
    }
}

/// Runs parts on threads that live as long as the job; the calling thread takes the first.
pub struct Scoped(pub usize);

impl Executor for Scoped {
    fn threads(&self) -> usize {
        self.0.max(1)
    }
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            let start = |i: usize| std::thread::Builder::new().spawn_scoped(scope, move || part(i));
            // Where the system gives no more threads, the calling one does the rest.
            let refused = (1..parts).find(|&i| start(i).is_err()).unwrap_or(parts);
            (0..parts.min(1)).chain(refused..parts).for_each(part);
        });
    }
}

/// Is told elements done and elements in all from time to time; returns whether to go on.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> bool + Sync);

/// The bytes of inputs and output from which a second thread pays; starting one costs some 30 µs.
pub(crate) const THREAD_BYTES: u64 = 1 << 20;

/// The elements between two looks at the progress function.
pub(crate) const LOOK: u64 = 1 << 16;

/// What the threads of a job tell each other.
pub(crate) struct Watch<'a> {
    total: u64,
    progress: Option<Progress<'a>>,
    done: AtomicU64,
    stop: AtomicBool,
    /// The first refused element so far, and the step that refused it.
    refused: Mutex<Option<(u64, usize)>>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(total: u64, progress: Option<Progress<'a>>) -> Self {
        Self { total, progress, done: AtomicU64::new(0), stop: AtomicBool::new(false), refused: Mutex::new(None) }
    }

    /// Notes an element that a step refused; the first of all stays.
    pub(crate) fn refuse(&self, element: u64, step: usize) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let found = (element, step);
        *refused = Some(refused.map_or(found, |first| first.min(found)));
    }

    /// Returns the first refused element and its step, where one was.
    pub(crate) fn refused(&self) -> Option<(u64, usize)> {
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says whether the caller asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Counts elements done, tells the caller, and says whether to go on.
    pub(crate) fn go_on(&self, elements: u64) -> bool {
        let done = self.done.fetch_add(elements, Ordering::Relaxed) + elements;
        if self.progress.is_some_and(|progress| !progress(done, self.total)) {
            self.stop.store(true, Ordering::Relaxed);
        }
        !self.stop.load(Ordering::Relaxed)
    }
}
