//! Decides which files `check --skip-others` skips: those whose content is of no format that is a model's.

use std::path::Path;

use broadaxe_models::{
    Source,
    format::{self, FORMATS},
};

use crate::{
    answer::FileRecord,
    error::{Error, escaped},
};

/// Formats of models that no reader exists for yet: their names, their extensions, and the identifier at byte 4.
const UNREAD: [(&str, &str, &[u8]); 1] = [("TFLite", "tflite", b"TFL3")];

/// Extensions that only models have. A file with one of them that is no model is damaged.
const ONLY_MODELS: [&str; 2] = ["onnx", "pdmodel"];

/// Why a file is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Skip {
    /// It is not a model.
    Other,
    /// It is a model of a format that is not read yet.
    Unread(&'static str),
}

impl Skip {
    /// Records a file that is skipped for this reason.
    pub(super) fn record(self, path: &Path) -> FileRecord {
        let message = match self {
            Self::Other => "not a model".to_owned(),
            Self::Unread(name) => format!("a {name} model, a format that Broadaxe does not read yet"),
        };
        FileRecord { file: path.display().to_string(), message, field: None }
    }
}

/// Returns why a file is skipped, or nothing if it is to be checked.
pub(super) fn reason(path: &Path, source: &Source) -> Result<Option<Skip>, Error> {
    if format::detect(source)?.is_some() {
        return Ok(None);
    }
    let extension = path.extension().map(|text| text.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let head = source.read(0, source.len().min(8) as usize)?;
    let unread = UNREAD.iter().find(|(_, of, mark)| *of == extension || head.get(4..) == Some(*mark));
    let unread = unread.filter(|(_, of, _)| !FORMATS.iter().any(|format| format.extensions.contains(of)));
    Ok(match unread {
        Some((name, ..)) => Some(Skip::Unread(name)),
        None if ONLY_MODELS.contains(&extension.as_str()) => None,
        None => Some(Skip::Other),
    })
}

/// How many files a note names.
const NAMED: usize = 3;

/// Writes one note per reason: how many files were skipped, and the first of them.
pub(super) fn notes(skipped: &[(&Path, Skip)]) -> Vec<String> {
    let mut reasons: Vec<Skip> = skipped.iter().map(|(_, reason)| *reason).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let note = |reason: Skip| {
        let files: Vec<_> = skipped.iter().filter(|(_, other)| *other == reason).map(|(path, _)| path).collect();
        let (count, s) = (files.len(), if files.len() == 1 { "" } else { "s" });
        let what = match reason {
            Skip::Other if count == 1 => "1 file that is not a model".to_owned(),
            Skip::Other => format!("{count} files that are not models"),
            Skip::Unread(name) => format!("{count} {name} model{s}, a format that Broadaxe does not read yet"),
        };
        let named: Vec<String> = files.iter().take(NAMED).map(|path| escaped(&path.display().to_string())).collect();
        let more = count.saturating_sub(NAMED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("skipped {what}: {}{more}", named.join(", "))
    };
    reasons.into_iter().map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_models_are_skipped() {
        let net = b"<?xml version=\"1.0\"?><net name=\"a\" version=\"11\"></net>";
        let unread = Some(Skip::Unread("TFLite"));
        let cases: [(&str, &[u8], Option<Skip>); 16] = [
            ("package.json", b"{\"name\": \"a\"}", Some(Skip::Other)),
            ("pom.xml", b"<project/>", Some(Skip::Other)),
            ("a.param", b"text", Some(Skip::Other)),
            ("empty.json", b"", Some(Skip::Other)),
            ("none", b"text", Some(Skip::Other)),
            ("net.tflite", b"\x1c\0\0\0TFL3\x14\0", unread),
            ("NET.TFLITE", b"", unread),
            ("net.json", b"\x1c\0\0\0TFL3", unread),
            // These are models, if only by their names: what is wrong with them is an error.
            ("net.xml", net, None),
            ("net.json", b"{\"base_code\": {\"magic\": \"pir\"", None),
            ("net.param", b"7767517\n1 1\nInput", None),
            ("net.onnx", b"text", None),
            ("net.ONNX", b"", None),
            ("net.onnx", b"version https://git-lfs.github.com/spec/v1\n", None),
            ("net.pdmodel", b"text", None),
            ("net.tflite", b"7767517\n1 1\nInput", None),
        ];
        for (name, bytes, want) in cases {
            let path = Path::new(name);
            let source = Source::memory(bytes, Some(path.to_path_buf()));
            assert_eq!(reason(path, &source).unwrap(), want, "{name}: {}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn notes_name_few_files() {
        let unread = Skip::Unread("TFLite");
        let files = ["a", "b\u{1b}", "c", "d", "e"].map(Path::new);
        let cases: [(&[Skip], &[&str]); 5] = [
            (&[], &[]),
            (&[Skip::Other], &["skipped 1 file that is not a model: a"]),
            (&[Skip::Other; 3], &["skipped 3 files that are not models: a, b\\u{1b}, c"]),
            (&[Skip::Other; 5], &["skipped 5 files that are not models: a, b\\u{1b}, c and 2 more"]),
            (
                &[unread, Skip::Other, unread],
                &[
                    "skipped 1 file that is not a model: b\\u{1b}",
                    "skipped 2 TFLite models, a format that Broadaxe does not read yet: a, c",
                ],
            ),
        ];
        for (reasons, want) in cases {
            let skipped: Vec<_> = files.into_iter().zip(reasons.iter().copied()).collect();
            assert_eq!(notes(&skipped), want);
        }
    }
}
