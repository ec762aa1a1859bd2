//! Compares the oracle with answers of engines: the case file, and the truth file where it exists.
#![allow(clippy::print_stdout)]

use std::{env, fs, path::PathBuf};

use broadaxe_testing::{
    cases::{ArithmeticCase, Cases, WantedText, folder, read_folder},
    oracle::{Outcome, Ty, Value, eval, output, parse, tolerance},
    outside,
};
use serde_json::Value as Json;

fn ask(op: &str, ty: Ty, args: &[&str]) -> Result<Outcome, String> {
    let args = args.iter().map(|text| parse(ty, text).ok_or(format!("'{text}' is no {}", ty.name())));
    Ok(eval(op, ty, &args.collect::<Result<Vec<_>, _>>()?))
}

fn fault(case: &ArithmeticCase) -> Option<String> {
    let named = format!("{}: {} {} of {:?}", case.id, case.op, case.dtype, case.args);
    let Some(ty) = Ty::from_name(&case.dtype) else { return Some(format!("{named}: no such dtype")) };
    let got = match ask(&case.op, ty, &case.args.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(got) => got,
        Err(message) => return Some(format!("{named}: {message}")),
    };
    let to = output(&case.op, ty);
    let right = match &case.want {
        WantedText::Refused => got == Outcome::Refused,
        WantedText::Unsupported => got == Outcome::Unsupported,
        WantedText::Exact(text) => parse(to, text).is_some_and(|want| got.accepts(to, want)),
        WantedText::Near(text) => tolerance(&case.op) > 0 && parse(to, text).is_some_and(|want| got.accepts(to, want)),
    };
    (!right).then(|| format!("{named}: want {:?}, got {got:?}", case.want))
}

#[test]
fn the_oracle_answers_every_case() {
    let files = read_folder(&folder()).unwrap_or_else(|e| panic!("{e}"));
    let (mut faults, mut count) = (Vec::new(), 0);
    for file in files {
        let Cases::Arithmetic(list) = file.cases else { continue };
        println!("{}: {} cases", file.name, list.len());
        count += list.len();
        faults.extend(list.iter().filter_map(fault));
    }
    assert!(count > 1500, "only {count} cases were read");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// The truth's operators, with ours for integers and for floats; an empty name is an operator that we do not have there.
#[rustfmt::skip]
static OPERATORS: &[(&str, &str, &str)] = &[
    ("add", "add", "add"),
    ("sub", "sub", "sub"),
    ("mul", "mul", "mul"),
    ("div", "div_trunc", "div"),
    ("floor_divide", "div_floor", "div_floor"),
    ("mod", "mod_floor", "mod_floor"),
    ("fmod", "fmod", "fmod"),
    ("pow", "pow", "pow"),
    ("max", "max", "max"),
    ("min", "min", "min"),
    ("fmax", "fmax", "fmax"),
    ("fmin", "fmin", "fmin"),
    ("sqdiff", "squared_difference", "squared_difference"),
    ("shl", "shift_left", ""),
    ("shr", "shift_right", ""),
    ("eq", "equal", "equal"),
    ("ne", "not_equal", "not_equal"),
    ("lt", "less", "less"),
    ("ge", "greater_equal", "greater_equal"),
    ("band", "bitwise_and", ""),
    ("bxor", "bitwise_xor", ""),
    ("land", "logical_and", "logical_and"),
    ("lxor", "logical_xor", "logical_xor"),
    ("atan2", "", "atan2"),
];

/// Where an engine's answer is not the one taken: engine, operator, what the case must be like, and why.
type Exception = (&'static str, &'static str, fn(ty: Ty, a: &str, b: &str) -> bool, &'static str);

#[rustfmt::skip]
static EXCEPTIONS: &[Exception] = &[
    ("numpy", "div", |ty, _, _| !ty.is_float(), "NumPy divides integers truly; div_trunc is ONNX's"),
    ("*", "div", |ty, _, b| ty.is_integer() && b == "0", "an integer divided by 0 is refused; engines give 0"),
    ("*", "floor_divide", |ty, _, b| ty.is_integer() && b == "0", "an integer divided by 0 is refused; engines give 0"),
    ("*", "mod", |ty, _, b| ty.is_integer() && b == "0", "an integer divided by 0 is refused; engines give 0"),
    ("*", "fmod", |ty, _, b| ty.is_integer() && b == "0", "an integer divided by 0 is refused; engines give 0"),
    ("*", "add", |ty, _, _| ty == Ty::Bool, "bools are not added"),
    ("*", "mul", |ty, _, _| ty == Ty::Bool, "bools are not multiplied"),
    ("*", "div", |ty, _, _| ty == Ty::Bool, "bools are not divided"),
    ("*", "max", |ty, _, _| ty == Ty::Bool, "bools have no order of size in ONNX and OpenVINO"),
    ("*", "pow", |ty, _, _| ty == Ty::Bool, "bools are not raised"),
    ("*", "mod", |ty, _, _| ty == Ty::Bool, "bools are not divided"),
];

/// Says whether an engine's answer is the oracle's.
fn agrees(got: Outcome, to: Ty, answer: &str) -> bool {
    let answer = answer.to_lowercase();
    if answer.contains("error") {
        return matches!(got, Outcome::Refused | Outcome::Unsupported);
    }
    parse(to, &answer).is_some_and(|want: Value| got.accepts(to, want))
}

#[test]
fn the_oracle_agrees_with_numpy_and_the_onnx_reference() {
    let folder = env::var_os("BROADAXE_TRUTH").map_or_else(|| outside::folder("truth"), PathBuf::from);
    let text = fs::read_to_string(folder.join("arithmetic.json"));
    outside::report("arithmetic", &folder, usize::from(text.is_ok()));
    let Ok(text) = text else { return };
    let truth: Json = serde_json::from_str(&text).unwrap();
    let mut used = vec![0; EXCEPTIONS.len()];
    let (mut faults, mut agreed) = (Vec::new(), 0);
    for case in truth["cases"].as_array().unwrap() {
        let part = |name: &str| case[name].as_str().unwrap_or_else(|| panic!("no {name} in {case}"));
        let (op, a, b) = (part("op"), part("a"), part("b"));
        let ty = Ty::from_name(part("dtype")).unwrap();
        // Asked of OpenVINO and Paddle only; the case file has them.
        if ["cdiv", "ldiv"].contains(&op) {
            continue;
        }
        let row = OPERATORS.iter().find(|row| row.0 == op).unwrap_or_else(|| panic!("no operator for {op}"));
        let ours = if ty.is_float() { row.2 } else { row.1 };
        let got = ask(ours, ty, &[a, b]).unwrap();
        for engine in ["numpy", "onnx_ref"] {
            let Some(answer) = case["engines"].get(engine) else { continue };
            let answer = answer.as_str().unwrap_or_else(|| panic!("scalar and vector differ in {case}"));
            if agrees(got, output(ours, ty), answer) {
                agreed += 1;
                continue;
            }
            let excepted = |e: &Exception| (e.0 == engine || e.0 == "*") && e.1 == op && e.2(ty, a, b);
            match EXCEPTIONS.iter().position(excepted) {
                Some(at) => used[at] += 1,
                None => faults.push(format!("{op} {} {a} {b}: {engine} {answer}, oracle {got:?}", ty.name())),
            }
        }
    }
    println!("arithmetic.json: {agreed} answers agree, {} are taken otherwise", used.iter().sum::<usize>());
    assert!(agreed > 2000, "only {agreed} answers were compared");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
    for (count, exception) in used.iter().zip(EXCEPTIONS) {
        assert!(*count > 0, "no case needs the exception of {} {}: {}", exception.0, exception.1, exception.3);
    }
}
