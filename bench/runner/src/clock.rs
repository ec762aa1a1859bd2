//! The clock: seconds per call, over as many calls as make a reading worth having.

use std::time::{Duration, Instant};

/// The shortest time that one reading spans; calls that take less are repeated within it.
const SHORTEST: Duration = Duration::from_micros(60);
/// The most readings of one request.
const MOST: usize = 300;

/// Reads the clock for `budget`, and at least twice; returns seconds per call.
///
/// `calls(n)` makes n calls and says how long they took. The first one warms caches and pages and is not counted.
pub(crate) fn read(
    budget: Duration,
    mut calls: impl FnMut(u32) -> Result<Duration, String>,
) -> Result<Vec<f64>, String> {
    calls(1)?;
    let mut times = 1;
    loop {
        let took = calls(times)?;
        if took >= SHORTEST / 2 || times >= 1 << 20 {
            let wanted = SHORTEST.as_secs_f64() / took.as_secs_f64().max(1e-9);
            times = (f64::from(times) * wanted.max(1.0 / f64::from(times))).ceil() as u32;
            break;
        }
        times *= 4;
    }
    let mut seconds = Vec::new();
    let start = Instant::now();
    while seconds.len() < 2 || (seconds.len() < MOST && start.elapsed() < budget) {
        seconds.push(calls(times)?.as_secs_f64() / f64::from(times));
    }
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_calls_are_repeated_and_long_ones_are_not() {
        let cases = [(Duration::from_nanos(50), 1200), (Duration::from_micros(25), 3), (Duration::from_millis(2), 1)];
        for (call, want) in cases {
            let mut most = 0;
            let seconds = read(Duration::ZERO, |times| {
                most = most.max(times);
                Ok(call * times)
            });
            let seconds = seconds.expect("nothing fails");
            assert_eq!(seconds.len(), 2);
            assert!(seconds.iter().all(|s| (s / call.as_secs_f64() - 1.0).abs() < 1e-6), "{call:?}: {seconds:?}");
            assert!(most >= want && most <= want * 2, "{call:?}: {most} calls at once, wanted about {want}");
        }
    }
}
