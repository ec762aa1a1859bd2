//! What this machine has: memory for a budget, CPUs for threads.

use std::sync::OnceLock;

use crate::error::{Error, ErrorKind};

/// Returns three quarters of the machine's memory, or of what the container may use; `None` where the system does not say.
pub(crate) fn default_budget() -> Option<u64> {
    // Asking takes longer than a small evaluation.
    static BUDGET: OnceLock<Option<u64>> = OnceLock::new();
    *BUDGET.get_or_init(ask_budget)
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

/// Returns `BROADAXE_NUM_THREADS`, or else the number of CPUs this process may use.
///
/// # Errors
/// [`ErrorKind::Argument`] when the variable is not a number of threads.
pub(crate) fn default_threads() -> Result<usize, Error> {
    match std::env::var("BROADAXE_NUM_THREADS") {
        Ok(text) if !text.is_empty() => text.parse().ok().filter(|&n| (1..=1024).contains(&n)).ok_or_else(|| {
            Error::new(
                ErrorKind::Argument,
                format!("BROADAXE_NUM_THREADS is '{text}'; it must be a number from 1 to 1024"),
            )
        }),
        _ => {
            static CPUS: OnceLock<usize> = OnceLock::new();
            Ok(*CPUS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from)))
        }
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
