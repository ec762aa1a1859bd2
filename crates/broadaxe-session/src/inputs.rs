//! Finds the models that a command line names: files, folders, patterns for shells that do not expand them, and `-`.
//!
//! Folders are searched for files with the names of models, in natural order: `a2.onnx` before `a10.onnx`. Symbolic links lead to files,
//! but not to folders, so that no folder is searched twice. Hidden files and folders are left out, as shells do.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::{Component, Path, PathBuf},
};

use alphanumeric_sort::compare_os_str;
use broadaxe_models::format;
use glob::{MatchOptions, Pattern};
use walkdir::{DirEntry, WalkDir};

use crate::{
    error::{Error, ErrorKind},
    skip, stream,
};

/// How the names of model files end; each may be followed by `.gz`.
const SUFFIXES: [&str; 7] = [".onnx", ".xml", ".param", ".tflite", ".json", ".pdmodel", ".litertlm"];

/// What a pattern matches is what shells match: `*` no slash, and no dot at the beginning of a name.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// An argument, or a part of a folder, that leads to no model.
#[derive(Debug)]
pub struct Unusable {
    /// The argument, or the part.
    pub path: PathBuf,
    /// Why.
    pub error: Box<Error>,
}

impl Unusable {
    fn new(path: &Path, message: impl Into<String>) -> Self {
        Self { path: path.to_path_buf(), error: Box::new(Error::new(ErrorKind::File, message).of(path)) }
    }

    /// Says what the system answered while a folder was searched.
    fn of_walk(folder: &Path, error: &walkdir::Error) -> Self {
        let path = error.path().unwrap_or(folder);
        let error = match error.io_error() {
            Some(error) => Error::io(path, "read the folder", error),
            None => Error::io(path, "read the folder", &io::Error::other(error.to_string())),
        };
        Self { path: path.to_path_buf(), error: Box::new(error) }
    }
}

/// Lists the models that arguments name, each file once.
pub fn collect(arguments: &[PathBuf]) -> Vec<Result<PathBuf, Unusable>> {
    let mut list = List::default();
    for path in arguments {
        if stream::is_standard_input(path) {
            list.add(path.clone());
        } else if path.is_dir() {
            list.add_folder(path);
        } else if is_pattern(path) && fs::symlink_metadata(path).is_err() {
            list.add_matches(path);
        } else {
            list.add(path.clone());
        }
    }
    list.found
}

#[derive(Default)]
struct List {
    found: Vec<Result<PathBuf, Unusable>>,
    seen: HashSet<PathBuf>,
    folders: HashMap<PathBuf, Option<PathBuf>>,
}

impl List {
    /// Adds a file unless it was added before.
    fn add(&mut self, path: PathBuf) {
        let identity = self.identity(&path);
        if self.seen.insert(identity) {
            self.found.push(Ok(path));
        }
    }

    /// Resolves the folder of a file, not the file: weights are searched for in the folder by which the model is named.
    fn identity(&mut self, path: &Path) -> PathBuf {
        let (Some(name), false) = (path.file_name(), stream::is_standard_input(path)) else {
            return path.to_path_buf();
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let resolved = self.folders.entry(folder.to_path_buf()).or_insert_with(|| fs::canonicalize(folder).ok());
        resolved.as_ref().map_or_else(|| path.to_path_buf(), |folder| folder.join(name))
    }

    /// Adds the models in a folder and in those below it.
    fn add_folder(&mut self, folder: &Path) {
        let mut none = true;
        for entry in walk(folder, usize::MAX).into_iter().filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry))
        {
            match entry {
                Ok(entry) if is_file(&entry) && is_model(entry.path()) => self.add(shown(entry.path(), folder)),
                Ok(_) => continue,
                Err(error) => self.found.push(Err(Unusable::of_walk(folder, &error))),
            }
            none = false;
        }
        if none {
            if let Some(message) = format::foreign(folder) {
                self.found.push(Err(Unusable::new(folder, message)));
                return;
            }
            let [others @ .., last] = SUFFIXES;
            let message = format!(
                "the folder has no models; their names end with {} or {last}, which .gz may follow",
                others.join(", ")
            );
            self.found.push(Err(Unusable::new(folder, message)));
        }
    }

    /// Adds what a pattern matches, as if a shell had expanded it.
    fn add_matches(&mut self, pattern: &Path) {
        let mut none = true;
        for entry in matches(pattern) {
            none = false;
            match entry {
                Ok(path) if path.is_dir() => self.add_folder(&path),
                Ok(path) => self.add(path),
                Err(error) => self.found.push(Err(error)),
            }
        }
        if none {
            let message = "no file matches this pattern; * matches within a folder, and ** any number of folders";
            self.found.push(Err(Unusable::new(pattern, message)));
        }
    }
}

/// Lists the entries that a pattern matches. Folders are left out for one that ends with `**`, which matches what is in them.
fn matches(pattern: &Path) -> Vec<Result<PathBuf, Unusable>> {
    let parts: Vec<Component<'_>> = pattern.components().collect();
    let plain = parts.iter().take_while(|part| !is_pattern(Path::new(part))).count();
    let (base, rest) = parts.split_at(plain);
    let text = pattern.components().collect::<PathBuf>();
    let compiled = text.to_str().ok_or("it is not UTF-8".to_owned());
    let compiled = match compiled.and_then(|text| Pattern::new(text).map_err(|error| error.msg.to_owned())) {
        Ok(compiled) => compiled,
        Err(why) => return vec![Err(Unusable::new(pattern, format!("not a valid pattern: {why}")))],
    };
    let deep = rest.iter().any(|part| part.as_os_str() == "**");
    let files = rest.last().is_some_and(|part| part.as_os_str() == "**");
    let hidden = rest.iter().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
    let base: PathBuf = base.iter().collect();
    let root = if base.as_os_str().is_empty() { Path::new(".") } else { &base };
    if !root.is_dir() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let entries = walk(root, if deep { usize::MAX } else { rest.len() }).min_depth(1).into_iter();
    for entry in entries.filter_entry(|entry| hidden || entry.depth() == 0 || !is_hidden(entry)) {
        match entry {
            Ok(entry) => {
                let path =
                    if base.as_os_str().is_empty() { shown(entry.path(), root) } else { entry.path().to_path_buf() };
                if compiled.matches_path_with(&path, OPTIONS) && !(files && path.is_dir()) {
                    found.push(Ok(path));
                }
            }
            Err(error) => found.push(Err(Unusable::of_walk(root, &error))),
        }
    }
    found
}

/// Walks a folder in natural order.
fn walk(folder: &Path, depth: usize) -> WalkDir {
    let by_name = |one: &DirEntry, other: &DirEntry| {
        compare_os_str(one.file_name(), other.file_name()).then_with(|| one.file_name().cmp(other.file_name()))
    };
    WalkDir::new(folder).max_depth(depth).sort_by(by_name)
}

/// Returns the name under which a file of a folder is shown; those of `.` as a user would name them.
fn shown(path: &Path, folder: &Path) -> PathBuf {
    let path = if folder == Path::new(".") { path.strip_prefix(".").unwrap_or(path) } else { path };
    path.to_path_buf()
}

/// Says whether a path may be a pattern. On Windows a path that begins with `\\?\` is none.
fn is_pattern(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    !bytes.starts_with(br"\\?\") && bytes.iter().any(|byte| b"*?[".contains(byte))
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// Says whether an entry is a file, or a link to one.
fn is_file(entry: &DirEntry) -> bool {
    let kind = entry.file_type();
    kind.is_file() || kind.is_symlink() && entry.path().is_file()
}

/// Says whether a file in a folder is a model by its name, and is not of another kind by its content. One that cannot be read is a model, so
/// that the reason is reported.
fn is_model(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let named = SUFFIXES.iter().any(|suffix| name.strip_suffix(suffix).is_some_and(|stem| !stem.is_empty()));
    named && !stream::open_head(path).is_ok_and(|head| skip::is_other(path, &head).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use broadaxe_testing::temporary;
    use flate2::{Compression, write::GzEncoder};

    use super::*;

    const NCNN: &str = "7767517\n1 1\nInput data 0 1 data\n";

    /// A folder of models and other files, which is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = Self(temporary::path(&format!("inputs-{name}")));
            folder.add("a10.param", NCNN.as_bytes());
            folder.add("a2.param", NCNN.as_bytes());
            folder.add("package.json", b"{}");
            folder.add("notes.txt", b"text");
            folder.add("broken.onnx", b"text");
            folder.add("deep/er/B.PARAM", NCNN.as_bytes());
            folder.add(".hidden/c.param", NCNN.as_bytes());
            folder.add("other/pom.xml", b"<project/>");
            folder.add("[x]/y.param", NCNN.as_bytes());
            folder.add("deep/z.param.gz", &packed(NCNN.as_bytes()));
            folder.add("deep/z.json.gz", &packed(b"{}"));
            folder.add("deep/no.param.gz", b"no gzip");
            folder
        }

        fn add(&self, name: &str, bytes: &[u8]) {
            let path = self.0.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }

        /// Collects arguments in this folder; each result is its name in the folder, and each error its message.
        fn collect(&self, arguments: &[&str]) -> Vec<String> {
            let paths: Vec<PathBuf> =
                arguments.iter().map(|name| if *name == "-" { name.into() } else { self.0.join(name) }).collect();
            let name = |path: &Path| path.strip_prefix(&self.0).unwrap_or(path).to_string_lossy().replace('\\', "/");
            let text = |found: Result<PathBuf, Unusable>| match found {
                Ok(path) => name(&path),
                Err(Unusable { path, error }) => format!("{}: {}", name(&path), error.message()),
            };
            collect(&paths).into_iter().map(text).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut to = GzEncoder::new(Vec::new(), Compression::fast());
        to.write_all(bytes).unwrap();
        to.finish().unwrap()
    }

    const ALL: [&str; 7] = [
        "[x]/y.param",
        "a2.param",
        "a10.param",
        "broken.onnx",
        "deep/er/B.PARAM",
        "deep/no.param.gz",
        "deep/z.param.gz",
    ];
    const NO_MODELS: &str = "other: the folder has no models; their names end with .onnx, .xml, .param, .tflite, .json, .pdmodel or .litertlm, which .gz may follow";
    const NO_MATCH: &str = "no file matches this pattern; * matches within a folder, and ** any number of folders";

    #[test]
    fn arguments_name_models() {
        let folder = Folder::new("arguments");
        let none = |name: &str| format!("{name}: {NO_MATCH}");
        let (no_onnx, no_folder, no_depth) = (none("*.tflite"), none("missing/*.onnx"), none("*/B.PARAM"));
        let cases: [(&[&str], &[&str]); 24] = [
            (&[""], &ALL),
            (&["deep"], &ALL[4..]),
            (&["other"], &[NO_MODELS]),
            // A file is named, so whatever it is, it is checked.
            (&["notes.txt", "missing.onnx"], &["notes.txt", "missing.onnx"]),
            (&["a2.param", "a10.param", "./a2.param", "deep/../a10.param"], &["a2.param", "a10.param"]),
            (&["a10.param", ""], &["a10.param", "[x]/y.param", "a2.param", "broken.onnx", ALL[4], ALL[5], ALL[6]]),
            (&["deep", "deep"], &ALL[4..]),
            (&["-", "a2.param", "-"], &["-", "a2.param"]),
            (&["*.param"], &["a2.param", "a10.param"]),
            (&["a?.param"], &["a2.param"]),
            (&["a[0-9].param"], &["a2.param"]),
            (&["*/*/*.PARAM"], &["deep/er/B.PARAM"]),
            (&["**/*.PARAM"], &["deep/er/B.PARAM"]),
            (&["**/*.param"], &["[x]/y.param", "a2.param", "a10.param"]),
            (&["deep/**"], &["deep/er/B.PARAM", "deep/no.param.gz", "deep/z.json.gz", "deep/z.param.gz"]),
            (&["d*"], &ALL[4..]),
            (&["*.txt"], &["notes.txt"]),
            (&["*.tflite"], &[&no_onnx]),
            (&["missing/*.onnx"], &[&no_folder]),
            (&["*/B.PARAM"], &[&no_depth]),
            (&["*.tflite", "a2.param"], &[&no_onnx, "a2.param"]),
            (&[".hidden/*"], &[".hidden/c.param"]),
            (&[".h*/*.param"], &[".hidden/c.param"]),
            // What exists is no pattern.
            (&["[x]"], &["[x]/y.param"]),
        ];
        let mut wrong = Vec::new();
        for (arguments, want) in cases {
            let got = folder.collect(arguments);
            if got != want {
                wrong.push(format!("{arguments:?}: {got:#?}, not {want:#?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let damaged = folder.collect(&["a***b"]);
        assert!(damaged[0].starts_with("a***b: not a valid pattern: "), "{damaged:?}");
    }

    /// Links to folders are not followed, so that a loop of them ends, and a folder that several links name is searched once.
    #[test]
    #[cfg(unix)]
    fn links_lead_to_files_only() {
        use std::os::unix::fs::symlink;

        let folder = Folder::new("links");
        for (link, to) in [("deep/loop", "."), ("deep/up", "../.."), ("again", "deep"), ("gone.param", "nowhere")] {
            symlink(to, folder.0.join(link)).unwrap();
        }
        symlink("a2.param", folder.0.join("link.param")).unwrap();
        let mut want = ALL.to_vec();
        want.push("link.param");
        assert_eq!(folder.collect(&[""]), want);
        assert_eq!(folder.collect(&["**/*.PARAM"]), ["deep/er/B.PARAM"]);
        // A link that is named itself is followed.
        assert_eq!(folder.collect(&["again"]), ["again/er/B.PARAM", "again/no.param.gz", "again/z.param.gz"]);
        assert_eq!(folder.collect(&["gone.param"]), ["gone.param"]);
        assert_eq!(folder.collect(&["deep", "again/er/B.PARAM"]), ALL[4..]);
    }

    #[test]
    #[cfg(unix)]
    fn folders_that_cannot_be_read_are_errors() {
        use std::os::unix::fs::PermissionsExt;

        let folder = Folder::new("locked");
        let locked = folder.0.join("deep/er");
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
        let readable = fs::read_dir(&locked).is_ok();
        let got = folder.collect(&["deep"]);
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
        // A privileged user reads everything.
        if !readable {
            assert!(got[0].starts_with("deep/er: cannot read the folder: "), "{got:?}");
            assert_eq!(got[1..], ALL[5..]);
        }
    }
}
