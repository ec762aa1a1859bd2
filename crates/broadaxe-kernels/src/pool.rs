//! A pool of threads that run parts of jobs and stay for the next job.
//!
//! A job costs little more than its parts. The caller offers its work (`ScopedJob`), increments the bell and runs parts
//! itself. Pool threads that see the bell run parts too; busy or sleeping threads are never waited for. When no part is
//! left, the caller waits for the threads that still run one. So a job on a pool without free threads is a loop.
//!
//! - A thread without work spins on the bell for some 50 µs and then sleeps. Waking it costs the caller a system call
//!   (8 µs, measured in a virtual machine) and 30 µs until it runs. If all threads sleep, the caller runs a job alone
//!   unless the job, or many such jobs together, are worth waking a thread: this limits the loss by waking to about 2
//!   %.
//! - A caller wakes one thread and each woken thread two more, so that the caller soon works, however many threads are
//!   needed.
//! - Every thread has a range of parts of its own, and helps the others when it has finished. In jobs that repeat, a
//!   thread finds the same elements in its cache.
//! - Several callers offer work at once, each in its own place. A caller that finds no free place works alone.
//! - A part that starts a job runs it alone: the threads are busy with the other parts.
//! - A child process after `fork` has the memory of the pool but none of its threads, and is not notified. A caller
//!   that no thread helped checks the process number before its next job, and finds that it needs new threads. These
//!   may fail to start: in a Rust program the standard library locks a mutex whenever a thread starts or ends, and that
//!   mutex stays locked in a child that was forked at that moment. The callers then run their jobs themselves, because
//!   only threads that have entered a job are waited for.

use std::{
    any::Any,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};

use once_cell::race::OnceBox;

use crate::{
    executor::{Executor, least_nanos},
    isa,
    measured::{SPINS_BEFORE_IDLE, WORTH_TRYING_NANOS, WORTH_WAKING_NANOS},
    run::ScopedJob,
};

/// The most threads of a job, including its caller.
pub const MOST_THREADS: usize = 1024;

/// The jobs that can be offered at once.
const SCOPED_JOBS: usize = 8;

/// The most ranges that the parts of a job are divided into; further threads share ranges.
const RANGES: usize = 16;

/// A thread's stack: small, but enough for an arbitrary progress function.
const STACK: usize = 1 << 20;

thread_local! {
    /// A thread's number in its pool; 0 outside, and `CALLER` while it runs a job.
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}
const CALLER: usize = usize::MAX;

/// A value that threads write often, on cache lines of its own.
#[repr(align(128))]
struct CachePadded<T>(T);

/// Threads that run the parts of jobs and stay for the next one.
///
/// They are started when a job first needs them. If the system does not start more threads, jobs use fewer.
///
/// ```
/// use broadaxe_kernels::{Executor, Pool};
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// let sum = AtomicUsize::new(0);
/// Pool::global().team(2).run(100, &|part| {
///     sum.fetch_add(part, Ordering::Relaxed);
/// });
/// assert_eq!(sum.into_inner(), 4950);
/// ```
pub struct Pool {
    threads: usize,
    /// The most threads of a team.
    most: usize,
    crew: Arc<Crew>,
}

impl Pool {
    /// Makes a separate pool with this many threads, including the caller of a job; they end when the pool is dropped.
    pub fn new(threads: usize) -> Self {
        let threads = threads.clamp(1, MOST_THREADS);
        Self { threads, most: threads, crew: Arc::new(Crew::new(threads - 1)) }
    }

    /// Returns the pool of the process: a thread per CPU, and more if a team asks for them.
    pub fn global() -> &'static Self {
        static GLOBAL: OnceBox<Pool> = OnceBox::new();
        GLOBAL.get_or_init(|| {
            let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
            Box::new(Self { threads, most: MOST_THREADS, crew: Arc::new(Crew::new(MOST_THREADS - 1)) })
        })
    }

    /// Returns an executor that uses at most this many threads of the pool.
    pub fn team(&self, threads: usize) -> Team<'_> {
        Team { pool: self, threads: threads.clamp(1, self.most) }
    }
}

impl Executor for Pool {
    fn threads(&self) -> usize {
        self.threads
    }
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        self.run_for(least_nanos(parts, self.threads), parts, part);
    }
    fn run_for(&self, nanos: u64, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        run(&self.crew, self.threads, (nanos, parts), part);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.crew.close();
    }
}

/// Some threads of a pool.
#[derive(Clone, Copy)]
pub struct Team<'a> {
    pool: &'a Pool,
    threads: usize,
}

impl Executor for Team<'_> {
    fn threads(&self) -> usize {
        self.threads
    }
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        self.run_for(least_nanos(parts, self.threads), parts, part);
    }
    fn run_for(&self, nanos: u64, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        run(&self.pool.crew, self.threads, (nanos, parts), part);
    }
}

/// Runs the parts of a job that needs about `nanos` nanoseconds, on the caller's thread and at most `threads - 1`
/// others.
fn run(crew: &Arc<Crew>, threads: usize, (nanos, parts): (u64, usize), part: &(dyn Fn(usize) + Sync)) {
    let seats = threads.min(parts).saturating_sub(1);
    // A thread that is being destroyed has lost its number; it may work.
    if seats == 0 || NUMBER.try_with(Cell::get).unwrap_or(CALLER) != 0 {
        return (0..parts).for_each(part);
    }
    let crew = crew.here();
    let Some(missing) = crew.missing(seats, nanos) else {
        return (0..parts).for_each(part);
    };
    NUMBER.set(CALLER);
    let job = PoolJob::new(parts, seats + 1, part);
    let (missing, helped) = (AtomicUsize::new(missing), AtomicBool::new(false));
    let work = || {
        helped.store(true, Ordering::Relaxed);
        crew.summon(&missing, 2, seats);
        job.work(NUMBER.get());
    };
    let meanwhile = || {
        crew.bell.0.fetch_add(1, Ordering::Release);
        crew.summon(&missing, 1, seats);
        job.work(0);
    };
    if !crew.loans.iter().any(|loan| loan.0.lend(seats, &work, meanwhile)) {
        job.work(0);
    }
    crew.alone.store(!helped.into_inner(), Ordering::Relaxed);
    NUMBER.set(0);
    job.finish();
}

/// The parts of a job, divided into ranges.
struct PoolJob<'a> {
    part: &'a (dyn Fn(usize) + Sync),
    parts: usize,
    ranges: usize,
    /// The next part of each range.
    next: [CachePadded<AtomicUsize>; RANGES],
    stop: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl<'a> PoolJob<'a> {
    fn new(parts: usize, threads: usize, part: &'a (dyn Fn(usize) + Sync)) -> Self {
        let ranges = threads.min(RANGES);
        let next = std::array::from_fn(|at| CachePadded(AtomicUsize::new(start(parts, ranges, at))));
        Self { part, parts, ranges, next, stop: AtomicBool::new(false), panic: Mutex::new(None) }
    }

    /// Returns the next part of this range, or of another one that has parts left.
    fn take(&self, first: usize) -> Option<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        (first..self.ranges).chain(0..first).find_map(|range| {
            let (next, end) = (&self.next[range].0, start(self.parts, self.ranges, range + 1));
            let left = next.load(Ordering::Relaxed) < end;
            left.then(|| next.fetch_add(1, Ordering::Relaxed)).filter(|&part| part < end)
        })
    }

    /// Runs parts until none is left; a panic ends the job and is kept.
    fn work(&self, number: usize) {
        // The first range belongs to the caller.
        let first = if number < self.ranges { number } else { 1 + (number - 1) % (self.ranges - 1) };
        let all = AssertUnwindSafe(|| {
            while let Some(part) = self.take(first) {
                (self.part)(part);
            }
        });
        if let Err(panic) = catch_unwind(all) {
            self.stop.store(true, Ordering::Relaxed);
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
    }

    /// Resumes a panic in the caller.
    fn finish(self) {
        if let Some(panic) = self.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
    }
}

/// Returns the first part of a range.
fn start(parts: usize, ranges: usize, range: usize) -> usize {
    parts / ranges * range + range.min(parts % ranges)
}

/// The threads of a pool, and the state that they share with the callers.
struct Crew {
    /// The process of the threads.
    process: u32,
    loans: [CachePadded<ScopedJob>; SCOPED_JOBS],
    /// Incremented when work is offered.
    bell: CachePadded<AtomicUsize>,
    /// Whether no thread helped with the last job, and the process number was not checked since.
    alone: AtomicBool,
    started: AtomicUsize,
    /// The most threads that may be started; lower after the system refused one.
    room: AtomicUsize,
    /// Threads that sleep, are about to, or have just been woken; changed under the lock of `wakes`.
    asleep: AtomicUsize,
    /// The number of sleepers that should wake.
    wakes: Mutex<usize>,
    sleep: Condvar,
    /// The nanoseconds of work since the last wake-up that were not worth waking a thread.
    debt: AtomicU64,
    closed: AtomicBool,
    /// The crew of a child process.
    heir: OnceBox<Arc<Crew>>,
}

impl Crew {
    fn new(room: usize) -> Self {
        Self {
            process: isa::process(),
            loans: std::array::from_fn(|_| CachePadded(ScopedJob::new())),
            bell: CachePadded(AtomicUsize::new(0)),
            alone: AtomicBool::new(true),
            started: AtomicUsize::new(0),
            room: AtomicUsize::new(room),
            asleep: AtomicUsize::new(0),
            wakes: Mutex::new(0),
            sleep: Condvar::new(),
            debt: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            heir: OnceBox::new(),
        }
    }

    /// Returns the crew of this process, which may be a child of the process of this crew.
    fn here(self: &Arc<Self>) -> &Arc<Self> {
        if let Some(heir) = self.heir.get() {
            return heir.here();
        }
        if !self.alone.load(Ordering::Relaxed) {
            return self;
        }
        if self.process == isa::process() {
            self.alone.store(false, Ordering::Relaxed);
            return self;
        }
        let heir = || Box::new(Arc::new(Self::new(self.room.load(Ordering::Relaxed))));
        self.heir.get_or_init(heir).here()
    }

    fn wakes(&self) -> MutexGuard<'_, usize> {
        self.wakes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of threads to wake or start for a job of `seats` seats and at least `nanos` nanoseconds;
    /// `None` if the caller should run it alone.
    fn missing(&self, seats: usize, nanos: u64) -> Option<usize> {
        let (asleep, started) = (self.asleep.load(Ordering::Relaxed), self.started.load(Ordering::Relaxed));
        let busy = self.loans.iter().map(|loan| loan.0.guests()).sum::<usize>();
        let listening = started.saturating_sub(asleep + busy);
        let others = asleep + seats.min(self.room.load(Ordering::Relaxed)).saturating_sub(started);
        let missing = seats.saturating_sub(listening).min(others);
        let listened = (listening > 0).then_some(0);
        if listened.is_some() && missing == 0 || !self.pays_to_wake(nanos) {
            return listened;
        }
        if self.process != isa::process() {
            // The counters belong to the threads of the parent.
            self.alone.store(true, Ordering::Relaxed);
            return None;
        }
        if missing > 0 { Some(missing) } else { listened }
    }

    /// Says whether to wake a thread for a job of `nanos` nanoseconds.
    fn pays_to_wake(&self, nanos: u64) -> bool {
        if nanos < WORTH_WAKING_NANOS && self.debt.fetch_add(nanos, Ordering::Relaxed) + nanos < WORTH_TRYING_NANOS {
            return false;
        }
        self.debt.store(0, Ordering::Relaxed);
        true
    }

    /// Wakes or starts at most `most` of the missing threads.
    fn summon(self: &Arc<Self>, missing: &AtomicUsize, most: usize, seats: usize) {
        for _ in 0..most {
            let one = missing.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |missing| missing.checked_sub(1));
            if one.is_err() || !(self.wake() || self.start(seats)) {
                return;
            }
        }
    }

    /// Wakes a sleeper; `false` if no thread sleeps.
    fn wake(&self) -> bool {
        let mut wakes = self.wakes();
        if *wakes >= self.asleep.load(Ordering::Relaxed) {
            return false;
        }
        *wakes += 1;
        drop(wakes);
        self.sleep.notify_one();
        true
    }

    /// Starts a thread, unless `most` exist already or the system refuses.
    fn start(self: &Arc<Self>, most: usize) -> bool {
        let most = most.min(self.room.load(Ordering::Relaxed));
        let more = |started: usize| (started < most).then_some(started + 1);
        let Ok(before) = self.started.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) else { return false };
        let (crew, number) = (self.clone(), before + 1);
        let thread = thread::Builder::new().name(format!("broadaxe-{number}")).stack_size(STACK);
        if thread.spawn(move || crew.serve(number)).is_err() {
            self.started.fetch_sub(1, Ordering::Relaxed);
            self.room.fetch_min(before, Ordering::Relaxed);
            return false;
        }
        true
    }

    /// Runs offered work until the pool is dropped.
    fn serve(&self, number: usize) {
        NUMBER.set(number);
        loop {
            let heard = self.bell.0.load(Ordering::Acquire);
            self.loans.iter().for_each(|loan| loan.0.borrow());
            if !self.listen(heard) {
                return;
            }
        }
    }

    /// Waits for the bell, first spinning and then asleep; `false` if the pool is dropped.
    fn listen(&self, heard: usize) -> bool {
        for round in 0..SPINS_BEFORE_IDLE {
            if self.bell.0.load(Ordering::Relaxed) != heard {
                return true;
            }
            // A thread that was woken on its caller's CPU must not keep the caller from working.
            if round % 32 == 31 { thread::yield_now() } else { std::hint::spin_loop() }
        }
        let mut wakes = self.wakes();
        self.asleep.fetch_add(1, Ordering::Relaxed);
        if self.bell.0.load(Ordering::Relaxed) == heard {
            while *wakes == 0 && !self.closed.load(Ordering::Relaxed) {
                wakes = self.sleep.wait(wakes).unwrap_or_else(PoisonError::into_inner);
            }
            *wakes = wakes.saturating_sub(1);
        }
        self.asleep.fetch_sub(1, Ordering::Relaxed);
        !self.closed.load(Ordering::Relaxed)
    }

    /// Ends the threads when they are idle.
    fn close(&self) {
        if let Some(heir) = self.heir.get() {
            heir.close();
        }
        // The threads of another process do not exist here, and its locks may be locked for ever.
        if self.process == isa::process() {
            let wakes = self.wakes();
            self.closed.store(true, Ordering::Relaxed);
            drop(wakes);
            self.sleep.notify_all();
        }
    }
}

#[cfg(test)]
mod tests;
