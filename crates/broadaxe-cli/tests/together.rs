//! Runs that change one file at the same time: nothing of any of them is lost, and nothing else is left.

#![cfg(unix)]

mod shared;

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::symlink,
    process::{Child, Command, Stdio},
};

use broadaxe_testing::protobuf::onnx;
use serde_json::Value;

use shared::{Folder, broadaxe, text};

const RUNS: usize = 20;

/// Starts a run in a folder.
fn start(folder: &Folder, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broadaxe"));
    command.args(args).current_dir(&folder.0).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command starts")
}

/// Waits for runs, each of which is to end with exit code 0.
fn all_succeed(runs: Vec<Child>) {
    for run in runs {
        let output = run.wait_with_output().expect("an end");
        assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    }
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(&folder.0).expect("a folder");
    let mut names: Vec<String> = entries.map(|one| one.expect("an entry").file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Writes `x.npy`, with 400,000 elements.
fn zeros(folder: &Folder) {
    let text = "{'descr': '|u1', 'fortran_order': False, 'shape': (400000,), }";
    let head = [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat();
    fs::write(folder.path("x.npy"), [head, vec![0; 400_000]].concat()).expect("a file");
}

#[test]
fn arrays_of_all_runs_are_in_the_file() {
    for name in ["o.npz", "o.safetensors"] {
        let folder = Folder::new(name);
        zeros(&folder);
        let run = |k| start(&folder, &["eval", &format!("x + {k}"), "x=x.npy", "-o", &format!("{name}:k{k}")]);
        all_succeed((0..RUNS).map(run).collect());
        let listed = start(&folder, &["ls", name, "--json"]).wait_with_output().expect("an end");
        let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
        let mut keys: Vec<&str> =
            listed["arrays"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        keys.sort_unstable();
        let mut want: Vec<String> = (0..RUNS).map(|k| format!("k{k}")).collect();
        want.sort();
        assert_eq!(keys, want);
        assert_eq!(names(&folder), [name, "x.npy"]);
    }
}

/// A name without a key replaces a file only if that holds no other arrays, also those that were added while it ran.
#[test]
fn arrays_that_are_added_meanwhile_are_not_replaced() {
    let folder = Folder::new("plain");
    zeros(&folder);
    for round in 0..10 {
        let run = |output: String| start(&folder, &["eval", "x + 1", "x=x.npy", "-o", &output]);
        let keyed = (0..3).map(|k| run(format!("o.npz:k{k}")));
        let plain = (0..3).map(|_| run("o.npz".to_owned())).collect::<Vec<_>>();
        all_succeed(keyed.collect());
        let ends = plain.into_iter().map(|run| run.wait_with_output().expect("an end"));
        let written = ends.map(|end| end.status.code()).filter(|&code| code == Some(0)).count();
        let listed = start(&folder, &["ls", "o.npz"]).wait_with_output().expect("an end");
        let listed = text(&listed.stdout);
        assert!((0..3).all(|k| listed.contains(&format!("k{k} "))), "round {round}, {written} without a key: {listed}");
        fs::remove_file(folder.path("o.npz")).expect("a file");
    }
}

/// A model whose `Add` is not for runtimes that need equal ranks, and whose `Where` is not for MNN.
fn model() -> Vec<u8> {
    let nodes = [("Add", &["x", "b"][..], "s"), ("Equal", &["x", "s"], "c"), ("Where", &["c", "s", "y"], "z")];
    let nodes = nodes.map(|(op, inputs, output)| {
        (op, inputs.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), output.to_owned())
    });
    let inputs = [("x", "2 3 4"), ("b", "4"), ("y", "1 1 4")];
    let inputs = inputs.map(|(name, dims)| (name.to_owned(), dims.split(' ').map(str::to_owned).collect::<Vec<_>>()));
    onnx(nodes.into_iter(), inputs.into_iter())
}

#[test]
fn findings_of_all_runs_are_in_the_baseline() {
    let folder = Folder::new("baseline");
    for k in 0..RUNS {
        fs::write(folder.path(&format!("m{k}.onnx")), model()).expect("a file");
    }
    let run = |k| {
        let model = format!("m{k}.onnx");
        start(&folder, &["check", "-q", &model, "--for", "equal-rank", "--no-cache", "--write-baseline", "b.json"])
    };
    all_succeed((0..RUNS).map(run).collect());
    let baseline: Value = serde_json::from_slice(&fs::read(folder.path("b.json")).expect("a file")).expect("JSON");
    assert_eq!(baseline["findings"].as_array().map(Vec::len), Some(RUNS), "{baseline}");
    assert_eq!(names(&folder).len(), RUNS + 1);
}

/// Runs repair a model for one runtime each, also through a link.
#[test]
fn changes_of_all_runs_are_in_the_model() {
    let folder = Folder::new("in-place");
    symlink("m.onnx", folder.path("link.onnx")).expect("a link");
    for round in 0..5 {
        fs::write(folder.path("m.onnx"), model()).expect("a file");
        let run = |(target, name)| start(&folder, &["fix", "-q", name, "--for", target, "--in-place"]);
        let cases = [("equal-rank", "m.onnx"), ("mnn", "link.onnx"), ("equal-rank", "link.onnx"), ("mnn", "m.onnx")];
        all_succeed(cases.into_iter().map(run).collect());
        let checked = broadaxe(&["check", "-q", &folder.path("m.onnx"), "--for", "equal-rank,mnn", "--no-cache"]);
        assert_eq!(checked.status.code(), Some(0), "round {round}: {}", text(&checked.stdout));
        assert_eq!(names(&folder), ["link.onnx", "m.onnx"]);
    }
}

/// Another process has the lock: a run says what it waits for, and an interrupt ends it and leaves the lock to the other.
#[test]
fn a_run_that_waits_says_so_and_can_be_interrupted() {
    let folder = Folder::new("waits");
    zeros(&folder);
    let lock = fs::File::create(folder.path(".o.npz.broadaxe-lock")).expect("a file");
    lock.lock().expect("a lock");
    let mut run = start(&folder, &["eval", "x", "x=x.npy", "-o", "o.npz:k"]);
    let mut said = String::new();
    let mut errors = BufReader::new(run.stderr.take().expect("a pipe"));
    errors.read_line(&mut said).expect("a line");
    assert_eq!(said, "note: o.npz: waiting for another run that replaces the file\n");
    let sent = Command::new("kill").args(["-TERM", &run.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    assert_eq!(run.wait().expect("an end").code(), Some(143));
    assert_eq!(names(&folder), [".o.npz.broadaxe-lock", "x.npy"]);
    drop(lock);
    all_succeed(vec![start(&folder, &["eval", "x", "x=x.npy", "-o", "o.npz:k"])]);
    assert_eq!(names(&folder), ["o.npz", "x.npy"]);
}
