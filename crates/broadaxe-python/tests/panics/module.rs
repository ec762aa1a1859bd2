//! A module for one test: work that panics, through the package's own way into the engine. No part of the package.

#![allow(dead_code)] // The package uses the rest.

#[path = "../../src/error.rs"]
mod error;

#[path = "../../src/once.rs"]
mod once;

#[path = "../../src/array.rs"]
mod array;

#[path = "../../src/watch.rs"]
mod watch;

use broadaxe_kernels::{Executor, Pool};
use pyo3::prelude::*;

/// An estimate above which another thread does the work, in nanoseconds.
const LONG: u64 = 1_000_000_000;

#[pymodule]
mod broadaxe_panics {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{Executor, LONG, Pool, PyResult, Python, error, pyfunction, watch};

    /// Panics where a call is answered.
    #[pyfunction]
    fn in_the_call(_threads: usize) -> PyResult<()> {
        error::caught(|| panic!("it was meant to be"))
    }

    /// Panics in work that a thread of its own does.
    #[pyfunction]
    fn in_work(py: Python<'_>, _threads: usize) -> PyResult<()> {
        error::caught(|| watch::run(py, LONG, |_| panic!("it was meant to be")))
    }

    /// Panics in one of the parts that threads of the pool share.
    #[pyfunction]
    fn on_the_pool(py: Python<'_>, threads: usize) -> PyResult<()> {
        let work = || Pool::global().team(threads).run(100, &|part| assert!(part != 50, "it was meant to be"));
        error::caught(|| watch::run(py, LONG, |_| work()))
    }

    /// Adds the numbers below `count`, each as a part of a job.
    #[pyfunction]
    fn sum(py: Python<'_>, threads: usize, count: usize) -> PyResult<usize> {
        let sum = AtomicUsize::new(0);
        let add = |part| {
            sum.fetch_add(part, Ordering::Relaxed);
        };
        error::caught(|| watch::run(py, LONG, |_| Pool::global().team(threads).run(count, &add)))?;
        Ok(sum.into_inner())
    }
}
