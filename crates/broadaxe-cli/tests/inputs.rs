//! What `check` and `census` accept as models, and results that are used again.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

const FACE: &str = "examples/face.onnx";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::fast());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

/// A folder with models of its own and a cache; it is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("broadaxe-inputs-{}-{name}", std::process::id()));
        fs::create_dir_all(path.join("models")).unwrap();
        Self(path)
    }

    fn add(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.join("models").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }

    /// Runs the command in the root of the repository, with this on standard input.
    fn run(&self, args: &[&str], input: &[u8]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_broadaxe"));
        command.args(args).current_dir(root()).env("BROADAXE_CACHE_DIR", self.0.join("cache"));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        // A command that does not read its input closes it.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }

    fn results(&self) -> usize {
        fs::read_dir(self.0.join("cache/checked")).map_or(0, Iterator::count)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Arguments after `check`, standard input, the exit code, the names of the models in order, and a part of the errors.
type Case<'a> = (&'a [&'a str], &'a [u8], i32, &'a [&'a str], &'a str);

#[test]
fn folders_patterns_and_standard_input() {
    let folder = Folder::new("arguments");
    let face = fs::read(root().join(FACE)).unwrap();
    let (second, tenth) = (folder.add("m2.onnx", &face), folder.add("m10.onnx", &face));
    let inner = folder.add("in/m.onnx.gz", &packed(&face));
    folder.add("in/package.json", b"{}");
    folder.add("in/read.me", b"text");
    folder.add("none/package.json", b"{}");
    let damaged = folder.add("damaged/m.onnx.gz", b"text");
    let models = folder.0.join("models").display().to_string();
    let of = |name: &str| format!("{models}/{name}");
    let (inside, none, stars, deep, tflite) = (of("in"), of("none"), of("*.onnx"), of("**/*.onnx*"), of("*.tflite"));
    let cases: [Case<'_>; 12] = [
        (&[&inside], b"", 1, &[&inner], ""),
        (&[&models], b"", 2, &[&inner, &second, &tenth], "damaged/m.onnx.gz: the file cannot be decompressed as gzip"),
        (&[&stars], b"", 1, &[&second, &tenth], ""),
        (&[&deep], b"", 2, &[&inner, &second, &tenth], "damaged/m.onnx.gz: "),
        (&[&tenth, &stars, &tenth], b"", 1, &[&tenth, &second], ""),
        (&[&none, &second], b"", 2, &[&second], "none: the folder has no models"),
        (&[&tflite, &second], b"", 2, &[&second], "*.tflite: no file matches this pattern"),
        (&["-"], &face, 1, &["-"], ""),
        (&["-", &second, "-"], &packed(&face), 1, &["-", &second], ""),
        (&["-"], b"text", 2, &[], "-: not a model file"),
        (&["-"], &packed(&face)[..50], 2, &[], "-: the file cannot be decompressed as gzip"),
        (&["--skip-others", "README.md", &damaged, &second], b"", 2, &[&second], "README.md"),
    ];
    for (args, input, code, names, says) in cases {
        for command in ["check", "census"] {
            if command == "census" && args[0].starts_with("--") {
                continue;
            }
            // Nodes are counted, and not judged.
            let code = if command == "census" && code == 1 { 0 } else { code };
            let output = folder.run(&[&[command], args, &["--json"]].concat(), input);
            let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            let models = report["models"].as_array().unwrap_or_else(|| panic!("{args:?}: {}", text(&output.stdout)));
            let found = models.iter().filter_map(|model| model["model"].as_str()).map(slashes);
            let names: Vec<String> = names.iter().map(|name| slashes(name)).collect();
            assert_eq!((output.status.code(), found.collect()), (Some(code), names), "{command} {args:?}");
            let plain = folder.run(&[&[command], args].concat(), input);
            assert_eq!(plain.status.code(), Some(code), "{command} {args:?}");
            assert!(slashes(&text(&plain.stderr)).contains(says), "{command} {args:?}: {}", text(&plain.stderr));
        }
    }
    let output = folder.run(&["check", &models], b"");
    assert!(
        text(&output.stdout).ends_with("\n3 models: 3 with findings, 0 without; 1 file could not be read\n"),
        "{}",
        text(&output.stdout)
    );
}

/// Writes a path as on systems whose separator is a slash.
fn slashes(path: &str) -> String {
    path.replace('\\', "/")
}

/// Lists the models of the tests of the readers.
fn samples() -> Vec<String> {
    let folder = "crates/broadaxe-format/tests/models";
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let model =
        |name: &String| [".onnx", ".xml", ".param", ".tflite", ".pdmodel"].iter().any(|end| name.ends_with(end));
    let mut names: Vec<String> = names.filter(model).map(|name| format!("{folder}/{name}")).collect();
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    names
}

/// A compressed model is checked as the plain one is, with the weights in its folder.
#[test]
fn compressed_models_are_checked_with_their_weights() {
    let folder = Folder::new("compressed");
    let samples = samples();
    let source = root().join("crates/broadaxe-format/tests/models");
    for entry in fs::read_dir(source).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        let (name, bytes) = (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
        folder.add(&format!("plain/{name}"), &bytes);
        let model = samples.iter().any(|sample| sample.ends_with(&format!("/{name}")));
        let (name, bytes) = if model { (format!("{name}.gz"), packed(&bytes)) } else { (name, bytes) };
        folder.add(&format!("packed/{name}"), &bytes);
    }
    let report = |kind: &str| {
        let all = folder.0.join("models").join(kind).display().to_string();
        let output = folder.run(&["check", "--json", &all], b"");
        text(&output.stdout).replace(&all.replace('\\', r"\\"), "").replace(".gz", "")
    };
    assert!(report("plain") == report("packed"));
}

/// However a check is shared among threads, and wherever its results are from, it says the same.
#[test]
fn every_way_to_check_says_the_same() {
    let folder = Folder::new("same");
    let samples = samples();
    for options in [&["--json"][..], &["--all"], &["--quiet"], &["--format", "sarif", "--for", "onnx,ggml"]] {
        let run = |more: &[&str]| {
            let models: Vec<&str> = samples.iter().map(String::as_str).collect();
            let output = folder.run(&[&["check"], options, more, &models].concat(), b"");
            (output.status.code(), text(&output.stdout), text(&output.stderr))
        };
        let kept = folder.results();
        let want = run(&["--no-cache", "--jobs", "1"]);
        assert_eq!(folder.results(), kept, "{options:?}");
        // Whether all findings are shown does not matter.
        let known = options == ["--all"];
        for more in [&["--no-cache", "--jobs", "7"][..], &[], &[], &["--jobs", "3"]] {
            assert!(run(more) == want, "{options:?} {more:?}");
        }
        assert_eq!(folder.results() > kept, !known, "{options:?}");
    }
    let output = folder.run(&["check", "--jobs", "0", FACE], b"");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let folder = Folder::new("unwritable");
    fs::write(folder.0.join("cache"), "a file").unwrap();
    let output = folder.run(&["check", FACE, "--for", "onnx6"], b"");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}

#[test]
fn compressed_models_are_changed_into_other_files() {
    let folder = Folder::new("changed");
    let face = fs::read(root().join(FACE)).unwrap();
    let model = folder.add("face.onnx.gz", &packed(&face));
    let (out, plain) = (folder.0.join("out.onnx").display().to_string(), folder.0.join("plain.onnx"));
    let output = folder.run(&["upgrade", &model, "-o", &out], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(folder.run(&["upgrade", FACE, "-o", plain.to_str().unwrap()], b"").status.success());
    assert!(fs::read(&out).unwrap() == fs::read(&plain).unwrap());
    for path in [&model, "-"] {
        let output = folder.run(&["fix", path, "--for", "onnx", "--in-place"], &face);
        assert_eq!(output.status.code(), Some(2), "{path}");
        assert!(text(&output.stderr).contains("-o OUT"), "{path}: {}", text(&output.stderr));
    }
}
