//! Times the workloads: all engines in turn, round by round.
//!
//! Every engine is a process of its own and answers the same requests. They work one at a time, in another order every
//! round, so that what else the machine does falls on all of them alike; what counts are ratios within one run, of minima
//! first, since a minimum is the reading with the least of that noise. What moving the bytes costs is measured in the same rounds.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread::sleep,
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    OWN,
    engine::{Engine, Role},
    figure::{Figures, Readings, TRAFFIC},
    table::Workload,
};

/// The ways of moving bytes.
pub(super) const WAYS: [&str; 3] = ["ordinary", "streaming", "long"];
/// Planning is timed too where every operand has fewer elements than this.
const SMALL: u64 = 1 << 12;
/// Fresh results are timed too from this many bytes.
const LARGE: u64 = 64 << 20;
/// How long the machine rests between two readings.
const PAUSE: Duration = Duration::from_millis(2);
/// What the C library is told for the limit: store past the caches early, and take huge pages for large memory.
const C_LIBRARY: &str = "glibc.cpu.x86_non_temporal_threshold=0x8000:glibc.malloc.hugetlb=1";

/// Holds where the programs of the repository are.
pub(super) struct Programs {
    pub(super) runner: PathBuf,
    pub(super) limit: PathBuf,
}

impl Programs {
    /// Starts Broadaxe and the limit.
    pub(super) fn start(&self) -> Result<[Engine; 2], String> {
        let own = Engine::start(OWN, Role::Own, &mut Command::new(&self.runner), 1)?;
        let limit =
            Engine::start(TRAFFIC, Role::Traffic, Command::new(&self.limit).env("GLIBC_TUNABLES", C_LIBRARY), 1)?;
        Ok([own, limit])
    }
}

/// Says how readings are taken.
pub(super) struct Manner<'a> {
    /// The thread counts.
    pub(super) threads: &'a [usize],
    pub(super) rounds: usize,
    /// The seconds that an engine has in each round.
    pub(super) seconds: f64,
    /// Whether all workloads are timed with fresh results too, not the large ones alone.
    pub(super) fresh: bool,
    /// A folder for operands and results.
    pub(super) folder: &'a Path,
    /// Whether results are compared with the reference.
    pub(super) checks: bool,
    /// How often as long as Broadaxe a peer may need in its first readings, to be read again.
    pub(super) patience: f64,
}

/// Times one workload on all engines: Broadaxe, the limit, and then the peers; returns figures for every thread count.
pub(super) fn measure(workload: &Workload, engines: &mut [Engine], manner: &Manner) -> Result<Vec<Figures>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", manner.folder.display());
    fs::create_dir_all(manner.folder).map_err(failed)?;
    let mut skipped = Vec::new();
    let Loaded { engines: loaded, modes } = load(workload, engines, manner, &mut skipped);
    let checks = if manner.checks {
        check(engines, &loaded, manner, &mut skipped)
    } else {
        vec!["unchecked".to_owned(); engines.len()]
    };
    let mut series = Vec::new();
    for (&at, &threads) in loaded.iter().flat_map(|at| manner.threads.iter().map(move |threads| (at, threads))) {
        let ready = |mode: &&str| Readings {
            engine: engines[at].name.clone(),
            mode: (*mode).to_owned(),
            threads,
            seconds: Vec::new(),
            check: checks[at].clone(),
        };
        if engines[at].role == Role::Traffic {
            series.extend(WAYS.iter().map(ready));
        } else {
            let fits = |mode: &&&str| match engines[at].role {
                Role::Own => true,
                Role::Level => **mode == "out",
                Role::Traffic | Role::Peer => **mode != "unplanned",
            };
            series.extend(modes.iter().filter(fits).map(ready));
        }
    }
    readings(engines, &mut series, manner, &mut skipped);
    for &at in &loaded {
        // An engine that is gone is reported by its next workload.
        let _ = engines[at].ask(&json!({ "do": "drop" }));
    }
    fs::remove_dir_all(manner.folder).map_err(failed)?;
    let figures = |&threads: &usize| Figures::new(workload, threads, &series, skipped.clone());
    Ok(manner.threads.iter().map(figures).collect())
}

/// Holds which engines hold the workload, and in which modes it is timed.
struct Loaded {
    engines: Vec<usize>,
    modes: Vec<&'static str>,
}

/// Loads the workload everywhere; Broadaxe is the first, saves what peers read, and says how many bytes there are.
fn load(workload: &Workload, engines: &mut [Engine], manner: &Manner, skipped: &mut Vec<(String, String)>) -> Loaded {
    // Only peers read the operands from files.
    let save =
        engines.iter().any(|engine| engine.role == Role::Peer).then(|| manner.folder.to_string_lossy().into_owned());
    let request = workload.request(save.as_deref());
    let mut loaded = Loaded { engines: Vec::new(), modes: vec!["out"] };
    if workload.elements() < SMALL {
        loaded.modes.push("unplanned");
    }
    let mut bytes = Value::Null;
    for (at, engine) in engines.iter_mut().enumerate() {
        let traffic = json!({ "do": "load", "reads": bytes["reads"], "write": bytes["write"] });
        match engine.ask(if engine.role == Role::Traffic { &traffic } else { &request }) {
            Ok(answer) => {
                loaded.engines.push(at);
                if at == 0 {
                    bytes = answer;
                }
            }
            Err(why) => skipped.push((engine.name.clone(), why)),
        }
    }
    if manner.fresh || bytes["write"].as_u64().is_some_and(|bytes| bytes >= LARGE) {
        loaded.modes.push("fresh");
    }
    loaded
}

/// Compares results with NumPy's, if a peer is installed; returns a word for each engine.
fn check(
    engines: &mut [Engine],
    loaded: &[usize],
    manner: &Manner,
    skipped: &mut Vec<(String, String)>,
) -> Vec<String> {
    let mut checks = vec!["unchecked".to_owned(); engines.len()];
    let said =
        |answer: Result<Value, String>| answer.map(|answer| answer["check"].as_str().unwrap_or("no answer").to_owned());
    for &at in loaded {
        let name = engines[at].name.clone();
        let answer = if at == 0 {
            let Some(&judge) = loaded.iter().find(|&&other| engines[other].role == Role::Peer) else { continue };
            let path = manner.folder.join("result");
            let written = engines[0].ask(&json!({ "do": "result", "path": path }));
            written.and_then(|_| said(engines[judge].ask(&json!({ "do": "compare", "path": path }))))
        } else if engines[at].role != Role::Peer {
            continue;
        } else {
            said(engines[at].ask(&json!({ "do": "check" })))
        };
        match answer {
            Ok(word) => checks[at] = word,
            Err(why) => skipped.push((name, why)),
        }
    }
    checks
}

/// Returns the least of some readings; 0 if there is none.
fn least(seconds: &[f64]) -> f64 {
    seconds.iter().copied().reduce(f64::min).unwrap_or(0.0)
}

/// Times all series, round by round, each round in another order.
fn readings(engines: &mut [Engine], series: &mut [Readings], manner: &Manner, skipped: &mut Vec<(String, String)>) {
    for round in 0..manner.rounds {
        let count = series.len();
        let of_own = |series: &&Readings| series.engine == OWN && series.mode == "out";
        let own = series.iter().filter(of_own).map(|series| least(&series.seconds)).fold(f64::INFINITY, f64::min);
        for turn in 0..count {
            // Start elsewhere every round, and go backwards every other.
            let turn = if round % 2 == 0 { turn } else { count - 1 - turn };
            let series = &mut series[(turn + round) % count];
            let Some(engine) = engines.iter_mut().find(|engine| engine.name == series.engine) else { continue };
            if engine.role == Role::Peer && least(&series.seconds) > manner.patience * own {
                continue;
            }
            // What a peer's threads wait for, turning, is over by then.
            if turn > 0 {
                sleep(PAUSE);
            }
            // There are several ways of moving bytes, and together they have the time of one engine.
            let share = if series.engine == TRAFFIC { WAYS.len() as f64 } else { 1.0 };
            match engine.read(manner.seconds / share, &series.mode, series.threads) {
                Ok(more) => series.seconds.extend(more),
                Err(why) if round == 0 => {
                    skipped.push((format!("{} {} {}", series.engine, series.mode, series.threads), why));
                }
                Err(_) => {}
            }
        }
    }
}
