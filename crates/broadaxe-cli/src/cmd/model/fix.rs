//! `broadaxe fix` and `broadaxe upgrade`: write changed models, with a table of the changes.

use broadaxe_models::{
    Copied, ErrorKind as ModelError, FixOutcome, Model,
    fix::{Fix, LeftKind},
    report::{node_name, words},
    upgrade,
};
use broadaxe_session::fix::{self, FixJob};
use serde_json::Value;

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
/// As [`fix()`]; a model with a node that has no exact counterpart is not written.
pub fn upgrade(args: &UpgradeArgs, json: bool) -> Result<Answer, Error> {
    let request = args.request();
    let job = fix::upgrade(&request, &open)?;
    if let (Some(left), false) = (job.fixed.plan.left.first(), args.out.dry_run) {
        let node = node_name(&job.loaded.model, left.node);
        let text = format!("{node}: {}; nothing was written, --dry-run lists all such nodes", left.reason);
        return Err(Error::from(broadaxe_models::Error::new(ModelError::Edit, text)).of(&args.out.model));
    }
    answer(&job, args.out.quiet, json)
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

/// What is said where no node has to change.
const UNCHANGED: &str = "no changes needed";

fn show(model: &Model, plan: &Fix, quiet: bool, nothing: &str) -> String {
    let mut text = String::new();
    if plan.steps.is_empty() && !plan.left.iter().any(|left| left.kind == LeftKind::Finding) {
        text += &format!("{nothing}\n");
    } else if !plan.steps.is_empty() {
        if !quiet {
            text += &(changes_table(model, plan) + "\n");
        }
        let mut copied = Copied::default();
        plan.steps.iter().for_each(|step| copied.add(&step.copied));
        text += &format!("{}, {} copied each time the model runs\n", changes(plan.steps.len()), copied);
    }
    for line in words::left(model, &plan.left) {
        text += &(line + "\n");
    }
    terminal::fitted(&text, terminal::columns())
}

/// Lists the changes.
fn changes_table(model: &Model, plan: &Fix) -> String {
    let rows = plan.steps.iter().map(|step| {
        let node = model.node(step.node);
        vec![node_name(model, step.node), node.op.clone(), step.copied.to_string(), step.text.clone()]
    });
    table(&["node", "operator", "copies", "change"], true, rows)
}

fn changes(count: usize) -> String {
    if count == 1 { "1 change".to_owned() } else { format!("{count} changes") }
}
