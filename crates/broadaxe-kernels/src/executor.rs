//! Executors run the parts of a job on one or several threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::measured::{FINE_NANOS, FINE_PARTS, LOOK_ELEMENTS, LOOK_PICOS, PART_NANOS};

/// Runs the parts of a job, on one thread or several.
pub trait Executor: Sync {
    /// Returns the number of parts that can run at once.
    fn threads(&self) -> usize;
    /// Calls `part` once for each number below `parts`, and returns when all calls are done.
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync));
    /// As [`Executor::run`]. All parts together need about `nanos` nanoseconds on one thread, as far as that is known.
    fn run_for(&self, nanos: u64, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        let _ = nanos;
        self.run(parts, part);
    }
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

/// Runs parts on the rayon pool of the calling thread, or else on the global one.
#[cfg(feature = "rayon")]
pub struct Rayon;

#[cfg(feature = "rayon")]
impl Executor for Rayon {
    fn threads(&self) -> usize {
        rayon::current_num_threads()
    }
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
        (0..parts).into_par_iter().with_max_len(1).for_each(part);
    }
}

/// Runs parts on threads that live as long as the job. The calling thread runs the first part.
pub struct Scoped(pub usize);

impl Executor for Scoped {
    fn threads(&self) -> usize {
        self.0.max(1)
    }
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            let start = |i: usize| std::thread::Builder::new().spawn_scoped(scope, move || part(i));
            // If the system does not start more threads, the calling thread runs the remaining parts.
            let rejected = (1..parts).find(|&i| start(i).is_err()).unwrap_or(parts);
            (0..parts.min(1)).chain(rejected..parts).for_each(part);
        });
    }
}

/// Receives the number of finished elements and of all elements from time to time. Returns whether to continue.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> bool + Sync);

/// Returns the best number of parts for a job that needs `nanos` nanoseconds on one thread; 1 means the calling thread
/// alone.
pub(crate) fn parts(nanos: u64, threads: usize) -> usize {
    if threads <= 1 {
        return 1;
    }
    let threads = threads as u64;
    let each = nanos / FINE_NANOS / threads;
    let parts = if each > 1 { each.min(FINE_PARTS).saturating_mul(threads) } else { (nanos / PART_NANOS).min(threads) };
    usize::try_from(parts).unwrap_or(usize::MAX).max(1)
}

/// Returns the minimal work, in nanoseconds, of a job that was split into `parts` parts.
pub(crate) fn least_nanos(parts: usize, threads: usize) -> u64 {
    let each = if parts <= threads { PART_NANOS } else { FINE_NANOS };
    each.saturating_mul(parts as u64)
}

/// Returns the elements between two calls of the progress function if each needs `picos` picoseconds.
pub(crate) fn look(picos: u64) -> u64 {
    (LOOK_PICOS / picos.max(1)).clamp(1, LOOK_ELEMENTS)
}

/// The state that the threads of a job share.
pub(crate) struct Watch<'a> {
    total: u64,
    progress: Option<Progress<'a>>,
    done: AtomicU64,
    stop: AtomicBool,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(total: u64, progress: Option<Progress<'a>>) -> Self {
        Self { total, progress, done: AtomicU64::new(0), stop: AtomicBool::new(false) }
    }

    /// Says whether the caller asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Counts finished elements, calls the progress function, and says whether to continue.
    pub(crate) fn go_on(&self, elements: u64) -> bool {
        let done = self.done.fetch_add(elements, Ordering::Relaxed) + elements;
        if self.progress.is_some_and(|progress| !progress(done, self.total)) {
            self.stop.store(true, Ordering::Relaxed);
        }
        !self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "rayon")]
    #[test]
    fn the_callers_pool_of_rayon_runs_the_parts() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        for parts in [0, 1, 2, 7, 100] {
            let done: Vec<_> = (0..parts).map(|_| AtomicU64::new(0)).collect();
            pool.install(|| {
                assert_eq!(Rayon.threads(), 3);
                Rayon.run(parts, &|part| {
                    assert!(rayon::current_thread_index().is_some());
                    done[part].fetch_add(1, Ordering::Relaxed);
                });
            });
            assert!(done.into_iter().all(|part| part.into_inner() == 1), "{parts} parts");
        }
    }

    #[test]
    fn costly_elements_are_looked_at_more_often() {
        for (picos, want) in [(0, 65_536), (32, 65_536), (7_000, 65_536), (500_000, 1000), (u64::MAX, 1)] {
            assert_eq!(look(picos), want, "{picos} ps");
        }
    }

    #[test]
    fn parts_grow_with_the_work() {
        let cases = [
            (0, 1, 1),
            (u64::MAX, 1, 1),
            (u64::MAX, 0, 1),
            (7_999, 2, 1),
            (8_000, 2, 2),
            (8_000, 16, 2),
            (19_999, 2, 2),
            (20_000, 2, 4),
            (1_000_000, 2, 16),
            (20_000, 16, 5),
            (100_000, 16, 16),
            (200_000, 16, 32),
            (u64::MAX, 16, 128),
        ];
        for (nanos, threads, want) in cases {
            let got = parts(nanos, threads);
            assert_eq!(got, want, "{nanos} ns on {threads} threads");
            assert!(got == 1 || least_nanos(got, threads) <= nanos, "{nanos} ns on {threads} threads");
        }
    }
}
