//! Installs a package in the place of ONNX Runtime, which ends the process.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

/// What ends the process when a model is loaded, after it has left a file and written to the standard output.
const PACKAGE: &str = "
import os
import signal


def set_default_logger_severity(level):
    print('noise')


__version__ = '9.1.0'


class GraphOptimizationLevel:
    ORT_DISABLE_ALL = 0


class SessionOptions:
    def add_session_config_entry(self, name, value):
        pass


def InferenceSession(*arguments, **named):
    open('core', 'w').write('left')
    print('{\"shape\": []}', flush=True)
    os.kill(os.getpid(), signal.SIGABRT)
";

/// Makes an environment in `engines/ort`, whose packages are in `packages`.
pub(crate) fn install(folder: &Path) {
    let (packages, bin) = (folder.join("packages"), folder.join("engines/ort/bin"));
    fs::create_dir_all(&bin).expect("a folder");
    for (package, version) in [("onnxruntime", "9.1.0"), ("numpy", "9.0"), ("MNN", "9.2")] {
        let about = packages.join(format!("{package}-{version}.dist-info"));
        fs::create_dir_all(&about).expect("a folder");
        let text = format!("Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n");
        fs::write(about.join("METADATA"), text).expect("a file");
    }
    fs::write(packages.join("onnxruntime.py"), PACKAGE).expect("a file");
    let script = format!("#!/bin/sh\nPYTHONPATH='{}':$PYTHONPATH exec python3 \"$@\"\n", packages.display());
    fs::write(bin.join("python"), script).expect("a file");
    fs::set_permissions(bin.join("python"), fs::Permissions::from_mode(0o755)).expect("a program");
}
