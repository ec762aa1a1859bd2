//! Runs all checks in stages, cheapest first, and stops at the first failure.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    bench,
    conformance::{self, Ready},
    cross, docs, page,
    process::{Count, Outcome, show, show_by_twos},
    python, tidy,
};

/// How to call the task.
pub(crate) const TEST_USAGE: &str = "[--list] [--long] [--only STAGE]...";

/// Holds one stage: what it checks, and how.
struct Stage {
    name: &'static str,
    about: &'static str,
    work: Action,
    /// Whether it runs only where `--long` or its name is given.
    long: bool,
}

/// A stage of every run.
const fn stage(name: &'static str, about: &'static str, work: Action) -> Stage {
    Stage { name, about, work, long: false }
}

/// A stage that repeats tests in other circumstances, for `--long`.
const fn long_stage(name: &'static str, about: &'static str, work: Action) -> Stage {
    Stage { name, about, work, long: true }
}

/// What a stage does.
enum Action {
    /// Runs cargo with these arguments.
    Cargo(&'static [&'static str]),
    /// Runs cargo with these arguments and one more environment variable.
    CargoWith((&'static str, &'static str), &'static [&'static str]),
    /// Builds the programs of all tests and runs them, and the examples in the documentation.
    Tests,
    /// Runs programs of the stage `tests` again.
    Again(&'static Rerun),
    /// Runs `cargo xtask tidy` without leaving this program.
    Tidy,
    /// Builds the Python package and runs its tests, where there is a Python.
    Python,
    /// Asks other engines about what the package computes, where they can be installed.
    Conformance,
    /// Runs the tests of the Atlas that others vendor, where there is a Python.
    Atlas,
    /// Runs `cargo xtask docs --check` without leaving this program, where there is a Python.
    Site,
    /// Runs `cargo xtask page --quick` without leaving this program, where there is what it needs.
    Page,
    /// Looks at other machines as `cargo xtask cross --quick` does, where there is what that needs.
    Cross,
    /// Runs `cargo xtask bench --gate-dev` without leaving this program, where there is what it needs.
    Gate,
}

static STAGES: &[Stage] = &[
    stage("format", "rustfmt agrees", Action::Cargo(&["fmt", "--all", "--check"])),
    stage("tidy", "the conventions of the repository hold", Action::Tidy),
    stage(
        "lint",
        "clippy has no findings",
        Action::Cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ),
    stage(
        "docs",
        "the documentation builds, and its links are valid",
        Action::CargoWith(("RUSTDOCFLAGS", "-D warnings"), &["doc", "--workspace", "--no-deps"]),
    ),
    stage("tests", "all tests and examples, with the best instruction set of this CPU", Action::Tests),
    stage("python", "the Python package builds, and its tests pass", Action::Python),
    stage("atlas", "the Atlas works in projects of others", Action::Atlas),
    stage("site", "the documentation site builds, and its links are valid", Action::Site),
    stage("page", "the page builds, and answers as the command does", Action::Page),
    stage("engines", "other engines agree, except for known differences", Action::Conformance),
    long_stage("baseline", "kernels and engine again", Action::Again(&BASELINE)),
    long_stage("avx2", "kernels and engine again", Action::Again(&AVX2)),
    long_stage("caches", "kernels and engine again, as with small caches", Action::Again(&CACHES)),
    long_stage("cross", "the kernels compile for other machines, and rules are the same there", Action::Cross),
    stage("gate", "kernels execute no more instructions than recorded", Action::Gate),
];

/// Names programs of tests that are run again, as they were built for the stage `tests`.
struct Rerun {
    variable: Option<(&'static str, &'static str)>,
    /// Says whether this CPU makes a difference.
    here: fn() -> bool,
    /// The packages; of each, these targets, or all of them.
    programs: &'static [(&'static str, &'static [&'static str])],
    /// The arguments of every program.
    arguments: &'static [&'static str],
}

/// The tests whose numbers are worth seeing though they pass.
const PROOFS: &[(&str, &str)] =
    &[("broadaxe-shape", "exhaustive"), ("broadaxe-testing", "cases"), ("broadaxe-testing", "truth")];

/// Runs the tests of the crates that touch elements, all but the examples in documentation, with an instruction set.
const fn level(name: &'static str, here: fn() -> bool) -> Rerun {
    Rerun {
        variable: Some((FORCE, name)),
        here,
        programs: &[("broadaxe-kernels", &[]), ("broadaxe", &[])],
        // These tests go through all levels themselves.
        arguments: &["--quiet", "--skip", "levels::"],
    }
}

// All tests ran with the best instruction set, so only those below it are left.
static BASELINE: Rerun = level("baseline", has_levels);
static AVX2: Rerun = level("avx2", has_avx512);
/// Results are written past small caches, and operands are fetched ahead, in tests of any size.
static CACHES: Rerun = Rerun {
    variable: Some(("BROADAXE_CACHES", "256K,1M")),
    here: || true,
    programs: &[
        ("broadaxe-kernels", &["broadaxe_kernels", "loops"]),
        ("broadaxe-testing", &["broadaxe_testing", "engine_properties", "reductions"]),
    ],
    // No function of numbers depends on caches, and neither do loops called one by one.
    arguments: &["--quiet", "--skip", "math::", "--skip", "levels::", "--skip", "rare::"],
};
/// The variable that forces an instruction set. Every stage but those that set it uses the one that it names.
const FORCE: &str = "BROADAXE_ISA";

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    let byte_and_word = is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512dq");
    has_avx2() && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") && byte_and_word
}

/// Whether there is an instruction set above the lowest.
fn has_levels() -> bool {
    has_avx2() || cfg!(target_arch = "aarch64")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

/// Runs the stages that `words` choose, and sums up.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let (mut chosen, mut long): (Vec<&Stage>, bool) = (Vec::new(), false);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--list" => {
                for Stage { name, about, long, .. } in STAGES {
                    println!("{name:10}{about}{}", if *long { " (--long)" } else { "" });
                }
                return Ok(());
            }
            "--long" => long = true,
            "--only" => chosen.push(find(rest.next().map_or("", String::as_str))?),
            _ => return Err(format!("unknown argument '{word}'; usage: test {TEST_USAGE}")),
        }
    }
    if chosen.is_empty() {
        chosen.extend(STAGES.iter().filter(|stage| long || !stage.long));
    }
    run_stages(root, &chosen, long)
}

fn run_stages(root: &Path, chosen: &[&Stage], long: bool) -> Result<(), String> {
    let mut ran: Vec<(&str, Outcome, Duration, Count)> = Vec::new();
    // What the stages install is fetched while others compute.
    let has = |wanted: fn(&Action) -> bool| chosen.iter().any(|stage| wanted(&stage.work)) && python::is_here();
    let (for_python, for_atlas) =
        (has(|work| matches!(work, Action::Python)), has(|work| matches!(work, Action::Atlas)));
    let owned = root.to_owned();
    let mut environments = Some(thread::spawn(move || {
        // Where one fails, its stage tries again and says why.
        let _ = for_python.then(|| python::environment(&owned));
        let _ = for_atlas.then(|| atlas_environment(&owned));
    }));
    for stage in chosen {
        if ran.iter().any(|&(_, outcome, ..)| outcome == Outcome::Failed) {
            ran.push((stage.name, Outcome::NotRun, Duration::ZERO, Count::default()));
            continue;
        }
        println!("\n==== {}: {} ====", stage.name, stage.about);
        let begin = Instant::now();
        if matches!(stage.work, Action::Python | Action::Atlas) {
            let _ = environments.take().map(thread::JoinHandle::join);
        }
        let (outcome, count) = perform(&stage.work, root, long)?;
        ran.push((stage.name, outcome, begin.elapsed(), count));
    }
    sum_up(&ran)
}

fn find(name: &str) -> Result<&'static Stage, String> {
    STAGES.iter().find(|stage| stage.name == name).ok_or_else(|| {
        let names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
        format!("unknown stage '{name}'; the stages are {}", names.join(", "))
    })
}

fn perform(work: &Action, root: &Path, long: bool) -> Result<(Outcome, Count), String> {
    match *work {
        Action::Cargo(arguments) => cargo(root, arguments, None),
        Action::CargoWith(variable, arguments) => cargo(root, arguments, Some(variable)),
        Action::Tests => tests(root, long),
        Action::Again(rerun) if !(rerun.here)() => Ok((Outcome::Skipped, Count::default())),
        Action::Again(rerun) => again(root, rerun),
        Action::Tidy => Ok((outcome(tidy::run(root)), Count::default())),
        Action::Python | Action::Atlas | Action::Conformance if !python::is_here() => {
            Ok(skipped("no Python from 3.10 on"))
        }
        Action::Python => python_tests(root),
        Action::Atlas => atlas_tests(root),
        Action::Conformance => match conformance::prepare(root, conformance::BOUNDED) {
            Ok(Ready::Suite(suite)) => show(suite),
            Ok(Ready::Skipped(why)) => Ok(skipped(&why)),
            Err(why) => Ok((outcome(Err(why)), Count::default())),
        },
        Action::Cross => match cross::quick(root) {
            // While one runs its tests under an emulator, the next compiles.
            Ok(commands) => show_by_twos(commands),
            Err(why) => Ok(skipped(&why)),
        },
        Action::Gate if env::var_os(FORCE).is_some_and(|level| level != "avx2") => {
            Ok(skipped(&format!("{FORCE} is set: instructions are recorded for AVX2")))
        }
        Action::Gate if !(has_avx2() && bench::can_count()) => {
            Ok(skipped("no AVX2, or no valgrind: nothing is counted"))
        }
        Action::Site if !python::is_here() => Ok(skipped("no Python with the module venv: the site is not built")),
        Action::Site => Ok((outcome(docs::run(root, &["--check".to_owned()])), Count::default())),
        Action::Page if !page::is_here() => {
            Ok(skipped(&format!("no Node, or no standard library for {}: the page is not built", page::TARGET)))
        }
        Action::Page => Ok((outcome(page::run(root, &["--quick".to_owned()])), Count::default())),
        Action::Gate => Ok((outcome(bench::run(root, &["--gate-dev".to_owned()])), Count::default())),
    }
}

/// Builds the Python package and runs its tests.
fn python_tests(root: &Path) -> Result<(Outcome, Count), String> {
    let python = match python::build(root) {
        Ok(python) => python,
        Err(why) => return Ok((outcome(Err(why)), Count::default())),
    };
    show_by_twos(python::tests(root, &python))
}

/// Runs the tests of the packages in `atlas/`, and checks that the page of the results is current.
fn atlas_tests(root: &Path) -> Result<(Outcome, Count), String> {
    let programs = match atlas_environment(root) {
        Ok(programs) => programs,
        Err(why) => return Ok((outcome(Err(why)), Count::default())),
    };
    let test = |&(place, arguments): &(&str, &[&str])| {
        let mut command = Command::new(programs.join("python"));
        command.args(arguments).current_dir(root.join(place)).env("PYTHONUNBUFFERED", "1");
        command
    };
    in_turn(ATLAS.iter().map(test))
}

/// Runs commands one after the other, all of them, and counts their tests.
fn in_turn(commands: impl IntoIterator<Item = Command>) -> Result<(Outcome, Count), String> {
    let (mut outcome, mut count) = (Outcome::Passed, Count::default());
    for command in commands {
        let (own, counted) = show(command)?;
        outcome = if own == Outcome::Passed { outcome } else { own };
        count += counted;
    }
    Ok((outcome, count))
}

/// Makes the environment of the tests of the Atlas, and returns the folder of its programs.
fn atlas_environment(root: &Path) -> Result<PathBuf, String> {
    python::environment_of(&python::target(root).join("atlas-venv"), &root.join("atlas/requirements.txt"))
}

/// The tests of the Atlas: where, and the arguments of Python.
const ATLAS: &[(&str, &[&str])] = &[
    ("atlas/python", &["-m", "pytest", "--quiet", "--no-header"]),
    ("atlas/cpp", &["-m", "pytest", "--quiet", "--no-header"]),
    (".", &["-m", "conformance.atlas.page", "--check"]),
];

/// Prints why a stage is skipped.
fn skipped(why: &str) -> (Outcome, Count) {
    println!("{why}");
    (Outcome::Skipped, Count::default())
}

/// Prints why a task failed, if it did.
fn outcome(result: Result<(), String>) -> Outcome {
    match result {
        Ok(()) => Outcome::Passed,
        Err(why) => {
            println!("{why}");
            Outcome::Failed
        }
    }
}

/// Runs cargo, shows what it says as it says it, and counts the tests in it.
fn cargo(root: &Path, arguments: &[&str], variable: Option<(&str, &str)>) -> Result<(Outcome, Count), String> {
    println!("{}cargo {}", shown(variable), arguments.join(" "));
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root);
    python::forget_us(&mut command);
    command.envs(variable);
    show(command)
}

/// Runs all tests, with the best instruction set of this CPU; `long`: on all files that there are.
fn tests(root: &Path, long: bool) -> Result<(Outcome, Count), String> {
    let run = |program: TestProgram| {
        let mut command = Command::new(&program.file);
        let is_proof = PROOFS.contains(&(&program.package, &program.target));
        command.args(is_proof.then_some("--nocapture"));
        command.current_dir(&program.folder).envs(long.then_some(("BROADAXE_LONG", "1")));
        command
    };
    let (programs, mut count) = show_by_twos(programs(root)?.into_iter().map(run))?;
    let (examples, counted) = cargo(root, &["test", "--workspace", "--doc", "--no-fail-fast"], None)?;
    count += counted;
    Ok((if programs == Outcome::Passed { examples } else { programs }, count))
}

/// Writes a variable as a shell sets it for one command.
fn shown(variable: Option<(&str, &str)>) -> String {
    variable.map(|(name, value)| format!("{name}='{value}' ")).unwrap_or_default()
}

/// Runs programs of tests again.
///
/// They are those that cargo builds for the whole workspace: with a selection of packages, cargo would choose other features and
/// rebuild some crates.
fn again(root: &Path, rerun: &Rerun) -> Result<(Outcome, Count), String> {
    let mut programs = programs(root)?;
    programs.retain(|program| {
        let chosen = rerun.programs.iter().find(|(package, _)| *package == program.package);
        chosen.is_some_and(|(_, targets)| targets.is_empty() || targets.contains(&&*program.target))
    });
    if programs.is_empty() {
        return Err("cargo built no program of these tests".to_owned());
    }
    println!("{}each of {} programs {}", shown(rerun.variable), programs.len(), rerun.arguments.join(" "));
    show_by_twos(programs.into_iter().map(|program| {
        let mut command = Command::new(&program.file);
        command.args(rerun.arguments).current_dir(&program.folder).envs(rerun.variable);
        command
    }))
}

/// Holds a program of tests.
struct TestProgram {
    package: String,
    target: String,
    file: PathBuf,
    /// The folder of the package, where cargo would run it.
    folder: PathBuf,
}

/// Builds the programs of all tests of the workspace, and lists them.
fn programs(root: &Path) -> Result<Vec<TestProgram>, String> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"]);
    python::forget_us(&mut command);
    let output = command.current_dir(root).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !output.status.success() {
        return Err("the tests do not build; the lines above say why".to_owned());
    }
    let program = |line: &str| -> Option<TestProgram> {
        let message: Value = serde_json::from_str(line).ok()?;
        let file = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?.into();
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
        let package = folder.file_name()?.to_str()?.to_owned();
        Some(TestProgram { package, target: message["target"]["name"].as_str()?.to_owned(), file, folder })
    };
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(program).collect())
}

/// Prints a line per stage and a last one; an error when a stage failed.
fn sum_up(ran: &[(&str, Outcome, Duration, Count)]) -> Result<(), String> {
    println!("\n==== summary ====");
    let (mut all, mut took) = (Count::default(), Duration::ZERO);
    for &(name, outcome, time, count) in ran {
        let tests = if count == Count::default() { String::new() } else { format!("{} tests", count.passed) };
        let line = format!("{name:10}{:>8.1} s  {:8}{tests}", time.as_secs_f64(), outcome.name());
        println!("{}", line.trim_end());
        all += count;
        took += time;
    }
    let stages = |outcome| ran.iter().filter(|&&(_, other, ..)| other == outcome).count();
    let (passed, failed) = (stages(Outcome::Passed), stages(Outcome::Failed));
    println!("{}", all.summary());
    println!("files outside the repository: read {} times", all.outside);
    println!("stages: {passed} passed, {failed} failed, in {:.0} s", took.as_secs_f64());
    match ran.iter().find(|(_, outcome, ..)| *outcome == Outcome::Failed) {
        Some((name, ..)) => Err(format!("the stage {name} failed; mend it and run: cargo xtask test --only {name}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_names_of_their_own() {
        for (i, stage) in STAGES.iter().enumerate() {
            assert!(find(stage.name).is_ok_and(|found| std::ptr::eq(found, stage)), "{}", stage.name);
            assert!(!stage.about.is_empty() && !stage.about.ends_with('.'), "stage {i}");
        }
        assert!(find("teste").is_err_and(|why| why.contains("tests")));
    }

    #[test]
    fn contributing_lists_the_stages() {
        let page = include_str!("../../CONTRIBUTING.md");
        let rows = page.lines().skip_while(|line| !line.starts_with("| stage |")).skip(2);
        let rows: Vec<(&str, bool)> = rows
            .map_while(|line| line.strip_prefix("| `")?.split_once('`'))
            .map(|(name, rest)| (name, rest.contains("only with `--long`")))
            .collect();
        let stages: Vec<(&str, bool)> = STAGES.iter().map(|stage| (stage.name, stage.long)).collect();
        assert_eq!(rows, stages);
    }

    #[test]
    fn a_failure_is_an_error() {
        let row = |outcome| ("x", outcome, Duration::ZERO, Count::default());
        assert_eq!(sum_up(&[row(Outcome::Passed), row(Outcome::Skipped)]), Ok(()));
        assert!(sum_up(&[row(Outcome::Passed), row(Outcome::Failed), row(Outcome::NotRun)]).is_err());
    }

    #[test]
    fn words_that_mean_nothing_are_refused() {
        for words in [&["--only"][..], &["--only", "teste"], &["--lits"], &["tests"]] {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            assert!(run(Path::new("."), &words).is_err(), "{words:?}");
        }
    }
}
