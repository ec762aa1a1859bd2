//! Drawings as files, and checks that are repeated when a file changes.

mod shared;

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use shared::{Folder, broadaxe, root, text};

/// The size of a PNG file, as its head says it.
fn size(bytes: &[u8]) -> [u32; 2] {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes")))
}

#[test]
fn png_files_have_twice_the_pixels_and_are_the_same_each_time() {
    let folder = Folder::new("png");
    let [one, other, dark, svg] = ["one.png", "other.png", "dark.png", "one.svg"].map(|name| folder.path(name));
    for (path, more) in [(&one, &["--svg", &svg][..]), (&other, &[]), (&dark, &["--theme", "dark"])] {
        let output = broadaxe(&[&["compare", "2,2", "2", "--png", path], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let [one, other, dark] = [one, other, dark].map(|path| fs::read(path).expect("a picture"));
    assert!(one == other && one != dark);
    let svg = fs::read_to_string(svg).expect("a picture");
    let [width, height] = size(&one);
    assert!(svg.contains(&format!(" width=\"{}\" height=\"{}\" ", width / 2, height / 2)), "{width} {height}");
    assert_eq!(size(&dark), [width, height]);
}

#[test]
fn themes_and_steps() {
    let svg = |more: &[&str]| text(&broadaxe(&[&["explain", "2,3", "3", "--svg", "-"], more].concat()).stdout);
    let plain = svg(&[]);
    assert!(plain.contains("light-dark") && plain.contains("numbers of the result") && !plain.contains("2 Pad"));
    for theme in ["light", "dark", "print"] {
        let themed = svg(&["--theme", theme, "--steps"]);
        assert!(!themed.contains("light-dark") && themed.contains("2 Pad"), "{theme}");
    }
    assert_eq!(broadaxe(&["explain", "2,3", "3", "--theme", "blue"]).status.code(), Some(2));
}

#[test]
fn a_watched_model_is_checked_again() {
    let folder = Folder::new("watch");
    let model = folder.path("face.onnx");
    fs::copy(root().join("examples/face.onnx"), &model).expect("a model");
    let mut child = Command::new(env!("CARGO_BIN_EXE_broadaxe"))
        .args(["check", &model, "--for", "ncnn", "--quiet", "--watch", "--no-config"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut line = || lines.next().expect("a line").expect("text");
    let first = line();
    fs::copy(root().join("examples/position.tflite"), &model).expect("another model");
    let second = line();
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(first.contains("ncnn: 1 differs, 2 same") && second != first, "{first}\n{second}");
    for wrong in [&["check", "-", "--watch"][..], &["check", &model, "--watch", "--json"]] {
        assert_eq!(broadaxe(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_quiet_check_prints_one_line_for_each_model() {
    let models = ["examples/face.onnx", "examples/position.tflite", "examples/face.onnx.gz"];
    for columns in ["30", "80"] {
        let output = Command::new(env!("CARGO_BIN_EXE_broadaxe"))
            .current_dir(root())
            .env("COLUMNS", columns)
            .args(["check", models[0], models[1], "--for", "onnx,openvino,ncnn,litert-gpu", "--quiet", "--no-config"])
            .output()
            .expect("the command starts");
        let lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines.iter().zip(models).all(|(line, model)| line.starts_with(&format!("{model}: "))), "{lines:?}");
    }
}

#[test]
fn tables_fit_a_terminal_of_80_columns() {
    for (subcommand, more) in [("list", &["--for", "onnx,ncnn"][..]), ("ls", &[])] {
        for columns in [50, 80] {
            let output = Command::new(env!("CARGO_BIN_EXE_broadaxe"))
                .current_dir(root())
                .env("COLUMNS", columns.to_string())
                .env("LC_ALL", "C.UTF-8")
                .args([&[subcommand, "examples/face.onnx"], more].concat())
                .output()
                .expect("the command starts");
            let said = text(&output.stdout);
            assert!(said.lines().all(|line| line.chars().count() <= columns), "{said}");
            if columns == 80 {
                // A line for each node or array, and a total; a head for nodes.
                assert_eq!(said.lines().count(), 5, "{said}");
            }
        }
    }
}
