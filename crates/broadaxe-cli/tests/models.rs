//! The subcommands about model files, run as a user runs them.

mod shared;

use std::{fs, process::Command};

use broadaxe_testing::protobuf::Message;
#[cfg(target_os = "linux")]
use broadaxe_testing::protobuf::onnx;
use serde_json::Value;

use shared::{Folder, broadaxe, root, text};

const FACE: &str = "examples/face.onnx";
/// A model with a `Select` and a `FakeQuantize`.
const SMALL: &str = "crates/broadaxe-format/tests/models/openvino_small.xml";
/// A model in a format that no converter brings to ncnn.
const TFLITE: &str = "crates/broadaxe-format/tests/models/tflite_small.tflite";

#[test]
fn exit_codes() {
    let cases: [(&[&str], i32, &str); 30] = [
        (&["check", FACE, "--for", "onnx6"], 0, "3 same"),
        (&["check", FACE, "--for", "onnx"], 1, "2 differ"),
        (&["check", FACE, "--for", "onnx", "--quiet"], 1, "2 differ"),
        (&["check", FACE, "--for", "onnx", "--fail-on", "refused,guarded"], 0, "2 differ"),
        (&["check", FACE, "--for", "onnx", "--fail-on", "abacus"], 2, "unsupported"),
        (&["check", SMALL, "--for", "ncnn"], 0, "2 unsupported"),
        (&["check", SMALL, "--for", "ncnn"], 0, "2 other nodes do not broadcast and were skipped"),
        (&["check", SMALL, "--for", "ncnn"], 0, "not shown: 2 unsupported (--all shows them)"),
        (&["check", SMALL, "--for", "ncnn", "--statistics"], 0, "no findings that fail\nnot shown: 2 unsupported"),
        (&["check", TFLITE], 0, "  litert      4 same (tested: LiteRT 2.3.0)\n  litert-gpu  "),
        (&["check", TFLITE, "--for", "ncnn"], 0, "  ncnn  4 unknown\n    no tested converter reads TFLite for ncnn\n"),
        (&["check", TFLITE, "--for", "ncnn"], 0, " nodes\n  No known problem; 4 of 4 nodes unknown on ncnn\n"),
        (&["check", SMALL, "--for", "ncnn"], 0, " nodes unsupported on ncnn\n  ncnn  2 unsupported"),
        (&["check", SMALL, "--for", "ncnn"], 0, "\n    unsupported: "),
        (
            &["check", TFLITE, "--for", "ncnn", "--statistics"],
            0,
            "no known problem, unknown nodes\nnot shown: 4 unknown",
        ),
        (&["check", SMALL, "--for", "ncnn,ncnn,NCNN", "-q"], 0, "nodes; ncnn: 2 unsupported, 5 same\n"),
        (&["check", SMALL, "--for", "ncnn", "--fail-on", "unsupported"], 1, "why:   does not support the layer"),
        (&["check", SMALL, "--for", "ncnn,equal-rank"], 1, "6 of 6 findings can be fixed:\n  broadaxe fix"),
        (&["fix", SMALL, "--for", "ncnn", "--dry-run"], 0, "no changes needed"),
        (&["fix", SMALL, "--for", "ncnn", "--dry-run"], 0, "unsupported: "),
        (&["fix", FACE, "--for", "onnx", "--dry-run", "--quiet"], 0, "4 changes, nothing copied"),
        (&["fix", FACE, "--for", "onnx", "-o", "no.xml"], 2, "end OUT with .onnx"),
        (&["explain", "BX999"], 2, "the codes are BX001"),
        (&["explain", "bx101"], 0, "BX101 wrong-axis"),
        (&["check", FACE, "--for", "abacus"], 2, "abacus"),
        (&["check", "no.onnx"], 2, "no.onnx"),
        (&["check", "README.md"], 2, "README.md"),
        (&["check", FACE, "--input-shape", "picture:1,3,16,16"], 2, "image"),
        (&["check", FACE, "--input-shape", "image"], 2, "NAME:SHAPE"),
        (&["explain", FACE, "--node", "nowhere"], 2, "nowhere"),
    ];
    for (args, code, says) in cases {
        let output = broadaxe(args);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(says), "{args:?}: {said}");
    }
}

#[test]
fn json_is_what_the_schema_says() {
    let schema: Value = serde_json::from_slice(&broadaxe(&["schema"]).stdout).expect("a schema");
    let report: Value = serde_json::from_slice(&broadaxe(&["check", FACE, "--json"]).stdout).expect("a report");
    let mut looked_at = 0;
    fits(&schema, &schema, &report, &mut looked_at);
    assert!(looked_at > 200, "{looked_at} values");
    let model = &report["models"][0];
    assert_eq!(model["nodes"], 3);
    let differs = model["findings"].as_array().unwrap().iter().filter(|finding| finding["verdict"] == "differs");
    for finding in differs {
        let example = &finding["counterexample"];
        assert!(example["here"] != example["there"] && example["element"].is_array(), "{finding}");
    }
}

/// Checks a value against the part of JSON schema that is used: types, properties, what is required, items, references.
fn fits(root: &Value, schema: &Value, value: &Value, looked_at: &mut usize) {
    *looked_at += 1;
    if let Some(name) = schema["$ref"].as_str() {
        let at = name.trim_start_matches('#');
        return fits(root, root.pointer(at).expect("a definition"), value, looked_at);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let fitting = |one: &&Value| one["type"] != "null" || value.is_null();
        let null = any.iter().any(|one| one["type"] == "null");
        if value.is_null() {
            assert!(null, "{value} is null against {schema}");
            return;
        }
        let rest: Vec<&Value> = any.iter().filter(|one| one["type"] != "null").filter(fitting).collect();
        if rest.len() == 1 {
            fits(root, rest[0], value, looked_at);
        }
        return;
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => vec![kind],
    };
    assert!(allowed.iter().any(|one| *one == kind || (*one == "number" && kind == "integer")), "{value}: {schema}");
    if let Value::Array(items) = value {
        for item in items {
            fits(root, &schema["items"], item, looked_at);
        }
    }
    let Value::Object(fields) = value else { return };
    let properties = schema["properties"].as_object().expect("an object says its fields");
    assert!(fields.keys().eq(properties.keys()) || fields.keys().all(|key| properties.contains_key(key)), "{value}");
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(fields.contains_key(name.as_str().unwrap()), "{name} is missing in {value}");
    }
    for (name, field) in fields {
        fits(root, &properties[name], field, looked_at);
    }
}

#[test]
fn sarif_names_rules_and_places() {
    let log: Value = serde_json::from_slice(&broadaxe(&["check", FACE, "--format", "sarif"]).stdout).expect("a log");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert!(results.len() >= 3, "{log}");
    for result in results {
        assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], FACE);
    }
}

#[test]
fn a_changed_model_is_whole_and_elsewhere() {
    let folder = Folder::new("whole");
    let (copy, out) = (folder.path("face.onnx"), folder.path("out.onnx"));
    fs::copy(root().join(FACE), &copy).unwrap();
    let before = fs::read(&copy).unwrap();
    for args in [
        &["upgrade", copy.as_str()][..],
        &["upgrade", copy.as_str(), "-o", copy.as_str()],
        &["upgrade", copy.as_str(), "-o", "/no/such/folder/out.onnx"],
        &["fix", copy.as_str(), "--for", "abacus", "-o", out.as_str()],
    ] {
        let output = broadaxe(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert_eq!(fs::read(&copy).unwrap(), before, "{args:?}");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "{args:?} leaves a file");
    }
    let dry = broadaxe(&["upgrade", &copy, "--dry-run"]);
    assert!(dry.status.success() && fs::read(&copy).unwrap() == before);
    assert!(broadaxe(&["upgrade", &copy, "-o", &out]).status.success());
    assert_eq!(fs::read(&copy).unwrap(), before);
    assert!(broadaxe(&["upgrade", &copy, "--in-place"]).status.success());
    assert_eq!(fs::read(&copy).unwrap(), fs::read(&out).unwrap());
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2);
    assert!(broadaxe(&["check", &out, "--for", "onnx,openvino,ncnn"]).status.success());
}

/// Makes a model with a text of this many bytes behind it, so that it is slow to write; returns its bytes.
#[cfg(unix)]
fn long(path: &str, text: usize) -> Vec<u8> {
    let doc_string = 6;
    let bytes = Message(fs::read(root().join(FACE)).unwrap()).bytes(doc_string, &vec![b'x'; text]).0;
    fs::write(path, &bytes).unwrap();
    bytes
}

#[test]
#[cfg(unix)]
fn a_model_that_cannot_be_finished_leaves_the_previous_one() {
    let folder = Folder::new("limit");
    let (model, out) = (folder.path("long.onnx"), folder.path("out.onnx"));
    let before = long(&model, 1 << 20);
    fs::write(&out, "previous").unwrap();
    for rest in [format!("'{model}' -o '{out}'"), format!("'{model}' --in-place")] {
        let script = format!("ulimit -f 100; exec {} upgrade {rest}", env!("CARGO_BIN_EXE_broadaxe"));
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("cannot write the file"), "{}", text(&output.stderr));
        assert!(fs::read(&model).unwrap() == before, "{rest}");
        assert_eq!(fs::read(&out).unwrap(), b"previous", "{rest}");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2, "{rest} leaves a file");
    }
}

#[test]
#[cfg(unix)]
fn a_model_is_old_or_new_whenever_its_writer_is_killed() {
    let folder = Folder::new("killed");
    let (model, wanted) = (folder.path("long.onnx"), folder.path("new.onnx"));
    let old = long(&model, 16 << 20);
    assert!(broadaxe(&["upgrade", &model, "-o", &wanted]).status.success());
    let new = fs::read(&wanted).unwrap();
    fs::remove_file(&wanted).unwrap();
    for pause in 0..24 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_broadaxe"));
        let mut child =
            command.args(["upgrade", &model, "--in-place"]).stdout(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(4 * pause));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = fs::read(&model).unwrap();
        assert!(now == old || now == new, "a mix of {} bytes after {} ms", now.len(), 4 * pause);
        if now == new {
            fs::write(&model, &old).unwrap();
        }
    }
    assert!(broadaxe(&["upgrade", &model, "--in-place"]).status.success());
    assert!(fs::read(&model).unwrap() == new);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "what killed runs left is swept");
}

#[test]
fn the_hook_runs() {
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let line = |name: &str| hooks.lines().find_map(|line| line.trim().strip_prefix(name)).expect(name);
    let entry = line("entry: broadaxe ").split(' ');
    let given: Vec<String> = serde_json::from_str(line("args: ")).expect("a list");
    let hook: Vec<&str> = entry.chain(given.iter().map(String::as_str)).collect();
    for (file, code) in [(FACE, 1), ("Cargo.toml", 0), ("crates/broadaxe-format/tests/models/fire.param", 1)] {
        let output = broadaxe(&[&hook[..], &[file]].concat());
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{file}: {said}");
    }
}

/// Arguments, the exit code, and parts of what is printed and of the errors.
type Case<'a> = (&'a [&'a str], i32, &'a [&'a str], &'a [&'a str]);

/// A file that cannot be used is an error, the others are judged, and errors come before findings in the exit code.
#[test]
fn files_that_cannot_be_used_do_not_hide_others() {
    let folder = Folder::new("several");
    let damaged = folder.path("damaged.onnx");
    let whole = fs::read(root().join(FACE)).unwrap();
    fs::write(&damaged, &whole[..whole.len() / 2]).unwrap();
    let cases: [Case<'_>; 7] = [
        (&[FACE, "README.md"], 2, &["face.onnx: 3 broadcasting"], &["error: README.md: not a model file"]),
        (&["README.md", FACE], 2, &["face.onnx: 3 broadcasting"], &["error: README.md: not a model file"]),
        (&[&damaged, FACE, SMALL], 2, &["face.onnx: 3", "small.xml: "], &["damaged.onnx"]),
        (&["no.onnx", &damaged], 2, &[], &["error: no.onnx: ", "damaged.onnx: "]),
        (
            &["--skip-others", "README.md", FACE],
            1,
            &["face.onnx: 3"],
            &["note: skipped 1 file that is not a model: README.md"],
        ),
        (&["--skip-others", "README.md", "no.onnx"], 2, &[], &["note: skipped 1 file", "error: no.onnx: "]),
        (
            &["--skip-others", &damaged, "LICENSE-MIT", "README.md"],
            2,
            &[],
            &["damaged.onnx: ", "skipped 2 files that are not models"],
        ),
    ];
    for (args, code, printed, said) in cases {
        let output = broadaxe(&[&["check", "--for", "onnx", "--quiet"], args].concat());
        let (out, errors) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{args:?}: {out}{errors}");
        assert!(
            printed.iter().all(|part| out.contains(part)) && out.is_empty() == printed.is_empty(),
            "{args:?}: {out}"
        );
        assert!(said.iter().all(|part| errors.contains(part)), "{args:?}: {errors}");
        assert_eq!(errors.lines().count(), said.len(), "{args:?}: {errors}");
    }
    let schema: Value = serde_json::from_slice(&broadaxe(&["schema"]).stdout).expect("a schema");
    let output = broadaxe(&["check", "--json", "--skip-others", "README.md", FACE, "no.onnx", &damaged]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    fits(&schema, &schema, &report, &mut 0);
    let files = |list: &str| report[list].as_array().unwrap().iter().map(|one| one["file"].clone()).collect::<Vec<_>>();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), String::new()));
    assert_eq!(report["models"].as_array().unwrap().len(), 1);
    assert_eq!((files("errors"), files("skipped")), (vec!["no.onnx".into(), damaged.into()], vec!["README.md".into()]));
    assert!(!report["errors"][0]["message"].as_str().unwrap().contains("no.onnx"), "{report}");
}

/// Runs `check` on a failing model and on a file that is no model, and returns the report in this format.
fn reported(format: &str) -> String {
    let output = broadaxe(&["check", FACE, "README.md", "--for", "onnx,tosa", "--format", format]);
    assert_eq!(output.status.code(), Some(2), "{format}");
    text(&output.stdout)
}

#[test]
fn github_reads_one_command_per_finding() {
    let report = reported("github");
    let sarif: Value = serde_json::from_str(&reported("sarif")).expect("a log");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines.len(), results.len() + 1);
    for (line, result) in lines.iter().zip(results) {
        let code = broadaxe_models::code::find(result["ruleId"].as_str().unwrap()).unwrap();
        let level = if result["level"] == "note" { "notice" } else { result["level"].as_str().unwrap() };
        let head = format!("::{level} file={FACE},line=1,title=broadaxe {} {}::", code.id, code.name);
        let said = line.strip_prefix(&head).unwrap_or_else(|| panic!("{line} does not begin with {head}"));
        assert_eq!(said.replace("%25", "%"), result["message"]["text"].as_str().unwrap());
    }
    assert!(lines.last().unwrap().starts_with("::error file=README.md,line=1,title=broadaxe::not a model file"));
}

#[test]
fn gitlab_reads_one_issue_per_finding() {
    let report = reported("gitlab");
    assert_eq!(report, reported("gitlab"), "fingerprints are stable");
    let issues: Vec<Value> = serde_json::from_str(&report).expect("a list");
    let sarif: Value = serde_json::from_str(&reported("sarif")).expect("a log");
    assert_eq!(issues.len(), sarif["runs"][0]["results"].as_array().unwrap().len() + 1);
    let mut fingerprints: Vec<&str> = issues.iter().map(|issue| issue["fingerprint"].as_str().unwrap()).collect();
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), issues.len());
    let severities = ["info", "minor", "major", "critical", "blocker"];
    for issue in &issues {
        assert!(severities.contains(&issue["severity"].as_str().unwrap()), "{issue}");
        assert!(issue["check_name"].as_str().unwrap().starts_with("broadaxe/"), "{issue}");
        assert_eq!(issue["location"]["lines"]["begin"], 1, "{issue}");
        assert!(!issue["description"].as_str().unwrap().is_empty(), "{issue}");
    }
    assert_eq!((&issues[0]["location"]["path"], &issues[0]["severity"]), (&FACE.into(), &"major".into()));
    let last = issues.last().unwrap();
    assert_eq!((&last["check_name"], &last["location"]["path"]), (&"broadaxe/error".into(), &"README.md".into()));
}

#[test]
fn one_run_writes_several_reports() {
    let folder = Folder::new("reports");
    let formats =
        ["text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html", "model-explorer"];
    let outputs: Vec<String> = formats.iter().map(|one| format!("--output={one}={}", folder.path(one))).collect();
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let output = broadaxe(&[&["check", FACE, "README.md", "--for", "onnx,tosa"], &outputs[..]].concat());
    assert_eq!(output.status.code(), Some(2));
    for format in formats {
        assert_eq!(fs::read_to_string(folder.path(format)).unwrap(), reported(format), "{format}");
    }
    assert_eq!(text(&output.stdout), reported("grouped"));
    let cases = [
        ("sarif", "write FORMAT=FILE, such as sarif=findings.sarif"),
        ("sarif=", "write FORMAT=FILE"),
        (
            "xml=a",
            "'xml' is not a format; the formats are grouped, full, concise, json, sarif, github, gitlab, junit, markdown, html, model-explorer",
        ),
        ("sarif=/no/such/folder/a", "/no/such/folder"),
    ];
    for (given, says) in cases {
        let output = broadaxe(&["check", FACE, "--for", "onnx", "--output", given]);
        assert_eq!(output.status.code(), Some(2), "{given}");
        assert!(text(&output.stderr).contains(says), "{given}: {}", text(&output.stderr));
    }
}

#[test]
fn node_data_is_about_the_main_graph_of_one_model() {
    let loops = "crates/broadaxe-format/tests/models/tflite_loop.tflite";
    let cases: [(&[&str], &str); 3] = [
        (&[FACE], ""),
        (
            &[FACE, loops],
            "error: a report for Model Explorer is about one model, and 2 were checked\n  check them one by one",
        ),
        (&[loops], "note: 1 finding is not in the report for Model Explorer: it draws the bodies of loops"),
    ];
    for (models, says) in cases {
        let output = broadaxe(&[&["check", "--for", "equal-rank", "--format", "model-explorer"], models].concat());
        let (printed, said) = (text(&output.stdout), text(&output.stderr));
        assert!(if says.is_empty() { said.is_empty() } else { said.contains(says) }, "{models:?}: {said}");
        assert_eq!(serde_json::from_str::<Value>(&printed).is_ok(), models.len() == 1, "{models:?}: {printed}");
    }
}

#[test]
fn sarif_says_which_files_were_not_judged() {
    for (args, success) in [(&[FACE, "README.md"][..], false), (&[FACE], true)] {
        let output = broadaxe(&[&["check", "--format", "sarif"], args].concat());
        let log: Value = serde_json::from_slice(&output.stdout).expect("a log");
        let run = &log["runs"][0]["invocations"][0];
        assert_eq!(run["executionSuccessful"], success, "{run}");
        let at = "/toolExecutionNotifications/0/locations/0/physicalLocation/artifactLocation/uri";
        assert_eq!(run.pointer(at), (!success).then(|| "README.md".into()).as_ref(), "{run}");
    }
}

/// What a file calls its nodes neither commands a terminal nor turns the direction of writing.
#[test]
fn names_in_a_file_do_not_command_the_terminal() {
    let folder = Folder::new("control");
    let model = fs::read(root().join(FACE)).expect("the model");
    // Names of the same length, so that every length in the file stays right.
    let evil = [("prelu1", "\u{1b}[31mx"), ("bias1", "\u{202e}\u{9b}"), ("conv1_b", "\u{1b}]0;x\u{7}\n")];
    let mut bytes = model.clone();
    for (name, other) in evil {
        assert_eq!(name.len(), other.len(), "{name}");
        let ends = bytes.len() - name.len();
        let is_name = |at: usize| bytes[at..].starts_with(name.as_bytes()) && bytes[at - 1] == name.len() as u8;
        let found: Vec<usize> = (1..=ends).filter(|&at| is_name(at)).collect();
        for at in found {
            bytes[at..at + name.len()].copy_from_slice(other.as_bytes());
        }
    }
    assert_ne!(bytes, model);
    let path = folder.path("evil.onnx");
    fs::write(&path, bytes).expect("written");
    let out = folder.path("out.onnx");
    let cases: [&[&str]; 9] = [
        &["fix", &path, "--for", "equal-rank", "--dry-run"],
        &["fix", &path, "--for", "onnx", "--dry-run"],
        &["fix", &path, "--for", "none", "--dry-run"],
        &["upgrade", &path, "--dry-run"],
        &["upgrade", &path, "-o", &out],
        &["census", &path],
        &["check", &path, "--all", "--for", "onnx,openvino,ncnn,equal-rank,none"],
        &["explain", &path, "--node", "\u{1b}[31mx"],
        &["extract", &path, "--node", "\u{1b}[31mx", "-o", &out],
    ];
    for args in cases {
        let output = broadaxe(args);
        let said = text(&output.stdout) + &text(&output.stderr);
        let hostile = said.chars().find(|&c| c.is_control() && c != '\n' || c == '\u{202e}');
        assert_eq!(hostile, None, "{args:?}: {said:?}");
        assert!(said.len() > 20, "{args:?}: {said:?}");
    }
}

/// Checks small files that ask for much: the memory is at most the file, 256 MiB, 4 kB per node, and the program itself.
#[test]
#[cfg(target_os = "linux")]
fn bombs_end_within_the_memory_of_their_nodes() {
    const PROGRAM: usize = 64 << 20;
    // Without optimisation, the program itself has 35 MB instead of 21.
    let program = if cfg!(debug_assertions) { PROGRAM + (24 << 20) } else { PROGRAM };
    let folder = Folder::new("bombs");
    let names = |stem: &str, count: usize| (0..count).map(|k| format!("{stem}{k}")).collect::<Vec<String>>();
    let many = |dims: &dyn Fn(usize) -> Vec<String>| {
        let inputs = names("i", 100_000);
        let shapes: Vec<_> = inputs.iter().cloned().enumerate().map(|(k, name)| (name, dims(k))).collect();
        onnx([("Max", inputs, "y".to_string())].into_iter(), shapes.into_iter())
    };
    let chain = |count: usize, terms: usize, dims: &dyn Fn(usize) -> Vec<String>| {
        let sum = |k: usize| if k == 0 { "t0".to_string() } else { format!("s{}", k - 1) };
        let nodes = (0..count).map(|k| ("Add", vec![sum(k), format!("t{}", (k + 1) % terms)], format!("s{k}")));
        onnx(nodes, (0..terms).map(|k| (format!("t{k}"), dims(k))))
    };
    let rotated = |k: usize| (0..12).map(|axis| format!("d{}", (k + axis) % 17)).collect();
    let size = |k: usize| vec![(k % 2 * 3 + 1).to_string(), "4".to_string()];
    let bombs = [
        ("a Max of names", 1, many(&|k| vec![format!("d{k}")])),
        ("a Max of numbers", 1, many(&size)),
        ("Adds of many names", 20_000, chain(20_000, 20_001, &|k| vec![format!("d{k}")])),
        ("Adds of rank 12 over 17 names", 2_000, chain(2_000, 17, &rotated)),
    ];
    for (what, nodes, bytes) in bombs {
        let path = folder.path("bomb.onnx");
        fs::write(&path, &bytes).unwrap();
        let most = (bytes.len() + (256 << 20) + 4096 * nodes + program) >> 10;
        let run = format!("exec {} check '{path}' --for onnx,openvino,ncnn", env!("CARGO_BIN_EXE_broadaxe"));
        let output = Command::new("sh").args(["-c", &format!("ulimit -v {most}; {run}")]).output().unwrap();
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1)), "{what}: {code:?}, {}", text(&output.stderr));
        let longest = output.stdout.len();
        assert!(longest < 1 << 20, "{what}: a report of {longest} bytes");
    }
}

#[test]
fn shells_get_completions() {
    let cases: [(&[&str], &str); 13] = [
        (&["list", FACE, "--for", "onnx,openv"], "onnx,openvino"),
        (&["check", FACE, "--for", "onnx,o"], "onnx,openvino"),
        (&["list", FACE, "--for", "litert-gpu@2"], "litert-gpu@2.3.0"),
        (&["explain", "BX10"], "BX101"),
        (&["explain", "examples/fac"], "examples/face.onnx"),
        (&["man", "che"], "check"),
        (&["check", FACE, "--input-shape", ""], "image:"),
        (&["check", FACE, "--output", "sar"], "sarif="),
        (&["shape", "--rule", "unidir"], "unidirectional"),
        (&["ops", "PRel"], "PRelu"),
        (&["explain", FACE, "--node", "prel"], "prelu1"),
        (&["list", FACE, "--op", "Sig"], "Sigmoid"),
        (&["list", FACE, "--verdict", "diff"], "differs"),
    ];
    for (words, want) in cases {
        let output = Command::new(env!("CARGO_BIN_EXE_broadaxe"))
            .args(["--", "broadaxe"])
            .args(words)
            .envs([("COMPLETE", "bash"), ("_CLAP_COMPLETE_INDEX", &words.len().to_string())])
            .current_dir(root())
            .output()
            .expect("the command starts");
        let said = |line: &str| line.replace('\\', "/") == want;
        assert!(text(&output.stdout).lines().any(said), "{words:?}: {}", text(&output.stdout));
        assert!(!text(&output.stdout).contains("onnx,onnx\n"), "{words:?}: {}", text(&output.stdout));
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = broadaxe(&["completions", shell]);
        assert!(text(&output.stdout).contains("COMPLETE"), "{shell}: {}", text(&output.stdout));
    }
}
