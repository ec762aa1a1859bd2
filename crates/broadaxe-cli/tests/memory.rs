//! Runs the command on small files that ask for much memory, with no more address space than they justify.
//!
//! `fuzz/bombs.py` has many more of them.
#![cfg(target_os = "linux")]

mod shared;

use std::{
    fs,
    io::Write,
    process::{Command, Output},
};

use broadaxe_testing::protobuf::{Message, onnx};
use flate2::{Compression, write::GzEncoder};
use shared::{Folder, broadaxe, root, text};

/// What every run may take, and what each node may.
const FREE_BYTES: u64 = 256 << 20;
const BYTES_PER_NODE: u64 = 1000;
/// The nodes that calls of functions bring into a small model.
const EXPANDED: u64 = 20_000;
/// How the address space that the program itself needs is searched for.
const STEP_BYTES: u64 = 16 << 20;

/// Runs the command with an address space of this many bytes.
fn limited(bytes: u64, args: &[&str]) -> Output {
    let limit = format!("ulimit -v {} && exec \"$@\"", bytes / 1024);
    let mut command = Command::new("sh");
    command.args(["-c", &limit, "sh", env!("CARGO_BIN_EXE_broadaxe")]).args(args).current_dir(root());
    command.output().expect("a shell starts")
}

/// A model that calls one function `width` times, which adds `width` times.
fn function_wide(width: usize) -> Vec<u8> {
    let node = |op: &str, from: &str, to: &str, domain: &str| {
        let node = Message::default().bytes(1, from.as_bytes());
        let node = if op == "Add" { node.bytes(1, b"x") } else { node };
        node.bytes(2, to.as_bytes()).bytes(4, op.as_bytes()).bytes(7, domain.as_bytes()).0
    };
    let name = |k: usize| if k == 0 { "x".to_owned() } else { format!("v{k}") };
    let opset = |domain: &[u8], version| Message::default().bytes(1, domain).int(2, version).0;
    let mut function = Message::default().bytes(1, b"F").bytes(4, b"x").bytes(5, name(width).as_bytes());
    let mut graph = Message::default().bytes(2, b"g");
    for k in 0..width {
        function = function.bytes(7, &node("Add", &name(k), &name(k + 1), ""));
        graph = graph.bytes(1, &node("F", &name(k), &name(k + 1), "f"));
    }
    let function = function.bytes(9, &opset(b"", 18)).bytes(10, b"f");
    let dim = |size| Message::default().bytes(1, &Message::default().int(1, size).0);
    let shape = [dim(2).0, dim(3).0].concat();
    let tensor = Message::default().bytes(1, &Message::default().int(1, 1).bytes(2, &shape).0);
    let input = Message::default().bytes(1, b"x").bytes(2, &tensor.0);
    let output = Message::default().bytes(1, name(width).as_bytes());
    let graph = graph.bytes(11, &input.0).bytes(12, &output.0);
    let model = Message::default().int(1, 9).bytes(7, &graph.0).bytes(8, &opset(b"", 18)).bytes(8, &opset(b"f", 1));
    model.bytes(25, &function.0).0
}

/// Compresses a head, and then 512 MiB of this byte.
fn inflating(head: &[u8], byte: u8) -> Vec<u8> {
    let packed = |bytes: &[u8]| {
        let mut to = GzEncoder::new(Vec::new(), Compression::best());
        to.write_all(bytes).expect("memory");
        to.finish().expect("memory")
    };
    [packed(head), packed(&vec![byte; 16 << 20]).repeat(32)].concat()
}

/// Finds the address space that the program itself needs.
fn own_bytes(folder: &Folder) -> u64 {
    let add = ("Add", vec!["x".to_owned(), "x".to_owned()], "y".to_owned());
    let one = onnx([add].into_iter(), [("x".to_owned(), vec!["2".to_owned()])].into_iter());
    let model = folder.path("one.onnx");
    fs::write(&model, one).expect("a file");
    let output = broadaxe(&["check", "--no-cache", &model]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let fits = |bytes: &u64| limited(*bytes, &["check", "--no-cache", &model]).status.code() == Some(0);
    (1..64).map(|k| k * STEP_BYTES).find(fits).expect("the program runs")
}

/// Memory may run out anywhere. That is an error, and no signal ends the process.
#[test]
fn memory_that_runs_out_is_an_error() {
    let folder = Folder::new("exhausted");
    let (model, own) = (folder.path("function_wide.onnx"), own_bytes(&folder));
    fs::write(&model, function_wide(2000)).expect("a file");
    for more in (0..4).map(|k| k * STEP_BYTES) {
        let output = limited(own + more, &["check", "-q", "--no-cache", &model]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{more}: {said}");
        assert!(said.contains("error: memory has run out; allow more of it"), "{more}: {said}");
    }
}

#[test]
fn memory_is_in_proportion_to_the_file() {
    let folder = Folder::new("memory");
    let own = own_bytes(&folder);
    let head = br#"<net name="a" version="11"><layers>"#.as_slice();
    let cases: [(&str, u64, Vec<u8>); 5] = [
        ("function_wide.onnx", EXPANDED, function_wide(2000)),
        ("zeros.onnx.gz", 0, inflating(b"", 0)),
        ("zeros.param.gz", 0, inflating(b"7767517\n1 1\n", 0)),
        ("letters.param.gz", 0, inflating(b"7767517\n1 1\n", b'x')),
        ("letters.xml.gz", 0, inflating(head, b'x')),
    ];
    for (name, nodes, bytes) in cases {
        let (path, len) = (folder.path(name), bytes.len() as u64);
        fs::write(&path, bytes).expect("a file");
        let sarif = &["check", "--no-cache", "--format", "sarif"];
        for command in [&["check", "--no-cache", "--json"][..], sarif, &["list", "--all"]] {
            let output = limited(own + len + FREE_BYTES + BYTES_PER_NODE * nodes, &[command, &[&path]].concat());
            // What the nodes mean does not matter here.
            let want: &[i32] = if nodes == 0 { &[2] } else { &[0, 1] };
            let code = output.status.code();
            assert!(
                code.is_some_and(|code| want.contains(&code)),
                "{name}, {command:?}: {code:?}, {}",
                text(&output.stderr)
            );
        }
    }
}
