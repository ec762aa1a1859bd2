//! Summarises the readings of one workload, during a run and in a record.

use serde::Serialize;

use super::{OWN, table::Workload};

/// The name of the traffic among engines.
pub(super) const TRAFFIC: &str = "traffic";
/// The shortest work that several threads are expected to share, in microseconds.
const SHARED: f64 = 20.0;
/// Holds the readings of one engine in one mode.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Readings {
    pub(super) engine: String,
    pub(super) mode: String,
    pub(super) threads: usize,
    /// Seconds per call, from all rounds.
    pub(super) seconds: Vec<f64>,
    /// What comparing its result with NumPy's said.
    pub(super) check: String,
}

/// Holds what the readings of one engine in one mode come to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Series {
    pub(super) engine: String,
    pub(super) mode: String,
    pub(super) min_us: f64,
    pub(super) median_us: f64,
    pub(super) readings: usize,
    pub(super) check: String,
}

/// Holds all series of one workload at one thread count.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Figures {
    pub(super) workload: String,
    pub(super) threads: usize,
    /// The limit that the table of workloads gives, for one thread; 0 for none.
    pub(super) known_us: f64,
    pub(super) series: Vec<Series>,
    /// Who did not take part, and why.
    pub(super) skipped: Vec<(String, String)>,
}

impl Readings {
    fn summary(&self) -> Option<Series> {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let rounded = |seconds: f64| (seconds * 1e10).round() / 1e4;
        Some(Series {
            engine: self.engine.clone(),
            mode: self.mode.clone(),
            min_us: rounded(*sorted.first()?),
            median_us: rounded(sorted[sorted.len() / 2]),
            readings: sorted.len(),
            check: self.check.clone(),
        })
    }
}

impl Series {
    fn is_wrong(&self) -> bool {
        self.check.starts_with("wrong")
    }
}

impl Figures {
    /// Sums up the readings of a workload at one thread count.
    pub(super) fn new(
        workload: &Workload,
        threads: usize,
        readings: &[Readings],
        skipped: Vec<(String, String)>,
    ) -> Self {
        let series = readings.iter().filter(|series| series.threads == threads).filter_map(Readings::summary).collect();
        Self { workload: workload.name.clone(), threads, known_us: workload.limit, series, skipped }
    }

    /// Says whether Broadaxe's result differs from NumPy's.
    pub(super) fn own_is_wrong(&self) -> bool {
        self.series.iter().any(|series| series.engine == OWN && series.is_wrong())
    }

    /// Returns the series of an engine in a mode.
    pub(super) fn series(&self, engine: &str, mode: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.engine == engine && series.mode == mode)
    }

    /// Returns Broadaxe's series in a mode.
    pub(super) fn own(&self, mode: &str) -> Option<&Series> {
        self.series(OWN, mode)
    }

    /// Returns the fastest way in which the bytes were moved in the same run.
    pub(super) fn traffic(&self) -> Option<&Series> {
        let traffic = self.series.iter().filter(|series| series.engine == TRAFFIC);
        traffic.min_by(|a, b| a.min_us.total_cmp(&b.min_us))
    }

    /// Returns what the best kernel known would need with this many threads, in microseconds, if one is known.
    ///
    /// Threads share it where it is long enough to be shared.
    pub(super) fn known(&self) -> Option<f64> {
        let threads = if self.known_us < SHARED { 1 } else { self.threads };
        (self.known_us > 0.0).then(|| self.known_us / threads as f64)
    }

    /// Returns the limit: the traffic or the best kernel known, whichever is slower, in microseconds.
    ///
    /// The traffic is no limit where arithmetic is slower than memory, and the other none where the machine is slower
    /// than the one it was measured on.
    pub(super) fn limit(&self) -> Option<f64> {
        let traffic = self.traffic().map(|series| series.min_us);
        traffic.into_iter().chain(self.known()).reduce(f64::max)
    }

    /// Returns the series of peers in a mode, the fastest first.
    pub(super) fn peers(&self, mode: &str) -> Vec<&Series> {
        // The levels of Broadaxe are called after it.
        let other = |name: &str| name != TRAFFIC && !name.starts_with(OWN);
        let peer = |series: &&Series| other(&series.engine) && series.mode == mode;
        let mut peers: Vec<&Series> = self.series.iter().filter(peer).collect();
        peers.sort_by(|a, b| a.min_us.total_cmp(&b.min_us));
        peers
    }

    /// Returns the line of the printed table; [`HEADING`] names its columns.
    pub(super) fn line(&self, mode: &str) -> String {
        let Some(own) = self.own(mode) else {
            let why = self.skipped.first().map_or("no readings", |(_, why)| why);
            return format!("{:12} {} {mode:9} {why}", self.workload, self.threads);
        };
        let times = |of: Option<f64>| of.map_or_else(|| "-".to_owned(), |of| format!("{:.2}", own.min_us / of));
        let limit = |of: f64| move |series: &Series| format!("{:.2}", series.min_us / of);
        let peers = self.peers(if mode == "unplanned" { "none" } else { mode }).into_iter().map(|peer| {
            let wrong = if peer.is_wrong() { " (wrong)" } else { "" };
            format!("{} {}{wrong}", peer.engine, self.limit().map_or_else(|| "-".to_owned(), |of| limit(of)(peer)))
        });
        format!(
            "{:12} {} {mode:9} {:>10.3} {:>10.3} {:>7} {:>7} {:>7}  {:10} {}",
            self.workload,
            self.threads,
            own.min_us,
            own.median_us,
            times(self.limit()),
            times(self.traffic().map(|series| series.min_us)),
            times(self.known()),
            own.check,
            peers.collect::<Vec<_>>().join(", "),
        )
    }
}

/// Names the columns of [`Figures::line`].
pub(super) const HEADING: &str = concat!(
    "workload     T mode          min us  median us  xlimit xtraffic xknown  check      ",
    "peers, by minima, x limit"
);

/// Makes figures for tests: engine, mode and microseconds of each series.
#[cfg(test)]
pub(super) fn made(workload: &str, threads: usize, known_us: f64, times: &[(&str, &str, f64)]) -> Figures {
    let series = |&(engine, mode, min_us): &(&str, &str, f64)| Series {
        engine: engine.to_owned(),
        mode: mode.to_owned(),
        min_us,
        median_us: min_us * 2.0,
        readings: 3,
        check: if engine == "liar" { "wrong: all".to_owned() } else { "exact".to_owned() },
    };
    let series = times.iter().map(series).collect();
    Figures { workload: workload.to_owned(), threads, known_us, series, skipped: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_are_summed_up() {
        let readings = |seconds: &[f64]| Readings {
            engine: OWN.to_owned(),
            mode: "out".to_owned(),
            threads: 1,
            seconds: seconds.to_vec(),
            check: String::new(),
        };
        let series = readings(&[9e-6, 2e-6, 3e-6]).summary().expect("three readings");
        assert_eq!((series.min_us, series.median_us, series.readings), (2.0, 3.0, 3));
        assert_eq!(readings(&[]).summary(), None);
    }

    #[test]
    fn the_limit_is_what_takes_longer() {
        let traffic = [("traffic", "ordinary", 3.0), ("traffic", "long", 2.0)];
        let cases = [(1, 0.0, 2.0), (1, 5.0, 5.0), (2, 5.0, 5.0), (2, 50.0, 25.0), (2, 1.0, 2.0)];
        for (threads, known, want) in cases {
            assert_eq!(made("w", threads, known, &traffic).limit(), Some(want), "{threads} threads, {known}");
        }
        assert_eq!(made("w", 1, 0.0, &[]).limit(), None);
        assert_eq!(made("w", 1, 7.0, &[]).limit(), Some(7.0));
    }

    #[test]
    fn lines_hold_what_the_heading_names() {
        let times = [
            ("broadaxe", "out", 2.0),
            ("traffic", "long", 1.0),
            ("slow", "out", 8.0),
            ("liar", "out", 4.0),
            ("quick", "fresh", 1.0),
        ];
        let mut figures = made("add", 1, 1.6, &times);
        figures.skipped.push(("other".to_owned(), "no such operator".to_owned()));
        let line = figures.line("out");
        let words: Vec<&str> = line.split_whitespace().collect();
        let want = [
            "add", "1", "out", "2.000", "4.000", "1.25", "2.00", "1.25", "exact", "liar", "2.50", "(wrong),", "slow",
            "5.00",
        ];
        assert_eq!(words, want);
        assert!(figures.line("fresh").ends_with("no such operator"));
    }
}
