//! The files that subcommands about models write, their names, and what is said of files that are not models.

mod shared;

use std::{fs, path::Path, process::Command};

use broadaxe_testing::protobuf::onnx;
use serde_json::Value;

use shared::{Folder, broadaxe, text};

const FACE: &str = "examples/face.onnx";
/// A model with a `Select` and a `FakeQuantize`.
const SMALL: &str = "crates/broadaxe-format/tests/models/openvino_small.xml";

#[test]
fn a_node_alone_is_a_model() {
    let folder = Folder::new("extract");
    let out = folder.path("one.onnx");
    let output = broadaxe(&["extract", FACE, "--node", "prelu1", "-o", &out, "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let file = |one: &Value| one["file"].as_str().expect("a file").to_owned();
    let (input, result) = (file(&said["inputs"][0]), file(&said["result"]));
    assert_eq!(
        (input.as_str(), result.as_str()),
        (folder.path("one.0.npy").as_str(), folder.path("one.out.npy").as_str())
    );
    let census: Value = serde_json::from_slice(&broadaxe(&["census", &out, "--json"]).stdout).expect("a census");
    assert_eq!(census["models"][0]["nodes"], 1, "{census}");
    assert_eq!(census["models"][0]["elementwise"], 1, "{census}");
    // The result is what the engine computes of the files, under the rule that the model's opset has.
    let names = [format!("x={input}"), format!("slope={out}:slope"), format!("want={result}")];
    let wrong = "sum(where(x < 0, mul(x, slope, rule='onnx-legacy', axis=1), x) != want)";
    let output = broadaxe(&[&["eval", wrong, "--json"][..], &names.each_ref().map(String::as_str)].concat());
    assert!(text(&output.stdout).contains("\"data\":[0]"), "{}{}", text(&output.stdout), text(&output.stderr));

    let packed = folder.path("conv.onnx.gz");
    let output = broadaxe(&["extract", FACE, "--node", "conv1", "-o", &packed, "--inline"]);
    assert!(text(&output.stdout).contains("the result was not computed: Conv is not element-wise"), "{output:?}");
    assert!(fs::read(&packed).unwrap().starts_with(&[0x1f, 0x8b]));
    assert_eq!(broadaxe(&["census", &packed]).status.code(), Some(0));
    let made = fs::read_dir(&folder.0).unwrap().count();
    assert_eq!(made, 4, "two models, an input and a result");
}

/// Errors about open sizes show an option that works.
#[test]
fn open_sizes_are_given() {
    let folder = Folder::new("open");
    let path = folder.path("exp.onnx");
    let nodes = [("Shape", vec!["x"], "s"), ("Expand", vec!["mask", "s"], "y")];
    let nodes =
        nodes.map(|(op, inputs, output)| (op, inputs.into_iter().map(str::to_owned).collect(), output.to_owned()));
    let inputs = [("x", ["b", "16", "16", "16"]), ("mask", ["b", "1", "1", "16"])];
    let inputs = inputs.map(|(name, dims)| (name.to_owned(), dims.map(str::to_owned).to_vec()));
    fs::write(&path, onnx(nodes.into_iter(), inputs.into_iter())).unwrap();
    let out = folder.path("y.onnx");
    let args = ["extract", &path, "--node", "y", "-o", &out];
    let output = broadaxe(&args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let given = said.trim_end().split_once("b is open: add ").expect(&said).1;
    let output = broadaxe(&[&args[..], &given.split(' ').collect::<Vec<_>>()].concat());
    assert!(output.status.success(), "{given}: {}", text(&output.stderr));
    let listed = text(&broadaxe(&["ls", &folder.path("y.out.npy")]).stdout);
    assert!(listed.contains("(2, 16, 16, 16)"), "{given}: {listed}");

    // A drawing does not need the sizes.
    let output = broadaxe(&["explain", &path, "--node", "y"]);
    let said = text(&output.stdout);
    assert!(
        said.contains("(b, 16, 16, 16) under bidirectional target=(b, 16, 16, 16)"),
        "{said}{}",
        text(&output.stderr)
    );
}

/// Where models are written: to files with the names of their format, in folders that exist.
#[test]
fn names_of_outputs() {
    let folder = Folder::new("outputs");
    let out = |name: &str| folder.path(name);
    let fix = |name: &str| {
        let mut args = vec!["fix".to_owned(), FACE.into(), "--for".into(), "openvino,onnx".into(), "--quiet".into()];
        args.extend(["-o".to_owned(), name.to_owned()]);
        args
    };
    let upgrade = |name: &str| ["upgrade", FACE, "-o", name].map(str::to_owned).to_vec();
    let extract = |name: &str| ["extract", FACE, "--node", "prelu1", "-o", name].map(str::to_owned).to_vec();
    let baseline = |name: &str| ["check", FACE, "--for", "onnx", "--write-baseline", name].map(str::to_owned).to_vec();
    let report =
        |name: &str| ["check", FACE, "--for", "onnx", "--output", &format!("json={name}")].map(str::to_owned).to_vec();
    let eval = |name: &str| ["eval", "x", "x=examples/mean.npy", "-o", name].map(str::to_owned).to_vec();
    let other = "the changed model is of the same format as MODEL; end OUT with .onnx";
    let node = "a node is written as an ONNX model; end OUT with .onnx";
    let stdout = "a model is written to a file, not to standard output; name one, such as -o out.onnx";
    let absent = format!("the folder {} does not exist", folder.path("no"));
    let mut cases = vec![
        (fix(&out("x.npy")), format!("OUT ends with .npy, and {other}")),
        (fix(&out("x.xml.gz")), format!("OUT ends with .xml, and {other}")),
        (upgrade(&out("x.npz")), format!("OUT ends with .npz, and {other}")),
        (extract(&out("x.xml")), format!("OUT ends with .xml, and {node}")),
        (fix("-"), stdout.to_owned()),
        (upgrade("-"), stdout.to_owned()),
        (extract("-"), stdout.to_owned()),
    ];
    let absent_models = [fix, upgrade, extract].map(|command| command(&out("no/x.onnx")));
    let others = [baseline(&out("no/x.json")), report(&out("no/x.json")), eval(&out("no/x.npy"))];
    cases.extend(absent_models.into_iter().chain(others).map(|args| (args, absent.clone())));
    for (args, want) in cases {
        let output = broadaxe(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(&want), "{args:?}: {said}");
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "nothing was written");
    for name in ["x", "x.onnx", "x.ONNX.gz"] {
        for args in [fix(&out(name)), upgrade(&out(name))] {
            let output = broadaxe(&args.iter().map(String::as_str).collect::<Vec<_>>());
            assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
            let checked = broadaxe(&["census", &out(name), "--json"]);
            let census: Value = serde_json::from_slice(&checked.stdout).expect("a census");
            assert_eq!(census["models"][0]["elementwise"], 4, "{name}: {census}");
            let is_packed = fs::read(out(name)).unwrap().starts_with(&[0x1f, 0x8b]);
            assert_eq!(is_packed, name.ends_with("gz"), "{name}");
        }
    }
}

/// The weights of a compressed model are next to it, where they are read.
#[test]
fn compressed_models_have_weights() {
    let folder = Folder::new("weights");
    let out = folder.path("small.xml.gz");
    let output = broadaxe(&["fix", SMALL, "--for", "equal-rank", "-o", &out, "--no-verify"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text(&output.stderr));
    let mut names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["small.bin", "small.xml.gz"]);
    assert_eq!(broadaxe(&["census", &out]).status.code(), Some(0));
}

/// Files of other programs are named, with a way to a model that can be read.
#[test]
fn files_that_are_not_models() {
    let folder = Folder::new("foreign");
    let cases = [
        ("net.pt", "PK\u{3}\u{4}", "net.pt: this is a PyTorch file; export the model with torch.onnx.export"),
        ("net.h5", "text", "net.h5: this is a Keras file; "),
        ("net.safetensors", "text", "net.safetensors: this is a file of arrays"),
        ("empty.onnx", "", "empty.onnx: the file is empty"),
        ("read.me", "text", "read.me: not a model file Broadaxe can read"),
        ("net.mlpackage", "/", "net.mlpackage: this is a Core ML model; "),
    ];
    for (name, contents, want) in cases {
        let path = folder.path(name);
        if contents == "/" {
            fs::create_dir(&path).unwrap();
        } else {
            fs::write(&path, contents).unwrap();
        }
        for args in [&["check", "--for", "onnx"][..], &["fix", "--for", "onnx", "--dry-run"], &["list"], &["explain"]] {
            let output = broadaxe(&[args, &[&path]].concat());
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{args:?} {name}: {said}");
            assert!(said.contains(want), "{args:?} {name}: {said}");
        }
    }
}

/// A check does not promise what `fix` refuses: it says which shapes `fix` needs, and with them the command works.
#[test]
fn promised_fixes_are_written() {
    let folder = Folder::new("promised");
    let (model, out) = (folder.path("open.param"), folder.path("open-fixed.param"));
    let layers = "Input i 0 1 x\nConvolution k 1 1 x e 0=16 1=3 6=432\nSplit s 1 2 e a b\nPooling p 1 1 a c 0=1 4=1\n\
                  InnerProduct g 1 1 c d 0=16 1=1 2=256\nBinaryOp m 2 1 d b y 0=2\n";
    fs::write(&model, format!("7767517\n6 7\n{layers}")).unwrap();
    let said = text(&broadaxe(&["check", &model, "--for", "openvino", "--no-cache"]).stdout);
    assert!(said.contains("1 of 1 finding can be fixed, once --input-shape gives the shape of x:"), "{said}");
    let hint = said.lines().find_map(|line| line.trim().strip_prefix("broadaxe ")).expect("a command");
    let hint = hint.replace("'x:SHAPE'", "x:SHAPE");
    assert_eq!(hint, format!("fix {model} --for openvino --input-shape x:SHAPE -o {out}"), "{said}");
    let output = broadaxe(&hint.replace("SHAPE", "3,8,8").split(' ').collect::<Vec<_>>());
    assert!(output.status.success() && Path::new(&out).exists(), "{}", text(&output.stdout));
}

/// A model that nothing was repaired in is not written; one in which nothing is wrong is.
#[test]
fn fix_writes_where_nothing_wrong_is_left() {
    let folder = Folder::new("written");
    let cases = [
        (SMALL, "ncnn", "small.xml", 0, "unsupported: "),
        (FACE, "onnx6", "same.onnx", 0, "no changes needed"),
        (FACE, "none", "left.onnx", 1, "nothing was fixed, and nothing was written"),
        ("examples/position.tflite", "litert-gpu", "fixed.tflite", 0, "verified: 1 comparison of element-wise nodes"),
    ];
    for (model, target, name, code, says) in cases {
        let path = folder.path(name);
        let output = broadaxe(&["fix", model, "--for", target, "-o", &path]);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{model} for {target}: {said}");
        assert!(said.contains(says), "{model} for {target}: {said}");
        assert_eq!(Path::new(&path).exists(), code == 0, "{model} for {target}: {said}");
    }
}

#[test]
fn upgrades_are_compared_with_the_model_before() {
    let output = broadaxe(&["upgrade", FACE, "--dry-run", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(report["verified"].as_str().is_some_and(|said| said.contains("all the same bit for bit")), "{report}");
    let output = broadaxe(&["upgrade", FACE, "--dry-run", "--json", "--no-verify"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(report["verified"].is_null(), "{report}");
}

/// What programs read has the names of the file, whatever a terminal can show.
#[test]
fn reports_for_programs_have_the_names_of_the_file() {
    let folder = Folder::new("names");
    let add = ("Add", vec!["x→…".to_owned(), "x→…".to_owned()], "y".to_owned());
    let path = folder.path("names.onnx");
    fs::write(&path, onnx([add].into_iter(), [("x→…".to_owned(), vec!["2".to_owned()])].into_iter())).unwrap();
    let said = |format: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_broadaxe"));
        command.args(["check", "--no-cache", "--for", "none", "--all", "--format", format, &path]).env("LC_ALL", "C");
        text(&command.output().expect("the command starts").stdout)
    };
    for format in ["json", "sarif", "gitlab", "junit", "markdown", "model-explorer"] {
        let text = said(format);
        assert!(!text.contains("->"), "{format}: {text}");
    }
    assert!(said("json").contains("x→…"));
    assert!(said("full").is_ascii());
}
