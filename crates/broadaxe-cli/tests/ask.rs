//! `check --ask`, run as a user runs it, with a package in the place of ONNX Runtime that ends the process.
#![cfg(unix)]

#[path = "shared/engine.rs"]
mod engine;

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

/// A folder with an environment, the user's cache, and the system's folder for temporary files; it is removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let place = Self(std::env::temp_dir().join(format!("broadaxe-ask-test-{}-{name}", std::process::id())));
        fs::create_dir_all(place.0.join("temporary")).expect("a folder");
        engine::install(&place.0);
        place
    }

    fn broadaxe(&self, args: &[&str]) -> Output {
        self.run("check", args)
    }

    fn run(&self, subcommand: &str, args: &[&str]) -> Output {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut command = Command::new(env!("CARGO_BIN_EXE_broadaxe"));
        command.args([subcommand, "examples/face.onnx"]).args(args).current_dir(root);
        command.env("BROADAXE_ENGINES", self.0.join("engines")).env("XDG_CACHE_HOME", self.0.join("cache"));
        command
            .env_remove("BROADAXE_CACHE_DIR")
            .env("TMPDIR", self.0.join("temporary"))
            .output()
            .expect("the command starts")
    }

    /// Makes a folder of files that leave a file in `ran`, by the names of modules and programs that Python and the command look for.
    fn hostile(&self) -> PathBuf {
        let (folder, ran) = (self.0.join("hostile"), self.0.join("ran"));
        fs::create_dir_all(&ran).expect("a folder");
        fs::create_dir_all(folder.join("bin")).expect("a folder");
        let write = |name: &str, text: String| {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, text).expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        };
        let left = |name: &str| ran.join(name.replace('/', "-")).display().to_string();
        let sites = (8..20).map(|minor| format!("lib/python3.{minor}/site-packages/usercustomize.py"));
        let modules = ["sitecustomize", "usercustomize", "json", "importlib", "numpy", "onnxruntime", "startup"];
        for name in modules.map(|name| format!("{name}.py")).into_iter().chain(sites) {
            write(&name, format!("open({:?}, 'w').close()\n", left(&name)));
        }
        for name in ["python", "python3", "bin/python", "bin/python3", "engine/bin/python"] {
            write(name, format!("#!/bin/sh\necho > '{}'\n", left(name)));
        }
        // A model of one node: each question starts another Python.
        let model =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports/upstream/models/ort-webgpu-add.onnx");
        fs::copy(model, folder.join("add.onnx")).expect("a copy");
        folder
    }

    fn files(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(folder)).into_iter().flatten();
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_engine_that_ends_the_process() {
    let place = Place::new("ends");
    let json = |args: &[&str]| {
        let output = place.broadaxe(&[&["--json"], args].concat());
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).expect("JSON"))
    };
    let (code, found) = json(&["--ask", "onnxruntime@9.1"]);
    let model = &found["models"][0];
    assert_eq!((code, model["targets"].as_array().map(Vec::len)), (Some(1), Some(1)), "{found}");
    assert_eq!(model["targets"][0]["name"], "onnxruntime 9.1.0");
    let finding = &model["findings"][0];
    let says = ["verdict", "reason", "evidence", "source"].map(|name| finding[name].as_str().unwrap());
    assert_eq!(says, ["refused", "ends the process (signal 6)", "asked now", "onnxruntime 9.1.0"]);
    // Nothing is left but the answers.
    assert_eq!(place.files("temporary"), [] as [&str; 0]);
    let answers = place.files("cache/broadaxe/asked");
    assert!(answers.iter().all(|name| name.starts_with("onnxruntime-9.1.0-") && !name.contains("tmp")), "{answers:?}");
    assert!(!answers.is_empty());
    let (_, again) = json(&["--ask", "ort"]);
    assert_eq!(again["models"][0]["findings"][0]["evidence"], "asked before");
    let (_, anew) = json(&["--ask", "ort", "--ask-again"]);
    assert_eq!(anew["models"][0]["findings"][0]["evidence"], "asked now");

    // The targets that are named are still judged.
    let (_, both) = json(&["--ask", "ort", "--for", "onnx6"]);
    let names: Vec<&str> =
        both["models"][0]["targets"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["onnx6", "onnxruntime 9.1.0"]);
    let output = place.broadaxe(&["--ask", "ort", "--fail-on", "differs"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text.contains("refused by onnxruntime 9.1.0") && text.contains("why:   ends the process (signal 6)"),
        "{text}"
    );
    assert!(text.contains("known: asked before, onnxruntime 9.1.0"), "{text}");
    let sarif = place.broadaxe(&["--ask", "ort", "--format", "sarif"]);
    assert!(String::from_utf8_lossy(&sarif.stdout).contains("asked before, onnxruntime 9.1.0"));
}

/// A repair is run before it is called one.
#[test]
fn what_an_engine_still_computes_wrongly() {
    let place = Place::new("fix");
    let fix = |args: &[&str]| place.run("fix", &[&["--for", "ncnn", "--dry-run"], args].concat());
    assert_eq!(fix(&[]).status.code(), Some(0));
    let output = fix(&["--ask", "ort"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("refused on onnxruntime 9.1.0: ends the process (signal 6)"), "{text}");
    let record: Value = serde_json::from_slice(&fix(&["--ask", "ort", "--json"]).stdout).expect("JSON");
    let left = record["left"].as_array().unwrap();
    assert_eq!(left[0]["kind"], "finding", "{left:?}");
    assert_eq!(left[0]["reason"], "onnxruntime 9.1.0: ends the process (signal 6)", "{left:?}");
}

#[test]
fn wrong_usage() {
    let place = Place::new("usage");
    let cases: [(&[&str], &str); 5] = [
        (
            &["--ask", "onnxruntime@9.2"],
            "onnxruntime 9.2 is not installed in any Python that was found (installed: 9.1.0",
        ),
        (&["--ask", "onnxruntime@9.2"], "engines/onnxruntime-9.2/bin/pip install onnxruntime==9.2 numpy"),
        (&["--ask", "onnxruntim"], "did you mean 'onnxruntime'?"),
        (&["--ask-again"], "--ask <RUNTIME"),
        (&["--ask", "ort", "--ask-seconds", "0"], "0 is not in 1..=86400"),
    ];
    for (args, want) in cases {
        let output = place.broadaxe(args);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(want), "{args:?}: {text}");
    }
}

/// Variables that name the current folder, as those of many shell profiles do, run nothing of it.
#[test]
fn nothing_of_the_current_folder_is_run() {
    let place = Place::new("hostile");
    let folder = place.hostile();
    let path = std::env::var("PATH").expect("a path");
    let paths = [format!(".:{path}"), format!(":{path}"), format!("{path}:"), format!("bin:{path}")];
    let others = [
        &[("PYTHONPATH", ":/x")][..],
        &[("PYTHONPATH", "/x:")],
        &[("PYTHONPATH", ".")],
        &[("PYTHONPATH", "../hostile:lib")],
        &[("PYTHONPATH", "."), ("PYTHONWARNINGS", "ignore::startup.Warning")],
        &[("PYTHONHOME", ".")],
        &[("PYTHONUSERBASE", ".")],
        &[("PYTHONSTARTUP", "startup.py"), ("PYTHONINSPECT", "1")],
        &[("VIRTUAL_ENV", ".")],
        &[("VIRTUAL_ENV", "")],
        &[("CONDA_PREFIX", "engine")],
        &[("TMPDIR", ".")],
    ];
    let cases = paths.iter().map(|path| vec![("PATH", path.as_str())]).chain(others.map(<[_]>::to_vec));
    let mut failures = Vec::new();
    for variables in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_broadaxe"));
        command.args(["check", "--quiet", "add.onnx", "--ask", "ort", "--no-cache", "--json"]).current_dir(&folder);
        command.env("BROADAXE_ENGINES", place.0.join("engines")).envs(variables.iter().copied());
        let output = command.output().expect("the command starts");
        // The engine is found and asked all the same.
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let (ran, evidence) = (place.files("ran"), &found["models"][0]["findings"][0]["evidence"]);
        if !ran.is_empty() || evidence != "asked now" {
            failures.push(format!("{variables:?} ran {ran:?}, {evidence}"));
        }
        for name in ran {
            fs::remove_file(place.0.join("ran").join(name)).expect("a file");
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadaxe"));
    command.args(["check", "add.onnx", "--ask", "ort"]).current_dir(&folder).env("BROADAXE_ENGINES", "/x:.");
    let output = command.output().expect("the command starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("BROADAXE_ENGINES names the folder '.', which is not absolute"), "{text}");
    assert_eq!(place.files("ran"), [] as [&str; 0]);
}

/// MNN's wrapper in Python installs a package and sends a log, so the compiled module is called. Engines are told to send nothing.
#[test]
fn engines_neither_send_nor_install() {
    let place = Place::new("quiet");
    let ran = place.0.join("ran");
    fs::create_dir_all(&ran).expect("a folder");
    let write = |name: &str, text: &str| {
        let path = place.0.join("packages").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let left = |name: &str| format!("open({:?}, 'w').close()\n", ran.join(name).display().to_string());
    for name in ["numpy.py", "MNN/__init__.py", "MNN/expr.py", "MNN/nn.py"] {
        write(name, "");
    }
    for name in ["MNN/tools/__init__.py", "MNN/tools/mnnconvert.py", "MNN/tools/utils/log.py", "pip/__init__.py"] {
        write(name, &left(&name.replace('/', "-")));
    }
    let names =
        ["ORT_DISABLE_TELEMETRY", "TVM_FFI_DISABLE_TORCH_C_DLPACK", "HF_HUB_OFFLINE", "DO_NOT_TRACK", "PIP_NO_INDEX"];
    let set = format!(
        "import os\n\n\ndef mnnconvert(words):\n    assert all(os.environ[name] == '1' for name in {names:?})\n    "
    );
    write("_tools.py", &(set + &left("converted")));
    let output = place.broadaxe(&["--ask", "mnn@9.2", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        found["models"][0]["findings"][0]["reason"], "it says: RuntimeError: the converter refuses the model",
        "{found}"
    );
    assert_eq!(place.files("ran"), ["converted"]);
}

/// The scripts that start engines, and those of the tests, import none of the wrappers that send or install.
#[test]
fn no_script_imports_a_wrapper_that_sends_or_installs() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        own.join("../broadaxe-session/engines"),
        own.join("../../engines"),
        own.join("../../atlas/adapters"),
        own.join("../../conformance"),
    ];
    let wrappers =
        ["MNN.tools", "openvino.tools", "openvino_telemetry", "ncnn.model_zoo", "huggingface_hub", "torch.hub"];
    let mut read = 0;
    for entry in folders.iter().flat_map(walkdir::WalkDir::new).map(|entry| entry.expect("an entry")) {
        if entry.path().extension().is_some_and(|extension| extension == "py") {
            let text = fs::read_to_string(entry.path()).expect("a script");
            let code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
            for line in code {
                let found = wrappers.iter().find(|wrapper| line.contains(*wrapper));
                assert_eq!(found, None, "{}: {line}", entry.path().display());
            }
            read += 1;
        }
    }
    assert!(read > 50, "{read} scripts were read");
}
