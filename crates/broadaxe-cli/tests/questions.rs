//! Comparing models, finding nodes, tips in errors and hints, and text in narrow terminals.

mod shared;

use std::{fs, process::Command};

use serde_json::Value;

use shared::{Folder, broadaxe, root, text};

const FACE: &str = "examples/face.onnx";

#[test]
fn models_are_compared_by_meaning() {
    let folder = Folder::new("diff");
    let new = folder.path("new.onnx");
    let output = broadaxe(&["upgrade", FACE, "-o", &new]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let one = folder.path("one.onnx");
    let output = broadaxe(&["extract", FACE, "--node", "#1", "-o", &one]);
    assert!(text(&output.stdout).contains("bias1 (Add)"), "{}", text(&output.stderr));
    // The runs of the axes of 16 are equal, so that only what is read tells these models apart.
    let moved = folder.path("moved.onnx");
    let bytes = fs::read(root().join(FACE)).expect("a model");
    let at = bytes.windows(4).position(|part| part == b"axis").expect("an attribute axis");
    let value = bytes[at..].windows(2).position(|part| part == [0x18, 1]).expect("its value") + at + 1;
    let mut bytes = bytes;
    bytes[value] = 2;
    fs::write(&moved, bytes).expect("a file");
    let fixed = folder.path("fixed.tflite");
    let position = "examples/position.tflite";
    let output = broadaxe(&["fix", position, "--for", "litert-gpu", "-o", &fixed]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));

    let cases: [([&str; 2], i32, &str); 6] = [
        ([FACE, FACE], 0, "4 equal, 0 written differently with the same meaning, 0 changed, 0 only in"),
        ([FACE, &new], 0, "1 equal, 3 written differently with the same meaning, 0 changed, 0 only in"),
        ([position, &fixed], 0, " 0 changed, 0 only in examples/position.tflite, 0 only in"),
        ([FACE, &moved], 1, "bias1 (Add), node 1:\n  rule: onnx-legacy axis=1 -> onnx-legacy axis=2\n"),
        ([FACE, &one], 1, "only in examples/face.onnx: prelu1 (PRelu), node 2"),
        ([FACE, "no.onnx"], 2, "no.onnx"),
    ];
    for ([a, b], code, says) in cases {
        let output = broadaxe(&["diff", a, b]);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{a} {b}: {said}");
        assert!(said.contains(says), "{a} {b}: {said}");
        assert_eq!(broadaxe(&["diff", b, a]).status.code(), Some(code), "{b} {a}");
    }
    let output = text(&broadaxe(&["diff", FACE, &new, "--all"]).stdout);
    let says = "prelu1 (PRelu), node 2, written differently, means the same:\n  operand b: (16,) -> (16, 1, 1)\n";
    assert!(output.contains(says), "{output}");
    let json: Value = serde_json::from_slice(&broadaxe(&["diff", FACE, &new, "--json"]).stdout).expect("JSON");
    assert_eq!((json["equal"].as_bool(), json["rewritten"].as_array().map(Vec::len)), (Some(true), Some(3)), "{json}");
    let change = &json["rewritten"][0]["changes"][0];
    assert_eq!(change.to_string(), r#"{"what":"operand","which":"b","a":[16],"b":[16,1,1]}"#);
}

#[test]
fn numbers_in_nodes_are_compared() {
    let folder = Folder::new("numbers");
    let write = |name: &str, number: &str, input: &str| {
        let (path, head) = (folder.path(name), format!("7767517\n2 2\nInput {input} 0 1 {input} 0=4\n"));
        fs::write(&path, format!("{head}BinaryOp add 1 1 {input} y 0=0 1=1 2={number}\n")).expect("a file");
        path
    };
    let (two, three) = (write("two.param", "2.0", "x"), write("three.param", "3.0", "x"));
    let renamed = write("renamed.param", "2.0", "z");
    for (a, b, code) in [(&two, &two, 0), (&two, &three, 1), (&two, &renamed, 0)] {
        let output = broadaxe(&["diff", a, b]);
        assert_eq!(output.status.code(), Some(code), "{a} {b}: {}", text(&output.stdout));
    }
}

#[test]
fn errors_say_what_would_have_worked() {
    let cases: [(&[&str], &str); 41] = [
        (&["fix", FACE, "--for", "ncnn", "openvino"], "--for TARGET,openvino"),
        (&["check", FACE, "--node", "x"], "broadaxe explain MODEL --node NODE"),
        (&["check", FACE, "--target", "ncnn"], "'--for' names the runtimes"),
        (&["fix", FACE, "--target", "ncnn"], "'--for' names the runtimes"),
        (&["list", FACE, "--target", "ncnn"], "'--for' names the runtimes"),
        (&["explain", FACE, "--for", "openvino"], "broadaxe check MODEL --for TARGET"),
        (&["repair", FACE], "broadaxe fix"),
        (&["lint", FACE], "broadaxe check"),
        (&["scan", FACE], "broadaxe check"),
        (&["verify", FACE], "broadaxe check"),
        (&["validate", FACE], "broadaxe check"),
        (&["stats", FACE], "broadaxe census"),
        (&["info", FACE], "broadaxe list"),
        (&["version"], "broadaxe --version"),
        (&["convert", FACE], "broadaxe upgrade"),
        (&["chek", FACE], "'check'"),
        (&["check", FACE, "--for", "ncnn", "openvino"], "'openvino' is a target; write --for ncnn,openvino"),
        (&["check", FACE, "--for", "tflite-gpu"], "did you mean 'litert-gpu'?"),
        (&["check", FACE, "--for", "gpu"], "did you mean 'litert-gpu'?"),
        (&["check", FACE, "--for", "rank<=N"], "rank<=N needs a number, such as rank<=4"),
        (&["check", FACE, "--for", "rank<=0"], "such as rank<=4"),
        (&["shape", "--rule", "openvino", "2", "2"], "pdpd"),
        (&["shape", "--rule", "openvino", "2", "2"], "openvino-fake-quantize"),
        (&["shape", "--rule", "openvino", "2", "2"], "numpy"),
        (&["shape", "--rule", "pytorch", "2", "2"], "torch"),
        (&["shape", "--rule", "pytorch", "2", "2"], "multidirectional"),
        (&["shape", "--rule", "onnx-", "2", "2"], "onnx-legacy"),
        (&["explain", FACE, "--node", "bias1", "--rule", "pdpd"], "cannot be used with '--rule <RULE>'"),
        (&["explain", FACE, "--node", "bias1", "--axis", "1"], "cannot be used with '--axis <N>'"),
        (&["check", FACE, "--json", "--format", "sarif"], "write --format json, or leave --json out"),
        (&["targets", "opnvino"], "did you mean 'openvino'?"),
        (&["check", FACE, "--for", "android"], "name what runs the model there: one or more of litert, litert-gpu"),
        (&["check", FACE, "-o", "report.html"], "--output html=report.html"),
        (&["check", FACE, "--output", "report.html"], "write FORMAT=FILE, such as html=report.html"),
        (&["check", FACE, "--output", "report"], "write FORMAT=FILE, such as sarif=findings.sarif"),
        (&["compare", "2,2", "2", "--rule", "numpy"], "'broadaxe shape --rule RULE SHAPE...' broadcasts under one"),
        (&["rules", "nump"], "unknown rule 'nump'; did you mean 'numpy'?"),
        (&["ops", "--rule", "numpy"], "unexpected argument '--rule' found"),
        (&["explain", "numpy"], "'numpy' is a rule; 'broadaxe rules numpy' says what it does"),
        (&["explain", "mnn"], "'mnn' is a target; 'broadaxe targets mnn' says what it does"),
        (&["list", FACE, "--node", "nowhere"], "the model has no node or result named 'nowhere'"),
    ];
    for (line, says) in cases {
        let output = broadaxe(line);
        let said = text(&output.stderr) + &text(&output.stdout);
        assert_eq!(output.status.code(), Some(2), "{line:?}: {said}");
        assert!(said.contains(says), "{line:?}: {said}");
        assert!(!said.contains("as a value"), "{line:?}: {said}");
    }
    let output = broadaxe(&["check", FACE, "--json", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let output = broadaxe(&["schema", "ncnn"]);
    assert!(!text(&output.stderr).contains("is a target"), "schema has no targets: {}", text(&output.stderr));
    let said = text(&broadaxe(&["rules", "pdpd,onnx-6"]).stdout);
    assert!(said.contains("pdpd: ") && said.contains("onnx-legacy: ") && !said.contains("gemm-c"), "{said}");
}

#[test]
fn lists_are_filtered() {
    let cases: [(&[&str], &str, &str); 7] = [
        (&["--op", "PRelu,Add"], "3 of 6 nodes listed", ""),
        (&["--op", "PRelu", "--op", "Add"], "3 of 6 nodes listed", ""),
        (&["--node", "prelu1"], "1 of 6 nodes listed", ""),
        (&["--node", "#1"], "1 of 6 nodes listed", ""),
        (&["--node", "*1", "--op", "Add"], "1 of 6 nodes listed", ""),
        (
            &["--op", "conv"],
            "0 of 6 nodes listed",
            "Conv is in the model (2 nodes), but it has no operands to broadcast; --all lists them",
        ),
        (&["--op", "Erf"], "0 of 6 nodes listed", "no node fits --op Erf; the operators of the model are Add, "),
    ];
    for (options, counts, note) in cases {
        let output = broadaxe(&[&["list", FACE], options].concat());
        let (said, noted) = (text(&output.stdout), text(&output.stderr));
        assert!(said.contains(counts) && noted.contains(note), "{options:?}: {said}{noted}");
    }
    let output = text(&broadaxe(&["targets", "litert-gpu"]).stdout);
    assert!(
        output.contains("\nlitert-gpu, by the first law that matches a node:\n  - ") && !output.contains("openvino"),
        "{output}"
    );
}

#[test]
fn hints_can_be_copied() {
    let folder = Folder::new("hints");
    let model = folder.path("-f.onnx");
    fs::copy(root().join(FACE), &model).expect("a copy");
    let run = |line: &[&str]| {
        let command = Command::new(env!("CARGO_BIN_EXE_broadaxe")).args(line).current_dir(folder.path("")).output();
        command.expect("the command starts")
    };
    let said = text(&run(&["check", "--no-cache", "--for", "ncnn", "--", "-f.onnx"]).stdout);
    let hint =
        said.lines().find_map(|line| line.trim().strip_prefix("broadaxe fix ")).unwrap_or_else(|| panic!("{said}"));
    assert_eq!(hint, "./-f.onnx --for ncnn -o ./-f-fixed.onnx", "{said}");
    let output = run(&[&["fix"], hint.split(' ').collect::<Vec<_>>().as_slice()].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn narrow_terminals() {
    let position = "examples/position.tflite";
    let lines: [&[&str]; 12] = [
        &["list", FACE, "--for", "openvino,ncnn"],
        &["check", FACE, "--for", "ncnn", "--format", "full"],
        &["check", position, "--for", "litert-gpu", "--format", "full"],
        &["check", FACE, "--statistics"],
        &["fix", position, "--for", "litert-gpu", "--dry-run"],
        &["fix", FACE, "--for", "ncnn", "--dry-run"],
        &["census", FACE],
        &["explain", FACE, "--node", "bias1"],
        &["check", FACE, "--for", "openvno"],
        &["check", FACE, "--target", "openvno"],
        &["list", FACE, "--op", "Erf"],
        &["diff", FACE, position],
    ];
    for (line, columns) in lines.iter().flat_map(|line| [45, 60].map(|columns| (line, columns))) {
        let output = Command::new(env!("CARGO_BIN_EXE_broadaxe"))
            .args(*line)
            .env("COLUMNS", columns.to_string())
            .env("LC_ALL", "C.UTF-8")
            .current_dir(root())
            .output()
            .expect("the command starts");
        let said = text(&output.stdout) + &text(&output.stderr);
        let long = said.lines().find(|line| {
            let words = line.split_whitespace().filter(|word| !"|=-.".contains(*word)).count();
            line.chars().count() > columns && words > 2 && !line.contains("broadaxe fix")
        });
        assert_eq!(long, None, "{line:?} at {columns}: {said}");
        let cut = said.lines().find(|line| line.contains("...") && !line.starts_with("Usage:"));
        assert_eq!(cut, None, "{line:?} at {columns}: {said}");
    }
    let statistics = Command::new(env!("CARGO_BIN_EXE_broadaxe"))
        .args(["check", FACE, "--statistics"])
        .env("COLUMNS", "30")
        .current_dir(root())
        .output()
        .expect("the command starts");
    assert!(text(&statistics.stdout).starts_with("findings: "), "{}", text(&statistics.stdout));
}
