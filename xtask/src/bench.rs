//! Times Broadaxe, the limit of the machine and the peers that are installed, on the workloads of `bench/`.
//!
//! One run measures one kind of thing (`bench/README.md` lists them) and prints it; `--record` keeps it in `bench/record/`
//! and runs `bench/page.py`, which writes `docs/reports/performance.md` and its details from the newest records of every kind.

mod table;

mod engine;
mod figure;
mod peers;

mod python;

mod record;

mod gate;
mod time;

mod sweep;
mod search;
mod calibrate;

mod code;
mod models;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use engine::{Engine, Role};
use figure::{Figures, HEADING};
use search::SearchArgs;
use time::{Manner, Programs};

/// The name of Broadaxe among engines.
const OWN: &str = "broadaxe";
/// The section of the record that holds the workloads.
const WORKLOADS: &str = "workloads";

pub(crate) const BENCH_USAGE: &str = "[--only W,..] [--threads 1,2] [--peers P,..|all] [--fresh] [--quick] [--record] | \
                                --sweep sizes,ranks,threads | --search [--seconds S] [--seed N] | --calibrate | --size | --models | --python | --page | --gate | --gate-dev | --gate-record";

/// Holds what was asked for.
#[derive(Debug, Default, PartialEq)]
struct BenchArgs {
    only: Vec<String>,
    threads: Vec<usize>,
    peers: Vec<String>,
    sweeps: Vec<String>,
    search: SearchArgs,
    fresh: bool,
    quick: bool,
    record: bool,
    work: BenchMode,
}

/// Says what is done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum BenchMode {
    /// The workloads are timed.
    #[default]
    Time,
    /// Sizes, ranks or threads are gone through.
    Sweep,
    /// Workloads are drawn and properties asked of them.
    Search,
    /// What the scheduler believes about the machine is measured.
    Calibrate,
    /// The size of the code and the time of its build are measured.
    Size,
    /// The checker is timed on model graphs.
    Models,
    /// Calls of the Python package are timed.
    Python,
    /// The page is regenerated from the records.
    Page,
    /// Instructions of a build are compared with the recorded ones.
    Gate(gate::Build),
    /// Instructions are recorded.
    GateRecord,
}

impl BenchArgs {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut args = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut list = || -> Result<Vec<String>, String> {
                let text = words.next().ok_or_else(|| format!("{word} needs a list, separated by commas"))?;
                Ok(text.split(',').map(str::to_owned).collect())
            };
            match word.as_str() {
                "--only" => args.only = list()?,
                "--threads" => args.threads = counts(&list()?)?,
                "--peers" => args.peers = peers::known(list()?)?,
                "--sweep" => (args.work, args.sweeps) = (BenchMode::Sweep, sweep::known(list()?)?),
                "--search" => args.work = BenchMode::Search,
                "--calibrate" => args.work = BenchMode::Calibrate,
                "--seconds" => args.search.seconds = number(words.next(), word)?,
                "--seed" => args.search.seed = number(words.next(), word)?,
                "--fresh" => args.fresh = true,
                "--quick" => args.quick = true,
                "--record" => args.record = true,
                "--size" => args.work = BenchMode::Size,
                "--models" => args.work = BenchMode::Models,
                "--python" => args.work = BenchMode::Python,
                "--page" => args.work = BenchMode::Page,
                "--gate" => args.work = BenchMode::Gate(gate::Build::Release),
                "--gate-dev" => args.work = BenchMode::Gate(gate::Build::Dev),
                "--gate-record" => args.work = BenchMode::GateRecord,
                other => return Err(format!("unknown argument {other}; usage: bench {BENCH_USAGE}")),
            }
        }
        if args.threads.is_empty() {
            args.threads = vec![1, 2];
        }
        Ok(args)
    }
}

fn number(text: Option<&String>, word: &str) -> Result<u64, String> {
    text.and_then(|text| text.parse().ok()).ok_or_else(|| format!("{word} needs a number"))
}

fn counts(list: &[String]) -> Result<Vec<usize>, String> {
    let counts = list.iter().map(|text| text.parse().ok().filter(|&count: &usize| count > 0));
    counts.collect::<Option<_>>().ok_or_else(|| "--threads needs numbers from 1, separated by commas".to_owned())
}

/// Runs the task.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let args = BenchArgs::read(words)?;
    let found = match args.work {
        BenchMode::Time => workloads(root, &args),
        BenchMode::Sweep => {
            let programs = programs(root)?;
            let run = |name: &String| sweep::run(root, &programs, name, args.quick, args.record);
            args.sweeps.iter().try_for_each(run)
        }
        BenchMode::Search => search::run(root, &args.search, &args.threads, args.record),
        BenchMode::Calibrate => return calibrate::run(root, &runner(root, gate::Build::Release)?, args.record),
        BenchMode::Size => code::run(root, &target(root), args.record),
        BenchMode::Models => return models::run(root, &target(root), args.record),
        BenchMode::Python => return python::run(root, &target(root), args.record),
        BenchMode::Page => Ok(()),
        BenchMode::Gate(build) => return gate::run(root, &runner(root, build)?, build),
        BenchMode::GateRecord => {
            return gate::record(root, &runner(root, gate::Build::Release)?, &runner(root, gate::Build::Dev)?);
        }
    };
    if args.record || args.work == BenchMode::Page {
        python::page(root)?;
    }
    found
}

/// Says whether instructions can be counted here.
pub(crate) fn can_count() -> bool {
    gate::can_count()
}

/// Times the workloads.
fn workloads(root: &Path, args: &BenchArgs) -> Result<(), String> {
    let path = root.join("bench/workloads.txt");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let workloads = table::parse(&text).map_err(|why| format!("bench/workloads.txt: {why}"))?;
    let workloads = table::only(workloads, &args.only)?;
    let programs = programs(root)?;
    let python = if args.peers.is_empty() { None } else { Some(peers::install(&target(root), &args.peers)?) };
    let folder = exchange(root);
    let mut all: Vec<Figures> = Vec::new();
    println!("{HEADING}");
    let most = args.threads.iter().copied().max().unwrap_or(1);
    let mut engines = Vec::from(programs.start()?);
    for (peer, python) in args.peers.iter().flat_map(|peer| python.iter().map(move |python| (peer, python))) {
        engines.push(Engine::start(peer, Role::Peer, &mut peers::command(root, python, peer), most)?);
    }
    let (rounds, seconds) = if args.quick { (2, 0.03) } else { (5, 0.05) };
    let (checks, patience) = (true, f64::INFINITY);
    let manner =
        Manner { threads: &args.threads, rounds, seconds, fresh: args.fresh, folder: &folder, checks, patience };
    for workload in &workloads {
        for figures in time::measure(workload, &mut engines, &manner)? {
            for mode in ["out", "fresh", "unplanned"] {
                if mode == "out" || figures.own(mode).is_some() {
                    println!("{}", figures.line(mode));
                }
            }
            all.push(figures);
        }
    }
    if args.record {
        record::put(root, WORKLOADS, &all, args.quick)?;
    }
    let wrong: Vec<&str> = all.iter().filter(|figures| figures.own_is_wrong()).map(|f| f.workload.as_str()).collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("Broadaxe differs from NumPy in {}", wrong.join(" "))) }
}

/// Returns the folder in which operands go to peers, in memory where the system has such folders.
fn exchange(root: &Path) -> PathBuf {
    const NAME: &str = "broadaxe-bench-";
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_owned() } else { target(root) };
    // An interrupted run leaves its folder, which uses memory.
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(NAME).filter(|number| number.parse::<u32>().is_ok());
        if process.is_some_and(|number| Path::new("/proc/self").exists() && !Path::new("/proc").join(number).exists()) {
            // Who may not remove it leaves it.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    folder.join(format!("{NAME}{}", std::process::id()))
}

/// Builds the runner as it would be released, and the limit for this CPU.
fn programs(root: &Path) -> Result<Programs, String> {
    let folder = target(root).join("bench-native");
    let mut command = cargo(root);
    // Flags of another kind in the environment would build the limit for another CPU.
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUSTFLAGS", "-C target-cpu=native");
    command.args(["build", "--release", "--quiet", "-p", "broadaxe-bench", "--bin", "broadaxe-limit"]);
    succeed(command.arg("--no-default-features").arg("--target-dir").arg(&folder), "the limit does not build")?;
    let limit = folder.join("release").join(format!("broadaxe-limit{}", env::consts::EXE_SUFFIX));
    Ok(Programs { runner: runner(root, gate::Build::Release)?, limit })
}

/// Builds the runner, and returns where it is.
fn runner(root: &Path, build: gate::Build) -> Result<PathBuf, String> {
    let (flags, folder): (&[&str], _) = match build {
        gate::Build::Release => (&["--release", "-p", "broadaxe-bench"], "release"),
        // For one package, or without the tests, cargo would choose other features than for the tests, and build the kernels again.
        gate::Build::Dev => (&["--workspace", "--tests"], "debug"),
    };
    let mut command = cargo(root);
    command.args(["build", "--quiet", "--bin", "broadaxe-bench"]).args(flags);
    crate::python::forget_us(&mut command);
    succeed(&mut command, "the runner does not build")?;
    Ok(target(root).join(folder).join(format!("broadaxe-bench{}", env::consts::EXE_SUFFIX)))
}

/// Returns a command that runs cargo in the repository.
fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Runs a command; `otherwise` says what it means if that fails.
fn succeed(command: &mut Command, otherwise: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{otherwise}: {status}")),
        Err(error) => Err(format!("{otherwise}: {error}")),
    }
}

/// Returns the folder that builds go to.
fn target(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Result<BenchArgs, String> {
        BenchArgs::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_page_is_up_to_date() {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench");
        for words in [["test_page.py", "--quiet"], ["page.py", "--check"]] {
            match Command::new("python3").arg("-B").args(words).current_dir(&bench).output() {
                Ok(answer) => assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr)),
                Err(_) => println!("python3 was not found, so bench/{} was not run", words[0]),
            }
        }
    }

    #[test]
    fn args_are_read() {
        let both = args("--only a,b --threads 2 --peers numpy --quick").expect("readable");
        assert_eq!(
            (both.only, both.threads, both.peers),
            (vec!["a".into(), "b".into()], vec![2], vec!["numpy".into()])
        );
        assert!(both.quick && !both.record);
        assert_eq!(args("").map(|args| args.threads), Ok(vec![1, 2]));
        assert!(args("--peers all").is_ok_and(|args| args.peers.len() > 3));
        for (text, work) in [
            ("--sweep sizes --record", BenchMode::Sweep),
            ("--size", BenchMode::Size),
            ("--search --seconds 10 --seed 3", BenchMode::Search),
            ("--calibrate --record", BenchMode::Calibrate),
            ("--gate-dev", BenchMode::Gate(gate::Build::Dev)),
        ] {
            assert_eq!(args(text).map(|args| args.work), Ok(work), "{text}");
        }
        for wrong in
            ["--only", "--threads 0", "--threads x", "--sideways", "--peers abacus", "--sweep floors", "--seed x"]
        {
            assert!(args(wrong).is_err(), "{wrong}");
        }
    }
}
