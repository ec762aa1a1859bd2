//! Keeps the results of checks in the user's cache folder, one file per model and options.
//!
//! A result is used again while the files that it was made from are unchanged: the model, and its files of weights, also those that were
//! missing. A file is unchanged if its size, its times and its number in the file system are, or else, for small files, if the hash of its
//! bytes is. A file that has just changed may change again without another time, so the result is then not kept. Larger files are not
//! hashed: a check reads a small part of a large model, and is faster than a hash of all its bytes.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf, absolute},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use broadaxe_models::{
    Source,
    profiles::Target,
    report::{CheckRecord, OperandRecord},
};
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use crate::{
    request::Inputs,
    stamp::{Stamp, nanos},
    store, stream,
};

/// The form of an entry; it changes when [`ResultEntry`] does.
const FORM: &str = "2";
/// The largest entry.
const MAX_ENTRY_BYTES: u64 = 64 << 20;
/// The most bytes of all entries.
const MAX_TOTAL_BYTES: u64 = 256 << 20;
/// The most bytes of the files of a model that are hashed.
const MAX_HASHED_BYTES: u64 = 4 << 20;
/// The most findings of a result that is kept: the entry of one with more would be too large.
const MAX_FINDINGS: usize = 50_000;
/// The most files of a model that has a result in the cache.
const MAX_FILES: usize = 1000;
/// How long ago a file must have changed: the times of some file systems are in steps of 2 s.
const SETTLED: Duration = Duration::from_secs(2);
const CHECKSUM_BYTES: usize = size_of::<u128>();

/// The form in which a result is kept. Findings on one node share their operands, which are apart from them.
#[derive(Serialize, Deserialize)]
struct ResultEntry {
    files: Vec<SeenFile>,
    judged: CheckRecord,
    operands: Vec<Arc<[OperandRecord]>>,
    /// One per finding.
    uses: Vec<usize>,
}

/// A file that a result was made from, as it then was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SeenFile {
    path: PathBuf,
    /// None for a file that is missing.
    stamp: Option<Stamp>,
    /// The hash of its bytes, where they are few.
    hash: Option<[u64; 2]>,
}

/// Whether a file is as it was.
enum Now {
    Same,
    /// Its bytes are the same.
    Touched(SeenFile),
    Changed,
}

/// The results of checks.
#[derive(Debug)]
pub(crate) struct Results {
    folder: PathBuf,
    /// What identifies the program and how it checks.
    head: [String; 3],
    written: AtomicBool,
}

impl Results {
    /// Finds the results of checks; nothing without a cache.
    pub(crate) fn of_user(program: &str, repairs: bool) -> Option<Self> {
        Some(Self::at(store::folder("checked")?, program, repairs))
    }

    fn at(folder: PathBuf, program: &str, repairs: bool) -> Self {
        let repairs = if repairs { "repairs" } else { "" };
        Self { folder, head: [FORM, program, repairs].map(str::to_owned), written: AtomicBool::new(false) }
    }

    /// Hashes what decides about the result of a model, beyond its files: the targets, and the shapes of inputs.
    pub(crate) fn options(&self, targets: &[Target], inputs: &Inputs) -> u128 {
        let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
        let counts = [targets.len().to_string(), inputs.input_shapes.len().to_string()];
        let shapes = inputs.input_shapes.iter().chain(&inputs.configured);
        let parts: Vec<&[u8]> =
            self.head.iter().chain(&counts).chain(&targets).chain(shapes).map(String::as_bytes).collect();
        hash(&parts)
    }

    /// Returns the file of a result. Names of files in a result depend on how the model is named, and on the folder it is named from.
    fn file(&self, path: &Path, options: u128) -> Option<PathBuf> {
        if stream::is_standard_input(path) {
            return None;
        }
        let whole = absolute(path).ok()?;
        let names = [whole.as_os_str(), path.as_os_str()].map(OsStr::as_encoded_bytes);
        let key = hash(&[&options.to_le_bytes(), names[0], names[1]]);
        Some(self.folder.join(format!("{key:032x}.json")))
    }

    /// Returns the result of a model whose files are unchanged.
    pub(crate) fn read(&self, path: &Path, options: u128) -> Option<CheckRecord> {
        self.read_at(path, options, SystemTime::now())
    }

    fn read_at(&self, path: &Path, options: u128, now: SystemTime) -> Option<CheckRecord> {
        let file = self.file(path, options)?;
        let bytes = store::read(&file, MAX_ENTRY_BYTES)?;
        let (checksum, text) = bytes.split_at_checked(CHECKSUM_BYTES)?;
        if checksum != XxHash3_128::oneshot(text).to_le_bytes() {
            return None;
        }
        let mut entry: ResultEntry = serde_json::from_slice(text).ok()?;
        let mut touched = false;
        for seen in &mut entry.files {
            match seen.now() {
                Now::Same => {}
                Now::Touched(seen_now) => (*seen, touched) = (seen_now, true),
                Now::Changed => return None,
            }
        }
        if touched && entry.files.iter().all(|seen| seen.is_settled(now)) {
            self.save(&file, &entry);
        }
        entry.judged()
    }

    /// Says how a model is before it is checked; nothing where its result is not kept.
    pub(crate) fn look(path: &Path) -> Option<(Stamp, SystemTime)> {
        let now = SystemTime::now();
        if stream::is_standard_input(path) { None } else { Some((Stamp::of(path)?, now)) }
    }

    /// Keeps a result, unless a file that it was made from has changed since [`Results::look`] or shortly before.
    pub(crate) fn write(
        &self,
        (path, options): (&Path, u128),
        (before, began): (Stamp, SystemTime),
        source: &Source,
        judged: &CheckRecord,
    ) {
        let others = source.consulted();
        let is_small = others.len() < MAX_FILES && judged.findings.len() < MAX_FINDINGS;
        let Some(file) = self.file(path, options).filter(|_| is_small) else { return };
        let mut left = MAX_HASHED_BYTES;
        let mut files = Vec::with_capacity(1 + others.len());
        for path in std::iter::once(path).chain(others.iter().map(PathBuf::as_path)) {
            match SeenFile::new(path, &mut left).filter(|seen| seen.is_settled(began)) {
                Some(seen) => files.push(seen),
                None => return,
            }
        }
        if files[0].stamp == Some(before) {
            self.save(&file, &ResultEntry::new(files, judged));
        }
    }

    fn save(&self, file: &Path, entry: &ResultEntry) {
        let Ok(text) = serde_json::to_vec(entry) else { return };
        if text.len() as u64 + CHECKSUM_BYTES as u64 <= MAX_ENTRY_BYTES {
            let checksum = XxHash3_128::oneshot(&text).to_le_bytes();
            store::write(file, &[&checksum[..], &text].concat());
            self.written.store(true, Ordering::Relaxed);
        }
    }

    /// Removes old results where there are too many.
    pub(crate) fn prune(&self) {
        if self.written.load(Ordering::Relaxed) {
            store::prune(&self.folder, MAX_TOTAL_BYTES);
        }
    }
}

impl ResultEntry {
    fn new(files: Vec<SeenFile>, judged: &CheckRecord) -> Self {
        let (mut operands, mut uses) = (Vec::<Arc<[OperandRecord]>>::new(), Vec::new());
        let mut judged = judged.clone();
        let none: Arc<[OperandRecord]> = Arc::new([]);
        for finding in &mut judged.findings {
            let own = std::mem::replace(&mut finding.operands, none.clone());
            if operands.last().is_none_or(|last| !Arc::ptr_eq(last, &own) && **last != *own) {
                operands.push(own);
            }
            uses.push(operands.len() - 1);
        }
        Self { files, judged, operands, uses }
    }

    /// Returns the result, unless its parts do not fit together.
    fn judged(self) -> Option<CheckRecord> {
        let Self { mut judged, operands, uses, .. } = self;
        if uses.len() != judged.findings.len() {
            return None;
        }
        for (finding, at) in judged.findings.iter_mut().zip(uses) {
            finding.operands = operands.get(at)?.clone();
        }
        Some(judged)
    }
}

impl SeenFile {
    /// Looks at a file, and hashes it if it has at most `left` bytes; nothing where it changes meanwhile.
    fn new(path: &Path, left: &mut u64) -> Option<Self> {
        let stamp = Stamp::of(path);
        let few = stamp.filter(|stamp| stamp.len <= *left);
        let hash = few.and_then(|stamp| {
            *left -= stamp.len;
            hash_of(path, stamp)
        });
        Some(Self { path: absolute(path).ok()?, stamp, hash }).filter(|_| Stamp::of(path) == stamp)
    }

    /// Says whether the file last changed long enough before a time.
    fn is_settled(&self, time: SystemTime) -> bool {
        let limit = time.checked_sub(SETTLED).map_or(i64::MIN, nanos);
        self.stamp.is_none_or(|stamp| stamp.modified.max(stamp.changed) <= limit)
    }

    fn now(&self) -> Now {
        let now = Stamp::of(&self.path);
        if now == self.stamp {
            return Now::Same;
        }
        let (Some(now), Some(before), true) = (now, self.stamp, self.hash.is_some()) else { return Now::Changed };
        let same = now.len == before.len && hash_of(&self.path, now) == self.hash && Stamp::of(&self.path) == Some(now);
        if same { Now::Touched(Self { stamp: Some(now), ..self.clone() }) } else { Now::Changed }
    }
}

/// Hashes the bytes of a file of this size.
fn hash_of(path: &Path, stamp: Stamp) -> Option<[u64; 2]> {
    let bytes = store::read(path, stamp.len)?;
    let hash = XxHash3_128::oneshot(&bytes);
    Some([(hash >> 64) as u64, hash as u64])
}

/// Hashes texts, each with its length.
fn hash(parts: &[&[u8]]) -> u128 {
    let mut hasher = XxHash3_128::new();
    for part in parts {
        hasher.write(&(part.len() as u64).to_le_bytes());
        hasher.write(part);
    }
    hasher.finish_128()
}

#[cfg(test)]
mod tests;
