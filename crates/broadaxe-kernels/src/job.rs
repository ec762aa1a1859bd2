//! Jobs: units of work that an executor's threads share, until all are done, one fails or the caller stops them.

use std::{
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{
    executor::{Executor, Watch},
    isa::FloatMode,
};

/// The reason why a program did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The nest does not fit the program or a buffer; explains which.
    Layout(String),
    /// No memory for the scratch tiles or for the copy of an overlapping input.
    Memory,
    /// `BROADAXE_ISA` names no instruction set of this CPU, `BROADAXE_CACHES` no sizes, or `BROADAXE_COSTS` no costs; lists the accepted values.
    Environment(&'static str),
    /// A step rejected an element.
    Rejected {
        /// The step.
        step: usize,
        /// What the step rejects: `a zero divisor`.
        what: &'static str,
        /// The first rejected element, counted in the order of the nest.
        element: u64,
    },
    /// The progress function asked to stop.
    Interrupted,
}

/// Work that is divided into units.
pub(crate) struct Job<'a> {
    pub(crate) units: usize,
    /// The ranges of units, which threads claim one by one.
    pub(crate) parts: usize,
    /// The nanoseconds on one thread that are worth waking others for.
    pub(crate) worth: u64,
    pub(crate) watch: &'a Watch<'a>,
}

/// The state of one thread.
pub(crate) trait Worker: Send {
    /// Does the work of these units in ascending order, and reports it. Returns after the first failure, whose unit it
    /// returns too.
    fn run(&mut self, units: Range<usize>, watch: &Watch) -> Result<(), (usize, Failure)>;
}

impl Job<'_> {
    /// Does all units; `start` makes the state of a thread. Threads reuse the states of parts that have ended.
    ///
    /// # Errors
    /// The failure of the lowest unit that fails, however many threads there are; [`Failure::Interrupted`].
    pub(crate) fn run<W: Worker>(
        &self,
        executor: &dyn Executor,
        start: impl Fn() -> Result<W, Failure> + Sync,
    ) -> Result<(), Failure> {
        let (next, failed, spare) = (AtomicUsize::new(0), Mutex::new(None::<(usize, Failure)>), Mutex::new(Vec::new()));
        // Numbers of parts are ignored: a foreign executor may skip some, or call one twice.
        let work = |_: usize| {
            let part = next.fetch_add(1, Ordering::Relaxed);
            let [first, last] = [part, part + 1].map(|part| self.units * part / self.parts);
            let is_past = || lock(&failed).as_ref().is_some_and(|&(unit, _)| unit <= first);
            if part >= self.parts || self.watch.is_stopped() || is_past() {
                return;
            }
            let _mode = FloatMode::standard();
            let found = lock(&spare).pop();
            let done = found.map_or_else(&start, Ok).map_err(|failure| (0, failure)).and_then(|mut worker: W| {
                let done = worker.run(first..last, self.watch);
                lock(&spare).push(worker);
                done
            });
            if let Err(found) = done {
                let mut failed = lock(&failed);
                if failed.as_ref().is_none_or(|before| found.0 < before.0) {
                    *failed = Some(found);
                }
            }
        };
        if self.parts > 1 {
            executor.run_for(self.worth, self.parts, &work);
        }
        while next.load(Ordering::Relaxed) < self.parts {
            work(0);
        }
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, failure)) => Err(failure),
            None if self.watch.is_stopped() => Err(Failure::Interrupted),
            None => Ok(()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
