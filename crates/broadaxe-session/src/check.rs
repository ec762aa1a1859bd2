//! Checks models: reads each, judges it, and decides which findings count and fail.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
};

use broadaxe_models::{check::check, format, report::CheckRecord};

use crate::{
    ask::{Asked, Asking},
    config::Settings,
    error::Error,
    inputs::{Unusable, collect},
    judge::judged,
    model::{Loaded, Open, given, load_source},
    parallel,
    record::{Checked, FileRecord},
    request::CheckRequest,
    results::Results,
    skip,
    stream::{self, Room},
    suppress::Suppress,
};

/// Is told how a check proceeds.
pub trait Watch: Sync {
    /// Is told that work on a model begins.
    fn begin(&self, _path: &Path) {}

    /// Is told what is being done with a model.
    fn note(&self, _path: &Path, _what: &str) {}
}

impl Watch for () {}

/// A check: what is asked about every model.
#[derive(Debug)]
pub struct Check<'a> {
    request: &'a CheckRequest,
    suppress: Suppress,
    results: Option<Results>,
    asking: Option<Mutex<Asking>>,
}

/// What became of a file.
enum FileOutcome {
    Judged(Box<(CheckRecord, Asked)>, Option<String>),
    Skipped(PathBuf),
    Failed(Unusable),
}

/// What a check found.
#[derive(Debug, Default)]
pub struct Findings {
    /// The records of the models, and the files without one.
    pub found: Checked,
    /// What engines said about each model.
    pub asked: Vec<Asked>,
    /// Whether a finding fails.
    pub fails: bool,
    /// The files that could not be used, in the order of the request.
    pub unusable: Vec<Unusable>,
    /// Names the files that were skipped, if any.
    pub skipped: Option<String>,
}

impl<'a> Check<'a> {
    /// Reads the configuration and the baseline, and finds the engines that are asked.
    ///
    /// # Errors
    /// When a target is unknown, an engine is unknown or not installed, an argument is malformed, or a file of settings cannot be used.
    pub fn new(request: &'a CheckRequest) -> Result<Self, Error> {
        let settings = Settings::of_check(request)?;
        let program = request.program.as_ref().filter(|_| request.ask.is_none());
        let results = program.and_then(|program| Results::of_user(program, request.repairs));
        let suppress = Suppress::new(request, settings)?;
        given(&request.input_shapes)?;
        let asking = request.ask.as_ref().map(Asking::new).transpose()?.map(Mutex::new);
        Ok(Self { request, suppress, results, asking })
    }

    /// Checks [`Check::inputs`], and marks the findings that do not count. A file that cannot be used is an entry of the answer, and the others
    /// are still judged. Where engines are asked, one model is checked after the other.
    pub fn run(&self, inputs: Vec<Result<PathBuf, Unusable>>, open: Open<'_>, watch: &dyn Watch) -> Findings {
        let mut findings = Findings::default();
        let (found, mut skipped) = (&mut findings.found, Vec::new());
        for outcome in self.outcomes(inputs, open, watch) {
            match outcome {
                FileOutcome::Judged(judged, remark) => {
                    let (mut record, asked) = *judged;
                    found.notes.extend(remark.map(|remark| format!("{}: {remark}", record.model)));
                    self.suppress.mark(&mut record);
                    found.models.push(record);
                    findings.asked.push(asked);
                }
                FileOutcome::Skipped(path) => skipped.push(path),
                FileOutcome::Failed(unusable) => {
                    found.errors.push(FileRecord::new(&unusable.path.display().to_string(), &unusable.error));
                    findings.unusable.push(unusable);
                }
            }
        }
        found.skipped = skipped.iter().map(|path| skip::record(path)).collect();
        findings.skipped = skip::note(&skipped.iter().map(PathBuf::as_path).collect::<Vec<_>>());
        findings.fails = self.suppress.fails(&found.models);
        found.notes.extend(self.suppress.notes(&found.models));
        found.accepted = self.suppress.counts(&found.models);
        findings
    }

    /// Lists the models.
    pub fn inputs(&self) -> Vec<Result<PathBuf, Unusable>> {
        let models = &self.request.models;
        if self.request.search { collect(models) } else { models.iter().cloned().map(Ok).collect() }
    }

    /// Says in a line each how many findings of a model do not count, and why.
    pub fn accepted(&self, record: &CheckRecord) -> Vec<String> {
        self.suppress.counts(std::slice::from_ref(record))
    }

    /// Writes the findings that fail to the baseline that the request names, and says so.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_baseline(&self, found: &mut Checked) -> Result<(), Error> {
        found.notes.extend(self.suppress.write(&found.models)?);
        Ok(())
    }

    /// Checks all models, one after the other where engines are asked.
    fn outcomes(&self, inputs: Vec<Result<PathBuf, Unusable>>, open: Open<'_>, watch: &dyn Watch) -> Vec<FileOutcome> {
        let one = |input: Result<PathBuf, Unusable>| {
            let path = match input {
                Ok(path) => path,
                Err(unusable) => return FileOutcome::Failed(unusable),
            };
            watch.begin(&path);
            self.outcome(&path, open, watch)
                .unwrap_or_else(|error| FileOutcome::Failed(Unusable { path, error: Box::new(error) }))
        };
        if self.asking.is_some() {
            return inputs.into_iter().map(one).collect();
        }
        let size = |input: &Result<PathBuf, Unusable>| input.as_ref().map_or(0, |path| stream::size(path));
        let jobs = self.request.jobs.or_else(|| thread::available_parallelism().ok());
        let outcomes = parallel::each(inputs, jobs.map_or(1, NonZeroUsize::get), size, one);
        self.results.iter().for_each(Results::prune);
        outcomes
    }

    /// Checks one model, unless its result is known.
    fn outcome(&self, path: &Path, open: Open<'_>, watch: &dyn Watch) -> Result<FileOutcome, Error> {
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
        let source = open(path)?;
        if self.request.skip_others && skip::is_other(path, &source).unwrap_or(false) {
            return Ok(FileOutcome::Skipped(path.to_path_buf()));
        }
        let loaded = load_source(path, &source, inputs)?;
        let Loaded { model, shapes, .. } = &loaded;
        let targets = settings.targets_of(model.format);
        let mut record = if self.request.repairs {
            judged(&loaded, &targets)?
        } else {
            CheckRecord::new(&path.display().to_string(), model, check(model, shapes, &targets))
        };
        let remark = format::remark(model);
        // A result in the cache has no place for a remark.
        if let Some(((results, options), before)) = before.filter(|_| remark.is_none()) {
            results.write((path, options), before, &source, &record);
        }
        let asked = self.asking.as_ref().map(|asking| {
            let mut asking = asking.lock().unwrap_or_else(PoisonError::into_inner);
            asking.ask(model, shapes, &mut record, &mut |what| watch.note(path, what))
        });
        let asked = asked.transpose();
        let asked = asked.map_err(|error| if error.file_name().is_none() { error.of(path) } else { error })?;
        Ok(FileOutcome::Judged(Box::new((record, asked.unwrap_or_default())), remark))
    }
}

/// Checks models, and writes the baseline that the request names. A file that cannot be used is an entry of the answer.
///
/// # Errors
/// Those of [`Check::new`]; when the baseline cannot be written.
pub fn checked(request: &CheckRequest, open: Open<'_>) -> Result<Findings, Error> {
    let check = Check::new(request)?;
    let mut findings = check.run(check.inputs(), open, &());
    check.write_baseline(&mut findings.found)?;
    Ok(findings)
}
