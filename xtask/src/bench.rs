//! Times Broadaxe, the limit of the machine and the peers that are installed, on the workloads of `bench/`.
//!
//! Every engine is a process of its own and answers the same requests. They work one at a time, in another order every
//! round, so that what else the machine does falls on all of them alike; what counts are ratios within one run, of minima
//! first, since a minimum is the reading with the least of that noise. The limit is measured in the runner, in the same rounds
//! and over the same memory.

mod table;

mod engine;

mod figure;

mod chart;

mod record;

mod peers;

mod gate;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

use engine::Engine;
use figure::{Figures, HEADING, Series};
use table::Workload;

/// The name under which Broadaxe stands among engines.
const OWN: &str = "broadaxe";
/// Planning is timed too where every operand has fewer elements than this.
const SMALL: u64 = 1 << 12;

pub(crate) const USAGE: &str =
    "[--only W,..] [--threads 1,2] [--peers P,..] [--fresh] [--quick] [--record] | --gate | --gate-record";

/// Holds what was asked for.
#[derive(Debug, Default, PartialEq)]
struct Wishes {
    only: Vec<String>,
    threads: Vec<usize>,
    peers: Vec<String>,
    fresh: bool,
    quick: bool,
    record: bool,
    work: Work,
}

/// Says what is done with the runner.
#[derive(Debug, Default, PartialEq)]
enum Work {
    /// The workloads are timed.
    #[default]
    Time,
    /// Instructions are compared with the recorded ones.
    Gate,
    /// Instructions are recorded.
    GateRecord,
}

impl Wishes {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut wishes = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut list = || -> Result<Vec<String>, String> {
                let text = words.next().ok_or_else(|| format!("{word} takes a list, apart by commas"))?;
                Ok(text.split(',').map(str::to_owned).collect())
            };
            match word.as_str() {
                "--only" => wishes.only = list()?,
                "--threads" => {
                    let count = |text: String| text.parse().ok().filter(|&count: &usize| count > 0);
                    let counts = list()?.into_iter().map(count).collect::<Option<_>>();
                    wishes.threads = counts.ok_or("--threads takes numbers from 1, apart by commas")?;
                }
                "--peers" => wishes.peers = list()?,
                "--fresh" => wishes.fresh = true,
                "--quick" => wishes.quick = true,
                "--record" => wishes.record = true,
                "--gate" => wishes.work = Work::Gate,
                "--gate-record" => wishes.work = Work::GateRecord,
                other => return Err(format!("bench does not take {other}; it takes {USAGE}")),
            }
        }
        if wishes.threads.is_empty() {
            wishes.threads = vec![1, 2];
        }
        peers::known(&wishes.peers)?;
        Ok(wishes)
    }

    /// Returns how many rounds there are, and how long an engine has in each.
    fn rounds(&self) -> (usize, f64) {
        if self.quick { (2, 0.03) } else { (7, 0.08) }
    }

    /// Returns the modes that one workload is run in, the limit not among them.
    fn modes(&self, workload: &Workload) -> Vec<&'static str> {
        let mut modes = vec!["out"];
        if self.fresh {
            modes.push("fresh");
        }
        if workload.elements() < SMALL {
            modes.push("unplanned");
        }
        modes
    }
}

/// Runs the task.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let wishes = Wishes::read(words)?;
    let runner = build(root)?;
    if wishes.work != Work::Time {
        return gate::run(root, &runner, wishes.work == Work::GateRecord);
    }
    let path = root.join("bench/workloads.txt");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let workloads = table::parse(&text).map_err(|why| format!("bench/workloads.txt: {why}"))?;
    let workloads = table::only(workloads, &wishes.only)?;
    let python = if wishes.peers.is_empty() { None } else { Some(peers::install(root, &wishes.peers)?) };
    let mut all = Vec::new();
    println!("{HEADING}");
    for &threads in &wishes.threads {
        let mut engines = vec![Engine::start(OWN, Command::new(&runner).arg(threads.to_string()), threads)?];
        for peer in &wishes.peers {
            if let Some(python) = &python {
                engines.push(Engine::start(peer, &mut peers::command(root, python, peer, threads), threads)?);
            }
        }
        for workload in &workloads {
            let figures = measure(root, workload, &mut engines, threads, &wishes)?;
            for mode in wishes.modes(workload) {
                println!("{}", figures.line(mode));
            }
            all.push(figures);
        }
    }
    if wishes.record {
        record::write(root, &all, wishes.quick)?;
    }
    let wrong: Vec<&str> = all.iter().filter(|figures| figures.own_is_wrong()).map(|f| f.workload.as_str()).collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("Broadaxe differs from NumPy in {}", wrong.join(" "))) }
}

/// Builds the runner as it would be released, and returns where it is.
fn build(root: &Path) -> Result<PathBuf, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let words = ["build", "--release", "--quiet", "-p", "broadaxe-bench"];
    let status = Command::new(cargo).args(words).current_dir(root).status();
    if !status.map_err(|error| format!("cargo cannot be started: {error}"))?.success() {
        return Err("the runner does not build".to_owned());
    }
    Ok(target(root).join("release").join(format!("broadaxe-bench{}", env::consts::EXE_SUFFIX)))
}

/// Returns the folder that builds go to.
fn target(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// Runs one workload on all engines.
fn measure(
    root: &Path,
    workload: &Workload,
    engines: &mut [Engine],
    threads: usize,
    wishes: &Wishes,
) -> Result<Figures, String> {
    let folder = target(root).join("bench-data");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // Only peers read the operands from files.
    let save = (engines.len() > 1).then(|| folder.to_string_lossy().into_owned());
    let mut figures = Figures::new(workload, threads);
    let request = workload.request(save.as_deref());
    let mut loaded = Vec::new();
    for (at, engine) in engines.iter_mut().enumerate() {
        match engine.ask(&request) {
            Ok(_) => loaded.push(at),
            Err(why) => figures.skipped.push((engine.name.clone(), why)),
        }
    }
    let checks = check(&folder, engines, &loaded, &mut figures);
    for &at in &loaded {
        let mut modes = if at == 0 { vec!["limit"] } else { Vec::new() };
        modes.extend(wishes.modes(workload).into_iter().filter(|&mode| at == 0 || mode != "unplanned"));
        for mode in modes {
            let (engine, mode) = (engines[at].name.clone(), mode.to_owned());
            let check = if mode == "limit" { String::new() } else { checks[at].clone() };
            figures.series.push(Series { engine, mode, seconds: Vec::new(), check });
        }
    }
    readings(engines, &mut figures, wishes.rounds());
    for &at in &loaded {
        // An engine that is gone is reported by its next workload.
        let _ = engines[at].ask(&json!({ "do": "drop" }));
    }
    fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(figures)
}

/// Compares every loaded engine's result with NumPy's, if any peer is there to ask; returns a word for each engine.
fn check(folder: &Path, engines: &mut [Engine], loaded: &[usize], figures: &mut Figures) -> Vec<String> {
    let mut checks = vec!["unchecked".to_owned(); engines.len()];
    let said = |answer: Result<serde_json::Value, String>| {
        answer.map(|answer| answer["check"].as_str().unwrap_or("no answer").to_owned())
    };
    for &at in loaded {
        let answer = if at == 0 {
            let Some(&judge) = loaded.iter().find(|&&other| other > 0) else { continue };
            let path = folder.join("result");
            let written = engines[0].ask(&json!({ "do": "result", "path": path }));
            written.and_then(|_| said(engines[judge].ask(&json!({ "do": "compare", "path": path }))))
        } else {
            said(engines[at].ask(&json!({ "do": "check" })))
        };
        match answer {
            Ok(word) => checks[at] = word,
            Err(why) => figures.skipped.push((engines[at].name.clone(), why)),
        }
    }
    checks
}

/// Takes the readings of all series, round by round, each round in another order.
fn readings(engines: &mut [Engine], figures: &mut Figures, (rounds, seconds): (usize, f64)) {
    for round in 0..rounds {
        let count = figures.series.len();
        for turn in 0..count {
            // Start elsewhere every round, and go backwards every other.
            let turn = if round % 2 == 0 { turn } else { count - 1 - turn };
            let series = &mut figures.series[(turn + round) % count];
            let Some(engine) = engines.iter_mut().find(|engine| engine.name == series.engine) else { continue };
            match engine.read(seconds, &series.mode) {
                Ok(more) => series.seconds.extend(more),
                Err(why) if round == 0 => figures.skipped.push((format!("{} {}", series.engine, series.mode), why)),
                Err(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wishes(text: &str) -> Result<Wishes, String> {
        Wishes::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn wishes_are_read() {
        let both = wishes("--only a,b --threads 2 --peers numpy --quick").expect("readable");
        assert_eq!(
            (both.only, both.threads, both.peers),
            (vec!["a".into(), "b".into()], vec![2], vec!["numpy".into()])
        );
        assert!(both.quick && !both.record);
        assert_eq!(wishes("").map(|wishes| wishes.threads), Ok(vec![1, 2]));
        for wrong in ["--only", "--threads 0", "--threads x", "--sideways", "--peers abacus"] {
            assert!(wishes(wrong).is_err(), "{wrong}");
        }
    }
}
