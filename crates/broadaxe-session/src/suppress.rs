//! Decides which findings count: marks those that the configuration ignores and those that the baseline has.
//!
//! [`Suppress::mark`] is about one record, and needs nothing of other records.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use broadaxe_models::report::{CheckRecord, FindingRecord};

use crate::{
    baseline::{Baseline, KnownFinding},
    config::{Settings, absolute, relative},
    error::{Error, ErrorKind, escaped},
    fingerprint::{self, code},
    request::CheckRequest,
    whole::Lock,
};

/// What decides whether findings count.
#[derive(Debug)]
pub(crate) struct Suppress {
    /// The settings of the run.
    pub(crate) settings: Settings,
    baseline: Option<Baseline>,
    /// The baseline that is written.
    write: Option<PathBuf>,
    exit_zero: bool,
}

impl Suppress {
    /// Reads the baseline.
    ///
    /// # Errors
    /// When it cannot be read, or the file that would be written is not a baseline.
    pub(crate) fn new(request: &CheckRequest, settings: Settings) -> Result<Self, Error> {
        let write = request.write_baseline.clone();
        let path = request.baseline.as_ref().or(settings.baseline.as_ref());
        let baseline = match path {
            None => None,
            Some(path) => match Baseline::read(path)? {
                None if write.as_ref().is_none_or(|write| absolute(write) != absolute(path)) => {
                    let text = "the baseline does not exist; --write-baseline FILE writes one";
                    return Err(Error::new(ErrorKind::File, text).of(path));
                }
                found => found,
            },
        };
        // A file that is not a baseline is not replaced by one.
        write.as_deref().map(Baseline::read).transpose()?;
        Ok(Self { settings, baseline, write, exit_zero: request.exit_zero })
    }

    /// Marks the findings of a record that do not count, and those that fail.
    pub(crate) fn mark(&self, record: &mut CheckRecord) {
        let path = PathBuf::from(&record.model);
        let ignores = self.settings.ignores_of(&path);
        let model = self.baseline.as_ref().map(|baseline| relative(&path, &baseline.folder)).unwrap_or_default();
        let mut seen: HashMap<u128, usize> = HashMap::new();
        let fail_on = self.settings.for_model(&path).fail_on;
        for finding in record.findings.iter_mut().filter(|finding| is_finding(finding)) {
            broadaxe::stop::checkpoint();
            let ignore = ignores.iter().find(|(_, ignore)| ignore.matches(finding, code(finding)));
            let reason = ignore.map(|(_, ignore)| ignore.reason.clone());
            // A finding that is changed no longer shares what it says.
            if finding.ignored != reason {
                finding.ignored = reason;
            }
            finding.known = false;
            if let (Some(baseline), None) = (&self.baseline, &finding.ignored) {
                let print = fingerprint::of(&model, finding);
                let count = seen.entry(print).or_default();
                *count += 1;
                finding.known = *count <= baseline.count(print);
            }
            finding.fails = !finding.is_suppressed() && fail_on.iter().any(|fails| fails.is(&finding.verdict));
        }
    }

    /// Says in a line each how many findings of marked records do not count, and why.
    pub(crate) fn counts(&self, records: &[CheckRecord]) -> Vec<String> {
        let findings = || records.iter().flat_map(|record| &record.findings);
        let passing = |record: &CheckRecord| {
            let settings = self.settings.for_model(Path::new(&record.model));
            let passes = |one: &&FindingRecord| !one.is_suppressed() && settings.lets_pass(&one.verdict);
            record.findings.iter().filter(passes).count()
        };
        let shown = |path: Option<&PathBuf>| path.map(|path| escaped(&path.display().to_string()));
        let file = shown(self.settings.file.as_ref());
        let by_fail_on = file.as_ref().map(|file| format!("fail-on of {file}"));
        let known = shown(self.baseline.as_ref().map(|baseline| &baseline.path));
        let lines = [
            (findings().filter(|one| one.ignored.is_some()).count(), ["ignored"; 2], file),
            (findings().filter(|one| one.known).count(), ["known"; 2], known),
            (records.iter().map(passing).sum(), ["does not fail", "do not fail"], by_fail_on),
        ];
        let line = |(count, [one, several], why): (usize, [&str; 2], Option<String>)| match (count, why?) {
            (0, _) => None,
            (1, why) => Some(format!("1 finding {one} ({why})")),
            (_, why) => Some(format!("{count} findings {several} ({why})")),
        };
        lines.into_iter().filter_map(line).collect()
    }

    /// Says whether the findings of marked records end with exit code 1. Those that are written to a baseline do not.
    pub(crate) fn fails(&self, records: &[CheckRecord]) -> bool {
        let fails = |record| self.failing(record).any(|finding| !finding.known);
        !self.exit_zero && self.write.is_none() && records.iter().any(fails)
    }

    /// Lists the findings of a marked record that fail where the baseline does not have them.
    fn failing<'b>(&self, record: &'b CheckRecord) -> impl Iterator<Item = &'b FindingRecord> + use<'b> {
        let fail_on = self.settings.for_model(Path::new(&record.model)).fail_on;
        let fails = move |verdict: &str| fail_on.iter().any(|fails| fails.is(verdict));
        record.findings.iter().filter(move |finding| finding.ignored.is_none() && fails(&finding.verdict))
    }

    /// Names the entries of the configuration that no finding matches, and those of the baseline that no longer occur.
    pub(crate) fn notes(&self, records: &[CheckRecord]) -> Vec<String> {
        let mut notes = self.unused(records);
        if let Some(baseline) = &self.baseline {
            let seen = Seen::new(&baseline.folder, records);
            let stale: Vec<&KnownFinding> =
                baseline.entries.iter().filter(|entry| seen.is_stale(baseline, entry)).collect();
            notes.extend(baseline.note(&stale));
        }
        notes
    }

    /// Names the entries that no finding matches, of those that are about a model and a target that were checked.
    fn unused(&self, records: &[CheckRecord]) -> Vec<String> {
        let ignores = &self.settings.ignores;
        let (mut reached, mut used) = (vec![false; ignores.len()], vec![false; ignores.len()]);
        for record in records {
            for (at, ignore) in self.settings.ignores_of(Path::new(&record.model)) {
                reached[at] |= record.targets.iter().any(|target| ignore.is_for(&target.name));
                let mut findings = record.findings.iter().filter(|finding| is_finding(finding));
                used[at] = used[at] || findings.any(|finding| ignore.matches(finding, code(finding)));
            }
        }
        let file = self.settings.file.as_deref().unwrap_or(Path::new("")).display().to_string();
        let note = |at: usize| {
            let ignore = &ignores[at];
            let (line, shown) = (ignore.line, escaped(ignore.selectors()));
            format!(
                "{}, line {line}: no finding of the models checked matches this [[ignore]] ({shown}); remove it unless other models need it",
                escaped(&file)
            )
        };
        (0..ignores.len()).filter(|&at| reached[at] && !used[at]).map(note).collect()
    }

    /// Writes the findings that fail to the baseline that the command line names, and says so.
    ///
    /// Entries on models and targets that were not checked stay, as long as the model exists.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn write(&self, records: &[CheckRecord]) -> Result<Option<String>, Error> {
        let Some(path) = &self.write else { return Ok(None) };
        let lock = Lock::of(path)?;
        let previous = Baseline::read(path)?.unwrap_or_else(|| Baseline::empty(path));
        let seen = Seen::new(&previous.folder, records);
        let is_kept = |entry: &&KnownFinding| !seen.has(entry) && previous.folder.join(&entry.model).exists();
        let mut entries: Vec<KnownFinding> = previous.entries.iter().filter(is_kept).cloned().collect();
        let mut names = HashSet::new();
        for record in records {
            let model = relative(Path::new(&record.model), &previous.folder);
            if names.insert(model.clone()) {
                entries.extend(self.failing(record).map(|finding| KnownFinding::new(&model, finding)));
            }
        }
        let count = Baseline::write(&lock, entries)?;
        let s = if count == 1 { "" } else { "s" };
        Ok(Some(format!("{}: written, {count} finding{s}", escaped(&path.display().to_string()))))
    }
}

/// Says whether there is anything to suppress.
fn is_finding(finding: &FindingRecord) -> bool {
    finding.verdict != "same"
}

/// What was checked and found, as a baseline names it.
struct Seen<'a> {
    checked: HashSet<(String, &'a str)>,
    counts: HashMap<u128, usize>,
}

impl<'a> Seen<'a> {
    /// Collects records; `folder` is that of the baseline.
    fn new(folder: &Path, records: &'a [CheckRecord]) -> Self {
        let (mut checked, mut counts) = (HashSet::new(), HashMap::new());
        for record in records {
            let model = relative(Path::new(&record.model), folder);
            let mut own: HashMap<u128, usize> = HashMap::new();
            for finding in record.findings.iter().filter(|finding| is_finding(finding)) {
                *own.entry(fingerprint::of(&model, finding)).or_default() += 1;
            }
            // A model that is checked twice does not have twice the findings.
            for (print, count) in own {
                counts.entry(print).and_modify(|most: &mut usize| *most = count.max(*most)).or_insert(count);
            }
            checked.extend(record.targets.iter().map(|target| (model.clone(), target.name.as_str())));
        }
        Self { checked, counts }
    }

    /// Says whether the model of an entry was checked for its target.
    fn has(&self, entry: &'a KnownFinding) -> bool {
        self.checked.contains(&(entry.model.clone(), entry.target.as_str()))
    }

    /// Says whether an entry of a baseline was looked for and occurs less often than it says.
    fn is_stale(&self, baseline: &Baseline, entry: &'a KnownFinding) -> bool {
        self.has(entry) && self.counts.get(&entry.fingerprint).copied().unwrap_or(0) < baseline.count(entry.fingerprint)
    }
}
