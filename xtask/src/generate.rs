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
pub fn run(args: &[String]) -> Result<(), String> {
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
pub fn cases(truth: &Path) -> Result<Vec<(String, String)>, String> {
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
