//! `broadaxe fix` and `broadaxe upgrade`: write changed models, with a table of the changes.

use std::path::PathBuf;

use broadaxe_models::{
    Copied, ErrorKind as ModelError, Model, Written,
    fix::{self, Fix, LeftKind},
    format,
    infer::infer,
    report::{node_name, words},
    upgrade::{self, Upgraded},
    verify::{Verified, verify},
};
use serde_json::{Value, json};

use super::{Destination, Loaded, Open, given_for, load, open, progress::Progress};
use crate::{
    answer::{Answer, Json, table},
    args::{FixArgs, InputArgs, OutArgs, UpgradeArgs},
    config::{ModelSettings, Settings},
    error::{Error, ErrorKind, escaped},
    terminal,
};

/// Repairs a model for targets.
///
/// # Errors
/// When a target is unknown, the model cannot be read, a change cannot be made, or OUT cannot be written.
pub fn fix(args: &FixArgs) -> Result<Answer, Error> {
    let _progress = Progress::of(&args.out.model);
    let to = Destination::new(&args.out)?;
    repaired(args, &open)?.answer(args, &to)
}

/// The changes that repair a model, of which one of an old opset is brought to opset 7 first.
struct Repaired {
    /// The model that the plan changes.
    loaded: Loaded,
    plan: Fix,
    /// The shapes of inputs that were given or configured.
    inputs: InputArgs,
    /// The model as it was, and the changes that brought it to opset 7.
    old: Option<(Loaded, Fix)>,
}

impl Repaired {
    /// Makes the changes, and says what was done.
    fn answer(&self, args: &FixArgs, to: &Destination<'_>) -> Result<Answer, Error> {
        let verify = |before| (!args.out.no_verify).then_some((before, &self.inputs));
        let Some((old, upgrade)) = &self.old else {
            return change(&self.loaded, &self.plan, to, verify(&self.loaded));
        };
        let mut answer = change(&self.loaded, &self.plan, to, verify(old))?;
        let upgraded = show(&old.model, upgrade, args.out.quiet);
        answer.text = format!("upgrade to opset {}:\n{upgraded}\nfix:\n{}", upgrade::OPSET, answer.text);
        if let Json::Value(json) = &mut answer.json {
            json["upgrade"] = changes_of(&old.model, upgrade);
        }
        Ok(answer)
    }
}

/// As [`fix()`], for a caller that may hold the model; returns the changed model too where it is not written.
///
/// # Errors
/// As [`fix()`]; when nothing could be verified that was to be.
pub fn fixed(args: &FixArgs, open: Open<'_>) -> Result<(Answer, Option<Vec<u8>>), Error> {
    let to = Destination::new(&args.out)?;
    let repair = repaired(args, open)?;
    let answer = repair.answer(args, &to)?;
    if let Some(reason) = answer.json.member("unverified").as_str() {
        return Err(Error::new(ErrorKind::Value, format!("not verified: {reason}")).of(&args.out.model));
    }
    let changed = unwritten(&repair.loaded, &repair.plan, &args.out)?;
    Ok((answer, changed))
}

/// Returns the changed model where it is written nowhere.
fn unwritten(loaded: &Loaded, plan: &Fix, out: &OutArgs) -> Result<Option<Vec<u8>>, Error> {
    if !out.dry_run {
        return Ok(None);
    }
    let written = format::write(&loaded.model, &plan.edits)?;
    let changed = format::changed(&loaded.model, &written)?;
    Ok(Some(changed.source.read(0, changed.source.len() as usize)?))
}

/// Plans the repair; the configuration may have targets and shapes of inputs.
fn repaired(args: &FixArgs, open: Open<'_>) -> Result<Repaired, Error> {
    let ModelSettings { targets, inputs, .. } = Settings::of_fix(args)?.for_model(&args.out.model);
    let loaded = load(&args.out.model, &inputs, open)?;
    let (upgraded, plan) = upgrade::plan(&loaded.model, &loaded.shapes, &targets)?;
    let Some(Upgraded { changes, model, shapes }) = upgraded else {
        return Ok(Repaired { loaded, plan, inputs, old: None });
    };
    let upgraded = Loaded { path: loaded.path.clone(), model, shapes };
    Ok(Repaired { loaded: upgraded, plan, inputs, old: Some((loaded, changes)) })
}

/// Brings an ONNX model to opset 7.
///
/// # Errors
/// As [`fix()`]; a model with a node that has no exact counterpart is not written.
pub fn upgrade(args: &UpgradeArgs) -> Result<Answer, Error> {
    let to = Destination::new(&args.out)?;
    let (loaded, plan) = raised(args, &open)?;
    if let (Some(left), false) = (plan.left.first(), args.out.dry_run) {
        let node = node_name(&loaded.model, left.node);
        let text = format!("{node}: {}; nothing was written, --dry-run lists all such nodes", left.reason);
        return Err(Error::from(broadaxe_models::Error::new(ModelError::Edit, text)).of(&args.out.model));
    }
    let inputs = InputArgs::default();
    change(&loaded, &plan, &to, (!args.out.no_verify).then_some((&loaded, &inputs)))
}

/// As [`upgrade()`], for a caller that may hold the model; returns the changed model too where it is not written.
///
/// # Errors
/// As [`upgrade()`], also where nothing is to be written; the error names every node.
pub fn upgraded(args: &UpgradeArgs, open: Open<'_>) -> Result<(Answer, Option<Vec<u8>>), Error> {
    let to = Destination::new(&args.out)?;
    let (loaded, plan) = raised(args, open)?;
    if !plan.left.is_empty() {
        let one = |left: &fix::Left| format!("{}: {}", node_name(&loaded.model, left.node), left.reason);
        let text = plan.left.iter().map(one).collect::<Vec<_>>().join("; ");
        return Err(Error::from(broadaxe_models::Error::new(ModelError::Edit, text)).of(&args.out.model));
    }
    let inputs = InputArgs::default();
    let answer = change(&loaded, &plan, &to, (!args.out.no_verify).then_some((&loaded, &inputs)))?;
    Ok((answer, unwritten(&loaded, &plan, &args.out)?))
}

fn raised(args: &UpgradeArgs, open: Open<'_>) -> Result<(Loaded, Fix), Error> {
    let loaded = load(&args.out.model, &InputArgs::default(), open)?;
    let plan = upgrade::upgrade(&loaded.model, &loaded.shapes)?;
    Ok((loaded, plan))
}

/// Makes the changes, compares the model with the one before if asked to, and says what was done.
fn change(
    loaded: &Loaded,
    plan: &Fix,
    to: &Destination<'_>,
    verify: Option<(&Loaded, &InputArgs)>,
) -> Result<Answer, Error> {
    let (model, out) = (&loaded.model, to.args);
    let path = to.path(model)?;
    let of = |error: broadaxe_models::Error| Error::from(error).of(&out.model);
    let verified = match verify {
        Some((before, inputs)) if !plan.edits.is_empty() || !std::ptr::eq(before, loaded) => {
            let written = format::write(model, &plan.edits).map_err(of)?;
            Some(verified(before, (loaded, &written), inputs)?)
        }
        _ => None,
    };
    if let Some(difference) = verified.as_ref().and_then(|verified| verified.difference.as_ref()) {
        let text = format!("the changed model is not the same: {difference}; nothing was written");
        return Err(Error::from(broadaxe_models::Error::new(ModelError::Edit, text)).of(&out.model));
    }
    let mut text = show(model, plan, out.quiet);
    if let Some(verified) = verified.as_ref().filter(|verified| verified.nodes > 0) {
        text += &escaped(&format!("verified: {verified}"));
        text += "\n";
    }
    // A model that nothing was found out about is not the same for that.
    let unverified = verified.as_ref().filter(|verified| verified.nodes == 0 && !verified.left.is_empty());
    if let Some(verified) = unverified {
        let reason = escaped(unverified_for(verified));
        text += &format!("not verified: {reason}; nothing was written, --no-verify writes the model all the same\n");
    }
    let path = path.filter(|_| unverified.is_none());
    let path = written(model, plan, (to, path), &mut text)?;
    let text = terminal::fitted(&text, terminal::columns());
    let mut json = describe(model, plan, verified.as_ref(), path.as_deref());
    if let Some(verified) = unverified {
        json["unverified"] = unverified_for(verified).into();
    }
    Ok(Answer::judged(text, json, is_wrong(plan) || unverified.is_some()))
}

/// Says whether a node is left that a target computes otherwise or refuses.
fn is_wrong(plan: &Fix) -> bool {
    plan.left.iter().any(|left| left.kind == LeftKind::Finding)
}

/// Writes the changed model, and says so. A model in which everything is left that should change would look repaired if it were
/// written.
fn written(
    model: &Model,
    plan: &Fix,
    (to, path): (&Destination<'_>, Option<PathBuf>),
    text: &mut String,
) -> Result<Option<PathBuf>, Error> {
    let Some(path) = path else { return Ok(None) };
    if plan.edits.is_empty() && is_wrong(plan) {
        *text += "nothing was repaired, and nothing was written\n";
        return Ok(None);
    }
    to.save(model, &plan.edits, &path)?;
    *text += &format!("{}: written\n", path.display());
    Ok(Some(path))
}

/// Says why nothing was verified.
fn unverified_for(verified: &Verified) -> &str {
    verified.left.first().map_or("", |left| &left.reason)
}

/// Reads the changed model before it is written, and compares its element-wise nodes with those of the old one.
fn verified(before: &Loaded, (loaded, written): (&Loaded, &Written), inputs: &InputArgs) -> Result<Verified, Error> {
    let after = format::changed(&loaded.model, written)?;
    let shapes = infer(&after, &given_for(&after, inputs)?)?;
    Ok(verify(&before.model, &before.shapes, &after, &shapes)?)
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

fn describe(model: &Model, plan: &Fix, verified: Option<&Verified>, out: Option<&std::path::Path>) -> Value {
    let left = plan.left.iter().map(|left| {
        json!({
            "node": node_name(model, left.node),
            "reason": left.reason,
            "kind": left.kind,
        })
    });
    json!({
        "upgrade": [],
        "changes": changes_of(model, plan),
        "left": left.collect::<Vec<_>>(),
        "verified": verified.map(ToString::to_string),
        "output": out.map(|path| path.display().to_string()),
    })
}
