//! What is said of open sizes holds for all sizes: they are tried one by one.

use std::fmt::Write;

use broadaxe_shape::Dim;
use broadaxe_testing::random::Random;

use super::*;
use crate::{infer::infer, testing::Sample};

const TARGETS: &[&str] = &["openvino", "ncnn-param", "onnx6", "none", "equal-rank", "paddle", "rank<=3"];
const NAMES: &[&str] = &["n", "c", "d"];

/// A graph of a few nodes over open sizes.
struct Graph {
    sample: Sample,
    text: String,
}

fn graph(random: &mut Random) -> Graph {
    let mut sample = Sample::new(17);
    let mut text = String::new();
    let mut values = Vec::new();
    for k in 0..2 + random.below(2) {
        let rank = 1 + random.below(4);
        let dims: Vec<&str> = (0..rank).map(|_| *random.one_of(&["n", "c", "d", "1", "2", "3"])).collect();
        let shape = format!("({})", dims.join(","));
        let value = sample.input(&format!("x{k}"), &shape);
        sample.model.values[value.0 as usize].declared = Some(shape.parse().expect("a shape"));
        let _ = write!(text, "x{k}{shape} ");
        values.push(value);
    }
    for _ in 0..=random.below(3) {
        let op = *random.one_of(&["Add", "Mul", "Max", "PRelu", "PRelu", "Where"]);
        let mut inputs: Vec<ValueId> = Vec::new();
        let count = match op {
            "Max" => 1 + random.below(3),
            "Where" => 3,
            _ => 2,
        };
        (0..count).for_each(|_| inputs.push(*random.one_of(&values)));
        if op == "PRelu" {
            let dims: Vec<usize> = (0..=random.below(3)).map(|_| 1 + random.below(3)).collect();
            let name = format!("s{}", sample.model.values.len());
            inputs[1] = sample.constant(&name, &dims);
            let _ = write!(text, "{name}{dims:?} ");
        }
        let _ = write!(text, "{op}{inputs:?} ");
        values.push(sample.node(op, &inputs, &[], "*"));
    }
    Graph { sample, text }
}

/// Returns the verdicts, by node and target.
fn verdicts(model: &Model, shapes: &Shapes) -> Vec<String> {
    let targets: Vec<Target> = TARGETS.iter().map(|name| name.parse().expect("a target")).collect();
    let findings = check(model, shapes, &targets).findings;
    findings.iter().map(|finding| verdict(finding) + ": " + &finding.reason).collect()
}

fn sized(shape: &SymbolicShape, sizes: &[usize]) -> Vec<Dim> {
    let size = |dim: &Dim| {
        let at = dim.name().and_then(|name| NAMES.iter().position(|known| *known == name));
        at.map_or_else(|| dim.clone(), |at| Dim::known(sizes[at]))
    };
    shape.dims().expect("a rank").iter().map(size).collect()
}

/// Where any sizes give another verdict than `same`, the open verdict is not `same`; and where all do, it is not one that
/// speaks of a difference.
#[test]
fn open_verdicts_hold_for_all_sizes() {
    let mut random = Random::new(24);
    let (mut wrong, mut guarded, mut same, mut strict) = (Vec::new(), 0, 0, 0);
    for _ in 0..400 {
        let Graph { sample, text } = graph(&mut random);
        let model = &sample.model;
        let Ok(shapes) = infer(model, &[]) else { continue };
        let open = verdicts(model, &shapes);
        let mut fixed: Vec<Vec<String>> = Vec::new();
        for number in 0..64 {
            let sizes: Vec<usize> = [number % 4, number / 4 % 4, number / 16].iter().map(|k| k + 1).collect();
            let inputs = model.main().inputs.iter();
            let given: Vec<(String, Vec<Dim>)> = inputs
                .map(|id| {
                    let value = model.value(*id);
                    (value.name.clone(), sized(value.declared.as_ref().expect("a shape"), &sizes))
                })
                .collect();
            let Ok(shapes) = infer(model, &given) else { continue };
            let found = verdicts(model, &shapes);
            if shapes.of.iter().all(|known| known.shape.known().is_some())
                && found.iter().all(|found| !found.contains("wrong by its own rule"))
            {
                fixed.push(found);
            }
        }
        for (at, open) in open.iter().enumerate().filter(|_| !fixed.is_empty()) {
            let other = fixed.iter().find(|found| !found[at].starts_with("same"));
            same += usize::from(open.starts_with("same"));
            guarded += usize::from(open.starts_with("guarded"));
            match (open.starts_with("same"), other) {
                (true, Some(other)) => {
                    wrong.push(format!("{text}: {} of {at} is same, but {}", TARGETS[at % TARGETS.len()], other[at]));
                }
                (false, None) => strict += 1,
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {same}\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
    // Sizes above those that were tried may tell what these do not.
    assert!(same > 200 && guarded > 100 && strict < 40, "{same} same, {guarded} guarded, {strict} too strict");
}

/// Dims that several names make are sizes of their own.
#[test]
fn broadcasts_of_names_are_guarded() {
    judge(
        &[
            ("PRelu", "n,broadcast(c, d),h,8 ; 8!", "openvino", "differs [0, 0, 0, 1] -4 -2"),
            ("PRelu", "n,broadcast(c, d, e),h,8 ; 8!", "openvino", "differs [0, 0, 0, 1] -4 -2"),
            ("PRelu", "n,broadcast(c, d),h,w ; 8!", "openvino", "differs [0, 0, 0, 1] -4 -2"),
            ("PRelu", "n,broadcast(c, d),h ; h", "openvino", "guarded c == h and broadcast(c, d) == 1"),
            ("Add", "n,broadcast(c, d) ; 4", "none", "refused"),
            ("Add", "broadcast(c, d),4 ; c,4", "none", "guarded c == broadcast(c, d)"),
            ("Add", "broadcast(c, d),4 ; 3,4", "none", "guarded broadcast(c, d) == 3"),
            ("Add", "broadcast(c, d),4 ; broadcast(c, d),4", "none", "same"),
        ],
        &onnx,
    );
}
