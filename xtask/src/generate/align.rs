//! Cases of alignment that state what is expected.

use serde_json::Value;

use super::text::{Ints, Want, field, ints, lists, note, shape, shapes, strides, string, want};

/// The rules by the names the truth gives them, with ours.
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
    ("gemm", "gemm-c"),
    ("ncnn", "ncnn"),
    ("paddle_axis", "paddle"),
];

/// The documents that the examples are from.
#[rustfmt::skip]
static DOCUMENTS: &[(&str, &str)] = &[
    ("000 001 002", "OpenVINO broadcast rules"),
    ("002 only", "OpenVINO broadcast rules, newer page"),
    ("003", "ONNX Broadcasting.md"),
    ("004", "ncnn binaryop-broadcasting.md"),
];

/// Writes the cases of one truth file.
pub(super) fn lines(file: &str, cases: &[Value]) -> Result<Vec<String>, String> {
    cases.iter().enumerate().map(|(k, case)| line(file, k, case)).collect()
}

fn line(file: &str, index: usize, case: &Value) -> Result<String, String> {
    let named = string(case, "rule")?;
    let word = named.split(' ').next().unwrap_or(named);
    let gemm = case.get("op").is_some_and(|op| op == "Gemm");
    let rule = our(NAMES, if gemm { "gemm" } else { word })
        .ok_or_else(|| format!("there is no rule of ours for '{named}'"))?;
    let id = case.get("id").and_then(Value::as_str).map_or_else(|| format!("{file}-{index:04}"), str::to_owned);
    let mut text = format!("{id} {rule}");
    if let Some(axis) = case.get("axis").filter(|v| !v.is_null()) {
        text += " axis=";
        text += &axis.to_string();
    }
    if let Some(axes) = case.get("axes").filter(|v| !v.is_null()) {
        text += " axes=";
        text += &strides(&ints(axes)?);
    }
    let given = if case.get("data").is_some() {
        text += " target=";
        text += &shape(&ints(field(case, "target")?)?);
        vec![ints(field(case, "data")?)?]
    } else {
        lists(field(case, "shapes")?)?
    };
    let (given, answer, written) = if rule == "ncnn" {
        let written: Vec<_> = given.iter().map(|dims| strides(dims)).collect();
        let answer = expected(case)?.map(|(dims, list)| (turned(&dims), list.iter().map(turned).collect()));
        (given.iter().map(turned).collect(), answer, format!("{}: {}", part(case, "kind"), written.join(" + ")))
    } else {
        (given, expected(case)?, String::new())
    };
    let deviation = part(case, "note");
    let written = written.trim_start_matches(": ").to_owned();
    Ok(text + &shapes(&given) + &want(&answer) + &note(&[&origin(file, named, case), &written, deviation]))
}

/// Says where a case is from: the document, and the operator or opset.
fn origin(file: &str, named: &str, case: &Value) -> String {
    if file == "seeds" {
        let document = our(DOCUMENTS, part(case, "seed")).unwrap_or_default();
        let number = case.get("example").and_then(Value::as_u64).unwrap_or_default();
        return format!("{document}, example {number}: {named}");
    }
    format!("{} {}", part(case, "op"), part(case, "opset")).trim().to_owned()
}

fn part<'a>(case: &'a Value, name: &str) -> &'a str {
    case.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn our(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(theirs, _)| *theirs == name).map(|&(_, ours)| ours)
}

fn expected(case: &Value) -> Result<Want, String> {
    let expected = field(case, "expected")?;
    if expected.get("error").is_some() {
        return Ok(None);
    }
    Ok(Some((ints(field(expected, "shape")?)?, lists(field(expected, "strides")?)?)))
}

/// Turns ncnn's order, fastest axis first, into ours.
fn turned(list: &Ints) -> Ints {
    list.iter().rev().copied().collect()
}
