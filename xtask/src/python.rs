//! The Python package: built into an environment of its own below the build folder, and tested there.

use std::{env, fs, path::Path, process::Command};

/// Fails on a Python older than the package is for, and on one that makes no environments.
const LEAST: &str = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))";

/// Says whether there is a Python that the package is for, with what it takes to make environments.
pub(crate) fn is_here() -> bool {
    Command::new("python3").args(["-c", LEAST]).output().is_ok_and(|output| output.status.success())
}

/// Makes the environment, installs what the tests need where that has changed, and builds the package into it.
///
/// The build is that of the other tests, so that the engine is not compiled again.
pub(crate) fn build(root: &Path) -> Result<Command, String> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
    let folder = target.join("python-venv");
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = programs.join("python");
    if !python.exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&folder), "python3 makes no environment")?;
    }
    let package = root.join("crates/broadaxe-python");
    let list = package.join("tests/requirements.txt");
    let wanted = fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        println!("the environment {} is up to date", folder.display());
    } else {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        succeed(Command::new(&python).args(pip).arg(&list), "pip does not install what the tests need")?;
        fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    }
    let mut maturin = Command::new(programs.join("maturin"));
    maturin.args(["develop", "--quiet"]).current_dir(&package).env("VIRTUAL_ENV", &folder);
    forget_us(&mut maturin);
    succeed(&mut maturin, "the package does not build")?;
    let mut tests = Command::new(&python);
    tests.args(["-m", "pytest", "--quiet", "--no-header", "-p", "no:warnings"]).current_dir(&package);
    tests.env("PYTHONUNBUFFERED", "1");
    Ok(tests)
}

/// Takes from a command's environment what cargo says about this very program: to build scripts that ask for it, it would look
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
