//! Figures: what the readings of one workload come to.

use serde_json::{Map, Value, json};

use super::table::Workload;

/// Holds the readings of one engine in one mode.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Series {
    pub(super) engine: String,
    pub(super) mode: String,
    /// Seconds per call, from all rounds.
    pub(super) seconds: Vec<f64>,
    /// What comparing its result with NumPy's said.
    pub(super) check: String,
}

/// Holds all series of one workload at one thread count.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figures {
    pub(super) workload: String,
    pub(super) threads: usize,
    /// The limit that the table of workloads gives, in seconds.
    pub(super) known: f64,
    pub(super) series: Vec<Series>,
    /// Who did not take part, and why.
    pub(super) skipped: Vec<(String, String)>,
}

impl Series {
    /// Returns the shortest reading.
    pub(super) fn least(&self) -> f64 {
        self.seconds.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns the middle reading.
    pub(super) fn median(&self) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::INFINITY)
    }
}

impl Figures {
    /// Returns the figures of a workload before any reading.
    pub(super) fn new(workload: &Workload, threads: usize) -> Self {
        let known = workload.limit * 1e-6;
        Self { workload: workload.name.clone(), threads, known, series: Vec::new(), skipped: Vec::new() }
    }

    /// Says whether Broadaxe's result differs from NumPy's.
    pub(super) fn own_is_wrong(&self) -> bool {
        self.series.iter().any(|series| series.engine == super::OWN && series.check.starts_with("wrong"))
    }

    /// Returns the series of an engine in a mode.
    pub(super) fn series(&self, engine: &str, mode: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.engine == engine && series.mode == mode && !series.seconds.is_empty())
    }

    /// Returns the limit measured in the same run.
    pub(super) fn limit(&self) -> Option<&Series> {
        self.series(super::OWN, "limit")
    }

    /// Returns the series of peers in a mode, the fastest first.
    pub(super) fn peers(&self, mode: &str) -> Vec<&Series> {
        let own = |series: &&Series| series.engine != super::OWN && series.mode == mode && !series.seconds.is_empty();
        let mut peers: Vec<&Series> = self.series.iter().filter(own).collect();
        peers.sort_by(|a, b| a.least().total_cmp(&b.least()));
        peers
    }

    /// Returns how many times the limit a series takes: by minima, and by medians.
    pub(super) fn ratios(&self, series: &Series) -> Option<(f64, f64)> {
        self.limit().map(|limit| (series.least() / limit.least(), series.median() / limit.median()))
    }

    /// Returns the figures as the record holds them, in microseconds.
    pub(super) fn record(&self) -> Value {
        let rounded = |value: f64| (value * 1e4).round() / 1e4;
        let series = |series: &Series| {
            let mut entry = Map::new();
            entry.insert("engine".to_owned(), json!(series.engine));
            entry.insert("mode".to_owned(), json!(series.mode));
            entry.insert("min_us".to_owned(), json!(rounded(series.least() * 1e6)));
            entry.insert("median_us".to_owned(), json!(rounded(series.median() * 1e6)));
            entry.insert("readings".to_owned(), json!(series.seconds.len()));
            if let Some((least, median)) = self.ratios(series) {
                entry.insert("min_to_limit".to_owned(), json!(rounded(least)));
                entry.insert("median_to_limit".to_owned(), json!(rounded(median)));
            }
            entry.insert("check".to_owned(), json!(series.check));
            Value::Object(entry)
        };
        let skipped: Map<String, Value> = self.skipped.iter().map(|(who, why)| (who.clone(), json!(why))).collect();
        json!({
            "workload": self.workload,
            "threads": self.threads,
            "known_limit_us": rounded(self.known * 1e6),
            "series": self.series.iter().filter(|s| !s.seconds.is_empty()).map(series).collect::<Vec<_>>(),
            "skipped": skipped,
        })
    }

    /// Returns the line of the printed table; [`HEADING`] names its columns.
    pub(super) fn line(&self, mode: &str) -> String {
        let Some(own) = self.series(super::OWN, mode) else {
            let why = self.skipped.first().map_or("no readings", |(_, why)| why);
            return format!("{:12} {} {mode:9} {why}", self.workload, self.threads);
        };
        let times = |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        let ratios = self.ratios(own);
        let known = (self.known > 0.0 && self.threads == 1 && mode == "out").then(|| own.least() / self.known);
        let peers = self.peers(if mode == "unplanned" { "none" } else { mode });
        let peers: Vec<String> = peers
            .iter()
            .map(|peer| {
                let wrong = if peer.check.starts_with("wrong") { " (wrong)" } else { "" };
                format!("{} {}{wrong}", peer.engine, times(self.ratios(peer).map(|(least, _)| least)))
            })
            .collect();
        format!(
            "{:12} {} {mode:9} {:>10.2} {:>10.2} {:>7} {:>7} {:>7}  {:10} {}",
            self.workload,
            self.threads,
            own.least() * 1e6,
            own.median() * 1e6,
            times(ratios.map(|(least, _)| least)),
            times(ratios.map(|(_, median)| median)),
            times(known),
            own.check,
            peers.join(", "),
        )
    }
}

/// Names the columns of [`Figures::line`].
pub(super) const HEADING: &str = concat!(
    "workload     T mode          min us  median us  xlimit  median  xknown  check      ",
    "peers, by minima, x limit"
);

#[cfg(test)]
mod tests {
    use super::*;

    fn series(engine: &str, mode: &str, seconds: &[f64]) -> Series {
        let (engine, mode) = (engine.to_owned(), mode.to_owned());
        Series { engine, mode, seconds: seconds.to_vec(), check: "exact".to_owned() }
    }

    fn figures() -> Figures {
        Figures {
            workload: "add".to_owned(),
            threads: 1,
            known: 1e-6,
            series: vec![
                series("broadaxe", "out", &[3e-6, 2e-6, 9e-6]),
                series("broadaxe", "limit", &[1e-6, 2e-6]),
                series("slow", "out", &[8e-6]),
                series("quick", "out", &[4e-6]),
                series("quick", "fresh", &[1e-6]),
                series("mute", "out", &[]),
            ],
            skipped: vec![("other".to_owned(), "no such operator".to_owned())],
        }
    }

    #[test]
    fn ratios_are_of_minima_and_of_medians() {
        let figures = figures();
        let ratios = figures.ratios(figures.series("broadaxe", "out").expect("there")).expect("a limit");
        assert!((ratios.0 - 2.0).abs() < 1e-9 && (ratios.1 - 1.5).abs() < 1e-9, "{ratios:?}");
        let peers: Vec<&str> = figures.peers("out").iter().map(|peer| peer.engine.as_str()).collect();
        assert_eq!(peers, ["quick", "slow"]);
    }

    #[test]
    fn lines_hold_what_the_heading_names() {
        let line = figures().line("out");
        let words: Vec<&str> = line.split_whitespace().collect();
        let want =
            ["add", "1", "out", "2.00", "3.00", "2.00", "1.50", "2.00", "exact", "quick", "4.00,", "slow", "8.00"];
        assert_eq!(words, want);
        assert!(figures().line("fresh").ends_with("no such operator"));
    }

    #[test]
    fn records_hold_every_series_with_readings() {
        let record = figures().record();
        assert_eq!(record["series"].as_array().map(Vec::len), Some(5));
        assert_eq!(record["series"][0]["min_us"], 2.0);
        assert_eq!(record["series"][0]["min_to_limit"], 2.0);
        assert_eq!(record["skipped"]["other"], "no such operator");
    }
}
