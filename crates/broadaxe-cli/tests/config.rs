//! The configuration, the ignores and the baseline of a project, run as a user runs them in a folder of models.

#![allow(clippy::format_push_string)]

use std::{
    fs,
    path::{MAIN_SEPARATOR, Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// A project: a folder with models that is removed at the end.
struct Project(PathBuf);

impl Project {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("broadaxe-project-{}-{name}", std::process::id()));
        let project = Self(path);
        let face = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/face.onnx");
        for name in ["models/face.onnx", "models/legacy/old.onnx"] {
            project.write(name, "");
            fs::copy(&face, project.0.join(name)).unwrap();
        }
        project
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Runs the command in a folder of the project; returns the exit code, the output and the errors.
    fn run(&self, folder: &str, line: &str) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_broadaxe"));
        let output = command.args(line.split_whitespace()).current_dir(self.0.join(folder)).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    /// Runs commands; each ends with a code, says some texts and does not say others.
    fn all(&self, cases: &[(&str, i32, &[&str], &[&str])]) {
        let mut failed = String::new();
        for (line, code, says, hides) in cases {
            let (got, out, errors) = self.run("", line);
            let said = out + &errors;
            let missing: Vec<_> = says.iter().filter(|part| !said.contains(**part)).collect();
            let shown: Vec<_> = hides.iter().filter(|part| said.contains(**part)).collect();
            if got != *code || !missing.is_empty() || !shown.is_empty() {
                failed += &format!("{line}: code {got}, missing {missing:?}, shown {shown:?}\n{said}\n");
            }
        }
        assert!(failed.is_empty(), "{failed}");
    }

    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.run("", line).1).unwrap()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn settings_apply_and_the_command_line_wins() {
    let project = Project::new("settings");
    project.write(
        "broadaxe.toml",
        "for = ['onnx']\ninput-shapes = { image = [2, 3, 16, 16], other = [1] }\n\
         [[models]]\npath = 'models/legacy/*'\nfor = ['onnx6', 'tosa']\nfail-on = []\n",
    );
    project.all(&[
        ("check models/face.onnx", 1, &["onnx  2 differ", "(2, 16, 16, 16)"], &["openvino", "ncnn"]),
        ("check models/legacy/old.onnx", 0, &["onnx6  3 same", "tosa   1 refused"], &["ncnn"]),
        ("check models/legacy/old.onnx --fail-on refused", 1, &["refused by tosa"], &[]),
        ("check models/face.onnx --for onnx6", 0, &["onnx6  3 same"], &["  onnx  "]),
        ("check models/face.onnx --no-config", 1, &["ncnn      1 differ"], &["(2, 16, 16, 16)"]),
        ("check models/face.onnx --fail-on refused", 0, &["2 differ"], &[]),
        ("check models/face.onnx --exit-zero", 0, &["error[", "2 differ"], &[]),
        ("check models/face.onnx no.onnx --exit-zero", 2, &["no.onnx"], &[]),
        ("check models/face.onnx --input-shape image:4,3,16,16", 1, &["(4, 16, 16, 16)"], &[]),
        // A name on the command line is one that the model has; one in the configuration may be that of another model.
        ("check models/face.onnx --input-shape other:1", 2, &["no input other"], &[]),
        ("fix models/face.onnx --dry-run", 0, &["upgrade to opset 7"], &["openvino", "ncnn"]),
        ("fix models/legacy/old.onnx --for onnx6 --dry-run", 0, &["no changes needed"], &[]),
        ("check models/face.onnx --config no.toml", 2, &["no.toml: cannot read the configuration"], &[]),
        ("check models/face.onnx --config models", 2, &["not a regular file"], &[]),
        ("check models/face.onnx --config a --no-config", 2, &["cannot be used with"], &[]),
    ]);
    // From another folder, the same file is found, and its patterns mean the same models.
    let (code, out, _) = project.run("models/legacy", "check old.onnx ../face.onnx --quiet");
    assert!(code == 1 && out.contains("old.onnx: 3 br") && out.contains("onnx6: 3 same"), "{out}");
    project.write("models/pyproject.toml", "[project]\nname = 'x'\n[tool.broadaxe]\nfor = ['mnn']\nfor-all = 1\n");
    let (code, _, errors) = project.run("models", "check face.onnx");
    let want = "error: pyproject.toml: unknown key 'for-all'";
    assert!(code == 2 && errors.starts_with(want) && errors.contains("(line 5, column 1)"), "{errors}");
    let (code, out, errors) = project.run("models", "check face.onnx --config ../broadaxe.toml --quiet");
    assert!(code == 1 && out.contains("onnx: 2 differ"), "{out}{errors}");
}

/// The report and the commands for GitHub say how many findings the project itself turns off.
#[test]
fn what_turns_findings_off_is_said() {
    let project = Project::new("off");
    let none: [&str; 2] = ["do not fail", "::notice"];
    type Case<'a> = (&'a str, &'a str, i32, &'a [&'a str], &'a [&'a str]);
    let cases: [Case<'_>; 6] = [
        ("for = ['onnx']\nfail-on = []\n", "", 0, &["2 findings do not fail (fail-on of broadaxe.toml)"], &[]),
        (
            "[[models]]\npath = '**'\nfor = ['onnx']\nfail-on = ['refused']\n",
            "",
            0,
            &["2 findings do not fail (fail-on of"],
            &[],
        ),
        // The command line is not part of a change.
        ("for = ['onnx']\nfail-on = []\n", "--fail-on refused", 0, &[], &none),
        ("for = ['onnx']\nfail-on = []\n", "--no-config", 1, &[], &none),
        ("for = ['onnx']\nfail-on = ['differs', 'refused', 'guarded']\n", "", 1, &[], &none),
        (
            "for = ['onnx']\nfail-on = []\n[[ignore]]\nnode = 'bias1'\nreason = 'a'\n",
            "",
            0,
            &["1 finding ignored (broadaxe.toml); 1 finding does not fail (fail-on of broadaxe.toml)"],
            &[],
        ),
    ];
    for (text, options, code, says, hides) in cases {
        project.write("broadaxe.toml", text);
        let line = format!("check models/face.onnx -q {options}");
        let (got, out, errors) = project.run("", &line);
        let said = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(got == code && says.iter().all(|part| said.contains(part)), "{text}{line}: {got} {said} {errors}");
        assert!(hides.iter().all(|part| !said.contains(part)), "{text}{line}: {said}");
        let (_, commands, _) = project.run("", &format!("{line} --format github"));
        let notice = says.iter().all(|part| commands.contains(&format!("::notice title=broadaxe::{part}")));
        assert!(notice && hides.iter().all(|part| !commands.contains(part)), "{text}{line}: {commands}");
    }
}

/// A file that cannot be read is not the same as none: other findings would fail.
#[test]
#[cfg(unix)]
fn a_configuration_that_cannot_be_read_is_an_error() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let project = Project::new("unreadable");
    let file = "not a regular file";
    type Case<'a> = (&'a str, fn(&Path), &'a str);
    let cases: [Case<'_>; 7] = [
        ("folder", |path| fs::create_dir(path).unwrap(), file),
        ("pipe", |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()), file),
        ("device", |path| symlink("/dev/zero", path).unwrap(), file),
        ("lost link", |path| symlink("none", path).unwrap(), "cannot read"),
        ("loop", |path| symlink(path, path).unwrap(), "cannot read"),
        ("bytes", |path| fs::write(path, b"for = ['onnx'] # broadaxe \xff").unwrap(), "not UTF-8"),
        (
            "locked",
            |path| {
                fs::write(path, "").unwrap();
                fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
            },
            "cannot read",
        ),
    ];
    for name in ["broadaxe.toml", "pyproject.toml"] {
        for (what, make, says) in &cases {
            let path = project.0.join(name);
            make(&path);
            // The superuser reads what is locked.
            if *what != "locked" || fs::read(&path).is_err() {
                for line in ["check models/face.onnx -q", "fix models/face.onnx --for onnx --dry-run"] {
                    let (code, _, said) = project.run("", line);
                    let advice = "--no-config runs without it, and --config FILE reads another file";
                    let is_said = said.starts_with(&format!("error: {name}: ")) && said.contains(advice);
                    assert!(code == 2 && is_said && said.contains(says), "{name}, {what}: {code} {said}");
                    let (code, _, said) = project.run("models", "check face.onnx -q");
                    assert!(code == 2 && said.starts_with(&format!("error: ../{name}: ")), "{name}, {what}: {said}");
                }
                let (code, _, said) = project.run("", "check models/face.onnx -q --no-config");
                assert_eq!(code, 1, "{name}, {what}: {said}");
            }
            fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
        }
    }
    // So is a baseline that the configuration names.
    project.write("broadaxe.toml", "baseline = 'known.json'\n");
    for (what, make, _) in &cases {
        let path = project.0.join("known.json");
        make(&path);
        let (code, _, said) = project.run("", "check models/face.onnx -q");
        assert!(code == 2 && said.starts_with("error: known.json: "), "{what}: {said}");
        fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
    }
}

/// The settings with an entry `[[ignore]]`.
fn ignoring(keys: &str) -> String {
    format!("for = ['onnx', 'tosa']\n\n[[ignore]]\nreason = 'batch is 1'\n{keys}\n")
}

#[test]
fn ignored_findings_do_not_fail() {
    let project = Project::new("ignores");
    // Keys, and the nodes with a finding that they ignore.
    let cases: [(&str, &[&str]); 16] = [
        ("code = 'BX1'", &["bias1 onnx", "prelu1 onnx"]),
        ("code = 'BX201'", &["bias1 tosa"]),
        ("code = 'BX'\nnode = 'bias1'", &["bias1 onnx", "bias1 tosa"]),
        ("op = 'PRelu'", &["prelu1 onnx", "prelu1 tosa"]),
        ("node = 'prelu1'", &["prelu1 onnx", "prelu1 tosa"]),
        ("node = '*1'", &["bias1 onnx", "prelu1 onnx", "bias1 tosa", "prelu1 tosa"]),
        ("verdict = 'differs'", &["bias1 onnx", "prelu1 onnx"]),
        ("verdict = 'unknown'", &["prelu1 tosa"]),
        ("verdict = 'guarded'", &[]),
        ("target = 'ort'", &["bias1 onnx", "prelu1 onnx"]),
        ("target = 'ncnn'", &[]),
        ("target = 'tosa'\nmodel = 'models/*.onnx'", &["bias1 tosa", "prelu1 tosa"]),
        ("target = 'tosa'\nmodel = 'face.onnx'", &["bias1 tosa", "prelu1 tosa"]),
        ("model = 'models/legacy/*'", &[]),
        ("verdict = 'differs'\nop = 'Add'\nnode = 'bias?'", &["bias1 onnx"]),
        ("op = 'add'", &[]),
    ];
    let mut failed = String::new();
    for (keys, want) in cases {
        project.write("broadaxe.toml", &ignoring(keys));
        let report = project.json("check models/face.onnx --json");
        let findings = report["models"][0]["findings"].as_array().unwrap();
        let ignored = findings.iter().filter(|one| one["ignored"] == "batch is 1");
        let mut names: Vec<String> = ignored
            .map(|one| format!("{} {}", one["node"].as_str().unwrap(), one["target"].as_str().unwrap()))
            .collect();
        names.sort_by_key(|name| name.ends_with("tosa"));
        if names != want {
            failed += &format!("{keys}: {names:?}\n");
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

#[test]
fn reports_count_ignored_findings_and_name_unused_entries() {
    let project = Project::new("unused");
    project.write("broadaxe.toml", &ignoring("node = '*1'"));
    let ignored = "4 findings ignored (broadaxe.toml)";
    project.all(&[
        ("check models/face.onnx", 0, &[ignored, "onnx  2 differ"], &["differs on", "upgrade", "remove it"]),
        ("check models/face.onnx --all", 0, &[ignored], &["differs on"]),
        ("check models/face.onnx --quiet", 0, &[ignored], &[]),
        ("check models/face.onnx --format github", 0, &[], &["::error", "::warning"]),
        ("check models/face.onnx --format gitlab", 0, &["[]"], &["bias1"]),
        ("check models/face.onnx --format concise", 0, &[], &["bias1"]),
        ("check models/face.onnx --format full", 0, &[ignored], &["differs on"]),
        ("check models/face.onnx --format sarif", 0, &["\"justification\":\"batch is 1\""], &[]),
        ("check models/face.onnx --format junit", 0, &["failures=\"0\""], &["<failure"]),
        ("check models/face.onnx --statistics", 0, &["no findings"], &[]),
        ("check models/face.onnx --no-config", 1, &["differs on"], &["ignored"]),
    ]);
    project.write("broadaxe.toml", &ignoring("node = 'gone'\nmodel = 'models/*.onnx'"));
    let unused = "note: broadaxe.toml, line 3: no finding of the models checked matches this [[ignore]] (node = 'gone', model = 'models/*.onnx'); remove it unless other models need it";
    project.all(&[
        ("check models/face.onnx", 1, &[unused, "differs on"], &["ignored"]),
        // The entry is not about what was checked.
        ("check models/legacy/old.onnx", 1, &[], &["remove it"]),
    ]);
    let report = project.json("check models/face.onnx --json");
    assert_eq!(format!("note: {}", report["notes"][0].as_str().unwrap()), unused);
    project.write("broadaxe.toml", &ignoring("node = 'gone'\ntarget = 'ncnn'"));
    project.all(&[
        ("check models/face.onnx", 1, &[], &["remove it"]),
        ("check models/face.onnx --for ncnn", 1, &["line 3"], &[]),
    ]);
}

#[test]
fn known_findings_pass_and_new_ones_fail() {
    let project = Project::new("baseline");
    let (check, both) =
        ("check models/face.onnx --for onnx,tosa", "check models/face.onnx models/legacy/old.onnx --for onnx,tosa");
    project.all(&[
        (
            &format!("{check} --baseline base.json"),
            2,
            &["base.json: the baseline does not exist; --write-baseline"],
            &[],
        ),
        (
            &format!("{check} --write-baseline base.json"),
            0,
            &["differs on", "note: base.json: written, 3 findings"],
            &[],
        ),
    ]);
    let first = project.read("base.json");
    assert_eq!(first.lines().filter(|line| line.contains("\"fingerprint\"")).count(), 3, "{first}");
    project.all(&[
        (&format!("{check} --baseline base.json"), 0, &["3 findings known (base.json)"], &["differs on", "no longer"]),
        (&format!("{check} --baseline base.json --format github"), 0, &[], &["BX502", "BX101"]),
        (&format!("{check} --baseline base.json --format github --all"), 0, &["BX502"], &["BX101"]),
        // The same findings in another model are new, and so are those for another target.
        (
            &format!("{both} --baseline base.json"),
            1,
            &[
                "differs on",
                "legacy/old.onnx: 3 broadcasting nodes\n  1 of 3 nodes unknown on tosa\n  onnx  2 differ (2 kinds)",
            ],
            &["models/face.onnx: 3 broadcasting nodes\n  onnx  2 differ (2 kinds)"],
        ),
        ("check models/face.onnx --for ncnn --baseline base.json", 1, &["ncnn"], &["no longer", "findings known"]),
        (&format!("{check} --baseline base.json --write-baseline base.json"), 0, &["written, 3 findings"], &[]),
    ]);
    assert_eq!(project.read("base.json"), first, "the order is stable");
    // A model that was not checked keeps its entries, and one that is gone does not.
    project.all(&[
        ("check models/legacy/old.onnx --for onnx --write-baseline base.json", 0, &["written, 5 findings"], &[]),
        (&format!("{both} --baseline base.json --fail-on differs"), 0, &["2 findings known", "3 findings known"], &[]),
    ]);
    fs::remove_file(project.0.join("models/legacy/old.onnx")).unwrap();
    project.all(&[(&format!("{check} --write-baseline base.json"), 0, &["written, 3 findings"], &[])]);
    assert_eq!(project.read("base.json"), first);
    let report = project.json(&format!("{check} --baseline base.json --json"));
    let known = report["models"][0]["findings"].as_array().unwrap().iter().filter(|one| one["known"] == true).count();
    assert_eq!(known, 3, "{report}");
    // The fourth is not decided, and shown where all are.
    for (all, count) in [("", 3), (" --all", 4)] {
        let log = project.json(&format!("{check} --baseline base.json --format sarif{all}"));
        let results = log["runs"][0]["results"].as_array().unwrap();
        let known = results.iter().filter(|one| one["suppressions"][0]["justification"] == "in the baseline").count();
        assert_eq!((known, results.len()), (3, count), "{all}");
    }
}

#[test]
fn baselines_name_what_no_longer_occurs() {
    let project = Project::new("stale");
    let check = "check models/face.onnx --for onnx";
    project.all(&[(&format!("{check} --write-baseline ci/base.json"), 2, &["ci"], &[])]);
    fs::create_dir(project.0.join("ci")).unwrap();
    project.all(&[(&format!("{check} --write-baseline ci/base.json"), 0, &["written, 2 findings"], &[])]);
    // Paths are relative to the baseline.
    assert!(
        project.read("ci/base.json").contains("\"model\":\"../models/face.onnx\""),
        "{}",
        project.read("ci/base.json")
    );
    let (code, out, errors) = project.run("models", "check face.onnx --for onnx --baseline ../ci/base.json");
    assert!(code == 0 && out.contains("2 findings known (../ci/base.json)"), "{out}{errors}");
    // With another shape, the finding is another one.
    let stale =
        "2 entries of ci/base.json no longer occur: bias1 (Add) for onnx in ../models/face.onnx, prelu1 (PRelu)";
    let other = "--input-shape image:2,3,16,16";
    project.all(&[
        (
            &format!("{check} --baseline ci/base.json {other}"),
            1,
            &[stale, "--write-baseline ci/base.json updates it"],
            &[],
        ),
        ("check models/legacy/old.onnx --for onnx --baseline ci/base.json", 1, &[], &["no longer"]),
    ]);
    project.write("broadaxe.toml", "baseline = 'ci/base.json'\nfor = ['onnx']");
    project.all(&[
        ("check models/face.onnx", 0, &["2 findings known (ci/base.json)"], &[]),
        ("check models/face.onnx --no-config --for onnx", 1, &[], &["findings known"]),
        ("check models/face.onnx --write-baseline models/face.onnx", 2, &["not a baseline of broadaxe check"], &[]),
    ]);
    let (code, out, errors) = project.run("models", "check face.onnx");
    let known = format!("2 findings known (..{MAIN_SEPARATOR}ci/base.json)");
    assert!(code == 0 && out.contains(&known), "{out}{errors}");
    fs::remove_file(project.0.join("ci/base.json")).unwrap();
    project.all(&[
        ("check models/face.onnx", 2, &["ci/base.json: the baseline does not exist"], &[]),
        ("check models/face.onnx --write-baseline ci/base.json", 0, &["written, 2 findings"], &[]),
    ]);
}
