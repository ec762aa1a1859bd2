//! Compares verdicts with what TensorFlow Lite Micro answered about models of one node.
#![allow(clippy::print_stdout)]

use std::{collections::BTreeMap, env, fs, io::Read, path::PathBuf, sync::Arc};

use broadaxe_frameworks::System;
use broadaxe_kernels::DType;
use flate2::read::GzDecoder;

use crate::{
    check::{Verdict, check},
    graph::{Attribute, Quantization, ValueId},
    profiles::Target,
    testing::Sample,
};

/// The files of answers in `conformance/litert`, which `micro.py` writes: the operator with its activation, the type, kinds of the operands
/// (`i` is computed, `c` a constant), shapes, answer.
const TABLES: [&str; 4] = ["micro.txt.gz", "micro_fused.txt.gz", "micro_older.txt.gz", "litert_ranks.txt.gz"];

/// Reads all answers, or those of the file that `BROADAXE_MICRO` names. A line such as `# TensorFlow Lite Micro 0.dev20261023182759, ...` names the build.
fn answers() -> String {
    if let Some(path) = env::var_os("BROADAXE_MICRO") {
        return fs::read_to_string(path).expect("a file of answers");
    }
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../conformance/litert");
    let mut text = String::new();
    for name in TABLES {
        let file = fs::File::open(folder.join(name)).expect(name);
        GzDecoder::new(file).read_to_string(&mut text).expect(name);
    }
    text
}

/// One answer.
struct Answer<'a> {
    op: &'a str,
    activation: &'a str,
    dtype: DType,
    kinds: &'a str,
    shapes: Vec<Vec<usize>>,
    does: String,
}

impl<'a> Answer<'a> {
    fn read(line: &'a str) -> Self {
        let words: Vec<&str> = line.split(' ').collect();
        let (op, activation) = words[0].split_once(':').unwrap_or((words[0], "NONE"));
        let dtype = DType::ALL.iter().copied().find(|known| known.name() == words[1]).expect(line);
        let count = if op == "BROADCAST_TO" { 2 } else { words[2].len() };
        let dims = |text: &&str| match *text {
            "-" => vec![],
            text => text.split(',').map(|dim| dim.parse().expect(line)).collect(),
        };
        let shapes = words[3..3 + count].iter().map(dims).collect();
        Self { op, activation, dtype, kinds: words[2], shapes, does: words[3 + count..].join(" ") }
    }

    /// Returns the shape that the file declares for the result: for shapes that do not broadcast the first one of the highest rank and most elements.
    fn result(&self) -> Vec<usize> {
        let rank = self.shapes.iter().map(Vec::len).max().unwrap_or(0);
        let dims = |axis: usize| {
            let dims = self.shapes.iter().filter_map(move |dims| dims.get((axis + dims.len()).checked_sub(rank)?));
            dims.copied().filter(|dim| *dim != 1)
        };
        let fits = (0..rank).all(|axis| dims(axis).min() == dims(axis).max());
        if fits {
            return (0..rank).map(|axis| dims(axis).next().unwrap_or(1)).collect();
        }
        let most = self.shapes.iter().max_by_key(|dims| (dims.len(), dims.iter().product::<usize>()));
        most.cloned().unwrap_or_default()
    }

    /// Makes the model that was asked about.
    fn model(&self) -> Sample {
        let mut sample = Sample::of(("tflite", System::Tflite), 0);
        let mut inputs: Vec<ValueId> = Vec::new();
        for (k, (kind, shape)) in self.kinds.chars().zip(&self.shapes).enumerate() {
            let is_target = self.op == "BROADCAST_TO" && k == 1;
            let dtype = match (self.op, k) {
                ("SELECT_V2", 0) => DType::Bool,
                _ if is_target => DType::I32,
                _ => self.dtype,
            };
            let (name, count) = (format!("x{k}"), shape.iter().product::<usize>());
            inputs.push(match kind {
                'c' if is_target => {
                    let bytes = shape.iter().flat_map(|dim| (*dim as i32).to_le_bytes()).collect();
                    sample.bytes(&name, &[shape.len()], dtype, bytes)
                }
                'c' => sample.bytes(&name, shape, dtype, vec![1; count * dtype.size()]),
                _ if is_target => sample.typed(&name, &text_of(&[shape.len()]), dtype),
                _ => sample.typed(&name, &text_of(shape), dtype),
            });
            let is_short = matches!(dtype, DType::I8 | DType::I16) && self.op != "BROADCAST_TO";
            let scale = Quantization { scales: vec![0.5], zero_points: vec![0], axis: 0 };
            let own = inputs[k].0 as usize;
            sample.model.values[own].quantization = is_short.then(|| Arc::new(scale));
        }
        let fused = ("fused_activation_function", Attribute::Text(self.activation.to_owned()));
        let attributes = if self.activation == "NONE" { vec![] } else { vec![fused] };
        sample.node(self.op, &inputs, &attributes, &text_of(&self.result()));
        sample
    }

    /// Returns the verdict on the model; nothing where no operand broadcasts.
    fn verdict(&self, target: Target) -> Option<&'static str> {
        let sample = self.model();
        let report = check(&sample.model, &sample.shapes, &[target]);
        Some(match &report.findings.first()?.verdict {
            Verdict::Unsupported => "refused",
            verdict => verdict.name(),
        })
    }
}

fn text_of(dims: &[usize]) -> String {
    let text: Vec<String> = dims.iter().map(usize::to_string).collect();
    format!("({}{})", text.join(","), if text.len() == 1 { "," } else { "" })
}

/// No wrong or refused node is the same, no right one is anything else, and what is open is above rank 6, or a product of i16 with an activation.
#[test]
fn verdicts_are_the_answers() {
    let (mut tally, mut wrong) = (BTreeMap::<String, usize>::new(), Vec::new());
    let (text, mut target) = (answers(), "litert-micro".parse::<Target>().expect("a target"));
    for line in text.lines() {
        let builds = [("# TensorFlow Lite Micro ", "litert-micro"), ("# LiteRT ", "litert")];
        for (name, build) in builds.iter().filter_map(|(title, name)| Some((name, line.strip_prefix(title)?))) {
            let build = build.split(',').next().expect(line);
            target = format!("{name}@{build}").parse().expect(line);
        }
        if line.starts_with('#') {
            continue;
        }
        let answer = Answer::read(line);
        let on_micro = target.profile().name == "litert-micro";
        // Sums of i16 are refused for their scales, of which no law of LiteRT speaks, and it says of no shapes that do not broadcast what becomes of them.
        let is_by_scale = answer.does == "refused" && matches!(answer.op, "ADD" | "SUB") && answer.dtype == DType::I16;
        if !on_micro && (is_by_scale || answer.does == "illegal accepted") {
            continue;
        }
        let says = answer.verdict(target).unwrap_or("no broadcast");
        let does = match answer.does.as_str() {
            "right" => "same",
            "wrong" | "illegal accepted" => "differs",
            "refused" | "ended" => "refused",
            other => panic!("{line}: {other}"),
        };
        *tally.entry(format!("{} {}: {says}", target.profile().name, answer.does)).or_default() += 1;
        let wraps = answer.op == "MUL" && answer.dtype == DType::I16 && answer.activation != "NONE";
        let is_open = says == "unknown" && (answer.result().len() > 6 || wraps)
            || says == "no broadcast" && answer.shapes.len() == 1;
        if says != does && !is_open {
            wrong.push(format!("{line}: {says}"));
        }
    }
    println!("answers: {tally:?}");
    assert!(tally.values().sum::<usize>() > 3000, "{tally:?}");
    assert!(wrong.is_empty(), "{} of {tally:?}:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}
