//! Reads every model of the core with Broadaxe's own readers, and compares what they say with the cases.
#![allow(clippy::print_stdout, reason = "the counts are the test's report")]

use std::{collections::BTreeMap, path::PathBuf};

use broadaxe_atlas::{Case, FORMATS, File, Format, Level, Question, model};
use broadaxe_models::{Source, format, infer::infer, meaning};
use broadaxe_shape::{Params, Rule};

/// The most bytes of a file.
const LIMIT: usize = 2048;

#[derive(Default)]
struct Tally {
    models: usize,
    rejected: usize,
    unsupported: BTreeMap<String, usize>,
    largest: usize,
}

/// Reads the files of a model.
fn read(files: &[File]) -> Result<broadaxe_models::Model, String> {
    let source =
        |file: &File| Source::memory(file.bytes.as_slice(), Some(PathBuf::from(format!("model{}", file.extension))));
    let graph = source(&files[0]);
    let whole = match files.get(1) {
        Some(weights) => graph.with_weights(source(weights)),
        None => graph,
    };
    format::read(&whole).map_err(|error| error.to_string())
}

/// Compares what the reader says of a model with the question.
fn compare(question: &Question<'_>, files: &[File]) -> Result<(), String> {
    let case = question.case();
    let model = read(files)?;
    if !model.remarks.is_empty() {
        return Err(format!("remarks: {:?}", model.remarks));
    }
    let want = question.expected().map(|array| array.shape);
    let shapes = match (infer(&model, &[]), &want) {
        (Ok(shapes), _) => shapes,
        (Err(error), _) => return Err(error.to_string()),
    };
    let found = model.walk().into_iter().find_map(|id| Some((id, meaning(&model, id)?)));
    let (id, meaning) = found.ok_or("no node is element-wise")?;
    let (node, meaning) = (model.node(id), meaning?);
    let target = case.rule.params().target.as_ref().map(|shape| shape.dims().to_vec());
    check_rule(case, &meaning.rule(&target.clone().unwrap_or_default()))?;
    // The inputs are those of the case, in its order.
    let own: Vec<_> = model.main().inputs.iter().map(|&id| model.value(id)).collect();
    let names: Vec<&str> = own.iter().map(|value| value.name.as_str()).collect();
    let operands = question.operands();
    let free: Vec<&str> =
        ["a", "b", "c"].into_iter().zip(&operands).filter(|(_, own)| !own.constant).map(|(name, _)| name).collect();
    if names != free {
        return Err(format!("the inputs are {names:?}, and {free:?} in the question"));
    }
    let read = meaning.shapes(node, &shapes);
    let read: Option<Vec<Vec<usize>>> = read.iter().map(|shape| Some(shape.known()?.dims().to_vec())).collect();
    let read = read.ok_or("a shape of an operand is not known")?;
    if read != case.operands {
        return Err(format!("the operands are {read:?}, and {:?} in the case", case.operands));
    }
    let read: Vec<&[usize]> = read.iter().map(Vec::as_slice).collect();
    let aligned = meaning.align(&read, target.as_deref().or(want.as_deref()).unwrap_or_default());
    let got = aligned.ok().map(|alignment| alignment.shape().dims().to_vec());
    if got != want {
        return Err(format!("the node gives {got:?}, and the case {want:?}"));
    }
    if let Some(want) = want {
        let output = node.output(0).ok_or("the node has no result")?;
        let known = shapes.of[output.0 as usize].shape.known().map(|shape| shape.dims().to_vec());
        if known != Some(want.clone()) {
            return Err(format!("the inferred shape is {known:?}, and {want:?} in the case"));
        }
    }
    Ok(())
}

/// Compares the rule of the node with that of the case. `ADD_N` accepts equal shapes only, for which the rules agree.
fn check_rule(case: &Case, rule: &Rule) -> Result<(), String> {
    // No axis and -1 mean the same.
    let described = |rule: &Rule| {
        let Params { axis, axes, target, mode } = rule.params().clone();
        (rule.name(), axis.unwrap_or(-1), axes, target, mode)
    };
    let equal = case.operands.iter().all(|shape| *shape == case.operands[0]);
    let legacy = case.rule.name() == "onnx-legacy";
    let same = if legacy { *rule == case.rule } else { described(rule) == described(&case.rule) };
    if same || equal && *rule == Rule::none() {
        return Ok(());
    }
    Err(format!("the rule of the node is {rule:?}, and {:?} in the case", case.rule))
}

#[test]
fn core() {
    let mut tallies: BTreeMap<Format, Tally> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut ask = |case: Case| {
        for question in Question::all(&case) {
            for format in FORMATS {
                let tally = tallies.entry(format).or_default();
                let files = match model(format, &question) {
                    Ok(files) => files,
                    Err(why) => {
                        assert!(!why.to_string().is_empty());
                        *tally.unsupported.entry(why.to_string()).or_default() += 1;
                        continue;
                    }
                };
                assert_eq!(model(format, &question).as_ref(), Ok(&files), "{}", question.id());
                tally.models += 1;
                tally.rejected += usize::from(question.expected().is_none());
                let largest = files.iter().map(|file| file.bytes.len()).max().unwrap_or(0);
                tally.largest = tally.largest.max(largest);
                if largest > LIMIT {
                    failures.push(format!("{format} {}: {largest} bytes", question.id()));
                }
                if let Err(why) = compare(&question, &files) {
                    failures.push(format!("{format} {}: {why}", question.id()));
                }
            }
        }
        Ok::<_, ()>(())
    };
    Level::Core.try_each(&mut ask).unwrap_or_default();
    for (format, tally) in &tallies {
        let Tally { models, rejected, unsupported, largest } = tally;
        let without: usize = unsupported.values().sum();
        println!("{format}: {models} models, {rejected} of which the rule rejects, {without} without; {largest} bytes");
        for (why, count) in unsupported {
            println!("    {count}: {why}");
        }
        assert!(*models > 0 && without > 0);
    }
    let first = &failures[..failures.len().min(60)];
    assert!(failures.is_empty(), "{} failures: {first:#?}", failures.len());
}
