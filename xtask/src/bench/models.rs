//! Times the model checker, and onnx and OpenVINO on the same files.

use std::{env, path::Path, process::Command};

use super::{cargo, peers, succeed};

/// The page that a recorded run writes.
const MODELS_PAGE: &str = "docs/reports/performance-models.md";
/// The folder of real model graphs, next to the repository.
const MODELS_FOLDER: &str = "../shared/models";

/// Builds the command in release mode and runs `bench/models.py`.
pub(super) fn run(root: &Path, target: &Path, record: bool) -> Result<(), String> {
    let models = root.join(MODELS_FOLDER);
    if !models.is_dir() {
        return Err(format!("{} is not there; it should hold graphs as */*.onnx.gz and */*.xml.gz", models.display()));
    }
    let words = ["build", "--release", "--quiet", "-p", "broadaxe-cli"];
    succeed(cargo(root).args(words), "the command does not build")?;
    let python = peers::install(target, &["onnxruntime".to_owned(), "openvino".to_owned()])?;
    let program = target.join("release").join(format!("broadaxe{}", env::consts::EXE_SUFFIX));
    let mut command = Command::new(python);
    command.arg(root.join("bench/models.py")).arg(program).arg(models);
    if record {
        command.arg(root.join(MODELS_PAGE));
    }
    succeed(&mut command, "bench/models.py failed")
}
