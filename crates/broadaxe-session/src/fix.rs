//! Fixes and upgrades models: plans the changes, verifies them, and writes what is offered.

use std::path::{Path, PathBuf};

use broadaxe_models::{
    ErrorKind as ModelError, FixOutcome, Fixed, Model,
    check::Report,
    fix::{self, Intent, LeftKind},
    infer::infer,
    report::{CheckRecord, FindingRecord, node_name, words::NAMED_NODES},
    upgrade_model,
};
use serde::Serialize;
use serde_json::json;

use crate::{
    ask::Asking,
    config::Settings,
    destination::Destination,
    error::{Error, ErrorKind},
    json::Each,
    judge::fixed,
    model::{Loaded, Open, given_for, load},
    request::{FixRequest, Inputs, Out, UpgradeRequest},
};

/// Plans the fix; the configuration may have targets and shapes of inputs. Engines are asked about the changed model.
///
/// # Errors
/// When a target or an engine is unknown, the model cannot be read, or a change cannot be made.
pub fn fix<'a>(request: &'a FixRequest, open: Open<'_>) -> Result<FixJob<'a>, Error> {
    let mut asking = request.ask.as_ref().map(Asking::new).transpose()?;
    let settings = Settings::of_fix(request)?.for_model(&request.model);
    let intent = request.intend.as_deref().map_or(Ok(Intent::Unknown), str::parse)?;
    let targets = |format| match (&settings.targets, &asking) {
        (None, Some(asking)) => asking.targets(),
        _ => settings.targets_of(format),
    };
    let mut job = FixJob::new((&request.model, &request.out), &settings.inputs, open, |loaded| {
        fixed(loaded, &targets(loaded.model.format), (!request.no_verify, intent))
    })?;
    if let Some(asking) = &mut asking {
        job.ask(asking, &settings.inputs).map_err(|error| error.of(&request.model))?;
    }
    Ok(job)
}

/// Plans the upgrade of an ONNX model to opset 7.
///
/// # Errors
/// As [`fix()`]; where the changed model goes somewhere, when a node has no exact counterpart.
pub fn upgrade<'a>(request: &'a UpgradeRequest, open: Open<'_>) -> Result<FixJob<'a>, Error> {
    let job = FixJob::new((&request.model, &request.out), &Inputs::default(), open, |loaded| {
        upgrade_model(&loaded.model, &loaded.shapes, !request.no_verify)
            .map_err(|error| Error::from(error).of(&loaded.path))
    })?;
    if request.out == Out::Nowhere { Ok(job) } else { job.complete() }
}

/// A model, what became of it, and where it goes.
#[derive(Debug)]
pub struct FixJob<'a> {
    /// The model.
    pub loaded: Loaded,
    /// What becomes of it.
    pub fixed: Fixed,
    /// What engines said.
    pub asked: AnswersOfEngines,
    to: Destination<'a>,
    path: Option<PathBuf>,
}

/// What engines do with the changed model.
#[derive(Debug, Default)]
pub struct AnswersOfEngines {
    /// What was asked, for people.
    pub text: String,
    /// The nodes that an engine still computes wrongly, or refuses.
    pub wrong: Vec<FindingRecord>,
}

impl<'a> FixJob<'a> {
    fn new(
        (model, out): (&'a Path, &'a Out),
        inputs: &Inputs,
        open: Open<'_>,
        change: impl FnOnce(&Loaded) -> Result<Fixed, Error>,
    ) -> Result<Self, Error> {
        let to = Destination::new(model, out)?;
        let loaded = load(model, inputs, open)?;
        let path = to.path(&loaded.model)?;
        let fixed = change(&loaded)?;
        Ok(Self { loaded, fixed, asked: AnswersOfEngines::default(), to, path })
    }

    /// Runs the changed model on engines.
    fn ask(&mut self, asking: &mut Asking, inputs: &Inputs) -> Result<(), Error> {
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

    /// Says whether a file is named for the changed model.
    pub fn has_output(&self) -> bool {
        self.path.is_some()
    }

    /// Returns the file that the changed model goes to, if it is written.
    pub fn written_to(&self) -> Option<&Path> {
        self.path.as_deref().filter(|_| self.fixed.is_offered())
    }

    /// Writes the changed model where it is offered, to the file that the request names.
    ///
    /// # Errors
    /// When the changed model is not the same, or cannot be written.
    pub fn save(&self) -> Result<(), Error> {
        if let FixOutcome::Different(_) = self.fixed.outcome {
            let text = format!("{}; nothing was written", self.fixed.outcome.text().unwrap_or_default());
            return Err(Error::from(broadaxe_models::Error::new(ModelError::Edit, text)).of(&self.loaded.path));
        }
        if let Some(path) = self.written_to() {
            self.to.save(self.fixed.base(&self.loaded.model), &self.fixed.plan.edits, path)?;
        }
        Ok(())
    }

    /// Rejects an upgrade that leaves nodes without an exact counterpart, and names the first of them.
    fn complete(self) -> Result<Self, Error> {
        let left = &self.fixed.plan.left;
        if left.is_empty() {
            return Ok(self);
        }
        let one = |left: &fix::Left| format!("{}: {}", node_name(&self.loaded.model, left.node), left.reason);
        let text = left.iter().take(NAMED_NODES).map(one).collect::<Vec<_>>().join("; ");
        let more = left.len().saturating_sub(NAMED_NODES);
        let more = if more == 0 { String::new() } else { format!("; and {more} more") };
        let text = format!("{text}{more}; nothing was written");
        Err(Error::from(broadaxe_models::Error::new(ModelError::Edit, text)).of(&self.loaded.path))
    }

    /// Rejects a changed model of which nothing could be verified that was to be.
    ///
    /// # Errors
    /// When that is so.
    pub fn verified(&self) -> Result<(), Error> {
        let FixOutcome::Unverified(_) = self.fixed.outcome else { return Ok(()) };
        let text = self.fixed.outcome.text().unwrap_or_default();
        Err(Error::new(ErrorKind::Value, text).of(&self.loaded.path))
    }

    /// Returns the changed model where it is offered and no file is named for it.
    ///
    /// # Errors
    /// When the change cannot be made.
    pub fn changed(&self) -> Result<Option<Vec<u8>>, Error> {
        if self.path.is_some() || !self.fixed.is_offered() {
            return Ok(None);
        }
        let (_, changed) = self.fixed.changed(&self.loaded.model)?;
        Ok(Some(changed.source.read(0, changed.source.len() as usize)?))
    }

    /// Says whether a node is left wrong, or nothing could be verified.
    pub fn fails(&self) -> bool {
        let is_unverified = matches!(self.fixed.outcome, FixOutcome::Unverified(_));
        self.fixed.is_wrong() || !self.asked.wrong.is_empty() || is_unverified
    }

    /// Returns what is printed as JSON.
    pub fn record(&self) -> impl Serialize {
        let Self { loaded: Loaded { model: before, .. }, fixed, asked, .. } = self;
        let model = fixed.base(before);
        let left = |left: &fix::Left| json!({ "node": node_name(model, left.node), "reason": &*left.reason, "kind": left.kind });
        let still = |finding: &FindingRecord| {
            let reason = format!("{}: {}", finding.target, finding.reason);
            json!({ "node": finding.node, "reason": reason, "kind": LeftKind::Finding })
        };
        let unverified = match &fixed.outcome {
            FixOutcome::Unverified(verified) => Some(verified.left.first().map_or("", |left| &*left.reason)),
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
}

/// Lists the changes.
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
