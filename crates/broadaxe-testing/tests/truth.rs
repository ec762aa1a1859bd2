//! Checks every case of the truth files, where they are next to the checkout.
//!
//! `BROADAXE_TRUTH` names another folder. Where there is none, the case files in `cases/` stand alone.
#![allow(clippy::print_stdout)]

use std::{env, fs, path::PathBuf};

use broadaxe_shape::{Params, Rule, Shape};
use broadaxe_testing::{
    cases::{folder, read_folder},
    outside,
};
use serde_json::Value;

/// The rules by the first word of the truth's name for them.
#[rustfmt::skip]
static NAMES: &[(&str, &str)] = &[
    ("numpy", "numpy"),
    ("none", "none"),
    ("pdpd", "pdpd"),
    ("bidirectional", "bidirectional"),
    ("broadcast_op_bidirectional", "bidirectional"),
    ("broadcast_op_numpy", "broadcast-to"),
    ("broadcast_op_explicit", "explicit"),
    ("onnx_multidirectional", "numpy"),
    ("onnx_unidirectional", "unidirectional"),
    ("onnx_variadic", "numpy"),
    ("ncnn", "ncnn"),
    ("paddle_axis", "paddle"),
];

fn truth() -> PathBuf {
    env::var_os("BROADAXE_TRUTH").map_or_else(|| outside::folder("truth"), PathBuf::from)
}

fn numbers<T: TryFrom<i64>>(value: &Value) -> Vec<T> {
    let list = value.as_array().unwrap_or_else(|| panic!("{value} is no list"));
    let number = |v: &Value| v.as_i64().and_then(|n| T::try_from(n).ok()).unwrap_or_else(|| panic!("{v} in {value}"));
    list.iter().map(number).collect()
}

/// A result's shape and each operand's strides.
type Aligned = (Vec<usize>, Vec<Vec<isize>>);

fn ask(case: &Value) -> Result<Option<Aligned>, String> {
    let named = case["rule"].as_str().ok_or("no rule")?.split(' ').next().unwrap_or_default();
    let name = NAMES.iter().find(|(theirs, _)| *theirs == named).ok_or_else(|| format!("no rule for {named}"))?.1;
    let axes = case.get("axes").filter(|v| !v.is_null()).map(numbers);
    let target = case.get("target").map(|v| Shape::new(numbers::<usize>(v)));
    let params = Params { axis: case.get("axis").and_then(Value::as_i64), axes, target, mode: None };
    let rule = Rule::new(name, params).map_err(|e| e.to_string())?;
    let given = match case.get("data") {
        Some(data) => vec![data],
        None => case["shapes"].as_array().ok_or("no shapes")?.iter().collect(),
    };
    let mut shapes: Vec<Vec<usize>> = given.into_iter().map(numbers).collect();
    let ncnn = name == "ncnn";
    if ncnn {
        // ncnn writes shapes and strides fastest axis first.
        for dims in &mut shapes {
            dims.reverse();
        }
    }
    let views: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    let Ok(alignment) = rule.align(&views) else { return Ok(None) };
    let mut shape = alignment.shape().to_vec();
    let mut strides: Vec<Vec<isize>> = (0..shapes.len()).map(|k| alignment.strides(k)).collect();
    if ncnn {
        shape.reverse();
        for list in &mut strides {
            list.reverse();
        }
    }
    Ok(Some((shape, strides)))
}

fn fault(case: &Value) -> Option<String> {
    let expected = &case["expected"];
    let want = if expected.get("error").is_some() {
        None
    } else {
        let strides = expected["strides"].as_array().unwrap_or_else(|| panic!("no strides in {case}"));
        Some((numbers(&expected["shape"]), strides.iter().map(numbers).collect()))
    };
    let got = ask(case);
    if got == Ok(want) { None } else { Some(format!("{case}\n  got {got:?}")) }
}

#[test]
fn every_expected_case_holds() {
    let truth = truth();
    if !truth.is_dir() {
        outside::report("truth", &truth, 0);
        return;
    }
    let case_files = read_folder(&folder()).unwrap();
    let (mut faults, mut count, mut read) = (Vec::new(), 0, 0);
    for entry in fs::read_dir(&truth).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|x| x != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let list = value.get("cases").unwrap_or(&value).as_array().cloned().unwrap_or_default();
        let asked: Vec<&Value> = list.iter().filter(|case| case.get("expected").is_some()).collect();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        assert_eq!(text.matches("\"expected\"").count(), asked.len(), "{name}.json states more than was read");
        if asked.is_empty() {
            continue;
        }
        read += 1;
        let before = faults.len();
        faults.extend(asked.iter().filter_map(|case| fault(case)));
        println!("{name}.json: {} cases, {} faults", asked.len(), faults.len() - before);
        let written = case_files.iter().find(|f| f.name == format!("{name}.case")).map(|f| f.cases.len());
        assert_eq!(written, Some(asked.len()), "{name}.json and {name}.case state different numbers of cases");
        count += asked.len();
    }
    outside::report("truth", &truth, read);
    assert!(count > 2000, "only {count} cases were read");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
