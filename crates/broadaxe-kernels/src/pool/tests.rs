use std::{
    sync::Barrier,
    time::{Duration, Instant},
};

use super::*;

/// Runs a job and returns how often each part ran.
fn count(executor: &dyn Executor, parts: usize) -> Vec<usize> {
    let done: Vec<AtomicUsize> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
    executor.run(parts, &|part| {
        done[part].fetch_add(1, Ordering::Relaxed);
    });
    done.into_iter().map(AtomicUsize::into_inner).collect()
}

/// Tries until it succeeds, for as long as a busy machine may need.
fn soon(mut attempt: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if attempt() {
            return true;
        }
        thread::yield_now();
    }
    false
}

/// Says whether a thread of the pool runs a part of one of many jobs that are worth waking a thread.
fn is_helped(executor: &dyn Executor) -> bool {
    let caller = thread::current().id();
    soon(|| {
        let helped = AtomicBool::new(false);
        executor.run(64, &|_| {
            helped.fetch_or(thread::current().id() != caller, Ordering::Relaxed);
            thread::sleep(Duration::from_micros(20));
        });
        helped.into_inner()
    })
}

#[test]
fn every_part_is_done_once() {
    for threads in 1..=16 {
        let pool = Pool::new(threads);
        for parts in (0..50).chain([99, 100, 1000]) {
            assert_eq!(count(&pool, parts), vec![1; parts], "{threads} threads, {parts} parts");
            let team = pool.team(parts % 5);
            assert_eq!(count(&team, parts), vec![1; parts], "{} of {threads} threads, {parts} parts", team.threads());
        }
    }
}

#[test]
fn ranges_cover_the_parts() {
    for (parts, ranges) in [(2, 2), (7, 3), (16, 16), (1000, 7), (usize::MAX, 16)] {
        assert_eq!((start(parts, ranges, 0), start(parts, ranges, ranges)), (0, parts));
        let lengths: Vec<_> = (0..ranges).map(|at| start(parts, ranges, at + 1) - start(parts, ranges, at)).collect();
        assert!(lengths.iter().all(|&length| length - parts / ranges <= 1), "{parts} in {ranges}: {lengths:?}");
    }
}

#[test]
fn many_callers_share_a_pool() {
    let pool = Pool::new(4);
    thread::scope(|scope| {
        for caller in 0..12 {
            let pool = &pool;
            scope.spawn(move || {
                for round in 0..300 {
                    let parts = (caller * 7 + round) % 40;
                    assert_eq!(count(pool, parts), vec![1; parts], "caller {caller}, round {round}");
                }
            });
        }
    });
}

#[test]
fn no_caller_waits_for_the_job_of_another() {
    // More callers than places, with every job at its first part at the same time.
    let callers = SCOPED_JOBS + 4;
    let (pool, all) = (Pool::new(3), Barrier::new(callers));
    thread::scope(|scope| {
        for _ in 0..callers {
            scope.spawn(|| {
                pool.run(20, &|part| {
                    if part == 0 {
                        all.wait();
                    }
                });
            });
        }
    });
}

#[test]
fn parts_may_have_jobs() {
    let (pool, other) = (Pool::new(4), Pool::new(2));
    for _ in 0..50 {
        let sum = AtomicUsize::new(0);
        pool.run(20, &|_| {
            for executor in [&pool, &other] {
                executor.run(30, &|part| {
                    sum.fetch_add(part, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(sum.into_inner(), 20 * 2 * 435);
    }
}

#[test]
fn a_panic_reaches_the_caller_when_all_parts_have_ended() {
    let pool = Pool::new(4);
    for guilty in [0, 1, 17, 39] {
        let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let job = AssertUnwindSafe(|| {
            pool.run(40, &|part| {
                begun.fetch_add(1, Ordering::Relaxed);
                if part == guilty {
                    ended.fetch_add(1, Ordering::Relaxed);
                    // Without the message that `panic!` prints.
                    resume_unwind(Box::new(part));
                }
                thread::sleep(Duration::from_micros(100));
                ended.fetch_add(1, Ordering::Relaxed);
            });
        });
        let panic = catch_unwind(job).expect_err("carried on");
        assert_eq!(panic.downcast_ref(), Some(&guilty));
        assert_eq!(begun.into_inner(), ended.into_inner());
        assert_eq!(count(&pool, 100), vec![1; 100], "the pool goes on");
    }
    assert!(is_helped(&pool), "so do its threads");
}

#[test]
fn threads_have_names_and_stay() {
    let pool = Pool::new(2);
    let names = Mutex::new(Vec::new());
    let caller = thread::current().id();
    let all = soon(|| {
        pool.run(64, &|_| {
            if thread::current().id() != caller {
                names.lock().expect("sound").push((thread::current().id(), thread::current().name().map(String::from)));
            }
            thread::sleep(Duration::from_micros(20));
        });
        names.lock().expect("sound").len() > 200
    });
    let mut names = names.into_inner().expect("sound");
    names.dedup();
    assert!(all && names.len() == 1 && names[0].1.as_deref() == Some("broadaxe-1"), "{names:?}");
}

#[test]
fn sleeping_threads_are_woken() {
    let pool = Pool::new(3);
    for _ in 0..5 {
        assert!(is_helped(&pool));
        assert!(soon(|| pool.crew.asleep.load(Ordering::Relaxed) == pool.crew.started.load(Ordering::Relaxed)));
    }
}

#[test]
fn small_jobs_wake_nobody_until_they_are_many() {
    let pool = Pool::new(2);
    let many = WORTH_TRYING_NANOS.div_ceil(least_nanos(2, 2));
    for _ in 1..many {
        pool.run(2, &|_| {});
    }
    assert_eq!(pool.crew.started.load(Ordering::Relaxed), 0);
    pool.run(2, &|_| {});
    assert_eq!(pool.crew.started.load(Ordering::Relaxed), 1);
}

#[test]
fn few_parts_of_much_work_wake_somebody() {
    for (nanos, started) in [(WORTH_WAKING_NANOS - 1, 0), (WORTH_WAKING_NANOS, 1)] {
        let pool = Pool::new(2);
        pool.run_for(nanos, 2, &|_| {});
        assert_eq!(pool.crew.started.load(Ordering::Relaxed), started, "{nanos} ns");
        let done = AtomicUsize::new(0);
        pool.team(2).run_for(nanos, 5, &|part| {
            done.fetch_add(1 << (4 * part), Ordering::Relaxed);
        });
        assert_eq!(done.into_inner(), 0x11111);
    }
}

#[test]
fn a_refused_thread_is_done_without() {
    let pool = Pool::new(8);
    // As if the system had refused the third thread.
    pool.crew.room.store(2, Ordering::Relaxed);
    for _ in 0..50 {
        assert_eq!(count(&pool, 200), vec![1; 200]);
    }
    assert!(is_helped(&pool) && pool.crew.started.load(Ordering::Relaxed) <= 2);
}

#[test]
fn threads_end_with_their_pool() {
    let pool = Pool::new(4);
    assert!(is_helped(&pool));
    let crew = Arc::downgrade(&pool.crew);
    drop(pool);
    assert!(soon(|| crew.strong_count() == 0), "threads hold the crew");
}

/// Forks in a process where no other test starts threads: the standard library locks a mutex when a thread starts and
/// when it ends, and a child that is forked meanwhile cannot start threads.
#[cfg(unix)]
#[test]
fn a_child_process_gets_threads_of_its_own() {
    const ASK: &str = "BROADAXE_TEST_FORK";
    if std::env::var_os(ASK).is_some() {
        return fork();
    }
    let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
    alone.args(["--exact", "pool::tests::a_child_process_gets_threads_of_its_own", "--nocapture", "--test-threads=1"]);
    let output = alone.env(ASK, "").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(unix)]
fn fork() {
    use crate::run::in_child;
    let pool = Pool::new(3);
    let right = |pool: &Pool| (0..100).all(|parts| count(pool, parts) == vec![1; parts]);
    let asleep = |pool: &Pool| {
        let crew = pool.crew.here();
        soon(|| crew.asleep.load(Ordering::Relaxed) == crew.started.load(Ordering::Relaxed))
    };
    assert!(in_child(|| right(&pool) && is_helped(&pool)), "before there were threads");
    assert!(soon(|| is_helped(&pool) && pool.crew.started.load(Ordering::Relaxed) == 2) && asleep(&pool));
    assert!(in_child(|| right(&pool) && is_helped(&pool)), "threads sleep");
    assert!(is_helped(&pool));
    assert!(in_child(|| right(&pool) && is_helped(&pool)), "threads listen");
    let again = || right(&pool) && asleep(&pool) && in_child(|| right(&pool) && is_helped(&pool));
    assert!(in_child(again), "a child of a child");
    // Forked while others run jobs, whose places then stay occupied for ever.
    let (stop, begun) = (AtomicBool::new(false), Barrier::new(3));
    let safe = thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                begun.wait();
                while !stop.load(Ordering::Relaxed) {
                    pool.run(64, &|_| thread::sleep(Duration::from_micros(20)));
                }
            });
        }
        begun.wait();
        let safe = (0..20).all(|_| in_child(|| right(&pool) && is_helped(&pool)));
        stop.store(true, Ordering::Relaxed);
        safe
    });
    assert!(safe, "threads at work");
    assert!(right(&pool) && is_helped(&pool), "the parent goes on");
}
