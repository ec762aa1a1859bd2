//! Runs the Python part: times calls of the package, NumPy and numexpr, judges sweeps, and writes the page.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

use super::{peers, succeed};
use crate::python::forget_us;

/// The page that a recorded run writes.
const PYTHON_PAGE: &str = "docs/reports/performance-python.md";

/// Installs the package as users do, next to the peers, and runs `bench/python_overhead.py`.
pub(super) fn run(root: &Path, target: &Path, record: bool) -> Result<(), String> {
    let python = peers::install(target, &["numexpr".to_owned()])?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .arg(root.join("crates/broadaxe-python"));
    forget_us(&mut pip);
    succeed(&mut pip, "pip does not install the package")?;
    let mut command = Command::new(python);
    command.arg(root.join("bench/python_overhead.py"));
    if record {
        command.arg(root.join(PYTHON_PAGE));
    }
    succeed(&mut command, "bench/python_overhead.py failed")
}

/// Writes `docs/reports/performance.md` from the records.
pub(super) fn page(root: &Path) -> Result<(), String> {
    succeed(&mut script(root), "bench/page.py failed")
}

/// Prints which points of a sweep break its rule.
pub(super) fn judge(root: &Path, sweep: &Value) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("bench/page.py: {error}");
    let mut script = script(root).arg("--judge").stdin(Stdio::piped()).spawn().map_err(failed)?;
    if let Some(mut input) = script.stdin.take() {
        input.write_all(sweep.to_string().as_bytes()).map_err(failed)?;
    }
    let status = script.wait().map_err(failed)?;
    if status.success() { Ok(()) } else { Err(format!("bench/page.py failed: {status}")) }
}

fn script(root: &Path) -> Command {
    let mut python = Command::new("python3");
    python.arg(root.join("bench/page.py"));
    python
}
