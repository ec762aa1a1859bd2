//! Generates the checked-in case files from the truth files: `cargo xtask generate cases --truth DIR`.
//!
//! One truth file gives one case file. Where a truth file states what is expected, that is what is written; where it only
//! records what engines answered, the answer that Broadaxe takes is chosen here, each choice with its reason as a note.
//! `cases/README.md` gives the format.

mod align;
mod arithmetic;
mod chosen;
mod rewrites;
mod symbolic;
mod text;

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

/// One truth file, and how its cases become lines.
struct Source {
    /// The name of both files, without `.json` and `.case`.
    name: &'static str,
    /// What the lines of the case file say.
    kind: &'static str,
    /// What the cases are about, in one line.
    about: &'static str,
    lines: fn(&'static str, &[Value]) -> Result<Vec<String>, String>,
}

const fn source(
    name: &'static str,
    kind: &'static str,
    about: &'static str,
    lines: fn(&'static str, &[Value]) -> Result<Vec<String>, String>,
) -> Source {
    Source { name, kind, about, lines }
}

#[rustfmt::skip]
static SOURCES: &[Source] = &[
    source("seeds", "align", "every example of the documents that define the rules", align::lines),
    source("numpy_and_none", "align", "OpenVINO auto_broadcast numpy and none", align::lines),
    source("pdpd_openvino", "align", "OpenVINO auto_broadcast pdpd", align::lines),
    source("openvino_broadcast_op", "align", "OpenVINO Broadcast-1 and Broadcast-3", align::lines),
    source("onnx_multidirectional", "align", "ONNX multidirectional broadcasting", align::lines),
    source("onnx_unidirectional", "align", "ONNX unidirectional broadcasting: PRelu and Gemm", align::lines),
    source("onnx_variadic", "align", "ONNX Max, Min, Sum and Mean of any number of inputs", align::lines),
    source("ncnn_binaryop", "align", "ncnn BinaryOp; shapes and strides slowest axis first", align::lines),
    source("paddle_axis", "align", "Paddle elementwise operators with axis", align::lines),
    source("openvino_select_fq_prelu", "align", "OpenVINO Select, FakeQuantize and PReLU", chosen::openvino),
    source("onnx_other_ops", "align", "ONNX operators with rules of their own", chosen::onnx),
    source("openvino_dynamic_dims", "symbolic", "OpenVINO dims that are ranges or symbols", symbolic::openvino_pairs),
    source("openvino_broadcast_dynamic", "symbolic", "OpenVINO Broadcast with ranges", symbolic::openvino_broadcast),
    source("onnx_symbolic_dims", "symbolic", "ONNX dims that are symbols", symbolic::onnx),
    source("rewrites", "rewrite", "one rule said in another's words", rewrites::lines),
    source("arithmetic", "arithmetic", "element arithmetic", arithmetic::lines),
];

/// Runs `generate` with these arguments: `cases --truth DIR [--out DIR] [--check]`.
///
/// # Errors
/// When an argument is unknown, the truth cannot be read or says something unforeseen, or `--check` finds a difference.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let (mut truth, mut out, mut check) = (None, root().join("cases"), false);
    let mut rest = args.iter();
    if rest.next().map(String::as_str) != Some("cases") {
        return Err("usage: generate cases --truth DIR [--out DIR] [--check]".into());
    }
    while let Some(arg) = rest.next() {
        let mut dir = || rest.next().map(PathBuf::from).ok_or(format!("{arg} needs a folder"));
        match arg.as_str() {
            "--truth" => truth = Some(dir()?),
            "--out" => out = dir()?,
            "--check" => check = true,
            _ => return Err(format!("'{arg}' is no argument of generate cases")),
        }
    }
    let truth = truth.ok_or("generate cases needs --truth DIR, the folder of the truth files")?;
    let files = cases(&truth)?;
    if check {
        let stale = stale(&files, &out);
        return if stale.is_empty() { Ok(()) } else { Err(format!("not up to date: {}", stale.join(", "))) };
    }
    for (name, text) in &files {
        fs::write(out.join(name), text).map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(())
}

/// Makes every case file, as name and text, from the truth files in this folder.
///
/// # Errors
/// When a file cannot be read, a case is not of a form known here, or a truth file that states what is expected has no
/// case file.
fn cases(truth: &Path) -> Result<Vec<(String, String)>, String> {
    unlisted(truth)?;
    SOURCES.iter().map(|source| Ok((format!("{}.case", source.name), file(truth, source)?))).collect()
}

/// Names the case files in `folder` that differ from these, or are missing.
fn stale(files: &[(String, String)], folder: &Path) -> Vec<String> {
    let differs = |(name, text): &&(String, String)| fs::read_to_string(folder.join(name)).ok().as_ref() != Some(text);
    files.iter().filter(differs).map(|(name, _)| name.clone()).collect()
}

fn file(truth: &Path, source: &Source) -> Result<String, String> {
    let Source { name, kind, about, lines } = source;
    let list = read(&truth.join(format!("{name}.json")))?;
    let mut text = format!(
        "# Generated by `cargo xtask generate cases` from {name}.json: do not edit.\n# {about}\nkind {kind}\n\n"
    );
    for line in lines(name, &list).map_err(|e| format!("{name}.json: {e}"))? {
        text += line.trim_end();
        text += "\n";
    }
    Ok(text)
}

/// Reads the list of cases of one truth file.
fn read(path: &Path) -> Result<Vec<Value>, String> {
    let fail = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let text = fs::read_to_string(path).map_err(|e| fail(&e))?;
    let value: Value = serde_json::from_str(&text).map_err(|e| fail(&e))?;
    let list = value.get("cases").unwrap_or(&value);
    list.as_array().cloned().ok_or_else(|| fail(&"holds no list of cases"))
}

/// Fails if a truth file that states what is expected has no case file.
fn unlisted(truth: &Path) -> Result<(), String> {
    for entry in fs::read_dir(truth).map_err(|e| format!("{}: {e}", truth.display()))? {
        let path = entry.map_err(|e| e.to_string())?.path();
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        let json = path.extension().is_some_and(|x| x == "json");
        if json && !SOURCES.iter().any(|s| s.name == stem) {
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            if text.contains("\"expected\"") {
                return Err(format!("{} states what is expected and has no case file", path.display()));
            }
        }
    }
    Ok(())
}

/// Returns the root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One case of every form, as the truth files write them.
    #[test]
    fn lines_of_every_form() {
        // source, case, line
        let cases: &[(&str, &str, &str)] = &[
            (
                "pdpd_openvino",
                r#"{"id": "x", "rule": "pdpd", "shapes": [[2, 3], [2]], "axis": 0, "expected": {"shape": [2, 3], "strides": [[3, 1], [1, 0]]}, "note": "why"}"#,
                "x pdpd axis=0 (2,3) (2) -> (2,3) [3,1] [1,0]  # why",
            ),
            (
                "seeds",
                r#"{"seed": "003", "rule": "onnx_multidirectional", "example": 4, "shapes": [[], [2]], "expected": {"error": true}}"#,
                "seeds-0000 numpy () (2) -> error  # ONNX Broadcasting.md, example 4: onnx_multidirectional",
            ),
            (
                "openvino_broadcast_op",
                r#"{"id": "x", "rule": "broadcast_op_explicit", "data": [3], "target": [2, 3], "axes": [1], "expected": {"shape": [2, 3], "strides": [[0, 1]]}}"#,
                "x explicit axes=[1] target=(2,3) (3) -> (2,3) [0,1]",
            ),
            (
                "ncnn_binaryop",
                r#"{"id": "x", "rule": "ncnn", "kind": "inner", "shapes": [[2, 3], [3]], "expected": {"shape": [2, 3], "strides": [[1, 2], [0, 1]]}}"#,
                "x ncnn (3,2) (3) -> (3,2) [2,1] [1,0]  # inner: [2,3] + [3]",
            ),
            (
                "openvino_select_fq_prelu",
                r#"{"id": "x", "rule": "PRelu", "args": [[2, 4, 4], [4]]}"#,
                "x openvino-prelu (2,4,4) (4) -> (2,4,4) [16,4,1] [0,1,0]  # PRelu",
            ),
            (
                "onnx_other_ops",
                r#"{"id": "x", "rule": "Gemm 2x3*3x4 +", "case": [2, 1]}"#,
                "x gemm-c (2,4) (2,1) -> (2,4) [4,1] [1,0]  # Gemm 2x3*3x4 +",
            ),
            (
                "openvino_dynamic_dims",
                r#"{"rule": "pdpd", "a": [0, 5], "b": [2, -1], "got": "2.."}"#,
                "openvino_dynamic_dims-0000 pdpd dims=openvino (0..5) (2..) -> (2..5)  # OpenVINO gives 2..",
            ),
            (
                "onnx_symbolic_dims",
                r#"{"id": "x", "dims": ["N", null], "live": {"onnx": {"shape": ["unk__0"]}}}"#,
                "x numpy dims=onnx (N) (?) -> (?)",
            ),
            (
                "rewrites",
                r#"{"id": "x", "frm": "pdpd", "to": "numpy", "shapes": [[2, 3], [2]], "axis": 0, "reshape": [null, [2, 1]], "result": [2, 3]}"#,
                "x pdpd axis=0 to numpy (2,3) (2) -> reshape (2,3) (2,1) gives (2,3)",
            ),
            (
                "arithmetic",
                r#"{"op": "ldiv", "dtype": "i32", "a": "-2147483648", "b": "-1", "engines": {"paddle": "CRASH SIGFPE"}}"#,
                "arithmetic-0000 div_trunc i32 -2147483648 -1 -> -2147483648",
            ),
            (
                "arithmetic",
                r#"{"op": "fmod", "dtype": "u8", "a": "5", "b": "0", "engines": {"numpy": "0"}}"#,
                "arithmetic-0000 fmod u8 5 0 -> error",
            ),
        ];
        for (name, case, want) in cases {
            let source = SOURCES.iter().find(|s| s.name == *name).unwrap();
            let got = (source.lines)(source.name, &[serde_json::from_str(case).unwrap()]);
            assert_eq!(got, Ok(vec![(*want).to_owned()]), "{name}");
        }
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        let cases: &[(&str, &str, &str)] = &[
            ("seeds", r#"{"rule": "odd", "shapes": []}"#, "there is no rule of ours for 'odd'"),
            ("rewrites", r#"{"id": "x", "frm": "numpy"}"#, r#"no to in {"id":"x","frm":"numpy"}"#),
            ("arithmetic", r#"{"op": "odd", "dtype": "i8"}"#, "no operator of ours for odd"),
        ];
        for (name, case, want) in cases {
            let source = SOURCES.iter().find(|s| s.name == *name).unwrap();
            let got = (source.lines)(source.name, &[serde_json::from_str(case).unwrap()]);
            assert_eq!(got, Err((*want).to_owned()), "{name}");
        }
    }

    /// The truth lies outside the repository; where it is absent there is nothing to compare with.
    #[test]
    fn case_files_are_up_to_date() {
        let truth = std::env::var_os("BROADAXE_TRUTH").map_or_else(|| root().join("../shared/truth"), PathBuf::from);
        if !truth.is_dir() {
            eprintln!("no truth files at {}; the case files were not compared", truth.display());
            return;
        }
        let files = cases(&truth).unwrap();
        assert_eq!(stale(&files, &root().join("cases")), [""; 0], "run `cargo xtask generate cases --truth DIR`");
        for (name, text) in files {
            eprintln!("{name}: {} cases, up to date", text.lines().filter(|l| l.contains(" -> ")).count());
        }
    }
}
