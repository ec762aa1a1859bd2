//! `broadaxe fix` and `broadaxe upgrade`: write changed models, with a table of the changes.

use broadaxe_models::{
    Copied, FixOutcome, Model,
    fix::{Fix, LeftKind, Step},
    report::{node_name, words},
    upgrade,
};
use broadaxe_session::fix::{self, FixJob};
use serde_json::{Value, json};

use super::{open, progress::Progress};
use crate::{
    answer::{Answer, Json, table},
    args::{FixArgs, UpgradeArgs},
    error::{Error, escaped},
    terminal,
};

/// Fixes a model for targets.
///
/// # Errors
/// When a target is unknown, the model cannot be read, a change cannot be made, or OUT cannot be written.
pub fn fix(args: &FixArgs, json: bool) -> Result<Answer, Error> {
    let _progress = Progress::of(&args.out.model);
    let request = args.request();
    answer(&fix::fix(&request, &open)?, args.out.quiet, json)
}

/// Brings an ONNX model to opset 7.
///
/// # Errors
/// As [`fix()`]; when a node has no exact counterpart, without `--dry-run`.
pub fn upgrade(args: &UpgradeArgs, json: bool) -> Result<Answer, Error> {
    let request = args.request();
    answer(&fix::upgrade(&request, &open)?, args.out.quiet, json)
}

/// Writes the changed model where it is offered, and says what was done, for programs too where they ask.
pub(super) fn answer(job: &FixJob<'_>, quiet: bool, json: bool) -> Result<Answer, Error> {
    job.save()?;
    let (before, fixed) = (&job.loaded.model, &job.fixed);
    let said = fixed.outcome.text().unwrap_or_default();
    let nothing = if fixed.upgraded.is_some() { "no further changes needed" } else { UNCHANGED };
    let mut text = show(fixed.base(before), &fixed.plan, quiet, nothing);
    for finding in &job.asked.wrong {
        let (node, target, reason) = (escaped(&finding.node), &finding.target, escaped(&finding.reason));
        text += &format!("not fixed: {node}: {} on {target}: {reason}\n", finding.verdict);
    }
    text += &job.asked.text;
    text += &match &fixed.outcome {
        FixOutcome::Unverified(_) => {
            format!("{}; nothing was written, --no-verify writes the model all the same\n", escaped(&said))
        }
        FixOutcome::Unfixed if job.has_output() => format!("{said}, and nothing was written\n"),
        FixOutcome::Changed(_) if !said.is_empty() => format!("{}\n", escaped(&said)),
        _ => String::new(),
    };
    if let Some(path) = job.written_to() {
        text += &format!("{}: written\n", path.display());
    }
    let mut text = terminal::fitted(&text, terminal::columns());
    if let Some(upgraded) = &fixed.upgraded {
        let upgrade = show(before, &upgraded.changes, quiet, UNCHANGED);
        text = format!("upgrade to opset {}:\n{upgrade}\nfix:\n{text}", upgrade::OPSET);
    }
    let mut answer = Answer::judged(text, Value::Null, job.fails());
    if json {
        answer.json = Json::written(&job.record());
    }
    Ok(answer)
}

/// Returns what a notebook shows of a changed model: a title, the changes, and the nodes that are left.
pub(super) fn words(job: &FixJob<'_>) -> Value {
    let (before, fixed) = (&job.loaded.model, &job.fixed);
    let model = fixed.base(before);
    let steps = fixed.upgraded.as_ref().map(|upgraded| upgraded.changes.steps.as_slice()).unwrap_or_default();
    let mut rows = changes_of(before, steps);
    rows.extend(changes_of(model, &fixed.plan.steps));
    let title = match total([steps, &fixed.plan.steps]) {
        Some(total) => total,
        None => fixed.outcome.text().unwrap_or_default(),
    };
    json!({ "title": title, "head": CHANGES, "rows": rows, "left": words::left(model, &fixed.plan.left) })
}

/// What is said where no node has to change.
const UNCHANGED: &str = "no changes needed";

fn show(model: &Model, plan: &Fix, quiet: bool, nothing: &str) -> String {
    let mut text = String::new();
    if plan.steps.is_empty() && !plan.left.iter().any(|left| left.kind == LeftKind::Finding) {
        text += &format!("{nothing}\n");
    } else if !plan.steps.is_empty() {
        if !quiet {
            text += &(table(&CHANGES, true, changes_of(model, &plan.steps)) + "\n");
        }
        text.extend(total([&plan.steps]).map(|total| total + "\n"));
    }
    for line in words::left(model, &plan.left) {
        text += &(line + "\n");
    }
    terminal::fitted(&text, terminal::columns())
}

/// The head of a table of changes.
const CHANGES: [&str; 4] = ["node", "operator", "copies", "change"];

/// Lists the changes.
fn changes_of(model: &Model, steps: &[Step]) -> Vec<Vec<String>> {
    let row = |step: &Step| {
        let node = model.node(step.node);
        vec![node_name(model, step.node), node.op.clone(), step.copied.to_string(), step.text.clone()]
    };
    steps.iter().map(row).collect()
}

/// Counts changes, and says what they copy; nothing where there are none.
fn total<const N: usize>(steps: [&[Step]; N]) -> Option<String> {
    let mut copied = Copied::default();
    steps.iter().copied().flatten().for_each(|step| copied.add(&step.copied));
    let count: usize = steps.iter().map(|steps| steps.len()).sum();
    let changes = if count == 1 { "1 change".to_owned() } else { format!("{count} changes") };
    (count > 0).then(|| format!("{changes}, {copied} copied each time the model runs"))
}
