//! `broadaxe check`: checks what a model's broadcasts mean on other runtimes.

use std::{
    io::{BufWriter, Write},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread,
};

use broadaxe_models::{
    Target,
    check::check,
    check_model, format,
    profiles::{Law, PROFILES, Profile},
    report::{CheckRecord, Shown},
};
use serde_json::{Value, json};

use super::{
    Loaded, Open,
    ask::Asking,
    given,
    inputs::{Unusable, collect},
    load_source, open, parallel,
    progress::Progress,
    report::{Asked, CheckReport, ModelText, View, left_out, report},
    results::Results,
    skip,
    stream::{self, Room},
    suppress::Suppress,
};
use crate::{
    answer::{Answer, Checked, FileRecord, Json, Report, table, write_texts},
    args::{CheckArgs, ReportFormat, TargetsArgs},
    config::Settings,
    error::Error,
    file::write::Whole,
    terminal, tips,
};

/// A check: what is asked about every model.
struct Job<'a> {
    args: &'a CheckArgs,
    suppress: Suppress<'a>,
    open: Open<'a>,
    results: Option<Results>,
}

/// What became of a file.
enum FileOutcome {
    Judged(Box<(CheckRecord, Asked)>, Option<String>),
    Skipped(PathBuf),
    Failed(Unusable),
}

/// Checks a model that a caller holds; fails when a finding has a verdict that fails.
///
/// # Errors
/// When a target is unknown, or an argument is malformed.
pub fn run(args: &CheckArgs, json: bool, open: Open<'_>) -> Result<Answer, Error> {
    let settings = Settings::of_check(args)?;
    let job = Job { args, suppress: Suppress::new(&args.accept, &settings)?, open, results: None };
    let mut answer = job.run(args.models.iter().cloned().map(Ok).collect(), json, 1)?;
    let mut text = String::new();
    if !json && answer.write(&mut text).is_ok() {
        answer.text = text;
    }
    answer.report = None;
    Ok(answer)
}

/// Checks the models that the command line names, as [`run`]. A file that cannot be used is an error of the answer, and the others are
/// still judged.
///
/// # Errors
/// As [`run`].
pub fn run_inputs(args: &CheckArgs, json: bool) -> Result<Answer, Error> {
    if json && !matches!(args.format, ReportFormat::Grouped | ReportFormat::Json) {
        let text = "--json and --format ask for different reports; write --format json, or leave --json out";
        return Err(Error::usage(text));
    }
    let settings = Settings::of_check(args)?;
    let results = Results::of_user(args).filter(|_| args.asking.ask.is_empty());
    let jobs = args.work.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let suppress = Suppress::new(&args.accept, &settings)?;
    Job { args, suppress, open: &open, results }.run(collect(&args.models), json, jobs)
}

impl Job<'_> {
    fn run(&self, inputs: Vec<Result<PathBuf, Unusable>>, json: bool, jobs: usize) -> Result<Answer, Error> {
        let args = self.args;
        given(&args.targets.inputs)?;
        let asking = Asking::new(&args.asking, !args.work.no_cache)?;
        let is_batch = inputs.len() > 1;
        let outcomes = self.outcomes(inputs, asking, jobs, !json && !args.quiet);
        let (mut found, mut texts, mut errors, mut skipped) = (Checked::default(), Vec::new(), Vec::new(), Vec::new());
        for outcome in outcomes {
            match outcome {
                FileOutcome::Judged(judged, remark) => {
                    let (mut record, asked) = *judged;
                    found.notes.extend(remark.map(|remark| format!("{}: {remark}", record.model)));
                    self.suppress.mark(&mut record);
                    texts.push(self.described(&record, asked, is_batch));
                    found.models.push(record);
                }
                FileOutcome::Skipped(path) => skipped.push(path),
                FileOutcome::Failed(Unusable { path, error }) => {
                    found.errors.push(FileRecord::new(&path.display().to_string(), &error));
                    let tip = if path.exists() { None } else { tips::target(&path, &args.targets.targets) };
                    errors.push(match tip {
                        Some(tip) => error.with_detail(format!("  {tip}")),
                        None => *error,
                    });
                }
            }
        }
        found.skipped = skipped.iter().map(|path| skip::record(path)).collect();
        let refused = self.settle(&mut found, &mut errors)?;
        let skipped = skip::note(&skipped.iter().map(PathBuf::as_path).collect::<Vec<_>>());
        let notes = skipped.into_iter().chain(found.notes.iter().cloned()).collect();
        let report = self.report(&found, texts, &mut errors);
        let (text, report): (_, Option<Box<dyn Report>>) = (String::new(), Some(Box::new(report)));
        Ok(Answer { text, report, json: Json::Checked(found), refused, errors, notes })
    }

    /// Adds notes about what is accepted and what reports leave out, and writes the baseline; says whether the check fails.
    fn settle(&self, found: &mut Checked, errors: &mut Vec<Error>) -> Result<bool, Error> {
        let refused = self.suppress.fails(&found.models);
        found.notes.extend(self.suppress.notes(&found.models));
        found.accepted = self.suppress.counts(&found.models);
        let formats = self.args.outputs.iter().map(|output| output.format).chain([self.args.format]);
        for format in formats {
            found.notes.extend(left_out(format, found, Shown { all: self.args.all })?);
        }
        match self.suppress.write(&found.models) {
            Ok(written) => found.notes.extend(written),
            Err(error) => errors.push(error),
        }
        Ok(refused)
    }

    /// Writes the reports that go to files, and returns the one that the command line asks for.
    fn report(&self, found: &Checked, texts: Vec<ModelText>, errors: &mut Vec<Error>) -> CheckReport {
        let args = self.args;
        let shown = Shown { all: args.all };
        for output in &args.outputs {
            let written = Whole::create(&output.path).and_then(|whole| {
                whole.save(|to| {
                    let mut to = BufWriter::new(anstream::StripStream::new(to));
                    write_texts(&mut to, |to| report(to, output.format, found, &texts, shown))?;
                    to.flush()
                })
            });
            errors.extend(written.err());
        }
        CheckReport { format: args.format, statistics: args.statistics, texts, shown }
    }

    /// Describes for people what was found in a model.
    fn described(&self, record: &CheckRecord, asked: Asked, is_batch: bool) -> ModelText {
        let accepted = self.suppress.counts(std::slice::from_ref(record));
        let accepted = accepted.iter().fold(String::new(), |text, line| text + "  " + line + "\n");
        let shown = Shown { all: self.args.all };
        let view = View { shown, accepted: &accepted, is_batch, quiet: self.args.quiet };
        ModelText::new(self.args.format, record, asked, view)
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
            self.outcome(&path, asking, &progress)
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
    fn outcome(&self, path: &Path, asking: Option<&mut Asking>, progress: &Progress) -> Result<FileOutcome, Error> {
        let settings = self.suppress.settings.for_model(path);
        let inputs = &settings.inputs;
        // Without targets, the format of the model decides.
        let named = settings.targets.as_deref().unwrap_or_default();
        let results = self.results.as_ref().map(|results| (results, results.options(named, inputs)));
        if let Some(record) = results.and_then(|(results, options)| results.read(path, options)) {
            return Ok(FileOutcome::Judged(Box::new((record, Asked::default())), None));
        }
        let _room = Room::wait(path);
        let before = results.and_then(|kept| Some((kept, Results::look(path)?)));
        let source = (self.open)(path)?;
        if self.args.skip_others && skip::is_other(path, &source).unwrap_or(false) {
            return Ok(FileOutcome::Skipped(path.to_path_buf()));
        }
        let Loaded { model, shapes, .. } = load_source(path, &source, inputs)?;
        let targets = settings.targets_of(model.format);
        let mut record = if self.args.quiet {
            CheckRecord::new(&path.display().to_string(), &model, check(&model, &shapes, &targets))
        } else {
            check_model(path, &model, &shapes, &targets).map_err(|error| Error::from(error).of(path))?
        };
        let remark = format::remark(&model);
        // A result in the cache has no place for a remark.
        if let Some(((results, options), before)) = before.filter(|_| remark.is_none()) {
            results.write((path, options), before, &source, &record);
        }
        let asked =
            asking.map(|asking| asking.ask(&model, &shapes, &mut record, &mut |what| progress.note(path, what)));
        let asked = asked.transpose();
        let asked = asked.map_err(|error| if error.file_name().is_none() { error.of(path) } else { error })?;
        Ok(FileOutcome::Judged(Box::new((record, asked.unwrap_or_default())), remark))
    }
}

/// Lists the targets, or describes some with their laws.
///
/// # Errors
/// When a name is not that of a target.
pub fn targets(args: &TargetsArgs) -> Result<Answer, Error> {
    let named: Vec<&'static Profile> = args
        .names
        .iter()
        .flat_map(|names| names.split(','))
        // `rank<=N` is the name of a profile, and not that of a target.
        .map(|name| match PROFILES.iter().find(|profile| profile.name == name) {
            Some(profile) => Ok(*profile),
            None => Ok(name.parse::<Target>()?.profile()),
        })
        .collect::<Result<_, Error>>()?;
    let shown: Vec<&'static Profile> = if named.is_empty() { PROFILES.to_vec() } else { named.clone() };
    let rows = shown.iter().map(|target| {
        let list = |what: &str, names: &[&str]| match names {
            [] => String::new(),
            _ => format!("; {what}: {}", names.join(", ")),
        };
        let (aliases, versions) = (list("other names", target.aliases), list("versions", target.versions));
        let reads = match target.route.reads {
            Some([]) => format!("; reads none of these formats: {}", target.route.evidence.source),
            reads => list("reads", reads.unwrap_or_default()),
        };
        vec![target.name.to_owned(), format!("{}{aliases}{versions}{reads}", target.summary)]
    });
    let mut text = table(&["target", "meaning"], true, rows);
    for target in named {
        text += &format!("\n{}:\n", target.name);
        for law in target.laws {
            let said = format!("{}: {} ({}: {})", law.nodes(), law.text, law.evidence.kind.word(), law.evidence.source);
            text += &terminal::wrap("  - ", &said, 4, terminal::prose());
        }
    }
    let json: Vec<Value> = shown.iter().map(|target| described(target)).collect();
    Ok(Answer::new(text, json!({ "targets": json })))
}

fn described(target: &Profile) -> Value {
    let law = |law: &Law| {
        let when: Vec<String> = law.clauses().collect();
        json!({
            "text": law.text,
            "when": when,
            "evidence": law.evidence.kind.text(),
            "source": law.evidence.source,
        })
    };
    let laws: Vec<Value> = target.laws.iter().map(law).collect();
    json!({
        "name": target.name,
        "aliases": target.aliases,
        "versions": target.versions,
        "summary": target.summary,
        "reads": target.route.reads,
        "laws": laws,
    })
}

/// Prints the JSON schema of what `check` prints as JSON.
pub fn schema() -> Answer {
    let schema = schemars::schema_for!(Checked).to_value();
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
    Answer::new(text, schema)
}
