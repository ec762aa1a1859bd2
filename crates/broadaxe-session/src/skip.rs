//! Decides which files `check --skip-others` skips: those whose content is of no format that is a model's.

use std::path::Path;

use broadaxe_models::{Source, format};

use crate::{
    error::{Error, escaped},
    record::FileRecord,
    stream,
};

/// Extensions that only models have. A file with one of them that is no model is damaged.
const ONLY_MODELS: [&str; 4] = ["onnx", "pdmodel", "tflite", "litertlm"];

/// Records a file that is skipped.
pub(crate) fn record(path: &Path) -> FileRecord {
    FileRecord { file: path.display().to_string(), message: "not a model".to_owned(), field: None }
}

/// Says whether a file is skipped: it is of no format, and its name does not say that it is. The source is decompressed.
pub(crate) fn is_other(path: &Path, source: &Source) -> Result<bool, Error> {
    if format::detect(source)?.is_some() {
        return Ok(false);
    }
    let name = stream::plain_name(path);
    let extension = name.extension().map(|text| text.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    Ok(!ONLY_MODELS.contains(&extension.as_str()))
}

/// How many files a note names.
const NAMED: usize = 3;

/// Writes a note: how many files were skipped, and the first of them; nothing for none.
pub(crate) fn note(files: &[&Path]) -> Option<String> {
    let count = files.len();
    let what = match count {
        0 => return None,
        1 => "1 file that is not a model".to_owned(),
        _ => format!("{count} files that are not models"),
    };
    let named: Vec<String> = files.iter().take(NAMED).map(|path| escaped(&path.display().to_string())).collect();
    let more = count.saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    Some(format!("skipped {what}: {}{more}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_models_are_skipped() {
        let net = b"<?xml version=\"1.0\"?><net name=\"a\" version=\"11\"></net>";
        let cases: [(&str, &[u8], bool); 19] = [
            ("package.json", b"{\"name\": \"a\"}", true),
            ("pom.xml", b"<project/>", true),
            ("a.param", b"text", true),
            ("empty.json", b"", true),
            ("none", b"text", true),
            ("a.json.gz", b"{}", true),
            // These are models, if only by their names: what is wrong with them is an error.
            ("net.tflite", b"\x1c\0\0\0TFL3\x14\0", false),
            ("NET.TFLITE", b"", false),
            ("net.litertlm", b"text", false),
            ("net.json", b"\x1c\0\0\0TFL3", false),
            ("net.xml", net, false),
            ("net.json", b"{\"base_code\": {\"magic\": \"pir\"", false),
            ("net.param", b"7767517\n1 1\nInput", false),
            ("net.onnx", b"text", false),
            ("net.ONNX", b"", false),
            ("net.onnx.gz", b"text", false),
            ("net.onnx", b"version https://git-lfs.github.com/spec/v1\n", false),
            ("net.pdmodel", b"text", false),
            ("net.tflite", b"7767517\n1 1\nInput", false),
        ];
        for (name, bytes, want) in cases {
            let path = Path::new(name);
            let source = Source::memory(bytes, Some(path.to_path_buf()));
            assert_eq!(is_other(path, &source).unwrap(), want, "{name}: {}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn notes_name_few_files() {
        let files = ["a", "b\u{1b}", "c", "d", "e"].map(Path::new);
        let cases = [
            (0, None),
            (1, Some("skipped 1 file that is not a model: a")),
            (3, Some("skipped 3 files that are not models: a, b\\u{1b}, c")),
            (5, Some("skipped 5 files that are not models: a, b\\u{1b}, c and 2 more")),
        ];
        for (count, want) in cases {
            assert_eq!(note(&files[..count]).as_deref(), want);
        }
    }
}
