//! Matches names and paths with patterns such as `models/legacy/*.onnx`.

use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};

/// How names and paths match: a wildcard may begin with a dot.
const PATTERN_OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: false, require_literal_leading_dot: false };

/// A pattern of names: `*` matches any characters.
#[derive(Clone, Debug)]
pub(super) struct NamePattern(Pattern);

/// A pattern of paths: `*` stays within a name, and `**` matches any folders. Without `/` it is about the name of the file alone.
#[derive(Clone, Debug)]
pub(super) struct PathPattern(Pattern);

impl NamePattern {
    /// Reads a pattern.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        pattern(text).map(Self)
    }

    /// Says whether a name matches, or is the pattern itself: names may have brackets.
    pub(super) fn matches(&self, name: &str) -> bool {
        self.0.as_str() == name || self.0.matches_with(name, PATTERN_OPTIONS)
    }
}

impl PathPattern {
    /// Reads a pattern.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix("./").unwrap_or(text);
        if text.contains('\\') {
            return Err(format!("'{text}' has a backslash; separate folders with '/', as in models/*.onnx"));
        }
        pattern(text).map(Self)
    }

    /// Says whether a path with `/` between names matches.
    pub(super) fn matches(&self, path: &str) -> bool {
        let text = self.0.as_str();
        let path = if text.contains('/') { path } else { path.rsplit('/').next().unwrap_or(path) };
        let options = MatchOptions { require_literal_separator: true, ..PATTERN_OPTIONS };
        text == path || self.0.matches_with(path, options)
    }
}

fn pattern(text: &str) -> Result<Pattern, String> {
    if text.is_empty() {
        return Err("the pattern is empty; leave the key out, or write *".to_owned());
    }
    let wrong =
        |error: glob::PatternError| format!("'{text}' is not a pattern: {} (character {})", error.msg, error.pos);
    Pattern::new(text).map_err(wrong)
}

/// Writes a path from the root on, without `.` and `..`.
pub fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => (),
            Component::ParentDir => _ = normal.pop(),
            other => normal.push(other),
        }
    }
    normal
}

/// Writes a path as seen from an absolute folder, with `/` between names.
///
/// A path that is elsewhere begins with `../`; it is absolute on another drive.
pub fn relative(path: &Path, folder: &Path) -> String {
    let path = absolute(path);
    if let Ok(rest) = path.strip_prefix(folder) {
        return slashed(rest.components());
    }
    // The same folder may have two names, one with a symbolic link.
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
    if let (Some(parent), Some(name), Ok(folder)) = (parent, path.file_name(), folder.canonicalize())
        && let Ok(rest) = parent.join(name).strip_prefix(folder)
    {
        return slashed(rest.components());
    }
    let common = path.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    if common == 0 {
        return slashed(path.components());
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    slashed(up.chain(path.components().skip(common)))
}

/// Joins names with `/`.
fn slashed<'a>(components: impl Iterator<Item = Component<'a>>) -> String {
    let mut text = String::new();
    for component in components {
        if !text.is_empty() && !text.ends_with('/') {
            text.push('/');
        }
        match component {
            Component::RootDir => text.push('/'),
            other => text += &other.as_os_str().to_string_lossy(),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match() {
        let cases = [
            ("/head/act*", "/head/act1", true),
            ("/head/act*", "/head/act2/Mul", true),
            ("/head/act*", "/neck/act1", false),
            ("*", "", true),
            ("*", ".hidden/a", true),
            ("Add_?", "Add_1", true),
            ("Add_?", "Add_12", false),
            ("Add_[0-4]", "Add_3", true),
            ("Add_[!0-4]", "Add_3", false),
            // The name itself matches, whatever its characters mean.
            ("a[0]", "a[0]", true),
            ("a[0]", "a0", true),
            ("add", "Add", false),
            ("*模*", "/模型/Add", true),
        ];
        for (pattern, name, want) in cases {
            assert_eq!(NamePattern::new(pattern).unwrap().matches(name), want, "{pattern} {name}");
        }
        let long = "a".repeat(100_000);
        assert!(!NamePattern::new("*a*a*a*a*a*b").unwrap().matches(&long), "in linear time");
    }

    #[test]
    fn paths_match() {
        let cases = [
            ("models/*.onnx", "models/a.onnx", true),
            ("./models/*.onnx", "models/a.onnx", true),
            ("models/*.onnx", "models/legacy/a.onnx", false),
            ("models/**/*.onnx", "models/legacy/old/a.onnx", true),
            ("models/**/*.onnx", "models/a.onnx", true),
            ("models/**", "models/legacy/a.onnx", true),
            ("**/legacy/*", "a/b/legacy/c.onnx", true),
            // Without a slash, the folder does not matter.
            ("*.onnx", "models/a.onnx", true),
            ("a.onnx", "models/a.onnx", true),
            ("a.onnx", "models/ba.onnx", false),
            ("models/a.onnx", "more/models/a.onnx", false),
            ("../shared/*.onnx", "../shared/a.onnx", true),
        ];
        for (pattern, path, want) in cases {
            assert_eq!(PathPattern::new(pattern).unwrap().matches(path), want, "{pattern} {path}");
        }
    }

    #[test]
    fn what_is_no_pattern() {
        for (text, says) in [("", "empty"), ("a[", "character"), ("a\\b", "backslash"), ("a**b", "character")] {
            let error = PathPattern::new(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn paths_from_a_folder() {
        let cases = [
            ("/a/b/c.onnx", "/a", "b/c.onnx"),
            ("/a/b/../c.onnx", "/a", "c.onnx"),
            ("/a/./c.onnx", "/a", "c.onnx"),
            ("/b/c.onnx", "/a/d", "../../b/c.onnx"),
            ("/a/c.onnx", "/a/d", "../c.onnx"),
            ("/a/c.onnx", "/", "a/c.onnx"),
        ];
        for (path, folder, want) in cases {
            assert_eq!(relative(Path::new(path), Path::new(folder)), want, "{path} {folder}");
        }
        let folder = absolute(Path::new("."));
        assert_eq!(relative(Path::new("x/../a.onnx"), &folder), "a.onnx");
    }
}
