//! Tests with an engine that is a script for plain Python, in environments that are shell scripts.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use broadaxe::DType;
use broadaxe_models::{
    Source,
    ask::{ModelAnswer, ModelRun, Tensor},
    format,
    infer::infer,
};
use broadaxe_testing::protobuf::Message;

use super::{
    runtimes::{Runtime, Wanted},
    *,
};

/// Adds equal shapes; version 2 adds 1 to the first element. Other operators do what engines do that they should not.
const DRIVER: &str = r#"
from array import array as numbers


def array(tensor, data):
    return tensor["shape"], data


def start():
    if os.environ["FAKE_VERSION"] == "0.1":
        raise RuntimeError("no device")
    return "a GPU" if os.environ["FAKE_VERSION"] == "2.0" else None


def version():
    return os.environ["FAKE_VERSION"]


def load(model, names, outputs, options):
    op = next(op for op in (b"Sub", b"Mul", b"Div", b"Pow", b"Max", b"Min", b"Sum", b"Mean", b"Add") if op in model.data)
    return lambda feeds: [result(op, [feeds[name] for name in names]) for _ in outputs]


def result(op, feeds):
    if op == b"Sub":
        os.kill(os.getpid(), signal.SIGSEGV)
    if op == b"Mul":
        time.sleep(600)
    if op == b"Div":
        json.dumps = lambda value: "no JSON"
    if op == b"Pow":
        return [9], "f32", b"1234"
    if op == b"Max":
        sys.exit(3)
    if op == b"Min":
        raise ValueError("no\n  Min")
    if op == b"Sum":
        raise Unasked("sums are not known")
    if op == b"Mean":
        result.broken = True
    elif hasattr(result, "broken"):
        sys.exit(4)
    # What an engine prints is not part of its answer.
    os.write(1, b'{"refused": "noise"}\n')
    print("noise", flush=True)
    open("left", "w").write("a file")
    one, two = (numbers("f", data) for _, data in feeds)
    found = numbers("f", [x + y for x, y in zip(one, two)])
    if os.environ["FAKE_VERSION"] == "2.0":
        found[0] += 1
    return feeds[0][0], "f32", found.tobytes()
"#;

static RUNTIME: &[Runtime] = &[Runtime {
    name: "fake",
    aliases: &[],
    package: "fake-engine",
    needs: &[],
    target: "onnx",
    formats: &["onnx"],
    whole: &["onnx"],
    driver: DRIVER,
    words: &[],
}];

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("broadaxe-asking-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    /// Makes an environment that has a version of the engine.
    fn environment(&self, version: &str) {
        let (packages, bin) = (self.0.join(format!("packages-{version}")), self.0.join(format!("env-{version}/bin")));
        let about = packages.join(format!("fake_engine-{version}.dist-info"));
        fs::create_dir_all(&about).expect("a folder");
        fs::create_dir_all(&bin).expect("a folder");
        let text = format!("Metadata-Version: 2.1\nName: fake-engine\nVersion: {version}\n");
        fs::write(about.join("METADATA"), text).expect("a file");
        let script =
            format!("#!/bin/sh\nPYTHONPATH='{}' FAKE_VERSION={version} exec python3 \"$@\"\n", packages.display());
        fs::write(bin.join("python"), script).expect("a file");
        fs::set_permissions(bin.join("python"), fs::Permissions::from_mode(0o755)).expect("a program");
    }

    fn engines(&self, wanted: &[&str]) -> Result<Vec<Engine>, Error> {
        let wanted = super::wanted(&wanted.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>(), RUNTIME)?;
        choose(&wanted, &environments(&pythons(std::slice::from_ref(&self.0))?, &["fake-engine"])?)
    }

    fn asking(&self, wanted: &[&str]) -> Asking {
        let engines = self.engines(wanted).expect("engines");
        Asking::with(&engines, Cache::at(&self.0.join("cache"), true), Duration::from_secs(5), true)
    }

    fn answers(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.0.join("cache")).into_iter().flatten();
        files.map(|file| file.expect("a file").path()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes a model of nodes that each have the inputs x and y, both of the shape (2, 3).
fn model(ops: &[&str]) -> Model {
    let dim = |size| Message::default().int(1, size);
    let shape = Message::default().bytes(1, &dim(2).0).bytes(1, &dim(3).0);
    let tensor = Message::default().int(1, 1).bytes(2, &shape.0);
    let kind = Message::default().bytes(1, &tensor.0);
    let value = |name: &str| Message::default().bytes(1, name.as_bytes()).bytes(2, &kind.0).0;
    let mut graph = Message::default().bytes(2, b"g").bytes(11, &value("x")).bytes(11, &value("y"));
    for (k, op) in ops.iter().enumerate() {
        let out = format!("{op}_{k}");
        let node = Message::default().bytes(1, b"x").bytes(1, b"y").bytes(2, out.as_bytes()).bytes(4, op.as_bytes());
        graph = graph.bytes(1, &node.0).bytes(12, &value(&out));
    }
    let opset = Message::default().bytes(1, b"").int(2, 18);
    let bytes = Message::default().int(1, 8).bytes(7, &graph.0).bytes(8, &opset.0).0;
    format::read(&Source::memory(bytes, None)).expect("a model")
}

fn ask(asking: &mut Asking, ops: &[&str]) -> Result<(CheckRecord, Asked), Error> {
    let model = model(ops);
    let shapes = infer(&model, &[]).expect("shapes");
    let mut record = CheckRecord::new("m.onnx", &model, check(&model, &shapes, &[]));
    let asked = asking.ask(&model, &shapes, &mut record, &mut |_| ())?;
    Ok((record, asked))
}

/// Writes a finding as `node verdict: reason (evidence)`.
fn show(record: &CheckRecord) -> Vec<String> {
    let one = |finding: &FindingRecord| {
        let reason = if finding.reason.is_empty() { String::new() } else { format!(": {}", finding.reason) };
        let (evidence, source) = (finding.evidence.as_ref().unwrap(), finding.source.as_ref().unwrap());
        format!("{} {}{reason} ({evidence}, {source})", finding.node, finding.verdict)
    };
    record.findings.iter().map(one).collect()
}

#[test]
fn a_refusal_behind_a_wrong_result_is_asked_again() {
    let folder = Folder::new("broken");
    folder.environment("1.0");
    let (record, _) = ask(&mut folder.asking(&["fake"]), &["Mean", "Add"]).unwrap();
    let verdicts: Vec<&str> = record.findings.iter().map(|finding| finding.verdict.as_str()).collect();
    assert_eq!(verdicts, ["differs", "same"]);
}

#[test]
fn every_answer() {
    let folder = Folder::new("every");
    folder.environment("1.0");
    let mut asking = folder.asking(&["fake"]);
    let ops = ["Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Add", "Mod"];
    let (record, asked) = ask(&mut asking, &ops).unwrap();
    let source = "fake-engine 1.0";
    let want = [
        format!("Add_0 same (asked now, {source})"),
        format!("Sub_1 refused: ends the process (signal 11) (asked now, {source})"),
        format!("Mul_2 unknown: it does not answer within 5 seconds (asked now, {source})"),
        format!("Div_3 unknown: its answer cannot be read (asked now, {source})"),
        format!("Pow_4 unknown: its answer cannot be read (asked now, {source})"),
        format!("Max_5 refused: ends the process (exit code 3) (asked now, {source})"),
        format!("Min_6 refused: it says: ValueError: no Min (asked now, {source})"),
        format!("Sum_7 unknown: sums are not known (asked now, {source})"),
        format!("Add_8 same (asked now, {source})"),
        format!("Mod_9 unknown: it was not asked: it is not defined for f32; it needs fmod=1 (not asked, {source})"),
    ];
    assert_eq!(show(&record), want);
    assert_eq!(asked.text, "  fake 1.0: 8 questions about 9 nodes\n");
    assert_eq!(asked.alike, BTreeMap::from([(0, vec![8])]));
    assert_eq!((record.targets[0].same, record.targets[0].refused, record.targets[0].unknown), (2, 3, 5));
    // The laws of ONNX say that ONNX Runtime computes these.
    let law = record.findings[1].law.as_ref().unwrap();
    assert_eq!((law.target.as_str(), law.verdict.as_str(), law.alone), ("onnx", "same", true));
    assert!(record.findings[0].law.is_none() && record.findings[2].law.is_none());
}

/// A model may have several results; a process that ends is started again for the next.
#[test]
fn whole_models() {
    let folder = Folder::new("models");
    folder.environment("1.0");
    let mut asking = folder.asking(&["fake"]);
    let tensor = |values: [f32; 2]| Tensor {
        dtype: DType::F32,
        shape: vec![2],
        data: values.into_iter().flat_map(f32::to_le_bytes).collect(),
    };
    let mut run = |op: &str, outputs: &[&str]| {
        let inputs = vec![("x".to_owned(), tensor([1.0, 2.0])), ("y".to_owned(), tensor([3.0, 5.0]))];
        let outputs = outputs.iter().map(|&name| name.to_owned()).collect();
        let run = ModelRun { format: "onnx", model: op.into(), weights: None, inputs, outputs, times: 1 };
        asking.askers[0].1.run(&run).unwrap()
    };
    assert_eq!(run("Add", &["a", "b"]), ModelAnswer::Values(vec![tensor([4.0, 7.0]); 2]));
    let cases = [
        ("Sub", ModelAnswer::Ended("ends the process (signal 11)".to_owned())),
        ("Min", ModelAnswer::Refused("ValueError: no Min".to_owned())),
        ("Sum", ModelAnswer::Unknown("sums are not known".to_owned())),
        ("Pow", ModelAnswer::Unknown("its answer cannot be read".to_owned())),
    ];
    for (op, want) in cases {
        assert_eq!(run(op, &["a"]), want, "{op}");
        assert_eq!(run("Add", &["a"]), ModelAnswer::Values(vec![tensor([4.0, 7.0])]), "after {op}");
    }
}

#[test]
fn versions_and_the_cache() {
    let folder = Folder::new("versions");
    for version in ["1.0", "2.0", "10.0rc1"] {
        folder.environment(version);
    }
    let (record, asked) = ask(&mut folder.asking(&["fake@1.0,2.0"]), &["Add", "Min"]).unwrap();
    let verdicts = |record: &CheckRecord| {
        record.findings.iter().map(|one| format!("{} {}", one.target, one.verdict)).collect::<Vec<_>>()
    };
    let want = ["fake 1.0 same", "fake 1.0 refused", "fake 2.0 differs", "fake 2.0 refused"];
    assert_eq!(verdicts(&record), want);
    let want = "  fake 1.0: 2 questions about 2 nodes\n  fake 2.0: 2 questions about 2 nodes\n  \
                fake 1.0 and 2.0 differ in 1 node: Add_0\n";
    assert_eq!(asked.text, want);
    let example = record.findings[2].counterexample.as_ref().unwrap();
    assert_eq!((example.element.as_slice(), example.there), ([0, 0].as_slice(), example.here.map(|here| here + 1.0)));

    let sources: Vec<_> = record.findings.iter().map(|one| one.source.as_deref().unwrap()).collect();
    assert_eq!(sources, ["fake-engine 1.0", "fake-engine 1.0", "fake-engine 2.0, a GPU", "fake-engine 2.0, a GPU"]);

    let files = folder.answers();
    // A sum of six elements that is right is asked for four times.
    assert_eq!(files.len(), 4 + 3);
    let (again, asked) = ask(&mut folder.asking(&["fake@1.0,2.0"]), &["Add", "Min"]).unwrap();
    assert_eq!(verdicts(&again), want_of(&record));
    assert!(again.findings.iter().all(|one| one.evidence.as_deref() == Some("asked before")));
    assert!(asked.text.contains("fake 2.0: 2 questions about 2 nodes, 2 asked before\n"), "{}", asked.text);
    assert_eq!(again.findings[2].counterexample, record.findings[2].counterexample);
    assert_eq!(again.findings[2].source, record.findings[2].source);

    // Files that are broken, empty, or say what no answer says are asked for again.
    let broken = ["", "{", "{\"verdict\": \"fine\", \"reason\": \"\", \"counterexample\": null}", "[1]"];
    for (file, text) in files.iter().zip(broken.iter().cycle()) {
        fs::write(file, text).unwrap();
    }
    let (mended, _) = ask(&mut folder.asking(&["fake@1.0,2.0"]), &["Add", "Min"]).unwrap();
    assert_eq!(mended, record);
    assert_eq!(folder.answers().len(), 7);
    let engines = folder.engines(&["fake@1.0,2.0"]).unwrap();
    let mut anew = Asking::with(&engines, Cache::at(&folder.0.join("cache"), false), Duration::from_secs(5), false);
    anew.nodes = true;
    assert_eq!(ask(&mut anew, &["Add", "Min"]).unwrap().0, record);
}

fn want_of(record: &CheckRecord) -> Vec<String> {
    record.findings.iter().map(|one| format!("{} {}", one.target, one.verdict)).collect()
}

#[test]
fn engines_that_are_not_there() {
    let folder = Folder::new("missing");
    for version in ["0.1", "1.0"] {
        folder.environment(version);
    }
    let error = folder.engines(&["fake@3.0"]).unwrap_err();
    let want = "--ask fake: fake-engine 3.0 is not installed in any Python that was found (installed: 0.1, 1.0)";
    assert_eq!(error.to_string(), want);
    assert_eq!(folder.engines(&["fake"]).unwrap()[0].version, "1.0");
    let error = ask(&mut folder.asking(&["fake@0.1"]), &["Add"]).unwrap_err();
    let want = "--ask fake: fake-engine 0.1 does not work: RuntimeError: no device";
    assert_eq!(error.to_string(), want);
    let python = folder.0.join("env-0.1/bin/python");
    assert_eq!(error.detail(), Some(format!("  it was started with {}", python.display()).as_str()));
    assert!(folder.answers().is_empty());
}

#[test]
fn a_python_that_is_gone() {
    let folder = Folder::new("gone");
    let gone = Engine {
        wanted: Wanted { runtime: &RUNTIME[0], version: None },
        version: "1.0".to_owned(),
        python: Path::new("/nonexistent/python").to_owned(),
    };
    let mut asking = Asking::with(&[gone], Cache::at(&folder.0.join("cache"), true), Duration::from_secs(5), false);
    asking.nodes = true;
    let error = ask(&mut asking, &["Add"]).unwrap_err();
    assert_eq!(error.file_name(), Some("/nonexistent/python"));
}
