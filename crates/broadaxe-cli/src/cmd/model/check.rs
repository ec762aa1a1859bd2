//! `broadaxe check`: checks what a model's broadcasts mean on other runtimes.

use std::{
    collections::HashSet,
    io::Write,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread,
};

use broadaxe_models::{
    check::check,
    check_model,
    report::{CheckRecord, FindingRecord, TargetRecord},
    target::{Law, PROFILES, Profile, Target},
    upgrade::OPSET,
};
use serde_json::{Value, json};

use super::{
    Loaded, Open,
    ask::{Asked, Asking},
    github, gitlab, given,
    inputs::{Unusable, collect},
    load_source, open, parallel,
    progress::Progress,
    results::{Judged, Results},
    sarif, skip,
    stream::{self, Room},
    text,
    total::total,
};
use crate::{
    answer::{Answer, Checked, FileRecord, Json, table},
    args::{CheckArgs, ReportFormat, TargetArgs},
    error::Error,
    file::write::Whole,
};

/// How many findings of a model are shown in full unless all are asked for.
const SHOWN: usize = 5;

/// A check: what is asked about every model.
struct Job<'a> {
    args: &'a CheckArgs,
    targets: Vec<Target>,
    open: Open<'a>,
    results: Option<Results>,
}

/// What became of a file.
enum FileOutcome {
    Judged(Box<(Judged, Asked)>),
    Skipped(PathBuf),
    Failed(Unusable),
}

/// Checks a model that a caller holds; fails when a finding has a verdict that fails.
///
/// # Errors
/// When a target is unknown, or an argument is malformed.
pub fn run(args: &CheckArgs, json: bool, open: Open<'_>) -> Result<Answer, Error> {
    let job = Job { args, targets: targets_of(&args.targets)?, open, results: None };
    job.run(args.models.iter().cloned().map(Ok).collect(), json, 1)
}

/// Checks the models that the command line names, as [`run`]. A file that cannot be used is an error of the answer, and the others are
/// still judged.
///
/// # Errors
/// As [`run`].
pub fn run_inputs(args: &CheckArgs, json: bool) -> Result<Answer, Error> {
    let targets = targets_of(&args.targets)?;
    let results = Results::of_user(args, &targets).filter(|_| args.asking.ask.is_empty());
    let jobs = args.work.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    Job { args, targets, open: &open, results }.run(collect(&args.models), json, jobs)
}

impl Job<'_> {
    fn run(&self, inputs: Vec<Result<PathBuf, Unusable>>, json: bool, jobs: usize) -> Result<Answer, Error> {
        let args = self.args;
        given(&args.targets.inputs)?;
        let asking = Asking::new(&args.asking, !args.work.no_cache)?;
        let outcomes = self.outcomes(inputs, asking, jobs, !json && !args.quiet);
        let (mut found, mut texts, mut errors, mut skipped) = (Checked::default(), Vec::new(), Vec::new(), Vec::new());
        for outcome in outcomes {
            match outcome {
                FileOutcome::Judged(judged) => {
                    let (judged, asked) = *judged;
                    texts.push(described(&judged, &asked, args));
                    found.models.push(judged.record);
                }
                FileOutcome::Skipped(path) => skipped.push(path),
                FileOutcome::Failed(Unusable { path, error }) => {
                    found.errors.push(FileRecord::new(&path.display().to_string(), &error));
                    errors.push(*error);
                }
            }
        }
        if !found.models.is_empty() && found.models.len() + found.errors.len() > 1 {
            texts.push(total(&found) + "\n");
        }
        found.skipped = skipped.iter().map(|path| skip::record(path)).collect();
        let refused = found.models.iter().flat_map(|record| &record.findings).any(|one| fails(args, &one.verdict));
        let texts = texts.join("\n");
        for output in &args.outputs {
            let text = report(output.format, &found, &texts);
            let text = anstream::adapter::strip_str(&text).to_string();
            let written = Whole::create(&output.path).and_then(|whole| whole.save(|to| to.write_all(text.as_bytes())));
            errors.extend(written.err());
        }
        let text = if json { String::new() } else { report(args.format, &found, &texts) };
        let notes = skip::note(&skipped.iter().map(PathBuf::as_path).collect::<Vec<_>>()).into_iter().collect();
        Ok(Answer { text, json: Json::Checked(found), refused, errors, notes })
    }

    /// Checks all models, one after the other where engines are asked.
    fn outcomes(
        &self,
        inputs: Vec<Result<PathBuf, Unusable>>,
        asking: Option<Asking>,
        jobs: usize,
        shown: bool,
    ) -> Vec<FileOutcome> {
        let progress = Progress::new(inputs.len(), shown);
        let one = |input: Result<PathBuf, Unusable>, asking: Option<&mut Asking>| {
            let path = match input {
                Ok(path) => path,
                Err(unusable) => return FileOutcome::Failed(unusable),
            };
            progress.begin(&path);
            self.outcome(&path, asking)
                .unwrap_or_else(|error| FileOutcome::Failed(Unusable { path, error: Box::new(error) }))
        };
        if let Some(mut asking) = asking {
            return inputs.into_iter().map(|input| one(input, Some(&mut asking))).collect();
        }
        let size = |input: &Result<PathBuf, Unusable>| input.as_ref().map_or(0, |path| stream::size(path));
        let outcomes = parallel::each(inputs, jobs, size, |input| one(input, None));
        self.results.iter().for_each(Results::prune);
        outcomes
    }

    /// Checks one model, unless its result is known.
    fn outcome(&self, path: &Path, asking: Option<&mut Asking>) -> Result<FileOutcome, Error> {
        if let Some(judged) = self.results.as_ref().and_then(|results| results.read(path)) {
            return Ok(FileOutcome::Judged(Box::new((judged, Asked::default()))));
        }
        let _room = Room::wait(path);
        let before = self.results.as_ref().and_then(|results| Some((results, results.look(path)?)));
        let source = (self.open)(path)?;
        if self.args.skip_others && skip::is_other(path, &source).unwrap_or(false) {
            return Ok(FileOutcome::Skipped(path.to_path_buf()));
        }
        let Loaded { model, shapes, .. } = load_source(path, &source, &self.args.targets.inputs)?;
        let (record, fixed) = if self.args.quiet {
            (CheckRecord::new(&path.display().to_string(), &model, &check(&model, &shapes, &self.targets)), 0)
        } else {
            check_model(path, &model, &shapes, &self.targets).map_err(|error| Error::from(error).of(path))?
        };
        let opset = model.opsets.iter().find(|(domain, _)| domain.is_empty()).map(|(_, opset)| *opset);
        let mut judged = Judged { record, fixed, opset };
        if let Some((results, before)) = before {
            results.write(path, before, &source, &judged);
        }
        let asked = asking.map(|asking| asking.ask(&model, &shapes, &mut judged.record)).transpose();
        let asked = asked.map_err(|error| if error.file_name().is_none() { error.of(path) } else { error })?;
        Ok(FileOutcome::Judged(Box::new((judged, asked.unwrap_or_default()))))
    }
}

/// Describes for people what was found in a model.
fn described(judged: &Judged, asked: &Asked, args: &CheckArgs) -> String {
    let hint = if args.quiet { String::new() } else { hint(judged.opset, &judged.record, judged.fixed) };
    show(&judged.record, asked, args) + &asked.text + &hint
}

/// Writes a report; `texts` is the one for people.
fn report(format: ReportFormat, found: &Checked, texts: &str) -> String {
    let line = |value: &Value| format!("{value}\n");
    match format {
        ReportFormat::Text => texts.to_owned(),
        ReportFormat::Json => serde_json::to_string(found).unwrap_or_default() + "\n",
        ReportFormat::Sarif => line(&sarif::log(found)),
        ReportFormat::Github => github::commands(found),
        ReportFormat::Gitlab => line(&gitlab::issues(found)),
    }
}

fn show(record: &CheckRecord, asked: &Asked, args: &CheckArgs) -> String {
    let mut out = String::new();
    let wanted = |finding: &FindingRecord| match finding.verdict.as_str() {
        // If a law depends on neighbours, the engine's answer about the node alone does not contradict it.
        "same" => finding.law.as_ref().is_some_and(|law| law.alone || args.all),
        "unknown" | "unsupported" => args.all || fails(args, &finding.verdict),
        _ => true,
    };
    let repeated: HashSet<usize> = asked.alike.values().flatten().copied().collect();
    let numbered = record.findings.iter().enumerate().filter(|(at, _)| !repeated.contains(at));
    let mut findings: Vec<(usize, &FindingRecord)> = numbered.filter(|(_, finding)| wanted(finding)).collect();
    findings.sort_by_key(|(_, finding)| !finding.law.as_ref().is_some_and(|law| law.alone));
    let most = if args.quiet {
        0
    } else if args.all {
        findings.len()
    } else {
        SHOWN
    };
    for (at, finding) in findings.iter().take(most) {
        let alike = asked.alike.get(at).map_or(&[][..], Vec::as_slice);
        out += &text::finding(record, finding, alike);
        out += "\n";
    }
    if !args.quiet && findings.len() > most {
        out += &format!("... and {} more; --all shows them, --json lists them\n\n", findings.len() - most);
    }
    out += &summary(record);
    out
}

/// Says whether a verdict ends with exit code 1.
fn fails(args: &CheckArgs, verdict: &str) -> bool {
    args.fail_on.iter().any(|fails| fails.is(verdict))
}

/// Says what to do next, if anything can be done.
fn hint(opset: Option<i64>, record: &CheckRecord, fixed: usize) -> String {
    let all = record.repairable();
    if all == 0 {
        return String::new();
    }
    if let Some(opset) = opset.filter(|&opset| record.format == "onnx" && opset < OPSET) {
        let name = &record.model;
        return format!(
            "opset {opset} places operands in old ways; 'broadaxe upgrade {name} -o OUT' spells them out\n"
        );
    }
    let names: Vec<&str> = record.targets.iter().map(|target| target.name.as_str()).collect();
    let findings = if all == 1 { "finding" } else { "findings" };
    if fixed == 0 {
        return format!("0 of {all} {findings} can be fixed by 'broadaxe fix'\n");
    }
    let (model, names) = (&record.model, names.join(","));
    format!("{fixed} of {all} {findings} can be fixed: broadaxe fix {model} --for {names} -o OUT\n")
}

/// Says in a line or two how many nodes were looked at and what was found for each target.
fn summary(record: &CheckRecord) -> String {
    let nodes = match record.nodes {
        1 => "1 element-wise node".to_owned(),
        n => format!("{n} element-wise nodes"),
    };
    let unknown = if record.unknown == 0 {
        "all shapes known".to_owned()
    } else {
        format!("{} of unknown shape", record.unknown)
    };
    let mut text = format!("{}: {nodes}, {unknown}\n", record.model);
    for target in &record.targets {
        text += &format!("  {}: {}\n", target.name, counts(target));
        let assumed = target.name.parse::<Target>().ok().and_then(|target| target.assumption(&record.format));
        text += &assumed.map_or_else(String::new, |text| format!("    {text}\n"));
    }
    if record.others > 0 {
        let (nodes, were) = if record.others == 1 { ("node", "was") } else { ("nodes", "were") };
        text += &format!("  element-wise nodes only; {} other {nodes} {were} not judged\n", record.others);
    }
    text
}

fn counts(target: &TargetRecord) -> String {
    let parts = [
        (target.differs, "differ"),
        (target.refused, "refused"),
        (target.unsupported, "unsupported"),
        (target.guarded, "under a condition"),
        (target.unknown, "unknown"),
        (target.same, "same"),
    ];
    let said: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    if said.is_empty() { "nothing to look at".to_owned() } else { said.join(", ") }
}

/// Reads the names of targets.
pub(super) fn targets_of(args: &TargetArgs) -> Result<Vec<Target>, Error> {
    Ok(args.targets.iter().map(|name| name.parse()).collect::<Result<Vec<_>, _>>()?)
}

/// Lists the targets.
pub fn targets() -> Answer {
    let rows = PROFILES.iter().map(|target| {
        let list = |what: &str, names: &[&str]| match names {
            [] => String::new(),
            _ => format!("; {what}: {}", names.join(", ")),
        };
        let (aliases, versions) = (list("other names", target.aliases), list("versions", target.versions));
        vec![target.name.to_owned(), format!("{}{aliases}{versions}", target.summary)]
    });
    let law =
        |law: &Law| json!({ "text": law.text, "evidence": law.evidence.kind.text(), "source": law.evidence.source });
    let target = |target: &&'static Profile| {
        let laws: Vec<Value> = target.laws.iter().map(law).collect();
        json!({
            "name": target.name,
            "aliases": target.aliases,
            "versions": target.versions,
            "summary": target.summary,
            "laws": laws,
        })
    };
    let json: Vec<Value> = PROFILES.iter().map(target).collect();
    Answer::new(table(&["target", "meaning"], true, rows), json!({ "targets": json }))
}

/// Prints the JSON schema of what `check` prints as JSON.
pub fn schema() -> Answer {
    let schema = schemars::schema_for!(Checked).to_value();
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
    Answer::new(text, schema)
}
