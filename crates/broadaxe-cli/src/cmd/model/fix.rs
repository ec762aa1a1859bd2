//! `broadaxe fix` and `broadaxe upgrade`: write changed models, with a table of the changes.

use std::path::{Path, PathBuf};

use broadaxe_models::{
    Copied, ErrorKind as ModelError, FixOutcome, Fixed, Model,
    check::Report,
    fix::{self, Fix, Intent, LeftKind},
    fix_model_as,
    infer::infer,
    report::{CheckRecord, FindingRecord, node_name, words},
    upgrade, upgrade_model,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Destination, Loaded, Open, ask::Asking, given_for, load, open, progress::Progress};
use crate::{
    answer::{Answer, Each, Json, table},
    args::{FixArgs, InputArgs, OutArgs, UpgradeArgs},
    config::Settings,
    error::{Error, ErrorKind, escaped},
    terminal,
};

/// Fixes a model for targets.
///
/// # Errors
/// When a target is unknown, the model cannot be read, a change cannot be made, or OUT cannot be written.
pub fn fix(args: &FixArgs, json: bool) -> Result<Answer, Error> {
    let _progress = Progress::of(&args.out.model);
    planned(args, &open)?.answer(&args.out, json)
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
pub fn upgrade(args: &UpgradeArgs, json: bool) -> Result<Answer, Error> {
    let job = raised(args, &open)?;
    if let (Some(left), false) = (job.fixed.plan.left.first(), args.out.dry_run) {
        let node = node_name(&job.loaded.model, left.node);
        let text = format!("{node}: {}; nothing was written, --dry-run lists all such nodes", left.reason);
        return Err(Error::from(broadaxe_models::Error::new(ModelError::Edit, text)).of(&args.out.model));
    }
    job.answer(&args.out, json)
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
    let asking = Asking::new(&args.asking, true)?;
    let targets = |format| match (&settings.targets, &asking) {
        (None, Some(asking)) => asking.targets(),
        _ => settings.targets_of(format),
    };
    let mut job = FixJob::new(&args.out, &settings.inputs, open, |Loaded { model, shapes, .. }| {
        fix_model_as(model, shapes, &targets(model.format), !args.out.no_verify, intent)
    })?;
    if let Some(asking) = asking {
        job.ask(asking, &settings.inputs).map_err(|error| error.of(&args.out.model))?;
    }
    Ok(job)
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
    asked: AnswersOfEngines,
}

/// What engines do with the changed model.
#[derive(Default)]
struct AnswersOfEngines {
    /// What was asked, for people.
    text: String,
    /// The nodes that an engine still computes wrongly, or refuses.
    wrong: Vec<FindingRecord>,
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
        Ok(Self { loaded, fixed, to, path, asked: AnswersOfEngines::default() })
    }

    /// Runs the changed model on engines.
    fn ask(&mut self, mut asking: Asking, inputs: &InputArgs) -> Result<(), Error> {
        if !self.fixed.is_offered() {
            return Ok(());
        }
        let (_, model) = self.fixed.changed(&self.loaded.model)?;
        let shapes = infer(&model, &given_for(&model, inputs)?)?;
        let mut record = CheckRecord::new("", &model, Report::default());
        let asked = asking.ask(&model, &shapes, &mut record, &mut |_| ())?;
        let is_wrong = |finding: &FindingRecord| matches!(finding.verdict.as_str(), "differs" | "refused");
        record.findings.retain(is_wrong);
        self.asked = AnswersOfEngines { text: asked.text, wrong: record.findings };
        Ok(())
    }

    /// Writes the changed model where it is offered, and says what was done, for programs too where they ask.
    fn answer(&self, out: &OutArgs, json: bool) -> Result<Answer, Error> {
        let Self { loaded: Loaded { model: before, .. }, fixed, to, path, asked } = self;
        let (model, said) = (fixed.base(before), fixed.outcome.text().unwrap_or_default());
        if let FixOutcome::Different(_) = fixed.outcome {
            let text = format!("{said}; nothing was written");
            return Err(Error::from(broadaxe_models::Error::new(ModelError::Edit, text)).of(&out.model));
        }
        let mut text = show(model, &fixed.plan, out.quiet);
        for finding in &asked.wrong {
            let (node, target, reason) = (escaped(&finding.node), &finding.target, escaped(&finding.reason));
            text += &format!("not fixed: {node}: {} on {target}: {reason}\n", finding.verdict);
        }
        text += &asked.text;
        text += &match &fixed.outcome {
            FixOutcome::Unverified(_) => {
                format!("{}; nothing was written, --no-verify writes the model all the same\n", escaped(&said))
            }
            FixOutcome::Unfixed if path.is_some() => format!("{said}, and nothing was written\n"),
            FixOutcome::Changed(_) if !said.is_empty() => format!("{}\n", escaped(&said)),
            _ => String::new(),
        };
        if let Some(path) = self.written_to() {
            to.save(model, &fixed.plan.edits, path)?;
            text += &format!("{}: written\n", path.display());
        }
        let mut text = terminal::fitted(&text, terminal::columns());
        if let Some(upgraded) = &fixed.upgraded {
            let upgrade = show(before, &upgraded.changes, out.quiet);
            text = format!("upgrade to opset {}:\n{upgrade}\nfix:\n{text}", upgrade::OPSET);
        }
        let is_unverified = matches!(fixed.outcome, FixOutcome::Unverified(_));
        let is_wrong = fixed.is_wrong() || !asked.wrong.is_empty();
        let mut answer = Answer::judged(text, Value::Null, is_wrong || is_unverified);
        if json {
            answer.json = Json::written(&self.describe());
        }
        Ok(answer)
    }

    /// Returns the file that the changed model goes to, if it is written.
    fn written_to(&self) -> Option<&Path> {
        self.path.as_deref().filter(|_| self.fixed.is_offered())
    }

    fn describe(&self) -> impl Serialize {
        let Self { loaded: Loaded { model: before, .. }, fixed, asked, .. } = self;
        let model = fixed.base(before);
        let left =
            |left: &fix::Left| json!({ "node": node_name(model, left.node), "reason": left.reason, "kind": left.kind });
        let still = |finding: &FindingRecord| {
            let reason = format!("{}: {}", finding.target, finding.reason);
            json!({ "node": finding.node, "reason": reason, "kind": LeftKind::Finding })
        };
        let unverified = match &fixed.outcome {
            FixOutcome::Unverified(verified) => Some(verified.left.first().map_or("", |left| &left.reason)),
            _ => None,
        };
        let steps = fixed.upgraded.as_ref().map_or(&[][..], |upgraded| &upgraded.changes.steps);
        FixRecord {
            upgrade: changes_of(before, steps),
            changes: changes_of(model, &fixed.plan.steps),
            left: Each(move || fixed.plan.left.iter().map(left).chain(asked.wrong.iter().map(still))),
            verified: fixed.outcome.verified().map(ToString::to_string),
            output: self.written_to().map(|path| path.display().to_string()),
            unverified,
        }
    }

    /// As [`FixJob::answer`], with the changed model where it is offered and not written; what could not be verified is an error.
    fn held(&self, out: &OutArgs) -> Result<(Answer, Option<Vec<u8>>), Error> {
        let mut answer = self.answer(out, false)?;
        if let FixOutcome::Unverified(_) = self.fixed.outcome {
            return Err(Error::new(ErrorKind::Value, self.fixed.outcome.text().unwrap_or_default()).of(&out.model));
        }
        answer.json = json!(self.describe()).into();
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
        text += "no changes needed\n";
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

/// Lists the changes, for JSON.
fn changes_of<'a>(model: &'a Model, steps: &'a [fix::Step]) -> impl Serialize + use<'a> {
    let step = move |step: &fix::Step| {
        let node = model.node(step.node);
        json!({
            "node": node_name(model, step.node),
            "op": node.op,
            "change": step.text,
            "bytes": step.copied.bytes(),
            "copied": step.copied,
        })
    };
    Each(move || steps.iter().map(step))
}

/// What is printed as JSON.
#[derive(Serialize)]
struct FixRecord<'a, C, L> {
    upgrade: C,
    changes: C,
    left: L,
    verified: Option<String>,
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unverified: Option<&'a str>,
}
