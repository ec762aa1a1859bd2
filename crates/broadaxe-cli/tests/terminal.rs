//! Names in files cannot command a terminal: every subcommand is run in a pseudo-terminal over files with hostile names.
#![cfg(target_os = "linux")]
#![allow(clippy::format_push_string)]

use std::{fs, path::Path, process::Command};

use broadaxe_testing::{protobuf::Message, temporary};

/// Sets the title, rings, clears the screen, moves the cursor, turns the direction of writing; C1 and C0 controls.
const HOSTILE: &str = "a\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{8}\u{2066}b";

/// Makes an ONNX model whose names are hostile: `y = PRelu(x + c, c)`.
fn onnx() -> Vec<u8> {
    let name = |part: &str| format!("{HOSTILE}{part}");
    let node = |op: &str, inputs: [&str; 2], output: &str| {
        let node = inputs.iter().fold(Message::default(), |node, input| node.bytes(1, name(input).as_bytes()));
        node.bytes(2, name(output).as_bytes()).bytes(3, name(op).as_bytes()).bytes(4, op.as_bytes())
    };
    let dims = |dims: &[i64]| {
        dims.iter().fold(Message::default(), |shape, &dim| shape.bytes(1, &Message::default().int(1, dim).0))
    };
    let tensor = Message::default().int(1, 1).bytes(2, &dims(&[1, 2, 2, 2]).0);
    let value = |part: &str| {
        let kind = Message::default().bytes(1, &tensor.0);
        Message::default().bytes(1, name(part).as_bytes()).bytes(2, &kind.0)
    };
    let constant = Message::default().int(1, 2).int(2, 1).bytes(8, name("c").as_bytes()).bytes(9, &[0; 8]);
    let graph = Message::default()
        .bytes(1, &node("Add", ["x", "c"], "t").0)
        .bytes(1, &node("PRelu", ["t", "c"], "y").0)
        .bytes(1, &node("Frobnicate", ["y", "c"], "z").0)
        .bytes(2, HOSTILE.as_bytes())
        .bytes(5, &constant.0)
        .bytes(11, &value("x").0)
        .bytes(12, &value("y").0);
    let opset = Message::default().bytes(1, b"").int(2, 17);
    Message::default().int(1, 8).bytes(7, &graph.0).bytes(8, &opset.0).0
}

/// Makes a model of ncnn, whose names end at blanks.
fn param() -> String {
    let name = HOSTILE.replace(['\n', '\r'], "");
    format!(
        "7767517\n3 3\nInput {name}in 0 1 {name}x 0=2 1=2 2=2\nMemoryData {name}c 0 1 {name}c 0=2\nBinaryOp {name}add 2 1 {name}x {name}c {name}y 0=0\n"
    )
}

/// Replaces the name of a tensor of a model in place.
fn tflite() -> Vec<u8> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../broadaxe-format/tests/models");
    let mut bytes = fs::read(models.join("tflite_small.tflite")).unwrap();
    for (from, to) in [(&b"slope"[..], &b"\x1b[2J\x07"[..]), (b"scale", b"\x1b]0;\x07"), (b"bias", b"\x1bc\x08\x0c")] {
        let at = bytes.windows(from.len()).position(|part| part == from).expect("the name of a tensor");
        bytes[at..at + from.len()].copy_from_slice(to);
    }
    bytes
}

fn safetensors() -> Vec<u8> {
    let name = HOSTILE.chars().fold(String::new(), |name, c| name + &format!("\\u{:04x}", c as u32));
    let header = format!("{{\"{name}\":{{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}}}");
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[0; 8]].concat()
}

/// Runs a command line in a pseudo-terminal; standard error goes through it too, unless it is shown as a bar there.
fn run(folder: &Path, line: &str) -> String {
    let command = format!("{} {line}", env!("CARGO_BIN_EXE_broadaxe"));
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(folder).env_remove("NO_COLOR");
    script.env("TERM", "xterm-256color").env("COLUMNS", "80").env("LC_ALL", "C.UTF-8");
    let output = script.env("BROADAXE_CACHE_DIR", folder.join("cache")).output();
    String::from_utf8_lossy(&output.expect("script of util-linux runs").stdout).into_owned()
}

/// Removes colours and what clears a progress bar, which the command prints itself, and the ends of lines as terminals
/// write them.
fn without_colors(text: &str) -> String {
    let mut left = text.replace("\r\n", "\n").replace("\r\u{1b}[2K", "");
    while let Some(start) = left.find("\u{1b}[") {
        let rest = &left[start + 2..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';');
        let Some(end) = end.filter(|&end| rest[end..].starts_with('m')) else { break };
        left.replace_range(start..=start + 2 + end, "");
    }
    left
}

#[test]
fn nothing_raw_reaches_a_terminal() {
    let folder = temporary::path("terminal");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a.onnx"), onnx()).unwrap();
    fs::write(folder.join("a.param"), param()).unwrap();
    fs::write(folder.join("a.tflite"), tflite()).unwrap();
    fs::write(folder.join("a.safetensors"), safetensors()).unwrap();
    let key = HOSTILE.replace('\'', "");
    run(&folder, &format!("eval -o 'a.npz:{key}' 1+1"));
    let formats = ["grouped", "full", "concise", "markdown", "json", "sarif", "github", "gitlab", "junit"];
    let mut lines: Vec<String> = Vec::new();
    for model in ["a.onnx", "a.param", "a.tflite"] {
        let targets = "--for onnx,openvino,ncnn,equal-rank,litert-gpu";
        lines.extend(formats.map(|format| format!("check {model} {targets} --all --format {format}")));
        lines.push(format!("check {model} {targets} --statistics"));
        lines.push(format!("check {model} {targets} --quiet"));
        lines.extend(["", "--no-verify"].map(|option| format!("fix {model} --for equal-rank --dry-run {option}")));
        let rest = ["list --all", "list --for onnx", "census", "ls", "upgrade --dry-run", "diff a.onnx", "list --json"];
        lines.extend(rest.map(|line| format!("{line} {model}")));
        lines.extend(
            ["explain --node '#1'", "explain --node '*'", "explain --node nowhere"]
                .map(|line| format!("{line} {model}")),
        );
        lines.push(format!("extract {model} --node '#1' -o one.onnx"));
        lines.push(format!("check {model} --input-shape nowhere:1,2"));
        lines.push(format!("sizes {model} --sweep nowhere=1..4"));
    }
    for file in ["a.npz", "a.safetensors"] {
        lines.extend([
            format!("ls {file}"),
            format!("ls {file} --json"),
            format!("eval a a={file}"),
            format!("eval a a={file}:no"),
        ]);
    }
    lines.push(format!("check '{key}.onnx' a.onnx"));
    lines.push(format!("explain '{key}'"));
    let mut failures = String::new();
    for line in &lines {
        let text = without_colors(&run(&folder, line));
        let raw = |c: &char| {
            (c.is_control() && *c != '\n')
                || ('\u{202a}'..='\u{202e}').contains(c)
                || ('\u{2066}'..='\u{2069}').contains(c)
        };
        if let Some(raw) = text.chars().find(raw) {
            let at = text.find(raw).unwrap_or(0);
            let around: String = text[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
            failures += &format!("{line}: {raw:?} behind {around:?}\n");
        }
        if text.trim().is_empty() || text.contains("panicked") {
            failures += &format!("{line}: {text:?}\n");
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    assert!(failures.is_empty(), "{failures}");
}
