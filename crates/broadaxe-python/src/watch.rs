//! Runs long work without the GIL, while the caller checks for signals.
//!
//! Handlers of signals run on Python's main thread only, which may be the caller's. So that it can answer at any time, be it that another
//! thread has a long share of the work, longer work is done by a thread of its own while the caller waits and looks.

use std::{
    mem,
    panic::resume_unwind,
    process,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle, ThreadId},
    time::{Duration, Instant},
};

use broadaxe::stop::{self, Stopped};
use broadaxe_kernels::Progress;
use pyo3::prelude::*;

use crate::{array::reserve, error::raised};

/// The least work, in nanoseconds, for which the lock is given up: the arrays are then held and looked at again. Without that, and
/// with one call for all units, `a + b` of 49,552 f32 went from 7.8 to 6.3 us, where NumPy needs 6.0 (AMD EPYC, Zen 4, AVX2).
pub(crate) const RELEASE_GIL_NANOS: u64 = 20_000;

/// The least work for which a thread of its own does it; estimates are too low rather than too high. A thread costs some 30 µs.
const OWN_THREAD_NANOS: u64 = 2_000_000;

/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(15);

/// Does work of about `nanos` nanoseconds, [`RELEASE_GIL_NANOS`] or more; long work gets a progress function. The caller [holds](crate::array::held)
/// the arrays that the work uses.
///
/// # Errors
/// What a handler of signals raised, such as `KeyboardInterrupt`; the work was then told to stop.
pub(crate) fn run<R: Send>(
    py: Python<'_>,
    nanos: u64,
    work: impl Send + FnOnce(Option<Progress<'_>>) -> R,
) -> PyResult<R> {
    match nanos {
        0..OWN_THREAD_NANOS => Ok(py.detach(|| work(None))),
        _ => py.detach(|| {
            apart(|watcher| match watcher {
                Watcher::Flag(flag) => work(Some(&|_, _| !flag.load(Ordering::Relaxed))),
                Watcher::Caller(watch) => work(Some(&|_, _| watch.look())),
            })
        }),
    }
}

/// Does work that has no progress function and may take long: it passes [checkpoints](broadaxe::stop), at which signals and a lack of memory
/// end it.
///
/// # Errors
/// What a handler of signals raised; `MemoryError` where an allocation failed.
pub(crate) fn stoppable<R: Send>(py: Python<'_>, work: impl Send + FnOnce() -> R) -> PyResult<R> {
    reserve::prepare()?;
    let done = py.detach(|| {
        apart(|watcher| match watcher {
            Watcher::Flag(flag) => stop::under(flag, work),
            Watcher::Caller(_) => stop::under(&Arc::default(), work),
        })
    });
    done?.map_err(|stopped| raised(&stopped.into()))
}

/// Does work as [`stoppable`] that borrows nothing and changes nothing but memory.
///
/// Freeing what such work holds may take as long as a second. So a signal leaves the work to its thread, and the next work waits for that
/// thread: memory never holds what two of them left.
///
/// # Errors
/// As [`stoppable`].
pub(crate) fn leavable<R: Send + 'static>(py: Python<'_>, work: impl Send + 'static + FnOnce() -> R) -> PyResult<R> {
    reserve::prepare()?;
    py.detach(|| alone(work))?.map_err(|stopped| raised(&stopped.into()))
}

/// Frees large objects on a thread of their own; [`leavable`] work waits for it.
pub(crate) fn discard(garbage: impl Send + 'static) {
    // Where the system has no thread for it, it is freed here.
    if let Ok(worker) = thread::Builder::new().spawn(move || drop(garbage)) {
        leave(worker);
    }
}

/// What a thread of its own frees, as that may take long.
pub(crate) struct Discarded<T: Send + 'static>(pub(crate) Option<T>);

impl<T: Send + 'static> Drop for Discarded<T> {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(discard);
    }
}

/// The threads that still free what was left to them, each with its process.
static LEFT: Mutex<Vec<(u32, JoinHandle<()>)>> = Mutex::new(Vec::new());

/// Remembers a thread to be waited for.
fn leave(worker: JoinHandle<()>) {
    // A fork may leave the lock with a thread that the new process does not have, so nothing waits for the lock.
    if let Ok(mut left) = LEFT.try_lock() {
        left.push((process::id(), worker));
    }
}

/// Says whether a thread still frees what was left to it; a process does not have the threads from before its fork.
fn is_left() -> bool {
    let Ok(mut left) = LEFT.try_lock() else { return false };
    let is_over = |(process, worker): &(u32, JoinHandle<()>)| *process != process::id() || worker.is_finished();
    left.extract_if(.., |one| is_over(one)).for_each(mem::forget);
    !left.is_empty()
}

/// Does work on a thread of its own, to which a signal leaves it.
fn alone<R: Send + 'static>(work: impl Send + 'static + FnOnce() -> R) -> PyResult<Result<R, Stopped>> {
    while is_left() {
        answer_signals()?;
        thread::sleep(PAUSE);
    }
    let (flag, given) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Some(work))));
    let take = |given: &Mutex<Option<_>>| given.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (bell, results) = mpsc::channel();
    let share = {
        let (flag, given) = (flag.clone(), given.clone());
        // A result that is not waited for any more is freed here too.
        move || drop(take(&given).map(|work| bell.send(stop::under(&flag, work))))
    };
    let Ok(worker) = thread::Builder::new().stack_size(STACK_BYTES).spawn(share) else {
        let Some(work) = take(&given) else { unreachable!("there is no thread that took it") };
        return here(|_| stop::under(&Arc::default(), work));
    };
    loop {
        match results.recv_timeout(PAUSE) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Ok(()) => unreachable!("the thread accepts the work"),
                Err(panic) => resume_unwind(panic),
            },
        }
        if let Err(raised) = answer_signals() {
            flag.store(true, Ordering::Relaxed);
            leave(worker);
            return Err(raised);
        }
    }
}

/// What tells work to stop.
enum Watcher<'a> {
    /// Set by the caller, who waits.
    Flag(&'a Arc<AtomicBool>),
    /// Asked by the work itself, on the caller's thread.
    Caller(&'a Watch),
}

/// Runs the handlers of signals that have arrived.
///
/// Where the interpreter is coming to its end, handlers do not run any more.
fn answer_signals() -> PyResult<()> {
    // The method itself would not do: it is for one lifetime.
    #[allow(clippy::redundant_closure_for_method_calls)]
    Python::try_attach(|py| py.check_signals()).unwrap_or(Ok(()))
}

/// The bytes of stack of a thread that works, as the main thread of a program has on Linux.
const STACK_BYTES: usize = 8 << 20;

/// Does work on a thread of its own while this one looks for signals.
fn apart<R: Send>(work: impl Send + FnOnce(Watcher<'_>) -> R) -> PyResult<R> {
    let (flag, given) = (Arc::new(AtomicBool::new(false)), Mutex::new(Some(work)));
    let (flag, take) = (&flag, &|| given.lock().unwrap_or_else(PoisonError::into_inner).take());
    let (bell, bells) = mpsc::channel();
    thread::scope(|scope| {
        let share = move || {
            // Rings when it is dropped, be it in a panic.
            let _bell: mpsc::Sender<()> = bell;
            take().map(|work| work(Watcher::Flag(flag)))
        };
        let Ok(worker) = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, share) else {
            let Some(work) = take() else { unreachable!("there is no thread that took it") };
            return here(work);
        };
        let mut raised = None;
        while bells.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
            if raised.is_none() {
                raised = answer_signals().err();
                flag.store(raised.is_some(), Ordering::Relaxed);
            }
        }
        match worker.join() {
            Ok(Some(result)) => raised.map_or(Ok(result), Err),
            Ok(None) => unreachable!("the thread accepts the work"),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// What a caller watches who does the work itself, the system having no thread for it.
struct Watch {
    caller: ThreadId,
    state: Mutex<(Instant, Option<PyErr>)>,
}

impl Watch {
    /// Says whether to go on; asks Python on the caller's thread.
    fn look(&self) -> bool {
        if thread::current().id() != self.caller {
            return true;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0.elapsed() >= PAUSE && state.1.is_none() {
            state.1 = answer_signals().err();
            state.0 = Instant::now();
        }
        state.1.is_none()
    }
}

/// Does work on this thread, which looks for signals between its parts.
fn here<R>(work: impl FnOnce(Watcher<'_>) -> R) -> PyResult<R> {
    let watch = Watch { caller: thread::current().id(), state: Mutex::new((Instant::now(), None)) };
    let result = work(Watcher::Caller(&watch));
    match watch.state.into_inner().unwrap_or_else(PoisonError::into_inner).1 {
        Some(error) => Err(error),
        None => Ok(result),
    }
}
