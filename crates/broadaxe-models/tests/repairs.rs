//! Random small models are repaired for every target, read again, and repaired again: nothing is left to do, and what was
//! not left is the same.

// What was tried is part of the result.
#![allow(clippy::print_stderr)]

use std::{collections::BTreeSet, fmt::Write};

use broadaxe_models::{
    Model, Source,
    check::{Verdict, check},
    fix, format,
    infer::{Shapes, infer},
    profiles::Target,
};
use broadaxe_testing::{protobuf::Message, random::Random};

const TARGETS: &[&[&str]] = &[
    &["none"],
    &["equal-rank"],
    &["openvino"],
    &["ncnn"],
    &["onnx", "ncnn"],
    &["onnx", "openvino", "numpy"],
    &["rank<=3"],
    &["paddle", "ncnn-param"],
];

fn info(name: &str, dims: &[usize]) -> Vec<u8> {
    let dim = |shape: Message, dim: &usize| shape.bytes(1, &Message::default().int(1, *dim as i64).0);
    let shape = dims.iter().fold(Message::default(), dim);
    let tensor = Message::default().int(1, 1).bytes(2, &shape.0);
    Message::default().bytes(1, name.as_bytes()).bytes(2, &Message::default().bytes(1, &tensor.0).0).0
}

fn tensor(name: &str, dims: &[usize]) -> Vec<u8> {
    let raw: Vec<u8> = (0..dims.iter().product::<usize>()).flat_map(|k| (k as f32 - 1.5).to_le_bytes()).collect();
    let shape = dims.iter().fold(Message::default(), |tensor, dim| tensor.int(1, *dim as i64));
    shape.int(2, 1).bytes(8, name.as_bytes()).bytes(9, &raw).0
}

/// Draws two shapes that broadcast, and their result; lengths often coincide.
fn pair(random: &mut Random) -> ([Vec<usize>; 2], Vec<usize>) {
    let rank = 1 + random.below(5);
    let whole: Vec<usize> = (0..rank).map(|_| *random.one_of(&[1, 2, 3, 3])).collect();
    let mut shapes = [whole.clone(), whole.clone()];
    let at = random.below(2);
    shapes[at] = shapes[at].split_off(random.below(rank + 1));
    for dim in &mut shapes[at] {
        if random.once_in(3) {
            *dim = 1;
        }
    }
    (shapes, whole)
}

fn onnx(random: &mut Random) -> Vec<u8> {
    let (mut graph, mut text) = (Message::default(), 0);
    let mut values: Vec<String> = Vec::new();
    for _ in 0..=random.below(2) {
        let ([x, y], _) = pair(random);
        let (a, b) = (format!("x{text}"), format!("c{text}"));
        graph = graph.bytes(11, &info(&a, &x));
        let constant = random.below(3) > 0;
        graph = if constant { graph.bytes(5, &tensor(&b, &y)) } else { graph.bytes(11, &info(&b, &y)) };
        let mut first = a.clone();
        if x.len() > 2 && random.once_in(2) {
            first = format!("p{text}");
            let pool =
                Message::default().bytes(1, a.as_bytes()).bytes(2, first.as_bytes()).bytes(4, b"BatchNormalization");
            let channels: Vec<String> = (0..4).map(|k| format!("n{text}_{k}")).collect();
            let pool = channels.iter().fold(pool, |node, name| node.bytes(1, name.as_bytes()));
            for name in &channels {
                graph = graph.bytes(5, &tensor(name, &x[1..2]));
            }
            graph = graph.bytes(1, &pool.0);
        }
        let op = *random.one_of(&["Add", "Sub", "Mul", "Max", "Less", "PRelu"]);
        let into =
            op != "PRelu" || y.len() <= x.len() && y.iter().rev().zip(x.iter().rev()).all(|(y, x)| *y == 1 || y == x);
        let op = if into { op } else { "Sub" };
        let out = format!("o{text}");
        let mut operands = [first, b];
        if op != "PRelu" && random.once_in(3) {
            operands.reverse();
        }
        let node = operands.iter().fold(Message::default(), |node, name| node.bytes(1, name.as_bytes()));
        graph = graph.bytes(1, &node.bytes(2, out.as_bytes()).bytes(4, op.as_bytes()).0);
        graph = graph.bytes(12, &Message::default().bytes(1, out.as_bytes()).0);
        values.push(out);
        text += 1;
    }
    let graph = graph.bytes(2, b"g");
    let opset = *random.one_of(&[7, 8, 13, 17]);
    let version = Message::default().bytes(1, b"").int(2, opset);
    Message::default().int(1, 8).bytes(8, &version.0).bytes(7, &graph.0).0
}

fn list<T: ToString>(dims: &[T]) -> String {
    dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn ports(port: &str, dims: &[usize]) -> String {
    let dims = dims.iter().fold(String::new(), |mut text, dim| {
        let _ = write!(text, "<dim>{dim}</dim>");
        text
    });
    format!("<port id=\"{port}\" precision=\"FP32\">{dims}</port>")
}

fn openvino(random: &mut Random) -> Vec<u8> {
    let ([x, y], whole) = pair(random);
    let op = *random.one_of(&["Add", "Subtract", "Multiply", "Maximum", "Less"]);
    // PDPD needs a second operand that is shorter and contiguous in the first.
    let suits = x.len() >= y.len() && x == whole;
    let mode = match random.below(2) {
        0 if suits && !y.is_empty() => {
            let axis = x.len() - y.len();
            format!("auto_broadcast=\"pdpd\" auto_broadcast.auto_broadcast_axis=\"{axis}\"")
        }
        _ => "auto_broadcast=\"numpy\"".to_string(),
    };
    let layer = |id: usize, dims: &[usize]| {
        format!(
            "<layer id=\"{id}\" name=\"v{id}\" type=\"Parameter\" version=\"opset1\"><data shape=\"{}\" element_type=\"f32\"/><output>{}</output></layer>",
            list(dims),
            ports("0", dims)
        )
    };
    let kind = if op == "Less" { "BOOL" } else { "FP32" };
    format!(
        "<?xml version=\"1.0\"?><net name=\"m\" version=\"11\"><layers>{}{}<layer id=\"2\" name=\"o\" type=\"{op}\" version=\"opset1\"><data {mode}/><input>{}{}</input><output>{}</output></layer><layer id=\"3\" name=\"r\" type=\"Result\" version=\"opset1\"><input>{}</input></layer></layers><edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/><edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\"/><edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"0\"/></edges></net>",
        layer(0, &x),
        layer(1, &y),
        ports("0", &x),
        ports("1", &y),
        ports("2", &whole).replace("FP32", kind),
        ports("0", &whole).replace("FP32", kind),
    )
    .into_bytes()
}

/// Draws an ncnn model whose second operand is aligned to the slowest axis, or the same shape.
fn ncnn(random: &mut Random) -> Vec<u8> {
    let rank = 1 + random.below(3);
    let whole: Vec<usize> = (0..rank).map(|_| 2 + random.below(2)).collect();
    let short = whole[..=random.below(rank)].to_vec();
    let words = |dims: &[usize]| {
        let keys: &[&str] = match dims.len() {
            1 => &["0"],
            2 => &["0", "1"],
            _ => &["0", "1", "2"],
        };
        keys.iter().zip(dims.iter().rev()).map(|(key, dim)| format!("{key}={dim}")).collect::<Vec<_>>().join(" ")
    };
    format!(
        "7767517\n3 3\nInput a 0 1 a {}\nInput b 0 1 b {}\nBinaryOp o 2 1 a b o 0={}\n",
        words(&whole),
        words(&short),
        random.below(4)
    )
    .into_bytes()
}

fn read(bytes: &[u8]) -> Model {
    format::read(&Source::memory(bytes.to_vec(), None)).expect("a model")
}

fn bytes(model: &Model, edits: &[broadaxe_models::Edit]) -> Model {
    let written = format::write(model, edits).expect("changes that can be written");
    format::changed(model, &written).expect("a model")
}

/// Returns the results of the nodes with a finding.
fn apart(model: &Model, shapes: &Shapes, targets: &[Target]) -> BTreeSet<String> {
    let findings = check(model, shapes, targets).findings;
    let apart = findings.iter().filter(|finding| !matches!(finding.verdict, Verdict::Same | Verdict::Unknown));
    apart.map(|finding| named(model, finding.node)).collect()
}

fn named(model: &Model, node: broadaxe_models::NodeId) -> String {
    model.node(node).output(0).map_or_else(String::new, |value| model.value(value).name.clone())
}

#[test]
fn a_second_repair_changes_nothing() {
    let mut random = Random::new(7);
    let (mut wrong, mut counts) = (Vec::new(), [0; 4]);
    let makers: [fn(&mut Random) -> Vec<u8>; 3] = [onnx, openvino, ncnn];
    for round in 0..900 {
        let file = makers[round % 3](&mut random);
        let model = read(&file);
        let shapes = infer(&model, &[]).expect("shapes");
        let names = TARGETS[random.below(TARGETS.len())];
        let targets: Vec<Target> = names.iter().map(|name| name.parse().expect("a target")).collect();
        let before = apart(&model, &shapes, &targets);
        let plan = match fix::plan(&model, &shapes, &targets) {
            Ok(plan) => plan,
            Err(error) => {
                wrong.push(format!("{round} ({}) for {names:?}: {error}", model.format));
                continue;
            }
        };
        let after = bytes(&model, &plan.edits);
        let after_shapes = infer(&after, &[]).expect("shapes");
        let left: BTreeSet<String> = plan.left.iter().map(|left| named(&model, left.node)).collect();
        let still = apart(&after, &after_shapes, &targets);
        let again = fix::plan(&after, &after_shapes, &targets).expect("targets");
        let what = || {
            let steps: Vec<&str> = plan.steps.iter().map(|step| step.text.as_str()).collect();
            let shapes: Vec<String> = shapes.of.iter().map(|known| known.shape.to_string()).collect();
            let ops: Vec<&str> = model.nodes.iter().map(|node| node.op.as_str()).collect();
            format!("{round} ({}) {ops:?} {shapes:?} for {names:?}: {steps:?}", model.format)
        };
        if !again.edits.is_empty() {
            let steps: Vec<&str> = again.steps.iter().map(|step| step.text.as_str()).collect();
            wrong.push(format!("{} and then {steps:?}", what()));
        }
        if let Some(name) = still.difference(&left).next() {
            wrong.push(format!("{} leaves {name} and does not say so", what()));
        }
        counts[0] += before.len();
        counts[1] += usize::from(!plan.edits.is_empty());
        counts[2] += still.len();
        counts[3] += plan.left.len();
    }
    assert!(wrong.is_empty(), "{} of {counts:?}\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
    eprintln!("{counts:?}: findings, plans that change something, findings that stay, nodes left");
    assert!(counts[0] > 200 && counts[1] > 150, "{counts:?}");
}

/// Sizes are drawn for dims without a name too.
#[test]
fn open_batches_are_verified() {
    let port = |id: usize| format!("<port id=\"{id}\" precision=\"FP32\"><dim>-1</dim><dim>4</dim></port>");
    let list = "<port id=\"0\" precision=\"FP32\"><dim>4</dim></port>";
    let file = format!(
        "<?xml version=\"1.0\"?><net name=\"m\" version=\"11\"><layers><layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data shape=\"?,4\" element_type=\"f32\"/><output>{}</output></layer><layer id=\"1\" name=\"y\" type=\"Parameter\" version=\"opset1\"><data shape=\"4\" element_type=\"f32\"/><output>{list}</output></layer><layer id=\"2\" name=\"o\" type=\"Add\" version=\"opset1\"><data auto_broadcast=\"numpy\"/><input>{}{}</input><output>{}</output></layer><layer id=\"3\" name=\"r\" type=\"Result\" version=\"opset1\"><input>{}</input></layer></layers><edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/><edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\"/><edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"0\"/></edges></net>",
        port(0),
        port(0),
        list.replace("id=\"0\"", "id=\"1\""),
        port(2),
        port(0),
    );
    let model = read(file.as_bytes());
    let shapes = infer(&model, &[]).expect("shapes");
    let plan = fix::plan(&model, &shapes, &["equal-rank".parse().expect("a target")]).expect("a plan");
    let after = bytes(&model, &plan.edits);
    let after_shapes = infer(&after, &[]).expect("shapes");
    let verified = broadaxe_models::verify::verify(&model, &shapes, &after, &after_shapes).expect("sizes");
    assert_eq!((plan.edits.len(), verified.difference), (1, None));
    assert!(verified.nodes >= 3 && verified.left.is_empty(), "{} runs, {:?}", verified.nodes, verified.left);
}

/// A wrong declaration is a finding on its node; the others are judged with what follows.
#[test]
fn a_contradiction_is_a_finding() {
    let node = |op: &str, inputs: [&str; 2], output: &str| {
        let node = inputs.iter().fold(Message::default(), |node, name| node.bytes(1, name.as_bytes()));
        node.bytes(2, output.as_bytes()).bytes(4, op.as_bytes()).0
    };
    let graph = Message::default()
        .bytes(1, &node("Add", ["x", "c"], "v"))
        .bytes(1, &node("PRelu", ["v", "c"], "o"))
        .bytes(2, b"g")
        .bytes(5, &tensor("c", &[4]))
        .bytes(11, &info("x", &[2, 4, 4]))
        .bytes(12, &Message::default().bytes(1, b"o").0)
        .bytes(13, &info("v", &[2, 5, 4]));
    let version = Message::default().bytes(1, b"").int(2, 17);
    let model = read(&Message::default().int(1, 8).bytes(8, &version.0).bytes(7, &graph.0).0);
    let shapes = infer(&model, &[]).expect("a contradiction stops nothing");
    let findings = check(&model, &shapes, &["openvino".parse().expect("a target")]).findings;
    let verdicts: Vec<&str> = findings.iter().map(|finding| finding.verdict.name()).collect();
    assert_eq!(verdicts, ["refused", "differs"]);
    assert!(
        findings[0].reason.contains("v: its shape is (2, 4, 4), the file says (2, 5, 4)"),
        "{}",
        findings[0].reason
    );
}
