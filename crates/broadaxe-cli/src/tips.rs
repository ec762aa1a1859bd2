//! Adds to errors about the command line what would have worked.

use std::{ffi::OsString, path::Path};

use broadaxe_frameworks::System;
use broadaxe_models::Target;
use broadaxe_shape::RULES;
use clap::{
    CommandFactory,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::args::Cli;

/// Words that users try as subcommands, and what they look for.
const WRONG_SUBCOMMANDS: &[(&[&str], &str)] = &[
    (&["repair", "patch", "rewrite"], "'broadaxe fix' fixes a model"),
    (
        &["lint", "scan", "verify", "validate", "test", "analyze", "analyse"],
        "'broadaxe check' finds the nodes whose results differ on another runtime",
    ),
    (&["stats", "statistics", "count"], "'broadaxe census' counts the nodes of models"),
    (
        &["info", "show", "inspect", "summary"],
        "'broadaxe census' counts the nodes of a model, and 'broadaxe list' lists them",
    ),
    (&["version"], "'broadaxe --version' prints the version"),
    (
        &["convert"],
        "'broadaxe fix' changes a model for other runtimes, and 'broadaxe upgrade' converts old ONNX models",
    ),
    (&["runtimes", "backends"], "'broadaxe targets' lists the runtimes"),
];

/// Options that users try with a subcommand, and what they look for.
const WRONG_OPTIONS: &[(&[&str], &[&str], &str)] = &[
    (
        &["check", "fix", "list"],
        &["--target", "--targets", "--runtime", "--runtimes"],
        "'--for' names the runtimes, such as --for openvino,ncnn",
    ),
    (
        &["check", "fix"],
        &["--node", "--op"],
        "'broadaxe list MODEL --for TARGET' lists the verdicts of nodes, by --node or --op; 'broadaxe explain MODEL --node NODE' draws one node",
    ),
    (
        &["explain"],
        &["--for", "--target", "--targets"],
        "'broadaxe check MODEL --for TARGET' shows the findings; 'explain' draws a node under the rule of the model itself",
    ),
    (
        &["check"],
        &["-o", "--out", "--html", "--sarif", "--junit", "--markdown", "--report"],
        "'--output FORMAT=FILE' writes a report, such as --output html=report.html",
    ),
    (
        &["compare"],
        &["--rule", "--rules", "--axis"],
        "'compare' shows every rule; 'broadaxe shape --rule RULE SHAPE...' broadcasts under one",
    ),
    (&["check"], &["--verdict"], "'broadaxe list MODEL --verdict VERDICT' lists the nodes with a verdict"),
    (&["census"], &["--for"], "'broadaxe check MODEL --for TARGET --statistics' counts the findings"),
];

/// Frameworks that broadcast by the rule `numpy`, and whose names it does not have.
const NUMPY: [&str; 6] = ["openvino", "pytorch", "tensorflow", "jax", "tflite", "litert"];

/// Puts what would have worked into the error about these arguments, and removes wrong tips.
pub(crate) fn add(error: &mut clap::Error, args: &[OsString]) {
    let tip = match error.kind() {
        ErrorKind::UnknownArgument => unknown_argument(error, args),
        ErrorKind::InvalidSubcommand => {
            error.remove(ContextKind::Suggested);
            let wrong = said(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            let known = WRONG_SUBCOMMANDS.iter().find(|(words, _)| words.contains(&wrong.as_str()));
            known.map(|(_, tip)| (*tip).to_owned())
        }
        ErrorKind::InvalidValue
            if said(error, ContextKind::InvalidArg).is_some_and(|arg| arg.starts_with("--rule")) =>
        {
            let names = RULES.iter().flat_map(|rule| [&[rule.name], rule.aliases].concat());
            error.insert(ContextKind::ValidValue, ContextValue::Strings(names.map(str::to_owned).collect()));
            said(error, ContextKind::InvalidValue).and_then(|wrong| rules(&wrong))
        }
        _ => None,
    };
    if let Some(tip) = tip {
        for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue] {
            error.remove(kind);
        }
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
    }
}

/// Returns what an error says about its cause.
fn said(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// Says what is meant by an argument that the subcommand does not have.
fn unknown_argument(error: &mut clap::Error, args: &[OsString]) -> Option<String> {
    let wrong = said(error, ContextKind::InvalidArg)?;
    if !is_file(&wrong, args) {
        // A word of a command line that begins with '-' is rarely meant as a value.
        error.remove(ContextKind::Suggested);
    }
    let of = subcommand(args).unwrap_or_default();
    let known = Cli::command();
    let has_targets =
        known.find_subcommand(&of).is_some_and(|of| of.get_arguments().any(|arg| arg.get_long() == Some("for")));
    let is_target = has_targets && !wrong.starts_with('-') && wrong.parse::<Target>().is_ok();
    let tip = is_target.then(|| format!("'{wrong}' is a target; separate targets by commas: --for TARGET,{wrong}"));
    tip.or_else(|| option(&of, &wrong))
}

/// Says whether a word that was read as an option is the name of a file.
fn is_file(wrong: &str, args: &[OsString]) -> bool {
    args.iter().any(|arg| arg.to_string_lossy().starts_with(wrong) && Path::new(arg).exists())
}

/// Finds the subcommand among the arguments.
fn subcommand(args: &[OsString]) -> Option<String> {
    let known = Cli::command();
    let words = args.iter().skip(1).map(|arg| arg.to_string_lossy().into_owned());
    { words }.find(|word| known.find_subcommand(word).is_some())
}

fn option(subcommand: &str, wrong: &str) -> Option<String> {
    let fits = |(of, options, _): &&(&[&str], &[&str], &str)| of.contains(&subcommand) && options.contains(&wrong);
    WRONG_OPTIONS.iter().find(fits).map(|(_, _, tip)| (*tip).to_owned())
}

/// Lists the rules of a framework, where a word names one.
fn rules(wrong: &str) -> Option<String> {
    let word = wrong.to_lowercase();
    let starts = |name: &&str| name.starts_with(&word);
    let has = |text: &str| text.to_lowercase().contains(&word);
    let is_framework = NUMPY.contains(&word.as_str()) || System::ALL.iter().any(|system| system.name() == word);
    let named = RULES.iter().filter(|rule| {
        let is_numpy = rule.name == "numpy" && NUMPY.contains(&word.as_str());
        let is_of = is_framework && (has(rule.summary) || has(rule.source));
        is_numpy || is_of || [&[rule.name], rule.aliases].concat().iter().any(starts)
    });
    let named: Vec<&str> = named.map(|rule| rule.name).collect();
    match named.as_slice() {
        [] => None,
        _ if is_framework => Some(format!("rules of {wrong}: {}", named.join(", "))),
        _ => Some(format!("similar values: {}", named.join(", "))),
    }
}

/// Says how a file that does not exist would be a target: `check model.onnx --for ncnn openvino`.
pub(crate) fn target(file: &Path, targets: &[String]) -> Option<String> {
    let name = file.to_str().filter(|_| !targets.is_empty())?;
    name.parse::<Target>().ok()?;
    Some(format!("'{name}' is a target; write --for {},{name}", targets.join(",")))
}
