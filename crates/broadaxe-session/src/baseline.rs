//! Reads and writes baselines: files with the findings that a project has accepted.
//!
//! A baseline is JSON with one finding per line, in an order that does not depend on that of the command line.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use broadaxe_models::report::FindingRecord;
use serde::{Deserialize, Serialize};

use crate::{
    config::absolute,
    error::{Error, ErrorKind, escaped, quoted},
    fingerprint::{self, code},
    whole::{Lock, Whole},
};

/// The version of the form of the file.
const VERSION: u32 = 1;
/// The most bytes that a baseline may have.
const MAX_BASELINE_BYTES: u64 = 64 << 20;
/// How many entries a note names.
const NAMED_ENTRIES: usize = 3;

/// A baseline.
#[derive(Clone, Debug)]
pub(crate) struct Baseline {
    /// The file, as it was given.
    pub(crate) path: PathBuf,
    /// Its folder, which paths of models are relative to; absolute.
    pub(crate) folder: PathBuf,
    /// The findings.
    pub(crate) entries: Vec<KnownFinding>,
    counts: HashMap<u128, usize>,
}

/// A finding in a baseline. Only its fingerprint, model, target and count are read; the rest is for people.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct KnownFinding {
    pub(crate) model: String,
    pub(crate) target: String,
    #[serde(default)]
    code: String,
    #[serde(default)]
    op: String,
    #[serde(default)]
    node: String,
    #[serde(default)]
    shapes: String,
    #[serde(with = "hexadecimal")]
    pub(crate) fingerprint: u128,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(crate) count: usize,
}

impl KnownFinding {
    /// Makes the entry of a finding.
    pub(crate) fn new(model: &str, finding: &FindingRecord) -> Self {
        Self {
            model: model.to_owned(),
            target: finding.target.to_string(),
            code: code(finding).to_owned(),
            op: quoted(&finding.op),
            node: quoted(&finding.node),
            shapes: quoted(&fingerprint::shapes(finding)),
            fingerprint: fingerprint::of(model, finding),
            count: 1,
        }
    }

    /// Says in a few words what the finding is.
    fn sentence(&self) -> String {
        let Self { model, target, op, node, .. } = self;
        format!("{} ({}) for {} in {}", escaped(node), escaped(op), quoted(target), quoted(model))
    }
}

impl Baseline {
    /// Makes a baseline without findings.
    pub(crate) fn empty(path: &Path) -> Self {
        Self::new(path, Vec::new())
    }

    fn new(path: &Path, entries: Vec<KnownFinding>) -> Self {
        let folder = absolute(path).parent().unwrap_or(Path::new("")).to_path_buf();
        let mut counts = HashMap::new();
        for entry in &entries {
            let count: &mut usize = counts.entry(entry.fingerprint).or_default();
            *count = count.saturating_add(entry.count);
        }
        Self { path: path.to_path_buf(), folder, entries, counts }
    }

    /// Reads a baseline; nothing where there is no such file.
    ///
    /// # Errors
    /// When the file cannot be read, is no baseline, or was written by a later version.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Error> {
        let fail = |error: io::Error| Error::io(path, "read the baseline", &error);
        let wrong = |message: String| Error::new(ErrorKind::File, message).of(path);
        match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(error)),
            Ok(metadata) if !metadata.is_file() => return Err(wrong("not a regular file".to_owned())),
            Ok(_) => (),
        }
        let mut bytes = Vec::new();
        File::open(path).map_err(fail)?.take(MAX_BASELINE_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
        if bytes.len() as u64 > MAX_BASELINE_BYTES {
            return Err(wrong("a baseline has at most 64 MiB".to_owned()));
        }
        let other = |error: serde_json::Error| wrong(format!("not a baseline of broadaxe check: {error}"));
        let Head { version } = serde_json::from_slice(&bytes).map_err(other)?;
        if version != VERSION {
            let text = format!("the baseline has version {version}, and this program reads version {VERSION}");
            return Err(wrong(format!("{text}; write it with this program: --write-baseline")));
        }
        let Body { findings } = serde_json::from_slice(&bytes).map_err(other)?;
        Ok(Some(Self::new(path, findings)))
    }

    /// Says how often the baseline has a finding.
    pub(crate) fn count(&self, fingerprint: u128) -> usize {
        self.counts.get(&fingerprint).copied().unwrap_or(0)
    }

    /// Replaces a baseline by one with these findings, atomically; returns how many there are.
    ///
    /// # Errors
    /// When the file cannot be written, or another program has changed it since it was locked.
    pub(crate) fn write(lock: &Lock, mut entries: Vec<KnownFinding>) -> Result<usize, Error> {
        entries.sort();
        entries.dedup_by(|next, first| {
            let same = next.fingerprint == first.fingerprint && next.model == first.model;
            if same {
                first.count = first.count.saturating_add(next.count);
            }
            same
        });
        Whole::create(lock.path())?.replace(Some(lock), |file| {
            let mut to = io::BufWriter::new(file);
            write!(to, "{{\n  \"version\": {VERSION},\n  \"findings\": [")?;
            for (at, entry) in entries.iter().enumerate() {
                let comma = if at == 0 { "" } else { "," };
                write!(to, "{comma}\n    {}", serde_json::to_string(entry)?)?;
            }
            to.write_all(if entries.is_empty() { b"]\n}\n" } else { b"\n  ]\n}\n" })?;
            to.flush()
        })?;
        Ok(entries.iter().fold(0, |sum, entry| entry.count.saturating_add(sum)))
    }

    /// Writes a note on entries that no longer occur; nothing for none.
    pub(crate) fn note(&self, stale: &[&KnownFinding]) -> Option<String> {
        let (entries, occur) = if stale.len() == 1 { ("entry", "occurs") } else { ("entries", "occur") };
        let named: Vec<String> = stale.iter().take(NAMED_ENTRIES).map(|entry| entry.sentence()).collect();
        let more = stale.len().saturating_sub(NAMED_ENTRIES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let path = escaped(&self.path.display().to_string());
        let text = format!("{} {entries} of {path} no longer {occur}: {}{more}", stale.len(), named.join(", "));
        (!stale.is_empty()).then(|| format!("{text}; --write-baseline {path} updates it"))
    }
}

/// What the file says about its form.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

#[derive(Deserialize)]
struct Body {
    findings: Vec<KnownFinding>,
}

fn one() -> usize {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // Serde asks for a reference.
fn is_one(count: &usize) -> bool {
    *count == 1
}

/// Writes fingerprints as 32 digits.
mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[allow(clippy::trivially_copy_pass_by_ref)] // Serde asks for a reference.
    pub(crate) fn serialize<S: Serializer>(value: &u128, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{value:032x}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        let text = String::deserialize(from)?;
        let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let value = u128::from_str_radix(&text, 16).ok().filter(|_| digits);
        value.ok_or_else(|| D::Error::custom("a fingerprint has 32 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(model: &str, node: &str, fingerprint: u128, count: usize) -> KnownFinding {
        let (target, code, op, shapes) = ("ncnn".into(), "BX101".into(), "Add".into(), "2,2 2".into());
        KnownFinding { model: model.into(), target, code, op, node: node.into(), shapes, fingerprint, count }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = std::env::temp_dir().join(format!("broadaxe-baseline-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("baseline.json");
        assert!(Baseline::read(&path).unwrap().is_none());
        let entries = vec![entry("b.onnx", "x", 3, 1), entry("a.onnx", "y", 2, 1), entry("a.onnx", "y", 2, 2)];
        assert_eq!(Baseline::write(&Lock::of(&path).unwrap(), entries).unwrap(), 4);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 7, "one finding per line: {text}");
        let baseline = Baseline::read(&path).unwrap().unwrap();
        assert_eq!(baseline.entries, [entry("a.onnx", "y", 2, 3), entry("b.onnx", "x", 3, 1)]);
        assert_eq!([1, 2, 3].map(|print| baseline.count(print)), [0, 3, 1]);
        assert_eq!(Baseline::write(&Lock::of(&path).unwrap(), Vec::new()).unwrap(), 0);
        assert_eq!(Baseline::read(&path).unwrap().unwrap().entries, []);
        let cases = [
            ("", "not a baseline"),
            ("[]", "not a baseline"),
            ("{\"version\": 2, \"findings\": 1}", "version 2"),
            ("{\"version\": 1}", "findings"),
            ("{\"version\": 1, \"findings\": [{\"model\": \"a\", \"target\": \"b\", \"fingerprint\": \"+1\"}]}", "32"),
        ];
        for (text, says) in cases {
            std::fs::write(&path, text).unwrap();
            let error = Baseline::read(&path).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains("baseline.json"), "{text}: {error}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn notes_name_few_entries() {
        let baseline = Baseline::empty(Path::new("base.json"));
        let list = [entry("a.onnx", "x\u{1b}", 1, 1), entry("a.onnx", "y", 2, 1), entry("a.onnx", "z", 3, 1)];
        let many: Vec<&KnownFinding> = list.iter().chain(&list).collect();
        let cases = [
            (0, None),
            (1, Some("1 entry of base.json no longer occurs: x\\u{1b} (Add) for ncnn in a.onnx; ")),
            (
                5,
                Some(
                    "5 entries of base.json no longer occur: x\\u{1b} (Add) for ncnn in a.onnx, y (Add) for ncnn in a.onnx, z (Add) for ncnn in a.onnx and 2 more; ",
                ),
            ),
        ];
        for (count, want) in cases {
            let want = want.map(|text| format!("{text}--write-baseline base.json updates it"));
            assert_eq!(baseline.note(&many[..count]), want);
        }
    }
}
