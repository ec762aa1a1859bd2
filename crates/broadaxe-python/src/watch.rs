//! Long work: Python's lock is given up meanwhile, and whoever called looks for signals now and then.

use std::{
    sync::{Mutex, PoisonError},
    thread::{self, ThreadId},
    time::{Duration, Instant},
};

use pyo3::prelude::*;

/// The least work, in nanoseconds, for which the lock is given up.
const LONG: u64 = 5_000;

/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// What the caller of long work watches.
struct Watch {
    caller: ThreadId,
    state: Mutex<(Instant, Option<PyErr>)>,
}

impl Watch {
    /// Says whether to go on; asks Python on the caller's thread, where signals arrive.
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

/// Runs the handlers of signals that have arrived.
fn answer_signals() -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        Ok(())
    })
}

/// Does work that takes about so many nanoseconds; hands it a progress function where it is long.
///
/// # Errors
/// What a handler of signals raised, such as `KeyboardInterrupt`; the work was then told to stop.
pub(crate) fn run<R: Send>(
    py: Python<'_>,
    nanos: u64,
    work: impl Send + FnOnce(Option<broadaxe_kernels::Progress<'_>>) -> R,
) -> PyResult<R> {
    if nanos < LONG {
        return Ok(work(None));
    }
    let watch = Watch { caller: thread::current().id(), state: Mutex::new((Instant::now(), None)) };
    let result = py.detach(|| work(Some(&|_, _| watch.look())));
    match watch.state.into_inner().unwrap_or_else(PoisonError::into_inner).1 {
        Some(error) => Err(error),
        None => Ok(result),
    }
}
