//! Reads damaged files of every kind in a process that may die, and counts what does not hold.
//!
//! The example `mutants` of the command reads them and says what came of each. A mutant that ends it, or that it does not finish, is
//! saved, and the next process continues with the next mutant. The fixed models are kept, so that their own engines can load them.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use broadaxe_testing::mutate::{MUTANT_KINDS, MutantKind, Mutants};

use crate::{
    conformance::{self, Ready},
    python,
};

pub(crate) const MUTATE_USAGE: &str = "[--seconds N] [--count N] [--seed S] [--only KIND]... [--keep DIR] [--engines]";

/// The seconds of a run that names neither seconds nor a count.
const USUAL_SECONDS: u64 = 600;
/// The longest time of the processor, and the most memory in addition to the file, that a mutant may need.
const MOST_MS: u64 = 1000;
const MOST_MEMORY: u64 = 256 << 20;
/// A mutant that is not finished after this time hangs.
const HANG: Duration = Duration::from_secs(30);
/// The most address space of the process, in KiB: what is asked for beyond ends it.
const ADDRESSES_KIB: &str = "8388608";
/// The engines, and the module that asks them.
const ENGINES: &str = "requirements-mutants.txt";
const LOADS: &str = "conformance.mutants";

/// What the command line says.
#[derive(Debug)]
struct Asked {
    /// The time of each kind.
    time: Option<Duration>,
    count: u64,
    seed: u64,
    kinds: Vec<&'static MutantKind>,
    keep: PathBuf,
    engines: bool,
}

/// What can be wrong with a mutant, as its row of the table counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wrong {
    Panic,
    Death,
    Hang,
    Slow,
    Memory,
    Message,
}

const WRONG: [(Wrong, &str); 6] = [
    (Wrong::Panic, "panics"),
    (Wrong::Death, "deaths"),
    (Wrong::Hang, "hangs"),
    (Wrong::Slow, "slow"),
    (Wrong::Memory, "over memory"),
    (Wrong::Message, "bad messages"),
];

/// Counts the mutants of a kind.
#[derive(Default)]
struct MutantCounts {
    mutants: u64,
    read: u64,
    rejected: u64,
    fixed: u64,
    wrong: Vec<(u64, Wrong, String)>,
}

/// Runs the task.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let asked = asked(root, words)?;
    build(root)?;
    let pairs = asked.keep.join("pairs");
    let failed = |error| format!("{}: {error}", pairs.display());
    if pairs.exists() {
        fs::remove_dir_all(&pairs).map_err(failed)?;
    }
    fs::create_dir_all(&pairs).map_err(failed)?;
    println!("seed {}; what does not hold is saved in {}", asked.seed, asked.keep.display());
    let mut wrong = 0;
    println!(
        "{}",
        row(["kind", "mutants", "read", "rejected", "fixed"].into_iter().chain(WRONG.map(|(_, name)| name)))
    );
    for kind in &asked.kinds {
        let counts = one_kind(root, kind, &asked)?;
        println!("{}", counts.row(kind.name));
        for (number, what, text) in &counts.wrong {
            let path = save(kind, &asked, *number)?;
            println!("  {what:?} {}: {text}", path.display());
        }
        wrong += counts.wrong.len();
    }
    let loaded = if asked.engines { engines(root, &pairs) } else { Ok(()) };
    if wrong > 0 {
        let also = loaded.err().map_or_else(String::new, |why| format!(", and {why}"));
        return Err(format!("{wrong} faults found{also}"));
    }
    loaded
}

/// Sets cells in columns.
fn row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    cells.enumerate().map(|(k, cell)| if k == 0 { format!("{cell:12}") } else { format!("{cell:>13}") }).collect()
}

fn asked(root: &Path, words: &[String]) -> Result<Asked, String> {
    let wrong = |word: &str| format!("unknown argument '{word}'; usage: mutate {MUTATE_USAGE}");
    let (mut seconds, mut count, mut seed, mut kinds, mut engines) = (None, None, 0, Vec::new(), false);
    let mut keep = root.join("target/mutants");
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--engines" {
            engines = true;
            continue;
        }
        let value = rest.next().ok_or_else(|| wrong(word))?;
        let number = || value.parse::<u64>().map_err(|_| wrong(value));
        match word.as_str() {
            "--seconds" => seconds = Some(number()?),
            "--count" => count = Some(number()?),
            "--seed" => seed = number()?,
            "--keep" => keep = root.join(value),
            "--only" => kinds.push(MUTANT_KINDS.iter().find(|kind| kind.name == *value).ok_or_else(|| {
                let known: Vec<&str> = MUTANT_KINDS.iter().map(|kind| kind.name).collect();
                format!("there is no kind '{value}'; there are {}", known.join(", "))
            })?),
            _ => return Err(wrong(word)),
        }
    }
    if kinds.is_empty() {
        kinds = MUTANT_KINDS.iter().collect();
    }
    let seconds = seconds.or((count.is_none()).then_some(USUAL_SECONDS));
    let time = seconds.map(|seconds| Duration::from_secs(seconds) / kinds.len() as u32);
    Ok(Asked { time, count: count.unwrap_or(u64::MAX), seed, kinds, keep, engines })
}

/// Builds the program that reads mutants.
fn build(root: &Path) -> Result<(), String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let words = ["build", "--package", "broadaxe-cli", "--example", "mutants"];
    let status = Command::new(cargo).args(words).current_dir(root).status();
    let is_built = status.is_ok_and(|status| status.success());
    is_built.then_some(()).ok_or_else(|| "the example 'mutants' does not build".to_owned())
}

/// Starts the program at a mutant; a shell limits its memory where there is one.
fn start(root: &Path, kind: &MutantKind, asked: &Asked, first: u64) -> Result<Child, String> {
    let program = root.join("target/debug/examples").join(format!("mutants{}", env::consts::EXE_SUFFIX));
    let mut command = if cfg!(unix) {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -v {ADDRESSES_KIB}; ulimit -c 0; exec \"$0\" \"$@\"")]).arg(&program);
        shell
    } else {
        Command::new(&program)
    };
    command.arg(kind.name).args([asked.seed, first, asked.count].map(|number| number.to_string()));
    command.arg(asked.keep.join("pairs")).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().map_err(|error| format!("{} cannot be run: {error}", program.display()))
}

/// Reads mutants of a kind until there are as many as asked for, or the time is over.
fn one_kind(root: &Path, kind: &MutantKind, asked: &Asked) -> Result<MutantCounts, String> {
    let end = asked.time.map(|time| Instant::now() + time);
    let mut counts = MutantCounts::default();
    while counts.mutants < asked.count {
        let before = counts.mutants;
        let mut child = start(root, kind, asked, before)?;
        let (send, lines) = channel();
        if let Some(out) = child.stdout.take() {
            thread::spawn(move || {
                BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
            });
        }
        let is_over = follow(&lines, end, &mut counts);
        let _ = child.kill();
        let status = child.wait().map_err(|error| format!("the process is lost: {error}"))?;
        if let Ended::With(number) = is_over {
            counts.mutants = number + 1;
            counts.wrong.push((number, Wrong::Death, status.to_string()));
        }
        if let Ended::Late(number) = is_over {
            counts.mutants = number + 1;
            counts.wrong.push((number, Wrong::Hang, format!("not finished after {} s", HANG.as_secs())));
        }
        if is_over == Ended::Time {
            break;
        }
        if counts.mutants == before {
            return Err(format!("the example 'mutants' reads nothing of kind {}: {status}", kind.name));
        }
    }
    Ok(counts)
}

/// Why a process is not read further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// The time is over.
    Time,
    /// It ended by itself between two mutants.
    Between,
    /// It ended, or was too late, in this mutant.
    With(u64),
    Late(u64),
}

/// Counts what the process says, until it ends, hangs, or the time is over.
fn follow(lines: &Receiver<String>, end: Option<Instant>, counts: &mut MutantCounts) -> Ended {
    let mut open = None;
    loop {
        match (lines.recv_timeout(HANG), open) {
            (Ok(line), _) => open = counts.read_line(&line),
            (Err(RecvTimeoutError::Timeout), Some(number)) => return Ended::Late(number),
            (Err(RecvTimeoutError::Disconnected), Some(number)) => return Ended::With(number),
            (Err(_), None) => return Ended::Between,
        }
        if open.is_none() && end.is_some_and(|end| Instant::now() > end) {
            return Ended::Time;
        }
    }
}

impl MutantCounts {
    /// Returns the row of a kind.
    fn row(&self, name: &str) -> String {
        let wrong = WRONG.map(|(what, _)| self.wrong.iter().filter(|(_, is, _)| *is == what).count() as u64);
        let numbers = [self.mutants, self.read, self.rejected, self.fixed].into_iter().chain(wrong);
        let cells: Vec<String> = numbers.map(|number| number.to_string()).collect();
        row([name].into_iter().chain(cells.iter().map(String::as_str)))
    }

    /// Counts a line of the program; returns the mutant that it has begun.
    fn read_line(&mut self, line: &str) -> Option<u64> {
        let words: Vec<&str> = line.splitn(7, ' ').collect();
        match words[..] {
            ["begin", number] => return number.parse().ok(),
            ["end", number, state, fixed, spent, peak, fault] => {
                let [number, spent, peak] = [number, spent, peak].map(|word| word.parse::<u64>().unwrap_or(0));
                self.mutants = number + 1;
                self.read += u64::from(state == "read");
                self.rejected += u64::from(state == "rejected");
                self.fixed += u64::from(fixed == "fixed");
                if !fault.is_empty() {
                    let what = if fault.starts_with("bad message") { Wrong::Message } else { Wrong::Panic };
                    self.wrong.push((number, what, fault.to_owned()));
                }
                if spent > MOST_MS {
                    self.wrong.push((number, Wrong::Slow, format!("{spent} ms")));
                }
                if peak > MOST_MEMORY {
                    self.wrong.push((number, Wrong::Memory, format!("{} MiB", peak >> 20)));
                }
            }
            _ => {}
        }
        None
    }
}

/// Saves a mutant and returns its path.
fn save(kind: &'static MutantKind, asked: &Asked, number: u64) -> Result<PathBuf, String> {
    let path = asked.keep.join(format!("{}-{}-{number}.{}", kind.name, asked.seed, kind.extensions[0]));
    let bytes = Mutants::new(kind).mutant(asked.seed, number);
    fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// Asks engines whether they load the fixed models whose originals they load.
fn engines(root: &Path, pairs: &Path) -> Result<(), String> {
    let ready = if python::is_here() {
        conformance::prepare(root, ENGINES)?
    } else {
        Ready::Skipped("no Python 3.10 or newer that can make virtual environments".to_owned())
    };
    let suite = match ready {
        Ready::Suite(suite) => suite,
        Ready::Skipped(why) => {
            println!("the engines are not asked: {why}");
            return Ok(());
        }
    };
    let status = Command::new(suite.get_program()).args(["-m", LOADS]).arg(pairs).current_dir(root).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("an engine rejects a fixed model whose original it loads ({status})")),
        Err(error) => Err(format!("{LOADS} cannot be run: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_run_is_bounded_by_time_or_by_a_count() {
        let (root, kinds) = (Path::new("x"), MUTANT_KINDS.len() as u32);
        let usual = asked(root, &[]).unwrap();
        assert_eq!((usual.time, usual.count), (Some(Duration::from_mins(10) / kinds), u64::MAX));
        let counted = asked(root, &words("--count 9 --only npy --seed 7 --keep y --engines")).unwrap();
        assert_eq!((counted.time, counted.count, counted.seed, counted.engines), (None, 9, 7, true));
        assert_eq!((counted.kinds.len(), counted.kinds[0].name, counted.keep), (1, "npy", PathBuf::from("x/y")));
        let both = asked(root, &words("--count 9 --seconds 5 --only npy")).unwrap();
        assert_eq!((both.time, both.count), (Some(Duration::from_secs(5)), 9));
    }

    #[test]
    fn words_that_mean_nothing_are_refused() {
        for text in ["--fast 1", "--count", "--count x", "--only", "7"] {
            assert!(asked(Path::new("."), &words(text)).is_err_and(|why| why.contains("usage: mutate")), "{text}");
        }
        assert!(asked(Path::new("."), &words("--only png")).unwrap_err().contains("safetensors"));
    }

    #[test]
    fn lines_are_counted() {
        let mut counts = MutantCounts::default();
        let lines = [
            "begin 0",
            "end 0 read fixed 20 0 ",
            "begin 1",
            "end 1 rejected - 1001 0 ",
            "begin 2",
            "end 2 failed - 0 268435457 bad message \"a b\" (c.rs:1)",
            "begin 3",
            "end 3 failed - 0 0 index out of bounds (c.rs:1)",
        ];
        let open: Vec<Option<u64>> = lines.iter().map(|line| counts.read_line(line)).collect();
        assert_eq!(open, [Some(0), None, Some(1), None, Some(2), None, Some(3), None]);
        assert_eq!((counts.mutants, counts.read, counts.rejected, counts.fixed), (4, 1, 1, 1));
        let wrong: Vec<(u64, Wrong)> = counts.wrong.iter().map(|(number, what, _)| (*number, *what)).collect();
        assert_eq!(wrong, [(1, Wrong::Slow), (2, Wrong::Message), (2, Wrong::Memory), (3, Wrong::Panic)]);
    }

    #[test]
    fn a_process_that_ends_or_stops_is_noticed() {
        let follow_lines = |lines: &[&str], end| {
            let (send, receive) = channel();
            for line in lines {
                send.send((*line).to_owned()).unwrap();
            }
            drop(send);
            follow(&receive, end, &mut MutantCounts::default())
        };
        let past = Instant::now().checked_sub(Duration::from_secs(1));
        assert_eq!(follow_lines(&["begin 4"], None), Ended::With(4));
        assert_eq!(follow_lines(&["begin 4", "end 4 read - 0 0 "], None), Ended::Between);
        assert_eq!(follow_lines(&["begin 4", "end 4 read - 0 0 ", "begin 5"], past), Ended::Time);
    }
}
