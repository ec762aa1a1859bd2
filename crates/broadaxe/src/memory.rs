//! Settings of the machine: memory budget, buffer pool and threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use broadaxe_kernels::{pool::MOST_THREADS, tile};
use once_cell::race::OnceBox;

use crate::error::{Error, ErrorKind};

/// Returns three quarters of the machine's memory, or of what the container may use; `None` where the system does not say.
pub fn default_budget() -> Option<u64> {
    // The query costs more than a small evaluation.
    static BUDGET: OnceBox<Option<u64>> = OnceBox::new();
    *BUDGET.get_or_init(|| Box::new(ask_budget()))
}

fn ask_budget() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())?;
    let machine = total.saturating_mul(1024);
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    Some(machine.min(container.unwrap_or(u64::MAX)) / 4 * 3)
}

/// The bytes that are kept where the system does not say how much memory it has.
const KEPT: u64 = 256 << 20;

/// Sets how many bytes of memory that results gave back are kept for later results, before `BROADAXE_KEEP_BYTES`; 0 keeps none.
///
/// Pooled memory need not be cleared by the system again, which costs as much as most operators. Memory above the
/// limit is freed, the oldest first; memory unused for ten seconds is freed when the next large array is made or dropped.
///
/// ```
/// broadaxe::set_keep_bytes(64 << 20);
/// assert_eq!(broadaxe::keep_bytes(), Ok(64 << 20));
/// ```
pub fn set_keep_bytes(bytes: u64) {
    tile::set_pool_limit(usize::try_from(bytes).unwrap_or(usize::MAX));
}

/// Returns how many bytes may be kept: what was set, or else `BROADAXE_KEEP_BYTES` as it was at the first question, or else a sixteenth
/// of the machine's memory.
///
/// # Errors
/// [`ErrorKind::Argument`] when the variable is not a number of bytes.
pub fn keep_bytes() -> Result<u64, Error> {
    start_keeping()?;
    Ok(tile::pool_limit().unwrap_or(0) as u64)
}

/// Gives all memory that is kept for later results back to the system; returns how many bytes that was.
///
/// ```
/// broadaxe::release_memory();
/// assert_eq!(broadaxe::release_memory(), 0);
/// ```
pub fn release_memory() -> u64 {
    tile::release() as u64
}

/// Sees to it that memory is kept, as much as was said.
pub(crate) fn start_keeping() -> Result<(), Error> {
    static START: OnceBox<Result<(), Error>> = OnceBox::new();
    let start = || {
        let bytes = ask_keep(std::env::var("BROADAXE_KEEP_BYTES").ok().as_deref())?;
        tile::set_default_pool_limit(usize::try_from(bytes).unwrap_or(usize::MAX));
        Ok(())
    };
    // An explicit setting has precedence over an invalid variable.
    if tile::pool_limit().is_some() { Ok(()) } else { START.get_or_init(|| Box::new(start())).clone() }
}

fn ask_keep(variable: Option<&str>) -> Result<u64, Error> {
    match variable {
        Some(text) if !text.is_empty() => text.parse().map_err(|_| {
            let text = format!("BROADAXE_KEEP_BYTES is '{text}'; it must be a number of bytes");
            Error::new(ErrorKind::Argument, text)
        }),
        // The budget is three quarters.
        _ => Ok(default_budget().map_or(KEPT, |budget| budget / 12)),
    }
}

/// The number of threads that was set; 0 for none.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Sets the number of threads of evaluations that do not say theirs, before `BROADAXE_NUM_THREADS`; 0 resets it.
///
/// ```
/// broadaxe::set_num_threads(1);
/// assert_eq!(broadaxe::num_threads(), Ok(1));
/// broadaxe::set_num_threads(0);
/// ```
pub fn set_num_threads(threads: usize) {
    THREADS.store(threads.min(MOST_THREADS), Ordering::Relaxed);
}

/// Returns the number of threads of evaluations that do not say theirs: what was set, or else `BROADAXE_NUM_THREADS` as it was at the
/// first question, or else one per CPU that this process may use.
///
/// # Errors
/// [`ErrorKind::Argument`] when the variable is not a number of threads.
pub fn num_threads() -> Result<usize, Error> {
    static START: OnceBox<Result<usize, Error>> = OnceBox::new();
    match THREADS.load(Ordering::Relaxed) {
        0 => {
            let ask = || ask_threads(std::env::var("BROADAXE_NUM_THREADS").ok().as_deref());
            START.get_or_init(|| Box::new(ask())).clone()
        }
        threads => Ok(threads),
    }
}

fn ask_threads(variable: Option<&str>) -> Result<usize, Error> {
    match variable {
        Some(text) if !text.is_empty() => {
            text.parse().ok().filter(|n| (1..=MOST_THREADS).contains(n)).ok_or_else(|| {
                Error::new(
                    ErrorKind::Argument,
                    format!("BROADAXE_NUM_THREADS is '{text}'; it must be a number from 1 to {MOST_THREADS}"),
                )
            })
        }
        _ => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// Writes a count of bytes with three digits: `1.50 GiB`.
pub(crate) fn human(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if unit == 0 || value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_is_a_number_of_threads() {
        let cpus = ask_threads(None).expect("a number");
        assert!(cpus >= 1 && ask_threads(Some("")) == Ok(cpus));
        assert_eq!((ask_threads(Some("1")), ask_threads(Some("1024"))), (Ok(1), Ok(1024)));
        for text in ["0", "1025", "-1", "two", "2 "] {
            let error = ask_threads(Some(text)).expect_err("refused");
            assert!(error.to_string().contains(&format!("'{text}'; it must be a number from 1 to 1024")), "{error}");
        }
    }

    #[test]
    fn the_variable_is_a_number_of_bytes() {
        assert_eq!((ask_keep(Some("0")), ask_keep(Some("1073741824"))), (Ok(0), Ok(1 << 30)));
        assert_eq!(ask_keep(Some("")), ask_keep(None));
        for text in ["-1", "1 GiB", "1e9", "18446744073709551616"] {
            let error = ask_keep(Some(text)).expect_err("refused");
            assert!(error.to_string().contains(&format!("'{text}'; it must be a number of bytes")), "{error}");
        }
    }

    #[test]
    fn bytes_for_people() {
        let cases = [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1536, "1.50 KiB"),
            (80_000_000_000, "74.5 GiB"),
            (u64::MAX, "16.0 EiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(human(bytes), text);
        }
    }
}
