//! Finds the Python environments of the user, and which engines they have.

use std::{
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::{isolation::EmptyFolder, runtimes::Wanted};
use crate::error::{Error, escaped, quoted};

/// Runs a script whose length is the first argument, and which comes first on standard input.
pub(super) const BOOT: &str = include_str!("scripts/boot.py");
const PROBE: &str = include_str!("scripts/probe.py");
/// How long an environment may take to say which packages it has.
const PROBE_TIME: Duration = Duration::from_secs(20);
/// Environments of a folder that are looked at.
const MOST_ENVIRONMENTS: usize = 100;
/// Entries of a folder that are looked at in search of them.
const MOST_ENTRIES: usize = 10_000;

/// A Python, and the packages that were asked for and that it has.
#[derive(Clone, Debug)]
pub(super) struct Environment {
    pub(super) python: PathBuf,
    pub(super) packages: BTreeMap<String, String>,
}

/// An engine that is installed.
#[derive(Clone, Debug)]
pub(super) struct Engine {
    pub(super) wanted: Wanted,
    pub(super) version: String,
    pub(super) python: PathBuf,
}

/// Lists the Pythons that may have engines: those of the folders, the active environment, and those of the search path.
///
/// Only the command line may name a folder relative to the current one: a variable is set once and for all folders.
///
/// # Errors
/// When `BROADAXE_ENGINES` names a relative folder.
pub(super) fn pythons(folders: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    let list = env::var_os("BROADAXE_ENGINES").unwrap_or_default();
    let named: Vec<PathBuf> = env::split_paths(&list).filter(|folder| !folder.as_os_str().is_empty()).collect();
    if let Some(folder) = named.iter().find(|folder| folder.is_relative()) {
        let folder = quoted(&folder.display().to_string());
        let text =
            format!("BROADAXE_ENGINES names the folder '{folder}', which is not absolute; write --engines {folder}");
        return Err(Error::usage(format!("{text}, or an absolute path")));
    }
    for folder in folders.iter().chain(&named).filter(|folder| !folder.as_os_str().is_empty()) {
        found.extend(python_of(folder));
        let entries = fs::read_dir(folder).into_iter().flatten().take(MOST_ENTRIES);
        let mut inside: Vec<PathBuf> = entries.filter_map(|entry| python_of(&entry.ok()?.path())).collect();
        inside.sort();
        found.extend(inside.into_iter().take(MOST_ENVIRONMENTS));
    }
    for active in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        let folder = env::var_os(active).map(PathBuf::from).filter(|folder| folder.is_absolute());
        found.extend(folder.and_then(|folder| python_of(&folder)));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    found.extend(["python3", "python"].iter().filter_map(|name| on_path(name, &path)));
    let mut unique: Vec<PathBuf> = Vec::new();
    for python in found.into_iter().filter_map(|python| std::path::absolute(python).ok()) {
        if !unique.contains(&python) {
            unique.push(python);
        }
    }
    Ok(unique)
}

/// Returns the Python of an environment, in the layout of Unix or of Windows.
fn python_of(folder: &Path) -> Option<PathBuf> {
    ["bin/python", "bin/python3", "Scripts/python.exe", "python.exe"]
        .iter()
        .map(|name| folder.join(name))
        .find(|python| python.is_file())
}

/// Returns the first program of this name in the absolute folders of a search path.
fn on_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(&file)).find(|python| python.is_file())
}

/// Makes the command that runs a script in a folder; the caller writes the script to its standard input first.
pub(super) fn command(python: &Path, folder: &EmptyFolder, script: &str, arguments: &[OsString]) -> Command {
    let mut command = folder.command(python);
    command.arg("-c").arg(BOOT).arg(script.len().to_string()).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Asks all Pythons which of these packages they have; those that do not answer have none.
///
/// # Errors
/// When the folder for temporary files cannot be written.
pub(super) fn environments(pythons: &[PathBuf], packages: &[&str]) -> Result<Vec<Environment>, Error> {
    let wanted = serde_json::to_string(packages).unwrap_or_default();
    let folder = EmptyFolder::new()?;
    let answers: Vec<BTreeMap<String, String>> = thread::scope(|scope| {
        let (folder, wanted) = (&folder, &wanted);
        let ask = |python| move || probe(python, folder, wanted).unwrap_or_default();
        let running: Vec<_> = pythons.iter().map(|python| scope.spawn(ask(python))).collect();
        running.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
    });
    let environment = |(python, packages): (&PathBuf, _)| Environment { python: python.clone(), packages };
    Ok(pythons.iter().zip(answers).map(environment).collect())
}

/// Asks a Python which of these packages it has; one that does not answer in time is ended.
fn probe(python: &Path, folder: &EmptyFolder, wanted: &str) -> Option<BTreeMap<String, String>> {
    let mut child = command(python, folder, PROBE, &[wanted.into()]).spawn().ok()?;
    let (mut stdin, mut stdout) = child.stdin.take().zip(child.stdout.take())?;
    let (to, from) = mpsc::channel();
    thread::spawn(move || {
        let mut text = String::new();
        let read = stdin.write_all(PROBE.as_bytes()).and_then(|()| stdout.read_to_string(&mut text));
        to.send(read.map(|_| text))
    });
    let text = from.recv_timeout(PROBE_TIME);
    // It may have ended already.
    let _ = child.kill();
    let _ = child.wait();
    serde_json::from_str(text.ok()?.ok()?.lines().last()?).ok()
}

/// Chooses the environment of each engine that is wanted: the newest version, or the one that is named.
///
/// # Errors
/// When an engine is not installed; the error says how to install it.
pub(super) fn choose(wanted: &[Wanted], environments: &[Environment]) -> Result<Vec<Engine>, Error> {
    wanted.iter().map(|one| chosen(one, environments)).collect()
}

fn chosen(wanted: &Wanted, environments: &[Environment]) -> Result<Engine, Error> {
    let runtime = wanted.runtime;
    let mut best: Option<(&Environment, &String)> = None;
    let (mut others, mut lacking) = (Vec::new(), None);
    for environment in environments {
        let Some(version) = environment.packages.get(runtime.package) else { continue };
        if wanted.version.as_ref().is_some_and(|wanted| !fits(version, wanted)) {
            others.push(version.as_str());
            continue;
        }
        if let Some(need) = runtime.needs.iter().find(|need| !environment.packages.contains_key(**need)) {
            lacking.get_or_insert((environment, version, *need));
            continue;
        }
        if best.is_none_or(|(_, known)| parts(known) < parts(version)) {
            best = Some((environment, version));
        }
    }
    if let Some((environment, version)) = best {
        return Ok(Engine { wanted: wanted.clone(), version: version.clone(), python: environment.python.clone() });
    }
    if let Some((environment, version, need)) = lacking {
        let python = escaped(&environment.python.display().to_string());
        let message =
            format!("{} {version} is installed, but {need}, which is needed to ask it, is not", runtime.package);
        return Err(Error::usage(message).with_detail(format!("  install it: {python} -m pip install {need}")));
    }
    Err(missing(wanted, environments, &others))
}

/// Says that an engine is not installed, what was found, and how to install it.
fn missing(wanted: &Wanted, environments: &[Environment], others: &[&str]) -> Error {
    let (package, version) = (wanted.runtime.package, wanted.version.as_deref());
    let named = version.map_or_else(|| package.to_owned(), |version| format!("{package} {version}"));
    let mut others: Vec<&str> = others.to_vec();
    others.sort_by_key(|version| parts(version));
    others.dedup();
    let found = if others.is_empty() { String::new() } else { format!(" (installed: {})", others.join(", ")) };
    let message =
        format!("--ask {}: {named} is not installed in any Python that was found{found}", wanted.runtime.name);
    let looked: Vec<String> =
        environments.iter().map(|one| format!("  looked in {}", escaped(&one.python.display().to_string()))).collect();
    let install = format!("  install it: {}\n  then add: --engines engines", wanted.runtime.install(version));
    Error::usage(message).with_detail([looked, vec![install]].concat().join("\n"))
}

/// Says whether a version is the wanted one, of which the last parts may be left out.
fn fits(version: &str, wanted: &str) -> bool {
    let rest = version.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '+']))
}

/// Returns what orders versions: their numbers; one with letters in it comes before the same without.
pub(super) fn parts(version: &str) -> Vec<(u64, bool)> {
    let part = |part: &str| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        (digits.parse().unwrap_or(0), digits.len() == part.len())
    };
    version.split(['.', '-', '+']).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::runtimes::RUNTIMES, *};

    fn environment(python: &str, packages: &[(&str, &str)]) -> Environment {
        let packages = packages.iter().map(|(name, version)| ((*name).to_owned(), (*version).to_owned())).collect();
        Environment { python: python.into(), packages }
    }

    fn gpu(version: Option<&str>) -> Wanted {
        let runtime = RUNTIMES.iter().find(|runtime| runtime.name == "litert-gpu").unwrap();
        Wanted { runtime, version: version.map(str::to_owned) }
    }

    #[test]
    fn the_newest_or_the_named_version() {
        let with = |version| [("ai-edge-litert", version), ("numpy", "2.0"), ("flatbuffers", "25.1")];
        let all = [
            environment("/a/python", &with("2.1.3")),
            environment("/b/python", &with("2.10.0")),
            environment("/c/python", &with("2.3.0")),
            environment("/d/python", &[]),
            environment("/e/python", &with("2.10.0rc1")),
        ];
        let cases = [
            (None, "/b/python 2.10.0"),
            (Some("2.3.0"), "/c/python 2.3.0"),
            (Some("2.1"), "/a/python 2.1.3"),
            (Some("2"), "/b/python 2.10.0"),
            (Some("2.10.0rc1"), "/e/python 2.10.0rc1"),
        ];
        for (version, want) in cases {
            let found = choose(&[gpu(version)], &all).unwrap();
            assert_eq!(format!("{} {}", found[0].python.display(), found[0].version), want);
        }
        let error = choose(&[gpu(Some("2.2.0"))], &all).unwrap_err();
        let want = "--ask litert-gpu: ai-edge-litert 2.2.0 is not installed in any Python that was found \
                    (installed: 2.1.3, 2.3.0, 2.10.0rc1, 2.10.0)";
        assert_eq!(error.to_string(), want);
        let detail = error.detail().unwrap();
        let install = "python3 -m venv engines/litert-gpu-2.2.0 && engines/litert-gpu-2.2.0/bin/pip install \
                       ai-edge-litert==2.2.0 flatbuffers numpy";
        assert!(detail.contains("looked in /d/python") && detail.contains(install), "{detail}");
    }

    #[test]
    fn what_is_needed_too() {
        let all = [environment("/a/python", &[("ai-edge-litert", "2.3.0"), ("numpy", "2.0")])];
        let error = choose(&[gpu(None)], &all).unwrap_err();
        assert!(error.to_string().contains("but flatbuffers, which is needed"), "{error}");
        assert_eq!(error.detail(), Some("  install it: /a/python -m pip install flatbuffers"));
    }
}
