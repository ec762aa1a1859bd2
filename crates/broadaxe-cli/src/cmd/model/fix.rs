//! `broadaxe fix` and `broadaxe upgrade`: write changed models, with a table of the changes.

use std::path::PathBuf;

use broadaxe_models::{
    Copied, ErrorKind as ModelError, FixOutcome, Fixed, Model,
    fix::{self, Fix, Intent},
    fix_model_as,
    report::{node_name, words},
    upgrade, upgrade_model,
};
use serde_json::{Value, json};

use super::{Destination, Loaded, Open, load, open, progress::Progress};
use crate::{
    answer::{Answer, table},
    args::{FixArgs, InputArgs, OutArgs, UpgradeArgs},
    config::Settings,
    error::{Error, ErrorKind, escaped},
    terminal,
};

/// Fixes a model for targets.
///
/// # Errors
/// When a target is unknown, the model cannot be read, a change cannot be made, or OUT cannot be written.
pub fn fix(args: &FixArgs) -> Result<Answer, Error> {
    let _progress = Progress::of(&args.out.model);
    planned(args, &open)?.answer(&args.out)
}

/// As [`fix()`], for a caller that may hold the model; returns the changed model too where it is not written.
///
/// # Errors
/// As [`fix()`]; when nothing could be verified that was to be.
pub fn fixed(args: &FixArgs, open: Open<'_>) -> Result<(Answer, Option<Vec<u8>>), Error> {
    planned(args, open)?.held(&args.out)
}

/// Brings an ONNX model to opset 7.
///
/// # Errors
/// As [`fix()`]; a model with a node that has no exact counterpart is not written.
pub fn upgrade(args: &UpgradeArgs) -> Result<Answer, Error> {
    let job = raised(args, &open)?;
    if let (Some(left), false) = (job.fixed.plan.left.first(), args.out.dry_run) {
        let node = node_name(&job.loaded.model, left.node);
        let text = format!("{node}: {}; nothing was written, --dry-run lists all such nodes", left.reason);
        return Err(Error::from(broadaxe_models::Error::new(ModelError::Edit, text)).of(&args.out.model));
    }
    job.answer(&args.out)
}

/// As [`upgrade()`], for a caller that may hold the model; returns the changed model too where it is not written.
///
/// # Errors
/// As [`upgrade()`], also where nothing is to be written; the error names every node.
pub fn upgraded(args: &UpgradeArgs, open: Open<'_>) -> Result<(Answer, Option<Vec<u8>>), Error> {
    let job = raised(args, open)?;
    let left = &job.fixed.plan.left;
    if !left.is_empty() {
        let one = |left: &fix::Left| format!("{}: {}", node_name(&job.loaded.model, left.node), left.reason);
        let text = left.iter().map(one).collect::<Vec<_>>().join("; ");
        return Err(Error::from(broadaxe_models::Error::new(ModelError::Edit, text)).of(&args.out.model));
    }
    job.held(&args.out)
}

/// Plans the fix; the configuration may have targets and shapes of inputs.
fn planned<'a>(args: &'a FixArgs, open: Open<'_>) -> Result<FixJob<'a>, Error> {
    let settings = Settings::of_fix(args)?.for_model(&args.out.model);
    let intent = args.intend.as_deref().map_or(Ok(Intent::Unknown), str::parse)?;
    FixJob::new(&args.out, &settings.inputs, open, |Loaded { model, shapes, .. }| {
        fix_model_as(model, shapes, &settings.targets_of(model.format), !args.out.no_verify, intent)
    })
}

fn raised<'a>(args: &'a UpgradeArgs, open: Open<'_>) -> Result<FixJob<'a>, Error> {
    FixJob::new(&args.out, &InputArgs::default(), open, |Loaded { model, shapes, .. }| {
        upgrade_model(model, shapes, !args.out.no_verify)
    })
}

/// A model, what became of it, and where it goes.
struct FixJob<'a> {
    loaded: Loaded,
    fixed: Fixed,
    to: Destination<'a>,
    path: Option<PathBuf>,
}

impl<'a> FixJob<'a> {
    fn new(
        out: &'a OutArgs,
        inputs: &InputArgs,
        open: Open<'_>,
        change: impl FnOnce(&Loaded) -> Result<Fixed, broadaxe_models::Error>,
    ) -> Result<Self, Error> {
        let to = Destination::new(out)?;
        let loaded = load(&out.model, inputs, open)?;
        let path = to.path(&loaded.model)?;
        let fixed = change(&loaded).map_err(|error| Error::from(error).of(&out.model))?;
        Ok(Self { loaded, fixed, to, path })
    }

    /// Writes the changed model where it is offered, and says what was done.
    fn answer(&self, out: &OutArgs) -> Result<Answer, Error> {
        let Self { loaded: Loaded { model: before, .. }, fixed, to, path } = self;
        let (model, said) = (fixed.base(before), fixed.outcome.text().unwrap_or_default());
        if let FixOutcome::Different(_) = fixed.outcome {
            let text = format!("{said}; nothing was written");
            return Err(Error::from(broadaxe_models::Error::new(ModelError::Edit, text)).of(&out.model));
        }
        let mut text = show(model, &fixed.plan, out.quiet);
        text += &match &fixed.outcome {
            FixOutcome::Unverified(_) => {
                format!("{}; nothing was written, --no-verify writes the model all the same\n", escaped(&said))
            }
            FixOutcome::Unfixed if path.is_some() => format!("{said}, and nothing was written\n"),
            FixOutcome::Changed(_) if !said.is_empty() => format!("{}\n", escaped(&said)),
            _ => String::new(),
        };
        let path = path.as_deref().filter(|_| fixed.is_offered());
        if let Some(path) = path {
            to.save(model, &fixed.plan.edits, path)?;
            text += &format!("{}: written\n", path.display());
        }
        let mut text = terminal::fitted(&text, terminal::columns());
        let mut json = describe(model, fixed, path);
        if let Some(upgraded) = &fixed.upgraded {
            let upgrade = show(before, &upgraded.changes, out.quiet);
            text = format!("upgrade to opset {}:\n{upgrade}\nfix:\n{text}", upgrade::OPSET);
            json["upgrade"] = changes_of(before, &upgraded.changes);
        }
        let is_unverified = matches!(fixed.outcome, FixOutcome::Unverified(_));
        Ok(Answer::judged(text, json, fixed.is_wrong() || is_unverified))
    }

    /// As [`FixJob::answer`], with the changed model where it is offered and not written; what could not be verified is an error.
    fn held(&self, out: &OutArgs) -> Result<(Answer, Option<Vec<u8>>), Error> {
        let answer = self.answer(out)?;
        if let FixOutcome::Unverified(_) = self.fixed.outcome {
            return Err(Error::new(ErrorKind::Value, self.fixed.outcome.text().unwrap_or_default()).of(&out.model));
        }
        if !out.dry_run || !self.fixed.is_offered() {
            return Ok((answer, None));
        }
        let (_, changed) = self.fixed.changed(&self.loaded.model)?;
        Ok((answer, Some(changed.source.read(0, changed.source.len() as usize)?)))
    }
}

fn show(model: &Model, plan: &Fix, quiet: bool) -> String {
    let mut text = String::new();
    if plan.steps.is_empty() {
        text += "nothing to change\n";
    } else {
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

fn changes_of(model: &Model, plan: &Fix) -> Value {
    let step = |step: &fix::Step| {
        let node = model.node(step.node);
        json!({
            "node": node_name(model, step.node),
            "op": node.op,
            "change": step.text,
            "bytes": step.copied.bytes(),
            "copied": step.copied,
        })
    };
    plan.steps.iter().map(step).collect()
}

fn describe(model: &Model, fixed: &Fixed, out: Option<&std::path::Path>) -> Value {
    let left = fixed.plan.left.iter().map(|left| {
        json!({
            "node": node_name(model, left.node),
            "reason": left.reason,
            "kind": left.kind,
        })
    });
    let mut json = json!({
        "upgrade": [],
        "changes": changes_of(model, &fixed.plan),
        "left": left.collect::<Vec<_>>(),
        "verified": fixed.outcome.verified().map(ToString::to_string),
        "output": out.map(|path| path.display().to_string()),
    });
    if let FixOutcome::Unverified(verified) = &fixed.outcome {
        json["unverified"] = verified.left.first().map_or("", |left| &left.reason).into();
    }
    json
}
