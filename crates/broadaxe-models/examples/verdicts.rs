//! Prints what targets do with the broadcasting nodes of models, a line of JSON each: `verdicts TARGET,... MODEL...`.
//!
//! Nodes that are the same are left out, unless `--all` is given; `--advice` adds repairs. The last line of a model counts its
//! nodes.

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use broadaxe_models::{
    Target,
    check::{Finding, Verdict, check},
    fix, format, infer,
};
use serde::Serialize;

/// What a target does with a node.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    target: &'a str,
    node: &'a str,
    op: &'a str,
    verdict: &'a str,
    element: Option<&'a [usize]>,
    reason: &'a str,
    repair: Option<&'a str>,
}

/// The nodes of a model, and those whose shapes are unknown.
#[derive(Serialize)]
struct Figures<'a> {
    file: &'a str,
    nodes: usize,
    unknown: usize,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let [all, advice] = ["--all", "--advice"].map(|name| {
        let at = arguments.iter().position(|argument| argument == name);
        at.map(|at| arguments.remove(at)).is_some()
    });
    let Some((targets, models)) = arguments.split_first() else {
        return Err("usage: verdicts [--all] [--advice] TARGET,... MODEL...".into());
    };
    let targets: Vec<Target> = targets.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let mut out = io::stdout().lock();
    for file in models {
        let model = format::open(Path::new(file))?;
        let shapes = infer::infer(&model, &[])?;
        let mut report = check(&model, &shapes, &targets);
        if advice {
            fix::advise(&model, &shapes, &targets, &mut report)?;
        }
        for finding in report.findings.iter().filter(|finding| all || !matches!(finding.verdict, Verdict::Same)) {
            let node = model.node(finding.node);
            let (target, reason, verdict) = (&*finding.target, &*finding.reason, finding.verdict.name());
            let repair = finding.repair.as_ref().map(|repair| &*repair.text);
            let (node, op) = (&*node.name, &*node.op);
            let line = Line { file, target, node, op, verdict, element: element(finding), reason, repair };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        }
        let figures = Figures { file, nodes: report.nodes, unknown: report.unknown };
        writeln!(out, "{}", serde_json::to_string(&figures)?)?;
    }
    Ok(())
}

/// Returns the element on which a target differs, if the engine could compute one there.
fn element(finding: &Finding) -> Option<&[usize]> {
    match &finding.verdict {
        Verdict::Differs(example) if example.there.is_some() => Some(&example.element),
        _ => None,
    }
}
