//! Installs peers: other engines, in a virtual environment under the build folder.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Holds a peer: its name, and the packages that it and its script need besides NumPy.
struct Peer {
    name: &'static str,
    packages: &'static [&'static str],
}

const PEERS: &[Peer] = &[
    Peer { name: "numpy", packages: &[] },
    Peer { name: "numexpr", packages: &["numexpr"] },
    Peer { name: "torch", packages: &["torch"] },
    Peer { name: "onnxruntime", packages: &["onnxruntime", "onnx"] },
    Peer { name: "openvino", packages: &["openvino", "onnx"] },
    Peer { name: "pyarrow", packages: &["pyarrow"] },
];

/// Checks that all names are peers; `all` means every one.
pub(super) fn known(names: Vec<String>) -> Result<Vec<String>, String> {
    let all: Vec<&str> = PEERS.iter().map(|peer| peer.name).collect();
    if names == ["all"] {
        return Ok(all.into_iter().map(str::to_owned).collect());
    }
    match names.iter().find(|name| !all.contains(&name.as_str())) {
        Some(name) => Err(format!("unknown peer {name}; the peers are {}, or all", all.join(" "))),
        None => Ok(names),
    }
}

/// Makes the environment if there is none, installs what is missing, and returns its interpreter.
pub(super) fn install(target: &Path, names: &[String]) -> Result<PathBuf, String> {
    let folder = target.join("bench-venv");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !python.exists() {
        super::succeed(Command::new("python3").args(["-m", "venv"]).arg(&folder), "python3 makes no environment")?;
    }
    let mut packages = vec!["numpy", "ml_dtypes"];
    packages
        .extend(PEERS.iter().filter(|peer| names.iter().any(|name| name == peer.name)).flat_map(|peer| peer.packages));
    let imports = packages.iter().map(|package| format!("import {package}")).collect::<Vec<_>>().join("; ");
    let there = Command::new(&python).args(["-c", &imports]).output().is_ok_and(|output| output.status.success());
    if !there {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        super::succeed(Command::new(&python).args(pip).args(&packages), "pip does not install the peers")?;
    }
    Ok(python)
}

/// Returns the command that starts a peer.
pub(super) fn command(root: &Path, python: &Path, name: &str) -> Command {
    let mut command = Command::new(python);
    command.arg(root.join("bench/peers.py")).arg(name);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_has_its_class() {
        let script = include_str!("../../../bench/peers.py");
        for peer in PEERS {
            assert!(script.contains(&format!("\"{}\": ", peer.name)), "{}", peer.name);
        }
    }
}
