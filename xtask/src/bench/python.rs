//! What calls of the Python package cost beside NumPy's and numexpr's.

use std::{path::Path, process::Command};

use super::{peers, succeed};
use crate::python::forget_us;

/// The page that a recorded run writes.
const PAGE: &str = "docs/performance-python.md";

/// Installs the package as users do, beside the peers, and runs `bench/python_overhead.py`.
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
        command.arg(root.join(PAGE));
    }
    succeed(&mut command, "bench/python_overhead.py failed")
}
