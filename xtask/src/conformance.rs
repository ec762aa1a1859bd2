//! Compares Broadaxe with the engines that are installed.
//!
//! The package is built into the environment of its tests; the engines, whose versions are pinned, are installed there too.

use std::{env, fs, path::Path, process::Command};

use crate::python;

pub(crate) const CONFORMANCE_USAGE: &str = "[--quick] [--models] [--engine NAME]... | --verdicts [--seed N] [--count N]... | --asked --runtime R[@V] --engines DIR [--count N]... | --dask [--megabytes N]... | --peers [--array-api-tests DIR]... | --reports [--binary FILE] [--picture FILE]";

/// The engines of the bounded part, and of all of it.
pub(crate) const BOUNDED: &str = "requirements.txt";
const FULL: &str = "requirements-full.txt";

/// What `--verdicts` passes on to the script: the words that take a value, and those that do not.
const VERDICTS: (&[&str], &[&str]) = (
    &["--seed", "--count", "--jobs", "--minutes", "--formats", "--targets", "--about"],
    &["--resume", "--save", "--cases"],
);

/// What `--asked` passes on to its script, in the same way.
const ASKED: (&[&str], &[&str]) =
    (&["--runtime", "--target", "--engines", "--seed", "--count", "--most-rank", "--only", "--rows"], &["--old"]);

/// What `--dask` passes on to its script: words that take a value.
const DASK: [&str; 3] = ["--megabytes", "--limit", "--folder"];

/// What `--peers` passes on to its script, in the same way.
const PEER_OPTIONS: (&[&str], &[&str]) =
    (&["--suite", "--array-api-tests", "--examples"], &["--recorded", "--update", "--prune"]);

/// What `--reports` passes on to its script, in the same way.
const REPORTS: (&[&str], &[&str]) = (&["--binary", "--picture"], &[]);

/// What came of getting ready.
pub(crate) enum Ready {
    /// The command that runs the suite.
    Suite(Command),
    /// Why there is nothing to run on this machine.
    Skipped(String),
}

/// The questions about whole models, and what each is told; they write their pages.
const MODEL_SUITES: [(&str, &[&str]); 7] = [
    ("laws", &[]),
    ("models_upgrade", &[]),
    ("models_fix", &["--write"]),
    ("models_infer", &["--binary", "target/debug/examples/shapes"]),
    ("models_ncnn", &["--binary", "target/debug/examples/shapes"]),
    ("models_prelu", &["--binary", "target/debug/examples/verdicts"]),
    ("models_prelu_fix", &[]),
];

/// Runs the suite; all of it writes `docs/reports/conformance.md`. With `--models` the engines are asked about whole models instead,
/// and with `--verdicts` about random ones, which writes `docs/reports/verdicts.md`. With `--asked` a runtime that the user has installed is asked about
/// random nodes. With `--dask` a cluster of Dask reduces an array that is larger
/// than the memory of its workers, and no engine is asked.
/// With `--peers` the tests of other projects are run
/// against the package, which writes `docs/reports/peer-suites.md`. With `--reports` the reports of the command are validated by schemas and by the
/// programs that read them.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    match words.split_first().map(|(first, told)| (first.as_str(), told)) {
        Some(("--verdicts", told)) => return verdicts(root, told),
        Some(("--peers", told)) => return peers(root, told),
        Some(("--asked", told)) => return asked(root, told),
        Some(("--dask", told)) => return dask(root, told),
        Some(("--reports", told)) => return reports(root, told),
        _ => (),
    }
    let (mut quick, mut about_models, mut engines) = (false, false, Vec::new());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match (word.as_str(), rest.as_slice().first()) {
            ("--quick", _) => quick = true,
            ("--models", _) => about_models = true,
            ("--engine", Some(name)) => {
                engines.push(name.clone());
                rest.next();
            }
            _ => return Err(format!("unknown argument '{word}'; usage: conformance {CONFORMANCE_USAGE}")),
        }
    }
    if !python::is_here() {
        return Err("no Python 3.10 or newer that can make virtual environments".to_owned());
    }
    match prepare(root, if quick && !about_models { BOUNDED } else { FULL })? {
        Ready::Skipped(why) => Err(why),
        Ready::Suite(suite) if about_models => models(root, &suite),
        Ready::Suite(mut suite) => {
            suite.args((!quick).then_some("--full"));
            suite.args(engines.iter().flat_map(|name| ["--engine", name]));
            match suite.status() {
                Ok(status) if status.success() => Ok(()),
                Ok(status) => Err(format!("the engines do not agree, or were not asked ({status})")),
                Err(error) => Err(format!("the suite cannot be run: {error}")),
            }
        }
    }
}

/// Builds the command and the examples, and asks every question about whole models; all are asked, whatever one finds.
fn models(root: &Path, suite: &Command) -> Result<(), String> {
    build_programs(root)?;
    let mut wrong = Vec::new();
    for (name, words) in MODEL_SUITES {
        println!("{name}");
        let mut script = Command::new(suite.get_program());
        script.args(["-m", &format!("conformance.{name}")]).args(words).current_dir(root);
        if !script.status().is_ok_and(|status| status.success()) {
            wrong.push(name);
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("wrong, or not asked: {}", wrong.join(" "))) }
}

/// Asks the engines about random models: whether every verdict is right, and every repair.
fn verdicts(root: &Path, told: &[String]) -> Result<(), String> {
    script(root, "conformance.verdicts", (told, VERDICTS), FULL, "a verdict or a repair is wrong, or was not judged")
}

/// Asks an installed runtime about drawn nodes through the command, and compares with the laws of its target.
fn asked(root: &Path, told: &[String]) -> Result<(), String> {
    build_programs(root)?;
    script(
        root,
        "conformance.asked",
        (told, ASKED),
        BOUNDED,
        "a law is not what the runtime does, or a repair is wrong",
    )
}

/// Builds the command and the examples.
fn build_programs(root: &Path) -> Result<(), String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo).args(["build", "--workspace", "--bins", "--examples"]).current_dir(root).status();
    let is_built = built.is_ok_and(|status| status.success());
    is_built.then_some(()).ok_or_else(|| "the command and the examples do not build".to_owned())
}

/// Runs the tests of other projects against the package: numexpr's and NumPy's, and the array API's where its checkout is given.
fn peers(root: &Path, told: &[String]) -> Result<(), String> {
    script(
        root,
        "conformance.peers",
        (told, PEER_OPTIONS),
        "requirements-peers.txt",
        "a test fails for no known reason",
    )
}

/// Validates the reports of the command; builds it unless a binary is given.
fn reports(root: &Path, told: &[String]) -> Result<(), String> {
    if !told.iter().any(|word| word == "--binary") {
        build_programs(root)?;
    }
    script(root, "conformance.reports", (told, REPORTS), "requirements-reports.txt", "a report is not valid")
}

/// Runs a module of `conformance/` with the words that it was told, among those that it may be.
fn script(
    root: &Path,
    module: &str,
    (told, known): (&[String], (&[&str], &[&str])),
    list: &str,
    wrong: &str,
) -> Result<(), String> {
    let mut rest = told.iter();
    while let Some(word) = rest.next() {
        let is_known = known.1.contains(&word.as_str())
            || (known.0.contains(&word.as_str()) && rest.next().is_some_and(|value| !value.starts_with('-')));
        if !is_known {
            return Err(format!("unknown argument '{word}'; usage: conformance {CONFORMANCE_USAGE}"));
        }
    }
    if !python::is_here() {
        return Err("no Python 3.10 or newer that can make virtual environments".to_owned());
    }
    let suite = match prepare(root, list)? {
        Ready::Skipped(why) => return Err(why),
        Ready::Suite(suite) => suite,
    };
    let mut script = Command::new(suite.get_program());
    script.args(["-m", module]).args(told).current_dir(root);
    match script.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{wrong} ({status})")),
        Err(error) => Err(format!("{module} cannot be run: {error}")),
    }
}

/// Compares reductions on a cluster of Dask with NumPy.
fn dask(root: &Path, told: &[String]) -> Result<(), String> {
    let known = told.chunks(2).all(|pair| DASK.contains(&pair[0].as_str()) && pair.len() == 2);
    if !known {
        return Err(format!("unknown arguments '{}'; usage: conformance {CONFORMANCE_USAGE}", told.join(" ")));
    }
    if !python::is_here() {
        return Err("no Python 3.10 or newer that can make virtual environments".to_owned());
    }
    let mut script = Command::new(python::build(root)?);
    script.args(["-m", "conformance.dask_cluster"]).args(told).current_dir(root);
    match script.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("a result is wrong, or a worker was restarted ({status})")),
        Err(error) => Err(format!("the cluster cannot be started: {error}")),
    }
}

/// Builds the package, installs the engines of a list where it has changed, and returns the command that asks them.
///
/// Engines that cannot be installed are a failure where `CI` is set, and a reason to skip elsewhere.
pub(crate) fn prepare(root: &Path, name: &str) -> Result<Ready, String> {
    if !python::is_from((3, 11)) {
        return Ok(Ready::Skipped("the engines' versions that are pinned are for Python from 3.11 on".to_owned()));
    }
    let python = python::build(root)?;
    let list = root.join("conformance").join(name);
    let read = |path: &Path| fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let wanted = read(&list)? + &read(&root.join("conformance/requirements.txt"))?;
    let folder = Path::new(&python).parent().and_then(Path::parent).ok_or("the environment has no folder")?;
    let stamp = folder.join(format!("conformance-{name}"));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        println!("the engines of {} are installed", list.display());
    } else {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        let installed = Command::new(&python).args(pip).arg(&list).status().is_ok_and(|status| status.success());
        if !installed {
            let why = "pip does not install the engines".to_owned();
            return if env::var_os("CI").is_some() { Err(why) } else { Ok(Ready::Skipped(why)) };
        }
        fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    }
    let mut suite = Command::new(&python);
    suite.args(["-m", "pytest", "--quiet", "--no-header", "conformance"]).current_dir(root);
    Ok(Ready::Suite(suite))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_mean_nothing_are_refused() {
        for words in [
            &["--fast"][..],
            &["--engine"],
            &["--quick", "numpy"],
            &["--verdicts", "7"],
            &["--verdicts", "--seed"],
            &["--verdicts", "--seed", "--count", "9"],
            &["--quick", "--verdicts"],
            &["--dask", "7"],
            &["--dask", "--limit"],
            &["--dask", "--seed", "7"],
            &["--peers", "numpy"],
            &["--peers", "--array-api-tests"],
            &["--peers", "--seed", "1"],
            &["--reports", "--binary"],
            &["--reports", "--binary", "a", "sarif"],
        ] {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            assert!(run(Path::new("."), &words).is_err_and(|why| why.contains("usage: conformance")), "{words:?}");
        }
    }

    #[test]
    fn every_question_about_models_is_asked() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance");
        let has_main = |path: &Path| fs::read_to_string(path).is_ok_and(|text| text.contains("__main__"));
        let scripts = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut asked: Vec<String> = scripts
            .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("models_") && has_main(path))
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .chain(["laws".to_owned()])
            .collect();
        asked.sort();
        let mut listed = MODEL_SUITES.map(|(name, _)| name);
        listed.sort_unstable();
        assert_eq!(asked, listed);
    }

    #[test]
    fn scripts_take_what_is_passed_on() {
        let verdicts = include_str!("../../conformance/verdicts/__main__.py");
        let peers = include_str!("../../conformance/peers/__main__.py");
        let asked = include_str!("../../conformance/asked/__main__.py");
        let reports = include_str!("../../conformance/reports.py");
        let scripts = [(verdicts, VERDICTS), (peers, PEER_OPTIONS), (asked, ASKED), (reports, REPORTS)];
        for (script, (valued, plain)) in scripts {
            for word in valued.iter().chain(plain) {
                assert!(script.contains(&format!("add_argument(\"{word}\"")), "{word}");
            }
        }
    }

    #[test]
    fn the_script_takes_what_dask_passes_on() {
        let script = include_str!("../../conformance/dask_cluster.py");
        for word in DASK {
            assert!(script.contains(&format!("add_argument(\"{word}\"")), "{word}");
        }
    }

    #[test]
    fn every_engine_is_pinned() {
        let lists = [
            include_str!("../../conformance/requirements.txt"),
            include_str!("../../conformance/requirements-full.txt"),
            include_str!("../../conformance/requirements-peers.txt"),
            include_str!("../../conformance/requirements-reports.txt"),
            include_str!("../../conformance/requirements-mutants.txt"),
        ];
        let lines = lists.iter().flat_map(|list| list.lines()).filter(|line| !line.starts_with(['#', '-']));
        let (mut pinned, mut names) = (0, String::new());
        for line in lines {
            assert!(line.contains("=="), "{line}");
            pinned += 1;
            names += line;
        }
        assert!(pinned > 10);
        for engine in ["numpy", "onnx=", "onnxruntime", "openvino", "ncnn", "paddlepaddle", "torch", "numexpr"] {
            assert!(names.contains(engine), "{engine}");
        }
    }
}
