//! Compares verdicts with what LiteRT answered about models of one node.

use broadaxe_frameworks::System;
use broadaxe_kernels::DType;

use crate::{
    check::{Verdict, check},
    graph::{Attribute, ValueId},
    profiles::Target,
    testing::{Sample, gravest},
};

/// Answers of LiteRT 2.1.3 to 2.3.0 on WebGPU, one a line: operator, kinds of the operands (`i` is computed, `c` a constant),
/// shapes, activation, versions, answer; for some the first wrong element and the elements that it was made of. Answers in which a
/// wrong element had the right value by chance are left out.
const ANSWERS: &str = include_str!("answers.txt");

/// One answer.
struct Recorded<'a> {
    op: &'a str,
    kinds: &'a str,
    shapes: Vec<Vec<usize>>,
    activation: &'a str,
    versions: Vec<&'a str>,
    answer: &'a str,
    reads: Option<(usize, Vec<usize>)>,
}

impl<'a> Recorded<'a> {
    fn read(line: &'a str) -> Self {
        let numbers = |text: &str| text.split(',').map(|number| number.parse().expect(line)).collect::<Vec<usize>>();
        let words: Vec<&str> = line.split(' ').collect();
        let (op, kinds) = (words[0], words[1]);
        let (shapes, rest) = words[2..].split_at(kinds.len());
        let shapes = shapes.iter().map(|text| if *text == "-" { vec![] } else { numbers(text) }).collect();
        let reads = rest.get(3).and_then(|text| text.split_once(':'));
        let reads = reads.map(|(element, reads)| (element.parse().expect(line), numbers(reads)));
        Self { op, kinds, shapes, activation: rest[0], versions: rest[1].split('|').collect(), answer: rest[2], reads }
    }

    /// Returns the shape of the result, where the shapes broadcast.
    fn result(&self) -> Vec<usize> {
        let rank = self.shapes.iter().map(Vec::len).max().unwrap_or(0);
        let dim = |axis: usize| {
            let dims = self.shapes.iter().filter_map(|dims| dims.get((axis + dims.len()).checked_sub(rank)?));
            dims.copied().find(|dim| *dim != 1).unwrap_or(1)
        };
        (0..rank).map(dim).collect()
    }

    /// Makes the model that was asked about.
    fn model(&self) -> Sample {
        let mut sample = Sample::of(("tflite", System::Tflite), 0);
        let mut inputs: Vec<ValueId> = Vec::new();
        for (k, (kind, shape)) in self.kinds.chars().zip(&self.shapes).enumerate() {
            let bools = self.op.starts_with("LOGICAL") || self.op.starts_with("SELECT") && k == 0;
            let dtype = if bools { DType::Bool } else { DType::F32 };
            let (name, count) = (format!("x{k}"), shape.iter().product::<usize>());
            inputs.push(match kind {
                'c' => sample.bytes(&name, shape, dtype, vec![1; count * dtype.size()]),
                _ => sample.typed(&name, &text_of(shape), dtype),
            });
        }
        let fused = ("fused_activation_function", Attribute::Text(self.activation.to_owned()));
        let attributes = if self.activation == "NONE" { vec![] } else { vec![fused] };
        sample.node(self.op, &inputs, &attributes, &text_of(&self.result()));
        sample
    }

    /// Says what is wrong with the verdict for a version, if anything.
    fn complaint(&self, sample: &Sample, target: &str) -> Option<String> {
        let target: Target = target.parse().expect("a version that was asked");
        let report = check(&sample.model, &sample.shapes, &[target]);
        let finding = &report.findings[0];
        let verdict = match &finding.verdict {
            Verdict::Same => "right",
            Verdict::Differs(_) => {
                if self.answer == "shape" {
                    "shape"
                } else {
                    "wrong"
                }
            }
            Verdict::Refused | Verdict::Unsupported => "refused",
            other => other.name(),
        };
        let wanted = if self.answer == "crash" { "refused" } else { self.answer };
        if verdict != wanted {
            return Some(format!("{verdict} ({})", finding.reason));
        }
        let (Verdict::Differs(example), Some((element, reads))) = (&finding.verdict, &self.reads) else { return None };
        let flat =
            |index: &[usize], dims: &[usize]| index.iter().zip(dims).fold(0, |at, (index, dim)| at * dim + index);
        let found: Vec<usize> =
            example.target_reads.iter().zip(&self.shapes).map(|(at, dims)| flat(at, dims)).collect();
        let at = flat(&example.element, &self.result());
        let same = at == *element && found == *reads;
        (!same && !example.target_reads.is_empty()).then(|| format!("element {at} reads {found:?}"))
    }
}

fn text_of(dims: &[usize]) -> String {
    let text: Vec<String> = dims.iter().map(usize::to_string).collect();
    format!("({}{})", text.join(","), if text.len() == 1 { "," } else { "" })
}

/// Compares the verdicts of a target, as `named` gives it for a version, with all answers of a table; returns how many verdicts
/// there were, and those that are wrong.
pub(in crate::profiles) fn compare(named: fn(&str) -> String, table: &str) -> (usize, Vec<String>) {
    let (mut count, mut wrong) = (0, Vec::new());
    for line in table.lines() {
        let answer = Recorded::read(line);
        let sample = answer.model();
        for version in &answer.versions {
            count += 1;
            wrong.extend(answer.complaint(&sample, &named(version)).map(|what| format!("{line}: {version}: {what}")));
        }
    }
    (count, wrong)
}

fn at_version(version: &str) -> String {
    format!("litert-gpu@{version}")
}

#[test]
fn verdicts_are_the_answers() {
    let (count, wrong) = compare(at_version, ANSWERS);
    assert!(count > 3000, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Counts the nodes of a table that were wrong at a version, and lists those that no way to write them repairs.
fn repaired(table: &str, version: &str) -> (usize, Vec<String>) {
    let target: Target = at_version(version).parse().expect("a version that was asked");
    let (mut count, mut left) = (0, Vec::new());
    for line in table.lines() {
        let asked = Recorded::read(line);
        let few = asked.shapes.iter().all(|shape| shape.len() <= 4 && !shape.contains(&0));
        if asked.answer != "wrong" || !few || !asked.versions.contains(&version) {
            continue;
        }
        count += 1;
        let sample = asked.model();
        let ways = crate::fix::ways(&sample.model, &sample.shapes, &target);
        if ways.is_empty() {
            left.push(line.to_owned());
        }
    }
    (count, left)
}

/// What is wrong can be repaired, but for constants that stretch the batch where the axes alternate.
#[test]
fn what_is_wrong_is_repaired() {
    for version in ["2.1.3", "2.3.0"] {
        let (count, left) = repaired(ANSWERS, version);
        assert!(count > 150, "{count}");
        assert!(left.len() * 100 <= count, "{version}: {} of {count}:\n{}", left.len(), left.join("\n"));
    }
}

/// A constant of f16 that is widened is read as one of f32; of other nodes over constants nothing is known.
#[test]
fn constants_behind_nodes() {
    for (dtype, op, shape, want) in [
        (DType::F16, "DEQUANTIZE", [2, 3], "differs"),
        (DType::F16, "DEQUANTIZE", [1, 3], "same"),
        (DType::I8, "DEQUANTIZE", [2, 3], "unknown"),
        (DType::F32, "ABS", [2, 3], "unknown"),
    ] {
        let mut sample = Sample::of(("tflite", System::Tflite), 0);
        let x = sample.input("x", "(2,3)");
        let stored = sample.bytes("c", &shape, dtype, vec![1; shape[0] * shape[1] * dtype.size()]);
        let wide = sample.node(op, &[stored], &[], &text_of(&shape));
        sample.node("ADD", &[x, wide], &[], "(2,3)");
        let target: Target = "litert-gpu".parse().expect("a target");
        let report = check(&sample.model, &sample.shapes, &[target]);
        let found = report.findings.last().map(|finding| finding.verdict.name());
        assert_eq!(found, Some(want), "{op} of {shape:?} {dtype}");
    }
}

/// Compares nodes whose operands are all constants, and nodes that read their results, with what LiteRT 2.3.0 computed.
#[test]
fn nodes_of_constants() {
    for line in include_str!("constants.txt").lines() {
        let (text, answer) = line.split_once(" | ").expect(line);
        let want = match answer {
            "right" => "same",
            "wrong" => "differs",
            answer => answer,
        };
        let found = gravest(text, "litert-gpu");
        // A model that is refused may have another node that would be wrong.
        assert!(found == want || want == "refused" && found == "differs", "{text}: {found}, not {want}");
    }
    for (text, want) in [
        ("tflite; a=const:i32(2); b=const:i32(2); y=ADD(a,b)", "unknown"),
        ("tflite; a=const:i64(2); b=const:i64(2); y=ADD(a,b)", "refused"),
        ("tflite; x(2); a=const(2); b=ABS(a); y=ADD(x,b)", "unknown"),
        ("ir; a=const(2,2); b=const(2,2); y=Add(a,b)", "same"),
        ("x(2,2); a=const(2,2); b=const(2,2); c=Add(a,b); y=Add(x,c)", "differs"),
        ("opset 13; x(2,3,4); a=const(2,3,4); b=const(3,4); c=Add(a,b); y=Add(x,c)", "differs"),
    ] {
        assert_eq!(gravest(text, "litert-gpu"), want, "{text}");
    }
}

/// A constant of int32 in front is exchanged with the second operand; one behind is placed as if it was computed.
#[test]
fn integers() {
    for (op, kinds, want) in [
        ("SUB", "ci", "differs"),
        ("LESS", "ci", "differs"),
        ("SUB", "ic", "same"),
        ("SUB", "ii", "same"),
        ("ADD", "ci", "same"),
        ("POW", "ic", "unknown"),
    ] {
        let mut sample = Sample::of(("tflite", System::Tflite), 0);
        let inputs: Vec<ValueId> = kinds
            .chars()
            .enumerate()
            .map(|(k, kind)| match kind {
                'c' => sample.bytes(&format!("x{k}"), &[2, 2], DType::I32, vec![1; 16]),
                _ => sample.typed(&format!("x{k}"), "(2,2)", DType::I32),
            })
            .collect();
        sample.node(op, &inputs, &[], "(2,2)");
        let target: Target = "litert-gpu".parse().expect("a target");
        let report = check(&sample.model, &sample.shapes, &[target]);
        assert_eq!(report.findings[0].verdict.name(), want, "{op} {kinds}");
    }
}

/// Compares the answers of a table that is named by the environment.
#[test]
#[ignore = "needs a table of answers in BROADAXE_ANSWERS"]
fn verdicts_are_more_answers() {
    let path = std::env::var_os("BROADAXE_ANSWERS").expect("BROADAXE_ANSWERS names a table");
    let (count, wrong) = compare(at_version, &std::fs::read_to_string(path).expect("a table"));
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is wrong in a table that is named by the environment is repaired too.
#[test]
#[ignore = "needs a table of answers in BROADAXE_ANSWERS"]
fn more_is_repaired() {
    let path = std::env::var_os("BROADAXE_ANSWERS").expect("BROADAXE_ANSWERS names a table");
    let table = std::fs::read_to_string(path).expect("a table");
    for version in ["2.1.3", "2.3.0"] {
        let (count, left) = repaired(&table, version);
        assert!(left.len() * 100 <= count, "{version}: {} of {count}:\n{}", left.len(), left.join("\n"));
    }
}
