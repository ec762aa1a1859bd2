//! Builds the Python package into a virtual environment below the build folder, and tests it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The tests that limit memory, send signals, fork or take times: they run one by one while the others run, and mostly wait.
const ALONE: &[&str] = &[
    "tests/test_checks.py",
    "tests/test_faults.py",
    "tests/test_larger_than_memory.py",
    "tests/test_memory.py",
    "tests/test_robust.py",
];

/// The feature with which the package is built of the same crates as the tests of the workspace.
const AS_TESTED: &str = "as-tested";

/// Says whether a Python that the package supports can make virtual environments.
pub(crate) fn is_here() -> bool {
    is_from((3, 10))
}

/// Says whether a Python of this version or newer can make virtual environments.
pub(crate) fn is_from((major, minor): (u32, u32)) -> bool {
    let ask = format!("import ensurepip, sys, venv; sys.exit(sys.version_info < ({major}, {minor}))");
    Command::new("python3").args(["-c", &ask]).output().is_ok_and(|output| output.status.success())
}

/// Returns the folder of the environment.
fn folder(root: &Path) -> PathBuf {
    target(root).join("python-venv")
}

/// Returns the build folder.
pub(crate) fn target(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// Makes the environment of the tests, and returns the folder of its programs.
pub(crate) fn environment(root: &Path) -> Result<PathBuf, String> {
    environment_of(&folder(root), &root.join("crates/broadaxe-python/tests/requirements.txt"))
}

/// Makes an environment, and installs what the file `list` names where that has changed; returns the folder of its programs.
pub(crate) fn environment_of(folder: &Path, list: &Path) -> Result<PathBuf, String> {
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = programs.join("python");
    if !python.exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(folder), "python3 makes no environment")?;
    }
    let wanted = fs::read_to_string(list).map_err(|e| format!("{}: {e}", list.display()))?;
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(programs);
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    let why = format!("pip does not install what {} names", list.display());
    succeed(Command::new(&python).args(pip).arg(list), &why)?;
    fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(programs)
}

/// Builds the package into its environment, and returns the interpreter.
///
/// The build is that of the other tests, so that the engine is not compiled again.
pub(crate) fn build(root: &Path) -> Result<PathBuf, String> {
    let (target, folder) = (target(root), folder(root));
    let programs = environment(root)?;
    let (python, package) = (programs.join("python"), root.join("crates/broadaxe-python"));
    let mut maturin = Command::new(programs.join("maturin"));
    maturin.args(["develop", "--quiet", "--features", AS_TESTED]).current_dir(&package).env("VIRTUAL_ENV", &folder);
    forget_us(&mut maturin);
    succeed(&mut maturin, "the package does not build")?;
    if cfg!(target_os = "linux") {
        build_panics(root, &target, &python)?;
    }
    Ok(python)
}

/// Returns the commands that test the package, with the interpreter that it was built for, and what judges the peers.
pub(crate) fn tests(root: &Path, python: &Path) -> [Command; 3] {
    let pytest = || {
        let mut command = Command::new(python);
        command.args(["-m", "pytest", "--quiet", "--no-header", "-p", "no:warnings"]);
        command.current_dir(root.join("crates/broadaxe-python")).env("PYTHONUNBUFFERED", "1");
        command
    };
    let (mut together, mut alone, mut peers) = (pytest(), pytest(), pytest());
    together.args(["--numprocesses", "auto", "--dist", "loadfile"]);
    together.args(ALONE.iter().map(|file| format!("--ignore={file}")));
    alone.args(ALONE);
    peers.args(["-p", "no:cacheprovider", "test_peers.py"]).current_dir(root.join("bench"));
    [together, alone, peers]
}

/// Builds the module of the test that panics and puts it next to the package, on systems where an extension needs no more to be linked.
fn build_panics(root: &Path, target: &Path, python: &Path) -> Result<(), String> {
    let ask = "import sys, sysconfig; print(sysconfig.get_path('platlib'), '%d.%d' % sys.version_info[:2])";
    let answer = Command::new(python).args(["-c", ask]).output().map_err(|e| format!("{}: {e}", python.display()))?;
    let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
    let (folder, version) = answer.trim().rsplit_once(' ').ok_or("Python does not say where its packages are")?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let features = format!("panics,{AS_TESTED}");
    cargo.args(["build", "--quiet", "-p", "broadaxe-python", "--features", &features, "--example", "broadaxe_panics"]);
    // As maturin sets them, so that what the package is built of is not built again.
    cargo.current_dir(root).env("PYO3_BUILD_EXTENSION_MODULE", "1");
    cargo.env("PYO3_ENVIRONMENT_SIGNATURE", format!("cpython-{version}-{}bit", usize::BITS));
    cargo.env("PYO3_PYTHON", python).env("PYTHON_SYS_EXECUTABLE", python);
    let files = fs::read_dir(target.join("maturin")).into_iter().flatten().flatten().map(|entry| entry.path());
    let name = format!("-{version}-abi3.txt");
    if let Some(file) = files.into_iter().find(|path| path.to_string_lossy().ends_with(&name)) {
        cargo.env("PYO3_CONFIG_FILE", file);
    }
    forget_us(&mut cargo);
    succeed(&mut cargo, "the module of the test that panics does not build")?;
    let (from, to) =
        (target.join("debug/examples/libbroadaxe_panics.so"), Path::new(folder).join("broadaxe_panics.abi3.so"));
    // What is loaded keeps the old file.
    let _ = fs::remove_file(&to);
    fs::copy(&from, &to).map(|_| ()).map_err(|e| format!("{}: {e}", from.display()))
}

/// Removes cargo's variables about this program from a command's environment: to build scripts that read them, it would look
/// like a change.
pub(crate) fn forget_us(command: &mut Command) {
    let about_us = env::vars_os().map(|(name, _)| name).filter(|name| {
        name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
    });
    about_us.for_each(|name| {
        command.env_remove(name);
    });
}

fn succeed(command: &mut Command, why: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{why} ({status})")),
        Err(error) => Err(format!("{why}: {error}")),
    }
}
